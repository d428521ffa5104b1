"""What is taken away from the screen as a text, and what the first frame has of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.session.record import record_of
from planscope.tui.opening.summary import Summary, summary_of
from planscope.tui.pane_text import write_text
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
        assert "a file of this name exists" in driven.text
        await driven.press(*["backspace"] * 40, "slash", "x", "slash", "y", "enter")
        assert "it cannot be written" in driven.text
    with pytest.raises(FileExistsError):
        write_text("x", tmp_path / "planscope-query.txt")


def test_the_first_frame_has_what_the_session_says(tmp_path: Path) -> None:
    made = sessions.restarted()
    seen = summary_of(sessions.write(made, tmp_path))
    assert (seen.title, seen.text) == (made.title, made.variants[0].query.text)
    assert seen.run_ids == ("r1",) and seen.run_id == "r1" and seen.simulated
    assert [call.tool for call in seen.calls] == [call.tool for call in record_of(made.runs[0]).calls]
    assert seen.raw is not None and summary_of(tmp_path) == Summary()
    assert summary_of(tmp_path / "none") == Summary() == summary_of(None)
