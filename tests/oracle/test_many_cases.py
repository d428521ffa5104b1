"""Some of the random cases that ``python -m tests.oracle.many_cases`` tries for long."""

from __future__ import annotations

import pytest

from tests.oracle.many_cases import case


@pytest.mark.parametrize("chunk", range(4))
def test_the_oracle_says_what_trying_everything_says(chunk: int) -> None:
    seen = {case(seed) for seed in range(chunk * 120, (chunk + 1) * 120)}
    assert {"base completable", "base broken", "timed completable", "timed broken", "timed doomed"} <= seen
    assert any(kind.endswith("not foreseeable") for kind in seen)
