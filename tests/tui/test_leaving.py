"""Screens and sessions that are left: once, each by itself, and with what was done in them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rich.style import Style
from textual import events
from textual.command import CommandList

from planscope.session.locations import library_folder
from planscope.session.lock import holder_of
from planscope.session.store import load, save
from planscope.tui.app import PlanscopeApp
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.dialogs.ask import ChooseDialog, TextDialog
from planscope.tui.dialogs.describe import DescribeDialog
from planscope.tui.dialogs.help import HelpDialog
from planscope.tui.opening.load import Opened, Switch
from planscope.tui.screens.edit.screen import EditScreen
from planscope.tui.screens.library.screen import LibraryScreen
from planscope.tui.style.lines import Run
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import Driven, opened
from tests.tui.test_live import until


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr("planscope.tui.controllers.autosave.PAUSE", 0.05)
    return sessions.write(sessions.figure_10(), tmp_path)


def other() -> Path:
    """Another session, in the library."""
    library_folder().mkdir(parents=True)
    path = library_folder() / "other.planscope.json"
    save(sessions.out_of_order(), path)
    return path


@pytest.mark.parametrize("way", ["L", *nightly("e", "D", "d", "question_mark", "B", "ctrl+p")])
async def test_keys_that_come_twice_leave_once(path: Path, way: str) -> None:
    async with opened(path) as driven:
        await driven.press(way)
        await until(
            driven, lambda: driven.app.screen is not driven.screen
        )  # a run to compare with is looked for
        screen = driven.app.screen
        for _ in range(4):
            screen.post_message(events.Key("escape", None))
        if way == "e":
            assert isinstance(screen, EditScreen)  # which takes its keys itself
        else:
            screen.dismiss(None)
            screen.dismiss(None)
        await until(driven, lambda: driven.app.screen is driven.screen)
        await driven.press("n")
        assert driven.app.screen is driven.screen


async def test_what_stands_over_a_screen_that_is_left_goes_with_it(path: Path) -> None:
    async with opened(path) as driven:
        await driven.press("L")
        screen = driven.app.screen
        assert isinstance(screen, LibraryScreen)
        await driven.press("question_mark")
        assert isinstance(driven.app.screen, HelpDialog)
        screen.dismiss(None)
        await until(driven, lambda: driven.app.screen is driven.screen)


async def test_nothing_is_begun_in_a_session_that_is_being_left(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, flush, go = other(), Autosave.flush, asyncio.Event()

    async def slow(self: Autosave) -> str:
        await go.wait()
        return await flush(self)

    async with opened(path) as driven:
        await driven.press("L")
        screen = driven.app.screen
        assert isinstance(screen, LibraryScreen)
        await until(driven, lambda: screen.at_rest)
        monkeypatch.setattr(Autosave, "flush", slow)
        while screen.state.chosen is None or screen.state.chosen.path != there:
            await driven.press("down")
        await driven.press("enter")
        await until(driven, lambda: driven.app.screen is driven.screen)
        await driven.press("e", "L", "r", "D")
        assert driven.app.screen is driven.screen and "saving…" in driven.text
        go.set()
        await until(driven, lambda: driven.app.path == there)
        await driven.rest()
        await driven.press("e")
        assert isinstance(driven.app.screen, EditScreen)


async def test_who_quits_while_typing_notes_keeps_them(path: Path) -> None:
    async with opened(path) as driven:
        await driven.press("D")
        assert isinstance(driven.app.screen, DescribeDialog)
        await driven.type("why ")
        driven.app.post_message(events.Key("ctrl+q", None))
        await gone(driven)
    assert load(path).notes == "why "


async def test_who_comes_back_to_where_one_began_is_found_there(path: Path) -> None:
    async with opened(path) as driven:
        began = driven.state.debug.index
        await driven.press("G", "b")
        assert driven.state.debug.index != began
        await until(driven, lambda: driven.app.work.document.saving.state == "saved")
        assert load(path).cursor["index"] != began
        await driven.press("f")
        assert driven.state.debug.index == began and not driven.app.work.document.unsaved
    assert load(path).cursor["index"] == began


async def gone(driven: Driven) -> None:
    for _ in range(1000):
        if driven.app.return_code is not None:
            return
        await asyncio.sleep(0.01)
    raise TimeoutError("it was not left")


async def test_a_click_on_what_the_palette_found_before_does_nothing(path: Path) -> None:
    async with opened(path) as driven:
        await driven.press("ctrl+p")
        found = driven.app.screen.query_one(CommandList)
        await until(driven, lambda: found.option_count > 0)
        style = Style.from_meta({"option": found.option_count})
        mouse = events.MouseUp(None, 5, 5, 0, 0, 1, False, False, False, style=style)
        found.post_message(events.Click.from_event(found, mouse))
        await driven.press("escape")
        assert driven.app.screen is driven.screen


async def test_a_question_that_is_closed_from_below_has_no_answer(path: Path) -> None:
    heard: list[object] = []
    async with opened(path) as driven:
        below = TextDialog("Below", lambda width: [])
        driven.app.push_screen(below)

        async def ask() -> None:
            choices = ChooseDialog("Which", [(Run("one"),)])
            heard.append(await driven.screen.answer(choices))

        driven.screen.start_flow(ask())
        await until(driven, lambda: isinstance(driven.app.screen, ChooseDialog))
        below.dismiss(None)
        await until(driven, lambda: heard == [None])
        assert driven.app.screen is driven.screen


async def test_a_theme_that_is_only_looked_at_goes_with_the_screen_below_it(path: Path) -> None:
    """Such as the library, which is left as soon as the chosen session is loaded."""
    async with opened(path) as driven:
        before = driven.app.theme
        await driven.press("L", "ctrl+p")
        below = driven.app.screen_stack[1]
        await driven.find("theme")
        await driven.press("enter", "down")
        await until(driven, lambda: driven.app.theme != before)
        below.dismiss(None)
        await until(driven, lambda: driven.app.screen is driven.screen and driven.app.theme == before)
        await driven.answered()
        assert driven.app.theme == before


async def test_a_session_that_comes_while_all_is_left_is_let_go(path: Path) -> None:
    document = Document(path)
    autosave = Autosave(document, lambda message: None)
    switch = Switch(document, Opened(load(path)), autosave)
    autosave.hold()
    app = PlanscopeApp(None)
    app._leaving = asyncio.create_task(asyncio.sleep(0))
    await app.switch_to(switch)
    assert holder_of(path) is None and app.work is None
