"""Fresh requests to hold against a failing one: as large, about the same actions, but asking for something else.

Only what they ask for sets them apart from ``QuerySynthesize``, which asks for the same in other sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import factorial

from planscope.language.problem import Problem
from planscope.language.reading import Reading
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.synthesis.generate import Synthesized, Synthesizer
from planscope.synthesis.request import Request, SynthesisError

_DRAWS = 24
"""Requests that one is chosen from."""

_NEAREST = 8
"""Of these, so many that are nearest in size; the one whose order is least like that of the old one is taken."""

_APART = 4
"""Two of three have as many times as many valid orders, or as few, if it can be had."""

_COUNTED = 12
"""Up to so many actions."""


def fresh_request(reading: Reading, number: int, seed: int, topic: str | None) -> Synthesized:
    """Request ``number`` (from 1), the same for the same number and seed. SynthesisError where there is none."""
    problem = reading.problem
    request = Request(
        actions=tuple(a.name for a in problem.actions),
        seed=(seed * 1_000_003 + number * _DRAWS) % 2**62,
        sentences=len(reading.tree.sentences),
        timed=problem.timed,
        topic=topic,
    )
    made: list[Synthesized] = []
    if (orders := _other_orders(problem, number)) is not None:
        with suppress(SynthesisError):
            made = list(_drawn(replace(request, valid_orders=orders)))
    made = made or list(_drawn(request))
    old, size = Shape(problem), len(problem.said)
    shaped = [(m, Shape(m.problem)) for m in made]
    others = [(m, shape) for m, shape in shaped if shape.closure != old.closure]
    if not others:
        raise SynthesisError("every fresh request asks for the same as this one; ask for more actions")
    near = sorted(others, key=lambda one: abs(len(one[0].problem.said) - size))[:_NEAREST]
    return max(near, key=lambda one: one[1].distance(old))[0]


def _drawn(request: Request) -> Iterator[Synthesized]:
    """One a seed; a seed without one is left out, unless none has any (SynthesisError)."""
    found, trouble = False, SynthesisError("no fresh request was found")
    synthesizer = Synthesizer(request)
    for seed in range(request.seed, request.seed + _DRAWS):
        try:
            made = synthesizer.case(seed)
        except SynthesisError as error:
            trouble = error
        else:
            found = True
            yield made
    if not found:
        raise trouble


def _other_orders(problem: Problem, number: int) -> tuple[int, int] | None:
    """A range of valid orders well above or below the old request's, by turns; None where anything will do."""
    if number % 3 == 1 or len(problem.actions) > _COUNTED:
        return None
    own = replay(problem, Trace((), "running")).valid_completions(0)
    if own is None:
        return None
    most = factorial(len(problem.actions)) // 2
    looser = (max(own * 2, most // 5), most) if own * _APART <= most else None
    tighter = (1, own // _APART) if own >= _APART else None
    return (looser or tighter) if number % 3 == 2 else (tighter or looser)


class Shape:
    """What follows from the order constraints, and how it looks whatever the actions are called."""

    def __init__(self, problem: Problem) -> None:
        ids = [a.id for a in problem.actions]
        later = {a: {c.after or "" for c in problem.said if c.kind == "order" and c.before == a} for a in ids}
        for middle in ids:
            for a in ids:
                if middle in later[a]:
                    later[a] |= later[middle]
        clocks = {(c.action or "", f"{c.kind} {c.hour}") for c in problem.said if c.kind != "order"}
        self.closure = frozenset({(a, b) for a in ids for b in later[a]} | clocks)
        """All that follows of the order, and the clock times as they are said."""
        self.after = sorted(len(later[a]) for a in ids)
        self.before = sorted(sum(a in later[b] for b in ids) for a in ids)

    def distance(self, other: Shape) -> int:
        """How unlike two orders of as many actions are: 0 for those that differ in names alone."""
        pairs = (*zip(self.after, other.after, strict=True), *zip(self.before, other.before, strict=True))
        return sum(abs(a - b) for a, b in pairs)
