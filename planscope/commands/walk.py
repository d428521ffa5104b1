"""``planscope walk``: the debugger line by line."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress

from planscope.case import find_run, read_variant, variant_shown
from planscope.commands.common import open_session, say_all

ABOUT = (
    "Walk through a run line by line, in plain sentences and with the letters of the debugger's keys: for screen "
    "readers, and wherever panes are in the way. Reads commands from standard input until q or its end."
)
PROMPT = "planscope> "


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "session",
        metavar="SESSION",
        help="a session file, a page or test that carries one, or a session's name",
    )
    parser.add_argument("--run", metavar="ID", help="which run (default: the last)")


def run(args: argparse.Namespace) -> int:
    from planscope.session.model import variant_of
    from planscope.walk.walker import Walker

    session = open_session(args.session)
    chosen = find_run(session, args.run)
    # says what is wrong
    read_variant(variant_of(session, chosen) if chosen is not None else variant_shown(session))
    walker = Walker(session, args.run)
    person = sys.stdin is not None and sys.stdin.isatty()
    if person:
        with suppress(ImportError):
            import readline  # noqa: F401  (arrows and history at the prompt)
    say_all(walker.greeting())
    while not walker.ended:
        try:
            line = input(PROMPT) if person else _line()
        except EOFError:
            break
        say_all(walker.do(line))
    return 0


def _line() -> str:
    line = sys.stdin.readline(10_000) if sys.stdin is not None else ""
    if not line:
        raise EOFError
    return line
