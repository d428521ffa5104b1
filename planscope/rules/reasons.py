"""Finds every minimal core of a lost step, and every smallest set of rules and calls whose removal saves it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planscope.oracle.judged import Search
from planscope.oracle.marco import Marco
from planscope.oracle.plan import Answered
from planscope.oracle.precedence import bits
from planscope.oracle.trace import ToolCall
from planscope.oracle.verdict_types import Core, Correction, Reasons, StepNo
from planscope.rules.core import play
from planscope.rules.future import Future
from planscope.rules.judge import Event, Rulebook


class _Question:
    """Asks whether these rules can be kept after these calls. A member is a rule or a call; the other calls were not
    made."""

    def __init__(
        self,
        book: Rulebook,
        tools: Sequence[str],
        happened: Sequence[tuple[Event, int]],
        end: bool,
        ids: Sequence[str],
        members: Sequence[Sequence[int]] | None,
    ) -> None:
        self.members = members if members is not None else [[k] for k in range(len(book.rules))]
        self.member_of = {rule: k for k, ones in enumerate(self.members) for rule in ones}
        self.book, self.happened, self.end = book, happened, end
        self.future = Future(book, tools)
        self.steps = [
            event.step
            for event, _ in happened
            if isinstance(event, ToolCall) and any(book.touches(event.tool))
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
    book: Rulebook,
    tools: Sequence[str],
    happened: Sequence[tuple[Event, int]],
    step: StepNo,
    ids: Sequence[str],
    first: Core | None,
    search: Search,
    *,
    members: Sequence[Sequence[int]] | None = None,
) -> Reasons:
    """Find the cores and corrections after these events; the core ``first`` comes first. ``ids`` name the rules, or
    the ``members``: sets of rules, by index, that count as one each."""
    question = _Question(book, tools, happened, step == "end", ids, members)
    cores: dict[int, Core] = {}
    corrections: dict[int, Correction] = {}

    def parts(mask: int) -> tuple[tuple[str, ...], tuple[StepNo, ...]]:
        members = list(bits(mask))
        steps: list[StepNo] = [question.steps[k - len(ids)] for k in members if k >= len(ids)]
        return tuple(ids[k] for k in members if k < len(ids)), tuple(steps)

    def core(mask: int) -> None:
        cores[mask] = Core(*parts(mask))
        if search.on_core is not None:
            search.on_core(cores[mask])

    def correction(mask: int) -> None:
        corrections[mask] = Correction(*parts(mask))
        if search.on_correction is not None:
            search.on_correction(corrections[mask])

    halted = False

    def halt() -> None:
        nonlocal halted
        halted = True
        marco.interrupt()

    def ended_early() -> bool:
        return halted or (search.stopped is not None and search.stopped())

    marco = Marco(question, search.most, core, correction, ended_early)
    if search.started is not None:
        search.started(halt)
    begin: int | None = None
    if first is not None:
        begin = sum(1 << ids.index(id) for id in first.constraints)
        begin |= sum(
            1 << question.place[s] for s in first.steps if isinstance(s, int) and s in question.place
        )
    ended = marco.run(begin)

    def size(mask: int) -> tuple[bool, int, list[int]]:
        return mask != begin, mask.bit_count(), list(bits(mask))

    return Reasons(
        0,
        step,
        tuple(cores[mask] for mask in sorted(_smallest(cores), key=size)),
        tuple(corrections[mask] for mask in sorted(_smallest(corrections), key=size)),
        ended,
    )


def _smallest(masks: Iterable[int]) -> list[int]:
    """Return the sets that contain no other. A call that was not made can break a rule, so the search may find
    others."""
    found = list(masks)
    return [mask for mask in found if not any(other != mask and other & mask == other for other in found)]
