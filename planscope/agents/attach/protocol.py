"""The messages between an agent and a debugger that is attached to it.

Each message is four bytes with its length, most significant first, then one line of JSON. The debugger begins with
:class:`Hello`; the agent answers :class:`Welcome` or :class:`Refused`. A message that cannot be read ends the
connection (:class:`ProtocolError`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, TypeVar

from planscope.agents.gate import Answer, EditAnswer, EditArguments, GoOn, PendingCall, Refuse, Stop, Verb
from planscope.errors import UserError
from planscope.session.files import SessionError
from planscope.session.json_bytes import parse_json

VERSION = 1
LARGEST = 16 * 1024 * 1024
"""Limit of a message in bytes, without its length."""
LARGEST_HELLO = 4096
"""Limit of a debugger's first message in bytes."""
MOST_RUNS = 100
"""Limit of runs in one :class:`News`; of more, the newest are told."""
BEAT = 1.0
"""Seconds between two messages of a debugger."""

_PREFIX = 4
_LARGE = 64 * 1024
"""Bytes up to which a message is within all limits of :func:`parse_json`."""
_TOKEN = re.compile(r"[0-9a-f]{24}")
_LONGEST = 4096
_LONGEST_NAME = 300

Purpose = Literal["list", "debug", "watch"]
Kind = TypeVar("Kind")


class ProtocolError(UserError):
    """The other side sent something that is no message."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What the debugger wants: only to know who is there (``list``), to decide about calls, or to watch."""

    purpose: Purpose
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class RunNews:
    """A run that is under way or has just ended. ``token`` names its journal. ``gated``: its calls can be paused."""

    token: str
    open: bool
    gated: bool


@dataclass(frozen=True, slots=True)
class Welcome:
    """Who the agent is. ``path``: the session that it records in. ``role``: what this debugger may do.

    ``busy``: another debugger decides about its calls.
    """

    pid: int
    path: str
    title: str
    role: Purpose
    busy: bool
    runs: tuple[RunNews, ...] = ()
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Refused:
    """The agent accepts no such debugger. ``why``: one line."""

    why: str


