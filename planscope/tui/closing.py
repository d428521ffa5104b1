"""Closes a screen only once, and together with all screens over it."""

from __future__ import annotations

from typing import Any

from textual._styles_cache import StylesCache
from textual.screen import Screen


def to_front(screen: Screen[Any]) -> bool:
    """Close all screens over ``screen``, without results. Return False if ``screen`` is closed already.

    Textual raises when a screen is dismissed twice, which fast typing causes, and when a covered screen is dismissed,
    which background work causes.
    """
    stack = screen.app.screen_stack
    if screen not in stack:
        return False
    while screen.app.screen is not screen:
        screen.app.screen.dismiss(None)
    return True


def forget_lines() -> None:
    """Free the memory of a closed screen: Textual's ``lru_cache`` on a method keeps its widgets' line caches alive."""
    StylesCache.get_inner_outer.cache_clear()
