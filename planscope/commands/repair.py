"""``planscope repair``: the nearest valid plan."""

from __future__ import annotations

import argparse

from planscope.case import judge, need_run
from planscope.commands.common import add_run_choice, open_session, print_json, say_all, whole
from planscope.errors import UserError

ABOUT = (
    "Find the valid plan that is nearest to what the agent did: with the fewest swaps of neighbours, then the "
    "smallest changes of start hours. What was never done is inserted, what was done again is left out."
)


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument(
        "--from-step",
        metavar="K",
        type=whole(0),
        default=0,
        help="keep the first K calls as they were made (default 0)",
    )
    parser.add_argument("--json", action="store_true", help="print the plan as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.report import repair_lines

    session = open_session(args.session)
    chosen = need_run(session, args.run)
    replay = judge(session, chosen).replay
    last = len(replay.facts)
    if args.from_step > last:
        raise UserError(f"the run has steps 0 to {last}, so --from-step {args.from_step} is none of them")
    fixed = replay.repair(args.from_step)
    if args.json:
        from planscope.documents.judgement import RepairDocument

        print_json(RepairDocument.of(fixed, run=chosen.id, from_step=args.from_step).as_data())
    else:
        say_all(repair_lines(replay, fixed))
    return 0
