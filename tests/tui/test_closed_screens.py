"""A closed screen or dialog is gone: nothing keeps it, its widgets, or the lines that they drew."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
from textual._styles_cache import StylesCache
from textual.widget import Widget

from planscope.session.locations import bundled
from tests.tui.screen import Driven, opened

OPENED: tuple[tuple[str, ...], ...] = (
    ("D", "x", "tab", "y"),
    ("question_mark",),
    ("B",),
    ("w",),
    ("r",),
    ("F",),
    ("o",),
    ("x",),
    ("slash", "a"),
    ("E", "enter"),
    ("y",),
    ("ctrl+p",),
    ("ctrl+t",),
    ("e",),
    ("d",),
    ("m",),
    ("L",),
)
"""Keys that open something over the debug screen, which Escape closes."""


def alive(kind: type[Any]) -> list[Any]:
    gc.unfreeze()
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, kind)]


async def close(driven: Driven) -> None:
    for _ in range(6):
        if driven.app.screen is driven.screen:
            return
        await driven.press("escape")
    assert driven.app.screen is driven.screen


@pytest.mark.parametrize("keys", OPENED, ids="+".join)
async def test_nothing_of_a_closed_screen_is_kept(keys: tuple[str, ...]) -> None:
    async with opened(bundled()["first-look"]) as driven:
        await driven.press(*keys)  # what is made once, at the first time, is not counted
        await close(driven)
        before = {id(cache) for cache in alive(StylesCache)}
        await driven.press(*keys)
        closed = [weakref.ref(widget) for widget in driven.app.screen.walk_children(Widget, with_self=True)]
        assert driven.app.screen is not driven.screen and len(closed) > 2
        await close(driven)

        def left() -> list[str]:
            lines = [one for one in alive(StylesCache) if id(one) not in before]
            return [repr(one) for one in (*lines, *(ref() for ref in closed)) if one is not None]

        await driven.until(lambda: not left())  # a thread may hold it for a moment
