"""The sessions that ship with planscope: each opens, says what it says, and can be made again."""

from __future__ import annotations

import pytest

from planscope.dissection.summary import summary
from planscope.documents.query import constraint_documents
from planscope.documents.rules import TraceDocument
from planscope.language.tree_json import dump
from planscope.oracle.replay import replay
from planscope.rules.checking import examine
from planscope.rules.in_session import rules_of
from planscope.rules.many import check_traces
from planscope.rules.report import CheckOptions
from planscope.session.locations import DEFAULT, bundled
from planscope.session.model import variant_of
from planscope.session.oracle_input import problem_of, reading_of
from planscope.session.store import dumps, load
from planscope.session.traces import trace_of
from tests.make_causes import CAUSES
from tests.make_sessions import SESSIONS
from tests.nightly import nightly

EXPECTED = {
    "first-look": [("right", None, None), ("wrong", "parameter_error", 2)],
    "figure-5": [("right", None, None), ("wrong", "order_error", 1)],
    "figure-7": [("right", None, None), ("wrong", "parameter_error", 1)],
    "figure-10": [("right", None, None), ("wrong", "parameter_error", 1)],
    "error-timeout": [("wrong", "timeout", "end")],
    "error-act": [("wrong", "act_error", "end")],
    "error-lost": [("wrong", "action_lost", "end")],
    "error-repeated": [("wrong", "action_repeated", 3)],
}


RULED = {"returns-desk": [("right", None, []), ("wrong", 4, ["c4", "c5"]), ("wrong", 2, ["c2"])]}
"""Sessions with rules: of each run the verdict, the first lost step, and the rules of the core."""


def test_all_are_there_and_the_default_fails() -> None:
    causes = {f"cause-{cause.lower()}" for cause in CAUSES}
    assert set(bundled()) == set(SESSIONS) == set(EXPECTED) | set(RULED) | causes
    assert EXPECTED[DEFAULT][-1][0] == "wrong"
    assert len(load(bundled()[DEFAULT]).variants[0].actions) == 5


@pytest.mark.parametrize("name", EXPECTED)
def test_each_is_judged_as_its_title_says_and_z3_agrees(name: str) -> None:
    session = load(bundled()[name])
    found = []
    for run in session.runs:
        judged = replay(problem_of(variant_of(session, run)), trace_of(run))
        verdict = judged.verdict()
        first = verdict.first_violation
        found.append((verdict.verdict, verdict.error_type, first.step if first else None))
        assert judged.certify() == "confirmed"
    assert found == EXPECTED[name]


@pytest.mark.parametrize("name", RULED)
def test_each_with_rules_is_judged_as_it_says(name: str) -> None:
    session = load(bundled()[name])
    file = rules_of(session)
    assert file is not None and examine(file.rules).contradiction is None
    found = []
    for judged in check_traces(map(trace_of, session.runs), file, CheckOptions()):
        fields = TraceDocument.about(judged.checked).as_data()
        first = fields["first_violation"] or {"step": None, "rules": []}
        found.append((fields["verdict"], first["step"], first["rules"]))
    assert found == RULED[name]


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_kept_is_what_the_text_says(name: str) -> None:
    for variant in load(bundled()[name]).variants:
        reading = reading_of(variant)
        assert variant.constraints == constraint_documents(reading.problem)
        assert variant.query.tree is not None
        assert strip(variant.query.tree) == strip(dump(reading.tree))


def strip(tree: object) -> object:
    """A tree without its words: reading finds synonyms, not always the same entry."""
    if isinstance(tree, dict):
        return {k: strip(v) for k, v in tree.items() if k not in ("words", "conj")}
    return [strip(one) for one in tree] if isinstance(tree, list) else tree


LONG = [name for name in SESSIONS if name.startswith("cause-") and name != "cause-terminal"]
"""Sessions of a dissection, which take seconds each."""


@pytest.mark.parametrize("name", [*(name for name in SESSIONS if name not in LONG), *nightly(*LONG)])
def test_each_can_be_made_again(name: str) -> None:
    assert dumps(SESSIONS[name]()) == bundled()[name].read_bytes()


@pytest.mark.parametrize("cause", CAUSES)
def test_each_cause_is_named_by_its_dissection(cause: str) -> None:
    session = load(bundled()[f"cause-{cause.lower()}"])
    found = summary(session, session.dissections[-1])
    assert found.decision.cause == cause and (found.decision.confidence or 0) > 0.9
    assert found.began is not None and found.began.verdict == "wrong"


def test_figure_10_is_the_papers_run() -> None:
    session = load(bundled()["figure-10"])
    calls = [(c.tool, c.arguments) for c in trace_of(session.runs[-1]).calls]
    assert calls == [
        ("attending_training_sessions", {"start_time": 10}),
        ("applying_hair_color", {"start_time": 8}),
        ("sanitizing_tools", {"start_time": 18}),
    ]
