"""The list of sessions without an application: read, judged, previewed, watched, opened, changed on disk."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.message import Message

from planscope.session import library as engine
from planscope.session.files import SessionError
from planscope.session.library_index import Entry
from planscope.session.locations import bundled, library_folder, trash_folder
from planscope.session.lock import holder_of
from planscope.session.model import Session
from planscope.session.run_list import Facet
from planscope.session.store import load, save
from planscope.session.tally import Tally
from planscope.tui.controllers import library_list
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.library_list import LibraryList
from planscope.tui.messages import Notice, StateChanged
from planscope.tui.opening import load as load_
from planscope.tui.opening.load import Switch, load_beside
from tests.tui import sessions

FIRST = bundled()["first-look"]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setattr(library_list, "PREVIEW_AFTER", 0.001)
    monkeypatch.setattr(engine, "bundled", lambda: {"first-look": FIRST})


def put(name: str, session: Session | None = None, age: float = 1.0) -> Path:
    """A session in the library, last changed ``age`` days ago."""
    library_folder().mkdir(parents=True, exist_ok=True)
    path = library_folder() / f"{name}.planscope.json"
    save((session or sessions.no_run()).model_copy(update={"title": f"The {name}"}), path)
    when = time.time() - age * 86400
    os.utime(path, (when, when))
    return path


class Heard:
    """A controller on a session, and what it posted. ``opened`` None: a bundled session is open."""

    def __init__(self, opened: Path | None = None, saved: bool = False) -> None:
        self.messages: list[Message] = []
        self.states: list[library_list.SessionList] = []
        self.jobs = Jobs(asyncio.get_running_loop())
        self.document = Document(opened or FIRST)
        self.autosave = Autosave(self.document, self.messages.append) if saved else None
        if self.autosave is not None:
            self.autosave.hold()
        if self.document.path is not None:
            self.document.open(load(self.document.path))
        self.list = LibraryList(self.document, self.jobs, self.autosave, self._post)
        self.loaded: list[Switch] = []

    def _post(self, message: Message) -> None:
        self.messages.append(message)
        if isinstance(message, StateChanged):
            self.states.append(self.list.state)

    @property
    def notices(self) -> list[str]:
        return [message.line for message in self.messages if isinstance(message, Notice)]

    @property
    def mine(self) -> list[str]:
        return [entry.name for entry in self.list.state.listed if entry.place == "library"]

    def entry(self, name: str) -> Entry:
        return next(entry for entry in self.list.state.listed if entry.name == name)

    async def read(self) -> Heard:
        self.list.read()
        await self.rest()
        return self

    async def rest(self) -> None:
        await self.until(lambda: self.list.at_rest)

    async def open(self, path: Path) -> None:
        """Load another session, as the screens do."""
        work: Any = SimpleNamespace(post=self.messages.append, autosave=self.autosave, jobs=self.jobs)
        self.loaded.append(await load_beside(work, path))

    async def until(self, true: Callable[[], object]) -> None:
        for _ in range(12000):
            if true():
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"never; heard {self.notices}")

    def close(self) -> None:
        self.list.close()
        if self.autosave is not None:
            self.autosave.close()
        self.jobs.close()


Make = Callable[..., Heard]


@pytest.fixture
async def heard() -> AsyncIterator[Make]:
    made: list[Heard] = []

    def make(opened: Path | None = None, saved: bool = False) -> Heard:
        made.append(Heard(opened, saved))
        return made[-1]

    yield make
    for one in made:
        one.close()


async def test_titles_come_first_and_verdicts_last(heard: Make) -> None:
    put("yours", sessions.out_of_order(), age=2)
    put("mine")
    one = await heard().read()
    first, last = one.states[0], one.states[-1]
    assert first.complete and [e.name for e in first.listed][:2] == ["mine", "yours"]
    assert first.listed[0].title == "The mine" and first.listed[1].pending
    assert last.listed[1].outcome is not None
    assert last.listed[1].outcome[:2] == ("wrong", "order_error")
    assert last.judging[0] == last.judging[1] > 0
    assert not any(entry.pending for entry in last.entries)


async def test_verdicts_come_in_batches(heard: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_list, "BATCH", -1.0)
    for number in range(3):
        put(f"s{number}", sessions.figure_10(), age=number + 1)
    one = await heard().read()
    done = [state.judging[0] for state in one.states if state.judging[1]]
    assert done == sorted(done) and {1, 2, 3} < set(done)
    known = [sum(not e.pending for e in state.entries) for state in one.states if state.complete]
    assert known == sorted(known) and known[-1] == len(one.list.state.entries)


async def test_the_open_session_is_chosen_unless_it_is_a_bundled_one_behind_the_users_own(
    heard: Make,
) -> None:
    bundled_alone = await heard().read()
    assert bundled_alone.list.state.chosen == bundled_alone.entry("first-look")
    put("mine")
    second = put("yours", age=2)
    assert (await heard().read()).list.state.at == 0
    assert (await heard(second).read()).list.state.chosen.path == second


async def test_the_place_stays_in_the_list(heard: Make) -> None:
    put("mine")
    put("yours", age=2)
    one = await heard().read()
    many = len(one.list.state.listed)
    for at, expected in ((-5, 0), (10**6, many - 1), (1, 1)):
        one.list.choose(at)
        assert one.list.state.at == expected
    one.list.arrange(words="nothing like it")
    one.list.choose(3)
    assert one.list.state.chosen is None and one.list.state.at == 0 and one.list.state.filtered


async def test_who_filters_from_the_top_begins_at_the_top(heard: Make) -> None:
    for age, name in enumerate(("one", "two", "three"), 1):
        put(name, age=age)
    one = await heard().read()
    one.list.choose(2)
    one.list.arrange(words="the", at=0)
    assert one.mine == ["one", "two", "three"] and one.list.state.at == 0
    one.list.choose(2)
    one.list.arrange(words="")
    assert one.list.state.chosen == one.entry("three")


async def test_the_file_is_read_of_whatever_was_chosen_last(
    heard: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("one")
    put("two", age=2)
    put("three", sessions.out_of_order(), age=3)
    one = await heard().read()
    read: list[str] = []
    real = library_list.preview_of
    monkeypatch.setattr(
        library_list, "preview_of", lambda entry, own: [read.append(entry.name), real(entry, own)][1]
    )
    monkeypatch.setattr(library_list, "PREVIEW_AFTER", 0.05)
    for at in (1, 2):
        one.list.choose(at)
    await one.rest()
    preview = one.list.preview
    assert read == ["three"] and preview is not None and preview.entry.name == "three"
    assert preview.contents is not None and preview.contents.own == preview.contents.runs == 1
    one.list.choose(1)
    one.list.choose(2)
    await one.rest()
    assert read == ["three"]  # it was known already


async def test_a_preview_says_who_holds_the_file_and_what_is_wrong(heard: Make) -> None:
    path, cut = put("mine"), put("cut", age=2)
    cut.write_text("{")
    one = await heard(path).read()
    assert one.list.preview is not None and one.list.preview.held == library_list.HERE
    one.list.choose(one.list.state.listed.index(one.entry("cut")))
    await one.rest()
    assert one.list.preview.contents is None and one.entry("cut").wrong
    large = library_list.preview_of(
        Entry("x", path, "library", "x", library_list.LARGEST_PREVIEW + 1, one.entry("mine").changed), False
    )
    assert large.contents is None and "large" in large.trouble


async def test_another_process_changes_the_library(heard: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library_list, "WATCH_EVERY", 0.01)
    put("one", age=2)
    chosen = put("two", age=3)
    one = await heard().read()
    one.list.choose(1)
    put("zero", age=1)
    await one.until(lambda: one.mine == ["zero", "one", "two"])
    assert one.list.state.chosen is not None and one.list.state.chosen.path == chosen
    chosen.unlink()
    await one.until(lambda: one.mine == ["zero", "one"])
    one.list.close()
    put("late")
    time.sleep(0.05)
    await asyncio.sleep(0.05)
    assert one.mine == ["zero", "one"]


async def test_files_are_copied_renamed_deleted_and_restored(heard: Make) -> None:
    put("mine")
    one = await heard().read()
    one.list.copy(one.entry("mine"), "other")
    await one.rest()
    assert one.list.state.chosen == one.entry("other") and one.notices == ["copied to other"]
    await one.list.rename(one.entry("other"), "third", "Its title")
    await one.rest()
    assert one.list.state.chosen == one.entry("third") and one.entry("third").title == "Its title"
    await one.list.rename(one.entry("third"), None, "Another")
    await one.rest()
    assert one.entry("third").title == "Another" and load(one.entry("third").path).title == "Another"
    one.list.delete(one.entry("third"))
    await one.rest()
    assert one.mine == ["mine"] and len(one.list.state.trashed) == 1
    one.list.restore()
    await one.rest()
    assert one.list.state.chosen == one.entry("third") and not one.list.state.trashed
    assert [line.partition(" ")[0] for line in one.notices] == [
        "copied",
        "renamed",
        "title",
        "third",
        "third",
    ]
    one.list.restore()
    assert one.notices[-1].startswith("nothing to restore")


async def test_what_is_removed_for_good_is_not_restored(heard: Make) -> None:
    put("mine")
    put("yours", age=2)
    one = await heard().read()
    one.list.delete(one.entry("mine"))
    await one.rest()
    one.list.arrange(shown="trash")
    one.list.restore()  # the chosen one
    await one.rest()
    one.list.arrange(shown="library")
    assert one.mine == ["mine", "yours"]
    one.list.delete(one.entry("mine"))
    await one.rest()
    one.list.empty_trash()
    await one.rest()
    assert one.notices[-1] == "1 session removed for good" and not list(trash_folder().iterdir())
    one.list.restore()
    assert one.notices[-1].startswith("nothing to restore")


async def test_a_change_that_fails_is_said_in_a_line_and_the_list_is_read_again(
    heard: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_list, "WATCH_EVERY", 1000.0)

    async def rename(one: Heard, entry: Entry) -> None:
        await one.list.rename(entry, "other", None)

    async def delete(one: Heard, entry: Entry) -> None:
        one.list.delete(entry)

    async def copy(one: Heard, entry: Entry) -> None:
        one.list.copy(entry, "other")

    for change in (rename, delete, copy):
        path = put("mine")
        one = await heard().read()
        entry = one.entry("mine")
        path.unlink()
        await change(one, entry)
        await one.until(lambda one=one: one.mine == [])
        assert one.notices[-1].startswith("not done: ")
        assert str(library_folder()) not in one.notices[-1] and "mine" in one.notices[-1]


async def test_the_open_session_is_renamed_and_saved_and_not_deleted(heard: Make) -> None:
    path = put("mine")
    one = await heard(path, saved=True).read()
    one.list.delete(one.entry("mine"))
    assert one.notices == ["this session is open: open another one first"] and path.exists()
    await one.list.rename(one.entry("mine"), None, None)
    assert one.notices[-1] == "nothing changed"
    await one.list.rename(one.entry("mine"), "other", "Its title")
    await one.rest()
    new = library_folder() / "other.planscope.json"
    assert one.document.path == new and load(new).title == "Its title" and not path.exists()
    assert one.list.state.chosen is not None and one.list.state.chosen.title == "Its title"
    put("third", age=2)
    await one.list.rename(one.entry("other"), "third", None)
    await one.rest()
    assert one.notices[-1].startswith("not done: ") and one.document.path == new and holder_of(new)


async def test_the_list_is_not_at_rest_while_the_open_session_is_renamed(
    heard: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, go_on = put("mine"), threading.Event()
    real = engine.rename
    monkeypatch.setattr(engine, "rename", lambda path, name: [go_on.wait(60), real(path, name)][1])
    one = await heard(path, saved=True).read()
    renaming = asyncio.create_task(one.list.rename(one.entry("mine"), "other", None))
    await asyncio.sleep(0.01)
    assert not one.list.at_rest
    go_on.set()
    await one.rest()
    assert renaming.done() and one.mine == ["other"]


async def test_another_session_is_loaded_and_held(heard: Make) -> None:
    path, second = put("mine"), put("yours", age=2)
    one = await heard(saved=True).read()
    await one.open(path)
    await one.open(second)
    assert [switch.opened.session.title for switch in one.loaded] == ["The mine", "The yours"]
    assert holder_of(path) is not None and holder_of(second) is not None
    for switch in one.loaded:
        assert switch.autosave is not None
        switch.autosave.close()
    assert holder_of(path) is holder_of(second) is None


async def test_who_stops_waiting_for_a_session_lets_go_of_its_file(
    heard: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, second, go_on = put("mine"), put("yours", age=2), threading.Event()
    one = await heard(saved=True).read()

    def slow(*given: Any) -> object:
        go_on.wait(60)
        return real(*given)

    real = load_.open_session
    monkeypatch.setattr(load_, "open_session", slow)
    first = asyncio.create_task(one.open(path))
    await asyncio.sleep(0.01)
    other = asyncio.create_task(one.open(second))  # it replaces the first one
    await asyncio.sleep(0.01)
    assert first.cancelled()
    other.cancel()
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == "planscope open session":
            thread.join()
    await asyncio.sleep(0.01)
    assert one.loaded == [] and holder_of(path) is holder_of(second) is None


async def test_a_session_that_is_gone_is_said_in_a_line(heard: Make) -> None:
    path = put("mine")
    one = await heard(saved=True).read()
    path.unlink()
    with pytest.raises(SessionError):
        await one.open(path)
    assert one.loaded == []


async def test_without_saving_nothing_is_held(heard: Make) -> None:
    path = put("mine")
    one = await heard().read()
    await one.open(path)
    assert one.loaded[0].autosave is None and holder_of(path) is None


async def test_a_new_session_is_made_and_opened(heard: Make) -> None:
    from planscope.synthesis.request import Request

    one = heard()
    path = await one.list.make(Request(actions=4, seed=7))
    assert path is not None and path.parent == library_folder()
    assert len(load(path).variants[0].actions) == 4


async def test_a_change_goes_on_when_the_library_is_closed(
    heard: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, go_on = put("mine"), threading.Event()
    real = engine.delete
    monkeypatch.setattr(engine, "delete", lambda path: [go_on.wait(60), real(path)][1])
    one = await heard().read()
    one.list.delete(one.entry("mine"))
    one.list.close()
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == f"planscope {library_list.CHANGE}":
            thread.join()
    await asyncio.sleep(0)
    assert not path.exists() and one.notices == [] and not one.jobs.running(library_list.LIST)


def test_a_fingerprint_changes_with_the_files() -> None:
    seen: list[object] = [library_list.fingerprint()]

    def steps() -> Iterator[None]:
        path = put("mine")
        yield
        os.utime(library_folder(), (1, 1))
        path.unlink()
        yield

    for _ in steps():
        assert library_list.fingerprint() not in seen
        seen.append(library_list.fingerprint())


def test_filters_find_what_they_name() -> None:
    when = datetime(2026, 1, 1, tzinfo=UTC)

    def entry(name: str, *errors: str) -> Entry:
        counted = Tally(wrong=len(errors), headlines=dict.fromkeys(errors, 1))
        return Entry(name, Path(name), "library", name, 1, when, outcomes=counted, checked=True)

    made = library_list.SessionList((entry("a", "order"), entry("b", "order", "time"), entry("c")))
    assert made.counts("error") == [(Facet("error", "order"), 2), (Facet("error", "time"), 1)]
    found = replace(made, facets=frozenset({Facet("error", "time")})).arranged()
    assert [one.name for one in found.listed] == ["b"] and found.filtered
    assert len(made.arranged().listed) == 3 and not made.filtered
