"""``planscope doctor``: what is installed here, where planscope keeps its files, and what the terminal can do."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from planscope import __version__
from planscope.commands import Command
from planscope.commands.common import answer, has_terminal
from planscope.show.blocks import GAP, Block, Code, Heading, Para, Table

if TYPE_CHECKING:
    from planscope.documents.listings import DoctorDocument, TerminalDocument

ABOUT = (
    "Show what planscope finds on this machine: versions, folders, extras and what each is for, the terminal, and what "
    "is wrong; exit status 2 if something is. Contacts no server and changes nothing. A report of a bug is easier to "
    "understand with it."
)
PACKAGES = (
    "textual", "z3-solver", "langchain", "langchain-core", "pydantic", "lark", "rich", "platformdirs", "orjson",
    "argcomplete",
)  # fmt: skip


class Extra(NamedTuple):
    """An extra of planscope: the package that it installs, the module to import, and what it is for."""

    package: str
    module: str
    purpose: str


EXTRAS = {
    "campaign": Extra("pyarrow", "pyarrow", "writes the rows of a campaign as Parquet (--parquet)"),
    "cluster": Extra("distributed", "distributed", "spreads a campaign over machines (--cluster)"),
    "fuzz": Extra("jsonschema", "jsonschema", "finds inputs on which tools fail (planscope fuzz)"),
    "mcp": Extra("mcp", "mcp", "answers questions of coding agents about runs (planscope mcp)"),
    "openai": Extra(
        "langchain-openai", "langchain_openai", "runs agents on models of OpenAI, and servers like it"
    ),
    "otel": Extra("opentelemetry-sdk", "opentelemetry", "records agents by their spans (record_spans)"),
    "reasons": Extra("python-sat", "pysat", "finds all reasons of a lost plan faster"),
    "redact": Extra(
        "kingfisher-secret-scanner", "kingfisher_sdk", "finds more kinds of secrets before you share"
    ),
    "serve": Extra("textual-serve", "textual_serve", "opens the debugger in a browser (planscope serve)"),
    "traces": Extra("zstandard", "zstandard", "reads traces that are packed with zstd"),
}


_OPTIONS = (("--json", "print the same as JSON"),)


def _doctor(args: argparse.Namespace) -> int:
    found = document()
    answer(args, found, _blocks)
    return 2 if found.problems else 0


def document() -> DoctorDocument:
    """Look at this machine. Imports only extensions of other packages, contacts no server, and writes nothing."""
    from planscope.documents.listings import DoctorDocument, ExtraDocument, FolderDocument, PackageDocument

    packages = [PackageDocument(name=name, version=_version(name)) for name in PACKAGES]
    extras = [
        ExtraDocument(
            name=name,
            package=extra.package,
            version=_version(extra.package),
            installed=util.find_spec(extra.module) is not None,
            purpose=extra.purpose,
        )
        for name, extra in EXTRAS.items()
    ]
    folders = [
        FolderDocument(name=name, path=str(path), exists=path.exists(), writable=_writable(path))
        for name, path in _folders().items()
    ]
    problems = [
        f"the package {one.name} is missing; install planscope again" for one in packages if not one.version
    ]
    problems += [
        f"the folder {one.path} ({one.name}) cannot be written to" for one in folders if not one.writable
    ]
    problems += _plugin_problems()
    return DoctorDocument(
        planscope=__version__,
        python=platform.python_version(),
        executable=sys.executable,
        platform=platform.platform(),
        packages=packages,
        extras=extras,
        folders=folders,
        terminal=_terminal(),
        browser="not needed",
        network="not contacted",
        problems=problems,
    )


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _folders() -> dict[str, Path]:
    from platformdirs import user_config_path, user_state_path

    from planscope.agents.attach.place import CannotAttach, check_system, socket_folder
    from planscope.session.locations import cache_folder, library_folder, trash_folder

    runtime = {}
    with suppress(CannotAttach):
        check_system()
        runtime["run-time"] = socket_folder()
    return {
        "library": library_folder(),
        "trash": trash_folder(),
        "settings": user_config_path("planscope"),
        "state": user_state_path("planscope"),
        "cache": cache_folder(),
        **runtime,
    }


def _writable(path: Path) -> bool:
    """Return whether the folder can be written to, or made if it is missing."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)


def _terminal() -> TerminalDocument:
    """Return what Textual will find: size, number of colours, encoding."""
    import shutil

    from planscope.documents.listings import TerminalDocument
    from planscope.tui.style.themes import few_colours, no_color

    size = shutil.get_terminal_size()
    true_colour = os.environ.get("COLORTERM", "").strip().casefold() in ("truecolor", "24bit")
    return TerminalDocument(
        interactive=has_terminal(),
        term=os.environ.get("TERM"),
        columns=size.columns,
        rows=size.lines,
        colours=0 if no_color() else 16 if few_colours() else 2**24 if true_colour else 256,
        encoding=sys.stdout.encoding,
    )


def _plugin_problems() -> list[str]:
    """Return a line for each extension of another package that does not work."""
    from planscope.agents.models import ModelUnavailable, other_providers
    from planscope.traces.opening import other_readers
    from planscope.tui.style.themes import EXTENSION, load_themes

    providers, taken = other_providers()
    found = [*other_readers()[1], *taken]
    found += [problem.message for problem in load_themes()[1] if problem.file == EXTENSION]
    for provider in providers.values():
        try:
            provider.make()
        except ModelUnavailable as error:
            found.append(str(error))
    return found


def _blocks(found: DoctorDocument) -> Iterator[Block]:

    yield Code([f"planscope {found.planscope}, Python {found.python} ({found.executable})", found.platform])
    yield GAP
    yield Table([(one.name, one.version or "missing") for one in found.packages], indent="")
    yield Heading("Extras (pip install '.[NAME]')")
    for one in found.extras:
        state = one.version or "installed" if one.installed else "not installed"
        yield Para(f"{state}: {one.purpose}", label=f"  {one.name}")
    yield GAP
    states = (
        "" if f.writable and f.exists else "not there yet" if f.writable else "read-only"
        for f in found.folders
    )
    yield Table([(f.name, f.path, state) for f, state in zip(found.folders, states, strict=True)], indent="")
    yield GAP
    t = found.terminal
    colours = f"{t.colours:,} colours" if t.colours else "no colours (NO_COLOR)"
    where = f"{t.term or 'no TERM'}, {t.columns} x {t.rows}, {colours}, {t.encoding}"
    yield Para(f"terminal: {where}" if t.interactive else f"terminal: none here ({where})")
    yield from (Para(f"browser: {found.browser}; network: {found.network}"), GAP)
    yield from (Para(f"wrong: {problem}") for problem in found.problems)
    if not found.problems:
        yield Para("Nothing is wrong. (planscope config --check looks at your settings.)")


COMMANDS = {"doctor": Command(ABOUT, "planscope doctor", _OPTIONS, _doctor)}
