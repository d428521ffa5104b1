"""A run with rules, behind the interface of judged runs: its answers are those of the rules' own judge and of the
table."""

from __future__ import annotations

from itertools import groupby
from random import Random

import pytest

from planscope.language.problem import Action, Problem
from planscope.oracle.judged import OwnJudge
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import Trace as CallTrace
from planscope.rules.core import find_core, first_lost
from planscope.rules.judge import Rulebook, known_tools
from planscope.rules.reading import read_rules
from planscope.rules.replay import RuledReplay, ruled
from planscope.rules.rule import RuleFile
from planscope.rules.steps import steps
from planscope.session.model import AnswerEvent, CallEvent, EndEvent, Event, MessageEvent, PromptEvent, Run
from planscope.session.oracle_input import trace_of
from planscope.traces.shape import Trace
from tests.rules import table
from tests.rules.table import as_items, kept
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
def test_it_answers_as_the_rules_judge_does(seed: int) -> None:
    random = Random(seed)
    world = make_world(random)
    happened = world.trace(random, 7)
    tools = sorted({e.tool for e in world.letters if e.tool})
    problem = ruled(NO_QUERY, RuleFile("", tuple(world.rules)), [Action(t, t, t) for t in tools])
    run = trace_of(run_of(happened))
    judged = replay(problem, run)
    assert isinstance(judged, RuledReplay)

    book, trace = Rulebook(world.rules), Trace("t", "test", as_items(happened))
    wanted = list(steps(book, trace))
    assert len(judged.steps) == len(wanted)
    for view, one in zip(judged.steps, wanted, strict=True):
        assert view.state == one.state, (seed, view.step)
        assert judged.statuses(view.index) == one.statuses, (seed, view.step)
        if one.step != "end":
            assert {move.action for move in judged.safe_moves(view.index)} <= {*tools, *one.safe_next}
            assert set(one.safe_next) & set(tools) == {m.action for m in judged.safe_moves(view.index)} & set(
                one.safe_next
            )
        changed = {c for c in problem.ids if view.index and _differs(judged, c, view.index)}
        assert set(view.changed) == changed if view.step != "end" else set(view.changed) <= changed
    for rule, id in zip(world.rules, problem.ids, strict=True):
        assert (judged.status(id, len(judged.steps) - 1) != "broken") == kept(rule, happened)

    lost = first_lost(book, known_tools(book, trace), trace)
    found = judged.verdict().first_violation
    assert (found is None) == (lost is None)
    if lost is not None and found is not None:
        core = find_core(book, known_tools(book, trace), *lost)
        assert (found.step, found.core.constraints, found.core.steps) == (core.step, core.rules, core.steps)
        assert found.core in judged.reasons().cores

    grown = replay(problem, CallTrace((), "running"))
    for call in run.calls:
        grown = grown.then(call)
    for view in grown.steps:
        assert view.state == judged.steps[view.index].state
        assert grown.statuses(view.index) == judged.statuses(view.index)


def _differs(run: RuledReplay, constraint: str, index: int) -> bool:
    return run.status(constraint, index) != run.status(constraint, index - 1)


def test_a_query_and_rules_must_both_hold() -> None:
    from planscope.language.problem import make_actions
    from planscope.language.reading import read_query
    from planscope.oracle.trace import Call

    actions = make_actions(["washing hands", "cooking", "eating"])
    query = read_query("Washing hands happens before cooking.", actions).problem
    file = read_rules("cooking comes before eating.\neating happens right after cooking.")
    problem = ruled(query, file)
    assert isinstance(problem, OwnJudge)
    assert [c.id for c in problem.said] == ["c1", "c2", "c3"]
    orders = {
        ("washing_hands", "cooking", "eating"): ("right", None),
        ("cooking", "eating", "washing_hands"): ("wrong", 1),  # the query is lost
        ("washing_hands", "eating", "cooking"): ("wrong", 2),  # a rule is broken
        ("cooking", "washing_hands", "eating"): ("wrong", 1),
        ("washing_hands", "cooking"): ("wrong", "end"),
    }
    for order, (verdict, lost) in orders.items():
        calls = tuple(Call(tool, {}) for tool in order)
        judged = replay(problem, CallTrace(calls))
        alone = Replay(query, CallTrace(calls))
        said = judged.verdict()
        assert said.verdict == verdict, order
        assert (said.first_violation.step if said.first_violation else None) == lost, order
        assert all(judged.status("c1", i) == alone.status("c1", i) for i in range(len(judged.steps)))
    begun = replay(problem, CallTrace((Call("washing_hands", {}),), "running"))
    assert {move.action for move in begun.safe_moves(1)} == {"a2"}  # the query alone allows eating, too


def test_a_clash_is_said_once() -> None:
    from planscope.language.problem import make_actions
    from planscope.language.reading import read_query
    from planscope.oracle.trace import Call
    from planscope.wording.explain import explain_verdict

    both = (Call("cooking", {}), Call("eating", {}))
    query = read_query("Cooking happens before eating.", make_actions(["cooking", "eating"])).problem
    judged = replay(ruled(query, read_rules("eating comes before cooking.")), CallTrace(both))
    said = explain_verdict(judged, judged.verdict())
    assert said.startswith("Step 1 (cooking) violates the rule “eating comes before cooking”. No sequence")
    assert said.count("each cooking needs eating before it") == 1
    assert judged.repair().reason == "no calls can keep both the query and the rules"
