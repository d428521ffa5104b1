"""Reports on a trace as the JSON fields that ``check --rules`` prints, and sums over many traces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from planscope.rules.judge import Judge, Rulebook, StepNo, Tested, in_schema, judge_trace, known_tools
from planscope.rules.rule import Rule, loose, path_text
from planscope.rules.words import explanation, needed, repair_text
from planscope.traces.shape import ToolCall, Trace
from planscope.wording.phrases import plural

RulesVerdict = Literal["right", "wrong", "unknown", "aborted"]
Fields = dict[str, Any]
KEPT = "Every rule is kept."
MOST_LACKS = 100


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Options of a check. ``running``: a trace may continue, so what is owed leaves it undecided. ``branches``:
    judge rewound ones too."""

    running: bool = False
    branches: bool = False
    details: int = 100


@dataclass(frozen=True, slots=True)
class Lack:
    """A tool whose calls do not have the argument that a rule goes by. ``near``: the nearest that they have."""

    line: int
    tool: str
    argument: str
    near: str | None


def with_branches(trace: Trace) -> Iterator[Trace]:
    """Yield the trace, and one trace for each rewound branch: the calls before it and its own."""
    from dataclasses import replace

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


@dataclass(slots=True)
class Checked:
    """A judged trace. ``tools``: those that it calls. ``lacks``: what it does not have that rules go by. ``more``: what
    ``details`` found."""

    id: str
    verdict: RulesVerdict
    calls: int
    results: list[Tested]
    problem: str | None = None
    explanation: str = ""
    tools: frozenset[str] = frozenset()
    lacks: tuple[Lack, ...] = ()
    more: Fields = field(default_factory=dict)

    def add(self, more: Fields) -> None:
        self.more = more
        self.explanation = more.get("explanation", self.explanation)

    @property
    def broken(self) -> list[Tested]:
        return [result for result in self.results if result.state == "broken"]

    def fields(self) -> Fields:
        """Return what ``check --rules --json`` prints of it."""
        found: Fields = {
            "id": self.id,
            "verdict": self.verdict,
            "calls": self.calls,
            "rules": [result_fields(result) for result in self.results],
            "first_violation": None,
            "repair": None,
            "explanation": self.explanation,
        }
        if self.problem:
            found["problem"] = self.problem
        return found | self.more


def result_fields(r: Tested) -> Fields:
    return {
        "id": r.rule.id,
        "text": r.rule.text,
        "kind": r.rule.kind,
        "state": r.state,
        "applicable": r.applicable,
        "broken_at": r.broken_at,
        "value": r.value,
        "values": {"applicable": r.values_applicable, "broken": r.values_broken},
    }


@lru_cache(maxsize=1024)
def _shared(tools: frozenset[str]) -> frozenset[str]:
    """Return the same object for equal sets, so that a worker sends it only once."""
    return tools


def check_trace(book: Rulebook, trace: Trace, options: CheckOptions) -> Checked:
    """Judge one trace; ``details`` says why, if it is wrong."""
    judge = judge_trace(book, trace)
    results = judge.results(trace, open_end=options.running or trace.ended != "complete")
    verdict = verdict_of(results, trace, running=options.running)
    words = "" if verdict == "right" else plain_verdict(results, trace, verdict)
    return Checked(
        trace.id,
        verdict,
        judge.last_step,
        results,
        trace.problem,
        words or KEPT,
        _shared(judge.tools),
        tuple(lacking(judge, trace)) if judge.lacking else (),
    )


def lacking(judge: Judge, trace: Trace) -> Iterator[Lack]:
    """Yield the arguments that rules go by and that no call of a tool has, with the nearest that there is."""
    from difflib import get_close_matches

    for i, had in judge.lacking.items():
        for tool, has in had.items():
            rule = judge.book.rules[i]
            if has or in_schema(trace, tool, rule):
                continue
            only_then = rule.per_then and not any(calls.names(tool) for calls in rule.first)
            wanted = " and ".join(map(path_text, rule.per_then if only_then else rule.per))
            schema = trace.tools[tool].parameters if tool in trace.tools else None
            properties = (schema or {}).get("properties")
            known = set(properties) if isinstance(properties, dict) else set()
            known.update(*(call.arguments or () for call in trace.calls if call.tool == tool))
            near = get_close_matches(wanted, sorted(known), 1, 0.6)
            yield Lack(rule.line, tool, wanted, near[0] if near else None)


_KEPT = {"kept", "not_applicable"}


def verdict_of(results: Iterable[Tested], trace: Trace, *, running: bool) -> RulesVerdict:
    """Return the verdict: wrong if a rule is broken; aborted if the trace broke off and something is owed; unknown;
    or right."""
    results = list(results)
    states = {r.state for r in results}
    if states <= _KEPT:
        return "right"
    if "broken" in states:
        return "wrong"
    if any(r.owed for r in results) and trace.ended != "complete" and not running:
        return "aborted"
    return "unknown" if "unknown" in states else "right"


