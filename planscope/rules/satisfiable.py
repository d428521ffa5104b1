"""Decides which combinations of conditions some call can meet: by Z3, unless the conditions are about different
values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, Literal

from planscope.rules.rule import Calls, Compare, Condition, Path, Source, compares
from planscope.rules.values import moment, number

MOST = 10
"""Limit of conditions on one tool, of which all combinations are tried. More are not decided."""

INFINITE = 10**400

ABSENT = object()
"""Stands for a value that is fixed to be missing."""


@dataclass(frozen=True, slots=True)
class Formula:
    """What must hold for a call, besides the name of its tool."""

    condition: Condition | None = None
    outcome: Literal["failed", "succeeded"] | None = None
    agent: str | None = None

    @classmethod
    def of(cls, calls: Calls) -> Formula:
        return cls(calls.condition, calls.outcome, calls.agent)

    @property
    def calls(self) -> Calls:
        """The calls of any tool that meet it."""
        return Calls("*", self.condition, self.outcome, self.agent)


Fixed = tuple[tuple[Path, Any, bool], ...]
"""Paths with their values. True means that the value is absent."""


class TooMany(Exception):
    """There are more conditions on one tool than ``MOST``."""


def combinations(
    formulas: Sequence[Formula], fixed: Mapping[Path, Any] | None = None
) -> tuple[tuple[bool, ...], ...]:
    """Return every combination of truth values that some call has, those with more true ones first.

    ``fixed``: arguments that have a given value, or ABSENT. Raises TooMany.
    """
    if len(formulas) > MOST:
        raise TooMany
    return _combinations(tuple(formulas), _frozen(fixed or {}))


def completed(
    known: Mapping[Formula, bool], others: Sequence[Formula], fixed: Mapping[Path, Any]
) -> tuple[bool, ...]:
    """Return truth values of ``others`` in some call that has the known ones. Such a call must exist."""
    return _completed(tuple(known.items()), tuple(others), _frozen(fixed))


def _frozen(fixed: Mapping[Path, Any]) -> Fixed:
    return tuple(
        sorted(((path, "" if v is ABSENT else v, v is ABSENT) for path, v in fixed.items()), key=repr)
    )


@lru_cache(maxsize=4096)
def _completed(
    known: tuple[tuple[Formula, bool], ...], others: tuple[Formula, ...], fixed: Fixed
) -> tuple[bool, ...]:
    formulas = (*(formula for formula, _ in known), *others)
    if _independent(formulas, fixed):
        return (False,) * len(others)
    truths = dict(enumerate(truth for _, truth in known))
    return next(_solved(formulas, fixed, truths))[len(known) :]


@lru_cache(maxsize=4096)
def _combinations(formulas: tuple[Formula, ...], fixed: Fixed) -> tuple[tuple[bool, ...], ...]:
    found: list[tuple[bool, ...]]
    every = product((True, False), repeat=len(formulas))
    if not formulas:
        found = [()]
    elif _independent(formulas, fixed):
        found = list(every)
    else:
        found = list(_solved(formulas, fixed))
    return tuple(sorted(found, key=lambda one: (-sum(one), [not t for t in one])))


def _independent(formulas: tuple[Formula, ...], fixed: Fixed) -> bool:
    """Return whether each formula is one comparison about a value of its own, which can be true and can be false."""
    used: list[tuple[str, Path]] = [("argument", path) for path, _, _ in fixed]
    for formula in formulas:
        parts = list(compares(formula.condition))
        facts = len(parts) + (formula.outcome is not None) + (formula.agent is not None)
        if facts != 1 or not isinstance(formula.condition, Compare | None):
            return False
        if not parts:
            here: tuple[str, Path] = ("outcome", ()) if formula.outcome else ("agent", ())
        else:
            compare = parts[0]
            if compare.operator == "is one of" and compare.value == ():
                return False
            here = (compare.source, compare.path)
        if any(_related(here, other) for other in used):
            return False
        used.append(here)
    return True


def _related(one: tuple[str, Path], other: tuple[str, Path]) -> bool:
    answers = {"answer", "outcome"}
    if one[0] in answers and other[0] in answers and one[0] != other[0]:
        return True
    size = min(len(one[1]), len(other[1]))
    return one[0] == other[0] and one[1][:size] == other[1][:size]


def _solved(
    formulas: tuple[Formula, ...], fixed: Fixed, known: Mapping[int, bool] | None = None
) -> Iterator[tuple[bool, ...]]:
    import z3

    world = _World(z3, formulas, fixed)
    solver = z3.Solver(ctx=world.context)
    for path, value, absent in fixed:
        solver.add(world.is_absent("argument", path) if absent else world.equals("argument", path, value))
    marks = [z3.Bool(f"holds {k}", ctx=world.context) for k in range(len(formulas))]
    for mark, formula in zip(marks, formulas, strict=True):
        solver.add(mark == world.formula(formula))
    solver.add([marks[k] == truth for k, truth in (known or {}).items()])
    solver.add(world.background())
    while solver.check() == z3.sat:
        model = solver.model()
        found = tuple(bool(z3.is_true(model.eval(mark, model_completion=True))) for mark in marks)
        yield found
        solver.add(z3.Or([mark != value for mark, value in zip(marks, found, strict=True)]))


MISSING_KIND, BOOL, NUMBER, STRING, LIST, OBJECT = range(6)


class _World:
    """A call as Z3 sees it: the kind of the value at each path, and the value."""

    def __init__(self, z3: Any, formulas: Sequence[Formula], fixed: Fixed) -> None:
        self.z3 = z3
        self.context = z3.Context()
        self.paths: dict[tuple[Source, Path], Any] = {}
        self.outcome = z3.Int("outcome", ctx=self.context)
        self.agent = z3.String("agent", ctx=self.context)
        self.facts: list[Any] = [self.outcome >= 0, self.outcome <= 2]
        values = [value for _, value, _ in fixed]
        for compare in (one for formula in formulas for one in compares(formula.condition)):
            values += compare.value if isinstance(compare.value, tuple) else (compare.value,)
        self.literals = {value: moment(value) for value in values if isinstance(value, str)}

    def _sort(self, name: str, source: Source, path: Path, sort: str) -> Any:
        make = getattr(self.z3, sort)
        return make(f"{name} {source} {path!r}", ctx=self.context)

    def value(self, source: Source, path: Path) -> dict[str, Any]:
        """Return the variables of the value at a path."""
        found = self.paths.get((source, path))
        if found is None:
            found = self.paths[source, path] = {
                "kind": self._sort("kind", source, path, "Int"),
                "bool": self._sort("bool", source, path, "Bool"),
                "number": self._sort("number", source, path, "Real"),
                "string": self._sort("string", source, path, "String"),
                "dated": self._sort("dated", source, path, "Bool"),
                "date": self._sort("date", source, path, "Real"),
            }
            kind = found["kind"]
            self.facts += [kind >= MISSING_KIND, kind <= OBJECT]
            for literal, seconds in self.literals.items():
                is_date = found["dated"] if seconds is not None else self.z3.Not(found["dated"])
                same_time = [] if seconds is None else [found["date"] == self._real(seconds)]
                self.facts.append(
                    self.z3.Implies(found["string"] == self._text(literal), self.z3.And(is_date, *same_time))
                )
            if source == "text":
                self.facts.append(kind == STRING)
        return found

    def _text(self, text: str) -> Any:
        plain = text.replace("\\", "\\u{5c}")  # else Z3 reads \u{41} as A
        return self.z3.StringVal(plain, self.context)

    def _real(self, number: float) -> Any:
        """Return a number as Z3 reads it. Infinity, which JSON's 1e999 is, is larger than every other number."""
        if isinstance(number, float) and math.isinf(number):
            number = INFINITE if number > 0 else -INFINITE
        return self.z3.RealVal(str(Fraction(number)), self.context)

    def background(self) -> list[Any]:
        """Say how the values at longer paths depend on those at shorter ones, and answers on the outcome."""
        z3 = self.z3
        more = []
        for (source, path), value in list(self.paths.items()):
            if source == "answer":
                more.append(z3.Implies(value["kind"] != MISSING_KIND, self.outcome != 0))
            for (other, longer), below in self.paths.items():
                if other == source and len(longer) > len(path) and longer[: len(path)] == path:
                    holder = LIST if isinstance(longer[len(path)], int) else OBJECT
                    more.append(z3.Implies(below["kind"] != MISSING_KIND, value["kind"] == holder))
        return [*self.facts, *more]

    def is_absent(self, source: Source, path: Path) -> Any:
        return self.value(source, path)["kind"] == MISSING_KIND

    def equals(self, source: Source, path: Path, wanted: Any) -> Any:
        z3, value = self.z3, self.value(source, path)
        if isinstance(wanted, tuple) and len(wanted) == 2:
            tag, inner = wanted
            if tag == "json":
                return value["kind"] >= LIST
            wanted = inner
        if isinstance(wanted, bool):
            return z3.And(value["kind"] == BOOL, value["bool"] == wanted)
        if isinstance(wanted, (int, float)) and wanted == wanted:  # NaN equals nothing
            return z3.And(value["kind"] == NUMBER, value["number"] == self._real(wanted))
        if isinstance(wanted, str):
            return z3.And(value["kind"] == STRING, value["string"] == self._text(wanted))
        return z3.BoolVal(False, self.context)

    def compare(self, compare: Compare) -> Any:
        z3, value = self.z3, self.value(compare.source, compare.path)
        kind, wanted = value["kind"], compare.value
        there = kind != MISSING_KIND
        if compare.operator == "is missing":
            return kind == MISSING_KIND
        if compare.operator == "=":
            return self.equals(compare.source, compare.path, wanted)
        if compare.operator == "!=":
            return z3.And(there, z3.Not(self.equals(compare.source, compare.path, wanted)))
        if compare.operator == "is one of":
            ones = wanted if isinstance(wanted, tuple) else (wanted,)
            return z3.Or(
                z3.BoolVal(False, self.context), *(self.equals(compare.source, compare.path, o) for o in ones)
            )
        if compare.operator == "contains":
            has = z3.Bool(f"has {wanted!r} {compare.source} {compare.path!r}", ctx=self.context)
            in_list = z3.And(kind == LIST, has)
            if not isinstance(wanted, str):
                return in_list
            in_string = z3.And(kind == STRING, z3.Contains(value["string"], self._text(wanted)))
            return z3.Or(in_list, in_string)
        if compare.operator in ("starts with", "ends with"):
            if not isinstance(wanted, str):
                return z3.BoolVal(False, self.context)
            test = z3.PrefixOf if compare.operator == "starts with" else z3.SuffixOf
            return z3.And(kind == STRING, test(self._text(wanted), value["string"]))
        return self._ordered(compare, value)

    def _ordered(self, compare: Compare, value: dict[str, Any]) -> Any:
        z3, wanted = self.z3, compare.value
        if isinstance(wanted, str):
            limit, found = moment(wanted), value["date"]
            ready = z3.And(value["kind"] == STRING, value["dated"])
        else:
            limit, found = number(wanted), value["number"]
            ready = value["kind"] == NUMBER
        if limit is None or limit != limit:
            return z3.BoolVal(False, self.context)
        bound = self._real(limit)
        tests = {"<": found < bound, "<=": found <= bound, ">": found > bound, ">=": found >= bound}
        return z3.And(ready, tests[compare.operator])

    def condition(self, condition: Condition) -> Any:
        if isinstance(condition, Compare):
            return self.compare(condition)
        parts = [self.condition(part) for part in condition.parts]
        return self.z3.And(parts) if condition.all else self.z3.Or(parts)

    def formula(self, formula: Formula) -> Any:
        z3 = self.z3
        parts = [] if formula.condition is None else [self.condition(formula.condition)]
        if formula.outcome is not None:
            parts.append(self.outcome == (2 if formula.outcome == "failed" else 1))
        if formula.agent is not None:
            parts.append(self.agent == self._text(formula.agent))
        return z3.And(parts) if parts else z3.BoolVal(True, self.context)
