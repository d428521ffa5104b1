"""Drafts of queries: kept for the sitting, written down a moment after a change, found again after a crash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from planscope.debugger.draft import Draft, draft_of
from planscope.debugger.draft_typing import Edited, History
from planscope.session.files import SessionError
from planscope.session.locations import recovery_folder
from planscope.session.model import Variant
from planscope.session.recovery import LeftDraft, left_drafts
from planscope.tui.controllers import drafts as drafts_
from planscope.tui.controllers.document import Document, Saving
from planscope.tui.controllers.drafts import PAUSE, Drafts, taken_up
from planscope.tui.messages import DocumentChanged, Notice
from tests.tui import sessions
from tests.tui.controllers.at_once import JobsAtOnce, Loop, Pool, Posted

KEY = ("figure-10", "v1")


@pytest.fixture(autouse=True)
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    made = Loop()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(drafts_, "asyncio", SimpleNamespace(get_running_loop=lambda: made))
    monkeypatch.setattr(drafts_, "ThreadPoolExecutor", Pool)
    return made


@pytest.fixture
def document(tmp_path: Path) -> Document:
    made = Document(tmp_path / "test.planscope.json")
    made.open(sessions.figure_10())
    return made


def of(document: Document) -> Variant:
    return document.variants[0]


def another(document: Document, text: str = "Sanitizing tools follow 9:00.") -> Draft:
    return replace(draft_of(of(document)), text=text)


def files() -> list[Path]:
    return sorted(recovery_folder().glob("*.draft.json"))


def left(document: Document) -> list[str]:
    """What another planscope would find."""
    assert document.path is not None
    return [one.variant.query.text for one in left_drafts(document.path)]


def noted(document: Document, loop: Loop, text: str = "Sanitizing tools follow 9:00.") -> Drafts:
    """A draft that was written down."""
    drafts = Drafts()
    drafts.note(document.path, "figure-10", of(document), another(document, text))
    loop.pass_time(PAUSE)
    return drafts


def test_a_draft_that_was_left_is_gone_on_with() -> None:
    drafts, history = Drafts(), History(Edited(Draft("x", ()), 0))
    assert drafts.take(KEY) is None
    drafts.keep(KEY, history)
    assert drafts.take(KEY) is history is drafts.take(KEY)
    drafts.done(KEY)
    assert drafts.take(KEY) is None and not drafts.histories


def test_typing_is_written_down_once_a_moment(document: Document, loop: Loop) -> None:
    drafts = Drafts()
    for text in ("a", "ab", "abc"):
        drafts.note(document.path, "figure-10", of(document), another(document, text))
        assert not files()
        loop.pass_time(PAUSE / 4)
    loop.pass_time(PAUSE)
    assert len(files()) == 1 and left(document) == [], "its writer is alive"
    drafts.note(document.path, "figure-10", of(document), another(document, "abcd"))
    loop.pass_time(PAUSE)
    assert len(files()) == 1
    drafts.close(keep=True)
    assert left(document) == ["abcd"]


def test_a_draft_that_says_again_what_was_there_has_no_file(document: Document, loop: Loop) -> None:
    drafts = noted(document, loop)
    drafts.note(document.path, "figure-10", of(document), None)
    assert not files()
    drafts.note(document.path, "figure-10", of(document), another(document))
    drafts.note(document.path, "figure-10", of(document), None)
    loop.pass_time(PAUSE)
    assert not files()


def test_what_was_typed_last_is_written_when_all_ends(document: Document, loop: Loop) -> None:
    drafts = noted(document, loop)
    drafts.note(document.path, "figure-10", of(document), another(document, "at last"))
    drafts.close(keep=True)
    assert left(document) == ["at last"]


def test_who_quits_and_was_asked_leaves_none(document: Document, loop: Loop) -> None:
    drafts = noted(document, loop)
    drafts.note(document.path, "figure-10", of(document), another(document, "at last"))
    drafts.close(keep=False)
    assert not files()


def test_a_draft_that_became_a_variant_stays_until_that_is_saved(document: Document, loop: Loop) -> None:
    drafts = noted(document, loop)
    document.put_variant(of(document).model_copy(update={"id": "v2"}))
    drafts.done(KEY)
    drafts.heard(DocumentChanged("variant", "v2"), document)
    assert len(files()) == 1
    document.saving = Saving("failed", "full")
    drafts.heard(DocumentChanged("saving"), document)
    assert len(files()) == 1
    document.saved(1)
    document.saving = Saving("saved")
    drafts.heard(DocumentChanged("saving"), document)
    assert not files()
    drafts.close(keep=True)


def test_a_draft_that_is_typed_after_it_became_a_variant_is_another_one(
    document: Document, loop: Loop
) -> None:
    drafts = noted(document, loop)
    drafts.done(KEY)
    drafts.note(document.path, "figure-10", of(document), another(document, "more"))
    loop.pass_time(PAUSE)
    drafts.saved()
    drafts.close(keep=True)
    assert left(document) == ["more"]


def test_drafts_go_with_the_file_of_their_session(document: Document, loop: Loop, tmp_path: Path) -> None:
    drafts = noted(document, loop)
    old, new = document.path, tmp_path / "copy.planscope.json"
    drafts.note(document.path, "other", of(document), another(document, "another session's"))
    document.set_saving(Saving("saved"), new)
    drafts.heard(DocumentChanged("saving"), document)
    drafts.close(keep=True)
    assert left(document) == ["Sanitizing tools follow 9:00."]
    assert old is not None and [one.variant.query.text for one in left_drafts(old)] == ["another session's"]


def test_a_draft_that_is_done_does_not_move(document: Document, loop: Loop, tmp_path: Path) -> None:
    drafts = noted(document, loop)
    drafts.done(KEY)
    drafts.moved("figure-10", tmp_path / "copy.planscope.json")
    loop.pass_time(PAUSE)
    assert len(files()) == 1


def test_what_cannot_be_written_down_is_still_on_the_screen(
    document: Document, loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise SessionError("the disk is full")

    monkeypatch.setattr("planscope.session.recovery.write_atomic", full)
    drafts = noted(document, loop)
    drafts.note(document.path, "figure-10", of(document), another(document, "more"))
    loop.pass_time(PAUSE)
    drafts.close(keep=True)
    assert not files()


def test_where_nothing_is_kept_nothing_is_written_or_found(document: Document, loop: Loop) -> None:
    noted(document, loop).close(keep=True)
    assert len(left(document)) == 1
    drafts, posted, jobs = Drafts(written=False), Posted(), JobsAtOnce()
    drafts.find(document, jobs, posted)
    drafts.note(document.path, "figure-10", of(document), another(document, "more"))
    drafts.close(keep=True)
    assert not jobs.started and not posted and len(files()) == 1 and not loop.timers
    nowhere = Document(None)
    Drafts().find(nowhere, jobs, posted)
    Drafts().note(None, "figure-10", of(document), another(document))
    assert not jobs.started and not loop.timers


def test_a_draft_of_a_crash_is_found_and_its_file_replaced(document: Document, loop: Loop) -> None:
    noted(document, loop).close(keep=True)
    (old,) = files()
    drafts, posted = Drafts(), Posted()
    drafts.find(document, JobsAtOnce(), posted)
    history = drafts.histories[KEY]
    assert history.now.text == "Sanitizing tools follow 9:00." and history.now.at == len(history.now.text)
    (notice,) = posted
    assert isinstance(notice, Notice) and "was restored: e continues it" in notice.line
    assert files() == [old], "it goes once the new one is written"
    loop.pass_time(PAUSE)
    (new,) = files()
    assert new != old and left(document) == []
    drafts.close(keep=False)


def test_what_is_being_typed_already_is_not_replaced_by_what_was_left(document: Document, loop: Loop) -> None:
    noted(document, loop).close(keep=True)
    drafts, posted = Drafts(), Posted()
    mine = History(Edited(another(document, "mine"), 0))
    drafts.keep(KEY, mine)
    drafts.find(document, JobsAtOnce(), posted)
    assert drafts.histories == {KEY: mine} and not posted and len(files()) == 1


def test_a_session_that_is_closed_before_the_drafts_are_found_takes_none(
    document: Document, loop: Loop
) -> None:
    noted(document, loop).close(keep=True)
    drafts, posted, jobs = Drafts(), Posted(), JobsAtOnce("drafts")
    drafts.find(document, jobs, posted)
    document.session = None
    jobs.go("drafts")
    assert not drafts.histories and not posted


def test_files_that_cannot_be_looked_for_are_no_trouble(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(path: Path) -> list[LeftDraft]:
        raise OSError("gone")

    monkeypatch.setattr("planscope.session.recovery.left_drafts", wrong)
    drafts, posted = Drafts(), Posted()
    drafts.find(document, JobsAtOnce(), posted)
    assert not drafts.histories and not posted


def test_of_what_was_left_the_newest_of_each_variant_is_taken_up(document: Document, loop: Loop) -> None:
    session = document.open_session

    def one(text: str, session_id: str = "figure-10", parent: str = "v1") -> LeftDraft:
        made = of(document).model_copy(
            update={
                "parent": parent,
                "query": of(document).query.model_copy(update={"text": text}),
            }
        )
        path = recovery_folder() / f"{len(text)}{session_id}{parent}.draft.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        return LeftDraft(path, Path("x"), None, session_id, made)

    same = one(of(document).query.text)
    found = [
        one("other session", "s9"),
        same,
        one("newest"),
        one("older"),
        one("no such parent", parent="v9"),
    ]
    taken = taken_up(found, session)
    assert {parent: draft.text for parent, (_, draft) in taken.items()} == {"v1": "newest"}
    assert not same.file.exists() and len(files()) == 4
