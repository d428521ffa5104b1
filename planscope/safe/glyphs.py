"""Turns untrusted text into visible glyphs, and maps offsets from one to the other."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate

from planscope.frozen import frozen

TAB = "    "
MAX_MARKS = 4
"""The limit for combining marks on one character (pointed Hebrew and Vietnamese need no more)."""

ELLIPSIS = "…"
_UNSHOWABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Mc", "Me"})
_MARK = ""  # stands for "a combining mark" in the table below
_MODIFIABLE = frozenset({0x261D, 0x26F9, *range(0x270A, 0x270E)})


def _invisible(code: int) -> bool:
    """Return whether a code point is invisible although its category is letter, symbol or mark."""
    return (
        0xFE00 <= code <= 0xFE0F  # variation selectors
        or 0xE0100 <= code <= 0xE01EF
        or 0x180B <= code <= 0x180F
        or code in (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)  # joiner, fillers, blank
        or 0x1F3FB <= code <= 0x1F3FF  # skin tones, which are displayed only after an emoji
    )


def _joins(code: int) -> bool:
    """Return whether a code point is a Hangul vowel or final, which takes no cell after its consonant."""
    return 0x1161 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF


def _named(code: int) -> str:
    return f"⟨U+{code:04X}⟩"


class _Glyphs(dict[str, str]):
    """Maps each code point to its glyph, and combining marks to ``_MARK``; computed at the first lookup."""

    def __missing__(self, char: str) -> str:
        code = ord(char)
        category = unicodedata.category(char)
        if code < 0x20:
            glyph = TAB if char == "\t" else chr(0x2400 + code)
        elif code == 0x7F:
            glyph = "␡"
        elif category in _UNSHOWABLE or _invisible(code):
            glyph = _named(code)
        elif category in _MARKS or _joins(code):
            glyph = _MARK
        elif category == "Zs" and code != 0x3000:
            glyph = " "
        else:
            glyph = char
        if len(self) < 50_000:
            self[char] = glyph
        return glyph


_GLYPHS = _Glyphs()


def is_mark(char: str) -> bool:
    """Return whether a code point combines with the previous one and takes no cell."""
    return _GLYPHS[char] == _MARK


def _pieces(s: str, limit: int | None, keep_newlines: bool) -> list[str]:
    """Return the glyph of each code point; with a limit, only until the limit is exceeded."""
    glyphs = _GLYPHS
    pieces: list[str] = []
    room = len(s) * 20 + 1 if limit is None else limit
    base, marks = "", 0  # base: the character that a combining mark would join
    size = len(s)
    i = 0
    while i < size and room >= 0:
        char = s[i]
        glyph = glyphs[char]
        i += 1
        if glyph == _MARK:
            marks += 1
            if marks > MAX_MARKS:
                end = i
                while end < size and glyphs[s[end]] == _MARK:
                    end += 1
                glyph = f"⟨+{end - i + 1} marks⟩"
                pieces.append(glyph)
                pieces.extend([""] * (end - i))
                room -= len(glyph)
                i, base, marks = end, "", 0
                continue
            glyph = char if base else "◌" + char
            base = base or "◌"
        elif glyph != char:
            if keep_newlines and char == "\n":
                glyph = "\n"
            elif keep_newlines and char == "\r" and i < size and s[i] == "\n":
                glyph = ""
            elif char in "\ufe0e\ufe0f" and marks == 0 and _takes_look(base, s, i):
                # variation selectors: terminals disagree on the width of the emoji that they make
                pieces.append("")
                continue
            elif "\U0001f3fb" <= char <= "\U0001f3ff" and marks == 0 and _takes_tone(base):
                glyph = char
            base, marks = (char if glyph == char else ""), 0
        else:
            base, marks = ("" if char == " " else char), 0
        pieces.append(glyph)
        room -= len(glyph)
    return pieces


def _takes_look(base: str, s: str, after: int) -> bool:
    if not base:
        return False
    keycap = base in "0123456789#*" and s[after : after + 1] == "\u20e3"
    return keycap or unicodedata.category(base) == "So"


def _takes_tone(base: str) -> bool:
    return bool(base) and (0x1F385 <= ord(base) <= 0x1FAFF or ord(base) in _MODIFIABLE)


@frozen
class Shown:
    """A text, how it is displayed, and the mapping from offsets in the original to offsets in ``text``.

    ``starts[i]`` is the offset in ``text`` of the original's code point ``i``; ``starts`` is None if all offsets are
    equal. ``left_out`` is the number of the original's code points that a limit cut off.
    """

    original: str
    text: str
    starts: tuple[int, ...] | None = None
    left_out: int = 0

    def at(self, offset: int) -> int:
        """Return the offset in ``text`` of an offset in the original. It is monotone, and clamped at both ends."""
        kept = len(self.original) - self.left_out
        offset = min(max(offset, 0), kept)
        return offset if self.starts is None else self.starts[offset]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Convert a half-open range of the original to a range of ``text``."""
        return self.at(start), self.at(end)

    def part(self, start: int, end: int) -> str:
        """Return the displayed text of a range of the original."""
        return self.text[self.at(start) : self.at(end)]


def show(s: str, *, limit: int | None = None, keep_newlines: bool = False) -> Shown:
    """Return the text of ``visible``, with the mapping of offsets."""
    head = s if limit is None else s[: limit + 1]
    if head.isascii() and head.isprintable():
        if len(head) == len(s) and (limit is None or len(s) <= limit):
            return Shown(s, s)
        kept, note = _cut(range(len(head) + 1), len(s), limit or 0)
        return Shown(s, s[:kept] + note, None, len(s) - kept)
    pieces = _pieces(s, limit, keep_newlines)
    places = tuple(accumulate(map(len, pieces), initial=0))
    even = places[-1] == len(pieces) and all(map(len, pieces))
    starts = None if even else places
    if len(pieces) == len(s) and (limit is None or places[-1] <= limit):
        return Shown(s, "".join(pieces), starts)
    kept, note = _cut(places, len(s), limit or 0)
    return Shown(s, "".join(pieces[:kept]) + note, starts and starts[: kept + 1], len(s) - kept)


_COUNTED = 100
"""A text that is cut to fewer code points is a name, which needs them all: the rest is not counted."""


def _cut(starts: Sequence[int], size: int, limit: int) -> tuple[int, str]:
    """Return how many code points stay, and a note that counts the others; together at most ``limit`` long."""
    for kept in range(min(len(starts) - 1, size), -1, -1):
        note = ELLIPSIS if limit < _COUNTED else f"{ELLIPSIS} ({size - kept} more)"
        if starts[kept] + len(note) <= limit:
            return kept, note
    return 0, ELLIPSIS[: max(limit, 0)]


def visible(s: str, *, limit: int | None = None, keep_newlines: bool = False) -> str:
    """Return the text with visible glyphs for invisible characters and for those that control a terminal.

    A tab becomes four spaces, any other blank one space. A line end becomes a glyph, or stays with ``keep_newlines``.
    The result has at most ``limit`` code points; if the text is cut, it ends in an ellipsis, and a long
    text says how many were left out. Idempotent.
    """
    return show(s, limit=limit, keep_newlines=keep_newlines).text


def without_controls(s: str) -> str:
    """Replace only lone surrogates, and control characters other than newline and tab, by visible glyphs.

    For the clipboard, which needs the text itself: pasting it cannot control a terminal. CR LF becomes a newline.
    Idempotent.
    """
    if s.isprintable():
        return s
    return "".join(
        _GLYPHS[char] if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs") else char
        for char in s.replace("\r\n", "\n")
    )
