"""Reads TOML files that users write. Problems name the file and the line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from planscope.frozen import frozen
from planscope.safe import visible
from planscope.session.files import size_words

MAX_BYTES = 64 * 1024


@frozen
class FileProblem:
    """A problem in a file: one line, safe to show. ``line`` counts from 1."""

    file: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        place = visible(self.file, limit=120)
        return f"{place}: {self.message}" if self.line is None else f"{place}:{self.line}: {self.message}"


class Unusable(Exception):
    """The file cannot be used at all. ``problem`` says why."""

    def __init__(self, problem: FileProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@frozen
class TomlFile:
    """A parsed TOML file, and its text, in which the lines of keys are found."""

    name: str
    text: str
    table: dict[str, Any]

    def problem(self, message: str, section: str | None = None, key: str | None = None) -> FileProblem:
        """Make a problem at a key of a section, or at the section itself. ``section`` None means the top level."""
        return FileProblem(self.name, message, self.line(section, key))

    def line(self, section: str | None, key: str | None = None) -> int | None:
        """Return the line of a key or a section, or None. ``section`` may be a dotted path."""
        wanted = [*(_path(section) if section else ()), *([key] if key is not None else ())]
        if not wanted:
            return None
        here: list[str] = []
        nearest: tuple[int, int] | None = None
        for number, line in enumerate(self.text.splitlines(), 1):
            if match := _HEADER.match(line):
                here = _path(match[1])
                full = here
            elif match := _KEY.match(line):
                full = [*here, *_path(match[1])]
            else:
                continue
            if full[: len(wanted)] == wanted:
                return number
            if full == wanted[: len(full)] and (nearest is None or len(full) > nearest[0]):
                nearest = len(full), number  # an inline table, or a section that lacks the key
        return nearest[1] if nearest else None


def hint(value: object, names: Iterable[str]) -> str:
    """Suggest the name that is most similar to ``value``; "" if none is similar."""
    from difflib import get_close_matches

    near = get_close_matches(value[:60], list(names), n=1) if isinstance(value, str) else []
    return f"; nearest: '{near[0]}'" if near else ""


def nearest(name: str, names: Iterable[str]) -> str:
    """Quote an unknown name and suggest the most similar known name."""
    return f"'{visible(name, limit=60)}'{hint(name, names)}"


_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)|\s*\(at end of document\)")


def _path(text: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(text)]


def read_toml(path: Path) -> TomlFile:
    """Read one file. Raises ``Unusable`` if it is not a file, too large, not UTF-8 or not TOML."""
    name = path.name
    try:
        if not path.is_file():
            raise Unusable(FileProblem(name, "is not a file"))
        with path.open("rb") as file:
            data: bytes = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Unusable(FileProblem(name, f"cannot be read: {error.strerror or 'unknown reason'}")) from None
    if len(data) > MAX_BYTES:
        raise Unusable(FileProblem(name, f"is larger than {size_words(MAX_BYTES)}"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unusable(FileProblem(name, "is not UTF-8 text", line)) from None
    try:
        return TomlFile(name, text, tomllib.loads(text))
    except RecursionError:
        raise Unusable(FileProblem(name, "is nested too deeply")) from None
    except ValueError as error:
        raise Unusable(_toml_problem(name, text, str(error))) from None


def _toml_problem(name: str, text: str, message: str) -> FileProblem:
    match = _AT_LINE.search(message)
    line = None
    if match:
        line = int(match[1]) if match[1] else text.count("\n") + 1
    return FileProblem(name, f"is not TOML: {visible(_AT_LINE.sub('', message), limit=120)}", line)
