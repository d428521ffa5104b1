"""A stage without an application: controllers whose jobs are over at once, a view, and answers to dialogs."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from planscope.debugger.cursor import DebugState, go_end, go_to
from planscope.session.model import Session
from planscope.tui.arrangement import FIRST
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.drafts import Drafts
from planscope.tui.controllers.live_run import RunChoice
from planscope.tui.controllers.workspace import workspace
from planscope.tui.opening.load import Switch
from planscope.tui.screens.debug.start import Start, first_view
from planscope.tui.style.painter import Painter
from planscope.tui.view import changed, with_judgement
from tests.tui.controllers.at_once import JobsAtOnce, Posted


class Application:
    """Notes the screens that are opened, with what is done when they close, and what is copied."""

    def __init__(self) -> None:
        self.pushed: list[tuple[Any, Any]] = []
        self.copied: list[str] = []
        self.last_campaign = ""

    def push_screen(self, screen: Any, left: Any = None) -> None:
        self.pushed.append((screen, left))

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)


class FakeStage:
    """What verbs know of the debug screen. ``answers``: what the next dialogs answer; ``asked``: those dialogs."""

    choice: dict[str, tuple[str, ...]] = {}  # noqa: RUF012  (nobody writes it)

    def __init__(self, session: Session | None = None, run: str = "", index: int = 0) -> None:
        self.posted = Posted()
        document = Document(None, self.posted)
        if session is not None:
            document.open(session)
        self.start = Start(run)
        jobs = JobsAtOnce()
        self.work = workspace(
            document, None, jobs, Drafts(), self.posted, RunChoice(), FIRST, FIRST.__getitem__
        )
        self.work.layout.fit(120, 40)
        self.paint = Painter()
        self.app = Application()
        self.answers: list[Any] = []
        self.asked: list[Any] = []
        self.switched: list[Switch] = []
        self.view = first_view(document, self.start)
        if self.view.variant is not None:
            self.look_at(*self.view.key)
            self.move(go_to(self.view.debug, index))

    @property
    def told(self) -> str:
        return self.view.notice

    def tell(self, notice: str) -> None:
        self.change(notice=notice)

    def change(self, **changes: Any) -> None:
        self.view = changed(self.view, **changes)

    def move(self, debug: DebugState, **changes: Any) -> None:
        self.change(debug=debug, **{"hit": None, "notice": "", **changes})

    def look_at(self, variant_id: str, run_id: str = "") -> None:
        play = self.work.what_if.play
        if play is not None and run_id != play.run_id:
            self.work.what_if.end()
        document = self.work.document
        record = document.record(run_id) if run_id else None
        found = self.work.judge.look_at(variant_id, run_id)
        debug = DebugState(found.run)
        if record is not None and record.under_way:
            debug = go_end(debug)
        self.change(
            variant=document.variant(variant_id),
            run=record,
            play=self.work.what_if.play,
            notice="",
            search=None,
        )
        self.view = with_judgement(self.view, found, debug)

    def laid_out(self, notice: str = "", **changes: Any) -> None:
        layout = self.work.layout
        self.change(pane=layout.pane, top=layout.top, zoomed=layout.zoomed, notice=notice, **changes)

    def text_of(self, pane: str) -> str:
        return f"the text of {pane}"

    async def answer(self, dialog: Any) -> Any:
        self.asked.append(dialog)
        return self.answers.pop(0) if self.answers else None

    def start_flow(self, flow: Coroutine[Any, Any, Any]) -> None:
        """Run a flow, which waits for nothing but the answers."""
        try:
            flow.send(None)
        except StopIteration:
            return
        raise AssertionError("the flow waits for something else than a dialog")

    async def leave_for(self, switch: Switch) -> None:
        self.switched.append(switch)

    def switch(self, switch: Switch) -> None:
        self.switched.append(switch)
