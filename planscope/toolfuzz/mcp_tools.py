"""The tools of an MCP server, as the fuzzer calls them, and what the server's answers come to.

A server must answer arguments that its schema refuses with an error, and all others with a result; it must send nothing
but messages, show no stack trace, and live on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from planscope.errors import UserError
from planscope.toolfuzz.accepts import mismatch, properties, required, schema_fault
from planscope.toolfuzz.folders import FolderCopy
from planscope.toolfuzz.host import Channel, End
from planscope.toolfuzz.mcp_process import (
    START_LIMIT,
    Fault,
    Reply,
    Server,
    ServerLost,
    WebServer,
    address_of,
    command_of,
)
from planscope.toolfuzz.outcome import (
    LONGEST_MESSAGE,
    LONGEST_TRACEBACK,
    Lost,
    Outcome,
    Places,
    Told,
    keyed,
    normal,
    source_line,
    strings_of,
)
from planscope.toolfuzz.tools import Tool, accepted
from planscope.wording.phrases import measured

MOST_VIOLATIONS = 24
"""Limit of calls to one tool with arguments that its schema refuses."""

MOST_STARTS = 3
"""The search ends when the server did not start so often in a row."""

NO_ARGUMENTS: dict[str, object] = {"type": "object", "properties": {}}


class ServerGone(Exception):
    """The server does not start any more."""


class ServerHost:
    """Makes calls to a server. A job begins with a fresh process in an empty folder, unless it takes a warm one.

    ``sees_start``: whether faults that the server shows at its start are this tool's findings, since they must be told
    once.
    """

    def __init__(self, server: Server, places: Places, sees_start: bool = False) -> None:
        self.server, self.places, self._sees_start = server, places, sees_start
        self._failed_starts = 0
        self._pending: tuple[Fault, ...] = ()

    def run(
        self,
        job: Callable[[Channel], None],
        heard: Callable[..., None],
        limit: Callable[[], float],
        warm: bool = False,
    ) -> End:
        """Do a job with a fresh server; ``warm``: with the one that runs, if it was started for this tool.

        ``limit``: seconds that a call may take.
        """
        channel = _ServedChannel(heard, self.server)
        self.server.limit = limit
        try:
            if not (warm and self.server.runs and self.server.owner is self):
                self._start()
            job(channel)
        except Lost as lost:
            self.server.stop()
            end = End(lost.how, channel.number, channel.text, lost.outcome, channel.before())
        except ServerLost as lost:
            self.server.stop()
            self._failed_starts += 1
            if self._failed_starts >= MOST_STARTS:
                raise ServerGone(f"the server does not start any more: {lost.message}") from None
            end = End("died")
        except BaseException:
            self.server.stop()
            raise
        else:
            end = End("done")
        end.refused, end.succeeded = channel.refused, channel.succeeded
        return end

    @property
    def is_gone(self) -> bool:
        """Whether the server did not start when it was last asked to."""
        return self._failed_starts > 0

    def _start(self) -> None:
        self.server.start()
        self.server.owner = self
        self._failed_starts = 0
        self._pending = tuple(self.server.faults) if self._sees_start else ()

    def request(self, tool: Tool, given: Mapping[str, object]) -> object:
        """Call a tool. Return its answer as JSON. Raises Told for an error, and Lost if the server is."""
        violated = mismatch(given, tool.schema)
        try:
            reply = self.server.call(tool.name, given, self.server.limit())
        except ServerLost as lost:
            kind = {"hung": "hung", "died": "killed", "flood": "protocol"}[lost.how]
            ended = self._outcome(kind, lost.message, lost.said, given, what=f"{lost.how} {lost.message}")
            raise Lost("hung" if lost.how == "hung" else "died", ended, self._start) from None
        outcome = self._judged(reply, tool, given, violated)
        if outcome is not None:
            raise Told(outcome)
        return None if violated is not None else _plain(reply.result)

    def _judged(
        self, reply: Reply, tool: Tool, given: Mapping[str, object], violated: str | None
    ) -> Outcome | None:
        """Return what is wrong with an answer, or None."""
        text = _text_of(reply)
        trace = _trace_in(text, given)
        if trace is not None:
            return self._outcome("protocol", "a stack trace in the answer", trace, given, what="trace")
        refused = reply.error is not None or (
            isinstance(reply.result, dict) and reply.result.get("isError") is True
        )
        if violated is not None and not refused:
            said = f"it accepts arguments that its schema refuses: {violated}"
            return self._outcome("protocol", said, "", given, what=f"accepts {_sort_of(violated)}")
        if violated is None and reply.error is not None:
            error = reply.error if isinstance(reply.error, dict) else {}
            said = f"a protocol error for arguments that its schema accepts: {error.get('code')} {error.get('message')}"
            kind = _refused_by_sandbox(text) or "protocol"
            return self._outcome(kind, said, "", given, what=f"error {normal(said, given)}")
        wrong = None if refused else _wrong_result(reply.result, tool)
        if wrong is not None:
            return self._outcome("protocol", wrong, "", given, what=f"result {normal(wrong, given)}")
        if violated is None and refused:
            kind = _refused_by_sandbox(text) or "returned"
            return self._outcome(kind, text or "isError", "", given, what=normal(text, given))
        faults, self._pending = (*reply.faults, *self._pending), ()
        if faults:
            return self._outcome("protocol", faults[0].message, "", given, what=faults[0].what)
        return None

    def _outcome(self, kind: str, message: str, trace: str, given: object, *, what: str) -> Outcome:
        exception, place = _error_in(trace, self.places) if trace else (None, None)
        location = f"{self.places.name(place[0])}:{place[1]}" if place is not None else None
        clean = self.places.clean
        told = clean(self.server.said()) or (clean(trace) if kind in ("killed", "hung") else "")
        shown = self.places.shown(trace)[-LONGEST_TRACEBACK:] if exception or kind == "protocol" else ""
        keys = keyed(kind, exception, location, what)
        said = clean(message)[:LONGEST_MESSAGE]
        return Outcome(
            kind, exception, said, location, traceback=shown, told=told, line=source_line(place), **keys
        )


class _ServedChannel(Channel):
    """What a job tells, in this process. The server's standard error stands for what a tool prints."""

    def __init__(self, heard: Callable[..., None], server: Server) -> None:
        self._heard = heard
        self.number, self.text = -1, ""
        self._sent: list[str] = []
        nothing: Any = SimpleNamespace(refusals=[], take=server.said, restore=lambda: None)
        self.watch = self.told = self.kept = nothing

    def send(self, event: str, **said: object) -> None:
        self._heard(event, **said)

    def begin(self, number: int, text: str) -> None:
        self.number, self.text = number, text
        self._sent.append(text)

    def before(self) -> list[str]:
        return self._sent[:-1]

    def end(self) -> None:
        self.number, self.text = -1, ""


