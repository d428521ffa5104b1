# Written by somebody who had not seen what it tests, and kept as it was but for its layout.
"""Family D: damaged runs of tau-bench's retail agent.

    family(good, seed) -> list of records with "id", "step", "kind" besides the keys of a good run.

How the runs are made. The good runs give a small shop (users, orders, products, as the tools showed them before
any write); `Shop` plays every tool on it, so that after a damage all answers of the run are played anew and fit
the calls (an order once exchanged refuses a second exchange, a gift card that is too small refuses, and so on).
What the agent and the user say after the damage is written anew where the old words would not fit; in a part of
the runs the agent does not see its slip and claims what it meant, in a part the user notices and the agent tries
to mend it (mostly in vain), in a part nobody notices. About one damaged run in seven has, besides, a harmless
repeated or unneeded look before the mistake.

Kinds and what `step` names (the first mistake, counted from 1 over all tool calls):
- the wrong call itself: wrong_item, wrong_old_item, extra_item, omitted_item, wrong_payment, wrong_order,
  wrong_address, wrong_reason, wrong_calc, unavailable_item, hallucinated_id, product_confusion, mistyped_lookup,
  wrong_tool, needless_transfer, forbidden_payment, overreach_cancel, unasked_write, other_user, bad_format,
  status_ignored, stale_choice, misreasoned (the `think` call with the false thought), repeated_write (the
  repetition), retry_loop (the first repetition of a call that had failed), split_exchange (the first call, that
  has only a part of the items).
- the call that is wrong because of something that is no call: misread_stock (the agent says that a variant is not to be
  had although it is; the write of the other variant), unconfirmed_write (the write without a yes), unchecked_write (the
  write on an order never looked at), no_auth (the first call made for a user who was not authenticated), and those runs
  of wrong_item and unavailable_item where the wrong variant stands already in the agent's proposal (the write).
- no call is wrong, so the last call before the mistake: wrong_info (a false statement), claim_without_call (the call
  before the claim), omitted_request (the call before the forgotten request should have been served), wrong_refusal,
  missed_transfer, made_up (invented promise or procedure), gave_up_search (the last look before giving up).
- ignored_error: the call that failed and was then reported as done.
- step null: good (untouched runs), harmless_repeat (a look again), harmless_order (two looks in another order),
  harmless_words, harmless_mind (the user changes their mind, the agent follows), harmless_look (an unneeded look),
  harmless_think, harmless_usererror (the user gave a wrong zip or order number), harmless_declined (the agent rightly
  declines a request out of its scope).

Good runs that hold an early slip of their own (FLAW) are damaged only at or before that slip and never serve as runs
without a mistake.  `reward` is what tau-bench's checker would have said (the data at the end as at the end of the good
run, and all required outputs said), shown in about six runs of ten, else null.
"""

import copy
import json
import random
import re
import string

# task_id -> number of the call that is already a slip in the good run
FLAW = {
    7: 7,
    13: 5,
    14: 5,
    15: 5,
    16: 6,
    17: 4,
    24: 5,
    26: 6,
    27: 8,
    30: 6,
    33: 6,
    35: 8,
    36: 13,
    37: 12,
    42: 5,
    43: 6,
    50: 1,
    54: 11,
    62: 7,
    76: 4,
    78: 7,
    96: 8,
    97: 7,
}

WRITES = {
    "exchange_delivered_order_items",
    "return_delivered_order_items",
    "modify_pending_order_items",
    "modify_pending_order_address",
    "modify_pending_order_payment",
    "cancel_pending_order",
    "modify_user_address",
}
EXCH, RET, MODI = (
    "exchange_delivered_order_items",
    "return_delivered_order_items",
    "modify_pending_order_items",
)
MODA, MODP, CANC, MODU = (
    "modify_pending_order_address",
    "modify_pending_order_payment",
    "cancel_pending_order",
    "modify_user_address",
)
LOOKS = {"get_order_details", "get_product_details", "get_user_details", "list_all_product_types"}
REQUIRED = {
    EXCH: ["order_id", "item_ids", "new_item_ids", "payment_method_id"],
    MODI: ["order_id", "item_ids", "new_item_ids", "payment_method_id"],
    RET: ["order_id", "item_ids", "payment_method_id"],
    CANC: ["order_id", "reason"],
    MODP: ["order_id", "payment_method_id"],
}
CLASS = {
    EXCH: "ExchangeDeliveredOrderItems",
    MODI: "ModifyPendingOrderItems",
    RET: "ReturnDeliveredOrderItems",
    CANC: "CancelPendingOrder",
    MODP: "ModifyPendingOrderPayment",
}


class Skip(Exception):
    """This place does not bear this damage."""


# ------------------------------------------------------------ the shop


class Shop:
    def __init__(self):
        self.users, self.orders, self.products, self.types = {}, {}, {}, None

    def copy(self):
        s = Shop()
        s.users, s.orders = copy.deepcopy(self.users), copy.deepcopy(self.orders)
        s.products, s.types = self.products, self.types
        return s

    @classmethod
    def from_runs(cls, good):
        s = cls()
        for rec in good:
            touched = set()
            for _m, tc, ans in pairs(rec["traj"]):
                name, args = tc["function"]["name"], loads(tc["function"]["arguments"])
                if ans is None or ans.startswith("Error"):
                    continue
                try:
                    val = json.loads(ans)
                except ValueError:
                    continue
                if name == "get_user_details" and args.get("user_id") not in touched:
                    s.users.setdefault(args["user_id"], val)
                elif name == "get_order_details" and args.get("order_id") not in touched:
                    s.orders.setdefault(args["order_id"], val)
                elif name == "get_product_details":
                    s.products.setdefault(args["product_id"], val)
                elif name == "list_all_product_types":
                    s.types = ans
                elif name in WRITES:
                    touched.add(args.get("order_id"))
                    for u in s.users:
                        if isinstance(val, dict) and (val.get("user_id") == u or args.get("user_id") == u):
                            touched.add(u)
        return s

    def variant(self, pid, iid):
        if pid not in self.products:
            raise Skip
        return self.products[pid]["variants"].get(iid)

    def play(self, name, args):
        if name in REQUIRED:
            miss = [a for a in REQUIRED[name] if a not in args]
            if miss:
                q = " and ".join(f"'{a}'" for a in miss)
                return (
                    f"Error: {CLASS[name]}.invoke() missing {len(miss)} required positional argument"
                    f"{'s' if len(miss) > 1 else ''}: {q}"
                )
        f = getattr(self, "t_" + name, None)
        if f is None:
            return f"Unknown action {name}"
        out = f(**args)
        return out if isinstance(out, str) else json.dumps(out)

    def t_think(self, thought):
        return ""

    def t_calculate(self, expression):
        if not all(c in "0123456789+-*/(). " for c in expression):
            return "Error: invalid characters in expression"
        return str(round(float(eval(expression, {"__builtins__": None}, {})), 2))

    def t_transfer_to_human_agents(self, summary):
        return "Transfer successful"

    def t_list_all_product_types(self):
        if self.types is None:
            raise Skip
        return self.types

    def t_find_user_id_by_email(self, email):
        for u, p in self.users.items():
            if p["email"].lower() == email.lower():
                return u
        return "Error: user not found"

    def t_find_user_id_by_name_zip(self, first_name, last_name, zip):  # noqa: A002  (the tool has this argument)
        for u, p in self.users.items():
            if (
                p["name"]["first_name"].lower() == first_name.lower()
                and p["name"]["last_name"].lower() == last_name.lower()
                and p["address"]["zip"] == zip
            ):
                return u
        return "Error: user not found"

    def t_get_user_details(self, user_id):
        return self.users.get(user_id, "Error: user not found")

    def t_get_order_details(self, order_id):
        if order_id not in self.orders and any(order_id in u["orders"] for u in self.users.values()):
            raise Skip
        return self.orders.get(order_id, "Error: order not found")

    def t_get_product_details(self, product_id):
        if product_id not in self.products and self.types and product_id in self.types:
            raise Skip
        return self.products.get(product_id, "Error: product not found")

    def _order(self, oid):
        o = self.t_get_order_details(oid)
        return None if isinstance(o, str) else o

    def t_cancel_pending_order(self, order_id, reason):
        o = self._order(order_id)
        if o is None:
            return "Error: order not found"
        if o["status"] != "pending":
            return "Error: non-pending order cannot be cancelled"
        if reason not in ("no longer needed", "ordered by mistake"):
            return "Error: invalid reason"
        refunds = []
        for p in o["payment_history"]:
            refunds.append(
                {
                    "transaction_type": "refund",
                    "amount": p["amount"],
                    "payment_method_id": p["payment_method_id"],
                }
            )
            if "gift_card" in p["payment_method_id"]:
                g = self.users[o["user_id"]]["payment_methods"][p["payment_method_id"]]
                g["balance"] = round(g["balance"] + p["amount"], 2)
        o["status"], o["cancel_reason"] = "cancelled", reason
        o["payment_history"].extend(refunds)
        return o

    def t_return_delivered_order_items(self, order_id, item_ids, payment_method_id):
        o = self._order(order_id)
        if o is None:
            return "Error: order not found"
        if o["status"] != "delivered":
            return "Error: non-delivered order cannot be returned"
        if payment_method_id not in self.users[o["user_id"]]["payment_methods"]:
            return "Error: payment method not found"
        if (
            "gift_card" not in payment_method_id
            and payment_method_id != o["payment_history"][0]["payment_method_id"]
        ):
            return "Error: payment method should be either the original payment method or a gift card"
        have = [i["item_id"] for i in o["items"]]
        if any(list(item_ids).count(i) > have.count(i) for i in item_ids):
            return "Error: some item not found"
        o["status"], o["return_items"], o["return_payment_method_id"] = (
            "return requested",
            sorted(item_ids),
            payment_method_id,
        )
        return o

    def _swap(self, o, item_ids, new_item_ids):
        have = [i["item_id"] for i in o["items"]]
        for i in item_ids:
            if list(item_ids).count(i) > have.count(i):
                return f"Error: {i} not found", 0
        if len(item_ids) != len(new_item_ids):
            return "Error: the number of items to be exchanged should match", 0
        diff = 0
        for a, b in zip(item_ids, new_item_ids, strict=False):
            it = next(i for i in o["items"] if i["item_id"] == a)
            v = self.variant(it["product_id"], b)
            if v is None or not v["available"]:
                return f"Error: new item {b} not found or available", 0
            diff += v["price"] - it["price"]
        return None, diff

    def t_exchange_delivered_order_items(self, order_id, item_ids, new_item_ids, payment_method_id):
        o = self._order(order_id)
        if o is None:
            return "Error: order not found"
        if o["status"] != "delivered":
            return "Error: non-delivered order cannot be exchanged"
        err, diff = self._swap(o, item_ids, new_item_ids)
        if err:
            return err
        pm = self.users[o["user_id"]]["payment_methods"].get(payment_method_id)
        if pm is None:
            return "Error: payment method not found"
        if pm["source"] == "gift_card" and pm["balance"] < diff:
            return "Error: insufficient gift card balance to pay for the price difference"
        o["status"] = "exchange requested"
        o["exchange_items"], o["exchange_new_items"] = sorted(item_ids), sorted(new_item_ids)
        o["exchange_payment_method_id"], o["exchange_price_difference"] = payment_method_id, round(diff, 2)
        return o

    def t_modify_pending_order_items(self, order_id, item_ids, new_item_ids, payment_method_id):
        o = self._order(order_id)
        if o is None:
            return "Error: order not found"
        if o["status"] != "pending":
            return "Error: non-pending order cannot be modified"
        err, diff = self._swap(o, item_ids, new_item_ids)
        if err:
            return err
        pm = self.users[o["user_id"]]["payment_methods"].get(payment_method_id)
        if pm is None:
            return "Error: payment method not found"
        if pm["source"] == "gift_card" and pm["balance"] < diff:
            return "Error: insufficient gift card balance to pay for the new item"
        o["payment_history"].append(
            {
                "transaction_type": "payment" if diff > 0 else "refund",
                "amount": abs(diff),
                "payment_method_id": payment_method_id,
            }
        )
        if pm["source"] == "gift_card":
            pm["balance"] = round(pm["balance"] - diff, 2)
        for a, b in zip(item_ids, new_item_ids, strict=False):
            it = next(i for i in o["items"] if i["item_id"] == a)
            v = self.variant(it["product_id"], b)
            it["item_id"], it["price"], it["options"] = b, v["price"], dict(v["options"])
        o["status"] = "pending (item modified)"
        return o

    def t_modify_pending_order_payment(self, order_id, payment_method_id):
        o = self._order(order_id)
        if o is None:
            return "Error: order not found"
        if o["status"] != "pending":
            return "Error: non-pending order cannot be modified"
        pms = self.users[o["user_id"]]["payment_methods"]
        if payment_method_id not in pms:
            return "Error: payment method not found"
        h = o["payment_history"]
        if len(h) > 1 or h[0]["transaction_type"] != "payment":
            return "Error: there should be exactly one payment for a pending order"
        if h[0]["payment_method_id"] == payment_method_id:
            return "Error: the new payment method should be different from the current one"
        amount, old = h[0]["amount"], h[0]["payment_method_id"]
        if pms[payment_method_id]["source"] == "gift_card" and pms[payment_method_id]["balance"] < amount:
            return "Error: insufficient gift card balance to pay for the order"
        h.append({"transaction_type": "payment", "amount": amount, "payment_method_id": payment_method_id})
        h.append({"transaction_type": "refund", "amount": amount, "payment_method_id": old})
        for p, sign in ((payment_method_id, -1), (old, 1)):
            if pms[p]["source"] == "gift_card":
                pms[p]["balance"] = round(pms[p]["balance"] + sign * amount, 2)
        return o

    def t_modify_pending_order_address(self, order_id, address1, address2, city, state, country, zip):  # noqa: A002  (the tool has this argument)
        o = self._order(order_id)
        if o is None:
            return "Error: order not found"
        if o["status"] != "pending":
            return "Error: non-pending order cannot be modified"
        o["address"] = {
            "address1": address1,
            "address2": address2,
            "city": city,
            "state": state,
            "country": country,
            "zip": zip,
        }
        return o

    def t_modify_user_address(self, user_id, address1, address2, city, state, country, zip):  # noqa: A002  (the tool has this argument)
        u = self.users.get(user_id)
        if u is None:
            return "Error: user not found"
        u["address"] = {
            "address1": address1,
            "address2": address2,
            "city": city,
            "state": state,
            "country": country,
            "zip": zip,
        }
        return u


