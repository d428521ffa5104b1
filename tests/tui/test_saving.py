"""What is taken away from the screen as a text, and what a file says at a glance."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.session import json_bytes
from planscope.session.store import load
from planscope.tui.copying import write_text
from planscope.tui.glance import RESTART_TOOL, NotReadable, glance, glance_of
from tests.tui import sessions
from tests.tui.screen import opened


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


async def test_it_is_said_where_runs_go_that_one_file_cannot_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    before = load(path)
    monkeypatch.setattr(json_bytes, "LARGEST", path.stat().st_size + 500)
    async with opened(path) as driven:
        run = before.runs[0].model_copy(update={"id": "fresh"})
        driven.app.desk.put_run(run)  # type: ignore[union-attr]
        await driven.sees("run fresh is in", "beside it")
    assert load(path).runs == before.runs
    assert [run.id for run in load(path.with_name(path.name.replace(".", "-2.", 1))).runs] == ["fresh"]
