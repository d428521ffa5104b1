"""Check a large file again and again: ``python -m tests.rules.many_checks 100 [MEGABYTES]``.

Each check must end with exit status 0 and an empty standard error, and must leave no process behind.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

RULES = "get_order comes before pay for the same order_id.\npay happens at most once."
SLOW = 120.0
"""Seconds after which a check hangs."""


def write_file(path: Path, megabytes: float) -> None:
    """Write traces that keep the rules."""
    calls = [
        {"id": str(k), "type": "function", "function": {"name": tool, "arguments": '{"order_id": "R1"}'}}
        for k, tool in enumerate(("get_order", "pay"))
    ]
    answers = [{"role": "tool", "tool_call_id": one["id"], "content": "fine " * 100} for one in calls]
    messages = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *answers,
    ]
    line = json.dumps({"messages": messages}) + "\n"
    path.write_text(line * int(megabytes * 10**6 / len(line)))


def check(folder: Path) -> subprocess.Popen[bytes]:
    """Start a check as the leader of a process group, by which what it leaves is found."""
    (folder / "rules.txt").write_text(RULES)
    command = (sys.executable, "-m", "planscope", "check", str(folder / "t.jsonl"))
    return subprocess.Popen(
        (*command, "--rules", str(folder / "rules.txt")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def is_gone(group: int, seconds: float = 5.0) -> bool:
    """Return whether no process of a group is left. One that is about to end gets some time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def outcome(started: subprocess.Popen[bytes]) -> str:
    """Wait for a check. Return what was wrong with it; empty if nothing was."""
    try:
        _, errors = started.communicate(timeout=SLOW)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.communicate()
        return "it hangs"
    if started.returncode or errors:
        return f"exit status {started.returncode}, standard error {errors.decode()!r}"
    return "" if is_gone(started.pid) else "a process is left"


def main(count: int, megabytes: float = 100) -> None:
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_file(folder / "t.jsonl", megabytes)
        for k in range(count):
            if said := outcome(check(folder)):
                wrong += 1
                sys.stdout.write(f"check {k + 1}: {said}\n")
    sys.stdout.write(f"{count} checks of {megabytes:g} MB, {wrong} of them wrong\n")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(int(sys.argv[1]), *map(float, sys.argv[2:]))
