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
from typing import TYPE_CHECKING, NoReturn, TypeVar

from planscope.errors import UserError
from planscope.toolfuzz.engine import Job, Options
from planscope.toolfuzz.folders import COPY, ORIGIN, FolderCopy
from planscope.toolfuzz.lines import framed, moved_away
from planscope.toolfuzz.lookups import hear_of_databases
from planscope.toolfuzz.outcome import Raised, attempt

if TYPE_CHECKING:
    from planscope.toolfuzz.namespaces import Enforced
    from planscope.toolfuzz.programs import Hosts
    from planscope.toolfuzz.tools import Tool

Send = Callable[..., None]
T = TypeVar("T")


def main() -> None:
    """Read the job, and do it."""
    data = json.loads(sys.stdin.readline())
    job = Job(**{**data, "options": Options(**data["options"])}, commands=moved_away(os.dup(0)))
    out, token = moved_away(os.dup(1)), job.token
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)

    def send(event: str, **said: object) -> None:
        data = framed(token, {"event": event, **said})
        while data:
            data = data[os.write(out, data) :]

    _told(send, lambda: _work(job, send))


def _told(send: Send, work: Callable[[], None]) -> None:
    """Work, and tell the parent what goes wrong."""
    done = attempt(work)
    if isinstance(done, Raised) and isinstance(done.error, UserError):
        send("error", message=str(done.error))
    elif isinstance(done, Raised) and not isinstance(done.error, BrokenPipeError):
        shown = "".join(traceback.format_exception(done.error))
        send("error", message=f"a bug in planscope: {done.error!r}", traceback=shown)


def _work(job: Job, send: Send) -> None:
    from planscope.toolfuzz.mcp_process import address_of, command_of, is_server
    from planscope.toolfuzz.namespaces import LIVE, enter_namespaces

    options, folder = job.options, Path(job.folder)
    hear_of_databases()
    served = is_server(options.target)
    tools = [] if served else _imported(options)
    import planscope.toolfuzz.fuzzing
    import planscope.toolfuzz.known
    import planscope.toolfuzz.sequences  # noqa: F401

    live = address_of(options.target) is not None
    words = command_of(options.target, Path(job.base)) if served and not live else []
    needed = _needed(job.base, words)
    wanted = Path(os.path.realpath(options.folder)) if options.folder is not None else None
    given, origin = folder.parent / COPY, folder.parent / ORIGIN
    more = [] if wanted is None else [str(wanted), str(origin)]
    mounted = None if wanted is None else (given, wanted)
    enforced = enter_namespaces(folder, options.network, job.private, [*needed, *more], mounted)
    copy = None
    if wanted is not None:
        apart = enforced.writes != "namespace"
        copy = FolderCopy(given if apart else wanted, origin)
        if apart:
            send(
                "remark",
                text=f"--folder: no namespaces here, so the copy is at {given}, and arguments are rewritten.",
            )

    def search(sealed: Enforced) -> None:
        if served:
            if live:
                send("remark", text="The server runs elsewhere: nothing of it is sandboxed.")
            _serve(job, folder, copy, LIVE if live else sealed.of_server(), send)
            return
        inside = folder / "here"  # the mount itself behaves otherwise: it cannot be deleted, nor moved
        inside.mkdir()
        _fuzz_all(job, tools, _hosts(job, tools, inside, copy, sealed), inside, sealed, send)

    gc.collect()
    gc.freeze()
    _in_first_process(enforced, send, search)


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
    """Return where the Python of a script and its packages are, if the script's first line names one."""
    with suppress(OSError), Path(shutil.which(command) or command).open("rb") as stream:
        line = stream.readline(500)
        if line.startswith(b"#!/") and b"python" in line:
            return [str(Path(os.fsdecode(line[2:].split()[0])).parent.parent)]
    return []


def _imported(options: Options) -> list[Tool]:
    from planscope.toolfuzz.tools import load

    return load(options.target, options.reset)


def _wanted(options: Options, tools: list[Tool]) -> list[Tool]:
    names = [tool.name for tool in tools]
    tools = [tool for tool in tools if not options.tools or tool.name in options.tools]
    left = [tool.name for tool in tools]
    for known, wanted in ((names, options.tools), (left, (*options.reads, *options.writes))):
        for name in wanted:
            if name not in known:
                raise UserError(f"{options.target} has no tool {name!r}; its tools are {', '.join(names)}")
    return tools


def _announce(job: Job, tools: list[Tool], enforced: Enforced, send: Send) -> list[Tool]:
    """Tell of the tools that are wanted, and return them."""
    from planscope.toolfuzz.tools import code_of, place_of

    tools = _wanted(job.options, tools)
    about = [
        {"name": t.name, "description": t.description, "schema": t.schema, "skipped": t.skipped,
         "source": code_of(t), "place": place_of(t)} for t in tools
    ]  # fmt: skip
    send("tools", sandbox=enforced.as_data(), tools=about)
    return tools