# ------------------------------------------------------------ messages and calls


def loads(text):
    return json.loads(text) if text else {}


def pairs(msgs):
    """(message, tool call, answer or None) in order of the calls."""
    answers = {m["tool_call_id"]: m["content"] for m in msgs if m["role"] == "tool"}
    return [(m, tc, answers.get(tc["id"])) for m in msgs for tc in m.get("tool_calls") or []]


def call_ids(msgs):
    return [tc["id"] for _, tc, _ in pairs(msgs)]


def last_call(msgs):
    ids = call_ids(msgs)
    if not ids:
        raise Skip
    return ids[-1]


def play_all(msgs, shop):
    """Answers of all calls in order, on a fresh copy of the shop: (id -> answer, shop at the end)."""
    s, out = shop.copy(), {}
    for m in msgs:
        for tc in m.get("tool_calls") or []:
            out[tc["id"]] = s.play(tc["function"]["name"], loads(tc["function"]["arguments"]))
    return out, s


class Maker:
    """Makes messages with the look of the good runs' messages."""

    def __init__(self, rng):
        self.rng = rng

    def U(self, text):
        return {"role": "user", "content": text, "index": 0}

    def A(self, text):
        return {"role": "assistant", "content": text, "refusal": None, "annotations": [], "index": 0}

    def C(self, name, **args):
        cid = "call_" + "".join(self.rng.choice(string.ascii_letters + string.digits) for _ in range(24))
        fn = {"name": name, "arguments": json.dumps(args, separators=(",", ":"))}
        return [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": cid, "type": "function", "function": fn}],
                "refusal": None,
                "annotations": [],
                "index": 0,
            },
            {"role": "tool", "tool_call_id": cid, "name": name, "content": "", "index": 0},
        ]

    def pick(self, *texts):
        return self.rng.choice(texts)


def cid(two):
    return two[0]["tool_calls"][0]["id"]


class Site:
    """A write of a good run that went through, with the messages about it."""

    def __init__(self, run, k, mi, tc):
        m = run.msgs
        self.k, self.mi, self.ti, self.id = k, mi, mi + 1, tc["id"]
        self.name, self.args = tc["function"]["name"], loads(tc["function"]["arguments"])
        self.pu = next(i for i in range(mi, -1, -1) if m[i]["role"] == "user")
        self.pa = self.pu - 1
        between = [c for x in m[self.pu : mi] for c in x.get("tool_calls") or []]
        self.direct = not between
        self.prior_write = any(c["function"]["name"] in WRITES for c in between)
        self.da = next(
            (i for i in range(self.ti + 1, len(m)) if m[i]["role"] == "assistant" and m[i]["content"]), None
        )
        self.solo = self.da == self.ti + 1 and not m[self.da].get("tool_calls")
        self.nu = next((i for i in range((self.da or self.ti) + 1, len(m)) if m[i]["role"] == "user"), None)


class Run:
    def __init__(self, rec, shop):
        self.rec, self.shop, self.task = rec, shop, rec["task_id"]
        self.msgs = rec["traj"]
        self.flaw = FLAW.get(self.task)
        self.answers = {tc["id"]: a for _, tc, a in pairs(self.msgs)}
        self.sites, self.calls, k = [], [], 0
        for i, m in enumerate(self.msgs):
            for tc in m.get("tool_calls") or []:
                k += 1
                name, args = tc["function"]["name"], loads(tc["function"]["arguments"])
                self.calls.append((k, i, name, args, tc["id"]))
                ok = not (self.answers.get(tc["id"]) or "").startswith("Error")
                if (
                    name in WRITES
                    and ok
                    and len(m["tool_calls"]) == 1
                    and (self.flaw is None or k <= self.flaw)
                ):
                    self.sites.append(Site(self, k, i, tc))
        self.uid = next(
            (
                a
                for _, tc, a in pairs(self.msgs)
                if tc["function"]["name"].startswith("find_user") and a and not a.startswith("Error")
            ),
            None,
        )
        self.user = shop.users.get(self.uid)
        self.clean = self.flaw is None
        self.last_user = max((i for i, m in enumerate(self.msgs) if m["role"] == "user"), default=None)

    def before_flaw(self, k):
        return self.flaw is None or k <= self.flaw

    def orders(self, status=None):
        """The user's orders that some run has shown."""
        return [
            o
            for o in (self.user or {"orders": []})["orders"]
            if o in self.shop.orders and (status is None or self.shop.orders[o]["status"] == status)
        ]

    def item(self, oid, iid):
        for i in self.shop.orders[oid]["items"]:
            if i["item_id"] == iid:
                return i
        raise Skip

    def new(self, oid, old, new):
        it = self.item(oid, old)
        v = self.shop.variant(it["product_id"], new)
        if v is None:
            raise Skip
        return {
            "name": it["name"],
            "product_id": it["product_id"],
            "item_id": new,
            "price": v["price"],
            "options": v["options"],
        }


# ------------------------------------------------------------ words


def money(x):
    return f"${abs(x):,.2f}" if abs(x) >= 10000 else f"${abs(x):.2f}"


def opts(item, keys=False):
    out = []
    for k, v in item["options"].items():
        if keys:
            out.append(
                f"{k.title()}: {str(v).title() if str(v).islower() and not re.search('[0-9]', str(v)) else v}"
            )
        elif v in ("yes", "no"):
            out.append(k if v == "yes" else f"no {k}" if not k.startswith("water") else f"not {k}")
        elif k in ("water resistance", "backlight") and v in ("not resistant", "none"):
            out.append({"not resistant": "not water resistant", "none": "no backlight"}[v])
        else:
            out.append(str(v))
    return ", ".join(out)


def desc(item, keys=False):
    return f"{item['name']} ({opts(item, keys)})"


def pm_words(user, pid):
    p = user["payment_methods"].get(pid)
    if p is None:
        return "your payment method on file"
    if p["source"] == "credit_card":
        brand = {"visa": "Visa", "mastercard": "Mastercard"}.get(p["brand"], p["brand"].title())
        return f"{brand} ending in {p['last_four']}"
    return {"paypal": "PayPal account", "gift_card": "gift card"}[p["source"]]


def addr_words(a):
    return ", ".join(
        x for x in (a["address1"], a["address2"], a["city"], a["state"], a["zip"], a["country"]) if x
    )


YES = [
    "Yes, please go ahead.",
    "Yes, please proceed.",
    "Yes, that works. Thank you!",
    "Sounds good, please go ahead.",
    "Yes, that's right. Go ahead.",
    "Yes please.",
]
BYE = [
    "Thank you, that's all I needed. ###STOP###",
    "Great, thanks for your help! ###STOP###",
    "No, that's everything. Thank you! ###STOP###",
    "Perfect, thanks. ###STOP###",
    "That's all for now, thanks. ###STOP###",
]
MORE = [
    "Let me know if there's anything else I can assist you with!",
    "If you need further assistance, feel free to ask!",
    "Is there anything else I can help you with?",
]


def settle(R, diff, pid):
    if abs(diff) < 0.005:
        return "There is no price difference."
    w = pm_words(R.user, pid)
    return (
        f"The price difference of {money(diff)} will be charged to your {w}."
        if diff > 0
        else f"A refund of {money(diff)} will be issued to your {w}."
    )


def diff_of(R, args):
    return sum(
        R.new(args["order_id"], a, b)["price"] - R.item(args["order_id"], a)["price"]
        for a, b in zip(args["item_ids"], args["new_item_ids"], strict=False)
    )


def proposal(R, mk, name, args):
    keys = mk.rng.random() < 0.5
    oid, ask = (
        args.get("order_id"),
        mk.pick(
            "Would you like me to proceed?",
            "Please confirm (yes) and I will proceed.",
            "Shall I go ahead with this?",
        ),
    )
    if name in (EXCH, MODI):
        verb = "exchange" if name == EXCH else "modify"
        lines = "\n".join(
            f"- **{desc(R.item(oid, a), keys)}** → **{desc(R.new(oid, a, b), keys)}**, "
            f"{money(R.new(oid, a, b)['price'])} (Item ID: {b})"
            for a, b in zip(args["item_ids"], args["new_item_ids"], strict=False)
        )
        return (
            f"To confirm, I will {verb} the following in order {oid}:\n\n{lines}\n\n"
            f"{settle(R, diff_of(R, args), args['payment_method_id'])} {ask}"
        )
    if name == RET:
        lines = "\n".join(
            f"- **{desc(R.item(oid, a), keys)}** - {money(R.item(oid, a)['price'])}" for a in args["item_ids"]
        )
        return (
            f"To confirm the return from order {oid}:\n\n{lines}\n\nThe refund will go to your "
            f"{pm_words(R.user, args['payment_method_id'])}. {ask}"
        )
    if name == CANC:
        return (
            f'To confirm, you\'d like to cancel order {oid} with the reason "{args["reason"]}". The total will be '
            f"refunded to the original payment method. {ask}"
        )
    if name == MODP:
        return (
            f"To confirm, I will change the payment method of order {oid} to your "
            f"{pm_words(R.user, args['payment_method_id'])}. {ask}"
        )
    what = f"the shipping address of order {oid}" if name == MODA else "your default address"
    return f"To confirm, I will update {what} to:\n\n**{addr_words(args)}**\n\n{ask}"


def done(R, mk, name, args):
    keys, more, oid = mk.rng.random() < 0.5, mk.rng.choice(MORE), args.get("order_id")
    if name in (EXCH, MODI):
        lines = "\n".join(
            f"- **{desc(R.item(oid, a), keys)}** → **{desc(R.new(oid, a, b), keys)}**"
            for a, b in zip(args["item_ids"], args["new_item_ids"], strict=False)
        )
        s = settle(R, diff_of(R, args), args["payment_method_id"])
        if name == EXCH:
            return (
                f"The exchange for order {oid} has been requested:\n\n{lines}\n\n{s} You will receive an email with "
                f"instructions on how to return the original item{'s' if len(args['item_ids']) > 1 else ''}. {more}"
            )
        return f"Your order {oid} has been modified:\n\n{lines}\n\n{s} {more}"
    if name == RET:
        lines = "\n".join(
            f"- **{desc(R.item(oid, a), keys)}** - {money(R.item(oid, a)['price'])}" for a in args["item_ids"]
        )
        tot = sum(R.item(oid, a)["price"] for a in args["item_ids"])
        return (
            f"The return request for order {oid} has been submitted:\n\n{lines}\n\nThe refund of "
            f"{money(tot)} will go to "
            f"your {pm_words(R.user, args['payment_method_id'])}. You will receive an email with "
            f"return instructions. {more}"
        )
    if name == CANC:
        h = R.shop.orders[oid]["payment_history"][0]
        when = "immediately" if "gift_card" in h["payment_method_id"] else "within 5 to 7 business days"
        return (
            f"Order {oid} has been cancelled (reason: {args['reason']}). The total of {money(h['amount'])} will be "
            f"refunded to your {pm_words(R.user, h['payment_method_id'])} {when}. {more}"
        )
    if name == MODP:
        return (
            f"The payment method of order {oid} has been changed to your "
            f"{pm_words(R.user, args['payment_method_id'])}. {more}"
        )
    what = f"The shipping address of order {oid}" if name == MODA else "Your default address"
    return f"{what} has been updated to:\n\n**{addr_words(args)}**\n\n{more}"


def head(R, s, keep_user=True):
    """Messages up to the write; without a message of the write's turn when it is not direct."""
    return copy.deepcopy(R.msgs[: s.mi])


def tail(R, s):
    """From the user's next word on."""
    return copy.deepcopy(R.msgs[s.nu :]) if s.nu is not None else []


def old_done(R, s):
    return copy.deepcopy(R.msgs[s.ti + 1 : s.nu if s.nu is not None else len(R.msgs)])


def bye(mk):
    return mk.U(mk.rng.choice(BYE))


