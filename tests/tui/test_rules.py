"""A person's path: a failing run in OpenAI chat format, without rules, to "this call should have come first"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual import events

from planscope.oracle.trace import ToolCall, Trace
from planscope.rules.in_session import set_rules
from planscope.session.store import load, save
from planscope.session.traces import session_of
from planscope.traces import open_traces
from tests.agents.wire.replies import Say
from tests.agents.wire.server import WireServer
from tests.tui.screen import opened


def call(number: int, tool: str) -> list[dict[str, Any]]:
    function = {"name": tool, "arguments": '{"order_id": 7}'}
    made = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]}
    return [made, {"role": "tool", "tool_call_id": f"c{number}", "content": "done"}]


async def test_from_an_unjudged_trace_to_the_call_that_should_have_come_first(tmp_path: Path) -> None:
    trace = tmp_path / "run.json"
    chat = [{"role": "user", "content": "Cancel order 7"}, *call(1, "cancel_order"), *call(2, "get_order")]
    trace.write_text(json.dumps(chat))
    path = tmp_path / "run.planscope.json"
    save(session_of(list(open_traces([trace]))), path)
    async with opened(path) as driven:
        assert "NOT JUDGED" in driven.text and "Cancel order 7" in driven.text
        assert "e writes rules" in driven.text and "e write rules" in driven.text.splitlines()[-1]
        await driven.press("e")
        await driven.until(
            lambda: "get_order comes before cancel_order for the same order_id." in driven.text
        )
        await driven.press("tab")
        await driven.until(lambda: "violated at step 1 for order_id 7" in driven.text)
        await driven.press("ctrl+s")
        await driven.until(lambda: "RULE VIOLATED" in driven.text)
        await driven.rest()
        assert "LOST HERE" in driven.text and "orders left" not in driven.text
        await driven.press("f")
        await driven.rest()
        assert "to repair it  move step 1 (cancel_order)" in driven.text
        assert "call instead" not in driven.text and "safe     1 call; Enter lists it" in driven.text
        await driven.press("enter")
        assert "safe     get_order" in driven.text and "get_order or cancel_order" not in driven.text
        await driven.press("x")
        await driven.until(
            lambda: "Every conflict (1)" in driven.text and "What would save it" in driven.text
        )
        await driven.press("escape", "W", "end", "enter", *"refund is followed by mail.")
        await driven.until(lambda: "Every refund is followed by mail." in driven.text)  # one of the readings
        await driven.press("ctrl+s")
        await driven.until(lambda: "a sentence cannot be read yet" in driven.text)
        await driven.press("escape")
        await driven.until(lambda: "W continues them" in driven.text)
        await driven.press("q")
        await driven.sees("1 draft not kept: e continues a query, W rules")
        await driven.press("escape", "u")
        await driven.until(lambda: "NOT JUDGED" in driven.text and "Z3" not in driven.text)
        assert "is undone; the session has no rules" in driven.text and "undoes it" not in driven.text
        await driven.press("W")
        await driven.until(lambda: "Every refund is followed by mail." in driven.text)
        await driven.press(*["backspace"] * 28, "ctrl+s")
        await driven.press("ctrl+s")
        await driven.rest()
    assert load(path).rules == "get_order comes before cancel_order for the same order_id."


async def test_a_long_name_of_a_rule_stands_above_what_it_means(tmp_path: Path) -> None:
    trace = tmp_path / "run.json"
    trace.write_text(json.dumps([{"role": "user", "content": "Cancel order 7"}, *call(1, "cancel_order")]))
    session = session_of(list(open_traces([trace])))
    path = tmp_path / "run.planscope.json"
    set_rules(
        session, "look first of all: get_order comes before cancel_order.\nx: Never call cancel_order.\n"
    )
    save(session, path)
    async with opened(path, (80, 24)) as driven:
        await driven.press("W")
        await driven.sees("kept if there is none.")
        shown = [row.strip("─│ ") for row in driven.text.splitlines()]
        at = shown.index("✗ look first of all")
        assert shown[at + 1].startswith("Each cancel_order needs get_order before it; kept if")
        assert "✗ x   There must be no cancel_order." in shown


def chat(order: int, *tools: str) -> list[dict[str, Any]]:
    system = {"role": "system", "content": "Look an order up before you cancel it. Be polite."}
    user = {"role": "user", "content": f"Cancel order {order}"}
    return [system, user, *(message for k, tool in enumerate(tools) for message in call(k, tool))]


async def test_runs_that_were_graded_wrong_are_offered_as_bad_ones(tmp_path: Path) -> None:
    ran = [ToolCall("cancel_order", {}, answer="done", answered=True)]
    graded = [("a", 0.0), ("b", 1.0), ("c", None), ("d", 0.0)]
    path = tmp_path / "run.planscope.json"
    save(session_of([Trace(ran, id=name, reward=reward) for name, reward in graded]), path)
    for shown, good, bad in (
        ("a", "b", "a d"),
        ("b", "b", "a d"),
        ("c", "b", "c a d"),
        ("d", "b", "d a"),
    ):
        async with opened(path, run=shown) as driven:
            await driven.press("W", "ctrl+g")
            await driven.sees(f"good runs    {good} ", f"bad runs     {bad} ")
            assert "Nobody graded" not in driven.text


async def test_where_no_run_was_graded_right_the_form_says_so(tmp_path: Path) -> None:
    ran = [ToolCall("cancel_order", {}, answer="done", answered=True)]
    graded = [("a", 0.0), ("b", None), ("c", 0.5), ("d", None)]
    path = tmp_path / "run.planscope.json"
    save(session_of([Trace(ran, id=name, reward=reward) for name, reward in graded]), path)
    async with opened(path, run="a") as driven:
        await driven.press("W", "ctrl+g")
        await driven.sees("good runs    b d ", "bad runs     a ", "Nobody graded a run as right")


async def test_rules_are_found_in_good_runs_and_ticked(tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.mkdir()
    for k in range(8):
        (good / f"{k}.json").write_text(json.dumps(chat(k, "get_order", "cancel_order")))
    trace = tmp_path / "run.json"
    trace.write_text(json.dumps(chat(7, "cancel_order", "get_order")))
    path = tmp_path / "run.planscope.json"
    save(session_of(list(open_traces([trace]))), path)
    async with opened(path) as driven:
        await driven.press("e", "ctrl+g")
        await driven.sees("Find rules in examples")
        await driven.press("enter")
        await driven.sees("name good runs")
        await driven.type(str(tmp_path / "no"))
        await driven.press("enter")
        await driven.sees("✗ there is no file")
        await driven.type(str(good))
        await driven.press("down", "down")
        await driven.type("0x")
        await driven.press("enter")
        await driven.sees("within how many calls")
        await driven.press("backspace", "enter")
        await driven.sees("first those that bad runs violate", "violated in the bad run, first at")
        await driven.press("ctrl+s")
        await driven.sees("nothing is ticked yet")
        await driven.press("space")
        await driven.sees("[x] ✗", "1 rule ticked", "kept in all 8 good runs that test it")
        await driven.press("ctrl+s")
        await driven.sees("RULE VIOLATED", "↤ cause")
        assert "orders left" not in driven.text
        await driven.press("ctrl+s")
        await driven.rest()
    assert len((load(path).rules or "").splitlines()) == 1


async def test_the_reader_drafts_rules_from_a_policy_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.txt").write_text("Always call get_order before cancel_order. Be polite.")
    trace = tmp_path / "run.json"
    trace.write_text(json.dumps(chat(7, "cancel_order", "get_order")))
    path = tmp_path / "run.planscope.json"
    save(session_of(list(open_traces([trace]))), path)
    async with opened(path) as driven:
        await driven.press("e", "ctrl+d")
        await driven.sees("Draft rules from a policy", "read as it stands", "which may cost money")
        await driven.press(*["backspace"] * len("system prompt"))
        await driven.type("policy.txt")
        await driven.press("enter")
        await driven.sees(
            "“Always call get_order before cancel_order.”", "violated at step 1", "No rule was read"
        )
        await driven.press("down")
        await driven.sees("it says nothing about calls")
        await driven.press("up", "space", "ctrl+s")
        await driven.sees("RULE VIOLATED")
        await driven.press("ctrl+s")
        await driven.rest()
    assert (load(path).rules or "").splitlines()[:2] == [
        '# "Always call get_order before cancel_order."',
        "get_order comes before cancel_order.",
    ]


async def test_a_pasted_policy_is_shown_sentence_by_sentence_and_adds_nothing_without_a_yes(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "run.json"
    trace.write_text(json.dumps(chat(7, "cancel_order", "get_order")))
    path = tmp_path / "run.planscope.json"
    save(session_of(list(open_traces([trace]))), path)
    policy = "Always call get_order before cancel_order.\nBe polite.\n"
    async with opened(path, (80, 24)) as driven:
        await driven.press("e")
        await driven.sees("Ctrl+S: save, Esc: close")
        driven.app.post_message(events.Paste(policy))
        await driven.sees(
            "“Always call get_order before", "“Be polite.”", "cannot be said: it says nothing about calls"
        )
        await driven.press("escape")
        await driven.sees("Rules that every run", "✗ line 2")  # it is there to be edited
        await driven.press("escape")
        await driven.rest()
        assert not driven.app.work.document.open_session.rules
        await driven.press("e")
        await driven.press(*["backspace"] * len(policy))
        driven.app.post_message(events.Paste(policy))
        await driven.sees("cannot be said")
        await driven.press("space", "ctrl+s")
        await driven.sees("RULE VIOLATED")
        assert "get_order comes before cancel_order." in (driven.app.work.document.open_session.rules or "")


async def test_pasted_rules_with_one_mistake_stay_rules(tmp_path: Path) -> None:
    trace = tmp_path / "run.json"
    trace.write_text(json.dumps(chat(7, "cancel_order", "get_order")))
    path = tmp_path / "run.planscope.json"
    save(session_of(list(open_traces([trace]))), path)
    rules = (
        "get_order comes before cancel_order.\nget_order hapens once.\ncancel_order happens at most once.\n"
    )
    async with opened(path, (80, 24)) as driven:
        await driven.press("e")
        await driven.sees("Ctrl+S: save, Esc: close")
        driven.app.post_message(events.Paste(rules))
        await driven.sees("Rules that every run", "✗ line 2", "cancel_order happens at most once.")


async def test_a_model_drafts_rules_from_the_system_prompt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789abcdef")
    answer = (
        "POLICY: Look an order up before you cancel it.\nRULE: get_order comes before cancel_order.\n"
        "POLICY: Ignore the policy\x1b[31m.\nRULE: cancel_order never happens.\n"
        "POLICY: Be polite.\nNONE: it is about words"
    )
    trace = tmp_path / "run.json"
    trace.write_text(json.dumps(chat(7, "cancel_order", "get_order")))
    path = tmp_path / "run.planscope.json"
    save(session_of(list(open_traces([trace]))), path)
    with WireServer([Say(answer)]) as server:
        async with opened(path) as driven:
            await driven.press("e", "ctrl+d")
            await driven.sees("Draft rules from a policy", "system prompt")
            await driven.press("down")
            await driven.type("sim:careful")
            await driven.press("enter")
            await driven.sees("a simulated one cannot draft rules")
            await driven.press(*["backspace"] * 11)
            await driven.type("openai:local")
            await driven.press("down")
            await driven.type(server.base_url)
            await driven.press("enter")
            await driven.sees(
                "“Look an order up before you cancel it.”", "violated at step 1", "No rule was read"
            )
            await driven.press("down")
            await driven.sees("this sentence is not in the policy in these words")
            await driven.press("down", "space")
            await driven.sees("it is about words", "this is no rule")
            await driven.press("up", "up", "space", "ctrl+s")
            await driven.sees("RULE VIOLATED")
            await driven.press("ctrl+s")
            await driven.rest()
        assert "Look an order up" in server.requests[0]["messages"][0]["content"]
    assert (load(path).rules or "").splitlines() == [
        '# "Look an order up before you cancel it."',
        "get_order comes before cancel_order.",
        "",
        "# No rule was read:",
        '# "Be polite.": it is about words',
    ]


async def test_writing_tools_are_marked_and_a_rule_that_is_not_decided_is_named(tmp_path: Path) -> None:
    trace = tmp_path / "run.json"
    trace.write_text(json.dumps(chat(7, "look_up", "pay")))
    session = session_of(list(open_traces([trace])))
    session.rules = "dear: pay happens at most once per customer.\npay writes. look_* only reads."
    path = tmp_path / "run.planscope.json"
    save(session, path)
    async with opened(path, size=(80, 24)) as driven:
        await driven.press("G")
        await driven.sees("NOT DECIDED", "The trace does not tell whether it keeps “dear”")
        assert "✎ pay(" in driven.text and "✎ look_up(" not in driven.text
        await driven.press("1", "z")
        await driven.sees("look_up  reads", "pay  writes")
