"""JSON of session files: checked against limits before it is parsed, and written so that parsing gives an equal value.

The module imports little, since the first frame needs it.
"""

from __future__ import annotations

import gc
import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from planscope.session.files import LARGEST as LARGEST
from planscope.session.files import SessionError, TooLarge, size_words

Obj = dict[str, object]
"""A JSON object."""


DEEPEST = 200
"""The limit for the depth of nested lists and objects."""
WIDEST = 128 * 1024 * 1024
"""The limit for a file's text in memory, in bytes. One rare letter makes Python store all letters in two or four
bytes."""
MOST_VALUES = 4_000_000
"""The limit for values in a file: each takes about a hundred bytes in memory, however short it is on the disk."""
LONGEST_STRING = 8 * 1024 * 1024
"""The limit for one string in a file, in bytes. It is checked in pieces of an eighth, so a slightly longer one
may pass."""
LONGEST_NUMBER = 1000
"""The limit for digits of an integer: Python refuses to print more than 4,300."""
_LONG_NUMBER = b"0" * (LONGEST_NUMBER + 1)
_DIGITS_ALIKE = bytes(ord("0") if chr(i).isdigit() and i < 0x80 else i for i in range(256))
_FOUR_WIDE, _TWO_WIDE = re.compile(rb"[\xf0-\xf4]"), re.compile(rb"[\xc4-\xef]")
_CONTINUATION = bytes(range(0x80, 0xC0))
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NO_STRUCTURE = bytes(set(range(256)) - set(b'[]{},"'))
_PIECE = 1024 * 1024
_UNUSUAL = re.compile("[^\\x00-\\x7e]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(data: bytes, name: str, *, deepest: int = DEEPEST) -> Any:
    """Return the value of a JSON text. ``name`` is its source, for errors.

    Raises :class:`SessionError` if the text is not JSON, takes too much memory, is nested too deeply, has the same key
    twice in one object, or has a number that cannot be printed.
    """
    try:
        check_bounds(data, name, deepest)
        if _width(data) > WIDEST:
            raise SessionError(
                f"{name} takes more than {size_words(WIDEST)} of memory; no session needs as much"
            )
        with without_collection():
            document = json.loads(
                data.decode("utf-8-sig"),
                parse_constant=_no_constant,
                parse_int=_whole if _may_hold_long_number(data) else None,
                object_pairs_hook=_each_once,
            )
        return without_surrogates(document) if b"\\ud" in data or b"\\uD" in data else document
    except UnicodeDecodeError as error:
        raise SessionError(f"{name} is not UTF-8 text (byte {error.start}); is it a session file?") from None
    except json.JSONDecodeError as error:
        if not data.strip():
            raise SessionError(f"{name} is empty; is it a session file?") from None
        where = f"line {error.lineno}, column {error.colno}"
        ended = error.pos >= len(error.doc.rstrip()) - 1 and "Extra data" not in error.msg
        if ended or "Unterminated" in error.msg:
            raise SessionError(f"{name} ends in the middle ({where}); it was cut off, get it again") from None
        raise SessionError(f"{name} is not JSON ({where}: {error.msg}); is it a session file?") from None
    except RecursionError:
        raise SessionError(f"{name} is nested too deeply to be a session") from None
    except ValueError as error:
        raise SessionError(f"{name} cannot be read: {error}") from None


def _may_hold_long_number(data: bytes) -> bool:
    """Return whether there are too many digits in a row, perhaps in a string. This is ten times as fast as a regex."""
    return _LONG_NUMBER in data.translate(_DIGITS_ALIKE)


@contextmanager
def without_collection() -> Iterator[None]:
    """Pause garbage collection while many objects are made that form no cycles.

    Otherwise Python examines all of them again and again, which takes three quarters of the time of a large session.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _width(data: bytes) -> int:
    """Return the bytes that decoded UTF-8 text takes in memory."""
    if data.isascii():
        return len(data)
    letters = len(data.translate(None, _CONTINUATION))
    return letters * (4 if _FOUR_WIDE.search(data) else 2 if _TWO_WIDE.search(data) else 1)


def check_bounds(data: bytes, name: str, deepest: int) -> None:
    """Check the number of values, the length of strings and the depth, without parsing.

    Raises SessionError, and RecursionError for the depth.
    """
    brackets = data.count(b"[") + data.count(b"{")
    if brackets <= deepest and brackets + data.count(b",") <= MOST_VALUES and len(data) <= LONGEST_STRING:
        return
    left = _structure(data, name).translate(_ONE_KIND, _NO_BRACKETS)
    for _ in range(deepest):  # each round removes the innermost brackets
        before = len(left)
        left = left.replace(b"[]", b"")
        if len(left) == before:
            return  # nothing is left, or it is not JSON
    if left:
        raise RecursionError


def _structure(data: bytes, name: str) -> bytes:
    """Return the brackets and commas of JSON outside strings. It works in pieces, since there may be many strings."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    found: list[bytes] = []
    values = inside = unbroken = 0
    for start in range(0, len(data), _PIECE):
        piece = data[start : start + _PIECE]
        # a pair of quotes in a row changes for no other sign whether it is in a string
        parts = piece.translate(None, _NO_STRUCTURE).replace(b'""', b"").split(b'"')
        found.append(b"".join(parts[inside::2]))
        unbroken = unbroken + 1 if inside and b'"' not in piece else 0
        inside ^= (len(parts) - 1) & 1
        values += sum(found[-1].count(one) for one in (b",", b"[", b"{"))
        if values > MOST_VALUES:
            raise TooLarge(f"{name} has more than {MOST_VALUES:,} values; no session has as many")
        if unbroken * _PIECE >= LONGEST_STRING:
            raise SessionError(
                f"{name} has a text of more than {size_words(LONGEST_STRING)}; no session does"
            )
    return b"".join(found)


def _whole(digits: str) -> int:
    count = len(digits.lstrip("-"))
    if count > LONGEST_NUMBER:
        raise ValueError(f"it has a number of {count:,} digits, more than {LONGEST_NUMBER:,}")
    return int(digits)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object. A duplicate key is an error, since programs disagree on which value counts."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError(f"it has {first_duplicate(name for name, _ in pairs)[:80]!r} twice in one object")
    return made


def first_duplicate(names: Iterable[str]) -> str:
    """Return the alphabetically first name that occurs more than once."""
    return next(a for a, b in pairwise(sorted(names)) if a == b)


def plain_text(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which UTF-8 cannot encode."""
    if text.isascii() or _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


MAX_DEPTH = 24
_MOST_BITS = int(LONGEST_NUMBER / math.log10(2))
_TOO_DEEP = "..."


def plain(value: object, deepest: int = MAX_DEPTH) -> Any:
    """Return the value with everything replaced that JSON or UTF-8 cannot express.

    Lone surrogates become U+FFFD; NaN and the infinities become their names; numbers too long for a session file become
    a text with their length; other objects become their text. What is nested deeper than ``deepest`` is left out.
    """
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a number of about {int(value.bit_length() * math.log10(2)):,} digits"
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        if not deepest:
            return _TOO_DEEP
        return {plain_text(str(k)): plain(v, deepest - 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v, deepest - 1) for v in value] if deepest else _TOO_DEEP
    return plain_text(str(value))


def without_surrogates(value: Any) -> Any:
    """Return the same JSON with :func:`plain_text` of every string and key."""
    if "\\ud" not in json.dumps(value):  # faster than checking each string
        return value
    return _without_surrogates(value)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, list):
        return [_without_surrogates(one) for one in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(one) for key, one in value.items()}
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON allows")


def json_text(document: Any, ascii_only: bool = False) -> str:
    """Return readable JSON, one line per field. Raises ValueError for NaN.

    Infinity is written as 1e999, which JSON parsers read as infinity. Invisible characters and those that control a
    terminal are escaped, so that any program can display a session file.
    """
    try:
        text = json.dumps(document, indent=1, ensure_ascii=ascii_only, allow_nan=False)
    except ValueError:
        import secrets

        token = secrets.token_hex()
        text = json.dumps(_marked(document, token), indent=1, ensure_ascii=ascii_only, allow_nan=False)
        text = text.replace(f'"-{token}"', "-1e999").replace(f'"{token}"', "1e999")
    return visible_json(text) + "\n"


def visible_json(text: str) -> str:
    """Return JSON with escapes for invisible characters and those that control a terminal."""
    return text if text.isascii() and "\x7f" not in text else _UNUSUAL.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    letters = found[0]
    if letters.isprintable():
        return letters
    return "".join(
        c if c.isprintable() else json.dumps(c)[1:-1] if c != "\x7f" else "\\u007f" for c in letters
    )


def _marked(value: Any, token: str) -> Any:
    if isinstance(value, float) and math.isinf(value):
        return token if value > 0 else f"-{token}"
    if isinstance(value, dict):
        return {key: _marked(one, token) for key, one in value.items()}
    return [_marked(one, token) for one in value] if isinstance(value, list) else value


def check_writable(data: bytes) -> None:
    """Raise SessionError, ValueError or RecursionError for JSON that :func:`parse_json` would refuse."""
    if len(data) > LARGEST:
        raise TooLarge(
            f"the session would be larger than {size_words(LARGEST)}, and could not be read again; begin a new one"
        )
    check_bounds(data, "the session", DEEPEST)
    if _may_hold_long_number(data):
        parse_json(data, "the session")
