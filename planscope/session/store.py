"""Sessions read from files and written to them: ``name.planscope.json``, or the same with ``.gz``.

A session that is too large for one file is split into several, each of them whole.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Sequence
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

_NO_NUMBER = re.compile("NaN|Infinity")
"""As pydantic writes them; no JSON."""


def loads(data: bytes, name: str = "the input") -> Session:
    """A session from the bytes of a file, or of what carries one. Raises :class:`SessionError` with one line."""
    with without_collection():  # once for both, so that the parsed JSON is freed before
        return from_document(parse_json(session_json(data, name), name), name)


def load(path: Path, parsed: Any = None) -> Session:
    """A session from a file, with the runs that are being recorded for it, or were until a crash.

    ``parsed``: the file's JSON, where it was read already. Raises :class:`SessionError` with one line.
    """
    found = recordings(path)  # first: what is settled meanwhile is in the file
    if parsed is not None and not found:
        return from_document(parsed, str(path))
    if not found:
        return loads(read_bytes(path), str(path))
    session = with_recordings(loads(read_bytes(path), str(path)) if path.exists() else None, found)
    check_sizes(session, str(path))
    return session


def dumps(session: Session) -> bytes:
    """A session as the bytes of a file: readable JSON, a line a field; whatever is read from it is equal.

    Raises :class:`SessionError` for what could not be read again: not a number (NaN), lists too deep in one another,
    numbers too long, more than a file may hold.
    """
    check_sizes(session, "the session")
    try:
        text = session.model_dump_json(indent=1, exclude_none=True)
        if not _NO_NUMBER.search(text) and sys.getsizeof(text) <= WIDEST:
            return _bytes(visible_json(text) + "\n")
    except (ValueError, RecursionError):
        pass  # what pydantic cannot write of halves of surrogate pairs and deep lists, the other way can, or says why
    try:
        return encoded(session.model_dump(mode="json", exclude_none=True))
    except ValueError as error:  # of pydantic: something that holds itself
        raise SessionError(f"the session cannot be written: {error}") from None


def encoded(document: Any) -> bytes:
    """A session's JSON as the bytes of a file; raises as :func:`dumps`."""
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
    """Write a session; the old file stays whole until the new one is.

    ``unless_changed``: what the file was when it was read (:func:`~planscope.session.files.fingerprint_of`). Raises
    :class:`SessionError`; of its kinds ``Held`` where somebody else writes to it (their lock is waited for, if only for
    a moment), and ``Changed``.
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
"""How much of a file is filled; what a run takes there is known that well."""

_Unit = tuple[Dissection | None, list[Run]]
"""What is in one file, if it can be: a run, or a dissection with its runs."""


def file_beside(path: Path) -> Path:
    """``NAME-2`` for ``NAME``, or the first number after it that no file has."""
    number = 2
    while (place := path.with_name(f"{name_of(path)}-{number}{suffix_of(path)}")).exists():
        number += 1
    return place


def split(session: Session, first: Session | None = None) -> list[tuple[Session, bytes]]:
    """Sessions with all runs of this one between them, and the bytes of each. One where that is enough.

    ``first``: what the first of them holds already, and keeps; it gets as many of the other runs as fit. The others
    have the variants of their runs. Raises :class:`SessionError` where one run alone is too large.
    """
    base = first if first is not None else session.model_copy(update={"runs": [], "dissections": []})
    made: list[tuple[Session, bytes]] = []
    units = _units(session, {run.id for run in base.runs}, base.dissections)
    while units or not made:
        begun = base if not made else _rest(session)
        part, data, count = _filled(session, begun, units, whole=not made and first is None)
        if made and not count:
            units = [*_halves(units[0]), *units[1:]]
        else:
            made.append((part, data))
            units = units[count:]
    return made


def _filled(
    session: Session, begun: Session, units: Sequence[_Unit], *, whole: bool
) -> tuple[Session, bytes, int]:
    """What was begun, with as many of the units as fit; its bytes, and how many those are."""
    count = _fitting(begun, units)
    while True:
        part = _with(session, begun, units[:count], whole=whole)
        try:
            return part, dumps(part), count
        except TooLarge:
            if not count:
                raise
            count //= 2


def _units(session: Session, there: Collection[str], known: Sequence[Dissection]) -> list[_Unit]:
    by_id, taken = {run.id: run for run in session.runs}, set(there)
    units: list[_Unit] = []
    for one in session.dissections:
        counted = [run for cell in one.cells for run in cell.runs]
        if one in known:
            continue
        needed = dict.fromkeys([*([one.run] if one.run else []), *counted])
        units.append((one, [by_id[run] for run in needed if run in by_id]))
        taken |= set(counted)
    return [*((None, [run]) for run in session.runs if run.id not in taken), *units]


def _halves(unit: _Unit) -> list[_Unit]:
    """A dissection that no file can hold, in two that each count half of its runs."""
    one, runs = unit
    if one is None or len(runs) < 2:
        raise SessionError(
            f"run {runs[0].id} alone is larger than {json_bytes.LARGEST // 2**20} MB and cannot be kept"
        )
    made: list[_Unit] = []
    for some in (runs[: len(runs) // 2], runs[len(runs) // 2 :]):
        ids = {run.id for run in some}
        cells = [cell.model_copy(update={"runs": [r for r in cell.runs if r in ids]}) for cell in one.cells]
        begun = one.run if one.run in ids else None
        made.append((one.model_copy(update={"cells": cells, "run": begun}), some))
    return made


def _fitting(begun: Session, units: Sequence[_Unit]) -> int:
    """How many of the units probably fit."""
    size, values, events = _measure(begun)
    for count, (_, runs) in enumerate(units):
        for run in runs:
            more = _measure(run)
            size, values, events = size + more[0], values + more[1], events + more[2]
        if (
            size > FULL * json_bytes.LARGEST
            or values > FULL * json_bytes.MOST_VALUES
            or events > validation.MOST_EVENTS
        ):
            return count
    return len(units)


def _measure(what: Session | Run) -> tuple[int, int, int]:
    """Bytes and values in a file, and events."""
    runs = [what] if isinstance(what, Run) else what.runs
    with suppress(ValueError):
        text = what.model_dump_json(indent=1, exclude_none=True)
        deeper = 2 * text.count("\n") if isinstance(what, Run) else 0
        values = text.count(",") + text.count("[") + text.count("{")
        return len(text.encode()) + deeper, values, sum(len(run.events) for run in runs)
    return len(dumps(Session(id="", title="", runs=runs))), 0, sum(len(run.events) for run in runs)


def size_in_file(run: Run) -> int:
    """Bytes that a run takes in a session's file."""
    return _measure(run)[0]


