"""The guard: refuses what would doom the plan, says why, and leaves everything else alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool

from planscope.agents import guard
from planscope.agents.guarding import Guardian
from planscope.agents.runner import LiveRun
from planscope.errors import UserError
from planscope.oracle.replay import replay
from planscope.oracle.trace import Call
from planscope.session.derive import problem_of, trace_of
from planscope.session.model import Run
from tests.agents.support import run_agent

from .support import abc, answers_of, calls_of, check_record, end_of, says, scripted, variant
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
        "since sentence 1 says: “Alpha happens before beta”."
    )
    found = replay(problem_of(case), trace_of(run))
    assert (found.verdict().verdict, found.verdict().findings) == ("right", ())
    assert [v.action for v in found.steps] == [None, None, "a1", "a2", "a3", None]
    assert model.chat.seen[1][-1].content == first.text  # type: ignore[attr-defined]


async def test_without_the_guard_nothing_is_refused() -> None:
    run = await run_agent(abc(), model=scripted(says(("beta", {}))))
    assert refusals(run) == []
    assert answers_of(run)[0].status == "ok"


async def test_repeats_are_refused_and_other_errors_left_to_the_tools() -> None:
    calls = [("ghost", {}), ("alpha", {}), ("alpha", {}), ("beta", {}), ("gamma", {})]
    run = await run_agent(abc(), model=scripted(*(says(c) for c in calls)), guard=True)
    assert refusals(run) == [3]
    assert "is done only once" in answers_of(run)[2].text
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


def test_a_text_that_cannot_be_read_cannot_be_guarded() -> None:
    with pytest.raises(UserError) as error:
        LiveRun(abc("Be nice."), model="sim:careful", guard=True)
    assert len(str(error.value).splitlines()) == 1


@settings(max_examples=60)
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
    done: list[Call] = []
    for call, answer in zip(calls_of(run), answers_of(run), strict=True):
        made = Call(call.tool, call.arguments)
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

    class Both(type(scripted().chat)):  # type: ignore[misc]
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            from langchain_core.outputs import ChatGeneration, ChatResult

            return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

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
