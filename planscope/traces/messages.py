"""Readers of formats that are lists of messages: alone, under a key, many in an array or a file of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from planscope.oracle.trace import Trace
from planscope.traces.accounts import Ledger
from planscope.traces.build import Builder, Full, cut_off
from planscope.traces.json_stream import Broken, Cursor, parsed, salvaged
from planscope.traces.plain import PlainTrace
from planscope.traces.reader import Options, closed
from planscope.traces.source import Head, Source, damage_of, text_of_line
from planscope.traces.values import name, number, obj

IDS = (
    "id",
    "trace_id",
    "traceId",
    "conversation_id",
    "session_id",
    "thread_id",
    "run_id",
    "task_id",
    "custom_id",
)
"""Keys beside the messages that may name a trace, the first one first."""


@dataclass(frozen=True)
class MessageFormat:
    """A format of messages. A format is a value, not a subclass: its behaviour is given as functions."""

    name: str
    title: str
    lists: tuple[str, ...]
    """Keys that may have the messages."""
    is_message: Callable[[Any], bool]
    """Whether a value is a message."""
    sure: Callable[[list[dict[str, Any]], dict[str, Any]], float]
    """How surely these messages, and the members beside them, have this format."""
    take: Callable[[Builder, dict[str, Any]], None]
    """Adds one message."""
    about: Callable[[Builder, dict[str, Any]], None] = lambda build, beside: about_messages(build, beside)
    """Adds what the members beside the messages say."""
    id_of: Callable[[dict[str, Any]], str] = lambda beside: id_beside(beside)
    in_row: bool = False
    """Whether the messages are under all of the keys, in this order."""
    take_many: Callable[[Builder, list[Any]], None] | None = None
    plain: Callable[..., PlainTrace | None] | None = None
    """Reads a line that is a plain trace at once (``plain.py``)."""
    aside: Mapping[str, str] = field(default_factory=dict)
    """Keys under which nothing is of the run, and why."""

    # recognising --------------------------------------------------------------------------------------------------

    def recognises(self, head: Head) -> float:
        """Return how surely the first records have this format, by the surest of them."""
        records = head.records
        if head.kind == "lines" or not self._listed(next(iter(head.sample), None)):
            alone = [one for one in records if self.is_message(one)]
            if alone and self.is_message(next((r for r in records if type(r) is dict), None)):
                return self.sure(alone, {})
        return max((self._sure(one) for one in records[:10]), default=0.0)

    def _listed(self, record: Any) -> bool:
        """Return whether an object has messages under a key, so that it is none itself."""
        return type(record) is dict and any(type(record.get(key)) is list for key in self.lists)

    def _sure(self, record: Any) -> float:
        messages, beside = self._split(record)
        found = [one for one in messages[:200] if self.is_message(one)]
        return self.sure(found, beside) if found else 0.0

    def _split(self, record: Any) -> tuple[list[Any], dict[str, Any]]:
        """Return the messages of a record, and its other members."""
        if type(record) is list:
            return record, {}
        beside = obj(record)
        if self.is_message(beside) and not self._listed(beside):
            return [beside], {}
        found: list[Any] = []
        for key in self.lists:
            value = beside.get(key)
            if type(value) is list:
                found += value
        return found, beside

    def line_is_a_trace(self, head: Head) -> bool:
        """Return whether every line of such a file is a trace of its own."""
        first = next((one for one in head.sample if type(one) in (dict, list)), None)
        return head.kind == "lines" and first is not None and not self.is_message(first)

    # reading ------------------------------------------------------------------------------------------------------

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        """Yield every trace of the file."""
        if self.line_is_a_trace(source.seen):
            yield from self.read_lines(source.stem, source.lines())
        elif source.seen.kind == "lines":
            yield self._one(source, (value for _, value in source.records()))
        else:
            yield from self._read_json(source)

    def read_lines(self, stem: str, lines: Iterable[tuple[int, bytes]]) -> Iterator[Trace]:
        """Yield a trace of each line. A damaged line gives the trace of its complete parts."""
        ledger = Ledger()
        try:
            for number, line in lines:
                words = text_of_line(line)
                try:
                    record, problem, cut = parsed(words), None, False
                except ValueError as error:
                    problem, cut = damage_of(number, line, error)
                    record = salvaged(words.lstrip()) if cut else None
                ledger.walk(record, f"line {number}")
                alone = problem is None and type(record) is dict
                if alone and not any(key in record for key in self.lists):
                    continue  # it says something about the others
                trace = self.trace_of(record, f"{stem}:{number}")
                if problem is not None:
                    cut_off(trace, problem)
                ledger.settle(trace, self.aside)
                trace.line = number
                yield trace
        except Broken as broken:
            build = Builder(f"{stem}:{broken.where}", self.name)
            build.problem(f"{broken.where}: {broken.why}", cause="cut_off")
            yield build.done()

    def trace_of(self, record: Any, default_id: str) -> Trace:
        """Return the trace of one record: a list of messages, or an object with such a list."""
        messages, beside = self._split(record)
        build = Builder(self.id_of(beside) or default_id, self.name)
        self._take_all(build, messages)
        if beside:
            self.about(build, beside)
        return build.trace

    def _take_all(self, build: Builder, messages: Iterable[Any]) -> None:
        take = self.take
        try:
            if self.take_many is not None and type(messages) is list:
                self.take_many(build, messages)
                return
            for message in messages:
                if type(message) is dict:
                    take(build, message)
                elif type(message) is list:
                    self._take_all(build, message)
                else:
                    build.unknown("a message that is not an object")
        except Full:
            build.full()

    def _one(self, source: Source, messages: Iterable[Any]) -> Trace:
        """Return the trace of a file whose lines are messages."""
        build = Builder(source.stem, self.name)
        broken = None
        try:
            self._take_all(build, messages)
        except Broken as error:
            broken = error
        return closed(build, source, broken)

    def _read_json(self, source: Source) -> Iterator[Trace]:
        count = 0
        try:
            for top in source.json().documents():
                if top.kind not in "[{":
                    top.skip()
                    continue
                if top.kind == "[":
                    found = self._read_array(top, source, count)
                else:
                    found = iter(
                        (self._read_object(top, source.stem if not count else f"{source.stem}:{count + 1}"),)
                    )
                for trace in found:
                    count += 1
                    yield trace
                    if trace.cause == "cut_off":
                        return
        except Broken as broken:
            if not count:
                raise
            build = Builder(f"{source.stem}:{broken.where}", self.name)
            build.problem(f"{broken.where}: {broken.why}", cause="cut_off")
            yield build.done()

    def _read_array(self, top: Cursor, source: Source, before: int) -> Iterator[Trace]:
        """Read an array of messages, which are one trace, or of traces."""
        one: Builder | None = None
        count = before
        elements = top.elements()
        try:
            for element in elements:
                record, broken = whole_or_saved(element)
                if one is None and self.is_message(record):
                    one = Builder(source.stem if not before else f"{source.stem}:{before + 1}", self.name)
                if one is None:
                    count += 1
                    if type(record) in (dict, list):
                        trace = self.trace_of(record, f"{source.stem}:{count}")
                        if broken is not None:
                            cut_off(trace, f"{broken.where}: {broken.why}")
                        yield trace
                    if broken is not None:
                        return
                elif broken is not None:
                    raise broken
                else:
                    self._take_all(one, (record,))
        except Broken as broken:
            if one is None:
                one = Builder(f"{source.stem}:{count + 1}" if count else source.stem, self.name)
            one.problem(f"{broken.where}: {broken.why}", cause="cut_off")
        if one is not None:
            yield one.done()

    def _read_object(self, top: Cursor, default_id: str) -> Trace:
        """Read an object with a list of messages, element by element."""
        build = Builder(default_id, self.name)
        beside: dict[str, Any] = {}
        later: list[tuple[int, Any]] = []
        try:
            for key, member in top.members():
                if key in self.lists[: 1 if self.in_row else None] and member.kind == "[":
                    self._take_all(build, (one.value() for one in member.elements()))
                    continue
                value, broken = whole_or_saved(member)
                if key in self.lists and type(value) is list:
                    later.append((self.lists.index(key), value))
                else:
                    beside[key] = value
                if broken is not None:
                    raise broken
        except Broken as broken:
            build.problem(f"{broken.where}: {broken.why}", cause="cut_off")
        for _, messages in sorted(later, key=lambda pair: pair[0]):
            self._take_all(build, messages)
        if build.message < 0 and self.is_message(beside):
            self._take_all(build, (beside,))
        build.trace.id = self.id_of(beside) or default_id
        self.about(build, beside)
        return build.done()


def whole_or_saved(cursor: Cursor) -> tuple[Any, Broken | None]:
    """Return the value, or the complete parts of one that was cut."""
    try:
        return cursor.value(), None
    except Broken as broken:
        return (salvaged(broken.rest) if broken.cut else None), broken


def id_beside(beside: dict[str, Any]) -> str:
    """Return the trace's id among the members beside the messages; empty if it has none."""
    return next((found for key in IDS if (found := name(beside.get(key)))), "")


def about_messages(build: Builder, beside: dict[str, Any]) -> None:
    """Add tools, model, title and reward, as most programs name them."""
    build.tools(beside.get("tools", beside.get("functions")))
    trace = build.trace
    model = beside.get("model")
    if type(model) is str:
        trace.model = model
    title = beside.get("title")
    if type(title) is str:
        trace.title = title
    build.trace.reward = number(beside.get("reward"))
