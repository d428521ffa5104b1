"""One form for values that mean the same: JSON with sorted keys, numbers by value, white space by words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

LONGEST_PARSED = 1_000_000


def canonical(value: object) -> str:
    """Return the form of a value of JSON: equal for 1 and 1.0, for {"a": 1, "b": 2} and {"b": 2, "a": 1}, and for texts
    that differ in white space alone. A text that is a JSON object or array has the form of what it says."""
    try:
        return json.dumps(_form(value), ensure_ascii=True, sort_keys=True)
    except (RecursionError, TypeError, ValueError):
        return "raw " + repr(value)[:LONGEST_PARSED]


def canonical_output(text: str | None) -> str:
    """Return the form of a tool's answer. None is no answer, which equals no text."""
    if text is None:
        return "null"
    parsed = _parsed(text, '{["-0123456789tfn')
    return canonical(text if parsed is None else parsed[0])


def _form(value: object) -> object:
    if isinstance(value, str):
        parsed = _parsed(value, "{[")
        return ["text", " ".join(value.split())] if parsed is None else _form(parsed[0])
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float | Decimal):
        return {"number": _number(value)}
    if isinstance(value, Mapping):
        return ["object", {str(key): _form(one) for key, one in value.items()}]
    if isinstance(value, list | tuple):
        return ["list", *map(_form, value)]
    return ["text", " ".join(str(value).split())]


def _number(value: int | float | Decimal) -> str:
    """Write a number by its value, exactly: without zeros at the end."""
    if isinstance(value, int) and value.bit_length() > 10_000:
        return hex(value)
    exact = Decimal(repr(value) if isinstance(value, float) else value)
    if not exact.is_finite():
        return str(exact)
    exact_context = Context(len(exact.as_tuple().digits), Emax=MAX_EMAX, Emin=MIN_EMIN)
    return str(exact.normalize(exact_context)) if exact else "0"


def _parsed(text: str, begins: str) -> tuple[object] | None:
    """Return what a text says as JSON, in a tuple, or None if it is none."""
    bare = text.strip()
    if not bare or bare[0] not in begins or len(bare) > LONGEST_PARSED:
        return None
    try:
        return (json.loads(bare, parse_float=Decimal),)
    except (ValueError, RecursionError, ArithmeticError):
        return None
