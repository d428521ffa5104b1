"""Some of the random cases that ``python -m tests.oracle.many_cases`` tries for long."""

from __future__ import annotations

import pytest

from tests.nightly import rounds
from tests.oracle.many_cases import case


@pytest.mark.parametrize("chunk", range(4))
def test_the_oracle_says_what_trying_everything_says(chunk: int) -> None:
    seen = {case(seed) for seed in range(chunk * 120, chunk * 120 + rounds(60, 120))}
    assert {"base completable", "base broken", "timed completable", "timed broken", "timed doomed"} <= seen


def test_what_could_not_be_foreseen_and_what_a_core_alone_would_have_called_so() -> None:
    assert all(case(seed).endswith("not foreseeable") for seed in (145, 207, 295, 307, 315, 409, 439, 543))
    assert not any(case(seed).endswith("not foreseeable") for seed in (1715, 1987))
