"""Tools for the tests: those that must hold, and those that attack the fuzzer.

Without LangChain, which each process that fuzzes one would import: langchain_tools.py.
"""

from __future__ import annotations

import errno
import functools
import json
import os
import socket
import subprocess
import threading
import time
import typing
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field


class _Answer:
    def json(self) -> dict[str, Any]:
        return {"places": []}


def request(url: str) -> _Answer:
    return _Answer()


REACHED: set[str] = set()


def figure_3(query: str) -> Any:
    """A tool to query a map. The queries must start with 'query: ', an example is 'query: libraries in Sofia'."""
    assert len(query) < 100, "Query is too long. Query must be less than 100 characters"
    search_query = query.split("query: ")[1]
    if any(word in search_query for word in ["supermarket", "coffee shop", "library", "office"]):
        response = request(f"building{query}")
    else:
        response = request(f"nature{query}")
    return response.json()


def three_keys(text: str) -> str:
    """Take JSON."""
    data = json.loads(text) if text.startswith("{") else {}
    if isinstance(data, dict) and data.get("a", {}).get("b", {}).get("c") == "go":
        raise RuntimeError("three keys deep")
    return "fine"


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    name: str
    size: int = Field(ge=1, le=5)


class Outer(BaseModel):
    inner: Inner
    more: list[Inner] = []


def all_types(
    colour: Colour,
    mode: Literal["a", "b"],
    ids: list[int] | None,
    outer: Outer,
    extra: dict,
    anything: Any = None,
) -> str:
    """Take arguments of many types."""
    assert isinstance(colour, Colour) and mode in ("a", "b") and isinstance(outer.inner.size, int)
    assert ids is None or all(type(one) is int or isinstance(one, int) for one in ids)
    return "fine"


def plain_answer(text: str) -> dict[str, Any]:
    """Return a dictionary."""
    return {"text": text}


def with_default(data: dict) -> Any:
    """Use get with a default."""
    return data.get("key", "default")


def text_with_error(text: str) -> str:
    """Its normal answer contains the word."""
    return f"The log says Error: nothing, {text}"


def blocks(text: str) -> str:
    """Block for ever."""
    if len(text) > 3:
        threading.Event().wait()
    return "ok"


def ends_process(code: int) -> str:
    """End the process."""
    if code > 100:
        os._exit(0)
    return "ok"


def finds_none(name: str) -> str:
    """Its message has words that are sent, too: the fuzzer takes them from the code."""
    if len(name) % 2:
        return f"Error: order {name} not found"
    raise LookupError(f"no invoice {name}")


def pages(query: str) -> Iterator[str]:
    """Yield pages without end, and fail at the second one for a long query."""
    while True:
        yield f"a page of {query}"
        if len(query) > 3:
            raise LookupError("the page is gone")


async def pages_later(query: str) -> AsyncIterator[str]:
    """Do the same, asynchronously."""
    for page in pages(query):
        yield page


def encodes(text: str) -> bytes:
    """Python says of one character otherwise than of several that they cannot be encoded."""
    return text.encode("latin-1")


def leaves_a_process(name: str) -> str:
    """Leave a process behind in each call."""
    subprocess.Popen(["/bin/sleep", "100"])
    return "started"


def letter(at: int, text: str) -> str:
    """Return a letter of a text."""
    return text[at]


third_letter = functools.partial(letter, 2)


class Place(typing.TypedDict):
    name: str


def at_place(place: Place) -> str:
    """Say where it is."""
    return place["name"]


def days_until(when: datetime) -> int:
    """Count the days since a moment without a time zone."""
    return (datetime(2030, 1, 1) - when).days


CALLED: list[int] = []


def ends_later(code: int) -> str:
    """End the process at the tenth call."""
    CALLED.append(code)
    if len(CALLED) == 10:
        os._exit(1)
    return "ok"


def hangs_later(code: int) -> str:
    """Hang at the tenth call."""
    CALLED.append(code)
    if len(CALLED) == 10:
        threading.Event().wait()
    return "ok"


def forks(text: str) -> str:
    """Fork."""
    if text:
        os.fork()
    return "ok"


def fills_disk(text: str) -> str:
    """Fill the disk."""
    with Path("big").open("wb") as file:
        for _ in range(400):
            file.write(b"x" * 2**20)
    return "ok"


OUTSIDE = Path("/tmp/planscope-test-outside")


def writes_outside(text: str) -> str:
    """Write outside, and hide that it failed."""
    try:
        OUTSIDE.write_text("x")
    except OSError:
        return "could not"
    return "ok"


def makes_what_is_there(text: str) -> str:
    """Make a folder that exists, outside."""
    Path("..").mkdir(parents=True, exist_ok=True)
    return "ok"


def connects(host: str) -> str:
    """Connect."""
    socket.create_connection(("192.0.2.1", 9), 0.1).close()
    return "ok"


def shell(command: str) -> str:
    """Write outside through a subprocess."""
    done = subprocess.run(["/bin/sh", "-c", f"echo x > {OUTSIDE}"], check=False)
    return str(done.returncode)


def kills_parent(text: str) -> str:
    """Kill the fuzzer's process."""
    os.kill(os.getppid(), 9)
    return "ok"


_SEEN: list[str] = []


def after_three(text: str) -> str:
    """Fail from the fourth call on."""
    _SEEN.append(text)
    if len(_SEEN) > 3:
        raise KeyError("four")
    return "ok"


def by_number(code: int) -> str:
    """Raise two kinds of OSError in one line, and one error with many messages."""
    if code > 50:
        raise OSError(errno.EISDIR if code % 2 else errno.ENAMETOOLONG, "no")
    if code < 0:
        raise ValueError(f"{code} is wrong at {time.time()}")
    return "ok"


def hostile(text: str) -> str:
    """Raise hostile text."""
    raise ValueError("<script>alert(1)</script> https://example.com \x1b[31m")


ATTACKS = [ends_process, forks, fills_disk, writes_outside, connects, shell, kills_parent, plain_answer]
SOUND = [plain_answer, with_default, text_with_error, makes_what_is_there]
ONE_SEARCH = [three_keys, all_types, third_letter, days_until, pages, pages_later, hostile]
TOLD_ONCE = [finds_none, encodes]


def reset_seen() -> None:
    _SEEN.clear()


def by_place(low: int, high: int, /, step: int = 1) -> list[int]:
    return list(range(low, high, step))


class _Session:
    """What no JSON can carry."""


def needs_session(session: _Session) -> str:
    return "never called"


def may_have_session(text: str, session: _Session | None = None) -> str:
    return text if session is None else "with a session"


def slow_and_wrong(text: str) -> str:
    """Fail at once, or take a moment."""
    if not text:
        raise RuntimeError("empty")
    time.sleep(0.01)
    return "ok"


def make_broken_tools() -> list[Any]:
    """Make no tools."""
    raise ImportError("install the\nother package")
