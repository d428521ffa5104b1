"""``planscope topics``: jobs and their activities."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from planscope.commands.common import check_topic, output_file, print_json, say, say_all, write_or_print
from planscope.commands.progress import ProgressLine
from planscope.errors import UserError
from planscope.safe import visible

ABOUT = (
    "List the topics of synthesized requests: jobs, and what somebody in a job may do in a day. With --model, "
    "have a model write the activities of a job of your choice, or of 50 jobs that it thinks of, as a file for "
    "--file and --topics-file."
)


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", metavar="TOPIC", nargs="?", help="show the activities of one job")
    parser.add_argument("--file", metavar="FILE", type=Path, help="a topics file of your own, added to ours")
    parser.add_argument("--json", action="store_true", help="print topics and activities as JSON")
    parser.add_argument("--model", metavar="M", help="have this model write TOPIC, or 50 topics")
    parser.add_argument("--base-url", metavar="URL", help="a server that speaks the provider's protocol")
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="with --model: where to write the topics file"
    )


def run(args: argparse.Namespace) -> int:
    from planscope.language.topics import load_topics
    from planscope.report import table

    if args.model is not None:
        return _write(args)
    if args.output is not None or args.base_url is not None:
        raise UserError("-o and --base-url belong to --model; --json prints the topics for other programs")
    topics = load_topics(args.file)
    if args.topic is not None:
        check_topic(args.topic, topics)
    if args.json:
        _print({args.topic: topics[args.topic]} if args.topic is not None else topics)
    elif args.topic is not None:
        say_all(topics[args.topic])
    else:
        rows = [(job, f"{len(activities):>3} activities") for job, activities in topics.items()]
        say_all(table(rows, ""))
    return 0


def _write(args: argparse.Namespace) -> int:
    """The topics go to standard output or into the file, what was left out of them to standard error."""
    from planscope.agents.topic_writer import write_topics

    if args.file is not None:
        raise UserError("--file is for listing topics; with --model, name the file to write with -o")
    output = _output(args.output) if args.output is not None else None
    progress = ProgressLine()

    def asked(done: int, total: int | None) -> None:
        progress.show("asking for jobs" if total is None else f"topics: {done} of {total}")

    try:
        written = write_topics(args.model, job=args.topic, base_url=args.base_url, on_progress=asked)
    finally:
        progress.clear()
    if output is not None or not args.json:
        write_or_print(written.toml, output)
    for line in (*(f"left out: {p}" for p in written.problems), *(f"note: {r}" for r in written.remarks)):
        sys.stderr.write(visible(line) + "\n")
    if args.json:
        _print(written.topics)
    elif output is not None:
        say(f"{written.count} topic{'' if written.count == 1 else 's'} in {args.output}")
    return 0


def _print(topics: Mapping[str, Sequence[str]]) -> None:
    from planscope.documents.listings import TopicDocument, TopicsDocument

    found = [TopicDocument(job=job, activities=list(names)) for job, names in topics.items()]
    print_json(TopicsDocument(topics=found).as_data())


def _output(name: str) -> Path:
    if name.endswith(".gz"):
        raise UserError(f"{name}: a topics file is read unpacked; leave .gz out of its name")
    return output_file(name)
