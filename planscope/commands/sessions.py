"""``planscope sessions``: lists and changes the library of sessions."""

from __future__ import annotations

import sys
import time
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.commands import Command, add_actions
from planscope.commands.common import (
    SESSION,
    answer,
    declare,
    error_type,
    output_file,
    print_json,
    say,
    session_path,
    tell,
)
from planscope.errors import UserError
from planscope.oracle.verdict_types import VERDICTS, told
from planscope.safe import clip
from planscope.session.locations import free_path, library_folder, make_folder, name_of, trash_folder
from planscope.show.blocks import REST, Block, Code, Heading, Para, Table
from planscope.wording.phrases import date, file_size, outcome, plural
from planscope.wording.terms import NO_RUN, ORIGINS, PENDING

if TYPE_CHECKING:
    from planscope.documents.library import RunLine, SessionDocument
    from planscope.session.library_index import Entry, Place
    from planscope.session.model import Session
    from planscope.session.recovery import LeftDraft, Recovery
    from planscope.session.tally import Outcome

ABOUT = (
    "List, show, rename, copy, delete and restore sessions: yours, and the bundled ones. Without ACTION: list. "
    "planscope sessions ACTION --help shows the options of an action."
)
LIST_LIMIT = 2.0
"""Seconds that a list for a person spends on judging runs without a stored verdict."""

PROGRAM_LIMIT = 30.0
"""Seconds for a list that a program reads, which cannot see that verdicts are missing."""


_JSON = ("--json", "print JSON")


def _add_sessions(parser: ArgumentParser) -> None:
    add_actions(parser, ACTIONS, "list")
    declare(parser, (*_JSON, None, SUPPRESS))


def _sessions(args: Namespace) -> None:
    args.json = getattr(args, "json", False)
    ACTIONS[args.action or "list"].run(args)


def _list(args: Namespace) -> None:
    from planscope.session.library import entries
    from planscope.session.library_index import search
    from planscope.session.recovery import recoveries

    given = {name: getattr(args, name, None) for name in ("verdict", "error_type", "agent", "model")}
    place: Place | None = getattr(args, "place", None)
    found = entries(*([place] if place else []))
    if not getattr(args, "no_judge", False):
        must = bool(given["verdict"] or given["error_type"] or getattr(args, "words", None))
        seconds = LIST_LIMIT if _person_waits() and not args.json else PROGRAM_LIMIT
        found = _judged(found, None if must else seconds)
    for field, wanted in given.items():
        if wanted is not None:
            found = [entry for entry in found if _is_like(entry, field, wanted)]
    found = search(found, " ".join(getattr(args, "words", [])))
    if args.json:
        _print_list(library_folder(), found, recoveries())
        return
    tell(list_blocks(found, library_folder()))
    for one in recoveries():
        say(f"unsaved work on {one.path} (see: planscope sessions recover)")


def _person_waits() -> bool:
    return sys.stdout.isatty()


def _print_list(folder: Path, found: list[Entry], left: list[Recovery]) -> None:
    from planscope.documents.library import EntryDocument, SessionsDocument

    lists = {"folder": folder, "sessions": list(map(EntryDocument.listed, found)), "recoveries": left}
    print_json(SessionsDocument.model_validate(lists))


def _is_like(entry: Entry, field: str, wanted: str) -> bool:
    if field == "verdict":
        return entry.came_out(wanted)
    return wanted in entry.error_types if field == "error_type" else bool(getattr(entry, field) == wanted)


def _judged(found: list[Entry], seconds: float | None) -> list[Entry]:
    """Return the entries with as many verdicts as ``seconds`` allow; None means all."""
    from planscope.rules.in_session import problem_in
    from planscope.session.library import judge_all

    until = time.monotonic() + seconds if seconds is not None else None
    new = {
        e.path: e
        for e in judge_all(found, problem_in, lambda: until is not None and time.monotonic() > until)
    }
    return [new.get(entry.path, entry) for entry in found]


