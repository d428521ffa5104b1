"""Reads sessions of Gemini CLI: one JSON document (older), or lines with checkpoints and rewinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from planscope.oracle.trace import Trace
from planscope.traces.blocks import Shape, function_response, take
from planscope.traces.build import MOST_ITEMS, Builder, Full
from planscope.traces.formats.claude_code import files_in
from planscope.traces.json_stream import Broken
from planscope.traces.reader import FileFormat, Options, closed, records
from planscope.traces.source import Source, Unreadable, file_source
from planscope.traces.values import Obj, as_text, name, obj, rest_of, seq, text

_CALL = frozenset(("id", "name", "args", "status", "result", "timestamp", "displayName", "description",
                   "renderOutputAsMarkdown", "resultDisplay"))  # fmt: skip
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,200}")
MOST_PARTS = 200
_NAME = "gemini-cli"


class _History:
    """The messages after all rewinds and checkpoints, and those that were rewound."""

    def __init__(self) -> None:
        self.about: Obj = {}
        self.messages: dict[str, Obj] = {}
        self.gone: list[tuple[str, list[Obj]]] = []
        """Rewound messages, each list with the id of the message before it."""
        self.unknown: list[str] = []

    def take(self, line: Obj) -> None:
        if "$rewindTo" in line:
            self._rewind(name(line["$rewindTo"]))
        elif changed := obj(line.get("$set")):
            if type(changed.get("messages")) is list:
                self.messages = {}
                for one in seq(changed["messages"]):
                    self._add(obj(one))
            self._know(changed)
        elif type(line.get("type")) is str and ("content" in line or "toolCalls" in line or "id" in line):
            self._add(line)
        elif "sessionId" in line or "projectHash" in line:
            for one in seq(line.get("messages")):
                self._add(obj(one))
            self._know(line)
        else:
            self.unknown.append(text(line.get("type")) or next(iter(line), "an empty object")[:80])

    def _know(self, line: Obj) -> None:
        self.about.update({k: v for k, v in line.items() if k in ("sessionId", "startTime", "summary")})

    def _add(self, message: Obj) -> None:
        key = name(message.get("id")) or f"#{len(self.messages)}"
        if len(self.messages) >= MOST_ITEMS:
            raise Full
        self.messages[key] = message

    def _rewind(self, to: str) -> None:
        """Drop this message and those after it."""
        keys = list(self.messages)
        if to not in self.messages:
            return
        place = keys.index(to)
        self.gone.append((keys[place - 1] if place else "", [self.messages.pop(key) for key in keys[place:]]))


def _trace(source: Source, siblings: bool, agent: str | None = None) -> Trace:
    history = _History()
    broken: Broken | None = None
    more = False
    try:
        for record, _ in records(source, ("messages",), lambda one: "$set" in obj(one)):
            history.take(record)
    except Broken as error:
        broken = error
    except Full:
        more = True
    build = Builder(name(history.about.get("sessionId")) or source.stem, _NAME)
    build.at(history.about.get("startTime"))
    build.trace.title = text(history.about.get("summary")) or None
    after: dict[str, int] = {"": 0}
    try:
        for key, message in history.messages.items():
            _take(build, message, agent)
            after[key] = build.steps
        for before, messages in history.gone:
            branch = Builder("", _NAME, steps=after.get(before, 0), message=build.message)
            branch.trace.started = build.trace.started
            for message in messages:
                _take(branch, message, agent)
            if branch.items:
                build.branch(after.get(before, 0), branch.items)
        if more:
            raise Full
    except Full:
        build.full()
    for kind in history.unknown:
        build.unknown(kind)
    if siblings and source.path is not None:
        _put_in_sub_agents(build, source.path)
    return closed(build, source, broken)


def _take(build: Builder, message: Obj, agent: str | None) -> None:
    kind = message.get("type")
    if kind in ("error", "warning"):
        build.message += 1
        build.mark("error", message.get("content"), at=build.at(message.get("timestamp")))
        return
    thoughts = [
        f"{text(obj(t).get('subject'))}: {text(obj(t).get('description'))}"
        for t in seq(message.get("thoughts"))
    ]
    if thoughts:
        message = {**message, "reasoning_content": "\n".join(thoughts)}
    build.trace.model = text(message.get("model")) or build.trace.model
    take(build, message, _SHAPE, agent=agent)


def _take_call(build: Builder, call: object) -> None:
    call = obj(call)
    made = build.call(call.get("name"), call.get("args"), call.get("id"), raw=rest_of(call, _CALL))
    build.settle(made)
    status, result = call.get("status"), call.get("result")
    if result is None and status not in ("error", "cancelled", "success"):
        return
    words: list[str] = []
    for part in result if type(result) is list else () if result is None else (result,):
        response = obj(part).get("functionResponse")
        words.append(
            function_response(obj(response).get("response"))[0] if response is not None else as_text([part])
        )
    shown = "\n".join(filter(None, words)) or (None if result is None else "")
    when = build.at(call.get("timestamp"))
    build.fill(made, shown, failed=status == "error", refused=status == "cancelled", at=when)


_SHAPE = Shape(
    role="type",
    roles={"user": "user", "gemini": "model"},
    calls="toolCalls",
    usage="tokens",
    call=_take_call,
    placed=frozenset(("thoughts", "model", "displayContent")),
)


def _put_in_sub_agents(build: Builder, path: Path) -> None:
    """Add the sessions in the folder named by this session's id, each after the call made before it."""
    if not _SAFE.fullmatch(build.trace.id):
        return
    calls = build.trace.calls
    for file in files_in(path.parent / build.trace.id, MOST_PARTS, "*.json", "*.jsonl"):
        try:
            source = file_source(file)
            source.seen = source.head(65536)
            trace = _trace(source, False, file.stem)
            source.close()
        except (Unreadable, OSError) as error:
            build.unread(str(error))
            continue
        build.trace.left_out += trace.left_out
        began, mine, before = trace.started, build.trace.started, None
        if began is not None and mine is not None:
            before = next((c for c in reversed(calls) if c.at is not None and mine + c.at <= began), None)
            for item in trace.items:
                if item.at is not None:
                    item.at = round(max(item.at + began - mine, 0.0), 6)
        build.parts.append((before, list(trace.items)))
    build.put_in()


def _read(source: Source, options: Options) -> Iterator[Trace]:
    """Read a session; its sub-agents are in a folder named by the session's id."""
    yield _trace(source, options.siblings)


_SIGNS = (
    (0.95, "projectHash & sessionId|messages"),
    (0.9, "$rewindTo"),
    (0.9, "$set:dict"),
    (0.8, "type=gemini & content|toolCalls"),
)
READERS = (FileFormat(_NAME, "a Gemini CLI session", _SIGNS, _read),)
