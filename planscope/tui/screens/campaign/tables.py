"""The tables of a campaign (paper, Tables 2 to 7): each row is a cell of runs, which can be listed and opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from planscope.campaign.cases import LIMIT_RATE
from planscope.campaign.result import CampaignArmDocument, CampaignReportDocument
from planscope.tui.controllers.campaign_view import Wanted
from planscope.tui.panes.columns import Column
from planscope.tui.panes.dissect_lines import BAR, bar_runs
from planscope.tui.style.lines import Run, shown
from planscope.wording import terms
from planscope.wording.phrases import duration, interval, percent, share

TABLES = ("rates", "totals", "errors", "causes", "topics")
_GAP = 2
_BELOW = "of queries below the limit"
_NARROWEST = 20
"""The first column keeps this many cells."""


class Row(NamedTuple):
    """A row: its texts by column, the runs that it counts, and a rate to draw as a bar, with its interval, in a role.

    Only what went wrong is drawn as ``broken``; how often an agent was right has the colour of rates, however often.
    """

    texts: tuple[str, ...]
    wanted: Wanted
    rate: float | None = None
    ends: tuple[float, float] | None = None
    role: str = "broken"


class Table(NamedTuple):
    """``right``: the columns that are set at the right, as numbers are."""

    heading: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    right: frozenset[int] = frozenset()
    note: str = ""


def table_of(found: CampaignReportDocument, name: str) -> Table:
    """Return one of the tables."""
    heads, rows, note = {
        "rates": _rates,
        "totals": _totals,
        "errors": _errors,
        "causes": _causes,
        "topics": _topics,
    }[name](found)
    names = heads.split(" | ")
    right = frozenset(k for k, head in enumerate(names) if head.startswith(">"))
    return Table(tuple(head.removeprefix(">") for head in names), tuple(rows), right, note)


_Made = tuple[str, Iterable[Row], str]
"""The names of a table's columns (``>`` marks numbers), its rows, and a note."""


def _some(count: int) -> str:
    return str(count or "")


def _rates(found: CampaignReportDocument) -> _Made:
    rows = (
        Row(
            (
                cell.arm,
                str(cell.actions),
                f"{cell.right}/{cell.right + cell.wrong}",
                percent(cell.rate),
                interval(cell.ci),
                *map(_some, (cell.aborted, cell.unknown, cell.helped)),
            ),
            Wanted(cell.arm, cell.actions),
            cell.rate,
            cell.ci,
            "tool",
        )
        for cell in found.cells
    )
    limits = sum(n is not None for n in found.limit.values())
    heads = "agent/model | >actions | >right | >rate | 95 % interval | >aborted | >undecided | >helped"
    limit = f"their limit, under {percent(LIMIT_RATE)} right"
    return heads, rows, f"{limits} of {len(found.limit)} reached {limit}"


def _totals(found: CampaignReportDocument) -> _Made:
    heads = "agent/model | >runs | >wrong | >limit | >agent time | >tokens | >money"
    heads += " | >synthesis | >Z3 | >Z3 checks"
    rows = (_total_row(name, arm, found.limit[name]) for name, arm in found.arms.items())
    return heads, rows, ""


def _total_row(name: str, arm: CampaignArmDocument, limit: int | None) -> Row:
    tokens = arm.input_tokens + arm.output_tokens
    texts = (
        name,
        str(arm.generated),
        share(arm.errors, arm.generated),
        "-" if limit is None else str(limit),
        duration(arm.agent_s),
        f"{tokens:,}" if tokens else "-",
        "-" if arm.money is None else f"{arm.money:.2f}",
        duration(arm.synthesis_ms / 1000),
        duration(arm.z3_ms / 1000),
        f"{arm.z3_checks:,}",
    )
    return Row(texts, Wanted(name))


def _shares(
    found: CampaignReportDocument,
    field: Literal["error_types", "causes"],
    wanted: Callable[[str, str], Wanted],
    said: Callable[[str], str],
) -> Iterator[Row]:
    """Yield a row for each type or cause of an arm, the most frequent first."""
    for name, arm in found.arms.items():
        mine: dict[str, int] = getattr(arm, field)
        total = sum(mine.values())
        for one, count in sorted(mine.items(), key=lambda item: (-item[1], item[0])):
            texts = (name, said(one), str(count), percent(count / total))
            yield Row(texts, wanted(name, one), count / total)


def _errors(found: CampaignReportDocument) -> _Made:
    rows = _shares(found, "error_types", lambda arm, one: Wanted(arm, error_type=one, below=True), terms.said)
    return "agent/model | type of error | >runs | >share", rows, _BELOW


def _causes(found: CampaignReportDocument) -> _Made:
    rows = _shares(found, "causes", lambda arm, one: Wanted(arm, cause=one, below=True), terms.cause)
    return "agent/model | cause | >runs | >share", rows, f"of {found.dissected} dissected errors"


def _topics(found: CampaignReportDocument) -> _Made:
    rows = (
        Row(
            (
                one.topic,
                _some(one.caused),
                f"{one.wrong}/{one.runs}",
                percent(one.rate),
                interval(one.ci),
            ),
            Wanted(topic=one.topic, verdict="wrong", below=True),
            one.rate,
            one.ci,
        )
        for one in found.topics
    )
    return "topic | >caused errors | >wrong | >share | 95 % interval", rows, _BELOW


def columns_of(table: Table, width: int) -> tuple[Column[Row], ...]:
    """Return the columns that fit into ``width`` cells. Empty ones are left out; the first always fits."""
    if not table.rows:
        return ()
    texts = list(zip(table.heading, *(row.texts for row in table.rows), strict=True))
    used = [k for k, (_, *cells) in enumerate(texts) if any(text not in ("", "-") for text in cells)]
    wide = [max(map(len, texts[k])) for k in used]
    least = min(wide[0], _NARROWEST)
    room, kept = width - 2 - least, 1
    while kept < len(used) and room - _GAP - wide[kept] >= 0:
        room -= _GAP + wide[kept]
        kept += 1
    first = min(wide[0], _NARROWEST + room)
    rated = any(row.rate is not None for row in table.rows)
    bar = rated and room - (first - least) >= BAR + _GAP

    def column(k: int, size: int, last: bool) -> Column[Row]:
        gap = 0 if last else _GAP
        name, right, strong = table.heading[k], k in table.right, k == used[0]
        return Column(name, size, lambda row: [Run(shown(row.texts[k], 200))], gap, right, strong)

    sizes = zip(used, [first, *wide[1:kept]], strict=False)
    made = [column(k, size, k == used[kept - 1] and not bar) for k, size in sizes]
    if bar:
        made.append(Column("", 0, _bar, gap=0))
    return tuple(made)


def _bar(row: Row) -> list[Run]:
    if row.rate is None:
        return []
    low, high = row.ends or (row.rate, row.rate)
    return bar_runs(row.rate, low, high, row.role)
