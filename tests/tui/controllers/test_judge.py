"""The judge: what is known of a run as its query is read and its steps are judged, asked about and certified."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from planscope.session.model import AnswerEvent, CallEvent, EndEvent, Run, Session
from planscope.tui.controllers import judge as judge_
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.judge import Facts, Judge, Judgement
from planscope.tui.controllers.run_list import judge_runs, not_judged, outcomes_of
from planscope.tui.messages import FactsFound, Judged, Notice
from tests.tui import sessions
from tests.tui.controllers.at_once import JobsAtOnce, Posted


class Court:
    """A judge of a session, its jobs and what it posted."""

    def __init__(self, session: Session, *held: str) -> None:
        self.posted, self.jobs = Posted(), JobsAtOnce(*held)
        self.document = Document(None)
        self.document.open(session)
        self.judge = Judge(self.document, self.jobs, self.posted)

    @property
    def now(self) -> Judgement:
        assert self.judge.now is not None
        return self.judge.now

    def grow(self, *tools: str, ends: bool = False) -> None:
        """The run r9 under way makes calls, which are answered."""
        if self.document.run("r9") is None:
            self.document.put_run(
                Run(id="r9", variant="v1", agent="tools", model="sim:careful"), under_way=True
            )
        for tool in tools:
            step = len(self.document.record("r9").calls) + 1
            self.document.append("r9", CallEvent(step=step, tool=tool, arguments={}))
            self.document.append("r9", AnswerEvent(step=step, text="Done."))
        if ends:
            run = self.document.run("r9")
            assert run is not None
            self.document.put_run(
                run.model_copy(update={"events": [*run.events, EndEvent(ending="stopped")]})
            )


def test_lists_of_runs_have_the_verdicts_that_the_debugger_found() -> None:
    court = Court(sessions.figure_10())
    run, *others = court.document.runs
    court.judge.look_at(run.variant, run.id)
    (judged,) = judge_runs(court.document.open_session, [run])
    assert {one.id for one in not_judged(court.document)} == {one.id for one in others}
    assert court.document.outcomes == dict([judged])
    court.grow("no_such_tool")
    court.judge.look_at("v1", "r9")
    assert "r9" not in outcomes_of(court.document)  # it is under way: its verdict may change


def unusable() -> Session:
    """Two of its actions have one name."""
    session = sessions.no_run()
    (variant,) = session.variants
    first, second, *rest = variant.actions
    twice = [first, second.model_copy(update={"name": first.name.upper()}), *rest]
    return session.model_copy(update={"variants": [variant.model_copy(update={"actions": twice})]})


# Reading and judging


def test_a_run_is_read_then_judged_and_each_is_announced() -> None:
    court = Court(sessions.out_of_order(), "read", "judge")
    assert court.judge.look_at("v1", "r1").progress == "reading" and court.judge.busy
    assert court.now.run.last == 4, "it can be stepped through at once"
    court.jobs.go("read")
    assert court.now.progress == "judging" and court.now.outline and court.now.verdict is None
    court.jobs.go("judge")
    assert court.now.progress == "judged" and court.now.over and not court.judge.busy
    assert court.now.verdict is not None and court.now.verdict.verdict == "wrong"
    assert court.now.repair is not None and court.now.links is not None
    assert [message.key for message in court.posted.of(Judged)] == [("v1", "r1")] * 2


def test_a_query_without_a_run_is_judged_as_it_stands() -> None:
    court = Court(sessions.no_run())
    court.judge.look_at("v1")
    assert court.now.progress == "judged" and court.now.run.last == 0 and court.now.repair is None


def test_a_query_that_is_none_says_where() -> None:
    court = Court(sessions.unreadable())
    court.judge.look_at("v1", "r1")
    assert court.now.progress == "unreadable" and court.now.errors and court.now.over
    assert court.now.run.last == 4 and "judge" not in court.jobs.started


def test_what_cannot_be_judged_says_why() -> None:
    court = Court(unusable())
    court.judge.look_at("v1")
    assert court.now.progress == "failed" and "have the same name" in court.now.trouble
    court.judge.look_at("v9")
    assert court.now.progress == "failed" and court.now.trouble == "This session has no query."


def test_an_error_of_the_judge_is_one_line_and_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Any:
        raise ValueError("first\x1b\nsecond")

    court = Court(sessions.out_of_order())
    with monkeypatch.context() as patch:
        patch.setattr(judge_, "judged", wrong)
        court.judge.look_at("v1", "r1")
    assert (court.now.progress, court.now.trouble) == ("failed", "ValueError: first␛")
    court.judge.forget("r1")
    court.judge.look_at("v1", "r1")
    assert court.now.progress == "judged"


def test_going_back_to_a_run_costs_nothing() -> None:
    court = Court(sessions.figure_10())
    court.judge.look_at("v1", "r1")
    first = court.now
    court.judge.look_at("v1", "r2")
    court.jobs.started.clear()
    assert court.judge.look_at("v1", "r1") is first and court.jobs.started == ["ahead"]


def test_the_query_is_read_once_for_all_its_runs() -> None:
    court = Court(sessions.figure_10())
    for run in ("r1", "r2", ""):
        court.judge.look_at("v1", run)
    assert court.jobs.started.count("read") == 1 and court.jobs.started.count("judge") == 3


def test_what_is_forgotten_is_judged_again() -> None:
    court = Court(sessions.figure_10())
    court.judge.look_at("v1", "r1")
    court.judge.look_at("v1", "r2")
    court.judge.forget("r1")
    court.judge.look_at("v1", "r1")
    assert court.jobs.started.count("judge") == 3 and court.judge.facts(0) is not None


def test_the_oldest_of_many_runs_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_, "_KEPT_RUNS", 2)
    court = Court(sessions.figure_10())
    for run in ("r1", "r2", ""):
        court.judge.look_at("v1", run)
    assert [key[1] for key in court.judge._known] == ["r2", ""]
    assert {key[1] for key, _ in court.judge._facts} == {"r2", ""}


def test_turning_away_cancels_what_was_being_found_out() -> None:
    court = Court(sessions.figure_10(), "judge")
    court.judge.look_at("v1", "r1")
    token = court.jobs.waiting["judge"].token
    court.jobs.held.clear()
    court.judge.look_at("v1", "r2")
    assert token.cancelled and court.now.key == ("v1", "r2") and court.now.progress == "judged"


# A run under way


def test_a_run_under_way_is_judged_call_by_call() -> None:
    court = Court(sessions.no_run())
    court.grow("network_audit")
    court.judge.look_at("v1", "r9")
    before = court.now.run
    assert court.now.progress == "judged" and before.last == 1 and court.now.repair is None
    court.grow("cable_survey")
    assert court.judge.follow() and court.now.run.last == 2
    assert court.now.run.steps[1] is before.steps[1], "what was judged is not judged again"
    assert not court.judge.follow(), "nothing happened since"
    court.grow("disk_check", ends=True)
    assert court.judge.follow()
    assert court.now.verdict is not None and court.now.verdict.verdict == "right"


def test_what_happens_while_a_run_is_being_judged_is_judged_behind_it() -> None:
    court = Court(sessions.no_run(), "judge")
    court.grow("network_audit")
    court.judge.look_at("v1", "r9")
    court.grow("cable_survey")
    assert court.judge.follow()
    court.jobs.go("judge")
    assert court.jobs.running("judge")
    court.jobs.go("judge")
    assert court.now.run.last == 2 and not court.judge.busy


def test_a_run_under_way_of_an_unreadable_query_grows_unjudged() -> None:
    court = Court(sessions.unreadable())
    court.grow("network_audit")
    court.judge.look_at("v1", "r9")
    court.grow("disk_check")
    assert court.judge.follow() and court.now.progress == "unreadable" and court.now.run.last == 2


def test_a_run_under_way_whose_query_cannot_be_used_grows_unjudged() -> None:
    court = Court(unusable())
    court.grow("network_audit")
    court.judge.look_at("v1", "r9")
    court.grow("disk_check")
    assert court.judge.follow() and court.now.progress == "failed" and court.now.run.last == 2


def test_nothing_is_followed_before_anything_is_looked_at_or_read() -> None:
    court = Court(sessions.no_run(), "read")
    assert not court.judge.follow()
    court.judge.look_at("v1")
    assert not court.judge.follow()


def test_a_run_that_is_gone_while_it_is_judged_is_no_trouble() -> None:
    court = Court(sessions.no_run(), "read", "judge")
    court.document.put_run(
        Run(id="r9", variant="v1", agent="tools", model="sim:careful"), under_way=True, passing=True
    )
    court.judge.look_at("v1", "r9")
    court.document.drop_run("r9")
    court.jobs.go("read")
    assert not court.judge.follow()
    court.jobs.go("judge")
    assert court.now.progress == "judged" and not court.judge.follow()
    court.judge.forget("r9")
    assert court.judge.look_at("v1", "r9").run.last == 0


# Questions about a step


def test_the_facts_of_a_short_run_are_known_with_its_verdict() -> None:
    court = Court(sessions.out_of_order())
    assert court.judge.facts(0) is None
    court.judge.look_at("v1", "r1")
    facts = [court.judge.facts(index) for index in range(5)]
    assert all(facts) and facts[0].safe and facts[0].orders == 1
    lost = facts[1]
    assert lost is not None and lost.why and lost.instead_at == 0 and lost.instead == facts[0].safe
    court.judge.ask(1)
    assert "facts" not in court.jobs.started


def test_a_step_of_a_long_run_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_, "FEW_STEPS", 0)
    court = Court(sessions.out_of_order(), "facts")
    court.judge.ask(0)
    court.judge.look_at("v1", "r1")
    court.judge.ask(1)
    assert court.judge.facts(1) is None
    court.judge.ask(2)
    court.jobs.go("facts")
    assert court.judge.facts(1) is None and court.judge.facts(2) is not None
    (found,) = court.posted.of(FactsFound)
    assert (found.key, found.index) == (("v1", "r1"), 2)
    court.judge.ask(2)
    assert court.jobs.started.count("facts") == 2


def test_the_steps_around_are_looked_up_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_, "FEW_STEPS", 0)
    monkeypatch.setattr(judge_, "_BREATH", 0.0)
    court = Court(sessions.out_of_order())
    court.judge.look_ahead(2)
    court.judge.look_at("v1", "r1")
    court.judge.look_ahead(2)
    assert [index for _, index in court.judge._facts] == [2, 1, 3, 0, 4]


def test_a_question_that_fails_is_said_and_may_be_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Facts:
        raise RuntimeError("out of \x1b luck")

    monkeypatch.setattr(judge_, "FEW_STEPS", 0)
    court = Court(sessions.out_of_order())
    court.judge.look_at("v1", "r1")
    with monkeypatch.context() as patch:
        patch.setattr(judge_, "facts_at", wrong)
        court.judge.ask(1)
    (notice,) = court.posted.of(Notice)
    assert "this step cannot be judged any further" in notice.line and "\x1b" not in notice.line
    court.judge.ask(1)
    assert court.judge.facts(1) is not None


# Z3's word


def answering(answer: str) -> Callable[..., Any]:
    return lambda run, started: judge_._replay(run) and answer


@pytest.mark.parametrize(
    ("certificate", "verdict"), [("confirmed", "wrong"), ("gave_up", "wrong"), ("denied", "unknown")]
)
def test_what_z3_says_of_the_verdict_is_kept(
    certificate: str, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge_, "certify", answering(certificate))
    court = Court(sessions.out_of_order())
    court.judge.certify()
    court.judge.look_at("v1", "r1")
    assert court.now.certificate == "asked"
    court.judge.certify()
    court.judge.certify()
    assert court.now.certificate == certificate
    assert court.now.verdict is not None and court.now.verdict.verdict == verdict
    assert court.jobs.started.count("certify") == 1
    if certificate == "denied":
        assert not court.now.verdict.findings and court.now.verdict.first_violation is None


def test_z3_that_fails_gave_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Any:
        raise RuntimeError("no memory")

    monkeypatch.setattr(judge_, "certify", wrong)
    court = Court(sessions.out_of_order())
    court.judge.look_at("v1", "r1")
    court.judge.certify()
    assert court.now.certificate == "gave_up"
    assert [n.line for n in court.posted.of(Notice)] == ["Z3 cannot be used: no memory"]


def test_z3_is_not_asked_about_a_run_under_way_and_stops_when_one_turns_away() -> None:
    court = Court(sessions.no_run(), "certify")
    court.grow("network_audit")
    court.judge.look_at("v1", "r9")
    court.judge.certify()
    assert "certify" not in court.jobs.started
    court.grow(ends=True)
    court.judge.follow()
    court.judge.certify()
    token = court.jobs.waiting["certify"].token
    court.judge.look_at("v1")
    assert token.cancelled and court.judge.look_at("v1", "r9").certificate == "asked"


def test_z3_confirms_what_is_judged() -> None:
    court = Court(sessions.out_of_order())
    court.judge.look_at("v1", "r1")
    court.judge.certify()
    assert court.now.certificate == "confirmed"


# Threads


async def test_what_is_looked_up_ahead_is_put_down_by_the_screens_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrote: list[threading.Thread] = []

    class Noted(dict[Any, Facts]):
        def __setitem__(self, key: Any, value: Facts) -> None:
            wrote.append(threading.current_thread())
            super().__setitem__(key, value)

    monkeypatch.setattr(judge_, "FEW_STEPS", 0)
    document, jobs = Document(None), Jobs(asyncio.get_running_loop())
    document.open(sessions.figure_10())
    judge = Judge(document, jobs, lambda message: None)
    judge.look_at("v1", "r1")
    while judge.busy:
        await asyncio.sleep(0.001)
    judge._facts = Noted()
    judge.look_ahead(0)
    while len(judge._facts) < 5:
        await asyncio.sleep(0.001)
    assert set(wrote) == {threading.main_thread()}
    jobs.close()


def test_what_was_looked_up_for_nobody_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_, "FEW_STEPS", 0)
    court = Court(sessions.figure_10(), "ahead")
    court.judge.look_at("v1", "r1")

    def gone(run: Any, index: int) -> Facts:
        court.jobs.cancel("ahead")
        return Facts(index)

    monkeypatch.setattr(judge_, "facts_at", gone)
    court.judge.look_ahead(0)
    court.jobs.go("ahead")
    assert not court.judge._facts
