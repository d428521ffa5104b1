"""The process that imports the tools and fuzzes them. It speaks JSON lines with its parent (``engine.py``).

First line in: the job (:func:`main`). Lines out: ``tools``, then for each tool ``finding`` (again when it is shrunk),
``progress`` and ``done``; ``error`` with one line if the target cannot be used.

Calls are made in forks of this process (``host.py``), so this process keeps what was learned, whatever a tool does.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from planscope.errors import UserError
from planscope.toolfuzz.lines import framed, moved_away

if TYPE_CHECKING:
    from planscope.toolfuzz.host import Host
    from planscope.toolfuzz.mcp_tools import ServerHost
    from planscope.toolfuzz.namespaces import Enforced
    from planscope.toolfuzz.tools import Tool

    Hosts = Mapping[str, Host | ServerHost]

Send = Callable[[Mapping[str, object]], None]


def main() -> None:
    """Read the job, and do it."""
    job = json.loads(sys.stdin.readline())
    job["commands"] = moved_away(os.dup(0))
    out, token = moved_away(os.dup(1)), str(job["token"])
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)

    def send(message: Mapping[str, object]) -> None:
        data = framed(token, message)
        while data:
            data = data[os.write(out, data) :]

    _told(send, lambda: _work(job, send))


def _told(send: Send, work: Callable[[], None]) -> None:
    """Work, and tell the parent what goes wrong."""
    try:
        work()
    except UserError as error:
        send({"event": "error", "message": str(error)})
    except BrokenPipeError:
        pass
    except Exception as error:
        send(_bug(error))


def _bug(error: Exception) -> dict[str, str]:
    """Return what the parent is told about an error of planscope itself."""
    import traceback

    return {
        "event": "error",
        "message": f"a bug in planscope: {error!r}",
        "traceback": "".join(traceback.format_exception(error)),
    }


def _work(job: dict[str, Any], send: Send) -> None:
    from planscope.toolfuzz.mcp_process import command_of, is_server
    from planscope.toolfuzz.namespaces import enter_namespaces

    folder = Path(job["folder"])
    served = is_server(job["target"])
    tools = [] if served else _wanted(job, _imported(job))
    import planscope.toolfuzz.drawn
    import planscope.toolfuzz.fuzzing
    import planscope.toolfuzz.sequences  # noqa: F401

    words = command_of(job["target"], Path(job["base"])) if served else []
    needed = _needed(job["base"], words)
    enforced = enter_namespaces(folder, bool(job.get("network")), job["private"], needed)
    if served:
        _in_first_process(enforced, send, lambda sealed: _serve(job, folder, sealed.of_server(), send))

    def search(sealed: Enforced) -> None:
        _announce(tools, sealed, send)
        inside = folder / "here"  # the mount itself behaves otherwise: it cannot be deleted, nor moved
        inside.mkdir()
        _fuzz_all(job, tools, _hosts(job, tools, inside, sealed), inside, send)

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
    return [sys.prefix, sys.base_prefix, *sys.path, *packages, base, *path, *named, *beside]


def _imported(job: dict[str, Any]) -> list[Tool]:
    from planscope.toolfuzz.tools import load

    return load(job["target"], job.get("reset"))


def _wanted(job: dict[str, Any], tools: list[Tool]) -> list[Tool]:
    wanted = job.get("tools") or []
    names = [tool.name for tool in tools]
    for name in wanted:
        if name not in names:
            raise UserError(f"{job['target']} has no tool {name!r}; its tools are {', '.join(names)}")
    tools = [tool for tool in tools if not wanted or tool.name in wanted]
    for name in (*job["reads"], *job["writes"]):
        if name not in [tool.name for tool in tools]:
            raise UserError(f"{job['target']} has no tool {name!r}; its tools are {', '.join(names)}")
    return tools


def _announce(tools: list[Tool], enforced: Enforced, send: Send) -> None:
    from planscope.toolfuzz.tools import code_of, place_of

    send({
        "event": "tools",
        "sandbox": enforced.as_data(),
        "tools": [
            {"name": t.name, "description": t.description, "schema": t.schema, "skipped": t.skipped,
             "source": code_of(t), "place": place_of(t)} for t in tools
        ],
    })  # fmt: skip


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
        send({"event": "end"})

    try:
        _told(send, whole)
    finally:
        os._exit(0)


def _serve(job: dict[str, Any], folder: Path, enforced: Enforced, send: Send) -> None:
    from planscope.toolfuzz.mcp_tools import ServerGone, serve

    if job.get("reset"):
        raise UserError(
            "--reset cannot reach into a server; it is started anew after 100 calls and for each confirmation"
        )
    tools, hosts = serve(job["target"], folder, Path(job["base"]))
    for fault in next(iter(hosts.values())).server.faults:
        if fault.what == "endless list":
            send({"event": "remark", "text": f"The server breaks the protocol: {fault.message}."})
    tools = _wanted(job, tools)
    _announce(tools, enforced, send)
    try:
        _fuzz_all(job, tools, hosts, folder / "work", send)
    except ServerGone as error:
        send({"event": "remark", "text": f"The search ended early: {error}."})


def _hosts(job: dict[str, Any], tools: list[Tool], folder: Path, enforced: Enforced) -> Hosts:
    from planscope.toolfuzz.host import Host

    found = {}
    for tool in tools:
        if not tool.skipped:
            places = tool.places()
            places.sandbox, places.temporary = str(folder), str(folder.parent.parent)
            places.base = job.get("base", "")
            found[tool.name] = Host(folder, places, bool(job.get("network")), enforced.processes == "allowed")
    return found


def _fuzz_all(job: dict[str, Any], tools: list[Tool], hosts: Hosts, folder: Path, send: Send) -> None:
    """Do the job. ``folder``: the one in which the tools are."""
    from planscope.toolfuzz.fuzzing import Fuzzing
    from planscope.toolfuzz.sequences import Sequences, Stage

    tools = [tool for tool in tools if not tool.skipped]
    places = {tool.name: hosts[tool.name].places for tool in tools}
    done: list[Fuzzing] = []
    if tools and job.get("serve"):
        from planscope.toolfuzz.serving import serve

        serve({t.name: t for t in tools}, hosts, folder, job["commands"], job["call_limit"], send)
        tools = []
    if tools and job.get("play"):
        stage = Stage(hosts[tools[0].name], {t.name: t for t in tools}, places, job["call_limit"])
        played = stage.play_these(job["play"])
        send({"event": "played", **asdict(played)})
        tools = []
    for tool in tools:
        host = hosts[tool.name]
        start = time.monotonic()
        if job.get("send"):
            Fuzzing(tool, host, {**job, "blind": True}, send).send_one(
                job["send"]["needs"], job["send"]["given"]
            )
        else:
            fuzzing = Fuzzing(tool, host, job, send)
            with _survived(tool.name, send):
                fuzzing.run()
                done.append(fuzzing)
        send({"event": "done", "tool": tool.name, "seconds": time.monotonic() - start})
    if len(done) > 1 and job.get("sequences"):
        stage = Stage(hosts[tools[0].name], {t.name: t for t in tools}, places, job["call_limit"])
        known = {one.tool.name: set(one.forms) for one in done}
        searches = {one.tool.name: one.search for one in done}
        seconds = job["seconds"] / 4 if job["seconds"] else None
        with _survived("sequences", send):
            Sequences(stage, job, send, searches, known).run(job["sequences"], seconds)


@contextmanager
def _survived(what: str, send: Send) -> Iterator[None]:
    """Tell of an error of planscope's own in one search; the others go on."""
    from planscope.toolfuzz.mcp_tools import ServerGone

    try:
        yield
    except (UserError, ServerGone, BrokenPipeError):
        raise
    except Exception as error:
        text = f"{what}: a bug in planscope ended this search: {error!r}; what it found before stays."
        send({"event": "remark", "text": text[:1000]})
