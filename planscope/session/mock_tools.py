"""Answers calls of the mock tools (paper, 4.3 and Figure 7 (b)), and makes runs of plans that a person played by
hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Literal, Protocol

from planscope.language.prompts import prompt_for
from planscope.oracle.arguments import read_start
from planscope.oracle.trace import RESTART_TOOL, Item, ToolCall
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    Event,
    ForkPoint,
    MessageEvent,
    PromptEvent,
    Run,
    Session,
    Variant,
    events_up_to,
    next_run_id,
    variant_of,
)
from planscope.session.oracle_input import has_own_tools
from planscope.wording.terms import capital

RESTART_ANSWER = "Permission is granted. Start over."


def done_text(action: ActionRecord, *, timed: bool) -> str:
    """Return the answer to a successful call. For a timed action it says how long the action takes."""
    name = capital(action.name)
    if not timed:
        return f"{name} has been done."
    hours = 1 if action.duration is None else action.duration
    return f"{name} takes {hours} {'hour' if hours == 1 else 'hours'}."


def tool_answer(done: str, arguments: Mapping[str, Any] | None, *, timed: bool) -> tuple[str, bool]:
    """Return the answer to a call, and whether the action was executed.

    ``done`` is the answer of a successful call; ``timed``: the call needs a start.
    """
    if arguments is None:
        return "Error: the arguments could not be read. Nothing was done.", False
    if timed:
        start = read_start(arguments)
        if isinstance(start, str):
            return f"Error: {start}. Nothing was done.", False
    return done, True


def unknown_tool(tool: str, known: Iterable[str]) -> str:
    """Return the answer to a call of an unknown tool, in LangChain's words."""
    return f"Error: {tool} is not a valid tool, try one of [{', '.join(known)}]."


def answer_to(
    tool: str, arguments: Mapping[str, Any] | None, actions: Iterable[ActionRecord], *, timed: bool
) -> tuple[str, bool]:
    """Return the answer to a call of any tool, known or not, and whether an action was executed."""
    done = {a.tool: done_text(a, timed=timed) for a in actions}
    if tool in done:
        return tool_answer(done[tool], arguments, timed=timed)
    if timed and tool == RESTART_TOOL:
        return tool_answer(RESTART_ANSWER, arguments, timed=False)
    return unknown_tool(tool, [*done, *([RESTART_TOOL] if timed else [])]), False


AGENT = "person"
MODEL = "played by hand"
"""The agent and the model of a played run."""


class PlayedCalls(Protocol):
    """A ``planscope.debugger.played.Played``: calls ``kept`` from a run, and ``turns`` added by hand."""

    @property
    def kept(self) -> Sequence[ToolCall]: ...
    @property
    def turns(self) -> tuple[tuple[Item, ...], ...]: ...


def as_run(session: Session, run: Run | None, played: PlayedCalls, *, variant: Variant | None = None) -> Run:
    """Make a new run of a played plan, which begins with the kept calls of ``run``.

    It belongs to the variant of ``run``; without a run to ``variant``, by default the newest. A call has the answer
    that was played. Without one mock tools answer, and an agent's own tools do not. The caller appends the run to
    ``session.runs``. Raises ValueError if ``run`` has fewer calls than ``played`` kept, or the session has no variant.
    """
    recorded = sum(isinstance(e, CallEvent) for e in run.events) if run is not None else 0
    if len(played.kept) > recorded:
        raise ValueError(f"{len(played.kept)} calls were kept of a run that has {recorded}")
    if run is not None:
        variant = variant_of(session, run)
    elif variant is None:
        if not session.variants:
            raise ValueError("the session has no variant")
        variant = session.variants[-1]
    step = len(played.kept)
    kept = events_up_to(run, step) if run is not None else []
    at = max((e.at for e in kept), default=0.0)
    if not kept:
        kept = [PromptEvent(text=prompt_for(variant.query.text, timed=variant.query.timed))]
    return Run(
        id=next_run_id(session),
        variant=variant.id,
        forked_from=ForkPoint(run=run.id, step=step) if run is not None else None,
        agent=AGENT,
        model=MODEL,
        started=datetime.now(UTC),
        events=[*kept, *_events(variant, played.turns, step, at), EndEvent(at=at, ending="stopped")],
        left_out=run.left_out if run is not None else None,
    )


def _events(variant: Variant, turns: Iterable[Iterable[Item]], step: int, at: float) -> Iterator[Event]:
    """Return the calls with their answers. All have the same time, since no model took any."""
    own = has_own_tools(variant)
    for call in chain.from_iterable(turns):
        if not isinstance(call, ToolCall):
            yield MessageEvent(at=at, text=call.text, by="user")
            continue
        step += 1
        arguments = None if call.arguments is None else dict(call.arguments)
        yield CallEvent(at=at, step=step, tool=call.tool, arguments=arguments, error=call.error)
        if call.answer is not None:
            status: Literal["ok", "error"] = "error" if call.failed else "ok"
            yield AnswerEvent(at=at, step=step, text=call.answer, status=status)
            continue
        if own and call.tool in {action.tool for action in variant.actions}:
            continue
        text, executed = answer_to(call.tool, call.arguments, variant.actions, timed=variant.query.timed)
        yield AnswerEvent(at=at, step=step, text=text, status="ok" if executed else "error")
