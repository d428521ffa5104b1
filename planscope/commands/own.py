"""Commands for users' own agents, with their own tools: debug, rerun."""

from __future__ import annotations

import secrets
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.case import need_run
from planscope.commands import Command
from planscope.commands.common import (
    OUTPUT,
    RUN,
    SESSION,
    has_terminal,
    open_session,
    output_file,
    read_text,
)
from planscope.commands.recording import Addition, prints_aside
from planscope.commands.run import check_breakpoints, run_one
from planscope.errors import UserError
from planscope.safe import visible
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.agents.gate import PendingCall, Question, Verb
    from planscope.agents.own_live import LoadedAgent, OwnRun
    from planscope.session.model import Run, Session, Variant

DEBUG_ABOUT = (
    "Run your own agent, with its own tools, live on the debug screen: pause before a tool is really called, edit "
    "arguments or answer, refuse, answer without calling, step, stop; then fork, compare, share. Each run is kept in "
    "a session of your library, or in FILE."
)
RERUN_ABOUT = (
    "Run your own agent again on recorded answers: its model is called, its tools are not. The next call must equal "
    "the next recorded one and gets its answer; calls of one message may come in any order. The new run is recorded. "
    "Exit status 2 if it stopped early."
)
AGENT_HELP = (
    "your agent: package.module:agent, a compiled graph, or a function of (middleware) that returns one"
)


_DEBUG = (
    ("agent AGENT", AGENT_HELP),
    (
        "message MESSAGE?",
        "what the agent is asked; a JSON object is the graph's whole input. Without it, r asks on screen",
    ),
    ("--rules FILE", "judge by the rules of this file"),
    (
        "--break B...",
        "pause at 'tool NAME', 'step 3' or error; may be given more than once (default: before every call)",
        {"dest": "breaks"},
    ),
    ("--stepping", "pause before every call, and not only where --break says"),
    ("--dry", "call no tool: you give each answer, or --answers has it"),
    ("--answers SESSION", "with --dry: take answers from a recorded run (its last, or --run)"),
    RUN,
    ("-o FILE", "keep the runs in this session, a new or an old one"),
)


def _debug(args: Namespace) -> int:
    if args.run and not args.answers:
        raise UserError("--run names a run of --answers SESSION; add that")
    if not has_terminal():
        raise UserError(
            "debug shows the run on the screen, which needs a terminal; planscope rerun works without one"
        )
    from planscope.agents.own_live import load_agent
    from planscope.session.store import load
    from planscope.tui.controllers.live_run import OwnChoice, RunChoice, RunRequest
    from planscope.tui.launch import run as run_app

    recorded = None
    if args.answers:
        recorded = need_run(open_session(args.answers), args.run)
    with prints_aside():
        agent = load_agent(args.agent)
        agent.make_once()
    log_beside_the_screen()
    path, variant = place_for(args, agent)
    check_breakpoints(args.breaks or (), load(path), variant)
    own = OwnChoice(args.message or "", args.dry, recorded)
    stepping = args.stepping or args.dry or not args.breaks
    choice = RunChoice(args.agent, "its own", stepping=stepping, own=own)
    return run_app(path, live=RunRequest(choice, variant.id, tuple(args.breaks or ())))


class _StandardError:
    """Writes to what is standard error now: Textual replaces it while the screen is drawn there."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def log_beside_the_screen() -> None:
    """Keep handlers of logs that the agent's module made from writing over the screen."""
    import logging

    loggers = [
        logging.root,
        *(x for x in logging.root.manager.loggerDict.values() if isinstance(x, logging.Logger)),
    ]
    for handler in {handler for logger in loggers for handler in logger.handlers}:
        if isinstance(handler, logging.StreamHandler) and handler.stream in (sys.__stderr__, sys.__stdout__):
            handler.setStream(_StandardError())


def place_for(args: Namespace, agent: LoadedAgent) -> tuple[Path, Variant]:
    """Return the session file for the agent's runs, which is made if it is missing, and the variant with its tools."""
    from planscope.agents.paradigms import short_name
    from planscope.session.locations import library_folder, make_folder
    from planscope.session.model import Session, next_variant_id, variant_of_tools
    from planscope.session.store import load, save

    path = library_folder() / f"{short_name(args.agent)}.planscope.json"
    if args.output is not None:
        path = output_file(args.output)
    else:
        make_folder(path.parent)
    rules = None if args.rules is None else read_text(args.rules)
    session = load(path) if path.exists() else None
    made = session is None
    if session is None:
        session = Session(id=f"s{secrets.token_hex(4)}", title=short_name(args.agent))
    actions = agent.actions()
    tools = [(a.tool, a.parameters) for a in actions]
    variant = next(
        (
            v
            for v in reversed(session.variants)
            if v.own and not v.query.text and [(a.tool, a.parameters) for a in v.actions] == tools
        ),
        None,
    )
    if variant is None:
        made = True
        variant = variant_of_tools(next_variant_id(session), actions)
        session.variants.append(variant)
    if rules is not None and rules != session.rules:
        made = True
        _set_rules(session, rules)
    if made:
        save(session, path)
    return path, variant