@dataclass(frozen=True, slots=True)
class News:
    """The runs as they are now. It is sent after new events, too, since the journals have grown."""

    runs: tuple[RunNews, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that waits for a decision."""

    id: int
    run: str
    call: PendingCall


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A call waits no longer, since the agent gave it up."""

    id: int


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision about a call."""

    id: int
    verb: Verb


@dataclass(frozen=True, slots=True)
class Beat:
    """The debugger is still there."""


Message = Hello | Welcome | Refused | News | Asked | Withdrawn | Decided | Beat


def encoded(message: Message) -> bytes:
    """Return the bytes of a message. Arguments that no message can have are replaced by a note about their size."""
    data = _line(message)
    if isinstance(message, Asked) and len(data) > _LARGE and not _readable(data):
        note = {"(not shown)": f"{len(data):,} bytes of arguments"}
        data = _line(replace(message, call=replace(message.call, arguments=note)))
    if len(data) > LARGEST:
        raise ProtocolError(f"a message of {len(data):,} bytes is too large")
    return len(data).to_bytes(_PREFIX, "big") + data


def _readable(data: bytes) -> bool:
    try:
        return len(data) <= LARGEST and isinstance(decoded(data), Asked)
    except ProtocolError:
        return False


def _line(message: Message) -> bytes:
    return json.dumps(_data(message), separators=(",", ":")).encode() + b"\n"


class Messages:
    """Takes bytes as they come and yields whole messages. ``limit``: the largest message that is accepted, in bytes."""

    def __init__(self, limit: int = LARGEST) -> None:
        self.limit = limit
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that ``data`` completes. Raises :class:`ProtocolError`."""
        self._held += data
        while len(self._held) >= _PREFIX:
            size = int.from_bytes(self._held[:_PREFIX], "big")
            if size > self.limit:
                raise ProtocolError("a message is too large")
            if len(self._held) < _PREFIX + size:
                return
            line = bytes(self._held[_PREFIX : _PREFIX + size])
            del self._held[: _PREFIX + size]
            yield decoded(line)


def decoded(line: bytes) -> Message:
    """Return the message in a line of JSON. Raises :class:`ProtocolError`."""
    try:
        data = parse_json(line, "a message")
        return _READERS[data["is"]](data)
    except (SessionError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise ProtocolError("a message cannot be read") from None


# To JSON and back


def _data(message: Message) -> dict[str, object]:
    match message:
        case Hello():
            return {"is": "hello", "for": message.purpose, "version": message.version}
        case Asked():
            call = message.call
            made = {"step": call.step, "tool": call.tool, "arguments": dict(call.arguments)}
            more = {"call_id": call.call_id, "agent": call.agent}
            return {"is": "asked", "id": message.id, "run": message.run, "call": made | more}
        case Decided():
            do = next((do for do, one in _VERBS.items() if type(message.verb) is one.made), "go on")
            name, kind = _VERBS[do].field, _VERBS[do].kind
            said = {name: kind(getattr(message.verb, name))} if name else {}
            return {"is": "decided", "id": message.id, "do": do} | said
        case Welcome() | News():
            message = replace(message, runs=message.runs[-MOST_RUNS:])
    return {"is": type(message).__name__.lower(), **asdict(message)}


class _Verb(NamedTuple):
    """A decision as a message has it: its only field, and of what kind that is."""

    made: Callable[..., Verb]
    field: str = ""
    kind: type = str

    def read(self, data: dict[str, object]) -> Verb:
        return self.made(_is(self.kind, data[self.field])) if self.field else self.made()


_VERBS: Mapping[str, _Verb] = {
    "go on": _Verb(GoOn),
    "edit arguments": _Verb(EditArguments, "arguments", dict),
    "edit answer": _Verb(EditAnswer, "text"),
    "answer": _Verb(Answer, "text"),
    "refuse": _Verb(Refuse, "text"),
    "stop": _Verb(Stop, "text"),
}


def _is(kind: type[Kind], value: object) -> Kind:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TypeError
    return value


def _text(value: object, longest: int = _LONGEST) -> str:
    if len(text := _is(str, value)) > longest or "\0" in text:
        raise ValueError
    return text


def _number(value: object) -> int:
    if not 0 <= (number := _is(int, value)) < 2**53:
        raise ValueError
    return number


def _purpose(value: Any) -> Purpose:
    if value not in ("list", "debug", "watch"):
        raise ValueError
    return value  # type: ignore[no-any-return]  # one of the three


def _token(value: object) -> str:
    if _TOKEN.fullmatch(_is(str, value)) is None:
        raise ValueError
    return str(value)


def _runs(value: object) -> tuple[RunNews, ...]:
    found = _is(list, value)
    if len(found) > MOST_RUNS:
        raise ValueError
    return tuple(RunNews(_token(r["token"]), _is(bool, r["open"]), _is(bool, r["gated"])) for r in found)


def _welcome(data: dict[str, object]) -> Welcome:
    path = _text(data["path"])
    if not path.startswith("/"):
        raise ValueError
    return Welcome(
        _number(data["pid"]),
        path,
        _text(data["title"], _LONGEST_NAME),
        _purpose(data["role"]),
        _is(bool, data["busy"]),
        _runs(data["runs"]),
        _number(data["version"]),
    )


def _asked(data: dict[str, Any]) -> Asked:
    call = data["call"]
    names = [None if call[key] is None else _is(str, call[key]) for key in ("call_id", "agent")]
    made = PendingCall(
        max(_number(call["step"]), 1),
        _is(str, call["tool"]),
        _is(dict, call["arguments"]),
        names[0],
        agent=names[1],
    )
    return Asked(_number(data["id"]), _token(data["run"]), made)


_READERS: Mapping[str, Callable[[dict[str, Any]], Message]] = {
    "hello": lambda data: Hello(_purpose(data["for"]), _number(data["version"])),
    "welcome": _welcome,
    "refused": lambda data: Refused(_text(data["why"])),
    "news": lambda data: News(_runs(data["runs"])),
    "asked": _asked,
    "withdrawn": lambda data: Withdrawn(_number(data["id"])),
    "decided": lambda data: Decided(_number(data["id"]), _VERBS[data["do"]].read(data)),
    "beat": lambda data: Beat(),
}