def plain_verdict(results: Sequence[Tested], trace: Trace, verdict: RulesVerdict) -> str:
    names = {
        state: [r.rule.name or r.rule.id for r in results if r.state == state]
        for state in ("broken", "unknown")
    }
    if verdict == "wrong":
        return f"Broken: {', '.join(names['broken'])}."
    if verdict == "unknown":
        owed = [r.rule.name or r.rule.id for r in results if r.owed]
        unsure = [one for one in names["unknown"] if one not in owed]
        said = [f"Still owed: {', '.join(owed)}."] if owed else []
        if unsure:
            said.append(f"The trace does not tell whether it keeps {', '.join(unsure)}.")
        return " ".join(said)
    if verdict == "aborted":
        why = f" ({trace.problem})" if trace.problem else ""
        return f"The trace broke off{why} while something was still owed for {', '.join(names['unknown'])}."
    return KEPT


def details(book: Rulebook, trace: Trace, open_end: bool) -> Fields:
    """Return first violation, core, repair and explanation of a trace that is wrong."""
    from planscope.rules.confirm import confirmed
    from planscope.rules.core import find_core, first_lost
    from planscope.rules.repair import repair

    book = book.for_tools({*trace.tools, *(call.tool for call in trace.calls)})
    tools = known_tools(book, trace)
    judge = judge_trace(book, trace)
    lost = first_lost(book, tools, trace, open_end=open_end)
    found: Fields = {}
    if lost is not None:
        core = find_core(book, tools, *lost)
        broken = [
            book.rules[judge.owner[k]].id
            for k, at in judge.broken_at.items()
            if at == core.step and not judge.is_template(k)
        ]
        words = explanation(trace, core, book.rules, broken)
        found["first_violation"] = {"step": core.step, "rules": list(core.rules), "steps": list(core.steps)}
        sure = confirmed(book, tools, core, trace)
        found["first_violation"]["confirmed"] = sure
        if sure is None:
            words += " (Z3 has not confirmed this core.)"
        found["explanation"] = words
    fixed = repair(book, tools, trace) if not open_end else None
    if fixed is not None:
        found["repair"] = {
            "moved": [{"step": m.step, "tool": m.tool, "before": m.before} for m in fixed.moved],
            "inserted": [
                {"tool": i.tool, "before": i.before, "with": needed(i.letter)} for i in fixed.inserted
            ],
            "removed": [{"step": r.step, "tool": r.tool} for r in fixed.removed],
            "exact": fixed.exact,
        }
        found["explanation"] = f"{found.get('explanation', '')} {repair_text(fixed)}".strip()
    return found


def step_text(step: StepNo) -> str:
    return "the end" if step == "end" else f"step {step}"


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
    sums: dict[str, RuleSum] = field(default_factory=dict)
    lacks: dict[Lack, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sums = {rule.id: RuleSum() for rule in self.rules}

    def add(self, checked: Checked) -> None:
        """Count one trace."""
        self.traces += 1
        self.verdicts[checked.verdict] = self.verdicts.get(checked.verdict, 0) + 1
        for lack in checked.lacks:
            if lack in self.lacks or len(self.lacks) < MOST_LACKS:
                self.lacks[lack] = self.lacks.get(lack, 0) + 1
        for result in checked.results:
            one = self.sums[result.rule.id]
            one.applicable += result.applicable
            if result.state == "broken":
                one.broken += 1
                if one.first is None:
                    one.first = f"{checked.id}, {step_text(result.broken_at[0])}"
            elif result.state == "unknown":
                one.unknown += 1

    @property
    def status(self) -> int:
        """Return the exit status: 1 if a trace is wrong, else 2 if one is not decided or there was none, else 0."""
        if self.verdicts.get("wrong"):
            return 1
        return 0 if self.traces and self.verdicts == {"right": self.traces} else 2

    def fields(self) -> Fields:
        return {
            "traces": self.traces,
            "broken": self.verdicts.get("wrong", 0),
            "rules": [
                {
                    "id": rule.id,
                    "text": rule.text,
                    "applicable": self.sums[rule.id].applicable,
                    "broken": self.sums[rule.id].broken,
                    "unknown": self.sums[rule.id].unknown,
                }
                for rule in self.rules
            ],
        }


def argument_warnings(summary: Summary) -> list[str]:
    """Return a line for each argument that rules go by and that calls do not have, with the nearest one."""
    lines = []
    for lack, count in sorted(summary.lacks.items(), key=lambda one: (one[0].line, one[0].tool)):
        where = "" if summary.traces == count else f" in {plural(count, 'trace')}"
        hint = f"; did you mean {lack.near}?" if lack.near else ""
        lines.append(f"line {lack.line}: no call of {lack.tool} has {lack.argument}{where}{hint}")
    return lines


def name_warnings(rules: Iterable[Rule], seen: Iterable[str]) -> list[str]:
    """Return a line for each name in the rules that no trace calls or defines, with the nearest names."""
    from difflib import get_close_matches

    from planscope.rules.rule import glob

    known = sorted(set(seen))
    by_loose: dict[str, int] = {}
    for name in known:
        by_loose[loose(name)] = by_loose.get(loose(name), 0) + 1
    lines = []
    named = dict.fromkeys(
        (calls.name, rule.line) for rule in rules for calls in rule.sets if calls.name and calls.name != "*"
    )
    said: set[str] = set()
    for name, line in named:
        if name in said:
            continue
        if "*" in name:
            fits = any(glob(name).fullmatch(tool) for tool in known)
        else:
            fits = name in known or by_loose.get(loose(name)) == 1
        if not fits:
            said.add(name)
            near = get_close_matches(name, known, 2, 0.6)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            lines.append(f"line {line}: no trace calls or defines {name}{hint}")
    return lines
