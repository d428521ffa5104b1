"""Hostile files given to every command that reads files, and what must hold whatever they are.

``python -m tests.fuzz.hostile_commands`` tries every file with every command, the large ones in processes of their own
whose memory and time are measured; with ``1/2`` every second file. The tests try a part of that.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from planscope.cli import main
from tests.fuzz.hostile_files import FILES, HostileFile
from tests.fuzz.hostile_lines import ALL, CHANGES, TYPED, home, put, reads_session, sound_session
from tests.fuzz.hostile_watch import watched

MOST_MEMORY = 500_000
"""Kilobytes of a process, at its largest."""

MOST_SECONDS = 5.0
"""Of a process that has a processor to itself."""


@dataclass(frozen=True)
class Tried:
    """One command on one file, in this process. ``seconds`` of the processor."""

    line: str
    status: int
    out: str
    err: str
    seconds: float

    def troubles(self, file: HostileFile) -> Iterator[str]:
        """What is not as it must be."""
        if self.status not in (0, 1, 2):
            yield f"status {self.status}"
        for stream, text in (("stdout", self.out), ("stderr", self.err)):
            if not harmless(text):
                yield f"{stream} holds what a terminal obeys: {text[:300]!r}"
        if "bug in planscope" in self.err or "Traceback" in self.err:
            yield self.err[:400]
        if (
            self.status == 2
            and "check" not in self.line
            and self.err.count("\n") != 1
            and "bug" not in self.err
        ):
            yield f"not one line: {self.err[:400]!r}"
        if len(self.err) > 2100:
            yield f"an error of {len(self.err)} characters"
        if file.fate == "refused" and self.status != 2 and reads_session(self.line):
            yield f"was read: {self.out[:200]!r}"
        if file.fate == "opens" and self.status == 2 and "sessions show {}" in self.line:
            yield f"was not read: {self.err[:300]!r}"


def harmless(text: str) -> bool:
    """Lines of text with nothing in them that a terminal would obey or that turns the reading direction round."""
    return (text.isascii() and text.replace("\n", "").isprintable()) or all(
        c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in text
    )


def attempt(line: str, path: Path, out: Path, good: Path | None = None) -> Tried:
    """Run one command here, as ``planscope`` would, without a terminal."""
    line, _, source = line.partition(" < ")
    names = {"{}": str(path), "OUT": str(out), "GOOD": str(good)}
    words = [names.get(word, word) for word in line.split()]
    typed = _content(path) if source else TYPED.get(words[0], "").encode()
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (b"", b"", typed)]
    began = time.process_time()
    with (
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
        _stdin(streams[2]),
    ):
        status = main(words)
    seconds = time.process_time() - began
    for stream in streams[:2]:
        stream.flush()
    texts = [stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in streams[:2]]
    return Tried(line + (" < {}" if source else ""), status, texts[0], texts[1], seconds)


def _content(path: Path) -> bytes:
    """What comes through standard input; of what is no file, nothing."""
    return path.read_bytes() if path.is_file() else b""


@contextlib.contextmanager
def _stdin(stream: io.TextIOWrapper) -> Iterator[None]:
    before, sys.stdin = sys.stdin, stream
    try:
        yield
    finally:
        sys.stdin = before


def seen(folder: Path) -> Mapping[str, tuple[int, int, int]]:
    """What lies in a folder, so that a change shows."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_size if path.is_file() else 0, status.st_mtime_ns)
    return found


def try_file(file: HostileFile, lines: Sequence[str]) -> Iterator[str]:
    """Troubles of a file with these commands, in folders of its own: nothing else is touched, nor the file itself."""
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        folder, elsewhere = base / "in", base / "out"
        folder.mkdir()
        elsewhere.mkdir()
        path, good = file.write(folder), sound_session(elsewhere)
        here = Path.cwd()
        os.chdir(folder)
        try:
            before = seen(folder)
            for whole in lines:
                place, _, line = whole.rpartition(": ")
                where = put(file, place, base / "home", good) if place else path
                with home(base / "home"), watched(base) as touched:
                    done = attempt(line, where, elsewhere / "out.planscope.json", good)
                troubles = [*done.troubles(file), *touched]
                if done.seconds > 4 * MOST_SECONDS:  # measured for good in a process of its own
                    troubles.append(f"{done.seconds:.1f} s")
                after = seen(folder)
                if after != before and line not in CHANGES:
                    troubles.append("changed what lies in its folder")
                before = after
                yield from (f"{file.name} | {whole} | {trouble}" for trouble in troubles)
        finally:
            os.chdir(here)


