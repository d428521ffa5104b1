"""Says of the arguments of a call, as a model wrote them, why they cannot be read."""

from __future__ import annotations

import json

from planscope.agents.react_format import FORMAT_ERROR


def is_object(raw: object) -> bool:
    """Return whether a client can handle arguments: an object, nothing, null, or no JSON, which it refuses itself."""
    if not isinstance(raw, str) or not raw:
        return True
    try:
        return isinstance(json.loads(raw, strict=False), dict | None)
    except json.JSONDecodeError:
        return True
    except (ValueError, RecursionError):  # raised for a number that is too long, or data nested too deeply
        return False


def was_completed(raw: object) -> bool:
    """Return whether the arguments of a call that a client has read were not JSON as the model wrote them.

    Streaming clients complete arguments that were cut off: ``{"start_`` becomes an empty object, because
    langchain-core's ``AIMessageChunk`` uses ``parse_partial_json``. OpenAI's two protocols keep the original text.
    Other clients drop it when they stream, which planscope never asks them to do.
    """
    if not isinstance(raw, str) or not raw:
        return False
    try:
        json.loads(raw, strict=False)
    except (ValueError, RecursionError):
        return True
    return False


def why_unreadable(raw: str | None, said: str | None) -> str:
    """Return why arguments could not be read, in planscope's words: the client's repeat the arguments and an
    address."""
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
