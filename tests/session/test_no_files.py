"""Where a file of our own should be a pipe or a device may lie: nobody waits for one, nor reads it for ever."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from planscope.session import locations
from planscope.session.files import SessionError, fingerprint_of
from planscope.session.library import retitle
from planscope.session.library_index import Index

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are of Unix")


def ended(work: Callable[[], object]) -> list[object]:
    """What it returned or raised; a test that waits for ever would tell nobody."""
    done: list[object] = []

    def run() -> None:
        try:
            done.append(work())
        except SessionError as error:
            done.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive(), "it waits for ever"
    return done


def test_a_stamp_of_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.planscope.json")
    assert ended(lambda: fingerprint_of(tmp_path / "x.planscope.json")) == [None]
    assert ended(lambda: fingerprint_of(tmp_path)) == [None]


def test_an_index_that_is_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locations, "cache_folder", lambda: tmp_path)
    os.mkfifo(tmp_path / "sessions.json")
    assert ended(lambda: Index().get((0, 0, 0, 0))) == [None]


def test_a_pipe_in_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    path = locations.library_folder() / "pipe.planscope.json"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    link = locations.library_folder() / "link.planscope.json"
    link.symlink_to(path)
    for one in (path, link):
        (error,) = ended(lambda one=one: retitle(one, "x"))
        assert isinstance(error, SessionError) and "file" in str(error)
