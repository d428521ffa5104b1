"""The keys that move: through the run, through its checks, from pane to pane."""

from __future__ import annotations

from planscope.debugger import cursor
from planscope.debugger.breakpoints import StepBreak, When, toggle
from planscope.debugger.cursor import DebugState
from planscope.debugger.search import Search, next_hit, previous_hit, show_hit
from planscope.debugger.selection import Selection
from planscope.debugger.stops import continue_back, continue_forward, in_words, reasons
from planscope.tui import words
from planscope.tui.jobs import Ticket
from planscope.tui.rooms.arranging import Arranging
from planscope.tui.rooms.room import UPPER

_AT_START = "this is the start of the run"


class Moving(Arranging):
    def action_next_call(self) -> None:
        self._step(cursor.next_call(self.state.debug), self._at_end)

    def action_previous_call(self) -> None:
        self._step(cursor.previous_call(self.state.debug), _AT_START)

    def action_next_check(self) -> None:
        self._step(cursor.next_check(self.state.debug), self._at_end)

    def action_previous_check(self) -> None:
        self._step(cursor.previous_check(self.state.debug), _AT_START)

    def action_go_start(self) -> None:
        self._step(cursor.go_start(self.state.debug), _AT_START)

    def action_go_end(self) -> None:
        self._step(cursor.go_end(self.state.debug), self._at_end)

    def _step(self, debug: DebugState, nowhere: str) -> None:
        """Go there; where that is here already, say so: every key is answered."""
        here = self.state.debug
        self.move(debug)
        if (debug.index, debug.check) == (here.index, here.check):
            self.tell(nowhere)

    @property
    def _at_end(self) -> str:
        if not self.state.session.variants:
            return "no session is open"
        if self.state.run is None:
            return "this request was not run yet: r runs it"
        return "this is the end of the run"

    def action_first_violation(self) -> None:
        state = self.state
        if state.progress in ("reading", "judging"):
            self.tell("not judged yet")
        elif state.debug.run.first_violation is None:
            self.tell(
                "nothing is violated in this run" if state.progress == "judged" else "this run is not judged"
            )
        else:
            self._step(cursor.first_violation(state.debug), "this is the first violation")

    def action_continue(self) -> None:
        self._continue(back=False)

    def action_continue_back(self) -> None:
        self._continue(back=True)

    def _continue(self, *, back: bool) -> None:
        state = self.state
        go = continue_back if back else continue_forward
        if any(isinstance(b, When) and b.costly for b in state.breakpoints):
            self.tell("looking for the next stop… (Esc stops looking)")

            def look(ticket: Ticket) -> DebugState:
                return go(state.debug, state.breakpoints, lambda: ticket.stale)

            self.jobs.start("continue", look, self._stopped, lambda error: self.tell(str(error)))
        else:
            self._stopped(go(state.debug, state.breakpoints))

    def _stopped(self, debug: DebugState) -> None:
        moved = debug.index != self.state.debug.index
        self.move(debug)
        why = reasons(debug.run, debug.index, self.state.breakpoints)
        if why and moved:
            self.tell("stopped: " + in_words(why[:3]))
        elif not moved:
            self.tell("no stop in that direction")

    def action_toggle_breakpoint(self) -> None:
        here = StepBreak(self.state.debug.step)
        breakpoints = toggle(self.state.breakpoints, here)
        self.change(breakpoints=breakpoints)
        self.tell(f"breakpoint {'set' if here in breakpoints else 'cleared'}: {here}")
        self.touched()

    def action_zoom(self) -> None:
        self.change(zoomed=not self.state.zoomed, notice="")

    def action_deselect(self) -> None:
        if self.jobs.running("continue"):
            self.jobs.cancel("continue")
            self.tell("stopped looking")
        elif self.state.zoomed:
            self.change(zoomed=False)
        else:
            self.move(cursor.select(self.state.debug, None))

    def action_next_hit(self) -> None:
        self._hit(1)

    def action_previous_hit(self) -> None:
        self._hit(-1)

    def _hit(self, by: int) -> None:
        found = self.state.search
        if found is None or found.at is None:
            self.tell("nothing has been searched for: press /" if found is None else "nothing was found")
            return
        found = next_hit(found) if by > 0 else previous_hit(found)
        hit = found.hit
        assert hit is not None and found.at is not None
        self.move_to_hit(found)
        self.tell(
            f"{found.at + 1} of {words.plural(len(found.hits), 'place')}, in {_place(hit.document.kind)}"
        )

    def move_to_hit(self, found: Search) -> None:
        """Go where the search's place is to be seen, and turn to its pane where only one is seen of several."""
        self.change(search=found)
        self.move(show_hit(self.state.debug, found), found.hit)
        if found.hit is None:
            return
        pane = {"query": "query", "constraint": "constraints"}.get(found.hit.document.kind, "step")
        self.change(
            top=pane if pane in UPPER else self.state.top,
            pane=pane if self.state.zoomed else self.state.pane,
        )

    def pick(self, selection: Selection) -> None:
        """Select something; a step is gone to."""
        self.move(cursor.select(self.state.debug, selection))

    def action_select_in_pane(self, by: int) -> None:
        pane = self.pane(self.state.pane)
        selection = pane.neighbour(by) if pane.seen else None
        if selection is not None:
            self.pick(selection)
        elif self.state.notice:
            self.tell("")

    def action_scroll_pane(self, pages: int) -> None:
        pane = self.pane(self.state.pane)
        if pane.seen:
            pane.scroll_lines(pages * max(pane.window - 1, 1))
        if self.state.notice:
            self.tell("")


def _place(kind: str) -> str:
    return {"query": "the request", "constraint": "a constraint"}.get(
        kind, f"a {kind}".replace("a answer", "an answer")
    )
