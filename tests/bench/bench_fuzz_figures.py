"""The figures of ``planscope fuzz`` beside plain Hypothesis strategies, for the same time or the same number of calls.

``python -m tests.bench.bench_fuzz_figures [--seconds 5 | --calls 2000] [--only planted|sound|files|data|servers]
[--environments FOLDER]``. Each tool gets the seconds from each arm, without what confirms and shrinks; tools of this
process get them as processor time, so that both arms get the same on a busy machine.

Packages that are not planscope's are installed from the index, each server in an environment of its own. What cannot be
installed is left out, and the reason is printed. An error is *true* if it is labelled: those of the planted tools were
written before the fuzzer, those of public tools were judged by hand (``TRUE``). On sound tools each one is *false*.
Others are printed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from planscope.errors import UserError
from planscope.toolfuzz import fuzzing
from planscope.toolfuzz.engine import Fuzz
from planscope.toolfuzz.job import Options
from planscope.toolfuzz.mcp_tools import serve
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.toolfuzz.tools import Tool, load
from tests.bench import bench_toolfuzz as bench
from tests.bench.data_tools import EVERY, SERVERS, given_for
from tests.bench.toolfuzz_corpus.planted import PLANTED
from tests.bench.yardstick import ROOT, table

Error = tuple[str, str | None]
PUBLIC = ("agentdojo==0.1.35", "langchain-community==0.4.2", "agno==3.1.10", "sqlalchemy")
"""What the seven file tools and the ten data tools need, besides tau-bench."""
TAU = "tau-bench @ git+https://github.com/sierra-research/tau-bench@59a200c"
PINNED = {"mcp-server-sqlite": ("mcp<2",)}
"""What a server needs besides: the last sqlite server does not start with the newest package mcp."""
NULL, LONG = ("raised", "ValueError"), ("raised", "OSError")
TRUE: dict[str, list[Error]] = {
    "copy_file": [NULL, LONG],
    "file_delete": [NULL, LONG],
    "file_search": [NULL, LONG, ("hung", None)],
    "list_directory": [NULL, LONG],
    "move_file": [NULL, LONG, ("raised", "UnboundLocalError")],
    "read_file": [NULL, LONG],
    "write_file": [NULL, LONG],
    "get_file_by_id": [("raised", "ValueError")],
}
"""Errors of public tools that were judged by hand: the schema accepts the call, and the tool raises or hangs. Those of
file tools are a null byte in a path, a name that is too long, a pattern of many stars, and a name that is not bound."""
NOT_ENTERED = ("raised", "LookupError")
"""What ``data_tools`` raises for an answer that does not count."""
SLOW_SERVERS = 10.0
"""Seconds of a call to a server."""


class Row(NamedTuple):
    """What the two arms found in one tool: errors that count, and whether a call was answered well."""

    tool: str
    ours: list[Error]
    plain: list[Error]
    entered: tuple[bool, bool]


def counted(result: bench.Result) -> list[Error]:
    labels = PLANTED.get(result.tool, [])
    errors = [(kind, bench._short(name)) for kind, name, _ in result.errors]
    return [one for one in errors if one[0] not in LISTED_ONLY or any(one[0] == label[0] for label in labels)]


class Processor:
    """Stands for the module ``time`` in the search: its clock counts processor time, of this process and the children
    that have ended. A forked child goes on from its parent's last reading."""

    def __init__(self) -> None:
        self._own, self._last = os.getpid(), 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def monotonic(self) -> float:
        now = sum(os.times()[:4])
        if os.getpid() != self._own:
            return self._last + now
        self._last = now
        return now


def alone(tools: list[Tool], calls: int) -> Iterator[Row]:
    """Both arms in this process, one tool after another; seconds are processor time."""
    for tool in tools:
        with patch.object(fuzzing, "time", Processor()):
            ours, plain = (bench.run(tool, bench.ARMS[k], calls) for k in (0, 3))
        yield Row(tool.name, counted(ours), counted(plain), (ours.succeeded > 0, plain.succeeded > 0))


def whole(row: Any, calls: int) -> Iterator[Row]:
    """The command's own search, with what it knows of folders and examples, beside plain draws."""
    seconds = bench.SECONDS[0] if bench.SECONDS else None
    with tempfile.TemporaryDirectory() as folder:
        options = Options(
            row.target, tools=(row.tool,) if row.tool else (), calls=calls, seconds=seconds, sequences=0,
            call_limit=bench.HUNG_AFTER, **given_for(row, Path(folder)),
        )  # fmt: skip
        report = Fuzz(options).run()
        served = row.target.startswith("mcp:")
        tools, hosts = (
            serve(row.target, Path(folder) / "server", Path.cwd()) if served else (load(row.target), {})
        )
        for done in report.tools:
            tool = next(one for one in tools if one.name == done.name)
            if done.skipped or tool.skipped:
                continue
            plain = bench.run(tool, bench.ARMS[3], calls, served=hosts.get(tool.name))
            ours = [(one.kind, bench._short(one.exception)) for one in report.counted(done.name)]
            found = ([one for one in some if one != NOT_ENTERED] for some in (ours, counted(plain)))
            yield Row(done.name, *found, (done.entered, plain.succeeded > 0))
        for host in hosts.values():
            host.server.stop()


# --- environments ---

ENVIRONMENTS = Path(tempfile.gettempdir()) / "planscope-bench-environments"


