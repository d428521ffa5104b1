"""Runs and traces: a trace becomes a run of a session that the debugger opens, and every run becomes a trace.

Nothing else makes one of the other, so that a run is judged alike wherever it comes from: what the trace did not
capture is not known of the run either.
"""

from __future__ import annotations

import json
import math
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast

from planscope.language.problem import is_tool_name
from planscope.oracle.trace import (
    FULL,
    Branch,
    Ending,
    Item,
    LeftOut,
    Mark,
    Said,
    Tool,
    ToolCall,
    Trace,
    add_left_out,
)
from planscope.session.files import TooLarge
from planscope.session.json_bytes import plain, plain_text
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    EndEvent,
    ErrorEvent,
    Event,
    ExpectedCall,
    ForkPoint,
    LeftOutPart,
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
from planscope.session.record import RunRecord, record_of
from planscope.session.run_names import untaken
from planscope.session.store import dumps
from planscope.session.validation import MOST_ACTIONS, MOST_CALLS
from planscope.wording.phrases import plural

LONGEST = (1_000_000, 60_000, 8_000, 1_000)
"""Limits for a text in an event, in characters. The next smaller one is used if a session is too large for its file."""
LONGEST_RAW = 4_000
"""Limit for the JSON in an event of data that have no place of their own, in characters."""
MOST_BRANCHES = 50
"""Limit of rewound branches of a trace that become runs."""
MOST_NOTED = 20
"""Limit of traces whose problems are noted one by one."""
MOST_KINDS = 1_000
"""Limit of kinds of calls that are left out of one trace, each with its reason."""
LONGEST_ID = 100
"""Limit of a run's id, in characters."""
DEEPEST = 100
"""The number of levels of lists and objects that are kept."""
NO_ARGUMENTS = "the trace did not capture the arguments"
NOT_RECORDED = "not recorded"
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
    first = traces[0] if traces else Trace(id="trace")
    variant = variant_of_tools("v1", actions_of(traces))
    runs: list[Run] = []
    taken: set[str] = set()
    for trace in traces:  # the live branch is last, since commands take the last run
        branches = trace.branches[:MOST_BRANCHES]
        live = run_of(trace, _free(trace.id, taken), longest)
        for number, branch in enumerate(branches, 1):
            runs.append(_branch_run(live, branch, _free(f"{live.id}/branch{number}", taken), longest))
        runs.append(live)
    notes = notes_of(traces)
    return Session(
        id=secrets.token_hex(8),
        title=_line(title or title_of(first) or first.id or "imported trace"),
        notes=notes[:10_000],
        variants=[variant],
        runs=runs,
    )


def _free(id: str, taken: set[str]) -> str:
    """Return a trace's id as the id of a run, with a number if another one has it."""
    base = _line(id)[:LONGEST_ID] or "trace"
    found, number = base, 1
    while found in taken:
        number += 1
        found = f"{base}~{number}"
    taken.add(found)
    return found


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
    left_out: dict[tuple[str, str], LeftOut] = {}
    for trace in traces:
        add_left_out(left_out, trace.id, trace.left_out)
    said += [f"left out: {one.text}" for one in left_out.values()]
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
        actions.append(
            ActionRecord(
                id=f"a{len(actions) + 1}",
                name=untaken(plain_name(tool.name), names),
                tool=tool.name,
                description=_clip(tool.description, 2_000) if tool.description else None,
                parameters=_small(tool.parameters, 20_000),
            )
        )
    return actions