def complain(R, mk, name, right, wanted, got, wrong=None, say=None):
    """The user notices; the agent tries to mend it with the right call."""
    out = [
        mk.U(
            say
            or mk.pick(
                f"Wait, that's not right. I asked for {wanted}, not {got}. Please fix it.",
                f"Hold on - {got}? I wanted {wanted}. Can you correct that?",
                f"Hmm, I said {wanted}. Why does it say {got}?",
            )
        )
    ]
    two = mk.C(name, **right)
    if wrong and wrong.get("order_id") != right.get("order_id"):
        return (
            out
            + two
            + [
                mk.A(
                    f"I apologize for the mix-up. The request for order {right['order_id']} has been submitted now. "
                    f"Unfortunately, what was done to order {wrong['order_id']} cannot be undone."
                ),
                mk.U(
                    mk.pick(
                        "That's really disappointing. ###STOP###",
                        "Seriously? That's your mistake, not mine. ###STOP###",
                    )
                ),
            ]
        )
    if name in (MODA, MODU):
        return out + two + [mk.A("I apologize for the mistake. " + done(R, mk, name, right)), bye(mk)]
    out += two
    if mk.rng.random() < 0.4:
        return out + mk.C(
            "transfer_to_human_agents",
            summary=f"The user asked for {wanted} but the request was submitted "
            f"with {got} for order {right.get('order_id')}. It cannot be changed any more and the user wants it "
            f"corrected.",
        )
    return [
        *out,
        mk.A(
            f"I apologize for the mix-up. The request for order {right.get('order_id')} has already been submitted "
            "and its status no longer allows another change, so I'm unable to correct it."
        ),
        mk.U(
            mk.pick(
                "That's really disappointing. ###STOP###",
                "Seriously? That's your mistake, not mine. I'll call in. ###STOP###",
                "Okay... I guess there's nothing to do then. ###STOP###",
            )
        ),
    ]


def after_slip(R, mk, s, name, args, right, wanted, got, unaware=0.4, notice=0.35, say=None):
    """What follows a wrong write that went through: the agent's report, and the rest of the run or a complaint."""
    if mk.rng.random() < unaware and s.name == name:
        return old_done(R, s) + tail(R, s)
    out = [mk.A(done(R, mk, name, args))]
    if mk.rng.random() < notice:
        return out + complain(R, mk, s.name, right, wanted, got, args, say)
    return out + (tail(R, s) or [bye(mk)])


# ------------------------------------------------------------ operators: wrong arguments
# An operator returns (messages, id of the first wrong call).


def rank_alts(R, oid, old, new, available=True):
    it = R.item(oid, old)
    if it["product_id"] not in R.shop.products:
        raise Skip
    vs = R.shop.products[it["product_id"]]["variants"]
    want = vs.get(new)
    if want is None:
        raise Skip
    c = [v for i, v in vs.items() if v["available"] == available and i not in (old, new)]
    c.sort(key=lambda v: (-sum(v["options"].get(k) == x for k, x in want["options"].items()), v["item_id"]))
    if not c:
        raise Skip
    return [v["item_id"] for v in c[:3]]


def segment_plain(R, s):
    """The turn before the confirmation holds no calculation (its figures would not fit another item)."""
    i = s.pa
    while i > 0 and R.msgs[i]["role"] != "user":
        for tc in R.msgs[i].get("tool_calls") or []:
            if tc["function"]["name"] in ("calculate", "think"):
                return False
        i -= 1
    return True


def is_yes(R, s):
    return (
        s.direct
        and re.match(
            r"(?i)^(yes|yeah|perfect|that sounds|everything|i confirm|that works|ok)", R.msgs[s.pu]["content"]
        )
        and "?" not in R.msgs[s.pu]["content"]
        and R.msgs[s.pa]["role"] == "assistant"
        and not R.msgs[s.pa].get("tool_calls")
    )


def swap_item(R, s, rng, available=True):
    if s.name not in (EXCH, MODI):
        raise Skip
    oid = s.args["order_id"]
    idx = [i for i, (a, b) in enumerate(zip(s.args["item_ids"], s.args["new_item_ids"], strict=False))]
    i = rng.choice(idx)
    a, b = s.args["item_ids"][i], s.args["new_item_ids"][i]
    alt = rng.choice(rank_alts(R, oid, a, b, available))
    args = copy.deepcopy(s.args)
    args["new_item_ids"][i] = alt
    return args, R.new(oid, a, b), R.new(oid, a, alt)


def wrong_item(R, s, mk):
    args, want, got = swap_item(R, s, mk.rng)
    two = mk.C(s.name, **args)
    if is_yes(R, s) and segment_plain(R, s) and mk.rng.random() < 0.55:
        m = [
            *copy.deepcopy(R.msgs[: s.pa]),
            mk.A(proposal(R, mk, s.name, args)),
            mk.U(mk.rng.choice(YES)),
            *two,
        ]
        return m + after_slip(R, mk, s, s.name, args, s.args, opts(want), opts(got), unaware=0), cid(two)
    return head(R, s) + two + after_slip(
        R, mk, s, s.name, args, s.args, opts(want), opts(got), unaware=0.5
    ), cid(two)


def wrong_old_item(R, s, mk):
    if s.name != RET:
        raise Skip
    oid = s.args["order_id"]
    others = [i["item_id"] for i in R.shop.orders[oid]["items"] if i["item_id"] not in s.args["item_ids"]]
    if not others:
        raise Skip
    args = copy.deepcopy(s.args)
    j = mk.rng.randrange(len(args["item_ids"]))
    want, args["item_ids"][j] = R.item(oid, args["item_ids"][j]), mk.rng.choice(others)
    got = R.item(oid, args["item_ids"][j])
    two = mk.C(s.name, **args)
    return head(R, s) + two + after_slip(
        R, mk, s, s.name, args, s.args, "the " + desc(want), "the " + desc(got)
    ), cid(two)


def extra_item(R, s, mk):
    if s.name != RET:
        raise Skip
    oid = s.args["order_id"]
    others = [i["item_id"] for i in R.shop.orders[oid]["items"] if i["item_id"] not in s.args["item_ids"]]
    if not others:
        raise Skip
    args = copy.deepcopy(s.args)
    args["item_ids"].append(mk.rng.choice(others))
    got = R.item(oid, args["item_ids"][-1])
    two = mk.C(s.name, **args)
    return head(R, s) + two + after_slip(
        R,
        mk,
        s,
        s.name,
        args,
        s.args,
        f"the {got['name']} to be left out",
        f"the {got['name']} returned as well",
        notice=0.5,
        say=mk.pick(
            f"Wait, why is the {got['name']} in there? I wanted to keep that. Take it out.",
            f"I never said I'd return the {got['name']}! Please remove it.",
        ),
    ), cid(two)


def omitted_item(R, s, mk):
    if s.name not in (EXCH, MODI, RET) or len(s.args["item_ids"]) < 2:
        raise Skip
    args, oid = copy.deepcopy(s.args), s.args["order_id"]
    j = mk.rng.randrange(len(args["item_ids"]))
    gone = R.item(oid, args["item_ids"].pop(j))
    right = {"order_id": oid, "item_ids": [gone["item_id"]], "payment_method_id": s.args["payment_method_id"]}
    if s.name != RET:
        right["new_item_ids"] = [args["new_item_ids"].pop(j)]
        right = {k: right[k] for k in REQUIRED[s.name]}
    two = mk.C(s.name, **args)
    return head(R, s) + two + after_slip(
        R,
        mk,
        s,
        s.name,
        args,
        right,
        f"the {gone['name']} as well",
        "only the rest",
        unaware=0.5,
        say=mk.pick(
            f"And the {gone['name']}? I asked for that, too.",
            f"You forgot the {gone['name']}. Please add it.",
        ),
    ), cid(two)


def wrong_payment(R, s, mk):
    if s.name not in (EXCH, MODI, RET, MODP) or R.user is None:
        raise Skip
    others = [p for p in R.user["payment_methods"] if p != s.args["payment_method_id"]]
    if not others:
        raise Skip
    args = dict(copy.deepcopy(s.args), payment_method_id=mk.rng.choice(others))
    w, g = pm_words(R.user, s.args["payment_method_id"]), pm_words(R.user, args["payment_method_id"])
    two = mk.C(s.name, **args)
    m = head(R, s) + two
    res, _ = play_all(m, R.shop)
    if not res[cid(two)].startswith("Error"):
        return m + after_slip(R, mk, s, s.name, args, s.args, f"my {w}", f"my {g}"), cid(two)
    if mk.rng.random() < 0.5:
        m += mk.C(
            "think",
            thought=f"That payment method was not accepted. The user said {w}, so I should use that one.",
        )
    return m + copy.deepcopy(R.msgs[s.mi :]), cid(two)


def wrong_order(R, s, mk):
    if s.name == MODU or R.user is None:
        raise Skip
    targets = {a.get("order_id") for _, _, n, a, _ in R.calls if n in WRITES}
    st = "delivered" if s.name in (EXCH, RET) else "pending"
    seen = {a.get("order_id") for k, _, n, a, _ in R.calls if n == "get_order_details" and k < s.k}
    others = [o for o in R.orders(st) if o not in targets and o in seen]
    args = copy.deepcopy(s.args)
    if s.name in (CANC, MODA, MODP):
        if not others:
            raise Skip
        args["order_id"] = mk.rng.choice(others)
        two = mk.C(s.name, **args)
        return head(R, s) + two + after_slip(
            R, mk, s, s.name, args, s.args, f"order {s.args['order_id']}", f"order {args['order_id']}"
        ), cid(two)
    prod = R.item(s.args["order_id"], s.args["item_ids"][0])["product_id"]
    same = [(o, i["item_id"]) for o in others for i in R.shop.orders[o]["items"] if i["product_id"] == prod]
    if same and len(args["item_ids"]) == 1:
        args["order_id"], iid = mk.rng.choice(same)
        args["item_ids"] = [iid]
        two = mk.C(s.name, **args)
        return head(R, s) + two + after_slip(
            R,
            mk,
            s,
            s.name,
            args,
            s.args,
            f"the one from order {s.args['order_id']}",
            f"order {args['order_id']}",
        ), cid(two)
    others = [o for o in R.orders() if o != s.args["order_id"] and o in seen]
    if not others or mk.rng.random() < 0.6:
        raise Skip
    args["order_id"] = mk.rng.choice(others)
    two = mk.C(s.name, **args)
    return head(R, s) + two + copy.deepcopy(R.msgs[s.mi :]), cid(two)


def wrong_address(R, s, mk):
    if s.name not in (MODA, MODU):
        raise Skip
    args, rng = copy.deepcopy(s.args), mk.rng
    ways = ["house", "zip"] + (["suite", "nosuite"] if args["address2"] else []) + ["other"]
    way = rng.choice(ways)
    if way == "house":
        num, rest = args["address1"].split(" ", 1)
        args["address1"] = (
            f"{num[:-2]}{num[-1]}{num[-2]} {rest}"
            if len(num) > 1 and num[-1] != num[-2]
            else f"{int(num) + 10} {rest}"
        )
    elif way == "zip":
        z = args["zip"]
        args["zip"] = z[:2] + z[3] + z[2] + z[4:] if z[2] != z[3] else z[:-1] + str((int(z[-1]) + 3) % 10)
    elif way == "suite":
        n = re.search(r"\d+", args["address2"]).group()
        args["address2"] = args["address2"].replace(n, str(int(n) + rng.choice([1, 10, 9, 100])))
    elif way == "nosuite":
        args["address2"] = ""
    else:
        pool = [R.user["address"]] + [R.shop.orders[o]["address"] for o in R.orders()] if R.user else []
        pool = [a for a in pool if a["address1"] != args["address1"]]
        if not pool:
            raise Skip
        args.update(copy.deepcopy(rng.choice(pool)))
    two = mk.C(s.name, **args)
    if not s.solo:
        return head(R, s) + two + copy.deepcopy(R.msgs[s.ti + 1 :]), cid(two)
    return head(R, s) + two + after_slip(
        R, mk, s, s.name, args, s.args, addr_words(s.args), addr_words(args), notice=0.4
    ), cid(two)


def wrong_reason(R, s, mk):
    if s.name != CANC:
        raise Skip
    args = dict(
        s.args, reason={"no longer needed": "ordered by mistake"}.get(s.args["reason"], "no longer needed")
    )
    two = mk.C(s.name, **args)
    if not s.solo:
        return head(R, s) + two + copy.deepcopy(R.msgs[s.ti + 1 :]), cid(two)
    return head(R, s) + two + after_slip(
        R, mk, s, s.name, args, s.args, f'the reason "{s.args["reason"]}"', f'"{args["reason"]}"', notice=0.2
    ), cid(two)


def forms(x):
    x = abs(float(x))
    return [f"{x:,.2f}", f"{x:.2f}", f"{x:,.1f}" if round(x, 1) == x else f"{x:,.2f}"]


def put_number(text, old, new):
    for f, g in zip(forms(old), forms(new), strict=False):
        text = re.sub(rf"(?<![\d.,]){re.escape(f)}(?!\d)", g, text)
    return text


