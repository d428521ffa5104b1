"""The cases of a campaign. Each can be made again, bit for bit, from the knobs, a number of actions and an index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from planscope.agents.options import RunOptions
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.problem import DAY
from planscope.session.model import Limits, Origin, Variant, make_variant
from planscope.synthesis.generate import Synthesized, Synthesizer
from planscope.synthesis.request import Request

FEWEST = 2
"""A plan has at least two actions."""

MOST_CASES = 300
FACTOR = 20
"""The paper samples min(300, 20 * n (n - 1) / 2) cases of n actions (6.3)."""

LAST = 40
"""A campaign without ``--actions`` goes no further than this many actions; in the timed language a day is the limit."""

LIMIT_RATE = 0.2
"""The planning capability of an agent ends at the first number of actions with a lower success rate (6.3)."""


@frozen
class Knobs:
    """What makes the cases. Two campaigns with equal knobs have equal cases.

    ``cases``: the number of cases for each n; None for the paper's rule. ``drawn``: the range that each case's n is
    drawn from (the paper's 3..5 in 6.1), or None if every n has cases of its own.
    """

    seed: int = 0
    timed: bool = False
    cases: int | None = None
    drawn: tuple[int, int] | None = None

    def count(self, n: int) -> int:
        """Return the number of cases with n actions, if n is not drawn."""
        return self.cases if self.cases is not None else min(MOST_CASES, FACTOR * n * (n - 1) // 2)

    @property
    def last(self) -> int:
        """The largest number of actions that a campaign goes to by itself."""
        return DAY if self.timed else LAST

    def number_of(self, low: int, high: int) -> int:
        """Return how many cases there are from ``low`` to ``high`` actions; where n is drawn, its own range counts."""
        low, high = self.drawn or (low, high)
        return sum(self.count(n) for n in range(low, high + 1))

    def cases_of(self, low: int, high: int) -> Iterator[tuple[int, int]]:
        """Yield (n, index) of each of these cases."""
        if self.drawn is None:
            yield from ((n, index) for n in range(low, high + 1) for index in range(self.count(n)))
            return
        first, last = self.drawn
        for index in range(self.number_of(low, high)):
            yield first + _hash(self.seed, self.timed, "n", index) % (last - first + 1), index


@frozen
class Arm:
    """One agent with one model, as it is tested. ``name`` is ``<agent>/<model>``, cut at the first slash.

    ``prompts``: a file of templates; ``printed``: its content's hash, which must not change between two parts of a
    campaign. ``role``: a role prompt. ``guard``: wrong calls are blocked, so its runs are helped.
    """

    agent: str
    model: str
    prompts: str | None = None
    printed: str | None = None
    role: str | None = None
    guard: bool = False
    base_url: str | None = None

    @property
    def name(self) -> str:
        agent = self.agent.replace("/", ":")
        if self.prompts is not None:
            agent += f"+{self.prompts.replace(chr(92), '/').rsplit('/', 1)[-1]}"
        if self.role is not None:
            agent += f"+role-{hashlib.sha256(self.role.encode()).hexdigest()[:6]}"
        if self.guard:
            agent += "+guard"
        return f"{agent}/{self.model}"

    def options(self, limits: Limits | None = None, seed: int | None = None) -> RunOptions:
        """Return how its runs are made."""
        prompts = None if self.prompts is None else Path(self.prompts)
        return RunOptions(
            self.agent, self.model, seed, self.base_url, self.guard, self.role, prompts, limits=limits
        )


@frozen
class Case:
    """A case: its query as a variant, with what the query took to make."""

    n: int
    number: int
    seed: int
    topic: str
    variant: Variant
    valid_orders: int | None

    @property
    def printed(self) -> str:
        """A hash of the query and its actions, by which a case that was made differently is noticed."""
        actions = [(a.name, a.duration) for a in self.variant.actions]
        return hashlib.sha256(repr((self.variant.query.text, actions)).encode()).hexdigest()[:16]


def case_id(n: int, index: int) -> str:
    """Return a case's name: ``n5-17``."""
    return f"n{n}-{index}"


def read_case_id(text: str) -> tuple[int, int]:
    """Read a case's name. Raises UserError."""
    n, dash, index = text.removeprefix("n").partition("-")
    if not (text.startswith("n") and dash and n.isdecimal() and index.isdecimal() and len(text) < 30):
        raise UserError(
            f"{text[:40]!r} is not a case; cases are named like n5-17 (5 actions, the case with index 17)"
        )
    return int(n), int(index)


def case_seed(knobs: Knobs, n: int, index: int) -> int:
    """Return the seed of a case. It depends on seed, language, n and index alone, so all arms get the same cases."""
    return _hash(knobs.seed, knobs.timed, n, index)


def run_seed(knobs: Knobs, arm: Arm, n: int, index: int) -> int:
    """Return the seed of a simulated model's run on a case."""
    return _hash(knobs.seed, arm.name, n, index) % 2**31


def _hash(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])


@lru_cache(maxsize=64)
def _synthesizer(n: int, timed: bool) -> Synthesizer:
    return Synthesizer(Request(actions=n, timed=timed))


def make_case(knobs: Knobs, n: int, index: int) -> Case:
    """Synthesize a case. Raises SynthesisError."""
    seed = case_seed(knobs, n, index)
    return _case(_synthesizer(n, knobs.timed).case(seed), n, index)


def _case(made: Synthesized, n: int, index: int) -> Case:
    variant = make_variant(made.problem, Origin(kind="synthesized"), topic=made.topic or None, seed=made.seed)
    return Case(n, index, made.seed, made.topic, variant, made.valid_orders)
