"""A campaign as the screen knows it: its report, the runs of the chosen cell, and how fast it goes on.

It only reads the database. A campaign is run by a process of its own (``planscope campaign resume``), begun here or in
another terminal, so it goes on when the screen is left, and both look the same here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from textual.message import Message

from planscope.campaign.cases import case_id
from planscope.campaign.store import Store, campaign_path
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.session.locations import SUFFIXES, checked_name, in_library, library_folder, make_folder
from planscope.session.store import save
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.messages import StateChanged
from planscope.wording import terms

if TYPE_CHECKING:
    from planscope.campaign.result import CampaignReportDocument

READ, LIST, OPEN = "campaign-read", "campaign-list", "campaign-open"
SOON = 1.0
"""Seconds between two looks at the database."""
REST = 5.0
"""A new reading waits this many times as long as the last one took."""
MEMORY = 20.0
"""The rate is that of this many seconds."""

_LEFT: list[subprocess.Popen[bytes]] = []
"""Processes that were still at work when their screen was left."""


class Wanted(NamedTuple):
    """Which runs a cell of a table counts; None for any. ``below``: only queries under the agent's limit."""

    arm: str | None = None
    actions: int | None = None
    verdict: str | None = None
    error_type: str | None = None
    cause: str | None = None
    topic: str | None = None
    below: bool = False

    @property
    def words(self) -> str:
        """What is listed, in words: ``tools/sim:literal, 8 actions``, ``…, only wrong, below the limit``."""
        outcome = self.error_type or self.verdict
        parts = (
            self.arm,
            self.topic,
            f"{self.actions} actions" if self.actions is not None else None,
            f"only {terms.said(outcome)}" if outcome else None,
            f"cause {terms.cause(self.cause)}" if self.cause else None,
            "below the limit" if self.below else None,
        )
        return ", ".join(part for part in parts if part)


@frozen
class CampaignState:
    """``report`` is None until it is read. ``runs``: those of ``wanted``, as :meth:`Store.listed` returns them.

    ``planned``: runs in all, None if not known. ``at_work``: a process runs it. ``rate``: runs a second, None if not
    known. ``doing``: what the process that was begun here does (``run`` or ``dissect``), or "".
    """

    report: CampaignReportDocument | None = None
    wanted: Wanted | None = None
    runs: tuple[dict[str, Any], ...] = ()
    listed: bool = False
    planned: int | None = None
    at_work: bool = False
    rate: float | None = None
    money: float = 0.0
    doing: str = ""
    trouble: str = ""

    @property
    def left(self) -> float | None:
        """Seconds until all runs are done, if that is known."""
        if self.planned is None or not self.rate or self.report is None:
            return None
        return max(self.planned - self.report.runs, 0) / self.rate


class _Read(NamedTuple):
    report: CampaignReportDocument
    planned: int | None
    workers: list[int]
    stamp: tuple[object, ...]
    took: float


