"""Dissects a query: makes mutants and runs them, one by one or several at once, until the cause is clear."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any, Literal, Protocol

from planscope.agents.event_loop import wait_for
from planscope.agents.many_runs import aborted
from planscope.agents.models import LoadedModel
from planscope.agents.options import RunOptions
from planscope.agents.runner import LiveRun
from planscope.agents.simulated_runs import run_simulated
from planscope.dissection.blame import has_culprit, limit_instead, proved, search_of
from planscope.dissection.changes import Changes
from planscope.dissection.options import DissectOptions
from planscope.dissection.paper import decide_paper, next_round
from planscope.dissection.rates import SPEAKS_FOR, Pick, is_settled, next_run
from planscope.dissection.results import Results
from planscope.dissection.summary import decided
from planscope.dissection.variants import Mutants, NoVariant
from planscope.errors import UserError
from planscope.oracle.replay import replay
from planscope.oracle.trace import Trace
from planscope.session.model import (
    Cell,
    CellKind,
    Dissection,
    EndEvent,
    Run,
    Session,
    Variant,
    next_dissection_id,
)
from planscope.session.oracle_input import problem_of


class Plan(Protocol):
    """Chooses the runs of a dissection. ``number``: of the mutant that the user asked for, if any."""

    number: int | None

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        """Return the next run, or None if none can begin until a pending one has ended. ``pending``: runs in
        progress."""

    def done(self, results: Results) -> bool:
        """Return whether the answer is settled, regardless of the runs in progress."""


class Rates:
    """Chooses runs by the method ``rates``."""

    number: int | None = None

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        if self.done(results):
            return None
        return next_run(results.evidence(), results.closed, pending, failed=results.failed)

    def done(self, results: Results) -> bool:
        return is_settled(results.evidence(), failed=results.failed)


class Paper:
    """Chooses runs by the method ``paper`` (Algorithm 2)."""

    number: int | None = None

    def __init__(self, budget: int) -> None:
        self.budget = budget

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        return next_round(
            results.evidence(), self.budget, failed=results.failed, closed=results.closed, pending=pending
        )

    def done(self, results: Results) -> bool:
        found = decide_paper(results.evidence(), self.budget, failed=results.failed, closed=results.closed)
        return found.settled


class Blame:
    """Chooses the runs that look for the words to blame, after the cause is stated."""

    number: int | None = None

    def __init__(self, changes: Changes, seed: int) -> None:
        self.changes, self.seed = changes, seed
        self.exhausted: set[frozenset[int]] = set()

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        if self.done(results):
            return None
        search = search_of(self.changes, results.by_kind(), self.exhausted)
        pick = search.next(random.Random(f"{self.seed} {len(search.trials)} {len(pending)}"))
        # Queries of the kind that cures tell whether a number, a length or a place is to blame.
        kind, cause = SPEAKS_FOR[self.changes.cause], self.changes.cause
        now = (pick is None or results.spent % 2) and kind not in results.closed
        if now and (cause == "Structure" or limit_instead(results.asked, cause, results.by_kind())):
            return Pick(kind, None)
        return pick

    def done(self, results: Results) -> bool:
        return any(proved(self.changes, results.asked, results.by_kind()))


@dataclass(slots=True)
class Asked:
    """Chooses the runs that the user asked for: ``times`` of one mutant, or one each on ``times`` new mutants of a
    kind."""

    kind: CellKind
    number: int | None
    times: int
    begun: list[int | None] = field(default_factory=list)

    def next(self, results: Results, pending: Sequence[Pick]) -> Pick | None:
        if len(self.begun) >= self.times:
            return None
        place = self._place(results, pending)
        if place is None and self.kind in results.closed and self.number is None:
            return None
        self.begun.append(place)
        return Pick(self.kind, place)

    def done(self, results: Results) -> bool:
        return False

    def _place(self, results: Results, pending: Sequence[Pick]) -> int | None:
        cells = results.cells(self.kind)
        if self.number is not None:
            return next((i for i, c in enumerate(cells) if c.number == self.number), None)
        if self.kind == "Original":
            return 0 if cells else None
        busy = {p.place for p in pending if p.kind == self.kind}
        return next((i for i, c in enumerate(cells) if not c.runs and i not in busy), None)


def plan_for(
    method: Literal["rates", "paper"], budget: int, kind: CellKind | None, number: int | None, times: int
) -> Plan:
    if kind is not None:
        return Asked(kind, number, times)
    return Paper(budget) if method == "paper" else Rates()


OnCell = Callable[[Cell, Variant], None]
OnRun = Callable[[Cell, Run], None]

IN_VAIN = 4
"""Give up after this many aborted runs in a row."""


class Dissector:
    """One dissection in progress. The constructor reads the session; only :meth:`add_to` changes it.

    ``variant`` is the query, whose runs are neither guarded nor traced; ``run`` the failing run that it begins with,
    if any. ``resume``: a dissection of this session to continue (then run, method and seed are its own, and the budget
    is its new total). ``on_cell`` receives each mutant when it is made (without runs), ``on_run`` each run when it has
    ended. Both are called on the thread of :meth:`go` or the agents' event loop, so they should pass the objects on and
    return at once; these are not changed afterwards. The ids of new objects begin with the dissection's (``d1v1``,
    ``d1r1``), so they are free.

    Simulated models go through the light loop one after the other, the i-th run with a seed of its own; others run
    at once. Raises the errors of :class:`planscope.agents.runner.LiveRun` if no run can begin, ``ParseFailure`` if
    the query cannot be read, and ``UserError`` if it cannot be met or ``resume`` does not fit.
    """

    def __init__(
        self,
        session: Session,
        variant: Variant,
        options: DissectOptions,
        *,
        run: Run | None = None,
        resume: Dissection | None = None,
        on_cell: OnCell | None = None,
        on_run: OnRun | None = None,
    ) -> None:
        spec, agent = options.check(), options.agent
        own = spec.character.seed if spec.character else options.seed
        if resume is None:
            record = Dissection(
                id=next_dissection_id(session),
                variant=variant.id,
                run=run.id if run is not None else None,
                method=options.method,
                agent=agent,
                model=spec.text,
                seed=own,
                budget=options.budget,
                culprit_budget=options.culprit_budget,
            )
        else:
            _check_resumed(resume, variant, spec.text, agent)
            budgets = {"budget": options.budget, "culprit_budget": options.culprit_budget}
            record = resume.model_copy(update=budgets)
        _check_possible(variant)
        self._spec = spec
        self._options = replace(options, model=spec.text, guard=False, rules=None, tracing=False)
        self._mutants = Mutants(variant, record.seed or 0)
        self._results = Results(session, record, variant)
        self._on_cell, self._on_run = on_cell, on_run
        self._seeds = self._fresh_seeds(session, record.seed or 0)
        self._stopped = threading.Event()
        self._over = False
        self._limit = options.budget
        self._lock = threading.Lock()
        self._wake: Callable[[], object] | None = None
        self._vain = 0
        """How many of the last runs in a row were aborted."""

    @property
    def dissection(self) -> Dissection:
        """A copy of the record so far. May be read from any thread."""
        return self._results.copy()

    def go(self, kind: CellKind | None = None, number: int | None = None, *, times: int = 1) -> Dissection:
        """Spend runs, and return when done. May be called again, also after :meth:`stop`.

        Without a ``kind``, the method chooses the runs until it has decided or the budget is spent. With a ``kind``,
        each of ``times`` new mutants gets a run. With a ``number`` too, that mutant gets ``times`` runs. All count
        against the budget. An interrupt (Ctrl-C) stops the runs in progress, and is passed on.
        """
        record = self._results.copy()
        plan = plan_for(record.method, record.budget, kind, number, times)
        with self._lock:
            self._over = False
        self._results.began(datetime.now(UTC))
        trouble: str | None = "user"
        try:
            trouble = self._run(plan)
            if trouble is None and kind is None and not self._stopped.is_set():
                blame = self._blame()
                trouble = self._run(blame) if blame is not None else None
        finally:
            self._results.ended(self._ending(trouble))
            with self._lock:
                self._over = True
                self._stopped.clear()
        return self._results.copy()

    def stop(self) -> None:
        """End :meth:`go` soon, from any thread: runs in progress are cancelled and dropped, finished ones stay.

        If :meth:`go` was not called yet, its first call ends at once. After a call has ended, this does nothing.
        """
        with self._lock:
            if self._over:
                return
            self._stopped.set()
            if self._wake is not None:
                self._wake()

    def add_to(self, session: Session) -> Dissection:
        """Add the results so far to a session, in the thread that owns it. May be called repeatedly."""
        return self._results.add_to(session)

    def _ending(self, trouble: str | None) -> str | None:
        if trouble is not None or self._stopped.is_set():
            return trouble or "user"
        record = self._results.copy()
        decision = decided(record, self._results.evidence(), self._results.failed)
        undecided = decision.cause is None and not decision.blameless
        return "budget" if undecided and self._results.spent >= record.budget else None

    def _run(self, plan: Plan) -> str | None:
        """Spend the runs that a plan chooses. Return why they ended early, or None."""
        record = self._results.copy()
        self._limit = record.budget + (record.culprit_budget if isinstance(plan, Blame) else 0)
        return self._one_by_one(plan) if self._options.light else wait_for(self._together(plan))

    def _blame(self) -> Blame | None:
        """Return the plan that looks for the words to blame, or None if none can be or they are not wanted."""
        record, evidence = self._results.copy(), self._results.evidence()
        decision = decided(record, evidence, self._results.failed)
        if record.method != "rates" or not record.culprit_budget or not has_culprit(decision):
            return None
        assert decision.cause is not None
        changes = self._mutants.changes(decision.cause, self._results)
        return Blame(changes, record.seed or 0) if changes.all else None

    # ------------------------------------------------------------------ what comes next

    def _next(self, plan: Plan, pending: list[Pick]) -> tuple[Pick, Cell, Variant] | None:
        """Return the next run with its mutant, which is made if necessary, or None if none can begin now."""
        while not self._stopped.is_set():
            if self._results.spent + len(pending) >= self._limit:
                return None
            pick = plan.next(self._results, pending)
            if pick is None:
                return None
            cells = self._results.cells(pick.kind)
            if pick.place is not None and pick.place < len(cells):
                cell = cells[pick.place]
                return pick, cell, self._results.variant(cell)
            numbers = [c.number for c in cells]
            wanted = plan.number if plan.number is not None else max(numbers, default=0) + 1
            try:
                if isinstance(plan, Blame) and pick.kind == "Culprit":
                    variant = self._mutants.changed(plan.changes, pick.changes, wanted, self._results)
                else:
                    variant = self._mutants.make(pick.kind, wanted, self._results)
            except NoVariant as error:
                if plan.number is not None:
                    raise
                if isinstance(plan, Blame) and pick.kind == "Culprit":
                    plan.exhausted.add(frozenset(pick.changes))
                    continue
                self._results.close(pick.kind, str(error))
                continue
            cell = self._results.add_cell(pick.kind, wanted, variant, pick.changes or None)
            if self._on_cell is not None:
                self._on_cell(cell, variant)
            places = [c.number for c in self._results.cells(pick.kind)]
            return Pick(pick.kind, places.index(wanted)), cell, variant
        return None

    def _ended(self, cell: Cell, run: Run) -> str | None:
        """Keep a run. Return why to give up, if it is one of too many in a row that were aborted."""
        named = run.model_copy(update={"id": self._results.fresh_id("r")})
        changed = self._results.add_run(cell.kind, cell.number, named)
        if self._on_run is not None:
            self._on_run(changed, named)
        self._vain = self._vain + 1 if aborted(run) else 0
        return _why(run) if self._vain >= IN_VAIN else None

    def _fresh_seeds(self, session: Session, first: int) -> Iterator[int]:
        """Yield seeds with which this model was not run in this session: a used seed would repeat a run."""
        used = {r.seed for r in session.runs if r.model == self._spec.text}
        return (seed for seed in count(first) if seed not in used)

    # ------------------------------------------------------------------ running

    def _one_by_one(self, plan: Plan) -> str | None:
        while (following := self._next(plan, [])) is not None:
            _, cell, variant = following
            run = run_simulated(variant, self._seeded())
            if (why := self._ended(cell, run)) is not None:
                return why
        return None

    async def _together(self, plan: Plan) -> str | None:
        """Make several runs at once, at most ``at_once``. The next is chosen when one ends; a decision cancels the
        rest."""
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            self._wake = partial(loop.call_soon_threadsafe, stop.set)
            if self._stopped.is_set():
                stop.set()
        stopping = asyncio.create_task(stop.wait())
        model = None if self._spec.simulated else self._options.load()
        under_way: dict[asyncio.Task[Run], tuple[Pick, Cell]] = {}
        try:
            while True:
                while len(under_way) < self._options.at_once and not stop.is_set():
                    following = self._next(plan, [pick for pick, _ in under_way.values()])
                    if following is None:
                        break
                    pick, cell, variant = following
                    under_way[asyncio.create_task(self._live(variant, model).go())] = (pick, cell)
                if not under_way or stop.is_set():
                    return None
                await asyncio.wait({*under_way, stopping}, return_when=asyncio.FIRST_COMPLETED)
                for ended in [t for t in under_way if t.done()]:
                    _, cell = under_way.pop(ended)
                    if (why := self._ended(cell, ended.result())) is not None:
                        return why
                if plan.done(self._results):
                    return None
        finally:
            with self._lock:
                self._wake = None
            left: list[asyncio.Task[Any]] = [stopping, *under_way]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            if model is not None:
                await model.aclose()

    def _live(self, variant: Variant, model: LoadedModel | None) -> LiveRun:
        return LiveRun(variant, self._options if model is not None else self._seeded(), loaded=model)

    def _seeded(self) -> RunOptions:
        return replace(self._options, seed=next(self._seeds))


def _why(run: Run) -> str:
    end = run.events[-1]
    reason = end.reason if isinstance(end, EndEvent) and end.reason else "the runs are aborted"
    return f"{IN_VAIN} runs in a row were aborted: {reason}"


def _check_possible(variant: Variant) -> None:
    """Raise UserError for a query that contradicts itself: no run of it can be right."""
    problem = problem_of(variant)
    verdict = replay(problem, Trace(ending="running")).verdict()
    if verdict.first_violation is not None and verdict.first_violation.step == 0:
        said = ", ".join(verdict.first_violation.core.constraints)
        raise UserError(
            f"the query contradicts itself ({said} cannot all be met), so no agent can be right; "
            "edit it before you dissect it"
        )


def _check_resumed(resume: Dissection, variant: Variant, model: str, agent: str) -> None:
    """Raise UserError if the runs of the two cannot be counted together."""
    if resume.variant != variant.id:
        raise UserError(
            f"dissection {resume.id} is about variant {resume.variant}, not {variant.id}; begin another one"
        )
    if (resume.model, resume.agent) != (model, agent):
        raise UserError(
            f"dissection {resume.id} is about agent {resume.agent} with {resume.model}, "
            f"not {agent} with {model}; begin another one"
        )
