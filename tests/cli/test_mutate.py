"""Mutants from the command line: printed, or kept as variants of the session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from planscope.commands.mutate import NAMES
from planscope.documents.schemas import schema
from planscope.oracle.equivalence import equivalent
from planscope.session.model import Limits, Origin, Session
from planscope.session.oracle_input import problem_of, reading_of
from planscope.session.store import load, save
from planscope.synthesis.mutants import KINDS, mutants
from tests.cli.contract import check_query
from tests.cli.support import FIGURE_7, Cli, Files, harmless, program, run, session, variant

ABC = variant("B comes after A, which\nprecedes the C.", ["a", "b", "c"])
TIMED = variant(FIGURE_7, ["network diagnosis", "network speed test"], [2, 1])


def test_the_kinds_are_all_there_are() -> None:
    assert NAMES == KINDS


@pytest.mark.parametrize("about", [ABC, TIMED])
def test_the_document(cli: Cli, files: Files, about: object) -> None:
    path = files.keep(session(about))
    before = path.read_bytes()
    done = cli("mutate", path, "--count", "2", "--seed", "5", "--json")
    assert done.status == 0 and done.err == "" and path.read_bytes() == before
    document = done.json
    Draft202012Validator(schema("mutate")).validate(document)
    assert document["session"] is None and document["variant"] == "v1" and document["seed"] == 5
    assert document["missing"] == []
    assert [(m["kind"], m["number"]) for m in document["mutants"]] == [(k, n) for k in KINDS for n in (1, 2)]
    reading = reading_of(load(path).variants[0])
    orders = cli("export", path, "--format", "json").json["query"]["valid_orders"]
    for found in document["mutants"]:
        check_query(found)
        assert found["proved"] is True and found["valid_orders"] == orders
        made = next(mutants(reading, found["kind"], seed=5, first=found["number"]))
        assert found["text"] == made.problem.text and found["topic"] == (made.topic or None)
        assert found["variant"] == ("v1" if found["kind"] == "Repeat" else None)
    assert cli("mutate", path, "--count", "2", "--seed", "5", "--json").out == done.out
    assert cli("mutate", path, "--count", "2", "--seed", "6", "--json").out != done.out


def test_they_become_variants(cli: Cli, files: Files) -> None:
    about = TIMED.model_copy(update={"limits": Limits(seconds=7, model_calls=9)})
    path = files.keep(session(about, run("network_diagnosis")))
    done = cli("mutate", path, "--count", "2", "--seed", "3")
    assert done.status == 0 and done.err == "" and harmless(done.out)
    made = load(path)
    origins = [("mutated", kind, number) for kind in KINDS[1:] for number in (1, 2)]
    assert [(v.origin.kind, v.origin.mutation, v.origin.number) for v in made.variants[1:]] == origins
    assert [v.id for v in made.variants] == [f"v{k}" for k in range(1, 8)] and [r.id for r in made.runs] == [
        "r1"
    ]
    old = problem_of(made.variants[0])
    for new in made.variants[1:]:
        assert new.parent == "v1" and new.limits == about.limits and new.query.timed and new.query.seed == 3
        assert equivalent(old, problem_of(new)) is True
        assert [a.duration for a in new.actions] == [2, 1]
        assert new.query.tree is not None and len(new.constraints) == len(problem_of(new).constraints)
        assert (new.query.topic is not None) == (new.origin.mutation == "TopicChange")
    ran = cli("run", path, "--model", "sim:careful", "--variant", "v5", "--json")
    assert ran.status == 0 and ran.json["check"]["verdict"] == "right"


def test_what_a_person_reads(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    out = cli("mutate", path, "--count", "2", "--kind", "TopicChange").out
    made = load(path).variants[1:]
    lines = out.splitlines()
    assert lines[0] == f"TopicChange 1: v2, {made[0].query.topic}" and lines[1].startswith("  ")
    assert out.endswith(f"\n\nZ3 proved of both that they mean the same; variants of v1, in {path}\n")
    assert max(map(len, out.replace(str(path), "").splitlines())) <= 80
    out = cli("mutate", path, "--kind", "Repeat").out
    assert out.startswith(
        "Repeat 1 to 3: v1 itself\n  B comes after A, which\n  precedes the C.\n\nZ3 proved of all 3"
    )
    assert out.endswith("that they mean the same; no variant to add\n") and len(load(path).variants) == 3
    out = cli("mutate", path, "--kind", "QuerySynthesize", "--count", "1").out
    assert f"\nZ3 proved that it means the same; variants of v1, in {path}\n" in out


def test_another_file_gets_them_where_one_is_named(cli: Cli, files: Files, tmp_path: Path) -> None:
    path = files.keep(session(ABC))
    before = path.read_bytes()
    document = cli("mutate", path, "--count", "1", "--json", "-o", "new.planscope.json").json
    assert path.read_bytes() == before and document["session"] == "new.planscope.json"
    made = load(tmp_path / "new.planscope.json")
    assert [v.id for v in made.variants] == ["v1", *[m["variant"] for m in document["mutants"][1:]]]
    assert made.id == "s" and [v.query.text for v in made.variants] == [
        m["text"] for m in document["mutants"]
    ]


def test_again_adds_only_what_is_new(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    one = cli("mutate", path, "--kind", "QuerySynthesize", "--count", "2", "--json", "-o", path).json
    before = path.read_bytes()
    assert cli("mutate", path, "--kind", "QuerySynthesize", "--count", "2").status == 0
    assert path.read_bytes() == before
    more = cli("mutate", path, "--kind", "QuerySynthesize", "--count", "3", "--json", "-o", path).json
    assert [m["variant"] for m in more["mutants"]] == ["v2", "v3", "v4"]
    assert more["mutants"][:2] == one["mutants"]
    cli("mutate", path, "--kind", "QuerySynthesize", "--count", "1", "--seed", "1")
    assert [v.id for v in load(path).variants] == ["v1", "v2", "v3", "v4", "v5"]


def test_mutants_are_not_mutated_unless_asked_for(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    cli("mutate", path, "--kind", "TopicChange", "--count", "1")
    again = cli("mutate", path, "--json", "--kind", "Repeat").json
    assert again["variant"] == "v1"
    deep = cli("mutate", path, "--json", "--kind", "TerminalSubstitute", "--variant", "v2", "-o", path).json
    assert deep["variant"] == "v2" and load(path).variants[-1].parent == "v2"
    assert {m["topic"] for m in deep["mutants"]} == {load(path).variants[1].query.topic}
    edited = ABC.model_copy(update={"id": "v9", "origin": Origin(kind="edited")})
    save(Session(id="s", title="t", variants=[*load(path).variants, edited]), path)
    assert cli("mutate", path, "--json").json["variant"] == "v9"


def test_fewer_than_were_asked_for(cli: Cli, files: Files) -> None:
    path = files.keep(session(variant("A precedes B.", ["a", "b"])))
    done = cli("mutate", path, "--count", "30")
    assert done.status == 0 and "\nTerminalSubstitute: the query has only 22 mutants" in done.out
    document = cli("mutate", path, "--count", "30", "--json").json
    assert [m["kind"] for m in document["missing"]] == ["TerminalSubstitute"]
    assert "so there is no number 23; ask for fewer" in document["missing"][0]["reason"]
    assert sum(m["kind"] == "TerminalSubstitute" for m in document["mutants"]) == 22


def test_topics_of_ones_own(cli: Cli, files: Files, tmp_path: Path) -> None:
    names = ["wand repair", "potion brewing", "spell research"]
    (tmp_path / "mine.toml").write_text(f'[[topic]]\njob = "wizard"\nactivities = {json.dumps(names)}\n')
    path = files.keep(session(ABC))
    call = ["mutate", path, "--kind", "TopicChange", "--count", "51", "--json"]
    topics = {m["topic"] for m in cli(*call, "--topics-file", "mine.toml").json["mutants"]}
    assert "wizard" in topics and len(topics) == 51
    assert "wizard" not in {m["topic"] for m in cli(*call).json["mutants"]}


def test_what_is_only_printed_may_come_through_standard_input(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    assert cli("mutate", "-", "--json", stdin=path.read_bytes()) == cli("mutate", path, "--json")
    assert cli("mutate", "-", stdin=path.read_bytes()).complaint().endswith("name a file")


def test_a_bundled_session_is_only_printed(cli: Cli, tmp_path: Path) -> None:
    assert cli("mutate", "figure-10", "--json").status == 0
    wrong = cli("mutate", "figure-10").complaint()
    assert wrong == "figure-10 is a bundled session, which is read-only; name a file to write with -o FILE"
    assert cli("mutate", "figure-10", "-o", "mine.planscope.json").status == 0
    assert len(load(tmp_path / "mine.planscope.json").variants) > 9


@pytest.mark.parametrize(
    "about,words",
    [
        (variant("A precedes B. B precedes A.", ["a", "b"]), "no plan meets the query"),
        (
            variant("A zork B.", ["a", "b"]),
            "the query of variant v1 cannot be read: line 1, column 3",
        ),
    ],
)
def test_what_cannot_be_mutated(cli: Cli, files: Files, about: object, words: str) -> None:
    path = files.keep(session(about))
    before = path.read_bytes()
    for arguments in ([], ["--json"], ["--kind", "QuerySynthesize"]):
        assert words in cli("mutate", path, *arguments).complaint()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments,words",
    [
        (["--kind", "Nope"], "invalid choice: 'Nope'"),
        (["--count", "0"], "--count: 0 is out of range"),
        (["--count", "1001"], "from 1 to 1000"),
        (["--seed", "x"], "'x' is not a whole number"),
        (["--variant", "v7"], "the session has no variant 'v7'; its variants: v1"),
        (["--topics-file", "nope.toml"], "nope.toml: No such file"),
        (["-o", "."], ". is a directory; name a file in it"),
    ],
)
def test_wrong_arguments(cli: Cli, files: Files, arguments: list[str], words: str) -> None:
    assert words in cli("mutate", files.keep(session(ABC)), *arguments).complaint()


def test_hostile_names_do_not_steer_the_terminal(cli: Cli, files: Files) -> None:
    evil = variant("A\x1b[2J\u202e comes before B.", ["a\x1b[2j\u202e", "b"])
    evil.query.topic = "x\x1b]0;y\x07"
    path = files.keep(session(evil))
    done = cli("mutate", path, "--count", "1")
    assert harmless(done.out) and harmless(done.err)


@pytest.mark.nightly
def test_the_same_in_every_process(files: Files) -> None:
    path = files.keep(session(ABC))
    call = ["mutate", path, "--count", "2", "--json"]
    assert program(*call, env={"PYTHONHASHSEED": "1"}).out == program(*call, env={"PYTHONHASHSEED": "2"}).out


@pytest.mark.parametrize(
    ("words", "kind"),
    [("other words", "TerminalSubstitute"), ("Other-Sentences", "QuerySynthesize"), ("same-again", "Repeat")],
)
def test_a_kind_may_be_given_in_plain_words(cli: Cli, words: str, kind: str) -> None:
    found = cli("mutate", "first-look", "--json", "--count", "1", "--kind", words)
    assert found.status == 0 and [mutant["kind"] for mutant in found.json["mutants"]] == [kind]
