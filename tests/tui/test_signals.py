"""SIGTERM, SIGHUP and SIGINT at any moment: a sane terminal, a saved session, no traceback."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.nightly import nightly

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")


KINDS = ("starting", "appearing", "saving", "running", "commands", "hanging_up")


@pytest.mark.parametrize(("kind", "times"), [("saving", 1), *nightly(*((kind, 3) for kind in KINDS))])
def test_signals_at_random_moments(kind: str, times: int, tmp_path: Path) -> None:
    from tests.tui.signal_moments import try_all

    assert try_all(tmp_path, times, times, [kind], lambda line: None) == []


def test_a_terminal_that_takes_no_more_output(tmp_path: Path) -> None:
    from tests.tui.signal_moments import try_all

    assert try_all(tmp_path, 1, 0, ["stuck"], lambda line: None) == []


PROGRAM = """
import os, signal, sys, time
from planscope.signals import Interrupts, leave_at_once
leave_at_once()
if sys.argv[1] == "early":
    print("ready", flush=True)
    time.sleep(60)
try:
    with Interrupts() as interrupts:
        try:
            print("ready", flush=True)
            time.sleep(60 if sys.argv[1] != "ignored" else 1)
        except KeyboardInterrupt:
            os.kill(os.getpid(), signal.SIGTERM)  # again, while what was done is saved
            os.kill(os.getpid(), signal.SIGHUP)
            print("saved", flush=True)
finally:
    print("left", flush=True)
    sys.exit(interrupts.status if interrupts.seen else 0)
"""


@pytest.mark.parametrize(
    ("how", "number", "status", "said"),
    [
        ("early", signal.SIGTERM, 143, ""),
        ("early", signal.SIGINT, 130, ""),
        ("command", signal.SIGHUP, 129, "saved\nleft\n"),
        ("command", signal.SIGINT, 130, "saved\nleft\n"),
        ("ignored", signal.SIGHUP, 0, "left\n"),
    ],
)
def test_how_a_signal_is_heeded(how: str, number: int, status: int, said: str) -> None:
    """Nothing to lose: at once. A command: what was done is saved, whatever comes meanwhile. nohup: not at all."""
    command = [sys.executable, "-c", PROGRAM, how]
    if how == "ignored":
        command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, number)
        assert process.stdout.read() == said
    assert process.returncode == status


@pytest.mark.parametrize(("ignored", "status"), [(False, 129), *nightly((True, 143))])
def test_a_terminal_that_vanishes_without_a_signal(ignored: bool, status: int, tmp_path: Path) -> None:
    """As one that is not the session's own: reading it returns nothing for ever."""
    from planscope.session.store import load
    from tests.tui import sessions
    from tests.tui.signal_moments import Watched

    path = sessions.write(sessions.figure_10(), tmp_path)
    command = [sys.executable, "-m", "planscope", str(path)]
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *command] if ignored else command
    terminal = Watched(command, dict(os.environ))
    try:
        terminal.until(b"Timeline")
        os.write(terminal.ours, b"gb")  # the first frame keeps keys that come too soon
        terminal.until(b"breakpoint")
        for fd in (terminal.its, terminal.ours):
            os.close(fd)
        assert terminal.process.wait(60) == status
    finally:
        terminal.process.kill()
        terminal.process.wait()
    assert load(path).breakpoints == ["step 0"]


async def test_a_terminal_that_cannot_be_read_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    from textual.app import App
    from textual.drivers.linux_driver import LinuxDriver

    from planscope.tui.terminal import TerminalDriver

    sent: list[int] = []
    monkeypatch.setattr(os, "kill", lambda process, number: sent.append(number))
    driver = TerminalDriver(App())
    for number, ends in ((errno.EIO, True), (errno.EBADF, False)):

        def fails(self: object, number: int = number) -> None:
            raise OSError(number, "gone")

        monkeypatch.setattr(LinuxDriver, "run_input_thread", fails)
        sent.clear()
        if ends:
            driver.run_input_thread()
        else:
            with pytest.raises(OSError, match="gone"):
                driver.run_input_thread()
        assert sent == [signal.SIGHUP] * ends


BUSY = """
import signal, sys, threading, time, weakref
from planscope.signals import Interrupts
class Thing: pass
start = threading.Timer.start
def late(self):  # the machine is busy: the signal arrives before start returns
    threading.Timer.start = start
    start(self)
    time.sleep(60)
threading.Timer.start = late
with Interrupts() as interrupts:
    try:
        thing = Thing()
        reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
        del thing
        time.sleep(60)
    except KeyboardInterrupt:
        sys.exit(interrupts.status)
"""


def test_a_signal_that_is_lost_twice_is_sent_again() -> None:
    done = subprocess.run(
        [sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=50, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


ENDED = """
import signal, time, weakref
import planscope.signals
from planscope.signals import Interrupts
class Thing: pass
planscope.signals.AGAIN = (1.0,)
with Interrupts():
    thing = Thing()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
time.sleep(1.5)
print("ended")
"""


def test_a_lost_signal_is_not_sent_after_the_command_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDED], capture_output=True, text=True, timeout=50, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")
