"""What was made for a session (runs, variants) put into its file, which others may have written to meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from planscope.session.files import SessionError, writable_target, write_atomic
from planscope.session.lock import PATIENCE, Held, Lock, holder_of
from planscope.session.model import Session
from planscope.session.naming import free_path
from planscope.session.places import make_folder
from planscope.session.store import dumps, load, save


def check_nobody_writes(path: Path) -> None:
    """Raise :class:`Held` where another planscope keeps the file open: said before any work is done, not after."""
    holder = holder_of(path)
    if holder is not None and holder.lasting:
        raise Held(path, holder)


@contextmanager
def adding(session: Session, source: Path, target: Path, variants: Collection[str]) -> Iterator[Session]:
    """The session to add to, written to ``target`` when the block ends; nobody else writes meanwhile.

    ``session`` is what was read from ``source``. Where that is the file to write, what it holds by now is added to, if
    it still is this session and has these ``variants`` as they were. Where it is not, or cannot be written, nothing
    there is touched: what was made goes into a new file in the library, and :class:`SessionError` says so.
    """
    place = writable_target(target)
    lock = Lock(place)
    try:
        lock.acquire(PATIENCE)
    except Held as held:
        before = {run.id for run in session.runs}
        yield session
        raise SessionError(_elsewhere(session, before, place, str(held))) from None
    try:
        now, trouble = _by_now(session, source, place, variants)
        before = {run.id for run in now.runs}
        yield now
        if trouble is None:
            try:
                write_atomic(place, dumps(now))
            except SessionError as error:
                trouble = str(error)
        if trouble is not None:
            raise SessionError(_elsewhere(now, before, place, trouble))
    finally:
        lock.release()


def _by_now(
    session: Session, source: Path, place: Path, variants: Collection[str]
) -> tuple[Session, str | None]:
    """What to add to, and why it cannot be written to its place."""
    if not place.exists() or not (source.exists() and place.samefile(source)):
        return session, None
    try:
        now = load(place)
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
