"""The debugger's side of attaching: who can be attached to, and the runs of an agent as they happen.

The events come from the journal of the run; the socket tells when it has grown, and carries calls and decisions.
"""

from __future__ import annotations

import asyncio
import queue
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from planscope.agents.attach.place import (
    SUFFIX,
    CannotAttach,
    check_system,
    connected,
    id_of,
    socket_folder,
    sockets,
)
from planscope.agents.attach.protocol import (
    BEAT,
    Asked,
    Beat,
    Decided,
    Hello,
    Message,
    Messages,
    News,
    ProtocolError,
    Purpose,
    Refused,
    RunNews,
    Welcome,
    Withdrawn,
    encoded,
)
from planscope.agents.event_loop import wait_for
from planscope.agents.gate import CallGate, GoOn, Stop, Verb
from planscope.frozen import frozen
from planscope.safe import visible
from planscope.session.model import Event, PromptEvent, Run
from planscope.session.recordings import RecordedRun, RecordingTail

ANSWERS_WITHIN = 2.0
"""Seconds that an agent has to say who it is."""

MOST_WAITING = 200
"""Limit of calls that wait for a decision."""

_LOOK = 0.25
"""Seconds after which the journal is read again without any news."""

_FIRST_CALL = 1.0
"""Seconds to wait for the tools of a run that has only begun."""

_STUCK = 15.0
"""Seconds after which an agent that reads nothing is given up."""

_PIECE = 256 * 1024


@frozen
class Found:
    """An agent that can be attached to. ``trouble``: why it cannot; then ``welcome`` is None."""

    id: str
    welcome: Welcome | None = None
    trouble: str = ""


def found() -> list[Found]:
    """Ask all agents of this user who they are. Raises :class:`CannotAttach`."""
    made = []
    for place in sockets():
        try:
            peer, welcome, _ = _greeted(place, "list")
        except (ConnectionRefusedError, FileNotFoundError):
            continue  # its process has ended
        except (OSError, CannotAttach, ProtocolError) as error:
            made.append(Found(id_of(place), trouble=_reason(error)))
            continue
        peer.close()
        made.append(Found(id_of(place), welcome))
    return made


def attachable(id: str, purpose: Purpose = "debug") -> AttachedAgent:
    """Return the agent with this id, to be attached to. Raises :class:`CannotAttach`."""
    check_system()
    place = next((one for one in sockets() if id_of(one) == id), None)
    if place is None:
        raise CannotAttach(
            f"no agent {visible(id, limit=40)} can be attached to in {socket_folder()}; planscope attach lists them"
        )
    peer, welcome, _ = _reached(place, "list")
    peer.close()
    return AttachedAgent(place, purpose, welcome)


