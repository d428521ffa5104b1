"""Runs a user's agent again on recorded answers: a call that the record answers reaches no tool.

The next call must equal the next recorded one, by tool and arguments; calls of one message may come in any order. It
gets the recorded answer, and an error is raised again. What tools do inside (a sub-agent's calls) is part of their
answer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.graph.state import CompiledStateGraph

from planscope.agents.both_ways import BothWays, ModelHandler, Response
from planscope.agents.conversations import ANSWERED_BY_PERSON, waits_for
from planscope.agents.gate import Answer, GoOn, PendingCall, Question, Raise, Stop, StoppedAtGate, Verb
from planscope.session.json_bytes import Obj, plain_text
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    MessageEvent,
    PromptEvent,
    Run,
    SeenMessage,
)
from planscope.session.record import WAITS_FOR
from planscope.wording import phrases

if TYPE_CHECKING:
    from langchain.agents.middleware import ModelRequest
    from langchain_core.runnables import RunnableConfig

    from planscope.agents.interrupts import Asked

Unmatched = Literal["stop", "ask", "call"]


@dataclass(slots=True)
class _Recorded:
    """A recorded call. ``group``: the message that it is part of. ``used``: it was answered again."""

    call: CallEvent
    group: int
    answer: AnswerEvent | None = None
    error: str = ""
    used: bool = False

    @property
    def why_not(self) -> str:
        """Why the record cannot answer the call, or "" if it can."""
        if self.error and self.answer is None:
            return ""
        if self.answer is None or self.answer.captured is False:
            return "the record has no answer to it"
        if self.answer.to_graph is not None:
            lost = self.answer.to_graph.get("lost")
            if lost != []:
                said = phrases.listed([str(one) for one in lost]) if isinstance(lost, list) else "all parts"
                return f"its recorded answer was a command to the graph, of which the record does not hold {said}"
        return ""

    @property
    def verb(self) -> Verb:
        """The answer again."""
        answer = self.answer
        if answer is None:
            return Raise(self.error)
        return Answer(
            answer.text, answer.status, "record", answer.artifact, answer.to_graph, returned=answer.returned
        )


class RecordedAnswers:
    """A gate that answers calls from a recorded run.

    ``unmatched``: what happens at a call that the record does not answer: the run stops there, the tool is called, or
    ``ask`` decides (``ask_person``, if an interrupted graph asks a person what none answered in the record).
    ``loose``: a call may equal any recorded one that was not used yet, not only the next. ``ignore``: names of
    arguments, at any depth, that may differ.
    """

    def __init__(
        self,
        run: Run,
        *,
        unmatched: Unmatched = "stop",
        loose: bool = False,
        ignore: Collection[str] = (),
        ask: Callable[[PendingCall, str], Verb] | None = None,
        ask_person: Callable[[Question], Verb] | None = None,
    ) -> None:
        self._left = _calls_in(run)
        self._unmatched, self._loose, self._ignore = unmatched, loose, frozenset(ignore)
        self._ask, self._ask_person = ask, ask_person
        self._persons = _answers_of_persons(run)
        self.closed = True
        """No tool may be called that does not pass the gate."""
        self.answered = 0
        """How many calls the record has answered."""

    async def ask(self, call: PendingCall, later: bool) -> Verb:
        """Return the recorded answer to a call, or what to do without one. A person is asked in a thread."""
        found, why = self.find(call)
        if found is not None:
            return found
        if self._unmatched == "call":
            return GoOn()
        if self._unmatched == "ask" and self._ask is not None:
            return await asyncio.to_thread(self._ask, call, why) if later else self._ask(call, why)
        return Stop(f"the rerun stopped before step {call.step}, {_said(call.tool, call.arguments)}: {why}")

    async def person(self, asked: Asked, wrong: str) -> Sequence[object]:
        """Return what a person answered an interrupted graph in the record; else stop, or ask as for a call.

        Raises :class:`StoppedAtGate`.
        """
        from planscope.agents.interrupts import NOT_RECORDED, by_verbs, questions_in, recorded

        said = self._person_said(questions_in(asked)) if not wrong else None
        if said is not None and (values := recorded(asked, said)) is not None:
            return values
        why = f"the agent {waits_for(questions_in(asked))}"
        if self._unmatched == "stop" or self._ask_person is None:
            raise StoppedAtGate(f"the rerun stopped, since {why}; {wrong or NOT_RECORDED}")
        ask = self._ask_person
        return await by_verbs(lambda question: asyncio.to_thread(ask, question))(asked, wrong)

    def _person_said(self, questions: Sequence[str]) -> str | None:
        """Return what a person answered these questions. Those of tools that the record answers are not asked again."""
        for place, (asked, said) in enumerate(self._persons):
            if asked == _asked(questions):
                del self._persons[: place + 1]
                return said
        return None

    def find(self, call: PendingCall) -> tuple[Verb | None, str]:
        """Return the recorded answer to a call, or why there is none."""
        waiting = [one for one in self._left if not one.used]
        if not waiting:
            return None, "the record has no more calls"
        offered = waiting if self._loose else [one for one in waiting if one.group == waiting[0].group]
        wanted = self._key(call.tool, call.arguments)
        for one in offered:
            known = [one.call.arguments] if one.call.asked is None else [one.call.asked, one.call.arguments]
            if all(self._key(one.call.tool, arguments) != wanted for arguments in known):
                continue
            one.used = True
            if one.why_not:
                return None, one.why_not
            self.answered += 1
            return one.verb, ""
        first = offered[0].call
        return None, f"the record goes on with {_said(first.tool, first.arguments or {})}"

    def _key(self, tool: str, arguments: Mapping[str, object] | None) -> str:
        return f"{tool} {json.dumps(self._canonical(arguments), sort_keys=True)}"

    def _canonical(self, value: object) -> object:
        """Return JSON in one form: 1.0 is 1, and ignored names are left out."""
        if isinstance(value, Mapping):
            return {k: self._canonical(v) for k, v in value.items() if k not in self._ignore}
        if isinstance(value, list | tuple):
            return [self._canonical(one) for one in value]
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return value


def _calls_in(run: Run) -> list[_Recorded]:
    """Return the calls of the outermost agents: those made inside another agent's call are part of its answer."""
    found: list[_Recorded] = []
    by_step: dict[int, _Recorded] = {}
    open_calls: dict[int, str | None] = {}
    group = 0
    last: _Recorded | None = None
    for event in run.events:
        if isinstance(event, MessageEvent):
            group += event.by is None and not _inside(open_calls, event.agent)
        elif isinstance(event, CallEvent):
            inside = event.inside in open_calls or _inside(open_calls, event.agent)
            open_calls[event.step] = event.agent
            if event.error is None and not inside:
                one = last = by_step[event.step] = _Recorded(event, group)
                found.append(one)
        elif isinstance(event, AnswerEvent):
            open_calls.pop(event.step, None)
            if event.step in by_step:
                by_step[event.step].answer = event
        elif (
            isinstance(event, ErrorEvent)
            and event.kind == "tool"
            and last is not None
            and last.answer is None
        ):
            last.error = _raised(event.text)
            open_calls.pop(last.call.step, None)
        elif isinstance(event, EndEvent):
            open_calls.clear()
    return found


