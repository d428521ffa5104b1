"""Help texts, and a start that loads nothing in vain."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from planscope import __version__
from planscope import commands as package
from planscope.cli import EXAMPLES, build_parser
from planscope.commands import COMMANDS, GROUPS, MODULES, command
from planscope.commands.sessions import ACTIONS
from tests.cli.support import Cli
from tests.nightly import nightly

FOLDER = Path(package.__file__).parent
SESSIONS = [one.example for one in ACTIONS.values() if one.example]
SLOW = ("fuzz", "rerun")
"""Commands whose pages in docs/ have their examples, too, and every line of a page is run."""


def module(name: str) -> object:
    return importlib.import_module(f"{package.__name__}.{name}")


def test_the_help_lists_every_command(cli: Cli) -> None:
    done = cli("--help")
    assert done == cli("-h") and done.status == 0 and done.err == ""
    for group, names in GROUPS.items():
        shown = done.out.partition(f"\n{group}:\n")[2].partition("\n\n")[0] + "\n"
        assert shown == "".join(f"  {name:<10}  {about}\n" for name, about in names.items())
    assert list(GROUPS) == ["look", "run", "make", "share", "set up"]
    assert done.out.startswith(
        "usage: planscope [FILE]\n       planscope COMMAND ...\n\nexamples:\n  planscope "
    )
    assert all(command in done.out for command, _ in EXAMPLES) and len(EXAMPLES) == 3


def test_every_command_has_its_module() -> None:
    assert set(MODULES) <= set(COMMANDS)
    known = {name for path in FOLDER.glob("*.py") for name in getattr(module(path.stem), "COMMANDS", ())}
    assert known == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_an_example(cli: Cli, name: str) -> None:
    *_, heading, example = cli(name, "--help").out.splitlines()
    assert heading == "example:" and example == f"  {command(name).example}"
    assert "planscope " in example and len(example) < 80


@pytest.mark.skipif(sys.platform == "win32", reason="examples are for a Unix shell")
@pytest.mark.parametrize(
    "example",
    [
        *(command(n).example for n in COMMANDS if n not in SLOW),
        *(*SESSIONS, *(e for e, _ in EXAMPLES)),
        *nightly(*(command(n).example for n in SLOW)),
    ],
)
def test_every_example_works_as_it_is_printed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: str
) -> None:
    """In an empty folder, with nothing on standard input, and without any key; in a shell where it needs one.

    With a library of its own: in that of all tests another may hold the lock, or have a session of the same name.
    """
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    place = tmp_path / "empty"
    place.mkdir()
    shown = {"planscope first-look": "planscope open first-look"}.get(example, example)
    name = shown.partition("planscope ")[2].split()[0]
    if name == "serve":  # it would not end: everything up to the server itself
        build_parser([name]).parse_args(shown.split()[1:])
        return
    wrong_run = {"check": 1, "fuzz": 1}
    parts = shown.split(" && ")
    if example.startswith("planscope ") and not set("".join(parts)) & set("|<>&;$*"):
        os.chdir(place)  # the fixture goes back
        for part in parts[:-1]:
            assert cli(*shlex.split(part)[1:]).status == 0
        called = cli(*shlex.split(parts[-1])[1:])
        if name in ("open", "debug"):
            assert "needs a terminal" in called.complaint()
            return
        assert called.status == wrong_run.get(name, 0), called.err
        assert called.out or list(place.iterdir())
        return
    environment = {k: v for k, v in os.environ.items() if not k.endswith(("_KEY", "_TOKEN"))}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        shown,
        shell=True,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == wrong_run.get(name, 0), done.stderr
    assert done.stdout or list(place.iterdir())


@pytest.mark.parametrize("name", [*COMMANDS, ""])
@pytest.mark.parametrize("columns", [80, 200, 60])
def test_help_fits_the_screen(cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    done = cli(*([name] if name else []), "--help")
    assert done.status == 0 and done.err == ""
    text, _, example = done.out.partition("\nexample:\n" if name else "\nexamples:\n")
    if not name:
        example, _, text = example.partition("\n\n")
    assert max(map(len, text.splitlines())) < min(columns, 80)
    assert max(map(len, example.splitlines())) < 80  # one line at any width, to be copied
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
        (["check", "nope"], [*HEAVY, "z3", "lark"]),
        (["check", "first-look"], HEAVY),
        (["parse", "nope", "--actions", "a"], [*HEAVY, "z3"]),
        (["new", "--seed", "1"], [*HEAVY, "pydantic"]),
        (["topics"], [*HEAVY, "z3", "pydantic"]),
        (["schema", "check"], [*HEAVY, "z3", "lark"]),
        (["export", "first-look", "--format", "text"], HEAVY),
        ([], [*HEAVY, "z3", "lark"]),
        (["check", "--help"], [*HEAVY, *ENGINE, "planscope.oracle"]),
        (["replay", "first-look", "--json"], HEAVY),
        (["models"], [*HEAVY, "z3", "pydantic"]),
        *nightly((["check", "first-look", "--json"], HEAVY), (["repair", "first-look"], HEAVY)),
    ],
    ids=lambda x: " ".join(x[:4]),
)
def test_nothing_is_loaded_in_vain(args: list[str], without: list[str]) -> None:
    found = loaded(*args)
    assert not [name for name in without if name in found]
    commands = {
        name.removeprefix("planscope.commands.") for name in found if name.startswith("planscope.commands.")
    }
    called = (
        {MODULES.get(args[0], args[0])} if args and args[0] in COMMANDS else {"open"} if not args else set()
    )
    assert commands - {"common"} == called, "only the module of the command that is called"


def test_a_trace_that_is_judged_by_a_plain_rule_loads_no_session(tmp_path: Path) -> None:
    """Of ``check``'s time, imports are the most; once the models of sessions doubled it."""
    (tmp_path / "t.json").write_text('[{"tool": "get", "arguments": {}}, {"tool": "pay", "arguments": {}}]')
    (tmp_path / "r.rules").write_text("get comes before pay.\n")
    found = loaded("check", str(tmp_path / "t.json"), "--rules", str(tmp_path / "r.rules"))
    assert "planscope.rules.judge" in found
    assert found.isdisjoint([*HEAVY, *ENGINE, "planscope.session.model", "planscope.report"])
