"""Finds all minimal cores and minimal correction sets of a failed run, or of a query that contradicts itself."""

from __future__ import annotations

from collections.abc import Callable

from planscope.oracle.base import BaseQuestion
from planscope.oracle.certificate import member_names, prefix_of
from planscope.oracle.judged import Search
from planscope.oracle.marco import Marco
from planscope.oracle.plan import Question
from planscope.oracle.precedence import bits
from planscope.oracle.smt import Judge
from planscope.oracle.timed import TimedQuestion
from planscope.oracle.verdict_types import Core, Correction, Reasons, StepNo
from planscope.oracle.walk import Walk

MOST = 100
"""Default limit for the number of cores, and for the number of corrections."""


def reasons(run: Walk, index: int, search: Search) -> Reasons:
    """Find why the plan is lost at ``index``.

    ``search.most``: limit of cores, and of corrections. ``timeout``: milliseconds per question to Z3. ``on_core`` and
    ``on_correction`` are called with each one when it is found, the oracle's own core first. ``stopped`` is called
    between questions. ``started`` is called once, with a function that ends the search at once from any thread.
    """
    return _Search(run, index, search).found(search.started)


class _Search:
    def __init__(self, run: Walk, index: int, search: Search) -> None:
        self.run, self.view = run, run.steps[index]
        self.timeout = search.timeout
        self.on_core, self.on_correction = search.on_core, search.on_correction
        self.told, self.halted = search.stopped, False
        self.judges: list[Judge] = []
        self.prefix = prefix_of(run, index)
        self.question: Question = self._question(())
        self.foreseeable: bool | None = None
        self.cores: dict[int, Core] = {}
        self.corrections: dict[int, Correction] = {}
        self.marco = Marco(self.question, search.most, self._core, self._correction, self._stopped)

    def found(self, started: Callable[[Callable[[], None]], None] | None) -> Reasons:
        if started is not None:
            started(self._halt)
        view, known = self.view, self.view.core
        if view.state == "completable" or self.run.problem.unjudged:
            return Reasons(view.index, view.step, (), ())
        first = None if known is None else self._mask(known)
        ended = self.marco.run(first)
        return Reasons(
            view.index,
            view.step,
            tuple(self.cores[m] for m in sorted(self.cores, key=lambda m: (m != first, *_by_size(m)))),
            tuple(self.corrections[m] for m in sorted(self.corrections, key=_by_size)),
            ended,
        )

    def _halt(self) -> None:
        self.halted = True
        self.marco.interrupt()
        for judge in tuple(self.judges):
            judge.interrupt()

    def _stopped(self) -> bool:
        return self.halted or (self.told is not None and self.told())

    def _question(self, free: tuple[int, ...]) -> Question:
        problem = self.run.problem
        if not problem.timed:
            return BaseQuestion(problem, self.prefix)
        return TimedQuestion(problem, self.prefix, self.timeout, self.judges.append, free)

    def _foreseeable(self) -> bool:
        """Return whether the plan is lost even if unknown durations stay unknown; the answer is the same for all
        cores here."""
        run, index = self.run, self.view.index
        if self.view.core is not None and run.lost_at(self.view.attempt) == index:
            return self.view.core.foreseeable  # the walk has computed it already
        called = {f.action for f in run.facts if f.step <= index and f.effect in ("done", "repeated")}
        free = tuple(i for i in range(len(run.problem.actions)) if i not in called)
        if not run.problem.timed or not free:
            return True
        relaxed = self._question(free)
        return relaxed.ask((1 << len(relaxed.names)) - 1)[0] != "sat"

    def _mask(self, core: Core) -> int:
        names = set(member_names(core))
        return sum(1 << k for k, name in enumerate(self.question.names) if name in names)

    def _parts(self, mask: int) -> tuple[tuple[str, ...], tuple[StepNo, ...]]:
        """Split a set into its constraints and its steps."""
        said = len(self.run.problem.constraints)
        names = [self.question.names[k] for k in bits(mask)]
        steps: list[StepNo] = [f.step for k, f in enumerate(self.prefix.ran, said) if mask >> k & 1]
        if "end" in names:
            steps.append("end")
        return tuple(c.id for k, c in enumerate(self.run.problem.constraints) if mask >> k & 1), tuple(steps)

    def _core(self, mask: int) -> None:
        if self.foreseeable is None:
            self.foreseeable = self._foreseeable()
        core = self.cores[mask] = Core(*self._parts(mask), self.foreseeable)
        if self.on_core is not None:
            self.on_core(core)

    def _correction(self, mask: int) -> None:
        correction = self.corrections[mask] = Correction(*self._parts(mask))
        if self.on_correction is not None:
            self.on_correction(correction)


def _by_size(mask: int) -> tuple[int, list[int]]:
    """Sort key: fewer members first, then by their places."""
    members = list(bits(mask))
    return len(members), members
