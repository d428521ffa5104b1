"""What several commands need: sessions and runs by name, output that is safe to print, files to write, numbers."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.documents.json_text import json_text
from planscope.errors import UserError
from planscope.safe import visible

if TYPE_CHECKING:
    from planscope.documents.document import Document
    from planscope.session.model import Session

LARGEST_TEXT = 1_000_000
"""Code points of a request that is read from a file or standard input."""

MOST_BYTES = 4 * LARGEST_TEXT
LARGEST_NUMBER = 2**63 - 1
STANDARD_INPUT = "standard input"
QUOTED = 60
"""Characters of an argument in an error."""


def emit(text: str) -> None:
    """Text as it is to standard output. BrokenPipeError where nobody reads, UserError where it cannot be written."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(f"standard output cannot be written: {error.strerror or error}") from None


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document; everything that is not ASCII is escaped, so that nothing reaches the terminal raw."""
    emit(json_text(document, indent=2) + "\n")


def print_json_stream(document: Document) -> None:
    """As :func:`print_json`; what an iterator gives is printed one a line and never kept."""
    for piece in document.as_pieces():
        emit(piece)
    emit("\n")


def print_json_line(document: Mapping[str, Any]) -> None:
    """One JSON document on a line of its own."""
    emit(json_text(document) + "\n")


def say(line: str = "") -> None:
    """A line for a person; what could steer the terminal, or look like another line, is made visible."""
    emit(visible(line) + "\n")


def say_all(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def columns() -> int:
    """How wide text for a person may be."""
    import shutil

    return max(20, min(shutil.get_terminal_size().columns, 100))


def output_file(name: str) -> Path:
    """Where to write, looked at before any work is done. Raises UserError for a place that cannot be written.

    The file that a link leads to is written, not the link; a device or a pipe is none that a file could replace.
    """
    if name in ("", "-"):
        raise UserError(f"-o takes the name of a file, not {name!r}")
    from planscope.session.files import writable_target

    return writable_target(Path(name))


def write_or_print(text: str, output: Path | None) -> None:
    """To a file where one is named, else to standard output."""
    if output is None:
        emit(text)
        return
    from planscope.session.files import write_atomic

    write_atomic(output, text.encode("utf-8", "replace"))


def read_text(source: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    name = "standard input" if source == "-" else source
    if not name:
        raise UserError("the name of the file is empty; use - to read from standard input")
    try:
        if source == "-":
            if sys.stdin is None:
                raise UserError("standard input is closed; name a file")
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            from planscope.commands.pipes import read

            data = read(source, MOST_BYTES + 1)
        text = "" if len(data) > MOST_BYTES else data.decode("utf-8-sig")
    except IsADirectoryError:
        raise UserError(f"{name} is a directory; name a text file") from None
    except FileNotFoundError:
        raise UserError(f"there is no file {name}; use - to read from standard input") from None
    except PermissionError:
        raise UserError(f"{name} may not be read; change its permissions (chmod u+r)") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{name} is not UTF-8 text (byte {error.start}); is it a text file?") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{name[:200]} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MOST_BYTES or len(text) > LARGEST_TEXT:
        raise UserError(f"{name} is longer than {LARGEST_TEXT:,} characters; no request is that long")
    return text


def is_text(argument: str) -> bool:
    """Whether an argument was readable: Python keeps bytes that are not UTF-8 as halves of surrogate pairs."""
    return not any("\ud800" <= c <= "\udfff" for c in argument)


def quoted(argument: str) -> str:
    """An argument for an error, cut where it is long."""
    return repr(argument if len(argument) <= QUOTED else f"{argument[:QUOTED]}...")


def whole(low: int, high: int = LARGEST_NUMBER) -> Callable[[str], int]:
    """An argument's type: a whole number in digits, from ``low`` to ``high``."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
            raise argparse.ArgumentTypeError(f"{quoted(text)} is not a whole number")
        value = int(text) if len(text) <= 40 else None
        if value is None or not low <= value <= high:
            limits = f"{low} or more" if value is not None and value < low else f"from {low} to {high}"
            raise argparse.ArgumentTypeError(
                f"{text[:QUOTED]} is out of range, it takes a whole number {limits}"
            )
        return value

    return read


def share(text: str) -> float:
    """An argument's type: a number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a share, a number from 0 to 1")
    return value


def check_topic(topic: str, topics: dict[str, tuple[str, ...]]) -> None:
    """Raise UserError with the nearest names where there is no such topic."""
    if topic in topics:
        return
    from difflib import get_close_matches

    near = get_close_matches(topic[:100], topics, 3)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise UserError(f"there is no topic {quoted(topic)}{hint} (planscope topics lists them)")


def add_run_choice(parser: argparse.ArgumentParser) -> None:
    """Arguments that name a session and one of its runs."""
    parser.add_argument(
        "session",
        metavar="SESSION",
        help="a session file, a page or test that carries one, a session's name, or - (stdin)",
    )
    parser.add_argument("--run", metavar="ID", help="which run (default: the last)")


def add_beginning(parser: argparse.ArgumentParser) -> None:
    """Where the debugger begins, and how it looks."""
    parser.add_argument("--run", metavar="ID", help="which run (default: the last)")
    parser.add_argument("--step", metavar="K", help="the step to begin at: a number, or end")
    parser.add_argument("--theme", metavar="NAME", help="a theme (planscope themes lists them)")


def session_path(name: str) -> Path:
    """The file of that path, or of that name among the bundled sessions and those of the library."""
    from planscope.session.locations import resolve

    if not name:
        raise UserError("the name of the session is empty; name a file, or a bundled session")
    if name == "-":
        raise UserError("this command goes back to its session, so standard input will not do; name a file")
    try:
        return resolve(name)
    except OSError as error:
        raise UserError(f"{name[:200]} cannot be read: {error.strerror or error}") from None


def open_session(name: str) -> Session:
    """The session of that path or name; of what standard input carries for ``-``."""
    from planscope.session.store import load, loads

    if name == "-":
        return loads(standard_input(), STANDARD_INPUT)
    return load(session_path(name))


def standard_input() -> bytes:
    """All that comes through standard input, unpacked where it is gzip. Raises UserError."""
    from planscope.session.containers import read_stream

    if sys.stdin is None:
        raise UserError("standard input is closed; name a file")
    return read_stream(sys.stdin.buffer, STANDARD_INPUT)
