"""Proof over many requests: ``python -m tests.synthesis.prove_mutants [--queries 3000]``.

Every mutant that is given out was proved by Z3 to mean the same. Here each is checked again without Z3 and without
the code that made it: the text read again, what follows from the constraints (Warshall, Floyd), all orders tried out
where they are few, random plans judged, words, trees, names and tools compared (``mutant_checks``).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from itertools import islice

from planscope.synthesis.mutants import KINDS, CannotMutate, mutants
from tests.synthesis.many_requests import by_hand, drawn
from tests.synthesis.mutant_checks import check_mutant


def prove(seed: int, each: int = 2) -> Counter[str]:
    """Mutants of one request, two thirds of them synthesized, the others by hand; AssertionError for a wrong one."""
    found: Counter[str] = Counter()
    reading, topic = drawn(seed) if seed % 3 else (by_hand(seed), None)
    if reading is None:
        return Counter(unreadable=1)
    found[f"requests, {'timed' if reading.problem.timed else 'base'}"] += 1
    for kind in KINDS:
        try:
            for mutant in islice(mutants(reading, kind, seed=seed, topic=topic), each):
                check_mutant(reading, mutant)
                found[kind] += 1
        except CannotMutate as error:
            found[str(error)] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Mutants of many random requests, checked without Z3.")
    parser.add_argument("--queries", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    args = parser.parse_args()
    began, found = time.perf_counter(), Counter[str]()
    for seed in range(args.first, args.first + args.queries):
        try:
            found += prove(seed)
        except AssertionError as error:
            sys.exit(f"seed {seed}: {error}")
    for name, count in sorted(found.items()):
        sys.stdout.write(f"{count:>8}  {name}\n")
    sys.stdout.write(f"all of them as they should be ({time.perf_counter() - began:.0f} s)\n")


if __name__ == "__main__":
    main()
