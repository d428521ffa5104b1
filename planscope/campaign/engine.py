"""Runs a campaign: claims cases, has workers run them, and writes the results as they come.

Whatever ends the process, at most the runs under way are lost; the next call goes on with what is missing. Two
processes on one campaign share its cases.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from logging import CRITICAL, getLogger
from typing import Any

from planscope.agents.many_runs import AT_ONCE
from planscope.campaign.cases import FEWEST, LIMIT_RATE
from planscope.campaign.store import ArmRecord, Store, Used
from planscope.campaign.worker import Done, Item, Row, Task, is_light, perform, stop_all
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.signals import end_with_parent

CHUNK_SECONDS = 0.25
"""A task of simulated models takes about this long, so that little time is lost between processes."""

MOST_IN_TASK = 64

SHORT = 4.0
"""Less work than this, in seconds, is done in this process, since others take as long to start."""

IN_VAIN = 8
"""An arm stops after this many aborted runs in a row."""

BROKEN = 3
"""The campaign stops if workers die this many times in a row."""

CONNECT = 10.0
"""Seconds until a cluster that does not answer is given up."""

_ASIDE = 0.2
"""Seconds between two looks at what other processes have done."""


@dataclass(slots=True)
class ArmState:
    """What one arm has left to do. ``n``: the number of actions it is at, or None if several are mixed."""

    record: ArmRecord
    light: bool
    used: Used
    n: int | None = None
    queue: list[tuple[int, int]] = field(default_factory=list)
    pending: int = 0
    vain: int = 0
    over: bool = False
    why: str = ""
    """Why it began no more runs, if not because all is done."""
    done: int = 0
    right: int = 0
    counted: int = 0
    """Of the present n."""

    @property
    def name(self) -> str:
        return self.record.arm.name


@frozen
class Progress:
    """The state of a campaign. ``total``: runs in all, or None if the arms grow; ``left``: seconds, if known."""

    done: int
    total: int | None
    seconds: float
    left: float | None
    money: float
    here: int
    """Runs of this pass."""
    arms: tuple[tuple[str, int | None, int, int, str], ...]
    """Name, n, right and counted runs of that n, and why it ended early."""


OnProgress = Callable[[Progress], None]


class Campaign:
    """One pass over a campaign. ``workers``: processes for simulated models. ``at_once``: runs of other models.

    ``cluster``: an executor for all tasks instead (Dask's). ``on_progress`` is called in the thread of :meth:`go`.
    """

    def __init__(
        self,
        store: Store,
        *,
        workers: int = 1,
        at_once: int = AT_ONCE,
        cluster: Executor | None = None,
        on_progress: OnProgress | None = None,
    ) -> None:
        self.store, self.workers, self.at_once = store, workers, at_once
        self._cluster, self._on_progress = cluster, on_progress
        self.knobs, self.limits = store.knobs, store.limits
        self._pass = uuid.uuid4().hex[:12]
        used = store.used()
        self.arms = [
            ArmState(record, is_light(record.arm), used.get(record.place, Used())) for record in store.arms()
        ]
        self._each: float | None = None
        """Seconds that a run of a simulated model takes."""
        self._stop = False
        self._begun = time.monotonic()
        self._here = 0
        self._turn = 0

    def stop(self) -> None:
        """Have :meth:`go` end soon, from any thread. Runs under way are dropped and done at the next pass."""
        self._stop = True
        stop_all()

    def go(self) -> Progress:
        """Run what is missing, and return the state at the end. An interrupt ends it; all written rows are kept."""
        for state in self.arms:
            self._refill(state)
        pending: dict[Future[Done], tuple[Task, tuple[int, ...]]] = {}
        pools = _Pools(self.workers, self.at_once, self._cluster)
        broken = 0
        try:
            while not self._stop:
                for task, places in self._more(pending):
                    light = is_light(task.arms[0])
                    pending[pools.submit(task, light=light, here=light and self._is_short())] = task, places
                if not pending:
                    if all(state.over for state in self.arms):
                        break
                    time.sleep(_ASIDE)
                    self._settle()
                    continue
                ended, _ = wait(pending, timeout=1.0, return_when=FIRST_COMPLETED)
                for future in ended:
                    task, places = pending.pop(future)
                    try:
                        done = future.result()
                    except CancelledError:
                        raise UserError("the cluster is gone; the runs so far are kept") from None
                    except Exception as error:
                        if not _worker_died(error):
                            raise
                        broken += 1
                        if broken >= BROKEN:
                            raise UserError(
                                f"worker processes died {BROKEN} times in a row; the runs so far are kept; "
                                "try again with fewer --workers"
                            ) from None
                        pools.renew()
                        self._back(task, places)
                        continue
                    broken = 0
                    self._ended(task, places, done)
                self._settle()
                self._tell()
        finally:
            stop_all()
            pools.close()
            with suppress(UserError):
                for task, places in pending.values():
                    self.store.release((places[item.arm], item.n, item.number) for item in task.items)
        return self._progress()

    # ------------------------------------------------------------------ what comes next

    def _more(
        self, pending: dict[Future[Done], tuple[Task, tuple[int, ...]]]
    ) -> Iterator[tuple[Task, tuple[int, ...]]]:
        """Yield tasks until the workers have enough to do."""
        room = self.workers * 2 if self.workers > 1 or self._cluster is not None else 1
        for light in (True, False):
            busy = sum(is_light(task.arms[0]) is light for task, _ in pending.values())
            most = room if light else self.at_once
            while busy < most and (found := self._next(light)) is not None:
                busy += 1
                yield found

    def _next(self, light: bool) -> tuple[Task, tuple[int, ...]] | None:
        """Claim the next cases. Simulated models that are equally far share the cases of a task."""
        open_arms = [
            s for s in self.arms if s.light is light and s.queue and not s.over and not self._is_spent(s)
        ]
        while open_arms:
            if light:
                first = min(open_arms, key=lambda s: s.queue[0])
                share = [s for s in open_arms if s.n == first.n and s is not first]
            else:
                self._turn += 1
                first, share = open_arms[self._turn % len(open_arms)], []
            bounded = any(state.record.budget.limited for state in (first, *share))
            size = self._size(1 + len(share)) if light and not bounded else 1
            wanted = first.queue[:size]
            taken = self._claim(first, wanted)
            items = [Item(0, n, index) for n, index in taken]
            members = [first]
            for state in share:
                also = self._claim(state, [case for case in taken if case in set(state.queue[: len(wanted)])])
                if also:
                    items += [Item(len(members), n, index) for n, index in also]
                    members.append(state)
            if items:
                items.sort(key=lambda item: item[1:])
                arms = tuple(state.record.arm for state in members)
                places = tuple(state.record.place for state in members)
                return Task(self.knobs, arms, tuple(items), self.limits), places
            open_arms = [s for s in open_arms if s.queue]
        return None

    def _claim(self, state: ArmState, wanted: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Claim cases of an arm. Those that were done or are claimed elsewhere leave its queue, too."""
        until = time.time() + 2 * self.limits.seconds
        taken = self.store.claim(state.record.place, wanted, len(wanted), self._pass, until)
        gone = set(wanted)
        state.queue = [case for case in state.queue if case not in gone]
        state.pending += len(taken)
        return taken

    def _size(self, arms: int) -> int:
        each = self._each
        return 2 if each is None else max(1, min(MOST_IN_TASK, int(CHUNK_SECONDS / (each * arms))))

    def _is_short(self) -> bool:
        """Return whether little is left for simulated models, or it is not known yet how long their runs take."""
        each = self._each
        return each is None or each * sum(len(state.queue) for state in self.arms if state.light) < SHORT

    def _is_spent(self, state: ArmState) -> bool:
        """Return whether the arm's budget is spent; it then begins nothing more."""
        if state.record.budget.spent(state.used):
            state.queue.clear()
            state.why = "budget"
        return state.why != ""

    # ------------------------------------------------------------------ what came back

    def _ended(self, task: Task, places: tuple[int, ...], done: Done) -> None:
        rows = done.rows
        if self._stop:
            rows = tuple(row for row in rows if row.verdict != "aborted")
        self.store.keep(places, done.cases, rows, self._pass)
        if rows and is_light(task.arms[0]):
            each, before = done.took / len(rows), self._each
            self._each = each if before is None else 0.7 * before + 0.3 * each
        by_place = {state.record.place: state for state in self.arms}
        for row in rows:
            self._count(by_place[places[row.arm]], row)
        self._here += len(rows)

    def _count(self, state: ArmState, row: Row) -> None:
        state.pending -= 1
        state.done += 1
        used = state.used
        state.used = Used(
            used.seconds + row.seconds,
            used.input_tokens + (row.input_tokens or 0),
            used.output_tokens + (row.output_tokens or 0),
        )
        if row.verdict in ("right", "wrong") and not row.helped:
            state.counted += 1
            state.right += row.verdict == "right"
        state.vain = state.vain + 1 if row.verdict == "aborted" else 0
        if state.vain >= IN_VAIN and not state.why:
            state.queue.clear()
            state.why = f"{IN_VAIN} runs in a row were aborted: {row.why or 'no reason is known'}"

    def _back(self, task: Task, places: tuple[int, ...]) -> None:
        """Put the cases of a task that no worker did back into the queues."""
        self.store.release((places[item.arm], item.n, item.number) for item in task.items)
        by_place = {state.record.place: state for state in self.arms}
        for item in task.items:
            state = by_place[places[item.arm]]
            state.pending -= 1
            state.queue.append((item.n, item.number))
        for state in by_place.values():
            state.queue.sort()

    # ------------------------------------------------------------------ from one n to the next

    def _settle(self) -> None:
        """For each arm with nothing left to begin: wait for others, refill, go on to the next n, or end."""
        for state in self.arms:
            if state.over or state.pending or (state.queue and not self._is_spent(state)):
                continue
            if state.why:
                state.over = True
                continue
            if self._elsewhere(state):
                continue
            self._refill(state)

    def _elsewhere(self, state: ArmState) -> bool:
        """Return whether another process works on what is missing here."""
        wanted = self._cases(state)
        return any(
            self.store.claimed_elsewhere(state.record.place, n) for n in sorted({n for n, _ in wanted})
        )

    def _refill(self, state: ArmState) -> None:
        """Queue the cases of the arm that have no run. If there is none, go on to the next n, or end the arm."""
        record = state.record
        if state.n is None and record.high is None and self.knobs.drawn is None:
            state.n = max(record.low, FEWEST)
        while True:
            outcomes = self.store.outcomes(record.place)
            state.queue = sorted(
                case
                for case in self._cases(state)
                if case not in outcomes
                or (outcomes[case][0] == "aborted" and self._again(record.place, case))
            )
            self._recount(state, outcomes)
            if state.queue or state.n is None:
                state.over = not state.queue
                return
            if state.counted == 0:
                state.why, state.over = f"no run with {state.n} actions could be judged", True
                return
            if state.right / state.counted < LIMIT_RATE or state.n >= self.knobs.last:
                state.over = True
                return
            state.n += 1

    def _again(self, place: int, case: tuple[int, int]) -> bool:
        """Return whether an aborted run is tried again in this pass."""
        taken = self.store.claim(place, [case], 1, self._pass, time.time() + 1)
        self.store.release((place, *one) for one in taken)
        return bool(taken)

    def _recount(self, state: ArmState, outcomes: dict[tuple[int, int], tuple[str, bool]]) -> None:
        state.done = len(outcomes)
        found = [
            verdict
            for (n, _), (verdict, helped) in outcomes.items()
            if state.n in (None, n) and not helped and verdict in ("right", "wrong")
        ]
        state.right, state.counted = found.count("right"), len(found)

    def _cases(self, state: ArmState) -> list[tuple[int, int]]:
        """Return the cases that the arm has to run now: those of its n, or all if no n depends on another."""
        low, high = state.record.low, state.record.high
        if state.n is not None:
            low = high = state.n
        return list(self.knobs.cases_of(low, high or low))

    # ------------------------------------------------------------------ progress

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def _progress(self) -> Progress:
        done = sum(state.done for state in self.arms)
        growing = any(state.n is not None and not state.over for state in self.arms)
        waiting = sum(len(state.queue) + state.pending for state in self.arms)
        seconds = time.monotonic() - self._begun
        rate = self._here / seconds if seconds > 0 else 0.0
        left = waiting / rate if rate > 0 and not growing else None
        money = sum(state.record.budget.cost(state.used) for state in self.arms)
        arms = tuple((s.name, s.n, s.right, s.counted, s.why) for s in self.arms)
        return Progress(done, None if growing else done + waiting, seconds, left, money, self._here, arms)


class _Pools:
    """The executors: processes for simulated models, threads that wait for the others, or one cluster for all."""

    def __init__(self, workers: int, at_once: int, cluster: Executor | None) -> None:
        self._workers, self._at_once, self._cluster = workers, at_once, cluster
        self._processes: ProcessPoolExecutor | None = None
        self._threads: ThreadPoolExecutor | None = None

    def submit(self, task: Task, *, light: bool, here: bool) -> Future[Done]:
        """Begin a task. ``here``: do it in this process at once, unless processes are running already."""
        if self._cluster is not None:
            return self._cluster.submit(perform, task)
        if not light:
            if self._threads is None:
                self._threads = ThreadPoolExecutor(self._at_once, "planscope campaign")
            return self._threads.submit(perform, task)
        if self._workers == 1 or (here and self._processes is None):
            return _at_once(task)
        if self._processes is None:
            import multiprocessing

            self._processes = ProcessPoolExecutor(
                self._workers, multiprocessing.get_context("spawn"), end_with_parent
            )
        try:
            return self._processes.submit(perform, task)
        except BrokenProcessPool as error:
            failed: Future[Done] = Future()
            failed.set_exception(error)
            return failed

    def renew(self) -> None:
        """Drop the processes; the next task gets new ones."""
        if self._processes is not None:
            self._processes.shutdown(wait=False, cancel_futures=True)
            self._processes = None

    def close(self) -> None:
        for pool in (self._processes, self._threads):
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)


def _at_once(task: Task) -> Future[Done]:
    """Do a task here and now."""
    done: Future[Done] = Future()
    done.set_result(perform(task))
    return done


def dask(address: str) -> tuple[Any, Executor]:
    """Return a Dask client and its executor. ``address``: ``local`` or ``tcp://HOST:PORT``. Raises UserError."""
    try:
        from distributed import Client
    except ImportError:
        raise UserError("--cluster needs a package; install it with: pip install '.[cluster]'") from None
    for logger in ("distributed", "distributed.client", "tornado.application"):
        getLogger(logger).setLevel(
            CRITICAL
        )  # what goes wrong is said in one line, and not with Dask's tracebacks
    try:
        if address == "local":
            client = Client(threads_per_worker=1, dashboard_address=":0", set_as_default=False)
        else:
            client = Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UserError(
            f"the cluster {address[:100]} cannot be reached: {error}; name local or tcp://HOST:PORT"
        ) from None
    return client, client.get_executor(pure=False)  # a case that is tried again is run again


def _worker_died(error: BaseException) -> bool:
    """Return whether a task failed since its worker died. Dask says so only after it tried other workers."""
    return isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker"
