"""States, cores and repairs by trying everything. Small worlds only."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.rules.rule import Rule
from tests.rules.table import Event, kept
from tests.rules.worlds import World


def all_kept(rules: Sequence[Rule], trace: Sequence[Event]) -> bool:
    return all(kept(rule, trace) for rule in rules)


def continuation(
    world: World, rules: Sequence[Rule], trace: Sequence[Event], longest: int, over: bool
) -> list[Event] | None:
    """The shortest continuation of at most ``longest`` events after which all rules are kept, or None. ``over``: it
    begins with a new message."""
    level: list[list[Event]] = [list(trace)]
    for size in range(longest + 1):
        for one in level:
            if all_kept(rules, one):
                return one[len(trace) :]
        level = [[*one, event] for one in level for event in world.next_ones(one, over and not size)]
        if len(level) > 9_000:
            return None
    return None


def depth(world: World, most: int = 6_000) -> int:
    """How long continuations can be, to look at no more than ``most``."""
    width = len(world.letters) * (2 if world.late else 1)
    length = 0
    while width ** (length + 1) <= most and length < 6:
        length += 1
    return length
