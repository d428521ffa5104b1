"""A check in several processes ends when it is told to, and leaves none of them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from planscope.rules import many
from tests.rules.many_checks import check, is_gone, outcome, write_file

pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")


def test_checks_in_a_row_end_quietly_and_leave_no_process(tmp_path: Path) -> None:
    write_file(tmp_path / "t.jsonl", 1.2 * many.LARGE / 10**6)
    assert [outcome(check(tmp_path)) for _ in range(5)] == [""] * 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("many")
    write_file(made / "t.jsonl", 150)
    return made


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("to_all", [False, True])
def test_a_signal_ends_a_check_and_its_workers(number: signal.Signals, to_all: bool, folder: Path) -> None:
    started = check(folder)
    until = time.monotonic() + 60
    while time.monotonic() < until and not _children(started.pid):
        time.sleep(0.01)
    assert _children(started.pid), "no worker was started"
    (os.killpg if to_all else os.kill)(started.pid, number)
    begun = time.monotonic()
    errors = started.communicate(timeout=60)[1]
    assert time.monotonic() - begun < 10
    assert started.returncode == (-9 if number == signal.SIGKILL else 128 + number)
    assert b"Traceback" not in errors and b"Process" not in errors
    assert is_gone(started.pid)


def test_a_worker_that_is_killed_is_one_line(folder: Path) -> None:
    started = check(folder)
    until = time.monotonic() + 60
    while time.monotonic() < until and not (workers := _children(started.pid)):
        time.sleep(0.01)
    if workers == ["?"]:
        pytest.skip("needs /proc")
    os.kill(int(workers[0]), signal.SIGKILL)
    out, errors = started.communicate(timeout=60)
    assert started.returncode == 2 and b"a process that judged it was ended from outside" in out
    assert errors == b"" and is_gone(started.pid)


def _children(pid: int) -> list[str]:
    return (
        Path(f"/proc/{pid}/task/{pid}/children").read_text().split() if Path("/proc/self").exists() else ["?"]
    )
