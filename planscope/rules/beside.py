"""Judges rules about calls along a run, alone or together with a query (``planscope.oracle.judged.Beside``).

A rule is a constraint of the problem, of the kind ``of_calls``. Query and rules are judged side by side, and both must
hold. While neither is lost, ``with_query.py`` judges them as one, and a step is lost if no continuation keeps the rules
*and* finishes the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import islice, zip_longest
from typing import cast

from planscope.frozen import frozen
from planscope.language.calls import ASSISTANT, USER, Calls, path_text
from planscope.language.outline import OutlineNode
from planscope.language.problem import Action, Constraint, Problem
from planscope.oracle.judged import Search, together
from planscope.oracle.repair import nearest_plans
from planscope.oracle.replay import Replay, first_violation, judge
from planscope.oracle.trace import Tool, ToolCall, Trace
from planscope.oracle.verdict_types import (
    Core,
    Correction,
    Finding,
    Move,
    PlannedCall,
    Proof,
    Reasons,
    Repair,
    SafeCall,
    State,
    Status,
    StepNo,
    StepView,
    VerdictKind,
)
from planscope.oracle.walk import Walk
from planscope.rules.budget import Budget
from planscope.rules.confirm import confirmed, kept_confirmed, mends
from planscope.rules.core import Happened, Lost, each, feed, find_core, heard
from planscope.rules.judge import Judge, Rulebook, Tested, events, known_tools, verdict_of
from planscope.rules.kinds import KINDS
from planscope.rules.letters import OTHER_TOOL
from planscope.rules.reasons import reasons
from planscope.rules.repair import RulesRepair, repair
from planscope.rules.report import Checked, Details, Lack, lack_text, lacking, undecided
from planscope.rules.rule import Rule, RuleFile
from planscope.rules.track import Track
from planscope.rules.values import key_text, other_type
from planscope.rules.with_query import UNDONE, Together, makes_sense, unmarked
from planscope.rules.witness import safe_moves
from planscope.rules.words import meaning, needed, repair_parts, repair_text
from planscope.wording import constraints as wording
from planscope.wording.explain import explain_core, explain_verdict
from planscope.wording.phrases import listed

MOST_PLANS = 100
"""Limit of the query's nearest plans that are tried with the rules, before calls may be inserted and removed, too."""

NO_QUERY = Problem((), (), own={}, unjudged="there is no query, only rules")
_NO_RULES = RuleFile("", ())


