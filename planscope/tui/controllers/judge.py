"""Judges the displayed run: reads its query, judges its steps, looks up facts of each step, asks Z3.

The reader and the oracle are slow to import, so this is done in threads, on first use. Results are kept, so that going
back to a run costs nothing.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Container
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from planscope.debugger.errors import DebuggerError
from planscope.debugger.growing import GrowingRun
from planscope.debugger.linked import Links
from planscope.debugger.run_index import RunIndex
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.outline import OutlineNode
from planscope.language.problem import Problem
from planscope.language.reading import ActionNameError, ParseError, ParseFailure, Reading
from planscope.oracle.trace import Trace
from planscope.oracle.unjudged import Unjudged
from planscope.oracle.verdict_types import Blame, Move, PlannedCall, Proof, Repair, Verdict, proved
from planscope.session.model import Session, Variant
from planscope.session.oracle_input import actions_of
from planscope.session.record import RunRecord
from planscope.session.traces import trace_of_record
from planscope.tui.controllers.document import Document, Post, key_of
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.messages import FactsFound, Judged, Notice
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

Key = tuple[str, str]
"""The ids of a query and a run; the run's is "" for a query without one."""

Progress = Literal["reading", "judging", "judged", "unreadable", "failed"]
"""``reading``: the text is being read. ``unreadable``: the text is not a query; ``errors`` say where.
``failed``: another error occurred; ``trouble`` says which."""

Certificate = Literal["asked"] | Proof
"""Z3's answer about the verdict. ``asked``: none yet. If it is ``denied``, the verdict becomes unknown."""

MOST_AHEAD = 5000
FEW_STEPS = 40
"""The facts of all steps are looked up with the verdict in runs of at most this many steps."""

FEW_CONSTRAINTS = 200
"""In queries with more constraints, the tree is laid out after the verdict."""

MOST_REPAIRED = 24
"""With more actions than this, the nearest valid plan is not computed with the verdict."""

MOST_CALLS_REPAIRED = 30
"""With rules: in a longer run, the nearest change is not computed with the verdict."""

_AHEAD_TOLD = 200
"""The number of steps that are looked up in advance between two messages about them."""

_BREATH = 0.004
"""Seconds between two steps that are looked up in advance, so that keys are answered in between."""

_LONG_RUN = 200
_KEPT_RUNS = 12
_ASKING = threading.Lock()

Waits = Callable[[float], bool]


@frozen
class Facts:
    """The oracle's answers about one step.

    ``safe``: the safe moves from here. ``orders``: the number of valid orders left. ``one_way``: one of them.
    ``instead``: the safe moves from index ``instead_at``, the last one before the plan was lost (or before this step's
    finding). ``why`` explains this attempt's core, ``findings`` each finding.
    """

    index: int
    safe: tuple[Move, ...] = ()
    orders: int | None = None
    one_way: tuple[PlannedCall, ...] | None = None
    instead: tuple[Move, ...] = ()
    instead_at: int | None = None
    why: str = ""
    findings: tuple[str, ...] = ()


@frozen
class Judgement:
    """What is known about a run. ``run`` can be stepped through before it is judged."""

    key: Key
    run: RunIndex
    progress: Progress = "reading"
    trouble: str = ""
    errors: tuple[ParseError, ...] = ()
    outline: tuple[OutlineNode, ...] = ()
    links: Links | None = None
    verdict: Verdict | None = None
    repair: Repair | None = None
    certificate: Certificate = "asked"
    cause: Blame | None = None

    @property
    def over(self) -> bool:
        """Whether reading and judging have ended. Facts and certificate may still come."""
        return self.progress not in ("reading", "judging")


@frozen
class _Read:
    """A query that was read, or the errors in it. The outline of a long query comes later."""

    reading: Reading | None
    errors: tuple[ParseError, ...] = ()
    outline: tuple[OutlineNode, ...] = ()


