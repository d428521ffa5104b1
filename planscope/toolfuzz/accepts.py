"""Checks JSON values against a JSON schema, and schemas themselves. Both are hostile; nothing is fetched for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

LONGEST_LIMIT = 100


def parts_of(schema: object) -> Iterator[dict[str, object]]:
    """Yield each object in a schema, the outer ones first."""
    if isinstance(schema, dict):
        yield schema
    several = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for one in several:
        yield from parts_of(one)


def properties(schema: Mapping[str, object]) -> dict[str, object]:
    """Return the schemas of the arguments, by name."""
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def required(schema: Mapping[str, object]) -> list[str]:
    """Return the names of the arguments that must be there."""
    found = schema.get("required")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list | tuple) else []


MOST_FITTING = 40


def fitting(
    values: Iterable[object], schema: object, root: Mapping[str, object] | None = None
) -> list[object]:
    """Return those values that a schema accepts, each once, and as its type: an id of digits as number or as text, a
    single value for a list. ``root`` as for :func:`mismatch`."""
    wanted = schema.get("type") if isinstance(schema, Mapping) else None
    found: list[object] = []
    for value in values:
        if wanted == "string" and isinstance(value, int):
            value = str(value)
        elif wanted in ("integer", "number") and isinstance(value, str):
            with suppress(ValueError):
                value = float(value) if wanted == "number" else int(value) if value.isascii() else value
        elif wanted == "array" and not isinstance(value, list):
            value = [value]
        if value not in found and mismatch(value, schema, root) is None:
            found.append(value)
    return found[:MOST_FITTING]


def mismatch(value: object, schema: object, root: Mapping[str, object] | None = None) -> str | None:
    """Return why the schema does not accept the value, or None. ``root``: the schema whose definitions it refers to.

    Keywords that are not known, have a value of a wrong sort, or refer to nothing are ignored.
    """
    from jsonschema import Draft202012Validator
    from referencing import Registry

    if not isinstance(schema, Mapping):
        return "nothing is accepted" if schema is False else None
    whole = {**{key: root[key] for key in ("$defs", "definitions") if root and key in root}, **schema}
    error = None
    with suppress(Exception):  # whatever a hostile schema makes of the library
        error = next(Draft202012Validator(whole, registry=Registry()).iter_errors(value), None)
    if error is None:
        return None
    where = ".".join(map(str, error.absolute_path))
    if error.validator == "required":
        name = next(name for name in error.validator_value if name not in error.instance)
        return f"{where}{'.' if where else ''}{name} is missing"
    limit = json.dumps(error.validator_value, default=str)[:LONGEST_LIMIT]
    return f"{where or 'the value'} is not as its schema says ({error.validator}: {limit})"


def schema_fault(schema: object) -> str | None:
    """Return why no arguments can be drawn from the schema of a tool's arguments, or None."""
    from jsonschema import Draft202012Validator, SchemaError

    if not isinstance(schema, dict) or schema.get("type") != "object":
        return "its inputSchema is no schema of an object"
    try:
        Draft202012Validator.check_schema(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
        endless = _is_endless(schema, schema, ())
    except SchemaError as error:
        place = ".".join(map(str, error.absolute_path))
        return f"its inputSchema is broken at {place or 'its top'}: {error.message[:200]}"
    except RecursionError:
        endless = True
    return (
        "its inputSchema needs a value without end: a required $ref leads back to itself" if endless else None
    )


def _is_endless(schema: object, root: Mapping[str, object], above: tuple[str, ...]) -> bool:
    """Return whether each value that the schema accepts has another of the same schema in it."""
    if not isinstance(schema, Mapping):
        return False
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        if reference in above:
            return True
        found: object = root
        for part in filter(None, reference[1:].split("/")):
            found = found.get(part) if isinstance(found, Mapping) else None
        if _is_endless(found, root, (*above, reference)):
            return True
    fields = schema.get("properties")
    fields = fields if isinstance(fields, Mapping) else {}
    inner = [fields.get(name) for name in schema.get("required", ())]
    if schema.get("minItems", 0) > 0:
        inner.append(schema.get("items"))
    if any(_is_endless(one, root, above) for one in (*inner, *schema.get("allOf", ()))):
        return True
    choices = [schema[key] for key in ("anyOf", "oneOf") if schema.get(key)]
    return any(all(_is_endless(one, root, above) for one in some) for some in choices)
