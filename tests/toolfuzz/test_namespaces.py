"""The sandbox from inside: what a tool can write, read, reach and use up, as root and as another user."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from planscope.toolfuzz import child, namespaces
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.namespaces import enter_namespaces, seal
from planscope.toolfuzz.outcome import Call
from planscope.toolfuzz.report import Report, missing

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux has these namespaces")

TOOLS = '''
import mmap, os, subprocess


def remount(x: int) -> str:
    """Try to write outside."""
    subprocess.run("mount -o remount,bind,rw /; unshare -Ur mount -o remount,rw /; touch OUTSIDE/mark", shell=True)
    import ctypes
    libc = ctypes.CDLL(None)
    libc.mount(None, b"/", None, 4096 | 32, None)
    libc.open(b"OUTSIDE/mark", os.O_CREAT | os.O_WRONLY)
    return "tried"


def look(x: int) -> str:
    """Walk through the file system."""
    found = []
    for folder, folders, files in os.walk("/"):
        folders[:] = [] if folder in ("/proc", "/sys", "/usr") else folders
        for name in files:
            mode = os.lstat(os.path.join(folder, name)).st_mode >> 12
            if mode in (0o1, 0o14):  # a FIFO, a socket
                found.append(os.path.join(folder, name))
    secret = open("OUTSIDE/project/.env").read() if os.path.exists("OUTSIDE/project/.env") else ""
    status = [line for line in open("/proc/self/status") if line.startswith(("Cap", "NoNew"))]
    import late
    roots = open("OUTSIDE/project/lib/site-packages/package/roots.pem").read()
    raise ValueError(repr([found, secret, status, late.ANSWER, os.path.exists("OUTSIDE/other"), roots]))


def memory(x: int) -> str:
    """Use shared pages, which no limit of data counts."""
    pages = mmap.mmap(-1, 900 * 2**20)
    for place in range(0, len(pages), 2**20):
        pages[place : place + 2**20] = bytes(2**20)
    return "done"


def crowd(x: int) -> str:
    """Start many processes."""
    some = [subprocess.Popen(["sleep", "60"]) for _ in range(200)]
    for one in some:
        one.wait()
    return "done"


def removes(x: int) -> str:
    """Remove its own folder."""
    subprocess.run('rm -rf "$PWD"', shell=True)
    return "gone"


def divides(x: int) -> float:
    """Divide."""
    return 1 / x


TOOLS = [remount, look, memory, crowd, removes, divides]
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a key, a socket and a FIFO, in a home of its own, and a file beside it."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "hard.py").write_text(TOOLS.replace("OUTSIDE", str(tmp_path)))
    (folder / "late.py").write_text("ANSWER = 'imported late'\n")
    (folder / ".env").write_text("SECRET=1\n")
    os.mkfifo(folder / "fifo")
    installed = folder / "lib" / "site-packages" / "package"
    installed.mkdir(parents=True)
    (installed / "roots.pem").write_text("kept")
    os.mkfifo(installed / "fifo")
    (tmp_path / ".cache").mkdir()
    os.mkfifo(tmp_path / ".cache" / "fifo")
    (tmp_path / "other").write_text("private")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    return folder


def fuzzed(*tools: str, calls: int = 2) -> Report:
    report = Fuzz(Options("hard:TOOLS", tools, calls=calls, call_limit=20.0, sequences=0)).run()
    if report.sandbox["writes"] != "namespace":
        pytest.skip("this machine gives no namespaces")
    return report


def of(report: Report, tool: str) -> list[Mapping[str, Any]]:
    return [one for (name, _), one in report.findings.items() if name == tool]


def test_nothing_outside_is_written_read_or_reached(project: Path) -> None:
    private = Path(tempfile.mkdtemp(dir="/tmp"))
    os.mkfifo(private / "fifo")
    with socket.socket(socket.AF_UNIX) as door, socket.socket(socket.AF_UNIX) as other:
        os.chdir(project)
        door.bind("door")
        other.bind(str(private / "door"))
        for one in (door, other):
            one.listen()
        report = fuzzed("remount", calls=1)
        look: Call = {"tool": "look", "arguments": {"x": 1}}
        # one call alone: to look at all files takes long, and a search confirms an error and makes it smaller
        [made] = Fuzz(Options("hard:TOOLS", ("look",), call_limit=60.0)).play([look])
    shutil.rmtree(private)
    assert not (project.parent / "mark").exists()
    sockets, secret, status, late, beside, roots = eval(made.outcome.message)  # the tool's own repr
    assert (sockets, secret, late, beside, roots) == ([], "", "imported late", False, "kept")
    assert all(line.split()[1].strip("0") in ("", "1") for line in status) and "NoNewPrivs:\t1\n" in status
    assert not missing(report.sandbox)


def test_what_a_tool_uses_up_ends_its_own_call(project: Path) -> None:
    report = fuzzed("memory", "crowd", "removes", "divides", calls=1)
    assert "more than 512 MB" in of(report, "memory")[0].message
    assert "more than 64 processes" in of(report, "crowd")[0].message
    assert of(report, "divides") and not of(report, "removes")
    assert all(
        one.startswith("crowd:") for one in report.remarks
    )  # what a call left behind is ended after it


def in_child(work: Callable[[], Any]) -> Any:
    """What a function returns in a fork, as JSON."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    os.waitpid(pid, 0)
    return json.loads(text)


