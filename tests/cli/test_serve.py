"""``planscope serve``: the debugger in a browser, on this machine alone, a process for each visitor."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from planscope.tui.web.server import HOST, Serving, command_line
from tests.cli.support import Cli
from tests.nightly import nightly
from tests.sharing.browser import CHROMIUM, Browser

aiohttp = pytest.importorskip("aiohttp")
pytest.importorskip("textual_serve")
pytestmark = pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals and processes of POSIX")

SLOW = 120.0


@contextmanager
def serving(*args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server as a program, and the address that it tells."""
    command = [sys.executable, "-m", "planscope", "serve", "--port", "0", *args]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(f"planscope is at http://{HOST}:"), line
        yield process, line.split()[3]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def children(process: subprocess.Popen[str]) -> list[int]:
    """The processes that one has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # gone meanwhile
            if int(stat.read_text().rpartition(")")[2].split()[1]) == process.pid:
                found.append(int(stat.parent.name))
    return found


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(true: Callable[[], bool]) -> None:
    ends = time.monotonic() + SLOW
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.05)


def wait_until_gone(pids: list[int]) -> None:
    wait_until(lambda: not any(map(alive, pids)))


class Visitor:
    """A socket that is read all the time, as a browser does: one that is not answers no ping, and is closed."""

    def __init__(self, socket: Any) -> None:
        self.said = ""
        self.closed = False
        self._socket = socket
        self._came = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            assert message.type is aiohttp.WSMsgType.BINARY, message
            self.said += message.data.decode("utf-8", "replace")
            self._came.set()
        self.closed = True
        self._came.set()

    async def send(self, *message: object) -> None:
        await self._socket.send_json(list(message))

    async def until(self, words: str) -> None:
        """Wait until some words came."""
        async with asyncio.timeout(SLOW):
            while words not in self.said:
                assert not self.closed, self.said[-500:]
                self._came.clear()
                await self._came.wait()

    async def until_closed(self) -> None:
        async with asyncio.timeout(SLOW):
            await self._reading


async def visit(session: Any, address: str) -> Visitor:
    return Visitor(await session.ws_connect(f"{address}ws?width=120&height=40"))


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_shows_the_debugger_and_asks_nobody_else(tmp_path: Path) -> None:
    with serving() as (_, address), Browser() as browser:
        browser.size(1200, 800)
        browser.ask("Page.navigate", url=address)
        ends = time.monotonic() + SLOW
        while (
            not browser.value("document.body?.classList.contains('-first-byte')") and time.monotonic() < ends
        ):
            time.sleep(0.1)
        assert browser.text("title").startswith("planscope: ")
        assert browser.value("document.querySelectorAll('#terminal canvas').length") > 0
        blank = 0
        while blank < 30_000 and time.monotonic() < ends:  # bytes of a picture: an empty page has few
            browser.picture(tmp_path / "page.png")
            blank = (tmp_path / "page.png").stat().st_size
            time.sleep(0.1)
        assert blank >= 30_000
        browser.click("#terminal")
        browser.ask("Input.insertText", text="q")
        while not browser.value("document.body.classList.contains('-closed')") and time.monotonic() < ends:
            time.sleep(0.1)
        assert browser.value("getComputedStyle(document.querySelector('.closed-dialog')).display") == "flex"
        assert browser.value("window.open('http://example.org')") is None
        hosts = {urlsplit(url).hostname for url in browser.requests if not url.startswith(("data:", "blob:"))}
        assert hosts == {HOST} and len(browser.requests) > 4
        assert not [m for m in browser.messages if "Security Policy" in m or "Error" in m], browser.messages


async def test_each_visitor_has_a_process_and_ctrl_c_ends_them_all() -> None:
    with serving("first-look", "--theme", "light") as (process, address):
        async with aiohttp.ClientSession() as session:
            first, second = [await visit(session, address) for _ in range(2)]
            await first.until("Timeline")
            await second.until("Timeline")
            visitors = children(process)
            assert len(visitors) == 2
            await first.send("stdin", "q")
            await first.until_closed()
            await asyncio.to_thread(wait_until, lambda: sum(map(alive, visitors)) == 1)
            await second.send("resize", {"width": 50, "height": 12})
            await second.until("Make it larger")
            process.send_signal(signal.SIGINT)
            assert await asyncio.to_thread(process.wait, SLOW) == 130
        await asyncio.to_thread(wait_until_gone, visitors)
        assert process.communicate()[1] == ""


async def test_visitors_leave_when_the_server_is_killed() -> None:
    with serving() as (process, address):
        async with aiohttp.ClientSession() as session:
            one = await visit(session, address)
            await one.until("planscope")
            visitors = children(process)
            assert len(visitors) == 1
            process.kill()
            await asyncio.to_thread(wait_until_gone, visitors)


def memory_of(pid: int) -> int:
    """The most that a process has had, in MB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) // 1024


