"""The oracle's answers as plain data, without Z3 objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from planscope.frozen import frozen
from planscope.oracle.trace import Cause, ToolCall, Trace

State = Literal["completable", "doomed", "broken", "unknown"]
Status = Literal["holds", "open", "broken", "kept", "kept_so_far", "owed", "unknown"]
"""``holds``, ``open`` and ``broken`` are those of a query's constraints. A rule about calls is ``kept`` for
good, ``kept_so_far``, ``owed`` (a later call must come), ``broken``, or ``unknown`` if the trace does not tell."""
StepNo = int | Literal["end"]
VerdictKind = Literal["right", "wrong", "aborted", "unknown"]
VERDICTS: tuple[VerdictKind, ...] = get_args(VerdictKind)
ErrorType = Literal[
    "timeout", "act_error", "action_lost", "action_repeated", "parameter_error", "order_error", "rule_broken"
]
ERROR_TYPES: tuple[ErrorType, ...] = get_args(ErrorType)
Told = Literal["right", "wrong", "aborted", "cut_off", "stopped", "unknown", "not_judged"]
"""A verdict as words tell it: ``not_judged`` if nobody asked, and what an ``aborted`` run is if that was recorded."""
Proof = Literal["confirmed", "gave_up", "denied", "not_asked"]
"""Z3's answer about a verdict and its core. A verdict that Z3 denies is ``unknown``."""


@frozen
class Finding:
    """One error of a run, with the ids of the constraints and actions concerned."""

    type: ErrorType
    step: StepNo
    constraints: tuple[str, ...] = ()
    severity: Literal["error", "warning"] = "error"
    actions: tuple[str, ...] = ()
    message: str = ""


@frozen
class Core:
    """A minimal unsatisfiable set: ids of constraints (``c*`` by number, then ``b*``) and steps.

    ``foreseeable`` is a fact about the plan, not about one core. It is False only if, with some durations of the
    actions not called yet (at least 1 hour each), the plan could still be finished.
    """

    constraints: tuple[str, ...]
    steps: tuple[StepNo, ...]
    foreseeable: bool = True


@frozen
class StepView:
    """The judgement after one step. Step 0 is before any call; the last one is ``"end"``.

    ``action`` is the action that this step executed (None for a refused call, a restart, step 0 and the end). ``start``
    and ``end`` are hours (timed). ``changed`` names the constraints whose status differs from the step before; a
    decided status stays until a restart (see ``Replay.status``). ``core`` is set from the step on at which the attempt
    was lost.
    """

    step: StepNo
    index: int
    attempt: int
    call: ToolCall | None
    action: str | None
    start: int | None
    end: int | None
    state: State
    changed: tuple[str, ...]
    core: Core | None
    findings: tuple[Finding, ...] = ()

    @property
    def lost(self) -> bool:
        """Whether the plan cannot be finished from here."""
        return self.state in ("doomed", "broken")


@frozen
class Violation:
    """The step at which the last attempt was lost: the point of no return."""

    step: StepNo
    constraint: str
    core: Core


@frozen
class Verdict:
    """The judgement of a whole run, which every door prints. ``findings``: primary first, then by step.

    ``error_type`` is the primary one. ``judged``: False if there is nothing to judge by, no query and no rule.
    ``reason``: what ended the run early. ``warnings``: one line for each thing that may make the verdict
    worth less than it seems.
    """

    verdict: VerdictKind
    error_type: ErrorType | None
    findings: tuple[Finding, ...]
    first_violation: Violation | None
    reason: Cause | None = None
    judged: bool = True
    warnings: tuple[str, ...] = ()
    proof: Proof = "not_asked"
    notes: tuple[str, ...] = ()
    """One line for each thing that a trace says besides: how it was graded, and what was left out of it."""

    @property
    def told(self) -> Told:
        """The verdict as words tell it."""
        return told(self.verdict, self.judged, self.reason)

    @property
    def certified(self) -> bool | None:
        """Whether Z3 confirmed the verdict; None if it gave up or was not asked."""
        return CERTIFIED[self.proof]

    @property
    def lost_by(self) -> Finding | None:
        """Return the finding of the step that lost the plan, or None if that step has no error of its own.

        If there are several, one that breaks a constraint of the core is preferred.
        """
        first = self.first_violation
        if first is None:
            return None
        there = [f for f in self.findings if f.step == first.step and f.severity == "error"]
        core = set(first.core.constraints)
        return next((f for f in there if core & set(f.constraints)), there[0] if there else None)

    @property
    def headline(self) -> Finding | None:
        """Return the finding to name in a headline, or None if the run is not wrong.

        It is that of the step that lost the plan, or else the primary one. A run that was lost only at its end is named
        by the primary one, too: there, what is missing is the symptom of a timeout or of a call that failed.
        """
        if self.verdict != "wrong":
            return None
        at_end = self.first_violation is not None and self.first_violation.step == "end"
        return (None if at_end else self.lost_by) or next(iter(self.findings), None)


