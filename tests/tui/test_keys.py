"""Every key of the table of actions does what the table says, its aliases as well."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import get_args

import pytest
from textual.command import CommandPalette

from planscope.debugger.breakpoints import StepBreak
from planscope.debugger.selection import SelectedConstraint, SelectedStep, SelectedWords
from planscope.language.tree import Terminal
from planscope.session.store import dumps, load
from planscope.tui.actions import ACTIONS
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.controllers.what_if import Play
from planscope.tui.dialogs import help as help_
from planscope.tui.dialogs.ask import ChooseDialog, SetDialog
from planscope.tui.dialogs.describe import DescribeDialog
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.dialogs.why import WhyDialog
from planscope.tui.keys import normal
from planscope.tui.screens.compare.screen import CompareScreen
from planscope.tui.screens.dissect.screen import DissectScreen
from planscope.tui.screens.edit.screen import EditScreen
from planscope.tui.screens.library.screen import LibraryScreen
from planscope.tui.screens.runs.screen import RunsScreen
from planscope.wording import terms
from tests.nightly import nightly
from tests.tui import sessions
from tests.tui.screen import Driven, opened, styles
from tests.tui.test_live import paused, start, until

Effect = Callable[[Driven, str], Awaitable[None]]
EFFECTS: dict[str, Effect] = {}
HERE = [action for action in ACTIONS if action.where in ("debug", "everywhere")]
"""What the keys of the debug screen do; the other screens' tests say what theirs do."""


def effect(id: str) -> Callable[[Effect], Effect]:
    def keep(check: Effect) -> Effect:
        EFFECTS[id] = check
        return check

    return keep


