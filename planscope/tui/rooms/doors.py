"""The ways from the debug screen into the rooms beside it. A room is imported when it is first entered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planscope.tui.rooms.asking import Asking
from planscope.tui.rooms.everywhere import with_keys
from planscope.tui.rooms.side import SideRoom


class Doors(Asking):
    def enter(self, room: type[SideRoom], *given: Any, left: Callable[[Any], None] | None = None) -> None:
        """Open a room over this one; ``left`` gets what it was dismissed with."""
        if self.desk.session is None:
            self.tell("no session is open yet")
            return
        made = with_keys(room, self.choice)(self.paint, self.desk, self.jobs, *given)
        self.app.push_screen(made, left)
