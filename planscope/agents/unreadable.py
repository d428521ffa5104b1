"""Why a call could not be read."""

from __future__ import annotations

import json

from planscope.agents.react_format import FORMAT_ERROR


def why_unreadable(raw: str | None, said: str | None) -> str:
    """In a few words of ours: the client's own carry the arguments again, and an address."""
    if said is not None and said.startswith(FORMAT_ERROR):
        return said
    if raw is None:
        return "the call has no arguments"
    try:
        value = json.loads(raw)
    except json.JSONDecodeError as error:
        return f"the arguments are not JSON: {error.msg.lower()} at column {error.colno}"
    except (ValueError, RecursionError):
        return "the arguments are too large to be read"
    return (
        "the arguments could not be read"
        if isinstance(value, dict)
        else "the arguments are not a JSON object"
    )
