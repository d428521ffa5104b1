"""``planscope schema``: JSON Schemas of the session file and of every JSON document."""

from __future__ import annotations

import argparse

from planscope.commands.common import print_json
from planscope.errors import UserError

HELP = "print the JSON Schema of the session file, of one command's JSON, or of all"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="session, new, check, ...; all by default")
    parser.add_argument("--json", action="store_true", help="JSON is what it prints anyway")


def run(args: argparse.Namespace) -> int:
    from planscope.documents.schemas import DOCUMENTS, schema

    if args.name is not None and args.name not in DOCUMENTS:
        raise UserError(f"there is no schema {args.name!r}; there are: {', '.join(DOCUMENTS)}")
    names = DOCUMENTS if args.name is None else [args.name]
    print_json(schema(args.name) if args.name else {name: schema(name) for name in names})
    return 0
