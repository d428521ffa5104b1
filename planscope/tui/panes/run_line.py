"""Describes a run in one line."""

from __future__ import annotations

from planscope.session.record import RunRecord
from planscope.session.seen import NOT_RECORDED
from planscope.tui.style.lines import Run, shown
from planscope.wording import phrases


def model_runs(run: RunRecord) -> list[Run]:
    """Return the model of a run, and whether it is simulated; nothing if it was not recorded."""
    if run.model == NOT_RECORDED:
        return []
    made = [Run(shown(run.model or "model ?", 40))]
    if run.simulated:
        made.append(Run(" simulated", "caution"))
    return made


def agent_name(run: RunRecord) -> str:
    """Return the agent of a run; "" if it was not recorded."""
    return "" if run.agent == NOT_RECORDED else shown(run.helped_agent or "agent ?", 24)


def run_runs(run: RunRecord, number: int, *, here: bool) -> list[Run]:
    """Describe a run in one line: number, agent, model, calls, ending."""
    agent = f"{agent_name(run):<10} " if agent_name(run) else ""
    made = [Run(f"{number + 1:>3}  {agent}"), *model_runs(run)]
    told = f"  {phrases.plural(len(run.calls), 'call')}, {phrases.ending(run)}{run.help.note}"
    if run.forked_from is not None:
        told += f", forked from {phrases.fork_point(run.forked_from)}"
    made.append(Run(told, "dim"))
    if here:
        made.append(Run("  ← this run", "mark"))
    return made
