"""Signs of a mistake: what speaks for each call of a trace, by provenance, answers, repeats, breaks and a gold plan.

Words in reasons come from the trace. They are hostile text until they are shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Literal, NamedTuple

from planscope.cause.provenance import Provenance, Source, field_of, holds_id, same_field
from planscope.cause.spoken import Things, agrees, claim, declines, objects, refuses, withdraws
from planscope.oracle.trace import Json, Said, ToolCall, Trace
from planscope.oracle.verdict_types import StepNo
from planscope.rules.rule import RuleFile
from planscope.wording.phrases import value

Sign = Literal["break", "nowhere", "passed on", "misread", "apart", "denied", "other", "left", "sum", "failed",
               "ignored", "mended", "slip", "empty", "again", "split", "unread", "at once", "refused", "protest",
               "amends", "claim", "gold", "last"]  # fmt: skip
TOLD: dict[Sign, str] = {
    "break": "violates a rule",
    "nowhere": "with an id from nowhere",
    "passed on": "with an id that an earlier call invented",
    "misread": "with an id of another kind",
    "apart": "with ids that do not belong together",
    "denied": "with another id than the one spoken of",
    "other": "with something else than was said",
    "left": "with less than was said",
    "sum": "with a number from nowhere",
    "failed": "fails",
    "ignored": "fails, and is not heeded",
    "mended": "fails first",
    "slip": "fails with a value that nobody gave",
    "empty": "finds nothing",
    "again": "once more, for the same id",
    "split": "for a part of what had to be done in one call",
    "unread": "before looking",
    "at once": "without asking",
    "refused": "against the user's no",
    "protest": "before the user objects",
    "amends": "after the user objected",
    "claim": "before a claim of what was not done",
    "gold": "against the gold plan",
    "last": "at the end",
}
"""What each sign says of a call, after its tool's name. Batches are grouped by these words."""
_READS = re.compile(
    r"(?:^|__|[._/-])(?i:get|find|list|search|read|look|lookup|check|show|view|fetch|query|calculate|think|describe|count"
    r"|browse|grep|glob|ls|cat|status|verify|validate|compute)(?:[_A-Z./-]|s?$)")  # fmt: skip
MOST_IDS = 30
"""Ids of one call that are compared."""
_TOKEN = re.compile(r"#?\w[\w-]{4,}\w")
_RUN = re.compile(r"[A-Za-z]+")


class Break(NamedTuple):
    """A broken rule, with the first step that breaks it."""

    step: StepNo
    rule: str


@dataclass(slots=True)
class Evidence:
    """What speaks for each step: by step, reasons by their signs. ``writes``: the steps of calls that change
    something. ``failed``: those of calls that failed. ``withdrawn``: the user no longer wanted something. ``dropped``:
    and nothing was changed since."""

    sources: Provenance
    by_step: dict[StepNo, dict[Sign, str]] = field(default_factory=dict)
    writes: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    withdrawn: bool = False
    dropped: bool = False
    wrong: bool = False
    """Whether it is known that the agent went wrong: its grade is below 1, and the user kept to what they wanted."""

    def add(self, step: StepNo, sign: Sign, reason: str) -> None:
        self.by_step.setdefault(step, {}).setdefault(sign, reason)


def reader(file: RuleFile | None) -> Callable[[str], bool]:
    """Return a function that tells whether a tool only reads: rules mark it so or, without a mark, its name says it."""

    @cache
    def reads(tool: str) -> bool:
        if file is not None and any(c.names(tool) for c in (*file.reads, *file.writes)):
            return file.only_reads(tool)
        return _READS.search(tool) is not None

    return reads


