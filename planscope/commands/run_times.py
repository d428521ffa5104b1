"""``planscope run --times N``: many runs, and how many of them are right."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.case import judge
from planscope.commands.common import print_json, say, say_all
from planscope.commands.recording import (
    Filling,
    cost_line,
    limits_of,
    more_files,
    prints_aside,
    record,
    recorded_late,
)
from planscope.safe import clip

if TYPE_CHECKING:
    from planscope.agents.rates import Rate
    from planscope.session.model import Run, Session, Variant
    from planscope.session.record import Cost, Help


def run_times(
    args: argparse.Namespace,
    session: Session,
    variant: Variant,
    source: Path,
    target: Path,
    read: str | None,
) -> int:
    """Run, record and tell. The exit status is 2 where every run was aborted."""
    from planscope.agents.rates import success
    from planscope.documents.runs import ManyRunsDocument
    from planscope.session.record import cost_of, help_of

    with prints_aside():
        made, interrupted = _go(args, variant, Filling(target, session, args.times))
    if interrupted and not made:
        raise KeyboardInterrupt
    with recorded_late(interrupted):
        session, kept = record(made, session, source, target, read)
    recorded, target_name = session.runs[-len(made) :], str(args.output or target)
    where = kept.where(recorded[0].id, target_name)
    if interrupted:
        ended = (
            "run that had ended until then is"
            if len(made) == 1
            else (f"{len(made)} runs that had ended until then are")
        )
        places = " and ".join(file for file, _ in kept.named(target_name))
        raise KeyboardInterrupt(f"interrupted; the {ended} in {places}")
    verdicts = [judge(session, run).replay.verdict() for run in recorded]
    rate = success(verdicts, [help_of(run) for run in recorded])
    costs = [cost_of(run) for run in recorded]
    with suppress(BrokenPipeError):  # the runs are recorded, whoever reads
        if args.json:
            files = kept.beyond(target_name)
            print_json(ManyRunsDocument.about(recorded, verdicts, costs, rate, where, files).as_data())
        else:
            _tell(recorded, rate, costs, where)
            say_all(more_files(kept, target_name))
    return 2 if rate.aborted == len(recorded) else 0


def _go(args: argparse.Namespace, variant: Variant, filling: Filling) -> tuple[list[Run], bool]:
    """The runs in their order, and whether they were interrupted: those that had ended are worth keeping."""
    from planscope.agents.many_runs import run_many

    done: dict[int, Run] = {}

    def ended(number: int, run: Run) -> None:
        done[number] = run
        filling.one_more(run)

    options: dict[str, Any] = {"role": args.role, "prompts": args.prompts, "guard": args.guard}
    if args.tracing:
        options["tracing"] = True
    try:
        run_many(
            variant,
            model=args.model,
            times=args.times,
            agent=args.agent,
            seed=args.seed,
            base_url=args.base_url,
            at_once=args.at_once,
            limits=limits_of(args, variant),
            on_run=ended,
            **options,
        )
    except KeyboardInterrupt:
        return [done[n] for n in sorted(done)], True
    return [done[n] for n in sorted(done)], False


def _tell(runs: list[Run], rate: Rate, costs: list[Cost], where: str) -> None:
    from planscope.session.record import Cost

    alone = " without help" if rate.helped else ""
    if rate.rate is None and rate.helped:
        say("no run went without help")
    elif rate.rate is None:
        say(f"none of {len(runs)} runs can be judged: {rate.aborted} aborted")
    else:
        say(
            f"{rate.right} of {rate.counted}{alone} right: {rate.rate:.0%}, with 95 % confidence between "
            f"{rate.low:.0%} and {rate.high:.0%}"
        )
    for kind, count in rate.errors.items():
        say(f"  {count:>4}  {kind.replace('_', ' ')}")
    if rate.helped:
        say(
            f"  {rate.helped:>4}  helped, {rate.helped_right} of them right (counted apart: {_sum_of_help(runs).text})"
        )
    if rate.aborted and (rate.rate is not None or rate.helped):
        say(f"  {rate.aborted:>4}  aborted (not counted)")
    say()
    by = f"agent {clip(_sum_of_help(runs).agent(runs[0].agent), 40)}, model {clip(runs[0].model, 60)}"
    known = [c.input_tokens for c in costs if c.input_tokens is not None]
    said = [c.output_tokens for c in costs if c.output_tokens is not None]
    total = Cost(
        sum(c.model_calls for c in costs),
        sum(known) if known else None,
        sum(said) if said else None,
        sum(c.model_seconds for c in costs),
        ends=sum(c.seconds for c in costs),
    )
    say(f"{cost_line(total)} in all")
    say(f"runs {runs[0].id} to {runs[-1].id}: {by}; recorded in {where}")


def _sum_of_help(runs: list[Run]) -> Help:
    """The help in all of the runs together."""
    from planscope.session.record import Help, help_of

    counts = zip(*(astuple(help_of(run)) for run in runs), strict=True)
    return Help(*map(sum, counts))
