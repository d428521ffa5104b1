"""What a run under way costs on the screen's side: processor time an event, and whether it grows with the run.

    python -m tests.bench.bench_live_run [--calls 1000]

The application runs without a terminal at 200x60. Events are put into the document as a run's thread does; what is
measured is the whole process, with judging and drawing, from an event until everything is displayed.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from planscope.session.model import AnswerEvent, CallEvent, Event, MessageEvent
from planscope.session.store import load, save
from tests.bench.big_session import big_session
from tests.bench.yardstick import table
from tests.tui.screen import Driven, opened


async def measure(calls: int) -> list[float]:
    """Milliseconds of processor time an event, by tenths of the run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "live.planscope.json"
        big_session(path, steps=calls, constraints=calls * 2)
        made = load(path)
        whole = made.runs.pop()
        tools = [event.tool for event in whole.events if isinstance(event, CallEvent)]
        save(made, path)
        async with opened(path, (200, 60), keep=False) as driven:
            return await _follow(driven, whole.model_copy(update={"events": []}), tools)


async def _follow(driven: Driven, run: object, tools: list[str]) -> list[float]:
    document, screen = driven.screen.work.document, driven.screen
    document.put_run(run, under_way=True)
    screen.look_at(run.variant, run.id)
    await driven.answered()
    tenths, part = [], max(len(tools) // 10, 1)
    began = time.process_time()
    for step, tool in enumerate(tools, 1):
        events: tuple[Event, ...] = (
            MessageEvent(text=f"Next comes {tool}."),
            CallEvent(step=step, tool=tool, arguments={}),
            AnswerEvent(step=step, text="done"),
        )
        for event in events:
            document.append(run.id, event)
            while screen.work.judge.busy or not _is_shown(driven):
                await asyncio.sleep(0)
        if step % part == 0:
            now = time.process_time()
            tenths.append((now - began) / part / len(events) * 1000)
            began = now
    return tenths


def _is_shown(driven: Driven) -> bool:
    view, record = driven.screen.view, driven.screen.work.document.record(driven.screen.view.run.id)
    return (
        view.run is record
        and not driven.screen.message_queue_size
        and len(view.debug.run.steps) == len(record.calls) + 1
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    calls = parser.parse_known_args()[0].calls
    tenths = asyncio.run(measure(calls))
    table(
        f"a live run of {calls:,} calls: processor time of the screen's side (wanted: 3 ms an event, not growing)",
        ["tenth of the run", "ms an event"],
        [[str(k), f"{ms:.2f}"] for k, ms in enumerate(tenths, 1)],
    )


if __name__ == "__main__":
    main()