def _in_first_process(enforced: Enforced, send: Send, work: Callable[[Enforced], None]) -> NoReturn:
    """Work in the first process of the new namespace: when it ends, everything in it ends."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    from planscope.toolfuzz.namespaces import seal
    from planscope.toolfuzz.sandbox import die_with_parent

    die_with_parent()
    sealed = seal(enforced)

    def whole() -> None:
        work(sealed)
        send("end")

    try:
        _told(send, whole)
    finally:
        os._exit(0)


def _serve(job: Job, folder: Path, copy: FolderCopy | None, enforced: Enforced, send: Send) -> None:
    from planscope.toolfuzz.mcp_tools import ServerGone, serve

    if job.options.reset:
        raise UserError(
            "--reset cannot reach into a server; it is started anew for each tool and confirmation"
        )
    options = job.options
    tools, hosts = serve(options.target, folder, Path(job.base), copy, options.live_writes)
    server = next(iter(hosts.values())).server
    for fault in server.faults:
        if fault.what == "endless list":
            send("remark", text=f"The server breaks the protocol: {fault.message}.")
    _rewrite(tools, job, copy)
    try:
        _fuzz_all(job, tools, hosts, folder / "work", enforced, send)
    except ServerGone as error:
        send("remark", text=f"The search ended early: {error}.")
    finally:
        server.stop()


def _rewrite(tools: list[Tool], job: Job, copy: FolderCopy | None) -> None:
    """Have calls name the copy of a folder where it could not be put at its own path."""
    before = "" if copy is None else os.path.realpath(str(job.options.folder))
    if copy is None or before == str(copy.place):
        return

    def rewriting(work: Callable[[dict[str, object]], T]) -> Callable[[dict[str, object]], T]:
        return lambda given: work(json.loads(json.dumps(given).replace(before, str(copy.place))))

    for tool in tools:
        tool.validate, tool.invoke = rewriting(tool.validate), rewriting(tool.invoke)


def _hosts(job: Job, tools: list[Tool], folder: Path, copy: FolderCopy | None, enforced: Enforced) -> Hosts:
    from planscope.toolfuzz.host import Host

    found = {}
    _rewrite(tools, job, copy)
    for tool in tools:
        if not tool.skipped:
            places = tool.places()
            places.sandbox, places.temporary = str(folder), str(folder.parent.parent)
            places.base, places.folder = job.base, str(copy.place) if copy is not None else ""
            found[tool.name] = Host(
                folder, places, job.options.network, enforced.processes == "allowed", copy
            )
    return found


def _fuzz_all(
    job: Job, everyone: list[Tool], hosts: Hosts, folder: Path, enforced: Enforced, send: Send
) -> None:
    """Do the job with those tools that are wanted. ``folder``: the one in which the tools are."""
    from planscope.toolfuzz.fuzzing import Fuzzing
    from planscope.toolfuzz.known import Known
    from planscope.toolfuzz.programs import Stage
    from planscope.toolfuzz.sequences import Sequences, roles_in
    from planscope.toolfuzz.serving import serve

    options = job.options
    tools = _announce(job, everyone, enforced, send)
    known = {tool.name: tool for tool in tools if not tool.skipped}
    stage = Stage({name: hosts[name] for name in known}, known, options.call_limit)
    if not known:
        return
    if job.work == "serve":
        serve(stage, folder, job.commands, send)
        return
    if job.work == "play":
        played = stage.play(job.play, agent=len(job.play) == 1, violates=True)
        send("played", made=[asdict(one) for one in played])
        return
    shown = os.path.realpath(options.folder) if options.folder is not None else ""
    exists = Known(options.examples, Path(job.folder).parent / ORIGIN if shown else None, shown)
    usable = {tool.name: tool for tool in everyone if not tool.skipped}
    if len(usable) > 1:
        _survived(
            "reading",
            send,
            lambda: exists.ask(Stage(hosts, usable, options.call_limit), roles_in(usable, options)),
        )
    done: list[Fuzzing] = []
    for tool in known.values():
        fuzzing = Fuzzing(tool, hosts[tool.name], options, send)
        fuzzing.search.use(*exists.of_tool(tool))
        if _survived(tool.name, send, fuzzing.run):
            done.append(fuzzing)
    if len(done) > 1 and options.most_sequences:
        forms = {form for one in done for form in one.findings.forms}
        searches = {one.tool.name: one.search for one in done}
        tried = Stage({n: hosts[n] for n in searches}, {n: known[n] for n in searches}, options.call_limit)
        seconds = options.seconds / 4 if options.seconds else None
        search = Sequences(tried, options, send, searches, forms)
        _survived("sequences", send, lambda: search.run(options.most_sequences, seconds))


def _survived(what: str, send: Send, work: Callable[[], None]) -> bool:
    """Tell of an error of planscope's own in one search; the others go on. Return whether there was none."""
    from planscope.toolfuzz.mcp_tools import ServerGone

    done = attempt(work)
    if not isinstance(done, Raised):
        return True
    if isinstance(done.error, UserError | ServerGone | BrokenPipeError):
        raise done.error
    text = f"{what}: a bug in planscope ended this search: {done.error!r}; what it found before stays."
    send("remark", text=text[:1000])
    return False
