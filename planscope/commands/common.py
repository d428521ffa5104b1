"""Helpers that the commands share: sessions and runs by name, input with limits, output that is safe to print."""

from __future__ import annotations

import math
import os
import re
import sys
from argparse import ArgumentTypeError, Namespace, _ActionsContainer
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from planscope.errors import UserError
from planscope.json_text import json_text
from planscope.safe import visible

if TYPE_CHECKING:
    from planscope.document import Document
    from planscope.session.model import Session
    from planscope.show.blocks import Block

_Told = TypeVar("_Told", bound="Document")

LARGEST_TEXT = 1_000_000
"""The limit for a query, rules or another text from a file or standard input, in code points."""

MOST_BYTES = 4 * LARGEST_TEXT
LARGEST_NUMBER = 2**63 - 1
STANDARD_INPUT = "standard input"
QUOTED = 60
"""An error repeats this many characters of an argument."""


def emit(text: str) -> None:
    """Write text unchanged to standard output.

    Raises BrokenPipeError if the reader closed the pipe, UserError if writing fails.
    """
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"standard output cannot be written: {error.strerror or error}") from None


def print_json(document: Document) -> None:
    """Print one JSON document. All but ASCII is escaped, so that nothing can steer the terminal."""
    emit(json_text(document.as_data(), indent=2) + "\n")


def print_json_stream(document: Document) -> None:
    """Print a large JSON document piece by piece, without holding all of it in memory."""
    for piece in document.as_pieces():
        emit(piece)
    emit("\n")


def print_json_line(document: Document) -> None:
    """Print one JSON document on one line."""
    emit(json_text(document.as_data()) + "\n")


def say(line: str = "") -> None:
    """Print a line of text. Control characters and line breaks in it are made visible."""
    emit(visible(line) + "\n")


def say_all(lines: Iterable[str]) -> None:
    """Print each line with :func:`say`."""
    for line in lines:
        say(line)


def complain(lines: Iterable[str]) -> None:
    """Print a line on standard error for each thing that was wrong, besides what ends the command."""
    for line in lines:
        sys.stderr.write(f"planscope: {visible(line, limit=1_000)}\n")


def tell(blocks: Iterable[Block]) -> None:
    """Print blocks as text, as wide as the terminal."""
    from planscope.show.text import lines

    for line in lines(blocks, columns()):
        emit(line + "\n")


def answer(
    args: Namespace,
    document: _Told | Callable[[], Document],
    view: str | Iterable[Block] | Callable[[_Told], Iterable[Block]],
    *,
    quiet: bool = False,
) -> None:
    """Print a document: as JSON with ``--json``, else as its view, or the sentence or blocks in its place.

    A function makes a document for JSON alone. ``quiet``: whatever happens to the output, what was
    done is done, so that a reader who left is no error.
    """
    with suppress(BrokenPipeError) if quiet else nullcontext():
        if args.json:
            print_json(document() if callable(document) else document)
        elif isinstance(view, str):
            say(view)
        elif callable(view):
            assert not callable(document)
            tell(view(document))
        else:
            tell(view)


def columns() -> int:
    """Return the width of text in columns: that of the terminal, from 20 to 100."""
    import shutil

    return max(20, min(shutil.get_terminal_size().columns, 100))


def output_file(name: str) -> Path:
    """Return the path to write. It is checked before any work begins: UserError says why it cannot be written.

    A link is followed. A device or a pipe is refused, because a file cannot replace it.
    """
    if name in ("", "-"):
        raise UserError(f"-o needs the name of a file, not {name!r}")
    from planscope.session.files import writable_target

    return writable_target(Path(name))


def output_of(args: Namespace) -> Path | None:
    """Return the file to write, if -o names one."""
    return None if args.output is None else output_file(args.output)


