"""New documentation of a tool, as it is told, shown and kept."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

from planscope.session.model import FuzzFix

ORIGINS = {
    "mend_prompts": "documentation and failures",
    "mend_source": "documentation, failures and source",
    "mend_text": "documentation alone",
}
"""What a candidate was made from, by the name of the prompt."""
WIDTH = 96


@dataclass(frozen=True)
class Candidate:
    """New documentation that was tried. ``passed``: prompts of the choosing half that go right. ``whole``: all were
    tried; else it could no longer be the best."""

    origin: str
    text: str
    passed: int
    whole: bool = True

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass
class Mended:
    """What mending one tool came to. ``description`` is the documentation as it is, ``after`` the new one, None if
    none is better (``why``).

    ``before`` and ``of``: prompts of the choosing half that the old one passes, and all. ``reported``: passed before,
    passed after, and all, on the other half. ``cures``, ``leaves`` and ``untried`` (too few requests to try
    documentation on): numbers of findings, from 1. ``written``: the file that was changed.
    """

    tool: str
    description: str
    after: str | None = None
    candidates: list[Candidate] = field(default_factory=list)
    before: int = 0
    of: int = 0
    reported: tuple[int, int, int] | None = None
    cures: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)
    untried: list[int] = field(default_factory=list)
    why: str = ""
    source: Mapping[str, object] | None = None
    written: str | None = None

    @property
    def chosen(self) -> Candidate | None:
        return next((one for one in self.candidates if one.text == self.after), None)

    @property
    def diff(self) -> list[str]:
        """The change in lines that begin with ``-``, ``+`` or a blank; none if nothing is proposed."""
        return difference(self.description, self.after) if self.after is not None else []

    def as_fix(self) -> FuzzFix:
        """Return the mending as documents and sessions have it."""
        return FuzzFix.model_validate({
            "tool": self.tool,
            "before": self.description,
            "after": self.after,
            "why": self.why,
            "candidates": [
                {
                    "from": one.origin,
                    "text": one.text,
                    "passed": one.passed if one.whole else None,
                    "complete": one.whole,
                    "chosen": one.text == self.after,
                }
                for one in self.candidates
            ],
            "choosing": {
                "before": self.before, "after": self.chosen.passed if self.chosen else None, "prompts": self.of
            },
            "reporting": None
            if self.reported is None
            else dict(zip(("before", "after", "prompts"), self.reported, strict=True)),
            "cures": self.cures,
            "leaves": self.leaves,
            "untried": self.untried,
            "written": self.written,
        })  # fmt: skip


def difference(before: str, after: str, width: int = WIDTH) -> list[str]:
    """Return the lines of a diff between two texts, wrapped to a width in characters."""
    old, new = (
        [part for line in text.splitlines() for part in textwrap.wrap(line, width) or [""]]
        for text in (before, after)
    )
    return [line for line in difflib.ndiff(old, new) if not line.startswith("?")]
