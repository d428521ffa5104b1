"""A closed screen or dialog is gone: nothing keeps it, its widgets, or the lines that they drew."""

from __future__ import annotations

import gc
import weakref

import pytest
from textual.widget import Widget

from planscope.session.locations import bundled
from tests.nightly import nightly
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


async def close(driven: Driven) -> None:
    for _ in range(6):
        if driven.app.screen is driven.screen:
            return
        await driven.press("escape")
    assert driven.app.screen is driven.screen


@pytest.mark.parametrize(
    "some",
    [OPENED[::6], *nightly((OPENED[:6],), (OPENED[6:12],), (OPENED[12:],))],
    ids=["some", "first", "second", "third"],
)
async def test_nothing_of_a_closed_screen_is_kept(some: tuple[tuple[str, ...], ...]) -> None:
    async with opened(bundled()["first-look"]) as driven:
        for keys in some:
            await driven.press(*keys)  # what is made once, at the first time, is not counted
            await close(driven)
            await driven.press(*keys)
            widgets = list(driven.app.screen.walk_children(Widget, with_self=True))
            assert driven.app.screen is not driven.screen and len(widgets) > 2
            kept = [weakref.ref(widget) for widget in widgets]
            kept += [weakref.ref(widget._styles_cache) for widget in widgets]
            del widgets
            await close(driven)

            def left(kept: list[weakref.ref[object]] = kept) -> list[str]:
                gc.collect()
                return [repr(one) for one in (ref() for ref in kept) if one is not None]

            await driven.until(lambda: not left())  # a thread may hold it for a moment
