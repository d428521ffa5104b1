"""The messages between an agent and a debugger that is attached to it.

Each message is four bytes with its length, most significant first, then one line of JSON. The debugger begins with
:class:`Hello`; the agent answers :class:`Welcome` or :class:`Refused`. A message that cannot be read ends the
connection (:class:`ProtocolError`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Annotated, Literal, get_args

from pydantic import Field, TypeAdapter

from planscope.agents.gate import Answer, EditAnswer, EditArguments, GoOn, PendingCall, Refuse, Stop, Verb
from planscope.errors import UserError
from planscope.frozen import frozen
from planscope.session.files import SessionError
from planscope.session.json_bytes import Obj, parse_json

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

Purpose = Literal["list", "debug", "watch"]
Number = Annotated[int, Field(strict=True, ge=0, lt=2**53)]
Flag = Annotated[bool, Field(strict=True)]
Text = Annotated[str, Field(strict=True, max_length=4096, pattern=r"^[^\x00]*$")]
Token = Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{24}$")]


class ProtocolError(UserError):
    """The other side sent something that is no message."""


@frozen
class Hello:
    """What the debugger wants: only to know who is there (``list``), to decide about calls, or to watch."""

    purpose: Purpose
    version: Number = VERSION


@frozen
class RunNews:
    """A run that is under way or has just ended. ``token`` names its journal. ``gated``: its calls can be paused."""

    token: Token
    open: Flag
    gated: Flag


Runs = Annotated[tuple[RunNews, ...], Field(max_length=MOST_RUNS)]


@frozen
class Welcome:
    """Who the agent is. ``path``: the session that it records in. ``role``: what this debugger may do.

    ``busy``: another debugger decides about its calls.
    """

    pid: Number
    path: Annotated[Text, Field(pattern="^/")]
    title: Annotated[Text, Field(max_length=300)]
    role: Purpose
    busy: Flag
    runs: Runs = ()
    version: Number = VERSION


@frozen
class Refused:
    """The agent accepts no such debugger. ``why``: one line."""

    why: Text


@frozen
class News:
    """The runs as they are now. It is sent after new events, too, since the journals have grown."""

    runs: Runs


@frozen
class Asked:
    """A call that waits for a decision."""

    id: Number
    run: Token
    call: PendingCall


@frozen
class Withdrawn:
    """A call waits no longer, since the agent gave it up."""

    id: Number


@frozen
class Decided:
    """The decision about a call."""

    id: Number
    verb: Verb


@frozen
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
        match kind := data["is"]:
            case "hello":
                data["purpose"] = data["for"]
            case "asked":
                data["call"] = {name: data["call"][name] for name in _TOLD}
                data["call"]["step"] = max(data["call"]["step"], 1)
            case "decided":
                made, field, of = _VERBS[data["do"]]
                if field and not isinstance(data[field], of):
                    raise TypeError
                data["verb"] = made(data[field]) if field else made()
        return _KINDS[kind].validate_python(data)
    except (SessionError, KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise ProtocolError("a message cannot be read") from None


def _data(message: Message) -> Obj:
    match message:
        case Hello():
            return {"is": "hello", "for": message.purpose, "version": message.version}
        case Asked(id, run, call):
            told = {name: getattr(call, name) for name in _TOLD}
            return {"is": "asked", "id": id, "run": run, "call": told | {"arguments": dict(call.arguments)}}
        case Decided(id, verb):
            do = next((do for do, one in _VERBS.items() if type(verb) is one[0]), "go on")
            field, of = _VERBS[do][1:]
            return {"is": "decided", "id": id, "do": do} | (
                {field: of(getattr(verb, field))} if field else {}
            )
        case Welcome() | News():
            message = replace(message, runs=message.runs[-MOST_RUNS:])
    return {"is": type(message).__name__.lower(), **asdict(message)}


_TOLD = ("step", "tool", "arguments", "call_id", "agent")
"""What a debugger is told of a call."""
_KINDS: Mapping[str, TypeAdapter[Message]] = {
    kind.__name__.lower(): TypeAdapter(kind) for kind in get_args(Message)
}
_VERBS: Mapping[str, tuple[Callable[..., Verb], str, type]] = {
    "go on": (GoOn, "", str),
    "edit arguments": (EditArguments, "arguments", dict),
    "edit answer": (EditAnswer, "text", str),
    "answer": (Answer, "text", str),
    "refuse": (Refuse, "text", str),
    "stop": (Stop, "text", str),
}
"""Decisions as a message has them: the class, its only field, and of what type that is."""
