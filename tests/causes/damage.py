"""Family A: good runs of tau-bench's retail agent, damaged in known ways. The label is the step of the mistake.

Each kind is a function that changes a copy of a run, and returns the label and the changed items; None if it does not
fit the run. Harmless changes have the label None: good runs repeat reads, mend failures and meet users who change their
minds. Answers and, in half of the cases, the agent's words go with the changed arguments, as a tool and a model that
made the mistake would have them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

from planscope.oracle.trace import NEW, Item, Said, ToolCall, Trace

WRITES = re.compile(r"cancel|modify|return|exchange")
IDS = ("order_id", "user_id", "product_id", "payment_method_id")


@dataclass(frozen=True)
class Labelled:
    """A run with the step of its first mistake, None if it has none."""

    trace: Trace
    label: int | None
    kind: str
    family: str


class Copy:
    """A run that is changed. ``items`` have no numbers; those of calls of one message are kept together."""

    def __init__(self, trace: Trace, pool: Sequence[Trace], random: Random) -> None:
        self.pool, self.random = pool, random
        self.trace = trace
        self.items: list[Item] = [replace(item) for item in trace.items]

    def calls(self, wanted: Callable[[ToolCall], bool]) -> list[int]:
        return [k for k, item in enumerate(self.items) if isinstance(item, ToolCall) and wanted(item)]

    def call(self, k: int) -> ToolCall:
        item = self.items[k]
        assert isinstance(item, ToolCall)
        return item

    def one(self, wanted: Callable[[ToolCall], bool]) -> int | None:
        """Return the place of one such call, drawn."""
        found = self.calls(wanted)
        return self.random.choice(found) if found else None

    def writes(self) -> int | None:
        return self.one(lambda call: bool(WRITES.match(call.tool)) and not call.failed)

    def give(
        self, k: int, name: str, new: Any, *, error: str | None = None, told: bool | None = None
    ) -> None:
        """Give a call another value of an argument. Its answer has it, too, or is an error; so has, if ``told``, what
        the agent says of it just before and after."""
        call = self.call(k)
        old = (call.arguments or {})[name]
        answer = call.answer or ""
        for a, b in zip(_texts(old), _texts(new), strict=False):
            answer = answer.replace(a, b)
        arguments = {**(call.arguments or {}), name: new}
        failed = error is not None
        self.items[k] = replace(call, arguments=arguments, answer=error or answer, failed=failed)
        if self.random.random() < 0.5 if told is None else told:
            for j in range(max(k - 3, 0), min(k + 2, len(self.items))):
                item = self.items[j]
                if isinstance(item, Said) and item.by == "model":
                    for a, b in zip(_texts(old), _texts(new), strict=False):
                        item = replace(item, text=item.text.replace(a, b))
                    self.items[j] = item

    def done(self, at: Item | None) -> tuple[int | None, list[Item]]:
        """Return the step of an item and all items."""
        calls = [item for item in self.items if isinstance(item, ToolCall)]
        step = next((n for n, call in enumerate(calls, 1) if call is at), None)
        return step, self.items

    def insert(self, k: int, *items: Item) -> None:
        self.items[k:k] = items

    def values(self, name: str, before: int) -> list[str]:
        """Return the values of a field in the answers before a place."""
        found: list[str] = []
        for item in self.items[:before]:
            if isinstance(item, ToolCall) and item.answer:
                found += re.findall(rf'"{name}": "([^"]+)"', item.answer)
        return list(dict.fromkeys(found))

    def orders(self) -> list[str]:
        """Return the user's orders."""
        profiles = " ".join(c.answer or "" for c in self.trace.calls if c.tool == "get_user_details")
        return re.findall(r"#W\d{7}", profiles)

    def unused_orders(self) -> list[str]:
        """Return the user's orders that no call is about."""
        used = {str((c.arguments or {}).get("order_id")) for c in self.trace.calls}
        return sorted(set(self.orders()) - used)

    def foreign(self, name: str, not_one: str) -> str | None:
        """Return a value of an argument from another run."""
        every = {
            str((call.arguments or {})[name])
            for trace in self.pool
            for call in trace.calls
            if name in (call.arguments or {}) and trace is not self.trace
        }
        every -= {not_one}
        return self.random.choice(sorted(every)) if every else None


