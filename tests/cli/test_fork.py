"""Forks and edits without a screen, and runs that are named by their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from planscope.session.model import AnswerEvent, CallEvent
from planscope.session.run_names import run_named
from planscope.session.store import load
from tests.cli.contract import check_query
from tests.cli.support import Cli


@pytest.fixture
def file(cli: Cli, tmp_path: Path) -> Path:
    """A session with two runs: r1 and r2."""
    path = tmp_path / "mine.planscope.json"
    text = "First build image, then run tests. Don't deploy until run tests is done."
    assert cli("new", "--text", "-", "-o", path, stdin=text).status == 0
    for _ in range(2):
        assert cli("run", path, "--model", "sim:literal").status == 0
    return path


def test_a_fork_keeps_the_steps_and_goes_on(cli: Cli, file: Path) -> None:
    done = cli(
        "fork",
        file,
        "--run",
        "1",
        "--step",
        "1",
        "--answer",
        "it took long",
        "--model",
        "sim:careful",
        "--json",
    )
    assert done.status == 0, done
    assert (done.json["run"], done.json["model"], done.json["verdict"]) == (
        "r3",
        "sim:careful",
        done.json["check"]["verdict"],
    )
    session = load(file)
    old, new = session.runs[0], session.runs[2]
    assert new.forked_from is not None and (new.forked_from.run, new.forked_from.step) == ("r1", 1)
    first = [next(e for e in run.events if isinstance(e, CallEvent)) for run in (old, new)]
    assert first[0].tool == first[1].tool
    assert next(e.text for e in new.events if isinstance(e, AnswerEvent)) == "it took long"
    assert cli("check", file, "--run", "3").out == cli("check", file, "--run", "r3").out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--run", "9", "--step", "0"], "no run '9'; its runs: r1, r2"),
        (["--step", "99"], "has no step 99"),
        (["--step", "0", "--answer", "x"], "no answer to edit"),
        (["--step", "0", "--variant", "v7"], "no variant 'v7'"),
        (["--step", "0", "--model", "sim:nonsuch"], "no profile"),
    ],
)
def test_a_fork_that_is_refused(cli: Cli, file: Path, options: list[str], why: str) -> None:
    before = file.read_bytes()
    assert why in cli("fork", file, *options).complaint()
    assert file.read_bytes() == before


def test_an_edit_makes_a_query_timed(cli: Cli, file: Path) -> None:
    text = "Build image precedes run tests, which happens before 15:00."
    assert "(--timed)" in cli("edit", file, "--text", "-", stdin=text).complaint()
    document = cli("edit", file, "--text", "-", "--timed", "--json", stdin=text).json
    assert {action["duration"] for action in document["actions"]} == {1}
    assert (load(file).variants[1].query.timed, document["timed"]) == (True, True)


def test_an_edit_is_a_new_variant(cli: Cli, file: Path, tmp_path: Path) -> None:
    text = "Deploy comes last. Zork comes first."
    assert "--new-actions" in cli("edit", file, "--text", "-", stdin=text).complaint()
    done = cli("edit", file, "--text", "-", "--new-actions", "--json", stdin=text)
    check_query(done.json)
    assert (done.json["variant"], done.json["parent"], done.json["valid_orders"]) == ("v2", "v1", 2)
    assert [a["name"] for a in done.json["actions"]] == ["build image", "run tests", "deploy", "zork"]
    made = load(file).variants[1]
    assert (made.parent, made.origin.kind, made.query.text) == ("v1", "edited", text)
    assert "nothing was changed" in cli("edit", file, "--text", "-", stdin=text).complaint()
    other = tmp_path / "other.planscope.json"
    given = cli(
        "edit",
        file,
        "--variant",
        "v1",
        "--actions",
        "deploy, nap",
        "--text",
        "-",
        "-o",
        other,
        stdin="Nap, then deploy.",
    )
    assert given.status == 0 and "variant v3, an edit of v1" in given.out
    assert [(a.id, a.name) for a in load(other).variants[2].actions] == [("a3", "deploy"), ("a4", "nap")]
    assert len(load(file).variants) == 2


def test_a_form_that_does_not_exist_names_those_that_do(cli: Cli) -> None:
    told = cli("export", "figure-7", "-o", "z.pdf").complaint()
    assert "z.pdf" in told and ".html" in told and ".md" in told and "--format" in told


@pytest.mark.parametrize(
    ("ids", "wanted", "found"),
    [
        (["r1", "r3"], "3", "r3"),
        (["r1", "r3"], "2", None),
        (["r1", "3"], "3", "3"),
        (["a", "b"], "2", "b"),
        (["a", "b"], "3", None),
        (["a", "b"], "0", None),
        (["r1"], "r1", "r1"),
        (["r1"], "\u0661", None),
    ],
)
def test_a_run_is_named_by_its_number(ids: list[str], wanted: str, found: str | None) -> None:
    assert run_named(ids, wanted) == found
