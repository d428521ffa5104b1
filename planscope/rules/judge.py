"""Judges rules call by call. A call costs only the rules that its tool touches, however long the trace is.

A ``Rulebook`` is compiled once for many traces; a ``Judge`` holds the state of one trace.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from planscope.frozen import frozen
from planscope.language.calls import ASSISTANT, USER, Against, Calls, Condition, Path
from planscope.oracle.trace import Item, Said, ToolCall, Trace
from planscope.rules.kinds import KINDS
from planscope.rules.machine import (
    ANY_FIRST,
    FIRST,
    FOLLOWED,
    LATER,
    MET,
    THEN,
    TOO_LATE,
    UNTIL,
    Machine,
    Status,
    never_decided,
)
from planscope.rules.machine import USER as SAID
from planscope.rules.rule import Rule, resolved, sides, unknown_names, unseen_names
from planscope.rules.values import (
    MISSING,
    UNKNOWN,
    Key,
    agreement,
    answer_of,
    at,
    belongs,
    holds,
    key_part,
    key_text,
    wanted,
)

MOST_ANSWERS = 2_000
"""Limit of earlier answers that an argument is compared with. Those before are unknown."""

StepNo = int | Literal["end"]
Event = ToolCall | Said
RulesVerdict = Literal["right", "wrong", "unknown", "aborted"]


WORST_FIRST: tuple[Status, ...] = ("broken", "unknown", "owed", "kept_so_far")
"""A rule's status is the worst of those for its values."""


Has = Callable[[Calls], bool | None]
"""Whether a call belongs to a set that names its tool; None if the trace does not tell."""


def names(calls: Calls, tool: str) -> bool:
    """Return whether a set names this tool, or is the set of messages USER or ASSISTANT."""
    return calls.name == tool if tool in (USER, ASSISTANT) else calls.names(tool)


@frozen
class Touch:
    """The relation of one tool to one rule. ``now`` and ``later``: those of the rule's sets ``first`` that name the
    tool, and count at once or from the next message on; ``then`` and ``until``: the same of the others."""

    rule: int
    now: tuple[Calls, ...]
    later: tuple[Calls, ...]
    then: tuple[Calls, ...]
    until: tuple[Calls, ...]
    letter: int
    """The letter if the sets' conditions are met."""
    decided: bool
    """Whether the tool's name alone decides what to do."""
    plain: tuple[int, ...] | None
    """The letter, if no condition, outcome or agent matters for it."""
    paths: tuple[Path, ...]
    """The arguments that the rule is judged by."""
    others: tuple[Path, ...]
    """Those that stand in if a call has not all of these: of a tool that the rule does not name."""
    key: str | None
    """The one argument that the rule is judged by, if it is one."""
    condition: Condition | None
    """What the answer of ``latest`` must have met, of a rule that asks it."""

    @property
    def first(self) -> tuple[Calls, ...]:
        return self.now + self.later

    def letters(self, has: Has, met: Callable[[Condition | None], bool | None]) -> tuple[int, ...]:
        """Return what a call is to the rule; several letters if the trace did not capture enough to tell. ``met``:
        whether the answer meets a condition."""
        if self.plain is not None:
            return self.plain
        letters = [self.letter & SAID]
        for named, bit in ((self.later, LATER), (self.now, FIRST), (self.then, THEN), (self.until, UNTIL)):
            if named:
                some = [letter & ~LATER | bit if bit == FIRST else letter | bit for letter in letters]
                found = among(has, named)
                letters = [*letters, *some] if found is None else some if found else letters
        if self.condition is not None and letters[-1] & LATER:
            answer = met(self.condition)
            if answer is None:
                letters += [letter | MET for letter in letters if letter & LATER]
            elif answer:
                letters = [letter | MET if letter & LATER else letter for letter in letters]
        return tuple(dict.fromkeys(letters))

    def of(self, event: Event) -> tuple[int, ...]:
        """Return the same of a recorded event."""
        if self.plain is not None:
            return self.plain
        return self.letters(lambda calls: belongs(calls, event), lambda condition: holds(condition, event))

    def value(self, get: Callable[[Path], object]) -> Key | None:
        """Return the values by which the rule sees a call, or None if it lacks one. ``get``: a canonical value
        (``values.key_part``) of the call, None if it lacks it."""
        for paths in (self.paths, self.others):
            found = tuple(map(get, paths))
            if found and None not in found:
                return found
        return None


