"""What is done on the screen is in a file a moment later, wherever it may be written, and is never lost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planscope.session import writer
from planscope.session.files import SessionError
from planscope.session.locations import bundled, library_folder
from planscope.session.lock import holder_of
from planscope.session.model import Session
from planscope.session.recovery import recoverable
from planscope.session.store import load, save
from planscope.session.writer import SessionWriter
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.dialogs.describe import DescribeDialog
from planscope.tui.screens.edit.screen import EditScreen
from planscope.tui.screens.flows.recover import differences
from tests.hostile import SAVEABLE
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import Driven, opened
from tests.tui.test_live import until

FIRST = bundled()["first-look"]


@pytest.fixture(autouse=True)
def _folders_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr("planscope.tui.controllers.autosave.PAUSE", 0.1)


async def saved(driven: Driven) -> None:
    await until(driven, lambda: driven.app.work.document.saving.state == "saved")
    await driven.pilot.pause()


async def renamed(driven: Driven, text: str) -> None:
    """The session is given another title: a change."""
    await driven.press("D")
    await driven.press("home")
    await driven.type(text)
    await driven.press("escape")


def refusing(monkeypatch: pytest.MonkeyPatch, why: str = "the disk is full; make room") -> list[bool]:
    """Writing a session fails as long as the list is not empty; the journal is written all the same."""
    refuses, write = [True], writer.write_atomic

    def wrote(path: Path, data: bytes) -> None:
        if refuses:
            raise SessionError(why)
        write(path, data)

    monkeypatch.setattr(writer, "write_atomic", wrote)
    return refuses


async def test_a_change_is_saved_without_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.tui.controllers.autosave.PAUSE", 0.6)
    path = sessions.write(sessions.figure_10(), tmp_path)
    before = load(path)
    async with opened(path) as driven:
        driven.open_run_number(0)
        await driven.rest()
        await driven.press("n", "b")
        assert "• saving" in driven.text
        await saved(driven)
        assert "✓ saved" in driven.text
        assert load(path).breakpoints == ["step 1"]
        await driven.press("w")
        await driven.type("state")
        await driven.press("enter", "escape")
        await until(driven, lambda: load(path).watches == ["state"])
    after = load(path)
    assert after.cursor == {"index": 1, "run": "r1"}
    assert (after.variants, after.runs, after.title) == (before.variants, before.runs, before.title)
    async with opened(path) as driven:
        assert driven.state.run_number == 0 and driven.state.debug.index == 1
        assert len(driven.state.breakpoints) == 1 and "state = possible" in driven.text


async def test_whoever_only_looks_changes_nothing(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    content = path.read_bytes()
    async with opened(path) as driven:
        await driven.press("x", "escape", "1", "down", "z")
        assert "saved" not in driven.text and "saving" not in driven.text
    assert path.read_bytes() == content
    async with opened(FIRST) as driven:
        await driven.press("n", "n", "o", "home", "enter")
        await driven.rest()
    assert not library_folder().exists()


async def test_quitting_saves_at_once(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        await driven.press("b", "q")
    assert load(path).breakpoints == ["step 1"]
    assert holder_of(path) is None


async def test_a_bundled_session_goes_to_the_library_at_its_first_change() -> None:
    content = FIRST.read_bytes()
    async with opened(FIRST) as driven:
        await renamed(driven, "Mine: ")
        await saved(driven)
        assert "copied to your library as first-look-2 (bundled" in driven.text
        copy = library_folder() / "first-look-2.planscope.json"
        assert driven.state.path == copy
        await driven.press("b", "n", "b")
        await saved(driven)
        assert "copy" not in driven.text
    assert FIRST.read_bytes() == content
    assert len(load(copy).breakpoints) == 2
    assert [path.name for path in library_folder().iterdir()] == [copy.name]


async def watched(driven: Driven, text: str) -> None:
    await driven.press("w")
    await driven.type(text)
    await driven.press("enter", "escape")


async def test_looking_makes_no_copy_of_a_bundled_session() -> None:
    content = FIRST.read_bytes()
    for _ in range(2):
        async with opened(FIRST) as driven:
            await driven.press("b", "z", "z", "n", "b", "1")
            await watched(driven, "valid_completions")
            assert len(driven.state.breakpoints) == 2 and len(driven.state.watches) == 1
            await driven.press("o", "up", "enter")
            await driven.rest()
            assert len(driven.state.breakpoints) == 2 and "valid_completions" in driven.text
            await driven.pilot.pause(0.3)
            assert "saving" not in driven.text and not driven.app.work.document.unsaved
    assert FIRST.read_bytes() == content and not library_folder().exists()


async def test_ctrl_s_saves_now_and_says_where(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        await driven.press("b", "ctrl+s")
        await until(driven, lambda: "saved to " in driven.text)
        assert load(path).breakpoints == ["step 1"]
        for _ in range(2):  # nothing changed since
            driven.screen.tell("")
            await driven.press("ctrl+s")
            await until(driven, lambda: "saved to " in driven.text)


async def test_a_session_that_is_open_elsewhere_is_named_and_left_alone(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    content = path.read_bytes()
    with SessionWriter(path) as other:
        assert other.where == "here"
        async with opened(path, (80, 24)) as driven:
            elsewhere = f"open in another planscope (process {os.getpid()})"
            await until(driven, lambda: elsewhere in " ".join(driven.text.split()))
            assert "go into a copy" in " ".join(driven.text.split())
            await driven.press("b")
            await saved(driven)
            assert "(another planscope writes to it)" in " ".join(driven.text.split())
        assert path.read_bytes() == content
    assert [load(copy).breakpoints for copy in library_folder().iterdir()] == [["step 1"]]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_cannot_be_saved_is_said_until_it_can(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path, size) as driven:
        refuses = refusing(monkeypatch)
        await driven.press("b")
        await until(driven, lambda: driven.app.work.document.saving.state == "failed")
        await driven.press("n")
        assert "✗ not saved: the disk is full; make room" in driven.text and "Ctrl+s says more" in driven.text
        await driven.press("d")
        await driven.sees("✗ not saved: the disk is full", "n next difference")
        await driven.press("escape", "ctrl+s")
        await driven.sees("Try again now")
        assert "your changes are kept, and offered when" in driven.text
        refuses.clear()
        await driven.press("enter")
        await saved(driven)
        assert "saved to" in driven.text and "not saved" not in driven.text
    assert load(path).breakpoints == ["step 1"] and recoverable(path) is None


async def test_a_file_that_another_program_changed_is_not_written_over(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        save(sessions.figure_10().model_copy(update={"title": "theirs"}), tmp_path / "b.planscope.json")
        (tmp_path / "b.planscope.json").replace(path)
        await driven.press("b")
        await until(driven, lambda: driven.app.work.document.saving.state == "failed")
        await driven.press("ctrl+s", "down", "enter")
        await saved(driven)
        assert "copied to your library as" in driven.text
    assert load(path).title == "theirs"
    assert [load(copy).breakpoints for copy in library_folder().iterdir()] == [["step 1"]]
    assert recoverable(path) is None


async def unsaved(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave work on the session that could not be saved."""
    with monkeypatch.context() as patch:
        async with opened(path) as driven:
            refusing(patch)
            await driven.press("b")
            await until(driven, lambda: driven.app.work.document.saving.state == "failed")
            await driven.press("q", "down", "enter")
        assert "the disk is full" in driven.app.parting
    assert recoverable(path) is not None


