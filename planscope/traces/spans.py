"""Spans of any tracer as a trace: tool spans are its calls, and model spans say what was asked and answered.

Where the program recorded no tool spans, the calls are those in the model's messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from planscope.oracle.trace import ToolCall, Trace
from planscope.traces.accounts import Seen
from planscope.traces.blocks import ANSWERS, CALLS, SPEAKERS, is_act, take
from planscope.traces.build import Builder
from planscope.traces.groups import Placed, traces_of
from planscope.traces.source import Source
from planscope.traces.values import Obj, arguments_of, as_text, compact, name, obj, seq, some, text

Kind = Literal["tool", "model", "agent", "handoff", "other"]


@dataclass(slots=True)
class Span:
    """One span. ``start`` and ``end`` are seconds since 1970. ``arguments`` is None if they were not captured.

    ``messages`` are what the model read, ``answers`` what it wrote, both as messages with roles. ``failed`` is the
    format's own mark, None if it has none.
    """

    id: str
    parent: str = ""
    kind: Kind = "other"
    name: str = ""
    start: float | None = None
    end: float | None = None
    order: int = 0
    call_id: str = ""
    arguments: object = None
    result: object = None
    answered: bool = False
    failed: bool | None = None
    error: str = ""
    agent: str = ""
    messages: list[Obj] = field(default_factory=list)
    answers: list[Obj] = field(default_factory=list)
    usage: tuple[int, int] | None = None
    model: str = ""
    tools: object = None
    outputs: tuple[str, ...] = ()
    """Tools by which the model gives its answer."""
    raw: object = None


def assemble(build: Builder, spans: Iterable[Span]) -> None:
    """Add the spans of one trace, by start time, then file order. A span that is there twice counts once."""
    known: dict[str, Span] = {}
    for span in spans:
        known.setdefault(span.id or f"#{len(known)}", span)
    ordered = sorted(known.values(), key=lambda s: (s.start is None, s.start or 0.0, s.order))
    _Assembly(build, known).take(ordered)


MOST_TITLES = 1_000_000
DEEPEST = 200
"""Limit of spans around one that are looked at."""


def assembled(
    found: Iterable[Placed],
    form: str,
    source: Source,
    span: Callable[[Obj], Span],
    title: Callable[[str, list[Obj]], str],
    finish: Callable[[Builder, list[Span]], None] | None = None,
) -> Iterator[Trace]:
    """Yield a trace for each trace id. Raises Broken if there is no span before the damage.

    ``form``: the name of the format. ``span`` reads a record; ``title`` gets a trace's id and its records. ``finish``
    gets what was made of a trace.
    """

    def take(build: Builder, records: list[Obj]) -> None:
        build.trace.title = title(build.trace.id, records) or None
        spans = [span(one) for one in records]
        try:
            assemble(build, spans)
        finally:
            if finish is not None:
                finish(build, spans)

    ordered = ((trace, {**record, "order": k}, keys) for k, (trace, record, keys) in enumerate(found))
    yield from traces_of(ordered, form, source, take)


class _Assembly:
    def __init__(self, build: Builder, known: dict[str, Span]) -> None:
        self.build, self.known = build, known
        self.seen: Counter[str] = Counter()
        self.has_tools = any(one.kind == "tool" for one in known.values())
        self.same: set[str] = set()
        """Tool spans that lie in one of the same call."""
        self.asked: Obj = {}
        """The arguments of calls in the model's messages, by id."""
        self.told: Obj = {}
        """The answers that the model read, by id."""

    def take(self, ordered: list[Span]) -> None:
        build = self.build
        self._drop_repeated(ordered)
        if self.has_tools:
            ordered = self._matched(ordered)
        after_model = False
        for span in ordered:
            if span.tools is not None:
                build.tools(span.tools)
            if span.model and build.trace.model is None:
                build.trace.model = span.model
            at = build.at(span.start)
            if span.kind == "model":
                self._take_model(span, at)
                after_model = True
            elif span.kind == "tool":
                if not after_model:
                    build.message += 1
                self._take_tool(span, at)
            elif span.kind == "handoff":
                build.mark("handoff", span.name, at=at, raw=span.raw)
        self._take_ending(ordered)

    def _matched(self, ordered: list[Span]) -> list[Span]:
        """Give each call in a model's answer its tool's span: by id, else by tool and arguments, else by tool, else the
        next one that is left. Return the spans with those of one answer in its order."""
        made = list(ordered)
        free = {k: span for k, span in enumerate(ordered) if span.kind == "tool"}
        heard: Counter[str] = Counter()
        more: dict[int, list[Span]] = {}
        models = [k for k, span in enumerate(ordered) if span.kind == "model"]
        for k, after in zip(models, [*models[1:], len(ordered)], strict=False):
            acts = self._asked_in(ordered[k], heard)
            taken = _paired(acts, free, k, after)
            for n, p in taken.items():
                span, act = ordered[p], acts[n]
                span.call_id = span.call_id or act.id
                if span.name.startswith("handoff to "):  # its input and output are names of agents
                    span.name, span.arguments = act.tool, act.given or {}
            if all(p < after for p in taken.values()):
                for p, n in zip(sorted(taken.values()), sorted(taken), strict=True):
                    made[p] = ordered[taken[n]]
                    taken[n] = p
            for n, act in enumerate(acts):
                if n not in taken:  # no tool's span is of it
                    place = taken[n] = taken.get(n - 1, k)
                    more.setdefault(place, []).append(_span_of(act, ordered[k], self.told))
        return [one for k, span in enumerate(made) for one in (span, *more.get(k, ()))]

    def _asked_in(self, model: Span, heard: Counter[str]) -> list[Seen]:
        """Return the calls in a model's answers that were not ``heard`` before, and note all that it read and wrote."""
        here: Counter[str] = Counter()
        asked: list[Seen] = []
        for message, made in (*((m, False) for m in model.messages), *((m, True) for m in model.answers)):
            acts = list(acts_in(message))
            for act in acts:
                (self.told if act.answers else self.asked).setdefault(act.id, act.given)
            key = key_of(message)
            here[key] += made
            if here[key] > heard[key]:
                heard[key] = here[key]
                asked += (act for act in acts if not act.answers)
        return asked

    def _take_ending(self, ordered: list[Span]) -> None:
        roots = [s for s in ordered if not s.parent or s.parent not in self.known]
        failed = [s for s in roots if s.failed and s.kind != "tool"]
        if failed and len(failed) == len(roots):
            self.build.problem(
                f"the run ended in an error: {failed[-1].error or failed[-1].name}"[:300], cause="model"
            )

    def _drop_repeated(self, ordered: list[Span]) -> None:
        """Of nested model spans that describe one call, keep the outermost one that captured something."""
        holds: set[str] = set()
        for span in ordered:
            if span.kind != "model":
                continue
            above = list(self._above(span))
            if any(one.kind == "model" and (one.messages or one.answers) for one in above):
                span.kind = "other"
            elif span.messages or span.answers:
                holds.update(one.id for one in above)
        for span in ordered:
            if span.kind == "model" and span.id in holds:
                span.kind = "other"
        for span in ordered:
            outer = self._around(span)
            if outer is not None:  # a call that two tracers recorded
                span.kind = "other"
                self.build.excuse("the same call, recorded twice", span.name, None)
                outer.call_id = outer.call_id or span.call_id
                if outer.arguments is None:
                    outer.arguments = span.arguments
                if outer.result is None:
                    outer.result = span.result
                outer.failed = outer.failed or span.failed
                outer.answered = outer.answered or span.answered

    def _around(self, span: Span) -> Span | None:
        """Return the outermost span of the same call, None if it is this one."""
        outer, ids = span, {span.id}
        while span.kind == "tool":
            above = self.known.get(outer.parent)
            if (
                above is None
                or above.name != span.name
                or (above.kind != "tool" and above.id not in self.same)
            ):
                break
            if above.id in ids:
                return None
            outer = above
            ids.add(outer.id)
        if outer is span:
            return None
        self.same.add(span.id)
        return outer

    def _above(self, span: Span) -> Iterator[Span]:
        """Yield the spans around it, the nearest first."""
        at = self.known.get(span.parent)
        for _ in range(DEEPEST):
            if at is None or at is span:
                return
            yield at
            at = self.known.get(at.parent)

    def agent_of(self, span: Span) -> str | None:
        """Return the agent of the nearest span above it that has one."""
        return next((one.agent for one in (span, *self._above(span)) if one.agent), None)

    def _take_tool(self, span: Span, at: float | None) -> None:
        build = self.build
        arguments, result = span.arguments, self.told.get(span.call_id, span.result)
        if arguments is None:
            arguments = self.asked.get(span.call_id)
        if span.call_id and build.known(span.call_id):
            same = build.last(span.call_id)
            if same is not None and same.tool == span.name and not span.answered:
                return
        call = build.call(span.name, arguments, span.call_id, at=at, agent=self.agent_of(span), raw=span.raw)
        build.settle(call)
        if span.answered or result is not None:
            if result is None and span.error:
                result = span.error
            build.fill(
                call, result if result is None else as_text(result), failed=span.failed, at=build.at(span.end)
            )
        if span.name in span.outputs:
            build.gave(call)

    def _take_model(self, span: Span, at: float | None) -> None:
        """Add what is new in a model's messages; the history is in every span again."""
        build = self.build
        here: Counter[str] = Counter()
        before = build.message
        agent = self.agent_of(span)
        for message, made in (*((m, False) for m in span.messages), *((m, True) for m in span.answers)):
            key = key_of(message)
            here[key] += 1
            if here[key] > self.seen[key]:
                self.seen[key] = here[key]
                self._take_message(message, at, agent if made else None, span.outputs)
        build.message += 1 if build.message == before else 0
        if span.usage is not None:
            build.said("model", "", at=at, agent=agent, usage=span.usage)
        if span.failed:
            build.mark("error", span.error or "the model call failed", at=at)

    def _take_message(
        self, message: Obj, at: float | None, agent: str | None, outputs: tuple[str, ...]
    ) -> None:
        if not self.has_tools:
            before = len(self.build.items)
            take(self.build, message, at=at, agent=agent)
            for one in self.build.items[before:]:
                if isinstance(one, ToolCall) and one.tool in outputs:
                    self.build.gave(one)
            return
        role = message.get("role")
        by = SPEAKERS.get(role) if type(role) is str else None
        self.build.message += 1
        if by is None:
            return
        content = message.get("content", message.get("parts"))
        if type(content) is list:
            content = [b for b in content if not is_act(b)]
        self.build.said(by, content, at=at, agent=agent)


