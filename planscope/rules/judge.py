"""Judges rules call by call. A call costs only the rules that its tool touches, however long the trace is.

A ``Rulebook`` is compiled once for many traces; a ``Judge`` holds the state of one trace.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from planscope.language.calls import Calls, Path
from planscope.oracle.trace import Item, Said, ToolCall, Trace
from planscope.rules.kinds import KINDS
from planscope.rules.machine import (
    ANY_FIRST,
    FIRST,
    FOLLOWED,
    FRESH,
    LATER,
    MET,
    THEN,
    TOO_LATE,
    UNTIL,
    USER,
    Machine,
    Status,
    never_decided,
)
from planscope.rules.rule import Rule, resolve, sides, unknown_names, unseen_names
from planscope.rules.values import (
    Key,
    among,
    holds,
    key_of,
    key_text,
    said_among,
)

MOST_KNOWN = 20_000
"""Limit of sets of tools that are remembered."""

StepNo = int | Literal["end"]
Event = ToolCall | Said
RulesVerdict = Literal["right", "wrong", "unknown", "aborted"]


WORST_FIRST: tuple[Status, ...] = ("broken", "unknown", "owed", "kept_so_far")
"""A rule's status is the worst of those for its values."""


@dataclass(frozen=True, slots=True)
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
    key: str | None
    """The one argument that the rule is judged by, if it is one."""

    @property
    def first(self) -> tuple[Calls, ...]:
        return self.now + self.later


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
        self.names = frozenset(calls.name for rule in self.rules for calls in rule.sets if calls.name)
        self.literal = tuple(sorted(name for name in self.names if "*" not in name))
        self.globs = tuple(sorted(name for name in self.names if "*" in name))
        self.users = [i for i, rule in enumerate(self.rules) if rule.hears_users]
        self.kept = [
            (Tested(rule, "not_applicable", False), Tested(rule, "kept", True, values_applicable=1))
            for rule in self.rules
        ]
        """The results that most traces have, shared by all: not put to the test, and kept."""
        self.shortcuts = [
            (
                machine.accepting,
                {"then": THEN, "after first": FOLLOWED}.get(KINDS[rule.kind].tested, ANY_FIRST),
                KINDS[rule.kind].tested == "always",
                bool(rule.per),
            )
            for rule, machine in zip(self.rules, self.machines, strict=True)
        ]
        """For each rule: accepting states, what puts it to the test, whether it always is, whether it has values."""
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
                elif calls.name:
                    self._by_name.setdefault(calls.name, []).append(i)
        self._others: dict[tuple[tuple[str, str], ...], Rulebook] = {}
        self._with_gaps: Rulebook | None = None
        self._for: dict[frozenset[str], Rulebook] = {}

    def about(self, trace: Trace) -> Rulebook:
        """Return the same rules for this trace, which may lack calls."""
        if self.gaps or not trace.unclear:
            return self
        if self._with_gaps is None:
            self._with_gaps = Rulebook(self.rules, succeeded_only=self.succeeded_only, gaps=True)
            self._with_gaps.unnamed = self.unnamed
        return self._with_gaps

    def part(self, rules: Iterable[int]) -> Rulebook:
        """Return the book of these rules alone, by index."""
        chosen = list(rules)
        undecided = [k for k, i in enumerate(chosen) if i in self.undecided]
        return self._of([self.rules[i] for i in chosen], undecided)

    def leaving_open(self, undecided: Collection[int]) -> Rulebook:
        """Return the same rules, of which these are undecided."""
        found = self._of(self.rules, undecided)
        found.unnamed = self.unnamed
        return found

    def _of(self, rules: Sequence[Rule], undecided: Collection[int]) -> Rulebook:
        return Rulebook(rules, succeeded_only=self.succeeded_only, gaps=self.gaps, undecided=undecided)

    def for_tools(self, tools: Iterable[str]) -> Rulebook:
        """Return the same rules with names as these tools have them: ``Get Order`` names ``get_order`` if only that
        fits."""
        known = frozenset(tools)
        if known.issuperset(self.literal):
            return self
        made = self._for.get(known)
        if made is None:
            if len(self._for) >= MOST_KNOWN:
                self._for.clear()
            made = self._for[known] = self._renamed(resolve(self.literal, known))
        return made

    def _renamed(self, found: Mapping[str, str]) -> Rulebook:
        if not found:
            return self
        key = tuple(sorted(found.items()))
        if key not in self._others:
            rules = [renamed(rule, dict(found)) for rule in self.rules]
            self._others[key] = self._of(rules, self.undecided)
            self._others[key].unnamed = self.unnamed
        return self._others[key]

    def asks(self, tool: str) -> bool:
        """Return whether the arguments of a call of this tool matter."""
        return bool(self.touches(tool)[1]) or any(self.rules[i].per for i in self.followed)

    def touches(self, tool: str) -> tuple[tuple[tuple[int, int], ...], tuple[Touch, ...]]:
        """Return the rules that a call of the tool touches: those whose letter the name decides, and the others."""
        found = self._touches.get(tool)
        if found is None:
            decided, others = [], []
            touched = {*self._by_name.get(tool, ()), *self._by_glob, *self.every_call}
            for i in sorted(touched):
                touch = self.touch(i, tool)
                if touch is None:
                    continue
                if touch.decided:
                    decided.append((i, touch.letter))
                else:
                    others.append(touch)
            found = self._touches[tool] = (tuple(decided), tuple(others))
        return found

    def touch(self, i: int, tool: str) -> Touch | None:
        """Return the relation of a tool to a rule, or None if the rule does not see its calls."""
        rule = self.rules[i]
        first = tuple(calls for calls in rule.first if calls.names(tool))
        then = tuple(calls for calls in rule.then if calls.names(tool))
        until = tuple(calls for calls in rule.until if calls.names(tool))
        if not (first or then or until or rule.every_call):
            return None
        later = tuple(filter(rule.later, first))
        now = tuple(calls for calls in first if calls not in later)
        letter = (FIRST if now else LATER if later else 0) | (THEN if then else 0)
        letter |= UNTIL if until else 0
        plain = all(calls.plain for calls in (*first, *then, *until))
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
            (letter,) if plain and rule.kind != "latest" else None,
            key if isinstance(key, str) else None,
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
        self.rows = book.rows.copy()
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
        self.now: float | None = None
        self._due: list[tuple[float, int]] = []
        self._deadline: dict[int, float | None] = {}

    def machine(self, instance: int) -> Machine:
        return self.book.machines[self.owner[instance]]

    def status(self, instance: int) -> Status:
        return self.machine(instance).status[self.state[instance]]

    def take(self, event: Event, step: int) -> None:
        """Take in one event; see ``call`` and ``said``."""
        if isinstance(event, ToolCall):
            self.call(event)
        else:
            self.said(event, step)

    def said(self, said: Said, step: int) -> None:
        """Take in a user message, which counts with ``step``, the call that follows it; or that a message of the model
        begins (``turn``)."""
        self.message = said.message
        if said.by != "user":
            return
        self._pass_time(said.at, step)
        for i in self.book.users:
            rule = self.book.rules[i]
            letter = said_letter(rule, said)
            for instance in (i, *self.by_rule.get(i, ())):
                self._step(instance, (letter,), said.message, said.at, step)

    def call(self, call: ToolCall) -> None:
        """Take in one call with its answer. ``changed`` collects the instances whose state changed, until it is
        cleared."""
        self.last_step = call.step
        if call.refused or (self.book.succeeded_only and call.failed):
            return
        self.message = call.message
        if call.at is not None:
            self._pass_time(call.at, call.step)
        if self.waiting:
            self._follow(call)
        decided, others = self.book.touches(call.tool)
        state, rows, seen, machines = self.state, self.rows, self.seen, self.book.machines
        followed = self.book.followed
        for i, letter in decided:
            before = state[i]
            after = rows[i][before][letter]
            seen[i] |= letter
            if after != before:
                if after < 0:
                    self._moved(i, before, letter, call.step)
                    continue
                state[i] = after
                self.changed.append(i)
                if i in followed:
                    self.waiting.add(i)
                if machines[i].status[after] == "broken" and i not in self.broken_at:
                    self.broken_at[i] = call.step
        for touch in others:
            self._touch(touch, call)

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
                key = seen_key(rule, self.book.touch(owner, call.tool), call)
                instances = [self.index[owner, key]] if key is not None and (owner, key) in self.index else []
            for instance in instances:
                if self.seen[instance] & ANY_FIRST:
                    self.seen[instance] |= FOLLOWED

    def _moved(self, instance: int, before: int, letter: int, step: StepNo) -> None:
        machine = self.book.machines[self.owner[instance]]
        after = machine.rows[before][letter]
        if after < 0:
            after = machine.fill(before, letter)
        if after == before:
            return
        self.state[instance] = after
        self.changed.append(instance)
        if machine.status[after] == "broken" and instance not in self.broken_at:
            self.broken_at[instance] = step

    def _step(
        self, instance: int, letters: tuple[int, ...], message: int, now: float | None, step: StepNo
    ) -> None:
        """Step one instance by one of these letters. If there are several, the trace does not tell which one it was."""
        owner = self.owner[instance]
        fresh = 0
        if self.book.late[owner] and self.last_message.get(instance, -1) != message:
            fresh = FRESH
            self.last_message[instance] = message
            self.changed.append(instance)
        if self.book.seconds[owner] and self.status(instance) != "broken":
            self._clock(instance, letters, now, step)
        before = self.state[instance]
        for letter in letters:
            self.seen[instance] |= letter
        if owner in self.book.followed and waits(self.seen[instance]):
            self.waiting.add(owner)
        if len(letters) == 1:
            self._moved(instance, before, letters[0] | fresh, step)
            return
        machine = self.machine(instance)
        after = machine.joined(machine.fill(before, letter | fresh) for letter in letters)
        if after != before:
            self.state[instance] = after
            self.changed.append(instance)
            if machine.status[after] == "broken" and instance not in self.broken_at:
                self.broken_at[instance] = step

    def _touch(self, touch: Touch, call: ToolCall) -> None:
        rule = self.book.rules[touch.rule]
        letters = touch.plain or letters_of(rule, touch, call)
        if not rule.per:
            self._step(touch.rule, letters, call.message, call.at, call.step)
            return
        if call.arguments is None:
            if touch.letter or rule.every_call:
                self.phantom.add(touch.rule)
                for instance in (touch.rule, *self.by_rule.get(touch.rule, ())):
                    self._perhaps(instance, letters, call)
            return
        value = call.arguments.get(touch.key) if touch.key is not None else None
        key = (value,) if type(value) is str else seen_key(rule, touch, call)  # nearly always a string
        if touch.first or touch.then:
            had = self.lacking.setdefault(touch.rule, {})
            had[call.tool] = had.get(call.tool, False) or key is not None
        if key is None:
            return
        instance = self.index.get((touch.rule, key), -1)
        if instance < 0:
            instance = self._new(touch.rule, key)
        self._step(instance, letters, call.message, call.at, call.step)

    def _perhaps(self, instance: int, letters: tuple[int, ...], call: ToolCall) -> None:
        """Step an instance by a call that may or may not have the value of this instance."""
        before = self.state[instance]
        self._step(instance, letters, call.message, call.at, call.step)
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
        self.rows.append(self.book.rows[rule])
        self.owner.append(rule)
        self.seen.append(self.seen[rule])
        if rule in self.book.followed and self.seen[rule] & ANY_FIRST:
            self.seen[instance] |= FOLLOWED  # this call comes after one that may have the value
        self.key.append(key)
        self.index[rule, key] = instance
        self.by_rule.setdefault(rule, []).append(instance)
        if rule in self.last_message:
            self.last_message[instance] = self.last_message[rule]
        if rule in self._deadline:
            self._deadline[instance] = self._deadline[rule]
            if (due := self._deadline[rule]) is not None:
                heapq.heappush(self._due, (due, instance))
        if self.status(instance) == "broken":
            self.broken_at[instance] = self.last_step  # it is broken since the value appeared
        return instance

    def _clock(self, instance: int, letters: tuple[int, ...], now: float | None, step: StepNo) -> None:
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

    def _pass_time(self, now: float | None, step: StepNo) -> None:
        if now is None:
            return
        self.now = now
        while self._due and self._due[0][0] < now:
            due, instance = heapq.heappop(self._due)
            if self._deadline.get(instance) == due:
                del self._deadline[instance]
                self._moved(instance, self.state[instance], TOO_LATE | FRESH, step)

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

    def broken(self) -> bool:
        """Return whether a rule is broken."""
        return bool(self.broken_at) and any(
            self.status(k) == "broken" for k in self.broken_at if not self.is_template(k)
        )

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

    def lost_at_end(self, only: Iterable[int] | None = None) -> bool:
        """Return whether one of these rules (by index; default: any) would certainly be broken if the trace ended
        here."""
        for rule in range(len(self.book.rules)) if only is None else only:
            machine = self.book.machines[rule]
            for k in self.instances(rule):
                state = self.state[k]
                sure = k not in self.unsure or machine.status[state] == "broken"
                if sure and not any(machine.accepting[m] for m in machine.members[state]):
                    return True
        return False

    def results(self, trace: Trace, *, open_end: bool = False) -> list[Tested]:
        """Return every rule's result. ``open_end``: the trace may continue, so what is owed is unknown and not
        broken."""
        if self.book.gaps:
            return [self._with_gaps(i, trace, open_end) for i in range(len(self.book.rules))]
        found = []
        state, seen, kept, unsure = self.state, self.seen, self.book.kept, self.unsure
        for i, (accepting, mask, always, per) in enumerate(self.book.shortcuts):
            instances = self.by_rule.get(i, ()) if per else (i,)
            tested = 0
            for k in instances:
                if not accepting[state[k]] or k in unsure:
                    break
                tested += always or bool(seen[k] & mask)
            else:
                had = self.lacking.get(i) if per else None
                plain = had is None or (not trace.tools and all(had.values()))
                if tested < 2 and i not in self.phantom and plain:
                    found.append(kept[i][tested])
                    continue
            found.append(self._result(i, trace, open_end))
        for i in range(len(found)) if trace.full else ():
            if found[i].state in _KEPT and (self.book.rules[i].per or self.rule_status(i) != "kept"):
                found[i] = replace(found[i], state="unknown")
        for i, name in self.book.unnamed.items():
            if found[i].state in ("kept", "not_applicable"):
                found[i] = replace(found[i], state="unknown", unnamed=name)
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

    def _with_gaps(self, i: int, trace: Trace, open_end: bool) -> Tested:
        """Return a rule's result on a trace that lacks calls."""
        found = self._result(i, trace, open_end)
        return found if found.state == "broken" else replace(found, state="unknown", owed=False)

    def _result(self, i: int, trace: Trace, open_end: bool) -> Tested:
        rule = self.book.rules[i]
        machine = self.book.machines[i]
        accepting, mask, always, per = self.book.shortcuts[i]
        if (
            not per and i not in self.unsure and len(machine.members[self.state[i]]) == 1
        ):  # the way of nearly all
            if accepting[self.state[i]]:
                return self.book.kept[i][always or bool(self.seen[i] & mask)]
            final = machine.status[self.state[i]] == "broken"
            if final or not open_end:
                at: StepNo = self.broken_at.get(i, "end") if final else "end"
                if at == "end" or at <= self.last_step:
                    return Tested(rule, "broken", True, [at], None, 1, 1)
        found = Tested(rule, "kept", False)
        unknown = False
        for instance in self.instances(i):
            state = self.state[instance]
            kept = [machine.accepting[member] for member in machine.members[state]]
            tested = always or bool(self.seen[instance] & mask)
            if not any(kept) and not (instance in self.unsure and machine.status[state] != "broken"):
                final = machine.status[state] == "broken"
                if final or not open_end:
                    found.broken_at.append(self.broken_at.get(instance, "end") if final else "end")
                    found.values_broken += 1
                    if found.value is None and (key := self.key[instance]) is not None:
                        found.value = key_text(key)
                    tested = True
                else:
                    found.owed = True
                    unknown = True
            elif not all(kept) or instance in self.unsure:
                unknown = True
            if tested:
                found.values_applicable += 1
        if i in self.phantom and not machine.accepting[self.state[i]]:
            unknown = True
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


