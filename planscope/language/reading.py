"""From text to tree and problem (the inverse of rendering), sentence by sentence: what stays is not read again."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from planscope.language.build import SentenceReading, build
from planscope.language.derive import problem_of_tree
from planscope.language.errors import ParseError, ParseFailure, Trouble
from planscope.language.names import ActionNameError, Names
from planscope.language.outline import OutlineNode, outline
from planscope.language.pieces import cut
from planscope.language.problem import Action, Problem, Span
from planscope.language.scan import Scanner
from planscope.language.sentence import SentenceReader
from planscope.language.tree import Query

__all__ = ["ActionNameError", "ParseError", "ParseFailure", "Reading", "read_query"]

MAX_TEXT = 1_000_000
"""A longer text (code points) is not read."""

MAX_ERRORS = 200
"""After so many broken sentences the rest of a text is not read."""

_PERIOD = re.compile(r"\.")

_KEPT = 4096
"""Sentences remembered for one set of actions."""


@dataclass(frozen=True)
class Reading:
    """What a text says. ``tree`` has spans in ``text``."""

    text: str
    tree: Query
    problem: Problem

    @cached_property
    def outline(self) -> tuple[OutlineNode, ...]:
        """The tree as a flat list for showing."""
        return outline(self.tree, self.problem)


class _Reader:
    def __init__(self, actions: tuple[Action, ...], timed: bool) -> None:
        names = Names(actions)
        self._scanner = Scanner(names, timed)
        self._sentences = SentenceReader(self._scanner, timed)
        self._dotted = names.dotted
        self._kept: OrderedDict[str, SentenceReading | Trouble] = OrderedDict()

    def sentence(self, text: str) -> SentenceReading | Trouble:
        kept = self._kept
        found = kept.get(text)
        if found is None:
            found = kept[text] = self._sentences.read(text)
            if len(kept) > _KEPT:
                kept.popitem(last=False)
        return found

    def spans(self, text: str) -> Iterator[Span]:
        """Where the sentences are, periods included, white space around them not."""
        start, size = 0, len(text)
        periods = self._periods(text)
        while start < size:
            if text[start].isspace():
                start += 1
                continue
            end = next(periods, size - 1) + 1
            yield start, end
            start = end

    def _periods(self, text: str) -> Iterator[int]:
        """Where the periods are that end sentences."""
        if not self._dotted:
            return (match.start() for match in _PERIOD.finditer(text))
        tokens = self._scanner.stream(text, list(cut(text)))
        return (token.start for token in tokens if token.type == "DOT")


@lru_cache(maxsize=16)
def _reader(key: tuple[tuple[str, str, str], ...], timed: bool) -> _Reader:
    return _Reader(tuple(Action(*row) for row in key), timed)


def read_query(text: str, actions: Iterable[Action], *, timed: bool = False) -> Reading:
    """Read a paragraph about the given actions.

    ParseFailure where it cannot be read, with an error for every broken sentence (up to ``MAX_ERRORS``);
    ActionNameError for an empty name or two names that are equal but for case.
    """
    actions = tuple(actions)
    reader = _reader(tuple((a.id, a.name, a.tool) for a in actions), timed)
    if len(text) > MAX_TEXT:
        message = f"the text is longer than {MAX_TEXT:,} characters"
        raise ParseFailure([ParseError(1, 1, "", ("a shorter text",), message, (0, len(text)))])
    sentences = []
    errors: list[ParseError] = []
    for start, end in reader.spans(text):
        found = reader.sentence(text[start:end])
        if isinstance(found, Trouble):
            errors.append(found.located(text, start))
            if len(errors) >= MAX_ERRORS:
                break
        elif not errors:
            sentences.append(build(found, start))
    if not sentences and not errors:
        errors.append(ParseError(1, 1, "", ("a sentence",), "the text is empty", (0, 0)))
    if errors:
        raise ParseFailure(errors)
    tree = Query(tuple(sentences), (sentences[0].span[0], sentences[-1].span[1]))
    return Reading(text, tree, problem_of_tree(tree, actions, timed=timed))
