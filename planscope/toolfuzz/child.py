"""The process that imports the tools and fuzzes them. It speaks JSON lines with its parent (``engine.py``).

First line in: the job (:func:`main`). Lines out: ``tools``, then for each tool ``finding`` (again when it is shrunk),
``progress`` and ``done``; ``error`` with one line if the target cannot be used.

Calls are made in forks of this process (``host.py``), so this process keeps what was learned, whatever a tool does.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn, TypeVar

from planscope.errors import UserError
from planscope.toolfuzz.folders import COPY, ORIGIN, FolderCopy, copy_folder
from planscope.toolfuzz.fuzzing import Fuzzing
from planscope.toolfuzz.host import Host
from planscope.toolfuzz.job import Job, Options
from planscope.toolfuzz.known import Known
from planscope.toolfuzz.lines import framed, moved_away
from planscope.toolfuzz.lookups import hear_of_databases
from planscope.toolfuzz.mcp_process import address_of, command_of, is_server
from planscope.toolfuzz.mcp_tools import ServerGone, ServerHost
from planscope.toolfuzz.mcp_tools import serve as start_server
from planscope.toolfuzz.namespaces import LIVE, Enforced, enter_namespaces, seal
from planscope.toolfuzz.outcome import Raised, attempt
from planscope.toolfuzz.programs import Hosts, Stage
from planscope.toolfuzz.sandbox import die_with_parent
from planscope.toolfuzz.sequences import Sequences, roles_in
from planscope.toolfuzz.serving import serve as serve_calls
from planscope.toolfuzz.tools import Tool, code_of, load, place_of

Send = Callable[..., None]
T = TypeVar("T")


def main() -> None:
    """Read the job, and do it."""
    data = json.loads(sys.stdin.readline())
    job = Job(**{**data, "options": Options(**data["options"])})
    commands, out = moved_away(os.dup(0)), moved_away(os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)

    def send(event: str, **said: object) -> None:
        data = framed(job.token, {"event": event, **said})
        while data:
            data = data[os.write(out, data) :]

    _told(send, _Work(job, commands, send).do)


def _told(send: Send, work: Callable[[], None]) -> None:
    """Work, and tell the parent what goes wrong."""
    done = attempt(work)
    if isinstance(done, Raised) and isinstance(done.error, UserError):
        send("error", message=str(done.error))
    elif isinstance(done, Raised) and not isinstance(done.error, BrokenPipeError):
        shown = "".join(traceback.format_exception(done.error))
        send("error", message=f"a bug in planscope: {done.error!r}", traceback=shown)


class _Work:
    """Does the job. ``commands``: the file descriptor of further lines; ``copy``: of the user's folder."""

    def __init__(self, job: Job, commands: int, send: Send) -> None:
        self.job, self.options, self.commands, self.send = job, job.options, commands, send
        self.folder = Path(job.folder)
        self.shown = "" if job.options.folder is None else os.path.realpath(job.options.folder)
        self.origin = self.folder.parent / ORIGIN
        self.copy: FolderCopy | None = None

    def do(self) -> NoReturn:
        """Import the tools, close the sandbox, and search in the first process of the new namespace: when that ends,
        everything in it ends."""
        options = self.options
        hear_of_databases()
        served, live = is_server(options.target), address_of(options.target) is not None
        tools = [] if served else load(options.target, options.reset)
        words = command_of(options.target, Path(self.job.base)) if served and not live else []
        home = self.folder.parent / "home"
        if not self.shown and any(
            home.iterdir()
        ):  # what the import made in its temporary folder is the tools' own
            with suppress(UserError):  # it is too large
                copy_folder(home, self.folder.parent)
                self.shown = str(home)
        needed, given = _needed(self.job.base, words), self.folder.parent / COPY
        mounted = (given, Path(self.shown)) if self.shown else None
        more = [str(home), *([self.shown, str(self.origin)] if self.shown else [])]
        enforced = enter_namespaces(self.folder, options.network, self.job.private, [*needed, *more], mounted)
        if self.shown:
            apart = enforced.writes != "namespace" and options.folder is not None
            self.copy = FolderCopy(given if apart else Path(self.shown), self.origin)
            if apart:
                where = f"the copy is at {given}, and arguments are rewritten"
                self.send("remark", text=f"--folder: no namespaces here, so {where}.")
        gc.collect()
        gc.freeze()
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        die_with_parent()
        sealed = seal(enforced)

        def whole() -> None:
            if served:
                self._serve(LIVE if live else sealed.of_server())
            else:
                self._host(tools, sealed)
            self.send("end")

        try:
            _told(self.send, whole)
        finally:
            os._exit(0)

    def _serve(self, enforced: Enforced) -> None:
        """Search the tools of a server."""
        if enforced is LIVE:
            self.send("remark", text="The server runs elsewhere: nothing of it is sandboxed.")
        options = self.options
        if options.reset:
            raise UserError(
                "--reset cannot reach into a server; it is started anew for each tool and confirmation"
            )
        base = Path(self.job.base)
        tools, hosts = start_server(options.target, self.folder, base, self.copy, options.live_writes)
        server = next(iter(hosts.values())).server
        for fault in server.faults:
            if fault.what == "endless list":
                self.send("remark", text=f"The server breaks the protocol: {fault.message}.")
        try:
            self._search(tools, hosts, self.folder / "work", enforced)
        except ServerGone as error:
            self.send("remark", text=f"The search ended early: {error}.")
        finally:
            server.stop()

    def _host(self, tools: list[Tool], enforced: Enforced) -> None:
        """Search tools of this process."""
        inside = self.folder / "here"  # the mount itself behaves otherwise: it cannot be deleted, nor moved
        inside.mkdir()
        hosts: dict[str, Host | ServerHost] = {}
        for tool in tools:
            if not tool.skipped:
                places = tool.places()
                places.sandbox, places.temporary = str(inside), str(self.folder.parent)
                places.base, places.folder = self.job.base, str(self.copy.place) if self.copy else ""
                processes = enforced.processes == "allowed"
                hosts[tool.name] = Host(inside, places, self.options.network, processes, self.copy)
        self._search(tools, hosts, inside, enforced)

    def _rewrite(self, tools: list[Tool]) -> None:
        """Have calls name the copy of a folder where it could not be put at its own path."""
        place = "" if self.copy is None else str(self.copy.place)
        if place == self.shown:
            return

        def rewriting(work: Callable[[dict[str, object]], T]) -> Callable[[dict[str, object]], T]:
            return lambda given: work(json.loads(json.dumps(given).replace(self.shown, place)))

        for tool in tools:
            tool.validate, tool.invoke = rewriting(tool.validate), rewriting(tool.invoke)

    def _wanted(self, tools: list[Tool]) -> list[Tool]:
        """Return the tools that are asked for, and tell of them."""
        options, names = self.options, [tool.name for tool in tools]
        tools = [tool for tool in tools if not options.tools or tool.name in options.tools]
        left = [tool.name for tool in tools]
        for known, wanted in ((names, options.tools), (left, (*options.reads, *options.writes))):
            for name in wanted:
                if name not in known:
                    raise UserError(
                        f"{options.target} has no tool {name!r}; its tools are {', '.join(names)}"
                    )
        return tools

    def _search(self, everyone: list[Tool], hosts: Hosts, folder: Path, enforced: Enforced) -> None:
        """Do the job with those tools that are wanted. ``folder``: the one in which the tools are."""
        options = self.options
        self._rewrite(everyone)
        tools = self._wanted(everyone)
        about = [
            {"name": t.name, "description": t.description, "schema": t.schema, "skipped": t.skipped,
             "source": code_of(t), "place": place_of(t), "wrapped": t.wrapped,
             "variable": t.variable} for t in tools
        ]  # fmt: skip
        self.send("tools", sandbox=asdict(enforced), tools=about)

        def stage_of(several: list[Tool]) -> Stage:
            return Stage(hosts, {one.name: one for one in several}, options.call_limit)

        usable, known = ([t for t in several if not t.skipped] for several in (everyone, tools))
        if not known:
            return
        stage = stage_of(known)
        if self.job.work == "serve":
            serve_calls(stage, folder, self.commands, self.send)
            return
        if self.job.work == "play":
            stage.violates = True
            played = stage.play(self.job.play, agent=len(self.job.play) == 1)
            self.send("played", made=[asdict(one) for one in played])
            return
        exists = Known(options.examples, self.origin if self.shown else None, self.shown)
        if len(usable) > 1:
            readers = stage_of(usable)
            self._survives("reading", lambda: exists.ask(readers, roles_in(readers.tools, options)))
        done: list[Fuzzing] = []
        for tool in known:
            fuzzing = Fuzzing(tool, hosts[tool.name], options, self.send)
            fuzzing.search.use(*exists.of_tool(tool))
            if self._survives(tool.name, fuzzing.run):
                done.append(fuzzing)
        if len(done) > 1 and options.most_sequences:
            search = Sequences(stage_of([one.tool for one in done]), options, self.send, done)
            seconds = options.seconds / 4 if options.seconds else None
            self._survives("sequences", lambda: search.run(options.most_sequences, seconds))

    def _survives(self, what: str, work: Callable[[], None]) -> bool:
        """Tell of an error of planscope's own in one search; the others go on. Return whether there was none."""
        done = attempt(work)
        if not isinstance(done, Raised):
            return True
        if isinstance(done.error, UserError | ServerGone | BrokenPipeError):
            raise done.error
        text = f"{what}: a bug in planscope ended this search: {done.error!r}; what it found before stays."
        self.send("remark", text=text[:1000])
        return False


def _needed(base: str, words: list[str]) -> list[str]:
    """Return the paths of the user that tools and a server's command need: Python, its paths, and what is imported."""
    top = [module for name, module in list(sys.modules.items()) if "." not in name]
    files = [Path(file) for module in top if (file := getattr(module, "__file__", None))]
    packages = [str(file.parent if file.name.startswith("__init__.") else file) for file in files]
    named = [word for word in words if "/" in word and Path(word).exists()]
    beside = [str(Path(word).parent) for word in named if Path(word).is_file()]
    path = os.environ.get("PATH", "").split(os.pathsep)
    named += _python_of(words[0]) if words else []
    return [sys.prefix, sys.base_prefix, *sys.path, *packages, base, *path, *named, *beside]


def _python_of(command: str) -> list[str]:
    """Return where the Python of a script and its packages are, if the script's first line names one; for a version
    manager's command, which only looks for the right one, where they all are."""
    path = Path(shutil.which(command) or command)
    if path.parent.name == "shims":
        return [str(path.parent.parent)]
    with suppress(OSError), path.open("rb") as stream:
        line = stream.readline(500)
        if line.startswith(b"#!/") and b"python" in line:
            return [str(Path(os.fsdecode(line[2:].split()[0])).parent.parent)]
    return []
