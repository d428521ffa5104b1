"""What the first frame needs and what it shows; how a session is entered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from textual.app import App

from planscope.errors import UserError
from planscope.session.store import save
from planscope.tui.app import Asked, PlanscopeApp
from planscope.tui.arrangement import shares
from planscope.tui.launch import run
from planscope.tui.opening.first_frame import FirstFrame
from planscope.tui.screens.debug.screen import DebugScreen
from tests.tui import sessions
from tests.tui.screen import Driven, opened, rows

HEAVY = (
    "z3",
    "lark",
    "langchain",
    "langchain_core",
    "langgraph",
    "openai",
    "pydantic",
    "planscope.language.reading",
    "planscope.oracle.replay",
    "planscope.session.model",
    "planscope.wording",
    "planscope.tui.screens",
    "planscope.tui.screens.lists",
    "planscope.tui.screens.edit",
    "planscope.debugger",
)

_PROGRAM = """
import asyncio, json, sys
from pathlib import Path
from planscope.tui.app import Asked, PlanscopeApp

seen = {}

class Watched(PlanscopeApp):
    def _open(self):
        seen["modules"] = sorted(sys.modules)
        seen["screen"] = [strip.text for strip in self.screen._compositor.render_strips(self.screen.size)]
        self.exit(0)

async def main():
    app = Watched(Path(sys.argv[1]))
    async with app.run_test(size=(120, 40)) as pilot:
        for _ in range(1000):
            if seen:
                break
            await pilot.pause(0.05)

asyncio.run(main())
print(json.dumps(seen))
"""


def test_nothing_heavy_is_imported_before_the_first_frame(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(path)], capture_output=True, text=True, check=True, timeout=120
    )
    seen = json.loads(done.stdout)
    loaded = [m for m in seen["modules"] if m in HEAVY or m.startswith(tuple(f"{h}." for h in HEAVY))]
    assert loaded == []
    screen = "\n".join(seen["screen"])
    assert "Attending training sessions follow" in screen
    assert "2 · applying_hair_color(8)" in screen
    assert "figure-10" in screen and "simulated" in screen and "judging" in screen


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (200, 60), (133, 47), (60, 15)])
async def test_the_first_frame_has_its_boxes_where_the_room_has_them(
    size: tuple[int, int], tmp_path: Path
) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)

    class Held(PlanscopeApp):
        def _open(self) -> None:
            pass

    def corners(app: App[int]) -> list[tuple[int, int]]:
        found = enumerate(rows(app))
        return [(y, x) for y, row in found for x, c in enumerate(row) if c == "┬" or row.startswith("─ ")]

    app = Held(path)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, FirstFrame)
        first = corners(app)
    async with opened(path, size) as driven:
        unjudged = driven.screen.work.layout.panes._replace(wants={}).places().values()
    assert {(rect.y, rect.x) for rect in unjudged} <= set(first)
    assert {y for y, x in first if x == 0} == {rect.y for rect in unjudged if rect.x == 0}


def test_shares_fill_the_whole() -> None:
    for total in range(1, 260):
        for parts in ((8, 7, 9), (13, 11), (6, 6, 10)):
            assert sum(shares(total, parts)) == total


async def test_the_first_frame_survives_any_size(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    for size in ((1, 1), (20, 5), (59, 14), (61, 16), (300, 100)):
        async with opened(path, size) as driven:
            assert driven.app.is_running


async def test_a_run_and_a_step_can_be_asked_for(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path, run="r1", step="2") as driven:
        assert driven.state.run_number == 0 and driven.state.debug.index == 2
        assert "RIGHT" in driven.text
    async with opened(path, step="end", theme="light") as driven:
        assert driven.state.debug.step == "end" and driven.app.theme == "light"
    with pytest.raises(UserError, match="no run nobody"):
        PlanscopeApp(path, Asked(run="nobody"))


async def test_where_a_session_was_left_is_where_it_opens(tmp_path: Path) -> None:
    made = sessions.figure_10()
    made.cursor = {"run": "r1", "index": 3}
    made.breakpoints = ["step 2", "breaks c99", "doomed"]
    made.watches = ["state", "nonsense ("]
    path = sessions.write(made, tmp_path)
    async with opened(path) as driven:
        assert driven.state.run_number == 0 and driven.state.debug.index == 3
        assert list(map(str, driven.state.breakpoints)) == ["step 2", "doomed"]
        assert driven.state.marks.strange_breakpoints == ("breaks c99",)
        await driven.sees("does not apply to this run")
        await driven.press("o", "end", "enter")
        await driven.rest()
        assert list(map(str, driven.state.breakpoints)) == ["step 2", "doomed"]


def test_a_theme_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    with pytest.raises(UserError, match=r"^no theme 'drak'; nearest: 'dark'; there are: dark, "):
        PlanscopeApp(path, Asked(theme="drak"))


async def test_a_broken_theme_file_is_named_and_the_app_stays_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from planscope.tui.style.themes import user_themes_folder

    folder = user_themes_folder()
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text('name = "mine"\n[colors]\nprimary = "}{"\n')
    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        assert "mine.toml:3" in driven.text


async def test_a_users_own_keys_count(tmp_path: Path) -> None:
    from planscope.tui.keys import keys_file
    from planscope.tui.settings import config_file

    config_file().unlink()  # its keys would stand before those of this file
    keys_file().write_text('[keys]\nnext-call = "j"\nprevious-call = "nothing"\n')
    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        assert "keys.toml:3" in driven.text
        await driven.press("n")
        assert driven.state.debug.index == 1
        await driven.press("j")
        assert driven.state.debug.index == 2
        assert " j next" in driven.text


async def test_no_color_sends_no_colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.tui.screen import styles

    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        found = [style for row in styles(driven.app) for _, style in row if style is not None]
        for style in found:
            assert style.color is None or style.color.is_default
            assert style.bgcolor is None or style.bgcolor.is_default
        assert any(style.reverse for style in found) and any(style.underline for style in found)
        await driven.press("x")
        for row in styles(driven.app):
            for _, style in row:
                assert style is None or style.color is None or style.color.is_default


@pytest.mark.parametrize("theme", ["dark", "light", "high-contrast", "colour-blind", "terminal"])
async def test_every_theme_paints_every_role(theme: str, tmp_path: Path) -> None:
    from planscope.tui.style.painter import GROUNDS, ROLES

    async with opened(sessions.write(sessions.figure_10(), tmp_path), theme=theme) as driven:
        paint = driven.app.paint
        for role in ROLES:
            for ground in GROUNDS:
                style = paint.style(role, ground)
                assert style.color is not None and style.bgcolor is not None
                if theme != "terminal":
                    assert style.color != style.bgcolor


def test_without_a_terminal_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="needs a terminal"):
        run(tmp_path / "x")


async def test_no_file_at_all() -> None:
    app = PlanscopeApp(None)
    async with app.run_test(size=(100, 30)) as pilot:
        driven = Driven(app, pilot)
        await driven.rest()
        assert isinstance(app.screen, DebugScreen)
        assert "No session is open. L lists your sessions and the bundled ones." in driven.text
        assert driven.text.splitlines()[-1].startswith(" L library  ? help  Ctrl+p palette  q quit")
        await driven.press("n")
        await driven.sees("no session is open")


async def test_a_large_file_opens_without_its_text_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planscope.tui.opening.summary.LARGEST", 100)
    path = tmp_path / "big.planscope.json.gz"
    save(sessions.figure_10(), path)
    async with opened(path) as driven:
        assert "PARAMETER ERROR" in driven.text
        assert driven.state.debug.index == 1
