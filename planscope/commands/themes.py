"""``planscope themes``: which themes there are, and what is wrong with one."""

from __future__ import annotations

import argparse

from planscope.commands.common import print_json, say, say_all

ABOUT = "List the themes of the debugger, your own too, and what is wrong with a theme file."


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print themes and problems as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.report import table
    from planscope.tui.style.themes import load_themes, user_themes_folder

    themes, problems = load_themes()
    if args.json:
        from planscope.documents.listings import ThemesDocument

        said = [str(problem) for problem in problems]
        found = {"themes": themes, "problems": said, "folder": str(user_themes_folder())}
        print_json(ThemesDocument.model_validate(found).as_data())
        return 0
    say_all(table([(theme.name, "dark" if theme.dark else "light") for theme in themes], ""))
    for problem in problems:
        say(f"left out: {problem}")
    say()
    say(f"Your own themes go into {user_themes_folder()}")
    return 0
