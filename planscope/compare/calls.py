"""Aligns the calls of two runs at the least cost: 0 for a same call, 1 for a changed one, 2 for one without a
partner.

Attempts (the calls between two restarts) are kept together: each is beside one attempt of the other run or beside none,
so that what an agent tried and gave up is not taken for what it did in the end.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from operator import attrgetter
from typing import Any

from planscope.compare.result import ArgumentChange, CallDiff, CallRow, StepSide
from planscope.compare.sequences import Pair, filled, mirrored, paired
from planscope.frozen import frozen
from planscope.oracle.trace import ToolCall

CHANGED, ALONE = 1, 2
MOST_CELLS = 4_000_000
MOST_ATTEMPTS = 2_500
"""Limits for the products of both runs' numbers of calls, and of attempts. Beyond them, equal ones are paired first."""


@frozen
class Key:
    """A key that is equal for calls that are the same. ``action``: equal for matched actions, or else the tool's
    name.

    ``written``: the arguments as text, in which 8 and 8.0 are the same hour.
    """

    action: str
    written: str
    step: int = field(compare=False)
    call: ToolCall = field(compare=False)

    def saved(self, other: Key) -> int:
        """The cost saved by pairing this call with another call of its action, instead of leaving both alone."""
        return 2 * ALONE - (0 if self == other else CHANGED)


Keys = Mapping[int, Key]
Attempts = Sequence[tuple[Key, ...]]


def keys(steps: Sequence[StepSide], actions: Mapping[str, str]) -> dict[int, Key]:
    """Return the key of every step that is a call. ``actions``: ids of actions to the keys of matched actions."""
    found = {}
    for step in steps:
        if step.call is not None:
            action = f"tool {step.call.tool}" if step.action is None else f"action {actions[step.action]}"
            found[step.index] = Key(action, _written(step.call), step.index, step.call)
    return found


def _written(call: ToolCall) -> str:
    return f"unreadable: {call.error}" if call.arguments is None else _json(dict(call.arguments))


def _json(value: Any) -> str:
    try:
        return json.dumps(_whole(value), sort_keys=True, default=repr)
    except RecursionError:  # no file holds such a value
        return "nested too deeply"


