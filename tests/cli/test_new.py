"""Requests from seeds: the same everywhere, one a line, and a session that can be run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from planscope.session.store import load
from tests.cli.contract import check_query
from tests.cli.support import Cli, program

KNOBS = [
    [],
    ["--timed"],
    ["--actions", "8", "--valid-orders", "1..6"],
    ["--actions", "6", "--sentences", "2", "--lists", "0.6", "--relatives", "0.5"],
    ["--actions", "25"],
]


@pytest.mark.parametrize("knobs", KNOBS)
def test_case_i_is_the_case_of_its_own_seed(cli: Cli, knobs: list[str]) -> None:
    done = cli("new", "--seed", "40", "--count", "4", *knobs)
    assert done.status == 0 and done.err == ""
    lines = done.out.splitlines()
    assert len(lines) == 4 and done.out == "".join(f"{line}\n" for line in lines)
    for i, line in enumerate(lines):
        document = json.loads(line)
        check_query(document)
        assert document["seed"] == 40 + i
        assert document == cli("new", "--seed", str(40 + i), *knobs, "--json").json
    assert cli("new", "--seed", "40", "--count", "4", "--json", *knobs).out == done.out


def test_the_same_document_in_every_process() -> None:
    command = ["new", "--seed", "7", "--count", "3", "--timed", "--actions", "6"]
    outs = {program(*command, env={"PYTHONHASHSEED": seed, "LANG": lang}).out for seed, lang in
            [("0", "C"), ("4242", "de_DE.UTF-8")]}  # fmt: skip
    assert len(outs) == 1 and len(outs.pop().splitlines()) == 3


def test_a_seed_is_drawn_and_told(cli: Cli) -> None:
    first, second = cli("new", "--json").json, cli("new", "--json").json
    assert first["seed"] != second["seed"] or first == second
    assert cli("new", "--seed", str(first["seed"]), "--json").json == first
    person = cli("new", "--seed", "9")
    assert "Seed 9, topic" in person.out and person.out == cli("new", "--seed", "9").out


def test_the_knobs_are_turned(cli: Cli) -> None:
    made = cli("new", "--seed", "3", "--actions", "7", "--sentences", "4", "--topic", "nurse", "--json").json
    assert len(made["actions"]) == 7 and made["topic"] == "nurse" and made["text"].count(".") == 4
    for seed in range(5):
        made = cli("new", "--seed", str(seed), "--actions", "6", "--valid-orders", "2..5", "--json").json
        assert 2 <= made["valid_orders"] <= 5
        assert (
            cli("new", "--seed", str(seed), "--actions", "6", "--valid-orders", "1", "--json").json[
                "valid_orders"
            ]
            == 1
        )
    plain = ["--relatives", "0", "--lists", "0", "--second-clauses", "0"]
    texts = [
        json.loads(line)["text"]
        for line in cli("new", "--seed", "1", "--count", "20", *plain).out.splitlines()
    ]
    assert not any("which" in text or ";" in text for text in texts)
    listed = cli("new", "--seed", "1", "--count", "20", "--lists", "1", "--list-length", "2").out
    assert " and " in listed


def test_a_share_of_implied_constraints_is_met_or_its_miss_is_told(cli: Cli) -> None:
    met = cli("new", "--seed", "1", "--redundant", "0.5", "--json")
    assert met.err == "" and len(met.json["redundant"]) == 5  # of 9, besides two rules
    missed = cli("new", "--seed", "1", "--redundant", "0.9", "--json")
    assert missed.status == 0 and "is not 0.9, but 0.60" in missed.err


def test_topics_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[[topic]]\njob = "wizard"\nactivities = ["wand repair", "potion brewing", "spell research"]\n'
    )
    made = cli(
        "new", "--topics-file", file, "--topic", "wizard", "--actions", "3", "--seed", "1", "--json"
    ).json
    assert {a["name"] for a in made["actions"]} == {"wand repair", "potion brewing", "spell research"}
    assert cli("topics", "wizard", "--file", file).out.splitlines() == [
        "wand repair",
        "potion brewing",
        "spell research",
    ]
    assert "wizard" not in cli("topics").out


@pytest.mark.parametrize("name", ["case.planscope.json", "case.planscope.json.gz", "deep/er/case.json"])
def test_a_session_is_written(cli: Cli, tmp_path: Path, name: str) -> None:
    done = cli("new", "--seed", "5", "--timed", "-o", name)
    assert done.status == 0 and done.out.endswith(f"seed 5, in {name}\n")
    made = load(tmp_path / name)
    document = cli("new", "--seed", "5", "--timed", "--json").json
    assert made.variants[0].query.text == document["text"]
    assert [a.duration for a in made.variants[0].actions] == [a["duration"] for a in document["actions"]]
    assert made.variants[0].query.seed == 5 and made.variants[0].origin.kind == "synthesized"
    assert cli("check", name).status == 2
    assert cli("export", name, "--format", "json").json["query"]["constraints"] == document["constraints"]
    both = cli("new", "--seed", "5", "--timed", "-o", name, "--json")
    assert both.json == document


def test_an_old_file_keeps_its_permissions(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")
    path.chmod(0o600)
    assert cli("new", "--seed", "5", "-o", path).status == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["x.json"]
    umask = os.umask(0o027)
    try:
        cli("new", "--seed", "5", "-o", tmp_path / "y.json")
    finally:
        os.umask(umask)
    assert (tmp_path / "y.json").stat().st_mode & 0o777 == 0o640


OWN = "First build the image, then run the tests. Don't deploy until run the tests is done. A nap precedes deploy."


def test_ones_own_text_becomes_a_session_that_runs(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "mine.planscope.json"
    done = cli("new", "--text", "-", "-o", file, "--json", stdin=OWN)
    assert done.status == 0 and done.err == ""
    check_query(done.json)
    names = ["build the image", "run the tests", "deploy", "a nap"]
    assert [a["name"] for a in done.json["actions"]] == names
    assert (done.json["valid_orders"], done.json["contradiction"]) == (3, [])
    (variant,) = load(file).variants
    assert (variant.origin.kind, variant.query.text) == ("written", OWN)
    assert cli("run", file, "--model", "sim:literal").status == 0
    assert cli("check", file).status in (0, 1)
    told = cli("new", "--text", "-", stdin=OWN).out
    assert told.startswith("Actions found: build the image, run the tests, deploy, a nap\n")


def test_ones_own_text_with_names_and_new_ones(cli: Cli) -> None:
    text = "Lunch precedes zork, and zork follows a."
    given = cli("new", "--text", "-", "--actions", "a, lunch", "--new-actions", "--json", stdin=text)
    assert [a["name"] for a in given.json["actions"]] == ["a", "lunch", "zork"]
    read = cli("parse", "--actions", "a, lunch", "--new-actions", "--json", stdin=text)
    assert read.json["actions"] == given.json["actions"]
    wrong = cli("new", "--text", "-", "--actions", "a, lunch", stdin=text).complaint()
    assert '"zork" is not known' in wrong and "--new-actions" in wrong


def test_a_contradiction_of_ones_own_is_named(cli: Cli) -> None:
    done = cli("new", "--text", "-", "--json", stdin="Lunch before nap. Nap before lunch.")
    assert (done.json["valid_orders"], done.json["contradiction"]) == (0, ["c1", "c2"])


@pytest.mark.parametrize(
    ("options", "text", "why"),
    [
        ([], "", "found no action"),
        ([], "Test run before lunch.", '"Test run"'),
        ([], "Lunch after 12:00.", "make it timed (--timed)"),
        (["--actions", "lunch"], "Lunch after 12:00.", "make it timed (--timed)"),
        (["--actions", "3"], "A before b.", "--actions with --text needs names"),
        (["--actions", "a,,b"], "A before b.", "--actions"),
        (["--seed", "3"], "A before b.", "--seed is for random queries"),
        (["--count", "3"], "A before b.", "--count is for random queries"),
    ],
)
def test_ones_own_text_that_is_refused(cli: Cli, options: list[str], text: str, why: str) -> None:
    assert why in cli("new", "--text", "-", *options, stdin=text).complaint()


def test_names_without_a_text_are_refused(cli: Cli) -> None:
    assert "need --text" in cli("new", "--actions", "a, b").complaint()
    assert "needs --text" in cli("new", "--new-actions").complaint()
