"""``planscope runs``: which runs are listed, where they were lost, and what deleting does to the file."""

from __future__ import annotations

from pathlib import Path

import jsonschema

from planscope.documents.schemas import schema
from planscope.session.locations import bundled
from planscope.session.store import load, save
from tests.cli.support import Cli


def test_runs_are_listed_filtered_and_counted_by_the_step_that_lost_them(cli: Cli) -> None:
    document = cli("runs", "cause-topic", "--json").json
    jsonschema.validate(document, schema("runs"))
    assert (document["right"], document["counted"], document["removed"]) == (30, 101, 0)
    assert [(row["step"], row["runs"]) for row in document["losses"]] == [(1, 4), (2, 1), (3, 66)]
    assert [run["id"] for run in cli("runs", "cause-topic", "--own", "--json").json["runs"]] == ["r1"]
    first = cli("runs", "cause-topic", "order", "error", "--lost", "1")
    assert first.status == 0 and "d1r16" in first.out and "d1r1 " not in first.out
    assert "lost: 4 of 4 runs" in first.out and "wedding_cake_decoration 1" in first.out
    assert cli("runs", "cause-topic", "--model", "none").out == "no run matches\n"


def test_a_filter_is_right_and_is_not_ignored(cli: Cli, tmp_path: Path) -> None:
    assert "'third' is not a whole number" in cli("runs", "cause-topic", "--lost", "third").complaint()
    path = tmp_path / "mine.planscope.json"
    save(load(bundled()["first-look"]), path)
    for more in (("--verdict", "wrong"), ("--own",), ("-o", str(tmp_path / "other"))):
        assert "leave them out" in cli("runs", str(path), "--delete", "r1", *more).complaint()
    assert len(load(path).runs) == len(load(bundled()["first-look"]).runs)


def test_deleting_changes_the_file_and_restoring_brings_it_back(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.planscope.json"
    save(load(bundled()["first-look"]), path)
    before = load(path).model_dump()
    done = cli("runs", str(path), "--delete", "r1", "--json")
    jsonschema.validate(done.json, schema("runs"))
    assert done.json == {"action": "delete", "runs": ["r2"], "variants": ["v1"], "removed": 1}
    assert [run.id for run in load(path).runs] == ["r2"]
    assert "1 deletion can be undone" in cli("runs", str(path)).out
    shown = cli("sessions", "show", str(path))
    assert shown.out.endswith("\n1 deletion can be undone: planscope runs SESSION --restore\n")
    assert cli("sessions", "show", str(path), "--json").json["deletions"] == 1
    assert "restored: run r1" in cli("runs", str(path), "--restore").out
    assert load(path).model_dump() == before
    assert "can be undone" not in cli("sessions", "show", str(path)).out
    cli("runs", str(path), "--delete", "r1")
    assert path.read_text(encoding="utf-8").split('"').count("r1") == 1, "it can still be restored"
    assert cli("runs", str(path), "--empty").status == 0
    after = load(path)
    assert after.removed is None and "can be undone" not in cli("runs", str(path)).out
    assert after.gone == ["r1"], "the id alone stays, so that no other run gets it"
    assert path.read_text(encoding="utf-8").split('"').count("r1") == 1


def test_what_cannot_be_done_is_one_line_and_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.planscope.json"
    save(load(bundled()["first-look"]), path)
    for args, words in (
        ((str(path), "--delete", "v1"), "keeps at least one query"),
        ((str(path), "--delete", "nope"), "no run or query 'nope'"),
        ((str(path), "--restore"), "nothing was deleted"),
        (("first-look", "--delete", "r1"), "read-only"),
        ((str(path), "nothing", "-o", str(tmp_path / "some.planscope.json")), "no run matches"),
    ):
        done = cli("runs", *args)
        assert done.status == 2 and words in done.err and done.err.count("\n") == 1, args
    assert len(load(path).runs) == 2 and len(list(tmp_path.iterdir())) == 1


def test_some_runs_are_written_alone(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "some.planscope.json"
    assert cli("runs", "cause-topic", "--lost", "1", "-o", str(target)).status == 0
    some = load(target)
    assert [run.id for run in some.runs] == ["d1r6", "d1r9", "d1r16", "d1r20"] and not some.dissections
    assert [one.id for one in some.variants] == ["v1", "d1v1", "d1v4", "d1v9", "d1v13"]
