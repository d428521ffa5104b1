"""The formats in which a run or a whole session is shared, and the one function that makes them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from planscope.case import check_size, find_run, judge, variant_shown
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.session.model import Run, Session
    from planscope.sharing.redact import Redaction

Check = Callable[[str], None]
"""A function that takes a text made from a session, and raises RedactionError if it still contains something
private."""


class Format(NamedTuple):
    """``suffix`` ends the names of its files. ``carries``: ``planscope open`` can open them."""

    suffix: str
    carries: bool = False


FORMATS: dict[str, Format] = {
    "json": Format(".json"),
    "smt2": Format(".smt2"),
    "text": Format(".txt"),
    "markdown": Format(".md"),
    "html": Format(".html", carries=True),
    "pytest": Format(".py"),
    "session": Format(".planscope.json", carries=True),
}
"""SVG is missing here: it needs the screen, so ``planscope.tui.picture`` makes it from a redacted session."""

SUFFIXES: dict[str, str] = {**{name: form.suffix for name, form in FORMATS.items()}, "svg": ".svg"}
"""The suffix of each format, SVG included."""


def excerpt(session: Session, *chosen: Run | None) -> Session:
    """Return the session with the chosen runs, the runs that they were forked from, and their variants.

    None chooses the newest variant without a run. Deleted parts are left out, and so are dissections and
    findings of the fuzzer, because they refer to other runs and to tools.
    """

    runs = {r.id: r for r in session.runs}
    variants = {v.id: v for v in session.variants}
    kept_runs: list[str] = []
    kept_variants = [] if any(chosen) else [variant_shown(session).id]
    for run in chosen:
        while run is not None and run.id not in kept_runs:
            kept_runs.append(run.id)
            kept_variants.append(run.variant)
            run = runs.get(run.forked_from.run) if run.forked_from is not None else None
    for one in kept_variants:
        parent = variants[one].parent
        if parent is not None and parent not in kept_variants:
            kept_variants.append(parent)
    return session.model_copy(
        update={
            "runs": [r for r in session.runs if r.id in kept_runs],
            "variants": [v for v in session.variants if v.id in kept_variants],
            "dissections": [],
            "fuzzings": None,
            "removed": None,
            "gone": None,
        }
    )


def share(session: Session, run_id: str | None, form: str, *, redaction: Redaction | None) -> str:
    """Return the text of a file. ``run_id`` None: the last run, or the query alone if there is no run.

    ``redaction`` comes from :func:`planscope.sharing.redact.look_through`. None shares everything as it is, which only
    the user may decide; what was deleted is never shared. Raises UserError for an unknown run or format, and
    RedactionError.
    """
    from planscope.session.json_bytes import without_collection
    from planscope.session.removal import without_removed

    if form not in FORMATS:
        raise UserError(f"there is no format {form[:40]!r}; the formats are {', '.join(FORMATS)}")
    with without_collection():
        session = without_removed(session)
        return _shared(session, find_run(session, run_id), form, redaction)


def _shared(session: Session, run: Run | None, form: str, redaction: Redaction | None) -> str:
    check: Check = _anything
    if redaction is not None:
        from planscope.sharing.redact import redacted

        place = next((n for n, one in enumerate(session.runs) if one is run), None)
        safe = redacted(session, redaction)
        session, check = safe.session, safe.check
        run = session.runs[place] if place is not None else None
    if form == "html":
        from planscope.sharing.page import page

        return page(session, run, check)
    text = _MAKERS[form](session, run)
    check(text)
    return text


def _anything(text: str) -> None:
    return None


def _text(session: Session, run: Run | None) -> str:
    from planscope.report import case_blocks
    from planscope.show.text import lines

    return "\n".join([*lines(case_blocks(judge(session, run), issue=False)), ""])


def _markdown(session: Session, run: Run | None) -> str:
    from planscope.report import case_blocks
    from planscope.show.markdown import markdown

    return markdown(case_blocks(judge(session, run)))


def _pytest(session: Session, run: Run | None) -> str:
    from planscope.sharing.pytest_file import pytest_file

    return pytest_file(judge(session, run))


def _smt2(session: Session, run: Run | None) -> str:
    from planscope.oracle.smtlib import smt_document
    from planscope.wording.constraints import plain

    replay = judge(session, run).replay
    if replay.rules is not None:
        raise UserError("rules about calls cannot be written as SMT-LIB; choose another format")
    words = {c.id: plain(c, replay.problem) for c in replay.problem.constraints}
    return smt_document(replay, session.title, words)


def _session(session: Session, run: Run | None) -> str:
    from planscope.session.store import dumps

    return dumps(session).decode()


def _json(session: Session, run: Run | None) -> str:
    from planscope.documents.judgement import CheckDocument, ExportDocument, RepairDocument, ReplayDocument
    from planscope.documents.query import QueryDocument

    case = judge(session, run)
    check_size(case.replay)
    replay, query = case.replay, case.variant.query
    run_id = run.id if run else None
    document = ExportDocument(
        title=session.title,
        query=QueryDocument.about(
            replay.problem, topic=query.topic, seed=query.seed, valid_orders=replay.valid_completions(0)
        ),
        run=_record(run) if run else None,
        check=CheckDocument.about(replay, replay.verdict(), helped=case.help)
        if run
        else CheckDocument.of_nothing(),
        replay=ReplayDocument.about(replay, run_id),
        repair=RepairDocument.about(replay, run_id),
    )
    return "".join(document.as_pieces()) + "\n"


def _record(run: Run) -> dict[str, Any]:
    try:
        return run.model_dump(mode="json", exclude_none=True)
    except ValueError:
        raise UserError("the arguments of a call are nested too deeply to be written") from None


_MAKERS: dict[str, Callable[[Session, Run | None], str]] = {
    "json": _json,
    "smt2": _smt2,
    "text": _text,
    "markdown": _markdown,
    "pytest": _pytest,
    "session": _session,
}
