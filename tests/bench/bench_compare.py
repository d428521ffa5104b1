"""Two requests of 1,000 sentences, two runs of 1,000 calls: ``python -m tests.bench.bench_compare``.

Milliseconds of processor time, from nearly the same to nothing alike; with both sides judged in it, and judged before.
"""

from __future__ import annotations

import random
import time

from planscope.compare import compare
from planscope.language.problem import Action, make_actions
from planscope.oracle.replay import replay
from planscope.session.model import CallEvent, EndEvent, Event, Origin, Query, Run, Session, Variant, records
from planscope.session.oracle_input import reading_of
from planscope.session.traces import trace_of
from tests.bench.yardstick import table

BEFORE = ("comes before", "precedes", "happens before", "should be executed before", "takes place before")


def sentences(rng: random.Random, names: list[str], count: int) -> list[str]:
    """That all agree with the order of the names."""
    chosen = (sorted(rng.sample(range(len(names)), 3)) for _ in range(count))
    return [
        f"{names[i]} {rng.choice(BEFORE)} {names[j]}, which {rng.choice(BEFORE)} {names[k]}."
        for i, j, k in chosen
    ]


def request(id: str, text: str, actions: tuple[Action, ...]) -> Variant:
    return Variant(id=id, origin=Origin(kind="written"), query=Query(text=text), actions=records(actions))


def run(id: str, variant: str, calls: list[tuple[str, int]]) -> Run:
    events: list[Event] = [
        CallEvent(step=step, tool=tool, arguments={"x": x}) for step, (tool, x) in enumerate(calls, 1)
    ]
    return Run(
        id=id, variant=variant, agent="tools", model="none", events=[*events, EndEvent(ending="stopped")]
    )


def measured(a: Variant, b: Variant, run_a: Run, run_b: Run) -> list[str]:
    """Milliseconds: all of it, and what is left when both sides have been judged."""
    session = Session(id="s", title="", variants=[a, b] if a is not b else [a], runs=[run_a, run_b])
    began = time.process_time()
    compare(session, run_a, session, run_b)
    cold = time.process_time() - began
    judged = [replay(reading_of(v).problem, trace_of(r)) for v, r in ((a, run_a), (b, run_b))]
    began = time.process_time()
    compare(session, run_a, session, run_b, replay_a=judged[0], replay_b=judged[1])
    return [f"{1000 * cold:.0f}", f"{1000 * (time.process_time() - began):.0f}"]


def main() -> None:
    rng = random.Random(1)
    names = [f"task {i}" for i in range(200)]
    actions = make_actions(names)
    rows = []
    first = sentences(rng, names, 1000)
    one_other = [*first[:500], *sentences(rng, names, 1), *first[501:]]
    reworded = [s.replace(" which ", " which always ").replace("always ", "") for s in first]
    reworded = [s.replace("comes before", "precedes").replace("happens", "comes") for s in reworded]
    texts = {
        "one sentence of 1,000": one_other,
        "other words in all sentences": reworded,
        "the sentences shuffled": rng.sample(first, 1000),
        "1,000 other sentences": sentences(rng, names, 1000),
    }
    a, none = request("v1", " ".join(first), actions), [(t.tool, 0) for t in actions]
    for what, other in texts.items():
        b = request("v2", " ".join(other), actions)
        rows.append([what, *measured(a, b, run("r1", "v1", none), run("r2", "v2", none))])
    names = [f"task {i}" for i in range(1000)]
    actions = make_actions(names)
    many = request("v1", " ".join(sentences(rng, names, 300)), actions)
    plan = [(t.tool, 0) for t in actions]
    swapped = [*plan[:400], plan[600], *plan[401:600], plan[400], *plan[601:]]
    one_tool = [(actions[0].tool, rng.randrange(100)) for _ in plan]
    runs = {
        "two of 1,000 calls swapped": (plan, swapped),
        "other arguments in all calls": (plan, [(tool, 1) for tool, _ in plan]),
        "1,000 calls shuffled": (plan, rng.sample(plan, 1000)),
        "1,000 calls of one tool, arguments at random": (one_tool, rng.sample(one_tool, 1000)),
    }
    for what, (one, two) in runs.items():
        rows.append([what, *measured(many, many, run("r1", "v1", one), run("r2", "v1", two))])
    head = ["what differs", "in all, ms", "judged before, ms"]
    table("Two requests of 1,000 sentences, two runs of 1,000 calls, compared", head, rows)


if __name__ == "__main__":
    main()
