"""Running an agent again on recorded answers: no call that the record answers reaches a tool."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NotRequired

import pytest
from langchain.agents import AgentState, create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.prebuilt import InjectedState
from langgraph.types import Command

from planscope.agents import record
from planscope.agents.gate import Answer, Verb
from planscope.agents.own_live import OwnRun
from planscope.agents.reruns import RecordedAnswers, first_input
from planscope.session.model import ErrorEvent, Run
from planscope.session.store import load

from .support import answers_of, calls_of, end_of, says
from .test_own_agent import Both
from .test_own_graphs import ASK, graph, helper_tool, steps
from .test_own_kinds import ASKED, path
from .test_own_live import Name, load_agent, named

__all__ = ["named", "path"]


def tools(works: bool) -> list[Any]:
    """Two tools; those of a rerun fail when they are called."""

    @tool
    def build_image(tag: str, at: int = 0) -> str:
        """Build."""
        assert works, "a tool was called"
        return f"built {tag}"

    @tool
    def deploy_image(tag: str) -> str:
        """Deploy."""
        assert works, "a tool was called"
        if tag == "bad":
            raise OSError("no disk")
        return f"deployed {tag}"

    return [build_image, deploy_image]


BUILD, DEPLOY = ("build_image", {"tag": "v1", "at": 1}), ("deploy_image", {"tag": "v1"})
SCRIPT = [says(BUILD), says(DEPLOY), AIMessage("Done.")]


def recorded(path: Path, *script: Any) -> Run:
    made = create_agent(Both(script=list(script or SCRIPT)), tools(True), middleware=[record(path)])
    with suppress(OSError):
        made.invoke(ASKED)
    return load(path).runs[-1]


def rerun(named: Name, run: Run, *script: Any, works: bool = False, **options: Any) -> tuple[Run, int]:
    agent = load_agent(named(create_agent(Both(script=list(script or SCRIPT)), tools(works))))
    gate = RecordedAnswers(run, **options)
    made = OwnRun(agent, first_input(run), variant="v1", run_id="r2", gate=gate).wait()
    return made, gate.answered


def test_recorded_answers_are_given_again(named: Name, path: Path) -> None:
    made, answered = rerun(named, recorded(path))
    assert [a.text for a in answers_of(made)] == ["built v1", "deployed v1"] and answered == 2
    assert {a.given_by for a in answers_of(made)} == {"record"} and end_of(made).ending == "stopped"


def test_an_error_is_raised_again(named: Name, path: Path) -> None:
    run = recorded(path, says(("deploy_image", {"tag": "bad"})))
    made, _ = rerun(named, run, says(("deploy_image", {"tag": "bad"})))
    assert end_of(made).ending == "aborted"
    assert "no disk" in next(e.text for e in made.events if isinstance(e, ErrorEvent))


@pytest.mark.parametrize(
    ("script", "options", "answered"),
    [
        ([says(DEPLOY, BUILD), AIMessage(".")], {}, 2),  # calls of one message, in any order
        ([says(("build_image", {"at": 1.0, "tag": "v1"})), AIMessage(".")], {}, 1),
        ([says(("build_image", {"tag": "v1", "at": 7})), AIMessage(".")], {"ignore": ["at"]}, 1),
        ([says(("build_image", {"tag": "v1", "at": 7})), AIMessage(".")], {}, 0),
        ([says(DEPLOY), says(BUILD), AIMessage(".")], {"loose": True}, 2),
    ],
)
def test_which_calls_are_equal(
    named: Name, path: Path, script: list[Any], options: dict[str, Any], answered: int
) -> None:
    run = recorded(path, says(BUILD, DEPLOY), AIMessage("."))
    assert rerun(named, run, *script, **options)[1] == answered


def test_the_first_other_call_stops_the_rerun(named: Name, path: Path) -> None:
    made, answered = rerun(named, recorded(path), says(DEPLOY))
    assert (answered, len(calls_of(made))) == (0, 0)
    assert end_of(made).reason == (
        'the rerun stopped before step 1, deploy_image(tag="v1"): the record goes on with '
        'build_image(tag="v1", at=1)'
    )
    made, _ = rerun(named, recorded(path), *SCRIPT[:2], says(BUILD))
    assert str(end_of(made).reason).endswith("the record has no more calls")


def test_another_call_goes_to_the_tool_or_to_a_person(named: Name, path: Path) -> None:
    other = says(("build_image", {"tag": "v2"}))
    script = [other, *SCRIPT]
    made, answered = rerun(named, recorded(path), *script, unmatched="call", works=True)
    assert [a.text for a in answers_of(made)] == ["built v2", "built v1", "deployed v1"] and answered == 2
    asked: list[str] = []

    def ask(call: Any, why: str) -> Verb:
        asked.append(why)
        return Answer("by hand")

    made, answered = rerun(named, recorded(path), *script, unmatched="ask", ask=ask)
    assert answers_of(made)[0].text == "by hand" and answered == 2
    assert asked == ['the record goes on with build_image(tag="v1", at=1)']


def test_a_sub_agents_calls_are_part_of_the_answer(named: Name, path: Path) -> None:
    recorder = record(path)

    def chief(inner: Any, *middleware: Any) -> Any:
        script = [says(ASK), says(DEPLOY), AIMessage("Done.")]
        tools_ = [*tools(bool(middleware)), helper_tool(inner)]
        return create_agent(Both(script=script), tools_, middleware=list(middleware), name="chief")

    inner = create_agent(
        Both(script=[says(BUILD), AIMessage("built")]), tools(True), middleware=[recorder], name="h"
    )
    chief(inner, recorder).invoke(ASKED)
    (run,) = load(path).runs
    assert [c.tool for c in calls_of(run)] == ["ask_helper", "build_image", "deploy_image"]
    agent = load_agent(named(chief(None)))
    gate = RecordedAnswers(run)
    made = OwnRun(agent, first_input(run), variant="v1", run_id="r2", gate=gate).wait()
    assert [c.tool for c in calls_of(made)] == ["ask_helper", "deploy_image"] and gate.answered == 2


class Owned(AgentState[Any]):
    owner: NotRequired[Any]


@pytest.mark.parametrize("owner", ["ann", {"id": [1, None]}, {1, 2}])
def test_a_command_is_given_again_if_the_record_holds_it(named: Name, path: Path, owner: Any) -> None:
    works = True

    @tool
    def hand_over(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Hand over."""
        assert works, "a tool was called"
        answer = ToolMessage("handed over", tool_call_id=tool_call_id)
        return Command(update={"messages": [answer], "owner": owner})

    seen: list[Any] = []

    class Looks(AgentMiddleware[Any, Any, Any]):
        def after_agent(self, state: Any, runtime: Any) -> None:
            seen.append((state["owner"], state["messages"][-2].text))

    def made(*middleware: Any) -> Any:
        script = [says(("hand_over", {})), AIMessage("Done.")]
        more: Any = {"middleware": [Looks(), *middleware], "state_schema": Owned}
        return create_agent(Both(script=script), [hand_over], **more)

    made(record(path)).invoke(ASKED)
    run, works = load(path).runs[-1], False
    gate = RecordedAnswers(run)
    again = OwnRun(load_agent(named(made())), first_input(run), variant="v1", run_id="r2", gate=gate).wait()
    if isinstance(owner, set):
        assert str(end_of(again).reason).endswith("does not hold the update of 'owner', which is no JSON")
        return
    assert seen == [(owner, "handed over")] * 2 and end_of(again).ending == "stopped"
    assert answers_of(again)[0].to_graph == answers_of(run)[0].to_graph


