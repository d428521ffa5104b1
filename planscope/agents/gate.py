"""Decides before a call is executed: a gate lets a person decide, a guardian blocks calls that lose the plan.

The protocol of a gate is small, so that a screen, a script or a test can be one. :class:`Pauser` is one for a person.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

from planscope.agents.toolset import REFUSED
from planscope.frozen import frozen
from planscope.language.problem import Action, Problem
from planscope.oracle.arguments import START
from planscope.oracle.judged import Ruled
from planscope.oracle.trace import Item, ToolCall, Trace
from planscope.session.oracle_input import own_reading, plain_name
from planscope.wording import phrases
from planscope.wording.constraints import source

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay


@frozen
class PendingCall:
    """A call before its execution as step ``step``, which is 0 while that is not known. ``answer`` is the answer of its
    tool, if that is known. ``sent_as``: the id that the model gave it; ``call_id`` is no other call's.

    A call that could not be read (``error`` says why, ``raw`` is its text) never reaches a tool: :class:`Stop` ends
    the run there, every other verb continues. ``why`` has the reasons for which a :class:`Pauser` paused; it is empty
    if it pauses at every call. ``agent``: the name of the agent that calls, if it has one. ``run``: the name of the
    journal that its run is recorded in, or "". ``schema``: the tool's own, if it is known here.
    """

    step: int
    tool: str
    arguments: Mapping[str, object]
    call_id: str | None = None
    answer: str | None = None
    raw: str | None = None
    error: str | None = None
    why: tuple[str, ...] = ()
    agent: str | None = None
    run: str = ""
    schema: Mapping[str, object] | None = field(default=None, compare=False)
    sent_as: str = field(default="", compare=False)

    @property
    def call(self) -> ToolCall:
        """The call as the oracle reads it."""
        return ToolCall(self.tool, None if self.error is not None else self.arguments, self.error)


@frozen
class GoOn:
    """Execute the call unchanged."""


@frozen
class EditArguments:
    """Execute the call with other arguments. The record keeps the agent's own arguments, too."""

    arguments: Mapping[str, object]


@frozen
class EditAnswer:
    """Execute the call, but give the agent another answer."""

    text: str


@frozen
class Refuse:
    """Do not execute the call, and tell the agent why."""

    text: str


@frozen
class Answer:
    """Do not execute the call, and give the agent this answer. ``by``: a person, or a recorded run. ``to_graph``: the
    command to the graph that comes with it, as it is recorded. ``returned``: what a program gets that calls the tool
    itself, if not the text."""

    text: str
    status: Literal["ok", "error"] = "ok"
    by: Literal["user", "record"] = "user"
    artifact: object = None
    to_graph: Mapping[str, object] | None = None
    returned: object = None


@frozen
class Raise:
    """Do not execute the call, and raise the error that its tool raised in a recorded run."""

    text: str


@frozen
class Stop:
    """End the run here. The call is neither executed nor recorded. ``text``: why, if not by a person."""

    text: str = ""


Verb = GoOn | EditArguments | EditAnswer | Answer | Raise | Refuse | Stop


class CallGate(Protocol):
    """Decides about one call at a time. ``later``: it may await, and is cancelled if the run is stopped while it does;
    for an agent that is synchronous it blocks its thread instead."""

    async def ask(self, call: PendingCall, later: bool) -> Verb: ...


DECISIONS: Mapping[type[Verb], tuple[str, str]] = {
    GoOn: ("approve", "approved"),
    EditArguments: ("edit", "edited"),
    Refuse: ("reject", "rejected"),
    Answer: ("respond", "answered in its place"),
}
"""How LangChain calls a decision about a call, and how a person does."""


