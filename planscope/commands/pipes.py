"""Files to read text from, named pipes too (``parse <(command)``), without waiting for ever for one that is dead."""

from __future__ import annotations

import os
import select
import stat

from planscope.errors import UserError

PATIENCE = 3.0
"""Seconds to wait for somebody to open the other end of a pipe."""


def read(name: str, most: int) -> bytes:
    """Up to so many bytes of the file. Raises UserError for a pipe that nobody writes to, else what ``open`` raises."""
    handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        begun = _begun(handle, name) if stat.S_ISFIFO(os.fstat(handle).st_mode) else b""
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(handle, True)
        return begun + file.read(most - len(begun))


def _begun(handle: int, name: str) -> bytes:
    """Wait until there is something in the pipe, or a writer who may take his time; what was read meanwhile."""
    if select.select([handle], [], [], PATIENCE)[0]:
        return b""
    try:
        found = os.read(handle, 1)
    except BlockingIOError:  # the other end is open, and nothing is there yet
        return b""
    if not found:
        raise UserError(f"{name} is a pipe that nobody writes to; name a file, or use - for standard input")
    return found
