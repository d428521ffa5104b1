"""Every key of the edit screen does what the table says, its aliases as well; and while one types, those that stay."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from planscope.tui.actions import ACTIONS
from planscope.tui.dialogs.ask import ChooseDialog
from planscope.tui.dialogs.form import FormDialog
from planscope.tui.keys import normal
from planscope.tui.screens.debug import doors
from planscope.tui.screens.debug.screen import DebugScreen
from tests.nightly import rounds
from tests.tui import sessions
from tests.tui.editing import TWO, Editing, Lent, editing

Effect = Callable[[Editing, str], Awaitable[None]]
EFFECTS: dict[str, Effect] = {}
HERE = [action for action in ACTIONS if action.where == "edit"]


def effect(id: str) -> Callable[[Effect], Effect]:
    def keep(check: Effect) -> Effect:
        EFFECTS[id] = check
        return check

    return keep


def test_every_action_of_the_table_is_tested() -> None:
    assert set(EFFECTS) == {action.id for action in HERE}


async def test_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one application, the screen opened again for each key: as a command, and while typing if it is no letter."""
    program = tmp_path / "editor"
    program.write_text("#!/bin/sh\nprintf ' And on.' >> \"$1\"\n")
    program.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(program))
    async with editing(sessions.write(sessions.out_of_order(), tmp_path), (100, 30)) as driven:
        monkeypatch.setattr(type(driven.app), "suspend", Lent.suspend)
        for action in HERE:
            for key in map(normal, action.all_keys[: rounds(1, 99)]):
                for typing in (False, True) if "+" in key and "tab" not in key else (False,):
                    await fresh(driven, typing)
                    try:
                        await EFFECTS[action.id](driven, key)
                    except AssertionError as error:
                        error.add_note(f"{action.id} by {key}, {'typing' if typing else 'a command'}")
                        raise


async def fresh(driven: Editing, typing: bool) -> None:
    """The screen with the first request as it is, the caret at its end."""
    while not isinstance(driven.app.screen, DebugScreen):
        await driven.press("escape")
    driven.screen.work.drafts.histories.clear()
    if driven.state.run_number != 0:
        driven.open_run_number(0)
        await driven.rest()
    doors.edit(driven.screen)
    await driven.settle()
    await driven.keys("ctrl+end")
    if not typing:
        await driven.keys("escape")


async def typed(driven: Editing, text: str = "x") -> None:
    """Type, and go back to the commands if it was commands."""
    typing = driven.edit.state.typing
    if not typing:
        await driven.keys("i")
    await driven.write(text)
    if not typing:
        await driven.keys("escape")


@effect("type-text")
async def _type(driven: Editing, key: str) -> None:
    await driven.press("4", key, "Z")
    assert driven.draft == TWO + "Z" and driven.edit.state.pane == "text"
    await driven.press("escape", "4")
    assert not driven.edit.state.typing


@effect("run-draft")
async def _run(driven: Editing, key: str) -> None:
    count = len(driven.app.work.document.session.variants)
    await typed(driven, " Network audit precedes cable survey.")
    await driven.press(key)
    assert isinstance(driven.app.screen, FormDialog)
    assert f"Runs the query v{count + 1} " in driven.text
    await driven.press("escape")  # back to the draft, and nothing is kept
    assert driven.draft.startswith(TWO + " Network")
    assert len(driven.app.work.document.session.variants) == count
    await driven.press(key, "enter")
    assert driven.app.work.document.session.variants[count].query.text.startswith(TWO + " Network")
    await driven.until(lambda: driven.state.variant.id == f"v{count + 1}")
    # the first run imports agents; the next key would be told that it is in progress
    await driven.until(lambda: not driven.app.work.live.at_work)


@effect("keep-draft")
async def _keep(driven: Editing, key: str) -> None:
    await driven.press(key)
    assert "nothing changed" in driven.text
    count = len(driven.app.work.document.session.variants)
    await typed(driven)
    await driven.press(key)
    assert isinstance(driven.app.screen, DebugScreen)
    assert len(driven.app.work.document.session.variants) == count + 1
    assert driven.state.variant.id == f"v{count + 1}"


@effect("undo-edit")
async def _undo(driven: Editing, key: str) -> None:
    await typed(driven)
    await driven.press(key)
    assert driven.draft == TWO
    await driven.press("t", key)
    assert not driven.edit.state.draft.timed
    await driven.press(key)
    assert "nothing to undo" in driven.text


