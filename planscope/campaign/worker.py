"""Does the work of a campaign: makes cases, runs agents on them, judges the runs. It may run in another process.

A task goes in and rows come out, both plain values that can be pickled. Only the campaign's own process writes to the
database.
"""

from __future__ import annotations

import gc
import threading
import zlib
from functools import cache, lru_cache
from time import perf_counter
from typing import NamedTuple

from planscope.agents.many_runs import aborted
from planscope.agents.models import LoadedModel
from planscope.agents.runner import LiveRun, prepare
from planscope.agents.simulated_runs import run_simulated
from planscope.campaign.cases import Arm, Case, Knobs, make_case, run_seed
from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.replay import replay
from planscope.oracle.satisfiable import certifier
from planscope.session.files import ZLIB, unpacked
from planscope.session.json_bytes import parse_json
from planscope.session.model import EndEvent, Limits, Run, Session, Variant
from planscope.session.oracle_input import problem_of
from planscope.session.record import record_of
from planscope.session.traces import trace_of_record
from planscope.session.validation import from_document


class Item(NamedTuple):
    """One case to run on one arm, by the arm's place in the task."""

    arm: int
    n: int
    number: int


@frozen
class Task:
    """Cases to run. ``limits``: seconds and model calls of each run."""

    knobs: Knobs
    arms: tuple[Arm, ...]
    items: tuple[Item, ...]
    limits: Limits


class MadeCase(NamedTuple):
    """What is kept of a case: enough to make it again, and to notice if it comes out otherwise."""

    n: int
    number: int
    seed: int
    topic: str
    printed: str
    valid_orders: int | None
    synthesis_ms: float
    z3_ms: float
    z3_checks: int


class Row(NamedTuple):
    """A judged run. ``lost``: the step after which nothing could save the plan (0 for the end, None if not lost).

    ``seconds`` are the agent's own, which are simulated for a simulated model. ``events``: the run's record as
    compressed JSON. ``why``: why the run was aborted.
    """

    arm: int
    n: int
    number: int
    verdict: str
    error_type: str | None
    helped: bool
    lost: int | None
    calls: int
    model_calls: int
    input_tokens: int | None
    output_tokens: int | None
    seconds: float
    why: str | None
    events: bytes


class Done(NamedTuple):
    """The results of a task, in its order. ``took``: seconds."""

    cases: tuple[MadeCase, ...]
    rows: tuple[Row, ...]
    took: float


def is_light(arm: Arm) -> bool:
    """Return whether the arm's runs need neither network nor event loop, so that processes can share them."""
    return arm.options().light


def perform(task: Task) -> Done:
    """Do a task. Raises UserError if a case cannot be made or a run cannot start."""
    _settle_in()
    begun = perf_counter()
    made: dict[tuple[int, int], MadeCase] = {}
    rows = []
    for item in task.items:
        case, problem, record = _case(task.knobs, item.n, item.number)
        made[item.n, item.number] = record
        arm = task.arms[item.arm]
        rows.append(row_of(item, _run(task, arm, case), problem))
    return Done(tuple(made.values()), tuple(rows), perf_counter() - begun)


@cache
def _settle_in() -> None:
    """Exempt imported modules from garbage collection."""
    gc.freeze()


@lru_cache(maxsize=64)
def _case(knobs: Knobs, n: int, index: int) -> tuple[Case, Problem, MadeCase]:
    """Make a case. The arms of a task share it."""
    solver = certifier()
    asked, spent, begun = solver.asked, solver.seconds, perf_counter()
    case = make_case(knobs, n, index)
    took = perf_counter() - begun
    z3_ms, checks = (solver.seconds - spent) * 1000, solver.asked - asked
    kept = (case.seed, case.topic, case.printed, case.valid_orders)
    return case, problem_of(case.variant), MadeCase(n, index, *kept, took * 1000 - z3_ms, z3_ms, checks)


def _run(task: Task, arm: Arm, case: Case) -> Run:
    options = arm.options(task.limits, run_seed(task.knobs, arm, case.n, case.number))
    if options.light:
        return run_simulated(case.variant, options, run_id="r1")
    prepare()
    live = LiveRun(case.variant, options, loaded=None if options.spec.simulated else _model(arm), run_id="r1")
    with _lock:
        _under_way.add(live)
    try:
        return live.wait()
    finally:
        with _lock:
            _under_way.discard(live)


_lock = threading.Lock()
_under_way: set[LiveRun] = set()


def stop_all() -> None:
    """End the live runs of this process at once; their rows are aborted. Light runs are so short that they just end."""
    with _lock:
        runs = list(_under_way)
    for run in runs:
        run.stop()


@cache
def _model(arm: Arm) -> LoadedModel:
    """Load a model once for all runs of this process, so that they share its connections."""
    return arm.options().load()


def row_of(item: Item, run: Run, problem: Problem) -> Row:
    """Judge a run, and return what is kept of it."""
    record = record_of(run)
    judged = replay(problem, trace_of_record(record))
    verdict = judged.verdict()
    lost = judged.steps[judged.first_doomed].step if judged.first_doomed is not None else None
    end = run.events[-1] if run.events else None
    kept = run.model_copy(update={"started": None}).model_dump_json(exclude_none=True)
    return Row(
        item.arm,
        item.n,
        item.number,
        verdict.verdict,
        verdict.error_type,
        bool(record.help),
        0 if lost == "end" else lost,
        len(record.calls),
        record.cost.model_calls,
        record.cost.input_tokens,
        record.cost.output_tokens,
        record.cost.seconds,
        end.reason if aborted(run) and isinstance(end, EndEvent) else None,
        zlib.compress(kept.encode("utf-8", "replace"), 1),
    )


def run_of(events: bytes, variant: Variant, name: str) -> Run:
    """Return the run of a variant that a row keeps. ``name``: its source, for errors.

    It is bounded and checked as that of a session's file. Raises SessionError.
    """
    run = parse_json(unpacked(events, name, ZLIB), name)
    session = Session(id="campaign", title=name, variants=[variant]).model_dump(
        mode="json", exclude_none=True
    )
    made = run | {"variant": variant.id} if isinstance(run, dict) else run
    return from_document(session | {"runs": [made]}, name).runs[0]
