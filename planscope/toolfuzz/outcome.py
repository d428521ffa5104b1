"""What one call of a tool came to, and which calls show the same error."""

from __future__ import annotations

import errno
import os
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

KINDS = ("raised", "returned", "hung", "killed", "outside", "sequence", "lying", "protocol", "inconsistent",
"infrastructure")  # fmt: skip
LISTED_ONLY = frozenset({"returned", "infrastructure"})
"""Kinds that are listed, but count neither as errors nor for the exit status."""

CALL_ID = "call-1"
LONGEST_MESSAGE = 2000
LONGEST_TRACEBACK = 12_000
_DISK = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_NETWORK = frozenset(
    (
        "URLError",
        "ConnectError",
        "ConnectTimeout",
        "ReadTimeout",
        "TransportError",
        "ClientConnectionError",
        "APIConnectionError",
        "ClientConnectorError",
        "NewConnectionError",
        "MaxRetryError",
        "ProxyError",
        "SSLError",
        "gaierror",
        "herror",
    )
)


class Refused(Exception):
    """The tool's schema does not accept the arguments."""


@dataclass(frozen=True)
class Outcome:
    """The end of one call. ``kind`` is ``ok``, ``refused`` or one of KINDS. ``location`` is ``file:line`` or None.

    Two outcomes are the same error if they share ``key`` or ``plain``: in the one what came from the input is replaced
    in the message, in the other it is not. ``told``: what the tool printed.
    """

    kind: str
    exception: str | None = None
    message: str = ""
    location: str | None = None
    key: str = ""
    plain: str = ""
    traceback: str = ""
    told: str = ""
    line: str = ""

    def shows(self, key: str, plain: str) -> bool:
        """Return whether this is the error with these two keys."""
        return self.failed and bool({self.key, self.plain or self.key} & {key, plain or key})

    @property
    def failed(self) -> bool:
        return self.kind not in ("ok", "refused")

    def as_finding(self) -> dict[str, str | None]:
        """Return what a finding has of the outcome."""
        return {
            "kind": self.kind, "exception": self.exception, "message": self.message, "location": self.location,
            "traceback": self.traceback, "source": self.line, "printed": self.told,
        }  # fmt: skip


class Told(Exception):
    """Raised by a call that knows its own outcome."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


class Lost(BaseException):
    """Raised by a call that hung or ended the tool's process, where the caller lives on. ``again`` starts a new one."""

    def __init__(self, how: str, outcome: Outcome, again: Callable[[], None]) -> None:
        super().__init__(outcome.message)
        self.how, self.outcome, self.again = how, outcome, again


OK = Outcome("ok")
REFUSED = Outcome("refused")


@dataclass(slots=True)
class Refusal:
    """Something that the sandbox has refused during a call."""

    kind: str
    what: str
    location: str | None
    traceback: str


@dataclass
class Places:
    """Which files belong to the tool, and how their names are shown.

    ``root``: the folder of the tool's package, or its file. ``sandbox``: the folder that it works in, somewhere in
    ``temporary``.
    """

    root: str
    package: bool
    sandbox: str = ""
    base: str = ""
    temporary: str = ""
    _names: dict[str, str] = field(default_factory=dict)
    _own: dict[str, bool] = field(default_factory=dict)

    def own(self, file: str) -> bool:
        """Return whether a file belongs to the tool's own package."""
        found = self._own.get(file)
        if found is None:
            real = os.path.realpath(file)
            found = real.startswith(self.root + os.sep) if self.package else real == self.root
            self._own[file] = found
        return found

    def name(self, file: str) -> str:
        """Return the file's name relative to the current folder, or to the folder that its package is in."""
        found = self._names.get(file)
        if found is None:
            real = os.path.realpath(file)
            above = str(Path(self.root).parent)
            found = real
            for base in (self.base, above):
                if base and real.startswith(base.rstrip(os.sep) + os.sep):
                    found = real[len(base.rstrip(os.sep)) + 1 :]
                    break
            self._names[file] = found
        return found

    def clean(self, text: str) -> str:
        """Return text without what differs from run to run: temporary folders, addresses, durations."""
        for folder, shown in ((self.sandbox, "<sandbox>"), (self.temporary, "<temporary>")):
            if folder:
                text = text.replace(folder, shown)
        text = re.sub(r"0x[0-9a-fA-F]{6,}", "0x...", text)
        return re.sub(r"\b\d+\.\d+(?:e-?\d+)? ?(?:s|ms|us|µs|sec|seconds)\b", "... s", text)


