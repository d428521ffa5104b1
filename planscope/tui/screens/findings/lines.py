"""Lays out the list of findings, and the chosen one with its call, its place and its documentation."""

from __future__ import annotations

from collections.abc import Sequence

from planscope.session.model import FuzzedTool, FuzzFinding, Fuzzing
from planscope.toolfuzz.formats import MEANINGS, agent_lines, label_text, smallest, smallest_lines, title
from planscope.toolfuzz.mended import difference
from planscope.toolfuzz.outcome import LISTED_ONLY
from planscope.tui.controllers.finding_list import PROMPTS, FindingState, Row
from planscope.tui.keys import key_for
from planscope.tui.panes.columns import Column
from planscope.tui.screens.findings.set_lines import marks, tell_set
from planscope.tui.style.lines import Line, Page, Run, shown, wrapped
from planscope.wording import phrases

_MOST_TOOL = 24
_MARGIN = 10
_LONGEST = 2000


def columns_of(rows: Sequence[Row], hidden: bool) -> tuple[Column[Row], ...]:
    """Return the columns of the list, as wide as their longest texts. ``hidden``: without verdicts."""
    tool = max((len(shown(row.tool, _MOST_TOOL)) for row in rows), default=0)
    kind = max((len(shown(row.kind, 14)) for row in rows), default=0)
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


def _short_label(row: Row) -> str:
    return _label(row).removesuffix("-specified").replace(",", "")


def _shown_kind(row: Row, hidden: bool) -> str:
    """Return the kind of a row. ``hidden``: a set of prompts does not tell whether it is faulty."""
    return PROMPTS if hidden and row.set is not None else row.kind


def _kind_run(row: Row, hidden: bool) -> Run:
    one = row.finding
    listed = one is not None and (one.kind in LISTED_ONLY if hidden else not row.counted)
    dim = one is None or (hidden and row.set is not None) or listed
    return Run(shown(_shown_kind(row, hidden), 14), "dim" if dim else "caution")


def _told(row: Row, hidden: bool) -> list[Run]:
    """Tell the steps that failed so, and the error or the prompt."""
    one = row.finding
    if row.set is not None:
        told = row.set.template if hidden else f"{''.join(marks(row.set))} {row.set.template}"
    elif row.only is not None:
        told = row.only.skipped or f"found; {reached(row.only)}"
        if row.only.calls and row.only.succeeded == 0:
            told = f"never entered: {row.only.refusal}"
    else:
        told = title(one, with_kind=False) if one is not None else ""
    steps = f"← {phrases.plural(len(row.steps), 'step')}  " if row.steps and row.set is None else ""
    text = shown(told or MEANINGS.get(_shown_kind(row, hidden), ""), 200)
    return [Run(steps, "caution"), Run(text, "dim" if one is None and not hidden else "")]


def empty_lines(state: FindingState, fuzzings: Sequence[Fuzzing], running: bool, width: int) -> list[Line]:
    """Say why no finding is listed."""
    if state.filtered:
        told = f"No finding matches. {key_for('leave-findings')} clears search and filters."
    elif running:
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
    page = Page(width, _MARGIN, _LONGEST)
    if row is None:
        return []
    if row.only is not None:
        _tool(page, row.only)
        return page.lines
    if row.set is None and row.finding is not None:
        page.text(title(row.finding), "broken")
        page.text(MEANINGS.get(row.finding.kind, ""), "dim")
        page.add()
    if told := _label(row):
        page.say("label", told, "mark")
    if row.set is not None:
        tell_set(page, row, row.set, hidden)
    elif row.finding is not None:
        _finding(page, row, row.finding, hidden)
    if not hidden:
        _mended(page, row)
    if row.set is None and row.finding is not None and row.finding.traceback:
        page.add()
        for text in row.finding.traceback.splitlines()[-60:]:
            page.text(text, "dim", min(len(text) - len(text.lstrip()), 20))
    return page.lines


