"""What-if play: from a step of a run on, the user chooses the calls, and the oracle judges each.

The state is immutable, and each function returns another ``Played``. ``Played.run`` is a run that has not ended, and
answers everything that a replay answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import TYPE_CHECKING

from planscope.debugger.errors import DebuggerError, unknown
from planscope.debugger.play_values import Values, Way
from planscope.frozen import frozen
from planscope.language.problem import Problem
from planscope.oracle.arguments import START
from planscope.oracle.judged import Judged
from planscope.oracle.trace import NEW, RESTART_TOOL, Item, ToolCall, Trace
from planscope.oracle.verdict_types import State, StepView

if TYPE_CHECKING:
    from planscope.oracle.replay import Lookahead, Outcome, Replay
    from planscope.rules.rule import Rule


@frozen
class Played:
    """A plan played by hand. ``begun``: the recorded trace that it begins with. ``turns``: what was played after it,
    each call with what the user says before it.

    ``run`` judges both together, as a run that has not ended; its last step is the current one. ``values`` has the
    arguments that rules may look at.
    """

    problem: Problem
    begun: Trace = field(repr=False)
    turns: tuple[tuple[Item, ...], ...]
    run: Replay = field(repr=False, compare=False)
    values: Values = field(repr=False, compare=False)

    @property
    def kept(self) -> Sequence[ToolCall]:
        """The recorded calls that it begins with."""
        return self.begun.calls

    @property
    def calls(self) -> Sequence[ToolCall]:
        """The calls that were played."""
        return self.run.trace.calls[len(self.kept) :]

    @property
    def index(self) -> int:
        """The index of the current step in ``run.steps``."""
        return len(self.run.steps) - 1

    @property
    def view(self) -> StepView:
        """The current step: its state, its core, and what the last call changed. ``run.safe_moves(index)`` has the
        moves."""
        return self.run.steps[-1]


@frozen
class Option:
    """One action that could be called next, and the state of the plan after it.

    ``becomes`` is the state after it: ``completable`` if it is safe. ``breaks``: the constraints that it would violate.
    Timed: ``hours`` are its first and last safe start, or None if no hour is safe; ``start`` is the hour that
    ``becomes`` is about: the first safe one, or else the first that its own clock times and the calls so far allow.
    ``again``: it was done already. ``takes``: its hours, None while the agent would not know them (timed).

    Where rules judge the run, ``ways`` are the arguments to choose from, and ``becomes`` is about ``way``, which may be
    another one.
    """

    action: str
    becomes: State
    breaks: tuple[str, ...] = ()
    start: int | None = None
    hours: tuple[int, int] | None = None
    again: bool = False
    takes: int | None = None
    ways: tuple[Way, ...] = ()
    way: Way | None = None

    @property
    def safe(self) -> bool:
        return self.becomes == "completable"


def begin(run: Judged, index: int) -> Played:
    """Begin to play from an index of a judged run. The calls up to there are kept; the index is clamped."""
    rules = rules_in(run.problem)
    values = Values(run.trace, rules)
    return _judged(run.problem, run.trace.upto(max(index, 0)), (), values)


def rules_in(problem: Problem) -> tuple[Rule, ...]:
    """Return the rules about calls that judge a problem's runs."""
    from planscope.rules.beside import RuledProblem

    return problem.file.rules if isinstance(problem, RuledProblem) else ()


def play(played: Played, action: str, start: int | None = None, way: Way | None = None) -> Played:
    """Call the tool of the action with this id, safe or not. Timed: from hour ``start`` on, any whole number.

    Without a start the hour is that of :func:`options`. ``way``: arguments and answer. Raises DebuggerError for an
    unknown action.
    """
    made = played.problem.action_by_id.get(action)
    if made is None:
        raise unknown("action", action, played.problem.action_by_id)
    if way is not None:
        return _judged(played.problem, played.begun, (*played.turns, way.items(made.tool)), played.values)
    if not played.problem.timed:
        return call(played, ToolCall(made.tool, {}))
    hour = option(played, action).start if start is None else start
    return call(played, ToolCall(made.tool, {START: hour}))


def restart(played: Played) -> Played:
    """Ask for a restart: what was done is cleared, durations stay known. Raises DebuggerError if the query is not
    timed."""
    if not played.problem.timed:
        raise DebuggerError("only timed queries have a restart; undo calls instead")
    return call(played, ToolCall(RESTART_TOOL, {}))


