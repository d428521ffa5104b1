"""A run's events grouped by call: what was thought before each, what was called, what came back.

The one place where events become steps. A record grows event by event, so that a live run is never read twice. Every
string in it is untrusted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from planscope.session.events import AnswerEvent, CallEvent, EndEvent, ErrorEvent, Event, MessageEvent
from planscope.session.help import Help, help_in
from planscope.session.model import ForkPoint, Run
from planscope.session.notices import words_of

BROKEN_OFF = "the record breaks off here"


class RecordedCall(NamedTuple):
    """One step. ``thought`` is what the model said since the step before; ``arguments`` None: not readable.

    ``asked`` and ``said``: arguments and answer before the user edited them. ``refused_by``: guard or user.
    ``number``: the step's own number in the file. ``troubles``: errors of model, network or tool code after the call.
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


class Cost(NamedTuple):
    """What a run took, without what was kept from the run that it was forked from. Tokens None: not counted.

    ``begins`` and ``ends`` are seconds since the run began.
    """

    answers: int = 0
    read: int | None = None
    written: int | None = None
    begins: float = 0.0
    ends: float = 0.0

    @property
    def seconds(self) -> float:
        return max(self.ends - self.begins, 0.0)


class RunRecord(NamedTuple):
    """One run. A record without an end counts as aborted, unless the run is ``under_way``.

    ``last_words`` come after all calls; ``troubles`` before the first. ``kept``: how many calls are those of the run
    that it was forked from. ``pending``: the last call is paused and not done.
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

    @property
    def help(self) -> Help:
        """What helped the run; a paused call is not done, and was not helped yet."""
        return help_in(self.calls)

    @property
    def helped_agent(self) -> str:
        """The agent with what stood behind it: ``tools + guard``."""
        return self.help.agent(self.agent)

    @property
    def simulated(self) -> bool:
        return self.model.casefold().startswith(("sim:", "simulated"))


def record_of(run: Run, *, under_way: bool = False) -> RunRecord:
    """A run's record. ``under_way``: more is to come."""
    record = RunRecord(run.id, run.variant, run.agent, run.model, forked_from=run.forked_from)
    if under_way:
        record = record._replace(under_way=True, ending="running", reason="")
    gathered = _Gathered(record)
    for event in run.events:
        gathered.take(event)
    return gathered.record()


def help_of(run: Run) -> Help:
    """The help in a recorded run."""
    return record_of(run).help


def with_event(record: RunRecord, event: Event) -> RunRecord:
    """The record with one event more."""
    gathered = _Gathered(record)
    gathered.take(event)
    return gathered.record()


class _Gathered:
    def __init__(self, record: RunRecord) -> None:
        self.before = record
        self.calls = list(record.calls)
        self.words = record.last_words
        self.cost = record.cost
        self.kept = record.kept
        self.troubles = record.troubles
        self.ending, self.reason = record.ending, record.reason

    def record(self) -> RunRecord:
        return self.before._replace(
            calls=tuple(self.calls),
            ending=self.ending,
            reason=self.reason,
            last_words=self.words,
            kept=self.kept,
            cost=self.cost,
            troubles=self.troubles,
        )

    def take(self, event: Event) -> None:
        cost = self.cost._replace(ends=max(self.cost.ends, event.at))
        if event.kept:
            cost = cost._replace(begins=max(cost.begins, event.at))
        elif isinstance(event, MessageEvent):
            cost = cost._replace(answers=cost.answers + 1)
            if event.usage is not None:
                cost = cost._replace(
                    read=(cost.read or 0) + event.usage.input_tokens,
                    written=(cost.written or 0) + event.usage.output_tokens,
                )
        self.cost = cost
        match event:
            case MessageEvent():
                said = words_of(event.text, event.refusal, event.finish, event.structured)
                self.words = f"{self.words}\n{said}" if self.words and said else self.words or said
            case CallEvent():
                self._call(event)
            case AnswerEvent():
                self._answer(event)
            case ErrorEvent():
                self._trouble(f"{event.kind}: {event.text}")
            case EndEvent():
                self.ending, self.reason = event.ending, event.reason or ""

    def _call(self, event: CallEvent) -> None:
        self.kept += bool(event.kept)
        self.calls.append(
            RecordedCall(
                event.step,
                event.tool,
                event.arguments,
                event.raw or "",
                event.error or "",
                self.words,
                asked=event.asked,
                kept=bool(event.kept),
            )
        )
        self.words = ""

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
                )
                return

    def _trouble(self, line: str) -> None:
        if self.calls:
            last = self.calls[-1]
            self.calls[-1] = last._replace(troubles=(*last.troubles, line))
        else:
            self.troubles = (*self.troubles, line)
