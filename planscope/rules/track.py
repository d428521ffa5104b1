"""The rules along a run, call by call: the status of each, and whether all of them can still be kept.

A track holds calls after which all rules are kept. A call that is made changes only a few rules, so that only those
must be tried again, and only calls for what is newly owed must be found. So a call costs what it changes. Once a run is
lost, it stays lost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from copy import copy

from planscope.oracle.trace import ToolCall
from planscope.oracle.verdict_types import State
from planscope.rules.core import feed
from planscope.rules.future import Course, Future, States, now
from planscope.rules.judge import WORST_FIRST, Event, Judge, Rulebook, turn
from planscope.rules.machine import Status
from planscope.rules.values import Key

BETWEEN = 64
"""The number of steps between two saved states of the rules. A step in between is judged again from the last one."""


class Track:
    """The rules along one run. It grows call by call; a copy goes on by itself.

    Every ``index`` counts calls: 0 is before the first one. ``tools``: those that a continuation may call.
    """

    def __init__(self, book: Rulebook, tools: Sequence[str]) -> None:
        self.book = book
        self.tools = tuple(tools)
        self.future = Future(book, self.tools)
        self.judge = Judge(book)
        self.events: list[tuple[Event, int]] = []
        self.heard: list[tuple[Event, int]] = []
        """What the user said since the last call."""
        self.upto = [0]
        """By index, how many events there are up to it."""
        self.turns: list[list[tuple[Event, int]]] = [[]]
        """By index, the beginning of a new message if one follows there (``judge.turn``)."""
        self.states: list[State] = []
        self.lost: int | None = None
        """The first index at which the rules are lost."""
        self.changes: list[tuple[int, ...]] = []
        """By index, the rules whose status changed."""
        self.broke: list[tuple[int, ...]] = []
        """By index, the rules that were broken there, for any value."""
        self.history: list[list[tuple[int, Status]]] = [[] for _ in book.rules]
        """By rule the indexes at which its status changed."""
        self.trail: dict[int, list[tuple[int, int, Status]]] = {}
        """By rule per value: index, instance, and the instance's status from there on."""
        self._saved: dict[int, Judge] = {}
        self.counts: list[dict[Status, int]] = [{} for _ in book.rules]
        self._status: dict[int, Status] = {}
        self._pending: set[int] = set()
        """Instances that change once a new message begins."""
        states = States(book, range(len(book.rules)), {}, [0] * len(book.rules))
        self.course = Course(states, self.future.alphabet)
        self._note()

    def copy(self) -> Track:
        """Return an independent track at the same place. The searches' memory is shared."""
        other = copy(self)
        for name in (
            "events",
            "heard",
            "upto",
            "turns",
            "states",
            "changes",
            "broke",
            "_saved",
            "_status",
            "_pending",
            "course",
            "judge",
        ):
            setattr(other, name, getattr(self, name).copy())
        other.history = [rows.copy() for rows in self.history]
        other.trail = {rule: rows.copy() for rule, rows in self.trail.items()}
        other.counts = [counts.copy() for counts in self.counts]
        return other

    def add(self, item: Event, after: Event | None) -> bool:
        """Take in a call, or what the user said. ``after``: the event that follows. Return whether it is a call."""
        step = len(self.upto)
        if not isinstance(item, ToolCall):
            self.heard.append((item, step))
            return False
        happened = [*self.heard, (item, step)]
        self.heard = []
        self.events += happened
        self.turns.append([(begun, step) for begun in turn(item, after)])
        feed(self.judge, [*happened, *self.turns[-1]])
        self.upto.append(len(self.events))
        self._note()
        if step % BETWEEN == 0:
            self._saved[step] = self.judge.copy()
        return True

    def reopen(self) -> None:
        """The message of the last call goes on after all, so that more may be possible after that call."""
        judge, index = self.judge, len(self.states) - 1
        self.turns[-1] = []
        judge.message = self.events[-1][0].message
        self._pending = {k for k, message in judge.last_message.items() if message == judge.message}
        for k in self._pending:
            self._follow(k)
        if self.lost in (None, index):
            self.lost = None
            self.states[index] = self._state()
            if self.states[index] in ("broken", "doomed"):
                self.lost = index

    def happened(self, index: int) -> list[tuple[Event, int]]:
        """Return the events up to an index, and the beginning of a new message if one follows."""
        return [*self.events[: self.upto[index]], *self.turns[index]]

    def _note(self) -> None:
        """Note what the last events changed."""
        judge, index = self.judge, len(self.states)
        touched = {*judge.changed, *range(len(self._status), len(judge.state))} | self._pending
        judge.changed.clear()
        self._pending = {
            k
            for k in touched
            if self.book.late[judge.owner[k]] and judge.last_message.get(k) == judge.message
        }
        broke: set[int] = set()
        for k in touched:
            self._follow(k)
            if self._count(k, index) == "broken":
                broke.add(judge.owner[k])
        rules = sorted({judge.owner[k] for k in touched}) if index else range(len(self.book.rules))
        changed = []
        for rule in rules:
            rows, status = self.history[rule], self._worst(rule)
            if not rows or rows[-1][1] != status:
                rows.append((index, status))
                changed.append(rule)
        self.changes.append(tuple(changed) if index else ())
        self.broke.append(tuple(sorted(broke)))
        state = self._state()
        if self.lost is None and state in ("broken", "doomed"):
            self.lost = index
        self.states.append(state)

    def _follow(self, k: int) -> None:
        """Move an instance, and find where the planned calls lead it now."""
        judge = self.judge
        i, state = judge.owner[k], now(judge, k)
        if k < len(self.book.rules):
            self.course.begin(i, state)
        if not judge.is_template(k):
            self.course.put((i, judge.key[k]), state)

    def _count(self, k: int, index: int) -> Status | None:
        """Count an instance's new status; return it, or None if it has not changed."""
        judge = self.judge
        before, after = self._status.get(k), judge.status(k)
        self._status[k] = after
        if judge.is_template(k) or before == after:
            return None
        rule = judge.owner[k]
        counts = self.counts[rule]
        if before is not None:
            counts[before] -= 1
        counts[after] = counts.get(after, 0) + 1
        if self.book.rules[rule].per:
            self.trail.setdefault(rule, []).append((index, k, after))
        return after

    def _worst(self, rule: int) -> Status:
        if rule in self.book.undecided:
            return "unknown"
        counts = self.counts[rule]
        found = next((status for status in WORST_FIRST if counts.get(status)), None)
        return found or ("kept_so_far" if self.book.rules[rule].per else "kept")

    def _state(self) -> State:
        """Return whether all rules can be kept: unknown if the trace or the search does not tell."""
        if any(rows[-1][1] == "broken" for rows in self.history):
            return "broken"
        if self.lost is not None:
            return "doomed"
        if self.book.gaps:
            return "unknown"
        found = self.future.along(self.course)
        if found.possible:
            return "unknown" if self.course.plan.unsure or self.book.undecided else "completable"
        return "unknown" if found.possible is None else "doomed"

    def judge_at(self, index: int) -> Judge:
        """Return the rules after the call at an index."""
        if index == len(self.states) - 1:
            return self.judge
        begin = index - index % BETWEEN
        judge = self._saved[begin].copy() if begin else Judge(self.book)
        feed(judge, self.happened(index)[self.upto[begin] :])
        return judge

    def status(self, rule: int, index: int) -> Status:
        rows = self.history[rule]
        return rows[bisect_right(rows, index, key=lambda row: row[0]) - 1][1]

    def keys(self, rule: int, index: int, status: str) -> list[Key]:
        """Return the values of a rule that have this status, the last one to get it first."""
        found: dict[int, Status] = {}
        for at, instance, new in self.trail.get(rule, ()):
            if at > index:
                break
            found.pop(instance, None)
            found[instance] = new
        keys = [self.judge.key[k] for k, one in found.items() if one == status]
        return [key for key in reversed(keys) if key is not None]
