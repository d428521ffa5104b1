"""Three ways to talk to a model, and people's own agents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from planscope.agents.models import LoadedModel, ModelUnavailable
from planscope.agents.paradigms import UnknownAgent, chat_for, load_factory
from planscope.agents.react_format import FORMAT_ERROR, read_prompt
from planscope.agents.runner import NOT_RECORDED
from planscope.oracle.replay import replay
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from tests.agents.support import run_agent

from .support import abc, answers_of, called, calls_of, check_record, end_of, scripted, variant


def act(tool: str, given: str = "{}", thought: str = "Next.") -> AIMessage:
    return AIMessage(
        f"Thought: {thought}\nAction: {tool}\nAction Input: {given}\nObservation: I made this up"
    )


async def test_react_asks_any_model_in_text_alone() -> None:
    model = scripted(act("alpha"), act("beta"), act("gamma"), AIMessage("Final Answer: Done."))
    run = await run_agent(abc(), model=model, agent="react", role="You plan.")
    check_record(run.events)
    assert run.agent == "react"
    assert called(run) == [("alpha", None), ("beta", None), ("gamma", None)]
    assert [e.text for e in run.events if e.type == "message"] == ["Next.", "Next.", "Next.", "Done."]
    asked: list[list[Any]] = model.chat.seen
    assert [type(m) for m in asked[-1]] == [SystemMessage, HumanMessage]
    tools, question, turns = read_prompt(asked[-1][1].content)
    assert [t.name for t in tools] == ["alpha", "beta", "gamma"]
    assert question == run.events[0].text
    assert [(t.tool, t.observation) for t in turns] == [
        ("alpha", "Alpha has been done."), ("beta", "Beta has been done."), ("gamma", "Gamma has been done."),
    ]  # fmt: skip


async def test_react_with_hours() -> None:
    case = variant("Alpha happens after 8:00.", ["alpha"], durations=[3])
    model = scripted(act("alpha", '{"start_time": 9}'), AIMessage("Final Answer: ok"))
    run = await run_agent(case, model=model, agent="react")
    assert called(run) == [("alpha", 9)]
    assert answers_of(run)[0].text == "Alpha takes 3 hours."


@pytest.mark.parametrize("text", ["I am done, I think.", "Action: alpha\nFinal Answer: done"])
async def test_a_format_error_is_a_call_that_could_not_be_read(text: str) -> None:
    case = abc()
    run = await run_agent(case, model=scripted(act("alpha"), AIMessage(text)), agent="react")
    check_record(run.events)
    bad = calls_of(run)[-1]
    assert (bad.step, bad.tool, bad.arguments) == (2, "", None)
    assert bad.error is not None
    assert bad.error.startswith(FORMAT_ERROR)
    assert "http" not in bad.error
    assert end_of(run).ending == "stopped"
    assert replay(problem_of(case), trace_of(run)).verdict().error_type == "act_error"


async def test_arguments_that_are_no_json_are_kept_as_they_came() -> None:
    run = await run_agent(abc(), model=scripted(act("alpha", '{"start')), agent="react")
    (call,) = calls_of(run)
    assert (call.tool, call.arguments, call.raw) == ("alpha", None, '{"start')
    assert call.error == "the arguments are not JSON: unterminated string starting at at column 2"


async def test_responses_keeps_the_conversation_on_the_server() -> None:
    model = LoadedModel(scripted().chat, scripted().spec)
    with pytest.raises(ModelUnavailable, match="openai:NAME"):
        chat_for("responses", model)
    case = abc("Alpha happens before beta.")
    one = await run_agent(case, model="sim:careful", agent="responses")
    other = await run_agent(case, model="sim:careful", agent="tools")
    assert called(one) == called(other)
    metadata = [
        e.message["data"]["response_metadata"] for e in one.events if e.type == "message" and e.message
    ]
    assert metadata == [{"id": f"resp_{i}"} for i in (1, 2, 3, 4)]


async def test_responses_does_not_see_edits_before_its_last_answer() -> None:
    """As the real one does not: what lies before is not sent again."""
    from planscope.agents.langchain_agent import langchain_tools
    from planscope.agents.models import load_model
    from planscope.agents.toolset import make_toolset

    chat = chat_for("responses", load_model("sim:careful")).bind_tools(
        langchain_tools(make_toolset(abc().actions, timed=False))
    )
    asked = HumanMessage("Here is the requirement: Beta happens before alpha.")
    first = await chat.ainvoke([asked])
    other = HumanMessage("Here is the requirement: Gamma happens before beta.")
    again = await chat.ainvoke([other, first])
    assert again.tool_calls[0]["name"] == "beta"


FACTORY = """
from langchain.agents import create_agent

def mine(model, tools, middleware):
    return create_agent(model, tools[::-1], middleware=middleware)

async def later(model, tools, middleware):
    return mine(model, tools, middleware)

def deaf(model, tools, middleware):
    return create_agent(model, tools)

def broken(model, tools, middleware):
    raise ValueError("no such prompt")

def forgets(model, tools, middleware):
    mine(model, tools, middleware)

def lists(model, tools, middleware):
    return tools

class Nest:
    inner = staticmethod(mine)

number = 3
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = f"own_agent_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(FACTORY)
    monkeypatch.chdir(tmp_path)
    return name


@pytest.mark.parametrize("factory", ["mine", "later", "Nest.inner"])
async def test_peoples_own_agents(own: str, factory: str) -> None:
    case = abc("Beta happens before alpha.")
    run = await run_agent(case, model="sim:careful", agent=f"{own}:{factory}")
    check_record(run.events)
    assert run.agent == f"{own}:{factory}"
    assert [tool for tool, _ in called(run)] == [
        "gamma",
        "beta",
        "alpha",
    ]  # it was given the tools the other way
    assert end_of(run).ending == "stopped"


async def test_an_agent_that_drops_the_middleware_is_told_so(own: str) -> None:
    run = await run_agent(abc(), model="sim:careful", agent=f"{own}:deaf")
    assert (end_of(run).ending, end_of(run).reason) == ("aborted", NOT_RECORDED)


async def test_a_factory_that_fails_aborts_the_run(own: str) -> None:
    run = await run_agent(abc(), model="sim:careful", agent=f"{own}:broken")
    assert end_of(run).ending == "aborted"
    assert "the agent crashed (ValueError: no such prompt)" in (end_of(run).reason or "")


@pytest.mark.parametrize(("factory", "what"), [("forgets", "nothing"), ("lists", "a list")])
async def test_a_factory_that_returns_no_agent_is_told_so(own: str, factory: str, what: str) -> None:
    run = await run_agent(abc(), model="sim:careful", agent=f"{own}:{factory}")
    assert end_of(run).ending == "aborted"
    assert f"the factory returned {what} instead of an agent" in (end_of(run).reason or "")


@pytest.mark.parametrize(
    "name", ["planner", "os:", ":x", "no.such.module:x", "os:nothing", "os:sep", "json:__name__"]
)
def test_what_is_no_agent_is_said_in_one_line(name: str) -> None:
    with pytest.raises(UnknownAgent) as error:
        load_factory(name)
    assert len(str(error.value).splitlines()) == 1
