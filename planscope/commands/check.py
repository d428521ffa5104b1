"""``planscope check``: is a run right?"""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from planscope.case import find_run, judge
from planscope.commands.common import add_run_choice, columns, open_session, print_json, say, say_all
from planscope.safe import clip

if TYPE_CHECKING:
    from planscope.documents.judgement import CheckDocument
    from planscope.oracle.replay import Replay
    from planscope.session.model import Run, Session

ABOUT = (
    "Judge a run. The exit status says it, too: 0 right, 1 wrong, 2 where nothing can be told (the run was "
    "aborted, is not over, or there is none)."
)
STATUS = {"right": 0, "wrong": 1}
UNCONFIRMED = "Z3 does not confirm what planscope found; please report this session."


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument("--strict", action="store_true", help="warnings fail a run that is otherwise right")
    parser.add_argument(
        "--no-certify", action="store_true", help="do not ask Z3 to confirm the verdict and its core"
    )


def run(args: argparse.Namespace) -> int:
    session = open_session(args.session)
    chosen = find_run(session, args.run)
    document, replay = _judge(args, session, chosen)
    with suppress(BrokenPipeError):  # the status says it to those who stopped reading
        if args.json:
            print_json(document.as_data())
        else:
            _tell(document, chosen, replay, args)
    return STATUS.get(document.verdict, 2)


def _judge(
    args: argparse.Namespace, session: Session, chosen: Run | None
) -> tuple[CheckDocument, Replay | None]:
    from planscope.documents.judgement import CheckDocument
    from planscope.session.record import help_of

    if chosen is None:
        return CheckDocument.of_nothing("The session holds no run.", run=None), None
    replay = judge(session, chosen).replay
    certified = None if args.no_certify else replay.certify()
    verdict = replay.verdict(strict=args.strict)
    more = {"certified": certified, "run": chosen.id, "helped": help_of(chosen)}
    if certified is False:
        verdict = replace(verdict, verdict="unknown", error_type=None)
        more["explanation"] = UNCONFIRMED
    return CheckDocument.about(replay, verdict, **more), replay


def _tell(
    document: CheckDocument, chosen: Run | None, replay: Replay | None, args: argparse.Namespace
) -> None:
    from planscope.report import verdict_lines
    from planscope.session.record import help_of
    from planscope.wording.terms import VERDICTS

    if chosen is None or replay is None or document.certified is False:
        say(VERDICTS[document.verdict].upper())
        say(document.explanation)
        return
    help = help_of(chosen)
    say_all(verdict_lines(replay, replay.verdict(strict=args.strict), columns(), help))
    say()
    confirmed = {
        True: "; confirmed by Z3",
        None: ""
        if args.no_certify or replay.problem.unjudged
        else "; Z3 gave up before it could confirm this",
    }
    agent = clip(help.agent(chosen.agent), 40)
    by = f"run {clip(chosen.id, 40)}: agent {agent}, model {clip(chosen.model, 60)}"
    say(by + confirmed[document.certified])
