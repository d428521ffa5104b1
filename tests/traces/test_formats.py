"""Every format: the same two calls are read from each sample, and nothing is lost when a file is cut or packed."""

from __future__ import annotations

import gzip
import json
import pickle
import zipfile
from pathlib import Path

import pytest
import zstandard

from planscope.oracle.trace import Mark, Said, Trace
from planscope.traces import Unreadable, open_traces
from planscope.traces.opening import own_readers
from planscope.traces.reader import Reader
from planscope.traces.source import head_of
from tests.traces.samples import (
    AT,
    BOOK,
    CHAT,
    LANGSMITH,
    OPENLLMETRY_CHAT,
    RESPONSES,
    SAMPLES,
    SEARCH,
    flat_span,
    inspect_zip,
    lines,
    whole,
)

DATA = Path(__file__).parent / "data"


def read(folder: Path, data: bytes, name: str = "run.txt") -> list[Trace]:
    path = folder / name
    path.write_bytes(data)
    return list(open_traces([path]))


@pytest.mark.parametrize("name", SAMPLES)
def test_each_format_gives_the_same_two_calls(tmp_path: Path, name: str) -> None:
    form, data = SAMPLES[name]
    traces = read(tmp_path, data)
    assert len(traces) == (2 if name in ("chat, a trace a line", "chat, a list of lists") else 1)
    for trace in traces:
        assert (trace.format, trace.problem, trace.ending) == (form, None, "stopped")
        search, book = trace.calls
        assert (search.step, search.tool, search.arguments) == (1, "search", SEARCH)
        assert (book.step, book.tool, book.arguments) == (2, "book", BOOK)
        assert (search.answer, search.answered, search.failed) == ("found", True, False)
        assert (book.answered, book.failed) == (True, True)
        assert search.message < book.message
        silent = name in SILENT or name.startswith("plain")
        assert any(getattr(item, "by", "") == "user" for item in trace.items) != silent


SILENT = ("codex exec", "codex exec, under events",
          "agents sdk", "mcp", "crewai", "otel, openinference", "otel, openllmetry", "otel, vercel",
          "otel, vercel 7", "otel, adk")  # fmt: skip
"""Samples in which the user says nothing."""


def test_calls_in_the_messages_of_openllmetry_are_read(tmp_path: Path) -> None:
    (trace,) = read(tmp_path, whole(OPENLLMETRY_CHAT))
    assert [(c.tool, c.arguments, c.answer) for c in trace.calls] == [
        ("search", SEARCH, "found"),
        ("book", BOOK, None),
    ]


def test_calls_that_began_at_once_stand_in_the_order_of_their_message(tmp_path: Path) -> None:
    words = "llm.output_messages.0.message.tool_calls.{}.tool_call.function."
    asked = {words.format(k) + "name": "look" for k in range(2)}
    asked |= {words.format(k) + "arguments": f'{{"n": {k}}}' for k in range(2)}
    look = {"openinference.span.kind": "TOOL", "tool.name": "look"}
    spans = [flat_span(f"t{k}", "", "Look", 1, {**look, "input.value": f'{{"n": {k}}}'}) for k in (1, 0)]
    spans.append(flat_span("m1", "", "llm", 0, {"openinference.span.kind": "LLM", **asked}))
    (trace,) = read(tmp_path, lines(spans))
    assert [call.arguments for call in trace.calls] == [{"n": 0}, {"n": 1}]
    assert trace.calls[0].message == trace.calls[1].message


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_packed_files_are_unpacked(tmp_path: Path, pack: object) -> None:
    for name in ("chat", "codex", "otel"):
        assert len(read(tmp_path, pack(SAMPLES[name][1]))[0].calls) == 2


