"""Explanations: plain sentences that name actions, quote the request, and never show an id."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from planscope.language.problem import make_actions
from planscope.language.reading import read_query
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.wording.explain import explain_verdict
from tests.oracle import brute
from tests.session.make import TEXT


def run_of(text: str, names: str, calls: str, durations: Sequence[int] | None = None) -> Replay:
    actions = make_actions(names.split(", "), durations)
    problem = read_query(text, actions, timed=durations is not None).problem
    made = []
    for word in calls.split(", "):
        name, _, hour = word.partition("@")
        tool = next((a.tool for a in actions if a.name == name), name)
        made.append(ToolCall(tool, {"start_time": int(hour)} if hour else {}))
    return replay(problem, Trace(tuple(made)))


def test_an_order_that_was_broken() -> None:
    run = run_of(
        "Hair coloring, which occurs before tool cleaning, follows sweeping.",
        "hair coloring, tool cleaning, sweeping",
        "sweeping, tool cleaning, hair coloring",
    )
    assert explain_verdict(run, run.verdict()) == (
        "At step 2 tool cleaning ran before hair coloring, but sentence 1 says: "
        "“Hair coloring, which occurs before tool cleaning”."
    )


def test_figure_10_says_what_was_wrong_and_where_it_was_lost() -> None:
    run = run_of(
        TEXT,
        "sanitizing tools, applying hair color, attending training sessions",
        "attending training sessions@10, applying hair color@8, sanitizing tools@18",
        [1, 2, 2],
    )
    said = explain_verdict(run, run.verdict())
    assert said.startswith(
        "At step 2 applying hair color started at 8:00, but the calls before it lasted until 12:00"
    )
    assert (
        "From step 1 on nothing could save the plan: attending training sessions started at 10:00 and "
        "applying hair color had to end by then, but nothing can start before 12:00 any more" in said
    )


def test_what_was_never_done() -> None:
    run = run_of("A precedes B.", "A, B, C", "A")
    assert explain_verdict(run, run.verdict()) == (
        "The agent ended the run without doing B and C, and every task must be executed."
    )


def test_a_contradiction_quotes_both_sentences() -> None:
    run = run_of("A precedes B. B precedes A.", "A, B", "A, B")
    said = explain_verdict(run, run.verdict())
    assert "The query contradicts itself" in said
    assert "sentence 1 says: “A precedes B”" in said and "sentence 2 says: “B precedes A”" in said


def test_no_id_ever_shows_and_every_sentence_ends() -> None:
    for seed in range(600):
        rng = random.Random(seed)
        problem, trace = brute.random_timed(rng) if seed % 2 else brute.random_base(rng)
        run = replay(problem, trace)
        text = explain_verdict(run, run.verdict())
        assert text and text.endswith("."), text
        assert not re.search(r"\b[abc][0-9]+\b", text), text
        assert "  " not in text and "None" not in text and "?" not in text, text
        assert ".." not in text and "; The" not in text, text
        assert text[0].isupper(), text