def among(has: Has, named: Iterable[Calls]) -> bool | None:
    """Return whether a call belongs to any of these sets."""
    found: bool | None = False
    for calls in named:
        one = has(calls)
        if one:
            return True
        found = found if one is False else None
    return found


def key_in(touch: Touch, arguments: Mapping[str, object]) -> Key | None:
    """Return the values by which a rule sees a call with these arguments, or None if they lack one."""
    if touch.key is not None and type(value := arguments.get(touch.key)) is str:
        return (value,)  # nearly always

    def get(path: Path) -> object:
        value = at(arguments, path)
        return None if value is MISSING else key_part(value)

    return touch.value(get)


@dataclass(slots=True)
class Tested:
    """A rule's result on a whole trace: its state, where it broke, and for how many values it was tested."""

    rule: Rule
    state: Literal["kept", "broken", "not_applicable", "unknown"]
    applicable: bool
    broken_at: list[StepNo] = field(default_factory=list)
    value: str | None = None
    values_applicable: int = 0
    values_broken: int = 0
    owed: bool = False
    unnamed: str = ""
    """The name of a tool that nobody knows, if the rule is unknown because of it."""


class Rulebook:
    """Rules that are ready to judge traces. ``known``: all tools that there are, as a ``RuleFile`` has them.

    ``gaps``: the traces lack calls, which may stand anywhere and be anything. A rule is then broken only if it is
    broken with any such calls, and else unknown. ``undecided``: the indexes of rules that go by arguments which the
    trace has nowhere.
    """

    def __init__(
        self,
        rules: Sequence[Rule],
        *,
        succeeded_only: bool = False,
        known: Collection[str] | None = None,
        gaps: bool = False,
        undecided: Collection[int] = (),
    ) -> None:
        self.rules = tuple(rules)
        missing = {} if known is None else unknown_names(rules, known)
        self.unnamed = {
            i: name
            for i, rule in enumerate(self.rules)
            if (name := next((c.name for c in rule.sets if c.name in missing), ""))
        }
        """By the place of a rule, the name of a tool that nobody knows."""
        self.succeeded_only = succeeded_only
        self.gaps = gaps
        self.undecided = frozenset(undecided)
        self.machines = [rule.machine_with_gaps if gaps else rule.machine for rule in self.rules]
        for i in self.undecided:
            self.machines[i] = never_decided()
        self.rows = [machine.rows for machine in self.machines]
        self.names = frozenset(c.name for rule in self.rules for c in rule.sets if not c.is_said)
        self.literal = tuple(sorted(name for name in self.names if "*" not in name))
        self.globs = tuple(sorted(name for name in self.names if "*" in name))
        self.shortcuts = [
            (
                machine.accepting,
                {"then": THEN, "after first": FOLLOWED}.get(KINDS[rule.kind].tested, ANY_FIRST),
                KINDS[rule.kind].tested == "always",
            )
            for rule, machine in zip(self.rules, self.machines, strict=True)
        ]
        """For each rule: accepting states, what puts it to the test, and whether it always is."""
        self.followed = frozenset(i for i, shortcut in enumerate(self.shortcuts) if shortcut[1] == FOLLOWED)
        """Rules that a call after one of ``first`` puts to the test."""
        self.late = [rule.late for rule in self.rules]
        self.seconds = [rule.seconds for rule in self.rules]
        self.every_call = [i for i, rule in enumerate(self.rules) if rule.every_call]
        self._touches: dict[str, tuple[tuple[tuple[int, int], ...], tuple[Touch, ...]]] = {}
        self._by_name: dict[str, list[int]] = {}
        self._by_glob: list[int] = []
        for i, rule in enumerate(self.rules):
            for calls in rule.sets:
                if calls.is_glob:
                    self._by_glob.append(i)
                else:
                    self._by_name.setdefault(calls.name, []).append(i)
        self._renamed: dict[tuple[tuple[str, str], ...], Rulebook] = {}
        self._with_gaps: Rulebook | None = None
        heard = frozenset().union(*(rule.hears for rule in self.rules))
        self.hears = heard | {USER} if any(self.seconds) else heard
        """The sets of messages that matter, also because they show that time passed."""

    def about(self, trace: Trace) -> Rulebook:
        """Return the same rules for this trace, which may lack calls."""
        if self.gaps or not trace.unclear:
            return self
        if self._with_gaps is None:
            self._with_gaps = self._of(self.rules, gaps=True)
        return self._with_gaps

    def part(self, rules: Iterable[int]) -> Rulebook:
        """Return the book of these rules alone, by index."""
        chosen = list(rules)
        part = self._of(
            [self.rules[i] for i in chosen], {k for k, i in enumerate(chosen) if i in self.undecided}
        )
        part.unnamed = {}
        return part

    def leaving_open(self, undecided: Collection[int]) -> Rulebook:
        """Return the same rules, of which these are undecided."""
        return self._of(self.rules, undecided)

    def _of(
        self, rules: Sequence[Rule], undecided: Collection[int] = (), *, gaps: bool | None = None
    ) -> Rulebook:
        gaps = self.gaps if gaps is None else gaps
        book = Rulebook(rules, succeeded_only=self.succeeded_only, gaps=gaps, undecided=undecided)
        book.unnamed = self.unnamed
        return book

    def for_tools(self, tools: Iterable[str]) -> Rulebook:
        """Return the same rules with names as these tools have them: ``Get Order`` names ``get_order`` if only that
        fits."""
        known = frozenset(tools)
        if known.issuperset(self.literal) or not (names := resolved(self.literal, known)):
            return self
        if names not in self._renamed:
            self._renamed[names] = self._of(
                [renamed(rule, dict(names)) for rule in self.rules], self.undecided
            )
        return self._renamed[names]

    def asks(self, tool: str) -> bool:
        """Return whether the arguments of a call of this tool matter."""
        return bool(self.touches(tool)[1]) or any(self.rules[i].per for i in self.followed)

    def touches(self, tool: str) -> tuple[tuple[tuple[int, int], ...], tuple[Touch, ...]]:
        """Return the rules that a call of the tool touches: those whose letter the name decides, and the others.
        USER and ASSISTANT stand for messages."""
        found = self._touches.get(tool)
        if found is None:
            touched = {*self._by_name.get(tool, ()), *self._by_glob, *self.every_call}
            ones = [touch for i in sorted(touched) if (touch := self.touch(i, tool)) is not None]
            decided = tuple((touch.rule, touch.letter) for touch in ones if touch.decided)
            found = self._touches[tool] = (decided, tuple(touch for touch in ones if not touch.decided))
        return found

    def seeing(self, tool: str) -> list[int]:
        """Return the rules that see calls of the tool, by index."""
        decided, others = self.touches(tool)
        return sorted([*(i for i, _ in decided), *(touch.rule for touch in others)])

    def touch(self, i: int, tool: str, *, unseen: bool = False) -> Touch | None:
        """Return the relation of a tool to a rule, or None if the rule does not see its calls, unless that is asked
        for (``unseen``)."""
        rule = self.rules[i]
        first, then, until = (
            tuple(calls for calls in some if names(calls, tool))
            for some in (rule.first, rule.then, rule.until)
        )
        if not (first or then or until or unseen or (rule.every_call and tool not in (USER, ASSISTANT))):
            return None
        later = tuple(filter(rule.later, first))
        now = tuple(calls for calls in first if calls not in later)
        letter = (FIRST if now else LATER if later else 0) | (THEN if then else 0) | (UNTIL if until else 0)
        letter |= SAID if tool in (USER, ASSISTANT) else 0
        condition = rule.condition if rule.kind == "latest" else None
        plain = all(calls.plain for calls in (*first, *then, *until)) and condition is None
        decided = plain and not rule.per and not self.late[i] and not self.seconds[i]
        paths = rule.per_then if rule.per_then and then and not first else rule.per
        key = paths[0][0] if len(paths) == 1 and len(paths[0]) == 1 else None
        return Touch(
            i,
            now,
            later,
            then,
            until,
            letter,
            decided,
            (letter,) if plain else None,
            paths,
            rule.per_then if not letter else (),
            key if isinstance(key, str) else None,
            condition,
        )


