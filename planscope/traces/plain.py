"""Reads a trace of plain chat messages at once, without building it. Large files of traces have hardly any others.

It reads only what every program writes, with ``orjson``, and leaves all else to the reader of the format: other shapes,
damage, and numbers that ``orjson`` and ``json`` read differently.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from planscope.oracle.trace import Item, Said, Tool, ToolCall, Trace
from planscope.traces.accounts import Ledger, is_no_call
from planscope.traces.blocks import MARKS
from planscope.traces.build import MOST_CALLS, Builder
from planscope.traces.values import arguments_of, name, number, says_error

DEEPEST = 300
"""Values that are nested deeper are left to ``json``, whose limit is near 1,000."""
MOST_KNOWN = 1_000
"""Limit of lists of tools that are remembered."""
USERS = ("user", "human")
_MARKS = frozenset(MARKS)
_FLAT = frozenset((str, int, float, bool, type(None)))
_EXACT = frozenset((str, int, bool, type(None)))
"""Types of values that ``orjson`` reads as ``json`` does. It reads whole numbers beyond 64 bits as floats."""


Obj = dict[str, Any]
"""An object as ``orjson`` reads it."""
PlainCall = tuple[str, object, int, str | None, object]
"""A call: its tool, its arguments as they are written, the index of its message, its answer if that is wanted, and its
id."""


class PlainTrace(NamedTuple):
    """A trace's calls in order. ``tools``: those that it defines, by name. ``said``: what the user said, if that is
    wanted. ``id`` is empty if it has none. ``reward`` is its grade, if it has one."""

    id: str
    calls: list[PlainCall]
    tools: dict[str, Tool]
    said: Sequence[Said] = ()
    reward: float | None = None

    def whole(self, wanted: Callable[[str], bool]) -> Trace | None:
        """Return it as a trace, or None if another reader must read it. ``wanted``: whether a tool's calls get their
        arguments."""
        items: list[Item] = []
        said, left = self.said, 0
        for step, (tool, given, message, answer, id) in enumerate(self.calls, 1):
            while left < len(said) and said[left].message < message:
                items.append(said[left])
                left += 1
            arguments = plain_arguments(given) if wanted(tool) else None
            if arguments is None and type(given) is dict and wanted(tool):
                return None
            call = ToolCall(tool, arguments, step=step, message=message, call_id=name(id) or None)
            if answer is not None:
                call.answer, call.answered, call.failed = answer, True, says_error(answer)
            items.append(call)
        return Trace([*items, *said[left:]], tools=self.tools, id=self.id, reward=self.reward)


def plain_trace(
    line: bytes | memoryview, ids: tuple[str, ...], *, answers: bool, users: bool = False
) -> PlainTrace | None:
    """Return the trace of a line, or None if another reader must read it.

    ``ids``: keys that may name the trace, the first one first. ``answers``: give each call its answer, too. ``users``:
    give what the user said, too.
    """
    import orjson  # takes longer to import than most files to read

    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    beside = record if type(record) is dict else {}
    messages = beside.pop("messages", None) if type(record) is dict else record
    about = _about(beside, ids)
    if about is None or type(messages) is not list or len(messages) > MOST_CALLS:
        return None
    calls = _calls(messages)
    if calls is not None and answers:
        calls = _with_answers(messages, calls)
    if calls is None or len(calls) > MOST_CALLS:
        return None
    id, tools = about
    said: list[Said] = []
    if users:
        said = [Said("user", m.get("content"), at) for at, m in enumerate(messages) if m.get("role") in USERS]
    # blocks may be several messages, and none without text is one unless something else is in it
    if not all(one.text and type(one.text) is str for one in said):
        return None
    return PlainTrace(id, calls, tools, said, number(beside.get("reward")))


def _about(beside: dict[str, object], ids: tuple[str, ...]) -> tuple[str, dict[str, Tool]] | None:
    """Return the trace's id and its tools, or None if what stands beside the messages is not plain."""
    flat = all(type(value) in _FLAT or key in ("tools", "functions") for key, value in beside.items())
    id = next((found for key in ids if (found := beside.get(key)) is not None and found != ""), "")
    if not flat or not is_no_call(beside) or type(id) is not str:
        return None
    if beside.keys().isdisjoint(("tools", "functions")):
        return id, _NONE
    tools = _defined(beside.get("tools", beside.get("functions")))
    return None if tools is None else (id, tools)


