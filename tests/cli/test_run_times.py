"""Many runs from the command line: all recorded, one rate."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest import MonkeyPatch

from planscope.agents import many_runs
from planscope.agents.options import RunOptions
from planscope.agents.simulated_runs import run_simulated
from planscope.commands import recording
from planscope.session import json_bytes, writer
from planscope.session.files import SessionError, write_atomic
from planscope.session.model import Run, Variant
from planscope.session.store import load
from tests.cli.support import Cli, Files, session, variant

ABC = variant("A comes after B. B comes after C.", ["a", "b", "c"])


def test_many_runs_are_recorded_and_counted(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    found = cli("run", path, "--model", "sim:flaky", "--times", "20", "--seed", "3", "--json")
    assert found.status == 0
    runs, success = found.json["runs"], found.json["success"]
    assert [r["run"] for r in runs] == [r.id for r in load(path).runs] == [f"r{i}" for i in range(1, 21)]
    assert [r["seed"] for r in runs] == list(range(3, 23))
    right = sum(r["verdict"] == "right" for r in runs)
    assert 0 < right < 20
    assert (success["right"], success["counted"], success["rate"]) == (right, 20, right / 20)
    assert 0 <= success["low"] < success["rate"] < success["high"] <= 1
    assert success["errors"] == {"order_error": 20 - right}
    for row in runs[:3]:
        cost = row["cost"]
        assert cost["model_calls"] == 4
        assert cost["input_tokens"] > cost["output_tokens"] > 0


@pytest.mark.parametrize("full", [False, True])
def test_finished_runs_are_in_the_file_while_others_are_made(
    cli: Cli, files: Files, monkeypatch: MonkeyPatch, full: bool
) -> None:
    """So a killed command loses none. If that cannot be saved, the last save has each run once."""
    path = files.keep(session(ABC))
    there: list[int] = []
    failing = [True] if full else []

    def noted(about: Variant, options: RunOptions) -> Run:
        there.append(len(load(path).runs))
        return run_simulated(about, options)

    def written(file: Path, data: bytes) -> None:
        if failing and failing.pop():
            raise SessionError(f"{file} cannot be written")
        write_atomic(file, data)

    monkeypatch.setattr(recording, "SAVED_EVERY", 0.0)
    monkeypatch.setattr(many_runs, "run_simulated", noted)
    monkeypatch.setattr(writer, "write_atomic", written)
    found = cli("run", path, "--model", "sim:careful", "--times", "4", "--json").json
    assert there == ([0, 0, 0, 0] if full else [0, 1, 2, 3])
    wanted = ["r1", "r2", "r3", "r4"]
    assert [run.id for run in load(path).runs] == [one["run"] for one in found["runs"]] == wanted


def test_runs_that_the_guard_helped_are_counted_apart(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    command = ("run", path, "--model", "sim:literal", "--times", "2")
    alone = cli(*command, "--json").json["success"]
    assert (alone["rate"], alone["counted"], alone["helped"], alone["helped_right"]) == (0, 2, 0, 0)
    found = cli(*command, "--guard", "--json").json
    success = found["success"]
    assert (success["rate"], success["counted"], success["right"]) == (None, 0, 0)
    assert (success["helped"], success["helped_right"], success["errors"]) == (2, 2, {})
    refused = [run["helped"]["refused_by_guard"] for run in found["runs"]]
    assert all(refused) and [run["verdict"] for run in found["runs"]] == ["right", "right"]
    out = cli(*command, "--guard").out
    calls = f"{sum(refused)} calls refused"
    assert out.startswith(
        "every run was helped, so there is no rate of the agent alone\n"
        f"     2  helped, 2 of them right (not counted: {calls})\n"
    )
    assert "agent tools + guard, model sim:literal" in out


def test_what_went_without_help_has_its_own_rate(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    command = ("run", path, "--model", "sim:flaky", "--times", "20", "--seed", "3", "--guard")
    found = cli(*command, "--json").json
    helped = [run for run in found["runs"] if run["helped"]]
    success = found["success"]
    assert 0 < len(helped) < 20 and success["helped"] == len(helped)
    assert success["counted"] == success["right"] == 20 - len(helped)
    assert f"{20 - len(helped)} of {20 - len(helped)} runs without help right: 100 %" in cli(*command).out


def test_a_person_reads_the_rate_first(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    out = cli("run", path, "--model", "sim:literal", "--times", "4").out
    assert out.startswith("0 of 4 runs right: 0 %, 95 % interval 0 % to 49 %\n     4  order error\n")
    assert out.endswith(f"runs r1 to r4: agent tools, model sim:literal; recorded in {path}\n")


def test_aborted_runs_are_not_counted(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    options = ("--base-url", "http://127.0.0.1:9/v1", "--times", "2", "--max-seconds", "20")
    found = cli("run", path, "--model", "openai:x", *options)
    assert found.status == 2
    assert found.out.startswith("none of 2 runs can be judged: 2 aborted; the last one: aborted: the server")
    assert len(load(path).runs) == 2


def test_wrong_numbers_are_one_line(cli: Cli, files: Files) -> None:
    path = files.keep(session(ABC))
    for wrong in (("--times", "0"), ("--times", "2000"), ("--at-once", "0")):
        assert cli("run", path, "--model", "sim:careful", *wrong).status == 2
    assert cli("run", path, "--model", "sim:nobody", "--times", "2").status == 2
    assert load(path).runs == []


def test_what_one_file_cannot_hold_goes_into_more(cli: Cli, files: Files, monkeypatch: MonkeyPatch) -> None:
    """It is said after the first runs, and again at the end; nothing is lost."""
    path = files.keep(session(ABC))
    cli("run", path, "--model", "sim:careful")
    monkeypatch.setattr(json_bytes, "LARGEST", 12 * path.stat().st_size)
    found = cli("run", path, "--model", "sim:careful", "--times", "40", "--json")
    assert found.status == 0
    assert "exceed the limit of a session file" in found.err and "-2.planscope.json" in found.err, found.err
    assert found.err.count("\n") == 1
    told = found.json["files"]
    assert len(told) > 2 and told[0]["session"] == str(path) == found.json["session"]
    assert [run for file in told for run in file["runs"]] == [f"r{i}" for i in range(2, 42)]
    assert [r["run"] for r in found.json["runs"]] == [f"r{i}" for i in range(2, 42)]
    for file in told:
        assert [r.id for r in load(Path(file["session"])).runs][-len(file["runs"]) :] == file["runs"]
    out = cli("run", path, "--model", "sim:careful", "--times", "6").out
    assert "a session file has at most" in out.splitlines()[-1] and told[-1]["session"] not in out
    one = cli("run", path, "--model", "sim:careful", "--json").json
    assert one["session"] != str(path) and [r.id for r in load(Path(one["session"])).runs] == [one["run"]]
    assert (
        "files"
        not in cli("run", files.keep(session(ABC)), "--model", "sim:careful", "--times", "2", "--json").json
    )


def test_a_dissection_that_does_not_fit(cli: Cli, files: Files, monkeypatch: MonkeyPatch) -> None:
    path = files.keep(session(ABC))
    cli("run", path, "--model", "sim:careful")
    monkeypatch.setattr(json_bytes, "LARGEST", 20 * path.stat().st_size)
    assert cli("run", path, "--model", "sim:careful", "--times", "25").status == 0
    found = cli("dissect", path, "--model", "sim:literal", "--budget", "8", "--json").json
    assert found["session"] != str(path)
    kept = load(Path(found["session"]))
    assert [d.id for d in kept.dissections] == [found["dissection"]] and load(path).dissections == []
    assert len(kept.runs) >= found["runs"] > 0
