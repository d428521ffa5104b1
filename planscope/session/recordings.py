"""Recordings: runs of users' own agents, appended to journals beside their session while the agents run.

Each run has a journal of its own, in the folder ``.NAME.recording`` beside the session file ``NAME``: lines of JSON, a
head first, then events and tools. A crash can cut off the last line, which is then ignored. The recorder keeps its
journal locked, so that nobody removes it before it is complete.

:mod:`planscope.session.merging` puts complete journals into the session's file, under its lock, and removes them.
Loading a session adds those that are not merged yet (:func:`with_recordings`). A run keeps the name of its journal, so
that no journal is added twice.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError

from planscope.language.errors import ParseFailure
from planscope.language.problem import is_tool_name
from planscope.language.prompts import query_in
from planscope.language.reading import ActionNameError
from planscope.oracle.trace import DAMAGED
from planscope.session.files import LARGEST, SessionError, recordings_of
from planscope.session.json_bytes import parse_json
from planscope.session.lock import lock_handle
from planscope.session.model import (
    ActionRecord,
    AnswerEvent,
    CallEvent,
    Data,
    EndEvent,
    Event,
    LeftOutPart,
    Origin,
    PromptEvent,
    Query,
    Run,
    Session,
    Variant,
    all_runs,
    all_variants,
    next_run_id,
    next_variant_id,
)
from planscope.session.oracle_input import actions_of, has_own_tools, own_reading, plain_name
from planscope.session.run_names import untaken
from planscope.session.validation import MOST_ACTIONS, MOST_CALLS

_FORMAT = "planscope-recording"
_SUFFIX = ".jsonl"
_PIECE = 1024 * 1024
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def any_recordings(path: Path) -> bool:
    """Return whether there are recordings that are not merged into the session's file yet."""
    return bool(_journals(path))


class Journal:
    """The journal of one run that is being recorded. Any thread may use it, one at a time.

    Making one raises OSError. What cannot be written later, because the disk is full, waits for the next line or for
    the end; each time ``waits`` is told why.
    """

    def __init__(
        self, path: Path, head: Mapping[str, Any], waits: Callable[[OSError], None] = lambda why: None
    ) -> None:
        folder = recordings_of(path)
        self._waits = waits
        self._waiting = b""
        self.token = secrets.token_hex(12)
        self._handle = -1
        for _ in range(3):  # a process that merges may remove the folder at this moment
            folder.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                self._handle = _open(
                    folder / f"{self.token}{_SUFFIX}", os.O_WRONLY | os.O_CREAT | os.O_APPEND
                )
                break
        if self._handle < 0:
            raise FileNotFoundError(f"another program keeps removing {folder}")
        with suppress(OSError):  # some file systems have no locks
            lock_handle(self._handle)
        try:
            self._write(json.dumps({"format": _FORMAT, "version": 1, "token": self.token, **head}))
        except OSError:
            self._waiting = b""
            self.close()
            (folder / f"{self.token}{_SUFFIX}").unlink(missing_ok=True)
            raise

    def append(self, line: Mapping[str, Any]) -> None:
        """Append one line."""
        self.append_text(json.dumps(line))

    def append_text(self, *lines: str) -> None:
        """Append lines that are already JSON."""
        if self._handle >= 0:
            try:
                self._write(*lines)
            except OSError as why:
                self._waits(why)

    def _write(self, *lines: str) -> None:
        """Write what waits and these lines. What was written in part goes on where it was cut off."""
        self._waiting += "".join(f"{line}\n" for line in lines).encode()
        while self._waiting:
            self._waiting = self._waiting[os.write(self._handle, self._waiting) :]

    def events(self, events: Iterable[Event]) -> None:
        """Append events, each as one line."""
        self.append_text(*('{"event": ' + e.model_dump_json(exclude_none=True) + "}" for e in events))

    @property
    def open(self) -> bool:
        """Whether more may be appended."""
        return self._handle >= 0

    def close(self) -> None:
        """Close the journal, which is now complete and can be merged."""
        self.append_text()
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()


@dataclass(slots=True)
class RecordedRun:
    """The run in a journal. ``query`` and ``rules`` are empty if the user gave none."""

    token: str
    title: str
    query: str
    timed: bool
    agent: str
    model: str
    started: datetime
    rules: str = ""
    tools: dict[str, ActionRecord] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    left_out: list[LeftOutPart] | None = None
    """The line that is broken, if there is one: what follows it was not read."""


