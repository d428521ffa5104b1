"""Campaigns: one worker against two, what a campaign costs beside its runs, and a report of 100,000 runs.

``python -m tests.bench.bench_campaign`` (``--runs 2000``) prints one table. Overhead is by processor time of one
process: the whole campaign against making and judging the same runs without claims, database and compression.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import zlib
from pathlib import Path

from planscope.agents.options import RunOptions
from planscope.agents.simulated_runs import run_simulated
from planscope.campaign.cases import Arm, Knobs, make_case, run_seed
from planscope.campaign.engine import Campaign
from planscope.campaign.report import report
from planscope.campaign.store import SUFFIX, Budget, Store
from planscope.campaign.worker import MadeCase, Row
from planscope.oracle.replay import replay
from planscope.session.model import Limits
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of

ARMS = [Arm("tools", f"sim:{name}") for name in ("careful", "literal")]
ACTIONS = 5


def store_at(folder: str, name: str, cases: int) -> Store:
    store = Store(Path(folder) / f"{name}{SUFFIX}", make=True)
    store.keep_settings(Knobs(cases=cases), Limits(), "bench")
    for arm in ARMS:
        store.add_arm(arm, ACTIONS, ACTIONS, Budget())
    return store


def bare(cases: int) -> float:
    """Make and judge the runs of both arms, and return the processor time."""
    knobs, begun = Knobs(seed=1, cases=cases), time.process_time()
    for number in range(cases):
        case = make_case(knobs, ACTIONS, number)
        for arm in ARMS:
            seed = run_seed(knobs, arm, ACTIONS, number)
            run = run_simulated(case.variant, RunOptions(model=arm.model, agent=arm.agent, seed=seed))
            replay(problem_of(case.variant), trace_of(run)).verdict()
    return time.process_time() - begun


def large(folder: str, runs: int) -> float:
    """Fill a database with copies of made-up rows, and return the seconds of a report."""
    store = store_at(folder, "large", runs // 2)
    data = zlib.compress(b"{}")
    for begin in range(0, runs // 2, 5000):
        numbers = range(begin, min(begin + 5000, runs // 2))
        made = [MadeCase(2 + n % 19, n, n, f"topic {n % 50}", "x", 1, 1.0, 1.0, 1) for n in numbers]
        rows = [
            Row(arm, 2 + n % 19, n, *(("wrong", "order_error") if n % 3 else ("right", None)), False, 1, 5, 6, 100,
                100, 1.0, None, data)
            for n in numbers
            for arm in (0, 1)
        ]  # fmt: skip
        store.keep((1, 2), made, rows, "bench")
    begun = time.perf_counter()
    found = report(store, "large")
    assert found.runs == runs // 2 * 2
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=100_000)
    args = parser.parse_args()
    cases = args.runs // len(ARMS)
    bare(100)  # imports and caches
    with tempfile.TemporaryDirectory() as folder:
        alone = bare(cases)
        begun = time.process_time()
        wall = time.perf_counter()
        Campaign(store_at(folder, "one", cases), workers=1).go()
        one, one_wall = time.process_time() - begun, time.perf_counter() - wall
        wall = time.perf_counter()
        Campaign(store_at(folder, "two", cases), workers=2).go()
        two_wall = time.perf_counter() - wall
        seconds = large(folder, args.rows)
    lines = [
        f"{args.runs} runs of {ACTIONS} actions, bare: {alone:.2f} s of processor time",
        f"as a campaign, one worker:        {one:.2f} s, {one / alone - 1:+.1%} (wanted at most +10 %)",
        f"two workers, by the clock:        {one_wall / two_wall:.2f} x as fast as one (wanted 1.8 x)",
        f"report of {args.rows:,} runs:          {seconds:.2f} s (wanted under 2 s)",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
