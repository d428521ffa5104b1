"""Commands that judge a run: check, replay, repair, reasons."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from planscope.case import check_size, find_run, judge, need_run
from planscope.commands import Command
from planscope.commands.common import (
    add_run,
    add_run_choice,
    columns,
    open_session,
    print_json,
    print_json_stream,
    quoted,
    say,
    say_all,
    whole,
)
from planscope.errors import UserError
from planscope.safe import clip

if TYPE_CHECKING:
    from planscope.documents.judgement import CheckDocument, CoreDocument, CorrectionDocument, ReasonsDocument
    from planscope.oracle.judged import JudgedRun
    from planscope.session.model import Run, Session

CHECK_ABOUT = (
    "Judge a run: right or wrong, the first violation, and why. Exit status 0 for right, 1 for wrong, 2 if this cannot "
    "be decided: the run was aborted or is not over, or the session has no run."
)
STATUS = {"right": 0, "wrong": 1}
UNCONFIRMED = "Z3 does not confirm this result: a bug in planscope. Please report it with the session."


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "session",
        metavar="SESSION|TRACE",
        help="a session: its name, its file, an exported page or test; - (standard input); or, with --rules, traces: a "
        "file, a folder or a glob",
    )
    add_run(parser)
    parser.add_argument("--rules", metavar="FILE", help="judge by the rules of this file")
    parser.add_argument("--junit", metavar="FILE", help="with --rules: write JUnit XML")
    parser.add_argument("--sarif", metavar="FILE", help="with --rules: write SARIF")
    parser.add_argument(
        "--succeeded-only", action="store_true", help="with --rules: leave failed calls out of the traces"
    )
    parser.add_argument("--branches", action="store_true", help="with --rules: judge rewound branches too")
    parser.add_argument(
        "--running",
        action="store_true",
        help="with --rules: traces may go on, so what is owed at their end is not decided",
    )
    parser.add_argument(
        "--details",
        metavar="N",
        type=whole(0),
        default=100,
        help="with --rules: explain and repair the first N wrong traces (default 100)",
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.add_argument("--strict", action="store_true", help="count warnings as errors")
    parser.add_argument(
        "--no-certify", action="store_true", help="do not ask Z3 to confirm the verdict and its core"
    )


def _check(args: argparse.Namespace) -> int:
    if args.rules is not None:
        from planscope.commands.check_rules import check_with_rules

        return check_with_rules(args)
    for name in ("junit", "sarif", "succeeded_only", "branches", "running"):
        if getattr(args, name):
            raise UserError(f"--{name.replace('_', '-')} needs --rules FILE; name a file of rules")
    session = open_session(args.session)
    chosen = find_run(session, args.run)
    document, replay = _judge(args, session, chosen)
    with suppress(BrokenPipeError):  # the exit status still tells the verdict
        if args.json:
            print_json(document.as_data())
        else:
            _tell_verdict(document, chosen, replay, args)
    return STATUS.get(document.verdict, 2)


def _judge(
    args: argparse.Namespace, session: Session, chosen: Run | None
) -> tuple[CheckDocument, JudgedRun | None]:
    from planscope.documents.judgement import CheckDocument
    from planscope.session.record import help_of

    if chosen is None:
        return CheckDocument.of_nothing("The session has no run.", run=None), None
    replay = judge(session, chosen).replay
    certified = None if args.no_certify else replay.certify()
    verdict = replay.verdict(strict=args.strict)
    more = {"certified": certified, "run": chosen.id, "helped": help_of(chosen)}
    if certified is False:
        verdict = replace(verdict, verdict="unknown", error_type=None)
        more["explanation"] = UNCONFIRMED
    return CheckDocument.about(replay, verdict, **more), replay


def _tell_verdict(
    document: CheckDocument, chosen: Run | None, replay: JudgedRun | None, args: argparse.Namespace
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
        None: "" if args.no_certify or replay.problem.unjudged else "; Z3 could not confirm it",
    }
    agent = clip(help.agent(chosen.agent), 40)
    by = f"run {clip(chosen.id, 40)}: agent {agent}, model {clip(chosen.model, 60)}"
    say(by + confirmed[document.certified])


REPLAY_ABOUT = (
    "Show every step of a run, from before the first call to the end: the state of the plan (possible, lost or "
    "violated), how many valid orders are left, which calls are safe next, and the unsat core once the plan is lost. "
    "JSON calls these states completable, doomed and broken."
)


def _add_replay(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument("--rules", metavar="FILE", help="judge a trace, or a run, by the rules of this file")
    parser.add_argument("--json", action="store_true", help="print the steps as JSON")
    parser.add_argument(
        "--changes",
        action="store_true",
        help="with --json: at each step only the constraints that changed",
    )


def _replay(args: argparse.Namespace) -> int:
    if args.rules is not None:
        from planscope.commands.check_rules import replay_with_rules

        return replay_with_rules(args)
    from planscope.report import step_lines
    from planscope.session.record import help_of

    if args.changes and not args.json:
        raise UserError("--changes needs --json; add it, or leave --changes out")
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


REPAIR_ABOUT = (
    "Find the correct plan nearest to what the agent did: the fewest swaps of neighbours, then the smallest changes of "
    "start hours. Missing actions are inserted, repeated ones removed."
)


def _add_repair(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument(
        "--from-step",
        metavar="K",
        type=whole(0),
        default=0,
        help="keep the first K calls as they are (default 0)",
    )
    parser.add_argument("--json", action="store_true", help="print the plan as JSON")


def _repair(args: argparse.Namespace) -> int:
    from planscope.report import repair_lines

    session = open_session(args.session)
    chosen = need_run(session, args.run)
    replay = judge(session, chosen).replay
    last = len(replay.facts)
    if args.from_step > last:
        raise UserError(f"--from-step {args.from_step}: there is no such step; the steps are 0 to {last}")
    fixed = replay.repair(args.from_step)
    if args.json:
        from planscope.documents.judgement import RepairDocument

        print_json(RepairDocument.of(fixed, run=chosen.id, from_step=args.from_step).as_data())
    else:
        say_all(repair_lines(replay, fixed))
    return 0


REASONS_ABOUT = (
    "List every reason why a plan is lost: the minimal unsat cores (requirements and steps that cannot all hold) and "
    "the minimal corrections (what to drop so that the rest can hold). Without a run, or with --step 0, this is about "
    "the query alone."
)

CONFIRM_LIMIT = 2_000
"""Milliseconds that Z3 has to confirm one core or correction."""


def _add_reasons(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument(
        "--step",
        metavar="K",
        help="the step: a number, or end (default: where the last attempt was lost)",
    )
    parser.add_argument(
        "--most",
        metavar="N",
        type=whole(1, 100_000),
        default=100,
        help="list at most N of each (default 100)",
    )
    parser.add_argument(
        "--seconds",
        metavar="S",
        type=whole(1, 1_000_000),
        default=60,
        help="search for at most S seconds (default 60), then confirm for at most S seconds",
    )
    parser.add_argument("--json", action="store_true", help="print cores and corrections as JSON")
    parser.add_argument("--no-certify", action="store_true", help="do not ask Z3 to confirm them")


def _reasons(args: argparse.Namespace) -> int:
    from planscope.documents.judgement import ReasonsDocument

    session = open_session(args.session)
    chosen = find_run(session, args.run)
    replay = judge(session, chosen).replay
    index = None if args.step is None else _index(replay, args.step)
    found = replay.reasons(index, most=args.most, stopped=_after(args.seconds))
    certified = None
    if found.cores and not args.no_certify:
        certified = replay.certify_reasons(found, CONFIRM_LIMIT, stopped=_after(args.seconds))
    if replay.problem.unjudged and not args.json:
        say(f"{replay.problem.unjudged}.")
        return 0
    document = ReasonsDocument.about(replay, found, chosen.id if chosen else None, certified)
    if args.json:
        print_json(document.as_data())
    else:
        say_all(_reason_lines(document, args.no_certify, columns()))
    return 0


def _after(seconds: int) -> Callable[[], bool]:
    """Return a function that tells whether ``seconds`` have passed since this call."""
    over = time.monotonic() + seconds
    return lambda: time.monotonic() > over


def _index(replay: JudgedRun, step: str) -> int:
    """Return the index of the step that was typed. Raises UserError if the run has no such step."""
    last = len(replay.facts)
    if step == "end" and replay.steps[-1].step == "end":
        return len(replay.steps) - 1
    if step.isascii() and step.isdigit() and len(step) <= 9 and int(step) <= last:
        return int(step)
    known = f"0 to {last}" if last else "0"
    end = " and end" if replay.steps[-1].step == "end" else ""
    raise UserError(f"there is no step {quoted(step)}; the steps are {known}{end}")


def _reason_lines(document: ReasonsDocument, unasked: bool, width: int) -> Iterator[str]:
    from planscope.report import sentence
    from planscope.wording.phrases import at_step
    from planscope.wording.terms import COMPLETE_MEANS, CONFLICT_MEANS, SEARCH_ENDS, STATE_MEANS
    from planscope.wording.terms import sentence as as_sentence

    step = document.step
    where = at_step(step).capitalize()
    cores, corrections = document.cores, document.corrections
    if not cores:
        complete = step == "end" and document.state == "completable"
        means = COMPLETE_MEANS if complete else STATE_MEANS[document.state]
        lost = document.state in ("doomed", "broken")
        more = "; the time limit passed before a core was found" if lost else ""
        yield from sentence(f"{where}, {means}{more}.", width)
        return
    yield f"{where} the plan is lost. Minimal cores ({CONFLICT_MEANS}): {len(cores)}"
    yield from _each(cores, width)
    yield ""
    yield f"Minimal corrections (drop these and the rest can be met): {len(corrections)}"
    yield from _each(corrections, width)
    yield ""
    ended = SEARCH_ENDS[document.ended]
    if document.ended == "most":
        ended += "; --most N lists more"
    elif document.ended == "stopped":
        ended += "; --seconds S extends it"
    yield from sentence(as_sentence(ended), width)
    certified = document.certified
    if certified is False:
        yield from sentence(UNCONFIRMED, width)
    elif not unasked:
        yield "Z3 confirms each of them." if certified else "Z3 could not confirm all of them."


def _each(sets: Sequence[CoreDocument | CorrectionDocument], width: int) -> Iterator[str]:
    from planscope.report import sentence
    from planscope.wording.phrases import step_name

    for number, one in enumerate(sets, 1):
        members = [*one.constraints, *map(step_name, one.steps)]
        yield from sentence(", ".join(members), width, f"{number:>4}  ")
        yield from sentence(one.explanation, width, "      ")


COMMANDS = {
    "check": Command(CHECK_ABOUT, "planscope check first-look", _add_check, _check),
    "replay": Command(REPLAY_ABOUT, "planscope replay first-look", _add_replay, _replay),
    "repair": Command(REPAIR_ABOUT, "planscope repair first-look --from-step 1", _add_repair, _repair),
    "reasons": Command(REASONS_ABOUT, "planscope reasons first-look", _add_reasons, _reasons),
}