def _whole(value: Any) -> Any:
    """Return the value with whole floats as integers, because the judge does not distinguish them either."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, Mapping):
        return {str(key): _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list | tuple) else value


def align(
    a: Sequence[StepSide], b: Sequence[StepSide], keys_a: Keys, keys_b: Keys, kept: int = 0
) -> CallDiff:
    """Align the calls. The first ``kept`` calls of both runs are the same ones and stay paired."""
    in_a, in_b = _attempts(a, keys_a), _attempts(b, keys_b)
    aligner = _Aligner(_order(keys_b) < _order(keys_a))
    attempts = list(filled(aligner.attempts(in_a, in_b, kept), len(in_a), len(in_b)))
    rows = [
        row
        for p, q in attempts
        for row in aligner.rows(() if p is None else in_a[p], () if q is None else in_b[q])
    ]
    cost = CHANGED * sum(row.change == "changed" for row in rows)
    cost += ALONE * sum(row.a is None or row.b is None for row in rows)
    counted = tuple((None if p is None else p + 1, None if q is None else q + 1) for p, q in attempts)
    return CallDiff(tuple(rows), counted, cost, aligner.minimal)


def _attempts(steps: Sequence[StepSide], keys: Keys) -> Attempts:
    found: list[list[Key]] = [[] for _ in range(max((step.attempt for step in steps), default=1))]
    for step in steps:
        if step.index in keys:
            found[step.attempt - 1].append(keys[step.index])
    return [tuple(attempt) for attempt in found]


def _order(keys: Keys) -> list[tuple[str, str]]:
    return [(key.call.tool, key.written) for key in keys.values()]


class _Aligner:
    """Aligns calls. ``turned``: ties are broken with the two sides exchanged. ``minimal``: no shortcut was needed."""

    def __init__(self, turned: bool) -> None:
        self._turned = turned
        self.minimal = True

    def attempts(self, a: Attempts, b: Attempts, kept: int) -> list[Pair]:
        """Pair the attempts at the least total cost of their calls; among equal costs, with the most pairs."""
        begun = max((k for k, attempt in enumerate(a, 1) if attempt and attempt[0].step <= kept), default=0)
        rest = mirrored(self._turned, self._beside, a[begun:], b[begun:])
        return [(k, k) for k in range(begun)] + [(begun + p, begun + q) for p, q in rest]

    def _beside(self, a: Attempts, b: Attempts) -> list[Pair]:
        cells, many = sum(map(len, a)) * sum(map(len, b)), len(a) + len(b)

        def saved(one: Sequence[Key], other: Sequence[Key]) -> int:
            return 1 + many * sum(one[i].saved(other[j]) for i, j in self._calls(one, other))

        def fits(pairs: int) -> bool:
            return self._fits(pairs <= MOST_ATTEMPTS and cells <= MOST_CELLS)

        return paired(a, b, lambda _: None, saved, [tuple], fits)

    def _calls(self, a: Sequence[Key], b: Sequence[Key]) -> list[Pair]:
        action = attrgetter("action")
        return paired(
            a, b, action, Key.saved, [_itself, action], lambda cells: self._fits(cells <= MOST_CELLS)
        )

    def _fits(self, whether: bool) -> bool:
        self.minimal = self.minimal and whether
        return whether

    def rows(self, a: Sequence[Key], b: Sequence[Key]) -> Iterator[CallRow]:
        """Return the rows of two attempts: pairs, and before each pair the calls that are alone or were moved."""
        pairs = mirrored(self._turned, self._calls, a, b)
        moved = _moved(a, b, pairs)
        to, of = dict(moved), {j: i for i, j in moved}
        for i, j in filled(pairs, len(a), len(b)):
            if i is not None and j is not None:
                yield CallRow(
                    "same" if a[i] == b[j] else "changed", a[i].step, b[j].step, None, changes(a[i], b[j])
                )
            elif i is not None and i in to:
                yield CallRow("moved", a[i].step, None, b[to[i]].step, changes(a[i], b[to[i]]))
            elif j is not None and j in of:
                yield CallRow("moved", None, b[j].step, a[of[j]].step, changes(a[of[j]], b[j]))
            else:
                yield (
                    CallRow("gone", a[i].step, None)
                    if i is not None
                    else CallRow("added", None, b[j or 0].step)
                )


def _itself(key: Key) -> Hashable:
    return key


def _moved(a: Sequence[Key], b: Sequence[Key], pairs: Sequence[Pair]) -> list[Pair]:
    """Pair calls that are alone: equal calls in order, then calls of one action in order."""
    left_a, left_b = dict.fromkeys(range(len(a))), dict.fromkeys(range(len(b)))
    moved: list[Pair] = []
    rules: list[Callable[[Key], Hashable]] = [_itself, attrgetter("action")]
    for i, j in pairs:
        del left_a[i], left_b[j]
    for rule in rules:
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for j in reversed(left_b):
            waiting[rule(b[j])].append(j)
        found = [(i, waiting[rule(a[i])].pop()) for i in left_a if waiting.get(rule(a[i]))]
        for i, j in found:
            del left_a[i], left_b[j]
        moved += found
    return moved


def changes(a: Key, b: Key) -> tuple[ArgumentChange, ...]:
    """Return the arguments that differ, in the order of ``a``, then the added ones.

    Unreadable arguments count as empty.
    """
    in_a, in_b = a.call.arguments or {}, b.call.arguments or {}
    found = []
    for name in {**in_a, **in_b}:
        if name not in in_b:
            found.append(ArgumentChange(name, "gone", in_a[name], None))
        elif name not in in_a:
            found.append(ArgumentChange(name, "added", None, in_b[name]))
        elif _json(in_a[name]) != _json(in_b[name]):
            found.append(ArgumentChange(name, "changed", in_a[name], in_b[name]))
    return tuple(found)