def early_end(verdict: VerdictKind, trace: Trace) -> tuple[str, ...]:
    """Return the warning about a right run that ended early, if it did."""
    if verdict != "right" or trace.ending != "aborted":
        return ()
    what = "is cut off" if trace.cause == "cut_off" else "ended early"
    return (f"the run {what}, and nothing is owed so far: {trace.reason or 'no reason was recorded'}",)


def graded(reward: float | None, verdict: VerdictKind) -> str:
    """Say how a run was graded, and if the verdict says otherwise: ``graded 0, keeps all rules``; "" without a
    grade."""
    if reward is None:
        return ""
    odd = ", keeps all rules" if reward <= 0 and verdict == "right" else ""
    odd = ", violates a rule" if reward >= 1 and verdict == "wrong" else odd
    return f"graded {reward:g}{odd}"


def cause_sought(verdict: VerdictKind, reward: float | None, unjudged: bool) -> bool:
    """Return whether a run has a cause to look for: it is wrong, it was graded below 1, or it has neither a grade nor
    a query or rule (``unjudged``), so that a cause is all that can be said of it."""
    return verdict == "wrong" or (unjudged if reward is None else reward < 1)


def notes_on(trace: Trace, verdict: VerdictKind) -> tuple[str, ...]:
    """Return the lines about a trace's grade and what was left out of it, but for what makes its verdict unknown."""
    left_out = [one for one in trace.left_out if verdict != "unknown" or one.kind != "not understood"]
    return tuple(filter(None, [graded(trace.reward, verdict), *(one.text for one in left_out)]))


def told(verdict: VerdictKind, judged: bool = True, reason: str | None = None) -> Told:
    """Return a verdict as words tell it."""
    if verdict == "aborted" and reason in ("cut_off", "stopped"):
        return "cut_off" if reason == "cut_off" else "stopped"
    return verdict if judged or verdict != "unknown" else "not_judged"


CERTIFIED: Mapping[Proof, bool | None] = {
    "confirmed": True,
    "gave_up": None,
    "denied": False,
    "not_asked": None,
}


def proof_of(answer: bool | None) -> Proof:
    """Return what Z3 said when it was asked. None: it gave up."""
    return "gave_up" if answer is None else "confirmed" if answer else "denied"


def worst_proof(answers: Sequence[Proof]) -> Proof:
    """Return one answer for several questions: what Z3 was not asked about is not confirmed."""
    worst: tuple[Proof, ...] = ("denied", "gave_up", "not_asked", "confirmed")
    return next((one for one in worst if one in answers), "not_asked")


def proved(verdict: Verdict, proof: Proof) -> Verdict:
    """Return a verdict with Z3's answer. A verdict that Z3 denies is unknown."""
    if proof == "denied":
        return Verdict(
            "unknown",
            None,
            (),
            None,
            reason=verdict.reason,
            warnings=verdict.warnings,
            proof=proof,
            notes=verdict.notes,
        )
    return replace(verdict, proof=proof)


@frozen
class Move:
    """A safe next move: an action after which the plan can still be finished. ``hours``: first and last safe start
    (timed)."""

    action: str
    hours: tuple[int, int] | None = None