def with_recordings(session: Session | None, found: Sequence[RecordedRun]) -> Session:
    """Return the session with these runs, or a new session if there is none. Changes ``session`` in place.

    Each run is added to the variant with its query and tools, which is made if it is missing. A run that the session
    already has gets the events that were recorded since.
    """
    if session is None:
        session = Session(id=f"s{found[0].token[:8]}", title=found[0].title)
    for one in found:
        _take(session, one)
        for field_, value in kept_rules(session, one.rules).items():
            setattr(session, field_, value)
    return session


def kept_rules(session: Session, rules: str) -> Data:
    """Return the fields of the session that change because a recorder was given these rules.

    They replace those of the recorder before; if the owner has changed the session's rules since, only what they do not
    have yet is added.
    """
    before, recorded = session.rules, session.rules_recorded
    if not rules.strip() or rules in (before, recorded):
        return {}
    made = rules
    if before is not None and before.strip() and before != recorded:
        known = {line.strip() for line in before.splitlines()}
        more = [line for line in rules.splitlines() if line.strip() and line.strip() not in known]
        made = "\n".join([before.rstrip("\n"), *more, ""])
    changes: Data = {"rules_recorded": rules}
    if made != before:
        changes["rules"] = made
        changes["rules_before"] = [*(session.rules_before or []), before or ""][-50:]
    return changes


def _take(session: Session, one: RecordedRun) -> None:
    known = next((run for run in all_runs(session) if run.recording == one.token), None)
    if known is not None and len(known.events) >= len(one.events):
        return
    if known is not None:
        known.events[:] = one.events
        known.left_out = one.left_out
        _add_tools(next(v for v in all_variants(session) if v.id == known.variant), one)
        return
    variant, run = placed(session, one)
    for place, old in enumerate(session.variants):
        if old.id == variant.id:
            session.variants[place] = variant
            break
    else:
        session.variants.append(variant)
    session.runs.append(run)


def placed(session: Session, one: RecordedRun) -> tuple[Variant, Run]:
    """Return the recorded run as a run of the session, and its variant with the run's tools. Changes nothing.

    The run has its id if the session has it already; its variant is the one with the query and with tools that agree,
    or a new one.
    """
    known = next((run for run in all_runs(session) if run.recording == one.token), None)
    variant = next((v for v in all_variants(session) if known is not None and v.id == known.variant), None)
    variant = variant.model_copy(deep=True) if variant is not None else _variant_for(session, one)
    _add_tools(variant, one)
    run = Run(
        id=known.id if known is not None else next_run_id(session),
        variant=variant.id,
        agent=one.agent,
        model=one.model,
        started=one.started,
        events=one.events,
        left_out=one.left_out,
        recording=one.token,
    )
    return variant, run


def _variant_for(session: Session, one: RecordedRun) -> Variant:
    """Return a copy of the variant with the recorded query whose tools agree with the recorded ones, or a new one."""
    text, timed = one.query, one.timed
    if not text.strip():
        text, timed = _said(one)
    for variant in session.variants:
        same = variant.query.text == text and variant.query.timed == timed and has_own_tools(variant)
        if same and variant.origin.kind == "imported" and _agree(variant.actions, one.tools):
            return variant.model_copy(deep=True)
    return Variant(
        id=next_variant_id(session),
        origin=Origin(kind="imported"),
        query=Query(text=text, timed=timed),
        actions=[],
        own=True,
    )


def _agree(actions: Iterable[ActionRecord], tools: Mapping[str, ActionRecord]) -> bool:
    """Return whether no tool has two different schemas."""
    return not any(
        a.parameters is not None
        and (tool := tools.get(a.tool)) is not None
        and tool.parameters not in (None, a.parameters)
        for a in actions
    )


def _add_tools(variant: Variant, one: RecordedRun) -> None:
    known = {a.tool: a for a in variant.actions}
    names = {a.name.casefold() for a in variant.actions}
    for tool, said in one.tools.items():
        old = known.get(tool)
        if old is not None:
            old.description = old.description or said.description
            old.parameters = said.parameters if old.parameters is None else old.parameters
        elif len(variant.actions) < MOST_ACTIONS:
            update = {"id": f"a{len(variant.actions) + 1}", "name": untaken(said.name, names)}
            variant.actions.append(said.model_copy(update=update))


