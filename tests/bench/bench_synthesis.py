"""One query from nothing (tree, text, constraints with spans, valid orders, Z3's certificate) against Algorithm 1
as the paper writes it: ``python -m tests.bench.bench_synthesis [--rounds 3]``.

Both are run in turns, each round anew, and means over many cases are compared: a synthesizer that is fast only in
most cases gains nothing. Wanted at five actions: 50 times as fast.
"""

from __future__ import annotations

import argparse
import statistics
import time

from planscope.synthesis.generate import Synthesizer
from planscope.synthesis.request import Request
from tests.bench.yardstick import baseline, ratio, table

ROWS = (
    ("5 actions", Request(actions=5), 1000, 5),
    ("5 actions, timed", Request(actions=5, timed=True), 400, 5),
    ("5 actions, 1..6 valid orders", Request(actions=5, valid_orders=(1, 6)), 400, 5),
    ("10 actions in 10 sentences", Request(actions=10, sentences=10), 200, 10),
    ("20 actions", Request(actions=20), 60, None),
)
"""What is asked for, cases a round, and the yardstick's number of actions."""

NAIVE = {5: ("--cases", "60"), 10: ("--cases", "10", "--sentences", "10")}
"""By number of actions. With ten it hardly ever ends where few sentences are drawn, so they get ten."""


def mean_ms(request: Request, count: int, first: int) -> float:
    """Milliseconds a case, over ``count`` seeds from ``first`` on; what needs no seed was done before."""
    synthesizer = Synthesizer(request)
    for seed in range(20):
        synthesizer.case(seed)
    began = time.perf_counter()
    for seed in range(first, first + count):
        synthesizer.case(seed)
    return 1000 * (time.perf_counter() - began) / count


def main() -> None:
    parser = argparse.ArgumentParser(description="Synthesis against the yardstick.")
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    ours: dict[str, list[float]] = {name: [] for name, *_ in ROWS}
    naive: dict[int, list[float]] = {}
    for k in range(rounds):
        for n, arguments in NAIVE.items():
            found = baseline("naive_pdoctor.py", "--actions", str(n), "--seed", str(k), *arguments)
            if found is not None:
                naive.setdefault(n, []).append(found["ms_per_case"])
        for name, request, count, _ in ROWS:
            ours[name].append(mean_ms(request, count, k * count))
    rows: list[list[object]] = [
        [f"Algorithm 1 as written, {n} actions", f"{statistics.median(times):.2f}", "1 x"]
        for n, times in naive.items()
    ]
    for name, _, _, size in ROWS:
        took = statistics.median(ours[name])
        slow = statistics.median(naive[size]) if size in naive else None
        rows.append([name, f"{took:.3f}", "" if size is None else ratio(slow, took)])
    table(f"Synthesis of a query (median of {rounds} rounds)", ["query", "ms a case", "vs yardstick"], rows)


if __name__ == "__main__":
    main()
