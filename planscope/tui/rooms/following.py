"""The debug screen on a session that grows: new variants and runs are shown, a run under way is judged as it goes."""

from __future__ import annotations

from dataclasses import replace

from planscope.debugger import cursor
from planscope.debugger.cursor import DebugState
from planscope.tui.desk import Desk, News
from planscope.tui.judging import JudgedRun, judge
from planscope.tui.paint import Paint
from planscope.tui.rooms.opening import Opening
from planscope.tui.state import RoomState
from planscope.tui.unjudged import unjudged


class Following(Opening):
    def __init__(self, state: RoomState, paint: Paint, desk: Desk, *, asked_for_step: bool = False) -> None:
        super().__init__(state, paint, desk, asked_for_step=asked_for_step)
        desk.listen(self.on_news)

    def on_unmount(self) -> None:
        self.desk.forget(self.on_news)
        super().on_unmount()

    def on_news(self, news: News) -> None:
        """Show what is new; of the run that is looked at, judge it anew."""
        if news.what == "opened":
            return
        state = self.state
        bare = state.variant.id if state.run is None and state.variant is not None else ""
        self.change(session=self.desk.glance, bare=bare)
        run = self.state.run
        if news.what == "run" and run is not None and news.id == run.id:
            self._judge_again(run.id)

    def _judge_again(self, run_id: str) -> None:
        """More happened in the run that is looked at. Who stands at its end goes along."""
        self._judged.pop(run_id, None)
        self.certificates.pop(run_id, None)
        self.facts = {place: facts for place, facts in self.facts.items() if place[0] != run_id}
        variant = self.state.variant
        read = self._readings.get(variant.id) if variant is not None else None
        if self.state.progress == "unreadable":  # nobody judges it, but its calls are shown
            told = unjudged(self.state.run, variant)
            self.change(debug=cursor.with_replay(self.state.debug, told))
        if read is None or read.reading is None or self.state.progress in ("reading", "unreadable"):
            return
        for name in ("ahead", "facts", "certify"):
            self.jobs.cancel(name)
        run, live = self.desk.run_ahead(run_id), run_id in self.desk.under_way
        first = self.state.progress != "judged"
        taken = self._on_judged if first else self._on_judged_again
        self.jobs.start("judge", lambda ticket: judge(run, read, live=live), taken, self._failed)

    def _on_judged_again(self, judged: JudgedRun) -> None:
        key = self.state.run.id if self.state.run else None
        debug = cursor.with_replay(self.state.debug, judged.debug.run.replay)
        self.keep_judged(key, replace(judged, debug=DebugState(debug.run)))
        self.change(
            progress="judged",
            debug=debug,
            verdict=judged.verdict,
            certificate="asked",
            links=judged.links,
            repair=judged.repair,
            facts=self.known_facts(debug.index),
        )
        self.rest_soon(0.01)
