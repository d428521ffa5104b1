"""Textual's driver for terminals, which also ends planscope when the terminal vanishes without a SIGHUP.

Textual would read a vanished terminal again and again: each read returns nothing at once, or fails.
"""

from __future__ import annotations

import errno
import os
import select
import signal
from threading import Event
from typing import Any

from textual.drivers.linux_driver import LinuxDriver

from planscope.tui.lean import Lean


class TerminalDriver(LinuxDriver):
    """Sends SIGHUP to this process when its terminal is gone, and fewer bytes to it."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._lean = Lean()
        self.exit_event: _NoMoreInput = _NoMoreInput(self.fileno)

    def write(self, data: str) -> None:
        super().write(self._lean(data))

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
