"""Kills a campaign at random moments, resumes it, and compares all rows with those of a campaign that was left alone.

``python -m tests.fuzz.campaign_kills 2000 30`` (cases, kills; then a seed) takes some minutes and prints what it found.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from planscope.campaign.store import SUFFIX, Store


def rows(home: str, name: str) -> list[tuple[object, ...]]:
    """All that a campaign keeps of its runs, but for which pass made them and how often they were begun."""
    store = Store(Path(home) / "planscope" / "campaigns" / f"{name}{SUFFIX}")
    listed = store.listed()
    return [(*row.values(), store.events(row["arm"], row["n"], row["idx"])) for row in listed]


def begin(home: str, name: str, cases: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "planscope",
        "campaign",
        "run",
        name,
        "--model",
        "sim:careful",
        "--model",
    ]
    command += ["sim:flaky", "--actions", "3..6", "--cases", str(cases // 8), "--workers", "2", "--json"]
    quiet = subprocess.DEVNULL
    environment = {**os.environ, "XDG_DATA_HOME": home}
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment, start_new_session=True)


def main(cases: int = 2000, kills: int = 30, seed: int = 1) -> int:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as home:
        began = time.monotonic()
        if begin(home, "whole", cases).wait() != 0:
            print("the campaign failed")
            return 1
        whole = time.monotonic() - began
        done = 0
        while done < kills:
            one = begin(home, "killed", cases)
            two = begin(home, "killed", cases) if chance.random() < 0.3 else None
            time.sleep(chance.uniform(0.0, whole / 8 + 3.0))
            if one.poll() is None:
                # the whole group at times, else the parent alone: its workers are then orphans
                whom = os.killpg if chance.random() < 0.5 else os.kill
                whom(one.pid, signal.SIGKILL)
                done += 1
            one.wait()
            if two is not None:
                two.wait()
        if begin(home, "killed", cases).wait() != 0:
            print("the campaign failed after the kills")
            return 1
        same = rows(home, "killed") == rows(home, "whole")
    found = (
        f"{done} kills, {cases} runs: rows {'equal' if same else 'DIFFER'}; undisturbed it took {whole:.0f} s"
    )
    print(found)
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
