"""From shapes to a tree: which actions stand where, so that nothing contradicts what was said before.

Every choice is made among what is still possible. An action that was not mentioned yet can stand anywhere, and
once there is no more room than there are such actions, only they are taken.
"""

from __future__ import annotations

from functools import lru_cache

from planscope.language.tree import NP, RELATIVE_FORMS, ActionRef, Clause, Relation, Relative, Sentence, Time
from planscope.oracle.precedence import bits
from planscope.synthesis.draw import Draw
from planscope.synthesis.partial_order import PartialOrder
from planscope.synthesis.shape import CLOCK, ClauseShape
from planscope.synthesis.wording import Wording


class DeadEnd(Exception):
    """Nothing can be said that the shape asks for; in timed queries only, and seldom."""


@lru_cache(maxsize=64)
def references(n: int) -> tuple[ActionRef, ...]:
    """Mentions of a1, a2, ... without a place in a text."""
    return tuple(ActionRef(f"a{i + 1}") for i in range(n))


class Grower:
    """Fills the shapes of one query, sentence by sentence. ``room``: how many actions they hold in all."""

    def __init__(self, draw: Draw, order: PartialOrder, wording: Wording, room: int) -> None:
        self.draw, self.order, self.wording, self.room = draw, order, wording, room
        self.refs = references(order.n)
        self.fresh = order.everything
        """Actions not mentioned yet."""
        self.used = 0
        """The actions of this clause."""
        self.compared = [0] * order.n
        """For each action, those that this sentence has compared it with."""
        self.bounded = [0, 0]
        """The actions to which this sentence gives a latest end, and those with an earliest start."""

    def sentence(self, shapes: list[ClauseShape]) -> Sentence:
        self.compared = [0] * self.order.n
        self.bounded = [0, 0]
        first = self._clause(shapes[0], needed=True)
        if first is None:
            raise DeadEnd
        second = self._clause(shapes[1], needed=False) if len(shapes) > 1 else None
        if second is None:
            return Sentence((first,))
        return Sentence((first, second), self.wording.conjunction(self.draw))

    def _clause(self, shape: ClauseShape, needed: bool) -> Clause | None:
        """None where it could only say again what this sentence has said, or what nobody wants."""
        self.used = 0
        left = self.room - shape.size()
        made = self._timed(shape) if shape.object == CLOCK else self._ordered(shape, needed)
        self.room = left
        return made

    def _ordered(self, shape: ClauseShape, needed: bool) -> Clause | None:
        before = self.draw.random() < 0.5
        found = self._pair(before, needed)
        if found is None:
            before = not before
            found = self._pair(before, needed)
            if found is None:
                return None
        subjects, objects = [found[0]], [found[1]]
        for _ in range(shape.subject - 1):
            self._join(subjects, objects, not before)
        for _ in range(shape.object - 1):
            self._join(objects, subjects, before)
        one = self._relative(subjects, shape.subject_relative)
        other = self._relative(objects, shape.object_relative)
        relation: Relation = "<" if before else ">"
        words = self.wording.clause(self.draw, shape.form, relation, False)
        return Clause(shape.form, relation, self._np(subjects, one), self._np(objects, other), words)

    def _timed(self, shape: ClauseShape) -> Clause | None:
        """A clause with a clock time as its object."""
        before = self.draw.random() < 0.5
        options = self.order.everything & ~self.bounded[not before]
        if not options:
            return None
        fresh, members = self.fresh, list[int]()
        while options and len(members) < shape.subject:
            i = self.draw.bit(self._due(options))
            members.append(i)
            options &= ~(1 << i)
            self.fresh &= ~(1 << i)
            self.room -= 1
        hour = self._hour(members, before)
        while hour < 0:
            hour = self._hour(members, not before)
            if hour >= 0:
                before = not before
            elif len(members) == 1:
                raise DeadEnd
            else:
                members.pop()
                hour = self._hour(members, before)
        self.used = sum(1 << i for i in members)
        self.fresh = fresh & ~self.used
        relative = self._relative(members, shape.subject_relative)
        relation: Relation = "<" if before else ">"
        words = self.wording.clause(self.draw, shape.form, relation, True)
        return Clause(shape.form, relation, self._np(members, relative), Time(hour), words)

    def _relative(self, members: list[int], size: int) -> Relative | None:
        """A relative clause behind ``members``; None where none is asked for or nothing can be said."""
        if not size:
            return None
        draw = self.draw
        before = draw.random() < 0.5
        target: NP | Time
        if size == CLOCK:
            hour = self._hour(members, before, needed=False)
            if hour < 0:
                before = not before
                hour = self._hour(members, before, needed=False)
                if hour < 0:
                    return None
            target = Time(hour)
        else:
            others: list[int] = []
            if not self._join(others, members, before):
                before = not before
                self.room += 1
                if not self._join(others, members, before):
                    self.room -= size - 1
                    return None
            for _ in range(size - 1):
                self._join(others, members, before)
            target = self._np(others, None)
        form = RELATIVE_FORMS[draw.random() < 0.5]
        relation: Relation = "<" if before else ">"
        return Relative(form, relation, self.wording.relative(draw, form, relation, size == CLOCK), target)

    def _np(self, members: list[int], relative: Relative | None) -> NP:
        refs = self.refs
        return NP(tuple([refs[i] for i in members]), relative)

    def _pair(self, before: bool, needed: bool) -> tuple[int, int] | None:
        """Subject and object of a clause, said to be in this order."""
        order, fresh = self.order, self.fresh
        firsts = order.everything
        wanted = order.wanted(self.room)
        while firsts:
            options = self._due(firsts)
            if wanted is not None:
                best = sum([1 << i for i in bits(options) if self._wanted(i, before, wanted)])
                options = best or options
            first = self.draw.bit(options)
            self.fresh = fresh & ~(1 << first)
            self.room -= 1
            self.used = 1 << first
            found: list[int] = []
            if self._join(found, [first], before, needed):
                return first, found[0]
            self.room += 2
            self.fresh = fresh
            firsts &= ~(1 << first)
        return None

    def _wanted(self, first: int, before: bool, wanted: bool) -> int:
        members = (first,)
        mask = self.order.candidates(members, before) & ~self.compared[first] & ~(1 << first)
        return self.order.preferred(members, before, mask, wanted)

    def _join(self, list_: list[int], members: list[int], before: bool, needed: bool = False) -> bool:
        """Say that ``members`` come before (or else after) one action more, and put it into the list.

        ``needed``: better something redundant than nothing.
        """
        order, compared = self.order, self.compared
        mask = order.candidates(members, before) & ~self.used
        for i in members:
            mask &= ~compared[i]
        wanted = order.wanted(self.room) if mask else None
        while mask:
            options = self._due(mask)
            if wanted is not None:
                best = order.preferred(members, before, options, wanted)
                if best:
                    options = best
                elif not (wanted or needed or order.redundant is None or self._unnamed(options)):
                    mask = 0
                    break
            other = self.draw.bit(options)
            bit = 1 << other
            if order.say(members, before, other):
                list_.append(other)
                self.used |= bit
                self.fresh &= ~bit
                for i in members:
                    compared[i] |= bit
                    compared[other] |= 1 << i
                break
            mask ^= bit
        self.room -= 1
        return mask != 0

    def _hour(self, members: list[int], before: bool, needed: bool = True) -> int:
        """Say that ``members`` end by (or else start from) some hour, once in a sentence; -1 for none."""
        mask = sum([1 << i for i in members])
        if self.bounded[not before] & mask:
            return -1
        hour = self.order.clock(members, before, self.draw, needed)
        if hour >= 0:
            self.bounded[not before] |= mask
        return hour

    def _due(self, mask: int) -> int:
        """Only those not mentioned yet, where there is no room left for others."""
        fresh = self._unnamed(mask)
        return fresh if fresh and self.fresh.bit_count() >= self.room else mask

    def _unnamed(self, mask: int) -> int:
        """Those not mentioned yet, unless what has to be said mentions them anyway."""
        return 0 if self.order.names_all else mask & self.fresh
