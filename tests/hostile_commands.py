"""Hostile files given to every command that reads files, and what must hold whatever they are.

``python -m tests.hostile_commands`` tries every file with every command, the large ones in processes of their own whose
memory and time are measured; the tests try a part of that.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from planscope.cli import main
from planscope.commands import COMMANDS
from tests.hostile_files import FILES, SMALL, HostileFile

MOST_MEMORY = 500_000
"""Kilobytes of a process, at its largest."""

MOST_SECONDS = 5.0

LINES: dict[str, tuple[str, ...]] = {
    "open": ("open {}",),
    "serve": ("serve {} --theme none-of-these",),
    "check": ("check {}", "check {} --json", "check {} --strict --no-certify"),
    "replay": ("replay {}", "replay {} --json"),
    "repair": ("repair {}", "repair {} --json"),
    "export": tuple(
        f"export {{}} --format {form}"
        for form in ("json", "smt2", "text", "markdown", "html", "pytest", "session")
    ),
    "compare": ("compare {} r1 r1", "compare {} r1 r1 --json"),
    "mutate": ("mutate {} --kind Repeat --json", "mutate {} --seed 1 --count 1 -o OUT"),
    "dissect": ("dissect {} --model sim:literal --budget 1 -o OUT",),
    "reasons": ("reasons {}", "reasons {} --json"),
    "run": ("run {} --model sim:careful -o OUT", "run {} --model sim:careful"),
    "sessions": (
        "sessions show {}",
        "sessions show {} --json",
        "sessions copy {}",
        "sessions list --no-judge",
        "sessions list --json",
        "sessions delete {}",
        "sessions rename {} new --title x",
        "sessions recover {}",
    ),
    "walk": ("walk {}",),
    "parse": ("parse {} --actions a,b", "parse {} --actions a,b --json"),
    "new": ("new --seed 1 --topics-file {}",),
    "topics": ("topics --file {}", "topics --file {} --json"),
}
NO_FILES = {"models", "grammar", "schema", "themes", "config"}
"""Commands that read no file that is named to them."""

ALL: tuple[str, ...] = tuple(line for lines in LINES.values() for line in lines)
TYPED = {"walk": "h\nn\nn\nx\ns\nf\nG\ni\nw\nb\n/ a\nnonsense [\nq\n"}
"""What comes from standard input."""

READERS = ("check {} --no-certify", "replay {} --json", "sessions show {}")
"""Those that every file is tried with."""

CHANGES = frozenset(line for line in ALL if "run {}" in line and "-o" not in line)
"""What may write into the file itself."""


def untold() -> set[str]:
    """Commands that nobody has said here how to give a file to."""
    return set(COMMANDS) - set(LINES) - NO_FILES


@dataclass(frozen=True)
class Tried:
    """One command on one file, in this process."""

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
        if self.status == 2 and "check" not in self.line and self.err.count("\n") != 1:
            yield f"not one line: {self.err[:400]!r}"
        if len(self.err) > 2100:
            yield f"an error of {len(self.err)} characters"
        if (
            file.fate == "refused"
            and self.status != 2
            and "{}" in self.line
            and not self.line.startswith(_OTHERS)
        ):
            yield f"was read: {self.out[:200]!r}"
        if file.fate == "opens" and self.status == 2 and "sessions show" in self.line:
            yield f"was not read: {self.err[:300]!r}"


_OTHERS = ("parse", "new", "topics", "sessions recover")
"""These read no sessions."""


def harmless(text: str) -> bool:
    """Lines of text with nothing in them that a terminal would obey or that turns the reading direction round."""
    return (text.isascii() and text.replace("\n", "").isprintable()) or all(
        c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in text
    )


def attempt(line: str, path: Path, out: Path) -> Tried:
    """Run one command here, as ``planscope`` would, without a terminal."""
    words = [str(path) if word == "{}" else str(out) if word == "OUT" else word for word in line.split()]
    typed = TYPED.get(words[0], "").encode()
    streams = [io.TextIOWrapper(io.BytesIO(data), encoding="utf-8") for data in (b"", b"", typed)]
    began = time.monotonic()
    with (
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
        _stdin(streams[2]),
    ):
        status = main(words)
    seconds = time.monotonic() - began
    for stream in streams[:2]:
        stream.flush()
    texts = [stream.buffer.getvalue().decode("utf-8", "surrogateescape") for stream in streams[:2]]  # type: ignore[attr-defined]
    return Tried(line, status, texts[0], texts[1], seconds)


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
    """Troubles of a file with these commands, in folders of its own; nothing but ``OUT`` may be written beside it."""
    with tempfile.TemporaryDirectory() as base:
        folder, elsewhere = Path(base) / "in", Path(base) / "out"
        folder.mkdir()
        elsewhere.mkdir()
        path = file.write(folder)
        here = Path.cwd()
        os.chdir(folder)
        try:
            before = seen(folder)
            for line in lines:
                done = attempt(line, path, elsewhere / "out.planscope.json")
                for trouble in done.troubles(file):
                    yield f"{file.name} | {line} | {trouble}"
                if done.seconds > 4 * MOST_SECONDS:  # measured for good in a process of its own
                    yield f"{file.name} | {line} | {done.seconds:.1f} s"
                after = seen(folder)
                if after != before and line not in CHANGES:
                    yield f"{file.name} | {line} | changed what lies in its folder"
                before = after
        finally:
            os.chdir(here)


_SCALES = """
import os, subprocess, sys, time
began = time.monotonic()
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, time.monotonic() - began)
"""
"""A small process between: the system counts a parent's memory as its child's until the child has become itself."""


def measured(file: HostileFile, line: str) -> tuple[int, int, float, str]:
    """Exit status, kilobytes and seconds of a process of its own, and what it said on standard error."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "in"
        folder.mkdir()
        path = file.write(folder)
        words = [
            str(path) if word == "{}" else f"{base}/out.json" if word == "OUT" else word
            for word in line.split()
        ]
        done = subprocess.run(
            [sys.executable, "-c", _SCALES, sys.executable, "-m", "planscope", *words],
            capture_output=True,
            text=True,
            errors="replace",
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
            check=True,
        )
        status, memory, seconds = done.stdout.split()
        return int(status), int(memory), float(seconds), done.stderr


def report() -> int:
    """Everything with everything; how many troubles there were."""
    troubles = 0
    for file in SMALL:
        for trouble in try_file(file, ALL):
            print(trouble)  # noqa: T201
            troubles += 1
    largest, longest = 0, 0.0
    for file in FILES:
        if file.large:
            for line in ALL:
                status, memory, seconds, said = measured(file, line)
                largest, longest = max(largest, memory), max(longest, seconds)
                if (
                    status not in (0, 1, 2)
                    or memory > MOST_MEMORY
                    or seconds > MOST_SECONDS
                    or "bug in" in said
                ):
                    print(f"{file.name} | {line} | {status} {memory // 1000} MB {seconds:.1f} s {said[:200]}")  # noqa: T201
                    troubles += 1
    print(  # noqa: T201
        f"{len(FILES)} files, {len(ALL)} command lines: {troubles} troubles; at most {largest // 1000} MB and "
        f"{longest:.1f} s a process"
    )
    return troubles


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        for name in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{name}_HOME"] = f"{home}/{name.lower()}"
        sys.exit(1 if report() else 0)
