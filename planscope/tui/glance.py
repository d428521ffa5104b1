"""What a session says, as plain data for the screen: texts and calls, nothing judged.

Read from raw JSON, since the session model alone takes as long to import as half a frame takes to paint. The
same reader takes a loaded session (``glance_of(session.model_dump(mode="json"))``), so that there is one way to the
screen. It trusts nothing: whatever has the wrong type counts as absent. Every string in here is untrusted still.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from planscope.session.carriers import carried
from planscope.session.files import LARGEST, SessionError, read_bytes
from planscope.session.help import Help, help_in
from planscope.session.json_bytes import parse_json
from planscope.session.notices import words_of

RESTART_TOOL = "ask_for_restart"
"""As in ``planscope.oracle.trace``, which need not be imported for the first frame."""

_NO_CURSOR: Mapping[str, Any] = {}

MOST_BYTES = LARGEST
"""No session is larger; whoever asked for one of its runs would be told that it has none."""


class NotReadable(Exception):
    """The file cannot be shown at a glance; ``store.load`` says why."""


class ActionGlance(NamedTuple):
    id: str
    name: str
    tool: str


class VariantGlance(NamedTuple):
    """One query. ``origin`` is its kind, such as ``synthesized`` or ``mutated``."""

    id: str
    text: str
    timed: bool = False
    actions: tuple[ActionGlance, ...] = ()
    origin: str = ""
    parent: str = ""
    mutation: str = ""


class CallGlance(NamedTuple):
    """One step. ``thought`` is what the model said since the step before; ``arguments`` None: not readable.

    ``asked`` and ``said``: what stood there before the user edited arguments or answer. ``refused_by``: guard or user.
    """

    step: int
    tool: str
    arguments: Mapping[str, Any] | None
    raw: str = ""
    error: str = ""
    thought: str = ""
    answer: str | None = None
    failed: bool = False
    attempt: int = 1
    asked: Mapping[str, Any] | None = None
    said: str | None = None
    refused_by: str = ""


class CostGlance(NamedTuple):
    """What a run took, without what was kept from the one that it was forked from. Tokens None: not counted."""

    answers: int = 0
    read: int | None = None
    written: int | None = None
    seconds: float = 0.0


class RunGlance(NamedTuple):
    """One run. A record without an end counts as aborted, unless it is ``under_way``.

    ``last_words`` come after all calls. ``kept``: so many calls are those of the run that it was forked from.
    ``pending``: the last call waits for a decision and is not done.
    """

    id: str
    variant: str
    agent: str
    model: str
    calls: tuple[CallGlance, ...] = ()
    ending: str = "aborted"
    reason: str = ""
    last_words: str = ""
    forked_from: str = ""
    kept: int = 0
    under_way: bool = False
    pending: bool = False
    cost: CostGlance = CostGlance()

    @property
    def simulated(self) -> bool:
        return self.model.casefold().startswith(("sim:", "simulated"))

    @property
    def help(self) -> Help:
        """What helped the run, by what its file says; a call that waits is not done, and was not helped yet."""
        return help_in(self.calls)

    @property
    def helped_agent(self) -> str:
        """The agent with what stood behind it: ``tools + guard``."""
        return self.help.agent(self.agent)


class SessionGlance(NamedTuple):
    """``trials``: the ids of the runs that dissections made."""

    id: str
    title: str
    variants: tuple[VariantGlance, ...] = ()
    runs: tuple[RunGlance, ...] = ()
    breakpoints: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()
    cursor: Mapping[str, Any] = _NO_CURSOR
    notes: str = ""
    trials: frozenset[str] = frozenset()

    def variant(self, id: str) -> VariantGlance | None:
        return next((v for v in self.variants if v.id == id), None)

    def variant_of(self, run: RunGlance | None) -> VariantGlance | None:
        """The query that ``run`` was given; without a run, the last variant."""
        if run is not None:
            for variant in self.variants:
                if variant.id == run.variant:
                    return variant
        return self.variants[-1] if self.variants else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _items(value: object) -> Iterable[Mapping[str, Any]]:
    return (item for item in value if isinstance(item, Mapping)) if isinstance(value, list) else ()


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def variant_glance(raw: Mapping[str, Any]) -> VariantGlance:
    """One variant's JSON as plain data."""
    query = _mapping(raw.get("query"))
    actions = tuple(
        ActionGlance(_text(a.get("id")), _text(a.get("name")), _text(a.get("tool")))
        for a in _items(raw.get("actions"))
    )
    origin = _mapping(raw.get("origin"))
    return VariantGlance(
        _text(raw.get("id")),
        _text(query.get("text")),
        query.get("timed") is True,
        actions,
        _text(origin.get("kind")),
        _text(raw.get("parent")),
        _text(origin.get("mutation")),
    )


