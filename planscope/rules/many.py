"""Judges many traces, in worker processes if a file is large. Results come one by one, in the order of the files.

A large file in which each line is a trace is cut at line ends into parts. Workers read, judge and explain the parts.
Memory holds a few parts, never the file.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.oracle.trace import Trace
from planscope.rules.judge import Rulebook, Tested
from planscope.rules.nearest import Budget
from planscope.rules.quick import Quick
from planscope.rules.report import KEPT, Checked, CheckOptions, check_trace, with_branches
from planscope.rules.rule import RuleFile
from planscope.traces import Options, Unreadable
from planscope.traces.json_stream import LONGEST, Lines
from planscope.traces.opening import once, read, reader_of, sources

if TYPE_CHECKING:
    from concurrent.futures import Future

PART = 2**20
"""The bytes of a file that a worker takes at once."""
LARGE = 8 * 2**20
"""A smaller file is read in this process."""
MOST_RESULTS = 10_000
"""Limit of lists of results that traces share."""
HELD = (signal.SIGINT, signal.SIGTERM)
Heard = Callable[[str], None]
Progress = Callable[[int, int], None]
"""A function that receives the bytes that were read and those of all files."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file of lines, from the beginning of a line to the end of one. ``endless``: one of its lines may be
    too long to be read; then the part goes to the end of the file."""

    reader: Any
    stem: str
    name: str
    path: str
    start: int
    end: int
    endless: bool = False


@dataclass(slots=True)
class Judged:
    """One trace's result."""

    checked: Checked
    source: str = ""
    """The file that the trace comes from."""
    tools: frozenset[str] = frozenset()


_work: _Work


def _begin(file: RuleFile, options: CheckOptions, wanted: Any) -> None:
    """Prepare a worker process."""
    import gc

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells the end
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if os.name != "nt":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    gc.freeze()
    gc.disable()  # traces form no cycles
    global _work
    _work = _Work(file, options, wanted)


Small = tuple[str, int, bytes, str, frozenset[str]]
"""What a worker sends of a trace that keeps all rules: id, calls, for how many values each rule is put to the test,
file, and tools."""
Packed = list[Judged | Small]


class _Work:
    """What a worker judges by. ``wanted``: its ``value`` says how many wrong traces still get details."""

    def __init__(self, file: RuleFile, options: CheckOptions, wanted: Any) -> None:
        self.book = _book(file, options)
        self.file, self.options, self.wanted = file, options, wanted
        self.quick = Quick(self.book)
        self._results: dict[bytes, list[Tested]] = {}
        self._buffer = bytearray(PART)
        self._counted = ("", 0, 1)
        """A file, a place in it where a line begins, and the number of that line."""

    def judge(self, part: Part) -> Packed:
        """Read and judge a part of a file."""
        found: Packed = []
        with Path(part.path).open("rb", 0) as file:
            file.seek(part.start)
            if part.endless:
                lines = Lines(file, LONGEST)
                lines.number = self._line(part) - 1
                self._read(part, lines, found, 0)
                return found
            size = part.end - part.start
            if size > len(self._buffer):
                self._buffer = bytearray(size)
            data = self._buffer
            size = _fill(file, memoryview(data)[:size])
        plain = getattr(part.reader, "plain", None) if self.quick.fits else None
        answers, right_of, view = self.quick.answers, self.quick.right, memoryview(data)
        number = wrong = end = 0
        while end < size:
            start, end = end, data.find(b"\n", end, size) + 1 or size
            trace = plain(view[start:end], answers=answers) if plain is not None else None
            right = right_of(trace) if trace is not None else None
            if trace is not None and right is not None:
                id = trace.id or f"{part.stem}:{self._line(part) + number}"
                found.append((id, len(trace.calls), right[0], part.name, right[1]))
            elif not (line := bytes(view[start:end])).isspace():
                wrong += self._read(part, [(self._line(part) + number, line)], found, wrong)
            number += 1
        return found

    def _line(self, part: Part) -> int:
        """Return the number of the part's first line. Lines are counted only if somebody asks for it."""
        path, at, number = self._counted
        if path != part.path or at > part.start:
            path, at, number = part.path, 0, 1
        if at < part.start:
            buffer = bytearray(PART)
            with Path(path).open("rb", 0) as file:
                file.seek(at)
                while at < part.start:
                    size = file.readinto(memoryview(buffer)[: part.start - at]) or part.start - at
                    number += buffer.count(b"\n", 0, size)
                    at += size
        self._counted = path, at, number
        return number

    def _read(self, part: Part, lines: Iterable[tuple[int, bytes]], found: Packed, wrong: int) -> int:
        """Judge the traces of lines as any trace is judged. Return how many of them are wrong."""
        more = 0
        for trace in part.reader.read_lines(part.stem, lines):
            trace.source = part.name
            left = self.wanted.value - wrong - more
            budget = Budget.of(self.options.details, alone=False)  # so that no worker depends on others
            for judged in _judged(self.book, self.file, trace, self.options, left, budget):
                more += judged.checked.verdict == "wrong"
                found.append(_packed(judged, self.book))
        return more

    def unpacked(self, packed: Packed) -> Iterator[Judged]:
        """Return results as they were before they were sent."""
        for one in packed:
            if isinstance(one, Judged):
                yield one
                continue
            id, calls, counts, source, tools = one
            results = self._results.get(counts)
            if results is None:
                pairs = zip(counts, self.book.kept, strict=True)
                results = [_kept(count, *pair) for count, pair in pairs]
                if len(self._results) < MOST_RESULTS:
                    self._results[counts] = results
            checked = Checked(id, "right", calls, results, explanation=KEPT, tools=tools)
            yield Judged(checked, source, tools)


