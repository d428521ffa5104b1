"""Prepares the oracle's input: a variant's text read as a problem, and a run as a trace.

The text is read again each time, since nothing that can be derived is trusted from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from planscope.language.derive import problem_of_tree
from planscope.language.problem import Action, Problem
from planscope.language.reading import Reading, read_query
from planscope.language.tree import ActionRef, Query, walk
from planscope.oracle.trace import Around, Call, Ending, Heard, Trace
from planscope.session.model import MessageEvent, Run, Session, Variant
from planscope.session.record import RecordedCall, RunRecord, record_of

UNJUDGED = (
    "Not judged: there is no query and no rule that the calls have to meet. Rules are checked with planscope check "
    'SESSION --rules FILE; a query is given when you record: record(PATH, query="...")'
)
"""The explanation for a run of the user's agent without a query."""


ProblemIn = Callable[[Session, Variant], Problem]
"""Reads the problem of a variant in its session, with the session's rules."""


def plain_name(tool: str) -> str:
    """Return the noun phrase in a tool's name, with blanks for ``_`` and ``-``."""
    return " ".join(tool.replace("_", " ").replace("-", " ").split()) or tool


def actions_of(variant: Variant) -> tuple[Action, ...]:
    """Return the variant's actions. A timed action without a duration takes one hour."""
    return tuple(
        Action(a.id, a.name, a.tool, (a.duration or 1) if variant.query.timed else None)
        for a in variant.actions
    )


def reading_of(variant: Variant) -> Reading:
    """Read the variant's text. Raises ``ParseFailure``.

    Of the tools of a user's agent, those that the text names must be called once each; the others may be called freely.
    Without a text nothing can be judged, and the problem says so.
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
    """Read a text over the tools of a user's agent: the text requires those that it names, and no others.

    ``schemas`` are the JSON schemas of the tools' arguments by tool name; ``kept`` is passed to ``read_query``. With an
    empty text nothing is judged. Raises ``ParseFailure``.
    """
    if not text.strip():
        return Reading(text, Query((), (0, 0)), Problem((), (), timed, text, schemas, UNJUDGED))
    reading = read_query(text, actions, timed=timed, kept=kept)
    named = {node.action for _, node in walk(reading.tree) if isinstance(node, ActionRef)}
    required = tuple(a for a in reading.problem.actions if a.id in named)
    # "A comes first" is about the tools that the text names, not about all that the agent has.
    said = problem_of_tree(reading.tree, required, timed=timed).constraints
    problem = replace(reading.problem, actions=required, constraints=said, own=schemas)
    return replace(reading, problem=problem)


def has_own_tools(variant: Variant) -> bool:
    """Return whether the tools belong to a user's agent and are no mock tools. Only recorders make imported
    variants."""
    return bool(variant.own) or variant.origin.kind == "imported"


def problem_of(variant: Variant) -> Problem:
    """Return the problem that the variant's text states. Raises ``ParseFailure``."""
    return reading_of(variant).problem


def trace_of(run: Run, *, live: bool = False) -> Trace:
    """Return a run as the oracle judges it. A record without an end counts as aborted, unless the run is ``live``."""
    return trace_of_record(record_of(run, under_way=live))


def trace_of_record(record: RunRecord) -> Trace:
    """Return the record of a run as the oracle judges it; see :func:`trace_of`."""
    ending: Ending = record.ending  # type: ignore[assignment]  # an end event has no other value
    heard = _heard(record.last_messages, _timed(record))
    if not record.calls:
        heard = (*_prompt(record), *heard)
    return Trace(calls_of(record), ending, record.reason or None, heard, _tools(record))


def calls_of(record: RunRecord, begin: int = 0, end: int | None = None) -> tuple[Call, ...]:
    """Return the recorded calls in this range of indexes as the oracle judges them."""
    timed = _timed(record)
    return tuple(_call(record, k, timed) for k in range(len(record.calls))[begin:end])


def _call(record: RunRecord, index: int, timed: bool) -> Call:
    call, before = record.calls[index], record.calls[index - 1] if index else None
    heard = _heard(call.messages, timed)
    around = Around(
        answer=None if call.answered is not None and call.answered.captured is False else call.answer,
        answered=call.answer is not None,
        begins=before is None or _begins(before, call, bool(record.calls[0].messages)),
        at=call.at if timed else None,
        agent=call.agent or record.agent,
        heard=heard if index else (*_prompt(record), *heard),
    )
    refused = bool(call.refused_by)
    return Call(call.tool, call.arguments, call.error or None, refused, call.failed and not refused, around)


def _begins(before: RecordedCall, call: RecordedCall, talks: bool) -> bool:
    """Return whether a call begins a message. In a run without messages (not ``talks``), every call does."""
    if call.messages:
        return True
    known = before.message is not None and call.message is not None
    return before.message != call.message if known else not talks


def _timed(record: RunRecord) -> bool:
    """Return whether the record has times: without them, every event is at 0."""
    return record.cost.ends > 0


def _prompt(record: RunRecord) -> tuple[Heard, ...]:
    return (Heard(record.prompt.text, record.prompt.at),) if record.prompt and record.prompt.text else ()


def _heard(messages: Iterable[MessageEvent], timed: bool) -> tuple[Heard, ...]:
    """Return what the user said in these messages, or what the model was told by the user with them."""
    found = []
    for event in messages:
        at = event.at if timed else None
        if event.by == "user":
            found.append(Heard(event.text, at))
        for said in (event.given.messages if event.given is not None else None) or ():
            if said.role in ("user", "human"):
                found.append(Heard(said.text, at))
    return tuple(found)


def _tools(record: RunRecord) -> dict[str, Mapping[str, Any] | None] | None:
    offered = record.prompt.tools if record.prompt is not None else None
    return None if offered is None else {tool.name: tool.parameters for tool in offered}
