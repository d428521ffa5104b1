"""Many live runs in one application, with random keys: no crash, and nothing is left of a run but its record.

``python -m tests.fuzz.soak 200`` prints what was there before, halfway and after.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import random
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from planscope.agents.runner import LiveRun as AgentRun
from planscope.session.locations import bundled
from planscope.session.store import dumps
from planscope.tui.actions import ACTIONS
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.screens.debug import running
from tests.tui.screen import Driven, opened

PROFILES = ("careful", "literal", "flaky", "word-blind", "forgetful", "clumsy", "time-blind")
LEAVING = {"quit", "save", "copy", "palette", "library"}
"""Not pressed: what leaves this session, writes files or opens what only its own keys close."""

KEYS = [key for a in ACTIONS if a.where in ("debug", "everywhere") and a.id not in LEAVING for key in a.keys]
GONE = (
    "_RunThread",
    "runner.LiveRun",
    "Pauser",
    "Recorder",
    "LiveStops",
    "FormDialog",
    "FormDialog",
    "thread",
)
"""Of which nothing is to be left."""

COUNTED = (*GONE, "RunIndex", "Replay")
"""The others are kept for the runs that were looked at last."""


def left() -> Counter[str]:
    """Objects of a run that are alive, by the names of their types, and threads of runs."""
    gc.unfreeze()
    gc.collect()
    found = Counter(type(o).__name__ for o in gc.get_objects())
    kept = Counter({name: found[name] for name in COUNTED})
    kept["runner.LiveRun"] = sum(
        type(o) is AgentRun for o in gc.get_objects()
    )  # the screen's controller is one, too
    kept["thread"] = sum(t.name == "planscope run" for t in threading.enumerate())
    return kept


def resident() -> float:
    """Megabytes of this process that are in memory, without what the allocator keeps for later."""
    with suppress(AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


async def one(driven: Driven, draw: random.Random) -> None:
    """A run with a random agent, and keys until it has ended."""
    screen = driven.screen
    agent = draw.choice(("tools", "react"))
    model = f"sim:{draw.choice(PROFILES)}"
    choice = RunChoice(
        agent, model, draw.randrange(99), guard=draw.random() < 0.3, stepping=draw.random() < 0.7
    )
    running.start_run(screen, "v1", choice)
    began = time.monotonic()
    while screen.work.live.at_work:
        keys = draw.choices(KEYS, k=draw.randrange(1, 6))
        await driven.pilot.press(*keys)
        while len(driven.app.screen_stack) > 1 and draw.random() < 0.7:
            await driven.pilot.press(draw.choice(("escape", "enter", "down", "x", "escape")))
        live = screen.work.live
        if live.paused is not None and driven.app.screen is screen:
            await driven.pilot.press("G", draw.choice("nncaAR"))
        if time.monotonic() - began > 30:
            live.stop()
    for _ in range(20):
        if driven.app.screen is screen:
            break
        await driven.pilot.press("escape")
    assert driven.app.screen is screen, driven.app.screen


async def soak(runs: int, seed: int = 0) -> list[tuple[int, float, int, Counter[str]]]:
    """Before, halfway and after: runs so far, megabytes, bytes of the session, what is left of runs."""
    draw = random.Random(seed)
    seen = []
    before = left()  # of others in this process
    async with opened(bundled()["first-look"], (100, 30)) as driven:
        for number in range(runs + 1):
            if number in (min(10, runs // 2), runs // 2, runs):
                await driven.rest()
                assert driven.screen.work.document.session is not None
                for _ in range(300):  # what a thread still holds is let go in a moment
                    kept = Counter({name: max(now - before[name], 0) for name, now in left().items()})
                    if not any(kept[name] for name in GONE):
                        break
                    await driven.pilot.pause(0.2)
                seen.append((number, resident(), len(dumps(driven.screen.work.document.session)), kept))
            if number < runs:
                await one(driven, draw)
    return seen


if __name__ == "__main__":
    for number, megabytes, size, kept in asyncio.run(soak(int(sys.argv[1]) if len(sys.argv) > 1 else 200)):
        print(f"{number:>4} runs  {megabytes:7.1f} MB  session {size / 1e6:.2f} MB  {dict(kept)}")
