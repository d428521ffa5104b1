"""The method ``rates``: chooses the most informative next run, and names the cause from the counts of each arm."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from planscope.dissection.belief import NONE, SEVERAL, Belief
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
from planscope.session.model import CellKind
from planscope.wording.phrases import percent, plural
from planscope.wording.terms import ARMS, MORE_CAUSES, MUTATIONS, NO_CAUSE

FIRST = 5
"""How often the unchanged query runs before anything else, because all other rates are compared with its rate."""

_WORTH = 1e-9


@dataclass(frozen=True, slots=True)
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
    same = of_kinds(known, SAME)
    if same.runs < FIRST or not (failed or of_kinds(evidence, SAME).wrong):
        return Pick("Original", 0 if known.get("Original") else None)
    belief = Belief(known)
    wanted = unheard(known, belief)
    if wanted and wanted not in closed:
        blank = next((i for i, m in enumerate(known.get(wanted, ())) if not m.runs), None)
        return Pick(wanted, blank)
    best, most = Pick("Original", 0 if known.get("Original") else None), belief.gain("Original")
    for kind in CHANGED:
        mutants = known.get(kind, ())
        places: dict[Counts, int | None] = {Counts(): None} if kind not in closed else {}
        for place, counts in reversed(list(enumerate(mutants))):
            places[counts] = place
        for counts, where in places.items():
            gain = belief.gain(kind, counts)
            if gain > most + _WORTH:
                best, most = Pick(kind, where), gain
    return best


def imagined(evidence: Evidence, pending: Sequence[Pick]) -> Mapping[CellKind, list[Counts]]:
    """Return the evidence with the likeliest result of every run in progress, one after the other."""
    known = {kind: list(mutants) for kind, mutants in evidence.items()}
    for pick in pending:
        mutants = known.setdefault(pick.kind, [])
        if pick.place is None or pick.place >= len(mutants):
            mutants.append(Counts())
            place = len(mutants) - 1
        else:
            place = pick.place
        right, _ = Belief(known).foresee(pick.kind, mutants[place])
        mutants[place] += Counts(1, 0) if right >= 0.5 else Counts(0, 1)
    return known


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

BOTH = 0.9
"""A second cause is stated from this probability on."""

_AHEAD = (5, 10, 20, 40, 80)
"""Numbers of further runs to try when estimating how many are missing."""

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
    best = belief.best()
    share = stated(evidence, belief)
    likely = dict(belief.likely)
    settled = share >= SURE and unheard(evidence, belief) is None
    if share < NAMED:
        return Decision(None, None, _unclear(belief), missing(evidence, belief, best), likely)
    if best == NONE:
        helps = "an easier query, or another model: it fails at fresh queries of this size as well"
        return Decision(None, share, _hopeless(evidence), helps, likely, settled, blameless=True)
    if best == SEVERAL:
        causes = _pair(evidence, share)
        reason = reason_for_several(evidence)
        return Decision("Topic", share, reason, None, likely, settled, causes=causes)
    cause: Cause = next(c for c in CAUSES if c == best)
    causes = ((cause, share),)
    if cause == "Terminal":
        also = by_topic_too(belief)
        if also >= BOTH and spoken(evidence, "Topic") >= VOICES:
            causes = (*causes, ("Topic", also))
    return Decision(cause, share, reason_for(cause, evidence), None, likely, settled, causes=causes)


def voice_of(name: str) -> CellKind | None:
    """Return the kind of mutants that must be right if this is the cause."""
    return "Combined" if name == SEVERAL else next((k for c, k in SPEAKS_FOR.items() if c == name), None)


def spoken(evidence: Evidence, name: str) -> int:
    """Return how many different mutants speak for a cause: of its kind, and right more often than wrong."""
    kind = voice_of(name)
    return VOICES if kind is None else sum(m.right > m.wrong for m in evidence.get(kind, ()))


def stated(evidence: Evidence, belief: Belief) -> float:
    """Return the confidence to state for the likeliest cause: one or two mutants are not enough to be sure."""
    best = belief.best()
    heard = spoken(evidence, best)
    return min(belief.likely[best], _QUIET[heard] if heard < VOICES else 1.0)


def by_topic_too(belief: Belief) -> float:
    """Return the probability that another topic cures as well, if the words are the cause."""
    return belief.likely["Topic"] + belief.likely["Terminal"] * belief.also_dodges("Terminal", "TopicChange")


_ENOUGH = 6
"""After this many mutants about another topic, a second cause is not looked for any longer."""


def unheard(evidence: Evidence, belief: Belief) -> CellKind | None:
    """Return the kind that needs another mutant though the likeliest cause is clear: too few different ones spoke."""
    lead = belief.best()
    if belief.likely[lead] < HEARD:
        return None
    if spoken(evidence, lead) < VOICES:
        return voice_of(lead)
    if belief.likely[lead] < SURE:
        return None
    tried = judged_mutants(evidence.get("TopicChange", ()))
    if lead == "Terminal" and 0 < tried < _ENOUGH and spoken(evidence, "Topic") < VOICES:
        return "TopicChange" if by_topic_too(belief) >= NAMED else None
    return None


def _pair(evidence: Evidence, share: float) -> tuple[tuple[Cause, float], ...]:
    """Return the two causes of a fault that only changes of topic and words together avoid.

    Mutants with odd numbers keep the sentences: if they are right, the words are the other cause.
    """
    tried = evidence.get("Combined", ())
    words, sentences = total(tried[0::2]), total(tried[1::2])
    kept = (words.right + 1) / (words.runs + 2)
    changed = (sentences.right + 1) / (sentences.runs + 2)
    other: Cause = "Terminal" if kept >= changed / 2 else "Structure"
    return (("Topic", share), (other, share * (0.9 if words.runs else 0.6)))


def reason_for_several(evidence: Evidence) -> str:
    """Return one sentence with the rates that indicate two causes at once."""
    as_is = f"the unchanged query was right {times(of_kinds(evidence, SAME))}"
    others = " and ".join(
        f"{ARMS[k]} {often(evidence, k)}" for k in CHANGED[:3] if total(evidence.get(k, ())).runs
    )
    return f"{as_is}, {others}, but {ARMS['Combined']} it was right {often(evidence, 'Combined')}"


def is_settled(evidence: Evidence, *, failed: bool = False) -> bool:
    """Return :attr:`Decision.settled` without computing the whole decision."""
    same = of_kinds(evidence, SAME)
    if not failed and same.wrong == 0:
        return same.runs >= SPOTLESS
    belief = Belief(evidence)
    return stated(evidence, belief) >= SURE and unheard(evidence, belief) is None


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
    rises = f"{ARMS[kind]} it was right {often(evidence, kind)}"
    if cause == "Constraint":
        rises = f"{ARMS[kind]} were right {often(evidence, kind)}"
        if before:
            return f"{as_is}, however it was worded {often(evidence, *before)}, but {rises}"
        return f"{as_is}, but {rises}"
    if not before:
        return f"{as_is}, but {rises}"
    others = " and ".join(f"{ARMS[k]} {often(evidence, k)}" for k in before)
    return f"{as_is}, {others}, but {rises}"


def _hopeless(evidence: Evidence) -> str:
    rest = times(of_kinds(evidence, (*SAME, *CHANGED[:-1])))
    return (
        f"nothing in this query is to blame: it was right {rest}, and fresh queries of the same size were right "
        f"{often(evidence, 'Control')}"
    )


def _unclear(belief: Belief) -> str:
    ranked = sorted(belief.likely.items(), key=lambda item: -item[1])[:2]
    names = {NONE: NO_CAUSE, SEVERAL: MORE_CAUSES}
    shown = " or ".join(f"{names.get(n, n)} ({percent(p)})" for n, p in ranked if p >= 0.01)
    return f"the runs do not decide yet; most likely: {shown}"


def missing(evidence: Evidence, belief: Belief, lead: str) -> str:
    """Name the runs, of one kind, that would decide if they go as the likeliest cause predicts."""
    best: tuple[int, float, str] | None = None
    for kind in ("Original", *CHANGED):
        for more in _AHEAD:
            share = _after(evidence, belief, kind, lead, more)
            if share >= NAMED:
                if best is None or (more, -share) < best[:2]:
                    best = (more, -share, kind)
                break
    if best is None:
        return "more runs of every kind"
    claim = {NONE: "that nothing in it is to blame", SEVERAL: MORE_CAUSES}.get(lead, lead)
    return f"about {best[0]} more runs of “{MUTATIONS[best[2]]}” would decide, if it is {claim}"


def _after(evidence: Evidence, belief: Belief, kind: CellKind, lead: str, more: int) -> float:
    """Return the probability of the leading cause after ``more`` runs that go as it predicts."""
    _, right = belief.foresee(kind, Counts())
    whole = belief.likely[lead]
    share = right[lead] / belief.weight(lead) if whole > 0 else 0.0
    hits = round(share * more)
    known = {k: list(m) for k, m in evidence.items()}
    if kind == "Original":
        first, *rest = known.get(kind) or [Counts()]
        known[kind] = [first + Counts(hits, more - hits), *rest]
    else:
        news = [Counts(1, 0)] * hits + [Counts(0, 1)] * (more - hits)
        known[kind] = [*known.get(kind, []), *news]
    return Belief(known).likely[lead]


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
