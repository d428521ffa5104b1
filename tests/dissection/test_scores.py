"""The bench of a family judges whether what is named is what was planted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planscope.dissection.culprit import Culprit
from planscope.dissection.evidence import Counts, CulpritKind, Decision
from planscope.language.problem import Span, make_actions
from planscope.language.reading import read_query
from planscope.session.model import Origin, make_variant
from tests.bench.bench_foreign import Blamed, blames

TEXT = (
    "Before 09:00, coffee brewing is carried out. "
    "Crew briefing occurs before seat cleaning, which precedes coffee brewing."
)
NAMES = ("coffee brewing", "crew briefing", "seat cleaning")
HOUR, BEFORE, RELATIVE = (
    TEXT[:43],
    "Crew briefing occurs before seat cleaning",
    "which precedes coffee brewing",
)


def span(words: str) -> Span:
    return TEXT.index(words), TEXT.index(words) + len(words)


def judged(
    planted: str,
    kinds: str,
    kind: CulpritKind,
    words: Sequence[str],
    constraints: Sequence[str] = (),
    either: bool = False,
) -> str:
    problem = read_query(TEXT, make_actions(NAMES), timed=True).problem
    variant = make_variant(problem, Origin(kind="written"))
    case = Blamed("a kind", frozenset(kinds.split()), variant, (span(planted),), frozenset(), lambda: ...)  # type: ignore[arg-type, return-value]
    places = tuple((TEXT[: span(one)[0]].count("."), span(one), one) for one in words)
    named = Culprit(
        kind, places, tuple(constraints), "", "", "", "v", Counts(0, 9), Counts(9, 0), 0.01, either=either
    )
    return blames(case, named, Decision("Constraint", 0.98, ""))


@pytest.mark.parametrize(
    ("constraint", "planted", "said"), [("c1", HOUR, "right"), ("c1", RELATIVE, "wrong")]
)
def test_a_constraint_may_be_planted_as_its_clause(constraint: str, planted: str, said: str) -> None:
    """Its words, "Before 09:00, coffee brewing", leave the verb out."""
    assert judged(planted, "constraint clause", "constraint", [HOUR[:28]], [constraint]) == said
    assert judged(TEXT[:6], "constraint", "constraint", [HOUR[:28]], ["c1"]) == "right"


def test_a_sentence_with_one_clause_is_that_clause() -> None:
    assert judged(HOUR, "clause", "sentence", [f"{HOUR}."]) == "right"
    assert judged(RELATIVE, "clause", "sentence", [f"{HOUR}."]) == "wrong"
    assert judged(HOUR, "word", "sentence", [f"{HOUR}."]) == "wrong"


def test_of_two_places_that_each_cure_both_must_be_planted() -> None:
    assert judged(TEXT[45:], "clause", "clause", [RELATIVE, BEFORE], either=True) == "right"
    assert judged(RELATIVE, "clause", "clause", [RELATIVE, BEFORE], either=True) == "wrong"
