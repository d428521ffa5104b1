"""``planscope run``: an agent on a session's query."""

from __future__ import annotations

import argparse
import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.case import judge, read_variant
from planscope.commands.common import (
    columns,
    is_text,
    open_session,
    print_json,
    quoted,
    say,
    say_all,
    session_path,
    whole,
)
from planscope.commands.recording import (
    add_agent_choice,
    chosen_variant,
    cost_line,
    limits_of,
    opened_to_add,
    prints_aside,
    record,
    recorded_late,
    target_of,
)
from planscope.errors import UserError
from planscope.safe import clip

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay
    from planscope.session.model import Run, Session, Variant

ABOUT = (
    "Run an agent on a session's request, on mock tools, and record it in the session. The exit status is 0 "
    "whatever the verdict, and 2 if the run was aborted (it is recorded all the same)."
)
LONGEST = 7 * 24 * 3600.0
"""Seconds that a run may be given."""

MOST_TIMES = 1000
"""Runs of one call: all of them are kept in one file."""


def add(parser: argparse.ArgumentParser) -> None:
    add_agent_choice(parser, "sim:careful, sim:literal")
    parser.add_argument("--variant", metavar="ID", help="which variant of the request (default: the newest)")
    parser.add_argument("--seed", type=whole(0), metavar="N", help="seed of a simulated model (default 0)")
    parser.add_argument("--role", metavar="TEXT", help="a role prompt for the agent")
    parser.add_argument("--prompts", type=Path, metavar="FILE", help="prompt templates of your own (TOML)")
    parser.add_argument(
        "--times", type=whole(1, MOST_TIMES), metavar="N", help="run N times and give the rate"
    )
    parser.add_argument(
        "--at-once",
        type=whole(1, 64),
        metavar="N",
        default=8,
        help="with --times: runs at a time (default 8)",
    )
    parser.add_argument(
        "--guard", action="store_true", help="refuse calls that would doom the plan, and tell the agent why"
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="show the run in the debugger while it happens, pausing at breakpoints",
    )
    parser.add_argument(
        "--break",
        dest="breaks",
        action="append",
        metavar="B",
        help="with --live: a breakpoint: doomed, 'step 3', 'tool NAME', 'breaks c2', error, "
        "'when valid_completions < 3' (repeatable)",
    )
    parser.add_argument("--stepping", action="store_true", help="with --live: pause before every call")
    parser.add_argument("--tracing", action="store_true", help="let LangSmith have the run, if it is set up")
    parser.add_argument("--base-url", metavar="URL", help="a server that speaks the provider's protocol")
    parser.add_argument("--max-seconds", type=_seconds, metavar="S", help="limit of time (default 180)")
    parser.add_argument("--max-calls", type=whole(1), metavar="N", help="limit of model calls (default 50)")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write here, not into SESSION")
    parser.add_argument("--json", action="store_true", help="print what happened as JSON")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= LONGEST:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is not a number of seconds, above 0 and at most a week"
        )
    return value


def run(args: argparse.Namespace) -> int:
    if args.role is not None and not is_text(args.role):
        raise UserError("--role is not UTF-8 text")
    if not args.live and (args.breaks or args.stepping):
        raise UserError("--break and --stepping belong to --live")
    source = session_path(args.session)
    if args.live:
        from planscope.commands.run_live import run_live
        from planscope.language.prompts import templates

        session = open_session(args.session)
        variant = chosen_variant(session, args.variant)
        read_variant(variant)
        templates(args.prompts)  # raises
        return run_live(args, source, variant)
    target = target_of(args, source)
    session, read = opened_to_add(args.session)
    variant = chosen_variant(session, args.variant)
    read_variant(variant)
    if args.times is not None:
        from planscope.commands.run_times import run_times

        return run_times(args, session, variant, source, target, read)
    with prints_aside():
        made, interrupted = _go(args, session, variant)
    with recorded_late(interrupted):
        session, kept = record([made], session, source, target, read)
    recorded = session.runs[-1]
    where = kept.where(recorded.id, str(args.output or target))
    if interrupted:
        raise KeyboardInterrupt(f"interrupted; what happened until then is run {recorded.id} in {where}")
    replay = judge(session, recorded).replay
    with suppress(BrokenPipeError):  # the run is recorded, whoever reads
        _tell(args, recorded, replay, where)
    return 2 if replay.verdict().verdict == "aborted" else 0


def _go(args: argparse.Namespace, session: Session, variant: Variant) -> tuple[Run, bool]:
    """The run, and whether it was interrupted: what happened until then is worth keeping."""
    from planscope.agents.runner import LiveRun, prepare
    from planscope.session.model import next_run_id

    live = LiveRun(
        variant,
        model=args.model,
        agent=args.agent,
        seed=args.seed,
        role=args.role,
        prompts=args.prompts,
        base_url=args.base_url,
        guard=args.guard,
        tracing=args.tracing,
        limits=limits_of(args, variant),
        run_id=next_run_id(session),
    )
    prepare()
    try:
        return live.wait(), False
    except KeyboardInterrupt:
        if not live.run.events:
            raise
        return live.run, True


def _tell(args: argparse.Namespace, made: Run, replay: Replay, where: str) -> None:
    from planscope.documents.runs import RunDocument
    from planscope.report import sentence
    from planscope.session.record import cost_of, help_of
    from planscope.wording.explain import explain_verdict
    from planscope.wording.phrases import plural, verdict_line

    verdict = replay.verdict()
    if args.json:
        print_json(RunDocument.about(made, replay, cost_of(made), where).as_data())
        return
    calls, help = len(replay.facts), help_of(made)
    say(verdict_line(verdict, help.note))
    say_all(sentence(explain_verdict(replay, verdict), columns()))
    say()
    by = f"run {made.id}: agent {clip(help.agent(made.agent), 40)}, model {clip(made.model, 60)}"
    say(cost_line(cost_of(made)))
    say(f"{by}, {plural(calls, 'call')}; recorded in {where}")
