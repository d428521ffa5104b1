"""What the walker says, in sentences that can be listened to: no glyphs, no columns, the most important word first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planscope.debugger.cursor import DebugState
from planscope.language.describe import plain
from planscope.language.outline import OutlineNode
from planscope.oracle.explain import describe_finding, describe_violation
from planscope.oracle.replay import Replay
from planscope.oracle.verdict_types import Repair, StepNo, StepView, Violation
from planscope.report import moves_text
from planscope.safe import visible
from planscope.session.model import AnswerEvent, CallEvent, MessageEvent, Run
from planscope.session.oracle_input import not_answered
from planscope.session.record import words_of

SHOWN = 400
"""Code points of a text from a model or a tool."""

STATES = {
    "completable": "The plan can still be finished.",
    "doomed": "The plan is lost: nothing can save it.",
    "broken": "The plan is lost: a requirement is broken.",
    "unknown": "Whether the plan can be finished is not known.",
}
STATUSES = {"holds": "holds", "open": "is open", "broken": "is broken"}
ENDINGS = {
    "stopped": "The agent stopped.",
    "timeout": "The time was up.",
    "call_limit": "There were too many answers of the model.",
    "aborted": "The run was aborted.",
    "running": "The run goes on.",
}


def step_name(step: StepNo) -> str:
    return "the end" if step == "end" else "the start, before any call" if step == 0 else f"step {step}"


def arguments(given: Mapping[str, Any] | None) -> str:
    if given is None:
        return "arguments that cannot be read"
    if not given:
        return "no arguments"
    try:
        said = [
            f"{name} {json.dumps(value, ensure_ascii=False, default=str)}" for name, value in given.items()
        ]
    except (ValueError, RecursionError):
        return "arguments that cannot be shown"
    return visible(", ".join(said), limit=SHOWN)


class Told:
    """A run's events by step: what was thought before each call, and what was answered."""

    def __init__(self, run: Run | None) -> None:
        self.thoughts: dict[StepNo, str] = {}
        self.answers: dict[StepNo, AnswerEvent] = {}
        self.calls: dict[StepNo, CallEvent] = {}
        words: list[str] = []
        for event in run.events if run is not None else ():
            if isinstance(event, MessageEvent):
                words += (
                    [said]
                    if (said := words_of(event.text, event.refusal, event.finish, event.structured))
                    else []
                )
            elif isinstance(event, CallEvent):
                self.calls[event.step] = event
                self.thoughts[event.step] = " ".join(words)
                words = []
            elif isinstance(event, AnswerEvent):
                self.answers[event.step] = event
        self.thoughts["end"] = " ".join(words)
        self.unanswered = not_answered(run) if run is not None else None


def place_lines(state: DebugState, told: Told) -> Iterator[str]:
    """Where one stands: the call and its answer, what became of the plan, what is wrong, what could come next."""
    view, replay = state.view, _replay(state)
    last = state.run.last - (state.run.steps[-1].step == "end")
    name = step_name(view.step)
    yield f"{name[0].upper()}{name[1:]}" + (
        f" of {last}." if isinstance(view.step, int) and view.step else "."
    )
    if thought := told.thoughts.get(view.step):
        yield f"It thought: {visible(thought, limit=SHOWN)}"
    yield from _call_lines(view, told)
    if view.step == "end":
        yield ENDINGS[replay.trace.ending]
    yield from _became_lines(state, replay)


def _call_lines(view: StepView, told: Told) -> Iterator[str]:
    if view.call is None:
        return
    yield f"It called {visible(view.call.tool, limit=80)} with {arguments(view.call.arguments)}."
    event = told.calls.get(view.step)
    if event is not None and event.asked is not None:
        yield f"It had asked for {arguments(event.asked)}; that was edited by hand."
    if view.call.error:
        yield f"The call could not be done: {visible(view.call.error, limit=SHOWN)}"
    answer = told.answers.get(view.step)
    if view.step == told.unanswered:
        yield "The run was cut short before its answer: whether the call was done is not known."
    if answer is not None:
        if answer.refused_by:
            yield f"The call was refused by {'you' if answer.refused_by == 'user' else 'the guard'}."
        yield f"The answer: {visible(answer.text, limit=SHOWN)}"
        if answer.said is not None:
            yield f"The tool had said: {visible(answer.said, limit=SHOWN)}"
    if view.start is not None and view.end is not None:
        yield f"It took from {view.start}:00 to {view.end}:00."


