"""The types of which the table of actions is made."""

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
    "Editing a query",
    "Dissecting",
    "Comparing",
    "Runs",
    "Findings",
    "Library",
    "Campaign",
]
Where = Literal[
    "debug", "edit", "dissect", "compare", "runs", "findings", "library", "campaign", "everywhere"
]
"""The screen that an action belongs to."""


_OLD_SHIFT_F = frozenset(f"f{n}" for n in range(13, 25))


@dataclass(frozen=True, slots=True)
class KeyAction:
    """One thing that a key does.

    ``id`` names the action in users' key files. ``do``: the function that does it on the debug screen, such as
    ``navigate.go_start`` (``screens/debug/``), which is imported with that screen; or Textual's name of the screen's
    action, such as ``search``. Without it that name is the id with underscores. ``letters``: keys, with blanks between
    them; ``aliases``: the arrows and F-keys. ``parameter`` goes to the function (panes). ``footer``: the lowest line
    names the key if there is room. ``where``: the screen that has the action, or ``everywhere``. ``verb``: what the key
    means, by default the title's first word; a key means the same on every screen (exceptions: ``DIFFERENT``).
    """

    id: str
    letters: str
    title: str
    help: str
    group: Group
    aliases: tuple[str, ...] = ()
    where: Where = "debug"
    footer: bool = False
    parameter: str | None = None
    verb: str = ""
    do: str = ""

    @property
    def meaning(self) -> str:
        """The verb, which is equal for two actions that may share a key."""
        return self.verb or self.title.split()[0].lower()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self.letters.split())

    @property
    def all_keys(self) -> tuple[str, ...]:
        return self.keys + self.aliases

    @property
    def shown_keys(self) -> tuple[str, ...]:
        """The keys that help and documentation list: all but the codes that older terminals send for Shift+F-keys."""
        return tuple(key for key in self.all_keys if key not in _OLD_SHIFT_F)

    @property
    def method(self) -> str:
        """The action as Textual writes it: ``do('next-call')``, ``open_run``, ``edit_pane('words')``."""
        if self.do:
            return f"do('{self.id}')" if "." in self.do else self.do
        name = self.id.replace("-", "_")
        if self.parameter is None:
            return name
        return f"{name.removesuffix('_' + self.parameter)}('{self.parameter}')"


def shift_f(number: int) -> tuple[str, str]:
    """Return both names of Shift plus an F-key: older terminals send F20 for Shift+F8."""
    return f"shift+f{number}", f"f{number + 12}"