def has_terminal() -> bool:
    """Return whether keys can be read and a screen can be shown. A closed stream is None."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def write_or_print(text: str, output: Path | None) -> None:
    """Write text to a file if one is named, else to standard output."""
    if output is None:
        emit(text)
        return
    from planscope.session.files import write_atomic

    write_atomic(output, text.encode("utf-8", "replace"))


def read_text(source: str) -> str:
    """Return the text of a file, or of standard input for ``-``. Raises UserError."""
    name = "standard input" if source == "-" else source
    if not name:
        raise UserError("the file name is empty; name a file, or use - for standard input")
    try:
        if source == "-":
            if sys.stdin is None:
                raise UserError("standard input is closed; name a file")
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            data = read_bytes_of(source, MOST_BYTES + 1)
        text = "" if len(data) > MOST_BYTES else data.decode("utf-8-sig")
    except IsADirectoryError:
        raise UserError(f"{name} is a directory; name a text file") from None
    except FileNotFoundError:
        raise UserError(f"there is no file {name}; name another one, or use - for standard input") from None
    except PermissionError:
        raise UserError(f"{name} cannot be read: permission denied; change it with chmod u+r") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is not UTF-8 text (byte {error.start}); name a text file") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{name[:200]} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MOST_BYTES or len(text) > LARGEST_TEXT:
        raise UserError(
            f"{name} is longer than {LARGEST_TEXT:,} characters, which is the limit for a text; shorten it"
        )
    return text


def is_text(argument: str) -> bool:
    """Return whether an argument is text. Python keeps bytes that are not UTF-8 as lone surrogates."""
    return not any("\ud800" <= c <= "\udfff" for c in argument)


def names_of(argument: str) -> list[str]:
    """Return the names in ``--actions "a, b"``. Raises UserError if one is empty."""
    names = [name.strip() for name in argument.split(",")]
    if not is_text(argument):
        raise UserError("--actions is not UTF-8 text")
    if not all(names):
        raise UserError('--actions needs names with commas between them, as in --actions "a, b, c"')
    return names


def named_or_found(text: str, given: Sequence[str] | None, *, timed: bool, more: bool) -> Sequence[str]:
    """Return the names that were given, with those that the text names besides if ``more``; without any, those found.

    Raises UserError if the names of a text are not certain.
    """
    from planscope.language.find_actions import find_actions, new_names
    from planscope.language.problem import make_actions

    if given is None:
        return find_actions(text, timed=timed)
    if more and new_names(text, make_actions(given)):
        return find_actions(text, given, timed=timed)
    return given


def more_names_help(text: str, given: Sequence[str], *, timed: bool) -> str:
    """Return what to add to an error of a text, if it could be read with the actions that it names besides."""
    from planscope.language.find_actions import find_actions

    try:
        more = [name for name in find_actions(text, given, timed=timed) if name not in given]
    except UserError:
        return ""
    return f"; --new-actions adds {', '.join(more)}" if more else ""


def quoted(argument: str) -> str:
    """Return an argument for an error, shortened if it is long."""
    return repr(argument if len(argument) <= QUOTED else f"{argument[:QUOTED]}...")


def whole(low: int, high: int = LARGEST_NUMBER) -> Callable[[str], int]:
    """Argument type: a whole number in digits, from ``low`` to ``high``."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
            raise ArgumentTypeError(f"{quoted(text)} is not a whole number")
        value = int(text) if len(text) <= 40 else None
        if value is None or not low <= value <= high:
            limits = f"{low} or more" if value is not None and value < low else f"from {low} to {high}"
            raise ArgumentTypeError(f"{text[:QUOTED]} is out of range; give a whole number {limits}")
        return value

    return read


def also(words: Mapping[str, str]) -> Callable[[str], str]:
    """Argument type: a value, or the plain word for it in ``words``; case, hyphens and blanks do not matter."""
    return lambda text: words.get(" ".join(text.lower().replace("-", " ").split()), text)


def error_type(text: str) -> str:
    """Argument type: a type of error, in plain words or as in JSON."""
    from planscope.oracle.verdict_types import ERROR_TYPES
    from planscope.wording.terms import error_type_of

    wanted = error_type_of(text)
    if wanted is None:
        raise ArgumentTypeError(
            f"{quoted(text)} is not a type of error; the types are {', '.join(ERROR_TYPES)}"
        )
    return wanted


