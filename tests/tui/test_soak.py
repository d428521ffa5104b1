"""A few of the many live runs of ``python -m tests.tui.soak``."""

from __future__ import annotations

from tests.tui.soak import soak


async def test_nothing_is_left_of_live_runs_but_their_records() -> None:
    *_, (number, _, _, left) = await soak(6, seed=4)
    assert number == 6
    gone = ("UnderWay", "LiveRun", "Pauser", "Recorder", "LiveStops", "FormDialog", "AskDialog", "thread")
    assert max(left[name] for name in gone) <= 1, left  # the last one may be let go a little later
    assert left["RunIndex"] <= 16
