"""A person's path: a failing run in OpenAI chat format, without rules, to "this call should have come first"."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from planscope.session.store import load, save
from planscope.traces import open_traces
from planscope.traces.events import session_of
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
        assert "e writes rules" in driven.text
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
        assert "to repair it  move step 2 (get_order) before step 1" in driven.text
        assert "call instead  get_order or cancel_order" in driven.text
        await driven.press("x")
        await driven.until(lambda: "Every conflict 1" in driven.text and "What would save it" in driven.text)
        await driven.press("escape", "W", "end", "enter", *"refund is followed by mail.")
        await driven.until(lambda: "Every refund is followed by mail." in driven.text)  # one of the readings
        await driven.press("ctrl+s")
        await driven.until(lambda: "a sentence cannot be read yet" in driven.text)
        await driven.press("escape")
        await driven.until(lambda: "W continues them" in driven.text)
        await driven.press("u")
        await driven.until(lambda: "NOT JUDGED" in driven.text and "Z3" not in driven.text)
        assert "the last change of the rules is undone; the session has no rules" in driven.text
        await driven.press("W")
        await driven.until(lambda: "Every refund is followed by mail." in driven.text)
        await driven.press(*["backspace"] * 28, "ctrl+s")
        await driven.press("ctrl+s")
        await driven.rest()
    assert load(path).rules == "get_order comes before cancel_order for the same order_id."
