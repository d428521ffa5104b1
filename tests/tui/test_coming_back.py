"""``planscope`` without a file goes on where one left off; recent sessions are in the palette."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.commands import open as command
from planscope.session.locations import bundled
from planscope.session.recent import recent, remember
from planscope.tui import launch
from tests.tui import sessions
from tests.tui.screen import opened

FIRST = bundled()["first-look"]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_without_a_file_the_last_session_opens_and_the_first_time_the_bundled_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[Any, ...]] = []

    def run(path: Path, *, run: str | None, step: str | None, theme: str | None, notice: str) -> int:
        started.append((path, run, step))
        return 0

    monkeypatch.setattr(command, "has_terminal", lambda: True)
    monkeypatch.setattr(launch, "run", run)
    mine = sessions.write(sessions.figure_10(), tmp_path)
    main([])
    remember(FIRST, "r1", "3")
    main([])
    main(["--run", "r2"])
    remember(FIRST, "gone", "3")
    main([])
    remember(mine, "r1", "2")  # its own file says where it was left
    main([])
    mine.unlink()
    main([])
    asked = [
        (FIRST, None, None),
        (FIRST, "r1", "3"),
        (FIRST, "r2", None),
        (FIRST, None, None),
        (mine, None, None),
    ]
    assert started == [*asked, (FIRST, None, None)]


async def test_where_one_is_when_leaving_is_remembered_and_shown_again() -> None:
    async with opened(FIRST, remembers=True) as driven:
        assert [left.path for left in recent()] == [FIRST]
        await driven.press("o", "up", "enter")
        await driven.rest()
        await driven.press("J", "2", "enter")
        driven.app.close_session()
    (left,) = recent()
    assert (left.run, left.step) == ("r1", "2")
    async with opened(FIRST, run=left.run, step=left.step) as driven:
        assert (driven.state.run.id, driven.state.debug.index) == ("r1", 2)
    async with opened(FIRST, run="r1", step="99") as driven:
        assert driven.state.debug.index == 0, "a step that is gone does no harm"


async def test_the_palette_opens_a_recent_session(tmp_path: Path) -> None:
    mine = sessions.write(sessions.figure_10(), tmp_path)
    remember(mine)
    async with opened(FIRST, remembers=True) as driven:
        (entry,) = [e for e in driven.screen.palette_entries() if e.title.startswith("Recent session")]
        entry.run()
        await driven.until(lambda: driven.screen.work.document.path == mine)
        await driven.rest()
        assert "figure-10" in driven.text
    assert [left.path for left in recent()] == [mine, FIRST]
