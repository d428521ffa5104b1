"""Draws sentences at random: their shapes, the places of the actions, and the words.

The forms are drawn by weight before anything can rule them out, so that their shares are as requested. Then every
choice is made among what is still possible, so that nothing contradicts an earlier sentence. An action that was not
mentioned yet fits anywhere. Once there is only room left for such actions, no others are taken.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import accumulate

from planscope.language.lexicon import load_lexicon
from planscope.language.tree import (
    FORMS,
    NP,
    RELATIONS,
    RELATIVE_FORMS,
    ActionRef,
    Clause,
    Form,
    Relation,
    Relative,
    RelativeForm,
    Sentence,
    Terminal,
    Time,
    Word,
    terminals,
)
from planscope.oracle.precedence import bits
from planscope.synthesis.partial_order import PartialOrder
from planscope.synthesis.random_choices import RandomChoices
from planscope.synthesis.request import Request, SynthesisError

Slot = tuple[tuple[Word, ...], tuple[Word, ...]]
"""The words that may be written in a place: without a modal, and with one (empty if none is allowed)."""

_SUBORDINATE = {"compound": 2, "fronted_compound": 1}
"""By form, which word is the verb of its subordinate clause."""


class Wording:
    """Draws the words of clauses. ``modals``: share of the verbs that get one."""

    def __init__(self, modals: float) -> None:
        self.modals = modals
        self.clauses, self.relatives = _tables()
        self.conjunctions = load_lexicon().written("J")

    def clause(self, draw: RandomChoices, form: Form, relation: Relation, clock: bool) -> tuple[Word, ...]:
        return self._words(draw, self.clauses[form, relation, clock])

    def relative(
        self, draw: RandomChoices, form: RelativeForm, relation: Relation, clock: bool
    ) -> tuple[Word, ...]:
        return self._words(draw, self.relatives[form, relation, clock])

    def conjunction(self, draw: RandomChoices) -> Word:
        return draw.choose(self.conjunctions)

    def _words(self, draw: RandomChoices, slots: tuple[Slot, ...]) -> tuple[Word, ...]:
        random, modals = draw.random, self.modals
        words = []
        for plain, modal in slots:
            options = modal if modal and random() < modals else plain
            words.append(options[int(random() * len(options))])
        return tuple(words)


Tables = dict[tuple[str, str, bool], tuple[Slot, ...]]


@cache
def _tables() -> tuple[Tables, Tables]:
    """Return the slots of clauses and of relative clauses, by form, relation, and whether the object is a clock
    time."""
    clauses: Tables = {}
    relatives: Tables = {}
    for relation in RELATIONS:
        for clock in (False, True):
            for form in FORMS:
                if clock and "compound" in form:
                    continue
                slots = enumerate(terminals(form, relation))
                clauses[form, relation, clock] = tuple(
                    _slot(t, "fronted" in form and k == 0, clock, _SUBORDINATE.get(form) == k)
                    for k, t in slots
                )
            for kind in RELATIVE_FORMS:
                relatives[kind, relation, clock] = tuple(
                    _slot(t, False, clock, False) for t in terminals(kind, relation)
                )
    return clauses, relatives


def _slot(terminal: Terminal, fronted: bool, clock: bool, subordinate: bool) -> Slot:
    lexicon = load_lexicon()
    plain = lexicon.written(terminal, fronted=fronted, clock=clock)
    if subordinate or not terminal.startswith("VP"):
        return plain, ()
    modals = lexicon.written_modals()
    return plain, tuple(word._replace(modal=modal) for word in plain for modal in modals)


CLOCK = -1
"""Stands for a clock time in place of a number of actions."""

_COMFORT = 6
"""Limit of new actions per sentence when the number of sentences is random."""

CLOCK_FORMS: tuple[Form, ...] = ("direct", "adjunct", "fronted")
"""The clause forms whose object may be a clock time."""


class ClauseShape:
    """The number of actions in each place. 0 means no relative clause, ``CLOCK`` a clock time."""

    __slots__ = ("form", "object", "object_relative", "subject", "subject_relative")

    def __init__(self, form: Form) -> None:
        self.form = form
        self.subject = self.object = 1
        self.subject_relative = self.object_relative = 0

    def size(self) -> int:
        """Return the number of actions in the clause."""
        size = self.subject
        if self.object > 0:
            size += self.object
        if self.subject_relative > 0:
            size += self.subject_relative
        if self.object_relative > 0:
            size += self.object_relative
        return size


class Shaper:
    """Draws shapes of sentences by a request's options."""

    def __init__(self, request: Request) -> None:
        self.n = n = request.count
        self.sentences = request.sentences
        self.forms = tuple(accumulate(request.weights()))
        self.relatives, self.second = request.relatives, request.second_clauses
        self.longest = min(request.list_length, n - 1) if request.lists else 1
        self.lists = request.lists if self.longest > 1 else 0.0
        self.clocks = request.clock_times if request.timed else 0.0
        if n == 2 and not self.clocks:
            self.second = 0.0  # a second clause could only repeat the first
        self.most = self._most()
        if self.sentences is not None and self.sentences * self.most < n:
            raise SynthesisError(
                f"{counted(self.sentences, 'sentence')} of this kind cannot mention {n} actions; "
                f"ask for {counted(-(-n // self.most), 'sentence')} or more"
            )

    def _most(self) -> int:
        """Return the greatest number of actions in one sentence."""
        one = min(self.n, self.longest * (4 if self.relatives else 2))
        return one * 2 if self.second else one

    def how_many(self, draw: RandomChoices) -> int:
        """Return the number of sentences: as requested, or drawn so that all actions have room."""
        if self.sentences is not None:
            return self.sentences
        return draw.between(-(-self.n // min(self.most, _COMFORT)), self.n)

    def paragraph(
        self, draw: RandomChoices, sentences: int, clocks: bool = True, room: int = 0
    ) -> list[list[ClauseShape]]:
        """Draw shapes of sentences that can name every action, with room for ``room`` actions in all if possible.

        ``clocks``: clock times may be drawn.
        """
        made = [self.sentence(draw, clocks) for _ in range(sentences)]
        wanted = min(max(room, self.n), sentences * self.most)
        found = sum([shape.size() for shapes in made for shape in shapes])
        while found < wanted:
            found += self._widen(draw, made, clocks)
        return made

    def sentence(self, draw: RandomChoices, clocks: bool = True) -> list[ClauseShape]:
        share = self.clocks if clocks else 0.0
        shapes = [self._clause(draw, share)]
        if self.second and draw.random() < self.second:
            shapes.append(self._clause(draw, share))
        return shapes

    def _clause(self, draw: RandomChoices, clocks: float) -> ClauseShape:
        random = draw.random
        shape = ClauseShape(FORMS[draw.weighted(self.forms)])
        spare = self.n - 2
        if self.lists and random() < self.lists:
            shape.subject = self._length(draw, spare + 1)
            spare -= shape.subject - 1
        if clocks and shape.form in CLOCK_FORMS and random() < clocks:
            shape.object = CLOCK
            spare += 1
        elif self.lists and random() < self.lists:
            shape.object = self._length(draw, spare + 1)
            spare -= shape.object - 1
        if random() < self.relatives:
            shape.subject_relative = self._relative(draw, spare, clocks)
            spare -= max(shape.subject_relative, 0)
        if shape.object != CLOCK and random() < self.relatives:
            shape.object_relative = self._relative(draw, spare, clocks)
        return shape

    def _length(self, draw: RandomChoices, room: int) -> int:
        """Draw the length of a list of several actions."""
        longest = min(self.longest, room)
        return draw.between(2, longest) if longest > 1 else 1

    def _relative(self, draw: RandomChoices, spare: int, clocks: float) -> int:
        if clocks and draw.random() < clocks:
            return CLOCK
        if spare < 1:
            return 0
        return self._length(draw, spare) if self.lists and draw.random() < self.lists else 1

    def _widen(self, draw: RandomChoices, made: list[list[ClauseShape]], clocks: bool) -> int:
        """Give a random sentence more room for actions. Return how much."""
        options: list[tuple[list[ClauseShape], ClauseShape | None, str]] = []
        for shapes in made:
            if self.second and len(shapes) == 1:
                options.append((shapes, None, ""))
            for shape in shapes:
                if shape.size() < self.n:
                    options += [(shapes, shape, place) for place in self._growing(shape)]
        shapes, grown, place = draw.choose(options)
        if grown is None:
            grown = self._clause(draw, self.clocks if clocks else 0.0)
            shapes.append(grown)
            return grown.size()
        setattr(grown, place, max(getattr(grown, place), 0) + 1)
        return 1

    def _growing(self, shape: ClauseShape) -> list[str]:
        """Return the places of a clause with room for one more action, if need be in place of a clock time."""
        places = []
        for np, relative in (("subject", "subject_relative"), ("object", "object_relative")):
            if getattr(shape, np) < self.longest:
                places.append(np)
            if self.relatives and getattr(shape, np) != CLOCK and getattr(shape, relative) < self.longest:
                places.append(relative)
        return places


def counted(k: int, noun: str) -> str:
    """Return a count such as "1 sentence" or "2 sentences"."""
    return f"{k} {noun}{'' if k == 1 else 's'}"


class DeadEnd(Exception):
    """The shape cannot be filled. This happens only in timed queries, and seldom."""


@lru_cache(maxsize=64)
def references(n: int) -> tuple[ActionRef, ...]:
    """Return mentions of a1, a2, ... without a place in a text."""
    return tuple(ActionRef(f"a{i + 1}") for i in range(n))


class Grower:
    """Fills the shapes of one query, sentence by sentence. ``room``: how many actions they hold in all."""

    def __init__(self, draw: RandomChoices, order: PartialOrder, wording: Wording, room: int) -> None:
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
        """Return a clause, or None if it could only repeat this sentence or add unwanted redundancy."""
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
            if found is None and needed and not self.order.repeats:
                found = self._pair(before, needed, again=True)
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
        """Return a clause with a clock time as its object, or None."""
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
        """Return a relative clause after ``members``, or None if none is wanted or possible."""
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

    def _pair(self, before: bool, needed: bool, again: bool = False) -> tuple[int, int] | None:
        """Return subject and object of a clause, after stating this order of them. ``again``: it may be stated."""
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
            if self._join(found, [first], before, needed, again):
                return first, found[0]
            self.room += 2
            self.fresh = fresh
            firsts &= ~(1 << first)
        return None

    def _wanted(self, first: int, before: bool, wanted: bool) -> int:
        members = (first,)
        mask = self.order.candidates(members, before) & ~self.compared[first] & ~(1 << first)
        return self.order.preferred(members, before, mask, wanted)

    def _join(
        self,
        list_: list[int],
        members: list[int],
        before: bool,
        needed: bool = False,
        again: bool = False,
    ) -> bool:
        """State that ``members`` come before (or else after) one more action, and add it to the list.

        ``needed``: something redundant is better than nothing. ``again``: even a repetition is, where none is allowed.
        """
        order, compared = self.order, self.compared
        mask = order.candidates(members, before) & ~self.used
        for i in members:
            mask &= ~compared[i]
        if not order.repeats:
            mask = mask if again else order.unstated(members, before, mask)
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
        """State that ``members`` end by (or else start from) some hour, once in a sentence. Return -1 if none is
        possible."""
        mask = sum([1 << i for i in members])
        if self.bounded[not before] & mask:
            return -1
        hour = self.order.clock(members, before, self.draw, needed)
        if hour >= 0:
            self.bounded[not before] |= mask
        return hour

    def _due(self, mask: int) -> int:
        """Return only the actions not mentioned yet if there is no room for others, or else all candidates."""
        fresh = self._unnamed(mask)
        return fresh if fresh and self.fresh.bit_count() >= self.room else mask

    def _unnamed(self, mask: int) -> int:
        """Return the actions not mentioned yet, or none if the pairs to be stated mention them anyway."""
        return 0 if self.order.names_all else mask & self.fresh
