"""``planscope attach``: debug an agent that runs in another process and records with ``record(..., attach=True)``."""

from __future__ import annotations

import secrets
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planscope.commands import Command
from planscope.commands.common import answer, has_terminal
from planscope.errors import UserError
from planscope.show.blocks import GAP, Block, Para, Table

if TYPE_CHECKING:
    from planscope.documents.listings import AttachDocument

ABOUT = (
    "Debug an agent while it runs in another process: it records with record(..., attach=True), or has "
    "PLANSCOPE_ATTACH=1 in its environment. Without ID, list the agents. With ID, open one on the debug screen: it "
    "pauses before its next tool call. When you leave, or planscope is killed, the agent goes on. One debugger "
    "decides, others watch. Linux and macOS, same user only."
)


_OPTIONS = (
    ("id ID?", "an agent: its number in the list"),
    (
        "--break B...",
        "pause at 'tool NAME', 'step 3' or error; may be given more than once (default: before every call)",
        {"dest": "breaks"},
    ),
    ("--stepping", "pause before every call, and not only where --break says"),
    ("--watch", "only watch: no call waits for you"),
    ("--json", "without ID: print the list as JSON"),
)


def _attach(args: Namespace) -> int:
    if args.id is None:
        if args.breaks or args.stepping or args.watch:
            raise UserError(
                "--break, --stepping and --watch need the ID of an agent; planscope attach lists them"
            )
        return _list(args)
    if args.json:
        raise UserError("--json prints the list of agents, without ID")
    if args.watch and (args.breaks or args.stepping):
        raise UserError("--watch pauses nowhere; leave out --break and --stepping")
    if not has_terminal():
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


def _list(args: Namespace) -> int:
    from planscope.agents.attach.client import found
    from planscope.agents.attach.place import socket_folder
    from planscope.documents.listings import AttachDocument, AttachedDocument

    agents = []
    for one in found():
        told: dict[str, Any] = {"pid": None, "title": None, "session": None, "runs": 0, "debugged": False}
        if (welcome := one.welcome) is not None:
            told = {
                "pid": welcome.pid,
                "title": welcome.title,
                "session": welcome.path,
                "debugged": welcome.busy,
            }
            told["runs"] = sum(run.open for run in welcome.runs)
        agents.append(AttachedDocument(id=one.id, trouble=one.trouble or None, **told))
    answer(args, AttachDocument(folder=str(socket_folder()), agents=agents), _blocks)
    return 0


def _blocks(told: AttachDocument) -> Iterator[Block]:
    from planscope.wording import phrases

    if not told.agents:
        yield Para(
            "No agent can be attached to. An agent can while it runs with record(..., attach=True), or with "
            f"PLANSCOPE_ATTACH=1 in its environment; its socket is then in {told.folder}."
        )
        return
    rows = []
    for one in told.agents:
        doing = f"{phrases.plural(one.runs, 'run')} under way" if one.runs else "no run under way"
        doing = one.trouble or doing + (", debugged" if one.debugged else "")
        rows.append((one.id, one.title or "", doing, one.session or ""))
    yield Table(rows, indent="")
    yield GAP
    yield Para(f"planscope attach {told.agents[0].id} opens {'it' if len(rows) == 1 else 'the first'}.")


COMMANDS = {"attach": Command(ABOUT, "planscope attach", _OPTIONS, _attach)}
