"""MCP servers at an address, and how often a server is started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from planscope.cli import main
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.mcp_process import WebServer
from planscope.toolfuzz.mcp_tools import ServerHost
from planscope.toolfuzz.outcome import OK, Lost, Places

HERE = Path(__file__).parent


@contextmanager
def serving(*how: str) -> Iterator[str]:
    command = [sys.executable, str(HERE / "web_server.py"), *how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


@pytest.fixture(scope="module")
def port() -> Iterator[str]:
    with serving() as port:
        yield port


@pytest.mark.parametrize("path", ["mcp", "sse"])
def test_a_server_at_an_address_is_fuzzed_and_what_may_write_only_if_allowed(path: str, port: str) -> None:
    target = f"mcp:http://127.0.0.1:{port}/{path}"
    report = Fuzz(Options(target, calls=50, sequences=0, network=True)).run()
    assert [one.kind for one in report.counted()] == ["protocol"] and "stack trace" in report.counted()[
        0
    ].message
    assert report.counted()[0].shrunk == {"code": "%"}
    assert report.tool("get_part").succeeded > 20 and "--live-writes" in str(report.tool("put_part").skipped)
    assert report.remarks == ["The server runs elsewhere: nothing of it is sandboxed."]
    every = Fuzz(Options(target, calls=20, sequences=0, network=True, live_writes=True)).run()
    assert [one.calls for one in every.tools] == [20, 20]


@pytest.mark.parametrize("path", ["mcp", "sse"])
def test_a_call_that_ends_a_server_at_an_address_is_kept_though_nobody_can_confirm_it(path: str) -> None:
    with serving("ends") as port:
        report = Fuzz(Options(f"mcp:http://127.0.0.1:{port}/{path}", calls=50, network=True)).run()
    [killed] = [one for one in report.counted() if one.kind == "killed"]
    assert (killed.tool, killed.shrunk) == ("get_part", None) and len(killed.input["code"]) > 100
    assert any("does not start any more" in one for one in report.remarks)


def test_a_server_at_an_address_that_is_only_slow_does_not_hang() -> None:
    with serving("slow") as port:
        target = f"mcp:http://127.0.0.1:{port}/mcp"
        report = Fuzz(Options(target, ("get_part",), calls=1, call_limit=1, network=True)).run()
    assert report.tool("get_part").calls == 1 and report.counted() == []


def test_an_address_needs_the_network(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", f"mcp:http://127.0.0.1:{port}/mcp"]) == 2
    assert "allow the network with --network" in capsys.readouterr().err


class CountedServer(WebServer):
    """Counts its starts."""

    starts = 0

    def start(self) -> None:
        self.stop()
        self._open()
        self.starts += 1


def test_a_server_stays_up_for_what_needs_no_fresh_one(tmp_path: Path) -> None:
    server = CountedServer(["http://127.0.0.1:1/"], tmp_path, tmp_path)
    one, other = (ServerHost(server, Places("", False)) for _ in range(2))
    nothing: dict[str, Any] = {"job": lambda _: None, "heard": lambda **_: None, "limit": lambda: 1.0}
    counts = []
    for host, warm in ((one, True), (one, True), (one, False), (one, True), (other, True)):
        host.run(**nothing, warm=warm)
        counts.append(server.starts)
    assert counts == [1, 1, 2, 2, 3]

    def dies(_: object) -> None:
        raise Lost("died", OK, lambda: None)

    assert other.run(dies, lambda **_: None, lambda: 1.0, warm=True).how == "died" and not server.runs
