"""Rules that a model proposes from a policy: over a real socket, read, mended, tried, confirmed; hostile text."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planscope.agents.options import RunOptions
from planscope.agents.rule_writer import RulesNotDrafted, draft_rules, proposals_in
from planscope.cli import main
from planscope.rules.policy import rules_file
from planscope.rules.reading import read_rules
from tests.hostile import HOSTILE

from .wire.replies import Fail, Say
from .wire.server import WireServer

POLICY = """Look an order up before you cancel it.
Be polite.  Never refund twice. Always tell the
user afterwards."""
ANSWER = """<think>RULE: nothing comes before anything.</think>
POLICY: "Look an order up before you cancel it."
RULE: `get_order comes before cancel_order.`
POLICY: Be polite.
NONE: it is about words
**POLICY:** Always tell the user afterwards.
RULE: refund is followed by tell_user.
RULE: After refund, the sun rises.
POLICY: Ignore the policy.
RULE: refund never happens.
"""
MENDED = """RULE 1: Every refund is followed by tell_user.
NONE 2: the sun is no tool
RULE 9: a never happens.
"""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "LANGSMITH_GATEWAY", "OPENAI_ORG_ID", "OPENAI_PROXY"):
        monkeypatch.delenv(name, raising=False)


def chat(*tools: str) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for k, tool in enumerate(tools):
        call = {"id": f"c{k}", "type": "function", "function": {"name": tool, "arguments": "{}"}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{k}", "content": "fine"})
    return messages


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "policy.txt").write_text(POLICY)
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "a.json").write_text(json.dumps(chat("get_order", "cancel_order")))
    (runs / "b.json").write_text(json.dumps(chat("cancel_order", "refund")))
    return tmp_path


def test_what_cannot_be_read_is_sent_back_once() -> None:
    with WireServer([Say(ANSWER), Say(MENDED)]) as server:
        draft = draft_rules(
            POLICY, RunOptions(model="openai:local", base_url=server.base_url), ["get_order", "refund"]
        )
    asked, again = (request["messages"][0]["content"] for request in server.requests)
    assert (
        POLICY in asked
        and "get_order, refund" in asked
        and "RULE 1: refund is followed by tell_user." in again
    )
    assert "Every refund is followed by tell_user." in again, "the error shows both readings"
    assert [(one.policy, one.text, one.quoted) for one in draft.proposals] == [
        ("Look an order up before you cancel it.", "get_order comes before cancel_order.", True),
        ("Always tell the user afterwards.", "Every refund is followed by tell_user.", True),
        ("Ignore the policy.", "refund never happens.", False),
    ]
    assert draft.unread == [] and [(one.policy, one.why) for one in draft.unsaid] == [
        ("Be polite.", "it is about words"),
        ("Always tell the user afterwards.", "the sun is no tool"),
    ]


def test_what_stays_wrong_is_listed_and_nothing_is_asked_again() -> None:
    with WireServer([Say("RULE: the sun rises"), Say("I cannot.")]) as server:
        draft = draft_rules(POLICY, RunOptions(model="openai:local", base_url=server.base_url))
    assert draft.proposals == [] and draft.unread[0].why and len(server.requests) == 2
    with WireServer([Say("Sorry.")]) as server, pytest.raises(RulesNotDrafted, match="no line that begins"):
        draft_rules(POLICY, RunOptions(model="openai:local", base_url=server.base_url))
    with WireServer([Fail(401, "no")]) as server, pytest.raises(RulesNotDrafted):
        draft_rules(POLICY, RunOptions(model="openai:local", base_url=server.base_url))


def run(files: Path, *more: str, replies: tuple[str, ...] = (ANSWER, MENDED)) -> int:
    with WireServer([Say(reply) for reply in replies]) as server:
        policy, runs = str(files / "policy.txt"), str(files / "runs")
        return main(
            ["rules", "draft", policy, runs, "--model", "openai:local", "--base-url", server.base_url, *more]
        )


def test_each_rule_is_tried_on_the_traces(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(files, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["traces"] == 2
    first = document["proposals"][0]
    assert (first["tested"], first["kept"], first["broken"]) == (2, 1, ["b"])
    assert first["meanings"][0].startswith("Each cancel_order needs get_order before it")
    assert run(files) == 0
    assert "Be polite." in capsys.readouterr().out


def test_nothing_counts_before_the_user_said_yes(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = files / "rules.txt"
    assert run(files, "-o", str(target)) == 2 and not target.exists(), "nobody can be asked"
    assert "--yes" in capsys.readouterr().err
    answers = iter(["n", "what?", "y", "q"])
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert run(files, "-o", str(target)) == 0
    assert [rule.text for rule in read_rules(target.read_text()).rules] == [
        "Every refund is followed by tell_user"
    ]
    assert '# "Always tell the user afterwards."' in target.read_text()
    assert run(files, "-o", str(target), "--yes") == 0
    assert len(read_rules(target.read_text()).rules) == 3 and "# No rule was read:" in target.read_text()
    answers = iter(["q"])
    other = files / "other.txt"
    assert run(files, "-o", str(other)) == 0 and not other.exists()


def test_hostile_answers_do_no_harm(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = "".join(
        f"POLICY: {text}\nRULE: {text}\nRULE: a{k} comes before b. # {text}\nNONE: {text}\n"
        for k, text in enumerate(HOSTILE[:41])
    ).encode("utf-8", "replace")
    target = files / "rules.txt"
    words = answer.decode()
    assert run(files, "-o", str(target), "--yes", replies=(words, words)) == 0
    written = target.read_text()
    assert all(c.isprintable() or c == "\n" for c in written)
    read = [rule.text for rule in read_rules(written).rules]
    assert {"a0 comes before b", "a40 comes before b"} <= set(read)
    assert run(files, replies=(words, words)) == 0
    assert all(c.isprintable() or c == "\n" for c in capsys.readouterr().out)


def test_a_file_without_rules_is_empty() -> None:
    assert (
        rules_file([]) == "\n"
        and proposals_in("RULE:\n- rule: a never happens.\n")[0].text == "a never happens."
    )
