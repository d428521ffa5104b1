"""Checks a JSON value against a JSON schema: the keywords that schemas of tools use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from planscope.oracle.arguments import JSON_TYPES


def mismatch(
    value: Any, schema: Any, root: Mapping[str, Any] | None = None, where: str = "", depth: int = 0
) -> str | None:
    """Return why the schema does not accept the value, or None. Keywords that are not known are ignored."""
    if not isinstance(schema, Mapping) or depth > 40:
        return "nothing is accepted" if schema is False else None
    root = schema if root is None else root
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        found: object = root
        for part in reference[2:].split("/"):
            found = found.get(part, {}) if isinstance(found, Mapping) else {}
        why = mismatch(value, found, root, where, depth + 1)
        if why is not None:
            return why
    kind = schema.get("type")
    kinds = [kind] if isinstance(kind, str) else kind if isinstance(kind, list) else []
    if kinds and not any(_is(value, one) for one in kinds):
        return f"{where or 'the value'} is not of type {' or '.join(map(str, kinds))}"
    if "enum" in schema and not any(_equal(value, one) for one in schema["enum"]):
        return f"{where or 'the value'} is none of the allowed values"
    if "const" in schema and not _equal(value, schema["const"]):
        return f"{where or 'the value'} is not {schema['const']!r}"
    for part in schema.get("allOf", ()):
        why = mismatch(value, part, root, where, depth + 1)
        if why is not None:
            return why
    if "anyOf" in schema and all(mismatch(value, one, root, where, depth + 1) for one in schema["anyOf"]):
        return f"{where or 'the value'} matches no alternative"
    if "oneOf" in schema:
        fits = sum(mismatch(value, one, root, where, depth + 1) is None for one in schema["oneOf"])
        if fits != 1:
            return f"{where or 'the value'} matches {fits} alternatives, not one"
    if isinstance(value, str):
        return _string(value, schema, where)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(value, schema, where)
    if isinstance(value, list):
        return _list(value, schema, root, where, depth)
    if isinstance(value, dict):
        return _mapping(value, schema, root, where, depth)
    return None


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


def _is(value: object, kind: object) -> bool:
    if isinstance(value, bool):
        return bool(kind == "boolean")
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, JSON_TYPES.get(str(kind), (object,)))


def _equal(a: object, b: object) -> bool:
    return json.dumps(a, sort_keys=True, default=str) == json.dumps(b, sort_keys=True, default=str)


def _string(value: str, schema: Mapping[str, Any], where: str) -> str | None:
    if len(value) < schema.get("minLength", 0):
        return f"{where} is too short"
    if len(value) > schema.get("maxLength", len(value)):
        return f"{where} is too long"
    if isinstance(schema.get("pattern"), str):
        try:
            if re.search(schema["pattern"], value) is None:
                return f"{where} does not match its pattern"
        except re.error:
            return None
    return None


def _number(value: float, schema: Mapping[str, Any], where: str) -> str | None:
    if value < schema.get("minimum", value) or value > schema.get("maximum", value):
        return f"{where} is out of range"
    low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if (isinstance(low, int | float) and not isinstance(low, bool) and value <= low) or (
        isinstance(high, int | float) and not isinstance(high, bool) and value >= high
    ):
        return f"{where} is out of range"
    step = schema.get("multipleOf")
    if isinstance(step, int | float) and step > 0 and abs(value / step - round(value / step)) > 1e-9:
        return f"{where} is no multiple of {step}"
    return None


def _list(
    value: list[Any], schema: Mapping[str, Any], root: Mapping[str, Any], where: str, depth: int
) -> str | None:
    if len(value) < schema.get("minItems", 0) or len(value) > schema.get("maxItems", len(value)):
        return f"{where} has a wrong number of items"
    if schema.get("uniqueItems") and len({json.dumps(one, sort_keys=True) for one in value}) < len(value):
        return f"{where} has an item twice"
    first = schema.get("prefixItems") or ()
    for k, one in enumerate(value):
        why = mismatch(
            one, first[k] if k < len(first) else schema.get("items"), root, f"{where}[{k}]", depth + 1
        )
        if why is not None:
            return why
    return None


def _mapping(
    value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], where: str, depth: int
) -> str | None:
    properties = schema.get("properties") or {}
    for name in schema.get("required") or ():
        if name not in value:
            return f"{where + '.' if where else ''}{name} is missing"
    extra = schema.get("additionalProperties", True)
    for name, one in value.items():
        if name in properties:
            why = mismatch(one, properties[name], root, f"{where + '.' if where else ''}{name}", depth + 1)
        elif extra is False:
            why = f"{name} is not an argument"
        else:
            why = mismatch(one, extra, root, name, depth + 1) if isinstance(extra, Mapping) else None
        if why is not None:
            return why
    return None
