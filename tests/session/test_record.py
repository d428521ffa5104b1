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
    PromptEvent,
    Run,
    Usage,
)
from planscope.session.record import BROKEN_OFF, WAITS_FOR, Cost, Help, by_speaker, record_of, with_event
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


def test_what_others_said_is_told_apart_from_what_the_model_thought() -> None:
    """The user's turns, and what the recorder noted between two calls."""
    made = record_of(
        run_of(
            MessageEvent(text="a day?"),
            MessageEvent(text=f"{WAITS_FOR}: which day?", by="system"),
            MessageEvent(text="a person answered: Monday", by="system"),
            MessageEvent(text="then Monday"),
            CallEvent(step=1, tool="a", arguments={}),
        )
    )
    turns, thought = by_speaker(made.calls[0].messages, made.calls[0].thought)
    assert [speaker for speaker, _ in turns] == ["model", "system", "system"] and thought == "then Monday"
    alone = (MessageEvent(text="I book."),)
    assert by_speaker(alone, "I book.") == ([], "I book.")


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


@pytest.mark.parametrize(
    ("events", "ending", "unanswered"),
    [
        ([], "aborted", None),
        ([CallEvent(step=1, tool="a", arguments={})], "aborted", 1),
        ([CallEvent(step=1, tool="a", error="no JSON")], "aborted", None),
        ([CallEvent(step=1, tool="a", arguments={}), AnswerEvent(step=1, text="")], "aborted", None),
        (
            [
                CallEvent(step=1, tool="a", arguments={}),
                CallEvent(step=2, tool="b", arguments={}),
                AnswerEvent(step=1, text="x"),
            ],
            "aborted",
            2,
        ),
        (
            [
                CallEvent(step=1, tool="a", arguments={}),
                CallEvent(step=2, tool="b", arguments={}),
                AnswerEvent(step=2, text="x"),
            ],
            "aborted",
            None,
        ),
        ([CallEvent(step=1, tool="a", arguments={}), EndEvent(ending="stopped")], "stopped", None),
        ([CallEvent(step=1, tool="a", arguments={}), EndEvent(ending="aborted", reason="x")], "aborted", 1),
    ],
)
def test_a_run_cut_short_may_have_done_its_last_call(
    events: list[object], ending: str, unanswered: int | None
) -> None:
    made = record_of(run_of(*events))
    assert (made.ending, made.unanswered) == (ending, unanswered)


def test_who_waits_for_a_person_says_so_last_and_while_it_is_under_way() -> None:
    waits = MessageEvent(text=f"{WAITS_FOR}: go on?", by="system")
    asked = [
        ([waits], True, f"{WAITS_FOR}: go on?"),
        ([MessageEvent(text="x"), waits], True, f"{WAITS_FOR}: go on?"),
        ([waits, MessageEvent(text="x")], True, ""),
        ([waits.model_copy(update={"by": "user"})], True, ""),
        ([waits.model_copy(update={"text": "it waits"})], True, ""),
        ([waits], False, ""),
        ([], True, ""),
    ]
    for events, under_way, said in asked:
        assert record_of(run_of(*events), under_way=under_way).waits_for == said


def test_costs_add_up_and_hours_are_those_of_the_first_and_the_last_event() -> None:
    made = record_of(
        run_of(
            PromptEvent(text="first"),
            PromptEvent(text="second"),
            MessageEvent(at=1.0, text="", took=0.1, usage=Usage(input_tokens=5, output_tokens=1)),
            MessageEvent(at=1.5, text="x", by="user", took=9.0, usage=Usage(input_tokens=9, output_tokens=9)),
            MessageEvent(at=2.1, text="", took=0.2),
            MessageEvent(at=2.0, text="", took=0.0, usage=Usage(input_tokens=2, output_tokens=3)),
        )
    )
    assert made.cost == (3, 7, 4, 0.3, 0.0, 2.1, False) and made.cost.seconds == 2.1
    assert made.prompt is not None and made.prompt.text == "first"
    assert len(made.last_messages) == 4 and made.last_words == "user: x"
    assert Cost().seconds == 0.0 and Cost(begins=3, ends=1).seconds == 0.0
    assert Cost(begins=1.1, ends=3.3).seconds == 2.2
    assert record_of(run_of(MessageEvent(text="x"))).cost[:3] == (1, None, None)


def test_a_call_has_all_that_was_said_of_it() -> None:
    made = record_of(
        run_of(
            MessageEvent(text="a", refusal="no"),
            MessageEvent(text=" ", structured={"ü": 1}),
            CallEvent(at=2, step=1, tool="a", raw="{", error="bad", asked={"x": 1}, agent="sub", message=4),
            CallEvent(at=3, step=2, tool="b", arguments={}, inside=1, kept=True),
            ErrorEvent(kind="tool", text="one"),
            AnswerEvent(step=1, text="p", status="error", said="q"),
            AnswerEvent(step=1, text="r", said="s", refused_by="guard"),
            ErrorEvent(kind="tool", text="two"),
            CallEvent(step=3, tool="c", arguments={}),
        )
    )
    first, second, third = made.calls
    assert first.thought.splitlines() == ["a", "(the model refused: no)", 'structured answer: {"ü": 1}']
    assert (first.raw, first.error, first.asked, first.agent, first.message) == (
        "{",
        "bad",
        {"x": 1},
        "sub",
        4,
    )
    assert (first.answer, first.failed, first.said, first.refused_by) == ("p\nr", True, "q", "guard")
    assert (len(first.messages), second.messages, first.at, second.at) == (2, (), 2, 3)
    assert (second.inside, first.inside, second.kept, first.kept, made.kept) == (1, 0, True, False, 1)
    assert (second.troubles, first.troubles, third.thought) == (("tool: one", "tool: two"), (), "")
    assert made.help == Help(1, 0, 1, 1) and made.helped_agent == "tools + guard"
    assert made.help.text == "1 call refused, 1 call edited by hand, 1 answer edited by hand"
    assert made.help.note == f", helped: {made.help.text}" and (Help().text, Help().note) == ("", "")
    assert Help(0, 2).text == "2 calls refused by hand" and not Help(0, 2).agent("x").endswith("guard")
    assert [bool(Help(*one)) for one in ((0, 0, 0, 0), (1,), (0, 1), (0, 0, 1), (0, 0, 0, 1))] == [False] + [
        True
    ] * 4
