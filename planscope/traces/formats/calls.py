"""Reads planscope's plain format, a line a call (docs/plain-traces.md), and lists of calls, steps or events as programs
spell them: one table of spellings (``accounts.py``) tells the calls, their answers and who said what.

This reads smolagents' steps, the events of AutoGen and CrewAI, Gemini CLI's ``stream-json``, and what people's own
scripts write.
"""

from __future__ import annotations

from collections.abc import Iterator

from planscope.oracle.trace import ToolCall, Trace
from planscope.traces.accounts import ANSWERS, Seen, seen_in
from planscope.traces.blocks import SPEAKERS, usage_of
from planscope.traces.build import Builder
from planscope.traces.groups import traces_of
from planscope.traces.messages import id_beside
from planscope.traces.reader import FileFormat, Options
from planscope.traces.source import Head, Source
from planscope.traces.values import Obj, arguments_of, as_text, name, number, obj, rest_of, seq, some, text

LISTS = ("calls", "tool_calls", "steps", "events", "trajectory", "actions", "messages", "history", "memory", "trace",
         "log", "llm_messages")  # fmt: skip
"""Keys that may have the records of a run."""
_RUNS = ("run", "run_id", "trace_id", "session_id", "conversation_id")
_TIMES = ("time", "timestamp", "ts", "at", "started_at", "start_time", "created_at")
_AGENTS = ("agent", "agent_name", "agent_role", "author", "source")
_GRADES = ("grade", "reward", "score")
_TEXTS = ("TextMessage", "UserMessage", "SystemMessage", "AssistantMessage", "MultiModalMessage", "StopMessage",
          "HandoffMessage", "ThoughtEvent", "ToolCallSummaryMessage", "message")  # fmt: skip
_ENDED = frozenset(("answer", "result", "output", "error", "success"))
_FAILED = ("error", "failed", "failure")


def _known(head: Head) -> float:
    records = [one for _, one in _flat(head.records)][:100]
    if any(call_of(one) is not None for one in records):
        return 0.72
    return 0.62 * any(map(_inner, records))


def _read(source: Source, options: Options) -> Iterator[Trace]:
    """Yield the runs of a file. Records of several runs may be mixed; ``run`` tells them apart."""

    def take(build: Builder, records: list[Obj]) -> None:
        for record in records:
            _take(build, record)

    found = ((run, record, ()) for run, record in _records(source))
    yield from traces_of(found, "calls", source, take)


def _records(source: Source) -> Iterator[tuple[str, Obj]]:
    """Yield each record with the id of its run, which is empty if nothing says it."""
    for place, value in _values(source):
        several = type(value) is list or _list_of(obj(value)) is not None
        yield from _flat([value], f"{source.stem}:{place}" if place and several else "")


def _values(source: Source) -> Iterator[tuple[int, object]]:
    """Yield each line or element of a file with its number, and a single value with 0."""
    if source.seen.kind == "lines":
        yield from source.records()
        return
    for top in source.json().documents():
        if top.kind == "[":
            yield from ((k, element.value()) for k, element in enumerate(top.elements(), 1))
        elif top.kind == "{":
            yield 0, top.value()
        else:
            top.skip()


def _list_of(record: Obj) -> list[object] | None:
    """Return the records in an object that has a list of them, and is no record itself."""
    if call_of(record) is not None or _inner(record):
        return None
    for key in LISTS:
        found = record.get(key)
        if type(found) is list and any(call_of(obj(o)) is not None or _inner(obj(o)) for o in found):
            return found
    return None


def _flat(values: list[object], run: str = "") -> Iterator[tuple[str, Obj]]:
    for value in values:
        if type(value) is list:
            yield from _flat(value, run)
            continue
        record = obj(value)
        inner = _list_of(record)
        if inner is not None:
            id = name(some(record, _RUNS)) or id_beside(record) or run
            about = {key: record[key] for key in (*_GRADES, "model", "title", "tools") if key in record}
            if about:
                yield id, {"about": about}
            yield from ((id, one) for _, one in _flat(inner))
        elif record:
            yield name(some(record, _RUNS[:2])) or run, record


def call_of(record: Obj) -> Seen | None:
    """Return the call that a record is."""
    seen = seen_in(record)
    if seen is not None:
        return None if seen.answers or seen.kind == "span" else seen
    tool = record.get("tool", record.get("tool_name"))
    if type(tool) is str and tool and not _ENDED.isdisjoint(record):
        return Seen("", tool, "", None, "")
    return None


def _inner(record: Obj) -> list[Seen]:
    """Return the calls and answers in the lists of a record that is a step or an event."""
    found = []
    for key in ("content", "tool_calls", "results", "tool_results"):
        for one in seq(record.get(key)) or seq(obj(record.get("model_output_message")).get(key)):
            one = obj(one)
            function = obj(one.get("function"))
            seen = seen_in({**function, "id": one.get("id"), "type": "function"} if function else one)
            if seen is not None:
                found.append(seen._replace(link=one))
    return found


