"""Reads what conditions test in a call: values at paths, and whether a condition holds, does not, or cannot be
known."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import pairwise, zip_longest
from math import inf
from operator import ge, gt, le, lt

from planscope.language.calls import (
    COUNT,
    DENIED,
    EACH,
    SUM,
    Against,
    Calls,
    Compare,
    Condition,
    Path,
    moment,
)
from planscope.oracle.trace import Said, ToolCall
from planscope.rules.pattern import pattern
from planscope.rules.rule import Rule

MISSING = object()
"""Stands for no value at a path. A null counts as missing."""

UNKNOWN = object()
"""Stands for a value that the trace did not capture."""

OTHER = "other"
"""A value that hardly any condition compares with."""

DAY = 86_400.0
LARGEST = 1e300
"""Numbers beyond it have no neighbours."""

Key = tuple[object, ...]
"""A key that is equal for equal values of the arguments that a rule is judged by: 1 equals 1.0, not "1"."""

Place = tuple[int, Key | None]
"""The index of a rule, and the value that it is judged for, if it is judged by values."""


def each(value: object, path: Path, where: Condition | None = None) -> Iterator[object]:
    """Yield the values at a path, which may have EACH, COUNT and SUM in it. A null counts as missing. ``where``: what
    the elements that the last EACH stands for must meet."""
    if path[:1] in ((COUNT,), (SUM,)):
        found = list(each(value, path[1:], where))
        if len(found) == 1 and isinstance(found[0], list | dict):
            found = _elements(found[0])
        numbers = [number(one) for one in found]
        if path[0] == COUNT and (found or at(value, path[1:]) is not MISSING):
            yield len(found)
        elif path[0] == SUM and numbers and None not in numbers:
            yield sum(one for one in numbers if one is not None)
    elif EACH in path:
        k = path.index(EACH)
        for one in _elements(at(value, path[:k])):
            if where is None or EACH in path[k + 1 :] or _fits(where, one):
                yield from each(one, path[k + 1 :], where)
    elif (found_one := at(value, path)) is not MISSING:
        yield found_one


def _fits(where: Condition, value: object) -> bool:
    """Return whether a value meets a condition."""
    if isinstance(where, Compare):
        return any(meets(one, where) for one in list(each(value, where.path)) or (MISSING,))
    return (all if where.all else any)(_fits(part, value) for part in where.parts)


def _elements(value: object) -> list[object]:
    """Return the elements of a list, or the values of an object."""
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


_MARKS = {
    "dollars": "$",
    "dollar": "$",
    "usd": "$",
    "euros": "\u20ac",
    "euro": "\u20ac",
    "eur": "\u20ac",
    "percent": "%",
}
_AMOUNT = re.compile(r"(?P<before>[^\d\s+.-]*)\s*(?P<number>[+-]?[\d,]*\.?\d+)\s*(?P<behind>[^\d\s]*)")


def amount(value: object, unit: str) -> float | None:
    """Return a number; with a unit, that of "50.00", "$50" or "50 USD", too, if it is in no other unit."""
    if not unit or not isinstance(value, str):
        return number(value)
    match = _AMOUNT.fullmatch(value.strip()) if len(value) < 60 else None
    if match is None:
        return None
    wanted, *units = (
        _MARKS.get(one.casefold(), one.casefold()) for one in (unit, match["before"], match["behind"])
    )
    return float(match["number"].replace(",", "")) if {wanted, ""}.issuperset(units) else None


def _members(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is MISSING else [value]


def wanted(answer: object, against: Against) -> list[object]:
    """Return what an answer has for a comparison: for ``among``, the keys of an object and the elements of a list."""
    found = list(each(answer, against.answer, against.where))
    if len(found) == 1 and EACH not in against.answer and "among" in against.relation:
        return list(found[0]) if isinstance(found[0], dict | list) else found
    return found


def agreement(given: object, answers: Sequence[object], against: Against) -> bool | None:
    """Return whether arguments agree with earlier answers; None if what decides was not captured."""
    if given is None and answers:
        return None
    found = agrees(given, answers, against)
    known = not any(one is UNKNOWN for one in answers)
    return found if known or (found and against.every and against.relation in ("=", "among")) else None


def agrees(given: object, answers: Iterable[object], against: Against) -> bool:
    """Return whether arguments agree with earlier answers. A path that finds nothing agrees with nothing."""
    if against.pair:
        sides = [_members(at(given, path)) for path in (against.argument, against.pair)]
        sets = [wanted(one, against) for one in answers]
        pairs = list(zip_longest(*sides))
        return bool(pairs) and all(
            any(all(any(same(one, v) for v in found) for one in pair) for found in sets) for pair in pairs
        )
    mine, theirs = list(each(given, against.argument)), [v for one in answers for v in wanted(one, against)]
    relation = against.relation
    if "among" in relation:
        mine = [part for one in mine for part in (one if isinstance(one, list) else [one])]
    if not mine or not theirs:
        return False

    def equal(one: object, other: object) -> bool:
        left, right = amount(one, against.unit), amount(other, against.unit)
        if (against.unit or against.number != 1) and left is not None and right is not None:
            return left == right * against.number
        return against.number == 1 and same(one, other)

    if relation in ("=", "among"):
        return all(any(equal(one, other) for other in theirs) for one in mine)
    if relation in ("!=", "not among"):
        return not any(equal(one, other) for one in mine for other in theirs)
    if relation == "part of":
        return all(any(isinstance(v, str) and str(one) in v for v in theirs) for one in mine)
    return all(_ordered_as(one, other, against) for one in mine for other in theirs)


def _ordered_as(one: object, other: object, against: Against) -> bool:
    """Return whether two numbers or two moments stand in a relation."""
    left, right = amount(one, against.unit), amount(other, against.unit)
    if right is not None and against.relation != "within":
        right *= against.number
    if left is None and right is None and isinstance(one, str) and isinstance(other, str):
        left, right = moment(one), moment(other)
    if left is None or right is None:
        return False
    return (
        abs(left - right) <= against.number
        if against.relation == "within"
        else ORDERS[against.relation](left, right)
    )


def suiting(answers: Sequence[object], against: Against) -> Mapping[str, object] | None:
    """Return arguments that agree with earlier answers, or None if none are known."""
    if len(against.argument) != 1 or against.pair:
        return None
    name = str(against.argument[0])
    for one in (*(v for answer in answers for v in wanted(answer, against)), OTHER):
        value = amount(one, against.unit)
        right = 0.0 if value is None or against.relation == "within" else value * against.number
        for made in (one,) if value is None else (right, right - 1, right + 1):
            if agrees({name: made}, answers, against):
                return {name: made}
    return None


def at(value: object, path: Path) -> object:
    """Return the value at a path without EACH and measures, or MISSING."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return MISSING
            value = value[step]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        else:
            return MISSING
    return MISSING if value is None else value


