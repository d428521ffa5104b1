"""Commands that make queries: new, topics."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.commands import Command
from planscope.commands.common import (
    BASE_URL,
    LARGEST_NUMBER,
    ProgressLine,
    check_topic,
    declare,
    leave_out,
    more_names_help,
    named_or_found,
    names_of,
    output_file,
    output_of,
    print_json,
    print_json_line,
    quoted,
    read_text,
    say,
    say_all,
    share,
    tell,
    whole,
    write_or_print,
)
from planscope.errors import UserError
from planscope.language.topics import load_topics
from planscope.safe import visible
from planscope.show.blocks import GAP, Block, Para, Table
from planscope.synthesis.request import Request

if TYPE_CHECKING:
    from planscope.documents.query import QueryDocument
    from planscope.synthesis.generate import Synthesized

NEW_ABOUT = (
    "Make a planning query in controlled English. Its constraints are known, and Z3 certifies that a correct plan "
    "exists. --text makes one of your own text. Prints the query; -o writes a session for planscope run."
)
SHARES = {
    "redundant": "constraints implied by the others (default: any, about 0.5 at five actions; 0: none)",
    "relatives": "noun phrases with a relative clause",
    "lists": "noun phrases with several actions",
    "second-clauses": "sentences with a second clause",
    "clock-times": "objects that are a clock time (with --timed)",
}
MOST_ACTIONS = 100_000
"""The limit for actions or sentences in the options. The synthesizer has lower limits of its own."""


def _add_new(parser: ArgumentParser) -> None:
    declare(
        parser,
        ("--text FILE", "a query of your own instead of a random one: a text file; - : standard input"),
        (
            "--actions N",
            'how many actions (default 5); with --text: their names, as in "a, b" (default: found in the text)',
            _number_or_names,
        ),
        ("--new-actions", "with --text: add actions that --actions does not name"),
        ("--seed S", "the same seed gives the same query (default: random)", whole(0)),
        ("--sentences N", "how many sentences (default: random)", whole(1, MOST_ACTIONS)),
        ("--timed", "with clock times and hidden durations"),
        ("--topic T", "the topic, a job (planscope topics lists all; default: random)"),
        ("--topics-file FILE", "a file with topics of your own, added to the bundled ones", Path),
        ("--valid-orders A..B", "how many valid orders: A to B; one number: exactly N", _orders),
        ("--list-length N", "longest list of actions (default 3)", whole(1, MOST_ACTIONS), 3),
        *((f"--{name} SHARE", f"share from 0 to 1: {what}", share) for name, what in SHARES.items()),
        ("--repeats", "constraints may be stated twice, as in the paper's synthesis"),
        ("--count M", "make M queries with seeds S, S+1, ...; JSON, one a line", whole(1)),
        ("--json", "print the query as JSON"),
        ("-o FILE", "write a session file"),
    )


RANDOM_ONLY = ("seed", "sentences", "topic", "topics_file", "valid_orders", "count", "repeats", *SHARES)
"""Options for random queries only."""


def _number_or_names(text: str) -> int | str:
    """Argument type: a number from 2, or names (for --text)."""
    return whole(2, MOST_ACTIONS)(text) if re.fullmatch(r"\s*[-+]?[0-9]+\s*", text) else text


def _new(args: Namespace) -> None:
    if args.text is not None:
        _own(args)
        return
    from planscope.synthesis.generate import cases

    if isinstance(args.actions, str):
        raise UserError(f"--actions: {quoted(args.actions)} is not a whole number; names need --text")
    if args.output is not None and args.count is not None:
        raise UserError("-o writes one session; leave --count out, or leave -o out to print JSON")
    if args.clock_times is not None and not args.timed:
        raise UserError("--clock-times needs timed queries; add --timed")
    output = output_of(args)
    missed = 0
    for made in cases(_request(args), args.count or 1):
        missed += made.misses(args.redundant)
        if args.count is not None:
            print_json_line(_document(made))
            continue
        if output is not None:
            from planscope.documents.query import session_of
            from planscope.session.store import save

            save(session_of(made), output)
        if args.json:
            print_json(_document(made))
        elif output is not None:
            say(f"{made.title}, in {args.output}")
        else:
            tell(_query_blocks(made))
    if missed:
        of = f"in {missed} of {args.count} queries " if args.count else ""
        found = "" if args.count else f", but {made.share:.2f}"
        sys.stderr.write(
            f"note: {of}the share of implied constraints is not {args.redundant:g}{found}; no query nearer to it was "
            "found (more actions or --repeats may help)\n"
        )


def _own(args: Namespace) -> None:
    """Make a query from the user's own text."""
    from planscope.commands.parse import tell_query
    from planscope.documents.query import session_of
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.language.problem import make_actions
    from planscope.language.reading import read_query
    from planscope.session.store import save

    leave_out(args, RANDOM_ONLY, "is for random queries; leave it out, or leave --text out")
    if isinstance(args.actions, int):
        raise UserError('--actions with --text needs names, as in --actions "a, b", or leave it out')
    output = output_of(args)
    text = read_text(args.text).rstrip()
    given = None if args.actions is None else names_of(args.actions)
    names = named_or_found(text, given, timed=args.timed, more=args.new_actions)
    try:
        reading = read_query(text, make_actions(names), timed=args.timed)
    except ParseFailure as failure:
        hint = "" if given is None or args.new_actions else more_names_help(text, given, timed=args.timed)
        raise UserError(f"the text cannot be read: {in_a_line(failure.errors)}{hint}") from None
    if output is not None:
        save(session_of(reading), output)
    if given is None and not args.json:
        tell([Para(f"Actions found: {', '.join(names)}")])
    if output is not None and not args.json:
        say(f"Your query, in {args.output}")
    tell_query(args, reading, shown=output is None)


