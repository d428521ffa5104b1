"""Start an installed planscope as a person would: headless, and in a terminal of its own until it shows a run."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time


def headless(program: str) -> None:
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    print(version.stdout.strip())  # noqa: T201
    check = subprocess.run([program, "check", "first-look", "--json"], capture_output=True, text=True)
    assert check.returncode == 1, check.stderr
    print(json.loads(check.stdout)["explanation"])  # noqa: T201


def on_screen(program: str) -> None:
    """Open the debugger in a pty, wait for the verdict of the bundled run, quit with ``q``."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="120", LINES="40")
        os.execv(program, [program])
    seen, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline and b"PARAMETER ERROR" not in seen:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            seen += os.read(terminal, 65536)
    assert b"PARAMETER ERROR" in seen, seen[-2000:]
    os.write(terminal, b"q")
    while True:
        try:
            if not os.read(terminal, 65536):
                break
        except OSError:
            break
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, status
    print("the debugger opened, judged the run and quit")  # noqa: T201


headless(sys.argv[1])
on_screen(sys.argv[1])
