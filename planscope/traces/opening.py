"""Opens files, folders and globs of traces: finds the format of each by its content, and reads them one by one."""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from glob import escape, glob
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from planscope.errors import UserError
from planscope.extensions import loaded, trouble
from planscope.oracle.trace import ToolCall, Trace
from planscope.traces import formats
from planscope.traces.accounts import Ledger
from planscope.traces.blocks import only_text, speaks
from planscope.traces.json_stream import Broken, parsed
from planscope.traces.reader import Options, Reader
from planscope.traces.source import GZIP, LOOKS, Head, Source, Unreadable, file_source, standard_input
from planscope.traces.values import obj, seq

GROUP = "planscope.traces"
"""The entry point group for readers of other packages."""
SURE = 0.2
"""A reader that is less sure than this does not read a file."""
MOST_FILES = 1_000_000
PART_OF_A_SESSION = ("subagents", "tool-results")
BEGINS = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*[\[{]")
"""How JSON begins. In a folder, files that begin otherwise are no traces."""
ENDINGS = (".jsonl", ".json", ".ndjson", ".eval", ".jsonl.zst", ".json.zst", ".jsonl.gz", ".json.gz")
"""Ends of the names of files that are read in a folder whatever they begin with."""

Heard = Callable[[str], None]
"""A function that receives one line, for example about a file that cannot be read."""


@cache
def own_readers() -> tuple[Reader, ...]:
    """Return planscope's readers, in the order in which they are asked."""
    return tuple(
        reader for name in formats.MODULES for reader in import_module(f"{formats.__name__}.{name}").READERS
    )


@cache
def other_readers() -> tuple[tuple[Reader, ...], tuple[str, ...]]:
    """Return the readers of other packages, and a line about each that does not work."""
    found: list[Reader] = []
    extensions, lines = loaded(GROUP)
    troubles = list(lines)
    for entry, reader in extensions:
        made = _tried(reader) if isinstance(reader, type) else reader
        if not isinstance(made, Exception) and not (
            all(callable(getattr(made, one, None)) for one in ("recognises", "read"))
            and bool(getattr(made, "name", False))
        ):
            made = TypeError("it has no recognises, read or name")
        if isinstance(made, Exception):
            troubles.append(trouble(entry, made))
        else:
            found.append(made)
    return tuple(found), tuple(troubles)


Made = TypeVar("Made")


def _tried(call: Callable[[], Made]) -> Made | Exception:
    """Return what code that may be of another package returns or raises."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001, it may raise anything
        return error


def _named(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _sure(reader: Reader, head: Head) -> float:
    return float(reader.recognises(head))


def reader_of(source: Source, heard: Heard) -> Reader:
    """Return the reader that is the surest about a file. Raises Unreadable."""
    asked = (*own_readers(), *other_readers()[0])
    for size in LOOKS:
        head = source.head(size)
        best, surest = None, SURE
        for reader in asked:
            sure = _tried(partial(_sure, reader, head))
            if isinstance(sure, Exception):
                heard(f"the trace reader {reader.name} does not work: {_named(sure)}")
            elif sure > surest:
                best, surest = reader, sure
        if best is not None:
            source.seen = head
            return best
        if len(head.data) < size:
            break
    raise Unreadable(f"{source.name}: {why_unknown(head)}")


def why_unknown(head: Head) -> str:
    """Say in one line why no reader knows a file."""
    first = next(iter(head.objects), None)
    lists = [obj(first).get(key) for key in ("messages", "history")]
    spoken = [obj(one) for found in (*lists, head.objects) for one in seq(found) if speaks(one)]
    if only_text(spoken, obj(first)):
        return "its agent writes its calls as text, so that nobody can be certain which calls it made"
    if first is not None and isinstance(first.get("history"), list):
        return (
            "a history of messages without structured calls (as in Who&When); there is no call in it that could be "
            "judged"
        )
    if head.kind == "zip":
        return "a ZIP file that is not an Inspect log; unpack it first"
    if head.kind == "other":
        return (
            "it is not JSON, and not in a format of traces that planscope knows (docs/traces.md lists them)"
        )
    if not first and head.kind in ("json", "lines"):
        try:
            parsed(head.data.decode("utf-8-sig", "replace"))
        except json.JSONDecodeError as error:
            where = f"line {error.lineno:,}, column {error.colno:,}"
            if error.doc[error.pos : error.pos + 1] == "'":
                return f"it is Python's text of a value, not JSON (a single quote at {where}); write it with json.dumps"
            return f"it is not JSON at {where}: {error.msg}"
        except ValueError as error:
            return f"not a trace: {error}"
    if first is None:
        return "JSON, but not a trace: there is no object in it"
    keys = ", ".join(sorted(map(str, first))[:8])
    return f"JSON, but not in a format of traces that planscope knows (it has {keys[:200]}; docs/traces.md lists them)"


def read(source: Source, options: Options, heard: Heard, reader: Reader | None = None) -> Iterator[Trace]:
    """Yield the traces of one file. ``reader``: the one that is the surest about it, if that is known. Raises
    Unreadable, one line, if none can be read."""
    reader = reader or reader_of(source, heard)
    count = 0
    try:
        for trace in _accounted(reader, source, options):
            trace.source = source.name
            trace.id = trace.id or source.stem
            count += 1
            yield trace
    except Broken as broken:
        raise Unreadable(
            f"{source.name}: {reader.title}, which cannot be read{' any further' if count else ''}: {broken}"
        ) from None
    except UserError:
        raise
    except RecursionError:
        raise Unreadable(f"{source.name}: {reader.title}, but nested too deeply") from None
    except OSError as error:
        raise Unreadable(f"{source.name} cannot be read: {error.strerror or error}") from None
    except Exception as error:
        if os.environ.get("PLANSCOPE_TRACEBACK"):
            raise
        raise Unreadable(f"{source.name}: {reader.title}, but the reader fails: {_named(error)}") from None
    finally:
        source.close()
    if not count:
        raise Unreadable(f"{source.name}: {reader.title}, but there is no trace in it")


def _accounted(reader: Reader, source: Source, options: Options) -> Iterator[Trace]:
    """Yield the traces of a file. Each lists what looks like a call since the one before and is not among its calls;
    what comes after the last one is listed there."""
    aside: Mapping[str, str] = getattr(reader, "aside", {})
    ledger = source.ledger = Ledger()  # a stream that is followed is read again and again
    last: Trace | None = None
    foreign: list[ToolCall] | None = None if reader in own_readers() else []
    traces = iter(reader.read(source, options))
    ended: Exception | None = None
    while True:
        trace = _tried(lambda: next(traces, None))
        if isinstance(trace, Exception) or trace is None:
            ended = trace
            break
        if last is not None:
            yield last
        if foreign is not None:
            foreign += trace.calls
        ledger.settle(trace, aside)
        last = trace
    if last is not None:
        if foreign is None or ledger.walked:
            ledger.settle(last, aside)
        else:  # the reader read the bytes itself
            every = Trace(foreign, branches=last.branches)
            _walk_all(source)
            ledger.settle(every, aside)
            last.left_out = every.left_out
        yield last
    if ended is not None:
        raise ended


def _walk_all(source: Source) -> None:
    """Account for every value of a file of JSON."""
    with suppress(Broken, UserError):
        if source.seen.kind == "lines":
            for _ in source.records():
                pass
        elif source.seen.kind == "json":
            for top in source.json().documents():
                if top.kind in "[{":
                    for inner in top.elements() if top.kind == "[" else (one for _, one in top.members()):
                        inner.skip()


def sources(paths: Iterable[str | Path | Source], heard: Heard) -> Iterator[Source]:
    """Yield the files that names mean: files, folders (with the files in them), globs, and ``-`` for standard input.
    A source stands for itself.

    Raises Unreadable for a name that means nothing.
    """
    for path in paths:
        if isinstance(path, Source):
            yield path
            continue
        if str(path) == "-":
            yield standard_input()
            continue
        if not str(path):
            raise Unreadable("the name of a trace is empty; name a file, a folder, or - for standard input")
        for file in files_of(Path(path)):
            try:
                yield file_source(file)
            except Unreadable as error:
                heard(str(error))


def files_of(path: Path) -> list[Path]:
    """Return the files that a name means, sorted. Raises Unreadable."""
    try:
        if path.is_dir():
            found = files_in(path)
            if not found:
                raise Unreadable(f"{path} has no files of traces in it")
            return found
        if os.path.lexists(path):
            return [path]
        special = escape(str(path)) != str(path)
        matches = sorted(glob(str(path), recursive=True)) if special else []  # noqa: PTH207, also absolute
    except (OSError, ValueError) as error:
        raise Unreadable(f"{str(path)[:200]} cannot be read: {error}") from None
    if not matches:
        raise Unreadable(f"there is no file {path}; check the name")
    return [
        file
        for match in matches
        for file in (files_in(Path(match)) if Path(match).is_dir() else [Path(match)])
    ]


def files_in(folder: Path) -> list[Path]:
    """Return the files of traces in a folder and its subfolders, sorted. Links to folders are not followed.

    Files that belong to a session of Claude Code (its sub-agents) are read with it, and so left out.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            one for one in folders if not one.startswith(".") and one not in PART_OF_A_SESSION
        )
        found += [
            file
            for name in sorted(names)
            if not name.startswith(".") and (name.endswith(ENDINGS) or _may_be_one(Path(place, name)))
            for file in (Path(place, name),)
        ]
        if len(found) > MOST_FILES:
            raise Unreadable(f"{folder} has more than {MOST_FILES:,} files; name some of them")
    return found


def _may_be_one(file: Path) -> bool:
    """Return whether a file begins as JSON does, packed or not."""
    try:
        if not file.is_file():
            return False
        with file.open("rb") as opened:
            begin = opened.read(512)
        if begin.startswith(GZIP):
            with gzip.open(file) as unpacked:
                begin = unpacked.read(16)
    except (OSError, EOFError, zlib.error):
        return False
    return BEGINS.match(begin) is not None


def open_traces(
    paths: Iterable[str | Path | Source],
    *,
    options: Options | None = None,
    on_problem: Heard | None = None,
) -> Iterator[Trace]:
    """Yield every trace of these files, folders and globs (``-``: standard input), one after the other.

    Only one trace is held in memory. Traces with the same id get a number: ``0.1~2``. ``on_problem`` receives one line
    about each file that cannot be read, and the others are read; without it the first such file raises Unreadable. A
    file that can be read in part gives a trace whose ``problem`` says where it broke.
    """
    chosen = options or Options()

    def heard(line: str) -> None:
        if on_problem is None:
            raise Unreadable(line)
        on_problem(line)

    if on_problem is not None:
        for trouble in other_readers()[1]:
            on_problem(trouble)
    taken: dict[str, int] = {}
    for source in sources(paths, heard):
        try:
            for trace in read(source, chosen, heard):
                trace.id = once(trace.id, taken)
                yield trace
        except Unreadable as error:
            heard(str(error))


def once(id: str, taken: dict[str, int]) -> str:
    """Return the id, with a number if it is taken."""
    count = taken.get(id, 0) + 1
    taken[id] = count
    return id if count == 1 else f"{id}~{count}"