def environment(name: str, *packages: str) -> Path:
    """Return the folder of an environment that has these packages, made if it is not there. Raises UserError."""
    made = ENVIRONMENTS / name
    if not (made / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(made)], check=True)
        pip = [str(made / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        done = subprocess.run([*pip, *packages], capture_output=True, text=True, check=False)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip failed"]
            raise UserError(f"{', '.join(packages)}: {said[-1][:200]}")
        (made / "ready").touch()
    return made


def in_environment(group: str, arguments: list[str]) -> None:
    """Run a group with the Python of the public tools' environment; ours comes after its packages."""
    made = environment("public", *PUBLIC)
    (site,) = made.glob("lib/python*/site-packages")
    (site / "planscope-bench.pth").write_text("\n".join((str(ROOT), *filter(os.path.isdir, sys.path))))
    command = [
        str(made / "bin" / "python"),
        "-m",
        "tests.bench.bench_fuzz_figures",
        "--here",
        "--only",
        group,
    ]
    subprocess.run([*command, *arguments], check=True, cwd=ROOT)


# --- groups ---


def planted(calls: int) -> Iterator[Row]:
    module = f"{bench.HERE}.planted"
    names = dir(bench.importlib.import_module(module))
    tools = {t.name: t for name in names for t in bench._tools_named(f"{module}:{name}")}
    yield from alone([tools[name] for name in PLANTED if name in tools], calls)


def sound(calls: int) -> Iterator[Row]:
    yield from alone(load(f"{bench.HERE}.sound:SOUND"), calls)


def files(calls: int) -> Iterator[Row]:
    yield from alone(load("tests.bench.bench_toolfuzz:file_tools"), calls)


def data(calls: int) -> Iterator[Row]:
    for row in EVERY:
        if row.target.startswith("mcp:"):
            environment("mcp-server-git", "mcp-server-git")
            os.environ["PATH"] = f"{ENVIRONMENTS / 'mcp-server-git' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        yield from or_left_out(row, calls)


def servers(calls: int) -> Iterator[Row]:
    before = os.environ["PATH"]
    bench.HUNG_AFTER = SLOW_SERVERS
    for row in SERVERS:
        try:
            made = environment(row.source, row.source, *PINNED.get(row.source, ()))
        except UserError as error:
            print(f"  left out: {error}")
            continue
        os.environ["PATH"] = f"{made / 'bin'}{os.pathsep}{before}"
        yield from or_left_out(row, calls)


def or_left_out(row: Any, calls: int) -> Iterator[Row]:
    try:
        yield from whole(row, calls)
    except (UserError, ImportError) as error:
        print(f"  left out: {row.tool or row.source} ({row.source}): {str(error)[:200]}")


GROUPS: dict[str, tuple[str, Callable[[int], Iterator[Row]]]] = {
    "planted": ("planted bugs", planted),
    "sound": ("sound tools", sound),
    "files": ("seven file tools", files),
    "data": ("ten data tools", data),
    "servers": ("five MCP servers", servers),
}


def judged(group: str, tool: str, error: Error) -> str:
    """Return true, false, or new: an error that nobody has judged."""
    kind, labels = error[0], (PLANTED if group == "planted" else TRUE).get(tool, [])
    if error in labels or (
        kind in LISTED_ONLY and kind in dict(labels)
    ):  # the label of such a kind has no class
        return "true"
    return "false" if group == "sound" else "new"


def figures(group: str, calls: int) -> None:
    title, rows_of = GROUPS[group]
    rows = list(rows_of(calls))
    found = []
    for k, arm in enumerate(("planscope", "plain Hypothesis")):
        verdicts = dict[str, list[str]](true=[], false=[], new=[])
        for row in rows:
            errors = row.plain if k else row.ours
            for error in dict.fromkeys(errors) if group == "planted" else errors:  # a label stands once
                verdicts[judged(group, row.tool, error)].append(f"{row.tool} {' '.join(filter(None, error))}")
        entered = sum(row.entered[k] for row in rows)
        found.append((arm, *(len(some) for some in verdicts.values()), f"{entered} of {len(rows)}"))
        for verdict in ("false", "new") if group != "planted" else ():
            for one in verdicts[verdict]:
                print(f"  {arm}, {verdict}: {one}")
        missed = [row.tool for row in rows if not row.entered[k]]
        print(f"  {arm}, never entered: {', '.join(missed) or 'none'}")
    table(
        f"{title.capitalize()}, {bench._budget(calls)}", ("", "true", "false", "not judged", "entered"), found
    )


def main() -> None:
    global ENVIRONMENTS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--calls", type=int, help="instead of seconds")
    parser.add_argument("--only", choices=GROUPS, action="append")
    parser.add_argument(
        "--environments", type=Path, default=ENVIRONMENTS, help="where packages are installed"
    )
    parser.add_argument("--here", action="store_true", help="in this environment, as it is")
    args = parser.parse_args()
    ENVIRONMENTS = args.environments.resolve()
    bench.SECONDS[:] = [] if args.calls else [args.seconds]
    budget = ["--calls", str(args.calls)] if args.calls else ["--seconds", str(args.seconds)]
    for group in args.only or GROUPS:
        if group in ("files", "data") and not args.here:
            try:
                in_environment(group, [*budget, "--environments", str(ENVIRONMENTS)])
            except UserError as error:
                print(f"{GROUPS[group][0]}: left out: {error}")
        else:
            figures(group, args.calls or 2000)


if __name__ == "__main__":
    main()
