"""Stores whose ids come in a text, in JSON in a text, or in a list, and whose delete deletes nothing."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

_NUMBERS = itertools.count(1)
_KEPT: dict[str, dict[str, str]] = {"plain": {}, "said": {}, "json": {}, "list": {}}


def _keep(store: str, text: str) -> str:
    name = f"n{next(_NUMBERS)}"
    _KEPT[store][name] = text
    return name


def _tools(store: str, answer: Callable[[str], Any], deletes: bool) -> list[Callable[..., Any]]:
    def create_note(text: str) -> Any:
        """Keep a note. The answer has its id."""
        return answer(_keep(store, text))

    def get_note(note_id: str) -> str:
        """Read a note."""
        return _KEPT[store][note_id]

    def delete_note(note_id: str) -> str:
        """Delete a note."""
        if note_id not in _KEPT[store]:
            raise ValueError("no such note")
        if deletes:
            del _KEPT[store][note_id]
        return "deleted"

    def list_notes() -> list[str]:
        """List the ids of all notes."""
        return list(_KEPT[store])

    return [create_note, get_note, delete_note, *([list_notes] if store == "list" else [])]


PLAIN = _tools("plain", lambda name: name, False)
SAID = _tools("said", lambda name: f"Your note was saved as {name}, thank you.", False)
JSON = _tools("json", lambda name: json.dumps({"note": {"id": name, "size": 3}}), False)
LIST = _tools("list", lambda name: "saved", False)
GONE = _tools("plain", lambda name: name, True)
"""The same with a delete that deletes."""


_PAGES: dict[str, str] = {}


def create_page(text: str) -> str:
    """Make a page. The answer has its id."""
    _PAGES[f"p{len(_PAGES) + 1}"] = text
    return f"made p{len(_PAGES)}"


def update_page(page_id: str, text: str) -> str:
    """Change a page."""
    if page_id not in _PAGES:
        return "no such page"
    _PAGES[page_id] = text[:30]
    return "changed"


def get_page(page_id: str) -> str:
    """Read a page."""
    return _PAGES.get(page_id, "no such page")


CUTS: list[Callable[..., Any]] = [create_page, update_page, get_page]
