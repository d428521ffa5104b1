"""The commands, in groups. A module holds one or several commands, each with its help, its arguments and its
function.

A command's module is imported only when the command is called, and declaring arguments imports nothing of the engine:
``planscope --help`` and the first frame stay quick.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would take longer than this whole module
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable
    from typing import Any

GROUPS: dict[str, dict[str, str]] = {
    "look": {
        "open": "open the debugger on a session",
        "walk": "walk through a run line by line, in plain sentences",
        "check": "judge a run: exit status 0 right, 1 wrong, 2 not decided",
        "replay": "show every step of a run: state, safe next calls, unsat core",
        "reasons": "list every reason why a plan is lost, and what would save it",
        "repair": "find the correct plan nearest to what the agent did",
        "compare": "compare two runs or two queries side by side",
        "runs": "list a session's runs and where they were lost",
        "import": "make a session of a trace that another program wrote",
        "rules": "explain rules, add them to a session, find or draft some",
        "sessions": "list, copy, rename, delete and restore your sessions",
    },
    "run": {
        "run": "run an agent on a session's query and record the run",
        "fork": "run an agent again from a step of a run",
        "debug": "run your own agent, with its own tools, on the debug screen",
        "attach": "debug an agent of yours that runs in another process",
        "rerun": "run your own agent again on recorded answers",
        "dissect": "find what in a query makes an agent fail",
        "campaign": "test agents on many queries: rates, limits, comparisons",
        "fuzz": "find inputs on which an agent's tools fail",
    },
    "make": {
        "new": "make a planning query whose constraints are known",
        "edit": "add a query with another text to a session",
        "parse": "read a query: its constraints, or why it cannot be read",
        "mutate": "make queries that mean the same, proved by Z3",
        "topics": "list the topics of queries, or have a model write new ones",
        "grammar": "list the words that queries are made of",
    },
    "share": {
        "export": "write a run as web page, Markdown, text, SVG, JSON, SMT-LIB, test",
        "mcp": "answer questions of a coding agent about runs",
        "serve": "open the debugger in a browser on this machine",
        "schema": "print the JSON Schemas of session files and of --json",
    },
    "set up": {
        "models": "list the models: simulated ones, providers and their keys",
        "themes": "list the themes, and what is wrong with a theme file",
        "config": "show the settings, and what is wrong with them",
        "doctor": "show versions, folders, extras, the terminal, and what is wrong",
        "completion": "print the script that completes commands in your shell",
    },
}
"""Every command with a line about it, by group, in the order of the help."""

COMMANDS: dict[str, str] = {name: about for group in GROUPS.values() for name, about in group.items()}

MODULES: dict[str, str] = {
    "import": "traces",
    "edit": "fork",
    "debug": "own",
    "rerun": "own",
    "walk": "open",
    "serve": "open",
    "replay": "check",
    "reasons": "check",
    "repair": "check",
    "topics": "new",
    "grammar": "parse",
    "schema": "setup",
    "models": "setup",
    "themes": "setup",
    "config": "setup",
}
"""The module in this package of each command that is not named like its module."""


class Command:
    """One command. ``about`` and ``example`` are for its help; ``options`` are rows for ``common.declare``, or a
    function that declares them; ``run`` returns the exit status, or None for 0. A command that has commands of its own,
    one of which must be named, has them as ``options``, and no ``run``.

    ``example`` is one shell command that works as it is printed, without a key and without the user's own files. It
    stands at the end of the help, on a line of its own, so that it can be copied.
    """

    def __init__(
        self,
        about: str,
        example: str,
        options: tuple[Any, ...] | dict[str, Command] | Callable[[ArgumentParser], None],
        run: Callable[[Namespace], int | None] | None = None,
    ) -> None:
        self.about, self.example, self.options = about, example, options
        self.run = run or self._run_action

    def _run_action(self, args: Namespace) -> int | None:
        assert isinstance(self.options, dict)
        return self.options[args.action].run(args)

    def add(self, parser: ArgumentParser) -> None:
        """Declare the arguments, and show the example."""
        from planscope.commands.common import declare

        if self.example:
            parser.epilog = f"example:\n  {self.example}"
        if callable(self.options):
            self.options(parser)
        elif isinstance(self.options, dict):
            add_actions(parser, self.options)
        else:
            declare(parser, *self.options)


def add_actions(parser: ArgumentParser, actions: dict[str, Command], default: str = "") -> None:
    """Add a command's own commands, by name. Without a default, one must be named."""
    made = parser.add_subparsers(
        dest="action",
        metavar="ACTION",
        parser_class=type(parser),
        required=not default,
        help="one of these" + (f"; default {default}" if default else ""),
    )
    for name, command in actions.items():
        one = made.add_parser(
            name,
            help=command.about,
            description=f"{command.about[0].upper()}{command.about[1:]}.",
            allow_abbrev=False,
            formatter_class=parser.formatter_class,
            add_help=False,
        )
        one.add_argument("-h", "--help", action="help", help="show this help")
        command.add(one)


def command(name: str) -> Command:
    """Return the command of that name. Imports its module."""
    from importlib import import_module

    found: Command = import_module(f"{__name__}.{MODULES.get(name, name)}").COMMANDS[name]
    return found
