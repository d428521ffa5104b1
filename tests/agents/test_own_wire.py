"""A recorded agent that talks to OpenAI's two protocols over a real local socket, streamed and not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from planscope.agents import record
from planscope.session.model import ErrorEvent, MessageEvent, PromptEvent

from .support import answers_of, calls_of, end_of
from .test_own_agent import runs
from .test_own_kinds import ASKED, QUERY, TOOLS, path, verdict
from .wire.replies import Fail, Say, call, calls
from .wire.server import WireServer

__all__ = ["path"]

SHIP = [
    calls(
        call("read_log", {"lines": 1}, id="x1"), call("build_image", {"tag": "v1"}, id="x2"), text="I build."
    ),
    calls(call("deploy_image", {"tag": "v1"}, id="x3")),
    Say("Shipped.", usage=(20, 2)),
]


async def go(server: WireServer, path: Path, *, responses: bool, streamed: bool, by: str) -> None:
    model = ChatOpenAI(
        model="local",
        base_url=server.base_url,
        api_key="sk-none",
        use_responses_api=responses,
        stream_usage=streamed,
        streaming=streamed,
        max_retries=0,
    )
    recorder = record(path, query=QUERY)
    agent: Any = create_agent(
        model, TOOLS, system_prompt="You ship.", middleware=[recorder] if by == "middleware" else []
    )
    config = {"callbacks": [recorder]} if by == "callback" else {}
    if streamed:
        async for _ in agent.astream(ASKED, config, stream_mode="messages"):
            pass
    else:
        await asyncio.to_thread(agent.invoke, ASKED, config)


@pytest.mark.parametrize("by", ["middleware", "callback"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("responses", [False, True], ids=["chat", "responses"])
async def test_a_run(path: Path, responses: bool, streamed: bool, by: str) -> None:
    with WireServer(SHIP) as server:
        await go(server, path, responses=responses, streamed=streamed, by=by)
    (run,) = runs(path)
    prompt = run.events[0]
    assert isinstance(prompt, PromptEvent) and (prompt.text, prompt.system) == ("Ship it.", "You ship.")
    assert [(c.tool, c.arguments) for c in calls_of(run)] == [
        ("read_log", {"lines": 1}),
        ("build_image", {"tag": "v1"}),
        ("deploy_image", {"tag": "v1"}),
    ]
    read, built, deployed = (a.text for a in answers_of(run))
    assert {read, built} == {"nothing", "built v1"} and deployed == "1 of v1"  # the first two run at once
    said = [e for e in run.events if isinstance(e, MessageEvent)]
    assert [e.text for e in said] == ["I build.", "", "Shipped."]
    assert said[-1].usage is not None and (said[-1].usage.input_tokens, said[-1].usage.output_tokens) == (
        20,
        2,
    )
    assert run.model == "local" and verdict(path) == ("right", None)


@pytest.mark.parametrize("by", ["middleware", "callback"])
async def test_a_server_that_fails(path: Path, by: str) -> None:
    with (
        WireServer([SHIP[0], Fail(500, "no capacity")]) as server,
        pytest.raises(Exception, match="no capacity"),
    ):
        await go(server, path, responses=False, streamed=False, by=by)
    (run,) = runs(path)
    assert end_of(run).ending == "aborted" and len(answers_of(run)) == 2
    assert [e.kind for e in run.events if isinstance(e, ErrorEvent)] == ["server"]
