"""Tells the clauses of a sentence that ask for something from those that only explain it: a reason, what does not
matter, the same in other words. Queries and rules are both read without these."""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate, pairwise
from typing import Any

from planscope.language.english import FREE, FUNCTION, late
from planscope.language.problem import Span
from planscope.language.scan import Piece, cut

_LONGEST = 40
"""Limit of the words of a clause that is left out."""
_SHORT = 8
"""Limit of the words behind "anything else"."""
_MARKS = (";", ":", "\u2013", "\u2014")
"""Marks between clauses, besides commas. A hyphen counts between blanks."""


@cache
def _data() -> Mapping[str, Any]:
    text = (files("planscope.language") / "data" / "clauses.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def listed(kind: str) -> frozenset[str]:
    """Return the words of a list in ``data/clauses.toml``."""
    return frozenset(_data()[kind])


def _keys(phrases: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """Return the pieces of phrases, the longest first."""
    return tuple(sorted((tuple(piece.key for piece in cut(one)) for one in phrases), key=len, reverse=True))


@cache
def _phrases(kind: str) -> tuple[tuple[str, ...], ...]:
    return _keys(_data()[kind])


def covering(spans: Iterable[Span]) -> Callable[[int], bool]:
    """Return a function that says whether a place lies in one of the spans. It takes the logarithm of their number."""
    ordered = sorted(spans)
    ends = list(accumulate((end for _, end in ordered), max))
    starts = [start for start, _ in ordered]

    def within(place: int) -> bool:
        before = bisect_right(starts, place)
        return before > 0 and place < ends[before - 1]

    return within


class _Clauses:
    """The pieces of one sentence. ``named``: by piece, whether it belongs to a name or says something about names."""

    def __init__(self, text: str, span: Span, named: Sequence[Span], telling: Sequence[Span]) -> None:
        self.row: list[Piece] = [piece for piece in cut(text, *span) if piece.key != "."]
        self.keys = [piece.key for piece in self.row]
        self.named, self.telling = (
            {at for at, piece in enumerate(self.row) if within(piece.start)}
            for within in (covering(named), covering(telling))
        )

    def begins(self, at: int, kind: str) -> int:
        """Return how many pieces a phrase of a list has that begins at a place; 0 if none does."""
        if at in self.named and kind != "rest":
            return 0
        return next((len(one) for one in _phrases(kind) if tuple(self.keys[at : at + len(one)]) == one), 0)

    def silent(self, start: int, end: int, words: Collection[str]) -> bool:
        """Return whether pieces name nothing and have none of the words."""
        return self.named.isdisjoint(range(start, end)) and not any(
            key in words and "-" not in self.keys[max(at - 1, 0) : at + 2]
            for at, key in enumerate(self.keys[start:end], start)
        )

    def marks(self) -> list[int]:
        """Return the places of the marks between clauses, and of both ends."""
        row = self.row
        found = [-1]
        for at, key in enumerate(self.keys):
            hyphen = key == "-" and not row[at].glued and at + 1 < len(row) and not row[at + 1].glued
            if at not in self.named and (hyphen or key in _MARKS):
                found.append(at)
        return [*found, len(row)]

    def asides(self, plain: bool) -> Iterator[tuple[int, int]]:
        """Yield the first and last places of what is left out, with the marks that belong to it. ``plain``: so are
        clauses that only state something."""
        at = 0
        while at < len(self.keys):
            end = self._aside(at)
            if end is not None:
                marked = at > 0 and self.keys[at - 1] in (",", "-", *_MARKS)
                goes_on = at == 0 and self.keys[end + 1 : end + 2] in (["but"], ["and"])
                yield (at - marked, end + goes_on)
                at = end
            at += 1
        if not plain and (mark := self._stating()):
            yield mark, len(self.keys) - 1
        marks = self.marks()
        for before, mark in pairwise(marks if len(marks) > 2 else ()):
            if 2 < mark - before - 1 < _LONGEST and self._explains(before + 1, mark, plain):
                yield (before + 1, mark) if before < 0 else (before, mark - 1)
        for comma in (at for at, key in enumerate(self.keys) if key == "," and at not in self.named):
            start = next((mark + 1 for mark in reversed(marks) if mark < comma), 0)
            so = self.keys[comma + 1] if comma + 1 < len(self.keys) else ""
            if so in listed("so") and comma > start + 1 and self.silent(start, comma, listed("obliging")):
                yield start, comma

    def _aside(self, at: int) -> int | None:
        """Return the last place of a reason, a purpose or what stands in brackets, if it begins at a place."""
        bracket, purpose = self.keys[at] == "(", not at and self.keys[0] == "to"
        reason, careless = self.begins(at, "reasons"), self.begins(at, "indifferent")
        parted = at == 0 or self.keys[at - 1] in (",", "-", *_MARKS)
        if self.keys[at] == "because":  # "never because the customer is angry" may mean for another reason
            parted = parted or listed("negative").isdisjoint(self.keys[:at])
        if at in self.named or not (bracket or purpose or (parted and (reason or careless))):
            return None
        closing = (")",) if bracket else (",", ";") if at == 0 else (";",)
        end = next((k for k in range(at + 1, len(self.keys)) if self.keys[k] in closing), len(self.keys))
        inside = bracket or at == 0
        start = at + max(1, reason, careless)
        if (inside and end == len(self.keys)) or end - at > _LONGEST or (end - start < 2 and not careless):
            return None
        words = listed("obliging") if careless else listed("asking" if purpose else "doubtful") | {","}
        if bracket:
            words |= (
                listed("measuring")
                | listed("denying")
                | {key for key in self.keys[start:end] if key[0].isdigit()}
            )
        return end - (not inside) if self.silent(start, end, words) else None

    def _stating(self) -> int:
        """Return the place of the last comma or mark if a reason stands behind it: "people complain otherwise"; else
        0."""
        mark = max(self.marks()[-2], max((at for at, key in enumerate(self.keys) if key == ","), default=0))
        end = len(self.keys) - (self.keys[-1:] == ["otherwise"])
        if mark < 1 or end - mark <= 2 + (self.keys[mark + 1 :][:1] == ["as"]):
            return 0
        words, begun = listed("ruling"), self.begins(mark + 1, "subjects")
        causal = self.keys[mark + 1] in listed("causal") and self.keys[mark + 2] not in ("a", "an")
        if causal:
            words -= listed("excused")
        elif end == len(self.keys) and (
            self.keys[mark] == ":"
            or self.keys[mark + 1] in listed("pointing")
            or listed("harms").isdisjoint(self.keys[mark + 1 :])
        ):
            return 0  # "it is banned" and "gold customers get two" say more than why
        if not begun:
            own, small = self.keys[mark + 1], listed("before_subjects")
            if end - mark < 4 or own in (FUNCTION | listed("asking")) - small or own.endswith(("ing", "ed")):
                return 0
            words |= listed("stating") if self.keys[mark] == "," or own not in small else frozenset()
        digits = {key for key in self.keys[mark + 1 :] if key[0].isdigit() or "_" in key}
        return mark if self.silent(mark + 1, end, words | digits) else 0

    def _explains(self, start: int, end: int, plain: bool) -> bool:
        """Return whether a clause between marks asks nothing: "it wakes people up", "anything else is wrong"."""
        rest = self.begins(start, "rest")
        if opened := rest or self.begins(start, "else"):
            ends = {
                word for word, some in _data()["ends"].items() if not set(some).isdisjoint(self.keys[:start])
            }
            words = range(start + opened, end)
            wrong = any(self.begins(at, "wrong") for at in words)
            told = any(self.begins(at, "causes") for at in words) or (
                wrong and (not rest or not ends.isdisjoint(self.keys[start:end]))
            )
            return told and self.silent(words.start, end, listed("ordering") - ends) and len(words) < _SHORT
        return (
            plain
            and self.silent(start, end, listed("asking") | listed("denying"))
            and self.telling.isdisjoint(range(start, end))
        )


def asides(text: str, span: Span, named: Sequence[Span], telling: Sequence[Span] | None = None) -> list[Span]:
    """Return the parts of a sentence that ask nothing, with the marks that belong to them, in the order of the text.

    ``named``: where it names something that it can be about. ``telling``: words that say something about these; if they
    are given, clauses that only state something are left out, too ("the oven is hot").
    """
    found = _Clauses(text, span, named, telling or ())
    row = found.row
    spans = sorted(
        (row[first].start, row[last].end)
        for first, last in found.asides(telling is not None)
        if last >= first
    )
    whole = [one for one in spans if not any(a <= one[0] and one[1] <= b and (a, b) != one for a, b in spans)]
    return list(dict.fromkeys(whole))


def clauses(text: str, span: Span, named: Sequence[Span]) -> Iterator[list[Span]]:
    """Yield ways to part a sentence into clauses: between semicolons, colons and dashes, and then also at ", and" and
    ", but" behind a clause without a condition, whose scope might go on."""
    found = _Clauses(text, span, named, ())
    keys, marks = found.keys, found.marks()
    joints = [
        at
        for at in range(1, len(keys) - 1)
        if keys[at] == "," and at not in found.named and keys[at + 1] in listed("joints")
    ]
    free = [
        at
        for at in joints
        if keys[at + 1] == "so"
        or listed("conditions").isdisjoint(keys[max(m for m in marks if m < at) + 1 : at])
    ]
    for some in (marks, sorted({*marks, *free})) if free else (marks,):
        parts = [(a + 1, b - 1) for a, b in pairwise(some) if b - a > 1]
        yield [(found.row[first].start, found.row[last].end) for first, last in parts]


def no_order(words: Sequence[str]) -> bool:
    """Return whether a clause says that there is no order, and no other order than that."""
    free = late(FREE).search(said := f" {' '.join(words)} ")
    telling = listed("ordering") | listed("denying")
    return free is not None and telling.isdisjoint(said.replace(free[0], " ", 1).split())


_HOURS = frozenset(("noon", "midnight", "pm", "till"))
"""Of these hours are made: "noon is the limit" asks for much."""
_POINTING = frozenset(
    ("it", "that", "this", "these", "those", "them", "they", "both", "sorry", "oops", "rather")
)
"""With one of these, or with a number, a sentence may change what another says: "Make that 16:00."."""


def asks_nothing(words: Sequence[str], named: Sequence[Span], own: Collection[str]) -> bool:
    """Return whether a sentence asks for nothing: it names nothing and has no word with which it could ask, or it says
    that there is no order. ``own``: words of the actions."""
    if no_order(words):
        return True
    said = f" {' '.join(words)} "
    obliged = " has to " in said or " have to " in said
    known = listed("asking") | listed("denying") | set(own) | _HOURS | _POINTING
    many = len([word for word in words if word != "please" and word[0].isalnum()]) > 2
    measured = any(word[0].isdigit() for word in words)
    told = said.removesuffix(". ").removesuffix(" like this ").split()
    return many and not named and known.isdisjoint(told) and not obliged and not measured
