"""The table of settings, the config file that sets them, and the choices made on the screen, which override it.

``config.toml`` is in planscope's configuration folder. An invalid entry is ignored, and a problem names its file, line
and setting. The config file is never written; choices made on the screen go to a file of their own. All this is read
before the first frame, so this module imports nothing slow.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from platformdirs import user_config_dir, user_state_path

from planscope.errors import UserError
from planscope.safe import visible
from planscope.session.files import write_atomic
from planscope.tui.arrangement import ALL_PANES, FIRST, HIDEABLE, KINDS, Arrangement
from planscope.tui.arrangement import Kind as Window
from planscope.tui.toml_file import FileProblem, TomlFile, Unusable, hint, nearest, read_toml

FILE_NAME = "config.toml"
STATE_NAME = "screen.json"
MOST_BYTES = 64 * 1024
"""The size limit of a settings file, in bytes."""

THEME = "dark"
MOST_RUNS = 1000
"""The limit for the budget of a dissection, in runs."""

MOST_SHARE = 100_000
FACTORY = re.compile(r"[A-Za-z_][\w.]{0,200}:[A-Za-z_][\w.]{0,100}")


class Kind(NamedTuple):
    """The type of a setting. ``takes`` describes valid values; ``fits`` checks a value as TOML or JSON gives it.

    ``made`` converts a value that fits, or raises ``ValueError`` with text that continues the setting's name.
    ``late``: checking it needs slow imports, so it is read after the first frame.
    """

    takes: str
    fits: Callable[[Any], bool]
    names: tuple[str, ...] = ()
    made: Callable[[Any], Any] = lambda value: value
    late: bool = False

    def read(self, value: object) -> Any:
        """Check a value and convert it. Raises ``ValueError``."""
        if not self.fits(value):
            raise ValueError(f"must be {self.takes}, not {_said(value)}{hint(value, self.names)}")
        return self.made(value)


def _is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _whole(low: int, high: int) -> Kind:
    return Kind(f"a whole number from {low} to {high}", lambda value: _is_whole(value, low, high))


def _choice(*names: str) -> Kind:
    return Kind(" or ".join((", ".join(names[:-1]), names[-1])), lambda value: value in names, names)


def _agent(*names: str) -> Kind:
    """The type of an agent: a built-in one, or the path of a user's factory, which is not imported here."""
    return Kind(
        ", ".join((*names, "or package.module:factory")),
        lambda value: isinstance(value, str) and (value in names or bool(FACTORY.fullmatch(value))),
        names,
    )


def _model(text: str) -> str:
    """Check a ``--model`` text. Its package and API key are checked later, when the model is used."""
    from planscope.agents.models import parse_model

    try:
        return parse_model(text).text
    except UserError as error:
        raise ValueError(f"is not a model: {visible(str(error), limit=200)}") from None


def _theme(value: object) -> str:
    """Check the form of a theme's name. Its existence is checked when the themes are read."""
    if not isinstance(value, str) or not value or len(value) > 60:
        raise ValueError(f"must be the name of a theme, not {_said(value)}")
    return value


def _shares(count: int) -> Kind:
    """The type of a list of shares that divide a width or a height."""
    return Kind(
        f"a list of {count} whole numbers from 1 on (shares)",
        lambda value: (
            isinstance(value, (list, tuple))
            and len(value) == count
            and all(_is_whole(share, 1, MOST_SHARE) for share in value)
        ),
        made=tuple,
    )


def _panes(names: tuple[str, ...]) -> Kind:
    """The type of a list of hidden panes; at least one pane must stay visible."""
    takes = f"a list of some of {', '.join(names)}"

    def made(value: Iterable[object]) -> frozenset[Any]:
        for one in value:
            if not isinstance(one, str) or one not in names:
                raise ValueError(f"must be {takes}; there is no {_said(one)}{hint(one, names)}")
        if not set(ALL_PANES) - set(value):
            raise ValueError("hides every pane; at least one must stay visible")
        return frozenset(value)

    return Kind(takes, lambda value: isinstance(value, (list, tuple, frozenset)), made=made)


