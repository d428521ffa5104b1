"""Tools without a bug: whatever the schema accepts, they answer. No finding is true here."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import math
import re
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from langchain_core.tools import tool
from pydantic import BaseModel, Field

SOUND: list[Any] = []


def sound(target: Any) -> Any:
    SOUND.append(target)
    return target


@sound
def describe(item: str) -> dict[str, Any]:
    """Describe an item."""
    return {"item": item, "length": len(item), "notes": []}


@sound
def pick(record: dict) -> str:
    """Pick the name of a record."""
    name = record.get("name", "nobody")
    return name if isinstance(name, str) else "nobody"


@sound
def read_json(text: str) -> str:
    """Read JSON text."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return "not JSON"
    return type(data).__name__


class _Hook:
    def __call__(self, pairs: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in pairs.items() if k}


@sound
def read_with_hook(text: str) -> int:
    """Read JSON with a hook."""
    try:
        data = json.load(io.StringIO(text), object_hook=_Hook())
    except (ValueError, RecursionError):
        return -1
    return len(data) if isinstance(data, dict | list) else 0


@sound
def log_lines(text: str) -> str:
    """Count the lines of a log."""
    return f"{text.count(chr(10)) + 1} lines; the last said 'Error: disk full' and was ignored"


@sound
def manual(topic: str) -> str:
    """A page of a manual about errors."""
    return f"How to read the text Error: something. Topic: {topic}"


@sound
def divide(a: float, b: float) -> str:
    """Divide two numbers."""
    if b == 0:
        return "division by zero is not defined"
    return str(a / b)


@sound
def clamp(value: int, low: int = 0, high: int = 10) -> int:
    """Clamp a value."""
    return max(min(value, max(low, high)), min(low, high))


@sound
def slug(title: str) -> str:
    """Make a slug of a title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "untitled"


@sound
def parse_day(day: str) -> str:
    """Parse a day such as 2026-01-31."""
    try:
        return date.fromisoformat(day).strftime("%A")
    except ValueError:
        return "write the day as YYYY-MM-DD"


class Size(Enum):
    SMALL = 1
    LARGE = 2


@sound
def price(size: Size, extras: list[str] | None = None) -> int:
    """Price of a pizza."""
    return size.value * 5 + len(extras or [])


@sound
def route(mode: Literal["car", "bike", "foot"], km: float) -> str:
    """Time of a route."""
    return f"{km / {'car': 80, 'bike': 18, 'foot': 5}[mode]:.1f} h"


class Point(BaseModel):
    x: float = Field(ge=-180, le=180)
    y: float = Field(ge=-90, le=90)


@sound
def distance(a: Point, b: Point) -> float:
    """Distance of two points."""
    return math.hypot(a.x - b.x, a.y - b.y)


@sound
@tool
async def echo(text: str) -> str:
    """Echo a text."""
    await asyncio.sleep(0)
    return f"you said: {text}"


@sound
@tool
def count_words(text: str, unique: bool = False) -> int:
    """Count words."""
    words = text.split()
    return len(set(words)) if unique else len(words)


@sound
def write_scratch(text: str) -> str:
    """Write into the current folder."""
    Path("scratch.txt").write_text(text, encoding="utf-8", errors="replace")
    return "written"


@sound
def columns(table: str) -> list[str]:
    """The columns of a CSV table."""
    try:
        return next(csv.reader(io.StringIO(table.replace("\0", ""))), [])
    except csv.Error:
        return []


@sound
def anything(value: Any = None) -> str:
    """Accept anything."""
    return json.dumps(value)[:20]


@sound
def merge(left: dict[str, int], right: dict[str, int]) -> dict[str, int]:
    """Merge two tables."""
    return {key: left.get(key, 0) + right.get(key, 0) for key in {**left, **right}}


@sound
def health(service: str) -> dict[str, Any]:
    """The health of a service."""
    return {"service": service, "error": "", "errors": [], "isError": False}


@sound
def tail(numbers: list[int], count: int) -> list[int]:
    """The last numbers of a list."""
    return numbers[-count:] if count > 0 else []
