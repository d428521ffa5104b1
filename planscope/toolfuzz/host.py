"""Runs calls in forked children: each in the sandbox, watched from outside, and killed when a call takes too long."""

from __future__ import annotations

import faulthandler
import io
import math
import mmap
import os
import random
import re
import secrets
import select
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from planscope.toolfuzz.folders import FolderCopy
from planscope.toolfuzz.lines import framed, moved_away, read
from planscope.toolfuzz.loop import waiting_frames
from planscope.toolfuzz.namespaces import Crowd, end_all
from planscope.toolfuzz.outcome import Outcome, Places, Raised, answered, attempt, class_name, lost, raised
from planscope.toolfuzz.sandbox import MEMORY, Kept, Watch, die_with_parent, empty, limit_resources

_HEAD = struct.Struct("qdqq")
_COUNTS = struct.Struct("qq")
_FIRST, _SHARED = 64, 2**20
"""Where the texts of a child's calls begin and end in the shared memory."""
_FRAME = re.compile(r'^\s*File "(.+)", line (\d+)', re.MULTILINE)
GRACE = 0.15
"""Seconds that a hung call has for telling where it is."""

_LOOK = 0.05
"""Seconds between two looks at the processes of a call and their memory."""

PATIENCE = 5
"""A call that a busy machine leaves without a processor may take this many times its limit."""


class Channel:
    """What a child tells: events on a pipe, and in shared memory its calls so far, the current one, and how many calls
    it has ``refused`` and how many ``succeeded``, which are known also of a child that is killed."""

    refused = succeeded = 0

    def __init__(self, pipe: int, token: str, shared: mmap.mmap, watch: Watch) -> None:
        self._pipe, self._token, self._shared, self.watch = pipe, token, shared, watch
        self._began = self._ended = _FIRST
        self.told = _Told()
        sys.stdout = sys.stderr = self.told
        sys.stdin = io.StringIO()
        self.kept = Kept()

    def send(self, event: str, **said: object) -> None:
        """Tell of an event."""
        data = framed(self._token, {"event": event, **said})
        while data:
            data = data[os.write(self._pipe, data) :]

    def begin(self, number: int, text: str) -> None:
        """Say that a call begins."""
        data = text.encode()[: _SHARED - _FIRST - 1]
        fits = self._ended + len(data) < _SHARED
        self._began = self._ended if fits else _FIRST  # else the calls before are forgotten
        self._ended = self._began + len(data) + 1
        self._shared[self._began : self._ended] = data + b"\n"
        _HEAD.pack_into(self._shared, 0, number, time.monotonic(), self._began, len(data))
        if self.watch.refusals:
            self.watch.refusals.clear()

    def before(self) -> list[str]:
        """Return the texts of the calls before the last one."""
        return _texts(self._shared, self._began)

    def judged(
        self, invoke: Callable[[], object], given: object, places: Places, known: Collection[str] = ()
    ) -> tuple[object, Outcome]:
        """Make a call. Return its answer, None if it raised, and its outcome; what it replaced of Python is restored.

        ``known``: as for :func:`planscope.toolfuzz.outcome.raised`. Raises Lost if there is nobody left to call.
        """
        answer = attempt(invoke)
        self.kept.restore()
        if isinstance(answer, Raised):
            return None, raised(answer.error, given, places, self.watch.refusals, known)
        outcome = attempt(lambda: answered(answer, given, places, self.watch.refusals))
        self.kept.restore()
        if isinstance(outcome, Raised):  # an answer that breaks when it is looked at
            return None, raised(outcome.error, given, places, self.watch.refusals, known)
        return answer, outcome

    def end(self) -> None:
        """Say that the call is over."""
        _HEAD.pack_into(self._shared, 0, -1, math.inf, self._ended, 0)
        _COUNTS.pack_into(self._shared, _HEAD.size, self.refused, self.succeeded)
        self.watch.back()


def _texts(shared: mmap.mmap, until: int) -> list[str]:
    return shared[_FIRST:until].decode("utf-8", "replace").splitlines()


class _Told(io.TextIOBase):
    """Keeps the end of what a tool prints."""

    def __init__(self) -> None:
        self._text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._text = (self._text + text[-4000:])[-4000:]
        return len(text)

    def take(self) -> str:
        text, self._text = self._text, ""
        return text


@dataclass
class End:
    """How a child ended: ``done``, ``hung``, ``died``, or ``slow`` (killed after a call that did end); the call that it
    was in, or -1, and its arguments as JSON; the texts of the calls ``before`` it; how many calls were ``refused`` and
    ``succeeded``."""

    how: str
    number: int = -1
    text: str = ""
    outcome: Outcome | None = None
    before: Sequence[str] = ()
    refused: int = 0
    succeeded: int = 0


