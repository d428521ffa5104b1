"""``planscope schema``: JSON Schemas of the session file and of every JSON document."""

from __future__ import annotations

import argparse

from planscope.commands.common import print_json
from planscope.errors import UserError

ABOUT = (
    "Print the JSON Schema (2020-12) of the session file or of what a command prints with --json; without "
    "NAME one object with all of them by name."
)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="session, new, parse, check, ... (default: all)"
    )
    parser.add_argument("--json", action="store_true", help="changes nothing: it prints JSON anyway")


def run(args: argparse.Namespace) -> int:
    from planscope.documents.schemas import DOCUMENTS, schema

    if args.name is not None and args.name not in DOCUMENTS:
        raise UserError(f"there is no schema {args.name!r}; there are: {', '.join(DOCUMENTS)}")
    print_json(schema(args.name) if args.name else {name: schema(name) for name in DOCUMENTS})
    return 0
