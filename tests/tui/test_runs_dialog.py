"""The runs of a session as a list to choose from: each with how it came out, and where one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.oracle.trace import Said, ToolCall, Trace
from planscope.rules.in_session import add_rules
from planscope.session.locations import bundled
from planscope.session.store import load
from planscope.session.traces import session_of
from planscope.tui.actions import BY_ID
from planscope.tui.dialogs.ask import ChooseDialog, TextDialog
from planscope.tui.opening.summary import summary_of
from planscope.tui.screens.compare.screen import CompareScreen
from planscope.tui.style.lines import Run
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows


async def _judged(driven: Driven) -> None:
    await driven.until(lambda: driven.app.screen.at_rest)
    await driven.answered()


async def test_each_run_says_how_it_came_out_and_where_it_was_lost() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        await driven.press("o")
        await _judged(driven)
        rows = driven.text.splitlines()
        assert any("1 r1  ✓ right" in row and "sim:careful" in row for row in rows)
        assert any("2 r2  ✗ parameter error  step 2   ← here" in row for row in rows)
        assert (
            any("step 2" in row and "█ 1  school_tour_guidan…" in row for row in rows)
            and "The others: 1 right" in driven.text
        )
        assert "lost at step 2" in driven.text


async def test_the_list_leaves_its_rows_and_the_footer_has_no_dead_key(tmp_path: Path) -> None:
    call = ToolCall("look_up", {}, answer="{}", answered=True)
    path = sessions.write(session_of([Trace([Said("user", "Go."), *[call] * 12], id="t")]), tmp_path)
    async with opened(path, (120, 24)) as driven:
        await driven.press("o")
        await _judged(driven)
        assert "12 look_up()" in driven.text, "the only run is seen whole, below a short list"
        foot = driven.text.splitlines()[-1]
        assert "next failure" not in foot and "compare" not in foot and "delete" in foot


async def test_where_a_run_was_lost_is_seen_beside_long_arguments_and_long_filters_whole(
    tmp_path: Path,
) -> None:
    calls = [ToolCall("pay", {"why": "because " * 20}, answer="{}", answered=True)] * 2
    session = session_of([Trace([Said("user", "Go."), *calls[:k]], id=f"t{k}") for k in (1, 2)])
    add_rules(session, "a rule with a name: pay happens at most once.")
    async with opened(sessions.write(session, tmp_path), (80, 24)) as driven:
        await driven.press("o")
        await _judged(driven)
        head = driven.text.splitlines()[2].split()
        assert head == ["run", "verdict", "lost", "at"]
        assert "LOST HERE" in driven.text and "pay violates a rule with" in driven.text
        await driven.press("v")
        await driven.sees("pay violates a rule with a name ")


async def test_search_filter_next_failure_and_histogram_find_runs() -> None:
    async with opened(bundled()["cause-topic"], (120, 40)) as driven:
        await driven.press("o")
        await _judged(driven)
        await driven.press("/")
        await driven.type("right")
        assert "Queries and runs 30" in driven.text and "of 101" in driven.text
        await driven.press("enter", "escape", "v")
        assert "Show only those that are" in driven.text and "lost at step 3" in driven.text
        await driven.press("escape", "tab", "enter")
        assert "only lost at step 1" in driven.text and "Queries and runs 4 " in driven.text
        await driven.press("escape", "tab", "home", "f", "o")
        await driven.rest()
        assert driven.state.run.id == "r1"
        await driven.press("O")
        await driven.rest()
        assert driven.state.run.id == "d1r1"


@pytest.mark.parametrize("chosen", [0, 2], ids=["the first of the cause", "the chosen one"])
async def test_a_key_on_a_cause_compares_a_run_of_it_with_the_nearest_right_one(
    tmp_path: Path, chosen: int
) -> None:
    look, cancel = (ToolCall(tool, {"order_id": "#W7"}) for tool in ("get_order", "cancel_order"))
    traces = [[look], [look, cancel], [cancel, look], [look, look]]
    made = session_of(
        [Trace([Said("user", "Cancel order #W7"), *items], id=f"t{k}") for k, items in enumerate(traces)]
    )
    add_rules(made, "cancel_order never happens.")
    async with opened(sessions.write(made, tmp_path), (80, 24)) as driven:
        await driven.press("o")
        await _judged(driven)
        await driven.sees("By cause")
        left = [row.partition("│")[0].strip() for row in rows(driven.app)]
        assert any(row.endswith("…") for row in left) and "cancel_order happens" not in " ".join(left)
        await driven.press("home", *["down"] * (1 + chosen), "tab")
        left = [row.partition("│")[0].strip() for row in rows(driven.app)]
        whole = "cancel_order violates cancel_order never happens"
        assert whole in " ".join(left), "what is cut is told whole"
        await driven.press("d")
        await driven.until(lambda: isinstance(driven.app.screen, CompareScreen))
        state = driven.app.screen.state
        assert state.b.run == ("t2" if chosen else "t1") and state.a.run in ("t0", "t3")
        assert driven.state.command.endswith(f"{state.a.run} {state.b.run}")  # not the run in the debugger


async def test_a_deleted_run_is_left_and_comes_back(tmp_path: Path) -> None:
    path = sessions.write(load(bundled()["first-look"]), tmp_path)
    async with opened(path, (80, 24)) as driven:
        await driven.press("o")
        assert not driven.app.screen.works(BY_ID["take-back-run"]), "nothing was deleted yet"
        await driven.press("-")
        assert "deleted: run r2; u takes it back" in driven.text
        assert driven.app.screen.works(BY_ID["take-back-run"])
        await driven.press("escape")
        await driven.rest()
        assert driven.state.run.id == "r1"
        await driven.press("ctrl+s")
        await driven.sees("saved to")
        assert [run.id for run in load(path).runs] == ["r1"]
        await driven.press("o", "u", "escape")
        await driven.rest()
        assert [run.id for run in driven.screen.work.document.runs] == ["r1", "r2"]


async def test_a_list_that_is_closed_judges_no_more() -> None:
    async with opened(bundled()["cause-constraint"], (120, 40)) as driven:
        await driven.press("o", "escape")
        assert not driven.screen.work.jobs.running("run-verdicts")


async def test_the_chosen_run_is_compared_with_the_displayed_one() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        await driven.press("o", "up", "d")
        await driven.until(lambda: driven.app.screen.at_rest)
        assert "run r1" in driven.text and "run r2" in driven.text and "first difference" in driven.text


async def test_the_displayed_run_is_compared_with_the_nearest_right_one() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        await driven.press("o", "d")
        await driven.until(lambda: isinstance(driven.app.screen, CompareScreen) and driven.app.screen.at_rest)
        assert "run r1" in driven.text and "LOST HERE" in driven.text


async def test_the_compare_screen_offers_the_same_list() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        await driven.press("d", "]")
        await _judged(driven)
        assert "Compare: right side" in driven.text and "✗ parameter error" in driven.text
        await driven.press("up", "enter")
        await driven.until(lambda: driven.app.screen.at_rest)
        await driven.answered()
        assert driven.text.count("run r1") == 2


def test_a_session_opens_at_the_last_run_that_no_dissection_made() -> None:
    assert summary_of(bundled()["cause-terminal"]).run_id == "r1"
    assert summary_of(bundled()["first-look"]).run_id == "r2"


async def test_keys_that_come_before_a_dialog_is_there_wait_for_it() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        chosen: list[int | None] = []
        dialog = ChooseDialog("Which", [(Run("one"),), (Run("two"),)])
        driven.app.push_screen(dialog, chosen.append)
        await driven.app.run_action("go(1)", dialog)
        text = TextDialog("Read", lambda width: [])
        driven.app.push_screen(text)
        await driven.app.run_action("scroll_text(1)", text)
        await driven.pilot.pause()
        await driven.press("escape", "enter")
        assert chosen == [1]
