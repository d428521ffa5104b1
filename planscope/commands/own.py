"""Commands for users' own agents, with their own tools: rerun."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from planscope.case import need_run
from planscope.commands import Command
from planscope.commands.common import add_run, read_text, session_path
from planscope.commands.recording import opened_to_add, target_of
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.agents.gate import PendingCall, Verb
    from planscope.agents.own_live import OwnRun
    from planscope.session.model import Run, Session, Variant

RERUN_ABOUT = (
    "Run your own agent again on recorded answers: its model is called, its tools are not. The next call must equal "
    "the next recorded one and gets its answer; calls of one message may come in any order. The new run is recorded. "
    "Exit status 2 if it stopped early."
)
AGENT_HELP = (
    "your agent: package.module:agent, a compiled graph, or a function of (middleware) that returns one"
)


def _add_rerun(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="a session: its name or its file")
    add_run(parser)
    parser.add_argument("--agent", required=True, metavar="A", help=AGENT_HELP)
    parser.add_argument(
        "--prompt", metavar="FILE", help="another system prompt; the agent must be a function"
    )
    parser.add_argument("--model", metavar="M", help="another model; the agent must be a function")
    parser.add_argument(
        "--unmatched",
        choices=("stop", "ask", "call"),
        default="stop",
        help="at a call that the record does not answer: stop (default), ask you, or call the real tool",
    )
    parser.add_argument(
        "--loose", action="store_true", help="a call may equal any later recorded one, not only the next"
    )
    parser.add_argument(
        "--ignore",
        metavar="ARG",
        action="append",
        default=[],
        help="an argument that may differ, such as an id or a time; may be given more than once",
    )
    parser.add_argument(
        "-o", dest="output", metavar="FILE", help="write to this file (default: SESSION itself)"
    )
    parser.add_argument("--json", action="store_true", help="print the new run as JSON")


def _rerun(args: argparse.Namespace) -> int:
    from planscope.commands.run import run_one
    from planscope.session.model import variant_of
    from planscope.session.oracle_input import has_own_tools

    if args.unmatched == "ask" and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UserError("--unmatched ask needs a terminal; choose stop or call")
    source = session_path(args.session)
    target = target_of(args, source)
    session, read = opened_to_add(args.session)
    run = need_run(session, args.run)
    variant = variant_of(session, run)
    if not has_own_tools(variant):
        raise UserError(
            f"run {run.id} is of mock tools, which do nothing; planscope run runs its query again"
        )
    return run_one(args, session, source, target, read, lambda: _rerun_of(args, session, run, variant))


def _rerun_of(args: argparse.Namespace, session: Session, run: Run, variant: Variant) -> OwnRun:
    from planscope.agents.own_live import OwnRun, load_agent
    from planscope.agents.reruns import RecordedAnswers, changed_agent, first_input
    from planscope.session.model import ForkPoint, next_run_id

    agent = load_agent(args.agent)
    if (args.prompt is not None or args.model is not None) and not agent.takes_middleware:
        raise UserError(
            "--prompt and --model need an agent that is a function of (middleware) and passes it on to create_agent"
        )
    system = None if args.prompt is None else read_text(args.prompt).rstrip("\n")
    chat = None
    if args.model is not None:
        from planscope.agents.models import load_model

        chat = load_model(args.model).chat
    answers = RecordedAnswers(
        run, unmatched=args.unmatched, loose=args.loose, ignore=args.ignore, ask=_asked_on_terminal
    )
    return OwnRun(
        agent,
        first_input(run),
        variant=variant.id,
        run_id=next_run_id(session),
        gate=answers,
        forked_from=ForkPoint(run=run.id, step=0),
        middleware=changed_agent(system, chat),
        note=f"run again on the answers of run {run.id}: tools that it answers are not called",
    )


def _asked_on_terminal(call: PendingCall, why: str) -> Verb:
    """Ask on the terminal what to do about a call that the record does not answer."""
    from planscope.agents.gate import Answer, GoOn, Stop
    from planscope.safe import visible
    from planscope.wording import phrases

    said = phrases.call(call.tool, call.arguments, named=True)
    sys.stderr.write(
        f"step {call.step}, {said}: {visible(why, limit=300)}\n"
        "c calls the tool, s stops, anything else is the answer: "
    )
    sys.stderr.flush()
    line = sys.stdin.readline()
    text = line.rstrip("\n")
    if not line or text == "s":
        return Stop()
    return GoOn() if text == "c" else Answer(text)


COMMANDS = {
    "rerun": Command(
        RERUN_ABOUT,
        "A=planscope.agents.shop;python -m $A;planscope rerun r.json --agent $A:agent",
        _add_rerun,
        _rerun,
    ),
}
