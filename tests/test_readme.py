"""The README's two commands, and its moving picture."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from planscope.wording.terms import CONFLICT, LOST_HERE
from tests.make_picture import PICTURE, SCENES, moving, take, texts

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["open command", "test command"])
def test_the_two_commands_need_pip_alone(name: str) -> None:
    found = re.search(rf"<!-- {name} -->\n```sh\n(.*)\n```\n", README)
    assert found
    programs = [part.split()[0] for part in found[1].split(" && ")]
    assert programs[:3] == ["echo", "python3", ".venv/bin/pip"]


@pytest.mark.parametrize("name", ["open command", "test command"])
def test_the_two_commands_show_that_they_work(name: str) -> None:
    """A new pip draws a bar while it installs; the one that comes with Python may say nothing for half a minute."""
    found = re.search(rf"<!-- {name} -->\n```sh\necho .* && (.* && .*pip install [^&]*) &&", README)
    assert found
    assert "--upgrade-deps" in found[1] and " -q" not in found[1]


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 125


def test_the_picture_is_one_file_that_moves_by_itself() -> None:
    svg = PICTURE.read_text(encoding="utf-8")
    assert f"]({PICTURE.relative_to(ROOT)})" in README
    assert len(svg) < 300_000
    assert not re.search(r"<script|<image|href=|@font-face|@import|url\(", svg)
    assert "@keyframes" in svg and "prefers-reduced-motion" in svg


def test_the_words_beside_the_picture_are_in_it() -> None:
    table = README.split("| word | meaning |")[1].split("\n\n")[0].lower()
    shown = " ".join(" ".join(frame) for frame in texts(PICTURE.read_text(encoding="utf-8"))).lower()
    for word in ("query", "constraint", "sim:time-blind", LOST_HERE.lower(), CONFLICT.lower()):
        assert word in table, word
        assert word in shown.replace("\u00a0", " "), word


async def test_the_picture_shows_what_the_debugger_shows() -> None:
    """Its words, frame by frame: not its colours, nor how the SVG is written."""
    kept = texts(PICTURE.read_text(encoding="utf-8"))
    now = texts(moving(await take()))
    assert len(now) == len(SCENES) > 3
    assert all(a != b for a, b in itertools.pairwise(now))
    assert kept == now, "make it again: python -m tests.make_picture"
