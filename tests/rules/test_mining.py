"""Planted rules are found, hardly anything else is, and the rule that tells bad runs from good ones comes first."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.checking import implied_by
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.mining import Mined, evidence, mine
from planscope.rules.reading import read_rules
from planscope.rules.rule import Rule
from planscope.traces import open_traces
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.nightly import nightly

ROOT = Path(__file__).resolve().parents[2]
RETAIL = Path(os.environ.get("PLANSCOPE_REAL_TRACES", ROOT.parent / "shared/traces")) / "tau_retail_good.json"
TOOLS = [f"tool_{k}" for k in range(9)]
PLANTED = """
tool_0 comes before tool_1.
Every tool_2 is followed by tool_3.
tool_5 never happens after tool_4.
tool_6 happens at most once.
tool_7 comes before tool_8 for the same id.
"""


def run(random: Random) -> Trace:
    calls = []
    for k in range(random.randint(6, 14)):
        tool = random.choice(TOOLS)
        calls.append(
            ToolCall(tool, {"id": random.choice("xyz")} if tool in TOOLS[7:] else {}, step=k + 1, message=k)
        )
    return Trace(list(calls), id="t", format="test")


def keeps(rules: tuple[Rule, ...], trace: Trace) -> bool:
    return all(r.state != "broken" for r in judge_trace(Rulebook(rules), trace).results(trace))


def runs(count: int, rules: tuple[Rule, ...], seed: int) -> list[Trace]:
    random = Random(seed)
    found: list[Trace] = []
    while len(found) < count:
        trace = run(random)
        if keeps(rules, trace):
            found.append(trace)
    return found


@pytest.mark.parametrize("seed", [1, *nightly(2)])
def test_planted_rules_are_found_and_hardly_others(seed: int) -> None:
    planted = read_rules(PLANTED).rules
    found = mine(runs(150, planted, seed))
    rules = [m.rule for m in found]

    def follows(rule: Rule, of: list[Rule]) -> bool:
        same = [r for r in of if r.per == rule.per]
        return implied_by(rule_alone(rule), [rule_alone(r) for r in same]) is not None

    for rule in planted:
        assert follows(rule, rules), rule.text
    strange = [rule.text for rule in rules if not follows(rule, list(planted))]
    assert len(strange) <= max(1, 0.05 * len(rules)), strange
    for one in found:
        (read,) = read_rules(one.rule.text).rules
        assert (read.kind, read.count, read.per) == (one.rule.kind, one.rule.count, one.rule.per)


def rule_alone(rule: Rule) -> Rule:
    return replace(rule, per=())


def test_the_rule_that_bad_runs_break_comes_first() -> None:
    rules = read_rules("tool_0 comes before tool_1.").rules
    good = runs(40, rules, 5)
    bad = [trace for trace in runs(200, (), 6) if not keeps(rules, trace)][:15]
    found = mine(good, bad)
    assert (
        found[0].rule.text == "tool_0 comes before tool_1." and found[0].p is not None and found[0].p < 0.001
    )
    assert found[0].bad[0] == 0


def calls(*tools: str, **arguments: str) -> Trace:
    """A trace of calls, each in a message of its own."""
    return Trace([ToolCall(tool, dict(arguments)) for tool in tools], id="t", format="test")


def test_runs_that_do_not_test_a_rule_are_no_evidence() -> None:
    """A tool that only hard tasks need: of the runs that call it, good and bad ones break the rule alike."""
    good = [calls("look_up", "answer_it")] * 83 + [
        calls(*["count_it", "look_up", "book_it", "count_it", "book_it"] * 5)
    ]
    bad = [calls("look_up", "answer_it")] * 93
    bad += [calls("book_it", "count_it")] * 18 + [calls("count_it", "book_it")] * 5
    found = {one.rule.text: one for one in mine(good, bad)}
    own = found["Every book_it has its own count_it before it."]
    assert (own.good, own.bad, own.p) == ((1, 1), (5, 23), 1.0)
    assert list(evidence(own, len(good), len(bad), ", first at step 1 in t")) == [
        "kept in the only good run that tests it, of 84",
        "violated in 18 of 23 bad runs that test it, of 116, first at step 1 in t, p = 1",
    ]


ORDER = "change_address never happens after change_items for the same order_id."


def about(*tools: str, order: str = "W1") -> Trace:
    """A run that looks a user up, and then makes these calls about one order."""
    first = ToolCall("find_user", {"name": "Ann"})
    others = [ToolCall(tool, {"order_id": order}) for tool in tools]
    return Trace([first, *others], id="t", format="test")


def test_the_rule_that_tells_good_from_bad_is_proposed_though_few_runs_test_it() -> None:
    """Once items were changed, the address cannot be: three of the bad runs try, and none of the good ones."""
    good = [about("get_order", "cancel_order"), about("get_order", "return_items")] * 15
    good += [about("get_order", "change_items")] * 10
    good += [about("get_order", "change_address", "change_items", order=f"W{k}") for k in range(3)]
    good += [about("get_order", "change_items", again) for again in ("change_items", "get_order") * 2]
    two = about("get_order", "change_items", "change_items")
    other = replace(about("get_order", "change_address", order="W2").calls[2], step=5, message=5)
    good.append(Trace([*two.calls, other], id="t", format="test"))  # another order's address
    bad = [about("get_order", "cancel_order"), about("get_order", "change_items")] * 8
    assert ORDER not in {one.rule.text for one in mine(good, bad)}
    bad += [about("get_order", "change_items", "change_address")] * 3
    (own,) = (one for one in mine(good, bad) if one.rule.text == ORDER)
    assert (own.good, own.bad) == ((5, 5), (0, 3)) and own.broken == 3


@pytest.mark.skipif(not RETAIL.exists(), reason="needs recordings of tau-bench")
@pytest.mark.nightly
def test_the_rule_about_orders_is_found_in_recorded_runs() -> None:
    """Bad are the runs that change address and items of an order, with the two calls swapped."""
    pair = ("modify_pending_order_address", "modify_pending_order_items")
    good, bad = list[Trace](), list[Trace]()
    for trace in open_traces([str(RETAIL)]):
        made = [call.tool for call in trace.calls]
        if set(pair) <= set(made):
            k, j = (made.index(tool) for tool in pair)
            one, other = trace.calls[k], trace.calls[j]
            swapped = {k: replace(other, step=one.step), j: replace(one, step=other.step)}
            bad.append(Trace([swapped.get(n, call) for n, call in enumerate(trace.calls)], id=trace.id))
        else:
            good.append(trace)
    text = f"{pair[0]} never happens after {pair[1]} for the same order_id."
    (own,) = (one for one in mine(good, bad) if one.rule.text == text)
    assert (own.good, own.bad, len(good)) == ((3, 3), (0, 3), 70)


def shop(number: int, status: str, change: str) -> Trace:
    """A run that looks an order up, changes it as its status allows, and pays with what its user has. What else it does
    differs, and when."""
    order, card = f"W{number:04}", f"card_{number:04}"

    def look(id: str, had: str) -> ToolCall:
        return ToolCall("get_order", {"order_id": id}, answer=json.dumps({"status": had}), answered=True)

    user = ToolCall("get_user", {"user_id": f"u{number:04}"}, answered=True)
    made = [replace(user, answer=json.dumps({"cards": {card: {"kind": "visa"}}})), look(order, status)]
    made += [look(f"V{number:04}", "sent")] * (number % 3) + [ToolCall("think", {}, answered=True)] * (
        number % 2
    )
    Random(number).shuffle(made)
    made.append(ToolCall(change, {"order_id": order, "card": card}, answer="done", answered=True))
    return Trace(made, id=f"t{number}", format="test")


def test_rules_about_answers_are_found() -> None:
    good = [shop(k, *(("pending", "cancel"), ("delivered", "give_back"))[k % 2]) for k in range(30)]
    found = {one.rule.text: one.rule for one in mine(good)}
    text = "cancel only with card among the latest get_user's cards."
    (read,), rule = read_rules(text).rules, found[text]
    assert (read.kind, read.against, read.count) == (rule.kind, rule.against, rule.count)
    assert not keeps(
        (rule,), Trace([*shop(1, "pending", "look").calls, ToolCall("cancel", {"card": "card_0002"})])
    )


def test_an_accident_of_one_run_is_not_trusted() -> None:
    """All runs but one look first. The last one would be judged wrong by rules from the others."""
    good = [calls("hello", "look_up", "cut_it") for _ in range(20)]
    assert any({"look_up", "cut_it"} == {calls.name for calls in one.rule.sets} for one in mine(good))
    several = [calls("hello", "look_up", f"cut_{k}") for k in range(10) for _ in range(8)]
    other = [calls("hello", f"cut_{k}", "look_up") for k in range(8)]
    accused = [
        one.rule.text for one in mine(several + other) if one.rule.text.startswith("look_up comes before")
    ]
    assert accused == []


def test_runs_that_do_not_tell_are_no_evidence() -> None:
    """The arguments of the bad runs were not captured."""
    good = [calls("look_up", "cut_it", id=f"{k}") for k in range(20)]
    bad = [
        Trace([ToolCall("cut_it", None), ToolCall("look_up", None)], id="t", format="test") for _ in range(20)
    ]
    for one in mine(good, bad):
        assert not one.rule.per or (one.bad == (0, 0) and one.p == 1), one.rule.text


def test_the_words_of_the_evidence() -> None:
    (rule,) = read_rules("a comes before b.").rules
    assert list(evidence(Mined(rule, (8, 8)), 8, 0)) == ["kept in all 8 good runs that test it"]
    one = Mined(rule, (8, 8), (0, 1), 0.111)
    assert list(evidence(one, 8, 1, ", first at step 1 in r1"))[1] == (
        "violated in the bad run, first at step 1 in r1, p = 0.11"
    )
    assert list(evidence(Mined(rule, (8, 8), (1, 1), 1.0), 8, 1))[1] == "kept in the bad run, p = 1"
    assert list(evidence(Mined(rule, (8, 8), (0, 0), 1.0), 8, 3))[1] == "no bad run tests it"


def test_what_supports_a_rule() -> None:
    (rule,) = read_rules("a comes before b.").rules
    found = Mined(rule, (3, 4), (1, 2))
    assert (found.support, found.broken, found.confidence) == (3, 1, 0.75) and not Mined(
        rule, (0, 0)
    ).confidence


def test_the_command(cli: Cli, tmp_path: Path) -> None:
    from tests.rules.test_check import chat

    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("".join(json.dumps(chat("look_up", "cut_it", f"tool_{k}")) + "\n" for k in range(12)))
    bad.write_text("".join(json.dumps(chat("cut_it", "look_up", f"tool_{k}")) + "\n" for k in range(12)))
    done = cli("rules", "mine", str(good), "--bad", str(bad), "--json")
    assert done.status == 0
    first = done.json["rules"][0]
    assert {"look_up", "cut_it"} <= set(first["text"].replace(".", "").split()) and first["p"] < 0.01
    assert cli("rules", "mine", str(good)).status == 0


def paying(random: Random, wrong: bool = False) -> Trace:
    """A run that looks at customers and items, and pays by a method of the last customer for any of these items."""
    items: list[ToolCall] = []
    seen: list[str] = []
    methods: list[str] = []
    for _ in range(random.randint(2, 5)):
        item = f"item_{random.randint(1000, 9999)}"
        seen.append(item)
        items.append(ToolCall("get_item", {}, answer=json.dumps({"parts": [{"id": item}]}), answered=True))
        methods = [f"card_{random.randint(1000, 9999)}", "cash"]
        answer = json.dumps({"methods": dict.fromkeys(methods, 1), "name": "x"})
        items.append(ToolCall("get_user", {}, answer=answer, answered=True))
    given = {"method": "card_77777" if wrong else methods[0], "items": seen, "note": "in a hurry"}
    return Trace([*items, ToolCall("pay", given, answer="ok", answered=True)], id="t", format="test")


def test_arguments_that_answers_had_are_found() -> None:
    random = Random(3)
    good, bad = [paying(random) for _ in range(20)], [paying(random, True) for _ in range(5)]
    found = {one.rule.text: one for one in mine(good, bad) if one.rule.kind == "compared"}
    methods = "pay only with method among the latest get_user's methods."
    assert set(found) == {methods, "pay only with items among an earlier get_item's parts.*.id."}
    assert found[methods].bad == (0, 5) and found[methods].support == 20
    for text in found:
        (rule,) = read_rules(text).rules
        assert rule.against == found[text].rule.against and all(keeps((rule,), trace) for trace in good)


def test_answers_that_were_not_captured_are_no_evidence() -> None:
    random = Random(4)
    silent = [
        Trace([replace(call, answer=None) for call in paying(random).calls], id="t", format="test")
        for _ in range(9)
    ]
    assert not [one for one in mine(silent) if one.rule.kind == "compared"]