@pytest.mark.parametrize("part", range(4))
async def test_keys(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one application as long as it is again as it was at first, and else in the next one, at a new home."""
    left = HERE[part::4]
    shutil.copytree(tmp_path / "home", tmp_path / "first-home")
    while left:
        place = tmp_path / left[0].id
        shutil.copytree(tmp_path / "first-home", place)
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "HOME"):
            monkeypatch.setenv(name, str(place))
        async with opened(sessions.write(sessions.figure_10(), place), (120, 40)) as driven:
            first = await seen(driven)
            while left:
                action, *left = left
                try:
                    await EFFECTS[action.id](driven, normal((action.all_keys + action.spare)[0]))
                except BaseException as error:
                    error.add_note(f"the key of {action.id}")
                    raise
                if not driven.app.is_running:
                    break
                await driven.press(*["escape"] * len(driven.app.screen_stack), "1", "4", "f", "escape")
                if await seen(driven) != first:
                    break


async def seen(driven: Driven) -> tuple[object, ...]:
    """Whatever a key may have changed."""
    await driven.answered()
    state, work = driven.state, driven.app.work
    assert work is not None
    return (
        *(driven.text, styles(driven.app), driven.app.screen is driven.screen, driven.app.theme),
        *(state.pane, state.top, state.zoomed, state.notice, state.search, state.play, state.focus),
        *(state.run_number, state.debug.index, state.debug.checked, state.debug.check, state.debug.selection),
        *(state.breakpoints, state.watches, state.variant.id, dict(work.drafts.histories)),
        *(dumps(work.document.snapshot()), work.live.at_work, driven.app.clipboard),
    )


async def test_every_key_of_an_action_is_bound_to_it(tmp_path: Path) -> None:
    async with opened(sessions.write(sessions.figure_10(), tmp_path), (120, 40)) as driven:
        bound = {key: active.binding.action for key, active in driven.app.screen.active_bindings.items()}
    always = [action for action in HERE if not action.during]
    assert len({bound[normal((a.all_keys + a.spare)[0])] for a in always}) == len(always)
    for action in always:
        assert len({bound[normal(key)] for key in action.all_keys + action.spare}) == 1, action
    assert not {normal(key) for action in HERE if action.during for key in action.keys} & set(bound)


def test_every_action_of_the_table_is_tested() -> None:
    assert set(EFFECTS) == {action.id for action in HERE}


@effect("next-call")
async def _next_call(driven: Driven, key: str) -> None:
    assert driven.state.debug.index == 1
    await driven.press(key)
    assert driven.state.debug.index == 2
    assert "Step 2" in driven.text and "after step 2" in driven.text
    await driven.press(key, key, key, key)
    assert driven.state.debug.step == "end"


@effect("previous-call")
async def _previous_call(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.state.debug.index == 0
    assert "Before any call" in driven.text and "before any call ─" in driven.text
    await driven.press(key)
    assert driven.state.debug.index == 0


@effect("next-check")
async def _next_check(driven: Driven, key: str) -> None:
    await driven.press("g")
    seen = []
    for _ in range(4):
        await driven.press(key)
        seen.append((driven.state.debug.index, driven.state.debug.checked))
    assert seen[0] == (1, None)
    assert seen[1][1] is not None and seen[1] != seen[2]
    assert isinstance(driven.state.focus, SelectedConstraint)


@effect("previous-check")
async def _previous_check(driven: Driven, key: str) -> None:
    places = []
    for _ in range(6):
        places.append((driven.state.debug.index, driven.state.debug.check))
        await driven.press("s")
    for place in reversed(places):
        await driven.press(key)
        assert (driven.state.debug.index, driven.state.debug.check) == place


@effect("continue")
async def _continue(driven: Driven, key: str) -> None:
    await driven.press("g", key)
    assert driven.state.debug.index == 1
    assert "stopped: point of no return" in driven.text
    await driven.press(key)
    assert driven.state.debug.index == 2
    assert "parameter error" in driven.text.splitlines()[-1]


@effect("continue-back")
async def _continue_back(driven: Driven, key: str) -> None:
    await driven.press("G", key)
    assert driven.state.debug.index == 2
    await driven.press(key, key)
    assert driven.state.debug.index == 0
    await driven.press(key)
    assert "no stop in that direction" in driven.text


@effect("first-violation")
async def _first_violation(driven: Driven, key: str) -> None:
    await driven.press("g", key)
    assert driven.state.debug.index == 1
    assert driven.state.debug.checked == "c3"
    assert "LOST HERE" in driven.text


@effect("go-start")
async def _go_start(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.state.debug.index == 0


@effect("go-end")
async def _go_end(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.state.debug.step == "end"
    assert "The end" in driven.text and "at the end" in driven.text


@effect("go-to-step")
async def _go_to_step(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, FormDialog)
    await driven.type("step 9")
    await driven.press("enter")
    assert "no step 9; the steps are 0 to 3, and end" in driven.text
    assert isinstance(driven.app.screen, FormDialog)
    await driven.press("backspace")
    assert "no step 9" not in driven.text
    await driven.press("3", "enter")
    assert driven.app.screen is driven.screen
    assert driven.state.debug.index == 3


@effect("toggle-breakpoint")
async def _toggle_breakpoint(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.state.breakpoints == (StepBreak(1),)
    assert "▶◆  1" in driven.text and "breakpoint set: step 1" in driven.text
    await driven.press(key)
    assert driven.state.breakpoints == ()
    assert "◆" not in driven.text


@effect("list-breakpoints")
async def _list_breakpoints(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, SetDialog)
    await driven.type("breaks c99")
    await driven.press("enter")
    assert "no constraint 'c99'" in driven.text
    await driven.press("backspace", "backspace", "3", "enter")
    assert [str(b) for b in driven.state.breakpoints] == ["breaks c3"]
    await driven.type("tool sanitizing_tools")
    await driven.press("enter")
    assert len(driven.state.breakpoints) == 2
    await driven.press("down", "delete")
    assert [str(b) for b in driven.state.breakpoints] == ["tool sanitizing_tools"]
    await driven.press("escape", "g", "c", "c")
    assert driven.state.debug.index == 2
    assert "tool sanitizing_tools" in driven.text.splitlines()[-1]


@effect("watch")
async def _watch(driven: Driven, key: str) -> None:
    await driven.press(key)
    await driven.type("hair.start")
    await driven.press("enter")
    assert "no action 'hair'" in driven.text
    await driven.press(*["backspace"] * 10)
    for text in ("state", "c3 == broken", "valid_completions"):
        await driven.type(text)
        await driven.press("enter")
    await driven.press("escape")
    assert len(driven.state.watches) == 3
    assert "state = lost" in driven.text and "c3 == broken = no" in driven.text
    await driven.press("g")
    assert "state = possible" in driven.text and "valid_completions = 1" in driven.text


@effect("look")
async def _look(driven: Driven, key: str) -> None:
    await driven.press("f", key)
    assert "▶ Step 1" in driven.text and "start_time  10" in driven.text


@effect("fold-calls")
async def _fold_calls(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert "nobody spoke between two calls, and no sub-agent made calls" in driven.text


@effect("picture")
async def _picture(driven: Driven, key: str) -> None:
    await driven.press("4", key)
    assert (
        "2 Order" in driven.text and "━✗ applying hair color" in driven.text and driven.state.pane == "tree"
    )
    await driven.press(key)
    assert "2 Hours" in driven.text and "no hours left" in driven.text
    await driven.press(key)
    assert "2 Tree" in driven.text


@effect("show-command")
async def _show_command(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert " = planscope open " in driven.text
    await driven.press(key)
    assert " = planscope open " not in driven.text


@effect("copy-command")
async def _copy_command(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert "sent to the terminal's clipboard: planscope open" in driven.text


@effect("explain")
async def _explain(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, WhyDialog)
    for words in (
        "CONFLICT (unsat core)",
        "Applying hair color ends before attending",
        "step 1",
        "A correct plan",
    ):
        assert words in driven.text
    await driven.press("escape")
    assert driven.app.screen is driven.screen


@effect("search")
async def _search(driven: Driven, key: str) -> None:
    await driven.press(key)
    await driven.type("nowhere at all")
    await driven.press("enter")
    assert "is not found" in driven.text
    await driven.press("escape", key)
    await driven.type("HAIR")
    await driven.press("enter")
    assert driven.app.screen is driven.screen
    assert isinstance(driven.state.focus, SelectedWords)
    assert "1 of" in driven.text.splitlines()[-1]


@effect("next-hit")
async def _next_hit(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.state.notice == ""
    await driven.press("slash")
    await driven.type("takes 1 hour")
    await driven.press("enter")
    assert driven.state.debug.index == 3
    await driven.press("slash", *["backspace"] * 20)
    await driven.type("10:00")
    await driven.press("enter")
    first = driven.state.focus
    await driven.press(key)
    assert driven.state.focus != first


@effect("previous-hit")
async def _previous_hit(driven: Driven, key: str) -> None:
    await driven.press("slash")
    await driven.type("sanitizing")
    await driven.press("enter")
    first = driven.state.focus
    await driven.press("h")
    second = driven.state.focus
    await driven.press(key)
    assert driven.state.focus == first != second
    await driven.press(key)
    assert driven.state.search.at == len(driven.state.search.hits) - 1


@effect("deselect")
async def _deselect(driven: Driven, key: str) -> None:
    await driven.press("3", "down")
    assert driven.state.debug.selection is not None
    await driven.press("z", key)
    assert not driven.state.zoomed and driven.state.debug.selection is not None
    await driven.press(key)
    assert driven.state.debug.selection is None


def _shows(name: str, words: str) -> None:
    @effect(f"show-pane-{name}")
    async def check(driven: Driven, key: str) -> None:
        await driven.press("1" if key != "1" else "2", key)
        assert driven.state.pane == name
        await driven.press("z")
        assert words in driven.text and driven.state.zoomed


_shows("query", "1 Query")
_shows("tree", "2 Tree")
_shows("constraints", "3 Constraints")
_shows("timeline", "4 Timeline")
_shows("step", "5 Step 1")


@effect("next-pane")
async def _next_pane(driven: Driven, key: str) -> None:
    seen = []
    for _ in range(5):
        await driven.press(key)
        seen.append(driven.state.pane)
    assert seen == ["step", "query", "tree", "constraints", "timeline"]


@effect("previous-pane")
async def _previous_pane(driven: Driven, key: str) -> None:
    seen = []
    for _ in range(5):
        await driven.press(key)
        seen.append(driven.state.pane)
    assert seen == ["constraints", "tree", "query", "step", "timeline"]


@effect("zoom")
async def _zoom(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert "Timeline" in driven.text and "Query" not in driven.text
    await driven.press(key)
    assert "Query" in driven.text


@effect("copy")
async def _copy(driven: Driven, key: str) -> None:
    await driven.press("1", key)
    assert driven.app.clipboard == sessions.FIGURE_10 + "\n"
    assert "sent to the terminal" in driven.text
    await driven.press("escape")
    for pane, words in (("2", "sentence 2"), ("3", "CONFLICT"), ("4", "LOST HERE"), ("5", "instead")):
        await driven.press(pane, key)
        assert words in driven.app.clipboard
        await driven.press("escape")


@effect("choose-run")
async def _choose_run(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, RunsScreen)
    assert driven.text.count("simulated") >= 2
    await driven.press("up", "enter")
    await driven.rest()
    assert driven.state.run_number == 0
    assert "RIGHT" in driven.text and "run 1 of 2" in driven.text
    await driven.press(key, "down", "enter")
    await driven.rest()
    assert "PARAMETER ERROR" in driven.text and driven.state.debug.index == 1


@effect("next-failed-run")
async def _next_failed_run(driven: Driven, key: str) -> None:
    await driven.press("o", "up", "enter", key)
    await driven.until(lambda: driven.state.run_number == 1)


@effect("save")
async def _save(driven: Driven, key: str) -> None:
    await driven.press("b", "n", key)
    await driven.sees("saved to")
    saved = load(driven.state.path)
    assert saved.breakpoints == ["step 1"]
    assert saved.cursor == {"index": 2, "run": "r2"}


@effect("choose-theme")
async def _choose_theme(driven: Driven, key: str) -> None:
    before = driven.app.theme
    await driven.press(key, "down", "down")
    assert driven.app.theme != before
    await driven.press("escape")
    assert driven.app.theme == before
    await driven.press(key, "end", "enter")
    assert driven.app.theme == sorted(driven.app.read_themes())[-1] != before


@effect("palette")
async def _palette(driven: Driven, key: str) -> None:
    await driven.press(key)
    await driven.until(lambda: isinstance(driven.app.screen, CommandPalette))
    await driven.find("go to step")
    await driven.press("enter")
    await driven.until(lambda: isinstance(driven.app.screen, FormDialog))


@effect("help")
async def _help(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert "Go to the next call; run the paused call." in driven.text
    await driven.type("breakpoint")
    assert "◆" in driven.text and "Go to the next call; run" not in driven.text
    await driven.press(key)
    assert driven.app.screen is driven.screen


@effect("quit")
async def _quit(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.app.return_code == 0 and not driven.app.is_running


@effect("rerun")
async def _rerun(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, FormDialog) and "as a new run" in driven.text
    await driven.press("escape")
    assert driven.app.screen is driven.screen


@effect("fork")
async def _fork(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, FormDialog) and "Step 1 is kept" in driven.text


@effect("compare")
async def _compare(driven: Driven, key: str) -> None:
    await driven.press(key)
    await driven.until(lambda: isinstance(driven.app.screen, CompareScreen))


@effect("edit")
async def _edit(driven: Driven, key: str) -> None:
    assert driven.state.variant is not None
    await driven.press(key)
    assert isinstance(driven.app.screen, EditScreen)
    assert driven.app.screen.state.draft.text == driven.state.variant.query.text
    await driven.press("x", "escape", "escape")
    assert driven.app.screen is driven.screen and "your draft is kept" in driven.text


def _size(driven: Driven, name: str) -> tuple[int, int]:
    pane = driven.screen.query_one(f"#{name}")
    return pane.size.width, pane.size.height


@effect("narrower")
@effect("wider")
async def _across(driven: Driven, key: str) -> None:
    before = _size(driven, "timeline")
    await driven.press(key)
    await driven.answered()
    after = _size(driven, "timeline")
    assert after[0] > before[0] if key in (">", "greater_than_sign") else after[0] < before[0]
    assert driven.screen.places["timeline"].y == driven.screen.places["step"].y


@effect("lower")
@effect("higher")
async def _down(driven: Driven, key: str) -> None:
    before = _size(driven, "timeline")
    await driven.press(key)
    await driven.answered()
    after = _size(driven, "timeline")
    assert after[1] > before[1] if key in ("}", "right_curly_bracket") else after[1] < before[1]
    assert after[0] == before[0]


@effect("hide-pane")
async def _hide(driven: Driven, key: str) -> None:
    await driven.press("2", key)
    await driven.answered()
    assert "2 Tree" not in driven.text and "1 Query" in driven.text
    await driven.press("2")
    await driven.answered()
    assert "2 Tree" in driven.text


@effect("toggle-inspector")
async def _inspector(driven: Driven, key: str) -> None:
    await driven.pilot.resize_terminal(200, 60)
    await driven.answered()
    shown = driven.screen.query_one("#inspector").display
    await driven.press(key)
    await driven.answered()
    assert driven.screen.query_one("#inspector").display is not shown


@effect("reset-layout")
async def _reset(driven: Driven, key: str) -> None:
    before = _size(driven, "timeline")
    await driven.press(">", "}")
    await driven.answered()
    assert _size(driven, "timeline") != before
    await driven.press(key)
    await driven.answered()
    assert _size(driven, "timeline") == before


@effect("dissect")
async def _dissect(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, DissectScreen) and "Not run yet; press m" in driven.text


async def playing(driven: Driven) -> Play:
    await driven.press("g", "p")
    await until(driven, lambda: driven.screen.at_rest)
    assert driven.state.play is not None
    play: Play = driven.state.play
    return play


@effect("play")
async def _play(driven: Driven, key: str) -> None:
    assert key == "p"
    assert len((await playing(driven)).options) == 3


@effect("take-back")
async def _take_back(driven: Driven, key: str) -> None:
    await playing(driven)
    await driven.press("enter")
    assert len(driven.state.play.played.calls) == 1
    await driven.press(key)
    assert not driven.state.play.played.calls


@effect("later-hour")
async def _later(driven: Driven, key: str) -> None:
    start = (await playing(driven)).chosen.start
    await driven.press(key)
    assert driven.state.play.start == start + 1


@effect("earlier-hour")
async def _earlier(driven: Driven, key: str) -> None:
    start = (await playing(driven)).chosen.start
    await driven.press("+", "+", key)
    assert driven.state.play.start == start + 1


@effect("keep-play")
async def _keep(driven: Driven, key: str) -> None:
    await playing(driven)
    await driven.press("enter", key)
    assert "kept as run" in driven.text and driven.screen.work.document.session.runs[-1].agent == "person"


async def waiting(driven: Driven) -> None:
    await start(driven, RunChoice(model="sim:careful", stepping=True))
    await paused(driven, 1)


@effect("pause-run")
async def _pause(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.state.notice == "", "it is a key only while a run is in progress"
    await waiting(driven)
    await driven.press(key)
    assert "already paused" in driven.text


@effect("stop-run")
async def _stop(driven: Driven, key: str) -> None:
    await waiting(driven)
    await driven.press(key)
    await until(driven, lambda: not driven.screen.work.live.at_work)
    assert "STOPPED  by the user" in driven.text and "Stopped by the user." in driven.text


@effect("answer-call")
async def _answer_by_hand(driven: Driven, key: str) -> None:
    """Only for tools that do something: tests/tui/test_own_debug.py."""
    await driven.press(key)
    assert driven.state.notice == "", "it is a key only while a run is in progress"
    await waiting(driven)
    await driven.press(key)
    assert "a mock tool does nothing" in driven.text


@effect("edit-arguments")
@effect("edit-answer")
@effect("refuse-call")
async def _decide(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert driven.state.notice == "", "it is a key only while a run is in progress"
    await waiting(driven)
    await driven.press(key)
    assert isinstance(driven.app.screen, FormDialog) and "is paused." in driven.text
    await driven.press("enter")
    await paused(driven, 2)


async def test_arrows_select_in_every_pane(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        for pane in "123":
            await driven.press("escape", pane, "down")
            first = driven.state.focus
            await driven.press("down")
            second = driven.state.focus
            await driven.press("up")
            assert driven.state.focus == first != second
            await driven.press(*["up"] * 36)
            top = driven.state.focus
            await driven.press("up")
            assert driven.state.focus == top
        await driven.press("escape", "4", "down")
        assert driven.state.focus == SelectedStep(2)
        await driven.press("5", "pagedown", "down", "pageup", "up")
        assert driven.state.focus == SelectedStep(2)


@pytest.mark.parametrize("where", ["", *nightly("o", "e escape 4", "d", "m", "L")])
async def test_j_and_k_move_as_the_arrows_do(where: str, tmp_path: Path) -> None:
    frames = []
    for down, up in (("down", "up"), ("j", "k")):
        path = sessions.write(sessions.figure_10(), tmp_path)
        async with opened(path) as driven:
            await driven.press(*where.split())
            for key in ("", down, down, up):
                await driven.press(*([key] if key else []))
                await driven.until(
                    lambda: getattr(driven.app.screen, "at_rest", True)
                )  # a preview comes late
                frames.append(str(styles(driven.app)))
    assert len(set(frames)) > 1 and frames[:4] == frames[4:]


async def test_enter_goes_on_to_what_is_selected(tmp_path: Path) -> None:
    path = sessions.write(sessions.figure_10(), tmp_path)
    async with opened(path) as driven:
        await driven.press("g", "3", "down", "down", "down", "enter")
        assert driven.state.debug.selection is not None
        assert driven.state.debug.index > 0


async def test_keys_pressed_before_the_room_is_open_are_not_lost(tmp_path: Path) -> None:
    from planscope.tui.app import PlanscopeApp

    path = sessions.write(sessions.figure_10(), tmp_path)
    app = PlanscopeApp(path)
    async with app.run_test(size=(120, 40)) as pilot:
        if app.screen_of_session is None:
            app.simulate_key("G")
        driven = Driven(app, pilot)
        await driven.rest()
        assert app.screen_of_session is not None


@effect("describe")
async def _describe(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, DescribeDialog)
    assert "Title and notes" in driven.text and "figure-10" in driven.text
    await driven.press("escape")
    assert driven.app.screen is driven.screen and not driven.screen.work.document.unsaved


@effect("tools")
async def _tools(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert "No tool was fuzzed for this session" in driven.text


@effect("write-rules")
async def _write_rules(driven: Driven, key: str) -> None:
    await driven.press(key)
    await driven.until(lambda: "Rules that every run of this session has to keep" in driven.text)
    await driven.press("escape")
    assert driven.app.screen is driven.screen and not driven.screen.work.document.unsaved


@effect("campaigns")
async def _campaigns(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert "you have no campaign yet" in driven.text


@effect("library")
async def _library(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, LibraryScreen)
    await until(driven, lambda: driven.app.screen.at_rest)
    await driven.press("escape")
    assert driven.app.screen is driven.screen


@effect("share")
async def _share(driven: Driven, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, ChooseDialog)
    assert "Share this run" in driven.text and "pull request" in driven.text


def test_help_explains_every_sign_once() -> None:
    signs = [sign for heads, _, _ in help_._SIGNS for sign in heads.split()]
    wanted = [
        *terms.DRAFT_SIGNS.values(),
        *(sign for sign in terms.CHANGE_SIGNS.values() if sign not in " +-"),
        *{terminal.rstrip("<>") for terminal in get_args(Terminal)},
        *{terms.PAUSED_GLYPH, terms.BLAMED_GLYPH, terms.PARTED_GLYPH, "!", "±", "█▓░", "▼", "◆"},
    ]
    assert [sign for sign in wanted if signs.count(sign) == 0] == []
    assert signs.count("◆") == 1 and "◆" not in (terms.BLAMED_GLYPH, terms.PARTED_GLYPH)
