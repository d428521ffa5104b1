"""``planscope fuzz --fix``: shows new documentation, and writes it where the user says so."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.commands.common import complain, has_terminal, output_file, say
from planscope.errors import UserError
from planscope.safe import visible
from planscope.toolfuzz.rewriting import NotRewritten, Rewriting, Rewritten, rewritten

if TYPE_CHECKING:
    from planscope.session.model import FuzzFix
    from planscope.toolfuzz.report import Report


FIX = (
    ("--fix", "propose better documentation for the tools with findings"),
    ("--fix-write", "the same, and write it into your source without asking"),
    ("--fix-patch FILE", "the same, and write a patch instead"),
)
"""The options for changes of the documentation."""


def is_wanted(args: Namespace) -> bool:
    """Return whether documentation is to be mended. Raises UserError for options that exclude one another."""
    if args.fix_write and args.fix_patch:
        raise UserError("--fix-write changes your source, --fix-patch writes a patch; give one of them")
    if args.fix_patch:
        output_file(args.fix_patch)
    return bool(args.fix or args.fix_write or args.fix_patch)


def write_fixes(report: Report, args: Namespace) -> None:
    """Write the new documentation where the user said so: by an option, or by a yes in the terminal."""

    proposed = [one for one in report.fixes if one.after is not None]
    if args.fix_patch:
        _write_patch(report, proposed, Path(args.fix_patch))
        return
    for one in proposed:
        try:
            made = rewritten(*_place(report, one.tool), one.before, one.after or "")
            if args.fix_write or _says_yes(one.tool, made, args):
                made.write()
                one.written = made.path.as_posix()
                _tell(args, f"written: the documentation of {one.tool} in {visible(one.written)}")
        except NotRewritten as error:
            if args.fix_write:
                complain((f"{one.tool}: {error}",))


def _place(report: Report, tool: str) -> tuple[str, int]:
    """Return file and line of a tool's documentation; "" for a file that is not known."""
    place = report.tool(tool).place or {}
    line = place.get("line")
    return str(place.get("file") or ""), line if isinstance(line, int) else 1


def _says_yes(tool: str, made: Rewritten, args: Namespace) -> bool:
    if args.json or not (args.fix and has_terminal()):
        return False
    asked = f"Write the documentation of {visible(tool)} into {visible(made.path.as_posix())}? [y/N] "
    try:
        return input(asked).strip().lower() in ("y", "yes")
    except EOFError:
        say("")
        return False


def _write_patch(report: Report, proposed: Sequence[FuzzFix], path: Path) -> None:
    """Write one patch. Tools of one file are changed together, so that the patch applies."""
    from planscope.session.files import write_atomic

    change = Rewriting()
    for one in proposed:
        try:
            change.add(*_place(report, one.tool), one.before, one.after or "")
        except NotRewritten as error:
            complain((f"{one.tool}: {error}",))
    try:
        write_atomic(path, change.patch.encode())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from None


def _tell(args: Namespace, text: str) -> None:
    if not args.json:
        say(text)