def test_entries_of_an_inspect_log_may_be_packed_with_zstd(tmp_path: Path) -> None:
    """As Python 3.14 packs them: the method is 93."""
    plain = inspect_zip(zipfile.ZIP_STORED)
    made = bytearray()
    places = []
    at = 0
    while plain[at : at + 4] == b"PK\x03\x04":
        size = int.from_bytes(plain[at + 18 : at + 22], "little")
        start = (
            at
            + 30
            + int.from_bytes(plain[at + 26 : at + 28], "little")
            + int.from_bytes(plain[at + 28 : at + 30], "little")
        )
        packed = zstandard.ZstdCompressor().compress(plain[start : start + size])
        head = bytearray(plain[at:start])
        head[8:10] = (93).to_bytes(2, "little")
        head[18:22] = len(packed).to_bytes(4, "little")
        places.append((len(made), len(packed)))
        made += head + packed
        at = start + size
    directory = bytearray(plain[at:])
    beginning, k = len(made), 0
    for place, size in places:
        directory[k + 10 : k + 12] = (93).to_bytes(2, "little")
        directory[k + 20 : k + 24] = size.to_bytes(4, "little")
        directory[k + 42 : k + 46] = place.to_bytes(4, "little")
        k += 46 + sum(int.from_bytes(directory[k + j : k + j + 2], "little") for j in (28, 30, 32))
    directory[k + 16 : k + 20] = beginning.to_bytes(4, "little")
    (trace,) = read(tmp_path, bytes(made + directory))
    assert [call.tool for call in trace.calls] == ["search", "book"] and trace.problem is None


