"""Small parts of reading traces: how deep, how many and how long things may be, and how a list is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planscope.documents.listings import TraceLineDocument
from planscope.oracle.trace import Said
from planscope.rules.judge import Rulebook, judge_trace
from planscope.rules.reading import read_rules
from planscope.session import traces as session_traces
from planscope.session.files import TooLarge
from planscope.session.traces import session_of, trace_of
from planscope.show.text import lines as text_lines
from planscope.traces import blocks, build, groups, open_traces
from planscope.traces.build import Builder
from planscope.traces.formats.otel import _of_event, _plain
from planscope.views.traces import list_blocks
from tests.traces.samples import flat_span, lines


def line(id: str, calls: int, title: str, **fields: Any) -> TraceLineDocument:
    more = {
        "format": "chat",
        "tools": 1,
        "failed": 0,
        "branches": 0,
        "problem": None,
        "reward": None,
        "source": "",
    }
    return TraceLineDocument(id=id, calls=calls, title=title, **{**more, **fields})


def test_a_list_has_columns_as_wide_as_they_need() -> None:
    some = [
        line("a", 1, "First"),
        line("b" * 50, 12, "Second", reward=0.5),
        line("c", 3, "", problem="it broke off"),
    ]
    assert list(text_lines(list_blocks(some), 90)) == [
        f"a{' ' * 39}  1 call    {' ' * 10}  First",
        f"{'b' * 39}…  12 calls  reward 0.5  Second",
        f"c{' ' * 39}  3 calls   {' ' * 10}  (cannot be read whole: it…",
    ]
    assert list(text_lines(list_blocks(some[:1]), 80)) == ["a  1 call  First"]
    assert list(text_lines(list_blocks([]), 80)) == []


def test_attributes_are_read_to_a_depth() -> None:
    value: Any = {"stringValue": "x"}
    for _ in range(50):
        value = {"arrayValue": {"values": [value]}}
    found = _plain(value)
    for _ in range(50):
        (found,) = found
    assert found == "x"
    found = _plain({"arrayValue": {"values": [value]}})
    for _ in range(51):
        (found,) = found
    assert found == {"stringValue": "x"}  # too deep to be looked at


def test_only_an_answer_names_its_call() -> None:
    for role, key, named in (("tool", "c1", {"tool_call_id": "c1"}), ("tool", None, {}), ("user", "c1", {})):
        assert _of_event({"content": "x", "id": key}, role, {}) == {"role": role, "content": "x", **named}


@pytest.mark.parametrize("most", [0, 2, 9])
def test_a_trace_holds_so_many_messages(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MOST_ITEMS", most)
    made = Builder("t", "chat")
    try:
        for n in range(5):
            blocks.take(made, {"role": "user", "content": f"{n}"})
    except build.Full:
        assert most < 5
    assert [item.text for item in made.items if isinstance(item, Said)] == [
        str(n) for n in range(min(most, 5))
    ]


def test_rules_are_unknown_where_a_trace_has_more_messages_than_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    asked = {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "pay", "arguments": "{}"}}]}
    path.write_text(json.dumps([asked, *({"role": "user", "content": "go"} for _ in range(9))]))
    monkeypatch.setattr(build, "MOST_ITEMS", 5)
    (trace,) = open_traces([path])
    assert (len(trace.items), trace.full, trace.cause) == (5, True, "cut_off")
    for kept in (trace, trace_of(session_of([trace]).runs[0])):
        file = read_rules(
            "pay happens at most once.\nsell never happens.\npay happens at least once.", ["sell"]
        )
        states = [one.state for one in judge_trace(Rulebook(file.rules), kept).results(kept)]
        assert (kept.full, states) == (True, ["unknown", "unknown", "kept"])


def test_a_trace_of_spans_has_no_more_records_than_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.jsonl"
    look = {"openinference.span.kind": "TOOL", "tool.name": "look", "input.value": "{}"}
    path.write_bytes(lines([flat_span(f"s{k}", "", "Look", 1, look) for k in range(9)]))
    monkeypatch.setattr(groups, "MOST_RECORDS", 4)
    (trace,) = open_traces([path])
    assert (len(trace.calls), trace.cause, trace.problem) == (
        4,
        "cut_off",
        "only the first 4 calls were read",
    )


def test_long_texts_are_shortened_until_the_session_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def made(traces: Any, title: str, longest: int) -> int:
        asked.append(longest)
        return longest

    def fits(longest: int) -> bytes:
        if longest > 7:
            raise TooLarge("too large")
        return b""

    monkeypatch.setattr(session_traces, "_session", made)
    monkeypatch.setattr(session_traces, "dumps", fits)
    monkeypatch.setattr(session_traces, "LONGEST", (9, 7, 5))
    assert session_of([]) == 7 and asked == [9, 7]
    monkeypatch.setattr(session_traces, "LONGEST", (9, 8))
    with pytest.raises(TooLarge):
        session_of([])


def test_equal_ids_are_paired_by_message_and_place(tmp_path: Path) -> None:
    """Local servers number the calls of each message anew."""

    def asks(*tools: str) -> dict[str, Any]:
        calls = [{"id": "call_0", "function": {"name": tool, "arguments": "{}"}} for tool in tools]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def says(words: str) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": "call_0", "content": words}

    path = tmp_path / "run.json"
    path.write_text(
        json.dumps(
            [asks("a", "b"), says("1"), says("2"), asks("c"), asks("d"), says("4"), asks("c"), says("5")]
        )
    )
    (trace,) = open_traces([path])
    found = [(call.tool, call.answer) for call in trace.calls]
    assert found == [("a", "1"), ("b", "2"), ("c", None), ("d", "4"), ("c", "5")]
    assert trace.left_out == []


def test_the_events_of_an_imported_run_share_the_names_of_their_fields(tmp_path: Path) -> None:
    """A set of its own for each event was half of the memory of a session of 100,000 calls."""
    path = tmp_path / "run.json"
    calls = [{"id": str(k), "function": {"name": "pay", "arguments": "{}"}} for k in range(5)]
    path.write_text(
        json.dumps([{"role": "user", "content": "go"}, {"role": "assistant", "tool_calls": calls}])
    )
    events = session_of(list(open_traces([path]))).runs[0].events
    made = [event for event in events if event.type == "call"]
    assert len({id(event.__pydantic_fields_set__) for event in made}) == 1 < len(made)
    changed = made[0].model_copy(update={"tool": "sell"})
    assert (changed.tool, made[0].tool) == ("sell", "pay")
    assert made[0] == type(made[0]).model_validate_json(made[0].model_dump_json())
