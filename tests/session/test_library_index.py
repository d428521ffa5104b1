"""What a list knows of a session: its fields, however odd the file, counts in words, search, and the index."""

from __future__ import annotations

import json
import os
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from planscope.session import library_index, locations
from planscope.session.library_index import (
    LONGEST_TEXT,
    Entry,
    Index,
    Mark,
    engine,
    fields_of,
    mark_of,
    moment,
    search,
    summary_fields,
)
from planscope.session.tally import Outcome, Tally

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def entry(**fields: Any) -> Entry:
    more = {"name": "x", "path": Path("/a/x.planscope.json"), "place": "library", "title": "T"}
    return Entry(**{**more, "size": 1, "changed": NOW, **fields})


@pytest.mark.parametrize(
    ("found", "share", "text", "wrong"),
    [
        (Tally(), "", "", False),
        (Tally(right=1), "", "1 of 1 right", False),
        (Tally(right=1, aborted=1), "1/1", "1 of 1 right; 1 aborted", False),
        (Tally(right=1, unknown=2), "1/1", "1 of 1 right; 2 undecided", False),
        (Tally(right=3, wrong=1), "3/4", "3 of 4 right", True),
        (Tally(wrong=2), "0/2", "0 of 2 right", True),
        (Tally(aborted=3), "", "3 aborted", False),
        (Tally(aborted=3, cut_off=1, stopped=1), "", "1 aborted; 1 cut off; 1 stopped", False),
        (Tally(unknown=3, not_judged=2), "", "1 undecided; 2 not judged", False),
        (Tally(helped=2, helped_right=1), "", "2 helped, 1 of them right", True),
        (
            Tally(helped=2, helped_right=2, right=1),
            "1/1",
            "1 of 1 right; 2 helped, 2 of them right",
            False,
        ),
    ],
)
def test_counts_in_words(found: Tally, share: str, text: str, wrong: bool) -> None:
    said = found.text.replace("not decided", "undecided").replace("unknown", "undecided")
    assert (found.share, said, found.any_wrong) == (share, text, wrong)
    assert found.counted == found.right + found.wrong


def test_fields_of_a_document() -> None:
    document = {
        "title": "t" * 300,
        "created": "2026-11-01",
        "runs": [
            {"id": "r1", "agent": "tools", "model": "m" * 300},
            5,
            {"id": "r2", "agent": "react", "model": "m"},
        ],
        "variants": [{"id": "v1", "query": {"topic": "cook"}}, {"id": "v2", "query": {"topic": "other"}}],
        "dissections": [
            {"variant": "v1", "cells": [{"variant": "v2", "runs": ["r2", 5]}, {"variant": "v1"}]},
            "x",
        ],
        "fuzzings": [{"findings": [{}, {}, 5]}, {"findings": 7}, {}, {"findings": [{}]}],
    }
    assert fields_of(document) == {
        "title": "t" * LONGEST_TEXT,
        "created": "2026-11-01",
        "agent": "tools",
        "model": "m" * LONGEST_TEXT,
        "topic": "cook",
        "runs": 2,
        "variants": 2,
        "findings": 3,
    }
    document["dissections"] = []
    found = fields_of(document)
    assert (found["agent"], found["model"], found["topic"]) == ("react", "m", "other")
    document["dissections"] = [{"cells": [{"variant": "v1", "runs": ["r1", "r2"]}, {"variant": "v2"}]}]
    found = fields_of(document)  # all were made by dissections: then the last counts
    assert (found["agent"], found["topic"]) == ("react", "other")


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"title": 5, "runs": 5, "variants": {}, "dissections": "x", "fuzzings": 0, "created": 1},
        {
            "runs": [[]],
            "variants": [{"id": [], "query": 5}],
            "dissections": [{"cells": [{"runs": 5, "variant": 5}]}],
        },
    ],
)
def test_values_of_a_wrong_type_count_as_missing(document: dict[str, Any]) -> None:
    found = fields_of(document)
    assert found["title"] == "" and not any(
        found[key] for key in ("created", "agent", "model", "topic", "runs")
    )
    assert found["variants"] == (document.get("variants") not in (None, {}))


def test_a_file_is_read_up_to_a_size_and_says_what_is_wrong_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"{'x' * 200}.planscope.json"
    path.write_text("{}")
    found = summary_fields(path, 2)
    assert list(found) == ["wrong"] and found["wrong"].startswith(f"{path.name} is JSON, but not a planscope")
    monkeypatch.setattr(library_index, "LARGEST_LISTED", 2)
    assert "wrong" in summary_fields(path, 2) and summary_fields(path, 3) == {}
    path.write_text(json.dumps({"format": "planscope-session", "version": 1, "title": "T"}))
    assert summary_fields(path, 2)["title"] == "T"
    monkeypatch.setattr(library_index, "LONGEST_TEXT", 10)
    path.write_text("{}")
    assert len(summary_fields(path, 2)["wrong"]) == 20


def test_moments() -> None:
    assert moment("2026-11-01T12:00:00") == moment("2026-11-01T13:00:00+01:00") == NOW
    east = datetime(2026, 11, 1, 14, tzinfo=timezone(timedelta(hours=2)))
    assert moment(east.isoformat()) == NOW
    assert moment(None) is moment("") is moment("soon") is moment("0001-01-01T00:00:00+10:00") is None


