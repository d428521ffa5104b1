"""What is read in many sentences, and what is said of them with a word too few, too many, or a wrong one.

``PLANSCOPE_UPDATE_READINGS=1`` writes ``said_of_sentences.txt`` anew; look at the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from planscope.language.find_actions import UnsureActions, find_actions
from planscope.language.problem import make_actions
from planscope.language.reading import ParseFailure, read_partly, read_query
from planscope.language.render import render
from planscope.synthesis.random_choices import RandomChoices
from tests.nightly import nightly

EXPECTED = Path(__file__).with_name("said_of_sentences.txt")
NAMES = ("a", "b", "c", "d", "e", "f", "disk check", "first aid check", "rest")
WHOLE = (
    "A precedes b, c, d, and e, which follow disk check.",
    "Before a, b, c and d happen, first aid check is done.",
    "A, b, c, d, e, f, and disk check precede rest.",
    "A and b, c and d precede e, f.",
    "A happens after b; c, which must occur before d, follows e, but f precedes rest.",
    "While a is carried out after b, c comes before d.",
    "A should be executed prior to `first aid check`, and rest follows a and b.",
    "After the time when a is performed, b has to be undertaken.",
    "First a, then b and c, next the disk check, and finally rest.",
    "A must wait for b and until c is done.",
    "Don't start a until b and c are finished.",
    "A comes first. Rest is last.",
    "1. a\n2. b and c\n3. disk check",
    "Both a and b are required for c. D depends on e; f can only happen after rest.",
    "A starts before b and c; d finishes before e starts.",
    "Once a and b are done, c happens, and d before e.",
)
TIMED = (
    "A precedes b, which happens before 15:00, and follows 9 am.",
    "Before 12 pm, a happens. B is done after midnight, c before noon.",
    "A, b and c must occur after 10:00, but disk check precedes 24:00.",
    "A happens between 3pm and 20:00. After 08:00 and before 6 pm, b is performed.",
    "First a, then b. A is carried out later than 12 am.",
)
OTHER = (
    "precedes",
    "disc",
    "zork",
    "and",
    "which",
    "happen",
    "15:00",
    "3:30 pm",
    "25:00",
    "not",
    "the",
    "should",
    "17",
)


def damaged(text: str, draw: RandomChoices) -> Iterator[str]:
    """The text itself; without a word; with another word in the place of one, or behind it; without its end."""
    yield text
    words = text.split(" ")
    for place in sorted(draw.sample(range(len(words)), min(3, len(words)))):
        yield " ".join(words[:place] + words[place + 1 :])
        yield " ".join([*words[:place], draw.choose(OTHER), *words[place + 1 :]])
        yield " ".join([*words[:place], words[place], draw.choose(OTHER), *words[place + 1 :]])
    yield text.replace(",", "")
    yield text.replace(" and ", ", ").replace("; ", ", ")
    yield text[:-1] + " or b"


def told(text: str, timed: bool) -> Iterator[str]:
    actions = make_actions(NAMES)
    try:
        reading = read_query(text, actions, timed=timed)
    except ParseFailure as failure:
        for e in failure.errors:
            yield f"  {e.line}:{e.column} {e.span} {e.found!r} {e.message}"
            yield from (f"    {one}" for one in (*e.expected, *e.readings))
        partly = read_partly(text, actions, timed=timed)
        yield f"  sentences {partly.sentences}"
        if partly.reading is not None:
            yield "  " + ", ".join(c.text for c in partly.reading.problem.said)
        try:
            yield f"  actions {find_actions(text, timed=timed)}"
        except UnsureActions as unsure:
            yield f"  unsure {unsure.found} {unsure}"
        return
    for c in reading.problem.said:
        words = " | ".join(text[a:b] for a, b in c.spans)
        yield f"  {c.text}  {c.sentence} {'.'.join(map(str, c.node))}  {words}"
    again = render(reading.tree, reading.problem.actions).text
    if again != text:
        yield f"  = {again}"


def sentences() -> dict[str, tuple[str, bool]]:
    """Each sentence and whether it is timed, by the line that stands above what is said of it."""
    draw = RandomChoices(5)
    return {
        f"{one!r}{' timed' if timed else ''}": (one, timed)
        for timed, texts in ((False, WHOLE), (True, TIMED))
        for text in texts
        for one in damaged(text, draw)
    }


def expected() -> dict[str, list[str]]:
    """What is said of each sentence."""
    found: dict[str, list[str]] = {}
    said: list[str] = []
    for line in EXPECTED.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            said.append(line)
        else:
            said = found[line] = []
    return found


@pytest.mark.parametrize("every", [9, *nightly(1)])
def test_all_that_is_said_of_sentences(every: int) -> None:
    texts = sentences()
    if os.environ.get("PLANSCOPE_UPDATE_READINGS"):
        rows = [line for head, one in texts.items() for line in (head, *told(*one))]
        EXPECTED.write_text("\n".join(rows) + "\n", encoding="utf-8")
    wanted = expected()
    assert list(wanted) == list(texts)
    for head in list(texts)[::every]:
        assert list(told(*texts[head])) == wanted[head], head
