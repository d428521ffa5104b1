"""Tools over data, whose keys no comparison shows."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import datetime

_ORDERS = json.loads(
    json.dumps({f"#W{k:05}": {"id": k, "lines": {f"L-{k}": "tea"}} for k in range(300, 900)})
)
_PEOPLE = [
    {"first": first, "last": f"{last}-{k}", "code": f"{k:05}"}
    for k, (first, last) in enumerate(
        (a, b) for a in ("Ada", "Grace", "Mary") for b in ("Byron", "Hopper", "Jackson")
    )
]
_SHOP = sqlite3.connect(":memory:", check_same_thread=False)
_SHOP.executescript(
    "CREATE TABLE parts (code TEXT, kind TEXT); INSERT INTO parts VALUES ('P/17', 'nut'), ('P/23', 'bolt')"
)


def line_of_order(order_id: str, line: str) -> str:
    """Return what a line of an order says."""
    if order_id not in _ORDERS:
        raise LookupError("no such order")
    return str(_ORDERS[order_id]["lines"][line])


def code_of_person(first: str, last: str, code: str) -> str:
    """Say whether the code is that of the person."""
    for one in _PEOPLE:
        if one["first"].lower() == first.lower() and one["last"] == last and one["code"] == code:
            return "right"
    return "Error: nobody"


def kind_of_part(code: str) -> str:
    """Return the kind of a part."""
    row = _SHOP.execute("SELECT kind FROM parts WHERE parts.code = ?", (code,)).fetchone()
    return "Error: unknown part" if row is None else str(row[0])


def day_of_week(moment: str) -> str:
    """Return the day of the week."""
    return _parsed(moment).strftime("%A")


def _parsed(text: str) -> datetime:
    return datetime.strptime(text, "%d/%m/%Y at %H:%M")


class Shelf:
    """A shelf that is loaded when a tool is made."""

    def __init__(self) -> None:
        self.books = dict.fromkeys(("978-3-16", "978-0-30"), "a book")

    def book(self, isbn: str) -> str:
        """Return the book with a number."""
        found = self.books.get(isbn)
        return found if found is not None else "Error: not found"


def never(text: str) -> str:
    """Refuse everything."""
    return "Error: the shop is closed"


book = Shelf().book
DATA: list[Callable[..., str]] = [line_of_order, code_of_person, kind_of_part, day_of_week, book]


def files() -> list[Callable[..., str]]:
    """Return tools, by a name that says nothing."""
    return [never, day_of_week]
