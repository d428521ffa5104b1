"""Formats that are lists of messages: alone, under a key, many in an array or a file of lines. Each is a table, which
one reader reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from planscope.oracle.trace import Cause, Said, Trace
from planscope.traces.accounts import Ledger
from planscope.traces.blocks import CHAT, Shape, only_text, take
from planscope.traces.build import Builder, Full
from planscope.traces.json_stream import Broken, Cursor, parsed, salvaged
from planscope.traces.plain import PlainTrace
from planscope.traces.reader import Options, Signs, closed
from planscope.traces.signs import filled, first_at, holds
from planscope.traces.source import Head, Source, damage_of, text_of_line
from planscope.traces.values import Obj, as_text, name, number, obj, text

IDS = "id|trace_id|traceId|conversation_id|session_id|thread_id|run_id|task_id|custom_id"
"""Paths beside the messages that may name a trace, the first one first."""
SPEAKS = "role=user|human|assistant|model|ai|agent|system|developer|tool|function|toolResult"
"""The sign of a message with a role."""
ABOUT = {"model": "model", "title": "title", "reward": "reward", "tools": "tools|functions"}
"""Where most programs say these things of a run, beside its messages."""


@dataclass(frozen=True)
class MessageFormat:
    """A format of messages: where they lie, what tells them and the format, and what stands beside them.

    ``lists``: keys that may have the messages; with ``in_row`` they are under all of them, in this order. ``many``: a
    key whose elements have each a trace. ``message``: signs of a message. ``signs``: how surely a record has this
    format, the first that holds counts; each is asked of ``m`` (its messages) and ``beside`` (all of the record).
    ``take`` adds a message that ``shape`` does not tell. ``about``: paths beside the messages, besides ``ABOUT``.
    ``ids``: paths, of which the first names the trace; all together do with ``joined``. ``ends``: signs of a run that
    ended early, in what words, and why. ``more`` adds what is left to say. ``aside``: keys under which nothing is of
    the run, and why. ``plain`` reads a line that is a plain trace at once (``plain.py``).
    """

    name: str
    title: str
    lists: tuple[str, ...]
    signs: Signs
    message: str | Callable[[object], bool] = SPEAKS
    shape: Shape = CHAT
    take: Callable[[Builder, Obj], None] | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    ids: str = IDS
    joined: bool = False
    ends: tuple[tuple[str, str, Cause], ...] = ()
    more: Callable[[Builder, Obj], None] | None = None
    in_row: bool = False
    many: str = ""
    aside: Mapping[str, str] = field(default_factory=dict)
    plain: Callable[..., PlainTrace | None] | None = None

    # recognising --------------------------------------------------------------------------------------------------

    def is_message(self, value: object) -> bool:
        """Return whether a value is a message."""
        if not isinstance(self.message, str):
            return self.message(value)
        return type(value) is dict and any(holds(value, one) for one in self.message.split(" or "))

    def recognises(self, head: Head) -> float:
        """Return how surely the first records have this format, by the surest of them."""
        records = head.records
        alone = head.kind == "lines" or not self._listed(next(iter(head.sample), None))
        if alone and self.is_message(next(iter(head.objects), None)):
            return self._sure([one for one in records if self.is_message(one)], {})
        return max((self._sure(*self._split(one)) for one in records[:10]), default=0.0)

    def _listed(self, record: object) -> bool:
        """Return whether an object has messages under a key, so that it is none itself."""
        return any(type(obj(record).get(key)) is list for key in self.lists)

    def _sure(self, messages: list[object], beside: Obj) -> float:
        found = [one for one in map(obj, messages[:200]) if self.is_message(one)]
        if not found and not self.many:
            return 0.0
        asked = {"m": found, "beside": beside}
        return next(
            (
                sure
                for sure, sign in self.signs
                if (only_text(found, beside) if sign == "only text" else holds(asked, sign))
            ),
            0.0,
        )

    def _split(self, record: object) -> tuple[list[object], Obj]:
        """Return the messages of a record, and its other members."""
        if type(record) is list:
            return record, {}
        beside = obj(record)
        if self.is_message(beside) and not self._listed(beside):
            return [beside], {}
        lists = (beside.get(key) for key in self.lists)
        return [one for found in lists if type(found) is list for one in found], beside

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
            for number_, line in lines:
                words = text_of_line(line)
                try:
                    record, broken = parsed(words), None
                except ValueError as error:
                    broken = damage_of(number_, line, error)
                    record = salvaged(words.lstrip()) if broken.cut else None
                ledger.walk(record, f"line {number_}")
                if broken is None and type(record) is dict and not any(key in record for key in self.lists):
                    continue  # it says something about the others
                trace = self.trace_of(record, f"{stem}:{number_}", broken)
                ledger.settle(trace, self.aside)
                trace.line = number_
                yield trace
        except Broken as ended:
            yield self._broken(f"{stem}:{ended.where}", ended)

    def _broken(self, id: str, broken: Broken) -> Trace:
        build = Builder(id, self.name)
        build.broken(broken)
        return build.done()

    def trace_of(self, record: object, default_id: str, broken: Broken | None = None) -> Trace:
        """Return the trace of one record: a list of messages, or an object with such a list. ``broken``: where its data
        end."""
        messages, beside = self._split(record)
        build = Builder(default_id, self.name)
        self._take_all(build, messages)
        if broken is not None:
            build.broken(broken)
        if beside:
            self._describe(build, beside)
        return build.trace

    def _take_all(self, build: Builder, messages: Iterable[object]) -> None:
        try:
            for message in messages:
                if type(message) is list:
                    self._take_all(build, message)
                elif type(message) is not dict:
                    build.unknown("a message that is not an object")
                elif self.take is not None:
                    self.take(build, message)
                else:
                    take(build, message, self.shape)
        except Full:
            build.full()

    def _describe(self, build: Builder, beside: Obj) -> None:
        """Add what stands beside the messages."""
        trace = build.trace
        found = {key: first_at(beside, paths) for key, paths in (ABOUT | dict(self.about)).items()}
        names = [name(first_at(beside, one)) for one in self.ids.split("|")]
        parts = [one for one in names if one and one != "none"]
        if parts and (names[0] or len(parts) > 1 or not self.joined):
            trace.id = ".".join(parts if self.joined else parts[:1])
        build.tools(found["tools"])
        trace.model = text(found["model"]) or trace.model
        trace.title = text(found["title"]) or trace.title
        trace.agent = text(found.get("agent")) or trace.agent
        trace.reward = number(found["reward"])
        for by in ("user", "system"):
            if words := as_text(found.get(by)):
                build.items.insert(0, Said(by, words, 0))
        for sign, words, cause in self.ends:
            if holds(beside, sign):
                build.problem(filled(words, beside), cause=cause)
        if self.more is not None:
            self.more(build, beside)

    def _one(self, source: Source, messages: Iterable[object]) -> Trace:
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
                id = f"{source.stem}:{count + 1}" if count else source.stem
                found = self._read_array(top, source.stem, id, count)
                if top.kind == "{":
                    found = self._read_many(top, source) if self.many else iter((self._read_object(top, id),))
                for trace in found:
                    count += 1
                    yield trace
                    if trace.cause == "cut_off":
                        return
        except Broken as broken:
            if not count or self.many:
                raise
            yield self._broken(f"{source.stem}:{broken.where}", broken)

    def _read_many(self, top: Cursor, source: Source) -> Iterator[Trace]:
        """Read an object with a list of traces. It may name the model of all."""
        if not any(key in obj(next(iter(source.seen.sample), None)) for key in (self.many, "info")):
            yield self._read_object(top, source.stem)
            return
        model = ""
        for key, member in top.members():
            if key == "info":
                model = text(first_at(member.value(), "agent_info.llm"))
            elif key == self.many and member.kind == "[":
                for trace in self._read_array(member, source.stem, source.stem, 0):
                    trace.model = trace.model or model or None
                    yield trace

    def _read_array(self, top: Cursor, stem: str, id: str, count: int) -> Iterator[Trace]:
        """Read an array of messages, which are one trace, or of traces."""
        one: Builder | None = None
        try:
            for element in top.elements():
                record, broken = whole_or_saved(element)
                if one is None and self.is_message(record):
                    one = Builder(id, self.name)
                if one is None:
                    count += 1
                    if type(record) in (dict, list):
                        yield self.trace_of(record, f"{stem}:{count}", broken)
                    if broken is not None:
                        return
                elif broken is not None:
                    raise broken
                else:
                    self._take_all(one, (record,))
        except Broken as broken:
            if one is None and self.many:
                raise
            one = one or Builder(f"{stem}:{count + 1}" if count else stem, self.name)
            one.broken(broken)
        if one is not None:
            yield one.done()

    def _read_object(self, top: Cursor, default_id: str) -> Trace:
        """Read an object with a list of messages, element by element."""
        build = Builder(default_id, self.name)
        beside: Obj = {}
        later: list[tuple[int, list[object]]] = []
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
            build.broken(broken)
        for _, messages in sorted(later, key=lambda pair: pair[0]):
            self._take_all(build, messages)
        if build.message < 0 and self.is_message(beside):
            self._take_all(build, (beside,))
        self._describe(build, beside)
        return build.done()


def whole_or_saved(cursor: Cursor) -> tuple[object, Broken | None]:
    """Return the value, or the complete parts of one that was cut."""
    try:
        return cursor.value(), None
    except Broken as broken:
        return (salvaged(broken.rest) if broken.cut else None), broken


def id_beside(beside: Obj) -> str:
    """Return the trace's id among the members beside the messages; empty if it has none."""
    return next((found for key in IDS.split("|") if (found := name(beside.get(key)))), "")
