"""Makes ``QuerySynthesize`` mutants: other sentences that mean the same (paper 4.5).

New sentences state parts of the order and the hours that follow from the old ones, until everything is stated that
nothing else implies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from planscope.frozen import frozen
from planscope.language.problem import DAY, Problem
from planscope.language.reading import Reading
from planscope.language.render import render
from planscope.language.tree import (
    NP,
    ActionRef,
    Clause,
    Query,
    Relation,
    Sentence,
    Time,
    skeleton,
    walk,
)
from planscope.oracle.precedence import bits, topological
from planscope.synthesis.partial_order import TargetOrder, enclose
from planscope.synthesis.random_choices import RandomChoices
from planscope.synthesis.request import Request
from planscope.synthesis.sentences import CLOCK_FORMS, ClauseShape, DeadEnd, Grower, Shaper, Wording
from planscope.synthesis.substitution import Draft

Hours = tuple[int | None, ...]
"""For each action the hour that may be stated for it, or None."""


@frozen
class Meaning:
    """The closure of a query's constraints over the actions that it mentions, numbered in the order of the query's
    actions.

    ``up`` and ``down``: bit masks of the actions that come before each and after it. ``ends`` and ``starts``: the
    latest end and earliest start that follow from stated hours and the order, or None where the length of the day
    implies as much. All that counts as known of durations is that each is at least an hour. ``needed_ends`` and
    ``needed_starts``: masks of the hours that nothing else implies.
    """

    actions: tuple[str, ...]
    up: tuple[int, ...]
    down: tuple[int, ...]
    ends: Hours
    starts: Hours
    needed_ends: int
    needed_starts: int


def meaning(problem: Problem) -> Meaning:
    """Compute the closure of the constraints of ``problem``, which must not contradict each other."""
    mentioned = {one for c in problem.said for one in c.actions}
    actions = tuple(a.id for a in problem.actions if a.id in mentioned)
    number = {action: i for i, action in enumerate(actions)}
    n = len(actions)
    up, down = [0] * n, [0] * n
    edges = sorted(
        {(number[c.before or ""], number[c.after or ""]) for c in problem.said if c.kind == "order"}
    )
    enclose(up, down, edges)
    order = topological(n, edges)
    assert order is not None, "a contradiction has no meaning to keep"
    late: list[int | None] = [None] * n  # hours before midnight, so that one rule serves for ends and starts
    early: list[int | None] = [None] * n
    for c in problem.said:
        if c.action is not None and c.hour is not None:
            side, hour = (early, c.hour) if c.kind == "start_at_least" else (late, DAY - c.hour)
            i = number[c.action]
            side[i] = max(side[i] or 0, hour)
    ends, needed_ends = _bounds(late, down, order[::-1])
    starts, needed_starts = _bounds(early, up, order)
    for i in range(n):
        if not up[i] | down[i] and ends[i] is None and starts[i] is None:
            # only what holds on every day is said of this action; say that, so that it is mentioned
            if late[i] is None:
                starts[i], needed_starts = 0, needed_starts | 1 << i
            else:
                ends[i], needed_ends = 0, needed_ends | 1 << i
    due = tuple([None if hours is None else DAY - hours for hours in ends])
    return Meaning(actions, tuple(up), tuple(down), due, tuple(starts), needed_ends, needed_starts)


def _bounds(
    said: Sequence[int | None], rows: Sequence[int], order: Sequence[int]
) -> tuple[list[int | None], int]:
    """Return the hours that each action needs before it (or else after it), and the mask of those that must be
    stated.

    ``said``: hours as given. ``rows``: for each action, those from whose hours its own follow. ``order``: all actions,
    these first.
    """
    n = len(said)
    day = [0] * n
    found: list[int | None] = [None] * n
    needed = 0
    for i in order:
        before = bits(rows[i])
        day[i] = max([day[j] + 1 for j in before], default=0)
        follows = max([hours + 1 for j in before if (hours := found[j]) is not None], default=day[i])
        own = said[i]
        if own is not None and own > max(follows, day[i]):
            needed |= 1 << i
            found[i] = own
        elif follows > day[i]:
            found[i] = follows
    return found, needed


_TRIES = 400
"""The search ends after this many paragraphs in a row without a new tree."""

_SPARE = 5


def retellings(reading: Reading, draw: RandomChoices, topic: str, manner: Request) -> Iterator[Draft]:
    """Yield paragraphs with new trees, as long as any are found."""
    actions = reading.problem.actions
    teller = _Teller(meaning(reading.problem), manner, _longest_list(reading.tree))
    seen = {skeleton(reading.tree)}
    while True:
        for attempt in range(_TRIES):
            with suppress(DeadEnd):
                tree = teller.paragraph(draw, attempt)
                if (shape := skeleton(tree)) not in seen:
                    break
        else:
            return
        seen.add(shape)
        yield Draft(tree, actions, (render(tree, actions).text,), topic)


def _longest_list(tree: Query) -> int:
    return max(len(node.actions) for _, node in walk(tree) if isinstance(node, NP))


class _Told(TargetOrder):
    """The facts that may be stated, and those that still must be."""

    def __init__(self, known: Meaning) -> None:
        super().__init__(list(known.up), list(known.down), 1, None, None)
        self.hours: tuple[Hours, Hours] = (known.starts, known.ends)
        self.due = [known.needed_starts, known.needed_ends]
        """The actions whose start hour (0) or end hour (1) still has to be stated."""

    def unsaid(self) -> int:
        return super().unsaid() + sum(mask.bit_count() for mask in self.due)

    def lacking(self) -> bool:
        return any(self.due) or super().lacking()

    def spoken_for(self, before: bool) -> int:
        """Return the actions whose hour still must be stated, or if there are none, those whose hour may be."""
        return self.due[before] or sum(
            1 << i for i, hour in enumerate(self.hours[before]) if hour is not None
        )

    def alike(self, before: bool, hour: int) -> int:
        """Return the actions for which exactly this hour may be stated."""
        return sum(1 << i for i, known in enumerate(self.hours[before]) if known == hour)

    def clock(self, members: Sequence[int], before: bool, draw: RandomChoices, needed: bool) -> int:
        """State the hour that holds for all ``members``. Return -1 if one of them has none."""
        hours = self.hours[before]
        known = {hour for i in members if (hour := hours[i]) is not None}
        if any(hours[i] is None for i in members) or (len(known) > 1 and known & {0, DAY}):
            return -1
        hour = max(known) if before else min(known)
        for i in members:
            if hours[i] == hour:
                self.due[before] &= ~(1 << i)
        return hour


class _Grower(Grower):
    """Fills sentences that state the hours of actions, for actions that have any."""

    order: _Told

    def __init__(
        self, draw: RandomChoices, told: _Told, wording: Wording, refs: tuple[ActionRef, ...]
    ) -> None:
        super().__init__(draw, told, wording, 0)
        self.order, self.refs = told, refs

    def _timed(self, shape: ClauseShape) -> Clause | None:
        draw, told = self.draw, self.order
        before = draw.chance(0.5)
        if not self._open(before) or (told.due[not before] and not told.due[before]):
            before = not before
        options = self._open(before)
        if not options:
            return None
        members = [draw.bit(options)]
        hour = told.hours[before][members[0]]
        assert hour is not None
        self.used = 1 << members[0]
        options = told.alike(before, hour) & ~self.bounded[not before] & ~self.used
        while options and len(members) < shape.subject:
            members.append(draw.bit(options))
            self.used |= 1 << members[-1]
            options &= ~self.used
        self._hour(members, before)
        self.fresh &= ~self.used
        relative = self._relative(members, shape.subject_relative)
        relation: Relation = "<" if before else ">"
        words = self.wording.clause(draw, shape.form, relation, True)
        return Clause(shape.form, relation, self._np(members, relative), Time(hour), words)

    def _open(self, before: bool) -> int:
        """Return the actions whose hour this sentence may still state."""
        return self.order.spoken_for(before) & ~self.bounded[not before]


class _Teller:
    """Writes paragraphs with one meaning."""

    def __init__(self, known: Meaning, manner: Request, longest: int) -> None:
        self.known = known
        self.size = len(known.actions)
        self.refs = tuple(map(ActionRef, known.actions))
        self.wording = Wording(manner.modals)
        self.ordered = any(known.up)
        hours = (known.needed_starts | known.needed_ends).bit_count()
        pairs = _Told(known).unsaid() - hours
        self.manner = replace(
            manner,
            actions=max(self.size, 2),
            sentences=None,
            timed=hours > 0,
            clock_times=hours / (hours + pairs) if hours else 0.0,
            list_length=max(manner.list_length, longest),
        )
        self.by_clock = Shaper(
            replace(self.manner, timed=True, clock_times=1.0, forms=dict.fromkeys(CLOCK_FORMS, 1.0))
        )

    def paragraph(self, draw: RandomChoices, attempt: int) -> Query:
        """Return a paragraph with the whole meaning, or raise DeadEnd. Later attempts have longer lists, which say
        more at once."""
        told = _Told(self.known)
        lists = min(1.0, self.manner.lists + 0.2 * (attempt % 5))
        shaper = Shaper(replace(self.manner, lists=lists))
        grower = _Grower(draw, told, self.wording, self.refs)
        wanted = shaper.how_many(draw)
        said: list[Sentence] = []
        while len(said) < wanted or told.lacking():
            if len(said) >= 3 * self.size + _SPARE:
                raise DeadEnd
            clocks = not self.ordered or (len(said) >= wanted and not any(told.below))
            shapes = self.by_clock.sentence(draw) if clocks else shaper.sentence(draw)
            said.append(grower.sentence(shapes))
        return Query(tuple(said))
