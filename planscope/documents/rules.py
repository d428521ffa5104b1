"""Rules, and traces judged by them, as documents that ``check --rules``, ``rules check`` and ``rules mine`` print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field

from planscope.documents.document import Document
from planscope.documents.query import ParseErrorDocument
from planscope.oracle.verdict_types import StepNo
from planscope.rules.rule import Kind

if TYPE_CHECKING:
    from planscope.agents.rule_writer import Draft, Proposal
    from planscope.rules.judge import Rulebook
    from planscope.rules.report import Summary
    from planscope.rules.rule import RuleFile
    from planscope.session.model import Session
    from planscope.traces.shape import Trace

Names = Annotated[list[str], Field(description="sets of calls, as the rule names them")]


class ValuesDocument(Document):
    """The number of values for which a rule was tested, and broken; 1 or 0 if the rule has no values."""

    applicable: int
    broken: int


class RuleResultDocument(Document):
    """The result of one rule on one trace."""

    id: str
    text: str
    kind: Kind
    state: Literal["kept", "broken", "not_applicable", "unknown"]
    applicable: bool = Field(description="whether the trace put the rule to the test")
    broken_at: list[StepNo]
    value: str | None = Field(description="the first value that the rule was broken for")
    values: ValuesDocument


class RulesViolationDocument(Document):
    """The first step after which no continuation keeps every rule, and the core."""

    step: StepNo
    rules: list[str]
    steps: list[int]
    confirmed: bool | None = Field(description="whether Z3 confirms the core; null: not decided")


class MovedDocument(Document):
    step: int
    tool: str
    before: StepNo


class InsertedDocument(Document):
    tool: str
    before: StepNo
    with_: str | None = Field(alias="with", description="the conditions that the call must meet")


class RemovedDocument(Document):
    step: int
    tool: str


class RulesRepairDocument(Document):
    """The cheapest change; each moved, inserted or removed call costs one."""

    moved: list[MovedDocument]
    inserted: list[InsertedDocument]
    removed: list[RemovedDocument]
    exact: bool


class TraceDocument(Document):
    """One judged trace."""

    id: str
    verdict: Literal["right", "wrong", "unknown", "aborted"]
    calls: int
    rules: list[RuleResultDocument]
    first_violation: RulesViolationDocument | None
    repair: RulesRepairDocument | None
    explanation: str
    problem: str | None = Field(default=None, description="what of the trace could not be read")


class RuleSumDocument(Document):
    """The results of one rule over all traces."""

    id: str
    text: str
    applicable: int
    broken: int
    unknown: int


class SummaryDocument(Document):
    traces: int
    broken: int = Field(description="traces that are wrong")
    rules: list[RuleSumDocument]


class RulesCheckedDocument(Document):
    """What ``check TRACE --rules RULES --json`` prints."""

    traces: list[TraceDocument]
    summary: SummaryDocument
    warnings: list[str] = Field(default_factory=list)


class RulesAddedDocument(Document):
    """What ``rules add --json`` prints."""

    session: str
    added: list[str] = Field(description="ids of the new rules")
    summary: SummaryDocument
    warnings: list[str]

    @classmethod
    def about(cls, session: str, added: list[str], summary: Summary, warnings: list[str]) -> Self:
        """Tell which rules a session has got, and how its runs keep all it has."""
        sums = SummaryDocument.model_validate(summary.fields())
        return cls(session=session, added=added, summary=sums, warnings=warnings)


class RulesCallDocument(Document):
    tool: str
    arguments: dict[str, Any]


class RulesStepDocument(Document):
    """One step, from 0 (no call yet) to "end"."""

    step: StepNo
    attempt: Literal[1]
    call: RulesCallDocument | None
    state: Literal["completable", "doomed", "broken", "unknown"]
    safe_next: list[str] = Field(description="tools of which some call keeps the trace completable")
    valid_completions: None
    constraints: dict[str, Literal["kept", "kept_so_far", "owed", "broken", "unknown"]]
    core: list[str]


class RulesReplayDocument(Document):
    """What ``replay TRACE --rules RULES --json`` prints."""

    steps: list[RulesStepDocument]
    trace: str

    @classmethod
    def about(cls, book: Rulebook, trace: Trace, *, changes: bool = False) -> Self:
        """Judge every step of a trace. ``changes``: each step has only the rules whose status changed."""
        return cls(trace=trace.id, steps=list(rules_steps(book, trace, changes=changes)))


def rules_steps(book: Rulebook, trace: Trace, *, changes: bool = False) -> Iterator[RulesStepDocument]:
    """Judge the steps one by one."""
    from planscope.rules.core import find_core, first_lost
    from planscope.rules.judge import known_tools
    from planscope.rules.steps import steps

    own = book.for_tools({*trace.tools, *(call.tool for call in trace.calls)})
    tools = known_tools(own, trace)
    lost = first_lost(own, tools, trace, open_end=trace.ended != "complete")
    core = () if lost is None else find_core(own, tools, *lost).rules
    before: dict[str, str] = {}
    for one in steps(book, trace):
        statuses = {id: s for id, s in one.statuses.items() if not changes or before.get(id) != s}
        before = dict(one.statuses)
        call = one.call
        yield RulesStepDocument(
            step=one.step,
            attempt=1,
            call=None if call is None else RulesCallDocument(tool=call.tool, arguments=call.arguments or {}),
            state=one.state,
            safe_next=list(one.safe_next),
            valid_completions=None,
            constraints=statuses,
            core=list(core) if lost is not None and one.step == lost[0] else [],
        )


class RuleDocument(Document):
    """One rule of a file."""

    id: str
    line: int
    kind: Kind
    name: str | None
    text: str
    meaning: str
    first: Names
    then: Names
    per: str | None


class ImpliedDocument(Document):
    rule: str
    by: list[str]


class ClashDocument(Document):
    """A query that could be met alone, but not together with the rules."""

    variant: str
    constraints: list[str] = Field(description="the constraints of the query in the core")
    rules: list[str] = Field(description="the rules in the core, by their ids in the file")
    explanation: str


class RulesDocument(Document):
    """What ``rules check --json`` prints of a file that can be read."""

    rules: list[RuleDocument]
    errors: list[ParseErrorDocument]
    contradiction: list[str] | None = Field(description="rules that no trace can keep together")
    implied: list[ImpliedDocument]
    uncallable: list[str] = Field(description="tools that no trace that keeps the rules can call")
    queries: list[ClashDocument] = Field(
        default_factory=list, description="with --session: the queries that contradict the rules"
    )

    @classmethod
    def about(cls, file: RuleFile, session: Session | None = None) -> Self:
        """Explain rules that were read, and say which queries of a session contradict them."""
        from planscope.rules.checking import examine
        from planscope.rules.rule import path_text
        from planscope.rules.words import meaning, set_text

        found = examine(file.rules)
        return cls(
            rules=[
                RuleDocument.of(
                    rule,
                    meaning=meaning(rule),
                    first=[set_text((calls,)) for calls in rule.first],
                    then=[set_text((calls,)) for calls in rule.then],
                    per=" and ".join(map(path_text, rule.per)) or None,
                )
                for rule in file.rules
            ],
            errors=[],
            contradiction=None if found.contradiction is None else list(found.contradiction),
            implied=[ImpliedDocument(rule=rule, by=list(by)) for rule, by in found.implied],
            uncallable=list(found.uncallable),
            queries=[] if session is None else list(_clashes(session, file)),
        )


def _clashes(session: Session, file: RuleFile) -> Iterator[ClashDocument]:
    from planscope.rules.in_session import clashes
    from planscope.wording.explain import explain_core

    for variant, run in clashes(session, file):
        core = run.steps[0].core
        assert core is not None
        said = {c.id for c in run.problem.constraints if c.kind == "of_calls"}
        rank = [c.id for c in run.problem.constraints if c.id in said]
        yield ClashDocument(
            variant=variant.id,
            constraints=[id for id in core.constraints if id not in said],
            rules=[file.rules[rank.index(id)].id for id in core.constraints if id in said],
            explanation=explain_core(run, core),
        )


class MinedRuleDocument(Document):
    """A rule that good traces keep. ``good`` and ``bad``: how many traces keep it, and how many test it."""

    text: str
    kind: Kind
    support: int
    confidence: float
    good: tuple[int, int]
    bad: tuple[int, int]
    p: float | None = Field(
        description="exact test, corrected for the number of candidates; null without bad traces"
    )


class MinedDocument(Document):
    """What ``rules mine --json`` prints."""

    rules: list[MinedRuleDocument]


class ProposalDocument(Document):
    """A rule that a model proposes for a sentence of a policy."""

    policy: str = Field(description="the sentence, as the model quotes it")
    quoted: bool = Field(description="whether the policy has it in these words")
    text: str
    kinds: list[Kind]
    meanings: list[str]
    tested: int = Field(description="traces that put it to the test")
    kept: int = Field(description="of those, traces that keep it")
    broken: list[str] = Field(description="the first traces that break it")


class LeftOutDocument(Document):
    """A sentence for which there is no rule."""

    policy: str
    text: str = Field(description='what the model proposed; "" if it says that no rule can say the sentence')
    why: str


class DraftedDocument(Document):
    """What ``rules draft --json`` prints."""

    traces: int = Field(description="traces that the rules were tried on")
    proposals: list[ProposalDocument]
    unread: list[LeftOutDocument] = Field(description="proposals that cannot be read")
    unsaid: list[LeftOutDocument] = Field(description="sentences that no rule can say")

    @classmethod
    def about(cls, draft: Draft, traces: int) -> Self:
        """Tell what a model proposed."""

        def left(some: list[Proposal]) -> list[LeftOutDocument]:
            return [LeftOutDocument(policy=one.policy, text=one.text, why=one.why) for one in some]

        return cls(
            traces=traces,
            proposals=[
                ProposalDocument(
                    policy=one.policy,
                    quoted=one.quoted,
                    text=one.text,
                    kinds=[rule.kind for rule in one.rules],
                    meanings=one.meanings,
                    tested=one.tested,
                    kept=one.kept,
                    broken=one.broken,
                )
                for one in draft.proposals
            ],
            unread=left(draft.unread),
            unsaid=left(draft.unsaid),
        )
