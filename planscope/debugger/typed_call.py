"""Converts what the user edits at a paused call: arguments as JSON, an answer as one line. Both are read back.

An input line can hold only visible characters, so all others in an answer are written as escapes: ``\\n``,
``\\u202e`` or ``\\U000e0041``, with ``\\\\`` for a backslash.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from planscope.debugger.errors import DebuggerError, shown
from planscope.safe import visible
from planscope.session.json_bytes import (
    DEEPEST,
    LONGEST_NUMBER,
    check_bounds,
    first_duplicate,
    plain_text,
    without_surrogates,
)

_SHORT = {"\n": "n", "\r": "r", "\t": "t", "\\": "\\"}
_LONG = {letter: char for char, letter in _SHORT.items()}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|$)", re.DOTALL)


def line_of(text: str) -> str:
    """Write a text of any characters as one line that can be typed; :func:`text_of` reads it back."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(map(_escaped, text))


def _escaped(char: str) -> str:
    if char in _SHORT:
        return "\\" + _SHORT[char]
    if visible(char) == char:
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def text_of(line: str) -> str:
    """Return the text that a line encodes. Raises DebuggerError for an unknown escape."""
    return plain_text(_ESCAPE.sub(_unescaped, line))


def _unescaped(found: re.Match[str]) -> str:
    said = found[1]
    if len(said) > 1:
        number = int(said[1:], 16)
        if number <= 0x10FFFF:
            return chr(number)
    elif said in _LONG:
        return _LONG[said]
    raise DebuggerError(f"{shown(found[0])} is not an escape; write \\n for a new line, \\\\ for a backslash")


def json_of(arguments: Mapping[str, Any]) -> str:
    """Write arguments as one line of JSON, in plain ASCII."""
    return json.dumps(dict(arguments), default=str)


def arguments_of(text: str) -> dict[str, Any]:
    """Read the arguments that the user typed. Raises DebuggerError, which says in one line where the JSON is wrong."""
    if not text.strip():
        raise DebuggerError('enter {} for no arguments, or an object such as {"start_time": 8}')
    try:
        check_bounds(text.encode("utf-8", "replace"), "that", DEEPEST)
        read = json.loads(text, parse_constant=_no_constant, parse_int=_whole, object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        raise DebuggerError(
            f"not JSON at column {error.pos + 1}: {error.msg[:1].lower()}{error.msg[1:]}"
        ) from None
    except RecursionError:
        raise DebuggerError("nested too deeply") from None
    if not isinstance(read, dict):
        raise DebuggerError('enter an object, such as {"start_time": 8}')
    made: dict[str, Any] = without_surrogates(read)
    return made


def _no_constant(name: str) -> NoReturn:
    raise DebuggerError(f"{name} is not a JSON number")


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > LONGEST_NUMBER:
        raise DebuggerError(f"a number of more than {LONGEST_NUMBER:,} digits")
    return int(digits)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise DebuggerError(
            f"{shown(first_duplicate(name for name, _ in pairs))} occurs twice; leave one out"
        )
    return made
