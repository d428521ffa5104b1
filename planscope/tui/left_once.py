"""A screen that is left once, and leaves no other one.

Keys that come fast are in a screen's queue still when it is left: Textual fails of the second answer. And what is
left while something stands over it, since its work is done by then, takes that away in Textual, and stays itself.
"""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import Screen

Result = TypeVar("Result")


class LeftOnce(Screen[Result]):
    """The base of rooms and dialogs."""

    _was_left = False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave, with an answer; what stands over this screen goes without one."""
        if self._was_left or self not in self.app.screen_stack:
            return AwaitComplete()
        self._was_left = True
        while self.app.screen is not self:
            self.app.pop_screen()
        return super().dismiss(result)
