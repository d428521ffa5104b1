"""What is looked up when no key has come for a moment, and ahead of the keys; what is scrolled to then."""

from __future__ import annotations

from planscope.tui.desk import Desk
from planscope.tui.jobs import Ticket
from planscope.tui.judging import FEW_STEPS, facts_at, look_ahead
from planscope.tui.lines import shown
from planscope.tui.paint import Paint
from planscope.tui.rooms.certifying import Certifying
from planscope.tui.state import Facts, RoomState

_SETTLE = 0.2
"""Seconds without a key after which panes scroll to what is linked."""


class Resting(Certifying):
    """Keeps the facts of every step that was looked up, by run and index."""

    def __init__(self, state: RoomState, paint: Paint, desk: Desk) -> None:
        super().__init__(state, paint, desk)
        self.facts: dict[tuple[str | None, int], Facts] = {}

    def known_facts(self, index: int) -> Facts | None:
        run = self.state.run
        return self.facts.get((run.id if run else None, index))

    def rested(self) -> None:
        """No key for a moment: ask for this step's facts, and soon after scroll to what is linked."""
        state = self.state
        if state.progress == "judged" and state.facts is None:
            run, index = state.debug.run, state.debug.index
            key = state.run.id if state.run else None

            def found(facts: Facts) -> None:
                self.facts[key, index] = facts
                if self.state.debug.run is run and self.state.debug.index == index:
                    self.change(facts=facts)

            self.jobs.start("facts", lambda ticket: facts_at(run, index), found, self._no_facts)
        if len(state.debug.run.steps) <= FEW_STEPS:
            self.certify()
        self.rest_soon(_SETTLE, self._settle)

    def _no_facts(self, error: Exception) -> None:
        self.tell(f"the oracle could not say more about this step: {shown(str(error), 120)}")

    def _settle(self) -> None:
        for pane in self.panes:
            pane.settle()
        self.certify()  # of a long run: not while keys are pressed

    def begin_to_look_ahead(self) -> None:
        """While nothing else is to do, look up what the step pane will be asked for."""
        run, index, facts = self.state.debug.run, self.state.debug.index, self.facts
        key = self.state.run.id if self.state.run else None
        known = {i for of, i in list(facts) if of == key}

        def keep(found: Facts) -> None:
            facts[key, found.index] = found

        def look(ticket: Ticket) -> None:
            look_ahead(run, index, known, keep, ticket.wait)

        self.jobs.start("ahead", look, lambda _: None, self._no_facts)
