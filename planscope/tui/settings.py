"""The config file that users write, and over it what they chose on screen.

``config.toml`` lies in planscope's configuration folder. Everything in it is checked; what is wrong is named by file,
line and setting, and left out, and the rest counts. It is never written to: what is chosen on screen is remembered
elsewhere (``settings_state``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_config_dir

from planscope.safe import visible
from planscope.tui.arrangement import KINDS, Arrangement
from planscope.tui.arrangement import Kind as Window
from planscope.tui.settings_kinds import hint
from planscope.tui.settings_state import Remembered
from planscope.tui.settings_table import BY_NAME, KEYS, SETTINGS, Setting, arrangement_of, settings_of
from planscope.tui.toml_file import FileProblem, TomlFile, Unusable, read_toml

FILE_NAME = "config.toml"


def config_file() -> Path:
    """Where a user's settings are looked for."""
    return Path(user_config_dir("planscope")) / FILE_NAME


class Config:
    """What a config file says. ``given``: the values of those settings that it sets, by name.

    ``read`` counts only those that can be read quickly until ``read_late`` was called.
    """

    def __init__(
        self, path: Path, file: TomlFile | None = None, problems: Iterable[FileProblem] = ()
    ) -> None:
        self.path = path
        self.file = file
        self.given: dict[str, Any] = {}
        self.problems = list(problems)

    def __getitem__(self, name: str) -> Any:
        return self.given.get(name, BY_NAME[name].default)

    def line(self, setting: Setting) -> int | None:
        """Where the file sets it."""
        if self.file is None or setting.name not in self.given:
            return None
        return self.file.line(setting.section or None, setting.key)

    def problem(self, setting: Setting, message: str) -> FileProblem:
        name = self.file.name if self.file is not None else FILE_NAME
        line = self.file.line(setting.section or None, setting.key) if self.file is not None else None
        return FileProblem(name, f"{setting.name}{message}", line)

    def leave_out(self, setting: Setting, message: str) -> None:
        """What it says turned out to be nothing after all."""
        self.problems.append(self.problem(setting, f": {message}"))
        self.given.pop(setting.name, None)

    def read_late(self) -> None:
        """Read what is not needed for the first frame."""
        self._take(late=True)

    def read_early(self) -> None:
        if self.file is not None:
            self.problems += _unknown(self.file)
            self._take(late=False)

    def _take(self, *, late: bool) -> None:
        for setting in SETTINGS:
            if setting.kind.late is late and self.file is not None:
                table = _table(self.file.table, setting.section)
                if table is not None and setting.key in table:
                    try:
                        self.given[setting.name] = setting.kind.read(table[setting.key])
                    except ValueError as error:
                        self.problems.append(self.problem(setting, f" {error}"))


def read_config(path: Path | None = None) -> Config:
    """Read a config file, but for what is read late. A file that is not there is an empty one; nothing is raised."""
    path = config_file() if path is None else path
    try:
        file = read_toml(path) if path.exists() or path.is_symlink() else None
    except Unusable as error:
        return Config(path, problems=[error.problem])
    except OSError as error:
        return Config(path, problems=[FileProblem(path.name, f"cannot be read: {error.strerror or error}")])
    made = Config(path, file)
    made.read_early()
    return made


def _table(table: Mapping[str, Any], section: str) -> Mapping[str, Any] | None:
    """The table of a section; None where there is none."""
    for part in section.split(".") if section else ():
        inner = table.get(part)
        if not isinstance(inner, dict):
            return None
        table = inner
    return table


def _unknown(file: TomlFile) -> Iterator[FileProblem]:
    """What is no setting and no section, and what is no table and should be one."""
    known = {
        name.rsplit(".", depth)[0] if depth else name
        for name in BY_NAME
        for depth in range(name.count(".") + 1)
    }

    def look(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[FileProblem]:
        section = ".".join(path) or None
        for key, value in table.items():
            name = ".".join((*path, key))
            if name == KEYS:
                continue
            is_section = name in known and name not in BY_NAME
            if name not in known or "." in key:
                yield file.problem(
                    f"no setting '{visible(name, limit=60)}'{hint(name, (*BY_NAME, KEYS))}", section, key
                )
            elif is_section and not isinstance(value, dict):
                yield file.problem(f"'{name}' has to be a table: [{name}]", section, key)
            elif is_section:
                yield from look(value, (*path, key))

    yield from look(file.table, ())


class ScreenSettings:
    """What counts on a screen: what was chosen on it, else the config file, else what planscope comes with.

    What was chosen counts until the config file says something else about it than it said then.
    """

    def __init__(self, config: Config | None = None, remembered: Remembered | None = None) -> None:
        self.config = read_config() if config is None else config
        self.remembered = Remembered() if remembered is None else remembered

    @classmethod
    def plain(cls) -> ScreenSettings:
        """As planscope comes, whatever the user's files say; nothing is remembered."""
        return cls(Config(Path(FILE_NAME)), Remembered.nothing())

    def __getitem__(self, name: str) -> Any:
        config = self.config[name]
        chosen = self.remembered.get(name, config)
        return config if chosen is None else chosen

    def chosen(self, name: str) -> bool:
        """Whether it was chosen on screen."""
        return self.remembered.get(name, self.config[name]) is not None

    def choose(self, name: str, value: Any) -> None:
        """Remember what was chosen; nothing where the config file says the same."""
        config = self.config[name]
        if value == config:
            self.remembered.drop(name)
        else:
            self.remembered.put(name, value, config)

    def arrangements(self) -> dict[Window, Arrangement]:
        return {window: arrangement_of(window, _All(self)) for window in KINDS}

    def configured_arrangement(self, window: Window) -> Arrangement:
        """As the config file has it."""
        return arrangement_of(window, _All(self.config))

    def choose_arrangement(self, window: Window, arrangement: Arrangement | None) -> None:
        """Remember an arrangement; None: forget that there was one."""
        found = self.configured_arrangement(window) if arrangement is None else arrangement
        for name, value in settings_of(window, found).items():
            self.choose(name, value)


class _All(dict[str, Any]):
    """All settings by name."""

    def __init__(self, of: Config | ScreenSettings) -> None:
        super().__init__((name, of[name]) for name in BY_NAME)
