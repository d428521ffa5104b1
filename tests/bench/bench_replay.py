"""A step's verdict (state and core) in the base language: ``python -m tests.bench.bench_replay``.

The same random partial orders as the yardstick naive_replay.py: 2n comparisons over n actions, replayed in a valid
order; and with two calls exchanged, so that there is a core to find.
"""

from __future__ import annotations

import random
import statistics
import time

from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall, Trace
from tests.bench.yardstick import baseline, ratio, table


def case(n: int, seed: int, *, wrong: bool) -> tuple[Problem, Trace]:
    rng = random.Random(seed)
    plan = list(range(n))
    rng.shuffle(plan)
    place = {action: i for i, action in enumerate(plan)}
    actions = make_actions([f"task {i}" for i in range(n)])
    said = []
    for k in range(2 * n):
        i, j = rng.sample(range(n), 2)
        if place[i] > place[j]:
            i, j = j, i
        said.append(Constraint(f"c{k + 1}", "order", "", before=actions[i].id, after=actions[j].id))
    if wrong:
        plan[n // 5], plan[-(n // 5)] = plan[-(n // 5)], plan[n // 5]
    calls = tuple(ToolCall(actions[i].tool, {}) for i in plan)
    return Problem(actions, (*said, *rules(False))), Trace(calls)


def per_step(n: int, *, wrong: bool, cases: int = 15) -> float:
    """Median over cases of the microseconds a step costs, everything that a replay computes included."""
    times = []
    for seed in range(cases):
        problem, trace = case(n, seed, wrong=wrong)
        began = time.perf_counter()
        run = replay(problem, trace)
        took = (time.perf_counter() - began) / len(run.steps)
        if (run.verdict().verdict == "wrong") == wrong:
            times.append(took)
    return 1e6 * statistics.median(times)


def main() -> None:
    naive = baseline("naive_replay.py", "--actions", "100", "--seed", "1")
    slow = None if naive is None else 1000 * naive["ms_per_step_median"]
    rows = []
    cost = {}
    for n in (100, 1000):
        for wrong in (False, True):
            cost[n, wrong] = per_step(n, wrong=wrong)
            rows.append(
                [
                    n,
                    2 * n,
                    "wrong" if wrong else "right",
                    f"{cost[n, wrong]:.1f}",
                    ratio(slow, cost[n, wrong]) if n == 100 else "",
                    f"{cost[n, wrong] / cost[100, wrong]:.2f}",
                ]
            )
    head = ["actions", "constraints", "run", "us a step", "vs yardstick (median)", "vs 100 actions"]
    if slow is not None:
        rows.append([100, 200, "yardstick", f"{slow:.0f}", "1 x", ""])
    table("Verdict, state and core of a step (base language)", head, rows)


if __name__ == "__main__":
    main()
