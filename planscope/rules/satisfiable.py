"""Decides which combinations of conditions some call can meet, by making a call for each.

For every value that conditions look at, the values to try are those that they can tell apart: what they compare
with, numbers and dates between and beyond, texts with every choice of the parts that they look for, lists with every
choice of elements. So no call meets a combination that none of these values does. What a call has at a path depends on
what it has at the beginning of that path, so such paths are tried together; all others one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, product
from itertools import combinations as choices
from typing import Literal, TypeVar

from planscope.frozen import frozen
from planscope.language.calls import DENIED, Calls, Combined, Compare, Condition, Operator, Path, compares
from planscope.rules.pattern import Pattern, pattern, telling
from planscope.rules.values import MISSING, OTHER, at, key_part, meets, near, plain_value

MOST = 10
"""Limit of conditions on one tool, of which all combinations are tried. More are not decided."""

MOST_VALUES = 5_000
"""Limit of values for a path with those below it."""
MOST_STATES = 20_000
MOST_ITEMS = 1_000
"""Limit of elements of a list."""

One = TypeVar("One")

ABSENT = object()
"""Stands for a value that is fixed to be missing."""

FAILURE = "Error: it failed"


@frozen
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

    @property
    def whole(self) -> Condition:
        """Everything that must hold as one condition."""
        said: list[Condition] = [] if self.condition is None else [self.condition]
        said += [Compare("outcome", (), "=", self.outcome)] if self.outcome else []
        said += [Compare("agent", (), "=", self.agent)] if self.agent is not None else []
        return Combined(True, tuple(said))


Fixed = tuple[tuple[Path, object, bool], ...]
"""Paths with their values. True means that the value is absent."""
Values = Callable[[Sequence[Compare]], Iterable[object]]
Parts = Mapping[str, object]
"""What a call has, by sources: arguments, answer (as data), outcome (``failed``, ``succeeded``; MISSING: it is not
answered), agent; or the text of a user message."""


class TooMany(Exception):
    """There are more conditions on one tool than ``MOST``, or they look for more in one value than can be tried."""


def combinations(
    formulas: Sequence[Formula], fixed: Mapping[Path, object] | None = None
) -> tuple[tuple[bool, ...], ...]:
    """Return every combination of truth values that some call has, those with more true ones first.

    ``fixed``: arguments that have a given value, or ABSENT. Raises TooMany.
    """
    if len(formulas) > MOST:
        raise TooMany
    return _combinations(tuple(formulas), _frozen(fixed or {}))


def completed(
    known: Mapping[Formula, bool], others: Sequence[Formula], fixed: Mapping[Path, object]
) -> tuple[bool, ...]:
    """Return truth values of ``others`` in some call that has the known ones. Such a call must exist."""
    return _completed(tuple(known.items()), tuple(others), _frozen(fixed))


def example(
    truths: Sequence[tuple[Formula, bool]], fixed: Mapping[Path, object], values: Values | None = None
) -> Parts | None:
    """Return what a call with these truth values can have, or None. ``values``: those of arguments that are tried for
    conditions, instead of all. Raises TooMany."""
    formulas = [formula.whole for formula, _ in truths]
    found = _examples(formulas, _frozen(fixed), [truth for _, truth in truths], values)
    return next(iter(found.values()), None)


def _frozen(fixed: Mapping[Path, object]) -> Fixed:
    return tuple(
        sorted(((path, "" if v is ABSENT else v, v is ABSENT) for path, v in fixed.items()), key=repr)
    )


@lru_cache(maxsize=4096)
def _completed(
    known: tuple[tuple[Formula, bool], ...], others: tuple[Formula, ...], fixed: Fixed
) -> tuple[bool, ...]:
    parts = next(iter(_examples([f.whole for f, _ in known], fixed, [t for _, t in known]).values()))
    return tuple(_after(formula.whole, lambda one: _test(parts, one)) is True for formula in others)


@lru_cache(maxsize=4096)
def _combinations(formulas: tuple[Formula, ...], fixed: Fixed) -> tuple[tuple[bool, ...], ...]:
    found = [tuple(map(bool, one)) for one in _examples([formula.whole for formula in formulas], fixed)]
    return tuple(sorted(found, key=lambda one: (-sum(one), [not t for t in one])))


_Left = Condition | bool
"""What is left of a condition: it is decided, or what is not decided yet."""


def _examples(
    formulas: Sequence[Condition],
    fixed: Fixed,
    known: Sequence[bool] | None = None,
    values: Values | None = None,
) -> dict[tuple[_Left, ...], Parts]:
    """Return an example for each combination of truth values. ``known``: the only one that is wanted."""
    states: dict[tuple[_Left, ...], Parts] = {tuple(_after(one, lambda _: None) for one in formulas): {}}
    for tried, ways in _choices(formulas, fixed, values):
        following: dict[tuple[_Left, ...], Parts] = {}
        seen = frozenset(tried)
        for parts in ways:
            tests = {one: _test(parts, one) for one in seen}
            for left, before in states.items():
                after = tuple(_after(one, tests.get) for one in left)
                if known is not None and any(
                    isinstance(one, bool) and one is not truth
                    for one, truth in zip(after, known, strict=True)
                ):
                    continue
                if after not in following:
                    following[after] = _joined(before, parts)
        states = following
        if len(states) > MOST_STATES:
            raise TooMany
    if known is not None:
        return {left: parts for left, parts in states.items() if list(left) == list(known)}
    return states


def _after(one: _Left, test: Callable[[Compare], bool | None]) -> _Left:
    """Return what is left of a condition once comparisons are decided. ``test``: None if one is not."""
    if isinstance(one, bool):
        return one
    if isinstance(one, Compare):
        truth = test(one)
        return one if truth is None else truth
    left: list[Condition] = []
    for part in one.parts:
        found = _after(part, test)
        if found is not one.all and isinstance(found, bool):
            return found
        if not isinstance(found, bool):
            left.append(found)
    return one.all if not left else left[0] if len(left) == 1 else Combined(one.all, tuple(left))


def _test(parts: Parts, compare: Compare) -> bool:
    return meets(at(parts.get(compare.source, MISSING), compare.path), compare)


def _joined(one: Parts, other: Parts) -> Parts:
    mine, theirs = one.get("argument"), other.get("argument")
    both = {"argument": {**mine, **theirs}} if isinstance(mine, dict) and isinstance(theirs, dict) else {}
    return {**one, **other, **both}


def _choices(
    formulas: Iterable[Condition], fixed: Fixed, values: Values | None
) -> Iterator[tuple[list[Compare], list[Parts]]]:
    """Yield comparisons that must be tried together, each time with what a call can have for them."""
    by_source: dict[str, list[Compare]] = {}
    for compare in dict.fromkeys(compare for one in formulas for compare in compares(one)):
        by_source.setdefault(compare.source, []).append(compare)
    arguments = by_source.get("argument", [])
    for root in dict.fromkeys([*(path[0] for path, _, _ in fixed), *(one.path[0] for one in arguments)]):
        here = [one for one in arguments if one.path[0] == root]
        given = {
            path[1:]: MISSING if absent else plain_value(value)
            for path, value, absent in fixed
            if path[0] == root
        }
        tree = _tree([(one, one.path[1:]) for one in here], given, values or _telling)
        yield here, [{"argument": {} if value is MISSING else {root: value}} for value in tree]
    said, outcomes = by_source.get("answer", []), by_source.get("outcome", [])
    if said or outcomes:
        tree = _tree([(one, one.path) for one in said], {}, _telling)
        ways: list[Parts] = []
        for outcome, text in (("succeeded", "done"), ("failed", FAILURE)):
            ways += [{"outcome": outcome, "answer": value} for value in (text, *(tree if said else ()))]
        yield [*said, *outcomes], [*ways, {"outcome": MISSING}]
    if agents := by_source.get("agent"):
        yield agents, [{"agent": value} for value in (*(one.value for one in agents), OTHER)]
    if texts := by_source.get("text"):
        yield texts, [{"text": value} for value in _telling(texts) if isinstance(value, str)]


def _telling(ones: Sequence[Compare]) -> Iterator[object]:
    """Yield values, of which one meets each choice of comparisons that a value can meet. Raises TooMany."""
    yield from near(ones)
    yield from (OTHER, {})
    looked = [(DENIED.get(one.operator, one.operator), one.value) for one in ones]
    if patterns := [pattern(str(value)) for operator, value in looked if operator == "matches"]:
        yield from _matching(patterns, looked)
    held = list({key_part(value): value for operator, value in looked if operator == "contains"}.values())
    if len(held) > MOST:
        raise TooMany
    yield from (list(some) for some in _subsets(held))
    texts = {
        operator: [
            "",
            *(value for looks, value in looked if looks == operator and isinstance(value, str)),
        ]
        for operator in ("contains", "starts with", "ends with")
    }
    dated = any(one.operator in ("<", "<=", ">", ">=") and isinstance(one.value, str) for one in ones)
    if dated and any(len(some) > 1 for some in texts.values()):
        raise TooMany  # dates that begin or end in a certain way are not tried
    inside = list(dict.fromkeys(texts["contains"][1:]))
    used = "".join(str(one.value) for one in ones)
    mark = next(sign for sign in "~|^#$_%&+*" + chr(0xFFFD) if sign not in used or sign == chr(0xFFFD))
    for begin, end in product(dict.fromkeys(texts["starts with"]), dict.fromkeys(texts["ends with"])):
        yield from (mark.join((begin, *some, end)) for some in _subsets(inside))


def _matching(patterns: Sequence[Pattern], looked: Iterable[tuple[Operator, object]]) -> Iterator[str]:
    """Yield texts for each choice of regular expressions that a text can meet. Raises TooMany."""
    others = [(operator, value) for operator, value in looked if operator != "matches"]
    if any(operator not in ("=", "!=", "is one of", "is missing", "is set") for operator, _ in others):
        raise TooMany  # texts that match and contain something are not tried
    given = sum(len(value) if isinstance(value, tuple) else 1 for _, value in others)
    try:
        yield from telling(patterns, 1 + given)
    except ValueError:
        raise TooMany from None


def _subsets(values: Sequence[One]) -> Iterator[tuple[One, ...]]:
    return chain.from_iterable(choices(values, size) for size in range(len(values) + 1))


def _tree(ones: Sequence[tuple[Compare, Path]], fixed: Mapping[Path, object], values: Values) -> list[object]:
    """Return a value for each choice of comparisons that a value can meet. Each comes with the path at which it looks.
    ``fixed``: the values at some paths. Raises TooMany."""
    if () in fixed:
        return [fixed[()]]
    here = [one for one, path in ones if not path]
    steps = dict.fromkeys(path[0] for path in (*(path for _, path in ones), *fixed) if path)
    below = {
        step: _tree(
            [(one, path[1:]) for one, path in ones if path[:1] == (step,)],
            {path[1:]: value for path, value in fixed.items() if path[:1] == (step,)},
            values,
        )
        for step in steps
    }
    found: dict[tuple[bool, ...], object] = {}
    for number, value in enumerate(chain((MISSING,), values(here) if here else (), _holders(here, below))):
        if number > MOST_VALUES:
            raise TooMany
        if all(_is(at(value, path), wanted) for path, wanted in fixed.items()):
            found.setdefault(tuple(meets(at(value, path), one) for one, path in ones), value)
    return list(found.values())


def _holders(here: Sequence[Compare], below: Mapping[str | int, list[object]]) -> Iterator[object]:
    """Yield the objects and lists that have these values below them."""
    names = [step for step in below if isinstance(step, str)]
    for some in product(*(below[name] for name in names)) if names else ():
        yield {name: value for name, value in zip(names, some, strict=True) if value is not MISSING}
    places = sorted(step for step in below if isinstance(step, int))
    if not places or places[-1] > MOST_ITEMS:
        return
    held = [one.value for one in here if DENIED.get(one.operator, one.operator) == "contains"]
    for some in product(*(below[place] for place in places)):
        row: list[object] = [None] * (places[-1] + 1)
        for place, value in zip(places, some, strict=True):
            row[place] = None if value is MISSING else value
        yield from ([*row, *more] for more in _subsets(held[:MOST]))


def _is(value: object, wanted: object) -> bool:
    return value is wanted if MISSING in (value, wanted) else bool(key_part(value) == key_part(wanted))
