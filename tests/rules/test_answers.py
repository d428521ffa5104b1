"""Rules that compare arguments with answers, and rules about messages, against trying everything; their sentences."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planscope.language.calls import ASSISTANT, Against, Compare
from planscope.language.errors import ParseFailure
from planscope.oracle.trace import Said, Tool, ToolCall, Trace
from planscope.oracle.verdict_types import SafeCall
from planscope.rules.beside import Rules, judged_trace
from planscope.rules.checking import examine
from planscope.rules.confirm import confirmed
from planscope.rules.core import find_core, play
from planscope.rules.future import Future
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.many import check_many
from planscope.rules.reading import read_rules
from planscope.rules.repair import repair
from planscope.rules.report import CheckOptions
from planscope.rules.rule import Rule, RuleFile
from planscope.rules.words import sentence_of
from tests.nightly import nightly, rounds
from tests.rules.brute import all_kept, continuation, depth
from tests.rules.many_cases import as_event, check_statuses, plan_events, seen, trace_of
from tests.rules.many_repairs import Case, applied
from tests.rules.table import Event, kept
from tests.rules.worlds import World, make_world, over

MODES = ("compared", "compared", "message")


def world_of(seed: int) -> tuple[World, list[Event], Random]:
    random = Random(seed)
    world = make_world(random, modes=MODES)
    return world, world.trace(random, 5), random


@pytest.mark.parametrize("first", range(0, rounds(150, 400), 50))
def test_the_judge_and_the_table_agree(first: int) -> None:
    for seed in range(first, first + 50):
        world, happened, _ = world_of(seed)
        check_statuses(world, happened)


@pytest.mark.parametrize(
    ("first", "many"), [(0, 6), (160, 6), *nightly(*((first, 40) for first in range(0, 240, 40)))]
)
def test_what_is_said_of_the_future_is_true(first: int, many: int) -> None:
    """No lost trace can be continued, each plan keeps the rules, each safe call does, and Z3 denies no core."""
    said = {True: 0, False: 0, None: 0}
    for seed in range(first, first + many):
        world, happened, _ = world_of(seed)
        book = Rulebook(world.rules)
        tools = sorted({e.tool for e in world.letters if e.tool})
        run = judged_trace(RuleFile("", tuple(world.rules)), trace_of(happened, world.letters))
        for size in range(len(happened) + 1):
            done = over(happened, size)
            found = Future(book, tools).of(play(book, seen(happened[:size], done)))
            said[found.possible] += 1
            if found.possible is False:
                tried = continuation(world, world.rules, happened[:size], depth(world, 2_000), done)
                assert tried is None, (world.rules, happened[:size], tried)
            elif found.possible:
                after = happened[:size] + plan_events(found.plan, happened[:size], done)
                assert all_kept(world.rules, after), (world.rules, happened[:size], found)
        assert isinstance(run.rules, Rules)
        for view in run.steps[:-1]:
            calls = [k for k, e in enumerate(happened) if e.tool]
            size = calls[view.index - 1] + 1 if view.index else 0
            for safe in run.rules.safe_calls(view.index, ()):
                assert isinstance(safe, SafeCall)
                message = happened[size - 1].message + 1 if size else 0
                after = [*happened[:size], as_event(safe, message)]
                found = Future(book, tools).of(play(book, seen(after, True)))
                assert found.possible, (world.rules, after)
        loss = run.rules.loss
        if loss is not None:
            core = find_core(loss)
            proof = confirmed(loss, core)
            assert proof != "denied", (world.rules, happened, core)
    assert said[True] and said[False]


def test_z3_confirms_whole_traces_and_cores() -> None:
    """The formula that Z3 reads says what the table says, and often enough it is asked."""
    from planscope.rules.confirm import kept_confirmed

    asked = 0
    for seed in range(rounds(60, 150)):
        world, happened, _ = world_of(seed)
        for rule in world.rules:
            if rule.kind in ("compared", "in_message", "together"):
                said = kept_confirmed(Rulebook([rule]), trace_of(happened))
                asked += said in ("confirmed", "denied")
                if said in ("confirmed", "denied"):
                    assert (said == "confirmed") is kept(rule, happened), (rule, happened)
    assert asked > rounds(36, 100)


def test_repairs_keep_the_rules() -> None:
    told: dict[str, int] = {}
    for seed in range(rounds(80, 250)):
        world, happened, random = world_of(seed)
        if all_kept(world.rules, happened):
            continue
        book = Rulebook(world.rules)
        tools = sorted({e.tool for e in world.letters if e.tool})
        found = repair(book, tools, trace_of(happened))
        told[found.reason[:12]] = told.get(found.reason[:12], 0) + 1
        if found.reason or found.inserted:
            continue  # an inserted call may need an answer that agrees, which nobody can promise
        after = applied(Case(world, happened, frozenset()), found, random)
        assert all_kept(world.rules, after), (world.rules, happened, found)
    assert told[""] > sum(told.values()) / 2, told


def test_nothing_is_said_to_be_implied_by_what_answers_decide() -> None:
    rules = read_rules(
        "get_order comes before refund.\nrefund.amount is at most the latest get_order's total."
    ).rules
    found = examine(rules)
    assert found.contradiction is None and found.implied == (("c1", ("c2",)),)


TOOLS = ("refund", "get_order", "get_user", "exchange")
READ = {
    "exchange only with method among the latest get_user's methods.": Against(
        ("method",), "among", ("methods",)
    ),
    "exchange only with method not among the latest get_user's methods.": Against(
        ("method",), "not among", ("methods",)
    ),
    "exchange only with items among items.*.id of the latest get_order.": Against(
        ("items",), "among", ("items", "*", "id")
    ),
    "refund.amount is at most the latest get_order's total, for the same order_id.": Against(
        ("amount",), "<=", ("total",)
    ),
    "The amount of a refund must not exceed the latest get_order's total.": Against(
        ("amount",), "<=", ("total",)
    ),
    "refund may only be called with amount in dollars equal to the latest get_order's total.": Against(
        ("amount",), "=", ("total",), "dollars"
    ),
    "refund only with amount at most 100 times the number of passengers of the latest get_order.": Against(
        ("amount",), "<=", ("\0number", "passengers"), "", 100
    ),
    "refund.amount is at least the sum of items.*.price of the latest get_order.": Against(
        ("amount",), ">=", ("\0sum", "items", "*", "price")
    ),
    "refund.at is within 24 hours of the latest get_order's created_at.": Against(
        ("at",), "within", ("created_at",), "", 86_400
    ),
    "refund.to must be the latest get_order's paid[0].by.": Against(("to",), "=", ("paid", 0, "by")),
    "refund.to must not be the last get_order's paid.": Against(("to",), "!=", ("paid",)),
    "refund.to is answer of the latest get_user.": Against(("to",), "=", ()),
    "exchange only with items among variants.*.id with free = true of an earlier get_order.": Against(
        ("items",),
        "among",
        ("variants", "*", "id"),
        where=Compare("answer", ("free",), "=", True),
        every=True,
    ),
    "exchange only with old and new pairwise among an earlier get_user's variants.": Against(
        ("old",), "among", ("variants",), every=True, pair=("new",)
    ),
    "exchange only with id part of the latest assistant message.": Against(("id",), "part of", ()),
}


@pytest.mark.parametrize("sentence", READ)
def test_sentences_that_compare(sentence: str) -> None:
    (rule,) = read_rules(sentence, TOOLS).rules
    assert rule.kind == "compared" and rule.against == READ[sentence]
    for tools in (TOOLS, ()):
        (again,) = read_rules(sentence_of(rule), tools).rules
        assert (again.kind, again.against, again.per) == (rule.kind, rule.against, rule.per)


@pytest.mark.parametrize(
    "words,digits",
    [
        (
            "exchange only with the number of items at most three",
            "exchange only with the number of items at most 3",
        ),
        ("exchange with count above twelve never happens", "exchange with count above 12 never happens"),
        ("exchange may only be called with count at least one", "exchange only with count at least 1"),
        ("exchange happens at most three times", "exchange happens at most 3 times"),
    ],
)
def test_a_number_may_be_a_word(words: str, digits: str) -> None:
    (one,), (other,) = (read_rules(text, TOOLS).rules for text in (words, digits))
    assert sentence_of(one) == sentence_of(other)


def test_the_latest_that_succeeded() -> None:
    (rule,) = read_rules("refund.amount is the latest successful get_order's total.", TOOLS).rules
    (again,) = read_rules(
        "refund.amount is equal to total of the latest get_order that succeeded.", TOOLS
    ).rules
    assert rule.first[0].outcome == again.first[0].outcome == "succeeded" and rule.against == again.against


@pytest.mark.parametrize(
    "sentence",
    [
        "refund only with amount among.",
        "refund.amount is at most the latest.",
        "refund.at is within 24 of the latest get_order's created_at.",
        'cancel only if the latest user message matches "(a)\\1".',
        'cancel only if the latest user message matches "(?=a)".',
        "refund happens once per items.*.id.",
        "refund.amount contains the latest get_order's total.",
        "At most one user message at a time.",
        "refund happens at most once in a turn.",
        f"refund with {'.'.join('a' * 1_100)} = 1 never happens.",
        f"refund only with a{'.*' * 1_100} among the latest get_order's x.",
    ],
)
def test_what_is_refused(sentence: str) -> None:
    with pytest.raises(ParseFailure):
        read_rules(sentence, (*TOOLS, "cancel"))


def judged(rules: str, *items: ToolCall | Said) -> list[str]:
    trace = Trace(list(items))
    return [one.state for one in judge_trace(Rulebook(read_rules(rules).rules), trace).results(trace)]


def call(tool: str, answer: object = "ok", message: int = -1, /, **given: object) -> ToolCall:
    text = answer if answer is None or isinstance(answer, str) else json.dumps(answer)
    return ToolCall(tool, given, answer=text, answered=True, failed=text == "Error", message=message)


AT_MOST = "refund.amount is at most the latest get_order's total."


@pytest.mark.parametrize(
    "items,state",
    [
        ((call("get_order", {"total": 50}), call("refund", amount=50)), "kept"),
        ((call("get_order", {"total": 50}), call("refund", amount=51)), "broken"),
        ((call("get_order", {"total": 50}), call("refund", amount="50")), "broken"),
        ((call("refund", amount=1),), "broken"),
        ((call("get_order", {"price": 50}), call("refund", amount=1)), "broken"),
        ((call("get_order", "Error"), call("refund", amount=1)), "broken"),
        ((call("get_order", None), call("refund", amount=1)), "unknown"),
        ((call("get_order", {"total": 9}), call("get_order", None), call("refund", amount=99)), "unknown"),
        ((call("get_order", {"total": 9}, 1), call("refund", "ok", 1, amount=1)), "broken"),
        ((call("get_order", None), call("get_order", {"total": 9}), call("refund", amount=9)), "kept"),
        ((call("get_order", {"total": 9}),), "not_applicable"),
    ],
)
def test_what_was_not_captured_is_unknown(items: tuple[ToolCall, ...], state: str) -> None:
    assert judged(AT_MOST, *items) == [state]


def test_all_earlier_answers_may_count() -> None:
    rule = "swap only with to among items.*.id with free = true of an earlier get_item."
    items = (
        call("get_item", {"items": [{"id": 1, "free": True}, {"id": 2, "free": False}]}),
        call("get_item", {"items": {"x": {"id": 3, "free": True}}}),
    )
    assert judged(rule, *items, call("swap", to=[1, 3])) == ["kept"]
    assert judged(rule, *items, call("swap", to=[1, 2])) == ["broken"]
    assert judged(rule, *items, call("get_item", None), call("swap", to=[1, 3])) == ["kept"]
    assert judged(rule, *items, call("get_item", None), call("swap", to=[2])) == ["unknown"]
    assert judged(rule, *items, call("get_item", "Error"), call("swap", to=[1])) == ["kept"]
    assert judged(rule.replace("an earlier", "the latest"), *items, call("swap", to=[1])) == ["broken"]


def test_two_lists_in_pairs() -> None:
    rule = "swap only with old and new pairwise among an earlier get_product's variants."
    items = call("get_product", {"variants": {"a": 1, "b": 1}}), call("get_product", {"variants": ["x", "y"]})
    assert judged(rule, *items, call("swap", old=["a", "x"], new=["b", "y"])) == ["kept"]
    assert judged(rule, *items, call("swap", old=["a", "x"], new=["y", "b"])) == ["broken"]
    assert judged(rule, *items, call("swap", old=["a", "x"], new=["b"])) == ["broken"]
    assert judged(rule, *items, call("swap", old=[], new=[])) == ["broken"]


def test_an_argument_may_be_named_in_a_message() -> None:
    rule = "cancel only with id part of the latest assistant message."
    said = Said("model", "Shall I cancel order #7?"), Said("user", "yes")
    assert judged(rule, *said, call("cancel", id="#7")) == ["kept"]
    assert judged(rule, *said, call("cancel", id="#8")) == ["broken"]
    assert judged(rule, said[1], call("cancel", id="#7")) == ["broken"]
    assert judged(rule, *said, Said("model", "Fine.", 5), call("cancel", "ok", 5, id="#7")) == ["kept"]


def test_failures_are_skipped_where_the_rule_says_so() -> None:
    items = call("get_order", {"total": 9}), call("get_order", "Error"), call("refund", amount=9)
    assert judged(AT_MOST, *items) == ["broken"]
    assert judged("refund.amount is at most the latest successful get_order's total.", *items) == ["kept"]


def test_the_latest_messages() -> None:
    rules = (
        'asked: cancel only if the latest user message has a word of ["yes", "sure"].\n'
        'told: cancel only if the latest assistant message contains "cancel".\n'
        'code: cancel only if the latest user message matches "\\b[0-9]{4}$".\n'
    )
    said = Said("model", "Shall I cancel it?"), Said("user", "Yes: 1234"), call("cancel")
    assert judged(rules, *said) == ["kept", "kept", "kept"]
    assert judged(rules, *said[:2], Said("user", "yesterday"), call("cancel")) == ["broken", "kept", "broken"]
    assert judged(rules, Said("user", "SURE"), call("cancel")) == ["kept", "broken", "broken"]


def test_one_call_at_a_time_and_no_text_beside_it() -> None:
    rules = "Only one call at a time.\nNo call in the same message as an assistant message."
    assert [rule.kind for rule in read_rules(rules).rules] == ["in_message", "together"]
    assert read_rules(rules).rules[1].then[0].name == ASSISTANT
    assert judged(rules, Said("model", "I look"), call("a"), call("b")) == ["kept", "kept"]
    assert judged(rules, Said("model", "I look", 3), call("a", "ok", 3)) == ["kept", "broken"]
    assert judged(rules, call("a", "ok", 3), call("b", "ok", 3)) == ["broken", "kept"]
    assert judged(rules, Said("model", " ", 3), call("a", "ok", 3)) == ["kept", "kept"]


def test_a_safe_call_agrees_with_the_answer() -> None:
    trace = Trace(
        [call("get_order", {"total": 50, "methods": {"card_1": 1}})],
        tools={name: Tool(name) for name in ("get_order", "refund")},
        ending="running",
    )
    rules = f"{AT_MOST}\nrefund only with method among the latest get_order's methods."
    run = judged_trace(read_rules(rules), trace)
    assert isinstance(run.rules, Rules)
    safe = {one.tool: one.arguments for one in run.rules.safe_calls(1, ())}
    assert safe["refund"] == {"amount": 50, "method": "card_1"}
    assert "refund" not in {one.tool for one in run.rules.safe_calls(0, ())}


def test_a_lost_step_is_said_only_where_it_is_sure() -> None:
    """The refund is owed, and only an answer that comes later can allow it; that it may come is not known."""
    rules = f"Every ask is followed by refund.\n{AT_MOST}"
    trace = Trace([call("ask"), call("get_order", {"price": 1})], ending="running")
    run = judged_trace(read_rules(rules), trace)
    assert [view.state for view in run.steps] == ["completable", "unknown", "unknown"]
    never = judged_trace(
        read_rules(f"{rules}\nget_order never happens after ask."), replace(trace, items=trace.items[:1])
    )
    assert [view.state for view in never.steps] == ["completable", "doomed"]


def test_large_files_are_judged_by_the_judge(tmp_path: Path) -> None:
    """The tables leave such rules to it: what they say is the same."""
    rows = []
    for k in range(30):
        answer = json.dumps({"total": 10})
        asked = [("get_order", {"n": 1}, answer), ("refund", {"amount": k}, "ok")]
        messages: list[dict[str, object]] = [{"role": "user", "content": "yes" if k % 2 else "no"}]
        for n, (tool, given, said) in enumerate(asked):
            made = {
                "id": str(n),
                "type": "function",
                "function": {"name": tool, "arguments": json.dumps(given)},
            }
            content = "I look" if k % 3 == 0 else None
            messages += [{"role": "assistant", "content": content, "tool_calls": [made]}]
            messages += [{"role": "tool", "tool_call_id": str(n), "content": said}]
        rows.append(json.dumps({"id": f"t{k}", "messages": messages}))
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join(rows), encoding="utf-8")
    text = (
        f'{AT_MOST}\nrefund only if the latest user message contains "yes".\n'
        "No call in the same message as an assistant message.\nOnly one call at a time."
    )
    found = list(check_many([str(path)], read_rules(text), CheckOptions(details=0), lambda line: None))
    states = [[one.state for one in judged.checked.results] for judged in found]
    expected = [
        [
            "kept" if k <= 10 else "broken",
            "kept" if k % 2 else "broken",
            "kept" if k % 3 else "broken",
            "kept",
        ]
        for k in range(30)
    ]
    assert [[s.replace("not_applicable", "kept") for s in one] for one in states] == expected


def test_calls_that_were_not_understood_leave_it_open() -> None:
    from planscope.oracle.trace import LeftOut

    rule: tuple[Rule, ...] = read_rules(AT_MOST).rules
    trace = Trace(
        [call("get_order", {"total": 5}), call("refund", amount=9)],
        left_out=[LeftOut("not understood", "no name", "messages[1]")],
    )
    assert [one.state for one in judge_trace(Rulebook(rule), trace).results(trace)] == ["unknown"]