class Judge:
    """Judges one run at a time, in threads. ``now`` is what is known about it.

    Posts :class:`Judged` when ``now`` changes, and :class:`FactsFound` when a question about a step is answered.
    """

    def __init__(self, document: Document, jobs: Jobs, post: Post) -> None:
        self.document = document
        self.now: Judgement | None = None
        self._jobs = jobs
        self._post = post
        self._known: dict[Key, Judgement] = {}
        self._reads: dict[str, _Read] = {}
        self._facts: dict[tuple[Key, int], Facts] = {}
        self._behind = False
        self._growing: tuple[Key, GrowingRun] | None = None
        self._told: object = None

    # The displayed run

    def look_at(self, variant_id: str, run_id: str = "") -> Judgement:
        """Judge a run, or a query without one. Return what is known about it already."""
        for name in ("read", "judge", "tree", "ahead", "facts", "certify"):
            self._jobs.cancel(name)
        self._behind = False
        key = (variant_id, run_id)
        known = self._known.get(key)
        if known is not None and known.over and key[1] not in self.document.under_way:
            self._keep(known)
            self.look_ahead(0)
            return known
        variant = self.document.variant(variant_id)
        self.now = Judgement(key, RunIndex(self._unjudged(key)))
        if variant is None:
            self.now = replace(self.now, progress="failed", trouble="This session has no query.")
        elif variant_id in self._reads:
            self._on_read(key, self._reads[variant_id])
        else:
            session = self.document.open_session
            self._jobs.start(
                "read",
                lambda token: _read(session, variant),
                lambda read: self._on_read(key, read),
                lambda error: self._failed(key, error),
            )
        return self.now

    def follow(self) -> bool:
        """Judge new events of the displayed run. Return False if they change nothing, such as a thought of the
        model."""
        now = self.now
        if now is None or now.progress == "reading" or (now.key[1] and self._record(now.key) is None):
            return False
        if now.progress == "unreadable" or now.key[0] not in self._reads:
            self._set(replace(now, run=RunIndex(self._unjudged(now.key))))
        elif self._jobs.running("judge"):
            self._behind = True
        elif self._told == self._telling(now.key):
            return False
        else:
            for name in ("ahead", "facts", "certify"):
                self._jobs.cancel(name)
            self._judge(now.key)
        return True

    def _telling(self, key: Key) -> object:
        """Return a value that changes whenever the verdict of a run may change: with each call, and with its answer."""
        record = self._record(key)
        if record is None or not record.under_way or key[1] in self.document.passing:
            return object()  # a new object: judge it again each time
        last = record.calls[-1] if record.calls else None
        ended = (last.refused_by, last.failed, id(last.arguments)) if last is not None else None
        return key, len(record.calls), record.pending, ended

    def forget(self, run_id: str) -> None:
        """Drop all results about a run."""
        self._known = {key: known for key, known in self._known.items() if key[1] != run_id}
        self._facts = {place: facts for place, facts in self._facts.items() if place[0][1] != run_id}

    def forget_all(self) -> None:
        """Drop everything that is known: the rules of the session have changed."""
        self._known.clear()
        self._reads.clear()
        self._facts.clear()
        self._growing = None
        self._told = None

    @property
    def busy(self) -> bool:
        """Whether more results will be displayed without a key press."""
        return self._jobs.running("judge") or self._jobs.running("read") or self._jobs.running("tree")

    def _record(self, key: Key) -> RunRecord | None:
        """Return the run's record, or None without a run or for one that is no longer in the session."""
        return self.document.record(key[1]) if self.document.run(key[1]) is not None else None

    def _unjudged(self, key: Key, problem: Problem | None = None) -> Unjudged:
        return unjudged(self.document.variant(key[0]), self._record(key), problem)

    # Reading and judging

    def _on_read(self, key: Key, read: _Read) -> None:
        self._reads[key[0]] = read
        if read.reading is None:
            bare = RunIndex(self._unjudged(key))
            self._set(Judgement(key, bare, "unreadable", errors=read.errors))
            return
        bare = RunIndex(self._unjudged(key, read.reading.problem))
        self._set(Judgement(key, bare, "judging", outline=read.outline))
        self._judge(key)

    def _judge(self, key: Key) -> None:
        read, record = self._reads[key[0]], self._record(key)
        self._told = self._telling(key)
        now = self.now
        links = now.links if now is not None and now.key == key else None
        growing = self._growing_of(key, read) if record is not None and record.under_way else None
        self._jobs.start(
            "judge",
            lambda token: judged(key, read, record, links, growing),
            lambda found: self._on_judged(*found),
            lambda error: self._failed(key, error),
        )

    def _growing_of(self, key: Key, read: _Read) -> GrowingRun | None:
        """Return the judgement that grows with a live run; None in what-if play, in which calls can be undone."""
        if key[1] in self.document.passing or read.reading is None:
            return None
        if self._growing is None or self._growing[0] != key:
            self._growing = (key, GrowingRun(read.reading.problem))
        return self._growing[1]

    def _on_judged(self, judgement: Judgement, facts: dict[int, Facts]) -> None:
        key, running = judgement.key, judgement.run.replay.trace.ending == "running"
        before = self._known.get(key)
        known = (
            before.run.last if running and before is not None else 0
        )  # the facts of its last step may change
        self._facts = {
            place: known_facts
            for place, known_facts in self._facts.items()
            if place[0] != key or (place[1] < known and key[1] not in self.document.passing)
        }
        self._facts.update({(key, index): found for index, found in facts.items()})
        read, ended = self._reads[key[0]], self.document.run(key[1])
        self._set(replace(judgement, outline=read.outline))
        if (
            ended is not None
            and judgement.verdict is not None
            and not running
            and key[1] not in self.document.under_way
        ):
            from planscope.cause.told import sought
            from planscope.session.run_list import outcome_of

            outcome = outcome_of(judgement.verdict, ended)
            if not sought(judgement.run.judged, outcome.verdict):
                outcome = outcome._replace(cause="")
            self.document.judged(key_of(self.document.open_session, ended), outcome)
        if len(judgement.run.steps) > _LONG_RUN:
            # the replay stays in memory; examining it in each garbage collection would delay keys
            gc.freeze()
        reading = read.reading
        if self._behind:
            self._behind = False
            self.follow()
        elif reading is not None and not read.outline:
            self._jobs.start(
                "tree",
                lambda token: _lay_out(reading),
                lambda laid: self._on_tree(key, *laid),
                lambda error: self._failed(key, error),
            )

    def _on_tree(self, key: Key, outline: tuple[OutlineNode, ...], links: Links) -> None:
        self._reads[key[0]] = replace(self._reads[key[0]], outline=outline)
        if self.now is not None and self.now.key == key:
            self._set(replace(self.now, outline=outline, links=links))

    def _failed(self, key: Key, error: Exception) -> None:
        """Note an error, in one line."""
        text = (
            str(error) if isinstance(error, UserError | DebuggerError) else f"{type(error).__name__}: {error}"
        )
        trouble = shown(text.splitlines()[0] if text else "unknown error", 400)
        if self.now is not None and self.now.key == key:
            self._set(replace(self.now, progress="failed", trouble=trouble))

    def _set(self, judgement: Judgement) -> None:
        self._keep(judgement)
        self._post(Judged(judgement.key))

    def _keep(self, judgement: Judgement) -> None:
        self.now = judgement
        self._known.pop(judgement.key, None)
        self._known[judgement.key] = judgement
        while len(self._known) > _KEPT_RUNS:
            oldest = next(iter(self._known))
            del self._known[oldest]
            self._facts = {place: facts for place, facts in self._facts.items() if place[0] != oldest}

    # Questions about a step

    def facts(self, index: int) -> Facts | None:
        """Return the known facts about a step of the displayed run."""
        return None if self.now is None else self._facts.get((self.now.key, index))

    def ask(self, index: int) -> None:
        """Ask the oracle about a step, unless its facts are known."""
        now = self.now
        if now is None or now.progress != "judged" or (now.key, index) in self._facts:
            return

        def found(facts: Facts) -> None:
            self._facts[now.key, index] = facts
            self._post(FactsFound(now.key, index))

        self._jobs.start("facts", lambda token: facts_at(now.run, index), found, self._no_facts)

    def look_ahead(self, index: int) -> None:
        """Look up the facts of the steps around, in the background."""
        now = self.now
        if now is None or now.progress != "judged":
            return
        known = {i for of, i in self._facts if of == now.key}
        found: list[int] = []

        def keep(token: CancelToken, facts: Facts) -> None:
            if not token.cancelled:
                self._facts[now.key, facts.index] = facts
                found.append(facts.index)
                if len(found) % _AHEAD_TOLD == 0:
                    done()

        def done(_: None = None) -> None:
            if found:
                self._post(FactsFound(now.key, found[-1]))

        def look(token: CancelToken) -> None:
            def tell(facts: Facts) -> None:
                self._jobs.tell(partial(keep, token, facts))

            _look_ahead(now.run, index, known, tell, token.wait)

        self._jobs.start("ahead", look, done, self._no_facts)

    def _no_facts(self, error: Exception) -> None:
        self._post(Notice(f"this step cannot be judged any further: {shown(str(error), 120)}"))

    # The certificate

    def certify(self) -> None:
        """Ask Z3 about the verdict, once."""
        now = self.now
        if now is None or now.progress != "judged" or now.certificate != "asked":
            return
        if now.key[1] in self.document.under_way or self._jobs.running("certify"):
            return

        def answered(certificate: Proof) -> None:
            judgement = self._known.get(now.key, now)
            verdict = judgement.verdict
            if verdict is not None:
                verdict = proved(verdict, certificate)
            if self.now is not None and self.now.key == now.key:
                self._set(replace(judgement, certificate=certificate, verdict=verdict))

        def failed(error: Exception) -> None:
            answered("gave_up")
            self._post(Notice(f"Z3 cannot be used: {shown(str(error), 120)}"))

        stops: list[Callable[[], None]] = []

        def interrupt() -> None:
            for stop in stops:
                stop()

        self._jobs.start(
            "certify",
            lambda token: certify(now.run, stops.append),
            answered,
            failed,
            interrupt=interrupt,
        )