def _calls(messages: list[Obj]) -> list[PlainCall] | None:
    """Return the calls of messages without their answers, or None if a message is not plain."""
    calls: list[PlainCall] = []
    ids: set[str] = set()
    more = False  # there are members that nothing below looks at
    for at, message in enumerate(messages):
        if type(message) is not dict:
            return None
        content, role = message.get("content"), message.get("role")
        if type(content) is str:
            id = message.get("tool_call_id") if len(message) == 3 else None
            if type(role) is str and (len(message) == 2 or (type(id) is str and id in ids)):
                continue
        elif not _without_acts(content, message):
            return None
        asked = message.get("tool_calls")
        rest = _asked(asked, at, calls, ids) if asked else _others(message, role, ids)
        if rest is None or (asked and role != "assistant"):
            return None
        more = more or rest or (bool(asked) and len(message) > 3)
    if not calls:  # they may be in texts
        return None
    return calls if not more or (_shallow(messages, DEEPEST) and _are_all(messages, len(calls))) else None


def _others(message: Obj, role: object, ids: set[str]) -> bool | None:
    """Return whether a message without calls has members that need a look, or None if it is not plain. ``ids``: of
    the calls before it."""
    id = message.get("tool_call_id")
    if message.get("function_call") is not None or (
        id is not None and (type(id) is not str or id not in ids)
    ):
        return None
    if id is not None and not _MARKS.isdisjoint(message):
        return None
    if len(message) <= 3 and type(role) is str and id is not None:
        return False
    return not (_FLAT.issuperset(map(type, message.values())) and is_no_call(message))


def _asked(made: object, at: int, calls: list[PlainCall], ids: set[str]) -> bool | None:
    """Add the calls of a message. Return whether they have members that need a look, or None if one is not plain."""
    more = False
    if type(made) is not list:
        return None
    for one in made:
        function = one.get("function") if type(one) is dict else None
        if type(function) is not dict:
            return None
        tool, arguments = function.get("name"), function.get("arguments")
        if type(tool) is not str or not tool:
            return None
        id = one.get("id")
        known = len(function) == 2 and len(one) == 3 and type(arguments) is str
        more = more or not known or not (type(id) is type(one.get("type")) is str)
        if type(id) is str:
            ids.add(id)
        calls.append((tool, arguments, at, None, id))
    return more


def _are_all(messages: list[Obj], calls: int) -> bool:
    """Return whether nothing else in the messages looks like a call."""
    ledger = Ledger()
    ledger.walk(messages, "")
    return sum(not (one.answers or one.inside) for one in ledger.seen) == calls


def _with_answers(messages: list[Obj], calls: list[PlainCall]) -> list[PlainCall] | None:
    """Return the calls with their answers, or None unless every answer names its call."""
    places: dict[str, int] = {}
    k = 0
    for message in messages:
        if "tool_calls" in message:
            for one in message["tool_calls"] or ():
                id = one.get("id")
                if type(id) is not str or not id or id in places:
                    return None
                places[id] = k
                k += 1
        elif message.get("role") in ("tool", "function"):
            id, content = message.get("tool_call_id"), message.get("content")
            place = places.get(id, -1) if type(id) is str else -1
            if place < 0 or type(content) is not str or calls[place][3] is not None:
                return None
            calls[place] = (*calls[place][:3], content, id)
    return calls


def _without_acts(content: object, message: Obj) -> bool:
    """Return whether content that is not text has no calls and no answers."""
    if content is None:
        return "parts" not in message
    if type(content) is not list or message.get("role") in ("tool", "function"):
        return False
    return all(type(one) is dict and one.get("type") in ("text", "image_url") for one in content)


def plain_arguments(value: object) -> dict[str, object] | None:
    """Return a call's arguments, or None if they were not captured or cannot be read."""
    if type(value) is str:
        import orjson

        try:
            found = orjson.loads(value)
        except orjson.JSONDecodeError:
            found = None
        if type(found) is dict and _EXACT.issuperset(map(type, found.values())):
            return found
    elif type(value) is dict and not _EXACT.issuperset(map(type, value.values())):
        return None
    return arguments_of(value)[0]


_NONE: dict[str, Tool] = {}
_known: dict[bytes, dict[str, Tool]] = {}


def _defined(definitions: object) -> dict[str, Tool] | None:
    """Return the tools that a trace defines. Most traces of a file define the same ones."""
    import orjson

    try:
        key = orjson.dumps(definitions)
    except orjson.JSONEncodeError:  # nested too deeply
        return None
    found = _known.get(key)
    if found is None:
        if len(_known) > MOST_KNOWN:
            _known.clear()
        build = Builder("", "")
        build.tools(definitions)
        found = _known[key] = build.trace.tools
    return found


def _shallow(level: list[Any], depth: int) -> bool:
    """Return whether lists and objects are nested at most so deep."""
    while depth:
        depth -= 1
        below: list[Any] = []
        for one in level:
            if type(one) is dict:
                below += one.values()
            elif type(one) is list:
                below += one
        if not below:
            return True
        level = below
    return False
