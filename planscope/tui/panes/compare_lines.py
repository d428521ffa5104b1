"""The lines of the compare screen: rows in two columns, with the differing rows marked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from planscope.compare.result import Comparison, Side
from planscope.compare.wording import value as in_words
from planscope.safe import show, wrap
from planscope.tui.panes.compare_calls import Row, beside, both, call_rows
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.style.lines import BLANK, Line, Run, cut, paragraph, shown
from planscope.tui.style.roles import CHANGES as ROLES
from planscope.tui.style.roles import chip
from planscope.wording import terms
from planscope.wording.terms import CHANGE_SIGNS

Page = Literal["calls", "words", "constraints", "facts"]
PAGES: tuple[Page, ...] = get_args(Page)
TITLES = {
    "calls": "Calls",
    "words": "Query",
    "constraints": "Constraints",
    "facts": "Facts",
}

_MOST_ROWS = 5000


def rows_of(page: Page, compared: Comparison, width: int) -> list[Row]:
    """Make the rows of a page; each column is ``width`` cells wide."""
    build: dict[Page, Callable[[Comparison, int], list[Row]]] = {
        "calls": call_rows,
        "words": word_rows,
        "constraints": constraint_rows,
        "facts": fact_rows,
    }
    rows = build[page](compared, max(width, 10))
    if len(rows) > _MOST_ROWS:
        more = both(Run(f"and {len(rows) - _MOST_ROWS:,} more rows", "dim"))
        rows = [*rows[:_MOST_ROWS], more]
    return rows


def word_rows(compared: Comparison, width: int) -> list[Row]:
    """Show the two queries with the differing words marked, then their actions."""
    columns: list[list[Line]] = []
    for side, changes in ((compared.a, ("changed", "gone")), (compared.b, ("changed", "added"))):
        painted: list[Painted] = []
        for part in compared.text.parts:
            if part.change in changes:
                span = part.a if side is compared.a else part.b
                painted.append((*span, "diff-gone" if side is compared.a else "diff-added"))
        whole = show(side.text, keep_newlines=True)
        columns.append([Line(tuple(painted_runs(whole, *at, painted))) for at in wrap(whole, width)])
    longest = max(map(len, columns))
    a, b = ([*column, *[BLANK] * (longest - len(column))] for column in columns)
    rows = [Row(x, y, _marked(x) or _marked(y)) for x, y in zip(a, b, strict=True)]
    if compared.text.same:
        rows = [both(Run("The words are the same.", "dim")), both(), *rows]
    rows += [both(), both(Run("actions", "label"))]
    for action in compared.actions:
        cells = []
        for one in (action.a, action.b):
            takes = f", {one.duration} h" if one is not None and one.duration is not None else ""
            text = "·" if one is None else f"{shown(one.id, 8)} {shown(one.name, 80)}{takes}"
            glyph = Run(f"{CHANGE_SIGNS[action.change]} ", ROLES[action.change])
            cells.append(Line(cut([glyph, Run(text, ROLES[action.change])], width)))
        rows.append(Row(cells[0], cells[1], action.change != "same"))
    return rows


def _marked(line: Line) -> bool:
    return any(run.role.startswith("diff-") for run in line.runs)


def constraint_rows(compared: Comparison, width: int) -> list[Row]:
    """Show the constraints of both queries, and whether both queries accept the same plans."""
    diff = compared.constraints
    if diff is None:
        return [both(Run("One of the queries cannot be read, so constraints are not compared.", "dim"))]
    same = (compared.a.session, compared.a.variant) == (compared.b.session, compared.b.variant)
    told = (
        "Both runs are of one query."
        if same
        else {
            True: "Both mean the same: every correct plan of one is correct for the other.",
            False: "They do not mean the same.",
            None: "It is not decided whether they mean the same.",
        }[diff.equivalent]
    )
    rows = [both(run) for runs in paragraph(told, width, "strong") for run in runs]
    rows.append(both())
    for row in diff.rows:
        cells: list[list[tuple[Run, ...]]] = []
        for constraint, said in ((row.a, row.words_a), (row.b, row.words_b)):
            if constraint is None:
                note = terms.IMPLIED if row.follows else "not stated"
                cells.append([(Run("  · ", "faint"), Run(note, "dim"))])
                continue
            head = (
                Run(f"{CHANGE_SIGNS[row.change]} ", ROLES[row.change]),
                Run(f"{shown(constraint.id, 6):<4}", "dim"),
            )
            lines = paragraph(said or constraint.text, width - 6, ROLES[row.change])
            cells.append(
                [((*head, *runs) if i == 0 else (Run(" " * 6), *runs)) for i, runs in enumerate(lines)]
            )
        ids = (row.a.id if row.a is not None else "", row.b.id if row.b is not None else "")
        rows += beside(cells[0], cells[1], row.change != "same", constraints=ids)
    return rows


def fact_rows(compared: Comparison, width: int) -> list[Row]:
    """Show agent, model, verdict and costs with differences marked, then the explanation of each verdict."""
    rows = []
    for field in compared.fields:
        if field.a is None and field.b is None:
            continue
        name = terms.label(field.name)
        cells = []
        for which in "ab":
            text = shown(in_words(compared, field, which), 200)
            mark = "  " if field.same else "~ "
            role = "" if field.same else "caution"
            cells.append(Line(cut([Run(mark, role), Run(f"{name:<22}", "label"), Run(text, role)], width)))
        rows.append(Row(cells[0], cells[1], not field.same))
    rows.append(both())
    told = [list(paragraph(side.explanation, width)) for side in (compared.a, compared.b)]
    rows += beside(told[0], told[1], False)
    for unknown in compared.unknown:
        where = {"a": "left: ", "b": "right: "}.get(unknown.side or "", "")
        rows += [both(*runs) for runs in paragraph(f"not decided: {where}{unknown.why}", width, "dim")]
    return rows


def verdict_of(side: Side) -> tuple[Run, ...]:
    """Show the verdict of one side as a coloured label."""
    if side.run is None:
        return (Run("a query, not run", "dim"),)
    verdict = side.verdict
    if verdict is None:
        return (Run("not judged", "dim"),)
    helped = (Run(" helped", "caution"),) if side.help else ()
    return (chip(verdict), *helped)