def answer_of(call: ToolCall) -> object:
    """Return a call's answer, parsed if it is JSON, or else its text. MISSING without an answer, UNKNOWN if not
    captured."""
    if call.answer is None:
        return UNKNOWN if call.answered else MISSING
    return read_answer(call.answer)


@lru_cache(maxsize=64)
def read_answer(answer: str) -> object:
    if answer[:1] in '{["' or answer[:1].isdigit() or answer[:1] in "-tfn \n":
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            pass
    return answer


def same(one: object, other: object) -> bool:
    """Return whether values are equal as JSON: 1 is 1.0, but neither "1" nor true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    return type(one) is type(other) and bool(one == other)


def number(value: object) -> float | None:
    """Return a number, or None for other values. True and false are not numbers."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _has_word(found: object, wanted: object) -> bool:
    """Return whether a text has one of these as a word or words, in any case."""
    if not isinstance(found, str) or not isinstance(wanted, tuple):
        return False
    return any(re.search(rf"(?<!\w){re.escape(str(one))}(?!\w)", found, re.IGNORECASE) for one in wanted)


def meets(found: object, compare: Compare) -> bool:
    """Return whether a captured value meets a comparison. ``found`` may be MISSING."""
    operator, wanted = compare.operator, compare.value
    if found is MISSING or operator in ("is missing", "is set"):
        return (operator == "is missing") is (found is MISSING)
    denied = DENIED.get(operator)
    return not _TESTS[denied](found, wanted) if denied else _TESTS[operator](found, wanted)


def _contains(found: object, wanted: object) -> bool:
    if isinstance(found, str):
        return isinstance(wanted, str) and wanted in found
    return isinstance(found, list) and any(same(one, wanted) for one in found)


def _text(test: Callable[[str, str], bool]) -> Callable[[object, object], bool]:
    """Return a test of texts, which no other value meets."""
    return lambda found, wanted: isinstance(found, str) and isinstance(wanted, str) and test(found, wanted)


def _ordered(test: Callable[[float, float], bool]) -> Callable[[object, object], bool]:
    """Return a test of numbers or of moments, which no other value meets."""

    def tested(found: object, wanted: object) -> bool:
        if isinstance(found, str) and isinstance(wanted, str):
            left, right = moment(found), moment(wanted)
        else:
            left, right = number(found), number(wanted)
        return left is not None and right is not None and test(left, right)

    return tested


