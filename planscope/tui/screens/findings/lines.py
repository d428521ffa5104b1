"""Lays out the list of findings, and the chosen one with its call, its place and its documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from planscope.session.model import FuzzFinding, Fuzzing
from planscope.toolfuzz.formats import MEANINGS, agent_lines, smallest_lines, title
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.tui.controllers.finding_list import Row
from planscope.tui.keys import key_for
from planscope.tui.screens.findings.set_lines import marks, set_lines
from planscope.tui.style.lines import BLANK, Line, Run, labelled, line, paragraph, shown
from planscope.wording import phrases

_MOST_TOOL = 24
_MARGIN = 10
_LONGEST = 2000
_PROMPTS = "prompts"
"""The kind of a set of prompts that is not faulty."""


class Columns(NamedTuple):
    """The widths of the tools' names and of the kinds, in cells, equal in all rows."""

    tool: int
    kind: int


def columns_of(rows: Sequence[Row]) -> Columns:
    tool = max((len(shown(row.tool, _MOST_TOOL)) for row in rows), default=0)
    return Columns(tool, max((len(shown(_kind(row), 14)) for row in rows), default=0))


def _kind(row: Row) -> str:
    return _PROMPTS if row.finding is None else row.finding.kind


def row_line(row: Row, chosen: bool, columns: Columns) -> Line:
    """Lay out one finding: the tool, the kind, the error, and the steps that failed so."""
    one = row.finding
    if row.set is not None:
        told = f"{''.join(marks(row.set))} {row.set.template}"
    else:
        told = title({**one.model_dump(), "kind": ""}) if one is not None else ""
    role = "dim" if one is None or one.kind in LISTED_ONLY else "broken"
    steps = f"← {phrases.plural(len(row.steps), 'step')}  " if row.steps and row.set is None else ""
    return line(
        Run("▶ " if chosen else "  ", "mark"),
        Run(f"{shown(row.tool, _MOST_TOOL):<{columns.tool}}  ", "label"),
        Run(f"{shown(_kind(row), 14):<{columns.kind}}  ", role),
        Run(steps, "caution"),
        Run(shown(told or MEANINGS.get(_kind(row), ""), 200), "dim" if one is None else ""),
        ground="cursor" if chosen else "",
    )


def empty_lines(fuzzings: Sequence[Fuzzing], width: int) -> list[Line]:
    tools = sum(len(one.tools) for one in fuzzings)
    calls = phrases.plural(sum(one.calls for one in fuzzings), "call")
    return [
        Line(runs)
        for runs in paragraph(f"Nothing was found in {phrases.plural(tools, 'tool')}: {calls}.", width, "dim")
    ]


def chosen_title(row: Row | None) -> list[Run]:
    return (
        []
        if row is None
        else [Run(shown(row.tool, 40), "title"), Run(f" {shown(row.fuzzing.target, 60)}", "dim")]
    )


def chosen_lines(row: Row | None, width: int) -> list[Line]:
    """Describe a finding: the error, the smallest call, the steps of runs, the place, the tool's documentation."""
    if row is None:
        return []
    if row.set is not None or row.finding is None:
        return set_lines(row, width)
    one, finding = row.finding, row.finding.model_dump()
    lines = [Line(runs) for runs in paragraph(title(finding), width, "broken", _LONGEST)]
    lines += [Line(runs) for runs in paragraph(MEANINGS.get(one.kind, ""), width, "dim")]
    lines.append(BLANK)
    lines += _calls(one, finding, width)
    lines += _steps(row, width)
    for label, text, role in _facts(row.fuzzing, one):
        lines += _part(label, text, width, role)
    if one.traceback:
        lines += [BLANK, line(Run("Traceback", "label"))]
        lines += [
            Line(part) for text in one.traceback.splitlines()[-60:] for part in paragraph(text, width, "dim")
        ]
    return lines


def _part(label: str, text: str, width: int, role: str = "") -> list[Line]:
    body = paragraph(text, max(width - _MARGIN, 10), role, _LONGEST)
    return [Line(runs) for runs in labelled(label, body, indent=_MARGIN)]


def _calls(one: FuzzFinding, finding: dict[str, object], width: int) -> Iterator[Line]:
    calls = smallest_lines(finding)
    several = isinstance(one.input, list)
    label = "calls" if several else "smallest" if one.shrunk is not None else "sent"
    for k, call in enumerate(calls):
        yield from _part(label if k == 0 else "", call, width, "quote")
    if one.needs:
        yield from _part("", f"only after {phrases.plural(len(one.needs), 'other call')}", width, "caution")


def _steps(row: Row, width: int) -> Iterator[Line]:
    if not row.steps:
        return
    told = [
        f"step {one.step} of run {one.run}" + " (these arguments)" * one.exactly for one in row.steps[:12]
    ]
    more = f", and {len(row.steps) - 12:,} more" if len(row.steps) > 12 else ""
    text = f"{', '.join(told)}{more} failed so; {key_for('open-step')} opens it"
    yield from _part("in runs", text, width, "caution")


def _facts(fuzzing: Fuzzing, one: FuzzFinding) -> Iterator[tuple[str, str, str]]:
    if one.location:
        yield "at", one.location, ""
    if one.source:
        yield "line", one.source, "quote"
    for k, text in enumerate(agent_lines(one.model_dump())):
        yield "model" if k == 0 else "", text, ""
    yield "found", f"in call {one.at_call:,}, {phrases.plural(one.occurrences, 'time')}", ""
    documented = next((tool.description for tool in fuzzing.tools if tool.tool == one.tool), "")
    if documented:
        yield "says", " ".join(documented.split()), ""
    if one.documented:
        yield "", "The documentation states the limit.", "dim"
    if one.printed:
        yield "printed", one.printed, "dim"
