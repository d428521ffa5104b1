"""Judges runs by rules, alone or together with a query, behind the interface of ``planscope.oracle.judged``.

A rule is a constraint of the problem, of the kind ``of_calls``. Query and rules are judged side by side, and both must
hold: a step is lost as soon as one of them is lost. While neither is, ``with_query.py`` judges them as one, and a step
is lost if no continuation keeps the rules *and* finishes the plan.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, cast

from planscope.language.outline import OutlineNode
from planscope.language.problem import Action, Constraint, Problem
from planscope.oracle.facts import Fact
from planscope.oracle.judged import Started, together
from planscope.oracle.lookahead import Lookahead, Outcome
from planscope.oracle.replay import Replay
from planscope.oracle.statuses import Attempt
from planscope.oracle.trace import Call, Ending
from planscope.oracle.trace import Trace as CallTrace
from planscope.oracle.verdict_types import (
    Core,
    Correction,
    Finding,
    Move,
    PlannedCall,
    Reasons,
    Repair,
    State,
    Status,
    StepNo,
    StepView,
    Verdict,
    VerdictKind,
    Violation,
)
from planscope.rules import core as cores
from planscope.rules.confirm import confirmed, kept_confirmed
from planscope.rules.future import Future
from planscope.rules.judge import Event, Judge, Rulebook, Tested, known_tools
from planscope.rules.repair import RulesRepair, repair
from planscope.rules.report import verdict_of
from planscope.rules.rule import Calls, Kind, Rule, RuleFile, path_text
from planscope.rules.steps import safe_tools
from planscope.rules.values import key_text
from planscope.rules.with_query import Together, makes_sense, unmarked
from planscope.rules.words import meaning, needed, repair_parts
from planscope.traces.shape import Said, Tool, ToolCall, Trace

BETWEEN = 64
"""The number of steps between two saved states of the rules. A step in between is judged again from the last one."""

MOST_PLANS = 100
"""So many of the query's nearest plans are tried with the rules, before calls may be inserted and removed, too."""

MOST_REPAIRED = 300
"""For a trace with more calls, no repair is searched for."""

_NO_QUERY = Problem((), ())
_NO_RULES = RuleFile("", ())
_WORST: tuple[Status, ...] = ("broken", "unknown", "owed", "kept_so_far")


