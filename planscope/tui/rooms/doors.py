"""The ways from the debug screen into the rooms beside it. A room is imported when it is first entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from planscope.debugger import cursor
from planscope.tui.glance import SessionGlance
from planscope.tui.rooms.asking import Asking
from planscope.tui.rooms.everywhere import with_keys
from planscope.tui.rooms.side import SideRoom

if TYPE_CHECKING:
    from planscope.tui.rooms.compare import Chosen


class Doors(Asking):
    def enter(self, room: type[SideRoom], *given: Any, left: Callable[[Any], None] | None = None) -> None:
        """Open a room over this one; ``left`` gets what it was dismissed with."""
        if self.desk.session is None:
            self.tell("no session is open yet")
            return
        made = with_keys(room, self.choice, room.fixed)(self.paint, self.desk, self.jobs, *given)
        self.app.push_screen(made, left)

    def action_compare(self) -> None:
        """With what this run was forked from, or with the run before it; another can be chosen in the room."""
        from planscope.tui.rooms.compare import Chosen, CompareRoom, Opened

        state = self.state
        runs = state.session.runs
        if state.variant is None or len(runs) + len(state.session.variants) < 2:
            self.tell("there is nothing to compare with yet: r runs the request again")
            return
        here = Chosen(state.variant.id, state.run.id if state.run is not None else None)
        origin = state.run.forked_from.partition(" at ")[0] if state.run is not None else ""
        before = next((r for r in runs if r.id == origin), None)
        if before is None and state.run_number is not None and len(runs) > 1:
            before = runs[state.run_number - 1] if state.run_number else runs[1]
        other = Chosen(before.variant, before.id) if before is not None else _another(state.session, here)

        def left(opened: Opened | None) -> None:
            if opened is not None:
                self.show_run(opened.run, opened.index)

        self.enter(CompareRoom, other, here, left=left)

    def show_run(self, run_id: str, index: int) -> None:
        """Turn to a run by its id, at a step by its index."""
        number = next((i for i, run in enumerate(self.state.session.runs) if run.id == run_id), None)
        if number is None:
            self.tell("that run is not in the session any more")
            return
        self.open_run_number(number)
        self.move(cursor.go_to(self.state.debug, index))


def _another(session: SessionGlance, here: Chosen) -> Chosen:
    """Another request than the one that is looked at, or itself where there is none."""
    from planscope.tui.rooms.compare import Chosen

    variant = session.variant(here.variant)
    parent = variant.parent if variant is not None else ""
    others = [v.id for v in session.variants if v.id != here.variant]
    return Chosen(parent if parent in others else others[0] if others else here.variant, None)
