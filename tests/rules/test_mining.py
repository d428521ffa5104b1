"""Planted rules are found, hardly anything else is, and the rule that tells bad runs from good ones comes first."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from planscope.rules.checking import implied_by
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.mining import Mined, exact_test, mine
from planscope.rules.reading import read_rules
from planscope.rules.rule import Rule
from planscope.traces.shape import ToolCall, Trace
from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli

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
        calls.append(ToolCall(k + 1, tool, k, {"id": random.choice("xyz")} if tool in TOOLS[7:] else {}))
    return Trace("t", "test", list(calls))


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


@pytest.mark.parametrize("seed", [1, 2])
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
    from dataclasses import replace

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


def test_the_exact_test() -> None:
    assert exact_test(3, 0, 3, 3) == pytest.approx(1 / 20)
    assert exact_test(5, 0, 5, 0) == 1


def test_what_supports_a_rule() -> None:
    (rule,) = read_rules("a comes before b.").rules
    found = Mined(rule, (3, 4), (1, 2))
    assert (found.support, found.confidence, Mined(rule, (0, 0)).confidence) == (3, 0.75, 0.0)


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
