"""The lists of words that the detectors go by (``data/words.toml``)."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def words(table: str, name: str) -> frozenset[str]:
    """One list."""
    return frozenset(_load()[table][name].split())


@cache
def _load() -> dict[str, dict[str, str]]:
    text = (files("planscope.sharing") / "data" / "words.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
