"""``planscope topics``: jobs and their activities."""

from __future__ import annotations

import argparse
from pathlib import Path

from planscope.commands.common import output_file, print_json, say, say_all, write_or_print
from planscope.errors import UserError

ABOUT = (
    "List the topics of synthesized requests: jobs, and what somebody in a job may do in a day. With --model, "
    "have a model write the activities of a job of your choice, as a file for --file and --topics-file."
)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", metavar="TOPIC", nargs="?", help="show the activities of one job")
    parser.add_argument("--file", metavar="FILE", type=Path, help="a topics file of your own, added to ours")
    parser.add_argument("--json", action="store_true", help="print topics and activities as JSON")
    parser.add_argument("--model", metavar="M", help="have this model write the activities of TOPIC")
    parser.add_argument("--base-url", metavar="URL", help="a server that speaks the provider's protocol")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="with --model: where to write the topics file"
    )


def run(args: argparse.Namespace) -> int:
    from planscope.language.topics import json_document, load_topics
    from planscope.report import table

    if args.model is not None:
        return _write(args)
    if args.output is not None or args.base_url is not None:
        raise UserError("-o and --base-url belong to --model; --json prints the topics for other programs")
    topics = load_topics(args.file)
    if args.topic is not None:
        check_topic(args.topic, topics)
    if args.json:
        document = json_document(args.file)
        if args.topic is not None:
            document = {"topics": [t for t in document["topics"] if t["job"] == args.topic]}
        print_json(document)
    elif args.topic is not None:
        say_all(topics[args.topic])
    else:
        rows = [(job, f"{len(activities):>3} activities") for job, activities in topics.items()]
        say_all(table(rows, ""))
    return 0


def check_topic(topic: str, topics: dict[str, tuple[str, ...]]) -> None:
    """Raise UserError with the nearest names where there is no such topic."""
    if topic in topics:
        return
    from difflib import get_close_matches

    near = get_close_matches(topic[:100], topics, 3)
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    raise UserError(f"there is no topic {topic!r}{hint} (planscope topics lists them)")


def _write(args: argparse.Namespace) -> int:
    from planscope.agents.topic_writer import write_topics

    output = output_file(args.output) if args.output is not None else None
    written = write_topics(args.model, job=args.topic, base_url=args.base_url)
    if output is not None:
        for problem in written.problems:
            say(f"left out: {problem}")
    write_or_print(written.toml, output)
    if output is not None:
        say(f"{written.count} topic{'' if written.count == 1 else 's'} in {args.output}")
    return 0
