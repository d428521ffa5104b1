"""The server of ``planscope serve``: the terminal page of textual-serve, with nothing loaded from the network.

It listens on the loopback address only. It answers only requests to that host, and only its own page may open the
socket that carries the keys, so that no other page in the same browser can use it.
"""

from __future__ import annotations

import asyncio
import errno
import html
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from planscope.errors import UserError
from planscope.signals import passed_on
from planscope.tui.web.visitor import LARGEST_MESSAGE, Visitor

if TYPE_CHECKING:
    from aiohttp import web

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
MOST_VISITORS = 16
"""Limit of pages that can be open at the same time. Each has a process of its own."""

FONT_SIZE = 16
LONGEST_END = 5.0
"""Seconds after the server's end until remaining visitors are killed; ``OUTLIVES`` should be enough for them."""

_HERE = Path(__file__).parent
_TYPES = {"page.css": "text/css", "page.js": "text/javascript"}
Handler = Callable[[Any], Awaitable[Any]]


def command_line(path: Path, *, run: str | None, step: str | None, theme: str | None) -> str:
    """Return the shell command that is run for each visitor."""
    given = json.dumps(
        {"path": str(path.absolute()), "run": run, "step": step, "theme": theme, "server": os.getpid()}
    )
    words = [sys.executable, "-P", "-m", "planscope.tui.web.visit", given]
    return subprocess.list2cmdline(words) if os.name == "nt" else f"exec {shlex.join(words)}"


class Serving:
    """The web application. ``command`` is run for each visitor; ``title`` is untrusted text."""

    def __init__(self, command: str, title: str) -> None:
        import textual_serve

        assert textual_serve.__file__ is not None
        self._statics = Path(textual_serve.__file__).parent / "static"
        self._command = command
        self._title = title
        self._visits: dict[asyncio.Task[Any], Visitor] = {}
        self.port = 0

    def listens_on(self, port: int) -> None:
        """Set the port that the server got."""
        self.port = port

    def application(self) -> web.Application:
        from aiohttp import web

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> Any:
            return await self._guarded(request, handler)

        app = web.Application(middlewares=[guarded])
        app.add_routes(
            [
                web.get("/", self._page),
                web.get("/ws", self._visit),
                *(web.get(f"/{name}", self._file) for name in _TYPES),
                web.static("/static", self._statics),
            ]
        )
        return app

    async def _guarded(self, request: web.Request, handler: Handler) -> Any:
        """Refuse requests to other host names, and requests from other pages."""
        from aiohttp import web

        hosts = {f"{name}:{self.port}" for name in NAMES} | (set(NAMES) if self.port == 80 else set())
        origin = request.headers.get("Origin")
        if request.headers.get("Host") not in hosts or (
            origin is not None and origin not in {f"http://{host}" for host in hosts}
        ):
            raise web.HTTPForbidden(text="planscope answers only its own page on this machine\n")
        response = await handler(request)
        if not response.prepared:
            response.headers.update(self._headers())
        return response

    def _headers(self) -> dict[str, str]:
        sockets = " ".join(f"ws://{name}:{self.port}" for name in NAMES)
        policy = (
            f"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
            f"img-src 'self' data:; connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; "
            f"frame-ancestors 'none'"
        )
        return {
            "Content-Security-Policy": policy,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }

    async def _page(self, request: web.Request) -> web.Response:
        from aiohttp import web

        page = Template((_HERE / "page.html").read_text(encoding="utf-8")).substitute(
            title=html.escape(f"planscope: {self._title}"), socket=f"ws://{request.host}/ws", size=FONT_SIZE
        )
        return web.Response(text=page, content_type="text/html")

    async def _file(self, request: web.Request) -> web.Response:
        from aiohttp import web

        name = request.path.removeprefix("/")
        return web.Response(text=(_HERE / name).read_text(encoding="utf-8"), content_type=_TYPES[name])

    async def _visit(self, request: web.Request) -> Any:
        from aiohttp import web

        if len(self._visits) >= MOST_VISITORS:
            raise web.HTTPServiceUnavailable(
                text=f"planscope is open in {MOST_VISITORS} pages; close one of them\n"
            )
        task = asyncio.current_task()
        assert task is not None
        socket = web.WebSocketResponse(heartbeat=15, max_msg_size=LARGEST_MESSAGE)
        self._visits[task] = visitor = Visitor(self._command, socket, _complain)
        try:
            await socket.prepare(request)
            await visitor.stay(request.query.get("width"), request.query.get("height"))
        finally:
            del self._visits[task]
        return socket

    async def end_visits(self) -> None:
        """Make all visitors save and leave; kill those that do not."""
        visits = tuple(self._visits)
        for visitor in tuple(self._visits.values()):
            visitor.leave()
        if visits:
            await asyncio.wait(visits, timeout=LONGEST_END)
        left = [visit for visit in visits if not visit.done()]
        for visit in left:
            visit.cancel()
        if left:
            await asyncio.wait(left, timeout=LONGEST_END)


def _complain(line: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"planscope: {line}\n")
        sys.stderr.flush()


def serve(command: str, title: str, port: int, ready: Callable[[str], None]) -> int:
    """Serve until a signal comes, and return its number. ``ready`` is called with the address.

    ``port`` 0: any free port. Raises ``UserError`` if the port cannot be used.
    """
    return asyncio.run(_serve(Serving(command, title), port, ready))


async def _serve(serving: Serving, port: int, ready: Callable[[str], None]) -> int:
    from aiohttp import web

    os.environ["PYTHONPATH"] = os.pathsep.join(  # so that a visitor's process runs the same planscope
        [str(_HERE.parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def end(number: int) -> None:
        if not ended.done():
            ended.set_result(number)

    runner = web.AppRunner(serving.application(), handle_signals=False, access_log=None, shutdown_timeout=1.0)
    with passed_on(asyncio.get_running_loop(), end, lambda: None):
        await runner.setup()
        try:
            try:
                await web.TCPSite(runner, HOST, port).start()
            except OSError as error:
                raise UserError(_why_not(port, error)) from None
            serving.listens_on(runner.addresses[0][1])
            ready(f"http://{HOST}:{serving.port}/")
            return await ended
        finally:
            await serving.end_visits()
            await runner.cleanup()


def _why_not(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken; choose another with --port N, or 0 for any that is free"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"port {port} may not be used; choose one from 1024 on with --port N"
    return f"port {port} of {HOST} cannot be used: {error.strerror or error}"
