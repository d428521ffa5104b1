"""All reasons as a document: what ``planscope reasons`` prints."""

from __future__ import annotations

from typing import Any

from planscope.oracle.reason_types import Reasons
from planscope.oracle.reason_words import describe_core, describe_correction
from planscope.oracle.walk import Walk


def reasons_document(
    run: Walk, found: Reasons, run_id: str | None = None, certified: bool | None = None
) -> dict[str, Any]:
    """``certified``: did Z3 confirm each of them? None: it was not asked, or gave up."""
    return {
        "run": run_id,
        "step": found.step,
        "state": run.steps[found.index].state,
        "cores": [
            {
                "constraints": list(core.constraints),
                "steps": list(core.steps),
                "foreseeable": core.foreseeable,
                "explanation": describe_core(run, core),
            }
            for core in found.cores
        ],
        "corrections": [
            {
                "constraints": list(correction.constraints),
                "steps": list(correction.steps),
                "explanation": describe_correction(run, found.index, correction),
            }
            for correction in found.corrections
        ],
        "complete": found.complete,
        "ended": found.ended,
        "certified": certified,
    }
