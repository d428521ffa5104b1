"""A process that is killed loses nothing that was saved, and one that is told to end saves first."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from planscope.session.locations import recovery_folder
from planscope.session.lock import holder_of
from planscope.session.recovery import left_drafts, recoverable
from planscope.session.store import load
from tests.nightly import nightly
from tests.tui import sessions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

LONGEST = 200.0
"""Seconds, from the start of the program on."""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return sessions.write(sessions.figure_10(), tmp_path)


@pytest.fixture
def terminal(path: Path) -> Iterator[object]:
    """The debugger on a session, in a terminal of its own."""
    from tests.bench.terminal import Terminal

    made = Terminal([sys.executable, "-m", "planscope", "open", str(path)], columns=120, rows=40)
    try:
        made.read_until(b"PARAMETER ERROR", LONGEST)
        made.read_until_quiet(0.5)
        yield made
    finally:
        if made.pid:  # a process that was waited for is nobody's any more
            made.close()
        else:
            os.close(made.fd)


def ended(terminal: object) -> int:
    """Wait for the end of the process; its exit status, or minus the signal that killed it."""
    _, status = os.waitpid(terminal.pid, 0)
    terminal.pid = 0
    return os.waitstatus_to_exitcode(status)


def press(terminal: object, keys: str) -> None:
    """What the last key answers is left to be read."""
    for number, key in enumerate(keys):
        if number:
            terminal.read(0.05)  # a Terminal
        os.write(terminal.fd, key.encode())


def breakpoints_soon(terminal: object, path: Path, wanted: int) -> None:
    """Wait until so many breakpoints are in the file."""
    until = time.monotonic() + LONGEST
    while len(load(path).breakpoints) != wanted:
        terminal.read(0.05)  # or it would wait for its output to be taken
        assert time.monotonic() < until, load(path).breakpoints


def test_kill_9_leaves_everything_that_was_saved(terminal: object, path: Path) -> None:
    press(terminal, "gb")
    breakpoints_soon(terminal, path, 1)
    assert holder_of(path) is not None
    press(terminal, "nb")
    breakpoints_soon(terminal, path, 2)
    press(terminal, "nb")  # and one that may be saved just now
    time.sleep(0.5)
    os.kill(terminal.pid, signal.SIGKILL)
    assert ended(terminal) == -signal.SIGKILL
    kept = load(path)
    assert kept.breakpoints[:2] == ["step 0", "step 1"] and len(kept.breakpoints) in (2, 3)
    assert kept.runs == load(path).runs and len(kept.runs) == 2
    assert holder_of(path) is None and recoverable(path) is None


def test_kill_9_leaves_what_was_being_typed(terminal: object, path: Path) -> None:
    press(terminal, "e")
    terminal.read_until(b"commands", LONGEST)
    press(terminal, "zz top")
    until = time.monotonic() + LONGEST
    while not any("zz top" in file.read_text() for file in recovery_folder().glob("*.draft.json")):
        terminal.read(0.05)  # or it would wait for its output to be taken
        assert time.monotonic() < until
    os.kill(terminal.pid, signal.SIGKILL)
    assert ended(terminal) == -signal.SIGKILL
    (left,) = left_drafts(path)
    assert "zz top" in left.variant.query.text and left.variant.parent == "v1"


@pytest.mark.parametrize("number", [signal.SIGTERM, *nightly(signal.SIGHUP)])
def test_who_is_told_to_end_saves_first(terminal: object, path: Path, number: int) -> None:
    press(terminal, "gb")
    terminal.read_until(b"breakpoint set", LONGEST)
    press(terminal, "D")
    terminal.read_until(b"your text is saved", LONGEST)
    press(terminal, "why")
    terminal.read_until(b"y", LONGEST)
    terminal.read_until_quiet(0.2)  # the cursor of a field blinks each half second
    os.kill(terminal.pid, number)
    while terminal.read(0.3):
        pass
    assert ended(terminal) == 128 + number
    assert load(path).breakpoints == ["step 0"] and holder_of(path) is None
    assert load(path).notes == "why"