_SCALES = """
import os, subprocess, sys, time
began = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdin=sys.stdin, stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, usage.ru_utime + usage.ru_stime, time.monotonic() - began)
"""
"""A small process between: the system counts a parent's memory as its child's until the child has become itself."""


@dataclass(frozen=True)
class Measured:
    """One command in a process of its own. ``memory`` in kilobytes; ``busy``: seconds of a processor; ``err``."""

    status: int
    memory: int
    busy: float
    seconds: float
    err: str

    @property
    def troubles(self) -> Iterator[str]:
        if self.status not in (0, 1, 2):
            yield f"status {self.status}"
        if self.memory > MOST_MEMORY:
            yield f"{self.memory // 1000} MB"
        if min(self.busy, self.seconds) > MOST_SECONDS:  # a machine may have other things to do
            yield f"{self.busy:.1f} s ({self.seconds:.1f} s by the clock)"
        if "bug in planscope" in self.err or "Traceback" in self.err or not harmless(self.err):
            yield repr(self.err[:300])


@cache
def _prepared() -> Path:
    """What a detector of secrets keeps in the user's cache after its first use: that alone takes seconds."""
    made = Path(tempfile.mkdtemp(prefix="planscope-cache-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        good = sound_session(Path(folder))
        subprocess.run(
            [sys.executable, "-m", "planscope", "export", str(good), "--preview"],
            stdout=subprocess.DEVNULL,
            env={**os.environ, "XDG_CACHE_HOME": str(made), "PYTHONPATH": str(Path(__file__).parents[2])},
            check=True,
        )
    shutil.rmtree(made / "planscope", ignore_errors=True)
    return made


def measured(file: HostileFile, whole: str) -> Measured:
    """One command line on one file, measured."""
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        folder = base / "in"
        folder.mkdir()
        good = sound_session(base)
        place, _, line = whole.rpartition(": ")
        line, _, source = line.partition(" < ")
        with home(base / "home"):
            shutil.copytree(_prepared(), base / "home" / "cache", dirs_exist_ok=True)
            path = put(file, place, base / "home", good) if place else file.write(folder)
            names = {"{}": str(path), "OUT": f"{base}/out.json", "GOOD": str(good)}
            with (path if source else Path(os.devnull)).open("rb") as stdin:
                done = subprocess.run(
                    [
                        *(sys.executable, "-c", _SCALES, sys.executable, "-m", "planscope"),
                        *(names.get(word, word) for word in line.split()),
                    ],
                    stdin=stdin,
                    capture_output=True,
                    text=True,
                    errors="replace",
                    cwd=folder,
                    env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
                    check=True,
                )
        status, memory, busy, seconds = done.stdout.split()
        return Measured(int(status), int(memory), float(busy), float(seconds), done.stderr)


def report(files: Sequence[HostileFile]) -> int:
    """Everything with everything; how many troubles there were."""
    troubles, tried = 0, 0
    largest, longest = 0, 0.0
    for number, file in enumerate(files):
        if file.large:
            done = [(line, measured(file, line)) for line in ALL]
            found = [f"{file.name} | {line} | {trouble}" for line, one in done for trouble in one.troubles]
            largest = max(largest, *(one.memory for _, one in done))
            longest = max(longest, *(min(one.busy, one.seconds) for _, one in done))
        else:
            found = list(try_file(file, ALL))
        tried += len(ALL)
        troubles += len(found)
        _tell(*found)
        if number % 50 == 0:
            _tell(f"... {number} of {len(files)} files")
    _tell(
        f"{len(files)} files, {len(ALL)} command lines, {tried} tries: {troubles} troubles; at most "
        f"{largest // 1000} MB and {longest:.1f} s a process"
    )
    return troubles


def _tell(*lines: str) -> None:
    for line in lines:
        print(line.encode("ascii", "backslashreplace").decode(), flush=True)


def _chosen(words: Sequence[str]) -> list[HostileFile]:
    """``large`` or ``small`` only; ``1/2`` every second one; other words: those that are called so."""
    files = list(FILES)
    for word in words:
        part, slash, parts = word.partition("/")
        if word in ("large", "small"):
            files = [file for file in files if file.large == (word == "large")]
        elif slash and part.isdigit() and parts.isdigit():
            files = files[int(part) % int(parts) :: int(parts)]
        else:
            files = [file for file in files if word in file.name]
    return files


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, home(Path(folder)):
        sys.dont_write_bytecode = True

        from planscope.commands import common

        common.PIPE_WAIT = 0.05
        sys.exit(1 if report(_chosen(sys.argv[1:])) else 0)
