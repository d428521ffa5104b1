"""Groups a run's events by call: what the model said before each call, the call, and its answer.

This is the only place that groups events into steps. A record grows event by event, so that a live run is never read
twice. Every string in a record is untrusted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from planscope.frozen import frozen
from planscope.oracle.trace import Cause, LeftOut, ToolCall
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    ForkPoint,
    MessageEvent,
    PromptEvent,
    Run,
)
from planscope.wording.phrases import plural

_EARLY = {
    "length": "the answer was cut off: the limit of its length was reached",
    "content_filter": "the answer was cut off by the provider's content filter",
}


def notice_of(refusal: str | None, finish: str | None) -> str:
    """Return one line that says that the model refused or why its answer ended early; empty for a whole answer."""
    if refusal:
        return f"the model refused: {' '.join(refusal.split())}"
    return _EARLY.get(finish or "", f"the answer ended early: {finish}" if finish else "")


def words_of(text: str, refusal: str | None, finish: str | None, structured: Any) -> str:
    """Return an answer as text: the model's words, the answer as data, and a notice; "" if there is none of these."""
    notice = notice_of(refusal, finish)
    form = "" if structured is None else f"structured answer: {json.dumps(structured, ensure_ascii=False)}"
    said = text.strip()
    return "\n".join(part for part in (said, form, f"({notice})" if notice else "") if part)


def words_said(messages: Iterable[MessageEvent]) -> str:
    """Return what these messages say, each below the one before, with the speaker's name if it is not the model."""
    told = ((one.by, words_of(one.text, one.refusal, one.finish, one.structured)) for one in messages)
    return "\n".join(f"{SPEAKERS[by]}: {said}" if by else said for by, said in told if said)


def by_speaker(messages: Sequence[MessageEvent], words: str) -> tuple[list[tuple[str, str]], str]:
    """Return the turns up to the last one that is not the model's, each with its speaker, and what the model says after
    them. ``words``: all that these messages say, which is returned where the model alone speaks."""
    last = max((k for k, one in enumerate(messages, 1) if one.by is not None and one.text.strip()), default=0)
    told = (
        (SPEAKERS.get(one.by or "", MODEL), words_of(one.text, one.refusal, one.finish, one.structured))
        for one in messages[:last]
    )
    return [turn for turn in told if turn[1]], words_said(messages[last:]) if last else words


BY_HAND = "by hand"

SPEAKERS = {"user": "user", "system": "system", "compacted": "history compacted", "handoff": "handed over"}
MODEL = "model"
"""The names of speakers, to show before their words."""


@frozen
class Help:
    """How a run was helped: calls that the guard or a person blocked, and arguments and answers that a person
    changed.

    A run that was helped says less about its agent. So verdicts mention the help, and rates count such runs separately.
    Events that a fork kept count too, since the agent continues from them.
    """

    refused_by_guard: int = 0
    refused_by_user: int = 0
    arguments_edited: int = 0
    answers_edited: int = 0

    def __bool__(self) -> bool:
        return bool(
            self.refused_by_guard + self.refused_by_user + self.arguments_edited + self.answers_edited
        )

    @property
    def text(self) -> str:
        """The help in words: ``1 call refused, 2 answers edited by hand``; empty without help."""
        counts = (
            (self.refused_by_guard, "call", "refused"),
            (self.refused_by_user, "call", f"refused {BY_HAND}"),
            (self.arguments_edited, "call", f"edited {BY_HAND}"),
            (self.answers_edited, "answer", f"edited {BY_HAND}"),
        )
        return ", ".join(f"{plural(n, what)} {done}" for n, what, done in counts if n)

    @property
    def note(self) -> str:
        """The text after a verdict, for example ``, helped: 1 call refused``; empty without help."""
        return f", helped: {self.text}" if self else ""

    def agent(self, name: str) -> str:
        """The agent's name, and the guard if it refused a call: ``tools + guard``."""
        return f"{name} + guard" if self.refused_by_guard else name


NO_HELP = Help()


WAITS_FOR = "waits for a person"
"""The beginning of what an interrupted agent's record says."""

BROKEN_OFF = "the record breaks off here"
STOPPED = "stopped by"
"""The beginning of the reason of a run that a person ended."""
_CAUSES: Mapping[str, Cause] = {
    "connection": "network",
    "network_timeout": "network",
    "tool": "tool",
    "agent": "tool",
}
"""What errors of these kinds are errors of; others are of the model."""


