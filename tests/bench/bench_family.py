"""How often a dissection is right about a family of faulty agents that stands in a file of its own.

``python -m tests.bench.bench_family FILE [--cases 5] [--first 5000] [--only NAME] [--jobs 2] [--kinds]``, where FILE is
a family (``tests/bench/second.py`` is one) or ``foreign``. It prints how often the cause is right at 20, 40 and 60
runs, how often two causes are said to be two, and, with 40 runs more, how often the planted words are named.

A family is a Python file with a list ``AGENTS`` of :class:`Agent`. Its writer needs to know nothing but this page.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from planscope.agents.options import RunOptions
from planscope.dissection import engine
from planscope.dissection.engine import Dissector
from planscope.dissection.options import DissectOptions
from planscope.dissection.summary import summary
from planscope.language.problem import Span
from planscope.language.tree import NP, Time
from planscope.session.model import Cell, Dissection, Run, Session, Variant
from planscope.stats import wilson
from tests.bench import foreign
from tests.bench.bench_foreign import Blamed, blames, first_runs
from tests.bench.yardstick import table

BUDGETS = (20, 40, 60)
WITH_CULPRIT = 100


class Part(NamedTuple):
    """A clause or a relative clause ("which precedes B"). Spans are (begin, end) in ``Query.text``.

    ``form`` of a main clause: "direct" (A precedes B), "adjunct" (A occurs before B), "fronted" (before B, A occurs),
    "compound" (A occurs before B occurs), "fronted_compound" (before B occurs, A occurs). ``relation``: the word or
    phrase that says before or after. ``verb``: the verb phrase with its modal; the same as ``relation`` if direct.
    ``second``: it stands in the second clause of its sentence. ``hour``: it is about a clock time, and has no objects.
    """

    span: Span
    sentence: int
    relative: bool
    second: bool
    form: str
    relation: Span
    verb: Span | None
    modal: str
    subjects: tuple[str, ...]
    objects: tuple[str, ...]
    hour: int | None


@dataclass(frozen=True)
class Query:
    """What an agent is asked. ``tools``: the actions' names, in the order of the list of tools. ``orders``: pairs
    (earlier, later) of names. ``hours``: (name, "from" or "until", hour)."""

    text: str
    tools: tuple[str, ...]
    sentences: tuple[Span, ...]
    parts: tuple[Part, ...]
    orders: tuple[tuple[str, str], ...]
    hours: tuple[tuple[str, str, int], ...]

    def says(self, span: Span) -> str:
        return self.text[span[0] : span[1]]

    def words(self, span: Span | None = None) -> int:
        """The number of words of a span, or of the text."""
        return len((self.text if span is None else self.says(span)).split())

    def mentions(self, tool: str, within: Span | None = None) -> list[Span]:
        """Where a tool is named, in any case."""
        begin, end = within or (0, len(self.text))
        found = re.finditer(re.escape(tool), self.text[begin:end], re.IGNORECASE)
        return [(begin + m.start(), begin + m.end()) for m in found]


Fault = Callable[[Query], Sequence[Span] | None]
"""None: the fault is not in this query, and the agent plans well. Otherwise the places to blame, perhaps none: the
agent misreads them, and its plan is wrong."""


@dataclass(frozen=True)
class Agent:
    """A kind of faulty agent.

    ``causes``: what has to change for it to be right: "Terminal" (the words), "Topic" (the actions), "Structure" (the
    sentences), "Constraint" (what is asked), "Probability" (nothing, it is chance), "none" (nothing helps); two, with
    a space between, if the agent has two faults at once. ``make(rng, query)`` draws a fault that this query has (or
    returns None); the fault is then asked of other queries, too. ``culprits``: the kinds of culprit that are right,
    of word, action, clause, sentence, constraint, number, length, position; "" if no words are to blame. ``asks``:
    options of the query, as ``Request`` has them. ``success``: for chance, how often it is right.
    """

    name: str
    causes: str
    make: Callable[[random.Random, Query], Fault | None] = lambda rng, query: lambda other: None
    culprits: str = ""
    asks: Mapping[str, Any] = field(default_factory=dict)
    success: float | None = None


def query_of(seen: foreign.Seen) -> Query:
    names = {a.id: a.name for a in seen.problem.actions}

    def named(np: object) -> tuple[str, ...]:
        return tuple(names[ref.action] for ref in np.actions) if isinstance(np, NP) else ()

    parts = []
    for p in seen.pieces():
        verb, other = p.verb, p.node.object
        parts.append(
            Part(
                p.node.span,
                p.sentence,
                p.path[-1] == "relative",
                p.second,
                p.node.form,
                p.relation.span,
                verb.span if verb is not None else None,
                verb.modal if verb is not None else "",
                named(p.subject),
                named(other),
                other.hour if isinstance(other, Time) else None,
            )
        )
    said = seen.problem.said
    return Query(
        seen.text,
        tuple(seen.names),
        tuple(s.span for s in seen.tree.sentences),
        tuple(parts),
        tuple((names[c.before], names[c.after]) for c in said if c.before and c.after),
        tuple(
            (names[c.action], "from" if c.kind == "start_at_least" else "until", c.hour)
            for c in said
            if c.action and c.hour is not None
        ),
    )


@cache
def _query(seen: foreign.Seen) -> Query:
    return query_of(seen)


@dataclass(frozen=True)
class Played:
    """An agent with its fault drawn. ``fires``: share of runs in which the fault works; ``noise``: share that fail."""

    fault: Fault
    fires: float
    noise: float
    success: float | None

    def play(self, variant: Variant, seed: int, run_id: str = "r") -> Run:
        luck = random.Random(f"family run {seed} {variant.query.text}")
        fires, noise = luck.random(), luck.random()
        seen = foreign._seen(variant)
        places = self.fault(_query(seen))
        if self.success is not None:
            places = None if fires < self.success else ()
        elif fires >= self.fires:
            places = None
        if noise < self.noise and self.success is None:
            places = places or ()
        faults = []
        if places is not None:
            meets = [c.id for c in seen.problem.said if any(_meet(s, at) for s in c.spans for at in places)]
            faults = [foreign.Fault(flip=tuple(meets))]
        read = foreign.Agent(lambda seen: [])
        run = foreign._run(variant, read._plan(seen, faults), run_id)
        if faults and foreign.right(variant, run):
            run = foreign._run(variant, read._plan(seen, [foreign.Fault(fail=True)]), run_id)
        return run


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


MEASURED = {"number", "length", "position"}


def draw_case(agent: Agent, number: int) -> foreign.Case:
    """The case of a number, the same each time."""
    rng = random.Random(f"family {agent.name} {number}")
    culprits = frozenset(agent.culprits.split())
    kind = foreign.Kind(
        agent.name, frozenset(agent.causes.split()), lambda r, s: None, culprits, success=agent.success
    )
    while True:
        variant = foreign.draw_variant(rng, {"timed": bool(number % 2), **agent.asks})
        query = _query(foreign._seen(variant))
        fault = agent.make(rng, query)
        if fault is None or (agent.success is None and (places := fault(query)) is None):
            continue
        planted = tuple(places or ()) if agent.success is None else ()
        if len(planted) > 1 and not culprits & MEASURED:
            planted = ()
        case = foreign.failing_case(kind, number, variant, planted, partial(Played, fault), rng)
        if case is not None:
            return case


@dataclass(frozen=True)
class Scored:
    """What was said of a case. ``said``: cause, confidence and whether two were said, by runs. ``blamed``: whether the
    words are right, wrong, not named, no cause; for cases without words none or false; "" if not counted."""

    kind: str
    causes: frozenset[str]
    said: Mapping[int, tuple[str, float, bool]]
    blamed: str
    culprit: str = ""

    def right(self, runs: int) -> bool:
        return self.said[runs][0] in self.causes


def dissected(case: foreign.Case) -> tuple[Session, Dissection, list[str]]:
    """Dissect a case. Return the session, the record, and the runs in their order."""
    session = case.session.model_copy(deep=True)
    session.runs[0].model = "sim:careful"
    order: list[str] = []

    def heard(cell: Cell, run: Run) -> None:
        order.append(run.id)

    def play(variant: Variant, options: RunOptions, **_: object) -> Run:
        return case.agent.play(variant, options.seed or 0)

    given = DissectOptions(model="sim:careful", seed=case.seed, budget=BUDGETS[-1], culprit_budget=40)
    dissector = Dissector(session, session.variants[0], given, run=session.runs[0], on_run=heard)
    with patch.object(engine, "run_simulated", play):
        dissector.go()
    return session, dissector.add_to(session), order


def score(case: foreign.Case) -> Scored:
    session, record, order = dissected(case)
    said = {}
    for budget in (*BUDGETS, WITH_CULPRIT):
        found = summary(session, first_runs(record, order, budget))
        decision = found.decision
        named = decision.cause or ("none" if decision.blameless else "undecided")
        said[budget] = (named, decision.confidence or 0.0, decision.several)
    blamed = ""
    bare = not case.kind.culprits and (case.kind.success is not None or "none" in case.kind.causes)
    if case.single or bare:
        whole = Blamed(
            case.kind.name,
            case.kind.culprits,
            case.variant,
            case.planted,
            case.kind.causes,
            partial(dissected, case),
        )
        blamed = blames(whole, found.culprit, found.decision)
    told = f"{found.culprit.kind}: {found.culprit.text}" if found.culprit is not None else ""
    return Scored(case.kind.name, case.kind.causes, said, blamed, told)


@cache
def family(file: str) -> Sequence[Agent]:
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    if spec is None or spec.loader is None:
        sys.exit(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    agents: Sequence[Agent] = module.AGENTS
    return agents


def kinds_of(file: str) -> Sequence[str]:
    return [k.name for k in (foreign.KINDS if file == "foreign" else family(file))]


def score_number(file: str, at: int, number: int) -> Scored:
    if file == "foreign":
        return score(foreign.draw_case(foreign.KINDS[at], number))
    return score(draw_case(family(file)[at], number))


def measured(file: str, cases: int, first: int, only: str, jobs: int) -> Iterator[Scored]:
    wanted = [
        (file, at, number)
        for at, name in enumerate(kinds_of(file))
        if any(part in name for part in only.split(","))
        for number in range(first, first + cases)
    ]
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(score_number, *zip(*wanted, strict=True))


def report(found: Sequence[Scored], kinds: bool) -> None:
    rows: list[Sequence[object]] = []
    for budget in BUDGETS:
        hits = sum(s.right(budget) for s in found)
        left = sum(s.said[budget][0] == "undecided" for s in found)
        sure = [s for s in found if s.said[budget][1] >= 0.95]
        shown = f"{sum(s.right(budget) for s in sure)} of {len(sure)}"
        rows.append((budget, *_share(hits, len(found)), f"{left / len(found):.1%}", shown))
    table("causes", ["runs", "right", "of", "share", "95 %", "undecided", "right of those at 0.95"], rows)
    rows = []
    for budget in BUDGETS:
        twos, ones = ([s for s in found if (len(s.causes) > 1) == two] for two in (True, False))
        said = [sum(s.said[budget][2] for s in some) for some in (twos, ones)]
        rows.append((budget, f"{said[0]} of {len(twos)}", f"{said[1]} of {len(ones)}"))
    table("two causes", ["runs", "said to be two", "falsely two"], rows)
    counts = Counter(s.blamed for s in found)
    planted = sum(counts[c] for c in COLUMNS)
    false = f"{counts['false']} of {counts['none'] + counts['false']}"
    shares = _share(counts["right"], planted)[1:]
    title = f"planted words, {WITH_CULPRIT} runs"
    table(
        title, [*COLUMNS, "of", "share", "95 %", "false"], [(*(counts[c] for c in COLUMNS), *shares, false)]
    )
    if kinds:
        heads = [
            "kind",
            "cases",
            *map(str, BUDGETS),
            "two",
            "not right at 20",
            "at 60",
            "words",
            "wrong words",
        ]
        table("by kind", heads, list(_by_kind(found)))


def _by_kind(found: Sequence[Scored]) -> Iterator[Sequence[object]]:
    for name in dict.fromkeys(s.kind for s in found):
        own = [s for s in found if s.kind == name]
        wrong = [dict(Counter(s.said[b][0] for s in own if not s.right(b))) for b in (20, 60)]
        right = [sum(s.right(b) for s in own) for b in BUDGETS]
        two = sum(s.said[60][2] for s in own)
        bad = [s.culprit[:90] for s in own if s.blamed in ("wrong", "false")]
        yield name, len(own), *right, two, *wrong, dict(Counter(s.blamed for s in own)), bad


COLUMNS = ("right", "wrong", "not named", "no cause")


def _share(hits: int, of: int) -> tuple[object, ...]:
    low, high = wilson(hits, of) if of else (0, 0)
    return hits, of, f"{hits / max(1, of):.1%}", f"{low:.0%} to {high:.0%}"


def main() -> None:
    parser = argparse.ArgumentParser(description="A family of faulty agents.")
    parser.add_argument("file", help="the family, or foreign")
    parser.add_argument("--cases", type=int, default=5, help="of each kind")
    parser.add_argument("--first", type=int, default=5000, help="number of the first case")
    parser.add_argument(
        "--only", default="", help="kinds with this, or one of these with commas, in their name"
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kinds", action="store_true", help="also a row for each kind of agent")
    given = parser.parse_args()
    report(list(measured(given.file, given.cases, given.first, given.only, given.jobs)), given.kinds)


if __name__ == "__main__":
    main()