_FLAG = Kind("true or false", lambda value: isinstance(value, bool))
_MODEL = Kind(
    "a model, such as sim:careful or openai:gpt-4o-mini",
    lambda value: isinstance(value, str),
    made=_model,
    late=True,
)
_THEME = Kind("the name of a theme (planscope themes)", lambda value: True, made=_theme)


class Setting(NamedTuple):
    """A setting. If ``default`` is None, the code that reads the setting decides its value."""

    name: str
    kind: Kind
    default: Any
    help: str

    @property
    def section(self) -> str:
        """The config file's table that has this setting; "" for the top level."""
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        return self.name.rpartition(".")[2]


SECTIONS: dict[str, str] = {
    "layout.narrow": "The panes in windows of less than 110 columns.",
    "layout.wide": "The panes in windows from 110 columns on.",
    "layout.broad": "The panes in windows from 170 columns and 44 rows on.",
    "layout.bare": "The panes from 110 columns on, for a run without a query and rules.",
    "defaults": "Defaults for runs and dissections on screen, unless you or the displayed run say otherwise.",
}
"""The config file's tables, except the table of keys."""

KEYS = "keys"
"""The section of keys, which ``planscope.tui.keys`` reads."""

_WIDE = {
    "rows": "Heights of the upper and the lower row.",
    "upper": "Widths of query, tree and constraints.",
    "lower": "Widths of timeline and step.",
}
_SHARES: dict[Window, dict[str, str]] = {
    "narrow": {"rows": "Heights of the upper pane, the timeline and the step."},
    "wide": _WIDE,
    "broad": _WIDE | {"sides": "Widths of all these panes and of the inspector."},
    "bare": _WIDE | {"rows": "Heights of the task and of the timeline."},
}
"""The shares of each kind of window: the fields of ``Arrangement``, with their descriptions."""


def _layout(window: Window) -> Iterator[Setting]:
    for key, about in _SHARES[window].items():
        first = getattr(FIRST[window], key)
        yield Setting(f"layout.{window}.{key}", _shares(len(first)), first, about)
    names = HIDEABLE if window == "broad" else ALL_PANES
    yield Setting(f"layout.{window}.hide", _panes(names), FIRST[window].hidden, "Panes that are not shown.")


SETTINGS: tuple[Setting, ...] = (
    Setting("theme", _THEME, THEME, "The colours."),
    Setting("commands", _FLAG, False, "Show the command that does what the last key did."),
    *(setting for window in KINDS for setting in _layout(window)),
    Setting("defaults.agent", _agent("tools", "react", "responses"), "tools", "The agent to run with."),
    Setting("defaults.model", _MODEL, "sim:careful", "The model to run with."),
    Setting("defaults.seed", _whole(0, 10**9 - 1), None, "The seed of simulated models."),
    Setting("defaults.guard", _FLAG, False, "Refuse calls that would lose the plan."),
    Setting("defaults.stepping", _FLAG, False, "Pause before every call."),
    Setting("defaults.budget", _whole(1, MOST_RUNS), 60, "The most runs that a dissection spends."),
    Setting("defaults.method", _choice("rates", "paper"), "rates", "How a dissection finds the cause."),
)
BY_NAME: dict[str, Setting] = {setting.name: setting for setting in SETTINGS}
_TABLES = {name[:end] for name in BY_NAME for end, letter in enumerate(name) if letter == "."}


def arrangement_of(window: Window, value: Callable[[str], Any]) -> Arrangement:
    """Return the arrangement of a kind of window. ``value`` returns a setting's value by its name."""
    shares = {key: value(f"layout.{window}.{key}") for key in _SHARES[window]}
    return replace(FIRST[window], **shares, hidden=value(f"layout.{window}.hide"))


