"""Saving: a moment after a change, one save at a time, tried again, at once when it has to be; to which file."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planscope.session import json_bytes
from planscope.session import writer as writing
from planscope.session.files import SessionError
from planscope.session.locations import bundled, library_folder
from planscope.session.lock import holder_of
from planscope.session.model import Session
from planscope.session.recovery import recoverable
from planscope.session.store import load, save
from planscope.session.writer import SessionWriter
from planscope.tui.controllers import autosave as autosave_
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.messages import DocumentChanged, Notice
from tests.tui import sessions
from tests.tui.controllers.at_once import Posted

FIRST = bundled()["first-look"]


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr(autosave_, "PAUSE", 0.01)
    monkeypatch.setattr(autosave_, "LONGEST", 0.1)
    monkeypatch.setattr(autosave_, "RETRY", 0.02)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return sessions.write(sessions.figure_10(), tmp_path)


class Saved:
    """A document with its autosave, as the application connects them. ``held``: the writer that it begins with."""

    def __init__(
        self, path: Path, held: SessionWriter | None = None, after: Callable[[], None] = lambda: None
    ) -> None:
        self.posted = Posted()
        self.document = Document(path, self._heard)
        self.autosave: Autosave = Autosave(self.document, self.posted, held, after)
        self.autosave.hold()
        self.document.open(load(path))
        self.posted.clear()

    def _heard(self, message: DocumentChanged) -> None:
        self.posted(message)
        self.autosave.heard(message)

    def rename(self, title: str = "Mine") -> None:
        self.document.edit(title=title)

    @property
    def state(self) -> str:
        return self.document.saving.state

    @property
    def states(self) -> list[str]:
        return [m.what for m in self.posted.of(DocumentChanged)]

    @property
    def notices(self) -> list[str]:
        return [message.line for message in self.posted.of(Notice)]


async def until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not what():
            await asyncio.sleep(0.002)


def refusing(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Writing fails as long as the list is not empty; the journal is written all the same."""
    refuses, write = [True], writing.write_atomic

    def wrote(path: Path, data: bytes) -> None:
        if refuses:
            raise SessionError("the disk is full; make room")
        write(path, data)

    monkeypatch.setattr(writing, "write_atomic", wrote)
    return refuses


def slow(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event, list[str]]:
    """Saves begin with the first event and wait for the second; the titles that were saved."""
    begun, go_on, write = threading.Event(), threading.Event(), autosave_._write
    titles: list[str] = []

    def waits(writer: SessionWriter, session: Session) -> Path:
        begun.set()
        assert go_on.wait(20)
        titles.append(session.title)
        return write(writer, session)

    monkeypatch.setattr(autosave_, "_write", waits)
    return begun, go_on, titles


# When to save


async def test_a_change_is_in_the_file_a_moment_later(path: Path) -> None:
    saved = Saved(path)
    saved.rename()
    assert saved.state == "changed" and load(path).title == "figure-10"
    await until(lambda: saved.state == "saved")
    assert load(path).title == "Mine" and not saved.document.unsaved and not saved.notices
    assert saved.states == ["fields", "saving", "saving"]
    assert saved.autosave.close() == "" and holder_of(path) is None


async def test_whoever_only_looks_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    saved = Saved(path)
    saved.document.edit(change=False, cursor={"index": 1})
    saved.document.put_run(saved.document.runs[0].model_copy(update={"id": "r9"}), passing=True)
    await asyncio.sleep(0.03)
    assert saved.state == "" and saved.autosave.close() == "" and path.read_bytes() == before


