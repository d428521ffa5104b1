"""Which tools there are: those that the traces of a batch or the runs of a session call or define, and those that the
user names. A rule about any other tool is not silently kept."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.oracle.trace import Trace
    from planscope.session.model import Session
    from planscope.traces.source import Source

SMALL = 8 * 2**20
"""Files that are smaller, all together, are read for the names of their tools before they are judged."""


def tools_of(traces: Iterable[Trace]) -> set[str]:
    """Return the tools that traces call or define."""
    return {name for trace in traces for name in (*trace.tools, *(call.tool for call in trace.calls))}


def tools_of_session(session: Session) -> frozenset[str]:
    """Return the tools that a session's queries have, and that its runs call or were given."""
    from planscope.session.model import CallEvent, PromptEvent

    found = {action.tool for variant in session.variants for action in variant.actions}
    for run in session.runs:
        for event in run.events:
            if isinstance(event, CallEvent):
                found.add(event.tool)
            elif isinstance(event, PromptEvent):
                found.update(tool.name for tool in event.tools or ())
    return frozenset(found)


def tools_in(where: str | Source) -> set[str] | None:
    """Return the tools of a file, folder or glob of traces, or of a source, which stays as it is; None if it is too
    large to be read only for them."""
    from planscope.traces.opening import open_traces, sources
    from planscope.traces.source import Source

    if where == "-":
        return None
    size = 0
    for source in sources([where], lambda line: None):
        size += source.path.stat().st_size if source.path is not None else source.raw().seek(0, 2)
        source.close()
        if size >= SMALL:
            return None
    once = where if isinstance(where, str) else Source(where.name, where.opened)
    return tools_of(open_traces([once], on_problem=lambda line: None))


def tools_named(path: str | Source, names: Iterable[str]) -> set[str]:
    """Return those of the names that are in large files of traces, as JSON has them. What such a file does not hold is
    no tool in it; whether the others are tools is known at the end."""
    from planscope.traces.opening import sources

    left = {name: json.dumps(name).encode() for name in names}
    found: set[str] = set()
    for source in sources([path], lambda line: None):
        source.close()
        if source.path is None or source.path.suffix in (".gz", ".zst", ".eval"):
            return set(names)
        with (
            suppress(ValueError, OSError),
            source.path.open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            found |= {name for name, wanted in left.items() if name not in found and data.find(wanted) >= 0}
    return found


def read_tools(text: str) -> set[str]:
    """Return the tools of a file that names them: a name on each line, or JSON with names or definitions of tools, as
    OpenAI, Anthropic and MCP have them. Raises UserError."""
    if text.lstrip()[:1] not in ("[", "{"):
        lines = (line.partition("#")[0].strip().strip("-*,` \t") for line in text.splitlines())
        return {line for line in lines if line}
    try:
        found = set(_defined(json.loads(text)))
    except (ValueError, RecursionError) as error:
        raise UserError(f"the tools cannot be read as JSON: {error}") from None
    if not found:
        raise UserError("there is no tool in it; give names, one a line, or definitions of tools as JSON")
    return found


def _defined(data: object) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, list):
        for one in data:
            yield from _defined(one)
    elif isinstance(data, dict):
        inner = data["function"] if isinstance(data.get("function"), dict) else data
        if isinstance(inner.get("name"), str):
            yield inner["name"]
        else:
            yield from _defined(data.get("tools"))
