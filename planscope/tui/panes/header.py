"""The header of the debug screen: session, run and verdict; and runs in one line."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter, itemgetter

from planscope.oracle.verdict_types import Verdict, graded
from planscope.session.record import RunRecord
from planscope.session.seen import NOT_RECORDED
from planscope.tui.panes.step_lines import waiting
from planscope.tui.style.lines import Line, Run, cut, justify, shown, width_of
from planscope.tui.style.roles import chip, seal
from planscope.tui.view import DebugView
from planscope.wording import phrases
from planscope.wording.terms import CAUSE, REASONS, VERDICTS

_SEALED = 120
"""From this width on, in columns, the header shows Z3's certificate beside the verdict."""

_WHOLE = 150
"""From this width on it says "shows at step 3", and not "shows 3"."""

_SHORT_HELP = 16
"""A narrow header shows a note on help that is longer than this, in cells, as just \"helped\"."""

_TITLE = 1
"""The weight of the title (see ``_parts``). Other parts are left out for its first 41 cells."""


header_of = attrgetter(
    *"title runs run run_number progress verdict certificate seconds question saving cause".split()
)
"""Returns what the header shows: it is made again only if this changes, since looking for help costs time."""


def header_line(state: DebugView, width: int) -> Line:
    """Lay out the header: session, agent, model, run; at the right the verdict."""
    verdict = verdict_runs(state, short=width < 110, brief=width < _WHOLE)
    room = width - width_of(verdict) - 2
    parts = _parts(state)
    judged = state.run is not None and state.progress == "judged"
    said = (
        [Run(", " if len(verdict) > 1 else " "), *seal(state.certificate)]
        if judged and width >= _SEALED
        else []
    )
    spare = room - width_of(_joined(parts)) - width_of(said)
    if sealed := len(said) > 1 and spare >= -1:
        verdict += said
        room -= width_of(said) - (spare < 0)
    edge = () if sealed and spare == -1 else (Run(" "),)
    every, parts = parts, [part for part in parts if part[0] <= _TITLE]
    for part in sorted(every, key=itemgetter(0)):
        more = [one for one in every if one in parts or one is part]
        if width_of(_joined(more)) <= room:
            parts = more
    free = room - width_of(_joined(parts))
    parts = [
        (weight, cut(_title(state), width_of(runs) + free) if weight == _TITLE else runs)
        for weight, runs in parts
    ]
    return Line(justify(_joined(parts), [*verdict, *edge], width), "bar")


def _parts(state: DebugView) -> list[tuple[int, Sequence[Run]]]:
    """Return the header's parts with their weights; of those that do not all fit, the lightest are kept."""
    run, saving = state.run, state.saving.state
    model = model_runs(run) if run is not None else []
    parts = [
        (5, [Run(" planscope ", "brand")]),
        (_TITLE, cut(_title(state), 41)),
        (0 if saving == "failed" else 6, _SAVING[saving]),
        (4, [Run(agent_name(run))] if run is not None else []),
        (0, model[:1]),
        (2, model[1:]),
        (3, [Run(_run_name(state, run)) if run is not None else Run("no run", "dim")]),
    ]
    return [(weight, runs) for weight, runs in parts if any(run.text for run in runs)]


def _title(state: DebugView) -> list[Run]:
    return [Run(f" {shown(state.title or 'untitled', 80)}", "strong")]


def _run_name(state: DebugView, run: RunRecord) -> str:
    """Return a run's place and, of an imported run, the name of its trace: ``run 3 of 29, 41.41``."""
    number = (state.run_number or 0) + 1
    named = "" if run.id == f"r{number}" or not run.cost.imported else f", {shown(run.id, 12)}"
    return f"run {number} of {state.runs}{named}"


_SAVING: dict[str, Sequence[Run]] = {
    "": (),
    "changed": (Run("• saving", "dim"),),
    "saved": (Run("✓ saved ", "dim"),),
    "failed": (Run("✗ not saved", "broken"),),
}
"""The text for each save status."""


def _joined(parts: Sequence[tuple[int, Sequence[Run]]]) -> tuple[Run, ...]:
    made: list[Run] = []
    for _, runs in parts:
        if (
            made and made[-1].role != "brand" and runs[0].role != "caution"
        ):  # "simulated" belongs to the model
            made.append(Run(" │ ", "faint"))
        made += runs
    return tuple(made) if made[0].text.startswith(" ") else (Run(" "), *made)


