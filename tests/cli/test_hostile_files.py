"""Hostile files and strings against every command: a line or a safe view, nothing obeyed, nothing touched.

Each file meets some commands here; ``python -m tests.hostile_commands`` tries all with all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.cli.support import Cli, harmless
from tests.hostile import HOSTILE
from tests.hostile_commands import ALL, MOST_MEMORY, attempt, measured, try_file, untold
from tests.hostile_files import CANARY, FILES, GOOD, SMALL, HostileFile, damaged, documents

PARTS = 12


def test_every_command_is_tried() -> None:
    assert untold() == set(), "say in tests/hostile_commands.py how these commands are given a file"


def test_there_are_enough() -> None:
    names = [file.name for file in FILES]
    assert len(set(names)) == len(names) >= 200 and len(ALL) >= 30


@pytest.mark.parametrize("part", range(PARTS))
def test_a_part_of_all(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is checked, and meets two more commands; every command meets dozens of files."""
    monkeypatch.setattr("planscope.commands.pipes.PATIENCE", 0.05)
    monkeypatch.delenv("PLANSCOPE_TRACEBACK", raising=False)
    troubles = []
    for number in range(part, len(SMALL), PARTS):
        lines = ["check {} --no-certify", *(ALL[(2 * number + k) % len(ALL)] for k in range(2))]
        troubles += try_file(SMALL[number], lines)
    assert troubles == []


@pytest.mark.parametrize("line", ALL)
def test_every_command_with_what_bites_most(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.commands.pipes.PATIENCE", 0.05)
    names = [
        "all bytes",
        "a link to itself",
        "a pipe",
        "runs.0.events.2.arguments.start_time = 1e999",
        "version 99",
    ]
    chosen = [file for file in SMALL if file.name in names or file.name.startswith("text 33")]
    assert len(chosen) == 6
    assert [trouble for file in chosen for trouble in try_file(file, [line])] == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents() | damaged())
def test_more_of_them(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.planscope.json"
    path.write_bytes(data)
    file = HostileFile("drawn", lambda folder: path)
    for line in (
        "check {} --no-certify",
        "replay {} --json",
        "sessions show {}",
        "export {} --format text --no-redact",
    ):
        assert list(attempt(line, path, tmp_path / "out").troubles(file)) == []


LARGE = [
    ("60 MB of empty lists", "check {}"),
    ("60 MB of escapes of surrogates", "replay {}"),
    ("99,000 errors", "sessions show {}"),
    ("a gzip bomb of a gigabyte", "check {}"),
    ("10,000 calls", "replay {} --json"),
    ("60 MB of messages", "check {} --no-certify"),
]


@pytest.mark.parametrize("name,line", LARGE)
def test_memory(name: str, line: str) -> None:
    """Time is measured by ``python -m tests.hostile_commands``; here a busy machine has some of its own."""
    (file,) = (file for file in FILES if file.name == name)
    status, memory, seconds, said = measured(file, line)
    assert status in (0, 1, 2) and "bug in planscope" not in said
    assert memory < MOST_MEMORY and seconds < 60


WATCHED = """
import os, sys

seen = []
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.startfile", "webbrowser.open")
TALKS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request")

def watch(event, args):
    if event in STARTS + TALKS or event.startswith(("pickle.", "ftplib.", "http.client.", "smtplib.")):
        seen.append((event, repr(args)[:200]))
    elif event in ("import", "open", "os.listdir", "os.remove", "os.rename", "os.mkdir", "os.link", "os.symlink"):
        text = repr(args)
        if any(word in text for word in ("planscope_canary", "/canary", "etc/passwd", "127.0.0.1")):
            seen.append((event, text[:200]))

from planscope.cli import main
from tests.hostile_commands import ALL, attempt
from tests.hostile_files import SMALL
from pathlib import Path

files = [f for f in SMALL if f.name.startswith("names ")]
assert len(files) > 20
sys.addaudithook(watch)
tried = 0
for number, file in enumerate(files):
    folder = Path(f"case-{number}")
    folder.mkdir()
    path = file.write(folder)
    for line in ALL if number < 3 else ALL[number % 4 :: 4]:
        attempt(line, path, folder / "out.planscope.json")
        tried += 1
print(tried, seen, os.path.exists("touched"))
"""


def test_nothing_in_a_file_names_code_a_path_or_an_address_that_is_acted_on(tmp_path: Path) -> None:
    (tmp_path / f"{CANARY}.py").write_text(
        "open('touched', 'w').close()\ndef factory(*a): open('touched', 'w')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", WATCHED],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parent.parent.parent)]),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    tried, _, rest = done.stdout.rstrip().rpartition("\n")[2].partition(" ")
    assert int(tried) > 200 and rest == "[] False", rest


def test_the_watch_sees_what_is_done() -> None:
    code = WATCHED.partition("from planscope.cli")[0] + (
        "sys.addaudithook(watch)\nimport socket, subprocess\nsubprocess.run(['true'])\n"
        "try: open('/tmp/canary/x')\nexcept OSError: pass\n"
        "try: import planscope_canary\nexcept ImportError: pass\n"
        "s = socket.socket()\ns.settimeout(0.1)\ntry: s.connect(('127.0.0.1', 9))\nexcept OSError: pass\n"
        "print(sorted({event for event, _ in seen}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    events = set(json.loads(done.stdout.replace("'", '"')))
    assert {"import", "open", "socket.connect", "subprocess.Popen"} <= events


@pytest.mark.parametrize(
    "k", range(len(HOSTILE)), ids=lambda k: repr(HOSTILE[k])[:30].encode("ascii", "replace").decode()
)
def test_strings_as_arguments(cli: Cli, tmp_path: Path, k: int) -> None:
    text = HOSTILE[k][:3000]
    path = tmp_path / "x.planscope.json"
    path.write_bytes(GOOD)
    for args in (
        ["check", path, "--run", text],
        ["check", text],
        ["sessions", "show", text],
        ["sessions", "rename", text, "x"],
        ["sessions", "delete", text],
        ["sessions", "restore", text],
        ["sessions", "recover", text],
        ["sessions", "copy", path, text],
        ["sessions", "list", "--no-judge", text],
        ["sessions", "list", "--no-judge", "--model", text],
        [text],
    ):
        done = cli(*args)
        assert done.status in (0, 1, 2), args
        assert harmless(done.out) and harmless(done.err), args
        assert "bug in planscope" not in done.err and done.err.count("\n") <= 1, done.err
    assert path.read_bytes() == GOOD and [p.name for p in tmp_path.iterdir()] == [path.name]
