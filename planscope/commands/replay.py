"""``planscope replay``: every step of a run, judged."""

from __future__ import annotations

import argparse

from planscope.case import check_size, judge, need_run
from planscope.commands.common import add_run_choice, columns, open_session, print_json_stream, say_all
from planscope.errors import UserError

ABOUT = (
    "Show every step of a run, from before the first call to the end: whether the plan can still be finished "
    "(completable), is lost (doomed) or has a broken constraint, in how many ways it can go on, which moves "
    "are safe, and, where it is lost, the minimal core that says why."
)


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument("--json", action="store_true", help="print the steps as JSON")
    parser.add_argument(
        "--changes",
        action="store_true",
        help="with --json: of a step's constraints only those whose status it changed",
    )


def run(args: argparse.Namespace) -> int:
    from planscope.report import step_lines
    from planscope.session.record import help_of

    if args.changes and not args.json:
        raise UserError("--changes belongs to --json")
    session = open_session(args.session)
    chosen = need_run(session, args.run)
    replay = judge(session, chosen).replay
    if args.json:
        from planscope.documents.judgement import CheckDocument, ReplayDocument

        check_size(replay)
        check = CheckDocument.about(replay, replay.verdict(), helped=help_of(chosen))
        print_json_stream(ReplayDocument.about(replay, chosen.id, changes=args.changes, check=check))
    else:
        say_all(step_lines(replay, columns()))
    return 0
