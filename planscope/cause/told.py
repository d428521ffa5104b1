"""The answer in words: whether it is sought, the step it leads to, its sentence, its chain, where values came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from planscope.language.calls import path_text
from planscope.oracle.verdict_types import Blame, StepNo, Verdict, VerdictKind, cause_sought
from planscope.wording.phrases import percent, step_name, value
from planscope.wording.terms import NO_RETURN

if TYPE_CHECKING:
    from planscope.cause.provenance import Source
    from planscope.oracle.replay import Replay

_ALIKE = {
    "case": ", but for upper and lower case",
    "date": ", the same day",
    "unit": ", the same number",
    "sum": ", a sum or a difference there",
    "part": ", as part of a text",
}


def sought(run: Replay, verdict: VerdictKind) -> bool:
    """Return whether a run has a cause to look for. In a run of a query the lost step is the cause."""
    trace = run.trace
    unjudged = bool(run.problem.unjudged and trace.calls) and trace.ending != "running"
    return not run.asks and cause_sought(verdict, trace.reward, unjudged)


def cause_of(run: Replay, verdict: Verdict) -> Blame | None:
    """Return the answer for a run of a session, or None if it has no cause to look for."""
    if not sought(run, verdict.verdict):
        return None
    from planscope.cause.find import find_in_run  # imported late because most runs need none

    return find_in_run(run, verdict)


def led_to(cause: Blame | None, index_of: Mapping[StepNo, int]) -> int | None:
    """Return the index of the cause if it comes before the step where the run was lost, or if nothing was lost."""
    if cause is None or cause.step is None or cause.step not in index_of:
        return None
    at, lost = index_of[cause.step], index_of.get(cause.lost) if cause.lost is not None else None
    return at if lost is None or at < lost else None


def told(cause: Blame) -> str:
    """Say the answer as a sentence, not yet safe to display."""
    if cause.step is None and cause.reasons:
        return f"The cause was {cause.reasons[0]}."
    if cause.step is not None:
        return f"Most likely cause: {_named(cause.step, cause.confidence, cause.reasons)}."
    told = "No step stands out as the cause"
    if (one := cause.suspect) is not None:
        told += f"; if the run went wrong, it is most likely {_named(one.step, one.confidence, one.reasons)}"
    return f"{told}."


def _named(step: StepNo, confidence: float, reasons: tuple[str, ...]) -> str:
    return f"{step_name(step)} ({percent(confidence)}): {'; '.join(reasons)}"


def chain(cause: Blame) -> list[str]:
    """Return the way from the cause to where it shows, a line a step, not yet safe to display: ``step 7, origin: ...``.
    Nothing if it has one step."""
    said = {link.step: link.what for link in reversed(cause.chain)}
    if cause.lost is not None:
        said.setdefault(cause.lost, NO_RETURN)
    if cause.step is None or len(said) < 2:
        return []
    named = {"origin": cause.origin, "lost": cause.lost, "shows": cause.shows}
    order = sorted(said, key=lambda step: float("inf") if step == "end" else step)
    return [
        f"{', '.join([step_name(step), *(name for name, at in named.items() if at == step)])}: {said[step]}"
        for step in order
    ]


def given(source: Source) -> str:
    """Say an argument with its value: one text may have several numbers."""
    return f"{source.name} {value(source.value, 40)}"


def came_from(source: Source) -> str:
    """Say where the value of an argument stood before its call, not yet safe to display."""
    place = source.place
    if place is None:
        again = f", as at step {source.first}" if source.first not in (0, source.step) else ""
        return f"from nowhere{again}" if source.invented else "not found before it"
    where = {"user": "a turn of the user", "system": "the system prompt"}.get(place.by)
    if where is None:
        where = f"the answer to step {place.step}" + (f" at {path_text(place.path)}" if place.path else "")
    return where + _ALIKE.get(source.how, "")
