"""Judges many traces, in worker processes if a file is large. Results come one by one, in the order of the files.

A large file in which each line is a trace is cut at line ends into parts. Workers read, judge and explain the parts.
Memory holds a few parts, never the file.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planscope.rules.judge import Rulebook
from planscope.rules.report import KEPT, Checked, CheckOptions, Fields, check_trace, details, with_branches
from planscope.traces import Options, Unreadable
from planscope.traces.opening import once, read, reader_of, sources
from planscope.traces.shape import Trace

PART = 2 * 2**20
"""The bytes of a file that a worker takes at once."""
LARGE = 8 * 2**20
"""A smaller file is read in this process."""
Heard = Callable[[str], None]
Progress = Callable[[int, int], None]
"""A function that receives the bytes that were read and those of all files."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file of lines, from the beginning of a line to the end of one. ``line``: the number of its first
    line."""

    reader: Any
    stem: str
    name: str
    path: str
    start: int
    end: int
    line: int


@dataclass(slots=True)
class Judged:
    """One trace's result. ``more``: details of a wrong trace, if they are still wanted."""

    checked: Checked
    source: str = ""
    """The file that the trace comes from."""
    tools: frozenset[str] = frozenset()
    more: Fields = field(default_factory=dict)


_book: Rulebook
_options: CheckOptions
_wanted: Any


def _begin(book: Rulebook, options: CheckOptions, wanted: Any) -> None:
    """Prepare a worker process."""
    import gc
    import signal

    gc.freeze()
    gc.disable()  # traces form no cycles
    global _book, _options, _wanted
    _book, _options, _wanted = book, options, wanted
    signal.signal(signal.SIGINT, signal.SIG_IGN)


Packed = list[Judged | tuple[str, int, bytes, str, frozenset[str]]]
"""Results as a worker sends them: of a trace that keeps all rules only id, calls, which rules it tests, and tools."""


def _packed(found: list[Judged], book: Rulebook) -> Packed:
    packed: Packed = []
    for judged in found:
        checked = judged.checked
        small: Judged | tuple[str, int, bytes, str, frozenset[str]] = judged
        if checked.verdict == "right" and checked.problem is None:
            flags = bytes(
                [
                    0 if result is no else 1 if result is yes else 2
                    for result, (no, yes) in zip(checked.results, book.kept, strict=True)
                ]
            )
            if 2 not in flags:
                small = (checked.id, checked.calls, flags, judged.source, judged.tools)
        packed.append(small)
    return packed


def _unpacked(packed: Packed, book: Rulebook) -> Iterator[Judged]:
    for one in packed:
        if isinstance(one, Judged):
            yield one
            continue
        id, calls, flags, source, tools = one
        results = [pair[flag] for flag, pair in zip(flags, book.kept, strict=True)]
        checked = Checked(id, "right", calls, results, explanation=KEPT, tools=tools)
        yield Judged(checked, source, tools)


def _judge_part(part: Part) -> Packed:
    with Path(part.path).open("rb", 2**18) as file:
        file.seek(part.start)
        data = file.read(part.end - part.start)
    lines = ((part.line + k, line) for k, line in enumerate(data.splitlines(keepends=True)) if line.strip())
    found: list[Judged] = []
    explained = 0
    for trace in part.reader.read_lines(part.stem, lines):
        trace.source = part.name
        found += _judged(_book, trace, _options, _wanted.value - explained)
        explained += found[-1].checked.verdict == "wrong"
    return _packed(found, _book)


def _judged(book: Rulebook, trace: Trace, options: CheckOptions, wanted: int) -> list[Judged]:
    """Judge a trace, with its branches if they are wanted. At most ``wanted`` wrong ones get details."""
    found = []
    for one in with_branches(trace) if options.branches and trace.branches else (trace,):
        checked = check_trace(book, one, options)
        tools = frozenset(one.tools) | checked.tools if one.tools else checked.tools
        more: Fields = {}
        if wanted > 0 and checked.verdict == "wrong":
            wanted -= 1
            more = details(book, one, options.running or one.ended != "complete")
        found.append(Judged(checked, one.source, tools, more))
    return found


