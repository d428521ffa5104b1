"""What a run of the fuzzer found, as data for all formats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from planscope.session.model import FuzzFinding, FuzzFix, FuzzPrompt, Run
from planscope.stats import chao1, chao1_interval, chao1_upper, wilson
from planscope.toolfuzz.correctness.baselines import Tried, found_by
from planscope.toolfuzz.correctness.checks import PASSES, PromptSet
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.toolfuzz.tool_report import ToolReport
from planscope.wording.phrases import interval, percent

Key = tuple[str, str]
"""The tool of a finding, and a text that is the same for the same error."""


class Discovered(BaseModel):
    """How many findings the user has labelled as no error. If some were drawn to be labelled, these alone count."""

    labelled: int
    false: int
    rate: float
    ci: tuple[float, float] = Field(description="Wilson's 95 % interval of the rate")


class Figures(BaseModel):
    """Figures. Findings of the kinds returned and infrastructure do not count."""

    unique_errors: int
    calls_per_unique_error: float | None
    chao1: float = Field(description="bias-corrected estimate of all errors; an estimate under guidance")
    chao1_ci: tuple[float, ...] | None = Field(
        description="95 % interval of it; null if at most one error was seen only once, which tells of no interval"
    )
    upper: float | None = Field(
        description="upper end of the interval; without one a 95 % upper bound of the errors that at least one call in "
        "as many as were made shows; null without calls"
    )
    false_discovery: Discovered | None = Field(
        description="of all tools together, from labels that the session has; null without labels"
    )


@dataclass
class Report:
    """All tools of a target. ``findings``: by their keys.

    ``model``: the models that were used and what they cost; None without one. ``agent_runs``: runs of an agent that was
    led to a finding, without a variant yet.
    ``prompt_runs``: the runs of the prompts of ``sets``. ``tried``: the prompts of a baseline, if ``method`` is one.
    ``settings``: what a test of a finding needs besides: ``environment``, ``network``, ``limit``, ``folder``, if given.
    ``fixes``: what mending the documentation of tools came to.
    """

    target: str
    seed: int
    tools: list[ToolReport] = field(default_factory=list)
    findings: dict[Key, FuzzFinding] = field(default_factory=dict)
    sandbox: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    interrupted: bool = False
    remarks: list[str] = field(default_factory=list)
    sequences: dict[str, int] | None = None
    sets: list[PromptSet] = field(default_factory=list)
    matrix: list[dict[str, object]] = field(default_factory=list)
    model: dict[str, object] | None = None
    agent_runs: dict[Key, Run] = field(default_factory=dict)
    prompt_runs: list[tuple[FuzzPrompt, Run]] = field(default_factory=list)
    method: str = "toolfuzz"
    tried: list[Tried] = field(default_factory=list)
    settings: dict[str, object] = field(default_factory=dict)
    _prompted: set[Key] = field(default_factory=set, repr=False)
    fixes: list[FuzzFix] = field(default_factory=list)

    def put_sets(self, sets: Sequence[PromptSet], matrix: Sequence[dict[str, object]]) -> None:
        """Replace the sets of prompts. Each faulty one is a finding."""
        self.sets, self.matrix = list(sets), list(matrix)
        prompts: Counter[str] = Counter()
        found = {}
        for k, one in enumerate(self.sets, 1):
            if one.faulty:
                found[(one.tool, f"set\x1f{k}")] = found_in(one, k, prompts[one.tool] + 1)
            prompts[one.tool] += len(one.runs)
        self._put(found)

    def put_tried(self, method: str, tried: Sequence[Tried]) -> None:
        """Replace the prompts of one of the paper's baselines, and what they found."""
        self.method, self.tried = method, list(tried)
        self._put(found_by(self.tried))

    def _put(self, found: Mapping[Key, FuzzFinding]) -> None:
        """Replace the findings of prompts."""
        kept = {key: one for key, one in self.findings.items() if key not in self._prompted}
        self._prompted = set(found)
        self.findings = {**kept, **found}

    def change(self, key: Key, **fields: object) -> FuzzFinding:
        """Replace fields of a finding. Return what it is now."""
        self.findings[key] = self.findings[key].model_copy(update=fields)
        return self.findings[key]

    def agent_calls(self, tool: str | None = None) -> int:
        """Calls that the agent made with prompts: to one tool, or to all."""
        runs = [*(run for one in self.sets for run in one.runs), *(one.run for one in self.tried)]
        return sum(tool is None or call.tool == tool for run in runs for call in run.calls)

    def tool(self, name: str) -> ToolReport:
        return next(one for one in self.tools if one.name == name)

    def refusal(self, tool: ToolReport) -> str | None:
        """Return the commonest error of a tool's calls, or what the schema says if it refused more; None without."""
        found = [one for one in self.findings.values() if one.tool == tool.name and not is_sequence(one)]
        most = max(found, key=lambda one: one.occurrences, default=None)
        if most is None or most.occurrences < tool.refused:
            return "the schema refused the arguments" if tool.refused else None
        name = (most.exception or "").rpartition(".")[2]
        return " ".join(": ".join(filter(None, (name, most.message))).split()) or most.kind

    def never_entered(self) -> list[ToolReport]:
        """Return the tools of which no call succeeded, though calls were made."""
        return [one for one in self.tools if one.calls and not one.entered]

    def helps(self) -> Iterator[str]:
        """Say which options would let the search get further."""
        found = self.findings.values()
        outside = any(one.kind == "outside" for one in found)
        connects = any("the sandbox refused to connect" in one.message for one in found)
        if outside and "folder" not in self.settings:
            yield "--folder DIR gives the tools a copy of a folder, in which they may write."
        if connects:
            yield "--network lets the tools connect."
        if not outside and not connects and any(one.stopped != "unusable" for one in self.never_entered()):
            folder = "" if "folder" in self.settings else "; --folder DIR gives a folder of yours"
            yield f"--example FILE gives calls that work, to begin with{folder}."

    @property
    def calls(self) -> int:
        """Calls of the search: those to each tool alone, and those of sequences."""
        return sum(tool.calls for tool in self.tools) + (self.sequences or {}).get("calls", 0)

    def order(self) -> list[Key]:
        """Return the keys of the findings by tool and call, those of sequences last."""
        order = {tool.name: k for k, tool in enumerate(self.tools)}

        def place(key: Key) -> tuple[bool, int, float, str]:
            one = self.findings[key]
            return is_sequence(one), order.get(one.tool, 0), one.at_call or math.inf, one.kind

        return sorted(self.findings, key=place)

    def sorted(self) -> list[FuzzFinding]:
        """Return the findings by tool and call."""
        return [self.findings[key] for key in self.order()]

    def counted(self, tool: str | None = None) -> list[FuzzFinding]:
        """Return the findings that count as errors: of one tool alone, or all with those of sequences."""
        return [
            f
            for f in self.sorted()
            if is_counted(f) and (tool is None or (f.tool == tool and not is_sequence(f)))
        ]

    def figures(self, tool: ToolReport | None = None) -> Figures:
        """Return the figures of one tool alone, or of all with the false discovery rate."""
        name, calls = (None, self.calls) if tool is None else (tool.name, tool.calls)
        counts = [f.occurrences for f in self.counted(name)]
        calls += self.agent_calls(name)
        seen = len(counts), counts.count(1), counts.count(2)
        interval = chao1_interval(*seen)
        return Figures(
            unique_errors=seen[0],
            calls_per_unique_error=round(calls / seen[0], 2) if counts else None,
            chao1=round(chao1(*seen), 2),
            chao1_ci=tuple(round(end, 2) for end in interval) if interval else None,
            upper=round(chao1_upper(*seen), 2) if calls or counts else None,
            false_discovery=false_discovery(self.findings.values()) if tool is None else None,
        )


