"""Keeps the keys that are typed faster than screens open, so that none is lost and their order stays."""

from __future__ import annotations

from bisect import insort
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary, ref

from textual import events
from textual.app import App
from textual.screen import Screen

_QUITS = "ctrl+q"
"""Textual's own key (``keys.ALWAYS_QUITS``): it never waits."""
_SOON = 0.01
"""Seconds until it is looked again whether the screen in front takes keys."""
_MOST_WAITS = 200
"""So often it is looked; then the keys go to the screen as it is."""

Typed = events.Key | events.Paste


class TypedAhead(App[int]):
    """The part of the application that hands out keys. ``held``: those that wait, each after when it was typed.

    Textual gives a key to the focused widget of the screen in front at once; if nothing there takes it, it bubbles up
    to the application, whose bindings may open another screen. Keys behind it were given to the screen before, or to
    one that has no focus yet, and would be lost.
    """

    keys_wait = False
    """Whether all keys are kept, because no session is open yet."""

    def __init__(self) -> None:
        super().__init__()
        self.held: list[tuple[float, Typed]] = []
        self._waits = 0
        self._given: WeakKeyDictionary[events.Event, tuple[ref[Screen[Any]], float]] = WeakKeyDictionary()
        self._known_front: ref[Screen[Any]] | None = None

    async def on_event(self, event: events.Event) -> None:
        """Keep a key while others wait, or while the screen in front is not there yet; else do as Textual does."""
        if isinstance(event, Typed) and not event.is_forwarded and not _quits(event):
            if self.held or self.keys_wait or not self._takes_keys():
                self._hold(event, event.time)
            else:
                await self._give(event, event.time)
        else:
            await super().on_event(event)

    async def _on_key(self, event: events.Key) -> None:
        """Keep a key that nothing took on a screen that is not in front any more, for the one that is."""
        given, time = self._given.get(event, (None, 0))
        if given is not None and given() is not self.screen and not _quits(event):
            event.prevent_default()  # Textual would look for a binding
            self._hold(event, time)

    def _hold(self, event: Typed, time: float) -> None:
        """Keep a key until the screen in front takes it, in the order of when they were typed."""
        insort(self.held, (time, event), key=itemgetter(0))
        if len(self.held) == 1:
            self._waits = 0
            self.set_timer(_SOON, self._release)

    def _release(self) -> None:
        self._waits += 1
        if self.keys_wait or not (self._takes_keys() or self._waits > _MOST_WAITS):
            self.set_timer(_SOON, self._release)
        else:
            self.call_later(self._hand_out)  # behind the keys that have arrived meanwhile

    async def _hand_out(self) -> None:
        held, self.held = self.held, []
        for number, (time, event) in enumerate(held):
            if number and isinstance(event, events.Paste):  # what a key opens may take it
                self.held = held[number:]
                self.set_timer(_SOON, self._release)
                return
            await self._give(_again(event), time)

    async def _give(self, event: Typed, time: float) -> None:
        self._given[event] = ref(self.screen), time
        await super().on_event(event)

    def _takes_keys(self) -> bool:
        """Return whether the screen in front is mounted, and its field has the focus if it has one."""
        screen = self.screen
        if self._known_front is not None and screen is self._known_front():
            return True
        field = screen.AUTO_FOCUS
        if not screen.is_mounted or (field and screen.focused is None and screen.query(field)):
            return False
        self._known_front = ref(screen)
        return True


def _quits(event: Typed) -> bool:
    return isinstance(event, events.Key) and event.key == _QUITS


def _again(event: Typed) -> Typed:
    """Return the event as if it had not been given to a screen."""
    if isinstance(event, events.Paste):
        return events.Paste(event.text)
    return events.Key(event.key, event.character)
