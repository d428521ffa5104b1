"""Makes a trace from messages, calls and answers while they are read: numbers them, and gives each call its answer."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Iterable
from itertools import islice
from typing import Literal

from planscope.oracle.trace import (
    DAMAGED,
    FULL,
    Branch,
    Cause,
    Item,
    LeftOut,
    Mark,
    Said,
    Tool,
    ToolCall,
    Trace,
)
from planscope.oracle.trace import MOST_CALLS as MOST_CALLS
from planscope.oracle.trace import MOST_ITEMS as MOST_ITEMS
from planscope.traces.json_stream import Broken
from planscope.traces.values import arguments_of, as_text, compact, name, obj, says_error, seconds, text

OUTPUT = "an output tool, by which the model gives its answer"
LOOKED_AT = 1000
"""Limit of calls without an answer that are searched for one that an answer without an id belongs to."""
MOST_KINDS = 100
"""Limit of kinds of unknown records that are named."""


class Full(Exception):
    """The trace has as many calls as are kept. What comes after them is not read."""


class Builder:
    """Builds one trace. Every value that it receives may be of any type."""

    def __init__(self, id: str, form: str, *, steps: int = 0, message: int = -1) -> None:
        self.items: list[Item] = []
        self.trace = Trace(self.items, id=id, format=form)
        self.message = message
        self.steps = steps
        self.time: float | None = None
        """When what is read now was, for items that do not say it themselves."""
        self.agent: str | None = None
        """Who speaks or calls, if it is the agent's side and an item does not say it itself."""
        self.turn = ""
        """Who spoke last, in formats whose items are not grouped into messages."""
        self.heard: Counter[str] = Counter()
        """How often each message was read, in formats that tell the history again in every record."""
        self.parts: list[tuple[ToolCall | None, list[Item]]] = []
        """The items of sub-agents, each with the call that started it, if that is known."""
        self._open: OrderedDict[int, ToolCall] = OrderedDict()
        self._by_id: dict[str, ToolCall] = {}
        """The last call with each id."""
        self._queues: dict[str, deque[ToolCall]] = {}
        """Calls with one id that were made before the first of them was answered."""

    # messages -----------------------------------------------------------------------------------------------------

    def at(self, time: object) -> float | None:
        """Return a time of any form as seconds since the trace began, which is the first time."""
        if time is None:
            return None
        found = seconds(time)
        if found is None:
            return None
        if self.trace.started is None:
            self.trace.started = found
        return round(max(found - self.trace.started, 0.0), 6)

    def said(
        self,
        by: Literal["user", "model", "system"],
        content: object,
        *,
        at: float | None = None,
        agent: str | None = None,
        usage: tuple[int, int] | None = None,
        raw: object = None,
    ) -> None:
        """Add a message's text. A message without text, tokens or other fields is dropped."""
        words = as_text(content)
        if words or usage or raw:
            if len(self.items) >= MOST_ITEMS:
                raise Full
            at, agent = self._now(at), agent or (self.agent if by == "model" else None)
            self.items.append(Said(by, words, max(self.message, 0), at, agent, usage, raw))

    def mark(
        self,
        kind: Literal["compacted", "handoff", "error"],
        words: object,
        *,
        at: float | None = None,
        raw: object = None,
    ) -> None:
        """Add something that happened between calls."""
        if len(self.items) >= MOST_ITEMS:
            raise Full
        self.items.append(Mark(kind, as_text(words), max(self.message, 0), self._now(at), raw))

    def _now(self, at: float | None) -> float | None:
        return self.time if at is None else at

    # calls --------------------------------------------------------------------------------------------------------

    def call(
        self,
        tool: object,
        arguments: object,
        call_id: object = None,
        *,
        at: float | None = None,
        agent: str | None = None,
        raw: object = None,
        problem: str | None = None,
    ) -> ToolCall:
        """Add one call. ``arguments``: an object, JSON text, or None if they were not captured."""
        if self.steps >= MOST_CALLS:
            raise Full
        given, found = arguments_of(arguments)
        self.steps += 1
        self.message = max(self.message, 0)
        made = ToolCall(
            name(tool) or "(no name)",
            given,
            problem or found,
            step=self.steps,
            message=self.message,
            agent=agent or self.agent,
            at=self._now(at),
            call_id=name(call_id) or None,
            raw=raw,
        )
        self.items.append(made)
        self._open[self.steps] = made
        if made.call_id is not None:
            before = self._by_id.get(made.call_id)
            if before is not None and before.step in self._open:  # some programs use an id again
                self._queues.setdefault(made.call_id, deque([before])).append(made)
            self._by_id[made.call_id] = made
        return made

    def waiting(self, call_id: object, tool: object = None) -> ToolCall | None:
        """Return the earliest call that waits for this answer, of the last message that has such a call.

        Without an id, or with one that no call has, that is the earliest call of the tool that has no id of its own.
        """
        key = name(call_id)
        call = self._by_id.get(key) if key else None
        if call is not None:
            queue = self._queues.get(key) if self._queues else None
            if queue:
                left = [one for one in islice(queue, LOOKED_AT) if one.step in self._open]
                latest = [one for one in left if one.message == call.message]
                for one in (*latest[:1], *left[:1]):
                    queue.remove(one)
                    return self._open.pop(one.step)
            return self._open.pop(call.step, None)
        for call in islice(self._open.values(), LOOKED_AT):
            if not (key and call.call_id) and (not tool or call.tool == tool):
                del self._open[call.step]
                return call
        return None

    def known(self, call_id: object) -> bool:
        """Return whether a call has this id."""
        return self.last(call_id) is not None

    def last(self, call_id: object) -> ToolCall | None:
        """The last call with this id."""
        return self._by_id.get(call_id) if type(call_id) is str else None

    def is_answered(self, call_id: object) -> bool:
        """Whether all calls with this id have their answers."""
        last = self.last(call_id)
        return last is not None and last.answered and not self._queues.get(last.call_id or "")

    def answer(
        self,
        call_id: object,
        content: object,
        *,
        tool: object = None,
        failed: bool | None = None,
        refused: bool = False,
        at: float | None = None,
        raw: object = None,
    ) -> ToolCall | None:
        """Add the answer to a call, and return the call, or None if no call waits for it.

        ``failed`` is the format's own mark; without one (None) the text decides. ``content`` is None if it was not
        captured.
        """
        call = self.waiting(call_id, tool)
        if call is None:
            if not self.known(call_id):
                self.unknown("an answer without its call")
            return None
        self.fill(call, content, failed=failed, refused=refused, at=self._now(at), raw=raw)
        return call

    def fill(
        self,
        call: ToolCall,
        content: object,
        *,
        failed: bool | None = None,
        refused: bool = False,
        at: float | None = None,
        raw: object = None,
    ) -> None:
        """Give this call its answer, and wait for no other."""
        self.settle(call)
        call.answered = True
        call.answer = words = None if content is None else as_text(content)
        call.refused = refused
        if failed is not None:
            call.failed = failed and not refused
        elif refused:
            call.failed = False
        elif words is not None:
            call.failed = says_error(words)
            call.guessed = True
        if at is not None and call.at is not None:
            call.took = round(max(at - call.at, 0.0), 6)
        if raw is not None:
            call.raw = {"call": call.raw, "answer": raw} if call.raw is not None else {"answer": raw}

    def excuse(self, reason: str, tool: object, arguments: object, call_id: object = None) -> None:
        """Note what looks like a call and is not of this run."""
        if len(self.trace.excused) < MOST_CALLS:
            found = arguments_of(arguments)[0]
            self.trace.excused.append((reason, ToolCall(name(tool), found, call_id=name(call_id) or None)))

    def gave(self, call: ToolCall) -> None:
        """Turn a call of an output tool, by which the model gives its answer, into what it said."""
        place = next(k for k, item in enumerate(self.items) if item is call)
        self.items[place] = Said("model", compact(call.arguments), call.message, call.at, call.agent)
        self.excuse(OUTPUT, call.tool, call.arguments, call.call_id)
        self.steps -= 1
        for later in self.items[place:]:
            if isinstance(later, ToolCall):
                later.step -= 1

    def settle(self, call: ToolCall) -> None:
        """Note that this call waits for no answer any more."""
        self._open.pop(call.step, None)

    # the whole ----------------------------------------------------------------------------------------------------

    def tool(self, tool: object, description: object = None, parameters: object = None) -> None:
        """Add a tool that the trace defines. One without a name is left out. What is said later takes the place of what
        was said before."""
        known = text(tool)
        if known and len(self.trace.tools) < 10_000:
            made = self.trace.tools.setdefault(known, Tool(known))
            made.description = text(description) or made.description
            made.parameters = parameters if type(parameters) is dict else made.parameters

    def tools(self, definitions: object) -> None:
        """Add definitions in the forms of OpenAI (both), Anthropic, MCP and JSON schemas that name themselves."""
        if type(definitions) is not list:
            return
        for one in definitions:
            one = obj(one)
            inner = obj(one.get("function")) or one
            schema = next(
                (
                    inner[k]
                    for k in ("parameters", "input_schema", "inputSchema", "parameters_json_schema")
                    if k in inner
                ),
                None,
            )
            self.tool(inner.get("name"), inner.get("description"), schema)

    def unknown(self, kind: object, count: int = 1) -> None:
        """Count a record that has no meaning for a trace."""
        kinds = self.trace.unknown_lines
        label = (text(kind) or "without a type")[:80]
        if label not in kinds and len(kinds) >= MOST_KINDS:
            label = "other kinds"
        kinds[label] = kinds.get(label, 0) + count

    def problem(self, words: str, *, cause: Cause | None = None) -> None:
        """Note in one line what could not be read, and what ended the run early. The first note stays."""
        trace = self.trace
        if trace.problem is None:
            trace.problem = words
        if cause is not None and trace.cause is None:
            trace.ending, trace.cause, trace.reason = "aborted", cause, words

    def unread(self, words: str, where: str = "", count: int = 1) -> None:
        """Note in one line what could not be read, and that it may hold calls."""
        self.problem(words)
        self.trace.left_out.append(LeftOut("not understood", DAMAGED, where, count))

    def broken(self, broken: Broken) -> None:
        """Note where the data of the trace end, or where what follows cannot be read."""
        if not broken.cut:
            self.unread(broken.text, broken.where)
        self.problem(broken.text, cause="cut_off")

    def full(self) -> None:
        """Note that the rest was not read."""
        trace, words = self.trace, f"{FULL}{self.steps:,} calls were read"
        trace.problem = trace.problem or words
        trace.ending, trace.cause, trace.reason = "aborted", "cut_off", words

    def branch(self, after: int, items: list[Item]) -> None:
        """Add items that the user rewound."""
        self.trace.branches.append(Branch(after, items))

    def put_in(self) -> None:
        """Put the items of sub-agents in."""
        if self.parts:
            self.items[:] = spliced(self.items, self.parts)

    def done(self) -> Trace:
        """Return the finished trace."""
        return self.trace


def spliced(items: list[Item], parts: Iterable[tuple[ToolCall | None, list[Item]]]) -> list[Item]:
    """Return the items with those of sub-agents put in; steps and messages are numbered again.

    Each part comes after all calls of the message whose call started it, since those were decided together; without a
    call it comes last.
    """
    after: dict[int, list[list[Item]]] = {}
    loose: list[list[Item]] = []
    for call, part in parts:
        (loose if call is None else after.setdefault(call.message, [])).append(part)
    last_of = {item.message: k for k, item in enumerate(items) if isinstance(item, ToolCall)}
    made: list[Item] = []
    message = -1

    def add(some: list[Item]) -> None:
        nonlocal message
        before = None
        for item in some:
            if item.message != before:
                before, message = item.message, message + 1
            item.message = message
            made.append(item)

    start = 0
    for place, k in sorted((last_of[m], m) for m in after if m in last_of):
        add(items[start : place + 1])
        start = place + 1
        for part in after[k]:
            add(part)
    add(items[start:])
    for part in loose:
        add(part)
    steps = 0
    for item in made:
        if isinstance(item, ToolCall):
            steps += 1
            item.step = steps
    return made
