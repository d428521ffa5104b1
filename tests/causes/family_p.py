"""Family P: the sentences of the policy, and tau-bench's kinds of faults: wrong tool, wrong argument, half of the goal.

Most runs end soon after the mistake, as those do that a checker stops or a user leaves. Labels are as in family M.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.causes.records import FINE, WRITES, Message, Talk, draw

Wrong = Message | str | None
BYE = ("user", "Alright, thank you. ###STOP###")


def soon(talk: Talk, call: Message, told: str = "I have done that for you.") -> Message:
    """End a run after its mistake, in three of five cases."""
    if talk.random.random() < 0.6:
        talk.end_after(call, ("assistant", told), BYE)
    return call


# wrong tool


def other_tool(talk: Talk) -> Wrong:
    """An exchange becomes a return, an item's change an order's cancellation."""
    call = talk.one(lambda n, _: n in ("exchange_delivered_order_items", "modify_pending_order_items"))
    if call is None:
        return None
    given = talk.arguments(call)
    if talk.name(call).startswith("exchange"):
        talk.change(call, name="return_delivered_order_items", new_item_ids=None)
    else:
        gone = dict.fromkeys(name for name in given if name != "order_id")
        talk.change(call, name="cancel_pending_order", **{**gone, "reason": "no longer needed"})
    return soon(talk, call)


def other_address_tool(talk: Talk) -> Wrong:
    """The address of the account is changed instead of that of the order, or the other way round."""
    call = talk.one(lambda n, _: n in ("modify_pending_order_address", "modify_user_address"))
    user = talk.one(lambda n, _: n == "get_user_details")
    if call is None or user is None:
        return None
    if talk.name(call) == "modify_user_address":
        orders = talk.user().get("orders") or ["#W0000000"]
        talk.change(
            call, name="modify_pending_order_address", user_id=None, order_id=talk.random.choice(orders)
        )
    else:
        own = talk.arguments(user)["user_id"]
        talk.change(call, talk.answer(user), name="modify_user_address", order_id=None, user_id=own)
    return soon(talk, call)


def hands_over(talk: Talk) -> Wrong:
    """The policy allows it, and the agent hands the user over."""
    calls = talk.calls()
    write = talk.write()
    if write is None or len(calls) < 3:
        return None
    n = talk.random.randint(2, max(2, talk.step(write) - 1))
    k = talk.at(calls[min(n, len(calls) - 1)])
    del talk.messages[k:]
    summary = "The request needs the help of a human agent."
    wrong = talk.add(k, "transfer_to_human_agents", {"summary": summary})
    talk.say(len(talk.messages), ("assistant", "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."))
    return wrong


# wrong argument


def other_variant(talk: Talk) -> Wrong:
    """The new item is another one of the same product; or one that is not available."""
    if (found := talk.other_variant()) is None:
        return None
    call, new = found
    error = talk.random.choice((None, None, "Error: New item not found or available"))
    return soon(talk, talk.change(call, error, new_item_ids=new))


def other_item(talk: Talk) -> Wrong:
    """Another item of the same order."""
    call = talk.one(lambda n, a: bool(a.get("item_ids")))
    if call is None or talk.arguments(call)["order_id"] not in talk.world.orders:
        return None
    own = list(talk.arguments(call)["item_ids"])
    held = talk.world.orders[talk.arguments(call)["order_id"]]["items"]
    others = sorted({one["item_id"] for one in held} - set(own))
    if not others:
        return None
    own[talk.random.randrange(len(own))] = talk.random.choice(others)
    return soon(talk, talk.change(call, item_ids=own))


def other_order_all_along(talk: Talk) -> Wrong:
    """The agent looks at another order than the user named, and goes on with that. The look is to blame."""
    call = talk.one(lambda n, a: n == "get_order_details")
    others = talk.other_orders(call) if call else []
    if call is None or not others:
        return None
    own, other = talk.arguments(call)["order_id"], talk.random.choice(others)
    said = "".join(
        str(one.get("content")) for one in talk.messages[1 : talk.at(call)] if one["role"] == "user"
    )
    if own not in said:
        return None
    for later in talk.calls(lambda n, a: a.get("order_id") == own):
        if talk.step(later) >= talk.step(call):
            talk.change(later, order_id=other)
    return call


def address_digit(talk: Talk) -> Wrong:
    """A digit or a word of an address is another one."""
    call = talk.one(lambda n, a: "address1" in a)
    if call is None:
        return None
    given = talk.arguments(call)
    name = talk.random.choice(("address1", "zip", "city"))
    wrong = (
        "Springfield" if name == "city" else re.sub(r"\d", lambda m: str(9 - int(m[0])), given[name], count=1)
    )
    if name != "city" and wrong == given[name]:
        return None
    return soon(talk, talk.change(call, talk.answer(call), **{name: wrong}))


def refund_elsewhere(talk: Talk) -> Wrong:
    """A refund goes to a way to pay that is neither that of the order nor the one that the user chose."""
    call = talk.one(lambda n, a: n.startswith("return_") and "payment_method_id" in a)
    others = talk.other_payments(call) if call else []
    if call is None:
        return None
    if not others:
        kinds = ("credit_card", "paypal", "gift_card")
        others = [f"{talk.random.choice(kinds)}_{talk.random.randint(10**6, 10**7 - 1)}"]
    return soon(talk, talk.change(call, payment_method_id=talk.random.choice(others)))


def order_typo(talk: Talk) -> Wrong:
    """Two digits of an order change places; the look fails, and the agent tells the user so."""
    call = talk.one(lambda n, a: n == "get_order_details")
    if call is None:
        return None
    own = talk.arguments(call)["order_id"]
    k = talk.random.randint(2, len(own) - 2)
    wrong = own[:k] + own[k + 1] + own[k] + own[k + 2 :]
    if wrong == own:
        return None
    talk.change(call, order_id=wrong)
    return talk.end_after(call, ("assistant", "I am sorry, there is no such order in our system."), BYE)


def item_for_product(talk: Talk) -> Wrong:
    """The id of an item where that of a product is wanted."""
    call = talk.one(lambda n, _: n == "get_product_details")
    if call is None:
        return None
    product = talk.arguments(call)["product_id"]
    items = [
        one["item_id"]
        for order in talk.world.orders.values()
        for one in order["items"]
        if one["product_id"] == product
    ]
    return soon(
        talk, talk.change(call, product_id=talk.random.choice(items)), "I cannot find that product."
    ) if items else None  # fmt: skip


def wrong_product(talk: Talk) -> Wrong:
    """The agent reads about another product of the order."""
    call = talk.one(lambda n, _: n == "get_product_details")
    if call is None:
        return None
    own = talk.arguments(call)["product_id"]
    seen = "".join(talk.answer(one) for one in talk.calls()[: talk.step(call) - 1])
    others = sorted((set(re.findall(r'"product_id": "(\d+)"', seen)) - {own}) & set(talk.world.products))
    if not others:
        return None
    talk.change(call, product_id=talk.random.choice(others))
    return soon(talk, call, "There is no such variant, I am sorry.")


def sum_of_others(talk: Talk) -> Wrong:
    """An amount is calculated with a number that is missing, doubled, or another item's."""
    call = talk.one(lambda n, _: n == "calculate")
    if call is None:
        return None
    text = str(talk.arguments(call)["expression"])
    parts = re.findall(r"\d+\.\d+", text)
    if len(parts) < 2:
        return None
    kind = talk.random.randrange(3)
    seen = "".join(talk.answer(one) for one in talk.calls()[: talk.step(call) - 1])
    prices = sorted(set(re.findall(r'"price": (\d+\.\d+)', seen)) - set(parts)) or parts
    if kind == 0:
        new = f"{parts[0]} + {' + '.join(parts)}"
    elif kind == 1 and len(parts) > 2:
        new = " + ".join(parts[:-1])
    else:
        new = text.replace(parts[-1], talk.random.choice(prices), 1)
    if new == text:
        return None
    total = talk.random.uniform(20, 900)
    return soon(talk, talk.change(call, expression=new, answer=f"{total:.2f}"), f"It comes to ${total:.2f}.")