# --- tools ---


def serve(
    target: str, folder: Path, base: Path, copy: FolderCopy | None = None, writes: bool = True
) -> tuple[list[Tool], dict[str, ServerHost]]:
    """Start the server, and return its tools, with what calls each. ``copy``: of a user's folder.

    ``writes``: whether tools of a live server that may change something are called. Raises UserError.
    """
    address = address_of(target)
    if address is not None:
        server: Server = WebServer([address], folder, base)
    else:
        server = Server(command_of(target, base), folder, base, copy)
    try:
        server.start()
        listed = server.tools()
    except ServerLost as lost:
        said = [line for line in lost.said.strip().splitlines() if line.strip()]
        more = f" ({said[-1].strip()[:300]})" if said else ""
        waited = f" within {measured(START_LIMIT)}" if lost.how == "hung" else ""
        raise UserError(
            f"{target} is no MCP server that can be fuzzed: {lost.message}{waited}{more}"
        ) from None
    finally:
        server.stop()
    if not listed:
        raise UserError(f"{target} has no tools")
    tools: dict[str, Tool] = {}
    hosts: dict[str, ServerHost] = {}
    for one in listed:
        name = str(one["name"])
        if name in tools:
            tools[name].skipped = "the server lists two tools of this name"
            continue
        places = Places(str(base), True, str(folder), str(base), str(folder.parent))
        host = ServerHost(server, places, sees_start=not tools)
        tools[name], hosts[name] = _tool(one, host, target), host
        if address is not None and not writes and tools[name].hints.get("readOnlyHint") is not True:
            tools[name].skipped = "it may change something at a live server; --live-writes allows it"
    return list(tools.values()), hosts


