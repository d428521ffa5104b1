"""``planscope new``: queries from seeds."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.commands.common import print_json, print_json_line, say
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.synthesis.generate import Synthesized
    from planscope.synthesis.request import Request

HELP = "synthesize a planning request whose constraints are known"
SHARES = {
    "redundant": "constraints that the others imply",
    "relatives": "noun phrases with a relative clause",
    "lists": "noun phrases that name several actions",
    "second-clauses": "sentences with a second clause",
    "clock-times": "objects that are a clock time (timed)",
}


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--actions", type=int, default=5, metavar="N", help="how many actions (default 5)")
    parser.add_argument(
        "--seed", type=int, metavar="S", help="the same seed gives the same query; random by default"
    )
    parser.add_argument("--sentences", type=int, metavar="N", help="how many sentences; drawn by default")
    parser.add_argument("--timed", action="store_true", help="with clock times and hidden durations")
    parser.add_argument("--topic", metavar="T", help="a job (see: planscope topics); drawn by default")
    parser.add_argument("--topics-file", type=Path, metavar="FILE", help="topics of your own, added to ours")
    parser.add_argument("--valid-orders", metavar="A..B", help="how many orders may meet everything")
    parser.add_argument(
        "--list-length", type=int, default=3, metavar="N", help="longest list of actions (default 3)"
    )
    for name, what in SHARES.items():
        parser.add_argument(f"--{name}", type=float, metavar="SHARE", help=f"share from 0 to 1 of {what}")
    parser.add_argument(
        "--count", type=int, metavar="M", help="so many queries: seeds S, S+1, ... (JSON, one a line)"
    )
    parser.add_argument("--json", action="store_true", help="print the query as JSON")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write a session")


def run(args: argparse.Namespace) -> int:
    from planscope.synthesis.generate import cases

    if args.count is not None and args.count < 1:
        raise UserError(f"--count takes a number from 1 on, not {args.count}")
    if args.output is not None and args.count is not None:
        raise UserError("-o writes one session; leave out --count, or print JSON instead")
    request = _request(args)
    for made in cases(request, args.count or 1):
        if args.output is not None:
            return _save(made, args)
        document = _document(made)
        if args.count is not None:
            print_json_line(document)
        elif args.json:
            print_json(document)
        else:
            _tell(document)
    return 0


def _request(args: argparse.Namespace) -> Request:
    from planscope.language.topics import load_topics
    from planscope.synthesis.request import Request

    topics = load_topics(args.topics_file)
    if args.topic is not None and args.topic not in topics:
        from difflib import get_close_matches

        near = get_close_matches(args.topic, topics, 3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise UserError(f"there is no topic {args.topic!r}{hint} (planscope topics lists them)")
    chosen: dict[str, Any] = {
        name.replace("-", "_"): share
        for name in SHARES
        if (share := getattr(args, name.replace("-", "_"))) is not None
    }
    return Request(
        actions=args.actions,
        seed=_random_seed() if args.seed is None else args.seed,
        sentences=args.sentences,
        timed=args.timed,
        topic=args.topic,
        topics=topics if args.topics_file else None,
        valid_orders=_orders(args.valid_orders),
        list_length=args.list_length,
        **chosen,
    )


def _random_seed() -> int:
    import secrets

    return secrets.randbelow(1_000_000)


def _orders(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d{1,20})\s*(?:\.\.\s*(\d{1,20})\s*)?", text)
    if found is None:
        raise UserError(f"--valid-orders takes A..B, as in 1..6, not {text!r}")
    return int(found[1]), int(found[2] or found[1])


def _document(made: Synthesized) -> dict[str, Any]:
    from planscope.documents.query import query_document

    document = query_document(
        made.problem, topic=made.topic or None, seed=made.seed, valid_orders=made.valid_orders
    )
    document["certified"] = made.certified
    return document


def _save(made: Synthesized, args: argparse.Namespace) -> int:
    from planscope.documents.query import constraint_document, query_id
    from planscope.language.tree_json import dump
    from planscope.session.edit import first_variant
    from planscope.session.model import Origin, Session
    from planscope.session.store import save

    variant = first_variant(
        made.problem,
        Origin(kind="synthesized"),
        topic=made.topic or None,
        seed=made.seed,
        tree=dump(made.tree),
        constraints=[constraint_document(c) for c in made.problem.constraints],
    )
    count = len(made.problem.actions)
    kind = "timed actions" if made.problem.timed else "actions"
    title = f"{made.topic or 'query'}: {count} {kind}, seed {made.seed}"
    session = Session(id=query_id(made.problem), title=title, variants=[variant])
    save(session, Path(args.output))
    if args.json:
        print_json(_document(made))
    else:
        say(f"{title}, in {args.output}")
    return 0


def _tell(document: dict[str, Any]) -> None:
    say(document["text"])
    say()
    for action in document["actions"]:
        hours = f"  {action['duration']} h" if action["duration"] else ""
        say(f"{action['id']:<4} {action['name']}{hours}")
    for c in document["constraints"]:
        say(f"{c['id']:<4} {c['text']}")
    orders = document["valid_orders"]
    say(
        f"valid orders: {'many' if orders is None else orders}; seed {document['seed']}, topic {document['topic']}"
    )
