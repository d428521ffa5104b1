"""Writes JSON documents as text that every JSON parser accepts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from planscope.errors import UserError


def json_text(document: Any, indent: int | None = None) -> str:
    """Return JSON that every parser accepts: infinity, which a session file may hold as 1e999, becomes the string
    ``inf``."""
    try:
        try:
            return json.dumps(document, indent=indent, allow_nan=False)
        except ValueError:
            return json.dumps(finite(document), indent=indent, allow_nan=False)
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> UserError:
    return UserError("the arguments of a call are nested too deeply to be printed")


def finite(value: Any) -> Any:
    """Return the value as JSON has it: with lists for tuples, and strings (``inf``, ``-inf``, ``nan``) for numbers that
    JSON does not have."""
    try:
        return _finite(value)
    except RecursionError:
        raise _too_deep() from None


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value
