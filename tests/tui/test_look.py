"""Values of a step whole, in a dialog that folds."""

from __future__ import annotations

from pathlib import Path

from planscope.session.locations import bundled
from planscope.tui.dialogs.look import LookDialog
from tests.tui import sessions
from tests.tui.screen import opened


async def test_space_shows_what_the_model_saw_and_said() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        await driven.press("g", "space")
        await driven.sees("What the model was given", "You need to execute all tasks", "6 entries")
        await driven.press("-")
        await driven.sees("▸ messages", "▸ tools  6 entries  replica_procurement, loan_request")
        await driven.press("down", "right", "right", "right", "right")
        await driven.sees("role  user", "execute all tasks one by one in the correct order")
        await driven.press("left", "left", "left", "left", "escape", "n", "space")
        await driven.sees("▶ Step 1", "tokens read", "raw message", "start_time  8")
        await driven.press("tab")
        await driven.sees("▶ What the model was given")
        await driven.press("end", "y")
        await driven.sees("The value (", "was sent to the terminal")
        await driven.press("escape", "escape")
        assert driven.app.screen is driven.screen


async def test_without_a_run_space_says_so() -> None:
    async with opened(None) as driven:
        await driven.press("space")
        await driven.sees("no session is open")


async def test_a_step_of_which_nothing_is_known_is_looked_at(tmp_path: Path) -> None:
    made = sessions.no_run()
    ended = [event for event in sessions.figure_10().runs[0].events if event.type == "end"]
    run = sessions.figure_10().runs[0].model_copy(update={"variant": made.variants[0].id, "events": ended})
    async with opened(sessions.write(made.model_copy(update={"runs": [run]}), tmp_path)) as driven:
        await driven.press("G", "space")
        assert isinstance(driven.app.screen, LookDialog)
        await driven.press("enter", "y", "tab", "escape", "escape")
        assert driven.app.screen is driven.screen
