"""Reads values of untrusted JSON: each function takes a value of any type and returns one of the type that its name
says."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from planscope.traces.json_stream import parsed

Obj = dict[str, object]
"""An object of JSON."""
NO_DICT: Obj = {}
NO_LIST: list[object] = []


def obj(value: object) -> dict[str, object]:
    """Return the value if it is an object, else an empty one (not to be changed)."""
    return value if type(value) is dict else NO_DICT


def seq(value: object) -> list[object]:
    """Return the value if it is a list, else an empty one (not to be changed)."""
    return value if type(value) is list else NO_LIST


def text(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if type(value) is str else ""


def name(value: object, default: str = "") -> str:
    """Return an id or a name: strings, and numbers as text."""
    if type(value) is str:
        return value or default
    return str(value) if type(value) is int and abs(value) < 10**30 else default


def some(record: dict[str, object], keys: Iterable[str]) -> object:
    """Return the member under the first of these keys that has a value."""
    for key in keys:
        if (found := record.get(key)) is not None:
            return found
    return None


def dig(value: object, *paths: str) -> object:
    """Return what stands under the first of these paths that has a value. Dots lead inward."""
    for path in paths:
        found = value
        for key in path.split("."):
            found = found.get(key) if type(found) is dict else None
        if found is not None:
            return found
    return None


def json_of(value: object) -> object:
    """Return the value, parsed if it is the text of a list, an object or a string in JSON."""
    if type(value) is not str or value[:1] not in ("[", "{", '"'):
        return value
    try:
        return parsed(value)
    except ValueError:
        return value


def compact(value: object) -> str:
    """Return a value as JSON on one line."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    except (RecursionError, ValueError):
        return "(nested too deeply)"


def as_text(value: object) -> str:
    """Return what a model read: a string as it is, blocks of content joined, other values as JSON."""
    if type(value) is str:
        return value
    if value is None:
        return ""
    if type(value) is list:
        return "\n".join(part for one in value if (part := _block(one)))
    return compact(value)


def _block(value: object) -> str:
    if type(value) is str:
        return value
    if type(value) is dict:
        for key in ("text", "content", "refusal"):
            found = value.get(key)
            if type(found) is str:
                return found
        inner = value.get("content")
        if type(inner) is list:
            return "\n".join(text(obj(one).get("text")) for one in inner)
        kind = text(value.get("type"))
        if kind and kind not in ("json", "object"):
            return f"[{kind}]"
    return compact(value)


def arguments_of(value: object) -> tuple[dict[str, object] | None, str | None]:
    """Return arguments that are an object or JSON text, and what is wrong with them. ``None`` counts as not
    captured."""
    if type(value) is dict:
        return value, None
    if value is None:
        return None, None
    if type(value) is str:
        if not value.strip():
            return {}, None
        try:
            found = parsed(value)
        except ValueError:
            return None, f"the arguments are not JSON: {value[:200]}"
        if type(found) is dict:
            return found, None
        if found is None:
            return {}, None
        return None, f"the arguments are not an object: {value[:200]}"
    return None, f"the arguments are not an object: {compact(value)[:200]}"


def rest_of(record: dict[str, object], placed: Collection[str]) -> dict[str, object] | None:
    """Return the members of a record that have no place of their own, or None if there are none."""
    return {k: v for k, v in record.items() if k not in placed and v is not None and v != []} or None


def count_of(value: object) -> int:
    """Return a number of tokens, which is a whole number from 0, or else 0."""
    return value if type(value) is int and 0 <= value < 2**53 else 0


def number(value: object) -> float | None:
    """Return a finite number, or None for other values."""
    if type(value) is bool:
        return float(value)
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e300 else None


def seconds(value: object) -> float | None:
    """Return a time as seconds since 1970: ISO text, or a number of seconds, milli-, micro- or nanoseconds."""
    if type(value) is str:
        try:
            when = datetime.fromisoformat(value)
            return (when if when.tzinfo is not None else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError, OSError):
            if not value.isdigit() or len(value) > 25:
                return None
            value = int(value)
    if type(value) is int or type(value) is float:
        if not math.isfinite(value) or value <= 0:
            return None
        for _ in range(3):
            if value < 1e11:
                break
            value /= 1000
        return float(value) if value < 1e11 else None
    return None


def says_error(answer: str) -> bool:
    """Return whether an answer without a mark of its format says that the call failed.

    It begins with "Error", or is JSON with a top-level ``error`` that is neither null nor false.
    """
    start = answer.lstrip() if answer[:1].isspace() else answer
    if start.startswith("Error"):
        return True
    if not start.startswith("{") or '"error"' not in start:
        return False
    try:
        error = obj(parsed(start)).get("error")
    except ValueError:
        return False
    return error is not None and error is not False
