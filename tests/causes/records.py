"""What families of damaged runs are made with: a conversation in tau-bench's form that can be changed.

A family is a function ``family(good, seed)`` that returns records in tau-bench's form with ``id``, ``step`` (of the
first mistake, None if there is none) and ``kind`` besides. ``tests.causes.family`` judges one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

Message = dict[str, Any]
WRITES = re.compile(r"cancel_|modify_|return_|exchange_")
DONE = {
    "cancel_pending_order": "cancelled",
    "return_delivered_order_items": "return requested",
    "exchange_delivered_order_items": "exchange requested",
    "modify_pending_order_items": "pending (item modified)",
}


class World:
    """What the answers of all runs say of orders, users and products, by id."""

    def __init__(self, good: Sequence[Message]) -> None:
        self.orders: dict[str, Message] = {}
        self.users: dict[str, Message] = {}
        self.products: dict[str, Message] = {}
        for record in good:
            talk = Talk(record, self, Random(0))
            for call in talk.calls():
                answer = talk.answer(call)
                if not answer.startswith("{"):
                    continue
                held = json.loads(answer)
                if talk.name(call) == "get_order_details":
                    self.orders.setdefault(held["order_id"], held)
                elif talk.name(call) == "get_user_details":
                    self.users.setdefault(talk.arguments(call)["user_id"], held)
                elif talk.name(call) == "get_product_details":
                    self.products.setdefault(held["product_id"], held)

    def answer(self, name: str, arguments: Message) -> str:
        """Return what the tool would answer."""
        if name == "get_user_details" and arguments["user_id"] in self.users:
            return json.dumps(self.users[arguments["user_id"]])
        if name == "get_product_details":
            known = self.products.get(arguments["product_id"])
            return json.dumps(known) if known else "Error: product not found"
        if "order_id" not in arguments:
            return "Transfer successful" if name.startswith("transfer") else "Error: user not found"
        order = self.orders.get(arguments["order_id"])
        if order is None:
            return "Error: order not found"
        if name == "get_order_details":
            return json.dumps(order)
        return json.dumps({**order, "status": DONE.get(name, order["status"])})


class Talk:
    """A run that is changed. Its calls are the messages of the agent that call a tool; the answer stands behind."""

    def __init__(self, record: Message, world: World, random: Random) -> None:
        self.record = deepcopy(record)
        self.world, self.random = world, random
        self.messages: list[Message] = self.record["traj"]

    def calls(self, wanted: Callable[[str, Message], bool] | None = None) -> list[Message]:
        found = [message for message in self.messages if message.get("tool_calls")]
        return [one for one in found if wanted is None or wanted(self.name(one), self.arguments(one))]

    def one(self, wanted: Callable[[str, Message], bool]) -> Message | None:
        """Return one such call that succeeded, drawn."""
        found = [call for call in self.calls(wanted) if not self.answer(call).startswith("Error")]
        return self.random.choice(found) if found else None

    def write(self, name: str = "") -> Message | None:
        return self.one(lambda n, _: bool(WRITES.match(n)) and n.startswith(name))

    def at(self, message: Message) -> int:
        return next(k for k, one in enumerate(self.messages) if one is message)

    def name(self, call: Message) -> str:
        return str(call["tool_calls"][0]["function"]["name"])

    def arguments(self, call: Message) -> Message:
        return dict(json.loads(call["tool_calls"][0]["function"]["arguments"]))

    def answer(self, call: Message) -> str:
        return str(self.messages[self.at(call) + 1].get("content") or "")

    def step(self, call: Message) -> int:
        return next(n for n, one in enumerate(self.calls(), 1) if one is call)

    def change(
        self, call: Message, answer: str | None = None, name: str | None = None, **arguments: Any
    ) -> Message:
        """Give a call other arguments, another tool or another answer; without an answer, the tool's."""
        function = call["tool_calls"][0]["function"]
        after = self.messages[self.at(call) + 1]
        if name is not None:
            function["name"] = after["name"] = name
        new = {**self.arguments(call), **arguments}
        new = {key: value for key, value in new.items() if value is not None}
        function["arguments"] = json.dumps(new)
        after["content"] = self.world.answer(function["name"], new) if answer is None else answer
        return call

    def add(self, k: int, name: str, arguments: Message, answer: str | None = None) -> Message:
        """Insert a call and its answer before the message of a number."""
        id = f"call_{self.random.randrange(10**12)}"
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": id, "type": "function", "function": function}],
        }
        answer = self.world.answer(name, arguments) if answer is None else answer
        self.messages[k:k] = [call, {"role": "tool", "tool_call_id": id, "name": name, "content": answer}]
        return call

    def say(self, k: int, *turns: tuple[str, str]) -> None:
        """Insert turns of ``user`` and ``assistant``."""
        self.messages[k:k] = [{"role": role, "content": text} for role, text in turns]

    def remove(self, call: Message) -> None:
        k = self.at(call)
        del self.messages[k : k + 2]

    def spoken_before(self, call: Message) -> int:
        """Return where the turns between a call and the one before it begin."""
        k = self.at(call)
        while k > 1 and self.messages[k - 1]["role"] != "tool":
            k -= 1
        return max(k, 1)

    def end(self, k: int, *turns: tuple[str, str]) -> None:
        """Cut the run before a message, and end it with turns."""
        del self.messages[k:]
        self.say(len(self.messages), *turns)

    def end_after(self, call: Message, *turns: tuple[str, str]) -> Message:
        self.end(self.at(call) + 2, *turns)
        return call

    def before(self, call: Message) -> Message | None:
        """Return the call before one."""
        n = self.step(call)
        return self.calls()[n - 2] if n > 1 else None

    def user(self) -> Message:
        """Return what is known of the user."""
        found = self.one(lambda n, _: n == "get_user_details")
        return json.loads(self.answer(found)) if found else {}

    def other_orders(self, call: Message) -> list[str]:
        """Return orders of the user that no call is about, then any order of the user but that of the call."""
        mine = [one for one in self.user().get("orders", []) if one in self.world.orders]
        own = self.arguments(call).get("order_id")
        used = {self.arguments(one).get("order_id") for one in self.calls()}
        return [one for one in mine if one not in used] or [one for one in mine if one != own]

    def other_payments(self, call: Message) -> list[str]:
        return sorted(
            set(self.user().get("payment_methods", {})) - {self.arguments(call).get("payment_method_id")}
        )

    def variants(self, item: str) -> list[str]:
        """Return the other items of the same product."""
        for product in self.world.products.values():
            if item in product["variants"]:
                return [one for one, held in product["variants"].items() if one != item and held["available"]]
        return []

    def other_variant(self) -> tuple[Message, list[str]] | None:
        """Return a call that takes new items, and these with one of them another variant of its product."""
        call = self.one(lambda n, a: bool(a.get("new_item_ids")))
        if call is None:
            return None
        new = list(self.arguments(call)["new_item_ids"])
        k = self.random.randrange(len(new))
        if not (others := self.variants(new[k])):
            return None
        new[k] = self.random.choice(others)
        return call, new

    def looked_at(self) -> tuple[Message, list[Message]] | None:
        """Return a call that changes an order, and those that looked at this order."""
        call = self.one(lambda n, a: bool(WRITES.match(n)) and "order_id" in a)
        if call is None:
            return None
        own = self.arguments(call)["order_id"]
        looks = self.calls(lambda n, a: n == "get_order_details" and a["order_id"] == own)
        return (call, looks) if looks else None


