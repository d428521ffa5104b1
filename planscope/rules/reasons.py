"""Finds every minimal core of a lost step, and every smallest set of rules and calls whose removal saves it."""

from __future__ import annotations

from collections.abc import Callable

from planscope.oracle.judged import Search
from planscope.oracle.plan import Answered
from planscope.oracle.precedence import bits
from planscope.oracle.reasons import explored
from planscope.oracle.trace import ToolCall
from planscope.oracle.verdict_types import Core, Correction, Reasons, StepNo
from planscope.rules.core import Lost, play
from planscope.rules.future import Future


class _Question:
    """Asks whether these rules can be kept after these calls. A member is a rule or a call; the other calls were not
    made."""

    def __init__(self, lost: Lost) -> None:
        ids, self.members = list(lost.members), list(lost.members.values())
        self.member_of = {rule: k for k, ones in enumerate(self.members) for rule in ones}
        self.book, self.happened, self.end = lost.book, lost.happened, lost.step == "end"
        self.future = Future(lost.book, lost.tools)
        self.steps = [
            event.step
            for event, _ in lost.happened
            if isinstance(event, ToolCall) and any(lost.book.touches(event.tool))
        ]
        self.place = {step: len(ids) + k for k, step in enumerate(self.steps)}
        self.names = (*ids, *(f"step{step}" for step in self.steps))
        self._rules = (1 << len(ids)) - 1

    def ask(self, chosen: int) -> Answered:
        """Return ``unsat`` with a subset of the members if the rules among them are lost after the calls among
        them."""
        kept = [
            (event, step)
            for event, step in self.happened
            if not isinstance(event, ToolCall)
            or (event.step in self.place and chosen >> self.place[event.step] & 1)
        ]
        only = [rule for k, ones in enumerate(self.members) if chosen >> k & 1 for rule in ones]
        judge = play(self.book, kept)
        if self.end:
            return ("unsat", chosen) if judge.lost_at_end(only) else ("sat", chosen)
        found = self.future.of(judge, only=only)
        if found.possible is None and not self.book.gaps:
            return "unknown", 0
        if found.possible is not False:
            return "sat", chosen
        lost = sum(1 << k for k in {self.member_of[rule] for rule in found.rules}) or chosen & self._rules
        return "unsat", chosen & ~self._rules | lost


def reasons(
    lost: Lost,
    first: Core,
    search: Search,
    named: Callable[[tuple[str, ...]], tuple[str, ...]] = lambda ids: ids,
) -> Reasons:
    """Find the cores and corrections of a lost step; the core ``first`` comes first. ``named``: what members stand
    for."""
    question, ids = _Question(lost), list(lost.members)

    def parts(mask: int) -> tuple[tuple[str, ...], tuple[StepNo, ...]]:
        members = list(bits(mask))
        steps: list[StepNo] = [question.steps[k - len(ids)] for k in members if k >= len(ids)]
        return named(tuple(ids[k] for k in members if k < len(ids))), tuple(steps)

    places = [ids.index(id) for id in first.constraints]
    places += [question.place[s] for s in first.steps if isinstance(s, int) and s in question.place]
    return explored(
        question,
        search,
        (0, lost.step),
        sum(1 << place for place in places),
        lambda mask: Core(*parts(mask)),
        lambda mask: Correction(*parts(mask)),
    )
