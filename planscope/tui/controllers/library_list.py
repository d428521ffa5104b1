"""Lists all sessions: reads, judges and previews them in jobs, filters, sorts and changes them on disk."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.problem import slug
from planscope.session import library
from planscope.session.files import LARGEST, SessionError
from planscope.session.library import entries, judge_all
from planscope.session.library_index import Entry, Index
from planscope.session.locations import is_bundled, library_folder, name_of, trash_folder
from planscope.session.lock import holder_of
from planscope.session.model import Session, own_runs
from planscope.session.record import RunRecord, record_of
from planscope.session.recovery import recoverable
from planscope.session.run_list import Facet
from planscope.session.store import load
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.jobs import CancelToken, Jobs
from planscope.tui.controllers.listed import ListControl, Listed
from planscope.tui.keys import key_for
from planscope.tui.messages import Notice, StateChanged
from planscope.tui.style.lines import shown
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.language.reading import Reading
    from planscope.synthesis.request import Request

LIST, JUDGE, PREVIEW, WATCH = "library list", "library judge", "library preview", "library watch"
MAKE, CHANGE = "library make", "library work"

PREVIEW_AFTER = 0.08
"""Seconds that a session must stay chosen before its preview is read."""

BATCH = 0.2
"""Seconds between two updates of the display with new verdicts."""

WATCH_EVERY = 1.0
"""Seconds between two checks whether another process changed the library."""

LARGEST_PREVIEW = LARGEST // 4
"""The size limit of a file that is read for a preview, in bytes."""

MOST_RUNS = 12
"""A preview lists at most this many runs."""

HERE = "in this debugger"
"""Stands for this process as the holder of a session's file."""


# The list as pure state:

Shown = Literal["all", "library", "bundled", "trash"]
SHOWN: tuple[Shown, ...] = get_args(Shown)
VERDICTS = (
    "right", "wrong", "aborted", "cut_off", "stopped", "unknown", "not_judged", "no run", "broken"
)  # fmt: skip
"""The filters by verdict, as words tell it. ``wrong`` finds a wrong run anywhere, ``broken`` a file that cannot be
opened."""

_SEVERITY = {verdict: i for i, verdict in enumerate(("wrong", "right", *VERDICTS[2:], ""))}
_ORDERS: Mapping[str, Callable[[Entry], Any]] = {
    "date": lambda e: 0,
    "title": lambda e: (e.title.casefold(), e.name),
    "verdict": lambda e: (_SEVERITY.get(verdict_of(e), 9), e.outcome.headline if e.outcome else ""),
    "model": lambda e: (e.model is None, (e.model or "").casefold()),
    "size": lambda e: -e.size,
}
"""By what sessions are sorted. Equal ones stay in order: the user's own first, the last changed first."""

ORDERS = tuple(_ORDERS)


@frozen
class SessionList(Listed[Entry]):
    """The state of the list.

    ``complete``: all files were read. ``judging``: the number of judged sessions
    and the total; equal when no judging is in progress.
    """

    key = "path"
    entries: tuple[Entry, ...] = ()
    trashed: tuple[Entry, ...] = ()
    complete: bool = False
    shown: Shown = "all"
    order: str = "date"
    reverse: bool = False
    judging: tuple[int, int] = (0, 0)

    @property
    def everything(self) -> list[Entry]:
        """All entries of the displayed place."""
        if self.shown == "trash":
            return list(self.trashed)
        return [entry for entry in self.entries if self.shown in ("all", entry.place)]

    def facets_of(self, thing: Entry) -> Set[Facet]:
        errors = {Facet("error", error) for error in thing.error_types}
        return errors | {Facet("verdict", verdict) for verdict in verdicts_in(thing)}

    def ordered(self, found: list[Entry]) -> Sequence[Entry]:
        found.sort(key=_ORDERS[self.order])
        return found[::-1] if self.reverse else found

    def with_judged(self, judged: Mapping[Path, Entry]) -> SessionList:
        """Replace entries by their judged versions."""
        listed, trashed = (
            tuple(judged.get(entry.path, entry) for entry in some) for some in (self.entries, self.trashed)
        )
        return replace(self, entries=listed, trashed=trashed).arranged()


def verdict_of(entry: Entry) -> str:
    """Return one of ``VERDICTS``, or "" for a session that is not judged so far."""
    if entry.wrong is not None:
        return "broken"
    if entry.pending:
        return ""
    return entry.outcome.told if entry.outcome is not None else "no run"


