"""The content of the debug screen as one frozen value. The screen makes it; panes only read it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from planscope.debugger.breakpoints import Breakpoint
from planscope.debugger.cursor import DebugState, cursor_record, focus
from planscope.debugger.linked import Links, Lit
from planscope.debugger.search import Hit, Search
from planscope.debugger.selection import Selection
from planscope.debugger.stops import marks as stops_of
from planscope.debugger.watches import Watch, WatchLine, look
from planscope.frozen import frozen
from planscope.language.problem import Span
from planscope.oracle.verdict_types import Blame, Repair, StepView, Verdict
from planscope.session.oracle_input import has_own_tools
from planscope.tui.controllers.document import NOTHING_CHANGED, Saving
from planscope.tui.controllers.judge import Certificate, Facts, Judgement, Progress
from planscope.tui.controllers.marks import Marks
from planscope.tui.controllers.what_if import Play

if TYPE_CHECKING:
    from planscope.agents.gate import Question
    from planscope.dissection.told import Found
    from planscope.language.outline import OutlineNode
    from planscope.language.reading import ParseError
    from planscope.session.model import Variant
    from planscope.session.record import RecordedCall, RunRecord
    from planscope.toolfuzz.keeping import Predicted


_NOTHING_LIT = Lit()
_NO_MARKS = Marks()

Picture = Literal["tree", "order", "hours", "agents"]
"""What the tree's pane shows: the syntax tree, the plan as a picture, or the calls of each agent."""


TURNS, WHOLE = 0, -1
"""What can be folded besides calls: the turns between calls are folded; the texts, JSON and safe calls of steps are
unfolded."""


@frozen
class DebugView:
    """The content of the debug screen. ``debug`` is the cursor in the run, which is judged or not yet
    (``progress``).

    ``lit``, ``core_*``, ``stops`` and ``watch_lines`` are computed from the other fields (:func:`reflected`). ``run``
    None: the query ``variant`` is displayed without a run. ``runs``: how many there are; ``alone``: the session
    has nothing to compare with; ``run_number``: the index of
    the displayed one. ``pane``: the current pane; ``top``: which of the upper three a narrow window displays. ``hit``:
    the search hit at the cursor. ``why_paused``: the reasons of the displayed run's pause. ``question``: what the
    displayed run's agent asks the user. ``play``: the what-if play, if any. ``seconds``: the time since the live
    run began, if any. ``only_watched``: why nothing can be decided about the attached agent, or "". ``unfollowed``:
    how many other runs it has under way. ``followed``: the run that just began, whose end is shown.
    ``saving``: the save status; ``asked_to_save``: a key asked, so the outcome is told. ``shared_as``: the form in
    which something was shared last. ``found``: what the last dissection of the
    query found, if it is known. ``predicted``: the run's steps that failed as the fuzzer says.
    """

    debug: DebugState
    path: Path | None = None
    title: str = ""
    runs: int = 0
    has_queries: bool = False
    variant: Variant | None = None
    run: RunRecord | None = None
    run_number: int | None = None
    progress: Progress = "reading"
    trouble: str = ""
    outline: tuple[OutlineNode, ...] = ()
    errors: tuple[ParseError, ...] = ()
    verdict: Verdict | None = None
    certificate: Certificate = "asked"
    repair: Repair | None = None
    cause: Blame | None = None
    facts: Facts | None = None
    links: Links | None = None
    marks: Marks = _NO_MARKS
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
    picture: Picture = "tree"
    folded: frozenset[tuple[str, int]] = frozenset()
    command: str = ""
    notice: str = ""
    why_paused: tuple[str, ...] = ()
    question: Question | None = None
    play: Play | None = None
    seconds: int | None = None
    only_watched: str = ""
    unfollowed: int = 0
    followed: str = ""
    saving: Saving = NOTHING_CHANGED
    asked_to_save: bool = False
    shared_as: int = 0
    found: Found | None = None
    predicted: tuple[Predicted, ...] = ()
    alone: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """The ids of query and run, "" for none."""
        return (self.variant.id if self.variant else "", self.run.id if self.run else "")

    @property
    def folded_here(self) -> frozenset[int]:
        """The calls of this run whose inner calls are folded away, by their indices; ``TURNS``, ``WHOLE``."""
        run = self.run
        return frozenset(i for name, i in self.folded if run is not None and name == run.id)

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        return self.marks.breakpoints

    @property
    def watches(self) -> tuple[Watch, ...]:
        return self.marks.watches

    @property
    def text(self) -> str:
        """The query's text, untrusted."""
        return self.variant.query.text if self.variant else ""

    @property
    def bare(self) -> bool:
        """Whether a run is displayed that answers no query."""
        return self.run is not None and not self.text.strip()

    @property
    def only_recorded(self) -> bool:
        """Whether what is shown has no query, and its tools are those of an agent that planscope cannot run."""
        return self.variant is not None and not self.text.strip() and has_own_tools(self.variant)

    @property
    def focus(self) -> Selection:
        return focus(self.debug)

    def lost_at(self, view: StepView) -> int | None:
        """The index at which the step's attempt was lost, or None."""
        run = self.debug.run
        return next((i for i in run.doomed if run.steps[i].attempt == view.attempt), None)

    @property
    def at_verdict(self) -> bool:
        """Whether the cursor is where the verdict was decided: at the end, or where the plan was lost."""
        step, verdict = self.debug.step, self.verdict
        lost = verdict.first_violation if verdict is not None else None
        return self.progress == "judged" and (step == "end" or (lost is not None and lost.step == step))

    @property
    def nothing_to_explain(self) -> bool:
        """Whether nothing judges the run, and no step of it is named or suspected."""
        unjudged = self.verdict is not None and self.verdict.told == "not_judged"
        return unjudged and self.cause_at is None and (self.cause is None or self.cause.suspect is None)

    @property
    def cause_at(self) -> int | None:
        """The index of the step most likely to blame, if it comes before the one that lost the plan."""
        if self.cause is None:
            return None
        from planscope.cause.told import led_to

        return led_to(self.cause, self.debug.run.index_of)

    @property
    def waits_at(self) -> int | None:
        """The index of the paused call, which is judged as if it had been done, or None."""
        run = self.run
        return len(run.calls) if run is not None and run.pending and self.play is None else None

    @property
    def at_question(self) -> bool:
        """Whether the cursor is where the interrupted agent asks the user."""
        return self.question is not None and self.play is None and self.debug.index == self.debug.run.last

    @property
    def at_pending(self) -> bool:
        """Whether the cursor is at the paused call."""
        return self.debug.index == self.waits_at

    def call_at(self, index: int) -> RecordedCall | None:
        """Return the recorded call at an index of the run, or None at the start and behind the last call."""
        run = self.run
        return run.calls[index - 1] if run is not None and 0 < index <= len(run.calls) else None

    def predicted_at(self, index: int) -> Predicted | None:
        """Return the finding of the fuzzer that explains why a step failed."""
        return next((one for one in self.predicted if one.step == index and self.play is None), None)

    def cursor(self) -> dict[str, object] | None:
        """The cursor as a session stores it, or None if it cannot be stored, such as in what-if play."""
        if self.progress != "judged" or self.play is not None:
            return None
        record: dict[str, object] = dict(cursor_record(self.debug))
        if self.run is not None:
            record["run"] = self.run.id
        return record


