"""``planscope sessions``: the library."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.commands.common import output_file, print_json, quoted, say, say_all, session_path
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.session.library_index import Entry, Place
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery

ABOUT = (
    "Your sessions and the bundled ones: list, look at, rename, copy, delete and restore them. Without ACTION they "
    "are listed. planscope sessions ACTION --help says more."
)
ACTIONS = {
    "list": "list sessions; with WORDS those that hold them",
    "show": "say what a session holds",
    "rename": "give a session of your library another name or title",
    "copy": "copy a session into your library",
    "delete": "move sessions of your library to the trash",
    "restore": "take sessions out of the trash again; of one name, the last one deleted",
    "trash": "list what is in the trash, or empty it",
    "recover": "list work that could not be saved, or write it to a file",
}
VERDICTS = ("right", "wrong", "aborted", "unknown")
PATIENCE = 2.0
"""Seconds that a list spends on runs that nobody has judged yet."""

THOROUGH = 30.0
"""The same for a list that a program reads, which cannot see that some verdicts are still to come."""


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(
        dest="action", metavar="ACTION", parser_class=type(parser), help="one of these, by default list"
    )
    made = {}
    for name, about in ACTIONS.items():
        made[name] = one = actions.add_parser(
            name,
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            allow_abbrev=False,
            formatter_class=parser.formatter_class,
            add_help=False,
        )
        one.add_argument("-h", "--help", action="help", help="show this help and leave")
        one.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    _add_filters(made["list"])
    for name in ("show", "rename", "copy"):
        made[name].add_argument("session", metavar="SESSION", help="a session by its name, or its file")
    made["rename"].add_argument("name", metavar="NAME", nargs="?", help="the new name")
    made["rename"].add_argument("--title", metavar="TEXT", help="the new title")
    made["copy"].add_argument("name", metavar="NAME", nargs="?", help="the copy's name (default: a free one)")
    for name in ("delete", "restore"):
        made[name].add_argument("sessions", metavar="SESSION", nargs="+", help="sessions by their names")
    made["trash"].add_argument("--empty", action="store_true", help="remove what is in it for good")
    made["recover"].add_argument("session", metavar="SESSION", nargs="?", help="the session that was open")
    made["recover"].add_argument(
        "-o", dest="output", metavar="FILE", help="write it here (default: a new session in your library)"
    )
    made["recover"].add_argument("--discard", action="store_true", help="throw it away")


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", metavar="WORDS", nargs="*", help="in name, title, topic, agent, model, verdict"
    )
    parser.add_argument("--place", choices=("library", "bundled"), metavar="P", help="library or bundled")
    parser.add_argument(
        "--verdict",
        choices=VERDICTS,
        metavar="V",
        help="of the last run: right, aborted, unknown; wrong: of any",
    )
    parser.add_argument(
        "--error-type", metavar="E", type=_error_type, help="of any run: order_error, action_lost, ..."
    )
    parser.add_argument("--agent", metavar="A", help="the agent of the last run")
    parser.add_argument("--model", metavar="M", help="the model of the last run")
    parser.add_argument(
        "--no-judge", action="store_true", help="show the verdicts that are known, and judge nothing"
    )


def _error_type(text: str) -> str:
    """An argument's type: an error type, in the words of the list or in those of JSON."""
    from planscope.oracle.verdict_types import ERROR_TYPES
    from planscope.wording.terms import error_type_of

    wanted = error_type_of(text)
    if wanted is None:
        raise argparse.ArgumentTypeError(
            f"{quoted(text)} is no type of error; there are: {', '.join(ERROR_TYPES)}"
        )
    return wanted


def run(args: argparse.Namespace) -> int:
    args.json = getattr(args, "json", False)
    work: Callable[[argparse.Namespace], None] = _WORK[args.action or "list"]
    work(args)
    return 0


def _list(args: argparse.Namespace) -> None:
    from planscope.commands.sessions_text import list_lines
    from planscope.session.library import entries
    from planscope.session.library_index import search
    from planscope.session.locations import library_folder
    from planscope.session.recovery import recoveries

    given = {name: getattr(args, name, None) for name in ("verdict", "error_type", "agent", "model")}
    place: Place | None = getattr(args, "place", None)
    found = entries(*([place] if place else []))
    if not getattr(args, "no_judge", False):
        must = bool(given["verdict"] or given["error_type"] or getattr(args, "words", None))
        seconds = PATIENCE if _person_waits() and not args.json else THOROUGH
        found = _judged(found, None if must else seconds)
    for field, wanted in given.items():
        if wanted is not None:
            found = [entry for entry in found if _is_like(entry, field, wanted)]
    found = search(found, " ".join(getattr(args, "words", [])))
    if args.json:
        _print_list(library_folder(), found, recoveries())
        return
    say_all(list_lines(found, library_folder()))
    for one in recoveries():
        say(f"unsaved work on {one.path} (see: planscope sessions recover)")


def _person_waits() -> bool:
    return sys.stdout.isatty()


def _print_list(folder: Path, found: list[Entry], left: list[Recovery]) -> None:
    from planscope.documents.library import SessionsDocument

    lists = {"folder": folder, "sessions": found, "recoveries": left}
    print_json(SessionsDocument.model_validate(lists).as_data())


def _is_like(entry: Entry, field: str, wanted: str) -> bool:
    if field == "verdict":
        return entry.came_out(wanted)
    return wanted in entry.error_types if field == "error_type" else bool(getattr(entry, field) == wanted)


