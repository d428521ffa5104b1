"""Reads JSON piece by piece from a stream of any length: lines, elements of arrays, members of objects.

Only one value of at most ``LONGEST`` characters is held in memory. The values themselves are decoded by ``json``, which
is several times as fast as a parser of events.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import IO

from planscope.session.json_bytes import without_surrogates
from planscope.wording.phrases import file_size

LONGEST = 64 * 2**20
"""The limit for one record, in characters (lines: bytes)."""
DEEPEST = 200
"""The limit for nested lists and objects in the part of a cut record that is saved."""
_PIECE = 256 * 1024
_SPACE = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+|"', re.DOTALL)
_NEAR_END = 16
"""If the end of the buffer cuts a value, decoding fails this close to the end, or in a string."""
_DECODER = json.JSONDecoder(strict=False)
decode, _decode_all = _DECODER.raw_decode, _DECODER.decode


class Broken(Exception):
    """The data end in the middle (``cut``) or are not JSON.

    ``where``: for example ``line 7``; ``rest``: the text from the value on that cannot be read.
    """

    def __init__(self, why: str, where: str, rest: str = "", *, cut: bool = True) -> None:
        super().__init__(f"{why} ({where})")
        self.why, self.where, self.rest, self.cut = why, where, rest, cut

    @property
    def text(self) -> str:
        """Where and why, in one line."""
        return f"{self.where}: {self.why}"


def parsed(text: str) -> object:
    """Decode one JSON value, with U+FFFD for lone surrogates. Raises ValueError, also for deep nesting."""
    try:
        try:
            value, end = decode(text)
            if end != len(text) and not text[end:].isspace():
                value = _decode_all(text)  # raises, and says where
        except ValueError:
            if not text[:1].isspace():
                raise
            value = _decode_all(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return clean(value, text) if "\\u" in text else value


def clean(value: object, text: str) -> object:
    """Return the value that was decoded from ``text``, without lone surrogates. Raises ValueError for deep nesting."""
    if "\\ud" not in text and "\\uD" not in text:
        return value
    try:
        return without_surrogates(value)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def reason_of(error: ValueError) -> str:
    """Say in a few words why JSON cannot be read."""
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON at column {error.pos + 1:,}: {error.msg}"
    return str(error)


def damage_in(stream: object) -> Broken | None:
    """Return what ended a stream of unpacked bytes before its time."""
    found = getattr(getattr(stream, "raw", None), "damage", None)
    return found if isinstance(found, Broken) else None


class Lines:
    """The lines of a stream, with numbers from 1. A line that is too long ends the file."""

    def __init__(self, stream: IO[bytes], longest: int = LONGEST) -> None:
        self.stream, self.longest = stream, longest
        self.number = 0

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Yield every line that is not blank. Raises Broken."""
        read, longest = self.stream.readline, self.longest
        while True:
            line = read(longest + 1)
            if not line:
                damage = damage_in(self.stream)
                if damage is not None:
                    raise damage
                return
            self.number += 1
            if len(line) > longest:
                raise Broken(
                    f"a line is longer than {file_size(longest)}", f"line {self.number:,}", cut=False
                )
            if not line.isspace():
                yield self.number, line


