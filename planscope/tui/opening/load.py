"""Loads a session from its file, in a thread."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.session.files import Fingerprint
    from planscope.session.model import Session
    from planscope.session.recovery import Recovery
    from planscope.session.writer import SessionWriter
    from planscope.tui.controllers.autosave import Autosave
    from planscope.tui.controllers.document import Document
    from planscope.tui.controllers.workspace import Workspace


@frozen
class Opened:
    """A loaded session. ``recovery``: changes that could not be saved the last time.

    ``held``: a line that names another process that writes to the file, or "". ``changed``: the session differs
    from its file.
    """

    session: Session
    recovery: Recovery | None = None
    held: str = ""
    changed: bool = False


@frozen
class Switch:
    """A loaded session to switch to, with its autosave. ``notice`` is displayed once the session is open."""

    document: Document
    opened: Opened
    autosave: Autosave | None
    notice: str = ""


def open_session(
    path: Path, hold: Callable[[], SessionWriter] | None = None, parsed: tuple[Any, Fingerprint] | None = None
) -> Opened:
    """Load and check a session. Raises ``SessionError`` with one line.

    ``hold`` takes the file for this process, so that nobody changes it between loading and saving. ``parsed``: the
    file's JSON, and what the file was then; it is parsed again if that changed.
    """
    from planscope.session.files import fingerprint_of
    from planscope.session.store import load

    keeper = hold() if hold is not None else None
    same = parsed is not None and fingerprint_of(path) == parsed[1]
    session = load(path, parsed[0] if parsed is not None and same else None)
    if keeper is None:
        return Opened(session)
    from planscope.session.recovery import recoverable

    return Opened(session, recoverable(path), _held(keeper))


def _held(keeper: SessionWriter) -> str:
    """Name another process that writes to the file, short enough for the footer of a small window, or return ""."""
    if keeper.where != "held":
        return ""
    who = f" (process {keeper.holder.pid})" if keeper.holder is not None else ""
    return f"open in another planscope{who}"


async def load_beside(work: Workspace, path: Path) -> Switch:
    """Load another session while one is open; it is autosaved if the open one is. A trace becomes a session first.

    Raises ``SessionError`` with one line. Its file is released if that fails, or if the caller is cancelled.
    """
    from planscope.session.files import names_itself
    from planscope.tui.controllers.autosave import Autosave
    from planscope.tui.controllers.document import Document

    line = ""
    if not names_itself(path):
        from planscope.traces.importing import opened_at

        path, line = await work.jobs.run("import", lambda token: opened_at(path))
        if line and path == work.document.path:
            raise UserError("this trace is the session that is open")
    document = Document(path, work.post)
    autosave = Autosave(document, work.post) if work.autosave is not None else None
    hold = autosave.hold if autosave is not None else None
    try:
        opened = await work.jobs.run("open session", lambda token: open_session(path, hold))
    except BaseException:
        if autosave is not None:
            autosave.close()
        raise
    return Switch(document, opened, autosave, shown(line, 600))


def path_in(text: str) -> Path | None:
    """Return the file or folder that a text names, as terminals type it when a file is dropped, or None."""
    line = text.strip()
    named = unquote(urlsplit(line).path) if line.startswith("file://") else line
    with suppress(ValueError, OSError):
        if named and not Path(named).expanduser().exists():
            named = shlex.split(named)[0]
        path = Path(named).expanduser()
        return path.absolute() if named and path.exists() else None
    return None
