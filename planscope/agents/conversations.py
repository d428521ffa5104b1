"""The runs of users' own agents, as they happen: messages of LangChain become events of runs.

A run holds every conversation below one outermost graph: of the agent itself, of its sub-agents and of those that it
hands over to. Each event has its agent's name. Middleware, callbacks and the debugger all record through
:class:`Conversations`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from operator import eq
from typing import Literal, Protocol
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.errors import GraphBubbleUp, GraphInterrupt

from planscope.agents.failures import explain, one_line
from planscope.agents.gate import Ending, PendingCall, Verb
from planscope.agents.given import GivenSoFar, seen_messages, seen_tool, seen_tools
from planscope.agents.graphs import asked_by
from planscope.agents.messages import (
    answer_event,
    answer_parts,
    call_event,
    call_ids,
    ended_by_guard,
    last_answer,
    message_event,
    taken_apart,
    text_of,
)
from planscope.frozen import frozen
from planscope.language.problem import is_tool_name
from planscope.session.json_bytes import Obj, plain, plain_text
from planscope.session.model import AnswerEvent, EndEvent, ErrorEvent, Event, Given, MessageEvent, PromptEvent
from planscope.session.record import WAITS_FOR, notice_of

_WAITING = 64
"""Limit of ended runs that may still go on (a retry, another agent of the graph), over all of one recorder."""

LEFT = "the program ended or closed the recorder before the agent finished"
UNANSWERED = "the agent's graph ended before all calls were answered"


class RunSink(Protocol):
    """Where a run is written: a journal beside the session, or the debugger's screen. ``token``: the journal's name."""

    token: str

    def append(self, line: Mapping[str, object]) -> None: ...
    def append_text(self, *lines: str) -> None: ...
    def events(self, events: Iterable[Event]) -> None: ...
    def close(self) -> None: ...


@dataclass(slots=True, eq=False)
class RunUnderWay:
    """One run. ``root`` is the object that stands for its outermost graph; the run keeps it, so that its id is not
    used again. ``agent``: who spoke last. ``line`` tells of its last ``error``. ``ending``: how it ended, if it may
    still go on. ``asked``: what it asks a person that it waits for. ``person``: one has answered, so that a changed
    call is that person's edit.

    ``rejects``: how many calls that person rejected of which the answer is still to come. ``rested``: when it began to
    wait for one.

    ``turns``: locks by enclosing call, so that the debugger is asked about one call at a time. ``own``: calls that the
    program makes itself, which no model asked for.
    """

    sink: RunSink
    head: dict[str, str]
    began: float
    root: object = None
    step: int = 0
    last: float = 0.0
    agent: str | None = None
    talks: list[Talk] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    error: BaseException | None = None
    line: str = ""
    ending: EndEvent | None = None
    ended: bool = False
    asked: list[str] = field(default_factory=list)
    person: bool = False
    rejects: int = 0
    rested: float = 0.0
    turns: dict[object, Turn] = field(default_factory=dict)
    own: Talk | None = None

    def at(self) -> float:
        """Seconds since the run began, without those that a person thought about it; never less than before."""
        self.last = max(self.last, round(time.perf_counter() - self.began, 6))
        return self.last

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Leave the time that a person thinks out of the run's."""
        self.at()
        began = time.perf_counter()
        try:
            yield
        finally:
            self.began += time.perf_counter() - began

    def turn(self) -> Turn:
        """Return the lock for the calls that are made inside the same call as this code."""
        around = inside_call.get()
        return self.turns.setdefault(around and (id(around[0]), around[1]), Turn())

    def around(self) -> int | None:
        """Return the step of the call that this code runs in, None outside one."""
        around = inside_call.get()
        if around is None or around[0].run is self:
            return around[0].open.get(around[1]) if around is not None else None
        return next((talk.open[around[1]] for talk in self.talks if around[1] in talk.open), None)