def _answers_of_persons(run: Run) -> list[tuple[list[str], str]]:
    """Return what the interrupted agent asked a person, each time with the answer."""
    found, asked = list[tuple[list[str], str]](), list[str]()
    for event in run.events:
        text = event.text if isinstance(event, MessageEvent) and event.by == "system" else ""
        if text.startswith(WAITS_FOR):
            asked.append(text.removeprefix(WAITS_FOR).removeprefix(": "))
        elif text.startswith(ANSWERED_BY_PERSON):
            found.append((_asked(asked), text.removeprefix(ANSWERED_BY_PERSON)))
            asked.clear()
    return found


def _asked(questions: Sequence[str]) -> list[str]:
    """Return questions to compare: those of calls made at once come in any order, on one line or on several."""
    return sorted("; ".join(filter(None, questions)).split("; "))


def _inside(open_calls: Mapping[int, str | None], agent: str | None) -> bool:
    return any(other != agent for other in open_calls.values())


def _raised(text: str) -> str:
    """Return the words of an error that a tool raised."""
    return plain_text(text.removeprefix("the tool crashed (").removesuffix(")")) or "the tool failed"


def _said(tool: str, arguments: Mapping[str, object]) -> str:
    return phrases.call(tool, arguments, named=True)


def changed_agent(system: str | None, chat: object) -> list[object]:
    """Return a middleware, for a factory, that gives the agent another system prompt and another chat model."""

    changes: dict[str, Any] = {}
    if system is not None:
        changes["system_message"] = SystemMessage(system)
    if chat is not None:
        changes["model"] = chat

    class Changed(BothWays):
        async def around_model(self, request: ModelRequest, handler: ModelHandler, later: bool) -> Response:
            return await super().around_model(request.override(**changes), handler, later)

    return [Changed()] if changes else []


