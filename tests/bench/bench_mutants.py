"""One mutant of a request, read again and proved by Z3: ``python -m tests.bench.bench_mutants [--cases 60]``.

Two of each request, the first with what is worked out for all. Wanted: QuerySynthesize for five actions under 20 ms
(median), for eight under 100 ms. Beside it what Z3's proof alone takes.
"""

from __future__ import annotations

import argparse
import statistics
import time

from planscope.language.reading import Reading
from planscope.oracle.equivalence import equivalent
from planscope.synthesis.generate import Synthesizer
from planscope.synthesis.mutants import KINDS, Kind, mutants
from planscope.synthesis.request import Request
from tests.bench.yardstick import table

ROWS = ((5, False), (5, True), (8, False), (8, True), (20, False), (20, True))


def times(n: int, timed: bool, kind: Kind, cases: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each mutant, and of proving it once more."""
    whole, proof = [], []
    synthesizer = Synthesizer(Request(actions=n, timed=timed))
    for seed in range(cases):
        made = synthesizer.case(seed)
        more = mutants(Reading(made.text, made.tree, made.problem), kind, topic=made.topic)
        for _ in range(2):
            began = time.perf_counter()
            mutant = next(more)
            whole.append(1000 * (time.perf_counter() - began))
            began = time.perf_counter()
            assert equivalent(made.problem, mutant.problem, foreseen=True)
            proof.append(1000 * (time.perf_counter() - began))
    return whole, proof


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutants with their proof.")
    parser.add_argument("--cases", type=int, default=60)
    cases = parser.parse_known_args()[0].cases
    rows: list[list[object]] = []
    for n, timed in ROWS:
        for kind in KINDS[1:]:
            whole, proof = times(n, timed, kind, cases)
            whole.sort()
            numbers = (statistics.median(whole), whole[int(0.95 * len(whole))], statistics.median(proof))
            rows.append([f"{n} actions{', timed' if timed else ''}", kind, *(f"{ms:.1f}" for ms in numbers)])
    head = ["request", "kind", "ms a mutant (median)", "ms (95th percentile)", "Z3's part (median)"]
    table(
        "Mutants (wanted: QuerySynthesize under 20 ms for five actions, under 100 ms for eight)", head, rows
    )


if __name__ == "__main__":
    main()
