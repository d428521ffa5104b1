"""How the session's runs came out, for lists of them: judged one after another in a thread, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planscope.tui.controllers.document import Document, Outcome, RunKey

if TYPE_CHECKING:
    from planscope.language.problem import Problem
    from planscope.session.model import Run, Session


def outcomes_of(document: Document) -> dict[str, Outcome]:
    """What is known of the session's runs, by their ids."""
    session = document.session
    runs = session.runs if session is not None else ()
    found = ((run.id, document.outcomes.get(_key(session, run))) for run in runs)  # type: ignore[arg-type]  # it is there
    return {id: outcome for id, outcome in found if outcome is not None}


def not_judged(document: Document) -> list[Run]:
    """The runs that are over and were not judged yet as they are now, the last ones first."""
    session = document.session
    if session is None:
        return []
    going = document.under_way | document.passing
    runs = (run for run in reversed(session.runs) if run.id not in going)
    return [run for run in runs if _key(session, run) not in document.outcomes]


def judge_runs(session: Session, runs: Sequence[Run]) -> Iterator[tuple[RunKey, Outcome]]:
    """Judge runs of a session, one after another. For a thread."""
    from planscope.dissection.summary import judged, readable

    problems: dict[str, Problem | None] = {}
    variants = {variant.id: variant for variant in session.variants}
    for run in runs:
        if run.variant not in problems:
            problems[run.variant] = readable(variants.get(run.variant))
        verdict = judged(problems[run.variant], run)
        named = verdict.headline.type if verdict.headline is not None else ""
        yield _key(session, run), (verdict.verdict, named)


def _key(session: Session, run: Run) -> RunKey:
    return session.id, run.id, len(run.events)
