"""``planscope open`` and plain ``planscope [FILE]``: the debugger."""

from __future__ import annotations

import argparse
import sys

from planscope.errors import UserError

HELP = "open the debugger on a session (without FILE on a bundled one with a failing run)"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="a session file, or the name of a bundled one"
    )
    parser.add_argument("--run", metavar="ID", help="which run; the last one by default")
    parser.add_argument("--step", metavar="K", help="the step to begin at (a number, or end)")
    parser.add_argument("--theme", metavar="NAME", help="a theme (see: planscope themes)")


def run(args: argparse.Namespace) -> int:
    from planscope.session.bundled import DEFAULT, resolve

    path = resolve(args.file or DEFAULT)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        name = args.file or DEFAULT
        raise UserError(
            "the debugger needs a terminal; without one use: "
            f"planscope check {name}, planscope replay {name} --json, planscope export {name} --format text"
        )
    from planscope.tui.app import run as run_app

    return run_app(path, run=args.run, step=args.step, theme=args.theme)
