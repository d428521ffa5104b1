"""From files of other programs to a session: what a person opens or imports, recognised by its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from planscope.errors import UserError
from planscope.oracle.trace import Trace
from planscope.session import library
from planscope.session.containers import STANDARD_INPUT
from planscope.session.files import SessionError, TooLarge, fingerprint_of, names_itself
from planscope.session.locations import in_library
from planscope.session.model import Session
from planscope.session.store import load, save
from planscope.session.traces import session_of
from planscope.session.writer import check_nobody_writes
from planscope.traces.listing import format_title
from planscope.traces.opening import open_traces, reader_of
from planscope.traces.source import Source, Unreadable, file_name, file_source
from planscope.wording.phrases import plural

MOST_TOGETHER = 5_000
"""Limit of traces that become one session."""
_MOST_COPIES = 50
"""Limit of sessions of one name that are compared with a trace that is opened again."""


class Opened(NamedTuple):
    """A session that a trace became: its file, and what was read and left out, in one line."""

    path: Path
    line: str


def is_trace(source: Source) -> bool:
    """Return whether a file is a trace of another program."""
    try:
        head = source.head(4096)
        text = (
            head.data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and b'"planscope-' not in head.data
        )
        return (text or head.kind == "zip") and reader_of(source, lambda line: None).name != "planscope"
    except Unreadable:
        return False
    finally:
        source.close()


def trace_at(path: Path) -> Path | None:
    """Return the path if it is a file with traces, or a folder, or None."""
    try:
        return path if path.is_dir() or (path.is_file() and is_trace(file_source(path))) else None
    except (OSError, ValueError, Unreadable):
        return None


def opened(path: Path | Source, give: Callable[[Session], None] | None = None) -> Opened:
    """Keep the traces of a file or folder as one session in the library, which opens at the first run that failed.

    The same traces, opened again, are the session that they became the first time. ``give`` gives it rules.
    Raises UserError, one line.
    """
    name = path.name if isinstance(path, Source) else str(path)
    troubles: list[str] = []
    traces: list[Trace] = []
    for trace in open_traces([path], on_problem=troubles.append):
        traces.append(trace)
        if len(traces) > MOST_TOGETHER:
            raise UserError(f"{name} has more than {MOST_TOGETHER:,} traces; {_CHOOSE.format(name)}")
    if not traces:
        raise Unreadable(troubles[0] if troubles else f"{name}: no trace could be read")
    session = together(traces, name)
    session.cursor = {"run": session.runs[_first_failed(traces, session)].id}
    if give is not None:
        give(session)
    left = [*troubles[:1], *([f"{len(troubles) - 1:,} more files"] if len(troubles) > 1 else [])]
    notes = [line for line in session.notes.splitlines() if line.startswith(("left out", "not read"))]
    said = [what_was_read(traces), *notes[:2], *(f"not read: {one}" for one in left)]
    kept = _kept(session, "trace" if name == STANDARD_INPUT else file_name(name), give)
    return Opened(kept, "; ".join(said))


def opened_at(path: Path) -> Opened:
    """Return the file as it is if it is a session, or the session that its traces become."""
    trace = None if names_itself(path) else trace_at(path)
    return Opened(path, "") if trace is None else opened(trace)


_CHOOSE = "planscope import {} --list lists them, and --pick ID takes one"


def together(traces: Sequence[Trace], source: str) -> Session:
    """Return one session with a run for each trace of a file. Raises UserError if they do not fit into one."""
    if len(traces) == 1:
        return session_of(traces)
    try:
        return session_of(traces, f"{file_name(source)}: {plural(len(traces), 'trace')}")
    except TooLarge as error:
        told = f"{len(traces):,} traces do not fit into one session ({error})"
        raise UserError(f"{told}; {_CHOOSE.format(source)}") from None


def what_was_read(traces: Sequence[Trace]) -> str:
    """Say what was read: ``read: Claude Code session, 4 calls of 3 tools``."""
    calls = sum(len(trace.calls) for trace in traces)
    tools = len({call.tool for trace in traces for call in trace.calls})
    one_format = len({trace.format for trace in traces}) == 1
    what = format_title(traces[0].format) if one_format else "several formats"
    many = f"{plural(len(traces), 'trace')}, " if len(traces) > 1 else ""
    found = f"{plural(calls, 'call')} of {plural(tools, 'tool')}" if calls else "no tool calls"
    return f"read: {what}, {many}{found}"


def _first_failed(traces: Iterable[Trace], session: Session) -> int:
    """Return the index of the run of the trace to look at first: graded 0 or less, or else with a failed call, or else
    the last one."""
    at = {run.id: k for k, run in enumerate(session.runs)}
    ids = [(trace, trace.id) for trace in traces if trace.id in at]
    graded = (at[id] for trace, id in ids if trace.reward is not None and trace.reward <= 0)
    failed = (at[id] for trace, id in ids if any(call.failed for call in trace.calls))
    return next(graded, next(failed, len(session.runs) - 1))


def _kept(session: Session, wanted: str, give: Callable[[Session], None] | None) -> Path:
    """Return the session of the library that has these runs, with the rules that are given, or else save this one
    there."""
    for number in range(1, _MOST_COPIES):
        path = in_library(wanted if number == 1 else f"{wanted}-{number}")
        if path is None:
            break
        try:
            stamp, found = fingerprint_of(path), load(path)
        except SessionError:
            continue
        runs = {run.id: run for run in found.runs}
        if any(runs.get(run.id) != run for run in session.runs):
            continue
        if give is not None and found.rules != session.rules:
            check_nobody_writes(path)
            give(found)
            save(found, path, unless_changed=stamp)
        return path
    return library.add(session, wanted)