def number(most: float, named: str, *, positive: bool = False) -> Callable[[str], float]:
    """Argument type: a number from 0 to ``most``, as errors say with ``named``. ``positive``: 0 is none."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value <= most or (positive and not value):
            raise ArgumentTypeError(f"{quoted(text)} is not {named}")
        return value

    return read


share = number(1, "a number from 0 to 1")
amount = number(1_000_000, "a number from 0 to a million")


def price(text: str) -> tuple[float, float]:
    """Argument type: two prices with a comma between them."""
    parts = text.split(",")
    if len(parts) != 2:
        raise ArgumentTypeError(f"{quoted(text)} is not a price; write IN,OUT, such as 2.5,10")
    return amount(parts[0]), amount(parts[1])


def given_for(kind: type[Any], args: Namespace) -> dict[str, Any]:
    """Return the options that were given, as far as a dataclass has fields with their names."""
    found = {field.name: getattr(args, field.name, None) for field in fields(kind)}
    return {
        name: tuple(one) if isinstance(one, list) else one for name, one in found.items() if one is not None
    }


def check_topic(topic: str, topics: dict[str, tuple[str, ...]]) -> None:
    """Raise UserError with similar names if there is no such topic."""
    if topic in topics:
        return
    from difflib import get_close_matches

    near = get_close_matches(topic[:100], topics, 3)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise UserError(f"there is no topic {quoted(topic)}{hint} (planscope topics lists all)")


SESSION = ("session SESSION", "a session: its name or its file")
OUTPUT = ("-o FILE", "write to this file (default: SESSION itself)")
BASE_URL = ("--base-url URL", "a server with the provider's protocol")


RUN = ("--run ID", "which run, by its id or number (default: the last)")
RUN_CHOICE = (
    ("session SESSION", "a session: its name, its file, an exported page or test, or - (standard input)"),
    RUN,
)
BEGINNING = (
    RUN,
    ("--step K", "the step to open at: a number, or end"),
    ("--theme NAME", "the theme (planscope themes lists all)"),
)
"""The run, the step and the theme that the debugger opens with."""


def declare(parser: _ActionsContainer, *rows: tuple[Any, ...]) -> None:
    """Declare arguments and options, a row each: what is typed, help, and perhaps a type (or a tuple of values, or what
    else argparse is to know, by name) and a default.

    What is typed is a name (or several, with commas) and, unless it is a switch, the name of its value: ``--count N``,
    ``session SESSION``. Behind it, ``?``, ``*`` and ``+`` say how many values there are, ``...`` that an option may be
    repeated, ``!`` that it must be given. A tuple of rows has options that exclude each other. An option whose help
    begins with ``with --times:`` is refused without that one (:func:`check_needs`).
    """
    needs: dict[str, str] = parser.get_default("needs") or {}
    parser.set_defaults(needs=needs)
    for row in rows:
        if isinstance(row[0], tuple):
            declare(parser.add_mutually_exclusive_group(), *row)
            continue
        typed, about, *more = row
        names, _, value = typed.partition(" ")
        metavar = value.rstrip("?*+.!")
        many, kind = value[len(metavar) :].rstrip("!"), more[0] if more else None
        given: dict[str, Any] = {"metavar": metavar} if metavar else {}
        if not metavar and kind is None:
            given["action"] = "store_true"
        if many:
            given |= {"action": "append"} if many == "..." else {"nargs": many}
        if value.endswith("!"):
            given["required"] = True
        if names == "-o":
            given["dest"] = "output"
        if about.startswith("with -"):
            needs[names] = about.partition(":")[0].removeprefix("with ")
        if isinstance(kind, dict):
            given |= kind
        elif kind is not None:
            given["choices" if isinstance(kind, tuple) else "type"] = kind
        if more[1:]:
            given["default"] = more[1]
        parser.add_argument(*names.split(","), help=about, **given)


def check_needs(args: Namespace, typed: Sequence[str]) -> None:
    """Raise UserError for an option that has no effect without another one."""
    given = {one.partition("=")[0] if one.startswith("--") else one[:2] for one in typed}
    for option, needed in getattr(args, "needs", {}).items():
        if option in given and needed not in given:
            raise UserError(f"{option} needs {needed}; add it, or leave {option} out")


def leave_out(args: Namespace, names: Iterable[str], why: str) -> None:
    """Raise UserError, which says why, if one of these options was given."""
    for name in names:
        given = getattr(args, name.replace("-", "_"))
        if not (given is None or given is False):  # 0 is given
            raise UserError(f"--{name.replace('_', '-')} {why}")


def session_path(name: str) -> Path:
    """Return the file of a session that is given by path, or by name in the library or among the bundled sessions."""
    from planscope.session.locations import resolve

    if not name:
        raise UserError(
            "the session's name is empty; name a file or a session (planscope sessions lists them)"
        )
    if name == "-":
        raise UserError("this command needs a session in a file, not standard input; name a file")
    try:
        return resolve(name)
    except OSError as error:
        raise UserError(f"{name[:200]} cannot be read: {error.strerror or error}") from None


def open_session(name: str) -> Session:
    """Read the session of that path or name, or from standard input for ``-``."""
    from planscope.session.store import load, loads

    if name == "-":
        return loads(standard_input(), STANDARD_INPUT)
    return load(session_path(name))


@contextmanager
def changing(name: str) -> Iterator[Session]:
    """Yield a session, and save what was changed in it. Raises UserError if that cannot be."""
    from planscope.session.files import fingerprint_of
    from planscope.session.locations import is_bundled
    from planscope.session.store import load, save
    from planscope.session.writer import check_nobody_writes

    path = session_path(name)
    if is_bundled(path):
        raise UserError(f"bundled sessions are read-only; copy it first: planscope sessions copy {name}")
    check_nobody_writes(path)
    stamp = fingerprint_of(path)
    session = load(path)
    yield session
    save(session, path, unless_changed=stamp)


def standard_input() -> bytes:
    """Return all bytes of standard input, unpacked if they are gzip. Raises UserError."""
    from planscope.session.containers import read_stream

    if sys.stdin is None:
        raise UserError("standard input is closed; name a file")
    return read_stream(sys.stdin.buffer, STANDARD_INPUT)


PIPE_WAIT = 3.0
"""Seconds to wait for a writer to open the other end of a named pipe."""


def read_bytes_of(name: str, most: int) -> bytes:
    """Return the first ``most`` bytes of a file or a named pipe.

    Raises UserError for a pipe without a writer, and the OSErrors of ``open``.
    """
    import stat

    handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        begun = _begun(handle, name) if stat.S_ISFIFO(os.fstat(handle).st_mode) else b""
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(handle, True)
        return begun + file.read(most - len(begun))


def _begun(handle: int, name: str) -> bytes:
    """Wait until the pipe has data or a writer, and return the byte that was read to find out."""
    import select

    if select.select([handle], [], [], PIPE_WAIT)[0]:
        return b""
    try:
        found = os.read(handle, 1)
    except BlockingIOError:  # a writer has the pipe open but has not written yet
        return b""
    if not found:
        raise UserError(f"{name} is a pipe without a writer; name a file, or use - for standard input")
    return found


class ProgressLine:
    """A progress line on standard error. Each text replaces the one before. Nothing is written if it is no terminal."""

    def __init__(self) -> None:
        self._seen = sys.stderr.isatty()
        self._width = 0

    def show(self, text: str) -> None:
        """Replace the line with this text."""
        if self._seen:
            self._write(text.ljust(self._width))
            self._width = len(text)

    def clear(self) -> None:
        """Remove the line."""
        if self._width:
            self._write(" " * self._width + "\r")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text)
        sys.stderr.flush()
