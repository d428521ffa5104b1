"""The edit screen: what it says of a draft while it is typed, and what is made of the draft in the end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.geometry import Offset

from planscope.safe import visible
from planscope.session.json_bytes import plain_text
from planscope.session.oracle_input import problem_of
from planscope.session.store import load
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.screens.debug.screen import DebugScreen
from planscope.tui.screens.edit.external_editor import EditorTrouble, edit_elsewhere
from planscope.tui.screens.edit.screen import EditScreen
from tests.hostile import HOSTILE, SAVEABLE
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.editing import TWO, Editing, Lent, editing
from tests.tui.screen import styles

Same = Callable[[object, str], None]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The actions network audit, disk check and cable survey; two sentences, one run."""
    return sessions.write(sessions.out_of_order(), tmp_path)


def marked(driven: Editing, role: str) -> list[str]:
    """The stretches of the screen that are painted in a role."""
    look = driven.app.paint.style(role, "")
    return [text for row in styles(driven.app) for text, style in row if style == look]


# What is said of the draft


@pytest.mark.parametrize("size", [(80, 24), *nightly(((120, 40),), ((200, 60),))])
async def test_frames(size: tuple[int, int], tmp_path: Path, same_frame: Same) -> None:
    async with editing(sessions.write(sessions.figure_10(), tmp_path), size) as driven:
        await driven.press("ctrl+end")
        await driven.write(" Sanitizing tools precede applying hair color.")
        same_frame(driven.app, f"edit-{size[0]}x{size[1]}")


async def test_what_is_offered_stands_beside_the_caret(path: Path, same_frame: Same) -> None:
    async with editing(path, (100, 30)) as driven:
        await driven.press("ctrl+end")
        await driven.write(" Cable survey pr")
        await driven.press("tab")
        same_frame(driven.app, "edit-completion")


