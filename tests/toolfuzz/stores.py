"""Tools that keep something: sound ones, and those that break or lie only in a sequence of calls."""

from __future__ import annotations

from typing import Any

from tests.bench.toolfuzz_corpus import sequences as corpus

_ORDERS: dict[int, dict[str, Any]] = {}
_LABELS: dict[str, str] = {}


def create_order(item: str, amount: int) -> dict[str, Any]:
    """Order something. The answer has the order's id."""
    _ORDERS[len(_ORDERS) + 1] = {"item": item, "amount": amount, "note": None, "is_empty": False}
    return {"order_id": len(_ORDERS), "status": "created"}


def get_order(order_id: int) -> dict[str, Any]:
    """Read an order."""
    return _ORDERS.get(order_id) or {"error": f"no order {order_id}"}


def delete_order(order_id: int) -> dict[str, Any]:
    """Delete an order. Only once."""
    found = _ORDERS.pop(order_id, None)
    return {"error": "no such order"} if found is None else {"status": "deleted"}


def set_label(name: str, text: str, colour: str = "red") -> str:
    """Keep a label, in capitals and without spaces around."""
    _LABELS[name] = text.strip().upper()
    return "success"


def get_label(name: str) -> str:
    """Read a label."""
    return f"label: {_LABELS[name]}" if name in _LABELS else "there is no such label"


def delete_label(name: str) -> None:
    """Delete a label, if it is there."""
    _LABELS.pop(name, None)


def get_echo(name: str) -> str:
    """Say a name. It keeps nothing."""
    return f"this is {name}"


def delete_echo(name: str) -> str:
    """Forget a name that nobody kept."""
    return "done"


def set_echo(name: str, value: int) -> None:
    """Keep nothing, and say nothing."""


SOUND = [
    create_order, get_order, delete_order, set_label, get_label, delete_label, get_echo, delete_echo, set_echo
]  # fmt: skip


def create_ticket(title: str) -> dict[str, Any]:
    """Say that a ticket was made, and keep nothing."""
    return {"ticket_id": 7, "status": "created"}


def read_ticket(ticket_id: int) -> dict[str, Any]:
    """Read a ticket."""
    return {"error": "no such ticket"}


LIARS = [create_ticket, read_ticket]

USERS = [corpus.create_user, corpus.get_user, corpus.delete_user]
FLAGS = [corpus.set_flag, corpus.get_flag]
CART = [corpus.add_to_cart, corpus.clear_cart]
