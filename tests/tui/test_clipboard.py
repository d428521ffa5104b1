"""What is sent to the terminal's clipboard: no control byte but newline and tab, whatever is copied and from where."""

from __future__ import annotations

import base64
import unicodedata
from pathlib import Path

import pytest
from textual.widgets import Input

from planscope.safe import without_controls
from planscope.tui.screens.edit.screen import EditScreen
from tests.each import each
from tests.hostile import HOSTILE
from tests.tui import sessions
from tests.tui.screen import Driven, opened, styles

TEXT = "Network audit\x1b]52;c;cm0=\x07 precedes\r\n\tdisk check\x9b31m.\x00\x7f\x08 Pay\rme."


def controls(text: str) -> set[str]:
    """Every control byte but newline and tab."""
    return {c for c in text if unicodedata.category(c) == "Cc"} - {"\n", "\t"}


def sent(driven: Driven, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the terminal is told to take to its clipboard, as it comes."""
    taken: list[str] = []
    driver = driven.app._driver
    assert driver is not None

    def write(data: str) -> None:
        if data.startswith("\x1b]52;c;"):
            taken.append(base64.b64decode(data.removeprefix("\x1b]52;c;").removesuffix("\a")).decode())

    monkeypatch.setattr(driver, "write", write)
    return taken


@each("text", HOSTILE)
def test_all_but_control_bytes_stays(text: str) -> None:
    made = without_controls(text)
    assert not controls(made) and without_controls(made) == made
    made.encode()
    kept = [
        c for c in text.replace("\r\n", "\n") if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs")
    ]
    rest = iter(made)
    assert all(c in rest for c in kept)


async def test_every_pane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sessions.out_of_order()
    made.variants[0].query.text = TEXT
    async with opened(sessions.write(made, tmp_path)) as driven:
        taken = sent(driven, monkeypatch)
        for pane in "12345":
            await driven.press(pane, "y", "escape")
        assert len(taken) == 5 and not any(map(controls, taken))
        assert taken[0].startswith("Network audit␛]52;c;cm0=␇ precedes\n\tdisk check")


async def test_an_input_line_and_a_selection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(sessions.write(sessions.out_of_order(), tmp_path)) as driven:
        taken = sent(driven, monkeypatch)
        await driven.press("slash")
        line = driven.app.screen.query_one(Input)
        line.value = "audit\x1b[2J\ud800"
        line.action_select_all()
        line.action_copy()
        await driven.press("escape", "e", "i")
        screen = driven.app.screen
        assert isinstance(screen, EditScreen)
        screen.paste("\x1b]0;x\x07 typed")
        await driven.press("ctrl+home", "ctrl+shift+end", "ctrl+c")
        assert len(taken) == 2 and not any(map(controls, taken)), taken
        assert "typed" in taken[1]


async def test_ctrl_c_says_how_to_quit_where_nothing_is_selected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        taken = sent(driven, monkeypatch)
        for way in ("", "x", "slash", "D", "d", "L", "m", "e"):
            await driven.press(*way.split())
            await driven.until(
                lambda way=way: (driven.app.screen is driven.screen) == (way == "")
            )  # a job opens d
            assert "Ctrl+q quits" not in driven.text
            await driven.press("ctrl+c")
            assert "Ctrl+q quits" in driven.text and driven.app.is_running, way
            while driven.app.screen is not driven.screen:
                await driven.press("escape")
            await driven.press("g", "n")
        assert not taken


async def test_text_is_selected_with_the_mouse_in_a_pane_and_in_a_dialog_and_copied(tmp_path: Path) -> None:
    """A drag selects within one pane, also where it leaves it; it chooses nothing, and a click ends it."""
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (120, 40)) as driven:
        before, place = driven.state, driven.screen.places["step"]
        row = next(y for y, line in enumerate(driven.text.splitlines()) if "thought  " in line)
        left = driven.text.splitlines()[row].index("thought")
        await driven.pilot.mouse_down(offset=(left, row))
        await driven.pilot.hover(offset=(left + 20, row + 1))
        await driven.pilot.mouse_up(offset=(left + 20, row + 1))
        await driven.answered()
        assert driven.state == before
        await driven.press("ctrl+c")
        lines = [line[place.x + 2 :].rstrip() for line in driven.text.splitlines()]
        assert driven.app.clipboard == f"{lines[row]}\n{lines[row + 1][:21]}"
        picked = [
            text for line in styles(driven.app) for text, style in line if style.reverse and "thought" in text
        ]
        assert picked
        await driven.pilot.mouse_down(offset=(left, row))
        await driven.pilot.hover(offset=(2, 3))
        await driven.pilot.mouse_up(offset=(2, 3))
        assert list(driven.screen.selections) == [driven.screen.pane("step")]
        await driven.pilot.click(offset=(left, row))
        assert not driven.screen.selections
        await driven.press("x")
        row = next(y for y, line in enumerate(driven.text.splitlines()) if "confirmed by Z3" in line)
        left = driven.text.splitlines()[row].index("confirmed")
        await driven.pilot.mouse_down(offset=(left, row))
        await driven.pilot.hover(offset=(left + 8, row))
        await driven.pilot.mouse_up(offset=(left + 8, row))
        await driven.press("ctrl+c")
        assert driven.app.clipboard == "confirmed"
