"""Values that Hypothesis draws, with a fixed seed, without its database and without a deadline."""

from __future__ import annotations

import re
import warnings
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st


def _draw(strategy: Any, count: int, name: str) -> list[Any]:
    found: list[object] = []

    @seed(Random(name).getrandbits(64))
    @settings(
        database=None,
        deadline=None,
        max_examples=count,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: Any) -> None:
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
    try:
        re.compile(pattern)
        whole = st.from_regex(pattern, fullmatch=not pattern.startswith("^"))
        ascii_only = st.from_regex(
            pattern, fullmatch=not pattern.startswith("^"), alphabet=st.characters(max_codepoint=127)
        )
    except Exception:
        return []
    found: list[str] = []
    for strategy, some in ((ascii_only, count), (whole, count // 3)):
        try:
            found += _draw(strategy, some, name + pattern)
        except Exception:
            continue
    return [one for one in found if isinstance(one, str)]