@frozen
class Question:
    """What an interrupted graph asks a person. ``text`` says it.

    ``tool`` and ``arguments``: the call that is to be approved, if it asks for that; then ``allowed`` has the possible
    decisions (``approve``, ``edit``, ``reject``, ``respond``). ``wrong``: why the last answer was refused, or "".
    """

    text: str
    tool: str | None = None
    arguments: Mapping[str, object] | None = None
    allowed: tuple[str, ...] = ()
    wrong: str = ""

    def refuses(self, verb: Verb) -> str:
        """Return why a verb is no answer to this question, or ""."""
        if self.tool is None:
            return "" if isinstance(verb, Answer) else "the question needs an answer: a text or a JSON value"
        decision, done = DECISIONS.get(type(verb), ("", "decided so"))
        return "" if decision in self.allowed else f"the agent does not let this call be {done}"


class StoppedAtGate(BaseException):
    """The gate answered :class:`Stop`. It is no ``Exception``, since agents make answers of those (LangGraph's
    ``handle_tool_errors``, a middleware with ``except Exception``)."""


Ending = Literal["stopped", "timeout", "call_limit", "aborted"]


class RunOver(Exception):
    """The run ends here, as ``ending`` says. The message says why."""

    def __init__(self, ending: Ending, reason: str) -> None:
        super().__init__(reason)
        self.ending = ending


@dataclass(slots=True)
class Pauser:
    """A gate for a person: pauses at calls that ``wanted`` names, or at every call while stepping. The person is asked
    what an interrupted graph asks, too (:meth:`answer`).

    ``wanted`` returns the reasons to pause (they become ``PendingCall.why``) or only a truth value. It may be slow,
    so it runs on its own thread. ``on_pause`` and ``on_resume`` are called on the run's thread. :meth:`decide` may be
    called from any thread; a decision while nothing is paused is dropped.
    """

    wanted: Callable[[PendingCall], bool | Sequence[str]] = lambda call: False
    on_pause: Callable[[PendingCall], None] = lambda call: None
    on_resume: Callable[[PendingCall, Verb], None] = lambda call, verb: None
    stepping: bool = False
    paused: PendingCall | None = None
    question: Question | None = None
    on_question: Callable[[Question], None] = lambda question: None
    on_answered: Callable[[], None] = lambda: None
    _answer: Future[Verb] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        """Return the decision about a call."""
        wanted = await asyncio.to_thread(self.wanted, call) if later else self.wanted(call)
        if not (self.stepping or wanted):
            return GoOn()
        if not isinstance(wanted, bool):
            call = replace(call, why=tuple(wanted))
        answer: Future[Verb] = Future()
        verb: Verb = Stop()
        self._waits(answer, call)
        try:
            self.on_pause(call)
            verb = await asyncio.wrap_future(answer) if later else answer.result()
        finally:
            self._waits()
            self.on_resume(call, verb)
        return verb

    async def answer(self, question: Question) -> Verb:
        """Return the decision about what an interrupted graph asks."""
        answer: Future[Verb] = Future()
        self._waits(answer, None, question)
        try:
            self.on_question(question)
            return await asyncio.wrap_future(answer)
        finally:
            self._waits()
            self.on_answered()

    def _waits(
        self,
        answer: Future[Verb] | None = None,
        paused: PendingCall | None = None,
        question: Question | None = None,
    ) -> None:
        with self._lock:
            self._answer, self.paused, self.question = answer, paused, question

    def step(self, stepping: bool) -> None:
        """Set whether to pause at every call from now on."""
        self.stepping = stepping

    def decide(self, verb: Verb, *, stepping: bool = False) -> bool:
        """Decide about the paused call or the question. ``stepping``: pause at the next call, too. Return False if
        there is none."""
        with self._lock:
            answer, self._answer = self._answer, None
            if answer is None or not answer.set_running_or_notify_cancel():
                return False
            self.stepping = stepping
        answer.set_result(verb)
        return True


NOT_FINISHED = "Not finished. "
"""The beginning of the message to an agent that stops while a rule still requires a call."""

TRIES = 3
"""A run ends after this many refusals of the same call with no call executed in between."""

_MOST_MOVES = 8


