"""``planscope topics``: jobs and their activities."""

from __future__ import annotations

import argparse
from pathlib import Path

from planscope.commands.common import print_json, say
from planscope.errors import UserError

HELP = "list the topics (jobs) and their activities, or write new ones with a model"


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", metavar="TOPIC", nargs="?", help="show the activities of one topic")
    parser.add_argument("--file", metavar="FILE", type=Path, help="a topics file of your own, added to ours")
    parser.add_argument("--json", action="store_true", help="print topics and activities as JSON")
    parser.add_argument("--model", metavar="M", help="have this model write the activities of TOPIC (see -o)")
    parser.add_argument("--base-url", metavar="URL", help="a server that speaks the provider's protocol")
    parser.add_argument("-o", dest="output", metavar="FILE", help="where --model writes its topics file")


def run(args: argparse.Namespace) -> int:
    from planscope.language.topics import json_document, load_topics

    if args.model:
        return _write(args)
    topics = load_topics(args.file)
    if args.topic is not None and args.topic not in topics:
        import difflib

        near = difflib.get_close_matches(args.topic, topics, 3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise UserError(f"there is no topic {args.topic!r}{hint} (planscope topics lists them)")
    if args.json:
        document = json_document(args.file)
        if args.topic is not None:
            document = {"topics": [t for t in document["topics"] if t["job"] == args.topic]}
        print_json(document)
    elif args.topic is not None:
        for activity in topics[args.topic]:
            say(activity)
    else:
        for job, activities in topics.items():
            say(f"{job}  ({len(activities)})")
    return 0


def _write(args: argparse.Namespace) -> int:
    from planscope.agents.topic_writer import write_topics
    from planscope.commands.common import write_or_print

    written = write_topics(args.model, job=args.topic, base_url=args.base_url)
    for problem in written.problems:
        say(f"left out: {problem}") if args.output else None
    write_or_print(written.toml, args.output)
    if args.output:
        say(f"{written.count} topic{'' if written.count == 1 else 's'} in {args.output}")
    return 0
