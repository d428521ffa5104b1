"""What a kind of mutation proposes, how its choices are drawn, and other words in the places of a text's own.

Somebody who wrote a text by hand had lines, capitals and commas of his own; a mutant that differs in them as well
would not say which of the changes it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from math import gcd
from typing import NamedTuple

from planscope.language.problem import Action, Span
from planscope.language.reading import Reading
from planscope.language.render import capitalised
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


Patch = tuple[Span, str]


def patched(text: str, patches: Iterable[Patch]) -> str:
    """The text with new words in these places, none of which overlap; "" is in no place and adds nothing."""
    out: list[str] = []
    done = 0
    for (start, end), words in sorted(patches):
        out.append(text[done:start])
        out.append(words)
        done = end
    out.append(text[done:])
    return "".join(out)


def as_written(text: str, span: Span, old: str, new: str) -> str:
    """``new`` with a capital where ``old``, which has none of its own, stands in the text with one."""
    start = span[0]
    return capitalised(new) if text[start : start + 1].isupper() and not old[:1].isupper() else new


def conjunction(text: str, span: Span, new: str) -> Patch:
    """The place of a conjunction with the comma or blank before it, and what stands there instead.

    A word has a comma before it, a semicolon stands right behind the words.
    """
    start, end = span
    old = text[start:end]
    if (old == ";") == (new == ";"):
        return span, new
    start = len(text[:start].rstrip())
    if old != ";" and text[:start].endswith(","):
        start = len(text[: start - 1].rstrip())
    return (start, end), ";" if new == ";" else f", {new}"