def verdicts_in(entry: Entry) -> set[str]:
    """Return the filters that find a session: its last run's verdict, and ``wrong`` if any run is wrong."""
    found = {verdict_of(entry)} - {""}
    return found | {"wrong"} if entry.wrong is None and entry.came_out("wrong") else found


# Functions that run in threads


@frozen
class Contents:
    """A session's content: the query that was run last, and the last runs outside dissections.

    ``own`` counts those runs; ``records`` has the latest of them with their numbers, the last run first. ``findings``
    counts what was found in tools; None if none was tested.
    """

    text: str
    notes: str
    variants: int
    runs: int
    own: int
    records: tuple[tuple[int, RunRecord], ...]
    findings: int | None = None


@frozen
class Preview:
    """The preview of a session file. ``unsaved`` and ``held`` are lines about it, or empty; all texts are hostile."""

    entry: Entry
    contents: Contents | None = None
    trouble: str = ""
    unsaved: str = ""
    held: str = ""


def contents_of(session: Session) -> Contents:
    own = {run.id for run in own_runs(session)}
    numbers = [n for n, run in enumerate(session.runs) if run.id in own]
    records = [(n, record_of(session.runs[n])) for n in reversed(numbers[-MOST_RUNS:])]
    last = session.runs[numbers[-1]].variant if numbers else None
    found = [v for v in session.variants if v.id == last] or session.variants
    text = found[-1].query.text if found else ""
    variants = len(session.variants)
    findings = sum(len(one.findings) for one in session.fuzzings) if session.fuzzings else None
    return Contents(text, session.notes, variants, len(session.runs), len(numbers), tuple(records), findings)


def preview_of(entry: Entry, own: bool) -> Preview:
    """Read one file. ``own``: this process has the session open."""
    unsaved, held, contents, trouble = "", HERE if own else "", None, ""
    if not own and (left := recoverable(entry.path)) is not None:
        when = f"{left.saved.astimezone():%Y-%m-%d %H:%M}"
        unsaved = f"work from {when} could not be saved; open the session to restore it"
    if not own and (holder := holder_of(entry.path)) is not None:
        held = f"in another planscope ({holder})"
    if entry.wrong is None and entry.size > LARGEST_PREVIEW:
        trouble = "a large file: open it to see its contents"
    elif entry.wrong is None:
        try:
            contents = contents_of(load(entry.path))
        except SessionError as error:
            trouble = str(error)
    return Preview(entry, contents, trouble, unsaved, held)


def fingerprint() -> object:
    """Return a value that changes when a file in the library or the trash is added, removed or saved."""

    def of(folder: Path) -> tuple[int, int] | None:
        try:
            status = folder.stat()
        except OSError:
            return None
        return status.st_ino, status.st_mtime_ns

    return of(library_folder()), of(trash_folder())


def _all_entries() -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Read the user's and the bundled sessions, and those in the trash."""
    index = Index()
    trashed = tuple(entries("trash", index=index))
    return tuple(entries(index=index)), trashed


def _same_file(one: Entry | None, other: Entry) -> bool:
    """Return whether both entries describe the same, unchanged file."""
    return one is not None and (one.path, one.size, one.changed) == (other.path, other.size, other.changed)


def _nothing(answer: object) -> None:
    """Take the answer of a job that has none."""


# The controller


