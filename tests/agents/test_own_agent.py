"""Recording anybody's agent: sync and async, many at once, into one session file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from planscope.agents import guard, record
from planscope.oracle.replay import replay
from planscope.session.locations import library_folder
from planscope.session.merging import finish_merging, merge_recordings
from planscope.session.model import AnswerEvent, ErrorEvent, MessageEvent, PromptEvent, Run
from planscope.session.oracle_input import problem_of
from planscope.session.recordings import any_recordings
from planscope.session.store import load
from planscope.session.traces import trace_of
from planscope.session.writer import SessionWriter

from .support import Scripted, answers_of, calls_of, check_record, end_of, says

REQUEST = {"messages": [HumanMessage("Make dinner.")]}


class Both(Scripted):
    """Scripted, for ``invoke`` too."""

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])


@tool
def wash_hands(times: int = 1) -> str:
    """Wash your hands."""
    return f"clean, {times} times"


@tool
def cook_dinner() -> str:
    """Cook."""
    return "dinner"


@tool
def burn() -> str:
    """Fail."""
    raise RuntimeError("fire")


TOOLS = [wash_hands, cook_dinner, burn]


def agent(path: Path, *script: Any, **options: Any) -> Any:
    middleware = [record(path, **options)]
    return create_agent(Both(script=list(script)), TOOLS, system_prompt="You cook.", middleware=middleware)


async def go(made: Any, sync: bool) -> Any:
    return await asyncio.to_thread(made.invoke, REQUEST) if sync else await made.ainvoke(REQUEST)


def runs(path: Path) -> list[Run]:
    found = load(path).runs
    for run in found:
        check_record(run.events)
    return found


@pytest.mark.parametrize("sync", [False, True])
async def test_two_lines_write_a_session(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "mine.planscope.json"
    script = [
        says(("wash_hands", {"times": 2}), text="First."),
        says(("cook_dinner", {})),
        AIMessage("Done."),
    ]
    result = await go(agent(path, *script, query="Wash hands happens before cook dinner."), sync)
    assert result["messages"][-1].content == "Done."
    (run,) = runs(path)
    assert (run.agent, run.model) == ("own", "Both")
    assert run.events[0].text == "Make dinner."
    assert run.events[0].system == "You cook."
    assert [(c.tool, c.arguments) for c in calls_of(run)] == [
        ("wash_hands", {"times": 2}),
        ("cook_dinner", {}),
    ]
    assert [a.text for a in answers_of(run)] == ["clean, 2 times", "dinner"]
    assert end_of(run).ending == "stopped"
    (variant,) = load(path).variants
    assert variant.origin.kind == "imported"
    assert [(a.id, a.name, a.tool) for a in variant.actions] == [
        ("a1", "wash hands", "wash_hands"), ("a2", "cook dinner", "cook_dinner"), ("a3", "burn", "burn"),
    ]  # fmt: skip
    walk = replay(problem_of(variant), trace_of(run))
    assert [v.state for v in walk.steps[:3]] == ["completable"] * 3


@pytest.mark.parametrize("sync", [False, True])
async def test_several_calls_in_a_message_and_unknown_tools(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "s.planscope.json"
    await go(agent(path, says(("cook_dinner", {}), ("ghost", {}), ("wash_hands", {})), AIMessage("ok")), sync)
    (run,) = runs(path)
    assert [c.tool for c in calls_of(run)] == ["cook_dinner", "ghost", "wash_hands"]
    assert {a.step: a.status for a in answers_of(run)} == {1: "ok", 2: "error", 3: "ok"}


async def test_unreadable_calls(tmp_path: Path) -> None:
    path = tmp_path / "s.planscope.json"
    await go(agent(path, says(("wash_hands", "{"), ("cook_dinner", {})), says(("cook_dinner", "8"))), False)
    (run,) = runs(path)
    assert [c.arguments for c in calls_of(run)] == [{}, None, None]
    assert end_of(run).ending == "stopped"


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize(("bad", "kind"), [(says(("burn", {})), "tool"), (ValueError("odd"), "model")])
async def test_what_fails_fails_as_before_and_is_recorded(
    tmp_path: Path, sync: bool, bad: Any, kind: str
) -> None:
    path = tmp_path / "s.planscope.json"
    with pytest.raises((RuntimeError, ValueError)):
        await go(agent(path, says(("wash_hands", {})), bad), sync)
    (run,) = runs(path)
    assert end_of(run).ending == "aborted"
    assert isinstance(run.events[-2], ErrorEvent)
    assert run.events[-2].kind == kind


async def test_cancelled(tmp_path: Path) -> None:
    path = tmp_path / "s.planscope.json"
    task = asyncio.create_task(agent(path, says(("wash_hands", {})), 30).ainvoke(REQUEST))
    while not any_recordings(path):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (run,) = runs(path)
    assert end_of(run).ending == "aborted"


async def test_many_conversations_of_one_agent_at_once(tmp_path: Path) -> None:
    path = tmp_path / "s.planscope.json"

    class Polite(Both):
        async def _agenerate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
            await asyncio.sleep(0.01)
            said = sum(isinstance(m, AIMessage) for m in messages)
            line = [says(("wash_hands", {})), says(("cook_dinner", {})), AIMessage("Done.")][said]
            return ChatResult(generations=[ChatGeneration(message=line.model_copy())])

    made: Any = create_agent(Polite(script=[]), TOOLS, middleware=[record(path)])
    await asyncio.gather(*(made.ainvoke(REQUEST) for _ in range(10)))
    found = runs(path)
    assert len(found) == 10
    for run in found:
        assert [c.tool for c in calls_of(run)] == ["wash_hands", "cook_dinner"]


async def test_a_second_script_adds_its_runs(tmp_path: Path) -> None:
    path = tmp_path / "s.planscope.json"
    for _ in range(2):
        await go(agent(path, AIMessage("ok")), False)
    session = load(path)
    assert [r.id for r in session.runs] == ["r1", "r2"]
    assert len(session.variants) == 1


async def test_the_session_is_there_while_the_agent_works(tmp_path: Path) -> None:
    path = tmp_path / "s.planscope.json"
    seen: list[int] = []

    @tool
    def look() -> str:
        """Look."""
        seen.append(len(load(path).runs[0].events))
        return "seen"

    made: Any = create_agent(
        Both(script=[says(("look", {})), AIMessage("ok")]), [look], middleware=[record(path)]
    )
    await made.ainvoke(REQUEST)
    assert seen == [3]


async def test_it_sees_what_the_guard_refuses(tmp_path: Path) -> None:
    path = tmp_path / "s.planscope.json"
    query = "Wash hands happens before cook dinner."
    model = Both(script=[says(("cook_dinner", {})), AIMessage("I give up.")])
    made: Any = create_agent(model, TOOLS, middleware=[record(path, query=query), guard(query, TOOLS)])
    await made.ainvoke(REQUEST)
    (run,) = runs(path)
    assert [a.refused_by for a in run.events if isinstance(a, AnswerEvent)] == ["guard"]


async def test_a_file_that_is_no_session_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("precious")
    with pytest.warns(RuntimeWarning, match="is not a session file; it records in"):
        made = agent(path, *DONE)
    assert (await go(made, False))["messages"][-1].content == "Done."
    place = library_folder() / "notes.txt.planscope.json"
    assert path.read_text() == "precious" and len(runs(place)) == 1
    finish_merging()
    place.unlink()


async def test_arguments_that_the_client_completed_are_kept_as_they_were_written(tmp_path: Path) -> None:
    """A stream that was cut off: the tool gets what the client made of it, and that is what was done."""
    path = tmp_path / "mine.planscope.json"
    written = '{"times": 2, "soa'
    block = {"type": "function_call", "name": "wash_hands", "arguments": written, "call_id": "c1", "id": "f1"}
    cut = AIMessage([block], tool_calls=[{"name": "wash_hands", "args": {"times": 2}, "id": "c1"}])
    made = await go(agent(path, cut, AIMessage("done")), False)
    (run,) = runs(path)
    (call,) = calls_of(run)
    assert (call.arguments, call.raw, call.error) == ({"times": 2}, written, None)
    assert answers_of(run)[0].text == "clean, 2 times"
    assert "planscope" not in str(made["messages"])


DONE = [says(("wash_hands", {"times": 2})), AIMessage("Done.")]


async def test_a_file_that_is_open_in_the_debugger_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "mine.planscope.json"
    made = agent(path, *DONE, *DONE)
    await go(made, False)
    with SessionWriter(path) as keeper:
        keeper.save(load(path).model_copy(update={"title": "changed in the debugger"}))
        await go(made, False)
        assert len(load(path).runs) == 2
        keeper.save(load(path).model_copy(update={"title": "changed again"}))
    assert len(runs(path)) == 2 and load(path).title == "changed again"
    merge_recordings(path)
    assert len(runs(path)) == 2 and load(path).title == "changed again" and not any_recordings(path)


async def test_what_somebody_else_wrote_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "mine.planscope.json"
    made = agent(path, *DONE, *DONE, *DONE)
    await go(made, False)
    finish_merging()
    path.write_text("precious")
    with pytest.warns(RuntimeWarning, match="is not JSON.* it records in"):
        await go(made, False)
        finish_merging()
    assert path.read_text() == "precious" and len(runs(library_folder() / path.name)) == 1
    await go(made, False)
    finish_merging()
    assert len(runs(library_folder() / path.name)) == 2 and not any_recordings(path)
    path.unlink()
    await go(agent(path, *DONE), False)
    assert len(runs(library_folder() / path.name)) == 3, "it keeps to one place"
    (library_folder() / path.name).unlink()


@pytest.mark.parametrize("sync", [False, True])
async def test_what_the_model_saw_is_recorded(tmp_path: Path, sync: bool) -> None:
    """System prompt, tools with schemas, earlier messages; and later on only what changed."""
    from langchain.agents.middleware import AgentMiddleware, ModelRequest

    class Narrower(AgentMiddleware[Any, Any, Any]):
        """Takes a tool away after the first answer, and forgets the first message."""

        def _less(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
            if len(request.messages) < 4:
                return request
            return request.override(tools=request.tools[:1], messages=request.messages[-2:])

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(self._less(request))

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(self._less(request))

    path = tmp_path / "mine.planscope.json"
    script = [says(("wash_hands", {"times": 2})), AIMessage("Done.")]
    made = create_agent(
        Both(script=script), TOOLS[:2], system_prompt="You cook.", middleware=[Narrower(), record(path)]
    )
    asked = {"messages": [HumanMessage("Hello."), AIMessage("Yes?"), HumanMessage("Make dinner.")]}
    await (asyncio.to_thread(made.invoke, asked) if sync else made.ainvoke(asked))
    finish_merging()
    (run,) = runs(path)
    prompt, first, *_, last, _ = run.events
    assert (
        isinstance(prompt, PromptEvent) and isinstance(first, MessageEvent) and isinstance(last, MessageEvent)
    )
    assert (prompt.text, prompt.system) == ("Make dinner.", "You cook.")
    assert [(tool.name, tool.description) for tool in prompt.tools or ()] == [
        ("wash_hands", "Wash your hands."),
        ("cook_dinner", "Cook."),
    ]
    assert (prompt.tools or [])[0].parameters == {
        "properties": {"times": {"default": 1, "type": "integer"}},
        "type": "object",
    }
    assert [(m.role, m.text) for m in prompt.messages or ()] == [
        ("user", "Hello."),
        ("assistant", "Yes?"),
        ("user", "Make dinner."),
    ]
    assert first.given is None
    assert last.given is not None and last.given.system is None
    assert [tool.name for tool in last.given.tools or ()] == ["wash_hands"]
    assert [(m.role, m.calls is not None) for m in last.given.messages or ()] == [
        ("assistant", True),
        ("tool", False),
    ]
