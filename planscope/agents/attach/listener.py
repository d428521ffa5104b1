"""The agent's side of attaching: a thread that waits for debuggers, and the gate that asks them about calls.

Without a debugger the thread sleeps, nothing is written, and no call is asked about. A debugger that goes away, sends
what is no message, sends too much, reads nothing or falls silent is dropped, and the agent goes on at once.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import selectors
import socket
import sys
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Protocol

from planscope.agents.attach.place import SUFFIX, CannotAttach, check_peer, checked_folder, sockets
from planscope.agents.attach.protocol import (
    BEAT,
    LARGEST,
    LARGEST_HELLO,
    MOST_RUNS,
    VERSION,
    Asked,
    Beat,
    Decided,
    Hello,
    Message,
    Messages,
    News,
    ProtocolError,
    Refused,
    RunNews,
    Welcome,
    Withdrawn,
    encoded,
)
from planscope.agents.gate import GoOn, PendingCall, Verb

HELLO_WITHIN = 5.0
"""Seconds that a debugger has to say what it wants."""
SILENT = 3.0
"""Seconds without a message after which a debugger counts as gone."""
MOST_PEERS = 8
MOST_IDLE = 40
"""Limit of messages that decide nothing, in :data:`BEAT` seconds."""
MOST_UNREAD = 2 * LARGEST
"""Limit of bytes that wait for a debugger that does not read."""

_LOOK = 0.2
"""Seconds after which a synchronous agent that is paused looks whether its program was interrupted."""

_PIECE = 256 * 1024
_KEPT_RUNS = 20
"""Limit of ended runs that are still told of."""


class Journalled(Protocol):
    """The journal of a run."""

    token: str

    @property
    def open(self) -> bool: ...


class Recording(Protocol):
    """A recorder. ``path``: the session that it records in. ``pauses``: its calls can be paused."""

    path: Path

    @property
    def pauses(self) -> bool: ...
    def watched(self, watch: Callable[..., object] | None) -> None: ...


@dataclass(slots=True, eq=False)
class _Peer:
    """A debugger. ``out``: what it has not been sent yet. ``stale``: it is to be told news."""

    socket: socket.socket
    heard: float
    messages: Messages = field(default_factory=lambda: Messages(LARGEST_HELLO))
    role: str = ""
    out: bytearray = field(default_factory=bytearray)
    stale: bool = False
    idle: int = 0
    last: bool = False


class AttachPoint:
    """Where debuggers attach to the agents of this process that record into one file. It is their gate.

    It closes when the last of their recorders is gone. Raises :class:`CannotAttach` if no socket can be made.
    """

    def __init__(self, title: str, path: Path) -> None:
        self._title, self._path = title[:200], path.absolute()
        self._recorders: weakref.WeakSet[Recording] = weakref.WeakSet()
        self._alive: set[int] = set()
        self._closed = False
        self._open()

    def _open(self) -> None:
        self._lock = threading.Lock()
        self._runs: list[tuple[Journalled, weakref.ref[Recording]]] = []
        self._asks: dict[int, Future[Verb]] = {}
        self._numbers = count(1)
        self._debugger: _Peer | None = None
        self._peers: list[_Peer] = []
        self._fresh = False
        self._pid = os.getpid()
        self.place, self._listening = _listening()
        self._selector = selectors.DefaultSelector()
        self._woken, self._wakes = socket.socketpair()
        for end in (self._woken, self._wakes):
            end.setblocking(False)
        self._selector.register(self._listening, selectors.EVENT_READ, None)
        self._selector.register(self._woken, selectors.EVENT_READ, None)
        self._thread = threading.Thread(target=self._serve, name="planscope attach", daemon=True)
        self._thread.start()

    def again(self) -> None:
        """Listen again in a forked child, which has neither the parent's thread nor its debuggers."""
        with suppress(OSError):
            self._selector.close()
        for one in (self._listening, self._woken, self._wakes, *(peer.socket for peer in self._peers)):
            with suppress(OSError):
                one.close()
        for recorder in list(self._recorders):
            recorder.watched(None)
        self._open()

    def close(self) -> None:
        """Drop all debuggers and remove the socket. It takes no lock, as it may be called anywhere."""
        if self._closed:  # its socket's name may be another's by now
            return
        self._closed = True
        for key in [key for key, one in list(_points.items()) if one is self]:
            _points.pop(key, None)
        self._wake()
        if self._pid == os.getpid():
            with suppress(OSError):
                self.place.unlink()

    # On the threads of the agent

    @property
    def decides(self) -> bool:
        """Whether a debugger is attached that decides about calls."""
        return self._debugger is not None

    def join(self, recorder: Recording) -> None:
        """Let a recorder's runs be watched. Without recorders nobody can attach any more."""
        self._recorders.add(recorder)
        self._alive.add(id(recorder))
        weakref.finalize(recorder, self._left, id(recorder)).atexit = False
        recorder.watched(self._heard if self._peers else None)

    def _left(self, recorder: int) -> None:
        self._alive.discard(recorder)
        if not self._alive:
            self.close()

    @property
    def closed(self) -> bool:
        return self._closed

    def began(self, journal: Journalled, recorder: Recording) -> None:
        """Note that a run began."""
        runs = [(one, of) for one, of in self._runs if one.open]
        ended = [(one, of) for one, of in self._runs if not one.open][-_KEPT_RUNS:]
        self._runs = [*ended, *runs, (journal, weakref.ref(recorder))]
        self._path = recorder.path.absolute()
        if self._peers:
            self._heard()

    def _heard(self, *event: object) -> None:
        """Tell debuggers soon that a run has news."""
        if not self._fresh:
            self._fresh = True
            self._wake()

    def ended(self) -> None:
        """Note that a run ended."""
        if self._peers:
            self._heard()

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        """Ask the debugger about a call, and wait for its answer. Without one the call goes on."""
        if self._debugger is None:
            return GoOn()
        answer: Future[Verb] = Future()
        id = next(self._numbers)
        data = encoded(Asked(id, call.run, call))
        with self._lock:
            peer = self._debugger
            if peer is None:
                return GoOn()
            self._asks[id] = answer
            peer.out += data
        self._wake()
        try:
            return await asyncio.wrap_future(answer) if later else _waited_for(answer)
        finally:
            self._asked_no_more(id)

    def _asked_no_more(self, id: int) -> None:
        """Tell the debugger if a call was given up before it was decided."""
        with self._lock:
            if self._asks.pop(id, None) is None:
                return
            if self._debugger is not None:
                self._debugger.out += encoded(Withdrawn(id))
        self._wake()

    def _wake(self) -> None:
        with suppress(OSError):  # it is full, so the thread is going to wake; or it is closed
            self._wakes.send(b"\0")

    # On the listener's thread

    def _serve(self) -> None:
        try:
            while not self._closed:
                try:
                    self._turn()
                except Exception:  # a debugger's fault, or ours: never the agent's
                    if not self._peers:
                        raise
                    self._drop_all()
        finally:
            self._drop_all()
            self._selector.close()
            for one in (self._listening, self._woken, self._wakes):
                one.close()

    def _turn(self) -> None:
        ready = self._selector.select(self._patience())
        for key, what in ready:
            if isinstance(key.data, _Peer):
                if what & selectors.EVENT_READ and key.data in self._peers:
                    self._read(key.data)
            elif key.fileobj is self._listening:
                self._accept()
            else:
                with suppress(OSError):
                    self._woken.recv(4096)
        if self._fresh:
            self._fresh = False
            for peer in self._peers:
                peer.stale = peer.role in ("debug", "watch")
        now = time.monotonic()
        for peer in list(self._peers):
            if now > peer.heard + (SILENT if peer.role else HELLO_WITHIN):
                self._drop(peer)
            else:
                self._write(peer)

    def _patience(self) -> float | None:
        """Seconds until a debugger may have fallen silent; None if there is none."""
        if not self._peers:
            return None
        ends = min(peer.heard + (SILENT if peer.role else HELLO_WITHIN) for peer in self._peers)
        return max(ends - time.monotonic(), 0.0) + 0.01

    def _accept(self) -> None:
        try:
            made, _ = self._listening.accept()
        except OSError:
            time.sleep(0.1)  # too many open files: do not turn in a circle
            return
        try:
            check_peer(made)
            if len(self._peers) >= MOST_PEERS:
                raise CannotAttach("too many debuggers")
        except (OSError, CannotAttach):
            made.close()
            return
        made.setblocking(False)
        peer = _Peer(made, time.monotonic())
        self._peers.append(peer)
        self._selector.register(made, selectors.EVENT_READ, peer)

    def _read(self, peer: _Peer) -> None:
        try:
            data = peer.socket.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._drop(peer)
            return
        try:
            for message in peer.messages.feed(data):
                self._take(peer, message)
        except ProtocolError:
            self._drop(peer)

    def _take(self, peer: _Peer, message: Message) -> None:
        now = time.monotonic()
        if now - peer.heard > BEAT / 2:
            peer.idle = 0
        peer.idle += 1
        peer.heard = now
        match message:
            case Hello() if not peer.role:
                self._welcome(peer, message)
            case Decided() if peer is self._debugger:
                self._decide(peer, message)
            case Beat() if peer.role:
                pass
            case _:
                raise ProtocolError("not now")
        if peer.idle > MOST_IDLE:
            raise ProtocolError("too many messages")

    def _welcome(self, peer: _Peer, hello: Hello) -> None:
        if hello.version != VERSION:
            why = f"the agent's planscope speaks version {VERSION} of the protocol; use the same planscope for both"
            peer.out += encoded(Refused(why))
            peer.role, peer.last = "list", True
            return
        peer.messages.limit = LARGEST
        with self._lock:
            busy = self._debugger is not None
            role = "watch" if hello.purpose == "debug" and busy else hello.purpose
            peer.role, peer.last = role, role == "list"
            peer.out += encoded(Welcome(self._pid, str(self._path), self._title, role, busy, self._news()))
            if role == "debug":
                self._debugger = peer
        if role != "list":
            for recorder in list(self._recorders):
                recorder.watched(self._heard)

    def _news(self) -> tuple[RunNews, ...]:
        found = []
        for journal, of in self._runs[-MOST_RUNS:]:
            recorder = of()
            found.append(RunNews(journal.token, journal.open, recorder is not None and recorder.pauses))
        return tuple(found)

    def _decide(self, peer: _Peer, decided: Decided) -> None:
        with self._lock:
            answer = self._asks.pop(decided.id, None)
        if answer is not None:  # else the agent has given the call up
            peer.idle = 0
            if answer.set_running_or_notify_cancel():
                answer.set_result(decided.verb)

    def _write(self, peer: _Peer) -> None:
        with self._lock:
            if peer.stale and not peer.out:
                peer.stale = False
                peer.out += encoded(News(self._news()))
            try:
                while peer.out:
                    sent = peer.socket.send(peer.out[:_PIECE])
                    del peer.out[:sent]
            except BlockingIOError:
                pass
            except OSError:
                peer.out.clear()
                peer.last = True
            left = len(peer.out)
        if (peer.last and not left) or left > MOST_UNREAD:
            self._drop(peer)
            return
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if left else 0)
        self._selector.modify(peer.socket, wanted, peer)

    def _drop_all(self) -> None:
        for peer in list(self._peers):
            self._drop(peer)

    def _drop(self, peer: _Peer) -> None:
        """Let a debugger go. Calls that wait for it go on."""
        if peer not in self._peers:
            return
        self._peers.remove(peer)
        with suppress(KeyError, ValueError, OSError):
            self._selector.unregister(peer.socket)
        peer.socket.close()
        waiting: list[Future[Verb]] = []
        with self._lock:
            if peer is self._debugger:
                self._debugger = None
                waiting = list(self._asks.values())
                self._asks.clear()
        for answer in waiting:
            if answer.set_running_or_notify_cancel():
                answer.set_result(GoOn())
        if not any(one.role in ("debug", "watch") for one in self._peers):
            for recorder in list(self._recorders):
                recorder.watched(None)


