"""Signals at random moments, in a terminal of its own: ``python -m tests.tui.signal_moments N --kind K --seed S``.

Each kind of moment gets N signals (default 100). Afterwards the terminal is as it was, the session is whole and holds
what was done, no traceback was shown, and the exit status says which signal it was.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from planscope.session.store import load
from tests.tui import sessions

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
LONGEST = 60.0
"""Seconds that a process has to end after the signal; to be ready it has as long."""

_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
_PUSHED, _POPPED = re.compile(rb"\x1b\[>\d+u"), re.compile(rb"\x1b\[<\d*u")
_ON_BEFORE = {7, 25}
"""Modes that a terminal has on: wrapped lines and a visible cursor."""

ROOT = Path(__file__).parents[2]


class Watched:
    """A program in a pseudo-terminal whose other end stays open: its settings can be read when the program is gone."""

    def __init__(self, argv: Sequence[str], environ: dict[str, str]) -> None:
        self.ours, self.its = os.openpty()
        fcntl.ioctl(self.its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.before = termios.tcgetattr(self.its)
        self.said = b""
        self.process = subprocess.Popen(
            argv,
            stdin=self.its,
            stdout=self.its,
            stderr=self.its,
            env={**environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            cwd=ROOT,
            start_new_session=True,
            preexec_fn=_heeds_all,
        )

    def read(self, seconds: float) -> bytes:
        """What comes within so many seconds."""
        ends, got = time.monotonic() + seconds, b""
        while (left := ends - time.monotonic()) > 0:
            if not select.select([self.ours], [], [], min(left, 0.02))[0]:
                continue
            got += os.read(self.ours, 1 << 20)
        self.said += got
        return got

    def until(self, wanted: bytes) -> None:
        ends = time.monotonic() + LONGEST
        while wanted not in self.said:
            self.read(0.02)
            assert time.monotonic() < ends and self.process.poll() is None, self.said[-600:]

    def end(self) -> int:
        """Wait for the end; the exit status, or minus the signal that killed it."""
        ends = time.monotonic() + LONGEST
        while self.process.poll() is None and time.monotonic() < ends:
            self.read(0.02)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it did not end in {LONGEST} s")
        self.read(0.03)
        return self.process.returncode

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for fd in (self.ours, self.its):
            os.close(fd)

    def left_behind(self) -> list[str]:
        """What is not as it was: modes of the terminal, its settings, a traceback."""
        modes: dict[int, bool] = {}
        for found in _MODE.finditer(self.said):
            modes.update(dict.fromkeys(map(int, found[1].split(b";")), found[2] == b"h"))
        wrong = [f"mode {n} is {'on' if on else 'off'}" for n, on in modes.items() if on != (n in _ON_BEFORE)]
        if len(_PUSHED.findall(self.said)) != len(_POPPED.findall(self.said)):
            wrong.append("the keyboard protocol is not popped")
        if termios.tcgetattr(self.its) != self.before:
            wrong.append("the settings of the terminal are changed")
        if b"Traceback" in self.said:
            wrong.append(f"a traceback: {self.said[-1500:].decode(errors='replace')}")
        return wrong


def _heeds_all() -> None:
    """What whoever started this ignores, as nohup and shells in the background do, is not ignored here."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def status_is(status: int, number: int) -> bool:
    """Whether it says which signal it was; a signal that came before the first line of planscope kills."""
    return status in (128 + number, -number)


