"""``planscope completion``: prints a script that completes the command line in bash, zsh or fish.

The script asks planscope at each press of Tab, by argcomplete, so it knows the sessions, runs, models and themes that
there are, and stays right when planscope changes.
"""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TextIO

from planscope.commands import COMMANDS as ALL_COMMANDS
from planscope.commands import Command, command
from planscope.commands.common import emit
from planscope.errors import UserError

ABOUT = (
    "Print a script that completes commands, options, sessions, runs, models and themes when you press Tab. For bash, "
    '~/.bashrc has the line: eval "$(planscope completion bash)"; for zsh, ~/.zshrc has after compinit: eval '
    '"$(planscope completion zsh)"; for fish, the output goes to ~/.config/fish/completions/planscope.fish.'
)
SHELLS = ("bash", "zsh", "fish")
MOST = 1_000
"""Limit of suggestions."""
LARGEST = 32 * 2**20
"""The runs of a larger session are not listed, because reading it takes too long, in bytes."""

FILES = frozenset(("FILE", "RULES", "TRACE", "GOOD", "BAD", "FOLDER", "DIR", "F", "POLICY", "SESSION|TRACE"))
"""Names of arguments (metavar) that are files."""

Suggestions = Iterable[tuple[str, str]]
"""Words that could stand at a place, each with a few words about it."""
Find = Callable[[Namespace], Suggestions]
"""Finds them, by what the line names so far."""


_OPTIONS = (("shell SHELL", "bash, zsh or fish", SHELLS),)


def _completion(args: Namespace) -> None:
    from argcomplete.shell_integration import shellcode

    emit(shellcode(["planscope"], shell=args.shell, argcomplete_script=_program()))


def _program() -> str | None:
    """Return the path of this planscope if its name means another one or none."""
    own = os.path.realpath(sys.argv[0])
    found = shutil.which("planscope")
    return own if os.access(own, os.X_OK) and (found is None or os.path.realpath(found) != own) else None


def complete(
    parser_of: Callable[[list[str]], ArgumentParser],
    *,
    stream: TextIO | None = None,
    leave: Callable[[int], object] = os._exit,
) -> None:
    """Answer the shell, whose line argcomplete reads from the environment. ``parser_of``: makes the parser of some
    commands. What cannot be read suggests nothing."""
    from argcomplete import autocomplete
    from argcomplete.completers import SuppressCompleter
    from argcomplete.lexers import split_line

    _, begun, _, typed, _ = split_line(os.environ["COMP_LINE"], int(os.environ["COMP_POINT"]))
    words = typed[1:]
    if not words:
        parser = ArgumentParser(add_help=False)
        parser.add_argument("-h", "--help", help="show this help")
        parser.add_argument("--version", action="store_true", help="show the version")
        _suggest(parser.add_argument("first"), _first if begun else lambda _: ALL_COMMANDS.items())
    elif words[0] in ALL_COMMANDS:
        parser = parser_of(words[:1])
    else:  # the session to open
        parser = ArgumentParser()
        command("open").add(parser)
    _add_suggestions(parser, words[0] if words and words[0] in ALL_COMMANDS else "open")
    autocomplete(
        parser,
        always_complete_options=False,
        exit_method=leave,
        output_stream=stream,
        default_completer=SuppressCompleter(),
        validator=lambda word, beginning: word.startswith(beginning) and word.isprintable(),
    )


def _suggest(action: Action, find: Find) -> None:
    def completer(prefix: str, parsed_args: Namespace, **_: object) -> Mapping[str, str]:
        try:
            fitting = (one for one in find(parsed_args) if one[0].startswith(prefix))
            found = dict(islice(fitting, MOST))
            files = action.metavar in FILES or find in (_sessions, _first)
            return found or (dict(_files(prefix)) if files else {})
        except (UserError, OSError, ValueError):
            return {}

    vars(action)["completer"] = completer  # argcomplete's name, which argparse does not know


def _files(prefix: str) -> Iterator[tuple[str, str]]:
    folder, _, begin = prefix.rpartition("/")
    shown = f"{folder}/" if folder or prefix.startswith("/") else ""
    for path in sorted(Path(shown or ".").expanduser().iterdir()):
        if path.name.startswith(begin) and (begin or not path.name.startswith(".")):
            yield f"{shown}{path.name}{'/' if path.is_dir() else ''}", ""


