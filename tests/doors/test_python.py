"""The Python interface answers what the commands print, whatever it is given."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

import planscope
from planscope.documents.judgement import RepairDocument
from planscope.errors import UserError
from planscope.session.locations import bundled
from planscope.session.store import load, save
from tests.cli.conftest import cli as cli
from tests.cli.support import Cli

CHAT = [
    {"role": "user", "content": "Cancel order 7"},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": 7}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "cancelled"},
]
LANGCHAIN = [
    HumanMessage("Cancel order 7"),
    AIMessage("", tool_calls=[{"name": "cancel", "args": {"id": 7}, "id": "1"}]),
    ToolMessage("cancelled", tool_call_id="1"),
]
RULES = "look first: look comes before cancel for the same id. Every cancel is followed by mail."


@pytest.fixture
def files(cli: Cli, tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run.json").write_text(json.dumps(CHAT))
    (tmp_path / "rules.txt").write_text(RULES)
    return "run.json", "rules.txt"


@pytest.mark.parametrize("name", ["check", "replay", "reasons", "repair"])
def test_a_session_gives_what_the_command_prints(cli: Cli, name: str) -> None:
    function: Callable[..., Any] = getattr(planscope, name)
    assert function("first-look").as_data() == cli(name, "first-look", "--json").json
    loaded = planscope.load("cause-terminal")
    assert loaded.is_session and len(loaded.runs) > 1
    first = loaded.runs[0]
    printed = cli(name, "cause-terminal", "--run", first, "--json").json
    answer = function(loaded, run=first)
    assert json.loads(json.dumps(answer.as_data())) == printed
    assert json.loads(answer.as_line()) == printed, "an answer can be asked twice"


def test_rules_give_what_the_commands_print(cli: Cli, files: tuple[str, str]) -> None:
    trace, rules = files
    printed = cli("check", trace, "--rules", rules, "--json").json
    assert planscope.check(trace, rules=Path(rules)).as_data() == printed
    assert planscope.check(trace, rules=RULES).as_data() == printed
    for more in ({}, {"changes": True}):
        replayed = cli("replay", trace, "--rules", rules, "--json", *(["--changes"] if more else [])).json
        assert planscope.replay(trace, rules=rules, **more).as_data() == replayed
    assert planscope.rules(rules).as_data() == cli("rules", "check", rules, "--json").json
    (one,) = printed["traces"]
    assert planscope.repair(trace, rules=rules).as_data() == one["repair"]
    reasons = planscope.reasons(trace, rules=rules)
    assert (reasons.step, reasons.state, reasons.complete) == (1, "broken", True)
    assert reasons.cores[0].constraints == one["first_violation"]["rules"]
    session = cli("check", "cause-terminal", "--rules", rules, "--json").json
    assert planscope.check("cause-terminal", rules=rules).as_data() == session


@pytest.mark.parametrize("messages", [CHAT, LANGCHAIN, {"messages": LANGCHAIN, "files": object()}])
def test_messages_are_judged_like_a_file(messages: Any) -> None:
    (found,) = planscope.check(messages, rules=RULES).traces
    assert (found.verdict, found.calls, found.rules[0].broken_at) == ("wrong", 1, [1])
    assert found.rules[0].value == "7"


def test_given_rules_stand_in_for_those_of_the_session(cli: Cli, tmp_path: Path) -> None:
    session = load(bundled()["first-look"])
    session.rules = "replica_procurement never happens."
    save(session, tmp_path / "ruled.planscope.json")
    assert planscope.check("ruled.planscope.json", run="r1").verdict == "wrong", "its own rules count"
    given = {"rules": "replica_procurement happens.", "run": "r1"}
    assert planscope.check("ruled.planscope.json", **given).traces[0].verdict == "right"
    (tmp_path / "rules.txt").write_text(given["rules"])
    assert cli("check", "ruled.planscope.json", "--rules", "rules.txt", "--run", "r1").status == 0


def test_explain_says_verdict_core_and_repair() -> None:
    said = planscope.explain(CHAT, rules=RULES)
    assert said.startswith("messages: WRONG. Step 1 (cancel) violates the rule “look first”")
    assert "core:\n  look first: look comes before cancel for the same id\n  step 1" in said
    assert "Nearest repair: remove step 1 (cancel)." in " ".join(said.split())
    said = planscope.explain("first-look")
    assert "core: c2, b3, step 2" in said and "nearest correct plan:" in said
    assert planscope.explain(CHAT).startswith("NOT JUDGED")


def test_hostile_text_is_safe_in_an_explanation() -> None:
    evil = [CHAT[0], {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {
        "name": "can\x1b]52;c;AAAA\x07cel\u202e", "arguments": "{}"}}]}]  # fmt: skip
    said = planscope.explain(evil, rules="The first call is look.")
    assert "can" in said and not {"\x1b", "\x07", "\u202e"} & set(said)


@pytest.mark.parametrize(
    "call,words",
    [
        (lambda: planscope.check("no such thing"), "there is no file no such thing"),
        (lambda: planscope.check(""), "the name is empty"),
        (lambda: planscope.check(7), "a source is a path, the name of a session, or messages, not int"),
        (lambda: planscope.check([]), "there are no messages"),
        (lambda: planscope.check([1, 2]), "messages: "),
        (lambda: planscope.check(CHAT, rules="no_such_file.txt"), "there is no file no_such_file.txt"),
        (lambda: planscope.check(CHAT, rules="A is followed by B."), "the rules cannot be read: line 1"),
        (lambda: planscope.check(CHAT, rules="# nothing"), "there is no rule in it"),
        (lambda: planscope.check(CHAT, rules=Path("gone.txt")), "gone.txt cannot be read"),
        (lambda: planscope.check(CHAT, rules=RULES, run="r9"), "there is no trace r9; the traces: messages"),
        (lambda: planscope.replay("first-look", run="r9"), "has no run 'r9'"),
        (lambda: planscope.reasons("first-look", step=99), "there is no step 99"),
        (lambda: planscope.repair("first-look", from_step=99), "there is no step 99"),
    ],
)
def test_wrong_input_is_one_clear_line(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(planscope.UserError) as caught:
        call()
    assert planscope.UserError is UserError
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_the_package_of_rules_is_the_function_and_nothing_is_imported_before() -> None:
    code = """
import sys, planscope
assert not [m for m in sys.modules if m.startswith("planscope.")]
assert set(planscope.__all__) <= set(dir(planscope))
import planscope.rules.rule
print(planscope.rules("a happens.").rules[0].kind)
heavy = ["langchain_core", "textual", "rich"]
planscope.check("first-look")
print([m for m in heavy if m in sys.modules])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split("\n")[:2] == ["existence", "[]"]


def test_ids_have_their_words() -> None:
    replayed, fixed = planscope.replay("first-look"), planscope.repair("first-look")
    step = replayed.steps[0]
    assert {*step.safe_next, *step.constraints} <= replayed.words.keys()
    assert [call.tool for call in step.safe_calls] == [replayed.words[a] for a in step.safe_next]
    assert replayed.words["c2"] == "docent training before school tour guidance"
    assert isinstance(fixed, RepairDocument) and fixed.order is not None
    assert fixed.tools == [replayed.words[a] for a in fixed.order]
    ruled = planscope.replay("returns-desk")
    assert ruled.words["c5"] == "close: close_ticket happens last"
