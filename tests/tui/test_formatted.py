"""Answers and thoughts in the step's pane: JSON folds into its rows, tables are aligned, Markdown shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.safe import cell_width
from planscope.session.traces import session_of
from planscope.tui.panes.formatted import formatted
from tests.nightly import examples, nightly
from tests.tui import sessions
from tests.tui.screen import opened


def lines(text: str, width: int = 40, rows: int = 20) -> list[str]:
    return ["".join(run.text for run in runs).rstrip() for runs in formatted(text, width, "", 4_000, rows)]


def roles(text: str) -> dict[str, str]:
    return {run.text: run.role for runs in formatted(text, 40, "", 4_000, 20) for run in runs}


def test_words_alone_are_wrapped_as_they_are() -> None:
    assert lines("one two three\n\nfour", 8) == ["one two", "three", "", "four"]


def test_json_folds_into_the_rows_that_there_are() -> None:
    text = json.dumps({"order": {"id": 7, "items": [{"a": [1]}, {"b": 2}]}, "paid": True})
    whole, folded = lines(text, rows=20), lines(text, rows=2)
    assert [line.split()[:2] for line in folded] == [["▸", "order"], ["paid", "true"]]
    assert any("id" in line and "7" in line for line in whole) and len(whole) > len(folded)


def test_a_table_leaves_nothing_out_without_saying_so() -> None:
    many = json.dumps([{"a": n, "b": n} for n in range(700)])
    made = formatted(many, 40, "", 200_000, 10_000)
    assert len(made) == 701 and made[-1][0].text.split() == ["699", "699"]
    wide = "\n".join("  ".join(f"c{n}" for n in range(15)) for _ in range(2))
    assert lines(wide, 90)[0] == "3 more columns not shown" and lines(wide, 90)[1].endswith("c11")


def test_bars_and_hyphens_alone_are_no_table() -> None:
    assert lines("|---|---|\n|---|---|\nend")[-1] == "end"


def test_flat_objects_and_columns_are_tables() -> None:
    made = lines(json.dumps([{"id": 1, "city": "Oslo"}, {"id": 23, "city": "Rome"}]))
    assert made == ["id  city", "1   Oslo", "23  Rome"]
    assert lines("NAME\tSTATUS\nkagent-long-name\tok") == ["NAME              STATUS", "kagent-long-name  ok"]
    assert lines("| a | b |\n|---|:-:|\n| 1 | 22 |") == ["a  b", "1  22"]
    assert lines("NAME   STATUS\n" + "x" * 80 + "   ok", 24)[1].endswith("…  ok")


def test_a_table_that_is_too_wide_has_a_line_for_each_cell() -> None:
    names = [f"column {n}" for n in range(6)]
    made = lines("\t".join(names) + "\n" + "\t".join(f"a long value {n}" for n in range(6)), 40)
    assert made[:2] == ["column 0  a long value 0", "column 1  a long value 1"]


def test_markdown_has_titles_lists_and_code() -> None:
    text = "## Plan\n- **first** step, which goes on here\n2. `run()`\n```\na  b = 1\n```\ndone"
    assert lines(text, 24) == [
        "Plan",
        "• first step, which goes",
        "  on here",
        "2. run()",
        "a  b = 1",
        "done",
    ]
    found = roles(text)
    assert found["Plan"] == "strong" and found["first"] == "strong" and found["run()"] == "tool"


@settings(max_examples=examples(150))
@given(st.text(max_size=200), st.integers(24, 60), st.integers(1, 30))
def test_any_text_fits_its_width_and_is_safe(text: str, width: int, rows: int) -> None:
    for made in (text, f"```\n{text}", f"a  {text}\nb  c", f"- {text}", json.dumps([text, {text: text}])):
        for runs in formatted(made, width, "", 4_000, rows):
            shown = "".join(run.text for run in runs)
            assert "\x1b" not in shown and "\n" not in shown
            assert cell_width(shown) <= width


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_at_the_loss_the_repair_comes_first_and_safe_calls_are_counted(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    items = [
        Said("user", "Refund order 7."),
        ToolCall("refund", {"order": 7}, answer='{"ok": true}', answered=True),
        ToolCall("check", {"order": 7}, answer="fine", answered=True),
    ]
    session = session_of([Trace(items, id="t")])
    add_rules(session, "mine: check comes before refund.")
    async with opened(sessions.write(session, tmp_path), size) as driven:
        await driven.press("f")
        pane = driven.screen.text_of("step")
        order = [pane.index(word) for word in ("LOST HERE", "to repair it", "rule violated", "safe", "call ")]
        assert order == sorted(order)
        assert (
            "call instead" not in pane and "; Enter lists it" in pane and "mine" in pane and "c1" not in pane
        )
        await driven.press("enter")
        pane = driven.screen.text_of("step")
        assert "Enter lists" not in pane and "check" in pane.partition("safe")[2].splitlines()[0]
        await driven.press("enter")
        assert "Enter lists" in driven.screen.text_of("step")


async def test_an_answer_has_the_rows_that_there_are(tmp_path: Path) -> None:
    answer = "\n".join(f"line {number}" for number in range(20))
    items = [Said("user", "Go."), ToolCall("read", {}, answer=answer, answered=True)]
    async with opened(sessions.write(session_of([Trace(items)]), tmp_path), (120, 40)) as driven:
        await driven.press("n")
        assert "line 0" in driven.text and "line 19" in driven.text


async def test_why_a_call_failed_comes_before_its_arguments(tmp_path: Path) -> None:
    call = ToolCall("pay", {"note": "x" * 300}, answer="Error: too much", answered=True, failed=True)
    path = sessions.write(session_of([Trace([Said("user", "Go."), call])]), tmp_path)
    async with opened(path, (80, 24)) as driven:
        await driven.press("f")
        pane = driven.screen.text_of("step")
        assert pane.index("! failed") < pane.rindex("Error: too much") < pane.index("call ")
        assert "Error: too much" in driven.text


async def test_a_long_system_prompt_leaves_room_for_the_tools_and_the_prompt(tmp_path: Path) -> None:
    items = [
        Said("system", "\n".join(f"Rule {n}." for n in range(60))),
        Said("user", "Go."),
        ToolCall("pay", {}),
    ]
    path = sessions.write(session_of([Trace(items)]), tmp_path)
    async with opened(path, (120, 40)) as driven:
        await driven.press("g")
        pane = driven.text
        assert "Rule 9." in pane and "prompt   Go." in pane


async def test_enter_unfolds_the_step_and_folds_it_again(tmp_path: Path) -> None:
    answer = json.dumps({"order": {"items": [{"name": f"item {k}", "parts": [k]} for k in range(20)]}})
    calls: list[tuple[str, dict[str, object] | None, str]] = [("disk_check", {}, answer)]
    made = sessions.session(
        "json", sessions.variant("Network audit precedes disk check.", sessions.ABC), sessions.events(calls)
    )
    async with opened(sessions.write(made, tmp_path), (120, 40)) as driven:
        await driven.press("g", "n", "5")
        assert "▸" in driven.text and not driven.screen.pane("step").foot()
        await driven.press("enter")
        whole = [line.text for line in driven.screen.pane("step").lines]
        assert any("item 19" in line for line in whole) and not any("▸" in line for line in whole)
        await driven.press("enter")
        assert "▸" in driven.text
