"""What is typed faster than screens open reaches them, whole and in its order."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from planscope.tui.app import PlanscopeApp
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.rules import RulesDialog
from planscope.tui.opening.load import Switch
from planscope.tui.screens.debug import opening
from planscope.tui.screens.edit.screen import EditScreen
from tests.tui import sessions
from tests.tui.screen import Driven, key_event, opened

SENTENCE = "Tests, then: A_1 before B."


def send(app: PlanscopeApp, *keys: str) -> None:
    """Keys as a terminal sends them, none of which waits for the one before."""
    assert app._driver is not None
    for key in keys:
        event = key_event("space" if key == " " else key)
        event.set_sender(app)
        app._driver.send_message(event)


async def typed_in_rules(driven: Driven) -> str:
    await driven.until(lambda: isinstance(driven.app.screen, RulesDialog))
    dialog = driven.app.screen
    assert isinstance(dialog, RulesDialog)
    await driven.until(lambda: len(dialog.area.text) >= len(SENTENCE))
    return dialog.area.text


@pytest.mark.parametrize("moment", ["before the session", "at rest"])
async def test_a_sentence_typed_ahead_of_the_dialog_of_rules_is_in_it(moment: str, tmp_path: Path) -> None:
    app = PlanscopeApp(sessions.write(sessions.figure_10(), tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        driven = Driven(app, pilot)
        if moment == "at rest":
            await driven.rest()
        send(app, "W", *SENTENCE)
        assert await typed_in_rules(driven) == SENTENCE


async def test_a_sentence_typed_ahead_of_the_edit_screen_is_in_the_query(tmp_path: Path) -> None:
    app = PlanscopeApp(sessions.write(sessions.figure_10(), tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        driven = Driven(app, pilot)
        send(app, "e", *SENTENCE)
        await driven.until(lambda: isinstance(app.screen, EditScreen))
        screen = app.screen
        assert isinstance(screen, EditScreen)
        await driven.until(lambda: SENTENCE in screen.state.edited.text)
        assert screen.state.typing


async def test_a_text_pasted_before_the_session_is_open_is_in_the_dialog(tmp_path: Path) -> None:
    app = PlanscopeApp(sessions.write(sessions.figure_10(), tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        driven = Driven(app, pilot)
        send(app, "W")
        assert app._driver is not None
        app._driver.send_message(events.Paste(SENTENCE).set_sender(app))
        assert await typed_in_rules(driven) == SENTENCE


async def test_each_key_typed_ahead_is_done_once(tmp_path: Path) -> None:
    app = PlanscopeApp(sessions.write(sessions.figure_10(), tmp_path))
    async with app.run_test(size=(120, 40)) as pilot:
        driven = Driven(app, pilot)
        send(app, "home", "n", "n")
        await driven.rest()
        await driven.until(lambda: driven.state.debug.index == 2)


async def test_rules_that_are_typed_while_another_session_opens_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    first = sessions.write(sessions.figure_10(), tmp_path)
    second = sessions.write(sessions.out_of_order(), tmp_path / "other")
    typed = asyncio.Event()
    load = opening.load_beside

    async def slowly(work: Workspace, path: Path) -> Switch:
        await typed.wait()
        return await load(work, path)

    monkeypatch.setattr(opening, "load_beside", slowly)
    async with opened(first) as driven:
        opening.open_file(driven.screen, second)
        await driven.press("W")
        await driven.type(SENTENCE)
        assert isinstance(driven.app.screen, RulesDialog)
        typed.set()
        await driven.until(lambda: driven.app.path == second)
        await driven.rest()
        opening.open_file(driven.screen, first)
        await driven.until(lambda: driven.app.path == first)
        await driven.rest()
        await driven.press("W")
        assert await typed_in_rules(driven) == SENTENCE


async def test_quitting_from_the_dialog_of_rules_asks_about_its_text(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        await driven.press("W")
        await driven.type(SENTENCE)
        await driven.press("ctrl+q")
        await driven.sees("1 draft not kept", "Keep it and quit", "Quit and lose it")
        await driven.press("escape")
        assert await typed_in_rules(driven) == SENTENCE