class Moments:
    """One kind of moment after the other, each on a session of its own."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.environ = dict(os.environ)
        for name in ("DATA", "STATE", "CACHE", "CONFIG"):
            self.environ[f"XDG_{name}_HOME"] = str(folder / name.lower())
        self.environ.pop("NO_COLOR", None)
        self.early = 0
        self.count = 0

    def _session(self) -> Path:
        self.count += 1
        place = self.folder / str(self.count)
        place.mkdir()
        return sessions.write(sessions.figure_10(), place)

    def _after(self, watched: Watched, path: Path, number: int, before: int) -> None:
        status = watched.end()
        wrong = watched.left_behind()
        if number == signal.SIGINT and b", in main" not in watched.said and b"\x1b[?" not in watched.said:
            early = [one for one in wrong if one.startswith("a traceback")]
            self.early += bool(
                early
            )  # Python was starting, or importing: main was not reached, which heeds signals first
            wrong = [one for one in wrong if one not in early]
            if early:
                assert status in (1, -number), status
                status = -number
        assert not wrong, (wrong, signal.Signals(number).name)
        assert status_is(status, number), (status, watched.said[-300:])
        assert len(load(path).runs) >= before

    def starting(self, number: int) -> None:
        """In the first second after the program was started."""
        path = self._session()
        watched = Watched([sys.executable, "-m", "planscope", str(path)], self.environ)
        try:
            watched.read(self.random.uniform(0.0, 1.0))
            watched.process.send_signal(number)
            self._after(watched, path, number, 2)
        finally:
            watched.close()

    def appearing(self, number: int) -> None:
        """In the second after the terminal was changed."""
        path = self._session()
        watched = Watched([sys.executable, "-m", "planscope", str(path)], self.environ)
        try:
            watched.until(b"\x1b[?1049h")
            watched.read(self.random.choice((0.02, 0.2, 1.0)) * self.random.random())
            watched.process.send_signal(number)
            self._after(watched, path, number, 2)
        finally:
            watched.close()

    def saving(self, number: int) -> None:
        """In the second after a breakpoint was set, which is saved meanwhile."""
        path = self._session()
        watched = Watched([sys.executable, "-m", "planscope", str(path)], self.environ)
        try:
            watched.until(b"PARAMETER ERROR")
            watched.read(0.1)
            os.write(watched.ours, b"\x1b[Hb")
            watched.until(b"breakpoint set")
            watched.read(self.random.uniform(0.0, 1.0))
            watched.process.send_signal(number)
            self._after(watched, path, number, 2)
            assert load(path).breakpoints == ["step 0"], load(path).breakpoints
        finally:
            watched.close()

    def running(self, number: int) -> None:
        """In the seconds of a live run; what happened until then is kept, with its end."""
        path = self._session()
        live = ["run", str(path), "--live", "--model", "sim:slow?seconds=0.3"]
        watched = Watched([sys.executable, "-m", "planscope", *live], self.environ)
        try:
            watched.until(b"\x1b[?1049h")
            watched.read(self.random.uniform(0.0, 4.0))
            watched.process.send_signal(number)
            self._after(watched, path, number, 2)
            for run in load(path).runs:
                assert run.events and run.events[-1].type == "end", run.events[-1:]
        finally:
            watched.close()

    def commands(self, number: int) -> None:
        """In the first second of a command that shows no screen."""
        path = self._session()
        name = str(path)
        args = self.random.choice(
            (
                ["run", name, "--model", "sim:slow?seconds=0.2"],
                ["run", name, "--model", "sim:careful", "--times", "200"],
                ["dissect", name, "--model", "sim:literal"],
                ["export", name, "--format", "html", "-o", str(path.with_name("page.html"))],
                ["check", name],
                ["walk", name],
                ["serve", name, "--port", "0"],
                ["repair", name],
            )
        )
        watched = Watched([sys.executable, "-m", "planscope", *args], self.environ)
        try:
            watched.read(self.random.uniform(0.0, 1.5))
            ended = watched.process.poll()
            watched.process.send_signal(number)
            if ended is None:
                before = watched.said
                status = watched.end()
                if status in (0, 1) and watched.said != before:
                    assert b"Traceback" not in watched.said or b", in main" not in watched.said, watched.said
                    return  # it was done already
                watched.process.returncode = status
                self._after(watched, path, number, 2)
            assert len(load(path).runs) >= 2
        except AssertionError as error:
            raise AssertionError(f"{args[0]}: {error}") from None
        finally:
            watched.close()

    def stuck(self, number: int) -> None:
        """The terminal takes no more output: its settings can be given back, and nothing can be written."""
        path = self._session()
        watched = Watched([sys.executable, "-m", "planscope", str(path)], self.environ)
        try:
            watched.until(b"PARAMETER ERROR")
            watched.read(0.1)
            os.write(watched.ours, b"\x1b[Hb")
            watched.until(b"breakpoint set")
            for _ in range(60):
                os.write(watched.ours, b"n?p\x1b")
                time.sleep(0.03)
            watched.process.send_signal(number)
            assert watched.process.wait(LONGEST) == 128 + number
            assert termios.tcgetattr(watched.its) == watched.before
            assert load(path).breakpoints == ["step 0"]
        except subprocess.TimeoutExpired:
            raise AssertionError("it did not end") from None
        finally:
            watched.close()

    def hanging_up(self, number: int) -> None:
        """The terminal itself goes away; the signal is the kernel's."""
        from tests.bench.terminal import Terminal

        path = self._session()
        with _environment(self.environ):
            terminal = Terminal([sys.executable, "-m", "planscope", str(path)], columns=120, rows=40)
        terminal.read_until(b"PARAMETER ERROR", LONGEST)
        terminal.read_until_quiet(0.2)
        os.write(terminal.fd, b"\x1b[Hb")
        terminal.read_until(b"breakpoint set", 2 * LONGEST)
        ends = time.monotonic() + self.random.uniform(0.0, 1.0)
        while time.monotonic() < ends:
            terminal.read(0.02)
        os.close(terminal.fd)
        ends = time.monotonic() + LONGEST
        while not (ended := os.waitpid(terminal.pid, os.WNOHANG))[0]:
            if time.monotonic() > ends:
                os.kill(terminal.pid, signal.SIGKILL)
                os.waitpid(terminal.pid, 0)
                raise AssertionError("it outlived its terminal")
            time.sleep(0.02)
        assert os.waitstatus_to_exitcode(ended[1]) == 128 + signal.SIGHUP
        assert load(path).breakpoints == ["step 0"], load(path).breakpoints


