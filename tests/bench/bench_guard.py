"""What the guard does for every simulated profile: success with and without it, on the same queries and seeds.

``python -m tests.bench.bench_guard [--queries 60]``. Every run goes through the light loop.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from planscope.agents.options import RunOptions
from planscope.agents.simulated.profiles import PROFILES
from planscope.agents.simulated_runs import run_simulated
from planscope.oracle.replay import replay
from planscope.session.model import Origin, Variant, make_variant
from planscope.session.oracle_input import problem_of
from planscope.session.run_list import outcome_of
from planscope.session.tally import Tally, success
from planscope.session.traces import trace_of
from planscope.synthesis.generate import cases
from planscope.synthesis.request import Request
from tests.bench.yardstick import table


def rate(variants: Sequence[Variant], profile: str, guard: bool) -> Tally:
    """One run of each query, seeds counted up."""
    outcomes = []
    for seed, variant in enumerate(variants):
        run = run_simulated(variant, RunOptions(model=f"sim:{profile}", seed=seed, guard=guard))
        verdict = replay(problem_of(variant), trace_of(run)).verdict()
        outcomes.append((outcome_of(verdict, run), False))
    return success(outcomes)


def shown(found: Tally) -> str:
    return f"{found.rate or 0:4.0%}  ({found.low:.0%} to {found.high:.0%})"


def main() -> None:
    parser = argparse.ArgumentParser(description="Success with and without the guard.")
    parser.add_argument("--queries", type=int, default=60)
    parser.add_argument("--actions", type=int, default=5)
    given, _ = parser.parse_known_args()
    for timed in (False, True):
        request = Request(actions=given.actions, timed=timed)
        variants = [
            make_variant(c.problem, Origin(kind="synthesized")) for c in cases(request, given.queries)
        ]
        rows = []
        for profile in PROFILES:
            without, guarded = rate(variants, profile, False), rate(variants, profile, True)
            left = ", ".join(f"{kind} {count}" for kind, count in guarded.errors.items())
            rows.append([profile, shown(without), shown(guarded), left or "-"])
        title = f"{given.queries} queries of {given.actions} actions, {'timed' if timed else 'base'}"
        table(title, ["profile", "without guard", "with guard", "errors left"], rows)


if __name__ == "__main__":
    main()
