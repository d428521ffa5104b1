"""What a campaign found (Tables 2 to 7 of the paper), its runs, and two arms compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from planscope.campaign.cases import LIMIT_RATE
from planscope.campaign.result import CampaignArmDocument, CampaignReportDocument, ComparedArmsDocument
from planscope.documents.campaign import CampaignCaseDocument, CampaignListDocument
from planscope.drawing.rates import Point, rates_svg
from planscope.show.blocks import Block, Heading, Own, Para, Picture, Table
from planscope.stats import LEVEL
from planscope.wording import terms
from planscope.wording.phrases import difference, duration, interval, p_value, percent, share

MOST_TOPICS = 5
"""The paper shows five topics (Table 5)."""

BAR = 20
FULL, HALF, EMPTY = "█", "▌", "·"


def report_blocks(found: CampaignReportDocument) -> Iterator[Block]:
    """Return the whole report."""
    language = "with clock times" if found.timed else "without clock times"
    yield Heading((Own("Campaign "), found.name))
    yield Para(Own(f"{found.cases} queries {language}, {found.runs} runs, seed {found.seed}."))
    yield Heading("Success rates by number of actions", 3)
    yield from _plots(found)
    yield from rate_blocks(found)
    yield Heading("Errors, Z3's checks and times", 3)
    yield _effect(found)
    yield from _kinds(found, "Types of errors, of queries below the limit", "error_types", "no errors")
    yield from cause_blocks(found)
    yield Heading("Topics, by errors that the topic causes, then by the share of wrong runs", 3)
    yield Table(
        [
            (
                one.topic,
                Own(one.caused),
                Own(f"{one.wrong}/{one.runs}"),
                Own(percent(one.rate)),
                Own(interval(one.ci)),
            )
            for one in found.topics[:MOST_TOPICS]
        ],
        ("topic", "caused", "wrong", "share", "95 % interval"),
    )
    if found.dissected:
        none = sum(not one.caused for one in found.topics)
        yield Para(Own(f"{none} of {len(found.topics)} topics cause no dissected error"))


def _plots(found: CampaignReportDocument) -> Iterator[Block]:
    """Return a plot for each model, with a line an agent; of one agent, one plot with a line a model."""
    agents = {cell.agent for cell in found.cells}
    plots: dict[str, dict[str, list[Point]]] = {}
    for cell in found.cells:
        title, line = (cell.agent, cell.model) if len(agents) == 1 else (cell.model, cell.agent)
        if cell.rate is not None and cell.ci is not None:
            plots.setdefault(title, {}).setdefault(line, []).append(Point(cell.actions, cell.rate, cell.ci))
    for title, lines in plots.items():
        yield Picture(title, rates_svg(title, lines, LIMIT_RATE))


def rate_blocks(found: CampaignReportDocument) -> Iterator[Block]:
    """Return the success rates by number of actions (Figures 8 and 9), and each arm's limit."""
    rows = [
        (
            cell.arm,
            Own(cell.actions),
            Own(f"{cell.right}/{cell.right + cell.wrong}"),
            Own(percent(cell.rate)),
            Own(interval(cell.ci)),
            Own("" if cell.rate is None else bar_of(cell.rate)),
            Own(cell.aborted or ""),
            Own(cell.helped or ""),
        )
        for cell in found.cells
    ]
    yield Table(rows, ("agent/model", "actions", "right", "rate", "95 % interval", "", "aborted", "helped"))
    for arm, limit in found.limit.items():
        said = "no limit found" if limit is None else f"limit {limit} actions (fewer than 20 % are right)"
        yield Para((arm, Own(f": {said}")))


