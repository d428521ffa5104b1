"""In 80 columns and 24 rows nothing that matters is cut off without a sign."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from planscope.session.locations import bundled
from planscope.tui.actions import ACTIONS
from planscope.tui.dialogs.base import Dialog
from planscope.tui.dialogs.help import help_lines
from planscope.tui.messages import Notice
from planscope.wording.phrases import hours
from tests.nightly import nightly, rounds
from tests.tui import sessions
from tests.tui.screen import opened

SIZE = (80, 24)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("figure-5", "call instead  network_status_check"),
        ("figure-7", "call instead  network_diagnosis, start 10 to 12"),
        ("figure-10", "call instead  applying_hair_color, start 0 to 8"),
        ("first-look", "call instead  docent_training, start 9 to 18"),
        ("cause-structure", "call instead  pond_algae_skimming"),
    ],
)
async def test_where_a_plan_is_lost_it_says_what_would_have_been_right(name: str, instead: str) -> None:
    async with opened(bundled()[name], SIZE) as driven:
        await driven.press("f")
        assert instead in driven.text and "LOST HERE" in driven.text


async def test_hours_stand_below_each_other() -> None:
    async with opened(bundled()["first-look"], SIZE) as driven:
        await driven.press("4", "z")
        found = [re.search(r"\d:00 (?=[a-zA-Z])", row) for row in driven.text.splitlines()]
        assert len(ends := [at.end() for at in found if at]) == 5 and len(set(ends)) == 1
        assert "school_tour_guidance(12)" in driven.text and f"{hours(12, 13)} LOST HERE" in driven.text


async def test_a_text_longer_than_its_dialog_says_so() -> None:
    async with opened(bundled()["first-look"], SIZE) as driven:
        await driven.press("x")
        assert "┃│" in driven.text and "││" not in driven.text
        await driven.press("end")
        assert "gallery_label_writing(14)" in driven.text
    async with opened(bundled()["figure-5"], (120, 40)) as driven:
        await driven.press("B")
        assert "┃│" not in driven.text.split("Breakpoints")[1]


@pytest.mark.parametrize("width", [50, 58, 96])
@pytest.mark.parametrize("where", ["debug", "edit", "dissect", "compare", "library"])
def test_help_is_never_cut(width: int, where: str) -> None:
    lines = help_lines({}, width, where)  # one of the screens
    assert max(len(line.text) for line in lines) <= width
    told = " ".join(" ".join(line.text.split()) for line in lines)
    for action in ACTIONS:
        if action.where in (where, "everywhere"):
            assert all(word in told for word in action.help.split())


@pytest.mark.parametrize("keys", [["r"], ["F"]])
async def test_no_row_of_a_form_is_cut(keys: list[str]) -> None:
    async with opened(bundled()["first-look"], SIZE) as driven:
        await driven.press(*keys)
        assert "block calls that lose the plan" in driven.text and "…│" not in driven.text


LONG = "a notice of many words that no line of eighty columns can hold, " * 3


@pytest.mark.parametrize("size", [(60, 15), *nightly(((80, 24),), ((120, 40),), ((200, 60),))])
async def test_a_notice_never_covers_a_key(size: tuple[int, int]) -> None:
    async with opened(bundled()["first-look"], size) as driven:
        for keys in ((), ("l",), ("escape", "o"), ("escape", "e"), ("escape", "d")):
            await driven.press(*keys)
            screen: Any = driven.app.screen
            # What is compared or judged in a thread may still change the keys, and what is told at its end the notice.
            await driven.until(lambda screen=screen: getattr(screen, "at_rest", True))
            before = driven.text.splitlines()
            screen.tell(LONG)
            await driven.until(lambda: LONG.strip() in " ".join(driven.text.split()))
            assert driven.text.splitlines()[-1] == before[-1]
            await driven.press("pagedown")
            await driven.until(lambda: "a notice of" not in driven.text)
            assert driven.text.splitlines()[-1] == before[-1]


async def test_of_many_moves_a_few_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    names = [f"task {letter}" for letter in "abcdefghij"]
    made = sessions.variant("Task a comes before task b.", names)
    wrong = sessions.events([("task_b", {}, "Done."), ("task_a", {}, "Done.")])
    path = sessions.write(sessions.session("many", made, wrong), tmp_path)
    for size, told in ((SIZE, 3), ((120, 40), 8)):
        async with opened(path, size) as driven:
            await driven.press("f")
            pane = driven.screen.text_of("step")
            row = " ".join(pane.split("instead")[1].split("a correct plan")[0].split())
            assert row.count("task_") == told and f"or {9 - told} other" in row


async def test_the_key_that_plays_is_named_first() -> None:
    async with opened(bundled()["first-look"], SIZE) as driven:
        await driven.press("g", "p")
        footer = driven.text.splitlines()[-1]
        assert footer.startswith(" Enter play it  u take back")
        await driven.pilot.click("#footer", offset=(3, 0))
        await driven.pilot.pause()
        assert "1 call played" in driven.text


async def test_a_pane_that_was_hidden_is_laid_out_for_its_width() -> None:
    async with opened(bundled()["first-look"], SIZE) as driven:
        await driven.press("e", "escape")
        driven.app.screen.call_after_refresh = lambda *given: (
            True
        )  # as if that came before the pane has its place
        await driven.press("3")
        await driven.pilot.pause()
        assert "c1  replica procurement before school tour guidance" in driven.text
        await driven.press("4")
        await driven.pilot.pause()
        assert "a1  replica procurement      replica_procurement" in driven.text


async def test_a_long_call_is_whole_in_the_comparison(tmp_path: Path) -> None:
    made = sessions.variant("Task a comes before task b.", ["task a", "task b"])
    said = "to the other end of the long town and back again"
    runs = [
        sessions.events([("task_a", {"way": f"{said} {n}"}, "Done."), ("task_b", {}, "Done.")]) for n in "xy"
    ]
    path = sessions.write(sessions.session("long", made, *runs), tmp_path)
    async with opened(path, SIZE) as driven:
        await driven.press("d")
        await driven.sees("first difference")
        left = " ".join(row[1:37].strip() for row in driven.text.splitlines()[2:8])
        assert said in " ".join(left.split())


async def test_a_dialog_always_names_its_keys() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        for keys in ("W", "D", "x", "space", "question_mark", "L plus enter")[:: rounds(2, 1)]:
            await driven.press(*keys.split())
            for size in ((120, 40), SIZE, (60, 20)):
                await driven.pilot.resize_terminal(*size)
                await driven.sees("Esc: close")
            while driven.app.screen is not driven.screen:
                await driven.press("escape")
            await driven.pilot.resize_terminal(120, 40)


async def test_dialogs_use_the_width_of_a_small_window_and_name_how_to_leave() -> None:
    async with opened(bundled()["first-look"], (80, 24)) as driven:
        for keys in ("?", "x", "r", "F", "E", "B", "W", "space", "L +", "L + enter")[:: rounds(3, 1)]:
            while driven.app.screen is not driven.screen:
                await driven.press("escape")
            await driven.press(*keys.split())
            assert isinstance(driven.app.screen, Dialog)
            box = driven.app.screen.query_one("#box")
            await driven.until(lambda box=box: box.outer_size.width == 78)
            assert "Esc: " in driven.text


async def test_what_is_said_meanwhile_stands_beside_what_was_not_read() -> None:
    async with opened(bundled()["first-look"], (120, 40)) as driven:
        driven.screen.tell("nothing to take back")
        driven.screen.post_message(Notice("copied to your library"))
        await driven.until(lambda: "nothing to take back · copied to your library" in driven.text)
        driven.screen.post_message(Notice("copied to your library"))
        await driven.quiet()
        assert driven.text.count("copied to your library") == 1
        await driven.press("right")
        assert "nothing to take back" not in driven.text
