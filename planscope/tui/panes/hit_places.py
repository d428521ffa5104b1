"""Maps a search hit in a document to the text that a pane shows."""

from __future__ import annotations

from planscope.debugger.search import Document, Haystack, Hit, Kind
from planscope.language.problem import Span


def place_in(text: str, hit: Hit) -> Span | None:
    """Find the words of a hit in a shown text, nearest to the hit's position; None if they do not occur."""
    wanted = hit.document.text[slice(*hit.span)]
    places = [found.span for found in Haystack([Document(hit.document.kind, text)]).find(wanted).hits]
    return min(places, key=lambda span: abs(span[0] - hit.span[0]), default=None)


def hit_of_step(hit: Hit | None, index: int, kind: Kind | None) -> Hit | None:
    """Return the search hit if it is in this part of this step, or None."""
    return hit if hit is not None and (hit.document.index, hit.document.kind) == (index, kind) else None
