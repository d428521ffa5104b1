"""Judges the arguments of a paused call while they are typed: what the call would do, and which hours are safe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planscope.debugger.errors import DebuggerError
from planscope.debugger.play_values import Way
from planscope.debugger.played import Played, begin, outcome_of
from planscope.debugger.typed_call import arguments_of
from planscope.language.problem import Problem
from planscope.oracle.arguments import extra_arguments, read_start, schema_refusal
from planscope.oracle.judged import Judged
from planscope.oracle.trace import NEW
from planscope.oracle.verdict_types import State
from planscope.safe import visible
from planscope.wording.constraints import brief, label
from planscope.wording.phrases import listed, move_does, what_is_lost
from planscope.wording.terms import (
    STATE_GLYPHS,
    STATES,
    STATUS_GLYPHS,
    STATUS_ROLES,
    STATUSES,
    sentence,
)

MOST_CHANGED = 5
"""So many rules whose status a typed call changes are listed."""

Schema = Mapping[str, Any]
Told = tuple[str, str]
"""A line, safe to show, and the role that it is shown in."""


class PausedCall:
    """The call after ``step - 1`` steps of a run. These steps are judged once, when the object is made; judging a
    text is quick. ``schema``: the tool's own, None if it is a mock tool; {} if it is not known."""

    def __init__(self, run: Judged, step: int, tool: str, schema: Schema | None = None) -> None:
        self.schema = schema
        self.problem = run.problem
        self.run = begin(run, step - 1).run
        self.lookahead = self.run.ahead()
        around = [call.message for call in run.trace.calls[max(step - 2, 0) : step]]
        self.message = around[0] if step > 1 and len(around) == 2 and around[0] == around[1] else NEW
        """The message of the call before, if the paused call goes on with it."""
        self.number = next((i for i, action in enumerate(self.problem.actions) if action.tool == tool), None)
        self.tool = visible(tool, limit=80)

    def judge(self, text: str) -> list[Told]:
        """Say what the call would do with these arguments, and which hours are safe (timed)."""
        said = [] if self.schema is None else judge_by_schema(self.schema, text)
        if self.number is None:
            return [
                *said,
                (f"{self.tool} is no action of the query, which does not restrict this call.", "dim"),
            ]
        return [*self._hours(self.number), *dict.fromkeys([*said, *self._call(self.number, text)])]

    def _hours(self, number: int) -> Iterator[Told]:
        if not self.problem.timed:
            return
        action = self.problem.actions[number].id
        hours = self.lookahead.safe.get(action)
        if hours is None:
            yield "safe hours: none", "caution"
        else:
            first, last = hours
            yield f"safe hours: {first}" + (f" to {last}" if last != first else ""), "completable"

    def _call(self, number: int, text: str) -> Iterator[Told]:
        try:
            arguments = arguments_of(text)
        except DebuggerError as error:
            yield str(error), "dim"
            return
        start = read_start(arguments) if self.problem.timed else None
        if isinstance(start, str):
            yield f"the tool would refuse the call: {visible(start, limit=200)}", "caution"
            return
        way = Way(arguments, message=self.message)
        outcome = outcome_of(self.run, number, start, way, self.lookahead)
        broken = [brief(self.problem.by_id[c], self.problem) for c in outcome.breaks]
        why = f": {listed(broken)}" if broken else ""
        glyph = STATE_GLYPHS[outcome.state]
        does = _does(outcome.state, self.problem)
        yield f"{glyph} {sentence(f'this call {does}{why}')}", outcome.state
        if extra := extra_arguments(arguments, self.problem.timed) if self.schema is None else ():
            names = listed(visible(name, limit=40) for name in extra[:5])
            yield f"the tool does not take {names}; it is called anyway", "caution"


def judge_by_schema(schema: Schema, text: str) -> list[Told]:
    """Say what a tool's own schema has against arguments as they are typed."""
    try:
        return list(_by_schema(schema, arguments_of(text)))
    except DebuggerError as error:
        return [(str(error), "dim")]


def _by_schema(schema: Schema, arguments: Mapping[str, Any]) -> Iterator[Told]:
    if why := schema_refusal(schema, arguments):
        yield f"the tool would refuse the call: {visible(why, limit=200)}", "caution"
    takes = schema.get("properties")
    extra = [name for name in arguments if isinstance(takes, Mapping) and name not in takes]
    if extra and not schema.get("additionalProperties"):
        names = listed(visible(name, limit=40) for name in extra[:5])
        yield f"the tool does not name {names} among its arguments", "caution"


def judge_way(played: Played, action: str, way: Way) -> list[Told]:
    """Say what a played call would do: the state after it, and the rules whose status it changes."""
    problem, before = played.problem, played.run
    after = before.then(*way.items(problem.action_by_id[action].tool))
    number = next(i for i, one in enumerate(problem.actions) if one.id == action)
    state = outcome_of(before, number, None, way).state
    tool = played.values.tools.get(problem.action_by_id[action].tool)
    schema = tool.parameters if tool is not None and problem.own is not None else None
    rows: list[Told] = list(_by_schema(schema or {}, way.arguments))
    for constraint in problem.constraints:
        was, now = (run.status(constraint.id, len(run.trace.calls)) for run in (before, after))
        if was != now:
            value = after.value_at(constraint.id, len(after.trace.calls))
            text = f"{brief(constraint, problem)}{f' ({visible(value, limit=60)})' if value else ''}"
            rows.append(
                (f"{STATUS_GLYPHS[now]} {label(constraint)} {STATUSES[now]}: {text}", STATUS_ROLES[now])
            )
            if now == "broken":
                state = "broken"
    already = state == before.steps[-1].state and not any(role == "broken" for _, role in rows)
    lost = already and state in ("doomed", "broken")
    what = what_is_lost(problem)
    text = f"{what} is {STATES[state]} already" if lost else f"this call {_does(state, problem)}"
    return [(f"{STATE_GLYPHS[state]} {sentence(text)}", state), *rows[:MOST_CHANGED]]


def _does(state: State, problem: Problem) -> str:
    """Describe the effect of a call on the plan, to follow the words ``this call``."""
    does = move_does(problem, state)
    return does if state in ("doomed", "broken") else f"is {does}"
