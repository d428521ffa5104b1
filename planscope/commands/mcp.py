"""``planscope mcp``: answers coding agents' questions about runs."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from planscope.commands import Command
from planscope.errors import UserError

ABOUT = (
    "Answer questions of a coding agent about sessions and traces, over standard input and output (Model Context "
    "Protocol): runs, why one failed, the state at a step, safe calls, repair, the first difference of two runs. Only "
    "reads, and contacts no server. A coding agent starts it; docs/mcp.md says how."
)


_OPTIONS = (
    (
        "--root FOLDER...",
        "read only files in this folder, besides your library (default: the folder that it is started in); may be "
        "given several times",
    ),
)


def _mcp(args: argparse.Namespace) -> None:
    roots = [Path(name) for name in args.root or ["."]]
    for root in roots:
        if not root.is_dir():
            raise UserError(f"--root {str(root)[:200]}: there is no such folder")
    if find_spec("mcp") is None:
        raise UserError("planscope mcp needs the package mcp; install it with: pip install '.[mcp]'")
    from planscope.doors.mcp_server import serve

    serve(roots)


COMMANDS = {"mcp": Command(ABOUT, "planscope mcp --help", _OPTIONS, _mcp)}