def _tool(listed: Mapping[str, object], host: ServerHost, target: str) -> Tool:
    schema = listed.get("inputSchema")
    fault = schema_fault(schema)
    hints, output = listed.get("annotations"), listed.get("outputSchema")

    def function(**given: object) -> object:
        return host.request(tool, given)

    tool = Tool(
        name=str(listed["name"]),
        description=str(listed.get("description") or ""),
        schema=schema if isinstance(schema, dict) and not fault else NO_ARGUMENTS,
        validate=lambda given: accepted(given, tool.schema),
        function=function,
        invoke=lambda given: host.request(tool, given),
        skipped=fault,
        target=target,
        hints=dict(hints) if isinstance(hints, dict) else {},
        remote=True,
        output=output if isinstance(output, dict) else None,
    )
    return tool


# --- violations of the schema ---

_WRONG: tuple[object, ...] = ({"unexpected": [1]}, "unexpected value", 7.25, [None], True)


def violations(
    schema: Mapping[str, object], draw: Callable[[Random], dict[str, object]]
) -> list[dict[str, object]]:
    """Return arguments that a schema refuses, each for one reason: one is missing, of another type, or out of range.

    ``draw`` makes arguments; those that the schema accepts are changed in one place.
    """
    random = Random("violations")
    valid = next((one for _ in range(40) if mismatch(one := draw(random), schema) is None), None)
    if valid is None:
        return []
    schemas = properties(schema)
    found: list[dict[str, object]] = []
    found += ({k: v for k, v in valid.items() if k != name} for name in required(schema) if name in schemas)
    for name, inner in schemas.items():
        found += ({**valid, name: wrong} for wrong in _wrong_values(inner, schema))
    return [one for one in found if mismatch(one, schema) is not None][:MOST_VIOLATIONS]


def _wrong_values(schema: object, root: Mapping[str, object]) -> Iterator[object]:
    """Yield a value of another type, and values out of range. None is one that a server may well take for another."""
    wrong = next((one for one in _WRONG if mismatch(one, schema, root) is not None), None)
    if wrong is not None:
        yield wrong
    if not isinstance(schema, Mapping):
        return
    for key, step in (("minimum", -1), ("maximum", 1), ("exclusiveMinimum", 0), ("exclusiveMaximum", 0)):
        if isinstance(schema.get(key), int | float) and not isinstance(schema[key], bool):
            yield schema[key] + step
    if isinstance(schema.get("minLength"), int) and schema["minLength"] > 0:
        yield ""
    if isinstance(schema.get("maxLength"), int) and schema["maxLength"] < 10_000:
        yield "a" * (schema["maxLength"] + 1)
    if isinstance(schema.get("enum"), list):
        yield "unexpected value"


def _sort_of(why: str) -> str:
    if why.endswith("is missing"):
        return "missing"
    return "type" if any(f"({one}: " in why for one in ("type", "anyOf", "oneOf")) else "range"


# --- answers ---


def _plain(result: object) -> object:
    """Return a result as JSON: its structured content, or its text, read as JSON if it is an object or a list."""
    if not isinstance(result, dict):
        return result
    structured = result.get("structuredContent")
    if isinstance(structured, dict):
        return structured["result"] if set(structured) == {"result"} else structured
    text = _content(result)
    if text[:1] in ("{", "["):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    return text


def _content(result: object) -> str:
    content = result.get("content") if isinstance(result, dict) else None
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(one["text"]) for one in parts if isinstance(one, dict) and isinstance(one.get("text"), str)
    )


