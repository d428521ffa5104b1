"""Work is never lost: where a change goes, what is said where it cannot go there, and what a crash leaves."""

from __future__ import annotations

import errno
import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from planscope.session import files, json_bytes, recovery, writer
from planscope.session.files import Changed, SessionError
from planscope.session.locations import bundled, library_folder
from planscope.session.locations import recovery_folder as recovery_folder
from planscope.session.lock import Held, Lock
from planscope.session.model import Session
from planscope.session.recovery import recoverable
from planscope.session.store import dumps, load, save
from planscope.session.writer import SessionWriter
from tests.fuzz.hostile_files import SMALL, HostileFile
from tests.session.make import figure_10


def titled(title: str) -> Session:
    session = figure_10()
    session.title = title
    return session


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "mine" / "x.planscope.json"
    save(titled("first"), place)
    return place


def complaint(keeper: SessionWriter, session: Session) -> str:
    with pytest.raises(SessionError) as caught:
        keeper.save(session)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_it_is_saved_where_it_was_opened(path: Path) -> None:
    with SessionWriter(path) as keeper:
        assert (keeper.where, keeper.why, keeper.place, keeper.unsaved) == ("here", "", path, False)
        for title in ("second", "third"):
            assert keeper.save(titled(title)) == path
            assert load(path).title == title
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    assert recoverable(path) is None


@pytest.mark.parametrize("saved_before", [False, True])
def test_what_one_file_cannot_hold_goes_into_more(
    path: Path, monkeypatch: pytest.MonkeyPatch, saved_before: bool
) -> None:
    """Saved again and again, the same files hold it; none has a run twice, and none is lost."""
    session = figure_10()
    runs = [session.runs[0].model_copy(update={"id": f"n{i}"}) for i in range(9)]
    monkeypatch.setattr(json_bytes, "LARGEST", len(dumps(session)) * 2)
    with SessionWriter(path) as keeper:
        if saved_before:
            keeper.save(session)
        for count in (8, 9):
            session.runs[1:] = runs[:count]
            session.breakpoints = [f"step {count}"]
            assert keeper.save(session) == path and not keeper.unsaved
            places = [path, *(file for file, _ in keeper.more)]
            assert len(places) > 1 and sorted(places) == sorted(path.parent.glob("*.json"))
            found = [load(place) for place in places]
            assert [run for part in found for run in part.runs] == session.runs
            assert found[0].breakpoints == session.breakpoints
            assert all(part.variants == session.variants for part in found)


