"""The one table of settings. Reading and checking the config file, its example and its listing are all made from it."""

from __future__ import annotations

from typing import Any, NamedTuple

from planscope.tui.arrangement import ALL_PANES, FIRST, HIDEABLE, KINDS, Arrangement
from planscope.tui.arrangement import Kind as Window
from planscope.tui.settings_kinds import Agent, Choice, Flag, Kind, Model, Panes, Shares, ThemeName, Whole

THEME = "dark"
MOST_RUNS = 1000
"""Runs that a dissection may be given."""


class Setting(NamedTuple):
    """One line of the config file. ``section`` is empty for what stands above all tables.

    ``default`` None: it is not set, and something else decides.
    """

    section: str
    key: str
    kind: Kind
    default: Any
    help: str

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}" if self.section else self.key


class Part(NamedTuple):
    """Which shares of an arrangement a setting divides, and what they are."""

    key: str
    many: int
    help: str


SECTIONS: dict[str, str] = {
    "layout.narrow": "The panes in windows of less than 110 columns.",
    "layout.wide": "The panes in windows from 110 columns on.",
    "layout.broad": "The panes in windows from 170 columns and 44 rows on.",
    "defaults": "How to run and to dissect where nothing else says so, such as the run that is looked at.",
}
"""The tables of the config file, but for that of keys."""

_ROWS: dict[Window, Part] = {
    "narrow": Part("rows", 3, "Heights of the upper pane, the timeline and the step."),
    "wide": Part("rows", 2, "Heights of the upper and the lower row."),
    "broad": Part("rows", 2, "Heights of the upper and the lower row."),
}
_UPPER = Part("upper", 3, "Widths of query, tree and constraints.")
_LOWER = Part("lower", 2, "Widths of timeline and step.")
_SIDES = Part("sides", 2, "Widths of all these panes and of the inspector.")


def parts(window: Window) -> tuple[Part, ...]:
    """What can be divided in a kind of window."""
    more = {"narrow": (), "wide": (_UPPER, _LOWER), "broad": (_UPPER, _LOWER, _SIDES)}[window]
    return (_ROWS[window], *more)


def _layout(window: Window) -> list[Setting]:
    section, first = f"layout.{window}", FIRST[window]
    made = [
        Setting(section, part.key, Shares(part.many), getattr(first, part.key), part.help)
        for part in parts(window)
    ]
    names = HIDEABLE if window == "broad" else ALL_PANES
    return [
        *made,
        Setting(section, "hide", Panes(names, ALL_PANES), frozenset(), "Panes that are not shown."),
    ]


SETTINGS: tuple[Setting, ...] = (
    Setting("", "theme", ThemeName(), THEME, "The colours."),
    *(setting for window in KINDS for setting in _layout(window)),
    Setting(
        "defaults",
        "agent",
        Agent("tools", "react", "responses"),
        "tools",
        "The agent to run with.",
    ),
    Setting(
        "defaults",
        "model",
        Model(),
        "sim:careful",
        "The model to run with.",
    ),
    Setting("defaults", "seed", Whole(0, 10**9 - 1), None, "The seed of simulated models."),
    Setting("defaults", "guard", Flag(), False, "Refuse calls that would lose the plan."),
    Setting("defaults", "stepping", Flag(), False, "Pause before every call."),
    Setting("defaults", "budget", Whole(1, MOST_RUNS), 60, "The most runs that a dissection spends."),
    Setting("defaults", "method", Choice("rates", "paper"), "rates", "How a dissection finds the cause."),
)

BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}

KEYS = "keys"
"""The section of keys, which is read by the table of actions (``keymap``)."""


def arrangement_of(window: Window, value: dict[str, Any]) -> Arrangement:
    """What the settings of a kind of window come to. ``value``: all settings by name."""
    shares = {part.key: value[f"layout.{window}.{part.key}"] for part in parts(window)}
    return Arrangement(**{"rows": FIRST[window].rows, **shares}, hidden=value[f"layout.{window}.hide"])


def settings_of(window: Window, arrangement: Arrangement) -> dict[str, Any]:
    """The settings of a kind of window, by name, that come to an arrangement."""
    made: dict[str, Any] = {
        f"layout.{window}.{part.key}": getattr(arrangement, part.key) for part in parts(window)
    }
    return made | {f"layout.{window}.hide": arrangement.hidden}
