"""The real OpenAI client over a real local socket, through the real agent loop."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from planscope.agents.models import LoadedModel, load_model
from planscope.session.model import ErrorEvent, Limits, MessageEvent, Run
from tests.agents.support import run_agent, run_once

from .support import abc, answers_of, called, calls_of, check_record, end_of, variant
from .wire.replies import Fail, Raw, Reply, Say, Slow, ToolCall, call, calls, whole
from .wire.server import WireServer, nobody

KEY = "sk-planted-0123456789abcdef"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "LANGSMITH_GATEWAY", "OPENAI_ORG_ID", "OPENAI_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def talk(
    server: WireServer, *, streamed: bool = False, retries: int = 0, timed: bool = False, **options: Any
) -> Run:
    case = abc() if not timed else variant("Alpha happens before 15:00.", ["alpha"], durations=[2])
    model = _load(server, streamed, retries)
    try:
        run = await run_agent(case, model=model, **options)
    finally:
        await model.aclose()
    check_record(run.events)
    assert KEY not in run.model_dump_json()
    return run


def _load(server: WireServer, streamed: bool, retries: int) -> LoadedModel:
    model = load_model("openai:local", base_url=server.base_url, retries=retries)
    model.chat.streaming = streamed
    return model


ABC = [
    calls(call("alpha", id="x1"), text="Alpha first."),
    calls(call("beta", id="x2")),
    calls(call("gamma", id="x3")),
    Say("All done.", usage=(20, 2)),
]


async def test_a_run_over_the_wire(streamed: bool) -> None:
    with WireServer(ABC) as server:
        run = await talk(server, streamed=streamed, role="You plan.")
    assert called(run) == [("alpha", None), ("beta", None), ("gamma", None)]
    assert [c.call_id for c in calls_of(run)] == ["x1", "x2", "x3"]
    assert end_of(run).ending == "stopped"
    messages = [e for e in run.events if isinstance(e, MessageEvent)]
    assert [m.text for m in messages] == ["Alpha first.", "", "", "All done."]
    assert [(m.usage.input_tokens, m.usage.output_tokens) for m in messages if m.usage] == [(7, 3)] * 3 + [
        (20, 2)
    ]
    assert server.paths == ["/v1/chat/completions"] * 4


async def test_what_is_sent(streamed: bool) -> None:
    with WireServer([calls(call("alpha", {"start_time": 9})), Say("ok")]) as server:
        await talk(server, streamed=streamed, timed=True, role="You plan.")
    first, second = server.requests
    assert first["temperature"] == 0
    assert bool(first.get("stream")) == streamed
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    tools = {t["function"]["name"]: t["function"] for t in first["tools"]}
    assert list(tools) == ["alpha", "ask_for_restart"]
    assert tools["alpha"]["parameters"]["properties"]["start_time"] == {
        "type": "integer",
        "description": "hour 0..23",
    }
    sent = json.dumps(first)
    assert "takes" not in sent
    assert '"duration"' not in sent
    assert [m["role"] for m in second["messages"]] == ["system", "user", "assistant", "tool"]
    assert second["messages"][-1]["content"] == "Alpha takes 2 hours."
    assert json.loads(second["messages"][-2]["tool_calls"][0]["function"]["arguments"]) == {"start_time": 9}
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_calls_of_one_message(streamed: bool) -> None:
    with WireServer(
        [calls(call("gamma", id="1"), call("ghost", id="2"), call("alpha", id="3")), Say("ok")]
    ) as server:
        run = await talk(server, streamed=streamed)
    assert [c.tool for c in calls_of(run)] == ["gamma", "ghost", "alpha"]
    assert [a.status for a in answers_of(run)] == ["ok", "error", "ok"]


@pytest.mark.parametrize("raw", ["[8]", "8", '"8"', "true", '{"start_', "9" * 5000, "[" * 5000])
async def test_arguments_that_cannot_be_read(raw: str) -> None:
    with WireServer([calls(call("alpha", raw)), Say("never asked")]) as server:
        run = await talk(server, timed=True)
    (one,) = calls_of(run)
    assert (one.tool, one.arguments, one.raw) == ("alpha", None, raw)
    assert one.error
    assert end_of(run).ending == "stopped"
    assert len(server.requests) == 1


@pytest.mark.parametrize("ids", ["123", "111"])
async def test_an_unreadable_call_between_good_ones_keeps_its_place(ids: str) -> None:
    three = calls(call("alpha", id=ids[0]), call("beta", "[8]", id=ids[1]), call("gamma", id=ids[2]))
    with WireServer([three, Say("ok")]) as server:
        run = await talk(server)
    assert [(c.tool, c.arguments) for c in calls_of(run)] == [("alpha", {}), ("beta", None), ("gamma", {})]
    assert sorted((a.step, a.status) for a in answers_of(run)) == [(1, "ok"), (2, "error"), (3, "ok")]
    answered = [m["tool_call_id"] for m in server.requests[1]["messages"] if m["role"] == "tool"]
    assert len(set(answered)) == 3


@pytest.mark.parametrize("raw", ["", "{}", "null"])
async def test_no_arguments_are_no_error(raw: str) -> None:
    with WireServer([calls(call("alpha", raw)), Say("ok")]) as server:
        run = await talk(server)
    assert [(c.tool, c.arguments) for c in calls_of(run)] == [("alpha", {})]


async def test_servers_without_ids_or_with_the_same_one(streamed: bool) -> None:
    nameless = ToolCall("alpha", "{}", None)
    same = [ToolCall("beta", "{}", "call_0"), ToolCall("gamma", "{}", "call_0")]
    with WireServer([calls(nameless), calls(*same), calls(same[0]), Say("ok")]) as server:
        run = await talk(server, streamed=streamed)
    assert [c.tool for c in calls_of(run)] == ["alpha", "beta", "gamma", "beta"]
    assert len({c.call_id for c in calls_of(run)}) == 4
    ids = [m["tool_call_id"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]
    assert len(set(ids)) == 4


async def test_lone_surrogates_do_not_break_the_next_request() -> None:
    odd = calls(call("alpha", '{"a": "\\ud800"}'), text="\ud800")
    with WireServer([odd, Say("ok \ud83d\ude00")]) as server:
        run = await talk(server)
    assert calls_of(run)[0].arguments == {"a": "\ufffd"}
    assert end_of(run).ending == "stopped"


HTML = Raw(b"<html>log in</html>", "text/html")

FAILURES: list[tuple[str, Reply, str, str]] = [
    ("401", Fail(401, f"Incorrect API key provided: {KEY}"), "authentication", "check OPENAI_API_KEY"),
    ("403", Fail(403, f"{KEY} may not"), "permission", "(403)"),
    (
        "404",
        Fail(404, f"no model for {KEY}"),
        "not_found",
        "(404); check the name of the model: no model for [secret]",
    ),
    ("429", Fail(429, "quota", {"Retry-After": "1"}), "rate_limit", "(after 1 s): quota"),
    ("500", Fail(500, f"oops {KEY}"), "server", "(500): oops [secret]"),
    ("400", Fail(400, "bad tools"), "invalid_request", "bad tools"),
    ("418", Fail(418, "teapot"), "invalid_request", "teapot"),
    ("long", Fail(400, "context_length_exceeded"), "context", "too long"),
    (
        "cut",
        Raw(whole(Say("hello"))[:40], cut=True),
        "connection",
        "could not be reached, or closed the connection",
    ),
    ("malformed", Raw(b'{"id": "x", "choices": ['), "model", "could not be used"),
    ("html", HTML, "model", "could not be used"),
    ("empty", Raw(b"{}"), "model", "could not be used"),
    ("no choices", Raw(b'{"choices": []}'), "model", "could not be used"),
    ("null", Raw(b"null"), "model", "could not be used"),
    ("odd choices", Raw(b'{"choices": [5]}'), "model", "could not be used"),
    (
        "odd calls",
        Raw(b'{"choices": [{"message": {"role": "assistant", "tool_calls": [7]}}]}'),
        "model",
        "used",
    ),
]


@pytest.mark.parametrize(("reply", "kind", "says"), [f[1:] for f in FAILURES], ids=[f[0] for f in FAILURES])
async def test_failures_end_the_run_in_one_clear_line(
    streamed: bool, reply: Reply, kind: str, says: str
) -> None:
    with WireServer([calls(call("alpha")), reply]) as server:
        run = await talk(server, streamed=streamed)
    told, end = run.events[-2], end_of(run)
    assert isinstance(told, ErrorEvent)
    assert (end.ending, end.reason) == ("aborted", told.text)
    assert told.kind == kind
    assert says in told.text
    assert len(told.text.splitlines()) == 1
    assert "http" not in told.text
    assert [c.tool for c in calls_of(run)] == ["alpha"]
    assert len(server.requests) == 2


async def test_a_stream_that_breaks_off_is_no_answer() -> None:
    events = b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":'
    events += b'{"role":"assistant","content":"Hel"},"finish_reason":null}]}\n\n'
    with WireServer([Raw(events, "text/event-stream", cut=True)]) as server:
        run = await talk(server, streamed=True)
    assert end_of(run).ending == "aborted"
    assert calls_of(run) == []


async def test_a_limit_that_passes_is_waited_for() -> None:
    with WireServer([Fail(429, "slow down", {"Retry-After": "1"}), *ABC]) as server:
        began = time.perf_counter()
        run = await talk(server, retries=1)
        took = time.perf_counter() - began
    assert end_of(run).ending == "stopped"
    assert len(calls_of(run)) == 3
    assert took >= 0.9
    assert len(server.requests) == 5


async def test_nobody_there() -> None:
    with nobody() as address:
        model = load_model("openai:local", base_url=address, retries=0)
        run = await run_agent(abc(), model=model)
        await model.aclose()
    assert isinstance(run.events[-2], ErrorEvent)
    assert run.events[-2].kind == "connection"
    assert address.split("/")[2] in run.events[-2].text


async def test_a_slow_server_meets_the_limit_of_time(streamed: bool) -> None:
    with WireServer([Slow(20, Say("late"))]) as server:
        began = time.perf_counter()
        run = await talk(server, streamed=streamed, limits=Limits(seconds=0.4))
        assert time.perf_counter() - began < 18
    assert end_of(run).ending == "timeout"


async def test_cancelling_does_not_wait_for_the_server() -> None:
    with WireServer([Slow(20, Say("late"))]) as server:
        task = asyncio.create_task(talk(server))
        while not server.requests:
            await asyncio.sleep(0.02)
        began = time.perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.perf_counter() - began < 18  # the server would take 20


def test_one_run_after_another_on_loops_of_their_own() -> None:
    with WireServer([Say("one"), Say("two"), Say("three")]) as server:
        ends = [
            end_of(run_once(abc(), model="openai:local", base_url=server.base_url)).ending for _ in range(3)
        ]
    assert ends == ["stopped"] * 3


@pytest.mark.nightly
def test_an_interrupt_ends_a_blocking_run_at_once() -> None:
    script = """
