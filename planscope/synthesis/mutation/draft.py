"""What a kind of mutation proposes, and numbers that come each once in an order that a seed shuffled."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from math import gcd
from typing import NamedTuple

from planscope.language.problem import Action
from planscope.language.reading import Reading
from planscope.language.tree import Query
from planscope.synthesis.draw import Draw

_DIGIT = 1 << 30


class Draft(NamedTuple):
    """A mutant that nobody has looked at yet: ``texts`` are ways to write ``tree``, the best one first."""

    tree: Query
    actions: tuple[Action, ...]
    texts: tuple[str, ...]
    topic: str


def draw_for(reading: Reading, kind: str, seed: int) -> Draw:
    """The choices of one kind for one request: the same everywhere for the same text, names and seed."""
    names = "\n".join(f"{a.id} {a.name} {a.tool}" for a in reading.problem.actions)
    text = f"{kind} {seed}\n{reading.problem.timed}\n{names}\n\n{reading.text}"
    return Draw(int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big"))


def shuffled(size: int, draw: Draw) -> Iterator[int]:
    """0 to ``size`` - 1, each once: a walk with a step that has no factor in common with ``size``."""
    here, step = _below(size, draw), _below(size, draw)
    while gcd(step, size) != 1:
        step += 1
    for _ in range(size):
        yield here
        here = (here + step) % size


def _below(size: int, draw: Draw) -> int:
    """A number from 0 to ``size`` - 1, which may be larger than a float can tell."""
    number, reach = 0, 1
    while reach < size * _DIGIT:
        number = number * _DIGIT + int(draw.random() * _DIGIT)
        reach *= _DIGIT
    return number % size