def _take(build: Builder, record: Obj) -> None:
    """Add one record."""
    if "about" in record and len(record) == 1:
        _about(build, obj(record["about"]))
        return
    _about(build, record)
    build.time, build.agent = build.at(some(record, _TIMES)), text(some(record, _AGENTS)) or None
    call = call_of(record)
    if call is not None:
        _take_call(build, record, call)
        return
    inner = _inner(record)
    if inner:
        _take_step(build, record, inner)
        return
    answer = seen_in(record)
    if answer is not None and answer.answers:
        _message(build, record)
        words, failed = _answer_of(record)
        build.answer(answer.id, words or "", tool=answer.tool, failed=failed)
        return
    _take_words(build, record)


def _about(build: Builder, record: Obj) -> None:
    trace = build.trace
    for key in _GRADES:
        if trace.reward is None and key in record:
            trace.reward = number(record[key])
    trace.model = trace.model or text(record.get("model")) or None
    trace.title = text(record.get("title")) or trace.title
    build.tools(record.get("tools"))


def _message(build: Builder, record: Obj) -> None:
    """Begin a message, unless the record says that it belongs to the last one."""
    said = record.get("message")
    key = f"m{said}" if type(said) is int else ""
    if not key or build.turn != key:
        build.message += 1
    build.turn = key


def _take_call(build: Builder, record: Obj, seen: Seen) -> None:
    given = arguments(seen.given)
    words, failed = _answer_of(record)
    answered = words is not None or failed is not None
    before = _same(build, seen, given) if answered else None
    if before is None:
        if build.known(seen.id) and not answered:
            return  # another state of the same call
        _message(build, record)
        before = build.call(seen.tool, given, seen.id, raw=rest_of(record, _PLACED) if answered else None)
        before.raw = {"kind": seen.kind, **(before.raw or {})} if seen.kind else before.raw
    if answered:
        refused = text(record.get("status")).lower() in ("denied", "rejected", "refused", "cancelled")
        build.fill(before, words, failed=failed, refused=refused, at=build.time)


_PLACED = frozenset((*ANSWERS, *_TIMES, *_AGENTS, *_RUNS, *_GRADES, "tool", "tool_name", "name", "arguments", "args",
                     "input", "tool_input", "tool_args", "parameters", "kwargs", "id", "call_id", "type", "message",
                     "error"))  # fmt: skip


def _same(build: Builder, seen: Seen, given: object) -> ToolCall | None:
    """Return the call of an earlier record that this one tells again, with its answer."""
    if seen.id and build.known(seen.id):
        last = build.last(seen.id)
        return last if last is not None and not last.answered else None
    for item in reversed(build.items[-50:]):
        if not isinstance(item, ToolCall) or item.answered or item.tool != seen.tool:
            continue
        if item.arguments == given and obj(item.raw).get("kind", "") != seen.kind:
            return item
    return None


def arguments(given: object) -> object:
    """Return arguments as an object: text that is no JSON object, and lists, get a name."""
    if type(given) is list:
        return {"args": given}
    if type(given) is str and given.strip():
        found, problem = arguments_of(given)
        return {"input": given} if problem else found
    return given


def _answer_of(record: Obj) -> tuple[str | None, bool | None]:
    """Return the answer in a record, None if there is none, and whether it failed if the record says so."""
    error = record.get("error")
    failed: bool | None = None
    for key in ("is_error", "isError", "failed", "success"):
        told = record.get(key)
        if isinstance(told, bool):
            failed = told is not (key == "success")
    status = text(record.get("status")).lower()
    if status in _FAILED:
        failed = True
    elif status in ("success", "ok", "succeeded", "completed"):
        failed = False
    found = some(record, ANSWERS)
    if found is None and error:
        return as_text(obj(error).get("message") or error), True
    if error:
        failed = True
    if found is None:
        return ("" if any(key in record for key in ("answer", "result", "output")) else None), failed
    return as_text(found), failed


def _take_step(build: Builder, record: Obj, inner: list[Seen]) -> None:
    """Add a step or an event: its text, then calls or answers."""
    asked = [one for one in inner if not one.answers]
    build.message += 1
    build.turn = ""
    thought = next((record[k] for k in ("thought", "model_output") if type(record.get(k)) is str), "")
    usage = usage_of(record.get("models_usage", record.get("token_usage", record.get("usage"))))
    if asked:
        build.said("model", thought, usage=usage)
    made = []
    for one in inner:
        if one.answers:
            words, failed = _answer_of(obj(one.link))
            build.answer(one.id, words or "", tool=one.tool, failed=failed)
        elif not build.known(one.id):
            made.append(build.call(one.tool, arguments(one.given), one.id))
    words, failed = _answer_of({k: v for k, v in record.items() if k not in ("content", "results")})
    if len(made) == 1 and words is not None and not made[0].answered:
        build.fill(made[0], words, failed=failed, at=build.time)
    elif made and words is not None:
        build.said("user", words)  # the answers of several calls in one text
        for call in made:
            build.fill(call, None)


def _take_words(build: Builder, record: Obj) -> None:
    role = text(record.get("role")) or text(record.get("source"))
    kind = text(record.get("type"))
    content = record.get("content", record.get("text", record.get("task")))
    by = SPEAKERS.get(role)
    if by is None and (kind in _TEXTS or "task" in record):
        by = "user" if kind == "UserMessage" or "task" in record else "model"
        by = "system" if kind == "SystemMessage" else by
    if by is None or type(content) not in (str, list):
        build.unknown(kind)
        return
    build.message += 1
    build.turn = ""
    build.said(by, content)


READERS = (FileFormat("calls", "a list of calls", _known, _read),)
