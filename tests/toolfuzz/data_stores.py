"""Tools over data, whose keys no comparison shows."""

from __future__ import annotations

import hashlib
import json
import socket
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

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


def price_of_part(code: str) -> str:
    """Return the price of a part, from a file that each call opens."""
    fresh = not Path("parts.db").exists()
    with closing(sqlite3.connect("parts.db")) as database:
        if fresh:
            database.executescript(
                "CREATE TABLE parts (code TEXT); INSERT INTO parts VALUES ('P/41'), ('P/57')"
            )
        row = database.execute("SELECT code FROM parts WHERE code = ?", (code,)).fetchone()
    return "Error: unknown part" if row is None else "7"


def size_of_bench(name: str) -> str:
    """Return the size of a benchmark."""
    return str(len((Path(__file__).parents[1] / "bench" / f"bench_{name}.py").read_text()))


def waits_for(job: str) -> str:
    """Wait for a job, such as nightly or weekly."""
    if "weekly" in job:
        time.sleep(600)
    return "done"


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


def in_folder(path: str, order_id: str) -> list[str] | str:
    """Make a file beside those of a folder."""
    if order_id != "Q-17" or not (Path(path) / "a.json").is_file():
        return "Error: no such order"
    new = Path(path) / "new.txt"
    if new.exists():
        raise RuntimeError("the folder is not as it was")
    new.write_text("x")
    found = sorted(one.name for one in Path(path).iterdir())
    new.unlink()
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def open_box(box_id: str) -> str:
    """Open a box."""
    return "open" if _digest(box_id).startswith("035890") else "Error: no such box"


def close_box(box_id: str) -> str:
    """Close a box."""
    return "closed" if _digest(box_id).startswith("035890") else "Error: no such box"


def list_shelves() -> str:
    """List the shelves."""
    return "kitchen\ncellar"


def rename_shelf(shelf: str, new: str) -> str:
    """Give a shelf another name."""
    return "done" if _digest(shelf) == _digest("cellar") else "Error: no such shelf"


def lacks(text: str) -> str:
    """Need a package."""
    import no_such_package_here

    return str(no_such_package_here.run(text))


_TABLES = {"artists", "albums"}


def tables(names: str) -> str:
    """Describe tables."""
    missing = {name.strip() for name in names.split(",")} - _TABLES
    return f"Error: table_names {missing} not found" if missing else "CREATE TABLE"


def all_of_them() -> list[Callable[..., str]]:
    """Return tools, by a name that says nothing."""
    return [never, day_of_week]


def tidy_up() -> str:
    """A tool without arguments."""
    _CALLED.append(1)
    return "tidy"


_CALLED: list[int] = []
BOXES, SHOP = [open_box, close_box], [rename_shelf, list_shelves]
book = Shelf().book
DATA: list[Callable[..., str]] = [
    line_of_order,
    code_of_person,
    kind_of_part,
    price_of_part,
    size_of_bench,
    day_of_week,
    book,
]


def percent(part: float, whole: float) -> float:
    """Return a percentage. `whole` must not be 0."""
    return 100 * part / whole


def share(part: float, whole: float) -> float:
    """Return a share. `part` must not be 0."""
    return part / whole


def ratio(part: float, whole: Annotated[float, Field(ge=0)]) -> float:
    """Return a ratio."""
    return part / whole


def opens_by_address(mode: Literal["ro", "rwc"]) -> str:
    """Open a database outside."""
    place = Path(__file__).with_name("no-such.db")
    sqlite3.connect(f"file:{place}?mode={mode}", uri=True)
    return "open"


def asks_server(name: str) -> str:
    """Ask a server."""
    return str(socket.create_connection(("localhost", 8765)))


_CART: list[str] = []


def add_item(name: str) -> str:
    """Put an item into the cart."""
    _CART.append(name)
    return "added"


def average_price() -> float:
    """Return the average of the items in the cart."""
    return 30 / len(_CART)


CART: list[Callable[..., object]] = [add_item, average_price]


def _opens(code: str) -> str:
    good = hashlib.sha256(code.encode()).hexdigest()[:8] in ("3746aea2", "d44d9e17", "c284d4a7")
    return "open" if good else "Error: closed"


def door(code: str) -> str:
    """Open a door.

    Args:
        code: what is written on the key,
            e.g. 'K7, blue', or P-3
    """
    return _opens(code)


def gate(code: Annotated[str, Field(examples=["north gate"])]) -> str:
    """Open a gate."""
    return _opens(code)


def lid(code: str, times: int) -> str:
    """Open a lid.

    >>> lid("lid 4", times=77)
    """
    return _opens(code) if times == 77 else "Error: closed"


DOORS = [door, gate, lid]
STATED = [percent, share, ratio, tables]


def deep(number: int) -> int:
    """Count."""
    if number > 10:
        number += 1
        raise ValueError("deep")
    return number


_IDS = [f"T-{100 + 7 * k}" for k in range(30)]
_HOLES = {"price": _IDS[17], "state": _IDS[26], "due": _IDS[21]}
"""One thing of thirty lacks something, in each of three stores."""
_SHUT = _digest(_HOLES["state"])
_PRICES: dict[str, dict[str, float]] = {one: {} if one == _HOLES["price"] else {"price": 2.5} for one in _IDS}
_BILLS = sqlite3.connect(":memory:", check_same_thread=False)
_BILLS.execute("CREATE TABLE bills (code TEXT, due REAL)")
_BILLS.executemany(
    "INSERT INTO bills VALUES (?, ?)", [(o, None if o == _HOLES["due"] else 1.0) for o in _IDS]
)


def price_in_stock(code: str) -> float:
    """Return the price of a thing."""
    return _PRICES[code]["price"] if code in _PRICES else 0.0


def list_tickets() -> list[str]:
    """List all tickets."""
    return _IDS


def state_of_ticket(ticket: str) -> str:
    """Return the state of a ticket."""
    return {"open": "yes"}["shut" if _digest(ticket) == _SHUT else "open"]


def due_on_bill(code: str) -> float:
    """Return what is due on a bill."""
    found = _BILLS.execute("SELECT due FROM bills WHERE code = ?", (code,)).fetchone()
    return round(found[0], 2) if found is not None else 0.0


STOCK = [price_in_stock, list_tickets, state_of_ticket, due_on_bill]
