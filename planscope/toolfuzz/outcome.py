"""What one call of a tool came to, and which calls show the same error."""

from __future__ import annotations

import dis
import errno
import json
import os
import re
import sysconfig
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import CodeType, TracebackType
from typing import NamedTuple, TypedDict, TypeVar

from planscope.session.json_bytes import plain_text

KINDS = ("raised", "returned", "hung", "killed", "outside", "sequence", "lying", "protocol", "inconsistent",
"infrastructure")  # fmt: skip
LISTED_ONLY = frozenset({"returned", "infrastructure"})
"""Kinds that are listed, but count neither as errors nor for the exit status."""

CALL_ID = "call-1"
COUNTED = frozenset({"raised", "killed", "hung", "outside"})
"""Kinds that a call of a sequence may show; what it gives back is judged by the answers around it."""

UNRECORDED = "unrecorded"
"""The kind of an outcome that nobody knows, because no run made this call."""

MOST_KEPT = 5_000
"""Limit of bytes of an answer that is kept."""

T = TypeVar("T")
LONGEST_MESSAGE = 2000
LONGEST_READ = 20_000
LONGEST_KEY = 120
MOST_PLACES = 5
LONGEST_TRACEBACK = 12_000
_DISK = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
_NETWORK = re.compile(
    r"(URL|Connect|Transport|ClientConnection|APIConnection|ClientConnector|NewConnection|MaxRetry|Proxy|SSL)Error"
    r"|(Connect|Read)Timeout|gaierror|herror"
)


class Call(TypedDict):
    """A call of a program, as JSON has it."""

    tool: str
    arguments: dict[str, object]


@dataclass(frozen=True)
class Raised:
    """What code that is not ours raised."""

    error: BaseException


def attempt(work: Callable[[], T]) -> T | Raised:
    """Run code of a tool, or on its objects: it may raise anything, and nothing that it raises may end a search.

    Only what ends a search on purpose passes: a lost server.
    """
    try:
        return work()
    except Lost:
        raise
    except BaseException as error:  # noqa: BLE001 - SystemExit and KeyboardInterrupt of a tool are its findings
        return Raised(error)


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

    def same(self, other: Outcome) -> bool:
        """Return whether this is the same error."""
        return self.failed and bool(
            {self.key, self.plain or self.key} & {other.key, other.plain or other.key}
        )

    @property
    def said(self) -> str:
        """Kind, exception, message and traceback."""
        return f"{self.kind} {self.exception or ''}".rstrip() + f": {self.message}\n{self.traceback}"

    @property
    def failed(self) -> bool:
        return self.kind not in ("ok", "refused")

    def as_finding(self) -> dict[str, str | None]:
        """Return what a finding has of the outcome."""
        return {
            "kind": self.kind, "exception": self.exception, "message": self.message, "location": self.location,
            "traceback": self.traceback, "source": self.line, "printed": self.told,
        }  # fmt: skip


def keyed(
    kind: str, name: str | None, location: str | None, part: str, plain: str | None = None
) -> dict[str, str]:
    """Return the two keys of an outcome. ``part``: what else tells errors apart, ``plain`` the same with the input."""
    first = "\x1f".join((kind, name or "", location or ""))
    parts = {"key": part, "plain": part if plain is None else plain}
    return {which: f"{first}\x1f{one[:LONGEST_KEY]}" for which, one in parts.items()}


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


@dataclass(frozen=True)
class Made:
    """A call that was made, its answer as JSON (None if there is none), and what it came to."""

    tool: str
    arguments: dict[str, object]
    answer: object = None
    outcome: Outcome = OK

    @classmethod
    def of(cls, data: Mapping[str, object]) -> Made:
        """Return what another process made, as JSON has it."""
        tool, arguments, answer, outcome = data.values()
        assert isinstance(tool, str) and isinstance(arguments, dict) and isinstance(outcome, dict)
        return cls(tool, arguments, answer, Outcome(**outcome))

    @property
    def kind(self) -> str:
        return self.outcome.kind

    @property
    def text(self) -> str:
        """What an agent is told: the answer, or the error as LangChain words it."""
        one, said = self.outcome, self.answer
        if one.kind == "refused":
            said = f"Error: the arguments are not what the tool accepts: {one.message}"
        elif one.failed and one.kind not in ("returned", UNRECORDED):
            said = f"Error: {one.exception or one.kind}: {one.message}"
        elif said is None and one.failed:
            said = one.message
        return plain_text(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))


