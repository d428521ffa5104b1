"""Help texts, and a start that loads nothing in vain."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import pytest

from planscope import __version__
from planscope.cli import COMMANDS, build_parser
from tests.cli.support import Cli


def test_the_help_lists_every_command(cli: Cli) -> None:
    done = cli("--help")
    assert done == cli("-h") and done.status == 0 and done.err == ""
    for name, about in COMMANDS.items():
        assert f"  {name:<10}  {about}\n" in done.out
    assert done.out.startswith("usage: planscope [FILE]\n       planscope COMMAND ...\n")


@pytest.mark.parametrize("name", [*COMMANDS, ""])
@pytest.mark.parametrize("columns", [80, 200, 60])
def test_help_fits_the_screen(cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = cli(*([name] if name else []), "--help")
    assert done.status == 0 and done.err == ""
    assert max(map(len, done.out.splitlines())) < min(columns, 80)
    assert not any(line != line.rstrip() for line in done.out.splitlines())
    assert done.out.startswith(f"usage: planscope {name}".rstrip())


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_is_explained(name: str) -> None:
    actions = build_parser([name])._subparsers
    assert actions is not None
    (commands,) = (a for a in actions._group_actions if isinstance(a, argparse._SubParsersAction))
    sub = commands.choices[name]
    for action in sub._actions:
        assert action.help and not action.help.endswith("."), action
    assert sub.description and sub.description.endswith(".") and sub.description[0].isupper()


def test_the_version(cli: Cli) -> None:
    assert cli("--version").out == f"planscope {__version__}\n"


HEAVY = ["textual", "rich", "langchain", "langchain_core", "langgraph", "langsmith", "openai", "asyncio"]
ENGINE = ["z3", "lark", "pydantic", "jsonschema"]


def loaded(*args: str) -> set[str]:
    """The modules that a call of the command line has imported by its end."""
    code = (
        "import sys, json, io\nfrom planscope.cli import main\nout, sys.stdout = sys.stdout, io.StringIO()\n"
        f"main({list(args)!r})\nout.write(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize(
    "args,without",
    [
        (["--version"], [*HEAVY, *ENGINE, "planscope.language", "planscope.oracle", "planscope.session"]),
        (["--help"], [*HEAVY, *ENGINE, "planscope.language", "planscope.oracle", "planscope.session"]),
        (["check", "--help"], [*HEAVY, *ENGINE, "planscope.oracle"]),
        (["check", "nope"], [*HEAVY, "z3", "lark"]),
        (["check", "first-look"], HEAVY),
        (["check", "first-look", "--json"], HEAVY),
        (["replay", "first-look", "--json"], HEAVY),
        (["repair", "first-look"], HEAVY),
        (["parse", "nope", "--actions", "a"], [*HEAVY, "z3"]),
        (["new", "--seed", "1"], [*HEAVY, "pydantic"]),
        (["topics"], [*HEAVY, "z3", "pydantic"]),
        (["models"], [*HEAVY, "z3", "pydantic"]),
        (["schema", "check"], [*HEAVY, "z3", "lark"]),
        (["export", "first-look", "--format", "text"], HEAVY),
        ([], [*HEAVY, "z3", "lark"]),
    ],
    ids=lambda x: " ".join(x[:4]),
)
def test_nothing_is_loaded_in_vain(args: list[str], without: list[str]) -> None:
    found = loaded(*args)
    assert not [name for name in without if name in found]
    commands = {
        name.removeprefix("planscope.commands.") for name in found if name.startswith("planscope.commands.")
    }
    called = {args[0]} if args and args[0] in COMMANDS else {"open"} if not args else set()
    assert commands - {"common", "pipes", "progress"} == called, (
        "only the module of the command that is called"
    )