class Guardian:
    """On-the-fly repair (paper, section 7): judges calls before their execution.

    It knows the durations, which the agent does not.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    @property
    def by_rules(self) -> bool:
        """Whether rules about calls are guarded, for which answers and the user's messages count, too."""
        return isinstance(self.problem, Ruled)

    def _judged(self, items: Sequence[Item]) -> Replay:
        from planscope.oracle.replay import replay  # imported late because it imports Z3

        return replay(self.problem, Trace(items, "running"))

    def objection(self, done: Sequence[Item], call: ToolCall) -> str | None:
        """Return why ``call`` after ``done`` must be blocked, and which calls are safe instead; None if it may be
        executed.

        A plan that is lost already is no longer guarded, and a call that its tool will refuse is left to the tool.
        Rules may depend on the answer, which is not known yet: a call is blocked only if every answer would lose them.
        """
        walk = self._judged((*done, call))
        *_, before, after = walk.steps
        if before.lost or not after.lost:
            return None
        members = after.core.constraints if after.core else ()
        if self.by_rules and any(self.problem.by_id[c].kind == "of_calls" for c in members):
            earlier = self._judged(done)
            if not all(earlier.then(one).steps[-1].lost for one in _answered(call)):
                return None
        said = [source(self.problem, self.problem.by_id[c]) for c in members]
        why = f", since {'; '.join(said)}" if said else ""
        lost = f"{REFUSED}this was not done. After it the requirement could not be met any more{why}."
        return f"{lost} {self._instead(walk, before.index)}"

    def owed(self, done: Sequence[Item]) -> str | None:
        """Return what an agent that stops after ``done`` still owes; None if nothing, or if nothing can be saved."""
        walk = self._judged(done)
        if walk.steps[-1].lost:
            return None
        index = len(walk.steps) - 1
        rules = [c for c in self.problem.constraints if walk.status(c.id, index) == "owed"]
        if not rules:
            return None
        said = "; ".join(source(self.problem, c) for c in rules[:_MOST_MOVES])
        return f"{NOT_FINISHED}Something is still required: {said}. {self._instead(walk, index)}"

    def _instead(self, walk: Replay, index: int) -> str:
        moves = walk.safe_moves(index)
        if not moves and walk.valid_completions(index) == 1:
            return "Everything that is required is done: no call is needed any more."
        if not moves:
            return "Choose another call."
        said = []
        for move in moves[:_MOST_MOVES]:
            tool, hours = phrases.tool_of(self.problem, move.action), ""
            if move.hours is not None:
                first, last = move.hours
                hours = f" with {START} {first}" if first == last else f" with {START} {first} to {last}"
            said.append(f"{tool}{hours}")
        more = [f"{len(moves) - _MOST_MOVES} more"] if len(moves) > _MOST_MOVES else []
        return f"Safe now: {phrases.listed([*said, *more], 'or')}."


def _answered(call: ToolCall) -> Iterator[ToolCall]:
    """Yield the call with each kind of answer: one whose words are not known, and an error."""
    for failed in (False, True):
        yield replace(call, failed=failed, answered=True)


def gives_up(refused: Sequence[ToolCall], call: ToolCall) -> str | None:
    """Return why the refusal of ``call`` ends the run, or None if the run goes on.

    ``refused`` has the calls refused before it since the last executed call.
    """
    times = 1 + sum(one.tool == call.tool and one.arguments == call.arguments for one in refused)
    return (
        None
        if times < TRIES
        else f"the guard refused {phrases.call(call.tool, call.arguments)} {times} times"
    )


def problem_from(
    query: str, tools: Iterable[str], *, timed: bool = False, hours: Mapping[str, int] | None = None
) -> Problem:
    """Return the problem of a query about a user's own tools. An action has its tool's name, with blanks for ``_``
    and ``-``.

    ``hours`` are the durations of a timed query (default 1 each). Raises ``ParseFailure``.
    """
    known = hours or {}
    actions = tuple(
        Action(f"a{i}", plain_name(tool), tool, known.get(tool, 1) if timed else None)
        for i, tool in enumerate(dict.fromkeys(tools), 1)
    )
    return own_reading(query, actions, {a.tool: None for a in actions}, timed=timed).problem
