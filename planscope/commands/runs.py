"""``planscope runs``: lists the runs of a session and where they were lost; deletes and restores runs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from planscope.commands import Command
from planscope.commands.common import (
    SESSION,
    answer,
    changing,
    columns,
    error_type,
    open_session,
    output_file,
    quoted,
    say,
    whole,
)
from planscope.errors import UserError
from planscope.oracle.verdict_types import VERDICTS, VerdictKind, told
from planscope.session.run_list import MINE, Facet, ListedRun, listed_runs, losses_of, matches

if TYPE_CHECKING:
    from planscope.session.model import Session

ABOUT = (
    "List the runs of a session, and at which step they were lost; with WORDS or options only some of them. --delete "
    "and --restore change the session's file: what is deleted stays in it until --empty, and is never shared."
)


def _step(text: str) -> str:
    return text if text == "end" else str(whole(0)(text))


_RUNS = (
    SESSION,
    ("words WORDS*", "words in id, verdict, error, step, model or agent"),
    ("--verdict V", "right, wrong, aborted or unknown", VERDICTS),
    (
        "--error-type E",
        "an error that the list names, such as order_error (headline in JSON)",
        error_type,
    ),
    ("--lost K", "lost at this step: a number, or end", _step),
    ("--model M", "the model"),
    ("--agent A", "the agent"),
    ("--variant ID", "the query, by its id"),
    ("--own", "leave out the runs of dissections"),
    ("--json", "print JSON"),
    ("-o FILE", "write the listed runs, with their queries, to a session file"),
    (
        ("--delete ID+", "delete these runs or queries, and what depends on them"),
        ("--restore", "undo the last deletion"),
        ("--empty", "delete for good what was deleted"),
    ),
)


def _runs(args: Namespace) -> None:
    if args.delete or args.restore or args.empty:
        if args.words or args.output is not None or any(_facets(args)):
            raise UserError("--delete, --restore and --empty take no words, filters or -o; leave them out")
        _change(args)
        return
    session = open_session(args.session)
    listed = _listed(session, args)
    if args.output is not None:
        _write(session, listed, args.output)
        return
    from planscope.documents.runs import RunListDocument
    from planscope.views.runs import list_blocks

    losses = losses_of(listed)
    document = partial(RunListDocument.about, listed, losses, len(session.removed or ()))
    answer(args, document, list_blocks(session, listed, losses, columns()))


def _listed(session: Session, args: Namespace) -> list[ListedRun]:
    from planscope.rules.in_session import problem_in

    found = listed_runs(session, enumerate(session.runs, 1), problem_in)
    facets, words = list(_facets(args)), " ".join(args.words)
    return [one for one in found if matches(one, words, facets)]


def _facets(args: Namespace) -> Iterator[Facet]:

    verdict: VerdictKind | None = args.verdict
    as_told = [(judged, reason) for judged in (True, False) for reason in ("", "cut_off", "stopped")]
    words = {told(verdict, *one) for one in as_told} if verdict is not None else set()
    given = (
        *(Facet("verdict", one) for one in words),
        Facet("error", args.error_type or ""),
        Facet("lost", args.lost or ""),
        Facet("model", args.model or ""),
        Facet("agent", args.agent or ""),
        Facet("query", args.variant or ""),
        Facet("made", MINE if args.own else ""),
    )
    yield from (facet for facet in given if facet.value)


def _change(args: Namespace) -> None:
    from planscope.documents.runs import RunsChangedDocument
    from planscope.session.removal import delete_for_good, remove, take_back, text_of, with_dependents

    with changing(args.session) as session:
        if args.delete:
            runs, variants = {run.id for run in session.runs}, {one.id for one in session.variants}
            unknown = [id for id in args.delete if id not in runs | variants]
            if unknown:
                raise UserError(f"the session has no run or query {quoted(unknown[0])}")
            given = set(args.delete)
            parts = with_dependents(session, given & variants, given & runs)
            remove(session, parts)
            action = "delete"
            told = f"deleted: {parts.text} (planscope runs {args.session} --restore undoes it)"
        elif args.restore:
            action, told = "restore", f"restored: {text_of(take_back(session))}"
        else:
            action, told = "empty", f"deleted for good: {delete_for_good(session)} runs and queries"
    answer(args, partial(RunsChangedDocument.after, action, session), told)


def _write(session: Session, listed: Sequence[ListedRun], target: str) -> None:
    """Write the listed runs to a file, unredacted."""
    from planscope.session.store import save
    from planscope.sharing.formats import excerpt
    from planscope.wording.phrases import plural

    if not listed:
        raise UserError("no run matches; nothing was written")
    ids = {one.run.id for one in listed}
    part = excerpt(session, *(run for run in session.runs if run.id in ids))
    save(part, output_file(target))
    say(
        f"{plural(len(part.runs), 'run')} written to {target}; planscope export replaces private values in it"
    )


COMMANDS = {"runs": Command(ABOUT, "planscope runs cause-terminal wrong", _RUNS, _runs)}
