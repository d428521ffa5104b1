"""The answer: the step that is most likely to blame, how likely, why, and the chain from there to where it shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from planscope.cause.provenance import Source
from planscope.cause.ranking import WEIGHTS, marks, shares
from planscope.cause.signs import TOLD, Break, Evidence, Sign, evidence
from planscope.language.calls import path_text
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import Blame, Came, Link, StepNo, Suspect, Verdict
from planscope.rules.judge import Tested
from planscope.rules.many import Judged
from planscope.rules.rule import RuleFile
from planscope.wording.terms import FINDINGS

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

SURE = 0.5
"""A step is named if it is this likely. In a run that is known to have gone wrong it need only be likelier than
"none"; in others its place at the end alone names no step."""


NOT_SOUGHT = "not sought further, because the trace is too large"
"""The reason of an answer that names no step because the search has ended."""
FROM_VALUES: frozenset[Sign] = frozenset(
    ("nowhere", "misread", "apart", "denied", "other", "failed", "ignored", "slip", "empty")
)
"""Signs by which provenance leads to a step."""
MOST_LINKS = 6


def breaks_of(results: Iterable[Tested]) -> list[Break]:
    """Return the broken rules by the first step that breaks each."""
    found = [
        Break(one.broken_at[0], one.rule.name or one.rule.text) for one in results if one.state == "broken"
    ]
    return sorted(found, key=lambda one: _rank(one.step))


def _rank(step: StepNo) -> float:
    return float("inf") if step == "end" else step


def find_cause(
    trace: Trace, breaks: Sequence[Break] = (), file: RuleFile | None = None, lost: StepNo | None = None
) -> Blame:
    """Return the answer for a trace. ``breaks``: as of ``breaks_of``. ``file``: its marks say which tools only read; of
    others their names say it. ``lost``: the first lost step, if it is known; else the first that breaks a rule."""
    found = evidence(trace, breaks, file)
    shows = breaks[0].step if breaks else None
    lost = shows if lost is None else lost
    if found.sources.left < 0:
        return Blame(None, 0.0, (NOT_SOUGHT,), lost, shows, lost)
    likely = shares(marks(found))
    none = likely[None]
    best = max(found.by_step, key=lambda step: likely.get(step, 0.0), default=None)
    placed = best is not None and found.by_step[best].keys() <= {"last", "amends"}
    if best is None or likely[best] < (none if found.wrong else SURE) or (placed and not found.wrong):
        suspect = None
        if best is not None and not found.withdrawn:
            suspect = Suspect(best, likely[best] / (1 - none), tuple(_signs(found, best).values()))
        return Blame(None, none, lost=lost, shows=shows, origin=lost, suspect=suspect)
    signs = _signs(found, best)
    chain = tuple(_chain(found, best, shows))
    named = len(chain) > 1 + (shows not in (None, best)) or not FROM_VALUES.isdisjoint(signs)
    tool = trace.calls[best - 1].tool if best != "end" else "the end"
    rule = next((one.rule for one in breaks if one.step == best), "")
    first = next(iter(signs))
    label = f"{tool} violates {rule}" if first == "break" else f"{tool} {TOLD[first]}"
    sources = tuple(map(_came, found.sources.by_step.get(best, ()))) if best != "end" else ()
    origin = best if named or lost is None else lost
    return Blame(best, likely[best], tuple(signs.values()), lost, shows, origin, chain, label, sources)


def _signs(found: Evidence, step: StepNo) -> dict[Sign, str]:
    """Return what speaks for a step, the clearest first."""
    return dict(
        sorted(found.by_step[step].items(), key=lambda one: (one[0] != "break", -WEIGHTS.get(one[0], 0.0)))
    )


def add_cause(judged: Judged, file: RuleFile) -> None:
    """Add the answer to a judged trace that went wrong, or that no rule was asked about."""
    trace, checked = judged.trace, judged.checked
    if trace is not None:
        lost = checked.why.step if checked.why is not None else None
        checked.cause = find_cause(trace, breaks_of(checked.results), file, lost)


def find_in_run(run: Replay, verdict: Verdict) -> Blame:
    """Return the answer for a run of a session."""
    errors = [finding for finding in verdict.findings if finding.severity == "error"]
    said = run.problem.by_id
    breaks = [
        Break(
            one.step, "; ".join(said[c].title or said[c].text for c in one.constraints) or FINDINGS[one.type]
        )
        for one in errors
    ]
    # As for a trace: no run but a wrong one tells where it was lost.
    first = verdict.first_violation if verdict.verdict == "wrong" else None
    lost = first.step if first is not None else None
    return find_cause(run.trace, sorted(breaks, key=lambda one: _rank(one.step)), lost=lost)


def _came(one: Source) -> Came:
    place = one.place
    if place is None:
        return Came(one.name, one.how)
    return Came(one.name, one.how, place.by, place.step or None, path_text(place.path))


def _chain(found: Evidence, cause: StepNo, shows: StepNo | None) -> Iterator[Link]:
    """Yield the cause, the calls that go on with its values, and where it shows."""
    yield Link(cause, next(iter(found.by_step[cause].values())))
    links = 0
    for step, sources in found.sources.by_step.items() if cause != "end" else ():
        if (
            step <= _rank(cause)
            or step >= _rank(shows if shows is not None else "end")
            or links == MOST_LINKS
        ):
            continue
        for one in sources:
            if one.first == cause:
                yield Link(step, f"it goes on with {one.name}")
            elif (
                one.like_id and one.place is not None and one.place.step == cause and one.place.by == "answer"
            ):
                at = f", {path_text(one.place.path)}" if one.place.path else ""
                yield Link(step, f"{one.name} is copied from the answer to step {cause}{at}")
            else:
                continue
            links += 1
            break
    if shows is not None and shows != cause:
        yield Link(shows, next(iter(found.by_step[shows].values())))