class _Calls:
    """Gathers a run's events into calls."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.by_step: dict[object, dict[str, Any]] = {}
        self.words: list[str] = []
        self.attempt = 1
        self.kept = 0
        self.answers = 0
        self.tokens: list[tuple[int, int]] = []
        self.begins = self.ends = 0.0
        self.ending = "aborted"
        self.reason = "the record breaks off here"

    def take(self, event: Mapping[str, Any]) -> None:
        kind = event.get("type")
        at = _number(event.get("at"))
        self.ends = max(self.ends, at)
        if event.get("kept") is True:
            self.begins = max(self.begins, at)
        elif kind == "message":
            self.answers += 1
            if usage := _mapping(event.get("usage")):
                counts = (_number(usage.get("input_tokens")), _number(usage.get("output_tokens")))
                self.tokens.append((int(counts[0]), int(counts[1])))
        if kind == "message":
            text, refusal, finish = (_text(event.get(key)) for key in ("text", "refusal", "finish"))
            if said := words_of(text, refusal, finish, event.get("structured")):
                self.words.append(said)
        elif kind == "call":
            self._call(event)
        elif kind == "answer":
            if (call := self.by_step.get(_step(event))) is not None:
                call["answer"] = _text(event.get("text"))
                call["failed"] = event.get("status") == "error"
                call["said"] = (
                    _text(event.get("said")) if "said" in event and event["said"] is not None else None
                )
                call["refused_by"] = _text(event.get("refused_by"))
        elif kind == "end":
            self.ending = _text(event.get("ending")) or "aborted"
            self.reason = _text(event.get("reason"))

    def cost(self) -> CostGlance:
        read, written = (
            (sum(counts) for counts in zip(*self.tokens, strict=True)) if self.tokens else (None, None)
        )
        return CostGlance(self.answers, read, written, max(self.ends - self.begins, 0.0))

    def _call(self, event: Mapping[str, Any]) -> None:
        arguments = event.get("arguments")
        if event.get("tool") == RESTART_TOOL:
            self.attempt += 1
        call: dict[str, Any] = {
            "step": len(self.calls) + 1,
            "tool": _text(event.get("tool")),
            "arguments": arguments if isinstance(arguments, Mapping) else None,
            "raw": _text(event.get("raw")),
            "error": _text(event.get("error")),
            "thought": "\n".join(self.words),
            "attempt": self.attempt,
            "asked": asked if isinstance(asked := event.get("asked"), Mapping) else None,
        }
        self.kept += event.get("kept") is True
        self.words = []
        self.calls.append(call)
        self.by_step[_step(event)] = call


def _number(value: object) -> float:
    """A number that makes sense as an amount; 0 for anything else."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return float(value) if known else 0.0  # type: ignore[arg-type]  # known to be a number


def _step(event: Mapping[str, Any]) -> object:
    step = event.get("step")
    return step if isinstance(step, int) else None


def run_glance(raw: Mapping[str, Any], under_way: bool = False) -> RunGlance:
    """One run's JSON as plain data."""
    gathered = _Calls()
    for event in _items(raw.get("events")):
        gathered.take(event)
    fork = _mapping(raw.get("forked_from"))
    return RunGlance(
        _text(raw.get("id")),
        _text(raw.get("variant")),
        _text(raw.get("agent")),
        _text(raw.get("model")),
        tuple(CallGlance(**call) for call in gathered.calls),
        "running" if under_way else gathered.ending,
        "" if under_way else gathered.reason,
        "\n".join(gathered.words),
        f"{_text(fork.get('run'))} at step {fork.get('step')}" if fork else "",
        gathered.kept,
        under_way,
        cost=gathered.cost(),
    )


def glance_of(raw: Mapping[str, Any]) -> SessionGlance:
    """A session's JSON document as plain data."""
    return SessionGlance(
        _text(raw.get("id")),
        _text(raw.get("title")),
        tuple(variant_glance(v) for v in _items(raw.get("variants"))),
        tuple(run_glance(r) for r in _items(raw.get("runs"))),
        tuple(b for b in raw.get("breakpoints") or () if isinstance(b, str)),
        tuple(w for w in raw.get("watches") or () if isinstance(w, str)),
        _mapping(raw.get("cursor")),
        _text(raw.get("notes")),
        _trials(raw),
    )


def _trials(raw: Mapping[str, Any]) -> frozenset[str]:
    cells = (cell for one in _items(raw.get("dissections")) for cell in _items(one.get("cells")))
    lists = (cell.get("runs") for cell in cells)
    return frozenset(id for runs in lists if isinstance(runs, list) for id in runs if isinstance(id, str))


def glance(path: Path) -> SessionGlance:
    """Read ``path`` (``.json`` or ``.json.gz``), at most ``MOST_BYTES`` of it. Raises ``NotReadable``."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise NotReadable("a large file")
        raw = parse_json(carried(read_bytes(path), path.name), path.name)
    except (OSError, ValueError, SessionError) as error:
        raise NotReadable(str(error)) from error
    if not isinstance(raw, Mapping):
        raise NotReadable("not a session")
    return glance_of(raw)