class RecordedCall(NamedTuple):
    """One step. ``thought`` is what the model said since the previous step. ``arguments`` is None if unreadable.

    ``asked`` and ``said``: arguments and answer before the user edited them. ``refused_by``: guard or user.
    ``number``: the step's number in the file. ``troubles``: errors of model, network or tool code after the call.
    ``messages``: the model's messages since the previous step; a message with several calls is with the first of them.
    ``answered``: the event of the tool's last answer. ``agent``: who made the call, "" for the run's main agent.
    ``inside``: the number of the call inside which a sub-agent made this one, 0 if none. ``at``: seconds since the run
    began, unless the trace does not say it (``timed``). ``message``: in imported runs, the number of the message that
    made the call.
    """

    number: int
    tool: str
    arguments: Mapping[str, Any] | None
    raw: str = ""
    error: str = ""
    thought: str = ""
    answer: str | None = None
    failed: bool = False
    asked: Mapping[str, Any] | None = None
    said: str | None = None
    refused_by: str = ""
    kept: bool = False
    troubles: tuple[str, ...] = ()
    messages: tuple[MessageEvent, ...] = ()
    answered: AnswerEvent | None = None
    agent: str = ""
    at: float = 0.0
    message: int | None = None
    inside: int = 0
    timed: bool = True


class Cost(NamedTuple):
    """What a run took. Events that a fork kept from another run do not count.

    ``input_tokens`` and ``output_tokens`` are None if the provider counted none. ``model_seconds`` were spent waiting
    for the model. ``begins`` and ``ends`` are seconds since the run began. ``imported``: of a run that another program
    recorded, which may lack its times.
    """

    model_calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    model_seconds: float = 0.0
    begins: float = 0.0
    ends: float = 0.0
    imported: bool = False

    @property
    def known_seconds(self) -> float | None:
        """The same as ``seconds``; None if they were not recorded."""
        return None if self.imported and not self.ends else self.seconds

    @property
    def known_model_seconds(self) -> float | None:
        """The same as ``model_seconds``; None if they were not recorded."""
        return None if self.imported and not self.model_seconds else self.model_seconds

    @property
    def seconds(self) -> float:
        """The seconds that the run took, from its first event to its last. Events that a fork kept do not count."""
        return round(max(self.ends - self.begins, 0.0), 6)


class RunRecord(NamedTuple):
    """One run. A record without an end counts as aborted, unless the run is ``under_way``.

    ``last_words``: what the model said after the last call. ``troubles``: errors before the first call. ``kept``: the
    number of calls from the run that was forked. ``pending``: the last call is paused and not executed yet.
    ``prompt``: what the model was given at first. ``last_messages``: the model's messages after the last call.
    ``cause``: what ended an aborted run. ``expected``: the calls of an imported run's gold plan.
    """

    id: str
    variant: str
    agent: str
    model: str
    calls: tuple[RecordedCall, ...] = ()
    ending: str = "aborted"
    reason: str = BROKEN_OFF
    last_words: str = ""
    forked_from: ForkPoint | None = None
    kept: int = 0
    under_way: bool = False
    pending: bool = False
    cost: Cost = Cost()
    troubles: tuple[str, ...] = ()
    prompt: PromptEvent | None = None
    last_messages: tuple[MessageEvent, ...] = ()
    cause: Cause | None = "cut_off"
    reward: float | None = None
    left_out: tuple[LeftOut, ...] = ()
    expected: tuple[ToolCall, ...] = ()

    @property
    def help(self) -> Help:
        """The help that the run has had so far."""
        return Help(
            sum(call.refused_by == "guard" for call in self.calls),
            sum(call.refused_by == "user" for call in self.calls),
            sum(call.asked is not None for call in self.calls),
            sum(call.said is not None for call in self.calls),
        )

    def turns(self, index: int) -> list[tuple[str, str]]:
        """Return the turns before the call of a step (from 1) or after the last call, as :func:`by_speaker`."""
        if not 0 < index <= len(self.calls) + 1:
            return []
        messages = self.calls[index - 1].messages if index <= len(self.calls) else self.last_messages
        return by_speaker(messages, "")[0]

    @property
    def unanswered(self) -> int | None:
        """The step of the last call if the run was cut short before its answer. That call may or may not have been
        done."""
        last = self.calls[-1] if self.calls and self.ending == "aborted" else None
        return len(self.calls) if last is not None and last.answer is None and not last.error else None

    @property
    def helped_agent(self) -> str:
        """The agent's name, and the guard if it refused a call: ``tools + guard``."""
        return self.help.agent(self.agent)

    @property
    def waits_for(self) -> str:
        """What the run that is under way asks a person and waits for, as its record says; "" if it does not."""
        last = self.last_messages[-1] if self.under_way and self.last_messages else None
        said = last.text if last is not None and last.by == "system" else ""
        return said if said.startswith(WAITS_FOR) else ""

    @property
    def simulated(self) -> bool:
        return self.model.casefold().startswith(("sim:", "simulated"))


def record_of(run: Run, *, under_way: bool = False) -> RunRecord:
    """Make a run's record. ``under_way``: the run has not ended yet."""
    record = RunRecord(
        run.id,
        run.variant,
        run.agent,
        run.model,
        forked_from=run.forked_from,
        reward=run.reward,
        left_out=tuple(LeftOut(one.kind, one.reason, one.path, one.count) for one in run.left_out or ()),
        expected=tuple(ToolCall(one.tool, one.arguments) for one in run.expected or ()),
    )
    if under_way:
        record = record._replace(under_way=True, ending="running", reason="", cause=None)
    gathered = _Gathered(record)
    for event in run.events:
        gathered.take(event)
    return gathered.record()


