"""Commands that judge a run: check, replay, repair, reasons."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from planscope.case import Asked, asked_in, asked_run, asked_trace, check_size, find_run
from planscope.commands import Command
from planscope.commands.common import (
    RUN,
    RUN_CHOICE,
    open_session,
    print_json,
    print_json_stream,
    say,
    say_all,
    tell,
    whole,
)
from planscope.errors import UserError
from planscope.safe import clip

if TYPE_CHECKING:
    from planscope.documents.judgement import CoreDocument, CorrectionDocument, ReasonsDocument
    from planscope.language.problem import Problem
    from planscope.oracle.verdict_types import Verdict
    from planscope.session.model import Run, Session
    from planscope.show.blocks import Block

CHECK_ABOUT = (
    "Judge a run: right or wrong, the first violation, and why. Exit status 0 for right, 1 for wrong, 2 if this cannot "
    "be decided: the run was aborted or is not over, or the session has no run. Traces need "
    "--rules to be judged; without them, check seeks the most likely cause alone."
)
STATUS = {"right": 0, "wrong": 1}


_RULES = ("--rules FILE", "judge a trace, or a run, by the rules of this file")
_CHECK = (
    (
        "session SESSION|TRACE",
        "a session: its name, its file, an exported page or test; - (standard input); or traces: a file or a "
        "folder, or, with --rules, a glob",
    ),
    RUN,
    ("--rules FILE", "judge by the rules of this file"),
    ("--junit FILE", "with --rules: write JUnit XML"),
    ("--sarif FILE", "with --rules: write SARIF"),
    ("--succeeded-only", "with --rules: leave failed calls out of the traces"),
    ("--branches", "with --rules: judge rewound branches too"),
    (
        "--running",
        "with --rules: traces may go on, so what is owed at their end is not decided; of standard input (-) each "
        "change is told when it comes",
    ),
    (
        "--details N",
        "with --rules: explain and repair the first N wrong traces (default 20)",
        whole(0),
        20,
    ),
    (
        "--tools FILE",
        "with --rules: names or definitions of tools that there are, besides those of the traces",
    ),
    (
        "--allow-unknown",
        "with --rules: a rule about a tool that nothing calls or defines is a warning, and not undecided",
    ),
    ("--json", "print the verdict as JSON"),
    ("--strict", "count warnings as errors"),
    ("--no-certify", "do not ask Z3 to confirm the verdict and its core"),
)


def _check(args: Namespace) -> int:
    session = _session(args.session) if args.rules is None else None
    if session is None:
        from planscope.commands.check_rules import check_with_rules

        return check_with_rules(args)
    from planscope.documents.judgement import CheckDocument
    from planscope.wording.terms import NO_RUN

    chosen = find_run(session, args.run)
    if chosen is None:
        told = CheckDocument.of_nothing(run=None)
        with suppress(BrokenPipeError):
            if args.json:
                print_json(told)
            else:
                say_all((NO_RUN.upper(), told.explanation))
        return 2
    asked = asked_run(session, chosen)
    verdict = asked.verdict(strict=args.strict, certify=not args.no_certify)
    with suppress(BrokenPipeError):  # the exit status still tells the verdict
        if args.json:
            print_json(CheckDocument.about(asked.replay, verdict, run=chosen.id, helped=asked.help))
        else:
            _tell_verdict(asked, chosen, verdict)
    return STATUS.get(verdict.verdict, 2)


def _session(name: str) -> Session | None:
    """Return the session of that name, or None for a file or a folder with calls in traces. Raises UserError."""
    try:
        return open_session(name)
    except UserError:
        from planscope.traces import Unreadable, open_traces

        if name != "-" and os.path.lexists(name):
            with suppress(Unreadable):
                if any(trace.calls for trace in open_traces([name])):
                    return None
        raise


def _tell_verdict(asked: Asked, run: Run, verdict: Verdict) -> None:
    from planscope.report import verdict_blocks
    from planscope.wording.terms import CERTIFICATES

    helped = asked.help
    tell(verdict_blocks(asked.replay, verdict, helped))
    say()
    agent = clip(helped.agent(run.agent), 40)
    proof = CERTIFICATES[verdict.proof] if verdict.proof in ("confirmed", "gave_up") else ""
    by = f"run {clip(run.id, 40)}: agent {agent}, model {clip(run.model, 60)}"
    say(f"{by}; {proof}" if proof else by)


REPLAY_ABOUT = (
    "Show every step of a run, from before the first call to the end: the state of the plan (possible, lost or "
    "violated), how many valid orders are left, which calls are safe next, and the unsat core once the plan is lost. "
    "JSON calls these states completable, doomed and broken."
)


_REPLAY = (
    *RUN_CHOICE,
    _RULES,
    ("--json", "print the steps as JSON"),
    ("--changes", "with --json: at each step only the constraints that changed"),
)


def _replay(args: Namespace) -> None:
    from planscope.report import step_blocks

    asked = _asked(args)
    if args.json:
        from planscope.documents.judgement import ReplayDocument

        check_size(asked.replay)
        print_json_stream(ReplayDocument.asked(asked, changes=args.changes))
    else:
        tell(step_blocks(asked.replay))


def _asked(args: Namespace, *, need: bool = True) -> Asked:
    """Judge what a command names: a run of a session, or with --rules also a trace. ``need``: there must be a run."""
    if args.rules is None:
        return asked_in(open_session(args.session), args.run, need=need)
    from planscope.commands.check_rules import one_trace, rules_about, session_or_traces

    named, where = session_or_traces(args.session)
    file = rules_about(args, named, where)[0]
    if named is not None:
        return asked_in(named, args.run, file, need)
    return asked_trace(one_trace(where, args.run), file)


REPAIR_ABOUT = (
    "Find the correct plan nearest to what the agent did: the fewest swaps of neighbours, then the smallest changes of "
    "start hours. Missing actions are inserted, repeated ones removed."
)


_REPAIR = (
    *RUN_CHOICE,
    ("--from-step K", "keep the first K calls as they are (default 0)", whole(0), 0),
    _RULES,
    ("--json", "print the plan as JSON"),
)


def _repair(args: Namespace) -> None:
    from planscope.report import repair_blocks

    asked = _asked(args)
    replay, last = asked.replay, len(asked.replay.facts)
    if args.from_step > last:
        raise UserError(f"--from-step {args.from_step}: there is no such step; the steps are 0 to {last}")
    if args.json and asked.of_calls:
        from planscope.documents.rules import RulesRepairDocument

        print_json(RulesRepairDocument.about(replay))
    elif args.json:
        from planscope.documents.judgement import RepairDocument

        print_json(RepairDocument.about(replay, asked.id, args.from_step))
    else:
        tell(repair_blocks(replay, replay.repair(args.from_step)))


REASONS_ABOUT = (
    "List every reason why a plan is lost: the minimal unsat cores (requirements and steps that cannot all hold) and "
    "the minimal corrections (what to drop so that the rest can hold). Without a run, or with --step 0, this is about "
    "the query alone."
)

_REASONS = (
    *RUN_CHOICE,
    ("--step K", "the step: a number, or end (default: where the last attempt was lost)"),
    ("--most N", "list at most N of each (default 100)", whole(1, 100_000), 100),
    (
        "--seconds S",
        "search for at most S seconds (default 60), then confirm for at most S seconds",
        whole(1, 1_000_000),
        60,
    ),
    _RULES,
    ("--json", "print cores and corrections as JSON"),
    ("--no-certify", "do not ask Z3 to confirm them"),
)


def _reasons(args: Namespace) -> None:
    from planscope.documents.judgement import ReasonsDocument

    asked = _asked(args, need=False)
    replay = asked.replay
    found, proof = asked.reasons(args.step, args.most, args.seconds, certify=not args.no_certify)
    if replay.problem.unjudged and not args.json:
        say(f"{replay.problem.unjudged}.")
        return
    document = ReasonsDocument.about(replay, found, asked.id, proof)
    if args.json:
        print_json(document)
    else:
        tell(_reason_blocks(document, replay.problem))


def _reason_blocks(document: ReasonsDocument, problem: Problem) -> Iterator[Block]:
    from planscope.show.blocks import GAP, Code, Para
    from planscope.wording.phrases import at_step, state_means, what_is_lost
    from planscope.wording.terms import CERTIFICATES, CONFLICT_MEANS, SEARCH_ENDS, sentence

    step = document.step
    where = at_step(step).capitalize()
    cores, corrections = document.cores, document.corrections
    if not cores:
        means = state_means(problem, document.state, step == "end")
        lost = document.state in ("doomed", "broken")
        more = "; the time limit passed before a core was found" if lost else ""
        yield Para(f"{where}, {means}{more}.")
        return
    first = f"{where} {what_is_lost(problem)} is lost. Minimal cores ({CONFLICT_MEANS}): {len(cores)}"
    yield from (Code([first]), *_each(cores), GAP)
    yield Code([f"Minimal corrections (drop these and the rest can be met): {len(corrections)}"])
    yield from (*_each(corrections), GAP)
    ended = SEARCH_ENDS[document.ended]
    if document.ended == "most":
        ended += "; --most N lists more"
    elif document.ended == "stopped":
        ended += "; --seconds S extends it"
    yield Para(sentence(ended))
    said = CERTIFICATES["denied"] if document.proof == "denied" else "Z3 confirms each of them."
    if document.proof == "gave_up":
        said = "Z3 gave up before it had confirmed all of them."
    if document.proof != "not_asked":
        yield Para(said)


def _each(sets: Sequence[CoreDocument | CorrectionDocument]) -> Iterator[Block]:
    from planscope.show.blocks import Para
    from planscope.wording.phrases import step_name

    for number, one in enumerate(sets, 1):
        members = [*one.constraints, *map(step_name, one.steps)]
        yield Para(", ".join(members), f"{number:>4}  ")
        yield Para(one.explanation, "      ")


COMMANDS = {
    "check": Command(CHECK_ABOUT, "planscope check first-look", _CHECK, _check),
    "replay": Command(REPLAY_ABOUT, "planscope replay first-look", _REPLAY, _replay),
    "repair": Command(REPAIR_ABOUT, "planscope repair first-look --from-step 1", _REPAIR, _repair),
    "reasons": Command(REASONS_ABOUT, "planscope reasons first-look", _REASONS, _reasons),
}
