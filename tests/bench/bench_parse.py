"""Parse, derive and solve a paragraph of ten sentences: ``python -m tests.bench.bench_parse``.

As an editor would: one sentence of the paragraph changes with each key, the whole is read, its constraints are derived
and the oracle says whether they can be met (timed too). Wanted: a median under 50 ms.
"""

from __future__ import annotations

import contextlib
import statistics
import time

from planscope.language.problem import Problem
from planscope.language.reading import ParseFailure, read_query
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.synthesis.generate import Synthesizer
from planscope.synthesis.request import Request
from tests.bench.yardstick import table


def solve(problem: Problem) -> None:
    replay(problem, Trace((), "running"))


def typed(timed: bool, cases: int = 12, every: int = 3) -> tuple[list[float], list[float]]:
    """Milliseconds of every key typed into the middle of ten sentences, and of reading each paragraph cold."""
    keys, cold = [], []
    synthesizer = Synthesizer(Request(actions=10, sentences=10, timed=timed))
    for seed in range(cases):
        made = synthesizer.case(seed)
        problem = made.problem
        began = time.perf_counter()
        solve(read_query(made.text, problem.actions, timed=timed).problem)
        cold.append(1000 * (time.perf_counter() - began))
        ends = [i for i, c in enumerate(made.text) if c == "."]
        start, end = ends[4] + 2, ends[5] + 1
        sentence = made.text[start:end]
        for size in range(0, len(sentence) + 1, every):
            text = made.text[:start] + sentence[:size] + made.text[end:]
            began = time.perf_counter()
            with contextlib.suppress(ParseFailure):
                solve(read_query(text, problem.actions, timed=timed).problem)
            keys.append(1000 * (time.perf_counter() - began))
    return keys, cold


def main() -> None:
    rows = []
    for timed in (False, True):
        keys, cold = typed(timed)
        keys.sort()
        rows.append(
            [
                "timed" if timed else "base",
                len(keys),
                f"{statistics.median(keys):.1f}",
                f"{keys[int(len(keys) * 0.95)]:.1f}",
                f"{statistics.median(cold):.1f}",
            ]
        )
    head = ["language", "keys", "ms a key (median)", "ms (95th percentile)", "ms cold (median)"]
    table("Parse, derive and solve ten sentences (wanted: median under 50 ms)", head, rows)


if __name__ == "__main__":
    main()