@dataclass(frozen=True, slots=True)
class RuledProblem(Problem):
    """A problem with rules about calls. ``query``: the problem without them. ``numbers``: the rules' indexes in
    ``file.rules``, by their ids in the problem."""

    query: Problem = _NO_QUERY
    file: RuleFile = _NO_RULES
    numbers: Mapping[str, int] | None = None

    @property
    def counted(self) -> bool:
        """False: orders are not counted with rules."""
        return False

    @property
    def writes(self) -> frozenset[str]:
        """The tools that the rules mark as writing."""
        return self._marked(self.file.writes)

    @property
    def reads(self) -> frozenset[str]:
        """The tools that the rules mark as only reading."""
        return self._marked(self.file.reads)

    def _marked(self, marks: Sequence[Calls]) -> frozenset[str]:
        return frozenset(a.tool for a in self.actions if any(c.names(a.tool) for c in marks))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the rules in this problem, by their indexes."""
        return tuple(self.numbers or ())

    def replay(self, trace: CallTrace) -> RuledReplay:
        """Judge every step of a trace."""
        return RuledReplay(self, trace)


def ruled(query: Problem, file: RuleFile, tools: Sequence[Action] = ()) -> RuledProblem:
    """Add rules to a problem. ``tools``: the actions for tools that the query does not name.

    The rules are numbered after the query's constraints: ``c4`` follows ``c3``. Without a query that is their number in
    the file.
    """
    actions = list(query.actions)
    known = {action.tool for action in actions}
    ids = {action.id for action in actions}
    for action in tools:
        if action.tool not in known and action.id not in ids:
            actions.append(action)
            known.add(action.tool)
            ids.add(action.id)
    book = Rulebook(file.rules)
    for name in book.for_tools(known).literal:
        if name not in known:
            known.add(name)
            number = len(actions) + 1
            while f"a{number}" in ids:
                number += 1
            ids.add(f"a{number}")
            actions.append(Action(f"a{number}", name, name))
    said = query.said
    rules = {f"c{len(said) + number}": rule for number, rule in enumerate(file.rules, 1)}
    basic = tuple(c for c in query.constraints if c.is_rule) if query.actions else ()
    own = query.own if query.own is not None else None
    return RuledProblem(
        tuple(actions),
        (*said, *(_constraint(id, rule, actions) for id, rule in rules.items()), *basic),
        query.timed,
        query.text,
        own,
        "",
        query=query,
        file=file,
        numbers={id: number for number, id in enumerate(rules)},
    )


def _constraint(id: str, rule: Rule, actions: Iterable[Action]) -> Constraint:
    named = [a for a in actions if any(c.names(a.tool) and c.name != "*" for c in rule.sets)]
    return Constraint(
        id,
        "of_calls",
        rule.text or meaning(rule),
        source="rules",
        node=("rules", _GROUP[rule.kind], id),
        means=meaning(rule),
        title=rule.name or "",
        about=tuple(a.id for a in named),
    )


_GROUP: Mapping[Kind, str] = {
    **dict.fromkeys(("precedence", "alternate_precedence", "chain_precedence", "latest"), "before a call"),
    **dict.fromkeys(("response", "chain_response", "within", "responded_existence"), "after a call"),
    **dict.fromkeys(("existence", "absence", "exactly"), "how often"),
    **dict.fromkeys(("never", "not_succession", "not_coexistence"), "never"),
    **dict.fromkeys(("first", "last", "init", "end"), "first and last"),
}
"""What a rule is about, for the tree."""


def rules_outline(problem: Problem) -> tuple[OutlineNode, ...]:
    """Return the rules of a problem as a tree, grouped by what they are about; empty without rules."""
    rules = [c for c in problem.constraints if c.kind == "of_calls"]
    if not rules:
        return ()
    groups: dict[str, list[Constraint]] = {}
    for c in rules:
        groups.setdefault(str(c.node[1]), []).append(c)
    ids = tuple(c.id for c in rules)
    made = [OutlineNode(("rules",), 0, "rules", (0, 0), ids, plain="rules")]
    for name, ones in groups.items():
        below = tuple(c.id for c in ones)
        made.append(OutlineNode(("rules", name), 1, name, (0, 0), below, plain=name))
        for c in ones:
            words = c.title or " ".join(c.text.split())
            made.append(OutlineNode(c.node, 2, words, (0, 0), (c.id,), plain=words))
    return tuple(made)


class _Track:
    """The rules along a run: their statuses after every call, and what all of them together allow.

    It grows call by call. A copy goes on by itself.
    """

    def __init__(self, book: Rulebook, tools: Sequence[str]) -> None:
        self.book = book
        self.tools = tuple(tools)
        self.future = Future(book, self.tools)
        self.judge = Judge(book)
        self.message = 0
        self.events: list[tuple[Event, int]] = []
        self.upto: list[int] = [0]
        """By index, how many events there are up to it."""
        self.states: list[State] = []
        self.changes: list[tuple[int, ...]] = []
        self.history: dict[int, list[tuple[int, Status]]] = {}
        """By rule the indexes at which its status changed."""
        self.trail: dict[int, list[tuple[int, int, Status]]] = {}
        """By rule per value: index, instance, and the instance's status from there on."""
        self.saved: dict[int, Judge] = {}
        self.lost: int | None = None
        """The first index at which the rules are lost."""
        self._of: dict[int, Status] = {}
        self._counts: list[dict[Status, int]] = [{} for _ in book.rules]
        self._status: list[Status] = []
        self._note(0)
        self._state()

    def copy(self) -> _Track:
        """Return an independent track at the same place. The searches' memory is shared."""
        other = copy(self)
        for name in ("events", "upto", "states", "changes", "saved", "_of", "_status"):
            setattr(other, name, getattr(self, name).copy())
        other.judge = self.judge.copy()
        other.history = {rule: list(rows) for rule, rows in self.history.items()}
        other.trail = {rule: list(rows) for rule, rows in self.trail.items()}
        other._counts = [dict(counts) for counts in self._counts]
        return other

    def add(self, call: Call) -> None:
        """Take in a call, and what was heard before it."""
        step = len(self.upto)
        for event in self._events(call, step):
            self.events.append((event, step))
            cores.feed(self.judge, [(event, step)])
        self.upto.append(len(self.events))
        self._note(step)
        self._state()
        if step % BETWEEN == 0:
            self.saved[step] = self.judge.copy()

    def _events(self, call: Call, step: int) -> list[Event]:
        around = call.around
        found: list[Event] = []
        for heard in around.heard:
            self.message += 1
            found.append(Said("user", heard.text, self.message, heard.at))
        self.message += around.begins or bool(found)
        made = ToolCall(
            step, call.tool, self.message, None if call.arguments is None else dict(call.arguments)
        )
        made.answer, made.answered = around.answer, around.answered
        made.failed = call.failed if around.answered or call.failed else None
        made.refused, made.agent, made.at = call.refused, around.agent, around.at
        return [*found, made]

    def _note(self, index: int) -> None:
        """Note the statuses that the last events changed."""
        judge = self.judge
        touched = {*judge.changed, *range(len(self._of), len(judge.state))}
        judge.changed.clear()
        rules: set[int] = set()
        for k in touched:
            rule, now = judge.owner[k], cast(Status, judge.status(k))
            before = self._of.get(k)
            self._of[k] = now
            if judge.is_template(k) or now == before:
                continue
            counts = self._counts[rule]
            if before is not None:
                counts[before] -= 1
            counts[now] = counts.get(now, 0) + 1
            rules.add(rule)
            if self.book.rules[rule].per:
                self.trail.setdefault(rule, []).append((index, k, now))
        if index == 0:
            self._status = [self._worst(rule) for rule in range(len(self.book.rules))]
            self.history = {rule: [(0, status)] for rule, status in enumerate(self._status)}
            self.changes.append(())
            return
        changed = []
        for rule in sorted(rules):
            status = self._worst(rule)
            if status != self._status[rule]:
                self._status[rule] = status
                self.history[rule].append((index, status))
                changed.append(rule)
        self.changes.append(tuple(changed))

    def _worst(self, rule: int) -> Status:
        counts = self._counts[rule]
        found = next((status for status in _WORST if counts.get(status)), None)
        return found or ("kept_so_far" if self.book.rules[rule].per else "kept")

    def _state(self) -> None:
        index = len(self.states)
        if "broken" in self._status:
            state: State = "broken"
        elif self.lost is not None:
            state = "doomed"
        else:
            possible = self.future.of(self.judge).possible
            state = "unknown" if possible is None else "completable" if possible else "doomed"
        if self.lost is None and state in ("broken", "doomed"):
            self.lost = index
        self.states.append(state)

    def judge_at(self, index: int) -> Judge:
        """Return the rules after the call at an index."""
        if index == len(self.states) - 1:
            return self.judge
        begin = index - index % BETWEEN
        judge = self.saved[begin].copy() if begin else Judge(self.book)
        cores.feed(judge, self.events[self.upto[begin] : self.upto[index]])
        return judge

    def status(self, rule: int, index: int) -> Status:
        rows = self.history[rule]
        return rows[bisect_right(rows, index, key=lambda row: row[0]) - 1][1]

    def values(self, rule: int, index: int, status: Status) -> list[str]:
        """Return the values of a rule that have this status, the last one to get it first."""
        now: dict[int, Status] = {}
        for at, instance, new in self.trail.get(rule, ()):
            if at > index:
                break
            now.pop(instance, None)
            now[instance] = new
        keys = [self.judge.key[k] for k, one in now.items() if one == status]
        return [key_text(key) for key in reversed(keys) if key is not None]

    def trace(self, run: CallTrace) -> Trace:
        """Return the calls as a trace. What the user said after the last call is in it."""
        items: list[Any] = [event for event, _ in self.events]
        items += [Said("user", one.text, self.message + 1 + n, one.at) for n, one in enumerate(run.heard)]
        ended = "error" if run.ending == "aborted" else "complete"
        made = Trace("run", "planscope", items, ended=cast(Any, ended))
        made.tools = {name: Tool(name, None, cast(Any, schema)) for name, schema in (run.tools or {}).items()}
        return made