def found_in(one: PromptSet, number: int, at: int) -> FuzzFinding:
    """Return a faulty set as a finding. ``number``: of the set; ``at``: its first prompt among those of the tool.

    Its input is what the agent sent for the prompt with the lowest score, ``{}`` if it called nothing; it occurred as
    often as an answer failed.
    """
    failed = [run for run in one.runs if run.score is not None and run.score < PASSES]
    sent = (
        call.arguments
        for run in sorted(failed, key=lambda run: run.score or 0)
        for call in run.calls
        if call.tool == one.tool and isinstance(call.arguments, dict)
    )
    return FuzzFinding(
        tool=one.tool,
        kind="inconsistent",
        message=one.message,
        input=next(sent, {}),
        at_call=at,
        occurrences=len(failed),
        set=number,
    )


def infrastructure(tool: str, message: str) -> FuzzFinding:
    """Return a finding that blames no tool. It is listed only."""
    return FuzzFinding(tool=tool, kind="infrastructure", message=message, input={})


def is_counted(finding: FuzzFinding) -> bool:
    """Return whether a finding counts as an error: it is no *returned* or *infrastructure*, and not judged insane."""
    return finding.kind not in LISTED_ONLY and finding.sane is not False


def is_sequence(finding: FuzzFinding) -> bool:
    """Return whether a finding needs several calls: its input is a list of ``{"tool", "arguments"}``."""
    return isinstance(finding.input, list)


