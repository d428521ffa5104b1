"""How mined rules judge runs that they were not mined from: ``python -m tests.rules.held_out [--folds 5]``.

The 73 good runs of tau-bench's retail agent are parted into folds. Rules are mined from all folds but one. They judge
the good runs of that one, and copies of them that are damaged in each way of family A (tests/causes/damage.py). A
damaged run is caught if a rule is broken; "and not before", if it is broken and no rule was in the run as it was.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from random import Random

from planscope.oracle.trace import Trace
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.mining import mine
from planscope.traces import open_traces
from tests.causes.damage import MISTAKES, Copy, made
from tests.rules.test_policies import GOOD


def broken(book: Rulebook, trace: Trace) -> bool:
    return any(result.state == "broken" for result in judge_trace(book, trace).results(trace))


def held_out(good: Sequence[Trace], folds: int, rounds: int, seed: int = 0) -> Counter[str]:
    """Return the counts of runs, of those that are judged wrong, and of rules, over all rounds."""
    random, found = Random(seed), Counter[str]()
    for _ in range(rounds):
        order = random.sample(range(len(good)), len(good))
        for fold in range(folds):
            out = set(order[fold::folds])
            book = Rulebook([one.rule for one in mine([good[k] for k in order if k not in out])])
            found["rules"] += len(book.rules)
            for trace in (good[k] for k in sorted(out)):
                accused = broken(book, trace)
                found["good"] += 1
                found["accused"] += accused
                for kind in MISTAKES:
                    damaged = kind(Copy(trace, good, random))
                    if damaged is not None:
                        caught = broken(book, made(trace, damaged[1], trace.id))
                        found["damaged"] += 1
                        found["caught"] += caught
                        found["caught, and not before"] += caught and not accused
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    found = held_out(list(open_traces([GOOD])), args.folds, args.rounds, args.seed)
    print(f"{found['rules'] / args.folds / args.rounds:.0f} rules")
    for part, whole in (("accused", "good"), ("caught", "damaged"), ("caught, and not before", "damaged")):
        print(
            f"{part}: {found[part]} of {found[whole]} {whole} runs, {100 * found[part] / found[whole]:.1f} %"
        )


if __name__ == "__main__":
    main()
