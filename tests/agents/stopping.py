"""Runs that are stopped from outside at a chosen moment, as a screen would, and what must be left behind: nothing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planscope.agents import event_loop
from planscope.agents.gate import Pauser
from planscope.agents.models import load_model
from planscope.agents.runner import LiveRun
from planscope.oracle.replay import replay
from planscope.session.model import Event, Run, Session, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.store import load, save
from planscope.session.traces import trace_of

from .support import abc, check_record, end_of, live_run
from .wire.replies import Drip, Reply, Say, Slow, call, calls
from .wire.server import WireServer

TOOLS = ("alpha", "gamma", "beta")


def speak(agent: str) -> list[Say]:
    """Three calls and a last word, in the words of the paradigm."""
    if agent == "react":
        acts = [f"Thought: Next.\nAction: {t}\nAction Input: {{}}\nObservation: made up" for t in TOOLS]
        return [*map(Say, acts), Say("Thought: ok\nFinal Answer: All done.")]
    return [*(calls(call(t, id=f"x{i}"), text="Next.") for i, t in enumerate(TOOLS)), Say("All done.")]


@dataclass
class Stopped:
    """A run in a thread of its own; ``took`` is the time from :meth:`now` until it had ended."""

    make: Callable[..., LiveRun]
    moment: threading.Event = field(default_factory=threading.Event)
    took: float = 0.0

    def run(self, when: Callable[[Event, int], bool] = lambda event, number: False) -> Run:
        """Stop at the event for which ``when`` says so, or once ``moment`` is set by somebody else."""
        seen = [0]

        def watch(event: Event) -> None:
            if when(event, seen[0]):
                self.moment.set()
                live.stop()
            seen[0] += 1

        live = self.make(on_event=watch)
        ended: list[Run] = []
        thread = threading.Thread(target=lambda: ended.append(live.wait()), name="waits for a run")
        thread.start()
        assert self.moment.wait(60), f"it never came to that: {[e.type for e in live.run.events]}"
        began = time.perf_counter()
        live.stop()
        thread.join(60)
        self.took = time.perf_counter() - began
        assert ended == [live.run]
        return live.run


def left_behind(before: Iterable[threading.Thread]) -> list[str]:
    """Threads and tasks that are there and were not; the shared loop may be, and the workers of a test's own."""
    left: list[str] = []
    for _ in range(6000):  # a connection's last bytes take a turn of the loop
        threads = set(threading.enumerate()) - set(before)
        left = [t.name for t in threads if t.name != "planscope agents" and not t.name.startswith("asyncio_")]
        loop = event_loop._loop
        left += [repr(t) for t in (asyncio.all_tasks(loop) if loop is not None else ())]
        if not left:
            break
        time.sleep(0.01)
    return left


def is_whole(case: Variant, run: Run, folder: Path) -> None:
    """The record is well-formed, and a session with it is saved, loaded and checked."""
    check_record(run.events)
    assert end_of(run).ending == "aborted"
    path = folder / "stopped.planscope.json"
    session = Session(id="s1", title="stopped", variants=[case], runs=[run])
    save(session, path)
    again = load(path)
    assert again == session
    verdict = replay(problem_of(again.variants[0]), trace_of(again.runs[0])).verdict()
    assert verdict.verdict == "aborted"


def wire_run(server: WireServer, agent: str, streamed: bool, **options: Any) -> LiveRun:
    """A run over the wire that closes its model at its end, as one made by name does."""
    model = load_model("openai:local", base_url=server.base_url, retries=0, responses=agent == "responses")
    model.chat.streaming = streamed
    live = live_run(abc(), model=model, agent=agent, **options)
    live._own = True
    return live


def paused_at(step: int, moment: threading.Event) -> Pauser:
    """A gate that waits for somebody at a step, and says so."""
    return Pauser(wanted=lambda call: call.step == step, on_pause=lambda call: moment.set())


def slow_at(replies: list[Say], number: int, kind: type[Slow] | type[Drip]) -> list[Reply]:
    """The same with a server that stops talking before, or in the middle of, one of its answers."""
    return [kind(60, r) if i == number else r for i, r in enumerate(replies)]
