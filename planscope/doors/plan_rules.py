"""``plan_rules``: judges a run in a test. What is wrong is an AssertionError that says why and what would be right."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planscope.doors.python import Rules, Source

MOST_SHOWN = 10
"""A failure explains this many runs."""


class PlanRules:
    """Rules to judge runs by. ``strict``: what is worth a warning fails, too. ``allow_unknown``: a rule about a tool
    that no run calls or defines is worth a warning only."""

    def __init__(self, rules: Rules, *, strict: bool = False, allow_unknown: bool = False) -> None:
        self._rules, self._strict, self._allow_unknown = rules, strict, allow_unknown

    def __repr__(self) -> str:
        return f"plan_rules({os.fspath(self._rules)!r})"

    def check(self, source: Source, *, run: str | None = None) -> None:
        """Raise AssertionError unless every run is right; an aborted or undecided run is not right.

        ``source``: messages, or a session or trace as for ``planscope.check``. ``run``: judge only this one. Raises
        UserError for what cannot be read.
        """
        __tracebackhide__ = True
        from planscope.doors.python import explained, judged, load, read_rules_of, summed
        from planscope.errors import UserError

        try:
            loaded = load(source)
            file = read_rules_of(self._rules, loaded, self._allow_unknown)
            checked = list(judged(loaded, file, run))
        except UserError as error:
            raise UserError(str(error)) from None  # without the places in planscope, which tell nothing
        bad = [one for one in checked if one.verdict != "right"]
        warnings = summed(loaded, file, checked)[1]
        problems = [*loaded.problems, *(warnings if self._strict else [])]
        if not checked:
            problems.insert(0, f"{loaded.source} has no run")
        if bad or problems:
            told = [explained(one) for one in bad[:MOST_SHOWN]]
            notes = [*problems, *([] if self._strict else warnings)]
            raise AssertionError(_text(told, len(bad), len(checked), notes))


def plan_rules(rules: Rules, *, strict: bool = False, allow_unknown: bool = False) -> PlanRules:
    """Return rules to judge runs by: ``plan_rules("rules.txt").check(messages)``."""
    return PlanRules(rules, strict=strict, allow_unknown=allow_unknown)


def _text(told: list[str], bad: int, count: int, notes: list[str]) -> str:
    from planscope.safe import visible
    from planscope.wording.phrases import plural

    first = f"{bad} of {plural(count, 'run')} not right" if count > 1 and bad else ""
    more = f"... and {plural(bad - len(told), 'more run')}" if bad > len(told) else ""
    remarks = "\n".join(visible(f"note: {note}", limit=1_000) for note in notes)
    return "\n\n".join(filter(None, [first, *told, more, remarks]))