def call(played: Played, made: ToolCall) -> Played:
    """Make any call that an agent could make, for example one of an unknown tool."""
    return _judged(played.problem, played.begun, (*played.turns, (made,)), played.values)


def undo(played: Played) -> Played:
    """Remove the last call of the play. Recorded calls stay."""
    if not played.turns:
        return played
    return _judged(played.problem, played.begun, played.turns[:-1], played.values)


def options(played: Played) -> tuple[Option, ...]:
    """Return every action as the next call, in the order of the problem."""
    ahead = _Ahead(played)
    return tuple(ahead.option(i) for i in range(len(played.problem.actions)))


def option(played: Played, action: str) -> Option:
    """Return one of :func:`options`. Raises DebuggerError for an unknown action."""
    return _Ahead(played).option(_number(played, action))


def outcome(played: Played, action: str, start: int | None = None) -> Outcome:
    """Return the state of the plan if this action were called next, at any hour (timed).

    Raises DebuggerError for an unknown action.
    """
    ahead = _Ahead(played)
    number = _number(played, action)
    return ahead.lookahead.after(number, ahead.option(number).start if start is None else start)


def option_with(played: Played, option: Option, way: Way) -> Option:
    """Return an option with other arguments, and the state after it."""
    then = outcome_of(played.run, _number(played, option.action), None, way)
    return replace(option, becomes=then.state, breaks=then.breaks, way=way)


def outcome_of(
    run: Replay, action: int, start: int | None, way: Way | None, ahead: Lookahead | None = None
) -> Outcome:
    """Return the state of the plan if the action with this index were called in a way. A call that goes on with the
    message of the call before is judged as it is; any other by the best answer that it can have."""
    if way is None or way.message == NEW:
        return (ahead or run.ahead()).after(action, start, way.arguments if way is not None else None)
    from planscope.oracle.replay import Outcome  # imported late because it imports Z3

    view = run.then(*way.items(run.problem.actions[action].tool)).steps[-1]
    return Outcome(view.state, tuple(id for finding in view.findings for id in finding.constraints))


def known_durations(played: Played) -> Mapping[str, int]:
    """Return the durations, in hours, that the answers so far revealed, by action id (timed)."""
    if not played.problem.timed:
        return {}
    called = {f.action for f in played.run.facts if f.effect in ("done", "repeated")}
    return {a.id: a.duration or 1 for i, a in enumerate(played.problem.actions) if i in called}


def _number(played: Played, action: str) -> int:
    for i, one in enumerate(played.problem.actions):
        if one.id == action:
            return i
    raise unknown("action", action, played.problem.action_by_id)


def _judged(problem: Problem, begun: Trace, turns: tuple[tuple[Item, ...], ...], values: Values) -> Played:
    from planscope.oracle.replay import replay  # imported late because it imports Z3

    run = replay(problem, begun.then(*chain.from_iterable(turns)))
    return Played(problem, begun, turns, run, values)


class _Ahead:
    """A lookahead that all options share."""

    def __init__(self, played: Played) -> None:
        self.problem, self.run = played.problem, played.run
        self.values, self.as_recorded = played.values, not played.turns
        self.step = len(played.run.trace.calls) + 1
        self.lookahead = played.run.ahead()
        self.known = known_durations(played)

    def option(self, number: int) -> Option:
        action = self.problem.actions[number].id
        hours = self.lookahead.safe.get(action)
        start = self._start(action, hours)
        ways = self._ways(self.problem.actions[number].tool)
        then = outcome_of(self.run, number, start, ways[0] if ways else None, self.lookahead)
        return Option(
            action,
            then.state,
            then.breaks,
            start,
            hours,
            self.lookahead.was_done(number),
            self.known.get(action),
            ways,
            ways[0] if ways else None,
        )

    def _ways(self, tool: str) -> tuple[Way, ...]:
        """Return the arguments to choose from. In a timed query the hour is chosen in their place."""
        asks = self.values.rules and not self.problem.timed
        return self.values.ways(tool, self.step, as_recorded=self.as_recorded) if asks else ()

    def _start(self, action: str, hours: tuple[int, int] | None) -> int | None:
        if not self.problem.timed:
            return None
        if hours is not None:
            return hours[0]
        said = [c.hour or 0 for c in self.problem.said if c.kind == "start_at_least" and c.action == action]
        return max([0, self.lookahead.clock or 0, *said])
