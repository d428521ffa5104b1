"""Converts a trace to a session that the debugger opens, and a session's run to a trace."""

from __future__ import annotations

import math
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from planscope.language.problem import is_tool_name
from planscope.session.files import TooLarge
from planscope.session.json_bytes import plain_text
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    ForkPoint,
    MessageEvent,
    PromptEvent,
    Run,
    SeenTool,
    Session,
    Usage,
    events_up_to,
    variant_of_tools,
)
from planscope.session.oracle_input import plain_name
from planscope.session.record import BROKEN_OFF
from planscope.session.store import dumps
from planscope.session.validation import MOST_ACTIONS, MOST_CALLS
from planscope.traces.build import Builder
from planscope.traces.shape import Branch, Item, Mark, Said, Tool, ToolCall, Trace
from planscope.traces.values import compact
from planscope.wording.phrases import plural

LONGEST = (1_000_000, 60_000, 8_000, 1_000)
"""Limits for a text in an event, in characters. The next smaller one is used if a session is too large for its file."""
LONGEST_RAW = 4_000
"""Limit for the JSON in an event of data that have no place of their own, in characters."""
MOST_BRANCHES = 50
"""Limit of rewound branches of a trace that become runs."""
MOST_NOTED = 20
"""Limit of traces whose problems are noted one by one."""
DEEPEST = 100
"""The number of levels of lists and objects that are kept."""
NO_ARGUMENTS = "the trace did not capture the arguments"
NO_ANSWER = "(the trace did not capture the answer)"


def session_of(traces: Sequence[Trace], title: str = "") -> Session:
    """Return a session with a run for each trace and for each branch that was rewound. Nothing in it is judged yet.

    Long texts are shortened if the session would be too large for a file. Raises :class:`TooLarge`, or SessionError for
    what cannot be written.
    """
    *longer, shortest = LONGEST
    for longest in longer:
        made = _session(traces, title, longest)
        with suppress(TooLarge):
            dumps(made)
            return made
    made = _session(traces, title, shortest)
    dumps(made)
    return made


def _session(traces: Sequence[Trace], title: str, longest: int) -> Session:
    first = traces[0] if traces else Trace("trace", "")
    variant = variant_of_tools("v1", actions_of(traces))
    runs: list[Run] = []
    for trace in traces:  # the live branch is last, since commands take the last run
        branches = trace.branches[:MOST_BRANCHES]
        live = run_of(trace, f"r{len(runs) + len(branches) + 1}", longest)
        runs += [_branch_run(live, one, f"r{len(runs) + k}", longest) for k, one in enumerate(branches, 1)]
        runs.append(live)
    notes = notes_of(traces)
    return Session(
        id=secrets.token_hex(8),
        title=_line(title or title_of(first) or first.id or "imported trace"),
        notes=notes[:10_000],
        variants=[variant],
        runs=runs,
    )


def notes_of(traces: Sequence[Trace]) -> str:
    """Describe what could not be read of these traces, and what was guessed, one line for each; empty if all was
    read."""
    broken = [trace for trace in traces if trace.problem]
    said = [f"{_line(trace.id)}: {trace.problem}" for trace in broken[:MOST_NOTED]]
    if len(broken) > MOST_NOTED:
        said.append(f"{len(broken) - MOST_NOTED:,} more traces could not be read whole")
    kinds: Counter[str] = Counter()
    for trace in traces:
        kinds.update(trace.unknown_lines)
    if kinds:
        said.append(
            f"not read: {', '.join(f'{kind} ({count:,})' for kind, count in sorted(kinds.items()))[:500]}"
        )
    calls = [call for trace in traces for call in trace.calls]
    guessed = sum(call.guessed for call in calls)
    if guessed:
        failed = sum(call.guessed and bool(call.failed) for call in calls)
        answers = plural(guessed, "answer has", "answers have")
        said.append(f"{answers} no mark for errors; {failed:,} of them read like errors")
    return plain_text("\n".join(said))


