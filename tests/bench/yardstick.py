"""The yardsticks of a sibling folder, where they are at hand, and a table on standard output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(os.environ.get("PLANSCOPE_BASELINE", ROOT.parent / "shared" / "baseline"))


def baseline(script: str, *arguments: str) -> dict[str, Any] | None:
    """Run one yardstick and read the JSON line that it prints; None where it is not there."""
    path = FOLDER / script
    if not path.is_file():
        return None
    done = subprocess.run(
        [sys.executable, str(path), *arguments], capture_output=True, text=True, check=True, timeout=600
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under heads, columns aligned."""
    cells = [[str(c) for c in row] for row in [head, *rows]]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    out = [title]
    for row in cells:
        out.append("  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip())
    sys.stdout.write("\n".join(out) + "\n\n")
    sys.stdout.flush()


def ratio(slow: float | None, fast: float) -> str:
    """How many times as fast, or that the yardstick is missing."""
    return "no yardstick here" if slow is None else f"{slow / fast:.0f} x"
