"""What a monkey's work amounts to, kept apart from the application: nothing of it may be lost.

What was put into the document stays there and comes into the file; a run's events, a dissection's runs and a request
never become fewer or others. What was typed is a variant, a draft, a title, or notes. What lies in the library stays
there or in the trash. Breaches are collected in ``broken``, since most of them are found in the midst of the
application's work.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from planscope.session.library import session_files
from planscope.session.locations import is_bundled, library_folder, trash_folder
from planscope.session.model import Removal, Session, Variant, all_runs, all_variants
from planscope.session.recovery import recoverable
from planscope.session.store import load
from planscope.tui.controllers.autosave import Autosave
from planscope.tui.controllers.document import Document
from planscope.tui.messages import DocumentChanged
from planscope.tui.screens.debug.screen import DebugScreen
from planscope.tui.screens.edit.screen import EditScreen

Key = tuple[str, str]
"""Session and variant."""

FIELDS = ("title", "notes", "breakpoints", "watches", "rules", "rules_before")


@dataclass(slots=True)
class Held:
    """What a session has to have: of runs their events, of dissections the runs of each cell."""

    runs: dict[str, list[Any]] = field(default_factory=dict)
    variants: dict[str, Variant] = field(default_factory=dict)
    cells: dict[tuple[str, str, int], set[str]] = field(default_factory=dict)

    def add(self, session: Session, passing: Iterable[str] = ()) -> list[str]:
        """Take in what is there; what of it is less than it was."""
        less = self.less(session)
        not_kept = set(passing)
        self.runs.update({run.id: list(run.events) for run in all_runs(session) if run.id not in not_kept})
        self.variants.update({variant.id: variant for variant in all_variants(session)})
        self.cells.update(_cells(session))
        return less

    def forget(self, removed: Iterable[Removal]) -> None:
        """The user deleted this for good."""
        for one in removed:
            for run in one.runs:
                self.runs.pop(run.id, None)
            for variant in one.variants:
                self.variants.pop(variant.id, None)
            for dissection in one.dissections:
                for cell in dissection.cells:
                    self.cells.pop((dissection.id, cell.kind, cell.number), None)

    def less(self, session: Session) -> list[str]:
        """What a session does not have of it."""
        runs = {run.id: run.events for run in all_runs(session)}
        variants = {variant.id: variant for variant in all_variants(session)}
        cells = _cells(session)
        return [
            *(f"run {id}" for id in self.runs.keys() - runs.keys()),
            *(
                f"events of run {id}: {_parted(events, runs[id])}"
                for id, events in self.runs.items()
                if id in runs and runs[id][: len(events)] != events
            ),
            *(
                f"request {id}"
                for id, variant in self.variants.items()
                if variants.get(id) is not variant and variants.get(id) != variant
            ),
            *(f"runs of mutant {cell}" for cell, ids in self.cells.items() if ids - cells.get(cell, set())),
        ]


def _cells(session: Session) -> dict[tuple[str, str, int], set[str]]:
    deleted = (d for one in session.removed or () for d in one.dissections)
    return {(d.id, c.kind, c.number): set(c.runs) for d in (*session.dissections, *deleted) for c in d.cells}


def _parted(before: list[Any], now: list[Any]) -> str:
    at = next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), len(now))
    return f"{len(before)} before, {len(now)} now, other at {at}: {before[at]!r}, {now[at : at + 1]!r}"


class Ledger:
    """Kept over all sittings at one home. ``emptied``: the trash was, and what was in it is gone for good.

    ``meddled``: another program changed the file, so that work on it goes to the journal or into a copy.
    """

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.drafts: dict[Key, str] = {}
        self.meddled = False
        self.document: Document | None = None
        self._autosave: Autosave | None = None
        self._held = Held()
        self._removed: list[Removal] = []
        self._opened_at: dict[str, Any] = {}
        self._shelved: dict[Path, tuple[str, Held]] = {}
        self._leaving: Session | None = None

    # What is in the document

    def watch(self, document: Document, autosave: Autosave | None) -> None:
        """This document is open from now on."""
        self.document, self._autosave, self._held, self._leaving = document, autosave, Held(), None
        if document.session is not None:
            self._held.add(document.session, document.passing)
            self._opened_at = document.session.cursor
            self._removed = list(document.session.removed or ())

    def heard(self, message: DocumentChanged) -> None:
        """The open document changed."""
        document = self.document
        if document is None or document.session is None or self._leaving is not None:
            return  # what a run tells when it is ended may come too late for the file
        if message.what == "removed":  # the news that it has to be saved may come first
            if document.session.removed is None:
                self._held.forget(self._removed)
            self._removed = list(document.session.removed or ())
        if message.what in ("variant", "run", "dissection", "removed"):
            self._tell("lost in the document", self._held.add(document.session, document.passing))

    def _tell(self, what: str, things: Iterable[str]) -> None:
        if named := ", ".join(things):
            self.broken.append(f"{what}: {named}")

    def described(self, title: str, notes: str) -> None:
        """The dialog for them was left with these."""
        session = self.document.session if self.document is not None else None
        if session is not None and (session.title, session.notes) != (title, notes):
            self._tell("typed and gone", ["title or notes"])

    def edited(self, screen: EditScreen, drafts: dict[Key, Any]) -> None:
        """The edit screen was left: its text is a draft, a variant, or what it was at first."""
        key, text = (screen.document.open_session.id, screen.of.id), screen.state.draft.text
        texts = {screen.of.query.text, *(v.query.text for v in screen.document.variants)}
        self.drafts.pop(key, None)
        if key in drafts:
            self.drafts[key] = drafts[key].now.text
            texts.add(drafts[key].now.text)
        if text not in texts:
            self._tell("a draft is gone", [f"{key[1]}: {text[-60:]!r}"])

    def check_drafts(self, drafts: dict[Key, Any], being_written: Iterable[Key]) -> None:
        for key, text in self.drafts.items():
            if key not in being_written and (key not in drafts or drafts[key].now.text != text):
                self._tell("a draft is gone", [f"{key[1]}: {text[-60:]!r}"])

    # What is in the file

    def leaving(self) -> None:
        """What is in the document now has to be in the file when it is left."""
        document = self.document
        if document is not None and document.session is not None and self._leaving is None:
            self._leaving = document.snapshot()

    def check_file(self, trouble: str, closed: bool = True) -> None:
        """Nothing is on its way to the file any more: it is as the document. ``trouble``: why it could not be saved.

        ``closed``: nobody holds the file any more.
        """
        document, autosave = self.document, self._autosave
        if document is None or document.session is None or autosave is None:
            return
        self.leaving()
        here, self._leaving = self._leaving, None
        assert here is not None
        keeper = autosave.hold()
        if trouble and not self.meddled:
            self._tell("not saved", [trouble])
        elif trouble and not closed:
            return  # what could not be written is offered for recovery once it is let go
        elif trouble and (kept := recoverable(keeper.path)) is not None:
            self._compare(here, kept.load(), "for recovery")
        else:
            path = keeper.place if keeper.place.exists() else keeper.path
            looked = ("breakpoints", "watches") if is_bundled(path) else ()
            here = here.model_copy(update={name: getattr(load(path), name) for name in looked})
            self._compare(here, load(path), f"in the file {path.name} ({keeper.where}, {document.saving})")

    def _compare(self, here: Session, there: Session, where: str) -> None:
        less = self._held.less(there)
        less += [name for name in FIELDS if getattr(here, name) != getattr(there, name)]
        self._tell(f"not {where}", less)

    def check_marks(self, screen: DebugScreen) -> None:
        """Breakpoints and watches of the screen are those of the session."""
        session = screen.work.document.session
        if session is not None and screen.view.progress in ("judged", "unreadable"):
            for name, texts in screen.view.marks.texts.items():
                if set(texts) != set(getattr(session, name)):
                    self._tell("not in the document", [f"{name} {texts}, but {getattr(session, name)}"])

    def check_place(self, screen: DebugScreen) -> None:
        """One comes back to where one was, in a file of one's own."""
        place, autosave = screen.view.cursor(), self._autosave
        if place is None or autosave is None or screen.work.document is not self.document or self.meddled:
            return
        keeper = autosave.hold()
        if keeper.where != "here":
            return
        kept = load(keeper.place).cursor
        stayed = kept == self._opened_at and place == autosave._left_at  # who did not move changed nothing
        if kept != place and not stayed:
            self._tell("one's place is lost", [f"{place}, but {kept}"])

    # What is in the library

    def check_library(self, emptied: bool) -> None:
        """Every session can be opened, and has what it had; under whatever name."""
        now = [
            (path, load(path))
            for folder in (library_folder(), trash_folder())
            for path in session_files(folder)
        ]
        if not emptied:
            for path, (id, held) in self._shelved.items():
                if all(there.id != id or held.less(there) for _, there in now):
                    self._tell("gone from the library", [path.name])
        self._shelved = {}
        for path, there in now:
            self._shelved[path] = (there.id, Held())
            self._shelved[path][1].add(there)
