"""Lays out the list of findings, and the chosen one with its call, its place and its documentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planscope.session.model import FuzzedTool, FuzzFinding, Fuzzing
from planscope.toolfuzz.formats import MEANINGS, agent_lines, label_text, smallest_lines, title
from planscope.toolfuzz.mended import difference
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.toolfuzz.report import is_counted
from planscope.tui.controllers.finding_list import Row
from planscope.tui.keys import key_for
from planscope.tui.panes.columns import Column
from planscope.tui.screens.findings.set_lines import marks, part, set_lines
from planscope.tui.style.lines import BLANK, Line, Run, line, paragraph, shown, wrapped
from planscope.wording import phrases

_MOST_TOOL = 24
_MARGIN = 10
_LONGEST = 2000
_PROMPTS = "prompts"
"""The kind of a set of prompts that is not faulty."""


def columns_of(rows: Sequence[Row], hidden: bool) -> tuple[Column[Row], ...]:
    """Return the columns of the list, as wide as their longest texts. ``hidden``: without verdicts."""
    tool = max((len(shown(row.tool, _MOST_TOOL)) for row in rows), default=0)
    kind = max((len(shown(_kind(row), 14)) for row in rows), default=0)
    label = max((len(_short_label(row)) for row in rows), default=0)
    return (
        Column("", tool, lambda row: [Run(shown(row.tool, _MOST_TOOL), "label")]),
        Column("", kind, lambda row: [_kind_run(row, hidden)]),
        *([Column[Row]("", label, lambda row: [Run(_short_label(row), "mark")])] if label else []),
        Column("", 0, lambda row: _told(row, hidden), gap=0),
    )


def _label(row: Row) -> str:
    one = row.labelled
    return "" if one is None else label_text(one)


def _kind(row: Row) -> str:
    if row.only is not None:
        return "skipped" if row.only.skipped else "nothing"
    return _PROMPTS if row.finding is None else row.finding.kind


def _short_label(row: Row) -> str:
    return _label(row).removesuffix("-specified").replace(",", "")


def _shown_kind(row: Row, hidden: bool) -> str:
    """Return the kind of a row. ``hidden``: a set of prompts does not tell whether it is faulty."""
    return _PROMPTS if hidden and row.set is not None else _kind(row)


def _kind_run(row: Row, hidden: bool) -> Run:
    one = row.finding
    listed = one is not None and (one.kind in LISTED_ONLY if hidden else not is_counted(one))
    dim = one is None or (hidden and row.set is not None) or listed
    return Run(shown(_shown_kind(row, hidden), 14), "dim" if dim else "broken")


def _told(row: Row, hidden: bool) -> list[Run]:
    """Tell the steps that failed so, and the error or the prompt."""
    one = row.finding
    if row.set is not None:
        told = row.set.template if hidden else f"{''.join(marks(row.set))} {row.set.template}"
    elif row.only is not None:
        told = row.only.skipped or f"found in {phrases.plural(row.only.calls, 'call')}"
    else:
        told = title(one, with_kind=False) if one is not None else ""
    steps = f"← {phrases.plural(len(row.steps), 'step')}  " if row.steps and row.set is None else ""
    text = shown(told or MEANINGS.get(_shown_kind(row, hidden), ""), 200)
    return [Run(steps, "caution"), Run(text, "dim" if one is None and not hidden else "")]


def empty_lines(fuzzings: Sequence[Fuzzing], running: bool, width: int) -> list[Line]:
    """Say why no finding is listed."""
    if running:
        told = "Findings are listed when the search ends."
    elif not fuzzings:
        told = (
            f"No tool was fuzzed for this session. {key_for('run-fuzzer')} asks for a target and fuzzes it."
        )
    else:
        tools = sum(len(one.tools) for one in fuzzings)
        calls = phrases.plural(sum(one.calls for one in fuzzings), "call")
        told = f"Nothing was found in {phrases.plural(tools, 'tool')}: {calls}."
    return wrapped(told, width, "dim")


def chosen_title(row: Row | None) -> list[Run]:
    return (
        []
        if row is None
        else [Run(shown(row.tool, 40), "title"), Run(f" {shown(row.fuzzing.target, 60)}", "dim")]
    )


def chosen_lines(row: Row | None, width: int, hidden: bool = False) -> list[Line]:
    """Describe a finding: the error, the smallest call, the steps of runs, the place, the tool's documentation.

    ``hidden``: without what planscope and the model conclude.
    """
    if row is None:
        return []
    if row.only is not None:
        return _tool_lines(row.only, width)
    if row.set is not None or row.finding is None:
        return [*_labels(row, width), *set_lines(row, width, hidden), *mended_lines(row, width, hidden)]
    one = row.finding
    lines = wrapped(title(one), width, "broken", _LONGEST)
    lines += wrapped(MEANINGS.get(one.kind, ""), width, "dim")
    lines.append(BLANK)
    lines += _labels(row, width)
    lines += _calls(one, width) if one.at_call or one.input else []
    lines += _steps(row, width)
    for label, text, role in _facts(row.fuzzing, one, hidden):
        lines += part(label, text, width, role)
    lines += mended_lines(row, width, hidden)
    if one.traceback:
        lines += [BLANK, line(Run("Traceback", "label"))]
        lines += [
            Line(part) for text in one.traceback.splitlines()[-60:] for part in paragraph(text, width, "dim")
        ]
    return lines


def mended_lines(row: Row, width: int, hidden: bool = False) -> list[Line]:
    """Show the new documentation that was proposed for the finding's tool as a diff; none if there is none."""
    if hidden:
        return []
    fix = next(
        (one for one in row.fuzzing.fixes or () if one.tool == row.tool and one.after is not None), None
    )
    if fix is None or fix.after is None:
        return []
    told = []
    if fix.reporting:
        right, of = fix.reporting.get("after"), fix.reporting.get("prompts")
        told.append(f"{right} of {of} prompts right, {fix.reporting.get('before')} as it was")
    if fix.written:
        told.append(f"written into {shown(fix.written, 60)}")
    lines = [BLANK, line(Run("New documentation", "label"), Run("  " + "; ".join(told), "dim"))]
    for text in difference(fix.before, fix.after, max(width - 2, 20)):
        role = {"-": "broken", "+": "holds"}.get(text[:1], "dim")
        lines += wrapped(text, width, role, _LONGEST)
    return lines


