"""The command line. A command imports the engine and the screen only when it is called, and only what it needs."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from planscope import __version__
from planscope.commands import COMMANDS, GROUPS, command
from planscope.errors import UserError
from planscope.signals import Interrupts

WIDTH = 80
"""The width limit of a help text, in columns."""

LONGEST_ERROR = 2000
"""The limit for an error's text, in characters."""

WHOLE_TRACEBACK = "PLANSCOPE_TRACEBACK"
"""The environment variable that prints a traceback for a bug in planscope, instead of one line about it."""

USAGE = "planscope [FILE]\n       planscope COMMAND ..."
ABOUT = (
    "A terminal debugger for the plans of LLM agents. Without a command it opens the debugger: on a session file, a "
    "trace, a bundled session by its name, or, without FILE, where you left off (the first time on a bundled run that "
    "fails)."
)
EXAMPLES = (
    ("planscope first-look", "open a run that fails"),
    ("planscope check first-look", "judge it, in words"),
    ("planscope new --seed 13 -o mine.planscope.json", "make a new query"),
)
"""Commands that work as they are printed, each with what it shows."""

CLOSING = (
    "planscope COMMAND --help shows options and an example. An error is one line on standard error, exit status 2. "
    "Ctrl-C gives exit status 130, SIGTERM 143, SIGHUP 129; a terminal that is gone 129, under nohup 143."
)


class _Formatter(argparse.HelpFormatter):
    """Formats help in at most 80 columns: names at the left, explanations beside them. An example keeps its line."""

    def __init__(self, prog: str) -> None:
        import shutil

        super().__init__(prog, max_help_position=26, width=min(shutil.get_terminal_size().columns, WIDTH) - 1)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("example:") else super()._fill_text(text, width, indent)


class _Parser(argparse.ArgumentParser):
    """Prints errors on one line and exits with 2."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see: {self.prog} --help)")

    def print_help(self, file: object = None) -> None:
        """Print to standard output. Unlike argparse, raise UserError if it cannot be written."""
        from planscope.commands.common import emit

        emit(self.format_help())


class _TopParser(_Parser):
    def format_help(self) -> str:
        """Return usage and examples first, then the commands in groups, each with a line about it."""
        wide = max(len(command) for command, _ in EXAMPLES) + 2
        examples = "".join(f"  {command:<{wide}}{about}\n" for command, about in EXAMPLES)
        shape = self._get_formatter()
        shape.add_text(ABOUT)
        for group, names in GROUPS.items():
            shape.start_section(group)
            shape.add_arguments(
                argparse.Action([], dest=name, metavar=name, help=about) for name, about in names.items()
            )
            shape.end_section()
        shape.start_section("options")
        shape.add_arguments(action for action in self._actions if action.option_strings)
        shape.end_section()
        shape.add_text(CLOSING)
        return f"usage: {USAGE}\n\nexamples:\n{examples}\n{shape.format_help()}"


def build_parser(only: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of all commands. Only those in ``only`` get arguments; only their modules are imported."""
    parser = _TopParser(
        prog="planscope", usage=USAGE, allow_abbrev=False, formatter_class=_Formatter, add_help=False
    )
    parser.add_argument("-h", "--help", action="help", help="show this help")
    parser.add_argument("--version", action="store_true", help="show the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name in only:
        one = command(name)
        sub = commands.add_parser(
            name,
            prog=f"planscope {name}",
            description=one.about,
            allow_abbrev=False,
            formatter_class=_Formatter,
            add_help=False,
        )
        sub.add_argument("-h", "--help", action="help", help="show this help")
        one.add(sub)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. An error is one line on standard error."""
    _mend_streams()
    if argv is None:
        gc.set_threshold(
            20_000, 20, 50
        )  # collecting what imports make took a sixth of a short command's time
    interrupts = Interrupts()
    try:
        with interrupts:
            status = _guarded(list(sys.argv[1:] if argv is None else argv), interrupts)
    except KeyboardInterrupt:  # it came before the command began, or after it ended
        status = interrupts.status
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has closed the pipe
        _drop_output()
    except OSError as error:
        _drop_output()
        status = _fail(f"standard output cannot be written: {error.strerror}")
    try:
        sys.stderr.flush()
    except OSError:  # the terminal is gone; Python would fail to flush it once more, and exit with 120
        _drop_output(2)
    return status


def _guarded(args: list[str], interrupts: Interrupts) -> int:
    try:
        return _dispatch(args)
    except SystemExit as left:  # raised by "planscope COMMAND --help"
        return left.code if isinstance(left.code, int) else 0
    except UserError as error:
        return interrupts.status if interrupts.seen else _fail(str(error))
    except KeyboardInterrupt as interrupt:
        if str(interrupt):
            _fail(str(interrupt))
        return interrupts.status
    except BrokenPipeError:
        _drop_output()
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}")
    except Exception as error:
        if interrupts.seen:
            return interrupts.status
        if os.environ.get(WHOLE_TRACEBACK):
            raise
        return _fail(
            f"a bug in planscope: {type(error).__name__}: {error}; please report it "
            f"({WHOLE_TRACEBACK}=1 prints the traceback)"
        )


def _dispatch(args: list[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what it may complete; this does not return
        from planscope.commands.completion import complete

        complete(build_parser)
    first = args[0] if args else ""
    if any("\0" in arg for arg in args):
        raise UserError("an argument contains a null byte; names and files cannot have one")
    if first == "--version":
        from planscope.commands.common import emit

        emit(f"planscope {__version__}\n")
        return 0
    if first in ("-h", "--help"):
        build_parser(()).print_help()
        return 0
    if first not in COMMANDS:
        _look_for_typo(first)
        args = ["open", *args]
    parsed, unknown = build_parser(args[:1]).parse_known_args(args)
    if unknown:
        asked = " ".join(args[: 1 + ("action" in parsed)])  # such as "campaign run"
        raise UserError(f"unrecognized arguments: {' '.join(unknown)} (see: planscope {asked} --help)")
    from planscope.commands.common import check_needs

    check_needs(parsed, args)
    return command(parsed.command).run(parsed) or 0


def _look_for_typo(first: str) -> None:
    """Raise UserError for a word that is probably a misspelled command."""
    from difflib import get_close_matches

    near = get_close_matches(first, COMMANDS, 1, 0.78)
    if near and not os.path.lexists(first):
        raise UserError(f"there is no command {first!r}; did you mean {near[0]}? (see: planscope --help)")


def _mend_streams() -> None:
    """Replace closed standard streams by the null device; escape characters that the encoding lacks."""
    # Opening takes the lowest free descriptor, so a file opened later could become standard output.
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # for the process's life
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _drop_output(stream: int = 1) -> None:
    """The reader closed the pipe, or the terminal is gone; discard what is left."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, stream)
    os.close(devnull)


def _fail(message: str) -> int:
    from planscope.safe import visible
    from planscope.safe.secret_names import without_secrets

    line = visible(" ".join(without_secrets(message).split()), limit=LONGEST_ERROR)
    try:
        sys.stderr.write(f"planscope: {line}\n")
        sys.stderr.flush()
    except OSError:
        pass  # standard error is closed as well
    return 2