def _fill(file: Any, view: memoryview) -> int:
    """Fill the view from a file as far as the file goes. Return the number of bytes."""
    size = 0
    while size < len(view) and (count := file.readinto(view[size:])):
        size += count
    return size


def _packed(judged: Judged, book: Rulebook) -> Judged | Small:
    """Return a result as a worker sends it."""
    checked = judged.checked
    more = checked.problem is not None or checked.reward is not None or checked.left_out
    if checked.verdict != "right" or more:
        return judged
    counts = []
    for result, pair in zip(checked.results, book.kept, strict=True):
        if result is not pair[0] and result is not pair[1]:
            return judged
        counts.append(result is pair[1])
    return checked.id, checked.calls, bytes(counts), judged.source, judged.tools


def _kept(count: int, not_tested: Tested, tested: Tested) -> Tested:
    """Return the result of a rule that is kept for this many values."""
    if count < 2:
        return tested if count else not_tested
    return replace(tested, values_applicable=count)


def _judge_part(part: Part) -> Packed:
    return _work.judge(part)


def _book(file: RuleFile, options: CheckOptions) -> Rulebook:
    return Rulebook(file.rules, succeeded_only=options.succeeded_only, known=file.known)


def _judged(
    book: Rulebook, file: RuleFile, trace: Trace, options: CheckOptions, wanted: int, budget: Budget
) -> list[Judged]:
    """Judge a trace, with its branches if they are wanted. At most ``wanted`` wrong ones get details."""
    found = []
    for one in with_branches(trace) if options.branches and trace.branches else (trace,):
        checked = check_trace(book, one, options)
        tools = frozenset(one.tools) | checked.tools if one.tools else checked.tools
        if wanted > 0 and checked.verdict == "wrong":
            wanted -= 1
            checked = _explained(file, one, options, budget)
        found.append(Judged(checked, one.source, tools))
    return found


def _explained(file: RuleFile, trace: Trace, options: CheckOptions, budget: Budget) -> Checked:
    from planscope.rules.beside import checked_run, judged_trace  # imported late because it imports Z3

    whole = replace(trace, ending="running") if options.running else trace
    run = judged_trace(file, whole, succeeded_only=options.succeeded_only)
    return checked_run(run, file, trace.id, budget=budget)


