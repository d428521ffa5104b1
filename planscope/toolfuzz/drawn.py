"""Values that Hypothesis draws, with a fixed seed, without its database and without a deadline."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from random import Random
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

T = TypeVar("T")


def _draw(strategy: st.SearchStrategy[T], count: int, name: str) -> list[T]:
    found: list[T] = []

    @seed(Random(name).getrandbits(64))
    @settings(
        database=None,
        deadline=None,
        max_examples=count,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: T) -> None:
        found.append(value)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collect()
    return found


def texts(name: str) -> list[str]:
    """Return texts for a tool, without lone surrogates."""
    some = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
    plain = st.text("abcXYZ019 ,;:=/._-'\"\n", max_size=30)
    return [*_draw(some, 60, name), *_draw(plain, 40, name)] or ["a"]


def samples(pattern: str, name: str, count: int = 30) -> list[str]:
    """Return texts that a regular expression matches, or nothing if it cannot be drawn."""
    found: list[str] = []
    for letters, some in ((st.characters(max_codepoint=127), count), (st.characters(), count // 3)):
        with suppress(Exception):  # a pattern of a tool may be one that Hypothesis knows nothing of
            whole = not pattern.startswith("^")
            strategy = st.from_regex(re.compile(pattern), fullmatch=whole, alphabet=letters)
            found += _draw(strategy, some, name + pattern)
    return found
