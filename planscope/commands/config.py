"""``planscope config``: where the settings are, what they are, and what is wrong with them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from planscope.commands.common import columns, emit, print_json, say, say_all
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.tui.keymap import KeyChoice
    from planscope.tui.settings import ScreenSettings
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
        from planscope.tui.settings_doc import example

        emit(example())
        return 0
    settings, choice, problems = _read()
    if args.json:
        print_json(_document(settings, choice, problems))
    elif args.check:
        say_all(map(str, problems) if problems else ["Nothing is wrong with the settings."])
    else:
        _tell(settings, choice, problems)
    return 2 if args.check and problems else 0


def _read() -> tuple[ScreenSettings, KeyChoice, list[FileProblem]]:
    """All settings and keys, and all that is wrong with them and with themes."""
    from planscope.tui.keymap import read_keys
    from planscope.tui.settings import ScreenSettings
    from planscope.tui.settings_table import BY_NAME
    from planscope.tui.themes import load_themes, need_theme

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


def _tell(settings: ScreenSettings, choice: KeyChoice, problems: list[FileProblem]) -> None:
    from planscope.report import hanging, table
    from planscope.tui.keymap import keys_file, shown_key
    from planscope.tui.settings_doc import rows
    from planscope.tui.themes import user_themes_folder

    config, remembered = settings.config, settings.remembered.path
    missing = "" if config.path.exists() else "  (not there; planscope config --example prints one)"
    say(f"Settings    {config.path}{missing}")
    if keys_file().exists():
        say(f"Older keys  {keys_file()}")
    say(f"Themes      {user_themes_folder()}")
    say(f"Remembered  {remembered}")
    say()
    say_all(table([(row.setting.name, row.shown, row.source) for row in rows(settings)], ""))
    if choice:
        say()
        say_all(table([(f"keys.{id}", " ".join(map(shown_key, keys))) for id, keys in choice.items()], ""))
    if problems:
        say()
        for problem in problems:
            say_all(hanging("wrong", str(problem), 7, columns()))


def _document(settings: ScreenSettings, choice: KeyChoice, problems: list[FileProblem]) -> dict[str, object]:
    from planscope.tui.settings_doc import rows
    from planscope.tui.themes import user_themes_folder

    return {
        "file": str(settings.config.path),
        "exists": settings.config.path.exists(),
        "remembered": str(settings.remembered.path),
        "themes": str(user_themes_folder()),
        "settings": [
            {
                "name": row.setting.name,
                "value": sorted(row.value) if isinstance(row.value, frozenset) else row.value,
                "from": row.source,
                "default": sorted(row.setting.default)
                if isinstance(row.setting.default, frozenset)
                else row.setting.default,
                "takes": row.setting.kind.allowed,
                "help": row.setting.help,
            }
            for row in rows(settings)
        ],
        "keys": {id: list(keys) for id, keys in choice.items()},
        "problems": [str(problem) for problem in problems],
    }