def _texts(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def like(value: str, random: Random) -> str:
    """Return an id of the same shape that nobody has."""
    return re.sub(r"\d", lambda _: str(random.randint(0, 9)), value)


Made = tuple[int | None, list[Item]] | None


def wrong_order(copy: Copy) -> Made:
    """A write for another order of the same user."""
    k = copy.one(lambda c: bool(WRITES.match(c.tool)) and "order_id" in (c.arguments or {}) and not c.failed)
    if k is None:
        return None
    own = str((copy.call(k).arguments or {})["order_id"])
    others = sorted(set(copy.orders()) - {own})
    if not others:
        return None
    copy.give(k, "order_id", copy.random.choice(others))
    return copy.done(copy.items[k])


def invented(copy: Copy) -> Made:
    """An id that stands nowhere. The tool fails, or does not."""
    name = copy.random.choice(IDS)
    k = copy.one(lambda c: name in (c.arguments or {}) and not c.failed)
    if k is None:
        return None
    new = like(str((copy.call(k).arguments or {})[name]), copy.random)
    copy.give(k, name, new, error=f"Error: {name} not found" if copy.random.random() < 0.5 else None)
    return copy.done(copy.items[k])


def not_looked(copy: Copy) -> Made:
    """A write without the look at its order before it."""
    k = copy.writes()
    if k is None or "order_id" not in (copy.call(k).arguments or {}):
        return None
    call, own = copy.call(k), (copy.call(k).arguments or {})["order_id"]
    looks = [j for j in copy.calls(lambda c: c.tool == "get_order_details") if j < k]
    gone = {j for j in looks if (copy.call(j).arguments or {}).get("order_id") == own}
    if not gone:
        return None
    copy.items = [item for j, item in enumerate(copy.items) if j not in gone]
    return copy.done(call)


def too_early(copy: Copy) -> Made:
    """A write moved to before the look at its order."""
    k = copy.writes()
    if k is None or "order_id" not in (copy.call(k).arguments or {}):
        return None
    call, own = copy.call(k), (copy.call(k).arguments or {})["order_id"]
    looks = copy.calls(lambda c: c.tool == "get_order_details" and (c.arguments or {}).get("order_id") == own)
    if not looks or looks[0] > k:
        return None
    del copy.items[k]
    copy.insert(looks[0], call)
    return copy.done(call)


def once_more(copy: Copy) -> Made:
    """A write that is made again."""
    k = copy.writes()
    if k is None:
        return None
    failed = copy.random.random() < 0.5
    call = copy.call(k)
    again = replace(call, call_id=None, message=NEW, step=0)
    if failed:
        again = replace(again, answer="Error: non-pending order cannot be changed", failed=True)
    copy.insert(min(k + copy.random.choice((1, 2)), len(copy.items)), again)
    return copy.done(again)


def wrong_kind(copy: Copy) -> Made:
    """An item's id where a product's is wanted."""
    k = copy.one(lambda c: c.tool == "get_product_details" and not c.failed)
    if k is None or not (items := copy.values("item_id", k)):
        return None
    copy.give(k, "product_id", copy.random.choice(items), error="Error: product not found", told=False)
    return copy.done(copy.items[k])


def wrong_item(copy: Copy) -> Made:
    """Another item than the one that was agreed on."""
    k = copy.one(lambda c: bool({"new_item_ids", "item_ids"} & set(c.arguments or {})) and not c.failed)
    if k is None:
        return None
    name = copy.random.choice(
        [n for n in ("new_item_ids", "item_ids") if n in (copy.call(k).arguments or {})]
    )
    old = list((copy.call(k).arguments or {})[name])
    others = sorted(set(copy.values("item_id", k)) - set(old))
    if not others:
        return None
    new = [copy.random.choice(others), *old[1:]]
    copy.give(k, name, new)
    return copy.done(copy.items[k])


def wrong_payment(copy: Copy) -> Made:
    """A way to pay that is another user's, or another one of the same user."""
    k = copy.one(lambda c: "payment_method_id" in (c.arguments or {}) and not c.failed)
    if k is None:
        return None
    own = str((copy.call(k).arguments or {})["payment_method_id"])
    known = sorted(set(copy.values("id", k)) - {own})
    new = (
        copy.random.choice(known)
        if known and copy.random.random() < 0.6
        else copy.foreign("payment_method_id", own)
    )
    if new is None:
        return None
    copy.give(k, "payment_method_id", new)
    return copy.done(copy.items[k])


def unasked(copy: Copy) -> Made:
    """A write without the user's yes: what was said just before it is missing."""
    k = copy.writes()
    if k is None:
        return None
    begin = k
    while begin and isinstance(copy.items[begin - 1], Said):
        begin -= 1
    if begin == k or not copy.calls(lambda c: True) or begin <= copy.calls(lambda c: True)[0]:
        return None
    call = copy.call(k)
    del copy.items[begin:k]
    return copy.done(call)


def unwanted(copy: Copy) -> Made:
    """A write that nobody asked for, for another order."""
    k = copy.writes()
    if k is None:
        return None
    if not (others := copy.unused_orders()):
        return None
    given = {"order_id": copy.random.choice(others), "reason": "no longer needed"}
    answer = json.dumps({"order_id": given["order_id"], "status": "cancelled"})
    call = ToolCall("cancel_pending_order", given, answer=answer, answered=True, failed=False)
    copy.insert(k + 1, call)
    return copy.done(call)


def misread(copy: Copy) -> Made:
    """A look at another order than the user speaks of; the agent goes on with that one."""
    k = copy.one(lambda c: c.tool == "get_order_details" and not c.failed)
    if k is None:
        return None
    own = str((copy.call(k).arguments or {})["order_id"])
    others = copy.unused_orders()
    later = [j for j in copy.calls(lambda c: (c.arguments or {}).get("order_id") == own) if j > k]
    if not others or not later:
        return None
    other = copy.random.choice(others)
    if copy.random.random() < 0.4:
        other = like(own, copy.random)
    told = copy.random.random() < 0.5
    for j in (k, *later):
        copy.give(j, "order_id", other, told=told)
    return copy.done(copy.items[k])


def ignored(copy: Copy) -> Made:
    """A look fails, and the agent goes on as if it had not."""
    k = copy.one(
        lambda c: c.tool in ("get_order_details", "get_product_details", "get_user_details") and not c.failed
    )
    if k is None:
        return None
    own = next(iter((copy.call(k).arguments or {}).values()))
    if any(j > k and own in (copy.call(j).arguments or {}).values() and copy.call(j).tool == copy.call(k).tool
           for j in copy.calls(lambda c: True)):  # fmt: skip
        return None
    copy.items[k] = replace(copy.call(k), answer=copy.random.choice(("Error: timed out", "{}", "[]")))
    copy.items[k] = replace(copy.call(k), failed=(copy.call(k).answer or "").startswith("Error"))
    return copy.done(copy.items[k])


def other_user(copy: Copy) -> Made:
    """The details of another user than the one who was found."""
    k = copy.one(lambda c: c.tool == "get_user_details" and not c.failed)
    if k is None:
        return None
    own = str((copy.call(k).arguments or {})["user_id"])
    new = copy.foreign("user_id", own)
    if new is None:
        return None
    copy.give(k, "user_id", new)
    return copy.done(copy.items[k])


def short_list(copy: Copy) -> Made:
    """An item that was agreed on is left out."""
    k = copy.one(lambda c: len((c.arguments or {}).get("item_ids", ())) > 1 and not c.failed)
    if k is None:
        return None
    gone = copy.random.randrange(len((copy.call(k).arguments or {})["item_ids"]))
    given = dict(copy.call(k).arguments or {})
    for name in ("item_ids", "new_item_ids"):
        if name in given:
            given[name] = [one for j, one in enumerate(given[name]) if j != gone]
    copy.items[k] = replace(copy.call(k), arguments=given)
    return copy.done(copy.items[k])


def wrong_sum(copy: Copy) -> Made:
    """A number in a sum is another one."""
    k = copy.one(lambda c: c.tool == "calculate" and not c.failed)
    if k is None:
        return None
    text = str((copy.call(k).arguments or {})["expression"])
    number = copy.random.choice(re.findall(r"\d+(?:\.\d+)?", text))
    wrong = f"{float(number) * copy.random.choice((0.1, 1.1, 10)) + 1.07:.2f}"
    copy.give(k, "expression", text.replace(number, wrong, 1))
    return copy.done(copy.items[k])


def handed_over(copy: Copy) -> Made:
    """The agent gives up where it could have gone on."""
    k = copy.writes()
    if k is None:
        return None
    call = ToolCall(
        "transfer_to_human_agents",
        {"summary": "The user wants to change an order."},
        answer="Transfer successful",
        answered=True,
        failed=False,
    )
    copy.items[k:] = [call, Said("model", "You are being transferred to a human agent.")]
    return copy.done(call)


def left_failed(copy: Copy) -> Made:
    """A look at an order fails, another one succeeds, and the first order is changed all the same."""
    k = copy.one(lambda c: c.tool == "get_order_details" and not c.failed)
    if k is None:
        return None
    own = (copy.call(k).arguments or {})["order_id"]
    later = [c for c in map(copy.call, copy.calls(lambda c: True)) if c is not copy.call(k)]
    same = [c for c in later if (c.arguments or {}).get("order_id") == own]
    looks = [c for c in later if c.tool == "get_order_details" and copy.items.index(c) > k]
    if (
        any(c.tool == "get_order_details" for c in same)
        or not looks
        or not any(WRITES.match(c.tool) for c in same)
    ):
        return None
    copy.items[k] = replace(copy.call(k), answer="Error: the service is not available", failed=True)
    return copy.done(copy.items[k])


# harmless changes


def read_again(copy: Copy) -> Made:
    k = copy.one(lambda c: c.tool.startswith("get_") and not c.failed)
    if k is None:
        return None
    again = replace(copy.call(k), call_id=None, message=NEW, step=0)
    copy.insert(copy.random.randint(k + 1, min(k + 4, len(copy.items))), again)
    return None, copy.items


def other_mind(copy: Copy) -> Made:
    """The user asks for another order to be looked at, and then wants nothing with it."""
    k = copy.one(lambda c: c.tool == "get_order_details" and not c.failed)
    if k is None:
        return None
    looks = [c for trace in copy.pool for c in trace.calls if c.tool == "get_order_details" and not c.failed]
    look = copy.random.choice(looks)
    order = (look.arguments or {})["order_id"]
    copy.insert(
        k,
        Said("user", f"I want to cancel order {order}."),
        replace(look, call_id=None, message=NEW, step=0),
        Said("model", f"Order {order} can be cancelled. Shall I cancel it?"),
        Said("user", "No, wait. I have changed my mind, please keep it. Let us go on with the other one."),
    )
    return None, copy.items


def mended(copy: Copy) -> Made:
    """A look fails for a wrong id that the user gave, and the right one follows."""
    k = copy.one(lambda c: c.tool == "get_order_details" and not c.failed)
    if k is None:
        return None
    wrong = like(str((copy.call(k).arguments or {})["order_id"]), copy.random)
    copy.insert(
        k,
        Said("user", f"It is order {wrong}."),
        ToolCall(
            "get_order_details",
            {"order_id": wrong},
            answer="Error: order not found",
            answered=True,
            failed=True,
        ),
        Said("model", "I cannot find that order. Could you check the number?"),
        Said("user", f"Sorry, it is {(copy.call(k).arguments or {})['order_id']}."),
    )
    return None, copy.items


def other_order(copy: Copy) -> Made:
    """Two looks at different things change places."""
    calls = copy.calls(lambda c: True)
    pairs = [
        (a, b)
        for a, b in pairwise(calls)
        if b == a + 1 and copy.call(a).tool == copy.call(b).tool and copy.call(a).tool.startswith("get_")
    ]
    if not pairs:
        return None
    a, b = copy.random.choice(pairs)
    copy.items[a], copy.items[b] = copy.items[b], copy.items[a]
    return None, copy.items


MISTAKES = (wrong_order, invented, not_looked, too_early, once_more, wrong_kind, wrong_item, wrong_payment, unasked,
            unwanted, misread, ignored, other_user, short_list, wrong_sum, handed_over, left_failed)  # fmt: skip
HARMLESS = (read_again, other_mind, mended, other_order)


def made(trace: Trace, items: Sequence[Item], id: str, reward: float | None = None) -> Trace:
    """Return a trace of changed items, numbered anew. Each call is a message, as those of this agent are."""
    fresh: list[Item] = [
        replace(item, step=0, message=NEW) if isinstance(item, ToolCall) else replace(item, message=NEW)
        for item in items
    ]
    return Trace(fresh, id=id, tools=trace.tools, expected=trace.expected, format=trace.format, reward=reward)


def family_a(good: Sequence[Trace], seed: int = 1, each: int = 30) -> Iterator[Labelled]:
    """Yield ``each`` damaged runs of each kind, half as many harmless ones, and the good runs themselves.

    Half of the damaged runs are graded 0, and half of those in which the user changes their mind; nothing else is
    graded.
    """
    random = Random(seed)
    for kind in (*MISTAKES, *HARMLESS):
        harmless = kind in HARMLESS
        wanted, found = each // 2 if harmless else each, 0
        for number in range(20 * each):
            if found == wanted:
                break
            trace = random.choice(good)
            damaged = kind(Copy(trace, good, random))
            if damaged is None:
                continue
            label, items = damaged
            found += 1
            wrong = (label is not None or kind is other_mind) and random.random() < 0.5
            id = f"{trace.id}-{kind.__name__}-{number}"
            yield Labelled(made(trace, items, id, 0.0 if wrong else None), label, kind.__name__, "A")
    for trace in good:
        yield Labelled(replace(trace, reward=None), None, "good", "A")
