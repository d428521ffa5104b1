"""planscope as a program: streams that are closed, full or read by nobody, encodings, permissions, interrupts."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.support import Cli, Done, Files, begun, harmless, program, run, session, variant
from tests.hostile import in_turn
from tests.nightly import nightly

AB = variant("A comes before B.", ["a", "b"])
BUFFERED = [{"PYTHONUNBUFFERED": ""}, {"PYTHONUNBUFFERED": "1"}]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and permissions of Unix")


def read_by_nobody(*args: str | Path, lines: int = 0, env: dict[str, str] | None = None) -> Done:
    """A program whose reader closes the pipe after so many lines."""
    command = [sys.executable, "-m", "planscope", *map(str, args)]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        out = "".join(process.stdout.readline() for _ in range(lines))
        process.stdout.close()
        err = process.stderr.read()
        return Done(process.wait(120), out, err)


@pytest.mark.parametrize("env", [BUFFERED[0], *nightly(BUFFERED[1])])
def test_a_closed_pipe_is_no_error(files: Files, env: dict[str, str]) -> None:
    right, wrong = files("a", "b", about=AB, name="right"), files("b", "a", about=AB, name="wrong")
    assert read_by_nobody("check", wrong, "--json", env=env) == Done(1, "", "")
    calls = (
        ["--help"],
        ["check", right],
        ["check", "--help"],
        ["schema"],
        ["replay", wrong],
        ["new", "--json"],
    )
    for args in in_turn(calls, BUFFERED.index(env), 2):
        assert read_by_nobody(*args, env=env) == Done(0, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that takes nothing")
@pytest.mark.parametrize("status", [0, 2])
def test_what_standard_error_cannot_take_does_not_change_the_status(status: int) -> None:
    """As on a terminal that is gone: Python would end with 120."""
    code = (
        "import sys; from planscope.cli import main\n"
        "try:\n    sys.stderr.write('the last frame'); sys.stderr.flush()\nexcept OSError:\n    pass\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "--version" if status == 0 else "--no-such-option"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command,
            stdout=subprocess.DEVNULL,
            stderr=full,
            env={**os.environ, "PYTHONUNBUFFERED": ""},
            check=False,
        )
    assert done.returncode == status


def test_an_interrupt_before_or_after_the_command_is_no_traceback(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> int:
        signal.raise_signal(signal.SIGINT)
        return 0

    monkeypatch.setattr("planscope.cli._guarded", interrupted)
    assert cli("sessions", "list") == Done(130, "", "")


def test_a_stream_of_requests_ends_when_nobody_reads() -> None:
    began = time.monotonic()
    done = read_by_nobody("new", "--count", "1000000000", "--seed", "3", lines=2)
    assert (
        done.status == 0 and done.err == "" and time.monotonic() - began < 300
    )  # all of them would take days
    assert [json.loads(line)["seed"] for line in done.out.splitlines()] == [3, 4]


def test_a_run_is_recorded_whoever_reads(files: Files) -> None:
    path = files.keep(session(AB))
    assert read_by_nobody("run", path, "--model", "sim:careful").status == 0
    assert len(json.loads(path.read_text())["runs"]) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("env", BUFFERED)
def test_an_output_that_is_full(env: dict[str, str]) -> None:
    for args in in_turn((["--version"], ["check", "first-look"], ["schema"]), BUFFERED.index(env), 2):
        with Path("/dev/full").open("wb") as full:
            done = program(*args, env=env, stdout=full, stderr=subprocess.PIPE, capture_output=False)
        assert done.status == 2
        assert done.err == "planscope: standard output cannot be written: No space left on device\n"


def shell(line: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """A line for the shell, in which ``$P`` is planscope."""
    return subprocess.run(
        ["sh", "-c", line.replace("$P", f'"{sys.executable}" -m planscope')],
        capture_output=True,
        env={**os.environ, **env},
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "line,status",
    [
        ("$P check {} <&- >&- 2>&-", 1),
        ("$P check nope 2>&-", 2),
        ("$P --help >&-", 0),
        ("$P parse --actions a,b <&-", 2),
        ("$P <&- >&-", 2),
        *nightly(("$P check {} >&-", 1), ("$P check {} 2>&-", 1)),
    ],
)
def test_closed_streams(files: Files, line: str, status: int) -> None:
    done = shell(line.format(files("b", "a", about=AB)))
    assert done.returncode == status
    assert b"Traceback" not in done.stderr and done.stderr.count(b"\n") <= 1


def test_a_file_does_not_become_standard_output(files: Files) -> None:
    """With standard output closed, the next file that is opened would get its number, and be written into."""
    path = files.folder / "new.planscope.json"
    assert shell(f"$P new --seed 1 -o {path} >&- <&-").returncode == 0
    assert len(json.loads(path.read_text())["variants"]) == 1


@pytest.mark.parametrize("encoding", ["ascii", *nightly("ascii:strict", "latin-1", "cp437"), "utf-8"])
def test_what_an_encoding_cannot_say_is_escaped(files: Files, encoding: str) -> None:
    about = variant("Ärger happens before 先检查.", ["ärger", "先检查"])
    path = files("ghost", "b", about=about)
    env = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "80"}
    calls = [["replay", str(path)], ["check", "nö先"]]
    if encoding in ("ascii", "cp437"):
        calls += [["check", str(path)], ["export", str(path), "--format", "text"]]
    code = "import sys; from planscope.cli import main; print([main(words) for words in eval(sys.argv[1])])"
    done = subprocess.run(
        [sys.executable, "-c", code, ascii(calls)],
        capture_output=True,
        env={**os.environ, **env},
        check=False,
    )
    assert b"Traceback" not in done.stderr and b"bug in planscope" not in done.stderr
    out = done.stdout.decode(encoding.partition(":")[0])
    assert eval(out.splitlines()[-1]) == [0, 2, 1, 0][: len(calls)]
    if encoding.startswith("ascii"):
        assert done.stdout.isascii() and done.stderr.isascii()
    assert ("✓" if encoding == "utf-8" else "\\u2713") in out.replace("√", "\\u2713")


def test_the_locale_c(files: Files) -> None:
    path = files("b", "a", about=AB)
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    commands = [["replay", str(path)], ["check", str(path)], ["grammar"]]
    code = f"from planscope.cli import main; print([main(words) for words in {commands}])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **env}, check=False
    )
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.endswith("\n[0, 1, 0]\n")
    assert program("--help", env=env).out


def test_what_goes_to_a_file_is_utf_8_whatever_the_terminal_says(files: Files, tmp_path: Path) -> None:
    about = variant("Ärger happens before b.", ["ärger", "b"])
    out = tmp_path / "x.txt"
    program(
        "export", files("b", about=about), "--format", "text", "-o", out, env={"PYTHONIOENCODING": "ascii"}
    )
    assert "Ärger happens before b." in out.read_text(encoding="utf-8")


EACH = """
import contextlib, io, json, sys
from planscope.cli import main
told = []
for args in json.loads(sys.argv[1]):
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(args)
    told.append([status, *(one.buffer.getvalue().decode() for one in (out, err))])
