"""The tools of a recorded session: their schemas as the model saw them, and what they answered.

There is nothing to call, so nothing of this is a runtime target; correctness is judged on the recorded answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from planscope.errors import UserError
from planscope.session.model import Session
from planscope.session.record import RunRecord, record_of
from planscope.toolfuzz.outcome import OK, Call, Made, Outcome
from planscope.toolfuzz.tool_report import ToolReport

MOST_EXAMPLES = 5
"""Recorded calls of a tool that a model is told."""

NO_SCHEMA = "no run recorded its schema"


def session_of(target: str) -> Path | None:
    """Return the session file that a target names, or None if it names something else.

    A target with a colon or an equals sign is a module's object, a server or a schema with its function. Another is a
    session or a trace if there is such a file, or if the library has a session of that name. Raises UserError for a
    file of code.
    """
    from planscope.session.locations import SUFFIXES, in_library

    file, _, named = target.partition(":")
    if file.endswith(".py") and "=" not in file:
        *folders, module = Path(file).with_suffix("").parts
        where = "" if Path(file).is_absolute() or ".." in folders else ".".join([*folders, ""])
        start = "" if where or not folders else f", and start planscope in {Path(file).parent}"
        name = f"{where}{module}:{named or 'TOOLS'}{start}"
        raise UserError(f"{file} is a file of code; name what to fuzz in it, as in: planscope fuzz {name}")
    path = Path(target)
    if target.endswith(tuple(SUFFIXES)) and (path.exists() or not target.startswith("mcp:")):
        return path
    if ":" in target or "=" in target:
        return None
    return path if path.is_file() else in_library(target)


def _session_in(path: Path) -> Session:
    """Return a session, or the traces of a file as one. Raises UserError."""
    from planscope.session.locations import SUFFIXES
    from planscope.session.store import load
    from planscope.session.traces import session_of as session_of_traces
    from planscope.traces import open_traces

    return load(path) if path.name.endswith(SUFFIXES) else session_of_traces([*open_traces([path])])


def recorded_tools(path: Path) -> dict[str, tuple[ToolReport, list[Made]]]:
    """Return the tools that a session's runs were given or called, in the order in which they came first, each with its
    answers. A tool without a schema is skipped.

    A later run's description and schema replace an earlier one's. An answer that the user changed is as the tool gave
    it. Calls that did not reach the tool are left out. Raises UserError if the session cannot be read or has no tool.
    """
    found: dict[str, tuple[ToolReport, list[Made]]] = {}
    for run in _session_in(path).runs:
        record = record_of(run)
        for one in offered_to(record):
            tool, _ = found.setdefault(one.name, (one, []))
            tool.description = one.description or tool.description
            if one.skipped is None:
                tool.schema, tool.skipped = one.schema, None
        for call in record.calls:
            _, answers = found.setdefault(call.tool, (ToolReport(call.tool, skipped=NO_SCHEMA), []))
            text = call.answer if call.said is None else call.said
            if call.arguments is not None and text is not None and not call.refused_by and not call.error:
                outcome = Outcome("returned", message=text) if call.failed else OK
                answers.append(Made(call.tool, dict(call.arguments), text, outcome))
                tool = found[call.tool][0]
                if call.arguments not in tool.examples and len(tool.examples) < MOST_EXAMPLES:
                    tool.examples.append(dict(call.arguments))
    if not found:
        raise UserError(f"{path} has no tool; record a run first, or name module:object")
    return found


def recorded_calls(path: Path) -> list[Call]:
    """Return the calls of a session's runs that worked."""
    with suppress(UserError):  # nothing was recorded
        several = (answers for _, answers in recorded_tools(path).values())
        return [
            Call(tool=one.tool, arguments=one.arguments)
            for some in several
            for one in some
            if one.outcome is OK
        ]
    return []


def offered_to(record: RunRecord) -> list[ToolReport]:
    """Return the tools that a run was given, as far as it recorded them."""
    from planscope.session.seen import given_at_first

    part = next((one for one in given_at_first(record) if one.name == "tools" and one.known), None)
    offered = part.value if part is not None and isinstance(part.value, list) else []
    made = []
    for one in offered:
        if isinstance(one, Mapping) and "name" in one:
            schema = one.get("parameters")
            known = dict(schema) if isinstance(schema, Mapping) else None
            skipped = NO_SCHEMA if known is None else None
            made.append(ToolReport(str(one["name"]), str(one.get("description") or ""), known or {}, skipped))
    return made