_QUOTED = re.compile(r"(?<!\w)'(?:[^'\\]|\\.)*(?:'|$)|\"(?:[^\"\\]|\\.)*(?:\"|$)|`[^`]*(?:`|$)", re.DOTALL)
_PATH = re.compile(r"(?:[\w.~-]*/)+[\w.~-]*")
_NUMBER = re.compile(r"-?\d[\d,_.]*(?:e[+-]?\d+)?")


def normal(message: str, given: object = None) -> str:
    """Return a message without digits, quoted text, paths, addresses and what came from the input."""
    for text in sorted(strings_of(given), key=len, reverse=True):
        for one in (text, repr(text)[1:-1]):
            if len(one) > 5:  # a shorter one may be a part of a word of the message itself
                message = message.replace(one, "…")
            elif one.strip():
                message = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", "…", message)
    message = message[:LONGEST_MESSAGE]  # the patterns go back over a long text, in the time of the call
    message = _QUOTED.sub("…", message)
    message = re.sub(r"0x[0-9a-fA-F]+", "…", message)
    message = _PATH.sub("…", message)
    message = _NUMBER.sub("N", message)
    return " ".join(message.split()).rstrip("… ")[:300]


def strings_of(value: object, most: int = 60) -> list[str]:
    """Return the strings inside a JSON value."""
    found: list[str] = []
    todo = [value]
    while todo and len(found) < most:
        one = todo.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            todo += one.values()
        elif isinstance(one, list | tuple):
            todo += one
    return found


def class_name(kind: type) -> str:
    """Return the full name of a class; built-in classes have no module."""
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def message_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a broken __str__ of the tool's own class
        return ""


def raised(
    error: BaseException, given: object, places: Places, refusals: list[Refusal], details: bool
) -> Outcome:
    """Return the outcome of a call that raised. ``details``: with message and traceback."""
    if isinstance(error, Told):
        return error.outcome
    kind, name = _kind_of(error), class_name(type(error))
    frame, deepest = _own_frame(error.__traceback__, places)
    if isinstance(error, RecursionError):
        frame, deepest = _recursing_frame(error.__traceback__, places) or frame, False
    location = f"{places.name(frame[0])}:{frame[1]}" if frame is not None else None
    why = message_of(error)
    if refusals:
        first = refusals[0]
        kind, name, location = first.kind, "PermissionError", first.location or location
        why = first.what
    if isinstance(error, OSError) and error.errno is not None:
        part = plain_part = errno.errorcode.get(error.errno, str(error.errno))
    else:
        part = normal(why, given) if deepest and not refusals else ""
        plain_part = normal(why) if deepest and not refusals else ""
    key = "\x1f".join((kind, name, location or "", part))
    plain = "\x1f".join((kind, name, location or "", plain_part))
    if not details:
        return Outcome(kind, name, key=key, plain=plain)
    text = "".join(traceback.format_exception(error, limit=-30, chain=False))[-LONGEST_TRACEBACK:]
    return Outcome(
        kind,
        name,
        places.clean(why)[:LONGEST_MESSAGE],
        location,
        key,
        plain,
        places.clean(_shown(text, places)),
        line=source_line(frame),
    )


def _shown(text: str, places: Places) -> str:
    return re.sub(r'File "([^"\n]+)"', lambda found: f'File "{places.name(found[1])}"', text)


def source_line(frame: tuple[str, int] | None) -> str:
    if frame is None:
        return ""
    import linecache

    return linecache.getline(*frame).strip()[:500]


def _kind_of(error: BaseException) -> str:
    if isinstance(error, MemoryError | SystemExit | KeyboardInterrupt | GeneratorExit):
        return "killed"
    names = {base.__name__ for base in type(error).__mro__}
    if "ToolException" in names:
        return "returned"
    if isinstance(error, OSError) and error.errno in _DISK:
        return "killed"
    if isinstance(error, ConnectionError) or (names & _NETWORK and "HTTPError" not in names):
        return "infrastructure"
    return "raised"