def _set_rules(session: Session, rules: str) -> None:
    from planscope.language.errors import ParseFailure, in_a_line
    from planscope.rules.in_session import set_rules

    try:
        set_rules(session, rules)
    except ParseFailure as failure:
        raise UserError(f"the rules cannot be read: {in_a_line(failure.errors)}") from None


_RERUN: tuple[Any, ...] = (
    SESSION,
    RUN,
    ("--agent A!", AGENT_HELP),
    ("--prompt FILE", "another system prompt; the agent must be a function"),
    ("--model M", "another model; the agent must be a function"),
    (
        "--unmatched",
        "at a call that the record does not answer: stop (default), ask you, or call the real tool",
        ("stop", "ask", "call"),
        "stop",
    ),
    ("--loose", "a call may equal any later recorded one, not only the next"),
    (
        "--ignore ARG...",
        "an argument that may differ, such as an id or a time; may be given more than once",
        None,
        [],
    ),
    OUTPUT,
    ("--json", "print the new run as JSON"),
)


def _rerun(args: Namespace) -> int:
    from planscope.session.model import variant_of
    from planscope.session.oracle_input import has_own_tools

    if args.unmatched == "ask" and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UserError("--unmatched ask needs a terminal; choose stop or call")
    place = Addition(args)
    run = need_run(place.session, args.run)
    variant = variant_of(place.session, run)
    if not has_own_tools(variant):
        raise UserError(
            f"run {run.id} is of mock tools, which do nothing; planscope run runs its query again"
        )
    return run_one(args, place, lambda: _rerun_of(args, place.session, run, variant))


def _rerun_of(args: Namespace, session: Session, run: Run, variant: Variant) -> OwnRun:
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
        run,
        unmatched=args.unmatched,
        loose=args.loose,
        ignore=args.ignore,
        ask=_asked_on_terminal,
        ask_person=_person_on_terminal if args.unmatched == "ask" else None,
    )
    return OwnRun(
        agent,
        first_input(run),
        variant=variant.id,
        run_id=next_run_id(session),
        gate=answers,
        person=answers.person,
        forked_from=ForkPoint(run=run.id, step=0),
        middleware=changed_agent(system, chat),
        note=f"run again on the answers of run {run.id}: tools that it answers are not called",
    )


def _asked_on_terminal(call: PendingCall, why: str) -> Verb:
    """Ask on the terminal what to do about a call that the record does not answer."""
    from planscope.agents.gate import Answer, GoOn, Stop

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


def _person_on_terminal(question: Question) -> Verb:
    """Ask on the terminal what an interrupted graph asks a person."""
    from planscope.agents.gate import Answer, EditArguments, GoOn, Refuse, Stop
    from planscope.debugger.typed_call import arguments_of

    keys = "your answer, a text or a JSON value; an empty line stops: "
    if question.tool is not None:
        words = {
            "approve": "y approves",
            "edit": "e {JSON} calls it with these arguments",
            "reject": "n REASON rejects",
            "respond": "a TEXT answers in its place",
        }
        keys = ", ".join([*(words[one] for one in question.allowed), "an empty line stops: "])
    while True:
        wrong = f"{visible(question.wrong, limit=300)}\n" if question.wrong else ""
        sys.stderr.write(f"{wrong}the agent asks: {visible(question.text, limit=1000)}\n{keys}")
        sys.stderr.flush()
        text = sys.stdin.readline().rstrip("\n")
        key, _, rest = text.partition(" ")
        if not text:
            return Stop()
        if question.tool is None:
            return Answer(text)
        if key == "e":
            try:
                return EditArguments(arguments_of(rest))
            except UserError as error:
                sys.stderr.write(f"{visible(str(error), limit=300)}\n")
        elif key in ("y", "n", "a"):
            return GoOn() if key == "y" else Refuse(rest) if key == "n" else Answer(rest)


COMMANDS = {
    "debug": Command(
        DEBUG_ABOUT,
        "planscope debug planscope.agents.shop:agent 'Refund order 7.'",
        _DEBUG,
        _debug,
    ),
    "rerun": Command(
        RERUN_ABOUT,
        "A=planscope.agents.shop;python -m $A;planscope rerun r.json --agent $A:agent",
        _RERUN,
        _rerun,
    ),
}
