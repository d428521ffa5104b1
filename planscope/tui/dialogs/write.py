"""The dialog for the user's own query: the text, and the actions that planscope found in it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.widget import Widget
from textual.widgets import Input

from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.language.errors import ParseFailure, in_a_line
from planscope.language.find_actions import UnsureActions, find_actions, names_hours, new_names
from planscope.language.problem import make_actions
from planscope.language.reading import Reading, read_query
from planscope.session.validation import LONGEST_QUERY, LONGEST_TIMED
from planscope.tui.dialogs.base import FIELD_KEYS, Dialog, SafeInput, SafeTextArea, Said, TextBox
from planscope.tui.keys import fixed_keys
from planscope.tui.style.lines import shown
from planscope.wording.phrases import plural


@frozen
class Found:
    """What was read of a text. ``names``: its actions, separated by commas. If ``reading`` is None, ``wrong`` says
    why."""

    names: str = ""
    reading: Reading | None = None
    wrong: str = ""

    @property
    def summary(self) -> str:
        if self.reading is None:
            return ""
        problem = self.reading.problem
        hours = ", with clock times" if problem.timed else ""
        told = f"{plural(len(problem.actions), 'action')}, {plural(len(problem.said), 'constraint')}{hours}"
        left_out = self.reading.left_out_words
        return told + (f'; left out: "{shown(left_out[0], 60)}"' if left_out else "")


def read_own(text: str, given: str | None = None) -> Found:
    """Read a text about the actions in ``given`` ("a, b"), or about those that are found in it if that is None."""
    if not text.strip():
        return Found(given or "", None, 'write what comes before what, such as "Lunch precedes nap."')
    timed = len(text) <= LONGEST_QUERY and names_hours(text)
    most = LONGEST_TIMED if timed else LONGEST_QUERY
    if len(text) > most:
        return Found(given or "", None, f"the text has more than {most:,} characters")
    if given is None:
        try:
            names = find_actions(text, timed=timed)
        except UnsureActions as unsure:
            what = f"{unsure.why}, or name the actions below" if unsure.found else unsure.why
            return Found(", ".join(unsure.found), None, what)
    else:
        names = tuple(name.strip() for name in given.split(","))
    listed = ", ".join(names)
    try:
        return Found(listed, read_query(text, make_actions(names), timed=timed))
    except ParseFailure as failure:
        more = [name for name in new_names(text, make_actions(names)) if name not in names]
        hint = f"; is {shown(more[0], 40)} an action too?" if more else ""
        return Found(listed, None, in_a_line(failure.errors, 160) + hint)
    except UserError as error:
        return Found(listed, None, str(error))


class WriteDialog(Dialog[Reading]):
    """Asks for the user's own query. The actions found in the text are shown to confirm or change."""

    AUTO_FOCUS = "SafeTextArea"
    BINDINGS = fixed_keys({**FIELD_KEYS, "ctrl+s": "take"}, first=True)

    def __init__(self, draft: list[str] | None = None) -> None:
        """``draft``: the text that was left the last time, which this dialog changes."""
        super().__init__("Write your own query")
        self.draft = [] if draft is None else draft
        self.found = Found()
        self._tried = False
        self._names_typed = False

    def body(self) -> Sequence[Widget]:
        self.area = self.gives_way = SafeTextArea(
            "".join(self.draft), id="own-text", highlight_cursor_line=False
        )
        self.area.styles.height = 12
        self.line = SafeInput(id="own-actions", placeholder="found in the text", compact=True)
        before = "What comes before what: First build image, then run tests. Or paste a numbered list."
        return (
            TextBox(lambda: self.told([before], "dim")),
            self.area,
            TextBox(lambda: self.told(["", "Actions"], "label")),
            self.line,
            TextBox(lambda: self.told(self._verdict())[:4]),
        )

    def _verdict(self) -> Sequence[Said]:
        """Say what was read, or why nothing was; nothing before there is a text, unless the user wants to go on."""
        if self.found.reading is not None:
            return ((f"✓ {self.found.summary}", "holds"),)
        return ((f"✗ {self.found.wrong}", "broken"),) if self._tried or self.area.text.strip() else ()

    def hint(self) -> Sequence[Said]:
        return "", "Tab: text or actions, Enter in Actions: OK, Esc: close (your text is kept)"

    def on_mount(self) -> None:
        self.area.move_cursor(self.area.document.end)  # a text that was left goes on there
        if any(map(str.strip, self.draft)):
            self.call_after_refresh(self.read_now)

    @on(SafeTextArea.Rested)
    def _text_changed(self) -> None:
        if not self.line.value.strip():
            self._names_typed = False
        self.read_now()

    @on(Input.Changed)
    def _names_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self.found.names:
            self._names_typed = True
            self.read_now()

    def read_now(self) -> None:
        """Read the text, and show the actions found, unless the user typed them."""
        typed = self.line.value if self._names_typed and self.line.value.strip() else None
        self.found = read_own(self.area.text, typed)
        if not self._names_typed and self.line.value != self.found.names:
            with self.prevent(Input.Changed):
                self.line.value = self.found.names
        self.show()

    def action_take(self) -> None:
        self._tried = True
        self.read_now()
        if self.found.reading is not None:
            self.draft.clear()
            self.dismiss(self.found.reading)

    def keep_typed(self) -> None:
        self.draft[:] = [self.area.text]