# half of the goal


def splits(talk: Talk) -> Wrong:
    """Two items that had to go in one call go in two. The first is to blame: the tool works once."""
    call = talk.one(lambda n, a: len(a.get("item_ids", ())) > 1 and bool(WRITES.match(n)))
    if call is None:
        return None
    given = talk.arguments(call)
    first = {name: given[name][:1] for name in ("item_ids", "new_item_ids") if name in given}
    rest = {name: given[name][1:] for name in first}
    talk.change(call, **first)
    error = "Error: non-delivered order cannot be changed"
    talk.add(talk.at(call) + 2, talk.name(call), {**given, **rest}, error)
    return call


def leaves_item(talk: Talk) -> Wrong:
    """The last item of several is not in the call."""
    call = talk.one(lambda n, a: len(a.get("item_ids", ())) > 1)
    if call is None:
        return None
    given = talk.arguments(call)
    return soon(
        talk, talk.change(call, **{n: given[n][:-1] for n in ("item_ids", "new_item_ids") if n in given})
    )


def leaves_second(talk: Talk) -> Wrong:
    """The user asked for two things; the agent does one, and ends. The call that it does is the last before."""
    writes = talk.calls(lambda n, _: bool(WRITES.match(n)))
    if len(writes) < 2:
        return None
    return talk.end_after(writes[0], ("assistant", "All of that is done. Have a nice day!"), BYE)


