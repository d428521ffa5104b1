"""From a session's file to a judged run: what runs in a thread after the first frame.

Everything heavy (the session model, the reader, the oracle) is imported here, and only when it is called.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.debugger.cursor import DebugState, open_run
from planscope.debugger.linked import Links
from planscope.debugger.run_index import RunIndex
from planscope.errors import UserError
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import Repair, Verdict, Violation
from planscope.tui.glance import SessionGlance, glance_of
from planscope.tui.state import Certificate, Facts

if TYPE_CHECKING:
    from planscope.language.outline import OutlineNode
    from planscope.language.reading import ParseError, Reading
    from planscope.oracle.replay import Replay
    from planscope.session.autosave import Keeper
    from planscope.session.model import Run, Session, Variant
    from planscope.session.recovery import Recovery

MOST_AHEAD = 5000
_BREATH = 0.004
"""Seconds between two steps that are looked up ahead, so that a key finds the interpreter free."""

_ASKING = threading.Lock()

Waits = Callable[[float], bool]

FEW_STEPS = 40
"""So many steps have their facts looked up at once; of a longer run, those of the step that one stands at."""

FEW_CONSTRAINTS = 200
"""The tree of a longer request is laid out after the verdict is there."""

MOST_REPAIRED = 24
"""For more actions the nearest valid plan is not looked for while the screen opens."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A loaded session, and the same as plain data. ``recovery``: work on it that could not be saved the last time.

    ``held``: who else writes to its file, in one line; empty where nobody does. ``changed``: it is not what stands
    in the file.
    """

    session: Session
    glance: SessionGlance
    recovery: Recovery | None = None
    held: str = ""
    changed: bool = False


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that was read, or the errors that say why it was not. A long one's outline comes later."""

    variant: str
    reading: Reading | None
    errors: tuple[ParseError, ...] = ()
    outline: tuple[OutlineNode, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with its verdict, at index 0. ``facts`` by index, as far as they were looked up."""

    debug: DebugState
    verdict: Verdict
    links: Links
    repair: Repair | None = None
    facts: Mapping[int, Facts] = field(default_factory=dict)


def open_session(path: Path, hold: Callable[[], Keeper] | None = None) -> Opened:
    """Load and check a session. Raises ``SessionError`` with one line.

    ``hold`` takes the file for this process, so that nobody changes it between loading and saving.
    """
    from planscope.session.store import load

    keeper = hold() if hold is not None else None
    session = load(path)
    seen = glance_of(session.model_dump(mode="json"))
    if keeper is None:
        return Opened(session, seen)
    from planscope.session.recovery import recoverable

    return Opened(session, seen, recoverable(path), _held(keeper))


def _held(keeper: Keeper) -> str:
    """Who else writes to the file, short enough to be read beside the keys of a small window."""
    if keeper.where != "held":
        return ""
    who = f" (process {keeper.holder.pid})" if keeper.holder is not None else ""
    return f"open in another planscope{who}"


def read_variant(variant: Variant) -> ReadQuery:
    """Read a variant's text anew; what a file says of tree and constraints is not trusted."""
    from planscope.language.reading import ActionNameError, ParseFailure
    from planscope.session.derive import reading_of

    try:
        reading = reading_of(variant)
    except ParseFailure as failure:
        return ReadQuery(variant.id, None, tuple(failure.errors))
    except ActionNameError as error:
        raise UserError(f"the actions of this session cannot be used: {error}") from None
    few = len(reading.problem.said) <= FEW_CONSTRAINTS
    return ReadQuery(variant.id, reading, (), reading.outline if few else ())


def lay_out(reading: Reading) -> tuple[tuple[OutlineNode, ...], Links]:
    """The tree of a long request, and its links with the rest."""
    outline = reading.outline
    return outline, Links(reading.text, reading.problem, outline)


def judge(run: Run | None, read: ReadQuery, *, live: bool = False) -> JudgedRun:
    """Judge a run, or without one the bare request. ``live``: the run goes on."""
    from planscope.oracle.replay import replay
    from planscope.session.derive import trace_of

    reading = read.reading
    assert reading is not None
    trace = trace_of(run, live=live) if run is not None else Trace(ending="running")
    judged = replay(reading.problem, trace)
    debug = open_run(judged)
    repair = None
    if run is not None and not live and len(reading.problem.actions) <= MOST_REPAIRED:
        repair = judged.repair()
    few = len(judged.steps) <= FEW_STEPS
    facts = {i: facts_at(debug.run, i) for i in range(len(judged.steps))} if few else {}
    links = Links(reading.text, reading.problem, read.outline)
    return JudgedRun(debug, judged.verdict(), links, repair, facts)


def certify(run: RunIndex, started: Callable[[Callable[[], None]], None]) -> Certificate:
    """Have Z3 look at a run's verdict and core. From any thread: what it reads never changes.

    ``started`` is handed what makes it give up at once.
    """
    judged: Replay = run.replay  # type: ignore[assignment]  # the oracle's own; a stand-in is never certified
    answer = judged.certify(started=started)
    return "gave up" if answer is None else "confirmed" if answer else "denied"


def refuted(verdict: Verdict) -> Verdict:
    """What is left of a verdict that Z3 does not share: nothing is known."""
    return replace(
        verdict, verdict="unknown", error_type=None, findings=(), first_violation=None, explanation=""
    )


def facts_at(run: RunIndex, index: int) -> Facts:
    """Ask the oracle about one step. From any thread, one after another."""
    with _ASKING:
        return _facts_at(run, index)


def _facts_at(run: RunIndex, index: int) -> Facts:
    from planscope.oracle.explain import describe_finding, describe_violation

    judged: Replay = run.replay  # type: ignore[assignment]  # the oracle's own; a stand-in has no facts
    view = judged.steps[index]
    instead_at = _last_good(run, index)
    lost = next((i for i in run.doomed if judged.steps[i].attempt == view.attempt and i <= index), None)
    why = ""
    if lost is not None and view.core is not None and view.core.constraints:
        why = describe_violation(
            judged, Violation(judged.steps[lost].step, view.core.constraints[0], view.core)
        )
    return Facts(
        index,
        judged.safe_moves(index),
        run.valid_completions(index),
        judged.one_way(index),
        judged.safe_moves(instead_at) if instead_at is not None else (),
        instead_at,
        why,
        tuple(describe_finding(judged, found) for found in run.findings[index]),
    )


def _last_good(run: RunIndex, index: int) -> int | None:
    """The last index from which the plan could be finished, where this step is lost or has an error."""
    view = run.steps[index]
    wrong = view.lost or any(f.severity == "error" for f in run.findings[index])
    if not wrong:
        return None
    before = index - 1
    while before >= 0 and run.steps[before].attempt == view.attempt:
        if run.steps[before].state == "completable":
            return before
        before -= 1
    return None


def look_ahead(
    run: RunIndex, around: int, known: Container[int], keep: Callable[[Facts], None], stale: Waits
) -> None:
    """Look up the facts of all steps, the nearest first, a little at a time, until ``stale`` says stop."""
    order = sorted(range(len(run.steps)), key=lambda index: abs(index - around))
    for index in order[:MOST_AHEAD]:
        if index in known:
            continue
        if stale(_BREATH):
            return
        keep(facts_at(run, index))
