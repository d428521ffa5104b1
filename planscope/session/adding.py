"""What was made for a session (runs, variants) put into its file, which others may have written to meanwhile."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from planscope.session.files import SessionError, TooLarge, read_bytes, writable_target, write_atomic
from planscope.session.lock import PATIENCE, Held, Lock, holder_of
from planscope.session.model import Session
from planscope.session.naming import free_path
from planscope.session.parts import beside, parts
from planscope.session.places import make_folder
from planscope.session.store import dumps, loads, save


def check_nobody_writes(path: Path) -> None:
    """Raise :class:`Held` where another planscope keeps the file open: said before any work is done, not after."""
    holder = holder_of(path)
    if holder is not None and holder.lasting:
        raise Held(path, holder)


@dataclass(slots=True)
class Kept:
    """Where things went that were added to the file at ``place``: files with the ids of the runs new in each."""

    place: Path | None = None
    files: list[tuple[Path, list[str]]] = field(default_factory=list)

    def named(self, target: str) -> list[tuple[str, list[str]]]:
        """The same with the files' names; ``target`` is what the first was called by who asked for it."""
        return [(target if file == self.place else str(file), runs) for file, runs in self.files]

    def beyond(self, target: str) -> list[tuple[str, list[str]]] | None:
        """The same where one file was not enough, else None."""
        return self.named(target) if any(file != self.place for file, _ in self.files) else None

    def where(self, run: str, target: str) -> str:
        """The name of the file that a new run is in."""
        return next((file for file, runs in self.named(target) if run in runs), target)


def digest_of(data: bytes) -> str:
    """By which :func:`adding` knows that a file is still the one that was read."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def adding(
    session: Session,
    source: Path,
    target: Path,
    variants: Collection[str],
    *,
    read: str | None = None,
    kept: Kept | None = None,
) -> Iterator[Session]:
    """The session to add to, written to ``target`` when the block ends; nobody else writes meanwhile.

    ``session`` is what was read from ``source``, ``read`` the digest of what was there. Where that is the file to
    write, what it holds by now is added to, if it still is this session and has these ``variants`` as they were. What
    is too much for that file goes into others beside it (``NAME-2``); ``kept`` tells where all went.

    Where the file is another session by now, or cannot be written, nothing there is touched: what was made goes into a
    new file in the library, and :class:`SessionError` says so.
    """
    place = writable_target(target)
    kept = Kept() if kept is None else kept
    lock = Lock(place)
    try:
        lock.acquire(PATIENCE)
    except Held as held:
        before = {run.id for run in session.runs}
        yield session
        raise SessionError(_elsewhere(session, before, place, str(held))) from None
    try:
        now, trouble = _by_now(session, source, place, variants, read)
        old = now.model_copy(update={name: list(getattr(now, name)) for name in _LISTS})
        before = {run.id for run in now.runs}
        yield now
        if trouble is None:
            try:
                _write(now, old, place, kept)
            except SessionError as error:
                trouble = str(error)
        if trouble is not None:
            raise SessionError(_elsewhere(now, before, place, trouble))
    finally:
        lock.release()


_LISTS = ("variants", "runs", "dissections")


def _write(now: Session, old: Session, place: Path, kept: Kept) -> None:
    """All of it to its place, or what is too much for that beside it."""
    before = {run.id for run in old.runs}
    try:
        made = [(now, dumps(now))]
    except TooLarge:
        if not before < {run.id for run in now.runs}:
            raise  # variants alone
        made = parts(now, old)
    earlier = [file for file, _ in kept.files if file != kept.place]  # of what is saved again and again
    kept.place, kept.files = place, []
    for number, (part, data) in enumerate(made):
        file = place if not number else earlier.pop(0) if earlier else beside(place)
        new = [run.id for run in part.runs if run.id not in before]
        if number or new or len(made) == 1:
            write_atomic(file, data)
            kept.files.append((file, new))


def _by_now(
    session: Session, source: Path, place: Path, variants: Collection[str], read: str | None
) -> tuple[Session, str | None]:
    """What to add to, and why it cannot be written to its place."""
    if not place.exists() or not (source.exists() and place.samefile(source)):
        return session, None
    try:
        data = read_bytes(place)
        if read is not None and digest_of(data) == read:
            return session.model_copy(update={name: list(getattr(session, name)) for name in _LISTS}), None
        now = loads(data, str(place))
    except SessionError as error:
        return session, f"{error}, though it could be read before"
    there, needed = _requests(now), _requests(session)
    if now.id == session.id and all(there.get(one) == needed.get(one) for one in variants):
        return now, None
    return session, f"{place} was changed by another program since it was read, and is another session now"


def _requests(session: Session) -> dict[str, object]:
    """What each variant asks for; what else is said of it may have changed."""
    return {v.id: (v.query.text, v.query.timed, v.actions) for v in session.variants}


def _elsewhere(session: Session, before: set[str], place: Path, trouble: str) -> str:
    """Keep it in the library; the error to show. Where all of it is too much for one file, the new runs alone."""
    path = free_path(place)
    new = [run.model_copy(update={"forked_from": None}) for run in session.runs if run.id not in before]
    said = ""
    for kept in (session, session.model_copy(update={"runs": new, "dissections": []})):
        try:
            make_folder(path.parent)
            save(kept, path)
        except SessionError as error:
            said = str(error)
        else:
            return f"{trouble}; nothing was written there, and what was made is kept in {path}"
    return f"{trouble}; nor could what was made be kept in your library: {said}"
