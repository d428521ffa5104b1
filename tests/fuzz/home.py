"""Where a monkey lives: folders of its own, sessions in a library, and nothing outside that it could write to."""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planscope.campaign.cases import Arm, Knobs
from planscope.campaign.engine import Campaign
from planscope.campaign.store import Budget, Store, campaign_path
from planscope.session import library
from planscope.session.files import fingerprint_of
from planscope.session.locations import bundled, campaigns_folder, library_folder, make_folder
from planscope.session.model import Limits, Session
from planscope.session.recovery import RecoveryFile
from planscope.session.store import dumps, save
from planscope.session.writer import SessionWriter
from planscope.sharing.formats import share
from tests.tui import sessions
from tests.tui.test_findings import failing

MADE: tuple[Callable[[], Session], ...] = (
    sessions.figure_10,
    sessions.out_of_order,
    sessions.restarted,
    sessions.no_run,
    sessions.unreadable,
    sessions.contradictory,
    sessions.aborted,
    sessions.ruled,
    failing,
)
KINDS = ("file", "library", "bundled", "file", "unsaved", "library", "held", "page")
"""How a session is opened: from a file, from the library, from what ships; with unsaved work left of it, while another
planscope holds it, or from a page that carries it."""


@dataclass(slots=True)
class Home:
    """``path`` is what is opened first; ``held`` keeps it from being written to."""

    folder: Path
    kind: str
    path: Path
    held: SessionWriter | None = None


@contextmanager
def at_home(kind: str, draw: random.Random) -> Iterator[Home]:
    """A folder to live in, with a library. Whoever is in it writes nowhere else, and asks no provider anything."""
    before, environment = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        os.chdir(folder)
        for part in ("CONFIG", "DATA", "STATE", "CACHE"):
            os.environ[f"XDG_{part}_HOME"] = str(folder / part.lower())
        os.environ["HOME"] = str(folder)
        os.environ["EDITOR"] = os.environ["VISUAL"] = "true"
        for secret in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "NO_COLOR"):
            os.environ.pop(secret, None)
        home = None
        try:
            home = _furnished(folder, kind, draw)
            _cage(folder)
            yield home
        finally:
            _cage(None)
            if home is not None and home.held is not None:
                home.held.close()
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)


def _furnished(folder: Path, kind: str, draw: random.Random) -> Home:
    make_folder(library_folder())
    for number, suffix in enumerate((".json", ".json.gz", ".json", ".json")):
        session = draw.choice(MADE)().model_copy(update={"id": f"shelved-{number}"})
        save(session, library_folder() / f"shelved-{number}.planscope{suffix}")
    library.delete(library_folder() / "shelved-3.planscope.json")
    made = MADE if kind != "page" else MADE[:4]  # what cannot be read makes no page
    _begin_campaigns(draw)
    session = draw.choice(made)().model_copy(
        update={"breakpoints": ["step 2"], "watches": ["valid_completions"], "notes": "To be read."}
    )
    path = folder / "test.planscope.json"
    if kind == "bundled":
        return Home(folder, kind, draw.choice(list(bundled().values())))
    if kind == "page":
        path = folder / "test.html"
        path.write_text(share(session, None, "html", redaction=None), encoding="utf-8")
        return Home(folder, kind, path)
    if kind == "library":
        path = library_folder() / path.name
    save(session, path)
    home = Home(folder, kind, path)
    if kind == "held":
        home.held = SessionWriter(path)
    if kind == "unsaved":
        left = session.model_copy(update={"title": "what could not be saved"})
        journal = RecoveryFile(path)
        journal.keep(dumps(left), "the disk was full", fingerprint_of(path))
        journal.close()
    return home


def _begin_campaigns(draw: random.Random) -> None:
    """One whose runs are done and one whose are not, or one of them, or none."""
    make_folder(campaigns_folder())
    for name in draw.choice((("done", "begun"), ("begun",), ("done",), ())):
        with closing(Store(campaign_path(name), make=True)) as store:
            store.keep_settings(Knobs(cases=4), Limits(), "1")
            for model in ("sim:literal", "sim:flaky"):
                store.add_arm(Arm("tools", model), 2, 2, Budget())
            if name == "done":
                Campaign(store).go()


_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_inside: list[str] = []
"""Where one may write; empty: anywhere."""

_hooked: list[bool] = []


def _cage(folder: Path | None) -> None:
    """Names of files are typed, too, and a corpus of hostile texts is pasted: no other file is to be harmed."""
    _inside[:] = (
        [] if folder is None else [str(folder), os.path.realpath(folder), tempfile.gettempdir(), "/dev/"]
    )
    if folder is not None and not _hooked:
        _hooked.append(True)
        sys.addaudithook(_watch)  # which nothing takes away: without a folder it lets all pass


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if not _inside:
        return
    if event == "open":
        touched = args[:1] if args[2] & _WRITES else ()
    elif event in ("os.remove", "os.rmdir", "os.mkdir", "os.truncate"):
        touched = args[:1]
    elif event in ("os.rename", "os.link", "os.symlink"):
        touched = args[:2]
    else:
        return
    for path in touched:
        if isinstance(path, str | bytes | os.PathLike):
            real = os.path.normpath(Path.cwd() / os.fsdecode(path))
            if not real.startswith(tuple(_inside)):
                raise PermissionError(1, "the monkey may not write here", real)
