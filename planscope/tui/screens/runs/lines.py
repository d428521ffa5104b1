"""Lays out the list of runs: one row for each query and run, a histogram of lost steps, the chosen run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planscope.session.model import Variant
from planscope.session.record import RecordedCall
from planscope.session.run_list import ListedRun, Loss, Losses, step_words
from planscope.tui.controllers.run_list import Row, Runs
from planscope.tui.keys import key_for
from planscope.tui.panes.columns import Column, cursor_line, row_line
from planscope.tui.panes.header import agent_name, model_runs
from planscope.tui.style.lines import BLANK, Line, Page, Run, cut, line, shown, width_of, wrapped
from planscope.tui.style.roles import outcome_runs
from planscope.wording import phrases
from planscope.wording.terms import FINDINGS, LOST_HERE, ORIGINS

_OUTCOME = max(map(len, FINDINGS.values()))
_LOST = len("step 10")
_LABEL = 9
_RUN_CELLS = 4
"""A bar has at most this many cells for each run."""
_DEEPEST, _LONGEST_ID = 4, 10
"""The depth up to which forks of forks are indented, and the width to which ids are cut."""


def columns_of(rows: Sequence[Row], here: str) -> tuple[Column[Row], ...]:
    """Return the columns of runs, equally wide in all rows. ``here``: the id of the run in the debugger."""
    deepest = max((min(row.depth, _DEEPEST) for row in rows if row.run is not None), default=0)
    ids = min(max((len(row.place.run) for row in rows), default=0), _LONGEST_ID)

    def of_run(cell: Callable[[ListedRun], Sequence[Run]]) -> Callable[[Row], Sequence[Run]]:
        return lambda row: cell(row.run) if row.run is not None else ()

    return (
        Column("run", 2 * deepest + 3, _number, gap=1),
        Column("", ids, lambda row: [Run(shown(row.place.run), "dim")]),
        Column("verdict", _OUTCOME + 2, of_run(_outcome)),
        Column("lost at", _LOST, of_run(_lost)),
        Column("", 0, of_run(lambda listed: _rest(listed, here)), gap=0),
    )


def run_line(row: Row, chosen: bool, columns: Sequence[Column[Row]]) -> Line:
    """Lay out one query or run."""
    if row.run is not None:
        return row_line(columns, row, chosen)
    told = " ".join(row.variant.query.text.split())
    runs = [
        Run("  " * min(row.depth, _DEEPEST)),
        Run(shown(row.variant.id, 16), "label"),
        Run(f"  {origin_words(row.variant)}  ", "dim"),
        Run(shown(told, 200), "quote"),
    ]
    return cursor_line(runs, chosen)


def _number(row: Row) -> list[Run]:
    number = row.run.number if row.run is not None else 0
    return [Run(f"{'  ' * min(row.depth, _DEEPEST)}{number:>3}")]


def _lost(listed: ListedRun) -> list[Run]:
    return [Run(step_name(listed.lost))] if listed.lost else []


def step_name(step: str) -> str:
    return {"end": "end", "0": "start"}.get(step, f"step {step}")


def _rest(listed: ListedRun, here: str) -> list[Run]:
    """Tell what has no column: the grade, where the run comes from, model and agent."""
    run, made = listed.run, []
    if listed.outcome is not None and listed.outcome.grade:
        made.append(_grade(listed.outcome.grade))
    if run.id == here:
        made.append(Run("← here  ", "mark"))
    if run.help:
        made.append(Run(f"helped: {run.help.text}  ", "caution"))
    if run.forked_from is not None:
        made.append(Run(f"forked from {phrases.fork_point(run.forked_from)}  ", "dim"))
    if model := model_runs(run):
        made += [*model, Run("  ")]
    details = [agent_name(run), phrases.plural(len(run.calls), "call"), "dissection" if listed.trial else ""]
    return [*made, Run(", ".join(filter(None, details)), "dim")]


def origin_words(variant: Variant) -> str:
    """Say where a query comes from: ``written``, ``other words``."""
    origin = variant.origin.mutation or variant.origin.kind
    return shown(ORIGINS.get(origin, origin), 24)


def _outcome(listed: ListedRun) -> list[Run]:
    if listed.run.under_way:
        return [Run("▷ running", "caution")]
    if listed.outcome is None:
        return [Run("… judging", "dim")]
    return list(outcome_runs(listed.outcome.told, listed.outcome.headline, _OUTCOME))


def _grade(words: str) -> Run:
    """Show how a run was graded, and more clearly if its verdict says otherwise."""
    return Run(f"{words}  ", "caution" if "," in words else "dim")


def empty_lines(state: Runs, width: int) -> list[Line]:
    text = (
        f"No run matches. {key_for('leave-runs')} clears search and filters."
        if state.filtered
        else "This session has no query."
    )
    return wrapped(text, width, "dim")


def loss_lines(losses: Losses, width: int, at: int | None) -> list[Line]:
    """Lay out the histogram: a row for each step. ``at``: the row with the cursor."""
    named = [_by(row) for row in losses.rows]
    kept = (
        min(max((width_of([by]) for by in named), default=0), width // 2) + 2
    )  # for names, before long bars
    count = len(f" {losses.most:,}")
    scale = min(max(width - 2 - _LABEL - count - kept, 4) / max(losses.most, 1), _RUN_CELLS)
    lines = [
        _loss_line(row, by, scale, width, i == at)
        for i, (row, by) in enumerate(zip(losses.rows, named, strict=True))
    ]
    if not losses.rows:
        lines.append(line(Run("None of these runs was lost at a step.", "dim")))
    if losses.rest:
        lines += [BLANK, *wrapped(f"The others: {losses.rest}.", width, "dim")]
    return lines


def cause_lines(causes: Sequence[tuple[str, int]], width: int, at: int | None) -> list[Line]:
    """Lay out the causes: ``41 runs: cancel_order violates ...``. ``at``: the row with the cursor, which is told whole
    below the others if it is cut."""
    rows = [(Run(f"{phrases.plural(n, 'run')}: ", "strong"), Run(shown(cause, 200))) for cause, n in causes]
    lines = [cursor_line(cut(runs, width - 2), i == at) for i, runs in enumerate(rows)]
    if at is not None and width_of(rows[at]) > width - 2:
        lines += [BLANK, *wrapped(shown(causes[at][0], 200), width, "dim")]
    return lines


def _by(row: Loss) -> Run:
    """Name the tools that were called at a step."""
    tools = (f"{shown(tool, 40)} {n}" if len(row.by) > 1 else shown(tool, 40) for tool, n in row.by)
    return Run(", ".join(tools), "dim")


def _loss_line(row: Loss, by: Run, scale: float, width: int, chosen: bool) -> Line:
    count = f" {row.runs:,}" if row.runs else ""
    size = max(round(row.runs * scale), 1) if row.runs else 0
    label = Run(f"{step_name(row.step):<{_LABEL}}", "label")
    runs = [label, Run("█" * size, "broken"), Run(count, "strong")]
    left = width - 2 - width_of(runs) - 2
    if by.text and left >= 6:
        runs += [Run("  "), *cut([by], left)]
    return cursor_line(runs, chosen)


def chosen_title(row: Row | None) -> list[Run]:
    if row is None:
        return []
    if row.run is None:
        return [Run(f"Query {shown(row.variant.id, 20)}", "title")]
    return [Run(f"Run {row.run.number}", "title"), Run(f" {shown(row.run.run.id, 20)}", "dim")]


def chosen_lines(row: Row | None, runs: Sequence[ListedRun], width: int) -> list[Line]:
    """Describe the chosen run: its verdict, where it was lost, its calls. ``runs``: all, for the counts of a query."""
    page = Page(width)
    if row is not None and row.run is not None:
        _describe(page, row.run)
    elif row is not None:
        mine = [one for one in runs if one.run.variant == row.variant.id]
        right = sum(one.outcome is not None and one.outcome.verdict == "right" for one in mine)
        told = f"{phrases.plural(len(mine), 'run')}, {right} right" if mine else "not run yet"
        page.add(Run(told, "strong"))
        page.text(" ".join(row.variant.query.text.split()), "quote")
    return page.lines


def _describe(page: Page, listed: ListedRun) -> None:
    run, outcome = listed.run, listed.outcome
    if outcome is not None and not run.under_way:
        lost = f", lost {step_words(listed.lost)}" if listed.lost else ""
        page.add(*outcome_runs(outcome.told, outcome.headline), Run(lost))
        if outcome.grade:
            page.add(_grade(outcome.grade))
    for one in run.left_out:
        page.text(one.text, "dim")
    if run.ending != "stopped" or run.help:
        page.text(phrases.ending(run) + run.help.note, "caution")
    if run.forked_from is not None:
        page.text(f"forked from {phrases.fork_point(run.forked_from)}", "dim")
    for number, call in enumerate(run.calls, 1):
        page.lines.append(_call_line(number, call, str(number) == listed.lost, page.width))


def _call_line(number: int, call: RecordedCall, lost: bool, width: int) -> Line:
    """Lay out one call. The step that lost the plan has the sign of a lost state."""
    note = [Run(LOST_HERE, "stop")] if lost else [Run("failed", "caution")] if call.failed else []
    note = [Run("  "), *note] if note else []
    head = [Run("● " if lost else "  ", "doomed"), Run(f"{number:>2} ", "dim")]
    text = cut([Run(phrases.call(call.tool, call.arguments))], max(width - width_of([*head, *note]), 8))
    return line(*head, *text, *note)
