"""Makes docs/paper.md: the paper's Tables 2 to 7 and Figures 8 and 9 with simulated agents, beside its own figures.

``python -m tests.make_paper`` takes some minutes; ``--errors 20`` dissects fewer errors of each agent. Campaigns are
made in a temporary folder. The rates are the same on every machine; the times are not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from planscope.campaign.cases import LIMIT_RATE, Arm, Knobs
from planscope.campaign.dissecting import dissect
from planscope.campaign.engine import Campaign
from planscope.campaign.report import report
from planscope.campaign.result import (
    CampaignArmDocument,
    CampaignCellDocument,
    CampaignReportDocument,
    CampaignTopicDocument,
)
from planscope.campaign.store import SUFFIX, Budget, Store
from planscope.drawing.rates import Point, rates_svg
from planscope.session.model import Limits
from planscope.stats import wilson
from planscope.wording import terms
from planscope.wording.phrases import duration, interval, percent

DOCS = Path(__file__).parent.parent / "docs"
ERRORS = 100
"""Errors of each agent that are dissected, as in the paper."""


class Plan(NamedTuple):
    """One campaign: its knobs, its models, and its numbers of actions."""

    name: str
    knobs: Knobs
    models: tuple[str, ...]
    actions: tuple[int, int]


BLIND = ("sim:word-blind", "sim:topic-blind", "sim:clause-blind", "sim:constraint-blind")
DRAWN = Plan(
    "drawn", Knobs(cases=300, drawn=(3, 5)), ("sim:careful", "sim:literal", "sim:flaky", *BLIND), (3, 5)
)
BASE = Plan("base", Knobs(), ("sim:careful", "sim:literal", "sim:flaky", *BLIND), (2, 9))
TIMED = Plan(
    "timed", Knobs(timed=True), ("sim:careful", "sim:literal", "sim:flaky", *BLIND, "sim:time-blind"),
    (2, 5),
)  # fmt: skip

ERROR_TYPES = ("timeout", "act_error", "action_lost", "order_error", "parameter_error")
CAUSES = ("Probability", "Terminal", "Topic", "Structure", "Constraint", "none", "undecided")

TABLE_2 = """\
| GPT-3.5, ReAct | 843 | 519 (61.57 %) | 99,972 | 00:24.96 | 00:59.13 | 58:00.86 |
| GPT-3.5, OT | 1,168 | 635 (54.37 %) | 133,008 | 00:34.30 | 01:20.49 | 57:11.94 |
| GPT-3.5, OA | 327 | 179 (54.74 %) | 36,694 | 00:09.67 | 00:22.52 | 59:22.24 |
| GPT-4, ReAct | 160 | 47 (29.38 %) | 19,726 | 00:05.03 | 00:11.73 | 59:54.44 |
| GPT-4, OT | 144 | 32 (22.22 %) | 16,253 | 00:04.13 | 00:09.66 | 59:40.41 |
| GPT-4, OA | 111 | 40 (36.04 %) | 12,775 | 00:03.38 | 00:07.75 | 59:54.25 |"""
TABLE_3 = """\
| GPT-3.5, ReAct | 0.00 % | 1.03 % | 8.25 % | 90.72 % |
| GPT-3.5, OT | 0.00 % | 0.00 % | 0.46 % | 99.54 % |
| GPT-3.5, OA | 0.00 % | 0.80 % | 0.40 % | 98.80 % |
| GPT-4, ReAct | 0.00 % | 1.27 % | 0.00 % | 98.73 % |
| GPT-4, OT | 0.00 % | 1.12 % | 0.00 % | 98.88 % |
| GPT-4, OA | 0.00 % | 1.61 % | 0.13 % | 98.26 % |"""
TABLE_4 = """\
| GPT-3.5, ReAct | 19 % | 50 % | 18 % | 9 % | 4 % |
| GPT-3.5, OT | 8 % | 42 % | 22 % | 15 % | 13 % |
| GPT-3.5, OA | 27 % | 28 % | 15 % | 18 % | 12 % |
| GPT-4, ReAct | 19 % | 44 % | 14 % | 18 % | 5 % |
| GPT-4, OT | 15 % | 37 % | 23 % | 17 % | 8 % |
| GPT-4, OA | 28 % | 30 % | 14 % | 17 % | 11 % |"""
TABLE_5 = """\
| GPT-3.5 | Waiter/Waitress 6, Computer Programmer 5, Physical Therapist 4, Marketing Manager 4, Stock Broker 4 | 19 |
| GPT-4 | Graphic Designer 5, Electrician 4, Human Resources Manager 4, Journalist 4, Video Game Designer 4 | 16 |"""
TABLE_6 = """\
| GPT-3.5, ReAct | - | - | - | - | - |
| GPT-3.5, OT | 0.00 % | 7.14 % | 0.00 % | 28.57 % | 64.29 % |
| GPT-3.5, OA | 0.00 % | 0.00 % | 0.00 % | 50.00 % | 50.00 % |
| GPT-4, ReAct | 0.00 % | 64.44 % | 0.00 % | 33.33 % | 2.22 % |
| GPT-4, OT | 0.00 % | 3.77 % | 2.83 % | 66.04 % | 27.36 % |
| GPT-4, OA | 0.00 % | 0.74 % | 1.12 % | 64.31 % | 33.83 % |"""
TABLE_7 = """\
| ReAct | 8 % | 22 % | 11 % | 14 % | 45 % |
| OT | 25 % | 32 % | 12 % | 8 % | 23 % |
| OA | 23 % | 22 % | 11 % | 5 % | 39 % |"""
"""The paper's own tables, as printed (section 6). Its Figures 8 and 9 are pictures, so only their limits are here."""

