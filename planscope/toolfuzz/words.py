"""Values that the search draws from (``data/values.toml``), and what a person would write for an argument of that name
or description."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

DATA: dict[str, Any] = tomllib.loads(
    (files("planscope.toolfuzz") / "data" / "values.toml").read_text(encoding="utf-8")
)
ORDINARY: Sequence[str] = DATA["ordinary"]
ODD: Sequence[str] = DATA["odd"]
SLOW: Sequence[str] = DATA["slow"]

LONG = 16_000
"""Characters of the texts that show whether a tool takes ever longer; as JSON they must weigh less than 64 KiB."""

_COMPILED = [(re.compile(rf"(?:^|[\W_]|(?<=[a-z])(?=[A-Z]))(?:{names})s?(?:$|[\W_]|(?=[A-Z]))", re.I),
words) for names, words in DATA["meant"].items()]  # fmt: skip


@cache
def words_for(name: str, description: str = "") -> Sequence[str]:
    """Return the words for an argument of that name; the description counts if the name says nothing."""
    for text in (name, description):
        found = tuple(word for pattern, words in _COMPILED if pattern.search(text) for word in words)
        if found:
            return found
    return ORDINARY
