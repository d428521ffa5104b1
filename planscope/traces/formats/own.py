"""Reads planscope's own files: sessions, whose runs are traces, and the journals of runs that are being recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planscope.oracle.trace import Trace
from planscope.session.files import LARGEST
from planscope.traces.reader import FileFormat, Options
from planscope.traces.source import Source, Unreadable

if TYPE_CHECKING:
    from planscope.session.model import Session


def _read(source: Source, options: Options) -> Iterator[Trace]:
    # imported late: other formats do not need pydantic
    from planscope.session.recordings import session_in_journal
    from planscope.session.store import loads

    with source.stream() as file:
        data = file.read(LARGEST + 1)
    if source.seen.objects[0].get("format") == "planscope-recording":
        session = session_in_journal(data)
        if session is None:
            raise Unreadable(f"{source.name}: a recording whose beginning cannot be read")
    else:
        session = loads(data, source.name)
    yield from traces_of(session)


def traces_of(session: Session) -> Iterator[Trace]:
    """Yield the runs of a session as traces, each with the run's id."""
    from planscope.session.traces import trace_of

    for run in session.runs:
        trace = trace_of(run)
        trace.title = session.title
        yield trace


_SIGNS = ((1.0, "format=planscope-session|planscope-recording"),)
READERS = (FileFormat("planscope", "a planscope session", _SIGNS, _read),)
