"""``planscope parse``: what a text asks for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from planscope.commands.common import columns, is_text, print_json, read_text, say_all
from planscope.errors import UserError
from planscope.safe import cell_width, clip, visible

if TYPE_CHECKING:
    from planscope.language.errors import ParseError

ABOUT = (
    "Read a request about the given actions and show its constraints, in how many orders they can be met, and a "
    "contradiction if there is one. A text that cannot be read gives its errors and exit status 1."
)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="a text file; - for standard input (default)"
    )
    parser.add_argument("--actions", required=True, metavar="NAMES", help='names, as in "a, b, c"')
    parser.add_argument("--timed", action="store_true", help="with clock times and durations")
    parser.add_argument(
        "--durations", metavar="HOURS", help='hours of each action, as in "2, 1, 1" (default: 1 each)'
    )
    parser.add_argument("--json", action="store_true", help="print constraints or errors as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.language.problem import make_actions
    from planscope.language.reading import ParseFailure, read_query
    from planscope.report import query_lines

    names = [name.strip() for name in args.actions.split(",")]
    if not is_text(args.actions):
        raise UserError("--actions is not UTF-8 text")
    if not all(names):
        raise UserError('--actions takes names with commas between them, as in --actions "a, b, c"')
    actions = make_actions(names, _durations(args, len(names)))
    text = read_text(args.file).rstrip("\r\n")
    try:
        reading = read_query(text, actions, timed=args.timed)
    except ParseFailure as failure:
        if args.json:
            from planscope.documents.query import ErrorsDocument

            print_json(ErrorsDocument.of(failure).as_data())
        else:
            where = "standard input" if args.file == "-" else args.file
            say_all(line for error in failure.errors for line in _lines(error, text, where))
        return 1
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace

    blank = replay(reading.problem, Trace((), "running"))
    orders, core = blank.valid_completions(0), blank.steps[0].core
    contradiction = core.constraints if core is not None else ()
    if args.json:
        from planscope.documents.query import QueryDocument

        document = QueryDocument.about(reading.problem, valid_orders=orders, contradiction=contradiction)
        print_json(document.as_data())
    else:
        say_all(query_lines(reading.problem, orders, contradiction))
    return 0


def _durations(args: argparse.Namespace, count: int) -> list[int | None] | None:
    if not args.timed:
        if args.durations is not None:
            raise UserError("--durations belongs to timed requests; add --timed")
        return None
    if args.durations is None:
        return [1] * count
    hours = [part.strip() for part in args.durations.split(",")]
    if not all(h.isascii() and h.isdigit() and len(h) <= 2 and 1 <= int(h) <= 24 for h in hours):
        raise UserError('--durations takes whole hours from 1 to 24, as in "2, 1, 1"')
    if len(hours) != count:
        raise UserError(f"--durations names {len(hours)} durations for {count} actions; give one for each")
    return [int(h) for h in hours]


def _lines(error: ParseError, text: str, where: str) -> Iterator[str]:
    """The error, and the line of the text where it is with a mark below it."""
    from planscope.report import sentence

    place = f"{clip(where, columns())}, line {error.line}, column {error.column}"
    yield from sentence(f"{place}: {error.message}", columns())
    line = text.split("\n")[error.line - 1]
    if not line:
        return
    begin = max(0, error.column - 1 - 30)
    before = visible(("..." if begin else "") + line[begin : error.column - 1])
    yield f"    {before}{clip(line[error.column - 1 :], max(columns() - 4 - cell_width(before), 10))}"
    yield f"    {' ' * cell_width(before)}^"