class RuledReplay:
    """A run judged by rules, and by its query if it has one; see ``planscope.oracle.judged.JudgedRun``.

    ``run`` judges the query alone. Without a query its states are unknown, and only the rules count.
    """

    def __init__(self, problem: RuledProblem, trace: CallTrace) -> None:
        self.problem = problem
        self.run = Replay(problem.query, trace)
        self._begin()

    def _begin(self) -> None:
        """Judge the rules from the first call on."""
        trace = self.run.trace
        tools = self._schemas(trace)
        names = {*tools, *(call.tool for call in trace.calls)}
        book = Rulebook(self.problem.file.rules).for_tools(names)
        bare = Trace("", "", tools={name: Tool(name) for name in tools})
        called = dict.fromkeys(call.tool for call in trace.calls)
        known = dict.fromkeys([*tools, *called, *known_tools(book, bare)])
        self._track = _Track(book, list(known))
        self._both: Together | None = None
        query = self.problem.query
        if book.rules and makes_sense(query, book.rules):
            self._both = Together(query, book, self.problem.ids, list(known))
        self._states_of_both: list[State | None] = [self._state_of_both(0)]
        self._grow(trace.calls)

    def _schemas(self, trace: CallTrace) -> Mapping[str, Any]:
        """Return the tools that the agent was given, or else those of the problem, with their schemas."""
        if trace.tools is not None:
            return trace.tools
        own = self.problem.query.own or {}
        return {a.tool: own.get(a.tool) for a in self.problem.actions if a.tool in own or not own}

    def _grow(self, calls: Iterable[Call]) -> None:
        track = self._track
        for call in calls:
            track.add(call)
            index = len(track.upto) - 1
            if self._both is not None:
                self._both.add(
                    self.run.facts[index - 1], track.events[track.upto[index - 1] : track.upto[index]]
                )
            self._states_of_both.append(self._state_of_both(index))
        self._made: tuple[StepView, ...] | None = None

    def _state_of_both(self, index: int) -> State | None:
        """Return the state of query and rules as one after the last call, or None if one of them is lost already."""
        both = self._both
        if both is None:
            return None
        view = self.run.steps[index]
        if view.attempt in both.lost:
            return "doomed"
        if view.state != "completable" or self._track.states[index] != "completable":
            return None
        state = both.state()
        if state == "doomed":
            both.lost[view.attempt] = index
        return state

    def then(self, *calls: Call, ending: Ending = "running", reason: str | None = None) -> RuledReplay:
        """Return the same run with more calls, at the cost of those alone."""
        made = RuledReplay.__new__(RuledReplay)
        made.problem = self.problem
        made.run = self.run.then(*calls, ending=ending, reason=reason)
        if all(call.tool in self._track.tools for call in calls):
            made._track = self._track.copy()
            made._both = self._both.copy() if self._both is not None else None
            made._states_of_both = self._states_of_both.copy()
            made._grow(calls)
        else:
            made._begin()
        return made

    # What the calls did

    @property
    def trace(self) -> CallTrace:
        return self.run.trace

    @property
    def facts(self) -> list[Fact]:
        return self.run.facts

    @property
    def last_attempt(self) -> Attempt:
        return self.run.last_attempt

    @property
    def _asks(self) -> bool:
        """Whether there is a query."""
        return not self.problem.query.unjudged

    @property
    def _over(self) -> bool:
        return self.trace.ending != "running"

    @cached_property
    def _whole(self) -> Trace:
        return self._track.trace(replace(self.trace, tools=self._schemas(self.trace)))

    @cached_property
    def _results(self) -> list[Tested]:
        """The rules' results on the whole run."""
        judge = self._track.judge
        if self.trace.heard:
            judge = judge.copy()
            said = [item for item in self._whole.items if isinstance(item, Said)][-len(self.trace.heard) :]
            cores.feed(judge, [(one, judge.last_step + 1) for one in said])
        return judge.results(self._whole, open_end=not self._over or self._whole.ended != "complete")

    def _ended(self, rule: int) -> Status:
        """Return a rule's status at the end."""
        result = self._results[rule]
        if result.owed:
            return "owed"
        return cast(Status, result.state) if result.state in ("broken", "unknown") else "kept"

    # Steps

    @property
    def steps(self) -> tuple[StepView, ...]:
        if self._made is None:
            self._made = tuple(self._views())
        return self._made

    def _views(self) -> Iterable[StepView]:
        track, lost = self._track, self._lost
        by_tool = self.problem.action_by_tool
        for view in self.run.steps:
            k = view.index
            ended = view.step == "end"
            rules = range(len(track.book.rules))
            changed = track.changes[k] if not ended else [r for r in rules if self._changes_at_end(r)]
            state = self._end_state() if ended else track.states[k]
            joint = self._both.lost.get(view.attempt) if self._both is not None else None
            at_once = "doomed" if joint is not None and k >= joint else None
            if not ended:
                at_once = self._states_of_both[k]
            states = [state, *([view.state] if self._asks else []), *([at_once] if at_once else [])]
            both = cast(State, together(states))
            own = view.core if self._asks else None
            core = self._core if lost is not None and k >= lost else None
            began = self.run.lost_at(view.attempt) if own is not None else None
            if own is not None and (core is None or lost is None or (began or 0) <= lost):
                core = own
            if joint is not None and k >= joint:
                core = self._joint_core(view.attempt)
            action = view.action
            if action is None and view.call is not None and not view.call.refused:
                action = by_tool[view.call.tool].id if view.call.tool in by_tool else None
            yield replace(
                view,
                state=both,
                action=action,
                changed=(*(view.changed if self._asks else ()), *(self.problem.ids[r] for r in changed)),
                core=core,
                findings=(*view.findings, *self._broken_at(view.step)),
            )

    def _changes_at_end(self, rule: int) -> bool:
        before, after = self._track.status(rule, len(self.trace.calls)), self._ended(rule)
        return before != after and {before, after} != {"kept", "kept_so_far"}

    def _end_state(self) -> State:
        found = {result.state for result in self._results}
        last = self._track.states[-1]
        if "broken" in found:
            return "broken"
        return last if last == "doomed" or "unknown" not in found else "unknown"

    def _broken_at(self, step: StepNo) -> list[Finding]:
        """Return a finding for each rule that a step broke."""
        made = []
        for rule, result in enumerate(self._results):
            if step in result.broken_at:
                actions: tuple[str, ...] = ()
                if isinstance(step, int) and step > 0:
                    tool = self.trace.calls[step - 1].tool
                    known = self.problem.action_by_tool.get(tool)
                    actions = (known.id,) if known is not None else ()
                made.append(Finding("rule_broken", step, (self.problem.ids[rule],), actions=actions))
        return made

    @property
    def _lost(self) -> int | None:
        """The index at which the rules are lost, or None."""
        if self._track.lost is not None or not self._over:
            return self._track.lost
        return len(self.run.steps) - 1 if any(r.state == "broken" for r in self._results) else None

    @cached_property
    def _rules_core(self) -> cores.Core | None:
        """The core of the rules, with the ids of the file."""
        lost, track = self._lost, self._track
        if lost is None:
            return None
        if track.lost is None:
            whole = [*track.events, *((one, len(track.upto)) for one in self._heard_last())]
            return cores.find_core(track.book, track.tools, "end", whole)
        return cores.find_core(track.book, track.tools, lost, track.events[: track.upto[lost]])

    def _heard_last(self) -> list[Said]:
        count = len(self.trace.heard)
        return [item for item in self._whole.items if isinstance(item, Said)][-count:] if count else []

    @cached_property
    def _core(self) -> Core | None:
        found = self._rules_core
        if found is None:
            return None
        number = {rule.id: k for k, rule in enumerate(self._track.book.rules)}
        return Core(tuple(self.problem.ids[number[id]] for id in found.rules), found.steps)

    def _joint_core(self, attempt: int) -> Core:
        """Return the core of query and rules as one. It is lost before either of them is."""
        assert self._both is not None
        if attempt not in self._joint_cores:
            self._joint_cores[attempt] = self._both.core(attempt)
        return self._joint_cores[attempt]

    @cached_property
    def _joint_cores(self) -> dict[int, Core]:
        return {}

    @property
    def _joint_lost(self) -> int | None:
        """The index at which query and rules as one were lost in the last attempt, or None."""
        return self._both.lost.get(self.last_attempt.number) if self._both is not None else None

    @cached_property
    def first_doomed(self) -> int | None:
        """The index at which the last attempt was lost, or None. Rules go on over attempts."""
        own = self.run.first_doomed if self._asks else None
        found = [index for index in (own, self._lost, self._joint_lost) if index is not None]
        return min(found, default=None)

    def lost_at(self, attempt: int) -> int | None:
        """Return the index at which an attempt was lost, or None."""
        return next((v.index for v in self.steps if v.attempt == attempt and v.lost), None)

    def status(self, constraint_id: str, index: int) -> Status:
        """Return the status of a constraint or a rule at a step."""
        rule = (self.problem.numbers or {}).get(constraint_id)
        if rule is None:
            return self.run.status(constraint_id, index)
        if self._over and index == len(self.run.steps) - 1:
            return self._ended(rule)
        return self._track.status(rule, index)

    def statuses(self, index: int) -> dict[str, Status]:
        return {c.id: self.status(c.id, index) for c in self.problem.constraints}

    def value_at(self, constraint_id: str, index: int) -> str:
        """Return the value that decides a rule's status: ``order_id 7``, or the first of several."""
        rule = (self.problem.numbers or {}).get(constraint_id)
        if rule is None or not self._track.book.rules[rule].per:
            return ""
        last = min(index, len(self.trace.calls))
        status = self.status(constraint_id, index)
        found = self._track.values(rule, last, status)
        if not found and status == "broken":
            found = self._track.values(rule, last, "owed")
        if not found or status in ("kept", "kept_so_far"):
            return ""
        names = " and ".join(map(path_text, self._track.book.rules[rule].per))
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        return f"{names} {found[0]}{more}"

    # What can come next

    def safe_moves(self, index: int) -> tuple[Move, ...]:
        """Return the calls that keep everything possible: with a query, its safe moves that the rules allow too."""
        if self.steps[index].state != "completable":
            return ()
        track = self._track
        judge = track.judge_at(min(index, len(self.trace.calls)))
        by_id, by_tool = self.problem.action_by_id, self.problem.action_by_tool
        if self._asks:
            own = self.run.safe_moves(index)
            tools = [by_id[move.action].tool for move in own]
            both = self._both
            if both is None:
                safe = set(safe_tools(track.future, judge, tools))
                return tuple(move for move in own if by_id[move.action].tool in safe)
            judge = both.judge_at(min(index, len(self.trace.calls)))
            safe = set(safe_tools(both.future, judge, tools))
            found = tuple(move for move in own if by_id[move.action].tool in safe)
            if found:
                return found
            free = [tool for tool in track.tools if tool in by_tool and tool not in both.query.action_by_tool]
            named = [
                tool for tool in free if tool in both.book.literal
            ]  # calls that a rule wants first, or still
            return tuple(Move(by_tool[tool].id) for tool in safe_tools(both.future, judge, named))
        tools = [tool for tool in track.tools if "*" not in tool]
        return tuple(
            Move(by_tool[tool].id if tool in by_tool else tool)
            for tool in safe_tools(track.future, judge, tools)
        )

    def valid_completions(self, index: int) -> int | None:
        """Return 0 for a lost plan, else None: rules allow too many orders to count."""
        return 0 if self.steps[index].lost else None

    def one_way(self, index: int) -> tuple[PlannedCall, ...] | None:
        """Return calls after which everything is kept, or None if none were found."""
        if self.steps[index].state != "completable":
            return None
        judge = self._track.judge_at(min(index, len(self.trace.calls)))
        if self._asks:
            own = self.run.one_way(index)
            if own is not None and self._keeps(judge, [call.action for call in own]):
                return own
            if self._both is None or self.problem.timed:
                return None
        found = (
            self._both.way(min(index, len(self.trace.calls))) if self._both else self._track.future.of(judge)
        )
        if not found.possible:
            return None
        by_tool = self.problem.action_by_tool
        return tuple(
            PlannedCall(
                by_tool[letter.tool].id if letter.tool in by_tool else letter.tool or "a user message",
                needs=needed(letter),
            )
            for letter in found.plan
        )

    def _keeps(self, judge: Judge, actions: Iterable[str]) -> bool:
        """Return whether the rules are kept if these actions follow, called without arguments."""
        judge = judge.copy()
        for number, action in enumerate(actions, judge.last_step + 1):
            tool = self.problem.action_by_id[action].tool
            judge.call(ToolCall(number, tool, judge.message + 1, {}, answer="", answered=True))
        return all(r.state in ("kept", "not_applicable") for r in judge.results(self._whole))

    def ahead(self) -> RuledLookahead:
        """Look one call ahead from the end of a run that goes on."""
        return RuledLookahead(self)

    # The whole run

    def verdict(self, *, strict: bool = False) -> Verdict:
        """Return the worst of both verdicts, with the findings of both."""
        own = self.run.verdict(strict=strict) if self._asks else None
        kind: VerdictKind = "unknown"
        if self._over:
            kind = verdict_of(self._results, self._whole, running=False)
            if kind == "right" and self.trace.ending == "aborted":
                kind = "aborted"
        if own is not None and self._over:
            kinds = (kind, own.verdict)
            worst: tuple[VerdictKind, ...] = ("wrong", "aborted", "unknown")
            kind = next((one for one in worst if one in kinds), "right")
        mine = [f for view in self.steps for f in view.findings if f.type == "rule_broken"]
        theirs = list(own.findings) if own is not None else []
        first = [f for f in theirs[:1] if own is not None and own.verdict == "wrong"]
        rest = [f for f in (*theirs, *mine) if f not in first]
        rest.sort(key=lambda f: (f.severity != "error", float("inf") if f.step == "end" else f.step))
        findings = (*first, *rest)
        error = next((f.type for f in findings if f.severity == "error"), None) if kind == "wrong" else None
        lost = self.first_doomed
        core = self.steps[lost].core if lost is not None else None
        violation = None
        if core is not None and lost is not None and core.constraints:
            violation = Violation(self.steps[lost].step, core.constraints[0], core)
        return Verdict(kind, error, findings, violation)

    def repair(self, from_step: int = 0) -> Repair:
        """Return the nearest change that keeps the rules or, with a query, its nearest plan if the rules allow it."""
        if self._asks:
            return self._repair_both(from_step)
        fixed = self._fixed
        if isinstance(fixed, str):
            return Repair(None, reason=fixed)
        return self._as_repair(fixed)

    def _repair_both(self, from_step: int) -> Repair:
        """Return the nearest plan of the query that the rules allow, or else calls that keep both."""
        found = self.run.repair(from_step)
        begun = self._track.judge_at(0)
        if found.order is None or self._keeps(begun, found.order):
            return found
        lost = self._joint_lost
        if lost is not None and lost <= from_step:
            since = f"after step {from_step} " if from_step else ""
            return Repair(None, reason=f"{since}no calls can keep both the query and the rules")
        tried = 1
        for plan in islice(self.run.plans(from_step), MOST_PLANS):
            tried += plan.order != found.order
            if plan.order is not None and self._keeps(begun, plan.order):
                return plan
        both = self._both
        if both is not None and not from_step and not self.problem.timed:
            items: list[Any] = [event for event, _ in both.until(len(self.trace.calls))]
            if len(self.trace.calls) <= MOST_REPAIRED:
                fixed = repair(both.book, both.tools, replace(self._whole, items=items))
                if fixed is not None:
                    return self._as_repair(unmarked(fixed))
        return Repair(
            None, exact=False, reason=f"none of the {tried} nearest plans of the query keeps the rules"
        )

    def way_back(self) -> Repair:
        """Return the repair, with a query the one that keeps the calls before the plan was lost."""
        if self._asks and (lost := self.first_doomed) is not None and lost > 1:
            found = self.repair(lost - 1)
            if found.order is not None:
                return found
        return self.repair()

    @cached_property
    def _fixed(self) -> RulesRepair | str:
        """The nearest change, or why there is none."""
        if len(self.trace.calls) > MOST_REPAIRED:
            return f"a run of more than {MOST_REPAIRED} calls is not repaired"
        found = repair(self._track.book, self._track.tools, self._whole)
        if found is None:
            return "no change of the calls was found that keeps every rule"
        return found

    def _as_repair(self, fixed: RulesRepair) -> Repair:
        """Return a change of the trace as the calls in their new order, by their actions."""
        by_tool = self.problem.action_by_tool

        def action(tool: str) -> str:
            return by_tool[tool].id if tool in by_tool else tool

        gone = {one.step for one in fixed.moved} | {one.step for one in fixed.removed}
        last = len(self.trace.calls) + 1
        rows: list[tuple[float, int, str]] = [
            (step, 1, call.tool)
            for step, call in enumerate(self.trace.calls, 1)
            if step not in gone and not call.refused
        ]
        new = [(one.before, one.tool) for one in fixed.placed]
        rows += [(last if before == "end" else before, 0, tool) for before, tool in new]
        rows.sort(key=lambda row: row[:2])
        return Repair(
            tuple(action(tool) for _, _, tool in rows if tool),
            inserted=tuple(action(one.tool) for one in fixed.inserted),
            removed=tuple(action(one.tool) for one in fixed.removed),
            exact=fixed.exact,
            changes=tuple(repair_parts(fixed)),
        )

    # Z3

    def certify(self, timeout: int = 10_000, started: Started | None = None) -> bool | None:
        """Ask Z3 about the query's verdict, and about the rules' core or, if they are kept, about each rule."""
        answers = [self.run.certify(timeout, started)] if self._asks else []
        found, track = self._rules_core, self._track
        if found is not None:
            answers.append(confirmed(track.book, track.tools, found, self._whole))
        elif self._over:
            answers.append(kept_confirmed(track.book, self._whole, open_end=self._whole.ended != "complete"))
        if self._both is not None and self._joint_lost is not None:
            answers.append(self._both.certify(self.last_attempt.number, self._whole))
        return False if False in answers else None if None in answers or not answers else True

    def reasons(
        self,
        index: int | None = None,
        *,
        most: int = 100,
        timeout: int = 2_000,
        on_core: Callable[[Core], None] | None = None,
        on_correction: Callable[[Correction], None] | None = None,
        stopped: Callable[[], bool] | None = None,
        started: Started | None = None,
    ) -> Reasons:
        """Find all minimal cores and corrections: of the query if it is what was lost, else of the rules."""
        from planscope.rules.reasons import reasons

        if index is None:
            index = len(self.steps) - 1 if self.first_doomed is None else self.first_doomed
        view = self.steps[index]
        if not view.lost or view.core is None:
            return Reasons(index, view.step, (), ())
        both = self._both
        if both is not None and view.core is self._joint_cores.get(view.attempt):
            return self._joint_reasons(
                both,
                index,
                most,
                on_core=on_core,
                on_correction=on_correction,
                stopped=stopped,
                started=started,
            )
        if view.core is not self._core:
            return self.run.reasons(
                index,
                most=most,
                timeout=timeout,
                on_core=on_core,
                on_correction=on_correction,
                stopped=stopped,
                started=started,
            )
        track = self._track
        ended = view.step == "end" and track.lost is None
        last = len(track.events) if view.step == "end" else track.upto[index]
        happened = track.events[:last]
        if ended:
            happened = [*happened, *((one, len(track.upto)) for one in self._heard_last())]
        found = reasons(
            track.book,
            track.tools,
            happened,
            "end" if ended else index,
            self.problem.ids,
            self._core,
            most=most,
            on_core=on_core,
            on_correction=on_correction,
            stopped=stopped,
            started=started,
        )
        return replace(found, index=index, step=view.step)

    def _joint_reasons(
        self,
        both: Together,
        index: int,
        most: int,
        *,
        on_core: Callable[[Core], None] | None,
        on_correction: Callable[[Correction], None] | None,
        stopped: Callable[[], bool] | None,
        started: Started | None,
    ) -> Reasons:
        """Find all reasons for which query and rules as one are lost."""
        from planscope.rules.reasons import reasons

        attempt, step = self.steps[index].attempt, self.steps[index].step
        at = both.lost[attempt]
        first = Core(*both.core_of(attempt))

        def core_of(one: Core) -> Core:
            return Core(both.constraints(one.constraints, at), one.steps)

        def correction_of(one: Correction) -> Correction:
            return Correction(both.constraints(one.constraints, at), one.steps)

        found = reasons(
            both.book,
            both.tools,
            both.until(at),
            at,
            list(both.members),
            first,
            most=most,
            members=list(both.members.values()),
            on_core=None if on_core is None else lambda one: on_core(core_of(one)),
            on_correction=None if on_correction is None else lambda one: on_correction(correction_of(one)),
            stopped=stopped,
            started=started,
        )
        return replace(
            found,
            index=index,
            step=step,
            cores=tuple(dict.fromkeys(map(core_of, found.cores))),
            corrections=tuple(dict.fromkeys(map(correction_of, found.corrections))),
        )

    def certify_reasons(
        self,
        found: Reasons,
        timeout: int = 10_000,
        *,
        stopped: Callable[[], bool] | None = None,
        started: Started | None = None,
    ) -> bool | None:
        """Ask Z3 about each core. Corrections of rules are not asked about, so the answer is not True for them."""
        if not found.cores or not set(found.cores[0].constraints) & set(self.problem.ids):
            return self.run.certify_reasons(found, timeout, stopped=stopped, started=started)
        if not set(found.cores[0].constraints) <= set(self.problem.ids):
            return None  # cores of query and rules: only the first one is asked about, by ``certify``
        track = self._track
        rules = {id: track.book.rules[k].id for id, k in (self.problem.numbers or {}).items()}
        for one in found.cores:
            if stopped is not None and stopped():
                return None
            step: StepNo = "end" if found.step == "end" and track.lost is None else found.index
            steps = tuple(s for s in one.steps if isinstance(s, int))
            ids = tuple(rules[id] for id in one.constraints)
            said = confirmed(track.book, track.tools, cores.Core(step, ids, steps), self._whole)
            if not said:
                return said
        return None if found.corrections else True


