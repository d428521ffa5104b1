"""Compares two texts by words and marks. The parts cover every character: white space joins its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from planscope.compare.result import Change, TextDiff, TextPart
from planscope.compare.sequences import Pair, common, ends, mirrored, trim
from planscope.language.problem import Span
from planscope.language.scan import cut

MOST_CELLS = 4 * 10**8
"""Limit for the product of both texts' numbers of words. Beyond it, sentences are compared."""

_STOPS = (".", ";", "!", "?")


def compare_texts(a: str, b: str) -> TextDiff:
    """Return the parts of both texts, with as many equal words and marks as possible."""
    if a == b:
        return TextDiff((TextPart("same", (0, len(a)), (0, len(b))),) if a else ())
    for cut_up in (_words, _sentences):
        spans_a, spans_b = cut_up(a), cut_up(b)
        items_a = [a[begin:end] for begin, end in spans_a]
        items_b = [b[begin:end] for begin, end in spans_b]
        start, end_a, end_b = trim(items_a, items_b)
        if (end_a - start) * (end_b - start) <= MOST_CELLS:
            pairs = mirrored(b < a, lambda x, y: settle(common(x, y), x, y), items_a, items_b)
            break
    else:
        cut_up, pairs = _sentences, ends(items_a, items_b, lambda in_a, in_b: ())
    same = _stretches(a, b, [(spans_a[i], spans_b[j]) for i, j in pairs])
    return TextDiff(tuple(_parts(same)), cut_up is _words)


def _words(text: str) -> list[Span]:
    return [(piece.start, piece.end) for piece in cut(text)]


def _sentences(text: str) -> list[Span]:
    """Join words up to each mark that may end a sentence, including the white space between them."""
    found: list[Span] = []
    start, end = -1, 0
    for begin, end in _words(text):
        start = begin if start < 0 else start
        if text[begin:end] in _STOPS:
            found.append((start, end))
            start = -1
    return [*found, (start, end)] if start >= 0 else found


def settle(pairs: Sequence[Pair], a: Sequence[str], b: Sequence[str]) -> list[Pair]:
    """Shift words of one text only so that they begin at a sentence, if the number of pairs stays the same.

    Of "A. B. A. C." against "A. C." both "A. B." and "B. A." may be called gone.
    """
    settled = list(pairs)
    for own in (0, 1):
        items = (a, b)[own]
        for k in range(len(settled) + 1):
            before = settled[k - 1] if k else (-1, -1)
            behind = settled[k] if k < len(settled) else (len(a), len(b))
            first, last = before[own] + 1, behind[own]
            if first < last and behind[1 - own] == before[1 - own] + 1:
                _slide(settled, k, own, items, first, last)
    return settled


def _slide(pairs: list[Pair], k: int, own: int, items: Sequence[str], first: int, last: int) -> None:
    """Move the items ``first`` to ``last``, which are unpaired between pair ``k - 1`` and pair ``k``."""

    def begins(at: int) -> bool:
        return at == 0 or items[at - 1] in _STOPS

    if begins(first):
        return
    size = last - first
    for step, at in ((-1, k - 1), (1, k)):
        passed: list[int] = []
        while 0 <= at < len(pairs):
            now = pairs[at][own]
            apart = passed and pairs[at] != (pairs[at - step][0] + step, pairs[at - step][1] + step)
            if apart or items[now] != items[now - step * size]:
                break
            passed.append(at)
            if begins(first + step * len(passed)):
                for n in passed:
                    i, j = pairs[n]
                    pairs[n] = (i, j - step * size) if own else (i - step * size, j)
                return
            at += step


def _stretches(a: str, b: str, same: Sequence[tuple[Span, Span]]) -> Iterator[tuple[Span, Span]]:
    """Return the equal spans in order, some of them empty: words with the white space next to them that both have."""
    at_a = at_b = 0
    for (start_a, end_a), (start_b, end_b) in [*same, ((len(a), len(a)), (len(b), len(b)))]:
        gap_a, gap_b = a[at_a:start_a], b[at_b:start_b]
        lead = _blanks(gap_a, gap_b)
        yield (at_a, at_a + lead), (at_b, at_b + lead)
        trail = _blanks(gap_a[lead:][::-1], gap_b[lead:][::-1])
        yield (start_a - trail, end_a), (start_b - trail, end_b)
        at_a, at_b = end_a, end_b


def _blanks(a: str, b: str) -> int:
    """Return the length of the white space that both begin with."""
    alike = takewhile(lambda pair: pair[0] == pair[1] and pair[0].isspace(), zip(a, b, strict=False))
    return sum(1 for _ in alike)


def _parts(same: Iterable[tuple[Span, Span]]) -> Iterator[TextPart]:
    """Return the equal parts, adjacent ones joined, and the parts between them."""
    (begin_a, at_a), (begin_b, at_b) = (0, 0), (0, 0)
    for (start_a, end_a), (start_b, end_b) in same:
        if (start_a, start_b) != (at_a, at_b):
            if begin_a < at_a:
                yield TextPart("same", (begin_a, at_a), (begin_b, at_b))
            change: Change = "added" if at_a == start_a else "gone" if at_b == start_b else "changed"
            yield TextPart(change, (at_a, start_a), (at_b, start_b))
            begin_a, begin_b = start_a, start_b
        at_a, at_b = end_a, end_b
    if begin_a < at_a:
        yield TextPart("same", (begin_a, at_a), (begin_b, at_b))
