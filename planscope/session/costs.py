"""What a run took: model calls, tokens as the provider counts them, and seconds."""

from __future__ import annotations

from dataclasses import dataclass

from planscope.session.events import MessageEvent
from planscope.session.model import Run


@dataclass(frozen=True, slots=True)
class Cost:
    """``input_tokens`` and ``output_tokens`` are None where no answer tells them. ``seconds``: of the whole run.

    What a fork kept from another run is not counted.
    """

    model_calls: int
    input_tokens: int | None
    output_tokens: int | None
    seconds: float
    model_seconds: float


def cost_of(run: Run) -> Cost:
    """Added up over the run's own events."""
    own = [e for e in run.events if not e.kept]
    said = [e for e in own if isinstance(e, MessageEvent)]
    counted = [e.usage for e in said if e.usage is not None]
    begin = max((e.at for e in run.events if e.kept), default=0.0)
    return Cost(
        model_calls=len(said),
        input_tokens=sum(u.input_tokens for u in counted) if counted else None,
        output_tokens=sum(u.output_tokens for u in counted) if counted else None,
        seconds=round(max((e.at for e in own), default=begin) - begin, 6),
        model_seconds=round(sum(e.took for e in said), 6),
    )