_SAME: tuple[Callable[[Seen, Span, bool], bool], ...] = (
    lambda act, span, near: bool(act.id) and act.id == span.call_id,
    lambda act, span, near: act.tool == span.name and arguments_of(act.given) == arguments_of(span.arguments),
    lambda act, span, near: act.tool == span.name and not (act.id and span.call_id),
    lambda act, span, near: near and not (act.id and span.call_id),
)
"""Whether a call and a tool's span are one, the surest sign first. ``near``: no model spoke between them."""


def _paired(acts: list[Seen], free: dict[int, Span], k: int, after: int) -> dict[int, int]:
    """Return the places of the spans that are these calls of the model at place ``k``, and take them from those that
    are ``free``. ``after``: the place of the next model."""
    taken: dict[int, int] = {}
    for same in _SAME:
        for n, act in enumerate(acts):
            fits = (p for p, span in free.items() if n not in taken and p > k and same(act, span, p < after))
            if (found := next(fits, None)) is not None:
                taken[n] = found
                del free[found]
    return taken


def _span_of(act: Seen, model: Span, told: Obj) -> Span:
    """Return a span of a call that a model made."""
    made = Span("", model.id, "tool", act.tool, model.start, call_id=act.id, arguments=act.given)
    made.answered, made.outputs = act.id in told, model.outputs
    return made


