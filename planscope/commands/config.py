"""``planscope config``: where the settings are, what they are, and what is wrong with them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from planscope.commands.common import columns, emit, print_json, say, say_all
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.tui.keys import KeyChoice
    from planscope.tui.settings import ScreenSettings, Setting
    from planscope.tui.toml_file import FileProblem

ABOUT = (
    "Show the settings of the debugger: the files they come from, what each is, and what is wrong with one. They "
    "are written by hand, in TOML; what is chosen on screen is remembered apart from them."
)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--check", action="store_true", help="say only what is wrong; exit status 2 if anything is"
    )
    parser.add_argument(
        "--example", action="store_true", help="print a config file with every setting, to begin with"
    )
    parser.add_argument("--json", action="store_true", help="print the same as JSON")


def run(args: argparse.Namespace) -> int:
    if args.example:
        if args.check or args.json:
            raise UserError("--example stands alone")
        emit("\n".join(_example()))
        return 0
    settings, choice, problems = _read()
    if args.json:
        _print(settings, choice, problems)
    elif args.check:
        say_all(map(str, problems) if problems else ["Nothing is wrong with the settings."])
    else:
        _tell(settings, choice, problems)
    return 2 if args.check and problems else 0


def _read() -> tuple[ScreenSettings, KeyChoice, list[FileProblem]]:
    """All settings and keys, and all that is wrong with them and with themes."""
    from planscope.tui.keys import read_keys
    from planscope.tui.settings import BY_NAME, ScreenSettings
    from planscope.tui.style.themes import load_themes, need_theme

    settings = ScreenSettings()
    config = settings.config
    config.read_late()
    themes, broken = load_themes()
    try:
        need_theme(config["theme"], [theme.name for theme in themes])
    except UserError as error:
        config.leave_out(BY_NAME["theme"], str(error))
    choice, wrong = read_keys(config=config.file)
    mine = sorted([*config.problems, *wrong], key=lambda problem: (problem.file, problem.line or 0))
    return settings, choice, [*mine, *broken]


def rows(settings: ScreenSettings) -> Iterator[tuple[Setting, Any, str]]:
    """Each setting with its value as it counts now, and where that is from: ``default``, ``screen`` or a place."""
    from planscope.tui.settings import SETTINGS

    config = settings.config
    for setting in SETTINGS:
        source = "default"
        if settings.chosen(setting.name):
            source = "screen"
        elif setting.name in config.given:
            line = config.line(setting)
            source = config.path.name if line is None else f"{config.path.name}:{line}"
        yield setting, settings[setting.name], source


def _tell(settings: ScreenSettings, choice: KeyChoice, problems: list[FileProblem]) -> None:
    from planscope.report import hanging, table
    from planscope.tui.keys import keys_file, shown_key
    from planscope.tui.settings import toml
    from planscope.tui.style.themes import user_themes_folder

    config, remembered = settings.config, settings.remembered.path
    missing = "" if config.path.exists() else "  (not there; planscope config --example prints one)"
    say(f"Settings    {config.path}{missing}")
    if keys_file().exists():
        say(f"Older keys  {keys_file()}")
    say(f"Themes      {user_themes_folder()}")
    say(f"Remembered  {remembered}")
    say()
    shown = [
        (setting.name, "not set" if value is None else toml(value), source)
        for setting, value, source in rows(settings)
    ]
    say_all(table(shown, ""))
    if choice:
        say()
        say_all(table([(f"keys.{id}", " ".join(map(shown_key, keys))) for id, keys in choice.items()], ""))
    if problems:
        say()
        for problem in problems:
            say_all(hanging("wrong", str(problem), 7, columns()))


def _print(settings: ScreenSettings, choice: KeyChoice, problems: list[FileProblem]) -> None:
    from planscope.documents.listings import ConfigDocument, SettingDocument
    from planscope.tui.settings import plain
    from planscope.tui.style.themes import user_themes_folder

    document = ConfigDocument(
        file=str(settings.config.path),
        exists=settings.config.path.exists(),
        remembered=str(settings.remembered.path),
        themes=str(user_themes_folder()),
        settings=[
            SettingDocument(
                name=setting.name,
                value=plain(value),
                source=source,
                default=plain(setting.default),
                takes=setting.kind.takes,
                help=setting.help,
            )
            for setting, value, source in rows(settings)
        ],
        keys={id: list(keys) for id, keys in choice.items()},
        problems=list(map(str, problems)),
    )
    print_json(document.as_data())


def _example() -> Iterator[str]:
    """The lines of a whole config file, with everything commented out but the names of its tables."""
    from planscope.tui.actions import ACTIONS
    from planscope.tui.keys import normal
    from planscope.tui.settings import KEYS, SECTIONS, SETTINGS, toml

    yield "# planscope's settings. Remove the # of a line that you change; what is not set is as shown."
    yield "# planscope config says what counts now, and what is wrong."
    yield ""
    section = ""
    for setting in SETTINGS:
        if setting.section != section:
            section = setting.section
            yield from ("", f"# {SECTIONS[section]}", f"[{section}]")
        value = "" if setting.default is None else toml(setting.default)
        yield f"# {setting.help} Takes {setting.kind.takes}."
        yield f"# {setting.key} = {value}".rstrip()
    yield from ("", "# An action's own keys, in place of all that it had.", f"[{KEYS}]")
    width = max(len(action.id) for action in ACTIONS)
    for action in ACTIONS:
        yield f"# {action.id:<{width}} = {toml([normal(key) for key in action.shown_keys])}"
    yield ""
