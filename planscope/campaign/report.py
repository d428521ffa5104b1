"""What a campaign found: rates with intervals, limits, types of errors, causes, topics (paper, section 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from planscope.campaign.cases import LIMIT_RATE
from planscope.campaign.result import (
    CampaignArmDocument,
    CampaignCellDocument,
    CampaignReportDocument,
    CampaignTopicDocument,
)
from planscope.campaign.store import Count, Store, Used
from planscope.stats import wilson

UNDECIDED = "undecided"
NO_CAUSE = "none"
"""Beside the five causes: a dissection that did not decide, and one that found no cause in the query."""


def report(store: Store, name: str) -> CampaignReportDocument:
    """Read a campaign's results."""
    records = {record.place: record for record in store.arms()}
    names = {place: record.arm.name for place, record in records.items()}
    counts, synthesis, used = store.counts(), store.synthesis(), store.used()
    cells = _cells(counts, names, store.knobs.timed)
    limit = _limits(cells, names)
    below = {place: limit[one] for place, one in names.items()}
    causes, topics = _causes(store, below)

    def arm(place: int) -> CampaignArmDocument:
        mine = [count for count in counts if count.arm == place]
        wrong = [count for count in mine if count.verdict == "wrong" and not count.helped]
        types: Counter[str] = Counter()
        for count in wrong:
            if is_below(count.n, below[place]) and count.error_type:
                types[count.error_type] += count.runs
        _, made, z3, checks = synthesis.get(place, (0, 0.0, 0.0, 0))
        spent, budget = used.get(place, Used()), records[place].budget
        return CampaignArmDocument(
            timed=store.knobs.timed,
            generated=sum(count.runs for count in mine),
            errors=sum(count.runs for count in wrong),
            z3_checks=checks,
            z3_ms=z3,
            synthesis_ms=made,
            agent_s=spent.seconds,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            money=None if budget.price is None else budget.cost(spent),
            dissected=causes[place].total(),
            error_types=types,
            causes=causes[place],
        )

    arms = {one: arm(place) for place, one in names.items()}
    cases, made, z3, checks = store.made()
    return CampaignReportDocument(
        name=name,
        timed=store.knobs.timed,
        seed=store.knobs.seed,
        cases=cases,
        runs=sum(cell.runs for cell in cells),
        cells=cells,
        error_types=_total(arm.error_types for arm in arms.values()),
        causes=_total(arm.causes for arm in arms.values()),
        dissected=sum(arm.dissected for arm in arms.values()),
        topics=topics,
        arms=arms,
        limit=limit,
        synthesis_ms=made,
        z3_ms=z3,
        z3_checks=checks,
        agent_s=sum(arm.agent_s for arm in arms.values()),
    )


def limits_by_arm(store: Store) -> dict[int, int | None]:
    """Return the limit of each arm, by its key."""
    names = {record.place: record.arm.name for record in store.arms()}
    limit = _limits(_cells(store.counts(), names, store.knobs.timed), names)
    return {place: limit[one] for place, one in names.items()}


def _limits(cells: list[CampaignCellDocument], names: dict[int, str]) -> dict[str, int | None]:
    return {one: limit_of([cell for cell in cells if cell.arm == one]) for one in names.values()}


def _cells(counts: Sequence[Count], names: dict[int, str], timed: bool) -> list[CampaignCellDocument]:
    found: dict[tuple[int, int], Counter[str]] = {}
    for count in counts:
        kinds = found.setdefault((count.arm, count.n), Counter())
        kinds["helped" if count.helped and count.verdict in ("right", "wrong") else count.verdict] += (
            count.runs
        )
    cells = []
    for (place, n), kinds in sorted(found.items()):
        agent, _, model = names[place].partition("/")
        judged = kinds["right"] + kinds["wrong"]
        cells.append(
            CampaignCellDocument(
                arm=names[place],
                agent=agent,
                model=model,
                timed=timed,
                actions=n,
                runs=kinds.total(),
                right=kinds["right"],
                wrong=kinds["wrong"],
                rate=kinds["right"] / judged if judged else None,
                ci=wilson(kinds["right"], judged) if judged else None,
                aborted=kinds["aborted"],
                unknown=kinds["unknown"],
                helped=kinds["helped"],
            )
        )
    return cells


def limit_of(cells: list[CampaignCellDocument]) -> int | None:
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


def _causes(
    store: Store, below: dict[int, int | None]
) -> tuple[dict[int, Counter[str]], list[CampaignTopicDocument]]:
    """Count the causes of dissected errors, by arm, and list the topics by how many errors they cause."""
    topic_of = {(row["arm"], row["n"], row["idx"]): row["topic"] for row in store.listed(verdict="wrong")}
    causes: dict[int, Counter[str]] = {place: Counter() for place in below}
    caused: Counter[str] = Counter()
    for place, n, index, _, cause, _, blameless in store.dissections():
        if is_below(n, below[place]):
            causes[place][cause_of(cause, blameless)] += 1
            if cause == "Topic":
                caused[topic_of.get((place, n, index), "")] += 1
    topics = [
        CampaignTopicDocument(
            topic=topic,
            caused=caused[topic],
            runs=right + wrong,
            wrong=wrong,
            rate=wrong / (right + wrong),
            ci=wilson(wrong, right + wrong),
        )
        for topic, right, wrong in store.topics(below)
        if right + wrong
    ]
    return causes, sorted(topics, key=lambda one: (-one.caused, -(one.rate or 0.0), one.topic))


def cause_of(cause: str | None, blameless: bool) -> str:
    """Return what a dissection found: a cause, that there is none in the query, or nothing yet."""
    return cause or (NO_CAUSE if blameless else UNDECIDED)


def _total(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return dict(total.most_common())
