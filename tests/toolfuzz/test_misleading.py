"""Simulated models that misread documentation in a stated way, over the local server: what is faulty is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.session.store import load, save
from planscope.toolfuzz.correctness.search import Correctness
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.models import FuzzModels, ModelOptions
from planscope.toolfuzz.prompting import PromptDoor
from planscope.toolfuzz.served import ServedTools
from tests.agents.wire.server import nobody
from tests.nightly import nightly
from tests.toolfuzz.printed import is_what_the_schema_says
from tests.toolfuzz.reader import Answering, Reader

FAULTS = {"roster": "day-first", "parcel": "no-units", "ship": "second-choice"}


def searched(reader: Reader, *names: str, **options: Any) -> Correctness:
    with (
        Answering(reader) as server,
        FuzzModels(
            ModelOptions("openai:local", base_url=server.base_url, tokens=options.pop("tokens", None))
        ) as models,
        ServedTools(Options("tests.toolfuzz.misleading:tools", tools=names)) as tools,
    ):
        search = Correctness(tools.tools, PromptDoor(models, tools), most_sets=2, **options)
        search.run()
    return search


@pytest.mark.parametrize("tool", [*list(FAULTS)[:1], *nightly(*list(FAULTS)[1:])])
def test_a_misread_tool_is_found_and_what_its_documentation_says_is_not(tool: str) -> None:
    reader = Reader(frozenset(FAULTS.values()))
    faulty = searched(reader, tool)
    assert [one.faulty for one in faulty.sets] == [True, True]
    assert searched(reader, f"{tool}_said").sets[0].faulty is False
    for one in faulty.sets:
        assert len(one.inputs) == len(one.outputs) == 2
        assert one.runs[0].prompt.startswith("hey, ") and one.runs[-1].prompt == one.runs[-1].filled
    assert reader.asked["judge"] == 16


@pytest.mark.parametrize("tools", [list(FAULTS)[1:2], *nightly((list(FAULTS),))])
def test_a_careful_reader_finds_nothing_in_misleading_tools(tools: list[str]) -> None:
    for tool in tools:
        assert [one.inputs_agree for one in searched(Reader(), tool).sets] == [True, True]


def test_sets_that_agree_and_are_wrong_are_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    page = tmp_path / "page.html"
    reader = Reader(frozenset({"no-percent"}), overrides={"fillings": '{"rate": ["15 %", "15 percent"]}'})
    with Answering(reader) as server:
        given = [
            "--model",
            "openai:local",
            "--base-url",
            server.base_url,
            "--correctness",
            "--html",
            str(page),
        ]
        assert main(["fuzz", "tests.toolfuzz.misleading:vat", *given]) == 0
    told = "1 set agreed, and wrong: 1; the documentation may mislead always"
    out = capsys.readouterr().out
    assert out.splitlines().count(told) == 1 and "1. vat, agreed, and wrong: " in out
    assert told in page.read_text()


# --- the command ---

TARGET = "tests.toolfuzz.misleading:misleading_tools"


@pytest.fixture
def reader() -> Reader:
    return Reader(frozenset(FAULTS.values()))


@pytest.fixture
def given(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with Answering(reader) as server:
        yield ["--model", "openai:local", "--base-url", server.base_url, "--sets", "1"]


def test_the_command_prints_sets_keeps_the_agents_runs_and_writes_a_page(
    tmp_path: Path, given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    kept, html = tmp_path / "kept.planscope.json", tmp_path / "page.html"
    told = [
        "--tool",
        "roster",
        "--tool",
        "roster_said",
        "--correctness",
        "-o",
        str(kept),
        "--html",
        str(html),
    ]
    assert main(["fuzz", "tests.toolfuzz.misleading:tools", *told, *given, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["calls"] == 0 and data["method"] == "toolfuzz" and data["baseline"] == []
    # the agent takes the first tool that fits, also for prompts that were made for the other one
    assert [one["called"] for one in data["matrix"]] == [{"roster": 4, "roster_said": 0}] * 2
    [one, other] = data["sets"]
    assert one["faulty"] and one["output_words"] == ["day"] and one["differences"][0]["words"] == ["day"]
    assert sorted(one["scores"]) == [2, 2, 2, 9] and "[day]" in one["template"]
    assert (other["inputs_agree"], other["outputs_agree"], other["faulty"]) == (True, None, False)
    [finding] = data["findings"]
    assert (finding["kind"], finding["tool"], finding["set"]) == ("inconsistent", "roster", 1)
    session = load(kept)
    [fuzzing] = session.fuzzings or []
    runs = {run.id: run for run in session.runs}
    assert len(runs) == 4 and all(prompt.run in runs for prompt in fuzzing.sets[0].runs)
    first = next(event for event in session.runs[0].events if event.type == "prompt")
    assert first.text == fuzzing.sets[0].runs[0].prompt
    assert html.read_text().count("<pre>") >= 4
    assert is_what_the_schema_says(data)
    assert data["seconds"] > 0 and data["sandbox"]["memory"]
    assert [one["agent_calls"] for one in data["tools"]] == [8, 0]


def test_both_look_for_calls_that_fail_too(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", TARGET, "--tool", "roster", "--calls", "50", *given]) == 1
    out = capsys.readouterr().out
    assert "ValueError" in out and "prompts that mean the same: 1 set, 1 faulty" in out
    assert "the words for [day] decide it" in out and '"04/03/2025"' in out


@pytest.mark.parametrize("method", ["whitebox", *nightly("graybox")])
def test_baselines_run_single_prompts(
    method: str, given: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    html = tmp_path / "page.html"
    told = ["--tool", "roster", "--method", method, "--html", str(html)]
    assert main(["fuzz", TARGET, *told, *given, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert is_what_the_schema_says(data)
    assert f"Prompts of the baseline, {method}" in html.read_text()
    assert data["method"] == method and data["sets"] == []
    crash, *wrong = data["baseline"]
    assert crash["aim"] == "runtime" and crash["correct"] is None
    assert [one["correct"] for one in wrong] == [False, True]
    assert (f"code {method == 'whitebox'}" in wrong[1]["prompt"]) is True
    assert [(one["kind"], one["exception"]) for one in data["findings"]] == [
        ("raised", "ValueError"),
        ("inconsistent", None),
    ]


def test_context_is_a_file_or_the_names_in_a_folder(tmp_path: Path, given: list[str], reader: Reader) -> None:
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "swiss.txt").write_text("x")
    seen: list[str] = []
    reader.context = seen
    assert main(["fuzz", TARGET, "--tool", "ship", "--correctness", "--context", str(tmp_path), *given]) == 1
    assert seen[0].split() == ["maps/", "maps/swiss.txt"]
    assert main(["fuzz", TARGET, "--correctness", "--context", str(tmp_path / "none"), *given]) == 2


def test_a_budget_and_a_model_that_is_down_are_told_and_blame_no_tool(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["fuzz", TARGET, "--correctness", *given, "--budget-tokens", "100", "--json"])
    data = json.loads(capsys.readouterr().out)
    assert any("the search with prompts ended there" in one for one in data["remarks"])
    assert status == (1 if data["findings"] else 0) and len(data["sets"]) == 1
    with nobody() as address:
        given[3] = address
        assert main(["fuzz", TARGET, "--correctness", *given, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in data["findings"]] == ["infrastructure"]


def test_an_agent_that_is_down_ends_the_search_and_is_no_data(
    given: list[str], reader: Reader, capsys: pytest.CaptureFixture[str]
) -> None:
    reader.down = 2
    given = [*given, "--seed", "2"]  # the two wordings that are answered mean one date to the agent
    assert main(["fuzz", TARGET, "--tool", "roster", "--correctness", *given, "--json"]) == 0
    [one] = json.loads(capsys.readouterr().out)["sets"]
    assert [run["error"] is not None for run in one["runs"]] == [True, True, False, False]
    assert [bucket["prompts"] for bucket in one["inputs"]] == [[3, 4]] and one["scores"] == [None, None, 2, 2]
    reader.down = 99
    assert main(["fuzz", TARGET, "--tool", "roster", "--correctness", *given, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in data["findings"]] == ["infrastructure"] and data["sets"][0][
        "oracle"
    ] == "no data"


def test_text_that_no_encoding_carries_is_sent_with_replacements(
    given: list[str], reader: Reader, capsys: pytest.CaptureFixture[str]
) -> None:
    reader.overrides = {"templates": '{"templates": ["Who is on duty on [day]? \\ud800"]}'}
    assert main(["fuzz", "tests.toolfuzz.misleading:odd", "--correctness", *given, "--json"]) == 1
    [one] = json.loads(capsys.readouterr().out)["sets"]
    assert (
        one["faulty"]
        and "\ufffd" in one["outputs"][0]["outputs"][0]
        and "\ufffd" in one["runs"][-1]["filled"]
    )


@pytest.mark.parametrize("option", ["--correctness", "--both"])
def test_without_a_model_it_is_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", TARGET, option]) == 2
    assert f"{option} needs --model" in capsys.readouterr().err


def test_a_recorded_session_answers_as_its_tools_did(
    tmp_path: Path, given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.planscope.json"
    assert main(["fuzz", TARGET, "--tool", "roster", "--correctness", "-o", str(kept), *given]) == 1
    capsys.readouterr()
    assert main(["fuzz", str(kept), *given, "--json"]) == 1  # the same prompts: all answers are recorded
    [one] = json.loads(capsys.readouterr().out)["sets"]
    assert one["faulty"] and {text[:5] for each in one["outputs"] for text in each["outputs"]} == {"team "}
    session = load(kept)
    session.runs = session.runs[:1]
    save(session, kept)
    assert main(["fuzz", str(kept), "--correctness", *given, "--json"]) == 0
    [one] = json.loads(capsys.readouterr().out)["sets"]
    assert one["inputs_agree"] is False and one["faulty"] is False
    assert None in [text for each in one["outputs"] for text in each["outputs"]]