def renamed(rule: Rule, names: dict[str, str]) -> Rule:
    """Return the rule with other names of tools."""

    def sets(of: tuple[Calls, ...]) -> tuple[Calls, ...]:
        return tuple(replace(calls, name=names.get(calls.name, calls.name)) for calls in of)

    return replace(rule, first=sets(rule.first), then=sets(rule.then), until=sets(rule.until))


def waits(seen: int) -> bool:
    """Return whether a call of ``first`` was seen, and none after it."""
    return bool(seen & ANY_FIRST) and not seen & FOLLOWED


class Judge:
    """The rules of one trace so far.

    An *instance* is a rule, or a rule for one value. The first ones, by the rules' places, are the rules without
    values; for a rule with values that place holds the state in which a new value begins.
    """

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        count = len(book.rules)
        self.state = [machine.start for machine in book.machines]
        self.owner = list(range(count))
        self.seen = [0] * count
        self.key: list[Key | None] = [None] * count
        self.broken_at: dict[int, StepNo] = {}
        self.index: dict[tuple[int, Key], int] = {}
        self.by_rule: dict[int, list[int]] = {}
        self.last_message: dict[int, int] = {}
        self.changed: list[int] = []
        self.unsure: set[int] = set()
        """Instances of which times were not captured."""
        self.lacking: dict[int, dict[str, bool]] = {}
        """For rules with values: the called tools that they name, and whether a call had the value."""
        self.phantom: set[int] = set()
        """Rules with values of which a call may have a value that was not captured."""
        self.waiting: set[int] = set()
        """Rules that a call of ``first`` was made for, and that the next call puts to the test."""
        self.tools: frozenset[str] = frozenset()
        """The tools that a whole trace calls."""
        self.message = -1
        self.last_step = 0
        self._due: list[tuple[float, int]] = []
        self._deadline: dict[int, float | None] = {}
        self.answers: dict[int, tuple[int, tuple[object, ...], tuple[object, ...]]] = {}
        """Registers: the message of the latest event, the answers that calls of this message are compared with, and
        those that the next ones will be."""

    def machine(self, instance: int) -> Machine:
        return self.book.machines[self.owner[instance]]

    def status(self, instance: int) -> Status:
        return self.machine(instance).status[self.state[instance]]

    def take(self, event: Event, step: int) -> None:
        """Take in a call with its answer, or what was said: a message of the user counts with ``step``, that of the
        call that follows it; others only begin a message (``turn``). ``changed`` collects the instances whose state
        changed, until it is cleared."""
        if isinstance(event, ToolCall):
            self.last_step = step = event.step
            if not counts(self.book, event):
                return
        self.message = event.message
        tool = tool_of(event)
        if tool is None:
            return
        if event.at is not None:
            self._pass_time(event.at, step)
        if self.waiting and isinstance(event, ToolCall):
            self._follow(event)
        decided, others = self.book.touches(tool)
        state, rows, seen, followed = self.state, self.book.rows, self.seen, self.book.followed
        for i, letter in decided:
            before = state[i]
            seen[i] |= letter
            after = rows[i][before][letter]
            if after != before:
                self._go(i, after if after >= 0 else self.book.machines[i].fill(before, letter), step)
                if i in followed:
                    self.waiting.add(i)
        for touch in others:
            self._touch(touch, event, step)

    def _follow(self, call: ToolCall) -> None:
        """Mark the instances that this call puts to the test, whatever its tool: those of its value, if they have
        one."""
        for owner in tuple(self.waiting):
            rule = self.book.rules[owner]
            instances = [owner]
            if not rule.per:
                self.waiting.discard(owner)
            elif call.arguments is None:
                instances += self.by_rule.get(owner, ())
            else:
                touch = self.book.touch(owner, call.tool, unseen=True)
                key = key_in(touch, call.arguments) if touch is not None else None
                instances = [self.index[owner, key]] if key is not None and (owner, key) in self.index else []
            for instance in instances:
                if self.seen[instance] & ANY_FIRST:
                    self.seen[instance] |= FOLLOWED

    def _go(self, instance: int, after: int, step: StepNo) -> None:
        """Move an instance to a state."""
        if after == self.state[instance]:
            return
        self.state[instance] = after
        self.changed.append(instance)
        machine = self.book.machines[self.owner[instance]]
        if machine.status[after] == "broken" and instance not in self.broken_at:
            self.broken_at[instance] = step

    def _step(self, instance: int, letters: tuple[int, ...], event: Event, step: StepNo) -> None:
        """Step one instance by one of these letters. If there are several, the trace does not tell which one it was."""
        owner = self.owner[instance]
        if (against := self.book.rules[owner].against) is not None:
            letters = self._compare(instance, letters, event, against)
        machine, state = self.book.machines[owner], self.state[instance]
        if self.book.late[owner] and self.last_message.get(instance, -1) != self.message:
            state = machine.flush(state)
            self.last_message[instance] = self.message
            self.changed.append(instance)
        if self.book.seconds[owner] and self.status(instance) != "broken":
            self._clock(instance, letters, event.at)
        for letter in letters:
            self.seen[instance] |= letter
        if owner in self.book.followed and waits(self.seen[instance]):
            self.waiting.add(owner)
        self._go(instance, machine.after(state, letters), step)

    def _touch(self, touch: Touch, event: Event, step: StepNo) -> None:
        letters, rule = touch.plain or touch.of(event), touch.rule
        if not touch.paths or isinstance(event, Said):
            self._step(rule, letters, event, step)
            for instance in self.by_rule.get(rule, ()):
                self._step(instance, letters, event, step)
            return
        if event.arguments is None:
            if touch.letter or self.book.rules[rule].every_call:
                self.phantom.add(rule)
                for instance in (rule, *self.by_rule.get(rule, ())):
                    self._perhaps(instance, letters, event, step)
            return
        key = key_in(touch, event.arguments)
        if touch.first or touch.then:
            had = self.lacking.setdefault(rule, {})
            had[event.tool] = had.get(event.tool, False) or key is not None
        if key is None:
            return
        instance = self.index.get((rule, key), -1)
        self._step(instance if instance >= 0 else self._new(rule, key), letters, event, step)

    def _perhaps(self, instance: int, letters: tuple[int, ...], event: Event, step: StepNo) -> None:
        """Step an instance by a call that may or may not have the value of this instance."""
        before = self.state[instance]
        self._step(instance, letters, event, step)
        if instance in self.answers and any(letter & LATER for letter in letters):
            number, known, latest = self.answers[instance]
            self.answers[instance] = number, known, (*latest, UNKNOWN)
        after = self.machine(instance).joined((before, self.state[instance]))
        if self.machine(instance).status[after] != "broken":
            self.broken_at.pop(instance, None)
        self.state[instance] = after
        self.changed.append(instance)
        if self.book.seconds[self.owner[instance]]:
            self.unsure.add(instance)

    def _new(self, rule: int, key: Key) -> int:
        instance = len(self.state)
        self.state.append(self.state[rule])
        self.owner.append(rule)
        self.seen.append(self.seen[rule])
        if rule in self.book.followed and self.seen[rule] & ANY_FIRST:
            self.seen[instance] |= FOLLOWED  # this call comes after one that may have the value
        self.key.append(key)
        self.index[rule, key] = instance
        self.by_rule.setdefault(rule, []).append(instance)
        if rule in self.last_message:
            self.last_message[instance] = self.last_message[rule]
        if rule in self.answers:
            self.answers[instance] = self.answers[rule]
        if rule in self._deadline:
            self._deadline[instance] = self._deadline[rule]
            if (due := self._deadline[rule]) is not None:
                heapq.heappush(self._due, (due, instance))
        if self.status(instance) == "broken":
            self.broken_at[instance] = self.last_step  # it is broken since the value appeared
        return instance

    def _compare(
        self, instance: int, letters: tuple[int, ...], event: Event, against: Against
    ) -> tuple[int, ...]:
        """Return the letters, with whether the call agrees with the answers in the register; note its own answer."""
        message, before, latest = self.answers.get(instance, (-1, (), ()))
        if message != self.message:
            before = latest
        found = compared_letters(letters, event, before, against, unsure=self.book.gaps)
        if any(letter & LATER for letter in letters):
            own = said_by(event) if all(letter & LATER for letter in letters) else UNKNOWN
            latest = (*latest, own) if against.every or own is UNKNOWN else (own,)
            if len(latest) > MOST_ANSWERS:
                latest = (UNKNOWN, *latest[-MOST_ANSWERS // 2 :])
        self.answers[instance] = self.message, before, latest
        return found

    def _clock(self, instance: int, letters: tuple[int, ...], now: float | None) -> None:
        """Keep the deadline of the earliest call that still needs its answer by another call."""
        if len(letters) > 1:
            self.unsure.add(instance)
        letter = letters[-1]
        paid = letter & THEN and instance in self._deadline
        if paid and (self._deadline.pop(instance) is None or now is None):
            self.unsure.add(instance)
        if letter & ANY_FIRST and instance not in self._deadline:
            due = None if now is None else now + self.book.rules[self.owner[instance]].count
            self._deadline[instance] = due
            if due is not None:
                heapq.heappush(self._due, (due, instance))

    def _pass_time(self, now: float, step: StepNo) -> None:
        while self._due and self._due[0][0] < now:
            due, instance = heapq.heappop(self._due)
            if self._deadline.get(instance) == due:
                del self._deadline[instance]
                machine = self.machine(instance)
                self._go(instance, machine.fill(machine.flush(self.state[instance]), TOO_LATE), step)

    def instances(self, rule: int) -> list[int]:
        """Return the instances of a rule: itself, or those of its values so far."""
        return self.by_rule.get(rule, []) if self.book.rules[rule].per else [rule]

    def rule_status(self, rule: int) -> Status:
        """Return the status of a rule, which is the worst of its values."""
        statuses = {self.status(instance) for instance in self.instances(rule)}
        for worst in WORST_FIRST:
            if worst in statuses:
                return worst
        return "kept_so_far" if self.book.rules[rule].per else "kept"

    def is_template(self, instance: int) -> bool:
        return instance < len(self.book.rules) and bool(self.book.rules[instance].per)

    def copy(self) -> Judge:
        """Return another judge in the same state."""
        other = Judge.__new__(Judge)
        for name, value in vars(self).items():
            setattr(other, name, value if name == "book" or not hasattr(value, "copy") else value.copy())
        other.by_rule = {rule: ones.copy() for rule, ones in self.by_rule.items()}
        other.lacking = {rule: had.copy() for rule, had in self.lacking.items()}
        return other

    def fails(self, instance: int) -> bool:
        """Return whether an instance would certainly be broken if the trace ended here."""
        machine, state = self.machine(instance), self.state[instance]
        if machine.status[state] == "broken":
            return True
        return instance not in self.unsure and not any(machine.accepting[m] for m in machine.members[state])

    def lost_at_end(self, only: Iterable[int] | None = None) -> bool:
        """Return whether one of these rules (by index; default: any) would certainly be broken if the trace ended
        here."""
        rules = range(len(self.book.rules)) if only is None else only
        return any(self.fails(k) for rule in rules for k in self.instances(rule))

    def results(self, trace: Trace, *, open_end: bool = False) -> list[Tested]:
        """Return every rule's result. ``open_end``: the trace may continue, so what is owed is unknown and not
        broken."""
        found = [self._result(i, trace, open_end) for i in range(len(self.book.rules))]
        for i, result in enumerate(found):
            if self.book.gaps and result.state != "broken":
                result.state, result.owed = "unknown", False
            elif result.state in _KEPT and i in self.book.unnamed:
                result.state, result.unnamed = "unknown", self.book.unnamed[i]
            elif result.state in _KEPT and trace.full and self.rule_status(i) != "kept":
                result.state = "unknown"
        return found

    def undecided(self, trace: Trace) -> frozenset[int]:
        """Return the rules that go by arguments which the trace has nowhere."""
        return frozenset(i for i in self.lacking if any(self.lacks(i, trace)))

    def lacks(self, i: int, trace: Trace) -> Iterator[tuple[str, tuple[Path, ...]]]:
        """Yield the tools of each side of a rule that has none of the arguments that it is judged by, with these: their
        schemas do not have them, nor does any call of theirs. Nothing if no tool of the rule was called."""
        rule, had = self.book.rules[i], self.lacking.get(i)
        for calls, names in sides(rule) if had else ():
            tools = [tool for tool in {**trace.tools, **(had or {})} if any(c.names(tool) for c in calls)]
            has = {tool: _has(trace, tool, names, (had or {}).get(tool)) for tool in tools}
            if any(one is False for one in has.values()) and not any(has.values()):
                yield from ((tool, names) for tool, one in has.items() if one is False)

    def _result(self, i: int, trace: Trace, open_end: bool) -> Tested:
        """Return a rule's result, value by value."""
        accepting, mask, always = self.book.shortcuts[i]
        found = Tested(self.book.rules[i], "kept", False)
        unknown = i in self.phantom and not accepting[self.state[i]]
        for k in self.instances(i):
            final = self.status(k) == "broken"
            tested = always or bool(self.seen[k] & mask)
            if self.fails(k) and (final or not open_end):
                tested = True
                found.broken_at.append(self.broken_at.get(k, "end") if final else "end")
                found.values_broken += 1
                if found.value is None and (key := self.key[k]) is not None:
                    found.value = key_text(key)
            elif self.fails(k):
                found.owed = unknown = True
            elif k in self.unsure or not accepting[self.state[k]]:
                unknown = True
            found.values_applicable += tested
        found.applicable = found.values_applicable > 0
        steps = {at for at in found.broken_at if at != "end" and at <= self.last_step}
        ends: list[StepNo] = ["end"] if len(steps) < len(set(found.broken_at)) else []
        found.broken_at = [*sorted(steps), *ends]
        if self.lacking.get(i) and next(self.lacks(i, trace), None) is not None:
            found.state = "unknown"
        elif found.values_broken:
            found.state = "broken"
        elif unknown:
            found.state = "unknown"
        elif not found.applicable:
            found.state = "not_applicable"
        return found


def _has(trace: Trace, tool: str, names: Sequence[Path], had: bool | None) -> bool | None:
    """Return whether a tool has these arguments: whether a call had them (None: it was not called), or its schema has
    them; None if nobody knows."""
    known = trace.tools.get(tool)
    properties = (known.parameters or {}).get("properties") if known is not None else None
    if not had and isinstance(properties, dict):
        return all(path[0] in properties for path in names)
    return had


def said_by(event: Event) -> object:
    """Return a call's answer, or a message's text: what later calls are compared with."""
    return answer_of(event) if isinstance(event, ToolCall) else event.text


def compared_letters(
    letters: tuple[int, ...],
    event: Event,
    before: Sequence[object],
    against: Against,
    *,
    unsure: bool = False,
) -> tuple[int, ...]:
    """Return letters of a rule that compares, with whether the call agrees with the answers before it, and whether some
    call can agree with its own. ``unsure``: nobody knows the first."""
    own = said_by(event)
    met = None if unsure or isinstance(event, Said) else agreement(event.arguments, before, against)
    usable = None if own is UNKNOWN else bool(wanted(own, against))
    found = list(letters)
    for mark, bit, true in ((THEN, MET, met), (LATER, FIRST, usable)):
        more = [letter | bit for letter in found if letter & mark and true is not False]
        found = [letter for letter in found if true is not True or not letter & mark] + more
    return tuple(dict.fromkeys(found))


def tool_of(event: Item) -> str | None:
    """Return a call's tool, or the set that a message belongs to; None for what no rule hears. A message of the model
    without text only says that one begins (``turn``)."""
    if isinstance(event, ToolCall):
        return event.tool
    if not isinstance(event, Said):
        return None
    return USER if event.by == "user" else ASSISTANT if event.by == "model" and event.text.strip() else None


def counts(book: Rulebook, event: Event) -> bool:
    """Return whether an event is a call that counts."""
    return isinstance(event, ToolCall) and not (event.refused or (book.succeeded_only and event.failed))


def seen_by(book: Rulebook, event: Event) -> Iterator[tuple[tuple[int, Key | None], tuple[int, ...]]]:
    """Yield the rules, and the values for which they judge, that see an event, and what it is to them.

    A message of the user is seen for every value. A call whose arguments were not captured is seen by no rule with
    values.
    """
    if isinstance(event, ToolCall) and not counts(book, event):
        return
    tool = tool_of(event)
    if tool is None:
        return
    decided, others = book.touches(tool)
    yield from (((i, None), (bits,)) for i, bits in decided)
    for touch in others:
        if not book.rules[touch.rule].per or isinstance(event, Said):
            yield (touch.rule, None), touch.of(event)
        elif event.arguments is not None and (key := key_in(touch, event.arguments)) is not None:
            yield (touch.rule, key), touch.of(event)


def events(items: Iterable[Item], heard: Collection[str] = (USER,)) -> Iterator[tuple[Event, int]]:
    """Yield calls, and messages that are heard, with the step that they count with: a message counts with the next
    call."""
    step = 0
    for item in items:
        if isinstance(item, ToolCall):
            step = item.step
            yield item, step
        elif heard and isinstance(item, Said) and tool_of(item) in heard:
            yield item, step + 1


def turn(last: Event, after: Event | None) -> list[Event]:
    """Return the beginning of a new message behind the last event of one, else nothing. ``after``: the next event.

    If there is none, only the message of a call that was not answered may go on: the model reads the answers of a
    message together.
    """
    if after is None and isinstance(last, ToolCall) and not last.answered:
        return []
    over = after is None or after.message != last.message
    return [Said("model", "", last.message + 1)] if over else []


def known_tools(book: Rulebook, trace: Trace) -> list[str]:
    """Return the tools that the trace defines or calls, or that a rule names, in this order. If the trace defines none,
    an unseen tool for each glob follows."""
    names = dict.fromkeys(trace.tools)
    names.update(dict.fromkeys(item.tool for item in trace.items if isinstance(item, ToolCall)))
    names.update(dict.fromkeys(book.literal))
    if not trace.tools:
        names.update(dict.fromkeys(unseen_names(book.globs)))
    return list(names)


def judge_trace(book: Rulebook, trace: Trace) -> Judge:
    """Judge a whole trace."""
    tools = frozenset([item.tool for item in trace.items if isinstance(item, ToolCall)])
    judge = Judge(book.about(trace).for_tools(tools.union(trace.tools) if trace.tools else tools))
    judge.tools = tools
    for event, step in events(trace.items, judge.book.hears):
        judge.take(event, step)
    return judge


_KEPT = {"kept", "not_applicable"}


def verdict_of(results: Iterable[Tested], trace: Trace, *, running: bool) -> RulesVerdict:
    """Return the verdict: wrong if a rule is broken; aborted if the trace broke off and something is owed; unknown;
    or right."""
    results = list(results)
    states = {r.state for r in results}
    if states <= _KEPT:
        return "right"
    if "broken" in states:
        return "wrong"
    if trace.ending == "aborted" and not running and any(r.owed for r in results):
        return "aborted"
    return "unknown" if "unknown" in states else "right"