def _judged(found: list[Entry], seconds: float | None) -> list[Entry]:
    """The entries with their verdicts, as far as the time allows; None: however long it takes."""
    from planscope.session.library import judge_all

    until = time.monotonic() + seconds if seconds is not None else None
    new = {e.path: e for e in judge_all(found, lambda: until is not None and time.monotonic() > until)}
    return [new.get(entry.path, entry) for entry in found]


def _show(args: argparse.Namespace) -> None:
    from planscope.commands.sessions_text import session_lines
    from planscope.documents.library import SessionDocument
    from planscope.session.library import entry_at
    from planscope.session.lock import holder_of
    from planscope.session.recovery import recoverable
    from planscope.session.store import load

    path = session_path(args.session)
    session = load(path)
    entry, verdicts = entry_at(path, session), _verdicts(session)
    document = SessionDocument.about(entry, session, verdicts, holder_of(path), recoverable(path))
    if args.json:
        print_json(document.as_data())
    else:
        say_all(session_lines(document))


def _verdicts(session: Session) -> dict[str, tuple[str, str | None]]:
    """Verdicts of the runs, the last ones first, as far as two seconds reach."""
    from planscope.session.library import verdicts_of

    until = time.monotonic() + PATIENCE
    found: dict[str, tuple[str, str | None]] = {}
    runs = session.runs[::-1]
    for run, verdict in zip(runs, verdicts_of(session, runs), strict=True):
        found[run.id] = verdict
        if time.monotonic() > until:
            break
    return found


def _rename(args: argparse.Namespace) -> None:
    from planscope.session.library import library_session, rename, retitle
    from planscope.session.locations import name_of

    if args.name is None and args.title is None:
        raise UserError("say the new name, or --title TEXT (see: planscope sessions rename --help)")
    path = library_session(args.session)
    if args.title is not None:
        retitle(path, args.title)
    if args.name is not None:
        path = rename(path, args.name)
    _told(args, "rename", {name_of(path): path}, f"it is called {name_of(path)} now" if args.name else "done")


def _copy(args: argparse.Namespace) -> None:
    from planscope.session.library import copy
    from planscope.session.locations import name_of

    path = copy(session_path(args.session), args.name)
    _told(args, "copy", {name_of(path): path}, f"copied to {name_of(path)}")


def _delete(args: argparse.Namespace) -> None:
    from planscope.session.library import delete, library_session
    from planscope.session.locations import name_of

    paths = dict.fromkeys(map(library_session, args.sessions))
    done: dict[str, Path] = {}
    for path in paths:
        done[str(path) if name_of(path) in done else name_of(path)] = delete(path)
    _told(args, "delete", done, f"in the trash: {', '.join(done)} (planscope sessions restore takes it out)")


def _restore(args: argparse.Namespace) -> None:
    from planscope.session.library import in_trash, restore
    from planscope.session.locations import name_of

    paths = [in_trash(name) for name in dict.fromkeys(args.sessions)]
    done = {name_of(path): path for path in map(restore, paths)}
    _told(args, "restore", done, f"in your library again: {', '.join(done)}")


def _trash(args: argparse.Namespace) -> None:
    from planscope.commands.sessions_text import list_lines
    from planscope.session.library import empty_trash, entries
    from planscope.session.locations import trash_folder

    if args.empty:
        removed = empty_trash()
        _told(args, "empty", {}, f"{removed} session{'' if removed == 1 else 's'} removed for good", removed)
        return
    found = _judged(entries("trash"), PATIENCE)
    if args.json:
        _print_list(trash_folder(), found, [])
    else:
        say_all(list_lines(found, trash_folder()))


def _recover(args: argparse.Namespace) -> None:
    from planscope.commands.sessions_text import recovery_lines
    from planscope.session.locations import free_path, library_folder, make_folder, name_of
    from planscope.session.recovery import left_drafts, recoverable, recoveries
    from planscope.session.store import save

    if args.session is None:
        if args.output is not None or args.discard:
            raise UserError("name the session whose unsaved work is meant (see: planscope sessions recover)")
        left = recoveries()
        if args.json:
            _print_list(library_folder(), [], left)
        else:
            say_all(recovery_lines(left, left_drafts()))
        return
    path = Path(args.session)
    if not path.is_file():  # the session itself may be gone: then its path is meant
        path = session_path(args.session) if not path.is_absolute() else path
    found = recoverable(path)
    if found is None:
        raise UserError(f"there is no unsaved work on {path} (see: planscope sessions recover)")
    if args.discard:
        found.discard()
        _told(args, "recover", {}, "thrown away", 1)
        return
    session = found.load()
    if args.output is not None:
        target = output_file(args.output)
    else:
        target = free_path(path)
        make_folder(target.parent)
    save(session, target)
    found.discard()
    _told(args, "recover", {name_of(target): target}, f"written to {target}")


def _told(args: argparse.Namespace, action: str, done: dict[str, Path], line: str, removed: int = 0) -> None:
    if args.json:
        from planscope.documents.library import ChangedDocument

        changed = [{"name": name, "path": str(path)} for name, path in done.items()]
        print_json(
            ChangedDocument.model_validate(
                {"action": action, "sessions": changed, "removed": removed}
            ).as_data()
        )
    else:
        say(line)


_WORK: dict[str, Callable[[argparse.Namespace], None]] = {
    "list": _list,
    "show": _show,
    "rename": _rename,
    "copy": _copy,
    "delete": _delete,
    "restore": _restore,
    "trash": _trash,
    "recover": _recover,
}
