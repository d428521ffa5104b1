"""``planscope export``: writes a run or a whole session as a file to share."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError, Namespace
from contextlib import suppress
from typing import TYPE_CHECKING

from planscope.case import find_run
from planscope.commands import Command
from planscope.commands.common import (
    LARGEST_NUMBER,
    RUN_CHOICE,
    open_session,
    output_file,
    print_json,
    quoted,
    say,
    whole,
    write_or_print,
)
from planscope.errors import UserError
from planscope.safe import clip, visible

if TYPE_CHECKING:
    from planscope.session.model import Run, Session
    from planscope.sharing.redact import Redaction

ABOUT = (
    "Write a judged run: json (everything), smt2 (SMT-LIB 2, for any solver to confirm), text (for a mail), svg (a "
    "picture of the debugger), markdown (for an issue), html (a page that steps through the runs in a browser), pytest "
    "(a test that runs the query again); or session, the session itself. Keys, tokens, addresses, home directories, "
    "host names and secrets of the environment are replaced first, each by the same word everywhere; standard error "
    "lists what was replaced."
)
FORMATS = ("json", "smt2", "text", "svg", "markdown", "html", "pytest", "session")
SIZES = (range(20, 501), range(5, 301))
"""Columns and rows that a picture can have."""

_SHOWN = 60
"""The preview shows this many characters of a value."""

_PLACES = 3
"""The preview names this many places of a value."""


def _export(args: Namespace) -> None:
    args.format = args.format or _format_of(args.output or "")
    _check(args)
    output = output_file(args.output) if args.output not in (None, "-") else None
    from planscope.session.removal import without_removed

    session = without_removed(open_session(args.session))
    chosen = find_run(session, args.run)
    if args.only or _is_one_run(args):
        from planscope.sharing.formats import excerpt

        session = excerpt(session, chosen)
    redaction = None if args.no_redact else _redaction(args, session)
    if args.preview:
        assert redaction is not None
        if args.json:
            from planscope.documents.listings import PreviewDocument

            print_json(PreviewDocument.model_validate({"private": redaction.findings}))
        else:
            _list(redaction)
        return
    if args.format == "svg":
        text = _svg(args, session, chosen, redaction, output is None)
    else:
        from planscope.sharing.formats import share

        run_id = chosen.id if chosen is not None else None
        text = share(session, run_id, args.format, redaction=redaction)
    write_or_print(text, output)
    if redaction is not None:
        _tell(redaction)


def _check(args: Namespace) -> None:
    if args.format is None and not args.preview:
        if args.output not in (None, "-"):
            from planscope.sharing.formats import SUFFIXES

            forms = ", ".join(dict.fromkeys(SUFFIXES.values()))
            raise UserError(
                f"{args.output}: no form of a run ends so; the endings are {forms}, or give --format"
            )
        raise UserError("the following arguments are required: --format (see: planscope export --help)")
    if args.only and args.format not in (None, "html", "session"):
        raise UserError(f"--only is for html and session: {args.format} is of one run; leave it out")
    if args.format != "svg" and (args.step or args.size or args.theme):
        raise UserError("--step, --size and --theme need --format svg; add it, or leave them out")
    if args.no_redact and (args.preview or args.keep or args.replace):
        raise UserError(
            "--no-redact replaces nothing; leave --preview, --keep and --replace out, or --no-redact"
        )


def _is_one_run(args: Namespace) -> bool:
    """Return whether only the chosen run is searched: a preview, --keep and --replace number findings of the whole
    session."""
    from planscope.sharing.formats import FORMATS as FORMS

    asks = args.preview or args.keep or args.replace
    return args.format in FORMS and not FORMS[args.format].carries and not asks


def _format_of(name: str) -> str | None:
    """Return the format that a file name's suffix selects, or None if the suffix is unknown."""
    from planscope.sharing.formats import SUFFIXES

    fitting = [form for form, suffix in SUFFIXES.items() if name.removesuffix(".gz").endswith(suffix)]
    return max(fitting, key=lambda form: len(SUFFIXES[form]), default=None)


