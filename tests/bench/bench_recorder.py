"""What recording and the gate cost, and many runs at once: ``python -m tests.bench.bench_recorder``.

Wanted: at most 1 ms a call over a bare ``create_agent`` run, for somebody's own agent at 50, 500 and 5,000 calls alike;
100 runs at once against a server that answers in 200 ms at most 1.5 times as long as one run. All of them share one
processor, so what the client library costs by itself (the same requests, without an agent, and with LangChain's
unrecorded one) is measured beside it. "At work" is the time of this process alone: neighbours on the machine change the
seconds that go by, and little of that.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import openai
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from planscope.agents import graphs, record
from planscope.agents.gate import GoOn, PendingCall, Verb
from planscope.agents.langchain_agent import langchain_tools, tracing
from planscope.agents.many_runs import run_many
from planscope.agents.options import RunOptions
from planscope.agents.recorder import Recorder
from planscope.agents.runner import LiveRun
from planscope.agents.toolset import make_toolset
from planscope.language.problem import make_actions
from planscope.language.prompts import prompt_for
from planscope.session.merging import finish_merging
from planscope.session.model import Origin, Query, Variant, records
from tests.bench.yardstick import table

CALLS = 30
ROUNDS = 15
SERVER_SECONDS = 0.2
TRIES = 3
OWN_CALLS = ((50, 9), (500, 3), (5000, 1))
"""How many calls a run has, and how often it is run."""


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


class Gate:
    """Lets each call go on."""

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        return GoOn()


async def per_call(middleware: Any) -> float:
    """Milliseconds a call of one run; ``middleware`` makes a fresh list of them."""
    variant = small(["alpha"])
    tools = langchain_tools(make_toolset(variant.actions, timed=False))
    agent: Any = create_agent(Quick(), tools, middleware=middleware())
    with tracing(False):  # as all our runs are
        began = time.perf_counter()
        await agent.ainvoke({"messages": [HumanMessage("go")]})
    return 1000 * (time.perf_counter() - began) / CALLS


def recorder(gate: Any = None) -> list[Any]:
    live = LiveRun(small(["alpha"]), RunOptions(), gate=gate)
    return [live.made_recorder()]


async def overhead() -> list[list[str]]:
    ways: dict[str, Any] = {
        "create_agent alone": list,
        "with recorder": recorder,
        "with recorder and gate": lambda: recorder(Gate()),
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


NAMES = ["alpha", "beta", "gamma"]
TOOLSET = make_toolset(small(NAMES).actions, timed=False)
TOOLS = langchain_tools(TOOLSET)
ANSWERS = {tool.spec.name: tool.answer({})[0] for tool in TOOLSET}
PROMPT = prompt_for(small(NAMES).query.text, timed=False)


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


class Took(NamedTuple):
    """Seconds that went by, and those that this process was at work."""

    seconds: float
    work: float


def many(url: str, count: int) -> None:
    """As ``planscope run --times`` does it."""
    case = small(NAMES)
    runs = run_many(case, RunOptions(model="openai:local", base_url=url), times=count, at_once=count)
    assert all(run.events[-1].ending == "stopped" for run in runs)


def client_alone(url: str, count: int) -> None:
    """The same requests, sent by the client library as it comes, without any agent."""

    async def talks() -> None:
        async with client(url) as chat:
            await asyncio.gather(*(talk(chat.bind_tools(TOOLS)) for _ in range(count)))

    asyncio.run(talks())


async def talk(chat: Runnable[Any, AIMessage]) -> None:
    messages: list[BaseMessage] = [HumanMessage(PROMPT)]
    while True:
        said = await chat.ainvoke(messages)
        messages.append(said)
        for call in said.tool_calls:
            messages.append(ToolMessage(ANSWERS[call["name"]], tool_call_id=call["id"]))
        if not said.tool_calls:
            return


def agents_alone(url: str, count: int) -> None:
    """The same with LangChain's agent, unrecorded."""

    async def runs() -> None:
        async with client(url) as chat:
            agent: Any = create_agent(chat, TOOLS)
            await asyncio.gather(*(agent.ainvoke({"messages": [HumanMessage(PROMPT)]}) for _ in range(count)))

    asyncio.run(runs())


@asynccontextmanager
async def client(url: str) -> AsyncIterator[ChatOpenAI]:
    async with openai.DefaultAsyncHttpxClient() as http:  # its own, for each of these event loops
        yield ChatOpenAI(model="local", base_url=url, temperature=0, http_async_client=http)


def timed(way: Callable[[str, int], None], url: str, count: int) -> Took:
    began, at_work = time.perf_counter(), time.process_time()
    way(url, count)
    return Took(time.perf_counter() - began, time.process_time() - at_work)


WAYS = {"runs": many, "LangChain's agent alone": agents_alone, "its client alone": client_alone}