# Functions for threads, and pure functions:


def unjudged(variant: Variant | None, record: RunRecord | None, problem: Problem | None = None) -> Unjudged:
    """Make a run that is not judged from its record, or without a record a run without calls."""

    if problem is None:
        problem = Problem(actions_of(variant), (), variant.query.timed) if variant else Problem((), ())
    trace = Trace(ending="running") if record is None else trace_of_record(record)
    return Unjudged(problem, trace)


def _read(session: Session, variant: Variant) -> _Read:
    """Read a query's text, and the session's rules. Tree and constraints in the file are not trusted."""
    from planscope.rules.in_session import outline_in, reading_in

    try:
        reading = reading_in(session, variant)
    except ParseFailure as failure:
        return _Read(None, tuple(failure.errors))
    except ActionNameError as error:
        raise UserError(f"the actions of this session cannot be used: {error}") from None
    few = len(reading.problem.said) <= FEW_CONSTRAINTS
    return _Read(reading, (), outline_in(reading) if few else ())


def _lay_out(reading: Reading) -> tuple[tuple[OutlineNode, ...], Links]:
    """Compute the tree of a long query, and the links between text, tree and constraints."""
    from planscope.rules.in_session import outline_in

    outline = outline_in(reading)
    return outline, Links(reading.text, reading.problem, outline)