class LibraryList(ListControl[SessionList]):
    """The only writer of ``preview``, too, which follows the choice after a short delay.

    Posts :class:`StateChanged` when the preview changes, and :class:`Notice` with the outcome of a file operation.
    ``autosave`` belongs to the open session. :meth:`close` cancels the jobs.
    """

    def __init__(self, document: Document, jobs: Jobs, autosave: Autosave | None, post: Post) -> None:
        super().__init__(SessionList(), post)
        self.document = document
        self.jobs = jobs
        self.autosave = autosave
        self.preview: Preview | None = None
        self._seen: object = None
        self._previewed: Entry | None = None
        self._last_deleted: Path | None = None
        self._moving = False

    def close(self) -> None:
        """Cancel all jobs. A file change that has begun is completed."""
        for name in (LIST, JUDGE, WATCH, MAKE, CHANGE, PREVIEW):
            self.jobs.cancel(name)

    @property
    def at_rest(self) -> bool:
        """Whether no job is in progress; other processes may still change files."""
        busy = self._moving or any(map(self.jobs.running, (LIST, JUDGE, PREVIEW, CHANGE)))
        return self.state.complete and not busy

    def is_open(self, entry: Entry) -> bool:
        """Return whether this process has the session open."""
        return self.document.path is not None and entry.path == self.document.path

    # The list

    def search(self, words: str) -> None:
        self.arrange(words=words, at=0)

    def set(self, state: SessionList) -> None:
        super().set(state)
        self._preview_soon()

    def _say(self, line: str) -> None:
        self._post(Notice(line))

    def read(self, chosen: Path | None = None) -> None:
        """Read the folders, judge new sessions, and watch for changes. ``chosen``: the session to choose."""
        first = not self.state.complete

        def listed(found: tuple[tuple[Entry, ...], tuple[Entry, ...]]) -> None:
            here = self._place_of_open(found[0]) if first else None
            self.arrange(chosen or here, entries=found[0], trashed=found[1], complete=True)
            self._judge()
            self._watch()

        def failed(error: Exception) -> None:
            self._say(f"the library cannot be read: {shown(str(error), 200)}")

        def work(token: CancelToken) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
            self._seen = fingerprint()
            return _all_entries()

        self.jobs.start(LIST, work, listed, failed)

    def _place_of_open(self, found: tuple[Entry, ...]) -> Path | None:
        """The path of the open session, to select it first. None for a bundled one if the user has own sessions."""
        path = self.document.path
        mine = any(entry.place == "library" for entry in found)
        return path if path is not None and not (mine and is_bundled(path)) else None

    def _watch(self) -> None:
        """Read the folders again whenever another process changed them."""

        def read_again(token: CancelToken) -> None:
            if not token.cancelled and not self.jobs.running(LIST):
                self.read()

        def work(token: CancelToken) -> None:
            while not token.wait(WATCH_EVERY):
                if fingerprint() != self._seen:
                    self.jobs.tell(partial(read_again, token))

        if not self.jobs.running(WATCH):
            self.jobs.start(WATCH, work, _nothing, _nothing)

    def _judge(self) -> None:
        """Judge pending sessions, listed ones first; each verdict is displayed soon after it is found."""
        state = self.state
        pending = {e.path: e for e in (*state.listed, *state.entries, *state.trashed) if e.pending}
        if not pending:
            return

        def take(found: dict[Path, Entry], done: int) -> None:
            self.set(replace(self.state, judging=(done, len(pending))).with_judged(found))

        def some(token: CancelToken, found: dict[Path, Entry], done: int) -> None:
            if not token.cancelled:
                take(found, done)

        def work(token: CancelToken) -> dict[Path, Entry]:
            from planscope.rules.in_session import problem_in

            found: dict[Path, Entry] = {}
            told_at = time.monotonic()
            for done, entry in enumerate(judge_all(pending.values(), problem_in, lambda: token.cancelled), 1):
                found[entry.path] = entry
                if time.monotonic() - told_at > BATCH:
                    self.jobs.tell(partial(some, token, found, done))
                    found, told_at = {}, time.monotonic()
                token.wait(0.0005)  # lets the screen's thread answer keys
            return found

        def failed(error: Exception) -> None:
            self.set(replace(self.state, judging=(0, 0)))
            self._say(f"not judged: {shown(str(error), 200)}")

        self.jobs.start(JUDGE, work, lambda found: take(found, len(pending)), failed)

    # The preview

    def _preview_soon(self) -> None:
        """Read the chosen session's file after a short delay, so that fast scrolling reads no files."""
        chosen = self.state.chosen
        if chosen is None or _same_file(self._previewed, chosen):
            return
        self._previewed, own = chosen, self.is_open(chosen)
        self.jobs.cancel(PREVIEW)
        if self.preview is not None and _same_file(self.preview.entry, chosen):
            return

        def work(token: CancelToken) -> Preview:
            return Preview(chosen) if token.wait(PREVIEW_AFTER) else preview_of(chosen, own)

        def found(preview: Preview) -> None:
            self.preview = preview
            self._post(StateChanged())

        def failed(error: Exception) -> None:
            found(Preview(chosen, trouble=f"no preview: {shown(str(error), 200)}"))

        self.jobs.start(PREVIEW, work, found, failed)

    # New sessions

    async def make(self, request: Request) -> Path | None:
        """Synthesize a query and add it to the library as a new session. Return its file, None if that failed."""

        def work(token: CancelToken) -> Path:
            from planscope.documents.query import session_of
            from planscope.synthesis.generate import synthesize

            made = synthesize(request)
            wanted = f"{made.topic or 'query'} {made.seed}".casefold().replace(" ", "-")
            return library.add(session_of(made), wanted)

        self._say("making a query…")
        return await self._made(work)

    async def make_own(self, reading: Reading) -> Path | None:
        """Add the user's own query to the library as a new session. Return its file, None if that failed."""

        def work(token: CancelToken) -> Path:
            from planscope.documents.query import session_of

            made = session_of(reading)
            return library.add(made, slug(made.title)[:40].strip("_").replace("_", "-"))

        return await self._made(work)

    async def _made(self, work: Callable[[CancelToken], Path]) -> Path | None:
        try:
            return await self.jobs.run(MAKE, work)
        except UserError as error:
            self.failed("not done", None, error)
            return None

    # Changing files:

    async def rename(self, entry: Entry, name: str | None, title: str | None) -> None:
        """Change a session's name, its title, or both; None keeps the old value."""

        def work() -> Path:
            if title is not None:
                library.retitle(entry.path, title)
            return library.rename(entry.path, name) if name is not None else entry.path

        def said(path: Path) -> str:
            return f"renamed to {name_of(path)}" if name is not None else "title changed"

        if name is None and title is None:
            self._say("nothing changed")
        elif self.is_open(entry):
            await self._rename_open(name, title)
        else:
            self._change(entry.path, work, said)

    async def _rename_open(self, name: str | None, title: str | None) -> None:
        """Rename the open session: change its title in memory, and move its file while the lock is released."""
        self._moving = True
        try:
            if title is not None:
                self.document.edit(title=title)
            if self.autosave is not None:  # saves the title before the move
                await self.autosave.move(
                    lambda path: library.rename(path, name) if name is not None else path
                )
        except (UserError, OSError) as error:
            self.failed("not done", self.document.path, error)
        else:
            self._say("renamed")
            self.read(self.document.path)
        finally:
            self._moving = False

    def copy(self, entry: Entry, name: str) -> None:
        """Copy a session into the library and choose the copy."""
        work = partial(library.copy, entry.path, name)
        self._change(entry.path, work, lambda path: f"copied to {name_of(path)}")

    def delete(self, entry: Entry) -> None:
        """Move a session to the trash, unless this process has it open."""

        def work() -> None:
            self._last_deleted = library.delete(entry.path)

        if self.is_open(entry):
            self._say("this session is open: open another one first")
        else:
            said = f"{shown(entry.name, 60)} is in the trash: {key_for('restore-session')} restores it"
            self._change(entry.path, work, lambda _: said)

    def restore(self) -> None:
        """Restore the chosen session if it is in the trash, else the session that was deleted last."""
        entry = self.state.chosen
        path = entry.path if entry is not None and entry.place == "trash" else self._last_deleted
        if path is None:
            self._say(f"nothing to restore; {key_for('show-trash')} shows the trash")
            return
        self._last_deleted = None
        self._change(path, partial(library.restore, path), lambda back: f"{name_of(back)} was restored")

    def empty_trash(self) -> None:
        """Delete all sessions in the trash permanently."""
        said = f"{phrases.plural(len(self.state.trashed), 'session')} removed for good"
        self._last_deleted = None

        def work() -> None:
            library.empty_trash()

        self._change(None, work, lambda _: said)

    def _change(
        self, path: Path | None, work: Callable[[], Path | None], said: Callable[[Path], str]
    ) -> None:
        """Change files in a thread, notify the user, reread the folders, and select the path that ``work`` returns."""

        def done(made: Path | None) -> None:
            self._say(said(made or Path()))
            self.read(made)

        self.jobs.start(CHANGE, lambda token: work(), done, partial(self.failed, "not done", path))

    def failed(self, what: str, path: Path | None, error: Exception) -> None:
        """Report an error in a short line, and read the folders again, since the session may be gone."""
        told = str(error) if path is None else str(error).replace(str(path), name_of(path))
        self._say(f"{what}: {shown(told, 300)}")
        self.read()
