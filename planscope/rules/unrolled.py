"""The events that a rule sees, as formulas of Z3: what the formulas of ``kinds.py`` are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import z3

from planscope.rules.machine import ANY_FIRST, FIRST, MET, THEN, USER

Holds: TypeAlias = "z3.BoolRef | bool"
Number: TypeAlias = "z3.ArithRef | int"
MARKS = (0, ANY_FIRST, THEN, USER, MET, FIRST)
Row = tuple[Holds, ...]
"""Formulas about an event: whether the rule sees it, and whether it sees it as each of the other ``MARKS``."""


def some(parts: Iterable[Holds]) -> Holds:
    """Some of these hold. What is known is True or False, and no formula is made of it."""
    left = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            left.append(part)
    return False if not left else left[0] if len(left) == 1 else z3.Or(left)


class Unrolled:
    """The events that a rule sees, as formulas, and how ``kinds.py`` joins them. Indexes count these events.

    ``a``, ``b``: the event is in ``first``, in ``then``; ``call``: it is a call and no user message; ``met``: its
    answer meets the condition of ``latest``, or it is in ``until``; ``there``: it happens at all. ``counts[i, j]``:
    that event ``i`` is in ``first`` counts for ``j``: the call alone shows it, or a message begins between them.
    """

    def __init__(
        self,
        rows: Sequence[tuple[int, Row]],
        begins: Sequence[Holds] | None,
        agree: Callable[[int, int], Holds] = lambda i, j: True,
    ) -> None:
        """``rows``: each with the place of its event; ``begins``: at which places messages begin, None if that does
        not matter; ``agree``: whether the event at one place can agree with the answer at another."""
        self.agree: Callable[[int, int], Holds] = lambda i, j: agree(rows[i][0], rows[j][0])
        self.all: range = range(len(rows))
        columns: list[list[Holds]] = [[row[k] for _, row in rows] for k in range(len(MARKS))]
        users, firsts = columns[3], columns[5]
        self.there: list[Holds] = columns[0]
        self.a: list[Holds] = columns[1]
        self.b: list[Holds] = columns[2]
        self.met: list[Holds] = columns[4]
        self.call: list[Holds] = [
            self.both(there, self.no(user)) for there, user in zip(self.there, users, strict=True)
        ]

        def apart(i: int, j: int) -> Holds:
            return True if begins is None else some(begins[rows[i][0] + 1 : rows[j][0] + 1])

        self.counts: dict[tuple[int, int], Holds] = {
            (i, j): some((firsts[i], apart(i, j))) for j in self.all for i in range(j)
        }

    def after(self, i: int) -> range:
        return range(i + 1, len(self.all))

    def some(self, parts: Iterable[Holds]) -> Holds:
        return some(parts)

    def every(self, parts: Iterable[Holds]) -> Holds:
        return self.no(some(map(self.no, parts)))

    def both(self, *parts: Holds) -> Holds:
        return self.every(parts)

    def no(self, part: Holds) -> Holds:
        return not part if isinstance(part, bool) else z3.Not(part)

    def implies(self, one: Holds, other: Holds) -> Holds:
        return some((self.no(one), other))

    def total(self, parts: Iterable[Holds]) -> Number:
        """The number of these that hold."""
        return sum(self.choice(part, 1, 0) for part in parts)

    def choice(self, test: Holds, one: Number, other: Number) -> Number:
        return (one if test else other) if isinstance(test, bool) else z3.If(test, one, other)

    def before(self, j: int, more: Callable[[int, int], Holds] | None = None) -> Holds:
        """Some A counts for event ``j``, and there is more to say of it."""
        return some(
            self.both(self.a[i], self.counts[i, j], *([more(i, j)] if more else [])) for i in range(j)
        )

    def none_between(self, i: int, j: int, what: Sequence[Holds]) -> Holds:
        """None of these counts A at ``i`` as earlier and comes before ``j``."""
        return self.every(self.no(self.both(what[k], self.counts[i, k])) for k in range(i + 1, j))
