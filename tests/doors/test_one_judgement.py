"""One run has one judgement: what every door prints of it is equal."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import planscope
from planscope.oracle.replay import replay
from planscope.oracle.trace import Cause, ToolCall, Trace
from planscope.oracle.verdict_types import Core as OracleCore
from planscope.oracle.verdict_types import Finding, Verdict, Violation, proved
from planscope.report import verdict_blocks
from planscope.session.locations import bundled
from planscope.session.model import EndEvent, ErrorEvent, Session
from planscope.session.oracle_input import problem_of
from planscope.session.record import record_of
from planscope.session.store import load, save
from planscope.session.traces import trace_of
from planscope.show.text import lines
from planscope.wording import phrases, terms
from tests.cli.conftest import cli as cli
from tests.cli.support import Cli, run, session, variant
from tests.doors.one_judgement import count
from tests.nightly import rounds

AB = variant("A comes before B.", ["a", "b"])


def test_all_doors_say_the_same_of_random_runs() -> None:
    counts = count(rounds(30, 60), 1000)
    assert {"right", "wrong", "aborted", "cut_off", "not_judged"} <= counts.keys()
    assert {"Z3 confirmed", "Z3 not_asked", "Z3 gave_up"} <= counts.keys()
    assert counts["headline is not primary"] >= 2


@pytest.mark.parametrize(("name", "error"), [("error-timeout", "timeout"), ("error-act", "act_error")])
def test_a_run_that_is_lost_only_at_its_end_is_named_by_its_primary_error(
    cli: Cli, name: str, error: str
) -> None:
    """What is missing at the end is the symptom of a timeout, or of a call that failed."""
    words = terms.FINDINGS[error]
    listed = cli("runs", name, "--json").json["runs"][0]
    assert listed["error_type"] == error == listed["headline"]["type"] and listed["lost"] == "end"
    assert cli("check", name).out.startswith(f"WRONG: {words}\n")
    assert f"  {words}  " in cli("runs", name).out
    (entry,) = cli("sessions", "list", name, "--json").json["sessions"]
    assert entry["error_type"] == error == entry["headline"]["type"]
    assert cli("export", name, "--format", "markdown").out.startswith(f"## ✗ Wrong: {words}")


def test_json_has_the_primary_error_and_lists_and_filters_go_by_the_headline(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "case.planscope.json"
    made = session(AB, run("b"))  # the order is broken at step 1, and an action is missing at the end
    save(made, path)
    (listed,) = cli("runs", path, "--json").json["runs"]
    assert listed["error_type"] == "action_lost" == cli("check", path, "--json").json["error_type"]
    assert listed["headline"] == {"type": "order_error", "step": 1}
    assert "order error" in cli("runs", path).out and "missing action" not in cli("runs", path).out
    assert cli("runs", path, "--error-type", "order_error", "--json").json["runs"]
    assert not cli("runs", path, "--error-type", "action_lost", "--json").json["runs"]


def test_where_names_the_cause_before_the_symptom() -> None:
    def told(lost: Any, shows: Any, **options: Any) -> str:
        core = OracleCore(("c1",), ())
        found = (Finding("order_error", shows),)
        return phrases.where(Verdict("wrong", "order_error", found, Violation(lost, "c1", core)), **options)

    assert told(2, 3) == "lost at step 2, shows at step 3"
    assert told(2, 3, brief=True) == "lost at step 2, shows 3"
    assert told(2, 3, at=phrases.step_name, brief=True) == "lost step 2, shows 3"
    assert told(0, 3, brief=True) == "contradictory query"
    assert told(2, 2) == "lost at step 2" and told(2, "end") == "lost at step 2, shows at the end"
    assert (
        told("end", 3) == "at step 3, lost at the end"
        and told(0, 1) == "contradictory query, shows at step 1"
    )


CAUSES: list[tuple[Cause | None, str, str]] = [
    ("cut_off", "CUT OFF", "The run is cut off, which is not a planning error: it."),
    ("stopped", "STOPPED", "A person stopped the run, which is not a planning error: it."),
    (
        "tool",
        "ABORTED (a tool or the agent failed)",
        "The run was aborted because a tool or the agent failed, which",
    ),
    ("model", "ABORTED (the model failed)", "The run was aborted because the model failed, which"),
    ("network", "ABORTED (the network failed)", "The run was aborted because the network failed, which"),
    (None, "ABORTED", "The run was aborted, which is not a planning error: it."),
]


@pytest.mark.parametrize(("cause", "title", "told"), CAUSES)
def test_what_ended_a_run_early_is_said(cause: Cause | None, title: str, told: str, tmp_path: Path) -> None:
    one = run("a", ending="aborted", reason="it")
    end = EndEvent(at=1, ending="aborted", reason="it", cause=cause)
    made = session(AB, one.model_copy(update={"events": [*one.events[:-1], end]}))
    save(made, tmp_path / "case.planscope.json")
    said = planscope.explain(str(tmp_path / "case.planscope.json"))
    assert said.startswith(f"{title}\n") and told in " ".join(said.split())
    checked = planscope.check(str(tmp_path / "case.planscope.json"))
    assert (checked.verdict, checked.reason) == ("aborted", cause)


def test_a_failed_tool_is_no_trouble_of_model_or_network() -> None:
    events = [
        ErrorEvent(kind="tool", text="RuntimeError: disk full"),
        EndEvent(ending="aborted", reason="disk full"),
    ]
    one = run("a").model_copy(update={"events": [*run("a").events[:-1], *events]})
    assert record_of(one).cause == "tool"
    assert phrases.ending(record_of(one)) == "aborted: disk full"
    assert phrases.ending(record_of(run("a", ending=None))) == "cut off: the record breaks off here"


def test_a_run_without_a_reason_says_so(tmp_path: Path) -> None:
    save(session(AB, run("a", ending="aborted")), tmp_path / "case.planscope.json")
    said = " ".join(planscope.explain(str(tmp_path / "case.planscope.json")).split())
    assert said.startswith("ABORTED The run was aborted") and "no reason was recorded" in said


def test_the_end_of_a_run_by_its_agent_is_not_called_stopped() -> None:
    assert phrases.ending(record_of(run("a"))) == "the agent ended the run"
    assert terms.ended("aborted", "stopped") == "stopped"


def ruled(rules: str, *calls: tuple[str, dict[str, Any]], ending: str = "stopped") -> Session:
    made = load(bundled()["returns-desk"])
    (one,) = made.runs[:1]
    events = [*one.events[:1], *run(*calls).events[1:-1], EndEvent(ending=ending)]
    return made.model_copy(update={"rules": rules, "runs": [one.model_copy(update={"events": events})]})


def test_a_misspelt_argument_is_named_at_every_door(cli: Cli, tmp_path: Path) -> None:
    rule = "get_order comes before close_ticket for the same orderid."
    made = ruled("", ("get_order", {"order_id": 7}), ("close_ticket", {"order_id": 7}))
    made.rules = rule
    path = tmp_path / "case.planscope.json"
    save(made, path)
    (tmp_path / "rules.txt").write_text(rule)
    line = "no call of get_order has orderid; did you mean order_id?"
    for told in (
        cli("check", path).out,
        cli("check", path, "--rules", tmp_path / "rules.txt").out,
        planscope.explain(str(path)),
        planscope.explain(str(path), rules=rule),
    ):
        assert line in " ".join(told.split())
    given = planscope.check(str(path), rules=rule)
    own = planscope.check(str(path))
    for warnings in (own.warnings, given.warnings, given.traces[0].warnings):
        assert any(line in one for one in warnings)
    with pytest.raises(AssertionError, match="note: line 1: no call of get_order has orderid"):
        planscope.plan_rules(rule).check(str(path))


def test_a_right_run_that_is_cut_off_is_warned_about(cli: Cli, tmp_path: Path) -> None:
    made = ruled("get_order comes before close_ticket.", ("get_order", {"order_id": 7}))
    events = made.runs[0].events[:-1]
    made.runs = [made.runs[0].model_copy(update={"events": events})]
    path = tmp_path / "case.planscope.json"
    save(made, path)
    line = "the run is cut off, and nothing is owed so far: the record breaks off here"
    done = cli("check", path)
    assert done.status == 0 and done.out.startswith("RIGHT") and line in " ".join(done.out.split())
    document = cli("check", path, "--json").json
    assert (document["verdict"], document["reason"], document["warnings"]) == ("right", None, [line])
    (tmp_path / "rules.txt").write_text(made.rules or "")
    given = cli("check", path, "--rules", tmp_path / "rules.txt", "--json").json
    assert given["traces"][0]["warnings"] == [line] and any(line in one for one in given["warnings"])


def test_a_value_keeps_its_type_in_words(tmp_path: Path) -> None:
    rule = "look first: get_order comes before close_ticket for the same order_id."
    made = ruled(rule, ("get_order", {"order_id": 7}), ("close_ticket", {"order_id": "7"}))
    save(made, tmp_path / "case.planscope.json")
    said = " ".join(planscope.explain(str(tmp_path / "case.planscope.json")).split())
    assert 'for order_id "7" (step 1 has 7, a number).' in said
    given = planscope.check(str(tmp_path / "case.planscope.json"), rules=rule)
    assert json.loads(given.traces[0].rules[0].value or "") == "7", "no number"
    numbers = ruled(rule, ("close_ticket", {"order_id": 7}))
    save(numbers, tmp_path / "numbers.planscope.json")
    assert "for order_id 7." in " ".join(planscope.explain(str(tmp_path / "numbers.planscope.json")).split())


def test_without_a_query_no_plan_is_spoken_of(cli: Cli, tmp_path: Path) -> None:
    made = ruled("mine: get_order never happens.", ("get_order", {"order_id": 7}), ("close_ticket", {}))
    path = tmp_path / "case.planscope.json"
    save(made, path)
    for told in (
        cli("check", path).out,
        cli("replay", path).out,
        cli("reasons", path).out,
        cli("walk", path, stdin="x\nxx\nn\nN\n").out,
    ):
        assert "plan" not in told.replace("planscope", "").replace("planning", ""), told
        assert "mine" in told and "c1 (" not in told


def test_z3_is_only_spoken_of_if_it_was_asked(cli: Cli, tmp_path: Path) -> None:
    """A core of rules with a time is not shown to Z3, so nothing is said of it."""
    path = tmp_path / "case.planscope.json"
    save(ruled("close_ticket never happens.", ("close_ticket", {}), ending="aborted"), path)
    assert cli("check", path, "--json").json["proof"] == "confirmed"
    save(ruled("Every get_order is followed by close_ticket.", ("get_order", {}), ending="aborted"), path)
    document = cli("check", path, "--json").json
    assert (document["proof"], document["certified"]) == ("not_asked", None)
    assert "Z3" not in cli("check", path).out
    save(ruled("get_order never happens.", ("get_order", {})), path)
    assert "Z3 confirms each of them." in cli("reasons", path).out
    assert "Z3" not in cli("reasons", path, "--no-certify").out


def test_what_z3_denies_is_no_verdict() -> None:
    judged = replay(problem_of(AB), Trace((ToolCall("b"), ToolCall("a"))))
    verdict = judged.verdict()
    denied = proved(verdict, "denied")
    assert (denied.verdict, denied.headline, denied.first_violation) == ("unknown", None, None)
    assert next(lines(verdict_blocks(judged, denied))) == "NOT DECIDED"
    assert proved(verdict, "gave_up") == replace(verdict, proof="gave_up") and verdict.certified is None


def test_a_record_that_breaks_off_is_cut_off() -> None:
    assert trace_of(run("a", ending=None)).cause == "cut_off"
    assert trace_of(run("a", ending="aborted")).cause is None


def test_a_repair_may_hold_a_call_that_was_no_first_execution() -> None:
    """Rules that are kept change nothing, so the repair has the calls as they were, with one that did not run."""
    assert count(1, 6159)["wrong"] == 1
