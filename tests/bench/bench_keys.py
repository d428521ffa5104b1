"""How fast a key is answered, through a pty at 200x60, against a bare Textual application.

    python -m tests.bench.bench_keys [--steps 1000] [--constraints 2000] [--keys 200]
    python -m tests.bench.bench_keys --steps 20 --constraints 60 --picture

Prints milliseconds from writing the key to the first and to the last byte of the answer. Wanted, in a session of
1,000 steps and 2,000 constraints: a median within 2 times, a 95th percentile within 2.5 times the bare
application's. With ``--picture`` the order of the actions is drawn in the tree's pane.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.big_session import big_session
from tests.bench.terminal import Terminal

_HERE = Path(__file__).parent
_ROOT = _HERE.parent.parent
BARE = "bare: change one line"
_PRODUCT = (
    "import sys; from pathlib import Path; from planscope.tui.launch import run; run(Path(sys.argv[1]))"
)


Figures = tuple[list[float], list[float], list[int]]


def measure(terminal: Terminal, keys: list[bytes], into: Figures) -> None:
    """First byte, last byte (milliseconds) and size of the answer to each key."""
    draw = random.Random(1)
    for key in keys:
        time.sleep(0.1 + draw.random() * 0.05)
        terminal.drain()
        begun, ended, size = terminal.key(key)
        if size:
            into[0].append(begun)
            into[1].append(ended)
            into[2].append(size)


def line(name: str, figures: list[float]) -> tuple[float, float]:
    median, tail = statistics.median(figures), statistics.quantiles(figures, n=20)[-1]
    sys.stdout.write(
        f"{name:<34} median {median:7.2f}   95th percentile {tail:7.2f}   ({len(figures)} keys)\n"
    )
    return median, tail


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--constraints", type=int, default=2000)
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--rest", type=float, default=8.0, help="seconds before the first key")
    parser.add_argument("--picture", action="store_true", help="draw the order of the actions")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.planscope.json"
        big_session(path, steps=chosen.steps, constraints=chosen.constraints, wrong=chosen.steps * 7 // 10)
        bare = Terminal([sys.executable, str(_HERE / "bare_app.py")])
        bare.read_until(b"READY", 20)
        bare.read_until_quiet(0.5)
        ours = Terminal([sys.executable, "-c", _PRODUCT, str(path)], cwd=str(_ROOT))
        ours.read_until(b"LOST HERE", 120)
        ours.read_until_quiet(1.0)
        if chosen.picture:
            ours.key(b"V")
        ours.key(b"\x1b[H")
        time.sleep(chosen.rest)
        ours.read_until_quiet(0.6)
        names = (BARE, "planscope: next call (n)", "planscope: back (N)", "planscope: next check (s)")
        figures: dict[str, Figures] = {name: ([], [], []) for name in names}
        turn = min(25, chosen.steps // 2 - 1)
        for _ in range(chosen.keys // turn):  # in turns, so that a busy moment hits all
            measure(bare, [b"n"] * turn, figures[names[0]])
            measure(ours, [b"n"] * turn, figures[names[1]])
            measure(ours, [b"s"] * turn, figures[names[3]])
            measure(ours, [b"N"] * turn, figures[names[2]])
        bare.close()
        ours.close()
    medians = {}
    sys.stdout.write("milliseconds to the first byte of the answer\n")
    for name, (first, _, _) in figures.items():
        medians[name] = line(name, first)
    sys.stdout.write("milliseconds to its last byte\n")
    for name, (_, last, sizes) in figures.items():
        line(name, last)
        sys.stdout.write(f"{'':<34} bytes  {statistics.median(sizes):7.0f}\n")
    base = medians.pop(BARE)
    sys.stdout.write("ratios to the bare application (first byte): wanted 2 and 2.5\n")
    for name, (median, tail) in medians.items():
        sys.stdout.write(
            f"{name:<34} median {median / base[0]:5.2f} x   95th percentile {tail / base[1]:5.2f} x\n"
        )


if __name__ == "__main__":
    main()
