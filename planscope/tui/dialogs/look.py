"""Shows the values of a step whole: what the model was given, what it said, what the tool answered. JSON folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.widget import Widget

from planscope.session.record import RunRecord
from planscope.session.seen import Part, given_at_first, said_at
from planscope.tui.dialogs.base import LIST_KEYS, Dialog, TextBox
from planscope.tui.fold import Path, Row, all_paths, first_opened, rows_of, text_of, value_at
from planscope.tui.style.lines import BLANK, Line, Run
from planscope.tui.style.painter import Painter

_HINT = "Enter: fold or unfold, + all, - none, y: copy, Esc: close"
_HINT_PAGES = "Tab: next page, Enter: fold or unfold, + all, - none, y: copy, Esc: close"


class Page(NamedTuple):
    """One page of the dialog."""

    title: str
    parts: tuple[Part, ...]


def pages_of(record: RunRecord, index: int) -> list[Page]:
    """Return the pages of a step of a run. ``index`` counts its calls from 1; 0 is before any call."""
    given = Page("What the model was given", given_at_first(record))
    if index <= 0:
        return [given]
    title = f"Step {index}" if index <= len(record.calls) else "After the last call"
    return [Page(title, said_at(record, index)), given]


class LookDialog(Dialog[None]):
    """Pages of values. The arrow keys move, Enter folds and unfolds, ``y`` copies the chosen value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *LIST_KEYS,
        ("tab", "turn(1)", "Next page"),
        ("shift+tab", "turn(-1)", "Previous page"),
        ("enter,space", "fold", "Fold or unfold"),
        ("right,l", "unfold", "Unfold"),
        ("left", "fold_here", "Fold"),
        ("+", "all(True)", "Unfold all"),
        ("-", "all(False)", "Fold all"),
        ("y", "copy", "Copy the value"),
        ("q", "leave", "Close"),
    ]

    def __init__(
        self, paint: Painter, pages: Sequence[Page], copy: Callable[[LookDialog, str], None]
    ) -> None:
        """``copy`` copies a text to the clipboard, with dialogs over this one."""
        super().__init__(paint, "")
        self.pages = tuple(pages)
        self._copy = copy
        self.number = 0
        self.at = [0] * len(self.pages)
        self._opened: list[frozenset[Path] | None] = [None] * len(self.pages)
        self._rows: list[Row] = []

    def body(self) -> Sequence[Widget]:
        most = max(self.app.size.height * 9 // 10 - 6, 3)
        self.tabs = TextBox(self.paint, [self._tabs(), BLANK])
        self.text = TextBox(self.paint, [], most=most)
        hint = _HINT_PAGES if len(self.pages) > 1 else _HINT
        return (self.tabs, self.text, TextBox(self.paint, [BLANK, *self.wrapped(hint, "dim")]))

    def on_mount(self) -> None:
        self.call_after_refresh(self.show_page)

    def on_resize(self, event: events.Resize) -> None:
        self.show_page()

    def _tabs(self) -> Line:
        runs = [Run(" ")]
        for i, page in enumerate(self.pages):
            here = i == self.number
            mark = Run("▶ " if here else "  ", "mark") if len(self.pages) > 1 else Run("")
            runs += [mark, Run(page.title, "title" if here else "dim"), Run("   ")]
        return Line(tuple(run for run in runs if run.text))

    @property
    def _parts(self) -> tuple[Part, ...]:
        return self.pages[self.number].parts

    @property
    def _open(self) -> frozenset[Path]:
        found = self._opened[self.number]
        if found is None:
            found = self._opened[self.number] = first_opened(
                self._parts, self.text_width, max(self.text.most, 12)
            )
        return found

    def show_page(self) -> None:
        """Show the rows of the page; the chosen one is marked."""
        if not self.is_mounted:
            return
        self.tabs.set_lines([self._tabs(), BLANK])
        self._rows = rows_of(self._parts, self._open, self.text_width - 3)
        at = self.at[self.number] = max(0, min(self.at[self.number], len(self._rows) - 1))
        lines = []
        for i, row in enumerate(self._rows):
            mark = Run("▶" if i == at else " ", "mark")
            lines.append(Line((mark, *row.line.runs), "cursor" if i == at else ""))
        self.text.set_lines(lines, at)

    @property
    def row(self) -> Row | None:
        """The chosen row."""
        at = self.at[self.number]
        return self._rows[at] if at < len(self._rows) else None

    def _unfold(self, opened: frozenset[Path]) -> None:
        """Fold and unfold. The chosen value stays chosen, or else the value that it is now folded into."""
        path = self.row.path if self.row is not None else ()
        self._opened[self.number] = opened
        rows = rows_of(self._parts, opened, self.text_width - 3)
        heads = {row.path: i for i, row in enumerate(rows) if row.head}
        while path and path not in heads:
            path = path[:-1]
        self.at[self.number] = heads.get(path, 0)
        self.show_page()

    # Keys

    def action_go(self, by: int) -> None:
        self.at[self.number] += by
        self.show_page()

    def action_turn(self, by: int) -> None:
        self.number = (self.number + by) % len(self.pages)
        self.show_page()

    def action_fold(self) -> None:
        if self.row is not None and self.row.folds:
            self._unfold(self._open ^ {self.row.path})

    def action_unfold(self) -> None:
        """Unfold the value; if it is unfolded already, go to the first value in it."""
        row = self.row
        if row is None or not row.folds:
            return
        if row.path in self._open:
            self.action_go(1)
        else:
            self._unfold(self._open | {row.path})

    def action_fold_here(self) -> None:
        """Fold the value; if it is folded already, go to the value around it."""
        row = self.row
        if row is None:
            return
        if row.folds and row.path in self._open:
            self._unfold(self._open - {row.path})
            return
        around = row.path[:-1]
        self.at[self.number] = next(
            (i for i, one in enumerate(self._rows) if one.head and one.path == around), self.at[self.number]
        )
        self.show_page()

    def action_all(self, unfold: bool) -> None:
        self._unfold(all_paths(self._parts) if unfold else frozenset())

    def action_copy(self) -> None:
        if self.row is not None:
            self._copy(self, text_of(value_at(self._parts, self.row.path)))
