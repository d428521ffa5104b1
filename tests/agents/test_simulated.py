"""The simulated models in the real agent loop, judged by the oracle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import StructuredTool

from planscope.agents.langchain_agent import langchain_tools
from planscope.agents.models import load_model
from planscope.agents.simulated.profiles import PROFILES
from planscope.agents.toolset import make_toolset
from planscope.oracle.replay import replay
from planscope.oracle.verdict_types import Verdict
from planscope.session.model import MessageEvent, Run, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from tests.agents.support import run_agent
from tests.nightly import examples

from .support import FIGURE_10, FIGURE_10_ACTIONS, abc, called, calls_of, check_record, end_of, variant

MODELS = [f"sim:{name}?seconds=0" if name == "slow" else f"sim:{name}" for name in sorted(PROFILES)]
NAMES = ["alpha", "beta check", "gamma ray scan", "delta", "epsilon review", "beta"]


def verdict(case: Variant, run: Run) -> Verdict:
    check_record(run.events)
    return replay(problem_of(case), trace_of(run)).verdict()


@dataclass(frozen=True)
class Case:
    """A query that can be met, with the order that it was made from."""

    case: Variant
    order: tuple[str, ...]


@st.composite
def possible(draw: st.DrawFn, *, timed: bool) -> Case:
    """Sentences that hold of some drawn plan, so that it can be met."""
    n = draw(st.integers(1, 5))
    names = draw(st.permutations(NAMES))[:n]
    order = draw(st.permutations(names))
    durations = [draw(st.integers(1, 4)) for _ in names] if timed else None
    start, end, clock = {}, {}, draw(st.integers(0, 2)) if timed else 0
    for name in order:
        takes = durations[names.index(name)] if durations else 1
        start[name], end[name] = clock, clock + takes
        clock += takes + (draw(st.integers(0, 1)) if timed else 0)
    said = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["order", "order", "from", "until"] if timed else ["order"]))
        one = draw(st.sampled_from(order))
        if kind == "from" and start[one] > 0:
            said.append(f"{one} happens after {draw(st.integers(0, start[one]))}:00.")
        elif kind == "until" and end[one] <= 24:
            said.append(f"{one} happens before {draw(st.integers(end[one], 24))}:00.")
        elif n > 1:
            other = draw(st.sampled_from([x for x in order if x != one]))
            earlier = order.index(one) < order.index(other)
            said.append(f"{one} happens {'before' if earlier else 'after'} {other}.")
    if clock > 24 or not said:
        durations = [1] * n if timed else None
        said = [f"{order[0]} happens before {order[-1]}." if n > 1 else f"{order[0]} happens before 24:00."]
        if n == 1 and not timed:
            names, order = [*names, "omega"], [*order, "omega"]
            said = [f"{order[0]} happens before omega."]
    text = " ".join(s[0].upper() + s[1:] for s in said)
    return Case(variant(text, names, durations=durations), tuple(order))


@settings(max_examples=examples(40), deadline=None)
@given(possible(timed=False))
async def test_careful_is_right(made: Case) -> None:
    run = await run_agent(made.case, model="sim:careful")
    found = verdict(made.case, run)
    assert (found.verdict, found.findings) == ("right", ())


@settings(max_examples=examples(60), deadline=None)
@given(possible(timed=True))
async def test_careful_is_right_in_time(made: Case) -> None:
    run = await run_agent(made.case, model="sim:careful")
    found = verdict(made.case, run)
    assert (found.verdict, found.findings) == ("right", ())
    assert sum(c.tool == "ask_for_restart" for c in calls_of(run)) <= len(made.case.actions)


@settings(max_examples=examples(40), deadline=None)
@given(possible(timed=True) | possible(timed=False), st.integers(0, 99))
async def test_forgetful_loses_exactly_one_action(made: Case, seed: int) -> None:
    run = await run_agent(made.case, model="sim:forgetful", seed=seed)
    found = verdict(made.case, run)
    assert found.error_type == "action_lost"
    (lost,) = [f for f in found.findings if f.type == "action_lost"]
    assert len(lost.actions) == 1
    tools = [tool for tool, _ in called(run)]
    restarts = [k for k, tool in enumerate(tools) if tool == "ask_for_restart"]
    assert len(tools[restarts[-1] + 1 if restarts else 0 :]) == len(made.case.actions) - 1


@settings(max_examples=examples(40), deadline=None)
@given(possible(timed=True) | possible(timed=False))
async def test_literal_does_what_the_text_mentions_in_its_order(made: Case) -> None:
    run = await run_agent(made.case, model="sim:literal")
    check_record(run.events)
    text = made.case.query.text.lower()
    mention = []  # by cutting names out of the text, longest first: another way than the model's
    for action in sorted(made.case.actions, key=lambda a: -len(a.name)):
        place = text.find(action.name)
        mention.append((place if place >= 0 else 10**6 + made.case.actions.index(action), action.tool))
        text = text.replace(action.name, "#" * len(action.name))
    assert [tool for tool, _ in called(run)] == [tool for _, tool in sorted(mention)]
    if made.case.query.timed:
        clock = 0
        hours = {a.tool: a.duration or 1 for a in made.case.actions}
        for tool, start in called(run):
            assert start == clock
            clock += hours[tool]


@settings(max_examples=examples(40), deadline=None)
@given(possible(timed=True))
async def test_time_blind_keeps_every_order_on_paper(made: Case) -> None:
    run = await run_agent(made.case, model="sim:time-blind")
    check_record(run.events)
    hour = dict(called(run))
    problem = problem_of(made.case)
    tool = {a.id: a.tool for a in problem.actions}
    assert sorted(hour) == sorted(tool.values())
    for c in problem.said:
        if c.kind == "order":
            assert hour[tool[c.before or ""]] < hour[tool[c.after or ""]]
        elif c.kind == "start_at_least":
            assert hour[tool[c.action or ""]] >= (c.hour or 0)
        else:
            assert hour[tool[c.action or ""]] + 1 <= (c.hour or 0)


@settings(max_examples=examples(20), deadline=None)
@given(possible(timed=False))
async def test_time_blind_has_no_time_to_be_blind_to_in_the_base_language(made: Case) -> None:
    blind, careful = [await run_agent(made.case, model=f"sim:{p}") for p in ("time-blind", "careful")]
    assert called(blind) == called(careful)


async def test_figure_10_is_the_run_of_time_blind() -> None:
    case = variant(FIGURE_10, FIGURE_10_ACTIONS, durations=[1, 2, 2])
    run = await run_agent(case, model="sim:time-blind")
    assert called(run) == [
        ("attending_training_sessions", 10), ("applying_hair_color", 8), ("sanitizing_tools", 18),
    ]  # fmt: skip
    found = verdict(case, run)
    assert [(f.type, f.step) for f in found.findings] == [("parameter_error", 2)]
    assert found.first_violation is not None
    assert found.first_violation.step == 1
    careful = await run_agent(case, model="sim:careful")
    assert verdict(case, careful).verdict == "right"


async def test_two_unrelated_tasks_at_the_same_hour_are_a_parameter_error() -> None:
    case = variant(
        "Alpha happens before 20:00. Beta happens before 20:00.", ["alpha", "beta"], durations=[2, 1]
    )
    found = verdict(case, await run_agent(case, model="sim:time-blind"))
    assert found.error_type == "parameter_error"


async def test_a_circle_is_said_and_done_as_far_as_it_goes() -> None:
    case = abc("Alpha happens before beta. Beta happens before alpha. Beta happens before gamma.")
    run = await run_agent(case, model="sim:careful")
    assert "contradicts itself" in next(e.text for e in run.events if isinstance(e, MessageEvent))
    assert [t for t, _ in called(run)] == ["alpha", "beta", "gamma"]


@settings(max_examples=examples(20), deadline=None)
@given(possible(timed=True), st.sampled_from(MODELS), st.integers(0, 9))
async def test_the_same_seed_gives_the_same_record(made: Case, model: str, seed: int) -> None:
    def told(run: Run) -> list[dict[str, Any]]:
        return [e.model_dump(exclude={"at", "took"}) for e in run.events]

    first, second = [await run_agent(made.case, model=model, seed=seed) for _ in range(2)]
    assert told(first) == told(second)


@settings(max_examples=examples(20), deadline=None)
@given(possible(timed=True), st.sampled_from(MODELS))
async def test_models_read_nothing_but_prompt_and_tools(made: Case, model: str) -> None:
    """A variant whose hidden parts lie is run the same; durations are unknown before the first answer."""
    lying = made.case.model_copy(deep=True)
    lying.id, lying.constraints = "v9", [{"id": "c1", "kind": "order", "before": "a2", "after": "a1"}]
    lying.query.tree, lying.query.topic, lying.query.seed = {"lies": True}, "lies", 77
    for number, action in enumerate(lying.actions):
        action.id = f"x{number}"
    true, lied = [await run_agent(v, model=model) for v in (made.case, lying)]
    assert called(true) == called(lied)
    longer = made.case.model_copy(deep=True)
    for action in longer.actions:
        action.duration = 24
    other = await run_agent(longer, model=model)
    assert called(other)[:1] == called(true)[:1]


async def test_the_same_messages_give_the_same_answer_without_any_runner() -> None:
    case = abc("Gamma happens before beta. Beta happens before alpha.")
    run = await run_agent(case, model="sim:careful")
    graph: Any = create_agent(
        load_model("sim:careful").chat, langchain_tools(make_toolset(case.actions, timed=False))
    )
    end = await graph.ainvoke({"messages": [HumanMessage(run.events[0].text)]})
    made = [c["name"] for m in end["messages"] if isinstance(m, AIMessage) for c in m.tool_calls]
    assert made == [tool for tool, _ in called(run)]


async def test_it_works_with_tools_and_prompts_of_others() -> None:
    """Nothing but names, descriptions and schemas is asked of the tools."""
    done: list[str] = []

    def tool(name: str, description: str) -> StructuredTool:
        def do() -> str:
            done.append(name)
            return "ok"

        return StructuredTool.from_function(do, name=name, description=description)

    tools = [tool(n, f"{d}.") for n, d in [("t1", "Washing hands"), ("t2", "Drying hands")]]
    graph: Any = create_agent(load_model("sim:careful").chat, tools)
    await graph.ainvoke({"messages": [HumanMessage("Drying hands happens after washing hands.")]})
    assert done == ["t1", "t2"]


async def test_it_is_a_chat_model_like_any_other() -> None:
    case = abc()
    chat = load_model("sim:careful").chat.bind_tools(langchain_tools(make_toolset(case.actions, timed=False)))
    asked = [HumanMessage("Here is the requirement: Beta happens before alpha.")]
    whole = chat.invoke(asked)
    assert (await chat.ainvoke(asked)).tool_calls == whole.tool_calls == chat.invoke(asked).tool_calls
    assert [c["name"] for c in whole.tool_calls] == ["beta"]
    assert whole.usage_metadata is not None
    assert whole.usage_metadata["input_tokens"] == 8
    pieces: list[Any] = list(chat.stream(asked))
    later: list[Any] = [p async for p in chat.astream(asked)]
    for found in (pieces, later):
        total: Any = found[0]
        for piece in found[1:]:
            total += piece
        assert isinstance(total, AIMessage)
        assert total.text == whole.text
        assert total.tool_calls == whole.tool_calls
        assert total.usage_metadata == whole.usage_metadata


@pytest.mark.parametrize("profile", sorted(PROFILES))
async def test_without_tools_there_is_nothing_to_do(profile: str) -> None:
    parameters = "?seconds=0" if profile == "slow" else ""
    answer = await load_model(f"sim:{profile}{parameters}").chat.ainvoke(
        "Here is the requirement: Beta happens before alpha."
    )
    assert answer.tool_calls == []


async def test_simulated_runs_are_named_as_such() -> None:
    run = await run_agent(abc(), model="sim:time-blind?day=6&seed=4")
    assert (run.model, run.seed, run.agent) == ("sim:time-blind?day=6", 4, "tools")
    assert end_of(run).ending == "stopped"