@dataclass(slots=True, eq=False)
class Talk:
    """One conversation of a run. ``open`` maps the ids of unanswered calls to their steps.

    ``waiting``: calls that are not steps yet, because the debugger is asked first. ``ending``: the conversation ends
    once all calls are answered. ``failed``: an error ended it, but it may be retried. ``changed``: the new part of what
    the model was given with its current call. ``nested``: it is part of a larger graph. ``inside``: the step of the
    call whose tool is this agent. ``place`` names the graph that it is in. ``calls``: those of the model's last message
    by their ids, ``sent`` these ids by the one that the model sent, which may be equal. ``taken``: calls that are under
    way or done. ``decided``: what the debugger decided about a call, for when the graph makes it again. ``let``: calls
    whose tools may run now.
    """

    run: RunUnderWay
    agent: str | None = None
    nested: bool = False
    place: str = ""
    calls: dict[str, PendingCall] = field(default_factory=dict)
    sent: dict[str, list[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    decided: dict[str, Verb] = field(default_factory=dict)
    let: set[str] = field(default_factory=set)
    open: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, PendingCall] = field(default_factory=dict)
    passed: dict[str, Obj | None] = field(default_factory=dict)
    direct: bool = False
    ending: bool = False
    notice: str = ""
    failed: bool = False
    failed_call: str = ""
    ended: bool = False
    keys: list[str] = field(default_factory=list)
    scope: str = ""
    inside: int | None = None
    given: GivenSoFar | None = None
    changed: Given | None = None

    def ids(self, sent: str) -> list[str]:
        """Return the ids of the calls that the model sent with the id ``sent``, in their order."""
        return self.sent.get(sent) or [sent]

    def waits_for(self, sent: str) -> bool:
        """Return whether a call with this id is not answered yet."""
        return any(one in self.open or one in self.waiting for one in self.ids(sent))

    def identity(self, sent: str, tool: str, arguments: Mapping[str, object]) -> str:
        """Return the id of the call that is carried out now. Of calls that were sent with one id it is the next with
        this tool and these arguments."""
        ids = self.ids(sent)
        if len(ids) > 1:
            free = [one for one in ids if one not in self.taken] or ids
            like = [one for one in free if self.calls[one].tool == tool] or free
            ids = [one for one in like if self.calls[one].arguments == arguments] or like
        self.taken.add(ids[0])
        return ids[0]


@frozen
class Speaker:
    """Who calls the model: ``agent`` is its name, ``root`` stands for the outermost graph, ``task`` for the graph's
    task (the same for a retry), ``scope`` keeps the conversations of callbacks apart, ``model`` is the model's name,
    ``answer`` what a person answered, if the graph goes on from an interrupt, ``place`` names the agent's graph."""

    model: str = "model"
    agent: str | None = None
    root: object = None
    nested: bool = False
    task: str = ""
    scope: str = ""
    answer: str = ""
    place: str = ""


inside_call: ContextVar[tuple[Talk, str, str] | None] = ContextVar("planscope_inside_call", default=None)
"""The conversation, the id and the tool of the call in which this code runs: a sub-agent's calls are made inside its
caller's."""


class Turn:
    """A lock that both threads and tasks wait for, in the order in which they came. A thread in which an event loop
    runs does not wait, since what it waits for may need that loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: deque[Future[None]] = deque()

    def _join(self) -> Future[None]:
        mine: Future[None] = Future()
        with self._lock:
            self._line.append(mine)
            if self._line[0] is mine:
                mine.set_result(None)
        return mine

    def _leave(self, mine: Future[None]) -> None:
        with self._lock:
            self._line.remove(mine)
            if self._line and not self._line[0].done():
                self._line[0].set_result(None)

    @asynccontextmanager
    async def taken(self, later: bool) -> AsyncIterator[None]:
        """Wait for one's turn: as a task or, without ``later``, as a thread."""
        mine = self._join()
        try:
            if later and not mine.done():
                await asyncio.shield(asyncio.wrap_future(mine))
            elif not (later or _in_a_loop()):
                mine.result()
            yield
        finally:
            self._leave(mine)


def _in_a_loop() -> bool:
    with suppress(RuntimeError):
        return bool(asyncio.get_running_loop())
    return False


_lock = threading.RLock()
"""Guards all runs of this process: two recorders on one file may share a run."""

_roots: dict[tuple[str, int], RunUnderWay] = {}
"""Runs by place and root, so that agents with a recorder each are one run."""


@frozen
class Owner:
    """Who runs the agent here, so that all conversations are one run, which it ends with :meth:`Conversations.close`.

    ``began``: when the run began, ``step``: how many steps it has from the one that it goes on with. ``prompted``: it
    has its prompt already. ``given`` makes of the prompt and its messages what notes how the next call of a model
    differs. ``explain`` tells of an error. ``tidy``: the agent is ours, so it may get the model's messages in a form
    that every provider takes, and each call takes its turn, also one that cannot be read.
    """

    began: float
    step: int = 0
    prompted: bool = False
    given: Callable[[PromptEvent, Sequence[BaseMessage]], GivenSoFar | None] = GivenSoFar
    explain: Callable[[BaseException, str], tuple[str, str]] = lambda error, where: explain(
        error, where=where
    )
    tidy: bool = False


class Conversations:
    """Finds the run and the conversation of each message, and writes its events.

    ``start`` opens a run's sink; its argument has model, agent and start. ``finished`` is called when a run ends.
    ``place`` names where runs go. ``deferred``: a call becomes a step only when it is made, so that the debugger can
    be asked before; it may change at any time, but for an ``owner``'s run. ``watch`` is called after each event.
    """

    def __init__(
        self,
        start: Callable[[dict[str, str]], RunSink],
        finished: Callable[[], object] = lambda: None,
        *,
        place: Callable[[], str] = str,
        owner: Owner | None = None,
    ) -> None:
        self._start, self._finished, self._place, self.owner = start, finished, place, owner
        self.deferred = owner is not None
        self._given = GivenSoFar if owner is None else owner.given
        self.watch: Callable[[RunUnderWay, Event], object] | None = None
        self._conversations: dict[str, Talk] = {}
        self._failed: OrderedDict[str, Talk] = OrderedDict()
        self._resting: OrderedDict[int, RunUnderWay] = OrderedDict()
        self._tools: dict[str, str] = {}
        self._mine: dict[int, RunUnderWay] = {}

    def close(self, ending: Ending = "aborted", reason: str | None = LEFT) -> None:
        """End all runs: finished conversations as they ended, others with ``ending``."""
        with _lock:
            for run in list(self._mine.values()):
                self._left(run, ending, reason)

    def _left(self, run: RunUnderWay, ending: Ending = "aborted", reason: str | None = LEFT) -> None:
        why = f"the agent {waits_for(run.asked)}" if run.asked and self.owner is None else reason
        mine = EndEvent(at=run.at(), ending=ending, reason=why)
        if self.owner is not None:
            ends = run.ending if run.ending is not None and ending == "stopped" else mine
            self.add(run, ends.model_copy(update={"at": mine.at}))
        elif run.ending is None and not (run.talks and all(talk.failed for talk in run.talks)):
            self.add(run, mine)
        self._finish(run)

    def runs(self) -> list[RunUnderWay]:
        """Return the runs that are under way."""
        with _lock:
            return list(self._mine.values())

    # What happens in a conversation

    def asked(
        self,
        messages: Sequence[BaseMessage],
        system: str | None,
        tools: Sequence[object],
        speaker: Speaker,
    ) -> Talk:
        """Return the conversation that a model call belongs to, or a new one if it is new or has ended."""
        with _lock:
            talk = self._talk_of(messages, speaker)
            if talk is None and speaker.task:
                talk = self._failed.get(speaker.task)
            if talk is None:
                talk = self._begin(messages, system, tools, speaker)
            self.goes_on(talk, speaker.root, speaker.answer)
            talk.direct = False  # the model is asked again, so no tool's answer was the agent's
            if talk.given is not None:
                talk.changed = talk.given.changed(system, tools, messages) or talk.changed
            talk.failed = False
            self._answered_in(talk, messages)
            self._note_tools(talk.run, tools)
            return talk

    def _talk_of(self, messages: Sequence[BaseMessage], speaker: Speaker) -> Talk | None:
        key = key_of(messages)
        for scope in dict.fromkeys((speaker.scope, "")):
            found = self._conversations.get(scope + key)
            if found is not None and (found.agent == speaker.agent or found.agent is None):
                return found
        return None

    def resumed(self, messages: Sequence[BaseMessage], speaker: Speaker) -> Talk | None:
        """Begin a run at a call whose conversation is not known: another program began it, and this one goes on."""
        last = last_answer(messages)
        if last is None or not last.tool_calls:
            return None
        before = [m for m in messages if m is not last and not isinstance(m, ToolMessage)]
        with _lock:
            talk = self._begin(before or [HumanMessage("")], None, (), speaker)
            self._answer_of_person(talk, speaker.answer)
            self.said(talk, talk.run.at(), speaker.scope, [last], None, False)
            return talk

    def talk_with(self, messages: Sequence[BaseMessage]) -> Talk | None:
        """Return the conversation whose last answer of the model is that of ``messages``."""
        with _lock:
            return self._conversations.get(key_of(messages))

    def goes_on(self, talk: Talk, root: object, answer: str) -> None:
        """Note that a conversation goes on, perhaps under another root. ``answer``: what a person answered."""
        run = talk.run
        with _lock:
            if self.owner is not None or run.ended or id(run) not in self._resting:
                return
            del self._resting[id(run)]
            run.ending = None
            run.began += time.perf_counter() - run.rested if run.asked else 0.0
            self._answer_of_person(talk, answer)
            run.asked.clear()
            if root is not None and root is not run.root:
                _roots.pop((self._place(), id(run.root)), None)
                run.root = root
                _roots[self._place(), id(root)] = run

    def _answer_of_person(self, talk: Talk, answer: str) -> None:
        if answer:
            talk.run.person = True
            talk.run.rejects = _rejects(answer)
            self._add(talk, self._mark(talk.run, "system", answered_by_person(answer)))

    def said(
        self,
        talk: Talk,
        began: float,
        scope: str,
        result: Sequence[BaseMessage],
        structured: object,
        forms: bool,
        before: Sequence[BaseMessage] = (),
    ) -> Sequence[BaseMessage]:
        """Record the model's answer, and return it as the agent is to get it. ``forms``: structured output was
        requested, so its calls are not tool calls. ``before``: the messages that the model was given."""
        taken = None
        if self.owner is not None and self.owner.tidy:
            taken = {m.id for m in before if m.id}, call_ids(before)
        with _lock:
            self._forget(talk)
            for known in (talk.calls, talk.sent, talk.taken, talk.decided):
                known.clear()
            answers = [m for m in result if isinstance(m, ToolMessage)]
            formed = {m.tool_call_id for m in answers} if forms else set()
            said = [m for m in result if isinstance(m, AIMessage)]
            for message in said:
                if (reason := ended_by_guard(message)) is not None:
                    self.end(talk, "call_limit", reason)
                    return result
            for place, message in enumerate(said):
                data = _data_of(structured) if structured is not None and place == len(said) - 1 else None
                tidy = self._message(talk, message, began, data, formed, taken)
                if taken is not None:
                    tidy.id = tidy.id or str(uuid4())  # as LangGraph does; the conversation is found by it
                    said[place] = tidy
            for answer in answers:
                if answer.tool_call_id in formed and structured is None:
                    line = one_line(text_of(answer))
                    self._add(
                        talk, ErrorEvent(at=talk.run.at(), kind="structured_output", text=plain_text(line))
                    )
            if structured is not None:
                talk.ending = True
            left = talk.open or talk.waiting
            calling = any(m.tool_calls for m in said) and not (talk.ending and not left)
            if calling:
                talk.scope = scope
                self._find_by(self._conversations, talk, scope + key_of(said))
            else:
                self.end(talk, "stopped")
            fresh = iter(said)
            return [next(fresh) if isinstance(m, AIMessage) else m for m in result]

    def changed_by_person(self, talk: Talk, identity: str, arguments: Obj) -> None:
        """Note the arguments that a call is really made with, if they are not those that the agent asked for."""
        with _lock:
            step, asked = talk.open.get(identity), talk.passed.get(identity)
            if step is not None and asked is not None and arguments != asked:
                talk.run.sink.append({"done_with": arguments, "step": step})
                talk.passed[identity] = arguments

    def called(self, talk: Talk, identity: str, arguments: Obj | None) -> int | None:
        """Make a waiting call a step. Return its number, or None if it is one already."""
        with _lock:
            pending = talk.waiting.pop(identity, None)
            if pending is None or talk.run.ended:
                return None
            asked = talk.passed.get(identity)
            changed = arguments is not None and arguments != asked
            if arguments is not None:
                talk.passed[identity] = arguments
                pending = replace(pending, arguments=arguments)
            self._step(talk, identity, pending, asked if changed else None)
            return talk.run.step

    def added(self, talk: Talk, identity: str, tool: str, arguments: Obj) -> None:
        """Let a call wait that the model did not ask for, but a middleware."""
        with _lock:
            talk.calls[identity] = talk.waiting[identity] = PendingCall(0, tool, arguments, identity)
            talk.passed[identity] = arguments

    def unread(self, talk: Talk) -> PendingCall | None:
        """Return the call whose turn it is, if it cannot be read."""
        with _lock:
            first = next(iter(talk.waiting.values()), None)
            return first if first is not None and first.error is not None else None

    def answered(
        self,
        talk: Talk | None,
        identity: str,
        answer: object,
        took: float,
        *,
        said: str | None = None,
        given_by: Literal["user", "record"] | None = None,
        rejected: bool = False,
    ) -> None:
        """Record the answer to a call. ``said``: the tool's own, if a person changed it. ``rejected``: by a person."""
        with _lock:
            if talk is None or talk.run.ended:
                return
            if identity in talk.waiting:  # another middleware answered in the tool's place
                self.called(talk, identity, None)
            step = talk.open.pop(identity, None)
            if step is None:
                return
            talk.passed.pop(identity, None)
            talk.failed = talk.failed and identity != talk.failed_call
            talk.run.error = None
            event = answer_event(answer, talk.run.at(), step, identity, took, said)
            if given_by is not None:
                event = event.model_copy(update={"given_by": given_by})
            if rejected:
                event = event.model_copy(update={"refused_by": "user"})
            self._add(talk, event)
            _, command = answer_parts(answer, identity)
            left = talk.open or talk.waiting
            if (command and command.get("graph")) or (talk.direct and not left):
                talk.ending = True
            if talk.ending and not left:
                self.end(talk, "stopped")

    def _answered_in(self, talk: Talk, messages: Sequence[object]) -> None:
        """Record the answers behind the model's last message. Of several to one id, each answers the next call."""
        behind: dict[str, list[ToolMessage]] = {}
        for message in reversed(messages):
            if isinstance(message, AIMessage):
                break
            if isinstance(message, ToolMessage):
                behind.setdefault(message.tool_call_id, []).append(message)
        for sent, answers in reversed(behind.items()):
            for identity, answer in zip(talk.ids(sent), reversed(answers), strict=False):
                rejected = talk.run.rejects > 0 and answer.status == "error" and talk.waits_for(identity)
                talk.run.rejects -= rejected
                self.answered(talk, identity, answer, 0.0, rejected=rejected)

    def of_program(
        self,
        tool: str,
        arguments: Mapping[str, object],
        sent: str | None,
        place: str,
        agent: str | None,
        run: RunUnderWay | None = None,
    ) -> tuple[Talk, str]:
        """Return the conversation and the id of a call that the program makes itself: it carries out a call of the
        model that nobody has carried out yet, or one that failed; else it is one that no model asked for. ``sent``: the
        model's id, if the program passes it on; ``place`` names the graph that it is made in. ``run``: if it is not
        the owner's only one.
        """
        with _lock:
            run = run or next(iter(self._mine.values()), None)
            talks = run.talks[::-1] if run is not None else []
            talks.sort(key=lambda talk: talk.place != place)
            for talk in talks if sent is not None else ():
                if talk.waits_for(sent or "") or sent in talk.sent:
                    return talk, talk.identity(sent or "", tool, arguments)
            asked = [
                (talk, identity, call)
                for talk in (talks if sent is None else ())
                for identity, call in talk.calls.items()
                if call.tool == tool and (identity in talk.waiting or identity in talk.open)
            ]
            for fits in (eq, _contained, lambda *_: True):
                for talk, identity, call in asked:
                    free = identity not in talk.taken or (talk.failed and fits is eq)
                    if free and fits(call.arguments, arguments):
                        talk.taken.add(identity)
                        return talk, identity
            if run is None:
                run = self._begin([], None, (), Speaker("its own", agent)).run
                run.talks.clear()
            if run.own is None:
                run.own = Talk(run, agent)
            identity = f"own_{uuid4().hex[:12]}"
            run.own.calls[identity] = made = PendingCall(0, tool, plain(dict(arguments)), identity)
            if self.deferred:
                run.own.waiting[identity] = made
            else:
                self._step(run.own, identity, made)
            return run.own, identity

    def failed(
        self, talk: Talk | None, error: BaseException, where: str, task: str = "", identity: str = ""
    ) -> None:
        """Record an exception of the model or a tool. The conversation ends here; if the agent retries, it goes on."""
        if talk is None:
            return
        run = talk.run
        with _lock:
            if isinstance(error, GraphBubbleUp):
                self._interrupted(talk, error)
                return
            again = where == "tool" and identity and identity == talk.failed_call and error is not run.error
            if run.ended or talk.ended or (talk.failed and not again):
                return
            line = self._error_in(run, error, where)
            talk.failed, talk.failed_call = True, identity
            if all(one.failed for one in run.talks) and self.owner is None:
                self.add(run, EndEvent(at=run.at(), ending="aborted", reason=line))
            self._find_by(self._failed, talk, task or f"{id(talk)}")
            while len(self._failed) > _WAITING:
                self.end(self._failed.popitem(last=False)[1], "aborted")

    def _error_in(self, run: RunUnderWay, error: BaseException, where: str) -> str:
        """Record an exception, once, though it may pass several agents. Return its line."""
        if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | GeneratorExit):
            return "stopped by the user"
        if run.error is not error:
            kind, line = self.owner.explain(error, where) if self.owner else explain(error, where=where)
            run.error, run.line = error, plain_text(line)
            self.add(run, ErrorEvent(at=run.at(), kind=kind, text=run.line))
        return run.line

    def _interrupted(self, talk: Talk, error: BaseException) -> None:
        """Record that the graph waits for a person. That is no failure: the run goes on when it is resumed."""
        if isinstance(error, GraphInterrupt) and not talk.run.ended:
            self._asks(talk.run, asked_by(error), talk)

    def asks_person(self, asked: Sequence[str]) -> bool:
        """Record what the owner's agent asks a person. Return False if no run has begun."""
        with _lock:
            for run in self._mine.values():
                self._asks(run, asked, run.talks[-1] if run.talks else None)
            return bool(self._mine)

    def person_answers(self, text: str) -> bool:
        """Record what a person answers the owner's agent. Return False if no run has begun."""
        with _lock:
            for run in self._mine.values():
                run.asked.clear()
                if run.talks:
                    self._answer_of_person(run.talks[-1], text)
                else:
                    run.person = True
                    self.add(run, self._mark(run, "system", answered_by_person(text)))
            return bool(self._mine)

    def _asks(self, run: RunUnderWay, asked: Sequence[str], talk: Talk | None = None) -> None:
        fresh = [text for text in asked if text not in run.asked]
        run.asked += fresh
        if fresh:
            mark = self._mark(run, "system", waits_for(fresh))
            self.add(run, mark) if talk is None else self._add(talk, mark)

    def end(self, talk: Talk, ending: Ending, reason: str | None = None) -> None:
        """End a conversation; with its last one the run ends, unless another agent of its graph may go on."""
        if talk.ended:
            return
        run = talk.run
        talk.ended = True
        self._forget(talk)
        run.talks.remove(talk)
        if any(not one.failed for one in run.talks):
            return
        for other in run.talks:
            other.ended = True
            self._forget(other)
        run.talks.clear()
        notice = talk.notice if ending == "stopped" else ""
        run.ending = EndEvent(at=run.at(), ending=ending, reason=reason or notice or None)
        if self.owner is not None:
            return
        if not talk.failed:
            self.add(run, run.ending)
        if talk.nested and ending == "stopped":
            self._rest(run)
        else:
            self._finish(run)

    def last_answers(self, run: RunUnderWay, messages: Sequence[object]) -> None:
        """Record answers that a graph ended with: a middleware may have given them, and none has asked the model again.

        ``messages``: those of the graph's last state.
        """
        with _lock:
            last = next((i for i, m in enumerate(messages[::-1]) if getattr(m, "tool_calls", None)), None)
            said = [m for m in messages[len(messages) - last :] if isinstance(m, ToolMessage)] if last else []
            for talk in list(run.talks):
                self._answered_in(talk, said)

    @contextmanager
    def calling(
        self, talk: Talk | None, identity: str, tool: str, attempt: Callable[..., object]
    ) -> Iterator[Callable[..., object]]:
        """Around the call of a tool: what it calls is inside of it, and its error is recorded. Yields what hears the
        answer. ``attempt`` calls a function and never raises."""
        began, token = time.perf_counter(), inside_call.set(None if talk is None else (talk, identity, tool))
        try:
            yield lambda answer, **said: attempt(
                lambda: self.answered(talk, identity, answer, time.perf_counter() - began, **said)
            )
        except BaseException as error:
            attempt(self.failed, talk, error, "tool", "", identity)
            raise
        finally:
            inside_call.reset(token)

    def stopped(self, talk: Talk) -> None:
        """End the run that a person stopped at a call. An owner ends its run itself."""
        with _lock:
            if self.owner is None and not talk.run.ended:
                self.add(talk.run, EndEvent(at=talk.run.at(), ending="aborted", reason="stopped by the user"))
                self._finish(talk.run)

    def end_run(self, run: RunUnderWay, error: BaseException | None = None) -> None:
        """End a run whose outermost graph has ended."""
        with _lock:
            if run.ended:
                return
            told = self.owner is None and run.talks and all(talk.failed for talk in run.talks)
            if error is not None and not told:
                line = self._error_in(run, error, "agent")
                self.add(run, EndEvent(at=run.at(), ending="aborted", reason=line))
            elif error is None and run.ending is None:
                self.add(run, EndEvent(at=run.at(), ending="stopped"))
            self._finish(run)

    def rest(self, run: RunUnderWay, asked: Sequence[str]) -> None:
        """Note that a run's outermost graph has ended before it made all calls: it waits for a person, or a middleware
        has stopped it. It may go on later."""
        with _lock:
            if run.ended:
                return
            if asked:
                self._asks(run, asked, run.talks[-1] if run.talks else None)
            elif run.ending is None:
                run.ending = EndEvent(at=run.at(), ending="aborted", reason=UNANSWERED)
                self.add(run, run.ending)
            for talk in run.talks:
                for key in [k for k in talk.keys if self._conversations.get(k) is talk]:
                    self._find_by(self._conversations, talk, key.removeprefix(talk.scope))
            self._rest(run)

    def _rest(self, run: RunUnderWay) -> None:
        run.rested = time.perf_counter()
        self._resting[id(run)] = run
        while len(self._resting) > _WAITING:
            self._left(self._resting.popitem(last=False)[1])

    # Runs

    def _begin(
        self,
        messages: Sequence[BaseMessage],
        system: str | None,
        tools: Sequence[object],
        speaker: Speaker,
    ) -> Talk:
        rest = [m for m in messages if not isinstance(m, SystemMessage)]
        run = self._known(speaker.root)
        if run is not None:
            return self._joined(run, speaker)
        run = self._opened(speaker)
        asked = next((m for m in reversed(messages) if isinstance(m, HumanMessage)), None)
        prompt = PromptEvent(
            text=plain_text(text_of(asked)) if asked is not None else "",
            system=None if system is None else plain_text(system),
            tools=seen_tools(tools),
            messages=None if rest == [asked] else seen_messages(rest),
        )
        if self.owner is None or not self.owner.prompted:
            self.add(run, prompt)
        talk = Talk(run, speaker.agent, speaker.nested, speaker.place, given=self._given(prompt, rest))
        run.talks.append(talk)
        run.agent = speaker.agent
        return talk

    def _known(self, root: object) -> RunUnderWay | None:
        if self.owner is not None:
            return next(iter(self._mine.values()), None)
        found = _roots.get((self._place(), id(root))) if root is not None else None
        return None if found is None or found.ended else found

    def _joined(self, run: RunUnderWay, speaker: Speaker) -> Talk:
        """Add a conversation to a run. If no other one is going on, its agent was handed over to."""
        self._resting.pop(id(run), None)
        run.ending = None
        handed = speaker.agent != run.agent and not any(not one.failed for one in run.talks)
        first = self._given(PromptEvent(text=""), ())
        talk = Talk(run, speaker.agent, speaker.nested, speaker.place, given=first)
        talk.inside = run.around()
        run.talks.append(talk)
        if handed and speaker.agent:
            self._add(talk, self._mark(run, "handoff", plain_text(speaker.agent)))
        return talk

    def _opened(self, speaker: Speaker) -> RunUnderWay:
        began, step = (time.perf_counter(), 0) if self.owner is None else (self.owner.began, self.owner.step)
        head = {
            "agent": speaker.agent or "own",
            "model": plain_text(speaker.model)[:200],
            "started": datetime.now(UTC).isoformat(),
        }
        run = RunUnderWay(self._start(head), head, began, speaker.root, step)
        self._mine[id(run)] = run
        if speaker.root is not None:
            _roots[self._place(), id(speaker.root)] = run
        return run

    def _finish(self, run: RunUnderWay) -> None:
        if run.ended:
            return
        run.ended = True
        for talk in run.talks:
            talk.ended = True
            self._forget(talk)
        for key in [key for key, found in _roots.items() if found is run]:
            del _roots[key]
        self._resting.pop(id(run), None)
        self._mine.pop(id(run), None)
        run.sink.close()
        self._finished()

    def add(self, run: RunUnderWay, *events: Event) -> None:
        """Write events of a run."""
        if run.ended:
            return
        run.sink.events(events)
        if self.watch is not None:
            for event in events:
                self.watch(run, event)

    def _add(self, talk: Talk, *events: Event) -> None:
        if talk.agent is not None:
            said = plain_text(talk.agent)[:200]
            events = tuple(_by(event, said) for event in events)
            talk.run.agent = talk.agent
        self.add(talk.run, *events)

    @staticmethod
    def _mark(run: RunUnderWay, by: Literal["system", "handoff"], text: str) -> MessageEvent:
        return MessageEvent(at=run.at(), by=by, text=text)

    def _note_tools(self, run: RunUnderWay, tools: Sequence[object]) -> None:
        """Record names, descriptions and schemas of the real tools, as the model sees them."""
        for tool in tools:
            said = tool.get("function", tool) if isinstance(tool, dict) else tool
            name = said.get("name") if isinstance(said, dict) else getattr(said, "name", None)
            if isinstance(name, str) and name not in run.known and is_tool_name(name):
                run.known.add(name)
                if name not in self._tools:
                    self._tools[name] = json.dumps({"tool": seen_tool(name, tool, said).model_dump()})
                run.sink.append_text(self._tools[name])

    def _message(
        self,
        talk: Talk,
        message: AIMessage,
        began: float,
        structured: object,
        formed: set[str],
        taken: tuple[set[str], set[str]] | None,
    ) -> AIMessage:
        """Record the message and its calls, in order; deferred ones become steps when they are made. Return it as it
        can be sent again. ``taken``: the ids of messages and of calls that it may not have, if the agent gets it so."""
        tidy, found = taken_apart(message, taken)
        calls = {one.call_id or "": one for one in found if one.call_id not in formed}
        event = message_event(message, tidy, talk.run.at(), began, talk.changed)
        talk.changed = None
        if structured is None and formed:
            structured = next((plain(c["args"]) for c in message.tool_calls if c["id"] in formed), None)
        if structured is not None:
            event = event.model_copy(update={"structured": structured})
        talk.notice = notice_of(event.refusal, event.finish)
        talk.direct = bool(calls)
        self._add(talk, event)
        for identity, call in calls.items():
            talk.calls[identity] = call
            talk.sent.setdefault(call.sent_as, []).append(identity)
            if call.error is None:
                talk.passed[identity] = dict(call.arguments)
            if self.deferred and (call.error is None or taken is not None):
                talk.waiting[identity] = call
            else:
                self._step(talk, identity, call)
        return tidy

    def _step(self, talk: Talk, identity: str, call: PendingCall, asked: Obj | None = None) -> None:
        talk.run.step += 1
        talk.open[identity] = step = talk.run.step
        event = call_event(call, talk.run.at(), step, asked)
        if talk is talk.run.own:
            event = event.model_copy(update={"by": "program", "inside": talk.run.around()})
        elif talk.inside:
            event = event.model_copy(update={"inside": talk.inside})
        self._add(talk, event)

    def _find_by(self, known: dict[str, Talk], talk: Talk, key: str) -> None:
        known[key] = talk
        talk.keys.append(key)

    def _forget(self, talk: Talk) -> None:
        for known in (self._conversations, self._failed):
            for key in talk.keys:
                if known.get(key) is talk:
                    del known[key]
        talk.keys.clear()


