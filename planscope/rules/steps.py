"""Judges every step of a trace: the state of each rule, whether all can still be kept, and which tools are safe
next."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from planscope.rules.future import Future, Plan, States, now
from planscope.rules.judge import WORST_FIRST, Judge, Rulebook, StepNo, known_tools
from planscope.rules.letters import Letter, Place
from planscope.rules.machine import Status
from planscope.traces.shape import Said, ToolCall, Trace

State = Literal["completable", "doomed", "broken", "unknown"]


@dataclass(frozen=True, slots=True)
class RulesStep:
    """The state after a call (step 0: before the first one; "end": after the last)."""

    step: StepNo
    call: ToolCall | None
    state: State
    statuses: dict[str, Status]
    safe_next: tuple[str, ...] = ()


class Follower:
    """Follows one judge and keeps the state of its trace up to date. A call costs what it changes.

    It holds calls after which all rules are kept. A call that is made changes only a few rules, so that only those
    must be tried again, and only calls for what is newly owed must be found. Once a trace is lost, it stays lost.
    """

    def __init__(self, book: Rulebook, tools: Sequence[str], judge: Judge | None = None) -> None:
        self.book = book
        self.tools = tools
        self.judge = judge if judge is not None else Judge(book)
        self.future = Future(book, tools)
        self._states = States(book, range(len(book.rules)), {}, [0] * len(book.rules))
        self._counts: list[dict[Status, int]] = [{} for _ in book.rules]
        self._status: dict[int, Status] = {}
        self._upto = 0
        """Instances of the judge that are known here."""
        self._pending: set[int] = set()
        """Instances that change once a new message begins."""
        self._lost = False
        self._start_plan()
        self.update()

    def _start_plan(self) -> None:
        self._plan = Plan((), self.future.alphabet)
        self._at = self._states.after(self._plan)
        self._left = {place: None for place in self._at.known if not self._at.accepts(place)}
        self._planned = 0

    def update(self) -> set[int]:
        """Take in what the judge has changed. Return the rules that may have another status."""
        judge, rules = self.judge, len(self.book.rules)
        changed = {*judge.changed, *range(self._upto, len(judge.state))} | self._pending
        judge.changed.clear()
        self._upto = len(judge.state)
        self._pending = {
            k
            for k in changed
            if self.book.late[judge.owner[k]] and judge.last_message.get(k) == judge.message
        }
        for k in changed:
            i, state = judge.owner[k], now(judge, k)
            if k < rules:
                self._states.begin[i] = state
                self._at.begin[i] = self._plan.run((i, None), state)
            if judge.is_template(k):
                for place in self._plan.steps:
                    if place[0] == i and place not in self._states.known:
                        self._moved(place, state)
                continue
            place = (i, judge.key[k])
            self._states.known[place] = state
            self._moved(place, state)
            self._count(k, i)
        return {judge.owner[k] for k in changed}

    def _moved(self, place: Place, state: int) -> None:
        self._at.known[place] = self._plan.run(place, state)
        if self._at.accepts(place):
            self._left.pop(place, None)
        else:
            self._left[place] = None

    def _count(self, instance: int, rule: int) -> None:
        before, after = self._status.get(instance), self.judge.status(instance)
        if before != after:
            counts = self._counts[rule]
            if before is not None:
                counts[before] -= 1
            counts[after] = counts.get(after, 0) + 1
            self._status[instance] = after

    def status(self, rule: int) -> Status:
        """Return the status of a rule, which is the worst of its values."""
        counts = self._counts[rule]
        for worst in WORST_FIRST:
            if counts.get(worst):
                return worst
        return "kept_so_far" if self.book.rules[rule].per else "kept"

    def state(self) -> State:
        """Return completable, doomed, broken, or unknown if the trace or the search does not tell."""
        if any(counts.get("broken") for counts in self._counts):
            return "broken"
        if self._lost:
            return "doomed"
        if not self._left or self._replanned():
            return "completable"
        found = self.future.decided(self._states, hardest=next(iter(self._left)))
        if found.possible:
            self._plan = Plan(found.plan, self.future.alphabet)
            self._at = self._states.after(self._plan)
            self._left, self._planned = {}, len(self._plan.letters)
            return "completable"
        self._lost = found.possible is False
        return "doomed" if self._lost else "unknown"

    def _replanned(self) -> bool:
        """Return whether the calls could be extended, or found anew if they became many."""
        future = self.future
        if len(self._plan.letters) <= 2 * self._planned + 16 and future.extend(
            self._at, self._plan, self._left
        ):
            return True
        self._start_plan()
        done = future.extend(self._at, self._plan, self._left)
        self._planned = len(self._plan.letters)
        return done

    def safe(self, tool: str) -> bool:
        """Return whether some call of the tool keeps the trace completable. The trace must be completable now."""
        judge, machines = self.judge, self.book.machines
        for i, bits in self.book.touches(tool)[0]:
            if machines[i].status[machines[i].fill(judge.state[i], bits)] == "broken":
                return False
        call = Plan([self.future.alphabet.completed(Letter(tool))], self.future.alphabet)
        before = States(self.book, self._states.rules, ChainMap({}, self._states.known), self._states.begin)
        after = States(self.book, self._states.rules, ChainMap({}, self._at.known), self._at.begin.copy())
        left = self._left.copy()
        for place in call.steps:
            state = call.run(place, before.of(place))
            if machines[place[0]].status[state] == "broken":
                left = {place: None}
                break
            after.known[place] = self._plan.run(place, state)
            if not after.accepts(place):
                left[place] = None
        else:
            if not left or self.future.extend(after, Plan((), self.future.alphabet), left):
                return True
        hardest = next(iter(left), None)
        return bool(self.future.decided(self._states, tool, judge.message, hardest).possible)


def state_of(future: Future, judge: Judge) -> State:
    """Return completable, doomed, broken, or unknown if the trace or the search does not tell."""
    statuses = {judge.rule_status(i) for i in range(len(judge.book.rules))}
    if "broken" in statuses:
        return "broken"
    found = future.of(judge).possible
    if found is None:
        return "unknown"
    return "completable" if found else "doomed"


def safe_tools(future: Future, judge: Judge, tools: Sequence[str]) -> tuple[str, ...]:
    """Return the tools of which some call keeps the trace completable."""
    return tuple(tool for tool in tools if future.of(judge, tool).possible)


def steps(book: Rulebook, trace: Trace, *, safe: bool = True) -> Iterator[RulesStep]:
    """Yield every step of a trace, from 0 to "end". Each is judged when it is asked for. ``safe``: with safe tools."""
    book = book.for_tools({*trace.tools, *(call.tool for call in trace.calls)})
    tools = known_tools(book, trace)
    follower = Follower(book, tools)
    judge = follower.judge
    statuses = {rule.id: judge.rule_status(i) for i, rule in enumerate(book.rules)}

    def now(step: StepNo, call: ToolCall | None) -> RulesStep:
        for i in follower.update():
            statuses[book.rules[i].id] = follower.status(i)
        state = follower.state()
        next_ones = tuple(filter(follower.safe, tools)) if safe and state == "completable" else ()
        return RulesStep(step, call, state, statuses.copy(), next_ones)

    yield now(0, None)
    for item in trace.items:
        if isinstance(item, ToolCall):
            judge.call(item)
            yield now(item.step, item)
        elif isinstance(item, Said):
            judge.said(item, judge.last_step + 1)
    last = now("end", None)
    ended: dict[str, Status] = {}
    for result in judge.results(trace, open_end=trace.ended != "complete"):
        ended[result.rule.id] = {"broken": "broken", "unknown": "unknown"}.get(result.state, "kept")  # type: ignore[assignment]
    values = set(ended.values())
    final: State = "broken" if "broken" in values else "unknown" if "unknown" in values else "completable"
    if last.state in ("doomed",) and final == "unknown":
        final = "doomed"
    yield RulesStep("end", None, final, ended)
