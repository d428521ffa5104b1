"""The library: what is listed, what is known of it, and that nothing but its own files is ever changed."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from planscope.rules.in_session import problem_in
from planscope.session import library as listing
from planscope.session import locations
from planscope.session.files import SessionError
from planscope.session.library import (
    copy,
    delete,
    empty_trash,
    entries,
    in_trash,
    judge,
    judge_all,
    rename,
    restore,
    retitle,
)
from planscope.session.library_index import Entry, Index, fields_of, search
from planscope.session.locations import bundled, cache_folder, library_folder, trash_folder
from planscope.session.lock import Held, Lock
from planscope.session.model import own_runs
from planscope.session.store import load, save
from planscope.session.tally import Outcome, Tally
from tests.fuzz.hostile_files import SMALL
from tests.hostile import SAVEABLE
from tests.nightly import nightly
from tests.session.make import figure_10


def keep(name: str, title: str = "A title", model: str = "sim:careful") -> Path:
    session = figure_10()
    session.title = title
    session.runs[-1].model = model
    path = library_folder() / f"{name}.planscope.json"
    save(session, path)
    return path


def mine() -> dict[str, Entry]:
    return {entry.name: entry for entry in entries("library")}


def test_what_is_listed() -> None:
    assert [e.place for e in entries()] == ["bundled"] * len(bundled())
    path = keep("one")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    keep("two", "Another", "sim:literal")
    (library_folder() / "notes.txt").write_text("no session")
    first, second, *others = entries()
    assert [e.name for e in (first, second)] == ["two", "one"] and {e.place for e in others} == {"bundled"}
    assert (second.title, second.agent, second.model) == ("A title", "tools", "sim:careful")
    assert (second.runs, second.variants, second.size) == (1, 1, path.stat().st_size)
    assert f"{second.changed:%Y-%m-%d %H:%M:%S}" == "2023-11-14 22:13:20"
    assert second.verdict is None and second.pending and second.wrong is None and second.path == path
    assert first.created is not None and first.created == load(first.path).created


def test_verdicts_are_kept_for_the_file_as_it_is_and_this_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    path = keep("one")
    done = judge(mine()["one"], problem_in)
    assert done.outcome is not None and not done.pending
    assert (done.verdict, done.outcome.error_type) == ("wrong", "parameter_error")
    assert mine()["one"] == done
    before = path.stat()
    save(figure_10(), path)
    assert mine()["one"].verdict is None
    list(judge_all(entries("library"), problem_in))
    assert mine()["one"].verdict == "wrong"
    monkeypatch.setattr("planscope.session.library_index.engine", lambda: "another")
    assert mine()["one"].verdict is None
    assert before.st_ino != path.stat().st_ino


def test_the_last_run_is_none_that_a_dissection_made() -> None:
    own = {"cause-terminal": ("wrong", 1), "cause-probability": ("wrong", 1), "first-look": ("wrong", 2)}
    for listed in (entries("bundled"), list(judge_all(entries("bundled"), problem_in))):
        for entry in listed:
            session = load(entry.path)
            last = own_runs(session)[-1]
            assert (entry.agent, entry.model) == (last.agent, last.model)
            if entry.checked and entry.name in own:
                assert (entry.verdict, len(own_runs(session))) == own[entry.name]
    odd = {"runs": [{"id": ["r"], "model": "m"}], "dissections": [{"cells": [{"runs": 5, "variant": []}]}, 3]}
    assert fields_of(odd)["model"] == "m"


def test_a_verdict_in_a_file_is_not_believed() -> None:
    path = keep("one")
    document = json.loads(path.read_text())
    document |= {"verdict": "right", "error_type": None}
    document["runs"][0] |= {"verdict": "right"}
    path.write_text(json.dumps(document))
    assert mine()["one"].verdict is None and judge(mine()["one"], problem_in).verdict == "wrong"


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"\xff", b"[" * 9999, b'{"engine": 1}', b'{"engine": "E", "records": [[1, 2, 3, 4]]}',
     b'{"engine": "E", "records": [[1, 2, 3, "x", {}]]}', b'{"engine": "E", "records": {"a": 1}}'],
)  # fmt: skip
def test_a_broken_index_counts_for_nothing(content: bytes) -> None:
    from planscope.session.library_index import engine

    keep("one")
    file = cache_folder() / "sessions.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.replace(b'"E"', json.dumps(engine()).encode()))
    assert mine()["one"].title == "A title"
    assert mine()["one"].title == "A title"  # and it was mended


def test_records_of_the_wrong_shape_count_for_nothing() -> None:
    path = keep("one")
    entries("library")
    file = cache_folder() / "sessions.json"
    document = json.loads(file.read_text())
    shapes = [{"title": 3}, {"runs": "many"}, {"place": "bundled"}, {"verdict": ["right"]}, []]
    for odd in [*shapes, {"verdict": "perhaps"}]:
        document["records"] = [[*row[:4], odd] for row in document["records"]]
        file.write_text(json.dumps(document))
        assert mine()["one"].title == "A title"
    assert path.exists()


def test_where_no_index_can_be_kept_it_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keep("one")
    assert judge(mine()["one"], problem_in).verdict == "wrong" and mine()["one"].verdict is None


def test_an_index_that_cannot_be_replaced_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(self: Path, target: Path) -> None:
        raise OSError("no room")

    index = Index()
    index.put((1, 2, 3, 4), {"title": "x"})
    monkeypatch.setattr(Path, "replace", refuses)
    index.write()
    assert list(cache_folder().iterdir()) == []


def test_what_is_gone_is_forgotten() -> None:
    path = keep("one")
    entries()
    count = len(json.loads((cache_folder() / "sessions.json").read_text())["records"])
    path.unlink()
    entries()
    assert len(json.loads((cache_folder() / "sessions.json").read_text())["records"]) == count - 1


@pytest.mark.parametrize("every", [9, *nightly(1)])
def test_hostile_files_are_listed_with_what_is_wrong(every: int, tmp_path: Path) -> None:
    library_folder().mkdir(parents=True)
    tried = SMALL[::every]
    for number, file in enumerate(tried):
        folder = tmp_path / str(number)
        folder.mkdir()
        made = file.write(folder)
        if os.path.lexists(made):
            made.rename(library_folder() / f"{number}.planscope.json")
    found = {e.name: e for e in entries("library")}
    judged = {e.name: e for e in judge_all(found.values(), problem_in)}
    assert len(found) > 500 // every
    for number, file in enumerate(tried):
        entry = judged.get(str(number)) or found.get(str(number))
        if entry is None:
            continue
        if file.fate == "refused" and "page" not in file.name:
            assert entry.wrong is not None, file.name
        if file.fate == "opens" and "a link" not in file.name:
            assert entry.wrong is None, (file.name, entry.wrong)


def test_a_share_is_that_of_several_runs() -> None:
    shares = [Tally(1).share, Tally(1, 1).share, Tally(1, aborted=1).share, Tally(helped=2).share]
    assert shares == ["", "1/2", "1/1", ""]


def test_search() -> None:
    keep("alpha", "Hair stylist, first try", "sim:literal")
    keep("beta", "Network", "openai:gpt")
    found = [judge(e, problem_in) for e in entries("library")]

    def names(text: str) -> list[str]:
        return sorted(e.name for e in search(found, text))

    assert names("") == ["alpha", "beta"]
    assert names("FIRST try") == ["alpha"] and names("gpt") == ["beta"] and names("first gpt") == []
    assert names("hair stylist") == ["alpha", "beta"]  # the topic
    assert names("parameter error") == names("parameter_error") == names("wrong") == ["alpha", "beta"]


def test_no_session_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    library_folder().mkdir(parents=True)
    for k in range(50):
        (library_folder() / f"s{k:04}.planscope.json").write_bytes(_DATA)
    read: list[Path] = []
    monkeypatch.setattr(
        "planscope.session.library.summary_fields", lambda path, size: read.append(path) or {}
    )
    assert len(entries("library")) == len(entries("library")) == 50
    assert len(read) == 50


_DATA = json.dumps(json.loads(figure_10().model_dump_json())).encode()


# -- changes ----------------------------------------------------------------------------------------------------


def test_renamed_deleted_restored() -> None:
    path = keep("one")
    judge(mine()["one"], problem_in)
    new = rename(path, "a new name")
    assert not path.exists() and mine()["a new name"].verdict == "wrong"  # the index knows the file again
    gone = delete(new)
    assert gone.parent == trash_folder() and mine() == {}
    (entry,) = entries("trash")
    assert (entry.name, entry.path, entry.verdict) == (
        "a new name",
        gone,
        "wrong",
    ) and entry.deleted is not None
    keep("a new name", "in its place")
    back = restore(gone)
    assert back.name == "a new name-2.planscope.json" and entries("trash") == []
    assert load(back).title == "A title" and mine()["a new name"].title == "in its place"


def test_the_trash_keeps_all_of_one_name_until_it_is_emptied() -> None:
    for title in ("first", "second"):
        delete(keep("one", title))
    assert sorted(load(e.path).title for e in entries("trash")) == ["first", "second"]
    assert load(in_trash(str(entries("trash")[1].path))).title in ("first", "second")
    (trash_folder() / "other.txt").write_text("")
    assert empty_trash() == 2 and entries("trash") == [] and (trash_folder() / "other.txt").exists()
    assert empty_trash() == 0


def test_the_name_that_was_deleted_last_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    delete(keep("one", "first"))
    for path in trash_folder().iterdir():
        path.rename(path.with_name(path.name.replace("~20", "~19")))
    delete(keep("one", "second"))
    assert load(in_trash("one")).title == "second"
    with pytest.raises(SessionError, match="no 'two' in the trash"):
        in_trash("two")


def test_a_copy_of_anything_goes_to_the_library(tmp_path: Path) -> None:
    origin = bundled()["figure-10"]
    assert copy(origin).name == "figure-10-2.planscope.json"
    assert copy(origin, "mine").name == "mine.planscope.json"
    save(figure_10(), tmp_path / "x.planscope.json.gz")
    made = copy(tmp_path / "x.planscope.json.gz")
    assert made == library_folder() / "x.planscope.json.gz" and load(made) == load(
        tmp_path / "x.planscope.json.gz"
    )
    with pytest.raises(SessionError, match="a session 'mine' exists already"):
        copy(origin, "mine")
    with pytest.raises(SessionError, match="a session 'figure-7' exists already"):
        copy(origin, "figure-7")
    (tmp_path / "bad.planscope.json").write_text("{}")
    with pytest.raises(SessionError, match="not a planscope session"):
        copy(tmp_path / "bad.planscope.json")


def test_new_ones_of_one_name_stand_beside_each_other() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: listing.add(figure_10(), "new one"), range(8)))
    names = ["new one", *(f"new one-{n}" for n in range(2, 9))]
    assert sorted(locations.name_of(path) for path in made) == sorted(names)
    assert all(load(path).title == figure_10().title for path in made)


def test_only_what_is_in_the_library_is_changed(tmp_path: Path) -> None:
    outside = tmp_path / "x.planscope.json"
    save(figure_10(), outside)
    keep("one")
    for path in (
        outside,
        bundled()["figure-10"],
        library_folder() / ".." / "sessions.json",
        library_folder() / "gone.planscope.json",
    ):
        for change in (
            delete,
            lambda p: rename(p, "new"),
            lambda p: retitle(p, "new"),
        ):
            with pytest.raises(SessionError):
                change(path)
    with pytest.raises(SessionError, match="not in the trash"):
        restore(outside)
    assert load(outside).title == "Figure 10"


def test_links_in_the_library_are_moved_as_links(tmp_path: Path) -> None:
    outside = tmp_path / "x.planscope.json"
    save(figure_10(), outside)
    library_folder().mkdir(parents=True)
    link = library_folder() / "link.planscope.json"
    link.symlink_to(outside)
    assert mine()["link"].title == "Figure 10"
    gone = delete(rename(link, "renamed"))
    assert gone.is_symlink() and outside.exists()
    assert empty_trash() == 1 and outside.exists()
    (library_folder() / "broken.planscope.json").symlink_to(tmp_path / "nothing")
    assert mine()["broken"].wrong is not None
    delete(listing.library_session("broken"))
    (library_folder() / "folder.planscope.json").mkdir()
    with pytest.raises(SessionError, match="neither a file nor a link"):
        delete(listing.library_session("folder"))


def test_what_is_being_written_is_not_moved() -> None:
    path = keep("one")
    with Lock(path, lasting=True):
        for change in (
            delete,
            lambda p: rename(p, "two"),
            lambda p: retitle(p, "x"),
        ):
            with pytest.raises(Held, match=r"; close it there first$"):
                change(path)
    assert path.exists()


def test_a_new_title_is_all_that_changes() -> None:
    path = keep("one")
    before = load(path)
    retitle(path, "Another")
    assert load(path) == before.model_copy(update={"title": "Another"})


# -- names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["", " ", "a ", ".", "..", ".hidden", "-rf", "a/b", "../x", "a\\b", "a\0b", "a\nb", "\x1b[31m", "a\u202eb",
     "x" * 121, "é" * 61, "C:x", "a*", "what?", "a\u200bb", "\ud800", "~x"],
)  # fmt: skip
def test_names_that_are_none(name: str) -> None:
    path = keep("one")
    with pytest.raises(SessionError, match="cannot be a session's name"):
        rename(path, name)
    assert list(mine()) == ["one"]
    assert locations.in_library(name) is None


@pytest.mark.parametrize(
    "name", ["two", "Zwei Äpfel", "先检查", "a.b", "x" * 120, "one-2", "plan (1)", "[bold]", "{0}"]
)
def test_names(name: str) -> None:
    path = rename(keep("one"), name)
    assert list(mine()) == [name] and locations.resolve(name) == path == listing.library_session(name)
    assert mine()[name].address == name


def test_letters_are_composed_and_suffixes_dropped() -> None:
    assert rename(keep("one"), "Cafe\u0301.planscope.json").name == "Caf\u00e9.planscope.json"


def test_free_names_are_names_whatever_a_file_is_called() -> None:
    for text in (*SAVEABLE, "a/../b", "x" * 5000, "figure-10"):
        name = locations.free_name(text)
        assert locations.wrong_name(name) is None and name not in bundled(), text


def test_names_mean_the_same_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = keep("one")
    assert locations.resolve("one") == path
    assert locations.resolve("figure-10") == bundled()["figure-10"]
    keep("figure-10", "mine, put there by hand")
    assert locations.resolve("figure-10") == bundled()["figure-10"]
    assert mine()["figure-10"].address == str(library_folder() / "figure-10.planscope.json")
    (tmp_path / "one").write_text("a file of that name is meant first")
    assert locations.resolve("one") == Path("one")
    with pytest.raises(SessionError, match=r"nor in your library \(is it one\?\)"):
        locations.resolve("onee")
    for name in ("../sessions/one", "nothing", "\ud800", "-rf"):
        with pytest.raises(SessionError, match="there is no file"):
            locations.resolve(name)


def test_the_index_is_not_needed_to_be_written_by_judging(monkeypatch: pytest.MonkeyPatch) -> None:
    keep("one")
    index = Index()
    (entry,) = entries("library", index=index)
    assert judge(entry, problem_in, index).verdict == "wrong" and mine()["one"].verdict is None
    index.write()
    assert mine()["one"].verdict == "wrong"
    assert listing.PLACES == ("library", "bundled")


def test_outcomes_count_each_run_once() -> None:
    found = [
        Outcome("right"),
        Outcome("wrong", "order_error", error_type="order_error"),
        Outcome("wrong", "order_error", error_type="act_error"),
        Outcome("wrong", "timeout", error_type="timeout"),
        Outcome("aborted"),
        Outcome("aborted", reason="cut_off"),
        Outcome("unknown"),
        Outcome("unknown", judged=False),
    ]
    helped = [*((one, False) for one in found), (Outcome("right"), True), (Outcome("aborted"), True)]
    assert Tally.of(helped) == Tally(
        right=1,
        wrong=3,
        aborted=3,
        unknown=2,
        helped=1,
        helped_right=1,
        cut_off=1,
        not_judged=1,
        errors={"order_error": 1, "act_error": 1, "timeout": 1},
        headlines={"order_error": 2, "timeout": 1},
    )
