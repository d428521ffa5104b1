"""Judges many traces, in worker processes if a file is large. Results come one by one, in the order of the files.

A large file in which each line is a trace is cut at line ends into parts. Workers read and judge the parts; the parent
process explains the first wrong traces. Memory holds a few parts, never the file.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.oracle.trace import Trace
from planscope.rules.budget import Budget
from planscope.rules.judge import Rulebook, StepNo, Tested
from planscope.rules.quick import Quick
from planscope.rules.report import KEPT, Checked, CheckOptions, check_trace, with_branches
from planscope.rules.rule import RuleFile
from planscope.signals import end_with_parent
from planscope.traces import Options, Unreadable
from planscope.traces.json_stream import LONGEST, Lines
from planscope.traces.opening import once, read, reader_of, sources
from planscope.traces.plain import PlainTrace
from planscope.traces.source import Source

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
    line: int | None = None
    """The line of the file that is the trace, if it is one line."""
    ids: dict[StepNo, str] = field(default_factory=dict)
    """The ids of the calls that break a rule first. The end has that of the last call."""
    bounds: tuple[int, int, int] = (0, 0, 0)
    """Where the line begins and ends in its part, and which of the line's traces this is."""


_work: _Work


def _begin(file: RuleFile, options: CheckOptions, reader: Any) -> None:
    """Prepare a worker process. It inherits the reader, which may hold functions that cannot be sent."""
    import gc

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells the end
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if os.name != "nt":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    end_with_parent()
    gc.freeze()
    gc.disable()  # traces form no cycles
    global _work
    _work = _Work(file, options, reader)


Small = tuple[str, int, bytes, int, frozenset[str], float | None]
"""What a worker sends of a trace that keeps all rules: id, calls, for how many values each rule is put to the test, its
line from 0 in the part, tools, and reward."""
Packed = tuple[int, list[Judged | Small]]
"""How many lines a part has, and what was judged."""


class _Work:
    """What a part of a file is read and judged by."""

    def __init__(self, file: RuleFile, options: CheckOptions, reader: Any) -> None:
        self.book = _book(file, options)
        self.file, self.options, self.reader = file, options, reader
        self.quick = Quick(self.book)
        self._results: dict[bytes, list[Tested]] = {}
        self._buffer = bytearray(PART)
        self._counted = ("", 0, 1)
        """A file, a place in it where a line begins, and the number of that line."""

    def judge(self, part: Part) -> Packed:
        """Read and judge a part of a file."""
        found: list[Judged | Small] = []
        size = part.end - part.start
        if size > len(self._buffer):
            self._buffer = bytearray(size)
        data = self._buffer
        with Path(part.path).open("rb", 0) as file:
            file.seek(part.start)
            size = _fill(file, memoryview(data)[:size])
        plain = getattr(self.reader, "plain", None) if not self.quick.timed else None
        answers, users, view = self.quick.answers, self.quick.users, memoryview(data)
        number = end = 0
        while end < size:
            start, end = end, data.find(b"\n", end, size) + 1 or size
            trace = plain(view[start:end], answers=answers, users=users) if plain is not None else None
            right = self.quick.right(trace) if trace is not None and self.quick.fits else None
            if trace is not None and right is not None:
                found.append((trace.id, len(trace.calls), right[0], number, right[1], trace.reward))
                number += 1
                continue
            whole = self._whole(trace) if trace is not None else None
            if whole is not None:
                traces = [whole]
            elif (line := bytes(view[start:end])).isspace():
                traces = []
            else:
                traces = [*self.reader.read_lines(part.stem, [(self._line(part) + number, line)])]
            for one in traces:
                for k, judged in enumerate(_judged(self.book, self.file, one, self.options)):
                    judged.line, judged.bounds = number, (start, end, k)
                    found.append(_packed(judged, self.book))
            number += 1
        return number, found

    def _whole(self, plain: PlainTrace) -> Trace | None:
        book = self.book.for_tools(plain.tools.keys() | {call[0] for call in plain.calls})
        return plain.whole(book.asks)

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

    def endless(self, part: Part, budget: Budget, wanted: Callable[[], int]) -> Iterator[Judged]:
        """Judge a part that may have a line which is too long to be read."""
        with Path(part.path).open("rb", 0) as file:
            file.seek(part.start)
            lines = Lines(file, LONGEST)
            lines.number = self._line(part) - 1
            for trace in self.reader.read_lines(part.stem, lines):
                trace.source = part.name
                yield from _judged(self.book, self.file, trace, self.options, wanted(), budget)

    def explained(self, part: Part, judged: Judged, budget: Budget) -> Checked:
        """Read the line of a wrong trace again, and say why it is wrong."""
        start, end, k = judged.bounds
        with Path(part.path).open("rb", 0) as file:
            file.seek(part.start + start)
            line = file.read(end - start)
        trace = next(iter(self.reader.read_lines(part.stem, [(judged.line, line)])))
        one = [*with_branches(trace)][k] if self.options.branches else trace
        return _explained(self.file, one, self.options, budget)

    def unpacked(self, part: Part, first: int, packed: Packed) -> Iterator[Judged]:
        """Return results as they were before they were sent. ``first``: the number of the part's first line."""
        for one in packed[1]:
            if isinstance(one, Judged):
                one.line = first + (one.line or 0)
                one.checked.id = one.checked.id or f"{part.stem}:{one.line}"
                one.source = part.name
                yield one
                continue
            id, calls, counts, number, tools, reward = one
            results = self._results.get(counts)
            if results is None:
                pairs = zip(counts, self.book.kept, strict=True)
                results = [_kept(count, *pair) for count, pair in pairs]
                if len(self._results) < MOST_RESULTS:
                    self._results[counts] = results
            id = id or f"{part.stem}:{first + number}"
            checked = Checked(id, "right", calls, results, explanation=KEPT, tools=tools, reward=reward)
            yield Judged(checked, part.name, tools, first + number)