@pytest.mark.parametrize("width", ["999999999", *nightly("x", "-5", "9" * 3000, "1e9")])
async def test_sizes_of_a_page_are_clamped(width: str) -> None:
    with serving() as (process, address):
        async with aiohttp.ClientSession() as session:
            one = Visitor(await session.ws_connect(f"{address}ws?width={width}&height={width}"))
            await one.until("planscope")
            (pid,) = children(process)
            if width.startswith("9"):
                await one.send("resize", {"width": 10**9, "height": 10**12})
                await one.send("resize", {"width": -1, "height": -1})
                await one.until("larger")
            assert memory_of(pid) < 400


BROKEN = (
    "not JSON", "[" * 100_000, "{}", "[]", "7",
    '["resize"]', '["resize", {}]', '["resize", {"width": 1e9, "height": 3}]',
    '["resize", {"width": NaN, "height": null}]', '["resize", {"width": "x", "height": true}]', '["stdin", 7]',
    '["stdin", "\\ud800"]', '["stdin"]', "[[]]", '["nobody", 1]', "9" * 5000,
)  # fmt: skip


async def test_messages_that_are_none_are_a_line() -> None:
    with serving() as (process, address):
        async with aiohttp.ClientSession() as session:
            one = await visit(session, address)
            await one.until("Timeline")
            for text in BROKEN:
                await one._socket.send_str(text)
            await one._socket.send_bytes(b"\0" * 99)
            await one.send("resize", {"width": 50, "height": 12})
            await one.until("Make it larger")
            two = await visit(session, address)
            await two.until("Timeline")
            with suppress(ConnectionError):  # it closes the socket before it has read all of it
                await two._socket.send_str("x" * (2 << 20))
            await two.until_closed()
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, SLOW) == 128 + signal.SIGTERM
        said = process.communicate()[1].splitlines()
        assert len(said) == 2, said
        assert all(line.startswith("planscope: a page sent a message that cannot be read") for line in said)
        assert "not JSON" in said[0] and "more than 1 MB" in said[1]


STUBBORN = """
import signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdout.buffer.write(b"__GANGLION__\\n" + b"D" + (5).to_bytes(4, "big") + b"hello")
sys.stdout.buffer.flush()
while True:
    sys.stdout.buffer.write(b"D" + (5).to_bytes(4, "big") + b"again")
    time.sleep(0.0001)
"""


@pytest.mark.parametrize("who_leaves", ["page", "server"])
async def test_a_visitor_that_heeds_nothing_is_killed(who_leaves: str, tmp_path: Path) -> None:
    """It writes on and on, reads nothing and ignores SIGTERM."""
    from aiohttp.test_utils import TestClient, TestServer

    (tmp_path / "stubborn.py").write_text(STUBBORN)
    made = Serving(f"echo $$ > {tmp_path}/pid; exec {sys.executable} {tmp_path}/stubborn.py", "title")
    server = TestServer(made.application(), host=HOST)
    async with TestClient(server) as client:
        assert server.port is not None
        made.port = server.port
        socket = await client.ws_connect("/ws")
        assert (await socket.receive()).data == b"hello"
        pid = int((tmp_path / "pid").read_text())
        if who_leaves == "page":
            await socket.close()
        else:
            await made.end_visits()
        await asyncio.to_thread(wait_until_gone, [pid])


