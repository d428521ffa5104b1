"""Calls that could not be read, and why.

A client that streams completes arguments that were cut off (``{"start_`` becomes an empty object: langchain-core's
``AIMessageChunk`` reads them with ``parse_partial_json``). What was written is known with OpenAI's two protocols; the
clients of other providers drop it where they stream, which no run of ours asks them to.
"""

from __future__ import annotations

import json
from typing import Any

from planscope.agents.react_format import FORMAT_ERROR


def is_object(raw: Any) -> bool:
    """Is it an object, or something that clients read as one without arguments (null, nothing) or refuse (no JSON)?"""
    if not isinstance(raw, str) or not raw:
        return True
    try:
        return isinstance(json.loads(raw, strict=False), dict | None)
    except json.JSONDecodeError:
        return True
    except (ValueError, RecursionError):  # a number too long, lists too deep
        return False


def was_completed(raw: Any) -> bool:
    """Whether arguments that a client has read were no JSON as they were written."""
    if not isinstance(raw, str) or not raw:
        return False
    try:
        json.loads(raw, strict=False)
    except (ValueError, RecursionError):
        return True
    return False


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