def _text_of(reply: Reply) -> str:
    if isinstance(reply.error, dict):
        parts = [str(reply.error.get("message") or "")]
        data = reply.error.get("data")
        if data:
            parts.append(data if isinstance(data, str) else "\n".join(strings_of(data)))
        return "\n".join(parts)
    structured = reply.result.get("structuredContent") if isinstance(reply.result, dict) else None
    return "\n".join((_content(reply.result), *strings_of(structured)))


_KINDS_OF_CONTENT = frozenset(("text", "image", "audio", "resource", "resource_link"))


def _wrong_result(result: object, tool: Tool) -> str | None:
    """Return why a result is none that the protocol knows, or None."""
    if not isinstance(result, dict):
        return "the result is no object"
    content: object = result.get("content")
    if not isinstance(content, list):
        return "the result has no list content"
    for one in content:
        if not isinstance(one, dict) or one.get("type") not in _KINDS_OF_CONTENT:
            return "a part of the content has no type that the protocol knows"
        if one["type"] == "text" and not isinstance(one.get("text"), str):
            return "a text in the content has no text"
    if tool.output is not None:
        structured = result.get("structuredContent")
        why = "it is missing" if structured is None else mismatch(structured, tool.output)
        if why is not None:
            return f"the structured content does not fit the tool's outputSchema: {why}"
    return None


_SANDBOX = (
    ("outside", re.compile(r"Read-only file system|\bEROFS\b")),
    ("infrastructure", re.compile(
        r"Network is unreachable|name resolution|Connection refused|"
        r"Resource temporarily unavailable|\b(?:ENETUNREACH|EAI_AGAIN|EAGAIN|ECONNREFUSED|ENOTFOUND)\b"
    )),
)  # fmt: skip


def _refused_by_sandbox(text: str) -> str | None:
    return next((kind for kind, pattern in _SANDBOX if pattern.search(text)), None)


_TRACES = (
    re.compile(r"Traceback \(most recent call last\):"),
    re.compile(r'(?:^\s*File "[^"\n]+", line \d+.*\n?){2}', re.MULTILINE),
    re.compile(r"(?:^\s+at .{0,200}:\d+(?::\d+)?\)?\s*$\n?){2}", re.MULTILINE),  # JavaScript, Java, .NET
    re.compile(r"^goroutine \d+ \[", re.MULTILINE),
    re.compile(r"^thread '[^'\n]*' .{0,40}panicked at ", re.MULTILINE),
)


def _trace_in(text: str, given: object) -> str | None:
    """Return an answer with a stack trace in it, or None. One that was sent is none."""
    if not any(one.search(text) for one in _TRACES):
        return None
    for sent in sorted(strings_of(given), key=len, reverse=True):
        text = text.replace(sent, "") if len(sent) > 8 else text
    return text if any(one.search(text) for one in _TRACES) else None


_FRAME = re.compile(
    r'File "(?P<a>[^"\n]+)", line (?P<b>\d+)|(?:\(|at )(?:file://)?(?P<c>/[^():\n]+):(?P<d>\d+)(?::\d+)?\)?\s*$',
    re.MULTILINE,
)
_RAISED = re.compile(
    r"^\s*(?:Uncaught )?([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|Warning))\b(?::|$)", re.MULTILINE
)


def _error_in(trace: str, places: Places) -> tuple[str | None, tuple[str, int] | None]:
    """Return the exception's class that a stack trace names, and file and line of the server's own code in it."""
    frames = [(m["a"] or m["c"], int(m["b"] or m["d"])) for m in _FRAME.finditer(trace)]
    own = [one for one in frames if _is_own(one[0], places)]
    inner_first = (
        "Traceback (most recent call last)" not in trace
    )  # others than Python begin with the deepest
    place = None if not own else own[0] if inner_first else own[-1]
    named = _RAISED.findall(trace) if frames else []
    return (named[0] if inner_first else named[-1]) if named else None, place


def _is_own(file: str, places: Places) -> bool:
    library = re.search(r"site-packages|dist-packages|node_modules|/lib/python\d|<frozen|^node:", file)
    return library is None and places.own(file)