def check_many(
    paths: Sequence[str],
    file: RuleFile,
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
    for judged in _all(paths, file, options, heard, progress, workers, lambda: left[0]):
        checked = judged.checked
        checked.id = once(checked.id, taken)
        if checked.verdict == "wrong":
            if left[0] <= 0 and checked.why is not None:  # another worker was faster
                checked.forget()
            left[0] -= 1
        yield judged


def check_traces(traces: Iterable[Trace], file: RuleFile, options: CheckOptions) -> Iterator[Judged]:
    """Judge traces in memory. The first ``options.details`` wrong ones have core, repair and explanation."""
    book, left = _book(file, options), options.details
    traces = list(traces)
    budget = Budget.of(min(left, len(traces)))
    for trace in traces:
        for judged in _judged(book, file, trace, options, left, budget):
            left -= judged.checked.verdict == "wrong"
            yield judged


def _all(
    paths: Sequence[str],
    file: RuleFile,
    options: CheckOptions,
    heard: Heard,
    progress: Progress | None,
    workers: int | None,
    wanted: Callable[[], int],
) -> Iterator[Judged]:
    book = _book(file, options)
    budget = Budget.of(options.details)
    count = workers if workers is not None else min(os.cpu_count() or 1, 8)
    done = 0
    for source in sources(paths, heard):
        size = source.path.stat().st_size if source.path is not None else 0
        try:
            parts = _parts(source, size, heard) if size >= LARGE else None
            if parts is None:
                for trace in read(source, Options(), heard):
                    yield from _judged(book, file, trace, options, wanted(), budget)
            else:
                for part, found in _in_workers(parts, file, options, count, wanted):
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
    start = 0
    with source.path.open("rb", 0) as file:
        while start < size:
            end = _line_end(file, min(start + PART, size), size)
            endless = end is None or end - start > LONGEST
            if end is None or endless:
                end = size
            yield Part(reader, source.stem, source.name, str(source.path), start, end, endless)
            start = end


def _line_end(file: Any, start: int, size: int) -> int | None:
    """Return the end of the line that continues at ``start``, or None if it is too long to be read."""
    longest = start + LONGEST
    file.seek(start)
    while start < min(size, longest):
        data = file.read(2**14)
        if not data:
            break
        cut = data.find(b"\n")
        if cut >= 0:
            return int(start + cut + 1)
        start += len(data)
    return size if start >= size else None


def _in_workers(
    parts: Iterable[Part], file: RuleFile, options: CheckOptions, count: int, wanted: Callable[[], int]
) -> Iterator[tuple[Part, Iterable[Judged]]]:
    """Yield the parts with their results, in order. At most two parts for each worker are in progress. One worker is
    this process."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn" if os.name == "nt" else "fork")
    flag = context.Value("i", wanted(), lock=False)
    work = _Work(file, options, flag)
    if count == 1:
        for part in parts:
            flag.value = wanted()
            yield part, work.unpacked(work.judge(part))
        return
    pool = ProcessPoolExecutor(count, context, _begin, (file, options, flag))
    waiting: deque[tuple[Part, Future[Packed]]] = deque()
    try:
        for part in parts:
            with _signals_held() if not waiting else nullcontext():
                waiting.append((part, pool.submit(_judge_part, part)))
            if len(waiting) > 2 * count:
                first, answer = waiting.popleft()
                yield first, work.unpacked(answer.result())
                flag.value = wanted()
        while waiting:
            first, answer = waiting.popleft()
            yield first, work.unpacked(answer.result())
            flag.value = wanted()
    finally:
        pool.shutdown(
            cancel_futures=True
        )  # workers end by themselves: one that is killed can leave the parent waiting


@contextmanager
def _signals_held() -> Iterator[None]:
    """Hold signals back while workers are forked. Until ``_begin`` they have this process's handlers, which raise."""
    if os.name == "nt":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
