"""A file that is no session: one clear line on the terminal, exit status 2, no empty debugger."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from planscope.session.store import dumps
from tests.bench.terminal import Terminal
from tests.nightly import nightly
from tests.session.make import figure_10


def opened(path: Path) -> tuple[str, int]:
    """What a terminal shows in the end, and the exit status."""
    terminal = Terminal([sys.executable, "-m", "planscope", str(path)], columns=200, rows=30)
    seen, ends, ended, status = b"", time.monotonic() + 120, 0, 0
    while not ended and time.monotonic() < ends:  # it ends only once all that it writes is read
        seen += terminal.read(0.05)
        ended, status = os.waitpid(terminal.pid, os.WNOHANG)
    if not ended:
        terminal.close()
        raise TimeoutError(seen[-500:])
    while part := terminal.read(0.0):
        seen += part
    os.close(terminal.fd)
    return seen.decode(errors="replace"), os.waitstatus_to_exitcode(status)


def wrong_sessions(folder: Path) -> dict[str, tuple[Path, str]]:
    whole = dumps(figure_10())
    document = json.loads(whole)
    cut, future, odd = folder / "cut.json", folder / "future.json", folder / "odd.json"
    cut.write_bytes(whole[: len(whole) // 2])
    future.write_text(json.dumps(document | {"version": 99}))
    document["runs"][0]["variant"] = "v9"
    (empty := folder / "empty").mkdir()
    odd.write_text(json.dumps(document))
    return {
        "directory": (empty, "has no files of traces in it"),
        "cut": (cut, "cut off"),
        "future": (future, "newer planscope"),
        "odd": (odd, "a variant that does not exist"),
    }


@pytest.mark.parametrize("kind", ["future", *nightly("directory", "cut", "odd")])
def test_one_line_and_exit_status_2(kind: str, tmp_path: Path) -> None:
    path, says = wrong_sessions(tmp_path)[kind]
    seen, status = opened(path)
    assert status == 2, seen[-500:]
    last = seen.rsplit("planscope: ", 1)[-1]
    assert says in last and "Traceback" not in seen
    assert last.count("\n") == 1
