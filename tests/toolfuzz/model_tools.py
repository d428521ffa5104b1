"""Tools that agents call in the tests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_COUNT: list[int] = []


def second(text: str) -> str:
    """Return the second word."""
    return text.split()[1]


def keep(text: str) -> str:
    """Keep a text in a file."""
    Path("kept.txt").write_text(text)
    return "kept"


def count() -> int:
    """Count the calls."""
    _COUNT.append(1)
    return len(_COUNT)


def leave() -> None:
    """End the process."""
    os._exit(3)


def wait(seconds: int) -> None:
    """Wait. Without an argument it would be called first, as what may make the tools, which may take 30 seconds."""
    time.sleep(seconds)


def tools() -> list[Callable[..., Any]]:
    return [second, keep, count, leave, wait]


def own_agent(model: Any, tools: list[Any], middleware: list[Any]) -> Any:
    """An agent of the user's own."""
    from langchain.agents import create_agent

    return create_agent(model, tools, middleware=middleware)


def passphrase(words: str) -> str:
    """Take the words that were agreed on."""
    if hash_of(words) == 2126:
        raise RuntimeError("it is the one")
    return "no"


def hash_of(text: str) -> int:
    """Hide a text from the fuzzer."""
    return sum(ord(c) for c in text) if len(text) == 21 else 0