def settings_of(window: Window, arrangement: Arrangement) -> dict[str, Any]:
    """Return the settings, by name, that make up an arrangement of a kind of window."""
    shares = {f"layout.{window}.{key}": getattr(arrangement, key) for key in _SHARES[window]}
    return shares | {f"layout.{window}.hide": arrangement.hidden}


def _said(value: object) -> str:
    """Quote a value for an error message; a long value is cut."""
    return visible(toml(value) if isinstance(value, bool) else repr(value), limit=50)


def plain(value: Any) -> Any:
    """Convert a value to a type that JSON can store."""
    return sorted(value) if isinstance(value, frozenset) else value


def toml(value: Any) -> str:
    """Write a value in TOML syntax."""
    return json.dumps(plain(value), ensure_ascii=False)


# The config file


def config_file() -> Path:
    """Return the path of the user's config file."""
    return Path(user_config_dir("planscope")) / FILE_NAME


class Config:
    """A config file that was read. ``given``: the values of the settings in it, by name.

    Late settings are in ``given`` only after :meth:`read_late`.
    """

    def __init__(
        self, path: Path, file: TomlFile | None = None, problems: Iterable[FileProblem] = ()
    ) -> None:
        self.path = path
        self.file = file
        self.given: dict[str, Any] = {}
        self.defaults: dict[str, Any] = {}
        """Defaults for this terminal, in place of the settings' own."""
        self.problems = list(problems)
        if file is not None:
            self.problems += _unknown(file, file.table)
            self._take(file, late=False)

    def __getitem__(self, name: str) -> Any:
        return self.given.get(name, self.defaults.get(name, BY_NAME[name].default))

    def line(self, setting: Setting) -> int | None:
        """Return the line of a setting in the file."""
        return self.file.line(setting.section or None, setting.key) if self.file is not None else None

    def leave_out(self, setting: Setting, message: str) -> None:
        """Ignore a setting whose value turned out to be invalid, and note the problem."""
        self._wrong(setting, f": {message}")
        self.given.pop(setting.name, None)

    def read_late(self) -> None:
        """Read the late settings."""
        if self.file is not None:
            self._take(self.file, late=True)

    def _take(self, file: TomlFile, *, late: bool) -> None:
        for setting in SETTINGS:
            table: Any = file.table
            for part in setting.section.split(".") if setting.section else ():
                table = table.get(part) if isinstance(table, dict) else None
            if setting.kind.late is late and isinstance(table, dict) and setting.key in table:
                try:
                    self.given[setting.name] = setting.kind.read(table[setting.key])
                except ValueError as error:
                    self._wrong(setting, f" {error}")

    def _wrong(self, setting: Setting, message: str) -> None:
        name = self.file.name if self.file is not None else FILE_NAME
        self.problems.append(FileProblem(name, f"{setting.name}{message}", self.line(setting)))


def read_config(path: Path | None = None) -> Config:
    """Read a config file, without its late settings. A missing file counts as empty. Never raises."""
    path = config_file() if path is None else path
    try:
        return Config(path, read_toml(path) if path.exists() or path.is_symlink() else None)
    except Unusable as error:
        return Config(path, problems=[error.problem])
    except OSError as error:
        return Config(path, problems=[FileProblem(path.name, f"cannot be read: {error.strerror or error}")])


def _unknown(file: TomlFile, table: Mapping[str, Any], section: str = "") -> Iterator[FileProblem]:
    """Yield problems: unknown settings and sections, and sections that are not tables."""
    for key, value in table.items():
        name = f"{section}.{key}" if section else key
        if name == KEYS:
            continue
        if "." in key or not (name in BY_NAME or name in _TABLES):
            wrong = f"no setting {nearest(name, (*BY_NAME, KEYS))}"
            yield file.problem(wrong, section or None, key)
        elif name in _TABLES and isinstance(value, dict):
            yield from _unknown(file, value, name)
        elif name in _TABLES:
            yield file.problem(f"'{name}' must be a table: [{name}]", section or None, key)


# Choices made on the screen


def state_file() -> Path:
    return user_state_path("planscope") / STATE_NAME


