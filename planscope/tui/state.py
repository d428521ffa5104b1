"""What the debug screen shows, as one immutable value that the room owns and hands down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from planscope.debugger.breakpoints import Breakpoint
from planscope.debugger.cursor import DebugState, focus
from planscope.debugger.linked import Links, Lit
from planscope.debugger.search import Hit, Search
from planscope.debugger.selection import Selection
from planscope.debugger.stops import marks
from planscope.debugger.watches import Watch, WatchLine, look
from planscope.language.problem import Span
from planscope.oracle.verdict_types import Move, PlannedCall, Repair, StepView, Verdict
from planscope.tui.desk import NOTHING_CHANGED, Saving
from planscope.tui.glance import CallGlance, RunGlance, SessionGlance, VariantGlance

if TYPE_CHECKING:
    from planscope.debugger.played import Option, Played
    from planscope.language.outline import OutlineNode
    from planscope.language.reading import ParseError

Progress = Literal["reading", "judging", "judged", "unreadable", "failed"]
"""``reading``: file or text are being read. ``unreadable``: the text is no query, ``errors`` say where.
``failed``: something else went wrong, ``trouble`` says what."""


@dataclass(frozen=True, slots=True)
class Play:
    """What if: the plays so far, what could be played next, and which of these is chosen, from which hour on."""

    run_id: str
    played: Played
    options: tuple[Option, ...] = ()
    at: int = 0
    start: int | None = None

    @property
    def chosen(self) -> Option | None:
        return self.options[self.at] if self.at < len(self.options) else None


Certificate = Literal["asked", "confirmed", "gave up", "denied"]
"""What Z3 says of the verdict; ``asked``: nothing yet. Once it is ``denied`` the verdict is unknown."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the oracle said when asked about one step.

    ``safe`` moves lead on from here. ``instead`` are those from index ``instead_at``, the last one before the plan
    was lost (or before this step's finding). ``why`` tells this attempt's core, ``findings`` each finding.
    """

    index: int
    safe: tuple[Move, ...] = ()
    orders: int | None = None
    one_way: tuple[PlannedCall, ...] | None = None
    instead: tuple[Move, ...] = ()
    instead_at: int | None = None
    why: str = ""
    findings: tuple[str, ...] = ()


_NOTHING_LIT = Lit()


@dataclass(frozen=True, slots=True)
class RoomState:
    """The debug screen's state. ``debug`` is the place in the run, judged or not yet (``progress``).

    ``lit``, ``core_*``, ``stops`` and ``watch_lines`` follow from the rest (``reflected``).
    ``strange_*`` are texts of the file that make no sense in this run and are kept for saving.
    ``run_number`` counts ``session.runs`` from 0; None: no run is looked at, but the request ``bare`` ("": the
    newest). ``pane`` is the current one, ``top`` the one of the upper three that is seen where there is room for one
    only. ``hit`` is the place that a search found, until one goes elsewhere. ``why_paused``: what the run that is
    looked at waits for, where it does (``run.pending``).
    ``play``: what the user plays, while he does. ``seconds``:
    for how long a run has been under way, if one is. ``saving``: how it stands with the file.
    """

    path: Path | None
    session: SessionGlance
    debug: DebugState
    run_number: int | None = None
    bare: str = ""
    progress: Progress = "reading"
    trouble: str = ""
    outline: tuple[OutlineNode, ...] = ()
    errors: tuple[ParseError, ...] = ()
    verdict: Verdict | None = None
    certificate: Certificate = "asked"
    repair: Repair | None = None
    facts: Facts | None = None
    links: Links | None = None
    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[Watch, ...] = ()
    strange_breakpoints: tuple[str, ...] = ()
    strange_watches: tuple[str, ...] = ()
    search: Search | None = None
    hit: Hit | None = None
    lit: Lit = _NOTHING_LIT
    core_ids: frozenset[str] = frozenset()
    core_spans: tuple[Span, ...] = ()
    stops: frozenset[int] = frozenset()
    watch_lines: tuple[WatchLine, ...] = ()
    pane: str = "timeline"
    top: str = "query"
    zoomed: bool = False
    notice: str = ""
    why_paused: tuple[str, ...] = ()
    play: Play | None = None
    seconds: int | None = None
    saving: Saving = NOTHING_CHANGED

    @property
    def run(self) -> RunGlance | None:
        return None if self.run_number is None else self.session.runs[self.run_number]

    @property
    def variant(self) -> VariantGlance | None:
        run = self.run
        bare = self.session.variant(self.bare) if run is None and self.bare else None
        return bare or self.session.variant_of(run)

    @property
    def text(self) -> str:
        """The query's text, untrusted."""
        variant = self.variant
        return variant.text if variant else ""

    @property
    def focus(self) -> Selection:
        return focus(self.debug)

    def lost_at(self, view: StepView) -> int | None:
        """The index at which the attempt of a step was lost, if it was."""
        run = self.debug.run
        return next((i for i in run.doomed if run.steps[i].attempt == view.attempt), None)

    @property
    def at_verdict(self) -> bool:
        """Whether one stands where the verdict was decided: at the end, or where the plan was lost."""
        step, verdict = self.debug.step, self.verdict
        lost = verdict.first_violation if verdict is not None else None
        return self.progress == "judged" and (step == "end" or (lost is not None and lost.step == step))

    @property
    def waits_at(self) -> int | None:
        """The index of the call that the run waits before: it is judged as if it were done, and is not."""
        run = self.run
        return len(run.calls) if run is not None and run.pending and self.play is None else None

    @property
    def at_pending(self) -> bool:
        """Whether one stands at the call that the run waits before."""
        return self.debug.index == self.waits_at

    def call_at(self, index: int) -> CallGlance | None:
        """What the file tells of the call at an index of the run."""
        run = self.run
        return run.calls[index - 1] if run is not None and 0 < index <= len(run.calls) else None


def reflected(state: RoomState) -> RoomState:
    """The state with all that follows from it: what is lit, the core, the stops, the values of the watches."""
    debug = state.debug
    run, view = debug.run, debug.view
    lit = _NOTHING_LIT if state.links is None else state.links.lit(state.focus, run)
    core = view.core.constraints if view.core is not None and state.progress == "judged" else ()
    by_id = run.problem.by_id
    spans = {span for c in core if c in by_id for span in by_id[c].spans if span[0] < span[1]}
    return replace(
        state,
        lit=lit,
        core_ids=frozenset(core),
        core_spans=tuple(sorted(spans)),
        stops=marks(run, state.breakpoints) if state.breakpoints else frozenset(),
        watch_lines=tuple(_look(watch, state) for watch in state.watches),
    )


def _look(watch: Watch, state: RoomState) -> WatchLine:
    """A watch's value; one that would have to be computed waits until the step's facts are there."""
    run, index = state.debug.run, state.debug.index
    if state.progress != "judged" or (watch.costly and not run.has_count(index)):
        return WatchLine(str(watch), "…", False)
    return look(watch, run, index)
