"""What recording and the gate cost, and many runs at once: ``python -m tests.bench.bench_recorder``.

Wanted: at most 1 ms a call over a bare ``create_agent`` run; 100 runs at once against a server that answers in 200
ms at most 1.5 times as long as one run. What the client library costs by itself (the same requests, without any
agent) is measured beside it, since all of them share one processor.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult

from planscope.agents.gate import GoOn, PendingCall, Verb
from planscope.agents.mock_tools import langchain_tools
from planscope.agents.models import load_model
from planscope.agents.recorder import Recorder
from planscope.agents.runner import LiveRun
from planscope.agents.toolset import make_toolset
from planscope.language.problem import make_actions
from planscope.session.derive import records
from planscope.session.events import Event
from planscope.session.model import Origin, Query, Variant
from tests.bench.yardstick import table

CALLS = 30
ROUNDS = 15
SERVER_SECONDS = 0.2


class Quick(BaseChatModel):
    """Calls the only tool ``CALLS`` times."""

    @property
    def _llm_type(self) -> str:
        return "quick"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        made = sum(isinstance(m, AIMessage) for m in messages)
        calls = [tool_call(name="alpha", args={}, id=f"c{made}")] if made < CALLS else []
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage("x", tool_calls=calls, id=f"m{made}"))]
        )

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return self._generate(messages)


async def go_on(call: PendingCall) -> Verb:
    return GoOn()


async def per_call(middleware: Any) -> float:
    """Milliseconds a call of one run; ``middleware`` makes a fresh list of them."""
    variant = small(["alpha"])
    tools = langchain_tools(make_toolset(variant.actions, timed=False))
    agent: Any = create_agent(Quick(), tools, middleware=middleware())
    began = time.perf_counter()
    await agent.ainvoke({"messages": [HumanMessage("go")]})
    return 1000 * (time.perf_counter() - began) / CALLS


def recorder(gate: Any = None) -> list[Any]:
    events: list[Event] = []
    return [Recorder(events.append, model_calls=CALLS + 1, gate=gate)]


async def overhead() -> list[list[str]]:
    ways: dict[str, Any] = {
        "create_agent alone": list,
        "with recorder": recorder,
        "with recorder and gate": lambda: recorder(go_on),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, middleware in ways.items():
            times[name].append(await per_call(middleware))
    bare = statistics.median(times["create_agent alone"])
    rows = []
    for name, found in times.items():
        middle = statistics.median(found)
        rows.append([name, f"{middle:.2f}", f"{middle - bare:+.2f}"])
    return rows


def small(names: list[str]) -> Variant:
    text = f"{names[0]} happens before {names[-1]}."
    return Variant(
        id="v1", origin=Origin(kind="written"), query=Query(text=text), actions=records(make_actions(names))
    )


@contextmanager
def server() -> Iterator[str]:
    script = Path(__file__).parent / "slow_server.py"
    command = [sys.executable, str(script), str(SERVER_SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        finally:
            process.terminate()


async def many(url: str, count: int) -> float:
    """Seconds that ``count`` runs take at once."""
    model = load_model("openai:local", base_url=url)
    began = time.perf_counter()
    variant = small(["alpha", "beta", "gamma"])
    runs = await asyncio.gather(*(LiveRun(variant, model=model).go() for _ in range(count)))
    took = time.perf_counter() - began
    assert all(r.events[-1].ending == "stopped" for r in runs)  # type: ignore[union-attr]
    await model.aclose()
    return took


async def client_alone(url: str, count: int) -> float:
    """Seconds for the same requests, sent by the client library without any agent."""
    model = load_model("openai:local", base_url=url)
    tools = langchain_tools(make_toolset(small(["alpha", "beta", "gamma"]).actions, timed=False))
    chat = model.chat.bind_tools(tools)

    async def talk() -> None:
        for _ in range(4):
            await chat.ainvoke([HumanMessage("go")])

    began = time.perf_counter()
    await asyncio.gather(*(talk() for _ in range(count)))
    took = time.perf_counter() - began
    await model.aclose()
    return took


def main() -> None:
    table(
        f"A run of {CALLS} calls, median of {ROUNDS}",
        ["way", "ms a call", "over bare"],
        asyncio.run(overhead()),
    )
    with server() as url:
        asyncio.run(many(url, 1))  # imports, and what is made once
        rows = []
        alone = [asyncio.run(many(url, 1)), asyncio.run(client_alone(url, 1))]
        for count in (1, 10, 100):
            took, client = asyncio.run(many(url, count)), asyncio.run(client_alone(url, count))
            rows.append(
                [
                    count,
                    f"{took:.2f}",
                    f"{took / alone[0]:.2f} x",
                    f"{client:.2f}",
                    f"{client / alone[1]:.2f} x",
                ]
            )
    head = ["runs at once", "s", "over one run", "client alone, s", "over one"]
    table(f"Runs of 4 requests, each answered in {1000 * SERVER_SECONDS:.0f} ms", head, rows)


if __name__ == "__main__":
    main()
