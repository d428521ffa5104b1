"""What is told of a judged trace, and sums over many traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from planscope.frozen import frozen
from planscope.language.calls import path_text
from planscope.oracle.trace import Cause, LeftOut, ToolCall, Trace, add_left_out
from planscope.oracle.verdict_types import Blame, Proof, Told, early_end, graded, told
from planscope.rules.judge import (
    Judge,
    Rulebook,
    RulesVerdict,
    StepNo,
    Tested,
    judge_trace,
    verdict_of,
)
from planscope.rules.rule import Rule, RuleFile, names_of, unknown_names
from planscope.safe import visible
from planscope.wording.phrases import listed, plural, step_name
from planscope.wording.terms import sentence

if TYPE_CHECKING:
    from planscope.rules.repair import RulesRepair

KEPT = "The run keeps every rule."
NO_RULES = "There is no rule to judge by."
MOST_LACKS = 100
MOST_NAMED = 10


@frozen
class CheckOptions:
    """Options of a check. ``running``: a trace may continue, so what is owed leaves it undecided. ``branches``:
    judge rewound ones too. ``details``: this many wrong traces get core and repair. ``succeeded_only``: failed calls do
    not count."""

    running: bool = False
    branches: bool = False
    details: int = 20
    succeeded_only: bool = False


@frozen
class Lack:
    """A tool whose calls do not have the argument that a rule goes by. ``near``: the nearest that they have."""

    line: int
    tool: str
    argument: str
    near: str | None


def with_branches(trace: Trace) -> Iterator[Trace]:
    """Yield the trace, and one trace for each rewound branch: the calls before it and its own."""
    yield trace
    for number, branch in enumerate(trace.branches, 1):
        steps = {call.step for call in trace.calls if call.step <= branch.after}
        kept = []
        for item in trace.items:
            if isinstance(item, ToolCall) and item.step not in steps:
                break
            kept.append(item)
        items = [*kept, *branch.items]
        count = 0
        renumbered = []
        for item in items:
            if isinstance(item, ToolCall):
                count += 1
                item = replace(item, step=count)
            renumbered.append(item)
        yield replace(trace, id=f"{trace.id}/branch{number}", items=renumbered, branches=[])


@frozen
class Details:
    """Why a trace is wrong, and what would mend it. ``step``: the first lost one, None if no step is certainly lost.

    ``rules`` and ``steps`` are the core, and ``constraints`` its members of the query, if there is one. ``proof``: what
    Z3 says of it. ``query``: the verdict on the query alone.
    """

    step: StepNo | None
    rules: tuple[str, ...]
    steps: tuple[StepNo, ...]
    constraints: tuple[str, ...]
    proof: Proof
    repair: RulesRepair | None
    query: RulesVerdict | None = None


@dataclass(slots=True)
class Checked:
    """A judged trace. ``tools``: those that it calls. ``lacks``: what it does not have that rules go by. ``why``: core
    and repair, if it is wrong and they were sought."""

    id: str
    verdict: RulesVerdict
    calls: int
    results: list[Tested]
    problem: str | None = None
    explanation: str = ""
    reason: Cause | None = None
    """What ended the run early."""
    tools: frozenset[str] = frozenset()
    lacks: tuple[Lack, ...] = ()
    why: Details | None = None
    warnings: tuple[str, ...] = ()
    left_out: Sequence[LeftOut] = ()
    reward: float | None = None
    cause: Blame | None = None
    """What is most likely to blame, if it was sought."""

    @property
    def told(self) -> Told:
        """The verdict as words tell it. Without rules nothing was judged."""
        return told(self.verdict, bool(self.results), self.reason)

    @property
    def broken(self) -> list[Tested]:
        return [result for result in self.results if result.state == "broken"]


def check_trace(book: Rulebook, trace: Trace, options: CheckOptions) -> Checked:
    """Judge one trace; ``details`` says why, if it is wrong."""
    judge = judge_trace(book, trace)
    results = judge.results(trace, open_end=options.running or trace.open_end)
    verdict = verdict_of(results, trace, running=options.running) if results else "unknown"
    words = (
        NO_RULES
        if not results
        else (
            KEPT
            if verdict == "right" and trace.ending != "aborted"
            else plain_verdict(results, trace, verdict)
        )
    )
    lacks = tuple(lacking(judge, trace)) if judge.lacking else ()
    return Checked(
        trace.id,
        verdict,
        judge.last_step,
        results,
        trace.problem,
        words,
        trace.cause,
        judge.tools,
        lacks,
        warnings=(*map(lack_text, lacks), *early_end(verdict, trace)),
        left_out=trace.left_out,
        reward=trace.reward,
    )


def lacking(judge: Judge, trace: Trace) -> Iterator[Lack]:
    """Yield the arguments that rules go by and that no tool of a side has, with the nearest that each has."""
    for i in judge.lacking:
        for tool, names in judge.lacks(i, trace):
            schema = trace.tools[tool].parameters if tool in trace.tools else None
            properties = (schema or {}).get("properties")
            known = set(properties) if isinstance(properties, dict) else set()
            known.update(*(call.arguments or () for call in trace.calls if call.tool == tool))
            wanted = " and ".join(map(path_text, names))
            near = nearest(wanted, known, 1)
            yield Lack(judge.book.rules[i].line, tool, wanted, near[0] if near else None)


def nearest(name: str, known: Iterable[str], most: int = 2) -> list[str]:
    """Return the known names that are most like a name."""
    from difflib import get_close_matches

    return get_close_matches(name, sorted(known), most, 0.6)


def plain_verdict(results: Sequence[Tested], trace: Trace, verdict: RulesVerdict) -> str:
    """Say the verdict on a trace by the results of its rules, without core and repair."""
    if verdict == "wrong":
        return f"Violated: {', '.join(r.rule.title for r in results if r.state == 'broken')}."
    if verdict == "unknown":
        return undecided(results, trace)
    from planscope.wording.explain import ended_early, why_aborted  # imported late because few traces need it

    if verdict == "right":
        return " ".join([KEPT, *ended_early(trace)])
    owed = [_named(r.rule) for r in results if r.owed]
    return why_aborted(told(verdict, reason=trace.cause), trace.cause, trace.reason, owed)


def undecided(results: Iterable[Tested], trace: Trace) -> str:
    """Say why rules are not decided; "" if they are."""
    open_ = [r for r in results if r.state == "unknown"]
    if open_ and trace.unclear:
        return f"{trace.unclear}. It may keep or violate {listed([_named(r.rule) for r in open_])}."
    said = []
    if owed := [_named(r.rule) for r in open_ if r.owed]:
        said.append(f"Still owed: {listed(owed)}.")
    for r in open_:
        if r.unnamed and not r.owed:
            said.append(f"{_named(r.rule)} names {r.unnamed}, which no trace calls or defines.")
    if unsure := [_named(r.rule) for r in open_ if not r.owed and not r.unnamed]:
        said.append(f"The trace does not tell whether it keeps {listed(unsure)}.")
    return " ".join(said)


def _named(rule: Rule) -> str:
    text = rule.name or " ".join(rule.text.split()).removesuffix(".") or rule.id
    return f"“{text}”"


@dataclass(slots=True)
class RuleSum:
    applicable: int = 0
    broken: int = 0
    unknown: int = 0
    first: str | None = None
    """Where it was broken first: a trace and a step."""


@dataclass
class Summary:
    """Sums over traces: how often rules were tested and broken; verdicts; tools that were called."""

    rules: list[Rule]
    traces: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)
    told: dict[Told, int] = field(default_factory=dict)
    """The verdicts as words tell them."""
    sums: dict[str, RuleSum] = field(default_factory=dict)
    lacks: dict[Lack, int] = field(default_factory=dict)
    early: list[str] = field(default_factory=list)
    """A line for each of the first right traces that ended early, and for others that could not be read whole."""
    left_out: dict[tuple[str, str], LeftOut] = field(default_factory=dict)
    """What was left out, by its kind and reason, with the place of the first."""
    graded: dict[str, list[str]] = field(default_factory=dict)
    """The traces whose grade is not what the verdict says, by the words for that: the first ids."""
    causes: dict[str, list[str]] = field(default_factory=dict)
    """The traces with a cause, by what they have in common: their ids."""
    odd: dict[str, int] = field(default_factory=dict)
    """By the same words, how many they are."""

    def __post_init__(self) -> None:
        self.sums = {rule.id: RuleSum() for rule in self.rules}

    def add(self, checked: Checked) -> None:
        """Count one trace."""
        self.traces += 1
        self.verdicts[checked.verdict] = self.verdicts.get(checked.verdict, 0) + 1
        self.told[checked.told] = self.told.get(checked.told, 0) + 1
        for lack in checked.lacks:
            if lack in self.lacks or len(self.lacks) < MOST_LACKS:
                self.lacks[lack] = self.lacks.get(lack, 0) + 1
        if "," in (words := graded(checked.reward, checked.verdict)):
            self.odd[words] = self.odd.get(words, 0) + 1
            if len(ids := self.graded.setdefault(words, [])) < MOST_NAMED:
                ids.append(checked.id)
        if checked.cause is not None and (checked.cause.step is not None or checked.verdict == "wrong"):
            self.causes.setdefault(checked.cause.label, []).append(checked.id)
        add_left_out(self.left_out, checked.id, checked.left_out)
        if len(self.early) < MOST_LACKS:
            lines = checked.warnings[len(checked.lacks) :] if checked.verdict == "right" else ()
            if not lines and checked.problem and checked.problem not in checked.explanation:
                lines = (checked.problem,)
            self.early += [f"{checked.id}: {line}" for line in lines]
        for result in checked.results:
            one = self.sums[result.rule.id]
            one.applicable += result.applicable
            if result.state == "broken":
                one.broken += 1
                if one.first is None:
                    one.first = f"{checked.id}, {step_name(result.broken_at[0])}"
            elif result.state == "unknown":
                one.unknown += 1

    def by_cause(self) -> list[tuple[str, list[str]]]:
        """Return the causes with the ids of their traces, those of most traces first; "" for no cause in a trace."""
        return sorted(self.causes.items(), key=lambda one: (not one[0], -len(one[1]), one[0]))

    def notes(self) -> Iterator[str]:
        """Yield a sentence for each way in which grades and verdicts differ, and for each reason why calls were left
        out: ``Graded 0, keeps all rules: 2 traces (t1, t2).``"""
        for words, ids in self.graded.items():
            yield sentence(f"{words}: {plural(self.odd[words], 'trace')} ({_ids(ids, self.odd[words])})")
        for words, ids in self.by_cause():
            what = visible(words, limit=200) or "no cause in the trace"
            yield sentence(f"{plural(len(ids), 'trace')}: {what} ({_ids(ids, len(ids))})")
        yield from (sentence(f"Left out: {one.text}") for one in self.left_out.values())

    def settle(self, names: Mapping[str, int]) -> None:
        """Take back what was said of rules about tools that turned out to be none: unless broken they are unknown.
        ``names``: the names that no trace calls or defines."""
        found = [rule for rule in self.rules if any(calls.name in names for calls in rule.sets)]
        for rule in found:
            one = self.sums[rule.id]
            one.unknown = self.traces - one.broken
        if found and (right := self.verdicts.pop("right", 0)):
            self.verdicts["unknown"] = self.verdicts.get("unknown", 0) + right
            self.told["unknown"] = self.told.get("unknown", 0) + self.told.pop("right")
            self.graded = {words: ids for words, ids in self.graded.items() if "keeps" not in words}
            self.odd = {words: self.odd[words] for words in self.graded}

    @property
    def status(self) -> int:
        """Return the exit status: 1 if a trace is wrong, else 2 if one is not decided or there was none, else 0."""
        if self.verdicts.get("wrong"):
            return 1
        return 0 if self.traces and self.verdicts == {"right": self.traces} else 2


def _ids(ids: Sequence[str], count: int) -> str:
    """Name the first of ``count`` traces."""
    named = ", ".join(visible(id, limit=40) for id in ids[:MOST_NAMED])
    return named + (", ..." if count > MOST_NAMED else "")


def lack_text(lack: Lack, where: str = "") -> str:
    """Say which argument no call of a tool has, with the nearest one."""
    hint = f"; did you mean {lack.near}?" if lack.near else ""
    return f"line {lack.line}: no call of {lack.tool} has {lack.argument}{where}{hint}"


def warnings_of(file: RuleFile, known: Iterable[str], summary: Summary) -> list[str]:
    """Return what may make these verdicts worth less than they seem: what the file of rules warns of, a line for each
    name and each argument in it that no trace has, and for right traces that ended early. ``known``: all tools."""
    if not summary.traces:
        return list(file.warnings)
    lines = [*file.warnings, *name_warnings(file.rules, known)]
    for lack, count in sorted(summary.lacks.items(), key=lambda one: (one[0].line, one[0].tool)):
        lines.append(lack_text(lack, "" if summary.traces == count else f" in {plural(count, 'trace')}"))
    return [*lines, *summary.early]


def name_warnings(rules: Iterable[Rule], known: Iterable[str]) -> list[str]:
    """Return a line for each name in the rules that is no known tool's, with the nearest names."""
    known, rules = set(known), list(rules)
    lines = []
    for name, line in unknown_names(rules, known).items():
        beside = set().union(*(named for rule in rules if name in (named := names_of([rule]))))
        near = nearest(name, known - beside)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        lines.append(f"line {line}: no trace calls or defines {name}{hint}")
    return lines