def title_of(trace: Trace) -> str:
    """Return the trace's own title, or the beginning of what the user said first."""
    said = next(
        (one.text for one in trace.items if isinstance(one, Said) and one.by == "user" and one.text), ""
    )
    words = " ".join((trace.title or said)[:400].split())
    return words if len(words) <= 120 else f"{words[:117]}..."


def _line(text: str) -> str:
    return plain_text(" ".join(text.split()))[:200]


def actions_of(traces: Iterable[Trace]) -> list[ActionRecord]:
    """Return the tools that the traces define or call, as actions, except tools whose names no provider accepts."""
    found: dict[str, Tool] = {}
    for trace in traces:
        for tool in trace.tools.values():
            if tool.name not in found or found[tool.name].parameters is None:
                found[tool.name] = tool
        for items in (trace.items, *(branch.items for branch in trace.branches)):
            for item in items:
                if isinstance(item, ToolCall) and item.tool not in found:
                    found[item.tool] = Tool(item.tool)
    actions: list[ActionRecord] = []
    names: set[str] = set()
    for tool in found.values():
        if not is_tool_name(tool.name) or len(actions) >= MOST_ACTIONS:
            continue
        name, number = plain_name(tool.name), 1
        while name.casefold() in names:
            number += 1
            name = f"{plain_name(tool.name)} {number}"
        names.add(name.casefold())
        actions.append(
            ActionRecord(
                id=f"a{len(actions) + 1}",
                name=name,
                tool=tool.name,
                description=_clip(tool.description, 2_000) if tool.description else None,
                parameters=_small(tool.parameters, 20_000),
            )
        )
    return actions


def run_of(trace: Trace, run_id: str, longest: int = LONGEST[0]) -> Run:
    """Return the run of a trace's live branch."""
    events: list[Event] = []
    items = list(trace.items)
    events.append(_prompt(trace, items, longest))
    calls = 0
    spoken = -1
    for item in items:
        if isinstance(item, ToolCall):
            calls += 1
            if calls > MOST_CALLS:
                break
            if item.message != spoken:  # a message without words made the call
                events.append(_message(Said("model", "", item.message, item.at, item.agent), longest))
            spoken = item.message
        elif isinstance(item, Said) and item.by == "model":
            spoken = item.message
        events += _events(item, longest)
    cut = calls > MOST_CALLS
    at = max((event.at for event in events), default=0.0)
    reason = f"only the first {MOST_CALLS:,} calls are kept" if cut else trace.problem
    whole = trace.ended == "complete" and not cut
    events.append(
        EndEvent(
            at=at,
            ending="stopped" if whole else "aborted",
            reason=_clip(reason, 1_000) if not whole else None,
        )
    )
    return Run(
        id=run_id,
        variant="v1",
        agent=_line(trace.agent or trace.format),
        model=_line(trace.model or "not recorded"),
        started=_when(trace.started),
        events=events,
    )


def _branch_run(run: Run, branch: Branch, run_id: str, longest: int) -> Run:
    """Return a rewound branch as a fork of the live run."""
    calls = sum(isinstance(event, CallEvent) for event in run.events)
    step = min(branch.after, calls)
    kept = [event for event in events_up_to(run, step) if not isinstance(event, EndEvent)]
    made: list[Event] = []
    number = step
    for item in branch.items:
        if isinstance(item, ToolCall):
            number += 1
            if number > MOST_CALLS:
                break
        made += _events(item, longest, number)
    at = max((event.at for event in (*kept, *made)), default=0.0)
    end = EndEvent(at=at, ending="aborted", reason="the user went back from here")
    return Run(
        id=run_id,
        variant="v1",
        forked_from=ForkPoint(run=run.id, step=step),
        agent=run.agent,
        model=run.model,
        started=run.started,
        events=[*kept, *made, end],
    )