class RuledLookahead:
    """Answers what one more call would do to the rules, and to the query if there is one."""

    def __init__(self, run: RuledReplay) -> None:
        self.ruled = run
        self._own = Lookahead(run.run) if run._asks else None
        self._before = run.steps[-1].state

    @property
    def clock(self) -> int | None:
        """The latest end so far (timed)."""
        return self._own.clock if self._own is not None else None

    @cached_property
    def safe(self) -> dict[str, tuple[int, int] | None]:
        """Ids of the safe next actions, each with its first and last safe start hour (timed)."""
        return {m.action: m.hours for m in self.ruled.safe_moves(len(self.ruled.steps) - 1)}

    def was_done(self, action: int) -> bool:
        """Return whether the action was done in this attempt; False without a query, where repeating is free."""
        return self._own is not None and self._own.was_done(action)

    def after(
        self, action: int, start: int | None = None, arguments: Mapping[str, Any] | None = None
    ) -> Outcome:
        """Return the outcome of calling the action with this index next.

        Without ``arguments``, it is the best that some call of this tool can have.
        """
        run, track = self.ruled, self.ruled._track
        query = run.problem.query
        own = Outcome("completable")
        if self._own is not None and action < len(query.actions):
            own = self._own.after(action, start)
        tool = run.problem.actions[action].tool
        given = {} if arguments is None else dict(arguments)
        call = ToolCall(track.judge.last_step + 1, tool, track.message + 1, given)
        found = track.future.of(track.judge, tool if arguments is None else call)
        state: State = "unknown" if found.possible is None else "completable" if found.possible else "doomed"
        breaks: tuple[str, ...] = ()
        if state == own.state == "completable" and run._both is not None:
            state = run._both.after(tool if arguments is None else call)
        elif state != "completable":
            trial = track.judge.copy()
            trial.changed.clear()
            trial.call(call)
            known = track.judge

            def newly(k: int) -> bool:
                was = k < len(known.state) and known.status(k) == "broken"
                return not was and trial.status(k) == "broken"

            broken = {trial.owner[k] for k in trial.changed if newly(k)}
            breaks = tuple(run.problem.ids[rule] for rule in sorted(broken))
            state = "broken" if breaks else state
        if not breaks and (self._before == "broken" or (self._before, state) == ("doomed", "completable")):
            state = self._before
        return Outcome(cast(State, together([own.state, state])), (*own.breaks, *breaks))
