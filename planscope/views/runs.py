"""The runs of a session as a list, a run that was just made, and the rate of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

from planscope.documents.runs import ManyRunsDocument
from planscope.safe import clip
from planscope.session.record import Cost, Help, RunRecord
from planscope.session.run_list import ListedRun, Losses, loss_lines, tally
from planscope.show.blocks import GAP, Block, Code, Para, Table
from planscope.wording import phrases, terms
from planscope.wording.explain import explain_verdict
from planscope.wording.phrases import interval, percent, plural

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay
    from planscope.session.model import Session

BAR = 20
"""The width of the longest bar of the histogram, in columns."""


def list_blocks(session: Session, listed: Sequence[ListedRun], losses: Losses, width: int) -> Iterator[Block]:
    """Return the runs, and the histogram of the steps that lost them, in lines of at most ``width`` cells."""
    if not session.runs:
        yield Para("no runs yet; make one with: planscope run SESSION --model sim:careful")
        return
    if not listed:
        yield Para("no run matches")
        return
    yield Para(tally(listed).text or plural(len(listed), "run"))
    rows = [
        (
            f"{one.number:>3}",
            one.run.id,
            one.verdict,
            one.where,
            f"{one.run.helped_agent} {one.run.model}",
            plural(len(one.run.calls), "call"),
            one.run.variant if len(session.variants) > 1 else "",
        )
        for one in listed
    ]
    yield Table(rows, widest=(0, 20, 0, 0, 40))
    yield GAP
    yield Code([*loss_lines(losses, BAR)], widest=width)
    if session.removed:
        yield Para(f"{plural(len(session.removed), 'deletion')} can be undone: --restore")


def made_blocks(replay: Replay, record: RunRecord, where: str) -> Iterator[Block]:
    """Return the verdict of a run, and what it took. ``where``: the file that holds it."""
    verdict = replay.verdict()
    yield Para(phrases.verdict_line(verdict, record.help.note))
    yield Para(explain_verdict(replay, verdict))
    yield GAP
    yield Para(phrases.cost(record.cost, simulated=record.simulated))
    by = f"agent {clip(record.helped_agent, 40)}, model {clip(record.model, 60)}"
    calls = plural(len(replay.facts), "call")
    # No line ends inside the name of a file
    yield Code([f"run {record.id}: {by}, {calls}; recorded in {where}"])


def rate_blocks(found: ManyRunsDocument, records: Sequence[RunRecord]) -> Iterator[Block]:
    """Return how often an agent was right, and what these runs took."""
    rate, last = found.success, records[-1]
    if rate.rate is None and rate.helped:
        yield Para("every run was helped, so there is no rate of the agent alone")
    elif rate.rate is None:
        why = f"; the last one: {phrases.ending(last)}" if last.reason else ""
        yield Para(f"none of {len(records)} runs can be judged: {rate.aborted} aborted{why}")
    else:
        alone = " without help" if rate.helped else ""
        between = interval((rate.low, rate.high))
        yield Para(
            f"{rate.right} of {rate.counted} runs{alone} right: {percent(rate.rate)}, 95 % interval {between}"
        )
    counts = [(count, terms.said(kind)) for kind, count in rate.errors.items()]
    # the help that all runs got together
    helped = Help(*map(sum, zip(*(astuple(run.help) for run in records), strict=True)))
    if rate.helped:
        counts.append(
            (rate.helped, f"helped, {rate.helped_right} of them right (not counted: {helped.text})")
        )
    if rate.aborted and (rate.rate is not None or rate.helped):
        counts.append((rate.aborted, "aborted (not counted)"))
    yield Table([(f"{count:>4}", what) for count, what in counts])
    yield GAP
    yield Para(f"{phrases.cost(_sum([run.cost for run in records]), simulated=last.simulated)} in all")
    by = f"agent {clip(helped.agent(found.agent), 40)}, model {clip(found.model, 60)}"
    yield Code([f"runs {records[0].id} to {last.id}: {by}; recorded in {found.session}"])


def _sum(costs: Sequence[Cost]) -> Cost:
    """Add up what runs took; what none of them counted stays unknown."""
    known = [one.input_tokens for one in costs if one.input_tokens is not None]
    said = [one.output_tokens for one in costs if one.output_tokens is not None]
    calls, waited = sum(one.model_calls for one in costs), sum(one.model_seconds for one in costs)
    took = sum(one.seconds for one in costs)
    return Cost(calls, sum(known) if known else None, sum(said) if said else None, waited, ends=took)
