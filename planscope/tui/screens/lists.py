"""The base of the screens that open over the debug screen: a title, lists with a cursor, a footer with keys and notice.

A screen says which of its boxes are lists (``cursors``); keys, clicks and the search line work on them here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Input

from planscope.tui.actions import ACTIONS, BY_ID
from planscope.tui.app_screen import AppScreen, flow
from planscope.tui.arrangement import BROAD, HIGH, SMALLEST, WIDE
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.listed import ListControl, Listed
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.dialogs.base import SafeInput
from planscope.tui.keys import first_key
from planscope.tui.messages import DocumentChanged, KeyHintClicked, Notice, StateChanged
from planscope.tui.panes.bars import Bar, NoticeStrip, notice_lines, title_line, too_small_lines
from planscope.tui.panes.box import BoxPane, LineClicked, WidthChanged
from planscope.tui.panes.hints import ALWAYS, Hint, hints, key_line, told_in_footer
from planscope.tui.style.lines import Line, Run, shown, width_of

_BEFORE_LEAVING = 2
"""Number of keys that the footer shows before the key for leaving, so that this always fits."""


def list_keys(enter: str) -> Mapping[str, str]:
    """Return the keys of lists that users cannot change. ``enter``: the action of Enter."""
    return {
        "down,j": "go(1)",
        "up,k": "go(-1)",
        "pagedown": "go_page(1)",
        "pageup": "go_page(-1)",
        "home": "go(-1000000)",
        "end": "go(1000000)",
        "enter": enter,
    }


class At(NamedTuple):
    """A place in a list that has no state of its own."""

    listed: Sequence[object]
    at: int


LOWEST = 5
"""The rows that a list has at least."""


@dataclass(frozen=True)
class Cursor:
    """A box whose rows are chosen with keys and clicks. ``opens``: what a double click does; ``clicked``: a click."""

    box: BoxPane
    place: Callable[[], At | Listed[Any]]
    choose: Callable[[int], None]
    opens: Callable[[], None] = lambda: None
    clicked: Callable[[], None] = lambda: None


class ListScreen(AppScreen[Any]):
    """The base of library, runs, findings, campaign, compare, dissect and edit.

    Subclasses define ``where``, ``body`` and ``heading``, and ``cursors`` by the ids of their boxes; ``current`` is the
    box that keys move in. ``details``: the boxes about the chosen row. ``searched``: the controller that the search
    line searches. ``work``: the controllers of the session.
    """

    CSS_PATH = Path(__file__).with_name("lists.tcss")
    LEAVES_ROWS = False
    """Whether the list leaves the rows that it never filled to the boxes below it."""
    KEYS_DROP_NOTICES = True
    """Whether each key drops the notice. A screen that handles keys by itself also drops it by itself."""
    searched: ListControl[Any]

    def __init__(self, work: Workspace) -> None:
        super().__init__()
        self.work = work
        self.notice = ""
        self.current = ""
        self.cursors: Mapping[str, Cursor] = {}
        self.details: tuple[BoxPane, ...] = ()
        self._detailed: object = None
        self._most = LOWEST

    @property
    def document(self) -> Document:
        return self.work.document

    @property
    def jobs(self) -> Jobs:
        return self.work.jobs

    def body(self) -> Iterable[Widget]:
        """Yield the widgets between title and keys."""
        raise NotImplementedError

    def heading(self, width: int) -> tuple[Sequence[Run], Sequence[Run]]:
        """Return the left and the right part of the title, which have ``width`` cells."""
        return (), ()

    def _title(self, width: int) -> Sequence[Line]:
        brand = Run(f" {self.where} ", "brand")
        left, right = self.heading(width - width_of([brand]) - 4)
        return [title_line([brand, Run(" "), *left], right, width)]

    def idle_keys(self) -> Collection[str]:
        """Return the actions that would find nothing now, which the footer leaves out."""
        return ()

    def named_keys(self) -> Sequence[Hint]:
        idle = self.idle_keys()
        return [hint for hint in self.hints if hint.id not in idle and self.works(BY_ID[hint.id])]

    def _told_below(self, width: int) -> Line | None:
        return told_in_footer(self.notice, self.named_keys(), width)

    def _notice(self, width: int) -> Sequence[Line]:
        told = "" if self._told_below(width) else self.notice
        return notice_lines(told, self.app.size, self.document.saving)

    def compose(self) -> ComposeResult:
        mine = [a for a in ACTIONS if a.where == self.where]
        out = [a for a in mine if "escape" in a.keys]
        first = [a for a in mine if a.footer and a not in out]
        told = [
            *first[:_BEFORE_LEAVING],
            *out,
            *first[_BEFORE_LEAVING:],
            *(a for a in mine if not a.footer and a not in out),
            *(BY_ID[id] for id in ALWAYS),
        ]
        self.hints = hints(told, lambda action: first_key(action, self.choice))
        self.bars = (
            Bar(self._title, id="title-bar"),
            Bar(lambda width: [self._told_below(width) or key_line(self.named_keys(), width)], id="key-bar"),
            NoticeStrip(self._notice, id="notice"),
            Bar(lambda width: too_small_lines(*self.app.size), id="too-small"),
        )
        self.search = SafeInput(id="search", placeholder="search for", compact=True)
        self.search.display = False
        title, *below = self.bars
        yield title
        yield from self.body()
        yield from below

    def on_mount(self) -> None:
        self.show_bars()

    def on_resize(self, event: events.Resize) -> None:
        columns, rows = event.size
        small = columns < SMALLEST[0] or rows < SMALLEST[1]
        self.set_class(small, "-too-small")
        self.set_class(columns < WIDE, "-narrow")
        self.set_class(columns >= BROAD and rows >= HIGH, "-broad")
        self.call_after_refresh(self.show_state)

    # Display

    def show_bars(self) -> None:
        """Display title, keys and notice again."""
        if self.is_mounted:
            for bar in self.bars:
                bar.show()

    def tell(self, notice: str) -> None:
        """Display a notice in the lowest line, or above it, until the next key."""
        self.notice = notice
        self.show_bars()

    def show_state(self) -> None:
        """Display the state in the current window size."""
        if self.is_mounted:
            for pane in self.query(BoxPane):
                pane.measure()
            self.show_all()
            self.show_bars()

    def show_all(self) -> None:
        """Display the state in the boxes, which were measured; title and keys come by themselves."""
        raise NotImplementedError

    def state_changed(self) -> None:
        """Take in what the screen's controller changed."""
        self.show_state()

    def show_list(
        self,
        name: str,
        row: Callable[[int, bool], Line],
        empty: Callable[[int], Sequence[Line]],
        **more: Any,
    ) -> None:
        """Display the rows of a list, made when they are seen; without rows, the lines that say why.

        ``more``: title, note and head, as of :meth:`BoxPane.set_content`.
        """
        cursor = self.cursors[name]
        size, at = len(cursor.place().listed), cursor.place().at
        head = more.pop("head", None)
        cursor.box.set_content(
            size or empty(cursor.box.inner_width),
            (lambda i: row(i, i == at)) if size else None,
            current=self.current == name and not self.search.has_focus,
            reveal=at if size else None,
            head=head if size else None,
            **more,
        )
        if self.LEAVES_ROWS:
            self._most = max(self._most, size)  # a search that finds less moves nothing
            cursor.box.styles.max_height = self._most + 1 + (head is not None)

    def show_detail(
        self, box: BoxPane, thing: object, lines: Callable[[int], Sequence[Line]], title: Sequence[Run]
    ) -> None:
        """Display the lines about the chosen thing, from the first line on if it is another one."""
        if self._detailed != thing:
            self._detailed = thing
            box.move_to(0)
        box.set_content(lines(box.inner_width), title=title)

    # Keys and clicks

    async def on_key(self, event: events.Key) -> None:
        """Drop the notice; the key's own action comes after this."""
        if self.KEYS_DROP_NOTICES and self.notice:
            self.tell("")

    def action_go(self, by: int) -> None:
        """Move the cursor of the current list."""
        cursor = self.cursors[self.current]
        self.notice = ""
        place = cursor.place()
        cursor.choose(min(max(place.at + by, 0), max(len(place.listed) - 1, 0)))

    def action_go_page(self, by: int) -> None:
        self.action_go(by * max(self.cursors[self.current].box.window - 1, 1))

    def action_look_on(self) -> None:
        """Scroll what is told of the chosen row by a page; at its end, go back to its start."""
        for box in self.details:
            box.scroll_round()

    def action_next_list(self) -> None:
        """Go to the next list of the screen."""
        names = list(self.cursors)
        self.current = names[(names.index(self.current) + 1) % len(names)]
        self.show_state()

    @on(LineClicked)
    def _line_clicked(self, message: LineClicked) -> None:
        cursor = self.cursors.get(message.box)
        if cursor is not None and message.index < len(cursor.place().listed):
            self.current = message.box
            cursor.choose(message.index)
            cursor.clicked()
            if message.again:
                cursor.opens()

    @on(WidthChanged)
    def _width_changed(self) -> None:
        self.show_state()

    @on(StateChanged)
    def _state_changed(self) -> None:
        self.state_changed()

    @on(KeyHintClicked)
    async def _hint(self, message: KeyHintClicked) -> None:
        known = BY_ID.get(message.action)
        await self.run_action(known.method if known is not None else message.action)

    @on(DocumentChanged)
    def _document_changed(self, message: DocumentChanged) -> None:
        if message.what == "saving":
            self.show_bars()

    @on(Notice)
    def _noticed(self, message: Notice) -> None:
        self.tell(message.line)

    # Searching and filtering

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While one types, the key of the search types, too."""
        return super().check_action(action, parameters) and (action != "search" or self.focused is None)

    def action_search(self) -> None:
        """Go to the search line."""
        self.notice = ""
        self.search.display = True
        self.set_focus(self.search)
        self.call_after_refresh(self.show_state)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self.searched.state.words:  # equal if code emptied the line; the choice stays then
            self.searched.search(event.value)

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._stop_typing()

    def _stop_typing(self) -> None:
        """Go back to the list; the search stays."""
        self.set_focus(None)
        self.search.display = bool(self.searched.state.words.strip())
        self.call_after_refresh(self.show_state)

    def action_end_search(self) -> None:
        """Go from typing to the list, then end the search and the filters, then leave the screen."""
        if self.search.has_focus and not self.searched.state.words:
            self._stop_typing()
        elif self.searched.state.filtered:
            self.search.value = ""
            self.searched.clear()
            self._stop_typing()
        else:
            self.dismiss(None)

    def filters(self) -> list[Run]:
        """Say what is searched for, and what alone is shown."""
        state = self.searched.state
        words = state.words.strip()
        made = [Run(f'"{shown(words, 30)}"  ', "hit-mark")] if words else []
        return made + [Run(f"only {shown(facet.text, 30)}  ", "mark") for facet in sorted(state.facets)]

    @flow
    async def action_filter(self, kind: str = "") -> None:
        """Ask for a filter, of one kind or any, and set or clear it."""
        from planscope.tui.dialogs.ask import ChooseDialog, counted_choice

        state = self.searched.state
        if not (counts := state.counts(kind)):
            self.tell("all are alike: nothing to filter by")
            return
        wide = min(max(len(facet.text) for facet, _ in counts), 60)
        lines = [
            (Run("✓ " if facet in state.facets else "  ", "mark"), *counted_choice(facet.text, count, wide))
            for facet, count in counts
        ]
        number = await self.answer(ChooseDialog("Show only those that are", lines))
        if number is not None:
            self.notice = ""
            self.searched.toggle(counts[number][0])

    # Leaving

    def drafts_left(self) -> int:
        """Return the number of drafts that quitting would lose."""
        return self.work.drafts.left

    def action_quit(self) -> None:
        """Leave planscope; ask first if anything would be lost."""
        from planscope.tui.screens.flows.quitting import quit_planscope

        quit_planscope(self, self.work, self.drafts_left())

    def action_leave(self) -> None:
        """Go back to the screen below."""
        self.dismiss(None)
