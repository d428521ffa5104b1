"""``planscope compare``: shows two runs or queries side by side."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from planscope.case import listed
from planscope.commands import Command
from planscope.commands.common import columns, declare, open_session, output_file, quoted, write_or_print
from planscope.errors import UserError
from planscope.json_text import json_text
from planscope.safe import visible
from planscope.session.run_names import run_named

if TYPE_CHECKING:
    from planscope.compare.result import Comparison
    from planscope.session.model import Run, Session, Variant
    from planscope.sharing.redact import Redaction

ABOUT = (
    "Compare two runs: their queries by words, tree and constraints, their calls side by side, the first difference, "
    "and their verdicts. Or compare two queries, by their ids or with --variants. By default: the last two runs of the "
    "session (dissections aside), or the last runs of SESSION and of --other."
)
FORMATS = ("text", "json")


def _add_compare(parser: ArgumentParser) -> None:
    _take_ids_anywhere(parser)
    declare(
        parser,
        ("session SESSION", "a session: its name, its file, an exported page or test, or - (standard input)"),
        (
            "ids ID*",
            "ids of two runs or two queries (variants), a and b; one id alone is compared with the newest other one",
        ),
        ("--other SESSION", "take b from this session"),
        ("--variants", "compare queries: the ids name variants"),
        ("--all", "text: list all calls, also those that are the same"),
        (
            "--redact",
            "replace private values first (default: no)",
            {"action": BooleanOptionalAction},
        ),
        ("--format F", f"one of: {', '.join(FORMATS)} (default text)", FORMATS),
        ("--json", "the same as --format json"),
        ("-o FILE", "write to this file (default: standard output)"),
    )


def _take_ids_anywhere(parser: ArgumentParser) -> None:
    """Accept ids after options, which argparse does not do if an option follows the session."""
    plain = parser.parse_known_args

    def parse(args: Sequence[str] | None = None, namespace: None = None) -> tuple[Namespace, list[str]]:
        # parse_known_intermixed_args would call itself through this attribute
        vars(parser)["parse_known_args"] = plain
        try:
            return parser.parse_known_intermixed_args(args, namespace)
        finally:
            vars(parser)["parse_known_args"] = parse

    vars(parser)["parse_known_args"] = parse


def _compare(args: Namespace) -> None:
    from planscope.compare import compare

    if args.json and args.format not in (None, "json"):
        raise UserError(f"--json and --format {args.format} contradict each other; leave one out")
    if args.all and (args.json or args.format == "json"):
        raise UserError("JSON has all calls; leave --all out")
    if len(args.ids) > 2:
        raise UserError(f"{len(args.ids)} ids are too many; name at most two")
    output = output_file(args.output) if args.output not in (None, "-") else None
    session = open_session(args.session)
    other = open_session(args.other) if args.other is not None else session
    a, b = _both(session, other, args.ids, args.variants)
    form = "json" if args.json else args.format or "text"
    if not args.redact:
        write_or_print(_written(compare(session, a, other, b), form, args.all), output)
        return
    from planscope.sharing.redact import redacted_comparison

    safe = redacted_comparison(session, a, other, b)
    text = _written(safe.comparison, form, args.all)
    safe.check(text)
    write_or_print(text, output)
    _tell_replaced(safe.redactions)


def _written(found: Comparison, form: str, everything: bool) -> str:
    if form == "json":
        from planscope.documents.comparison import ComparisonDocument

        return json_text(ComparisonDocument.about(found).as_data(), indent=2) + "\n"
    from planscope.show.text import lines
    from planscope.views.comparison import comparison_blocks

    width = columns()
    return "\n".join([*lines(comparison_blocks(found, width, everything), width), ""])


def _both(
    session: Session, other: Session, ids: list[str], variants: bool
) -> tuple[Run | Variant, Run | Variant]:
    """Return the two runs or queries to compare. If only a is named, b is the newest other one of its kind."""
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
    found = runs.get(run_named(runs, id) or "") or requests.get(id)
    if found is None:
        known = f"its variants: {listed(requests) or 'it has none'}"
        known = known if variants else f"its runs: {listed(runs) or 'it has none'}; {known}"
        what = "variant" if variants else "run or variant"
        raise UserError(f"session {visible(session.id, limit=40)} has no {what} {quoted(id)}; {known}")
    return found


def _last(session: Session, variants: bool, but: Run | Variant | None) -> Run | Variant:
    """Return the newest one except ``but``; one made by a dissection only if there is no other."""
    from planscope.session.model import own_runs, own_variants

    own: list[Run | Variant] = [*(own_variants(session) if variants else own_runs(session))]
    every: list[Run | Variant] = [*(session.variants if variants else session.runs)]
    for some in (own, every):
        found = [one for one in some if one is not but]
        if found:
            return found[-1]
    name, count = visible(session.id, limit=40), "only one" if every else "no"
    if variants:
        raise UserError(f"session {name} has {count} query; name another session with --other")
    raise UserError(
        f"session {name} has {count} run; record another one with planscope run, name another session with --other, "
        "or compare its queries with --variants"
    )


def _tell_replaced(redactions: Iterable[Redaction]) -> None:
    """Say on standard error how many values of each kind were replaced."""
    counts = Counter(finding.label for redaction in redactions for finding in redaction.replaced)
    for label, count in counts.items():
        with suppress(OSError):
            sys.stderr.write(f"{visible(f'replaced: {label} ({count})')}\n")


COMMANDS = {"compare": Command(ABOUT, "planscope compare first-look r1 r2", _add_compare, _compare)}
