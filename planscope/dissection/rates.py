"""The method ``rates``: chooses the most informative next run, and names the cause from the counts of each arm."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from planscope.dissection.belief import ARMS, AVOIDS, NONE, SEVERAL, TWO, Belief, foresee, with_runs
from planscope.dissection.evidence import (
    CAUSES,
    CHANGED,
    SAME,
    Cause,
    Counts,
    Decision,
    Evidence,
    judged_mutants,
    of_kinds,
    total,
)
from planscope.frozen import frozen
from planscope.session.model import CellKind
from planscope.wording.phrases import percent, plural
from planscope.wording.terms import ARMS as ARMS_SAID
from planscope.wording.terms import MORE_CAUSES, MUTATIONS, NO_CAUSE

FIRST = 5
"""How often the unchanged query runs before anything else, because all other rates are compared with its rate."""


MOST_SAME = 12
"""The unchanged query runs no more often while something else can be run: other queries tell more."""


@frozen
class Pick:
    """The mutant to run next, by its place among those of its kind; None means a new mutant."""

    kind: CellKind
    place: int | None
    changes: tuple[int, ...] = ()
    """For ``Culprit``: the changes of a new query."""


def next_run(
    evidence: Evidence,
    closed: Collection[CellKind] = (),
    pending: Sequence[Pick] = (),
    *,
    failed: bool = True,
) -> Pick:
    """Return the most informative run. ``closed``: kinds of which no new mutant can be made. ``pending``: runs in
    progress.

    A run in progress counts with its likeliest result, so that the next one is not spent on the same question.
    ``failed``: the query is known to fail (see :func:`decide`); if it is not, a failure is looked for first.
    """
    known = imagined(evidence, pending)
    original = Pick("Original", 0 if known.get("Original") else None)
    if of_kinds(known, SAME).runs < FIRST or not (failed or of_kinds(evidence, SAME).wrong):
        return original
    belief = Belief(known)
    wanted = unheard(known, belief)
    if wanted and wanted not in closed:
        blank = next((i for i, m in enumerate(known.get(wanted, ())) if not m.runs), None)
        return Pick(wanted, blank)
    picks = [original] if of_kinds(known, SAME).runs < MOST_SAME else []
    for kind in CHANGED:
        mutants = known.get(kind, ())
        # Of mutants that change the same and went the same way, the first one stands for all.
        alike = {(place % 2, counts): place for place, counts in reversed([*enumerate(mutants)])}
        picks += [Pick(kind, place) for place in alike.values()]
        picks += [Pick(kind, None)] if kind not in closed else []
    return max(
        picks or [original], key=lambda pick: round(foresee(known, belief, pick.kind, pick.place)[1], 9)
    )


def imagined(evidence: Evidence, pending: Sequence[Pick]) -> Evidence:
    """Return the evidence with the likeliest result of every run in progress, one after the other."""
    for pick in pending:
        share, _ = foresee(evidence, Belief(evidence), pick.kind, pick.place)
        evidence = with_runs(evidence, pick.kind, pick.place, Counts(1, 0) if share >= 0.5 else Counts(0, 1))
    return evidence


NAMED = 0.5
"""The least probability at which a cause is named once the budget is spent."""

SURE = 0.98
"""At this probability no more runs are spent."""

SPOTLESS = 12
"""After this many right runs without a wrong one, there is nothing to dissect."""

VOICES = 3
"""A kind speaks for a cause only when this many different mutants of it were right."""

HEARD = 0.85
"""At this probability other mutants are run rather than the same ones again, until enough of them spoke."""

_QUIET = (0.5, 0.85, 0.94)
"""The highest confidence by the number of different mutants that speak for a cause."""

BOTH = 0.5
"""Two causes are stated from this probability on."""

_OPEN = 0.1
"""While the probability of two causes is between this and ``BOTH``, more runs are spent."""

SPEAKS_FOR: dict[Cause, CellKind] = {
    "Terminal": "TerminalSubstitute",
    "Topic": "TopicChange",
    "Structure": "QuerySynthesize",
    "Constraint": "Control",
}


def decide(evidence: Evidence, *, failed: bool = False) -> Decision:
    """Name the cause, or say that it is undecided and what would help.

    ``failed``: this model failed on this query before, in a run that is not in the evidence (it was picked because
    it failed, so it says nothing about how often that happens).
    """
    same = of_kinds(evidence, SAME)
    if not failed and same.wrong == 0:
        return _spotless(same)
    belief = Belief(evidence)
    lead, share = stated(evidence, belief)
    likely = belief.told()
    settled = _settled(evidence, belief)
    if share < NAMED:
        helps = f"more runs; next of “{MUTATIONS[next_run(evidence).kind]}”, which tell most"
        return Decision(None, None, _unclear(likely), helps, likely)
    if lead == NONE:
        helps = "an easier query, or another model: it fails at fresh queries of this size as well"
        return Decision(None, share, _hopeless(evidence), helps, likely, settled, blameless=True)
    causes = sorted(((c, belief.of(c)) for c in TWO.get(lead, ())), key=lambda c: -c[1])
    if causes:
        reason = reason_for_several(evidence, lead)
    else:
        causes = [(next(c for c in CAUSES if c == lead), share)]
        reason = reason_for(causes[0][0], evidence)
    return Decision(causes[0][0], share, reason, None, likely, settled, causes=tuple(causes))


def spoken(evidence: Evidence, name: str) -> int:
    """Return how many different mutants speak for a cause: they change what it says, and are right more often than
    wrong."""
    if " or " in name:
        return min(spoken(evidence, cause) for cause in TWO[name])
    if name not in AVOIDS:
        return VOICES
    own = [evidence.get(kind, ())[places] for arm, (kind, places) in ARMS.items() if AVOIDS[name][arm] == 1]
    return sum(m.right > m.wrong for mutants in own for m in mutants)


def stated(evidence: Evidence, belief: Belief) -> tuple[str, float]:
    """Return the likeliest cause or causes, and the confidence to state: one or two mutants are not enough."""
    two, share = belief.two()
    lead = two if share >= BOTH and spoken(evidence, two) >= VOICES else belief.best()
    heard = spoken(evidence, lead)
    sure = share if lead == two else belief.of(lead)
    return lead, min(sure, _QUIET[heard] if heard < VOICES else 1.0)


def unheard(evidence: Evidence, belief: Belief) -> CellKind | None:
    """Return the kind that needs another mutant though the likeliest cause is clear: too few different ones spoke."""
    two, share = belief.two()
    lead = two if share >= NAMED else belief.best()
    if lead != two and belief.of(lead) < HEARD:
        return None
    for name in TWO[lead] if " or " in lead else (lead,):
        if spoken(evidence, name) < VOICES:
            return next(kind for arm, (kind, _) in ARMS.items() if AVOIDS[name][arm] == 1)
    return None


def reason_for_several(evidence: Evidence, lead: str) -> str:
    """Return one sentence with the rates that indicate two causes at once."""
    as_is = f"the unchanged query was right {times(of_kinds(evidence, SAME))}"
    others = _each(evidence, CHANGED[:3])
    if " or " in lead:
        return f"{as_is}, but {others}"
    return f"{as_is}, {others}, but {ARMS_SAID['Combined']} it was right {often(evidence, 'Combined')}"


def is_settled(evidence: Evidence, *, failed: bool = False) -> bool:
    """Return :attr:`Decision.settled` without computing the whole decision."""
    same = of_kinds(evidence, SAME)
    if not failed and same.wrong == 0:
        return same.runs >= SPOTLESS
    return _settled(evidence, Belief(evidence))


def _settled(evidence: Evidence, belief: Belief) -> bool:
    lead, share = stated(evidence, belief)
    clear = lead in TWO or belief.two()[1] <= _OPEN
    return clear and share >= SURE and unheard(evidence, belief) is None


def _spotless(same: Counts) -> Decision:
    """Return the decision if no failure of this query has been seen."""
    if same.runs == 0:
        return Decision(None, None, "no run can be judged yet", f"{FIRST} runs of the unchanged query")
    if same.runs < SPOTLESS:
        more = SPOTLESS - same.runs
        reason = f"the unchanged query was right in {all_of(same.runs)}"
        return Decision(None, None, reason, f"a run that fails, or {more} more of the unchanged query")
    reason = f"there is nothing to dissect: the unchanged query was right in {all_of(same.runs)}"
    return Decision(None, None, reason, "a run that fails", settled=True, blameless=True)


def reason_for(cause: Cause, evidence: Evidence) -> str:
    """Return one sentence with the rates that indicate the cause."""
    same = of_kinds(evidence, SAME)
    as_is = f"the unchanged query was right {times(same)}"
    if cause == "Probability":
        if not of_kinds(evidence, CHANGED).runs:
            return f"{as_is}, and it is the same query each time"
        return f"{as_is}, and changed {often(evidence, *CHANGED)}: it comes and goes, whatever is changed"
    kind = SPEAKS_FOR[cause]
    before = [k for k in CHANGED[: CHANGED.index(kind)] if total(evidence.get(k, ())).runs]
    verb = "were" if cause == "Constraint" else "it was"
    if before and cause == "Constraint":
        as_is += f", however it was worded {often(evidence, *before)}"
    elif before:
        as_is += f", {_each(evidence, before)}"
    return f"{as_is}, but {ARMS_SAID[kind]} {verb} right {often(evidence, kind)}"


def _each(evidence: Evidence, kinds: Sequence[CellKind]) -> str:
    return " and ".join(f"{ARMS_SAID[k]} {often(evidence, k)}" for k in kinds if of_kinds(evidence, [k]).runs)


def _hopeless(evidence: Evidence) -> str:
    rest = times(of_kinds(evidence, (*SAME, *CHANGED[:-1])))
    return (
        f"nothing in this query is to blame: it was right {rest}, and fresh queries of the same size were right "
        f"{often(evidence, 'Control')}"
    )


def _unclear(likely: Mapping[str, float]) -> str:
    ranked = sorted(likely.items(), key=lambda item: -item[1])[:2]
    names = {NONE: NO_CAUSE, SEVERAL: MORE_CAUSES}
    shown = " or ".join(f"{names.get(n, n)} ({percent(p)})" for n, p in ranked if p >= 0.01)
    return f"the runs do not decide yet; most likely: {shown}"


def times(counts: Counts) -> str:
    """Return a count such as "3 of 12 times"."""
    return f"{counts.right} of {counts.runs} times"


def often(evidence: Evidence, *kinds: CellKind) -> str:
    """Return a count such as "9 of 10 times (5 mutants)": runs of one mutant are not as many mutants."""
    tried = sum(map(judged_mutants, (evidence.get(kind, ()) for kind in kinds)))
    counts = of_kinds(evidence, kinds)
    return times(counts) if tried == counts.runs else f"{times(counts)} ({plural(tried, 'mutant')})"


def all_of(runs: int) -> str:
    return "its only run" if runs == 1 else f"all of its {runs} runs"
