"""``planscope reasons``: every minimal core of a run that failed, and everything that could have been given up."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from planscope.case import find_run, judge
from planscope.commands.common import (
    add_run_choice,
    columns,
    open_session,
    print_json,
    quoted,
    say,
    say_all,
    whole,
)
from planscope.errors import UserError
from planscope.wording.phrases import at_step, step_name
from planscope.wording.terms import COMPLETE_MEANS, CONFLICT_MEANS, SEARCH_ENDS, STATE_MEANS
from planscope.wording.terms import sentence as terms_sentence

if TYPE_CHECKING:
    from planscope.documents.judgement import CoreDocument, CorrectionDocument, ReasonsDocument
    from planscope.oracle.replay import Replay

ABOUT = (
    "Say why a run is lost, in every way there is: the minimal cores, requirements and steps that cannot go "
    "together, and the minimal corrections, what would have to be given up so that the rest can be met. For a "
    "session without a run it is about the request alone, as it is with --step 0."
)

PATIENCE = 2_000
"""Milliseconds that Z3 has for each question when it confirms."""


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument(
        "--step",
        metavar="K",
        help="at which step: a number, or end (default: the first at which the last attempt was lost)",
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
        help="search no longer than that (default 60); as long again may go into confirming",
    )
    parser.add_argument("--json", action="store_true", help="print cores and corrections as JSON")
    parser.add_argument("--no-certify", action="store_true", help="do not ask Z3 to confirm each of them")


def run(args: argparse.Namespace) -> int:
    from planscope.documents.judgement import ReasonsDocument
    from planscope.oracle.certificate import certify_reasons
    from planscope.oracle.reasons import reasons

    session = open_session(args.session)
    chosen = find_run(session, args.run)
    replay = judge(session, chosen).replay
    index = None if args.step is None else _index(replay, args.step)
    found = reasons(replay, index, most=args.most, stopped=_after(args.seconds))
    certified = None
    if found.cores and not args.no_certify:
        certified = certify_reasons(replay, found, PATIENCE, stopped=_after(args.seconds))
    if replay.problem.unjudged and not args.json:
        say(f"{replay.problem.unjudged}.")
        return 0
    document = ReasonsDocument.about(replay, found, chosen.id if chosen else None, certified)
    if args.json:
        print_json(document.as_data())
    else:
        say_all(_lines(document, args.no_certify, columns()))
    return 0


def _after(seconds: int) -> Callable[[], bool]:
    """Is the time over? It begins now."""
    over = time.monotonic() + seconds
    return lambda: time.monotonic() > over


def _index(replay: Replay, step: str) -> int:
    """The index of a step as it was typed. Raises UserError for one that is not there."""
    last = len(replay.facts)
    if step == "end" and replay.steps[-1].step == "end":
        return len(replay.steps) - 1
    if step.isascii() and step.isdigit() and len(step) <= 9 and int(step) <= last:
        return int(step)
    known = f"0 to {last}" if last else "0"
    end = " and end" if replay.steps[-1].step == "end" else ""
    raise UserError(f"there is no step {quoted(step)}: the steps are {known}{end}")


def _lines(document: ReasonsDocument, unasked: bool, width: int) -> Iterator[str]:
    from planscope.report import sentence

    step = document.step
    where = at_step(step).capitalize()
    cores, corrections = document.cores, document.corrections
    if not cores:
        lost = document.state in ("doomed", "broken")
        means = (
            COMPLETE_MEANS
            if step == "end" and document.state == "completable"
            else STATE_MEANS[document.state]
        )
        more = "; the time limit passed before a core was found" if lost else ""
        yield from sentence(f"{where}, {means}{more}.", width)
        return
    yield f"{where} the plan is lost. Minimal cores ({CONFLICT_MEANS}): {len(cores)}"
    yield from _each(cores, width)
    yield ""
    yield f"Minimal corrections (drop these and the rest can be met): {len(corrections)}"
    yield from _each(corrections, width)
    yield ""
    yield from sentence(_ended(document), width)
    certified = document.certified
    if certified is False:
        yield from sentence("Z3 does not confirm what planscope found; please report this session.", width)
    elif not unasked:
        yield "Z3 confirms each of them." if certified else "Z3 gave up before it could confirm all of them."


def _ended(document: ReasonsDocument) -> str:
    """How the search ended, and the option that makes it longer."""
    option = {"most": "; --most N looks for more", "stopped": "; --seconds S gives it more time"}
    return terms_sentence(SEARCH_ENDS[document.ended] + option.get(document.ended, ""))


def _each(sets: Sequence[CoreDocument | CorrectionDocument], width: int) -> Iterator[str]:
    from planscope.report import sentence

    for number, one in enumerate(sets, 1):
        members = [*one.constraints, *map(step_name, one.steps)]
        yield from sentence(", ".join(members), width, f"{number:>4}  ")
        yield from sentence(one.explanation, width, "      ")