def judged(
    key: Key,
    read: _Read,
    record: RunRecord | None,
    links: Links | None = None,
    growing: GrowingRun | None = None,
) -> tuple[Judgement, dict[int, Facts]]:
    """Judge a run, or only the query without one. Return also the facts of all steps if they are few.

    ``growing``: the run is live, and only its new calls are judged.
    """
    from planscope.cause.told import cause_of
    from planscope.oracle.replay import replay

    reading = read.reading
    assert reading is not None
    links = links or Links(reading.text, reading.problem, read.outline)
    if growing is not None and record is not None:
        run = growing.judged(record)
        return Judgement(key, run, "judged", links=links, verdict=run.replay.verdict()), {}
    trace = Trace(ending="running") if record is None else trace_of_record(record)
    run = RunIndex(replay(reading.problem, trace))
    repair = None
    if trace.ending != "running" and _repaired_at_once(reading.problem, trace):
        repair = run.judged.way_back()
    few = len(run.steps) <= FEW_STEPS
    facts = {i: facts_at(run, i) for i in range(len(run.steps))} if few else {}
    verdict = run.replay.verdict()
    cause = cause_of(run.judged, verdict)
    return Judgement(key, run, "judged", links=links, verdict=verdict, repair=repair, cause=cause), facts


def _repaired_at_once(problem: Problem, trace: Trace) -> bool:
    """Return whether the nearest valid plan is found quickly."""
    if problem.counted:
        return len(problem.actions) <= MOST_REPAIRED
    return len(trace.calls) <= MOST_CALLS_REPAIRED