print(json.dumps(told))
"""


def without_power(*commands: tuple[str | Path, ...]) -> list[Done]:
    """As a user who may not read everything: root without the capabilities that make it one. All in one process."""
    prefix: list[str] = []
    if os.geteuid() == 0:
        tool = shutil.which("setpriv")
        if tool is None:
            pytest.skip("root may read everything, and there is no setpriv")
        prefix = [tool, "--bounding-set=-dac_override,-dac_read_search"]
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
            pytest.skip("capabilities cannot be dropped here")
    given = json.dumps([[str(word) for word in one] for one in commands])
    done = subprocess.run(
        [*prefix, sys.executable, "-c", EACH, given],
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Done(*one) for one in json.loads(done.stdout)]


def test_permissions(files: Files, tmp_path: Path) -> None:
    good = files("a", about=AB, name="good")
    secret = files("a", about=AB, name="secret")
    secret.chmod(0)
    for folder, mode in (("closed", 0), ("readable", 0o555)):
        (tmp_path / folder).mkdir()
        shutil.copy(good, tmp_path / folder / "x.json")
        (tmp_path / folder).chmod(mode)
    readable, closed = tmp_path / "readable", tmp_path / "closed"
    fixed = tmp_path / "fixed.json"
    shutil.copy(good, fixed)
    fixed.chmod(0o444)
    before = fixed.read_bytes()
    run_it = ("--model", "sim:careful")
    refused: dict[tuple[str | Path, ...], str] = {
        ("check", secret): "chmod u+r",
        ("parse", secret, "--actions", "a"): "chmod u+r",
        ("check", closed / "x.json"): "Permission denied",
        ("new", "-o", readable / "y.json"): "no permission to write in",
        ("new", "-o", readable / "y" / "z.json"): "no permission to write in",
        ("new", "-o", closed / "y.json"): "cannot be written",
        ("new", "-o", fixed): "is write-protected",
        ("run", readable / "x.json", *run_it): "no permission to write in",
        ("run", fixed, *run_it): "is write-protected",
    }
    try:
        *told, checked = without_power(*refused, ("check", readable / "x.json"))
    finally:
        closed.chmod(0o755)
        readable.chmod(0o755)
    for done, why in zip(told, refused.values(), strict=True):
        assert why in done.complaint()
    assert checked.status == 1
    assert fixed.read_bytes() == before
    assert [p.name for p in readable.iterdir()] == ["x.json"]


def test_an_interrupt_exits_with_130_and_says_nothing() -> None:
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with begun("parse", "--actions", "a, b", **streams) as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.wait(60) == 130 and process.stderr.read() == ""


def test_an_interrupt_while_a_fifo_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with begun("parse", tmp_path / "pipe", "--actions", "a") as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert process.wait(60) == 130 and process.stderr.read() == ""


def test_a_text_through_a_pipe() -> None:
    done = program("parse", "--actions", "a, b", "--json", stdin=None, input=b"A comes before B.")
    assert done.status == 0 and done.json["valid_orders"] == 1


@pytest.mark.parametrize("columns", ["0", "1", "7", "-5", "x", "1000000"])
def test_odd_widths(files: Files, columns: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = files("b", ("ghost", {"x": "y" * 300}), about=AB)
    for name in ("COLUMNS", "LINES"):
        monkeypatch.setenv(name, columns)
    for args in (["--help"], ["new", "--help"], ["check", path], ["replay", path]):
        done = cli(*args)
        assert done.status in (0, 1) and done.err == "" and done.out and harmless(done.out)
        assert max(map(len, done.out.splitlines())) <= 120


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f'cd "{gone}" && rmdir "{gone}" && $P'
    env = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    assert shell(f"{line} check figure-5", **env).returncode == 1
    for args in ("check x.json", "new -o y.json"):
        done = shell(f"{line} {args}", **env)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"bug" not in done.stderr


def test_documents_do_not_depend_on_the_process(files: Files) -> None:
    path = files.keep(session(AB, run("b", ("ghost", {"z": 1, "y": {"b": 2, "a": 1}}), "b")))
    code = "import sys; from planscope.cli import main; [main([c, sys.argv[1], *sys.argv[2:]]) for c in "
    code += "('check', 'replay', 'explain')]; main(['export', sys.argv[1], '--format', 'json'])"
    outs = {
        subprocess.run(
            [sys.executable, "-c", code, str(path), "--json"],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in "12"
    }
    assert len(outs) == 1 and outs.pop().count(b"\n}") >= 4
