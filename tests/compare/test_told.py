"""All that is told of many pairs of runs and queries, line by line.

``PLANSCOPE_UPDATE_READINGS=1`` writes ``told.txt`` anew; look at the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from planscope.compare import Comparison, compare, wording
from planscope.compare.calls import Key
from planscope.compare.result import CallRow, TextPart
from planscope.oracle.trace import ToolCall
from planscope.session.model import Run, Session, Variant
from tests.compare.support import run, session, variant

EXPECTED = Path(__file__).with_name("told.txt")
ABC = variant("A precedes B. B precedes C.", "a b c")
TIMED = variant("A precedes B. C happens before 15:00.", "a b c", durations=[2, 1, 3], id="v2")
QUERIES = (
    ABC,
    TIMED,
    variant("A precedes B and C.", "a b c", id="v3", parent="v1", kind="edited"),
    variant("B, which follows A, precedes C.", "a b c", id="v4"),
    variant("X precedes Y. Y precedes Z.", "x y z", id="v5", parent="v1", kind="mutated"),
    variant("A precedes B. B precedes A.", "a b c", id="v6"),
    variant("A zork B.", "a b c", id="v7"),
    variant("After A, B happens; C must wait for A.", "a b c", id="v8"),
    variant("A precedes B. B precedes C. C precedes D.", "a b c d", id="v9"),
    variant("A precedes B. C happens before 14:00.", "a b c", durations=[2, 1, 3], id="v10"),
    variant("A precedes B. C happens before 15:00.", "a b c", durations=[2, 2, 3], id="v11"),
    variant(
        "C happens after 3:00. A ends before 20:00, and B precedes A.", "a b c", durations=[1, 1, 1], id="v12"
    ),
)
RUNS = (
    "a b c", "b a c", "a b", "a a b c", "a b c ghost", "a b? c", "", "c b a", "b c a a", "a b restart a b c",
    "a restart restart b a c",
)  # fmt: skip
HOURS = (
    "a@8 b@10 c@11",
    "c@0 a@8 b@10",
    "a@8 b@9 c@11",
    "a@8 c@10 b@20",
    "a b c",
    "a@8 restart a@9 b@12 c@11",
)


def lines(value: Any) -> Iterator[str]:
    """A result as lines: a row each, without what is the same as it would be by itself."""
    for one in value:
        told = [
            f"{f.name}={getattr(one, f.name)!r}"
            for f in fields(one)
            if getattr(one, f.name) not in (None, ())
        ]
        yield f"    {' '.join(told)}"


def told(c: Comparison) -> Iterator[str]:
    yield f"  {wording.named(c.a)}: {wording.judged(c.a)} / {wording.named(c.b)}: {wording.judged(c.b)}"
    yield f"  {wording.parting(c)} {c.divergence} {c.kept} {c.matched}"
    for one in c.differing:
        yield f"  {wording.label(one)}: {wording.value(c, one, 'a')} / {wording.value(c, one, 'b')}"
    yield from (f"  {one}" for one in wording.unknowns(c))
    yield f"  actions: {wording.counted(c.actions)}"
    yield from (f"    {wording.renamed(row)}" for row in c.actions if row.change != "same")
    if not c.text.same:
        yield from lines(c.text.parts)
        for part, cut in wording.elided(c.text.parts, 6):
            yield f"    {'...' if cut else ''}{c.a.text[slice(*part.a)]!r} {c.b.text[slice(*part.b)]!r}"
    if c.tree is not None and not c.tree.same:
        yield from lines(row for row in c.tree.rows if row.change != "same")
    if c.constraints is not None:
        yield f"  constraints: {wording.counted(c.constraints.rows)} {c.constraints.equivalent}"
        yield f"  {wording.equivalence(c)}"
        for row in c.constraints.rows:
            if row.change != "same":
                yield f"    {row.change} {row.words_a} / {row.words_b} {row.follows} {wording.follows(row)}"
    if c.calls is not None:
        yield f"  calls: {wording.counted(c.calls.rows)} {c.calls.attempts} {c.calls.cost} {c.calls.minimal}"
        yield from lines(row for row in c.calls.rows if row.change != "same")
    for side in (c.a, c.b):
        said = [
            f"{wording.called(s)} {s.attempt} {wording.state(side, s)} {s.start} {s.end}" for s in side.steps
        ]
        yield f"  {' | '.join(said)}"


def pairs() -> Iterator[tuple[Session, Run | Variant, Run | Variant]]:
    whole = session(*QUERIES)
    for first in (ABC, TIMED):
        for other in whole.variants:
            yield whole, first, other
    for calls in RUNS:
        made = session(ABC, run(), run(calls, id="r2"), run("b c a", id="r3", ending="aborted"))
        yield made, made.runs[0], made.runs[1]
        yield made, made.runs[1], made.runs[2]
    for calls in HOURS:
        made = session(TIMED, run(HOURS[0], of="v2"), run(calls, id="r2", of="v2", answers={2: "Changed."}))
        yield made, made.runs[0], made.runs[1]
        yield made, made.runs[1], TIMED
    forked = session(
        run("a b c"), run("a b a", id="r2", forked=("r1", 2)), run("a c", id="r3", forked=("r1", 1))
    )
    yield forked, forked.runs[0], forked.runs[1]
    yield forked, forked.runs[2], forked.runs[0]


def everything() -> str:
    rows: list[str] = []
    for whole, a, b in pairs():
        rows += [f"{a.id} {b.id}", *told(compare(whole, a, whole, b))]
    return "\n".join(row.rstrip() for row in rows) + "\n"


def test_all_that_is_told_of_pairs() -> None:
    made = everything()
    if os.environ.get("PLANSCOPE_UPDATE_READINGS"):
        EXPECTED.write_text(made, encoding="utf-8")
    assert made.splitlines() == EXPECTED.read_text(encoding="utf-8").splitlines()


def test_the_same_call_saves_more_than_another_of_its_action() -> None:
    one, other = Key("a", "{}", 1, ToolCall("a")), Key("a", "{}", 5, ToolCall("a"))
    assert one == other and one.saved(other) == 4
    assert one.saved(replace(other, written="[]")) == 3


def test_long_parts_that_are_the_same_are_shortened() -> None:
    def shortened(*parts: TextPart) -> list[tuple[tuple[int, int], tuple[int, int], bool]]:
        return [(part.a, part.b, cut) for part, cut in wording.elided(parts, 3)]

    changed = TextPart("changed", (20, 25), (30, 31))
    first, last = TextPart("same", (0, 20), (10, 30)), TextPart("same", (25, 45), (31, 51))
    assert shortened(first, changed, last) == [
        ((17, 20), (27, 30), True),
        ((20, 25), (30, 31), False),
        ((25, 28), (31, 34), False),
        ((45, 45), (51, 51), True),
    ]
    assert shortened(changed, last, replace(changed, a=(45, 60), b=(51, 70)))[1:3] == [
        ((25, 28), (31, 34), False),
        ((42, 45), (48, 51), True),
    ]
    six = TextPart("same", (0, 6), (0, 6))
    assert shortened(six) == [((0, 6), (0, 6), False)]
    assert shortened(replace(six, a=(0, 7), b=(0, 7))) == [((7, 7), (7, 7), True)]


def test_rows_far_from_a_difference_are_counted() -> None:
    same = [CallRow("same", n, n) for n in range(20)]
    one = [*same[:8], CallRow("gone", 8, None), *same[9:]]
    assert list(wording.shortened(one)) == [6, *one[6:11], 9]
    assert list(wording.shortened(one, everything=True)) == one
    assert list(wording.shortened(same)) == same
    assert list(wording.shortened(one[2:10])) == one[2:10] and list(wording.shortened(one[:9])) == [
        6,
        *one[6:9],
    ]


def test_answers_that_differ_are_quoted() -> None:
    assert wording._answer(SimpleNamespace(answer=None, refused_by=None)) == "none"
    refused = SimpleNamespace(answer="x" * 90, refused_by="guard")
    assert wording._answer(refused) == f"“{'x' * 79}…” (refused by the guard)"
