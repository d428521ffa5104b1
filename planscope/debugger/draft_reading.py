"""What a draft says: its errors, its constraints beside the parent's, whether they can be met.

Two questions, since the second can take long: ``read_draft`` costs a millisecond for ten sentences, ``solve`` asks
the oracle. Both are for any thread.
"""

from __future__ import annotations

from dataclasses import dataclass

from planscope.debugger.draft import Draft
from planscope.debugger.draft_diff import Became, Changed, diff_constraints
from planscope.debugger.draft_mentions import Known, words_known
from planscope.language.errors import ParseError, in_a_line
from planscope.language.problem import Constraint, Problem, Span
from planscope.language.reading import ActionNameError, PartReading, Reading, read_partly
from planscope.oracle.trace import Trace

QUICK_ACTIONS = 16
QUICK_CONSTRAINTS = 200
"""For no more than so many actions and constraints ``solve`` takes milliseconds."""


@dataclass(frozen=True, slots=True)
class Solved:
    """Whether all can be met. ``core``: the minimal set of constraints that contradict each other, by id.

    ``can_be_met``: None where the solver gave up, or where a part of the text is not known yet. ``orders``: in how
    many orders, None where they are too many to count.
    """

    can_be_met: bool | None
    core: tuple[str, ...] = ()
    orders: int | None = None


@dataclass(frozen=True, slots=True)
class DraftReading:
    """What was read of a draft. ``problem`` is what its readable sentences say (None: there is none).

    ``complaint``: why nothing can be read at all, such as two actions of one name. ``rows``: the constraints beside
    the parent's. ``sentences``: the ranges of all sentences, broken ones too.
    """

    draft: Draft
    problem: Problem | None = None
    before: Problem | None = None
    errors: tuple[ParseError, ...] = ()
    complaint: str = ""
    rows: tuple[Changed, ...] = ()
    sentences: tuple[Span, ...] = ()
    known: tuple[Known, ...] = ()
    reading: Reading | None = None
    """Of the whole, where all of it could be read."""

    @property
    def readable(self) -> bool:
        return self.reading is not None

    @property
    def why_not(self) -> str:
        """Why the draft cannot be run, in one line; "" where it can."""
        if self.complaint:
            return self.complaint
        return in_a_line(self.errors) if self.errors else ""

    @property
    def quick(self) -> bool:
        """Whether ``solve`` will answer at once."""
        problem = self.problem
        return problem is None or (
            len(problem.actions) <= QUICK_ACTIONS and len(problem.constraints) <= QUICK_CONSTRAINTS
        )

    def count(self, became: Became) -> int:
        """How many of the constraints that a text says were added, are gone, ..."""
        return sum(row.became == became for row in self.rows)

    def names_of(self, row: Changed) -> Problem:
        """The problem that a line's constraint belongs to."""
        problem = self.problem if row.became in ("added", "same") else self.before
        assert problem is not None
        return problem

    def words_of(self, c: Constraint) -> Span | None:
        """From the first word to the last that say a constraint of this draft."""
        spans = [span for span in c.spans if span[0] < span[1]]
        return (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None


def read_draft(draft: Draft, before: Problem | None = None) -> DraftReading:
    """Read a draft. ``before``: what the parent says, None where it cannot be read."""
    try:
        found: PartReading = read_partly(draft.text, draft.actions, timed=draft.timed)
        known = words_known(draft, found)
    except ActionNameError as error:
        return DraftReading(draft, before=before, complaint=str(error))
    problem = found.reading.problem if found.reading is not None else None
    rows = diff_constraints(before, problem, broken=bool(found.errors))
    whole = found.reading if not found.errors else None
    return DraftReading(draft, problem, before, found.errors, "", rows, found.sentences, known, whole)


def problem_of_draft(draft: Draft) -> Problem | None:
    """What a draft says, if it can be read: what its own drafts are compared with."""
    try:
        found = read_partly(draft.text, draft.actions, timed=draft.timed)
    except ActionNameError:
        return None
    return found.reading.problem if found.reading is not None and not found.errors else None


def solve(seen: DraftReading) -> Solved:
    """Ask the oracle. What is readable can contradict itself already; that it can be met is said of the whole."""
    from planscope.oracle.replay import replay  # Z3 comes with it

    if seen.problem is None:
        return Solved(None)
    judged = replay(seen.problem, Trace((), "running"))
    view = judged.steps[0]
    if view.core is not None:
        return Solved(False, view.core.constraints)
    if view.state != "completable" or not seen.readable:
        return Solved(None)
    return Solved(True, (), judged.valid_completions(0))
