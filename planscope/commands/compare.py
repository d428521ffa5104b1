"""``planscope compare``: two runs or requests side by side."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from planscope.case import listed
from planscope.commands.common import columns, open_session, output_file, quoted, write_or_print
from planscope.documents.json_text import json_text
from planscope.errors import UserError
from planscope.safe import visible

if TYPE_CHECKING:
    from planscope.compare.result import Comparison
    from planscope.session.model import Run, Session, Variant
    from planscope.sharing.redact import Redaction

ABOUT = (
    "Compare two runs: their requests by words, tree and constraints, their calls beside each other, the first step "
    "at which they part, and their verdicts. Or two requests, with their ids or --variants. By default the last two "
    "runs of the session that no dissection made, or the last one of SESSION and the last one of --other."
)
FORMATS = ("text", "markdown", "json")


def add(parser: argparse.ArgumentParser) -> None:
    _take_ids_anywhere(parser)
    parser.add_argument(
        "session",
        metavar="SESSION",
        help="a session file, a page or test that carries one, a session's name, or - (stdin)",
    )
    parser.add_argument(
        "ids",
        metavar="ID",
        nargs="*",
        help="two ids of runs or requests (variants), a and b; with one, it is compared with the last other run",
    )
    parser.add_argument("--other", metavar="SESSION", help="another session, which b is taken from")
    parser.add_argument(
        "--variants", action="store_true", help="compare requests: the ids are those of variants"
    )
    parser.add_argument("--all", action="store_true", help="text: list calls that are the same, too")
    parser.add_argument(
        "--redact",
        action=argparse.BooleanOptionalAction,
        help="replace what is private first (default: for markdown only, which is made for others)",
    )
    parser.add_argument(
        "--format", choices=FORMATS, metavar="F", help=f"one of: {', '.join(FORMATS)} (default text)"
    )
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("-o", dest="output", metavar="FILE", help="write to a file, not to standard output")


def _take_ids_anywhere(parser: argparse.ArgumentParser) -> None:
    """Let ids stand behind options, too: a parser takes none once an option stands behind the session."""
    plain = parser.parse_known_args

    def parse(
        args: Sequence[str] | None = None, namespace: None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        vars(parser)["parse_known_args"] = plain  # which is what it is made of
        try:
            return parser.parse_known_intermixed_args(args, namespace)
        finally:
            vars(parser)["parse_known_args"] = parse

    vars(parser)["parse_known_args"] = parse


def run(args: argparse.Namespace) -> int:
    from planscope.compare import compare

    if args.json and args.format not in (None, "json"):
        raise UserError(f"--json and --format {args.format} exclude each other; leave one out")
    if len(args.ids) > 2:
        raise UserError(f"two things are compared, and {len(args.ids)} ids are given; name at most two")
    output = output_file(args.output) if args.output not in (None, "-") else None
    session = open_session(args.session)
    other = open_session(args.other) if args.other is not None else session
    a, b = _both(session, other, args.ids, args.variants)
    format = "json" if args.json else args.format or "text"
    if not (format == "markdown" if args.redact is None else args.redact):
        write_or_print(_written(compare(session, a, other, b), format, args.all), output)
        return 0
    from planscope.sharing.redact import redacted_comparison

    safe = redacted_comparison(session, a, other, b)
    text = _written(safe.comparison, format, args.all)
    safe.check(text)
    write_or_print(text, output)
    _tell(safe.redactions)
    return 0


def _written(found: Comparison, format: str, everything: bool) -> str:
    if format == "json":
        from planscope.documents.comparison import ComparisonDocument

        return json_text(ComparisonDocument.about(found).as_data(), indent=2) + "\n"
    if format == "markdown":
        from planscope.sharing.comparison_markdown import comparison_markdown

        return comparison_markdown(found)
    from planscope.commands.compare_text import comparison_lines

    return "".join(f"{visible(line)}\n" for line in comparison_lines(found, columns(), everything))


def _both(
    session: Session, other: Session, ids: list[str], variants: bool
) -> tuple[Run | Variant, Run | Variant]:
    """What is compared. One id names a in its session, and b is the newest other thing of its kind."""
    if len(ids) == 2:
        return _named(session, ids[0], variants), _named(other, ids[1], variants)
    if len(ids) == 1:
        a = _named(session, ids[0], variants)
        return a, _last(other, variants or a in session.variants, a)
    if other is not session:
        return _last(session, variants, None), _last(other, variants, None)
    b = _last(session, variants, None)
    return _last(session, variants, b), b


def _named(session: Session, id: str, variants: bool) -> Run | Variant:
    runs = {} if variants else {run.id: run for run in session.runs}
    requests = {variant.id: variant for variant in session.variants}
    found = runs.get(id) or requests.get(id)
    if found is None:
        known = f"its variants: {listed(requests) or 'it has none'}"
        known = known if variants else f"its runs: {listed(runs) or 'it has none'}; {known}"
        what = "variant" if variants else "run or variant"
        raise UserError(f"session {visible(session.id, limit=40)} has no {what} {quoted(id)}; {known}")
    return found


def _last(session: Session, variants: bool, but: Run | Variant | None) -> Run | Variant:
    """The newest one that is not ``but``; one that a dissection made only where there is no other."""
    from planscope.session.model import own_runs, own_variants

    own: list[Run | Variant] = [*(own_variants(session) if variants else own_runs(session))]
    every: list[Run | Variant] = [*(session.variants if variants else session.runs)]
    for some in (own, every):
        found = [one for one in some if one is not but]
        if found:
            return found[-1]
    name, count = visible(session.id, limit=40), "only one" if every else "no"
    if variants:
        raise UserError(f"session {name} holds {count} request; name another session with --other")
    raise UserError(
        f"session {name} holds {count} run; record another one with planscope run, name another session with "
        "--other, or compare its requests with --variants"
    )


def _tell(redactions: Iterable[Redaction]) -> None:
    """How many values of each kind were replaced, on standard error."""
    counts = Counter(finding.label for redaction in redactions for finding in redaction.replaced)
    for label, count in counts.items():
        with suppress(OSError):
            sys.stderr.write(f"{visible(f'replaced: {label} ({count})')}\n")