def plain_answer(answer: object) -> object:
    """Return an answer as JSON, cut to a size that can be kept; None for what contains itself or breaks when read."""

    def plain() -> object:
        value = answer
        if hasattr(value, "tool_call_id") and hasattr(value, "content"):
            value = value.content
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
            value = value[0]
        if hasattr(value, "model_dump"):
            value = value.model_dump(mode="json")
        text = json.dumps(value, default=str)
        return json.loads(text) if len(text) <= MOST_KEPT else str(value)[:MOST_KEPT]

    made = attempt(plain)
    return None if isinstance(made, Raised) else made


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
    ``temporary``. ``folder``: another that it may change, or "".
    """

    root: str
    package: bool
    sandbox: str = ""
    base: str = ""
    temporary: str = ""
    folder: str = ""
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

    def shown(self, trace: str) -> str:
        """Return a traceback with the names of files as they are shown, and without what differs."""
        return self.clean(re.sub(r'File "([^"\n]+)"', lambda found: f'File "{self.name(found[1])}"', trace))


_QUOTED = re.compile(
    r"(?<=: )\"[^\n]*\"$|(?<!\w)'(?:[^'\\]|\\.)*(?:'|$)|\"(?:[^\"\\]|\\.)*(?:\"|$)|`[^`]*(?:`|$)", re.DOTALL
)
_PATH = re.compile(r"(?:[\w.~-]*/)+[\w.~-]*")
_NUMBER = re.compile(r"-?\d[\d,_.]*(?:e[+-]?\d+)?")
_LISTED = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|…(?:[\s,;]+…)+")
"""Several values, in whatever order."""
_OF_NUMBERS = re.compile(r"\b(?:float|integer|complex) (?=(?:floor )?(?:division|modulo))")
"""The type of numbers, which a tool's own line does not tell apart."""
_NAMED_LAST = re.compile(r"(\w+\W+\w+\W+\w+:) \S+$")
"""A name at the end, as of a column: ``no such column: x``."""


def normal(message: str, given: object = None) -> str:
    """Return a message without digits, quoted text, paths, addresses and what came from the input."""
    for text in sorted(strings_of(given), key=len, reverse=True):
        for one in (text, repr(text)[1:-1]):
            if len(one) > 5:  # a shorter one may be a part of a word of the message itself
                message = message.replace(one, "…")
            elif one.strip():
                message = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", "…", message)
    message = _QUOTED.sub("…", message[:LONGEST_READ])
    message = message[:LONGEST_MESSAGE]  # the patterns go back over a long text, in the time of the call
    message = re.sub(r"0x[0-9a-fA-F]+", "…", message)
    message = _PATH.sub("…", message)
    message = _LISTED.sub("…", _NUMBER.sub("N", message))
    message = _OF_NUMBERS.sub("", message)
    message = _NAMED_LAST.sub(r"\1", message)
    return " ".join(message.replace("…", " ").split())[:300]


def forms_of(tool: str, outcome: Outcome, given: object) -> list[str]:
    """Return the forms under which an error of a tool is known: without what came from the input, and with it. The
    message may have words that the input has, too, so there are forms in which one of several places is left out.
    """
    keys = [outcome.plain or outcome.key, outcome.key]
    head, _, part = keys[0].rpartition("\x1f")
    message = outcome.message
    for text in strings_of(given) if part else ():
        at = [one.start() for one in re.finditer(f"(?={re.escape(text)})", message) if text][:MOST_PLACES]
        once = (normal(message[:k] + message[k + len(text) :]) for k in at if len(at) > 1)
        keys = [*(f"{head}\x1f{one[:LONGEST_KEY]}" for one in once), *keys]
    return [f"{tool}\x1f{key}" for key in keys]


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
    said = attempt(lambda: str(error))
    return "" if isinstance(said, Raised) else said  # a broken __str__ of the tool's own class


def raised(
    error: BaseException,
    given: object,
    places: Places,
    refusals: list[Refusal],
    known: Collection[str] = (),
) -> Outcome:
    """Return the outcome of a call that raised, without message and traceback if its key is known."""
    if isinstance(error, Told):
        return error.outcome
    kind, name = _kind_of(error), class_name(type(error))
    steps = [step for step in _steps(error.__traceback__) if step.file not in _OURS]
    own = [step for step in steps if places.own(step.file)]
    frame = own[-1] if own else None
    deepest = frame is not None and steps[-1] is frame
    if isinstance(error, RecursionError):
        # The deepest line depends on where Python's limit is reached, and so on who called the tool.
        times = Counter(step.place for step in own)
        frame, deepest = next((step for step in own if times[step.place] > 1), frame), False
    location = f"{places.name(frame.file)}:{frame.line}" if frame is not None else None
    why = message_of(error)
    if isinstance(error, BlockingIOError) and steps and steps[-1].file.endswith("/subprocess.py"):
        kind, why = "infrastructure", f"the sandbox lets no more processes start: {why}"
    if refusals:
        first = refusals[0]
        kind, name, location = first.kind, "PermissionError", first.location or location
        why = first.what
    if isinstance(error, UnicodeEncodeError | UnicodeDecodeError):
        part = plain_part = error.encoding  # its message is another for one character than for several
    elif isinstance(error, OSError) and error.errno is not None:
        part = plain_part = errno.errorcode.get(error.errno, str(error.errno))
    else:
        part = normal(why, given) if deepest and not refusals else ""
        plain_part = normal(why) if deepest and not refusals else ""
        if not deepest and not refusals and not isinstance(error, RecursionError):
            part = plain_part = _beneath(steps, own, places)
    keys = keyed(kind, name, location, part, plain_part)
    if any(key in known for key in keys.values()):
        return Outcome(kind, name, **keys)
    trace = own[0].trace if own else error.__traceback__
    told = traceback.format_exception(type(error), error, trace, limit=-30, chain=False)
    text = refusals[0].traceback if refusals else "".join(told)
    message, shown = places.clean(why)[:LONGEST_MESSAGE], places.shown(text[-LONGEST_TRACEBACK:])
    line = source_line(None if frame is None else frame.place)
    return Outcome(kind, name, message, location, traceback=shown, line=line, **keys)


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
    if getattr(error, "sqlite_errorname", "").startswith("SQLITE_READONLY"):
        return "outside"  # a database that the sandbox has made read-only
    if isinstance(error, ConnectionError) or (
        "HTTPError" not in names and any(map(_NETWORK.fullmatch, names))
    ):
        return "infrastructure"
    return "raised"