def evidence(trace: Trace, breaks: Sequence[Break], file: RuleFile | None = None) -> Evidence:
    """Return what speaks for each step of a trace to be to blame. ``breaks``: the earliest first. ``file``: marks."""
    reads = reader(file)
    found = Evidence(Provenance(trace))
    if found.sources.left < 0:
        return found
    for one in breaks:
        if one.step == breaks[0].step:
            found.add(one.step, "break", f"it violates {one.rule}")
    look = _Look(
        found, reads, asks=sum(isinstance(one, Said) and one.by == "user" for one in trace.items) > 1
    )
    for around in _around(trace):
        look.at(around)
    _minds(found, trace)
    found.wrong = trace.reward is not None and trace.reward < 1 and not found.withdrawn
    for step in found.failed:
        signs = found.by_step[step]
        gone = next((one for one in found.sources.by_step[step] if one.how == "nowhere"), None)
        if gone is not None and step not in found.writes:
            found.add(step, "slip", f"{gone.name} is {value(gone.value)}, which nobody said")
        signs[_failure(found, trace.calls[step - 1], trace.calls[step:])] = signs.pop("failed")
    if trace.expected:
        _against_gold(found, trace, reads)
    if found.writes:
        found.add(found.writes[-1], "last", "it is the last call that changes something")
    elif trace.calls:
        found.add(len(trace.calls), "last", "it is the last call")
    return found


def _minds(found: Evidence, trace: Trace) -> None:
    """Find out whether the user changed their mind. To give up because the agent declines is something else."""
    declined = False
    for item in trace.items:
        if isinstance(item, ToolCall):
            found.dropped &= item.step not in found.writes
        elif isinstance(item, Said) and item.by == "model":
            declined = declines(item.text)
        elif isinstance(item, Said) and item.by == "user" and withdraws(item.text) and not declined:
            found.withdrawn = found.dropped = True


def _failure(found: Evidence, call: ToolCall, later: Sequence[ToolCall]) -> Sign:
    """Return what came of a failed call. It is mended if the tool succeeds later. If it only reads, and what it failed
    to read is written for all the same, it is ignored."""
    worked = [other for other in later if other.tool == call.tool and other.failed is False]
    ids = {one.value for one in found.sources.by_step[call.step] if one.like_id}
    ignored = any(
        one.value in ids for step in found.writes if step > call.step for one in found.sources.by_step[step]
    )
    writes = call.step in found.writes
    if worked and (writes or not ignored or any(other.arguments == call.arguments for other in worked)):
        return "mended"
    return "ignored" if ignored and not writes else "failed"


class _Around(NamedTuple):
    """A call with what was said near it. ``before``: the last two turns. ``user``: the last one of the user, and
    ``since``, the calls after it. Until the next call ``after`` is what the agent says, and ``then`` what the user
    says."""

    call: ToolCall
    before: list[str]
    user: str
    since: list[ToolCall]
    after: list[str]
    then: list[str]


def _around(trace: Trace) -> Iterator[_Around]:
    before: list[str] = []
    found: list[_Around] = []
    since: list[ToolCall] = []
    user = ""
    for item in trace.items:
        if isinstance(item, ToolCall):
            yield from found
            found = [_Around(item, before, user, since, [], [])]
            since = [*since, item]
        elif isinstance(item, Said) and item.by != "system" and item.text:
            before = [*before[-1:], item.text]
            if item.by == "user":
                since, user = [], item.text
            if found:
                (found[0].then if item.by == "user" else found[0].after).append(item.text)
    yield from found


