"""``planscope export``: a run for other programs and other people."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from planscope.commands.common import (
    add_run_choice,
    find_run,
    judged,
    only_variant,
    open_session,
    write_or_print,
)
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.session.model import Run, Session

HELP = "write a run as json, smt2 (SMT-LIB), text or svg (a picture of the debugger)"


def add(parser: argparse.ArgumentParser) -> None:
    add_run_choice(parser)
    parser.add_argument("--format", required=True, choices=["json", "smt2", "text", "svg"])
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="write to a file instead of standard output"
    )
    parser.add_argument("--step", metavar="K", help="svg: the step to show; the first violation by default")
    parser.add_argument("--size", metavar="WxH", default="120x40", help="svg: columns and rows")
    parser.add_argument(
        "--theme", metavar="NAME", default="dark", help="svg: a theme (see: planscope themes)"
    )


def run(args: argparse.Namespace) -> int:
    session = open_session(args.session)
    chosen = find_run(session, args.run)
    make = {"json": _json, "smt2": _smt2, "text": _text}.get(args.format)
    text = make(session, chosen) if make else _svg(args, chosen)
    write_or_print(text, args.output)
    return 0


def _json(session: Session, chosen: Run | None) -> str:
    from planscope.documents.judgement import repair_document, replay_document, verdict_document
    from planscope.documents.query import query_document
    from planscope.session.derive import variant_of

    replay = judged(session, chosen)
    variant = variant_of(session, chosen) if chosen else only_variant(session)
    document = {
        "title": session.title,
        "query": query_document(
            replay.problem,
            topic=variant.query.topic,
            seed=variant.query.seed,
            valid_orders=replay.valid_completions(0),
        ),
        "run": chosen.model_dump(mode="json", exclude_none=True) if chosen else None,
        "check": verdict_document(replay.verdict()),
        "replay": replay_document(replay, chosen.id if chosen else None),
        "repair": repair_document(replay.repair(), chosen.id if chosen else None, 0),
    }
    return json.dumps(document, indent=2) + "\n"


def _smt2(session: Session, chosen: Run | None) -> str:
    from planscope.oracle.export import smt_document

    return smt_document(judged(session, chosen), session.title)


def _text(session: Session, chosen: Run | None) -> str:
    from planscope.report import text_report
    from planscope.safe import visible

    replay = judged(session, chosen)
    agent, model = (chosen.agent, chosen.model) if chosen else ("none", "none")
    lines = text_report(replay, session.title, agent, model)
    return "\n".join(visible(part) for line in lines for part in line.split("\n")) + "\n"


def _svg(args: argparse.Namespace, chosen: Run | None) -> str:
    import asyncio

    from planscope.session.bundled import resolve
    from planscope.tui.picture import export_svg

    width, _, height = args.size.partition("x")
    if not (width.isdigit() and height.isdigit() and 20 <= int(width) <= 500 and 5 <= int(height) <= 300):
        raise UserError(f"--size takes columns and rows, as in 120x40, not {args.size!r}")
    size = (int(width), int(height))
    run_id = chosen.id if chosen else None
    return asyncio.run(
        export_svg(resolve(args.session), size=size, theme=args.theme, run=run_id, step=args.step)
    )