class _Step(NamedTuple):
    """One step of a traceback."""

    trace: TracebackType

    @property
    def file(self) -> str:
        return self.trace.tb_frame.f_code.co_filename

    @property
    def line(self) -> int:
        return self.trace.tb_lineno

    @property
    def place(self) -> tuple[str, int]:
        return self.file, self.line


def _steps(trace: TracebackType | None) -> Iterator[_Step]:
    while trace is not None:
        yield _Step(trace)
        trace = trace.tb_next


def _beneath(steps: Sequence[_Step], own: Sequence[_Step], places: Places) -> str:
    """Return where a library raised, if the tool's own code only calls it: the deepest own frame has no branch. For
    what Python's own library raises there is no place."""
    if not steps or (own and _branches(own[-1].trace.tb_frame.f_code)):
        return ""
    file, line = steps[-1].place
    python = file.startswith((_LIBRARY, "<")) and "-packages" not in file
    return "" if python else f"{places.name(file)}:{line}"


_OURS = tuple(str(Path(__file__).with_name(name)) for name in ("taint.py", "lookups.py"))
"""What stands for something of Python's own while a tool is watched: methods of values, the opening of a database."""
_LIBRARY = sysconfig.get_path("stdlib")


@cache
def _branches(code: CodeType) -> bool:
    return any("JUMP" in one.opname for one in dis.get_instructions(code))


ERROR_TEXT = re.compile(r"\s*(?:Error|Exception|Traceback)\b")
_OBJECT = re.compile(r'\s*\{.*"(?:error|isError)"', re.DOTALL)
_loads = json.loads  # which is replaced where values are watched


def answered(answer: object, given: object, places: Places, refusals: list[Refusal]) -> Outcome:
    """Return the outcome of a call that returned: an error text is *returned*; a refusal in the call counts first."""
    if refusals:
        first, name = refusals[0], "PermissionError"
        keys = keyed(first.kind, name, first.location, "")
        trace = places.shown(first.traceback)
        return Outcome(first.kind, name, places.clean(first.what), first.location, traceback=trace, **keys)
    why = returned_error(answer)
    if (
        why is None
        or _is_part(answer, why, given)
        or any(why.startswith(text[:20]) for text in strings_of(given) if ERROR_TEXT.match(text))
    ):
        return OK
    keys = keyed("returned", None, None, normal(why, given), normal(why))
    return Outcome("returned", None, places.clean(why)[:LONGEST_MESSAGE], **keys)


def returned_error(answer: object) -> str | None:
    """Return the error that an answer tells of, or None.

    A message with status ``error``; a text that begins with Error, Exception or Traceback; an object, also as JSON
    text, with a non-empty ``error`` or ``isError`` true.
    """
    if getattr(answer, "status", None) == "error" and hasattr(answer, "tool_call_id"):
        return str(getattr(answer, "content", ""))
    if hasattr(answer, "tool_call_id") and hasattr(answer, "content"):
        artifact = getattr(answer, "artifact", None)
        answer = answer.content if artifact is None else artifact
    if isinstance(answer, tuple | list) and len(answer) == 2 and isinstance(answer[0], str):
        answer = answer[0]
    if isinstance(answer, str):
        if ERROR_TEXT.match(answer):
            return answer
        with suppress(ValueError, RecursionError):
            answer = _loads(str.__str__(answer)) if _OBJECT.match(answer) else None
    if isinstance(answer, dict):
        get = partial(dict.get, answer)  # a tainted answer must not learn what is asked here
        if get("isError") is True:
            return str(get("error") or get("content") or "isError")
        if get("error"):
            return str(get("error"))
    return None


def _is_part(answer: object, why: str, given: object) -> bool:
    """Return whether an answer, or the error in it, is a part of the input."""
    todo, wanted = [given], [answer, why]
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
    keys = keyed(kind, None, location, "" if kind == "hung" else message)
    return Outcome(kind, None, message, location, traceback=places.shown(trace), **keys)
