"""A few hundred of the many actions of ``python -m tests.tui.monkey``; and that it notices what it is there for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from planscope.tui.rooms.debug import DebugRoom
from tests.tui import sessions
from tests.tui.monkey import Lost, Monkey, episode, let_go


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.setenv(name, "true")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sessions.write(sessions.figure_10(), tmp_path)


async def test_nothing_breaks_and_nothing_is_lost() -> None:
    seen = await let_go(240, seed=3, most=80)
    assert sum(seen.values()) == 240
    assert {"DebugRoom", "EditRoom", "FormDialog"} <= set(seen), seen


async def test_it_notices_a_crash(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: DebugRoom) -> None:
        raise RuntimeError("on purpose")

    for name in ("action_next_call", "action_go_start", "action_go_end", "action_zoom", "action_help"):
        monkeypatch.setattr(DebugRoom, name, fail)
    with pytest.raises(Lost, match=r"(?s)on purpose.*seed 4, after:"):
        await episode(path, 4, 200, Counter())


async def test_it_notices_what_is_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def make_and_lose(self: Monkey) -> None:
        desk = self.driven.room.desk
        made = desk.open_session.runs[0].model_copy(update={"id": "made"})
        desk.put_run(made)
        desk.open_session.runs[:] = [run for run in desk.open_session.runs if run.id != "made"]
        self.done += 1

    monkeypatch.setattr(Monkey, "act", make_and_lose)
    with pytest.raises(Lost, match="run made is not on the desk any more"):
        await episode(path, 1, 1, Counter())


async def test_it_notices_a_screen_that_does_not_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DebugRoom, "action_help", lambda self: None)

    async def nothing(self: Monkey) -> None:
        self.done += 1

    monkeypatch.setattr(Monkey, "act", nothing)
    with pytest.raises(Lost, match="the screen does not change any more"):
        await episode(path, 1, 1, Counter())