def _show(args: Namespace) -> None:
    from planscope.documents.library import SessionDocument
    from planscope.rules.in_session import problem_in
    from planscope.session.library import entry_at
    from planscope.session.lock import holder_of
    from planscope.session.recovery import recoverable
    from planscope.session.store import load

    path = session_path(args.session)
    session = load(path)
    entry, outcomes = entry_at(path, session, problem_in), _outcomes(session)
    document = SessionDocument.about(entry, session, outcomes, holder_of(path), recoverable(path))
    answer(args, document, session_blocks)


def _outcomes(session: Session) -> dict[str, Outcome]:
    """Return outcomes of the runs, the last run first, as many as the time limit allows."""
    from planscope.rules.in_session import problem_in
    from planscope.session.run_list import outcomes_of_runs

    until = time.monotonic() + LIST_LIMIT
    found: dict[str, Outcome] = {}
    runs = session.runs[::-1]
    for run, ended in zip(runs, outcomes_of_runs(session, runs, problem_in), strict=True):
        found[run.id] = ended
        if time.monotonic() > until:
            break
    return found


def _rename(args: Namespace) -> None:
    from planscope.session.library import library_session, rename, retitle

    if args.name is None and args.title is None:
        raise UserError(
            "there is nothing to change; give a new NAME or --title TEXT (see: planscope sessions rename --help)"
        )
    path = library_session(args.session)
    if args.title is not None:
        retitle(path, args.title)
    if args.name is not None:
        path = rename(path, args.name)
    _told(
        args,
        "rename",
        {name_of(path): path},
        f"renamed to {name_of(path)}" if args.name else f"title of {name_of(path)} changed",
    )


def _copy(args: Namespace) -> None:
    from planscope.session.library import copy

    path = copy(session_path(args.session), args.name)
    _told(args, "copy", {name_of(path): path}, f"copied to your library as {name_of(path)}")


def _delete(args: Namespace) -> None:
    from planscope.session.library import delete, library_session

    paths = dict.fromkeys(map(library_session, args.sessions))
    done: dict[str, Path] = {}
    for path in paths:
        done[str(path) if name_of(path) in done else name_of(path)] = delete(path)
    _told(
        args,
        "delete",
        done,
        f"moved to the trash: {', '.join(done)} (planscope sessions restore brings it back)",
    )


def _restore(args: Namespace) -> None:
    from planscope.session.library import in_trash, restore

    paths = [in_trash(name) for name in dict.fromkeys(args.sessions)]
    done = {name_of(path): path for path in map(restore, paths)}
    _told(args, "restore", done, f"restored to your library: {', '.join(done)}")


def _trash(args: Namespace) -> None:
    from planscope.session.library import empty_trash, entries

    if args.empty:
        removed = empty_trash()
        _told(args, "empty", {}, f"{removed} session{'' if removed == 1 else 's'} deleted for good", removed)
        return
    found = _judged(entries("trash"), LIST_LIMIT)
    if args.json:
        _print_list(trash_folder(), found, [])
    else:
        tell(list_blocks(found, trash_folder()))


def _recover(args: Namespace) -> None:
    from planscope.session.recovery import left_drafts, recoverable, recoveries
    from planscope.session.store import save

    if args.session is None:
        if args.output is not None or args.discard:
            raise UserError("name the session with the unsaved work (planscope sessions recover lists them)")
        left = recoveries()
        if args.json:
            _print_list(library_folder(), [], left)
        else:
            tell(recovery_blocks(left, left_drafts()))
        return
    path = Path(args.session)
    if not path.is_file():  # the session itself may be deleted: then this is its old path
        path = session_path(args.session) if not path.is_absolute() else path
    found = recoverable(path)
    if found is None:
        raise UserError(f"there is no unsaved work on {path} (planscope sessions recover lists all)")
    if args.discard:
        found.discard()
        _told(args, "recover", {}, "unsaved work deleted", 1)
        return
    session = found.load()
    if args.output is not None:
        target = output_file(args.output)
    else:
        target = free_path(path)
        make_folder(target.parent)
    save(session, target)
    found.discard()
    _told(args, "recover", {name_of(target): target}, f"unsaved work written to {target}")


