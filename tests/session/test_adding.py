"""What was made for a session goes into its file as it is by now, or into the library: never lost, nothing undone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from planscope.session import json_bytes, validation
from planscope.session import writer as module
from planscope.session.files import SessionError
from planscope.session.locations import library_folder
from planscope.session.lock import Held, Lock
from planscope.session.model import Cell, Dissection, Run, Session
from planscope.session.store import dumps, load, loads, save, split
from planscope.session.writer import SavedFiles, adding, check_nobody_writes, digest_of
from tests.session.make import figure_10


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "mine" / "x.planscope.json"
    save(figure_10(), place)
    return place


def add_run(session: Session, source: Path, target: Path, run_id: str) -> Session:
    """A run added to what was read from ``source``."""
    with adding(session, source, target, {"v1"}) as now:
        now.runs.append(session.runs[0].model_copy(update={"id": run_id}))
    return now


def runs(path: Path) -> list[str]:
    return [run.id for run in load(path).runs]


def kept_in_library(session: Session, path: Path, says: str) -> Path:
    """The run was not written to ``path``; where it is, as the error says."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(SessionError) as caught:
        add_run(session, path, path, "r7")
    text = str(caught.value)
    assert says in text and "\n" not in text
    assert (path.read_bytes() if path.is_file() else None) == before
    found = re.search(r"the new session is in (.+)$", text)
    assert found is not None, text
    assert Path(found[1]).parent == library_folder() and runs(Path(found[1]))[-1] == "r7"
    return Path(found[1])


def test_to_what_is_there_by_now(path: Path) -> None:
    early = load(path)
    add_run(load(path), path, path, "r2")
    now = add_run(early, path, path, "r3")
    assert runs(path) == ["r1", "r2", "r3"] == [run.id for run in now.runs]
    assert [run.id for run in early.runs] == ["r1"]


