"""Files that other programs wrote, read and counted again by an independent counter; skipped where they are missing."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from planscope.traces import open_traces

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("PLANSCOPE_REAL_TRACES", ROOT.parent / "shared/traces"))
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the real traces are not here")

EXPECTED = {
    "openai_chat_messages.json": ("openai-chat", '"tool_call_id":'),
    "tau_bench_airline_3.json": ("tau-bench", '"tool_call_id":'),
    "tau_retail_good.json": ("tau-bench", '"tool_call_id":'),
    "tau2_mock_create_task.json": ("tau2", '"role": "tool"'),
    "anthropic_parallel_tool_calls.json": ("anthropic", '"type": "tool_use"'),
    "claude_code_alpha.jsonl": ("claude-code", '"type": "tool_use"'),
    "claude_code_alpha_agent.jsonl": ("claude-code", '"type": "tool_use"'),
    "codex_like_rollout.jsonl": ("codex", '"type":"function_call",'),
    "openai_responses_recipe_handoffs.json": ("openai-responses", '"type": "function_call",'),
    "gemini_tool_calls.json": ("gemini-cli", '"displayName":'),
    "langfuse_pydantic_ai_tools.json": ("langfuse", '"type": "TOOL"'),
    "openai_agents_recipe_hierarchy.jsonl": ("openai-agents", '"type": "function"'),
    "otel_tempo_batches.json": ("otel", '"stringValue":"execute_tool"'),
    "agentdojo_slack_1.json": ("agentdojo", '"role": "tool"'),
    "agentdojo_gemini_slack.json": ("agentdojo", '"role": "tool"'),
}
"""The format of each file, and text that it has once a call."""


@pytest.mark.parametrize("name", EXPECTED)
def test_a_real_file_is_read_with_all_its_calls(name: str) -> None:
    form, once_a_call = EXPECTED[name]
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{name} is not here")
    traces = list(open_traces([path]))
    assert {trace.format for trace in traces} == {form}
    assert [trace.problem for trace in traces] == [None] * len(traces)
    calls = [call for trace in traces for call in trace.calls]
    assert len(calls) == path.read_text(encoding="utf-8").count(once_a_call) > 0
    assert all(call.arguments is not None and call.answered == (form != "claude-code") for call in calls)
    for trace in traces:
        assert [call.step for call in trace.calls] == list(range(1, len(trace.calls) + 1))


@pytest.mark.parametrize("name", [*EXPECTED, "inspect_dedup.eval"])
def test_every_call_of_a_real_file_is_accounted_for(name: str) -> None:
    left = [one for trace in open_traces([FOLDER / name]) for one in trace.left_out]
    assert [one for one in left if one.kind == "not understood"] == []


def test_traces_of_tau_bench_are_named_by_task_and_trial() -> None:
    path = FOLDER / "tau_retail_good.json"
    ids = [f"{one['task_id']}.{one['trial']}" for one in json.loads(path.read_text(encoding="utf-8"))]
    assert [trace.id for trace in open_traces([path])] == ids


def test_an_inspect_log_is_read_with_all_its_calls() -> None:
    path = FOLDER / "inspect_dedup.eval"
    with zipfile.ZipFile(path) as archive:
        sample = json.loads(archive.read("samples/0_epoch_1.json"))
    expected = [call["id"] for one in sample["messages"] for call in one.get("tool_calls", [])]
    (trace,) = open_traces([path])
    assert [call.call_id for call in trace.calls] == expected
    assert trace.id == "0.1" and trace.format == "inspect" and trace.problem is None
    assert all(call.at is not None and call.answered for call in trace.calls)
