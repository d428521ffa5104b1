"""Requests that are being written: they stay when the edit screen is left, and after a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planscope.tui.desk import Desk, News
from planscope.tui.judging import Opened
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.sharing import Sharing
from planscope.tui.rooms.turning import Turning
from planscope.tui.state import RoomState

if TYPE_CHECKING:
    from planscope.debugger.draft import Draft
    from planscope.debugger.draft_typing import History
    from planscope.session.drafts import LeftDraft
    from planscope.session.model import Variant
    from planscope.tui.draft_keeping import DraftKeeper


class Drafting(Sharing):
    """``drafts``: requests that were being written when the edit screen was left, by session and variant.

    ``draft_keeper`` writes them down; None where nothing that is done here is kept, or was there to be written yet.
    """

    draft_keeper: DraftKeeper | None = None

    def __init__(self, state: RoomState, paint: Paint, desk: Desk, *, asked_for_step: bool = False) -> None:
        super().__init__(state, paint, desk, asked_for_step=asked_for_step)
        self.drafts: dict[tuple[str, str], History] = {}

    def note_draft(self, parent: Variant, draft: Draft | None, instead: LeftDraft | None = None) -> None:
        """A draft is being written; ``instead`` is where it was found."""
        if self.saver is None or self.desk.path is None:
            return
        if self.draft_keeper is None:
            from planscope.tui.draft_keeping import DraftKeeper

            self.draft_keeper = DraftKeeper()
        self.draft_keeper.note(self.desk.path, self.desk.open_session.id, parent, draft, instead)

    def take_over(self, old: Turning) -> None:
        super().take_over(old)
        if isinstance(old, Drafting):
            self.draft_keeper, old.draft_keeper = old.draft_keeper, None

    def on_news(self, news: News) -> None:
        super().on_news(news)
        keeper, desk = self.draft_keeper, self.desk
        if keeper is None:
            return
        if desk.saving.state == "saved" and not desk.unsaved:
            keeper.saved()
        if news.what == "saving" and desk.path is not None:
            keeper.moved(desk.open_session.id, desk.path)

    def on_unmount(self) -> None:
        """Whoever quits was asked about drafts; whatever else ends planscope, they are found again."""
        keeper, self.draft_keeper = self.draft_keeper, None
        if keeper is not None:
            keeper.close(keep=self.app.return_value != 0)

    # After a crash

    def _on_opened(self, opened: Opened) -> None:
        super()._on_opened(opened)
        path = self.desk.path
        if self.saver is None or path is None:
            return

        def work(ticket: object) -> list[LeftDraft]:
            from planscope.session.drafts import left_drafts

            return left_drafts(path)

        self.jobs.start("drafts", work, self._take_up, lambda error: None)

    def _take_up(self, left: list[LeftDraft]) -> None:
        """Go on with drafts of a planscope that was killed, as if the edit screen had been left just now."""
        if not left or self.desk.session is None:
            return
        from planscope.debugger.draft_typing import Edited, History
        from planscope.tui.draft_keeping import taken_up

        session = self.desk.session
        for id, (one, draft) in taken_up(left, session).items():
            if (session.id, id) in self.drafts:
                continue
            self.drafts[session.id, id] = History(Edited(draft, len(draft.text)))
            variant = self.desk.variant(id)
            assert variant is not None
            self.note_draft(variant, draft, one)
            when = f"{one.saved.astimezone():%Y-%m-%d %H:%M}"
            self.tell(f"your draft of {shown(id, 20)} from {when} is here again: e goes on with it")
