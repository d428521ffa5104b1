"""A key that has nothing to do says why."""

from __future__ import annotations

from pathlib import Path

from planscope.session.locations import bundled
from tests.tui import sessions
from tests.tui.screen import opened


async def test_there_is_nothing_further() -> None:
    async with opened(bundled()["first-look"]) as driven:
        for first, key, said in (
            ("G", "n", "this is the end of the run"),
            ("G", "G", "this is the end of the run"),
            ("g", "N", "this is the start of the run"),
            ("g", "S", "this is the start of the run"),
            ("g", "g", "this is the start of the run"),
            ("f", "f", "the plan was lost here"),
        ):
            await driven.press(first)
            before = driven.text.splitlines()
            assert said not in driven.text, (first, key)
            await driven.press(key)
            *above, footer = driven.text.splitlines()
            assert said in footer and footer.endswith("? help  Ctrl+p palette  q quit  "), (first, key)
            assert above == before[:-1], "a notice neither covers nor moves anything"
            await driven.press("n" if first == "g" else "N")
            assert said not in driven.text, (first, key)


async def test_what_was_said_is_gone_with_the_next_key_in_a_pane() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        for key in ("down", "up", "pagedown", "pageup"):
            await driven.press("4", "f", "f", "5", "end", "end")
            assert "this is the end" in driven.text, key
            await driven.press(key)
            assert "this is the end of the run" not in driven.text, key


async def test_enter_where_no_other_step_belongs_to_it(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.no_run(), tmp_path)) as driven:
        await driven.press("enter")
        assert "no other step belongs to what is selected" in driven.text


async def test_without_a_run_there_is_nothing_to_step_through(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.no_run(), tmp_path)) as driven:
        await driven.press("n")
        assert "not run yet; press r" in driven.text
