"""The command line. Nothing of the engine or the screen is imported before a command asks for it."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from planscope import __version__
from planscope.errors import UserError

COMMANDS = (
    "open",
    "new",
    "parse",
    "run",
    "check",
    "replay",
    "repair",
    "export",
    "topics",
    "grammar",
    "schema",
    "themes",
)


class _Parser(argparse.ArgumentParser):
    """Errors are one line and exit with 2."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see: {self.prog} --help)")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="planscope",
        description="A terminal debugger for the plans of LLM agents.",
        epilog="planscope FILE opens the debugger on a session, planscope alone on a bundled one. "
        "planscope COMMAND --help says more.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"planscope {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name in COMMANDS:
        module = importlib.import_module(f"planscope.commands.{name}")
        sub = commands.add_parser(name, help=module.HELP, description=module.HELP, allow_abbrev=False)
        module.add(sub)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status. Errors are one line on standard error."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(args)
    except UserError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        return 0


def _dispatch(args: list[str]) -> int:
    if not args or args[0] not in (*COMMANDS, "-h", "--help", "--version"):
        args = ["open", *args]
    parsed = build_parser().parse_args(args)
    module = importlib.import_module(f"planscope.commands.{parsed.command}")
    status: int = module.run(parsed)
    sys.stdout.flush()
    return status


def _fail(message: str) -> int:
    from planscope.safe import visible

    sys.stderr.write(f"planscope: {visible(' '.join(message.split()))}\n")
    return 2
