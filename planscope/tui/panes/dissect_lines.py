"""Makes the lines of the dissect screen: the cause, the matrix of mutants with success rates, and one mutant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planscope.dissection.evidence import KINDS, RARE, SAME
from planscope.dissection.summary import CellView, Row, Summary
from planscope.dissection.told import NO_FAILURE, blamed
from planscope.safe import show, wrap
from planscope.session.tally import Tally
from planscope.tui.keys import key_for
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.style.lines import BLANK, Line, Run, cut, justify, shown, wrapped
from planscope.tui.style.roles import OUTCOMES, outcome_runs
from planscope.wording import phrases, terms
from planscope.wording.phrases import percent
from planscope.wording.terms import MUTATIONS, MUTATIONS_MEAN, NO_CAUSE, OUTCOME_GLYPHS

if TYPE_CHECKING:
    from planscope.compare.result import TextDiff
    from planscope.session.model import CellKind, Variant

BAR = 16
"""The width of a bar at rate 1, in cells."""

_UNUSED = {
    ("rates", "Repeat"): "not used: the original is run several times",
    ("paper", "Control"): "not used: the paper has no such runs",
}
"""The kinds of mutants that a method does not use, with the reason."""
_LABEL = 22
_MOST_CAUSES, _LEAST = 6, 0.005
"""How many causes are drawn, and the likelihood from which on, beside the first."""
PLAN = (
    "1. The query as it is, several times, to see how often the agent fails.",
    "2. Mutants that ask for the same: in other words, about another topic, in other sentences.",
    "3. The change after which the agent is right names the cause. Fresh queries check that it is not the size.",
    "4. Once the cause is 90 % sure: small changes find the word, clause or constraint to blame.",
)
"""The steps of a dissection, before the first run."""

NOTHING_YET = tuple(Row(kind, (), Tally(0, 0)) for kind in KINDS if kind not in RARE)
"""The matrix before the first run."""


def cause_lines(
    found: Summary | None, trouble: str, running: bool, width: int, *, then: str = ""
) -> list[Line]:
    """Show the cause with its confidence and reason, or say that it is undecided and what is missing.

    ``then``: what is run next and why, or what can be done now.
    """
    if trouble:
        return wrapped(f"✗ {trouble}", width, "broken")
    if found is None or not any(row.cells for row in found.rows):
        told = (
            "the first runs are in progress…"
            if running
            else then or f"Not run yet; press {key_for('dissect-all')} to run what is needed."
        )
        role, plan = ("caution", PLAN) if then and not running else ("dim", () if running else PLAN)
        return [*wrapped(told, width, role), *(one for text in plan for one in wrapped(text, width))]
    decision = found.decision
    sure = Run(f"  {percent(decision.confidence)} sure" if decision.confidence is not None else "", "strong")
    if decision.cause is not None:
        causes = [cause for cause, _ in decision.causes] or [decision.cause]
        named = " + ".join(f"{cause.upper()}, {terms.CAUSES[cause]}" for cause in causes)
        head = (Run(f" ● {named} ", "stop"), sure)
        if decision.several:
            each = " and ".join(percent(share) for _, share in decision.causes)
            head = (head[0], Run(f"  {each} sure, {terms.MORE_CAUSES}", "caution"))
    elif decision.blameless and decision.confidence is None:
        head = (Run(NO_FAILURE, "strong"), Run(""))
    elif decision.blameless:
        head = (Run(f" ✗ {NO_CAUSE.upper()} ", "stop"), sure)
    else:
        head = (Run(" ? UNDECIDED ", "stop"), Run("  so far" if running else "", "dim"))
    reason = wrapped(terms.sentence(decision.reason), width)
    blame: list[Line] = []
    if (said := " ".join(blamed(found))) and (found.culprit is not None or not running):
        blame = wrapped(said, width, "strong" if found.culprit is not None else "")
    lines = [Line(head), *blame, *reason]  # the words to blame are seen without scrolling
    if decision.missing and not (decision.blameless and decision.confidence is None):
        lines += wrapped(f"Missing: {decision.missing}.", width, "caution")
    if then:
        lines += wrapped(then, width, "dim")
    return [*lines, *_likely(found, width)]


def _likely(found: Summary, width: int) -> Iterator[Line]:
    """Show the likelihood of the likeliest causes as bars. The method ``paper`` estimates none."""
    likely = sorted(found.decision.likely.items(), key=lambda item: -item[1])[:_MOST_CAUSES]
    names = {"none": NO_CAUSE, "several": terms.MORE_CAUSES}
    alone = " alone" if found.decision.likely.get("several", 0.0) >= _LEAST else ""
    if likely:
        yield BLANK
    for cause, share in (one for one in likely if one[1] >= _LEAST or one is likely[0]):
        label = Run(f"{names.get(cause, cause + alone):<{_LABEL}}", "label")
        line = [label, *bar_runs(share, share, share, "core"), Run(f"  {percent(share):>5}  ")]
        yield Line(cut([*line, Run(terms.CAUSES.get(cause, ""), "dim")], width))


def matrix_head(width: int) -> Line:
    """Name the columns: a sign for each mutant, then how often all runs of the row were right."""
    wide = width >= 90
    right = f"{'right':<{BAR}} {'share':>5}"
    right += f"{' (95 % range)':<13}{'  runs':<10}{'':<14}" if wide else f"{'  runs':<10}{'':<6}"
    signs = "a sign a mutant; ✓3: three runs" if wide else "each mutant"
    return Line(
        justify([Run(f"  {'changed':<{_LABEL}}", "label"), Run(signs, "dim")], [Run(right, "dim")], width)
    )


def matrix_lines(found: Summary | None, row: int, column: int, width: int, method: str = "") -> list[Line]:
    """Make a line for each kind: its mutants, and its success rate with the interval as a bar."""
    rows = found.rows if found is not None else NOTHING_YET
    lines = []
    for number, kind in enumerate(rows):
        here = number == row
        label = [
            Run("▶ " if here else "  ", "mark"),
            Run(f"{MUTATIONS[kind.kind]:<{_LABEL}}", "strong" if here else "label"),
        ]
        if not kind.cells:
            said = (kind.closed and f"no more can be made: {kind.closed}") or _UNUSED.get((method, kind.kind))
            cells, tail = [Run(shown(said or "not run", 200), "dim")], []
        else:
            tail = _rate(kind, wide=width >= 90)
            room = width - sum(len(run.text) for run in (*label, *tail)) - 2
            cells = _cells(kind, column if here else None, max(room, 6))
        lines.append(Line(justify([*label, *cells], tail, width), "cursor" if here else ""))
    return lines


def _rate(row: Row, *, wide: bool) -> list[Run]:
    rate = row.rate
    if rate.rate is None:
        return [Run(" not run", "dim")]
    counts = f" {rate.right:>2} of {rate.counted:<3}"
    tried = "" if row.kind in SAME else f" in {row.mutants}"
    if wide:
        tried = f"{tried} mutant{' ' if row.mutants == 1 else 's'}" if tried else ""
    share = f" {percent(rate.rate):>5}"
    low, high = (percent(end)[:-2] for end in (rate.low, rate.high))
    interval = f" ({low:>2} to {high:>3}) " if wide else ""
    return [
        *bar_runs(rate.rate, rate.low, rate.high),
        Run(share),
        Run(interval, "dim"),
        Run(f"{counts}{tried:<{14 if wide else 6}}", "dim"),
    ]


def bar_runs(rate: float, low: float, high: float, role: str = "tool") -> list[Run]:
    """Draw a rate as a bar: solid up to the lower end of its 95 % interval, then fading to the upper end."""
    sure, point, most = (round(share * BAR) for share in (low, rate, high))
    return [
        Run("█" * sure, role),
        Run("▓" * (point - sure), role),
        Run("░" * (most - point), "faint"),
        Run("·" * (BAR - most), "faint"),
    ]


def _cells(row: Row, chosen: int | None, room: int) -> list[Run]:
    """Show the outcomes of the mutants; if they do not all fit, those around the chosen one."""
    at = chosen if chosen is not None else len(row.cells) - 1
    first, last = _stretch([len(_cell_text(cell)) + 1 for cell in row.cells], at, room - 2)
    runs = [Run("…", "dim")] if first else []
    for place in range(first, last):
        cell = row.cells[place]
        role = "picked" if place == chosen else OUTCOMES[cell.outcome]
        runs += [Run(_cell_text(cell), role), Run(" ")]
    return runs


def _cell_text(cell: CellView) -> str:
    """Return the sign of the outcome, with the number of runs if there are several."""
    return OUTCOME_GLYPHS[cell.outcome] + (str(len(cell.runs)) if len(cell.runs) > 1 else "")


def _stretch(widths: Sequence[int], at: int, room: int) -> tuple[int, int]:
    """Return the range of cells around ``at`` that fits, extended to the left first."""
    first, last, used = at, at + 1, widths[at]
    while first > 0 and used + widths[first - 1] <= room:
        first -= 1
        used += widths[first]
    while last < len(widths) and used + widths[last] <= room:
        used += widths[last]
        last += 1
    return first, last


def cell_lines(
    kind: CellKind, cell: CellView | None, variant: Variant | None, diff: TextDiff | None, width: int
) -> list[Line]:
    """Show one mutant: its runs, then its text with the changed words marked."""
    if cell is None:
        told = (
            f"No mutant of this kind yet: {key_for('dissect-cell')} makes and runs one, "
            f"{key_for('dissect-kind')} several."
        )
        if kind == "Original":
            told = (
                f"Not run yet: {key_for('dissect-cell')} runs it once, "
                f"{key_for('dissect-all')} runs what is needed."
            )
        return [Line((Run(MUTATIONS_MEAN[kind], "dim"),)), BLANK, Line((Run(told, "dim"),))]
    lines = [Line((Run(MUTATIONS_MEAN[cell.kind], "dim"),)), BLANK]
    for run in cell.runs:
        lines.append(_run_line(run.run, run.told or run.verdict, run.headline, width, run.help.note))
    if not cell.runs:
        lines.append(Line((Run("· not run yet", "dim"),)))
    lines.append(BLANK)
    if variant is not None:
        lines += _text(variant, diff, width)
        lines.append(BLANK)
        lines += [
            Line(cut([Run(f"{shown(a.id, 8):<4} ", "dim"), Run(shown(a.name, 80), "action")], width))
            for a in variant.actions
        ]
    return lines


def _run_line(run_id: str, told: str, headline: str | None, width: int, helped: str = "") -> Line:
    glyph, said = outcome_runs(told, headline)
    return Line(cut([glyph, Run(f"run {shown(run_id, 20)}  ", "dim"), said, Run(helped, "caution")], width))


def _text(variant: Variant, diff: TextDiff | None, width: int) -> list[Line]:
    painted: list[Painted] = []
    for part in diff.parts if diff is not None else ():
        if part.change in ("changed", "added"):
            painted.append((*part.b, "diff-added"))
    whole = show(variant.query.text, keep_newlines=True)
    return [Line(tuple(painted_runs(whole, *at, painted))) for at in wrap(whole, width)]


def progress_runs(found: Summary | None, running: bool, left: float | None) -> Sequence[Run]:
    """Show the number of runs so far and the longest time that is left."""
    if found is None:
        return [Run("starting…", "dim")] if running else []
    told = f"{found.runs} of at most {phrases.plural(found.budget, 'run')}"
    if running and left is not None:
        told += f", at most {phrases.time_left(left)}" if left >= 1 else ", nearly done"
    chip = [Run(" ▷ RUNNING ", "running"), Run(" ")] if running else []
    return [*chip, Run(told, "strong" if running else "dim")]
