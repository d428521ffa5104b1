"""Tools of shapes that are easily called wrongly, and tools that break what calls them.

``FINDS``: kinds and exceptions that are true of each, by name."""

from __future__ import annotations

import asyncio
import builtins
import functools
import json
import os
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Any

from langchain_core.tools import BaseTool, InjectedToolArg, tool
from langgraph.prebuilt import InjectedState, InjectedStore
from pydantic import BaseModel
from typing_extensions import TypedDict

Label = tuple[str, str | None]
SHAPES: list[Any] = []
BREAKERS: list[Any] = []
FINDS: dict[str, set[Label]] = {}
DIVISION: Label = ("raised", "ZeroDivisionError")


def finds(into: list[Any], *labels: Label) -> Any:
    def mark(target: Any) -> Any:
        into.append(target)
        FINDS[getattr(target, "name", None) or target.__name__] = set(labels)
        return target

    return mark


class Coroutine(BaseTool):
    name: str = "coroutine"
    description: str = "Its coroutine alone works."

    def _run(self, text: str) -> str:
        """Not there."""
        raise NotImplementedError("use ainvoke")

    async def _arun(self, text: str) -> str:
        await asyncio.sleep(0)
        return text.split(",")[1]


class NoCoroutine(BaseTool):
    name: str = "no_coroutine"
    description: str = "Its coroutine says that there is none."

    def _run(self, number: int) -> float:
        return 1 / number

    async def _arun(self, number: int) -> float:
        raise NotImplementedError(f"{self.name} does not support async")


finds(SHAPES, ("raised", "IndexError"))(Coroutine())
finds(SHAPES, DIVISION)(NoCoroutine())


class Profile(BaseModel):
    name: str
    tags: list[str]


class State(TypedDict):
    messages: list[str]
    profile: Profile


@finds(SHAPES, DIVISION)
@tool
def with_user(
    number: int, user: Annotated[str, InjectedToolArg], limits: Annotated[list[int], InjectedToolArg]
) -> str:
    """Take a user that the framework injects."""
    return f"{user}{limits}{1 / number}"


@finds(SHAPES, DIVISION)
@tool
def with_state(
    number: int, state: Annotated[State, InjectedState], store: Annotated[Any, InjectedStore()]
) -> str:
    """Use the state and the store of a graph."""
    store.put(("a",), "key", {"n": number})
    return f"{len(state['messages'])}{state['profile'].name}{store.get(('a',), 'key').value}{1 / number}"


class _Connection:
    def __init__(self, address: str) -> None:
        raise OSError(address)


@finds(SHAPES)
@tool
def with_connection(number: int, link: Annotated[_Connection, InjectedToolArg]) -> str:
    """Take what has no neutral value."""
    return f"{link}"


@finds(SHAPES, ("raised", "ValueError"))
@tool(response_format="content_and_artifact")
def no_artifact(text: str) -> str:
    """Answer with a text, and promise a pair."""
    return text


def _ratio(whole: int, part: int) -> float:
    return whole / part


ratio = functools.partial(_ratio, 3)
ratio.__name__ = "ratio"
finds(SHAPES, DIVISION)(ratio)


@finds(SHAPES, ("raised", "RecursionError"))
def goes_down(number: int) -> int:
    """Call itself for ever, by way of another function."""
    return _down(number + 1)


def _down(number: int) -> int:
    if number % 3 == 0:
        return goes_down(number) + 1
    return goes_down(number)


@finds(BREAKERS, DIVISION)
def replaces(number: int) -> float:
    """Replace functions that everyone uses."""
    builtins.len = lambda one: 42
    builtins.isinstance = lambda *_: True
    json.dumps = lambda *_, **__: "nonsense"
    json.loads = lambda *_, **__: None
    os.write = lambda *_: 0
    os.getpid = lambda: 1
    time.monotonic = lambda: 0.0
    sys.stdout = sys.stderr = None
    sys.setrecursionlimit(100)
    sys.modules.pop("traceback", None)
    sys.path.clear()
    return 1 / number


@finds(BREAKERS, DIVISION)
def closes_files(number: int) -> float:
    """Close all files."""
    os.closerange(3, 256)
    return 1 / number


@finds(BREAKERS, DIVISION)
def writes_to_files(number: int) -> float:
    """Write to every open file what looks like a message."""
    for name in range(3, 1000):
        try:
            os.write(name, b'{"event": "error"}\n{"event": "again", "key": 1}\n[1]\n{"event": "over"}\n{"eve')
        except OSError:
            continue
    return 1 / number


@finds(BREAKERS)
def leaves_threads(number: int) -> str:
    """Leave a thread behind."""
    threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
    return "ok"


@finds(BREAKERS, ("outside", "PermissionError"))
def deletes_its_folder(number: int) -> str:
    """Delete the folder that it works in."""
    Path.cwd().rmdir()
    return "ok"


@finds(BREAKERS, ("outside", "PermissionError"))
def moves_its_folder(number: int) -> str:
    """Move the folder that it works in."""
    Path.cwd().rename("../elsewhere")
    return "ok"


@finds(BREAKERS, ("raised", "IsADirectoryError"))
def unlinks_a_folder(number: int) -> str:
    """Delete as a file what is a folder: the system refuses it by itself, for its own reason."""
    Path.cwd().unlink()
    return "ok"


@finds(BREAKERS)
def moves_its_folder_nowhere(number: int) -> str:
    """Move the folder that it works in to where it is, or into itself, which the system refuses."""
    Path.cwd().rename(Path.cwd())
    shutil.move(Path.cwd(), Path.cwd())
    try:
        shutil.move(Path.cwd(), Path.cwd() / "inner")
    except shutil.Error:
        return "it cannot move into itself"
    return "ok"
