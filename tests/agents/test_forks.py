"""Forks: what is kept, what is marked, what goes on from there."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from planscope.agents.forks import CannotFork, fork, kept_events
from planscope.agents.gate import EditArguments, GoOn, PendingCall, Verb
from planscope.agents.options import RunOptions
from planscope.agents.paradigms import AGENTS
from planscope.debugger.played import begin, play
from planscope.oracle.replay import replay
from planscope.session.mock_tools import as_run
from planscope.session.model import CallEvent, MessageEvent, Run, Session
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from tests.agents.support import run_agent
from tests.nightly import nightly

from .support import abc, answers_of, called, calls_of, check_record, decided, end_of, says, scripted, variant
from .test_profiles import drawn


@pytest.mark.parametrize("numbers", [(0, 1), *nightly(((2,),))])
@pytest.mark.parametrize("agent", AGENTS)
async def test_from_every_step_a_careful_model_goes_on_as_it_did(
    agent: str, numbers: tuple[int, ...]
) -> None:
    for number in numbers:
        case = drawn(number, timed=bool(number))
        run = await run_agent(case, model="sim:careful", agent=agent, run_id="r1")
        for step in range(len(calls_of(run)) + 1):
            branch = await fork(run, case, RunOptions(agent="", model="sim:careful"), step=step).go()
            check_record(branch.events)
            assert called(branch) == called(run)
            assert branch.forked_from is not None
            assert (branch.forked_from.run, branch.forked_from.step) == ("r1", step)
            kept = [e for e in branch.events if e.kept]
            assert [e.type for e in kept] == [e.type for e in branch.events[: len(kept)]]
            assert sum(isinstance(e, CallEvent) for e in kept) == step
            assert all(e.kept is None for e in branch.events[len(kept) :])
            assert branch.id != run.id
            assert Run.model_validate_json(branch.model_dump_json()) == branch


async def test_another_model_takes_over() -> None:
    case = abc()
    run = await run_agent(case, model="sim:literal", run_id="r1")
    taken = scripted(says(("gamma", {})), says(("beta", {})))
    branch = await fork(run, case, RunOptions(agent=""), loaded=taken, step=1).go()
    assert called(branch) == [("alpha", None), ("gamma", None), ("beta", None)]
    human, ai, tool = taken.chat.seen[0]
    assert human.content == run.events[0].text
    assert isinstance(ai, AIMessage)
    assert [c["name"] for c in ai.tool_calls] == ["alpha"]
    assert isinstance(tool, ToolMessage)
    assert branch.model == "test:scripted"


@pytest.mark.parametrize("agent", AGENTS)
async def test_an_edited_answer_is_what_the_model_reads(agent: str) -> None:
    case = variant("Alpha happens before beta.", ["alpha", "beta"], durations=[2, 3])
    run = await run_agent(case, model="sim:careful", agent=agent)
    assert called(run) == [("alpha", 0), ("beta", 2)]
    branch = await fork(
        run, case, RunOptions(model="sim:careful"), step=1, answer="Alpha takes 7 hours."
    ).go()
    assert called(branch) == [("alpha", 0), ("beta", 7)]
    edited = answers_of(branch)[0]
    assert (edited.text, edited.said, edited.kept) == ("Alpha takes 7 hours.", "Alpha takes 2 hours.", True)


@pytest.mark.parametrize("agent", AGENTS)
async def test_an_edited_query(agent: str) -> None:
    case = abc("Alpha happens before beta. Beta happens before gamma.")
    run = await run_agent(case, model="sim:careful", agent=agent)
    other = abc("Alpha happens before gamma. Gamma happens before beta.")
    other.id = "v2"
    branch = await fork(run, other, RunOptions(agent="", model="sim:careful"), step=1).go()
    assert [t for t, _ in called(branch)] == ["alpha", "gamma", "beta"]
    assert branch.variant == "v2"
    assert branch.events[0].kept is None  # another prompt, so nothing kept
    assert replay(problem_of(other), trace_of(branch)).verdict().verdict == "right"
    narrow = variant("Beta happens before gamma.", ["beta", "gamma"])
    narrow.id = "v3"
    with pytest.raises(CannotFork, match="alpha"):
        fork(run, narrow, RunOptions(agent="", model="sim:careful"), step=1)


async def test_calls_of_the_same_message_behind_the_step_were_never_made() -> None:
    case = abc()
    run = await run_agent(case, model=scripted(says(("gamma", {}), ("alpha", {}), ("beta", {}))))
    model = scripted(says(("beta", {})))
    branch = await fork(run, case, RunOptions(agent=""), loaded=model, step=1).go()
    assert [t for t, _ in called(branch)] == ["gamma", "beta"]
    sent = model.chat.seen[0]
    assert [len(m.tool_calls) for m in sent if isinstance(m, AIMessage)] == [1]


async def test_a_fork_of_a_fork_and_a_guarded_one() -> None:
    case = abc()
    run = await run_agent(case, model=scripted(says(("gamma", {})), says(("alpha", {}))), run_id="r1")
    one = await fork(run, case, RunOptions(agent="", model="sim:literal"), step=0, run_id="r2").go()
    two = await fork(
        one, case, RunOptions(agent="", guard=True), loaded=scripted(says(("alpha", {}))), step=2
    ).go()
    assert two.forked_from is not None
    assert two.forked_from.run == "r2"
    assert answers_of(two)[-1].refused_by == "guard"


async def test_times_go_on() -> None:
    run = await run_agent(abc(), model="sim:careful")
    branch = await fork(run, abc(), RunOptions(agent="", model="sim:careful"), step=2).go()
    times = [e.at for e in branch.events]
    assert times == sorted(times)


async def test_edited_arguments_stay_edited() -> None:
    case = variant("Alpha happens before beta.", ["alpha", "beta"], durations=[2, 1])

    @decided
    async def gate(call: PendingCall) -> Verb:
        return EditArguments({"start_time": 9}) if call.step == 1 else GoOn()

    run = await run_agent(case, model=scripted(says(("alpha", {"start_time": 0}))), gate=gate)
    branch = await fork(
        run, case, RunOptions(guard=True), loaded=scripted(says(("beta", {"start_time": 2}))), step=1
    ).go()
    assert answers_of(branch)[-1].refused_by == "guard"


async def test_an_imported_run_with_calls_alone() -> None:
    case = abc()
    run = await run_agent(case, model="sim:careful")
    run.events = [e for e in run.events if not isinstance(e, MessageEvent)]
    model = scripted(says(("gamma", {})))
    branch = await fork(run, case, RunOptions(agent=""), loaded=model, step=2).go()
    assert [t for t, _ in called(branch)] == ["alpha", "beta", "gamma"]
    assert [m.type for m in model.chat.seen[0]] == ["human", "ai", "tool", "ai", "tool"]


async def test_what_cannot_be_forked_says_why() -> None:
    case = abc()
    run = await run_agent(case, model=scripted(says(("alpha", {})), says(("beta", "{"))))
    options = RunOptions(agent="")
    with pytest.raises(CannotFork, match="steps are 0 to 2"):
        fork(run, case, options, step=3)
    with pytest.raises(CannotFork, match="has no answer"):
        fork(run, case, options, step=2)
    with pytest.raises(CannotFork, match="no answer to edit"):
        fork(run, case, options, step=0, answer="x")
    run.agent = "os:system"
    with pytest.raises(CannotFork, match="not part of planscope"):
        fork(run, case, options, step=1)
    run.agent, run.events = "tools", []
    with pytest.raises(CannotFork, match="no prompt"):
        kept_events(run, 0)


async def test_a_run_that_was_aborted_can_go_on_where_it_broke_off() -> None:
    case = abc()
    run = await run_agent(case, model=scripted(says(("alpha", {})), ConnectionResetError("gone")))
    assert end_of(run).ending == "aborted"
    branch = await fork(run, case, RunOptions(agent="", model="sim:careful"), step=1).go()
    assert replay(problem_of(case), trace_of(branch)).verdict().verdict == "right"


async def test_a_model_goes_on_from_what_a_person_played() -> None:
    case = abc()
    run = await run_agent(case, model=scripted(says(("gamma", {}))), run_id="r1")
    session = Session(id="s", title="", variants=[case], runs=[run])
    state = begin(replay(problem_of(case), trace_of(run)), 0)
    played = as_run(session, run, play(play(state, "a1"), "a2"))
    model = scripted(says(("gamma", {})))
    branch = await fork(played, case, RunOptions(agent="tools"), loaded=model, step=2).go()
    assert [t for t, _ in called(branch)] == ["alpha", "beta", "gamma"]
    assert [m.type for m in model.chat.seen[0]] == ["human", "ai", "tool", "ai", "tool"]
    assert replay(problem_of(case), trace_of(branch)).verdict().verdict == "right"
