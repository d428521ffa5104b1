"""From what a session keeps to what the oracle judges. Nothing that can be derived is trusted from a file."""

from __future__ import annotations

from planscope.language.problem import Action, Problem
from planscope.language.reading import Reading, read_query
from planscope.oracle.trace import Call, Ending, Trace
from planscope.session.events import AnswerEvent, CallEvent, EndEvent
from planscope.session.model import ActionRecord, Run, Session, Variant


def actions_of(variant: Variant) -> tuple[Action, ...]:
    """The variant's actions; timed ones take an hour where no duration is given."""
    return tuple(
        Action(a.id, a.name, a.tool, (a.duration or 1) if variant.query.timed else None)
        for a in variant.actions
    )


def reading_of(variant: Variant) -> Reading:
    """The variant's text, read anew. Raises ``ParseFailure`` where it cannot be."""
    return read_query(variant.query.text, actions_of(variant), timed=variant.query.timed, kept=True)


def problem_of(variant: Variant) -> Problem:
    """What the variant's text asks for. Raises ``ParseFailure`` where it cannot be read."""
    return reading_of(variant).problem


def trace_of(run: Run, *, live: bool = False) -> Trace:
    """The run's calls and its ending. A record that breaks off counts as aborted unless the run is ``live``."""
    refused = {e.step for e in run.events if isinstance(e, AnswerEvent) and e.refused_by is not None}
    calls = tuple(
        Call(e.tool, e.arguments, e.error, e.step in refused) for e in run.events if isinstance(e, CallEvent)
    )
    ended = next((e for e in reversed(run.events) if isinstance(e, EndEvent)), None)
    if ended is not None:
        ending: Ending = ended.ending
        return Trace(calls, ending, ended.reason)
    return Trace(calls, "running") if live else Trace(calls, "aborted", "the record breaks off here")


def not_answered(run: Run) -> int | None:
    """The step of the last call where the run was cut short before its answer: whether it was done is not known."""
    if any(isinstance(e, EndEvent) and e.ending != "aborted" for e in run.events):
        return None
    last = next((e for e in reversed(run.events) if isinstance(e, AnswerEvent | CallEvent)), None)
    return last.step if isinstance(last, CallEvent) and last.error is None else None


def records(actions: tuple[Action, ...]) -> list[ActionRecord]:
    """Actions as a session keeps them."""
    return [ActionRecord(id=a.id, name=a.name, tool=a.tool, duration=a.duration) for a in actions]


def variant_of(session: Session, run: Run) -> Variant:
    """The variant that a run belongs to."""
    return next(v for v in session.variants if v.id == run.variant)
