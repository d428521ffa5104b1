"""The runs of a session as a list to choose from: each with how it came out, and where one is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from planscope.session.locations import bundled
from planscope.session.model import Run as SavedRun
from planscope.session.model import Session
from planscope.tui.controllers.document import Outcome, RunKey
from planscope.tui.dialogs.ask import ChooseDialog, TextDialog
from planscope.tui.opening.summary import summary_of
from planscope.tui.run_tree import not_judged
from planscope.tui.screens.flows import runs as flow
from planscope.tui.style.lines import Run
from tests.tui import sessions
from tests.tui.screen import Driven, opened


async def _judged(driven: Driven) -> None:
    await driven.until(lambda: not not_judged(driven.screen.work.document))


async def test_each_run_says_how_it_came_out() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        await driven.press("o")
        await _judged(driven)
        await driven.pilot.pause()
        rows = [row for row in driven.text.splitlines() if "simulated  " in row or "← here" in row]
        assert any("1  ✓ right" in row and "sim:careful" in row for row in rows)
        assert any("2  ✗ parameter error  ← here  sim:time-blind" in row for row in rows)


async def test_what_was_judged_once_is_known_at_once() -> None:
    async with opened(bundled()["cause-terminal"], (120, 40)) as driven:
        await driven.press("o")
        await _judged(driven)
        await driven.press("escape", "o")
        assert driven.text.count("✗ order error") >= 9 and driven.text.count("✓ right") >= 4
        assert not driven.screen.work.jobs.running("run-verdicts")


async def test_a_long_list_is_not_made_anew_for_each_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = sessions.figure_10()
    made.runs[:] = [made.runs[0].model_copy(update={"id": f"r{i}"}) for i in range(300)]
    lists: list[int] = []
    told = ChooseDialog.set_choices

    def counted(dialog: ChooseDialog, choices: list[tuple[Run, ...]]) -> None:
        lists.append(sum(run.text.startswith("…") for line in choices for run in line))
        told(dialog, choices)

    def at_once(session: Session, runs: list[SavedRun]) -> Iterator[tuple[RunKey, Outcome]]:
        for run in runs:
            yield (session.id, run.id, len(run.events)), ("right", "")

    monkeypatch.setattr(ChooseDialog, "set_choices", counted)
    monkeypatch.setattr(flow, "judge_runs", at_once)
    async with opened(sessions.write(made, tmp_path), (80, 24)) as driven:
        await driven.press("o")
        await _judged(driven)
        await driven.pilot.pause()
        assert driven.text.count("✓ right") > 5 and "…  " not in driven.text
    assert lists[-1] == 0 and len(lists) < 100


async def test_a_list_that_is_closed_judges_no_more() -> None:
    async with opened(bundled()["cause-constraint"], (120, 40)) as driven:
        await driven.press("o", "escape")
        assert not driven.screen.work.jobs.running("run-verdicts")


async def test_the_compare_room_offers_the_same_list(tmp_path: Path) -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        await driven.press("d")
        await driven.press("]")
        await _judged(driven)
        await driven.pilot.pause()
        assert "Compare: right side" in driven.text and "✗ parameter error" in driven.text
        await driven.press("up", "enter")
        await driven.until(lambda: driven.app.screen.at_rest)
        await driven.answered()
        assert driven.text.count("run r1") == 2


async def test_a_request_that_cannot_be_read_has_unknown_runs(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.unreadable(), tmp_path)) as driven:
        await driven.press("o")
        await _judged(driven)
        await driven.pilot.pause()
        assert "? not decided" in driven.text


def test_a_session_opens_at_the_last_run_that_no_dissection_made() -> None:
    assert summary_of(bundled()["cause-terminal"]).run_id == "r1"
    assert summary_of(bundled()["first-look"]).run_id == "r2"


async def test_keys_that_come_before_a_dialog_is_there_wait_for_it() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        chosen: list[int | None] = []
        dialog = ChooseDialog(driven.screen.paint, "Which", [(Run("one"),), (Run("two"),)])
        driven.app.push_screen(dialog, chosen.append)
        await driven.app.run_action("go(1)", dialog)
        text = TextDialog(driven.screen.paint, "Read", lambda width: [])
        driven.app.push_screen(text)
        await driven.app.run_action("scroll_text(1)", text)
        await driven.pilot.pause()
        await driven.press("escape", "enter")
        assert chosen == [1]