def _own_frame(trace: TracebackType | None, places: Places) -> tuple[tuple[str, int] | None, bool]:
    """Return file and line of the deepest frame in the tool's own package, and whether it is the deepest of all."""
    found: tuple[str, int] | None = None
    deepest = False
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        deepest = False
        if places.own(file):
            found, deepest = (file, trace.tb_lineno), True
        elif file.endswith(os.sep + "taint.py") and "toolfuzz" in file:
            deepest = found is not None  # a method of a tainted value stands for one of a built-in type
        trace = trace.tb_next
    return found, deepest


def _recursing_frame(trace: TracebackType | None, places: Places) -> tuple[str, int] | None:
    """Return the first line of the tool's own that comes again deeper. The deepest one depends on where Python's limit
    is reached, and so on who called the tool."""
    seen = set[tuple[str, int]]()
    again = set[tuple[str, int]]()
    order = list[tuple[str, int]]()
    while trace is not None:
        here = (trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        if places.own(here[0]):
            (again if here in seen else seen).add(here)
            order.append(here)
        trace = trace.tb_next
    return next((one for one in order if one in again), None)


_ERROR_TEXT = re.compile(r"\s*(?:Error|Exception|Traceback)\b")


def answered(answer: object, given: object, places: Places, refusals: list[Refusal]) -> Outcome:
    """Return the outcome of a call that returned: an error text is *returned*; a refusal in the call counts first."""
    if refusals:
        first = refusals[0]
        key = "\x1f".join((first.kind, "PermissionError", first.location or "", ""))
        return Outcome(
            first.kind, "PermissionError", places.clean(first.what), first.location, key, key,
            places.clean(_shown(first.traceback, places))
        )  # fmt: skip
    why = returned_error(answer)
    if (
        why is None
        or _is_part(answer, given)
        or any(why.startswith(text[:20]) for text in strings_of(given) if _ERROR_TEXT.match(text))
    ):
        return OK
    key, plain = ("\x1f".join(("returned", "", "", normal(why, one)[:120])) for one in (given, None))
    return Outcome("returned", None, places.clean(why)[:LONGEST_MESSAGE], None, key, plain)


def returned_error(answer: Any) -> str | None:
    """Return the error that an answer tells of, or None.

    A message with status ``error``; a text that begins with Error, Exception or Traceback; an object with a non-empty
    ``error`` or ``isError`` true.
    """
    if getattr(answer, "status", None) == "error" and hasattr(answer, "tool_call_id"):
        return str(getattr(answer, "content", ""))
    if hasattr(answer, "tool_call_id") and hasattr(answer, "content"):
        artifact = getattr(answer, "artifact", None)
        answer = answer.content if artifact is None else artifact
    if type(answer) in (tuple, list) and len(answer) == 2 and isinstance(answer[0], str):
        answer = answer[0]
    if isinstance(answer, str):
        return answer if _ERROR_TEXT.match(answer) else None
    if isinstance(answer, dict):
        get = partial(dict.get, answer)  # a tainted answer must not learn what is asked here
        if get("isError") is True:
            return str(get("error") or get("content") or "isError")
        if get("error"):
            return str(get("error"))
    return None


def _is_part(answer: object, given: object) -> bool:
    """Return whether an answer, or the error in it, is a part of the input."""
    todo, wanted = [given], [answer]
    if isinstance(answer, dict) and dict.get(answer, "error"):
        wanted.append(dict.get(answer, "error"))
    while todo:
        one = todo.pop()
        if any(type(one) is not bool and bool(one) and one == other for other in wanted):
            return True
        todo += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return False


def lost(kind: str, message: str, location: str | None, trace: str, places: Places) -> Outcome:
    """Return the outcome of a call that hung or that ended its process."""
    key = "\x1f".join((kind, "", location or "", "" if kind == "hung" else message))
    return Outcome(kind, None, message, location, key, key, places.clean(_shown(trace, places)))
