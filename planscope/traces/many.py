"""Processes many traces on several processors: files of lines are split between worker processes, other files are
not split."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from planscope.session.json_bytes import without_collection
from planscope.traces.json_stream import LONGEST, Broken
from planscope.traces.messages import MessageFormat
from planscope.traces.opening import Heard, once, own_readers, read, reader_of, sources
from planscope.traces.reader import Options
from planscope.traces.shape import Trace
from planscope.traces.source import Source, Unreadable

PIECE = 4 * 2**20
"""The bytes of lines that a worker receives at a time."""
WORTH_IT = 32 * 2**20
"""Workers are started from this many bytes on: starting them takes as long as reading some megabytes."""

T = TypeVar("T")
Work = Callable[[Trace], T]
Progress = Callable[[int, int], None]
"""A function that receives the bytes that were read so far and those of all files (0: not known)."""


def map_traces(
    paths: Iterable[str | Path],
    work: Work[T],
    *,
    options: Options | None = None,
    on_problem: Heard | None = None,
    progress: Progress | None = None,
    workers: int | None = None,
) -> Iterator[tuple[str, T]]:
    """Yield each trace's id and what ``work`` makes of it, in the order of :func:`planscope.traces.open_traces`.

    Worker processes read and work if the files are large; then ``work`` and its results must be picklable. Memory
    holds a few pieces of a file, whatever its size. ``workers`` is their number, by default that of the processors; 1
    works in this process.
    """
    chosen = options or Options()

    def heard(line: str) -> None:
        if on_problem is None:
            raise Unreadable(line)
        on_problem(line)

    found = list(sources(paths, heard))
    sizes = [_size(one) for one in found]
    many = workers if workers is not None else _processors()
    taken: dict[str, int] = {}
    if many <= 1 or (workers is None and sum(sizes) < WORTH_IT):
        done = 0
        for source, size in zip(found, sizes, strict=True):
            for id, made in _alone(source, work, chosen, heard, progress, done, sum(sizes)):
                yield once(id, taken), made
            done += size
        return
    with ProcessPoolExecutor(many, mp_context=_context()) as pool:
        try:
            for id, made in _shared(pool, many, found, sizes, work, chosen, heard, progress):
                yield once(id, taken), made
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _context() -> multiprocessing.context.BaseContext:
    """Return a way to start processes that does not copy threads."""
    ways = multiprocessing.get_all_start_methods()
    return multiprocessing.get_context("forkserver" if "forkserver" in ways else "spawn")


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _size(source: Source) -> int:
    try:
        return source.path.stat().st_size if source.path is not None else 0
    except OSError:
        return 0


def _alone(
    source: Source,
    work: Work[T],
    options: Options,
    heard: Heard,
    progress: Progress | None,
    before: int,
    total: int,
) -> Iterator[tuple[str, T]]:
    """Read one file in this process."""
    try:
        for k, trace in enumerate(read(source, options, heard)):
            yield trace.id, work(trace)
            if progress is not None and k % 50 == 0:
                progress(before + source.position, total)
    except Unreadable as error:
        heard(str(error))


_Made = tuple[list[tuple[str, Any]], list[str]]
"""Ids with what was made of their traces, and lines about what could not be read."""


def _shared(
    pool: ProcessPoolExecutor,
    many: int,
    found: list[Source],
    sizes: list[int],
    work: Work[T],
    options: Options,
    heard: Heard,
    progress: Progress | None,
) -> Iterator[tuple[str, T]]:
    """Hand pieces to the workers, never more than a few ahead, and yield their results in order."""
    waiting: deque[tuple[Future[_Made], int]] = deque()
    done = 0

    def next_done() -> Iterator[tuple[str, T]]:
        nonlocal done
        future, size = waiting.popleft()
        made, troubles = future.result()
        done += size
        if progress is not None:
            progress(done, sum(sizes))
        yield from made
        for line in troubles:
            heard(line)

    for source, size in zip(found, sizes, strict=True):
        for task, bytes_read in _tasks(pool, source, size, work, options, heard):
            waiting.append((task, bytes_read))
            while len(waiting) > 2 * many:
                yield from next_done()
    while waiting:
        yield from next_done()


def _tasks(
    pool: ProcessPoolExecutor, source: Source, size: int, work: Work[T], options: Options, heard: Heard
) -> Iterator[tuple[Future[_Made], int]]:
    """Yield the tasks of one file, with the bytes that each reads."""
    try:
        reader = reader_of(source, heard)
    except Unreadable as error:
        heard(str(error))
        return
    alone = (
        isinstance(reader, MessageFormat) and reader in own_readers() and reader.line_is_a_trace(source.seen)
    )
    if not alone or size < 2 * PIECE:
        if source.path is None:
            made = [(id, one) for id, one in _alone(source, work, options, heard, None, 0, 0)]
            ready: Future[_Made] = Future()
            ready.set_result((made, []))
            yield ready, size
        else:
            yield pool.submit(_whole_file, source.path, work, options), size
        return
    number = 1
    try:
        for piece in _pieces(source):
            yield pool.submit(_lines, reader.name, source.name, source.stem, number, piece, work), len(piece)
            number += piece.count(b"\n")
    except Broken as broken:
        heard(f"{source.name}: {broken}")
    finally:
        source.close()


def _pieces(source: Source) -> Iterator[bytes]:
    """Yield whole lines, some megabytes at a time."""
    with source.stream() as file:
        while piece := file.read(PIECE):
            if not piece.endswith(b"\n"):
                piece += file.readline(LONGEST + 1)
            yield piece


def _whole_file(path: Path, work: Work[T], options: Options) -> _Made:
    """Read a whole file; runs in a worker."""
    troubles: list[str] = []
    found = list(sources([path], troubles.append))
    made = [pair for source in found for pair in _alone(source, work, options, troubles.append, None, 0, 0)]
    return made, troubles


def _lines(reader: str, name: str, stem: str, first: int, piece: bytes, work: Work[T]) -> _Made:
    """Read lines that are a trace each; runs in a worker."""
    form = next(one for one in own_readers() if one.name == reader)
    assert isinstance(form, MessageFormat)
    made: list[tuple[str, Any]] = []
    *whole, rest = piece.split(b"\n")
    ended = [
        (number, line + b"\n") for number, line in enumerate(whole, first) if line and not line.isspace()
    ]
    rows = [*ended, (first + len(whole), rest)] if rest and not rest.isspace() else ended
    with without_collection():  # traces form no cycles
        for trace in form.read_lines(stem, rows):
            trace.source = name
            made.append((trace.id, work(trace)))
    return made, []
