"""One of the two: its request read, its run judged, as far as that can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from planscope.compare.result import Side, SideName, StepSide, Unknown
from planscope.errors import UserError
from planscope.language.errors import ParseError, ParseFailure, in_a_line
from planscope.oracle.trace import RESTART_TOOL, Call, Trace
from planscope.session.derive import actions_of, reading_of, trace_of, variant_of
from planscope.session.events import AnswerEvent
from planscope.session.help import NO_HELP, help_of
from planscope.session.model import Run, Session, Variant

if TYPE_CHECKING:
    from planscope.language.reading import Reading
    from planscope.oracle.replay import Replay

_LONGEST = 500
"""Code points of why something is not known."""


@dataclass(frozen=True)
class Known:
    """A side, and what it was made of. ``reading`` is None where the text cannot be read."""

    side: Side
    session: Session
    variant: Variant
    run: Run | None
    reading: Reading | None
    unknown: tuple[Unknown, ...]

    def without(self, what: str) -> Known:
        """The same, with nothing of that kind named as unknown."""
        return replace(self, unknown=tuple(u for u in self.unknown if u.what != what))


def know(
    name: SideName, session: Session, chosen: Run | Variant, judged: Replay | None, read: Known | None = None
) -> Known:
    """Read and judge one side. ``judged`` spares the judging, and ``read`` the reading where it is the same request."""
    run = chosen if isinstance(chosen, Run) else None
    variant = variant_of(session, chosen) if isinstance(chosen, Run) else chosen
    unknown: list[Unknown] = []
    reading, errors = _read(name, variant, unknown, read)
    trace = trace_of(run) if run is not None else Trace((), "running")
    replay = judged
    if reading is not None and replay is None:
        from planscope.oracle.replay import replay as judge

        replay = judge(reading.problem, trace)
    if replay is not None:
        trace = replay.trace
    if run is None:
        unknown.append(Unknown(name, "calls", f"variant {variant.id[:40]} is compared without a run"))
    elif replay is None:
        unknown.append(Unknown(name, "verdict", "a run is judged by its request, which cannot be read"))
    side = Side(
        session=session.id,
        title=session.title,
        variant=variant.id,
        run=run.id if run is not None else None,
        text=variant.query.text,
        timed=variant.query.timed,
        actions=actions_of(variant),
        problem=reading.problem if reading is not None else None,
        errors=errors,
        outline=reading.outline if reading is not None else (),
        contradiction=_contradiction(name, replay, unknown),
        steps=tuple(_steps(variant, run, trace, replay)) if run is not None else (),
        ending=trace.ending if run is not None else None,
        help=help_of(run) if run is not None else NO_HELP,
        verdict=replay.verdict() if replay is not None and run is not None else None,
    )
    return Known(side, session, variant, run, reading, tuple(unknown))


def _read(
    name: SideName, variant: Variant, unknown: list[Unknown], read: Known | None
) -> tuple[Reading | None, tuple[ParseError, ...]]:
    if read is not None and read.variant is variant and read.reading is not None:
        return read.reading, ()
    try:
        return reading_of(variant), ()
    except ParseFailure as failure:
        unknown.append(Unknown(name, "request", in_a_line(failure.errors, _LONGEST)))
        return None, failure.errors
    except UserError as error:
        unknown.append(Unknown(name, "request", str(error)[:_LONGEST]))
        return None, ()


def _contradiction(name: SideName, replay: Replay | None, unknown: list[Unknown]) -> tuple[str, ...] | None:
    if replay is None:
        return None
    begin = replay.steps[0]
    if begin.state == "completable" or replay.problem.unjudged:
        return ()
    if begin.core is None:
        unknown.append(
            Unknown(name, "states", "the solver gave up before it knew whether the request can be met")
        )
        return None
    return begin.core.constraints


def _steps(variant: Variant, run: Run, trace: Trace, replay: Replay | None) -> Iterator[StepSide]:
    """Every step from before any call to the end; a run that is not judged has its calls all the same."""
    answers: dict[int, AnswerEvent] = {}
    for event in run.events:
        if isinstance(event, AnswerEvent):
            answers.setdefault(event.step, event)
    tools = {action.tool: action.id for action in variant.actions}
    ended = [] if trace.ending == "running" else [None]
    attempt = 1
    for index, call in enumerate([None, *trace.calls, *ended]):
        answer = answers.get(index) if call is not None else None
        view = replay.steps[index] if replay is not None else None
        if call is not None and variant.query.timed and _restarts(call, tools):
            attempt += 1
        yield StepSide(
            index=index,
            step=index if call is not None or index == 0 else "end",
            attempt=view.attempt if view is not None else attempt,
            call=call,
            action=tools.get(call.tool) if call is not None else None,
            answer=answer.text if answer is not None else None,
            answered=answer.status if answer is not None else None,
            refused_by=answer.refused_by if answer is not None else None,
            state=view.state if view is not None else None,
            start=view.start if view is not None else None,
            end=view.end if view is not None else None,
            findings=view.findings if view is not None else (),
        )


def _restarts(call: Call, tools: Mapping[str, str]) -> bool:
    """As the judge has it: what could not be read, or was kept from its tool, begins no attempt."""
    refused = call.refused or call.arguments is None or call.error is not None
    return call.tool == RESTART_TOOL and call.tool not in tools and not refused