def _when(started: float | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(started, UTC) if started is not None else None
    except (ValueError, OverflowError, OSError):
        return None


def _prompt(trace: Trace, items: list[Item], longest: int) -> PromptEvent:
    """Return the first message of the user and the first system prompt before any call, and remove both from the
    list."""
    words: dict[str, Said] = {}
    for item in list(items):
        if not isinstance(item, Said):
            break
        if item.by in ("user", "system") and item.by not in words:
            words[item.by] = item
            items.remove(item)
    user, system = words.get("user"), words.get("system")
    tools = [
        SeenTool(
            name=_line(tool.name),
            description=_clip(tool.description, 2_000) if tool.description else None,
            parameters=_small(tool.parameters, 20_000),
        )
        for tool in list(trace.tools.values())[:MOST_ACTIONS]
    ]
    return PromptEvent(
        text=_clip(user.text, longest) if user is not None else "",
        system=_clip(system.text, longest) if system is not None else None,
        tools=tools or None,
    )


def _events(item: Item, longest: int, step: int | None = None) -> list[Event]:
    """Yield the events of one item."""
    at = item.at if item.at is not None and math.isfinite(item.at) else 0.0
    if isinstance(item, ToolCall):
        return _call_events(item, at, longest, step if step is not None else item.step)
    if isinstance(item, Mark):
        words = _clip(item.text, longest)
        if item.kind == "error":
            return [ErrorEvent(at=at, kind="model", text=words)]
        return [MessageEvent(at=at, text=words, by=item.kind, raw=_small(item.raw))]
    return [_message(item, longest)]


def _message(item: Said, longest: int) -> MessageEvent:
    usage = Usage(input_tokens=item.usage[0], output_tokens=item.usage[1]) if item.usage is not None else None
    return MessageEvent(
        at=item.at if item.at is not None and math.isfinite(item.at) else 0.0,
        text=_clip(item.text, longest),
        usage=usage,
        by=None if item.by == "model" else item.by,
        agent=_line(item.agent) if item.agent else None,
        raw=_small(item.raw),
    )


def _call_events(call: ToolCall, at: float, longest: int, step: int) -> list[Event]:
    arguments = _small(call.arguments, 4 * longest) if call.arguments is not None else None
    error = (
        None
        if arguments is not None
        else (call.problem or (NO_ARGUMENTS if call.arguments is None else "too long"))
    )
    left = compact(_small(call.raw)) if call.raw is not None and not call.answered and error is None else None
    made: list[Event] = [
        CallEvent(
            at=at,
            step=step,
            tool=plain_text(call.tool)[:1_000],
            arguments=arguments if isinstance(arguments, dict) else None,
            error=_clip(error, 1_000) if error else None,
            raw=left,
            call_id=_line(call.call_id) if call.call_id else None,
            agent=_line(call.agent) if call.agent else None,
            message=call.message,
        )
    ]
    if call.answered:
        took = call.took or 0.0
        made.append(
            AnswerEvent(
                at=at + took,
                step=step,
                text=_clip(call.answer, longest) if call.answer is not None else NO_ANSWER,
                status="error" if call.failed else "ok",
                took=took,
                call_id=_line(call.call_id) if call.call_id else None,
                refused_by="user" if call.refused else None,
                guessed=True if call.guessed else None,
                captured=False if call.answer is None else None,
                raw=_small(call.raw),
            )
        )
    return made


def _clip(text: str | None, longest: int) -> str:
    """Shorten a text, with a note on how much is missing."""
    text = text or ""
    if len(text) > longest:
        text = f"{text[:longest]}... ({len(text) - longest:,} more characters)"
    return plain_text(text)


def _small(value: Any, most: int = LONGEST_RAW) -> Any:
    """Return a value whose JSON is short enough, or else a short description of it. None stays None."""
    if value is None:
        return None
    made = _shallow(value, 0)
    size = len(compact(made))
    if size <= most:
        return made
    if type(made) is dict:  # keep the short members
        kept = {key: one for key, one in made.items() if len(compact(one)) <= most // (len(made) + 1)}
        if len(compact(kept)) <= most:
            return {**kept, "...": f"{plural(len(made) - len(kept), 'longer member')} left out"}
    return {"...": f"{size:,} characters left out"}


def _shallow(value: Any, depth: int) -> Any:
    """Remove what sessions cannot contain: deep nesting, NaN, numbers of a thousand digits, lone surrogates."""
    if type(value) is str:
        return plain_text(value)
    if type(value) is dict:
        if depth >= DEEPEST:
            return "(nested too deeply)"
        return {plain_text(str(key)): _shallow(one, depth + 1) for key, one in value.items()}
    if type(value) is list:
        return "(nested too deeply)" if depth >= DEEPEST else [_shallow(one, depth + 1) for one in value]
    if type(value) is float:
        return value if math.isfinite(value) else str(value)
    if type(value) is int:
        return value if abs(value) < 10**300 else "(a number too long)"
    return value if type(value) is bool or value is None else str(value)


# from a session ---------------------------------------------------------------------------------------------------


def trace_of_run(session: Session, run: Run) -> Trace:
    """Return a run of a session as a trace, so that rules can judge it too."""
    variant = next((one for one in session.variants if one.id == run.variant), None)
    build = Builder(run.id, "planscope")
    trace = build.trace
    trace.model, trace.agent, trace.title = run.model, run.agent, session.title
    trace.started = run.started.timestamp() if run.started is not None else None
    for action in variant.actions if variant is not None else ():
        build.tool(action.tool, action.description, action.parameters)
    for tool in (one for event in run.events if isinstance(event, PromptEvent) for one in event.tools or ()):
        if tool.name not in trace.tools:
            build.tool(tool.name, tool.description, tool.parameters)
    calls: dict[int, ToolCall] = {}
    ended = False
    talks = any(isinstance(event, MessageEvent) and event.by is None for event in run.events)
    for event in run.events:
        match event:
            case PromptEvent():
                if event.system:
                    build.message += 1
                    build.said("system", event.system)
                build.message += 1
                build.said("user", event.text, at=event.at)
            case MessageEvent():
                _take_message(build, event)
            case CallEvent():
                calls[event.step] = _take_call(build, event, talks)
            case AnswerEvent() if event.step in calls:
                _take_answer(build, event, calls[event.step])
            case ErrorEvent():
                build.mark("error", f"{event.kind}: {event.text}", at=event.at)
            case EndEvent():
                ended = True
                if event.ending == "aborted":
                    build.problem(event.reason or "the run was aborted", ended="error")
    if not ended:
        build.problem(BROKEN_OFF, ended="broke_off")
    return trace


def _take_message(build: Builder, event: MessageEvent) -> None:
    build.message += 1
    build.turn = "said" if event.by is None else ""
    if event.by in ("compacted", "handoff"):
        build.mark(event.by, event.text, at=event.at, raw=event.raw)
        return
    usage = (event.usage.input_tokens, event.usage.output_tokens) if event.usage is not None else None
    by = event.by if event.by in ("user", "system") else "model"
    build.said(by, event.text, at=event.at, agent=event.agent, usage=usage, raw=event.raw)


def _take_call(build: Builder, event: CallEvent, talks: bool) -> ToolCall:
    """Add a call. Without a message before it, it belongs to the message of the call before, if there are messages."""
    key = f"call {event.message}" if event.message is not None else "call"
    same = build.turn == "said" or (build.turn == key and (talks or event.message is not None))
    build.message += 0 if same else 1
    build.turn = key
    problem = None if event.error == NO_ARGUMENTS else event.error
    call = build.call(
        event.tool,
        dict(event.arguments) if event.arguments is not None else None,
        event.call_id,
        at=event.at,
        agent=event.agent,
        problem=problem,
    )
    build.settle(call)
    return call


def _take_answer(build: Builder, event: AnswerEvent, call: ToolCall) -> None:
    words = None if event.captured is False else event.text
    if call.answered and words is not None:
        words = f"{call.answer or ''}\n{words}"
    build.fill(
        call,
        words,
        failed=event.status == "error" or bool(call.failed),
        refused=event.refused_by is not None,
        raw=event.raw,
    )
    call.guessed = event.guessed is True
    call.took = event.took or None
