"""Messages between processes as JSON lines that begin with a token.

The processes share their open files with the tool, which may write to all of them, or close them: what does not begin
with the token is no message, and the numbers of the files are out of the way.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

_HIGH = 512
"""Above the number of files that a tool may have open."""


def framed(token: str, message: Mapping[str, object]) -> bytes:
    """Return a message as one line."""
    return f"{token}{json.dumps(message, default=str)}\n".encode()


def read(token: str, line: bytes) -> dict[str, Any] | None:
    """Return the message in a line, or None. A tool's text may stand before it."""
    _, found, text = line.partition(token.encode())
    try:
        message = json.loads(text) if found else None
    except ValueError:
        return None
    return message if isinstance(message, dict) else None


def moved_away(file: int) -> int:
    """Return another number for an open file, above those that a tool opens and closes, and close the old one."""
    import fcntl

    try:
        made = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    except OSError:  # the limit of open files is lower
        return file
    os.close(file)
    return made
