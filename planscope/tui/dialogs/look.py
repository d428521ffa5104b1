"""Shows the values of a step whole: what the model was given, what it said, what the tool answered. JSON folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from textual.widget import Widget

from planscope.oracle.trace import Trace
from planscope.session.record import RunRecord
from planscope.session.seen import Part, given_at_first, said_at
from planscope.tui.dialogs.base import LIST_KEYS, Dialog, Said, TextBox
from planscope.tui.fold import Path, Row, all_paths, first_opened, rows_of, text_of, value_at
from planscope.tui.keys import fixed_keys
from planscope.tui.style.lines import Line, Run

SOURCES = "where the arguments come from"
_FEW = 8
"""So many arguments are unfolded at once."""


class Page(NamedTuple):
    """One page of the dialog."""

    title: str
    parts: tuple[Part, ...]


def pages_of(record: RunRecord, index: int) -> list[Page]:
    """Return the pages of a step of a run. ``index`` counts its calls from 1; 0 is before any call."""
    given = Page("What the model was given", given_at_first(record))
    if index <= 0:
        return [given]
    title, parts = "After the last call", said_at(record, index)
    if index <= len(record.calls):
        seeks = (Part(SOURCES, "searching…", False),) if record.calls[index - 1].arguments else ()
        title, parts = f"Step {index}", (*seeks, *parts)
    return [Page(title, parts), given]


def sources_at(trace: Trace, index: int) -> Part:
    """Return where the arguments of a call came from. For any thread: it looks at all that stands before."""
    from planscope.cause.provenance import sources_of
    from planscope.cause.told import came_from, given

    return Part(SOURCES, {given(one): came_from(one) for one in sources_of(trace, index)})


class LookDialog(Dialog[None]):
    """Pages of values. The arrow keys move, Enter folds and unfolds, ``y`` copies the chosen value."""

    BINDINGS = fixed_keys(
        {
            **LIST_KEYS,
            "tab": "turn_page(1)",
            "shift+tab": "turn_page(-1)",
            "enter,space": "fold",
            "right,l": "unfold",
            "left": "fold_here",
            "+": "all(True)",
            "-": "all(False)",
            "y": "copy",
            "q": "leave",
        }
    )

    def __init__(self, pages: Sequence[Page], copy: Callable[[LookDialog, str], None]) -> None:
        """``copy`` copies a text to the clipboard, with dialogs over this one."""
        super().__init__("")
        self.pages = tuple(pages)
        self._copy = copy
        self._opened: dict[int, frozenset[Path]] = {}
        self.rows: list[Row] = []

    def body(self) -> Sequence[Widget]:
        self.gives_way = TextBox(self._lines, at=self.chosen_row, clicked=self._clicked)
        return TextBox(
            lambda: self.tabs([one.title for one in self.pages], self.number, "title")
        ), self.gives_way

    def hint(self) -> Sequence[Said]:
        turn = "Tab: next page, " * (len(self.pages) > 1)
        return "", f"{turn}Enter: fold or unfold, + all, - none, y: copy, Esc: close"

    def count(self) -> int:
        return len(self.rows)

    def page_count(self) -> int:
        return len(self.pages)

    @property
    def _parts(self) -> tuple[Part, ...]:
        return self.pages[self.number].parts

    @property
    def _open(self) -> frozenset[Path]:
        if self.number not in self._opened:
            found = first_opened(self._parts, self.text_width, max(self.room(6), 12))
            self._opened[self.number] = found
        return self._opened[self.number]

    def _lines(self) -> list[Line]:
        """Make the rows of the page; the chosen one is marked."""
        self.rows = rows_of(self._parts, self._open, self.text_width - 3)
        self.at = max(min(self.at, len(self.rows) - 1), 0)
        return [
            Line(
                (Run("▶" if i == self.at else " ", "mark"), *row.line.runs), "cursor" if i == self.at else ""
            )
            for i, row in enumerate(self.rows)
        ]

    @property
    def row(self) -> Row | None:
        """The chosen row."""
        return self.rows[self.at] if self.at < len(self.rows) else None

    def _unfold(self, opened: frozenset[Path]) -> None:
        """Fold and unfold. The chosen value stays chosen, or else the value that it is now folded into."""
        path = self.row.path if self.row is not None else ()
        self._opened[self.number] = opened
        self._lines()
        heads = {row.path: i for i, row in enumerate(self.rows) if row.head}
        while path and path not in heads:
            path = path[:-1]
        self.at = heads.get(path, 0)
        self.show()

    def _clicked(self, row: int, column: int) -> None:
        self.at = row
        self.action_fold()
        self.show()

    @property
    def seeks(self) -> bool:
        """Whether the first page is to begin with where the arguments came from."""
        return any(part.name == SOURCES for part in self.pages[0].parts[:1])

    def failed(self, error: Exception) -> None:
        """Say that the sources could not be found."""
        self.came(Part(SOURCES, f"not found: {error}", False))

    def came(self, sources: Part) -> None:
        """Show where the arguments came from. The chosen value stays chosen."""
        first = self.pages[0]
        self.pages = (first._replace(parts=(sources, *first.parts[1:])), *self.pages[1:])
        if 0 in self._opened:
            self._opened[0] |= all_paths((sources,)) if len(sources.value) <= _FEW else set()
            if self.number == 0 and self.is_attached:
                self._unfold(self._opened[0])

    # Keys

    def action_fold(self) -> None:
        if self.row is not None and self.row.folds:
            self._unfold(self._open ^ {self.row.path})

    def action_unfold(self) -> None:
        """Unfold the value; if it is unfolded already, go to the first value in it."""
        if self.row is None or not self.row.folds:
            return
        if self.row.path in self._open:
            self.action_go(1)
        else:
            self._unfold(self._open | {self.row.path})

    def action_fold_here(self) -> None:
        """Fold the value; if it is folded already, go to the value around it."""
        row = self.row
        if row is None:
            return
        if row.folds and row.path in self._open:
            self._unfold(self._open - {row.path})
            return
        around = row.path[:-1]
        self.at = next((i for i, one in enumerate(self.rows) if one.head and one.path == around), self.at)
        self.show()

    def action_all(self, unfold: bool) -> None:
        self._unfold(all_paths(self._parts) if unfold else frozenset())

    def action_copy(self) -> None:
        if self.row is not None:
            self._copy(self, text_of(value_at(self._parts, self.row.path)))
