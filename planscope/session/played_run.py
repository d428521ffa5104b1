"""A plan that a person played, kept as a run of the session."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Protocol

from planscope.language.prompts import prompt_for
from planscope.oracle.trace import Call
from planscope.session.derive import variant_of
from planscope.session.events import AnswerEvent, CallEvent, EndEvent, Event, PromptEvent
from planscope.session.kept_events import events_up_to
from planscope.session.mock_answers import answer_to
from planscope.session.model import ForkPoint, Run, Session, Variant
from planscope.session.new_parts import next_run_id

AGENT = "person"
MODEL = "played by hand"
"""What such a run says of who made it."""


class PlayedCalls(Protocol):
    """What is kept of ``planscope.debugger.played.Played``."""

    @property
    def kept(self) -> tuple[Call, ...]: ...
    @property
    def calls(self) -> tuple[Call, ...]: ...


def as_run(session: Session, run: Run | None, played: PlayedCalls, *, variant: Variant | None = None) -> Run:
    """What was played, as a run of its own that begins with the first calls of ``run`` and ends there.

    It belongs to the variant of ``run``; where nothing was run yet (None), to ``variant``, by default the newest.
    Each call is answered as its mock tool does. The session is not changed: append the run to ``session.runs``.
    Raises ValueError where ``run`` has fewer calls than ``played`` kept, or the session no request at all.
    """
    recorded = sum(isinstance(e, CallEvent) for e in run.events) if run is not None else 0
    if len(played.kept) > recorded:
        raise ValueError(f"{len(played.kept)} calls were kept of a run that has {recorded}")
    if run is not None:
        variant = variant_of(session, run)
    elif variant is None:
        if not session.variants:
            raise ValueError("the session holds no request")
        variant = session.variants[-1]
    step = len(played.kept)
    kept = events_up_to(run, step) if run is not None else []
    at = max((e.at for e in kept), default=0.0)
    if not kept:
        kept = [PromptEvent(text=prompt_for(variant.query.text, timed=variant.query.timed))]
    return Run(
        id=next_run_id(session),
        variant=variant.id,
        forked_from=ForkPoint(run=run.id, step=step) if run is not None else None,
        agent=AGENT,
        model=MODEL,
        started=datetime.now(UTC),
        events=[*kept, *_events(variant, played.calls, step, at), EndEvent(at=at, ending="stopped")],
    )


def _events(variant: Variant, calls: tuple[Call, ...], step: int, at: float) -> Iterator[Event]:
    """The calls with their answers; nobody waits for either, so no time passes."""
    for number, call in enumerate(calls, step + 1):
        arguments = None if call.arguments is None else dict(call.arguments)
        yield CallEvent(at=at, step=number, tool=call.tool, arguments=arguments, error=call.error)
        text, executed = answer_to(call.tool, call.arguments, variant.actions, timed=variant.query.timed)
        yield AnswerEvent(at=at, step=number, text=text, status="ok" if executed else "error")