class Remembered:
    """The choices made on the screen, by the names of settings, in a file that planscope writes.

    Each choice is stored with the config file's value at that time: if the user changes that value later, the config
    file counts again. A file that cannot be read counts as empty. ``path`` None: nothing is remembered.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._changed: set[str] = set()
        self._one = threading.Lock()
        self._kept = {} if path is None else _read_choices(path)

    def get(self, name: str, config: Any) -> Any:
        """Return the choice for a setting if the config file has not changed since, or else None."""
        value, instead_of = self._kept.get(name, (None, None))
        return value if instead_of == config else None

    def put(self, name: str, value: Any, config: Any) -> None:
        self._kept[name] = (value, config)
        self._changed.add(name)

    def drop(self, name: str) -> None:
        if self._kept.pop(name, None) is not None:
            self._changed.add(name)

    @property
    def changed(self) -> bool:
        """Whether there are choices to write."""
        return bool(self._changed) and self.path is not None

    def write(self) -> None:
        """Write the changed choices into the file, which others may have changed meanwhile. For any thread.

        Raises ``UserError`` (one line).
        """
        from planscope.session.locations import make_folder

        with self._one:
            if self.path is None:
                return
            changed, self._changed = self._changed, set()
            kept = {name: entry for name, entry in _read_choices(self.path).items() if name not in changed}
            kept |= {name: entry for name, entry in self._kept.items() if name in changed}
            values = {
                name: {"value": plain(value), "instead_of": plain(config)}
                for name, (value, config) in sorted(kept.items())
            }
            make_folder(self.path.parent)
            text = json.dumps({"planscope": 1, "chosen": values}, indent=1)
            write_atomic(self.path, text.encode())


def _read_choices(path: Path) -> dict[str, tuple[Any, Any]]:
    """Return the valid choices of a file."""
    try:
        if not path.is_file():
            return {}
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        whole = json.loads(data) if len(data) <= MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    chosen = whole.get("chosen") if isinstance(whole, dict) else None
    found = {}
    for name, entry in chosen.items() if isinstance(chosen, dict) else ():
        if name in BY_NAME and isinstance(entry, dict):
            read = BY_NAME[name].kind.read
            try:
                found[name] = (read(entry.get("value")), read(entry.get("instead_of")))
            except ValueError:
                continue
    return found


class ScreenSettings:
    """The settings in force: the choice made on the screen, or else the config file's value, or else the default."""

    def __init__(self, config: Config | None = None, remembered: Remembered | None = None) -> None:
        self.config = read_config() if config is None else config
        self.remembered = Remembered(state_file()) if remembered is None else remembered

    @classmethod
    def plain(cls) -> ScreenSettings:
        """Return the defaults alone, without the user's files; nothing is remembered."""
        return cls(Config(Path(FILE_NAME)), Remembered(None))

    def __getitem__(self, name: str) -> Any:
        config = self.config[name]
        chosen = self.remembered.get(name, config)
        return config if chosen is None else chosen

    def chosen(self, name: str) -> bool:
        """Return whether the value is a choice made on the screen."""
        return self.remembered.get(name, self.config[name]) is not None

    def choose(self, name: str, value: Any) -> None:
        """Remember a choice, or forget it if it equals the config file's value."""
        config = self.config[name]
        if value == config:
            self.remembered.drop(name)
        else:
            self.remembered.put(name, value, config)

    def arrangements(self) -> dict[Window, Arrangement]:
        return {window: arrangement_of(window, self.__getitem__) for window in KINDS}

    def configured_arrangement(self, window: Window) -> Arrangement:
        """Return the arrangement in the config file."""
        return arrangement_of(window, self.config.__getitem__)

    def choose_arrangement(self, window: Window, arrangement: Arrangement | None) -> None:
        """Remember an arrangement, or with None go back to the one in the config file."""
        found = self.configured_arrangement(window) if arrangement is None else arrangement
        for name, value in settings_of(window, found).items():
            self.choose(name, value)
