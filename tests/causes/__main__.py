"""Fit the weights by which signs name a step, or print the table of docs/causes.md.

    python -m tests.causes fit                     fits the weights on family A and prints them for ranking.py
    python -m tests.causes [--unseen FILE] [--tau FILE]...

``--unseen``: runs that somebody else damaged, in the form of tau-bench's results, each with an ``id``; beside
``runs.json`` stands ``runs_labels.json`` with ``{"ID": {"step": 7 or null, "kind": "..."}}``.
``--tau``: historical_trajectories/*.json of sierra-research/tau-bench, graded runs without labels. The 73 good runs and
the folder they lie in are those of tests/rules/test_policies.py.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path
from types import MappingProxyType

from planscope.cause.find import breaks_of, find_cause
from planscope.cause.ranking import WEIGHTS, marks, shares
from planscope.cause.signs import TOLD, Evidence, evidence, reader
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import StepNo
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.reading import read_rules
from planscope.traces import open_traces
from tests.causes.damage import Labelled, family_a
from tests.rules.test_policies import GOOD

STRENGTH = 0.001
"""Of the penalty on squares of weights, per run."""
ROUNDS, PACE = 600, 0.5
AGAINST = ("mended", "passed on", "unsaid", "repeat", "last", "failed")
"""Signs that may speak against a step. Others never do: family A has mistakes that no rule sees, and a fit that lets a
broken rule speak against its own step has learned that alone."""
FILE = read_rules((Path(__file__).parent / "retail.rules").read_text(encoding="utf-8"))
BOOK = Rulebook(FILE.rules)
READS = reader(FILE)


def good_runs() -> list[Trace]:
    return list(open_traces([GOOD]))


def without_gold(one: Labelled) -> Labelled:
    return replace(one, trace=replace(one.trace, expected=[]))


def seen_in(trace: Trace, rules: bool = True) -> Evidence:
    results = judge_trace(BOOK, trace).results(trace) if rules else []
    return evidence(trace, breaks_of(results), FILE if rules else None)


# Fitting

Case = tuple[dict[StepNo, dict[str, float]], StepNo | None]


def fitted(cases: Sequence[Case], known: Mapping[str, float] = MappingProxyType({})) -> dict[str, float]:
    """Return the weights that make the labels likeliest, by steepest ascent with momentum. The sum is concave.
    ``known``: weights that stay."""
    names = sorted({name for steps, _ in cases for ones in steps.values() for name in ones})
    weights = {name: known.get(name, 0.0) for name in names}
    speed = {name: 0.0 for name in names if name not in known}
    for _ in range(ROUNDS):
        slope = {name: -STRENGTH * weight for name, weight in weights.items()}
        for steps, label in cases:
            likely = shares(steps, weights)
            for step, ones in steps.items():
                pull = (step == label) - likely[step]
                for name, number in ones.items():
                    slope[name] += pull * number / len(cases)
        for name in speed:
            speed[name] = 0.9 * speed[name] + PACE * slope[name]
            weights[name] += speed[name]
            if name in TOLD and name not in AGAINST and weights[name] < 0:
                weights[name] = speed[name] = 0.0
    return weights


def cases_of(runs: Iterable[Labelled]) -> list[Case]:
    """Return what speaks for the steps of each run. A label without any sign cannot be found: none is right then."""
    found = [(marks(seen_in(run.trace)), run.label) for run in runs]
    return [(steps, label if label in steps else None) for steps, label in found]


# Measuring

Guess = Callable[[Trace], tuple[StepNo | None, float]]


def by_model(trace: Trace) -> tuple[StepNo | None, float]:
    results = judge_trace(BOOK, trace).results(trace)
    found = find_cause(trace, breaks_of(results), FILE)
    return found.step, found.confidence


def by_rule_of_thumb(trace: Trace) -> tuple[StepNo | None, float]:
    """The first error, else the last write, else the last call."""
    calls = trace.calls
    failed = [call.step for call in calls if call.failed]
    writes = [call.step for call in calls if not READS(call.tool)]
    return (failed[:1] or writes[-1:] or [len(calls)])[0], 1.0


def by_first_error(trace: Trace) -> tuple[StepNo | None, float]:
    return next((call.step for call in trace.calls if call.failed), None), 1.0


def by_first_break(trace: Trace) -> tuple[StepNo | None, float]:
    breaks = breaks_of(judge_trace(BOOK, trace).results(trace))
    return (breaks[0].step if breaks else None), 1.0


def by_last_call(trace: Trace) -> tuple[StepNo | None, float]:
    return len(trace.calls), 1.0


GUESSES: dict[str, Guess] = {
    "planscope": by_model,
    "first error, else last write, else last call": by_rule_of_thumb,
    "first error": by_first_error,
    "first broken rule": by_first_break,
    "last call": by_last_call,
}


@dataclass
class Row:
    """Counts over runs: labelled ones, of those spoken of, exact, within 1 and 3; good ones, and of those accused."""

    name: str
    labelled: int = 0
    spoken: int = 0
    exact: int = 0
    within_1: int = 0
    within_3: int = 0
    good: int = 0
    accused: int = 0

    def add(self, label: int | None, step: StepNo | None, calls: int) -> None:
        if label is None:
            self.good += 1
            self.accused += step is not None
            return
        self.labelled += 1
        if step is not None:
            off = abs((calls + 1 if step == "end" else step) - label)
            self.spoken += 1
            self.exact += off == 0
            self.within_1 += off <= 1
            self.within_3 += off <= 3

    def line(self) -> str:
        shares = (self.spoken, self.exact, self.within_1, self.within_3)
        told = [f"{100 * one / max(1, self.labelled):.0f} %" for one in shares]
        return " | ".join([self.name, *told, f"{100 * self.accused / max(1, self.good):.0f} %"])


def calibration(pairs: Sequence[tuple[float, bool]], bins: int = 10) -> float:
    """Return the expected calibration error: the mean distance of confidence and share of right answers, by bins."""
    error = 0.0
    for k in range(bins):
        held = [
            (sure, right)
            for sure, right in pairs
            if k / bins < sure <= (k + 1) / bins or (not k and sure == 0)
        ]
        if held:
            error += abs(sum(sure for sure, _ in held) - sum(right for _, right in held)) / len(pairs)
    return error


def measured(runs: Sequence[Labelled], guess: Guess, name: str) -> tuple[Row, str]:
    """Return the counts, and the calibration errors of all answers and of those that name a step."""
    row = Row(name)
    pairs, named = [], []
    for run in runs:
        step, sure = guess(run.trace)
        row.add(run.label, step, len(run.trace.calls))
        pairs.append((sure, step == run.label))
        if step is not None:
            named.append(pairs[-1])
    return row, f"{calibration(pairs):.3f} ({calibration(named):.3f} of the answers that name a step)"


def table(title: str, runs: Sequence[Labelled]) -> None:
    labelled = sum(run.label is not None for run in runs)
    print(f"\n### {title}\n\n{labelled} labelled runs, {len(runs) - labelled} without a mistake.\n")
    print(
        "| named by | speaks of | exact | within 1 | within 3 | false alarms |\n| --- | --- | --- | --- | --- | --- |"
    )
    plain = [without_gold(run) for run in runs]
    errors = []
    for name, guess in GUESSES.items():
        row, error = measured(plain, guess, name)
        errors.append(error)
        print(f"| {row.line()} |")
    row, error = measured(runs, by_model, "planscope, with the gold plan")
    print(f"| {row.line()} |")
    print(f"\nExpected calibration error: {errors[0]} without the gold plan, {error} with it.")


def by_kind(runs: Sequence[Labelled]) -> None:
    print("\n| kind | runs | exact | spoken of |\n| --- | --- | --- | --- |")
    for kind in dict.fromkeys(run.kind for run in runs):
        mine = [without_gold(run) for run in runs if run.kind == kind]
        found = [(run.label, by_model(run.trace)[0]) for run in mine]
        right, spoken = sum(a == b for a, b in found), sum(b is not None for _, b in found)
        print(f"| {kind} | {len(mine)} | {right} | {spoken} |")


def unseen(path: Path) -> list[Labelled]:
    """Read the runs of a stranger's family, with the labels beside them."""
    ids = [str(one["id"]) for one in json.loads(path.read_text(encoding="utf-8"))]
    labels = json.loads(path.with_stem(f"{path.stem}_labels").read_text(encoding="utf-8"))
    pairs = zip(open_traces([path]), (labels[id] for id in ids), strict=True)
    return [Labelled(trace, one["step"], str(one["kind"]), "B") for trace, one in pairs]


