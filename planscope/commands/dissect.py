"""``planscope dissect``: what in a request makes an agent fail."""

from __future__ import annotations

import argparse
import math
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.case import judge, listed, need_run, read_variant
from planscope.commands.common import columns, print_json, say_all, session_path, whole
from planscope.commands.progress import ProgressLine
from planscope.commands.recording import (
    Filling,
    add_agent_choice,
    chosen_variant,
    more_files,
    newest_original,
    opened_to_add,
    prints_aside,
    recorded_late,
    target_of,
)
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.dissection.engine import Dissector
    from planscope.session.model import Cell, Dissection, Run, Session, Variant

ABOUT = (
    "Find out what in a session's request makes an agent fail: chance, its words, its topic, the structure of its "
    "sentences, or its constraints. Requests that mean the same, and fresh ones, are run until the answer is clear or "
    "the budget is spent; all of it is recorded in the session. It begins with the last run of this agent and model "
    "that failed."
)
MOST = 1000
"""Runs of one dissection: all of them are kept in one file."""

SAVED_EVERY = 10.0
"""Seconds between two times that what there is so far is written."""


def add(parser: argparse.ArgumentParser) -> None:
    add_agent_choice(parser, "sim:flaky, sim:word-blind")
    parser.add_argument(
        "--variant", metavar="ID", help="which variant of the request (default: the newest that is no mutant)"
    )
    parser.add_argument(
        "--run",
        metavar="ID",
        help="the failing run to begin with (default: the last of this agent and model)",
    )
    parser.add_argument(
        "--method",
        choices=("rates", "paper"),
        default="rates",
        metavar="HOW",
        help="rates (default): compare how often each kind of change is right; paper: the first kind that is right "
        "once",
    )
    parser.add_argument(
        "--budget", type=whole(1, MOST), default=60, metavar="N", help="at most N runs (default 60)"
    )
    parser.add_argument(
        "--seed", type=whole(0), metavar="S", help="seed of the mutants and of a simulated model (default 0)"
    )
    parser.add_argument(
        "--at-once", type=whole(1, 64), metavar="N", default=8, help="runs at a time (default 8)"
    )
    parser.add_argument(
        "--resume", metavar="ID", help="go on with that dissection; --budget is what it has in all"
    )
    parser.add_argument("--role", metavar="TEXT", help="a role prompt for the agent")
    parser.add_argument("--base-url", metavar="URL", help="a server that speaks the provider's protocol")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write here, not into SESSION")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.dissection.summary import summary
    from planscope.documents.dissection import DissectDocument

    source = session_path(args.session)
    target = target_of(args, source)
    session, read = opened_to_add(args.session)
    with prints_aside():
        work = _Work(args, session, source, target, read)
        interrupted = work.go()
    with recorded_late(interrupted):
        session, record = work.save()
    target_name = str(args.output or target)
    spent = [run for cell in record.cells for run in cell.runs]
    where = work.kept.where(spent[-1], target_name) if spent else target_name
    found = summary(session, record)
    if interrupted:
        told = (
            f"the {found.runs} runs that had ended until then are in {where}"
            if found.runs
            else "nothing was run"
        )
        raise KeyboardInterrupt(f"interrupted; {told}")
    with suppress(BrokenPipeError):  # the runs are recorded, whoever reads
        if args.json:
            print_json(DissectDocument.about(found, record, where, work.kept.beyond(target_name)).as_data())
        else:
            from planscope.commands.dissect_text import summary_lines

            say_all(summary_lines(found, record, columns()))
            say_all(["", f"dissection {record.id}, {found.runs} runs; recorded in {where}"])
            say_all(more_files(work.kept, target_name))
    return 2 if found.runs and not any(row.rate.counted for row in found.rows) else 0


