"""``planscope grammar``: the query language, counted."""

from __future__ import annotations

import argparse

from planscope.commands.common import print_json, say

HELP = "show the grammar and lexicon of requests, and how many wordings they give"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print counts and terminals as JSON")


def run(args: argparse.Namespace) -> int:
    from planscope.language.grammar_counts import grammar_document, grammar_lines

    if args.json:
        print_json(grammar_document())
    else:
        for line in grammar_lines():
            say(line)
    return 0