def claims(talk: Talk) -> Wrong:
    """The agent says that it did something more, and made no call."""
    writes = talk.calls(lambda n, _: bool(WRITES.match(n)))
    if not writes:
        return None
    more = (
        ("Please also change my default address.", "I have updated your default address as well."),
        ("Could you cancel my other order, too?", "Your other order has been cancelled, too."),
        ("Please send me a refund to my gift card.", "I have issued the refund to your gift card."),
    )
    asked, told = talk.random.choice(more)
    return talk.end_after(
        writes[-1], ("assistant", "That is done."), ("user", asked), ("assistant", told), BYE
    )


def stops_looking(talk: Talk) -> Wrong:
    """The agent looks at some of the orders, and says that there is nothing. The last look is to blame."""
    looks = talk.calls(lambda n, _: n == "get_order_details")
    if len(looks) < 2:
        return None
    wrong = looks[talk.random.randrange(len(looks) - 1)]
    return talk.end_after(
        wrong, ("assistant", "I have looked, and there is no such item in your orders."), BYE
    )


def refuses(talk: Talk) -> Wrong:
    """The agent says that it may not do what it may. The last call before is to blame."""
    call = talk.write()
    last = talk.before(call) if call else None
    if call is None or last is None:
        return None
    no = "I am afraid that is not possible according to our policy."
    return talk.end_after(
        last, ("assistant", no), ("user", "Are you sure?"), ("assistant", "Yes, I am sorry."), BYE
    )


# the policy


def nobody_known(talk: Talk) -> Wrong:
    """The user is not asked who they are."""
    finds = talk.calls(lambda n, _: n.startswith("find_"))
    if not finds or len(talk.calls()) - len(finds) < 1:
        return None
    own = talk.answer(finds[-1])
    for find in finds:
        talk.remove(find)
    first = talk.calls()[0]
    talk.say(talk.at(first), ("user", f"My user id is {own}."))
    return soon(talk, first)


def not_listed(talk: Talk) -> Wrong:
    """A write straight after the look, without a word to the user."""
    call = talk.write()
    if call is None or talk.step(call) < 3:
        return None
    start = talk.spoken_before(call)
    if start == talk.at(call):
        return None
    del talk.messages[start : talk.at(call)]
    return soon(talk, call)


def other_account(talk: Talk) -> Wrong:
    """The agent opens another user's account than the one that it found."""
    call = talk.one(lambda n, _: n == "get_user_details")
    if call is None:
        return None
    own = talk.arguments(call)["user_id"]
    other = talk.random.choice(sorted(set(talk.world.users) - {own}))
    return soon(talk, talk.change(call, user_id=other), "I have your account here.")