_REFLECTED = ("debug", "progress", "links", "marks", "facts")


def changed(view: DebugView, **changes: Any) -> DebugView:
    """Return the view with other fields, and with the fields computed from them."""
    made = replace(view, **changes)
    if any(getattr(made, name) is not getattr(view, name) for name in _REFLECTED):
        made = reflected(made)
    return made


def with_judgement(view: DebugView, judgement: Judgement, debug: DebugState) -> DebugView:
    """Return the view with the judge's results for its run, at the cursor ``debug``."""
    return changed(view, debug=debug, **{name: getattr(judgement, name) for name in _JUDGED})


_JUDGED = "progress trouble outline errors verdict certificate repair cause links".split()
"""The fields that the judge gives."""


def reflected(view: DebugView) -> DebugView:
    """Return the view with the computed fields: linked places, the core, stops, and values of watches."""
    debug = view.debug
    run, step = debug.run, debug.view
    lit = _NOTHING_LIT if view.links is None else view.links.lit(view.focus, run)
    core = step.core.constraints if step.core is not None and view.progress == "judged" else ()
    by_id = run.problem.by_id
    spans = {span for c in core if c in by_id for span in by_id[c].spans if span[0] < span[1]}
    return replace(
        view,
        lit=lit,
        core_ids=frozenset(core),
        core_spans=tuple(sorted(spans)),
        stops=stops_of(run, view.breakpoints) if view.breakpoints else frozenset(),
        watch_lines=tuple(_look(watch, view) for watch in view.watches),
    )


def _look(watch: Watch, view: DebugView) -> WatchLine:
    """Return a watch's value, or "…" while a costly one waits for the step's facts."""
    run, index = view.debug.run, view.debug.index
    if view.progress != "judged" or (watch.costly and not run.has_count(index)):
        return WatchLine(str(watch), "…", False)
    return look(watch, run, index)
