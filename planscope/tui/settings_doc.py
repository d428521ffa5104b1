"""What can be set, for people: a listing with where each value comes from, and an example of a config file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import NamedTuple

from planscope.tui.actions import ACTIONS
from planscope.tui.key_names import normal
from planscope.tui.settings import ScreenSettings
from planscope.tui.settings_kinds import toml
from planscope.tui.settings_table import KEYS, SECTIONS, SETTINGS, Setting


class Row(NamedTuple):
    """A setting as it counts now. ``source``: a place in the config file, ``screen`` or ``default``."""

    setting: Setting
    value: object
    source: str

    @property
    def shown(self) -> str:
        return "not set" if self.value is None else toml(self.value)


def rows(settings: ScreenSettings) -> Iterator[Row]:
    config = settings.config
    for setting in SETTINGS:
        source = "default"
        if settings.chosen(setting.name):
            source = "screen"
        elif setting.name in config.given:
            line = config.line(setting)
            source = config.path.name if line is None else f"{config.path.name}:{line}"
        yield Row(setting, settings[setting.name], source)


def example() -> str:
    """A whole config file, with everything commented out but the names of its tables."""
    lines = [
        "# planscope's settings. Remove the # of a line that you change; what is not set is as shown.",
        "# planscope config says what counts now, and what is wrong.",
        "",
    ]
    section = ""
    for setting in SETTINGS:
        if setting.section != section:
            section = setting.section
            lines += ["", f"# {SECTIONS[section]}", f"[{section}]"]
        value = "" if setting.default is None else toml(setting.default)
        lines += [f"# {setting.help} Takes {setting.kind.allowed}.", f"# {setting.key} = {value}".rstrip()]
    lines += ["", "# An action's own keys, in place of all that it had.", f"[{KEYS}]"]
    width = max(len(action.id) for action in ACTIONS)
    for action in ACTIONS:
        keys = toml([normal(key) for key in action.shown_keys])
        lines.append(f"# {action.id:<{width}} = {keys}")
    lines.append("")
    return "\n".join(lines)


def markdown() -> str:
    """All settings as a table."""
    lines = ["| Setting | Default | Takes | What it does |", "| --- | --- | --- | --- |"]
    for s in SETTINGS:
        default = "" if s.default is None else f"`{toml(s.default)}`"
        lines.append(f"| `{s.name}` | {default} | {s.kind.allowed} | {s.help} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(markdown())
