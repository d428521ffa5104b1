"""Every call of a file is accounted for: kept as a call of the trace, or listed as left out with its path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planscope.oracle.trace import Trace
from planscope.traces import Unreadable, open_traces, opening
from planscope.traces.formats.chat import CHAT
from planscope.traces.plain import plain_trace
from planscope.traces.reader import Options
from planscope.traces.source import file_source
from tests.traces.rich import FILES
from tests.traces.samples import CHAT as MESSAGES
from tests.traces.samples import SAMPLES, flat_span, lines, span, text, tool_span, whole

USER = {"role": "user", "content": "go"}
CALL = {"id": "c9", "name": "pay", "arguments": {"amount": 500}}


def read(folder: Path, data: bytes) -> list[Trace]:
    path = folder / "run.txt"
    path.write_bytes(data)
    return list(open_traces([path]))


def missing(traces: list[Trace]) -> list[tuple[str, int]]:
    """Return the places of what was not understood."""
    return [(one.path, one.count) for t in traces for one in t.left_out if one.kind == "not understood"]


def not_of_this_run(trace: Trace) -> list[tuple[str, str, int]]:
    return [(o.reason, o.path, o.count) for o in trace.left_out if o.kind == "not of this run"]


@pytest.mark.parametrize("name", [*SAMPLES, *FILES])
def test_nothing_is_missed_in_any_format(tmp_path: Path, name: str) -> None:
    data = SAMPLES[name][1] if name in SAMPLES else FILES[name]
    found = missing(read(tmp_path, data))
    assert found == ([("messages[15]", 1)] if name == "rich: messages" else [])  # an answer without its call


def test_a_call_where_no_reader_looks_is_listed_with_its_path(tmp_path: Path) -> None:
    data = whole({"messages": [*MESSAGES, {"role": "assistant", "content": "", "steps": [{"ran": CALL}]}]})
    (trace,) = read(tmp_path, data)
    assert len(trace.calls) == 2
    assert missing([trace]) == [("messages[6].steps[0].ran", 1)]
    assert trace.left_out[0].reason == "it looks like a call of pay"


def test_calls_are_listed_in_the_trace_that_they_stand_in(tmp_path: Path) -> None:
    records = [
        {"id": str(k), "messages": [*MESSAGES], "other": [{**CALL, "id": f"o{n}"} for n in range(k)]}
        for k in range(3)
    ]
    for data, second, third in ((lines(records), "line 2: ", "line 3: "), (whole(records), "[1].", "[2].")):
        found = [missing([trace]) for trace in read(tmp_path, data)]
        assert found == [[], [(f"{second}other[0]", 1)], [(f"{third}other[0]", 2)]]


def test_what_follows_the_last_call_is_listed_too(tmp_path: Path) -> None:
    (trace,) = read(tmp_path, whole({"messages": MESSAGES, "more": {"calls": [CALL]}}))
    assert missing([trace]) == [("more.calls[0]", 1)]


@pytest.mark.parametrize(
    "call",
    [
        {"tool": "pay", "args": {"amount": 1}},
        {"tool_name": "pay", "tool_input": "amount 1"},
        {"type": "tool-pay", "toolCallId": "7", "state": "output-available", "input": {"amount": 1}},
        {"functionCall": {"name": "pay", "args": {"amount": 1}}},
        {"action": "pay", "action_input": {"amount": 1}},
        {"name": "pay", "kwargs": {"amount": 1}},
        {"run_type": "tool", "name": "pay", "inputs": {"amount": 1}},
    ],
)
def test_a_file_without_calls_lists_what_looks_like_one(tmp_path: Path, call: Any) -> None:
    (trace,) = read(tmp_path, whole([USER, {"role": "assistant", "content": "ok", "did": [call]}]))
    assert not trace.calls
    assert [count for _, count in missing([trace])] == [1]
    assert missing([trace])[0][0].startswith("[1].did[0]")


def test_json_in_a_text_of_the_model_is_listed(tmp_path: Path) -> None:
    words = '[{"name": "pay", "arguments": {"amount": 1}}]'
    (trace,) = read(tmp_path, whole([USER, {"role": "assistant", "content": words}]))
    assert not trace.calls
    assert missing([trace]) == [("[1].content[0]", 1)]


@pytest.mark.parametrize(
    "words",
    [
        "Thought: I pay.\nAction: pay\nAction Input: 5",
        '<tool_call>{"name": "pay", "arguments": {}}</tool_call>',
        "I run it.\n```bash\npay 5\n```",
    ],
)
def test_agents_that_write_their_calls_as_text_are_refused(tmp_path: Path, words: str) -> None:
    messages = [USER, {"role": "assistant", "content": words}]
    for data in (whole(messages), whole({"messages": messages}), lines(messages)):
        with pytest.raises(Unreadable, match="writes its calls as text"):
            read(tmp_path, data)
    traces = read(tmp_path, lines([{"messages": MESSAGES}, {"messages": messages}]))
    assert [missing([trace]) for trace in traces] == [[], [("message 2", 1)]]


def test_text_definitions_and_answers_are_no_calls(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    tools = [
        {"type": "function", "function": {"name": "pay", "parameters": schema}},
        {"type": "function", "name": "look", "parameters": {}, "description": "looks"},
        {"name": "sell", "description": "sells", "input_schema": schema},
        {"name": "search", "inputs": {"query": {"type": "string", "description": "what"}}},
    ]
    data = whole({"messages": [USER, {"role": "assistant", "content": "Nothing to do."}], "tools": tools})
    (trace,) = read(tmp_path, data)
    assert trace.left_out == []


def test_what_is_inside_an_answer_is_not_of_this_run(tmp_path: Path) -> None:
    asked = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "log", "input": {}}]}
    inner = [{"type": "text", "text": "seen", "log": CALL}]
    told = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": inner}]}
    (trace,) = read(tmp_path, whole([USER, asked, told]))
    assert [(call.tool, call.answered) for call in trace.calls] == [("log", True)]
    assert not_of_this_run(trace) == [("text inside an answer", "[2].content[0].content[0].log", 1)]
    assert missing([trace]) == []


def test_gold_plans_of_tau_bench_are_named(tmp_path: Path) -> None:
    actions = [{"name": "book", "kwargs": {"id": 8}}]
    data = whole(
        [{"task_id": 1, "trial": 0, "reward": 0.0, "traj": MESSAGES, "info": {"task": {"actions": actions}}}]
    )
    (trace,) = read(tmp_path, data)
    assert not_of_this_run(trace) == [("a gold plan", "[0].info.task.actions[0]", 1)]
    assert missing([trace]) == []


def test_an_answer_without_its_call_is_listed(tmp_path: Path) -> None:
    (trace,) = read(tmp_path, whole([*MESSAGES, {"role": "tool", "tool_call_id": "gone", "content": "paid"}]))
    assert [(one.reason, one.path) for one in trace.left_out] == [("an answer without its call", "[6]")]


def test_plain_lines_take_the_fast_way_only_where_all_calls_are_read() -> None:
    def plain(messages: list[Any], **more: Any) -> bool:
        line = json.dumps({"messages": messages, **more}).encode()
        return plain_trace(line, ("id",), answers=False) is not None

    assert plain(MESSAGES)
    assert plain([{**MESSAGES[1], "name": "bot"}, *MESSAGES[2:3]])
    extra = {
        "role": "assistant",
        "content": "",
        "toolInvocations": [{"toolCallId": "1", "toolName": "pay", "args": {}}],
    }
    assert not plain([*MESSAGES, extra])
    assert not plain([*MESSAGES, {"role": "assistant", "content": "", "name": "pay", "arguments": "{}"}])
    assert not plain([*MESSAGES, {"role": "tool", "tool_call_id": "gone", "content": "paid"}])
    assert not plain(MESSAGES, did=[CALL])
    assert not plain([*MESSAGES[:2], {**MESSAGES[2], "is_error": True}])
    assert not plain([USER, {"role": "assistant", "content": "Action: pay\nAction Input: 5"}])


def test_a_source_that_is_read_again_lists_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(lines([*MESSAGES, {"role": "assistant", "content": "", "did": [CALL]}]))
    source = file_source(path)
    for _ in range(2):
        (trace,) = opening.read(source, Options(), lambda line: None)
        assert [(one.kind, one.count) for one in trace.left_out] == [("not understood", 1)]


class Foreign:
    """A reader of another package, which reads the bytes itself and knows one of two calls."""

    name = title = "foreign"

    def recognises(self, head: Any) -> float:
        return 1.0

    def read(self, source: Any, options: Any) -> Iterator[Trace]:
        with source.stream() as file:
            record = json.loads(file.read())
        yield CHAT.trace_of(record["messages"], "one")


def test_readers_of_other_packages_are_held_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "other_readers", lambda: ((Foreign(),), ()))
    (trace,) = read(tmp_path, whole({"messages": MESSAGES, "hidden": [CALL]}))
    assert len(trace.calls) == 2
    assert missing([trace]) == [("hidden[0]", 1)]


def test_another_call_with_the_id_of_one_that_was_read_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "other_readers", lambda: ((Foreign(),), ()))
    id = MESSAGES[1]["tool_calls"][0]["id"]
    for hidden, lost in (({"name": "pay", "arguments": {"n": 5}}, [("hidden[0]", 1)]), ({}, [])):
        call = {"id": id, **(hidden or MESSAGES[1]["tool_calls"][0]["function"])}
        (trace,) = read(tmp_path, whole({"messages": MESSAGES, "hidden": [call]}))
        assert missing([trace]) == lost


def test_a_call_beside_its_equals_is_not_taken_for_one_of_them(tmp_path: Path) -> None:
    other = {"id": "c7", "name": "search", "arguments": {"q": "y"}}
    (trace,) = read(tmp_path, whole([*MESSAGES, {"role": "assistant", "content": "", "did": [other]}]))
    assert missing([trace]) == [("[6].did[0]", 1)]


def test_a_call_that_has_no_span_of_its_own_is_read(tmp_path: Path) -> None:
    asked = [
        {"type": "tool_call", "id": id, "name": tool, "arguments": {"n": id}}
        for id, tool in (("c1", "look"), ("c2", "look"), ("c3", "pay"))
    ]
    said = text([{"role": "assistant", "parts": asked}])
    model = span("m1", "", "chat", 1, {"gen_ai.operation.name": "chat", "gen_ai.output.messages": said})
    spans = [
        model,
        tool_span("c1", 2, "look", {"n": "c1"}, "1"),
        tool_span("c2", 3, "look", {"n": "c2"}, "2"),
    ]
    (trace,) = read(tmp_path, whole({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    assert [(c.tool, c.arguments, c.answered) for c in trace.calls] == [
        ("look", {"n": "c1"}, True),
        ("look", {"n": "c2"}, True),
        ("pay", {"n": "c3"}, False),
    ]
    assert missing([trace]) == []
    words = "llm.output_messages.0.message.tool_calls.{}.tool_call.function."
    calls = {words.format(k) + "name": tool for k, tool in enumerate(("look", "pay"))}
    calls |= {words.format(k) + "arguments": given for k, given in enumerate(('{"q": 1}', '{"amount": 5}'))}
    look = {"openinference.span.kind": "TOOL", "tool.name": "look", "input.value": '{"q": 1}'}
    spans = [
        flat_span("m1", "", "llm", 0, {"openinference.span.kind": "LLM", **calls}),
        flat_span("t1", "", "Look", 1, {**look, "output.value": "1"}),
    ]
    (trace,) = read(tmp_path, lines(spans))
    assert [(c.tool, c.arguments, c.answer) for c in trace.calls] == [
        ("look", {"q": 1}, "1"),
        ("pay", {"amount": 5}, None),
    ]
    assert trace.left_out == []