ORDERS: Mapping[str, Callable[[float, float], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}
_TESTS: Mapping[str, Callable[[object, object], bool]] = {
    "=": same,
    "!=": lambda found, wanted: not same(found, wanted),
    "is one of": lambda found, wanted: isinstance(wanted, tuple) and any(same(found, one) for one in wanted),
    "contains": _contains,
    "starts with": _text(str.startswith),
    "ends with": _text(str.endswith),
    "matches": _text(lambda found, wanted: pattern(wanted).is_in(found)),
    "has a word of": _has_word,
    **{sign: _ordered(test) for sign, test in ORDERS.items()},
}


def near(ones: Sequence[Compare]) -> Iterator[object]:
    """Yield what comparisons of one value name, and numbers and dates below, between and above these."""
    said = [v for one in ones for v in (one.value if isinstance(one.value, tuple) else (one.value,))]
    said = [value for value in said if value is not None]
    yield from said
    numbers = sorted({n for n in map(number, said) if n is not None and abs(n) < LARGEST})
    yield from _around(numbers, 1)
    moments = sorted(
        {m for m in (moment(value) for value in said if isinstance(value, str)) if m is not None}
    )
    for seconds in (*moments, *_around(moments, DAY)):
        try:
            text = datetime.fromtimestamp(seconds, UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            continue
        yield from (text, text.replace("+00:00", "Z"))
    if any(number(value) is not None for value in said):
        yield from (0, inf, -inf)


def _around(values: Sequence[float], by: float) -> Iterator[float]:
    """Yield numbers below, between and above these."""
    if values:
        low, high = values[0], values[-1]
        yield from (high + max(by, abs(high)), low - max(by, abs(low)))
        yield from ((one + other) / 2 for one, other in pairwise(values))


def holds(condition: Condition | None, event: ToolCall | Said) -> bool | None:
    """Return whether a condition holds; None if the trace did not capture what it tests."""
    if condition is None:
        return True
    if isinstance(condition, Compare):
        if condition.source == "text":
            return isinstance(event, Said) and meets(event.text, condition)
        if isinstance(event, Said):
            return False
        value = event.arguments if condition.source == "argument" else answer_of(event)
        if value is UNKNOWN or (condition.source == "argument" and value is None):
            return None
        return any(meets(one, condition) for one in list(each(value, condition.path)) or (MISSING,))
    decided = not condition.all
    open_part = False
    for part in condition.parts:
        found = holds(part, event)
        if found is decided:
            return decided
        open_part = open_part or found is None
    return None if open_part else not decided


def belongs(calls: Calls, event: ToolCall | Said) -> bool | None:
    """Return whether a call of a tool that ``calls`` names belongs to it, or a message of the user to a set of these;
    None if that was not captured."""
    if isinstance(event, Said):
        return holds(calls.condition, event)
    call = event
    known: bool | None = True
    if calls.agent is not None:
        if call.agent is None:
            known = None
        elif call.agent != calls.agent:
            return False
    if calls.outcome is not None:
        if not call.answered:
            return False
        if call.failed is None:
            known = None
        elif call.failed is (calls.outcome == "succeeded"):
            return False
    if calls.condition is not None:
        held = holds(calls.condition, call)
        if held is False:
            return False
        known = known if held else None
    return known


def key_part(value: object) -> object:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, (int, float)) and value == value:
        return ("number", value)
    return ("json", json.dumps(value, sort_keys=True))


def plain_value(part: object) -> object:
    """Return the value that a canonical one stands for (``key_part``)."""
    if not isinstance(part, tuple):
        return part
    return json.loads(part[1]) if part[0] == "json" else part[1]


def key_text(key: Key) -> str:
    """Return the values as text: ``R1``, or ``R1, 2``. A string that could be taken for another value, or for several,
    is in quotes: ``"2"``."""
    return ", ".join(map(_part_text, key))


def _part_text(part: object) -> str:
    if isinstance(part, tuple):
        return str(part[1]) if part[0] == "json" else json.dumps(part[1])
    assert isinstance(part, str)
    plain = part and part == part.strip() and ", " not in part and part[0] not in '"[{'
    return json.dumps(part, ensure_ascii=False) if not plain or _is_json(part) else part


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def other_type(rule: Rule, key: Key, calls: Iterable[ToolCall]) -> str:
    """Say which call has values that read like these and are of another type: ``step 1 has 7, a number``; "" if none
    does."""
    for call in calls:
        if not any(one.names(call.tool) for one in rule.sets):
            continue
        for paths in filter(None, (rule.per, rule.per_then)):
            found = [at(call.arguments, path) for path in paths]
            theirs = tuple(MISSING if value is MISSING else key_part(value) for value in found)
            if theirs == key or list(map(_loose, theirs)) != list(map(_loose, key)):
                continue
            part = next(one for one, wanted in zip(theirs, key, strict=True) if one != wanted)
            kind = _KINDS.get(part[0], "a value") if isinstance(part, tuple) else "a text"
            return f"step {call.step} has {_part_text(part)}, {kind}"
    return ""


_KINDS = {"number": "a number", "bool": "a truth value"}


def _loose(part: object) -> object:
    """Return what a value reads like."""
    text = part if isinstance(part, str) else json.dumps(part[1]) if isinstance(part, tuple) else part
    return text.removesuffix(".0") if isinstance(text, str) else text
