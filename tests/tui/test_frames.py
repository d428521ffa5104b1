"""The screen as text, at three sizes and in every state that it can be in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from planscope.session.model import Session
from tests.tui import sessions
from tests.tui.screen import opened

Same = Callable[[object, str], None]

DEFAULT_KEYS = True


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_golden_case(size: tuple[int, int], tmp_path: Path, same_frame: Same) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path, size) as driven:
        same_frame(driven.app, f"figure-10-{size[0]}x{size[1]}")


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("out-of-order", sessions.out_of_order),
        ("contradictory", sessions.contradictory),
        ("unreadable", sessions.unreadable),
        ("aborted", sessions.aborted),
        ("restarted", sessions.restarted),
        ("no-run", sessions.no_run),
    ],
)
async def test_every_kind_of_session(
    name: str, made: Callable[[], Session], tmp_path: Path, same_frame: Same
) -> None:
    async with opened(sessions.write(made(), tmp_path)) as driven:
        same_frame(driven.app, name)


@pytest.mark.parametrize(
    "views",
    [
        {"explain": ["x"], "help": ["question_mark"], "watches": ["w"], "copy": ["y"], "runs": ["o"]},
        {"zoomed": ["5", "z"]},
        {"tree": ["2", "down", "down"]},
        {"breakpoints": ["b", "B"]},
    ],
    ids=" ".join,
)
async def test_dialogs_and_views(views: dict[str, list[str]], tmp_path: Path, same_frame: Same) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (100, 30)) as driven:
        for name, keys in views.items():
            await driven.press(*keys)
            await driven.pilot.pause()
            same_frame(driven.app, f"view-{name}")
            await driven.press("escape")


async def test_a_window_that_is_too_small_says_so_and_recovers(tmp_path: Path, same_frame: Same) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (50, 12)) as driven:
        same_frame(driven.app, "too-small")
        await driven.press("n", "x", "escape", "z", "z", "down", "tab")
        await driven.pilot.resize_terminal(120, 40)
        await driven.pilot.pause()
        assert "Timeline" in driven.text and "LOST HERE" in driven.text
        await driven.pilot.resize_terminal(80, 24)
        await driven.pilot.pause()
        assert "Timeline" in driven.text and "Tree" not in driven.text
        await driven.pilot.resize_terminal(4, 2)
        await driven.pilot.pause()
        await driven.press("n", "N", "question_mark", "escape")
        await driven.pilot.resize_terminal(200, 60)
        await driven.pilot.pause()
        assert "Inspector" in driven.text
