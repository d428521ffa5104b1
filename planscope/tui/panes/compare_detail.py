"""The lower half of the compare screen: what happened on each side at the selected row, and why."""

from __future__ import annotations

from planscope.compare.result import CallRow, Comparison, Side, StepSide
from planscope.compare.wording import ended
from planscope.compare.wording import state as state_word
from planscope.safe import cell_width
from planscope.tui.panes.compare_calls import Row, lost_at
from planscope.tui.style.lines import Line, Page, Run, shown
from planscope.wording import phrases, terms
from planscope.wording.constraints import plain, source

_LABEL = 9
_LONGEST = 2000


def detail_title(side: Side, row: Row, which: int) -> list[Run]:
    """Name the step or the constraint that a box is about."""
    index, constraint = row.steps[which], row.constraints[which]
    if index is not None and index < len(side.steps):
        step = side.steps[index].step
        return [Run("The end" if step == "end" else f"Step {step}", "title")]
    return [Run("Constraint", "title"), Run(f" {shown(constraint, 12)}", "dim")] if constraint else []


def detail_lines(compared: Comparison, row: Row, which: int, width: int) -> list[Line]:
    """Describe one side (0 or 1) of a row: the call with its answer and state and the conflict, or a constraint."""
    side = (compared.a, compared.b)[which]
    told = Page(max(width, 10), _LABEL, _LONGEST)
    index = row.steps[which]
    if index is not None and index < len(side.steps):
        _of_step(told, side, side.steps[index])
    elif row.steps[1 - which] is not None:
        _of_no_call(told, compared, row, which)
    elif any(row.constraints):
        _of_constraint(told, compared, row, which)
    elif not any(step is not None for step in row.steps):
        told.text("↑ ↓ choose a row to describe.", "dim")
    return told.lines


def _of_step(told: Page, side: Side, step: StepSide) -> None:
    if step.call is not None:
        call = phrases.call(step.call.tool, step.call.arguments, named=True, limit=400)
        if cell_width(call) > told.width - _LABEL:
            call = phrases.call(step.call.tool, step.call.arguments, limit=400)
        told.say("call", call, "tool")
        if step.call.error:
            told.say("error", step.call.error, "broken")
        if step.refused_by:
            told.say("refused", "by you" if step.refused_by == "user" else "by the guard", "caution")
        if step.answer is not None:
            told.say("answer", step.answer, "caution" if step.answered == "error" else "")
        else:
            told.say("answer", "none", "dim")
    elif step.step == 0:
        told.say("", "Nothing has been called yet.", "dim")
    else:
        told.say("ending", ended(side))
    _state(told, side, step)


def _state(told: Page, side: Side, step: StepSide) -> None:
    if step.state is None or (side.verdict is not None and not side.verdict.judged):
        return  # the title says so
    lost = f", {terms.LOST_HERE} ({terms.NO_RETURN})" if lost_at(side, step.index) else ""
    told.say("state", f"{terms.STATE_GLYPHS[step.state]} {state_word(side, step)}{lost}", step.state)
    if step.findings:
        told.say("error", phrases.findings(step.findings), "finding")
    if step.core is None or side.problem is None:
        return
    for number, id in enumerate(step.core.constraints):
        constraint = side.problem.by_id[id]
        told.say(
            "conflict" if number == 0 else "", f"{terms.CORE_GLYPH} {plain(constraint, side.problem)}", "core"
        )
    told.say("why", step.why)


def _of_no_call(told: Page, compared: Comparison, row: Row, which: int) -> None:
    """Describe a side without a call in this row."""
    other = row.steps[1 - which]
    rows: tuple[CallRow, ...] = compared.calls.rows if compared.calls is not None else ()
    found = next((one for one in rows if (one.a, one.b)[1 - which] == other), None)
    if found is not None and found.change == "moved" and found.partner is not None:
        told.say("", f"The same call is step {found.partner} on this side.", "dim")
    else:
        told.say("", "This run has no such call here.", "dim")


def _of_constraint(told: Page, compared: Comparison, row: Row, which: int) -> None:
    side, id = (compared.a, compared.b)[which], row.constraints[which]
    rows = compared.constraints.rows if compared.constraints is not None else ()
    if not id:
        theirs = row.constraints[1 - which]
        found = next((r for r in rows if any(c is not None and c.id == theirs for c in (r.a, r.b))), None)
        implied = found is not None and found.follows
        told.say("", f"Not stated here, {terms.IMPLIED}." if implied else "Not stated here.", "dim")
        return
    if side.problem is None:
        return
    constraint = side.problem.by_id[id]
    told.say("means", plain(constraint, side.problem))
    told.say("because", source(side.problem, constraint), "quote")
    violated = [step for step in side.steps if any(id in finding.constraints for finding in step.findings)]
    if violated:
        told.say("violated", phrases.at_step(violated[0].step), "broken")
    lost = next((step for step in side.steps if step.core is not None and id in step.core.constraints), None)
    if lost is not None:
        told.say("conflict", f"{terms.CORE_GLYPH} from {phrases.step_name(lost.step)} on", "core")