@pytest.mark.parametrize("last", [True, False])
def test_a_hand_over_goes_on_with_the_other_agent(named: Name, path: Path, last: bool) -> None:
    works = True

    @tool
    def to_bob(id: Annotated[str, InjectedToolCallId], state: Annotated[Any, InjectedState]) -> Command[Any]:
        """Hand over to bob."""
        assert works, "a tool was called"
        before = state["messages"][-1:] if last else state["messages"]
        said = [*before, ToolMessage("over to bob", tool_call_id=id)]
        return Command(goto="bob", graph=Command.PARENT, update={"messages": said})

    def made(*middleware: Any) -> Any:
        model = Both(script=[says(BUILD), says(("to_bob", {}))])
        alice = create_agent(model, [*tools(works), to_bob], middleware=list(middleware), name="alice")
        model = Both(script=[says(DEPLOY), AIMessage("Done.")])
        bob = create_agent(model, tools(works), middleware=list(middleware), name="bob")
        return graph(alice=alice, bob=bob).compile()

    recorder = record(path)
    made(recorder).invoke(ASKED)
    recorder.close()
    run, works = load(path).runs[-1], False
    gate = RecordedAnswers(run)
    again = OwnRun(load_agent(named(made())), first_input(run), variant="v1", run_id="r2", gate=gate).wait()
    assert (
        steps(again) == steps(run) == [("alice", "build_image"), ("alice", "to_bob"), ("bob", "deploy_image")]
    )
    assert gate.answered == 3 and end_of(again).ending == "stopped"
