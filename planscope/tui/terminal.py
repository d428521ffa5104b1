"""Textual's driver for terminals, which also ends planscope when the terminal vanishes without a SIGHUP.

Textual would read a vanished terminal again and again: each read returns nothing at once, or fails.
"""

from __future__ import annotations

import errno
import os
import select
import signal
from contextlib import suppress
from threading import Event
from typing import Any

from textual.drivers.linux_driver import LinuxDriver

from planscope.tui.lean import Lean


class TerminalDriver(LinuxDriver):
    """Sends SIGHUP to this process when its terminal is gone, and fewer bytes to it."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._lean = Lean()
        self._file: Any = _Output(self._file)
        self.exit_event: _NoMoreInput = _NoMoreInput(self.fileno)

    def write(self, data: str) -> None:
        """Write what the terminal takes at once; Textual's thread writes the rest, and what comes behind it."""
        assert self._writer_thread is not None
        thread: Any = self._writer_thread
        left = self._lean(data).encode("utf-8", "backslashreplace")
        if thread.is_alive():
            left = self._file.at_once(left)
        if left:
            thread.write(left)

    def run_input_thread(self) -> None:
        try:
            super().run_input_thread()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            _hang_up()
        else:
            if self.exit_event.hung_up:
                _hang_up()


class _Output:
    """The terminal. It is opened again to write without waiting: a key's answer then needs no change of threads.

    ``given`` and ``written``: how many pieces the thread was given, and has written.
    """

    def __init__(self, file: Any) -> None:
        self.file = file
        self.given = self.written = 0
        try:
            self._now = os.open(os.ttyname(file.fileno()), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError:
            self._now = -1

    def at_once(self, data: bytes) -> bytes:
        """Write what can be written without waiting, and return the rest, which is for the thread."""
        if self._now >= 0 and self.given == self.written:
            with suppress(OSError):  # it takes nothing now, or is gone
                data = data[os.write(self._now, data) :]
        self.given += bool(data)
        return data

    def write(self, data: bytes) -> None:
        self.file.buffer.write(data)
        self.file.flush()
        self.written += 1

    def flush(self) -> None:
        """Do nothing: each piece is flushed."""

    def fileno(self) -> int:
        return int(self.file.fileno())


class _NoMoreInput(Event):
    """An event that is set when Textual stops reading, and as soon as the terminal is gone."""

    def __init__(self, terminal: int) -> None:
        super().__init__()
        self._terminal = terminal

    @property
    def hung_up(self) -> bool:
        poll = select.poll()
        poll.register(self._terminal, 0)
        return any(found & select.POLLHUP for _, found in poll.poll(0))

    def is_set(self) -> bool:
        return super().is_set() or self.hung_up


def _hang_up() -> None:
    """Send SIGHUP as a terminal would. A process that ignores it (nohup) has nothing to read either, and gets
    SIGTERM."""
    ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    os.kill(os.getpid(), signal.SIGTERM if ignored else signal.SIGHUP)