def verdict_runs(state: DebugView, *, short: bool = False, brief: bool = True) -> list[Run]:
    """Return the verdict in a few words. ``brief``: see ``phrases.where``."""
    if state.run is None:
        return []
    if state.run.under_way:
        return _under_way(state)
    if state.progress != "judged" or state.verdict is None:
        return [Run(waiting(state), "dim")]
    verdict, where = state.verdict, _where(state.verdict, short, brief)
    if verdict.verdict == "aborted":
        why = state.run.reason or REASONS.get(verdict.reason or "", "")
        reason = shown(why.removeprefix(f"{VERDICTS[verdict.told]} "), 24 if short else 48)
        return [chip(verdict), *_listed([Run(reason)] if reason else where)]
    if verdict.verdict == "unknown" and state.certificate == "denied":
        return [chip(verdict), Run(" Z3 disagrees", "broken")]
    warnings = len(verdict.findings) + len(verdict.warnings)
    if verdict.verdict == "right" and warnings:
        where = [Run(f"with {phrases.plural(warnings, 'warning')}")]
    grade, helped = _graded(state.run, verdict), _helped(state.run, short)
    return [chip(verdict), *_listed(where, grade, helped), *_cause(state)]


def _listed(*parts: Sequence[Run]) -> list[Run]:
    """Join what is said beside the verdict with commas."""
    said = [run for part in parts for run in part]
    return [Run(f"{', ' if number else ' '}{run.text}", run.role) for number, run in enumerate(said)]


def _graded(run: RunRecord, verdict: Verdict) -> list[Run]:
    """Note how the run was graded, and more clearly if the verdict says otherwise."""
    if run.reward is None:
        return []
    words = {0.0: "graded wrong", 1.0: "graded right"}.get(run.reward, f"graded {run.reward:g}")
    return [Run(words, "caution" if "," in graded(run.reward, verdict.verdict) else "dim")]


def _helped(run: RunRecord, short: bool) -> list[Run]:
    """Note that the agent had help in this run."""
    given = run.help
    text = "helped" if short and len(given.text) > _SHORT_HELP else f"helped: {given.text}"
    return [Run(text, "caution")] if given else []


def _under_way(state: DebugView) -> list[Run]:
    """Say that the run is in progress or paused, and whether its plan is lost."""
    run, debug = state.run, state.debug
    assert run is not None
    if state.play is not None:
        made = [
            Run(" ? WHAT IF ", "running"),
            Run(f" {phrases.plural(len(state.play.played.calls), 'call')} played"),
        ]
    elif run.pending:
        made = [Run(" ‖ PAUSED ", "stop"), Run(f" before step {len(run.calls)}")]
    elif state.question is not None:
        made = [Run(" ‖ ASKS YOU ", "stop")]
    else:
        made = [Run(" ▷ RUNNING ", "running"), Run(f" {phrases.measured(state.seconds or 0)}")]
    lost = debug.run.doomed[-1] if debug.run.doomed and state.progress == "judged" else None
    if lost is not None and debug.run.steps[lost].attempt == debug.run.steps[-1].attempt:
        would = run.pending and lost == len(run.calls)
        made.append(
            Run(
                f", which would lose {phrases.what_is_lost(debug.run.problem)}"
                if would
                else f", lost at {phrases.step_name(debug.run.steps[lost].step)}"
            )
        )
    return made


def _where(verdict: Verdict, short: bool, brief: bool) -> list[Run]:
    said = phrases.where(verdict, phrases.step_name if short else phrases.at_step, brief=brief)
    return [Run(said)] if said else []


def _cause(state: DebugView) -> list[Run]:
    at = state.cause_at
    said = "" if at is None else f" {CAUSE} {phrases.step_name(state.debug.run.steps[at].step)}"
    return [Run(said, "caution")] if said else []


def model_runs(run: RunRecord) -> list[Run]:
    """Return the model of a run, and whether it is simulated; nothing if it was not recorded."""
    if run.model == NOT_RECORDED:
        return []
    made = [Run(shown(run.model or "model ?", 40))]
    return made + [Run(" simulated", "caution")] * run.simulated


def agent_name(run: RunRecord) -> str:
    """Return the agent of a run; "" if it was not recorded."""
    return "" if run.agent == NOT_RECORDED else shown(run.helped_agent or "agent ?", 24)


def run_runs(run: RunRecord, number: int, *, here: bool) -> list[Run]:
    """Describe a run in one line: number, agent, model, calls, ending."""
    agent = f"{agent_name(run):<10} " if agent_name(run) else ""
    told = f"  {phrases.plural(len(run.calls), 'call')}, {phrases.ending(run)}{run.help.note}"
    if run.forked_from is not None:
        told += f", forked from {phrases.fork_point(run.forked_from)}"
    made = [Run(f"{number + 1:>3}  {agent}"), *model_runs(run), Run(told, "dim")]
    return made + [Run("  ← this run", "mark")] * here