@frozen
class RuledProblem(Problem):
    """A problem with rules about calls. ``query``: the problem without them. ``numbers``: the rules' indexes in
    ``file.rules``, by their ids in the problem. ``given``: the mock tools, which are all that there are; empty for a
    user's own agent."""

    query: Problem = NO_QUERY
    file: RuleFile = _NO_RULES
    numbers: Mapping[str, int] | None = None
    given: tuple[str, ...] = ()
    succeeded_only: bool = False
    """Whether failed calls do not count."""

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
    def late(self) -> bool:
        """Whether messages matter, since rules look at answers."""
        return any(rule.late for rule in self.file.rules)

    def unasked(self, why: str) -> Problem:
        """Return the same rules with a query that is not judged."""
        return replace(self, query=self.query.unasked(why))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the rules in this problem, by their indexes."""
        return tuple(self.numbers or ())

    def beside(self, own: Walk) -> Rules:
        """Judge the rules along a run. ``own``: the query, judged."""
        return Rules(self, own)


def judged_trace(file: RuleFile, trace: Trace, *, succeeded_only: bool = False) -> Replay:
    """Judge a trace by rules alone. Its actions are its tools, by their own names."""
    tools = dict.fromkeys([*trace.tools, *(call.tool for call in trace.calls), *Rulebook(file.rules).literal])
    problem = ruled(NO_QUERY, file, [Action(tool, tool, tool) for tool in tools])
    return Replay(replace(problem, succeeded_only=succeeded_only), trace)


def checked_run(
    run: Replay,
    file: RuleFile,
    id: str,
    *,
    strict: bool = False,
    details: bool = True,
    budget: Budget | None = None,
) -> Checked:
    """Return what is said of a run that was judged by these rules: verdict, first violation, core, repair.

    ``strict``: warnings about the query's run count as errors. ``details``: seek core and repair. ``budget``: of all
    traces that are repaired.
    """
    assert isinstance(run.rules, Rules)
    rules, trace = run.rules, run.trace
    rules.budget = budget.part(3 / 4) if budget is not None else None
    verdict = run.verdict(strict=strict)
    kind = verdict_of(rules.results, trace, running=True) if trace.ending == "running" else verdict.verdict
    words = explain_verdict(run, verdict)
    why = None
    if details and kind == "wrong":
        why = _details(run, rules, file)
        if trace.ending == "running" and verdict.first_violation is not None:
            words = explain_core(run, verdict.first_violation.core)
        if why.proof == "gave_up":
            words += " (Z3 gave up, so this core is not confirmed.)"
        if why.repair is not None:
            words += f" {repair_text(why.repair)}"
        elif run.asks and (order := run.repair().order) is not None:
            words += (
                f" Nearest correct plan: {listed(wording.name(run.problem, action) for action in order)}."
            )
    names = frozenset(call.tool for call in trace.calls)
    results = rules.results
    return Checked(
        id,
        kind,
        len(trace.calls),
        results,
        trace.problem,
        words,
        trace.cause,
        names,
        rules.lacks,
        why,
        verdict.warnings,
        trace.left_out,
        trace.reward,
    )


def repair_of(run: Replay) -> RulesRepair | None:
    """Return the change of a run that rules alone judge, or None if the run broke off or goes on."""
    rules = run.rules
    if not isinstance(rules, Rules) or rules.asks or rules.trace.open_end:
        return None
    return rules.fixed


def _details(run: Replay, rules: Rules, file: RuleFile) -> Details:
    violation = first_violation(run)
    core = violation.core if violation is not None else Core((), ())
    ids = {id: file.rules[number].id for id, number in rules.numbers.items()}
    return Details(
        violation.step if violation is not None else None,
        tuple(ids[id] for id in core.constraints if id in ids),
        core.steps,
        tuple(id for id in core.constraints if id not in ids),
        run.certify() if violation is not None else "not_asked",
        repair_of(run),
        judge(run.own, False).verdict if run.asks else None,
    )


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
    given = tuple(action.tool for action in actions) if query.own is None else ()
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
    return RuledProblem(
        tuple(actions),
        (*said, *(_constraint(id, rule, actions) for id, rule in rules.items()), *basic),
        query.timed,
        query.text,
        query.own,
        "",
        query=query,
        file=file,
        numbers={id: number for number, id in enumerate(rules)},
        given=given,
    )


def _constraint(id: str, rule: Rule, actions: Iterable[Action]) -> Constraint:
    named = [a for a in actions if any(c.names(a.tool) and c.name != "*" for c in rule.sets)]
    return Constraint(
        id,
        "of_calls",
        rule.text or meaning(rule),
        source="rules",
        node=("rules", KINDS[rule.kind].about, id),
        means=meaning(rule),
        title=rule.name or "",
        about=tuple(a.id for a in named),
    )


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


class Rules:
    """The rules of a problem along one run. ``own`` is the run, judged by the query alone."""

    def __init__(self, problem: RuledProblem, own: Walk) -> None:
        self.problem, self.own = problem, own
        self.budget: Budget | None = None
        """What the search for a repair may spend, if it is not that of a command of its own."""
        self.asks = not problem.query.unjudged
        self.numbers: Mapping[str, int] = problem.numbers or {}
        self._begin(frozenset())

    def _begin(self, undecided: frozenset[int]) -> None:
        """Judge the run from its first call on. ``undecided``: the indexes of rules that go by arguments which it has
        nowhere, if it seemed to be lost."""
        self.anew = True
        trace, problem = self.trace, self.problem
        own_tools = problem.query.own or {} if not trace.id else {}
        called = (call.tool for call in trace.calls)
        tools, file = {*trace.tools, *own_tools, *called}, problem.file
        there_are = None if file.known is None else file.known | tools
        book = Rulebook(file.rules, succeeded_only=problem.succeeded_only, known=there_are)
        book = book.about(trace).for_tools(tools)
        book = book.leaving_open(undecided) if undecided else book
        named = (action.tool for action in problem.query.actions)
        known = list(dict.fromkeys([*known_tools(book, trace), *named, *own_tools]))
        self.track = Track(book, known)
        self.both: Together | None = None
        if book.rules and makes_sense(problem.query, book.rules):
            self.both = Together(problem.query, book, problem.ids, known)
        self.states_of_both: list[State | None] = []
        self._taken = 0
        """The number of items that were judged."""
        self.grow()

    @cached_property
    def trace(self) -> Trace:
        """The run's trace. If it defines no tools, mock tools are those of the problem."""
        trace, given = self.own.trace, self.problem.given
        if trace.tools or not given:
            return trace
        return replace(trace, tools={tool: Tool(tool) for tool in given})

    def then(self, own: Walk) -> Rules:
        """Return the rules along a longer run. A tool that was not known makes it begin anew."""
        calls = own.trace.calls[len(self.trace.calls) :]
        if not all(call.tool in self.track.tools for call in calls):
            return Rules(self.problem, own)
        made = copy(self)
        for answer in ("trace", "results", "loss", "core", "fixed"):
            vars(made).pop(answer, None)
        made.own, made.anew = own, False
        made.track = self.track.copy()
        made.both = self.both.copy() if self.both is not None else None
        made.states_of_both = self.states_of_both.copy()
        made.grow()
        return made

    def grow(self) -> None:
        """Judge the items that the track does not have yet."""
        track, items = self.track, self.trace.items[self._taken :]
        new = [one for one, _ in events(items, (USER, *track.book.hears))]
        if not self.states_of_both:
            self.states_of_both.append(self._state_of_both(0))
        elif new and track.events and new[0].message == track.events[-1][0].message:
            self._reopen()
        for item, after in zip_longest(new, new[1:]):
            if not track.add(item, after):
                continue
            index = len(track.upto) - 1
            if self.both is not None:
                added = [event for event, _ in track.events[track.upto[index - 1] :]]
                self.both.add(self.own.facts[index - 1], added, after)
            self.states_of_both.append(self._state_of_both(index))
        self._taken = len(self.trace.items)
        before = track.book.undecided
        if before or track.lost is not None:  # else it only matters at the end, which ``results`` sees
            undecided = track.judge.undecided(self.trace)
            if undecided != before:
                self._begin(frozenset() if before else undecided)

    def _reopen(self) -> None:
        """The message of the last call goes on after all."""
        self.track.reopen()
        both, index = self.both, len(self.states_of_both) - 1
        if both is not None:
            both.track.reopen()
            both.lost = {attempt: at for attempt, at in both.lost.items() if at < index}
        self.states_of_both[index] = self._state_of_both(index)

    def _state_of_both(self, index: int) -> State | None:
        """Return the state of query and rules as one after the last call, or None if one of them is lost already."""
        both = self.both
        if both is None:
            return None
        view = self.own.steps[index]
        if view.attempt in both.lost:
            return "doomed"
        if view.state != "completable" or self.track.states[index] != "completable":
            return None
        state = both.state()
        if state == "doomed":
            both.lost[view.attempt] = index
        return state

    @property
    def over(self) -> bool:
        return self.own.trace.ending != "running"

    @cached_property
    def results(self) -> list[Tested]:
        """The rules' results on the whole run."""
        judge = self.track.judge
        if self.track.heard:
            judge = judge.copy()
            feed(judge, self.track.heard)
        return judge.results(self.trace, open_end=self.trace.open_end)

    @property
    def lacks(self) -> tuple[Lack, ...]:
        """The arguments that rules go by and that no call has."""
        judge = self.track.judge
        return tuple(lacking(judge, self.trace)) if judge.lacking else ()

    # Steps

    def view(self, own: StepView) -> StepView:
        """Add to a step of the query what the rules say of it. A core is of whatever was lost first."""
        index, ended = own.index, own.step == "end"
        joint = self.both.lost.get(own.attempt) if self.both is not None else None
        joint_lost = joint is not None and index >= joint
        states = [self._end_state() if ended else self.track.states[index]]
        if self.asks:
            states.append(own.state)
        if joint_lost:
            states.append("doomed")
        elif not ended and (at_once := self.states_of_both[index]) is not None:
            states.append(at_once)
        lost = self._lost if ended else self.track.lost
        core = self.core if lost is not None and index >= lost else None
        if self.asks and own.core is not None:
            began = self.own.lost_at(own.attempt) or 0
            if core is None or lost is None or began <= lost:
                core = own.core
        if self.both is not None and joint_lost:
            core = self.both.core(own.attempt)
        rules = self._changed_at_end() if ended else self.track.changes[index]
        action = own.action
        if action is None and own.call is not None and not own.call.refused:
            known = self.problem.action_by_tool.get(own.call.tool)
            action = known.id if known is not None else None
        return replace(
            own,
            state=together(states),
            action=action,
            changed=(*(own.changed if self.asks else ()), *(self.problem.ids[rule] for rule in rules)),
            core=core,
            findings=(*own.findings, *self._findings(own)),
        )

    def _changed_at_end(self) -> list[int]:
        last = len(self.trace.calls)
        pairs = ((self.track.status(r, last), self._ended(r)) for r in range(len(self.results)))
        return [r for r, (a, b) in enumerate(pairs) if a != b and {a, b} != {"kept", "kept_so_far"}]

    def _end_state(self) -> State:
        found = {result.state for result in self.results}
        last = self.track.states[-1]
        if "broken" in found:
            return "broken"
        return last if last == "doomed" or "unknown" not in found else "unknown"

    def _findings(self, own: StepView) -> Iterable[Finding]:
        """Yield a finding for each rule that a step broke."""
        broke = self.track.broke[own.index] if own.step != "end" else ()
        if own.step == "end":
            broke = tuple(r for r, result in enumerate(self.results) if "end" in result.broken_at)
        known = self.problem.action_by_tool.get(own.call.tool) if own.call is not None else None
        actions = (known.id,) if known is not None else ()
        for rule in broke:
            yield Finding("rule_broken", own.step, (self.problem.ids[rule],), actions=actions)

    @property
    def _lost(self) -> int | None:
        """The index at which the rules alone are lost, or None."""
        if self.track.lost is not None or not self.over:
            return self.track.lost
        return len(self.own.steps) - 1 if any(r.state == "broken" for r in self.results) else None

    def lost_at(self, attempt: int) -> int | None:
        """Return the index at which the rules, or query and rules together, were lost in an attempt."""
        joint = self.both.lost.get(attempt) if self.both is not None else None
        return min((index for index in (self._lost, joint) if index is not None), default=None)

    def _lost_at(self, index: StepNo, happened: Happened, first: bool) -> Lost:
        book = self.track.book
        return Lost(book, self.track.tools, index, heard(book, happened), each(self.problem.ids), first)

    @cached_property
    def loss(self) -> Lost | None:
        """The step at which the rules alone are lost."""
        lost, track = self._lost, self.track
        if lost is None:
            return None
        if track.lost is None:
            happened = [*track.events, *track.heard]
            return self._lost_at("end", happened, track.states[-1] == "completable")
        first = not lost or track.states[lost - 1] == "completable"
        return self._lost_at(lost, track.happened(lost), first)

    def _asked(self, index: int) -> Lost:
        """Return the lost step that a question about an index is about."""
        if self.loss is not None and self.loss.step == "end":
            return self.loss
        place = min(index, len(self.trace.calls))
        return self._lost_at(place, self.track.happened(place), False)

    @cached_property
    def core(self) -> Core | None:
        """The core of the rules alone."""
        return find_core(self.loss) if self.loss is not None else None

    def _ended(self, rule: int) -> Status:
        """Return a rule's status at the end."""
        result = self.results[rule]
        if result.owed:
            return "owed"
        return cast(Status, result.state) if result.state in ("broken", "unknown") else "kept"

    def status(self, rule: str, index: int) -> Status:
        """Return the status of a rule at a step."""
        number = self.numbers[rule]
        if self.over and index == len(self.own.steps) - 1:
            return self._ended(number)
        return self.track.status(number, index)

    def value_at(self, rule: str, index: int) -> str:
        """Return the value that decides a rule's status: ``order_id 7``, or the first of several; and which call has
        one that only reads like it."""
        number = self.numbers[rule]
        judged = self.track.book.rules[number]
        status = self.status(rule, index)
        if not judged.per or status in ("kept", "kept_so_far"):
            return ""
        last = min(index, len(self.trace.calls))
        found = self.track.keys(number, last, status)
        if not found and status == "broken":
            found = self.track.keys(number, last, "owed")
        if not found:
            return ""
        calls = (event for event, _ in self.track.events if isinstance(event, ToolCall))
        other = other_type(judged, found[0], calls)
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        names = " and ".join(map(path_text, judged.per))
        return f"{names} {key_text(found[0])}{more}{f' ({other})' if other else ''}"

    # What can come next

    def _judge_at(self, index: int) -> Judge:
        return self.track.judge_at(min(index, len(self.trace.calls)))

    def safe_calls(self, index: int, own: tuple[Move, ...]) -> tuple[SafeCall, ...]:
        """Return the calls that keep everything possible: with a query, its safe moves that the rules allow too."""
        by_id, by_tool = self.problem.action_by_id, self.problem.action_by_tool
        every = {tool: Move(by_tool[tool].id if tool in by_tool else tool) for tool in self.track.tools}
        future, judge, both = self.track.future, self._judge_at(index), self.both
        if not self.asks:
            return safe_moves(future, judge, every)
        moves = {by_id[move.action].tool: move for move in own}
        if both is None:
            return safe_moves(future, judge, moves)
        place = min(index, len(self.trace.calls))
        track = both.track_at(place)
        future, judge = track.future, track.judge_at(place)
        literal = both.book.literal  # calls that a rule wants first, or still
        named = {t: m for t, m in every.items() if t in literal and t not in both.query.action_by_tool}
        return safe_moves(future, judge, moves) or safe_moves(future, judge, named)

    def one_way(self, index: int, own: tuple[PlannedCall, ...] | None) -> tuple[PlannedCall, ...] | None:
        """Return calls after which everything is kept, or None if none were found."""
        judge = self._judge_at(index)
        if self.asks:
            if own is not None and self._keeps(judge, [call.action for call in own]):
                return own
            if self.both is None or self.problem.timed:
                return None
        calls = min(index, len(self.trace.calls))
        track = self.both.track_at(calls) if self.both is not None else self.track
        found = track.future.of(track.judge_at(calls))
        if not found.possible:
            return None
        names = {USER: "a user message", ASSISTANT: "an assistant message", OTHER_TOOL: "any other tool"}
        names |= {tool: action.id for tool, action in self.problem.action_by_tool.items()}
        return tuple(PlannedCall(names.get(one.tool, one.tool), needs=needed(one)) for one in found.plan)

    def _keeps(self, judge: Judge, actions: Iterable[str]) -> bool:
        """Return whether the rules are kept if these actions follow, called without arguments."""
        judge = judge.copy()
        for number, action in enumerate(actions, judge.last_step + 1):
            tool = self.problem.action_by_id[action].tool
            call = ToolCall(tool, {}, answer="", answered=True, step=number, message=judge.message + 1)
            judge.take(call, number)
        return all(r.state in ("kept", "not_applicable") for r in judge.results(self.trace))

    def after(
        self, action: int, arguments: Mapping[str, object] | None, own: str
    ) -> tuple[State, tuple[str, ...]]:
        """Return the state after one more call, and the ids of the rules that it breaks."""
        judge = self.track.judge
        tool = self.problem.actions[action].tool
        given = {} if arguments is None else dict(arguments)
        call = ToolCall(tool, given, step=judge.last_step + 1, message=self.trace.message + 1)
        first = tool if arguments is None else call
        found = self.track.future.of(judge, first).possible
        state: State = "unknown" if found is None else "completable" if found else "doomed"
        if state == "completable":
            both = self.both if own == "completable" else None
            return (state if both is None else both.after(first)), ()
        trial = judge.copy()
        trial.changed.clear()
        trial.take(call, call.step)

        def newly(k: int) -> bool:
            was = k < len(judge.state) and judge.status(k) == "broken"
            return not was and trial.status(k) == "broken"

        broken = {trial.owner[k] for k in trial.changed if newly(k)}
        breaks = tuple(self.problem.ids[rule] for rule in sorted(broken))
        return "broken" if breaks else state, breaks

    # The whole run

    def kind(self) -> VerdictKind:
        """Return the verdict on the rules alone."""
        if not self.over:
            return "unknown"
        return verdict_of(self.results, self.trace, running=False)

    def undecided(self) -> str:
        """Say why rules are not decided; "" if they are."""
        return undecided(self.results, self.trace)

    def warnings(self) -> tuple[str, ...]:
        """Return a line for each argument in the rules that no call has."""
        return tuple(map(lack_text, self.lacks))

    def repair(self, from_step: int, own: Repair) -> Repair:
        """Return the nearest change that keeps the rules or, with a query, its nearest plan if the rules allow it.

        ``own``: the nearest plan of the query alone.
        """
        if self.asks and not self.trace.unclear:
            return self._repair_both(from_step, own)
        return self._as_repair(self.fixed)

    def _repair_both(self, from_step: int, own: Repair) -> Repair:
        """Return the nearest plan of the query that the rules allow, or else calls that keep both."""
        begun = self.track.judge_at(0)
        if own.order is None or self._keeps(begun, own.order):
            return own
        both = self.both
        lost = both.lost.get(self.own.last_attempt.number) if both is not None else None
        if lost is not None and lost <= from_step:
            since = f"after step {from_step} " if from_step else ""
            return Repair(None, reason=f"{since}no calls can keep both the query and the rules")
        tried = 1
        walk = self.own
        plans = nearest_plans(walk.problem, walk.plan, walk.last_attempt, from_step)
        for plan in islice(plans, MOST_PLANS):
            tried += plan.order != own.order
            if plan.order is not None and self._keeps(begun, plan.order):
                return plan
        reason = f"none of the {tried} nearest plans of the query keeps the rules"
        if both is not None and not from_step and not self.problem.timed:
            items = [event for event, _ in both.until(len(self.trace.calls))]
            fixed = self._sought(both.book, both.tools, replace(self.trace, items=items))
            if not fixed.reason:
                return self._as_repair(unmarked(fixed))
            reason += "" if fixed.sought else f"; other calls were {fixed.reason}"
        return Repair(None, exact=False, reason=reason)

    @cached_property
    def fixed(self) -> RulesRepair:
        """The nearest change, or why there is none."""
        if self.trace.unclear:
            return RulesRepair(reason="the trace lacks calls that were not understood")
        return self._sought(self.track.book, self.track.tools, self.trace)

    def _sought(self, book: Rulebook, tools: Sequence[str], trace: Trace) -> RulesRepair:
        def reads(tool: str) -> bool:
            return self.problem.file.only_reads(tool.removesuffix(UNDONE))

        return repair(book, tools, trace, reads=reads, budget=self.budget)

    def _as_repair(self, fixed: RulesRepair) -> Repair:
        """Return a change of the trace as the calls in their new order, by their actions."""
        if fixed.reason:
            return Repair(None, exact=fixed.exact, reason=fixed.reason)
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
        rows += [(last if one.before == "end" else one.before, 0, one.tool) for one in fixed.placed]
        rows.sort(key=lambda row: row[:2])
        return Repair(
            tuple(action(tool) for _, _, tool in rows if tool),
            inserted=tuple(action(one.tool) for one in fixed.inserted),
            removed=tuple(action(one.tool) for one in fixed.removed),
            exact=fixed.exact,
            changes=tuple(repair_parts(fixed)),
        )

    # Z3

    def certify(self) -> list[Proof]:
        """Ask Z3 about the rules' core or, if they are kept, about each rule; and about query and rules as one. Z3 is
        not asked about rules that are not decided."""
        loss, track = self.loss, self.track
        answers: list[Proof] = []
        if loss is not None and self.core is not None:
            answers.append(confirmed(loss, self.core) if loss.first else "not_asked")
        elif self.over and not track.book.gaps and self.kind() != "unknown":
            answers.append(kept_confirmed(track.book, self.trace, open_end=self.trace.open_end))
        elif self.over and self.own.first_doomed is None:
            answers.append("not_asked")
        attempt = self.own.last_attempt.number
        if self.both is not None and attempt in self.both.lost:
            answers.append(self.both.certify(attempt))
        return answers

    def reasons(self, index: int, core: Core, search: Search) -> Reasons | None:
        """Find all minimal cores and corrections of a lost step, or return None if the query alone was lost."""
        view, both = self.own.steps[index], self.both
        if both is not None and view.attempt in both.lost and core is both.core(view.attempt):
            at, (first, _) = both.lost[view.attempt], both.core_of(view.attempt)
            found = reasons(both.loss(view.attempt), first, search, lambda ids: both.constraints(ids, at))
        elif core is self.core:
            found = reasons(self._asked(index), core, search)
        else:
            return None
        return replace(found, index=index, step=view.step)

    def certify_reasons(self, found: Reasons, stopped: Callable[[], bool] | None) -> Proof:
        """Ask Z3 about each core and each correction."""
        if not set(found.cores[0].constraints) <= self.numbers.keys():
            return "not_asked"  # cores of query and rules: only the first one is asked about, by ``certify``
        lost = self._asked(found.index)
        everything: list[Core | Correction] = [*found.cores, *found.corrections]
        for one in everything:
            if stopped is not None and stopped():
                return "gave_up"
            said = confirmed(lost, one) if isinstance(one, Core) else mends(lost, one)
            if said != "confirmed":
                return said
        return "confirmed"
