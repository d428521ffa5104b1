"""Chooses the debug screen's first view of a session, and the cursor's first place in a judged run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from planscope.debugger import cursor
from planscope.debugger.cursor import DebugState, open_run
from planscope.debugger.errors import DebuggerError
from planscope.session.record import RunRecord
from planscope.tui.controllers.document import Document
from planscope.tui.controllers.judge import Judgement, unjudged
from planscope.tui.controllers.live_run import RunRequest
from planscope.tui.controllers.marks import marks_of
from planscope.tui.opening.load import Opened
from planscope.tui.view import DebugView, reflected


@dataclass(frozen=True)
class Start:
    """What to display first, and the defaults for dissections.

    ``run_id`` "": the newest query without a run. ``step``: as the user wrote it. ``live``: a run to begin as
    soon as the query is read. ``opened``: what came with the session. ``trouble``: why no session could be opened.
    """

    run_id: str = ""
    step: str = ""
    notice: str = ""
    live: RunRequest | None = None
    opened: Opened | None = None
    trouble: str = ""
    method: str = "rates"
    budget: int = 60


def first_view(document: Document, start: Start) -> DebugView:
    """Build the view that is displayed before any run is judged."""
    session = document.session
    asked = start.live.breakpoints if start.live is not None else ()
    kept = (session.breakpoints, session.watches) if session is not None else ((), ())
    run = document.run(start.run_id) if start.run_id else None
    newest = document.variants[-1] if document.variants else None
    variant = document.variant(run.variant) if run is not None else newest
    record = document.record(run.id) if run is not None else None
    bare = open_run(unjudged(variant, record))
    if start.step and run is not None:
        with suppress(
            DebuggerError
        ):  # where a session was left may be gone; a step that was typed is checked before
            bare = cursor.go_to(bare, cursor.parse_step(bare.run, start.step))
    view = DebugView(
        bare,
        document.path,
        variant=variant,
        notice=start.notice,
        marks=marks_of((*kept[0], *asked), kept[1]),
        progress="failed" if start.trouble or session is None else "reading",
        trouble=start.trouble,
        **of_document(document, record),
    )
    return reflected(view)


def of_document(document: Document, run: RunRecord | None) -> dict[str, Any]:
    """Return the fields of a view that tell about the session and the displayed run."""
    return {
        "title": document.title,
        "runs": len(document.runs),
        "has_queries": bool(document.variants),
        "alone": max(len(document.runs), len(document.variants)) < 2,
        "run": run,
        "run_number": document.number_of(run.id) if run is not None else None,
        "predicted": document.predicted(run),
    }


def first_place(
    view: DebugView, judgement: Judgement, left_at: Mapping[str, Any], *, asked: bool
) -> DebugState:
    """Return the first place of the cursor in a run that was just judged.

    It stays where the user went, or asked to begin (``asked``). Otherwise it is where the session was left
    (``left_at``, its stored cursor), else at the cause, else where the plan was lost, else at the end of an aborted
    run.
    """
    here, run = view.debug, view.run
    debug = cursor.go_to(DebugState(judgement.run), here.index)
    if here.selection is not None:
        return cursor.select(debug, here.selection)
    if asked or here.index != 0:
        return debug
    if left_at.get("run") == (run.id if run is not None else None) and left_at.get("index"):
        return cursor.restore_cursor(debug, left_at)
    if judgement.cause is not None:
        from planscope.cause.told import led_to

        if (at := led_to(judgement.cause, debug.run.index_of)) is not None:
            return cursor.go_to(debug, at)
    found = cursor.first_violation(debug)
    aborted = judgement.verdict is not None and judgement.verdict.verdict == "aborted"
    return cursor.go_end(debug) if found is debug and aborted else found
