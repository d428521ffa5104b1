"""The one event loop of a process that calls tools, and where its tasks wait."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import FrameType

_LOOPS: list[asyncio.AbstractEventLoop] = []


def event_loop() -> asyncio.AbstractEventLoop:
    """Return the one event loop of this process."""
    if not _LOOPS or _LOOPS[0].is_closed():
        _LOOPS[:] = [asyncio.new_event_loop()]
    return _LOOPS[0]


def waiting_frames() -> list[FrameType]:
    """Return the frames in which the tasks of the event loop wait, outermost first."""
    if not _LOOPS:
        return []
    try:
        tasks = asyncio.all_tasks(_LOOPS[0])
    except RuntimeError:
        return []
    return [frame for task in tasks for frame in _awaited_frames(task)]


def _awaited_frames(task: asyncio.Task[object]) -> Iterator[FrameType]:
    """Yield the frames of a task down to where it waits. ``Task.get_stack`` has the outermost one only."""
    one: object = task.get_coro()
    while one is not None:
        frame = getattr(one, "cr_frame", None) or getattr(one, "gi_frame", None)
        if frame is not None:
            yield frame
        one = getattr(one, "cr_await", None) or getattr(one, "gi_yieldfrom", None)
