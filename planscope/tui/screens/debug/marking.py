"""Breakpoints and watches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from planscope.debugger.breakpoints import Breakpoint, StepBreak
from planscope.debugger.errors import DebuggerError
from planscope.debugger.run_index import RunIndex
from planscope.debugger.stops import hit_steps
from planscope.language.problem import Problem
from planscope.oracle.verdict_types import StepNo
from planscope.session.model import Variant
from planscope.tui.controllers import marks as marks_
from planscope.tui.controllers.judge import unjudged
from planscope.tui.controllers.marks import Marks
from planscope.tui.screens.debug.stage import Stage
from planscope.wording import phrases

_BREAKPOINTS = "such as: tool NAME, step 3, breaks c2, lost, error, when c2 == violated"
_WATCHES = "such as: state, c2, c2 == violated, NAME.place (of an action or a tool)"

_Put = Callable[[Marks, str, RunIndex, int | None], Marks]


def toggle_breakpoint(stage: Stage) -> None:
    at = StepBreak(stage.view.debug.step)
    marks = marks_.toggled(stage.view.marks, at)
    _mark(stage, marks)
    stage.tell(f"breakpoint {'set' if at in marks.breakpoints else 'cleared'}: {at}")


def list_breakpoints(stage: Stage) -> None:
    from planscope.debugger.offers import breakpoint_offers, matching
    from planscope.tui.dialogs.ask import Item, SetDialog

    def listed() -> list[Item]:
        marks, run = stage.view.marks, stage.view.debug.run
        return [Item(str(b), _stops_in_words(hit_steps(b, run)), b in marks.off) for b in marks.every]

    stage.app.push_screen(
        SetDialog(
            "Breakpoints",
            _BREAKPOINTS,
            listed,
            partial(_put, stage, marks_.with_breakpoint),
            lambda at: _mark(stage, marks_.without_breakpoint(stage.view.marks, at)),
            lambda typed: matching(breakpoint_offers(stage.view.debug.run), typed),
            lambda at: _mark(stage, marks_.switched(stage.view.marks, at)),
        )
    )


def watch(stage: Stage) -> None:
    from planscope.debugger.offers import matching, watch_offers
    from planscope.tui.dialogs.ask import Item, SetDialog

    stage.app.push_screen(
        SetDialog(
            "Watches",
            _WATCHES,
            lambda: [Item(line.text, f"= {line.value}") for line in stage.view.watch_lines],
            partial(_put, stage, marks_.with_watch),
            lambda at: _mark(stage, marks_.without_watch(stage.view.marks, at)),
            lambda typed: matching(watch_offers(stage.view.debug.run.problem), typed),
        )
    )


def _put(stage: Stage, put: _Put, text: str, at: int | None) -> str | None:
    """Add or replace a mark; return why that is not possible, or None."""
    try:
        _mark(stage, put(stage.view.marks, text, stage.view.debug.run, at))
    except DebuggerError as error:
        return str(error)
    return None


def _mark(stage: Stage, marks: Marks) -> None:
    """Set breakpoints and watches, in the session and in the live run."""
    stage.change(marks=marks)
    work = stage.work
    work.document.mark(**marks.texts)
    run = work.document.run(work.live.run_id)
    variant = work.document.variant(run.variant) if run is not None else stage.view.variant
    work.live.set_breakpoints(breakpoints_of(stage, variant))


def breakpoints_of(stage: Stage, variant: Variant | None) -> Callable[[Problem | None], Iterable[Breakpoint]]:
    """Return all breakpoints that are valid in a run of a query. Some may be invalid in the displayed run."""
    return lambda problem: marks_.breakpoints_for(
        stage.view.marks, RunIndex(unjudged(variant, None, problem))
    )


def _stops_in_words(steps: Sequence[StepNo] | None) -> str:
    """Say how often a breakpoint stops in the displayed run, and where."""
    if steps is None:
        return "when it stops is computed by c"
    if not steps:
        return "does not stop in this run"
    where = ", ".join(map(str, steps[:5])) + (", …" if len(steps) > 5 else "")
    return f"stops {phrases.plural(len(steps), 'time')}: {'step' if len(steps) == 1 else 'steps'} {where}"
