"""One event loop for all runs that are waited for from outside: some providers' clients break with a second one."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")

_PATIENCE = 2.0  # seconds

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def wait_for(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Run a coroutine to its end on the shared loop and give back what it gives, from any other thread.

    An interrupt (Ctrl-C) cancels the work and is passed on, once the work has put its things away.
    """
    ended = threading.Event()

    async def tracked() -> Answer:
        try:
            return await work
        finally:
            ended.set()

    future = asyncio.run_coroutine_threadsafe(tracked(), _shared_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        ended.wait(_PATIENCE)
        raise


def _shared_loop() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_loop.run_forever, name="planscope agents", daemon=True)
            thread.start()
            atexit.register(_close, _loop, thread)
        return _loop


def _close(loop: asyncio.AbstractEventLoop, thread: threading.Thread) -> None:
    loop.call_soon_threadsafe(loop.stop)
    thread.join(timeout=1)
    if not loop.is_running():
        loop.close()