def check_many(
    paths: Sequence[str],
    book: Rulebook,
    options: CheckOptions,
    heard: Heard,
    progress: Progress | None = None,
    workers: int | None = None,
) -> Iterator[Judged]:
    """Judge every trace of these files, folders and globs. ``heard`` receives a line about each file that cannot be
    read.

    The first ``options.details`` traces that are wrong have core, repair and explanation.
    """
    left = [options.details]
    taken: dict[str, int] = {}
    for judged in _all(paths, book, options, heard, progress, workers, lambda: left[0]):
        judged.checked.id = once(judged.checked.id, taken)
        if judged.checked.verdict == "wrong" and left[0] > 0:
            left[0] -= 1
            judged.checked.add(judged.more)
        yield judged


def check_traces(traces: Iterable[Trace], book: Rulebook, options: CheckOptions) -> Iterator[Judged]:
    """Judge traces in memory. Each wrong one has details, unless ``options.details`` is 0."""
    for trace in traces:
        for judged in _judged(book, trace, options, len(trace.branches) + 1 if options.details else 0):
            judged.checked.add(judged.more)
            yield judged


def _all(
    paths: Sequence[str],
    book: Rulebook,
    options: CheckOptions,
    heard: Heard,
    progress: Progress | None,
    workers: int | None,
    wanted: Callable[[], int],
) -> Iterator[Judged]:
    count = workers if workers is not None else min(os.cpu_count() or 1, 8)
    done = 0
    for source in sources(paths, heard):
        size = source.path.stat().st_size if source.path is not None else 0
        try:
            parts = _parts(source, size, heard) if count > 1 and size >= LARGE else None
            if parts is None:
                for trace in read(source, Options(), heard):
                    yield from _judged(book, trace, options, wanted())
            else:
                for part, found in _in_workers(parts, book, options, count, wanted):
                    yield from found
                    if progress is not None:
                        progress(done + part.end, done + size)
        except Unreadable as error:
            heard(str(error))
        done += size


def _parts(source: Any, size: int, heard: Heard) -> Iterator[Part] | None:
    """Yield the parts of a large file whose lines are traces, or return None for another file."""
    reader = reader_of(source, heard)
    of_lines = getattr(reader, "line_is_a_trace", None)
    packed = source.seen.data[:1] not in (b"{", b"[")
    if of_lines is None or not hasattr(reader, "read_lines") or not of_lines(source.seen) or packed:
        return None
    source.close()
    with source.path.open("rb") as file:
        if file.read(1) not in (b"{", b"["):
            return None
    return _cut(source, reader, size)


def _cut(source: Any, reader: Any, size: int) -> Iterator[Part]:
    start, line = 0, 1
    with source.path.open("rb", 0) as file:
        while start < size:
            file.seek(start)
            data = file.read(PART)
            end = start + len(data)
            newlines = data.count(b"\n")
            if end < size and not data.endswith(b"\n"):
                cut = data.rfind(b"\n")
                if cut >= 0:
                    end = start + cut + 1
                else:
                    end, newlines = _line_end(file, end, size), 1
            yield Part(reader, source.stem, source.name, str(source.path), start, end, line)
            start, line = end, line + newlines


def _line_end(file: Any, start: int, size: int) -> int:
    """Return the end of the line that continues at ``start``."""
    while start < size:
        file.seek(start)
        data = file.read(PART)
        cut = data.find(b"\n")
        if cut >= 0:
            return int(start + cut + 1)
        start += len(data)
    return size


def _in_workers(
    parts: Iterable[Part], book: Rulebook, options: CheckOptions, count: int, wanted: Callable[[], int]
) -> Iterator[tuple[Part, Iterable[Judged]]]:
    """Yield the parts with their results, in order. At most two parts for each worker are in progress."""
    from collections import deque

    context = multiprocessing.get_context("spawn" if os.name == "nt" else "fork")
    flag = context.Value("i", wanted(), lock=False)
    with context.Pool(count, _begin, (book, options, flag)) as pool:
        waiting: deque[tuple[Part, Any]] = deque()
        for part in parts:
            waiting.append((part, pool.apply_async(_judge_part, (part,))))
            if len(waiting) > 2 * count:
                first, answer = waiting.popleft()
                yield first, _unpacked(answer.get(), book)
                flag.value = wanted()
        while waiting:
            first, answer = waiting.popleft()
            yield first, _unpacked(answer.get(), book)
            flag.value = wanted()
