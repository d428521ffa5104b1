"""A short sample of random rules and traces; ``python -m tests.rules.many_cases N`` does more."""

from __future__ import annotations

import pytest

from tests.rules.many_cases import case


@pytest.mark.parametrize("seed", [*range(24), 30254])
def test_random_rules(seed: int) -> None:
    case(seed)
