"""Dissecting from the command line: documents, text, what is recorded, interrupts, and what cannot be dissected."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planscope.commands import dissect
from planscope.dissection.evidence import RARE
from planscope.documents.query import constraint_documents
from planscope.documents.schemas import schema
from planscope.session.model import Session
from planscope.session.oracle_input import problem_of
from planscope.session.store import load, save
from tests.agents.wire.replies import Say, Slow
from tests.agents.wire.server import WireServer
from tests.cli.support import Cli, Done, Files, harmless, run, session, variant
from tests.dissection.cases import PLANTED, failing
from tests.nightly import nightly

ABC = variant("A comes after B. B comes after C.", ["a", "b", "c"])
KINDS = ["Original", "Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize"]
KINDS += ["Combined", "Control", "Culprit"]


@pytest.fixture
def topical(tmp_path: Path) -> Path:
    path = tmp_path / "topical.planscope.json"
    save(failing(PLANTED["Topic"]), path)
    return path


def check_document(document: dict[str, Any]) -> None:
    """The contract, apart from the schema."""
    Draft202012Validator(schema("dissect")).validate(document)
    assert document["cause"] in ("Probability", "Terminal", "Topic", "Structure", "Constraint", None)
    assert (document["cause"] is None) == (document["missing"] is not None)
    run = {cell["kind"] for cell in document["cells"]}
    assert list(document["rates"]) == [k for k in KINDS if k in run or k not in RARE]
    assert [c["cause"] for c in document["causes"][:1]] == [c for c in (document["cause"],) if c]
    for rate in document["rates"].values():
        assert 0 <= rate["low"] <= rate["high"] <= 1
        if rate["runs"]:
            assert rate["rate"] == rate["right"] / rate["runs"]
            assert rate["low"] <= rate["rate"] <= rate["high"]
        else:
            assert rate["rate"] is None
    spent = [r["run"] for cell in document["cells"] for r in cell["runs"]]
    assert (
        len(spent) == len(set(spent)) == document["runs"] <= document["budget"] + document["culprit_budget"]
    )
    for kind, rate in document["rates"].items():
        verdicts = [r["verdict"] for c in document["cells"] if c["kind"] == kind for r in c["runs"]]
        assert rate["right"] == verdicts.count("right")
        assert rate["runs"] == verdicts.count("right") + verdicts.count("wrong")
        tried = {
            c["variant"]
            for c in document["cells"]
            if c["kind"] == kind and any(r["verdict"] in ("right", "wrong") for r in c["runs"])
        }
        assert rate["mutants"] == len(tried)


def check_what_a_person_reads(done: Done, topical: Path) -> None:
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("Cause: Topic, confidence 9")
    told = " ".join(lines[1 : lines.index("")])
    assert told.startswith("The unchanged query was right ")
    assert "but about another topic it was right" in told
    rates = lines[lines.index("Rates  (right runs, mutants, 95 % interval)") + 1 :]
    assert rates[0].startswith("  original ")
    assert any("█" in line for line in rates)
    topic = next(line for line in rates if line.startswith("  other topic "))
    assert re.search(r" \d+ of \d+ +\d+ mutants? ", topic)
    assert lines[-1].startswith("dissection d1, ")
    assert lines[-1].endswith(f"recorded in {topical}")
    assert harmless(done.out)
    assert max(map(len, lines[:-1])) <= 80


@pytest.mark.parametrize("cause", ["Topic", *nightly("Probability", "Terminal")])
def test_the_document(cli: Cli, files: Files, cause: str) -> None:
    path = files.keep(failing(PLANTED[cause]))
    done = cli("dissect", path, "--model", PLANTED[cause], "--json")
    assert (done.status, done.err) == (0, "")
    check_document(done.json)
    assert done.json["cause"] == cause
    assert done.json["confidence"] >= 0.6
    assert done.json["likely"][cause] + done.json["likely"]["several"] >= done.json["confidence"]
    assert (done.json["run"], done.json["variant"], done.json["method"]) == ("r1", "v1", "rates")
    made = load(path)
    assert [d.id for d in made.dissections] == [done.json["dissection"]] == ["d1"]
    assert {v["variant"] for v in done.json["cells"]} <= {v.id for v in made.variants}
    for one in made.variants[1:]:
        assert one.constraints == constraint_documents(problem_of(one))
    if cause == "Topic":  # nothing is left to run
        check_what_a_person_reads(cli("dissect", path, "--model", PLANTED[cause], "--resume", "d1"), path)
        assert len(load(path).runs) == len(made.runs)


@pytest.mark.nightly
def test_the_same_call_gives_the_same_answer(cli: Cli, topical: Path) -> None:
    args = (
        "dissect",
        topical,
        "--model",
        PLANTED["Topic"],
        "--seed",
        "4",
        "--budget",
        "16",
        "--json",
        "-o",
        "out.planscope.json",
    )
    before = topical.read_bytes()
    assert cli(*args).out == cli(*args).out
    assert topical.read_bytes() == before


def test_the_papers_method(cli: Cli, topical: Path) -> None:
    done = cli(
        "dissect", topical, "--model", PLANTED["Topic"], "--method", "paper", "--budget", "12", "--json"
    )
    check_document(done.json)
    assert (done.json["method"], done.json["confidence"], done.json["likely"]) == ("paper", None, {})
    assert done.json["rounds"] == 3 and done.json["culprit"] is None
    assert done.json["runs"] <= 12
    assert len([c for c in done.json["cells"] if c["kind"] == "Repeat"]) <= 3


def test_undecided_says_what_is_missing(cli: Cli, topical: Path) -> None:
    done = cli("dissect", topical, "--model", PLANTED["Topic"], "--budget", "4")
    assert done.status == 0
    assert done.out.startswith("Undecided.\n")
    assert "What would help: more runs; next of “" in done.out
    document = cli("dissect", topical, "--model", PLANTED["Topic"], "--budget", "4", "--json").json
    check_document(document)
    assert (document["cause"], document["stopped"], document["runs"]) == (None, "budget", 4)
    assert "more runs" in document["missing"]


def test_resumed_with_a_larger_budget(cli: Cli, topical: Path) -> None:
    args = ("dissect", topical, "--model", PLANTED["Topic"], "--json")
    first = cli(*args, "--budget", "4").json
    more = cli(*args, "--budget", "30", "--resume", "d1").json
    check_document(more)
    assert (more["dissection"], more["cause"], more["budget"]) == ("d1", "Topic", 30)
    told = {(c["kind"], c["number"]): c["runs"] for c in more["cells"]}
    for cell in first["cells"]:
        assert told[cell["kind"], cell["number"]][: len(cell["runs"])] == cell["runs"]
    assert len(load(topical).dissections) == 1


def test_nothing_to_dissect(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    done = cli("dissect", path, "--model", "sim:careful")
    assert done.status == 0
    assert done.out.startswith(
        "No failure to explain.\nThere is nothing to dissect: the unchanged query was right"
    )
    document = cli("dissect", path, "--model", "sim:careful", "--json").json
    check_document(document)
    assert (document["cause"], document["missing"]) == (None, "a run that fails")


def test_an_agent_that_always_fails(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    done = cli("dissect", path, "--model", "sim:forgetful")
    assert done.out.startswith("No cause in the query, confidence 9")
    assert "\nNothing in this query is to blame: it was right 0 of" in done.out
    document = cli("dissect", path, "--model", "sim:forgetful", "--json", "--resume", "d1").json
    check_document(document)
    assert (document["cause"], document["blameless"], document["stopped"]) == (None, True, None)
    assert document["confidence"] == document["likely"]["none"] > 0.9


def test_the_last_run_stays_the_users(cli: Cli, topical: Path) -> None:
    assert cli("dissect", topical, "--model", PLANTED["Topic"], "--budget", "3").status == 0
    assert cli("dissect", topical, "--model", PLANTED["Topic"], "--budget", "3").status == 0
    made = load(topical)
    assert [(d.variant, d.run) for d in made.dissections] == [("v1", "r1"), ("v1", "r1")]
    assert cli("check", topical, "--json").json["run"] == "r1"
    assert cli("export", topical, "--format", "json").json["run"]["id"] == "r1"
    assert cli("mutate", topical, "--kind", "Repeat", "--json").json["variant"] == "v1"
    assert cli("run", topical, "--model", "sim:careful").status == 0
    assert load(topical).runs[-1].variant == "v1"


def test_which_run_and_which_request(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC, run("a", "b", "c"), run("c", "b", "a", run_id="r2")))
    begin = (
        "dissect",
        path,
        "--model",
        "sim:flaky?p=0.5",
        "--budget",
        "2",
        "--json",
        "-o",
        "out.planscope.json",
    )
    assert cli(*begin).json["run"] is None  # both are of another model
    assert cli(*begin, "--run", "r1").json["run"] == "r1"
    line = cli(*begin, "--run", "r2").complaint()
    assert line == "run r2 is right, so there is no failure to dissect; name a failed run with --run"
    assert "no run 'r9'" in cli(*begin, "--run", "r9").complaint()
    assert "no variant 'v9'" in cli(*begin, "--variant", "v9").complaint()
    assert "no dissection 'd9'; its dissections: it has none" in cli(*begin, "--resume", "d9").complaint()
    path = files.keep(session(ABC, run("a", ending="aborted")))
    assert "cannot be judged (aborted)" in cli(*begin, "--run", "r1").complaint()


def test_an_option_that_would_change_a_resumed_dissection_is_refused(cli: Cli, topical: Path) -> None:
    begin = ("dissect", topical, "--model", "sim:topic-blind", "--budget", "4")
    assert cli(*begin, "--method", "paper", "--seed", "3").status == 0
    for option, value, had in (
        ("method", "rates", "paper"),
        ("seed", "4", "3"),
        ("variant", "v2", "v1"),
        ("run", "r9", "None"),
    ):
        line = cli(*begin, "--resume", "d1", f"--{option}", value).complaint()
        assert line == f"dissection d1 has {option} {had}; leave --{option} out"
    assert (
        cli(*begin, "--resume", "d1", "--method", "first success", "--seed", "3", "--json").json["method"]
        == "paper"
    )


def test_wrong_arguments(cli: Cli, topical: Path) -> None:
    for bad, told in (
        (("--model", "sim:nobody"), "no profile"),
        (("--model", "openai:x"), "openai needs a key"),
        (("--model", "sim:careful", "--agent", "nobody"), "no agent 'nobody'"),
        (("--model", "sim:careful", "--base-url", "http://x"), "leave --base-url out"),
        (("--model", "sim:careful", "--budget", "0"), "0 is out of range"),
        (("--model", "sim:careful", "--method", "guess"), "invalid choice"),
    ):
        assert told in cli("dissect", topical, *bad).complaint()
    assert "is a bundled session" in cli("dissect", "first-look", "--model", "sim:careful").complaint()
    assert load(topical).dissections == []


def test_a_request_that_cannot_be_read(cli: Cli, files: Files) -> None:
    path = files.keep(session(variant("Be nice.", ["a", "b"])))
    assert "cannot be read: line 1" in cli("dissect", path, "--model", "sim:careful").complaint()


def test_every_run_aborted(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    path = files.keep(session(ABC))
    with WireServer([]) as server:  # it answers nothing but errors
        done = cli("dissect", path, "--model", "openai:m", "--base-url", server.base_url, "--at-once", "1")
    assert done.status == 2
    assert "It ended early: 4 runs in a row were aborted" in done.out
    assert len(load(path).runs) == 4


def test_what_is_done_is_written_on_the_way(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files.keep(failing(PLANTED["Topic"]))
    sizes: list[int] = []
    one_more = dissect._Progress.one_more

    def spy(self: Any) -> None:
        sizes.append(len(load(path).runs))
        one_more(self)

    monkeypatch.setattr(dissect, "SAVED_EVERY", 0.0)
    monkeypatch.setattr(dissect._Progress, "one_more", spy)
    cli("dissect", path, "--model", PLANTED["Topic"], "--budget", "5")
    assert sizes == [1, 2, 3, 4, 5]


def test_what_others_wrote_meanwhile_stays(cli: Cli, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files.keep(failing(PLANTED["Topic"]))

    def meddle(self: Any) -> None:
        held: Session = load(path)
        if held.title != "Another":
            held.title = "Another"
            save(held, path)

    monkeypatch.setattr(dissect._Progress, "one_more", meddle)
    cli("dissect", path, "--model", PLANTED["Topic"], "--budget", "3")
    made = load(path)
    assert made.title == "Another"
    assert len(made.dissections) == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_people_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    progress = dissect._Progress(60)
    progress.one_more()
    assert stream.getvalue() == ""  # not yet a second
    progress._began -= 10
    progress.one_more()
    assert stream.getvalue().startswith("\rrun 2 of at most 60, at most 5 min left")
    progress.clear()
    assert stream.getvalue().endswith("\r")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    silent = dissect._Progress(60)
    silent._began -= 10
    silent.one_more()
    assert sys.stderr.getvalue() == ""


def test_an_interrupt_keeps_what_there_is(files: Files) -> None:
    path = files.keep(failing(PLANTED["Topic"]))
    with WireServer([Say("No.") for _ in range(3)] + [Slow(60, Say("No.")) for _ in range(9)]) as server:
        command = [sys.executable, "-m", "planscope", "dissect", str(path), "--model", "openai:m"]
        command += ["--base-url", server.base_url, "--at-once", "2", "--json"]
        env = {**os.environ, "OPENAI_API_KEY": "sk-x"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
            end = time.monotonic() + 120
            while len(server.requests) < 5 and time.monotonic() < end:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=50)
    assert process.returncode == 130
    assert out == b""
    assert err.decode().strip() == (
        f"planscope: interrupted; the 3 finished runs are in {path}; continue with --resume d1"
    )
    made = load(path)
    assert made.dissections[0].stopped == "user"
    assert sum(len(c.runs) for c in made.dissections[0].cells) == 3
