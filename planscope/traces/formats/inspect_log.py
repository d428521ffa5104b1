"""Reads logs of Inspect: ``.eval`` (a ZIP, newer ones packed with zstd) and JSON. Each epoch of a sample is a trace."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import IO

from planscope.oracle.trace import Item, Said, ToolCall, Trace
from planscope.traces.blocks import Shape, take
from planscope.traces.build import OUTPUT, Builder, Full, spliced
from planscope.traces.json_stream import Broken, Cursor, JsonStream, parsed
from planscope.traces.reader import FileFormat, Options
from planscope.traces.signs import holds
from planscope.traces.source import Head, Source, Unpacked, Unreadable, zstandard
from planscope.traces.values import Obj, as_text, dig, name, number, obj, seq, text

NAME = "inspect"
_DAMAGE = (Broken, zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError)
ZSTD_IN_ZIP = 93
LONGEST_HEADER = 16 * 2**20
MOST_SAMPLES = 1_000_000
ATTACHED = "attachment://"
ASIDE = {"metadata": "a gold plan", "target": "a gold plan", "store": "a copy", "plan": "a definition",
         "eval": "a definition"}  # fmt: skip
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}


def _known(head: Head) -> float:
    signs = ("eval & version|plan", "messages:list & epoch")
    found = any(holds(one, sign) for one in head.objects[:3] for sign in signs)
    return 0.9 if head.kind == "zip" else 0.95 * found


def _read(source: Source, options: Options) -> Iterator[Trace]:
    if source.seen.kind == "zip":
        yield from _read_zip(source)
        return
    model: str | None = None
    for top in source.json().documents():
        if top.kind != "{":
            top.skip()
            continue
        if "epoch" in next(iter(source.seen.objects), {}):
            yield _sample(top, source)
            continue
        for key, member in top.members():
            if key == "eval":
                model = text(obj(member.value()).get("model")) or None
            elif key == "samples" and member.kind == "[":
                for sample in member.elements():
                    trace = _sample(sample, source)
                    trace.model = trace.model or model
                    yield trace
                    if trace.cause == "cut_off":
                        return


# ZIP ----------------------------------------------------------------------------------------------------------


def _read_zip(source: Source) -> Iterator[Trace]:
    file = source.raw()
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(
            f"{source.name}: a ZIP file that cannot be read: {error}; get the file again"
        ) from None
    entries = [one for one in archive.infolist() if _is_sample(one.filename)]
    if not entries:
        raise Unreadable(f"{source.name}: a ZIP file that is not an Inspect log, or one without samples")
    header = _header(archive, source)
    model = text(dig(header, "eval.model")) or None
    for entry in entries[:MOST_SAMPLES]:
        build_id = entry.filename.removeprefix("samples/").removesuffix(".json")
        try:
            with _entry(archive, entry, source) as stream:
                trace = _sample(next(_documents(stream, source)), source, build_id)
        except (StopIteration, *_DAMAGE) as error:
            build = Builder(build_id, NAME)
            build.broken(Broken(str(error)[:300] or "it is empty", entry.filename, cut=False))
            trace = build.done()
        trace.model = trace.model or model
        yield trace


def _header(archive: zipfile.ZipFile, source: Source) -> Obj:
    for file in ("header.json", "_journal/start.json"):
        try:
            with _entry(archive, archive.getinfo(file), source) as stream:
                return obj(parsed(stream.read(LONGEST_HEADER).decode("utf-8", "replace")))
        except (KeyError, ValueError, *_DAMAGE):
            continue
    return {}


# samples ------------------------------------------------------------------------------------------------------


def _sample(sample: Cursor, source: Source, default_id: str = "") -> Trace:
    build = Builder(default_id or source.stem, NAME)
    about: Obj = {}
    inner = _Events(build)
    try:
        if sample.kind != "{":
            sample.skip()
        else:
            _members(sample, build, about, inner)
    except Full:
        build.full()
    except Broken as broken:
        build.broken(broken)
    inner.put_in()
    trace = build.trace
    id, epoch = name(about.get("id")), name(about.get("epoch"))
    if id:
        trace.id = f"{id}.{epoch}" if epoch else id
    trace.reward = _reward(about.get("scores"))
    trace.model = text(dig(about, "output.model")) or None
    error = obj(about.get("error"))
    if error:
        build.problem(f"the sample ended in an error: {text(error.get('message'))[:200]}", cause="model")
    if about.get("limit"):
        words = as_text(dig(about, "limit.type", "limit"))[:80]
        build.problem(f"the sample was stopped by its limit: {words}", cause="stopped")
    return trace


def _members(sample: Cursor, build: Builder, about: Obj, inner: _Events) -> None:
    attachments = _Attachments(build)
    for key, member in sample.members():
        if key == "messages" and member.kind == "[":
            for element in member.elements():
                message = element.value()
                if type(message) is dict:
                    _take(build, message)
            inner.begin()
        elif key == "events" and member.kind == "[":
            for element in member.elements():
                inner.take(obj(element.value()))
        elif key == "attachments" and member.kind == "{":
            attachments.look(inner)
            for hash_of, one in member.members():
                attachments.put(hash_of, one)
        elif key in ("id", "epoch", "scores", "error", "limit", "output"):
            about[key] = member.value()
        else:
            member.skip()


def _is_sample(file: str) -> bool:
    return file.startswith("samples/") and file.endswith(".json")


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, source: Source) -> IO[bytes]:
    """Return the unpacked bytes of an entry, which Python's zipfile cannot unpack if it is zstd."""
    packed: IO[bytes]
    if entry.compress_type != ZSTD_IN_ZIP:
        return io.BufferedReader(Unpacked(source.raw(), archive.open(entry), entry.compress_size))
    packed = source.raw()
    packed.seek(entry.header_offset)
    local = packed.read(30)
    if len(local) < 30 or local[:4] != b"PK\x03\x04":
        raise Broken("the entry's header is damaged", entry.filename)
    packed.seek(int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little"), io.SEEK_CUR)
    unpacked = zstandard(source.name, _Part(packed, entry.compress_size))
    return io.BufferedReader(Unpacked(packed, unpacked, entry.compress_size))


def _documents(stream: IO[bytes], source: Source) -> Iterator[Cursor]:
    return JsonStream(stream, heard=source.ledger.walk).documents()


class _Part(io.RawIOBase):
    """The next ``size`` bytes of a file."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self._left = file, size

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        data = self._file.read(self._left if size is None or size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


_SHAPE = Shape(
    tool="function",
    words="content|error.message",
    marks=True,
    refused="error.type=approval",
    placed=frozenset(("source", "function", "metadata", "internal", "model")),
)


def _take(build: Builder, message: Obj) -> None:
    if message.get("role") != "tool":
        message = {k: message[k] for k in ("role", "content", "name", "tool_calls") if k in message}
    take(build, message, _SHAPE)


class _Events:
    """Calls among the events: the times of those in the messages, and calls that only sub-agents' messages have."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.known: dict[str, ToolCall] = {}
        self.front: Builder | None = None
        self.parts: dict[int, tuple[ToolCall, Builder]] = {}
        self.before: ToolCall | None = None
        self.seen: set[str] = set()
        """The ids of the calls that the messages lack. An event may be told again."""

    def begin(self) -> None:
        """Index the calls by their ids, once the messages were read."""
        self.known = {call.call_id: call for call in self.build.trace.calls if call.call_id}

    def take(self, event: Obj) -> None:
        if event.get("event") != "tool":
            return
        known = self.known.get(name(event.get("id")))
        if known is not None:
            self.before = known
            if known.at is None:
                known.at = self.build.at(event.get("timestamp"))
                done = self.build.at(event.get("completed"))
                if done is not None and known.at is not None:
                    known.took = round(max(done - known.at, 0.0), 6)
        else:
            self._add(event)
        for inner in seq(event.get("events")):  # older logs nest what a call did
            self.take(obj(inner))

    def _add(self, event: Obj) -> None:
        if self.before is None:
            part = self.front = self.front or Builder("", NAME)
        else:
            _, part = self.parts.setdefault(self.before.step, (self.before, Builder("", NAME)))
        if event.get("function") == "submit":  # its agents take it out of their messages
            self.build.excuse(OUTPUT, "submit", event.get("arguments"), event.get("id"))
            return
        if name(event.get("id")) in self.seen:
            return
        self.seen.add(name(event.get("id")) or f"#{len(self.seen)}")
        part.message += 1
        call = part.call(
            event.get("function"),
            event.get("arguments"),
            event.get("id"),
            at=self.build.at(event.get("timestamp")),
            agent=text(event.get("agent")) or None,
        )
        error = obj(event.get("error"))
        if "result" in event or error:
            words = as_text(event.get("result")) or text(error.get("message"))
            done = self.build.at(event.get("completed"))
            part.fill(call, words, failed=bool(error), refused=error.get("type") == "approval", at=done)

    def put_in(self) -> None:
        """Put the calls of sub-agents after those that started them, and earlier ones first."""
        self.build.parts += [(call, part.items) for call, part in self.parts.values()]
        self.build.put_in()
        made = self.build.items
        if self.front is None:
            return
        begin = next((k for k, item in enumerate(made) if isinstance(item, ToolCall)), len(made))
        for item in made[begin:]:
            item.message += len(self.front.items)
        for k, item in enumerate(self.front.items):
            item.message = (made[begin - 1].message if begin else -1) + 1 + k
        made[:] = spliced(made[:begin] + self.front.items + made[begin:], ())


class _Attachments:
    """Long texts at the end of a sample. Only those that the trace names are kept."""

    def __init__(self, build: Builder) -> None:
        self.build = build
        self.wanted: dict[str, list[Item]] = {}

    def look(self, inner: _Events) -> None:
        """Find the texts that the trace names."""
        parts = [part.items for _, part in inner.parts.values()] + (
            [inner.front.items] if inner.front else []
        )
        for items in (self.build.items, *parts):
            for item in items:
                words = item.answer if isinstance(item, ToolCall) else item.text
                if words and words.startswith(ATTACHED):
                    self.wanted.setdefault(words.removeprefix(ATTACHED), []).append(item)
                if isinstance(item, ToolCall) and item.arguments:
                    for value in item.arguments.values():
                        if type(value) is str and value.startswith(ATTACHED):
                            self.wanted.setdefault(value.removeprefix(ATTACHED), []).append(item)

    def put(self, hash_of: str, one: Cursor) -> None:
        """Replace the name of a text with the text."""
        items = self.wanted.get(hash_of)
        if not items:
            one.skip()
            return
        words = text(one.value())
        mark = ATTACHED + hash_of
        for item in items:
            if isinstance(item, ToolCall):
                if item.answer == mark:
                    item.answer = words
                if item.arguments:
                    item.arguments = {k: words if v == mark else v for k, v in item.arguments.items()}
            elif isinstance(item, Said) and item.text == mark:
                item.text = words


def _reward(scores: object) -> float | None:
    """Return the first score as a number, or None if it is not one."""
    for score in obj(scores).values():
        value = obj(score).get("value") if type(score) is dict else score
        if type(value) is str and value in _GRADES:
            return _GRADES[value]
        found = number(value)
        if found is not None:
            return found
    return None


READERS = (FileFormat(NAME, "an Inspect log", _known, _read, aside=ASIDE),)
