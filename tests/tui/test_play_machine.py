"""What-if play by any keys: an option comes as it promised, undo leads back, and only what is kept stays."""

from __future__ import annotations

from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from planscope.debugger.played import Played
from planscope.oracle.replay import Replay, replay
from planscope.oracle.trace import Trace
from planscope.session.oracle_input import reading_of
from planscope.session.traces import trace_of
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.what_if import LAST_HOUR, Origin, WhatIf
from tests.nightly import examples
from tests.tui import sessions


def holds(run: Replay) -> tuple[object, ...]:
    """State and statuses where the player stands: after the last call."""
    return run.steps[-1].state, run.statuses(len(run.steps) - 1)


class Playing(RuleBasedStateMachine):
    """``were`` is what held before each call that was played; what is displayed is read from the document again."""

    def __init__(self) -> None:
        super().__init__()
        self.document = Document(Path("none"))
        self.document.open(sessions.figure_10())
        self.problem = reading_of(self.document.variants[0]).problem
        self.what_if = WhatIf(self.document)
        self.were: list[tuple[object, ...]] = []
        self.kept = 0

    def playing(self) -> bool:
        return self.what_if.play is not None

    @precondition(lambda self: not self.playing())
    @rule(data=st.data(), index=st.integers(0, 5))
    def begin(self, data: st.DataObject, index: int) -> None:
        run = data.draw(st.sampled_from(["", *(run.id for run in self.document.runs)]))
        self.before = self.document.snapshot().model_dump_json()
        recorded = self.document.run(run)
        trace = Trace((), "running") if recorded is None else trace_of(recorded)
        self.what_if.begin(replay(self.problem, trace), Origin("v1", run, index))
        self.were = []
        self.kept = len(self.played.kept)
        assert self.kept == min(index, len(trace.calls))

    @property
    def played(self) -> Played:
        assert self.what_if.play is not None
        return self.what_if.play.played

    def displayed(self) -> Replay:
        assert self.what_if.play is not None
        run = self.document.run(self.what_if.play.run_id)
        assert run is not None
        return replay(self.problem, Trace(trace_of(run).calls, "running"))

    @precondition(playing)
    @rule(at=st.integers(0, 9))
    def choose(self, at: int) -> None:
        self.what_if.choose(at)

    @precondition(playing)
    @rule(by=st.sampled_from([-99, -1, 1, 5, 99]))
    def change_hour(self, by: int) -> None:
        play = self.what_if.play
        assert play is not None
        changed = self.what_if.change_values(by)
        assert changed == (play.chosen is not None)
        if changed:
            assert self.what_if.play is not None and 0 <= (self.what_if.play.start or 0) <= LAST_HOUR

    @precondition(lambda self: self.playing() and len(self.were) < 6)
    @rule()
    def take(self) -> None:
        play = self.what_if.play
        assert play is not None
        option = play.chosen
        if option is None:
            self.what_if.take()
            assert len(self.played.calls) == len(self.were)
            return
        self.were.append(holds(self.played.run))
        self.what_if.take()
        now = self.displayed()
        assert now.steps[-1].state == option.becomes
        broken = {id for id, status in now.statuses(len(now.steps) - 1).items() if status == "broken"}
        assert set(option.breaks) <= broken

    @precondition(playing)
    @rule()
    def undo(self) -> None:
        self.what_if.undo()
        if self.were:
            assert holds(self.played.run) == self.were.pop()

    @precondition(playing)
    @rule()
    def end(self) -> None:
        self.what_if.end()
        assert self.document.snapshot().model_dump_json() == self.before
        self.what_if.end()  # nothing is left to end

    @precondition(playing)
    @rule()
    def keep(self) -> None:
        calls = [(call.tool, call.arguments) for call in (*self.played.kept, *self.played.calls)]
        run = self.what_if.keep()
        assert [(call.tool, call.arguments) for call in trace_of(run).calls] == calls
        assert run in self.document.kept_runs() and self.what_if.play is None

    @invariant()
    def the_document_displays_what_is_played(self) -> None:
        runs = [run.id for run in self.document.runs]
        assert len(runs) == len(set(runs))
        if self.what_if.play is None:
            assert len(self.document.kept_runs()) == len(runs)
            return
        assert self.what_if.play.run_id in runs
        assert len(self.played.calls) == len(self.were) and len(self.played.kept) == self.kept
        assert holds(self.displayed()) == holds(self.played.run)


TestPlaying = Playing.TestCase
TestPlaying.settings = settings(max_examples=examples(40), stateful_step_count=20, deadline=None)