class _environment(contextlib.AbstractContextManager[None]):
    """The variables of this process, for a while, and no signal ignored: for what is started meanwhile."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ

    def __enter__(self) -> None:
        self.before = dict(os.environ)
        self.heeded = {number: signal.getsignal(number) for number in SIGNALS}
        _heeds_all()
        os.environ.clear()
        os.environ.update(self.environ)

    def __exit__(self, *_: object) -> None:
        os.environ.clear()
        os.environ.update(self.before)
        for number, handler in self.heeded.items():
            signal.signal(number, handler)


KINDS = ("starting", "appearing", "saving", "running", "commands", "stuck", "hanging_up")


def try_all(
    folder: Path, times: int, seed: int, kinds: Sequence[str], say: Callable[[str], object]
) -> list[str]:
    """Each kind so many times, the signals in turn; what went wrong, a line each."""
    moments, wrong = Moments(folder, seed), []
    for kind in kinds:
        failed: Counter[str] = Counter()
        moments.early = 0
        began = time.monotonic()
        for n in range(times):
            number = SIGNALS[n % len(SIGNALS)]
            try:
                getattr(moments, kind)(number)
            except AssertionError as error:
                failed[signal.Signals(number).name] += 1
                wrong.append(f"{kind} {signal.Signals(number).name} ({n}): {str(error)[:1800]}")
        told = f", {moments.early} before the first line of planscope" if moments.early else ""
        say(
            f"{kind:<11} {times - sum(failed.values())} of {times} well{told} "
            f"({time.monotonic() - began:.0f} s) {dict(failed) or ''}"
        )
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("times", nargs="?", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=KINDS)
    chosen = parser.parse_args()

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as folder:
        wrong = try_all(Path(folder), chosen.times, chosen.seed, chosen.kind or KINDS, say)
    for line in wrong:
        say(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
