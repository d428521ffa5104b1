"""One door out: a run, or a whole session, in one of the forms that are made for other people and programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from planscope.errors import UserError
from planscope.sharing.case import find_run, judge
from planscope.sharing.findings import Redaction

if TYPE_CHECKING:
    from planscope.session.model import Run, Session

FormatName = Literal["html", "markdown", "text", "pytest", "json", "smt2", "session"]


@dataclass(frozen=True, slots=True)
class Format:
    """``suffix`` is how a file of it is called; ``carries``: ``planscope open`` gives the session back."""

    name: FormatName
    suffix: str
    about: str
    carries: bool = False


FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("text", ".txt", "plain text, for a mail"),
        Format("json", ".json", "everything that planscope knows of the run"),
        Format("smt2", ".smt2", "SMT-LIB 2, so that any solver can confirm the verdict"),
        Format("session", ".planscope.json", "the session itself", carries=True),
    )
}
"""A picture of the screen (SVG) needs the screen: ``planscope.tui.picture`` makes it of a redacted session."""


def share(session: Session, run_id: str | None, format: str, *, redaction: Redaction | None) -> str:
    """The whole text of a file. ``run_id`` None: the last run, or the bare request where there is none.

    ``redaction`` None shares everything as it is; the caller must have been told to. Raises UserError for a run
    or a format that is not there, and RedactionError.
    """
    make = _MAKERS.get(format)
    if make is None:
        raise UserError(f"there is no format {format[:40]!r}; there are {', '.join(FORMATS)}")
    run = find_run(session, run_id)
    if redaction is not None:
        from planscope.sharing.redact import redacted

        place = session.runs.index(run) if run is not None else None
        safe = redacted(session, redaction)
        session = safe.session
        run = session.runs[place] if place is not None else None
        text = make(session, run)
        safe.check(text)
        return text
    return make(session, run)


def _text(session: Session, run: Run | None) -> str:
    from planscope.report import text_report
    from planscope.safe import visible

    case = judge(session, run)
    agent, model = (run.agent, run.model) if run is not None else ("none", "none")
    return "".join(f"{visible(line)}\n" for line in text_report(case.replay, session.title, agent, model))


def _smt2(session: Session, run: Run | None) -> str:
    from planscope.oracle.export import smt_document

    return smt_document(judge(session, run).replay, session.title)


def _session(session: Session, run: Run | None) -> str:
    from planscope.session.store import dumps

    return dumps(session).decode()


def _json(session: Session, run: Run | None) -> str:
    from planscope.documents.json_text import json_text
    from planscope.documents.judgement import (
        nothing_to_judge,
        repair_document,
        replay_document,
        verdict_document,
    )
    from planscope.documents.query import query_document

    case = judge(session, run)
    replay, query = case.replay, case.variant.query
    run_id = run.id if run else None
    document = {
        "title": session.title,
        "query": query_document(
            replay.problem, topic=query.topic, seed=query.seed, valid_orders=replay.valid_completions(0)
        ),
        "run": _record(run) if run else None,
        "check": verdict_document(replay.verdict()) if run else nothing_to_judge("The session holds no run."),
        "replay": replay_document(replay, run_id),
        "repair": repair_document(replay.repair(), run_id, 0),
    }
    return json_text(document, indent=2) + "\n"


def _record(run: Run) -> dict[str, Any]:
    try:
        return run.model_dump(mode="json", exclude_none=True)
    except ValueError:
        raise UserError("the arguments of a call are nested too deeply to be written") from None


_MAKERS: dict[str, Callable[[Session, Run | None], str]] = {
    "text": _text,
    "json": _json,
    "smt2": _smt2,
    "session": _session,
}
