"""A few of the many live runs of ``python -m tests.fuzz.soak``."""

from __future__ import annotations

import pytest

from tests.fuzz.soak import GONE, soak


async def test_nothing_is_left_of_live_runs_but_their_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """What imports made stays frozen, which takes seconds to look through; no run is, for none is frozen in tests."""
    monkeypatch.setattr("gc.unfreeze", lambda: None)
    *_, (number, _, _, left) = await soak(1, seed=4)
    assert number == 1
    assert not any(left[name] for name in GONE), left
    assert left["RunIndex"] <= 16