@effect("redo-edit")
async def _redo(driven: Editing, key: str) -> None:
    await typed(driven)
    await driven.press("ctrl+z", key)
    assert driven.draft == TWO + "x"
    await driven.press(key)
    assert "nothing to redo" in driven.text


@effect("complete")
async def _complete(driven: Editing, key: str) -> None:
    await typed(driven, " Cable survey pr")
    await driven.press(key)
    assert driven.edit.state.offered is not None and "▶ precedes" in driven.text and driven.edit.state.typing


@effect("next-trouble")
async def _next_trouble(driven: Editing, key: str) -> None:
    await driven.press(key)
    assert "no problem found" in driven.text
    await typed(driven, " Qx. Disk check zz.")
    for words, said in (("Qx", "1 of 2"), ("zz", "2 of 2"), ("Qx", "1 of 2")):
        await driven.press(key)
        assert driven.edit.state.edited.selected == words and not driven.edit.state.typing
        assert f"{said}: i types here" in driven.text and driven.draft == TWO + " Qx. Disk check zz."
    await driven.press("i", "o")
    assert driven.draft == TWO + " o. Disk check zz."


@effect("own-editor")
async def _own_editor(driven: Editing, key: str) -> None:
    await driven.press(key)
    assert driven.draft == TWO + " And on." and "changed in your editor" in driven.text


@effect("add-action")
async def _add(driven: Editing, key: str) -> None:
    await driven.press(key)
    assert isinstance(driven.app.screen, FormDialog)
    await driven.type("tea")
    await driven.press("enter")
    assert [a.name for a in driven.edit.state.draft.actions][3:] == ["tea"]


@effect("rename-action")
async def _rename(driven: Editing, key: str) -> None:
    await driven.press("4", key)
    assert isinstance(driven.app.screen, FormDialog)
    await driven.press("end", "s", "enter")
    assert driven.draft == TWO.replace("Network audit", "Network audits")
    assert driven.edit.state.draft.actions[0].tool == "network_audits"


@effect("drop-action")
async def _drop(driven: Editing, key: str) -> None:
    await driven.press("4", key)
    assert isinstance(driven.app.screen, ChooseDialog)
    await driven.press("down", "enter")
    assert [a.id for a in driven.edit.state.draft.actions] == ["a2", "a3"]


@effect("set-hours")
async def _hours(driven: Editing, key: str) -> None:
    await driven.press("t", "4", key)
    assert isinstance(driven.app.screen, FormDialog)
    await driven.press("2", "enter")
    assert [a.duration for a in driven.edit.state.draft.actions] == [2, 1, 1]


@effect("set-limits")
async def _limits(driven: Editing, key: str) -> None:
    await driven.press(key)
    await driven.type("5")
    await driven.press("tab", "1", "enter")
    assert (driven.edit.state.draft.seconds, driven.edit.state.draft.model_calls) == (5, 1)


@effect("set-timed")
async def _timed(driven: Editing, key: str) -> None:
    for timed in (True, False):
        await driven.press(key)
        assert driven.edit.state.draft.timed is timed


@effect("start-over")
async def _start_over(driven: Editing, key: str) -> None:
    await typed(driven)
    await driven.press("t", key)
    assert not driven.edit.state.changed
    await driven.press("u")
    assert driven.draft == TWO + "x" and driven.edit.state.draft.timed


@effect("leave-edit")
async def _leave(driven: Editing, key: str) -> None:
    await driven.press("i", "x", key)
    assert not driven.edit.state.typing
    await driven.press(key)
    assert isinstance(driven.app.screen, DebugScreen) and "your draft is kept" in driven.text
    await driven.press("e")
    assert driven.draft == TWO + "x"


def pane(name: str, *before: str) -> Effect:
    async def check(driven: Editing, key: str) -> None:
        await driven.press(*before, key)
        state: Any = driven.edit.state
        assert state.pane == name and not state.typing

    return check


EFFECTS |= {
    "edit-pane-text": pane("text", "4"),
    "edit-pane-reading": pane("reading"),
    "edit-pane-constraints": pane("constraints"),
    "edit-pane-actions": pane("actions"),
}


@effect("edit-next-pane")
async def _next(driven: Editing, key: str) -> None:
    seen = []
    for _ in range(4):
        await driven.press(key)
        seen.append(driven.edit.state.pane)
    assert seen == ["reading", "constraints", "actions", "text"]


@effect("edit-previous-pane")
async def _previous(driven: Editing, key: str) -> None:
    seen = []
    for _ in range(4):
        await driven.press(key)
        seen.append(driven.edit.state.pane)
    assert seen == ["actions", "constraints", "reading", "text"]
