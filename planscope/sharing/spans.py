"""Ranges of a text after parts of it were replaced by longer or shorter ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Span = tuple[int, int]


class Edit(NamedTuple):
    """A range of the old text, and the length of what stands there now."""

    start: int
    end: int
    length: int


def moved(span: Span, edits: Sequence[Edit]) -> Span:
    """The same words in the new text; a range that begins or ends inside an edit takes all of it."""
    return _moved(span[0], edits, False), _moved(span[1], edits, True)


def _moved(place: int, edits: Sequence[Edit], is_end: bool) -> int:
    shift = 0
    for edit in edits:
        if edit.end <= place:
            shift += edit.length - (edit.end - edit.start)
        elif edit.start < place:
            return edit.start + shift + (edit.length if is_end else 0)
        else:
            break
    return place + shift


def move(variant: dict[str, Any], edits: Sequence[Edit]) -> None:
    """Move the spans that a variant's JSON keeps of its text: in the tree and in the constraints."""
    query = variant.get("query")
    if isinstance(query, dict):
        _move_in(query.get("tree"), edits)
    _move_in(variant.get("constraints"), edits)


def _move_in(value: Any, edits: Sequence[Edit]) -> None:
    if isinstance(value, list):
        for one in value:
            _move_in(one, edits)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key == "span" and _is_span(one):
                value[key] = list(moved(tuple(one), edits))
            elif key == "spans" and isinstance(one, list):
                value[key] = [list(moved(tuple(s), edits)) if _is_span(s) else s for s in one]
            else:
                _move_in(one, edits)


def _is_span(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(n) is int for n in value)
