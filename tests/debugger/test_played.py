"""What if: played calls are judged as recorded ones, options say what a replay would, and what is kept is a run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.debugger import played as what_if
from planscope.debugger.errors import DebuggerError
from planscope.debugger.played import Played, begin, call, options, outcome, play, restart, undo
from planscope.oracle.replay import Replay, replay
from planscope.oracle.schedule import Schedule, TooHard
from planscope.oracle.trace import ToolCall, Trace
from planscope.session.mock_tools import AGENT, MODEL, as_run
from planscope.session.model import AnswerEvent, CallEvent, EndEvent, PromptEvent, Session
from planscope.session.oracle_input import problem_of
from planscope.session.store import load, save
from planscope.session.traces import trace_of
from planscope.session.validation import check_references
from tests.debugger.runs import figure_10, judged
from tests.nightly import examples
from tests.oracle import brute
from tests.oracle.build import problem, trace
from tests.session import make


@st.composite
def timed_runs(draw: st.DrawFn) -> Replay:
    made, calls = brute.random_timed(random.Random(draw(st.integers(0, 10**6))), most=4)
    return replay(made, calls)


RUNS = st.one_of(judged(), timed_runs())


def again(run: Replay, index: int) -> Played:
    """The run's own calls from an index on, played."""
    state = begin(run, index)
    for made in run.trace.calls[index:]:
        state = call(state, made)
    return state


@settings(max_examples=examples(80), deadline=None)
@given(RUNS, st.data())
def test_a_recorded_runs_own_calls_are_judged_as_recorded(run: Replay, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(run.trace.calls)))
    state = again(run, index)
    calls = len(run.trace.calls)
    assert state.run.steps == run.steps[: calls + 1]
    assert state.kept == run.trace.calls[:index] and state.calls == run.trace.calls[index:]
    assert state.index == calls and state.view == run.steps[calls]
    for k in range(calls + 1):
        assert state.run.safe_moves(k) == run.safe_moves(k)
        assert state.run.valid_completions(k) == run.valid_completions(k)
    for _ in state.calls:
        state = undo(state)
    assert state == begin(run, index) and state.run.steps == run.steps[: index + 1]
    assert undo(state) is state, "what was recorded is not taken back"


def after(state: Played, action: str, start: int | None) -> Replay:
    """A replay with that call behind all others."""
    tool = state.problem.action_by_id[action].tool
    made = ToolCall(tool, {} if start is None else {"start_time": start})
    return replay(state.problem, Trace((*state.kept, *state.calls, made), "running"))


@settings(max_examples=examples(60), deadline=None)
@given(RUNS, st.data())
def test_options_say_what_a_replay_would(run: Replay, data: st.DataObject) -> None:
    state = begin(run, data.draw(st.integers(0, len(run.trace.calls))))
    safe = {m.action: m.hours for m in state.run.safe_moves(state.index)}
    found = options(state)
    assert [o.action for o in found] == [a.id for a in state.problem.actions]
    assert {o.action: o.hours for o in found if o.safe} == safe
    for option in found:
        ahead = after(state, option.action, option.start)
        assert option.becomes == ahead.steps[-1].state
        assert set(option.breaks) == set(ahead.last_attempt.broke.get(len(ahead.facts), ()))
        assert option.again == (ahead.facts[-1].effect == "repeated")
        assert play(state, option.action).run.steps == ahead.steps
        if option.hours is not None:
            assert option.start == option.hours[0]


@settings(max_examples=examples(25), deadline=None)
@given(timed_runs(), st.data())
def test_any_hour_of_ones_own_choice(run: Replay, data: st.DataObject) -> None:
    state = begin(run, data.draw(st.integers(0, len(run.trace.calls))))
    action = data.draw(st.sampled_from([a.id for a in state.problem.actions]))
    hours = what_if.option(state, action).hours
    for hour in range(-1, 26):
        seen = outcome(state, action, hour).state
        assert seen == after(state, action, hour).steps[-1].state
        assert (seen == "completable") == (hours is not None and hours[0] <= hour <= hours[1])
        assert play(state, action, hour).calls[-1].arguments == {"start_time": hour}


def test_the_golden_run_can_be_saved_before_its_first_call() -> None:
    run = figure_10()
    state = begin(run, 2)
    assert state.view.step == 2 and state.view.state == "completable"
    attending = what_if.option(state, "a3")
    assert attending.becomes == "doomed" and attending.hours is None and attending.start == 10
    assert attending.takes is None, "no answer has told yet"
    state = play(state, "a2")
    assert state.calls == [ToolCall("applying_hair_color", {"start_time": 0})]
    state = play(play(state, "a3"), "a1")
    assert [v.state for v in state.run.steps[2:]] == ["completable"] * 4
    assert {o.action: (o.again, o.breaks, o.takes) for o in options(state)} == {
        "a1": (True, ("b1",), 1),
        "a2": (True, ("b1",), 2),
        "a3": (True, ("b1",), 2),
    }


def test_a_restart_clears_what_was_done_and_durations_stay_known() -> None:
    made = problem("X Y", "X<Y", timed=True, durations=[2, 1])
    state = begin(replay(made, trace("Y@3")), 1)
    assert state.view.state == "doomed" and what_if.known_durations(state) == {"a2": 1}
    state = restart(state)
    assert state.view.state == "completable" and state.view.attempt == 2
    assert what_if.known_durations(state) == {"a2": 1}
    assert [o.safe for o in options(state)] == [True, False]
    assert [o.takes for o in options(state)] == [None, 1]