def acts_unasked(talk: Talk) -> Wrong:
    """The user only wants to know something, and the agent changes it."""
    call = talk.one(lambda n, _: n == "get_order_details")
    if call is None:
        return None
    order = talk.arguments(call)["order_id"]
    k = talk.at(call) + 2
    talk.say(
        k,
        ("assistant", f"Here is your order {order}."),
        ("user", "Good. Could I still cancel it, if I wanted to?"),
    )
    return soon(
        talk, talk.add(k + 2, "cancel_pending_order", {"order_id": order, "reason": "no longer needed"})
    )


# nothing is wrong


def no_more(talk: Talk) -> Wrong:
    """The user hears what it costs, and does not want it."""
    call = talk.write()
    if call is None or talk.step(call) < 3:
        return None
    said = (
        "That is too expensive, let's not do it.",
        "I changed my mind, please keep the order as it is.",
        "In that case I don't want to exchange anything.",
        "Okay, then please leave it. I'll think about it.",
    )
    k = talk.spoken_before(call)
    price = f"The difference would be ${talk.random.uniform(5, 200):.2f}. Shall I go on?"
    talk.end(k, ("assistant", price), ("user", talk.random.choice(said)), ("assistant", "As you wish."), BYE)
    return FINE


def wants_a_human(talk: Talk) -> Wrong:
    """The user asks for something that no tool does, and is handed over."""
    call = talk.write()
    if call is None:
        return None
    k = talk.spoken_before(call)
    talk.end(k, ("user", "I want a discount for the delay. If you cannot do that, give me a human, please."))
    talk.add(
        len(talk.messages),
        "transfer_to_human_agents",
        {"summary": "The user wants a discount for a delay and asks for a human."},
    )
    talk.say(len(talk.messages), ("assistant", "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."))
    return FINE


def wrong_zip_first(talk: Talk) -> Wrong:
    """The user tells a wrong number first."""
    call = talk.one(lambda n, _: n == "find_user_id_by_name_zip")
    if call is None:
        return None
    wrong = f"{talk.random.randint(10000, 99999)}"
    right = talk.arguments(call)
    k = talk.at(call)
    talk.say(k, ("user", f"My zip code is {wrong}."))
    talk.add(k + 1, talk.name(call), {**right, "zip": wrong}, "Error: user not found")
    talk.say(k + 3, ("assistant", "I cannot find you. Is that right?"), ("user", f"Sorry, {right['zip']}."))
    return FINE


def reads_twice(talk: Talk) -> Wrong:
    """Something is read again."""
    call = talk.one(lambda n, _: n.startswith("get_"))
    if call is None:
        return None
    calls = [one for one in talk.calls() if talk.step(one) > talk.step(call)]
    k = talk.at(talk.random.choice(calls)) if calls else talk.at(call) + 2
    talk.add(k, talk.name(call), talk.arguments(call), talk.answer(call))
    return FINE


def instead(talk: Talk) -> Wrong:
    """The user wants to cancel, and then wants what is done after all."""
    call = talk.write()
    if call is None:
        return None
    first = talk.calls()[0]
    turns: Sequence[tuple[str, str]] = (
        ("user", "I would like to cancel an order."),
        ("assistant", "Surely. Which one?"),
        ("user", "Oh wait, I would rather not cancel. Let me tell you what I want."),
    )
    talk.say(talk.at(first), *turns)
    return FINE


KINDS = (other_tool, other_address_tool, hands_over, other_variant, other_item, other_order_all_along, address_digit,
         refund_elsewhere, order_typo, item_for_product, wrong_product, sum_of_others, splits, leaves_item,
         leaves_second, claims, stops_looking, refuses, nobody_known, not_listed, other_account, acts_unasked,
         no_more, no_more, wants_a_human, wrong_zip_first, reads_twice, instead)  # fmt: skip


def _graded(random: Random, kind: str, wrong: bool) -> float | None:
    if wrong:
        return random.choice((0.0, None))
    return 0.0 if kind in ("no_more", "instead", "wants_a_human") and random.random() < 0.6 else None


def family(good: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Return 12 runs of each kind, and 20 without a change."""
    return draw(json.loads(json.dumps(good)), seed, KINDS, 12, _graded, whole=20)
