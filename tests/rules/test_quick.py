"""The tables say of plain traces what the judge says; ``python -m tests.rules.plain_cases N`` tries more of them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from planscope.rules import many
from planscope.rules.judge import Rulebook
from planscope.rules.quick import Quick
from planscope.rules.reading import read_rules
from planscope.rules.report import CheckOptions, check_trace
from planscope.traces.formats.chat import CHAT
from planscope.traces.json_stream import Lines
from tests.rules import plain_cases


@pytest.mark.parametrize("seed", range(8))
def test_files_of_plain_and_odd_traces(seed: int) -> None:
    plain_cases.case(seed)


def called(call_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


def line(*turns: Any, **more: Any) -> bytes:
    """A record of messages. A list is a message with these calls, a pair an answer."""
    messages: list[Any] = []
    for turn in turns:
        if isinstance(turn, list):
            messages.append({"role": "assistant", "content": None, "tool_calls": turn})
        else:
            messages.append({"role": "tool", "tool_call_id": turn[0], "content": turn[1]})
    return json.dumps({"messages": messages, **more}).encode()


def counts(text: str, data: bytes, **options: bool) -> list[int] | None:
    """For how many values each rule is tested; None if the trace is left to the judge."""
    quick = Quick(Rulebook(read_rules(text).rules, **options))
    assert CHAT.plain is not None and quick.fits
    trace = CHAT.plain(data, answers=quick.answers)
    found = None if trace is None else quick.right(trace)
    return None if found is None else list(found[0])


A, B = called("1", "a", id="u"), called("2", "b", id="u")


@pytest.mark.parametrize("per", ["", " per id"])
def test_calls_of_one_message_do_not_know_each_others_answers(per: str) -> None:
    text = f"a that succeeded comes before b{per}."
    assert counts(text, line([A], ("1", "ok"), [B], ("2", "ok"))) == [1]
    assert counts(text, line([A, B], ("1", "ok"), ("2", "ok"))) is None
    assert counts(text, line([A], ("1", "Error"), [B], ("2", "ok"))) is None
    assert counts(text, line([A, B], ("1", "ok"), [B | {"id": "3"}])) is None


def test_whatever_is_not_plain_is_left_to_the_judge() -> None:
    text = "a that succeeded comes before b."
    assert counts(text, line([A], ("1", "ok"), [B | {"id": "1"}])) is None
    assert counts(text, line([A], ("2", "ok"))) is None
    assert counts(text, line([A], ("1", "ok"), [B], conversation=[])) is None
    assert counts("a never happens.", line([A])) is None
    assert counts("a never happens.", line([B], tools=[{"name": "a"}])) == [1]
    assert not Quick(Rulebook(read_rules("A user message comes before a.").rules)).fits


def test_values_are_counted_and_told_apart() -> None:
    first, second = called("1", "a", id=2**64), called("2", "b", id=2**64 + 1)
    text = "a comes before b per id.\nIf b happens, a never happens per id.\na happens at most once."
    assert counts(text, line([first])) == [0, 0, 1]
    assert counts(text, line([second])) is None
    assert counts("If b happens, a never happens per id.\nb happens per id.", line([second])) == [1, 1]
    assert counts("b happens per id.", line([called("1", "b", id=1), called("2", "b", id="1")])) == [2]
    assert counts("b happens per id.", line([called("1", "b", id=1), called("2", "b", id=1.0)])) == [1]
    assert counts("b happens per id.", line([called("1", "b", id=None)])) is None
    assert counts("b never happens.", line([A], [called("2", "b")]), succeeded_only=True) is None
    data = line([A], ("1", "ok"), [B], ("2", "Error: no"))
    assert counts("b never happens.", data, succeeded_only=True) == [1]


def test_a_line_that_is_too_long_ends_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.jsonl"
    good = line([A], [B])
    path.write_bytes(good + b"\n" + good + b"\r\n\n" + good[:-1] + b" " * 3_000 + b"}\n" + good)
    monkeypatch.setattr("planscope.traces.source.Lines", partial(Lines, longest=2_000))
    file = read_rules("a comes before b.")
    found = [one.checked for one in many.check_many([str(path)], file, CheckOptions(), print)]
    assert [(one.id, one.verdict, one.calls) for one in found[:2]] == [
        ("t:1", "right", 2),
        ("t:2", "right", 2),
    ]
    assert len(found) == 3 and found[2].problem is not None and "line 4: a line is longer" in found[2].problem


def judged(text: str, data: bytes, **options: Any) -> list[int] | None:
    """For how many values each rule is put to the test, or None if one is broken."""
    (trace,) = CHAT.read_lines("t", [(1, data)])
    found = check_trace(Rulebook(read_rules(text).rules, **options), trace, CheckOptions())
    return None if found.broken else [result.values_applicable for result in found.results]


def test_a_ban_after_a_call_is_put_to_the_test_once_anything_follows_that_call() -> None:
    c, other = called("3", "c", id="u"), called("4", "c", id="v")
    plain, per = "b never happens after a.", "b never happens after a per id."
    for text in (plain, per):
        for never in ([[B]], [[A]], [[B], [A]], [[c], [A]]):
            assert judged(text, line(*never)) == [0]
        for once in ([[A], [c]], [[A, c]], [[c], [A], [c | {"id": "5"}]], [[A], [A | {"id": "5"}]]):
            assert judged(text, line(*once)) == [1]
        assert judged(text, line([A], [B])) is None
    assert judged(plain, line([A], [other])) == [1] and judged(per, line([A], [other])) == [0]
    both = called("1", "a", id="u", ref="u")
    for name in ("id", "ref"):
        text = "b never happens after a for the same id as ref."
        assert judged(text, line([both], [called("5", "c", **{name: "u"})])) == [1]
        assert judged(text, line([both], [called("5", "c", **{name: "v"})])) == [0]
    assert judged(plain, line([A], [c], ("3", "Error: no")), succeeded_only=True) == [0]
    several = f"{plain}\na happens.\nc never happens after b.\n{per}"
    assert judged(several, line([A], [c])) == [1, 1, 0, 1]
    assert judged(several, line([c], [A])) == [0, 1, 0, 0]
