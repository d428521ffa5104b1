"""Names of tools: what an action's name makes of itself."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planscope.language.problem import make_actions, slug

NAMES = {
    "network status check": "network_status_check",
    "R&D review": "r_d_review",
    "  Don't panic! ": "don_t_panic",
    "café visit": "cafe_visit",
    "naïve Bayes": "naive_bayes",
    "İstanbul tour": "istanbul_tour",
    "Straße": "strasse",
    "\uff41\uff42 \uff11": "ab_1",
    "洗车": "action",
    "": "action",
    "a" * 63 + " b": "a" * 63,
}


@pytest.mark.parametrize("name", NAMES)
def test_slugs(name: str) -> None:
    assert slug(name) == slug(unicodedata.normalize("NFD", name)) == NAMES[name]


@given(st.text())
def test_any_name_gives_one(name: str) -> None:
    made = slug(name)
    assert re.fullmatch("[a-z0-9_]{1,64}", made) and slug(made) == made


def test_no_two_tools_are_called_the_same() -> None:
    tools = [a.tool for a in make_actions(["café", "cafe", "洗车", "喝茶", "x" * 70, "x" * 65])]
    assert tools == ["cafe", "cafe_2", "action", "action_2", "x" * 64, "x" * 62 + "_2"]
