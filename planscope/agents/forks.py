"""Forks continue a recorded run from a step, with another answer, query or model. The old run stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from planscope.agents.options import RunOptions
from planscope.agents.paradigms import AGENTS
from planscope.agents.react_format import prompt_event
from planscope.agents.runner import LiveRun, Watched
from planscope.agents.toolset import make_toolset
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

if TYPE_CHECKING:
    from planscope.agents.interrupts import Person
    from planscope.agents.models import LoadedModel
    from planscope.agents.own_live import OwnRun


class CannotFork(UserError):
    """A run cannot be forked at a step. The message, one line, says why."""


def kept_events(run: Run, step: int, *, answer: str | None = None) -> list[Event]:
    """Return the run's events up to the answer of ``step`` (0: the prompt), each marked as kept.

    ``answer`` replaces the answer of ``step``. Later calls of the same message are left out, because the fork never
    makes them. Raises :class:`CannotFork`.
    """
    steps = {e.step for e in run.events if isinstance(e, CallEvent)}
    if step and step not in steps:
        raise CannotFork(f"run {run.id} has no step {step}; its steps are 0 to {max(steps, default=0)}")
    if not any(isinstance(e, PromptEvent) for e in run.events):
        raise CannotFork(f"run {run.id} has no prompt, so it cannot be forked; fork another run")
    answered = {e.step for e in run.events if isinstance(e, AnswerEvent)}
    silent = sorted(s for s in steps if s <= step and s not in answered)
    if silent:
        raise CannotFork(f"step {silent[0]} of run {run.id} has no answer, so fork at an earlier step")
    if answer is not None and not step:
        raise CannotFork("step 0 is before the first call, so it has no answer to edit; fork at a later step")
    return events_up_to(run, step, answer=answer)


def fork(
    run: Run,
    variant: Variant,
    options: RunOptions,
    *,
    step: int,
    answer: str | None = None,
    loaded: LoadedModel | None = None,
    run_id: str | None = None,
    **watched: Unpack[Watched],
) -> LiveRun:
    """Make a new run that keeps ``run`` up to ``step`` and continues from there with ``.go()`` or ``.wait()``.

    ``variant`` is the run's own or another one (an edited query), whose prompt then replaces the first. ``answer``
    replaces the answer of ``step``. The agent "" is that of ``run``, but only if it is one of ``AGENTS``: a session
    file must not cause an import. The role is that of ``run`` if there is no other. The conversation is rebuilt as
    plain messages, so that any model can continue it; the Responses API gets all of it, because the state on its server
    cannot be edited. The rest is as for :class:`LiveRun`.

    Raises :class:`CannotFork`, and the errors of :class:`LiveRun`.
    """
    if not options.agent and run.agent not in AGENTS:
        raise CannotFork(
            f"the agent of run {run.id} is not part of planscope; choose one of {', '.join(AGENTS)}"
        )
    agent = options.agent or run.agent
    kept = kept_events(run, step, answer=answer)
    if variant.id != run.variant:
        tools = {a.tool for a in variant.actions} | {RESTART_TOOL}
        done = {e.step for e in kept if isinstance(e, AnswerEvent) and e.status == "ok"}
        called = [e for e in kept if isinstance(e, CallEvent) and e.step in done]
        missing = next((e.tool for e in called if e.tool not in tools), None)
        if missing is not None:
            raise CannotFork(
                f"the edited query has no tool {missing!r}, which was called before step {step}; fork earlier"
            )
        text = prompt_for(variant.query.text, timed=variant.query.timed, file=options.prompts)
        offered = [t.spec for t in make_toolset(variant.actions, timed=variant.query.timed)]
        kept = [
            prompt_event(agent, text, e.system, offered) if isinstance(e, PromptEvent) else e for e in kept
        ]
    first = next(e for e in kept if isinstance(e, PromptEvent))
    return LiveRun(
        variant,
        replace(options, agent=agent, role=first.system if options.role is None else options.role),
        loaded=loaded,
        run_id=run_id,
        **_of_fork(watched, run, step, kept),
    )


def _of_fork(watched: Watched, run: Run, step: int, kept: Sequence[Event]) -> Watched:
    return {**watched, "kept": kept, "forked_from": ForkPoint(run=run.id, step=step)}


def fork_own(
    run: Run,
    variant: Variant,
    run_id: str,
    *,
    step: int,
    agent: str | None,
    answer: str | None = None,
    person: Person | None = None,
    **watched: Unpack[Watched],
) -> OwnRun:
    """Make a new run of a user's agent, with its own tools, that keeps ``run`` up to ``step``. No kept call is made
    again.

    ``agent`` names it, ``package.module:agent``. ``person`` and the rest are as for :class:`OwnRun`. Raises
    :class:`CannotFork`, and the errors of :func:`load_agent`.
    """
    from planscope.agents.own_live import OwnRun, load_agent, loaded

    if agent is None or agent in AGENTS:
        raise CannotFork(
            f"run {run.id} is of an agent with its own tools; name it with --agent package.module:agent"
        )
    kept = kept_events(run, step, answer=answer)
    return OwnRun(
        loaded(agent) or load_agent(agent),
        "",
        variant=variant.id,
        run_id=run_id,
        of=run,
        person=person,
        **_of_fork(watched, run, step, kept),
    )
