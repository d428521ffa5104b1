"""Typing in a draft: caret, selection, and one undo history for text and actions. Each key is a pure function.

Offsets are code points of the text. A caret is never before a combining mark, unless a paste left it there.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from planscope.debugger.draft import Draft, DraftError
from planscope.frozen import frozen
from planscope.language.problem import Span
from planscope.safe.glyphs import is_mark
from planscope.session.json_bytes import plain_text

Kind = Literal["", "type", "back", "other"]
"""The kind of a change. Keys typed in a row are one undo step, and so are backspaces."""

MOST_STEPS = 1_000
MOST_KEPT = 20_000_000
"""Limits of the undo history: steps, and code points of their texts together."""

_GROUP = 24
"""How many backspaces make one undo step."""

_WORD = re.compile(r"\w+|[^\w\s]+")


@frozen
class Edited:
    """A draft with the caret and the place where the selection began (None: nothing is selected)."""

    draft: Draft
    at: int = 0
    anchor: int | None = None

    @property
    def text(self) -> str:
        return self.draft.text

    @property
    def selection(self) -> Span:
        """The selected range; empty, at the caret, if nothing is selected."""
        other = self.at if self.anchor is None else self.anchor
        return (min(self.at, other), max(self.at, other))

    @property
    def selected(self) -> str:
        return self.text[slice(*self.selection)]


@frozen
class History:
    """The undo history: past states, the present, and undone states (the next to redo is last). ``kind``: of the
    last change."""

    now: Edited
    past: tuple[Edited, ...] = ()
    future: tuple[Edited, ...] = ()
    kind: Kind = ""
    count: int = 0
    """The number of changes that the last step holds."""


# Keys that change the text


def put(edited: Edited, text: str) -> Edited:
    """Type or paste over the selection. Raises :class:`DraftError` if the text would be too long."""
    text = plain_text(text)
    start, end = edited.selection
    if len(edited.text) - (end - start) + len(text) > edited.draft.longest:
        raise DraftError(f"a query has at most {edited.draft.longest:,} characters")
    return cut_out(edited, start, end, text)


def cut_out(edited: Edited, start: int, end: int, instead: str = "") -> Edited:
    """Replace a range of the text. The caret moves behind the replacement."""
    text = edited.text[:start] + instead + edited.text[end:]
    return Edited(replace(edited.draft, text=text), start + len(instead))


def backspace(edited: Edited) -> Edited:
    """Delete one code point, so that a wrong accent can be removed alone."""
    start, end = edited.selection
    return cut_out(edited, max(start - 1, 0) if start == end else start, end)


def delete(edited: Edited) -> Edited:
    start, end = edited.selection
    return cut_out(edited, start, _after(edited.text, end) if start == end else end)


def backspace_word(edited: Edited) -> Edited:
    start, end = edited.selection
    return cut_out(edited, _word_before(edited.text, start) if start == end else start, end)


def delete_word(edited: Edited) -> Edited:
    start, end = edited.selection
    return cut_out(edited, start, _word_after(edited.text, end) if start == end else end)


# Keys that move


def go(edited: Edited, at: int, *, select: bool = False) -> Edited:
    at = min(max(at, 0), len(edited.text))
    if not select:
        return replace(edited, at=at, anchor=None)
    anchor = edited.at if edited.anchor is None else edited.anchor
    return replace(edited, at=at, anchor=None if at == anchor else anchor)


def left(edited: Edited, *, select: bool = False) -> Edited:
    if not select and edited.anchor is not None:
        return go(edited, edited.selection[0])
    return go(edited, _before(edited.text, edited.at), select=select)


def right(edited: Edited, *, select: bool = False) -> Edited:
    if not select and edited.anchor is not None:
        return go(edited, edited.selection[1])
    return go(edited, _after(edited.text, edited.at), select=select)


def word_left(edited: Edited, *, select: bool = False) -> Edited:
    return go(edited, _word_before(edited.text, edited.at), select=select)


def word_right(edited: Edited, *, select: bool = False) -> Edited:
    return go(edited, _word_after(edited.text, edited.at), select=select)


def select_word(edited: Edited, at: int) -> Edited:
    """Select the word or the marks at a place, as a double click does."""
    begin = max(at - 200, 0)
    for found in _WORD.finditer(edited.text, begin, min(at + 200, len(edited.text))):
        if found.start() <= at < found.end():
            return replace(edited, at=found.end(), anchor=found.start())
    return go(edited, at)


def _before(text: str, at: int) -> int:
    at -= 1
    while at > 0 and is_mark(text[at]):
        at -= 1
    return max(at, 0)


def _after(text: str, at: int) -> int:
    at += 1
    while at < len(text) and is_mark(text[at]):
        at += 1
    return min(at, len(text))


def _word_before(text: str, at: int) -> int:
    while at > 0 and text[at - 1].isspace():
        at -= 1
    word = at > 0 and text[at - 1].isalnum()
    while at > 0 and not text[at - 1].isspace() and text[at - 1].isalnum() == word:
        at -= 1
    return at


def _word_after(text: str, at: int) -> int:
    word = at < len(text) and text[at].isalnum()
    while at < len(text) and not text[at].isspace() and text[at].isalnum() == word:
        at += 1
    while at < len(text) and text[at].isspace():
        at += 1
    return at


# History


def record(history: History, edited: Edited, kind: Kind = "other") -> History:
    """Record a new state. Moving the caret is no undo step, but it ends a group of typed keys."""
    now = history.now
    if edited.draft == now.draft:
        return replace(history, now=edited, kind="")
    goes_on = bool(kind) and kind == history.kind and now.anchor is None and history.past != ()
    if goes_on and kind == "type":
        typed = edited.text[now.at : edited.at]
        goes_on = len(typed) == 1 and (typed.isspace() or not edited.text[now.at - 1 : now.at].isspace())
    elif goes_on:
        goes_on = kind == "back" and history.count < _GROUP
    if goes_on:
        return History(edited, history.past, (), kind, history.count + 1)
    past = (*history.past, now)[-MOST_STEPS:]
    most = MOST_KEPT // max(len(edited.text), len(now.text), 1)
    return History(edited, past[-max(most, 1) :], (), kind, 1)


def undo(history: History) -> History:
    """Undo the last step, if there is one."""
    if not history.past:
        return history
    return History(history.past[-1], history.past[:-1], (*history.future, history.now))


def redo(history: History) -> History:
    if not history.future:
        return history
    return History(history.future[-1], (*history.past, history.now), history.future[:-1])
