"""How soon the first frame is there, through a pty at 120x40, against a bare Textual application.

    python -m tests.bench.bench_first_frame [SESSION] [--times 9]

Prints milliseconds from starting the process to the first frame. Wanted: at most 1.3 times the bare application's.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from tests.bench.terminal import Terminal

_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent


def first_frame(argv: list[str], wanted: bytes) -> float:
    """Milliseconds until a frame with these words in it has come."""
    terminal = Terminal(argv, columns=120, rows=40, cwd=str(_ROOT))
    try:
        seconds, _ = terminal.read_until(wanted, 30)
    finally:
        terminal.close()
    return seconds * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("session", nargs="?", default=str(_ROOT / "sessions" / "first-look.planscope.json"))
    parser.add_argument("--times", type=int, default=9)
    chosen = parser.parse_args()
    bare, ours = [], []
    for _ in range(chosen.times):  # in turns, so that a busy moment hits both
        bare.append(first_frame([sys.executable, str(_HERE / "bare_app.py")], b"READY"))
        ours.append(first_frame([sys.executable, "-m", "planscope", chosen.session], b"Timeline"))
    for name, figures in (("bare application", bare), ("planscope", ours)):
        median, best = statistics.median(figures), min(figures)
        sys.stdout.write(f"{name:<18} median {median:6.0f} ms   best {best:6.0f} ms\n")
    sys.stdout.write(
        f"ratio of medians {statistics.median(ours) / statistics.median(bare):.2f} (wanted 1.3)\n"
    )


if __name__ == "__main__":
    main()