def _add_suggestions(parser: ArgumentParser, called: str) -> None:
    """Give the arguments of a parser, and of its actions, what could stand there, by their names in the help."""
    for action in vars(parser)["_actions"]:
        if isinstance(action.choices, Mapping):
            for one in action.choices.values():
                _add_suggestions(one, called)
        elif action.choices is None and (find := _find(action, called)) is not None:
            _suggest(action, find)


def _find(action: Action, called: str) -> Find | None:
    kind = action.metavar if isinstance(action.metavar, str) else ""
    if kind in ("SESSION", "SESSION|TRACE") or (called in ("open", "serve") and action.dest == "file"):
        return _sessions
    if kind in FILES:
        return lambda _: ()
    if called == "attach" and action.dest == "id":
        return _agents_attachable
    if kind == "ID" and action.dest != "resume":
        return lambda named: _ids(named, action.dest)
    return {
        ("NAME", "theme"): _themes,
        ("NAME", "name"): {"schema": _schemas, "campaign": _campaigns}.get(called),
        ("M", "model"): _models,
        ("A", "agent"): _agents,
        ("T", "topic"): _topics,
        ("TOPIC", "topic"): _topics,
        ("E", "error_type"): _error_types,
    }.get((kind, action.dest))


def _first(_: Namespace) -> Suggestions:
    """Yield what could stand first: a command, or the session to open."""
    yield from ALL_COMMANDS.items()
    yield from _sessions(_)


def _agents_attachable(_: Namespace) -> Suggestions:
    """Yield the ids of the agents that can be attached to."""
    from planscope.agents.attach.client import found

    return ((one.id, one.welcome.title) for one in found() if one.welcome is not None)


def _sessions(_: Namespace) -> Suggestions:
    from planscope.session.locations import SUFFIXES, bundled, library_names

    yield from ((name, "your library") for name in library_names())
    yield from ((name, "bundled session") for name in bundled())
    yield from (
        (name, "file") for name in sorted(p.name for p in Path().iterdir()) if name.endswith(SUFFIXES)
    )


def _ids(named: Namespace, dest: str) -> Suggestions:
    """Yield the ids of the runs or queries of the session that the line names."""
    from planscope.session.locations import DEFAULT, resolve
    from planscope.session.store import load

    name = getattr(named, "session", None) or getattr(named, "file", None) or DEFAULT
    path = resolve(str(Path(name).expanduser()))
    if path.stat().st_size > LARGEST:
        return
    session = load(path)
    if dest != "variant":
        yield from ((run.id, f"{run.agent}, {run.model}") for run in reversed(session.runs))
    if dest in ("variant", "ids", "delete"):
        yield from ((one.id, one.query.text[:60]) for one in session.variants)


def _themes(_: Namespace) -> Suggestions:
    from platformdirs import user_config_dir

    from planscope.extensions import loaded
    from planscope.resources import shipped

    others = [Path(folder) for _, folder in loaded("planscope.themes")[0] if isinstance(folder, str | Path)]
    for folder in (shipped("themes"), *others, Path(user_config_dir("planscope")) / "themes"):
        yield from ((path.stem, "") for path in sorted(folder.glob("*.toml")))


def _models(_: Namespace) -> Suggestions:
    from planscope.agents.models import PROVIDERS, other_providers
    from planscope.agents.simulated.profiles import PROFILES

    yield from ((f"sim:{one.name}", one.about) for one in PROFILES.values())
    yield from ((f"{name}:", "") for name in (*PROVIDERS, *other_providers()[0]))


def _agents(_: Namespace) -> Suggestions:
    return (("tools", "function calling"), ("react", "text"), ("responses", "OpenAI's Responses API"))


def _topics(_: Namespace) -> Suggestions:
    from planscope.language.topics import load_topics

    return ((name, "") for name in load_topics())


def _schemas(_: Namespace) -> Suggestions:
    from planscope.documents.schemas import DOCUMENTS

    return ((name, "") for name in DOCUMENTS)


def _campaigns(_: Namespace) -> Suggestions:
    from planscope.session.locations import campaigns_folder

    ending = ".campaign.sqlite"
    names = (path.name for path in campaigns_folder().glob(f"*{ending}"))
    return ((name.removesuffix(ending), "") for name in sorted(names))


def _error_types(_: Namespace) -> Suggestions:
    from planscope.oracle.verdict_types import ERROR_TYPES

    return ((name, "") for name in ERROR_TYPES)


COMMANDS = {"completion": Command(ABOUT, "planscope completion bash", _OPTIONS, _completion)}
