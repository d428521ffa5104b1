"""Judges a query and rules as one: what neither forbids alone, both together may.

The query becomes rules. An order is a precedence, and "every action is done once" is one rule for each action that it
is done, and one that it is not done again. So the search, the core, Z3 and the repair for rules answer for both. In a
timed query, hours count as far as they force the order of two actions: whatever is lost here is lost, but a plan that
only the hours of three actions and a rule forbid together counts as possible.

The query sees a call only if that did its action. Any other call of an action's tool gets ``UNDONE`` behind its tool's
name, which the rules do not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from planscope.language.problem import Constraint, Problem
from planscope.oracle.facts import Fact
from planscope.oracle.schedule import TooHard
from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import Core, Proof, State
from planscope.rules import core as cores
from planscope.rules.confirm import confirmed
from planscope.rules.future import Found, Future
from planscope.rules.judge import Event, Judge, Rulebook, Touch
from planscope.rules.repair import RulesRepair
from planscope.rules.rule import Calls, Rule

UNDONE = "\0"

MOST_ACTIONS = 40
"""A query with more actions is judged without the rules, and the rules without it."""

MOST_PAIRED = 10
"""Hours are looked at in a timed query of at most this many actions."""


class JointBook(Rulebook):
    """The rules of a query and those about calls. ``of_query``: the indexes of the query's."""

    of_query: frozenset[int] = frozenset()

    def touch(self, i: int, tool: str) -> Touch | None:
        """Return the relation of a tool to a rule. A call that did not do its action is none to the query."""
        if not tool.endswith(UNDONE):
            return super().touch(i, tool)
        return None if i in self.of_query else super().touch(i, tool.removesuffix(UNDONE))

    def touches(self, tool: str) -> tuple[tuple[tuple[int, int], ...], tuple[Touch, ...]]:
        """Return the rules that a call of the tool touches."""
        if tool.endswith(UNDONE) and tool not in self._touches:
            super().touches(tool)
            found = [self.touch(i, tool) for i in range(len(self.rules)) if i not in self.of_query]
            known = [touch for touch in found if touch is not None]
            self._touches[tool] = (
                tuple((touch.rule, touch.letter) for touch in known if touch.decided),
                tuple(touch for touch in known if not touch.decided),
            )
        return super().touches(tool)


@dataclass(frozen=True)
class _Made:
    """``origin``: for each rule of the book, the constraint that it stands for; a pair that hours force has none."""

    book: JointBook
    origin: tuple[str | None, ...]


def makes_sense(problem: Problem, rules: Sequence[Rule]) -> bool:
    """Return whether the two can be judged as one. A rule about failed calls of an action tells calls apart that do
    the action from those that do not, which a continuation cannot."""
    if problem.unjudged or not problem.actions or len(problem.actions) > MOST_ACTIONS:
        return False
    tools = {action.tool for action in problem.actions}
    return not any(
        calls.outcome is not None and any(map(calls.names, tools)) for rule in rules for calls in rule.sets
    )


def _made(problem: Problem, rules: Sequence[Rule], ids: Sequence[str], succeeded_only: bool) -> _Made:
    tool = {action.id: Calls(action.tool) for action in problem.actions}
    said: list[tuple[str | None, Rule]] = []
    for c in problem.constraints:
        if c.kind == "order" and c.before is not None and c.after is not None:
            said.append((c.id, Rule(c.id, "precedence", (tool[c.before],), (tool[c.after],))))
    before = len(said)
    every = [
        *said,
        *zip(ids, (replace(rule, id=id) for rule, id in zip(rules, ids, strict=True)), strict=True),
    ]
    after = len(every)
    for number, (one, other) in enumerate(_forced(problem), 1):
        every.append((None, Rule(f"pair{number}", "precedence", (tool[one],), (tool[other],))))
    for c in problem.constraints:
        if c.kind == "once":
            every += [
                (c.id, Rule(f"{c.id} {id}", "absence", (calls,), count=1)) for id, calls in tool.items()
            ]
        elif c.kind == "all_done":
            every += [
                (c.id, Rule(f"{c.id} {id}", "existence", (calls,), count=1)) for id, calls in tool.items()
            ]
    book = JointBook([rule for _, rule in every], succeeded_only=succeeded_only)
    book.of_query = frozenset([*range(before), *range(after, len(every))])
    return _Made(book, tuple(id for id, _ in every))


def _with_order(problem: Problem, before: str, after: str) -> Problem:
    more = Constraint("", "order", "", before, after)
    return replace(problem, constraints=(*problem.constraints, more))


