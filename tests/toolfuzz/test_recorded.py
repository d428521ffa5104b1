"""The tools of a recorded session as a target."""

from __future__ import annotations

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
from planscope.toolfuzz.recorded import recorded_tools, session_of

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
    assert (news.name, news.skipped, none) == ("news", "no run recorded its schema", [])
    assert (clock.skipped, [one.kind for one in failed]) == (news.skipped, ["returned"])
    save(session(), path)
    with pytest.raises(UserError, match="has no tool"):
        recorded_tools(path)


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
