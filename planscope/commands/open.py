"""``planscope open`` and plain ``planscope [FILE]``: the debugger."""

from __future__ import annotations

import argparse
import os
import sys

from planscope.commands.common import STANDARD_INPUT, add_beginning, session_path, standard_input
from planscope.errors import UserError

ABOUT = "Open the debugger on a session; without FILE on a bundled one, a run of five actions that fails."


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a session file, a page or test that carries one, a session's name, or - (standard input)",
    )
    add_beginning(parser)


def run(args: argparse.Namespace) -> int:
    from planscope.session.locations import DEFAULT

    if args.file == "-":
        return _from_standard_input(args)
    name = DEFAULT if args.file is None else args.file
    path = session_path(name)
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        raise UserError(
            "the debugger needs a terminal; without one there are: "
            f"planscope check {name}, planscope replay {name}, planscope export {name} --format text"
        )
    from planscope.tui.launch import run as run_app

    return run_app(path, run=args.run, step=args.step, theme=args.theme)


def _from_standard_input(args: argparse.Namespace) -> int:
    """Open what standard input carries, then take the keys from the terminal itself."""
    from planscope.session.containers import session_json, temporary_file
    from planscope.session.store import loads

    data = session_json(standard_input(), STANDARD_INPUT)
    loads(data, STANDARD_INPUT)  # says in one line what is wrong, while there is no screen yet
    if not _is_terminal(sys.stdout):
        raise UserError(
            "the debugger needs a terminal; without one there are: planscope check -, planscope replay -"
        )
    try:
        keys = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise UserError(
            "the debugger needs a terminal for its keys; save the session to a file first"
        ) from None
    os.dup2(keys, 0)
    os.close(keys)
    from planscope.tui.launch import run as run_app

    with temporary_file(data) as path:
        return run_app(path, run=args.run, step=args.step, theme=args.theme)


def _is_terminal(stream: object) -> bool:
    """A closed stream is none."""
    return stream is not None and bool(stream.isatty())  # type: ignore[attr-defined]