def run_of(trace: Trace, run_id: str, longest: int = LONGEST[0]) -> Run:
    """Return the run of a trace's live branch."""
    items = list(trace.items)
    timed = any(_time(item) is not None for item in items)
    events: list[Event] = [_prompt(trace, items, longest, timed)]
    calls = 0
    spoken = -1
    for item in items:
        new: list[Event] = []
        if isinstance(item, ToolCall):
            calls += 1
            if calls > MOST_CALLS:
                break
            if item.message != spoken:  # a message without words made the call
                said = Said("model", "", item.message, item.at, item.agent)
                new.append(_message(said, longest, timed))
            spoken = item.message
        elif isinstance(item, Said) and item.by == "model":
            spoken = item.message
        for event in (*new, *_events(item, longest, timed)):
            object.__setattr__(event, "__pydantic_fields_set__", _fields(type(event)))
            events.append(event)
    cut = calls > MOST_CALLS
    at = max((event.at for event in events), default=0.0)
    ending = "aborted" if cut or trace.ending == "running" else trace.ending
    reason = f"{FULL}{MOST_CALLS:,} calls are kept" if cut else trace.reason
    cause = "cut_off" if cut else trace.cause
    events.append(
        EndEvent(at=at, ending=ending, reason=_clip(reason, 1_000) if reason else None, cause=cause)
    )
    return Run(
        id=run_id,
        variant="v1",
        agent=_line(trace.agent or NOT_RECORDED),
        model=_line(trace.model or NOT_RECORDED),
        started=_when(trace.started),
        events=events,
        reward=trace.reward if trace.reward is not None and math.isfinite(trace.reward) else None,
        left_out=[
            LeftOutPart(kind=one.kind, reason=_line(one.reason), path=_line(one.path), count=one.count)
            for one in trace.left_out[:MOST_KINDS]
        ]
        or None,
        expected=[
            ExpectedCall(tool=_name(one.tool), arguments=_small(one.arguments, 4 * longest))
            for one in trace.expected[:MOST_CALLS]
        ]
        or None,
    )


@cache
def _fields(kind: type[Event]) -> set[str]:
    """Return the fields that an event has, which all of its kind share: a set of its own is half of its memory."""
    return set(kind.model_fields)


def _branch_run(run: Run, branch: Branch, run_id: str, longest: int) -> Run:
    """Return a rewound branch as a fork of the live run."""
    calls = sum(isinstance(event, CallEvent) for event in run.events)
    step = min(branch.after, calls)
    kept = [event for event in events_up_to(run, step) if not isinstance(event, EndEvent)]
    made: list[Event] = []
    timed = any(_time(item) is not None for item in branch.items)
    number = step
    for item in branch.items:
        if isinstance(item, ToolCall):
            number += 1
            if number > MOST_CALLS:
                break
        made += _events(item, longest, timed, number)
    at = max((event.at for event in (*kept, *made)), default=0.0)
    end = EndEvent(at=at, ending="aborted", reason="the user went back from here", cause="stopped")
    return Run(
        id=run_id,
        variant="v1",
        forked_from=ForkPoint(run=run.id, step=step),
        agent=run.agent,
        model=run.model,
        started=run.started,
        events=[*kept, *made, end],
        left_out=run.left_out,
    )


def _when(started: float | None) -> datetime | None:
    try:
        return datetime.fromtimestamp(started, UTC) if started is not None else None
    except (ValueError, OverflowError, OSError):
        return None


def _prompt(trace: Trace, items: list[Item], longest: int, timed: bool) -> PromptEvent:
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
            name=_name(tool.name),
            description=_clip(tool.description, 2_000) if tool.description else None,
            parameters=_small(tool.parameters, 20_000),
        )
        for tool in list(trace.tools.values())[:MOST_ACTIONS]
    ]
    at = _time(user) if user is not None else None
    return PromptEvent(
        at=at or 0.0,
        timed=at is not None if timed else None,
        number=user.message if user is not None else None,
        text=_clip(user.text, longest) if user is not None else "",
        system=_clip(system.text, longest) if system is not None else None,
        tools=tools or None,
    )


def _time(item: Item) -> float | None:
    """Return when an item was, if the trace says it."""
    return item.at if item.at is not None and math.isfinite(item.at) else None


def _events(item: Item, longest: int, timed: bool, step: int | None = None) -> list[Event]:
    """Return the events of one item. ``timed``: whether the trace has any times."""
    if isinstance(item, ToolCall):
        return _call_events(item, longest, timed, step if step is not None else item.step)
    if isinstance(item, Mark) and item.kind == "error":
        return [ErrorEvent(at=_time(item) or 0.0, kind="model", text=_clip(item.text, longest))]
    return [_message(item, longest, timed)]


