"""Rules, and traces judged by them, as documents that ``check --rules``, ``rules check`` and ``rules mine`` print."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import Field

from planscope.document import Document
from planscope.documents.judgement import CauseOf, EarlyEnd, Z3Answer
from planscope.documents.query import ParseErrorDocument
from planscope.language.constructions import Kind
from planscope.oracle.trace import LeftOut
from planscope.oracle.verdict_types import CERTIFIED, StepNo

if TYPE_CHECKING:
    from planscope.language.errors import ParseFailure
    from planscope.oracle.replay import Replay
    from planscope.rules.judge import Tested
    from planscope.rules.mining import Mined
    from planscope.rules.policy import Draft
    from planscope.rules.repair import RulesRepair
    from planscope.rules.report import Checked, Summary
    from planscope.rules.rule import RuleFile
    from planscope.session.model import Session

Names = Annotated[list[str], Field(description="sets of calls, as the rule names them")]


class ValuesDocument(Document):
    """The number of values for which a rule was tested, and broken; 1 or 0 if the rule has no values."""

    applicable: int
    broken: int


class RuleResultDocument(Document):
    """The result of one rule on one trace."""

    id: str
    name: str | None = None
    text: str
    kind: Kind
    state: Literal["kept", "broken", "not_applicable", "unknown"]
    applicable: bool = Field(description="whether the trace put the rule to the test")
    broken_at: list[StepNo]
    value: str | None = Field(
        description="the first value that the rule was broken for; a string that could be taken for another value is "
        'JSON: the string 7 is "7" with its quotes'
    )
    values: ValuesDocument

    @classmethod
    def about(cls, result: Tested) -> Self:
        values = ValuesDocument(applicable=result.values_applicable, broken=result.values_broken)
        rule = result.rule
        return cls.of(result, id=rule.id, name=rule.name, text=rule.text, kind=rule.kind, values=values)

    @cached_property
    def line(self) -> str:
        """The result as JSON, written once: of many traces, most results are the same."""
        return self.as_line()

    @classmethod
    def of_known(cls, r: Tested, known: Results) -> RuleResultDocument:
        """Return the result from those that are known, or add it to them. They are of one file of rules."""
        key = (r.rule.id, r.state, r.applicable, *r.broken_at, r.value, r.values_applicable, r.values_broken)
        if key not in known:
            if len(known) >= MOST_RESULTS:
                known.clear()
            known[key] = cls.about(r)
        return known[key]


Results: TypeAlias = dict[tuple[object, ...], RuleResultDocument]
MOST_RESULTS = 10_000


class RulesViolationDocument(Document):
    """The first step after which no continuation keeps every rule, and the core."""

    step: StepNo
    rules: list[str]
    steps: list[int]
    confirmed: bool | None = Field(
        description="whether Z3 confirms the core; null: it gave up, or was not asked"
    )
    proof: Z3Answer = "not_asked"
    constraints: list[str] = Field(
        default_factory=list, description="the members of the core that the run's query states"
    )


TURNS = "user messages between this place and the step before which it is"


class MovedDocument(Document):
    step: int
    tool: str
    before: StepNo
    turns: int = Field(default=0, description=TURNS)


class InsertedDocument(Document):
    tool: str
    before: StepNo
    turns: int = Field(default=0, description=TURNS)
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
    reason: str | None = Field(
        default=None, description="why no repair is known: none is allowed, or not sought"
    )

    @classmethod
    def about(cls, run: Replay) -> Self:
        """Return the repair of a run that rules alone judge."""
        from planscope.rules.beside import repair_of

        fixed = repair_of(run)
        if fixed is None:
            return cls(moved=[], inserted=[], removed=[], exact=False, reason=run.repair().reason)
        return cls.told(fixed)

    @classmethod
    def told(cls, fixed: RulesRepair) -> Self:
        """Return the document of a repair."""
        from planscope.rules.words import needed  # imported late: most traces need no repair

        conditions = ((one, needed(one.letter, strictly=True)) for one in fixed.inserted)
        inserted = [InsertedDocument.of(one, **{"with": condition}) for one, condition in conditions]
        return cls.of(fixed, inserted=inserted, reason=fixed.reason or None)


class TraceDocument(Document):
    """One judged trace."""

    id: str
    verdict: Literal["right", "wrong", "unknown", "aborted"]
    calls: int
    rules: list[RuleResultDocument]
    first_violation: RulesViolationDocument | None
    repair: RulesRepairDocument | None
    repair_reason: str | None = Field(
        default=None, description="why no repair is known: none is allowed, or not sought"
    )
    explanation: str
    reason: EarlyEnd = None
    details: bool = Field(
        default=False, description="whether first_violation and repair were sought; see --details"
    )
    query: Literal["right", "wrong", "unknown", "aborted"] | None = Field(
        default=None, description="the verdict on the run's query alone"
    )
    problem: str | None = Field(default=None, description="what of the trace could not be read")
    warnings: list[str] = Field(default_factory=list, description="as in check")
    left_out: list[LeftOut] = Field(default_factory=list)
    reward: float | None = Field(default=None, description="how the trace was graded: 1 right, 0 wrong")
    cause: CauseOf = None
    judged: bool = Field(default=True, description="as in check")

    def as_line(self) -> str:
        """Return the document as JSON, with the results at its end."""
        return f'{self._line({"rules"})[:-1]},"rules":[{",".join(one.line for one in self.rules)}]}}'

    @classmethod
    def about(cls, checked: Checked, known: Results | None = None) -> Self:
        """Return the document of a judged trace. ``known``: the documents of results so far, since traces share most of
        them."""
        known = {} if known is None else known
        why = checked.why
        more: dict[str, Any] = {"first_violation": None, "repair": None}
        if not checked.results:
            more["judged"] = False
        if checked.problem:
            more["problem"] = checked.problem
        if checked.warnings:
            more["warnings"] = checked.warnings
        if why is not None and why.step is not None:
            more["first_violation"] = RulesViolationDocument(
                step=why.step,
                rules=list(why.rules),
                steps=[step for step in why.steps if step != "end"],
                confirmed=CERTIFIED[why.proof],
                proof=why.proof,
                **({"constraints": list(why.constraints)} if why.constraints else {}),
            )
        if why is not None and why.repair is not None:
            if why.repair.reason:
                more["repair_reason"] = why.repair.reason
            else:
                more["repair"] = RulesRepairDocument.told(why.repair)
        if why is not None and why.query is not None:
            more["query"] = why.query
        if checked.cause is not None:
            more["cause"] = checked.cause
        told = ("id", "verdict", "calls", "explanation", "left_out", "reward")
        return cls.model_validate(
            {name: getattr(checked, name) for name in told}
            | {
                "rules": [RuleResultDocument.of_known(one, known) for one in checked.results],
                "reason": checked.reason if checked.verdict == "aborted" else None,
                "details": why is not None,
                **more,
            }
        )


class RuleChangeDocument(Document):
    """A rule's new state, as ``check - --running --json`` prints each on a line of its own. ``step``: the last call so
    far; ``tool``: its tool, null if a message brought the change."""

    trace: str
    step: int
    tool: str | None
    rule: str
    name: str | None
    text: str
    state: Literal["kept", "kept_so_far", "owed", "broken", "unknown"]
    value: str | None = Field(description="the first value that the rule is broken for")


class RuleSumDocument(Document):
    """The results of one rule over all traces."""

    id: str
    name: str | None = None
    text: str
    applicable: int
    broken: int
    unknown: int


class CauseSumDocument(Document):
    """Traces with the same cause."""

    label: str = Field(description="what they have in common; empty: no cause in the trace")
    count: int
    traces: list[str] = Field(description="their ids, of at most 1,000 traces in which a cause was sought")


class SummaryDocument(Document):
    traces: int
    broken: int = Field(description="traces that are wrong")
    left_out: list[LeftOut] = Field(default_factory=list, description="by reason, in all traces")
    graded_but: dict[str, int] = Field(
        default_factory=dict, description="how many traces are graded otherwise than judged, by words for it"
    )
    rules: list[RuleSumDocument]
    causes: list[CauseSumDocument] = Field(default_factory=list, description="the commonest first")

    @classmethod
    def about(cls, summary: Summary) -> Self:
        return cls.of(
            summary,
            broken=summary.verdicts.get("wrong", 0),
            left_out=list(summary.left_out.values()),
            graded_but=dict(summary.odd),
            rules=[
                RuleSumDocument.of(summary.sums[rule.id], id=rule.id, name=rule.name, text=rule.text)
                for rule in summary.rules
            ],
            causes=[CauseSumDocument(label=w, count=len(i), traces=i) for w, i in summary.by_cause()],
        )


class RulesCheckedDocument(Document):
    """What ``check TRACE --rules RULES --json`` prints."""

    traces: list[TraceDocument]
    summary: SummaryDocument
    warnings: list[str] = Field(default_factory=list)

    @classmethod
    def streamed(cls, judged: Iterable[Checked], summary: Summary, warnings: Callable[[], list[str]]) -> Self:
        """Return a document for ``as_pieces`` alone: its traces are judged one by one while they are printed, and not
        kept. ``summary`` and ``warnings`` are asked after the last one."""

        def traces() -> Iterator[TraceDocument]:
            known: Results = {}
            for one in judged:
                yield TraceDocument.about(one, known)
            document.summary, document.warnings = SummaryDocument.about(summary), warnings()

        document = cls.model_construct({"traces"}, traces=traces())
        return document


class RulesAddedDocument(Document):
    """What ``rules add --json`` prints."""

    session: str
    added: list[str] = Field(description="ids of the new rules")
    summary: SummaryDocument
    warnings: list[str]

    @classmethod
    def about(cls, session: str, added: list[str], summary: Summary, warnings: list[str]) -> Self:
        """Tell which rules a session has got, and how its runs keep all it has."""
        return cls(session=session, added=added, summary=SummaryDocument.about(summary), warnings=warnings)


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
    until: Names = Field(default=[], description="the calls that end a scope, of kinds that have one")
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
    """What ``rules check --json`` prints; of a file that cannot be read only ``errors`` says something."""

    rules: list[RuleDocument]
    errors: list[ParseErrorDocument]
    contradiction: list[str] | None = Field(description="rules that no trace can keep together")
    implied: list[ImpliedDocument]
    uncallable: list[str] = Field(description="tools that no trace that keeps the rules can call")
    tools: list[str] = Field(default_factory=list, description="the tools that the rules name")
    warnings: list[str] = Field(default_factory=list)
    queries: list[ClashDocument] = Field(
        default_factory=list, description="with --session: the queries that contradict the rules"
    )

    @classmethod
    def unread(cls, failure: ParseFailure) -> Self:
        """Say what cannot be read."""
        return cls.of(failure, rules=[], contradiction=None, implied=[], uncallable=[])

    @classmethod
    def about(cls, file: RuleFile, session: Session | None = None, tools: Collection[str] = ()) -> Self:
        """Explain rules that were read, and say which queries of a session contradict them. ``tools``: those that there
        are, if they are known."""
        from planscope.language.calls import path_text
        from planscope.rules.checking import examine, warnings_about
        from planscope.rules.rule import names_of
        from planscope.rules.words import meaning, set_text

        found = examine(file.rules)
        return cls.of(
            found,
            rules=[
                RuleDocument.of(
                    rule,
                    meaning=meaning(rule),
                    first=[set_text((calls,)) for calls in rule.first],
                    then=[set_text((calls,)) for calls in rule.then],
                    until=[set_text((calls,)) for calls in rule.until],
                    per=" and ".join(map(path_text, rule.per)) or None,
                )
                for rule in file.rules
            ],
            errors=[],
            implied=[ImpliedDocument(rule=rule, by=list(by)) for rule, by in found.implied],
            tools=list(names_of(file.rules)),
            warnings=warnings_about(file, tools),
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

    @classmethod
    def about(cls, found: Sequence[Mined]) -> Self:
        return cls(rules=[MinedRuleDocument.of(one, text=one.rule.text, kind=one.rule.kind) for one in found])


class ProposalDocument(Document):
    """A rule that the reader or a model proposes for a sentence of a policy."""

    policy: str = Field(description="the sentence; of a model, as it quotes it")
    quoted: bool = Field(description="whether the policy has it in these words")
    below: str = Field(default="", description="the heading that the sentence stands below")
    text: str
    kinds: list[Kind]
    meanings: list[str]
    tested: int = Field(description="traces that put it to the test")
    kept: int = Field(description="of those, traces that keep it")
    broken: list[str] = Field(description="the first traces that break it")


class LeftOutDocument(Document):
    """A sentence for which there is no rule."""

    policy: str
    text: str = Field(description='what cannot be read; "" if no rule was read')
    why: str
    readings: list[str] = Field(
        default_factory=list, description="the rules that an unclear sentence may mean; write one of them"
    )


class DraftedDocument(Document):
    """What ``rules draft --json`` prints."""

    traces: int = Field(description="traces that the rules were tried on")
    by: str = Field(default="reader", description="who drafted: reader, or the model's name")
    proposals: list[ProposalDocument]
    unread: list[LeftOutDocument] = Field(description="what cannot be read, or in two ways")
    unsaid: list[LeftOutDocument] = Field(description="sentences of which no rule was read")

    @classmethod
    def about(cls, draft: Draft, traces: int, by: str) -> Self:
        """Tell what was drafted from a policy, and by whom."""
        proposals = [
            ProposalDocument.of(one, kinds=[rule.kind for rule in one.rules]) for one in draft.proposals
        ]
        return cls.of(draft, traces=traces, by=by, proposals=proposals)
