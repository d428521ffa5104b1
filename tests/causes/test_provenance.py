"""Where values come from: each way in which one may come back, ids from nowhere, and no quadratic time."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from planscope.cause.provenance import Provenance, Source, like_id
from planscope.oracle.trace import Said, ToolCall, Trace

ORDER = {"order_id": "#W2378156", "total": 120.5, "items": [{"item_id": "9690244451", "price": 20.25}, {"price": 30.5}],
         "placed": "2024-05-20T09:00:00", "address": "763 Broadway, Suite 135"}  # fmt: skip


def call(tool: str, answer: Any = "ok", *, failed: bool = False, **arguments: Any) -> ToolCall:
    words = answer if isinstance(answer, str) else json.dumps(answer)
    return ToolCall(tool, arguments, answer=words, answered=True, failed=failed)


def last(*items: ToolCall | Said, name: str | None = None) -> Source:
    """The source of an argument of the last call, by default of its only one."""
    trace = Trace(items)
    found = Provenance(trace).by_step[trace.calls[-1].step]
    (one,) = [source for source in found if name in (None, source.name)]
    return one


LOOK = call("get_order", ORDER)


@pytest.mark.parametrize(
    "value,how,path",
    [
        ("#W2378156", "equal", ("order_id",)),
        ("9690244451", "equal", ("items", 0, "item_id")),
        ("#w2378156", "case", ("order_id",)),
        ("2024-5-20", "date", ("placed",)),
        ("$120.50", "unit", ("total",)),
        (50.75, "sum", ("items", "*", "price")),
        ("Broadway", "equal", ("address",)),
        ("135 Broadway", "part", ("address",)),
    ],
)
def test_an_answer_holds_the_value(value: Any, how: str, path: tuple[str | int, ...]) -> None:
    found = last(LOOK, call("use", x=value))
    assert found.place is not None
    assert (found.how, found.place.by, found.place.step, found.place.path) == (how, "answer", 1, path)


@pytest.mark.parametrize("by", ["user", "system"])
def test_a_text_holds_the_value(by: Any) -> None:
    found = last(Said(by, "It is #W2378156, from May 20th."), call("get_order", order_id="#W2378156"))
    assert found.place is not None and (found.how, found.place.by) == ("equal", by)
    assert last(Said(by, "on May 20th"), call("find", day="2024-05-20")).how == "date"


def test_what_the_model_says_is_no_source() -> None:
    found = last(Said("model", "I look at #W2378156."), call("get_order", order_id="#W2378156"))
    assert found.invented


def test_an_answer_that_comes_later_or_in_the_same_message_is_no_source() -> None:
    both = call("get_order", ORDER, id="1234567"), call("use", order_id="#W2378156")
    trace = Trace([Said("user", "1234567", 0), *both])
    assert Provenance(trace).by_step[2][0].how == "equal"
    for one in both:
        one.message = 1
    assert Provenance(Trace([Said("user", "1234567", 0), *both])).by_step[2][0].invented


def test_an_invented_id_is_followed_to_where_it_came_in() -> None:
    trace = Trace(
        [
            call("get_order", {"order_id": "#W1111111"}, order_id="#W1111111"),
            call("cancel", order_id="#W1111111"),
        ]
    )
    (first,), (second,) = Provenance(trace).by_step.values()
    assert first.invented and second.invented
    assert (first.first, second.first) == (1, 1)


@pytest.mark.parametrize(
    "path,value,expected",
    [
        (("order_id",), "abc", True), (("userId",), 7, True), (("page_id",), 0, False), (("id",), True, False),
        (("order",), "#W2378156", True), (("order",), "W12", False), (("reason",), "no longer needed", False),
        (("day",), "2024-05-20", False), (("file",), "report_v12.txt", False), (("amount",), "1234.56", False),
        (("item_ids", 0), "x", True), (("kind",), "delivered", False),
        (("paid",), "cash", False), (("isValid",), "yes", False), (("valid_ids", 0), "x", True), (("uuid",), "a", True),
        (("orderid",), "x", True), (("ORDER_ID",), "x", True), (("userID",), "x", True), (("amountPaid",), 5, False),
        (("user_id",), "REDACTED_USER_NAME_4", False), (("order",), "#REDACTED_ACCOUNT_12", False),
    ],
)  # fmt: skip
def test_what_reads_like_an_id(path: tuple[str | int, ...], value: Any, expected: bool) -> None:
    assert like_id(path, value) is expected


def long_trace(calls: int) -> Trace:
    items: list[ToolCall | Said] = []
    for k in range(calls):
        items += [
            Said("user", f"and order {k:07}"),
            call("get", {"id": f"{k:07}", "total": k, "status": "new"}, id=f"{k:07}"),
        ]
    return Trace(items)


def test_time_grows_with_the_trace() -> None:
    def spent(trace: Trace) -> float:
        begun = process_time()
        Provenance(trace)
        return process_time() - begun

    short, long = long_trace(1_250), long_trace(5_000)
    few = min(spent(short) for _ in range(3))
    assert min(spent(long) for _ in range(2)) < 8 * few + 0.2
