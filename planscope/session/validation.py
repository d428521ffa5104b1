"""Turns the JSON of a file into a checked session: its version, its fields, its references, its size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set
from typing import Any

from pydantic import ValidationError

from planscope.language.problem import is_tool_name
from planscope.oracle.trace import MOST_CALLS as MOST_CALLS
from planscope.session.files import SessionError, TooLarge
from planscope.session.json_bytes import without_collection
from planscope.session.model import (
    FORMAT_VERSION,
    AnswerEvent,
    CallEvent,
    Data,
    Session,
    Variant,
    all_runs,
    all_variants,
)

STEPS: dict[int, Callable[[Data], Data]] = {}
"""Migrations by the version that they start from.

Optional new fields need no new version, since they are kept unread. A new value in a closed list (a kind of event, of
cell, of origin) does, once the version was released: an older planscope refuses it, and is to say why.
"""

_UNKNOWN = "; a newer planscope may know it: if one wrote this file, update planscope"


def migrate(document: Any, name: str) -> Data:
    """Return a file's JSON in the current version. Raises :class:`SessionError` if it is no session, or a newer one."""
    if not isinstance(document, dict) or document.get("format") != "planscope-session":
        raise SessionError(
            f'{name} is JSON, but not a planscope session (its "format" is missing); '
            "planscope import makes one of a trace"
        )
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise SessionError(f'{name}: its "version" is not a version number')
    if version > FORMAT_VERSION:
        raise SessionError(
            f"{name} was written by a newer planscope (format {str(version)[:20]}, this one reads up to "
            f"{FORMAT_VERSION}); update planscope to open it"
        )
    migrated: Data = document
    while version < FORMAT_VERSION:
        version += 1
        migrated = STEPS[version - 1](migrated) | {"version": version}
    return migrated


_ACTION_ID = re.compile(r"a[1-9][0-9]{0,5}")
MOST_ACTIONS = 1000
"""The limit of a session's actions."""

LONGEST_QUERY = 300_000
LONGEST_TIMED = 60_000
"""The limits of a query's text in code points. A timed query is shorter, since a day has only 24 hours."""

MOST_WORK = 300_000_000
"""The limit for a run's calls times the code points of its query, because every constraint is checked at every step."""

MOST_EVENTS = 5 * MOST_CALLS
"""The limit for the events of all runs: the largest run has a message, a call and an answer for each of its calls, and
what was said between."""


def from_document(document: Any, name: str) -> Session:
    """Return the checked session of a file's JSON. Raises :class:`SessionError`."""
    document = migrate(document, name)
    try:
        with without_collection():
            session = Session.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        later = _UNKNOWN if first["type"] in ("literal_error", "union_tag_invalid") else ""
        raise SessionError(f"{name} is not a valid session: {where}: {first['msg']}{more}{later}") from None
    except RecursionError:
        raise SessionError(f"{name} is nested too deeply to be a session") from None
    check_sizes(session, name)
    check_references(session, name)
    return session


def check_references(session: Session, name: str) -> None:
    """Raise :class:`SessionError` for duplicate ids and for references to what does not exist."""
    _unique((v.id for v in session.variants), name, "variant")
    _unique((r.id for r in session.runs), name, "run")
    variants = {v.id for v in session.variants}
    for variant in session.variants:
        _check_actions(variant, name)
    _check_tree({v.id: v.parent for v in session.variants}, name)
    runs = {r.id for r in session.runs}
    for run in session.runs:
        if run.variant not in variants:
            raise SessionError(f"{name}: run {_short(run.id)} belongs to a variant that does not exist")
        if run.forked_from is not None and run.forked_from.run not in runs:
            raise SessionError(f"{name}: run {_short(run.id)} was forked from a run that does not exist")
        steps = [e.step for e in run.events if isinstance(e, CallEvent)]
        if steps != list(range(1, len(steps) + 1)):
            raise SessionError(f"{name}: the calls of run {_short(run.id)} are not numbered 1, 2, 3, ...")
        for event in run.events:
            if isinstance(event, AnswerEvent) and event.step > len(steps):
                raise SessionError(
                    f"{name}: run {_short(run.id)} has an answer to a call that does not exist"
                )
    _check_dissections(session, name, variants, runs)


def check_sizes(session: Session, name: str) -> None:
    """Raise :class:`SessionError` for a session that is too large to judge. Writing checks this, too.

    What was deleted counts, since it can be restored.
    """
    texts: dict[str, int] = {}
    runs = all_runs(session)
    for variant in all_variants(session):
        texts[variant.id] = text = len(variant.query.text)
        longest = LONGEST_TIMED if variant.query.timed else LONGEST_QUERY
        if text > longest:
            raise SessionError(
                f"{name}: the query of variant {_short(variant.id)} is longer than {longest:,} characters"
            )
        if len(variant.actions) > MOST_ACTIONS:
            raise SessionError(f"{name}: variant {_short(variant.id)} has more than {MOST_ACTIONS} actions")
    if sum(len(run.events) for run in runs) > MOST_EVENTS:
        raise TooLarge(f"{name}: its runs have more than {MOST_EVENTS:,} events; begin a new session")
    for run in runs:
        calls = sum(isinstance(event, CallEvent) for event in run.events)
        if calls > MOST_CALLS:
            raise SessionError(f"{name}: run {_short(run.id)} has more than {MOST_CALLS:,} calls")
        if calls * texts.get(run.variant, 0) > MOST_WORK:
            raise SessionError(
                f"{name}: run {_short(run.id)} is too long to be judged ({calls:,} calls, and a query of "
                f"{texts[run.variant]:,} characters)"
            )


def _check_dissections(session: Session, name: str, variants: Set[str], runs: Set[str]) -> None:
    _unique((d.id for d in session.dissections), name, "dissection")
    for one in session.dissections:
        named = {one.variant, *(cell.variant for cell in one.cells)}
        spent = {run for cell in one.cells for run in cell.runs} | ({one.run} if one.run else set())
        if not named <= variants:
            raise SessionError(f"{name}: dissection {_short(one.id)} is about a variant that does not exist")
        if not spent <= runs:
            raise SessionError(f"{name}: dissection {_short(one.id)} counts a run that does not exist")


def _check_actions(variant: Variant, name: str) -> None:
    _unique((a.id for a in variant.actions), name, "action")
    _unique((a.tool for a in variant.actions), name, "tool")
    for action in variant.actions:
        if not _ACTION_ID.fullmatch(action.id):
            raise SessionError(f"{name}: {_short(action.id)} is not an action id (a1, a2, ...)")
        if not is_tool_name(action.tool):
            raise SessionError(f"{name}: {_short(action.tool)} is not a tool name (letters, digits, _ and -)")


def _check_tree(parents: dict[str, str | None], name: str) -> None:
    settled: set[str] = set()
    for start in parents:
        seen: set[str] = set()
        here: str | None = start
        while here is not None and here not in settled:
            if here not in parents:
                raise SessionError(f"{name}: a variant's parent {_short(here)} does not exist")
            if here in seen:
                raise SessionError(f"{name}: variant {_short(here)} is its own ancestor")
            seen.add(here)
            here = parents[here]
        settled |= seen


def _unique(ids: Iterable[str], name: str, what: str) -> None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            raise SessionError(f"{name}: the {what} {_short(one)} occurs twice")
        seen.add(one)


def _short(name: str) -> str:
    """Return an id or a name of a file in quotes, cut to what a line can hold."""
    return repr(name[:80])
