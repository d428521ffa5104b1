"""What is saved, and where: never into what must not be written to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from planscope.session.files import SessionError
from planscope.session.places import library
from planscope.session.store import load
from planscope.tui.copying import write_text
from planscope.tui.glance import RESTART_TOOL, NotReadable, glance, glance_of
from planscope.tui.saving import place_for, save_state
from tests.tui import sessions
from tests.tui.screen import Driven, opened


async def saved(driven: Driven) -> None:
    await driven.press("ctrl+s")
    for _ in range(300):
        await driven.pilot.pause(0.01)
        if not driven.room.jobs.running("save"):
            return


async def test_breakpoints_watches_place_and_run_are_kept(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    before = load(path)
    async with opened(path) as driven:
        await driven.press("o", "home", "down", "enter")
        await driven.rest()
        await driven.press("n", "b", "w")
        await driven.type("state")
        await driven.press("enter", "escape")
        await saved(driven)
        assert f"saved to {path.name}"[:5] in driven.text
    after = load(path)
    assert (after.breakpoints, after.watches) == (["step 1"], ["state"])
    assert after.cursor == {"index": 1, "run": "r1"}
    assert (after.variants, after.runs, after.title) == (before.variants, before.runs, before.title)
    async with opened(path) as driven:
        assert driven.state.run_number == 0 and driven.state.debug.index == 1
        assert len(driven.state.breakpoints) == 1 and "state = completable" in driven.text


async def test_a_bundled_session_is_saved_to_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    content = path.read_bytes()
    monkeypatch.setattr("planscope.tui.saving.is_bundled", lambda where: where == path)
    async with opened(path) as driven:
        await driven.press("b")
        await saved(driven)
        assert "saved to" in driven.text and "read-only" in driven.text
        assert driven.state.path == library() / path.name
        await driven.press("n", "b")
        await saved(driven)
        assert "read-only" not in driven.text
    assert path.read_bytes() == content
    assert load(library() / path.name).breakpoints == ["step 1", "step 2"]


async def test_what_cannot_be_saved_says_so_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)

    def refuse(*_: object) -> None:
        raise SessionError("the disk is full; make room")

    monkeypatch.setattr("planscope.session.store.save", refuse)
    async with opened(path) as driven:
        await saved(driven)
        assert "not saved: the disk is full; make room" in driven.text


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_file_that_may_not_be_written_goes_to_the_library(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    path.chmod(0o400)
    assert place_for(path) == library() / path.name


def test_a_file_in_a_folder_of_ones_own_stays_there(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    assert place_for(path) == path
    assert save_state(load(path), {"watches": ["state"]}, path) == path
    assert load(path).watches == ["state"]


async def test_a_copy_goes_into_a_new_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        await driven.press("1", "y", "enter")
        assert "written to planscope-query.txt" in driven.text
        assert (tmp_path / "planscope-query.txt").read_text() == sessions.FIGURE_10 + "\n"
        await driven.press("y", "enter")
        assert "there is a file of this name already" in driven.text
        await driven.press(*["backspace"] * 40, "slash", "x", "slash", "y", "enter")
        assert "it cannot be written" in driven.text
    with pytest.raises(FileExistsError):
        write_text("x", tmp_path / "planscope-query.txt")


def test_the_restart_tool_is_the_oracles() -> None:
    from planscope.oracle.trace import RESTART_TOOL as THEIRS

    assert RESTART_TOOL == THEIRS


def test_a_glance_says_what_the_session_says(tmp_path: Path) -> None:
    made = sessions.restarted()
    path = sessions.write(made, tmp_path)
    seen = glance(path)
    assert seen == glance_of(made.model_dump(mode="json"))
    assert [call.attempt for call in seen.runs[0].calls] == [1, 2, 2, 2]
    assert seen.runs[0].calls[0].thought == "Next comes disk_check."
    assert seen.runs[0].calls[0].answer == "Disk check takes 1 hour."
    assert seen.runs[0].last_words == "All is done." and seen.runs[0].simulated
    with pytest.raises(NotReadable):
        glance(tmp_path)
