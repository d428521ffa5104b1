"""Starts the child process that fuzzes, and keeps what it tells. Whatever happens to the child, no finding is lost."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from planscope.errors import UserError
from planscope.session.model import FuzzFinding
from planscope.toolfuzz.folders import copy_folder
from planscope.toolfuzz.job import Job, Options
from planscope.toolfuzz.lines import read
from planscope.toolfuzz.mcp_process import address_of
from planscope.toolfuzz.outcome import Call, Made
from planscope.toolfuzz.report import Report
from planscope.toolfuzz.tool_report import ToolReport

_BOOT = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); del sys.argv[1:]; "
    "from planscope.toolfuzz.child import main; main()"
)
KEPT_NAMES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT")
"""Variables of the environment that the child gets."""

INSTALL = "pip install '.[fuzz]'"


class Stopped(Exception):
    """Raised by a listener of :meth:`Fuzz.run` to end it. What was found stays."""


Heard = Callable[[Mapping[str, object], Report], None]


@dataclass
class Fuzz:
    """One run of the fuzzer. ``report`` grows while it runs and is whole at any moment."""

    options: Options
    report: Report = field(default_factory=lambda: Report("", 0))

    def __post_init__(self) -> None:
        self.report.target, self.report.seed = self.options.target, self.options.seed
        self.report.settings = self.options.for_tests

    def run(self, heard: Heard | None = None) -> Report:
        """Fuzz all tools of the target. Raises UserError if the target cannot be used. ``heard`` may raise Stopped."""
        check_callable(self.options.target, self.options.network)
        check_platform()
        began = time.monotonic()
        try:
            for message in self._messages("fuzz"):
                event, said = f"_on_{message['event']}", {k: v for k, v in message.items() if k != "event"}
                getattr(self, event, lambda **_: None)(**said)
                if heard is not None:
                    heard(message, self.report)
        except KeyboardInterrupt:
            self.report.interrupted = True
            raise
        except Stopped:
            self.report.interrupted = True
        finally:
            self.report.seconds = round(time.monotonic() - began, 3)
        return self.report

    def play(self, calls: Sequence[Call]) -> list[Made]:
        """Play a program of calls in a fresh child. Return what was made."""
        check_platform()
        for message in self._messages("play", calls):
            if message["event"] == "played":
                return [Made.of(one) for one in message["made"]]
        raise UserError(f"{self.options.target}: the calls had no outcome")

    def _messages(self, work: str, play: Sequence[Call] = ()) -> Iterator[dict[str, Any]]:
        with tool_process(self.options, work, play) as process:
            ended = False
            for message in process.messages():
                ended = ended or message["event"] == "end"
                yield message
            if not ended:
                self._broken(process.why_ended())

    def _broken(self, why: str) -> None:
        """The child ended early: an error if it never told of a tool, else a remark in the report."""
        if not self.report.tools:
            raise UserError(f"{self.options.target} cannot be imported: the process ended ({why})")
        self.report.remarks.append(f"The fuzzer's process ended early ({why}).")

    def _on_tools(self, sandbox: dict[str, str], tools: list[dict[str, Any]]) -> None:
        self.report.sandbox, self.report.tools = sandbox, [ToolReport(**one) for one in tools]

    def _on_finding(self, key: str, finding: object) -> None:
        one = FuzzFinding.model_validate(finding)
        self.report.findings[one.tool, key] = one

    def _on_remark(self, text: str) -> None:
        if text not in self.report.remarks:
            self.report.remarks.append(text)

    def _on_dropped(self, key: str, tool: str) -> None:
        self.report.findings.pop((tool, key), None)

    def _on_sequences(
        self, sequences: int, calls: int, occurrences: Mapping[str, int], tools: Mapping[str, tuple[int, int]]
    ) -> None:
        for name, (played, answered) in tools.items():
            tool = self.report.tool(name)
            tool.played, tool.answered = played, answered
        self.report.sequences = {"sequences": sequences, "calls": calls}
        self._count(occurrences)

    def _on_progress(self, tool: str, unique: int, occurrences: Mapping[str, int], **counted: object) -> None:
        one = self.report.tool(tool)
        for name, value in counted.items():
            setattr(one, name, value)
        self._count(occurrences)

    _on_summary = _on_progress

    def _count(self, occurrences: Mapping[str, int]) -> None:
        for place in [place for place in self.report.findings if place[1] in occurrences]:
            self.report.change(place, occurrences=occurrences[place[1]])


def check_callable(target: str, network: bool = True) -> None:
    """Raise UserError if the target is a recorded session, which has schemas and answers, and nothing to call, or a
    server at an address without the ``network``."""
    from planscope.toolfuzz.recorded import recorded_tools, session_of

    if address_of(target) is not None and not network:
        raise UserError(f"{target} is at an address; allow the network with --network")
    path = session_of(target)
    if path is not None:
        names = ", ".join(list(recorded_tools(path))[:6])
        raise UserError(
            f"{target} has the schemas and answers of {names}, but no code to call; name the code as module:object, "
            "or look for misleading documentation with --correctness"
        )


@dataclass
class ToolProcess:
    """The process of the tools. ``token``: its messages begin with it (``lines.py``)."""

    process: subprocess.Popen[bytes]
    token: str
    errors: IO[bytes]
    _read: bytes = b""

    def say(self, message: Mapping[str, object]) -> None:
        """Send a line. Raises OSError if the process has ended."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def messages(self, seconds: float | None = None) -> Iterator[dict[str, Any]]:
        """Yield what the process tells, until it ends.

        Raises UserError if it tells of an error, TimeoutError if it tells nothing for so many seconds.
        """
        assert self.process.stdout is not None
        out = self.process.stdout.fileno()
        while True:
            line, found, rest = self._read.partition(b"\n")
            if found:
                self._read = rest
                message = read(self.token, line)
                if message is not None and message["event"] == "error":
                    if os.environ.get("PLANSCOPE_TRACEBACK"):
                        sys.stderr.write(str(message.get("traceback") or ""))
                    raise UserError(str(message["message"]))
                if message is not None:
                    yield message
                continue
            if not select.select([out], [], [], seconds)[0]:
                raise TimeoutError
            part = os.read(out, 2**16)
            if not part:
                return
            self._read += part

    def why_ended(self) -> str:
        status = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read().decode("utf-8", "replace").strip().splitlines()
        return said[-1] if said else f"exit status {status}"