def _own_word(text: str) -> tuple[int, str]:
    """Argument type: the number of a finding and the word that replaces it."""
    number, sign, word = text.partition("=")
    if not sign or not number.isascii() or not number.isdigit() or int(number[:9]) > LARGEST_NUMBER:
        raise ArgumentTypeError(
            f"{quoted(text)} is not N=WORD, the number of a finding and a word, as in 3=ALICE"
        )
    return int(number[:9]), word


def _redaction(args: Namespace, session: Session) -> Redaction:
    """Return the findings, with the decisions of --keep and --replace."""
    from planscope.sharing.redact import look_through

    redaction = look_through(session)
    for number in args.keep or ():
        redaction = redaction.keep(number)
    for number, word in args.replace or ():
        redaction = redaction.replace_by(number, word)
    return redaction


def _list(redaction: Redaction) -> None:
    """Print each finding, its replacement and its places."""
    if not redaction.findings:
        say("Nothing private was found.")
        return
    for finding in redaction.findings:
        becomes = "stays" if finding.kept else f"becomes {finding.replacement}"
        say(f"{finding.number:>3}  {finding.label}: {clip(finding.text, _SHOWN)} {becomes}")
        places = [clip(str(place), 2 * _SHOWN) for place in finding.places]
        for place in places[:_PLACES]:
            say(f"     in {place}")
        if len(places) > _PLACES:
            say(f"     and in {len(places) - _PLACES} more places")
    say()
    say("--keep N does not replace a finding; --replace N=WORD replaces it by a word of your own.")


def _tell(redaction: Redaction) -> None:
    """Say on standard error what was replaced: one line for each kind, without the values."""
    if sys.stderr is None:
        return
    for label, count in redaction.counts.items():
        words = [f.replacement for f in redaction.replaced if f.label == label]
        more = f" and {count - _PLACES} more" if count > _PLACES else ""
        line = visible(f"replaced: {label} ({count}): {', '.join(words[:_PLACES])}{more}")
        with suppress(OSError):
            sys.stderr.write(f"{line}\n")


def _svg(
    args: Namespace, session: Session, chosen: Run | None, redaction: Redaction | None, printed: bool
) -> str:
    from planscope.tui.picture import shared_svg

    size = _size(args.size or "120x40")
    picture = shared_svg(session, chosen, redaction, size=size, theme=args.theme or "dark", step=args.step)
    if printed and (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        return picture.encode("ascii", "xmlcharrefreplace").decode()
    return picture


def _size(text: str) -> tuple[int, int]:
    parts = text.split("x")
    sizes = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) <= 3]
    if len(parts) != 2 or len(sizes) != 2 or sizes[0] not in SIZES[0] or sizes[1] not in SIZES[1]:
        raise UserError(
            f"--size needs columns and rows from 20x5 to 500x300, as in 120x40, not {quoted(text)}"
        )
    return sizes[0], sizes[1]


_EXPORT = (
    *RUN_CHOICE,
    ("--format F", f"one of: {', '.join(FORMATS)} (default: by the ending of the -o file)", FORMATS),
    ("-o FILE", "write to this file (default: standard output)"),
    ("--preview", "write nothing; list each value that would be replaced, and where it is"),
    ("--json", "with --preview: list as JSON"),
    ("--keep N...", "do not replace finding N of the preview; may be given more than once", whole(1)),
    ("--replace N=WORD...", "replace finding N by this word; may be given more than once", _own_word),
    ("--only", "html, session: include only this run, not the whole session"),
    ("--no-redact", "replace nothing: share everything as it is"),
    ("--step K", "svg: the step to show (default: the first violation)"),
    ("--size WxH", "svg: columns and rows (default 120x40)"),
    ("--theme NAME", "svg: the theme (planscope themes lists all)"),
)


COMMANDS = {"export": Command(ABOUT, "planscope export first-look -o first-look.html", _EXPORT, _export)}
