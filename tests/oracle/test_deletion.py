"""Cores by deletion: what dropping one member after the other gives, in fewer questions."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from planscope.oracle.precedence import deletion_core

cores = st.lists(st.frozensets(st.integers(0, 19), max_size=4), max_size=6)


@given(cores)
def test_the_core_is_that_of_dropping_each_from_the_last_to_the_first(cores: list[frozenset[int]]) -> None:
    def impossible(kept: Sequence[int]) -> bool:
        return any(core <= set(kept) for core in cores)

    expected = list(range(20)) if impossible(range(20)) else []
    for member in reversed(expected):
        rest = [k for k in expected if k != member]
        expected = rest if impossible(rest) else expected
    assert deletion_core(20, impossible) == tuple(expected)


def test_a_small_core_of_many_members_takes_few_questions() -> None:
    asked = []

    def impossible(kept: Sequence[int]) -> bool:
        asked.append(kept)
        return {17, 4_000, 9_999} <= set(kept)

    assert deletion_core(10_000, impossible) == (17, 4_000, 9_999)
    assert len(asked) <= 50
