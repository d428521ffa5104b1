"""The sandbox of a tool: an audit hook and limits. ``namespaces.py`` adds namespaces where the platform has them.

The audit hook refuses writes, connections and processes before they happen. It does not see C code and what a
subprocess does; namespaces see to those.
"""

from __future__ import annotations

import builtins
import ctypes
import errno
import json
import os
import re
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.parse import unquote, urlsplit

from planscope.toolfuzz.namespaces import DISK, PROCESSES
from planscope.toolfuzz.outcome import Places, Refusal

MEMORY = 512 * 2**20
"""Bytes of data that a tool may use beyond what the child uses before the first call. Address space that a library
only reserves does not count; the stacks of threads do."""

STACK = 2 * 2**20
"""Bytes of a thread's stack: a tool may leave a thread behind in each of a hundred calls."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def limit_resources() -> None:
    """Limit memory, file size and open files of this process."""
    import resource

    def limit(what: int, most: int) -> None:
        try:
            _, hard = resource.getrlimit(what)
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
            resource.setrlimit(what, (most, most))
        except (ValueError, OSError):
            pass

    if sys.platform.startswith("linux"):
        pages = int(Path("/proc/self/statm").read_text().split()[5])
        limit(resource.RLIMIT_DATA, pages * os.sysconf("SC_PAGE_SIZE") + MEMORY)
    with suppress(ValueError, RuntimeError):
        threading.stack_size(STACK)
    limit(resource.RLIMIT_FSIZE, DISK)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 256)
    _limit_processes()


def limit_server() -> None:
    """Limit this process, which becomes a server: its data, not its address space, of which node reserves a lot."""
    import resource

    if sys.platform.startswith("linux"):
        resource.setrlimit(resource.RLIMIT_DATA, (2 * MEMORY, 2 * MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (DISK, DISK))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit_processes()
    die_with_parent()


def _limit_processes() -> None:
    """Limit processes and their threads of this user, if this is a process namespace, whose kernel counts them apart.
    It does not bind root."""
    import resource

    if os.getppid() == 1 and sys.platform.startswith("linux"):
        most = PROCESSES + 4 * (os.cpu_count() or 1)  # libraries start a thread for each processor
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def die_with_parent() -> None:
    """End this process when its parent ends, where the platform can."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def empty(folder: Path) -> None:
    """Delete everything in a folder, which a tool may have removed or replaced."""
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
        folder.mkdir(parents=True)
    for one in folder.iterdir():
        if one.is_dir() and not one.is_symlink():
            for inner, _, _ in os.walk(one):
                try:
                    Path(inner).chmod(0o700)
                except OSError:
                    continue
            shutil.rmtree(one, ignore_errors=True)
        else:
            one.unlink(missing_ok=True)


class Kept:
    """What the child's own loop needs of Python. A tool that replaces it would end the search, not its own call."""

    def __init__(self) -> None:
        self._builtins = dict(vars(builtins))
        self._names: list[tuple[dict[str, object], str, object]] = [
            (vars(module), name, vars(module)[name])
            for module, names in (
                (json, ("dumps", "loads")),
                (os, ("chdir", "close", "fsdecode", "fspath", "getpid", "kill", "write", "path")),
                (re, ("compile", "escape", "search", "sub")),
                (time, ("monotonic", "process_time")),
                (traceback, ("extract_stack", "format_exception", "format_list")),
                (
                    sys,
                    (
                        "getrecursionlimit",
                        "modules",
                        "setrecursionlimit",
                        "settrace",
                        "stderr",
                        "stdin",
                        "stdout",
                    ),
                ),
            )
            for name in names
        ]
        self._path, self._meta_path = list(sys.path), list(sys.meta_path)
        self._modules = {name: sys.modules[name] for name in _NEEDED if name in sys.modules}
        self._depth = sys.getrecursionlimit()

    def restore(self) -> None:
        """Put back what a call has replaced or removed; what it has added stays."""
        for names, name, value in self._names:
            if names.get(name) is not value:
                names[name] = value
        if vars(builtins) != self._builtins:
            vars(builtins).update(self._builtins)
            self._builtins = dict(vars(builtins))
        if sys.getrecursionlimit() != self._depth:
            sys.setrecursionlimit(self._depth)
        if len(sys.path) < len(self._path):
            sys.path[:] = self._path
        if len(sys.meta_path) < len(self._meta_path):
            sys.meta_path[:] = self._meta_path
        for name, module in self._modules.items():
            sys.modules.setdefault(name, module)