async def test_unsaved_work_is_offered_and_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same_frame: object
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    await unsaved(path, monkeypatch)
    assert load(path).breakpoints == []
    async with opened(path) as driven:
        await until(driven, lambda: isinstance(driven.app.screen, ChooseDialog))
        assert "1 breakpoint" in driven.text and "the disk is full" in driven.text
        await driven.press("down", "enter")
        assert "Unsaved work" in driven.text
        await driven.press("escape", "up", "enter")
        await until(driven, lambda: driven.app.screen_of_session.is_current)
        await driven.rest()
        assert list(map(str, driven.state.breakpoints)) == ["step 1"]
        await saved(driven)
    assert load(path).breakpoints == ["step 1"] and recoverable(path) is None


async def test_unsaved_work_goes_into_a_copy_where_the_file_is_another_by_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    await unsaved(path, monkeypatch)
    save(load(path).model_copy(update={"title": "theirs"}), path)
    async with opened(path) as driven:
        await until(driven, lambda: isinstance(driven.app.screen, ChooseDialog))
        assert "as a copy" in driven.text
        await driven.press("enter")
        await until(driven, lambda: driven.app.screen_of_session.is_current)
        await saved(driven)
    assert (load(path).title, load(path).breakpoints) == ("theirs", [])
    assert [load(copy).breakpoints for copy in library_folder().iterdir()] == [["step 1"]]
    assert recoverable(path) is None


async def test_unsaved_work_stays_until_it_is_thrown_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    await unsaved(path, monkeypatch)
    for keys, left in ((["escape"], True), (["end", "enter", "enter"], True), (["end", "enter"], False)):
        async with opened(path) as driven:
            await until(driven, lambda app=driven.app: isinstance(app.screen, ChooseDialog))
            await driven.press(*keys)
            if not left:
                await driven.press("down", "enter")
                assert "unsaved work deleted" in driven.text
            else:
                assert "is kept and offered again" in driven.text
        assert (recoverable(path) is not None) == left


