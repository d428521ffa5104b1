"""The bundled sessions that show the five causes of a failure, each with the dissection that names it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from planscope.dissection.engine import Dissector
from planscope.dissection.evidence import Cause
from planscope.dissection.options import DissectOptions
from planscope.session.model import CULPRIT_BUDGET, MessageEvent, Origin, Run, Session, make_variant
from planscope.synthesis.generate import synthesize
from planscope.synthesis.request import Request

CAUSES: dict[Cause, tuple[str, int, str]] = {
    "Probability": ("sim:flaky?p=0.5", 5, "now right, now wrong, whatever the words"),
    "Terminal": ("sim:word-blind", 5, "certain words are taken for their opposites"),
    "Topic": ("sim:topic-blind", 1, "two activities of this job are taken for one another"),
    "Structure": ("sim:clause-blind", 19, "relative clauses are skipped"),
    "Constraint": ("sim:constraint-blind", 3, "a certain shape of constraints is too much for it"),
}
"""The model that plants each cause, the seed of a request that it concerns, and what goes wrong."""


def dissected(
    cause: Cause, simulated: Callable[..., Run], steady: Callable[[Run], Run], made: datetime
) -> Session:
    """A request whose run fails, and the dissection of it."""
    model, seed, about = CAUSES[cause]
    case = synthesize(Request(actions=5, seed=seed, repeats=True))
    variant = make_variant(case.problem, Origin(kind="synthesized"), topic=case.topic, seed=seed)
    session = Session(
        id=f"cause-{cause.lower()}",
        title=f"Cause: {cause.lower()}",
        notes=f"The agent fails because {about}; the dissection (m) tells it from the other causes.",
        created=made,
        variants=[variant],
        runs=[steady(simulated(variant, 1, model))],
    )
    dissector = Dissector(
        session, variant, DissectOptions(model=model, culprit_budget=CULPRIT_BUDGET), run=session.runs[0]
    )
    dissector.go()
    record = dissector.add_to(session)
    session.dissections[:] = [record.model_copy(update={"started": made})]
    session.runs[:] = [session.runs[0], *(slim(steady(run)) for run in session.runs[1:])]
    return session


def slim(run: Run) -> Run:
    """A run of a mutant without the copies of its messages, which are there to fork from."""
    events = [
        event.model_copy(update={"message": None}) if isinstance(event, MessageEvent) else event
        for event in run.events
    ]
    return run.model_copy(update={"events": events})


def makers(simulated: Callable[..., Run], steady: Callable[[Run], Run]) -> dict[str, Callable[[], Session]]:
    """What makes each, by the name of its file."""
    made = datetime(2026, 11, 21, tzinfo=UTC)
    return {f"cause-{cause.lower()}": partial(dissected, cause, simulated, steady, made) for cause in CAUSES}
