"""All minimal impossible sets and all minimal corrections (MARCO: Liffiton, Previti, Malik, Marques-Silva 2016).

Each of one kind hits every one of the other. So what was found of one kind says where the other may still be: a
smallest set that hits all known cores and contains no known correction is itself a correction, or shows a core that
was not known; and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable

from planscope.oracle.hitting import GaveUp, hitting_sets
from planscope.oracle.precedence import bits
from planscope.oracle.question import Answered, Question
from planscope.oracle.reason_types import SearchEnd


class _Stopped(Exception):
    """The caller has had enough."""


class Marco:
    """One search. ``cores`` and ``corrections`` are bit masks over the question's names, as they were found.

    ``on_core`` is told of the first ``most``, ``on_correction`` of the ``most`` smallest, smallest first as far as the
    hitting sets are; ``stopped`` is looked at between questions.
    """

    def __init__(
        self,
        question: Question,
        most: int,
        on_core: Callable[[int], None],
        on_correction: Callable[[int], None],
        stopped: Callable[[], bool],
    ) -> None:
        self.question, self.most, self.stopped = question, most, stopped
        self.on_core, self.on_correction = on_core, on_correction
        self.everything = (1 << len(question.names)) - 1
        self.cores: list[int] = []
        self.corrections: list[int] = []
        self.told = 0
        self.untold: list[int] = []
        """Corrections that were found while looking for cores, until all that are smaller are known."""
        self.kept_back = hitting_sets()
        """Sets that hit every core: what may be a correction."""
        self.taken = hitting_sets()
        """Sets that hit every correction: what may be a core."""

    def interrupt(self) -> None:
        self.kept_back.interrupt()
        self.taken.interrupt()

    def run(self, first: int | None = None) -> SearchEnd:
        """Search until all is found or ``most`` of each, and one of each at least. ``first``: a core known already."""
        ended = self._ended(first)
        self._tell(len(self.question.names))
        return ended

    def _ended(self, first: int | None) -> SearchEnd:
        try:
            self._begin(first)
            return self._search() if self.cores else "all"
        except _Stopped:
            return "stopped"
        except GaveUp:
            return "stopped" if self.stopped() else "unknown"

    def _begin(self, first: int | None) -> None:
        if first is not None:
            self._take_core(first)
            return
        answer, part = self._ask(self.everything)
        if answer == "unsat":
            self._take_core(self._shrunk(part))

    def _search(self) -> SearchEnd:
        corrections = True
        while not self._full():
            if len(self.cores) >= self.most:
                corrections = True
            elif self.told >= self.most:
                corrections = False
            done = self._next_correction() if corrections else self._next_core()
            if done:
                return "all" if max(len(self.cores), len(self.corrections)) <= self.most else "most"
            corrections = not corrections
        if not self.corrections:  # one is never far: what a largest possible set leaves out
            _, around = self._ask(0)
            self._take_correction(self.everything & ~self._grown(around))
        return "most"

    def _full(self) -> bool:
        """As many of both as wanted; or of one kind, and far more than that were met while looking for the other."""
        if len(self.cores) >= self.most:
            return self.told >= self.most or len(self.cores) >= 2 * self.most
        return self.told >= self.most and len(self.corrections) >= 3 * self.most

    def _next_correction(self) -> bool:
        """Find another correction, or a core on the way; true where there is neither."""
        given_up = self.kept_back.next()
        if given_up is None:
            return True
        self._tell(self.kept_back.floor)
        answer, part = self._ask(self.everything & ~given_up)
        if answer == "sat":
            self._take_correction(given_up)
            self._tell(given_up.bit_count())
        else:
            self._take_core(self._shrunk(part))
        return False

    def _next_core(self) -> bool:
        """Find another core, or a correction on the way; true where there is neither."""
        chosen = self.taken.next()
        if chosen is None:
            return True
        answer, around = self._ask(chosen)
        if answer == "unsat":
            self._take_core(chosen)
        else:
            self._take_correction(self.everything & ~self._grown(around))
        return False

    def _take_core(self, mask: int) -> None:
        self.cores.append(mask)
        self.kept_back.hit(mask)
        self.taken.avoid(mask)
        if len(self.cores) <= self.most:
            self.on_core(mask)

    def _take_correction(self, mask: int) -> None:
        self.corrections.append(mask)
        self.taken.hit(mask)
        self.kept_back.avoid(mask)
        self.untold.append(mask)

    def _tell(self, size: int) -> None:
        """Tell of the corrections of up to so many members, smallest first."""
        self.untold.sort(key=lambda mask: (mask.bit_count(), tuple(bits(mask))))
        while self.untold and self.told < self.most and self.untold[0].bit_count() <= size:
            self.told += 1
            self.on_correction(self.untold.pop(0))

    def _ask(self, chosen: int) -> Answered:
        if self.stopped():
            raise _Stopped
        for core in self.cores:
            if core & chosen == core:
                return "unsat", core
        for correction in self.corrections:
            if not correction & chosen:
                return "sat", self.everything & ~correction
        found = self.question.ask(chosen)
        if found[0] == "unknown":
            raise GaveUp
        return found

    def _shrunk(self, mask: int) -> int:
        """A minimal impossible part: members are dropped from the last to the first, several at once if that works."""
        needed, size = 0, 1
        while mask & ~needed:
            free = bits(mask & ~needed)[-size:]
            dropped = sum(1 << k for k in free)
            answer, part = self._ask(mask & ~dropped)
            if answer == "unsat":
                mask, size = part, 2 * size
            elif len(free) == 1:
                needed |= dropped
            else:
                size = 1
        return mask

    def _grown(self, mask: int) -> int:
        """A maximal possible set around this one: members are added from the first to the last."""
        for k in bits(self.everything & ~mask):
            if not mask >> k & 1:
                answer, around = self._ask(mask | 1 << k)
                if answer == "sat":
                    mask = around
        return mask
