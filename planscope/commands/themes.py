"""``planscope themes``: which themes there are, and what is wrong with one."""

from __future__ import annotations

import argparse

from planscope.commands.common import print_json, say

HELP = "list the themes, your own too, and what is wrong with a theme file"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print themes and problems as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.tui.themes import load_themes, user_themes_folder

    themes, problems = load_themes()
    if args.json:
        print_json(
            {
                "themes": [{"name": name, "dark": theme.dark} for name, theme in themes.items()],
                "problems": [str(problem) for problem in problems],
                "folder": str(user_themes_folder()),
            }
        )
        return 0
    for name, theme in themes.items():
        say(f"{name}  ({'dark' if theme.dark else 'light'})")
    for problem in problems:
        say(f"left out: {problem}")
    say(f"your own themes go into {user_themes_folder()}")
    return 0
