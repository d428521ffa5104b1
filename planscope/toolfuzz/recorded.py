"""The tools of a recorded session: their schemas as the model saw them, and what they answered.

There is nothing to call, so nothing of this is a runtime target; correctness is judged on the recorded answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from planscope.errors import UserError
from planscope.session.record import RunRecord, record_of


@dataclass(frozen=True)
class RecordedAnswer:
    """One answer of a tool: to which arguments, in which run, at which call of it (from 1)."""

    arguments: Mapping[str, object]
    text: str
    failed: bool
    run: str
    step: int


@dataclass
class RecordedTool:
    """A tool as runs recorded it. ``schema``: the JSON schema of its arguments; None if no run recorded one."""

    name: str
    description: str = ""
    schema: dict[str, object] | None = None
    answers: list[RecordedAnswer] = field(default_factory=list)


def session_of(target: str) -> Path | None:
    """Return the session file that a target names, or None if it names something else.

    A target with a colon or an equals sign is a module's object, a server or a schema with its function. A name is a
    session if its file ends in ``.planscope.json`` or ``.planscope.json.gz``, or if the library has one of that name.
    """
    from planscope.session.locations import SUFFIXES, in_library

    path = Path(target)
    if target.endswith(tuple(SUFFIXES)) and (path.exists() or not target.startswith("mcp:")):
        return path
    return None if ":" in target or "=" in target else in_library(target)


def recorded_tools(path: Path) -> list[RecordedTool]:
    """Return the tools that a session's runs were given or called, in the order in which they came first.

    A later run's description and schema replace an earlier one's. An answer that the user changed is as the tool gave
    it. Calls that did not reach the tool are left out. Raises UserError if the session cannot be read or has no tool.
    """
    from planscope.session.store import load

    found: dict[str, RecordedTool] = {}
    for run in load(path).runs:
        record = record_of(run)
        for name, description, schema in _offered(record):
            tool = found.setdefault(name, RecordedTool(name))
            tool.description = description or tool.description
            tool.schema = schema if schema is not None else tool.schema
        for step, call in enumerate(record.calls, 1):
            tool = found.setdefault(call.tool, RecordedTool(call.tool))
            text = call.answer if call.said is None else call.said
            if call.arguments is not None and text is not None and not call.refused_by and not call.error:
                tool.answers.append(RecordedAnswer(call.arguments, text, call.failed, run.id, step))
    if not found:
        raise UserError(f"{path} has no tool; record a run first, or name module:object")
    return list(found.values())


def _offered(record: RunRecord) -> list[tuple[str, str, dict[str, object] | None]]:
    from planscope.session.seen import given_at_first

    part = next((one for one in given_at_first(record) if one.name == "tools" and one.known), None)
    offered = part.value if part is not None and isinstance(part.value, list) else []
    return [
        (
            str(one["name"]),
            str(one.get("description") or ""),
            dict(one["parameters"]) if isinstance(one.get("parameters"), Mapping) else None,
        )
        for one in offered
        if isinstance(one, Mapping) and "name" in one
    ]
