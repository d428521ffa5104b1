"""How often a dissection names the planted cause: confusion matrices of both methods, at equal numbers of runs.

``python -m tests.bench.bench_attribution [--cases 10] [--actions 5] [--budget 60] [--first 0] [--none]``. Every case
is a query drawn anew, base and timed by turns, with a simulated model that has one planted fault. The fault fires with
a probability from 0.7 to 1, and the model fails for no reason with one from 0 to 0.2; a flaky model is right with one
from 0.4 to 0.8. With ``--none``, too, models that are hardly ever right (at most 0.1), whatever they are asked: no
cause is in the query, and that is to be said. Queries are drawn until the fault, where it fires, makes the model fail:
that run is the one that a developer would dissect. The method was tuned on cases from 1000 to 4100.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from planscope.agents.options import RunOptions
from planscope.agents.simulated_runs import run_simulated
from planscope.dissection.engine import Dissector
from planscope.dissection.evidence import CAUSES, Cause
from planscope.dissection.options import DissectOptions
from planscope.dissection.summary import summary
from planscope.language.tree_json import dump
from planscope.oracle.replay import replay
from planscope.session.model import Origin, Run, Session, Variant, make_variant
from planscope.session.oracle_input import problem_of
from planscope.session.traces import trace_of
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request
from tests.bench.yardstick import table

Method = Literal["rates", "paper"]
METHODS: tuple[Method, ...] = ("rates", "paper")
UNDECIDED = "undecided"
Planted = Cause | Literal["none"]
LANGUAGES = (("base", False), ("timed", True))

PLANTED: dict[Cause, str] = {
    "Terminal": "word-blind?trait={trait}",
    "Topic": "topic-blind?trait={trait}",
    "Structure": "clause-blind?fronted={fronted}",
    "Constraint": "constraint-blind?shape={shape}",
}


@dataclass(frozen=True)
class Case:
    """A session with a failing run of a model whose cause is known."""

    cause: Planted
    model: str
    session: Session
    seed: int

    @property
    def variant(self) -> Variant:
        return self.session.variants[0]

    @property
    def run(self) -> Run:
        return self.session.runs[0]

    @property
    def timed(self) -> bool:
        return self.variant.query.timed


def right(variant: Variant, run: Run) -> bool:
    return replay(problem_of(variant), trace_of(run)).verdict().verdict == "right"


def draw_case(cause: Planted, number: int, actions: int = 5) -> Case:
    """The case of a number; the same each time."""
    draw = random.Random(f"attribution {cause} {number}")
    timed = bool(number % 2)
    while True:
        seed = draw.randrange(2**31)
        made = synthesize(Request(actions=actions, seed=seed, timed=timed, repeats=True))
        variant = make_variant(
            made.problem, Origin(kind="synthesized"), topic=made.topic, seed=seed, tree=dump(made.tree)
        )
        luck = draw.randrange(10**6)
        if cause == "Probability":
            model = f"sim:flaky?p={draw.uniform(0.4, 0.8):.2f}"
        elif cause == "none":
            model = f"sim:flaky?p={draw.uniform(0, 0.1):.2f}"
        else:
            planted = PLANTED[cause].format(
                trait=draw.randrange(10**6), fronted=draw.randrange(2), shape=draw.randrange(1, 4)
            )
            if right(variant, run_simulated(variant, RunOptions(model=f"sim:{planted}", seed=luck))):
                continue  # the fault does not concern this query
            fires, noise = draw.uniform(0.7, 1.0), draw.uniform(0.0, 0.2)
            model = f"sim:{planted}&fires={fires:.2f}&noise={noise:.2f}"
        for k in range(200):
            run = run_simulated(variant, RunOptions(model=model, seed=luck + k), run_id="r1")
            if not right(variant, run):
                session = Session(id="case", title="case", variants=[variant], runs=[run])
                return Case(cause, model, session, luck + k + 1)


@dataclass(frozen=True)
class Answer:
    """What a method said of a case: a cause, ``none`` or ``undecided``, after so many runs."""

    said: str
    runs: int
    confidence: float | None


def dissected(case: Case, method: Method, budget: int) -> Answer:
    session = case.session.model_copy(deep=True)
    dissector = Dissector(
        session,
        case.variant,
        DissectOptions(model=case.model, seed=case.seed, method=method, budget=budget),
        run=case.run,
    )
    dissector.go()
    found = summary(session, dissector.add_to(session))
    said = found.decision.cause or ("none" if found.decision.blameless else UNDECIDED)
    return Answer(said, found.runs, found.decision.confidence)


def answers(
    method: Method,
    cases: int,
    budget: int,
    first: int = 0,
    actions: int = 5,
    planted: Sequence[Planted] = CAUSES,
) -> Iterator[tuple[Case, Answer]]:
    """All causes, ``cases`` of each."""
    for cause in planted:
        for number in range(first, first + cases):
            case = draw_case(cause, number, actions)
            yield case, dissected(case, method, budget)


def measure(
    method: Method,
    cases: int,
    budget: int,
    first: int = 0,
    actions: int = 5,
    planted: Sequence[Planted] = CAUSES,
) -> None:
    """Print the confusion matrix of one method, and what its confidence is worth."""
    began = time.perf_counter()
    found = list(answers(method, cases, budget, first, actions, planted))
    took = time.perf_counter() - began
    columns = (*CAUSES, "none", UNDECIDED)
    rows = []
    for cause in planted:
        own = [a for c, a in found if c.cause == cause]
        said = Counter(a.said for a in own)
        spent = sum(a.runs for a in own) / cases
        rows.append([cause, *(said[c] or "." for c in columns), f"{said[cause] / cases:.0%}", f"{spent:.0f}"])
    title = (
        f"{method}, at most {budget} runs a case: {shares(found)} ({1000 * took / len(found):.0f} ms a case)"
    )
    table(title, ["planted", *columns, "right", "runs"], rows)
    split = [(name, shares([x for x in found if x[0].timed == timed])) for name, timed in LANGUAGES]
    table(f"{method}, by language", ["language", "how often"], split)
    if method == "rates":
        table("rates, by the confidence that it gave", ["confidence", "cases", "right"], by_confidence(found))


def shares(found: list[tuple[Case, Answer]]) -> str:
    """How many are right, of all and of those named."""
    hits = sum(c.cause == a.said for c, a in found)
    left = sum(a.said == UNDECIDED for _, a in found)
    named = len(found) - left
    return (
        f"{hits / len(found):.1%} of {len(found)} right, {left / len(found):.1%} undecided, "
        f"{hits / named if named else 0:.1%} of those named right"
    )


def by_confidence(found: list[tuple[Case, Answer]]) -> list[tuple[str, int, str]]:
    rows = []
    for low, high in ((0.6, 0.75), (0.75, 0.9), (0.9, 0.975), (0.975, 1.01)):
        own = [(c, a) for c, a in found if a.confidence is not None and low <= a.confidence < high]
        hits = sum(c.cause == a.said for c, a in own)
        rows.append((f"{low} to {min(high, 1)}", len(own), f"{hits / len(own):.0%}" if own else "-"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Attribution of planted causes.")
    parser.add_argument("--cases", type=int, default=10, help="of each cause")
    parser.add_argument("--actions", type=int, default=5)
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--method", choices=METHODS)
    parser.add_argument("--none", action="store_true", help="also models that fail whatever they are asked")
    given, _ = parser.parse_known_args()
    for method in METHODS if given.method is None else (given.method,):
        planted: Sequence[Planted] = (*CAUSES, "none") if given.none else CAUSES
        measure(method, given.cases, given.budget, given.first, given.actions, planted)


if __name__ == "__main__":
    main()