def wrong_calc(R, _, mk):
    rng = mk.rng
    c = [x for x in R.calls if x[2] == "calculate" and R.before_flaw(x[0])]
    if not c:
        raise Skip
    _k, i, _, args, id_ = rng.choice(c)
    e = args["expression"]
    nums = re.findall(r"\d+\.?\d*", e)
    ways = ["digit", "digit"] + (["drop", "drop"] if len(nums) > 2 else [])
    way = rng.choice(ways)
    if way == "drop":
        n = re.sub(r"\s*[+-]\s*(\([^()]*\)|\d+\.?\d*)$", "", e)
    else:
        v = rng.choice([x for x in nums if len(x) > 3] or nums)
        v.replace(".", "")
        j = next(
            (j for j in range(1, len(v) - 1) if v[j] != "." and v[j + 1] != "." and v[j] != v[j + 1]), None
        )
        w = v[:j] + v[j + 1] + v[j] + v[j + 2 :] if j is not None else str(float(v) + 10)
        n = e.replace(v, w, 1)
    if n == e:
        raise Skip
    m = copy.deepcopy(R.msgs)
    old, new = R.shop.t_calculate(e), R.shop.t_calculate(n)
    if old == new:
        raise Skip
    m[i]["tool_calls"][0]["function"]["arguments"] = json.dumps({"expression": n}, separators=(",", ":"))
    hit = False
    for x in m[i + 1 :]:
        if x["role"] in ("assistant", "user") and x["content"]:
            t = put_number(x["content"], old, new)
            hit |= t != x["content"]
            x["content"] = t
    if not hit:
        raise Skip
    return m, id_


# ------------------------------------------------------------ operators: false statements, false reading

INFO = {
    25: [(r"907614527588", "908856694334"), (r"907614527588", "907614572588")],
    43: [
        (r"840887978435", "840887798435"),
        (r"64GB", "128GB"),
        (r"Maple Drive, Suite 356", "Maple Drive, Suite 365"),
    ],
    40: [
        (r"balance of \$60\b", "balance of $90"),
        (r"you used your Mastercard ending in 4336", "you used your Visa ending in 8902"),
    ],
    67: [(r"829\.43", "892.34")],
    68: [(r"829\.43", "534.84")],
    65: [(r"537\.01", "473.48")],
    89: [(r"226\.11", "231.37"), (r"\*\*Switch Type\*\*: Tactile", "**Switch Type**: Clicky")],
    62: [(r"20 hours", "10 hours"), (r"302\.67", "203.67")],
    90: [(r"has a 5x zoom feature", "has a 3x zoom feature")],
    57: [(r"Dallas, TX, 75322", "San Diego, CA, 92133")],
    30: [(r"746342064230", "746342064320")],
    29: [(r"208\.60", "189.75"), (r"180\.10", "170.10")],
    60: [(r"242\.92", "224.92")],
}


def wrong_info(R, _, mk):
    rng = mk.rng
    m = copy.deepcopy(R.msgs)
    c = list(INFO.get(R.task, []))
    # or, of any cancellation to a card: the refund is said to be there at once
    rng.shuffle(c)
    if not c or rng.random() < 0.15:
        for i, x in enumerate(m):
            if (
                x["role"] == "assistant"
                and x["content"]
                and re.search(r"within 5[ -\u2013]?(to |\u2013|-)?7 business days", x["content"])
                and i > 4
                and R.before_flaw(len(call_ids(m[:i])))
            ):
                x["content"] = re.sub(
                    r"within 5[ -\u2013]?(to |\u2013|-)?7 business days",
                    rng.choice(["immediately", "within 24 hours", "within 10 to 14 business days"]),
                    x["content"],
                )
                return m, last_call(m[:i])
        if not c:
            raise Skip
    pat, new = c[0]
    mark = None
    for i, x in enumerate(m):
        if (
            x["role"] in ("assistant", "user")
            and x["content"]
            and not x.get("tool_calls")
            and re.search(pat, x["content"])
        ):
            if mark is None:
                if x["role"] == "user" or not call_ids(m[:i]):
                    raise Skip
                mark = last_call(m[:i])
                if not R.before_flaw(call_ids(m).index(mark) + 1):
                    raise Skip
            x["content"] = re.sub(pat, new, x["content"])
    if mark is None:
        raise Skip
    return m, mark


def misread_stock(R, s, mk):
    if s.name not in (EXCH, MODI) or len(s.args["item_ids"]) != 1 or not is_yes(R, s):
        raise Skip
    args, want, got = swap_item(R, s, mk.rng)
    c = s.pa
    while R.msgs[c - 1]["role"] == "tool" and R.msgs[c - 1]["name"] in ("calculate", "think"):
        c -= 2
    m = copy.deepcopy(R.msgs[:c])
    last = max((i for i, x in enumerate(m) if x.get("name") == "get_product_details"), default=None)
    if last is None or any(x["role"] == "assistant" and x["content"] for x in m[last:]):
        raise Skip  # the agent has not yet said what is to be had
    d = diff_of(R, args)
    m += [
        mk.A(
            mk.pick(
                f"Unfortunately, the {want['name']} with {opts(want)} is currently out of stock. ",
                f"I checked the available options, and {opts(want)} is not available at the moment. ",
            )
            + f"The closest available option is **{desc(got)}** at {money(got['price'])}. "
            f"{settle(R, d, args['payment_method_id'])} Would you like to go with this one instead?"
        ),
        mk.U(
            mk.pick(
                "Oh, that's a pity. Okay, I'll take that one then. Please go ahead.",
                "Hmm, alright. Yes, let's do that instead.",
                "If there's no other way, yes, go ahead.",
            )
        ),
    ]
    two = mk.C(s.name, **args)
    return m + two + [mk.A(done(R, mk, s.name, args))] + (tail(R, s) or [bye(mk)]), cid(two)


def unavailable_item(R, s, mk):
    args, want, got = swap_item(R, s, mk.rng, available=False)
    two = mk.C(s.name, **args)
    if is_yes(R, s) and segment_plain(R, s) and mk.rng.random() < 0.6:
        m = [
            *copy.deepcopy(R.msgs[: s.pa]),
            mk.A(proposal(R, mk, s.name, args)),
            mk.U(mk.rng.choice(YES)),
            *two,
        ]
        if mk.rng.random() < 0.35:
            m += [
                mk.A(
                    f"It seems the {desc(got)} is not available after all. Unfortunately I can't complete this request "
                    "right now."
                ),
                mk.U("But you just offered it to me... Okay, forget it then. ###STOP###"),
            ]
            return m, cid(two)
        m += [
            mk.A(
                f"I apologize, the {desc(got)} turns out to be unavailable. The option you asked "
                f"for, **{opts(want)}**, is "
                f"available at {money(want['price'])}. {settle(R, diff_of(R, s.args), s.args['payment_method_id'])} "
                "Shall I use that one?"
            ),
            mk.U(mk.rng.choice(YES)),
        ]
        return m + copy.deepcopy(R.msgs[s.mi :]), cid(two)
    m = head(R, s) + two
    if mk.rng.random() < 0.5:
        m += mk.C(
            "think",
            thought=f"Item {got['item_id']} is not available. The variant the user chose is "
            f"{want['item_id']} ({opts(want)}). I should use that one.",
        )
    return m + copy.deepcopy(R.msgs[s.mi :]), cid(two)


def hallucinated_id(R, s, mk):
    rng = mk.rng
    way = rng.choice(["pm", "pm", "item", "order", "user"])
    if way in ("order", "user"):
        want = "get_order_details" if way == "order" else "get_user_details"
        c = [x for x in R.calls if x[2] == want and R.before_flaw(x[0]) and x[0] < s.k]
        if not c:
            raise Skip
        _k, i, name, args, _ = rng.choice(c)
        if way == "order":
            o = args["order_id"]
            j = rng.randrange(3, len(o) - 1)
            if o[j] == o[j + 1]:
                raise Skip
            bad = {"order_id": o[:j] + o[j + 1] + o[j] + o[j + 2 :]}
        else:
            bad = {"user_id": re.sub(r"\d+$", lambda x: str(rng.randrange(1000, 9999)), args["user_id"])}
        two = mk.C(name, **bad)
        return copy.deepcopy(R.msgs[:i]) + two + copy.deepcopy(R.msgs[i:]), cid(two)
    args = copy.deepcopy(s.args)
    if way == "pm":
        if "payment_method_id" not in args or R.user is None:
            raise Skip
        src = args["payment_method_id"].rsplit("_", 1)[0]
        args["payment_method_id"] = (
            f"{src}_{rng.choice([rng.randrange(1000000, 9999999), '1234567', '0000'])}"
            if rng.random() < 0.7
            else "original_payment_method"
        )
        fix = mk.C("get_user_details", user_id=R.uid)
    else:
        if s.name not in (EXCH, MODI):
            raise Skip
        args["new_item_ids"][0] = "".join(rng.choice("123456789") for _ in range(10))
        fix = mk.C(
            "get_product_details", product_id=R.item(args["order_id"], args["item_ids"][0])["product_id"]
        )
    two = mk.C(s.name, **args)
    m = head(R, s) + two
    if rng.random() < 0.25:
        return [
            *m,
            mk.A(
                "I'm sorry, a technical problem prevents me from completing this request at the moment. Please try "
                "again later."
            ),
            mk.U("Okay, I'll try again later. ###STOP###"),
        ], cid(two)
    return m + (fix if rng.random() < 0.7 else []) + copy.deepcopy(R.msgs[s.mi :]), cid(two)


def product_confusion(R, _, mk):
    c = [x for x in R.calls if x[2] == "get_product_details" and R.before_flaw(x[0])]
    if not c:
        raise Skip
    k, i, name, args, _ = mk.rng.choice(c)
    ids = [
        it["item_id"]
        for o in R.orders()
        for it in R.shop.orders[o]["items"]
        if it["product_id"] == args["product_id"]
        and any(n == "get_order_details" and a.get("order_id") == o and kk < k for kk, _, n, a, _ in R.calls)
    ]
    if not ids:
        raise Skip
    two = mk.C(name, product_id=ids[0])
    m = copy.deepcopy(R.msgs[:i]) + two
    r = mk.rng.random()
    if r < 0.25:
        m += [
            mk.A(
                "I couldn't find any product information for this item, so it seems there are "
                "no other options available "
                "for it at the moment."
            ),
            mk.U(
                mk.pick(
                    "Oh. Then I'll leave it as it is. ###STOP###",
                    "That's odd, but okay. Thanks anyway. ###STOP###",
                )
            ),
        ]
        return m, cid(two)
    if r < 0.5:
        m += mk.C("think", thought="That was the item id. I need the product id from the order details.")
    return m + copy.deepcopy(R.msgs[i:]), cid(two)


def typo(w, rng):
    j = rng.randrange(1, max(2, len(w) - 1))
    return w[:j] + w[j + 1 :] if rng.random() < 0.5 else w[:j] + w[j] + w[j:]


def mistyped_lookup(R, _, mk):
    rng = mk.rng
    c = [x for x in R.calls if x[2].startswith("find_user") and not R.answers[x[4]].startswith("Error")]
    if not c:
        raise Skip
    _k, i, name, args, _ = c[0]
    bad = dict(args)
    if name.endswith("zip"):
        f = rng.choice(["last_name", "zip", "first_name", "swap"])
        if f == "zip":
            z = bad["zip"]
            bad["zip"] = z[:3] + z[4] + z[3] if z[3] != z[4] else z[:-1] + str((int(z[-1]) + 1) % 10)
        elif f == "swap":
            bad["first_name"], bad["last_name"] = bad["last_name"], bad["first_name"]
        else:
            bad[f] = typo(bad[f], rng)
        said = f"{args['first_name']} {args['last_name']}, {args['zip']}"
    else:
        a, b = bad["email"].split("@")
        bad["email"] = f"{typo(a, rng)}@{b}" if rng.random() < 0.6 else f"{a}@{b.replace('example', 'gmail')}"
        said = args["email"]
    two = mk.C(name, **bad)
    m = copy.deepcopy(R.msgs[:i]) + two
    if rng.random() < 0.5:
        m += [
            mk.A("I couldn't find an account with those details. Could you please double-check them?"),
            mk.U(mk.pick(f"It's exactly as I said: {said}.", f"{said} - please check again.")),
        ]
    return m + copy.deepcopy(R.msgs[i:]), cid(two)


# ------------------------------------------------------------ operators: policy and wrong decisions


def unconfirmed_write(R, s, mk):
    if (
        not is_yes(R, s)
        or not s.solo
        or not re.search(r"(?i)proceed|confirm|would you like|shall i", R.msgs[s.pa]["content"])
    ):
        raise Skip
    if R.msgs[s.pa - 1]["role"] not in ("user", "tool") or s.pa < 7:
        raise Skip
    asked = next(x["content"] for x in reversed(R.msgs[: s.pa]) if x["role"] == "user")
    if re.search(r"(?i)^(yes|yeah)|go ahead|proceed|process|finalize|confirm", asked):
        raise Skip  # that was a yes already
    m = copy.deepcopy(R.msgs[: s.pa]) + copy.deepcopy(R.msgs[s.mi : s.nu])
    r = mk.rng.random()
    if r < 0.35:
        m += [
            mk.U(
                mk.pick(
                    "Wait, I hadn't said yes yet! I wanted to see the details first.",
                    "Oh, you already did it? I only wanted to know what it would cost.",
                    "Hold on, you should have asked me before doing that.",
                )
            ),
            mk.A(
                "I apologize for proceeding before you confirmed. The request has already been "
                "submitted, and I'm not able "
                "to undo it."
            ),
            mk.U(
                mk.pick(
                    "Well, it's what I wanted anyway. Fine. ###STOP###",
                    "That's not okay, but fine. ###STOP###",
                )
            ),
        ]
        return m, s.id
    return m + tail(R, s), s.id


