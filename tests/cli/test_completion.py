"""Completion: what is suggested at a place, that no name is run by a shell, and the shells themselves."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from planscope.commands import COMMANDS
from planscope.session.locations import bundled, campaigns_folder, library_folder
from planscope.session.store import load, save
from tests.cli.completing import answered, words
from tests.cli.support import Cli


def test_what_is_suggested(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    save(load(bundled()["first-look"]), tmp_path / "mine.planscope.json")
    assert words("") == list(COMMANDS)
    assert words("che") == ["check"] and words("first-l") == ["first-look"]
    assert words("mi") == ["mine.planscope.json"], "the session to open"
    assert words("check", "first-") == ["first-look"]
    assert words("check", "first-look", "--r") == ["--run", "--rules", "--running"]
    assert words("check", "first-look", "--run", "") == ["r2", "r1"]
    assert words("check", "first-look", "--run=") == ["--run=r2", "--run=r1"]
    assert words("first-look", "--run", "") == ["r2", "r1"], "without a command"
    assert words("compare", "first-look", "r2", "r") == ["r2", "r1"]
    assert words("fork", "first-look", "--variant", "") == ["v1"]
    assert words("rules", "mi") == ["mine"] and words("sessions", "show", "first-") == ["first-look"]
    assert words("run", "x", "--model", "sim:ca") == ["sim:careful"]
    assert words("open", "--theme", "d")[0] == "dark"
    assert words("runs", "first-look", "--verdict", "r") == ["right"]
    assert words("completion", "") == ["bash", "zsh", "fish"]
    assert words("schema", "che") == ["check"] and words("new", "--topic", "teach") == ["teacher"]
    campaigns_folder().mkdir(parents=True)
    (campaigns_folder() / "nightly.campaign.sqlite").touch()
    assert words("campaign", "show", "") == ["nightly"]
    (tmp_path / "rules.txt").touch()
    assert words("check", "x", "--rules", "ru") == ["rules.txt"], "files"
    assert words("check", "./ru") == ["./rules.txt"]
    for nothing in (
        ["check", "gone", "--run", ""],
        ["new", "--seed", ""],
        ["check", "a", "b"],
        ["nope", "--zzz"],
    ):
        assert words(*nothing) == []


def test_every_command_suggests_its_options(cli: Cli) -> None:
    for name in COMMANDS:
        assert "--help" in words(name, "-"), name


@pytest.mark.parametrize(
    "line,put",
    [
        ("planscope --model sim:car", []),
        ("planscope run x --model sim:car", ["careful"]),
        ("planscope run x --model=sim:car", ["careful"]),
        ("planscope run x --model 'sim:car", ["sim:careful"]),
        ("planscope check my\\ s", ["my\\ session\\$x"]),
        ("planscope check 'my s", ["my session$x"]),
        ('planscope check "my s', ["my session\\$x"]),
    ],
)
def test_a_line_of_bash(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, put: list[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    library_folder().mkdir(parents=True)
    save(load(bundled()["first-look"]), library_folder() / "my session$x.planscope.json")
    assert answered(line, "bash") == put


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``planscope`` on the PATH, and a session with a name that a shell would run parts of."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    program = tmp_path / "bin" / "planscope"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m planscope "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    library_folder().mkdir(parents=True)
    save(load(bundled()["first-look"]), library_folder() / f"{NAME}.planscope.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


NAME = "it's $(touch hacked);touch hacked&"


def type_in(shell: list[str], setup: str, *typed: tuple[str, str]) -> str:
    """What a shell displays when somebody types. After each text comes what has to appear before the next is typed."""
    pid, master = pty.fork()
    if pid == 0:
        os.execvp(shell[0], shell)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    seen = ""
    over = time.monotonic() + 60
    try:
        for text, wanted in ((f"{setup}; echo rea''dy\n", "ready"), *typed):
            os.write(master, text.encode())
            before = len(seen)
            while wanted not in seen[before:] and time.monotonic() < over:
                if select.select([master], [], [], 0.2)[0]:
                    got = os.read(master, 65536).decode("utf-8", "replace")
                    seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x07", "", got)
        return seen
    finally:
        os.close(master)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


ECHO = "\x01printf '<%s>' \n"  # back to the beginning of the line, so that it is printed instead of run
ENDS = f"<planscope><check><{NAME}><--run><r2>"


@pytest.mark.parametrize(
    "shell,setup",
    [
        (["bash", "--norc", "--noprofile", "-i"], 'eval "$(planscope completion bash)"'),
        (
            ["zsh", "-f", "-i"],
            'bindkey -e; autoload -U compinit; compinit -u -D; eval "$(planscope completion zsh)"',
        ),
    ],
    ids=["bash", "zsh"],
)
def test_a_shell_completes_and_runs_no_name(home: Path, shell: list[str], setup: str) -> None:
    if shutil.which(shell[0]) is None:
        pytest.skip(f"{shell[0]} is not installed")
    seen = type_in(
        shell,
        setup,
        ("planscope chec\t", "check "),
        ("it\t", "hacked"),
        ("--run r2" + ECHO, ENDS),
    )
    assert ENDS in seen, seen
    assert not (home / "hacked").exists()


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(home: Path) -> None:
    script = (
        'planscope completion fish | source; complete -C "planscope che"; complete -C "planscope check it"'
    )
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"check\t{COMMANDS['check']}", f"{NAME}\tyour library"], done
