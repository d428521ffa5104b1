"""Choosing instead of typing: models, topics, breakpoints and watches; arguments judged while they are typed."""

from __future__ import annotations

import pytest

from planscope.agents.models import check_model, parse_model
from planscope.session.locations import bundled
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.dialogs.ask import SetDialog
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.dialogs.forms import model_offers
from tests.tui.screen import opened, rows
from tests.tui.test_live import paused, start

FIRST = bundled()["first-look"]


def test_models_of_the_session_come_first_and_all_simulated_ones_are_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    texts = [offer.text for offer in model_offers(["openai:gpt-4o-mini", "sim:careful"])]
    assert texts[:2] == ["openai:gpt-4o-mini", "sim:careful"] and texts.count("sim:careful") == 1
    assert "openai:" in texts and "anthropic:" not in texts
    for text in texts:
        if text.startswith("sim:"):
            check_model(parse_model(text))


async def test_a_model_is_chosen_from_a_list_that_what_is_typed_makes_short() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await driven.press("r", "tab")
        assert "▶ sim:time-blind" in driven.text and "sim:careful" in driven.text
        await driven.press("escape", "ctrl+u")
        await driven.type("word")
        await driven.press("tab", "enter")
        await driven.answered()
        form = driven.app.screen
        assert form.inputs["model"].value == "sim:word-blind"
        await driven.press("down", "down", "tab")
        assert form.inputs["base_url"].has_focus


async def test_breakpoints_are_chosen_edited_switched_off_and_counted() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await driven.press("B")
        await driven.type("tool doc")
        await driven.press("tab", "enter")
        assert "◆ tool docent_training  stops 1 time: step 2" in driven.text
        await driven.press("down", "space")
        assert "○ tool docent_training  off" in driven.text and not driven.state.breakpoints
        await driven.press("space", "enter")
        dialog = driven.app.screen
        assert isinstance(dialog, SetDialog) and dialog.input.value == "tool docent_training"
        await driven.press("ctrl+u")
        await driven.type("lost")
        await driven.press("enter")
        assert [str(b) for b in driven.state.breakpoints] == ["lost"]
        await driven.press("escape", "w", "tab", "enter")
        assert [str(watch) for watch in driven.state.watches] == ["valid_completions"]


async def test_u_takes_back_what_was_removed_from_a_list() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await driven.press("B")
        for text in ("lost", "error"):
            await driven.type(text)
            await driven.press("enter")
        await driven.press("down", "down", "up", "space", "delete")
        assert [str(b) for b in driven.state.marks.every] == ["error"] and "u: take back" in driven.text
        await driven.press("u")
        assert [str(b) for b in driven.state.marks.every] == ["error", "lost"]
        assert [str(b) for b in driven.state.breakpoints] == ["error"] and "u: take back" not in driven.text
        await driven.press("escape", "w", "tab", "enter", "down", "delete")
        assert not driven.state.watches
        await driven.press("u")
        assert [str(watch) for watch in driven.state.watches] == ["valid_completions"]
        await driven.type("un")
        assert driven.app.screen.input.value == "un"


async def test_arguments_of_a_paused_call_are_judged_while_they_are_typed() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await start(driven, RunChoice(model="sim:time-blind", stepping=True))
        await paused(driven, 1)
        await driven.until(lambda: driven.state.progress == "judged")
        await driven.press("a")
        assert isinstance(driven.app.screen, FormDialog)
        assert "safe hours: " in driven.text and "✓ This call is safe." in driven.text
        await driven.press("ctrl+u")
        await driven.type('{"start_time": 23}')
        assert "This call is safe" not in driven.text and "This call " in driven.text
        await driven.press("backspace")
        assert "not JSON" in driven.text


async def test_a_click_on_the_name_of_a_row_goes_there() -> None:
    async with opened(FIRST, (80, 24)) as driven:
        await driven.press("r")
        row, column = next((y, r.index("Seed ")) for y, r in enumerate(rows(driven.app)) if "Seed " in r)
        await driven.pilot.click(offset=(column, row))
        await driven.answered()
        assert "▶Seed" in driven.text and "▶Model" not in driven.text
