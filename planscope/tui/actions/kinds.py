"""What an entry of the table of actions is, and how one is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal[
    "Stepping",
    "Breakpoints and watches",
    "Looking",
    "Running",
    "Panes",
    "Session and screen",
    "Editing a request",
    "Dissecting",
    "Comparing",
    "Library",
]
Where = Literal["debug", "edit", "dissect", "compare", "library", "everywhere"]
"""The room that an action belongs to."""


_OLD_SHIFT_F = frozenset(f"f{n}" for n in range(13, 25))


@dataclass(frozen=True, slots=True)
class KeyAction:
    """One thing that a key does.

    ``id`` names it in a user's key file; the method is ``action_`` plus the id with underscores. ``keys`` are
    letters and come first, ``aliases`` are arrows and F-keys. ``parameter`` goes to the method (panes).
    ``footer``: shown in the footer, where there is room. ``where``: one room or every one.
    """

    id: str
    keys: tuple[str, ...]
    title: str
    help: str
    group: Group
    aliases: tuple[str, ...] = ()
    where: Where = "debug"
    footer: bool = False
    parameter: str | None = None

    @property
    def all_keys(self) -> tuple[str, ...]:
        return self.keys + self.aliases

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """The keys as a reader is told of them: without what older terminals send for Shift+F-keys."""
        return tuple(key for key in self.all_keys if key not in _OLD_SHIFT_F)

    @property
    def method(self) -> str:
        """The action as Textual calls it: ``next_call``, ``show_pane('query')``."""
        name = self.id.replace("-", "_")
        if self.parameter is None:
            return name
        return f"{name.removesuffix('_' + self.parameter)}('{self.parameter}')"


def act(
    id: str,
    keys: str,
    title: str,
    help: str,
    group: Group,
    aliases: tuple[str, ...] = (),
    *,
    where: Where = "debug",
    footer: bool = False,
    parameter: str | None = None,
) -> KeyAction:
    """An entry; ``keys`` are separated by blanks."""
    return KeyAction(id, tuple(keys.split()), title, help, group, aliases, where, footer, parameter)


def shift_f(number: int) -> tuple[str, str]:
    """Shift and an F-key: newer terminals say so, older ones send the F-key twelve further on."""
    return f"shift+f{number}", f"f{number + 12}"
