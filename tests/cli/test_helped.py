"""A run that was helped says so wherever it is told how it came out; a headline names what lost the plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from planscope.documents.schemas import schema
from planscope.session.store import load, save
from tests.cli.support import Cli, Files, run, session, variant

ABC = variant("A comes after B. B comes after C.", ["a", "b", "c"])
REFUSED = ", helped: 3 calls refused"


@pytest.fixture
def helped(cli: Cli, files: Files) -> Path:
    """A session with two runs: r1 was lost alone, r2 is right with the guard."""
    path: Path = files.keep(session(ABC))
    assert cli("run", path, "--model", "sim:literal").out.startswith("WRONG: order error\n")
    out = cli("run", path, "--model", "sim:literal", "--guard").out
    assert out.startswith(f"RIGHT{REFUSED}\n") and "agent tools + guard, model" in out
    return path


def test_check(cli: Cli, helped: Path) -> None:
    found = cli("check", helped)
    assert found.status == 0 and found.out.startswith(f"RIGHT{REFUSED}\n")
    assert "run r2: agent tools + guard, model sim:literal" in found.out
    document = cli("check", helped, "--json").json
    jsonschema.validate(document, schema("check"))
    assert document["verdict"] == "right" and document["helped"]["refused_by_guard"] == 3
    assert document["helped"]["text"] == "3 calls refused" and document["headline"] is None
    alone = cli("check", helped, "--run", "r1", "--json").json
    assert alone["helped"] is None and "helped" not in cli("check", helped, "--run", "r1").out


def test_what_a_person_did_is_told_with_its_count(cli: Cli, helped: Path) -> None:
    made = load(helped)
    events = made.runs[1].events
    for i, event in enumerate(events):
        if event.type == "answer" and event.refused_by is None:
            events[i] = event.model_copy(update={"said": "something else"})
    answers = sum(event.type == "answer" and event.said is not None for event in events)
    save(made, helped)
    text = f"3 calls refused, {answers} answers edited by hand"
    assert cli("check", helped).out.startswith(f"RIGHT, helped: {text}\n")
    assert cli("check", helped, "--json").json["helped"]["answers_edited"] == answers


def test_replay_and_every_export(cli: Cli, helped: Path) -> None:
    assert cli("replay", helped, "--json").json["check"]["helped"]["refused_by_guard"] == 3
    text = cli("export", helped, "--format", "text").out
    assert f"✓ Right{REFUSED}" in text and "agent tools + guard, model" in text
    markdown = cli("export", helped, "--format", "markdown").out
    assert f"## ✓ Right{REFUSED}" in markdown and "agent `tools + guard`" in markdown
    assert cli("export", helped, "--format", "json").json["check"]["helped"]["text"] == "3 calls refused"
    page = cli("export", helped, "--format", "html").out
    assert f"RIGHT{REFUSED}" in page and "r2: tools + guard, sim:literal" in page


def test_compare(cli: Cli, helped: Path) -> None:
    out = cli("compare", helped, "r1", "r2").out
    assert f"RIGHT{REFUSED}" in out
    document = cli("compare", helped, "r1", "r2", "--json").json
    jsonschema.validate(document, schema("compare"))
    assert document["b"]["check"]["helped"]["text"] == "3 calls refused"
    (field,) = [one for one in document["fields"] if one["name"] == "helped"]
    assert (field["a"], field["b"]) == (None, "3 calls refused")


def test_walk(cli: Cli, helped: Path) -> None:
    out = cli("walk", helped, stdin="q\n").out
    assert f"Verdict: right{REFUSED}." in out and "agent tools + guard" in out


def test_the_headline_names_the_error_that_lost_the_plan(cli: Cli, files: Files) -> None:
    """The primary error comes later: an action was never done."""
    path: Path = files.keep(session(ABC, run("a", "c")))
    found = cli("check", path, "--json").json
    jsonschema.validate(found, schema("check"))
    assert found["error_type"] == "action_lost" and found["headline"] == {"type": "order_error", "step": 1}
    assert cli("check", path).out.startswith("WRONG: order error\n")
    assert cli("export", path, "--format", "text").out.startswith("✗ Wrong: order error,")
    assert "## ✗ Wrong: order error, lost at step 1" in cli("export", path, "--format", "markdown").out
    assert "WRONG: order error" in cli("export", path, "--format", "html").out
    assert "Verdict: wrong, order error." in cli("walk", path, stdin="q\n").out
    assert "WRONG: order error" in cli("compare", path, "r1", "r1").out
    assert json.loads(cli("export", path, "--format", "json").out)["check"]["headline"]["step"] == 1


@pytest.mark.parametrize("ending", [None, "aborted"])
def test_a_call_without_an_answer_is_not_told_as_done(cli: Cli, files: Files, ending: Any) -> None:
    """The run was cut short while its tool worked, or while it waited."""
    path: Path = files.keep(session(ABC, run("c", "b", ending=ending)))
    out = cli("walk", path, stdin="n\nn\n4\nq\n").out
    assert (
        "the call may or may not have been done" in out
        and "Step 2: b, not answered, may not have been done" in out
    )
    assert "Step 1: c, not" not in out
    page = cli("export", path, "--format", "html").out
    assert page.count("the run was cut short, so the call may or may not have been done") == 1
    whole = files.keep(session(ABC, run("c", "b")), "whole")
    assert "may not have been done" not in cli("walk", whole, stdin="n\nn\n4\nq\n").out