@pytest.mark.parametrize("name", [n for n in SAMPLES if "zip" not in n and n != "planscope"])
def test_a_file_that_was_cut_gives_a_prefix_of_its_calls(tmp_path: Path, name: str) -> None:
    _, data = SAMPLES[name]
    expected = [[(c.tool, c.arguments) for c in trace.calls] for trace in read(tmp_path, data)]
    spans = name.startswith(("otel, lines", "langsmith, nested"))
    for cut in range(1, len(data), max(1, len(data) // 12)):
        try:
            traces = read(tmp_path, data[:cut])
        except Unreadable:
            continue
        for k, trace in enumerate(traces):
            calls = [(c.tool, c.arguments) for c in trace.calls]
            assert all(c in expected[k] for c in calls) if spans else calls == expected[k][: len(calls)], cut
        said = any(t.problem for t in traces) or data[:cut].endswith((b"}\n", b"}", b"]"))
        assert said, (cut, data[max(0, cut - 40) : cut])


@pytest.mark.parametrize("file", sorted(one.name for one in DATA.iterdir() if one.name != "one_message.json"))
def test_what_the_formats_own_libraries_write_is_read(file: str) -> None:
    """``python -m tests.traces.make_data`` made these files."""
    (trace,) = open_traces([DATA / file])
    assert trace.problem is None and trace.ending == "stopped"
    assert [(c.tool, c.arguments, c.answered) for c in trace.calls] == [
        ("search", SEARCH, True),
        ("book", BOOK, True),
    ]
    search, book = trace.calls
    assert search.answer == "found x" and (search.failed, book.failed) == (False, True)
    assert search.message < book.message
    assert "go" in [item.text for item in trace.items if isinstance(item, Said) and item.by == "user"]


MODELS = {
    "chat with tools": "gpt-x", "anthropic": "claude-x", "claude code": "claude-x", "codex": "gpt-x",
    "gemini": "gemini-x", "gemini, lines": "gemini-x",
    "otel": "gpt-x", "otel, lines": "gpt-x", "otel, tempo": "gpt-x", "otel, jaeger": "gpt-x",
    "langfuse": "gpt-x", "langfuse, blob": "gpt-x", "atif": "m", "atif 1.8": "m", "inspect": "m", "inspect, zip": "m",
    "tau2": "m", "agentdojo": "m", "pydantic-ai": "m", "planscope": "y",
    "completions": "gpt-x", "openhands": "m", "openhands, a list": "m", "gemini, stream": "gemini-x",
    "pi": "m", "pi, first version": "m", "claude code, web": "claude-x", "codex, under events": "gpt-x",
    "gemini, responses": "gemini-x",
}  # fmt: skip
WORDS = {
    **{n: ["now", "Sorry."] for n in SAMPLES if n.startswith("chat")},
    **{n: ["ok", "next"] for n in SAMPLES if n.startswith("langfuse")},
    "anthropic": ["ok"], "responses": ["Sorry."], "responses, a list": ["Sorry."], "gemini": ["ok", ""],
    "gemini, lines": ["ok", ""], "claude code": ["", ""], "codex exec": [""], "atif 1.8": ["", ""],
    "pi": ["ok", ""], "pi, first version": ["ok", ""], "claude code, web": ["", ""], "codex exec, under events": [""],
    "gemini, responses": ["", "", "Sorry.", ""], "swe-agent": ["now", "Sorry."],
    "tau-bench": ["now", "Sorry."], "pydantic-ai": [""], "planscope": ["ok"],
    "vercel 5": ["Sorry."], "vercel 4": ["Sorry."], "completions": ["now", "Sorry."], "openhands": ["so", "so"],
    "openhands, a list": ["so", "so"], "openhands, old": ["so", "now"], "autogen": ["", "full"],
    "autogen, a message a line": ["", "full"], "smolagents": ["so"], "otel, flat": ["now"],
}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_the_model_and_its_words_are_read(tmp_path: Path, name: str) -> None:
    for trace in read(tmp_path, SAMPLES[name][1]):
        assert trace.model == MODELS.get(name)
        said = [item.text for item in trace.items if isinstance(item, Said) and item.by == "model"]
        assert said == WORDS.get(name, [])


@pytest.mark.parametrize("field", ["model", "model_name"])
def test_a_run_of_langsmith_may_name_its_model_in_the_invocation(tmp_path: Path, field: str) -> None:
    runs = [LANGSMITH[0], LANGSMITH[1] | {"extra": {"invocation_params": {field: "gpt-y"}}}, *LANGSMITH[2:]]
    (trace,) = read(tmp_path, lines(runs))
    assert trace.model == "gpt-y"


def test_a_compaction_of_the_responses_api_is_marked(tmp_path: Path) -> None:
    items = [*RESPONSES, {"type": "compaction", "summary": "so far"}, {"type": "compaction"}]
    (trace,) = read(tmp_path, whole(items))
    marks = [(item.kind, item.text) for item in trace.items if isinstance(item, Mark)]
    assert marks == [("compacted", "so far"), ("compacted", "the history was compacted")]


def test_the_schema_of_the_plain_format_is_true(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "plain-traces.md").read_text()
    schema = json.loads(page.split("```json\n")[2].split("```")[0])
    rows = [row.split("`")[1] for row in page.splitlines() if row.startswith("| `")]
    assert rows == list(schema["properties"])
    line = {"tool": "pay", "arguments": {}, "answer": "ok", "id": "k", "message": 3, "agent": "a", "time": AT[0],
            "run": "r1", "grade": 1}  # fmt: skip
    assert set(line) | {"error"} == set(schema["properties"])
    (first, second) = read(
        tmp_path, lines([line, {"tool": "ask", "run": "r2", "answer": 1}, {**line, "id": "k2"}])
    )
    assert [(c.tool, c.message, c.agent, c.answer) for c in first.calls] == [("pay", 0, "a", "ok")] * 2
    assert (first.id, first.reward, first.started is not None) == ("r1", 1, True)
    assert [(c.tool, c.arguments, c.answer) for c in second.calls] == [("ask", None, "1")]


@pytest.mark.parametrize("reader", own_readers(), ids=lambda reader: reader.name)
def test_a_format_can_be_sent_to_a_worker_that_does_not_inherit_it(reader: Reader) -> None:
    sent = pickle.loads(pickle.dumps(reader))
    assert (sent.name, sent.title) == (reader.name, reader.title)
    assert sent.recognises(head_of(lines(CHAT), whole=True)) == reader.recognises(
        head_of(lines(CHAT), whole=True)
    )


def test_messages_under_a_key_that_is_there_twice_are_all_read(tmp_path: Path) -> None:
    first, then = (json.dumps(some) for some in (RESPONSES[:4], RESPONSES[4:]))
    (trace,) = read(tmp_path, f'{{"input": [], "output": {first}, "output": {then}}}'.encode())
    assert [call.tool for call in trace.calls] == ["search", "book"]


def test_a_role_that_is_no_text_hides_no_call(tmp_path: Path) -> None:
    parts = [{"function_call": {"name": "search", "args": SEARCH}}]
    said = [{"role": role, "parts": parts} for role in ("model", 0)]
    (trace,) = read(tmp_path, whole([{"role": "user", "parts": [{"text": "go"}]}, *said]))
    assert [call.tool for call in trace.calls] == ["search", "search"]
