"""Says in words what a dissection runs next and why, and finds the mutant that cured a query."""

from __future__ import annotations

from planscope.dissection.evidence import CAUSE_OF, SAME, of_kinds
from planscope.dissection.rates import FIRST, next_run
from planscope.dissection.summary import Summary
from planscope.wording.terms import MUTATIONS

LOOKING = "Now: queries with a few small changes each, to find the words to blame."
"""What is run after the cause is stated."""


def next_in_words(found: Summary) -> str:
    """Return one sentence about the run that would be made next, and why; "" if more runs would change nothing.

    For the method ``rates``, which chooses the most informative run.
    """
    if found.decision.settled or found.runs >= found.budget:
        return ""
    evidence = {row.kind: [cell.counts for cell in row.cells] for row in found.rows}
    closed = [row.kind for row in found.rows if row.closed]
    failed = found.began is not None and found.began.verdict == "wrong"
    pick = next_run(evidence, closed, failed=failed)
    same = of_kinds(evidence, SAME)
    if same.runs < FIRST or not (failed or same.wrong):
        return "Next: the query as it is, to see how often it fails."
    kind = MUTATIONS[pick.kind]
    if pick.kind in SAME:
        return "Next: the query as it is, since its own rate is the least certain."
    if pick.kind == "Control":
        return f"Next: a {kind}, to see whether the agent fails at all queries of this size."
    which = "a new mutant" if pick.place is None else f"mutant {pick.place + 1} again"
    return f"Next: {kind}, {which}; if it is right, that points to the cause {CAUSE_OF[pick.kind]}."


def cured(found: Summary) -> tuple[int, int] | None:
    """Return row and column of a mutant that the agent gets right, of the kind that names the cause.

    If the words to blame are known, it is the query with them alone changed. Otherwise it is the one with the most
    right runs and no wrong one; None if no cause is stated, or no such mutant was run. A fresh query asks for something
    else, so it cures nothing.
    """
    if found.culprit is not None:
        for i, row in enumerate(found.rows):
            for j, cell in enumerate(row.cells):
                if cell.variant == found.culprit.variant:
                    return i, j
    best: tuple[int, int] | None = None
    most = 0
    for i, row in enumerate(found.rows):
        if row.kind == "Control" or row.kind in SAME or CAUSE_OF.get(row.kind) != found.decision.cause:
            continue
        for j, cell in enumerate(row.cells):
            if not cell.counts.wrong and cell.counts.right > most:
                best, most = (i, j), cell.counts.right
    return best