def first_input(run: Run) -> str | Mapping[str, object]:
    """Return what a recorded run was asked: its prompt as text, the messages that it began with, or its graph's whole
    input."""

    prompt = next((e for e in run.events if isinstance(e, PromptEvent)), None)
    if prompt is None:
        return ""
    if run.state is not None and "messages" not in run.state:
        return dict(run.state)
    if prompt.messages is None and run.state is None:
        return prompt.text
    kinds = {"user": HumanMessage, "assistant": AIMessage}
    seen = prompt.messages or [SeenMessage(role="user", text=prompt.text)]
    messages = [kinds[m.role](m.text) for m in seen if m.role in kinds and not m.calls]
    return {**(run.state or {}), "messages": messages}


# The state that a fork goes on with


def not_captured(keys: Sequence[str] | None) -> str:
    """Say what a fork does not have of the run before it. ``keys``: of the state; None if its keys are not known."""
    state = "other state, " if keys is None else f"the state's {', '.join(keys)}; " if keys else ""
    return plain_text(f"not captured: {state}files, clock, random numbers; what tools did stays done")


async def state_kept(agent: object, kept: Sequence[Event], of: Run | None) -> tuple[Obj, list[str] | None]:
    """Return the state that an agent had after the events ``kept`` of the run ``of``, without its messages, and the
    keys at which it may differ; None if they are not known.

    It is the checkpointer's, if it still has the run; else the run's input and the recorded updates of its tools.
    """

    if not isinstance(agent, CompiledStateGraph):
        return {}, None
    schema = agent.builder.schemas.get(agent.builder.input_schema)
    if schema is None:
        return {}, None
    takes = [key for key in schema if key != "messages"]
    found = await _checkpoint(agent, of.thread, kept) if of is not None and of.thread else None
    lost = set[str]()
    if found is None:
        found = dict((of.state if of is not None else None) or {})
        for event in kept:
            command = event.to_graph if isinstance(event, AnswerEvent) else None
            update, gone = (command or {}).get("update"), (command or {}).get("lost") or ()
            for key, value in update.items() if isinstance(update, dict) else ():
                lost |= {key} if any(repr(key) in str(one) for one in gone) else set()
                join = getattr(agent.channels.get(key), "operator", None)
                found[key] = join(found[key], value) if join is not None and key in found else value
        lost |= {key for key in takes if key not in found}
    private = ("messages", "jump_to", "structured_response")
    lost |= {key for key in found if key not in schema and key not in private}
    return {k: v for k, v in found.items() if k in takes and k not in lost}, sorted(lost)


async def _checkpoint(agent: CompiledStateGraph[Any], thread: str, kept: Sequence[Event]) -> Obj | None:
    """Return the values of the first checkpoint that has all kept answers, or None."""
    outer = {e.step for e in kept if isinstance(e, CallEvent) and e.inside is None and e.by is None}
    answers = sum(isinstance(e, AnswerEvent) and e.step in outer for e in kept)
    thread_of: RunnableConfig = {"configurable": {"thread_id": thread}}
    try:
        states = [one async for one in agent.aget_state_history(thread_of)]
    except NotImplementedError:  # the checkpointer is only synchronous
        states = await asyncio.to_thread(lambda: list(agent.get_state_history(thread_of)))
    except ValueError:  # there is no checkpointer
        return None
    known = [one.values for one in reversed(states) if one.values.get("messages")]
    return next((one for one in known if sum(m.type == "tool" for m in one["messages"]) >= answers), None)