INTRODUCTION = """\
# The paper's tables

`python -m tests.make_paper` makes this page. It repeats the evaluation of the first paper (section 6) with
**simulated agents**, whose faults are known, and sets the paper's own figures for GPT-3.5 and GPT-4 beside
them. The two are not to be compared: the paper measured real models, and these are programs with one fault each
(`planscope models` says which). The tables show that a campaign measures what the paper measured, and that it
finds the faults that were put in.

The paper's agents are ReAct, OpenAI Tools (OT) and OpenAI Assistant (OA). Here the agent is `tools`, with the
models named in each row. Rates and shares have Wilson's 95 % interval. With a model of your own: `planscope
campaign run` ([Campaigns](campaigns.md)).
"""


def run(plan: Plan, folder: Path, errors: int) -> CampaignReportDocument:
    """Run a campaign, dissect errors of each agent, and return its report."""
    with closing(Store(folder / f"{plan.name}{SUFFIX}", make=True)) as store:
        store.keep_settings(plan.knobs, Limits(), "paper")
        for model in plan.models:
            store.add_arm(Arm("tools", model), *plan.actions, Budget())
        told = _progress(plan.name)
        Campaign(store, workers=2, on_progress=lambda found: told(f"{found.done} runs")).go()
        for record in store.arms() if errors else ():
            dissect(
                store, size=errors, method="rates", budget=60, arm=record.place,
                on_progress=lambda done, total, name=record.arm.model: told(f"{name}: {done} of {total} errors"),
            )  # fmt: skip
        return report(store, plan.name)


