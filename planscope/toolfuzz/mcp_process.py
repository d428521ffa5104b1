"""Speaks to an MCP server over its standard input and output, and notes what breaks the protocol.

The protocol is JSON-RPC 2.0, one message a line. This is no client of the package ``mcp``: that one hides what a broken
server sends.
"""

from __future__ import annotations

import http.client
import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from planscope.errors import UserError
from planscope.toolfuzz.folders import FolderCopy
from planscope.toolfuzz.host import ended, too_late
from planscope.toolfuzz.namespaces import Crowd, end_all
from planscope.toolfuzz.sandbox import MEMORY, empty, limit_server

PREFIX = "mcp:"
VERSION = "2025-06-18"
START_LIMIT = 30.0
"""Seconds that a server has for its start, its answer to ``initialize`` and the list of its tools."""

MOST_OUTPUT = 8 * 2**20
"""Bytes that a server may write during one call."""

SOME_OUTPUT = 2**18
"""A call that is late and has written more bytes than this floods; it does not hang."""

MOST_LINES = 5_000
"""Messages that a server may write during one call."""

MOST_SAID = 8_000
MOST_TOOLS = 500
PATIENCE = 5
"""A call may take so many times its limit where the machine may be busy."""

_TICK = 0.05


@dataclass(frozen=True)
class Fault:
    """Something that a server sent and the protocol forbids. ``what``: the sort; ``message``: a sentence with it."""

    what: str
    message: str


@dataclass(frozen=True)
class Reply:
    """The answer to one request: ``result`` or ``error``, as they came, and the faults that came with it."""

    result: object = None
    error: object = None
    faults: tuple[Fault, ...] = ()


class ServerLost(Exception):
    """The server does not answer any more. ``how`` is ``hung``, ``died`` or ``flood``; ``said``: its standard error."""

    def __init__(self, how: str, message: str, said: str) -> None:
        super().__init__(message)
        self.how, self.message, self.said = how, message, said


def is_server(target: str) -> bool:
    """Return whether a target names an MCP server."""
    return target.startswith(PREFIX)


def address_of(target: str) -> str | None:
    """Return the address of a server that a target names, or None if it names a command or no server."""
    found = target[len(PREFIX) :] if is_server(target) else ""
    return found if found.startswith(("http://", "https://")) else None


def command_of(target: str, base: Path) -> list[str]:
    """Return the words of the command behind ``mcp:``. Raises UserError.

    The server runs in an empty folder, so a word that names a file or folder of ``base`` becomes its full path; the
    first does only if it has a slash, and ``.`` does not: it stays the empty folder.
    """
    try:
        words = shlex.split(target[len(PREFIX) :])
    except ValueError as error:
        raise UserError(f"{target[:200]!r} is no command: {error}") from None
    if not words:
        raise UserError("mcp: needs the command that starts the server, such as 'mcp:python server.py'")
    found = [words[0] if "/" not in words[0] else _full(words[0], base), *(_full(w, base) for w in words[1:])]
    if shutil.which(found[0]) is None:
        raise UserError(f"there is no command {words[0]}; it must be a file, or be found in PATH")
    return found


def _full(word: str, base: Path) -> str:
    if word.startswith("-") or not word.strip("./"):
        return word
    with suppress(OSError, ValueError):
        path = base / word
        if path.exists():
            return str(path)
    return word