def _fill(file: Any, view: memoryview) -> int:
    """Fill the view from a file as far as the file goes. Return the number of bytes."""
    size = 0
    while size < len(view) and (count := file.readinto(view[size:])):
        size += count
    return size


def _packed(judged: Judged, book: Rulebook) -> Judged | Small:
    """Return a result as a worker sends it."""
    checked = judged.checked
    more = checked.problem is not None or checked.left_out
    if checked.verdict != "right" or more:
        return judged
    counts = []
    for result, pair in zip(checked.results, book.kept, strict=True):
        if result is not pair[0] and result is not pair[1]:
            return judged
        counts.append(result is pair[1])
    return checked.id, checked.calls, bytes(counts), judged.line or 0, judged.tools, checked.reward


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
    book: Rulebook,
    file: RuleFile,
    trace: Trace,
    options: CheckOptions,
    wanted: int = 0,
    budget: Budget | None = None,
) -> list[Judged]:
    """Judge a trace, with its branches if they are wanted. At most ``wanted`` wrong ones get details."""
    found = []
    for one in with_branches(trace) if options.branches and trace.branches else (trace,):
        checked = check_trace(book, one, options)
        tools = frozenset(one.tools) | checked.tools if one.tools else checked.tools
        judged = Judged(checked, one.source, tools, one.line)
        if checked.verdict == "wrong":
            judged.ids = _ids(one, checked)
            if wanted > 0 and budget is not None:
                wanted -= 1
                judged.checked = _explained(file, one, options, budget)
        found.append(judged)
    return found


def _ids(trace: Trace, checked: Checked) -> dict[StepNo, str]:
    """Return the ids of the calls that break a rule first."""
    calls = trace.calls
    steps = {result.broken_at[0] for result in checked.broken} if calls else ()
    ids = {step: calls[-1 if step == "end" else step - 1].call_id for step in steps}
    return {step: id for step, id in ids.items() if id}


