"""How long a library of a thousand sessions takes to be listed: ``python -m tests.bench.bench_library``.

Wanted: under 300 ms for the list that a screen opens with (warm: the index knows the files, verdicts included).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from planscope.rules.in_session import problem_in
from planscope.session.library import entries, judge_all
from planscope.session.library_index import search
from planscope.session.locations import cache_folder, library_folder
from planscope.session.store import dumps
from tests.bench.terminal import Terminal
from tests.bench.yardstick import table
from tests.session.make import figure_10

ROOT = Path(__file__).parent.parent.parent
SESSIONS = 1000
ROUNDS = 7


def fill() -> None:
    folder = library_folder()
    folder.mkdir(parents=True)
    session = figure_10()
    for number in range(SESSIONS):
        session.title, session.id = f"Plan {number}", f"s{number}"
        (folder / f"plan-{number:04}.planscope.json").write_bytes(dumps(session))


def timed(work: Callable[[], object], rounds: int = ROUNDS) -> str:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - began))
    return f"{statistics.median(times):,.0f}"


def cold() -> object:
    (cache_folder() / "sessions.json").unlink(missing_ok=True)
    return entries()


def command() -> object:
    return subprocess.run(
        [sys.executable, "-m", "planscope", "sessions", "list", "--json"],
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
        check=True,
    )


def room() -> str:
    """Milliseconds from the key in the debugger, through a pty, until a row with its title is on the screen."""
    times = []
    for _ in range(3):
        terminal = Terminal([sys.executable, "-m", "planscope"], columns=120, rows=40, cwd=str(ROOT))
        try:
            terminal.read_until_quiet(1.0)
            terminal.started = time.perf_counter()
            os.write(terminal.fd, b"L")
            times.append(1000 * terminal.read_until(b"Plan 999", 60)[0])
        finally:
            terminal.close()
    return f"{statistics.median(times):,.0f}"


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        for name in ("DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = f"{home}/{name}"
        fill()
        rows = [["listed for the first time, not judged", timed(cold, 3)]]
        rows.append(["all of them judged", timed(lambda: list(judge_all(entries(), problem_in)), 1)])
        rows.append(["listed again, with verdicts", timed(entries)])
        rows.append(["from the key to titles and verdicts on the screen", room()])
        found = entries()
        rows.append(["searched, per key", timed(lambda: search(found, "plan 77"))])
        rows.append(["planscope sessions list --json, all of it", timed(command, 3)])
    table(f"{SESSIONS:,} sessions", ["what", "ms"], rows)


if __name__ == "__main__":
    main()
