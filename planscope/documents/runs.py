"""Recorded runs as documents: what ``run`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from planscope.documents.judgement import verdict_document

if TYPE_CHECKING:
    from planscope.agents.rates import Rate
    from planscope.oracle.verdict_types import Verdict
    from planscope.session.costs import Cost
    from planscope.session.model import Run


def run_document(run: Run, verdict: Verdict, cost: Cost, session: str) -> dict[str, Any]:
    """One run with all its events. ``session`` is the name of the file that it is in."""
    return {
        "run": run.id,
        "session": session,
        "agent": run.agent,
        "model": run.model,
        "events": [event.model_dump(mode="json", exclude_none=True) for event in run.events],
        "check": verdict_document(verdict),
        "cost": asdict(cost),
    }


def runs_document(
    runs: Sequence[Run], verdicts: Sequence[Verdict], costs: Sequence[Cost], rate: Rate, session: str
) -> dict[str, Any]:
    """Many runs of one agent and model, at least one, each with its verdict and cost; and how many are right."""
    return {
        "session": session,
        "agent": runs[0].agent,
        "model": runs[0].model,
        "runs": [
            {
                "run": run.id,
                "seed": run.seed,
                "verdict": verdict.verdict,
                "error_type": verdict.error_type,
                "cost": asdict(cost),
            }
            for run, verdict, cost in zip(runs, verdicts, costs, strict=True)
        ],
        "success": {
            "right": rate.right,
            "counted": rate.counted,
            "rate": rate.rate,
            "low": rate.low,
            "high": rate.high,
            "aborted": rate.aborted,
            "unknown": rate.unknown,
            "errors": rate.errors,
        },
    }
