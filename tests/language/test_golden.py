"""The paper's own examples, to the letter."""

from __future__ import annotations

from planscope.language.problem import Constraint
from tests.language.support import read, said

FIGURE_10 = (
    "Attending training sessions follow 10:00. Applying hair color, which occur before sanitizing tools, are "
    "carried out earlier than attending training sessions, which are executed in advance of sanitizing tools, "
    "but sanitizing tools follow 18:00. Attending training sessions should be carried out in front of 12:00."
)


def words(text: str, constraint: Constraint) -> list[str]:
    return [text[start:end] for start, end in constraint.spans]


def test_figure_5() -> None:
    text = "Network diagnosis comes after network status check."
    reading = read(text, ("network diagnosis", "network status check"))
    assert [c.text for c in reading.problem.said] == ["a1 > a2"]
    assert [(c.id, c.kind) for c in reading.problem.constraints] == [
        ("c1", "order"),
        ("b1", "once"),
        ("b2", "all_done"),
    ]
    only = reading.problem.by_id["c1"]
    assert (only.before, only.after, only.sentence, only.node) == ("a2", "a1", 0, (0, "clause", 0))
    assert words(text, only) == ["Network diagnosis", "comes after", "network status check"]
    assert only.spans == ((0, 17), (18, 29), (30, 50))


def test_figure_3() -> None:
    names = ("network diagnosis", "network speed test", "network status check")
    text = (
        "Network diagnosis precedes network speed test, which should be executed after network status check."
    )
    reading = read(text, names)
    assert [c.text for c in reading.problem.said] == ["a1 < a2", "a2 > a3"]
    chain = ["a1", "a3", "a2"]
    for c in reading.problem.said:
        assert c.before is not None and c.after is not None
        assert chain.index(c.before) < chain.index(c.after)


def test_figure_7() -> None:
    text = (
        "Network diagnosis comes before network speed test, which occurs before 15:00. "
        "Network diagnosis should be executed after 10:00."
    )
    reading = read(text, ("network diagnosis", "network speed test"), timed=True)
    assert [c.text for c in reading.problem.said] == ["a1.end <= a2.start", "a2.end <= 15", "a1.start >= 10"]
    assert [c.kind for c in reading.problem.said] == ["order", "end_at_most", "start_at_least"]
    assert [words(text, c) for c in reading.problem.said] == [
        ["Network diagnosis", "comes before", "network speed test"],
        ["network speed test", "before", "15:00"],
        ["Network diagnosis", "after", "10:00"],
    ]
    assert [c.sentence for c in reading.problem.said] == [0, 0, 1]
    assert reading.problem.by_id["c2"].node == (0, "clause", 0, "object", "relative")
    assert [c.id for c in reading.problem.constraints if c.is_rule] == ["b1", "b2", "b3", "b4", "b5"]


def test_figure_10() -> None:
    names = ("sanitizing tools", "applying hair color", "attending training sessions")
    reading = read(FIGURE_10, names, timed=True)
    assert [c.text for c in reading.problem.said] == [
        "a3.start >= 10",
        "a2.end <= a1.start",
        "a2.end <= a3.start",
        "a3.end <= a1.start",
        "a1.start >= 18",
        "a3.end <= 12",
    ]
    assert [c.id for c in reading.problem.said] == ["c1", "c2", "c3", "c4", "c5", "c6"]
    assert words(FIGURE_10, reading.problem.by_id["c3"]) == [
        "Applying hair color",
        "earlier than",
        "attending training sessions",
    ]


def test_the_same_without_time_tells_where_the_times_stand() -> None:
    text = "Network diagnosis comes before network speed test."
    assert said(text, ("network diagnosis", "network speed test")) == ["a1 < a2"]
