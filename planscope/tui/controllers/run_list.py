"""Lists the runs of the open session: judges them in a job, searches, filters, deletes and restores them."""

from __future__ import annotations

from asyncio import TimerHandle
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.session.run_list import (
    NO_CAUSE,
    Facet,
    ListedRun,
    facets_of,
    matches,
    outcomes_of_runs,
    query_matches,
    trials_of,
)
from planscope.tui.controllers.document import Document, Post, RunKey, key_of
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.controllers.listed import ListControl, Listed
from planscope.tui.keys import key_for
from planscope.tui.messages import DocumentChanged
from planscope.tui.style.lines import shown
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.session.model import Run, Session, Variant
    from planscope.session.tally import Outcome

JOB = "run-verdicts"
_SOON = 0.1
"""Seconds between two updates of the list while verdicts arrive."""


# The tree of queries and runs


class Branch(NamedTuple):
    """One line of the tree: a query, or a run of it. ``number``: the run's index in the session."""

    depth: int
    variant: Variant
    number: int | None = None


def tree_of(variants: Sequence[Variant], runs: Sequence[Run]) -> Iterator[Branch]:
    """Yield all queries, each with its runs below it. Forks are below the run that they were forked from.

    Edited queries are below their parents. Runs of a missing query are left out. A fork of another query's run is
    below its own query.
    """
    children: defaultdict[str, list[Variant]] = defaultdict(list)
    known = {v.id for v in variants}
    for variant in variants:
        children[variant.parent if variant.parent in known else ""].append(variant)
    below: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    variant_of = {run.id: run.variant for run in runs}
    for number, run in enumerate(runs):
        origin = run.forked_from.run if run.forked_from is not None else ""
        own = variant_of.get(origin) == run.variant and origin != run.id
        below[("run", origin) if own else ("variant", run.variant)].append(number)
    waiting = [Branch(0, variant) for variant in reversed(children[""])]
    while waiting:
        branch = waiting.pop()
        yield branch
        depth, variant, at = branch.depth + 1, branch.variant, branch.number
        if at is None:
            waiting += [Branch(depth, child) for child in reversed(children[variant.id])]
        inside = below.pop(("variant", variant.id) if at is None else ("run", runs[at].id), [])
        waiting += [Branch(depth, variant, number) for number in reversed(inside)]


# Verdicts


def outcomes_of(document: Document) -> dict[str, Outcome]:
    """Return the known verdicts of the session's runs, by the runs' ids."""
    session = document.session
    if session is None:
        return {}
    found = ((run.id, document.outcomes.get(key_of(session, run))) for run in session.runs)
    return {id: outcome for id, outcome in found if outcome is not None}


def not_judged(document: Document) -> list[Run]:
    """Return the runs that have ended and are not judged since their last event, the newest first. Those of which the
    debugger knows the verdict come last: only their cause is missing."""
    session = document.session
    if session is None:
        return []
    going = document.under_way | document.passing
    runs = (run for run in reversed(session.runs) if run.id not in going)
    known = [(run, document.outcomes.get(key_of(session, run))) for run in runs]
    late = [run for run, outcome in known if outcome is not None and outcome.cause is None]
    return [*(run for run, outcome in known if outcome is None), *late]


def judge_runs(session: Session, runs: Sequence[Run]) -> Iterator[tuple[RunKey, Outcome]]:
    """Judge runs of a session one by one, and yield each. For a thread."""
    from planscope.cause.told import cause_of
    from planscope.rules.in_session import problem_in

    for run, outcome in zip(runs, outcomes_of_runs(session, runs, problem_in, cause_of), strict=True):
        yield key_of(session, run), outcome


# The list: pure state


class Place(NamedTuple):
    """A query, and a run of it or ""."""

    variant: str
    run: str = ""


class Row(NamedTuple):
    """One line of the list: a query, or a run, at its depth in the tree."""

    depth: int
    variant: Variant
    run: ListedRun | None = None

    @property
    def place(self) -> Place:
        return Place(self.variant.id, self.run.run.id if self.run is not None else "")


@frozen
class Runs(Listed[Row]):
    """The state of the list. ``rows``: all queries and runs. ``removed``: the deletions that can be restored."""

    key = "place"
    rows: tuple[Row, ...] = ()
    judging: tuple[int, int] = (0, 0)
    removed: int = 0

    @property
    def everything(self) -> Sequence[Row]:
        return [row for row in self.rows if row.run is not None]

    def facets_of(self, thing: Row) -> Set[Facet]:
        return facets_of(thing.run) if thing.run is not None else set()

    @property
    def runs(self) -> list[ListedRun]:
        """The displayed runs."""
        return [row.run for row in self.listed if row.run is not None]

    @property
    def all_runs(self) -> list[ListedRun]:
        return [row.run for row in self.rows if row.run is not None]

    @property
    def causes(self) -> list[tuple[str, int]]:
        """What the displayed runs that went wrong have in common, with their numbers, the commonest first; nothing if
        no run has a cause in its trace."""
        found = (run.outcome.cause for run in self.runs if run.outcome is not None)
        counts = Counter(cause for cause in found if cause)
        return (
            sorted(counts.most_common(), key=lambda one: one[0] == NO_CAUSE)
            if counts.keys() - {NO_CAUSE}
            else []
        )

    def arranged(self, chosen: object = None, *, moves: bool = True) -> Runs:
        """Search and filter again. Choose the row at ``chosen``, or keep the chosen one.

        ``moves``: if runs are hidden, choose the run below a query.
        """
        listed = self._matching() if self.filtered else self.rows
        made = self.listing(listed, chosen)
        if moves and self.filtered and made.chosen is not None and made.chosen.run is None:
            below = (i for i, row in enumerate(listed) if i >= made.at and row.run is not None)
            return made.choosing(next(below, made.at))
        return made

    def _matching(self) -> list[Row]:
        """Return the runs that match, below their queries, and the queries that match a search by themselves."""
        found = {
            row.place
            for row in self.rows
            if (
                matches(row.run, self.words, self.facets)
                if row.run is not None
                else not self.facets and query_matches(row.variant, self.words)
            )
        }
        found |= {Place(place.variant) for place in found}
        return [row for row in self.rows if row.place in found]

    def next_failure(self) -> int | None:
        """Return the index of the next wrong run; after the last one, the first. None if no displayed run is wrong."""
        many = len(self.listed)
        places = ((self.at + step) % many for step in range(1, many + 1))
        runs = ((place, self.listed[place].run) for place in places)
        return next((place for place, run in runs if run is not None and run.failed), None)