def acts_in(message: Obj) -> Iterator[Seen]:
    """Yield the calls and answers of a message."""
    if message.get("role") == "tool" and message.get("content") is not None:
        yield Seen("", "", name(message.get("tool_call_id")), message["content"], "", answers=True)
    told = [{"type": "tool_call", **obj(one)} for one in seq(message.get("tool_calls"))]
    for part in (*told, *map(obj, seq(message.get("parts") or message.get("content")))):
        inner = obj(some(part, ("function", "functionCall", "function_call"))) or part
        id = name(some(part, ("id", "toolCallId", "tool_use_id")))
        if part.get("type") in CALLS or inner is not part:
            tool = name(some(inner, ("name", "toolName")))
            yield Seen("", tool, id, some(inner, ("arguments", "args", "input")), "")
        elif part.get("type") in ANSWERS:
            yield Seen("", "", id, some(part, ("response", "result", "content", "output")), "", answers=True)


def key_of(message: Obj) -> str:
    """Return a key that is the same when a message comes again: role, text and calls."""
    content = message.get("content", message.get("parts"))
    calls = [
        name(obj(c).get("id")) or compact(obj(c).get("function") or obj(c).get("name"))
        for c in seq(message.get("tool_calls"))
    ]
    role = text(message.get("role"))
    words = content.strip() if type(content) is str else compact(content) if content else ""
    if type(content) is list and len(content) == 1 and text(obj(content[0]).get("type")) == "text":
        words = as_text(content).strip()
    return f"{role}|{words}|{calls}|{name(message.get('tool_call_id'))}"
