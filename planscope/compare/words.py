"""Two texts compared by words and marks, character by character exact: white space belongs to what is around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planscope.compare.result import Change, TextDiff, TextPart
from planscope.compare.sequences import Pair, common, trim
from planscope.language.pieces import cut
from planscope.language.problem import Span

MOST_CELLS = 4 * 10**9
"""Words of one times words of the other; beyond it whole sentences are compared."""

_STOPS = (".", ";", "!", "?")


def compare_texts(a: str, b: str) -> TextDiff:
    """The parts of both texts, with as many words and marks the same as there can be."""
    if a == b:
        return TextDiff((TextPart("same", (0, len(a)), (0, len(b))),) if a else ())
    if b < a:  # with one order for both, swapping the texts mirrors what comes out
        mirrored = compare_texts(b, a)
        turned: dict[Change, Change] = {"added": "gone", "gone": "added"}
        parts = tuple(TextPart(turned.get(p.change, p.change), p.b, p.a) for p in mirrored.parts)
        return TextDiff(parts, mirrored.minimal)
    for cut_up in (_words, _sentences):
        spans_a, spans_b = cut_up(a), cut_up(b)
        items_a = [a[begin:end] for begin, end in spans_a]
        items_b = [b[begin:end] for begin, end in spans_b]
        start, end_a, end_b = trim(items_a, items_b)
        feasible = (end_a - start) * (end_b - start) <= MOST_CELLS
        if feasible:
            break
    pairs = settle(common(items_a, items_b), items_a, items_b) if feasible else _ends(items_a, items_b)
    same = [(spans_a[i], spans_b[j]) for i, j in pairs]
    return TextDiff(tuple(_merged(_parts(a, b, same))), feasible and cut_up is _words)


def _ends(a: Sequence[str], b: Sequence[str]) -> list[Pair]:
    """The common beginning and end alone."""
    start, end_a, end_b = trim(a, b)
    return [(k, k) for k in range(start)] + [(end_a + k, end_b + k) for k in range(len(a) - end_a)]


def _words(text: str) -> list[Span]:
    return [(piece.start, piece.end) for piece in cut(text)]


def _sentences(text: str) -> list[Span]:
    """Words joined up to each mark that may end a sentence, white space between them included."""
    found: list[Span] = []
    start, end = -1, 0
    for begin, end in _words(text):
        start = begin if start < 0 else start
        if text[begin:end] in _STOPS:
            found.append((start, end))
            start = -1
    return [*found, (start, end)] if start >= 0 else found


def settle(pairs: Sequence[Pair], a: Sequence[str], b: Sequence[str]) -> list[Pair]:
    """The same number of pairs, but what is in one text only is moved along, where it can be, to begin a sentence.

    Of "A. B. A. C." against "A. C." both "A. B." and "B. A." may be called gone.
    """
    settled = list(pairs)
    for own in (0, 1):
        items = (a, b)[own]
        k, size = 0, len(settled)
        while k <= size:
            before = settled[k - 1] if k else (-1, -1)
            behind = settled[k] if k < size else (len(a), len(b))
            first, last = before[own] + 1, behind[own]
            if first < last and behind[1 - own] == before[1 - own] + 1:
                _slide(settled, k, own, items, first, last)
            k += 1
    return settled


def _slide(pairs: list[Pair], k: int, own: int, items: Sequence[str], first: int, last: int) -> None:
    """Move the items ``first`` to ``last``, which stand alone between pair ``k - 1`` and pair ``k``."""

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
                    pairs[n] = _moved(pairs[n], own, -step * size)
                return
            at += step


def _moved(pair: Pair, own: int, by: int) -> Pair:
    return (pair[0] + by, pair[1]) if own == 0 else (pair[0], pair[1] + by)


def _parts(a: str, b: str, same: Sequence[tuple[Span, Span]]) -> Iterator[TextPart]:
    """What is the same, and what is between, with the white space that both have at its ends told apart."""
    at_a = at_b = 0
    for (start_a, end_a), (start_b, end_b) in [*same, ((len(a), len(a)), (len(b), len(b)))]:
        yield from _between(a, b, (at_a, start_a), (at_b, start_b))
        yield TextPart("same", (start_a, end_a), (start_b, end_b))
        at_a, at_b = end_a, end_b


def _between(a: str, b: str, in_a: Span, in_b: Span) -> Iterator[TextPart]:
    (start_a, end_a), (start_b, end_b) = in_a, in_b
    lead = 0
    while start_a + lead < end_a and start_b + lead < end_b and _blank(a, start_a + lead, b, start_b + lead):
        lead += 1
    yield TextPart("same", (start_a, start_a + lead), (start_b, start_b + lead))
    start_a, start_b = start_a + lead, start_b + lead
    trail = 0
    while (
        end_a - trail > start_a
        and end_b - trail > start_b
        and _blank(a, end_a - trail - 1, b, end_b - trail - 1)
    ):
        trail += 1
    left_a, left_b = (start_a, end_a - trail), (start_b, end_b - trail)
    if left_a[0] < left_a[1] or left_b[0] < left_b[1]:
        change: Change = "changed"
        if left_a[0] == left_a[1]:
            change = "added"
        elif left_b[0] == left_b[1]:
            change = "gone"
        yield TextPart(change, left_a, left_b)
    yield TextPart("same", (end_a - trail, end_a), (end_b - trail, end_b))


def _blank(a: str, at_a: int, b: str, at_b: int) -> bool:
    return a[at_a] == b[at_b] and a[at_a].isspace()


def _merged(parts: Iterator[TextPart]) -> Iterator[TextPart]:
    """Without empty parts, and with neighbours that are the same put together."""
    last: TextPart | None = None
    for part in parts:
        if part.a[0] == part.a[1] and part.b[0] == part.b[1]:
            continue
        if last is not None and last.change == part.change == "same":
            last = TextPart("same", (last.a[0], part.a[1]), (last.b[0], part.b[1]))
            continue
        if last is not None:
            yield last
        last = part
    if last is not None:
        yield last
