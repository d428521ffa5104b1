"""``planscope dissect``: finds what in a query makes an agent fail."""

from __future__ import annotations

import math
import time
from argparse import Namespace
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from planscope.case import judge, listed, need_run, read_variant
from planscope.commands import Command
from planscope.commands.common import (
    BASE_URL,
    OUTPUT,
    ProgressLine,
    also,
    answer,
    leave_out,
    whole,
)
from planscope.commands.recording import (
    SAVED_EVERY,
    Addition,
    Filling,
    agent_choice,
    chosen_variant,
    newest_original,
    options_of,
    prints_aside,
    recorded_late,
)
from planscope.errors import UserError
from planscope.wording.phrases import time_left

if TYPE_CHECKING:
    from planscope.dissection.engine import Dissector
    from planscope.session.model import Cell, Dissection, Run, Session, Variant

ABOUT = (
    "Find what in a session's query makes an agent fail: chance, its words, its topic, the structure of its sentences, "
    "or its constraints. Runs queries that mean the same, and fresh ones, until the cause is clear or the budget is "
    "spent, and records all of them in the session. Starts from the last failed run of this agent and model."
)
MOST = 1000
"""The limit for the runs of one dissection, since one file keeps them all."""


_DISSECT = (
    *agent_choice("sim:flaky, sim:word-blind"),
    ("--variant ID", "the variant of the query (default: the newest that is not a mutant)"),
    ("--run ID", "the failed run to start from (default: the last of this agent and model)"),
    (
        "--method HOW",
        "rates (default): compare the success rates of the kinds of change; paper: stop at the first success",
        {
            "choices": ("rates", "paper"),
            "type": also({"compare rates": "rates", "first success": "paper"}),
        },
    ),
    ("--budget N", "at most N runs (default 60)", whole(1, MOST), 60),
    (
        "--culprit-budget N",
        "once a cause is 90 %% sure, at most N more runs, and those that --budget leaves, look for the words to "
        "blame (default 40)",
        whole(0, MOST),
    ),
    ("--no-culprit", "name the cause only, and not the words"),
    ("--seed S", "seed for the mutants and a simulated model (default 0)", whole(0)),
    ("--at-once N", "run N at the same time (default 8)", whole(1, 64), 8),
    ("--resume ID", "continue this dissection; --budget counts its earlier runs, too"),
    ("--role TEXT", "a role prompt for the agent"),
    BASE_URL,
    OUTPUT,
    ("--json", "print the result as JSON"),
)


def _dissect(args: Namespace) -> int:
    from planscope.dissection.summary import summary
    from planscope.documents.dissection import DissectDocument
    from planscope.show.blocks import Code
    from planscope.views.dissection import dissection_blocks

    place = Addition(args)
    with prints_aside():
        work = _Work(args, place)
        interrupted = work.go()
    with recorded_late(interrupted):
        session, record = work.save()
    spent = [run for cell in record.cells for run in cell.runs]
    where = place.where(spent[-1]) if spent else place.name
    found = summary(session, record)
    if interrupted:
        told = (
            f"the {found.runs} finished runs are in {where}; continue with --resume {record.id}"
            if found.runs
            else "no run was finished"
        )
        raise KeyboardInterrupt(f"interrupted; {told}")
    document = partial(DissectDocument.about, found, record, where, place.kept.beyond(place.name))
    blocks = (*dissection_blocks(found, record, where), Code(place.more_files()))
    answer(args, document, blocks, quiet=True)
    return 2 if found.runs and not any(row.rate.counted for row in found.rows) else 0


