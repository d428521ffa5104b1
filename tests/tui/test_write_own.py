"""A query of one's own: from nothing to a judged run, with the keys counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from planscope.session.locations import bundled, library_folder
from planscope.session.store import load
from planscope.session.validation import LONGEST_QUERY
from planscope.tui.dialogs.write import WriteDialog, read_own
from tests.tui.screen import opened

TEXT = "First build image, then run tests.\nDon't deploy until run tests is done. A nap comes last."


def test_a_text_is_read_with_the_actions_that_it_names() -> None:
    found = read_own(TEXT)
    assert (found.names, found.summary) == (
        "build image, run tests, deploy, a nap",
        "4 actions, 5 constraints",
    )
    assert (
        read_own("Lunch after noon. Nap after lunch.").summary == "2 actions, 2 constraints, with clock times"
    )


@pytest.mark.parametrize(
    ("text", "given", "names", "wrong"),
    [
        ("", None, "", "Lunch precedes nap"),
        ("Test run before lunch.", None, "test, lunch", '"Test run"'),
        ("Test run before lunch.", "a, lunch", "a, lunch", "is test an action too?"),
        ("A before b.", "a,, b", "a, , b", "empty name"),
        ("A before b." * (LONGEST_QUERY // 10), None, "", "more than"),
    ],
)
def test_a_text_that_cannot_be_read_yet_says_why(
    text: str, given: str | None, names: str, wrong: str
) -> None:
    found = read_own(text, given)
    assert found.reading is None and wrong in found.wrong
    assert found.names == names or not names


async def test_from_nothing_to_a_judged_run_in_under_ten_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    keys: list[str] = []
    async with opened(bundled()["first-look"]) as driven:

        async def press(*pressed: str) -> None:
            keys.extend(pressed)
            await driven.press(*pressed)

        await press("L", "+")
        await driven.sees("Write my own")
        await press("enter")
        await driven.until(lambda: isinstance(driven.app.screen, WriteDialog))
        driven.app.post_message(events.Paste(TEXT))
        await driven.sees("build image, run tests, deploy, a nap", "4 actions, 5 constraints")
        await press("tab", "enter")
        await driven.until(lambda: driven.app.path.parent == library_folder())
        await driven.until(lambda: driven.app.screen is driven.app.screen_of_session)
        await driven.rest()
        await press("r")
        await driven.sees("Model")
        await press("enter")
        await driven.until(lambda: driven.state.run is not None and "RIGHT" in driven.text.upper(), 60)
        await driven.rest()
        assert load(driven.app.path).variants[0].query.text == TEXT
    assert len(keys) < 10, keys


async def test_names_that_were_typed_stay_and_errors_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        dialog = WriteDialog()
        await driven.app.push_screen(dialog)
        dialog.area.text = "Test run before lunch."
        await driven.sees("test, lunch", "one name")
        await driven.press("tab", "end", "ctrl+u", *"test run, lunch")
        await driven.sees("✗")
        dialog.area.text = "Test run precedes lunch."
        await driven.sees("2 actions, 1 constraint")
        assert dialog.line.value == "test run, lunch"
        await driven.press("escape")
        assert driven.app.screen is driven.app.screen_of_session


async def test_a_text_that_was_left_is_there_the_next_time() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        for text in ("", "Test run before lunch"):
            await driven.press("L", "+", "enter")
            await driven.until(lambda: isinstance(driven.app.screen, WriteDialog))
            assert driven.app.screen.area.text == text
            await driven.type("Test run before lunch" if not text else "")
            await driven.press("escape", "escape")


async def test_quitting_asks_about_the_text_of_a_new_query() -> None:
    async with opened(bundled()["first-look"]) as driven:
        await driven.press("L", "+", "enter")
        await driven.type("A nap")
        await driven.press("ctrl+q")
        await driven.sees("1 draft not kept", "L + a new query")
        await driven.press("escape")
        assert isinstance(driven.app.screen, WriteDialog) and driven.app.screen.area.text == "A nap"
        await driven.press("escape", "q")
        await driven.sees("1 draft not kept")
        await driven.press("escape", "+", "enter", *["backspace"] * 5, "escape", "q")
        assert driven.app._exit, "nothing is left"