def at_once() -> list[list[object]]:
    with server() as url:
        for way in WAYS.values():
            way(url, 1)  # imports, and what is made once
        one = {name: min(timed(way, url, 1) for _ in range(TRIES)).seconds for name, way in WAYS.items()}
        rows: list[list[object]] = []
        for count in (1, 10, 100):
            for name, way in WAYS.items():
                best = min(timed(way, url, count) for _ in range(TRIES))
                ratio = f"{best.seconds / one[name]:.2f} x"
                rows.append([count, name, f"{best.seconds:.2f}", ratio, f"{1000 * best.work / count:.1f}"])
    return rows


def own_agent(calls: int, path: Path | None, *, finish: bool = True) -> float:
    """Milliseconds of this process at work for each call of an agent with a real tool, recorded or not."""

    @tool
    def alpha(tag: str, times: int = 1) -> str:
        """Do alpha."""
        return "alpha has been done"

    class Calls(Quick):
        made: int = 0

        def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
            self.made += 1  # counting messages would cost more with each of them
            made = [tool_call(name="alpha", args={"tag": f"v{self.made}"}, id=f"c{self.made}")]
            said = AIMessage("I go on.", tool_calls=made if self.made <= calls else [])
            return ChatResult(generations=[ChatGeneration(message=said)])

    agent: Any = create_agent(Calls(), [alpha], middleware=[] if path is None else [record(path)])
    with tracing(False):
        began = time.process_time()
        agent.invoke({"messages": [HumanMessage("go")]}, {"recursion_limit": 10 * calls})
        if path is not None and finish:
            finish_merging()  # the session is written, too
    return 1000 * (time.process_time() - began) / calls


MEMORY = """
import re, sys
from pathlib import Path
from tests.bench.bench_recorder import own_agent
calls, path = int(sys.argv[1]), Path(sys.argv[2])
most = lambda: int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])  # of this process alone
own_agent(20, path.with_name("warm.planscope.json"), finish=False)
before = most()
own_agent(calls, path if sys.argv[3] == "recorded" else None, finish=False)
print(most() - before)
"""


def own_memory() -> list[list[str]]:
    """The megabytes by which a process grows while its agent runs; its conversation grows, too."""
    rows = []
    with TemporaryDirectory() as folder:
        for calls, _ in OWN_CALLS:
            grown = []
            for way in ("bare", "recorded"):
                place = str(Path(folder) / f"{calls}-{way}.planscope.json")
                command = [sys.executable, "-c", MEMORY, str(calls), place, way]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                grown.append(int(done.stdout) / 1024)
            rows.append([f"{calls:,}", *(f"{size:.1f}" for size in grown), f"{grown[1] - grown[0]:+.1f}"])
    return rows


@contextmanager
def own_code() -> Iterator[list[float]]:
    """Yields the seconds at work in the recorder's own code, without what LangChain does for any middleware."""
    spent = [0.0]

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*given, **more)
            finally:
                spent[0] += time.thread_time() - began

        return call

    names = ("on_chain_start", "on_chain_end", "on_tool_start", "on_tool_end")
    places = [(Recorder, "attempt"), *((graphs._Listener, name) for name in names)]
    before = [getattr(of, name) for of, name in places]
    for (of, name), function in zip(places, before, strict=True):
        setattr(of, name, watched(function))
    try:
        yield spent
    finally:
        for (of, name), function in zip(places, before, strict=True):
            setattr(of, name, function)


def own_agents() -> list[list[str]]:
    rows = []
    with TemporaryDirectory() as folder:
        own_agent(20, Path(folder) / "warm.planscope.json")
        for calls, rounds in OWN_CALLS:
            bare, recorded = [], []
            for number in range(rounds):
                bare.append(own_agent(calls, None))
                recorded.append(own_agent(calls, Path(folder) / f"{calls}-{number}.planscope.json"))
            with own_code() as spent:
                own_agent(calls, Path(folder) / f"{calls}-own.planscope.json", finish=False)
                began = time.process_time()
                finish_merging()
                merging = time.process_time() - began
            rows.append(
                [
                    f"{calls:,}",
                    f"{min(bare):.2f}",
                    f"{min(recorded):.2f}",
                    f"{min(recorded) - min(bare):+.2f}",
                    f"{1000 * spent[0] / calls:.2f}",
                    f"{1000 * merging / calls:.2f}",
                ]
            )
    return rows


def main() -> None:
    head = ["calls", "ms a call without", "with", "over bare", "of it our own code", "and merging"]
    table("An agent of one's own with record(...), its session written; processor time", head, own_agents())
    head = ["calls", "MB more without", "with", "over bare"]
    table("The memory of the same agent while it runs", head, own_memory())
    table(
        f"A run of {CALLS} calls, median of {ROUNDS}",
        ["way", "ms a call", "over bare"],
        asyncio.run(overhead()),
    )
    os.environ.setdefault("OPENAI_API_KEY", "none")
    head = ["at once", "of", "s", "over one", "ms at work for each"]
    table(f"4 requests each, answered in {1000 * SERVER_SECONDS:.0f} ms; best of {TRIES}", head, at_once())


if __name__ == "__main__":
    main()
