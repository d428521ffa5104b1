"""The base of the screens that open over the debug screen: a title, a body, a footer with keys and notice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.widget import Widget

from planscope.tui.actions import ACTIONS, BY_ID
from planscope.tui.app_screen import AppScreen
from planscope.tui.arrangement import BROAD, HIGH, SMALLEST, WIDE
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.jobs import Jobs
from planscope.tui.controllers.workspace import Workspace
from planscope.tui.keys import keys_of, shown_key
from planscope.tui.messages import DocumentChanged, KeyHintClicked, Notice
from planscope.tui.panes.box import WidthChanged
from planscope.tui.panes.hints import Hint, hints
from planscope.tui.panes.notice import NoticeStrip
from planscope.tui.panes.side_bars import KeyBar, TitleBar, TooSmallScreen
from planscope.tui.style.lines import Run
from planscope.tui.style.painter import Painter

SIDE_STYLE = Path(__file__).with_name("side.tcss")
"""The style sheet that these screens share; each screen adds its own."""

_BEFORE_HELP = 4
"""Number of keys that the footer shows before the keys for help and leaving, so that these always fit."""


class SideScreen(AppScreen[Any]):
    """The base of edit, dissect, compare and library. Subclasses define ``where``, ``body`` and ``heading``.

    ``work``: the controllers of the session.
    """

    CSS_PATH = [SIDE_STYLE]  # noqa: RUF012  (Textual's own way to say it)
    KEYS_DROP_NOTICES = True
    """Whether each key drops the notice. A screen that handles keys by itself also drops it by itself."""

    def __init__(self, paint: Painter, work: Workspace) -> None:
        super().__init__(paint)
        self.work = work
        self.notice = ""

    @property
    def document(self) -> Document:
        return self.work.document

    @property
    def jobs(self) -> Jobs:
        return self.work.jobs

    def body(self) -> Iterable[Widget]:
        """Yield the widgets between title and keys."""
        raise NotImplementedError

    def heading(self) -> tuple[Sequence[Run], Sequence[Run]]:
        """Return the left and the right part of the title."""
        return (), ()

    def named_keys(self) -> Sequence[Hint]:
        """Return the keys that the footer names now."""
        return self.hints

    def compose(self) -> ComposeResult:
        mine = [a for a in ACTIONS if a.where == self.where]
        out = [a for a in mine if "escape" in a.keys]
        first = [a for a in mine if a.footer and a not in out]
        told = [
            *first[:_BEFORE_HELP],
            BY_ID["help"],
            *out,
            *first[_BEFORE_HELP:],
            *(a for a in mine if not a.footer and a not in out),
        ]
        self.title_bar = TitleBar(self.paint, id="title-bar")
        self.hints = hints(told, lambda action: shown_key(keys_of(action, self.choice)[0]))
        self.key_bar = KeyBar(self.paint, self.hints, id="key-bar")
        yield self.title_bar
        yield from self.body()
        self.notice_strip = NoticeStrip(self.paint, id="notice")
        yield self.key_bar
        yield self.notice_strip
        yield TooSmallScreen(self.paint, id="too-small")

    def on_mount(self) -> None:
        self.show_bars()

    def on_resize(self, event: events.Resize) -> None:
        columns, rows = event.size
        small = columns < SMALLEST[0] or rows < SMALLEST[1]
        self.set_class(small, "-too-small")
        self.set_class(columns < WIDE, "-narrow")
        self.set_class(columns >= BROAD and rows >= HIGH, "-broad")
        self.call_after_refresh(self.show_bars)

    def show_bars(self) -> None:
        """Display title, keys and notice again."""
        if self.is_mounted:
            self.title_bar.set_parts(*self.heading())
            self.key_bar.show_keys(self.named_keys())
            self.notice_strip.show_notice(self.notice, self.document.saving)

    def tell(self, notice: str) -> None:
        """Display a notice above the keys, until the next key."""
        self.notice = notice
        self.show_bars()

    async def on_key(self, event: events.Key) -> None:
        """Drop the notice; the key's own action comes after this."""
        if self.KEYS_DROP_NOTICES and self.notice:
            self.tell("")

    @on(WidthChanged)
    def _width_changed(self) -> None:
        self.show_state()

    def show_state(self) -> None:
        """Display the state in the current window size."""

    @on(KeyHintClicked)
    async def _hint(self, message: KeyHintClicked) -> None:
        await self.run_action(BY_ID[message.action].method)

    @on(DocumentChanged)
    def _document_changed(self, message: DocumentChanged) -> None:
        if message.what == "saving":
            self.show_bars()

    @on(Notice)
    def _noticed(self, message: Notice) -> None:
        self.tell(message.line)

    def drafts_left(self) -> int:
        """Return the number of drafts that quitting would lose."""
        return self.work.drafts.left

    def action_quit(self) -> None:
        """Leave planscope; ask first if anything would be lost."""
        from planscope.tui.screens.flows.quitting import quit_planscope

        quit_planscope(self, self.work, self.drafts_left())

    def action_leave_room(self) -> None:
        """Go back to the screen below."""
        self.dismiss(None)
