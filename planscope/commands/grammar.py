"""``planscope grammar``: the query language, counted."""

from __future__ import annotations

import argparse

from planscope.commands.common import print_json, say

HELP = "show the grammar and lexicon of requests, and how many wordings they give"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print counts and terminals as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.language.grammar_counts import grammar_report

    report = grammar_report()
    if args.json:
        print_json(report)
        return 0
    skeletons, wordings = report["clause_skeletons"], report["wordings"]
    say(f"clause skeletons: {skeletons['base']}, timed {skeletons['timed']} (lists of actions aside)")
    say(f"wordings of one clause between two actions: {wordings['total']}")
    for form, count in wordings.items():
        if form != "total":
            say(f"  {form.replace('_', ' ')}: {count}")
    for terminal, entries in report["terminals"].items():
        say(f"{terminal}")
        for entry in entries:
            marks = [k for k in ("parse_only",) if entry.get(k)]
            say(f"  {entry['singular']}{'  (read, not written)' if marks else ''}")
    return 0