@frozen
class SafeCall(Move):
    """A safe next move with a witness: a call of its ``tool`` and an answer after which the plan can still be finished.

    The call is a message of its own. ``arguments`` is None if none could be written down. ``answer`` is None if any
    answer will do or, with ``answered`` False, if there must be none yet. ``agent``: who must make the call.
    """

    tool: str = ""
    arguments: Mapping[str, Any] | None = None
    answer: str | None = None
    answered: bool = True
    failed: bool | None = None
    agent: str | None = None


@frozen
class PlannedCall:
    """One call of a plan that the oracle proposes."""

    action: str
    start: int | None = None
    needs: str | None = None
    """The condition that the call must meet, in words (rules)."""


@frozen
class Repair:
    """The nearest valid plan (paper, section 7). If there is none, ``order`` is None and ``reason`` says why.

    ``swaps``: adjacent swaps from the agent's own order. ``inserted``: actions that the agent never did. ``removed``:
    actions done more than once, one entry per superfluous call. ``exact``: proved nearest. ``kept``: the number of
    calls at the beginning of ``order`` that were kept as the agent made them. ``changes``: with rules, each change of
    the trace in words (a call is moved, inserted or removed); ``swaps`` is None then.
    """

    order: tuple[str, ...] | None
    starts: Mapping[str, int] | None = None
    swaps: int | None = None
    inserted: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    exact: bool = True
    reason: str | None = None
    kept: int = 0
    changes: tuple[str, ...] = ()


SearchEnd = Literal["all", "most", "stopped", "unknown"]
"""How a search for reasons ended: everything was found, the limit was reached, the caller stopped it, or a question
was too hard."""


@frozen
class Correction:
    """A minimal correction set: without these constraints and steps, the rest can be met.

    Its elements are ids of constraints (``c*`` by number, then ``b*``) and steps, as in a core. A step in it means that
    its action may come at another place or hour. ``"end"`` means that the agent does not stop there.
    """

    constraints: tuple[str, ...]
    steps: tuple[StepNo, ...]


@frozen
class Reasons:
    """Why a plan is lost at a step: minimal cores and minimal correction sets, each in order of size.

    ``index`` is an index into the run's ``steps``, ``step`` its name. If the plan is not lost, both sets are empty. The
    oracle's own core comes first. Every correction shares a member with every core.
    """

    index: int
    step: StepNo
    cores: tuple[Core, ...]
    corrections: tuple[Correction, ...]
    ended: SearchEnd = "all"

    @property
    def complete(self) -> bool:
        """Whether everything was found."""
        return self.ended == "all"


@frozen
class Link:
    """One step of the way from a cause to where it shows, and what happens there."""

    step: StepNo
    what: str


@frozen
class Came:
    """Where the value of an argument stood before its call. ``how``: ``equal``, ``case``, ``date``, ``unit``, ``sum``,
    ``part`` or ``nowhere``. ``by``: an ``answer``, the ``user`` or the ``system`` prompt; ``step`` and ``path`` name
    the answer."""

    argument: str
    how: str
    by: str | None = None
    step: int | None = None
    path: str = ""


@frozen
class Suspect:
    """A step that is likely to blame, if any is."""

    step: StepNo
    confidence: float
    reasons: tuple[str, ...]


@frozen
class Blame:
    """The most likely cause of what went wrong. ``step`` is None if nothing in the trace speaks for one; ``confidence``
    is how likely the answer is right.

    ``lost``: the first step without a continuation that keeps everything. ``shows``: the first that breaks something,
    or the end. ``origin``: the step to which provenance leads from there, else ``lost``. ``label`` is what runs with
    this cause have in common. ``sources``: those of the arguments of the step. All words may be hostile text.

    ``suspect``: if none is named, the step that is likeliest if the run went wrong all the same, and how likely it then
    is.
    """

    step: StepNo | None
    confidence: float
    reasons: tuple[str, ...] = ()
    lost: StepNo | None = None
    shows: StepNo | None = None
    origin: StepNo | None = None
    chain: tuple[Link, ...] = ()
    label: str = ""
    sources: tuple[Came, ...] = ()
    suspect: Suspect | None = None