def test_runs_stay_in_the_file_that_they_were_saved_to(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = figure_10()
    first = session.runs[0]
    monkeypatch.setattr(json_bytes, "LARGEST", len(dumps(session)) * 2)
    with SessionWriter(path) as keeper:
        keeper.save(session)
        session.runs[:] = [*(first.model_copy(update={"id": f"n{i}"}) for i in range(9)), first]
        keeper.save(session)
    assert first in load(path).runs
    assert [run.id for file, _ in keeper.more for run in load(file).runs].count(first.id) == 0


def test_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    with SessionWriter(tmp_path / "new.planscope.json") as keeper:
        assert keeper.where == "here"
        keeper.save(titled("new"))
    assert load(tmp_path / "new.planscope.json").title == "new"


def test_an_older_save_never_undoes_a_newer_one(path: Path) -> None:
    with SessionWriter(path) as keeper:
        keeper.save(titled("seventh"), turn=7)
        assert keeper.save(titled("sixth"), turn=6) == path
        assert load(path).title == "seventh"
        keeper.save(titled("eighth"), turn=8)
    assert load(path).title == "eighth"


def test_a_bundled_session_is_saved_as_a_new_copy_each_time() -> None:
    origin = bundled()["figure-7"]
    content = origin.read_bytes()
    places = []
    for title in ("mine", "mine too"):
        with SessionWriter(origin) as keeper:
            assert keeper.where == "copy" and keeper.why == "bundled sessions are read-only"
            assert not keeper.place.exists()
            session = load(origin)
            session.title = title
            places.append(keeper.save(session))
            assert keeper.save(session) == places[-1] == keeper.place
    assert [p.name for p in places] == ["figure-7-2.planscope.json", "figure-7-3.planscope.json"]
    assert [load(p).title for p in places] == ["mine", "mine too"]
    assert origin.read_bytes() == content and places[0].parent == library_folder()


@pytest.mark.parametrize("kind", ["protected", "directory", "pipe"])
def test_what_must_not_be_written_is_saved_as_a_copy(path: Path, kind: str) -> None:
    if kind == "protected":
        path.chmod(0o444)
    else:
        path.unlink()
        path.mkdir() if kind == "directory" else os.mkfifo(path)
    with SessionWriter(path) as keeper:
        assert keeper.where == "copy" and keeper.why
        place = keeper.save(titled("kept"))
    assert place == library_folder() / "x.planscope.json" and load(place).title == "kept"
    assert kind != "protected" or (load(path).title, path.stat().st_mode & 0o777) == ("first", 0o444)


def test_a_link_stays_and_what_it_leads_to_is_written(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.planscope.json"
    link.symlink_to(path)
    path.chmod(0o640)
    with SessionWriter(link) as keeper:
        assert keeper.save(titled("second")) == path
    assert link.is_symlink() and load(path).title == "second" and path.stat().st_mode & 0o777 == 0o640


def test_the_second_is_told_and_loses_nothing(path: Path) -> None:
    first = SessionWriter(path)
    second = SessionWriter(path)
    assert second.where == "held" and second.holder is not None and second.holder.here
    first.save(titled("of the first"))
    said = complaint(second, titled("of the second"))
    assert "is being written by another planscope (process" in said and said.endswith(
        "open the session again"
    )
    assert second.unsaved and load(path).title == "of the first"
    assert recoverable(path) is None  # its owner still runs
    place = second.go_elsewhere()
    assert (second.where, second.why) == ("copy", "another planscope writes to it")
    assert second.save(titled("of the second")) == place == library_folder() / "x.planscope.json"
    assert load(place).title == "of the second" and not second.unsaved
    second.close()
    assert recoverable(path) is None
    first.close()
    third = SessionWriter(path)
    assert third.where == "here"
    third.close()


def test_who_has_it_for_a_moment_is_waited_for(path: Path) -> None:
    """Such as one who renames it: what is opened beside that has not been held by anybody when it is gone."""
    moment = Lock(path)
    moment.acquire()
    leaving = threading.Timer(0.5, moment.release)
    leaving.start()
    keeper = SessionWriter(path)
    leaving.join()
    assert keeper.where == "here"
    keeper.close()


def test_what_another_program_wrote_is_not_written_over(path: Path) -> None:
    keeper = SessionWriter(path)
    keeper.save(titled("second"))
    second = path.read_bytes()
    path.write_bytes(second.replace(b"second", b"theirs"))
    assert "was changed by another program" in complaint(keeper, titled("mine"))
    assert load(path).title == "theirs" and keeper.unsaved
    keeper.close()
    found = recoverable(path)
    assert found is not None and found.outdated and found.load().title == "mine"
    assert "changed by another program" in found.why
    path.unlink()
    assert found.outdated
    path.write_bytes(second)
    assert not found.outdated


def test_the_same_content_again_is_no_change(path: Path) -> None:
    with SessionWriter(path) as keeper:
        data = path.read_bytes()
        path.unlink()
        path.write_bytes(data)
        os.utime(path, (1, 1))
        keeper.save(titled("second"))
    assert load(path).title == "second"


def test_a_file_that_is_gone(path: Path) -> None:
    keeper = SessionWriter(path)
    path.unlink()
    assert "was deleted after it was read" in complaint(keeper, titled("mine"))
    keeper.close()
    assert not path.exists()


def test_a_folder_that_is_gone(path: Path) -> None:
    keeper = SessionWriter(path)
    shutil.rmtree(path.parent)
    assert f"the folder {path.parent} is gone" in complaint(keeper, titled("mine"))
    assert not path.parent.exists()
    keeper.close()
    found = recoverable(path)
    assert found is not None and found.load().title == "mine"


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_only(*_: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.mark.parametrize("trouble,says", [(full, "No space left"), (read_only, "Read-only file system")])
def test_a_full_or_read_only_disk(
    path: Path, monkeypatch: pytest.MonkeyPatch, trouble: object, says: str
) -> None:
    keeper = SessionWriter(path)
    real = writer.write_atomic
    with monkeypatch.context() as patch:
        patch.setattr(files.os, "fsync", trouble)
        patch.setattr(recovery, "write_atomic", lambda *args: None)
        said = complaint(keeper, titled("second"))
    assert says in said and load(path).title == "first" and real is writer.write_atomic
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    keeper.save(titled("third"))
    assert load(path).title == "third" and not keeper.unsaved
    keeper.close()


def test_where_the_journal_cannot_be_written_either(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeper = SessionWriter(path)
    monkeypatch.setattr(files.os, "fsync", full)
    said = complaint(keeper, titled("second"))
    assert (
        said.count("No space left") == 2 and "could not be kept for recovery" in said and not keeper.unsaved
    )
    keeper.close()
    assert load(path).title == "first" and recoverable(path) is None


def test_unsaved_work_is_offered_once_its_owner_is_gone(path: Path) -> None:
    keeper = SessionWriter(path)
    path.write_text("{}")
    for title in ("one", "two"):
        complaint(keeper, titled(title))
    keeper.close()
    found = recoverable(path)
    assert found is not None and (found.path, found.load().title) == (path, "two")
    assert [one.file for one in recovery.recoveries()] == [found.file]
    found.discard()
    assert recoverable(path) is None and list(recovery_folder().iterdir()) == []


def test_unsaved_work_is_not_offered_before_its_owner_is_gone(path: Path) -> None:
    """Nor after an earlier save went well, which gives up the lock that says that the owner is alive."""
    content = path.read_bytes()
    with SessionWriter(path) as keeper:
        for _ in range(2):
            path.write_text("{}")
            complaint(keeper, titled("unsaved"))
            assert keeper.unsaved and recoverable(path) is None
            path.write_bytes(content)
            keeper.save(titled("saved"))
            content = path.read_bytes()
            assert not keeper.unsaved and list(recovery_folder().iterdir()) == []


def test_who_chooses_a_copy_is_told_so(path: Path) -> None:
    with SessionWriter(path) as keeper:
        place = keeper.go_elsewhere()
        assert (keeper.where, keeper.why, keeper.holder) == ("copy", "as you chose", None)
        assert keeper.save(titled("copy")) == place != path and load(path).title == "first"


def test_the_newest_of_several_is_offered(path: Path) -> None:
    for title in ("one", "two"):
        keeper = SessionWriter(path)
        path.write_bytes(dumps(titled(f"theirs, {title}")))
        complaint(keeper, titled(title))
        keeper.close()
    found = recoverable(path)
    assert found is not None and found.load().title == "two"
    found.discard()
    found = recoverable(path)
    assert found is not None and found.load().title == "one"


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": "planscope-recovery"}', b"\xff", b"[" * 9999]
)
def test_a_broken_journal_is_not_offered(path: Path, content: bytes) -> None:
    keeper = SessionWriter(path)
    path.write_text("{}")
    complaint(keeper, titled("mine"))
    keeper.close()
    (file,) = recovery_folder().glob("*.recovery.json")
    file.write_bytes(content)
    assert recoverable(path) is None and recovery.recoveries() == []


def test_a_path_in_a_journal_is_never_followed(path: Path, tmp_path: Path) -> None:
    keeper = SessionWriter(path)
    path.write_text("{}")
    complaint(keeper, titled("mine"))
    keeper.close()
    (file,) = recovery_folder().glob("*.recovery.json")
    file.write_bytes(file.read_bytes().replace(str(path).encode(), str(tmp_path / "victim").encode()))
    assert recoverable(tmp_path / "victim") is None
    found = recoverable(path)
    assert found is not None and found.path == path


def test_the_deepest_session_can_be_kept_in_the_journal(path: Path) -> None:
    session = titled("deep")
    deep: object = 1
    for _ in range(190):
        deep = [deep]
    session.cursor = {"x": deep}
    keeper = SessionWriter(path)
    path.write_text("{}")
    complaint(keeper, session)
    keeper.close()
    found = recoverable(path)
    assert found is not None and found.load() == session


def test_what_a_killed_writer_left_beside_it_is_removed_in_time(path: Path) -> None:
    old, new, other = (
        path.with_name(f".{n}.tmp") for n in (f"{path.name}.abc", f"{path.name}.def", "y.json.abc")
    )
    for left in (old, new, other):
        left.touch()
    now = time.time()
    for left, minutes in ((old, 61), (new, 59), (other, 61)):
        os.utime(left, (now - 60 * minutes,) * 2)
    SessionWriter(path).close()
    assert sorted(p.name for p in path.parent.iterdir()) == sorted([path.name, new.name, other.name])


@pytest.mark.parametrize("file", SMALL[-30:], ids=lambda f: f.name.encode("ascii", "replace").decode())
def test_whatever_was_opened_work_is_kept(file: HostileFile, tmp_path: Path) -> None:
    """Links, pipes, devices, odd names: nothing is raised before a save, nothing else replaced by one."""
    place = file.write(tmp_path)
    before = {p: (p.lstat().st_mode, p.lstat().st_ino) for p in tmp_path.iterdir()}
    with SessionWriter(place) as keeper:
        saved = keeper.save(titled("kept"))
        assert load(saved).title == "kept" and saved == keeper.place
    for other, known in before.items():
        if other != saved:
            assert (other.lstat().st_mode, other.lstat().st_ino) == known
    assert not (tmp_path / "precious").exists() or (tmp_path / "precious").read_text().startswith("root:")


@pytest.mark.parametrize(
    "content", [b"", b"notes of mine", b'{"a": 1}', b"\x1f\x8b", bytes(100), b"<!doctype html>"]
)
def test_a_file_that_is_no_session_is_never_saved_over(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.planscope.json"
    path.write_bytes(content)
    with SessionWriter(path) as keeper:
        assert keeper.where == "copy" and keeper.why
        assert keeper.save(titled("kept")).parent == library_folder()
    assert path.read_bytes() == content


def test_held_while_it_is_kept_open(path: Path) -> None:
    with SessionWriter(path), pytest.raises(Held):
        save(titled("x"), path)
    save(titled("second"), path)
    assert load(path).title == "second"


def test_saving_notices_a_change_if_asked_to(path: Path) -> None:
    from planscope.session.files import fingerprint_of

    stamp = fingerprint_of(path)
    save(titled("second"), path, unless_changed=stamp)
    with pytest.raises(Changed):
        save(titled("third"), path, unless_changed=stamp)
    assert load(path).title == "second"