import sys
from tests.agents.support import abc, run_once
try:
    run_once(abc(), model="openai:local", base_url=sys.argv[1])
except KeyboardInterrupt:
    sys.exit(130)
"""
    with WireServer([Slow(60, Say("late"))]) as server:
        command = [sys.executable, "-W", "error", "-c", script, server.base_url]
        root = Path(__file__).parents[2]
        with subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) as process:
            while not server.requests:
                assert process.poll() is None
                time.sleep(0.05)
            began = time.perf_counter()
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=50)
        assert process.returncode == 130, errors
        assert errors == ""
        assert time.perf_counter() - began < 30


async def test_openais_own_proxy_variable_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    with WireServer([]) as server:
        monkeypatch.setenv("OPENAI_PROXY", server.base_url.removesuffix("/v1"))
        await run_agent(abc(), model="openai:local", base_url="http://server.invalid/v1")
        assert server.paths[0] == "http://server.invalid/v1/chat/completions"


async def test_the_address_is_in_no_record() -> None:
    with WireServer([Fail(404)]) as server:
        address = server.base_url.replace("http://", "http://me:hunter2secret@")
        run = await run_agent(abc(), model="openai:local", base_url=address)
    assert run.model == "openai:local"
    assert "hunter2" not in run.model_dump_json()
