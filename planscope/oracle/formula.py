"""Encodes a problem and a run's last attempt as formulas, the one encoding that Z3 judges and that is exported.

Members (possible elements of an unsat core) have names: constraints ``c*``, rules ``b*``, steps ``step1``, ``end``.
Background formulas have none. A step says that its action ran, when it ran, and that every action that had not run
comes later. In the base language, step k has the mark k * (n + 1) among the places of the n actions. Every action that
had not run lies behind the mark (this is background, and by itself forbids no order); the step says that its own action
lies before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from planscope.frozen import frozen
from planscope.language.problem import Constraint, Problem
from planscope.oracle.facts import Fact, durations

Formula = tuple["str | Formula | int", ...] | str
"""An SMT-LIB term as nested tuples: ``("<=", ("+", "x", 1), "y")``. A Boolean or integer constant is its name."""


@frozen
class Encoding:
    """Declarations, background formulas, and members in the order c1.., b1.., steps."""

    integers: tuple[str, ...]
    booleans: tuple[str, ...]
    background: tuple[Formula, ...]
    members: tuple[tuple[str, Formula], ...]


def conjunction(parts: Sequence[Formula]) -> Formula:
    if not parts:
        return "true"
    return parts[0] if len(parts) == 1 else ("and", *parts)


def encode(problem: Problem, facts: Iterable[Fact], ended: bool, free: Iterable[int] = ()) -> Encoding:
    """Encode ``problem`` with what the calls of one attempt did.

    ``ended``: the agent stopped, so nothing else will be done. ``free``: actions whose duration counts as unknown (at
    least 1 hour), to ask what could have been foreseen.
    """
    return _Encoder(problem, list(facts), ended, frozenset(free)).encoding()


def room(ids: Sequence[str], takes: Sequence[int], begin: int, end: int) -> Formula:
    """Say that the calls between two hours take no more hours than lie between them, which "one by one" implies.

    ``ids``: the actions. ``takes``: the least hours of each.
    """
    inside = [
        ("ite", ("and", (">=", f"start_{a}", begin), ("<=", f"end_{a}", end)), hours, 0)
        for a, hours in zip(ids, takes, strict=True)
        if hours <= end - begin
    ]
    return ("<=", ("+", *inside), end - begin)


class _Encoder:
    def __init__(self, problem: Problem, facts: list[Fact], ended: bool, free: frozenset[int]) -> None:
        self.problem, self.ended = problem, ended
        self.ran = [f for f in facts if f.effect in ("done", "repeated")]
        self.free = free
        self.ids = [a.id for a in problem.actions]
        self.takes = durations(problem)
        self.firsts = [f for f in self.ran if f.effect == "done"]

    def encoding(self) -> Encoding:
        members = [(c.id, self.constraint(c)) for c in self.problem.constraints]
        members += [(f"step{f.step}", self.step(f)) for f in self.ran]
        done = {f.action for f in self.ran}
        missing = [i for i in range(len(self.ids)) if i not in done]
        if self.ended:
            members.append(("end", conjunction([("not", f"done_{self.ids[i]}") for i in missing])))
        integers, background = self.integers(), self.background()
        booleans = [f"done_{i}" for i in self.ids]
        booleans += [f"ran_{f.step}" for f in self.ran]
        return Encoding(tuple(integers), tuple(booleans), tuple(background), tuple(members))

    def integers(self) -> list[str]:
        if self.problem.timed:
            return [name for i in self.ids for name in (f"start_{i}", f"end_{i}")]
        return [f"place_{i}" for i in self.ids]

    def background(self) -> list[Formula]:
        if not self.problem.timed:
            return self.behind()
        return [
            (">=", f"end_{a}", ("+", f"start_{a}", 1))
            if i in self.free
            else ("=", f"end_{a}", ("+", f"start_{a}", self.takes[i]))
            for i, a in enumerate(self.ids)
        ]

    def mark(self, f: Fact) -> int:
        """Return the number that marks a step. All actions fit between two marks."""
        return f.step * (len(self.ids) + 1)

    def behind(self) -> list[Formula]:
        """Say that each action lies behind the mark of the last step before its own."""
        last: dict[int, Fact] = {g.action or 0: f for f, g in pairwise(self.firsts)}
        for f in self.firsts[-1:]:
            done = {g.action for g in self.firsts}
            last |= {i: f for i in range(len(self.ids)) if i not in done}
        return [(">", f"place_{self.ids[i]}", self.mark(f)) for i, f in last.items()]

    def constraint(self, c: Constraint) -> Formula:
        if c.kind == "order":
            if self.problem.timed:
                return ("<=", f"end_{c.before}", f"start_{c.after}")
            return ("<", f"place_{c.before}", f"place_{c.after}")
        if c.kind == "start_at_least":
            return (">=", f"start_{c.action}", c.hour or 0)
        if c.kind == "end_at_most":
            return ("<=", f"end_{c.action}", c.hour or 0)
        if c.kind == "start_range":
            return conjunction([("and", ("<=", 0, f"start_{a}"), ("<=", f"start_{a}", 23)) for a in self.ids])
        if c.kind == "end_range":
            return conjunction([("and", ("<=", 1, f"end_{a}"), ("<=", f"end_{a}", 24)) for a in self.ids])
        if c.kind == "once":
            again = [f for f in self.ran if f.effect == "repeated"]
            return conjunction([("not", ("and", f"ran_{f.first}", f"ran_{f.step}")) for f in again])
        if c.kind == "all_done":
            return conjunction([f"done_{a}" for a in self.ids])
        return self.one_by_one()

    def one_by_one(self) -> Formula:
        """Say that no two calls overlap, and that a call starts no earlier than all calls before it have ended."""
        parts: list[Formula] = [
            ("or", ("<=", f"end_{a}", f"start_{b}"), ("<=", f"end_{b}", f"start_{a}"))
            for i, a in enumerate(self.ids)
            for b in self.ids[i + 1 :]
        ]
        done: set[int] = set()
        for f in self.ran:
            if f.effect == "repeated" or f.action is None:
                continue
            done.add(f.action)
            ran = self.ids[f.action]
            parts += [
                ("=>", f"ran_{f.step}", ("<=", f"end_{ran}", f"start_{a}"))
                for i, a in enumerate(self.ids)
                if i not in done
            ]
        return conjunction(parts)

    def step(self, f: Fact) -> Formula:
        assert f.action is not None
        name = self.ids[f.action]
        if f.effect == "repeated":
            return f"ran_{f.step}"
        ran: list[Formula] = [f"ran_{f.step}", f"done_{name}"]
        if self.problem.timed:
            assert f.start is not None and f.end is not None
            return conjunction([*ran, ("=", f"start_{name}", f.start), ("=", f"end_{name}", f.end)])
        return conjunction([*ran, ("<=", f"place_{name}", self.mark(f))])