def no_auth(R, _, mk):
    c = [x for x in R.calls if x[2].startswith("find_user") and not R.answers[x[4]].startswith("Error")]
    if not c or not R.uid:
        raise Skip
    k, _i, _, _, _fid = c[0]
    nxt = next((x for x in R.calls if x[0] > k), None)
    if nxt is None or R.msgs[1]["role"] != "user":
        raise Skip
    m = copy.deepcopy(R.msgs[:2])
    if nxt[2] == "get_user_details":
        m[1]["content"] = m[1]["content"].rstrip() + mk.pick(
            f" My user ID is {R.uid}.", f" I'm {R.uid}, by the way.", f" (user id: {R.uid})"
        )
        rest = copy.deepcopy(R.msgs[nxt[1] :])
    elif nxt[2] == "get_order_details":
        if nxt[3]["order_id"].strip("#") not in m[1]["content"]:
            m[1]["content"] = m[1]["content"].rstrip() + f" It's order {nxt[3]['order_id']}."
        rest = copy.deepcopy(R.msgs[nxt[1] :])
    else:
        raise Skip
    return m + rest, nxt[4]


def wrong_tool(R, s, mk):
    rng, a = mk.rng, copy.deepcopy(s.args)
    if s.name == MODI:
        if rng.random() < 0.5:
            two = mk.C(EXCH, **a)
            m = head(R, s) + two
            if rng.random() < 0.4:
                return [
                    *m,
                    mk.A(
                        f"Unfortunately, order {a['order_id']} has not been delivered yet, so "
                        "the item cannot be changed "
                        "now. Please contact us again once it has arrived."
                    ),
                    mk.U(mk.pick("Okay, I'll wait then. ###STOP###", "That's a shame. Bye. ###STOP###")),
                ], cid(two)
            return m + copy.deepcopy(R.msgs[s.mi :]), cid(two)
        args = {"order_id": a["order_id"], "reason": rng.choice(["no longer needed", "ordered by mistake"])}
        two = mk.C(CANC, **args)
        return head(R, s) + two + [
            mk.A(done(R, mk, CANC, args) + " You can now place a new order with the option you want.")
        ] + (
            complain(R, mk, MODI, a, "the item changed", "a cancelled order")
            if rng.random() < 0.6
            else [mk.U("Oh, I thought you'd just change it. Well, okay. ###STOP###")]
        ), cid(two)
    if s.name == EXCH:
        pid = R.shop.orders[a["order_id"]]["payment_history"][0]["payment_method_id"]
        args = {"order_id": a["order_id"], "item_ids": a["item_ids"], "payment_method_id": pid}
        two = mk.C(RET, **args)
        return head(R, s) + two + after_slip(
            R, mk, s, RET, args, s.args, "an exchange", "a return", notice=0.5
        ), cid(two)
    if rng.random() < 0.7:  # the usual confusion is that of exchange, modify and return
        raise Skip
    if s.name == RET:
        two = mk.C(CANC, order_id=a["order_id"], reason="no longer needed")
        return head(R, s) + two + copy.deepcopy(R.msgs[s.mi :]), cid(two)
    if s.name == CANC:
        o = R.shop.orders[a["order_id"]]
        two = mk.C(
            RET,
            order_id=a["order_id"],
            item_ids=[i["item_id"] for i in o["items"]],
            payment_method_id=o["payment_history"][0]["payment_method_id"],
        )
        return head(R, s) + two + copy.deepcopy(R.msgs[s.mi :]), cid(two)
    raise Skip


NOUN = {
    EXCH: "exchange items of",
    RET: "return items of",
    MODI: "change items of",
    CANC: "cancel",
    MODA: "change the shipping address of",
    MODP: "change the payment method of",
}


def needless_transfer(R, s, mk):
    rng = mk.rng
    if s.prior_write or s.pa < 5:
        raise Skip
    what = "change their default address" if s.name == MODU else f"{NOUN[s.name]} order {s.args['order_id']}"
    errs = [x for x in R.calls if x[2].startswith("find_user") and R.answers[x[4]].startswith("Error")]
    if errs and rng.random() < 0.5:
        i = errs[0][1]
        two = mk.C(
            "transfer_to_human_agents",
            summary="The user could not be found with the details given and needs help with an order.",
        )
        return copy.deepcopy(R.msgs[: i + 2]) + two, cid(two)
    two = mk.C(
        "transfer_to_human_agents",
        summary=mk.pick(
            f"The user wants to {what}. The user's identity has been verified.",
            f"User {R.uid} requests to {what}. This needs to be handled by a human agent.",
            f"The user has been authenticated and would like to {what}; transferring for further assistance.",
        ),
    )
    cut = s.pa if rng.random() < 0.5 and R.msgs[s.pa - 1]["role"] in ("tool", "user") else s.mi
    return copy.deepcopy(R.msgs[:cut]) + two, cid(two)


REFUSE = {
    EXCH: [
        "Unfortunately, this item is not eligible for an exchange.",
        "I'm afraid exchanges are only possible within 30 days of purchase, so I can't process this one.",
        "Our system does not support exchanging this type of product.",
    ],
    RET: [
        "Unfortunately, this item is a final sale and cannot be returned.",
        "I'm sorry, the return window for this order has already closed.",
        "Returns cannot be requested through chat, so I'm unable to process this.",
    ],
    MODI: [
        "Unfortunately, items of an order cannot be changed once the order has been placed.",
        "I'm sorry, this order is already being prepared for shipment and cannot be modified.",
    ],
    CANC: [
        "Unfortunately, this order has already been processed and can no longer be cancelled.",
        "I'm sorry, orders can only be cancelled within one hour of being placed.",
    ],
    MODA: [
        "I'm sorry, the shipping address of an existing order cannot be changed.",
        "Unfortunately, the address can only be changed by the carrier once an order is placed.",
    ],
    MODU: [
        "For security reasons I'm not able to change the address of your account.",
        "I'm sorry, only you can change your default address, in your account settings.",
    ],
    MODP: ["Unfortunately, the payment method of a placed order cannot be changed."],
}


def wrong_refusal(R, s, mk):
    if s.prior_write or R.msgs[s.pa - 1]["role"] not in ("tool", "user") or s.pa < 6:
        raise Skip
    m = copy.deepcopy(R.msgs[: s.pa])
    mark = last_call(m)
    text = mk.rng.choice(REFUSE[s.name])
    m += [mk.A(text + " " + mk.rng.choice(MORE))]
    if mk.rng.random() < 0.5:
        m += [
            mk.U(
                mk.pick("Are you sure? I really need this done.", "That can't be right. Can you check again?")
            ),
            mk.A(
                "I understand your frustration, but I'm unable to do this. I apologize for the inconvenience."
            ),
        ]
    return [
        *m,
        mk.U(
            mk.pick(
                "Okay, then leave it. ###STOP###",
                "That's disappointing. Bye. ###STOP###",
                "Fine, I'll keep it as it is. ###STOP###",
            )
        ),
    ], mark


def user_msg(R, pat):
    for i, m in enumerate(R.msgs):
        if m["role"] == "user" and re.search(pat, m["content"]):
            return i
    raise Skip


def all_items(R, oid):
    return [i["item_id"] for i in R.shop.orders[oid]["items"]]


def pm_of(R, source, brand=None):
    for p, v in R.user["payment_methods"].items():
        if v["source"] == source and (brand is None or brand in v.get("brand", "")):
            return p
    raise Skip


def forbidden_payment(R, _, mk):
    t = R.task
    if t == 11:
        i, two = (
            user_msg(R, "Refund Order #W5490111 to PayPal"),
            (
                RET,
                {
                    "order_id": "#W5490111",
                    "item_ids": all_items(R, "#W5490111"),
                    "payment_method_id": pm_of(R, "paypal"),
                },
            ),
        )
    elif t == 10:
        i, two = (
            user_msg(R, "Refund to the other order"),
            (
                RET,
                {
                    "order_id": "#W5490111",
                    "item_ids": all_items(R, "#W5490111"),
                    "payment_method_id": pm_of(R, "paypal"),
                },
            ),
        )
    elif t == 25:
        ids = [x["item_id"] for x in R.shop.orders["#W5565470"]["items"] if x["name"] != "Pet Bed"]
        i, two = (
            user_msg(R, "Amex credit card"),
            (RET, {"order_id": "#W5565470", "item_ids": ids, "payment_method_id": pm_of(R, "credit_card")}),
        )
    elif t == 83:
        ids = [x["item_id"] for x in R.shop.orders["#W9571698"]["items"] if x["name"] == "Tablet"]
        i, two = (
            user_msg(R, "refund go back to my credit card"),
            (RET, {"order_id": "#W9571698", "item_ids": ids, "payment_method_id": pm_of(R, "credit_card")}),
        )
    elif t == 40:
        i, two = (
            user_msg(R, r"use the \$60 gift card"),
            (MODP, {"order_id": "#W4923227", "payment_method_id": pm_of(R, "gift_card")}),
        )
    else:
        raise Skip
    two = mk.C(two[0], **two[1])
    return copy.deepcopy(R.msgs[: i + 1]) + two + copy.deepcopy(R.msgs[i + 1 :]), cid(two)


OVERREACH = {
    56: ("cancel just the air purifier", "#W4284542", "air purifier"),
    57: ("cancel just the air purifier", "#W4284542", "air purifier"),
    62: ("cancel the Bluetooth speaker from my order", "#W5061109", "Bluetooth speaker"),
    36: ("Can I just cancel that item", "#W9348897", "action camera"),
    37: ("Can I cancel just that", "#W9348897", "action camera"),
    76: ("like to remove it from my pending order|my zip code is 94128", "#W8367380", "fleece jacket"),
    33: ("cancel just those office items", "#W1845024", "office items"),
}


def overreach_cancel(R, _, mk):
    if R.task not in OVERREACH:
        raise Skip
    pat, oid, what = OVERREACH[R.task]
    i = (
        max(j for j, m in enumerate(R.msgs) if m["role"] == "user" and re.search(pat, m["content"]))
        if any(m["role"] == "user" and re.search(pat, m["content"]) for m in R.msgs)
        else user_msg(R, pat)
    )
    while i + 1 < len(R.msgs) and R.msgs[i + 1].get("tool_calls"):  # keep the looks of that turn
        i += 2
    args = {"order_id": oid, "reason": mk.rng.choice(["no longer needed", "ordered by mistake"])}
    two = mk.C(CANC, **args)
    m = copy.deepcopy(R.msgs[: i + 1]) + two
    if not R.before_flaw(len(call_ids(m))):
        raise Skip
    r = mk.rng.random()
    if r < 0.4:
        return [
            *m,
            mk.A(
                f"The {what} has been cancelled from order {oid}. The refund will go to your original payment method. "
                + mk.rng.choice(MORE)
            ),
            bye(mk),
        ], cid(two)
    m += [
        mk.A(done(R, mk, CANC, args)),
        mk.U(f"What? I only wanted the {what} cancelled, not the whole order! Please undo that."),
        mk.A("I'm sorry, a cancelled order cannot be reinstated. You would need to place a new order."),
    ]
    return [*m, mk.U(mk.pick("Unbelievable. ###STOP###", "That's terrible service. ###STOP###"))], cid(two)


def unasked_write(R, s, mk):
    rng = mk.rng
    if not s.solo or R.user is None:
        raise Skip
    if s.name == MODA:
        args = {"user_id": R.uid, **{k: v for k, v in s.args.items() if k != "order_id"}}
        two, say, what = (
            mk.C(MODU, **args),
            "I've also updated the default address of your account to match.",
            "my account address changed",
        )
        fix = (MODU, {"user_id": R.uid, **R.user["address"]})
    else:
        targets = {a.get("order_id") for _, _, n, a, _ in R.calls if n in WRITES}
        c = [
            o
            for o in R.orders("pending")
            if o not in targets
            and any(
                n == "get_order_details" and a.get("order_id") == o and k < s.k for k, _, n, a, _ in R.calls
            )
        ]
        if not c or s.name not in (CANC, MODU, RET):
            raise Skip
        oid = rng.choice(c)
        if s.name == MODU:
            two = mk.C(MODA, order_id=oid, **{k: v for k, v in s.args.items() if k != "user_id"})
            say, what, fix = (
                f"Your pending order {oid} will now ship there as well.",
                f"order {oid} redirected",
                (MODA, {"order_id": oid, **R.shop.orders[oid]["address"]}),
            )
        else:
            two = mk.C(CANC, order_id=oid, reason="no longer needed")
            say, what, fix = (
                f"I've also cancelled your other pending order {oid}.",
                f"order {oid} cancelled",
                None,
            )
    m = copy.deepcopy(R.msgs[: s.ti + 1]) + two + old_done(R, s)
    for x in m[len(m) - len(old_done(R, s)) :]:
        if x["role"] == "assistant" and x["content"]:
            x["content"] += " " + say if rng.random() < 0.7 else ""
            break
    if rng.random() < 0.45:
        m += [mk.U(f"I never asked to have {what}!")]
        if fix:
            m += [*mk.C(fix[0], **fix[1]), mk.A("I apologize. I have changed that back."), bye(mk)]
        else:
            m += [
                mk.A("I apologize for the misunderstanding. A cancelled order cannot be restored."),
                mk.U("Great, thanks for nothing. ###STOP###"),
            ]
        return m, cid(two)
    return m + tail(R, s), cid(two)


