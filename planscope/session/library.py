"""The user's sessions and the bundled ones: listed and judged. What changes them is in ``library_changes``."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.errors import UserError
from planscope.session.bundled import SUFFIXES, bundled, is_bundled
from planscope.session.files import SessionError
from planscope.session.library_entry import Entry, Outcomes, Place, fields_of, glance, moment
from planscope.session.library_index import Index, Mark, mark_of
from planscope.session.naming import before_trash, name_of
from planscope.session.own import own_runs
from planscope.session.places import library, trash
from planscope.session.record import help_of

if TYPE_CHECKING:
    from planscope.language.problem import Problem
    from planscope.session.model import Run, Session

PLACES: tuple[Place, ...] = ("library", "bundled")
_LISTED: Any = {
    "title": True,
    "created": True,
    "variants": {"__all__": {"id": True, "query": {"topic"}}},
    "runs": {"__all__": {"id", "agent", "model"}},
    "dissections": {"__all__": {"variant": True, "cells": {"__all__": {"variant", "runs"}}}},
}


def entries(*where: Place, index: Index | None = None) -> list[Entry]:
    """The sessions of these places (library and bundled where none is named), the last changed first in each.

    Never raises for what a file holds, nor for folders that are not there. Verdicts are those that the index has.
    """
    known = index if index is not None else Index()
    seen: set[Mark] = set()
    found = [entry for place in where or PLACES for entry in _listed(place, known, seen)]
    if not where:
        known.keep_only(seen)
    known.write()
    return found


def judge(entry: Entry, index: Index | None = None) -> Entry:
    """The entry with the verdicts on its runs, computed anew and kept in the index.

    A file that cannot be opened gets ``wrong``; a request that cannot be read leaves the verdict ``unknown``. With an
    ``index`` of the caller's own, writing it is the caller's.
    """
    try:
        status = entry.path.stat()
    except OSError as error:
        return replace(entry, wrong=f"{entry.path} cannot be read: {error.strerror}")
    record = _judged(entry.path)
    known = index if index is not None else Index()
    known.put(mark_of(status), record)
    if index is None:
        known.write()
    return _entry(entry.place, entry.path, status, record)


def judge_all(found: Iterable[Entry], stop: Callable[[], bool] = lambda: False) -> Iterator[Entry]:
    """Judge what is pending, one after another, and yield what became of each; the index keeps it.

    For a thread of its own; ``stop`` is asked before each.
    """
    index = Index()
    try:
        for entry in found:
            if stop():
                return
            if entry.pending:
                yield judge(entry, index)
    finally:
        index.write()


def entry_at(path: Path, session: Session) -> Entry:
    """The entry of a session that was opened from anywhere, its last run judged. Raises :class:`SessionError`."""
    place: Place = "bundled" if is_bundled(path) else "library" if path.parent == library() else "file"
    try:
        return _entry(place, path, path.stat(), _record(session))
    except OSError as error:
        raise SessionError(f"{path} cannot be read: {error.strerror}") from None


def verdicts_of(session: Session, runs: Iterable[Run]) -> Iterator[tuple[str, str | None]]:
    """Verdict and error type of each run, judged anew; ``unknown`` where its request cannot be read."""
    from planscope.language.reading import ActionNameError, ParseFailure
    from planscope.oracle.replay import replay
    from planscope.session.derive import problem_of, trace_of, variant_of

    problems: dict[str, Problem | None] = {}
    for run in runs:
        if run.variant not in problems:
            try:
                problems[run.variant] = problem_of(variant_of(session, run))
            except (ParseFailure, ActionNameError, UserError):
                problems[run.variant] = None
        problem = problems[run.variant]
        if problem is None:
            yield "unknown", None
        else:
            verdict = replay(problem, trace_of(run)).verdict()
            yield verdict.verdict, verdict.error_type


def outcomes_of(runs: Sequence[Run], verdicts: Sequence[tuple[str, str | None]]) -> Outcomes:
    """How so many runs came out, each with its verdict and error type."""
    counts, errors = Counter[str](), Counter[str]()
    for run, (verdict, error) in zip(runs, verdicts, strict=True):
        if verdict in ("right", "wrong") and help_of(run):
            counts["helped"] += 1
            counts["helped_right"] += verdict == "right"
        else:
            counts[verdict] += 1
        errors.update([error] if error else [])
    return Outcomes(**counts, errors=dict(errors.most_common()))


def _judged(path: Path) -> dict[str, Any]:
    """A session opened for good, and its runs judged: what the index keeps of it."""
    from planscope.session.store import load

    try:
        return _record(load(path))
    except SessionError as error:
        return {"wrong": str(error)}


def _record(session: Session) -> dict[str, Any]:
    record = fields_of(session.model_dump(mode="json", include=_LISTED)) | {"checked": True}
    if session.runs:
        own = own_runs(session)
        found = list(verdicts_of(session, own))
        record["verdict"], record["error_type"] = found[-1]
        record["helped"] = help_of(own[-1]).text
        record["outcomes"] = asdict(outcomes_of(own, found))
    return record


def _listed(place: Place, index: Index, seen: set[Mark]) -> Iterator[Entry]:
    paths = (
        bundled().values()
        if place == "bundled"
        else session_files(library() if place == "library" else trash())
    )
    found = []
    for path in paths:
        try:
            status = path.stat()
        except OSError as error:
            wrong = f"{path} cannot be read: {error.strerror}"
            found.append(_entry(place, path, _itself(path), {"wrong": wrong}))
            continue
        mark = mark_of(status)
        seen.add(mark)
        record = index.get(mark)
        if record is None:
            record = glance(path, status.st_size if stat.S_ISREG(status.st_mode) else 0)
            index.put(mark, record)
        found.append(_entry(place, path, status, record))
    yield from sorted(found, key=lambda e: (e.deleted or e.changed, e.name), reverse=True)


def _itself(path: Path) -> os.stat_result:
    """Size and time of a link that leads nowhere; of nothing, where that is gone too."""
    try:
        return path.lstat()
    except OSError:
        return os.stat_result((0,) * 10)


def session_files(folder: Path) -> list[Path]:
    """Everything in the folder that is called like a session; none where it cannot be read."""
    try:
        with os.scandir(folder) as found:
            return [folder / one.name for one in found if one.name.endswith(SUFFIXES)]
    except OSError:
        return []


def _entry(place: Place, path: Path, status: os.stat_result, record: dict[str, Any]) -> Entry:
    name, deleted = (name_of(path), None) if place != "trash" else before_trash(path)
    return Entry(
        name=name,
        path=path,
        place=place,
        title=record.get("title") or name,
        size=status.st_size,
        changed=datetime.fromtimestamp(status.st_mtime, UTC),
        created=moment(record.get("created")),
        deleted=deleted,
        agent=record.get("agent"),
        model=record.get("model"),
        topic=record.get("topic"),
        runs=record.get("runs", 0),
        variants=record.get("variants", 0),
        verdict=record.get("verdict"),
        error_type=record.get("error_type"),
        helped=record.get("helped") or "",
        outcomes=Outcomes(**record["outcomes"]) if "outcomes" in record else None,
        wrong=record.get("wrong"),
        checked=bool(record.get("checked")),
    )
