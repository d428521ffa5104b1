"""A dissection as a document: what ``dissect --json`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planscope.documents.query import constraint_document
from planscope.language.reading import ParseFailure
from planscope.session.derive import problem_of

if TYPE_CHECKING:
    from planscope.agents.rates import Rate
    from planscope.dissection.summary import CellView, Summary
    from planscope.session.model import Dissection, Session


def dissection_document(found: Summary, record: Dissection, session: str | None) -> dict[str, Any]:
    """``session`` is the name of the file that it is in."""
    decision = found.decision
    return {
        "session": session,
        "dissection": record.id,
        "variant": record.variant,
        "run": record.run,
        "agent": record.agent,
        "model": record.model,
        "seed": record.seed,
        "method": record.method,
        "budget": record.budget,
        "runs": found.runs,
        "cause": decision.cause,
        "confidence": None if decision.confidence is None else round(decision.confidence, 4),
        "reason": decision.reason,
        "missing": decision.missing,
        "blameless": decision.blameless,
        "likely": {name: round(share, 4) for name, share in decision.likely.items()},
        "stopped": record.stopped,
        "rates": {row.kind: arm_document(row.rate) for row in found.rows},
        "cells": [cell_document(cell) for row in found.rows for cell in row.cells],
        "closed": dict(record.closed),
    }


def arm_document(rate: Rate) -> dict[str, Any]:
    """How often one kind of request is right."""
    return {
        "runs": rate.counted,
        "right": rate.right,
        "rate": rate.rate,
        "low": rate.low,
        "high": rate.high,
        "aborted": rate.aborted,
        "errors": rate.errors,
    }


def cell_document(cell: CellView) -> dict[str, Any]:
    return {
        "kind": cell.kind,
        "number": cell.number,
        "variant": cell.variant,
        "outcome": cell.outcome,
        "error_type": cell.error_type,
        "runs": [{"run": r.run, "verdict": r.verdict, "error_type": r.error_type} for r in cell.runs],
    }


def say_constraints(session: Session, dissection: Dissection) -> None:
    """Write into the mutants what their texts ask for, as all other variants of a session have it."""
    wanted = {cell.variant for cell in dissection.cells}
    for variant in session.variants:
        if variant.id in wanted and not variant.constraints:
            try:
                problem = problem_of(variant)
            except ParseFailure:
                continue
            variant.constraints = [constraint_document(c) for c in problem.constraints]
