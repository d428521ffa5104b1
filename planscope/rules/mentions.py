"""Finds tools that a sentence names in another form: "looking up the order" is ``look_up_order``, and "a note has been
added" is ``add_note``. Every word of a name must be there; nothing is guessed from a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from planscope.language.inflection import forms, singular, words

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")


class Verbal(NamedTuple):
    """A tool's name as a verb, its particle ("up"), and what the verb is about."""

    tool: str
    verb: str
    particle: tuple[str, ...]
    rest: tuple[str, ...]


def _verbals(tool: str) -> Iterator[Verbal]:
    """Yield the ways to read a name: look_up_order, handoff_to_human, and web_search, whose verb is last."""
    particles = words("particles")
    first, *rest = [word.casefold() for word in _WORD.findall(tool)] or [""]
    particle = tuple(rest[:1]) if rest and rest[0] in particles else ()
    if first:
        yield Verbal(tool, first, particle, tuple(rest[len(particle) :]))
    for end in particles:
        if first.endswith(end) and len(first) > len(end) + 2:
            yield Verbal(tool, first.removesuffix(end), (end,), tuple(rest))
    if len(rest) == 1 and not particle:
        yield Verbal(tool, rest[0], (), (first,))


class Mentions:
    """The tools that a text may name in another form."""

    def __init__(self, tools: Iterable[str]) -> None:
        self._verbs: dict[str, list[Verbal]] = {}
        self._objects: dict[str, list[Verbal]] = {}
        for tool in tools:
            for verbal in _verbals(tool):
                for form in {*forms(verbal.verb), verbal.verb + "s"}:
                    self._verbs.setdefault(form, []).append(verbal)
                if verbal.rest:
                    self._objects.setdefault(singular(verbal.rest[0]), []).append(verbal)

    def active(self, text: Sequence[str], at: int) -> Iterator[tuple[int, str]]:
        """Yield the tools whose verb is at a place of the text, with the place behind all their words."""
        for verbal in self._verbs.get(text[at], ()):
            if (end := _behind((*verbal.particle, *verbal.rest), text, at + 1)) is not None:
                yield end, verbal.tool

    def passive(self, text: Sequence[str], at: int) -> Iterator[tuple[int, Verbal]]:
        """Yield the tools that are about what is named at a place of the text, with the place behind it."""
        for verbal in self._objects.get(singular(text[at]), ()):
            if (end := _behind(verbal.rest, text, at)) is not None:
                yield end, verbal

    def done(self, verbal: Verbal, text: Sequence[str], at: int) -> int | None:
        """Return the place behind the verb if it is at a place of the text in the passive: "been looked up"."""
        kinds = forms(verbal.verb).get(text[at], ()) if at < len(text) else ()
        return _behind(verbal.particle, text, at + 1) if "done" in kinds else None


def _behind(wanted: Sequence[str], text: Sequence[str], at: int) -> int | None:
    """Return the place behind these words, which may have articles before them, or None."""
    between = words("articles") | {"of", "some", "any", "his", "her"}
    for word in wanted:
        while at < len(text) and text[at] in between and text[at] != word:
            at += 1
        if at >= len(text) or singular(text[at]) != singular(word):
            return None
        at += 1
    return at
