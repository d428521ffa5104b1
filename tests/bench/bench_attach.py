"""What attaching costs, and how quick it is: ``python -m tests.bench.bench_attach``.

Wanted: from a call that waits to the debugger's screen that shows it under 50 ms, and from a key to the tool that is
entered under 50 ms; an agent that may be attached and is not costs nothing measurable. The debugger is ``planscope
attach`` in a pseudo-terminal of 120 x 40, the agent a process of its own; both read the same clock. The way to the
screen begins when the model has answered, so it has LangGraph's own work in it. On a busy machine run it as ``chrt -f
10 python -m tests.bench.bench_attach``.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from planscope.agents import record
from planscope.session.merging import finish_merging
from tests.bench.terminal import Terminal
from tests.bench.yardstick import table

PAUSES = 40
REST = 0.3
"""Seconds that the model takes, in which the debugger comes to rest."""
CALLS, ROUNDS = 200, 9
SCRIPT = "import sys; from tests.bench.bench_attach import be_agent; be_agent(sys.argv[1])"


class Marking(BaseChatModel):
    """Calls ``alpha`` with another mark each time, ``calls`` times."""

    calls: int
    rest: float = 0.0
    told: bool = False

    @property
    def _llm_type(self) -> str:
        return "marking"

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *given: Any, **more: Any) -> ChatResult:
        made = sum(isinstance(m, AIMessage) for m in messages)
        calls = (
            [tool_call(name="alpha", args={"mark": f"mark{made:03}"}, id=f"c{made}")]
            if made < self.calls
            else []
        )
        time.sleep(self.rest)
        if self.told:
            sys.stdout.write(f"asks {made} {time.monotonic()}\n")
            sys.stdout.flush()
        return ChatResult(
            generations=[ChatGeneration(message=AIMessage("x", tool_calls=calls, id=f"m{made}"))]
        )


@tool
def alpha(mark: str) -> str:
    """Do nothing."""
    return mark


@tool("alpha")
def telling(mark: str) -> str:
    """Say when it is entered."""
    sys.stdout.write(f"does {int(mark[4:])} {time.monotonic()}\n")
    sys.stdout.flush()
    return mark


def be_agent(path: str) -> None:
    """The agent's process: it runs once a debugger is attached."""
    recorder = record(path, attach=True)
    model = Marking(calls=PAUSES, rest=REST, told=True)
    agent = create_agent(model, [telling], middleware=[recorder])
    while not recorder.talks.watch:
        time.sleep(0.02)
    time.sleep(2.0)
    agent.invoke({"messages": [HumanMessage("go")]}, {"recursion_limit": 9999})
    recorder.close()


def latencies(folder: Path) -> tuple[list[float], list[float]]:
    """Milliseconds from a call to the screen, and from a key to the tool, of each pause."""
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    command = [sys.executable, "-c", SCRIPT, str(folder / "marks.planscope.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as agent:
        assert agent.stdout is not None
        while not (folder / "planscope" / f"{agent.pid}.sock").exists():
            time.sleep(0.05)
        planscope = [sys.executable, "-m", "planscope", "attach", str(agent.pid)]
        terminal = Terminal(planscope, columns=120, rows=40)
        shown, pressed = {}, {}
        try:
            for number in range(PAUSES):
                terminal.started = time.perf_counter()
                terminal.read_until(f"mark{number:03}".encode(), 60.0)
                shown[number] = time.monotonic()
                terminal.read_until_quiet(0.1)
                pressed[number] = time.monotonic()
                os.write(terminal.fd, b"n")
        finally:
            terminal.close()
        said = [line.split() for line in agent.stdout]
    at = {(what, int(number)): float(when) for what, number, when in said}
    to_screen = [1000 * (shown[n] - at["asks", n]) for n in range(PAUSES)]
    to_agent = [1000 * (at["does", n] - pressed[n]) for n in range(PAUSES)]
    return to_screen, to_agent


def work_of(path: Path, attach: bool) -> float:
    """Milliseconds of processor time a call of one recorded run that nobody is attached to."""
    recorder = record(path, attach=attach)
    agent = create_agent(Marking(calls=CALLS), [alpha], middleware=[recorder])
    began = time.process_time()
    agent.invoke({"messages": [HumanMessage("go")]}, {"recursion_limit": 9999})
    took = time.process_time() - began
    recorder.close()
    finish_merging()
    return 1000 * took / CALLS


def main() -> None:
    with TemporaryDirectory(prefix="attach-") as name:
        folder = Path(name)
        ways = latencies(folder)
        rows = []
        for what, found in zip(("from a call to the screen", "from a key to the tool"), ways, strict=True):
            best, middle, most = min(found), statistics.median(found), sorted(found)[int(0.95 * len(found))]
            rows.append([what, f"{best:.1f}", f"{middle:.1f}", f"{most:.1f}"])
        table(f"Attached, {PAUSES} pauses", ["milliseconds", "least", "median", "95 %"], rows)
        took: dict[bool, list[float]] = {False: [], True: []}
        for number in range(ROUNDS + 1):
            for attach in (False, True) if number % 2 else (True, False):
                took[attach].append(work_of(folder / f"{number}-{attach}.planscope.json", attach))
        plain, may = (statistics.median(took[attach][1:]) for attach in (False, True))
        rows = [["record(path)", f"{plain:.3f}", ""], ["attach=True", f"{may:.3f}", f"{may - plain:+.3f}"]]
        head = ["not attached", "ms of processor a call", "more"]
        table(f"{ROUNDS} runs of {CALLS} calls each, in turn", head, rows)


if __name__ == "__main__":
    main()
