"""Sharing a run: choose a form, check the private values, choose a file; the file is made in the background."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.session.files import SessionError, writable_target, write_atomic
from planscope.session.locations import name_of
from planscope.sharing.formats import FORMATS, SUFFIXES, excerpt
from planscope.sharing.formats import share as in_format
from planscope.tui.app_screen import Asker
from planscope.tui.dialogs.ask import ChooseDialog, sure_dialog
from planscope.tui.dialogs.base import Said
from planscope.tui.dialogs.form import FormDialog, ask_dialog
from planscope.tui.dialogs.share_preview import Approved, PreviewDialog
from planscope.tui.screens.flows.waiting import Tell, waited
from planscope.tui.style.lines import Run, shown
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.sharing.redact import Redaction
    from planscope.tui.controllers.jobs import Jobs

LOOK, MAKE = "share look", "share make"
LONGEST_COPY = 1_000_000
"""The longest text that is sent to the clipboard, in characters."""


@frozen
class Form:
    """A form to share: ``name`` is a format, or ``svg`` for a picture of the screen; ``carries`` means the session."""

    name: str
    title: str
    about: str
    suffix: str
    carries: bool

    @property
    def noun(self) -> str:
        return self.title if self.title.isupper() else self.title.lower()


_TOLD = {
    "html": ("Page", "steps through the runs in any browser (HTML)"),
    "markdown": ("Markdown", "for an issue or a pull request"),
    "svg": ("Picture", "the debugger, as large as this screen (SVG)"),
    "text": ("Text", "for an email"),
    "pytest": ("Test", "reruns the case, asserts the verdict (pytest)"),
    "smt2": ("SMT-LIB", "lets any solver confirm the verdict"),
    "session": ("Session", "the session itself; planscope opens it"),
    "json": ("JSON", "everything planscope knows about the run"),
}

FORMS: tuple[Form, ...] = tuple(
    Form(name, *told, SUFFIXES[name], name in FORMATS and FORMATS[name].carries)
    for name, told in _TOLD.items()
)


def choose_form(at: int, what: str) -> ChooseDialog:
    """Ask for one of ``FORMS``. ``what``: run or query."""
    lines = [(Run(f"{form.title:<10}", "strong"), Run(form.about, "dim")) for form in FORMS]
    return ChooseDialog(f"Share this {what}", lines, at)


@frozen
class Target:
    """The file to write, or None for the clipboard. ``over``: replace an existing file."""

    file: Path | None
    over: bool = False


_CHECK = "Check yourself for anything that no program can know to be private."

TO_CLIPBOARD = "\n"
"""The answer of :func:`where_dialog` that means the clipboard; no file has this name."""


def where_dialog(title: str, value: str, said: Sequence[Said], trouble: str = "") -> FormDialog[str]:
    """Ask for the name of a file. ``said``: what it contains and what is replaced. ``trouble``: why the last try
    failed."""
    failed: list[Said] = [(f"✗ {trouble}", "broken"), ""] if trouble else []
    return ask_dialog(
        title,
        "Enter: write the file, Ctrl+y: copy instead (if the terminal can), Esc: back",
        _wrong_file,
        value=value,
        before=(*failed, *said, "", "Name of the file:"),
        answers={"ctrl+y": TO_CLIPBOARD},
    )


def over_dialog(path: Path) -> ChooseDialog:
    """Ask before an existing file is replaced; the answer 1 is yes."""
    text = f"{phrases.place(path)} exists already. Its contents would be lost."
    return sure_dialog("Replace the file?", text, "Choose another name", "Replace it")


def _wrong_file(name: str) -> str | None:
    """Say in one line why nothing can be written to this file; None if it can."""

    if not name.strip():
        return "enter the name of a file"
    try:
        writable_target(Path(name.strip()).expanduser())
    except SessionError as error:
        return str(error)
    except RuntimeError:
        return "there is no such home directory"
    return None


def file_for(session: Path | None, form: Form) -> str:
    """Propose the name of a new file in the working directory."""
    stem = re.sub(r"[^\w.-]+", "-", name_of(session) if session is not None else "").strip("-.")[:60]
    stem = stem or "planscope"
    if form.name == "pytest":
        stem = f"test_{re.sub(r'[^0-9A-Za-z]+', '_', stem).strip('_').lower() or 'case'}"
    if form.name == "session":
        stem = f"{stem}-shared"
    number, name = 1, f"{stem}{form.suffix}"
    while Path(name).exists():
        number += 1
        name = f"{stem}{'_' if form.name == 'pytest' else '-'}{number}{form.suffix}"
    return name


@frozen
class Shared:
    """What to share: a snapshot of the session, a run or None for the query, the step as commands name it.

    ``listed``: the ids of several runs that can be shared together. ``part``: the snapshot was reduced to some runs.
    """

    session: Session
    run_id: str | None
    going_on: bool
    step: str | None
    path: Path | None
    listed: tuple[str, ...] = ()
    part: bool = False


async def share(screen: Asker, jobs: Jobs, what: Shared, form_at: int = 0) -> int:
    """Ask for a form, show private values, write the file. Esc goes back one question. For a flow.

    Returns the index of the chosen form, for the next time.
    """
    while True:
        kind = "run" if what.run_id is not None else "query"
        number = await screen.answer(choose_form(form_at, kind))
        if number is None:
            return form_at
        form_at = number
        if await _in_form(screen, jobs, what, FORMS[number]):
            return form_at


async def _in_form(screen: Asker, jobs: Jobs, what: Shared, form: Form) -> bool:
    """Share in one form; False if the user goes back to the choice of a form."""
    some = await _how_much(screen, what, form)
    if some is None:
        return False
    what = _shared(some, form)
    approved: Approved | None = None
    while True:
        approved = await _preview(screen, jobs, what, form, approved)
        if approved is None:
            return False
        trouble, name = "", file_for(what.path, form)
        about = _about(what, form)
        said = [(about, "dim")] * bool(about) + [approved.summary, (_CHECK, "dim")]
        while (target := await _where(screen, _title(what, form), name, said, trouble)) is not None:
            told = await _make(screen, jobs, what, form, approved, target)
            if told.done:
                screen.tell(told.line)
                return True
            trouble = told.line
            name = str(target.file) if target.file is not None else name


async def _how_much(screen: Asker, what: Shared, form: Form) -> Shared | None:
    """Ask how much of the session the file should contain, if the form can contain it; None if the user goes back."""
    from planscope.session.removal import without_removed

    session = without_removed(what.session)
    what = replace(what, session=session)
    if not form.carries or len(session.runs) + len(session.variants) < 3:
        return what
    parts: list[tuple[str, tuple[str, ...] | None]] = []
    if what.run_id is not None:
        parts.append((f"Only run {shown(what.run_id, 20)}", (what.run_id,)))
    if len(what.listed) > 1:
        parts.append((f"The {len(what.listed):,} listed runs", what.listed))
    if not parts:
        return what
    queries = phrases.plural(len(session.variants), "query", "queries")
    parts.append((f"The whole session: {queries}, {phrases.plural(len(session.runs), 'run')}", None))
    told = [("A run brings the runs that it was forked from, and its query.", "dim")]
    number = await screen.answer(ChooseDialog("How much?", [text for text, _ in parts], before=told))
    if number is None:
        return None
    ids = parts[number][1]
    return what if ids is None else _only(what, ids)


def _only(what: Shared, ids: Collection[str]) -> Shared:
    """Reduce the session to these runs."""

    some = [one for one in what.session.runs if one.id in ids]
    run_id = what.run_id if what.run_id in ids else some[-1].id if some else None
    session = excerpt(what.session, *some) if some else excerpt(what.session, None)
    return replace(what, session=session, run_id=run_id, part=bool(some))


def _shared(what: Shared, form: Form) -> Shared:
    """Reduce the session to the run unless the form contains the session."""
    if form.carries or form.name == "svg":
        return what
    return _only(what, {what.run_id} if what.run_id is not None else ())


async def _preview(
    screen: Asker, jobs: Jobs, what: Shared, form: Form, before: Approved | None
) -> Approved | None:
    """Show private values and their replacements; None if the user goes back."""
    dialog = PreviewDialog(_title(what, form), _about(what, form), before)
    if dialog.redaction is None:

        def look(token: object) -> Redaction:
            from planscope.sharing.redact import look_through

            return look_through(what.session)

        jobs.start(LOOK, look, dialog.found, lambda error: dialog.failed(str(error)))
    answer = await screen.answer(dialog)
    jobs.cancel(LOOK)
    return answer


async def _where(screen: Asker, title: str, name: str, said: Sequence[Said], trouble: str) -> Target | None:
    """Ask for a file or the clipboard; replacing an existing file takes a second question."""
    while True:
        answer = await screen.answer(where_dialog(title, name, said, trouble))
        if answer is None:
            return None
        if answer == TO_CLIPBOARD:
            return Target(None)
        name, path = answer, Path(answer.strip()).expanduser()
        if not path.exists():
            return Target(path)
        if await screen.answer(over_dialog(path)) == 1:
            return Target(path, over=True)


@frozen
class _Told:
    line: str
    done: bool


async def _make(
    screen: Asker, jobs: Jobs, what: Shared, form: Form, approved: Approved, target: Target
) -> _Told:
    """Make the text, write or copy it, and return what to tell the user."""
    writing = threading.Event()
    size, theme, picture = tuple(screen.app.size), screen.app.theme, getattr(screen.app, "picture", None)
    said = approved.summary[0].lstrip("✓! ")

    def work(tell: Tell) -> str:
        text = _made(what, form, approved.redaction, size, theme, picture)
        if target.file is not None:
            writing.set()  # before it is asked whether the user stopped this, who looks at it afterwards
            tell(f"writing the {form.noun}")
            _write(target.file, text, target.over)
        return text

    text = await waited(screen, jobs, MAKE, f"making the {form.noun}", work)
    if isinstance(text, UserError):
        return _Told(str(text), False)
    if text is None and target.file is not None and writing.is_set():
        return _Told(f"it could not be stopped in time; see {phrases.place(target.file)}", True)
    if text is None:
        return _Told("stopped; nothing was shared", True)
    if target.file is not None:
        return _Told(f"written to {phrases.place(target.file)}: {said}", True)
    if len(text) > LONGEST_COPY:
        return _Told(f"{len(text):,} characters are too many for the clipboard; write a file", False)
    screen.app.copy_to_clipboard(text)
    return _Told(f"sent to the terminal's clipboard: {said}", True)


def _title(what: Shared, form: Form) -> str:
    """The title of the dialogs."""
    if form.carries and not what.part:
        which = "the session"
    elif what.part and len(what.session.runs) > 1:
        which = phrases.plural(len(what.session.runs), "run")
    else:
        which = f"run {shown(what.run_id, 20)}" if what.run_id is not None else "the query"
    return f"Share {which}" if form.noun == "session" else f"Share {which}: {form.noun}"


def _about(what: Shared, form: Form) -> str:
    """Say what the file contains besides the run, and what it lacks."""
    told = ""
    if form.carries:
        parts = [
            phrases.plural(len(what.session.variants), "query", "queries"),
            phrases.plural(len(what.session.runs), "run"),
        ]
        if what.session.notes.strip():
            parts.append("its notes")
        which = "these runs of the session" if what.part else "the whole session"
        told = f"The file contains {which}: {', '.join(parts)}. "
    if what.going_on:
        told += "The run is in progress: it is shared as far as it got."
    return told.strip()


def _made(
    what: Shared, form: Form, redaction: Redaction | None, size: tuple[int, ...], theme: str, picture: Any
) -> str:
    """Make the text of the file. For a thread; raises ``UserError``."""
    if form.name != "svg":
        return in_format(what.session, what.run_id, form.name, redaction=redaction)
    run = next((run for run in what.session.runs if run.id == what.run_id), None)
    columns, rows = (
        min(max(part, low), high) for part, low, high in zip(size, (60, 15), (500, 300), strict=True)
    )
    made: str = picture(
        what.session, run, redaction, size=(columns, rows), theme=theme, step=what.step if run else None
    )
    return made


def _write(file: Path, text: str, over: bool) -> None:
    """Write a file; replace an existing one only with ``over``. Raises ``UserError``."""

    if not over and file.exists():
        raise UserError(f"{file} exists already; nothing was written")
    write_atomic(file, text.encode("utf-8", "backslashreplace"))
