"""A run of the fuzzer that the screen started: how far it is, and how it is stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from planscope.session.model import FuzzFinding, Fuzzing
from planscope.toolfuzz.engine import Fuzz, Stopped
from planscope.toolfuzz.formats import smallest
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.keeping import put, record_of
from planscope.toolfuzz.report import Report, interval_words
from planscope.toolfuzz.reproduce import check, check_sequence
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import CancelToken, Jobs

JOB = "fuzz tools"
_BETWEEN = 0.15
"""Seconds between two looks at the search."""


class Progress(NamedTuple):
    """How far a search is. ``points``: calls and errors, at each new error; ``most``: the calls that were asked for.

    ``estimate``: the estimate of all errors in words, empty before an error was found.
    """

    target: str
    tool: str = ""
    calls: int = 0
    most: int = 0
    errors: int = 0
    points: Sequence[tuple[int, int]] = ()
    estimate: str = ""
    ended: bool = False


def progress_of(report: Report, tool: str, calls: int, *, ended: bool = False) -> Progress:
    """Return how far a search is, all tools one after the other. ``calls``: those for each tool."""
    points: list[tuple[int, int]] = []
    before = errors = 0
    for one in report.tools:
        points += [(before + at, errors + unique) for at, unique in one.curve]
        before += one.calls
        errors += one.curve[-1][1] if one.curve else 0
    counted = len(report.counted())
    if counted > errors:  # those of sequences
        points += [(max(report.calls, before), counted)]
    figures = report.figures()
    return Progress(
        report.target,
        tool,
        report.calls,
        max(calls * sum(one.skipped is None for one in report.tools), report.calls),
        max(counted, errors),
        points,
        f"about {figures.chao1:g} in all ({interval_words(figures)})" if counted else "",
        ended,
    )


def again(fuzzing: Fuzzing, finding: FuzzFinding) -> str:
    """Make a finding's calls again, in the sandbox and without network. Return what they show. For a thread.

    Raises UserError if the target cannot be used.
    """
    given, reset = smallest(finding), fuzzing.reset
    try:
        if isinstance(given, list):
            check_sequence(fuzzing.target, given, finding.kind, finding.exception, finding.knows, reset=reset)
        elif isinstance(given, dict):
            check(fuzzing.target, finding.tool, given, finding.needs or (), reset=reset)
    except AssertionError as error:
        return f"it still fails: {str(error).splitlines()[0]}"
    return "it does not fail any more"


class ToolSearch:
    """One search at a time. ``changed`` is called on the event loop's thread, with a message at the end."""

    def __init__(self, document: Document, jobs: Jobs, changed: Callable[[str], None]) -> None:
        self._document, self._jobs, self._changed = document, jobs, changed
        self._stop = threading.Event()
        self.progress: Progress | None = None

    @property
    def running(self) -> bool:
        return self.progress is not None and not self.progress.ended

    def start(self, options: Options) -> None:
        """Fuzz a target. What is found is kept in the session at the end, also if it is stopped."""
        calls = options.calls or 0
        self._stop = stop = threading.Event()
        self.progress = Progress(options.target)

        def work(token: CancelToken) -> Report:
            fuzz = Fuzz(options)
            last = 0.0

            def heard(message: Mapping[str, Any], report: Report) -> None:
                nonlocal last
                if stop.is_set() or token.cancelled:
                    raise Stopped
                if message["event"] in ("progress", "sequences") and time.monotonic() - last > _BETWEEN:
                    last = time.monotonic()
                    made = progress_of(report, str(message.get("tool", "")), calls)
                    self._jobs.tell(lambda: self._take(made))

            return fuzz.run(heard)

        def done(report: Report) -> None:
            self.progress = progress_of(report, "", calls, ended=True)
            self._keep(report, options)

        def failed(error: Exception) -> None:
            self.progress = None
            self._changed(str(error))

        self._jobs.start(JOB, work, done, failed)
        self._changed("")

    def stop(self) -> None:
        """Stop the search after the calls that it makes now."""
        self._stop.set()

    def _take(self, progress: Progress) -> None:
        if self.running:
            self.progress = progress
            self._changed("")

    def _keep(self, report: Report, options: Options) -> None:
        if not report.tools:
            self._changed("stopped before the first call")
            return
        session = self._document.open_session.model_copy()
        put(session, record_of(report, options.reset))
        self._document.edit(fuzzings=session.fuzzings)
        self._changed("stopped; what was found is kept" if report.interrupted else "done")