@pytest.mark.parametrize("user", [0, 65534])
def test_every_user_has_the_same_sandbox(user: int, tmp_path: Path) -> None:
    if os.getuid() not in (0, user):
        pytest.skip("only root can be another user")
    folder = Path("/tmp") / tmp_path.name / "work"
    before = tmp_path / "before"
    before.write_text("x")

    def work() -> Any:
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        ctypes.CDLL(None).prctl(4, 1)  # as a process that this user has started
        folder.mkdir(parents=True, exist_ok=True)
        enforced = enter_namespaces(folder, False)
        reading, writing = os.pipe()
        if os.fork() == 0:
            sealed = seal(enforced)
            mount = subprocess.run(["mount", "-o", "remount,bind,rw", "/"], capture_output=True, check=False)
            told = [
                asdict(sealed),
                mount.returncode,
                before.exists(),
                sorted(one.name for one in folder.parent.iterdir()),
            ]
            os.write(writing, json.dumps(told).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as stream:
            return json.loads(stream.read())

    enforced, mounted, seen, inside = in_child(work)
    if enforced["writes"] != "namespace":
        pytest.skip("this machine gives no namespaces")
    assert enforced == {
        "writes": "namespace", "network": "namespace", "processes": "allowed", "memory": "watch",
        "hidden": "namespace", "privileges": "namespace", "count": "watch",
    }  # fmt: skip
    assert mounted != 0 and not seen and inside == ["home", "work"]


def test_the_report_names_what_the_kernel_does_not_give(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refuses:
        def unshare(self, flags: int) -> int:
            return -1

    monkeypatch.setattr(namespaces.ctypes, "CDLL", lambda *_, **__: Refuses())
    report = Report("x", 1, sandbox=asdict(enter_namespaces(Path("/nowhere"), False)))
    assert len(missing(report.sandbox)) == 4
    report.sandbox = asdict(namespaces.Enforced(writes="namespace", processes="allowed"))
    assert any("Capabilities" in line for line in missing(report.sandbox))
    assert any("number of processes" in line for line in missing(report.sandbox))


def test_keys_in_the_current_folder_are_covered_wherever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent, prefix="project") as name:
        (Path(name) / ".env").write_text("SECRET=1\n")
        (Path(name) / "key_reader.py").write_text(
            'def read(name: str) -> str:\n    """Read a file."""\n    return open(__file__[:-13] + name).read()\n'
        )
        monkeypatch.chdir(name)
        call = Call(tool="read", arguments={"name": ".env"})
        fuzz = Fuzz(Options("key_reader:read"))
        [made] = fuzz.play([call])
    assert made.answer == ""


def test_a_command_that_a_version_manager_starts_is_there_with_what_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim = tmp_path / ".manager" / "shims" / "snake"
    shim.parent.mkdir(parents=True)
    shim.write_text(f'#!/usr/bin/env bash\nexec "{tmp_path}/.manager/versions/snake" "$@"\n')
    shim.chmod(0o700)
    monkeypatch.setenv("PATH", f"{shim.parent}:{os.environ['PATH']}")
    assert str(tmp_path / ".manager") in child._needed("/", ["snake"])


def test_a_home_in_the_path_shows_its_code_alone(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    (tmp_path / "letters").mkdir()
    (tmp_path / "tool.py").touch()
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    links, kept = namespaces._kept([str(tmp_path), str(tmp_path / "link")], [tmp_path])
    assert kept == [tmp_path / "package", tmp_path / "real", tmp_path / "tool.py"]
    assert links == [(tmp_path / "link", tmp_path / "real")]
