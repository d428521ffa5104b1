"""Live debugging: a gate is asked before each call is done, may wait as long as it likes, and decides.

The protocol is small, so that a screen, a script or a test can be a gate. :class:`Pauser` is one for a person.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from planscope.oracle.trace import Call


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that is about to be done, as step ``step``. ``answer`` is what its tool will say, where that is known.

    A call that could not be read (``error`` says why, ``raw`` is how it was written) reaches no tool: it can be
    looked at, and the run can be stopped there; every other verb goes on. ``why`` is what a :class:`Pauser` paused
    for, empty where it is stepping alone.
    """

    step: int
    tool: str
    arguments: Mapping[str, Any]
    call_id: str | None = None
    answer: str | None = None
    raw: str | None = None
    error: str | None = None
    why: tuple[str, ...] = ()

    @property
    def call(self) -> Call:
        """The call as the oracle takes it."""
        return Call(self.tool, None if self.error is not None else self.arguments, self.error)


@dataclass(frozen=True, slots=True)
class GoOn:
    """Do the call as it stands."""


@dataclass(frozen=True, slots=True)
class EditArguments:
    """Do the call with other arguments; the record keeps what the agent asked for, too."""

    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EditAnswer:
    """Do the call, and tell the agent something else."""

    text: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Keep the call from its tool, and tell the agent why."""

    text: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run here; the call is not done and stands in no record."""


Verb = GoOn | EditArguments | EditAnswer | Refuse | Stop
Gate = Callable[[PendingCall], Awaitable[Verb]]
"""Called on the event loop of the run. It is cancelled where the run is stopped while it waits."""


class StoppedAtGate(Exception):
    """The gate said :class:`Stop`."""


@dataclass(slots=True)
class Pauser:
    """A gate for a person: pauses where ``wanted`` says so, or at every call while stepping.

    ``wanted`` gives the reasons, which are told on as ``PendingCall.why``, or just whether to pause. It may take a
    while: it is asked on a thread of its own.
    ``on_pause`` and ``on_resume`` are called on the run's thread; :meth:`decide` may be called from any. A decision
    that comes while nothing is paused is dropped.
    """

    wanted: Callable[[PendingCall], bool | Sequence[str]] = lambda call: False
    on_pause: Callable[[PendingCall], None] = lambda call: None
    on_resume: Callable[[PendingCall, Verb], None] = lambda call, verb: None
    stepping: bool = False
    paused: PendingCall | None = None
    _loop: asyncio.AbstractEventLoop | None = field(default=None, repr=False)
    _answer: asyncio.Future[Verb] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    async def __call__(self, call: PendingCall) -> Verb:
        wanted = await asyncio.to_thread(self.wanted, call)
        if not (self.stepping or wanted):
            return GoOn()
        if not isinstance(wanted, bool):
            call = replace(call, why=tuple(wanted))
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Verb] = loop.create_future()
        with self._lock:
            self._loop, self._answer, self.paused = loop, answer, call
        verb: Verb = Stop()
        try:
            self.on_pause(call)
            verb = await answer
        finally:
            with self._lock:
                self._loop = self._answer = self.paused = None
            self.on_resume(call, verb)
        return verb

    def step(self, stepping: bool) -> None:
        """Whether to pause at every call from now on."""
        self.stepping = stepping

    def decide(self, verb: Verb, *, stepping: bool = False) -> bool:
        """What becomes of the paused call; with ``stepping`` the next one pauses too. False if none is paused."""
        with self._lock:
            loop, answer = self._loop, self._answer
            if loop is None or answer is None or loop.is_closed():
                return False
            self.stepping = stepping
            loop.call_soon_threadsafe(_settle, answer, verb)
            self._answer = None
            return True


def _settle(answer: asyncio.Future[Verb], verb: Verb) -> None:
    if not answer.done():
        answer.set_result(verb)