class Host:
    """Forks children for one tool."""

    is_gone = False

    def __init__(
        self, folder: Path, places: Places, network: bool, processes: bool, copy: FolderCopy | None = None
    ) -> None:
        self.places, self._copy = places, copy
        self._folder, self._network, self._processes = folder, network, processes
        self._shared = mmap.mmap(-1, _SHARED)
        self._trace = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115
        self._token = secrets.token_hex(8)
        self._crowd = Crowd(MEMORY, folder)

    def close(self) -> None:
        """Close what children share with this process."""
        self._trace.close()
        self._shared.close()

    def run(
        self,
        job: Callable[[Channel], None],
        heard: Callable[..., None],
        limit: Callable[[], float],
        warm: bool = False,
    ) -> End:
        """Do a job in a fresh child. ``heard`` gets its events and what they say by name; ``limit``: seconds that a
        call may take. ``warm`` is for servers alone.
        """
        empty(self._folder)
        if self._copy is not None:
            self._copy.reset()
        self._trace.seek(0)
        self._trace.truncate()
        _HEAD.pack_into(self._shared, 0, -1, math.inf, _FIRST, 0)
        _COUNTS.pack_into(self._shared, _HEAD.size, 0, 0)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(reading)
                self._child(job, writing)
            finally:
                os._exit(0)
        os.close(writing)
        try:
            end = self._follow(pid, reading, heard, limit)
            end.refused, end.succeeded = _COUNTS.unpack_from(self._shared, _HEAD.size)
            if end.text:
                end.before = _texts(self._shared, _HEAD.unpack_from(self._shared, 0)[2])
        finally:
            os.close(reading)
            self._end(pid)
        return end

    def _child(self, job: Callable[[Channel], None], pipe: int) -> None:
        os.setpgid(0, 0)
        die_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os.close(null)
        me = os.getpid()
        os.chdir(self._folder)
        os.environ["TMPDIR"], tempfile.tempdir = str(self._folder), None  # one that was used is gone
        random.seed(0)
        pipe, trace = moved_away(pipe), moved_away(os.dup(self._trace.fileno()))
        limit_resources()

        def last_words(text: str, what: str = "LOCATION") -> None:
            os.write(trace, f"{what} {text}\n".encode())

        def waiting(*_: object) -> None:
            for frame in waiting_frames():
                os.write(trace, f'TASK File "{frame.f_code.co_filename}", line {frame.f_lineno}\n'.encode())
            os.write(trace, b"TOLD\n")

        signal.signal(signal.SIGUSR1, waiting)
        faulthandler.enable(trace, all_threads=False)
        faulthandler.register(signal.SIGUSR1, trace, all_threads=False, chain=True)
        watch = Watch(self._folder, self.places, self._network, self._processes, last_words)
        channel = Channel(pipe, self._token, self._shared, watch)
        watch.start()
        done = attempt(lambda: job(channel))
        if isinstance(done, Raised):  # a bug of ours, or a tool that leaves an exception for later
            channel.kept.restore()
            last_words(f"it left the process unusable: {class_name(type(done.error))}", "BROKEN")
        elif os.getpid() == me:
            channel.send("over")

    def _follow(self, pid: int, pipe: int, heard: Callable[..., None], limit: Callable[[], float]) -> End:
        buffer = b""
        seen, used, looked = -1, 0.0, time.monotonic()
        while True:
            ready, _, _ = select.select([pipe], [], [], 0.02)
            if time.monotonic() - looked > _LOOK:
                if (passed := self._crowd.over()) is not None:
                    end_all()
                    number, text = self._current()
                    return End("died", number, text, lost("killed", passed, None, "", self.places))
                looked = time.monotonic()
            if ready:
                data = os.read(pipe, 2**16)
                if not data:
                    break
                *lines, buffer = (buffer + data).split(b"\n")
                for message in (read(self._token, line) for line in lines):
                    if message is not None and message["event"] == "over":
                        return End("done")
                    if message is not None:
                        heard(**message)
                continue
            number, began, _, _ = _HEAD.unpack_from(self._shared, 0)
            if number != seen:
                seen, used = number, _work_of(pid)[0]
            late = time.monotonic() - began
            if number >= 0 and late > limit():
                work, waits = _work_of(pid)
                if late > PATIENCE * limit() or not _is_starved(work - used, waits, limit()):
                    return self._hung(pid, number, limit())
        return self._died(pid)

    def _current(self) -> tuple[int, str]:
        """Return the number and text of the current call, -1 if there is none."""
        number, _, start, length = _HEAD.unpack_from(self._shared, 0)
        return number, self._shared[start : start + length].decode("utf-8", "replace")

    def _hung(self, pid: int, number: int, limit: float) -> End:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGUSR1)
        ends = time.monotonic() + GRACE
        while time.monotonic() < ends and not self._words().endswith("TOLD\n"):
            time.sleep(0.005)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        now, text = self._current()
        if now != number:  # it ended at the last moment
            return End("slow", number)
        trace = self._words().removesuffix("TOLD\n")
        location, shown = _hung_at(trace, self.places)
        return End("hung", number, text, lost("hung", too_late(limit), location, shown, self.places))

    def _died(self, pid: int) -> End:
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        trace = self._words()
        said = re.search(r"^LOCATION (.+)$", trace, re.MULTILINE)
        location = said[1] if said else None
        if location is None and (own := _own_places(trace, self.places)):
            location = f"{self.places.name(own[0][0])}:{own[0][1]}"
        broken = re.search(r"^BROKEN (.+)$", trace, re.MULTILINE)
        if broken is not None:
            message, trace = broken[1], ""
        else:
            message = f"the process {ended(code)}"
        outcome = lost("killed", message, location, trace, self.places)
        return End("died", *self._current(), outcome)

    def _words(self) -> str:
        data = os.pread(self._trace.fileno(), 20_000, 0)  # the child's place in the file must not move
        return data.decode("utf-8", "replace")

    def _end(self, pid: int) -> None:
        """End the child and everything that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        end_all()  # this reaches what left the group
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
            while os.getpid() == 1:  # only the first process inherits what a tool leaves behind
                os.waitpid(-1, 0)


def too_late(limit: float) -> str:
    """Say that a call did not end. ``limit``: in seconds."""
    return f"the call did not end within {limit:g} second{'s' * (limit != 1)}"


def ended(code: int) -> str:
    """Say how a process ended: by a signal if its code is negative, else with an exit status."""
    if code >= 0:
        return f"ended with exit status {code}"
    known = -code in {int(one) for one in signal.Signals}
    return f"was ended by {signal.Signals(-code).name if known else -code}"


def _work_of(pid: int) -> tuple[float, bool]:
    """Return the processor time of a process in seconds, and whether it waits for something else than a processor."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), fields[0] not in "RD"
    except (OSError, ValueError, IndexError):
        return 0.0, True


