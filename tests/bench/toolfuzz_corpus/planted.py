"""Tools with bugs. ``PLANTED`` maps each to its labels: kind and exception class, None where there is none."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
import re
import socket
import sys
import threading
import time
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from langchain_core.tools import ToolException, tool
from pydantic import BaseModel, Field

PLANTED: dict[str, list[tuple[str, str | None]]] = {}


def planted(*labels: tuple[str, str | None]) -> Any:
    """Label a function or a tool."""

    def mark(target: Any) -> Any:
        PLANTED[getattr(target, "name", None) or target.__name__] = list(labels)
        return target

    return mark


@planted(("raised", "IndexError"))
def city_search(query: str) -> str:
    """Search a city. The query is written as 'city: NAME'."""
    name = query.split("city: ")[1]
    return f"found {name}"


@planted(("raised", "AssertionError"))
def short_note(text: str) -> str:
    """Store a short note."""
    assert len(text) <= 280, "too long"
    return "stored"


@planted(("raised", "ZeroDivisionError"))
def average_speed(distance: float, hours: int) -> float:
    """Average speed in km/h."""
    return distance / hours


@planted(("raised", "ValueError"))
def parse_amount(amount: str) -> int:
    """Parse an amount of money such as '$12'."""
    return int(amount.replace("$", ""))


@planted(("raised", "KeyError"))
def exchange_rate(currency: str) -> float:
    """Exchange rate of a currency to the euro."""
    rates = {"USD": 0.92, "GBP": 1.17, "CHF": 1.05}
    return rates[currency]


@planted(("raised", "KeyError"))
def shipping_cost(country: str, express: bool = False) -> float:
    """Shipping cost to a country."""
    costs = {"Germany": 4.5, "France": 6.0, "Italy": 7.0}
    if country not in costs:
        return 20.0
    if express and country == "Italy":
        return costs["Italy express"]
    return costs[country]


@planted(("raised", "IndexError"))
def pick_item(items: list[str], index: int) -> str:
    """Pick one item of a list."""
    if index < 0:
        return items[0] if items else ""
    return items[index]


@planted(("raised", "JSONDecodeError"), ("raised", "KeyError"))
def order_total(order: str) -> float:
    """Total of an order, given as JSON text."""
    data = json.loads(order)
    return sum(line["price"] for line in data["order"]["lines"])


@planted(("raised", "RuntimeError"))
def deep_config(config: str) -> str:
    """Apply a configuration, given as JSON text."""
    try:
        data = json.loads(config)
    except ValueError:
        return "not JSON"
    if not isinstance(data, dict):
        return "not an object"
    server = data.get("server")
    if isinstance(server, dict):
        tls = server.get("tls")
        if isinstance(tls, dict) and tls.get("mode") == "legacy":
            raise RuntimeError("legacy mode was removed")
    return "applied"


@planted(("raised", "RuntimeError"))
def nested_filter(filter: dict) -> str:  # noqa: A002  (as a tool of somebody's may call it)
    """Filter records by a nested condition."""
    where = filter.get("where")
    if isinstance(where, dict) and where.get("op") == "between":
        raise RuntimeError("between is not supported")
    return "ok"


@planted(("raised", "ValueError"))
def set_alarm(when: str) -> str:
    """Set an alarm at a time of the day, such as '07:30'."""
    if not re.fullmatch(r"\d\d:\d\d", when):
        return "write the time as HH:MM"
    hour, minute = when.split(":")
    return str(datetime(2026, 1, 1, int(hour), int(minute)))


@planted(("raised", "OverflowError"))
def add_days(days: int) -> str:
    """The date some days after the first of January 2026."""
    try:
        return str(date.fromordinal(date(2026, 1, 1).toordinal() + days))
    except ValueError:
        return "out of range"


@planted(("raised", "UnboundLocalError"))
def classify(score: int) -> str:
    """Put a score from 0 to 100 into a class."""
    if score >= 90:
        label = "excellent"
    elif score >= 50:
        label = "good"
    elif score >= 0:
        label = "poor"
    return label


@planted(("raised", "AttributeError"))
def extract_mail(text: str) -> str:
    """Extract the e-mail address of a text."""
    return re.search(r"[\w.]+@[\w.]+", text).group(0)


@planted(("raised", "UnicodeEncodeError"))
def latin_label(label: str) -> int:
    """Print a label; returns the number of bytes."""
    return len(label.encode("latin-1"))


@planted(("raised", "RuntimeError"))
def discount(code: str, total: int) -> float:
    """Apply a discount code to a total."""
    if code.startswith("SALE-"):
        percent = code[5:]
        if percent == "100":
            raise RuntimeError("free orders are not allowed")
        return total * 0.9
    return float(total)


@planted(("raised", "TypeError"))
def join_names(first: str, last: str | None = None) -> str:
    """Join a first and a last name."""
    return first + " " + last


class Level(Enum):
    LOW = "low"
    HIGH = "high"
    EXTREME = "extreme"


@planted(("raised", "NotImplementedError"))
def set_level(level: Level) -> str:
    """Set the level of the heating."""
    if level is Level.EXTREME:
        raise NotImplementedError("extreme")
    return level.value


@planted(("raised", "NotImplementedError"))
def resize(mode: Literal["fit", "fill", "stretch", "tile"], width: int) -> str:
    """Resize a picture."""
    if mode == "tile" and width > 4096:
        raise NotImplementedError("tiles of this width")
    return f"{mode} {width}"


class Address(BaseModel):
    street: str
    zip_code: str = Field(description="five digits")
    country: str = "DE"


class Parcel(BaseModel):
    to: Address
    weight: float = Field(gt=0, le=30)
    contents: list[str] = []


@planted(("raised", "ValueError"))
def send_parcel(parcel: Parcel) -> str:
    """Send a parcel."""
    return f"zone {int(parcel.to.zip_code) // 1000}"


@planted(("raised", "IndexError"))
def first_content(parcel: Parcel) -> str:
    """The first thing in a parcel."""
    if parcel.weight > 20:
        return parcel.contents[0]
    return "light"


@planted(("raised", "StopIteration"))
def find_user(name: str) -> dict:
    """Find a user by name: ada, grace or alan."""
    users = [{"name": "ada"}, {"name": "grace"}, {"name": "alan"}]
    return next(u for u in users if u["name"] == name)


@planted(("raised", "ValueError"))
def unpack_pair(pair: str) -> str:
    """Swap a pair written as 'a,b'."""
    if "," not in pair:
        return "no pair"
    a, b = pair.split(",")
    return f"{b},{a}"


@planted(("raised", "KeyError"))
def sum_column(table: str) -> float:
    """Sum the column 'amount' of a CSV table with a header."""
    rows = list(csv.DictReader(io.StringIO(table)))
    total = 0.0
    for row in rows:
        try:
            total += float(row["amount"])
        except (TypeError, ValueError):
            continue
    return total


@planted(("raised", "RecursionError"))
def evaluate(expression: str) -> int:
    """Count the nested brackets of an expression."""

    def level(text: str) -> int:
        if not text.startswith("("):
            return 0
        return 1 + level(text[1:] if not text.endswith(")") else text)

    return level(expression)


@planted(("raised", "RuntimeError"))
def magic_number(number: int) -> str:
    """Check a number."""
    if number == 73939133:
        raise RuntimeError("that one")
    return "fine"


@planted(("raised", "RuntimeError"))
def version_check(version: str) -> str:
    """Check a version such as '2.4.1'."""
    parts = version.split(".")
    if len(parts) == 3 and parts[0] == "0" and parts[2].isdigit():
        raise RuntimeError("versions before 1.0.0 are unknown")
    return "known"


@planted(("raised", "ValidationError"))
def make_address(street: str, zip_code: str) -> str:
    """Make an address."""

    class Strict(BaseModel):
        street: str = Field(min_length=1)
        zip_code: str

    return Strict(street=street, zip_code=zip_code).model_dump_json()


@planted(("raised", "ValueError"))
def open_file(path: str) -> str:
    """The size of a file, or -1."""
    try:
        return str(Path(path).stat().st_size)
    except OSError:
        return "-1"


@planted(("raised", "FileNotFoundError"))
def read_note(name: str) -> str:
    """Read a note."""
    return Path(f"notes-{name.encode().hex()[:40]}.txt").read_text()


@tool("base-convert")
async def base_convert(number: str, base: int = 10) -> str:
    """Convert a number of some base (2 to 36) to decimal."""
    await asyncio.sleep(0)
    if not number.isalnum():
        return "not a number"
    return str(int(number, base))


planted(("raised", "ValueError"))(base_convert)


@tool
def temperature(celsius: float) -> str:
    """Convert a temperature to kelvin."""
    if celsius < -273.15:
        raise ToolException("below absolute zero")
    return str(celsius + 273.15)


planted(("returned", "ToolException"))(temperature)


@planted(("returned", None))
def lookup(word: str) -> str:
    """Look a word up."""
    if word in ("cat", "dog"):
        return "an animal"
    return f"Error: no entry for {word}"


@planted(("returned", None))
def api_status(service: str) -> dict:
    """The status of a service: web or db."""
    return {"status": "up"} if service in ("web", "db") else {"error": "unknown service"}


@planted(("hung", None))
def count_down(start: int) -> str:
    """Count down to zero."""
    while start != 0:
        start -= 1
        if start < -10:
            start = -5
    return "lift off"


@planted(("hung", None))
def wait_for(event: str) -> str:
    """Wait for an event: start or stop."""
    if event not in ("start", "stop"):
        threading.Event().wait()
    return "it happened"


@planted(("hung", None))
def check_word(word: str) -> bool:
    """Check that a text consists of words."""
    return re.fullmatch(r"(\w+\s?)+", word) is not None if word.endswith("!") and len(word) > 40 else True


@tool
async def poll(job: str) -> str:
    """Poll a job by its id."""
    while not job.strip():
        await asyncio.sleep(0.05)
    return "done"


planted(("hung", None))(poll)


@planted(("killed", "SystemExit"))
def run_step(step: str) -> str:
    """Run a step: build, test or deploy."""
    if step == "deploy":
        sys.exit(3)
    return "ran"


@planted(("killed", None))
def crash(depth: int) -> str:
    """Walk down some levels."""
    if depth > 1000:
        os.kill(os.getpid(), 11)
    return "back"


@planted(("killed", "MemoryError"))
def allocate(size: int) -> int:
    """Allocate a buffer of some megabytes; at least one."""
    return len(bytearray(max(1, size) * 2**20)) if size > 0 else 0


@planted(("killed", None))
def leave(code: int) -> str:
    """Report a status code."""
    if code < 0:
        os._exit(1)
    return str(code)


@planted(("outside", "PermissionError"))
def save_report(text: str) -> str:
    """Save a report."""
    Path("/tmp/planscope-report.txt").write_text(text)
    return "saved"


@planted(("outside", "PermissionError"))
def remove_cache(folder: str) -> str:
    """Remove the cache."""
    target = Path("/var/tmp/planscope-cache.txt")
    if folder:
        target.unlink(missing_ok=True)
    return "removed"


@planted(("infrastructure", None))
def ping(host: str) -> str:
    """Connect to a host."""
    with socket.create_connection(("192.0.2.1", 80), timeout=0.2):
        return "up"


class Nested(BaseModel):
    values: list[list[int]]


@planted(("raised", "ValueError"))
def biggest(table: Nested) -> int:
    """The biggest number of a table."""
    if not table.values:
        return 0
    return max(max(row) for row in table.values)


@planted(("raised", "TypeError"))
def sort_values(values: list[Any]) -> list[Any]:
    """Sort some values."""
    return sorted(values)


@planted(("raised", "AttributeError"))
def optional_ids(ids: list[int] | None = None, label: str = "x") -> int:
    """Count ids."""
    if label == "all":
        return ids.count(0)
    return len(ids or ())


@planted(("raised", "RuntimeError"))
def flaky_counter(name: str) -> int:
    """Count the calls."""
    time.sleep(0)
    _COUNTS.append(name)
    if len(_COUNTS) > 7:
        raise RuntimeError("too many calls")
    return len(_COUNTS)


_COUNTS: list[str] = []
