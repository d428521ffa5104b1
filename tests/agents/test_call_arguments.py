"""Whatever a model sends can be written, read again, and sent on."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from planscope.session.json_bytes import plain
from planscope.session.model import CallEvent

texts = st.text(st.characters(exclude_categories=[]), max_size=12)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)


@given(values)
def test_plain_is_json_and_settles(value: Any) -> None:
    once = plain(value)
    assert plain(once) == once
    assert json.loads(json.dumps(once, ensure_ascii=False, allow_nan=False).encode()) == once


@given(st.dictionaries(texts, values, max_size=3))
def test_arguments_survive_the_session_file(arguments: dict[str, Any]) -> None:
    event = CallEvent(step=1, tool="x", arguments=plain(arguments))
    assert CallEvent.model_validate_json(event.model_dump_json()) == event


def test_what_json_can_hold_is_left_alone() -> None:
    value = {"a": [1, 8.0, "x", None, True, {"ü": "😀"}]}
    assert plain(value) == value
    assert isinstance(plain({"a": 8.0})["a"], float)


def test_depth_ends_somewhere() -> None:
    deep: Any = "bottom"
    for _ in range(5000):
        deep = [deep]
    text = CallEvent(step=1, tool="x", arguments={"a": plain(deep)}).model_dump_json()
    assert "..." in text
    assert "bottom" not in text


def test_numbers_that_no_session_file_holds_are_told_by_their_length() -> None:
    assert plain({"a": [10**999 - 1, -(10**998)]}) == {"a": [10**999 - 1, -(10**998)]}
    assert plain(10**1000) == "a number of about 1,000 digits"
    assert plain(-(10**5000)) == "a number of about 5,000 digits"