# The controller


class RunList(ListControl[Runs]):
    """Judges the runs and lists them. ``begin``: the row to choose first."""

    def __init__(self, document: Document, jobs: Jobs, post: Post, begin: Place | None = None) -> None:
        super().__init__(Runs(), post)
        self.document = document
        self.jobs = jobs
        self._begin = begin
        self._soon: TimerHandle | None = None

    def close(self) -> None:
        """Stop judging."""
        self.jobs.cancel(JOB)
        self._now()

    @property
    def at_rest(self) -> bool:
        return not self.jobs.running(JOB) and self._soon is None

    def _now(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    def _in_a_moment(self, what: Callable[[], None]) -> None:
        if self._soon is None:
            self._soon = self.jobs.loop.call_later(_SOON, what)

    def read(self, then: Callable[[], None] = lambda: None) -> None:
        """Read the session's queries and runs, and judge the runs that no list has judged yet. Then call ``then``."""
        self._rebuild(self._begin)
        missing = not_judged(self.document)
        if not missing:
            then()
            return
        session = self.document.snapshot()
        self.set(replace(self.state, judging=(0, len(missing))))

        def judged(token: CancelToken, key: RunKey, outcome: Outcome) -> None:
            self.document.judged(key, outcome)
            done, many = self.state.judging
            self.state = replace(self.state, judging=(done + 1, many))
            if not token.cancelled:
                self._in_a_moment(self._rebuild)

        def work(token: CancelToken) -> None:
            for key, outcome in judge_runs(session, missing):
                if token.cancelled:
                    return
                self.jobs.tell(partial(judged, token, key, outcome))

        def over(answer: object) -> None:
            self.state = replace(self.state, judging=(0, 0))
            self._rebuild()
            then()

        self.jobs.start(JOB, work, over, over)

    def _rebuild(self, chosen: Place | None = None) -> None:
        self._now()
        document = self.document
        if document.session is None:
            return
        known, trials = outcomes_of(document), trials_of(document.session)

        def row(branch: Branch) -> Row:
            if (number := branch.number) is None:
                return Row(branch.depth, branch.variant)
            id = document.runs[number].id
            run = ListedRun(number + 1, document.record(id), known.get(id), id in trials)
            return Row(branch.depth, branch.variant, run)

        rows = tuple(map(row, tree_of(document.variants, document.runs)))
        removed = len(document.session.removed or ())
        self.set(replace(self.state, rows=rows, removed=removed).arranged(chosen, moves=False))

    def heard(self, message: DocumentChanged) -> None:
        """Read again soon if a run may have begun, ended, or been deleted."""
        if message.what == "removed":
            self._read_again()
        elif message.what in ("variant", "run", "dissection", "opened"):
            self._in_a_moment(self._read_again)

    def _read_again(self) -> None:
        self._begin = None
        if self.jobs.running(JOB):
            self._rebuild()
        else:
            self.read()

    # Choosing

    def next_failure(self) -> str:
        """Go to the next wrong run. Return a notice, or ""."""
        place = self.state.next_failure()
        if place is None:
            judging = self.state.judging[1] and not self.at_rest
            return "no wrong run found yet; still judging" if judging else "no run here is wrong"
        again = place <= self.state.at
        self.choose(place)
        return "the first wrong run again" if again else ""

    # Deleting

    def delete(self, busy: set[str], *, listed: bool = False) -> str:
        """Delete the chosen row, or all displayed runs (``listed``), and what depends on it. Return a notice.

        ``busy``: ids of dissections in progress.
        """
        row = self.state.chosen
        if row is None:
            return "nothing is chosen"
        said = "deleted: {}; " + f"{key_for('take-back-run')} takes it back"
        if listed:
            runs = {one.run.id for one in self.state.runs}
            return self._changed(lambda: self.document.remove(runs=runs, busy=busy), said)
        what = {"runs": {row.place.run}} if row.run is not None else {"variants": {row.place.variant}}
        return self._changed(lambda: self.document.remove(**what, busy=busy), said)

    def take_back(self) -> str:
        """Restore the last deletion. Return a notice."""
        return self._changed(self.document.take_back, "restored: {}")

    def delete_for_good(self) -> str:
        """Delete everything that was deleted for good. Return a notice."""
        count = self.document.delete_for_good()
        return f"deleted for good: {phrases.plural(count, 'query or run', 'queries and runs')}"

    def _changed(self, do: Callable[[], str], told: str) -> str:
        try:
            return told.format(do())
        except UserError as error:
            return f"not done: {shown(str(error), 200)}"
