"""Random rules and traces, judged and tried out: ``python -m tests.rules.many_cases 2000 [SEED]``."""

from __future__ import annotations

import sys
from random import Random

from planscope.rules.confirm import confirmed
from planscope.rules.core import find_core, first_lost, play
from planscope.rules.future import Future
from planscope.rules.judge import Rulebook, events, judge_trace, known_tools
from planscope.rules.rule import Rule
from planscope.rules.steps import safe_tools, state_of, steps
from planscope.traces.shape import Tool, ToolCall, Trace
from tests.rules.brute import all_kept, continuation, depth
from tests.rules.table import Event, as_items, kept
from tests.rules.worlds import World, make_world


def trace_of(happened: list[Event]) -> Trace:
    tools = {e.tool: Tool(e.tool, None, {"properties": {"id": {}}}) for e in happened if e.tool}
    return Trace("t", "test", as_items(happened), tools)


def check_statuses(world: World, happened: list[Event]) -> None:
    """Every rule's result on the whole trace and on every prefix is what the table says."""
    book = Rulebook(world.rules)
    for size in range(len(happened) + 1):
        trace = trace_of(happened[:size])
        judge = judge_trace(book, trace)
        for result in judge.results(trace):
            expected = kept(result.rule, happened[:size])
            assert (result.state != "broken") == expected, (result, happened[:size])
            assert result.state != "unknown", (result, happened)


def is_lost(world: World, rules: list[Rule], prefix: list[Event], longest: int) -> bool:
    """No continuation keeps the rules: none is found by trying, and the search says so too.

    Trying stops at ``longest`` events. A longer plan of the search counts once the table has confirmed it.
    """
    book = Rulebook(rules)
    tools = sorted({e.tool for e in world.letters if e.tool})
    found = Future(book, tools).of(play(book, list(events(as_items(prefix)))))
    assert found.possible is not None, (rules, prefix)
    if found.possible:
        assert all_kept(rules, prefix + plan_events(found.plan, prefix)), (rules, prefix, found)
        return False
    tried = continuation(world, rules, prefix, longest)
    assert tried is None, (rules, prefix, tried)
    return True


def check_states(world: World, happened: list[Event]) -> None:
    """Can the trace be continued, at every prefix?"""
    for size in range(len(happened) + 1):
        is_lost(world, world.rules, happened[:size], depth(world))


def check_walk(world: World, happened: list[Event]) -> None:
    """A walk of the trace says of every step what judging each prefix anew says: states, statuses, safe tools."""
    book = Rulebook(world.rules)
    trace = trace_of(happened)
    tools = known_tools(book, trace)
    for step in list(steps(book, trace))[:-1]:
        size = next(
            (
                k + 1
                for k, e in enumerate(as_items(happened))
                if isinstance(e, ToolCall) and e.step == step.step
            ),
            0,
        )
        judge = play(book, list(events(as_items(happened[:size]))))
        future = Future(book, tools)
        assert step.state == state_of(future, judge), (world.rules, happened, step)
        expected = {rule.id: judge.rule_status(i) for i, rule in enumerate(book.rules)}
        assert step.statuses == expected, (world.rules, happened, step)
        safe = safe_tools(future, judge, tools) if step.state == "completable" else ()
        assert step.safe_next == safe, (world.rules, happened, step, safe)


def plan_events(plan, prefix: list[Event]) -> list[Event]:  # type: ignore[no-untyped-def]
    message = prefix[-1].message if prefix else 0
    found = []
    for letter in plan:
        message += letter.fresh
        truths = dict(letter.truths)
        arguments = [(str(path[0]), value) for path, value in letter.values]
        outcomes = {f.outcome: truth for f, truth in truths.items() if f.outcome}
        failed = True if outcomes.get("failed") else None if outcomes.get("succeeded") is False else False
        status = "ok"
        for formula, truth in truths.items():
            if formula.outcome is not None:
                continue
            if formula.condition is not None and formula.condition.source == "answer":
                status = "ok" if truth else "no"
            elif formula.condition is not None:
                arguments.append(("x", 1 if truth else 2))
        found.append(Event(letter.tool, tuple(arguments), failed, message, status))
    return found


def check_core(world: World, happened: list[Event]) -> None:
    """The first lost step, and the core by the fixed order of deletion, against trying."""
    book = Rulebook(world.rules)
    tools = sorted({e.tool for e in world.letters if e.tool})
    trace = trace_of(happened)
    found = first_lost(book, tools, trace)
    items = list(events(trace.items))
    longest = depth(world)

    def lost(rules, prefix: list[Event], end: bool) -> bool:  # type: ignore[no-untyped-def]
        if end:
            return not all_kept(rules, prefix)
        return is_lost(world, rules, prefix, longest)

    steps = [k + 1 for k, e in enumerate(happened) if e.tool]
    first: object = None
    upto = len(happened)
    for number, size in enumerate([0, *steps]):
        if lost(world.rules, happened[:size], False):
            first, upto = number, size
            break
    else:
        if not all_kept(world.rules, happened):
            first = "end"
    assert (found[0] if found else None) == first, (world.rules, happened, found and found[0], first)
    if found is None:
        return
    core = find_core(book, tools, *found)
    rules, calls = list(world.rules), list(range(upto))
    while True:
        before = len(rules), len(calls)
        for rule in reversed(rules.copy()):
            rest = [r for r in rules if r is not rule]
            if lost(rest, [happened[k] for k in calls], first == "end"):
                rules = rest
        for k in reversed(calls.copy()):
            if happened[k].tool and lost(rules, [happened[j] for j in calls if j != k], first == "end"):
                calls.remove(k)
        if before == (len(rules), len(calls)):
            break
    number_of = {k: items[k][1] for k in range(len(items)) if isinstance(items[k][0], ToolCall)}
    expected = tuple(r.id for r in rules), tuple(number_of[k] for k in calls if k in number_of)
    assert (core.rules, core.steps) == expected, (world.rules, happened, core, expected)
    assert confirmed(book, tools, core, trace) is not False, (world.rules, happened, core)


def case(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    happened = world.trace(random)
    check_statuses(world, happened)
    check_states(world, happened)
    check_walk(world, happened)
    check_core(world, happened)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + count):
        try:
            case(seed)
        except BaseException:
            sys.stderr.write(f"seed {seed}\n")
            raise
    sys.stdout.write(f"{count} cases\n")


if __name__ == "__main__":
    main()
