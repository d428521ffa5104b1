"""``planscope run``: runs an agent on a session's query, once, many times, or live on the screen."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.case import judge, read_variant
from planscope.commands import Command
from planscope.commands.common import (
    BASE_URL,
    OUTPUT,
    answer,
    has_terminal,
    is_text,
    open_session,
    session_path,
    whole,
)
from planscope.commands.recording import (
    LIMITS,
    Addition,
    Filling,
    agent_choice,
    chosen_variant,
    limits_of,
    options_of,
    prints_aside,
    recorded_late,
)
from planscope.debugger.errors import DebuggerError
from planscope.errors import UserError
from planscope.oracle.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from planscope.agents.own_live import OwnRun
    from planscope.agents.runner import LiveRun
    from planscope.session.model import Run, Session, Variant

ABOUT = (
    "Run an agent on a session's query, with mock tools, and record the run in the session. Exit status 0 for right "
    "and wrong runs, 2 for an aborted one, which is recorded, too."
)
MOST_TIMES = 1000
"""The limit for the runs of one command, since one file keeps them all."""


_RUN = (
    *agent_choice("sim:careful, sim:literal"),
    ("--variant ID", "the variant of the query (default: the newest)"),
    ("--seed N", "seed of a simulated model (default 0)", whole(0)),
    ("--role TEXT", "a role prompt for the agent"),
    ("--prompts FILE", "a file with prompt templates of your own (TOML)", Path),
    ("--times N", "run N times and show the success rate", whole(1, MOST_TIMES)),
    ("--at-once N", "with --times: run N at the same time (default 8)", whole(1, 64), 8),
    ("--guard", "block calls that make the plan impossible; tells the agent why"),
    ("--live", "watch the run in the debugger; it pauses at breakpoints"),
    (
        "--break B...",
        "with --live: pause at doomed (the plan is lost), 'step 3', 'tool NAME', 'breaks c2' (violated), "
        "error, or 'when valid_completions < 3'; may be given more than once",
        {"dest": "breaks"},
    ),
    ("--stepping", "with --live: pause before every call"),
    ("--tracing", "upload the run to LangSmith, if that is set up"),
    BASE_URL,
    *LIMITS,
    OUTPUT,
    ("--json", "print the result as JSON"),
)


def _run(args: Namespace) -> int:
    if args.role is not None and not is_text(args.role):
        raise UserError("--role is not UTF-8 text")
    source = session_path(args.session)
    if args.live:
        from planscope.language.prompts import templates

        session = open_session(args.session)
        variant = chosen_variant(session, args.variant)
        read_variant(variant)
        templates(args.prompts)  # raises if the file of prompts cannot be used
        return run_live(args, source, session, variant)
    place = Addition(args)
    variant = chosen_variant(place.session, args.variant)
    read_variant(variant)
    if args.times is not None:
        return run_times(args, place, variant)
    return run_one(args, place, lambda: _live_run(args, place.session, variant))


def run_one(args: Namespace, place: Addition, make: Callable[[], LiveRun | OwnRun]) -> int:
    """Make a run, record it and report. Exit status 2 if it was aborted. An interrupted run is recorded, too."""
    with prints_aside():
        made, interrupted = _waited(make())
    with recorded_late(interrupted):
        (recorded,) = place.record([made])
    where = place.where(recorded.id)
    if interrupted:
        raise KeyboardInterrupt(f"interrupted; the run until then is recorded as {recorded.id} in {where}")
    from planscope.documents.runs import RunDocument
    from planscope.session.record import record_of
    from planscope.views.runs import made_blocks

    replay, record = judge(place.session, recorded).replay, record_of(recorded)
    document = partial(RunDocument.about, recorded, replay, record, where)
    answer(args, document, made_blocks(replay, record, where), quiet=True)
    return 2 if replay.trace.ending == "aborted" else 0


def _live_run(args: Namespace, session: Session, variant: Variant) -> LiveRun:
    from planscope.agents.runner import LiveRun
    from planscope.session.model import next_run_id

    options = options_of(args, limits_of(args, variant), session.rules)
    return LiveRun(variant, options, run_id=next_run_id(session))


def _waited(live: LiveRun | OwnRun) -> tuple[Run, bool]:
    """Return the run, and whether it was interrupted. An interrupted run is kept, too."""
    from planscope.agents.runner import prepare

    prepare()
    try:
        return live.wait(), False
    except KeyboardInterrupt:
        if not live.run.events:
            raise
        return live.run, True


def run_live(args: Namespace, path: Path, session: Session, variant: Variant) -> int:
    """Open the debugger on the session and start the run there. Raises UserError if it cannot start."""
    for name, given in (("--times", args.times), ("--json", args.json or None), ("-o", args.output)):
        if given is not None:
            raise UserError(f"--live shows one run on the screen, where you can save it; leave {name} out")
    if not has_terminal():
        raise UserError("--live needs a terminal; leave it out to record the run without one")
    from planscope.tui.controllers.live_run import RunChoice, RunRequest
    from planscope.tui.launch import run as run_app

    options = options_of(args, limits_of(args, variant))
    options.check()
    check_breakpoints(args.breaks or (), session, variant)
    choice = RunChoice.of(options, stepping=args.stepping)
    return run_app(path, live=RunRequest(choice, variant.id, tuple(args.breaks or ())))


def check_breakpoints(texts: Iterable[str], session: Session, variant: Variant) -> None:
    """Raise UserError for a breakpoint that cannot be used in a run of the variant."""
    from planscope.debugger.breakpoints import parse_breakpoint
    from planscope.debugger.run_index import RunIndex
    from planscope.oracle.replay import replay
    from planscope.rules.in_session import problem_in

    run = RunIndex(replay(problem_in(session, variant), Trace(ending="running")))
    for text in texts:
        try:
            parse_breakpoint(text, run)
        except DebuggerError as error:
            raise UserError(f"--break: {error}") from None


def run_times(args: Namespace, place: Addition, variant: Variant) -> int:
    """Run ``--times`` times, record and report. Exit status 2 if every run was aborted."""
    from planscope.documents.runs import ManyRunsDocument
    from planscope.session.record import record_of
    from planscope.session.run_list import outcome_of
    from planscope.session.tally import success
    from planscope.show.blocks import Code
    from planscope.views.runs import rate_blocks

    with prints_aside():
        recorded, made, interrupted = _run_many(args, variant, place)
    if interrupted and not (made or recorded):
        raise KeyboardInterrupt
    with recorded_late(interrupted):
        recorded += place.record(made) if made else []
    if interrupted:
        ended = "finished run is" if len(recorded) == 1 else f"{len(recorded)} finished runs are"
        places = " and ".join(file for file, _ in place.kept.named(place.name))
        raise KeyboardInterrupt(f"interrupted; the {ended} in {places}")
    verdicts = [judge(place.session, run).replay.verdict() for run in recorded]
    records = [record_of(run) for run in recorded]
    pairs = zip(verdicts, recorded, records, strict=True)
    rate = success((outcome_of(v, run), bool(one.help)) for v, run, one in pairs)
    where = place.where(recorded[0].id)
    files = place.kept.beyond(place.name)
    document = ManyRunsDocument.about(recorded, verdicts, records, rate, where, files)
    blocks = (*rate_blocks(document, records), Code(place.more_files()))
    answer(args, document, blocks, quiet=True)
    return 2 if rate.aborted == len(recorded) else 0


def _run_many(args: Namespace, variant: Variant, place: Addition) -> tuple[list[Run], list[Run], bool]:
    """Return the runs that were recorded already, the other finished ones in order, and whether the command was
    interrupted."""
    from planscope.agents.many_runs import run_many

    filling = Filling(place, args.times)
    recorded: list[Run] = []
    done: dict[int, Run] = {}

    def ended(number: int, run: Run) -> None:
        done[number] = run
        filling.one_more(run)
        if not filling.told and (early := place.record_early([done[n] for n in sorted(done)])):
            recorded.extend(early)
            done.clear()

    options = options_of(args, limits_of(args, variant), place.session.rules)
    interrupted = False
    try:
        run_many(variant, options, times=args.times, at_once=args.at_once, on_run=ended)
    except KeyboardInterrupt:
        interrupted = True
    return recorded, [done[n] for n in sorted(done)], interrupted


COMMANDS = {
    "run": Command(ABOUT, "planscope run first-look --model sim:literal -o my-run.planscope.json", _RUN, _run)
}
