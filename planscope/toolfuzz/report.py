"""What a run of the fuzzer found, as data for all formats."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planscope.session.model import FuzzFinding, Run
from planscope.stats import chao1, chao1_interval, chao1_upper, wilson
from planscope.toolfuzz.correctness.baselines import Tried, found_by
from planscope.toolfuzz.correctness.checks import PASSES, PromptRun, PromptSet
from planscope.toolfuzz.correctness.said import message
from planscope.toolfuzz.mended import Mended
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.wording.phrases import interval, percent


@dataclass
class ToolReport:
    """One tool. ``skipped``: why it was not fuzzed. ``looping``: seconds of processor time in the children's loops of
    calls. ``source``: the tool's code, empty if it is not known; ``place``: ``file`` and ``line`` of it, or None."""

    name: str
    description: str = ""
    schema: dict[str, Any] = field(default_factory=dict)
    skipped: str | None = None
    calls: int = 0
    refused: int = 0
    curve: list[list[int]] = field(default_factory=list)
    stopped: str = ""
    looping: float = 0.0
    source: str = ""
    place: dict[str, object] | None = None


Key = tuple[str, str]
"""The tool of a finding, and a text that is the same for the same error."""


@dataclass(frozen=True)
class Discovered:
    """How many findings are false by their labels. ``ci``: Wilson's 95 % interval of the ``rate``."""

    labelled: int
    false: int
    rate: float
    ci: tuple[float, float]


@dataclass(frozen=True)
class Figures:
    """Estimates from the occurrences of each counted finding: see the JSON document."""

    unique_errors: int
    calls_per_unique_error: float | None
    chao1: float
    chao1_ci: tuple[float, ...] | None
    upper: float | None
    false_discovery: Discovered | None = None


@dataclass
class Report:
    """All tools of a target. ``findings``: by their keys.

    ``model``: the models that were used and what they cost; None without one. ``agent_runs``: runs of an agent that was
    led to a finding, without a variant yet.
    ``prompt_runs``: the runs of the prompts of ``sets``. ``tried``: the prompts of a baseline, if ``method`` is one.
    ``settings``: what a test of a finding needs besides: ``environment``, ``network``, ``limit``, if they were given.
    ``mended``: what mending the documentation of tools came to.
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
    prompt_runs: list[tuple[PromptRun, Run]] = field(default_factory=list)
    method: str = "toolfuzz"
    tried: list[Tried] = field(default_factory=list)
    settings: dict[str, object] = field(default_factory=dict)
    _prompted: set[Key] = field(default_factory=set, repr=False)
    mended: list[Mended] = field(default_factory=list)

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

    def missing(self) -> list[str]:
        """Return sentences about what the sandbox did not enforce on this platform."""
        found = []
        if self.sandbox.get("writes") == "audit hook":
            found.append("Writes by C code are not seen here: this platform gave no namespaces.")
        if self.sandbox.get("network") == "audit hook":
            found.append("Connections by C code are not seen here: this platform gave no namespaces.")
        if self.sandbox.get("writes") == "nothing":
            found.append("What the server writes is not limited here: this platform gave no namespaces.")
        if self.sandbox.get("network") == "nothing":
            found.append("The server's connections are not limited here: this platform gave no namespaces.")
        if self.sandbox.get("network") == "allowed":
            found.append("The network was allowed, as asked.")
        if self.sandbox.get("memory") == "nothing":
            found.append("Memory is not limited on this platform.")
        if self.sandbox.get("memory") == "limit":
            found.append("Memory that a tool's processes share is not limited here.")
        if self.sandbox.get("hidden") == "nothing":
            found.append(
                "A tool could read your files and reach your sockets: this platform cannot hide them."
            )
        if self.sandbox.get("privileges") == "nothing" and self.sandbox.get("writes") == "namespace":
            found.append(
                "Capabilities could not be dropped here: C code could undo what keeps it from writing."
            )
        if self.sandbox.get("count") == "nothing" and self.sandbox.get("processes") == "allowed":
            found.append("The number of processes is not limited here.")
        return found

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
            seen[0],
            round(calls / seen[0], 2) if counts else None,
            round(chao1(*seen), 2),
            tuple(round(end, 2) for end in interval) if interval else None,
            round(chao1_upper(*seen), 2) if calls or counts else None,
            false_discovery(self.findings.values()) if tool is None else None,
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
        message=message(one),
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
    return Discovered(len(labels), wrong, round(wrong / len(labels), 4), (round(low, 4), round(high, 4)))


def interval_words(figures: Figures) -> str:
    """Say between which numbers all errors lie, as far as ``chao1`` tells."""
    if figures.chao1_ci is None:
        return f"95 % upper bound {figures.upper:g}"
    low, high = figures.chao1_ci
    return f"95 % interval {low:g} to {high:g}"


def rate_sentence(told: Discovered) -> str:
    """Say the false discovery rate with its interval."""
    return f"false discovery rate {percent(told.rate)} (95 % interval {interval(told.ci)}), {told.labelled:,} labelled"
