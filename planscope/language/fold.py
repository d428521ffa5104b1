"""Long lists folded, and sentences split at their conjunction, so that few sequences of types are ever new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planscope.language.build import Unit
from planscope.language.scan import Token

CONJ_TYPES = ("AND", "BUT", "WHILE")


class Folded(NamedTuple):
    """Tokens with the middles of lists folded into one unit each. ``places``: each unit's first token."""

    units: list[Unit]
    places: list[int]

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(unit[0].type for unit in self.units)

    def place(self, unit: int) -> int:
        """The first token of a unit; of the last one, where there is no such unit."""
        return self.places[min(unit, len(self.places) - 1)]

    @property
    def numbers(self) -> tuple[str, ...]:
        return tuple(unit[0].meaning.number for unit in self.units)


def _comma_runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where "a, b, c" begins, and the number of its actions."""
    at, size = 0, len(tokens)
    while at < size:
        if tokens[at].type != "ACTION":
            at += 1
            continue
        start, count = at, 1
        while at + 2 < size and tokens[at + 1].type == "COMMA" and tokens[at + 2].type == "ACTION":
            at += 2
            count += 1
        yield start, count
        at += 1


def fold(tokens: Sequence[Token], *, strict: bool) -> Folded:
    """Fold lists so that the readings stay the same.

    Strict: in "a, b, c and d" all from b to c, which are always in the list that "and" closes ("Before a, b, c and
    d happen"); in "a, b, c, and d" b only, so that a list of three stays one. Lenient: in "a, b, c, d, e", where any
    comma may part two lists, all from c on but the last two, so that two readings are left if there were two.
    """
    units: list[Unit] = []
    places: list[int] = []
    done = 0
    for start, count in _comma_runs(tokens):
        end = start + 2 * count - 1
        if strict:
            behind = tuple(token.type for token in tokens[end : end + 2])
            if behind[:1] == ("AND",):
                first, last = (1, count) if count > 2 else (0, 0)
            else:
                first, last = (1, count - 1) if behind == ("COMMA", "AND") and count > 3 else (0, 0)
        else:
            first, last = (2, count - 2) if count > 5 else (0, 0)
        if first == last:
            continue
        for place in range(done, start + 2 * first):
            units.append(tokens[place : place + 1])
            places.append(place)
        units.append(tokens[start + 2 * first : start + 2 * last : 2])
        places.append(start + 2 * first)
        done = start + 2 * last - 1
    for place in range(done, len(tokens)):
        units.append(tokens[place : place + 1])
        places.append(place)
    return Folded(units, places)


def _parts(tokens: Sequence[Token], at: int) -> bool:
    """Whether the conjunction has a comma before it and does not close a list, as it does in "a, b, and c".

    No clause ends with a comma and one action.
    """
    before = [token.type for token in tokens[max(at - 4, 0) : at]]
    in_list = tokens[at].type == "AND" and before[:3] == ["ACTION", "COMMA", "ACTION"]
    return before[-1:] == ["COMMA"] and not in_list


def split(tokens: Sequence[Token]) -> tuple[list[Sequence[Token]], list[Token]]:
    """The clauses of a sentence (without its period) and the conjunctions between them, as the strict grammar has it.

    There a comma with a conjunction behind it is in no other place, but in a list of three or more ("a, b, and c"),
    and a semicolon nowhere else.
    """
    clauses: list[Sequence[Token]] = []
    conjs: list[Token] = []
    start = 0
    for at, token in enumerate(tokens):
        if token.type == "SEMI":
            clauses.append(tokens[start:at])
        elif token.type in CONJ_TYPES and at > start and _parts(tokens, at):
            clauses.append(tokens[start : at - 1])
        else:
            continue
        conjs.append(token)
        start = at + 1
    clauses.append(tokens[start:-1])
    return clauses, conjs
