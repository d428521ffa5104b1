"""What is typed in the edit screen is found again after a crash, and only after one."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.session.locations import bundled, library_folder, recovery_folder
from planscope.session.lock import path_key
from planscope.session.recovery import LeftDraft, left_drafts
from planscope.session.store import load
from planscope.tui.screens.edit.screen import EditScreen
from tests.tui import sessions
from tests.tui.screen import Driven, opened
from tests.tui.test_live import until


@pytest.fixture(autouse=True)
def _quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr("planscope.tui.controllers.drafts.PAUSE", 0.05)
    monkeypatch.setattr("planscope.tui.controllers.autosave.PAUSE", 0.1)


def files() -> list[Path]:
    return sorted(recovery_folder().glob("*.draft.json"))


def texts(found: list[LeftDraft]) -> list[str]:
    return [left.variant.query.text for left in found]


async def edited(driven: Driven, *keys: str) -> EditScreen:
    await driven.press("e", *keys)
    screen = driven.app.screen
    assert isinstance(screen, EditScreen)
    return screen


async def crashed(driven: Driven) -> None:
    """Leave as after SIGTERM: nobody is asked."""
    await until(driven, lambda: bool(files()))
    driven.app.exit(143)
    await driven.pilot.pause()


async def test_a_draft_is_there_again_after_a_crash(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        screen = await edited(driven, "ctrl+end", "X", "Y")
        text = screen.state.draft.text
        assert "XY" in text
        await until(driven, lambda: bool(files()))
        assert left_drafts(path) == []
        await crashed(driven)
    assert texts(left_drafts(path)) == [text]
    async with opened(path) as driven:
        await until(driven, lambda: "was restored: e continues it" in driven.text)
        await until(driven, lambda: len(files()) == 1 and left_drafts(path) == [])  # it is written anew
        await driven.press("q")
        assert "1 draft not kept" in driven.text
        await driven.press("escape")
        screen = await edited(driven)
        assert screen.state.draft.text == text and "this is your draft" in driven.text
        await driven.press("escape", "K")
        await until(driven, lambda: len(load(path).variants) == 2 and not files())
    assert load(path).variants[-1].query.text == text and left_drafts(path) == []
    async with opened(path) as driven:
        await driven.pilot.pause(0.1)
        assert "was restored" not in driven.text and not driven.screen.work.drafts.histories


async def test_a_draft_goes_with_the_file_of_its_session(tmp_path: Path) -> None:
    """Such as the copy that the first change of a bundled session is saved to."""
    async with opened(bundled()["first-look"]) as driven:
        screen = await edited(driven, "ctrl+end", "X", "Y")
        text = screen.state.draft.text
        await until(driven, lambda: bool(files()))
        await driven.press("escape", "escape", "D")
        await driven.type("Mine")
        await driven.press("escape")
        await until(driven, lambda: driven.app.work.document.saving.state == "saved")
        copy = driven.app.work.document.path
        assert copy.parent == library_folder()
        await until(driven, lambda: [one.name.partition(".")[0] for one in files()] == [path_key(copy)])
        await crashed(driven)
    assert texts(left_drafts(copy)) == [text]


async def test_who_quits_and_loses_a_draft_finds_none(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        await edited(driven, "X")
        await driven.press("escape", "escape")
        await until(driven, lambda: bool(files()))
        await driven.press("q", "down", "down", "enter")
    assert files() == []


async def test_who_keeps_a_draft_and_quits_finds_it(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        await edited(driven, "X")
        await driven.press("escape", "escape", "q", "down", "enter")
    assert len(texts(left_drafts(path))) == 1
    async with opened(path) as driven:
        await until(driven, lambda: "was restored: e continues it" in driven.text)


async def test_rules_and_a_new_query_are_kept_and_there_again(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)

    async def write(driven: Driven, *typed: str) -> None:
        await driven.press("L", "+", "enter", *typed)

    async with opened(path) as driven:
        await driven.press("W", "x", "y", "escape")
        await write(driven, *"A,b", "escape", "q")
        assert "2 drafts not kept" in driven.text
        await driven.sees("Keep them and quit")
        await driven.press("down", "enter")
    async with opened(path) as driven:
        await driven.sees("restored")
        await driven.press("W")
        await driven.sees("xy")
        await driven.press("escape")
        await write(driven)
        await driven.sees("A,b", "✗ the text cannot be read")  # it is read, too
        await driven.press("escape", "q", "down", "down", "enter")
    async with opened(path) as driven:
        await driven.press("L", "+", "enter")
        assert "A,b" not in driven.text
