"""From what a session keeps to what the oracle judges. Nothing that can be derived is trusted from a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from planscope.language.problem import Action, Problem
from planscope.language.reading import Reading, read_query
from planscope.language.tree import Query
from planscope.oracle.trace import Call, Ending, Trace
from planscope.session.events import AnswerEvent, CallEvent, EndEvent
from planscope.session.model import ActionRecord, Run, Session, Variant

UNJUDGED = (
    "Not judged: nobody said what the calls have to meet. "
    'Say it in a query when you record: record(PATH, query="...")'
)
"""What is said of an agent's own run without a query."""


def plain_name(tool: str) -> str:
    """The noun phrase that a tool's name stands for: blanks for ``_`` and ``-``."""
    return " ".join(tool.replace("_", " ").replace("-", " ").split()) or tool


def actions_of(variant: Variant) -> tuple[Action, ...]:
    """The variant's actions; timed ones take an hour where no duration is given."""
    return tuple(
        Action(a.id, a.name, a.tool, (a.duration or 1) if variant.query.timed else None)
        for a in variant.actions
    )


def reading_of(variant: Variant) -> Reading:
    """The variant's text, read anew. Raises ``ParseFailure`` where it cannot be.

    Of an agent's own tools, those that the text names are required, once each; the others are free. Without a text
    there is nothing to judge by, and the problem says so.
    """
    text, timed = variant.query.text, variant.query.timed
    if not has_own_tools(variant):
        return read_query(text, actions_of(variant), timed=timed, kept=True)
    schemas = {a.tool: a.parameters for a in variant.actions}
    return own_reading(text, actions_of(variant), schemas, timed=timed, kept=True)


def own_reading(
    text: str,
    actions: Iterable[Action],
    schemas: Mapping[str, Mapping[str, Any] | None],
    *,
    timed: bool = False,
    kept: bool = False,
) -> Reading:
    """What a text asks of an agent's own tools: those that it names are required, all others are free.

    ``schemas`` are those of the tools, by name; ``kept`` is that of ``read_query``. An empty text asks for nothing, and
    nothing is judged by it. Raises ``ParseFailure``.
    """
    if not text.strip():
        return Reading(text, Query((), (0, 0)), Problem((), (), timed, text, schemas, UNJUDGED))
    reading = read_query(text, actions, timed=timed, kept=kept)
    named = {action for c in reading.problem.constraints for action in c.actions}
    required = tuple(a for a in reading.problem.actions if a.id in named)
    return replace(reading, problem=replace(reading.problem, actions=required, own=schemas))


def has_own_tools(variant: Variant) -> bool:
    """Whether its tools are an agent's own, and not mock tools. Only recorders make imported variants."""
    return bool(variant.own) or variant.origin.kind == "imported"


def problem_of(variant: Variant) -> Problem:
    """What the variant's text asks for. Raises ``ParseFailure`` where it cannot be read."""
    return reading_of(variant).problem


def trace_of(run: Run, *, live: bool = False) -> Trace:
    """The run's calls and its ending. A record that breaks off counts as aborted unless the run is ``live``."""
    refused = {e.step for e in run.events if isinstance(e, AnswerEvent) and e.refused_by is not None}
    wrong = {e.step for e in run.events if isinstance(e, AnswerEvent) and e.status == "error"} - refused
    calls = tuple(
        Call(e.tool, e.arguments, e.error, e.step in refused, e.step in wrong)
        for e in run.events
        if isinstance(e, CallEvent)
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
