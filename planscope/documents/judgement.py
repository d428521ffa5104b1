"""A judged run as documents: what ``check``, ``replay``, ``repair``, ``reasons`` and ``export`` print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import AliasPath, BeforeValidator, Field, field_serializer

from planscope.document import Document
from planscope.documents.query import QueryDocument
from planscope.json_text import finite
from planscope.language.problem import Problem
from planscope.oracle.judged import same_message
from planscope.oracle.trace import Cause, Ending, LeftOut
from planscope.oracle.verdict_types import (
    CERTIFIED,
    Blame,
    ErrorType,
    Finding,
    Proof,
    SafeCall,
    SearchEnd,
    State,
    Status,
    StepNo,
    StepView,
    Verdict,
    VerdictKind,
)

if TYPE_CHECKING:
    from planscope.case import Asked
    from planscope.oracle.replay import Replay
    from planscope.oracle.verdict_types import Reasons


Foreseeable = Annotated[
    bool, Field(description="false: other durations of actions not called yet would still save the plan")
]
CoreSteps = Annotated[list[StepNo], Field(description="the steps in the core")]


class ViolationDocument(Document):
    """The point of no return: the first step after which the plan is lost, and the minimal core that says why."""

    step: StepNo
    constraint: str = Field(description="the member of the core that comes first in the text")
    core: list[str] = Field(validation_alias=AliasPath("core", "constraints"))
    steps: CoreSteps = Field(validation_alias=AliasPath("core", "steps"))
    foreseeable: Foreseeable = Field(validation_alias=AliasPath("core", "foreseeable"))


class HeadlineDocument(Document):
    """The error that a headline names."""

    type: ErrorType
    step: StepNo


Headline = Annotated[
    HeadlineDocument | None,
    Field(
        description="the error that words name: that of the step that lost the plan; if none did before the end, "
        "the primary one; null: not wrong"
    ),
]


class HelpDocument(Document):
    """How a guard or a person helped the agent of a run; such a run is counted separately in rates."""

    refused_by_guard: int
    refused_by_user: int
    arguments_edited: int = Field(description="calls whose arguments a person changed")
    answers_edited: int = Field(description="answers that a person changed")
    text: str


Helped = Annotated[
    HelpDocument | None,
    BeforeValidator(lambda given: given or None),
    Field(description="null: there was no help"),
]


EarlyEnd = Annotated[Cause | None, Field(description="aborted: what ended the run")]

Z3Answer = Annotated[
    Proof,
    Field(description="Z3's answer: confirmed; gave_up (it was asked); denied (a bug); or it was not_asked"),
]


CauseOf = Annotated[
    Blame | None,
    Field(
        description="what is most likely to blame; null: not sought; a run of a query is lost by its lost step"
    ),
]


class CheckDocument(Document):
    """The verdict of a run."""

    verdict: VerdictKind
    error_type: ErrorType | None
    findings: list[Finding]
    first_violation: ViolationDocument | None
    explanation: str
    certified: bool | None = Field(
        default=None, description="whether Z3 confirmed it; null: it gave up, or was not asked (see proof)"
    )
    proof: Z3Answer = "not_asked"
    judged: bool = Field(
        default=True, description="false: nothing was judged, as there is no query and no rule, or no run"
    )
    warnings: list[str] = Field(
        default_factory=list, description="what may make the verdict worth less than it seems"
    )
    run: str | None = None
    headline: Headline = None
    helped: Helped = None
    reason: EarlyEnd = None
    notes: list[str] = Field(default_factory=list, description="the grade, and what was left out, in words")
    reward: float | None = Field(default=None, description="how the trace was graded: 1 right, 0 wrong")
    cause: CauseOf = None
    left_out: list[LeftOut] = Field(default_factory=list)

    @classmethod
    def about(cls, replay: Replay, verdict: Verdict, **more: Any) -> Self:
        from planscope.cause.told import cause_of
        from planscope.wording.explain import explain_verdict

        more["cause"] = cause_of(replay, verdict)
        more |= {"left_out": replay.trace.left_out, "reward": replay.trace.reward}
        return cls.told(verdict, explain_verdict(replay, verdict), **more)

    @classmethod
    def told(cls, verdict: Verdict, explanation: str, **more: Any) -> Self:
        """Return the document of a verdict that is explained already."""
        reason = verdict.reason if verdict.verdict == "aborted" else None
        return cls.of(verdict, explanation=explanation, reason=reason, **more)

    @classmethod
    def of_nothing(cls, **more: Any) -> Self:
        """Return the verdict on a session without runs."""
        nothing = Verdict("unknown", None, (), None, judged=False)
        return cls.told(nothing, "The session has no run.", **more)


class CallDocument(Document):
    """A tool call as the agent made it."""

    tool: str
    arguments: Annotated[dict[str, Any], BeforeValidator(finite)] | None = Field(
        description="null: they could not be read"
    )
    refused: bool = Field(default=False, description="a guard or the user blocked the call")
    failed: bool | None = Field(
        default=None, description="whether the tool answered with an error; null: nothing shows it"
    )
    same_message: bool = Field(
        default=False,
        description="rules: made in one message with the call before, so it knew no answer to that",
    )


class SafeCallDocument(Document):
    """A call of ``safe_next``, and an answer to it, after which everything can still be kept. It is made as a message
    of its own."""

    action: str = Field(description="as in safe_next")
    tool: str
    arguments: Annotated[dict[str, Any], BeforeValidator(finite)] | None = Field(
        description="null: such a call could not be written down"
    )
    answer: str | None = Field(description="null: any answer will do; with answered false: it has none yet")
    answered: bool = True
    failed: bool | None = Field(default=None, description="whether the tool fails")
    agent: str | None = Field(default=None, description="the agent that must make the call")

    @classmethod
    def about(cls, call: SafeCall) -> Self:
        """Return a safe call. What does not matter is left out."""
        usual = {"answered": True, "failed": None, "agent": None}
        left_out = {name for name, value in usual.items() if getattr(call, name) == value}
        return cls.model_validate({n: getattr(call, n) for n in cls.model_fields if n not in left_out})


EVERY_STATUS: Mapping[str, Status] = {}
"""Known statuses for a first step: none, so that all are written."""


class StepDocument(Document):
    """One step of a run, judged."""

    step: StepNo
    attempt: int
    call: CallDocument | None = Field(description="null before any call, and at the end")
    action: str | None = Field(default=None, description="the action that the call executed")
    start: int | None = Field(default=None, description="timed: hours")
    end: int | None = None
    state: State
    safe_next: list[str]
    safe_calls: list[SafeCallDocument] = Field(
        default_factory=list, description="the same, each as a call and an answer to it"
    )
    valid_completions: int | None = Field(description="orders of what remains; null: too many to count")
    constraints: dict[str, Status] = Field(
        description="with --changes only those whose status differs from the step before"
    )
    core: list[str]
    core_steps: CoreSteps = Field(default_factory=list)
    findings: list[Finding] = Field(default_factory=list)
    safe_hours: dict[str, tuple[int, int]] | None = Field(
        default=None, description="timed: first and last safe start of each action in safe_next"
    )

    @classmethod
    def at(cls, run: Replay, view: StepView, known: Mapping[str, Status] = EVERY_STATUS) -> Self:
        """Return the step of ``view``. ``known`` are statuses that need not be repeated."""
        moves = run.safe_calls(view.index)
        timed = {"safe_hours": {m.action: m.hours for m in moves if m.hours}} if run.problem.timed else {}
        made = cls.of(
            view,
            safe_next=[m.action for m in moves],
            safe_calls=[SafeCallDocument.about(m) for m in moves],
            valid_completions=run.valid_completions(view.index),
            constraints={c: s for c, s in run.statuses(view.index).items() if known.get(c) != s},
            core=view.core.constraints if view.core else (),
            core_steps=view.core.steps if view.core else (),
            **timed,
        )
        if made.call is not None and same_message(run, view):
            made.call.same_message = True
        return made


class ReplayDocument(Document):
    """Every step of a run, from 0 to ``"end"``."""

    run: str | None
    ending: Ending
    timed: bool
    steps: Iterable[StepDocument]
    check: CheckDocument | None = None
    trace: str | None = Field(default=None, description="the id of a trace; then run is null")
    words: dict[str, str] = Field(
        default_factory=dict,
        description="what the actions, constraints and rules say whose ids the steps have",
    )

    @field_serializer("steps")
    def _all(self, steps: Iterable[StepDocument]) -> list[StepDocument]:
        return list(steps)

    @classmethod
    def about(cls, run: Replay, run_id: str | None, *, changes: bool = False, **more: Any) -> Self:
        """Return the document of a replay. Its steps are judged one by one while they are printed, and not kept in
        memory."""

        def each() -> Iterator[StepDocument]:
            known: Mapping[str, Status] = EVERY_STATUS
            for view in run.steps:
                yield StepDocument.at(run, view, known)
                known = run.statuses(view.index) if changes else known

        steps = each()
        return cls(run=run_id, ending=run.trace.ending, timed=run.problem.timed, steps=steps, **more)

    @classmethod
    def asked(cls, asked: Asked, *, changes: bool = False) -> Self:
        """Return the document of a run or a trace, with its verdict."""
        check = CheckDocument.about(asked.replay, asked.replay.verdict(), helped=asked.help)
        run, trace = (None, asked.id) if asked.is_trace else (asked.id, None)
        words = _words(asked.replay.problem)
        return cls.about(asked.replay, run, changes=changes, check=check, trace=trace, words=words)


def _words(problem: Problem) -> dict[str, str]:
    """Return the tool of each action, and each constraint or rule as a clause, by their ids."""
    from planscope.wording.constraints import brief

    tools = {action.id: action.tool for action in problem.actions}
    said = {c.id: brief(c, problem) for c in problem.constraints}
    return tools | {c.id: f"{c.title}: {said[c.id]}" if c.title else said[c.id] for c in problem.constraints}


class RepairDocument(Document):
    """The nearest valid plan. ``order`` is null if there is none; ``reason`` then says why."""

    order: list[str] | None
    tools: list[str] | None = Field(default=None, description="the tools of order")
    starts: dict[str, int] | None
    swaps: int | None
    inserted: list[str]
    removed: list[str]
    exact: bool = Field(description="proved to be the nearest")
    reason: str | None = None
    run: str | None = None
    from_step: int = 0

    @classmethod
    def about(cls, run: Replay, run_id: str | None, from_step: int = 0) -> Self:
        fixed, actions = run.repair(from_step), run.problem.action_by_id
        order = None if fixed.order is None else [actions[a].tool if a in actions else a for a in fixed.order]
        return cls.of(fixed, run=run_id, from_step=from_step, tools=order)


class ExportDocument(Document):
    """What ``export --format json`` writes."""

    title: str
    query: QueryDocument
    run: dict[str, Any] | None
    check: CheckDocument
    replay: ReplayDocument
    repair: RepairDocument


class CoreDocument(Document):
    """A minimal set of constraints that cannot all hold."""

    constraints: list[str]
    steps: CoreSteps
    foreseeable: Foreseeable
    explanation: str


class CorrectionDocument(Document):
    """A minimal set of constraints and steps to give up so that the rest can hold."""

    constraints: list[str]
    steps: list[StepNo] = Field(description="calls that would have to be different or missing")
    explanation: str


class ReasonsDocument(Document):
    """Every minimal core at a step, and every minimal set to give up so that the rest can hold."""

    run: str | None
    step: StepNo
    state: State
    cores: list[CoreDocument] = Field(description="the one that check shows first, then by size")
    corrections: list[CorrectionDocument] = Field(description="by size")
    complete: bool = Field(description="whether the lists are complete")
    ended: SearchEnd = Field(
        description="all: none is left; most: as many as asked for; unknown: a check was too hard"
    )
    certified: bool | None = Field(
        description="whether Z3 confirmed each of them; null: it gave up, or was not asked (see proof)"
    )
    proof: Z3Answer = "not_asked"

    @classmethod
    def about(cls, run: Replay, found: Reasons, run_id: str | None, proof: Proof) -> Self:
        from planscope.wording.explain import explain_core, explain_correction

        return cls.of(
            found,
            run=run_id,
            state=run.steps[found.index].state,
            cores=[CoreDocument.of(one, explanation=explain_core(run, one)) for one in found.cores],
            corrections=[
                CorrectionDocument.of(one, explanation=explain_correction(run, found.index, one))
                for one in found.corrections
            ],
            certified=CERTIFIED[proof],
            proof=proof,
        )
