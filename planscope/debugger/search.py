"""Search in the texts of a run: the query, its constraints, calls, answers and thoughts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import Literal

from planscope.debugger.cursor import DebugState, go_to, select
from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import SelectedConstraint, SelectedWords
from planscope.frozen import frozen
from planscope.language.problem import Span
from planscope.oracle.trace import ToolCall

Kind = Literal["query", "constraint", "call", "answer", "thought"]

MAX_HITS = 10_000


@frozen
class Document:
    """One text to search. ``constraint`` is set for constraints, ``index`` (of the run) for texts of a step."""

    kind: Kind
    text: str
    index: int | None = None
    constraint: str | None = None


@frozen
class Hit:
    """A place where the text was found: the document, and a half-open range of its code points."""

    document: Document
    span: Span


@frozen
class Search:
    """The searched text and its hits. ``at`` is the index of the current hit (None: nothing was found)."""

    needle: str
    hits: tuple[Hit, ...]
    at: int | None

    @property
    def hit(self) -> Hit | None:
        return None if self.at is None else self.hits[self.at]


def call_text(call: ToolCall) -> str:
    """Return the searchable text of a call: ``tool(name=value, ...)``."""
    if call.arguments is None:
        return f"{call.tool}({call.error or '?'})"
    return f"{call.tool}({', '.join(f'{name}={value}' for name, value in call.arguments.items())})"


def documents(
    text: str,
    run: RunIndex,
    *,
    plain: Mapping[str, str] | None = None,
    answers: Mapping[int, str] | None = None,
    thoughts: Mapping[int, str] | None = None,
) -> tuple[Document, ...]:
    """Return all searchable texts in the order of the panes: the query, constraints, then step by step.

    ``plain`` has plain words for constraints by id; ``answers`` and ``thoughts`` are given by index of the run.
    """
    made = [Document("query", text)]
    for constraint in run.problem.constraints:
        words = (plain or {}).get(constraint.id, constraint.text)
        made.append(Document("constraint", words, constraint=constraint.id))
    for index, view in enumerate(run.steps):
        if thoughts and index in thoughts:
            made.append(Document("thought", thoughts[index], index))
        if view.call is not None:
            made.append(Document("call", call_text(view.call), index))
        if answers and index in answers:
            made.append(Document("answer", answers[index], index))
    return tuple(made)


class Haystack:
    """Documents prepared for a search that ignores case."""

    def __init__(self, texts: Iterable[Document]) -> None:
        self.documents = tuple(texts)
        self._folded = [_fold(document.text) for document in self.documents]

    def find(self, needle: str) -> Search:
        """Find all hits of a substring, at most ``MAX_HITS``. The first one is current."""
        wanted = needle.casefold()
        hits: list[Hit] = []
        if wanted:
            for document, (folded, starts) in zip(self.documents, self._folded, strict=True):
                at = folded.find(wanted)
                while at >= 0 and len(hits) < MAX_HITS:
                    span = (at, at + len(wanted))
                    hits.append(Hit(document, span if starts is None else _original(span, starts)))
                    at = folded.find(wanted, at + len(wanted))
        return Search(needle, tuple(hits), 0 if hits else None)


def _fold(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Return the casefolded text, and the place of each code point in it (None: unchanged)."""
    folded = text.casefold()
    if text.isascii():
        return folded, None
    sizes = [len(char.casefold()) for char in text]
    if max(sizes) == 1:
        return folded, None
    return folded, tuple(accumulate(sizes, initial=0))


def _original(span: Span, starts: tuple[int, ...]) -> Span:
    return bisect_right(starts, span[0]) - 1, bisect_right(starts, span[1] - 1)


def next_hit(search: Search) -> Search:
    """Move to the next hit; after the last one to the first."""
    return search if search.at is None else replace(search, at=(search.at + 1) % len(search.hits))


def previous_hit(search: Search) -> Search:
    """Move to the previous hit; before the first one to the last."""
    return search if search.at is None else replace(search, at=(search.at - 1) % len(search.hits))


def show_hit(state: DebugState, search: Search) -> DebugState:
    """Return the state that shows the current hit: its words or constraint selected, or its step opened."""
    hit = search.hit
    if hit is None:
        return state
    if hit.document.index is not None:
        return select(go_to(state, hit.document.index), None)
    if hit.document.constraint is not None:
        return select(state, SelectedConstraint(hit.document.constraint))
    return select(state, SelectedWords(hit.span))