async def test_quitting_with_what_is_not_saved_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        refusing(monkeypatch)
        await driven.press("b")
        await until(driven, lambda: driven.app.work.document.saving.state == "failed")
        await driven.press("q")
        assert "Stay" in driven.text and "not saved" in driven.text
        await driven.press("enter")
        assert driven.app.is_running and driven.app.screen is driven.screen


async def test_title_and_notes(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        await driven.press("D")
        await driven.type("why")
        await driven.press("enter")
        await driven.type("not")
        await driven.press("shift+tab", *["backspace"] * 9)
        await driven.type("mine")
        await driven.press("escape")
        await saved(driven)
        assert "mine" in driven.text.splitlines()[0]
        await driven.press("D", "escape")
    assert (load(path).title, load(path).notes) == ("mine", "why\nnot")


async def test_title_and_notes_are_saved_while_they_are_typed(tmp_path: Path) -> None:
    made = sessions.figure_10().model_copy(update={"title": "the\x1bold", "notes": "a\x07b"})
    path = sessions.write(made, tmp_path)
    async with opened(path) as driven:
        await driven.press("D", "!")  # behind what is there
        await until(driven, lambda: driven.app.work.document.saving.state == "saved")
        assert (load(path).title, load(path).notes) == ("the\x1bold", "a␇b!")
        await driven.press("backspace")
        await until(driven, lambda: load(path).notes == "a\x07b")  # as before it was touched
        await driven.press("shift+tab", *["backspace"] * 9, *"new")
        await until(driven, lambda: load(path).title == "new")
        assert isinstance(driven.app.screen, DescribeDialog)


@pytest.mark.parametrize("every", [20, *nightly(5)])
async def test_hostile_notes_are_shown_and_left_as_they_are(every: int, tmp_path: Path) -> None:
    from textual import events

    from tests.tui.test_hostile_screen import assert_clean

    short = [text[:300] for text in SAVEABLE]
    made = sessions.figure_10().model_copy(update={"title": "".join(short[20:40]), "notes": "\n".join(short)})
    path = sessions.write(made, tmp_path)
    async with opened(path) as driven:
        await driven.press("D")
        assert_clean(driven)
        for _ in range(8):
            await driven.press("pagedown")
            assert_clean(driven)
        await driven.press("escape")
        assert driven.app.work.document.saving.state == ""
        await driven.press("D")
        for text in short[::every]:
            driven.app.screen.focused.post_message(events.Paste(text))
            await driven.pilot.pause()
            assert_clean(driven)


def test_differences_name_what_is_there() -> None:
    now, then = sessions.figure_10(), sessions.figure_10()
    assert list(differences(now, then)) == []
    more = then.model_copy(
        update={
            "title": "\x1b[31m",
            "notes": "x",
            "runs": [*then.runs, then.runs[0].model_copy(update={"id": "r3"})],
            "watches": ["state"],
            "cursor": {"index": 1},
            "rules": "lock_up happens at least once.",
            "fuzzings": [],
        }
    )
    assert list(differences(now, more)) == [
        "the title: ␛[31m",
        "the notes",
        "the rules",
        "what was found in tools",
        "1 run new (r3)",
        "1 watch",
        "the cursor",
    ]
    assert list(differences(more, Session(id="s", title="\x1b[31m")))[3] == "3 runs missing (r1, r2, r3)"


@pytest.mark.parametrize("width", [80, 100, 120])
async def test_a_title_too_long_is_cut_before_it_is_left_out(tmp_path: Path, width: int) -> None:
    title = "Bug at the reception, as Jane and John told it" + " to whoever asked" * 4
    path = sessions.write(sessions.figure_10().model_copy(update={"title": title}), tmp_path)
    async with opened(path, size=(width, 30)) as driven:
        bar = driven.text.splitlines()[0]
        assert "Bug at th" in bar and bar.count("…") == 1 and len(bar) <= width


async def test_a_draft_that_is_typed_before_work_is_restored_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, found = sessions.write(sessions.figure_10(), tmp_path), asyncio.Event()
    await unsaved(path, monkeypatch)
    run = Jobs.run

    async def slow(self: Jobs, name: str, work: Callable[[Any], Any]) -> Any:
        if name == "recovery":
            await found.wait()
        return await run(self, name, work)

    monkeypatch.setattr(Jobs, "run", slow)
    async with opened(path) as driven:
        await driven.press("e", "i", "end", "z", "z")
        assert isinstance(driven.app.screen, EditScreen)
        found.set()
        await driven.sees("Unsaved work")
        before = driven.screen
        await driven.press("enter")
        await until(driven, lambda: driven.screen is not before)
        await driven.rest()
        assert driven.screen.work.document.open_session.breakpoints == ["step 1"]
        (history,) = driven.screen.work.drafts.histories.values()
        assert "zz" in history.now.text
