"""Checks the arguments of a call: those of mock tools here, those of real tools against their JSON schema."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

START = "start_time"


def read_start(arguments: Mapping[str, Any] | None) -> int | str:
    """Return the start hour of a timed call, or a string that says why the call is refused.

    The start must be an integer: ``8`` and ``8.0`` are accepted; ``"8"``, ``true``, ``8.5`` and a missing start are
    refused. Whether the hour meets the constraints is checked elsewhere.
    """
    if arguments is None:
        return "the arguments could not be read"
    if START not in arguments:
        return f"{START} is missing"
    value = arguments[START]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{START} must be an integer, not {_kind(value)}"
    if isinstance(value, float):
        if not value.is_integer():
            return f"{START} must be a whole hour, not {value}"
        value = int(value)
    return value


def extra_arguments(arguments: Mapping[str, Any] | None, timed: bool) -> tuple[str, ...]:
    """Return the names of arguments that the tool does not take. A call with extra arguments is executed anyway."""
    if not arguments:
        return ()
    return tuple(name for name in arguments if not (timed and name == START))


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "something else")


JSON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
"""Python's types for the types of JSON Schema. A boolean is an int, too."""

_LIMITS: Mapping[str, Callable[[float, float], bool]] = {
    "minimum": lambda value, limit: value >= limit,
    "maximum": lambda value, limit: value <= limit,
    "exclusiveMinimum": lambda value, limit: value > limit,
    "exclusiveMaximum": lambda value, limit: value < limit,
}
_LENGTHS = {
    "minLength": (str, "at least"),
    "maxLength": (str, "at most"),
    "minItems": (list, "at least"),
    "maxItems": (list, "at most"),
}
_DEEPEST = 32


def schema_refusal(schema: Mapping[str, Any], arguments: Mapping[str, Any] | None) -> str | None:
    """Return a short reason why a real tool's JSON schema refuses the arguments, or None if it accepts them.

    Keywords that are not known here (``format``, ``pattern``, ...) refuse nothing.
    """
    return _refused(schema, dict(arguments or {}), "", schema, 0)


def _refused(schema: Any, value: Any, name: str, whole: Mapping[str, Any], depth: int) -> str | None:
    """Return the first fault found in ``value``; ``name`` says where it is, and ``""`` means the arguments as a
    whole."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return None
    depth += 1
    if isinstance(reference := schema.get("$ref"), str):
        return _refused(_referred(whole, reference), value, name, whole, depth)
    for key in ("anyOf", "oneOf"):
        choices = schema.get(key)
        if isinstance(choices, list) and choices:
            found = [_refused(choice, value, name, whole, depth) for choice in choices]
            if all(found):
                return (
                    found[0]
                    if len(found) == 1
                    else f"{name or 'the arguments'} has none of the allowed forms"
                )
    for part in _list(schema.get("allOf")):
        if why := _refused(part, value, name, whole, depth):
            return why
    return _plainly_refused(schema, value, name) or _parts_refused(schema, value, name, whole, depth)


def _plainly_refused(schema: Mapping[str, Any], value: Any, name: str) -> str | None:
    said = name or "the arguments"
    wanted = [schema["type"]] if isinstance(schema.get("type"), str) else _list(schema.get("type"))
    known = [one for one in wanted if one in JSON_TYPES]
    if known and len(known) == len(wanted) and not any(_is(value, one) for one in known):
        return f"{said} must be {' or '.join(_article(one) for one in known)}, not {_sort(value)}"
    if isinstance(choices := schema.get("enum"), list) and not any(_same(value, one) for one in choices):
        return f"{said} is not one of the allowed values"
    if "const" in schema and not _same(value, schema["const"]):
        return f"{said} is not the one allowed value"
    if isinstance(value, int | float) and not isinstance(value, bool):
        for key, met in _LIMITS.items():
            limit = schema.get(key)
            if isinstance(limit, int | float) and not isinstance(limit, bool) and not met(value, limit):
                return f"{said} is out of range"
    for key, (sort, words) in _LENGTHS.items():
        limit = schema.get(key)
        if isinstance(value, sort) and isinstance(limit, int) and not isinstance(limit, bool):
            short = len(value) < limit if words == "at least" else len(value) > limit
            if short:
                return f"{said} must have {words} {limit} {'characters' if sort is str else 'items'}"
    return None


def _parts_refused(
    schema: Mapping[str, Any], value: Any, name: str, whole: Mapping[str, Any], depth: int
) -> str | None:
    if isinstance(value, list):
        found = (
            _refused(schema.get("items"), one, f"{name}[{i}]", whole, depth) for i, one in enumerate(value)
        )
        return next((why for why in found if why), None)
    if not isinstance(value, dict):
        return None
    before = f"{name}." if name else ""
    for key in _list(schema.get("required")):
        if isinstance(key, str) and key not in value:
            return f"{before}{key} is missing"
    parts = schema.get("properties")
    parts = parts if isinstance(parts, Mapping) else {}
    for key, one in value.items():
        if key in parts:
            why = _refused(parts[key], one, f"{before}{key}", whole, depth)
        elif schema.get("additionalProperties") is False:
            why = f"it does not take {before}{key}"
        else:
            why = _refused(schema.get("additionalProperties"), one, f"{before}{key}", whole, depth)
        if why:
            return why
    return None


def _referred(whole: Mapping[str, Any], reference: str) -> Any:
    """Return the target of a ``$ref`` inside the schema, or None for any other reference, which then accepts every
    value."""
    here: Any = whole
    for part in reference.removeprefix("#/").split("/") if reference.startswith("#/") else ("",):
        here = here.get(part) if isinstance(here, Mapping) else None
    return here


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    if wanted == "integer" and isinstance(value, float):
        return math.isfinite(value) and value.is_integer()
    return isinstance(value, JSON_TYPES[wanted])


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _article(wanted: str) -> str:
    return "null" if wanted == "null" else f"{'an' if wanted[0] in 'aio' else 'a'} {wanted}"


def _sort(value: Any) -> str:
    return next((_article(one) for one in JSON_TYPES if _is(value, one)), "something else")