def false_discovery(findings: Iterable[FuzzFinding]) -> Discovered | None:
    """Return how many findings are false by their labels; None without labels.

    Findings that are listed only do not count. If some were drawn to be labelled, these alone do, since the user's own
    choice of findings is no sample.
    """
    counted = [one for one in findings if is_counted(one)]
    drawn = [one for one in counted if one.sampled]
    labels = [one.label for one in drawn or counted if one.label]
    if not labels:
        return None
    wrong = labels.count("false")
    low, high = wilson(wrong, len(labels))
    rate = round(wrong / len(labels), 4)
    return Discovered(labelled=len(labels), false=wrong, rate=rate, ci=(round(low, 4), round(high, 4)))


def missing(sandbox: Mapping[str, str]) -> list[str]:
    """Return sentences about what the sandbox did not enforce on this platform."""
    return [said for given, said in _MISSING if given.items() <= sandbox.items()]


_MISSING: tuple[tuple[dict[str, str], str], ...] = (
    ({"writes": "audit hook"}, "Writes by C code are not seen here: this platform gave no namespaces."),
    ({"network": "audit hook"}, "Connections by C code are not seen here: this platform gave no namespaces."),
    ({"writes": "nothing"}, "What the server writes is not limited here: this platform gave no namespaces."),
    ({"network": "nothing"}, "The server's connections are not limited here: this platform gave no namespaces."),
    ({"network": "allowed"}, "The network was allowed, as asked."),
    ({"memory": "nothing"}, "Memory is not limited on this platform."),
    ({"memory": "limit"}, "Memory that a tool's processes share is not limited here."),
    ({"hidden": "nothing"}, "A tool could read your files and reach your sockets: this platform cannot hide them."),
    (
        {"privileges": "nothing", "writes": "namespace"},
        "Capabilities could not be dropped here: C code could undo what keeps it from writing.",
    ),
    ({"count": "nothing", "processes": "allowed"}, "The number of processes is not limited here."),
)  # fmt: skip


def interval_words(figures: Figures) -> str:
    """Say between which numbers all errors lie, as far as ``chao1`` tells."""
    if figures.chao1_ci is None:
        return f"95 % upper bound {figures.upper:g}"
    low, high = figures.chao1_ci
    return f"95 % interval {low:g} to {high:g}"


def rate_sentence(told: Discovered) -> str:
    """Say the false discovery rate with its interval."""
    return f"false discovery rate {percent(told.rate)} (95 % interval {interval(told.ci)}), {told.labelled:,} labelled"
