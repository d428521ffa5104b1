"""Sessions of coding agents: rewinds, compactions, copies, sub-agents, files beside the session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from planscope.oracle.trace import Mark, Said, ToolCall, Trace
from planscope.traces import open_traces
from tests.traces.samples import AT, CODEX, GEMINI_LINES, asks, claude, codex, lines, told


def read(path: Path, values: list[Any]) -> Trace:
    path.write_bytes(lines(values))
    (trace,) = open_traces([path])
    return trace


def user(words: str) -> dict[str, Any]:
    return {"role": "user", "content": words}


def tools(items: list[Any]) -> list[str]:
    return [item.tool for item in items if isinstance(item, ToolCall)]


def test_a_rewind_of_claude_code_is_a_branch(tmp_path: Path) -> None:
    trace = read(tmp_path / "s.jsonl", [
        claude("user", "a", None, user("go")),
        claude("assistant", "b", "a", asks("c1", "Read", {})),
        claude("user", "c", "b", told("c1", "ok")),
        claude("user", "d", "c", user("delete it")),
        claude("assistant", "e", "d", asks("c2", "Bash", {"command": "rm"})),
        claude("user", "f", "e", told("c2", "gone")),
        claude("user", "g", "c", user("no, write")),
        claude("assistant", "h", "g", asks("c3", "Write", {})),
        claude("user", "i", "h", told("c3", "ok")),
    ])  # fmt: skip
    assert tools(trace.items) == ["Read", "Write"]
    ((after, items),) = [(branch.after, branch.items) for branch in trace.branches]
    assert after == 1 and tools(items) == ["Bash"]
    assert [item.step for item in items if isinstance(item, ToolCall)] == [2]
    assert not any(isinstance(item, Said) and item.text == "delete it" for item in trace.items)


def test_calls_made_together_fork_the_tree_but_are_no_branch(tmp_path: Path) -> None:
    trace = read(tmp_path / "s.jsonl", [
        claude("user", "a", None, user("go")),
        claude("assistant", "b", "a", asks("c1", "Read", {"n": 1}, "m1")),
        claude("assistant", "c", "b", asks("c2", "Read", {"n": 2}, "m1")),
        claude("user", "d", "b", told("c1", "one")),
        claude("user", "e", "c", told("c2", "two")),
        claude("assistant", "f", "e", asks("c3", "Write", {}, "m2")),
    ])  # fmt: skip
    assert trace.branches == [] and [c.answer for c in trace.calls] == ["one", "two", None]
    first, second, third = (c.message for c in trace.calls)
    assert first == second < third
    assert [i.usage for i in trace.items if isinstance(i, Said) and i.usage] == [(5, 2), (5, 2)]


def test_lines_of_a_resumed_session_are_read_once(tmp_path: Path) -> None:
    first = [
        claude("user", "a", None, user("go")),
        claude("assistant", "b", "a", asks("c1", "Read", {})),
        claude("user", "c", "b", told("c1", "ok")),
    ]
    again = [
        {**one, "uuid": f"{one['uuid']}2", "parentUuid": one["parentUuid"] and f"{one['parentUuid']}2"}
        for one in first
    ]
    more = [claude("assistant", "d", "c2", asks("c2", "Write", {}))]
    trace = read(tmp_path / "s.jsonl", [*first, *first, *again, *more])
    assert tools(trace.items) == ["Read", "Write"] and trace.branches == []


def test_a_compaction_goes_on_with_the_same_trace(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "d", "parentUuid": None}
    boundary |= {"logicalParentUuid": "c", "content": "Conversation compacted", "timestamp": AT[2]}
    trace = read(tmp_path / "s.jsonl", [
        claude("user", "a", None, user("go")),
        claude("assistant", "b", "a", asks("c1", "Read", {})),
        claude("user", "c", "b", told("c1", "ok")),
        boundary,
        claude("user", "e", "d", user("the summary"), isCompactSummary=True),
        claude("assistant", "f", "e", asks("c2", "Write", {})),
    ])  # fmt: skip
    assert tools(trace.items) == ["Read", "Write"] and trace.branches == []
    assert [i.kind for i in trace.items if isinstance(i, Mark)] == ["compacted", "compacted"]


@pytest.mark.parametrize("beside", [True, False])
def test_calls_of_a_sub_agent_come_after_the_message_that_started_it(tmp_path: Path, beside: bool) -> None:
    prompt = {"prompt": "look around", "subagent_type": "Explore"}
    side = [
        claude("user", "x", None, user("look around"), isSidechain=True, agentId="q1"),
        claude("assistant", "y", "x", asks("s1", "Grep", {}), isSidechain=True, agentId="q1"),
        claude("user", "z", "y", told("s1", "found"), isSidechain=True, agentId="q1"),
    ]
    main = [
        claude("user", "a", None, user("go")),
        claude("assistant", "b", "a", asks("c1", "Agent", prompt)),
        *([] if beside else side),
        claude("user", "c", "b", told("c1", "done"), toolUseResult={"agentId": "q1"}),
        claude("assistant", "d", "c", asks("c2", "Write", {})),
    ]
    if beside:
        folder = tmp_path / "s" / "subagents"
        folder.mkdir(parents=True)
        (folder / "agent-q1.jsonl").write_bytes(lines(side))
        (folder / "agent-q1.meta.json").write_text(json.dumps({"agentType": "Explore", "toolUseId": "c1"}))
    trace = read(tmp_path / "s.jsonl", main)
    assert [(c.step, c.tool) for c in trace.calls] == [(1, "Agent"), (2, "Grep"), (3, "Write")]
    assert trace.calls[1].agent == ("Explore" if beside else "q1") and trace.calls[0].answer == "done"
    assert [c.message for c in trace.calls] == sorted({c.message for c in trace.calls})


def test_a_long_answer_is_read_from_the_sessions_own_folder_alone(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "s" / "tool-results"
    folder.mkdir(parents=True)
    (folder / "long.txt").write_text("the whole answer")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    said = "<persisted-output>\nOutput too large. Full output saved to: {}\n\nPreview: x"
    names = [
        "/home/u/.claude/s/tool-results/long.txt",
        "/x/tool-results/../../secret.txt",
        "/x/tool-results/link.txt",
    ]
    values = [claude("user", "u", None, user("go"))]
    for k, name in enumerate(names):
        values.append(claude("assistant", f"a{k}", values[-1]["uuid"], asks(f"c{k}", "Bash", {})))
        values.append(claude("user", f"r{k}", f"a{k}", told(f"c{k}", said.format(name))))
    answers = [call.answer for call in read(tmp_path / "s.jsonl", values).calls]
    assert answers[0] == "the whole answer"
    assert all(one is not None and one.startswith("<persisted-output>") for one in answers[1:])


def test_a_call_that_the_user_rejected_did_not_fail(tmp_path: Path) -> None:
    words = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    trace = read(tmp_path / "s.jsonl", [
        claude("user", "a", None, user("go")),
        claude("assistant", "b", "a", asks("c1", "Bash", {})),
        claude("user", "c", "b", told("c1", words, failed=True)),
    ])  # fmt: skip
    assert [(c.refused, c.failed) for c in trace.calls] == [(True, False)]


def test_codex_rolls_back_forks_and_compacts(tmp_path: Path) -> None:
    undone = {**CODEX[4]["payload"], "call_id": "c9", "name": "rm"}
    values = [
        *CODEX,
        *CODEX[:6],  # a forked session repeats its parent's lines
        codex("compacted", {"message": "summary"}),
        codex("response_item", {"type": "message", "role": "user", "content": "try"}),
        codex("response_item", undone),
        codex("event_msg", {"type": "thread_rolled_back", "num_turns": 1}),
    ]
    trace = read(tmp_path / "r.jsonl", values)
    assert tools(trace.items) == ["search", "book"] and trace.id == "s1" and trace.model == "gpt-x"
    assert [(b.after, tools(b.items)) for b in trace.branches] == [(2, ["rm"])]
    assert [i.kind for i in trace.items if isinstance(i, Mark)] == ["compacted"]
    (tmp_path / "p.zst").write_bytes(zstandard.ZstdCompressor().compress(lines(values)))
    (packed,) = open_traces([tmp_path / "p.zst"])
    assert packed.calls == trace.calls


def test_codex_has_two_calls_of_two_tools_with_one_id(tmp_path: Path) -> None:
    def call(tool: str, given: str) -> dict[str, Any]:
        return codex(
            "response_item", {"type": "function_call", "call_id": "c1", "name": tool, "arguments": given}
        )

    told_again = {
        "type": "mcp_tool_call_begin",
        "call_id": "c1",
        "invocation": {"server": "s", "tool": "pay"},
    }
    answers = [
        codex("response_item", {"type": "function_call_output", "call_id": "c1", "output": o}) for o in "12"
    ]
    calls = [call("look", '{"q": 1}'), call("pay", '{"amount": 5}'), codex("event_msg", told_again), *answers]
    trace = read(tmp_path / "r.jsonl", [*CODEX[:3], *calls, *calls])  # a forked session repeats them
    assert [(c.tool, c.arguments, c.answer) for c in trace.calls] == [
        ("look", {"q": 1}, "1"),
        ("pay", {"amount": 5}, "2"),
    ]
    assert [(o.kind, o.reason, o.count) for o in trace.left_out] == [
        ("not of this run", "a copy of a call that is kept", 2)
    ]


def test_gemini_rewinds_and_sets_a_checkpoint(tmp_path: Path) -> None:
    lost = {
        **GEMINI_LINES[3],
        "id": "g9",
        "toolCalls": [{"id": "c9", "name": "rm", "args": {}, "status": "cancelled"}],
    }
    trace = read(
        tmp_path / "a.jsonl", [*GEMINI_LINES, lost, {"$rewindTo": "g9"}, {"$set": {"summary": "a title"}}]
    )
    assert tools(trace.items) == ["search", "book"] and trace.title == "a title"
    assert [(b.after, tools(b.items)) for b in trace.branches] == [(2, ["rm"])]
    trace = read(tmp_path / "b.jsonl", [*GEMINI_LINES, {"$set": {"messages": GEMINI_LINES[1:3]}}])
    assert tools(trace.items) == ["search"]


def test_an_error_of_the_service_is_marked_and_names_no_model(tmp_path: Path) -> None:
    error = {
        "id": "m9",
        "role": "assistant",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error"}],
    }
    trace = read(tmp_path / "s.jsonl", [
        claude("user", "a", None, user("go")),
        claude("assistant", "b", "a", asks("c1", "Read", {})),
        claude("assistant", "c", "b", error),
    ])  # fmt: skip
    assert [(i.kind, i.text) for i in trace.items if isinstance(i, Mark)] == [("error", "API Error")]
    assert trace.model == "claude-x"


def test_a_sub_agent_of_gemini_is_put_after_the_call_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "s1"
    folder.mkdir()
    side = [
        {"sessionId": "s2", "projectHash": "h", "startTime": "2026-01-01T10:01:00Z"},
        {
            "id": "x1",
            "timestamp": "2026-01-01T10:01:05Z",
            "type": "gemini",
            "content": "",
            "toolCalls": [{"id": "c7", "name": "grep", "args": {}, "status": "success"}],
        },
    ]
    (folder / "agent.jsonl").write_bytes(lines(side))
    (folder / "notes.txt").write_bytes(lines(side))
    trace = read(tmp_path / "a.jsonl", GEMINI_LINES)
    assert [call.tool for call in trace.calls] == ["search", "book", "grep"]
    assert trace.calls[-1].at == 65.0  # seconds after the session began, not the sub-agent


def streamed(kind: str, message: Any, inside: str | None = None) -> dict[str, Any]:
    return {"type": kind, "session_id": "s9", "parent_tool_use_id": inside, "message": message}


STREAM = [
    {"type": "system", "subtype": "init", "session_id": "s9", "model": "claude-x", "tools": ["Bash", "Read"]},
    streamed("assistant", asks("c1", "Read", {"n": 1}, "m1")),
    streamed("assistant", asks("c2", "Bash", {"n": 2}, "m1")),
    streamed("user", told("c1", "one")),
    streamed("user", told("c2", "not allowed", True)),
    streamed("assistant", asks("c3", "Task", {"prompt": "dig"})),
    streamed("assistant", asks("c4", "Read", {"n": 4}), "c3"),
    streamed("user", told("c4", "four"), "c3"),
    streamed("user", told("c3", "dug")),
    {"type": "result", "subtype": "error_max_turns", "session_id": "s9",
     "permission_denials": [{"tool_name": "Bash", "tool_use_id": "c2", "tool_input": {"n": 2}}]},
]  # fmt: skip
"""The shape of ``claude -p --output-format stream-json --verbose``, without and with ids of lines."""


@pytest.mark.parametrize("ids", [True, False])
def test_a_stream_of_claude_code_is_read_in_its_order(tmp_path: Path, ids: bool) -> None:
    trace = read(
        tmp_path / "s.jsonl",
        [{**line, **({"uuid": f"u{k}"} if ids else {})} for k, line in enumerate(STREAM)],
    )
    assert (trace.id, trace.model, trace.branches, list(trace.tools)) == (
        "s9",
        "claude-x",
        [],
        ["Bash", "Read"],
    )
    assert [(c.tool, c.answer, c.failed, c.refused) for c in trace.calls] == [
        ("Read", "one", False, False),
        ("Bash", "not allowed", False, True),
        ("Task", "dug", False, False),
        ("Read", "four", False, False),
    ]
    assert trace.calls[0].message == trace.calls[1].message < trace.calls[2].message
    assert (trace.ending, trace.cause) == ("aborted", "stopped")
    assert not [one for one in trace.left_out if one.kind == "not understood"]


def test_lines_that_do_not_chain_are_one_branch(tmp_path: Path) -> None:
    """As other programs write them: every message of the model hangs on the first one of the user, or on nothing."""
    for parent in ("a", None):
        trace = read(tmp_path / "s.jsonl", [
            claude("user", "a", None, user("go")),
            claude("assistant", "b", parent, asks("c1", "Read", {})),
            claude("user", "c", "b" if parent else None, told("c1", "ok")),
            claude("assistant", "d", parent, asks("c2", "Bash", {})),
            claude("user", "e", "d" if parent else None, told("c2", "done")),
            claude("user", "f", "e" if parent else None, user("and now?")),
            claude("assistant", "g", parent, asks("c3", "Write", {})),
        ])  # fmt: skip
        assert tools(trace.items) == ["Read", "Bash", "Write"] and trace.branches == []
        assert [call.answer for call in trace.calls] == ["ok", "done", None]


def test_notes_of_the_program_are_no_rewinds(tmp_path: Path) -> None:
    trace = read(tmp_path / "s.jsonl", [
        claude("user", "a", None, user("go")),
        claude("user", "b", "a", user("<caveat>"), isMeta=True),
        claude("assistant", "c", "a", asks("c1", "Read", {})),
        claude("user", "d", "c", told("c1", "ok")),
        claude("user", "e", "c", user("[Request interrupted by user]")),
        claude("user", "f", "e", user("go on")),
        claude("assistant", "g", "f", asks("c2", "Bash", {})),
    ])  # fmt: skip
    assert tools(trace.items) == ["Read", "Bash"] and trace.branches == []