def _tool_lines(tool: FuzzedTool, width: int) -> list[Line]:
    """Describe a tool in which nothing was found."""
    said = f"It was skipped: {tool.skipped}" if tool.skipped else "Nothing was found in this tool."
    lines = wrapped(said, width, "", _LONGEST)
    lines += part("calls", f"{tool.calls:,}", width)
    if tool.description:
        lines += part("says", " ".join(tool.description.split()), width)
    return lines


def _calls(one: FuzzFinding, width: int) -> Iterator[Line]:
    calls = smallest_lines(one)
    several = isinstance(one.input, list)
    label = "calls" if several else "smallest" if one.shrunk is not None else "sent"
    for k, call in enumerate(calls):
        yield from part(label if k == 0 else "", call, width, "quote")
    if one.needs:
        yield from part("", f"only after {phrases.plural(len(one.needs), 'other call')}", width, "caution")


def _steps(row: Row, width: int) -> Iterator[Line]:
    if not row.steps:
        return
    told = [
        f"step {one.step} of run {one.run}" + " (these arguments)" * one.exactly for one in row.steps[:12]
    ]
    more = f", and {len(row.steps) - 12:,} more" if len(row.steps) > 12 else ""
    text = f"{', '.join(told)}{more} failed so; {key_for('open-step')} opens it"
    yield from part("in runs", text, width, "caution")


def _labels(row: Row, width: int) -> Iterator[Line]:
    if told := _label(row):
        yield from part("label", told, width, "mark")


def _facts(fuzzing: Fuzzing, one: FuzzFinding, hidden: bool) -> Iterator[tuple[str, str, str]]:
    if one.location:
        yield "at", one.location, ""
    if one.source:
        yield "line", one.source, "quote"
    for k, text in enumerate(() if hidden else agent_lines(one)):
        yield "model" if k == 0 else "", text, ""
    if one.at_call or one.input:
        yield "found", f"in call {one.at_call:,}, {phrases.plural(one.occurrences, 'time')}", ""
    documented = next((tool.description for tool in fuzzing.tools if tool.tool == one.tool), "")
    if documented:
        yield "says", " ".join(documented.split()), ""
    if one.documented and not hidden:
        yield "", "The documentation states the limit.", "dim"
    if one.printed:
        yield "printed", one.printed, "dim"
