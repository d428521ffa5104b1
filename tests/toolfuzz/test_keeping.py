"""Findings in sessions, and the steps of runs that they explain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.session.library import entries
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    FuzzedTool,
    FuzzFinding,
    Fuzzing,
    Origin,
    PromptEvent,
    Query,
    Run,
    SeenTool,
    Session,
    Variant,
)
from planscope.session.record import record_of
from planscope.session.store import load, save
from planscope.sharing.formats import excerpt
from planscope.toolfuzz import formats
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.keeping import fingerprint, keep, own_session, predicted, put
from planscope.toolfuzz.keeping import record_of as record_of_report

SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string", "title": "Query"}},
    "required": ["query"],
}
INDEX = FuzzFinding(
    tool="map_search", kind="raised", exception="IndexError", message="list index out of range",
    location="m.py:3", input={"query": "x"}, shrunk={"query": ""},
)  # fmt: skip
RETURNED = FuzzFinding(
    tool="map_search", kind="returned", message="Error: no entry for 12", input={"query": "12"}
)


def fuzzing(*findings: FuzzFinding, target: str = "m:map_search") -> Fuzzing:
    tool = FuzzedTool(tool="map_search", fingerprint=fingerprint(SCHEMA))
    return Fuzzing(id="", target=target, tools=[tool], findings=list(findings))


def session(
    *answers: tuple[dict[str, Any], str, bool], schema: dict[str, Any] | None = None, tool: str = "map_search"
) -> Session:
    """A session with one run: a call for each of arguments, answer, and whether it failed."""
    tools = None if schema is None else [SeenTool(name="map_search", parameters=schema)]
    events: list[Any] = [PromptEvent(text="q", tools=tools)]
    for step, (given, text, failed) in enumerate(answers, 1):
        events.append(CallEvent(step=step, tool=tool, arguments=given))
        events.append(AnswerEvent(step=step, text=text, status="error" if failed else "ok"))
    events.append(EndEvent(ending="stopped"))
    action = ActionRecord(id="a1", name="map search", tool="map_search")
    query = Query(text="Map search occurs after 10:00.")
    variant = Variant(id="v1", origin=Origin(kind="written"), query=query, actions=[action])
    made = Session(id="s", title="s", variants=[variant])
    made.runs.append(Run(id="r1", variant="v1", agent="own", model="m", events=events))
    put(made, fuzzing(INDEX, RETURNED))
    return made


def steps(made: Session) -> list[tuple[int, str | None, bool]]:
    return [
        (one.step, one.finding.exception, one.exactly) for one in predicted(made, record_of(made.runs[0]))
    ]


def test_a_step_that_failed_alike_is_predicted() -> None:
    failed = ({"query": "y"}, "Error: IndexError('list index out of range')", True)
    fine, other = ({"query": "z"}, "IndexError is fine", False), ({"query": "z"}, "KeyError: 'a'", True)
    assert steps(session(failed, fine, other)) == [(1, "IndexError", False)]
    assert steps(session(({"query": ""}, "list index out of range", True))) == [(1, "IndexError", True)]
    assert steps(session(({"query": "7"}, "Error: no entry for 7", False))) == [(1, None, False)]
    assert steps(session(failed, tool="other")) == []


def test_a_tool_with_another_schema_is_another_tool() -> None:
    failed = ({"query": "y"}, "IndexError", True)
    titled = {**SCHEMA, "title": "Other", "properties": {"query": {"type": "string"}}}
    assert steps(session(failed, schema=titled)) == [(1, "IndexError", False)]
    assert steps(session(failed, schema={**SCHEMA, "properties": {"query": {"type": "integer"}}})) == []


def test_a_second_fuzzing_of_a_target_replaces_the_first_and_keeps_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.planscope.json"
    save(session(), path)
    kept = load(path)
    assert kept.fuzzings is not None
    kept.fuzzings[0].findings[0] = kept.fuzzings[0].findings[0].model_copy(update={"label": "false"})
    save(kept, path)
    keep(fuzzing(INDEX), path)
    keep(fuzzing(RETURNED, target="other:tool"), path)
    found = load(path)
    assert found.runs == kept.runs and found.fuzzings is not None
    assert [(one.id, one.target) for one in found.fuzzings] == [("z1", "m:map_search"), ("z2", "other:tool")]
    assert [one.label for one in found.fuzzings[0].findings] == ["false"]


def test_sharing_a_run_leaves_findings_out() -> None:
    made = session(({"query": "y"}, "IndexError", True))
    assert excerpt(made, made.runs[0]).fuzzings is None


def test_the_command_keeps_findings(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = "planscope.toolfuzz.examples:map_search"
    assert main(["fuzz", target, "--calls", "40"]) == 1
    assert "planscope open fuzz-planscope.toolfuzz.examples-map_search" in capsys.readouterr().out
    (entry,) = [one for one in entries("library") if one.path == own_session(target)]
    assert (entry.findings, entry.runs) == (2, 0)
    assert main(["sessions", "show", entry.name]) == 0
    assert "IndexError" in capsys.readouterr().out
    path = tmp_path / "mine.planscope.json"
    assert main(["fuzz", target, "--calls", "40", "--json", "-o", str(path)]) == 1
    document = json.loads(capsys.readouterr().out)
    (kept,) = load(path).fuzzings or ()
    assert [one.input for one in kept.findings] == [one["input"] for one in document["findings"]]
    assert main(["fuzz", target, "-o", str(tmp_path / "x.html")]) == 2
    assert main(["sessions", "list"]) == 0
    assert "2 findings" in capsys.readouterr().out


def test_a_test_of_a_finding_has_what_its_call_needs() -> None:
    options = Options("m:f", environment=("KEY",), network=True, call_limit=5.0)
    made = record_of_report(Fuzz(options).report)
    text = formats.tests_of("m:f", 1, [INDEX.model_copy(update={"at_call": 1})], settings=made.settings)
    assert "given, environment=('KEY',), network=True, limit=5.0)" in text
    compile(text, "test", "exec")
    assert Fuzz(Options("m:f")).report.settings == {}
    hostile = {"environment": ["'); import os; ('"], "network": "x)", "limit": "1); x("}
    text = formats.tests_of("m:f", 1, [INDEX.model_copy(update={"at_call": 1})], settings=hostile)
    assert "network" not in text and "limit=" not in text and "environment=(\"'); import os; ('\",)" in text