async def test_changes_that_come_together_are_saved_together(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, go_on, titles = slow(monkeypatch)
    go_on.set()
    saved = Saved(path)
    for number in range(9):
        saved.rename(f"{number}")
    await until(lambda: saved.state == "saved")
    assert titles == ["8"]
    saved.autosave.close()


async def test_no_change_waits_for_ever_for_a_pause(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave_, "PAUSE", 60.0)
    saved = Saved(path)
    saved.rename("one")
    saved.rename("two")
    await until(lambda: saved.state == "saved")
    assert load(path).title == "two"
    saved.autosave.close()


async def test_one_save_at_a_time_and_another_behind_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, titles = slow(monkeypatch)
    saved = Saved(path)
    saved.rename("one")
    await until(begun.is_set)
    saved.rename("two")
    saved.autosave.save()
    await asyncio.sleep(0.03)
    assert titles == []
    go_on.set()
    await until(lambda: saved.state == "saved")
    assert titles == ["one", "two"] and saved.states == ["fields", "saving", "fields", "saving"]
    saved.autosave.close()


async def test_a_save_that_fails_is_said_and_tried_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuses = refusing(monkeypatch)
    saved = Saved(path)
    saved.rename()
    await until(lambda: saved.state == "failed")
    assert "the disk is full; make room" in saved.document.saving.trouble and saved.document.unsaved == 1
    assert (await saved.autosave.flush()).startswith("the disk is full")
    saved.rename("Other")
    assert saved.state == "failed", "what could not be saved is not forgotten for a change"
    refuses.clear()
    await until(lambda: saved.state == "saved")
    assert load(path).title == "Other" and recoverable(path) is None
    saved.autosave.close()


async def test_an_error_of_another_kind_is_one_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(writer: SessionWriter, session: Session) -> Path:
        raise ValueError("first\nsecond")

    monkeypatch.setattr(autosave_, "_write", wrong)
    saved = Saved(path)
    saved.rename()
    assert await saved.autosave.flush() == "ValueError: first" == saved.autosave.close()


# At once


async def test_what_is_flushed_is_in_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave_, "PAUSE", 60.0)
    saved = Saved(path)
    assert await saved.autosave.flush() == ""
    saved.rename()
    assert await saved.autosave.flush() == "" and load(path).title == "Mine"
    saved.autosave.close()


async def test_what_changed_while_it_was_flushed_is_in_the_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, titles = slow(monkeypatch)
    saved = Saved(path)
    saved.rename("one")
    await until(begun.is_set)
    saved.rename("two")
    flushing = asyncio.create_task(saved.autosave.flush())
    await asyncio.sleep(0.01)
    go_on.set()
    assert await flushing == "" and load(path).title == "two" and titles == ["one", "two"]
    saved.autosave.close()


async def test_closing_saves_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave_, "PAUSE", 60.0)
    saved = Saved(path)
    saved.rename()
    assert saved.autosave.close() == "" and load(path).title == "Mine" and holder_of(path) is None
    saved.rename("late")
    assert saved.autosave._timer is None, "a closed one waits for nothing"


async def test_closing_waits_for_a_save_and_saves_what_came_behind_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, titles = slow(monkeypatch)
    saved = Saved(path)
    saved.rename("one")
    await until(begun.is_set)
    saved.rename("two")
    threading.Timer(0.02, go_on.set).start()
    assert saved.autosave.close() == "" and titles == ["one", "two"] and load(path).title == "two"
    await asyncio.sleep(0.01)
    assert saved.state == "changed", "nobody hears of it any more"