class CampaignView:
    """Reads one campaign again whenever its file changed. Posts :class:`StateChanged`."""

    def __init__(self, name: str, jobs: Jobs, post: Callable[[Message], object]) -> None:
        self.name, self.path = name, campaign_path(name)
        self.state = CampaignState()
        self._jobs, self._post = jobs, post
        self._stamp: tuple[object, ...] = ()
        self._next = 0.0
        self._counts: list[tuple[float, int]] = []
        self._idle = 0
        self._workers: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None

    def close(self) -> None:
        """Read no more. A process that runs the campaign goes on."""
        for job in (READ, LIST, OPEN):
            self._jobs.cancel(job)
        _LEFT[:] = [process for process in _LEFT if process.poll() is None]
        if self._process is not None:
            _LEFT.append(self._process)
        if self._said is not None:
            self._said.close()

    @property
    def at_rest(self) -> bool:
        """Return whether nothing is being read, and no process of ours runs."""
        return not (any(self._jobs.running(job) for job in (READ, LIST, OPEN)) or self.state.at_work)

    # Reading

    def look(self) -> None:
        """Read the campaign again if it changed, in a thread."""
        now = time.monotonic()
        ended = self._process is not None and self._process.poll() is not None
        same = self._stamp == _stamp(self.path) and not ended and not self.state.at_work
        if self._jobs.running(READ) or now < self._next or same:
            return
        path, name = self.path, self.name

        def work(token: object) -> _Read:
            from planscope.campaign.report import report

            begun, stamp = time.monotonic(), _stamp(path)
            with closing(Store(path)) as store:
                return _Read(
                    report(store, name), store.planned(), store.workers(), stamp, time.monotonic() - begun
                )

        self._jobs.start(READ, work, self._read, self._failed)

    def _read(self, found: _Read) -> None:
        now = time.monotonic()
        self._stamp, self._next, self._workers = found.stamp, now + REST * found.took, found.workers
        self._counts = [(at, runs) for at, runs in self._counts if now - at < MEMORY]
        self._counts.append((now, found.report.runs))
        self._idle = (
            0 if found.workers else self._idle + 1
        )  # between two tasks nothing is claimed for a moment
        doing, trouble = self._ended()
        before, money = self.state.report, sum(arm.money or 0.0 for arm in found.report.arms.values())
        at_work = bool(doing) or (self._idle < 2 and self.state.at_work) or bool(found.workers)
        (first, had), (last, have) = self._counts[0], self._counts[-1]
        self._change(
            report=found.report,
            planned=found.planned,
            at_work=at_work,
            rate=(have - had) / (last - first) if at_work and last > first else None,
            money=money,
            doing=doing,
            trouble=trouble,
        )
        if before is None or (before.runs, before.dissected) != (found.report.runs, found.report.dissected):
            self._list()

    def _ended(self) -> tuple[str, str]:
        """Return what our process does, or why it failed."""
        process = self._process
        if process is None or process.poll() is None:
            return self.state.doing, self.state.trouble if process is None else ""
        said, self._process = self._said, None
        assert said is not None
        said.seek(0)
        lines = [line for line in said.read().decode("utf-8", "replace").splitlines() if line.strip()]
        said.close()
        failed = process.returncode not in (0, 130, -signal.SIGINT) and lines
        return "", lines[-1] if failed else ""

    def _failed(self, error: Exception) -> None:
        known = isinstance(error, UserError)
        self._stamp = _stamp(self.path)
        self._change(trouble=str(error) if known else f"the campaign cannot be read: {error}", at_work=False)

    def show(self, wanted: Wanted | None) -> None:
        """List the runs of a cell."""
        if wanted != self.state.wanted:
            self._change(wanted=wanted, runs=(), listed=False)
            self._list()

    def _list(self) -> None:
        wanted, path, report = self.state.wanted, self.path, self.state.report
        if wanted is None or report is None:
            return
        limits = report.limit

        def work(token: object) -> tuple[dict[str, Any], ...]:
            with closing(Store(path)) as store:
                return tuple(_rows(store, wanted, limits))

        def done(rows: tuple[dict[str, Any], ...]) -> None:
            self._change(runs=rows, listed=True)

        self._jobs.start(LIST, work, done, self._failed)

    # Processes

    def run(self) -> None:
        """Go on with the campaign. Raises UserError if a process does so."""
        self._begin("run", "resume")

    def dissect(self) -> None:
        """Dissect a sample of the errors. Raises UserError if a process of ours is at work."""
        self._begin("dissect", "dissect")

    def _begin(self, doing: str, *verb: str) -> None:
        if self._process is not None:
            raise UserError("another command is at work on it")
        command = [sys.executable, "-m", "planscope", "campaign", *verb, self.name, "--json"]
        quiet = subprocess.DEVNULL
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  (it is closed when the process ended)
        try:
            self._process = subprocess.Popen(
                command, stdin=quiet, stdout=quiet, stderr=self._said, start_new_session=True
            )
        except OSError as error:
            self._said.close()
            raise UserError(f"no process can be started: {error.strerror or error}") from None
        self._idle = 0
        self._counts.clear()
        self._change(at_work=True, doing=doing, trouble="")

    def stop(self) -> bool:
        """Ask all processes of this machine that run the campaign to end. Return whether there is any."""
        asked = set(self._workers)
        if self._process is not None:
            asked.add(self._process.pid)
        for pid in asked - {os.getpid()}:
            with suppress(OSError):
                os.kill(pid, signal.SIGINT)
        return bool(asked)

    # Opening a run

    def open(self, row: dict[str, Any], done: Callable[[Path], None]) -> None:
        """Write a run as a session of the library, with its dissection if there is one, and hand over its file.

        A run that was opened before keeps its file, with all that was done in it.
        """
        path, name = self.path, self.name

        def work(token: object) -> Path:
            from planscope.campaign.dissecting import Error, kept_dissection, session_of

            with closing(Store(path)) as store:
                error = Error(row["arm"], row["n"], row["idx"])
                session = kept_dissection(store, error) or session_of(store, error)
            file = checked_name(
                f"{name} {case_id(row['n'], row['idx'])} {_plain(row['arm_name'])}"[:80].strip()
            )
            had = in_library(file)
            if had is not None:
                return had
            target = make_folder(library_folder()) / f"{file}{SUFFIXES[0]}"
            save(session.model_copy(update={"title": f"{session.title}, {row['arm_name']}"}), target)
            return target

        self._jobs.start(OPEN, work, done, self._failed)

    def _change(self, **changes: Any) -> None:
        state = replace(self.state, **changes)
        if state != self.state:
            self.state = state
            self._post(StateChanged())


def _plain(text: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in text)


def _stamp(path: Path) -> tuple[object, ...]:
    """Return what changes when the database does."""
    found: list[object] = []
    for one in (path, path.with_name(path.name + "-wal")):
        try:
            stat = one.stat()
        except OSError:
            found.append(None)
        else:
            found += [stat.st_mtime_ns, stat.st_size]
    return tuple(found)


def _rows(store: Store, wanted: Wanted, limits: dict[str, int | None]) -> Sequence[dict[str, Any]]:
    arms = {record.arm.name: record.place for record in store.arms()}
    if wanted.arm is not None and wanted.arm not in arms:
        return ()
    rows = store.listed(
        None if wanted.arm is None else arms[wanted.arm], wanted.verdict, wanted.actions, wanted.error_type
    )
    if wanted.topic is not None:
        rows = [row for row in rows if row["topic"] == wanted.topic]
    if wanted.below:
        from planscope.campaign.report import is_below

        rows = [row for row in rows if is_below(row["n"], limits.get(row["arm_name"]))]
    if wanted.cause is not None:
        from planscope.campaign.report import cause_of

        mine = {
            (arm, n, index)
            for arm, n, index, _, cause, _, blameless in store.dissections()
            if cause_of(cause, blameless) == wanted.cause
        }
        rows = [row for row in rows if (row["arm"], row["n"], row["idx"]) in mine]
    return rows