def bar_of(rate: float) -> str:
    """Return a rate as a bar of 20 cells."""
    halves = round(rate * BAR * 2)
    bar = FULL * (halves // 2) + HALF * (halves % 2)
    return bar + EMPTY * (BAR - len(bar))


def _effect(found: CampaignReportDocument) -> Block:
    """Return errors, Z3's checks and the times of each arm (Table 2)."""
    rows = [
        (
            name,
            Own(arm.generated),
            Own(share(arm.errors, arm.generated)),
            Own(arm.z3_checks),
            *(Own(duration(took)) for took in (arm.z3_ms / 1000, arm.synthesis_ms / 1000, arm.agent_s)),
            Own(arm.input_tokens + arm.output_tokens or "-"),
            Own("-" if arm.money is None else f"{arm.money:.2f}"),
        )
        for name, arm in found.arms.items()
    ]
    head = ("agent/model", "runs", "wrong", "Z3 checks", "Z3", "synthesis", "agent", "tokens", "money")
    return Table(rows, head)


def cause_blocks(found: CampaignReportDocument) -> Iterator[Block]:
    """Return the causes of dissected errors (Tables 4 and 7)."""
    none = f"no error was dissected yet; planscope campaign dissect {found.name}"
    title = (
        f"Causes of {found.dissected} dissected errors, of queries below the limit"
        if found.dissected
        else "Causes"
    )
    yield from _kinds(found, title, "causes", none)


def _kinds(found: CampaignReportDocument, title: str, field: str, none: str) -> Iterator[Block]:
    """Return the shares of types of errors (Tables 3 and 6), or of causes, of each arm."""
    yield Heading(title, 3)
    kinds: Mapping[str, int] = getattr(found, field)
    if not kinds:
        yield Para(none, "  ")
        return
    said = terms.said if field == "error_types" else terms.cause

    def row(name: str, arm: CampaignArmDocument) -> tuple[str, ...]:
        counts: Mapping[str, int] = getattr(arm, field)
        total = sum(counts.values()) if field == "error_types" else arm.dissected
        shares = (Own(share(counts.get(kind, 0), total)) for kind in kinds)
        return (name, *shares, *([] if field == "error_types" else [Own(arm.dissected)]))

    head = ("agent/model", *map(said, kinds), "dissected")
    yield Table([row(*one) for one in found.arms.items()], head)


def case_table(runs: Sequence[CampaignCaseDocument], search: str = "") -> Block:
    """Return runs as a table."""
    if not runs:
        return Para("no such runs")
    rows = [
        (
            Own(run.case),
            run.arm,
            run.topic,
            Own(terms.said(run.error_type or run.verdict)),
            Own("" if run.lost is None else "the end" if run.lost == "end" else f"step {run.lost}"),
            Own(run.calls),
        )
        for run in runs
    ]
    return Table(rows, ("case", "agent/model", "topic", "outcome", "lost at", "calls"), search=search)


def compared_blocks(found: ComparedArmsDocument, detect: float | None) -> Iterator[Block]:
    """Return the comparison of two arms."""
    if found.p is None or found.ci is None or found.difference is None:
        yield Para(f"{found.a} and {found.b} have no judged case in common")
    else:
        judged = "better" if found.difference > 0 else "worse"
        said = f"{found.b} is {judged}" if found.p < LEVEL else "no difference was found"
        size, low, high = map(difference, (found.difference, *found.ci))
        yield Para(f"{said}: {size} (95 % interval {low} to {high}, {p_value(found.p)})")
        yield Para(
            f"{found.pairs} cases: {found.both} right in both, {found.only_a} only with {found.a}, {found.only_b} "
            f"only with {found.b}, {found.neither} with neither"
        )
        if found.left_out:
            yield Para(
                f"{found.left_out} more cases were left out: a run of them was aborted, undecided or helped"
            )
    if found.needed is not None:
        size = "this difference" if detect is None else f"a difference of {percent(detect)}"
        yield Para(f"{found.needed} cases find {size} with 80 % power")
    yield Para(found.method)


def list_table(found: CampaignListDocument) -> Block:
    """Return the list of campaigns."""
    rows = [
        (one.name, (one.made or "")[:10], Own(one.cases), Own(one.runs), one.trouble or ", ".join(one.arms))
        for one in found.campaigns
    ]
    return Table(rows, ("name", "made", "cases", "runs", "agents and models"), indent="")
