"""Finds all minimal cores and minimal correction sets of a failed run, or of a query that contradicts itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TypeVar

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

One = TypeVar("One")

MOST = 100
"""Default limit for the number of cores, and for the number of corrections."""


def reasons(run: Walk, index: int, search: Search) -> Reasons:
    """Find why the plan is lost at ``index``.

    ``search.most``: limit of cores, and of corrections. ``timeout``: milliseconds per question to Z3. ``on_core`` and
    ``on_correction`` are called with each one when it is found, the oracle's own core first. ``stopped`` is called
    between questions. ``started`` is called once, with a function that ends the search at once from any thread.
    """
    view, problem = run.steps[index], run.problem
    if view.state == "completable" or problem.unjudged:
        return Reasons(view.index, view.step, (), ())
    prefix = prefix_of(run, index)
    judges: list[Judge] = []

    def asked(free: tuple[int, ...] = ()) -> Question:
        if not problem.timed:
            return BaseQuestion(problem, prefix)
        return TimedQuestion(problem, prefix, search.timeout, judges.append, free)

    @cache
    def foreseeable() -> bool:
        """Return whether the plan is lost even if unknown durations stay unknown; the answer is the same for all
        cores here."""
        if view.core is not None and run.lost_at(view.attempt) == index:
            return view.core.foreseeable  # the walk has computed it already
        called = {f.action for f in run.facts if f.step <= index and f.effect in ("done", "repeated")}
        free = tuple(i for i in range(len(problem.actions)) if i not in called)
        if not problem.timed or not free:
            return True
        relaxed = asked(free)
        return relaxed.ask((1 << len(relaxed.names)) - 1)[0] != "sat"

    def parts(mask: int) -> tuple[tuple[str, ...], tuple[StepNo, ...]]:
        said = len(problem.constraints)
        steps: list[StepNo] = [f.step for k, f in enumerate(prefix.ran, said) if mask >> k & 1]
        if "end" in (question.names[k] for k in bits(mask)):
            steps.append("end")
        return tuple(c.id for k, c in enumerate(problem.constraints) if mask >> k & 1), tuple(steps)

    def interrupt() -> None:
        for judge in tuple(judges):
            judge.interrupt()

    question = asked()
    names = () if view.core is None else member_names(view.core)
    first = None if view.core is None else sum(1 << k for k, n in enumerate(question.names) if n in names)
    return explored(
        question,
        search,
        (view.index, view.step),
        first,
        lambda mask: Core(*parts(mask), foreseeable()),
        lambda mask: Correction(*parts(mask)),
        interrupt,
    )


def explored(
    question: Question,
    search: Search,
    at: tuple[int, StepNo],
    first: int | None,
    core: Callable[[int], Core],
    correction: Callable[[int], Correction],
    interrupt: Callable[[], None] = lambda: None,
) -> Reasons:
    """Find all minimal cores and corrections of a question. ``at``: index and step that it is about. ``first``: a core
    that is known. ``core`` and ``correction`` make them of masks. ``interrupt``: ends a question under way."""
    halted = False

    def stopped() -> bool:
        return halted or (search.stopped is not None and search.stopped())

    cores: dict[int, Core] = {}
    corrections: dict[int, Correction] = {}
    marco = Marco(
        question,
        search.most,
        _keeping(cores, core, search.on_core),
        _keeping(corrections, correction, search.on_correction),
        stopped,
    )

    def halt() -> None:
        nonlocal halted
        halted = True
        marco.interrupt()
        interrupt()

    if search.started is not None:
        search.started(halt)
    ended = marco.run(first)
    return Reasons(*at, _smallest(cores, first), _smallest(corrections, first), ended)


def _keeping(
    found: dict[int, One], made: Callable[[int], One], told: Callable[[One], None] | None
) -> Callable[[int], None]:
    def keep(mask: int) -> None:
        found[mask] = made(mask)
        if told is not None:
            told(found[mask])

    return keep


def _smallest(found: Mapping[int, One], first: int | None) -> tuple[One, ...]:
    """Return those that contain no other one: ``first``, then by size and place. A call that was not made can break a
    rule, so the search may find others."""
    masks = [mask for mask in found if not any(other != mask and other & mask == other for other in found)]
    masks.sort(key=lambda mask: (mask != first, mask.bit_count(), list(bits(mask))))
    return tuple(dict.fromkeys(found[mask] for mask in masks))
