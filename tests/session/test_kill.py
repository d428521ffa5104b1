"""A writer that is killed leaves the old or the new file, whole; see ``kill_loop``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="nothing can be killed like this there")
def test_thirty_kills() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.session.kill_loop", "30"],
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith("30 kills: a whole file each time\n")
