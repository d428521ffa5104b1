"""JSON as rows that fold: everything is reachable, nothing hostile reaches the screen."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from planscope.safe import cell_width, visible
from planscope.session.seen import NOT_RECORDED, Part
from planscope.tui.fold import FOLDED, UNFOLDED, all_paths, first_opened, rows_of, text_of, value_at

TOOLS = [{"name": "mail", "description": "Send it.", "parameters": {"type": "object", "properties": {}}}]
PARTS = (Part("tools", TOOLS), Part("system prompt", NOT_RECORDED, False), Part("time", "0.3 s"))

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=120),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def texts(opened: frozenset[Any], width: int = 60) -> list[str]:
    return [row.line.text.rstrip() for row in rows_of(PARTS, opened, width)]


def test_objects_and_lists_fold_and_say_what_is_in_them() -> None:
    assert texts(frozenset()) == [
        f"{FOLDED} tools  1 entry  mail",
        f"  system prompt  {NOT_RECORDED}",
        "  time  0.3 s",
    ]
    assert texts(frozenset({(0,)}))[:2] == [f"{UNFOLDED} tools  1 entry", f"  {FOLDED} 1  mail  Send it."]
    assert texts(all_paths(PARTS))[2:5] == [
        "      name  mail",
        "      description  Send it.",
        f"    {UNFOLDED} parameters  2 entries",
    ]


def test_a_long_text_unfolds_whole() -> None:
    long = " ".join(f"word{n}" for n in range(300))
    rows = rows_of((Part("prompt", long),), frozenset({(0,)}), 50)
    assert " ".join(row.line.text.strip() for row in rows[1:]) == long
    assert {row.path for row in rows} == {(0,)}
    folded = rows_of((Part("prompt", long),), frozenset(), 50)
    assert len(folded) == 1 and folded[0].line.text.startswith(f"{FOLDED} prompt  word0 word1")


def test_what_is_small_is_open_at_first_and_what_is_large_is_folded() -> None:
    large = (Part("tools", [{"name": f"t{n}", "parameters": {"a": 1, "b": 2}} for n in range(40)]),)
    opened = first_opened(large, 80, 50)
    assert opened == {(0,)}
    assert first_opened(PARTS, 80, 50) >= {(0,), (0, 0), (0, 0, "parameters")}


@given(st.lists(JSON, min_size=1, max_size=3), st.integers(24, 90), st.booleans())
def test_every_row_is_safe_fits_and_knows_its_value(values: list[Any], width: int, unfold: bool) -> None:
    parts = tuple(Part(f"part {n}", value) for n, value in enumerate(values))
    opened = all_paths(parts) if unfold else first_opened(parts, width, 20)
    for row in rows_of(parts, opened, width):
        assert visible(row.line.text) == row.line.text
        assert cell_width(row.line.text) <= width
        value = value_at(parts, row.path)
        again = text_of(value)
        assert again == value if isinstance(value, str) else json.loads(again) == value