class JsonStream:
    """Reads one or more JSON values in a row, piece by piece."""

    def __init__(
        self, stream: IO[bytes], longest: int = LONGEST, heard: Callable[[object, object], None] | None = None
    ) -> None:
        self._stream, self._read = stream, stream.read
        self._longest = longest
        self.heard = heard
        """Receives each value that is read or skipped, and its place."""
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text = ""
        self._at = 0
        self._line = 1
        self._column = 0
        """The number of characters of the line that stand before the text."""
        self._ended = False

    def documents(self) -> Iterator[Cursor]:
        """Yield a cursor for each value of the stream. Raises Broken for data that are not JSON."""
        while self.peek():
            cursor = Cursor(self, "" if not self._at and self._line == 1 else self.where)
            yield cursor
            cursor.skip()
            if self.peek() == ",":  # some logs put commas between their lines
                self.step()
        damage = damage_in(self._stream)
        if damage is not None:
            raise damage

    @property
    def where(self) -> str:
        """The line of the next character, for messages."""
        return f"line {self._line + self._text.count(chr(10), 0, self._at):,}"

    @property
    def place(self) -> str:
        """Its line and its column."""
        begin = self._text.rfind("\n", 0, self._at)
        column = self._at - begin if begin >= 0 else self._column + self._at + 1
        return f"{self.where}, column {column:,}"

    def peek(self) -> str:
        """Return the next character that is not blank; empty at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found is not None else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def step(self) -> None:
        self._at += 1

    def expect(self, letters: str) -> str:
        """Step over one of these letters and return it. Raises Broken."""
        found = self.peek()
        if not found or found not in letters:
            raise self.broken(f"found {found!r} where {' or '.join(letters)} was expected" if found else "")
        self._at += 1
        return found

    def broken(self, why: str = "") -> Broken:
        """Return the error at this place. Without ``why``, the data end here."""
        rest = self._text[self._at :]
        damage = damage_in(self._stream) if not why else None
        if damage is not None:
            return Broken(damage.why, damage.where, rest)
        where = self.place if why else self.where
        return Broken(why or "the data end in the middle", where, rest, cut=not why)

    def value(self) -> object:
        """Decode the next value, however many pieces it takes. Raises Broken."""
        if not self.peek():
            raise self.broken()
        while True:
            try:
                value, end = decode(self._text, self._at)
                if end < len(self._text) or self._ended or self._text[end - 1] in '"]}':
                    value = clean(value, self._text[self._at : end])
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                near = error.pos >= len(self._text) - _NEAR_END or error.msg.startswith("Unterminated")
                if not near or (self._ended and not self._is_cut(error)):
                    raise self.broken(f"it is not JSON: {error.msg}") from None
            except RecursionError:
                raise self.broken("it is nested too deeply") from None
            except ValueError as error:
                raise self.broken(str(error)) from None
            if len(self._text) - self._at > self._longest:
                raise self.broken(f"a record is longer than {file_size(self._longest)}")
            if not self._more():
                raise self.broken()

    def _is_cut(self, error: json.JSONDecodeError) -> bool:
        return error.pos >= len(self._text.rstrip()) - 6 or error.msg.startswith("Unterminated")

    def _more(self) -> bool:
        """Read on, each time as much as is left, so that a long value is decoded only a few times."""
        if self._ended:
            return False
        self._line += self._text.count("\n", 0, self._at)
        begin = self._text.rfind("\n", 0, self._at)
        self._column = self._at - begin - 1 if begin >= 0 else self._column + self._at
        self._text = self._text[self._at :]
        self._at = 0
        piece = self._read(max(_PIECE, len(self._text)))
        self._ended = not piece
        self._text += self._decoder.decode(piece, final=not piece)
        return bool(piece) or bool(self._text)


class Cursor:
    """A value that has not been read yet. It can be read once: whole, by elements, or by members."""

    __slots__ = ("_done", "_stream", "kind", "link")

    def __init__(self, stream: JsonStream, link: object = "") -> None:
        self._stream = stream
        self.link = link
        """Its place: that of the value around it and its own key, or text."""
        self._done = False
        self.kind = stream.peek()
        """The first character: ``[``, ``{``, ``"`` or that of a number or word."""

    @property
    def where(self) -> str:
        return self._stream.where

    def value(self) -> object:
        """Return the whole value. Raises Broken."""
        self._done = True
        value = self._stream.value()
        if self._stream.heard is not None:
            self._stream.heard(value, self.link)
        return value

    def skip(self) -> None:
        """Step over the value if nobody has read it."""
        if not self._done:
            self.value()

    def elements(self) -> Iterator[Cursor]:
        """Yield the elements of an array. Raises Broken, also for other values."""
        self._done = True
        stream = self._stream
        stream.expect("[")
        if stream.peek() == "]":
            stream.step()
            return
        for k in count():
            if not stream.peek():
                raise stream.broken()
            cursor = Cursor(stream, (self.link, k))
            yield cursor
            cursor.skip()
            if stream.expect(",]") == "]":
                return
            if stream.peek() == "]":
                raise stream.broken("there is a comma before the closing bracket")

    def members(self) -> Iterator[tuple[str, Cursor]]:
        """Yield the members of an object. Raises Broken, also for other values."""
        self._done = True
        stream = self._stream
        stream.expect("{")
        if stream.peek() == "}":
            stream.step()
            return
        while True:
            if stream.peek() != '"':
                found = stream.peek()
                why = "there is a comma before the closing bracket" if found == "}" else "a key is missing"
                raise stream.broken(why if found else "")
            key = str(stream.value())
            stream.expect(":")
            if not stream.peek():
                raise stream.broken()
            cursor = Cursor(stream, (self.link, key))
            yield key, cursor
            cursor.skip()
            if stream.expect(",}") == "}":
                return


def salvaged(text: str, *, partial_elements: bool = False) -> object:
    """Return the complete parts of a JSON text that was cut off, or None if there are none.

    A list keeps its complete elements, an object its complete members and those that are lists or objects themselves.
    ``partial_elements``: keep also the beginning of an element that was cut.
    """
    stack: list[_Open] = []
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token == '"':  # a string that was cut
            break
        if token[0] in "[{":
            stack.append(_Open(token, found.end()))
            if len(stack) > DEEPEST:
                return None
        elif not stack:
            return _loaded(token)
        elif token[0] in "]}":
            stack.pop()
            if not stack:
                return _loaded(text[: found.end()])
            stack[-1].whole = found.end()
        else:
            stack[-1].take(token, found.end(), cut=found.end() >= len(text))
    if not partial_elements:  # an element that was cut goes, with all that is in it
        lists = [k for k, one in enumerate(stack[:-1], 1) if one.letter == "["]
        del stack[lists[0] if lists else len(stack) :]
    if not stack:
        return None
    closing = "".join("]" if one.letter == "[" else "}" for one in reversed(stack))
    return _loaded(text[: stack[-1].whole] + closing)


@dataclass
class _Open:
    """A list or an object that was not closed. ``whole``: the end of what is whole in it."""

    letter: str
    whole: int
    waits: bool = True
    """Whether a key is next."""

    def take(self, token: str, end: int, *, cut: bool) -> None:
        if token in ":,":
            self.waits = token == ","
        elif not cut and (self.letter == "[" or not self.waits):
            self.whole = end


def _loaded(text: str) -> object:
    try:
        return parsed(text)
    except ValueError:
        return None
