"""The readings of a text: as it is written, and as a terminal, a browser or a parser shows it, with"
" places mapped back."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from planscope.sharing.redact.hits import FILLER, Match, Span

_ROUNDS = 3
"""Limit of layers, such as HTML that was escaped twice."""


class Reading(NamedTuple):
    """``text`` is read at ``starts`` and ``ends``: a character between two of ``reads`` is as it was written.

    The piece ``reads[n]`` stands for the written range ``starts[n]`` to ``ends[n]``, in the reading ``under`` this one.
    """

    text: str
    reads: tuple[Span, ...] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    under: Reading | None = None

    def written(self, start: int, end: int) -> Span:
        """Return where a range of the reading (not empty) stands in the written text."""
        if self.under is None:
            return start, end
        return self.under.written(self._back(start, self.starts, 0), self._back(end - 1, self.ends, 1))

    def _back(self, place: int, places: tuple[int, ...], after: int) -> int:
        n = bisect_right(self.reads, (place, len(self.text) + 1)) - 1
        if n < 0:
            return place + after
        if place < self.reads[n][1]:
            return places[n]
        return self.ends[n] + place - self.reads[n][1] + after


def readings(text: str) -> Iterator[Reading]:
    """Yield the text as a terminal or a browser shows it, and again with code points, with percent signs and with the
    line ends of a string of JSON decoded, where that differs."""
    reading = _undone(Reading(text), _SHOWN, _MAY_SHOW, _show)
    yield reading
    for shape, needs, undo in (
        (_POINTS, _MAY_POINT, _point),
        (_PERCENT, _MAY_QUOTE, _unquote),
        (_BREAKS, _BREAKS, _break),
    ):
        before = reading
        reading = _undone(before, shape, needs, undo)
        if reading is not before:
            yield reading


def _undone(
    reading: Reading, shape: re.Pattern[str], needs: re.Pattern[str], undo: Callable[[Match], str]
) -> Reading:
    """Replace each match by what it stands for, until nothing changes. ``needs`` says quickly that there is none."""
    for _ in range(_ROUNDS):
        again = _once(reading, shape, undo) if needs.search(reading.text) else reading
        if again is reading:
            break
        reading = again
    return reading


def _once(under: Reading, shape: re.Pattern[str], undo: Callable[[Match], str]) -> Reading:
    parts: list[str] = []
    reads: list[Span] = []
    starts: list[int] = []
    ends: list[int] = []
    at = size = 0
    for match in shape.finditer(under.text):
        plain = undo(match)
        if plain == match[0]:
            continue
        size += match.start() - at
        parts += [under.text[at : match.start()], plain]
        reads.append((size, size + len(plain)))
        size += len(plain)
        starts.append(match.start())
        at = match.end()
        ends.append(at)
    if not parts:
        return under
    return Reading("".join([*parts, under.text[at:]]), tuple(reads), tuple(starts), tuple(ends), under)


_ESC = r"(?:\x1b|\\{1,4}(?:u001[bB]|x1[bB]|033(?=\[)|e(?=\[)))"
_SHOWN = re.compile(
    # commands of a terminal: colours, the cursor; titles and links begin and end with one
    rf"{_ESC}(?:\[[0-9;:?<=>]{{0,40}}[ -/]{{0,2}}[@-~]|(?P<title>\][0-9]{{1,4}};[^;\s\x1b\\]{{0,40}}?;?"
    rf"|\\{{1,4}})|[()][A-Z0-9]|[=>78cDEHM])"
    r"|\x9b[0-9;:?]{0,40}[@-~]|(?P<bell>\x07)"
    # characters of no width, and a character that another is typed over
    "|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|[^\n\\\\]\x08"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"
)
_MAY_SHOW = re.compile(
    "[\x07\x08\x1b\x9b\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|&(?:#|[A-Za-z]{2,8};)|\\\\(?:u001[bB]|x1[bB]|033|e\\[)"
)
_POINTS = re.compile(
    r"\\+u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\+u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\+(?:u(?P<code>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{2}))"
)
_MAY_POINT = re.compile(r"\\[ux][0-9a-fA-F]")
_PERCENT = re.compile(r"%[0-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f])+")
_MAY_QUOTE = re.compile(r"%[2-7][0-9A-Fa-f]")


_BREAKS = re.compile(r"\\{1,4}[nt/]")


def _break(match: Match) -> str:
    return {"n": "\n", "t": "\t"}.get(match[0][-1], "/")


def _show(match: Match) -> str:
    if match[0][0] == "&":
        return html.unescape(match[0])
    return " " if match["title"] or match["bell"] else ""


def _point(match: Match) -> str:
    if match["high"]:
        return bytes.fromhex(match["high"] + match["low"]).decode("utf-16-be")
    value = int(match["code"] or match["byte"], 16)
    return "\ufffd" if 0xD800 <= value < 0xE000 or value == ord(FILLER) else chr(value)


def _unquote(match: Match) -> str:
    return unquote(match[0], errors="replace").replace(FILLER, "\ufffd")