def _forced(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the pairs of actions whose order the hours of a timed query force."""
    if not problem.timed or len(problem.actions) > MOST_PAIRED:
        return
    from planscope.oracle.timed import schedule_of

    orders = {(c.before, c.after) for c in problem.constraints if c.kind == "order"}
    everything = (1 << len(problem.actions)) - 1
    for one, other in permutations([action.id for action in problem.actions], 2):
        if (one, other) in orders:
            continue
        try:
            schedule = schedule_of(_with_order(problem, other, one))
            if schedule.cyclic or schedule.latest(everything) < 0:
                yield one, other
        except TooHard:
            return


def _why(problem: Problem, before: str, after: str) -> tuple[str, ...]:
    """Return the constraints that force this order of two actions."""
    from planscope.oracle.replay import replay

    found = replay(_with_order(problem, after, before), Trace(ending="running")).steps[0].core
    return tuple(id for id in found.constraints if id) if found is not None else ()


class Together:
    """A query and rules along a run, judged as one. It grows call by call; a copy goes on by itself."""

    def __init__(
        self,
        query: Problem,
        rules: Rulebook,
        ids: Sequence[str],
        tools: Sequence[str],
    ) -> None:
        self.query = query
        self._made = _made(query, rules.rules, ids, rules.succeeded_only)
        self.book = self._made.book
        self.tools = tuple(dict.fromkeys([*tools, *(action.tool for action in query.actions)]))
        self.future = Future(self.book, self.tools)
        self.judge = Judge(self.book)
        self.events: list[tuple[Event, int]] = []
        self.upto: list[int] = [0]
        self.turns: list[list[tuple[Event, int]]] = [[]]
        self.restarts: list[int] = []
        """The steps that began another attempt."""
        self.lost: dict[int, int] = {}
        """By attempt, the index at which query and rules together were lost, though neither was alone."""
        self._cores: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = {}
        self._tools_of = frozenset(action.tool for action in query.actions)

    def copy(self) -> Together:
        """Return an independent one at the same place. The searches' memory is shared."""
        other = copy(self)
        for name in ("events", "upto", "turns", "restarts", "lost", "_cores"):
            setattr(other, name, getattr(self, name).copy())
        other.judge = self.judge.copy()
        return other

    def add(self, fact: Fact, events: Sequence[tuple[Event, int]], turn: list[tuple[Event, int]]) -> None:
        """Take in what a call did, the events up to it, and the beginning of a new message if one follows."""
        if fact.effect == "restart":
            self.restarts.append(fact.step)
            for i in self.book.of_query:
                self.judge.state[i] = 0
                self.judge.broken_at.pop(i, None)
        for event, step in events:
            seen = event
            if isinstance(event, ToolCall) and fact.effect not in ("done", "repeated"):
                seen = self._undone(event)
            self.events.append((seen, step))
            cores.feed(self.judge, [(seen, step)])
        cores.feed(self.judge, turn)
        self.turns.append(turn)
        self.upto.append(len(self.events))

    def reopen(self) -> None:
        """The message of the last call goes on after all."""
        self.turns[-1] = []
        self.judge.message = self.events[-1][0].message

    def _undone(self, event: ToolCall) -> ToolCall:
        return replace(event, tool=event.tool + UNDONE) if event.tool in self._tools_of else event

    def until(self, index: int) -> list[tuple[Event, int]]:
        """Return the events up to an index. In a later attempt, the calls of those before did none of its actions."""
        began = max((step for step in self.restarts if step <= index), default=0)
        return [
            (self._undone(event) if isinstance(event, ToolCall) and event.step <= began else event, step)
            for event, step in [*self.events[: self.upto[index]], *self.turns[index]]
        ]

    def state(self) -> State:
        """Return the state after the calls so far: completable, doomed, or unknown if the search did not decide."""
        found = self.future.of(self.judge).possible
        return "unknown" if found is None else "completable" if found else "doomed"

    def after(self, call: ToolCall | str) -> State:
        """Return the state after one more call, which does its action."""
        found = self.future.of(self.judge, call).possible
        return "unknown" if found is None else "completable" if found else "doomed"

    def judge_at(self, index: int) -> Judge:
        """Return the rules after the call at an index."""
        if index == len(self.upto) - 1:
            return self.judge
        return cores.play(self.book, self.until(index))

    def way(self, index: int) -> Found:
        """Look for calls after which both are kept."""
        return self.future.of(self.judge_at(index))

    def core(self, attempt: int) -> Core:
        """Return the core of a lost attempt, with the ids of the problem."""
        members, steps = self.core_of(attempt)
        return Core(self.constraints(members, self.lost[attempt]), steps)

    @cached_property
    def members(self) -> dict[str, list[int]]:
        """The rules of the joint book, by index, that count as one: those of one constraint, or a pair."""
        found: dict[str, list[int]] = {}
        for i, (rule, origin) in enumerate(zip(self.book.rules, self._made.origin, strict=True)):
            found.setdefault(rule.id if origin is None else origin, []).append(i)
        return found

    def core_of(self, attempt: int) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Return the members and steps that cannot all be kept. Members are dropped from the last to the first, with
        all calls; then calls, from the last to the first; both again until nothing can be dropped."""
        if attempt not in self._cores:
            index = self.lost[attempt]
            happened = self.until(index)
            kept, names = list(range(len(happened))), list(self.members)
            while True:
                before = len(kept), len(names)
                judge = cores.play(self.book, [happened[k] for k in kept])
                for name in reversed(names.copy()):
                    rest = [one for one in names if one != name]
                    if self.future.of(judge, only=self._rules(rest)).possible is False:
                        names = rest
                kept = cores.drop_calls(self._part(names), self.tools, index, happened, kept)
                if (len(kept), len(names)) == before:
                    break
            steps = tuple(e.step for e, _ in (happened[k] for k in kept) if isinstance(e, ToolCall))
            self._cores[attempt] = tuple(names), steps
        return self._cores[attempt]

    def _rules(self, members: Iterable[str]) -> list[int]:
        return sorted(i for name in members for i in self.members[name])

    def _part(self, members: Iterable[str]) -> JointBook:
        """Return the book of these members alone."""
        chosen = self._rules(members)
        part = JointBook([self.book.rules[i] for i in chosen], succeeded_only=self.book.succeeded_only)
        part.of_query = frozenset(k for k, i in enumerate(chosen) if i in self.book.of_query)
        return part

    def constraints(self, members: Iterable[str], index: int) -> tuple[str, ...]:
        """Return the constraints that these members stand for, in the order of the problem.

        ``index``: where they are lost, so that of constraints that force an order none is named in vain.
        """
        found: dict[str, None] = {}
        pairs = {}
        for name in members:
            (first, *_) = self.members[name]
            if self._made.origin[first] is None:
                pairs[name] = self.book.rules[first]
            else:
                found[name] = None
        by_tool = self.query.action_by_tool
        for rule in pairs.values():
            pair = by_tool[rule.first[0].name].id, by_tool[rule.then[0].name].id
            found |= dict.fromkeys(_why(self.query, *pair))
        rank = {c.id: k for k, c in enumerate(self.query.constraints)}
        said = sorted(
            (id for id in found if id in rank and not self.query.by_id[id].is_rule), key=rank.__getitem__
        )
        basic = sorted(
            (id for id in found if id in rank and self.query.by_id[id].is_rule), key=rank.__getitem__
        )
        others = [id for id in found if id not in rank]
        if pairs:
            said = self._needed(said, others, index)
        return (*said, *others, *basic)

    def _needed(self, said: list[str], others: list[str], index: int) -> list[str]:
        """Return a minimal part of the query's constraints that is lost with these rules."""
        book = Rulebook(
            [self.book.rules[i] for i in self._rules(others)], succeeded_only=self.book.succeeded_only
        )
        for one in reversed(said):
            rest = [id for id in said if id != one]
            kept = tuple(c for c in self.query.constraints if c.is_rule or c.id in rest)
            part = Together(replace(self.query, constraints=kept), book, others, self.tools)
            if part.future.of(cores.play(part.book, self.until(index))).possible is False:
                said = rest
        return said

    def certify(self, attempt: int) -> Proof:
        """Ask Z3 about the core of a lost attempt, with those rules of the joint book alone that are lost. That no
        constraint can be dropped is shown by calls that keep the others."""
        index = self.lost[attempt]
        names, steps = self.core_of(attempt)
        happened = [
            one for one in self.until(index) if not isinstance(one[0], ToolCall) or one[0].step in steps
        ]
        judge = cores.play(self.book, happened)
        for name in names:
            rest = self._rules(one for one in names if one != name)
            if not self.future.of(judge, only=rest).possible:
                return "not_asked"
        part = self._part(names)
        return confirmed(part, self.tools, cores.find_core(part, self.tools, index, happened), happened)


def unmarked(fixed: RulesRepair) -> RulesRepair:
    """Return a repair with the tools' own names."""
    return replace(
        fixed,
        moved=tuple(replace(one, tool=one.tool.removesuffix(UNDONE)) for one in fixed.moved),
        removed=tuple(replace(one, tool=one.tool.removesuffix(UNDONE)) for one in fixed.removed),
        placed=tuple(replace(one, tool=one.tool.removesuffix(UNDONE)) for one in fixed.placed),
    )
