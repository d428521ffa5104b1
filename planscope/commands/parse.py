"""``planscope parse``: what a text asks for."""

from __future__ import annotations

import argparse

from planscope.commands.common import print_json, read_text, say
from planscope.errors import UserError

HELP = "read a request and show its constraints, or what cannot be read (exit status 1)"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="a text file; - for standard input"
    )
    parser.add_argument("--actions", required=True, metavar="NAMES", help='names, as in "a, b, c"')
    parser.add_argument("--timed", action="store_true", help="clock times and durations")
    parser.add_argument(
        "--durations", metavar="HOURS", help='hours of each action, as in "2, 1, 1" (default 1 each)'
    )
    parser.add_argument("--json", action="store_true", help="print constraints or errors as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.documents.query import error_documents, parsed_document
    from planscope.language.problem import make_actions
    from planscope.language.reading import ParseFailure, read_query

    names = [name.strip() for name in args.actions.split(",")]
    if not all(names):
        raise UserError('--actions takes names with commas between them, as in --actions "a, b, c"')
    actions = make_actions(names, _durations(args, len(names)))
    text = read_text(args.file).strip("\n")
    try:
        reading = read_query(text, actions, timed=args.timed)
    except ParseFailure as failure:
        if args.json:
            print_json(error_documents(failure.errors))
        else:
            for error in failure.errors:
                say(f"{args.file}:{error.line}:{error.column}: {error.message}")
        return 1
    document = parsed_document(reading.problem)
    if args.json:
        print_json(document)
    else:
        _tell(document)
    return 0


def _durations(args: argparse.Namespace, count: int) -> list[int | None] | None:
    if not args.timed:
        if args.durations:
            raise UserError("--durations belongs to timed requests; add --timed")
        return None
    if not args.durations:
        return [1] * count
    try:
        hours: list[int | None] = [int(part) for part in args.durations.split(",")]
    except ValueError:
        raise UserError('--durations takes whole hours with commas between them, as in "2, 1, 1"') from None
    if len(hours) != count or not all(h is not None and 1 <= h <= 24 for h in hours):
        raise UserError(f"--durations takes {count} whole hours from 1 to 24, one for each action")
    return hours


def _tell(document: dict[str, object]) -> None:
    actions, constraints = document["actions"], document["constraints"]
    assert isinstance(actions, list) and isinstance(constraints, list)
    for action in actions:
        hours = f"  {action['duration']} h" if action["duration"] else ""
        say(f"{action['id']:<4} {action['name']}{hours}")
    for c in constraints:
        where = f"  sentence {c['sentence'] + 1}" if c["sentence"] is not None else ""
        say(f"{c['id']:<4} {c['text']}{where}")
    orders = document["valid_orders"]
    say("valid orders: " + ("many" if orders is None else str(orders)))
    contradiction = document.get("contradiction")
    if contradiction:
        say(f"contradiction: {', '.join(contradiction)}")  # type: ignore[arg-type]