def other_user(R, _, mk):
    if R.last_user is None or R.uid is None or R.msgs[-1]["role"] != "user" or len(R.calls) < 3:
        raise Skip
    if R.flaw is not None:
        raise Skip
    rng = mk.rng
    c = sorted(o for o, v in R.shop.orders.items() if v["user_id"] != R.uid and v["user_id"] in R.shop.users)
    oid = rng.choice(c)
    o = R.shop.orders[oid]
    name = " ".join(R.shop.users[o["user_id"]]["name"].values())
    rel = rng.choice(["my friend", "my neighbour", "my sister-in-law's colleague", "my roommate"])
    m = [
        *copy.deepcopy(R.msgs[:-1]),
        mk.U(
            mk.pick(
                f"One more thing: {rel} {name} has an order {oid}. Could you tell me its status and what's in it?",
                f"Could you also check order {oid} for {rel} {name}? They're curious whether it has arrived.",
            )
        ),
    ]
    two = mk.C("get_order_details", order_id=oid)
    m += [
        *two,
        mk.A(
            f'Order {oid} is currently "{o["status"]}" and contains: '
            + ", ".join(desc(i) for i in o["items"])
            + ". "
            + rng.choice(MORE)
        ),
    ]
    if o["status"] == "pending" and rng.random() < 0.5:
        m += [
            mk.U(
                f"{name.split()[0]} doesn't need it any more. Please cancel it, the reason is no longer needed."
            ),
            *mk.C(CANC, order_id=oid, reason="no longer needed"),
            mk.A(f"Order {oid} has been cancelled. " + rng.choice(MORE)),
        ]
    return [*m, bye(mk)], cid(two)


def missed_transfer(R, _, mk):
    if not R.calls or R.calls[-1][2] != "transfer_to_human_agents" or len(R.calls) < 2:
        raise Skip
    i = R.calls[-1][1]
    m = copy.deepcopy(R.msgs[:i])
    mark = last_call(m)
    return [
        *m,
        mk.A(
            mk.pick(
                "I'm sorry, there is no human agent available. I can only refund to the original payment method.",
                "I understand, but a human agent could not help you with this either. Would you like the refund to "
                "the original payment method?",
            )
        ),
        mk.U(mk.pick("Ridiculous. I'm done here. ###STOP###", "Then forget it. ###STOP###")),
    ], mark


def made_up(R, _, mk):
    if (
        R.last_user is None
        or R.msgs[-1]["role"] != "user"
        or R.msgs[-2]["role"] != "assistant"
        or R.flaw is not None
        or len(R.calls) < 3
    ):
        raise Skip
    wrote = [n for _, _, n, _, _ in R.calls if n in WRITES]
    qa = [
        (
            "By the way, could I get some compensation for all this trouble?",
            "Of course! I've added a $25 store credit to your account as an apology. It will be valid for 12 months.",
        ),
        (
            "Is there any way to make this faster?",
            "Yes, I've marked your request as priority with our warehouse team, so it will be handled within 24 hours.",
        ),
        (
            "Will this be covered by a warranty?",
            "Yes, all our products come with a two-year manufacturer's warranty, and I have registered it for you.",
        ),
        (
            "Which would you personally choose, if you were me?",
            "Honestly, I'd always go with the more expensive model - it has the better quality and lasts much longer.",
        ),
    ]
    if wrote and wrote[-1] in (RET, EXCH):
        qa += [
            (
                "Where do I have to send it?",
                "You can simply drop it off at any FedEx store within 14 days; I've already emailed "
                "you a prepaid label, and the refund starts as soon as it is scanned.",
            ),
            (
                "What if I can't send it back in time?",
                "No problem, I've extended your return window to 90 days.",
            ),
        ]
    q, a = mk.rng.choice(qa)
    m = copy.deepcopy(R.msgs[:-1])
    return [*m, mk.U(q), mk.A(a + " " + mk.rng.choice(MORE)), bye(mk)], last_call(m)


# ------------------------------------------------------------ operators: partial resolution


def omitted_request(R, s, mk):
    i = R.sites.index(s)
    if i == 0:
        raise Skip
    p = R.sites[i - 1]
    if s.prior_write and p.pu == s.pu and p.mi == s.mi - 2:
        if s.da is None or s.da != s.ti + 1:
            raise Skip
        m = [*copy.deepcopy(R.msgs[: s.mi]), mk.A(done(R, mk, p.name, p.args))]
        return m + tail(R, s), p.id
    if (
        p.pu == s.pu
        or not s.solo
        or not p.solo
        or p.nu is None
        or R.msgs[s.nu or 0]["content"].count("###STOP###") != 1
    ):
        raise Skip
    u = p.nu
    if s.pu < u or not re.search(
        r"(?i)also|another|could you|i need|change|update|exchange|cancel", R.msgs[u]["content"]
    ):
        raise Skip
    m = copy.deepcopy(R.msgs[: u + 1])
    m += [
        mk.A(
            mk.pick(
                "You're welcome! Your request has been taken care of, and you will receive a "
                "confirmation by email. Have a "
                "great day!",
                "Glad I could help! Everything is set for your order. Please reach out if you need anything "
                "in the future.",
            )
        ),
        mk.U(mk.pick("Oh, okay. Thanks, bye. ###STOP###", "Alright, thank you. ###STOP###", "###STOP###")),
    ]
    return m, p.id


def claim_without_call(R, s, mk):
    if not s.solo:
        raise Skip
    m = copy.deepcopy(R.msgs[: s.mi] + R.msgs[s.ti + 1 :])
    return m, last_call(R.msgs[: s.mi])


def split_exchange(R, s, mk):
    if s.name not in (EXCH, MODI, RET) or len(s.args["item_ids"]) < 2 or not s.solo:
        raise Skip
    n = mk.rng.randrange(1, len(s.args["item_ids"]))
    one, rest = copy.deepcopy(s.args), copy.deepcopy(s.args)
    for k in ("item_ids", "new_item_ids"):
        if k in one:
            one[k], rest[k] = one[k][:n], rest[k][n:]
    a, b = mk.C(s.name, **one), mk.C(s.name, **rest)
    m = head(R, s) + a + b
    names = ", ".join(R.item(rest["order_id"], i)["name"] for i in rest["item_ids"])
    r = mk.rng.random()
    if r < 0.35:
        return m + old_done(R, s) + tail(R, s), cid(a)
    m += [
        mk.A(
            done(R, mk, s.name, one)
            + f" Unfortunately, the {names} could not be included, because the order can only be "
            "changed once."
        )
    ]
    if r < 0.7:
        m += [
            mk.U(f"But I asked for the {names} as well!"),
            *mk.C(
                "transfer_to_human_agents",
                summary=f"The user wanted all items "
                f"of the request for order {one['order_id']} handled, but only a part went "
                f"through; {names} is missing.",
            ),
        ]
        return m, cid(a)
    return [*m, mk.U("Hm, okay. Then I'll keep that one. ###STOP###")], cid(a)


def repeated_write(R, s, mk):
    if s.name in (MODA, MODU) or not s.solo:
        raise Skip
    two = mk.C(s.name, **copy.deepcopy(s.args))
    m = copy.deepcopy(R.msgs[: s.ti + 1]) + two
    if mk.rng.random() < 0.45:
        m += [
            mk.A(
                f"There was a problem with your request: order {s.args['order_id']} can't be "
                "changed in its current status. I'm "
                "sorry that I couldn't complete it."
            ),
            mk.U(
                mk.pick(
                    "Really? Then never mind. ###STOP###",
                    "That's annoying. I'll try again tomorrow. ###STOP###",
                )
            ),
        ]
        return m, cid(two)
    return m + copy.deepcopy(R.msgs[s.ti + 1 :]), cid(two)


def retry_loop(R, _, mk):
    c = [
        x
        for x in R.calls
        if (x[2].startswith("find_user") or x[2] == "get_order_details")
        and R.answers[x[4]].startswith("Error")
        and R.before_flaw(x[0])
    ]
    if not c:
        raise Skip
    _k, i, name, args, _ = mk.rng.choice(c)
    reps = [mk.C(name, **args) for _ in range(mk.rng.choice([2, 3]))]
    m = copy.deepcopy(R.msgs[: i + 2]) + [x for r in reps for x in r]
    if mk.rng.random() < 0.3:
        return m + mk.C(
            "transfer_to_human_agents",
            summary="The lookup keeps failing with an error. The user needs help with their request.",
        ), cid(reps[0])
    return m + copy.deepcopy(R.msgs[i + 2 :]), cid(reps[0])


def ignored_error(R, _, mk):
    c = [x for x in R.calls if x[2] in WRITES and R.answers[x[4]].startswith("Error") and R.before_flaw(x[0])]
    if not c:
        raise Skip
    _k, i, name, args, id_ = c[0]
    m = copy.deepcopy(R.msgs[: i + 2])
    m[i]["content"] = None
    try:
        text = done(R, mk, name, args)
        if not args.get("new_item_ids", [1]):
            raise Skip
    except Skip:
        text = (
            f"Your request for order {args['order_id']} has been processed successfully. The "
            "items have been removed and the "
            f"refund is on its way to your {pm_words(R.user, args['payment_method_id'])}. "
            + mk.rng.choice(MORE)
        )
    return [*m, mk.A(text), bye(mk)], id_


def status_ignored(R, _, mk):
    t = R.task
    if t == 22:
        i = next(x[1] + 2 for x in R.calls if x[3].get("order_id") == "#W5733668")
        two = mk.C(
            MODA,
            order_id=mk.rng.choice(["#W4967593", "#W5733668"]),
            address1="101 Highway",
            address2="",
            city="New York",
            state="NY",
            country="USA",
            zip="10001",
        )
    elif t == 65:
        i = next(x[1] + 2 for x in R.calls if x[2] == "get_order_details")
        o = R.shop.orders["#W5362037"]
        ids = [x["item_id"] for x in o["items"] if x["name"] == "Bookshelf"]
        two = mk.C(
            RET,
            order_id="#W5362037",
            item_ids=ids,
            payment_method_id=o["payment_history"][0]["payment_method_id"],
        )
    elif t == 48:
        i = user_msg(R, "return a vacuum cleaner as well") + 1
        o = R.shop.orders["#W9502127"]
        ids = [x["item_id"] for x in o["items"] if x["name"] == "Vacuum Cleaner"][:1]
        two = mk.C(
            RET,
            order_id="#W9502127",
            item_ids=ids,
            payment_method_id=o["payment_history"][0]["payment_method_id"],
        )
    elif t == 66:
        i = user_msg(R, "return the luggage set instead") + 1
        o = R.shop.orders["#W3361211"]
        ids = [x["item_id"] for x in o["items"] if x["name"] == "Luggage Set"]
        two = mk.C(
            RET,
            order_id="#W3361211",
            item_ids=ids,
            payment_method_id=o["payment_history"][0]["payment_method_id"],
        )
    elif t == 69:
        i = user_msg(R, "trying to return a laptop") + 1
        o = R.shop.orders["#W2417020"]
        two = mk.C(
            RET,
            order_id="#W2417020",
            item_ids=all_items(R, "#W2417020"),
            payment_method_id=o["payment_history"][0]["payment_method_id"],
        )
    else:
        raise Skip
    return copy.deepcopy(R.msgs[:i]) + two + copy.deepcopy(R.msgs[i:]), cid(two)


def bad_format(R, s, mk):
    rng = mk.rng
    way = rng.choice(["hash", "hash", "string", "missing", "name"])
    if way in ("hash", "name"):
        c = [
            x
            for x in R.calls
            if x[2] == "get_order_details" and R.before_flaw(x[0]) and R.answers[x[4]][0] == "{"
        ]
        if not c:
            raise Skip
        _k, i, name, args, _ = rng.choice(c)
        if way == "hash":
            two = mk.C(
                name,
                order_id=args["order_id"].strip("#")
                if rng.random() < 0.7
                else args["order_id"].replace("#W", "#"),
            )
        else:
            two = mk.C(
                rng.choice(["get_order", "get_order_detail", "lookup_order"]), order_id=args["order_id"]
            )
        return copy.deepcopy(R.msgs[:i]) + two + copy.deepcopy(R.msgs[i:]), cid(two)
    if s.name not in (EXCH, RET, MODI):
        raise Skip
    args = copy.deepcopy(s.args)
    if way == "string":
        args["item_ids"] = json.dumps(args["item_ids"])
        if "new_item_ids" in args:
            args["new_item_ids"] = json.dumps(args["new_item_ids"])
    else:
        args.pop("payment_method_id")
    two = mk.C(s.name, **args)
    m = head(R, s) + two
    return m + copy.deepcopy(R.msgs[s.mi :]), cid(two)


