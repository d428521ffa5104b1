"""The skeleton of a query before any action has its place: clauses, forms, how many actions stand where.

The forms are drawn by weight here, before anything can rule them out, so their shares are the weights'.
"""

from __future__ import annotations

from itertools import accumulate

from planscope.language.tree import FORMS, Form
from planscope.synthesis.draw import Draw
from planscope.synthesis.request import Request, SynthesisError

CLOCK = -1
"""In the place of a number of actions: a clock time."""

_COMFORT = 6
"""So many actions a sentence introduces at most, where the number of sentences may be drawn."""

CLOCK_FORMS: tuple[Form, ...] = ("direct", "adjunct", "fronted")
"""The clause forms whose object may be a clock time."""


class ClauseShape:
    """How many actions stand in each place. 0: no relative clause; ``CLOCK``: a clock time."""

    __slots__ = ("form", "object", "object_relative", "subject", "subject_relative")

    def __init__(self, form: Form) -> None:
        self.form = form
        self.subject = self.object = 1
        self.subject_relative = self.object_relative = 0

    def size(self) -> int:
        """How many actions it speaks of."""
        size = self.subject
        if self.object > 0:
            size += self.object
        if self.subject_relative > 0:
            size += self.subject_relative
        if self.object_relative > 0:
            size += self.object_relative
        return size


class Shaper:
    """Draws shapes as one request wants them."""

    def __init__(self, request: Request) -> None:
        self.n = n = request.count
        self.sentences = request.sentences
        self.forms = tuple(accumulate(request.weights()))
        self.relatives, self.second = request.relatives, request.second_clauses
        self.longest = min(request.list_length, n - 1) if request.lists else 1
        self.lists = request.lists if self.longest > 1 else 0.0
        self.clocks = request.clock_times if request.timed else 0.0
        if n == 2 and not self.clocks:
            self.second = 0.0  # it could only say the same again
        self.most = self._most()
        if self.sentences is not None and self.sentences * self.most < n:
            raise SynthesisError(
                f"{counted(self.sentences, 'sentence')} of this kind cannot mention {n} actions; "
                f"ask for {counted(-(-n // self.most), 'sentence')} or more"
            )

    def _most(self) -> int:
        """How many actions one sentence can speak of."""
        one = min(self.n, self.longest * (4 if self.relatives else 2))
        return one * 2 if self.second else one

    def how_many(self, draw: Draw) -> int:
        """The number of sentences: as asked for, or drawn so that all actions have room."""
        if self.sentences is not None:
            return self.sentences
        return draw.between(-(-self.n // min(self.most, _COMFORT)), self.n)

    def paragraph(
        self, draw: Draw, sentences: int, clocks: bool = True, room: int = 0
    ) -> list[list[ClauseShape]]:
        """Shapes of so many sentences that can name every action, and ``room`` actions in all if they can.

        ``clocks``: clock times may be drawn.
        """
        made = [self.sentence(draw, clocks) for _ in range(sentences)]
        wanted = min(max(room, self.n), sentences * self.most)
        found = sum([shape.size() for shapes in made for shape in shapes])
        while found < wanted:
            found += self._widen(draw, made, clocks)
        return made

    def sentence(self, draw: Draw, clocks: bool = True) -> list[ClauseShape]:
        share = self.clocks if clocks else 0.0
        shapes = [self._clause(draw, share)]
        if self.second and draw.random() < self.second:
            shapes.append(self._clause(draw, share))
        return shapes

    def _clause(self, draw: Draw, clocks: float) -> ClauseShape:
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

    def _length(self, draw: Draw, room: int) -> int:
        """Of a list of several."""
        longest = min(self.longest, room)
        return draw.between(2, longest) if longest > 1 else 1

    def _relative(self, draw: Draw, spare: int, clocks: float) -> int:
        if clocks and draw.random() < clocks:
            return CLOCK
        if spare < 1:
            return 0
        return self._length(draw, spare) if self.lists and draw.random() < self.lists else 1

    def _widen(self, draw: Draw, made: list[list[ClauseShape]], clocks: bool) -> int:
        """Give some sentence more room for actions; by how much."""
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
        """The places of a clause where one action more can stand, if need be instead of a clock time."""
        places = []
        for np, relative in (("subject", "subject_relative"), ("object", "object_relative")):
            if getattr(shape, np) < self.longest:
                places.append(np)
            if self.relatives and getattr(shape, np) != CLOCK and getattr(shape, relative) < self.longest:
                places.append(relative)
        return places


def counted(k: int, noun: str) -> str:
    """ "1 sentence", "2 sentences"."""
    return f"{k} {noun}{'' if k == 1 else 's'}"
