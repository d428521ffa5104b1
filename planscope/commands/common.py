"""What several commands need: sessions and runs by name, output that is safe to print, seeds and ranges."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.errors import UserError
from planscope.safe import visible

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay
    from planscope.session.model import Run, Session, Variant

LARGEST_TEXT = 1_000_000
"""Code points of a request that is read from a file or standard input."""


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document; everything that is not ASCII is escaped, so that nothing reaches the terminal raw."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def print_json_line(document: Mapping[str, Any]) -> None:
    """One JSON document on a line of its own."""
    sys.stdout.write(json.dumps(document) + "\n")


def say(text: str = "") -> None:
    """A line or more for a person; what could steer the terminal is made visible."""
    sys.stdout.write("\n".join(visible(line) for line in text.split("\n")) + "\n")


def write_or_print(text: str, output: str | None) -> None:
    """To a file where one is named, else to standard output."""
    if output is None or output == "-":
        sys.stdout.write(text)
        return
    from planscope.session.files import write_atomic

    write_atomic(Path(output), text.encode("utf-8", "replace"))


def read_text(source: str) -> str:
    """The text of a file, or of standard input for ``-``."""
    try:
        if source == "-":
            data = sys.stdin.buffer.read(4 * LARGEST_TEXT + 1)
        else:
            with Path(source).open("rb") as file:
                data = file.read(4 * LARGEST_TEXT + 1)
        text = data.decode("utf-8-sig")
    except IsADirectoryError:
        raise UserError(f"{source} is a directory; name a text file") from None
    except FileNotFoundError:
        raise UserError(f"there is no file {source}; use - to read from standard input") from None
    except PermissionError:
        raise UserError(f"{source} may not be read; change its permissions (chmod u+r)") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{source} is not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{source} cannot be read: {error}") from None
    if len(text) > LARGEST_TEXT:
        raise UserError(f"{source} is longer than {LARGEST_TEXT:,} characters; no request is that long")
    return text


def add_run_choice(parser: argparse.ArgumentParser) -> None:
    """Arguments that name a session and one of its runs."""
    parser.add_argument("session", metavar="SESSION", help="a session file, or the name of a bundled session")
    parser.add_argument("--run", metavar="ID", help="which run; the last one by default")


def open_session(name: str) -> Session:
    """The session of that path or bundled name."""
    from planscope.session.bundled import resolve
    from planscope.session.store import load

    return load(resolve(name))


def find_run(session: Session, run_id: str | None) -> Run | None:
    """The run of that id, the last one by default; None where there is none at all."""
    if run_id is None:
        return session.runs[-1] if session.runs else None
    for run in session.runs:
        if run.id == run_id:
            return run
    known = ", ".join(r.id for r in session.runs) or "it has none"
    raise UserError(f"the session has no run {run_id!r}; its runs: {known}")


def only_variant(session: Session) -> Variant:
    """The newest variant, for a session without runs."""
    if not session.variants:
        raise UserError("the session holds no query; make one with: planscope new -o FILE")
    return session.variants[-1]


def judged(session: Session, run: Run | None) -> Replay:
    """The run, or the bare query where there is none, judged."""
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace
    from planscope.session.derive import problem_of, trace_of, variant_of

    variant = variant_of(session, run) if run is not None else only_variant(session)
    trace = trace_of(run) if run is not None else Trace((), "running")
    return replay(problem_of(variant), trace)


def need_run(session: Session, run_id: str | None) -> Run:
    """As :func:`find_run`, but there must be one."""
    run = find_run(session, run_id)
    if run is None:
        raise UserError(
            "the session holds no run yet; make one with: planscope run SESSION --model sim:careful"
        )
    return run
