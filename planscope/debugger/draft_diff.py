"""What became of a request's constraints while it was edited, matched by what they mean.

A draft keeps the ids of its parent's actions whatever they are called, so ids of actions tell the meaning; a
constraint's own id is its place in the text and tells nothing. Comparing any two requests is ``planscope.compare``'s.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Literal

from planscope.language.problem import Constraint, Problem

Became = Literal["added", "gone", "same", "unread"]
"""``unread``: not there, but a sentence cannot be read that may say it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """One line of the diff: the constraint (of the parent where it is gone or unread), and what became of it."""

    constraint: Constraint
    became: Became


def diff_constraints(
    before: Problem | None, now: Problem | None, *, broken: bool = False
) -> tuple[Changed, ...]:
    """The draft's constraints in their order, each one that is gone behind what it stood behind; rules last.

    What is said twice is matched once for each time. ``broken``: some sentence of ``now`` could not be read.
    """
    waiting: dict[tuple[object, ...], deque[int]] = defaultdict(deque)
    old = before.constraints if before is not None else ()
    for place, c in enumerate(old):
        waiting[c.meaning].append(place)
    matched: dict[str, int] = {}
    for c in now.constraints if now is not None else ():
        if places := waiting.get(c.meaning):
            matched[c.id] = places.popleft()
    left = set(range(len(old))) - set(matched.values())
    lost: Became = "unread" if broken else "gone"
    rows: list[Changed] = []

    def lose(place: int, rules: bool) -> None:
        """Name what is not there any more and stood from ``place`` on."""
        while place in left and old[place].is_rule == rules:
            left.discard(place)
            rows.append(Changed(old[place], "gone" if rules else lost))
            place += 1

    for rules in (False, True):
        first = next((place for place, c in enumerate(old) if c.is_rule == rules), None)
        if first is not None:
            lose(first, rules)
        for c in now.constraints if now is not None else ():
            if c.is_rule != rules:
                continue
            there = matched.get(c.id)
            rows.append(Changed(c, "added" if there is None else "same"))
            if there is not None:
                lose(there + 1, rules)
    return tuple(rows)
