"""How soon a run ends that is stopped, at every event and in every pause: ``python -m tests.bench.bench_stop``.

Wanted: 200 ms. Measured from the call of ``LiveRun.stop`` on another thread until the run is recorded to its end and
its connections are closed, with the models of this program and with OpenAI's client over a local server.
"""

from __future__ import annotations

import os
import statistics
import threading
from collections.abc import Callable, Iterator
from functools import partial

from planscope.agents.runner import LiveRun
from tests.agents.stopping import Stopped, paused_at, slow_at, speak, wire_run
from tests.agents.support import abc
from tests.agents.wire.replies import Drip, Slow
from tests.agents.wire.server import WireServer
from tests.bench.yardstick import table

AGENTS = ("tools", "react", "responses")
EVENTS = 10
ROUNDS = 2


def stopped(make: Callable[..., LiveRun], number: int) -> float:
    """Milliseconds, for a run that is stopped at an event."""
    one = Stopped(make)
    one.run(lambda event, seen: seen == number)
    return 1000 * one.took


def simulated(agent: str) -> Iterator[float]:
    for number in range(EVENTS):
        for guard in (False, True):
            yield stopped(partial(LiveRun, abc(), model="sim:careful", agent=agent, guard=guard), number)


def over_the_wire(agent: str) -> Iterator[float]:
    for number in range(EVENTS):
        for streamed in (False, True):
            with WireServer(speak(agent)) as server:
                yield stopped(partial(wire_run, server, agent, streamed), number)


def paused(agent: str) -> Iterator[float]:
    for step in (1, 2, 3):
        for streamed in (False, True):
            moment = threading.Event()
            with WireServer(speak(agent)) as server:
                gate = paused_at(step, moment)
                one = Stopped(partial(wire_run, server, agent, streamed, gate=gate), moment)
                one.run()
                yield 1000 * one.took


def silent(agent: str, kind: type[Slow] | type[Drip]) -> Iterator[float]:
    for number in (0, 1, 2, 3):
        for streamed in (False, True):
            with WireServer(slow_at(speak(agent), number, kind)) as server:
                one = Stopped(partial(wire_run, server, agent, streamed))
                watch = threading.Thread(target=_once_asked, args=(server, number, kind, one.moment))
                watch.start()
                one.run()
                watch.join()
                yield 1000 * one.took


def _once_asked(
    server: WireServer, number: int, kind: type[Slow] | type[Drip], moment: threading.Event
) -> None:
    if kind is Drip:
        server.dripping.wait(20)
    while len(server.requests) <= number:
        threading.Event().wait(0.005)
    moment.set()


MOMENTS: dict[str, Callable[[str], Iterator[float]]] = {
    "at each event, simulated": simulated,
    "at each event, over the wire": over_the_wire,
    "while paused at a call": paused,
    "while the server is silent": lambda agent: silent(agent, Slow),
    "in the middle of an answer": lambda agent: silent(agent, Drip),
}


def main() -> None:
    os.environ.setdefault("OPENAI_API_KEY", "none")
    list(over_the_wire("tools"))  # imports, and what is made once
    rows = []
    for name, moment in MOMENTS.items():
        for agent in AGENTS:
            took = [ms for _ in range(ROUNDS) for ms in moment(agent)]
            rows.append([name, agent, len(took), f"{statistics.median(took):.1f}", f"{max(took):.1f}"])
    table("From stop to end, in ms", ["stopped", "agent", "runs", "median", "longest"], rows)


if __name__ == "__main__":
    main()