def _explained(file: RuleFile, trace: Trace, options: CheckOptions, budget: Budget) -> Checked:
    from planscope.rules.beside import checked_run, judged_trace  # imported late because it imports Z3

    whole = replace(trace, ending="running") if options.running else trace
    run = judged_trace(file, whole, succeeded_only=options.succeeded_only)
    return checked_run(run, file, trace.id, budget=budget)


def check_many(
    paths: Sequence[str | Source],
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
    paths: Sequence[str | Source],
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
            large = _parts(source, size, heard) if size >= LARGE else None
            if large is None:
                for trace in read(source, Options(), heard):
                    yield from _judged(book, file, trace, options, wanted(), budget)
            else:
                reader, parts = large
                work = _Work(file, options, reader)
                for part, found in _in_workers(parts, work, count, budget, wanted):
                    yield from found
                    if progress is not None:
                        progress(done + part.end, done + size)
        except Unreadable as error:
            heard(str(error))
        done += size


def _parts(source: Any, size: int, heard: Heard) -> tuple[Any, Iterator[Part]] | None:
    """Return the reader and the parts of a large file whose lines are traces, or None for another file."""
    reader = reader_of(source, heard)
    of_lines = getattr(reader, "line_is_a_trace", None)
    packed = source.seen.data[:1] not in (b"{", b"[")
    if of_lines is None or not hasattr(reader, "read_lines") or not of_lines(source.seen) or packed:
        return None
    source.close()
    with source.path.open("rb") as file:
        if file.read(1) not in (b"{", b"["):
            return None
    return reader, _cut(source, size)


def _cut(source: Any, size: int) -> Iterator[Part]:
    start = 0
    with source.path.open("rb", 0) as file:
        while start < size:
            end = _line_end(file, min(start + PART, size), size)
            endless = end is None or end - start > LONGEST
            if end is None or endless:
                end = size
            yield Part(source.stem, source.name, str(source.path), start, end, endless)
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
    parts: Iterable[Part], work: _Work, count: int, budget: Budget, wanted: Callable[[], int]
) -> Iterator[tuple[Part, Iterator[Judged]]]:
    """Yield the parts with their results, in order. Wrong traces get details here, so that no more are made than are
    wanted, and the same ones on every machine."""
    line = 1

    def results(part: Part, packed: Packed) -> Iterator[Judged]:
        for judged in work.unpacked(part, line, packed):
            if judged.checked.verdict == "wrong" and wanted() > 0:
                judged.checked = work.explained(part, judged, budget)
            yield judged

    for part, packed in _packed_parts(parts, count, work):
        if packed is None:
            yield part, work.endless(part, budget, wanted)
        else:
            yield part, results(part, packed)
            line += packed[0]


def _packed_parts(parts: Iterable[Part], count: int, work: _Work) -> Iterator[tuple[Part, Packed | None]]:
    """Yield the parts as they are judged, in order; None for one whose lines may be too long. At most two parts for
    each worker are in progress."""
    if count == 1:
        for part in parts:
            yield part, None if part.endless else work.judge(part)
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    context = multiprocessing.get_context("spawn" if os.name == "nt" else "fork")
    pool = ProcessPoolExecutor(count, context, _begin, (work.file, work.options, work.reader))
    waiting: deque[tuple[Part, Future[Packed] | None]] = deque()
    try:
        for part in parts:
            with _signals_held() if not waiting else nullcontext():
                waiting.append((part, None if part.endless else pool.submit(_judge_part, part)))
            if len(waiting) > 2 * count:
                first, answer = waiting.popleft()
                yield first, answer.result() if answer is not None else None
        for first, answer in waiting:
            yield first, answer.result() if answer is not None else None
    except BrokenProcessPool:
        raise Unreadable(
            f"{part.name} cannot be read any further: a process that judged it was ended from outside"
        ) from None
    finally:
        # workers end by themselves: one that is killed can leave the parent waiting
        pool.shutdown(cancel_futures=True)


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