def _said(one: RecordedRun) -> tuple[str, bool]:
    """Return the first prompt as a query, and whether it is timed; "" if some sentence of it cannot be read."""
    prompt = next((e.text for e in one.events if isinstance(e, PromptEvent)), "")
    text, timed = query_in(prompt)
    if not text.strip() or not one.tools:
        return "", one.timed
    timed = timed or one.timed
    trial = Variant(
        id="v1", origin=Origin(kind="imported"), query=Query(text=text, timed=timed), actions=[], own=True
    )
    _add_tools(trial, one)
    try:
        own_reading(text, actions_of(trial), {}, timed=timed)
    except (ParseFailure, ActionNameError):
        return "", one.timed
    return text, timed


def recordings(path: Path, read: Sequence[RecordedRun] = ()) -> list[RecordedRun]:
    """Return the runs in a session's journals, in the order in which they began. Broken journals are left out.

    ``read``: those that were read before; the others are read.
    """
    found = list(read)
    known = {f"{one.token}{_SUFFIX}" for one in read}
    for file in _journals(path):
        if file.name in known:
            continue
        with suppress(OSError):
            handle = _open(file, os.O_RDONLY)
            try:
                one = _read(handle, file.name)
            finally:
                os.close(handle)
            if one:
                found.append(one)
    return _in_order(found)


@contextmanager
def complete_recordings(path: Path) -> Iterator[list[RecordedRun]]:
    """Yield the complete runs, and remove their journals if the block succeeds. The caller holds the session's lock."""
    mine: list[tuple[Path, int]] = []
    found = []
    try:
        for file in _journals(path):
            with suppress(OSError):
                handle, left = _open(file, os.O_RDWR), False
                with suppress(OSError):  # locked, so that it stays complete; or else its writer has not ended
                    left = lock_handle(handle)
                if not left:
                    os.close(handle)
                    continue
                mine.append((file, handle))
                one = _read(handle, file.name)
                if one:
                    found.append(one)
        yield _in_order(found)
        readable = {one.token for one in found}
        for file, _ in mine:
            if file.name.removesuffix(_SUFFIX) in readable:
                with suppress(OSError):
                    file.unlink()
        if mine:
            with suppress(OSError):
                recordings_of(path).rmdir()
    finally:
        for _, handle in mine:
            os.close(handle)


def _in_order(found: list[RecordedRun]) -> list[RecordedRun]:
    return sorted(found, key=lambda one: (one.started, one.token))


def _journals(path: Path) -> list[Path]:
    try:
        folder = recordings_of(path)
        return sorted(p for p in folder.iterdir() if p.name.endswith(_SUFFIX))
    except (OSError, ValueError, RuntimeError):
        return []


def _open(file: Path, how: int) -> int:
    """Open a regular file, and never follow a link. Raises OSError."""
    extra = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY", "O_CLOEXEC"))
    handle = os.open(file, how | extra, 0o600)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{file} is not a regular file")
    return handle


def _read(handle: int, name: str) -> RecordedRun | None:
    """Return the run in a journal, up to the first broken line; None without a head."""
    os.lseek(handle, 0, os.SEEK_SET)
    with os.fdopen(os.dup(handle), "rb") as file:
        return _run_in(_lines_of(file), name)


def _lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the whole lines, one after the other, as long as a journal may be."""
    left = LARGEST
    while (line := file.readline(left)).endswith(b"\n"):
        left -= len(line)
        yield line[:-1]


def session_in_journal(data: bytes) -> Session | None:
    """Return a session with the run in a journal's bytes, up to the first broken line; None without a head."""
    one = _run_in(_lines_of(BytesIO(data)), None)
    return with_recordings(None, [one]) if one is not None else None


def _run_in(lines: Iterable[bytes], file: str | None) -> RecordedRun | None:
    """Return the run in a journal's lines. ``file`` is the journal's name, which its head must agree with."""
    reader = _Reader(file)
    for line in lines:
        if not reader.take(line):
            break
    return reader.tidy()


