"""All reasons, how soon the first come and how long all take: ``python -m tests.bench.bench_reasons``.

Runs in any order under constraints drawn at random, so that there is much to find; asked at the end, where it is most.
"""

from __future__ import annotations

import random
import time

from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import ToolCall, Trace
from tests.bench.yardstick import table


def base(n: int, constraints: int, seed: int, *, run: bool = True) -> Replay:
    """``n`` calls in any order under constraints drawn at random; without a run the text alone, which contradicts."""
    rng = random.Random(seed)
    actions = make_actions([f"task {i}" for i in range(n)])
    pairs = [rng.sample(actions, 2) for _ in range(constraints)]
    said = [Constraint(f"c{k}", "order", "", before=a.id, after=b.id) for k, (a, b) in enumerate(pairs, 1)]
    calls = tuple(ToolCall(a.tool) for a in rng.sample(actions, n)) if run else ()
    return replay(Problem(actions, (*said, *rules(False))), Trace(calls, "stopped" if run else "running"))


def timed(n: int, constraints: int, seed: int) -> Replay:
    rng = random.Random(seed)
    actions = make_actions([f"task {i}" for i in range(n)], [1] * n)
    said = []
    for k in range(1, constraints + 1):
        a, b = rng.sample(actions, 2)
        kind = rng.random()
        if kind < 0.6:
            said.append(Constraint(f"c{k}", "order", "", before=a.id, after=b.id))
        elif kind < 0.8:
            said.append(Constraint(f"c{k}", "start_at_least", "", action=a.id, hour=rng.randint(0, 14)))
        else:
            said.append(Constraint(f"c{k}", "end_at_most", "", action=a.id, hour=rng.randint(10, 24)))
    calls = tuple(ToolCall(a.tool, {"start_time": h}) for h, a in enumerate(rng.sample(actions, n)))
    return replay(Problem(actions, (*said, *rules(True)), timed=True), Trace(calls))


CASES = [
    ("base, 10 actions, 10 constraints", lambda seed: base(10, 10, seed)),
    ("base, 100 actions, 40 constraints", lambda seed: base(100, 40, seed)),
    ("base, text alone, 20 actions, 60 constraints", lambda seed: base(20, 60, seed, run=False)),
    ("timed, 6 actions, 8 constraints", lambda seed: timed(6, 8, seed)),
    ("timed, 12 actions, 16 constraints", lambda seed: timed(12, 16, seed)),
    ("timed, 24 actions, 40 constraints", lambda seed: timed(24, 40, seed)),
]


def main() -> None:
    rows = []
    for name, make in CASES:
        first, whole = list[float](), list[float]()
        cores, corrections = list[int](), list[int]()
        for seed in range(3):
            run, came = make(seed), list[float]()
            began = time.perf_counter()

            def note(_: object, came: list[float] = came) -> None:
                came.append(time.perf_counter())

            found = run.reasons(len(run.steps) - 1, on_core=note, on_correction=note)
            whole.append(time.perf_counter() - began)
            first.append(came[1] - began if len(came) > 1 else 0.0)
            cores.append(len(found.cores))
            corrections.append(len(found.corrections))
        rows.append([name, f"{1000 * max(first):.0f}", f"{max(whole):.2f}", f"{cores}", f"{corrections}"])
    head = ["run", "first two (ms, worst of 3)", "all (s, worst)", "cores", "corrections"]
    table("Every minimal core and correction (at most 100 of each)", head, rows)


if __name__ == "__main__":
    main()