def graded(path: str) -> None:
    """Print how often graded runs without labels are spoken of. No rules are given."""
    print(
        f"\n### {Path(path).name}, graded, no labels, no rules\n\n| grade | runs | spoken of | with the gold plan |"
    )
    print("| --- | --- | --- | --- |")
    traces = list(open_traces([path]))
    for grade in sorted({trace.reward for trace in traces if trace.reward is not None}):
        some = [trace for trace in traces if trace.reward == grade]
        plain = sum(find_cause(replace(t, expected=[])).step is not None for t in some)
        gold = sum(find_cause(t).step is not None for t in some)
        print(f"| {grade:g} | {len(some)} | {plain} | {gold} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("table", "fit"), default="table")
    parser.add_argument("--unseen", type=Path)
    parser.add_argument("--tau", action="append", default=[])
    args = parser.parse_args()
    good = good_runs()
    if args.what == "fit":
        runs = list(family_a(good))
        cases = cases_of(map(without_gold, runs))
        weights = fitted(cases_of(runs), fitted(cases))
        print("WEIGHTS: dict[str, float] = {")
        for name, weight in weights.items():
            print(f'    "{name}": {weight:.2f},')
        blind = [run.label is None for run, (_, label) in zip(runs, cases, strict=True) if label is None]
        print(f"}}\nSEEN = {sum(blind) / len(blind):.2f}")
        loss = sum(-log(shares(steps, weights)[label]) for steps, label in cases) / len(cases)
        print(f"# {len(cases)} cases, log loss {loss:.3f}")
        return
    drawn = list(family_a(good, seed=2))
    table("Family A, drawn anew", drawn)
    by_kind(drawn)
    if args.unseen is not None:
        runs = unseen(args.unseen)
        table("Unseen: made by somebody who had not seen family A", runs)
        by_kind(runs)
    for path in args.tau:
        graded(path)
    print(f"\n{len(WEIGHTS)} weights")


if __name__ == "__main__":
    main()
