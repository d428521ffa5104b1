"""Drafts of queries are kept when the edit screen is left, saved while typing, and recovered after a crash."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.debugger.draft import Draft, draft_of, variant_of_draft
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.tui.controllers.document import Document, Post
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.keys import key_for
from planscope.tui.messages import DocumentChanged, Notice
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.debugger.draft_typing import History
    from planscope.session.model import Session, Variant
    from planscope.session.recovery import DraftFile, LeftDraft

PAUSE = 0.5
"""Seconds after a change until the draft is saved."""

Key = tuple[str, str]
"""The ids of session and variant that a draft belongs to."""


@frozen
class _Noted:
    path: Path
    parent: Variant
    draft: Draft
    instead: LeftDraft | None = None


class Drafts:
    """The drafts of all sessions that are opened one after another. All methods are for the screen's thread.

    ``histories``: the drafts that were left, with their undo history, by the ids of session and variant. ``rules``:
    rules that were left unsaved, by the id of the session. ``new``: the text of a new query that was left. Both are
    written when planscope ends. ``keeps``: what is left is found again then. ``written`` False: nothing is saved.
    """

    def __init__(self, *, written: bool = True) -> None:
        self.histories: dict[Key, History] = {}
        self.rules: dict[str, str] = {}
        self.new: list[str] = []
        self.keeps = False
        self.written = written
        self._texts: dict[str, str] | None = None
        self._files: dict[Key, DraftFile] = {}
        self._noted: dict[Key, _Noted] = {}
        self._written: dict[Key, _Noted] = {}
        self._done: set[Key] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._pool = ThreadPoolExecutor(
            1, thread_name_prefix="planscope drafts"
        )  # its thread starts with the first write

    @property
    def left(self) -> int:
        """The number of drafts that quitting would lose."""
        return len(self.histories) + len(self.rules) + any(map(str.strip, self.new))

    def keep_all(self) -> None:
        """Keep what was left when planscope ends."""
        self.keeps = True

    def keep_rules(self, session: str, text: str | None) -> None:
        """Keep rules that the user left unsaved; None: they were saved, or are as before."""
        if text is None:
            self.rules.pop(session, None)
        else:
            self.rules[session] = text

    def keep(self, key: Key, history: History) -> None:
        """Keep a draft that the user left."""
        self.histories[key] = history

    def take(self, key: Key) -> History | None:
        """Return the draft that the user left, to continue it."""
        return self.histories.get(key)

    def done(self, key: Key) -> None:
        """Note that a draft was discarded or became a variant. Its file is deleted once the session is saved."""
        self.histories.pop(key, None)
        self._done.add(key)

    def heard(self, message: DocumentChanged, document: Document) -> None:
        """Delete files of drafts that are saved as variants, and follow the session's file."""
        if document.saving.state == "saved" and not document.unsaved:
            self.saved()
        if message.what == "saving" and document.path is not None:
            self.moved(document.open_session.id, document.path)

    def find(self, document: Document, jobs: Jobs, post: Post) -> None:
        """Recover the drafts of a planscope that was killed, as if the edit screen had just been left."""
        path = document.path
        if path is None or not self.written:
            return

        def work(token: object) -> tuple[list[LeftDraft], dict[str, str]]:
            from planscope.session.recovery import left_drafts, left_texts

            return left_drafts(path), left_texts() if self._texts is None else self._texts

        jobs.start("drafts", work, lambda left: self._take_up(*left, document, post), lambda error: None)

    def _take_up(self, left: list[LeftDraft], texts: dict[str, str], document: Document, post: Post) -> None:
        session = document.session
        if session is None or document.path is None:
            return
        if self._texts is None:
            self._texts = texts
            self.rules = {key: text for key, text in texts.items() if key} | self.rules
            if texts.get("") and not self.new:
                self.new[:] = [texts[""]]
                key = f"{key_for('library')} {key_for('new-session')}"
                post(Notice(f"your text of a new query was restored: {key} continues it"))
            if session.id in self.rules:
                post(Notice(f"your rules were restored: {key_for('write-rules')} continues them"))
        if not left:
            return
        from planscope.debugger.draft_typing import Edited, History

        for id, (one, draft) in taken_up(left, session).items():
            if (session.id, id) in self.histories:
                continue
            self.keep((session.id, id), History(Edited(draft, len(draft.text))))
            variant = document.variant(id)
            assert variant is not None
            self.note(document.path, session.id, variant, draft, one)
            when = f"{one.saved.astimezone():%Y-%m-%d %H:%M}"
            post(
                Notice(
                    f"your draft of {shown(id, 20)} from {when} was restored: {key_for('edit')} continues it"
                )
            )

    def note(
        self,
        path: Path | None,
        session: str,
        parent: Variant,
        draft: Draft | None,
        instead: LeftDraft | None = None,
    ) -> None:
        """Save a changed draft soon. None means that it equals its parent again. ``instead`` is deleted once it is
        saved."""
        if path is None or not self.written:
            return
        key = (session, parent.id)
        self._done.discard(key)
        if draft is None:
            self.drop(key)
            return
        before = self._noted.get(key)
        instead = before.instead if before is not None and instead is None else instead
        self._noted[key] = _Noted(path, parent, draft, instead)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, self._write)

    def moved(self, session: str, path: Path) -> None:
        """Save the drafts of a session for its new path, since they are found by it."""
        for key, one in (self._written | self._noted).items():
            if key[0] == session and key not in self._done and one.path != path:
                self.note(path, session, one.parent, one.draft)

    def drop(self, key: Key) -> None:
        """Delete a draft's file."""
        self._noted.pop(key, None)
        self._written.pop(key, None)
        if (file := self._files.pop(key, None)) is not None:
            self._pool.submit(file.drop)

    def saved(self) -> None:
        """Delete the drafts that became variants, because the session's file contains them now."""
        for key in tuple(self._done):
            self.drop(key)
        self._done.clear()

    def _write(self) -> None:
        self._timer = None
        noted, self._noted = self._noted, {}
        for key, one in noted.items():
            file = self._files.get(key)
            if file is None or file.path != one.path:
                from planscope.session.recovery import DraftFile

                self.drop(key)
                file = self._files[key] = DraftFile(one.path)
            self._written[key] = one
            self._pool.submit(_keep, file, key[0], one)

    def close(self, *, keep: bool) -> None:
        """Close all files. ``keep``: the drafts can be recovered; otherwise they are deleted."""
        if self._timer is not None:
            self._timer.cancel()
        if keep:
            self._write()
        if self.written and (keep or self._texts):
            from planscope.session.recovery import keep_texts

            texts = self.rules | {"": "".join(self.new).strip()}
            keep_texts({key: text for key, text in texts.items() if keep and text}, self._texts or ())
        for file in self._files.values():
            self._pool.submit(file.close if keep else file.drop)
        self._files.clear()
        self._pool.shutdown(wait=True)


def _keep(file: DraftFile, session: str, noted: _Noted) -> None:
    try:
        file.keep(session, variant_of_draft(noted.draft, "draft", noted.parent))
    except (UserError, ValueError):
        return  # the draft is still on the screen, and autosave reports a full disk
    if noted.instead is not None:
        noted.instead.discard()


def taken_up(left: Iterable[LeftDraft], session: Session) -> dict[str, tuple[LeftDraft, Draft]]:
    """Return the newest draft of each variant of the session, by the variant's id.

    Drafts that equal a variant are deleted: they were saved as that variant.
    """
    said = [draft_of(variant) for variant in session.variants]
    ids = {variant.id for variant in session.variants}
    found: dict[str, tuple[LeftDraft, Draft]] = {}
    for one in left:
        draft, parent = draft_of(one.variant), one.variant.parent
        if one.session != session.id:
            continue
        if draft in said:
            one.discard()
        elif parent in ids and parent not in found:
            found[parent] = (one, draft)
    return found
