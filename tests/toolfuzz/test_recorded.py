"""The tools of a recorded session as a target."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planscope.cli import main
from planscope.errors import UserError
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    Origin,
    PromptEvent,
    Query,
    Run,
    SeenTool,
    Session,
    Variant,
)
from planscope.session.store import save
from planscope.toolfuzz.outcome import Made
from planscope.toolfuzz.recorded import recorded_calls, recorded_tools, session_of

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def session(*runs: Run) -> Session:
    action = ActionRecord(id="a1", name="weather", tool="weather")
    query = Query(text="Weather occurs after 10:00.")
    variant = Variant(id="v1", origin=Origin(kind="written"), query=query, actions=[action])
    return Session(id="s", title="s", variants=[variant], runs=list(runs))


def run() -> Run:
    tools = [SeenTool(name="weather", description="The weather.", parameters=SCHEMA), SeenTool(name="news")]
    events = [
        PromptEvent(text="q", tools=tools),
        CallEvent(step=1, tool="weather", arguments={"city": "Oslo"}, asked={"city": "Rome"}),
        AnswerEvent(step=1, text="changed by the user", said="rain"),
        CallEvent(step=2, tool="weather", arguments={"city": "Bern"}),
        AnswerEvent(step=2, text="no", refused_by="guard"),
        CallEvent(step=3, tool="clock", arguments={}),
        AnswerEvent(step=3, text="Error: broken", status="error"),
    ]
    return Run(id="r1", variant="v1", agent="own", model="m", events=events)


def test_a_tool_has_what_the_runs_recorded(tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    save(session(run()), path)
    (weather, answers), (news, none), (clock, failed) = recorded_tools(path).values()
    assert (weather.description, weather.schema, weather.skipped) == ("The weather.", SCHEMA, None)
    assert answers == [Made("weather", {"city": "Oslo"}, "rain")]
    assert weather.examples == [{"city": "Oslo"}] and '[{"city": "Oslo"}]' in weather.told()
    assert recorded_calls(path) == [{"tool": "weather", "arguments": {"city": "Oslo"}}]
    assert (news.name, news.skipped, none) == ("news", "no run recorded its schema", [])
    assert (clock.skipped, [one.kind for one in failed]) == (news.skipped, ["returned"])
    save(session(), path)
    with pytest.raises(UserError, match="has no tool"):
        recorded_tools(path)
    assert recorded_calls(path) == []


def test_a_trace_is_a_target_as_a_session_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.jsonl"
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
    messages = [
        {"role": "user", "content": "weather?"}, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    ]  # fmt: skip
    path.write_text(json.dumps({"messages": messages}) + "\n")
    assert session_of(str(path)) == path and session_of(str(tmp_path)) is None
    assert recorded_calls(path) == [{"tool": "weather", "arguments": {"city": "Oslo"}}]
    assert main(["fuzz", str(path)]) == 2 and "no code to call" in capsys.readouterr().err
    path.write_text("nothing\n")
    assert main(["fuzz", str(path), "--correctness", "--model", "openai:x"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_session_is_told_from_other_targets() -> None:
    assert session_of("a/x.planscope.json") == Path("a/x.planscope.json")
    assert session_of("module:x") is None and session_of("mcp:server --db x.planscope.json") is None
    assert session_of("tool.json=m:f") is None and session_of("first-look-of-nobody") is None


def test_a_session_cannot_be_called(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "x.planscope.json"
    save(session(run()), path)
    assert main(["fuzz", str(path)]) == 2
    said = capsys.readouterr().err
    assert "weather, news, clock" in said and "no code to call" in said and said.count("\n") == 1
