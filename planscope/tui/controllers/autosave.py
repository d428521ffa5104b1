"""Changes of the document are in its file a moment later: saved in the background, in order, one save at a time."""

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
"""Seconds without a change after which a save begins, and how long a change waits at most."""

RETRY = 20.0
"""Seconds until a save that failed is tried again, if nothing else changes."""


class Autosave:
    """Saves the session of one document, wherever its :class:`Keeper` lets it.

    A notice says once that changes go to another file than the one that was opened. ``after`` is called once, when all
    was saved: to throw away what that replaced. Everything but :meth:`hold` belongs to the screen's thread.
    """

    def __init__(
        self,
        document: Document,
        post: Post,
        keeper: SessionWriter | None = None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        self.document = document
        self._post = post
        self._place: Callable[[], dict[str, Any] | None] = lambda: None
        self._after = after
        self._keeper = keeper
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
        self._left_at: dict[str, Any] | None = None

    def hold(self) -> SessionWriter:
        """Who keeps the file, made at the first call, which is before the session is loaded. From any thread."""
        from planscope.session.writer import SessionWriter

        with self._one:
            if self._keeper is None:
                assert self.document.path is not None
                self._keeper = SessionWriter(self.document.path)
                if self._closed:
                    self._keeper.close()
            return self._keeper

    def give_up_keeper(self) -> SessionWriter | None:
        """Leave the file to another saver; nothing more is saved here."""
        keeper, self._keeper = self._keeper, None
        self._stop()
        self._under_way = None  # it is over; nobody has to hear of it
        return keeper

    def begin(self, place: Callable[[], dict[str, Any] | None]) -> None:
        """Remember the cursor at opening; only moving away from it counts as a change.

        ``place`` gives the cursor as the session keeps it, or None where no file could name it.
        """
        self._place = place
        self._left_at = place()

    # When to save

    def heard(self, message: DocumentChanged) -> None:
        """The document changed."""
        if message.what not in ("opened", "saving") and self.document.unsaved and not self._closed:
            self.touch()

    def touch(self) -> None:
        """Save in a moment."""
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
        """Save what there is now; if that is being done already, once more behind it."""
        self._stop_waiting()
        if self._under_way is not None or self._keeper is None or self.document.session is None:
            return
        taken, place = self.document.unsaved, self._place()
        self._changed = None
        made = self._under_way = self._pool.submit(_write, self._keeper, self._session(place))
        made.add_done_callback(lambda done: self._answer(done, taken, place))

    def _session(self, place: dict[str, Any] | None) -> Session:
        session = self.document.snapshot()
        return session if place is None else session.model_copy(update={"cursor": place})

    def _answer(self, done: Future[Path], taken: int, place: dict[str, Any] | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._saved, done, taken, place, context=self._context)
        except RuntimeError:
            return  # the screen is gone; ``close`` has looked at what became of it

    def _saved(self, done: Future[Path], taken: int, left_at: dict[str, Any] | None) -> None:
        if self._under_way is not done:
            return
        self._under_way = None
        error = done.exception()
        if error is not None:
            self.document.set_saving(Saving("failed", _line(error)))
            self._wait(RETRY if self._changed is None else PAUSE)
            return
        place, keeper = done.result(), self._keeper
        assert keeper is not None
        self._left_at = left_at or self._left_at
        elsewhere = keeper.where == "copy" and place != self.document.path
        self.document.saved(taken)
        state = "changed" if self.document.unsaved else "saved"
        self.document.set_saving(Saving(state), place if elsewhere else None)  # type: ignore[arg-type]  # one of the two
        self._call_after()
        if elsewhere:
            self._post(Notice(f"saved as {name_of(place)} in your library ({_why(keeper)})"))
        if keeper.more and not self._told_of_more:
            self._told_of_more = True
            runs = [run for _, some in keeper.more for run in some]
            which = f"run {runs[0]} is" if len(runs) == 1 else f"{len(runs)} runs are"
            beside = name_of(keeper.more[-1][0])
            self._post(Notice(f"one file holds 16 MB at most: {which} in {beside} beside it"))
        if self.document.unsaved:
            self.touch()

    def _call_after(self) -> None:
        after, self._after = self._after, lambda: None
        after()

    # When it has to be done

    async def flush(self) -> str:
        """Save what is not saved yet, and wait for it; in one line why it was not, or nothing."""
        async with self._moving:
            return await self._flush()

    async def _flush(self) -> str:
        for _ in range(2):  # what is under way may be older than the last change
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
        """Whether anything changed; where one stands counts in a file of one's own."""
        if self.document.session is None or self._keeper is None:
            return False
        place = self._place()
        moved = place is not None and self._left_at is not None and place != self._left_at
        own = self._keeper.where == "here" or self._keeper.place == self.document.path
        return bool(self.document.unsaved) or (moved and own)

    def close(self) -> str:
        """Save what is not saved yet, at once, and let others write; why it was not saved, in one line, or nothing."""
        self._stop_waiting()
        trouble = ""
        if (last := self._under_way) is not None and (error := last.exception()) is not None:
            trouble = _line(error)
        if last is not None and not trouble:
            self.document.saved(0 if self._changed is not None else self.document.unsaved)
            self._call_after()
        self._under_way = None
        if self._worth_it():
            assert self._keeper is not None
            error = self._pool.submit(_write, self._keeper, self._session(self._place())).exception()
            trouble = _line(error) if error is not None else ""
            if error is None:
                self._call_after()
        self._stop()
        with self._one:
            self._closed = True
            if self._keeper is not None:
                self._keeper.close()
        return trouble

    def _stop(self) -> None:
        self._stop_waiting()
        self._pool.shutdown(wait=True)

    # Where to save

    def go_elsewhere(self) -> None:
        """Save to a new copy in the library from now on."""
        self.hold().go_elsewhere()
        self.save()

    async def move(self, to: Callable[[Path], Path]) -> Path:
        """Let ``to`` give the file another name, in the background, while nobody holds it. Raises what that raises.

        Whoever waits for it may stop that: the file has its keeper again all the same.
        """

        async def in_turn() -> Path:
            async with self._moving:
                return await self._move(to)

        return await asyncio.shield(self._loop.create_task(in_turn()))

    async def _move(self, to: Callable[[Path], Path]) -> Path:
        from planscope.session.writer import SessionWriter

        await self._flush()
        path, keeper = self.document.path, self._keeper
        assert path is not None and keeper is not None
        self._keeper = None  # nothing is saved meanwhile

        def work() -> tuple[Path, SessionWriter, Exception | None]:
            keeper.close()
            try:
                new = to(path)
            except Exception as error:
                return path, SessionWriter(path), error
            return new, SessionWriter(new), None

        new, self._keeper, error = await self._loop.run_in_executor(self._pool, work)
        self.document.set_saving(self.document.saving, new)
        if self.document.unsaved:
            self.touch()
        if error is not None:
            raise error
        return new


def _write(keeper: SessionWriter, session: Session) -> Path:
    if keeper.where == "held":
        keeper.go_elsewhere()  # whoever holds it writes to it: what is done here is not put over that
    return keeper.save(session)


def _why(keeper: SessionWriter) -> str:
    """Why it is saved as a copy, in a few words."""
    told = keeper.why.removeprefix(f"{keeper.path} ").partition(";")[0]
    return told if told == keeper.why.partition(";")[0] else f"the file {told}"


def _quiet(future: Future[Path]) -> Future[None]:
    """Done when the other is, however that ended."""
    done: Future[None] = Future()
    done.set_running_or_notify_cancel()  # who waits for it may stop that; this is over when the other is
    future.add_done_callback(lambda _: done.set_result(None))
    return done


def _line(error: BaseException) -> str:
    known = isinstance(error, UserError)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    return text.splitlines()[0] if text.strip() else "unknown trouble"
