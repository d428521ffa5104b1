"""``planscope replay``: every step of a run, judged."""

from __future__ import annotations

import argparse

from planscope.commands.common import add_run_choice, judged, need_run, open_session, print_json, say

HELP = "show every step of a run: state, constraints, safe next moves, core"


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument("--json", action="store_true", help="print the steps as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.documents.judgement import replay_document, verdict_document
    from planscope.report import step_lines

    session = open_session(args.session)
    chosen = need_run(session, args.run)
    replay = judged(session, chosen)
    if args.json:
        document = replay_document(replay, chosen.id)
        print_json(document | {"check": verdict_document(replay.verdict())})
    else:
        for line in step_lines(replay):
            say(line)
    return 0
