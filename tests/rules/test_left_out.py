"""Traces with calls that were left out: what was not understood leaves a rule unknown, unless it is broken anyway."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from planscope.case import judge_by
from planscope.documents.rules import SummaryDocument, TraceDocument
from planscope.language.problem import make_actions
from planscope.language.reading import read_query
from planscope.oracle import trace as oracle_trace
from planscope.oracle.replay import replay
from planscope.oracle.trace import LeftOut, Said, ToolCall, Trace
from planscope.rules.beside import checked_run, judged_trace, ruled
from planscope.rules.ci import JUnit, Sarif
from planscope.rules.many import Judged, check_traces
from planscope.rules.reading import read_rules
from planscope.rules.report import Checked, CheckOptions, Summary
from planscope.session.store import dumps, loads
from planscope.session.traces import session_of

MISSED = LeftOut("not understood", "a call without a name", "messages[3].tool_calls[0]", 2)
GOLD = LeftOut("not of this run", "a gold plan", "gold[0]", 5)


def trace(*tools: str, left_out: tuple[LeftOut, ...] = (MISSED,), id: str = "t1") -> Trace:
    calls = [ToolCall(tool, {"id": 7}, answer="ok", answered=True, failed=False) for tool in tools]
    return Trace(calls, id=id, format="test", left_out=list(left_out))


def checked(rules: str, *traces: Trace, running: bool = False) -> tuple[list[Checked], Summary]:
    file = read_rules(rules)
    found = [one.checked for one in check_traces(traces, file, CheckOptions(running=running))]
    summary = Summary(list(file.rules))
    for one in found:
        summary.add(one)
    return found, summary


@pytest.mark.parametrize(
    ("rule", "tools", "verdict"),
    [
        ("a never happens.", "a", "wrong"),
        ("a happens at most once.", "a a", "wrong"),
        ("a happens at most once.", "a", "unknown"),
        ("a happens.", "", "unknown"),
        ("a happens.", "a", "unknown"),  # kept anyway, but nobody read the whole file
        ("a comes before b.", "b", "unknown"),  # an a may come before
        ("b never happens after a.", "a b", "wrong"),
        ("b happens right after a.", "c b", "unknown"),
        ("Every a is followed by b.", "a", "unknown"),
        ("a happens first.", "c a", "wrong"),
        ("a happens at most once per id.", "a a", "wrong"),
        ("Every b has its own a before it.", "a b b", "unknown"),
        ("b never happens between a and c.", "a b c", "unknown"),  # a c may come before b
        ("After a, b never happens until c.", "a b", "unknown"),
        ("Every b has x before it, with no c in between.", "x c b", "unknown"),
        ("a user message comes before a.", "a", "wrong"),  # a call is no message of the user
    ],
)
def test_a_rule_is_broken_only_if_it_is_broken_anyway(rule: str, tools: str, verdict: str) -> None:
    one = trace(*tools.split())
    found, summary = checked(rule, one)
    assert found[0].verdict == verdict
    assert summary.status == (1 if verdict == "wrong" else 2)
    run = judged_trace(read_rules(rule), one)
    assert run.verdict().verdict == verdict
    session = loads(dumps(session_of([one])), "session")
    assert judge_by(session, session.runs[0], read_rules(rule)).verdict == verdict
    whole = trace(*tools.split(), left_out=(GOLD,))
    assert checked(rule, whole)[0][0].verdict == checked(rule, replace(whole, left_out=[]))[0][0].verdict


def test_no_verdict_leans_on_what_was_left_out() -> None:
    """A lost step needs a search for calls that follow. With calls missing it is unknown; a repair is not sought."""
    run = judged_trace(
        read_rules("a happens at most once.\nEvery b is followed by c.\nc never happens."),
        trace("b", "a", "a"),
    )
    assert [view.state for view in run.steps] == ["unknown", "unknown", "unknown", "broken", "broken"]
    assert run.steps[3].core is not None and run.steps[3].core.constraints == ("c1",)
    assert run.steps[3].core.steps == (2, 3)
    assert run.safe_moves(1) == () and run.one_way(1) is None
    assert run.repair().order is None and "not understood" in (run.repair().reason or "")
    assert run.certify() == "not_asked"
    found = run.reasons()
    assert [core.steps for core in found.cores] == [(2, 3)] and found.ended == "all"


@pytest.mark.parametrize(
    ("known", "verdict", "proof"),
    [(("alpha", "beta"), "unknown", "not_asked"), (("alpha", "beta", "gamma"), "right", "confirmed")],
)
def test_z3_confirms_no_verdict_that_was_not_reached(
    known: tuple[str, ...], verdict: str, proof: str
) -> None:
    rules = read_rules("alpha happens at most once.\ngamma never happens.").among(known)
    query = read_query("Alpha happens before beta.", make_actions(["alpha", "beta"])).problem
    one = trace("alpha", "beta", left_out=())
    for run in (judged_trace(rules, one), replay(ruled(query, rules), one)):
        assert (run.verdict().verdict, run.certify()) == (verdict, proof)
    wrong = replay(ruled(query, rules), trace("beta", "alpha", left_out=()))
    assert (wrong.verdict().verdict, wrong.certify()) == ("wrong", "confirmed")
    why = checked_run(wrong, rules, "t1").why
    assert why is not None and (why.step, why.proof) == (1, "confirmed")


def test_a_query_is_not_judged_where_calls_are_missing() -> None:
    problem = read_query("Alpha happens before beta.", make_actions(["alpha", "beta"])).problem
    found = replay(problem, trace("alpha", "beta")).verdict()
    assert (found.verdict, found.told) == ("unknown", "not_judged")
    assert replay(problem, trace("alpha", "beta", left_out=(GOLD,))).verdict().verdict == "right"


def test_every_report_says_what_was_left_out(tmp_path: Path) -> None:
    found, summary = checked("x: a comes before b.\na only reads.", trace("b", left_out=(MISSED, GOLD)))
    fields = TraceDocument.about(found[0]).as_data()
    assert [(one["kind"], one["count"], one["path"]) for one in fields["left_out"]] == [
        ("not understood", 2, "messages[3].tool_calls[0]"),
        ("not of this run", 5, "gold[0]"),
    ]
    assert SummaryDocument.about(summary).as_data()["left_out"][1] == {
        "kind": "not of this run",
        "reason": "a gold plan",
        "path": "t1, gold[0]",
        "count": 5,
    }
    assert fields["explanation"].startswith(
        "2 calls not understood: a call without a name (first: messages[3]"
    )
    assert "x" in fields["explanation"]
    assert [line.split(":")[1].strip() for line in summary.notes()] == [
        "2 calls not understood",
        "5 calls not of this run",
    ]
    junit, sarif = JUnit(), Sarif(read_rules("x: a comes before b.\na only reads.").rules, "r.rules")
    junit.add(Judged(found[0], "f.json"))
    junit.write(tmp_path / "j.xml")
    case = ET.parse(tmp_path / "j.xml").getroot().find(".//testcase")
    assert case is not None and case.find("skipped") is not None
    assert "5 calls not of this run" in (case.findtext("system-out") or "")
    sarif.add(Judged(found[0], "f.json"))
    notes = sarif.log()["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    assert [(one["level"], "t1" in one["message"]["text"]) for one in notes] == [
        ("warning", True),
        ("note", True),
    ]


def test_grades_that_say_otherwise_are_findings_of_their_own() -> None:
    graded = [
        replace(trace("a", left_out=()), id="good but 0", reward=0.0),
        replace(trace("a", left_out=()), id="good", reward=1.0),
        replace(trace("b", left_out=()), id="bad but 1", reward=1.0),
    ]
    found, summary = checked("b never happens.", *graded)
    assert [one.reward for one in found] == [0.0, 1.0, 1.0]
    assert list(summary.notes()) == [
        "Graded 0, keeps all rules: 1 trace (good but 0).",
        "Graded 1, violates a rule: 1 trace (bad but 1).",
    ]
    assert SummaryDocument.about(summary).graded_but == {
        "graded 0, keeps all rules": 1,
        "graded 1, violates a rule": 1,
    }
    assert summary.status == 1
    assert judged_trace(read_rules("b never happens."), graded[0]).verdict().notes == (
        "graded 0, keeps all rules",
    )


def test_what_comes_after_the_last_call_that_is_kept_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle_trace, "MOST_CALLS", 3)
    full = Trace(
        trace("a", "b", "c", left_out=()).items,
        "aborted",
        "only the first 3 calls were read",
        "cut_off",
        id="t",
    )
    states = {
        "a comes before b.": "kept",  # the first a is before whatever follows
        "a happens.": "kept",
        "x never happens.": "unknown",
        "Every c is followed by x.": "unknown",
        "a happens at most once.": "unknown",
        "c never happens after b.": "broken",
    }
    found, _ = checked("\n".join(states) + "\nx is a tool.", full)
    assert {one.rule.text.rstrip(".") + ".": one.state for one in found[0].results} == states


def test_said_by_the_user_is_no_call() -> None:
    """A message of the user between calls is not among what can be missing."""
    items = [Said("user", "go"), ToolCall("a", {}), ToolCall("a", {})]
    one = Trace(items, id="t", left_out=[MISSED])
    assert checked("Every a has its own user message before it.", one)[0][0].verdict == "wrong"