def _message(item: Said | Mark, longest: int, timed: bool) -> MessageEvent:
    at = _time(item)
    by: Any = item.kind if isinstance(item, Mark) else item.by
    used: Any = getattr(item, "usage", None)
    agent = getattr(item, "agent", None)
    return MessageEvent(
        at=at or 0.0,
        timed=False if timed and at is None else None,
        number=item.message,
        text=_clip(item.text, longest),
        usage=Usage(input_tokens=used[0], output_tokens=used[1]) if used is not None else None,
        by=None if by == "model" else by,
        agent=_name(agent) if agent else None,
        raw=_small(item.raw),
    )


def _call_events(call: ToolCall, longest: int, timed: bool, step: int) -> list[Event]:
    arguments = _small(call.arguments, 4 * longest)
    error = (call.error or NO_ARGUMENTS) if arguments is None else None
    at = _time(call)
    unknown = False if timed and at is None else None
    left = _json(_small(call.raw)) if call.raw is not None and not call.answered and error is None else None
    made: list[Event] = [
        CallEvent(
            at=at or 0.0,
            timed=unknown,
            step=step,
            tool=_name(call.tool),
            arguments=arguments,
            error=_clip(error, 1_000) if error else None,
            raw=left,
            call_id=_line(call.call_id) if call.call_id else None,
            agent=_name(call.agent) if call.agent else None,
            message=call.message,
        )
    ]
    if call.answered:
        took = call.took or 0.0
        made.append(
            AnswerEvent(
                at=(at or 0.0) + took,
                timed=unknown,
                step=step,
                text=_clip(call.answer, longest) if call.answer is not None else NO_ANSWER,
                status="error" if call.failed else "ok",
                took=took,
                call_id=_line(call.call_id) if call.call_id else None,
                refused_by="user" if call.refused else None,
                guessed=True if call.guessed else None,
                unsure=True if call.failed is None else None,
                captured=False if call.answer is None else None,
                raw=_small(call.raw),
            )
        )
    return made


