"""Chooses the role in which the screen shows each value that has words in the tables."""

from __future__ import annotations

from collections.abc import Mapping

from planscope.oracle.verdict_types import Verdict
from planscope.tui.style.lines import Run
from planscope.wording.phrases import headline, outcome
from planscope.wording.terms import CERTIFICATES, OUTCOME_GLYPHS, SEALS, VERDICTS

OUTCOMES: Mapping[str, str] = {
    "right": "holds",
    "wrong": "broken",
    "mixed": "caution",
    "aborted": "unknown",
    "cut_off": "unknown",
    "stopped": "unknown",
    "unknown": "unknown",
    "not_judged": "unknown",
    "pending": "dim",
}
CHANGES: Mapping[str, str] = {
    "same": "",
    "changed": "caution",
    "added": "holds",
    "gone": "caution",
    "moved": "mark",
}
_CERTIFICATES: Mapping[str, str] = {
    "asked": "dim",
    "confirmed": "holds",
    "gave_up": "caution",
    "denied": "broken",
    "not_asked": "dim",
}


_CHIPS: Mapping[str, str] = {"right": "right", "wrong": "wrong"}


def chip(verdict: Verdict) -> Run:
    """Return a verdict as a chip: `` ✗ ORDER ERROR ``."""
    words = headline(verdict) or VERDICTS[verdict.told]
    sign = OUTCOME_GLYPHS[verdict.told]
    return Run(f" {sign} {words.upper()} ", _CHIPS.get(verdict.verdict, "stop"))


def seal(said: str) -> list[Run]:
    """Return Z3's answer about a verdict that it does not deny, in four cells."""
    return [Run(SEALS[said], _CERTIFICATES[said])] if said in SEALS else []


def certificate(said: str) -> tuple[str, str]:
    """Return Z3's answer about the verdict, and its role; no words if it was not asked."""
    return "" if said == "not_asked" else CERTIFICATES[said], _CERTIFICATES[said]


def outcome_runs(told: str, headline: str | None, width: int = 0) -> list[Run]:
    """Return the outcome of a run: ``✗ order error``, with its sign in colour. The words are padded to ``width``."""
    role = OUTCOMES.get(told, "unknown")
    sign = OUTCOME_GLYPHS.get(told, "?")
    return [Run(f"{sign} ", role), Run(f"{outcome(told, headline):<{width}}")]


EXAMPLE_ROLES = {"keeps": "holds", "breaks": "caution"}
"""The colours of what a run does with a rule that is offered."""
