"""A dissection as lines for a person: the cause with its reason, the matrix, the rates as bars."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planscope.dissection.evidence import SAME
from planscope.report import hanging, sentence, table
from planscope.wording import terms
from planscope.wording.phrases import plural

if TYPE_CHECKING:
    from planscope.dissection.summary import CellView, Row, Summary
    from planscope.session.model import Dissection

BAR = 14
"""Cells of a bar, which stands for a rate of 1."""

_COLUMN = 22


def summary_lines(found: Summary, record: Dissection, width: int) -> Iterator[str]:
    decision = found.decision
    sure = "" if decision.confidence is None else f", with a confidence of {percent(decision.confidence)}"
    if decision.cause is not None:
        yield f"Cause: {decision.cause}{sure}"
    elif decision.blameless:
        yield f"{terms.sentence(terms.NO_CAUSE)[:-1]}{sure}"
    else:
        yield "Undecided"
    yield from sentence(terms.sentence(decision.reason), width)
    if decision.missing is not None:
        yield from sentence(f"What would help: {decision.missing}.", width)
    if record.stopped not in (None, "budget", "user"):
        yield from sentence(f"It ended early: {record.stopped}", width)
    rows = [row for row in found.rows if row.cells or row.closed]
    if not any(row.cells for row in rows):
        return
    yield ""
    yield "Rates  (right runs, of how many mutants, with the interval of 95 %)"
    yield from table(_rate(row) for row in rows if row.cells)
    yield ""
    yield f"Mutants  ({terms.OUTCOME_LEGEND})"
    for row in rows:
        yield from hanging(f"  {terms.MUTATIONS[row.kind]}", _cells(row), _COLUMN, width)


def _rate(row: Row) -> tuple[str, ...]:
    rate = row.rate
    if rate.rate is None:
        return terms.MUTATIONS[row.kind], "none of 0", "", bar(0.0), ""
    interval = f"{percent(rate.rate)} ({percent(rate.low)} to {percent(rate.high)})"
    tried = "" if row.kind in SAME else plural(row.mutants, "mutant")
    return terms.MUTATIONS[row.kind], f"{rate.right} of {rate.counted}", tried, bar(rate.rate), interval


def _cells(row: Row) -> str:
    """The mutants, what was wrong with them, and why there are no more."""
    errors = [f"{terms.said(kind)} {count}" for kind, count in row.rate.errors.items()]
    errors += [f"aborted {row.rate.aborted}"] if row.rate.aborted else []
    errors += [f"helped {row.rate.helped}"] if row.rate.helped else []
    told = f"({', '.join(errors)})" if errors else ""
    closed = f"no more: {row.closed}" if row.closed else ""
    return "  ".join(filter(None, (" ".join(map(_cell, row.cells)), told, closed)))


def _cell(cell: CellView) -> str:
    counts = cell.counts
    return f"{terms.OUTCOME_GLYPHS[cell.outcome]}{f'{counts.right}/{counts.runs}' if counts.runs > 1 else ''}"


def bar(rate: float) -> str:
    """A bar for a rate from 0 to 1."""
    full = round(rate * BAR)
    return "█" * full + "░" * (BAR - full)


def percent(share: float) -> str:
    """As a whole number; 100 % only for what is."""
    shown = round(share * 100)
    return f"{99 if shown == 100 and share < 1 else shown} %"
