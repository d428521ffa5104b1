"""What a new request is to be like: as ``planscope new`` asks for it."""

from __future__ import annotations

import re
import secrets

from planscope.errors import UserError
from planscope.language.topics import load_topics
from planscope.synthesis.request import Request, check
from planscope.tui.dialogs.form import Answers, ChoiceField, Field, FormDialog, TextField
from planscope.tui.style.lines import shown
from planscope.tui.style.painter import Painter

MOST = 1000
"""Actions that may be asked for here."""

_ORDERS = re.compile(r"([0-9]{1,15})(?:\s*\.\.\s*([0-9]{1,15}))?")


def new_form(paint: Painter) -> FormDialog[Request]:
    """A dialog that asks for a request."""
    fields: list[Field] = [
        TextField("actions", "Actions", "5", "how many"),
        ChoiceField("timed", "Timed", (("off", "order alone"), ("on", "clock times and hours")), "off"),
        TextField("orders", "Orders", "", "in how many orders it can be met, as in 1..4; empty: any"),
        TextField("topic", "Topic", "", "a job, as planscope topics lists them; empty: drawn"),
        TextField("seed", "Seed", "", "the same seed makes the same request; empty: drawn"),
    ]
    before = ("Makes a request in controlled English whose constraints are known, in a new session.",)
    return FormDialog(paint, "New session", fields, read_request, before=before)


def read_request(answers: Answers) -> Request:
    """What the answers stand for. Raises ``UserError`` with what is wrong."""
    actions, seed = _whole(answers["actions"], "the number of actions"), _whole(answers["seed"], "the seed")
    if actions is None or not 2 <= actions <= MOST:
        raise UserError(f"so many actions cannot be: say 2 to {MOST}")
    made = Request(
        actions=actions,
        seed=secrets.randbelow(1_000_000) if seed is None else seed,
        timed=answers["timed"] == "on",
        topic=_topic(answers["topic"].strip()),
        valid_orders=_orders(answers["orders"].strip()),
    )
    check(made)
    return made


def _topic(wanted: str) -> str | None:
    if not wanted:
        return None
    topics = list(load_topics(None))
    found = [t for t in topics if t.casefold() == wanted.casefold()]
    found = found or [t for t in topics if wanted.casefold() in t.casefold()]
    if len(found) == 1:
        return found[0]
    near = ", ".join(found[:6]) if found else ", ".join(topics[:6]) + ", …"
    raise UserError(f"{'which topic of' if found else f'no topic {shown(wanted, 40)}; there are'} {near}")


def _orders(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    found = _ORDERS.fullmatch(text)
    if found is None:
        raise UserError(f"valid orders are a number or a range, as in 1..4, not {shown(text, 40)}")
    return int(found[1]), int(found[2] or found[1])


def _whole(text: str, what: str) -> int | None:
    number = text.strip()
    if number and not (number.isascii() and number.isdigit() and len(number) <= 9):
        raise UserError(f"{what} is a whole number, not {shown(number, 40)}")
    return int(number) if number else None
