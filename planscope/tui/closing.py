"""How a screen is left: once, and with all that was opened over it."""

from __future__ import annotations

from typing import Any

from textual._styles_cache import StylesCache
from textual.screen import Screen


def to_front(screen: Screen[Any]) -> bool:
    """Close what is open over a screen, without an answer; False if the screen itself is closed already.

    Textual raises when a screen is dismissed twice, which fast typing causes, and when one is dismissed that another
    one covers, which background work causes.
    """
    stack = screen.app.screen_stack
    if screen not in stack:
        return False
    while screen.app.screen is not screen:
        screen.app.screen.dismiss(None)
    return True


def forget_lines() -> None:
    """Let go of the lines that a closed screen drew.

    Textual keeps the answers of a method of each widget's cache of lines, and with them that cache.
    """
    StylesCache.get_inner_outer.cache_clear()
