"""Cases that only the nightly run tries: more of what the suite tries a part of."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

WANTED = os.environ.get("PLANSCOPE_NIGHTLY", "")
"""Nothing: none of them. ``all``: all of them. Any other text: one in thirty, which the text decides."""

MOST = 0.05
"""Of all cases, those that may be nightly."""


def nightly(*values: Any) -> list[ParameterSet]:
    """More values for ``parametrize``, as nightly cases."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.nightly)
        for value in values
    ]


def examples(many: int) -> int:
    """The examples of a property with ``max_examples`` of its own: in the nightly run so many, else a third."""
    return many if WANTED else -(-many // 3)


def rounds(few: int, many: int) -> int:
    """Cases that a test draws for itself: in the nightly run ``many``, else ``few``."""
    return many if WANTED else few


def wanted(item: pytest.Item) -> bool:
    """Is this case tried now?"""
    if item.get_closest_marker("nightly") is None or WANTED == "all":
        return True
    return bool(WANTED) and hashlib.sha256(f"{WANTED} {item.nodeid}".encode()).digest()[0] < 9
