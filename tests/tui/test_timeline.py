"""A row of the timeline: the call stays whole, and what stands beside it gives way."""

from __future__ import annotations

import pytest

from planscope.tui.panes.timeline import _that_fits
from planscope.tui.style.lines import Run, justify

BESIDE = [
    (4, Run("kept")),
    (1, Run("LOST HERE")),
    (2, Run("order error")),
    (6, Run("8:00-9:00")),
    (5, Run("violated  ")),
]


@pytest.mark.parametrize(
    ("width", "beside"),
    [
        (75, " kept LOST HERE order error 8:00-9:00 violated  "),
        (65, " kept LOST HERE order error violated  "),
        (50, " kept LOST HERE order error"),
        (45, " LOST HERE order error"),
        (35, " LOST HERE"),
    ],
)
def test_the_call_stays_whole(width: int, beside: str) -> None:
    call = [Run("▶ 12 ✗ "), Run("disk_check(8, 9)")]
    right = _that_fits(call, BESIDE, width)
    assert "".join(run.text for run in right) == beside
    row = "".join(run.text for run in justify(call, right, width, gap=0))
    assert row.startswith("▶ 12 ✗ disk_check(8, 9)") and len(row) <= width


def test_a_long_call_is_cut_before_its_state_is_left_out() -> None:
    call = [Run("▶ 12 ✗ "), Run("refund(" + "x" * 48 + ")")]
    beside = [(2, Run("! failed")), (5, Run("violated   "))]
    right = _that_fits(call, beside, 64)
    row = "".join(run.text for run in justify(call, right, 64, gap=0))
    assert len(row) == 64 and row.endswith(" ! failed violated   ") and row.startswith("▶ 12 ✗ refund(xxx")


def test_a_call_wider_than_the_row_is_cut_for_its_state() -> None:
    call = [Run("▶ 12 ✗ "), Run("search(" + "x" * 300 + ")")]
    right = _that_fits(call, BESIDE, 60)
    row = "".join(run.text for run in justify(call, right, 60, gap=0))
    assert row.endswith(" kept LOST HERE order error violated  ") and row.startswith("▶ 12 ✗ search(xxx")
