"""Commands for the query language: parse, grammar."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from planscope.commands import Command
from planscope.commands.common import (
    answer,
    columns,
    named_or_found,
    names_of,
    print_json,
    read_text,
    say_all,
)
from planscope.documents import query
from planscope.errors import UserError
from planscope.language.grammar import GrammarReport, grammar_report
from planscope.language.reading import ParseFailure, Reading, read_query
from planscope.safe import cell_width, clip, visible
from planscope.show.blocks import GAP, Block, Para, Table

if TYPE_CHECKING:
    from planscope.documents.query import QueryDocument
    from planscope.language.errors import ParseError

PARSE_ABOUT = (
    "Read a query about the given actions. Shows its constraints, how many valid orders they leave, and the unsat core "
    "if they contradict each other. If the text cannot be read, shows its errors; exit status 1."
)


_PARSE = (
    ("file FILE?", "a text file; - (default): standard input", None, "-"),
    ("--actions NAMES!", 'names of the actions, as in "a, b, c"'),
    ("--new-actions", "add actions that the text names and --actions does not"),
    ("--timed", "with clock times and durations"),
    ("--durations HOURS", 'with --timed: hours of each action, as in "2, 1, 1" (default: 1 each)'),
    ("--json", "print constraints or errors as JSON"),
)


def _parse(args: Namespace) -> int:
    from planscope.language.problem import make_actions

    text = read_text(args.file).rstrip("\r\n")
    names = named_or_found(text, names_of(args.actions), timed=args.timed, more=args.new_actions)
    actions = make_actions(names, _durations(args, len(names)))
    try:
        reading = read_query(text, actions, timed=args.timed)
    except ParseFailure as failure:
        if args.json:
            from planscope.documents.query import ErrorsDocument

            print_json(ErrorsDocument.of(failure))
        else:
            where = "standard input" if args.file == "-" else args.file
            say_all(line for error in failure.errors for line in _error_lines(error, text, where))
        return 1
    tell_query(args, reading)
    return 0


def tell_query(
    args: Namespace,
    reading: Reading,
    *,
    shown: bool = True,
    kind: str = "QueryDocument",
    **more: Any,
) -> None:
    """Print a query that was read: its constraints, how many orders meet it, and what contradicts itself.

    ``shown``: as text, too, and not only what was left out. ``kind``: the document, whose other fields are ``more``.
    """
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace
    from planscope.report import left_out_blocks, query_blocks

    problem, left_out = reading.problem, reading.left_out_words
    blank = replay(problem, Trace((), "running"))
    orders, core = blank.valid_completions(0), blank.steps[0].core
    conflict = core.constraints if core is not None else ()

    def document() -> QueryDocument:
        made: type[QueryDocument] = getattr(query, kind)
        return made.about(problem, valid_orders=orders, contradiction=conflict, left_out=left_out, **more)

    said = query_blocks(problem, orders, conflict) if shown else ()
    answer(args, document, (*said, *left_out_blocks(left_out)), quiet=True)


def _durations(args: Namespace, count: int) -> list[int | None] | None:
    if not args.timed:
        return None
    if args.durations is None:
        return [1] * count
    hours = [part.strip() for part in args.durations.split(",")]
    if not all(h.isascii() and h.isdigit() and len(h) <= 2 and 1 <= int(h) <= 24 for h in hours):
        raise UserError('--durations needs whole hours from 1 to 24, as in "2, 1, 1"')
    if len(hours) != count:
        raise UserError(f"--durations has {len(hours)} values for {count} actions; give one for each action")
    return [int(h) for h in hours]


def _error_lines(error: ParseError, text: str, where: str) -> Iterator[str]:
    """Return the error, the line of text that it is in, and a mark below the place."""
    from planscope.show.text import sentence

    place = f"{clip(where, columns())}, line {error.line}, column {error.column}"
    yield from sentence(f"{place}: {error.message}", columns())
    line = text.split("\n")[error.line - 1]
    if not line:
        return
    begin = max(0, error.column - 1 - 30)
    before = visible(("..." if begin else "") + line[begin : error.column - 1])
    yield f"    {before}{clip(line[error.column - 1 :], max(columns() - 4 - cell_width(before), 10))}"
    yield f"    {' ' * cell_width(before)}^"


GRAMMAR_ABOUT = (
    "List the words that queries are made of, by the paper's terminals, and count what they give: clause skeletons "
    "(clause forms with kinds of subject and object) and wordings of one clause between two actions."
)
TERMINALS = {
    "VP": "verb phrases with an object",
    "VP0": "verbs without an object",
    "P": "prepositions",
    "SC": "conjunctions before a clause",
    "J": "connectives between two clauses",
}
RELATIONS = {"<": ', "before"', ">": ', "after"'}


_GRAMMAR = (("--json", "print counts and words as JSON"),)


def _grammar(args: Namespace) -> None:
    from planscope.documents.listings import GrammarDocument

    report = grammar_report()
    answer(args, GrammarDocument.of(report), lambda _: _grammar_blocks(report))


def _grammar_blocks(report: GrammarReport) -> Iterator[Block]:

    skeletons, wordings = report.clause_skeletons, report.wordings
    rows = [("Clause skeletons", skeletons["base"]), ("  timed", skeletons["timed"])]
    rows += [("Wordings of one clause", wordings["total"])]
    rows += [(f"  {form.replace('_', ' ')}", count) for form, count in wordings.items() if form != "total"]
    yield Table([(name, f"{count:>6,}") for name, count in rows], indent="")
    for terminal, entries in report.terminals.items():
        kind = TERMINALS.get(terminal.rstrip("<>"), "") + RELATIONS.get(terminal[-1], "")
        yield from (GAP, Para(f"{terminal}  {kind}"))
        for heading, silent in (("", False), ("read but never written: ", True)):
            phrases = [entry.singular for entry in entries if entry.parse_only == silent]
            if phrases:
                yield Para(heading + ", ".join(phrases), "  ")


COMMANDS = {
    "parse": Command(
        PARSE_ABOUT, 'echo "B comes after A." | planscope parse --actions "a, b"', _PARSE, _parse
    ),
    "grammar": Command(GRAMMAR_ABOUT, "planscope grammar", _GRAMMAR, _grammar),
}