def seen_key(rule: Rule, touch: Touch | None, call: ToolCall) -> Key | None:
    """Return the values by which a rule sees a call with captured arguments, or None. ``touch``: None if the rule
    names its tool nowhere."""
    key = key_of(rule, call, touch is not None and bool(touch.then) and not touch.first)
    if key is None and rule.per_then and not (touch and touch.letter):
        key = key_of(rule, call, True)
    return key


def said_letter(rule: Rule, said: Said) -> int:
    """Return what a message of the user is to a rule that hears it."""
    bits = ((rule.first, FIRST), (rule.then, THEN), (rule.until, UNTIL))
    return USER | sum(bit for some, bit in bits if said_among(some, said))


def counts(book: Rulebook, event: Event) -> bool:
    """Return whether an event is a call that counts."""
    return isinstance(event, ToolCall) and not (event.refused or (book.succeeded_only and event.failed))


def seen_by(book: Rulebook, event: Event) -> Iterator[tuple[tuple[int, Key | None], tuple[int, ...]]]:
    """Yield the rules, and the values for which they judge, that see an event, and what it is to them (``letters_of``).

    A message of the user is seen for every value. A call whose arguments were not captured is seen by no rule with
    values.
    """
    if not isinstance(event, ToolCall):
        yield from (
            ((i, None), (said_letter(book.rules[i], event),)) for i in book.users if event.by == "user"
        )
    elif counts(book, event):
        decided, others = book.touches(event.tool)
        yield from (((i, None), (bits,)) for i, bits in decided)
        for touch in others:
            rule, key = book.rules[touch.rule], None
            if rule.per:
                key = seen_key(rule, touch, event) if event.arguments is not None else None
            if key is not None or not rule.per:
                yield (touch.rule, key), letters_of(rule, touch, event)