def test_calls_that_an_agent_could_make_wrongly() -> None:
    made = problem("A B", "A<B")
    state = begin(replay(made, trace("A B")), 1)
    assert play(state, "a1").view.state == "broken"
    assert play(state, "a1").view.core == play(play(state, "a1"), "a2").view.core
    ghost = call(state, ToolCall("ghost", {}))
    assert ghost.view.action is None and ghost.view.findings[0].type == "act_error"
    assert play(ghost, "a2").view.state == "completable"


def test_a_contradictory_request_has_no_safe_option() -> None:
    state = begin(replay(problem("A B C", "A<B", "B<A"), Trace((), "running")), 0)
    assert [(o.becomes, o.breaks) for o in options(state)] == [
        ("broken", ("c2",)),
        ("broken", ("c1",)),
        ("doomed", ()),
    ]


def test_what_scheduling_cannot_tell_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    made = problem("X Y", "X<Y", "Y>=10", timed=True, durations=[2, 1])
    state = begin(replay(made, Trace((), "running")), 0)

    def too_hard(self: Schedule, rest: int) -> float:
        raise TooHard

    monkeypatch.setattr(Schedule, "latest", too_hard)
    assert [o.becomes for o in options(state)] == ["unknown", "unknown"]
    assert outcome(state, "a2", 9).state == "broken"


def test_what_is_not_there_is_said() -> None:
    state = begin(replay(problem("A B", "A<B"), trace("A B")), 0)
    with pytest.raises(DebuggerError, match="no action 'a9'"):
        play(state, "a9")
    with pytest.raises(DebuggerError, match="no action 'a9'"):
        outcome(state, "a9")
    with pytest.raises(DebuggerError, match="only timed queries"):
        restart(state)
    assert begin(state.run, 99).kept == [] and begin(state.run, -1).kept == []


def kept_session() -> tuple[Session, Replay]:
    session = make.figure_10()
    return session, replay(problem_of(session.variants[0]), trace_of(session.runs[0]))


def test_what_was_played_is_a_run_of_the_session(tmp_path: Path) -> None:
    session, recorded = kept_session()
    state = begin(recorded, 0)
    for action in ("a2", "a3", "a1"):
        state = play(state, action)
    kept = as_run(session, session.runs[0], state)
    assert (kept.id, kept.agent, kept.model) == ("r2", AGENT, MODEL)
    assert kept.forked_from is not None and (kept.forked_from.run, kept.forked_from.step) == ("r1", 0)
    assert [e.text for e in kept.events if isinstance(e, AnswerEvent)] == [
        "Applying hair color takes 2 hours.",
        "Attending training sessions takes 2 hours.",
        "Sanitizing tools takes 1 hour.",
    ]
    assert len(session.runs) == 1, "the session is left as it was"
    session.runs.append(kept)
    check_references(session, "it")
    save(session, tmp_path / "kept.planscope.json")
    again = load(tmp_path / "kept.planscope.json").runs[1]
    assert again == kept
    judgement = replay(problem_of(session.variants[0]), trace_of(again))
    assert judgement.verdict().verdict == "right" and judgement.certify() == "confirmed"
    assert judgement.steps[:-1] == state.run.steps


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_what_was_recorded_is_marked_as_kept(index: int) -> None:
    session, recorded = kept_session()
    state = restart(begin(recorded, index))
    state = call(call(state, ToolCall("ghost", {})), ToolCall("sanitizing_tools", {"start_time": "8"}))
    state = play(state, "a1", 3)
    kept = as_run(session, session.runs[0], state)
    session.runs.append(kept)
    check_references(session, "it")
    calls = [e for e in kept.events if isinstance(e, CallEvent)]
    assert [e.kept for e in calls] == [True] * index + [None] * 4
    assert [ToolCall(e.tool, e.arguments) for e in calls] == [*state.kept, *state.calls]
    prompt, *_, end = kept.events
    assert isinstance(prompt, PromptEvent) and prompt.kept and isinstance(end, EndEvent) and end.kept is None
    answers = [e for e in kept.events if isinstance(e, AnswerEvent)][index:]
    names = "sanitizing_tools, applying_hair_color, attending_training_sessions, ask_for_restart"
    assert [(e.text, e.status) for e in answers] == [
        ("Permission is granted. Start over.", "ok"),
        (f"Error: ghost is not a valid tool, try one of [{names}].", "error"),
        ("Error: start_time must be an integer, not a string. Nothing was done.", "error"),
        ("Sanitizing tools takes 1 hour.", "ok"),
    ]
    times = [e.at for e in kept.events]
    assert times == sorted(times)
    trace = trace_of(kept)
    assert replay(state.problem, trace).steps[:-1] == state.run.steps


def test_a_request_that_was_never_run_can_be_played() -> None:
    session, _ = kept_session()
    session.runs.clear()
    state = play(begin(replay(problem_of(session.variants[0]), Trace((), "running")), 0), "a2")
    kept = as_run(session, None, state)
    assert kept.forked_from is None and kept.variant == "v1"
    prompt = kept.events[0]
    assert isinstance(prompt, PromptEvent) and session.variants[0].query.text in prompt.text
    assert prompt.kept is None
    session.runs.append(kept)
    check_references(session, "it")
    with pytest.raises(ValueError, match="no variant"):
        as_run(Session(id="s", title=""), None, state)


def test_calls_that_the_run_does_not_have_are_not_kept() -> None:
    session, recorded = kept_session()
    state = begin(recorded, 3)
    short = session.runs[0].model_copy(update={"events": session.runs[0].events[:4]})
    with pytest.raises(ValueError, match="3 calls were kept of a run that has 1"):
        as_run(session, short, state)
