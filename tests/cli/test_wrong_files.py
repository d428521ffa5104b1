"""Files that are none of ours: each is one line that says what is wrong, from every command that reads one."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from planscope.session.store import dumps
from tests.cli.support import Cli, Files, run, session, variant

AB = variant("A comes before B.", ["a", "b"])
GOOD = dumps(session(AB, run("a", "b")))

COMMANDS = [
    "open {}",
    "check {}",
    "check {} --json",
    "replay {}",
    "replay {} --json",
    "repair {}",
    "repair {} --json",
    "reasons {}",
    "reasons {} --json",
    "export {} --format json",
    "export {} --format smt2",
    "export {} --format text",
    "run {} --model sim:careful",
]


def edited(change: Callable[[dict], object]) -> bytes:
    document = json.loads(GOOD)
    change(document)
    return json.dumps(document).encode()


FILES: list[tuple[str, bytes, str]] = [
    ("cut in half", GOOD[: len(GOOD) // 2], "cut off"),
    ("of a future version", edited(lambda d: d.update(version=99)), "newer planscope"),
    ("empty", b"", "is empty"),
    ("binary", bytes(range(256)) * 20, "UTF-8"),
    ("zeros", bytes(5000), "is not JSON"),
    ("text", b"A comes before B.\n", "is not JSON"),
    ("other JSON", b'{"a": 1}', "not a planscope session"),
    ("a list", b"[1, 2]", "not a planscope session"),
    ("deep", b"[" * 100_000, "nested too deeply"),
    ("deep and closed", b"[" * 20_000 + b"]" * 20_000, "nested too deeply"),
    ("cut gzip", gzip.compress(GOOD)[:-15], "cut off"),
    ("no runs list", edited(lambda d: d.update(runs=3)), "not a valid session"),
    (
        "a long number",
        edited(lambda d: d.update(id=1)).replace(b'"id": 1', b'"id": ' + b"9" * 9000),
        "cannot be read",
    ),
    (
        "a run of no variant",
        edited(lambda d: d["runs"][0].update(variant="v7")),
        "a variant that does not exist",
    ),
    (
        "an odd tool",
        edited(lambda d: d["variants"][0]["actions"][0].update(tool="\x1b[31m")),
        "not a tool name",
    ),
]


@pytest.mark.parametrize("content,says", [f[1:] for f in FILES], ids=[f[0] for f in FILES])
def test_bytes_that_are_no_session(cli: Cli, tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "x.planscope.json"
    path.write_bytes(content)
    for command in COMMANDS[1:]:
        complaint = cli(*command.format("x.planscope.json").split()).complaint()
        assert says in complaint and "x.planscope.json" in complaint, command
    assert path.read_bytes() == content


@pytest.mark.parametrize("command", COMMANDS)
def test_things_that_are_no_files(cli: Cli, tmp_path: Path, command: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, says in [
        ("folder", "is a directory" if not command.startswith("open") else ""),
        ("pipe", "is not a regular file" if not command.startswith("open") else ""),
        ("/dev/zero", "is not a regular file" if not command.startswith("open") else ""),
        ("missing", "there is no file missing, nor a bundled session"),
        ("folder/missing/x", "there is no file folder/missing/x"),
        ("y" * 3000, "File name too long"),
        ("a\0b", ""),
        ("", "the session's name is empty"),
    ]:
        done = cli(*(name if word == "{}" else word for word in command.split()))
        assert says in done.complaint(), name


def test_a_huge_file_is_not_read(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "huge.planscope.json"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    assert "larger than 64 MB" in cli("check", path).complaint()
    assert "longer than 1,000,000 characters" in cli("parse", path, "--actions", "a").complaint()


TEXTS: list[tuple[str, bytes, str]] = [
    ("binary", b"\xff\xfe" * 100, "x.txt is not UTF-8 text (byte 0)"),
    ("cut in a letter", "é".encode()[:1], "is not UTF-8 text"),
    ("too long", b"A comes before B. " * 60_000, "longer than 1,000,000 characters"),
    ("many bytes", "é".encode() * 2_500_000, "longer than 1,000,000 characters"),
]


@pytest.mark.parametrize("content,says", [t[1:] for t in TEXTS], ids=[t[0] for t in TEXTS])
def test_texts_that_are_none(cli: Cli, tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "x.txt").write_bytes(content)
    assert says in cli("parse", "x.txt", "--actions", "a, b").complaint()
    complaint = cli("parse", "-", "--actions", "a, b", stdin=content).complaint()
    assert says.replace("x.txt", "standard input") in complaint


def test_texts_from_odd_places(cli: Cli, tmp_path: Path) -> None:
    assert "is a directory" in cli("parse", tmp_path, "--actions", "a").complaint()
    assert "there is no file nope" in cli("parse", "nope", "--actions", "a").complaint()
    assert "longer than" in cli("parse", "/dev/zero", "--actions", "a").complaint()
    assert "the file name is empty" in cli("parse", "", "--actions", "a").complaint()
    assert "null byte" in cli("parse", "a\0b", "--actions", "a").complaint()


def test_a_pipe_that_nobody_writes_to(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planscope.commands.common.PIPE_WAIT", 0.1)
    os.mkfifo(tmp_path / "pipe")
    assert "pipe without a writer" in cli("parse", "pipe", "--actions", "a, b").complaint()
    writer = subprocess.Popen(
        ["sh", "-c", "exec 3> pipe; sleep 0.3; echo 'A comes before B.' >&3"], cwd=tmp_path
    )
    done = cli("parse", "pipe", "--actions", "a, b", "--json")
    assert writer.wait() == 0
    assert done.status == 0 and done.json["text"] == "A comes before B."


UNREADABLE = variant("A comes before B.\nB goes near A. A goes far.", ["a", "b"])


@pytest.mark.parametrize("command", COMMANDS[1:])
def test_a_session_whose_text_cannot_be_read(cli: Cli, files: Files, command: str) -> None:
    path = files("a", "b", about=UNREADABLE)
    complaint = cli(*command.format(path).split()).complaint()
    assert "the query of variant v1 cannot be read: line 2, column 3: " in complaint
    assert "(and 1 more)" in complaint


def test_runs_that_are_many_are_not_all_named(cli: Cli, files: Files) -> None:
    path = files.keep(session(AB, *(run("a", run_id=f"r{k}") for k in range(1, 200))))
    assert cli("check", path, "--run", "x").complaint().endswith("r9, r10 and 189 more")


def test_no_request_and_no_run(cli: Cli, files: Files) -> None:
    nothing = files.keep(session(AB).model_copy(update={"variants": []}), "nothing")
    for command in ("export {} --format json", "run {} --model sim:careful"):
        assert "has no query" in cli(*command.format(nothing).split()).complaint()
    bare = files.keep(session(AB), "bare")
    for command in ("replay {}", "replay {} --json", "repair {}"):
        assert (
            "has no run yet; make one with: planscope run" in cli(*command.format(bare).split()).complaint()
        )
    done = cli("check", bare)
    assert done.status == 2 and done.out == "NO RUN\nThe session has no run.\n" and done.err == ""
    for form in ("text", "smt2"):
        assert cli("export", bare, "--format", form).status == 0


@pytest.mark.parametrize("depth", [100, 400, 900, 985])
def test_arguments_nested_deeply(cli: Cli, files: Files, depth: int) -> None:
    """Either printed or refused in one line, never a crash."""
    path = files(("a", {"x": 987654321}), "b", about=AB)
    path.write_text(path.read_text().replace("987654321", "[" * depth + "]" * depth))
    before = path.read_bytes()
    for command in COMMANDS[1:]:
        done = cli(*command.format(path).split())
        if done.status == 2:
            complaint = done.complaint()
            assert "nested too deeply" in complaint or "cannot be written again" in complaint
            assert path.read_bytes() == before
        else:
            assert done.err == ""


def test_a_number_without_end_stays_one_when_a_run_is_added(cli: Cli, files: Files) -> None:
    path = files(("a", {"x": 987654321}), "b", about=AB)
    path.write_text(path.read_text().replace("987654321", "-1e999"))
    before = path.read_text()
    assert cli("run", path, "--model", "sim:careful").status == 0
    after = path.read_text()
    assert after != before and '"x": -1e999' in after and "Infinity" not in after
    assert cli("check", path, "--run", "r1").status == 0 and cli("replay", path, "--json").status == 0


@pytest.mark.parametrize("digits", [20, 310, 1000, 1001, 4300, 5000])
def test_hours_with_many_digits(cli: Cli, files: Files, digits: int) -> None:
    about = variant("A comes before B.", ["a", "b"], [24, 1])
    path = files(("a", 77777), ("b", 12), about=about)
    path.write_text(path.read_text().replace("77777", "9" * digits))
    for command in COMMANDS[1:-1]:
        done = cli(*command.format(path).split())
        if done.status == 2:
            done.complaint()
        else:
            assert done.err == "" and len(done.out) < 400_000


def test_a_trace_is_told_from_a_session(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "trace.json").write_text('[{"role": "user", "content": "Hello."}]')
    for command in COMMANDS[1:]:
        said = cli(*command.format("trace.json").split()).complaint()
        assert "; planscope import makes one of a trace" in said, command
