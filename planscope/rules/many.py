"""Judges many traces, one by one, in the order of the files. Plain traces (``traces/plain.py``) are judged by tables
first (``quick.py``); memory holds one trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import cause_sought
from planscope.rules.budget import Budget
from planscope.rules.judge import Rulebook, StepNo, Tested
from planscope.rules.quick import Quick
from planscope.rules.report import KEPT, Checked, CheckOptions, check_trace, with_branches
from planscope.rules.rule import RuleFile
from planscope.traces import Options, Unreadable
from planscope.traces.json_stream import Broken
from planscope.traces.messages import MessageFormat
from planscope.traces.opening import once, read, reader_of, sources
from planscope.traces.source import Source

MOST_CAUSES = 1_000
"""Limit of traces in which a cause is sought."""
MOST_RESULTS = 10_000
"""Limit of lists of results that traces share."""
TOLD = 2**20
"""Progress is told after so many bytes."""
Heard = Callable[[str], None]
Progress = Callable[[int, int], None]
"""A function that receives the bytes that were read and those of all files so far."""


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
    trace: Trace | None = None
    """The trace, if a cause should be sought in it."""


class _Check:
    """One check of many traces. The first ``options.details`` wrong ones have core, repair and explanation."""

    def __init__(self, file: RuleFile, options: CheckOptions, budget: Budget) -> None:
        self.file, self.options, self.budget, self.left = file, options, budget, options.details
        self.book = Rulebook(file.rules, succeeded_only=options.succeeded_only, known=file.known)
        self.seek = MOST_CAUSES if options.details else 0
        self.quick = Quick(self.book)
        self._results: dict[bytes, list[Tested]] = {}

    def judged(self, trace: Trace) -> Iterator[Judged]:
        """Judge a trace, with its branches if they are wanted."""
        for one in with_branches(trace) if self.options.branches and trace.branches else (trace,):
            checked = check_trace(self.book, one, self.options)
            found = Judged(checked, one.source, checked.tools.union(one.tools), one.line)
            if self.seek > 0 and cause_sought(checked.verdict, one.reward, not self.book.rules):
                self.seek -= 1
                found.trace = one
            if checked.verdict == "wrong":
                found.ids = _ids(one, checked)
                if self.left > 0:
                    self.left -= 1
                    found.checked = self._explained(one)
            yield found

    def _explained(self, trace: Trace) -> Checked:
        from planscope.rules.beside import checked_run, judged_trace  # imported late because it imports Z3

        whole = replace(trace, ending="running") if self.options.running else trace
        run = judged_trace(self.file, whole, succeeded_only=self.options.succeeded_only)
        return checked_run(run, self.file, trace.id, budget=self.budget)

    def lines(self, source: Source, reader: MessageFormat, progress: Progress) -> Iterator[Judged]:
        """Judge the traces of a file in which each line is one."""
        size = source.path.stat().st_size if source.path is not None else 0
        done = told = 0
        try:
            for number, line in source.lines():
                done += len(line)
                if done > told:
                    told = done + TOLD
                    progress(done, size)
                yield from self._of_line(source, reader, number, line)
        except Broken as broken:
            yield from self._traces(source, reader.read_lines(source.stem, _raised(broken)))
        finally:
            source.close()

    def _of_line(self, source: Source, reader: MessageFormat, number: int, line: bytes) -> Iterator[Judged]:
        quick = self.quick
        plain = None
        if not quick.timed and reader.plain is not None and self.file.rules:
            plain = reader.plain(line, answers=quick.answers, users=quick.users)
        sought = plain is not None and self.seek > 0 and cause_sought("right", plain.reward, False)
        if plain is not None and quick.fits and not sought and (right := quick.right(plain)) is not None:
            counts, tools = right
            id, calls = plain.id or f"{source.stem}:{number}", len(plain.calls)
            results = self._kept(counts)
            checked = Checked(id, "right", calls, results, explanation=KEPT, tools=tools, reward=plain.reward)
            yield Judged(checked, source.name, tools, number)
            return
        whole = None
        if plain is not None and self.left <= 0 and self.seek <= 0:  # to explain a trace takes all of it
            book = self.book.for_tools(plain.tools.keys() | {call[0] for call in plain.calls})
            whole = plain.whole(book.asks)
        if whole is not None:
            whole.id, whole.line = whole.id or f"{source.stem}:{number}", number
            yield from self._traces(source, (whole,))
        else:
            yield from self._traces(source, reader.read_lines(source.stem, [(number, line)]))

    def _traces(self, source: Source, traces: Iterable[Trace]) -> Iterator[Judged]:
        for trace in traces:
            trace.source = source.name
            yield from self.judged(trace)

    def _kept(self, counts: bytes) -> list[Tested]:
        """Return the results of rules that are kept for so many values each. Most traces share them."""
        found = self._results.get(counts)
        if found is None:
            found = [
                Tested(rule, "kept" if count else "not_applicable", count > 0, values_applicable=count)
                for count, rule in zip(counts, self.book.rules, strict=True)
            ]
            if len(self._results) < MOST_RESULTS:
                self._results[counts] = found
        return found


def _raised(error: Broken) -> Iterator[tuple[int, bytes]]:
    raise error
    yield


def _ids(trace: Trace, checked: Checked) -> dict[StepNo, str]:
    """Return the ids of the calls that break a rule first."""
    calls = trace.calls
    steps = {result.broken_at[0] for result in checked.broken} if calls else ()
    ids = {step: calls[-1 if step == "end" else step - 1].call_id for step in steps}
    return {step: id for step, id in ids.items() if id}


def check_many(
    paths: Sequence[str | Source],
    file: RuleFile,
    options: CheckOptions,
    heard: Heard,
    progress: Progress = lambda done, size: None,
) -> Iterator[Judged]:
    """Judge every trace of these files, folders and globs. ``heard`` receives a line about each file that cannot be
    read."""
    check = _Check(file, options, Budget.of(options.details))
    taken: dict[str, int] = {}
    for source in sources(paths, heard):
        try:
            reader = reader_of(source, heard)
            if isinstance(reader, MessageFormat) and reader.plain and reader.line_is_a_trace(source.seen):
                found = check.lines(source, reader, progress)
            else:
                found = (
                    one for trace in read(source, Options(), heard, reader) for one in check.judged(trace)
                )
            for judged in found:
                judged.checked.id = once(judged.checked.id, taken)
                yield judged
        except Unreadable as error:
            heard(str(error))


def check_traces(traces: Iterable[Trace], file: RuleFile, options: CheckOptions) -> Iterator[Judged]:
    """Judge traces in memory."""
    traces = list(traces)
    check = _Check(file, options, Budget.of(min(options.details, len(traces))))
    for trace in traces:
        yield from check.judged(trace)
