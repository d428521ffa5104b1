"""What a mock tool makes of the arguments that an agent passed: the one place that judges them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

START = "start_time"


def read_start(arguments: Mapping[str, Any] | None) -> int | str:
    """The start hour of a timed call, or, as a string, why the call is refused.

    An integer is asked for: ``8`` and ``8.0`` are, ``"8"``, ``true``, ``8.5`` and a missing one are not.
    Whether the hour makes sense is not judged here.
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
    """Names of arguments that the tool does not take (a call with some is done all the same)."""
    if not arguments:
        return ()
    return tuple(name for name in arguments if not (timed and name == START))


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "something else")
