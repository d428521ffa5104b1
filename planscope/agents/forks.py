"""Forks: from a recorded step on, with another answer, another query or another model; both branches stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planscope.agents.models import LoadedModel
from planscope.agents.paradigms import AGENTS
from planscope.agents.runner import LiveRun
from planscope.errors import UserError
from planscope.language.prompts import prompt_for
from planscope.oracle.trace import RESTART_TOOL
from planscope.session.model import (
    AnswerEvent,
    CallEvent,
    Event,
    ForkPoint,
    PromptEvent,
    Run,
    Variant,
    events_up_to,
)


class CannotFork(UserError):
    """Why a run cannot be forked there. One line."""


def kept_events(run: Run, step: int, *, answer: str | None = None) -> list[Event]:
    """The run's events up to the answer to ``step`` (0: the prompt), each marked as kept.

    ``answer`` stands in for the answer to ``step``. Calls of the same message behind it are gone: they were never
    made here. Raises :class:`CannotFork`.
    """
    steps = {e.step for e in run.events if isinstance(e, CallEvent)}
    if step and step not in steps:
        raise CannotFork(f"run {run.id} has steps 0 to {max(steps, default=0)}, and {step} is none of them")
    if not any(isinstance(e, PromptEvent) for e in run.events):
        raise CannotFork(f"run {run.id} has no prompt, so there is nothing to fork from")
    answered = {e.step for e in run.events if isinstance(e, AnswerEvent)}
    silent = sorted(s for s in steps if s <= step and s not in answered)
    if silent:
        raise CannotFork(
            f"step {silent[0]} of run {run.id} was never answered, so no model can go on behind it"
        )
    if answer is not None and not step:
        raise CannotFork("step 0 is before any call, so there is no answer to edit")
    return events_up_to(run, step, answer=answer)


def fork(
    run: Run,
    variant: Variant,
    *,
    step: int,
    model: str | LoadedModel,
    answer: str | None = None,
    agent: str | None = None,
    prompts: Path | None = None,
    **options: Any,
) -> LiveRun:
    """A new run that begins with what ``run`` did up to ``step``, and goes on from there: ``.go()`` or ``.wait()``.

    ``variant`` is the run's own, or another one (an edited query), whose prompt then stands in for the first.
    ``answer`` stands in for the answer to ``step``. ``agent`` is by default that of ``run``, where that is one of
    ours: no code is imported because a file names it. The conversation is
    handed over in plain words, so that any model can take it up; with the Responses API it is sent as a whole,
    since what its server keeps cannot be edited. ``options`` are those of :class:`LiveRun`.

    Raises :class:`CannotFork`, and what :class:`LiveRun` raises.
    """
    if agent is None and run.agent not in AGENTS:
        raise CannotFork(
            f"run {run.id} is by an agent of somebody's own: name an agent, one of {', '.join(AGENTS)}"
        )
    kept = kept_events(run, step, answer=answer)
    if variant.id != run.variant:
        tools = {a.tool for a in variant.actions} | {RESTART_TOOL}
        done = {e.step for e in kept if isinstance(e, AnswerEvent) and e.status == "ok"}
        called = [e for e in kept if isinstance(e, CallEvent) and e.step in done]
        missing = next((e.tool for e in called if e.tool not in tools), None)
        if missing is not None:
            raise CannotFork(f"the edited query has no tool {missing!r}, which was called before step {step}")
        text = prompt_for(variant.query.text, timed=variant.query.timed, file=prompts)
        kept = [
            e.model_copy(update={"text": text, "kept": None}) if isinstance(e, PromptEvent) else e
            for e in kept
        ]
    first = next(e for e in kept if isinstance(e, PromptEvent))
    options.setdefault("role", first.system)
    return LiveRun(
        variant,
        model=model,
        agent=agent or run.agent,
        prompts=prompts,
        kept=kept,
        forked_from=ForkPoint(run=run.id, step=step),
        **options,
    )