def _waited_for(answer: Future[Verb]) -> Verb:
    while True:
        try:
            return answer.result(_LOOK)
        except TimeoutError:
            if _interrupted():
                raise KeyboardInterrupt from None


def _interrupted() -> bool:
    """Whether the main thread got an interrupt (Ctrl-C) and only waits for its threads, such as the one that asks."""
    frames = sys._current_frames()  # noqa: SLF001  # nothing else tells what another thread does
    frame = frames.get(threading.main_thread().ident or 0)
    while frame is not None:
        why = frame.f_locals.get("exc_type") if frame.f_code.co_name == "__exit__" else None
        if isinstance(why, type) and issubclass(why, KeyboardInterrupt):
            return True
        frame = frame.f_back
    return False


def _listening() -> tuple[Path, socket.socket]:
    """Make the socket of this process, readable only by the user. Raises :class:`CannotAttach`."""
    folder = checked_folder()
    _remove_left_behind()
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        for number in range(1, 100):
            place = folder / f"{os.getpid()}{f'-{number}' if number > 1 else ''}{SUFFIX}"
            if os.path.lexists(place):
                continue
            made.bind(os.fspath(place))
            place.chmod(0o600)
            made.listen(MOST_PEERS)
            made.setblocking(False)
            return place, made
        raise CannotAttach(f"the folder {folder} has too many sockets of this process")
    except OSError as error:
        made.close()
        why = "its path is too long" if error.errno is None or "too long" in str(error) else error.strerror
        raise CannotAttach(f"no socket can be made in {folder}: {why}") from None