class _Work:
    """The dissection, and the session that it goes into."""

    def __init__(
        self, args: argparse.Namespace, session: Session, source: Path, target: Path, read: str | None
    ) -> None:
        from planscope.dissection.engine import Dissector
        from planscope.session.writer import SavedFiles

        self.session, self.source, self.target, self.read = session, source, target, read
        self.kept = SavedFiles()
        self.filling = Filling(target, session, args.budget)
        resume = _resumed(session, args.resume)
        variant, begin = _begin(session, args, resume)
        read_variant(variant)
        self.variant = variant.id
        self.progress = _Progress(args.budget)
        self.saved = time.monotonic()
        self.dissector: Dissector = Dissector(
            session,
            variant,
            model=args.model,
            agent=args.agent,
            run=begin,
            method=args.method,
            budget=args.budget,
            seed=args.seed,
            at_once=args.at_once,
            base_url=args.base_url,
            role=args.role,
            resume=resume,
            on_run=self._ended,
        )

    def go(self) -> bool:
        """Spend the runs; whether it was interrupted."""
        try:
            self.dissector.go()
        except KeyboardInterrupt:
            return True
        finally:
            self.progress.clear()
        return False

    def _ended(self, cell: Cell, run: Run) -> None:
        from planscope.session.writer import check_nobody_writes

        self.progress.one_more()
        self.filling.one_more(run)
        if time.monotonic() - self.saved >= SAVED_EVERY:
            self.saved = math.inf  # where it cannot be saved now, that is said once: at the end
            with suppress(UserError):
                check_nobody_writes(self.target)
                self.save()

    def save(self) -> tuple[Session, Dissection]:
        """Write what there is so far into what the file holds by now."""
        from planscope.documents.dissection import say_constraints
        from planscope.session.writer import adding

        place = (self.session, self.source, self.target)
        with adding(*place, {self.variant}, read=self.read, kept=self.kept) as session:
            record = self.dissector.add_to(session)
            say_constraints(session, record)
        self.saved = time.monotonic()
        return session, record


def _resumed(session: Session, wanted: str | None) -> Dissection | None:
    if wanted is None:
        return None
    for one in session.dissections:
        if one.id == wanted:
            return one
    known = listed(d.id for d in session.dissections) or "it has none"
    raise UserError(f"the session has no dissection {wanted!r}; its dissections: {known}")


def _begin(
    session: Session, args: argparse.Namespace, resume: Dissection | None
) -> tuple[Variant, Run | None]:
    """The request, and the failing run to begin with, if there is one."""
    if resume is not None:
        return chosen_variant(session, resume.variant), None
    if args.run is not None:
        return _named(session, args)
    from planscope.agents.models import parse_model
    from planscope.session.model import own_runs

    variant = newest_original(session, args.variant)
    model = parse_model(args.model, seed=args.seed).text
    for run in reversed(own_runs(session)):
        if run.variant == variant.id and (run.model, run.agent) == (model, args.agent):
            read_variant(variant)
            if judge(session, run).replay.verdict().verdict == "wrong":
                return variant, run
    return variant, None


def _named(session: Session, args: argparse.Namespace) -> tuple[Variant, Run]:
    """The run that was asked for, with its request. It must have failed."""
    run = need_run(session, args.run)
    if args.variant is not None and chosen_variant(session, args.variant).id != run.variant:
        raise UserError(
            f"run {run.id} is of variant {run.variant}, not of {args.variant}; leave one of them out"
        )
    variant = chosen_variant(session, run.variant)
    read_variant(variant)
    verdict = judge(session, run).replay.verdict().verdict
    if verdict == "right":
        raise UserError(f"run {run.id} is right, so there is nothing to dissect in it; name one that failed")
    if verdict != "wrong":
        raise UserError(f"run {run.id} cannot be judged ({verdict}); name one that failed")
    return variant, run


class _Progress(ProgressLine):
    """How many runs are done, for a person who waits more than a second."""

    def __init__(self, budget: int) -> None:
        super().__init__()
        self._budget = budget
        self._began = time.monotonic()
        self._done = 0

    def one_more(self) -> None:
        self._done += 1
        took = time.monotonic() - self._began
        if took >= 1:
            left = took / self._done * max(0, self._budget - self._done)
            self.show(f"{self._done} of at most {self._budget} runs, {_duration(left)} left at most")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