def _request(args: Namespace) -> Request:

    topics = load_topics(args.topics_file)
    if args.topic is not None:
        check_topic(args.topic, topics)
    chosen: dict[str, Any] = {
        name.replace("-", "_"): value
        for name in SHARES
        if (value := getattr(args, name.replace("-", "_"))) is not None
    }
    return Request(
        actions=5 if args.actions is None else args.actions,
        seed=_random_seed() if args.seed is None else args.seed,
        sentences=args.sentences,
        timed=args.timed,
        topic=args.topic,
        topics=topics if args.topics_file else None,
        valid_orders=args.valid_orders,
        list_length=args.list_length,
        repeats=args.repeats,
        **chosen,
    )


def _random_seed() -> int:
    import secrets

    return secrets.randbelow(1_000_000)


def _orders(text: str) -> tuple[int, int]:
    """Argument type: ``A..B``, or one number for both."""
    found = re.fullmatch(r"\s*([0-9]{1,19})\s*(?:\.\.\s*([0-9]{1,19})\s*)?", text)
    if found is None:
        raise ArgumentTypeError(f"{quoted(text)} is not a range; give A..B, as in 1..6")
    low, high = int(found[1]), int(found[2] or found[1])
    if not 1 <= low <= high <= LARGEST_NUMBER:
        raise ArgumentTypeError(f"{quoted(text)} is an empty range; give A..B with 1 <= A <= B")
    return low, high


def _document(made: Synthesized) -> QueryDocument:
    from planscope.documents.query import QueryDocument

    return QueryDocument.about(
        made.problem,
        topic=made.topic,
        seed=made.seed,
        valid_orders=made.valid_orders,
        certified=made.certified,
        redundant=list(made.redundant),
    )


def _query_blocks(made: Synthesized) -> Iterator[Block]:
    from planscope.report import query_blocks

    yield Para(made.text, keep=True)
    yield GAP
    yield from query_blocks(made.problem, made.valid_orders)
    yield Para(f"Seed {made.seed}, topic {made.topic or 'none'}")


TOPICS_ABOUT = (
    "List the topics of queries: jobs, and the activities of each job. With --model, a model writes new ones: the "
    "activities of the job TOPIC, or 50 jobs of its own. The result is a file for --file and for new --topics-file."
)


_TOPICS = (
    ("topic TOPIC?", "a job: list its activities"),
    ("--file FILE", "a file with topics of your own, added to the bundled ones", Path),
    ("--json", "print topics and activities as JSON"),
    ("--model M", "let this model write TOPIC, or 50 topics"),
    BASE_URL,
    ("-o FILE", "with --model: write the topics to this file"),
)


def _topics(args: Namespace) -> None:
    if args.model is not None:
        _write_topics(args)
        return
    leave_out(args, ("base_url",), "needs --model; add it, or leave --base-url out")
    topics = load_topics(args.file)
    if args.topic is not None:
        check_topic(args.topic, topics)
    if args.json:
        _print_topics({args.topic: topics[args.topic]} if args.topic is not None else topics)
    elif args.topic is not None:
        say_all(topics[args.topic])
    else:
        rows = [(job, f"{len(activities):>3} activities") for job, activities in topics.items()]
        tell([Table(rows, indent="")])


def _write_topics(args: Namespace) -> None:
    """Have a model write topics to the file or standard output. Say on standard error what was left out."""
    from planscope.agents.topic_writer import write_topics
    from planscope.commands.recording import options_of

    if args.file is not None:
        raise UserError(
            "--file adds topics to the list and does not go with --model; name the file to write with -o"
        )
    output = _topics_file(args.output) if args.output is not None else None
    progress = ProgressLine()

    def asked(done: int, total: int | None) -> None:
        progress.show("asking the model for jobs" if total is None else f"topics: {done} of {total}")

    try:
        written = write_topics(options_of(args), job=args.topic, on_progress=asked)
    finally:
        progress.clear()
    if output is not None or not args.json:
        write_or_print(written.toml, output)
    for line in (*(f"left out: {p}" for p in written.problems), *(f"note: {r}" for r in written.remarks)):
        sys.stderr.write(visible(line) + "\n")
    if args.json:
        _print_topics(written.topics)
    elif output is not None:
        say(f"{written.count} topic{'' if written.count == 1 else 's'} in {args.output}")


def _print_topics(topics: Mapping[str, Sequence[str]]) -> None:
    from planscope.documents.listings import TopicDocument, TopicsDocument

    found = [TopicDocument(job=job, activities=list(names)) for job, names in topics.items()]
    print_json(TopicsDocument(topics=found))


def _topics_file(name: str) -> Path:
    if name.endswith(".gz"):
        raise UserError(f"{name}: topics files are not packed; leave .gz out of the name")
    return output_file(name)


COMMANDS = {
    "new": Command(
        NEW_ABOUT, "planscope new --actions 5 --timed --valid-orders 1..4 --seed 3", _add_new, _new
    ),
    "topics": Command(TOPICS_ABOUT, "planscope topics chef", _TOPICS, _topics),
}