@dataclass
class Server:
    """A server's process. ``folder``: an empty folder, in which it gets its own and its home; ``base``: the user's.
    ``limit``: seconds that a call may take now. ``owner``: whoever started it last.
    """

    words: Sequence[str]
    folder: Path
    base: Path
    copy: FolderCopy | None = None
    owner: object = None
    faults: list[Fault] = field(default_factory=list)
    limit: Callable[[], float] = lambda: 2.0
    _process: subprocess.Popen[bytes] | None = None
    _number: int = 0
    _said: bytes = b""
    _buffer: bytes = b""
    _out: bytes = b""
    _answers: dict[int, dict[str, object]] = field(default_factory=dict)
    _answered: set[int] = field(default_factory=set)
    _lines: int = 0
    _bytes: int = 0
    _mute: bool = False
    _looked: float = 0.0

    def __post_init__(self) -> None:
        self._crowd = Crowd(2 * MEMORY, self.folder)

    def start(self) -> None:
        """Start the process anew, in an empty folder, and greet it. Raises ServerLost."""
        self.stop()
        self._number, self._said, self._buffer, self._out = 0, b"", b"", b""
        self._answers, self._answered, self.faults, self._mute = {}, set(), [], False
        self._open()
        client = {"name": "planscope", "version": "1"}
        greeting: dict[str, object] = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client}
        reply = self._request("initialize", greeting, START_LIMIT)
        if not isinstance(reply.result, dict) or "capabilities" not in reply.result:
            raise ServerLost(
                "died", f"it refused to begin: {_short(reply.error or reply.result)}", self.said()
            )
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.faults = [*reply.faults, *self.faults]

    @property
    def runs(self) -> bool:
        """Whether the process was started, and has not been stopped since."""
        return self._process is not None

    def _open(self) -> None:
        empty(self.folder)
        if self.copy is not None:
            self.copy.reset()
        work, home = self.folder / "work", self.folder / "home"
        work.mkdir()
        home.mkdir()
        try:
            self._process = subprocess.Popen(
                self.words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=work,
                env=_environment(home, self.base),
                start_new_session=True,
                preexec_fn=limit_server,
            )
        except OSError as error:
            raise ServerLost("died", f"it cannot be started: {error.strerror}", "") from None
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)

    def tools(self) -> list[dict[str, object]]:
        """Return the tools that the server lists. Raises ServerLost."""
        found: list[dict[str, object]] = []
        cursor: object = None
        began = time.monotonic()
        while True:
            reply = self._request("tools/list", {} if cursor is None else {"cursor": cursor}, START_LIMIT)
            said = reply.result if isinstance(reply.result, dict) else {}
            listed = said.get("tools")
            if not isinstance(listed, list):
                raise ServerLost(
                    "died", f"it lists no tools: {_short(reply.error or reply.result)}", self.said()
                )
            self.faults += reply.faults
            page = [one for one in listed if isinstance(one, dict) and isinstance(one.get("name"), str)]
            cursor = said.get("nextCursor")
            known = {one["name"] for one in found}
            late = time.monotonic() - began > START_LIMIT
            same = all(one["name"] in known for one in page)
            if found and (same or late or len(found) + len(page) > MOST_TOOLS):
                what = f"its list of tools does not end; the first {len(found)} are taken"
                self.faults.append(Fault("endless list", what))
                break
            found += page
            if cursor is None or not listed:
                break
        return found[:MOST_TOOLS]

    def call(self, tool: str, arguments: object, limit: float) -> Reply:
        """Call a tool, and see that the server lives on: it must answer a ping. ``limit``: seconds.

        Raises ServerLost.
        """
        reply = self._request("tools/call", {"name": tool, "arguments": arguments}, limit)
        after = self._request("ping", {}, limit)  # what it wrote after the answer is read before this one
        return Reply(reply.result, reply.error, (*reply.faults, *after.faults))

    def said(self) -> str:
        """Return the end of what the server wrote to its standard error since it was last asked."""
        text, self._said = self._said.decode("utf-8", "replace"), b""
        return text

    def stop(self) -> None:
        """End the process and everything that it started."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            process.kill()
        end_all()  # this reaches what left the group
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    # --- messages ---

    def _post(self, message: dict[str, object]) -> None:
        self._out += json.dumps(message).encode() + b"\n"

    def _request(self, method: str, parameters: dict[str, object], limit: float) -> Reply:
        self._number += 1
        number, before = self._number, len(self.faults)
        self._lines = self._bytes = 0
        self._post({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        began, starved = time.monotonic(), 0.0
        while number not in self._answers:
            at = time.monotonic()
            self._turn(method)
            starved += max(0.0, time.monotonic() - at - 2 * _TICK)  # a busy machine: not the server's fault
            if at - self._looked > _TICK:
                self._looked = at
                if (passed := self._crowd.over()) is not None:
                    raise ServerLost("died", passed.replace("it ", "the server ", 1), self.said())
            late = time.monotonic() - began
            if number not in self._answers and late > min(limit + starved, limit * PATIENCE):
                if self._bytes > SOME_OUTPUT:  # it is still writing: a fast machine would have read more
                    raise self._flooded()
                what = too_late(limit) if method == "tools/call" else f"it did not answer {method}"
                raise ServerLost("hung", what, self.said())
        self._answered.add(number)
        answer = self._answers.pop(number)
        faults, self.faults = tuple(self.faults[before:]), self.faults[:before]
        if "result" not in answer and "error" not in answer:
            faults = (*faults, Fault("no result", "an answer without result and error"))
        return Reply(answer.get("result"), answer.get("error"), faults)

    def _turn(self, method: str) -> None:
        """Write and read what can be written and read now. Raises ServerLost if the server is gone or floods."""
        process = self._process
        if process is None:
            raise ServerLost("died", "the server does not run", "")
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        out, err = process.stdout.fileno(), process.stderr.fileno()
        writing = [process.stdin.fileno()] if self._out else []
        readable, writable, _ = select.select([out] if self._mute else [out, err], writing, [], _TICK)
        if writable:
            with suppress(BlockingIOError, BrokenPipeError):
                self._out = self._out[os.write(writable[0], self._out[: 2**16]) :]
        if err in readable:
            self._mute = not self._hear_error(err)
        if out not in readable:
            if process.poll() is not None:  # something that it started may still hold its output
                self._died(process)
            return
        data = os.read(out, 2**18)
        if not data:
            self._died(process)
        self._bytes += len(data)
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        self._lines += len(lines)
        if self._bytes > MOST_OUTPUT or self._lines > MOST_LINES:
            raise self._flooded()
        for line in lines:
            if line.strip():
                self._hear(line)

    def _flooded(self) -> ServerLost:
        return ServerLost("flood", "a flood on standard output before the answer", self.said())

    def _hear_error(self, stream: int) -> bool:
        try:
            data = os.read(stream, 2**16)
        except (BlockingIOError, OSError):
            return False
        self._said = (self._said + data)[-MOST_SAID:]
        return bool(data)

    def _died(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        try:
            status = process.wait(2.0)
        except subprocess.TimeoutExpired:
            raise ServerLost("died", "the server closed its standard output", self.said()) from None
        while self._hear_error(process.stderr.fileno()):
            pass
        raise ServerLost("died", f"the server {ended(status)}", self.said())

    def _hear(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            shown = line.decode("utf-8", "replace").strip()[:200]
            self.faults.append(Fault("garbage", f"a line on standard output that is no message: {shown!r}"))
            return
        for one in message if isinstance(message, list) else [message]:
            self._take(one)

    def _take(self, message: object) -> None:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self.faults.append(Fault("garbage", f"a message that is no JSON-RPC 2.0: {_short(message)}"))
            return
        number = message.get("id")
        if "method" in message:
            if number is not None:  # a request of the server: nothing was offered, so nothing is given
                refusal = {"error": {"code": -32601, "message": "not supported"}}
                self._post(
                    {"jsonrpc": "2.0", "id": number}
                    | ({"result": {}} if message["method"] == "ping" else refusal)
                )
            return
        if type(number) is not int or not 0 < number <= self._number:
            self.faults.append(Fault("unknown id", f"an answer to no request: {_short(message)}"))
        elif number in self._answered or number in self._answers:
            self.faults.append(Fault("second answer", "a second answer to the same request"))
        else:
            self._answers[number] = message


class WebServer(Server):
    """A server at an address: over streamable HTTP, or with a stream of events, as servers had it before. Nothing
    of it is sandboxed, and it cannot be started: a new session begins instead."""

    _stream: http.client.HTTPResponse | None = None
    _endpoint: str = ""
    _session: str | None = None

    @property
    def runs(self) -> bool:
        return bool(self._endpoint)

    def stop(self) -> None:
        if self._stream is not None:
            self._stream.close()
        self._stream, self._endpoint, self._session = None, "", None

    def _open(self) -> None:
        self._endpoint = self.words[0]

    def _turn(self, method: str) -> None:
        try:
            lines, self._out = self._out.splitlines(), b""
            for line in lines:
                self._exchange(line, method)
            if self._stream is not None and self._number not in self._answers:
                self._hear_event(self._stream)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", error), TimeoutError):
                raise ServerLost("hung", too_late(self._seconds(method)), "") from None
            raise ServerLost("died", f"no answer: {error}", "") from None

    def _seconds(self, method: str) -> float:
        return self.limit() if method in ("tools/call", "ping") else START_LIMIT

    def _ask(self, data: bytes | None, method: str) -> http.client.HTTPResponse:
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        headers |= {"Mcp-Session-Id": self._session} if self._session else {}
        headers |= {"MCP-Protocol-Version": VERSION} if method != "initialize" else {}
        request = urllib.request.Request(self._endpoint, data, headers)
        limit = self._seconds(method)
        answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=limit)
        return answer

    def _exchange(self, line: bytes, method: str) -> None:
        """Send one message, and hear what the server answers to it."""
        try:
            answer = self._ask(line, method)
        except urllib.error.HTTPError as error:
            if method == "initialize" and self._stream is None and error.code in (400, 404, 405):
                self._stream = self._ask(None, method)
                self._hear_event(self._stream)  # it tells where messages are sent
                self._exchange(line, method)
                return
            body = error.read(MOST_OUTPUT)
            if body[:1] != b"{":
                raise ServerLost("died", f"the server answered with HTTP {error.code}", "") from None
            self._hear(body)
            return
        with answer:
            self._session = answer.headers.get("Mcp-Session-Id") or self._session
            if self._stream is not None:
                return
            if answer.headers.get_content_type() == "text/event-stream":
                while self._number not in self._answers and self._hear_event(answer):
                    pass
            elif (body := answer.read(MOST_OUTPUT)).strip():
                self._hear(body)

    def _hear_event(self, stream: http.client.HTTPResponse) -> bool:
        """Hear one event of a stream. Return whether there was one."""
        told: dict[str, bytes] = {}
        while line := stream.readline(MOST_OUTPUT):
            self._bytes += len(line)
            if self._bytes > MOST_OUTPUT:
                raise self._flooded()
            if not line.strip():
                break
            name, _, value = line.rstrip(b"\r\n").partition(b":")
            told[name.decode("latin-1")] = told.get(name.decode("latin-1"), b"") + value.removeprefix(b" ")
        if told.get("event") == b"endpoint":
            self._endpoint = urllib.parse.urljoin(self.words[0], told["data"].decode())
        elif told.get("data"):
            self._hear(told["data"])
        return bool(line)


def _environment(home: Path, base: Path) -> dict[str, str]:
    """Return the variables of this process, which are few, with the server's own home and Python's path."""
    found = dict(os.environ)
    if found.get("HOME") == found.get("TMPDIR"):  # the user passed no home on
        found["HOME"] = str(home)
    path = [str(base), *([found["PYTHONPATH"]] if found.get("PYTHONPATH") else [])]
    return {**found, "TMPDIR": str(home), "PYTHONPATH": os.pathsep.join(path)}


def _short(value: object) -> str:
    return json.dumps(value, default=str)[:200]
