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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from unittest.mock import patch

from planscope.agents.models import parse_model
from planscope.agents.options import RunOptions
from planscope.agents.simulated.knowledge import Understanding
from planscope.agents.simulated.misreading import _part, _shape, _skipped, _word
from planscope.dissection import engine
from planscope.dissection.culprit import Culprit
from planscope.dissection.engine import Dissector
from planscope.dissection.evidence import CAUSES, Decision
from planscope.dissection.options import DissectOptions
from planscope.dissection.summary import summary
from planscope.language.problem import Span
from planscope.language.tree import Clause, Relative, at
from planscope.session.model import Cell, Dissection, Run, Session, Variant
from planscope.session.oracle_input import reading_of
from tests.bench import bench_attribution, foreign
from tests.bench.bench_attribution import METHODS, UNDECIDED, Method
from tests.bench.yardstick import table

BUDGETS = (20, 40, 60)
PLANTED: Sequence[bench_attribution.Planted] = (*CAUSES, "none")


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

    def play(variant: Variant, options: RunOptions, **_: object) -> Run:
        return case.agent.play(variant, options.seed or 0)

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
        DissectOptions(model=model, seed=seed, method=method, budget=budget, culprit_budget=culprit),
        run=session.runs[0],
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


@dataclass(frozen=True)
class Blamed:
    """A case with planted words to blame (none if ``culprits`` is empty), and how it is dissected."""

    kind: str
    culprits: frozenset[str]
    variant: Variant
    planted: tuple[Span, ...]
    causes: frozenset[str]
    dissect: Callable[[], tuple[Session, Dissection, list[str]]]


def blamed_foreign(cases: int, first: int, only: str) -> Iterator[Blamed]:
    """Yield the cases of the second family with one place to blame, and more of those that have none."""
    for kind in foreign.KINDS:
        if only not in kind.name or not (kind.culprits or kind.success or "none" in kind.causes):
            continue
        many = cases if kind.culprits else 9 * cases // 2
        for number in range(first, first + many):
            case = foreign.draw_case(kind, number, single=bool(kind.culprits))
            yield Blamed(
                kind.name,
                kind.culprits,
                case.variant,
                case.planted,
                kind.causes,
                partial(dissect_foreign, case, "rates", 60, 40),
            )


_SIM_KINDS: dict[str, frozenset[str]] = {
    "Terminal": frozenset({"word"}),
    "Structure": frozenset({"clause", "sentence"}),
    "Constraint": frozenset({"constraint"}),
}
_MOST_DRAWN = 300


def blamed_sim(cases: int, first: int, only: str) -> Iterator[Blamed]:
    """Yield the cases of simulated models with one place to blame, and those that have none.

    A model that is blind to a topic has none: another job's name for one action makes no difference to it.
    """
    for cause in PLANTED:
        if only not in cause:
            continue
        wanted, found = _SIM_KINDS.get(cause, frozenset()), 0
        for number in range(first, first + _MOST_DRAWN):
            case = bench_attribution.draw_case(cause, number)
            planted = _sim_planted(case) if wanted else ()
            single = planted and (cause == "Constraint" or len(planted) == 1)
            if found < 3 * cases and (not wanted or single):
                found += 1
                dissect = partial(
                    _dissect, case.session, case.run, case.model, case.seed, "rates", 60, None, 40
                )
                yield Blamed(cause, wanted, case.variant, planted, frozenset({cause}), dissect)


def _sim_planted(case: bench_attribution.Case) -> tuple[Span, ...]:
    """Return the places that a blind model misreads, or the constraints of which each alone makes it see again."""
    values = parse_model(case.model).character
    assert values is not None
    reading = reading_of(case.variant)
    said = reading.problem.said
    if case.cause == "Terminal":
        read = Understanding(reading.problem, (), None, reading.tree)
        wrong = {c.spans[1] for c in said if _part(values["trait"], _word(read, c)) < values["share"]}
        return tuple(sorted(wrong))
    if case.cause == "Structure":
        read = Understanding(reading.problem, (), None, reading.tree)
        skipped = {c.node for c in said if _skipped(read, c, bool(values["fronted"]))}
        nodes = [at(reading.tree, node) for node in sorted(skipped, key=str)]
        return tuple(node.span for node in nodes if isinstance(node, Clause | Relative))
    shape = int(values["shape"])
    without = {
        c.meaning: replace(reading.problem, constraints=tuple(o for o in said if o.meaning != c.meaning))
        for c in said
    }
    cured = [meaning for meaning, rest in without.items() if _shape(rest, shape) is None]
    # What is said twice is one place to blame: to leave out one of the two changes nothing.
    return tuple(c.spans[1] for c in said if c.meaning in cured[:1]) if len(cured) == 1 else ()


