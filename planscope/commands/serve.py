"""``planscope serve``: the debugger in a browser on this machine."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from planscope.commands.common import add_beginning, say, session_path, whole
from planscope.errors import UserError
from planscope.signals import status_of

ABOUT = (
    "Open the debugger in a browser on this machine: the address is printed, Ctrl-C ends it. Only this machine can "
    "reach it, but every program and every user of this machine can. Each page that is opened has a process of its "
    "own. Needs the package textual-serve."
)
PORT = 8000


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "session",
        metavar="SESSION",
        nargs="?",
        help="a session file, or a session's name (default: as for open)",
    )
    add_beginning(parser)
    parser.add_argument(
        "--port",
        metavar="N",
        type=whole(0, 65535),
        default=PORT,
        help=f"the port to listen on; 0 is any that is free (default: {PORT})",
    )


def run(args: argparse.Namespace) -> int:
    from importlib.util import find_spec

    from planscope.session.locations import DEFAULT
    from planscope.session.store import load

    name = DEFAULT if args.session is None else args.session
    path = session_path(name)
    if find_spec("textual_serve") is None:
        raise UserError("serving needs the package textual-serve: pip install 'planscope[serve]'")
    session = load(path)  # says in one line what is wrong, while there is no page yet
    _check(path, args)
    from planscope.tui.web.server import command_line, serve

    def ready(address: str) -> None:
        say(f"planscope is at {address} (Ctrl-C ends it)")
        sys.stdout.flush()

    command = command_line(path, run=args.run, step=args.step, theme=args.theme)
    return status_of(serve(command, session.title or path.name, args.port, ready))


def _check(path: Path, args: argparse.Namespace) -> None:
    """Raise ``UserError`` for what is not there: a visitor could only be told of it in the page."""
    from planscope.tui.app import check_run, check_step
    from planscope.tui.opening.summary import summary_of
    from planscope.tui.style.themes import load_themes, need_theme

    check_run(summary_of(path).run_ids, args.run)
    if args.step is not None:
        check_step(path, args.run, args.step)
    if args.theme is not None:
        need_theme(args.theme, [theme.name for theme in load_themes()[0]])
