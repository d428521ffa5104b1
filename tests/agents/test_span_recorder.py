"""Recording agents by their OpenTelemetry spans, made with the real SDK."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")
from opentelemetry.sdk.trace import TracerProvider

from planscope import record_spans
from planscope.session.model import PromptEvent, Run
from planscope.session.store import load

from .support import answers_of, calls_of, end_of

QUESTION = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Ship it."}]}])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spans.planscope.json"


def tracer(path: Path, **options: Any) -> tuple[Any, TracerProvider]:
    provider = TracerProvider()
    provider.add_span_processor(record_spans(path, **options))
    return provider.get_tracer("an agent's framework"), provider


def agent(tracer: Any, *tools: str, fails: bool = False) -> None:
    """The spans of one run, as the GenAI conventions want them."""
    with tracer.start_as_current_span("invoke_agent shipper") as outer:
        outer.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "shipper"})
        for number, tool in enumerate(tools):
            with tracer.start_as_current_span("chat gpt") as chat:
                chat.set_attributes(
                    {
                        "gen_ai.operation.name": "chat",
                        "gen_ai.request.model": "gpt",
                        "gen_ai.input.messages": QUESTION,
                        "gen_ai.usage.input_tokens": 10,
                        "gen_ai.usage.output_tokens": 3,
                    }
                )
            with tracer.start_as_current_span(f"execute_tool {tool}") as span:
                span.set_attributes(
                    {
                        "gen_ai.operation.name": "execute_tool",
                        "gen_ai.tool.name": tool,
                        "gen_ai.tool.call.id": f"c{number}",
                        "gen_ai.tool.call.arguments": json.dumps({"tag": "v1"}),
                        "gen_ai.tool.call.result": f"{tool} done",
                    }
                )
        if fails:
            raise RuntimeError("no more")


def runs(path: Path) -> list[Run]:
    return load(path).runs


def test_a_trace_becomes_a_run(path: Path) -> None:
    rules = ["build comes before deploy."]
    made, provider = tracer(path, rules=rules)
    agent(made, "build", "deploy")
    assert provider.force_flush()
    (run,) = runs(path)
    assert [(c.tool, c.arguments, c.agent) for c in calls_of(run)] == [
        ("build", {"tag": "v1"}, "shipper"),
        ("deploy", {"tag": "v1"}, "shipper"),
    ]
    assert [a.text for a in answers_of(run)] == ["build done", "deploy done"]
    assert (run.agent, run.model, end_of(run).ending) == ("shipper", "gpt", "stopped")
    assert isinstance(run.events[0], PromptEvent) and run.events[0].text == "Ship it."
    session = load(path)
    assert session.rules == rules[0] and [a.tool for a in session.variants[0].actions] == ["build", "deploy"]


def test_agents_at_once_and_one_that_fails(path: Path) -> None:
    made, provider = tracer(path)
    threads = [threading.Thread(target=agent, args=(made, "build", f"tool_{i}")) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(RuntimeError):
        agent(made, "build", fails=True)
    provider.force_flush()
    found = runs(path)
    assert sorted(len(calls_of(run)) for run in found) == [1, 2, 2, 2, 2]
    assert sorted(end_of(run).ending for run in found) == ["aborted", *["stopped"] * 4]


def test_other_spans_are_left_alone(path: Path) -> None:
    made, provider = tracer(path)
    with made.start_as_current_span("GET /"), made.start_as_current_span("SELECT") as span:
        span.set_attribute("db.system", "sqlite")
    provider.force_flush()
    assert not path.exists()


def test_a_fault_is_one_warning(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, provider = tracer(path)

    def broken(*given: Any) -> Any:
        raise RuntimeError("broken")

    monkeypatch.setattr("planscope.traces.formats.otel.record_of", broken)
    with pytest.warns(RuntimeWarning, match="could not record") as told:
        agent(made, "build")
        agent(made, "deploy")
    provider.shutdown()
    assert len(told) == 1
