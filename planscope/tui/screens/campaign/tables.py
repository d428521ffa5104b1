"""The tables of a campaign (paper, Tables 2 to 7): each row is a cell of runs, which can be listed and opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from planscope.campaign.report import ArmReport, Report
from planscope.tui.controllers.campaign_view import Wanted
from planscope.tui.panes.columns import Column
from planscope.tui.style.lines import Run, shown
from planscope.wording import terms
from planscope.wording.phrases import duration, interval, percent, share

TABLES = ("rates", "totals", "errors", "causes", "topics")
TITLES = {
    "rates": "Success rates",
    "totals": "Errors and times",
    "errors": "Types of errors",
    "causes": "Causes",
    "topics": "Topics",
}
BAR = 16
_GAP = 2
_NARROWEST = 20
"""The first column keeps this many cells."""


class Row(NamedTuple):
    """A row: its texts by column, the runs that it counts, and a rate to draw as a bar."""

    texts: tuple[str, ...]
    wanted: Wanted
    rate: float | None = None


class Table(NamedTuple):
    """``right``: the columns that are set at the right, as numbers are. ``role``: of the bars."""

    heading: tuple[str, ...]
    rows: tuple[Row, ...]
    right: frozenset[int]
    note: str = ""
    role: str = "broken"


def table_of(found: Report, name: str) -> Table:
    """Return one of the tables."""
    return {"rates": _rates, "totals": _totals, "errors": _errors, "causes": _causes, "topics": _topics}[
        name
    ](found)


def _rates(found: Report) -> Table:
    rows = tuple(
        Row(
            (
                cell.arm,
                str(cell.actions),
                f"{cell.right}/{cell.right + cell.wrong}",
                percent(cell.rate),
                interval(cell.ci),
                str(cell.aborted or ""),
                str(cell.unknown or ""),
                str(cell.helped or ""),
            ),
            Wanted(cell.arm, cell.actions),
            cell.rate,
        )
        for cell in found.cells
    )
    heading = ("agent/model", "actions", "right", "rate", "95 % interval", "aborted", "undecided", "helped")
    limits = [f"{n}" for n in found.limit.values() if n is not None]
    return Table(
        heading,
        rows,
        frozenset({1, 2, 3, 5, 6, 7}),
        f"{len(limits)} of {len(found.limit)} reached their limit",
    )


def _totals(found: Report) -> Table:
    rows = tuple(_total_row(name, arm, found.limit[name]) for name, arm in found.arms.items())
    heading = (
        "agent/model",
        "runs",
        "wrong",
        "limit",
        "agent",
        "tokens",
        "money",
        "synthesis",
        "Z3",
        "checks",
    )
    return Table(heading, rows, frozenset(range(1, 10)), "checks: of Z3, in synthesis")


def _total_row(name: str, arm: ArmReport, limit: int | None) -> Row:
    texts = (
        name, str(arm.generated), share(arm.errors, arm.generated),
        "-" if limit is None else str(limit), duration(arm.agent_s),
        f"{arm.input_tokens + arm.output_tokens:,}" if arm.input_tokens + arm.output_tokens else "-",
        "-" if arm.money is None else f"{arm.money:.2f}", duration(arm.synthesis_ms / 1000), duration(arm.z3_ms / 1000),
        f"{arm.z3_checks:,}",
    )  # fmt: skip
    return Row(texts, Wanted(name, verdict="wrong"))


def _shares(
    found: Report, counts: Callable[[ArmReport], dict[str, int]], wanted: Callable[[str, str], Wanted],
    said: Callable[[str], str], kind: str, note: str,
) -> Table:  # fmt: skip
    rows = []
    for name, arm in found.arms.items():
        mine = counts(arm)
        total = sum(mine.values())
        for one, count in sorted(mine.items(), key=lambda item: (-item[1], item[0])):
            texts = (name, said(one), str(count), percent(count / total))
            rows.append(Row(texts, wanted(name, one), count / total))
    return Table(("agent/model", kind, "runs", "share"), tuple(rows), frozenset({2, 3}), note)


def _errors(found: Report) -> Table:
    return _shares(
        found,
        lambda arm: arm.error_types,
        lambda name, kind: Wanted(name, error_type=kind, below=True),
        terms.said,
        "type of error",
        "of queries below the limit",
    )


def _causes(found: Report) -> Table:
    return _shares(
        found,
        lambda arm: arm.causes,
        lambda name, cause: Wanted(name, cause=cause, below=True),
        terms.cause,
        "cause",
        f"of {found.dissected} dissected errors",
    )


def _topics(found: Report) -> Table:
    rows = tuple(
        Row(
            (
                one.topic,
                str(one.caused or ""),
                f"{one.wrong}/{one.runs}",
                percent(one.rate),
                interval(one.ci),
            ),
            Wanted(topic=one.topic, verdict="wrong", below=True),
            one.rate,
        )
        for one in found.topics
    )
    heading = ("topic", "caused", "wrong", "share", "95 % interval")
    note = "caused: dissected errors with this cause" if any(one.caused for one in found.topics) else ""
    return Table(heading, rows, frozenset({1, 2, 3}), note)


class Chosen(NamedTuple):
    """A row, and whether the cursor is on it."""

    row: Row
    chosen: bool


def columns_of(table: Table, width: int) -> tuple[Column[Chosen], ...]:
    """Return the columns that fit into ``width`` cells. Empty ones are left out; the first always fits."""
    if not table.rows:
        return ()
    used = [k for k in range(len(table.heading)) if any(row.texts[k] not in ("", "-") for row in table.rows)]
    wide = [max(len(table.heading[k]), *(len(row.texts[k]) for row in table.rows)) for k in used]
    bars = any(row.rate is not None for row in table.rows)
    least = min(wide[0], _NARROWEST)
    room, kept = width - 2 - least, 1
    while kept < len(used) and room - _GAP - wide[kept] >= 0:
        room -= _GAP + wide[kept]
        kept += 1
    first = min(wide[0], _NARROWEST + room)
    bar = bars and room - (first - least) >= BAR + _GAP

    def column(place: int, size: int) -> Column[Chosen]:
        k = used[place]

        def cell(thing: Chosen) -> list[Run]:
            return [Run(shown(thing.row.texts[k], 200), "strong" if thing.chosen and not place else "")]

        last = place == kept - 1 and not bar
        return Column(table.heading[k], size, cell, gap=0 if last else _GAP, right=k in table.right)

    made = [column(place, size) for place, size in enumerate([first, *wide[1:kept]])]
    if bar:
        made.append(Column("", 0, lambda thing: _bar(thing.row.rate, table.role), gap=0))
    return tuple(made)


def _bar(rate: float | None, role: str) -> list[Run]:
    if rate is None:
        return []
    halves = round(rate * BAR * 2)
    full = "█" * (halves // 2) + "▌" * (halves % 2)
    return [Run(full, role), Run("·" * (BAR - len(full)), "faint")]


def as_text(table: Table) -> str:
    """Return the whole table as text."""
    rows = [table.heading, *(row.texts for row in table.rows)]
    sizes = [max(len(row[k]) for row in rows) for k in range(len(table.heading))]
    lines = (
        "  ".join(text.ljust(size) for text, size in zip(row, sizes, strict=True)).rstrip() for row in rows
    )
    return "".join(f"{one}\n" for one in lines)