def _told(args: Namespace, action: str, done: dict[str, Path], line: str, removed: int = 0) -> None:
    if args.json:
        from planscope.documents.library import ChangedDocument

        changed = [{"name": name, "path": str(path)} for name, path in done.items()]
        print_json(
            ChangedDocument.model_validate({"action": action, "sessions": changed, "removed": removed})
        )
    else:
        say(line)


_WIDEST_NAME = 34
"""The limit for the column of names, in cells."""

_WIDEST_MODEL = 24
"""The limit for the column of agents and models, in cells."""


def list_blocks(found: list[Entry], folder: Path) -> Iterator[Block]:
    """Return a list of sessions, with a heading for each place."""
    heads = {
        "library": f"Library ({folder})",
        "bundled": "Bundled with planscope",
        "trash": "Trash (planscope sessions restore NAME brings one back)",
    }
    for place, head in heads.items():
        rows = [entry for entry in found if entry.place == place]
        if rows:
            yield Code([head])
            yield Table(
                [_row(entry) for entry in rows],
                notes=[[entry.why_wrong] if entry.why_wrong else [] for entry in rows],
                widest=(_WIDEST_NAME, 0, 0, _WIDEST_MODEL, 0, 0, REST),
            )
    late = sum(entry.pending for entry in found if entry.place != "trash")
    if late:
        yield Para(f"{late} {PENDING}; --verdict, --error-type or WORDS judge all of them")
    if not found:
        yield Para("no sessions")


def _row(entry: Entry) -> tuple[str, ...]:

    right = entry.outcomes.share if entry.outcomes is not None else ""
    by = f"{entry.agent} {entry.model}" if entry.agent and entry.model else ""
    share = f"{right} right" if right else ""
    return entry.name, _verdict(entry), share, by, date(entry.when), file_size(entry.size), entry.title


def _verdict(entry: Entry) -> str:
    if entry.wrong is not None:
        return "cannot be opened"

    if entry.outcome is None:
        if entry.findings and not entry.runs:
            return plural(entry.findings, "finding")
        return PENDING if entry.pending else NO_RUN
    verdict = outcome(entry.outcome.told, entry.outcome.headline)
    return f"{verdict}, helped" if entry.helped else verdict


def session_blocks(document: SessionDocument) -> Iterator[Block]:
    """Describe what a session contains."""
    from planscope.session.library_index import moment

    facts = [
        ("title", document.title),
        ("file", document.path),
        ("size", file_size(document.size)),
        ("created", date(moment(document.created))),
        ("changed", date(moment(document.changed))),
        ("topic", document.topic or ""),
        ("notes", document.notes),
        ("breakpoints", ", ".join(document.breakpoints)),
        ("watches", ", ".join(document.watches)),
        ("dissections", str(document.dissections or "")),
    ]
    if document.writer is not None:
        facts.append(("written by", f"process {document.writer.pid} on {document.writer.host}"))
    if document.recovery is not None:
        facts.append(("unsaved", f"{document.recovery.saved}: {document.recovery.why}"))
    yield from (Para(clip(value, 500), label=label, column=13) for label, value in facts if value)
    yield Heading("Variants", 4)
    for one in document.variant_list:
        about = f"{ORIGINS.get(one.origin, one.origin)}, {one.actions} actions: {one.text}"
        yield Para(clip(about, 500), label=f"  {clip(one.id, 20)}", column=13)
    came_out = document.outcomes
    yield Heading(f"Runs: {came_out.text}" if came_out and len(document.run_list) > 1 else "Runs", 4)
    rows = [
        (
            one.id,
            _came_out(one) + (f", helped: {one.helped.text}" if one.helped else ""),
            plural(one.calls, "call"),
            f"{_agent(one)} {one.model}",
            date(moment(one.started)),
        )
        for one in document.run_list
    ]
    yield Table(rows, widest=(20, 0, 0, 60)) if rows else Para("none", "  ")
    if document.finding_list:
        yield Heading(f"Findings of the fuzzer: {len(document.finding_list):,}", 4)
        yield Table([(one.tool, one.error) for one in document.finding_list], widest=(40, 300))
    if document.deletions:
        yield Para(
            f"{plural(document.deletions, 'deletion')} can be undone: planscope runs SESSION --restore"
        )


