"""A program in a pseudo-terminal of a given size, and how long it takes to answer."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence


class Terminal:
    """Runs ``argv`` in a pty. Reads as a terminal would, and answers nothing."""

    def __init__(
        self, argv: Sequence[str], *, columns: int = 200, rows: int = 60, cwd: str | None = None
    ) -> None:
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:  # nothing of the parent may go on in the child, whatever happens
                if cwd:
                    os.chdir(cwd)
                environ = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
                environ.pop("NO_COLOR", None)
                fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execvpe(argv[0], list(argv), environ)
            finally:
                os._exit(127)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float) -> bytes:
        """What comes first within so many seconds; empty where nothing does."""
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return b""
        try:
            return os.read(self.fd, 1 << 20)
        except OSError:
            return b""

    def read_until(self, wanted: bytes, seconds: float) -> tuple[float, bytes]:
        """Seconds since the start until ``wanted`` was seen, and all that came. Raises ``TimeoutError``."""
        got = b""
        while time.perf_counter() - self.started < seconds:
            got += self.read(0.05)
            if wanted in got:
                return time.perf_counter() - self.started, got
        raise TimeoutError(f"{wanted!r} did not come in {seconds} s; the end of what did: {got[-400:]!r}")

    def read_until_quiet(self, quiet: float, seconds: float = 60.0) -> bytes:
        """All that comes until nothing did for ``quiet`` seconds."""
        got = b""
        begun = time.perf_counter()
        while time.perf_counter() - begun < seconds:
            part = self.read(quiet)
            if not part:
                return got
            got += part
        return got

    def drain(self) -> None:
        """Take what has come already, such as a pane that scrolled when the keys rested."""
        while self.read(0.0):
            pass

    def key(self, key: bytes, quiet: float = 0.03) -> tuple[float, float, int]:
        """Send a key. Milliseconds to the first byte of the answer and to its last, and its bytes."""
        begun = time.perf_counter()
        os.write(self.fd, key)
        size, first, last = 0, 0.0, 0.0
        while part := self.read(1.0 if not size else quiet):
            last = time.perf_counter()
            first = first or last
            size += len(part)
        return (first - begun) * 1000, (last - begun) * 1000, size

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)
