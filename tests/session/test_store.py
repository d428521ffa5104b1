"""Files: what is written comes back equal, and what is wrong with one is said in one line."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from planscope.session import files, recovery
from planscope.session.files import SessionError
from planscope.session.locations import bundled, recovery_folder
from planscope.session.lock import holder_of
from planscope.session.model import FORMAT_VERSION, AnswerEvent, CallEvent, Cell, Dissection, ForkPoint
from planscope.session.store import dumps, load, loads, save
from planscope.session.validation import check_references, from_document
from tests.session.make import figure_10


def complaint(path: Path) -> str:
    with pytest.raises(SessionError) as caught:
        load(path)
    text = str(caught.value)
    assert "\n" not in text and text
    return text


@pytest.mark.parametrize("name", ["x.planscope.json", "x.planscope.json.gz"])
def test_what_is_saved_comes_back_equal(tmp_path: Path, name: str) -> None:
    session = figure_10()
    save(session, tmp_path / "sub" / name)
    assert load(tmp_path / "sub" / name) == session
    assert [p.name for p in (tmp_path / "sub").iterdir()] == [name]


def test_unknown_fields_are_kept(tmp_path: Path) -> None:
    document = json.loads(dumps(figure_10()))
    document["from_the_future"] = {"x": [1]}
    document["runs"][0]["events"][2]["note"] = "kept"
    document["runs"][0]["left_out"] = [{"kind": "not understood", "reason": "no name", "note": "kept"}]
    again = json.loads(dumps(loads(json.dumps(document).encode())))
    assert again["from_the_future"] == {"x": [1]}
    assert again["runs"][0]["events"][2]["note"] == "kept"
    assert again["runs"][0]["left_out"][0]["note"] == "kept"


def test_every_way_to_cut_a_session_is_one_line(tmp_path: Path) -> None:
    data = dumps(figure_10()).rstrip()
    path = tmp_path / "cut.planscope.json"
    for end in range(0, len(data), 37):
        path.write_bytes(data[:end])
        text = complaint(path)
        assert "cut off" in text or "empty" in text or "not JSON" in text or "no planscope" in text
    path.write_bytes(data[: len(data) // 2])
    assert "cut off" in complaint(path)


def test_cut_gzip(tmp_path: Path) -> None:
    path = tmp_path / "cut.planscope.json.gz"
    path.write_bytes(gzip.compress(dumps(figure_10()))[:-20])
    assert "cut off" in complaint(path)
    path.write_bytes(b"\x1f\x8b garbage")
    assert "gzip" in complaint(path)


def test_a_gzip_bomb_is_refused_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 100_000)
    path = tmp_path / "bomb.planscope.json.gz"
    path.write_bytes(gzip.compress(b" " * 10_000_000))
    assert "larger than" in complaint(path)
    path.write_bytes(b" " * 100_001)
    assert "larger than" in complaint(path)


def test_future_version_and_other_json(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    path.write_text('{"format": "planscope-session", "version": 99}')
    assert "newer planscope" in complaint(path)
    path.write_text('{"format": "planscope-session", "version": true}')
    assert "version" in complaint(path)
    known = loads(bundled()["cause-terminal"].read_bytes()).model_dump(mode="json")
    known["dissections"][0]["cells"][0]["kind"] = "Hypnosis"
    path.write_text(json.dumps(known))
    said = complaint(path)
    assert "cells.0.kind" in said and "a newer planscope may know it" in said and "\n" not in said
    for other in ("[]", "{}", "3", '"x"', "null"):
        path.write_text(other)
        assert "not a planscope session" in complaint(path)
    path.write_text('{"format": "planscope-session", "version": 1, "id": 7}')
    assert "not a valid session: id" in complaint(path)


def test_not_a_file(tmp_path: Path) -> None:
    assert "there is no file" in complaint(tmp_path / "nothing")
    assert "is a directory" in complaint(tmp_path)
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "not a regular file" in complaint(path)
    assert complaint(Path("x\0y"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    save(figure_10(), path)
    path.chmod(0)
    assert "permission denied" in complaint(path)


def test_odd_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    path.write_bytes(b"\xff\xfe{}")
    assert "UTF-8" in complaint(path)
    path.write_bytes(b"[" * 200_000)
    assert "nested" in complaint(path) or "cut off" in complaint(path)
    path.write_text('{"a": NaN}')
    assert "NaN" in complaint(path)
    path.write_text('{"a": ' + "9" * 10_000 + "}")
    complaint(path)


def test_half_a_surrogate_pair_is_mended(tmp_path: Path) -> None:
    data = dumps(figure_10()).replace(b"Next sanitizing", b"\\ud800 sanitizing")
    session = loads(data)
    save(session, tmp_path / "x.planscope.json")
    assert load(tmp_path / "x.planscope.json") == session


LONG = "x" * 90
CUT = repr("x" * 80)


def dissected(**fields: object) -> Dissection:
    more = {"variant": "v1", "run": "r1", "cells": [Cell(kind="Repeat", number=1, variant="v1", runs=["r1"])]}
    return Dissection(id="d1", agent="tools", model="sim:x", **{**more, **fields})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            lambda s: s.runs[0].__setattr__("variant", "v9"),
            "run 'r1' belongs to a variant that does not exist",
        ),
        (
            lambda s: s.runs[0].__setattr__("forked_from", ForkPoint(run="r9", step=1)),
            "run 'r1' was forked from a run that does not exist",
        ),
        (lambda s: s.variants[0].__setattr__("parent", "v1"), "variant 'v1' is its own ancestor"),
        (lambda s: s.variants[0].__setattr__("parent", LONG), f"a variant's parent {CUT} does not exist"),
        (lambda s: s.runs.append(s.runs[0]), "the run 'r1' occurs twice"),
        (lambda s: s.variants.append(s.variants[0]), "the variant 'v1' occurs twice"),
        (lambda s: s.dissections.extend([dissected()] * 2), "the dissection 'd1' occurs twice"),
        (lambda s: s.variants[0].actions[0].__setattr__("id", "a2"), "the action 'a2' occurs twice"),
        (
            lambda s: s.variants[0].actions[0].__setattr__("id", "a0"),
            "'a0' is not an action id (a1, a2, ...)",
        ),
        (
            lambda s: s.variants[0].actions[0].__setattr__("id", "a1) (exit"),
            "'a1) (exit' is not an action id (a1, a2, ...)",
        ),
        (
            lambda s: s.variants[0].actions[0].__setattr__("tool", "applying_hair_color"),
            "the tool 'applying_hair_color' occurs twice",
        ),
        (
            lambda s: s.variants[0].actions[0].__setattr__("tool", f"{LONG} x"),
            f"{CUT} is not a tool name (letters, digits, _ and -)",
        ),
        (
            lambda s: s.runs[0].events.append(CallEvent(step=5, tool="x")),
            "the calls of run 'r1' are not numbered 1, 2, 3, ...",
        ),
        (
            lambda s: s.runs[0].events.append(AnswerEvent(step=4, text="x")),
            "run 'r1' has an answer to a call that does not exist",
        ),
        (
            lambda s: s.dissections.append(dissected(variant="v9")),
            "dissection 'd1' is about a variant that does not exist",
        ),
        (
            lambda s: s.dissections.append(dissected(run="r9")),
            "dissection 'd1' counts a run that does not exist",
        ),
        (
            lambda s: s.dissections.append(
                dissected(run=None, cells=[Cell(kind="Repeat", number=1, variant="v9", runs=["r1"])])
            ),
            "dissection 'd1' is about a variant that does not exist",
        ),
        (
            lambda s: s.dissections.append(
                dissected(run=None, cells=[Cell(kind="Repeat", number=1, variant="v1", runs=["r9"])])
            ),
            "dissection 'd1' counts a run that does not exist",
        ),
    ],
)
def test_references_that_lead_nowhere(change, says: str) -> None:
    session = figure_10()
    change(session)
    with pytest.raises(SessionError) as caught:
        check_references(session, "it")
    assert str(caught.value) == f"it: {says}"
    with pytest.raises(SessionError, match=re.escape(says)):
        loads(dumps(session))


def test_references_that_lead_somewhere() -> None:
    session = figure_10()
    first = session.variants[0]
    for id, parent in (("v4", "v3"), ("v2", "v1"), ("v3", "v2")):
        session.variants.append(first.model_copy(update={"id": id, "parent": parent}))
    session.runs[0].events.append(AnswerEvent(step=3, text="again"))
    session.dissections += [dissected(), dissected(run=None).model_copy(update={"id": "d2"})]
    check_references(session, "it")
    first.parent = "v4"
    with pytest.raises(SessionError, match="'v1' is its own ancestor"):
        check_references(session, "it")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (
            [],
            'is JSON, but not a planscope session (its "format" is missing); planscope import makes one of a trace',
        ),
        (
            {"format": "x"},
            'is JSON, but not a planscope session (its "format" is missing); planscope import makes one of a trace',
        ),
        *(({"version": v}, ': its "version" is not a version number') for v in (True, "1", 0, None, 1.0)),
        (
            {"version": int("9" * 30)},
            f" was written by a newer planscope (format {'9' * 20}, this one reads up to {FORMAT_VERSION}); "
            "update planscope to open it",
        ),
        ({"title": 5}, "is not a valid session: title: Input should be a valid string"),
        ({"title": 5, "id": 5}, "is not a valid session: id: Input should be a valid string (and 1 more)"),
        (
            {"title": 5, "id": 5, "runs": 5},
            "is not a valid session: id: Input should be a valid string (and 2 more)",
        ),
    ],
)
def test_what_is_no_session_says_why(document: object, says: str) -> None:
    if isinstance(document, dict):
        document = {
            "format": "planscope-session",
            "version": FORMAT_VERSION,
            "id": "s",
            "title": "t",
            **document,
        }
    with pytest.raises(SessionError) as caught:
        from_document(document, "it")
    assert str(caught.value) == f"it{'' if says[0] in ': ' else ' '}{says}"


def test_a_kind_that_is_not_known_may_be_newer() -> None:
    document = figure_10().model_dump(mode="json", exclude_none=True)
    document["runs"][0]["events"][0] = {"type": "dream", "text": "x"}
    with pytest.raises(
        SessionError, match=r"a newer planscope may know it: if one wrote this file, update planscope$"
    ):
        from_document(document, "it")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.planscope.json"
    save(figure_10(), path)
    before = path.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    changed = figure_10()
    changed.title = "changed"
    with pytest.raises(SessionError, match="No space left"):
        save(changed, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_saving_over_a_directory(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="is a directory"):
        save(figure_10(), tmp_path)


def test_what_could_not_be_written_again_is_not_read() -> None:
    deep = "[" * 300 + "]" * 300
    with pytest.raises(SessionError, match="nested too deeply"):
        loads(f'{{"format": "planscope-session", "version": 1, "x": {deep}}}'.encode())
    brackets = dumps(figure_10()).replace(b"Next sanitizing", b"[" * 400 + b'\\"{ sanitizing')
    assert loads(brackets).runs


def test_a_saved_file_and_its_folder_are_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr(files, "_sync_directory", synced.append)
    files.write_atomic(tmp_path / "new" / "x.json", b"{}")
    assert synced == [tmp_path / "new"] and (tmp_path / "new" / "x.json").read_bytes() == b"{}"


def test_work_that_was_dropped_is_held_by_nobody(tmp_path: Path) -> None:
    kept = recovery.RecoveryFile(tmp_path / "x.planscope.json")
    assert "your changes are kept" in kept.keep(b"{}", "the disk is full", None)
    (file,) = [one for one in recovery_folder().iterdir() if one.suffix != ".lock"]
    assert holder_of(file) is not None
    kept.drop()
    assert not file.exists() and holder_of(file) is None and not kept.kept
