"""The ways from the debug screen into the rooms beside it. A room is imported when it is first entered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from planscope.debugger import cursor
from planscope.tui.desk import Desk
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.drafting import Drafting
from planscope.tui.rooms.side import SideRoom
from planscope.tui.rooms.turning import Turn
from planscope.tui.state import RoomState

if TYPE_CHECKING:
    from planscope.tui.dissecting import Dissecting
    from planscope.tui.rooms.edit_live import EditResult
    from planscope.tui.under_way import RunChoice


class Doors(Drafting):
    budget = 60
    method: Literal["rates", "paper"] = "rates"
    """How many runs a dissection may spend, and how it finds the cause, unless something else is said."""

    _dissecting: Dissecting | None = None

    def __init__(self, state: RoomState, paint: Paint, desk: Desk, *, asked_for_step: bool = False) -> None:
        super().__init__(state, paint, desk, asked_for_step=asked_for_step)

    def enter(
        self, room: type[SideRoom], *given: Any, left: Callable[[Any], None] | None = None
    ) -> SideRoom | None:
        """Open a room over this one; ``left`` gets what it was dismissed with."""
        if self.desk.session is None:
            self.tell("no session is open yet")
            return None
        made = room(self.paint, self.desk, self.jobs, *given)
        self.app.push_screen(made, left)
        return made

    def action_compare(self) -> None:
        """With what this run was forked from, or came before it; another can be chosen in the room."""
        from planscope.tui.rooms.comparable import Chosen, before_it
        from planscope.tui.rooms.compare import CompareRoom, Opened

        state = self.state
        if state.variant is None or self.desk.session is None:
            self.tell("no session is open yet")
            return
        here = Chosen(state.variant.id, state.run.id if state.run is not None else None)
        other = before_it(state.session, here)
        if other is None:
            self.tell("there is nothing to compare with yet: r runs the request again")
            return

        def left(opened: Opened | None) -> None:
            if opened is not None:
                self.show_run(opened.run, opened.index)

        self.enter(CompareRoom, other, here, left=left)

    def action_edit(self) -> None:
        """The request that is looked at, or the draft of it that was left."""
        from planscope.tui.rooms.edit import EditRoom

        state = self.state
        variant = self.desk.variant(state.variant.id) if state.variant is not None else None
        if variant is None:
            self.tell("no request is open yet")
            return
        if state.play is not None:
            self.tell("you are playing what if: Esc leaves it")
            return
        key = (self.desk.open_session.id, variant.id)
        words = sorted(span for span in (*state.lit.spans, *state.core_spans) if span[0] < span[1])
        at = words[0][0] if words else None

        def left(result: EditResult | None) -> None:
            if result is not None:
                self.drafts.pop(key, None)
                self._take_edit(variant.id, key, result)

        room = self.enter(EditRoom, variant, self.drafts.get(key), at, left=left)
        if isinstance(room, EditRoom):
            room.noted = lambda draft: self.note_draft(variant, draft)

    def _take_edit(self, of: str, key: tuple[str, str], result: EditResult) -> None:
        if result.draft is not None:
            self.drafts[key] = result.draft
            self.tell("your draft is kept as long as planscope is open: e goes on with it")
            return
        if self.draft_keeper is not None:
            self.draft_keeper.drop_when_saved(key)
        if result.variant is not None:
            self.desk.put_variant(result.variant)
        id = of if result.variant is None else result.variant.id
        if result.run:
            self.rerun(id)  # before it is turned to: it is run as the run was that one looked at
        if result.variant is not None:
            self.show_variant(id)
            self.tell(f"{shown(id, 20)} is a new variant of {shown(of, 20)}; r runs it")

    def rerun(self, variant_id: str) -> None:
        """Ask how to run a variant, and run it."""
        raise NotImplementedError

    def action_quit(self) -> None:
        """Leave planscope; a run under way and drafts that would be lost are asked about."""
        from planscope.tui.dialogs.unkept import quit_or_ask

        quit_or_ask(self, len(self.drafts), self.desk, self.jobs)

    def action_dissect(self) -> None:
        """What in this request makes the agent of this run fail."""
        from planscope.tui.dissecting import DissectChoice, Dissecting
        from planscope.tui.rooms.compare import Opened
        from planscope.tui.rooms.dissect import DissectRoom

        state = self.state
        if state.variant is None or self.desk.session is None:
            self.tell("there is no request to dissect")
            return
        if self._dissecting is None:
            self._dissecting = Dissecting(self.desk, self.jobs, asyncio.get_running_loop())
        choice = self.default_choice()
        wrong = state.verdict is not None and state.verdict.verdict == "wrong" and state.run is not None
        kept = state.run is not None and state.play is None
        mine = wrong and kept and state.run is not None and state.run.model == choice.model
        wanted = DissectChoice(
            agent=choice.agent,
            model=choice.model,
            run=state.run.id if mine and state.run is not None else None,
            method=self.method,
            budget=self.budget,
            seed=choice.seed,
            base_url=choice.base_url,
        )

        def left(opened: Opened | None) -> None:
            if opened is not None:
                self.show_run(opened.run, opened.index)

        self.enter(DissectRoom, self._dissecting, state.variant.id, wanted, left=left)

    def action_library(self) -> None:
        """All sessions; another one can be opened from there, whatever became of this one."""
        from planscope.tui.rooms.library import LibraryRoom

        def left(turn: Turn | None) -> None:
            if turn is not None:
                self.leave_for(turn)

        room = LibraryRoom(self.paint, self.desk, self.jobs, self.saver, lambda: self.under_way)
        self.app.push_screen(room, left)

    def stop_all(self) -> None:
        if self._dissecting is not None:
            self._dissecting.stop()

    def default_choice(self) -> RunChoice:
        """How to run unless something else is said."""
        raise NotImplementedError

    def show_run(self, run_id: str, index: int) -> None:
        """Turn to a run by its id, at a step by its index; a negative one is the run's own choice."""
        number = next((i for i, run in enumerate(self.state.session.runs) if run.id == run_id), None)
        if number is None:
            self.tell("that run is not in the session any more")
            return
        self.open_run_number(number)
        if index >= 0:
            self.move(cursor.go_to(self.state.debug, index))
