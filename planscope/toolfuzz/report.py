"""What a run of the fuzzer found, as data for all formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.toolfuzz.statistics import statistics


@dataclass
class ToolReport:
    """One tool. ``skipped``: why it was not fuzzed. ``looping``: seconds of processor time in the
    children's loops of calls."""

    name: str
    description: str = ""
    schema: dict[str, Any] = field(default_factory=dict)
    skipped: str | None = None
    calls: int = 0
    refused: int = 0
    curve: list[list[int]] = field(default_factory=list)
    stopped: str = ""
    looping: float = 0.0


@dataclass
class Report:
    """All tools of a target. ``findings``: the JSON document's findings by tool and key."""

    target: str
    seed: int
    tools: list[ToolReport] = field(default_factory=list)
    findings: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    sandbox: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    interrupted: bool = False
    remarks: list[str] = field(default_factory=list)

    def tool(self, name: str) -> ToolReport:
        return next(one for one in self.tools if one.name == name)

    def missing(self) -> list[str]:
        """Return sentences about what the sandbox did not enforce on this platform."""
        found = []
        if self.sandbox.get("writes") == "audit hook":
            found.append("Writes by C code are not seen here: this platform gave no namespaces.")
        if self.sandbox.get("network") == "audit hook":
            found.append("Connections by C code are not seen here: this platform gave no namespaces.")
        if self.sandbox.get("network") == "allowed":
            found.append("The network was allowed, as asked.")
        if self.sandbox.get("memory") == "nothing":
            found.append("Memory is not limited on this platform.")
        return found

    @property
    def calls(self) -> int:
        return sum(tool.calls for tool in self.tools)

    def sorted(self) -> list[dict[str, Any]]:
        """Return the findings by tool and call."""
        order = {tool.name: k for k, tool in enumerate(self.tools)}
        return sorted(
            self.findings.values(), key=lambda f: (order.get(f["tool"], 0), f["at_call"], f["kind"])
        )

    def counted(self, tool: str | None = None) -> list[dict[str, Any]]:
        """Return the findings that count as errors, of one tool or of all."""
        return [f for f in self.sorted() if is_counted(f) and tool in (None, f["tool"])]

    def as_data(self) -> dict[str, Any]:
        """Return the JSON document of ``planscope fuzz --json``."""
        return {
            "target": self.target,
            "seed": self.seed,
            "calls": self.calls,
            "seconds": self.seconds,
            "findings": self.sorted(),
            "statistics": statistics((f["occurrences"] for f in self.counted()), self.calls),
            "tools": [
                {
                    "tool": tool.name,
                    "calls": tool.calls,
                    "refused": tool.refused,
                    "skipped": tool.skipped,
                    "stopped": tool.stopped,
                    "statistics": statistics((f["occurrences"] for f in self.counted(tool.name)), tool.calls),
                    "curve": tool.curve,
                }
                for tool in self.tools
            ],
            "sandbox": self.sandbox,
            "interrupted": self.interrupted,
            "remarks": self.remarks,
        }


def is_counted(finding: dict[str, Any]) -> bool:
    """Return whether a finding counts as an error: it is no *returned* or *infrastructure*, and not judged insane."""
    return finding["kind"] not in LISTED_ONLY and finding.get("sane") is not False