class _Work:
    """A dissection and the session that it is recorded in."""

    def __init__(self, args: Namespace, place: Addition) -> None:
        from planscope.dissection.engine import Dissector
        from planscope.dissection.options import DissectOptions
        from planscope.session.model import CULPRIT_BUDGET

        self.place, session = place, place.session
        resume = _resumed(session, args)
        method = resume.method if resume is not None else args.method or "rates"
        if method == "paper":
            leave_out(args, ("culprit_budget", "no_culprit"), "needs --method rates; leave it out")
        if args.no_culprit:
            leave_out(args, ("culprit_budget",), "has no effect with --no-culprit; leave one out")
        more = 0 if args.no_culprit or method == "paper" else CULPRIT_BUDGET
        more = more if args.culprit_budget is None else args.culprit_budget
        self.filling = Filling(place, args.budget + more)
        variant, begin = _begin(session, args, resume)
        read_variant(variant)
        self.variant = variant.id
        self.progress = _Progress(args.budget + more)
        self.saved = time.monotonic()
        self.dissector: Dissector = Dissector(
            session,
            variant,
            DissectOptions.of(
                options_of(args),
                method=method,
                budget=args.budget,
                culprit_budget=more,
                at_once=args.at_once,
            ),
            run=begin,
            resume=resume,
            on_run=self._ended,
        )

    def go(self) -> bool:
        """Run until the cause is clear or the budget is spent. Return True if interrupted."""
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
            self.saved = math.inf  # do not save again if saving fails now: the last save reports it
            with suppress(UserError):
                check_nobody_writes(self.place.target)
                self.save()

    def save(self) -> tuple[Session, Dissection]:
        """Write the runs so far into the session file, which may have changed since it was read."""
        from planscope.documents.dissection import say_constraints

        with self.place.adding(self.variant) as session:
            record = self.dissector.add_to(session)
            say_constraints(session, record)
        self.saved = time.monotonic()
        return session, record


def _resumed(session: Session, args: Namespace) -> Dissection | None:
    """Return the dissection to continue, if any. Raises UserError for an option that would change what it began as."""
    wanted = args.resume
    if wanted is None:
        return None
    for one in session.dissections:
        if one.id == wanted:
            for name in ("method", "seed", "variant", "run"):
                if getattr(args, name) not in (None, had := getattr(one, name)):
                    raise UserError(f"dissection {wanted} has {name} {had}; leave --{name} out")
            return one
    known = listed(d.id for d in session.dissections) or "it has none"
    raise UserError(f"the session has no dissection {wanted!r}; its dissections: {known}")


def _begin(session: Session, args: Namespace, resume: Dissection | None) -> tuple[Variant, Run | None]:
    """Return the query, and the failed run to start from, if there is one."""
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


def _named(session: Session, args: Namespace) -> tuple[Variant, Run]:
    """Return the run that ``--run`` names, with its query. Raises UserError if it did not fail."""
    run = need_run(session, args.run)
    if args.variant is not None and chosen_variant(session, args.variant).id != run.variant:
        raise UserError(
            f"run {run.id} is of variant {run.variant}, not of {args.variant}; leave --run or --variant out"
        )
    variant = chosen_variant(session, run.variant)
    read_variant(variant)
    verdict = judge(session, run).replay.verdict().verdict
    if verdict == "right":
        raise UserError(
            f"run {run.id} is right, so there is no failure to dissect; name a failed run with --run"
        )
    if verdict != "wrong":
        raise UserError(f"run {run.id} cannot be judged ({verdict}); name a failed run with --run")
    return variant, run


class _Progress(ProgressLine):
    """Shows how many runs are done, after the first second."""

    def __init__(self, budget: int) -> None:
        super().__init__()
        self._budget = budget
        self._began = time.monotonic()
        self._done = 0

    def one_more(self) -> None:
        """Count one finished run."""
        self._done += 1
        took = time.monotonic() - self._began
        if took >= 1:
            left = took / self._done * max(0, self._budget - self._done)
            self.show(f"run {self._done} of at most {self._budget}, at most {time_left(left)}")


COMMANDS = {
    "dissect": Command(
        ABOUT,
        "planscope dissect first-look --model sim:word-blind -o out.planscope.json",
        _DISSECT,
        _dissect,
    )
}
