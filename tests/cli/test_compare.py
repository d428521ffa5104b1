"""``planscope compare``: what it takes, what it prints, and that nothing hostile gets out of its place."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planscope.documents.schemas import schema
from planscope.session.locations import bundled
from planscope.session.model import Cell, Dissection, Session
from planscope.session.store import load
from tests.cli.support import Cli, Files, harmless, run, session, variant
from tests.cli.test_hostile import hostile_free_text, hostile_names, write
from tests.each import each
from tests.hostile import HOSTILE, in_turn

AB = variant("A comes before B. B comes before C.", ["a", "b", "c"])
OTHER = variant("A precedes B. B comes before C. C follows A.", ["a", "b", "c"]).model_copy(
    update={"id": "v2", "parent": "v1"}
)


def two() -> Session:
    made = session(AB, run("a", "b", "c"), run("a", "c", "b", run_id="r2"), run("c", "b", "a", run_id="r3"))
    made.variants = [AB.model_copy(deep=True), OTHER.model_copy(deep=True)]
    return made


@pytest.fixture
def path(files: Files) -> Path:
    return files.keep(two())


def compared(cli: Cli, *args: str | Path) -> list[Any]:
    """The ids of what is compared: run, or else variant, of both sides."""
    document = cli("compare", *args, "--json").json
    return [side["run"] or side["variant"] for side in (document["a"], document["b"])]


def test_what_is_compared(cli: Cli, path: Path) -> None:
    assert compared(cli, path) == ["r2", "r3"]
    assert compared(cli, path, "r1") == ["r1", "r3"]
    assert compared(cli, path, "r3") == ["r3", "r2"]
    assert compared(cli, path, "r2", "r1") == ["r2", "r1"]
    assert compared(cli, path, "r2", "r2") == ["r2", "r2"]
    assert compared(cli, path, "v1", "v2") == ["v1", "v2"]
    assert compared(cli, path, "v2") == ["v2", "v1"]
    assert compared(cli, path, "r1", "v2") == ["r1", "v2"]
    assert compared(cli, path, "--variants") == ["v1", "v2"]
    assert compared(cli, path, "--variants", "v2", "v1") == ["v2", "v1"]
    assert compared(cli, path, "v2", "--variants", "v1") == ["v2", "v1"]
    assert compared(cli, "--no-redact", path, "r1", "-o", "-", "r2") == ["r1", "r2"]


def test_what_a_dissection_made_is_compared_where_there_is_nothing_else(cli: Cli, files: Files) -> None:
    made = two()
    cells = [Cell(kind="QuerySynthesize", number=1, variant="v2", runs=["r3"])]
    made.dissections = [Dissection(id="d1", variant="v1", agent="tools", model="m", cells=cells)]
    path = files.keep(made)
    assert compared(cli, path) == ["r1", "r2"]
    assert compared(cli, path, "r1") == ["r1", "r2"] and compared(cli, path, "r3") == ["r3", "r2"]
    assert compared(cli, path, "--variants") == ["v2", "v1"] and compared(cli, path, "v2") == ["v2", "v1"]
    made.runs = made.runs[1:]
    assert compared(cli, files.keep(made)) == ["r3", "r2"]


def test_what_is_compared_in_two_sessions(cli: Cli, path: Path, files: Files) -> None:
    other = files.keep(session(AB, run("a", run_id="x1"), run("b", run_id="x2")), "other")
    assert compared(cli, path, "--other", other) == ["r3", "x2"]
    assert compared(cli, path, "r1", "--other", other) == ["r1", "x2"]
    assert compared(cli, path, "r1", "x1", "--other", other) == ["r1", "x1"]
    assert compared(cli, path, "--variants", "--other", other) == ["v2", "v1"]
    assert compared(cli, path, "--other", path) == ["r3", "r3"]


def test_a_variant_that_is_called_like_a_run(cli: Cli, files: Files) -> None:
    made = two()
    made.variants[1].id = "r1"
    path = files.keep(made)
    assert compared(cli, path, "r1", "r2") == ["r1", "r2"]
    assert cli("compare", path, "--variants", "r1", "v1", "--json").json["a"]["run"] is None


@pytest.mark.parametrize(
    "args,words",
    [
        (["nope"], "has no run or variant 'nope'; its runs: r1, r2, r3; its variants: v1, v2"),
        (["r1", "nope"], "has no run or variant 'nope'"),
        (["--variants", "r1"], "has no variant 'r1'; its variants: v1, v2"),
        (["r1", "r2", "r3"], "3 ids are too many; name at most two"),
        (["--json", "--format", "text"], "--json and --format text contradict each other"),
        (["--format", "svg"], "invalid choice: 'svg'"),
        (["r1", "--wrong", "r2"], "unrecognized arguments: --wrong"),
        (["--other", "nowhere.json"], "there is no file nowhere.json"),
    ],
)
def test_wrong_arguments(cli: Cli, path: Path, args: list[str], words: str) -> None:
    assert words in cli("compare", path, *args).complaint()


def test_too_little_to_compare(cli: Cli, files: Files) -> None:
    one = files.keep(session(AB, run("a")))
    assert "has only one run; record another one with planscope run" in cli("compare", one).complaint()
    assert "has only one query; name another" in cli("compare", one, "--variants").complaint()
    none = files.keep(session(AB), "none")
    assert "has no run; record" in cli("compare", none).complaint()
    assert "has no run; record" in cli("compare", one, "--other", none).complaint()


EXPECTED = """\
First difference
  First difference: step 2. The calls differ: b() and c(); the states differ:
  possible and violated.