SPENT = (20, 40, 60, 100)
"""The numbers of runs in all, those for the cause included, after which culprits are counted."""


def measure_culprits(family: str, cases: int, first: int, only: str = "") -> None:
    """Print how often the planted words are named, with 60 runs for the cause and 40 more for the culprit."""
    drawn = blamed_foreign if family == "foreign" else blamed_sim
    by_kind: dict[str, Counter[str]] = {}
    by_runs = {spent: Counter[str]() for spent in SPENT}
    for case in drawn(cases, first, only):
        session, record, order = case.dissect()
        for spent in SPENT:
            found = summary(session, first_runs(record, order, spent))
            said = blames(case, found.culprit, found.decision)
            by_runs[spent][said] += 1
        by_kind.setdefault(case.kind, Counter())[said] += 1
    columns = ("right", "wrong", "not named", "no cause")
    rows = []
    for spent, counts in by_runs.items():
        tried = sum(counts[c] for c in columns)
        share = f"{counts['right'] / tried:.0%}" if tried else "-"
        spared = counts["none"] + counts["false"]
        rows.append((str(spent), *(str(counts[c]) for c in columns), share, f"{counts['false']} of {spared}"))
    table(
        f"culprits, {family}: planted ones, and false ones in cases without one",
        ["runs", *columns, "named right", "false"],
        rows,
    )
    table(
        f"culprits, {family}, {SPENT[-1]} runs, by kind",
        ["kind", *columns, "none", "false"],
        [(k, *(counts[c] or "." for c in (*columns, "none", "false"))) for k, counts in by_kind.items()],
    )


def blames(case: Blamed, culprit: Culprit | None, decision: Decision) -> str:
    if not case.culprits:
        return "none" if culprit is None else "false"
    if culprit is None:
        sure = (decision.confidence or 0) >= 0.9 and decision.cause in case.causes
        return "not named" if sure else "no cause"
    return "right" if _holds(case, culprit) else "wrong"


def _holds(case: Blamed, culprit: Culprit) -> bool:
    kinds = {culprit.kind}
    text, reading = case.variant.query.text, reading_of(case.variant)
    if culprit.kind == "sentence" and len(reading.tree.sentences[culprit.sentence].clauses) == 1:
        kinds.add("clause")  # the sentence and its only clause are the same words
    if not kinds & case.culprits:
        return False
    if culprit.kind == "constraint":
        # Families plant the phrase that says a constraint, or else the whole clause.
        said = [c for c in reading.problem.said if c.id in culprit.constraints]
        spans = {c.spans[1] for c in said} | {at(reading.tree, c.node).span for c in said}
        return bool(spans & set(case.planted))
    if culprit.kind in ("number", "length", "position"):
        # A limit is about the text, a sentence or a name: it must be about words that are planted.
        return any(a < span[1] and span[0] < b for a, b in case.planted for _, span, _ in culprit.places)
    if culprit.either and culprit.kind != "action":
        # Changing one place is enough: each is planted, or a part of what is planted.
        places = [span for _, span, _ in culprit.places]
        return all(any(a <= begin and end <= b + 1 for a, b in case.planted) for begin, end in places)
    spans = {span for _, span, _ in culprit.places} if culprit.kind == "action" else {culprit.span}
    return any(foreign.holds_planted(case.planted, text, span) for span in spans)


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
        for family in ("sim", "foreign") if given.family is None else (given.family,):
            measure_culprits(family, given.cases, given.first, given.only)
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