def _is_starved(work: float, waits: bool, limit: float) -> bool:
    """Return whether a call is only late because the machine is busy: it wants to run, and got little of its time."""
    return not waits and work < 0.9 * limit


def _own_places(trace: str, places: Places) -> list[tuple[str, int]]:
    """Return the tool's own lines in a trace of faulthandler, the deepest first."""
    head = trace.partition("TASK ")[0]
    return [(file, int(line)) for file, line in _FRAME.findall(head) if places.own(file)]


def _hung_at(trace: str, places: Places) -> tuple[str | None, str]:
    """Return where a call hung, and the trace. In a loop it is the loop's first line, whatever line ran just then."""
    tasks = re.findall(r'^TASK File "(.+)", line (\d+)', trace, re.MULTILINE)
    own = [(file, int(line)) for file, line in tasks if places.own(file)]
    own = own or list(reversed(_own_places(trace, places)))
    if not own:
        return None, trace
    for file, line in own:
        loop = _loop_around(file, line)
        if loop is not None:
            own = [*own[: own.index((file, line))], (file, loop)]
            break
    shown = "".join(f'  File "{file}", line {line}\n' for file, line in own[:20])
    file, line = own[-1]
    return f"{places.name(file)}:{line}", f"Most recent call last:\n{shown}"


def _loop_around(file: str, line: int) -> int | None:
    """Return the first line of the outermost loop around a line, in its function."""
    import ast

    try:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None

    def inside(one: ast.AST) -> bool:
        first, last = getattr(one, "lineno", None), getattr(one, "end_lineno", None)
        return first is not None and last is not None and first <= line <= last

    functions = [
        n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and inside(n)
    ]
    scope: ast.AST = max(functions, key=lambda n: n.lineno) if functions else tree
    loops = [
        n.lineno for n in ast.walk(scope) if isinstance(n, ast.For | ast.While | ast.AsyncFor) and inside(n)
    ]
    return min(loops, default=None)