def _remove_left_behind() -> None:
    """Remove the sockets of processes that were killed."""
    for place in sockets():
        pid = place.name.removesuffix(SUFFIX).partition("-")[0]
        try:
            if pid.isdigit() and int(pid) != os.getpid():
                os.kill(int(pid), 0)
                continue
        except ProcessLookupError:
            pass
        except (OSError, OverflowError):
            continue
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
            try:  # the folder may be shared with another container, which has processes of its own
                trial.settimeout(0.2)
                trial.connect(os.fspath(place))
            except ConnectionRefusedError:
                place.unlink(missing_ok=True)


_points: dict[str, AttachPoint] = {}
_making = threading.Lock()


def attach_point(title: str, path: Path) -> AttachPoint:
    """Return the attach point of this process for the file. Raises :class:`CannotAttach`."""
    key = str(path.absolute())
    with _making:
        found = _points.get(key)
        if found is None or found.closed:
            found = _points[key] = AttachPoint(title, path)
        return found


def _again() -> None:
    """In a forked child, listen again. It must not disturb the program: without a socket nobody can attach."""
    global _making
    _making = threading.Lock()
    for key, point in list(_points.items()):
        if point.closed:
            del _points[key]
            continue
        try:
            point.again()
        except (OSError, CannotAttach, RuntimeError):
            del _points[key]


def _close_all() -> None:
    for point in list(_points.values()):
        point.close()


atexit.register(_close_all)
if hasattr(os, "register_at_fork") and sys.platform != "win32":
    os.register_at_fork(after_in_child=_again)
