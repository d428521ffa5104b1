"""``planscope export``: a run for other programs and other people."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from planscope.commands.common import (
    add_run_choice,
    check_printable,
    find_run,
    judged,
    only_variant,
    open_session,
    output_file,
    quoted,
    session_path,
    write_or_print,
)
from planscope.documents.json_text import json_pieces
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.session.model import Run, Session

ABOUT = (
    "Write a run, judged: as json (everything that planscope knows of it), smt2 (SMT-LIB 2, so that any solver can "
    "confirm the verdict and its core), text (for an issue or a mail) or svg (a picture of the debugger)."
)
FORMATS = ("json", "smt2", "text", "svg")
SIZES = (range(20, 501), range(5, 301))
"""Columns and rows that a picture may have."""


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument(
        "--format", required=True, choices=FORMATS, metavar="F", help=f"one of: {', '.join(FORMATS)}"
    )
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to a file, not to standard output")
    parser.add_argument("--step", metavar="K", help="svg: the step to show (default: the first violation)")
    parser.add_argument("--size", metavar="WxH", help="svg: columns and rows (default 120x40)")
    parser.add_argument("--theme", metavar="NAME", help="svg: a theme (planscope themes lists them)")


def run(args: argparse.Namespace) -> int:
    output = output_file(args.output) if args.output not in (None, "-") else None
    if args.format != "svg" and (args.step or args.size or args.theme):
        raise UserError("--step, --size and --theme belong to --format svg")
    session = open_session(args.session)
    chosen = find_run(session, args.run)
    make = {"json": _json, "smt2": _smt2, "text": _text}.get(args.format)
    write_or_print(make(session, chosen) if make else _svg(args, chosen, output is None), output)
    return 0


def _json(session: Session, chosen: Run | None) -> str:
    from planscope.documents.judgement import (
        nothing_to_judge,
        repair_document,
        replay_document,
        verdict_document,
    )
    from planscope.documents.query import query_document
    from planscope.session.derive import variant_of

    replay = judged(session, chosen)
    check_printable(replay)
    variant = variant_of(session, chosen) if chosen else only_variant(session)
    run_id = chosen.id if chosen else None
    document = {
        "title": session.title,
        "query": query_document(
            replay.problem,
            topic=variant.query.topic,
            seed=variant.query.seed,
            valid_orders=replay.valid_completions(0),
        ),
        "run": _record(chosen) if chosen else None,
        "check": verdict_document(replay.verdict())
        if chosen
        else nothing_to_judge("The session holds no run."),
        "replay": replay_document(replay, run_id, lazily=True),
        "repair": repair_document(replay.repair(), run_id, 0),
    }
    return "".join(json_pieces(document)) + "\n"


def _record(run: Run) -> dict[str, Any]:
    try:
        return run.model_dump(mode="json", exclude_none=True)
    except ValueError:
        raise UserError("the arguments of a call are nested too deeply to be written") from None


def _smt2(session: Session, chosen: Run | None) -> str:
    from planscope.oracle.export import smt_document

    return smt_document(judged(session, chosen), session.title)


def _text(session: Session, chosen: Run | None) -> str:
    from planscope.report import text_report
    from planscope.safe import visible

    replay = judged(session, chosen)
    agent, model = (chosen.agent, chosen.model) if chosen else ("none", "none")
    return "".join(f"{visible(line)}\n" for line in text_report(replay, session.title, agent, model))


def _svg(args: argparse.Namespace, chosen: Run | None, printed: bool) -> str:
    import asyncio

    from planscope.tui.picture import export_svg

    picture = asyncio.run(
        export_svg(
            session_path(args.session),
            size=_size(args.size or "120x40"),
            theme=args.theme or "dark",
            run=chosen.id if chosen else None,
            step=args.step,
        )
    )
    if printed and (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        return picture.encode("ascii", "xmlcharrefreplace").decode()
    return picture


def _size(text: str) -> tuple[int, int]:
    parts = text.split("x")
    sizes = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) <= 3]
    if len(parts) != 2 or len(sizes) != 2 or sizes[0] not in SIZES[0] or sizes[1] not in SIZES[1]:
        raise UserError(
            f"--size takes columns and rows from 20x5 to 500x300, as in 120x40, not {quoted(text)}"
        )
    return sizes[0], sizes[1]
