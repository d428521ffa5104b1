"""``planscope open`` and plain ``planscope [FILE]``: the debugger."""

from __future__ import annotations

import argparse
import sys

from planscope.commands.common import session_path
from planscope.errors import UserError

ABOUT = "Open the debugger on a session; without FILE on a bundled one, a run of five actions that fails."


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="a session file, or the name of a bundled session"
    )
    parser.add_argument("--run", metavar="ID", help="which run (default: the last)")
    parser.add_argument("--step", metavar="K", help="the step to begin at: a number, or end")
    parser.add_argument("--theme", metavar="NAME", help="a theme (planscope themes lists them)")


def run(args: argparse.Namespace) -> int:
    from planscope.session.bundled import DEFAULT

    name = DEFAULT if args.file is None else args.file
    path = session_path(name)
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        raise UserError(
            "the debugger needs a terminal; without one there are: "
            f"planscope check {name}, planscope replay {name}, planscope export {name} --format text"
        )
    from planscope.tui.app import run as run_app

    return run_app(path, run=args.run, step=args.step, theme=args.theme)


def _is_terminal(stream: object) -> bool:
    """A closed stream is none."""
    return stream is not None and bool(stream.isatty())  # type: ignore[attr-defined]
