"""What a campaign found: rates with intervals, limits, types of errors, causes, topics (paper, section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from planscope.campaign.cases import LIMIT_RATE
from planscope.campaign.store import Budget, Count, Store, Used
from planscope.stats import wilson


class Cell(NamedTuple):
    """An arm's runs with n actions. ``rate`` and ``ci`` (Wilson, 95 %) are of the judged runs that nobody helped, None
    if there are none. ``helped``: judged runs that were helped, which count in no rate."""

    arm: str
    agent: str
    model: str
    timed: bool
    actions: int
    runs: int
    right: int
    wrong: int
    aborted: int
    unknown: int
    helped: int

    @property
    def rate(self) -> float | None:
        judged = self.right + self.wrong
        return self.right / judged if judged else None

    @property
    def ci(self) -> tuple[float, float] | None:
        judged = self.right + self.wrong
        return wilson(self.right, judged) if judged else None


@dataclass(slots=True)
class ArmReport:
    """One arm as a whole (Table 2, and its column of Tables 3 and 4). ``errors``: wrong runs of all n; ``error_types``
    and ``causes`` count n below the limit only."""

    timed: bool
    generated: int = 0
    errors: int = 0
    z3_checks: int = 0
    z3_ms: float = 0.0
    synthesis_ms: float = 0.0
    agent_s: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float | None = None
    dissected: int = 0
    error_types: dict[str, int] = field(default_factory=dict)
    causes: dict[str, int] = field(default_factory=dict)


class Topic(NamedTuple):
    """A topic: its judged runs with n below the limits, and how many dissected errors have Topic as their cause."""

    topic: str
    caused: int
    runs: int
    wrong: int

    @property
    def rate(self) -> float | None:
        """The share of wrong runs."""
        return self.wrong / self.runs if self.runs else None

    @property
    def ci(self) -> tuple[float, float] | None:
        return wilson(self.wrong, self.runs) if self.runs else None


@dataclass(frozen=True, slots=True)
class Report:
    """A campaign's results. ``limit``: by arm, the first n whose rate is under 20 %, or None if there is none yet."""

    name: str
    timed: bool
    seed: int
    cases: int
    runs: int
    cells: list[Cell]
    error_types: dict[str, int]
    causes: dict[str, int]
    topics: list[Topic]
    arms: dict[str, ArmReport]
    limit: dict[str, int | None]
    synthesis_ms: float
    z3_ms: float
    z3_checks: int
    agent_s: float
    dissected: int


UNDECIDED = "undecided"
NO_CAUSE = "none"
"""Beside the five causes: a dissection that did not decide, and one that found no cause in the query."""


def report(store: Store, name: str) -> Report:
    """Read a campaign's results."""
    knobs = store.knobs
    records = {record.place: record for record in store.arms()}
    names = {place: record.arm.name for place, record in records.items()}
    counts = store.counts()
    cells = _cells(counts, names, knobs.timed)
    limit = _limits(cells, names)
    below = {place: limit[one] for place, one in names.items()}
    arms = {one: ArmReport(knobs.timed) for one in names.values()}
    for count in counts:
        arm = arms[names[count.arm]]
        arm.generated += count.runs
        if count.verdict == "wrong" and not count.helped:
            arm.errors += count.runs
            if is_below(count.n, below[count.arm]) and count.error_type:
                arm.error_types[count.error_type] = arm.error_types.get(count.error_type, 0) + count.runs
    for place, (_, made, z3, checks) in store.synthesis().items():
        arm = arms[names[place]]
        arm.synthesis_ms, arm.z3_ms, arm.z3_checks = made, z3, checks
    for place, used in store.used().items():
        _spend(arms[names[place]], used, records[place].budget)
    caused = _causes(store, arms, names, below)
    count_cases, synthesis, z3, checks = store.made()
    topics = [
        Topic(topic, caused[topic], right + wrong, wrong)
        for topic, right, wrong in store.topics(below)
        if right + wrong
    ]
    topics.sort(key=lambda one: (-one.caused, -(one.rate or 0.0), one.topic))
    return Report(
        name,
        knobs.timed,
        knobs.seed,
        count_cases,
        sum(cell.runs for cell in cells),
        cells,
        _total(arm.error_types for arm in arms.values()),
        _total(arm.causes for arm in arms.values()),
        topics,
        arms,
        limit,
        synthesis,
        z3,
        checks,
        sum(arm.agent_s for arm in arms.values()),
        sum(arm.dissected for arm in arms.values()),
    )


def limits_by_arm(store: Store) -> dict[int, int | None]:
    """Return the limit of each arm, by its key."""
    names = {record.place: record.arm.name for record in store.arms()}
    limit = _limits(_cells(store.counts(), names, store.knobs.timed), names)
    return {place: limit[one] for place, one in names.items()}


def _limits(cells: list[Cell], names: dict[int, str]) -> dict[str, int | None]:
    return {one: limit_of([cell for cell in cells if cell.arm == one]) for one in names.values()}


def _cells(counts: Sequence[Count], names: dict[int, str], timed: bool) -> list[Cell]:
    found: dict[tuple[int, int], Counter[str]] = {}
    for count in counts:
        kinds = found.setdefault((count.arm, count.n), Counter())
        kinds["helped" if count.helped and count.verdict in ("right", "wrong") else count.verdict] += (
            count.runs
        )
    cells = []
    for (place, n), kinds in sorted(found.items()):
        agent, _, model = names[place].partition("/")
        outcome = (kinds[kind] for kind in ("right", "wrong", "aborted", "unknown", "helped"))
        cells.append(Cell(names[place], agent, model, timed, n, kinds.total(), *outcome))
    return cells


def limit_of(cells: list[Cell]) -> int | None:
    """Return the first n of an arm whose success rate is under 20 %: the end of its planning capability (6.3)."""
    low = (
        cell.actions
        for cell in sorted(cells, key=lambda c: c.actions)
        if cell.rate is not None and cell.rate < LIMIT_RATE
    )
    return next(low, None)


def is_below(n: int, limit: int | None) -> bool:
    """Return whether a query with n actions counts in types of errors and causes: it has fewer than the limit."""
    return limit is None or n < limit


def _spend(arm: ArmReport, used: Used, budget: Budget) -> None:
    arm.agent_s, arm.input_tokens, arm.output_tokens = used.seconds, used.input_tokens, used.output_tokens
    if budget.price is not None:
        arm.money = budget.cost(used)


def _causes(
    store: Store, arms: dict[str, ArmReport], names: dict[int, str], below: dict[int, int | None]
) -> Counter[str]:
    """Count the causes of dissected errors in their arms. Return how many have Topic as their cause, by topic."""
    topic_of = {(row["arm"], row["n"], row["idx"]): row["topic"] for row in store.listed(verdict="wrong")}
    caused: Counter[str] = Counter()
    for place, n, index, _, cause, _, blameless in store.dissections():
        if not is_below(n, below[place]):
            continue
        arm = arms[names[place]]
        arm.dissected += 1
        said = cause_of(cause, blameless)
        arm.causes[said] = arm.causes.get(said, 0) + 1
        if cause == "Topic":
            caused[topic_of.get((place, n, index), "")] += 1
    return caused


def cause_of(cause: str | None, blameless: bool) -> str:
    """Return what a dissection found: a cause, that there is none in the query, or nothing yet."""
    return cause or (NO_CAUSE if blameless else UNDECIDED)


def _total(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total.most_common())
