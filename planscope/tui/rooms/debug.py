"""The debug screen: its panes, and what they tell."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult

from planscope.tui.actions import ACTIONS, BY_ID, KeyAction
from planscope.tui.jobs import Jobs
from planscope.tui.keymap import KeyChoice, keys_of, shown_key
from planscope.tui.messages import KeyHintClicked, PaneClicked, PaneZoomed, Picked
from planscope.tui.panes.bars import Footer, Header
from planscope.tui.panes.constraints import ConstraintsPane
from planscope.tui.panes.inspector import InspectorPane
from planscope.tui.panes.play import PlayPane
from planscope.tui.panes.query import QueryPane
from planscope.tui.panes.step import StepPane
from planscope.tui.panes.timeline import TimelinePane
from planscope.tui.panes.too_small import TooSmall
from planscope.tui.panes.tree import TreePane
from planscope.tui.rooms.everywhere import with_keys
from planscope.tui.rooms.playing import Playing

IN_PANES: tuple[tuple[str, str, str], ...] = (
    ("down", "select_in_pane(1)", "Select the next thing in the pane"),
    ("up", "select_in_pane(-1)", "Select the thing before"),
    ("pagedown", "scroll_pane(1)", "A page down"),
    ("pageup", "scroll_pane(-1)", "A page up"),
    ("enter", "open_selected", "Go to what is selected"),
)
"""Keys that every pane has and that cannot be changed."""


class DebugRoom(Playing):
    """Query, tree and constraints side by side, timeline and step below, linked with each other."""

    CSS_PATH = "debug.tcss"
    where = "debug"

    @property
    def jobs(self) -> Jobs:
        return self.job_list

    job_list: Jobs

    def compose(self) -> ComposeResult:
        paint = self.paint
        hints, live_hints, play_hints = (
            tuple((a, shown_key(keys_of(a, self.choice)[0])) for a in actions)
            for actions in (_hints(), [BY_ID[id] for id in _LIVE_HINTS], [BY_ID[id] for id in _PLAY_HINTS])
        )
        save_key = shown_key(keys_of(BY_ID["save"], self.choice)[0])
        self.panes = (
            Header(paint, id="header"),
            QueryPane(paint, id="query"),
            TreePane(paint, id="tree"),
            ConstraintsPane(paint, id="constraints"),
            InspectorPane(paint, id="inspector"),
            TimelinePane(paint, id="timeline"),
            StepPane(paint, id="step"),
            PlayPane(paint, id="play"),
            TooSmall(paint, id="too-small"),
            Footer(paint, hints, live_hints, play_hints, save_key=save_key, id="footer"),
        )
        yield from self.panes

    def on_mount(self) -> None:
        self.lay_out()
        self.show_state()
        self.call_after_refresh(self.begin)

    def on_resize(self, event: events.Resize) -> None:
        self.fit(event.size)
        self.show_state()

    @on(PaneClicked)
    def _clicked(self, message: PaneClicked) -> None:
        if message.pane:
            self.action_show_pane(message.pane)

    @on(PaneZoomed)
    def _zoomed(self, message: PaneZoomed) -> None:
        if message.pane:
            self.action_show_pane(message.pane)
            self.action_zoom()

    @on(Picked)
    def _picked(self, message: Picked) -> None:
        self.pick(message.selection)

    @on(KeyHintClicked)
    async def _hint(self, message: KeyHintClicked) -> None:
        await self.run_action(BY_ID[message.action].method)


_MORE_HINTS = (
    "edit",
    "rerun",
    "next-check",
    "search",
    "toggle-breakpoint",
    "zoom",
    "choose-run",
    "copy",
    "palette",
    "quit",
)


_LIVE_HINTS = (
    "next-call",
    "continue",
    "edit-arguments",
    "edit-answer",
    "refuse-call",
    "pause-run",
    "stop-run",
    "previous-call",
    "help",
)
"""While the run that is looked at is under way."""

_PLAY_HINTS = ("take-back", "keep-play", "deselect", "later-hour", "earlier-hour", "previous-call", "help")
"""While one plays."""


def _hints() -> tuple[KeyAction, ...]:
    """What the footer names first, then what it names where there is more room."""
    return (
        *(a for a in ACTIONS if a.footer and a.where in ("debug", "everywhere")),
        *(BY_ID[id] for id in _MORE_HINTS),
    )


def room_class(choice: KeyChoice) -> type[DebugRoom]:
    """The debug screen with a user's keys."""
    return with_keys(DebugRoom, choice, IN_PANES)
