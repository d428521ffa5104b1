"""Saves changes of the document a moment after they are made: in the background, in order, one save at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.errors import UserError
from planscope.session.locations import name_of
from planscope.tui.controllers.document import Document, Post, Saving
from planscope.tui.messages import DocumentChanged, Notice

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.session.writer import SessionWriter

PAUSE, LONGEST = 0.5, 5.0
"""A save begins when nothing has changed for the first number of seconds, or when a change has waited for the
second."""

RETRY = 20.0
"""Seconds until a failed save is tried again if nothing else changes."""


_Moved = tuple[Path, "SessionWriter", Exception | None]
"""Where a moved file is now, its new writer, and the error if it could not be moved."""


class Autosave:
    """Saves the session of one document where its :class:`SessionWriter` allows: in its file, or in a copy of it.

    A notice tells the user once if it is a copy. ``after`` is called once, after the first successful save; it deletes
    what this save replaced. All methods but :meth:`hold` are for the screen's thread.
    """

    def __init__(
        self,
        document: Document,
        post: Post,
        writer: SessionWriter | None = None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        self.document = document
        self._post = post
        self._place: Callable[[], dict[str, Any] | None] = lambda: None
        self._after = after
        self._writer = writer
        self._closed = False
        self._told_of_more = False
        self._one = threading.Lock()
        self._moving = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="planscope save")
        self._timer: asyncio.TimerHandle | None = None
        self._changed: float | None = None
        self._under_way: Future[Path] | None = None
        self._move_under_way: Future[_Moved] | None = None
        self._left_at: dict[str, Any] | None = None

    def hold(self) -> SessionWriter:
        """Return the writer of the file. The first call makes it, before the session is loaded. For any thread."""
        from planscope.session.writer import SessionWriter

        with self._one:
            if self._writer is None:
                assert self.document.path is not None
                self._writer = SessionWriter(self.document.path)
                if self._closed:
                    self._writer.close()
            return self._writer

    def give_up_writer(self) -> SessionWriter | None:
        """Hand the file over to another autosave. This one saves nothing more."""
        self._finish_move()
        writer, self._writer = self._writer, None
        self._stop()
        self._under_way = None  # no save is running any more, since the pool is shut down
        return writer

    def begin(self, place: Callable[[], dict[str, Any] | None]) -> None:
        """Remember the cursor at opening; only moving away from it counts as a change.

        ``place`` returns the cursor as a session stores it, or None if no session could (such as in what-if play).
        """
        self._place = place
        self._left_at = place()

    # When to save

    def heard(self, message: DocumentChanged) -> None:
        """Save soon if the message is about a change of the session."""
        if message.what not in ("opened", "saving") and self.document.unsaved and not self._closed:
            self.touch()

    def touch(self) -> None:
        """Save soon."""
        now = self._loop.time()
        self._changed = now if self._changed is None else self._changed
        self._wait(min(now + PAUSE, self._changed + LONGEST) - now)
        if self.document.saving.state != "failed":
            self.document.set_saving(Saving("changed"))

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self._loop.call_later(max(seconds, 0.0), self.save, context=self._context)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def save(self) -> None:
        """Save now, unless a save is under way: the next one follows it if anything changed meanwhile."""
        self._stop_waiting()
        nothing = self._writer is None or self.document.session is None
        if self._under_way is not None or nothing or self._closed:
            return
        taken, place = self.document.unsaved, self._place()
        self._changed = None
        assert self._writer is not None
        made = self._under_way = self._pool.submit(_write, self._writer, self._session(place))
        made.add_done_callback(lambda done: self._answer(done, taken, place))

    def _session(self, place: dict[str, Any] | None) -> Session:
        """Return what is written: the session with the cursor, or with the last cursor that a session could store."""
        session, cursor = self.document.snapshot(), place or self._left_at
        return session if cursor is None else session.model_copy(update={"cursor": cursor})

    def _answer(self, done: Future[Path], taken: int, place: dict[str, Any] | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._saved, done, taken, place, context=self._context)
        except RuntimeError:
            return  # the loop is closed; ``close`` has dealt with the result

    def _saved(self, done: Future[Path], taken: int, left_at: dict[str, Any] | None) -> None:
        if self._under_way is not done:
            return
        self._under_way = None
        error = done.exception()
        if error is not None:
            self.document.set_saving(Saving("failed", _line(error)))
            self._wait(RETRY if self._changed is None else PAUSE)
            return
        place, writer = done.result(), self._writer
        assert writer is not None
        self._left_at = left_at or self._left_at
        elsewhere = writer.where == "copy" and place != self.document.path
        self.document.saved(taken)
        saving = Saving("changed" if self.document.unsaved else "saved")
        self.document.set_saving(saving, place if elsewhere else None)
        self._call_after()
        if elsewhere:
            self._post(Notice(f"copied to your library as {name_of(place)} ({_why(writer)})"))
        if writer.more and not self._told_of_more:
            self._told_of_more = True
            runs = [run for _, some in writer.more for run in some]
            which = f"run {runs[0]} is" if len(runs) == 1 else f"{len(runs)} runs are"
            beside = name_of(writer.more[-1][0])
            self._post(Notice(f"a file can have at most 16 MB, so {which} in {beside} beside it"))
        if self.document.unsaved:
            self.touch()

    def _call_after(self) -> None:
        after, self._after = self._after, lambda: None
        after()

    # Saving at once:

    async def flush(self) -> str:
        """Save unsaved changes and wait for that. Return why it failed, in one line, or ""."""
        async with self._moving:
            return await self._flush()

    async def _flush(self) -> str:
        for _ in range(2):  # a save that is still running may be older than the last change
            if self._under_way is not None:
                await asyncio.wrap_future(_quiet(self._under_way))
                await asyncio.sleep(0)
            if self._under_way is None and self._worth_it():
                self.save()
        if self._under_way is not None:
            await asyncio.wrap_future(_quiet(self._under_way))
            await asyncio.sleep(0)
        return self.document.saving.trouble

    def _worth_it(self) -> bool:
        """Return whether there is a change to save. A moved cursor is one only in a file of the user's own."""
        if self.document.session is None or self._writer is None or self._closed:
            return False
        place = self._place()
        moved = place is not None and self._left_at is not None and place != self._left_at
        own = self._writer.where == "here" or self._writer.place == self.document.path
        return bool(self.document.unsaved) or (moved and own)

    def close(self) -> str:
        """Save unsaved changes now and release the file. Return why saving failed, in one line, or ""."""
        self._stop_waiting()
        self._finish_move()
        trouble = ""
        if (last := self._under_way) is not None and (error := last.exception()) is not None:
            trouble = _line(error)
        if last is not None and not trouble:
            self.document.saved(0 if self._changed is not None else self.document.unsaved)
            self._call_after()
        self._under_way = None
        if self._worth_it():
            assert self._writer is not None
            error = self._pool.submit(_write, self._writer, self._session(self._place())).exception()
            trouble = _line(error) if error is not None else ""
            if error is None:
                self._call_after()
        self._stop()
        with self._one:
            self._closed = True
            if self._writer is not None:
                self._writer.close()
        return trouble

    def _stop(self) -> None:
        self._stop_waiting()
        self._pool.shutdown(wait=True)

    # Where to save

    def go_elsewhere(self) -> None:
        """Save to a new copy in the library from now on."""
        self._finish_move()
        self.hold().go_elsewhere()
        self.save()

    async def move(self, to: Callable[[Path], Path]) -> Path:
        """Call ``to``, which renames the file, in the background while no writer holds it. Raises the errors of
        ``to``.

        Cancelling the caller does not stop the move: the file must have its writer again.
        """

        async def in_turn() -> Path:
            async with self._moving:
                return await self._move(to)

        return await asyncio.shield(self._loop.create_task(in_turn()))

    async def _move(self, to: Callable[[Path], Path]) -> Path:
        from planscope.session.writer import SessionWriter

        await self._flush()
        path, writer = self.document.path, self._writer
        assert path is not None and writer is not None
        self._writer = None  # nothing is saved during the move

        def work() -> _Moved:
            writer.close()
            try:
                new = to(path)
            except Exception as error:  # noqa: BLE001  (whatever happened, the file gets a writer again)
                return path, SessionWriter(path), error
            return new, SessionWriter(new), None

        made = self._move_under_way = self._pool.submit(work)
        new, _, error = await asyncio.wrap_future(made)
        if self._move_under_way is made:
            self._finish_move()
            if self.document.unsaved:
                self.touch()
        if error is not None:
            raise error
        return new

    def _finish_move(self) -> None:
        """Wait for a move that is still running, and keep the file at its new place."""
        made, self._move_under_way = self._move_under_way, None
        if made is not None:
            new, self._writer, _ = made.result()
            self.document.set_saving(self.document.saving, new)


def _write(writer: SessionWriter, session: Session) -> Path:
    if writer.where == "held":
        writer.go_elsewhere()  # another process holds this file now: do not overwrite its changes
    return writer.save(session)


def _why(writer: SessionWriter) -> str:
    """Say in a few words why the writer saves to a copy."""
    told = writer.why.removeprefix(f"{writer.path} ").partition(";")[0]
    return told if told == writer.why.partition(";")[0] else f"the file {told}"


def _quiet(future: Future[Path]) -> Future[None]:
    """Return a future that is done when the other one is, whatever its result."""
    done: Future[None] = Future()
    done.set_running_or_notify_cancel()  # so that cancelling the wait does not cancel this future
    future.add_done_callback(lambda _: done.set_result(None))
    return done


def _line(error: BaseException) -> str:
    known = isinstance(error, UserError)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    return text.splitlines()[0] if text.strip() else "unknown error"
