"""The shape of session files: which fields each part has, of which type, and which must be there.

``python -m tests.session.shape`` writes today's into ``versions/shape.json``, once it was decided that the format's
version need not change (see ``test_migrations.py``).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planscope.session.model import FORMAT_VERSION, Session

VERSIONS = Path(__file__).parent / "versions"


def shape() -> dict[str, Any]:
    """``{"version": 1, "parts": {"Session": {"title": "required string", ...}, ...}}``."""
    schema = Session.model_json_schema()
    parts = {"Session": schema, **schema["$defs"]}
    return {
        "version": FORMAT_VERSION,
        "parts": {
            name: {
                field: f"{'required' if field in part.get('required', ()) else 'optional'} {_type(one)}"
                for field, one in sorted(part.get("properties", {}).items())
            }
            for name, part in sorted(parts.items())
        },
    }


def _type(schema: Any) -> str:
    """A JSON Schema in few words, so that only what matters to a reader of files shows."""
    if not isinstance(schema, dict):
        return "anything"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " | ".join(sorted(map(_type, choices)))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema or "enum" in schema:
        return " / ".join(map(repr, schema.get("enum", [schema.get("const")])))
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"[{_type(schema.get('items'))}]"
    if kind == "object":
        return f"{{{_type(schema.get('additionalProperties'))}}}"
    bounds = [  # 0 and 0.0 are the same: which it is depends on pydantic's version
        f"{k} {int(schema[k]) if schema[k] == int(schema[k]) else schema[k]}"
        for k in sorted(schema)
        if k.endswith(("imum", "Minimum", "Maximum"))
    ]
    return ", ".join([schema.get("format", kind), *bounds])


if __name__ == "__main__":
    (VERSIONS / "shape.json").write_text(json.dumps(shape(), indent=1) + "\n", encoding="utf-8")