@contextmanager
def tool_process(options: Options, work: str, play: Sequence[Call] = ()) -> Iterator[ToolProcess]:
    """Start the process that imports the tools (``child.py``), in a folder of its own, and end it.

    ``work``, ``play``: of its :class:`Job`; one that serves can be told more later.
    """
    scratch = tempfile.TemporaryDirectory(prefix="planscope-fuzz-", ignore_cleanup_errors=True)
    with scratch as name, tempfile.TemporaryFile(dir=name) as errors:
        folder = Path(os.path.realpath(name))
        inside, home = folder / "work", folder / "home"
        inside.mkdir()
        home.mkdir()
        if options.folder is not None:
            copy_folder(Path(options.folder), folder)
        token = secrets.token_hex(8)
        private = [os.environ.get(name, "") for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")]
        job = asdict(Job(options, token, str(inside), os.path.realpath("."), private, work, play))
        path = [str(Path.cwd() / one) for one in ("", *sys.path)]
        process = subprocess.Popen(
            [sys.executable, "-c", _BOOT, json.dumps(list(dict.fromkeys(path)))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=_environment(options.environment, home),
            process_group=0,  # Ctrl-C in a terminal reaches the parent alone
        )

        try:
            made = ToolProcess(process, token, errors)
            with suppress(BrokenPipeError):
                made.say(job)
                if work != "serve" and process.stdin is not None:
                    process.stdin.close()
            yield made
        finally:
            _end(process)


def check_platform() -> None:
    """Raise UserError if tools cannot be fuzzed here."""
    import importlib.util

    if not hasattr(os, "fork"):
        raise UserError("fuzzing needs a system with fork, such as Linux or macOS; on Windows use WSL")
    if importlib.util.find_spec("jsonschema") is None:
        raise UserError(f"fuzzing needs jsonschema; install it with: {INSTALL}")


def _environment(names: tuple[str, ...], home: Path) -> dict[str, str]:
    found = {name: os.environ[name] for name in (*KEPT_NAMES, *names) if name in os.environ}
    return {
        **found,
        "HOME": found.get("HOME", str(home)),
        "TMPDIR": str(home),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "LANGCHAIN_TRACING_V2": "false",
        "LANGSMITH_TRACING": "false",
    }


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()
    process.wait()
