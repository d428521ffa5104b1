"""Reads sessions from files and writes them: ``name.planscope.json``, or the same with ``.gz``.

A session that is too large for one file is split into several, each of them a whole session.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from planscope.session import json_bytes, validation
from planscope.session.containers import is_session_file, session_json
from planscope.session.files import (
    Fingerprint,
    SessionError,
    TooLarge,
    check_unchanged,
    read_bytes,
    writable_target,
    write_atomic,
)
from planscope.session.json_bytes import (
    WIDEST,
    check_writable,
    json_text,
    parse_json,
    visible_json,
    without_collection,
    without_surrogates,
)
from planscope.session.locations import name_of, suffix_of
from planscope.session.lock import Lock
from planscope.session.model import Dissection, Run, Session, Variant
from planscope.session.recordings import recordings, with_recordings
from planscope.session.validation import check_sizes, from_document
from planscope.wording.phrases import file_size

_NO_NUMBER = re.compile("NaN|Infinity")
"""Words that pydantic writes but that are not valid JSON."""


def loads(data: bytes, name: str = "the input") -> Session:
    """Return the session in the bytes of a session file, a page or a test. Raises :class:`SessionError`."""
    # one pause for both, so that the parsed JSON is freed before collection starts again
    with without_collection():
        return from_document(parse_json(session_json(data, name), name), name)


def load(path: Path, parsed: Any = None) -> Session:
    """Return the session in a file, with the recordings that are not merged into it yet.

    ``parsed`` is the file's JSON if the caller has read it already. Raises :class:`SessionError`.
    """
    found = recordings(path)  # read before the file, since they may be merged into it meanwhile
    if parsed is not None and not found:
        return from_document(parsed, str(path))
    if not found:
        return loads(read_bytes(path), str(path))
    session = with_recordings(loads(read_bytes(path), str(path)) if path.exists() else None, found)
    check_sizes(session, str(path))
    return session


def dumps(session: Session) -> bytes:
    """Return a session as the bytes of a file: readable JSON, one line per field. Reading it gives an equal session.

    Raises :class:`SessionError` for what could not be read again: NaN, values nested too deeply, numbers with too many
    digits; :class:`TooLarge` for more than a file may hold.
    """
    check_sizes(session, "the session")
    try:
        text = session.model_dump_json(indent=1, exclude_none=True)
        if not _NO_NUMBER.search(text) and sys.getsizeof(text) <= WIDEST:
            text = visible_json(text)
            text += "\n"  # in place, as it is long
            return _bytes(text)
    except (ValueError, RecursionError):
        pass  # lone surrogates or deep lists: encoded() below writes them or says what is wrong
    try:
        return encoded(session.model_dump(mode="json", exclude_none=True))
    except ValueError as error:  # pydantic raises it for a value that contains itself
        raise SessionError(f"the session cannot be written: {error}") from None


def encoded(document: Any) -> bytes:
    """Return a session's JSON as the bytes of a file. Raises the errors of :func:`dumps`."""
    try:
        document = without_surrogates(document)
        text = json_text(document)
        if sys.getsizeof(text) > WIDEST:
            text = json_text(document, ascii_only=True)
        return _bytes(text)
    except RecursionError:
        raise SessionError("the session is nested too deeply to be written") from None
    except ValueError as error:
        raise SessionError(f"the session cannot be written: {error}") from None


def _bytes(text: str) -> bytes:
    data = text.encode()
    check_writable(data)
    return data


def save(session: Session, path: Path, *, unless_changed: Fingerprint | None = None) -> None:
    """Write a session. The old file stays until the new one is complete.

    ``unless_changed`` is the file's fingerprint when it was read. Raises :class:`SessionError`: ``Held`` if another
    program holds the lock for more than a moment, ``Changed`` if the file has changed.
    """
    if not is_session_file(path):
        raise SessionError(
            f"{path} is a page or a test, not a session file; name another file (NAME.planscope.json)"
        )
    data, place = dumps(session), writable_target(path)
    with Lock(place):
        if unless_changed is not None:
            check_unchanged(place, unless_changed)
        write_atomic(place, data)


FULL = 0.98
"""The share of a file that is filled, since the size of a run in it is only estimated."""


def file_beside(path: Path) -> Path:
    """Return ``NAME-2`` for ``NAME``, or the next number that is free."""
    number = 2
    while (place := path.with_name(f"{name_of(path)}-{number}{suffix_of(path)}")).exists():
        number += 1
    return place