async def test_a_page_that_goes_leaves_its_session_saved(tmp_path: Path) -> None:
    from planscope.session.store import load
    from tests.tui import sessions

    path = sessions.write(sessions.figure_10(), tmp_path)
    with serving(str(path)) as (process, address):
        async with aiohttp.ClientSession() as session:
            one = await visit(session, address)
            await one.until("PARAMETER ERROR")
            await one.send("stdin", "\x1b[Hb")
            await one.until("breakpoint set")
            visitors = children(process)
            await one._socket.close()
        await asyncio.to_thread(wait_until_gone, visitors)
        assert load(path).breakpoints == ["step 0"]


async def test_only_its_own_page_and_its_own_name_are_answered() -> None:
    with serving() as (_, address):
        port = urlsplit(address).port
        async with aiohttp.ClientSession() as session:

            async def status(path: str = "", **headers: str) -> int:
                async with session.get(address + path, headers=headers) as answer:
                    return answer.status

            assert await status() == 200
            assert await status(Host=f"localhost:{port}") == 200
            assert await status(Host="evil.example") == await status(Host=f"evil.example:{port}") == 403
            assert (
                await status("ws", Origin="http://evil.example") == await status("ws", Origin="null") == 403
            )
            assert (
                await status("static/../page.html")
                == await status("download/x")
                == await status("visit.py")
                == 404
            )
            async with session.get(address) as answer:
                assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        others = ["127.0.0.2"]
        with suppress(OSError):  # a machine without a network may not know its own name
            others.append(socket.gethostbyname(socket.gethostname()))
        for other in others:
            if other != HOST:
                with socket.socket() as probe:
                    probe.settimeout(5)
                    assert probe.connect_ex((other, port)) != 0


async def test_there_is_a_limit_to_visitors(monkeypatch: pytest.MonkeyPatch) -> None:
    from aiohttp.test_utils import TestClient, TestServer

    monkeypatch.setattr("planscope.tui.web.server.MOST_VISITORS", 0)
    made = Serving("true", "<b>title</b>")
    server = TestServer(made.application(), host=HOST)
    async with TestClient(server) as client:
        assert server.port is not None
        made.port = server.port
        assert (await client.get("/ws")).status == 503
        assert "<title>planscope: &lt;b&gt;title&lt;/b&gt;</title>" in await (await client.get("/")).text()


def test_a_visitors_process_says_what_is_wrong_in_the_page(tmp_path: Path) -> None:
    command = command_line(tmp_path / "gone $(touch here)'.json", run=None, step=None, theme=None)
    done = subprocess.run(command, shell=True, capture_output=True, cwd=tmp_path, input=b"", timeout=SLOW)
    assert done.stdout.startswith(b"__GANGLION__\nD") and b"planscope: there is no file" in done.stdout
    assert not list(tmp_path.iterdir()), "a name is never a command"


def test_what_cannot_be_served_is_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("serve", "nowhere.json").complaint().startswith("there is no file nowhere.json")
    assert cli("serve", "--theme", "drak").complaint().startswith("no theme 'drak'; nearest: 'dark'")
    assert "no run nobody" in cli("serve", "--run", "nobody").complaint()
    assert "99" in cli("serve", "--step", "99").complaint()
    assert "from 0 to 65535" in cli("serve", "--port", "65536").complaint()
    assert "unrecognized arguments: --host" in cli("serve", "--host", "0.0.0.0").complaint()
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = cli("serve", "--port", str(port)).complaint()
        assert told == f"port {port} is taken; choose another with --port N, or 0 for any that is free"
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name, *more: None if name == "textual_serve" else found(name, *more),
    )
    assert (
        cli("serve").complaint()
        == "planscope serve needs the package textual-serve; install it with: pip install '.[serve]'"
    )
