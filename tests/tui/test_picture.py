"""Pictures of the screen: well-formed, of the size, theme, run and step that were asked for."""

from __future__ import annotations

import gc
import io
import sys
import xml.etree.ElementTree
from pathlib import Path

import pytest

from planscope.errors import UserError
from planscope.session.store import save
from planscope.tui import launch
from planscope.tui.app import PlanscopeApp
from planscope.tui.picture import export_svg
from tests.hostile import SAVEABLE
from tests.nightly import nightly, rounds
from tests.tui import sessions
from tests.tui.test_hostile_screen import hostile_session


def text_of(svg: str) -> str:
    root = xml.etree.ElementTree.fromstring(svg)
    return " ".join("".join(e.itertext()) for e in root.iter()).replace("\xa0", " ")


@pytest.mark.parametrize(
    ("theme", "size"),
    [
        ("dark", (80, 24)),
        ("light", (120, 40)),
        ("terminal", (200, 60)),
        *nightly(("dark", (200, 60)), ("light", (80, 24)), ("terminal", (120, 40))),
    ],
)
async def test_a_picture_of_the_golden_case(size: tuple[int, int], theme: str, tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    told = text_of(await export_svg(path, size, theme))
    for words in ("PARAMETER ERROR", "LOST HERE", "applying_hair_color", "planscope: figure-10"):
        assert words in told


async def test_a_run_and_a_step(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    told = text_of(await export_svg(path, (120, 40), None, "r1", "end"))
    assert "RIGHT" in told and "The end" in told
    for wrong in ({"run": "r9"}, {"step": "9"}, {"theme": "nice"}):
        with pytest.raises(UserError):
            await export_svg(path, (120, 40), **wrong)
    with pytest.raises(UserError, match="no file"):
        await export_svg(tmp_path / "gone")


async def test_hostile_texts_make_a_well_formed_picture(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    for readable in (True, False):
        save(hostile_session(tuple(s[:200] for s in SAVEABLE[:: rounds(5, 1)]), readable=readable), path)
        assert text_of(await export_svg(path, (120, 40)))


def test_who_quits_while_a_picture_is_made_hears_what_is_said_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are applications of Textual's, in two threads, and each gives back the streams that it found."""
    path, before = sessions.write(sessions.figure_10(), tmp_path), (sys.stdout, sys.stderr)
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()

    def left(self: PlanscopeApp) -> int:
        sys.stdout = sys.stderr = io.StringIO()
        self.parting = "the disk is full"
        return 0

    monkeypatch.setattr(PlanscopeApp, "run", left)
    try:
        with pytest.raises(UserError, match="not saved: the disk is full"):
            launch.run(path, in_browser=True)
        assert (sys.stdout, sys.stderr) == before
    finally:
        sys.stdout, sys.stderr = before
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)