Calls: 2 the same, 1 moved
              ✓   1 a()  ✓   1 a()
  from 3                 ✗   2 c()
              ✓   2 b()  ✗   3 b()
  moved to 2  ✓   3 c()

Words: the same

Actions: 3 the same

Constraints: 4 the same

Tree: the same

Other differences
                   a      b
  run              r1     r2
  verdict          right  wrong
  type of error    -      order error
  first violation  -      step 2
"""


def test_text(cli: Cli, path: Path) -> None:
    done = cli("compare", path, "r1", "r2")
    assert (done.status, done.err) == (0, "")
    above, below = done.out.split("\n\n", 1)
    first, right, second, *wrong = above.splitlines()
    assert first == "a: run r1 of variant v1 of session s: RIGHT"
    assert right == "   The run meets every requirement."
    assert second == "b: run r2 of variant v1 of session s: WRONG: order error"
    explained = cli("check", path, "--run", "r2", "--json").json["explanation"]
    assert " ".join(line.strip() for line in wrong) == explained
    assert below == EXPECTED


def test_words_and_constraints_as_a_diff(cli: Cli, path: Path) -> None:
    out = cli("compare", path, "v1", "v2").out
    assert "  A [-comes before-]{+precedes+} B." in out
    assert "  +  c3  a comes before c  implied by the others\n  Both mean the same.\n" in out
    assert "Tree: changed\n  ~ sentence 1: verb comes before -> verb precedes\n" in out


def test_long_runs_are_cut_unless_all_is_asked_for(cli: Cli, files: Files) -> None:
    names = [f"t{k}" for k in range(30)]
    about = variant("T0 comes before t1.", names)
    other = run(*names[:9], "ghost", *names[9:20], *names[21:], run_id="r2")
    path = files.keep(session(about, run(*names), other))
    short, everything = cli("compare", path).out, cli("compare", path, "--all").out
    assert short.count("  ... 7 the same\n") == 3 and "t14()" not in short
    assert all(
        f" {name}()" in short
        for name in ("t7", "t8", "ghost", "t9", "t10", "t18", "t19", "t20", "t21", "t22")
    )
    assert short.count("\n") < everything.count("\n") - 15
    assert all(f" {name}()" in everything for name in names)


@pytest.mark.parametrize("width", ["40", "80", "100", "200"])
def test_no_line_is_wider_than_the_terminal(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, path: Path, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    for args in ([path, "r1", "r2"], [path, "v1", "v2"], ["first-look"], ["figure-10"], ["figure-7"]):
        lines = cli("compare", *args).out.splitlines()
        assert max(map(len, lines)) <= max(int(width), 80)


@cache
def validators() -> tuple[Draft202012Validator, Draft202012Validator]:
    """The schema, and the same with no room for fields that it does not tell of."""
    found = schema("compare")
    closed = json.loads(json.dumps(found))
    for part in closed["$defs"].values():
        part["additionalProperties"] = False
    return Draft202012Validator(found), Draft202012Validator(closed | {"additionalProperties": False})


def valid(document: Any) -> None:
    for validator in validators():
        validator.validate(document)


def test_json(cli: Cli, path: Path) -> None:
    for args in (["r1", "r2"], ["v1", "v2"], ["r1", "v2"]):
        document = cli("compare", path, *args, "--json").json
        valid(document)
    for name in (name for name, path in bundled().items() if len(load(path).runs) > 1):
        document = cli("compare", name, "--json").json
        valid(document)
        for side in ("a", "b"):
            checked = cli("check", name, "--run", document[side]["run"], "--json", "--no-certify").json
            assert document[side]["check"] == {k: checked[k] for k in document[side]["check"]}
    document = cli("compare", path, "r1", "r2", "--format", "json").json
    assert document["divergence"] == {"a": 2, "b": 2, "reasons": ["call", "state"]}
    assert [row["change"] for row in document["calls"]["rows"]] == ["same", "moved", "same", "moved"]


def test_applying_the_parts_of_the_document_gives_the_other_text(cli: Cli, path: Path) -> None:
    document = cli("compare", path, "v1", "v2", "--json").json
    a, b = document["a"]["text"], document["b"]["text"]
    parts = document["text"]["parts"]
    assert "".join(a[slice(*p["a"])] for p in parts) == a
    assert (
        "".join(
            (a if p["change"] == "same" else b)[slice(*p["a" if p["change"] == "same" else "b"])]
            for p in parts
        )
        == b
    )


def test_the_schema_refuses_what_is_no_comparison(cli: Cli, path: Path) -> None:
    document = cli("compare", path, "--json").json
    document["calls"]["rows"][0]["change"] = "turned"
    assert not Draft202012Validator(schema("compare")).is_valid(document)


def test_into_a_file(cli: Cli, path: Path, tmp_path: Path) -> None:
    for form in ("text", "json"):
        made = tmp_path / f"out.{form}"
        assert cli("compare", path, "--format", form, "-o", made).out == ""
        assert made.read_text(encoding="utf-8") == cli("compare", path, "--format", form).out


@pytest.fixture
def private(files: Files) -> list[str | Path]:
    """Two runs of two people, in one session; and the arguments to take each from its own session."""
    made = two()
    made.runs[0].model = "openai:gpt at alice.smith@corp.acmecorp.io"
    made.runs[1].model = "openai:gpt at bob.jones@corp.acmecorp.io"
    path = files.keep(made)
    other = made.model_copy(update={"runs": made.runs[1:]})
    return [path, "r1", "r2", "--other", files.keep(other, "other")]


@pytest.mark.parametrize("count", [3, 5])
def test_redacted(cli: Cli, private: list[str | Path], count: int) -> None:
    args = private[:count]
    for form in ("text", "json"):
        assert "alice" in cli("compare", *args, "--format", form, "--no-redact").out
        done = cli("compare", *args, "--format", form, "--redact")
        assert done.status == 0 and done.err.startswith("replaced: ")
        assert "alice" not in done.out and "corp.acmecorp.io" not in done.out
    models = next(f for f in done.json["fields"] if f["name"] == "model")
    assert not models["same"] and models["a"] != models["b"], "two people stay two people"


def test_one_value_is_one_word_in_two_sessions(cli: Cli, files: Files, private: list[str | Path]) -> None:
    document = cli("compare", private[0], "r2", "r2", "--other", private[4], "--json", "--redact").json
    assert next(f for f in document["fields"] if f["name"] == "model")["same"]


def hostile(h: str, tmp_path: Path) -> list[Path]:
    """Sessions with two runs that hold the string wherever text is free."""
    documents = []
    for timed in (False, True):
        one = hostile_free_text(h, timed)
        second = json.loads(json.dumps(one["runs"][0]))
        second["id"] = f"{h}2"
        second["events"] = [e for e in second["events"] if e.get("step") != 2]
        for event in second["events"]:
            if event.get("step") == 3:
                event["step"] = 2
        second["agent"] = f"an {h}"
        one["runs"].append(second)
        documents.append(one)
    documents += list(hostile_names(h))[:2]
    return [write(tmp_path / f"{k}.planscope.json", one) for k, one in enumerate(documents)]


@each("k", range(len(HOSTILE)), every=16)
def test_hostile_strings(cli: Cli, tmp_path: Path, k: int) -> None:
    for turn, path in enumerate(hostile(HOSTILE[k], tmp_path)):
        for form in in_turn(("text", "json"), k + turn, 2):
            done = cli("compare", path, "--format", form, "--no-redact")
            assert done.status == 0 and done.err == "", done.err
            assert harmless(done.out)
            if form == "json":
                assert done.out.isascii()
                valid(done.json)
            else:
                assert max(map(len, done.out.splitlines())) < 1500


def test_no_line_passes_for_one_of_ours(cli: Cli, files: Files) -> None:
    made = two()
    made.runs[0].model = made.runs[0].agent = made.id = "x\n\nWords: the same\nRIGHT"
    lines = cli("compare", files.keep(made), "r1", "r2").out.splitlines()
    assert lines.count("Words: the same") == 1 and "RIGHT" not in lines
