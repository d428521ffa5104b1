"""What-if play: from any step on, the user plays the next calls, and the oracle judges each.

The played calls are a passing run of the document, so all panes display it. It is saved only if the user keeps it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planscope.frozen import frozen
from planscope.oracle.judged import Judged
from planscope.session.model import EndEvent, Run, Variant, next_run_id
from planscope.tui.controllers.document import Document

if TYPE_CHECKING:
    from planscope.debugger.play_values import Way
    from planscope.debugger.played import Option, Played

LAST_HOUR = 47
"""The last hour that can be tried. 23 is the last one that is allowed."""


@frozen
class Play:
    """The played calls, the options for the next call, the chosen option and the hour to play it at."""

    run_id: str
    played: Played
    options: tuple[Option, ...] = ()
    at: int = 0
    start: int | None = None

    @property
    def chosen(self) -> Option | None:
        return self.options[self.at] if self.at < len(self.options) else None


@frozen
class Origin:
    """The place from which the play began: a query, a run or "", and the index in it."""

    variant: str
    run: str
    index: int


class WhatIf:
    """What-if play. ``play``: the current play, or None. ``origin``: the place to go back to."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.play: Play | None = None
        self.origin = Origin("", "", 0)
        self._variant: Variant | None = None
        self._source: Run | None = None
        self._promised = ""

    def begin(self, run: Judged, origin: Origin, promised: str = "") -> Play:
        """Begin to play at ``origin``; ``run`` is its judged run. ``promised``: the id of a starting live run."""
        from planscope.debugger.played import begin

        self.origin, self._promised = origin, promised
        self._variant = self.document.variant(origin.variant)
        self._source = self.document.run(origin.run) if origin.run else None
        calls = len(self.document.record(origin.run).calls) if origin.run else 0
        return self._put(begin(run, min(origin.index, calls)))

    def choose(self, at: int) -> None:
        if self.play is not None:
            self.play = replace(self.play, at=at, start=None)

    def take(self) -> None:
        """Play the chosen call. Raises ``DebuggerError``."""
        from planscope.debugger.played import play

        now = self.play
        if now is not None and now.chosen is not None:
            self._put(play(now.played, now.chosen.action, now.start, now.chosen.way))

    def change_values(self, by: int) -> bool:
        """Try the chosen call at another hour or with other arguments. Return False if nothing else can be chosen."""
        from planscope.debugger.played import outcome

        now = self.play
        if now is None or now.chosen is None:
            return False
        option = now.chosen
        if not now.played.problem.timed:
            if len(option.ways) < 2:
                return False
            at = option.ways.index(option.way) if option.way in option.ways else -min(by, 0)
            self.set_way(option.ways[(at + by) % len(option.ways)])
            return True
        hour = min(max((now.start if now.start is not None else option.start or 0) + by, 0), LAST_HOUR)
        then = outcome(now.played, option.action, hour)
        self._offer(replace(option, becomes=then.state, breaks=then.breaks), hour)
        return True

    def set_way(self, way: Way) -> None:
        """Try the chosen call with these arguments and this answer."""
        from planscope.debugger.played import option_with

        now = self.play
        if now is not None and now.chosen is not None:
            self._offer(option_with(now.played, now.chosen, way))

    def _offer(self, option: Option, hour: int | None = None) -> None:
        now = self.play
        assert now is not None
        self.play = replace(
            now, options=(*now.options[: now.at], option, *now.options[now.at + 1 :]), start=hour
        )

    def undo(self) -> None:
        """Undo the last played call."""
        from planscope.debugger.played import undo

        if self.play is not None and self.play.played.calls:
            self._put(undo(self.play.played))

    def end(self) -> None:
        """Stop playing, and drop the played calls."""
        play, self.play = self.play, None
        if play is not None:
            self.document.drop_run(play.run_id)

    def keep(self) -> Run:
        """Stop playing, and save the played calls as a run of the session."""
        assert self.play is not None
        played = self.play.played
        self.end()
        run = self._run_of(played)
        self.document.put_run(run)
        return run

    def _put(self, played: Played) -> Play:
        """Put the played calls into the document, with the options for the next call."""
        from planscope.debugger.played import options

        run = self._run_of(played)
        if self.play is not None:
            run = run.model_copy(update={"id": self.play.run_id})
        going = [event for event in run.events if not isinstance(event, EndEvent)]
        offered = options(played)
        at = next((i for i, option in enumerate(offered) if option.safe and not option.again), 0)
        self.play = Play(run.id, played, offered, at)
        self.document.put_run(run.model_copy(update={"events": going}), under_way=True, passing=True)
        return self.play

    def _run_of(self, played: Played) -> Run:
        from planscope.session.mock_tools import as_run

        session = self.document.open_session
        run = as_run(session, self._source, played, variant=self._variant)
        promised = (self._promised,) if self._promised else ()
        return run.model_copy(update={"id": next_run_id(session, promised)})
