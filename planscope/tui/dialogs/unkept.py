"""Leaving planscope while there are drafts that nobody kept, or changes that could not be saved."""

from __future__ import annotations

from typing import Any

from textual.app import App

from planscope.tui import words
from planscope.tui.desk import Desk
from planscope.tui.dialogs.choose import ChooseDialog
from planscope.tui.lines import Run
from planscope.tui.paint import Paint


class _Unkept(ChooseDialog):
    """Asked for a second time it takes quitting for the answer."""


def quit_or_ask(app: App[Any], paint: Paint, drafts: int, desk: Desk) -> None:
    """Leave, unless so many drafts would be lost, or changes on the desk cannot be saved: then ask first."""
    if not (drafts or desk.saving.trouble) or isinstance(app.screen, _Unkept):
        app.exit(0)
        return
    them = "it" if drafts == 1 else "them"
    lost = f"Quit, and lose {them}" if drafts else "Quit: they are offered when you open the session again"
    choices = [(Run("Stay"),), (Run(lost),)]
    title = f"{words.plural(drafts, 'draft')} not kept: e goes on, k keeps" if drafts else "Changes not saved"

    def go(number: int | None) -> None:
        if number == 1:
            app.exit(0)

    app.push_screen(_Unkept(paint, title, choices), go)