def _name(text: str) -> str:
    return plain_text(text)[:1_000]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


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
    made = plain(value, DEEPEST)
    size = len(_json(made))
    if size <= most:
        return made
    if type(made) is dict:  # keep the short members
        kept = {key: one for key, one in made.items() if len(_json(one)) <= most // (len(made) + 1)}
        if len(_json(kept)) <= most:
            return {**kept, "...": f"{plural(len(made) - len(kept), 'longer member')} left out"}
    return {"...": f"{size:,} characters left out"}


# from a run -------------------------------------------------------------------------------------------------------


def trace_of(run: Run, record: RunRecord | None = None, *, live: bool = False) -> Trace:
    """Return a run as a trace. A record without an end is cut off, unless the run is ``live``.

    ``record``: the run's, if it is known.
    """
    trace = trace_of_record(record or record_of(run, under_way=live))
    trace.started = run.started.timestamp() if run.started is not None else None
    return trace


def trace_of_record(record: RunRecord) -> Trace:
    """Return the record of a run as a trace."""
    made = _Items(record, -1)
    made.prompt()
    for k in range(len(record.calls)):
        made.call(k)
    made.messages(record.last_messages)
    aborted, reason = record.ending == "aborted", record.reason or None
    return Trace(
        made.items,
        cast(Ending, record.ending),
        reason,
        record.cause if aborted else None,
        _tools(record),
        id=record.id,
        format="planscope",
        model=record.model,
        agent=record.agent,
        problem=reason if aborted else None,
        reward=record.reward,
        left_out=list(record.left_out),
        expected=list(record.expected),
    )


def items_of(record: RunRecord, begin: int = 0, end: int | None = None, message: int = -1) -> list[Item]:
    """Return the calls in this range of indexes, each with what was said before it. ``message``: the number of the
    last message before them."""
    made = _Items(record, message)
    if begin == 0:
        made.prompt()
    for k in range(len(record.calls))[begin:end]:
        made.call(k)
    return made.items


class _Items:
    """Makes the items of a record, in order. ``message``: the number of the last one.

    Imported runs have the trace's own numbers. In others a call belongs to the message of the model before it. If the
    record has no messages, every call is one of its own.
    """

    def __init__(self, record: RunRecord, message: int) -> None:
        self.record = record
        self.message = message
        self.items: list[Item] = []
        prompt, calls = record.prompt, record.calls
        self._timed = record.cost.ends > 0 or (prompt is not None and prompt.timed is not None)
        """Without times, every event is at 0."""
        self._talks = bool(calls) and any(one.by is None for one in calls[0].messages)

    def _at(self, at: float, timed: bool) -> float | None:
        return at if self._timed and timed else None

    def prompt(self) -> None:
        prompt = self.record.prompt
        if prompt is not None and prompt.system:
            self.message += 1
            self.items.append(Said("system", prompt.system, self.message))
        if prompt is not None and (prompt.text or prompt.number is not None):
            self.message = self.message + 1 if prompt.number is None else prompt.number
            at = self._at(prompt.at, prompt.timed is not False)
            self.items.append(Said("user", prompt.text, self.message, at))
        self._troubles(self.record.troubles)

    def messages(self, events: Iterable[MessageEvent]) -> None:
        for event in events:
            at = self._at(event.at, event.timed is not False)
            for words in self._told(event):
                self.message += 1
                self.items.append(Said("user", words, self.message, at))
            self.message = self.message + 1 if event.number is None else event.number
            if event.by == "compacted" or event.by == "handoff":
                self.items.append(Mark(event.by, event.text, self.message, at, event.raw))
                continue
            usage = (event.usage.input_tokens, event.usage.output_tokens) if event.usage else None
            by = event.by or "model"
            if by != "model" or event.text or usage or event.raw:
                self.items.append(Said(by, event.text, self.message, at, event.agent, usage, event.raw))

    def _told(self, event: MessageEvent) -> Iterable[str]:
        """Yield what the user told the model with this message. A sub-agent is told things by its agent."""
        if event.given is not None and event.agent in (None, self.record.agent):
            for said in event.given.messages or ():
                if said.role in ("user", "human"):
                    yield said.text

    def call(self, index: int) -> None:
        call = self.record.calls[index]
        self.messages(call.messages)
        if call.message is not None:
            self.message = call.message
        elif call.messages:
            self.message += call.messages[-1].by is not None
        elif not (index and self._talks):
            self.message += 1
        answered = call.answered
        refused = bool(call.refused_by)
        failed = call.failed and not refused if call.answer is not None else None
        if answered is not None and answered.unsure:
            failed = None
        named = call.agent or (self.record.agent if call.message is None else None)
        self.items.append(
            ToolCall(
                call.tool,
                call.arguments,
                call.error or None,
                refused,
                failed,
                None if answered is not None and answered.captured is False else call.answer,
                call.answer is not None,
                index + 1,
                self.message,
                named or None,
                self._at(call.at, call.timed),
                (answered.took or None) if answered is not None else None,
                answered.call_id if answered is not None else None,
                answered is not None and answered.guessed is True,
                answered.raw if answered is not None else None,
            )
        )
        self._troubles(call.troubles)

    def _troubles(self, troubles: Iterable[str]) -> None:
        self.items += [Mark("error", text, max(self.message, 0)) for text in troubles]


def _tools(record: RunRecord) -> dict[str, Tool]:
    """Return the tools that the model was given. Those that were only called are not among them."""
    prompt = record.prompt
    given = [prompt.tools] if prompt is not None else []
    for messages in (*(call.messages for call in record.calls), record.last_messages):
        given += [event.given.tools for event in messages if event.given is not None]
    return {
        tool.name: Tool(tool.name, tool.description, tool.parameters) for some in given for tool in some or ()
    }
