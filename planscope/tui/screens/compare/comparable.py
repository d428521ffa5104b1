"""Chooses the run or query that a comparison begins with."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from planscope.compare.sequences import common
from planscope.frozen import frozen
from planscope.session.model import CallEvent, Run, Session

if TYPE_CHECKING:
    from planscope.session.tally import Outcome

_WORD = re.compile(r"\w{4,}")

PATIENCE = 1.0
"""Seconds for judging runs that nobody has judged yet."""


@frozen
class Chosen:
    """A run of the session, or a query without one."""

    variant: str
    run: str | None


def nearest(session: Session, here: Chosen, known: Mapping[str, Outcome]) -> Chosen | None:
    """Choose the other side: for a wrong run, the right run that is most like it; else what it was forked from, or the
    run that is most like it and not equal. A run that was graded 0 is wrong, however it is judged. Runs of the same
    query come first (for a mutant of the original), then those of its parent and its children. Of these, the ones whose
    agents were asked the same come first: other trials of the same task.

    A query without a run is compared with its parent. None if the session has nothing else. ``known``: outcomes by the
    runs' ids; others are judged, those that are most alike first. For a thread.
    """
    from planscope.tui.controllers.run_list import judge_runs

    mine = next((run for run in session.runs if run.id == here.run), None)
    others = [run for run in session.runs if run is not mine]
    if mine is None or not others:
        return _query_beside(session, here)
    calls, parents = _calls(mine), {variant.id: variant.parent for variant in session.variants}
    mutant = any(one.id == mine.variant and one.origin.mutation for one in session.variants)
    home = parents.get(mine.variant) if mutant else mine.variant

    def rank(run: Run) -> tuple[int, bool, int, int]:
        related = parents.get(run.variant) == mine.variant or parents.get(mine.variant) == run.variant
        family = 0 if run.variant == home else 1 if related else 2
        return family, _asked(run) != _asked(mine), *_distance(calls, _calls(run))

    others.sort(key=rank)
    judged = judge_runs(session, [run for run in (mine, *others) if run.id not in known])
    until = time.monotonic() + PATIENCE

    def verdict(run: Run) -> str:
        if run.id in known:
            return known[run.id].verdict
        return next(judged)[1].verdict if time.monotonic() < until else ""

    def right(run: Run) -> bool:
        told = verdict(run)
        return told == "right" if run.reward is None else told != "wrong" and run.reward >= 1

    wrong = verdict(mine) == "wrong" or (mine.reward is not None and mine.reward <= 0)
    found = next(filter(right, others), None) if wrong else None
    if found is None and mine.forked_from is not None:
        found = next((run for run in others if run.id == mine.forked_from.run), None)
    if found is None:
        found = next((run for run in others if _calls(run) != calls), others[0])
    return Chosen(found.variant, found.id)


def unrelated(runs: Sequence[Run]) -> bool:
    """Return whether runs without a query seem to be of different tasks: few words of what the agents were asked are
    the same, or none of their tools is."""
    asked = [_words(_asked(run)) for run in runs]
    tools = [{event.tool for event in run.events if isinstance(event, CallEvent)} for run in runs]
    apart = all(asked) and 3 * len(set.intersection(*asked)) < len(set.union(*asked))
    return apart or (all(tools) and not set.intersection(*tools))


def _asked(run: Run) -> str:
    """Return what the agent was asked."""
    return next((event.text for event in run.events if event.type == "prompt"), "")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _calls(run: Run) -> list[tuple[str, str]]:
    """Return the calls of a run, each with its arguments."""
    return [(event.tool, repr(event.arguments)) for event in run.events if isinstance(event, CallEvent)]


def _distance(a: list[tuple[str, str]], b: list[tuple[str, str]]) -> tuple[int, int]:
    """Return the number of calls that only one of both has, in order; first by their tools, then with arguments."""
    by_tool = len(common([tool for tool, _ in a], [tool for tool, _ in b]))
    return len(a) + len(b) - 2 * by_tool, -len(common(a, b))


def _query_beside(session: Session, here: Chosen) -> Chosen | None:
    """Choose what a query is compared with: its parent, the last run of another query, another query."""
    others = [variant.id for variant in session.variants if variant.id != here.variant]
    parent = next((one.parent for one in session.variants if one.id == here.variant), None)
    ran = [run for run in session.runs if run.variant in others]
    if parent in others:
        return Chosen(parent or "", None)
    if ran and here.run is None:
        return Chosen(ran[-1].variant, ran[-1].id)
    return Chosen(others[-1], None) if others else None