async def test_closing_says_why_nothing_was_saved(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuses = refusing(monkeypatch)
    saved = Saved(path)
    saved.rename()
    assert "the disk is full" in saved.autosave.close()
    found = recoverable(path)
    assert found is not None and refuses


async def test_closing_tries_once_more_what_failed_just_now(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuses, write = [True], autosave_._write
    begun, go_on = threading.Event(), threading.Event()

    def first_fails(writer: SessionWriter, session: Session) -> Path:
        begun.set()
        assert go_on.wait(20)
        if refuses:
            refuses.clear()
            raise SessionError("the disk is full")
        return write(writer, session)

    monkeypatch.setattr(autosave_, "_write", first_fails)
    saved = Saved(path)
    saved.rename()
    await until(begun.is_set)
    go_on.set()
    assert saved.autosave.close() == "" and load(path).title == "Mine"


async def test_a_session_that_is_closed_before_it_was_held_is_not_held(path: Path) -> None:
    autosave = Autosave(Document(path), lambda message: None)
    assert autosave.close() == ""
    autosave.hold()
    assert holder_of(path) is None


async def test_what_replaced_something_throws_that_away_once_it_is_saved(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuses, thrown = refusing(monkeypatch), []
    saved = Saved(path, after=lambda: thrown.append(True))
    saved.rename()
    await until(lambda: saved.state == "failed")
    assert not thrown
    refuses.clear()
    for title in ("one", "two"):
        saved.rename(title)
        await saved.autosave.flush()
    saved.autosave.close()
    assert thrown == [True]


async def test_what_replaced_something_is_thrown_away_although_all_ends_meanwhile(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, _ = slow(monkeypatch)
    thrown: list[bool] = []
    saved = Saved(path, after=lambda: thrown.append(True))
    saved.rename()
    await until(begun.is_set)
    threading.Timer(0.01, go_on.set).start()
    assert saved.autosave.close() == "" and thrown == [True]


# Where one stands


@pytest.mark.parametrize("own", [True, False])
async def test_where_one_leaves_is_kept_in_a_file_of_ones_own(own: bool, path: Path) -> None:
    saved = Saved(path if own else FIRST)
    place: dict[str, Any] | None = {"index": 0, "run": "r1"}
    saved.autosave.begin(lambda: place)
    assert saved.autosave.close() == "" and not library_folder().exists()
    saved = Saved(path if own else FIRST)
    saved.autosave.begin(lambda: place)
    place = {"index": 2, "run": "r1"}
    assert saved.autosave.close() == "" and not library_folder().exists()
    assert (load(path).cursor == place) is own


async def test_a_place_that_no_file_could_name_is_not_kept(path: Path) -> None:
    saved = Saved(path)
    place: dict[str, Any] | None = {"index": 1, "run": "r1"}
    saved.autosave.begin(lambda: place)
    saved.rename()
    await saved.autosave.flush()
    place = None
    saved.rename("Other")
    saved.autosave.close()
    assert load(path).cursor == {"index": 1, "run": "r1"} and load(path).title == "Other"


# Which file


async def test_a_bundled_session_goes_to_the_library_and_it_is_said_once() -> None:
    saved = Saved(FIRST)
    for title in ("one", "two"):
        saved.rename(title)
        await saved.autosave.flush()
    assert saved.document.path == library_folder() / "first-look-2.planscope.json"
    assert saved.notices == ["copied to your library as first-look-2 (bundled sessions are read-only)"]
    assert load(saved.document.path).title == "two"
    saved.autosave.close()


async def test_what_was_set_while_looking_is_in_the_copy_that_is_asked_for() -> None:
    saved = Saved(FIRST)
    saved.document.mark(breakpoints=["step 1"], watches=[])
    await asyncio.sleep(0.03)
    assert saved.state == "" and not library_folder().exists()
    saved.autosave.save()
    await until(lambda: saved.state == "saved")
    assert saved.document.path is not None and load(saved.document.path).breakpoints == ["step 1"]
    saved.autosave.close()


async def test_a_write_protected_file_goes_to_the_library(path: Path) -> None:
    path.chmod(0o444)
    saved = Saved(path)
    saved.rename()
    await saved.autosave.flush()
    assert saved.notices == ["copied to your library as test (the file is write-protected)"]
    assert load(path).title == "figure-10" and len(list(library_folder().iterdir())) == 1
    saved.autosave.close()


async def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.planscope.json"
    link.symlink_to(path)
    saved = Saved(link)
    saved.rename()
    await saved.autosave.flush()
    assert saved.document.path == link and not saved.notices
    assert link.is_symlink() and load(path).title == "Mine"
    saved.autosave.close()


async def test_a_session_that_is_open_elsewhere_is_left_alone(path: Path) -> None:
    with SessionWriter(path) as other:
        assert other.where == "here"
        saved = Saved(path)
        saved.rename()
        await saved.autosave.flush()
        assert "another planscope writes to it" in saved.notices[0] and load(path).title == "figure-10"
        assert saved.document.path is not None and saved.document.path.parent == library_folder()
        saved.autosave.close()


async def test_a_file_that_another_program_changed_is_not_written_over(path: Path) -> None:
    saved = Saved(path)
    theirs = path.with_name("theirs.planscope.json")
    save(sessions.figure_10().model_copy(update={"title": "theirs"}), theirs)
    theirs.replace(path)
    saved.rename()
    await until(lambda: saved.state == "failed")
    saved.autosave.go_elsewhere()
    await until(lambda: saved.state == "saved")
    assert load(path).title == "theirs" and saved.document.path != path
    assert [load(copy).title for copy in library_folder().iterdir()] == ["Mine"]
    saved.autosave.close()


async def test_runs_that_one_file_cannot_hold_are_said_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_bytes, "LARGEST", path.stat().st_size + 500)
    saved = Saved(path)
    run = saved.document.runs[0]
    for id in ("r8", "r9"):
        saved.document.put_run(run.model_copy(update={"id": id}))
        await saved.autosave.flush()
    assert [line for line in saved.notices if "beside it" in line] == [
        "a file can have at most 16 MB, so run r8 is in test-2 beside it"
    ]
    saved.autosave.close()


# Giving the file away, and another name


async def test_a_file_that_is_given_away_is_saved_by_another(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, _ = slow(monkeypatch)
    wrong: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, what: wrong.append(what))
    saved = Saved(path)
    saved.rename()
    await until(begun.is_set)
    threading.Timer(0.01, go_on.set).start()
    writer = saved.autosave.give_up_writer()
    assert writer is not None and load(path).title == "Mine"
    other = Saved(path, writer)
    await asyncio.sleep(0.01)
    saved.autosave.save()
    assert saved.autosave.close() == "" and saved.autosave.give_up_writer() is None and not wrong
    other.rename("theirs")
    assert await other.autosave.flush() == "" and load(path).title == "theirs"
    other.autosave.close()


async def test_a_file_gets_another_name_with_all_that_was_done(path: Path) -> None:
    saved = Saved(path)
    saved.rename()
    new = await saved.autosave.move(lambda old: old.rename(old.with_name("new.planscope.json")))
    assert new == saved.document.path and load(new).title == "Mine" and holder_of(new) is not None
    saved.rename("again")
    assert await saved.autosave.flush() == "" and load(new).title == "again" and not path.exists()
    saved.autosave.close()


async def test_a_file_that_cannot_be_moved_is_kept_where_it_is(path: Path) -> None:
    saved = Saved(path)

    def wrong(old: Path) -> Path:
        raise SessionError("there is one of that name")

    with pytest.raises(SessionError, match="of that name"):
        await saved.autosave.move(wrong)
    saved.rename()
    assert await saved.autosave.flush() == "" and load(path).title == "Mine" and holder_of(path) is not None
    saved.autosave.close()


async def test_a_move_goes_on_although_nobody_waits_for_it(path: Path) -> None:
    saved, go_on, begun = Saved(path), threading.Event(), threading.Event()

    def to(old: Path) -> Path:
        begun.set()
        assert go_on.wait(20)
        return old.rename(old.with_name("new.planscope.json"))

    moving = asyncio.create_task(saved.autosave.move(to))
    await until(begun.is_set)
    moving.cancel()
    saved.rename()
    go_on.set()
    new = path.with_name("new.planscope.json")
    await until(lambda: saved.document.path == new and saved.state == "saved")
    assert load(new).title == "Mine"
    saved.autosave.close()


async def test_closing_while_the_file_is_moved_saves_to_where_it_went(path: Path) -> None:
    saved, go_on, begun = Saved(path), threading.Event(), threading.Event()
    wrong: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, what: wrong.append(what))

    def to(old: Path) -> Path:
        begun.set()
        assert go_on.wait(20)
        return old.rename(old.with_name("new.planscope.json"))

    moving = asyncio.create_task(saved.autosave.move(to))
    await until(begun.is_set)
    saved.rename()
    threading.Timer(0.02, go_on.set).start()
    assert saved.autosave.close() == ""
    new = await moving
    assert load(new).title == "Mine" and holder_of(new) is None and not path.exists()
    await asyncio.sleep(0.03)
    assert not wrong


async def test_closing_while_the_file_cannot_be_moved_saves_to_where_it_is(path: Path) -> None:
    saved, go_on, begun = Saved(path), threading.Event(), threading.Event()

    def to(old: Path) -> Path:
        begun.set()
        assert go_on.wait(20)
        raise SessionError("there is one of that name")

    moving = asyncio.create_task(saved.autosave.move(to))
    await until(begun.is_set)
    saved.rename()
    go_on.set()
    assert saved.autosave.close() == ""
    with pytest.raises(SessionError, match="of that name"):
        await moving
    assert load(path).title == "Mine" and holder_of(path) is None


async def test_a_closed_one_saves_and_moves_nothing(path: Path) -> None:
    saved = Saved(path)
    for _ in range(2):
        assert saved.autosave.close() == ""
    saved.document.edit(title="late")
    saved.autosave.touch()
    saved.autosave.save()
    assert saved.autosave.close() == "" and await saved.autosave.flush() == ""
    await asyncio.sleep(0.03)
    assert load(path).title == "figure-10"
