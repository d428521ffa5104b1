"""What a dissection found: the cause and its reason, the rates of each kind of query as bars, and every mutant."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.dissection.evidence import SAME
from planscope.dissection.paper import rounds
from planscope.dissection.summary import CellView, Row, Summary
from planscope.dissection.told import sentences_of
from planscope.session.model import Dissection
from planscope.show.blocks import GAP, Block, Code, Para, Table
from planscope.wording.phrases import interval, percent, plural
from planscope.wording.terms import MUTATIONS, OUTCOME_GLYPHS, OUTCOME_LEGEND, said

BAR = 14
"""The width in cells of the bar that means 100 %."""

_COLUMN = 22


def dissection_blocks(found: Summary, record: Dissection, where: str) -> Iterator[Block]:
    """Return a dissection. ``where``: the file that holds it."""
    decision = found.decision
    yield from map(Para, sentences_of(found))
    if found.culprit is not None:
        yield Para(f"Cured ({found.culprit.variant}): {found.culprit.cured}")
    if record.method == "paper":
        yield Para(f"First success (paper): K is {rounds(record.budget)}, which is (budget - 3) / 3.")
    if decision.missing is not None:
        yield Para(f"What would help: {decision.missing}.")
    if record.stopped not in (None, "budget", "user"):
        yield Para(f"It ended early: {record.stopped}")
    rows = [row for row in found.rows if row.cells or row.closed]
    if any(row.cells for row in rows):
        yield GAP
        yield Para("Rates  (right runs, mutants, 95 % interval)")
        yield Table([_rate(row) for row in rows if row.cells])
        yield GAP
        yield Para(f"Mutants  ({OUTCOME_LEGEND})")
        yield from (Para(_cells(row), "  ", label=MUTATIONS[row.kind], column=_COLUMN) for row in rows)
    yield GAP
    yield Code([f"dissection {record.id}, {found.runs} runs; recorded in {where}"])


def _rate(row: Row) -> tuple[str, ...]:
    rate = row.rate
    if rate.rate is None:
        return MUTATIONS[row.kind], "none of 0", "", bar(0.0), ""
    shown = f"{percent(rate.rate)} ({interval((rate.low, rate.high))})"
    tried = "" if row.kind in SAME else plural(row.mutants, "mutant")
    return MUTATIONS[row.kind], f"{rate.right} of {rate.counted}", tried, bar(rate.rate), shown


def _cells(row: Row) -> str:
    """Return the mutants of a kind, the errors in their runs, and why there are no more mutants."""
    errors = [f"{said(kind)} {count}" for kind, count in row.rate.errors.items()]
    errors += [f"aborted {row.rate.aborted}"] if row.rate.aborted else []
    errors += [f"helped {row.rate.helped}"] if row.rate.helped else []
    told = f"({', '.join(errors)})" if errors else ""
    closed = f"no more: {row.closed}" if row.closed else ""
    return "  ".join(filter(None, (" ".join(map(_cell, row.cells)), told, closed)))


def _cell(cell: CellView) -> str:
    counts = cell.counts
    return f"{OUTCOME_GLYPHS[cell.outcome]}{f'{counts.right}/{counts.runs}' if counts.runs > 1 else ''}"


def bar(rate: float) -> str:
    """Return a bar for a rate from 0 to 1."""
    full = round(rate * BAR)
    return "█" * full + "░" * (BAR - full)