def _rest(session: Session) -> Session:
    """A session like it in which nothing has happened yet."""
    return session.model_copy(update={"variants": [], "runs": [], "dissections": [], "cursor": {}})


def _with(session: Session, begun: Session, units: Sequence[_Unit], *, whole: bool) -> Session:
    """What was begun, with these units; with all variants, or those that are needed."""
    runs = [*begun.runs]
    there = {run.id for run in runs}
    for run in (run for _, some in units for run in some):
        if run.id not in there:
            there.add(run.id)
            runs.append(run)
    order = {run.id: number for number, run in enumerate(session.runs)}
    runs.sort(key=lambda run: order.get(run.id, -1))
    runs = [
        run.model_copy(update={"forked_from": None})
        if run.forked_from is not None and run.forked_from.run not in there
        else run
        for run in runs
    ]
    dissections = list({one.id: one for one in (*begun.dissections, *_joined(units))}.values())
    needed = {run.variant for run in runs} | {v.id for v in begun.variants}
    needed |= {cell.variant for one in dissections for cell in one.cells} | {
        one.variant for one in dissections
    }
    variants = session.variants if whole else _with_parents(session.variants, needed)
    return begun.model_copy(update={"variants": variants, "runs": runs, "dissections": dissections})


def _joined(units: Sequence[_Unit]) -> Iterable[Dissection]:
    """The dissections of the units; pieces of one that came into the same file are one again."""
    made: dict[str, Dissection] = {}
    for one in (one for one, _ in units if one is not None):
        if (there := made.get(one.id)) is not None:
            pairs = zip(there.cells, one.cells, strict=True)
            cells = [a.model_copy(update={"runs": [*a.runs, *b.runs]}) for a, b in pairs]
            one = there.model_copy(update={"cells": cells, "run": there.run or one.run})
        made[one.id] = one
    return made.values()


def _with_parents(variants: Iterable[Variant], ids: set[str]) -> list[Variant]:
    by_id = {variant.id: variant for variant in variants}
    needed: set[str] = set()
    for start in ids:
        here: str | None = start
        while here is not None and here in by_id and here not in needed:
            needed.add(here)
            here = by_id[here].parent
    return [variant for variant in by_id.values() if variant.id in needed]
