"""Random queries with random rules, judged as one and tried out: ``python -m tests.rules.joint_cases 2000 [SEED]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from random import Random

from planscope.language.calls import Calls
from planscope.language.derive import rules as basic
from planscope.language.problem import Action, Constraint, Problem
from planscope.oracle.replay import Replay
from planscope.oracle.trace import Item, Said, ToolCall, Trace
from planscope.rules.beside import Rules, ruled
from planscope.rules.future import Found
from planscope.rules.rule import Rule, RuleFile
from planscope.rules.with_query import Together
from tests.rules.brute import all_kept, depth
from tests.rules.many_cases import plan_events
from tests.rules.table import Event
from tests.rules.worlds import World, make_world


def make_query(random: Random, world: World) -> Problem:
    """A query about some tools of the world, which may be called once each; the others may be called freely."""
    tools = sorted({e.tool for e in world.letters if e.tool in ("a", "b", "c")})
    named = random.sample(tools, random.randint(1, len(tools)))
    actions = tuple(Action(f"a{k}", tool, tool) for k, tool in enumerate(named, 1))
    pairs = [(x.id, y.id) for x in actions for y in actions if x.id < y.id]
    orders = [
        Constraint(f"c{k}", "order", f"{x} < {y}", *random.choice(((x, y), (y, x))))
        for k, (x, y) in enumerate(random.sample(pairs, random.randint(0, min(2, len(pairs)))), 1)
    ]
    return Problem(actions, (*orders, *basic(False)), own=dict.fromkeys((*tools, "other")))


def query_kept(query: Problem, chosen: Sequence[str], trace: Sequence[Event]) -> bool:
    """Is the whole trace a plan, as far as these constraints ask for it?"""
    tools = [e.tool for e in trace]
    tool = {a.id: a.tool for a in query.actions}
    for c in query.constraints:
        if c.id not in chosen:
            continue
        counts = [tools.count(t) for t in tool.values()]
        if c.kind == "once" and max(counts) > 1:
            return False
        if c.kind == "all_done" and not all(counts):
            return False
        if c.kind == "order":
            before, after = tool[c.before or ""], tool[c.after or ""]
            if after in tools and before not in tools[: tools.index(after)]:
                return False
    return True


def calls_of(happened: Sequence[Event]) -> Trace:
    items: list[Item] = []
    for e in happened:
        if e.tool:
            answer = json.dumps({"status": e.status})
            call = ToolCall(e.tool, dict(e.arguments), failed=False, answer=answer, answered=True)
            call.message = e.message
            items.append(call)
        else:
            items.append(Said("user", "yes", e.message))
    return Trace(items, "running")


def rules_of(run: Replay) -> Rules:
    assert isinstance(run.rules, Rules)
    return run.rules


def continues(
    world: World, query: Problem, rules: Sequence[Rule], chosen: Sequence[str], prefix: list[Event]
) -> bool:
    """Some short continuation keeps the rules and the constraints."""
    level = [prefix]
    for _ in range(depth(world, 1_500) + 1):
        if any(all_kept(rules, one) and query_kept(query, chosen, one) for one in level):
            return True
        level = [[*one, event] for one in level for event in world.next_ones(one)]
        if len(level) > 2_000:
            break
    return False


def way(both: Together, index: int) -> Found:
    track = both.track_at(index)
    return track.future.of(track.judge_at(index))


def case(seed: int) -> str:
    random = Random(seed)
    world = make_world(random)
    while any(calls.outcome for rule in world.rules for calls in rule.sets):
        world = make_world(random)
    world.letters = [e for e in world.letters if e.failed is False]
    query = make_query(random, world)
    happened = [e for e in world.trace(random, 4) if e.tool]
    problem = ruled(query, RuleFile("", tuple(world.rules)))
    run = Replay(problem, calls_of(happened))
    both = rules_of(run).both
    assert both is not None
    every = [c.id for c in query.constraints]
    told = "kept"
    for k, view in enumerate(run.steps):
        prefix = happened[:k]
        found = way(both, k)
        assert found.possible is not None
        assert view.lost == (not found.possible), (problem, happened, view)
        if found.possible:
            whole = prefix + plan_events(found.plan, prefix)
            assert all_kept(world.rules, whole) and query_kept(query, every, whole), (problem, whole)
        else:
            assert not continues(world, query, world.rules, every, prefix), (problem, prefix)
    if both.lost:
        told = "together"
        check_core(world, problem.query, run, happened, dict(zip(problem.ids, world.rules, strict=True)))
    elif run.first_doomed is not None:
        told = "alone"
    check_repair(world, run, query, every, told)
    return told


def check_core(
    world: World, query: Problem, run: Replay, happened: list[Event], rules: dict[str, Rule]
) -> None:
    """A core is lost, and no longer if any member is dropped."""
    index = run.first_doomed
    assert index is not None
    core = run.steps[index].core
    assert core is not None  # of the rules alone, if a call that was not made breaks one
    rules_along = rules_of(run)
    assert rules_along.both is not None and rules_along.both.certify(1) != "denied"

    def lost(ids: Sequence[str], steps: Sequence[object]) -> bool:
        some = [rules[id] for id in ids if id in rules]
        prefix = [happened[s - 1] for s in steps if isinstance(s, int)]
        said = tuple(c for c in query.constraints if c.id in ids)
        idle = Rule("idle", "absence", (Calls("none"),), count=9)
        part = ruled(Problem(query.actions, said, own=query.own), RuleFile("", (*some, idle)))
        both = rules_of(Replay(part, calls_of(prefix))).both
        assert both is not None
        found = way(both, len(prefix))
        if found.possible:
            whole = prefix + plan_events(found.plan, prefix)
            assert all_kept(some, whole) and query_kept(query, ids, whole)
        else:
            assert not continues(world, query, some, ids, prefix), (ids, prefix)
        return not found.possible

    assert lost(core.constraints, core.steps), (core, happened)
    for one in core.constraints:
        assert not lost([c for c in core.constraints if c != one], core.steps), (core, happened)
    for step in core.steps:
        assert not lost(core.constraints, [s for s in core.steps if s != step]), (core, happened)


def check_repair(world: World, run: Replay, query: Problem, every: list[str], told: str) -> None:
    """A repair is a plan; there is one unless the two contradict each other before the first call."""
    fixed = run.repair()
    if run.first_doomed == 0:
        assert fixed.order is None, (run.problem, fixed)
    elif fixed.order is not None:
        tools = [
            run.problem.action_by_id[id].tool if id in run.problem.action_by_id else id for id in fixed.order
        ]
        trace = [Event(tool) for tool in tools if tool in query.action_by_tool]
        assert query_kept(query, every, trace), (run.problem, run.trace, fixed)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    told: dict[str, int] = {}
    for seed in range(first, first + count):
        try:
            found = case(seed)
        except BaseException:
            sys.stderr.write(f"seed {seed}\n")
            raise
        told[found] = told.get(found, 0) + 1
    sys.stdout.write(f"{count} cases: {told}\n")


if __name__ == "__main__":
    main()
