"""Real programs of other frameworks, recorded: what is read equals what their tools noted when they were called.

``python -m tests.traces.frameworks`` records them anew. Every file of a program tells the same run.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from planscope.oracle.trace import Mark, Said, ToolCall, Trace
from planscope.traces import open_traces
from tests.traces.frameworks import RECORDED
from tests.traces.frameworks.__main__ import PROGRAMS
from tests.traces.frameworks.desk import ASKED

FILES = sorted(p.name for p in RECORDED.iterdir() if ".called" not in p.name)
DESK = [file for file in FILES if not file.startswith(("mini_swe", "pi.", "codex"))]
FORMATS = {
    "log": "inspect",
    "spans": "otel",
    "sdk": "openai-agents",
    "items": "openai-responses",
    "state": "openai-responses",
    "steps": "calls",
}
UNMARKED = ("items", "state")
"""Kinds of files whose format has no mark for a call that failed."""
HANDOFF, ANSWER = "transfer_to_clerk", "final_answer"
"""Tools that are not the desk's: a handoff of the two frameworks that have one, and smolagents' last call."""


def read(file: str) -> Trace:
    (trace,) = open_traces([RECORDED / file])
    assert trace.problem is None
    return trace


def called(program: str, kind: str = "called") -> list[tuple[str, dict[str, object], str, bool]]:
    """What the tools of a program noted: tool, arguments, answer or error, and whether it failed."""
    notes = map(json.loads, (RECORDED / f"{program}.{kind}.jsonl").read_text().splitlines())
    return [(n["tool"], n["arguments"], n.get("answer", n.get("error")), "error" in n) for n in notes]


def test_every_framework_has_its_recordings() -> None:
    assert {file.split(".")[0] for file in FILES} == set(PROGRAMS)


@pytest.mark.parametrize("file", DESK)
def test_what_is_read_is_what_was_called(file: str) -> None:
    program, kind, *_ = file.split(".")
    trace = read(file)
    assert trace.format == FORMATS.get(
        kind, {"pydantic_ai": "pydantic-ai", "autogen": "calls", "vercel": "vercel-ai"}.get(program)
    )
    calls = [one for one in trace.calls if one.tool not in (HANDOFF, ANSWER)]
    noted = sorted(called(program), key=str)
    assert sorted([(c.tool, c.arguments) for c in calls], key=str) == [one[:2] for one in noted]
    assert [c.arguments["order_id"] for c in calls] == ["7", "8", "7", "7"]
    assert len({c.message for c in calls}) == 3 and calls[0].message == calls[1].message
    told = sorted(calls, key=lambda call: str((call.tool, call.arguments)))
    for call, (_, _, words, failed) in zip(told, noted, strict=True):
        joined = (
            kind == "steps" and call.answer is None
        )  # smolagents writes the answers of a message in one text
        generic = failed and program == "openai_agents"  # the SDK hides errors from the model
        assert call.answered and (joined or generic or words in (call.answer or "")), call
        assert kind in UNMARKED or joined or call.failed == failed, call


@pytest.mark.parametrize("file", FILES)
def test_nothing_that_looks_like_a_call_is_left(file: str) -> None:
    assert [one for one in read(file).left_out if one.kind == "not understood"] == []


@pytest.mark.parametrize("file", DESK)
def test_what_was_asked_and_who_answered_is_read(file: str) -> None:
    program, kind, *_ = file.split(".")
    trace = read(file)
    asked = [one.text for one in trace.items if isinstance(one, Said) and one.by == "user"]
    assert any(ASKED in words for words in asked) or kind == "sdk"  # its spans do not say it
    agents = [c.agent for c in trace.calls if c.tool == "refund"]
    if program in ("autogen", "openai_agents", "crewai") and kind != "items":
        assert agents == ["clerk", "clerk"]
    over = [one for one in trace.items if isinstance(one, ToolCall) and one.tool == HANDOFF]
    marks = [one.text for one in trace.items if isinstance(one, Mark) and one.kind == "handoff"]
    if program in ("autogen", "openai_agents"):
        assert (len(over), marks) == ((0, ["desk to clerk"]) if kind == "sdk" else (1, []))


@pytest.mark.parametrize("kind", ["calls", "text"])
def test_a_shell_is_read_whether_its_model_calls_it_or_writes_commands(kind: str) -> None:
    trace = read(f"mini_swe.{kind}.json")
    assert trace.format == "mini-swe-agent"
    noted = called("mini_swe", f"called_{kind}")
    assert [(c.tool, c.arguments) for c in trace.calls] == [one[:2] for one in noted]
    assert [(c.answered, c.failed) for c in trace.calls] == [(True, False), (True, True), (True, False)]
    assert "hello" in (trace.calls[0].answer or "") and (trace.calls[2].answer or "").strip() == "done"
    said = [one.text for one in trace.items if isinstance(one, Said) and one.by == "user"]
    assert said == ["Say hello, then fail."]


@pytest.mark.parametrize(
    "file,form,tool,key",
    [
        ("pi.session.jsonl", "pi", "bash", "command"),
        ("pi.events.jsonl", "pi", "bash", "command"),
        ("codex.rollout.jsonl", "codex", "exec_command", "cmd"),
        ("codex.exec.jsonl", "codex-exec", "shell", "command"),
    ],
)
def test_coding_agents_tell_the_commands_that_they_ran(file: str, form: str, tool: str, key: str) -> None:
    trace = read(file)
    assert trace.format == form
    commands = [str((call.arguments or {})[key]) for call in trace.calls]
    assert len(commands) == 3
    assert all(said in one for said, one in zip(("echo hello", "echo two", "false"), commands, strict=True))
    assert {call.tool for call in trace.calls} == {tool}
    assert [call.failed for call in trace.calls] == [False, False, True]
    assert "hello" in (trace.calls[0].answer or "") and "two" in (trace.calls[1].answer or "")
    words = [one.text for one in trace.items if isinstance(one, Said)]
    assert "Refunded 40." in words


def test_the_answer_by_an_output_tool_is_what_the_model_said() -> None:
    for kind in ("messages.json", "spans.jsonl.gz"):
        trace = read(f"pydantic_ai.{kind}")
        words = [one.text for one in trace.items if isinstance(one, Said) and one.by == "model" and one.text]
        assert words == ['{"amount": 40}']
        assert any("output tool" in one.reason for one in trace.left_out)


def test_the_recordings_are_small_and_name_no_folder_of_a_machine() -> None:
    for path in RECORDED.iterdir():
        data = path.read_bytes()
        assert len(data) < 30_000, path
        text = gzip.decompress(data) if path.suffix == ".gz" else data
        assert str(Path.home()).encode() + b"/" not in text, path
