"""Tools to try the fuzzer on: ``planscope fuzz planscope.toolfuzz.examples:map_search``."""

from __future__ import annotations

from collections.abc import Callable

_KINDS = ("supermarket", "coffee shop", "library", "office")
_NOTES: dict[str, str] = {}


def map_search(query: str) -> dict[str, str]:
    """Search a map. The queries must start with 'query: '; an example is 'query: libraries in San Francisco'.

    The tool of Figure 3 of the ToolFuzz paper, without the network.
    """
    assert len(query) < 100, "Query is too long. Query must be less than 100 characters"
    searched = query.split("query: ")[1]
    if any(kind in searched for kind in _KINDS):
        return {"searched": "buildings", "query": searched}
    return {"searched": "nature", "query": searched}


def set_note(title: str, text: str) -> str:
    """Keep a note under a title."""
    _NOTES[title] = text
    return "success"


def get_note(title: str) -> str | None:
    """Read the note with a title."""
    return _NOTES.get(title)


def tools() -> list[Callable[..., object]]:
    """Return all of them."""
    return [map_search, set_note, get_note]
