"""Moving through the displayed run, selecting, and searching."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from planscope.debugger import cursor
from planscope.debugger import search as search_
from planscope.debugger.breakpoints import When
from planscope.debugger.cursor import DebugState
from planscope.debugger.errors import DebuggerError
from planscope.debugger.search import Document as Searched
from planscope.debugger.search import Haystack, Search, documents, show_hit
from planscope.debugger.selection import SelectedWords
from planscope.debugger.stops import continue_back, continue_forward, in_words, reasons
from planscope.tui.app_screen import flow
from planscope.tui.controllers.jobs import CancelToken
from planscope.tui.keys import key_for
from planscope.tui.panes.query import not_judged, task_of
from planscope.tui.screens.debug.stage import ANOTHER_RUN, Stage, not_run
from planscope.tui.style.lines import shown
from planscope.tui.view import WHOLE, DebugView
from planscope.wording import phrases
from planscope.wording.constraints import brief


def step_to(stage: Stage, debug: DebugState, nowhere: str) -> None:
    """Go to a place. If it is the current one, display ``nowhere``, so that every key has an effect."""
    before = stage.view.debug
    stage.move(debug)
    if (debug.index, debug.check) == (before.index, before.check):
        stage.tell(nowhere)


def go(stage: Stage, way: str) -> None:
    """Go where a function of the cursor leads, such as ``next_call``."""
    to: Callable[[DebugState], DebugState] = getattr(cursor, way)
    end = "this is the end of the run" if stage.view.run is not None else not_run(stage)
    back = way in ("previous_call", "previous_check", "go_start")
    step_to(stage, to(stage.view.debug), "this is the start of the run" if back else end)


def first_violation(stage: Stage) -> None:
    """Go to the first violation; in a run without one to the next call that failed or is the likely cause."""
    debug, progress, cause = stage.view.debug, stage.view.progress, stage.view.cause_at
    if progress in ("reading", "judging"):
        stage.tell("not judged yet")
    elif debug.run.first_violation is not None:
        step_to(
            stage, cursor.first_violation(debug), f"{phrases.what_is_lost(debug.run.problem)} was lost here"
        )
    elif progress != "judged":
        stage.tell("this run is not judged")
    elif places := [one.index for one in debug.run.steps if phrases.failed(one) or one.index == cause]:
        after = (index for index in places if index > debug.index)
        step_to(stage, cursor.go_to(debug, next(after, places[0])), "no other call failed")
    else:
        why = not_judged() if debug.run.problem.unjudged else "nothing is violated in this run"
        stage.tell(f"no call failed; {why}")


def go_on(stage: Stage, way: str = "") -> None:
    """Go to the next or, ``back``, the previous breakpoint or violation."""
    view = stage.view
    go = continue_back if way else continue_forward
    if any(isinstance(b, When) and b.costly for b in view.breakpoints):
        stage.tell(f"searching for the next stop… ({key_for('deselect')} cancels)")

        def look(token: CancelToken) -> DebugState:
            return go(view.debug, view.breakpoints, lambda: token.cancelled)

        stage.work.jobs.start(
            "continue", look, partial(_stopped, stage), lambda error: stage.tell(str(error))
        )
    else:
        _stopped(stage, go(view.debug, view.breakpoints))


def _stopped(stage: Stage, debug: DebugState) -> None:
    moved = debug.index != stage.view.debug.index
    stage.move(debug)
    why = reasons(debug.run, debug.index, stage.view.breakpoints)
    if why and moved:
        stage.tell("stopped: " + in_words(why[:3], stage.view.debug.run.problem))
    elif not moved:
        stage.tell("no stop in that direction")


@flow
async def go_to_step(stage: Stage) -> None:
    from planscope.tui.dialogs.form import ask_dialog

    key, run = stage.view.key, stage.view.debug.run
    last = run.last if run.steps[-1].step != "end" else run.last - 1
    hint = f"a step from 0 to {last}, start or end"
    check = partial(wrong, partial(cursor.parse_step, run))
    text = await stage.answer(ask_dialog("Go to step", hint, check))
    if text is None:
        return
    if stage.view.key != key:
        stage.tell(ANOTHER_RUN)
        return
    try:
        stage.move(cursor.go_to(stage.view.debug, cursor.parse_step(stage.view.debug.run, text)))
    except DebuggerError as error:  # the run has continued, or calls were undone
        stage.tell(str(error))


def wrong(read: Callable[[str], object], text: str) -> str | None:
    """Return why a typed line cannot be read, or None."""
    try:
        read(text)
    except DebuggerError as error:
        return str(error)
    return None


# Selecting


def open_selected(stage: Stage) -> None:
    """Go to the next step that is linked with the selection, such as the one that violates a constraint.

    In the query's pane, show the cured query beside this one, if the words to blame are known. In the step's pane, and
    with rules alone in the timeline, show the texts, JSON and safe calls of the step whole, or fold them again.
    """
    from planscope.tui.screens.debug.doors import show_cured

    view, debug = stage.view, stage.view.debug
    culprit = view.found.culprit if view.found is not None else None
    elsewhere = debug.selection is not None and not isinstance(debug.selection, SelectedWords)
    if view.pane == "query" and culprit is not None and not elsewhere:
        show_cured(stage, culprit)
        return
    rules = view.progress == "judged" and phrases.rules_alone(debug.run.problem)
    if view.run is not None and (view.pane == "step" or (rules and view.pane == "timeline")):
        stage.change(folded=view.folded ^ {(view.run.id, WHOLE)})
        return
    lit = sorted(view.lit.steps - {debug.index})
    if not lit:
        stage.tell("no other step belongs to what is selected")
    else:
        later = [index for index in lit if index > debug.index]
        stage.move(replace(cursor.go_to(debug, (later or lit)[0]), selection=debug.selection))


def deselect(stage: Stage) -> None:
    """Cancel the search for a stop, or else end the zoom, or else drop the selection."""
    if stage.work.jobs.running("continue"):
        stage.work.jobs.cancel("continue")
        stage.tell("search cancelled")
    elif stage.view.zoomed:
        stage.work.layout.zoom(False)
        stage.laid_out()
    else:
        stage.move(cursor.select(stage.view.debug, None))


# Searching


@flow
async def search(stage: Stage) -> None:
    from planscope.tui.dialogs.form import ask_dialog

    key, view = stage.view.key, stage.view
    haystack = Haystack(_searched(view))

    def check(text: str) -> str | None:
        if not text.strip():
            return "type a text"
        if haystack.find(text).hits:
            return None
        return f"“{shown(text, 60)}” is not found"

    hint = "in the query or task, constraints, what was said, calls and answers"
    old = view.search.needle if view.search else ""
    text = await stage.answer(ask_dialog("Search", hint, check, value=old))
    if text is None:
        return
    if stage.view.key != key:
        stage.tell(ANOTHER_RUN)
        return
    found = Haystack(_searched(stage.view)).find(text)  # the run may have continued since
    _move_to_hit(stage, found)
    stage.tell(
        f"1 of {phrases.plural(len(found.hits), 'place')}; "
        f"{key_for('next-hit')} next, {key_for('previous-hit')} previous"
    )


def _searched(view: DebugView) -> tuple[Searched, ...]:
    run = view.debug.run
    calls = view.run.calls if view.run else ()
    thoughts = {i: call.thought for i, call in enumerate(calls, 1) if call.thought}
    if view.run is not None and view.run.last_words:
        thoughts[run.last] = view.run.last_words
    return documents(
        view.text or task_of(view),
        run,
        plain={c.id: brief(c, run.problem) for c in run.problem.constraints},
        answers={i: call.answer for i, call in enumerate(calls, 1) if call.answer},
        thoughts=thoughts,
    )


_PLACES = {"query": "the query", "constraint": "a constraint", "answer": "an answer"}


def hit(stage: Stage, way: str) -> None:
    """Go to the ``next_hit`` or the ``previous_hit``."""
    found = stage.view.search
    if found is None or found.at is None:
        stage.tell(f"no search yet: press {key_for('search')}" if found is None else "nothing was found")
        return
    turn: Callable[[Search], Search] = getattr(search_, way)
    found = turn(found)
    assert found.hit is not None and found.at is not None
    _move_to_hit(stage, found)
    kind = found.hit.document.kind
    place = _PLACES.get(kind, f"a {kind}")
    stage.tell(f"{found.at + 1} of {phrases.plural(len(found.hits), 'place')}, in {place}")


def _move_to_hit(stage: Stage, found: Search) -> None:
    """Go to a search hit, and bring its pane to the front."""
    stage.move(show_hit(stage.view.debug, found), search=found, hit=found.hit)
    if found.hit is None:
        return
    stage.work.layout.reveal(
        {"query": "query", "constraint": "constraints"}.get(found.hit.document.kind, "step")
    )
    stage.laid_out(notice=stage.view.notice)
