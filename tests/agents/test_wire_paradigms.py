"""ReAct and the Responses API with the real OpenAI client over a real local socket, streamed and not."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from planscope.agents.forks import fork
from planscope.agents.models import load_model
from planscope.agents.options import RunOptions
from planscope.agents.react_format import STOP
from planscope.oracle.replay import replay
from planscope.session.model import ErrorEvent, Limits, MessageEvent, Run
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from tests.agents.support import run_agent

from .support import abc, answers_of, called, calls_of, check_record, end_of, variant
from .wire.replies import Fail, Raw, Reply, Say, Slow, call, calls
from .wire.server import WireServer

KEY = "sk-planted-0123456789abcdef"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "LANGSMITH_GATEWAY", "OPENAI_ORG_ID", "OPENAI_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(params=["tools", "react", "responses"])
def agent(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def act(tool: str, given: str = "{}", thought: str = "Next.") -> Say:
    return Say(f"Thought: {thought}\nAction: {tool}\nAction Input: {given}\nObservation: made up")


def speak(agent: str, *tools: str) -> list[Reply]:
    """The same run in the words of the paradigm."""
    if agent == "react":
        return [*(act(t) for t in tools), Say("Thought: ok\nFinal Answer: All done.", usage=(20, 2))]
    said = [calls(call(t, id=f"x{i}"), text="Next.") for i, t in enumerate(tools, 1)]
    return [*said, Say("All done.", usage=(20, 2))]


async def talk(
    server: WireServer, agent: str, *, streamed: bool = False, case: Any = None, **options: Any
) -> Run:
    model = load_model(
        "openai:local",
        base_url=server.base_url,
        retries=options.pop("retries", 0),
        responses=agent == "responses",
    )
    model.chat.streaming = streamed
    try:
        run = await run_agent(case or abc(), model=model, agent=agent, **options)
    finally:
        await model.aclose()
    check_record(run.events)
    assert KEY not in run.model_dump_json()
    return run


async def test_the_same_run_in_every_paradigm(agent: str, streamed: bool) -> None:
    with WireServer(speak(agent, "alpha", "beta", "gamma")) as server:
        run = await talk(server, agent, streamed=streamed, role="You plan.")
    assert called(run) == [("alpha", None), ("beta", None), ("gamma", None)]
    assert [a.status for a in answers_of(run)] == ["ok"] * 3
    messages = [e for e in run.events if isinstance(e, MessageEvent)]
    assert [m.text for m in messages] == ["Next.", "Next.", "Next.", "All done."]
    assert [(m.usage.input_tokens, m.usage.output_tokens) for m in messages if m.usage] == [
        (7, 3), (7, 3), (7, 3), (20, 2),
    ]  # fmt: skip
    assert end_of(run).ending == "stopped"
    path = "/v1/responses" if agent == "responses" else "/v1/chat/completions"
    assert server.paths == [path] * 4


async def test_what_react_sends(streamed: bool) -> None:
    with WireServer(speak("react", "alpha")) as server:
        await talk(server, "react", streamed=streamed, role="You plan.")
    for request in server.requests:
        assert "tools" not in request
        assert request["temperature"] == 0
        assert request["stop"] == [STOP]
        assert [m["role"] for m in request["messages"]] == ["system", "user"]
    assert "Observation: Alpha has been done." in server.requests[1]["messages"][1]["content"]
    assert "made up" not in server.requests[1]["messages"][1]["content"]


async def test_what_responses_sends(streamed: bool) -> None:
    with WireServer(speak("responses", "alpha", "beta")) as server:
        await talk(server, "responses", streamed=streamed, role="You plan.")
    first, second, third = server.requests
    assert "temperature" not in first
    assert "previous_response_id" not in first
    assert [t["name"] for t in first["tools"]] == ["alpha", "beta", "gamma"]
    for n, request in enumerate((second, third), 1):
        assert request["previous_response_id"] == f"resp_{n}"
        (output,) = [i for i in request["input"] if i.get("role") != "system"]
        assert (output["type"], output["call_id"]) == ("function_call_output", f"x{n}")
    assert len(server.kept["resp_3"]) > len(server.kept["resp_1"])


async def test_a_lost_state_aborts_the_run() -> None:
    with WireServer(speak("responses", "alpha", "beta")) as server:
        run_task = asyncio.create_task(talk(server, "responses"))
        while not server.kept:
            await asyncio.sleep(0.001)
        server.kept.clear()
        run = await run_task
    assert end_of(run).ending in ("aborted", "stopped")  # stopped: it was faster


async def test_responses_with_calls_in_one_message_and_unreadable_ones(streamed: bool) -> None:
    script = [
        calls(call("beta", "x", id="1"), call("alpha", id="2"), call("beta", "y z", id="3")),
        calls(call("gamma", id="4")),
        Say("ok"),
    ]
    with WireServer(script) as server:
        run = await talk(server, "responses", streamed=streamed)
    assert [(c.tool, c.arguments) for c in calls_of(run)] == [
        ("beta", None), ("alpha", {}), ("beta", None), ("gamma", {}),
    ]  # fmt: skip
    assert {a.step: a.status for a in answers_of(run)} == {1: "error", 2: "ok", 3: "error", 4: "ok"}


async def test_hours_in_every_paradigm(agent: str) -> None:
    case = variant("Alpha happens before 15:00.", ["alpha"], durations=[2])
    given = '{"start_time": 9}'
    script = [act("alpha", given) if agent == "react" else calls(call("alpha", given)), *speak(agent)]
    with WireServer(script) as server:
        run = await talk(server, agent, case=case)
    assert called(run) == [("alpha", 9)]
    assert answers_of(run)[0].text == "Alpha takes 2 hours."


FAILURES: list[tuple[str, Reply, str]] = [
    ("401", Fail(401, f"Incorrect API key provided: {KEY}"), "authentication"),
    ("404", Fail(404, f"no model for {KEY}"), "not_found"),
    ("429", Fail(429, "quota", {"Retry-After": "1"}), "rate_limit"),
    ("500", Fail(500, f"oops {KEY}"), "server"),
    ("cut", Raw(b'{"id": "x", "out', cut=True), "connection"),
    ("malformed", Raw(b'{"id": "x", "choices": ['), "model"),
    ("html", Raw(b"<html>log in</html>", "text/html"), "model"),
    ("null", Raw(b"null"), "model"),
]


@pytest.mark.parametrize(("reply", "kind"), [f[1:] for f in FAILURES], ids=[f[0] for f in FAILURES])
async def test_failures_end_the_run_in_one_clear_line(
    agent: str, streamed: bool, reply: Reply, kind: str
) -> None:
    with WireServer([speak(agent, "alpha")[0], reply]) as server:
        run = await talk(server, agent, streamed=streamed)
    told, end = run.events[-2], end_of(run)
    assert isinstance(told, ErrorEvent)
    assert (end.ending, end.reason) == ("aborted", told.text)
    assert told.kind == kind
    assert len(told.text.splitlines()) == 1
    assert [c.tool for c in calls_of(run)] == ["alpha"]


async def test_a_limit_that_passes_is_waited_for(agent: str) -> None:
    with WireServer([Fail(429, "slow down", {"Retry-After": "1"}), *speak(agent, "alpha")]) as server:
        run = await talk(server, agent, retries=1)
    assert end_of(run).ending == "stopped"


async def test_a_slow_server_meets_the_limit_of_time(agent: str, streamed: bool) -> None:
    with WireServer([Slow(20, Say("late"))]) as server:
        began = time.perf_counter()
        run = await talk(server, agent, streamed=streamed, limits=Limits(seconds=0.4))
        assert time.perf_counter() - began < 18
    assert end_of(run).ending == "timeout"


async def test_forks_are_sent_as_a_whole(agent: str) -> None:
    case = abc()
    with WireServer(speak(agent, "alpha", "beta")) as server:
        run = await talk(server, agent, case=case)
    with WireServer(speak(agent, "gamma")) as server:
        model = load_model("openai:local", base_url=server.base_url, responses=agent == "responses")
        branch = await fork(
            run, case, RunOptions(agent=""), loaded=model, step=1, answer="Alpha is half done."
        ).go()
        await model.aclose()
    check_record(branch.events)
    assert [t for t, _ in called(branch)] == ["alpha", "gamma"]
    first = server.requests[0]
    assert "previous_response_id" not in first
    assert "half done" in str(first)
    assert "Here is the requirement" in str(first)
    assert "beta has been done" not in str(first).lower()


READ_AS_AN_OBJECT = ['{"start_', '{"start_time": 9, "x', '{"start_time": 9']
"""Cut off: the client completes such texts where it streams."""


@pytest.mark.parametrize("raw", ["[8]", "8", '"8"', "true", *READ_AS_AN_OBJECT, "9" * 5000, "[" * 5000])
async def test_arguments_that_are_no_object_are_a_finding_of_the_run(
    agent: str, streamed: bool, raw: str
) -> None:
    """In every paradigm, streamed or not: the run ends as the model left it, and is not aborted."""
    case = variant("Alpha happens before 15:00.", ["alpha"], durations=[2])
    script = [act("alpha", raw) if agent == "react" else calls(call("alpha", raw)), Say("never asked")]
    with WireServer(script) as server:
        run = await talk(server, agent, streamed=streamed, case=case)
    (one,) = calls_of(run)
    assert (one.tool, one.arguments) == ("alpha", None)
    assert one.raw == raw
    assert one.error and "\n" not in one.error
    assert end_of(run).ending == "stopped"
    assert len(server.requests) == 1
    verdict = replay(problem_of(case), trace_of(run)).verdict()
    assert "act_error" in [f.type for f in verdict.findings]


@pytest.mark.parametrize("raw", ["[8]", "8", *READ_AS_AN_OBJECT])
async def test_an_unreadable_call_between_good_ones_keeps_its_place(streamed: bool, raw: str) -> None:
    three = calls(call("alpha", id="1"), call("beta", raw, id="2"), call("gamma", id="3"))
    for agent in ("tools", "responses"):
        with WireServer([three, Say("ok")]) as server:
            run = await talk(server, agent, streamed=streamed)
        assert [(c.tool, c.arguments, c.raw) for c in calls_of(run)] == [
            ("alpha", {}, None),
            ("beta", None, raw),
            ("gamma", {}, None),
        ]
        assert sorted((a.step, a.status) for a in answers_of(run)) == [(1, "ok"), (2, "error"), (3, "ok")]
        assert "planscope" not in str(server.requests[1])
        branch = server.requests[1].get("input") or server.requests[1]["messages"]
        assert (
            len([m for m in branch if m.get("role") == "tool" or m.get("type") == "function_call_output"])
            == 3
        )


async def test_one_call_at_a_time_is_asked_for_where_there_are_tools(
    agent: str, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of OpenAI itself alone, which refuses the setting where no tools are offered, as ReAct's model has none."""
    for named in (True, False):
        with WireServer(speak(agent, "alpha")) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
            model = load_model(
                "openai:local",
                base_url=server.base_url if named else None,
                retries=0,
                responses=agent == "responses",
            )
            model.chat.streaming = streamed
            await run_agent(abc(), model=model, agent=agent)
            await model.aclose()
        expected = None if named or agent == "react" else False
        assert [r.get("parallel_tool_calls") for r in server.requests] == [expected] * 2