def _contained(asked: Mapping[str, object], made: Mapping[str, object]) -> bool:
    """Return whether a program makes a call with the model's arguments and others of its own."""
    return all(key in made and made[key] == value for key, value in asked.items())


def _rejects(answer: str) -> int:
    """Return how many calls a person rejected with an answer to LangChain's ``HumanInTheLoopMiddleware``."""
    try:
        said = json.loads(answer)
    except (ValueError, RecursionError):
        return 0
    answers = [said, *said.values()] if isinstance(said, dict) else []
    found = [a.get("decisions") for a in answers if isinstance(a, dict)]
    decisions = [one for many in found if isinstance(many, list) for one in many] or answers[:1]
    return sum(isinstance(one, dict) and one.get("type") == "reject" for one in decisions)


def _by(event: Event, agent: str) -> Event:
    """Return the event with its agent's name, if it can have one."""
    if isinstance(event, PromptEvent | AnswerEvent | ErrorEvent | EndEvent):
        return event
    return event.model_copy(update={"agent": agent})


def waits_for(asked: Sequence[str]) -> str:
    """Say what an interrupted agent asks a person."""
    return ": ".join([WAITS_FOR, *["; ".join(filter(None, asked))]]).removesuffix(": ")


ANSWERED_BY_PERSON = "a person answered: "


def answered_by_person(answer: str) -> str:
    """Say what a person answered an interrupted agent."""
    return f"{ANSWERED_BY_PERSON}{answer}"


def key_of(messages: Sequence[BaseMessage]) -> str:
    """Return the key of a conversation: the id of the model's last message."""
    last = last_answer(messages)
    return "" if last is None else last.id or "".join(c["id"] or "" for c in last.tool_calls)


def _data_of(structured: object) -> object:
    """Return a structured answer as JSON."""
    if hasattr(structured, "model_dump"):
        return plain(structured.model_dump(mode="json"))
    if dataclasses.is_dataclass(structured) and not isinstance(structured, type):
        return plain(dataclasses.asdict(structured))
    return plain(structured)
