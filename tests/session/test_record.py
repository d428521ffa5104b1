"""Events grouped by call: grown event by event or at once, it is the same record."""

from __future__ import annotations

import pytest

from planscope.session.locations import bundled
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    ForkPoint,
    MessageEvent,
    Run,
    Usage,
)
from planscope.session.record import BROKEN_OFF, record_of, with_event
from planscope.session.store import load


@pytest.mark.parametrize("name", sorted(bundled()))
def test_a_record_grown_event_by_event_is_the_same(name: str) -> None:
    for run in load(bundled()[name]).runs[:5]:
        grown = record_of(run.model_copy(update={"events": []}))
        for event in run.events:
            grown = with_event(grown, event)
        assert grown == record_of(run)


def run_of(*events: object) -> Run:
    return Run(id="r1", variant="v1", agent="tools", model="sim:literal", events=list(events))


def test_thoughts_go_to_the_call_after_them_and_the_last_words_stay() -> None:
    made = record_of(
        run_of(
            MessageEvent(text=" first "),
            MessageEvent(text="second"),
            CallEvent(step=1, tool="a", arguments={}),
            AnswerEvent(step=1, text="done", status="error", said="was", refused_by="user"),
            MessageEvent(text="all done"),
            EndEvent(ending="stopped"),
        )
    )
    (call,) = made.calls
    assert (call.thought, call.answer, call.failed, call.said) == ("first\nsecond", "done", True, "was")
    assert call.refused_by == "user"
    assert (made.last_words, made.ending, made.reason) == ("all done", "stopped", "")


def test_an_answer_finds_its_call_by_number_and_one_to_no_call_is_nobodys() -> None:
    calls = [CallEvent(step=step, tool=f"t{step}", arguments={}) for step in (1, 2)]
    made = record_of(run_of(*calls, AnswerEvent(step=1, text="one"), AnswerEvent(step=7, text="lost")))
    assert [call.answer for call in made.calls] == ["one", None]


def test_what_was_kept_costs_nothing_anew() -> None:
    made = record_of(
        run_of(
            MessageEvent(at=3, text="old", usage=Usage(input_tokens=9, output_tokens=9), kept=True),
            CallEvent(at=4, step=1, tool="a", arguments={}, kept=True),
            MessageEvent(at=6, text="new", usage=Usage(input_tokens=5, output_tokens=2)),
        ).model_copy(update={"forked_from": ForkPoint(run="a at b", step=1)})
    )
    assert (
        made.kept,
        made.cost.model_calls,
        made.cost.input_tokens,
        made.cost.output_tokens,
        made.cost.seconds,
    ) == (
        1,
        1,
        5,
        2,
        2,
    )
    assert made.forked_from is not None and made.forked_from.run == "a at b"


def test_errors_stand_with_the_call_before_them_and_without_a_call_with_the_run() -> None:
    made = record_of(
        run_of(
            ErrorEvent(kind="network", text="slow"),
            CallEvent(step=1, tool="a"),
            ErrorEvent(kind="tool", text="x"),
        )
    )
    assert made.troubles == ("network: slow",) and made.calls[0].troubles == ("tool: x",)


def test_a_record_without_an_end_is_aborted_unless_more_is_to_come() -> None:
    run = run_of(CallEvent(step=1, tool="a", arguments={}))
    assert (record_of(run).ending, record_of(run).reason) == ("aborted", BROKEN_OFF)
    assert (record_of(run, under_way=True).ending, record_of(run, under_way=True).reason) == ("running", "")
