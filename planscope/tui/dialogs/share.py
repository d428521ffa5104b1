"""In which form a run is shared, and where it goes; and a wait that can be ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.widget import Widget

from planscope.session.locations import name_of
from planscope.sharing.formats import FORMATS, SUFFIXES
from planscope.tui import words
from planscope.tui.dialogs.ask import AskDialog
from planscope.tui.dialogs.base import Dialog, TextBox
from planscope.tui.dialogs.choose import ChooseDialog
from planscope.tui.dialogs.recover import sure_dialog
from planscope.tui.style.lines import Line, Run, shown
from planscope.tui.style.painter import Painter


@dataclass(frozen=True, slots=True)
class Form:
    """A way to share. ``name`` is a format, or ``svg``, which is a picture of the screen; ``carries`` the session."""

    name: str
    title: str
    about: str
    suffix: str
    carries: bool


_TOLD = {
    "html": ("Page", "steps through the runs in any browser (HTML)"),
    "markdown": ("Markdown", "for an issue or a pull request"),
    "svg": ("Picture", "the debugger, as large as this screen (SVG)"),
    "text": ("Text", "for a mail"),
    "pytest": ("Test", "reruns the case, asserts the verdict (pytest)"),
    "smt2": ("SMT-LIB", "for any solver, to confirm the verdict"),
    "session": ("Session", "the session itself, to be opened in planscope"),
    "json": ("JSON", "everything that planscope knows of the run"),
}

FORMS: tuple[Form, ...] = tuple(
    Form(name, *told, SUFFIXES[name], name in FORMATS and FORMATS[name].carries)
    for name, told in _TOLD.items()
)


def choose_form(paint: Painter, at: int, what: str) -> ChooseDialog:
    """Asks for one of ``FORMS``. ``what`` is shared: a run, a request."""
    lines = [(Run(f"{form.title:<10}", "strong"), Run(form.about, "dim")) for form in FORMS]
    return ChooseDialog(paint, f"Share this {what}", lines, at)


@dataclass(frozen=True, slots=True)
class Target:
    """Where it goes: into a file, or to the clipboard where that is None. ``over``: an old file is written over."""

    file: Path | None
    over: bool = False


TO_CLIPBOARD = "\n"
"""What :func:`where_dialog` answers instead of a file's name; no name is this."""


def where_dialog(
    paint: Painter, title: str, value: str, summary: tuple[str, str], trouble: str = ""
) -> AskDialog:
    """Asks for the name of a file. ``summary``: what is replaced, and its role. ``trouble``: what failed before."""
    failed: list[str | tuple[str, str]] = [(f"✗ {trouble}", "broken"), ""] if trouble else []
    return AskDialog(
        paint,
        title,
        "Enter writes the file · Ctrl+y copies it instead, where the terminal lets it · Esc goes back",
        _wrong_file,
        value=value,
        before=(*failed, summary, "", "Where to? The name of a file:"),
        answers={"ctrl+y": TO_CLIPBOARD},
    )


def over_dialog(paint: Painter, path: Path) -> ChooseDialog:
    """Asks before an old file is written over; 1 is yes."""
    text = f"There is {words.place(path)} already. What it holds would be lost."
    return sure_dialog(paint, "Write over it?", text, "Say another name", "Write over it")


def _wrong_file(name: str) -> str | None:
    """Why nothing can be written there, in one line."""
    from planscope.session.files import SessionError, writable_target

    if not name.strip():
        return "say the name of a file"
    try:
        writable_target(Path(name.strip()).expanduser())
    except SessionError as error:
        return str(error)
    except RuntimeError:
        return "there is no such home directory"
    return None


def file_for(session: Path | None, form: Form) -> str:
    """A name for the file, in the working directory, that nothing has yet."""
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


class WaitDialog(Dialog[None]):
    """Says what is made and for how long it has been; Esc ends it."""

    def __init__(self, paint: Painter, what: str) -> None:
        super().__init__(paint, "")
        self.what = what
        self.seconds = 0

    def body(self) -> Sequence[Widget]:
        self.text = TextBox(self.paint, [self._line()])
        return (self.text, TextBox(self.paint, [Line(), *self.wrapped("Esc stops it", "dim")]))

    def on_mount(self) -> None:
        self.set_interval(1.0, self._count)

    def _count(self) -> None:
        self.seconds += 1
        self.text.set_lines([self._line()])

    def _line(self) -> Line:
        return Line((Run(f" {shown(self.what, 100)}… {self.seconds} s"),))
