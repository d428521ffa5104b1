"""The guard: refuses what would doom the plan, says why, and leaves everything else alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool

from planscope.agents import guard, record
from planscope.agents.gate import Guardian
from planscope.agents.many_runs import run_many
from planscope.agents.options import RunOptions
from planscope.agents.runner import LiveRun
from planscope.agents.simulated_runs import run_simulated
from planscope.errors import UserError
from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall
from planscope.session.model import Run
from planscope.session.oracle_input import problem_of
from planscope.session.store import load
from planscope.session.traces import trace_of
from planscope.wording.explain import explain_verdict
from tests.agents.support import run_agent
from tests.nightly import examples

from .support import abc, answers_of, calls_of, check_record, end_of, says, scripted, variant
from .test_own_agent import Both
from .test_profiles import drawn


def refusals(run: Run) -> list[int]:
    return [a.step for a in answers_of(run) if a.refused_by == "guard"]


async def test_a_call_that_dooms_the_plan_is_refused_and_told_why() -> None:
    case = abc()
    model = scripted(says(("beta", {})), says(("alpha", {})), says(("beta", {})), says(("gamma", {})))
    run = await run_agent(case, model=model, guard=True)
    check_record(run.events)
    assert refusals(run) == [1]
    first = answers_of(run)[0]
    assert (first.status, first.step) == ("error", 1)
    assert first.text == (
        "Refused: this was not done. After it the requirement could not be met any more, "
        "since sentence 1 says: “Alpha happens before beta”. Safe now: alpha."
    )
    found = replay(problem_of(case), trace_of(run))
    assert (found.verdict().verdict, found.verdict().findings) == ("right", ())
    assert [v.action for v in found.steps] == [None, None, "a1", "a2", "a3", None]
    assert model.chat.seen[1][-1].content == first.text


async def test_without_the_guard_nothing_is_refused() -> None:
    run = await run_agent(abc(), model=scripted(says(("beta", {}))))
    assert refusals(run) == []
    assert answers_of(run)[0].status == "ok"


async def test_repeats_are_refused_and_other_errors_left_to_the_tools() -> None:
    calls = [("ghost", {}), ("alpha", {}), ("alpha", {}), ("beta", {}), ("gamma", {})]
    run = await run_agent(abc(), model=scripted(*(says(c) for c in calls)), guard=True)
    assert refusals(run) == [3]
    assert "no action is done twice" in answers_of(run)[2].text
    assert "ghost" in answers_of(run)[0].text


async def test_calls_of_one_message_are_judged_one_after_the_other() -> None:
    run = await run_agent(
        abc(), model=scripted(says(("gamma", {}), ("beta", {}), ("alpha", {}), ("beta", {}))), guard=True
    )
    assert refusals(run) == [1, 2]
    assert [c.tool for c in calls_of(run)] == ["gamma", "beta", "alpha", "beta"]


async def test_hours_and_restarts() -> None:
    case = variant(
        "Alpha happens before 10:00. Beta happens after 4:00.", ["alpha", "beta"], durations=[3, 7]
    )
    hours = [("beta", 4), ("alpha", 8), ("alpha", 1), ("beta", 3), ("beta", "4"), ("ask_for_restart", None)]
    script = [
        says((t, {} if h is None else {"start_time": h})) for t, h in [*hours, ("alpha", 0), ("beta", 4)]
    ]
    run = await run_agent(case, model=scripted(*script), guard=True)
    assert refusals(run) == [1, 2, 4]
    assert replay(problem_of(case), trace_of(run)).verdict().verdict == "right"


async def test_what_is_lost_from_the_start_is_not_guarded() -> None:
    case = abc("Alpha happens before beta. Beta happens before alpha.")
    run = await run_agent(case, model="sim:literal", guard=True)
    assert refusals(run) == []


async def test_a_session_s_rules_are_guarded_with_its_query() -> None:
    case, rules = abc("Alpha happens before beta."), "gamma comes before beta."
    script = [says(("alpha", {})), says(("beta", {})), says(("gamma", {})), says(("beta", {}))]
    run = await run_agent(case, model=scripted(*script), guard=True, rules=rules)
    assert [a.step for a in answers_of(run) if a.refused_by == "guard"] == [2]
    assert "gamma comes before beta" in answers_of(run)[1].text


def test_many_guarded_runs_keep_the_rules() -> None:
    case = abc("Alpha happens before beta.")
    (run,) = run_many(
        case, RunOptions(model="sim:literal", guard=True, rules="gamma comes before alpha."), times=1
    )
    assert calls_of(run)[0].tool == "alpha" and answers_of(run)[0].refused_by == "guard"


def test_a_text_that_cannot_be_read_cannot_be_guarded() -> None:
    with pytest.raises(UserError) as error:
        LiveRun(abc("Be nice."), RunOptions(model="sim:careful", guard=True))
    assert len(str(error.value).splitlines()) == 1


@settings(max_examples=examples(25))
@given(st.integers(0, 500), st.booleans(), st.data())
async def test_a_guarded_run_is_never_lost(number: int, timed: bool, data: st.DataObject) -> None:
    """Whatever is called, in whatever order: with the guard no step is doomed, and what is refused would be."""
    case = drawn(number, timed=timed)
    tools = [a.tool for a in case.actions]
    wanted = data.draw(st.lists(st.tuples(st.sampled_from(tools), st.integers(0, 23)), max_size=9))
    script = [says((t, {"start_time": h} if timed else {})) for t, h in wanted]
    run = await run_agent(case, model=scripted(*script), guard=True)
    walk = replay(problem_of(case), trace_of(run))
    assert {v.state for v in walk.steps[:-1]} == {"completable"}
    guardian = Guardian(problem_of(case))
    done: list[ToolCall] = []
    for call, answer in zip(calls_of(run), answers_of(run), strict=True):
        made = ToolCall(call.tool, call.arguments)
        assert (guardian.objection(done, made) is not None) == (answer.refused_by == "guard")
        if answer.status == "ok":
            done.append(made)


@tool
def wash_hands() -> str:
    """Wash your hands."""
    return "clean"


@tool
def cook_dinner() -> str:
    """Cook."""
    return "dinner"


def told(result: Any) -> list[tuple[str, bool]]:
    return [(m.name or "", m.status != "error") for m in result["messages"] if isinstance(m, ToolMessage)]


@pytest.mark.parametrize("sync", [False, True])
async def test_two_lines_in_anybodys_agent(sync: bool) -> None:
    tools = [wash_hands, cook_dinner]

    script = [says(("cook_dinner", {})), says(("wash_hands", {}), ("cook_dinner", {}))] * 2
    script.insert(2, says(text="Done."))
    agent: Any = create_agent(
        Both(script=script), tools, middleware=[guard("Wash hands happens before cook dinner.", tools)]
    )
    for _ in range(2):  # one agent, one conversation after the other
        asked = {"messages": [HumanMessage("Go.")]}
        result = agent.invoke(asked) if sync else await agent.ainvoke(asked)
        found = told(result)
        assert found[0] == ("cook_dinner", False)
        assert ("wash_hands", True) in found[1:]


async def test_its_query_must_be_readable() -> None:
    with pytest.raises(UserError):
        guard("Be nice to everyone.", ["a"])


async def test_a_guarded_run_that_gives_up_has_lost_an_action_and_no_more() -> None:
    case = abc()
    run = await run_agent(case, model=scripted(says(("beta", {}))), guard=True)
    found = replay(problem_of(case), trace_of(run)).verdict()
    assert (found.error_type, [f.type for f in found.findings]) == ("action_lost", ["action_lost"])
    assert end_of(run).ending == "stopped"


@pytest.mark.parametrize("sync", [False, True])
async def test_tools_that_the_query_does_not_name_are_free(sync: bool) -> None:
    @tool
    def look(at: str) -> str:
        """Look."""
        return "seen"

    tools = [look, wash_hands, cook_dinner]
    script = [
        says(("look", {"at": "x"})),
        says(("look", {"at": "x"})),
        says(("wash_hands", {})),
        says(("look", {"at": "y"})),
    ]
    agent: Any = create_agent(
        Both(script=script), tools, middleware=[guard("Wash hands happens before cook dinner.", tools)]
    )
    asked = {"messages": [HumanMessage("Go.")]}
    result = agent.invoke(asked) if sync else await agent.ainvoke(asked)
    assert told(result) == [("look", True), ("look", True), ("wash_hands", True), ("look", True)]


async def test_it_says_what_is_safe_now_and_when() -> None:
    case = variant(
        "Alpha happens before 10:00. Beta happens after 4:00. Gamma happens after beta.",
        ["alpha", "beta", "gamma"],
        durations=[3, 7, 1],
    )
    script = [("beta", 4), ("alpha", 0), ("gamma", 5), ("beta", 5), ("gamma", 12), ("gamma", 13)]
    run = await run_agent(
        case, model=scripted(*(says((t, {"start_time": h})) for t, h in script)), guard=True
    )
    said = {a.step: a.text for a in answers_of(run) if a.refused_by}
    assert said[1].endswith(" Safe now: alpha with start_time 0 to 7.")
    assert said[3].endswith(" Safe now: beta with start_time 4 to 16.")
    assert said[6].endswith(" Everything that is required is done: no call is needed any more.")


async def test_a_call_that_is_refused_three_times_ends_the_run() -> None:
    """Others may be refused in between; what is done in between begins the count again."""
    calls = ["beta", "beta", "alpha", "gamma", "alpha", "gamma", "alpha", "gamma", "beta"]
    run = await run_agent(abc(), model=scripted(*(says((t, {})) for t in calls)), guard=True)
    check_record(run.events)
    assert [c.tool for c in calls_of(run)] == calls[:-1]
    assert (end_of(run).ending, end_of(run).reason) == ("call_limit", "the guard refused gamma() 3 times")
    whole = replay(problem_of(abc()), trace_of(run))
    found = whole.verdict()
    assert (found.verdict, found.error_type) == ("wrong", "timeout")
    assert explain_verdict(whole, found).startswith(
        "The run hit its limit: the guard refused gamma() 3 times."
    )


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("at_once", [False, True])
async def test_anybodys_agent_ends_cleanly_there(sync: bool, at_once: bool, tmp_path: Path) -> None:
    query, tools = "Wash hands happens before cook dinner.", [wash_hands, cook_dinner]
    cook = ("cook_dinner", {})
    script = [says(cook, cook, cook)] if at_once else [says(cook), says(cook), says(cook)]
    order = [record(tmp_path / "s.planscope.json", query=query), guard(query, tools)]
    agent: Any = create_agent(Both(script=[*script, says(("wash_hands", {}))]), tools, middleware=order)
    asked = {"messages": [HumanMessage("Go.")]}
    result = agent.invoke(asked) if sync else await agent.ainvoke(asked)
    assert result["messages"][-1].text == "This run was ended: the guard refused cook_dinner() 3 times."
    assert told(result) == [("cook_dinner", False)] * 3
    (run,) = load(tmp_path / "s.planscope.json").runs
    check_record(run.events)
    assert (end_of(run).ending, end_of(run).reason) == (
        "call_limit",
        "the guard refused cook_dinner() 3 times",
    )


def test_the_light_loop_ends_there_as_the_real_one() -> None:
    case = abc("Gamma happens before alpha. Beta happens before gamma.")
    one = run_simulated(case, RunOptions(model="sim:literal?seed=1", guard=True))
    other = LiveRun(case, RunOptions(model="sim:literal?seed=1", guard=True)).wait()
    assert [e.model_dump(exclude={"at", "took"}) for e in calls_of(one)] == [
        e.model_dump(exclude={"at", "took"}) for e in calls_of(other)
    ]
    assert (end_of(one).ending, end_of(one).reason) == (end_of(other).ending, end_of(other).reason)