def letters_of(rule: Rule, touch: Touch, call: ToolCall) -> tuple[int, ...]:
    """Return what a call is to a rule; several letters if the trace did not capture enough to tell."""
    letters = [0]
    for named, bit in (
        (touch.later, LATER),
        (touch.now, FIRST),
        (touch.then, THEN),
        (touch.until, UNTIL),
    ):
        if named:
            found = among(named, call)
            some = [letter & ~LATER | bit if bit == FIRST else letter | bit for letter in letters]
            letters = [*letters, *some] if found is None else some if found else letters
    if rule.kind == "latest" and letters[-1] & LATER:
        met = holds(rule.condition, call)
        if met is None:
            letters += [letter | MET for letter in letters if letter & LATER]
        elif met:
            letters = [letter | MET if letter & LATER else letter for letter in letters]
    return tuple(dict.fromkeys(letters))


def events(items: Iterable[Item]) -> Iterator[tuple[Event, int]]:
    """Yield calls and user messages with the step that they count with: a user message counts with the next call."""
    step = 0
    for item in items:
        if isinstance(item, ToolCall):
            step = item.step
            yield item, step
        elif isinstance(item, Said) and item.by == "user":
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
    hears = bool(judge.book.users) or any(judge.book.seconds)
    step = 0
    for item in trace.items:
        if isinstance(item, ToolCall):
            step = item.step
            judge.call(item)
        elif hears and isinstance(item, Said) and item.by == "user":
            judge.said(item, step + 1)
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
