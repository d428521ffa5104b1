"""Lists the runs of a session: how each ended, where it was lost, filters and their counts, a histogram."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from planscope.frozen import frozen
from planscope.oracle.verdict_types import graded
from planscope.session.tally import Outcome, Tally
from planscope.wording.phrases import outcome, plural
from planscope.wording.terms import ORIGINS, PENDING, VERDICTS, said

if TYPE_CHECKING:
    from planscope.language.problem import Problem
    from planscope.oracle.replay import Replay
    from planscope.oracle.verdict_types import Blame, Verdict
    from planscope.session.model import Run, Session, Variant
    from planscope.session.oracle_input import ProblemIn
    from planscope.session.record import RunRecord

NO_CAUSE = "no cause in the trace"
MOST_BARS = 30
"""Up to this number of steps, the histogram shows all of them; beyond it, only those at which a run was lost."""


def outcomes_of_runs(
    session: Session,
    runs: Iterable[Run],
    problem_in: ProblemIn,
    cause_of: Callable[[Replay, Verdict], Blame | None] | None = None,
) -> Iterator[Outcome]:
    """Judge runs one by one, and yield each outcome; ``unknown`` if the query cannot be read.

    ``problem_in``: ``planscope.rules.in_session.problem_in``, and ``cause_of``: ``planscope.cause.told.cause_of``, for
    the causes of runs that only rules judge; this layer may not import them.
    """
    from planscope.errors import UserError
    from planscope.language.reading import ActionNameError, ParseFailure
    from planscope.oracle.replay import replay
    from planscope.session.traces import trace_of

    variants = {variant.id: variant for variant in session.variants}
    problems: dict[str, Problem | None] = {}
    for run in runs:
        if run.variant not in problems:
            try:
                problems[run.variant] = problem_in(session, variants[run.variant])
            except (KeyError, ParseFailure, ActionNameError, UserError):
                problems[run.variant] = None
        if (problem := problems[run.variant]) is None:
            yield Outcome("unknown")
            continue
        judged = replay(problem, trace_of(run))
        outcome = outcome_of(verdict := judged.verdict(), run)
        if cause_of is not None:
            blame = cause_of(judged, verdict)
            outcome = outcome._replace(cause="" if blame is None else blame.label or NO_CAUSE)
        yield outcome


def outcome_of(verdict: Verdict, run: Run) -> Outcome:
    """Return what lists say of a judged run."""
    named, first = verdict.headline, verdict.first_violation
    lost = str(first.step) if first is not None and verdict.verdict == "wrong" else ""
    calls = (event for event in run.events if event.type == "call")
    return Outcome(
        verdict.verdict,
        named.type if named is not None else "",
        lost,
        next((call.tool for call in calls if str(call.step) == lost), ""),
        verdict.error_type or "",
        str(named.step) if named is not None else "",
        (verdict.reason or "") if verdict.verdict == "aborted" else "",
        graded(run.reward, verdict.verdict),
        verdict.judged,
    )


@frozen
class ListedRun:
    """A run in the list. ``number`` counts from 1. ``outcome`` is None until it is judged. ``trial``: a dissection
    made it."""

    number: int
    run: RunRecord
    outcome: Outcome | None = None
    trial: bool = False

    @property
    def failed(self) -> bool:
        return (self.outcome and self.outcome.verdict) == "wrong" or self.run.reward == 0

    @property
    def lost(self) -> str:
        return self.outcome.lost if self.outcome is not None else ""

    @property
    def verdict(self) -> str:
        """The outcome in words, with a grade and the help, not made safe: ``order error, graded 0``."""
        came_out = self.outcome
        told = outcome(came_out.told, came_out.headline) if came_out is not None else PENDING
        return (
            told
            + (f", {came_out.grade}" if came_out is not None and came_out.grade else "")
            + self.run.help.note
        )

    @property
    def where(self) -> str:
        """Where the run was lost, in words: ``lost at step 2``, or ""."""
        return f"lost {step_words(self.lost)}" if self.lost else ""


def listed_runs(
    session: Session, numbered: Iterable[tuple[int, Run]], problem_in: ProblemIn
) -> Iterator[ListedRun]:
    """Judge runs of a session, each with its number from 1, for a list. ``problem_in``: as for
    :func:`outcomes_of_runs`."""
    from planscope.session.record import record_of

    chosen, trials = list(numbered), trials_of(session)
    outcomes = outcomes_of_runs(session, [run for _, run in chosen], problem_in)
    for (number, run), came_out in zip(chosen, outcomes, strict=True):
        yield ListedRun(number, record_of(run), came_out, run.id in trials)


def trials_of(session: Session) -> set[str]:
    """Return the ids of the runs that dissections made."""
    return {run for one in session.dissections for cell in one.cells for run in cell.runs}


# Filters

FacetKind = Literal["verdict", "error", "cause", "lost", "tool", "finding", "query", "model", "agent", "made"]


class Facet(NamedTuple):
    """A filter: runs with this verdict, type of error, step that lost the plan, model, agent, query or maker; findings
    of this tool or kind."""

    kind: FacetKind
    value: str

    @property
    def text(self) -> str:
        """The filter in words: ``wrong``, ``order error``, ``lost at step 2``, ``model sim:careful``."""
        if self.kind in ("verdict", "error"):
            return said(self.value)
        if self.kind == "lost":
            return f"lost {step_words(self.value)}"
        return self.value if self.kind in ("made", "finding", "cause") else f"{self.kind} {self.value}"


MINE, TRIALS, HELPED = "not of a dissection", "of a dissection", "helped"
KINDS: tuple[FacetKind, ...] = get_args(FacetKind)


def step_words(step: str) -> str:
    """Return a step that lost a plan, in words: ``at step 2``, ``at the end``, ``before any call``."""
    return "at the end" if step == "end" else "before any call" if step == "0" else f"at step {step}"


def facets_of(one: ListedRun) -> set[Facet]:
    """Return all filters that find a run."""
    run = one.run
    found = {Facet("model", run.model), Facet("agent", run.helped_agent), Facet("query", run.variant)}
    found.add(Facet("made", TRIALS if one.trial else MINE))
    if run.help:
        found.add(Facet("made", HELPED))
    if one.outcome is not None:
        found.add(Facet("verdict", one.outcome.told))
        if one.outcome.headline:
            found.add(Facet("error", one.outcome.headline))
        if one.lost:
            found.add(Facet("lost", one.lost))
        if one.outcome.cause:
            found.add(Facet("cause", one.outcome.cause))
    return {facet for facet in found if facet.value}


def counts_of(things: Iterable[Collection[Facet]]) -> list[tuple[Facet, int]]:
    """Return all filters that divide things, each given by its filters, with their number of things, by kind."""
    found = list(things)
    counts = Counter(facet for facets in found for facet in facets)

    def order(item: tuple[Facet, int]) -> tuple[int, int]:
        facet, count = item
        step = int(facet.value) if facet.value.isdigit() else 1 << 60
        return KINDS.index(facet.kind), step if facet.kind == "lost" else -count

    return sorted(((f, n) for f, n in counts.items() if n < len(found)), key=order)


def matches(one: ListedRun, words: str, facets: Collection[Facet]) -> bool:
    """Return whether a run has every word, and the filters find it."""
    text = _haystack(one)
    return passes(facets_of(one), facets) and all(word in text for word in words.casefold().split())


def passes(has: Collection[Facet], wanted: Collection[Facet]) -> bool:
    """Return whether a thing has at least one filter of each kind that is set."""
    return {facet.kind for facet in wanted} == {facet.kind for facet in wanted if facet in has}


def _haystack(one: ListedRun) -> str:
    run = one.run
    texts = [str(one.number), run.id, *(facet.text for facet in facets_of(one))]
    if run.forked_from is not None:
        texts.append(f"forked from {run.forked_from.run}")
    if one.outcome is not None:
        texts += [VERDICTS[one.outcome.told], one.outcome.headline, one.outcome.tool, one.outcome.grade]
    return "\n".join(texts).casefold()


def query_matches(variant: Variant, words: str) -> bool:
    """Return whether a query has every word in its id, its origin or its text."""
    origin = variant.origin.mutation or variant.origin.kind
    text = f"{variant.id}\n{origin}\n{ORIGINS.get(origin, origin)}\n{variant.query.text}".casefold()
    return all(word in text for word in words.casefold().split())


# Where they were lost


class Loss(NamedTuple):
    """One step of the histogram. ``by``: the tools called there, or else the errors, with the number of runs."""

    step: str
    runs: int
    by: tuple[tuple[str, int], ...]


@frozen
class Losses:
    """The histogram of the steps that lost runs. ``rest``: words about runs that no step lost."""

    rows: tuple[Loss, ...]
    lost: int
    total: int
    rest: str

    @property
    def most(self) -> int:
        return max((row.runs for row in self.rows), default=0)


def losses_of(runs: Sequence[ListedRun]) -> Losses:
    """Return the histogram of the steps that lost these runs."""
    by: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in runs:
        if one.outcome is not None and one.lost:
            by[one.lost][one.outcome.tool or outcome(one.outcome.told, one.outcome.headline)] += 1
    numbers = sorted(int(step) for step in by if step.isdigit())
    steps = [str(number) for number in numbers]
    if numbers and numbers[-1] - numbers[0] < MOST_BARS:
        steps = [str(number) for number in range(numbers[0], numbers[-1] + 1)]
    steps += [step for step in by if not step.isdigit()]
    rows = tuple(Loss(step, by[step].total(), tuple(by[step].most_common())) for step in steps)
    lost = sum(row.runs for row in rows)
    return Losses(rows, lost, len(runs), _rest(runs))


def _rest(runs: Iterable[ListedRun]) -> str:
    counts = Counter("pending" if one.outcome is None else one.outcome.told for one in runs if not one.lost)
    nowhere = ", lost at no step"
    parts = [
        f"{counts[kind]:,} {word}{nowhere * (kind == 'wrong')}"
        for kind, word in VERDICTS.items()
        if counts[kind]
    ]
    parts += [f"{counts['pending']:,} {PENDING}"] if counts["pending"] else []
    return ", ".join(parts)


def tally(runs: Iterable[ListedRun]) -> Tally:
    """Count these runs by verdict, as lists of sessions count them."""
    return Tally.of((one.outcome, bool(one.run.help)) for one in runs if one.outcome is not None)


def loss_lines(losses: Losses, width: int) -> Iterator[str]:
    """Yield the histogram as plain text. The longest bar has ``width`` cells."""
    yield f"lost: {losses.lost:,} of {plural(losses.total, 'run')}" + (
        f"; {losses.rest}" if losses.rest else ""
    )
    for row in losses.rows:
        bar = "#" * max(round(row.runs * width / max(losses.most, 1)), 1 if row.runs else 0)
        by = ", ".join(f"{name} {count}" for name, count in row.by)
        name = "end" if row.step == "end" else f"step {row.step}"
        yield f"  {name:<8} {bar:<{width}} {row.runs:>4}  {by}".rstrip()
