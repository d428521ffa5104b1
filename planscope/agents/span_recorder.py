"""Records agents of any framework that makes OpenTelemetry spans, by a span processor (extra ``otel``).

::

    import planscope
    provider.add_span_processor(planscope.record_spans("my_agent.planscope.json", rules="rules.txt"))

A trace becomes a run when its last span has ended. Spans are read as ``planscope import`` reads them; traces without
calls of a model or a tool are left alone. The processor never makes the program fail: a problem is one warning.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.agents.own_agent import FileRecorder, record
from planscope.oracle.trace import Said, ToolCall
from planscope.session.json_bytes import Obj
from planscope.session.merging import finish_merging
from planscope.session.traces import actions_of, run_of
from planscope.traces.formats import otel

if TYPE_CHECKING:
    from planscope.oracle.trace import Trace

MOST_SPANS = 100_000
"""Limit of spans that are kept of one trace."""
MOST_TRACES = 1_000
"""Limit of traces that are under way; the oldest is given up."""


class SpanRecorder:
    """The spans of each trace, until its last one has ended. The methods are those of a span processor."""

    def __init__(self, file: FileRecorder) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._open: dict[int, int] = {}
        self._records: dict[int, list[Obj]] = {}
        self._work: ThreadPoolExecutor | None = None
        self._waiting: set[Future[None]] = set()

    def on_start(self, span: object, parent_context: object = None) -> None:
        """Count a span that begins."""
        self._file.attempt(self._started, span)

    def on_end(self, span: object) -> None:
        """Keep a span that has ended; with the last one of its trace, the run is written in the background."""
        self._file.attempt(self._ended, span)

    def shutdown(self) -> None:
        """Write what is complete."""
        self.force_flush()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Wait until complete traces are in the session's file."""
        with self._lock:
            waiting = list(self._waiting)
        left = wait(waiting, timeout_millis / 1000).not_done
        self._file.attempt(finish_merging)
        return not left

    def _started(self, span: Any) -> None:
        trace = span.get_span_context().trace_id
        with self._lock:
            self._open[trace] = self._open.get(trace, 0) + 1
            if len(self._open) > MOST_TRACES:
                oldest = next(iter(self._open))
                self._open.pop(oldest)
                self._records.pop(oldest, None)

    def _ended(self, span: Any) -> None:
        trace = span.get_span_context().trace_id
        record = otel.record_of(json.loads(span.to_json(indent=None)))
        with self._lock:
            if trace not in self._open:
                return
            records = self._records.setdefault(trace, [])
            if len(records) < MOST_SPANS:
                record["order"] = len(records)
                records.append(record)
            self._open[trace] -= 1
            if self._open[trace]:
                return
            del self._open[trace], self._records[trace]
            if self._work is None:
                self._work = ThreadPoolExecutor(1, "planscope-spans")
            done = self._work.submit(self._file.attempt, self._write, f"{trace:032x}", records)
            self._waiting.add(done)
            done.add_done_callback(self._waiting.discard)

    def _write(self, id: str, records: list[Obj]) -> None:
        found = otel.trace_of(id, records)
        if found is None:
            return
        run = run_of(found, "r1")
        started = datetime.fromtimestamp(found.started or 0.0, UTC)
        journal = self._file.journal(
            {"agent": _agent(found), "model": run.model, "started": started.isoformat()}
        )
        for action in actions_of([found]):
            tool = {"name": action.tool, "description": action.description, "parameters": action.parameters}
            journal.append_text(json.dumps({"tool": tool}))
        journal.events(run.events)
        journal.close()
        self._file.complete()


def _agent(found: Trace) -> str:
    """Return the name of the trace's first agent."""
    names = (one.agent for one in found.items if isinstance(one, ToolCall | Said))
    return next((name for name in names if name), "own")


def record_spans(
    path: str | Path,
    *,
    title: str | None = None,
    query: str = "",
    rules: str | Path | Sequence[str] = "",
    attach: bool | None = None,
) -> object:
    """Make an OpenTelemetry span processor that records agents' runs in a session file.

    The options are those of :func:`record`; an attached debugger can only watch. Raises ImportError if OpenTelemetry's
    SDK is missing.
    """
    try:
        from opentelemetry.sdk.trace import SpanProcessor
    except ImportError:
        raise ImportError(
            "record_spans needs OpenTelemetry's SDK; install it with: pip install 'planscope[otel]'"
        ) from None
    made = type("PlanscopeSpanRecorder", (SpanRecorder, SpanProcessor), {})
    return made(record(path, title=title, query=query, rules=rules, attach=attach))