class _Spoken:
    """What is said beside a call, and the words in it by their shape."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.text = "\n".join(text[:20_000] for text in texts)

    @cached_property
    def _words(self) -> dict[tuple[int, str], list[str]]:
        made: dict[tuple[int, str], list[str]] = {}
        for word in dict.fromkeys(map(str, _TOKEN.findall(self.text))):
            made.setdefault((len(word), _shape(word)), []).append(word)
        return made

    def like(self, id: str) -> list[str]:
        """Return the words of the same length and shape."""
        return self._words.get((len(id), _shape(id)), [])


class _Look:
    """Looks at one call after the other."""

    def __init__(self, found: Evidence, reads: Callable[[str], bool], asks: bool) -> None:
        """``asks``: the user answers the agent in this trace, so that it can ask before it writes."""
        self.found, self.reads, self.asks = found, reads, asks
        self.done: dict[tuple[str, str], ToolCall] = {}
        """The last call that wrote, by tool and its first id."""
        self.blamed: int = 0
        """The last step that changed something before the user objected."""
        self.seen: dict[str, set[int]] = {}
        """The messages of calls that succeeded and were given a value."""
        self.read: set[str] = set()
        """Ids that a call that reads was given."""
        self.changed: list[str] = []
        """Tools that changed something."""
        self.things = Things(found.sources)

    def at(self, around: _Around) -> None:
        call, step = around.call, around.call.step
        if call.refused:
            return
        add, sources = self.found.add, self.found.sources.by_step[step]
        ids = [one for one in sources if one.like_id]
        writes = not self.reads(call.tool)
        if call.failed:
            self.found.failed.append(step)
            add(step, "failed", f"it failed: {value(call.answer or '', 120)}")
        elif ids and not writes and (call.answer or "").strip() in ("", "[]", "{}", "null") and call.answered:
            add(step, "empty", "its answer is empty")
        for one in sources:
            self._value(step, one)
        spoken = _Spoken([*around.before, *around.after[:1]] if writes else [around.user])
        for one in ids[:MOST_IDS]:
            other = self._other(one, spoken, ids)
            if other and (writes or other not in self.read):
                told = f"{one.name} is {value(one.value)}, and beside it {value(other)} is spoken of"
                add(step, "denied", told)
        self._apart(call, ids)
        if writes:
            self._write(around, ids)
            self.found.writes.append(step)
        self._after(around)
        if not call.failed:
            for one in sources:
                self.seen.setdefault(str(one.value), set()).add(call.message)
            if not writes:
                self.read.update(str(one.value) for one in ids)

    def _after(self, around: _Around) -> None:
        step, add = around.call.step, self.found.add
        if said := claim("\n".join(around.after), self.changed):
            add(step, "claim", f"after it the agent says {value(said)}, and no call did that")
        if self.found.writes and any(map(objects, around.then)):
            self.blamed = self.found.writes[-1]
            add(self.blamed, "protest", f"after it the user says {value(around.then[0])}")

    def _value(self, step: int, one: Source) -> None:
        said = f"{one.name} is {value(one.value)}, which"
        nowhere = "stands in no answer, turn of the user or system text before it"
        if one.invented and one.first < step:
            self.found.add(step, "passed on", f"{said} step {one.first} brought in; it {nowhere}")
        elif one.invented:
            self.found.add(step, "nowhere", f"{said} {nowhere}")
        elif one.how == "nowhere" and one.in_sum and isinstance(one.value, float) and one.value % 1:
            self.found.add(step, "sum", f"{said} {nowhere}")
        place = one.place
        ids = one.like_id and place is not None and holds_id(one.path) and holds_id(place.path)
        if place is not None and ids and not same_field(one.path, place.path):
            self.found.add(step, "misread", f"{said} is step {place.step}'s {field_of(place.path)}")

    def _apart(self, call: ToolCall, ids: Sequence[Source]) -> None:
        """Find ids that nothing leads to from the first one, by answers and turns of the user that share ids."""
        held: list[tuple[Source, set[int]]] = []
        for one in ids[:MOST_IDS]:
            places = (p for p in self.found.sources.places(one.value) if p.by in ("answer", "user"))
            messages = {place.message for place in places if place.message < call.message}
            messages |= self.seen.get(str(one.value), set())
            if messages:
                held.append((one, messages))
        known, left = (held[0][1], held[1:]) if held else (set[int](), [])
        while near := [pair for pair in left if not known.isdisjoint(pair[1])]:
            known = known.union(*(messages for _, messages in near))
            left = [pair for pair in left if pair not in near]
        if left:
            one, first = left[0][0], held[0][0]
            told = f"no answer leads from {first.name} {value(first.value)} to {one.name} {value(one.value)}"
            self.found.add(call.step, "apart", told)

    def _other(self, one: Source, spoken: _Spoken, ids: Sequence[Source]) -> str:
        """Return an id of the same kind that texts beside a call speak of instead of this one; "" if none."""
        id, own = str(one.value), {str(other.value) for other in ids}
        if id in spoken.text or not any(c.isdigit() for c in id):
            return ""
        for word in spoken.like(id):
            places = self.found.sources.places(word)
            if word not in own and any(place.path and same_field(one.path, place.path) for place in places):
                return word
        return ""

    def _write(self, around: _Around, ids: Sequence[Source]) -> None:
        call, step, add = around.call, around.call.step, self.found.add
        if not call.failed:
            self.changed.append(call.tool)
        if self.asks and self._unasked(around, ids):
            add(step, "at once", "the user said nothing between it and the call before")
        if self.blamed:
            add(step, "amends", f"the user objected to step {self.blamed}")
        elif refuses(around.user):
            add(step, "refused", f"the user said {value(around.user)} before it")
        for sign, what in self.things.misses(
            call, ids[:MOST_IDS], " ".join(around.before), " ".join(around.after[:1])
        ):
            if sign == "other":
                add(step, "other", f"what was said of {value(what)} fits something else beside it")
            else:
                add(step, "left", f"it lacks {value(what)}, which the agent says it has done")
        if not ids:
            return
        if not any(str(one.value) in self.read for one in ids):
            add(step, "unread", f"no call read {ids[0].name} {value(ids[0].value)} before it")
        self._repeat(call, ids[0])

    def _repeat(self, call: ToolCall, id: Source) -> None:
        """Find the same call again, and a call that fails because one before it was for a part only."""
        key, named = (call.tool, str(id.value)), f"{id.name} {value(id.value)}"
        before = self.done.get(key)
        if before is not None and before.arguments == call.arguments:
            self.found.add(call.step, "again", f"step {before.step} did it for {named}")
        elif before is not None and call.failed:
            self.found.add(before.step, "split", f"step {call.step} is for {named}, too, and fails")
        if not call.failed:
            self.done[key] = call

    def _unasked(self, around: _Around, ids: Sequence[Source]) -> bool:
        """Return whether the user was not asked: a call came between, and they did not say yes to this."""
        sources = self.found.sources.by_step
        # To think or to calculate is no work that the user could be asked about
        since = [c for c in around.since if not all(a.in_sum or _prose(a.value) for a in sources[c.step])]
        if not since or (since[-1].failed and since[-1].tool == around.call.tool):
            return False
        told = bool(ids) and str(ids[0].value) in " ".join(around.before)
        return not agrees(around.user) or not (told or all(self.reads(one.tool) for one in around.since))


def _shape(word: str) -> str:
    return re.sub(r"\d", "9", _RUN.sub(lambda run: run[0] if len(run[0]) < 3 else "a", word))


def _against_gold(found: Evidence, trace: Trace, reads: Callable[[str], bool]) -> None:
    """Find the first call that leaves every order of the gold plan: a write that it lacks, or has with other arguments.
    Calls that read and stand in no plan are free, and so is the order of calls. If there is none, a write that was not
    made."""
    # Few files have a gold plan, and comparing loads sessions
    from planscope.compare.calls import align, keys
    from planscope.compare.result import StepSide

    planned = {call.tool for call in trace.expected}
    made = [
        call for call in trace.calls if not call.refused and (call.tool in planned or not reads(call.tool))
    ]
    sides = [[StepSide(k, k, 1, call) for k, call in enumerate(some)] for some in (made, trace.expected)]
    ran, gold = (keys(side, {}) for side in sides)
    both = Counter(gold.values()) & Counter(ran.values())
    for own, every in zip((ran, gold), sides, strict=True):
        left = both.copy()
        for k, key in list(own.items()):
            if left[key] > 0:  # made as it is planned, at some place
                left[key] -= 1
                del own[k]
        every[:] = [every[k] for k in own]
    missing = ""
    for row in align(sides[0], sides[1], ran, gold).rows:
        if row.a is None:
            tool = trace.expected[row.b or 0].tool
            missing = missing or ("" if reads(tool) or row.change == "moved" else tool)
        elif not reads(made[row.a].tool):
            names = [one.name for one in row.arguments if not (_prose(one.a) and _prose(one.b))]
            if names or not row.arguments:
                told = f"other {', '.join(names)}" if names else "no such call"
                found.add(made[row.a].step, "gold", f"the gold plan has {told}")
                return
    if missing:
        found.add("end", "gold", f"the gold plan's {missing} was not called")


def _prose(text: Json) -> bool:
    return isinstance(text, str) and text.count(" ") > 3