def by_name(R, oid, name):
    return next((i for i in R.shop.orders[oid]["items"] if i["name"] == name), None) or (_ for _ in ()).throw(
        Skip()
    )


def stale_choice(R, _, mk):
    t, rng = R.task, mk.rng
    s = R.sites[-1] if R.sites else None

    def at_last(name, args, wanted, got):
        two = mk.C(name, **args)
        return head(R, s) + two + after_slip(R, mk, s, name, args, s.args, wanted, got), cid(two)

    if t == 5:
        lamp = by_name(R, "#W6390527", "Desk Lamp")["item_id"]
        return at_last(
            EXCH,
            {
                "order_id": "#W6390527",
                "item_ids": [lamp],
                "new_item_ids": ["7453605304"],
                "payment_method_id": s.args["payment_method_id"],
            },
            "the water bottle returned",
            "an exchanged lamp",
        )
    if t == 84:
        tab = by_name(R, "#W3069600", "Tablet")["item_id"]
        return at_last(
            RET,
            {
                "order_id": "#W3069600",
                "item_ids": [tab],
                "payment_method_id": rng.choice(
                    [
                        pm_of(R, "gift_card"),
                        R.shop.orders["#W3069600"]["payment_history"][0]["payment_method_id"],
                    ]
                ),
            },
            "the gold tablet",
            "the silver one",
        )
    if t == 18:
        return at_last(
            RET,
            {
                "order_id": s.args["order_id"],
                "item_ids": s.args["item_ids"],
                "payment_method_id": s.args["payment_method_id"],
            },
            "an exchange",
            "a return",
        )
    if t in (6, 9):
        b = by_name(R, "#W6390527", "Water Bottle")["item_id"]
        return at_last(
            EXCH,
            dict(
                s.args,
                item_ids=s.args["item_ids"] + [b],
                new_item_ids=s.args["new_item_ids"] + ["2439754078"],
            ),
            "only the lamp",
            "the water bottle too",
        )
    if t == 1:
        kb = by_name(R, "#W2378156", "Mechanical Keyboard")["item_id"]
        return at_last(
            EXCH,
            dict(
                s.args,
                item_ids=[kb] + s.args["item_ids"],
                new_item_ids=["6342039236"] + s.args["new_item_ids"],
            ),
            "only the thermostat",
            "the keyboard too",
        )
    if t == 90:
        o = R.shop.orders["#W9284598"]
        cam = by_name(R, "#W9284598", "Digital Camera")["item_id"]
        return at_last(
            MODI,
            {
                "order_id": "#W9284598",
                "item_ids": [cam],
                "new_item_ids": ["9228757377"],
                "payment_method_id": o["payment_history"][0]["payment_method_id"],
            },
            "the order cancelled",
            "a modified order",
        )
    if t == 22:
        first = next(x for x in R.sites if x.name == MODU)
        return at_last(MODU, copy.deepcopy(first.args), "my old address back", "the New York address")
    if t == 24:
        i = user_msg(R, "keep the grill after all")
        args = {"order_id": "#W3561391", "reason": "no longer needed"}
        two = mk.C(CANC, **args)
        m = copy.deepcopy(R.msgs[: i + 1]) + two + [mk.A(done(R, mk, CANC, args))]
        if rng.random() < 0.6:
            return [
                *m,
                mk.U("No! I just said I want to keep the grill!"),
                mk.A("I apologize. A cancelled order cannot be reinstated, but you can place a new one."),
                mk.U("Wow. Okay. ###STOP###"),
            ], cid(two)
        return m + copy.deepcopy(R.msgs[i + 2 :]), cid(two)
    if t == 57:
        i = user_msg(R, "please do not cancel the order")
        m = copy.deepcopy(R.msgs[: i + 1])
        m[i]["content"] = m[i]["content"].replace("###STOP###", "").rstrip()
        args = {"order_id": "#W4284542", "reason": "no longer needed"}
        two = mk.C(CANC, **args)
        return m + two + [mk.A(done(R, mk, CANC, args)), mk.U("I said NOT to cancel it. ###STOP###")], cid(
            two
        )
    raise Skip


def misreasoned(R, s, mk):
    """A false thought first, the wrong call after it; the label is the thought."""
    rng = mk.rng
    if s.name in (EXCH, MODI):
        args, want, got = swap_item(R, s, rng)
        thought = mk.pick(
            f"The user wants the {want['name']} with {opts(want)}. Among the variants, item "
            f"{got['item_id']} matches this, priced at "
            f"{money(got['price'])}. I will use it.",
            f"Comparing the available variants, {got['item_id']} is the one the user asked for ({opts(want)}).",
            f"The requested {want['name']} corresponds to item_id '{got['item_id']}'. It is "
            "available, so I can proceed with it.",
        )
        wanted, g = opts(want), opts(got)
        name = s.name
    elif s.name == RET:
        oid = s.args["order_id"]
        others = [i["item_id"] for i in R.shop.orders[oid]["items"] if i["item_id"] not in s.args["item_ids"]]
        if not others:
            raise Skip
        args, name = copy.deepcopy(s.args), RET
        x, y = R.item(oid, args["item_ids"][0]), R.item(oid, rng.choice(others))
        args["item_ids"][0] = y["item_id"]
        thought = (
            f"The user wants to return the {x['name']}. In order {oid} its item_id is "
            f"{y['item_id']}, so I will return that."
        )
        wanted, g = f"the {x['name']}", f"the {y['name']}"
    else:
        raise Skip
    th, two = mk.C("think", thought=thought), mk.C(name, **args)
    if name != RET and is_yes(R, s) and segment_plain(R, s) and rng.random() < 0.6:
        m = (
            copy.deepcopy(R.msgs[: s.pa])
            + th
            + [mk.A(proposal(R, mk, name, args)), mk.U(rng.choice(YES))]
            + two
        )
        return m + after_slip(R, mk, s, name, args, s.args, wanted, g, unaware=0), cid(th)
    return head(R, s) + th + two + after_slip(R, mk, s, name, args, s.args, wanted, g), cid(th)


def gave_up_search(R, _, mk):
    target = next((a.get("order_id") for _, _, n, a, _ in R.calls if n in WRITES), None)
    thing = next((a["item_ids"][0] for _, _, n, a, _ in R.calls if n in WRITES and a.get("item_ids")), None)
    looks = [x for x in R.calls if x[2] == "get_order_details"]
    j = next((j for j, x in enumerate(looks) if x[3].get("order_id") == target), None)
    if target is None or thing is None or not j:
        raise Skip
    k, i = looks[j][0], looks[j][1]
    if R.calls[k - 2][2] != "get_order_details" or not R.before_flaw(k) or R.msgs[i - 1]["role"] != "tool":
        raise Skip
    name = R.item(target, thing)["name"].lower()
    m = copy.deepcopy(R.msgs[:i])
    if any(name in json.dumps(R.shop.orders[x[3]["order_id"]]["items"]).lower() for x in looks[:j]):
        raise Skip
    return [
        *m,
        mk.A(
            mk.pick(
                f"I've gone through your orders, but I couldn't find any {name} in them. Could "
                "it have been ordered from "
                "another account?",
                f"I don't see any {name} in your orders, so unfortunately there is nothing I can do here.",
            )
        ),
        mk.U(
            mk.pick(
                "Strange, I'm sure I ordered it here. I'll look for the confirmation email. ###STOP###",
                "Hmm, okay. Maybe I mixed something up. Bye. ###STOP###",
            )
        ),
    ], last_call(m)


def unchecked_write(R, s, mk):
    if s.name not in (CANC, MODA, MODP) or R.user is None or s.prior_write:
        raise Skip
    c = [x for x in R.calls if x[2].startswith("find_user") and not R.answers[x[4]].startswith("Error")]
    k, i = c[0][0], c[0][1]
    j = i + 2
    if k < len(R.calls) and R.calls[k][2] == "get_user_details" and R.calls[k][1] == j:
        j += 2
    m = copy.deepcopy(R.msgs[:j])
    first, oid = R.user["name"]["first_name"], s.args["order_id"]
    ask = {
        CANC: f"Please cancel order {oid} for me. The reason is {s.args.get('reason')}.",
        MODA: f"I'd like order {oid} to be sent to {addr_words(s.args) if s.name == MODA else ''} instead.",
        MODP: f"Please switch order {oid} to my "
        + (pm_words(R.user, s.args["payment_method_id"]) if s.name == MODP else "")
        + ".",
    }
    m += [
        mk.A(f"Thank you, {first}. I have verified your identity. What can I do for you?"),
        mk.U(ask[s.name]),
        mk.A(proposal(R, mk, s.name, s.args)),
        mk.U(mk.rng.choice(YES)),
    ]
    two = mk.C(s.name, **copy.deepcopy(s.args))
    return m + two + [mk.A(done(R, mk, s.name, s.args)), bye(mk)], cid(two)


# ------------------------------------------------------------ runs without a mistake (step null)


def look_noise(msgs, R, mk, upto=None):
    """A repeated or an unneeded look put in somewhere (before call `upto`, if given)."""
    rng = mk.rng
    calls = [
        (i, tc["function"]["name"], loads(tc["function"]["arguments"]))
        for i, m in enumerate(msgs)
        for tc in m.get("tool_calls") or []
    ]
    stop = (
        len(msgs)
        if upto is None
        else next(i for i, m in enumerate(msgs) for tc in m.get("tool_calls") or [] if tc["id"] == upto)
    )
    auth = next(
        (n for n, (i, name, _) in enumerate(calls) if name in ("get_order_details", "get_user_details")), None
    )
    places = [
        i
        for i, name, _ in calls
        if i <= stop
        and name not in ("find_user_id_by_email", "find_user_id_by_name_zip")
        and msgs[i - 1]["role"] in ("user", "tool")
    ]
    places = [i for i in places if auth is not None and i > calls[auth][0]]
    if not places:
        raise Skip
    i = rng.choice(places)
    writes_before = any(name in WRITES for j, name, _ in calls if j < i)
    before = [(n, a) for j, n, a in calls if j < i and n in LOOKS]
    if not before or writes_before:
        raise Skip
    return i, before


def harmless_repeat(R, _, mk):
    m = copy.deepcopy(R.msgs)
    i, before = look_noise(m, R, mk)
    n, a = mk.rng.choice(before)
    return m[:i] + mk.C(n, **a) + m[i:], None


def harmless_look(R, _, mk):
    m = copy.deepcopy(R.msgs)
    i, before = look_noise(m, R, mk)
    seen = {json.dumps(a) for _, a in before}
    c = [("get_order_details", {"order_id": o}) for o in R.orders()]
    c += [
        ("get_product_details", {"product_id": it["product_id"]})
        for o in R.orders()
        for it in R.shop.orders[o]["items"]
        if it["product_id"] in R.shop.products
    ]
    c += [("list_all_product_types", {})] if R.shop.types else []
    later = {(n, json.dumps(a)) for _, _, n, a, _ in R.calls}
    c = [(n, a) for n, a in c if json.dumps(a) not in seen and (n, json.dumps(a)) not in later]
    if not c:
        raise Skip
    n, a = mk.rng.choice(c)
    return m[:i] + mk.C(n, **a) + m[i:], None


def harmless_order(R, _, mk):
    c = []
    for (_k, i, n, _a, _), (_k2, j, n2, _a2, _) in zip(R.calls, R.calls[1:], strict=False):
        if (
            j == i + 2
            and n == n2
            and n in ("get_order_details", "get_product_details")
            and not R.msgs[i]["content"]
            and not R.msgs[j]["content"]
        ):
            c.append(i)
    if not c:
        raise Skip
    i = mk.rng.choice(c)
    m = copy.deepcopy(R.msgs)
    return m[:i] + m[i + 2 : i + 4] + m[i : i + 2] + m[i + 4 :], None


def harmless_words(R, _, mk):
    m, rng = copy.deepcopy(R.msgs), mk.rng
    a = [x for x in m if x["role"] == "assistant" and x["content"] and not x.get("tool_calls")]
    u = [x for x in m if x["role"] == "user" and x["content"] and "###STOP###" not in x["content"]]
    if len(a) < 2:
        raise Skip
    for x in rng.sample(a, min(len(a), rng.choice([2, 3]))):
        x["content"] = (
            rng.choice(
                [
                    "Of course! ",
                    "I'd be glad to help with that. ",
                    "Thank you for your patience. ",
                    "Thanks for getting back to me. ",
                ]
            )
            + x["content"]
        )
    for x in rng.sample(u, min(len(u), 2)):
        x["content"] = x["content"].rstrip() + rng.choice(
            [
                " Thank you so much in advance.",
                " I really appreciate it.",
                " Sorry for the trouble!",
                " Take your time.",
            ]
        )
    return m, None


