"""A run that was helped: what counts as help, each kind with its count."""

from __future__ import annotations

from planscope.session.model import AnswerEvent, CallEvent, Event, Run
from planscope.session.record import NO_HELP, Help, help_of


def run(*events: Event) -> Run:
    return Run(id="r1", variant="v1", agent="tools", model="sim:careful", events=list(events))


def call(step: int, **more: object) -> CallEvent:
    return CallEvent(step=step, tool="t", arguments={}, **more)


def answer(step: int, **more: object) -> AnswerEvent:
    return AnswerEvent(step=step, text="Done.", **more)


HELPED = run(
    call(1),
    answer(1, refused_by="guard"),
    call(2, asked={"start_time": 3}),
    answer(2),
    call(3),
    answer(3, refused_by="user"),
    call(4),
    answer(4, refused_by="guard"),
    call(5, asked={}, kept=True),
    answer(5, said="", kept=True),
    call(6),
)


def test_each_kind_is_counted() -> None:
    found = help_of(HELPED)
    assert found == Help(2, 1, 2, 1) and found
    told = "2 calls refused, 1 call refused by hand, 2 calls edited by hand, 1 answer edited by hand"
    assert found.text == told and found.note == f", helped: {told}"
    assert found.agent("tools") == "tools + guard"


def test_who_was_not_helped_is_not_said_to_be() -> None:
    found = help_of(run(call(1), answer(1, status="error"), call(2)))
    assert found == NO_HELP and not found and found.text == found.note == ""
    assert found.agent("tools") == "tools"
    assert help_of(run(call(1), answer(1, said="x"))).agent("tools") == "tools"
