"""The debug screen: its panes, and what they tell."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult

from planscope.tui.actions import BY_ID, KeyAction
from planscope.tui.jobs import Jobs
from planscope.tui.keymap import keys_of, shown_key
from planscope.tui.messages import KeyHintClicked, PaneClicked, PaneZoomed, Picked
from planscope.tui.panes.bars import Footer, Header
from planscope.tui.panes.constraints import ConstraintsPane
from planscope.tui.panes.hints import TAKE, debug_hints
from planscope.tui.panes.inspector import InspectorPane
from planscope.tui.panes.play import PlayPane
from planscope.tui.panes.query import QueryPane
from planscope.tui.panes.step import StepPane
from planscope.tui.panes.timeline import TimelinePane
from planscope.tui.panes.too_small import TooSmall
from planscope.tui.panes.tree import TreePane
from planscope.tui.rooms.playing import Playing
from planscope.tui.screens.base import keys_for

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
    BINDINGS = keys_for("debug", IN_PANES)

    @property
    def jobs(self) -> Jobs:
        return self.job_list

    job_list: Jobs

    def compose(self) -> ComposeResult:
        paint = self.paint

        def key(action: KeyAction) -> str:
            return shown_key(keys_of(action, self.choice)[0])

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
            Footer(paint, debug_hints(key), save_key=key(BY_ID["save"]), id="footer"),
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
        await self.run_action(message.action if message.action == TAKE else BY_ID[message.action].method)
