"""A run under way: what the screen says while it runs and while it waits, and what each key does to it."""

from __future__ import annotations

from planscope.debugger.breakpoints import StepBreak
from planscope.session.bundled import bundled
from planscope.tui.under_way import RunChoice
from tests.tui.screen import opened
from tests.tui.test_live import ended, paused, start

FIRST = bundled()["first-look"]
STEPPING = RunChoice(model="sim:time-blind", stepping=True)


# Breakpoints


async def test_a_step_that_is_still_to_come_can_be_paused_at() -> None:
    async with opened(FIRST) as driven:
        await start(driven, STEPPING)
        await paused(driven, 1)
        await driven.press("B")
        await driven.type("step 4")
        await driven.press("enter")
        assert "no step" not in driven.text
        await driven.press("escape", "c")
        await paused(driven, 4)
        assert "step 4" in driven.state.why_paused
        await driven.press("X")
        await ended(driven)


async def test_a_breakpoint_that_the_run_looked_at_has_no_use_for_counts_in_one_under_way() -> None:
    breaks = {"breakpoints": ("step 6",)}  # the run that is looked at first has five steps
    live = {"variant": "v1", "model": "sim:forgetful?seed=1", "stepping": True, **breaks}
    async with opened(FIRST, live=live) as driven:
        await paused(driven, 1)
        assert driven.room.live is not None
        assert StepBreak(6) in driven.room.live.breakpoints
        assert StepBreak(6) in driven.state.breakpoints
        await driven.press("o", "home", "down", "enter")  # a run that is over
        await driven.press("B", "escape", "b")
        assert StepBreak(6) in driven.room.live.breakpoints
        await driven.press("X")
        await ended(driven)
