"""Real small agents of many kinds: each is recorded as what it is, judged by what its owner says, and left alone."""

from __future__ import annotations

import asyncio
import errno
import operator
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelRetryMiddleware,
    ToolRetryMiddleware,
    wrap_tool_call,
)
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from pydantic import BaseModel, Field

from planscope.agents import record
from planscope.oracle.replay import Replay, replay
from planscope.rules.in_session import add_rules
from planscope.session.merging import finish_merging
from planscope.session.model import ErrorEvent, MessageEvent, Run, variant_of
from planscope.session.oracle_input import UNJUDGED, problem_of
from planscope.session.recordings import any_recordings
from planscope.session.store import load, save
from planscope.session.traces import trace_of
from planscope.wording.explain import explain_verdict
from tests.nightly import nightly

from .support import answers_of, calls_of, end_of, says
from .test_own_agent import Both, runs

QUERY = "Build image happens before deploy image."
ASKED = {"messages": [HumanMessage("Ship it.")]}


@tool
def build_image(tag: str, push: bool = False) -> str:
    """Build an image."""
    return f"built {tag}"


@tool
def deploy_image(tag: str, replicas: int = 1) -> str:
    """Deploy an image."""
    return f"{replicas} of {tag}"


@tool
def read_log(lines: int = 10) -> str:
    """Read the log."""
    return "nothing"


@tool
def page_owner(why: str) -> str:
    """Wake somebody."""
    return "awake"


TOOLS = [read_log, build_image, page_owner, deploy_image]
BUILD, DEPLOY = ("build_image", {"tag": "v1"}), ("deploy_image", {"tag": "v1", "replicas": 3})
LOG = ("read_log", {})
SHIPPED = [says(LOG), says(BUILD), says(LOG), says(DEPLOY), AIMessage("Done.")]


def made(path: Path, *script: Any, tools: Any = TOOLS, more: Any = (), **options: Any) -> Any:
    query = options.pop("query", QUERY)
    recorder = record(path, query=query)
    return create_agent(Both(script=list(script)), tools, middleware=[recorder, *more], **options)


def judged(path: Path, run: Run | None = None) -> Replay:
    session = load(path)
    run = run or session.runs[-1]
    return replay(problem_of(variant_of(session, run)), trace_of(run))


def verdict(path: Path, run: Run | None = None) -> tuple[str, str | None]:
    found = judged(path, run).verdict()
    return found.verdict, found.error_type


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "own.planscope.json"


def test_only_what_the_query_names_is_required(path: Path) -> None:
    """Another tool was called twice, and one never; real tools take real arguments."""
    made(path, *SHIPPED).invoke(ASKED)
    (run,) = runs(path)
    assert [c.tool for c in calls_of(run)] == ["read_log", "build_image", "read_log", "deploy_image"]
    found = judged(path).verdict()
    assert (found.verdict, found.findings) == ("right", ())
    (variant,) = load(path).variants
    kept = {a.tool: a for a in variant.actions}
    assert kept["build_image"].description == "Build an image."
    assert kept["build_image"].parameters is not None
    assert set(kept["build_image"].parameters["properties"]) == {"tag", "push"}


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ([says(DEPLOY), says(BUILD)], ("wrong", "order_error")),
        ([says(BUILD), says(LOG)], ("wrong", "action_lost")),
        ([says(BUILD), says(BUILD), says(DEPLOY)], ("wrong", "action_repeated")),
    ],
)
def test_what_the_query_names_is_judged(path: Path, script: list[Any], wanted: tuple[str, str]) -> None:
    made(path, *script).invoke(ASKED)
    assert verdict(path) == wanted


async def test_async(path: Path) -> None:
    await made(path, *SHIPPED).ainvoke(ASKED)
    assert verdict(path) == ("right", None)


