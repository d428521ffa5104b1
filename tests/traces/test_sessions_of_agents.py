"""Sessions of pi, trajectories of SWE-agent and mini-SWE-agent, and files that hold one response."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planscope.oracle.trace import Mark, Said, Trace
from planscope.traces import Unreadable, open_traces
from tests.traces.samples import BOOK, CHAT, PI, SEARCH, completion, in_pi, lines, whole


def read(folder: Path, data: bytes) -> Trace:
    path = folder / "run.json"
    path.write_bytes(data)
    (trace,) = open_traces([path])
    return trace


def calls(trace: Trace) -> list[tuple[str, Any, str | None, bool | None]]:
    return [(one.tool, one.arguments, one.answer, one.failed) for one in trace.calls]


def test_all_that_does_not_lead_to_the_last_line_of_pi_was_rewound(tmp_path: Path) -> None:
    again = {"type": "toolCall", "id": "c3", "name": "sell", "arguments": {}}
    other = [
        {
            "type": "branch_summary",
            "id": "b1",
            "parentId": "e2",
            "timestamp": PI[1]["timestamp"],
            "summary": "left",
        },
        {**in_pi(6, "user", "no, sell"), "parentId": "b1"},
        in_pi(7, "assistant", [again]),
        {
            "type": "compaction",
            "id": "k1",
            "parentId": "e7",
            "timestamp": PI[1]["timestamp"],
            "summary": "so far",
        },
        {**in_pi(8, "bashExecution", None, command="ls", output="a"), "parentId": "k1"},
        in_pi(9, "assistant", [], errorMessage="it was stopped", stopReason="aborted"),
    ]
    trace = read(tmp_path, lines([*PI, *other]))
    assert (trace.id, trace.format) == ("s1", "pi")
    assert [call.tool for call in trace.calls] == ["search", "sell"]
    ((after, items),) = [(branch.after, branch.items) for branch in trace.branches]
    assert after == 1 and [one.tool for one in items if not isinstance(one, Said | Mark)] == ["book"]
    marks = [(one.kind, one.text) for one in trace.items if isinstance(one, Mark)]
    assert marks == [("compacted", "so far"), ("error", "it was stopped")]
    said = [(one.by, one.text) for one in trace.items if isinstance(one, Said)]
    assert ("system", "! ls\na") in said and ("user", "no, sell") in said


def test_the_events_of_pi_are_read_once(tmp_path: Path) -> None:
    events: list[Any] = [{"type": "session", "id": "s1", "cwd": "/x"}, {"type": "agent_start"}]
    for one in PI[1:]:
        events += [
            {"type": "message_start", "message": one["message"]},
            {"type": "message_end", "message": one["message"]},
        ]
    events.append({"type": "agent_end", "messages": [one["message"] for one in PI[1:]]})
    trace = read(tmp_path, lines(events))
    assert calls(trace) == [("search", SEARCH, "found", False), ("book", BOOK, "full", True)]
    assert {one.kind for one in trace.left_out} == {"not of this run"}


def swe(history: list[Any], *actions: str) -> bytes:
    steps = [{"action": one, "observation": f"saw {one}", "response": one, "state": {}} for one in actions]
    return whole(
        {"environment": "x", "trajectory": steps, "history": history, "info": {"exit_status": "submitted"}}
    )


def test_the_last_submit_of_swe_agent_may_stand_in_one_of_two_lists(tmp_path: Path) -> None:
    trace = read(tmp_path, swe(CHAT, "search x", "book 7", "submit"))
    assert [call.tool for call in trace.calls] == ["search", "book", "submit"]
    assert trace.calls[2].answer == "saw submit" and trace.format == "swe-agent"
    asked = {"id": "c3", "type": "function", "function": {"name": "submit", "arguments": "{}"}}
    both = [*CHAT, {"role": "assistant", "content": "", "tool_calls": [asked]}]
    assert [call.tool for call in read(tmp_path, swe(both, "search x", "submit")).calls] == [
        "search",
        "book",
        "submit",
    ]


def test_the_history_in_a_step_of_swe_agent_is_a_copy(tmp_path: Path) -> None:
    """Also where ids are used again, which tells no calls apart."""
    again = json.loads(json.dumps(CHAT).replace('"c2"', '"c1"'))
    steps = [{"action": "x", "observation": "y", "response": "z", "messages": again[:k]} for k in range(6)]
    trace = read(tmp_path, whole({"trajectory": steps, "history": again}))
    assert [call.tool for call in trace.calls] == ["search", "book"]
    assert {(one.kind, one.reason) for one in trace.left_out} == {
        ("not of this run", "the history, told again")
    }


def test_a_swe_agent_that_writes_its_actions_is_refused(tmp_path: Path) -> None:
    spoken = [{"role": "assistant", "content": "I look.\n```\nls\n```"}]
    with pytest.raises(Unreadable, match="writes its calls as text"):
        read(tmp_path, swe(spoken, "ls"))


def mini(*said: str, status: str = "Submitted") -> bytes:
    """A trajectory of the first version: what the model and the shell said in turn."""
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "go"}]
    messages += [{"role": ("assistant", "user")[k % 2], "content": words} for k, words in enumerate(said)]
    return whole(
        {"trajectory_format": "mini-swe-agent-1", "info": {"exit_status": status}, "messages": messages}
    )


def block(command: str) -> str:
    return f"THOUGHT: so\n\n```bash\n{command}\n```"


def test_the_commands_of_the_first_mini_swe_agent_are_read_by_what_it_ran(tmp_path: Path) -> None:
    ran = "<returncode>{}</returncode>\n<output>\nx</output>"
    said = [
        block("ls"),
        ran.format(0),
        block("a") + block("b"),
        "Please give one command.",
        block("false"),
        ran.format(1),
    ]
    trace = read(tmp_path, mini(*said, block("echo done"), "the patch"))
    found = [(one.arguments["command"], one.failed) for one in trace.calls]
    assert found == [("ls", False), ("false", True), ("echo done", False)]
    assert trace.calls[2].answer == "the patch" and trace.problem is None
    trace = read(tmp_path, mini(*said, block("echo done"), status="LimitsExceeded"))
    assert len(trace.calls) == 2


def test_a_file_may_hold_one_response(tmp_path: Path) -> None:
    trace = read(tmp_path, whole(completion(CHAT[1], CHAT[:1])["response"]))
    assert calls(trace) == [("search", SEARCH, None, None)] and trace.format == "openai-completions"
    parts = [{"functionCall": {"name": "search", "args": SEARCH}}]
    trace = read(tmp_path, json.dumps({"candidates": [{"content": {"parts": parts}}]}).encode())
    assert calls(trace) == [("search", SEARCH, None, None)] and trace.format == "gemini-responses"
    blocks = [{"type": "tool_use", "id": "c1", "name": "search", "input": SEARCH}]
    response = {"type": "message", "id": "m1", "role": "assistant", "model": "claude-x", "content": blocks}
    trace = read(tmp_path, whole(response))
    assert calls(trace) == [("search", SEARCH, None, None)] and trace.format == "anthropic"


def inspect_events(*events: Any) -> bytes:
    sample = {"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "go"}], "events": list(events)}
    return whole({"version": 2, "eval": {"model": "m"}, "samples": [sample]})


def test_events_of_inspect_that_repeat_are_one_call_and_submit_is_an_answer(tmp_path: Path) -> None:
    def tool(id: str, function: str) -> dict[str, Any]:
        return {"event": "tool", "id": id, "function": function, "arguments": {"n": id}, "result": "r"}

    events = [tool("a", "look"), tool("b", "look"), {**tool("a", "look"), "events": [tool("b", "look")]}]
    trace = read(tmp_path, inspect_events(*events, tool("s", "submit")))
    assert [(one.tool, one.call_id) for one in trace.calls] == [("look", "a"), ("look", "b")]
    reasons = {one.reason for one in trace.left_out if one.kind == "not of this run"}
    assert any("output tool" in one for one in reasons)
    assert all(one.kind == "not of this run" for one in trace.left_out)
