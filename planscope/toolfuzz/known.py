"""What is known to exist before a search: examples of the user, a folder of theirs, answers of tools that read."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

from planscope.toolfuzz.accepts import fitting, mismatch, properties, required
from planscope.toolfuzz.outcome import Call
from planscope.toolfuzz.programs import Stage
from planscope.toolfuzz.stateful import MOST_OF_AN_ANSWER, Role, named, told_by, words_of
from planscope.toolfuzz.tools import Tool

MOST_OF_A_NAME = 40
MOST_READERS = 30
MOST_FILES = 200
LARGEST_FILE = 2**20
_PATH = re.compile(r"path|file|dir|folder|repo|root|source|destination|database|db", re.IGNORECASE)
_GIT = ("branch", "revision", "commit", "ref", "target")
_DATABASE = b"SQLite format 3\0"


class Known:
    """Values by the name of an argument, or of the thing that they name: a branch, a table."""

    def __init__(self, examples: Iterable[Call] = (), folder: Path | None = None, shown: str = "") -> None:
        self.examples = list(examples)
        self._named: dict[str, list[object]] = {}
        for one in self.examples:
            for name, value in one["arguments"].items():
                self._take(name, value)
        if folder is not None:
            self._read_folder(folder, shown)

    def _take(self, name: str, value: object) -> None:
        kept = self._named.setdefault(name.lower(), [])
        if value not in kept and len(kept) < MOST_OF_A_NAME:
            kept.append(value)

    def _read_folder(self, folder: Path, shown: str) -> None:
        """Take what a folder has: paths, branches of git, tables of SQLite, and what JSON files name."""
        paths = sorted(one for one in islice(folder.rglob("*"), 20 * MOST_FILES) if ".git" not in one.parts)
        names = [one.relative_to(folder).as_posix() for one in paths[:MOST_FILES]]
        for value in (shown, *(f"{shown}/{name}" for name in names[:8]), *names[:8]):
            self._take("path", value)
        for ref in sorted((folder / ".git" / "refs" / "heads").glob("*")):
            commit = ref.read_text(errors="replace").strip() if ref.is_file() else "HEAD~1"
            for name in _GIT:
                for value in ("HEAD", ref.name, commit):
                    self._take(name, value)
        for path in paths[:MOST_FILES]:
            if path.is_file() and not path.is_symlink():
                self._read_file(path)

    def _read_file(self, path: Path) -> None:
        with suppress(OSError, ValueError, RecursionError, sqlite3.Error), path.open("rb") as stream:
            data = stream.read(LARGEST_FILE)
            if data.startswith(_DATABASE):
                with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as database:
                    for (table,) in database.execute(
                        "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 20"
                    ):
                        asked = f"SELECT * FROM {table}"
                        for thing, told in (("table", table), ("query", asked), ("sql", asked)):
                            self._take(thing, told)
            elif path.suffix == ".json" and len(data) < LARGEST_FILE:
                for name, value in islice(named(json.loads(data)), MOST_OF_AN_ANSWER):
                    if name is not None and isinstance(value, str | int | float):
                        self._take(name, value)

    def of_tool(self, tool: Tool) -> tuple[list[dict[str, object]], dict[str, list[object]]]:
        """Return examples of a tool's whole arguments, and values for its arguments by name, all as the schema says."""
        whole = [one["arguments"] for one in self.examples if one["tool"] in ("", tool.name)]
        found: dict[str, list[object]] = {}
        for name, schema in properties(tool.schema).items():
            if good := fitting(self._values(name), schema, tool.schema):
                found[name] = good
        return [one for one in whole if mismatch(one, tool.schema) is None], found

    def _values(self, name: str) -> Iterator[object]:
        """Yield values for an argument: of its name, of things that its name names, and paths."""
        yield from self._named.get(name.lower(), ())
        for word in words_of(name):
            yield from self._named.get(word, ())
        if _PATH.search(name):
            yield from self._named.get("path", ())

    def ask(self, stage: Stage, roles: Mapping[str, Role]) -> None:
        """Call the tools that only read, and learn from what they answer: twice, as one may tell what another needs."""
        asked: list[Call] = []
        readers = [name for name, role in roles.items() if role.what in ("look", "read")][:MOST_READERS]
        for _ in range(2):
            calls = []
            for name in readers:
                tool = stage.tools[name]
                _, values = self.of_tool(tool)
                needed = required(tool.schema)
                if all(one in values for one in needed):
                    calls.append(Call(tool=name, arguments={one: values[one][0] for one in needed}))
            calls = [one for one in calls if one not in asked]
            asked += calls
            for made in stage.play(calls) if calls else ():
                for argument, value in told_by(made, roles):
                    self._take(argument, value)