def _became_lines(state: DebugState, replay: Replay) -> Iterator[str]:
    view, run = state.view, state.run
    lost = next((i for i in run.doomed if run.steps[i].attempt == view.attempt), None)
    if view.step == "end" and view.state == "completable" and replay.trace.ending != "aborted":
        yield "Every requirement is met."
    elif lost == view.index and view.step != 0:
        yield "Point of no return: here the plan was lost."
    elif lost is not None and lost < view.index:
        yield f"The plan was lost at {step_name(run.steps[lost].step)}."
    else:
        yield STATES[view.state]
    for finding in run.findings[view.index]:
        kind = finding.type.replace("_", " ")
        what = "Warning" if finding.severity == "warning" else "Error"
        yield f"{what}, {kind}: {describe_finding(replay, finding)}"
    if lost == view.index and view.core is not None and view.core.constraints:
        violation = Violation(view.step, view.core.constraints[0], view.core)
        yield f"Why: {describe_violation(replay, violation)}"
    if view.state == "completable" and view.step != "end":
        moves = replay.safe_moves(view.index)
        if moves:
            yield f"Safe next: {moves_text(replay.problem, moves)}."
        count = run.valid_completions(view.index)
        if count is not None:
            yield f"{count} valid order{'' if count == 1 else 's'} left."


def constraint_line(state: DebugState, name: str) -> str:
    """One constraint: its state, whether it is in the core, what it says."""
    replay = _replay(state)
    constraint = replay.problem.by_id[name]
    core = state.view.core is not None and name in state.view.core.constraints
    status = STATUSES[replay.status(name, state.index)]
    said = plain(constraint, replay.problem)
    return f"{name} {status}{', in the core' if core else ''}: {said}."


def constraint_lines(state: DebugState) -> Iterator[str]:
    yield f"Constraints after {step_name(state.step)}."
    for constraint in state.run.problem.constraints:
        yield constraint_line(state, constraint.id)


def query_lines(text: str, state: DebugState) -> Iterator[str]:
    yield "The request:"
    yield visible(" ".join(text.split()), limit=20_000)
    yield "The actions:"
    for action in state.run.problem.actions:
        done = state.run.execution(action.id, state.index)
        when = f", done at {step_name(state.run.steps[done.index].step)}" if done is not None else ", to do"
        yield f"{action.id}, {visible(action.name, limit=200)}{when}."


def tree_lines(outline: Sequence[OutlineNode]) -> Iterator[str]:
    yield "The syntax tree, with the depth of each node."
    for node in outline:
        said = f", says {', '.join(node.constraints)}" if node.constraints else ""
        yield f"{node.depth}: {visible(node.label, limit=200)}{said}."


def core_step_line(state: DebugState, step: StepNo) -> str:
    """A step that is in the core, with its call."""
    index = state.run.index_of.get(step)
    view = state.run.steps[index] if index is not None else None
    name = step_name(step)
    called = "" if view is None or view.call is None else f": {_called(view)}"
    return f"{name[0].upper()}{name[1:]}{called}."


def _called(view: StepView) -> str:
    assert view.call is not None
    tool = visible(view.call.tool, limit=80)
    return f"{tool}, {arguments(view.call.arguments)}" if view.call.arguments else tool


def timeline_lines(state: DebugState, told: Told) -> Iterator[str]:
    for index, view in enumerate(state.run.steps):
        here = ", you are here" if index == state.index else ""
        lost = ", no way on" if index in state.run.doomed else ""
        wrong = "".join(f", {f.type.replace('_', ' ')}" for f in state.run.findings[index])
        what = _called(view) if view.call is not None else ""
        name = step_name(view.step)
        done = _done_to(view, told)
        yield f"{name[0].upper()}{name[1:]}{': ' + what if what else ''}{done}: {view.state}{lost}{wrong}{here}."


def _done_to(view: StepView, told: Told) -> str:
    """What was done to a call: it was kept from another run, refused, edited."""
    call, answer = told.calls.get(view.step), told.answers.get(view.step)
    said = [
        word
        for word, so in (
            ("kept from another run", call is not None and call.kept),
            ("not answered, perhaps not done", view.step == told.unanswered),
            ("refused", answer is not None and answer.refused_by),
            ("edited by hand", (call is not None and call.asked) or (answer is not None and answer.said)),
        )
        if so
    ]
    return f", {', '.join(said)}" if said else ""


def plan_lines(replay: Replay, repair: Repair) -> Iterator[str]:
    """The nearest plan that works, call by call."""
    if repair.order is None:
        yield f"No plan works: {repair.reason}."
        return
    yield "A plan that works:"
    for number, action in enumerate(repair.order, 1):
        start = (repair.starts or {}).get(action)
        hour = f", at {start}:00" if start is not None else ""
        yield f"{number}, {visible(replay.problem.action_by_id[action].name, limit=200)}{hour}."


def _replay(state: DebugState) -> Replay:
    replay: Replay = state.run.replay  # type: ignore[assignment]  # the walker always has the oracle's own
    return replay
