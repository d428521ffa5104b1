"""Hostile files and strings against every command: a line or a safe view, nothing obeyed, nothing touched.

Each file meets some commands here; ``python -m tests.fuzz.hostile_commands`` tries all with all.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from planscope.session.merging import finish_merging
from tests.cli.support import Cli, harmless
from tests.each import each
from tests.fuzz.hostile_commands import MOST_MEMORY, attempt, measured, try_file
from tests.fuzz.hostile_files import CANARY, FILES, GOOD, SMALL, HostileFile, damaged, documents
from tests.fuzz.hostile_lines import ALL, untold
from tests.fuzz.hostile_watch import watched
from tests.hostile import HOSTILE, in_turn
from tests.nightly import examples, nightly

PARTS = 12


@pytest.fixture(autouse=True)
def _nothing_merges() -> None:
    """Recordings of tests before are not merged by a thread while it is watched what is opened."""
    finish_merging()


def test_every_command_is_tried() -> None:
    assert untold() == set(), "say in tests/fuzz/hostile_lines.py how these commands are given a file"


def test_there_are_enough() -> None:
    names = [file.name for file in FILES]
    assert len(set(names)) == len(names) >= 600 and len(ALL) >= 80


@pytest.mark.parametrize("part", [0, *nightly(*range(1, PARTS))])
def test_a_part_of_all(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file meets a command; every command meets several files."""
    monkeypatch.setattr("planscope.commands.common.PIPE_WAIT", 0.05)
    monkeypatch.delenv("PLANSCOPE_TRACEBACK", raising=False)
    troubles = []
    for number in range(part, len(SMALL), PARTS):
        troubles += try_file(SMALL[number], [ALL[number % len(ALL)]])
    assert troubles == []


@pytest.mark.parametrize("turn,line", list(enumerate(ALL)))
def test_every_command_with_what_bites_most(turn: int, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the files each; three commands beside each other meet all of them."""
    monkeypatch.setattr("planscope.commands.common.PIPE_WAIT", 0.05)
    names = [
        "all bytes",
        "a link to itself",
        "a pipe",
        "runs.0.events.2.arguments.start_time = 1e999",
        "version 99",
    ]
    chosen = [file for file in SMALL if file.name in names or file.name.startswith("text 33")]
    assert len(chosen) == 6
    assert [trouble for file in in_turn(chosen, turn, 3) for trouble in try_file(file, [line])] == []


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    ("a gzip bomb of a gigabyte", "check {}"),
    *nightly(
        ("15 MB of empty lists", "check {}"),
        ("59,000 errors", "sessions show {}"),
        ("10,000 calls", "replay {} --json"),
        ("values of JSON in a text", "export {} --format text"),
    ),
]


@pytest.mark.parametrize("name,line", LARGE)
def test_memory(name: str, line: str) -> None:
    """Time is measured by ``python -m tests.fuzz.hostile_commands``; here a busy machine has some of its own."""
    (file,) = (file for file in FILES if file.name == name)
    done = measured(file, line)
    assert done.status in (0, 1, 2) and "bug in planscope" not in done.err
    assert done.memory < MOST_MEMORY and done.busy < 60


WATCHED = """
import os, sys

seen = []

def watch(event, args):
    if event in ("import", "open", "os.listdir"):
        text = repr(args)
        if any(word in text for word in ("planscope_canary", "/canary", "etc/passwd", "127.0.0.1")):
            seen.append((event, text[:200]))

from tests.fuzz.hostile_commands import try_file
from tests.fuzz.hostile_files import SMALL
from tests.fuzz.hostile_lines import ALL

files = [f for f in SMALL if f.name.startswith("names ")]
assert len(files) > 20
every = int(sys.argv[1])
sys.addaudithook(watch)
tried = 0
for number, file in list(enumerate(files))[::every]:
    lines = ALL[number % 40 :: 40]
    seen += try_file(file, lines)
    tried += len(lines)
print(tried, seen, os.path.exists("touched"))
"""


@pytest.mark.parametrize("every", [12, *nightly(1)])
def test_nothing_in_a_file_names_code_a_path_or_an_address_that_is_acted_on(
    every: int, tmp_path: Path
) -> None:
    (tmp_path / f"{CANARY}.py").write_text(
        "open('touched', 'w').close()\ndef factory(*a): open('touched', 'w')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(every)],
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
    assert int(tried) > 50 // every and rest == "[] False", rest


def test_the_watch_sees_what_is_done(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
    with watched(inside) as touched:
        (inside / "x").write_text("fine")
        (inside / "x").rename(inside / "y")
        (outside / "z").exists()
    assert touched == []
    with watched(inside) as touched:
        (outside / "x").write_text("x")
        (outside / "x").rename(inside / "x")
        (inside / "x").unlink()
        (inside / "link").symlink_to(outside / "z")
        (inside / "link").write_text("x")
        subprocess.run([sys.executable, "-c", ""], check=True)
        with socket.socket() as made:
            made.settimeout(0.1)
            made.connect_ex(("127.0.0.1", 9))
    events = [line.split()[0] for line in touched]
    assert events == ["open", "os.rename", "open", "subprocess.Popen", "socket.connect"]


@each("k", range(len(HOSTILE)), every=16)
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
