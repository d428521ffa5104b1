"""What this process starts, whom it talks to, and which files it writes: noted while it is watched.

Python tells of all that by itself (audit events). What native code does is not seen.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

STARTS = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.startfile",
    "webbrowser.open",
    "os.fork",
)
TALKS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")
LOADS = ("pickle.", "ftplib.", "http.client.", "smtplib.")
CHANGES = {
    "os.rename": (0, 1), "os.remove": (0,), "os.mkdir": (0,), "os.rmdir": (0,), "os.link": (1,), "os.symlink": (1,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,), "shutil.rmtree": (0,),
    "shutil.move": (0, 1), "shutil.copyfile": (1,),
}  # fmt: skip
"""Events, and which of their arguments are paths that are changed."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOWHERE = ("/dev/null", "/dev/tty")
_PASSING = str(Path(tempfile.gettempdir()).resolve() / "planscope-")
"""A folder that a command makes for itself, and removes."""


class _Watch:
    def __init__(self) -> None:
        self.seen: list[str] | None = None
        self.allowed = ""
        self.installed = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if self.seen is None:
            return
        if event in STARTS or event in TALKS or event.startswith(LOADS):
            self.seen.append(f"{event} {args!r}"[:300])
        elif event == "open":
            path, _, flags = args
            if isinstance(flags, int) and flags & _WRITING:
                self._changed(event, path, followed=not flags & getattr(os, "O_NOFOLLOW", 0))
        elif event in CHANGES:
            for number in CHANGES[event]:
                self._changed(event, args[number])

    def _changed(self, event: str, path: Any, followed: bool = False) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return  # a file that is open already
        name = Path(os.fsdecode(path))
        seen, self.seen = self.seen, None  # to look is not to touch
        try:
            place = name.resolve() if followed else name.parent.resolve() / name.name
        except (OSError, RuntimeError, ValueError):
            place = name
        finally:
            self.seen = seen
        if (
            not str(place).startswith((self.allowed, _PASSING))
            and str(place) not in _NOWHERE
            and seen is not None
        ):
            seen.append(f"{event} {str(place)!r}"[:300])


_WATCH = _Watch()


@contextmanager
def watched(allowed: Path) -> Iterator[list[str]]:
    """Everything that is started, talked to or changed outside the folder ``allowed`` meanwhile."""
    if not _WATCH.installed:
        sys.addaudithook(_WATCH)
        _WATCH.installed = True
    seen: list[str] = []
    before = _WATCH.seen, _WATCH.allowed, sys.dont_write_bytecode
    _WATCH.seen, _WATCH.allowed = seen, str(allowed.resolve())
    sys.dont_write_bytecode = True  # a module may be imported here for the first time
    try:
        yield seen
    finally:
        _WATCH.seen, _WATCH.allowed, sys.dont_write_bytecode = before