def help_of(run: Run) -> Help:
    """Return the help that a recorded run had."""
    return record_of(run).help


def cost_of(run: Run) -> Cost:
    """Return what a recorded run took."""
    return record_of(run).cost


def with_event(record: RunRecord, event: Event) -> RunRecord:
    """Return the record with one more event."""
    gathered = _Gathered(record)
    gathered.take(event)
    return gathered.record()


def _of_a_trace(event: Event) -> bool:
    """Return whether an event was imported from another program's trace."""
    if isinstance(event, PromptEvent):
        return event.number is not None or event.timed is not None
    return isinstance(event, CallEvent) and event.message is not None


class _Gathered:
    def __init__(self, record: RunRecord) -> None:
        self.before = record
        self.calls = list(record.calls)
        self.words = [record.last_words] if record.last_words else []
        self.cost = record.cost
        self.kept = record.kept
        self.troubles: list[str] = []
        """Those since the last call; put where they belong at the next call, as a run may have very many."""
        self.ending, self.reason, self.cause = record.ending, record.reason, record.cause
        self.prompt, self.messages = record.prompt, [*record.last_messages]

    def record(self) -> RunRecord:
        self._settle()
        return self.before._replace(
            calls=tuple(self.calls),
            ending=self.ending,
            reason=self.reason,
            cause=self.cause,
            last_words="\n".join(self.words),
            kept=self.kept,
            cost=self.cost,
            prompt=self.prompt,
            last_messages=tuple(self.messages),
        )

    def take(self, event: Event) -> None:
        cost = self.cost if event.at <= self.cost.ends else self.cost._replace(ends=event.at)
        if not cost.imported and _of_a_trace(event):
            cost = cost._replace(imported=True)
        if event.kept:
            cost = cost._replace(begins=max(cost.begins, event.at))
        elif isinstance(event, MessageEvent) and event.by is None:
            cost = cost._replace(
                model_calls=cost.model_calls + 1, model_seconds=round(cost.model_seconds + event.took, 6)
            )
            if event.usage is not None:
                cost = cost._replace(
                    input_tokens=(cost.input_tokens or 0) + event.usage.input_tokens,
                    output_tokens=(cost.output_tokens or 0) + event.usage.output_tokens,
                )
        self.cost = cost
        match event:
            case PromptEvent():
                self.prompt = self.prompt or event
            case MessageEvent():
                self.messages.append(event)
                self.words += [said] if (said := words_said([event])) else []
            case CallEvent():
                self._call(event)
            case AnswerEvent():
                self._answer(event)
            case ErrorEvent():
                self.troubles.append(f"{event.kind}: {event.text}")
            case EndEvent():
                self.ending, self.reason = event.ending, event.reason or ""
                self.cause = event.cause or self._cause()

    def _cause(self) -> Cause | None:
        """Return what ended the run, as far as its record shows it: files of older versions do not say it."""
        if self.ending != "aborted":
            return None
        if self.reason.startswith(STOPPED):
            return "stopped"
        said = self.troubles or (self.calls[-1].troubles if self.calls else self.before.troubles)
        if not said:
            return "cut_off" if self.reason == BROKEN_OFF else None
        return _CAUSES.get(said[-1].partition(":")[0], "model")

    def _call(self, event: CallEvent) -> None:
        self._settle()
        self.kept += bool(event.kept)
        self.calls.append(
            RecordedCall(
                event.step,
                event.tool,
                event.arguments,
                event.raw or "",
                event.error or "",
                "\n".join(self.words),
                asked=event.asked,
                kept=bool(event.kept),
                messages=tuple(self.messages),
                agent=event.agent or "",
                at=event.at,
                message=event.message,
                inside=event.inside or 0,
                timed=event.timed is not False,
            )
        )
        self.words, self.messages = [], []

    def _answer(self, event: AnswerEvent) -> None:
        for place in range(len(self.calls) - 1, -1, -1):
            call = self.calls[place]
            if call.number == event.step:
                both = event.text if call.answer is None else f"{call.answer}\n{event.text}"
                self.calls[place] = call._replace(
                    answer=both,
                    failed=call.failed or event.status == "error",
                    said=event.said if call.said is None else call.said,
                    refused_by=event.refused_by or call.refused_by,
                    answered=event,
                )
                return

    def _settle(self) -> None:
        """Put the troubles since the last call with that call, or with the record if there was none."""
        if self.calls and self.troubles:
            last = self.calls[-1]
            self.calls[-1] = last._replace(troubles=(*last.troubles, *self.troubles))
        elif self.troubles:
            self.before = self.before._replace(troubles=(*self.before.troubles, *self.troubles))
        self.troubles = []
