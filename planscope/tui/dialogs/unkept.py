"""Leaving planscope while there are drafts that nobody kept."""

from __future__ import annotations

from typing import Any

from textual.app import App

from planscope.tui import words
from planscope.tui.dialogs.choose import ChooseDialog
from planscope.tui.lines import Run
from planscope.tui.paint import Paint


class _Unkept(ChooseDialog):
    """Asked for a second time it takes quitting for the answer."""


def quit_or_ask(app: App[Any], paint: Paint, drafts: int) -> None:
    """Leave, unless so many drafts would be lost: then ask first."""
    if not drafts or isinstance(app.screen, _Unkept):
        app.exit(0)
        return
    them = "it" if drafts == 1 else "them"
    choices = [(Run("Stay"),), (Run(f"Quit, and lose {them}"),)]

    def go(number: int | None) -> None:
        if number == 1:
            app.exit(0)

    app.push_screen(
        _Unkept(paint, f"{words.plural(drafts, 'draft')} not kept: e goes on, k keeps", choices), go
    )
