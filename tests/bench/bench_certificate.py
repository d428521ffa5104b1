"""How often Z3 confirms a verdict where days are full: ``python -m tests.bench.bench_certificate [SEEDS [SECONDS]]``.

A run that fills its day is a pigeonhole over hours, the hardest there is for a solver. Durations add up to 23 or 24
hours (the day is nearly or exactly full), or to 25 (no plan fits); orders and clock times are drawn around a plan.
"""

from __future__ import annotations

import random
import sys
import time
from contextlib import suppress
from dataclasses import replace

from planscope.language.problem import Constraint, Problem, make_actions, rules
from planscope.oracle.replay import Replay, replay
from planscope.oracle.schedule import TooHard
from planscope.oracle.timed import schedule_of
from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import Proof
from tests.bench.yardstick import table

SIZES = (10, 12, 14, 16, 18, 20, 22, 24)
KINDS = (
    "over-full",
    "full, an hour lost",
    "full, right",
    "nearly full, two lost",
    "full, windows missed",
    "full, narrow windows",
    "full, wide windows",
)


def durations(rng: random.Random, n: int, total: int) -> list[int]:
    takes = [1] * n
    for _ in range(total - n):
        takes[rng.choice([i for i in range(n) if takes[i] < 8])] += 1
    return takes


def windows(kind: str, n: int, seed: int) -> Replay:
    """Every action has a window around its hours in a full day; they shrink until no plan is left."""
    rng = random.Random(f"{kind} {n} {seed}")
    width = 3 if "narrow" in kind else 6
    takes = durations(rng, n, 24)
    actions = make_actions([f"task {i}" for i in range(n)], takes)
    clock, spans = 0, dict[int, list[int]]()
    for i in rng.sample(range(n), n):
        end = clock + takes[i]
        spans[i] = [max(0, clock - rng.randint(0, width)), min(24, end + rng.randint(0, width))]
        clock = end
    while True:
        said = [
            Constraint("", kind, "", action=actions[i].id, hour=hour)
            for i, span in spans.items()
            for kind, hour in zip(("start_at_least", "end_at_most"), span, strict=True)
        ]
        constraints = tuple(replace(c, id=f"c{k}") for k, c in enumerate(said, 1))
        problem = Problem(actions, (*constraints, *rules(True)), timed=True)
        with suppress(TooHard):  # a little narrower it is easier to tell
            if schedule_of(problem, limit=40_000).latest((1 << n) - 1) < 0:
                return replay(problem, Trace((), "running"))
        i, side = rng.randrange(n), rng.randrange(2)
        if spans[i][1] - spans[i][0] > takes[i]:
            spans[i][side] += 1 if side == 0 else -1


def hard_case(kind: str, n: int, seed: int) -> Replay:
    if "windows" in kind and "missed" not in kind:
        return windows(kind, n, seed)
    rng = random.Random(f"{kind} {n} {seed}")
    total = {"over-full": 25, "nearly full, two lost": max(23, n)}.get(kind, 24)
    takes = durations(rng, n, total)
    actions = make_actions([f"task {i}" for i in range(n)], takes)
    plan = rng.sample(range(n), n)
    starts, clock = {}, 0
    for i in plan:
        starts[i] = clock
        clock += takes[i]
    said: list[Constraint] = []
    for _ in range(n // 3):
        a, b = sorted(rng.sample(range(n), 2), key=plan.index)
        said.append(Constraint("", "order", "", before=actions[a].id, after=actions[b].id))
    for i in rng.sample(range(n), n // 3):
        slack = rng.randint(0, 4)
        if rng.random() < 0.5:
            said.append(
                Constraint("", "start_at_least", "", action=actions[i].id, hour=max(0, starts[i] - slack))
            )
        else:
            last = min(24, starts[i] + takes[i] + slack)
            said.append(Constraint("", "end_at_most", "", action=actions[i].id, hour=last))
    constraints = tuple(replace(c, id=f"c{k}") for k, c in enumerate(said, 1))
    problem = Problem(actions, (*constraints, *rules(True)), timed=True)
    if kind == "over-full":
        return replay(problem, Trace((), "running"))
    order = list(plan)
    late, at = 0, rng.randrange(n // 2)
    if kind == "full, windows missed":
        rng.shuffle(order)
        at = n
    calls, clock = [], 0
    for k, i in enumerate(order):
        if k == at and kind != "full, right":
            late = 2 if "two" in kind else 1
        start = min(clock + late, 24 - takes[i])
        late = 0
        calls.append(ToolCall(actions[i].tool, {"start_time": start}))
        clock = max(clock, start + takes[i])
    return replay(problem, Trace(tuple(calls)))


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
    rows, left = [], 0
    for n in SIZES:
        for kind in KINDS:
            answers: list[Proof] = []
            took = []
            for seed in range(seeds):
                run = hard_case(kind, n, seed)
                began = time.perf_counter()
                answers.append(run.certify(timeout=int(1000 * seconds)))
                took.append(time.perf_counter() - began)
            assert "denied" not in answers, (kind, n)
            left += answers.count("gave_up")
            rows.append([f"{n}", kind, f"{answers.count('confirmed')} of {seeds}", f"{max(took):.1f}"])
    table("Verdicts that Z3 confirms", ["actions", "day", "confirmed", "longest (s)"], rows)
    print(f"{left} of {len(rows) * seeds} are left open")


if __name__ == "__main__":
    main()
