"""What exists where a tool looks an argument up: keys of a dictionary or set, columns of a database of sqlite3, and
names of files.

A look-up by hash compares with nothing that taint could see. So when a tainted value is hashed, the expression that is
under way in the caller's frame is read: ``orders[order_id]``, ``order_id in self.orders``, ``orders.get(order_id)``.
What it looks into is found without running code of the tool. A database tells its statements with all values in them.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from functools import cache, partial
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from planscope.toolfuzz.nodes import Knowledge, Node

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_KEYS = 32
"""Keys that are learned of one container, and values of one column."""

LARGEST = 100_000
_ASKS = frozenset(("get", "pop", "setdefault", "index", "remove", "discard", "add"))
_SEEN: set[tuple[int, int]] = set()


def look_up(node: Node, inner: FrameType | None) -> None:
    """Learn some keys of what the expression under way looks a value into. ``inner``: the frame that hashes it."""
    frame = inner.f_back if inner is not None else None
    if frame is None or (0, 0) in _SEEN:
        return
    _SEEN.add((0, 0))  # what follows hashes, too
    try:
        asked = _asked(frame.f_code, frame.f_lasti)
        found = None if asked is None else _value(asked, frame)
        if isinstance(found, dict | set | frozenset) and (id(node), id(found)) not in _SEEN:
            _SEEN.add((id(node), id(found)))
            for one in some(found):
                node.learn("eq", one)
    finally:
        _SEEN.discard((0, 0))


def some(several: Iterable[object]) -> list[str | int]:
    """Return some keys, from the whole of a container."""
    keys = [one for one in islice(several, LARGEST) if isinstance(one, str | int)]
    return keys[:: max(1, len(keys) // MOST_KEYS)][:MOST_KEYS]


@cache
def _asked(code: CodeType, at: int) -> ast.expr | None:
    """Return the expression for what an instruction looks into, None if it does not look anything up."""
    first, last, start, end = next(islice(code.co_positions(), at // 2, None), (None,) * 4)
    if first is None or last is None:
        return None
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        one = ast.parse(f"({b''.join(lines).decode('utf-8', 'replace')})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return None
    match one:
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[inside]):
            return inside
        case ast.Subscript(value=inside):
            return inside
        case ast.Call(func=ast.Attribute(value=inside, attr=name)) if name in _ASKS:
            return inside
    return None


def _value(one: ast.expr, frame: FrameType) -> object:
    """Return the value of an expression in a frame, None where finding it would run code of the tool."""
    match one:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return frame.f_locals.get(name, frame.f_globals.get(name))
        case ast.Attribute(value=inside, attr=name):
            found = inspect.getattr_static(_value(inside, frame), name, None)
            return None if hasattr(type(found), "__get__") else found
        case ast.Subscript(value=inside, slice=key):
            holder, place = _value(inside, frame), _value(key, frame)
            with suppress(Exception):  # a key that is not there, or breaks when it is compared
                return holder[place] if type(holder) in (dict, list, tuple) else None  # type: ignore[index]
        case ast.Call(func=ast.Attribute(value=inside, attr="keys" | "items")):
            return _value(inside, frame)
        case ast.Call(func=ast.Name(id="set" | "dict" | "frozenset"), args=[inside]):
            return _value(inside, frame)
    return None


# --- databases ---

_EARLY: list[Connection] = []
_COMPARED = re.compile(
    r"""["`\[]?(\w+)["`\]]?\s*(?:=|<>|!=|<=?|>=?|\bIS\b|\bLIKE\b|\bIN\s*\()\s*('(?:[^']|'')*'|-?\d+)""",
    re.IGNORECASE,
)
_TABLE = re.compile(r"""\b(?:FROM|JOIN|INTO|UPDATE)\s+["`\[]?(\w+)""", re.IGNORECASE)
_listens = False


def hear_of_databases() -> None:
    """Note the connections of sqlite3 that are made while a tool is imported. It cannot be undone."""

    def opened(event: str, given: tuple[object, ...]) -> None:
        if event == "sqlite3.connect/handle" and not _listens:
            _EARLY.append(given[0])  # type: ignore[arg-type]

    sys.addaudithook(opened)


class Stores:
    """Learns from the statements that a tool's connections run, and from the paths that it opens and looks for.
    ``current``: the arguments of the call under way.

    A connection to a file is not kept: a tool may open one in each call, and may want the file for itself afterwards.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self.current: Mapping[str, str] = {}
        self._heard: list[tuple[Connection | str, str]] = []
        self._new: list[Connection | str] = []
        self._known: set[str] = set()
        self._paths: list[str] = []

    def listen(self) -> None:
        """Listen to the connections that are open, to those that will be made in this process, and to paths."""
        global _listens
        import sqlite3

        self._connect = plain = sqlite3.connect
        _listens = True

        def connect(*given: Any, **named: Any) -> Connection:
            made: Connection = plain(*given, **named)
            self._trace(made)
            return made

        sqlite3.connect = sqlite3.dbapi2.connect = connect  # type: ignore[assignment]
        look = os.stat

        def stat(path: Any, *given: Any, **named: Any) -> os.stat_result:
            self._named(path)
            return look(path, *given, **named)

        os.stat = stat
        sys.addaudithook(lambda event, given: self._named(given[0]) if event == "open" else None)
        for one in _EARLY:
            self._trace(one)
        self.learn()

    def _named(self, path: object) -> None:
        if self.current and isinstance(path, str | os.PathLike) and len(self._paths) < MOST_KEYS:
            self._paths.append(os.fspath(path))

    def _trace(self, one: Connection) -> None:
        from sqlite3 import Connection as Plain

        with suppress(Exception):  # another thread's, or closed
            files = {name: file for _, name, file in Plain.execute(one, "PRAGMA database_list")}
            place = files.get("main") or one
            Plain.set_trace_callback(one, partial(self._hear, place))
            if place not in self._known:
                self._new.append(place)

    def _hear(self, place: Connection | str, statement: object) -> None:
        if self.current and len(self._heard) < MOST_KEYS:
            self._heard.append((place, str(statement)[:5000]))

    def learn(self) -> None:
        """Learn values of the columns that the call's arguments were compared with, names of tables for arguments that
        name one, and what stands in names of files where an argument did."""
        heard, self._heard, new, self._new = self._heard, [], self._new, []
        current, self.current = self.current, {}
        paths, self._paths = self._paths, []
        for text, name in current.items():
            for beside in some(one for path in dict.fromkeys(paths) for one in _beside(path, text)):
                self._knowledge.node(name).learn("eq", beside)
        wanted = [name for name in self._knowledge.roots if "table" in name.lower()]
        for place in new if wanted else ():
            asked = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') LIMIT 8"
            for one in self._asked(place, asked):
                self._known.add(str(place))
                for named in wanted:
                    self._knowledge.node(named).learn("eq", one)
        for place, statement in heard:
            for column, value in _COMPARED.findall(statement):
                argument = current.get(value.strip("'").replace("''", "'").strip("%"))
                for table in _TABLE.findall(statement) if argument is not None else ():
                    asked = f"SELECT DISTINCT [{column}] FROM [{table}] WHERE [{column}] IS NOT NULL LIMIT {MOST_KEYS}"
                    for one in self._asked(place, asked):
                        self._knowledge.node(str(argument)).learn("eq", one)

    def _asked(self, place: Connection | str, statement: str) -> list[object]:
        with suppress(Exception):  # whatever a database of the tool's makes of it
            if not isinstance(place, str):
                return [value for (value,) in place.execute(statement)]
            with closing(self._connect(f"file:{quote(place)}?mode=ro", uri=True)) as database:
                return [value for (value,) in database.execute(statement)]
        return []


def _beside(path: str, text: str) -> Iterator[str]:
    """Yield what files have in their names where a path that is not there has a text."""
    with suppress(OSError, ValueError):
        missing = Path(path)
        while not missing.parent.exists():
            missing = missing.parent
        if not text or text == path or text not in missing.name or missing.exists():
            return
        before, _, after = missing.name.partition(text)
        for name in sorted(one.name for one in missing.parent.iterdir()):
            if name.startswith(before) and name.endswith(after):
                yield name[len(before) : len(name) - len(after)]