def python_call(one: FuzzFinding, found: Fuzzing) -> str:
    """Return a finding's smallest call in Python; "" of several calls, of a server's tool, and where nobody knows what
    its code calls it."""
    given = smallest(one)
    tool = next((tool for tool in found.tools if tool.tool == one.tool), None)
    if tool is None or not tool.variable or not isinstance(given, dict):
        return ""
    if tool.wrapped:
        return f"{tool.variable}.invoke({given!r})"
    if not all(map(str.isidentifier, given)):
        return f"{tool.variable}(**{given!r})"
    return f"{tool.variable}({', '.join(f'{name}={value!r}' for name, value in given.items())})"


def _mended(page: Page, row: Row) -> None:
    """Show the new documentation that was proposed for the finding's tool as a diff, if there is one."""
    fixes = (one for one in row.fuzzing.fixes or () if one.tool == row.tool and one.after is not None)
    fix = next(fixes, None)
    if fix is None or fix.after is None:
        return
    told = []
    if fix.reporting:
        right, of = fix.reporting.get("after"), fix.reporting.get("prompts")
        told.append(f"{right} of {of} prompts right, {fix.reporting.get('before')} as it was")
    if fix.written:
        told.append(f"written into {shown(fix.written, 60)}")
    page.add()
    page.add(Run("New documentation", "label"), Run("  " + "; ".join(told), "dim"))
    for text in difference(fix.before, fix.after, max(page.width - 2, 20)):
        page.text(text or " ", {"-": "broken", "+": "holds"}.get(text[:1], "dim"))


def _tool(page: Page, tool: FuzzedTool) -> None:
    """Describe a tool in which nothing was found."""
    page.text(f"It was skipped: {tool.skipped}" if tool.skipped else "Nothing was found in this tool.")
    page.say("calls", reached(tool), "caution" if tool.succeeded == 0 else "")
    if tool.description:
        page.say("says", " ".join(tool.description.split()))


def reached(tool: FuzzedTool) -> str:
    """Say how far the search got into a tool: its calls, those that answered well, and what refused the others."""
    said = phrases.plural(tool.calls, "call")
    if tool.succeeded is None:
        return said
    told = f"{tool.succeeded:,} of {said} answered" if tool.succeeded else f"{said}, never entered"
    return told + (f"; mostly: {tool.refusal}" if tool.refusal else "")


def _calls(page: Page, one: FuzzFinding, found: Fuzzing) -> None:
    """Show the calls that show the error, as they were sent and as they are pasted."""
    label = "calls" if isinstance(one.input, list) else "smallest" if one.shrunk is not None else "sent"
    for k, call in enumerate(smallest_lines(one)):
        page.say(label if k == 0 else "", call, "quote")
    if pasted := python_call(one, found):
        page.say("paste", pasted, "tool")
    if one.needs:
        page.say("", f"only after {phrases.plural(len(one.needs), 'other call')}", "caution")


def _finding(page: Page, row: Row, one: FuzzFinding, hidden: bool) -> None:
    """Show the calls that show the error, the steps that failed so, and what is known about it."""
    called = one.at_call or one.input
    if called:
        _calls(page, one, row.fuzzing)
    if row.steps:
        some = [
            f"step {step.step} of run {step.run}" + " (these arguments)" * step.exactly
            for step in row.steps[:12]
        ]
        more = f", and {len(row.steps) - 12:,} more" if len(row.steps) > 12 else ""
        page.say("in runs", f"{', '.join(some)}{more} failed so; {key_for('open-step')} opens it", "caution")
    if one.location:
        page.say("at", one.location)
    if one.source:
        page.say("line", one.source, "quote")
    if one.branches:
        page.say("reached", phrases.plural(one.branches, "branch", "branches"))
    for k, text in enumerate(() if hidden else agent_lines(one)):
        page.say("model" if k == 0 else "", text)
    if called:
        page.say("found", f"in call {one.at_call:,}, {phrases.plural(one.occurrences, 'time')}")
    for tool in row.fuzzing.tools:
        if tool.tool == one.tool:
            page.say("tool", reached(tool))
            page.say("says", " ".join(tool.description.split()))
    if one.documented and not hidden:
        page.say("", "The documentation states the limit.", "dim")
    if one.printed:
        page.say("printed", one.printed, "dim")
