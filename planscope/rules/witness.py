"""Writes down a call that a letter stands for: arguments and an answer that meet its truth values and its values.

The values to try come from the conditions: what they compare with, and what just misses it. A call that is returned was
held against every condition; if none is found, that says nothing about whether there is one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from planscope.oracle.arguments import START
from planscope.oracle.trace import ToolCall
from planscope.oracle.verdict_types import Move, SafeCall
from planscope.rules.future import Future
from planscope.rules.judge import Judge
from planscope.rules.letters import Alphabet, Letter
from planscope.rules.rule import Calls, Compare, Path, Source, compares
from planscope.rules.values import MISSING, OTHER, at, belongs, key_part, near, read_answer

MOST_TRIED = 2_000
MOST_ITEMS = 1_000


def safe_call(alphabet: Alphabet, letter: Letter, move: Move) -> SafeCall:
    """Return a safe move with the call and the answer that a letter stands for."""
    rules = [alphabet.book.rules[i] for i in alphabet.rules_of(letter.tool)]
    paths = {path for rule in rules for path in (*rule.per, *rule.per_then)}
    made = witness(letter, tuple(sorted(paths, key=repr)))
    if made is None:
        return SafeCall(move.action, move.hours, letter.tool)
    arguments = dict(made.arguments or {}) | ({START: move.hours[0]} if move.hours else {})
    return SafeCall(
        move.action, move.hours, made.tool, arguments, made.answer, made.answered, made.failed, made.agent
    )


@lru_cache(maxsize=4096)
def witness(letter: Letter, paths: tuple[Path, ...]) -> ToolCall | None:
    """Return a call that the letter stands for, or None. ``paths``: the arguments by whose values rules judge its tool.

    If no condition looks at the answer, the call has none: any will do (``answer`` and ``failed`` are None).
    """
    return Witnesses(letter, paths).found()


def _near(ones: Sequence[Compare]) -> Iterator[Any]:
    yield from near(ones)
    yield OTHER


class Witnesses:
    """A search for calls that a letter stands for. ``values``: those of arguments that are tried for conditions."""

    def __init__(
        self,
        letter: Letter,
        paths: Iterable[Path],
        values: Callable[[Sequence[Compare]], Iterable[Any]] = _near,
    ) -> None:
        self.letter = letter
        self.fixed = {path: dict(letter.values).get(path, MISSING) for path in paths}
        self.wanted = [(formula.calls, truth) for formula, truth in letter.truths]
        tests: dict[tuple[Source, Path], list[Compare]] = {}
        for calls, _ in self.wanted:
            for one in compares(calls.condition):
                tests.setdefault((one.source, one.path), []).append(one)
        tried: dict[tuple[Source, Path], list[Any]] = {
            place: [MISSING, *(values if place[0] == "argument" else _near)(ones)]
            for place, ones in tests.items()
        }
        tried.update((("argument", path), [_plain(part)]) for path, part in self.fixed.items())
        # Deep values first: what is chosen at a shorter path may leave them as they are.
        self.values = sorted(tried.items(), key=lambda one: -len(one[0][1]))
        last = {place: k for k, (place, _) in enumerate(self.values)}
        self.due: list[list[tuple[Calls, bool]]] = [[] for _ in range(len(self.values) + 1)]
        """The conditions whose last value is chosen there."""
        for calls, truth in self.wanted:
            used = [last[one.source, one.path] + 1 for one in compares(calls.condition)]
            self.due[max(used, default=0)].append((calls, truth))
        self.left = MOST_TRIED

    def found(self) -> ToolCall | None:
        looks = any(calls.needs_answer for calls, _ in self.wanted)
        agents = [*dict.fromkeys(calls.agent for calls, _ in self.wanted if calls.agent), OTHER]
        for failed in (False, True, None) if looks else (None,):
            for agent in agents if len(agents) > 1 else (None,):
                call = ToolCall(self.letter.tool, failed=failed, agent=agent)
                call.answered = not looks or failed is not None
                made = self._filled(0, call, MISSING)
                if made is not None:
                    return made
        return None

    def _filled(self, k: int, call: ToolCall, answer: Any) -> ToolCall | None:
        """Return the call with values for all places from ``k`` on. ``answer``: its answer so far, as data."""
        self.left -= 1
        if self.left < 0 or not self._holds(self.due[k], self._answered(call, answer)):
            return None
        if k == len(self.values):
            made = self._answered(call, answer)
            kept = all(_part(made, path) == part for path, part in self.fixed.items())
            return made if kept and self._holds(self.wanted, made) else None
        (source, path), values = self.values[k]
        for value in values:
            begun, said = call, answer
            if value is not MISSING and source == "argument":
                begun = replace(call, arguments=nested(call.arguments, path, value))
            elif value is not MISSING:
                said = nested(answer, path, value)
            found = self._filled(k + 1, begun, said)
            if found is not None:
                return found
        return None

    def _answered(self, call: ToolCall, answer: Any) -> ToolCall:
        if call.failed is None:
            return call
        if isinstance(answer, str) and read_answer(answer) == answer:
            text = answer
        elif answer is not MISSING:
            text = json.dumps(answer)
        else:
            text = "Error: it failed" if call.failed else "done"
        return replace(call, answer=text)

    def _holds(self, wanted: Iterable[tuple[Calls, bool]], call: ToolCall) -> bool:
        return all(belongs(calls, call) is truth for calls, truth in wanted)


def nested(data: Any, path: Path, value: Any) -> Any:
    """Return data with a value at a path. What is in its way is replaced; a list is appended to one that is there."""
    if not path:
        return [*data, *value] if isinstance(data, list) and isinstance(value, list) else value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        if step > MOST_ITEMS:
            return data
        row = [*data] if isinstance(data, list) else []
        row += [None] * (step + 1 - len(row))
        row[step] = nested(row[step], rest, value)
        return row
    made = dict(data) if isinstance(data, dict) else {}
    made[step] = nested(made.get(step), rest, value)
    return made


def _plain(part: Any) -> Any:
    """Return the value that a canonical one stands for (``values.key_part``)."""
    if not isinstance(part, tuple):
        return part
    return json.loads(part[1]) if part[0] == "json" else part[1]


def _part(call: ToolCall, path: Path) -> Any:
    value = at(call.arguments, path)
    return MISSING if value is MISSING else key_part(value)


def safe_moves(future: Future, judge: Judge, moves: Mapping[str, Move]) -> tuple[SafeCall, ...]:
    """Return the safe ones of these moves, which are given by tool, with their witnesses."""
    found = zip(moves.values(), future.each(judge, list(moves)), strict=True)
    return tuple(safe_call(future.alphabet, one.plan[0], move) for move, one in found if one.possible)
