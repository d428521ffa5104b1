"""Judges a query and rules as one: what neither forbids alone, both together may.

The query becomes rules. An order is a precedence, and "every action is done once" is one rule for each action that it
is done, and one that it is not done again. So the search, the core, Z3 and the repair for rules answer for both. In a
timed query, hours count as far as they force the order of two actions: whatever is lost here is lost, but a plan that
only the hours of three actions and a rule forbid together counts as possible.

The query sees a call only if that did its action. Any other call of an action's tool gets ``UNDONE`` behind its tool's
name, which only the rules about calls name, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import permutations

from planscope.language.calls import Calls, CallSet
from planscope.language.constructions import Kind
from planscope.language.problem import Constraint, Problem
from planscope.oracle.facts import Fact
from planscope.oracle.schedule import TooHard
from planscope.oracle.trace import ToolCall, Trace
from planscope.oracle.verdict_types import Core, Proof, State
from planscope.rules.confirm import confirmed
from planscope.rules.core import Lost, each, find_core, play
from planscope.rules.judge import Event, Rulebook
from planscope.rules.repair import RulesRepair
from planscope.rules.rule import Rule
from planscope.rules.track import Track

UNDONE = "\0"

MOST_ACTIONS = 40
"""A query with more actions is judged without the rules, and the rules without it."""

MOST_PAIRED = 10
"""Hours are looked at in a timed query of at most this many actions."""


def makes_sense(problem: Problem, rules: Sequence[Rule]) -> bool:
    """Return whether the two can be judged as one. A rule about failed calls of an action tells calls apart that do
    the action from those that do not, which a continuation cannot."""
    if problem.unjudged or not problem.actions or len(problem.actions) > MOST_ACTIONS:
        return False
    tools = {action.tool for action in problem.actions}
    return not any(
        calls.outcome is not None and any(map(calls.names, tools)) for rule in rules for calls in rule.sets
    )


def _joined(problem: Problem, rules: Sequence[Rule], ids: Sequence[str]) -> Iterator[tuple[str | None, Rule]]:
    """Yield the rules of the query and those about calls, each after the constraint that it stands for; a pair that
    hours force has none."""
    tool = {action.id: Calls(action.tool) for action in problem.actions}
    for c in problem.constraints:
        if c.kind == "order" and c.before is not None and c.after is not None:
            yield c.id, Rule(c.id, "precedence", (tool[c.before],), (tool[c.after],))
    tools = [action.tool for action in problem.actions]
    for rule, id in zip(rules, ids, strict=True):
        first, then, until = (_undone(some, tools) for some in (rule.first, rule.then, rule.until))
        yield id, replace(rule, id=id, first=first, then=then, until=until)
    for number, (one, other) in enumerate(_forced(problem), 1):
        yield None, Rule(f"pair{number}", "precedence", (tool[one],), (tool[other],))
    for c in problem.constraints:
        for id, calls in tool.items() if c.kind in ("once", "all_done") else ():
            kind: Kind = "absence" if c.kind == "once" else "existence"
            yield c.id, Rule(f"{c.id} {id}", kind, (calls,), count=1)


def _undone(some: CallSet, tools: Sequence[str]) -> CallSet:
    """Return a set of calls that has those which did not do their actions, too."""
    some = tuple(replace(c, but=(*c.but, *(name + UNDONE for name in c.but))) for c in some)
    more = (replace(c, name=tool + UNDONE, but=()) for c in some for tool in tools if c.names(tool))
    return (*some, *more)


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
        joined = list(_joined(query, rules.rules, ids))
        self.book = Rulebook([rule for _, rule in joined], succeeded_only=rules.succeeded_only)
        self._origin = [origin for origin, _ in joined]
        self.tools = tuple(dict.fromkeys([*tools, *(action.tool for action in query.actions)]))
        self.tracks = [(0, Track(self.book, self.tools))]
        """For each attempt the step that began it, and its rules along the run. Calls of those before did none of its
        actions."""
        self.lost: dict[int, int] = {}
        """By attempt, the index at which query and rules together were lost, though neither was alone."""
        self._cores: dict[tuple[int, int], tuple[Core, Core]] = {}
        self._tools_of = frozenset(action.tool for action in query.actions)

    def copy(self) -> Together:
        """Return an independent one at the same place. The searches' memory is shared."""
        other = copy(self)
        other.tracks = [*self.tracks[:-1], (self.tracks[-1][0], self.track.copy())]
        other.lost = self.lost.copy()
        return other

    @property
    def track(self) -> Track:
        """The rules along the last attempt."""
        return self.tracks[-1][1]

    def track_at(self, index: int) -> Track:
        """Return the rules along the attempt at an index."""
        return next(track for begun, track in reversed(self.tracks) if begun <= index)

    def add(self, fact: Fact, events: Sequence[Event], after: Event | None) -> None:
        """Take in what a call did, the events up to it, and the event that follows."""
        if fact.effect == "restart":
            earlier = [self._undone(event) for event, _ in self.track.events]
            self.tracks.append((fact.step, Track(self.book, self.tools)))
            self._follow(earlier, events[0])
        done = fact.effect in ("done", "repeated")
        self._follow([event if done else self._undone(event) for event in events], after)

    def _follow(self, events: Sequence[Event], after: Event | None) -> None:
        for event, then in zip(events, [*events[1:], after], strict=True):
            self.track.add(event, then)

    def _undone(self, event: Event) -> Event:
        if not isinstance(event, ToolCall) or event.tool not in self._tools_of:
            return event
        return replace(event, tool=event.tool + UNDONE)

    def until(self, index: int) -> list[tuple[Event, int]]:
        """Return the events up to an index."""
        return self.track_at(index).happened(index)

    def state(self) -> State:
        """Return the state after the calls so far: completable, doomed, or unknown if the search did not decide."""
        state = self.track.states[-1]
        return "doomed" if state == "broken" else state

    def after(self, call: ToolCall | str) -> State:
        """Return the state after one more call, which does its action."""
        found = self.track.future.of(self.track.judge, call).possible
        return "unknown" if found is None else "completable" if found else "doomed"

    def core(self, attempt: int) -> Core:
        """Return the core of a lost attempt, with the ids of the problem."""
        return self.core_of(attempt)[1]

    @cached_property
    def members(self) -> dict[str, list[int]]:
        """The rules of the joint book, by index, that count as one: those of one constraint, or a pair."""
        found: dict[str, list[int]] = {}
        for i, (rule, origin) in enumerate(zip(self.book.rules, self._origin, strict=True)):
            found.setdefault(rule.id if origin is None else origin, []).append(i)
        return found

    def loss(self, attempt: int) -> Lost:
        """Return where an attempt was lost."""
        index = self.lost[attempt]
        return Lost(self.book, self.tools, index, self.until(index), self.members, True)

    def core_of(self, attempt: int) -> tuple[Core, Core]:
        """Return the members and steps that cannot all be kept, also with the ids of the problem."""
        index = self.lost[attempt]
        if (attempt, index) not in self._cores:
            found = find_core(self.loss(attempt))
            named = replace(found, constraints=self.constraints(found.constraints, index))
            self._cores[attempt, index] = found, named
        return self._cores[attempt, index]

    def constraints(self, members: Iterable[str], index: int) -> tuple[str, ...]:
        """Return the constraints that these members stand for, in the order of the problem.

        ``index``: where they are lost, so that of constraints that force an order none is named in vain.
        """
        firsts = {name: self.members[name][0] for name in members}
        found = dict.fromkeys(name for name, i in firsts.items() if self._origin[i] is not None)
        pairs = [self.book.rules[i] for i in firsts.values() if self._origin[i] is None]
        by_tool = self.query.action_by_tool
        for rule in pairs:
            pair = by_tool[rule.first[0].name].id, by_tool[rule.then[0].name].id
            found |= dict.fromkeys(_why(self.query, *pair))
        said, basic = (
            [c.id for c in self.query.constraints if c.id in found and c.is_rule is is_rule]
            for is_rule in (False, True)
        )
        others = [id for id in found if id not in self.query.by_id]
        if pairs:
            said = self._needed(said, others, index)
        return (*said, *others, *basic)

    def _needed(self, said: list[str], others: list[str], index: int) -> list[str]:
        """Return a minimal part of the query's constraints that is lost with these rules."""
        book = Rulebook(
            [self.book.rules[i] for id in others for i in self.members[id]],
            succeeded_only=self.book.succeeded_only,
        )
        for one in reversed(said):
            rest = [id for id in said if id != one]
            kept = tuple(c for c in self.query.constraints if c.is_rule or c.id in rest)
            part = Together(replace(self.query, constraints=kept), book, others, self.tools)
            if part.track.future.of(play(part.book, self.until(index))).possible is False:
                said = rest
        return said

    def certify(self, attempt: int) -> Proof:
        """Ask Z3 about the core of a lost attempt, with those rules of the joint book alone that are lost. That no
        constraint can be dropped is shown by calls that keep the others."""
        lost, (core, _) = self.loss(attempt), self.core_of(attempt)
        happened = [
            one for one in lost.happened if not isinstance(one[0], ToolCall) or one[0].step in core.steps
        ]
        judge, names = play(self.book, happened), core.constraints
        for name in names:
            rest = lost.rules(one for one in names if one != name)
            if not self.track.future.of(judge, only=rest).possible:
                return "not_asked"
        part = self.book.part(lost.rules(names))
        alone = replace(lost, book=part, happened=happened, members=each(rule.id for rule in part.rules))
        return confirmed(alone, find_core(alone))


def unmarked(fixed: RulesRepair) -> RulesRepair:
    """Return a repair with the tools' own names."""
    return replace(
        fixed,
        moved=tuple(replace(one, tool=one.tool.removesuffix(UNDONE)) for one in fixed.moved),
        removed=tuple(replace(one, tool=one.tool.removesuffix(UNDONE)) for one in fixed.removed),
        placed=tuple(replace(one, tool=one.tool.removesuffix(UNDONE)) for one in fixed.placed),
    )