@pytest.mark.parametrize("mode", ["updates", "values", "messages"])
async def test_streamed(path: Path, mode: str) -> None:
    agent = made(path, *SHIPPED, *SHIPPED)
    for _ in agent.stream(ASKED, stream_mode=mode):
        pass
    async for _ in agent.astream(ASKED, stream_mode=mode):
        pass
    assert len(runs(path)) == 2
    assert verdict(path) == ("right", None)


@pytest.mark.parametrize("sync", [True, False])
async def test_arguments_that_the_real_schema_refuses(path: Path, sync: bool) -> None:
    agent = made(path, says(("build_image", {"push": True})), says(BUILD), says(("ghost", {})), says(DEPLOY))
    await asyncio.to_thread(agent.invoke, ASKED) if sync else await agent.ainvoke(ASKED)
    found = judged(path).verdict()
    assert found.verdict == "right"
    assert [(f.type, f.step, f.severity, f.message) for f in found.findings] == [
        ("act_error", 1, "warning", "build_image: tag is missing"),
        ("act_error", 3, "warning", "ghost: there is no such tool"),
    ]


class Shipped(BaseModel):
    """What was shipped."""

    tag: str
    replicas: int = Field(ge=1)


FORM = ("Shipped", {"tag": "v1", "replicas": 3})


@pytest.mark.parametrize("sync", [True, False])
async def test_structured_output_by_a_tool(path: Path, sync: bool) -> None:
    script = [says(BUILD), says(DEPLOY), says(("Shipped", {"tag": "v1", "replicas": 0})), says(FORM)]
    agent = made(path, *script, response_format=ToolStrategy(Shipped))
    result = await asyncio.to_thread(agent.invoke, ASKED) if sync else await agent.ainvoke(ASKED)
    assert result["structured_response"] == Shipped(tag="v1", replicas=3)
    (run,) = runs(path)
    assert [c.tool for c in calls_of(run)] == ["build_image", "deploy_image"]
    said = [e for e in run.events if isinstance(e, MessageEvent)]
    assert [m.structured for m in said] == [None, None, {"tag": "v1", "replicas": 0}, FORM[1]]
    (trouble,) = [e for e in run.events if isinstance(e, ErrorEvent)]
    assert trouble.kind == "structured_output" and "replicas" in trouble.text
    assert end_of(run).ending == "stopped"
    assert verdict(path) == ("right", None)


def test_structured_output_beside_a_call(path: Path) -> None:
    agent = made(path, says(BUILD), says(DEPLOY, FORM), response_format=ToolStrategy(Shipped))
    assert agent.invoke(ASKED)["structured_response"].replicas == 3
    (run,) = runs(path)
    assert [a.text for a in answers_of(run)] == ["built v1", "3 of v1"]
    assert verdict(path) == ("right", None)


def test_structured_output_by_the_provider(path: Path) -> None:
    text = '{"tag": "v1", "replicas": 3}'
    agent = made(path, says(BUILD), says(DEPLOY), AIMessage(text), response_format=ProviderStrategy(Shipped))
    assert agent.invoke(ASKED)["structured_response"].tag == "v1"
    (run,) = runs(path)
    assert [e.structured for e in run.events if isinstance(e, MessageEvent)][-1] == FORM[1]
    assert verdict(path) == ("right", None)


def test_a_structured_answer_that_fails_the_agent_fails_as_before(path: Path) -> None:
    agent = made(path, AIMessage("no JSON"), response_format=ProviderStrategy(Shipped))
    with pytest.raises(Exception, match="Shipped"):
        agent.invoke(ASKED)
    assert end_of(runs(path)[0]).ending == "aborted"