def test_what_an_entry_says_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert entry().pending and not entry(checked=True).pending and not entry(wrong="x").pending
    many = Tally(wrong=1, errors={"act_error": 1}, headlines={"timeout": 1})
    some = entry(outcome=Outcome("right", "order_error", error_type="act_error"), outcomes=many)
    assert [some.came_out(v) for v in ("right", "wrong", "aborted")] == [True, True, False]
    assert some.error_types == {"order_error", "timeout"}, "what words name, as filters do"
    assert entry().error_types == frozenset()
    assert [entry(outcome=Outcome("right")).came_out(v) for v in ("right", "wrong")] == [True, False]
    early, late = NOW - timedelta(days=2), NOW + timedelta(days=1)
    assert entry(created=early).when == NOW and entry(created=early, place="bundled").when == early
    assert entry(place="bundled").when == NOW and entry(deleted=late, created=early).when == late
    path = "/a/x.planscope.json"
    said = [f"{path} is empty", "x.planscope.json is empty", "is empty", f"in {path}", None]
    assert [entry(wrong=one).why_wrong for one in said] == ["is empty"] * 3 + [f"in {path}", ""]
    monkeypatch.setattr(library_index, "bundled", lambda: {"figure": Path("/b/figure")})
    places = [("x", "library"), ("figure", "library"), ("figure", "bundled"), ("x", "trash"), ("x", "file")]
    assert [entry(name=name, place=place).address for name, place in places] == [
        "x",
        path,
        "figure",
        path,
        path,
    ]
    assert entry(name="a/b").address == path


def test_every_word_is_searched_for_in_everything_that_is_said() -> None:
    made = entry(
        name="Monday",
        title="Big Title",
        topic="cook",
        agent="tools",
        model="sim:x",
        outcome=Outcome("aborted", "order_error", reason="cut_off"),
        helped="1 call refused",
        wrong="is empty",
        outcomes=Tally(wrong=1),
    )
    for word in ("monday", "BIG title", "cook", "tools", "sim:", "aborted", "cut off", "order_error", "order error",
                 "helped", "wrong", "broken", "empty broken"):  # fmt: skip
        found = search([made, entry(name="y", title="y")], word)
        assert found == ([made] if word != "empty broken" else [])
    assert search([made], "monday nothing") == [] and search([made], " ") == [made]
    assert (
        search([entry(checked=True)], "helped")
        == search([entry()], "broken")
        == search([entry()], "wrong")
        == []
    )


def mark(n: int = 1) -> Mark:
    return n, 2, 3, 4


def test_an_index_is_kept_for_its_user_alone_and_written_if_it_changed(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        index = Index()
        index.write()
        assert not locations.cache_folder().exists()
        index.put(mark(), {"title": "T", "runs": 1})
        index.put(mark(2), {"title": "U"})
        index.write()
    finally:
        os.umask(before)
    (file,) = locations.cache_folder().iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    again = Index()
    assert again.get(mark()) == {"title": "T", "runs": 1} and again.get(mark(3)) is None
    file.unlink()
    again.put(mark(), {"title": "T", "runs": 1})
    again.keep_only({mark(), mark(2), mark(3)})
    again.write()
    assert not file.exists()  # nothing changed
    again.keep_only({mark()})
    again.write()
    assert Index().get(mark()) is not None and Index().get(mark(2)) is None
    file.unlink()
    again.write()
    assert not file.exists()


KINDS = {"outcome": Outcome, "outcomes": Tally}


@pytest.mark.parametrize(
    ("record", "valid"),
    [
        ({}, True),
        ({"title": None, "runs": 5, "checked": True, "outcome": list(Outcome("right"))}, True),
        ({"outcome": list(Outcome("perfect"))}, False),
        ({"outcome": list(Outcome("wrong", "order_error"))}, True),
        ({"outcome": list(Outcome("wrong", "x"))}, False),
        ({"outcome": list(Outcome("wrong", error_type="x"))}, False),
        ({"outcome": list(Outcome("right", judged=1))}, False),
        ({"outcome": list(Outcome("right"))[:-1]}, True),
        ({"outcome": None}, False),
        ({"title": 5}, False),
        ({"runs": "5"}, False),
        ({"unknown": 5}, False),
        ({"unknown": "x"}, False),
        ([], False),
        ({"outcomes": {"right": 1, "errors": {"order": 2}, "headlines": {}}}, True),
        ({"outcomes": {"right": 1, "errors": {}}}, True),
        ({"outcomes": {"right": "1", "errors": {}, "headlines": {}}}, False),
        ({"outcomes": {"errors": {"order": "2"}, "headlines": {}}}, False),
        ({"outcomes": {"left": 1, "errors": {}, "headlines": {}}}, False),
        ({"outcomes": 5}, False),
    ],
)
def test_only_records_of_the_right_shape_are_believed(record: Any, valid: bool) -> None:
    file = locations.cache_folder() / "sessions.json"
    file.parent.mkdir(parents=True)
    rows = [[1, 2, 3, 4, record], [2, 2, 3, 4, {"title": "good"}]]
    file.write_text(json.dumps({"engine": engine(), "records": rows}))
    found = Index().get(mark())
    assert (found is not None) == valid and (found is None or found.keys() == record.keys())
    assert found is None or all(
        isinstance(found[name], kind) for name, kind in KINDS.items() if name in found
    )
    assert Index().get(mark(2)) == {"title": "good"}
    file.write_text(json.dumps({"engine": "x", "records": rows}))
    assert Index().get(mark(2)) is None


def test_a_mark_tells_files_and_their_changes_apart(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("x")
    made = path.stat()
    assert mark_of(made) == (made.st_dev, made.st_ino, 1, made.st_mtime_ns)
    assert len(engine()) == 32
