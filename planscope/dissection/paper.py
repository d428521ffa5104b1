"""The method ``paper``: Algorithm 2 of the paper (section 4.5), exactly except for its last loop.

It makes three repeats, then ``rounds`` (the paper's K) mutants of each kind, one run each; the first kind that is right
once is the cause. As printed, the last loop returns in its first round either way, "Structure" or "Constraint"; here
all K rounds are done before the answer "Constraint", as the text of the section has it. The algorithm begins with a
query that fails: if no failing run is known, the query is run until it fails.

It serves as a baseline. A fault that does not always fire, or a failure by chance, makes it name the wrong cause, and
it gives no confidence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from planscope.dissection.evidence import CAUSE_OF, Decision, Evidence, judged_mutants, of_kinds, total
from planscope.dissection.rates import SPOTLESS, Pick, all_of, often, times
from planscope.session.model import CellKind
from planscope.wording.phrases import plural
from planscope.wording.terms import ARMS, MUTATIONS

REPEATS = 3
LOOPS: tuple[CellKind, ...] = ("Repeat", "TerminalSubstitute", "TopicChange", "QuerySynthesize")


def rounds(budget: int) -> int:
    """Return the paper's K, chosen so that all loops together fit the budget."""
    return max(1, (budget - REPEATS) // (len(LOOPS) - 1))


def wanted(kind: CellKind, budget: int) -> int:
    return REPEATS if kind == "Repeat" else rounds(budget)


def next_round(
    evidence: Evidence,
    budget: int,
    *,
    failed: bool = False,
    closed: Collection[CellKind] = (),
    pending: Sequence[Pick] = (),
) -> Pick | None:
    """Return the next run of the algorithm, or None if it has its answer or waits for runs in progress.

    Runs of one loop may be in progress together: the loop's result does not depend on their order.
    """
    same = total(evidence.get("Original", ()))
    if not failed and same.wrong == 0:
        if same.runs >= SPOTLESS or pending:
            return None
        return Pick("Original", 0 if evidence.get("Original") else None)
    for kind in LOOPS:
        mutants = evidence.get(kind, ())
        if total(mutants).right:
            return None
        if any(p.kind != kind for p in pending):
            return None
        busy = {p.place for p in pending}
        blank = next((i for i, m in enumerate(mutants) if not m.runs and i not in busy), None)
        if blank is not None:
            return Pick(kind, blank)
        begun = len(mutants) + sum(p.place is None for p in pending)
        if begun < wanted(kind, budget) and kind not in closed:
            return Pick(kind, None)
        if pending:
            return None
    return None


def decide_paper(
    evidence: Evidence, budget: int, *, failed: bool = False, closed: Collection[CellKind] = ()
) -> Decision:
    """Apply the paper's algorithm to the runs so far. Return its result, or its progress."""
    same = total(evidence.get("Original", ()))
    if not failed and same.wrong == 0:
        done = same.runs >= SPOTLESS
        reason = (
            f"the unchanged query was right in {all_of(same.runs)}" if same.runs else "nothing was run yet"
        )
        head = "there is nothing to dissect: " if done else ""
        return Decision(None, None, head + reason, "a run that fails", settled=done, blameless=done)
    for kind in LOOPS:
        counts = total(evidence.get(kind, ()))
        if counts.right:
            reason = f"{ARMS[kind]} it was right {often(evidence, kind)}, and the kinds before it never were"
            return Decision(CAUSE_OF[kind], None, reason, settled=True)
        left = wanted(kind, budget) - judged_mutants(evidence.get(kind, ()))
        if left > 0 and kind not in closed:
            reason = (
                f"{ARMS[kind]} it was right {often(evidence, kind)} so far"
                if counts.runs
                else "its mutants have not run yet"
            )
            return Decision(None, None, reason, f"{plural(left, 'more run')} of “{MUTATIONS[kind]}”")
    reason = f"it was right {times(of_kinds(evidence, LOOPS))}, however it was worded"
    return Decision("Constraint", None, reason, settled=True)
