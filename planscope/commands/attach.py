"""``planscope attach``: debug an agent that runs in another process and records with ``record(..., attach=True)``."""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.commands import Command
from planscope.commands.common import columns, print_json, say_all
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.agents.attach.client import Found
    from planscope.documents.listings import AttachedDocument

ABOUT = (
    "Debug an agent while it runs in another process: it records with record(..., attach=True), or has "
    "PLANSCOPE_ATTACH=1 in its environment. Without ID, list the agents. With ID, open one on the debug screen: it "
    "pauses before its next tool call. When you leave, or planscope is killed, the agent goes on. One debugger "
    "decides, others watch. Linux and macOS, same user only."
)


def _add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", nargs="?", help="an agent: its number in the list")
    parser.add_argument(
        "--break",
        dest="breaks",
        action="append",
        metavar="B",
        help="pause at 'tool NAME', 'step 3' or error; may be given more than once (default: before every call)",
    )
    parser.add_argument("--stepping", action="store_true", help="with --break: pause before every call, too")
    parser.add_argument("--watch", action="store_true", help="only watch: no call waits for you")
    parser.add_argument("--json", action="store_true", help="without ID: print the list as JSON")


def _attach(args: argparse.Namespace) -> int:
    if args.id is None:
        if args.breaks or args.stepping or args.watch:
            raise UserError(
                "--break, --stepping and --watch need the ID of an agent; planscope attach lists them"
            )
        return _list(args.json)
    if args.json:
        raise UserError("--json prints the list of agents, without ID")
    if args.watch and (args.breaks or args.stepping):
        raise UserError("--watch pauses nowhere; leave out --break and --stepping")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("attach shows the agent on the screen, which needs a terminal")
    from planscope.agents.attach.client import attachable
    from planscope.commands.run import check_breakpoints
    from planscope.session.store import load
    from planscope.tui.controllers.live_run import RunChoice, RunRequest
    from planscope.tui.launch import run as run_app

    agent = attachable(args.id, "watch" if args.watch else "debug")
    path = Path(agent.welcome.path)
    _make_session(path, agent.welcome.title)
    session = load(path)
    if args.breaks and session.variants[-1].actions:  # else its tools are not known yet
        check_breakpoints(args.breaks, session, session.variants[-1])
    stepping = args.stepping or not args.breaks
    choice = RunChoice(agent.welcome.title, "its own", stepping=stepping, attached=agent)
    return run_app(path, live=RunRequest(choice, "", tuple(args.breaks or ())))


def _make_session(path: Path, title: str) -> None:
    """Make the session of an agent that has not begun its first run. Raises UserError."""
    from planscope.session.locations import recorded
    from planscope.session.model import Session, variant_of_tools
    from planscope.session.store import save

    if path.exists() or recorded(path):
        return
    save(Session(id=f"s{secrets.token_hex(4)}", title=title, variants=[variant_of_tools("v1", [])]), path)


def _list(as_json: bool) -> int:
    from planscope.agents.attach.client import found
    from planscope.agents.attach.place import socket_folder

    agents = found()
    if as_json:
        from planscope.documents.listings import AttachDocument

        print_json(AttachDocument(folder=str(socket_folder()), agents=[_document(one) for one in agents]))
    else:
        say_all(_lines(agents, socket_folder()))
    return 0


def _document(one: Found) -> AttachedDocument:
    from planscope.documents.listings import AttachedDocument

    welcome = one.welcome
    return AttachedDocument(
        id=one.id,
        pid=welcome.pid if welcome is not None else None,
        title=welcome.title if welcome is not None else None,
        session=welcome.path if welcome is not None else None,
        runs=sum(run.open for run in welcome.runs) if welcome is not None else 0,
        debugged=welcome is not None and welcome.busy,
        trouble=one.trouble or None,
    )


def _lines(agents: list[Found], folder: Path) -> Iterator[str]:
    from planscope.show.text import sentence, table
    from planscope.wording import phrases

    if not agents:
        yield from sentence(
            "No agent can be attached to. An agent can while it runs with record(..., attach=True), or with "
            f"PLANSCOPE_ATTACH=1 in its environment; its socket is then in {folder}.",
            columns(),
        )
        return
    rows = []
    for one in agents:
        if one.welcome is None:
            rows.append((one.id, "", one.trouble, ""))
            continue
        runs = sum(run.open for run in one.welcome.runs)
        doing = f"{phrases.plural(runs, 'run')} under way" if runs else "no run under way"
        rows.append(
            (one.id, one.welcome.title, doing + (", debugged" if one.welcome.busy else ""), one.welcome.path)
        )
    yield from table(rows, "")
    yield ""
    yield f"planscope attach {agents[0].id} opens {'it' if len(agents) == 1 else 'the first'}."


COMMANDS = {"attach": Command(ABOUT, "planscope attach", _add, _attach)}
