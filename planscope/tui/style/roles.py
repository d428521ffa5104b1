"""The roles in which the screen says what is a value of a table of words."""

from __future__ import annotations

from collections.abc import Mapping

from planscope.tui.style.lines import Run
from planscope.wording.phrases import outcome
from planscope.wording.terms import CERTIFICATES, OUTCOME_GLYPHS

OUTCOMES: Mapping[str, str] = {
    "right": "holds",
    "wrong": "broken",
    "mixed": "caution",
    "aborted": "unknown",
    "unknown": "unknown",
    "pending": "dim",
}
CHANGES: Mapping[str, str] = {
    "same": "",
    "changed": "caution",
    "added": "holds",
    "gone": "broken",
    "moved": "mark",
}
_CERTIFICATES: Mapping[str, str] = {
    "asked": "dim",
    "confirmed": "holds",
    "gave up": "caution",
    "denied": "broken",
}


def certificate(said: str) -> tuple[str, str]:
    """What Z3 says of the verdict, and its role."""
    return CERTIFICATES[said], _CERTIFICATES[said]


def outcome_runs(verdict: str, error_type: str | None, width: int = 0) -> list[Run]:
    """How a run came out: ``✗ order error``; the words are padded to ``width``."""
    role = OUTCOMES.get(verdict, "unknown")
    sign = OUTCOME_GLYPHS.get(verdict, "?")
    return [Run(f"{sign} ", role), Run(f"{outcome(verdict, error_type):<{width}}", role)]
