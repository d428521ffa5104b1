"""Random rules and traces, judged and tried out: ``python -m tests.rules.many_cases 2000 [SEED]``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from planscope.oracle.trace import LeftOut, Said, Tool, ToolCall, Trace
from planscope.oracle.verdict_types import Move, SafeCall
from planscope.rules.beside import Rules, judged_trace
from planscope.rules.confirm import confirmed
from planscope.rules.core import find_core, play
from planscope.rules.future import Future
from planscope.rules.judge import Judge, Rulebook, events, judge_trace, known_tools
from planscope.rules.letters import Letter
from planscope.rules.rule import Rule, RuleFile
from planscope.rules.witness import safe_moves, witness
from tests.rules.brute import all_kept, continuation, depth
from tests.rules.table import Event, as_items, kept, tested
from tests.rules.worlds import World, make_world, over


def trace_of(happened: list[Event], letters: Sequence[Event] = ()) -> Trace:
    tools = {e.tool: Tool(e.tool, None, {"properties": {"id": {}}}) for e in (*letters, *happened) if e.tool}
    return Trace(as_items(happened), tools=tools, id="t", format="test")


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
            assert result.values_applicable == tested(result.rule, happened[:size]), (result, happened)
            assert result.applicable == (result.values_applicable > 0)


def seen(happened: list[Event], over: bool) -> list[Any]:
    """What the judge is told. ``over``: the last message is over."""
    told = list(events(as_items(happened)))
    return [*told, (Said("model", "", happened[-1].message + 1), len(told))] if over and happened else told


def is_lost(world: World, rules: list[Rule], prefix: list[Event], longest: int, over: bool) -> bool:
    """No continuation keeps the rules: none is found by trying, and the search says so too.

    Trying stops at ``longest`` events. A longer plan of the search counts once the table has confirmed it.
    """
    book = Rulebook(rules)
    tools = sorted({e.tool for e in world.letters if e.tool})
    found = Future(book, tools).of(play(book, seen(prefix, over)))
    assert found.possible is not None, (rules, prefix)
    if found.possible:
        assert all_kept(rules, prefix + plan_events(found.plan, prefix, over)), (rules, prefix, found)
        return False
    tried = continuation(world, rules, prefix, longest, over)
    assert tried is None, (rules, prefix, tried)
    return True


def check_states(world: World, happened: list[Event]) -> None:
    """Can the trace be continued, at every prefix?"""
    for size in range(len(happened) + 1):
        is_lost(world, world.rules, happened[:size], depth(world), over(happened, size))


def state_of(future: Future, judge: Judge) -> str:
    """The state after the events that a judge has seen, by one search."""
    if any(judge.rule_status(i) == "broken" for i in range(len(judge.book.rules))):
        return "broken"
    found = future.of(judge).possible
    return "unknown" if found is None else "completable" if found else "doomed"


def check_walk(world: World, happened: list[Event]) -> None:
    """A walk of the trace says of every step what judging each prefix anew says: states, statuses, safe tools."""
    book = Rulebook(world.rules)
    trace = trace_of(happened, world.letters)
    tools = known_tools(book, trace)
    run = judged_trace(RuleFile("", tuple(world.rules)), trace)
    for view in run.steps[:-1]:
        calls = [k for k, e in enumerate(as_items(happened)) if isinstance(e, ToolCall)]
        size = calls[view.index - 1] + 1 if view.index else 0
        judge = play(book, seen(happened[:size], over(happened, size)))
        future = Future(book, tools)
        assert view.state == state_of(future, judge), (world.rules, happened, view)
        expected = {rule.id: judge.rule_status(i) for i, rule in enumerate(book.rules)}
        assert run.statuses(view.index) == expected, (world.rules, happened, view)
        safe = safe_moves(future, judge, {t: Move(t) for t in tools}) if view.state == "completable" else ()
        assert {m.action for m in run.safe_moves(view.index)} == {call.tool for call in safe}, (
            happened,
            view,
        )


def plan_events(plan: Sequence[Letter], prefix: list[Event], over: bool = False) -> list[Event]:
    message = prefix[-1].message if prefix else 0
    found: list[Event] = []
    for letter in plan:
        message += letter.fresh or (over and not found)
        call = witness(letter, tuple(path for path, _ in letter.values)) if letter.tool else None
        assert call is not None or not letter.tool, letter
        found.append(Event("", message=message) if call is None else as_event(call, message))
    return found


def as_event(call: ToolCall | SafeCall, message: int) -> Event:
    """A call as an event; where any answer will do, with one that says nothing."""
    arguments = tuple((call.arguments or {}).items())
    if not call.answered:
        return Event(call.tool, arguments, None, message)
    data = json.loads(call.answer) if call.answer and call.answer[:1] == "{" else {}
    return Event(call.tool, arguments, bool(call.failed), message, data.get("status"))


def check_core(world: World, happened: list[Event]) -> None:
    """The first lost step, and the core by the fixed order of deletion, against trying."""
    trace = trace_of(happened, world.letters)
    rules_along = judged_trace(RuleFile("", tuple(world.rules)), trace).rules
    assert isinstance(rules_along, Rules)
    found = rules_along.loss
    items = list(events(trace.items))
    longest = depth(world)

    def lost(rules: list[Rule], prefix: list[Event], end: bool, over: bool) -> bool:
        if end:
            return not all_kept(rules, prefix)
        return is_lost(world, rules, prefix, longest, over)

    steps = [k + 1 for k, e in enumerate(happened) if e.tool]
    first: object = None
    upto = len(happened)
    for number, size in enumerate([0, *steps]):
        if lost(world.rules, happened[:size], False, over(happened, size)):
            first, upto = number, size
            break
    else:
        if not all_kept(world.rules, happened):
            first = "end"
    assert (found.step if found else None) == first, (world.rules, happened, found, first)
    if found is None:
        return
    core = find_core(found)
    assert core.constraints and found.first, (world.rules, happened, found)
    rules, calls, ends, last = list(world.rules), list(range(upto)), first == "end", over(happened, upto)
    while True:
        before = len(rules), len(calls)
        for rule in reversed(rules.copy()):
            rest = [r for r in rules if r is not rule]
            if lost(rest, [happened[k] for k in calls], ends, last):
                rules = rest
        for k in reversed(calls.copy()):
            if happened[k].tool and lost(rules, [happened[j] for j in calls if j != k], ends, last):
                calls.remove(k)
        if before == (len(rules), len(calls)):
            break
    number_of = {k: items[k][1] for k in range(len(items)) if isinstance(items[k][0], ToolCall)}
    expected = tuple(r.id for r in rules), tuple(number_of[k] for k in calls if k in number_of)
    assert (core.constraints, core.steps) == expected, (world.rules, happened, core, expected)
    assert confirmed(found, core) != "denied", (world.rules, happened, core)


def with_a_call(world: World, happened: Sequence[Event]) -> list[list[Event]]:
    """The trace with one more call, anywhere: in a message of its own, or in that of a call beside it."""
    spread = [event._replace(message=2 * event.message) for event in happened]
    found = []
    for place in range(len(spread) + 1):
        before, after = spread[:place], spread[place:]
        messages = {one.message for one in (*before[-1:], *after[:1]) if one.tool}
        if not (before and after and before[-1].message == after[0].message):
            messages.add(before[-1].message + 1 if before else -1)
        for letter in world.letters:
            if letter.tool:
                calls = [letter._replace(message=message) for message in messages]
                found += [[*before, call, *after] for call in calls]
    return found


def check_gaps(world: World, happened: list[Event], most: int = 4_000) -> tuple[int, int]:
    """A trace that lacks calls breaks a rule only if it does so with any one or two more calls. Return how many rules
    are called broken, and how many could be."""
    left_out = [LeftOut("not understood", "unknown", "messages[0]")]
    trace = replace(trace_of(happened, world.letters), left_out=left_out)
    results = judge_trace(Rulebook(world.rules), trace).results(trace)
    assert {result.state for result in results} <= {"broken", "unknown"}
    run = judged_trace(RuleFile("", tuple(world.rules)), trace)
    assert isinstance(run.rules, Rules)
    assert [one.state for one in run.rules.results] == [one.state for one in results]
    ones = with_a_call(world, happened)
    twos = [two for one in ones for two in with_a_call(world, one)]
    every = [happened, *ones, *Random(1).sample(twos, min(most, len(twos)))]
    called = could = 0
    for result in results:
        held = next((one for one in every if kept(result.rule, one)), None)
        called += result.state == "broken"
        could += held is None
        assert result.state != "broken" or held is None, (result, happened, held)
    assert run.verdict().verdict == ("wrong" if called else "unknown")
    broken = [view for view in run.steps if view.state == "broken"]
    assert bool(broken) == bool(called)
    assert {view.state for view in run.steps} <= {"broken", "unknown"}
    core = run.rules.core
    if core is not None:
        assert len(core.constraints) == 1
        some = [k for k, e in enumerate(as_items(happened)) if isinstance(e, Said) or e.step in core.steps]
        only = [rule for rule in world.rules if rule.id in core.constraints]
        part = [happened[k] for k in some]
        assert not any(all_kept(only, one) for one in (part, *with_a_call(world, part)))
    return called, could


def case(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    happened = world.trace(random)
    check_statuses(world, happened)
    check_states(world, happened)
    check_walk(world, happened)
    check_core(world, happened)
    check_gaps(world, happened, 300)


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
