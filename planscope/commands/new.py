"""``planscope new``: queries from seeds."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.commands.common import (
    LARGEST_NUMBER,
    check_topic,
    columns,
    output_file,
    print_json,
    print_json_line,
    quoted,
    say,
    say_all,
    share,
    whole,
)
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.synthesis.generate import Synthesized
    from planscope.synthesis.request import Request

ABOUT = (
    "Make a planning request in controlled English whose constraints are known and, as Z3 certifies, can be met. "
    "Without --json or -o it is shown; -o writes a session for planscope run."
)
SHARES = {
    "redundant": "constraints that the others imply",
    "relatives": "noun phrases with a relative clause",
    "lists": "noun phrases that name several actions",
    "second-clauses": "sentences with a second clause",
    "clock-times": "objects that are a clock time (timed)",
}
MOST = 100_000
"""Actions and sentences that may be asked for; the synthesizer has its own, lower limits."""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--actions", type=whole(2, MOST), default=5, metavar="N", help="how many actions (default 5)"
    )
    parser.add_argument(
        "--seed", type=whole(0), metavar="S", help="the same seed gives the same request (default: drawn)"
    )
    parser.add_argument(
        "--sentences", type=whole(1, MOST), metavar="N", help="how many sentences (default: drawn)"
    )
    parser.add_argument("--timed", action="store_true", help="with clock times and hidden durations")
    parser.add_argument("--topic", metavar="T", help="a job, see planscope topics (default: drawn)")
    parser.add_argument("--topics-file", type=Path, metavar="FILE", help="topics of your own, added to ours")
    parser.add_argument(
        "--valid-orders",
        metavar="A..B",
        type=_orders,
        help="in how many orders it can be met (one number: so many)",
    )
    parser.add_argument(
        "--list-length",
        type=whole(1, MOST),
        default=3,
        metavar="N",
        help="longest list of actions (default 3)",
    )
    for name, what in SHARES.items():
        parser.add_argument(f"--{name}", type=share, metavar="SHARE", help=f"from 0 to 1: {what}")
    parser.add_argument(
        "--count", type=whole(1), metavar="M", help="so many: seeds S, S+1, ... as JSON, one a line"
    )
    parser.add_argument("--json", action="store_true", help="print the request as JSON")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write a session")


def run(args: argparse.Namespace) -> int:
    from planscope.documents.query import title_of
    from planscope.synthesis.generate import cases

    if args.output is not None and args.count is not None:
        raise UserError("-o writes one session; leave out --count, or print JSON instead")
    if args.clock_times is not None and not args.timed:
        raise UserError("--clock-times belongs to timed requests; add --timed")
    output = output_file(args.output) if args.output is not None else None
    for made in cases(_request(args), args.count or 1):
        if args.count is not None:
            print_json_line(_document(made))
            continue
        if output is not None:
            _save(made, output)
        if args.json:
            print_json(_document(made))
        elif output is not None:
            say(f"{title_of(made)}, in {args.output}")
        else:
            say_all(_lines(made))
    return 0


def _request(args: argparse.Namespace) -> Request:
    from planscope.language.topics import load_topics
    from planscope.synthesis.request import Request

    topics = load_topics(args.topics_file)
    if args.topic is not None:
        check_topic(args.topic, topics)
    chosen: dict[str, Any] = {
        name.replace("-", "_"): value
        for name in SHARES
        if (value := getattr(args, name.replace("-", "_"))) is not None
    }
    return Request(
        actions=args.actions,
        seed=_random_seed() if args.seed is None else args.seed,
        sentences=args.sentences,
        timed=args.timed,
        topic=args.topic,
        topics=topics if args.topics_file else None,
        valid_orders=args.valid_orders,
        list_length=args.list_length,
        **chosen,
    )


def _random_seed() -> int:
    import secrets

    return secrets.randbelow(1_000_000)


def _orders(text: str) -> tuple[int, int]:
    """``A..B``, or one number for both."""
    found = re.fullmatch(r"\s*([0-9]{1,19})\s*(?:\.\.\s*([0-9]{1,19})\s*)?", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a range A..B, as in 1..6")
    low, high = int(found[1]), int(found[2] or found[1])
    if not 1 <= low <= high <= LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is an empty range; it takes A..B with 1 <= A <= B")
    return low, high


def _document(made: Synthesized) -> dict[str, Any]:
    from planscope.documents.query import QueryDocument

    return QueryDocument.about(
        made.problem,
        topic=made.topic,
        seed=made.seed,
        valid_orders=made.valid_orders,
        certified=made.certified,
    ).as_data()


def _save(made: Synthesized, output: Path) -> None:
    from planscope.documents.query import session_of
    from planscope.session.store import save

    save(session_of(made), output)


def _lines(made: Synthesized) -> Iterator[str]:
    from planscope.report import paragraph, query_lines

    yield from paragraph(made.text, columns())
    yield ""
    yield from query_lines(made.problem, made.valid_orders)
    yield f"Seed {made.seed}, topic {made.topic or 'none'}"