class _Reader:
    """Reads the lines of a journal: its head into ``run``, then what was recorded. ``file``: the journal's name."""

    def __init__(self, file: str | None) -> None:
        self.run: RecordedRun | None = None
        self._file = file
        self._changed: dict[int, Data] = {}
        self._calls = self._lines = 0

    @property
    def events(self) -> list[Event]:
        """The events so far."""
        return self.run.events if self.run is not None else []

    def take(self, line: bytes) -> bool:
        """Read one line. Return False if it is broken: then the run ends before it."""
        if self.run is None:
            self.run = _head(line, self._file)
            return self.run is not None
        self._lines += 1
        try:
            said = parse_json(line, self._file or "the recording")
            if "event" in said:
                return self._event(_EVENT.validate_python(said["event"]))
            if "tool" in said:
                _add_tool(self.run, said["tool"])
            elif "done_with" in said:
                self._changed[int(said["step"])] = dict(said["done_with"])
        except (SessionError, ValidationError, KeyError, TypeError, ValueError):
            return self._broken()
        return True

    def _broken(self) -> bool:
        if self.run is not None:
            path = f"line {self._lines + 1:,} of its recording"
            self.run.left_out = [LeftOutPart(kind="not understood", reason=DAMAGED, path=path)]
        return False

    def _event(self, event: Event) -> bool:
        self._calls += isinstance(event, CallEvent)
        if self._calls > MOST_CALLS:
            return False
        if (isinstance(event, CallEvent) and event.step != self._calls) or (
            isinstance(event, AnswerEvent) and event.step > self._calls
        ):
            return self._broken()
        self.events.append(event)
        return True

    def tidy(self) -> RecordedRun | None:
        """Return the run so far, with its events in order; None before its head."""
        return replace(self.run, events=_tidy(self.events, self._changed)) if self.run is not None else None


class RecordingTail:
    """Reads a run's journal while it grows. Raises OSError if there is none.

    The journal may be removed meanwhile, as happens when it is merged into the session: what is open can still be read.
    """

    def __init__(self, path: Path, token: str) -> None:
        self.token, name = token, f"{token}{_SUFFIX}"
        self._handle = _open(recordings_of(path) / name, os.O_RDONLY)
        self._left = LARGEST
        self._part = b""
        self._reader = _Reader(name)
        self._broken = False

    def more(self) -> list[Event]:
        """Return the events since the last time."""
        known = len(self._reader.events)
        while not self._broken and (data := os.read(self._handle, min(_PIECE, self._left))):
            self._left -= len(data)
            *lines, self._part = (self._part + data).split(b"\n")
            self._broken = not all(map(self._reader.take, lines))
        return self._reader.events[known:]

    @property
    def run(self) -> RecordedRun | None:
        """The run so far, with its events in order; None before its head."""
        return self._reader.tidy()

    @property
    def tools(self) -> int:
        """The number of its tools so far."""
        return len(self._reader.run.tools) if self._reader.run is not None else 0

    def close(self) -> None:
        handle, self._handle = self._handle, -1
        if handle >= 0:
            os.close(handle)


def _head(line: bytes, file: str | None) -> RecordedRun | None:
    try:
        said = parse_json(line, file or "the recording")
        if said.get("format") != _FORMAT or (
            file is not None and said["token"] != file.removesuffix(_SUFFIX)
        ):
            return None
        token, title, query, agent, model = (
            str(said[key]) for key in ("token", "title", "query", "agent", "model")
        )
        started = datetime.fromisoformat(said["started"]).astimezone(UTC)
        rules = said.get("rules")
        made = RecordedRun(token, title, query, said["timed"] is True, agent, model, started)
        return replace(made, rules=rules) if isinstance(rules, str) else made
    except (SessionError, KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def _add_tool(one: RecordedRun, said: Mapping[str, Any]) -> None:
    tool = said["name"]
    if not isinstance(tool, str) or not is_tool_name(tool):
        return
    record = ActionRecord(
        id="a1",
        name=plain_name(tool),
        tool=tool,
        description=said.get("description"),
        parameters=said.get("parameters"),
    )
    one.tools[tool] = record


def _tidy(events: list[Event], changed: Mapping[int, Data]) -> list[Event]:
    """Put the events in order: no end before a retry, late answers before the end, one answer per step.

    ``changed`` holds the arguments that a call was really made with, by step.
    """
    last = max((i for i, e in enumerate(events) if isinstance(e, EndEvent)), default=None)
    if last is not None:
        late = events[last + 1 :]
        end = events[last] if all(isinstance(e, AnswerEvent) for e in late) else None
        events = [e for e in events if not isinstance(e, EndEvent)]
        if end is not None:
            at = max((e.at for e in (*late, end)), default=0.0)
            events.append(end.model_copy(update={"at": at}))
    answered: set[int] = set()
    made: list[Event] = []
    for event in events:
        if isinstance(event, AnswerEvent):
            if event.step in answered:
                continue
            answered.add(event.step)
        if isinstance(event, CallEvent) and event.step in changed:
            update = {"arguments": changed[event.step], "asked": event.arguments}
            event = event.model_copy(update=update)
        made.append(event)
    return made