def _came_out(run: RunLine) -> str:

    if run.verdict is None:
        return PENDING
    return outcome(told(run.verdict, run.judged, run.reason), run.headline.type if run.headline else "")


def _agent(run: RunLine) -> str:
    return f"{run.agent} + guard" if run.helped and run.helped.refused_by_guard else run.agent


def recovery_blocks(left: Sequence[Recovery], drafts: Sequence[LeftDraft]) -> Iterator[Block]:
    """List unsaved work and unfinished drafts."""

    for one in left:
        yield Code([str(one.path), f"  {date(one.saved)}: {one.why}"])
    for draft in drafts:
        began = f"draft of {clip(draft.variant.parent or '', 20)}"
        yield Code([str(draft.path), f"  {date(draft.saved)}: {began}; to continue, press e in the debugger"])
    if not (left or drafts):
        yield Para("no unsaved work")


ACTIONS = {
    "list": Command(
        "list sessions; with WORDS only those that contain them",
        "planscope sessions list order error",
        (
            _JSON,
            ("words WORDS*", "words in name, title, topic, agent, model or verdict"),
            ("--place P", "library or bundled", ("library", "bundled")),
            ("--verdict V", "right, aborted or unknown (the last run), wrong (any run)", VERDICTS),
            (
                "--error-type E",
                "an error that the list names, in any run: order_error, action_lost, ...",
                error_type,
            ),
            ("--agent A", "the agent of the last run"),
            ("--model M", "the model of the last run"),
            ("--no-judge", "show only stored verdicts; judge nothing"),
        ),
        _list,
    ),
    "show": Command(
        "show what a session contains", "planscope sessions show first-look", (_JSON, SESSION), _show
    ),
    "rename": Command(
        "change the name or title of a session in your library",
        "planscope sessions copy first-look mine && planscope sessions rename mine tour",
        (_JSON, SESSION, ("name NAME?", "the new name"), ("--title TEXT", "the new title")),
        _rename,
    ),
    "copy": Command(
        "copy a session into your library",
        "planscope sessions copy first-look tutorial",
        (_JSON, SESSION, ("name NAME?", "the copy's name (default: a free one)")),
        _copy,
    ),
    "delete": Command(
        "move sessions from your library to the trash",
        "planscope sessions copy first-look old && planscope sessions delete old",
        (_JSON, ("sessions SESSION+", "names of sessions")),
        _delete,
    ),
    "restore": Command(
        "move sessions from the trash back; of equal names, the last deleted",
        "",
        (_JSON, ("sessions SESSION+", "names of sessions")),
        _restore,
    ),
    "trash": Command(
        "list the sessions in the trash, or empty it",
        "planscope sessions trash",
        (_JSON, ("--empty", "delete its sessions for good")),
        _trash,
    ),
    "recover": Command(
        "list work that was not saved, or write it to a file",
        "planscope sessions recover",
        (
            _JSON,
            ("session SESSION?", "the session with unsaved work"),
            ("-o FILE", "write to this file (default: a new session in your library)"),
            ("--discard", "delete the unsaved work"),
        ),
        _recover,
    ),
}

COMMANDS = {"sessions": Command(ABOUT, "planscope sessions list order error", _add_sessions, _sessions)}
