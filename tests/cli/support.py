"""Sessions made by hand, the command line called in process or as a program, and what may be printed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from planscope.cli import main
from planscope.language.problem import make_actions
from planscope.session.model import (
    CallEvent,
    EndEvent,
    Event,
    Origin,
    PromptEvent,
    Query,
    Run,
    Session,
    Variant,
    records,
)
from planscope.session.store import save

Ending = Literal["stopped", "timeout", "call_limit", "aborted"]
Step = tuple[str, int] | tuple[str, dict[str, Any] | None] | str
"""A call: ``"tool"``, ``("tool", hour)`` or ``("tool", arguments)``."""

FIGURE_7 = (
    "Network diagnosis comes before network speed test, which occurs before 15:00. "
    "Network diagnosis should be executed after 10:00."
)
FIGURE_10 = (
    "Attending training sessions follow 10:00. Applying hair color, which occur before sanitizing tools, are "
    "carried out earlier than attending training sessions, which are executed in advance of sanitizing tools, but "
    "sanitizing tools follow 18:00. Attending training sessions should be carried out in front of 12:00."
)
FIGURE_10_ACTIONS = ["sanitizing tools", "applying hair color", "attending training sessions"]


@dataclass(frozen=True)
class Done:
    """What a call of the command line left: exit status, standard output, standard error."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        assert self.out.endswith("\n"), self
        return json.loads(self.out, parse_constant=_no_constant)

    def complaint(self) -> str:
        """The one line on standard error of a call that failed, with nothing on standard output."""
        assert self.status == 2, self
        assert self.out == "", self
        assert self.err.startswith("planscope: ") and self.err.count("\n") == 1, self
        assert self.err.endswith("\n") and len(self.err) < 2100, self
        assert "bug in planscope" not in self.err and "Traceback" not in self.err, self
        return self.err.removeprefix("planscope: ").rstrip("\n")


def _no_constant(name: str) -> Any:
    raise AssertionError(f"{name} is not JSON")


class Cli:
    """Calls ``planscope.cli.main`` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capsys, self._patch = capsys, patch

    def __call__(self, *args: str | Path, stdin: str | bytes | None = None) -> Done:
        data = b"" if stdin is None else stdin if isinstance(stdin, bytes) else stdin.encode()
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        self._capsys.readouterr()
        status = main([str(a) for a in args])
        captured = self._capsys.readouterr()
        assert isinstance(status, int)
        return Done(status, captured.out, captured.err)


def program(*args: str | Path, env: Mapping[str, str] | None = None, **options: Any) -> Done:
    """``python -m planscope`` as a process of its own, without a terminal."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 120} | options
    done = subprocess.run(
        [sys.executable, "-m", "planscope", *map(str, args)],
        env={**os.environ, **(env or {})},
        check=False,
        **options,
    )
    out, err = done.stdout or b"", done.stderr or b""
    return Done(done.returncode, out.decode("utf-8"), err.decode("utf-8"))


_BEGUN = """
import sys
from planscope import cli
def begun(*args, work=cli._guarded):
    print("begun", file=sys.stderr, flush=True)
    return work(*args)
cli._guarded = begun
sys.exit(cli.main())
"""


@contextmanager
def begun(*args: str | Path, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """planscope as a process of its own, from the moment on at which it heeds Ctrl-C; killed if it is still there."""
    command = [sys.executable, "-c", _BEGUN, *map(str, args)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options) as process:
        try:
            assert process.stderr is not None and process.stderr.readline() == "begun\n"
            yield process
        finally:
            process.kill()


def variant(
    text: str, names: Sequence[str], durations: Sequence[int] | None = None, timed: bool | None = None
) -> Variant:
    timed = durations is not None if timed is None else timed
    return Variant(
        id="v1",
        origin=Origin(kind="written"),
        query=Query(text=text, timed=timed),
        actions=records(make_actions(names, durations)),
    )


def run(
    *steps: Step, ending: Ending | None = "stopped", reason: str | None = None, run_id: str = "r1"
) -> Run:
    """A run of the variant ``v1``; without an ``ending`` its record breaks off."""
    events: list[Event] = [PromptEvent(text="Do it.")]
    for number, step in enumerate(steps, 1):
        tool, given = (step, {}) if isinstance(step, str) else step
        arguments = {"start_time": given} if isinstance(given, int) else given
        error = "this is no JSON" if arguments is None else None
        events.append(CallEvent(at=number, step=number, tool=tool, arguments=arguments, error=error))
    if ending is not None:
        events.append(EndEvent(at=len(steps), ending=ending, reason=reason))
    return Run(id=run_id, variant="v1", agent="tools", model="sim:careful", events=events)


def session(made: Variant, *runs: Run) -> Session:
    return Session(id="s", title="A title", variants=[made], runs=list(runs))


class Files:
    """Writes sessions into a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *steps: Step, about: Variant, name: str = "case", **options: Any) -> Path:
        """A session with one run of these steps."""
        return self.keep(session(about, run(*steps, **options)), name)

    def keep(self, made: Session, name: str = "case") -> Path:
        path = self.folder / f"{name}.planscope.json"
        save(made, path)
        return path


def harmless(text: str) -> bool:
    """Nothing in it that a terminal would obey or that would turn the reading direction round; lines of text."""
    return all(
        c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in text
    )