@pytest.mark.parametrize("sync", [True, False])
async def test_a_command_is_recorded_as_what_it_is(path: Path, sync: bool) -> None:
    @tool
    def hand_over(to: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Hand over."""
        answer = ToolMessage(f"{to} has it", tool_call_id=tool_call_id)
        return Command(update={"messages": [answer], "owner": to}, goto=["somewhere"])

    agent = made(path, says(("hand_over", {"to": "ann"})), tools=[hand_over], query="")
    with suppress(Exception):  # there is no such node: as without a recorder
        await asyncio.to_thread(agent.invoke, ASKED) if sync else await agent.ainvoke(ASKED)
    (run,) = load(path).runs
    (answer,) = answers_of(run)
    assert answer.text == "ann has it"
    assert answer.to_graph == {"goto": ["somewhere"], "update": {"owner": "ann"}, "lost": []}


@pytest.mark.parametrize("sync", [True, False])
async def test_parallel_calls(path: Path, sync: bool) -> None:
    """All of a message are done at once, in threads or tasks; each keeps its step and its answer."""
    agent = made(path, says(BUILD, LOG, LOG, ("page_owner", {"why": "x"})), says(DEPLOY))
    await asyncio.to_thread(agent.invoke, ASKED) if sync else await agent.ainvoke(ASKED)
    (run,) = runs(path)
    assert {a.step: a.text for a in answers_of(run)} == {
        1: "built v1", 2: "nothing", 3: "nothing", 4: "awake", 5: "3 of v1",
    }  # fmt: skip
    assert verdict(path) == ("right", None)


def flaky(times: int) -> Any:
    left = [times]

    @tool
    def deploy_image(tag: str, replicas: int = 1) -> str:
        """Deploy an image."""
        left[0] -= 1
        if left[0] >= 0:
            raise RuntimeError("no route")
        return "deployed"

    return deploy_image


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("sync", [True, False])
async def test_a_tool_that_is_tried_again(path: Path, first: bool, sync: bool) -> None:
    """The recorder before the one that tries again sees one call; behind it, it sees each try. One run either way."""
    recorder = record(path, query=QUERY)
    again = ToolRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False)
    order = [recorder, again] if first else [again, recorder]
    tools = [build_image, flaky(2)]
    agent: Any = create_agent(Both(script=[says(BUILD), says(DEPLOY)]), tools, middleware=order)
    await asyncio.to_thread(agent.invoke, ASKED) if sync else await agent.ainvoke(ASKED)
    (run,) = runs(path)
    assert [a.text for a in answers_of(run)] == ["built v1", "deployed"]
    assert len([e for e in run.events if isinstance(e, ErrorEvent)]) == (0 if first else 2), "one a try"
    assert verdict(path) == ("right", None)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("sync", [True, False])
async def test_a_model_that_is_tried_again(path: Path, first: bool, sync: bool) -> None:
    recorder = record(path, query=QUERY)
    again = ModelRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False)
    order = [recorder, again] if first else [again, recorder]
    script = [ValueError("busy"), says(BUILD), ValueError("busy"), says(DEPLOY), AIMessage("Done.")]
    agent: Any = create_agent(Both(script=script), TOOLS, middleware=order)
    await asyncio.to_thread(agent.invoke, ASKED) if sync else await agent.ainvoke(ASKED)
    (run,) = runs(path)
    assert end_of(run).ending == "stopped"
    assert verdict(path) == ("right", None)


def test_a_tool_that_failed_was_not_done(path: Path) -> None:
    """Its error is told to the model, which calls it once more: that is no repetition, nor an error of the agent's."""

    @wrap_tool_call
    def tell(request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except RuntimeError as error:
            identity = request.tool_call["id"]
            return ToolMessage(str(error), tool_call_id=identity, status="error")

    agent = made(path, says(BUILD), says(DEPLOY), says(DEPLOY), tools=[build_image, flaky(1)], more=[tell])
    agent.invoke(ASKED)
    found = judged(path).verdict()
    assert (found.verdict, found.findings) == ("right", ())


def test_a_tool_that_raises_ends_the_agent_as_before(path: Path) -> None:
    agent = made(path, says(BUILD), says(DEPLOY), tools=[build_image, flaky(1)])
    with pytest.raises(RuntimeError, match="no route"):
        agent.invoke(ASKED)
    (run,) = runs(path)
    assert end_of(run).ending == "aborted" and verdict(path) == ("aborted", None)


def test_one_of_two_at_once_raises(path: Path) -> None:
    """The other one's answer comes late, and is kept."""
    late = threading.Event()

    @tool
    def read_log(lines: int = 10) -> str:
        """Read the log."""
        late.wait(0.2)
        return "late"

    agent = made(path, says(LOG, DEPLOY), tools=[read_log, flaky(1)])
    with pytest.raises(RuntimeError, match="no route"):
        agent.invoke(ASKED)
    (run,) = runs(path)
    assert end_of(run).ending == "aborted"


def test_an_artifact_is_kept(path: Path) -> None:
    @tool(response_format="content_and_artifact")
    def look_up(key: str) -> tuple[str, dict[str, Any]]:
        """Look up."""
        return "2 rows", {"rows": [1, 2], "odd": {3}}

    @tool(response_format="content_and_artifact")
    def take_picture() -> tuple[str, str]:
        """Take a picture."""
        return "a picture", "x" * 1_000_000

    script = [says(("look_up", {"key": "a"})), says(("take_picture", {}))]
    made(path, *script, tools=[look_up, take_picture], query="").invoke(ASKED)
    (run,) = runs(path)
    first, second = answers_of(run)
    assert (first.text, first.artifact) == ("2 rows", {"rows": [1, 2], "odd": "{3}"})
    assert second.artifact == "str, 1,000,002 characters of JSON: not kept"


def test_threads_and_recorders_on_one_file(path: Path) -> None:
    """Two recorders made before the file is there, used by many threads at once."""
    agents = [made(path, *(SHIPPED * 10)), made(path, *(SHIPPED * 10))]
    agents[0].invoke(ASKED), agents[1].invoke(ASKED)
    found = []

    def work(number: int) -> None:
        made(path, *SHIPPED).invoke(ASKED)
        found.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and len(runs(path)) == 10
    finish_merging()
    session = load(path)
    assert len(session.runs) == 10 and len(session.variants) == 1
    assert {verdict(path, run) for run in session.runs} == {("right", None)}


@pytest.mark.parametrize("way", ["first", "last", "callback"])
def test_a_person_edits_a_call(path: Path, way: str) -> None:
    """An interrupt is no end. What a person makes of a call is recorded, wherever the recorder stands."""
    wait = HumanInTheLoopMiddleware(interrupt_on={"deploy_image": True})
    recorder = record(path, query=QUERY)
    script = [says(BUILD), says(DEPLOY), AIMessage("Done.")]
    order: dict[str, list[Any]] = {"first": [recorder, wait], "last": [wait, recorder], "callback": [wait]}
    agent: Any = create_agent(Both(script=script), TOOLS, middleware=order[way], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    if way == "callback":
        config["callbacks"] = [recorder]
    agent.invoke(ASKED, config)
    finish_merging()
    waits = load(path).runs[0].events[-1]
    assert isinstance(waits, MessageEvent) and waits.by == "system"
    assert waits.text == 'waits for a person: approval of deploy_image(tag="v1", replicas=3)'
    edited = {"name": "deploy_image", "args": {"tag": "v1", "replicas": 9}}
    agent.invoke(Command(resume={"decisions": [{"type": "edit", "edited_action": edited}]}), config)
    (run,) = runs(path)
    call = calls_of(run)[-1]
    assert (call.arguments, call.asked) == ({"tag": "v1", "replicas": 9}, {"tag": "v1", "replicas": 3})
    said = [e.text for e in run.events if isinstance(e, MessageEvent) and e.by == "system"]
    assert len(said) == 2 and said[1].startswith('a person answered: {"decisions": [{"type": "edit"')
    assert "9 of v1" in answers_of(run)[-1].text
    assert verdict(path) == ("right", None)


def test_a_tool_whose_answer_is_the_end(path: Path) -> None:
    @tool(return_direct=True)
    def deploy_image(tag: str, replicas: int = 1) -> str:
        """Deploy an image."""
        return "deployed"

    made(path, says(BUILD), says(DEPLOY), tools=[build_image, deploy_image]).invoke(ASKED)
    (run,) = runs(path)
    assert end_of(run).ending == "stopped" and verdict(path) == ("right", None)


@pytest.mark.parametrize(
    ("last", "refusal", "finish_reason", "said"),
    [
        (
            AIMessage("", additional_kwargs={"refusal": "I cannot ship that."}),
            "I cannot ship that.", None, "the model refused: I cannot ship that.",
        ),
        (
            AIMessage([{"type": "refusal", "refusal": "No."}]),
            "No.", None, "the model refused: No.",
        ),
        (
            AIMessage("Well", response_metadata={"finish_reason": "length"}),
            None, "length", "the answer was cut off: the limit of its length was reached",
        ),
        (
            AIMessage("Well", response_metadata={"stop_reason": "max_tokens"}),
            None, "length", "the answer was cut off: the limit of its length was reached",
        ),
        (
            AIMessage("", response_metadata={"finish_reason": "content_filter"}),
            None, "content_filter", "the answer was cut off by the provider's content filter",
        ),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_says_so(
    path: Path, last: AIMessage, refusal: str | None, finish_reason: str | None, said: str
) -> None:
    made(path, says(BUILD), last).invoke(ASKED)
    (run,) = runs(path)
    message = [e for e in run.events if isinstance(e, MessageEvent)][-1]
    assert (message.refusal, message.finish) == (refusal, finish_reason)
    assert (end_of(run).ending, end_of(run).reason) == ("stopped", said)
    whole = judged(path)
    found = whole.verdict()
    assert (found.verdict, found.error_type) == ("wrong", "action_lost")
    assert said in explain_verdict(whole, found)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("Build image happens before deploy image.", "Build image happens before deploy image."),
        (
            "You need to execute all the tasks one by one in the correct order that meets the requirement. "
            "Each task can only be executed once. Here is the requirement: build_image precedes deploy_image.",
            "build_image precedes deploy_image.",
        ),
        ("Please ship it. Build image happens before deploy image.", ""),
        ("Ship it.", ""),
    ],
)
def test_without_a_query_the_first_message_is_one_if_it_reads(path: Path, asked: str, text: str) -> None:
    made(path, *SHIPPED, query="").invoke({"messages": [HumanMessage(asked)]})
    (variant,) = load(path).variants
    assert variant.query.text == text
    found = judged(path)
    assert {v.state for v in found.steps} == ({"completable"} if text else {"unknown"})
    assert found.verdict().verdict == ("right" if text else "unknown")
    assert text or explain_verdict(found, found.verdict()) == f"{UNJUDGED}."


# As a callback


@pytest.mark.parametrize("sync", [True, False])
async def test_as_a_callback(path: Path, sync: bool) -> None:
    agent: Any = create_agent(Both(script=list(SHIPPED)), TOOLS, system_prompt="You ship.")
    config: Any = {"callbacks": [record(path, query=QUERY)]}
    result = (
        await asyncio.to_thread(agent.invoke, ASKED, config) if sync else await agent.ainvoke(ASKED, config)
    )
    assert result["messages"][-1].content == "Done."
    (run,) = runs(path)
    assert run.events[0].text == "Ship it."
    assert run.events[0].system == "You ship."
    assert [a.text for a in answers_of(run)] == ["nothing", "built v1", "nothing", "3 of v1"]
    assert verdict(path) == ("right", None)
    assert {a.tool for a in load(path).variants[0].actions} == {t.name for t in TOOLS}


async def test_as_a_callback_with_calls_at_once_and_unknown_tools(path: Path) -> None:
    script = [says(BUILD, LOG, ("ghost", {})), says(("build_image", {})), says(DEPLOY), AIMessage("Done.")]
    agent: Any = create_agent(Both(script=script), TOOLS)
    await agent.ainvoke(ASKED, {"callbacks": [record(path, query=QUERY)]})
    (run,) = runs(path)
    assert {a.step: a.status for a in answers_of(run)} == {1: "ok", 2: "ok", 3: "error", 4: "error", 5: "ok"}
    assert verdict(path) == ("right", None)


async def test_as_a_callback_many_at_once_and_errors(path: Path) -> None:
    recorder = record(path, query=QUERY)

    async def one(number: int) -> None:
        script: list[Any] = list(SHIPPED) if number % 2 else [says(BUILD), ValueError("odd")]
        agent: Any = create_agent(Both(script=script), TOOLS)
        await agent.ainvoke(ASKED, {"callbacks": [recorder]})

    done = await asyncio.gather(*(one(i) for i in range(6)), return_exceptions=True)
    assert sum(isinstance(d, ValueError) for d in done) == 3
    found = runs(path)
    assert len(found) == 6
    assert sorted(verdict(path, run)[0] for run in found) == ["aborted"] * 3 + ["right"] * 3


def test_as_a_callback_of_a_graph_and_of_a_model_alone(path: Path) -> None:
    class State(TypedDict):
        messages: Annotated[list[Any], operator.add]

    model = Both(script=[AIMessage("one"), AIMessage("two"), AIMessage("three")])
    graph: Any = StateGraph(State)
    graph.add_node("say", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_edge(START, "say")
    graph.add_edge("say", END)
    config: Any = {"callbacks": [record(path)]}
    graph.compile().invoke(ASKED, config)
    model.invoke("Hello.", config)
    RunnableLambda(lambda text: model.invoke(text)).invoke("Hello again.", config)
    assert [run.events[0].text for run in runs(path)] == ["Ship it.", "Hello.", "Hello again."]


def test_as_both_it_is_recorded_once(path: Path) -> None:
    recorder = record(path, query=QUERY)
    agent: Any = create_agent(Both(script=list(SHIPPED)), TOOLS, middleware=[recorder])
    agent.invoke(ASKED, {"callbacks": [recorder]})
    assert len(runs(path)) == 1 and verdict(path) == ("right", None)


# It never makes a program fail


def test_where_nothing_can_be_written_the_agent_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither beside the session nor in the library: one warning."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr("planscope.session.locations.library_folder", lambda: blocked / "library")
    with pytest.warns(RuntimeWarning) as told:
        agent = made(blocked / "own.planscope.json", *SHIPPED, *SHIPPED)
        for _ in range(2):
            assert agent.invoke(ASKED)["messages"][-1].content == "Done."
    assert len([w for w in told if "planscope" in str(w.message)]) == 1


FULL = """
import errno, os, sys, warnings
from pathlib import Path
from tests.agents.test_own_kinds import *

written, left = os.write, [int(sys.argv[2])]


def write(handle, data):  # a disk that is full after some bytes; the library is on another one
    where = os.readlink(f"/proc/self/fd/{handle}")
    if not where.startswith(os.path.dirname(sys.argv[1]) + "/"):
        return written(handle, data)
    data, left[0] = data[: left[0]], max(left[0] - len(data), 0)
    if not data:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return written(handle, data)


os.write = write
warnings.simplefilter("always")
for number in range(12):
    create_agent(Both(script=list(SHIPPED)), TOOLS, middleware=[record(sys.argv[1])]).invoke(ASKED)
    finish_merging() if number % 5 == 4 else None
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="asks Linux for the file behind a descriptor")
@pytest.mark.parametrize("room", [300, *nightly(0, 6000)])
def test_a_full_disk_is_one_warning_and_one_place(tmp_path: Path, room: int) -> None:
    """Also of a program that makes a recorder for each request."""
    path, data = tmp_path / "full" / "d.planscope.json", tmp_path / "data"
    path.parent.mkdir()
    env = {**os.environ, "XDG_DATA_HOME": str(data)}
    root = Path(__file__).parent.parent.parent
    command = [sys.executable, "-c", FULL, str(path), str(room)]
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=root, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("RuntimeWarning: planscope") == 1, done.stderr
    (place,) = (data / "planscope" / "sessions").glob("*.planscope.json")
    kept = load(place).runs
    here = load(path).runs if path.exists() or any_recordings(path) else []
    assert place.name == path.name and len({run.recording for run in [*kept, *here]}) == 12
    whole = [run for run in [*kept, *here] if run.events and run.events[-1].type == "end"]
    assert len(whole) >= 11, "at most the run under way is cut off"


@pytest.mark.parametrize("full_after", [2, 3, 5])
def test_a_run_waits_for_room_on_a_full_disk(
    path: Path, full_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full for a while, also in the middle of a line, cuts off nothing; that is one warning."""
    real, calls = os.write, [0]

    def write(handle: int, data: bytes) -> int:
        calls[0] += 1
        if calls[0] == full_after:
            return real(handle, data[:7])
        if full_after < calls[0] <= full_after + 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(handle, data)

    monkeypatch.setattr("planscope.session.recordings.os.write", write)
    with pytest.warns(RuntimeWarning, match="No space left on device") as told:
        assert made(path, *SHIPPED).invoke(ASKED)["messages"][-1].content == "Done."
    finish_merging()
    (run,) = load(path).runs
    assert calls[0] > full_after + 3 and len(told) == 1
    assert end_of(run).ending == "stopped" and len(calls_of(run)) == len(SHIPPED) - 1


def test_a_program_that_makes_errors_of_warnings_goes_on(tmp_path: Path, capfd: Any) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("precious")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made(path, *SHIPPED).invoke(ASKED)["messages"][-1].content == "Done."
    assert capfd.readouterr().err.count(f"planscope cannot record in {path}") == 1
    assert path.read_text() == "precious"


def test_a_fault_of_the_recorder_is_a_warning(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **more: Any) -> Any:
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("planscope.agents.conversations.message_event", broken)
    with pytest.warns(RuntimeWarning, match="ZeroDivisionError") as told:
        assert made(path, *SHIPPED).invoke(ASKED)["messages"][-1].content == "Done."
    assert len(told) == 1


def test_rules_are_kept_in_the_session(path: Path) -> None:
    """A recorder's rules replace those of the recorder before, but never what the owner wrote since."""
    file = path.parent / "rules.txt"
    agent_of = lambda: create_agent(Both(script=SHIPPED), TOOLS, middleware=[record(path, rules=file)])  # noqa: E731
    file.write_text("build_image comes before deploy_image.\n")
    agent_of().invoke(ASKED)
    finish_merging()
    session = load(path)
    assert session.rules == "build_image comes before deploy_image.\n"
    file.write_text("deploy_image happens at most 1 time.\n")
    agent_of().invoke(ASKED)
    finish_merging()
    session = load(path)
    assert session.rules == "deploy_image happens at most 1 time.\n"
    assert session.rules_before == ["", "build_image comes before deploy_image.\n"]
    add_rules(session, "Never call page_owner.\n")
    save(session, path)
    file.write_text("deploy_image happens at most 2 times.\n")
    agent_of().invoke(ASKED)
    finish_merging()
    assert str(load(path).rules).splitlines() == [
        "deploy_image happens at most 1 time.",
        "Never call page_owner.",
        "deploy_image happens at most 2 times.",
    ]
    agent_of().invoke(ASKED)
    finish_merging()
    assert len(str(load(path).rules).splitlines()) == 3 and len(load(path).runs) == 4


def test_rules_that_cannot_be_read_are_one_warning(path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="the rules cannot be read: line 1"):
        recorder = record(path, rules=["build_image dances with deploy_image."])
    create_agent(Both(script=SHIPPED), TOOLS, middleware=[recorder]).invoke(ASKED)
    with pytest.warns(RuntimeWarning, match=r"No such file|nowhere\.txt"):
        record(path, rules="nowhere.txt")
    assert len(runs(path)) == 1 and load(path).rules is None