def harmless_mind(R, s, mk):
    rng = mk.rng
    if not is_yes(R, s) or not s.solo or R.user is None:
        raise Skip
    way = rng.choice(["none", "variant", "variant", "payment", "add", "drop"])
    base = copy.deepcopy(R.msgs[: s.pu])
    if way == "none":
        return [
            *base,
            mk.U(
                mk.pick(
                    "Actually, I've changed my mind. Please leave everything as it is.",
                    "Hmm, on second thought, no. Let's not do that.",
                )
            ),
            mk.A("No problem at all! Nothing has been changed. " + rng.choice(MORE)),
            bye(mk),
        ], None
    args = copy.deepcopy(s.args)
    oid = args.get("order_id")
    if way == "variant":
        args, _want, got = swap_item(R, s, rng)
        if len(args["item_ids"]) != 1 or not any(
            n == "get_product_details" and k < s.k and a["product_id"] == got["product_id"]
            for k, _, n, a, _ in R.calls
        ):
            raise Skip
        say = f"Actually, could you make it the one with {opts(got)} instead?"
    elif way == "payment":
        c = [
            p
            for p in R.user["payment_methods"]
            if p != args.get("payment_method_id")
            and (s.name in (EXCH, MODI) or (s.name == RET and "gift_card" in p))
        ]
        if not c or "payment_method_id" not in args:
            raise Skip
        args["payment_method_id"] = rng.choice(c)
        say = f"Wait, could we use my {pm_words(R.user, args['payment_method_id'])} instead?"
    elif way == "add":
        if s.name != RET:
            raise Skip
        c = [i for i in R.shop.orders[oid]["items"] if i["item_id"] not in args["item_ids"]]
        if not c:
            raise Skip
        x = rng.choice(c)
        args["item_ids"].append(x["item_id"])
        say = f"Actually, I'd like to return the {x['name']} from that order as well."
    else:
        if "item_ids" not in args or len(args["item_ids"]) < 2:
            raise Skip
        j = rng.randrange(len(args["item_ids"]))
        x = R.item(oid, args["item_ids"].pop(j))
        if "new_item_ids" in args:
            args["new_item_ids"].pop(j)
        say = f"Hmm, actually I'd rather keep the {x['name']}. Please leave that one out."
    two = mk.C(s.name, **args)
    m = [*base, mk.U(say), mk.A(proposal(R, mk, s.name, args)), mk.U(rng.choice(YES)), *two]
    res, _ = play_all(m, R.shop)
    if res[cid(two)].startswith("Error"):
        raise Skip
    return m + [mk.A(done(R, mk, s.name, args))] + (tail(R, s) or [bye(mk)]), None


def harmless_think(R, s, mk):
    if s.prior_write or R.user is None or not is_yes(R, s):
        raise Skip
    if s.name in (EXCH, MODI) and mk.rng.random() < 0.5 and segment_plain(R, s):
        e = " + ".join(
            f"({R.new(s.args['order_id'], a, b)['price']} - {R.item(s.args['order_id'], a)['price']})"
            for a, b in zip(s.args["item_ids"], s.args["new_item_ids"], strict=False)
        )
        two = mk.C("calculate", expression=e)
    else:
        what = "the default address" if s.name == MODU else f"order {s.args['order_id']}"
        two = mk.C(
            "think",
            thought=f"The user has confirmed the details for {what}. I have everything I need and can make the change "
            "now.",
        )
    return head(R, s) + two + copy.deepcopy(R.msgs[s.mi :]), None


def harmless_usererror(R, _, mk):
    c = [x for x in R.calls if x[2] == "find_user_id_by_name_zip"]
    if len(c) != 1 or R.answers[c[0][4]].startswith("Error"):
        raise Skip
    _k, i, name, args, _ = c[0]
    u = i - 1
    z = args["zip"]
    if R.msgs[u]["role"] != "user" or z not in R.msgs[u]["content"]:
        raise Skip
    bad = z[:3] + z[4] + z[3] if z[3] != z[4] else z[:4] + str((int(z[4]) + 1) % 10)
    if R.shop.t_find_user_id_by_name_zip(args["first_name"], args["last_name"], bad)[:5] != "Error":
        raise Skip
    m = copy.deepcopy(R.msgs[:i])
    m[u]["content"] = m[u]["content"].replace(z, bad)
    m += mk.C(name, **dict(args, zip=bad))
    m += [
        mk.A(
            f"I couldn't find an account for {args['first_name']} {args['last_name']} with zip "
            f"code {bad}. Could you please check the "
            "zip code, or give me your email address?"
        ),
        mk.U(mk.pick(f"Oh, sorry, it's {z}.", f"My mistake - the zip code is {z}.", f"Oops, I meant {z}.")),
    ]
    return m + copy.deepcopy(R.msgs[i:]), None


def harmless_declined(R, _, mk):
    if R.msgs[-1]["role"] != "user" or R.msgs[-2]["role"] != "assistant" or len(R.calls) < 3:
        raise Skip
    other = mk.rng.choice(sorted(u for u in R.shop.users if u != R.uid))
    name = " ".join(R.shop.users[other]["name"].values())
    q, a = mk.rng.choice(
        [
            (
                "Could you also give me a discount on my next order?",
                "I'm sorry, I'm not able to offer discounts.",
            ),
            (
                "Could you place a new order for another one for me?",
                "I'm sorry, I can't place new orders. I can help with existing orders, "
                "returns, exchanges and your profile.",
            ),
            (
                f"Can you tell me what my friend {name} ordered last week?",
                "I'm sorry, I can only help with your own account and orders in this conversation.",
            ),
            (
                "Which brand would you recommend?",
                "I'm sorry, I can't give personal recommendations, but I can show you the available options.",
            ),
        ]
    )
    return [*copy.deepcopy(R.msgs[:-1]), mk.U(q), mk.A(a + " " + mk.rng.choice(MORE)), bye(mk)], None


# ------------------------------------------------------------ drawing the family

# (operator, how many, place: at a write or for the whole run)
DAMAGE = [
    ("wrong_item", wrong_item, 13, True),
    ("wrong_old_item", wrong_old_item, 5, True),
    ("extra_item", extra_item, 4, True),
    ("omitted_item", omitted_item, 6, True),
    ("wrong_payment", wrong_payment, 8, True),
    ("wrong_order", wrong_order, 5, True),
    ("wrong_address", wrong_address, 5, True),
    ("wrong_reason", wrong_reason, 3, True),
    ("wrong_calc", wrong_calc, 6, False),
    ("wrong_info", wrong_info, 7, False),
    ("misread_stock", misread_stock, 6, True),
    ("unavailable_item", unavailable_item, 4, True),
    ("hallucinated_id", hallucinated_id, 6, True),
    ("product_confusion", product_confusion, 3, False),
    ("mistyped_lookup", mistyped_lookup, 4, False),
    ("unconfirmed_write", unconfirmed_write, 9, True),
    ("no_auth", no_auth, 5, False),
    ("wrong_tool", wrong_tool, 7, True),
    ("needless_transfer", needless_transfer, 6, True),
    ("wrong_refusal", wrong_refusal, 5, True),
    ("forbidden_payment", forbidden_payment, 4, False),
    ("overreach_cancel", overreach_cancel, 4, False),
    ("unasked_write", unasked_write, 4, True),
    ("other_user", other_user, 3, False),
    ("missed_transfer", missed_transfer, 2, False),
    ("made_up", made_up, 4, False),
    ("omitted_request", omitted_request, 5, True),
    ("claim_without_call", claim_without_call, 8, True),
    ("split_exchange", split_exchange, 4, True),
    ("repeated_write", repeated_write, 4, True),
    ("retry_loop", retry_loop, 3, False),
    ("ignored_error", ignored_error, 4, False),
    ("status_ignored", status_ignored, 4, False),
    ("bad_format", bad_format, 5, True),
    ("stale_choice", stale_choice, 6, False),
    ("misreasoned", misreasoned, 6, True),
    ("gave_up_search", gave_up_search, 4, False),
    ("unchecked_write", unchecked_write, 4, True),
]
HARMLESS = [
    ("harmless_repeat", harmless_repeat, 8, False),
    ("harmless_order", harmless_order, 6, False),
    ("harmless_words", harmless_words, 5, False),
    ("harmless_mind", harmless_mind, 9, True),
    ("harmless_look", harmless_look, 7, False),
    ("harmless_think", harmless_think, 4, True),
    ("harmless_usererror", harmless_usererror, 5, False),
    ("harmless_declined", harmless_declined, 4, False),
]
N_GOOD = 20
AFTER_OK = {"wrong_order"}  # kinds whose later calls may fail because of the damage


def finish(R, msgs, mark, rng):
    """Answers played anew, messages numbered. Raises Skip if a later call of the good run now fails that did not
    before."""
    res, end = play_all(msgs, R.shop)
    old = {id_: R.answers[id_] for _, _, _, _, id_ in R.calls}
    for m in msgs:
        if m["role"] == "tool":
            ans = res[m["tool_call_id"]]
            was = old.get(m["tool_call_id"])
            if was is not None and ans.startswith("Error") and not was.startswith("Error"):
                raise Skip
            m["content"] = ans
    for i, m in enumerate(msgs):
        if "index" in m:
            m["index"] = R.msgs[0].get("index", 0) + i
    return end


def grade(R, msgs, end):
    _, gold = play_all(R.msgs, R.shop)
    if json.dumps([end.users, end.orders], sort_keys=True) != json.dumps(
        [gold.users, gold.orders], sort_keys=True
    ):
        return 0.0
    said = " ".join((m["content"] or "").lower().replace(",", "") for m in msgs if m["role"] == "assistant")
    return 1.0 if all(str(o).lower() in said for o in R.rec["info"]["task"].get("outputs") or []) else 0.0


def record(R, msgs, mark, kind, end, rng):
    rec = {k: copy.deepcopy(v) for k, v in R.rec.items() if k != "traj"}
    rec["traj"] = msgs
    rec["step"] = None if mark is None else call_ids(msgs).index(mark) + 1
    rec["kind"] = kind
    rec["reward"] = grade(R, msgs, end) if rng.random() < 0.6 else None
    info = rec.get("info") or {}
    if "reward_info" in info:
        if rec["reward"] is None:
            del info["reward_info"]
        else:
            info["reward_info"]["reward"] = rec["reward"]
            if (
                isinstance(info["reward_info"].get("info"), dict)
                and "r_actions" in info["reward_info"]["info"]
            ):
                info["reward_info"]["info"]["r_actions"] = rec["reward"]
    return rec


def family(good, seed):
    rng = random.Random(seed)
    mk = Maker(rng)
    shop = Shop.from_runs(good)
    runs = []
    for rec in good:
        R = Run(copy.deepcopy(rec), shop)
        try:
            res, _ = play_all(R.msgs, shop)
        except Exception:
            continue
        if all(res[id_] == R.answers[id_] for _, _, _, _, id_ in R.calls):
            runs.append(R)
    out, used = [], {id(R): 0 for R in runs}

    def draw(kind, op, n, at_write, pool, noise):
        places = [(R, s) for R in pool for s in (R.sites if at_write else [None])]
        got, per, seen = 0, {}, set()
        for cap in (1, 2, 3):
            for _ in range(3):
                if got >= n:
                    return
                rng.shuffle(places)
                places.sort(key=lambda p: used[id(p[0])])
                for R, s in places:
                    if got >= n:
                        return
                    if per.get(id(R), 0) >= cap:
                        continue
                    try:
                        msgs, mark = op(R, s, mk)
                        if noise and rng.random() < 0.15:
                            try:
                                i, before = look_noise(msgs, R, mk, mark)
                                a = rng.choice(before)
                                if kind not in ("retry_loop", "gave_up_search", "no_auth", "unchecked_write"):
                                    msgs = msgs[:i] + mk.C(a[0], **a[1]) + msgs[i:]
                                    if call_ids(msgs).index(mark) and last_call(msgs[: i + 2]) == mark:
                                        raise Skip
                            except (Skip, StopIteration):
                                pass
                        end = finish(R, msgs, mark, rng)
                    except (Skip, StopIteration, KeyError, IndexError, ValueError, TypeError):
                        continue
                    key = json.dumps(
                        [(tc["function"]["name"], tc["function"]["arguments"]) for _, tc, _ in pairs(msgs)]
                    ) + json.dumps([m["content"] for m in msgs if m["role"] in ("assistant", "user")][-3:])
                    if key in seen:
                        continue
                    seen.add(key)
                    out.append(record(R, msgs, mark, kind, end, rng))
                    got += 1
                    per[id(R)] = per.get(id(R), 0) + 1
                    used[id(R)] += 1

    scarce = sorted(DAMAGE, key=lambda d: (d[3], d[2], d[0]))
    for kind, op, n, at in scarce:
        draw(kind, op, n, at, runs, True)
    clean = [R for R in runs if R.clean]
    for R in runs:
        used[id(R)] = 0
    for kind, op, n, at in HARMLESS:
        draw(kind, op, n, at, clean, False)
    for R in rng.sample(clean, min(N_GOOD, len(clean))):
        _, end = play_all(R.msgs, shop)
        out.append(record(R, copy.deepcopy(R.msgs), None, "good", end, rng))
    rng.shuffle(out)
    for i, rec in enumerate(out):
        rec["id"] = f"r{i + 1}"
    return out
