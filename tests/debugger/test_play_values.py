"""What-if play with rules: arguments and answers to choose from, and what the rules make of them."""

from __future__ import annotations

import json
from dataclasses import replace

from planscope.debugger.paused_call import PausedCall, judge_way
from planscope.debugger.play_values import Values, Way
from planscope.debugger.played import Played, begin, option_with, options, play
from planscope.oracle.replay import replay
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.beside import judged_trace
from planscope.rules.in_session import problem_in, with_rules
from planscope.rules.reading import read_rules
from planscope.session.locations import bundled
from planscope.session.mock_tools import as_run
from planscope.session.store import load
from planscope.session.traces import trace_of


def desk(number: int, index: int) -> Played:
    session = load(bundled()["returns-desk"])
    return begin(replay(problem_in(session, session.variants[0]), trace_of(session.runs[number])), index)


def tool(played: Played, name: str) -> str:
    return played.problem.action_by_tool[name].id


def test_a_played_call_has_the_arguments_and_the_answer_that_the_run_has() -> None:
    state = desk(0, 1)
    for name in ("inspect_item", "refund_payment", "notify_customer", "close_ticket"):
        found = next(o for o in options(state) if o.action == tool(state, name))
        assert found.way is not None and found.way.about.startswith("as at step") and found.safe, name
        state = play(state, found.action, None, found.way)
    assert state.view.state == "completable"
    assert {state.run.status(c, 5) for c in ("c1", "c2", "c3", "c4", "c5")} == {"kept_so_far"}


def test_rules_react_to_values_and_to_answers() -> None:
    state = desk(0, 2)
    refund = next(o for o in options(state) if o.action == tool(state, "refund_payment"))
    assert refund.safe and not refund.breaks
    new = next(way for way in refund.ways if way.about == "a new order_id")
    other = option_with(state, refund, new)
    assert other.becomes == "broken" and set(other.breaks) == {"c1", "c2"}
    told = judge_way(state, refund.action, new)
    assert told[0] == ("✗ This call violates a rule.", "broken")
    assert any("inspect violated" in text and "order_id new-1" in text for text, _ in told)

    state = desk(2, 1)
    inspect = tool(state, "inspect_item")
    sound = [text for text, _ in state.values.answers("inspect_item")]
    assert json.dumps({"condition": "fine"}) in sound
    order = {"order_id": "R-1002"}
    for condition, expected in (("fine", "completable"), ("broken", "broken")):
        after = play(state, inspect, None, Way(order, json.dumps({"condition": condition})))
        refund = next(o for o in options(after) if o.action == tool(state, "refund_payment"))
        assert refund.becomes == expected, condition


def test_after_a_rule_is_violated_only_what_is_new_is_told() -> None:
    found = {o.action: o for o in options(desk(2, 2))}
    again = found[tool(desk(2, 2), "get_order")]
    assert (again.becomes, again.breaks) == ("broken", ())


def test_a_kept_play_has_the_answers_that_were_played_and_own_tools_invent_none() -> None:
    session = load(bundled()["returns-desk"])
    state = desk(0, 1)
    made = play(state, tool(state, "inspect_item"), None, Way({"order_id": "x"}, "Error: no", True))
    made = play(made, tool(state, "close_ticket"), None, Way({}))
    run = as_run(session, session.runs[0], made)
    events = [(e.type, getattr(e, "text", "")) for e in run.events][-4:]
    assert events == [("call", ""), ("answer", "Error: no"), ("call", ""), ("end", "")]
    assert trace_of(run).calls[-2].failed


def test_values_of_rules_and_of_users_are_offered() -> None:
    rules = read_rules(
        'a user message with text containing "yes" comes before pay.\n'
        "pay with amount > 100 never happens.\nlook comes before pay for the same id as order."
    ).rules
    values = Values(Trace((ToolCall("look", {"id": 7}), ToolCall("list", {"order": 8})), "running"), rules)
    ways = values.ways("pay", 3)
    assert ways[0].arguments == {"order": 8}
    assert {one.arguments.get("amount") for one in ways} >= {101, 100}
    assert 9 in [one.arguments.get("order") for one in ways]
    assert values.hears_users and values.sayings() == ["yes"]


def test_a_condition_on_the_arguments_of_the_played_call_counts() -> None:
    session = with_rules(
        load(bundled()["returns-desk"]),
        "refund_payment with amount > 50 never happens.\nEvery refund_payment with amount > 20 is followed by "
        "inspect_item.\ninspect_item never happens after refund_payment.",
    )
    state = begin(replay(problem_in(session, session.variants[0]), trace_of(session.runs[0])), 1)
    refund = next(o for o in options(state) if o.action == tool(state, "refund_payment"))
    becomes = {n: option_with(state, refund, Way({"amount": n})).becomes for n in (51, 50, 20)}
    assert becomes == {51: "broken", 50: "doomed", 20: "completable"}


def test_what_is_violated_already_is_told_so() -> None:
    state = desk(2, 2)
    told = judge_way(state, tool(state, "get_order"), Way({"order_id": "R-1002"}))
    assert told == [("✗ The run is violated already.", "broken")]


def test_a_call_that_goes_on_with_a_message_is_played_as_the_run_made_it() -> None:
    """It knew no answer; the same call as a message of its own knows it, and so do calls with other values."""
    file = read_rules("write never happens after lock that failed.\nlog never happens.")
    lock = ToolCall("lock", {}, answer="Error: busy", answered=True, failed=True, message=0)
    write = ToolCall("write", {}, answer="done", answered=True, failed=False, message=0)
    run = judged_trace(file, Trace([lock, write], id="t"))
    state = begin(run, 1)
    made = next(o for o in options(state) if o.action == tool(state, "write"))
    assert made.way is not None and made.way.about == "as at step 2, in one message with the call before"
    assert made.safe and play(state, made.action, None, made.way).view.state == "completable"
    assert not option_with(state, made, Way()).safe
    assert play(state, made.action, None, Way()).view.state == "broken"
    log = next(o for o in options(state) if o.action == tool(state, "log"))
    assert log.becomes == "broken" and len(log.breaks) == 1
    assert PausedCall(run, 2, "write").judge("{}")[0][1] == "completable"
    apart = judged_trace(file, Trace([lock, replace(write, message=1)], id="t"))
    assert PausedCall(apart, 2, "write").judge("{}")[0][1] == "broken"
