"""The tools of a recorded session: their schemas as the model saw them, and what they answered.

There is nothing to call, so nothing of this is a runtime target; correctness is judged on the recorded answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from planscope.errors import UserError
from planscope.session.record import RunRecord, record_of
from planscope.toolfuzz.outcome import OK, Made, Outcome
from planscope.toolfuzz.tool_report import ToolReport

NO_SCHEMA = "no run recorded its schema"


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


def recorded_tools(path: Path) -> dict[str, tuple[ToolReport, list[Made]]]:
    """Return the tools that a session's runs were given or called, in the order in which they came first, each with its
    answers. A tool without a schema is skipped.

    A later run's description and schema replace an earlier one's. An answer that the user changed is as the tool gave
    it. Calls that did not reach the tool are left out. Raises UserError if the session cannot be read or has no tool.
    """
    from planscope.session.store import load

    found: dict[str, tuple[ToolReport, list[Made]]] = {}
    for run in load(path).runs:
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
    if not found:
        raise UserError(f"{path} has no tool; record a run first, or name module:object")
    return found


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
