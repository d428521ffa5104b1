"""Which sessions were open last, and where each was left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planscope.session.containers import temporary_file
from planscope.session.recent import MOST, Left, _file, recent, remember


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def made(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).write_text("{}")
    return [folder / name for name in names]


def test_the_last_one_is_first_once_and_without_those_that_are_gone(tmp_path: Path) -> None:
    a, b, c = made(tmp_path, "a", "b", "c")
    assert recent() == []
    for path, run in ((a, "r1"), (b, "r2"), (a, "r3"), (c, "")):
        remember(path, run, "2")
    assert recent() == [Left(c, "", "2"), Left(a, "r3", "2"), Left(b, "r2", "2")]
    c.unlink()
    assert [left.path for left in recent()] == [a, b]


def test_only_the_last_are_kept_and_standard_input_is_not(tmp_path: Path) -> None:
    for path in made(tmp_path, *map(str, range(MOST + 5))):
        remember(path)
    with temporary_file(b"{}") as path:
        remember(path)
        assert len(recent()) == MOST and recent()[0].path == tmp_path / str(MOST + 4)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"sessions": 3}',
        '{"sessions": [3, {"path": 4, "run": "", "step": ""}]}',
        "\0",
        "[" * 9000,
    ],
)
def test_a_damaged_file_is_as_none(text: str, tmp_path: Path) -> None:
    _file().parent.mkdir(parents=True, exist_ok=True)
    _file().write_text(text)
    assert recent() == []
    (path,) = made(tmp_path, "a")
    remember(path)
    assert [left.path for left in recent()] == [path]


def test_hostile_entries_are_dropped_and_the_others_stay(tmp_path: Path) -> None:
    (path,) = made(tmp_path, "a")
    good = {"path": str(path), "run": "r1", "step": "end"}
    bad = [
        {**good, "path": "a\0b"},
        {**good, "run": None},
        {**good, "path": ""},
        {**good, "step": "x" * 9999},
    ]
    _file().parent.mkdir(parents=True, exist_ok=True)
    _file().write_text(json.dumps({"sessions": [*bad, good]}))
    assert recent() == [Left(path, "r1", "end")]