async def test_constraints_are_a_diff_by_glyph_and_word(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("Cable survey follows disk check. Cable survey precedes network audit.")
        assert "\u2212   gone       network audit before disk check" in driven.text
        assert "=   same   c1  disk check before cable survey" in driven.text
        assert "+   added  c2  cable survey before network audit" in driven.text
        assert "1 added, 1 gone, 3 same" in driven.text


async def test_errors_are_underlined_and_told_with_place_expectation_and_nearest_names(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("Network audit precedes disc chek. Disk check precedes cable survey.")
        assert 'line 1, column 24: "disc chek" is not known' in driven.text
        assert '"disk check"?' in driven.text
        assert "expected: an action" in driven.text
        assert marked(driven, "wrong-words") == ["disc chek"]
        assert "✗ 1 error" in driven.text
        await driven.commands("f")
        assert driven.edit.state.edited.selected == "disc chek"
        await driven.write("disk check")
        assert "✓ can be met in 1 order" in driven.text and marked(driven, "wrong-words") == []


async def test_both_readings_of_a_doubtful_sentence_are_told(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all(
            "Network audit follows disk check, which precedes cable survey, and network audit."
        )
        pane = [line.partition("│")[0].strip(" ┃") for line in driven.text.splitlines()]
        told = " ".join(line for line in pane if line)
        assert (
            'line 1, column 68: this can be read in two ways: "Network audit follows disk check, which precedes cable '
            'survey and network audit." or "Network audit follows disk check and network audit. Disk check precedes '
            'cable survey."'
        ) in told
        assert "✗ 1 error" in driven.text
        assert marked(driven, "wrong-words") == ["network audit"]


async def test_what_is_being_typed_is_no_error_yet(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+end")
        await driven.write(" Cable sur")
        assert "… incomplete" in driven.text and "✗" not in driven.text
        await driven.commands()
        assert "✗ 1 error" in driven.text


async def test_a_contradiction_is_named_by_its_sentences_and_marked(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+end")
        await driven.write(" Cable survey precedes network audit.")
        assert "✗ contradicts itself" in driven.text
        for number, words in enumerate(
            ("Network audit precedes disk check", "Disk check precedes cable survey"), 1
        ):
            assert f"● sentence {number}: “{words}”" in driven.text
        assert "● sentence 3: “Cable survey precedes network" in driven.text
        core = " ".join(marked(driven, "core-words"))
        assert "Network audit" in core and "precedes" in core and "Cable survey" in core
        assert "= ● same   c1" in driven.text and "+ ● added  c3" in driven.text
        await driven.commands("2", "down", "down", "enter")
        assert driven.edit.state.edited.selected == "Cable survey precedes network audit"


async def test_orders_are_counted_and_hours_tell(tmp_path: Path) -> None:
    async with editing(sessions.write(sessions.figure_10(), tmp_path)) as driven:
        assert "✓ can be met in 1 order" in driven.text
        await driven.commands("4", "down", "down", "T")
        assert isinstance(driven.app.screen, FormDialog)
        await driven.press("9", "9", "enter")
        assert "an action takes from 1 to 24 hours" in driven.text
        await driven.press("backspace", "backspace", "3", "enter")
        await driven.settle()
        assert "✗ contradicts itself" in driven.text and "was 2 h" in driven.text
        await driven.press("u")
        await driven.settle()
        assert "✓ can be met in 1 order" in driven.text and not driven.edit.state.changed


async def test_a_text_that_needs_long_is_read_all_the_same_and_the_newest_only(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all(" ".join([TWO] * 400))
        assert "800 sentences" in driven.text
        await driven.press("x", "y", "z")
        await driven.settle()
        assert driven.edit.state.seen is not None and driven.edit.state.seen.draft.text == driven.draft
        assert driven.draft.endswith("xyz")


# Typing


async def test_tab_takes_what_is_the_only_thing_and_offers_where_there_is_more(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("net")
        await driven.press("tab")
        assert driven.draft == "Network audit " and driven.edit.state.offered is None
        await driven.press("p", "r", "tab")
        assert driven.draft == "Network audit pre" and driven.edit.state.offered is not None
        assert "▶ precedes" in driven.text
        await driven.press("d")
        assert "▶ predates" in driven.text and "precedes " not in driven.text
        await driven.press("escape")
        assert driven.edit.state.offered is None and driven.edit.state.typing
        await driven.press("backspace", "ctrl+n", "down", "enter")
        assert driven.draft == "Network audit predates "
        await driven.press("d", "tab", "tab", "down", "up", "tab")
        assert driven.draft == "Network audit predates disk check. "
        await driven.press("ctrl+z")
        assert driven.draft == "Network audit predates disk check "
        await driven.press("q", "x", "tab")
        assert "no completion matches" in driven.text


async def test_letters_type_and_after_escape_they_command(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+end", "space", "q", "question_mark", "r")
        assert driven.draft == f"{TWO} q?r"
        await driven.press("escape", "u")
        assert driven.draft == f"{TWO} " and not driven.edit.state.typing
        await driven.press("question_mark")
        assert "Editing a query" in driven.text
        await driven.press("escape", "i", "x")
        assert driven.draft == f"{TWO} x"


async def test_the_caret_goes_by_lines_and_words(path: Path) -> None:
    async with editing(path, (80, 24)) as driven:
        await driven.replace_all("one two three\n\nfour")
        places = []
        keys = (
            "ctrl+home",
            "end",
            "down",
            "down",
            "up",
            "up",
            "home",
            "ctrl+right",
            "pagedown",
            "pageup",
            "shift+down",
        )
        for key in keys:
            await driven.press(key)
            places.append(driven.edit.state.edited.at)
        assert places == [0, 13, 14, 19, 14, 13, 0, 4, 19, 0, 14]
        assert driven.edit.state.edited.selected == "one two three\n"
        await driven.press("ctrl+x", "ctrl+end", "ctrl+v")
        assert driven.draft == "\nfourone two three\n"
        await driven.press("up", "ctrl+u", "ctrl+k", "ctrl+d", "backspace", "ctrl+w")
        assert driven.draft == ""


async def test_the_mouse_points_selects_and_drags(path: Path) -> None:
    async with editing(path) as driven:
        await driven.pilot.click("#text", offset=Offset(2 + 8, 1))
        assert driven.edit.state.edited.at == 8
        await driven.pilot.click("#text", offset=Offset(2 + 26, 1), times=2)
        assert driven.edit.state.edited.selected == "disk"
        await driven.pilot.mouse_down("#text", offset=Offset(2, 1))
        await driven.pilot.hover("#text", offset=Offset(2 + 7, 1))
        await driven.pilot.mouse_up("#text", offset=Offset(2 + 7, 1))
        assert driven.edit.state.edited.selected == "Network"
        await driven.pilot.click("#actions", offset=Offset(10, 2))
        assert driven.edit.state.pane == "actions" and not driven.edit.state.typing
        assert marked(driven, "lit") == ["disk check", "Disk check"]


# Actions


async def test_an_action_is_renamed_in_the_text_too(path: Path) -> None:
    async with editing(path) as driven:
        await driven.commands("4", "down", "D")
        await driven.type("Cable Survey")
        await driven.press("enter")
        assert "'cable survey' is the name of a3" in driven.text
        await driven.press("ctrl+u")
        await driven.type("disk scan")
        await driven.press("enter")
        await driven.settle()
        assert driven.draft == "Network audit precedes disk scan. Disk scan precedes cable survey."
        assert driven.edit.state.draft.action("a2").tool == "disk_scan"
        assert "was disk check" in driven.text and "4 same" in driven.text
        await driven.press("u")
        assert driven.draft == TWO and driven.edit.state.draft.action("a2").tool == "disk_check"


async def test_an_action_is_added_named_by_the_text_and_dropped(path: Path) -> None:
    async with editing(path) as driven:
        await driven.commands("plus")
        assert isinstance(driven.app.screen, FormDialog)
        await driven.type("coffee break")
        await driven.press("enter")
        await driven.settle()
        assert "a4 added" in driven.text and "in 4 orders" in driven.text
        await driven.press("ctrl+s")
        assert driven.state.variant.actions[-1].tool == "coffee_break"


async def test_dropping_what_the_text_names_says_where(path: Path) -> None:
    async with editing(path) as driven:
        await driven.commands("4", "down", "minus")
        assert isinstance(driven.app.screen, ChooseDialog)
        assert "disk check is named in sentence 1 and sentence 2" in driven.text
        await driven.press("enter")
        assert not driven.edit.state.changed
        await driven.press("minus", "down", "enter")
        await driven.settle()
        assert "dropped" in driven.text and "✗ 2 errors" in driven.text
        await driven.press("down", "enter")
        await driven.settle()
        assert [a.id for a in driven.edit.state.draft.actions] == ["a1", "a3", "a2"]
        assert "✓ can be met" in driven.text
        await driven.press("minus")
        assert isinstance(driven.app.screen, ChooseDialog)


async def test_the_action_at_the_caret_is_meant(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+home")
        await driven.commands("D")
        assert "Rename a1" in driven.text
        await driven.press("escape", "i", "ctrl+end")
        await driven.commands("1", "D")
        assert driven.edit.state.pane == "actions" and "choose the action to rename" in driven.text


async def test_limits_and_clock_times(path: Path) -> None:
    async with editing(path) as driven:
        await driven.commands("T")
        assert "only actions of a timed query have durations" in driven.text
        await driven.press("t", "4", "T", "5", "enter")
        await driven.settle()
        assert driven.edit.state.draft.actions[0].duration == 5
        assert "start_range" in {row.constraint.kind for row in driven.edit.state.seen.rows}
        await driven.press("l", "backspace", "backspace", "backspace", "x", "enter")
        assert "seconds: a number" in driven.text
        await driven.press("backspace", "9", "enter")
        assert (driven.edit.state.draft.seconds, driven.edit.state.draft.model_calls) == (9, 50)
        assert "9 s (was 180)" in driven.text
        await driven.press("u", "u", "u")
        assert not driven.edit.state.changed


# Leaving


async def test_a_kept_draft_is_a_variant_that_the_debug_screen_shows(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("Disk check precedes network audit.")
        await driven.press("ctrl+s")
        await driven.rest()
        assert isinstance(driven.app.screen, DebugScreen)
        assert driven.state.run_number is None and driven.state.variant.id == "v2"
        assert "Disk check precedes network audit." in driven.text and "edited" in driven.text
        assert "v2 is a new variant of v1" in driven.text and driven.state.progress == "judged"
        (_, variant) = driven.app.work.document.session.variants
        assert (variant.parent, variant.origin.kind) == ("v1", "edited")
        assert len(problem_of(variant).said) == 1
        await driven.press("ctrl+s")
        await driven.until(lambda: driven.app.work.document.saving.state == "saved")
        assert [v.id for v in load(path).variants] == ["v1", "v2"]
        await driven.press("o")
        await driven.press("escape")
        driven.open_run_number(0)
        await driven.rest()
        assert driven.state.variant.id == "v1" and TWO[:20] in driven.text


async def test_r_runs_the_draft_with_the_same_agent_and_model(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("Disk check precedes network audit.")
        await driven.commands("r")
        form = driven.app.screen
        assert isinstance(form, FormDialog) and "sim:time-blind" in driven.text
        before = len(driven.app.work.document.session.runs)
        await driven.press("enter")
        await driven.until(
            lambda: len(driven.app.work.document.session.runs) > before and not driven.app.work.live.at_work
        )
        await driven.rest()
        runs = driven.app.work.document.session.runs
        assert (runs[-1].variant, runs[-1].model) == ("v2", "sim:time-blind")
        assert driven.state.run.id == runs[-1].id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Network audit tickles disk check. Disk check precedes cable survey.", "✗ 1 error"),
        (TWO + " Cable survey precedes network audit.", "✗ contradicts itself"),
        ("", "… incomplete"),
    ],
)
async def test_a_request_that_cannot_be_run_right_is_mended_and_run(
    text: str, said: str, tmp_path: Path
) -> None:
    made = sessions.out_of_order()
    made.variants[0].query.text = text
    async with editing(sessions.write(made, tmp_path)) as driven:
        assert driven.draft == text and said in driven.text and not driven.edit.state.changed
        await driven.replace_all("Disk check precedes cable survey.")
        assert "✓ can be met in 3 orders" in driven.text
        before = len(driven.app.work.document.session.runs)
        await driven.press("ctrl+r", "enter")
        await driven.until(
            lambda: len(driven.app.work.document.session.runs) > before and not driven.app.work.live.at_work
        )
        await driven.rest()
        assert driven.app.work.document.session.runs[-1].variant == driven.state.variant.id == "v2"
        assert driven.app.work.document.variant("v2").parent == "v1"


async def test_another_model_can_be_chosen_for_the_draft(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("Disk check precedes network audit.")
        await driven.commands("r")
        await driven.press("end", "ctrl+u")
        await driven.type("sim:careful")
        before = len(driven.app.work.document.session.runs)
        await driven.press("enter")
        await driven.until(
            lambda: len(driven.app.work.document.session.runs) > before and not driven.app.work.live.at_work
        )
        run = driven.app.work.document.session.runs[-1]
        assert (run.variant, run.model) == ("v2", "sim:careful")
        assert driven.app.work.document.session.runs[0].variant == "v1"


async def test_without_a_change_r_runs_the_request_itself(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+r")
        assert isinstance(driven.app.screen, FormDialog)
        assert len(driven.app.work.document.session.variants) == 1
        await driven.press("escape")
        await driven.commands("K")
        assert "nothing changed" in driven.text


async def test_escape_in_the_form_of_the_run_goes_back_to_the_draft(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+end")
        await driven.write(" Cable survey follows network audit.")
        edited = driven.edit.state.edited
        await driven.press("ctrl+r")
        assert isinstance(driven.app.screen, FormDialog)
        await driven.press("escape")
        assert isinstance(driven.app.screen, EditScreen) and driven.edit.state.edited == edited
        assert len(driven.app.work.document.session.variants) == 1
        await driven.keys("ctrl+z")
        assert driven.draft == TWO


async def test_an_unreadable_draft_can_be_kept_but_not_run(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("Network audit tickles disk check.")
        await driven.press("ctrl+r")
        assert 'not run: line 1, column 15: "tickles" is not known' in driven.text
        assert isinstance(driven.app.screen, EditScreen)
        await driven.press("ctrl+s")
        await driven.rest()
        assert driven.state.progress == "unreadable" and driven.state.variant.id == "v2"


async def test_a_draft_that_is_left_is_there_again_with_its_history(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+end", "x")
        await driven.commands("escape")
        assert isinstance(driven.app.screen, DebugScreen) and "your draft is kept" in driven.text
        assert len(driven.app.work.document.session.variants) == 1
        await driven.enter()
        assert driven.draft == TWO + "x" and "this is your draft" in driven.text
        await driven.press("ctrl+z")
        assert driven.draft == TWO
        await driven.commands("escape")
        assert driven.screen.work.drafts.histories == {}


async def test_starting_over_can_be_undone(path: Path) -> None:
    async with editing(path) as driven:
        await driven.replace_all("Something else.")
        await driven.commands("0")
        assert driven.draft == TWO
        await driven.press("u")
        assert driven.draft == "Something else."


@pytest.mark.parametrize("key", ["q", *nightly("ctrl+q")])
async def test_quitting_asks_about_a_draft(path: Path, key: str) -> None:
    async with editing(path) as driven:
        await driven.press("x")
        await driven.commands(key)
        assert isinstance(driven.app.screen, ChooseDialog) and "1 draft not kept" in driven.text
        await driven.press("enter")
        assert isinstance(driven.app.screen, EditScreen)
        await driven.press("escape", key)
        assert "1 draft not kept" in driven.text and not driven.app._exit
        await driven.press("down", "enter")
        assert driven.app._exit


async def test_quitting_from_a_dialog_asks_about_a_draft_all_the_same(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("x")
        await driven.commands("question_mark", "ctrl+q")
        assert "1 draft not kept" in driven.text and not driven.app._exit
        await driven.press("ctrl+q")
        assert driven.app._exit


async def test_quitting_without_a_draft_asks_nothing(path: Path) -> None:
    async with editing(path) as driven:
        await driven.press("ctrl+q")
        assert driven.app._exit


# The user's own editor


def program(tmp_path: Path, code: str) -> str:
    made = tmp_path / "editor.py"
    made.write_text(f"import os, sys, pathlib\npath = pathlib.Path(sys.argv[1])\n{code}\n", encoding="utf-8")
    return f"{sys.executable} {made}"


def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, text: str = "one") -> str:
    monkeypatch.setenv("EDITOR", program(tmp_path, code))
    monkeypatch.delenv("VISUAL", raising=False)
    app: Any = Lent()
    return edit_elsewhere(app, text)


def test_the_users_editor_gets_the_text_in_a_private_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code = (
        "modes = [oct(os.stat(p).st_mode & 0o777) for p in (path.parent,)]\n"
        f"pathlib.Path({str(tmp_path / 'seen')!r}).write_text(path.read_text() + ' ' + modes[0] + ' ' + str(path))\n"
        "path.write_text(path.read_text() + ' two\\n')"
    )
    assert elsewhere(monkeypatch, tmp_path, code) == "one two"
    text, mode, place = (tmp_path / "seen").read_text().split(" ")
    assert (text, mode) == ("one", "0o700") and not Path(place).exists()


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("sys.exit(3)", "ended with status 3"),
        ("path.write_bytes(b'\\xff\\xfe')", "not UTF-8"),
        ("path.write_bytes(b'x' * 4_000_001)", "too long"),
        ("path.unlink()", "cannot be read back"),
    ],
)
def test_what_goes_wrong_with_an_editor_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str, why: str
) -> None:
    with pytest.raises(EditorTrouble, match=why):
        elsewhere(monkeypatch, tmp_path, code)


@pytest.mark.parametrize(
    ("name", "why"),
    [("/no/such program", "names a program that is not installed"), ("'", "is not a command")],
)
def test_an_editor_that_is_none(monkeypatch: pytest.MonkeyPatch, name: str, why: str) -> None:
    monkeypatch.setenv("VISUAL", name)
    with pytest.raises(EditorTrouble, match=why):
        edit_elsewhere(Lent(), "x")


async def test_what_comes_back_is_one_step_and_a_terminal_that_cannot_be_lent_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VISUAL", program(tmp_path, "path.write_text(path.read_text() + '\\x1b]0;x\\x07')"))
    async with editing(path) as driven:
        await driven.press("ctrl+o")
        assert "no editor can run in this terminal" in driven.text
        monkeypatch.setattr(type(driven.app), "suspend", Lent.suspend)
        await driven.press("ctrl+o")
        await driven.settle()
        assert driven.draft == TWO + "\x1b]0;x\x07" and "␛]0;x␇" in driven.text
        assert not any("\x1b" in text for row in styles(driven.app) for text, _ in row)
        await driven.press("ctrl+z")
        assert driven.draft == TWO


# What comes from outside


async def test_hostile_requests_can_be_edited(tmp_path: Path) -> None:
    text = "\n".join(text[:200] for text in SAVEABLE)
    made = sessions.base(text, "A B C")
    made.title = SAVEABLE[30]
    async with editing(sessions.write(made, tmp_path), (100, 30)) as driven:
        assert driven.draft == text
        await driven.press("ctrl+home")
        while driven.edit.state.edited.at < len(text):
            await driven.keys("pagedown", "right", "left", "shift+right")
            assert_harmless(driven)
        await driven.commands("2", "down", "3", "down", "4", "down", "f")
        assert_harmless(driven)
        assert driven.draft == text


@pytest.mark.parametrize("every", [12, *nightly(1)])
async def test_hostile_texts_can_be_pasted(every: int, path: Path) -> None:
    async with editing(path, (80, 24)) as driven:
        model = ""
        await driven.press("ctrl+home", "ctrl+shift+end", "delete")
        texts = HOSTILE[::every]
        for text in texts:
            driven.edit.post_message(events.Paste(text[:2000]))
            model += plain_text(text[:2000].replace("\r\n", "\n").replace("\r", "\n"))
            await driven.pilot.pause()
            assert_harmless(driven)
        await driven.settle()
        assert driven.draft == model
        await driven.keys(*["ctrl+z"] * (len(texts) + 1))  # the deletion, too
        assert driven.draft == TWO


def assert_harmless(driven: Editing) -> None:
    """Nothing is on the screen that a terminal would obey."""
    for row in styles(driven.app):
        for text, _ in row:
            assert visible(text) == text


async def test_an_action_that_the_text_names_is_offered_as_a_new_one(path: Path) -> None:
    async with editing(path, (100, 30)) as driven:
        await driven.press("ctrl+end")
        await driven.write(" First disk check, then zork cleaning. Disk check precedes cable survey.")
        await driven.press("ctrl+home")
        assert "adds the action zork cleaning" in driven.text
        await driven.commands("plus")
        await driven.press("enter")
        await driven.settle()
        assert [action.name for action in driven.edit.state.draft.actions][-1] == "zork cleaning"
        assert "adds the action" not in driven.text and not driven.edit.editor.seen_now().errors
