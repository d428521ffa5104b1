"""Files of the hostile corpus on the screen: what opens is shown in every pane, the rest is said in a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.tui.opening.summary import summary_of
from tests.fuzz.hostile_files import FILES, SMALL, HostileFile
from tests.nightly import nightly
from tests.tui.screen import opened
from tests.tui.test_hostile_screen import assert_clean

CHOSEN = (
    "a sound session after a byte order mark",
    "utf-16",
    "cut at 9/20",
    "runs.0.events.2.arguments.start_time = 1e999",
    "x: as deep as may be",
    "gzip that is sound",
    "a gzip bomb after a session",
    "a page with a session",
    "a field 'model_dump'",
    "a contradiction",
    "relative clauses without end",
    "answers before their calls",
    "actions of one name",
    "no variants",
    "a directory",
    "a pipe",
    "a link to itself",
    "a file called 'a\\u202eb'",
)
BY_NAME = {file.name: file for file in SMALL}


def test_they_are_there() -> None:
    assert set(CHOSEN) <= set(BY_NAME)


@pytest.mark.parametrize(
    "file",
    [
        *(BY_NAME[name] for name in CHOSEN[::6]),
        *nightly(*(BY_NAME[name] for name in CHOSEN if name not in CHOSEN[::6])),
    ],
    ids=lambda f: f.name[:40],
)
async def test_on_the_screen(file: HostileFile, tmp_path: Path) -> None:
    path = file.write(tmp_path)
    async with opened(path, (100, 30)) as driven:
        assert_clean(driven)
        failed = driven.state.progress == "failed"
        assert failed or file.fate != "refused"
        assert not failed or file.fate != "opens"
        for key in (
            "n",
            "G",
            "1",
            "down",
            "4",
            "enter",
            "y",
            "escape",
            "x",
            "escape",
            "w",
            "escape",
            "o",
            "escape",
        ):
            await driven.pilot.press(key)
            assert_clean(driven)
        assert driven.app.is_running


def test_a_run_of_a_large_session_is_found(tmp_path: Path) -> None:
    """The first frame is made of a summary of the file, which no size may keep from seeing its runs."""
    (file,) = (file for file in FILES if file.name == "9 MB of prose")
    assert summary_of(file.write(tmp_path)).run_ids == ("r1",)