def test_to_another_file(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "y.planscope.json"
    add_run(load(path), path, target, "r2")
    assert runs(path) == ["r1"] and runs(target) == ["r1", "r2"]
    add_run(load(path), path, target, "r3")  # as -o asks for: what was there is replaced
    assert runs(target) == ["r1", "r3"]


def test_to_a_file_that_is_gone(path: Path) -> None:
    session = load(path)
    path.unlink()
    add_run(session, path, path, "r2")
    assert runs(path) == ["r1", "r2"]


def test_another_session_is_there_now(path: Path) -> None:
    session = load(path)
    save(session.model_copy(update={"id": "another"}), path)
    kept_in_library(
        session, path, "was changed by another program since it was read, and is another session now"
    )


def test_the_request_was_changed_under_its_id(path: Path) -> None:
    session = load(path)
    path.write_text(path.read_text().replace("follow 10:00", "follow 11:00"))
    kept_in_library(session, path, "was changed by another program")


@pytest.mark.parametrize("content", ["", "{", json.dumps({"format": "planscope-session", "version": 99})])
def test_no_session_is_there_now(path: Path, content: str) -> None:
    session = load(path)
    path.write_text(content)
    kept_in_library(session, path, "though it could be read before")


def test_somebody_keeps_it_open(path: Path) -> None:
    session = load(path)
    with Lock(path, lasting=True):
        place = kept_in_library(session, path, "is being written by another planscope (process")
        assert kept_in_library(load(path), path, "being written") != place
        with pytest.raises(Held):
            check_nobody_writes(path)
    check_nobody_writes(path)
    with Lock(path):
        check_nobody_writes(path)  # that takes a moment only


def test_the_disk_is_full(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = load(path)

    def full(place: Path, data: bytes) -> None:
        raise SessionError(f"{place} cannot be written: No space left on device")

    monkeypatch.setattr(module, "write_atomic", full)
    kept_in_library(session, path, "No space left")


def test_a_session_that_would_be_too_large(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit goes into a file beside it; what is there stays."""
    session, before = load(path), path.read_bytes()
    monkeypatch.setattr(validation, "MOST_EVENTS", len(session.runs[0].events) + 3)
    for number in (2, 3):
        add_run(session, path, path, f"r{number + 5}")
        beside = path.with_name(f"x-{number}.planscope.json")
        assert path.read_bytes() == before and runs(beside) == [f"r{number + 5}"]
        assert load(beside).variants == session.variants


def many(count: int) -> list[Run]:
    return [figure_10().runs[0].model_copy(update={"id": f"n{i}"}) for i in range(count)]


def test_many_runs_fill_as_many_files_as_they_need(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_bytes, "LARGEST", 3 * len(dumps(figure_10())))
    session, kept = load(path), SavedFiles()
    with adding(session, path, path, {"v1"}, kept=kept) as now:
        now.runs += many(12)
    assert [file.name for file, _ in kept.files] == [
        f"x{n}.planscope.json" for n in ("", "-2", "-3", "-4", "-5")
    ][: len(kept.files)]
    assert len(kept.files) > 2
    assert [run for _, runs in kept.files for run in runs] == [f"n{i}" for i in range(12)]
    assert runs(path) == ["r1", *kept.files[0][1]]
    for file, ids in kept.files[1:]:
        assert (runs(file) == ids and file.stat().st_size > 0.6 * json_bytes.LARGEST) or file == kept.files[
            -1
        ][0]


def test_a_dissection_stays_with_its_runs(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_run(load(path), path, path, "r2")
    add_run(load(path), path, path, "r3")
    session, kept = load(path), SavedFiles()
    cells = [Cell(kind="Original", number=1, variant="v1", runs=[f"n{i}" for i in range(4)])]
    record = Dissection(id="d1", variant="v1", run="r1", agent="tools", model="sim:careful", cells=cells)
    whole = session.model_copy(update={"runs": [*session.runs, *many(4)], "dissections": [record]})
    monkeypatch.setattr(json_bytes, "LARGEST", len(dumps(whole)) - 1)
    for ids, files in ((4, {1}), (12, {2, 3})):
        cells[0].runs = [f"n{i}" for i in range(ids)]
        before = path.read_bytes()
        with adding(session, path, path, {"v1"}, kept=kept) as now:
            now.runs += many(ids)
            now.dissections.append(record)
        found = [load(file) for file, _ in kept.files]
        assert path.read_bytes() == before, "nothing of it fits where it is counted"
        assert len(found) in files and path not in [file for file, _ in kept.files]
        counted = [run for one in found for d in one.dissections for cell in d.cells for run in cell.runs]
        assert counted == cells[0].runs, "each run is counted once"


def test_a_run_that_two_dissections_count_is_in_a_file_once(path: Path) -> None:
    session = load(path)
    cells = [Cell(kind="Original", number=1, variant="v1", runs=["r1"])]
    session.dissections = [
        Dissection(id=id, variant="v1", agent="tools", model="sim:careful", cells=cells)
        for id in ("d1", "d2")
    ]
    assert [loads(data) for _, data in split(session)] == [session]


def test_what_was_read_is_not_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = path.read_bytes()
    session = loads(data)
    monkeypatch.setattr(module, "loads", None)
    with adding(session, path, path, {"v1"}, read=digest_of(data)) as now:
        now.runs += many(1)
    assert runs(path) == ["r1", "n0"] and [run.id for run in session.runs] == ["r1"]
    monkeypatch.undo()
    with adding(session, path, path, {"v1"}, read=digest_of(data)) as now:  # it was changed meanwhile
        now.runs.append(many(2)[1])
    assert runs(path) == ["r1", "n0", "n1"]


def test_nor_can_the_library_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = load(path)
    path.write_text("")
    library_folder().parent.mkdir(parents=True)
    library_folder().write_text("a file where the folder should be")
    with pytest.raises(
        SessionError,
        match=r"; it could not be saved in your library either: the folder \S+ cannot be created",
    ):
        add_run(session, path, path, "r2")
    assert path.read_text() == ""


def test_files_are_named_as_the_user_named_the_first() -> None:
    place, more = Path("/a/x"), Path("/a/x-2")
    one = SavedFiles(place, [(place, ["r1"])])
    assert (one.named("x"), one.beyond("x"), one.where("r1", "x")) == ([("x", ["r1"])], None, "x")
    both = SavedFiles(place, [(place, ["r1"]), (more, ["r2", "r3"])])
    assert both.beyond("x") == both.named("x") == [("x", ["r1"]), ("/a/x-2", ["r2", "r3"])]
    assert [both.where(run, "x") for run in ("r1", "r3", "r9")] == ["x", "/a/x-2", "x"]
    assert SavedFiles(place, [(more, ["r1"])]).beyond("x") == [("/a/x-2", ["r1"])]
    assert (SavedFiles().named("x"), SavedFiles().beyond("x")) == ([], None)


def test_nothing_is_written_when_the_work_fails(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), adding(load(path), path, path, {"v1"}) as now:
        now.runs.clear()
        raise ZeroDivisionError
    assert path.read_bytes() == before
    save(figure_10(), path)  # and nobody holds it


def test_a_place_that_must_not_be_written(path: Path) -> None:
    path.chmod(0o444)
    with pytest.raises(SessionError, match="write-protected"):
        add_run(load(path), path, path, "r2")


ADDS = """
import sys
from pathlib import Path
from planscope.session import writer as it
from planscope.session.writer import adding
from planscope.session.store import load

it.PATIENCE = 100.0
path = Path(sys.argv[1])
for number in range(5):
    session = load(path)
    with adding(session, path, path, {"v1"}) as now:
        now.runs.append(now.runs[0].model_copy(update={"id": f"{sys.argv[2]}-{number}"}))
"""


def test_many_writers_at_once_lose_nothing(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", ADDS, str(path), str(n)]) for n in range(4)]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0, 0]
    assert sorted(runs(path)) == sorted(["r1", *(f"{n}-{k}" for n in range(4) for k in range(5))])
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_dissection_that_fills_several_files_loses_no_run_of_those_after_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = load(path)
    session.runs = many(9)
    runs = [run.id for run in session.runs]
    variant = session.variants[0].id
    session.dissections = [
        Dissection(
            id=name,
            variant=variant,
            agent="tools",
            model="m",
            cells=[Cell(kind="Original", number=1, variant=variant, runs=some)],
        )
        for name, some in (("d1", runs[:6]), ("d2", runs[6:8]), ("d3", runs[8:]))
    ]
    monkeypatch.setattr("planscope.session.json_bytes.LARGEST", 3 * len(dumps(session)) // 8)
    parts = [loads(data) for _, data in split(session)]
    assert len(parts) > 2
    assert sorted(run.id for part in parts for run in part.runs) == runs
    cells = {(d.id, run) for part in parts for d in part.dissections for cell in d.cells for run in cell.runs}
    assert cells == {(d.id, run) for d in session.dissections for cell in d.cells for run in cell.runs}


def test_a_dissection_that_counts_no_run_yet_is_in_the_first_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = load(path)
    whole = session.model_copy(update={"runs": [*session.runs, *many(9)]})
    begun = Dissection(id="d1", variant="v1", run="r1", agent="tools", model="m", cells=[])
    whole.dissections = [begun]
    monkeypatch.setattr("planscope.session.json_bytes.LARGEST", 5 * len(dumps(whole)) // 8)
    for first in (None, session):
        parts = [loads(data) for _, data in split(whole, first)]
        assert [[one.id for one in part.dissections] for part in parts] == [
            ["d1"],
            *([[]] * (len(parts) - 1)),
        ]
        assert len(parts) > 1 and parts[0].dissections == [begun]
