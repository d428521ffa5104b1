"""``planscope grammar``: the query language, counted."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from planscope.commands.common import columns, print_json, say_all

if TYPE_CHECKING:
    from planscope.language.grammar import GrammarReport

ABOUT = (
    "Show the words that requests are made of, by the paper's terminals, and count what they give: clause "
    "skeletons (clause forms with the kinds of their subjects and objects) and wordings of one clause between "
    "two actions."
)
TERMINALS = {
    "VP": "verb phrases with an object",
    "VP0": "verbs without one",
    "P": "prepositions",
    "SC": "conjunctions before a clause",
    "J": "between two clauses",
}
RELATIONS = {"<": ', "before"', ">": ', "after"'}


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print counts and words as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.language.grammar import grammar_report

    report = grammar_report()
    if args.json:
        from planscope.documents.listings import GrammarDocument

        print_json(GrammarDocument.of(report).as_data())
    else:
        say_all(_lines(report))
    return 0


def _lines(report: GrammarReport) -> Iterator[str]:
    from planscope.report import table

    skeletons, wordings = report.clause_skeletons, report.wordings
    rows = [("Clause skeletons", skeletons["base"]), ("  timed", skeletons["timed"])]
    rows += [("Wordings of one clause", wordings["total"])]
    rows += [(f"  {form.replace('_', ' ')}", count) for form, count in wordings.items() if form != "total"]
    yield from table(((name, f"{count:>6,}") for name, count in rows), "")
    for terminal, entries in report.terminals.items():
        yield ""
        kind = TERMINALS.get(terminal.rstrip("<>"), "") + RELATIONS.get(terminal[-1], "")
        yield f"{terminal}  {kind}"
        yield from _words("", [e.singular for e in entries if not e.parse_only])
        yield from _words("read, not written: ", [e.singular for e in entries if e.parse_only])


def _words(heading: str, phrases: list[str]) -> Iterator[str]:
    from planscope.report import sentence

    if phrases:
        yield from sentence(heading + ", ".join(phrases), columns(), "  ")
