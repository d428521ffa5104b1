"""Commands that open the debugger: open (and plain ``planscope [FILE]``), serve, walk."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.commands import Command
from planscope.commands.common import (
    BEGINNING,
    RUN,
    STANDARD_INPUT,
    has_terminal,
    open_session,
    say,
    say_all,
    session_path,
    whole,
)
from planscope.errors import UserError
from planscope.session.locations import DEFAULT, bundled, in_library, is_bundled, name_of
from planscope.signals import status_of

if TYPE_CHECKING:
    from planscope.session.model import Session

OPEN_ABOUT = (
    "Open the debugger on a session. Without FILE: where you left off; the first time on first-look, a bundled session "
    "with a run that fails."
)


_OPEN = (
    (
        "file FILE?",
        "a session: its name, its file, an exported page or test; or a trace or a folder of traces, which are "
        "imported; - is standard input",
    ),
    ("--rules RULES", "judge the trace by the rules of this file, which become its session's own"),
    *BEGINNING,
)


def _open(args: Namespace) -> int:
    run, step = args.run, args.step
    if args.file == "-":
        return _from_standard_input(args)
    trace, line = None, ""
    if args.file is None:
        name, path, run, step = where_left(run, step)
    else:
        name, trace = args.file, _trace(args.file)
    rules = _rules(args.rules, name, is_trace=trace is not None)
    if trace is not None and not has_terminal():
        raise UserError(
            f"the debugger needs a terminal; {name} is a trace: planscope import {name} makes a session of it, and "
            f"planscope check {name} --rules RULES judges it"
        )
    if trace is not None:
        from planscope.traces.importing import opened

        path, line = opened(trace, rules)
        line += _by_rules(args)
    elif args.file is not None:
        path = session_path(name)
    if not has_terminal():
        raise UserError(
            f"the debugger needs a terminal; without one, use planscope check {name}, planscope replay {name} or "
            f"planscope export {name} --format text"
        )
    from planscope.tui.launch import run as run_app

    return run_app(path, run=run, step=step, theme=args.theme, notice=line)


def _rules(name: str | None, file: str, *, is_trace: bool) -> Callable[[Session], None] | None:
    """Return what gives a session the rules of a file as its own, and opens it at the first run that violates one.

    Raises UserError if there is no trace to be judged.
    """
    if name is None:
        return None
    if not is_trace:
        raise UserError(
            f"--rules is for a trace, and {file} is a session: planscope rules add {file} {name} gives it rules"
        )
    from planscope.commands.check_rules import read_rule_file
    from planscope.commands.common import read_text
    from planscope.rules.in_session import problem_in, set_rules
    from planscope.rules.names import tools_of_session
    from planscope.session.run_list import outcomes_of_runs

    text = read_text(name)

    def give(session: Session) -> None:
        set_rules(session, read_rule_file(name, tools_of_session(session), text).text)
        outcomes = outcomes_of_runs(session, session.runs, problem_in)
        wrong = (run.id for run, one in zip(session.runs, outcomes, strict=True) if one.verdict == "wrong")
        if (id := next(wrong, None)) is not None:
            session.cursor = {"run": id}

    return give


def _by_rules(args: Namespace) -> str:
    return "" if args.rules is None else f"; judged by the rules of {Path(args.rules).name}"


def _trace(name: str) -> Path | None:
    """Return the file or folder of that name if it has traces of another program, or None."""
    from planscope.session.files import names_itself

    path = Path(name)
    if not os.path.lexists(name) or names_itself(path):  # sessions open without the readers of traces
        return None
    if path.is_dir() and (name in bundled() or in_library(name) is not None):
        return None
    from planscope.traces.importing import trace_at

    return trace_at(path)


def where_left(run: str | None = None, step: str | None = None) -> tuple[str, Path, str | None, str | None]:
    """Return the session that was open last: name, file, run, step. The first time, the bundled one with a failing run.

    A bundled session keeps no cursor of its own, so run and step are returned; those given go first.
    """
    from planscope.session.recent import recent

    left = next(iter(recent()), None)
    if left is None:
        return DEFAULT, session_path(DEFAULT), run, step
    if is_bundled(left.path) and run is None and left.run:
        from planscope.tui.opening.summary import summary_of

        if left.run in summary_of(left.path).run_ids:
            run, step = left.run, step or left.step or None
    own = name_of(left.path) if is_bundled(left.path) else str(left.path)
    return own, left.path, run, step


def _from_standard_input(args: Namespace) -> int:
    """Open the session or trace that standard input carries, then read keys from the terminal itself."""
    from planscope.session.containers import read_stream, session_json, temporary_file
    from planscope.session.store import loads
    from planscope.traces.importing import is_trace, opened
    from planscope.traces.source import standard_input

    source = standard_input()
    trace, data = is_trace(source), b""
    rules = _rules(args.rules, STANDARD_INPUT, is_trace=trace)
    if not trace:
        data = session_json(read_stream(source.raw(), STANDARD_INPUT), STANDARD_INPUT)
        loads(data, STANDARD_INPUT)  # an error is raised here, before the screen opens
    if sys.stdout is None or not sys.stdout.isatty():
        raise UserError(
            "the debugger needs a terminal; without one, use planscope check - or planscope replay -"
        )
    path, line = opened(source, rules) if trace else (None, "")
    line += _by_rules(args)
    try:
        keys = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise UserError(
            "the debugger needs a terminal to read keys from; save the input to a file and open that"
        ) from None
    os.dup2(keys, 0)
    os.close(keys)
    from planscope.tui.launch import run as run_app

    with nullcontext(path) if path is not None else temporary_file(data) as file:
        return run_app(file, run=args.run, step=args.step, theme=args.theme, notice=line)


SERVE_ABOUT = (
    "Open the debugger in a browser on this machine. It prints the address; Ctrl-C ends it. Other machines cannot "
    "reach it; every program and every user of this machine can. Each page has its own process. Needs the package "
    "textual-serve: pip install '.[serve]'."
)
PORT = 8000


_SERVE = (
    ("session SESSION?", "a session: its name or its file (default: first-look)"),
    *BEGINNING,
    ("--port N", f"the port; 0 takes a free one (default {PORT})", whole(0, 65535), PORT),
)


def _serve(args: Namespace) -> int:
    from importlib.util import find_spec

    from planscope.session.store import load

    name = DEFAULT if args.session is None else args.session
    path = session_path(name)
    if find_spec("textual_serve") is None:
        raise UserError(
            "planscope serve needs the package textual-serve; install it with: pip install '.[serve]'"
        )
    session = load(path)  # an error is raised here, before a page is served
    _check_beginning(path, args)
    from planscope.tui.web.server import command_line, serve

    def ready(address: str) -> None:
        say(f"planscope is at {address} (Ctrl-C ends it)")
        sys.stdout.flush()

    command = command_line(path, run=args.run, step=args.step, theme=args.theme)
    return status_of(serve(command, session.title or path.name, args.port, ready))


def _check_beginning(path: Path, args: Namespace) -> None:
    """Raise UserError if the run, step or theme does not exist, before a page is served."""
    from planscope.tui.app import check_run, check_step
    from planscope.tui.opening.summary import summary_of
    from planscope.tui.style.themes import load_themes, need_theme

    check_run(summary_of(path).run_ids, args.run)
    if args.step is not None:
        check_step(path, args.run, args.step)
    if args.theme is not None:
        need_theme(args.theme, [theme.name for theme in load_themes()[0]])


WALK_ABOUT = (
    "Walk through a run line by line, in plain sentences, with the same letters as the debugger's keys. For screen "
    "readers and for scripts. Reads commands from standard input until q or the end of input; ? lists them."
)
PROMPT = "planscope> "


_WALK = (
    ("session SESSION", "a session: its name, its file, or an exported page or test"),
    RUN,
)


def _walk(args: Namespace) -> None:
    from planscope.case import find_run, read_variant, variant_shown
    from planscope.session.model import variant_of
    from planscope.walk.walker import Walker

    session = open_session(args.session)
    chosen = find_run(session, args.run)
    # an error is raised here if the query cannot be read
    read_variant(variant_of(session, chosen) if chosen is not None else variant_shown(session))
    walker = Walker(session, args.run)
    person = sys.stdin is not None and sys.stdin.isatty()
    if person:
        with suppress(ImportError):
            import readline  # noqa: F401  (importing it gives the prompt arrow keys and history)
    say_all(walker.greeting())
    while not walker.ended:
        try:
            line = input(PROMPT) if person else _line()
        except EOFError:
            break
        say_all(walker.do(line))


def _line() -> str:
    line = sys.stdin.readline(10_000) if sys.stdin is not None else ""
    if not line:
        raise EOFError
    return line


COMMANDS = {
    "open": Command(OPEN_ABOUT, "planscope open first-look --step end", _OPEN, _open),
    "walk": Command(WALK_ABOUT, r"printf 'f\nx\nq\n' | planscope walk first-look", _WALK, _walk),
    "serve": Command(SERVE_ABOUT, "planscope serve first-look", _SERVE, _serve),
}