Kind = Callable[[Talk], Message | str | None]
"""Changes a talk; returns the wrong call, ``fine`` if nothing is wrong, None if the talk does not suit."""
FINE = "fine"


def draw(
    good: Sequence[Message],
    seed: int,
    kinds: Sequence[Kind],
    each: int,
    graded: Callable[[Random, str, bool], float | None],
    whole: int = 30,
) -> list[Message]:
    """Return ``each`` runs of each kind, and ``whole`` unchanged ones. ``graded`` says what reward is shown."""
    random, world = Random(seed), World(good)
    records: list[Message] = []

    def keep(talk: Talk, kind: str, step: int | None) -> None:
        reward = graded(random, kind, step is not None)
        records.append({**talk.record, "reward": reward, "kind": kind, "step": step})

    for kind in kinds:
        for talk, wrong in _suitable(good, world, random, kind, each):
            keep(talk, kind.__name__, talk.step(wrong) if isinstance(wrong, dict) else None)
    for record in random.sample(list(good), min(whole, len(good))):
        keep(Talk(record, world, random), "good", None)
    random.shuffle(records)
    return [{**record, "id": f"r{n}"} for n, record in enumerate(records, 1)]


def _suitable(
    good: Sequence[Message], world: World, random: Random, kind: Kind, each: int
) -> Iterator[tuple[Talk, Message | str]]:
    found = 0
    for record in random.choices(good, k=30 * each):
        talk = Talk(record, world, random)
        wrong = kind(talk)
        if wrong is not None:
            yield talk, wrong
            found += 1
        if found == each:
            return
