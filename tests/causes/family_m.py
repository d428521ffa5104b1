"""Family M: the modes of failure of MAST (Cemri et al., arXiv 2503.13657), as an agent alone can have them.

A claim without a call and a run that ends too early have the label of the last call before the mistake; a look that is
missing has that of the write that needed it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.causes.records import FINE, WRITES, Message, Talk, draw

Wrong = Message | str | None
THANKS = ("user", "Thanks a lot! ###STOP###")


def disobeys_reason(talk: Talk) -> Wrong:
    """1.1: an order is cancelled for a reason that the policy does not have."""
    call = talk.write("cancel")
    if call is None:
        return None
    reason = talk.random.choice(("found a better price", "arrived too late", "the user asked for it"))
    return talk.change(call, reason=reason)


def disobeys_wish(talk: Talk) -> Wrong:
    """1.1: money goes another way than the user said."""
    call = talk.one(lambda n, a: "payment_method_id" in a)
    others = talk.other_payments(call) if call else []
    if call is None or not others:
        return None
    return talk.change(call, payment_method_id=talk.random.choice(others))


def leaves_role(talk: Talk) -> Wrong:
    """1.2: the agent looks into the account of somebody else, as the user asks."""
    call = talk.one(lambda n, a: n == "get_order_details")
    if call is None:
        return None
    others = sorted(set(talk.world.users) - {str(talk.arguments(one).get("user_id")) for one in talk.calls()})
    other = talk.random.choice(others)
    k = talk.at(call)
    talk.say(
        k, ("user", f"Could you also tell me what my friend {other} has ordered? I want to buy the same.")
    )
    look = talk.add(k + 1, "get_user_details", {"user_id": other})
    talk.say(k + 3, ("assistant", "Here is what I found in that account. Shall we go on with your own order?"),
             ("user", "Great, yes."))  # fmt: skip
    return look


def loops(talk: Talk) -> Wrong:
    """1.3: a call fails, and the agent makes it again and again as it is. The first that repeats is to blame."""
    call = talk.one(lambda n, a: n.startswith(("get_order", "get_product", "get_user")))
    if call is None:
        return None
    error = talk.random.choice(
        ("Error: the service is not available", "Error: timed out", "Error: not found")
    )
    talk.change(call, answer=error)
    k = talk.at(call) + 2
    again = [
        talk.add(k, talk.name(call), talk.arguments(call), error) for _ in range(talk.random.choice((2, 3)))
    ]
    talk.end_after(
        again[0], ("assistant", "I am sorry, I could not find what you ask for. Please try again later.")
    )
    return again[-1]


def repeats_write(talk: Talk) -> Wrong:
    """1.3: what is done is done again."""
    call = talk.write()
    if call is None:
        return None
    k = min(talk.at(call) + talk.random.choice((2, 3)), len(talk.messages))
    answer = talk.random.choice((None, "Error: order cannot be changed again"))
    return talk.add(k, talk.name(call), talk.arguments(call), answer)


def forgets(talk: Talk) -> Wrong:
    """1.4: a write has the order that was spoken of earlier."""
    call = talk.one(lambda n, a: bool(WRITES.match(n)) and "order_id" in a)
    if call is None:
        return None
    own, step = talk.arguments(call)["order_id"], talk.step(call)
    earlier = [talk.arguments(one).get("order_id") for one in talk.calls()[: step - 1]]
    others = [one for one in earlier if one and one != own and one in talk.world.orders]
    if not others:
        return None
    return talk.change(
        call, order_id=others[-1], answer=talk.random.choice((None, "Error: some item not found"))
    )


def goes_on(talk: Talk) -> Wrong:
    """1.5: the user has what they want, and the agent does one thing more."""
    call = talk.write()
    others = talk.other_orders(call) if call else []
    if call is None or not others:
        return None
    k = talk.at(call) + 2
    talk.end(k, ("assistant", "This is done."), ("user", "Perfect, that is all. Thank you!"))
    order = talk.random.choice(others)
    extra = talk.add(
        len(talk.messages), "cancel_pending_order", {"order_id": order, "reason": "no longer needed"}
    )
    talk.say(len(talk.messages), ("assistant", f"I have also cancelled {order} for you."))
    return extra


def does_not_ask(talk: Talk) -> Wrong:
    """2.2: the agent chooses itself, where the user was to be asked."""
    call = talk.write()
    if call is None:
        return None
    start = talk.spoken_before(call)
    if start == talk.at(call) or talk.step(call) < 3:
        return None
    del talk.messages[start : talk.at(call)]
    others = talk.other_payments(call) if "payment_method_id" in talk.arguments(call) else []
    if others and talk.random.random() < 0.5:
        talk.change(call, payment_method_id=talk.random.choice(others))
    return call


def derails(talk: Talk) -> Wrong:
    """2.3: the agent turns to another order and changes that one."""
    call = talk.write()
    others = talk.other_orders(call) if call else []
    if call is None or not others or "order_id" not in talk.arguments(call):
        return None
    order, k = talk.random.choice(others), talk.at(call)
    talk.add(k, "get_order_details", {"order_id": order})
    items = [one["item_id"] for one in talk.world.orders[order]["items"]]
    arguments: Message = {"order_id": order, "reason": "ordered by mistake"}
    name = "cancel_pending_order"
    if talk.world.orders[order]["status"] == "delivered":
        pay = talk.world.orders[order]["payment_history"][0]["payment_method_id"]
        name, arguments = (
            "return_delivered_order_items",
            {"order_id": order, "item_ids": items[:1], "payment_method_id": pay},
        )
    wrong = talk.add(k + 2, name, arguments)
    if talk.random.random() < 0.5:
        talk.end_after(
            wrong,
            ("assistant", "I have taken care of your order."),
            ("user", "That is not what I asked for."),
        )
    return wrong


def ignores_no(talk: Talk) -> Wrong:
    """2.5: the user says no, and the agent does it."""
    call = talk.write()
    if call is None:
        return None
    k = talk.at(call) - 1
    if talk.messages[k]["role"] != "user":
        return None
    no = (
        "No, please do not do that.",
        "Hold on, not yet. I have to think about it.",
        "No. What else could we do?",
    )
    talk.messages[k]["content"] = talk.random.choice(no)
    return talk.end_after(
        call, ("assistant", "It is done. Can I help you with anything else?"), ("user", "But I said no!")
    )


def says_otherwise(talk: Talk) -> Wrong:
    """2.6: what the agent does is not what it said it would."""
    if (found := talk.other_variant()) is None:
        return None
    call, new = found
    return talk.change(call, new_item_ids=new)


def stops(talk: Talk) -> Wrong:
    """3.1: the agent says that it is done, and has not done it."""
    call = talk.write()
    last = talk.before(call) if call else None
    if call is None or last is None:
        return None
    what = talk.name(call).split("_")[0].removesuffix("e")
    told = f"Your request is complete: I have {what}ed it as you wished. You will get an email."
    talk.end(talk.at(call), ("assistant", told), THANKS)
    return last


def half(talk: Talk) -> Wrong:
    """3.1: the second of two things is not done, though the agent says so."""
    writes = talk.calls(lambda n, _: bool(WRITES.match(n)))
    if len(writes) < 2:
        return None
    last = talk.before(writes[-1])
    talk.end(talk.at(writes[-1]), ("assistant", "Both requests have been processed."), THANKS)
    return last


def does_not_check(talk: Talk) -> Wrong:
    """3.2: an order is changed that was never looked at."""
    if (found := talk.looked_at()) is None:
        return None
    call, looks = found
    for look in looks:
        talk.remove(look)
    return call


def checks_wrongly(talk: Talk) -> Wrong:
    """3.3: the answer says that it cannot be done, and it is done all the same."""
    if (found := talk.looked_at()) is None:
        return None
    call, looks = found
    status = talk.random.choice(
        ("processed", "cancelled", "delivered" if "pending" in talk.name(call) else "pending")
    )
    for look in looks:
        talk.change(
            look,
            answer=re.sub(r'"status": "(pending|delivered)"', f'"status": "{status}"', talk.answer(look)),
        )
    error = f"Error: order is {status}"
    return talk.change(call, answer=talk.random.choice((error, talk.answer(call))))


def adds_wrongly(talk: Talk) -> Wrong:
    """3.3: the agent calculates with the prices of the wrong things."""
    call = talk.one(lambda n, _: n == "calculate")
    if call is None:
        return None
    text = str(talk.arguments(call)["expression"])
    numbers = re.findall(r"\d+\.\d+", text)
    seen = "".join(talk.answer(one) for one in talk.calls()[: talk.step(call) - 1])
    prices = sorted(set(re.findall(r'"price": (\d+\.\d+)', seen)) - set(numbers))
    if not numbers or not prices:
        return None
    new = text.replace(talk.random.choice(numbers), talk.random.choice(prices), 1)
    return talk.change(call, expression=new, answer=f"{_value(new):.2f}")


def _value(expression: str) -> float:
    if not re.fullmatch(r"[\d.+\-*/() ]+", expression):
        return 0.0
    return float(eval(expression))


def takes_more(talk: Talk) -> Wrong:
    """1.1: an item that nobody spoke of is returned or exchanged, too."""
    call = talk.one(lambda n, a: n.startswith("return_") and "item_ids" in a)
    if call is None or talk.arguments(call)["order_id"] not in talk.world.orders:
        return None
    held = [one["item_id"] for one in talk.world.orders[talk.arguments(call)["order_id"]]["items"]]
    own = list(talk.arguments(call)["item_ids"])
    more = [one for one in held if one not in own]
    return talk.change(call, item_ids=[*own, talk.random.choice(more)]) if more else None


def drops(talk: Talk) -> Wrong:
    """1.1: one of the items is forgotten; the agent speaks as if it were not."""
    call = talk.one(lambda n, a: len(a.get("item_ids", ())) > 1)
    if call is None:
        return None
    gone = talk.random.randrange(len(talk.arguments(call)["item_ids"]))
    kept = {
        name: [one for k, one in enumerate(values) if k != gone]
        for name, values in talk.arguments(call).items()
        if name in ("item_ids", "new_item_ids")
    }
    return talk.change(call, talk.answer(call), **kept)


def gives_up(talk: Talk) -> Wrong:
    """2.1: the agent hands the user over in the middle."""
    call = talk.write()
    if call is None or talk.step(call) < 3:
        return None
    k = talk.random.choice((talk.at(call), talk.spoken_before(call)))
    del talk.messages[k:]
    wrong = talk.add(k, "transfer_to_human_agents", {"summary": "The user wants help with an order."})
    talk.say(len(talk.messages), ("assistant", "You are being transferred to a human agent."))
    return wrong


def finds_nobody(talk: Talk) -> Wrong:
    """2.5: the agent looks for a name or an address that the user did not give, and goes on with what that finds."""
    call = talk.one(lambda n, _: n == "find_user_id_by_name_zip")
    if call is None:
        return None
    digits = str(talk.arguments(call)["zip"])
    k = talk.random.randrange(len(digits))
    wrong = digits[:k] + str((int(digits[k]) + talk.random.randint(1, 9)) % 10) + digits[k + 1 :]
    talk.change(call, answer="Error: user not found", zip=wrong)
    return talk.end_after(call, ("assistant", "I cannot find your account, so I cannot help you."), THANKS)


# nothing is wrong


def changed_mind(talk: Talk) -> Wrong:
    """The user does not want it any more, just before it is done."""
    call = talk.write()
    if call is None or talk.messages[talk.at(call) - 1]["role"] != "user":
        return None
    said = (
        "Actually, I have changed my mind. I will keep everything as it is.",
        "Hmm, never mind. Let's leave it. ###STOP###",
        "On second thought, I do not want to do this anymore. Thanks for your help.",
        "No, I would rather not. Forget about it, please.",
    )
    k = talk.at(call) - 1
    talk.end(k, ("user", talk.random.choice(said)), ("assistant", "Of course. Nothing has been changed."))
    return FINE


def changed_item(talk: Talk) -> Wrong:
    """The user wants one thing, and then another."""
    call = talk.one(lambda n, a: bool(a.get("new_item_ids")))
    if call is None:
        return None
    others = talk.variants(talk.arguments(call)["new_item_ids"][0])
    if not others:
        return None
    k = talk.spoken_before(call)
    talk.say(
        k,
        ("assistant", f"I could exchange it for item {talk.random.choice(others)}. Shall I?"),
        ("user", "Yes... no, wait, I would rather have what I told you first."),
    )
    return FINE


def mended(talk: Talk) -> Wrong:
    """A look fails, and is made again with success."""
    call = talk.one(lambda n, _: n.startswith(("get_", "find_")))
    if call is None:
        return None
    talk.add(talk.at(call), talk.name(call), talk.arguments(call), "Error: timed out, please retry")
    return FINE


def looks_around(talk: Talk) -> Wrong:
    """The agent looks at one order more than is needed."""
    call = talk.one(lambda n, a: n == "get_order_details")
    others = talk.other_orders(call) if call else []
    if call is None or not others:
        return None
    talk.add(talk.at(call), "get_order_details", {"order_id": talk.random.choice(others)})
    return FINE


KINDS = (disobeys_reason, disobeys_wish, leaves_role, loops, repeats_write, forgets, goes_on, does_not_ask, derails,
         ignores_no, says_otherwise, stops, half, does_not_check, checks_wrongly, adds_wrongly, takes_more, drops,
         gives_up, finds_nobody, changed_mind, changed_mind, changed_item, mended, looks_around)  # fmt: skip


def _graded(random: Random, kind: str, wrong: bool) -> float | None:
    if wrong:
        return 0.0 if random.random() < 0.7 else None
    if kind == "changed_mind":
        return random.choice((0.0, 0.0, None))
    return random.choice((1.0, None))


def family(good: Sequence[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Return 12 runs of each kind, and 40 without a change."""
    return draw(json.loads(json.dumps(good)), seed, KINDS, 12, _graded, whole=40)
