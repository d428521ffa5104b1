"""Family E: damaged runs of another agent, job and domain, tau-bench's airline. No weight is fitted on it.

    python -m tests.causes.family tests/causes/family_e.py --runs gpt-4o-airline.json

The runs are those graded 1 of historical_trajectories/gpt-4o-airline.json of sierra-research/tau-bench. The kinds are
the arguments and tools of that job, and its policy's sentences, each broken once; they were listed here before any of
them was judged. Whoever wrote them had read the code that ranks. No rule is given.

- the wrong call itself: other_flight, other_date, other_cabin, other_payment, other_amount, more_bags, insured,
  lost_passenger, other_birthday, other_reservation, invented_reservation, cancels_another, once_more,
  gives_certificate, hands_over, looks_elsewhere (a search for another day), changes_route (for another airport);
- the write on what was never looked at: not_looked;
- the last call before what is wrong: claims (the agent says that it has done what it has not), stops (it ends without
  the write, and without a word of it).
- nothing is wrong: looks_again, thinks_more, changes_mind (the user no longer wants it), good.

A changed write has the answer that it had, with the new values in it. A reward is shown in six of ten runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

from tests.causes.records import FINE, Message, Talk, draw

RULES = ""
WRITE = re.compile(r"book_|cancel_|update_|send_")
BYE = ("user", "Thank you, that is all. ###STOP###")
Wrong = Message | str | None


def write(talk: Talk, *holding: str) -> Message | None:
    """Return a write that succeeded and has these arguments, drawn."""
    return talk.one(
        lambda name, given: WRITE.match(name) is not None and all(given.get(one) for one in holding)
    )


def changed(talk: Talk, call: Message | None, **new: Any) -> Wrong:
    """Give a call other arguments. Its answer has the new values in place of the old ones."""
    if call is None:
        return None
    answer, old = talk.answer(call), talk.arguments(call)
    for name, value in new.items():
        if isinstance(value, str) and isinstance(old.get(name), str):
            answer = answer.replace(f'"{old[name]}"', f'"{value}"')
    talk.change(call, answer, **new)
    return soon(talk, call)


def soon(talk: Talk, call: Message) -> Message:
    """End a run after its mistake, in half of the cases."""
    if talk.random.random() < 0.5:
        talk.end_after(call, ("assistant", "That is done. Is there anything else I can help with?"), BYE)
    return call


def day_after(day: str) -> str:
    return f"{day[:-2]}{int(day[-2:]) % 28 + 1:02}"


# Arguments of writes


def other_flight(talk: Talk) -> Wrong:
    call = write(talk, "flights")
    if call is None:
        return None
    flights = [dict(one) for one in talk.arguments(call)["flights"]]
    own = {one["flight_number"] for one in flights}
    shown = " ".join(talk.answer(one) for one in talk.calls()[: talk.step(call) - 1])
    others = sorted(set(re.findall(r"HAT\d{3}", shown)) - own)
    if not others:
        return None
    talk.random.choice(flights)["flight_number"] = talk.random.choice(others)
    return changed(talk, call, flights=flights)


def other_date(talk: Talk) -> Wrong:
    call = write(talk, "flights")
    if call is None:
        return None
    flights = [dict(one) for one in talk.arguments(call)["flights"]]
    one = talk.random.choice(flights)
    one["date"] = day_after(one["date"])
    return changed(talk, call, flights=flights)


def other_cabin(talk: Talk) -> Wrong:
    call = write(talk, "cabin")
    if call is None:
        return None
    others = {"economy", "business", "basic_economy"} - {talk.arguments(call)["cabin"]}
    return changed(talk, call, cabin=talk.random.choice(sorted(others)))


def other_payment(talk: Talk) -> Wrong:
    call = write(talk, "payment_id")
    others = sorted(
        set(talk.user().get("payment_methods", {})) - {talk.arguments(call)["payment_id"] if call else ""}
    )
    return changed(talk, call, payment_id=talk.random.choice(others)) if others else None


def other_amount(talk: Talk) -> Wrong:
    call = write(talk, "amount")
    return changed(talk, call, amount=2 * talk.arguments(call)["amount"]) if call else None


def more_bags(talk: Talk) -> Wrong:
    call = talk.one(lambda _, given: "total_baggages" in given)
    if call is None:
        return None
    given = talk.arguments(call)
    more = {name: given[name] + 1 for name in ("total_baggages", "nonfree_baggages")}
    return changed(talk, call, **more)


def insured(talk: Talk) -> Wrong:
    call = write(talk, "insurance")
    if call is None:
        return None
    return changed(talk, call, insurance="no" if talk.arguments(call)["insurance"] == "yes" else "yes")


def lost_passenger(talk: Talk) -> Wrong:
    call = write(talk, "passengers")
    passengers = talk.arguments(call)["passengers"] if call else []
    return changed(talk, call, passengers=passengers[:-1]) if len(passengers) > 1 else None


def other_birthday(talk: Talk) -> Wrong:
    call = write(talk, "passengers")
    if call is None:
        return None
    passengers = [dict(one) for one in talk.arguments(call)["passengers"]]
    passengers[0]["dob"] = day_after(passengers[0]["dob"])
    return changed(talk, call, passengers=passengers)


def _reservations(talk: Talk, own: str) -> list[str]:
    """Return the other reservations that the user has, or that the run has looked at."""
    seen = {talk.arguments(one).get("reservation_id") for one in talk.calls()}
    return sorted({*talk.user().get("reservations", []), *filter(None, seen)} - {own})


def other_reservation(talk: Talk) -> Wrong:
    call = write(talk, "reservation_id")
    others = _reservations(talk, talk.arguments(call)["reservation_id"]) if call else []
    return changed(talk, call, reservation_id=talk.random.choice(others)) if others else None


def invented_reservation(talk: Talk) -> Wrong:
    """The agent makes up an id, and the tool does not know it."""
    call = talk.one(lambda name, _: name == "get_reservation_details")
    if call is None:
        return None
    made = "".join(talk.random.choice("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789") for _ in range(6))
    talk.change(call, "Error: reservation not found", reservation_id=made)
    return call


# Calls too many, or too few


def cancels_another(talk: Talk) -> Wrong:
    call = write(talk, "reservation_id")
    others = _reservations(talk, talk.arguments(call)["reservation_id"]) if call else []
    if call is None or not others:
        return None
    one = talk.random.choice(others)
    answer = json.dumps({"reservation_id": one, "status": "cancelled"})
    return talk.add(talk.at(call) + 2, "cancel_reservation", {"reservation_id": one}, answer)


def once_more(talk: Talk) -> Wrong:
    call = write(talk)
    if call is None:
        return None
    k = talk.at(call) + 2
    return soon(talk, talk.add(k, talk.name(call), talk.arguments(call), talk.answer(call)))


def gives_certificate(talk: Talk) -> Wrong:
    """Nobody asked for it, and the policy says not to offer it."""
    call = write(talk)
    user = talk.one(lambda name, _: name == "get_user_details")
    if call is None or user is None or talk.name(call).startswith("send_"):
        return None
    given = {"user_id": talk.arguments(user)["user_id"], "amount": talk.random.choice((50, 100, 150))}
    return soon(talk, talk.add(talk.at(call) + 2, "send_certificate", given, "Certificate added."))


def not_looked(talk: Talk) -> Wrong:
    """The write goes to a reservation that was never looked at."""
    call = write(talk, "reservation_id")
    if call is None:
        return None
    own = talk.arguments(call)["reservation_id"]
    looks = talk.calls(lambda name, a: name.startswith("get_res") and a["reservation_id"] == own)
    for look in looks:
        talk.remove(look)
    return call if looks else None


def hands_over(talk: Talk) -> Wrong:
    call = write(talk)
    if call is None:
        return None
    k = talk.spoken_before(call)
    del talk.messages[k:]
    given = {"summary": "The user wants to change a reservation."}
    return talk.end_after(talk.add(k, "transfer_to_human_agents", given, "Transfer successful"), BYE)


def claims(talk: Talk) -> Wrong:
    call = write(talk)
    before = talk.before(call) if call else None
    if call is None or before is None:
        return None
    word = {
        "cancel": "cancelled your reservation",
        "book": "booked your flight",
        "send": "sent your certificate",
    }
    done = word.get(talk.name(call).split("_")[0], "updated your reservation")
    talk.end(talk.at(call), ("assistant", f"I have {done}."), BYE)
    return before


def stops(talk: Talk) -> Wrong:
    call = write(talk)
    before = talk.before(call) if call else None
    if call is None or before is None:
        return None
    talk.end(talk.at(call), ("assistant", "Is there anything else that I can help you with?"), BYE)
    return before


# Searches


def looks_elsewhere(talk: Talk) -> Wrong:
    """The agent searches for another day than was said, and goes on with what it finds."""
    call = talk.one(lambda name, _: name.startswith("search_"))
    if call is None:
        return None
    old = talk.arguments(call)["date"]
    talk.change(call, talk.answer(call).replace(old, day_after(old)), date=day_after(old))
    return call


def changes_route(talk: Talk) -> Wrong:
    call = talk.one(lambda name, _: name.startswith("search_"))
    if call is None:
        return None
    old = talk.arguments(call)["destination"]
    new = talk.random.choice(sorted({"ATL", "BOS", "DEN", "MIA", "SEA"} - {old}))
    talk.change(call, talk.answer(call).replace(f'"{old}"', f'"{new}"'), destination=new)
    return call


# Nothing is wrong


def looks_again(talk: Talk) -> Wrong:
    call = talk.one(lambda name, _: name.startswith("get_"))
    if call is None:
        return None
    talk.add(talk.at(call) + 2, talk.name(call), talk.arguments(call), talk.answer(call))
    return FINE


def thinks_more(talk: Talk) -> Wrong:
    call = talk.random.choice(talk.calls())
    talk.add(talk.at(call), "think", {"thought": "I look at the policy before I go on."}, "")
    return FINE


def changes_mind(talk: Talk) -> Wrong:
    call = write(talk)
    if call is None:
        return None
    k = talk.spoken_before(call)
    told = talk.random.choice(
        ("I changed my mind; keep it as it is.", "Never mind, I do not want that any more.")
    )
    talk.end(k, ("user", told), ("assistant", "Of course. I have not changed anything."), BYE)
    return FINE


KINDS = (
    other_flight, other_date, other_cabin, other_payment, other_amount, more_bags, insured, lost_passenger,
    other_birthday, other_reservation, invented_reservation, cancels_another, once_more, gives_certificate, not_looked,
    hands_over, claims, stops, looks_elsewhere, changes_route, looks_again, thinks_more, changes_mind,
)  # fmt: skip
FINE_KINDS = frozenset(("looks_again", "thinks_more", "changes_mind", "good"))


def graded(random: Random, kind: str, wrong: bool) -> float | None:
    """Return the reward that is shown: as tau-bench's, which looks at the end alone."""
    if random.random() < 0.4:
        return None
    return (
        0.0
        if kind == "changes_mind" or (wrong and kind not in ("invented_reservation", "not_looked"))
        else 1.0
    )


def family(good: Sequence[Message], seed: int) -> list[Message]:
    right = [one for one in good if one["reward"] == 1 and any(m.get("tool_calls") for m in one["traj"])]
    return draw(right, seed, KINDS, 10, graded)
