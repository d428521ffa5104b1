"""``check - --rules R --running``: tells after each line of standard input what it changes."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from select import select
from typing import IO
from weakref import finalize

from planscope.commands.common import complain, print_json_line, say
from planscope.errors import UserError
from planscope.oracle.trace import Item, Said, ToolCall, Trace
from planscope.rules.judge import Judge, Rulebook, tool_of
from planscope.rules.report import CheckOptions
from planscope.rules.rule import RuleFile
from planscope.safe import visible
from planscope.traces import Options, Unreadable
from planscope.traces.json_stream import Broken, parsed
from planscope.traces.messages import MessageFormat
from planscope.traces.opening import reader_of
from planscope.traces.reader import Reader
from planscope.traces.source import SAMPLE, Head, Source, reopened, text_of_line
from planscope.wording.terms import STATUSES

PIECE = 2**20


class Growing(Source):
    """Standard input as far as it was read, without a line that has not ended. Each line is a value, also the only
    one."""

    def head(self, size: int) -> Head:
        """Return the first bytes and values."""
        found = super().head(size)
        return replace(found, kind="lines") if found.kind == "json" else found


class Follower:
    """Judges a stream again after each piece of it that ends a line, and tells what changed."""

    def __init__(self, file: RuleFile, options: CheckOptions, *, json: bool) -> None:
        self._book = Rulebook(file.rules, succeeded_only=options.succeeded_only, known=file.known)
        self._json = json
        self._kept: IO[bytes] = tempfile.SpooledTemporaryFile(32 * 2**20)  # noqa: SIM115
        self.source: Source = Growing("standard input", self._opened)
        self._closing = finalize(self.source, self._kept.close)
        self._reader: Reader | None = None
        self._lines = self._size = 0
        self._took = 0.0
        self._told: dict[str, tuple[int, list[str]]] = {}
        """For each trace: how many of its items were judged, and the rules' states after them."""

    def _opened(self) -> IO[bytes]:
        return reopened(self._kept)

    def follow(self, stream: IO[bytes]) -> Source:
        """Read the stream to its end. Return all of it."""
        rest, by_line = b"", None
        while piece := self._piece(stream):
            rest += piece
            cut = rest.rfind(b"\n") + 1
            if not cut:
                continue
            lines, rest = rest[:cut], rest[cut:]
            self._write(lines)
            if by_line is None and not lines.isspace():
                by_line = _is_value(lines.lstrip().partition(b"\n")[0])
                if not by_line:
                    complain(
                        ("standard input is one JSON document, or is packed; it is judged when it ends",)
                    )
            if by_line:
                self._take(lines.splitlines(keepends=True))
        if rest:
            self._write(rest)
        if not self._kept.tell():
            raise Unreadable("standard input is empty; pipe a trace into it")
        if not by_line:
            self._closing.detach()
            self.source = Source(self.source.name, self._opened)
            finalize(self.source, self._kept.close)
        if rest or not by_line:
            self._take(rest.splitlines(keepends=True))
        return self.source

    def _piece(self, stream: IO[bytes]) -> bytes:
        """Return what comes next. If much comes at once, wait for more of it, but no longer than judging it takes:
        most formats must be read again from their beginning."""
        read = getattr(stream, "read1", stream.read)
        found: bytes = read(PIECE)
        with suppress(
            OSError, ValueError
        ):  # it has no descriptor, or one that cannot be waited for (Windows)
            while len(found) < self._size and select([stream.fileno()], [], [], min(self._took, 1.0))[0]:
                more = read(PIECE)
                found += more
                if not more:
                    break
        self._size += len(found)
        return found

    def _write(self, data: bytes) -> None:
        self._kept.seek(0, 2)
        self._kept.write(data)

    def _take(self, lines: list[bytes]) -> None:
        """Judge what these lines, which were just read, make of the traces."""
        before, self._lines = self._lines, self._lines + len(lines)
        begun = time.monotonic()
        try:
            if self._reader is None or before < SAMPLE:
                self._reader = reader_of(self.source, lambda line: None)
            for trace in self._traces(self._reader, before, lines):
                self._tell(trace)
        except (Unreadable, Broken):
            return  # what follows may tell the format; if it does not, the whole is refused at the end
        finally:
            self.source.close()
            self._took = time.monotonic() - begun
        sys.stdout.flush()

    def _traces(self, reader: Reader, before: int, lines: list[bytes]) -> Iterator[Trace]:
        """Yield the traces that these lines may have changed."""
        if not isinstance(reader, MessageFormat) or not reader.line_is_a_trace(self.source.seen):
            yield from reader.read(self.source, Options())
            return
        numbered = enumerate(lines, before + 1) if self._told else self.source.lines()
        whole = [(number, line) for number, line in numbered if not line.isspace()]
        yield from reader.read_lines(self.source.stem, whole)

    def _tell(self, trace: Trace) -> None:
        """Tell each change of a rule's state since the trace was judged last, step by step."""
        id = trace.id or self.source.stem
        seen, states = self._told.get(id, (0, ["kept_so_far"] * len(self._book.rules)))
        tools = frozenset(call.tool for call in trace.calls)
        judge = Judge(self._book.about(trace).for_tools(tools.union(trace.tools)))
        judge.tools = tools
        last = len(trace.items)
        for count, item in enumerate(trace.items, 1):
            if isinstance(item, ToolCall):
                judge.take(item, item.step)
            elif isinstance(item, Said) and tool_of(item) in judge.book.hears:
                judge.take(item, judge.last_step + 1)
            elif count < last:
                continue
            if count >= min(seen, last):
                states = self._changes(id, trace, judge, item, states)
        self._told[id] = last, states

    def _changes(self, id: str, trace: Trace, judge: Judge, item: Item, before: list[str]) -> list[str]:
        after: list[str] = []
        call = item if isinstance(item, ToolCall) else None
        for i, result in enumerate(judge.results(trace, open_end=True)):
            unsure = result.state == "unknown" and not result.owed
            state = "unknown" if unsure else judge.rule_status(i)
            after.append(state)
            if state == before[i]:
                continue
            rule, value = self._book.rules[i], result.value if state == "broken" else None
            if self._json:
                from planscope.documents.rules import RuleChangeDocument

                print_json_line(
                    RuleChangeDocument(
                        trace=id,
                        step=judge.last_step,
                        tool=call.tool if call else None,
                        rule=rule.id,
                        name=rule.name,
                        text=rule.text,
                        state=state,
                        value=value,
                    )
                )
                continue
            named = "" if id == self.source.stem else f"{visible(id, limit=60)}, "
            tool = f" ({visible(call.tool, limit=60)})" if call else ""
            more = f" (for {visible(value, limit=60)})" if value is not None else ""
            say(f"{named}step {judge.last_step}{tool}: {rule.title}: {STATUSES[state]}{more}")
        return after


def followed(file: RuleFile, options: CheckOptions, *, json: bool) -> Source:
    """Follow standard input to its end, and return it as a source. Raises UserError."""
    if sys.stdin is None:
        raise UserError("standard input is closed; name a file")
    return Follower(file, options, json=json).follow(sys.stdin.buffer)


def _is_value(line: bytes) -> bool:
    """Return whether a line is a JSON object or list."""
    try:
        return isinstance(parsed(text_of_line(line)), dict | list)
    except ValueError:
        return False
