"""A visitor: the socket of one page, and the process that runs the debugger for it.

Messages from the socket are untrusted: sizes are clamped, and invalid messages are dropped. The process ends at most
``OUTLIVES`` seconds after the socket.
"""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from planscope.safe import visible
from planscope.wording.phrases import file_size

if TYPE_CHECKING:
    from aiohttp import web

COLUMNS, ROWS = (20, 500), (5, 300)
USUAL = (80, 24)
"""The smallest and largest sizes of a terminal, in cells, and the default."""

LARGEST_MESSAGE = 1 << 20
"""The size limit of a message from a page, such as a pasted text, in bytes."""

OUTLIVES = 3.0
"""Seconds for the process to save and end after its socket is closed; it gets SIGTERM after half of them."""

_READY = b"__GANGLION__\n"


class Visitor:
    """One page. ``complain`` gets one line about the first invalid message, and one about a failed process."""

    def __init__(
        self, command: str, socket: web.WebSocketResponse, complain: Callable[[str], object]
    ) -> None:
        self._command = command
        self._socket = socket
        self._complain = complain
        self._complained = False
        self._gone = asyncio.Event()

    def leave(self) -> None:
        """Make the process save and leave; :meth:`stay` ends soon."""
        self._gone.set()

    async def stay(self, width: object, height: object) -> None:
        """Run the process until it, its socket or the server ends. The sizes are texts from the page."""
        columns, rows = clamped(_whole(width, USUAL[0]), COLUMNS), clamped(_whole(height, USUAL[1]), ROWS)
        environment = {
            **os.environ,
            "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
            "TEXTUAL_FPS": "60",
            "TEXTUAL_COLOR_SYSTEM": "truecolor",
            "TERM_PROGRAM": "textual",
            "COLUMNS": str(columns),
            "ROWS": str(rows),
        }
        process = await asyncio.create_subprocess_shell(
            self._command,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C goes to the server, which ends its visitors
        )
        tasks = [
            asyncio.create_task(work)
            for work in (self._paint(process), self._listen(process), self._gone.wait())
        ]
        trouble = asyncio.create_task(_last_line(process))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            await _end(process)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            if await process.wait() > 0 and (await asyncio.wait({trouble}, timeout=0.5))[0]:
                self._complain(
                    f"the debugger of a page ended with status {process.returncode}: {trouble.result()}"
                )
            for task in (*tasks, trouble):
                task.cancel()
            await asyncio.gather(*tasks, trouble, return_exceptions=True)
            with suppress(Exception):
                await asyncio.wait_for(self._socket.close(), 1.0)

    async def _paint(self, process: Process) -> None:
        """Send the process's output to the page. Once the page is gone, only read it, so that the process can end."""
        assert process.stdout is not None
        out = process.stdout
        with suppress(asyncio.IncompleteReadError):
            while await out.readexactly(1) != _READY[:1] or await out.readline() != _READY[1:]:
                await out.readline()
            while True:
                kind = await out.readexactly(1)
                payload = await out.readexactly(int.from_bytes(await out.readexactly(4), "big"))
                if kind == b"D":
                    with suppress(ConnectionError, RuntimeError):
                        await self._socket.send_bytes(payload)
                elif kind == b"M" and json.loads(payload)["type"] == "exit":
                    return

    async def _listen(self, process: Process) -> None:
        """Send the page's messages to the process until the page is gone."""
        from aiohttp import WSMsgType

        assert process.stdin is not None
        async for message in self._socket:
            if message.type is WSMsgType.TEXT:
                try:
                    packet = await self._packet(message.data)
                except (ValueError, RecursionError) as error:
                    self._say(str(error) if type(error) is ValueError else "it is not JSON")
                    continue
                with suppress(ConnectionError, RuntimeError):
                    process.stdin.write(packet)
                    await process.stdin.drain()
            elif message.type is WSMsgType.ERROR:
                self._say(f"it has more than {file_size(LARGEST_MESSAGE)}, or is not a web socket message")
            else:
                self._say("it is not text")

    async def _packet(self, text: str) -> bytes:
        """Convert a message of the page for the process. Raises ``ValueError`` if it is invalid."""
        message = json.loads(text)
        if not (isinstance(message, list) and message and isinstance(message[0], str)):
            raise ValueError("it is not a list with a name")
        name, given = message[0], message[1] if len(message) > 1 else None
        if name == "stdin" and isinstance(given, str):
            return _packed(b"D", given.encode())
        if name == "resize" and isinstance(given, dict):
            width, height = given.get("width"), given.get("height")
            if not (type(width) is int and type(height) is int):
                raise ValueError("a size is not two whole numbers")
            size = {"width": clamped(width, COLUMNS), "height": clamped(height, ROWS)}
            return _meta({"type": "resize", **size})
        if name in ("focus", "blur"):
            return _meta({"type": name})
        if name == "ping":
            with suppress(ConnectionError, RuntimeError):
                await self._socket.send_str(json.dumps(["pong", given]))
            return b""
        raise ValueError("no page sends a message of this name or with these data")

    def _say(self, what: str) -> None:
        if not self._complained:
            self._complained = True
            self._complain(f"a page sent a message that cannot be read; it was ignored: {what}")


async def _end(process: Process) -> None:
    """Ask the process to leave, then send SIGTERM. The caller kills it if it is still there."""
    assert process.stdin is not None
    with suppress(ConnectionError, RuntimeError):
        process.stdin.write(_meta({"type": "quit"}))
    ended = asyncio.create_task(process.wait())
    await asyncio.wait({ended}, timeout=OUTLIVES / 2)
    if not ended.done():
        with suppress(ProcessLookupError):
            process.terminate()
        await asyncio.wait({ended}, timeout=OUTLIVES / 2)
    ended.cancel()


async def _last_line(process: Process) -> str:
    """Return the last line on the process's standard error, safe to show. For a traceback it is the error."""
    assert process.stderr is not None
    end = b""
    while part := await process.stderr.read(4096):
        end = (end + part)[-4096:]
    lines = end.decode("utf-8", "replace").split("\n")
    return visible(
        next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing"), limit=300
    )


def clamped(number: int, bounds: tuple[int, int]) -> int:
    return min(max(number, bounds[0]), bounds[1])


def _whole(text: object, usual: int) -> int:
    try:
        return int(str(text))
    except ValueError:
        return usual


def _meta(document: dict[str, Any]) -> bytes:
    return _packed(b"M", json.dumps(document).encode())


def _packed(kind: bytes, payload: bytes) -> bytes:
    return b"%s%s%s" % (kind, len(payload).to_bytes(4, "big"), payload)