def _reached(place: Path, purpose: Purpose) -> tuple[socket.socket, Welcome, Messages]:
    """Connect, and say what for. Raises :class:`CannotAttach`."""
    id = id_of(place)
    try:
        return _greeted(place, purpose)
    except (ConnectionRefusedError, FileNotFoundError):
        raise CannotAttach(f"the process of agent {id} has ended") from None
    except (OSError, ProtocolError) as error:
        raise CannotAttach(f"agent {id}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    return str(getattr(error, "strerror", None) or error)


def _greeted(place: Path, purpose: Purpose) -> tuple[socket.socket, Welcome, Messages]:
    """Connect, and say what for. Raises OSError, :class:`CannotAttach`, :class:`ProtocolError`."""
    if not place.name.endswith(SUFFIX):
        raise CannotAttach("that is no socket of an agent")
    peer = connected(place, ANSWERS_WITHIN)
    try:
        peer.sendall(encoded(Hello(purpose)))
        messages = Messages()
        while data := peer.recv(_PIECE):
            for message in messages.feed(data):
                if isinstance(message, Refused):
                    raise CannotAttach(visible(message.why, limit=300))
                if not isinstance(message, Welcome):
                    raise ProtocolError("it is no agent of planscope")
                return peer, message, messages
        raise ProtocolError("it ended the connection")
    except BaseException:
        peer.close()
        raise


class AttachedAgent:
    """The connection to an agent. Its coroutines run on the shared event loop; the methods block any other thread. All
    is sent by a thread of its own, which also says that this side is there: the loop may be busy.

    The first :meth:`next_run` connects. ``welcome``: who the agent is. ``trouble``: why the connection ended, "" if the
    agent's process ended or this side left.
    """

    def __init__(self, place: Path, purpose: Purpose, welcome: Welcome) -> None:
        self.id, self.purpose, self.welcome = id_of(place), purpose, welcome
        self.trouble = ""
        self._place, self._path = place, Path(welcome.path)
        self._socket: socket.socket | None = None
        self._messages = Messages()
        self._runs: dict[str, RunNews] = {}
        self._seen: set[str] = set()
        self._asks: dict[int, Asked] = {}
        self._follower: AttachedRun | None = None
        self._left = False
        self._gone = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: asyncio.Event
        self._writer: asyncio.StreamWriter | None = None
        self._out = queue.SimpleQueue[bytes | None]()

    @property
    def watches(self) -> bool:
        """Whether another debugger decides, so that this one only watches; or it was asked only to watch."""
        return self.welcome.role == "watch" or self.purpose == "watch"

    @property
    def left(self) -> bool:
        """Whether this side has ended the connection."""
        return self._left

    def leave(self) -> None:
        """End the connection, from any thread. The agent goes on."""
        self._left = True
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop is closed: the program ends
                loop.call_soon_threadsafe(self._hang_up)

    def _hang_up(self) -> None:
        self._gone = True
        self._out.put(None)
        if self._writer is not None:
            self._writer.close()
        self._news.set()

    def next_run(self) -> RecordingTail | None:
        """Wait for a run that was not followed yet, and return its journal; None if the agent is gone.

        Raises :class:`CannotAttach` if the agent cannot be reached.
        """
        if self._socket is None:
            self._socket, self.welcome, self._messages = _reached(self._place, self.purpose)
            self._path = Path(self.welcome.path)
            self._runs = {run.token: run for run in self.welcome.runs}
            self._seen = {run.token for run in self.welcome.runs if not run.open}
        return wait_for(self._next_run(self._socket))

    async def _begin(self, peer: socket.socket) -> None:
        if self._loop is not None:
            return
        self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()
        peer.setblocking(False)
        reader, self._writer = await asyncio.open_unix_connection(sock=peer)
        if self._left:  # it was left meanwhile
            self._hang_up()
        self._reading = self._loop.create_task(self._read(reader))
        out = peer.dup()
        out.settimeout(_STUCK)
        threading.Thread(target=self._write, args=(out,), name="planscope beats", daemon=True).start()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            for message in self._messages.feed(b""):
                self._take(message)
            while data := await reader.read(_PIECE):
                for message in self._messages.feed(data):
                    self._take(message)
                await asyncio.sleep(0)
        except ProtocolError as error:
            self.trouble = str(error)
        except OSError:
            pass  # the agent's process was killed
        finally:
            self._hang_up()
            if self._follower is not None:
                self._follower.lost()

    def _take(self, message: Message) -> None:
        match message:
            case News():
                self._runs = {run.token: run for run in message.runs}
                self._news.set()
            case Asked():
                if len(self._asks) >= MOST_WAITING:
                    raise ProtocolError("too many calls wait")
                self._asks[message.id] = message
                if message.run not in self._runs:  # its news are still on the way
                    self._runs[message.run] = RunNews(message.run, True, True)
                self._pass_on()
            case Withdrawn():
                if self._asks.pop(message.id, None) is not None and self._follower is not None:
                    self._follower.withdrawn(message.id)
            case _:
                raise ProtocolError("the agent sent what only a debugger sends")

    def _pass_on(self) -> None:
        """Give the calls of the followed run to it. Calls of other runs go on; without a run that is followed, they
        wait for the next one."""
        self._news.set()
        follower = self._follower
        for asked in list(self._asks.values()) if follower is not None else ():
            if follower is not None and asked.run == follower.token:
                follower.asked(asked)
            else:
                self.decide(asked.id, GoOn())

    def decide(self, id: int, verb: Verb) -> None:
        """Send the decision about a call. On the event loop."""
        if self._asks.pop(id, None) is not None:
            self._send(Decided(id, verb))

    def _send(self, message: Message) -> None:
        if not self._gone:
            self._out.put(encoded(message))

    def _write(self, out: socket.socket) -> None:
        """Send what is to be sent, and otherwise a beat, until this side leaves or the agent is gone."""
        beat = encoded(Beat())
        with out, suppress(OSError):
            while True:
                try:
                    data = self._out.get(timeout=BEAT)
                except queue.Empty:
                    data = beat
                if data is None:
                    return
                out.sendall(data)

    def run_is_open(self, token: str) -> bool:
        """Return whether a run may get more events."""
        run = self._runs.get(token)
        return not self._gone and run is not None and run.open

    @property
    def unfollowed(self) -> int:
        """How many runs are under way that are not followed: their calls go on."""
        followed = self._follower.token if self._follower is not None else ""
        return sum(run.open and run.token != followed for run in list(self._runs.values()))

    def gated(self, token: str) -> bool:
        """Return whether the calls of a run can be paused from here."""
        run = self._runs.get(token)
        return not self.watches and run is not None and run.gated

    async def changed(self, seconds: float = _LOOK) -> None:
        """Wait for news, at most ``seconds``."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        self._news.clear()

    async def _next_run(self, peer: socket.socket) -> RecordingTail | None:
        await self._begin(peer)
        while True:
            waits = [asked.run for asked in self._asks.values()]
            for token in [*waits, *self._runs]:
                if token in self._seen:
                    continue
                self._seen.add(token)
                try:
                    tail = RecordingTail(self._path, token)
                except OSError:
                    continue  # it is merged into the session already
                if await self._begun(tail):
                    return tail
                tail.close()
            if self._gone:
                return None
            for id, asked in list(self._asks.items()):
                if asked.run in self._seen:
                    self.decide(id, GoOn())
            await self.changed()

    async def _begun(self, tail: RecordingTail) -> bool:
        """Wait until a run's tools are known, so that its query and its rules can be read. Return whether it began."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + _FIRST_CALL
        while True:
            tail.more()
            run = tail.run
            said = run is not None and any(not isinstance(event, PromptEvent) for event in run.events)
            if run is not None and (
                said or tail.tools or not self.run_is_open(tail.token) or loop.time() > ends
            ):
                return True
            if self._gone or loop.time() > ends:
                return False
            await self.changed(0.02)

    def follow(self, run: AttachedRun | None) -> None:
        """Give the calls of a run to it from now on. On the event loop."""
        self._follower = run
        self._pass_on()


class AttachedRun:
    """One run of an attached agent, watched from outside. ``run.events`` grows while it runs.

    ``gate`` is asked before each call. ``on_event`` is called with each new event, ``on_tools`` with the recorded run
    when it has more tools than before.
    """

    def __init__(
        self,
        agent: AttachedAgent,
        tail: RecordingTail,
        run: Run,
        *,
        gate: CallGate,
        on_event: Callable[[Event], object] = lambda event: None,
        on_tools: Callable[[RecordedRun], object] = lambda recorded: None,
    ) -> None:
        self.run = run
        self.token = tail.token
        self._agent, self._tail, self._gate = agent, tail, gate
        self._known = tail.tools
        self._heard, self._on_tools = on_event, on_tools
        self._turn = asyncio.Lock()
        self._asked: dict[int, asyncio.Task[None]] = {}
        self._stopping = False
        self._loop: asyncio.AbstractEventLoop | None = None

    def wait(self) -> Run:
        """Follow the run to its end, or until the agent is gone or was left. Blocks."""
        return wait_for(self.go())

    async def go(self) -> Run:
        """Follow the run, and return it as it is recorded."""
        self._loop = asyncio.get_running_loop()
        self._agent.follow(self)
        try:
            while True:
                is_open = self._agent.run_is_open(self.token)
                self._catch_up()
                if not is_open:
                    break
                await self._agent.changed()
        finally:
            self._agent.follow(None)
            for task in list(self._asked.values()):
                task.cancel()
            recorded = self._tail.run
            self._tail.close()
        if recorded is not None:
            self.run.events[:] = recorded.events
        return self.run

    def stop(self) -> None:
        """Stop the run at its paused call, or else before its next one. From any thread."""
        self._stopping = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.lost)

    def lost(self) -> None:
        """Give up all decisions. On the event loop."""
        for task in list(self._asked.values()):
            task.cancel()

    def withdrawn(self, id: int) -> None:
        """The agent has given a call up. On the event loop."""
        if (task := self._asked.get(id)) is not None:
            task.cancel()

    def asked(self, asked: Asked) -> None:
        """Decide about a call, once. On the event loop."""
        if asked.id in self._asked:
            return
        task = asyncio.get_running_loop().create_task(self._decide(asked))
        self._asked[asked.id] = task
        task.add_done_callback(lambda _: self._asked.pop(asked.id, None))

    async def _decide(self, asked: Asked) -> None:
        verb: Verb = GoOn()
        try:
            async with self._turn:
                if not self._stopping:
                    self._catch_up()
                    verb = await self._gate.ask(asked.call, True)
        finally:
            self._agent.decide(asked.id, Stop() if self._stopping else verb)

    def _catch_up(self) -> None:
        for event in self._tail.more():
            self.run.events.append(event)
            self._heard(event)
        if self._tail.tools > self._known and (recorded := self._tail.run) is not None:
            self._known = self._tail.tools
            self._on_tools(recorded)
