"""Fit the weights by which signs name a step, or print the tables of docs/causes.md.

    python -m tests.causes fit          fits the weights on all families and prints them for ranking.py
    python -m tests.causes left-out     fits them on the other families, and prints how each family then does
    python -m tests.causes [--tau FILE]...

``--tau``: historical_trajectories/*.json of sierra-research/tau-bench, graded runs without labels. The 73 good runs and
the folder they lie in are those of tests/rules/test_policies.py. A family of somebody else: ``tests.causes.family``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from planscope.cause.find import find_cause
from planscope.cause.ranking import WEIGHTS, Outcome, marks, shares
from planscope.traces import open_traces
from tests.causes.damage import Labelled, family_a
from tests.causes.family import drawn
from tests.causes.measure import RETAIL, Judge, by_grade, by_kind, table, without_gold
from tests.rules.test_policies import GOOD

STRENGTH = 0.0005
"""Of the penalty on squares of weights."""
SIGNS = ("again", "split", "signed", "first", "more", "gold")
"""Weights that are never below 0: a sign does not speak against its own step."""
HERE = Path(__file__).parent
JUDGE = Judge(RETAIL)


def families(seed: int) -> dict[str, list[Labelled]]:
    """Draw the families on which the weights are fitted."""
    return {
        "A": list(family_a(list(open_traces([GOOD])), seed)),
        "M": drawn(HERE / "family_m.py", GOOD, seed)[0],
        "P": drawn(HERE / "family_p.py", GOOD, seed)[0],
        "D": drawn(HERE / "family_d.py", GOOD, seed)[0],
    }


# Fitting

FloatArray = npt.NDArray[np.float64]
Case = tuple[dict[Outcome, dict[str, float]], Outcome]


def cases_of(runs: Sequence[Labelled]) -> list[Case]:
    """Return what speaks for each outcome of each run, and the right one."""
    found = [(marks(JUDGE.evidence(run.trace)), run.label) for run in runs]
    return [
        (
            {one: {n: x for n, x in ones.items() if x and n in WEIGHTS} for one, ones in outcomes.items()},
            label if label in outcomes else "elsewhere",
        )
        for outcomes, label in found
    ]


def fitted(families: Sequence[Sequence[Case]], known: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the weights that make the labels likeliest. The sum is concave. Each family counts the same. ``known``:
    weights that stay."""
    names = [name for name in WEIGHTS if known is None or name not in known]
    rows, stays, begins, right, share = [], [], [], [], []
    for some in families:
        for outcomes, label in some:
            begins.append(len(rows))
            right.append(len(rows) + list(outcomes).index(label))
            share.append(1 / len(some) / len(families))
            rows += [[ones.get(name, 0.0) for name in names] for ones in outcomes.values()]
            stays += [
                sum((known or {}).get(n, 0.0) * x for n, x in ones.items()) for ones in outcomes.values()
            ]
    table, offset, parts = np.array(rows), np.array(stays), np.array(share)
    lengths = np.diff([*begins, len(rows)])

    def loss(weights: FloatArray) -> tuple[float, FloatArray]:
        scores = table @ weights + offset
        whole = np.logaddexp.reduceat(scores, begins)
        likely = np.exp(scores - np.repeat(whole, lengths)) * np.repeat(parts, lengths)
        slope = table.T @ likely - parts @ table[right] + STRENGTH * weights
        return float(parts @ (whole - scores[right]) + STRENGTH / 2 * weights @ weights), slope

    bounds = [(0 if name in SIGNS else None, None) for name in names]
    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", bounds=bounds, tol=1e-12)
    assert found.success, found.message
    return dict(known or {}) | dict(zip(names, found.x.tolist(), strict=True))


def fit_all() -> None:
    """Fit without gold plans, then the weight of the gold plan alone."""
    drawn_anew = families(1).values()
    plain = [cases_of([without_gold(run) for run in runs]) for runs in drawn_anew]
    weights = fitted(plain)
    del weights["gold"]
    weights = fitted([cases_of(runs) for runs in drawn_anew], weights)
    print("WEIGHTS: dict[str, float] = {")
    for name in sorted(weights):
        print(f'    "{name}": {weights[name]:.2f},')
    loss = sum(-log(shares(case[0], weights)[case[1]]) for some in plain for case in some)
    print(f"}}\n# {sum(map(len, plain))} runs, log loss {loss / sum(map(len, plain)):.3f}")


def left_out() -> None:
    every = families(1)
    cases = {name: cases_of([without_gold(run) for run in runs]) for name, runs in every.items()}
    for name, runs in every.items():
        weights = fitted([some for other, some in cases.items() if other != name])
        with patch.dict(WEIGHTS, weights):
            table(f"Family {name}, left out", runs, JUDGE, gold=False)
            by_grade(runs, JUDGE)
            by_kind(runs, JUDGE)


# Measuring


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
    parser.add_argument("what", nargs="?", choices=("table", "fit", "left-out"), default="table")
    parser.add_argument("--tau", action="append", default=[])
    args = parser.parse_args()
    if args.what == "fit":
        fit_all()
    elif args.what == "left-out":
        left_out()
    else:
        for name, runs in families(2).items():
            table(f"Family {name}, drawn anew", runs, JUDGE)
            by_kind(runs, JUDGE)
        for path in args.tau:
            graded(path)
        print(f"\n{len(WEIGHTS)} weights")


if __name__ == "__main__":
    main()
