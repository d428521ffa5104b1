"""How fast the edit screen answers somebody who types, through a pty: ``python -m tests.bench.bench_edit``.

A sentence in the middle of ten is deleted and typed again, its last keys one by one. With each key the whole request
is read, its constraints are compared with those before and the oracle says whether they can be met; all is shown.
Milliseconds from writing the key to the first byte of the answer (the letter) and to the last (what it means), of all
keys and of those by which more changed than the letter. Wanted: a median under 50 ms to the last.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from planscope.session.model import Origin, Session, make_variant
from planscope.session.store import save
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.bench.terminal import Terminal
from tests.bench.yardstick import ROOT, table

_PRODUCT = (
    "import sys; from pathlib import Path; from planscope.tui.launch import run; run(Path(sys.argv[1]))"
)
_HOME, _RIGHT, _DELETE = b"\x1b[1;5H", b"\x1b[C", b"\x1b[3~"
QUIET = 0.12
"""Seconds without a byte after which an answer is taken for whole: longer than reading and solving take."""


KEYS = 50
"""Of a sentence so many are timed."""

_FRAME = 3.0
"""Milliseconds; what comes later than that after the letter is another frame."""


def typed(path: Path, text: str, columns: int, rows: int) -> tuple[list[float], list[float]]:
    """Milliseconds to the first and to the last byte of the answer to each of the last keys of the sixth sentence."""
    ends = [i for i, c in enumerate(text) if c == "."]
    start, end = ends[4] + 2, ends[5] + 1
    ours = Terminal([sys.executable, "-c", _PRODUCT, str(path)], columns=columns, rows=rows, cwd=str(ROOT))
    try:
        ours.read_until(b"Constraints", 60)
        ours.read_until_quiet(1.5)
        ours.key(b"e")
        ours.read_until_quiet(1.0)
        ours.key(_HOME + _RIGHT * start)
        ours.read_until_quiet(0.5)
        ours.key(_DELETE * (end - start))
        ours.read_until_quiet(0.5)
        timed_from = max(end - KEYS, start)
        ours.key(text[start:timed_from].encode())
        said = ours.read_until_quiet(0.5)
        draw = random.Random(1)
        first, last = [], []
        for char in text[timed_from:end]:
            time.sleep(0.05 + draw.random() * 0.05)
            ours.drain()
            begun, ended, size = ours.key(char.encode(), QUIET)
            if not size:
                raise RuntimeError(f"a key was not answered; before it came {said[-400:]!r}")
            first.append(begun)
            last.append(ended)
    finally:
        ours.close()
    return first, last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=2)
    chosen, _ = parser.parse_known_args()
    out = []
    with tempfile.TemporaryDirectory() as folder:
        for timed, columns, rows in ((False, 120, 40), (True, 120, 40), (True, 200, 60)):
            first: list[float] = []
            last: list[float] = []
            for seed in range(chosen.cases):
                made = synthesize(Request(actions=10, sentences=10, timed=timed, seed=seed))
                variant = make_variant(made.problem, Origin(kind="synthesized"), topic=made.topic)
                path = Path(folder) / f"{timed}-{columns}-{seed}.planscope.json"
                save(Session(id="s", title="ten sentences", variants=[variant]), path)
                a, b = typed(path, made.text, columns, rows)
                first += a
                last += b
            more = [b for a, b in zip(first, last, strict=True) if b > a + _FRAME]
            shown = [*line(first), *line(last), f"{len(more)}", *line(more)]
            out.append(["timed" if timed else "base", f"{columns}x{rows}", len(last), *shown])
    head = [
        "request",
        "screen",
        "keys",
        "letter",
        "95 %",
        "last byte",
        "95 %",
        "said more",
        "last byte",
        "95 %",
    ]
    table("Keystroke to screen on the edit screen, ten sentences, ms (wanted: median under 50)", head, out)


def line(figures: list[float]) -> tuple[str, str]:
    return f"{statistics.median(figures):.1f}", f"{statistics.quantiles(figures, n=20)[-1]:.1f}"


if __name__ == "__main__":
    main()
