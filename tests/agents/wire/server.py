"""A server on 127.0.0.1 that answers ``/v1/chat/completions`` and ``/v1/responses`` as it was told, one reply a
request. ``kept`` is the state of the latter: all that was said, by the id of each response."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from .replies import Drip, Fail, Raw, Reply, Say, Slow, chunks, whole
from .responses import inputs, response, response_events

PATHS = ("/v1/chat/completions", "/v1/responses")


class WireServer:
    """``with WireServer([...]) as server``: ``server.base_url`` to talk to, ``server.requests`` and ``server.headers``
    (lower case) as they came.

    After the last reply every further request is answered with status 418, so that a test that asks too often
    fails loudly instead of waiting. ``dripping`` is set once half of an answer is sent.
    """

    def __init__(self, replies: Iterable[Reply]) -> None:
        self.replies = list(replies)
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.kept: dict[str, list[Any]] = {}
        self.closing = threading.Event()
        self.dripping = threading.Event()
        self.most_at_once = 0
        self._under_way = 0
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)

    def _respond(self, handler: Any, reply: Say, body: dict[str, Any]) -> None:
        """The Responses API: the conversation is kept here, and asked for by ``previous_response_id``."""
        previous = body.get("previous_response_id")
        with self._lock:
            if previous is not None and previous not in self.kept:
                error = {
                    "error": {"message": f"no response {previous}", "code": "previous_response_not_found"}
                }
                handler._send(404, "application/json", json.dumps(error).encode(), {})
                return
            made = response(reply, f"resp_{len(self.kept) + 1}")
            before = self.kept.get(previous or "", [])
            self.kept[made["id"]] = [*before, *inputs(body), *made["output"]]
        if body.get("stream"):
            handler._send(200, "text/event-stream", b"".join(response_events(made)), {})
        else:
            handler._send(200, "application/json", json.dumps(made).encode(), {})

    def _next(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Reply:
        with self._lock:
            self.paths.append(path)
            self.headers.append(headers)
            self.requests.append(body)
            return self.replies.pop(0) if self.replies else Fail(418, "the server was told no more replies")

    def _wait_for(self, together: int) -> None:
        for _ in range(6000):
            if self.most_at_once >= together or self.closing.wait(0.01):
                break

    @contextmanager
    def _busy(self) -> Iterator[None]:
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1
            timeout = 10

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the library calls it so)
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = server._next(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                if self.path not in PATHS:
                    reply = Fail(404, f"no such path: {self.path}")
                with server._busy():
                    try:
                        self._answer(reply, body)
                    except (BrokenPipeError, ConnectionResetError):
                        self.close_connection = True

            def _answer(self, reply: Reply, body: dict[str, Any]) -> None:
                if isinstance(reply, Slow):
                    server._wait_for(reply.together)
                    server.closing.wait(reply.seconds)
                    reply = reply.then
                self._pause = 0.0
                if isinstance(reply, Drip):
                    self._pause, reply = reply.seconds, reply.then
                if isinstance(reply, Fail):
                    error = {"error": {"message": reply.message, "type": "x", "code": None, "param": None}}
                    self._send(reply.status, "application/json", json.dumps(error).encode(), reply.headers)
                elif isinstance(reply, Raw):
                    self._send(200, reply.content_type, reply.body, {}, cut=reply.cut)
                elif self.path.endswith("/responses"):
                    server._respond(self, reply, body)
                elif body.get("stream"):
                    wants_usage = bool((body.get("stream_options") or {}).get("include_usage"))
                    self._send(200, "text/event-stream", b"".join(chunks(reply, usage=wants_usage)), {})
                else:
                    self._send(200, "application/json", whole(reply), {})

            def _send(self, status: int, kind: str, body: bytes, headers: Any, *, cut: bool = False) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body) + (1000 if cut else 0)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                half = len(body) // 2 if self._pause else 0
                if half:
                    self.wfile.write(body[:half])
                    self.wfile.flush()
                    server.dripping.set()
                    server.closing.wait(self._pause)
                self.wfile.write(body[half:])
                self.wfile.flush()
                if cut:
                    self.close_connection = True

        return Handler


@contextmanager
def nobody() -> Iterator[str]:
    """The address of a port that is taken, so that no other server gets it, and where nobody listens."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{door.getsockname()[1]}/v1"


__all__ = ["Drip", "Fail", "Raw", "Say", "Slow", "WireServer", "nobody"]
