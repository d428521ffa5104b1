"""A run with rules, behind the interface of judged runs: its answers are those of the table, and of its own walk."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from random import Random

import pytest

from planscope.language.problem import Action, Problem
from planscope.oracle.judged import Ruled
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import Tool, ToolCall, Trace
from planscope.rules.beside import judged_trace, ruled
from planscope.rules.reading import read_rules
from planscope.rules.rule import RuleFile
from planscope.session.model import AnswerEvent, CallEvent, EndEvent, Event, MessageEvent, PromptEvent, Run
from planscope.session.traces import trace_of
from tests.rules import table
from tests.rules.table import kept
from tests.rules.worlds import make_world

NO_QUERY = Problem((), (), unjudged="no query")


def run_of(happened: list[table.Event]) -> Run:
    """A recorded run with these events."""
    events: list[Event] = [PromptEvent(text="")]
    step = 0
    for _, message in groupby(happened, key=lambda e: (e.message, e.tool == "")):
        said = list(message)
        if said[0].tool == "":
            events += [MessageEvent(by="user", text="hello") for _ in said]
            continue
        events.append(MessageEvent())
        for event in said:
            step += 1
            events.append(CallEvent(step=step, tool=event.tool, arguments=dict(event.arguments)))
            if event.failed is not None:
                text = f'{{"status": "{event.status}"}}'
                events.append(AnswerEvent(step=step, text=text, status="error" if event.failed else "ok"))
    return Run(id="r1", variant="v1", agent="a", model="m", events=[*events, EndEvent(ending="stopped")])


@pytest.mark.parametrize("seed", range(40))
def test_it_answers_as_the_table_does(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    happened = world.trace(random, 7)
    tools = sorted({e.tool for e in world.letters if e.tool})
    actions = [Action(t, t, t) for t in tools]
    problem = ruled(replace(NO_QUERY, own={}), RuleFile("", tuple(world.rules)), actions)
    run = trace_of(run_of(happened))
    run.tools = {} if seed % 2 else {tool: Tool(tool) for tool in tools}
    judged = replay(problem, run)

    for view in judged.steps:
        changed = {c for c in problem.ids if view.index and _differs(judged, c, view.index)}
        assert set(view.changed) == changed if view.step != "end" else set(view.changed) <= changed
    for rule, id in zip(world.rules, problem.ids, strict=True):
        assert (judged.status(id, len(judged.steps) - 1) != "broken") == kept(rule, happened)

    found, first = judged.verdict().first_violation, judged.first_doomed
    assert (found is None) == (first is None)
    if found is not None:
        assert found.core in judged.reasons().cores
        assert judged.certify() is not False

    grown = replay(problem, Trace((), "running", tools=run.tools, id=run.id))
    for item in run.items:
        grown = grown.then(item)
    for view in grown.steps:
        assert view.state == judged.steps[view.index].state
        assert grown.statuses(view.index) == judged.statuses(view.index)


def _differs(run: Replay, constraint: str, index: int) -> bool:
    return run.status(constraint, index) != run.status(constraint, index - 1)


def test_a_query_and_rules_must_both_hold() -> None:
    from planscope.language.problem import make_actions
    from planscope.language.reading import read_query
    from planscope.oracle.trace import ToolCall

    actions = make_actions(["washing hands", "cooking", "eating"])
    query = read_query("Washing hands happens before cooking.", actions).problem
    file = read_rules("cooking comes before eating.\neating happens right after cooking.")
    problem = ruled(query, file)
    assert isinstance(problem, Ruled)
    assert [c.id for c in problem.said] == ["c1", "c2", "c3"]
    orders = {
        ("washing_hands", "cooking", "eating"): ("right", None),
        ("cooking", "eating", "washing_hands"): ("wrong", 1),  # the query is lost
        ("washing_hands", "eating", "cooking"): ("wrong", 2),  # a rule is broken
        ("cooking", "washing_hands", "eating"): ("wrong", 1),
        ("washing_hands", "cooking"): ("wrong", "end"),
    }
    for order, (verdict, lost) in orders.items():
        calls = tuple(ToolCall(tool, {}) for tool in order)
        judged = replay(problem, Trace(calls))
        alone = Replay(query, Trace(calls))
        said = judged.verdict()
        assert said.verdict == verdict, order
        assert (said.first_violation.step if said.first_violation else None) == lost, order
        assert all(judged.status("c1", i) == alone.status("c1", i) for i in range(len(judged.steps)))
    begun = replay(problem, Trace((ToolCall("washing_hands", {}),), "running"))
    assert {move.action for move in begun.safe_moves(1)} == {"a2"}  # the query alone allows eating, too


def test_a_clash_is_said_once() -> None:
    from planscope.language.problem import make_actions
    from planscope.language.reading import read_query
    from planscope.oracle.trace import ToolCall
    from planscope.wording.explain import explain_verdict

    both = (ToolCall("cooking", {}), ToolCall("eating", {}))
    query = read_query("Cooking happens before eating.", make_actions(["cooking", "eating"])).problem
    judged = replay(ruled(query, read_rules("eating comes before cooking.")), Trace(both))
    said = explain_verdict(judged, judged.verdict())
    assert said.startswith("Step 1 (cooking) violates the rule “eating comes before cooking”. No sequence")
    assert said.count("each cooking needs eating before it") == 1
    assert judged.repair().reason == "no calls can keep both the query and the rules"


def test_a_rule_by_an_argument_that_no_call_has_is_open_at_every_step() -> None:
    calls = [
        ToolCall("refund", {"order_id": 7}, step=1, message=1),
        ToolCall("lookup", {"oid": 7}, step=2, message=2),
    ]
    text = "lookup comes before refund for the same order_id."
    run = judged_trace(read_rules(text), Trace(calls, ending="running"))
    assert [(view.state, run.status("c1", view.index)) for view in run.steps] == [("unknown", "unknown")] * 3

    late = ToolCall("lookup", {"order_id": 8}, step=3, message=3)
    longer = run.then(late)
    assert [view.state for view in longer.steps] == ["completable", "broken", "broken", "broken"]
    assert longer.status("c1", 1) == "broken"

    two = judged_trace(read_rules(f"{text}\nrefund never happens."), Trace(calls, ending="running"))
    assert [view.state for view in two.steps] == ["unknown", "broken", "broken"]
    assert two.steps[1].core is not None and two.steps[1].core.constraints == ("c2",)


def test_a_rule_by_an_argument_that_no_call_has_yet_can_be_kept() -> None:
    """Only where the run seemed to be lost, the argument matters before the end."""
    lookup = ToolCall("lookup", {}, step=1, message=1, answered=True, answer="", failed=False)
    rules = read_rules("lookup comes before refund for the same order_id.")
    run = judged_trace(rules, Trace([lookup], ending="stopped"))
    assert [view.state for view in run.steps] == ["completable", "completable", "unknown"]
    assert [call.tool for call in run.safe_calls(1)] == ["lookup", "refund"]
