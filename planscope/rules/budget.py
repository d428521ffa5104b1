"""What a command may spend on repairs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

MOST_NODES = 100_000
SECONDS = 10.0


class Spent(Exception):
    """The budget is used up."""


@dataclass(slots=True)
class Budget:
    """What a command may spend on repairs, in nodes of searches, so that every machine finds the same.

    ``least``: what each trace may spend at least. ``until``: a limit of processor time, for machines that are very
    slow. ``whole``: the budget that this one is a part of.
    """

    nodes: int = MOST_NODES
    least: int = 0
    until: float = inf
    whole: Budget | None = None

    @classmethod
    def of(cls, traces: int) -> Budget:
        """Return the budget of a command that repairs at most so many traces, one after another: what the first ones
        leave is for the others."""
        return cls(MOST_NODES, MOST_NODES // max(traces, 1))

    def spend(self, nodes: int) -> None:
        """Raises Spent."""
        self.nodes -= nodes
        whole = self.whole
        while whole is not None:
            whole.nodes -= nodes
            whole = whole.whole
        if self.nodes < 0 or time.thread_time() > self.until:
            raise Spent

    def part(self, share: float) -> Budget:
        """Return this share of what is left."""
        return Budget(max(int(self.nodes * share), self.least), 0, self.until, self)
