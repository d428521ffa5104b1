"""The list of runs: filters and their counts, and at which step runs were lost."""

from __future__ import annotations

import pytest

from planscope.rules.in_session import problem_in
from planscope.session.locations import bundled
from planscope.session.model import Run, Session
from planscope.session.record import record_of
from planscope.session.run_list import (
    MINE,
    TRIALS,
    Facet,
    ListedRun,
    Outcome,
    counts_of,
    facets_of,
    loss_lines,
    losses_of,
    matches,
    outcomes_of_runs,
    tally,
    trials_of,
)
from planscope.session.store import load
from tests.session.make import figure_10

OUTCOMES = [
    Outcome("wrong", "parameter_error", "1", "attending_training_sessions"),
    Outcome("right"),
    Outcome("wrong", "order_error", "3", "sanitizing_tools"),
    Outcome("wrong", "order_error", "3", "applying_hair_color"),
    Outcome("wrong", "action_lost", "end"),
    Outcome("aborted"),
    None,
]


def listed() -> list[ListedRun]:
    record = record_of(figure_10().runs[0])
    models = ["sim:careful", "sim:literal"]
    return [
        ListedRun(n, record._replace(id=f"r{n}", model=models[n % 2]), outcome, trial=n > 5)
        for n, outcome in enumerate(OUTCOMES, 1)
    ]


def test_the_oracle_says_where_a_run_was_lost() -> None:
    session = figure_10()
    run = session.runs[0]
    short = run.model_copy(update={"id": "r2", "events": [*run.events[:4], run.events[-1]]})
    at = ("1", "attending_training_sessions")
    expected = [
        Outcome("wrong", "parameter_error", *at, error_type="parameter_error", shows="2"),
        Outcome("wrong", "action_lost", *at, error_type="action_lost", shows="end"),
    ]
    assert list(outcomes_of_runs(session, [run, short], problem_in)) == expected
    unreadable = session.variants[0].query.model_copy(update={"text": "no query"})
    session.variants[0] = session.variants[0].model_copy(update={"query": unreadable})
    assert list(outcomes_of_runs(session, [run], problem_in)) == [Outcome("unknown")]


@pytest.mark.parametrize(
    ("words", "facets", "found"),
    [
        ("", [], [1, 2, 3, 4, 5, 6, 7]),
        ("", [Facet("verdict", "wrong")], [1, 3, 4, 5]),
        ("", [Facet("error", "order_error"), Facet("error", "action_lost")], [3, 4, 5]),
        ("", [Facet("error", "order_error"), Facet("model", "sim:careful")], [4]),
        ("", [Facet("lost", "3")], [3, 4]),
        ("", [Facet("made", MINE)], [1, 2, 3, 4, 5]),
        ("", [Facet("made", TRIALS), Facet("verdict", "wrong")], []),
        ("order error", [], [3, 4]),
        ("lost at the end", [], [5]),
        ("LITERAL r3", [], [3]),
        ("action_lost", [], [5]),
        ("nothing such", [], []),
    ],
)
def test_words_and_filters_find_runs(words: str, facets: list[Facet], found: list[int]) -> None:
    assert [one.number for one in listed() if matches(one, words, facets)] == found


def test_only_filters_that_tell_runs_apart_are_offered_steps_in_their_order() -> None:
    counts = counts_of(map(facets_of, listed()))
    assert (Facet("verdict", "wrong"), 4) in counts
    assert [(f.value, n) for f, n in counts if f.kind == "lost"] == [("1", 1), ("3", 2), ("end", 1)]
    assert not [f for f, _ in counts if f.kind in ("agent", "query")], "all runs have the same"
    assert [f.kind for f, _ in counts] == sorted(
        (f.kind for f, _ in counts), key=["verdict", "error", "lost", "model", "made"].index
    )


def test_a_histogram_over_steps_has_the_gaps_too_and_says_what_is_in_no_bar() -> None:
    losses = losses_of(listed())
    assert [(row.step, row.runs) for row in losses.rows] == [("1", 1), ("2", 0), ("3", 2), ("end", 1)]
    assert dict(losses.rows[2].by) == {"sanitizing_tools": 1, "applying_hair_color": 1}
    assert losses.rows[3].by == (("missing action", 1),)
    assert (losses.lost, losses.total, losses.most) == (4, 7, 2)
    assert losses.rest == "1 right, 1 aborted, 1 to be judged"
    assert list(loss_lines(losses, 4))[3] == "  step 3   ####    2  sanitizing_tools 1, applying_hair_color 1"
    far = [
        ListedRun(n, one.run, Outcome("wrong", "order_error", step))
        for n, one, step in zip((1, 2), listed(), ("2", "900"), strict=False)
    ]
    assert [row.step for row in losses_of(far).rows] == ["2", "900"]


def test_the_counts_are_those_of_lists_of_sessions() -> None:
    counts = tally(listed())
    assert (counts.right, counts.wrong, counts.aborted, counts.share) == (1, 4, 1, "1/5")


def test_runs_of_dissections_are_known() -> None:
    session = load(bundled()["cause-terminal"])
    own: list[Run] = [run for run in session.runs if run.id not in trials_of(session)]
    assert [run.id for run in own] == ["r1"] and isinstance(session, Session)
