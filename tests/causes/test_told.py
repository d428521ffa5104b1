"""The answer in words: whether a cause is sought, where it leads, its chain, and where values came from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planscope.cause.provenance import sources_of
from planscope.cause.told import came_from, chain, led_to, sought
from planscope.oracle.trace import Said, Trace
from planscope.oracle.verdict_types import Blame, Link, StepNo, VerdictKind, cause_sought
from planscope.rules.beside import judged_trace
from planscope.rules.reading import read_rules
from planscope.tui.dialogs.look import sources_at
from tests.causes.test_cause import ASKED, LOOK, cancel, look
from tests.causes.test_provenance import call

INDEX: dict[StepNo, int] = {0: 0, 1: 1, 2: 2, 3: 3, "end": 4}


@pytest.mark.parametrize(
    "step,lost,leads",
    [(1, 3, 1), (1, "end", 1), (2, None, 2), (3, 3, None), (3, 2, None), (None, 3, None), (9, 3, None)],
)
def test_only_an_earlier_step_leads_away_from_the_lost_one(
    step: StepNo | None, lost: StepNo | None, leads: int | None
) -> None:
    assert led_to(Blame(step, 0.8, lost=lost), INDEX) == leads


def test_without_a_cause_nothing_leads_anywhere() -> None:
    assert led_to(None, INDEX) is None and chain(Blame(None, 0.6, lost=2, shows=3, origin=2)) == []


def test_the_chain_names_origin_lost_and_shows_in_order() -> None:
    links = (Link(1, "it invents id"), Link(2, "it goes on with id"), Link("end", "it violates close"))
    assert chain(Blame(1, 0.8, lost=3, shows="end", origin=1, chain=links)) == [
        "step 1, origin: it invents id",
        "step 2: it goes on with id",
        "step 3, lost: point of no return",
        "the end, shows: it violates close",
    ]
    assert chain(Blame(3, 0.8, lost=3, shows=3, origin=3, chain=(Link(3, "it violates x"),))) == []


def test_a_cause_is_sought_where_rules_find_a_run_wrong() -> None:
    file = read_rules(LOOK)
    for calls, wrong in (([look("#W1000001"), cancel("#W1000001")], False), ([cancel("#W1000001")], True)):
        run = judged_trace(file, Trace([ASKED, *calls]))
        assert sought(run, run.verdict().verdict) is wrong


@pytest.mark.parametrize(
    "verdict,reward,unjudged,wanted",
    [
        ("wrong", None, False, True),
        ("wrong", 1.0, False, True),
        ("right", 0.0, False, True),
        ("right", 0.5, False, True),
        ("right", 1.0, False, False),
        ("right", None, False, False),
        ("unknown", 0.0, False, True),
        ("unknown", None, False, False),
        ("aborted", None, False, False),
        ("unknown", None, True, True),
        ("unknown", 1.0, True, False),
    ],
)
def test_a_cause_is_sought_in_what_is_wrong_or_graded_below_1(
    verdict: VerdictKind, reward: float | None, unjudged: bool, wanted: bool
) -> None:
    assert cause_sought(verdict, reward, unjudged) is wanted


def test_where_values_came_from_is_said() -> None:
    trace = Trace(
        [
            Said("system", "Today is 2024-05-15."),
            Said("user", "I am ANN of shop 77."),
            call("find", {"orders": [{"order_id": "#W1000001", "total": 50.5}]}, name="ann"),
            call(
                "pay",
                {},
                order_id="#W1000001",
                day="2024-05-15",
                amount="50.50",
                to="card_998877",
                note="soon",
            ),
            call("later", {"to": "card_998877"}),
        ]
    )
    assert {one.name: came_from(one) for one in sources_of(trace, 2)} == {
        "order_id": "the answer to step 1 at orders[0].order_id",
        "day": "the system prompt",
        "amount": "the answer to step 1 at orders[0].total, the same number",
        "to": "from nowhere",
        "note": "not found before it",
    }
    counted = replace(
        trace, items=[Said("user", "12.50 and 9.90"), call("sum", 22.4, expression="12.50 + 3 + 9.90")]
    )
    assert sources_at(counted, 1).value == {
        "expression 12.5": "a turn of the user, the same number",
        "expression 3.0": "not found before it",
        "expression 9.9": "a turn of the user, the same number",
    }
    assert [came_from(one) for one in sources_of(trace, 1)] == ["a turn of the user, as part of a text"]


def test_nothing_is_sought_in_a_run_of_a_query() -> None:
    from planscope.case import judge
    from planscope.session.locations import bundled
    from planscope.session.store import load

    session = load(bundled()["figure-10"])
    run = judge(session, session.runs[-1]).replay
    assert run.verdict().verdict == "wrong" and not sought(run, run.verdict().verdict)
