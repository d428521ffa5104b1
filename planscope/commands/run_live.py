"""``planscope run --live``: the run on the debug screen, call by call."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.commands.recording import limits_of
from planscope.debugger.errors import DebuggerError
from planscope.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from planscope.session.model import Variant


def run_live(args: argparse.Namespace, path: Path, variant: Variant) -> int:
    """Open the debugger on the session and begin the run there. Raises UserError for what cannot be run."""
    for name, given in (("--times", args.times), ("--json", args.json or None), ("-o", args.output)):
        if given is not None:
            raise UserError(f"--live shows one run on the screen, where it can be saved; leave {name} out")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("--live needs a terminal; leave it out to have the run recorded without one")
    from planscope.agents.models import check_model, parse_model
    from planscope.agents.paradigms import load_factory
    from planscope.tui.launch import run as run_app

    check_model(parse_model(args.model, seed=args.seed), base_url=args.base_url)
    load_factory(args.agent)
    _check_breakpoints(args.breaks or (), variant)
    live = {
        "variant": variant.id,
        "agent": args.agent,
        "model": args.model,
        "seed": args.seed,
        "base_url": args.base_url,
        "guard": args.guard,
        "stepping": args.stepping,
        "role": args.role,
        "prompts": args.prompts,
        "tracing": args.tracing,
        "limits": limits_of(args, variant),
        "breakpoints": tuple(args.breaks or ()),
    }
    return run_app(path, live=live)


def _check_breakpoints(texts: Iterable[str], variant: Variant) -> None:
    """Raise UserError for a breakpoint that makes no sense in a run of the variant."""
    from planscope.debugger.breakpoints import parse_breakpoint
    from planscope.debugger.run_index import RunIndex
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace
    from planscope.session.oracle_input import problem_of

    run = RunIndex(replay(problem_of(variant), Trace(ending="running")))
    for text in texts:
        try:
            parse_breakpoint(text, run)
        except DebuggerError as error:
            raise UserError(f"--break: {error}") from None
