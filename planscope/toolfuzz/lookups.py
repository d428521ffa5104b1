"""What exists where a tool looks an argument up: keys of a dictionary or set, and columns of a database of sqlite3.

A look-up by hash compares with nothing that taint could see. So when a tainted value is hashed, the expression that is
under way in the caller's frame is read: ``orders[order_id]``, ``order_id in self.orders``, ``orders.get(order_id)``.
What it looks into is found without running code of the tool. A database tells its statements with all values in them.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from itertools import islice
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from planscope.toolfuzz.nodes import Knowledge, Node

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_KEYS = 8
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

_OPENED: list[Connection] = []
_COMPARED = re.compile(
    r"""["`\[]?(\w+)["`\]]?\s*(?:=|<>|!=|<=?|>=?|\bIS\b|\bLIKE\b|\bIN\s*\()\s*('(?:[^']|'')*'|-?\d+)""",
    re.IGNORECASE,
)
_TABLE = re.compile(r"""\b(?:FROM|JOIN|INTO|UPDATE)\s+["`\[]?(\w+)""", re.IGNORECASE)


def hear_of_databases() -> None:
    """Note each connection of sqlite3 from now on, in this process and those forked from it. It cannot be undone."""

    def opened(event: str, given: tuple[object, ...]) -> None:
        if event == "sqlite3.connect/handle":
            _OPENED.append(given[0])  # type: ignore[arg-type]

    sys.addaudithook(opened)


class Databases:
    """Learns from the statements that a tool's connections run. ``current``: the arguments of the call under way."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self.current: Mapping[str, str] = {}
        self._heard: list[tuple[Connection, str]] = []
        self._known = 0

    def listen(self) -> None:
        """Listen to the connections that are new."""
        new, self._known = _OPENED[self._known :], len(_OPENED)
        for one in new:
            with suppress(Exception):  # another thread's, or closed
                one.set_trace_callback(partial(self._hear, one))
                self._tables(one)

    def _hear(self, connection: Connection, statement: object) -> None:
        if self.current and len(self._heard) < MOST_KEYS:
            self._heard.append((connection, str(statement)[:5000]))

    def _tables(self, connection: Connection) -> None:
        """Names of tables are what an argument for a table may be."""
        wanted = [node for name, node in self._knowledge.roots.items() if "table" in name.lower()]
        found = connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') LIMIT 8"
        ).fetchall()
        for node in wanted:
            for (name,) in found:
                node.learn("eq", name)

    def learn(self) -> None:
        """Learn values of the columns that the call's arguments were compared with."""
        heard, self._heard = self._heard, []
        current, self.current = self.current, {}
        for connection, statement in heard:
            for column, value in _COMPARED.findall(statement):
                name = current.get(value.strip("'").replace("''", "'").strip("%"))
                for table in _TABLE.findall(statement) if name is not None else ():
                    for one in _column(connection, table, column):
                        self._knowledge.node(str(name)).learn("eq", one)
        self.listen()


def _column(connection: Connection, table: str, column: str) -> Iterator[object]:
    with suppress(Exception):  # whatever a database of the tool's makes of it
        asked = f"SELECT DISTINCT [{column}] FROM [{table}] WHERE [{column}] IS NOT NULL LIMIT {MOST_KEYS}"
        yield from (value for (value,) in connection.execute(asked).fetchall())
