"""How often a dissection is right about agents that it was not made for, and what its confidence is worth.

``python -m tests.bench.bench_foreign [--cases 4] [--first 5000] [--family foreign|sim] [--method rates|paper]``. Both
families, both methods, at 20, 40 and 60 runs: confusion matrices, shares of undecided answers, calibration. Cases
below 1000 are for tuning; reported are cases from 5000 on. *Right* is strict: the planted cause, "none" if none is
planted, and either of two planted ones; "undecided" is wrong.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unittest.mock import patch

from planscope.dissection import engine
from planscope.dissection.culprit import Culprit
from planscope.dissection.engine import Dissector
from planscope.dissection.evidence import CAUSES
from planscope.dissection.summary import summary
from planscope.session.model import Cell, Dissection, Run, Session, Variant
from planscope.session.oracle_input import problem_of
from tests.bench import bench_attribution, foreign
from tests.bench.bench_attribution import METHODS, UNDECIDED, Method
from tests.bench.yardstick import table

BUDGETS = (20, 40, 60)
PLANTED = (*CAUSES, "none")


@dataclass(frozen=True)
class Told:
    """What a dissection said after at most ``budget`` runs."""

    kind: str
    causes: frozenset[str]
    budget: int
    said: str
    confidence: float | None
    runs: int
    several: bool = False

    @property
    def right(self) -> bool:
        return self.said in self.causes


def first_runs(record: Dissection, order: Sequence[str], most: int) -> Dissection:
    """Return a dissection as it was after its first runs: the method does not look at what is left of the budget."""
    kept = set(order[:most])
    cells = [c.model_copy(update={"runs": [r for r in c.runs if r in kept]}) for c in record.cells]
    return record.model_copy(update={"cells": [c for c in cells if c.runs], "budget": most, "closed": {}})


def dissect_foreign(
    case: foreign.Case, method: Method, budget: int, culprit: int = 0
) -> tuple[Session, Dissection, list[str]]:
    """Dissect a case of the second family. Return the session, the record, and the runs in their order."""

    def play(variant: Variant, *, seed: int, **_: object) -> Run:
        return case.agent.play(variant, seed)

    return _dissect(case.session, case.run, "sim:careful", case.seed, method, budget, play, culprit)


def _dissect(
    given: Session,
    run: Run,
    model: str,
    seed: int,
    method: Method,
    budget: int,
    play: object = None,
    culprit: int = 0,
) -> tuple[Session, Dissection, list[str]]:
    session = given.model_copy(deep=True)
    session.runs[0].model = model
    order: list[str] = []

    def heard(cell: Cell, run: Run) -> None:
        order.append(run.id)

    dissector = Dissector(
        session,
        session.variants[0],
        model=model,
        run=session.runs[0],
        method=method,
        budget=budget,
        culprit_budget=culprit,
        seed=seed,
        on_run=heard,
    )
    if play is None:
        dissector.go()
    else:
        with patch.object(engine, "run_simulated", play):
            dissector.go()
    return session, dissector.add_to(session), order


def told(kind: str, causes: frozenset[str], session: Session, record: Dissection, budget: int) -> Told:
    found = summary(session, record)
    said = found.decision.cause or ("none" if found.decision.blameless else UNDECIDED)
    return Told(kind, causes, budget, said, found.decision.confidence, found.runs)


def of_case(kind: str, causes: frozenset[str], method: Method, dissect: object) -> Iterator[Told]:
    """Yield what is said after 20, 40 and 60 runs; ``paper`` begins anew for each, as its K follows from the budget."""
    assert callable(dissect)
    if method == "paper":
        for budget in BUDGETS:
            session, record, _ = dissect(method, budget)
            yield told(kind, causes, session, record, budget)
        return
    session, record, order = dissect(method, BUDGETS[-1])
    for budget in BUDGETS:
        yield told(kind, causes, session, first_runs(record, order, budget), budget)


def measured(family: str, method: Method, cases: int, first: int, only: str = "") -> Iterator[Told]:
    if family == "foreign":
        for kind in foreign.KINDS:
            if only in kind.name:
                for number in range(first, first + cases):
                    case = foreign.draw_case(kind, number)
                    yield from of_case(
                        kind.name, kind.causes, method, lambda m, b, case=case: dissect_foreign(case, m, b)
                    )
        return
    planted: Sequence[bench_attribution.Planted] = (*CAUSES, "none")
    for cause in planted:
        for number in range(first, first + cases):
            own = bench_attribution.draw_case(cause, number)
            yield from of_case(
                cause,
                frozenset({cause}),
                method,
                lambda m, b, own=own: _dissect(own.session, own.run, own.model, own.seed, m, b),
            )


def report(title: str, found: Sequence[Told], kinds: bool = False) -> None:
    """Print confusion matrices, undecided rates and calibration."""
    for budget in BUDGETS:
        own = [t for t in found if t.budget == budget]
        hits = sum(t.right for t in own)
        left = sum(t.said == UNDECIDED for t in own)
        columns = (*PLANTED, UNDECIDED)
        rows = []
        for label in sorted({" or ".join(sorted(t.causes)) for t in own}, key=_rank):
            these = [t for t in own if " or ".join(sorted(t.causes)) == label]
            said = Counter(t.said for t in these)
            good = sum(t.right for t in these) / len(these)
            rows.append([label, *(said[c] or "." for c in columns), f"{good:.0%}"])
        table(
            f"{title}, {budget} runs: {hits / len(own):.1%} of {len(own)} right, {left / len(own):.1%} undecided",
            ["planted", *columns, "right"],
            rows,
        )
        table(
            f"{title}, {budget} runs, by the confidence given",
            ["confidence", "cases", "right"],
            calibration(own),
        )
        sure = sum(t.confidence is not None and t.confidence >= 0.95 for t in own if t.right)
        loud = [(str(hits), str(sure), f"{sure / max(1, hits):.0%}")]
        table(
            f"{title}, {budget} runs: honest and loud",
            ["right answers", "of these at 0.95 or more", "share"],
            loud,
        )
        if kinds:
            names = dict.fromkeys(t.kind for t in own)
            shown = []
            for name in names:
                these = [t for t in own if t.kind == name]
                wrong = Counter(
                    f"{t.said}{'!' if (t.confidence or 0) >= 0.95 else ''}" for t in these if not t.right
                )
                shown.append((name, f"{sum(t.right for t in these)}/{len(these)}", str(dict(wrong))))
            table(f"{title}, {budget} runs, by kind", ["kind", "right", "wrong"], shown)


def _rank(label: str) -> tuple[bool, int]:
    return " or " in label, PLANTED.index(label.split(" or ")[0])


def calibration(found: Sequence[Told]) -> list[tuple[str, int, str]]:
    rows = []
    for low, high in ((0.5, 0.75), (0.75, 0.9), (0.9, 0.95), (0.95, 0.98), (0.98, 1.01), (0.95, 1.01)):
        own = [t for t in found if t.confidence is not None and low <= t.confidence < high]
        share = f"{sum(t.right for t in own) / len(own):.0%}" if own else "-"
        rows.append((f"{low} to {min(high, 1)}", len(own), share))
    return rows


def measure_culprits(cases: int, first: int, only: str = "") -> None:
    """Print how often the planted words are named, with 60 runs for the cause and 40 for the culprit."""
    rows, hits, false, tried, spared = [], 0, 0, 0, 0
    columns = ("right", "wrong", "not named", "no cause", "none", "false")
    for kind in foreign.KINDS:
        if only not in kind.name or not (kind.culprits or kind.success or "none" in kind.causes):
            continue
        found: Counter[str] = Counter()
        many = cases if kind.culprits else 9 * cases // 2
        for number in range(first, first + many):
            case = foreign.draw_case(kind, number, single=bool(kind.culprits))
            session, record, _ = dissect_foreign(case, "rates", 60, 40)
            told = summary(session, record)
            culprit = told.culprit
            if not kind.culprits:
                found["false" if culprit else "none"] += 1
                spared, false = spared + 1, false + bool(culprit)
                continue
            tried += 1
            text = case.variant.query.text
            if culprit is None:
                sure = (told.decision.confidence or 0) >= 0.9 and told.decision.cause in kind.causes
                found["not named" if sure else "no cause"] += 1
            elif _holds(case, culprit, text):
                found["right"] += 1
                hits += 1
            else:
                found["wrong"] += 1
        rows.append((kind.name, *(found[c] or "." for c in columns)))
    table(
        f"culprits: {hits} of {tried} planted ones named; {false} named in {spared} cases without one",
        ["kind", *columns],
        rows,
    )


def _holds(case: foreign.Case, culprit: Culprit, text: str) -> bool:
    if culprit.kind == "constraint":
        said = problem_of(case.variant).by_id
        phrases = {said[c].spans[1] for c in culprit.constraints if c in said}
        return culprit.kind in case.kind.culprits and bool(phrases & set(case.planted))
    spans = {span for _, span, _ in culprit.places} if culprit.kind == "action" else {culprit.span}
    return any(foreign.holds_planted(case, text, culprit.kind, span) for span in spans)


def main() -> None:
    parser = argparse.ArgumentParser(description="Causes of foreign agents.")
    parser.add_argument("--cases", type=int, default=4, help="of each kind")
    parser.add_argument("--first", type=int, default=5000, help="number of the first case")
    parser.add_argument("--method", choices=METHODS)
    parser.add_argument("--family", choices=("foreign", "sim"))
    parser.add_argument("--kinds", action="store_true", help="also a row for each kind of agent")
    parser.add_argument("--only", default="", help="kinds of foreign agents with this in their name")
    parser.add_argument("--culprits", action="store_true", help="only how often the words to blame are named")
    given, _ = parser.parse_known_args()
    if given.culprits:
        measure_culprits(given.cases, given.first, given.only)
        return
    for family in ("sim", "foreign") if given.family is None else (given.family,):
        for method in METHODS if given.method is None else (given.method,):
            began = time.perf_counter()
            found = list(measured(family, method, given.cases, given.first, given.only))
            report(f"{family}, {method}", found, given.kinds)
            took = (time.perf_counter() - began) / max(1, len(found) / len(BUDGETS))
            table(
                f"{family}, {method}: time",
                ["cases", "s a case"],
                [(len(found) // len(BUDGETS), f"{took:.2f}")],
            )


if __name__ == "__main__":
    main()
