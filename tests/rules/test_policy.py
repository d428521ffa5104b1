"""Rules drafted from a policy without a model: its sentences, what is read of them, and why the others are not."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from planscope.cli import main
from planscope.documents.schemas import schema
from planscope.errors import UserError
from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.names import tools_of
from planscope.rules.policy import Proposal, read_policy, sentences_of
from planscope.rules.reading import read_rules
from planscope.rules.rule import names_of
from planscope.rules.words import sentence_of
from planscope.traces import open_traces
from tests.hostile import HOSTILE

SHARED = Path("/work/shared/traces")
TOOLS = frozenset({"get_order", "cancel_order", "refund", "think"})
POLICY = """# Shop agent

Call get_order before cancel_order.  Be polite and
brief. Never refund twice.
The agent must not think more than three times, even when a
customer is angry (see 2.1).

## Refunds

1. After refund, cancel_order is called.
2. Only refund if its status is "paid".
3. **At most one call at a time!**
* Approve comes before refund. Orders can only be cancelled once.
"""


def why(policy: str, tools: frozenset[str] = TOOLS) -> str:
    """Why the only sentence that is left out is no rule."""
    draft = read_policy(policy, tools)
    assert draft.proposals == []
    return [*draft.unread, *draft.unsaid][-1].why


def test_each_sentence_has_its_rule_or_why_there_is_none() -> None:
    draft = read_policy(POLICY, TOOLS)
    assert [(one.policy, one.text, one.below) for one in draft.proposals] == [
        ("Call get_order before cancel_order.", "get_order comes before cancel_order.", "Shop agent"),
        ("Never refund twice.", "refund happens at most once.", "Shop agent"),
        (
            "At most one call at a time!",
            "Any call happens at most once in a message.",
            "Shop agent > Refunds",
        ),
    ]
    assert [(one.policy, one.readings) for one in draft.unread] == [
        (
            "After refund, cancel_order is called.",
            ("Every refund is followed by cancel_order.", "refund comes before cancel_order."),
        )
    ]
    told = {one.policy: one.why for one in draft.unsaid}
    assert told["Be polite and brief."].startswith("it says nothing about calls")
    assert told["Approve comes before refund."] == "a rule could say it, but “Approve” is no known tool"
    assert 'whose "status" it is' in told['Only refund if its status is "paid".']
    assert "for each of several" in told["Orders can only be cancelled once."]
    assert len(told) == 5


def test_a_rule_is_exactly_what_the_reader_reads() -> None:
    for one in read_policy(POLICY, TOOLS).proposals:
        own = [sentence_of(rule) for rule in read_rules(one.policy.rstrip("!"), TOOLS).rules]
        assert one.text == " ".join(own) and [sentence_of(rule) for rule in one.rules] == own


@pytest.mark.parametrize(
    "policy,sentences",
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Wrapped at\nthis place, e.g. here. End", ["Wrapped at this place, e.g. here.", "End"]),
        ("get_order comes first\ncancel_order comes last", None),
        ("Get it first\nCancel it last", None),
        ("- one\n  goes on\n- two\n\n  own words", ["one goes on", "two", "own words"]),
        ("Version 1.2 of get.order is v2. Next", ["Version 1.2 of get.order is v2.", "Next"]),
        ("# Heading\n**Bold**\n---\n1) Text (it is so.) Next.", ["Text (it is so.)", "Next."]),
        ("a" * 70 + "\nOrder is glued", ["a" * 70 + " Order is glued"]),
    ],
)
def test_prose_is_parted_as_people_read_it(policy: str, sentences: list[str] | None) -> None:
    assert [one.text for one in sentences_of(policy, TOOLS)] == (sentences or policy.splitlines())


@pytest.mark.parametrize(
    "policy",
    [
        "Never do any of this:\n\n- refund after cancel_order.",
        "Never do any of this:\n- x:\n  - y\n- refund after cancel_order.",
        "Never do any of this:\n\nrefund after cancel_order.",
        "Never do this:\nrefund after cancel_order.",
        "- Unless you are told:\n  - refund after cancel_order.",
        "## What you must not do\n### Money\nrefund after cancel_order.",
        "**If the customer is new**\n\nrefund after cancel_order.",
        "Bad: refund after cancel_order.",
        "```\nrefund after cancel_order.\n```",
        "refund after cancel_order # on Sundays",
    ],
)
def test_what_may_limit_or_turn_a_sentence_keeps_it_out(policy: str) -> None:
    assert re.search("could be read as|may say more than a name does", why(policy))


@pytest.mark.parametrize(
    "policy",
    [
        "If the user is angry, refund never happens.",
        "In that case, refund never happens.",
        "For example, refund comes before think.",
        "It is not true that refund never happens.",
        "refund never happens on weekends.",
        "You could call refund before think.",
        "Should you refund before think?",
    ],
)
def test_a_part_of_a_sentence_is_no_rule(policy: str) -> None:
    assert why(policy)


def test_a_list_ends_what_its_first_words_say() -> None:
    policy = "Never do any of this:\n- refund after cancel_order.\n\nCall get_order before cancel_order."
    assert [one.text for one in read_policy(policy, TOOLS).proposals] == [
        "get_order comes before cancel_order."
    ]


def test_without_known_tools_only_what_is_written_like_one_is_one() -> None:
    draft = read_policy("get_order comes before `refund`. Apples come before pears. Be kind.", ())
    assert [one.text for one in draft.proposals] == ["get_order comes before refund."]
    assert all("say which tools there are" in one.why for one in draft.unsaid) and len(draft.unsaid) == 2


def test_a_policy_that_is_empty_or_too_long_is_refused() -> None:
    for policy, wrong in ((" \n", "empty"), ("a " * 100_001, "longer than 200,000")):
        with pytest.raises(UserError, match=wrong):
            read_policy(policy, TOOLS)


def test_hostile_text_makes_no_rule_and_takes_no_long_time() -> None:
    before = time.process_time()
    for text in (
        *HOSTILE[:60],
        "(" * 5_000,
        "a. " * 300,
        "- " * 3_000,
        '"' * 5_000,
        "*" * 5_000,
        "#" * 9_000,
    ):
        draft = read_policy(f"x {text}", TOOLS)
        for one in (*draft.proposals, *draft.unread, *draft.unsaid):
            assert one.policy.isprintable() and one.text.isprintable() and one.below.isprintable()
    assert time.process_time() - before < 60


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "policy.md").write_text(POLICY)
    (tmp_path / "tools.txt").write_text("\n".join(TOOLS))
    return tmp_path


def test_the_command_reads_without_a_model(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draft = ["rules", "draft", str(files / "policy.md"), "--tools", str(files / "tools.txt")]
    assert main(draft) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "“Never refund twice.” (below “Shop agent”) refund happens at most once." in shown
    assert "or in two ways: “After refund, cancel_order is called.” this could mean" in shown
    assert main([*draft, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    Draft202012Validator(schema("rules")).validate(document)
    assert document["by"] == "reader" and len(document["proposals"]) == 3
    assert document["unread"][0]["readings"][1] == "refund comes before cancel_order."
    target = files / "out.rules"
    assert main([*draft, "-o", str(target)]) == 2 and not target.exists(), "nobody can be asked"
    assert main([*draft, "-o", str(target), "--yes"]) == 0
    assert [rule.text for rule in read_rules(target.read_text()).rules] == [
        one.text.rstrip(".") for one in read_policy(POLICY, TOOLS).proposals
    ]


def test_a_session_names_the_tools_and_tries_the_rules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "policy.txt"
    policy.write_text("refund_payment at most once. lookup at most once.")
    assert main(["rules", "draft", str(policy), "--session", "returns-desk", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["traces"] == 3 and document["proposals"][0]["tested"] == 3
    assert "lookup" in document["unsaid"][0]["why"]


def test_a_policy_that_is_written_as_rules_is_drafted_whole() -> None:
    page = (Path(__file__).parents[2] / "docs" / "policies.md").read_text()
    rules = re.findall(r"- `(.*?)`\n", page.split("## The bank")[1])
    tools = {name for text in rules for name in names_of(read_rules(text).rules)}
    draft = read_policy("\n".join(f"- {text}" for text in rules), tools)
    wanted = {sentence_of(rule) for text in rules for rule in read_rules(text).rules}
    assert len(rules) > 25
    assert {sentence_of(rule) for one in draft.proposals for rule in one.rules} == wanted, draft.unsaid


@pytest.mark.parametrize(
    "policy,wanted",
    [
        ("Each order may be cancelled at most once.", "“order” is no known argument"),
        ("The order is cancelled.", "anyway"),
        ("refund at most once per day.", "“day” is no known argument"),
    ],
)
def test_a_rule_that_is_only_nearly_said_is_not_drafted(policy: str, wanted: str) -> None:
    assert wanted in why(policy)


def test_the_calls_of_traces_tell_the_arguments() -> None:
    call = ToolCall("refund", {"card": 1})
    policy = "refund at most once per card. refund at most once per order_id. refund with amount > 9 never happens."
    draft = read_policy(policy, TOOLS, [Trace([call])])
    assert [one.text for one in draft.proposals] == ["refund happens at most once for the same card."]
    assert ["“order_id”" in draft.unsaid[0].why, "“amount”" in draft.unsaid[1].why] == [True, True]


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared traces")
def test_nothing_of_a_real_policy_is_read_wrongly() -> None:
    tools = tools_of(open_traces([str(SHARED / "tau_retail_good.json")]))
    draft = read_policy((SHARED / "tau_retail_policy.txt").read_text(), tools)
    assert draft.proposals == [] and draft.unread == []
    told: dict[str, Proposal] = {one.policy: one for one in draft.unsaid}
    assert len(told) == 49
    assert all(one.endswith((".", "!!!")) for one in [*told][1:]) and not any("\n" in one for one in told)
    once = told["Exchange or modify order tools can only be called once."]
    assert "exchange_delivered_order_items, modify_pending_order_address" in once.why