def certify(run: RunIndex, started: Callable[[Callable[[], None]], None]) -> Proof:
    """Ask Z3 to confirm a run's verdict and core. For any thread.

    ``started`` receives a function that interrupts Z3.
    """
    return run.judged.certify(started=started)


def facts_at(run: RunIndex, index: int) -> Facts:
    """Ask the oracle about one step. For any thread; questions wait for each other."""
    with _ASKING:
        return _facts_at(run, index)


def _facts_at(run: RunIndex, index: int) -> Facts:
    from planscope.wording.explain import explain_core, explain_finding

    replay = run.judged
    view = replay.steps[index]
    instead_at = _last_good(run, index)
    lost = next((i for i in run.doomed if replay.steps[i].attempt == view.attempt and i <= index), None)
    why = ""
    if lost is not None and view.core is not None and view.core.constraints:
        said = {c for found in run.findings[index] if found.type == "rule_broken" for c in found.constraints}
        if not said.issuperset(view.core.constraints):
            why = explain_core(replay, view.core)
    return Facts(
        index,
        replay.safe_moves(index),
        run.valid_completions(index),
        replay.one_way(index),
        _others(replay, instead_at) if instead_at is not None else (),
        instead_at,
        why,
        tuple(explain_finding(replay, found) for found in run.findings[index]),
    )


def _others(replay: Replay, before: int) -> tuple[Move, ...]:
    """Return the safe moves of a step. With rules the tool that was called there is left out: it may be safe with other
    arguments, but its name alone would advise what went wrong. A query's moves have their hours."""
    moves = replay.safe_moves(before)
    if replay.problem.counted:
        return moves
    called = replay.steps[before + 1].action
    return tuple(move for move in moves if move.action != called)


def _replay(run: RunIndex) -> Replay:
    return run.judged


def _last_good(run: RunIndex, index: int) -> int | None:
    """If this step is lost or has an error, return the last index before it from which the plan could be finished."""
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


def _look_ahead(
    run: RunIndex, around: int, known: Container[int], keep: Callable[[Facts], None], cancelled: Waits
) -> None:
    """Look up the facts of all steps, the nearest first, with pauses, until ``cancelled`` returns True."""
    order = sorted(range(len(run.steps)), key=lambda index: abs(index - around))
    for index in order[:MOST_AHEAD]:
        if index in known:
            continue
        if cancelled(_BREATH):
            return
        keep(facts_at(run, index))