_NEEDED = ("json", "linecache", "os", "re", "time", "traceback", "tokenize")


_CHANGES: dict[str, tuple[str, int, int | None]] = {
    "remove": ("unlink", 0, 1), "rmdir": ("delete", 0, 1), "mkdir": ("make", 0, 2), "link": ("link", 1, 3),
    "truncate": ("write", 0, None), "chmod": ("change", 0, 2), "chown": ("change", 0, 3), "utime": ("change", 0, 3),
    "setxattr": ("change", 0, None), "removexattr": ("change", 0, None), "chflags": ("change", 0, None),
}  # fmt: skip
"""Events of ``os`` that change a file: what they do, and the places of its path and of the folder that it is in."""
_FORKS = ("os.fork", "os.forkpty")
_STARTS = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.spawn", "pty.spawn")
_CONNECTS = [f"socket.{name}" for name in (
    "connect", "sendto", "sendmsg", "bind", "getaddrinfo", "gethostbyname", "gethostbyaddr"
)]  # fmt: skip


class Watch:
    """The audit hook of a child. ``refusals``: what was refused in the current call.

    It cannot be removed, so it is only for processes that end.
    """

    def __init__(
        self, folder: Path, places: Places, network: bool, processes: bool, last_words: Callable[[str], None]
    ) -> None:
        self.refusals: list[Refusal] = []
        self.moved = False
        self._folder = os.path.realpath(folder)
        self._inside = tuple(one + os.sep for one in (self._folder, places.folder) if one)
        self._places, self._last_words = places, last_words
        self._busy = False
        self._me = os.getpid()
        self._checks: dict[str, Callable[[tuple[object, ...]], None]] = {
            "open": self._open,
            "os.rename": self._rename,
            "os.symlink": lambda a: self._write("link", a[1], a[2], follow=False),
            "sqlite3.connect": self._database,
            "os.chdir": self._move,
            "os.fchdir": self._move,
            "os.kill": self._kill,
            "os.killpg": self._kill,
        }
        for event, (verb, path, at) in _CHANGES.items():
            self._checks[f"os.{event}"] = partial(self._change, verb, path, at)
        for event in _FORKS:
            self._checks[event] = lambda _: self._refuse("infrastructure", "fork the process")
        if not network:
            self._checks |= dict.fromkeys(_CONNECTS, self._network)
        if not processes:
            self._checks |= dict.fromkeys(_STARTS, self._process)

    def back(self) -> None:
        """Go back to the tool's folder, if a call has left it."""
        if self.moved:
            self.moved = False
            os.chdir(self._folder)

    def start(self) -> None:
        """Install the hook."""
        checks = self._checks

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            check = checks.get(event)
            if check is not None and not self._busy:
                self._busy = True
                try:
                    check(arguments)
                finally:
                    self._busy = False

        sys.addaudithook(hook)

    def _refuse(self, kind: str, what: str, path: str | None = None) -> None:
        frames = [frame for frame in traceback.extract_stack(limit=60) if frame.filename != __file__]
        own = [frame for frame in frames if self._places.own(frame.filename)]
        location = f"{self._places.name(own[-1].filename)}:{own[-1].lineno}" if own else None
        said = f"the sandbox refused to {what}"
        start = frames.index(own[0]) if own else 0
        text = "Traceback (most recent call last):\n" + "".join(traceback.format_list(frames[start:]))
        if len(self.refusals) < 20:
            self.refusals.append(Refusal(kind, said, location, f"{text}PermissionError: {said}\n"))
        raise PermissionError(errno.EACCES, said, path)

    def _change(self, verb: str, path: int, folder: int | None, arguments: tuple[object, ...]) -> None:
        self._write(verb, arguments[path], -1 if folder is None else arguments[folder])

    def _process(self, arguments: tuple[object, ...]) -> None:
        self._refuse("infrastructure", f"start the process {str(arguments[0] if arguments else '')[:80]!r}")

    def _open(self, arguments: tuple[object, ...]) -> None:
        path, mode, flags = arguments
        if isinstance(path, int) or not isinstance(flags, int):
            return
        if flags & _WRITING or (isinstance(mode, str) and set(mode) & set("wax+")):
            self._write("write", path, -1)

    def _rename(self, arguments: tuple[object, ...]) -> None:
        source, target, source_folder, target_folder = arguments
        with suppress(OSError, ValueError, TypeError):
            below = f"{os.path.realpath(_name(target))}/".startswith(f"{os.path.realpath(_name(source))}/")
            if source_folder == target_folder == -1 and below:
                return  # nothing moves: the system refuses to move a folder into itself
        self._write("move", source, source_folder)
        self._write("move to", target, target_folder)

    def _database(self, arguments: tuple[object, ...]) -> None:
        path = arguments[0]
        if isinstance(path, str) and path.startswith("file:"):
            place = urlsplit(path)
            if {"mode=ro", "mode=memory"} & set(place.query.split("&")):
                return
            path = unquote(place.path)
        with suppress(OSError, ValueError, TypeError):
            if path in (":memory:", "", b":memory:", b"") or _is_read_only(_name(path)):
                return
        self._write("write", path, -1)

    def _write(self, verb: str, path: object, folder: object, follow: bool = True) -> None:
        if isinstance(path, int):
            return
        try:
            text = _name(path)
            if isinstance(folder, int) and folder >= 0 and not text.startswith("/"):
                text = str(Path(f"/proc/self/fd/{folder}").readlink() / text)
            if not follow or verb in ("delete", "unlink", "move", "move to"):
                above, _, last = text.rpartition("/")
                full = (
                    f"{os.path.realpath(above or ('/' if text.startswith('/') else '.')).rstrip('/')}/{last}"
                )
            else:
                full = os.path.realpath(text)
        except (OSError, ValueError, TypeError):
            return  # the operation itself will fail
        mine = full in (self._folder, self._places.folder) and verb not in ("delete", "move")
        if mine or full.startswith(self._inside) or full in ("/dev/null", "/dev/stdout", "/dev/stderr"):
            return
        if verb in ("make", "write", "unlink") and os.path.isdir(full):  # noqa: PTH112
            return  # the system refuses that by itself, wherever it is
        self._refuse("outside", f"{verb} {full[:300]}", text)

    def _network(self, arguments: tuple[object, ...]) -> None:
        first = arguments[0]
        named = isinstance(first, str | bytes | None)  # else it is a socket, and its address follows
        where = arguments[:2] if named or len(arguments) < 2 else arguments[1]
        parts = where[:2] if isinstance(where, tuple) else (where,)
        shown = ":".join(os.fsdecode(one) if isinstance(one, bytes) else str(one) for one in parts)
        self._refuse("infrastructure", f"connect to {shown[:200]}")

    def _move(self, arguments: tuple[object, ...]) -> None:
        self.moved = True

    def _kill(self, arguments: tuple[object, ...]) -> None:
        if arguments[0] != self._me:
            self._refuse("outside", "send a signal to another process")
        frames = traceback.extract_stack(limit=60)
        own = [frame for frame in frames if self._places.own(frame.filename)]
        if own:
            self._last_words(f"{self._places.name(own[-1].filename)}:{own[-1].lineno}")


def _is_read_only(path: str) -> bool:
    """Return whether the system lets nobody write a file that is there, as namespaces do: SQLite then only reads it."""
    return Path(path).is_file() and not os.access(path, os.W_OK)


def _name(path: object) -> str:
    """Return a path of an audit event as text. Raises TypeError if it is none."""
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError
    return os.fsdecode(path)