def split(session: Session, first: Session | None = None) -> list[tuple[Session, bytes]]:
    """Split a session into several that each fit into a file, with the bytes of each; one session if it fits whole.

    ``first`` is what the first file already holds and keeps; as many further runs as fit are added to it. Each other
    session has the variants that its runs need. The runs of a dissection stay together if possible; each file says of
    a dissection what its own runs are. Raises :class:`SessionError` if a single run is too large.
    """
    base = first if first is not None else session.model_copy(update={"runs": [], "dissections": []})
    made: list[tuple[Session, bytes]] = []
    groups = _groups(session, {run.id for run in base.runs})
    while groups or not made:
        begun = base if not made else _rest(session)
        part, data, count = _filled(session, begun, groups, begins=not made, whole=first is None)
        if made and not count:
            runs = groups[0]
            if len(runs) < 2:
                raise SessionError(
                    f"run {runs[0].id} alone is larger than {file_size(json_bytes.LARGEST)} and cannot be saved"
                )
            groups[:1] = [runs[: len(runs) // 2], runs[len(runs) // 2 :]]
        else:
            made.append((part, data))
            groups = groups[count:]
    return made


def _groups(session: Session, there: set[str]) -> list[list[Run]]:
    """Return the runs that are not ``there`` yet: single ones, then those of each dissection, which stay together."""
    by_id, taken = {run.id: run for run in session.runs}, set(there)
    groups: list[list[Run]] = []
    for one in session.dissections:
        counted = [id for id in _counted(one) if id in by_id and id not in taken]
        taken |= set(counted)
        begun = [one.run] if counted and one.run in by_id else []
        groups += [[by_id[id] for id in dict.fromkeys([*begun, *counted])]] if counted else []
    return [*([run] for run in session.runs if run.id not in taken), *groups]


def _counted(one: Dissection) -> list[str]:
    return [run for cell in one.cells for run in cell.runs]


def _filled(
    session: Session, begun: Session, groups: Sequence[list[Run]], *, begins: bool, whole: bool
) -> tuple[Session, bytes, int]:
    """Return ``begun`` with as many of the groups as fit, its bytes, and the number of those groups."""
    count = _fitting(begun, groups)
    while True:
        more = [run for group in groups[:count] for run in group]
        part = _with(session, begun, more, begins=begins, whole=whole)
        try:
            return part, dumps(part), count
        except TooLarge:
            if not count:
                raise
            count //= 2


def _fitting(begun: Session, groups: Sequence[list[Run]]) -> int:
    """Return the number of groups that probably fit."""
    size, values, events = _measure(begun)
    for count, runs in enumerate(groups):
        for run in runs:
            more = _measure(run)
            size, values, events = size + more[0], values + more[1], events + more[2]
        if (
            size > FULL * json_bytes.LARGEST
            or values > FULL * json_bytes.MOST_VALUES
            or events > validation.MOST_EVENTS
        ):
            return count
    return len(groups)


def _measure(what: Session | Run) -> tuple[int, int, int]:
    """Return the estimated number of bytes and values in a file, and the number of events."""
    runs = [what] if isinstance(what, Run) else what.runs
    with suppress(ValueError):
        text = what.model_dump_json(indent=1, exclude_none=True)
        deeper = 2 * text.count("\n") if isinstance(what, Run) else 0
        values = text.count(",") + text.count("[") + text.count("{")
        return len(text.encode()) + deeper, values, sum(len(run.events) for run in runs)
    return len(dumps(Session(id="", title="", runs=runs))), 0, sum(len(run.events) for run in runs)


def size_in_file(run: Run) -> int:
    """Return the estimated number of bytes of a run in a session's file."""
    return _measure(run)[0]


def _rest(session: Session) -> Session:
    """Return the session without variants, runs, dissections, findings and what was deleted."""
    nothing: dict[str, Any] = {"variants": [], "runs": [], "dissections": [], "cursor": {}, "removed": None}
    return session.model_copy(update={**nothing, "gone": None, "fuzzings": None})


def _with(session: Session, begun: Session, more: Iterable[Run], *, begins: bool, whole: bool) -> Session:
    """Add these runs to ``begun``, with the dissections that count them and the variants that they need.

    ``begins``: it is the first part, which has what belongs to no run; if it is also ``whole``, all variants.
    """
    order = {run.id: number for number, run in enumerate(session.runs)}
    there = {run.id: run for run in (*more, *begun.runs)}
    runs = [
        run.model_copy(update={"forked_from": None})
        if run.forked_from is not None and run.forked_from.run not in there
        else run
        for run in sorted(there.values(), key=lambda run: order.get(run.id, -1))
    ]
    dissections = {one.id: one for one in begun.dissections}
    for one in session.dissections:
        counted = _counted(one)
        if not there.keys().isdisjoint(counted) or (begins and not counted):
            cells = [c.model_copy(update={"runs": [r for r in c.runs if r in there]}) for c in one.cells]
            failing = one.run if one.run in there else None
            dissections[one.id] = one.model_copy(update={"cells": cells, "run": failing})
    needed = {run.variant for run in runs} | {v.id for v in begun.variants}
    for one in dissections.values():
        needed |= {one.variant, *(cell.variant for cell in one.cells)}
    variants = session.variants if begins and whole else _with_parents(session.variants, needed)
    return begun.model_copy(
        update={"variants": variants, "runs": runs, "dissections": list(dissections.values())}
    )


def _with_parents(variants: Iterable[Variant], ids: set[str]) -> list[Variant]:
    by_id = {variant.id: variant for variant in variants}
    needed: set[str] = set()
    for start in ids:
        here: str | None = start
        while here is not None and here in by_id and here not in needed:
            needed.add(here)
            here = by_id[here].parent
    return [variant for variant in by_id.values() if variant.id in needed]