def _progress(name: str) -> Callable[[str], object]:
    def tell(text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{name}: {text}")
        sys.stderr.flush()

    return tell


def page(drawn: CampaignReportDocument, base: CampaignReportDocument, timed: CampaignReportDocument) -> str:
    """Return the page as Markdown."""
    parts = [INTRODUCTION, *_effect(drawn), *_rates(base, "8", "GPT-3.5 at 4 actions, GPT-4 at 8", "rates")]
    parts += _errors(base, "3", ERROR_TYPES[:4], TABLE_3)
    parts += _causes(base, "4", TABLE_4)
    parts += _topics(base)
    parts += _rates(timed, "9", "GPT-3.5 at 3 actions, GPT-4 at 5 (the last of its agents)", "rates-timed")
    parts += _errors(timed, "6", ERROR_TYPES, TABLE_6)
    parts += _causes(timed, "7", TABLE_7)
    return "\n".join(parts)


def _effect(found: CampaignReportDocument) -> Iterator[str]:
    yield "## Table 2: errors found, and the time it took\n"
    yield f"{found.cases} queries, each with 3 to 5 actions, drawn. Times are minutes and seconds.\n"
    heading = (
        "Agent",
        "Generated",
        "Errors (% of total)",
        "Z3-Count",
        "Z3-Time",
        "Synthesis-Time",
        "Agent-Time",
    )
    yield from _table(heading, (_effect_row(*one) for one in found.arms.items()))
    yield TABLE_2.join(("_The paper's:_\n\n" + _head(heading) + "\n", "\n"))
    yield (
        "The agents' times are simulated. Synthesis asks Z3 only for what its own search does not answer, so the "
        "counts of Z3 are lower than the paper's.\n"
    )


def _effect_row(name: str, arm: CampaignArmDocument) -> tuple[str, ...]:
    share = interval(wilson(arm.errors, arm.generated))
    return (
        _model(name), f"{arm.generated:,}", f"{arm.errors} ({percent(arm.errors / arm.generated)}; {share})",
        f"{arm.z3_checks:,}", duration(arm.z3_ms / 1000), duration(arm.synthesis_ms / 1000), duration(arm.agent_s),
    )  # fmt: skip


def _rates(found: CampaignReportDocument, figure: str, theirs: str, picture: str) -> Iterator[str]:
    yield f"## Figure {figure}: success rates by number of actions\n"
    yield f"![Success rate of each simulated model, by number of actions](paper-{picture}.svg)\n"
    ns = sorted({cell.actions for cell in found.cells})
    rows = []
    for name in found.arms:
        cells = {cell.actions: cell for cell in found.cells if cell.arm == name}
        limit = found.limit[name]
        rows.append((_model(name), *(_rate(cells[n]) for n in ns), "-" if limit is None else str(limit)))
    yield from _table(("Agent", *map(str, ns), "limit"), rows)
    yield f"The limit is the first number of actions with under 20 % right. In the paper: {theirs}.\n"


def _rate(cell: CampaignCellDocument) -> str:
    return f"{percent(cell.rate)} ({interval(cell.ci)})"


def _errors(found: CampaignReportDocument, table: str, kinds: Sequence[str], theirs: str) -> Iterator[str]:
    yield f"## Table {table}: types of errors\n"
    yield "Of queries with fewer actions than the limit.\n"
    heading = ("Agent", *(terms.said(kind) for kind in kinds))
    yield from _shares(found, heading, kinds, "error_types")
    yield theirs.join(("_The paper's:_\n\n" + _head(heading) + "\n", "\n"))


def _causes(found: CampaignReportDocument, table: str, theirs: str) -> Iterator[str]:
    yield f"## Table {table}: root causes\n"
    yield (
        f"Up to {max((arm.dissected for arm in found.arms.values()), default=0)} errors of each agent, of queries with "
        f"fewer actions than the limit, dissected with at most 60 runs each.\n"
    )
    yield from _shares(found, ("Agent", *map(terms.cause, CAUSES)), CAUSES, "causes")
    yield theirs.join(("_The paper's:_\n\n" + _head(("Agent", *map(terms.cause, CAUSES[:5]))) + "\n", "\n"))


def _shares(
    found: CampaignReportDocument, heading: Sequence[str], kinds: Sequence[str], field: str
) -> Iterator[str]:
    rows = []
    for name, arm in found.arms.items():
        counts: dict[str, int] = getattr(arm, field)
        total = sum(counts.values())
        assert set(counts) <= set(kinds), counts
        rows.append((_model(name), *(_share(counts.get(kind, 0), total) for kind in kinds)))
    yield from _table(heading, rows)


def _share(count: int, total: int) -> str:
    return f"{percent(count / total)} ({interval(wilson(count, total))})" if total else "-"


def _topics(found: CampaignReportDocument) -> Iterator[str]:
    yield "## Table 5: topics that cause the most errors\n"
    yield "Dissected errors whose cause is the topic, and beside them the share of wrong runs of that topic.\n"
    yield from _table(("Topic", "Caused", "Wrong", "95 % interval"), map(_topic, found.topics[:5]))
    yield f"{sum(not one.caused for one in found.topics)} of {len(found.topics)} topics cause no dissected error.\n"
    yield TABLE_5.join(("_The paper's:_\n\n" + _head(("Model", "Topics", "Topics with none")) + "\n", "\n"))


def _topic(one: CampaignTopicDocument) -> tuple[str, ...]:
    return one.topic, str(one.caused), f"{one.wrong}/{one.runs} ({percent(one.rate)})", interval(one.ci)


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "\n".join([_head(heading), *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _head(heading: Sequence[str]) -> str:
    return f"| {' | '.join(heading)} |\n|{' --- |' * len(heading)}"


def _model(arm: str) -> str:
    return arm.partition("/")[2]


def rates(found: CampaignReportDocument) -> str:
    """Return the success rates as one picture: a line a model."""
    lines = {
        model: [Point(c.actions, c.rate, c.ci) for c in cells if c.rate is not None and c.ci is not None]
        for model, cells in _by_model(found).items()
    }
    return rates_svg("simulated models", lines, LIMIT_RATE, paper=True)


def _by_model(found: CampaignReportDocument) -> dict[str, list[CampaignCellDocument]]:
    models: dict[str, list[CampaignCellDocument]] = {}
    for cell in found.cells:
        models.setdefault(cell.model, []).append(cell)
    return models


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--errors", type=int, default=ERRORS)
    parser.add_argument("--folder", type=Path, default=DOCS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        drawn = run(DRAWN, Path(folder), 0)
        base, timed = (run(plan, Path(folder), args.errors) for plan in (BASE, TIMED))
    sys.stderr.write("\r\x1b[K")
    (args.folder / "paper.md").write_text(page(drawn, base, timed), "utf-8")
    for name, found in (("rates", base), ("rates-timed", timed)):
        (args.folder / f"paper-{name}.svg").write_text(rates(found), "utf-8")


if __name__ == "__main__":
    main()
