"""Writes the walker's sentences, made to be heard: no glyphs, no columns, the most important word first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planscope.cause.provenance import sources_of
from planscope.cause.told import came_from, given
from planscope.debugger.cursor import DebugState
from planscope.language.outline import OutlineNode
from planscope.oracle.trace import Trace
from planscope.oracle.verdict_types import Repair, StepNo, StepView
from planscope.report import given_blocks, message_blocks, step_notes, step_said
from planscope.safe import visible
from planscope.session.record import RunRecord
from planscope.show.blocks import joined
from planscope.show.text import lines
from planscope.wording import phrases, terms
from planscope.wording.constraints import name, plain
from planscope.wording.explain import explain_core

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

SHOWN = 400
"""The limit for a text from a model or a tool, in code points."""

WHOLE = 100_000
"""The limit for a value that the user asked for whole, in code points."""


def step_name(step: StepNo) -> str:
    return "the start, before any call" if step == 0 else phrases.step_name(step)


def arguments(given: Mapping[str, Any] | None) -> str:
    if given is None:
        return "arguments that cannot be read"
    if not given:
        return "no arguments"
    return visible(", ".join(f"{k} {phrases.json_text(value)}" for k, value in given.items()), limit=SHOWN)


def place_lines(state: DebugState, record: RunRecord | None) -> Iterator[str]:
    """Describe the current step: its call and answer, the state of the plan, errors, what can come next."""
    view, replay = state.view, _replay(state)
    last = state.run.last - (state.run.steps[-1].step == "end")
    number = f" of {last}" if isinstance(view.step, int) and view.step else ""
    yield terms.sentence(step_name(view.step) + number)
    if record is not None:
        yield from _said_lines(record, view, SHOWN)
    elif view.step == "end":
        yield terms.sentence(terms.ended(replay.trace.ending, replay.trace.cause))
    yield from _plan_lines(state, replay)


def _said_lines(record: RunRecord, view: StepView, limit: int) -> Iterator[str]:
    """Say what was said and done at a step. ``limit``: for a text from a model or a tool, in code points."""
    for label, text, _ in step_said(record, view):
        if label == "call" and view.call is not None:
            yield f"It called {visible(view.call.tool, limit=80)} with {arguments(view.call.arguments)}."
        elif label == "hours":
            yield f"It took from {phrases.clock(view.start or 0)} to {phrases.clock(view.end or 0)}."
        elif label != "arguments" or limit > SHOWN:
            said = visible(text, limit=limit)
            yield f"{terms.capital(visible(label))}: {said}" if label else terms.sentence(said)


def _plan_lines(state: DebugState, replay: Replay) -> Iterator[str]:
    """Describe the state of the plan: errors, why it is lost, what can come next."""
    view, run = state.view, state.run
    lost = next((i for i in run.doomed if run.steps[i].attempt == view.attempt), None)
    if lost == view.index and view.step != 0:
        yield f"Lost here, the {terms.NO_RETURN}."
    elif lost is not None and lost < view.index:
        whole = terms.capital(phrases.what_is_lost(replay.problem))
        yield f"{whole} was lost at {step_name(run.steps[lost].step)}."
    elif replay.problem.unjudged and view.state == "unknown":
        yield terms.sentence(terms.NOT_JUDGED)
    else:
        yield terms.sentence(
            phrases.state_means(replay.problem, view.state, phrases.step_ended(replay, view))
        )
    if lost == view.index and view.core is not None:
        yield f"Why: {explain_core(replay, view.core)}"
    going = view.state == "completable" and view.step != "end"
    for words in step_notes(replay, view, safe=going):
        yield terms.capital(visible(joined(words)).removeprefix("! "))
    if going:
        count = run.valid_completions(view.index)
        if count is not None:
            yield terms.sentence(phrases.orders(count))


def seen_lines(record: RunRecord, view: StepView, trace: Trace) -> Iterator[str]:
    """Say what the model was given at the start; at a step its message, its cost, and all that was said and done."""
    told = message_blocks(record, view.index, WHOLE) if view.index else given_blocks(record, WHOLE)
    yield from lines(told, WHOLE)
    yield from _said_lines(record, view, WHOLE)
    for one in sources_of(trace, view.index) if view.call is not None else ():
        yield visible(f"{given(one)}: {came_from(one)}")


def constraint_line(state: DebugState, constraint: str) -> str:
    """Describe one constraint: its status, whether it is in the core, its words."""
    replay = _replay(state)
    core = state.view.core is not None and constraint in state.view.core.constraints
    status = terms.STATUSES[replay.status(constraint, state.index)]
    said = plain(replay.problem.by_id[constraint], replay.problem)
    value = replay.value_at(constraint, state.index)
    more = f", here {visible(value, limit=200)}" if value else ""
    c = replay.problem.by_id[constraint]
    means = f" {visible(c.means, limit=400)}" if c.means else ""
    called = f"{constraint}, {visible(c.title, limit=60)}" if c.title else constraint
    return f"{called}, {status}{', in the conflict' if core else ''}: {said}{more}.{means}"


def constraint_lines(state: DebugState) -> Iterator[str]:
    yield f"Constraints after {step_name(state.step)}."
    for constraint in state.run.problem.constraints:
        yield constraint_line(state, constraint.id)


def query_lines(text: str, state: DebugState) -> Iterator[str]:
    if text.strip():
        yield "The query:"
        yield visible(" ".join(text.split()), limit=20_000)
    else:
        yield "There is no query."
    yield "The actions:"
    for action in state.run.problem.actions:
        done = state.run.execution(action.id, state.index)
        when = (
            f"done at {step_name(state.run.steps[done.index].step)}"
            if done is not None
            else "to do"
            if text.strip()
            else "not called"
        )
        yield f"{action.id}, {visible(action.name, limit=200)}, {when}."


def tree_lines(outline: Sequence[OutlineNode]) -> Iterator[str]:
    yield "The syntax tree, with the depth of each node."
    for node in outline:
        said = f", says {', '.join(node.constraints)}" if node.constraints else ""
        yield f"{node.depth}: {visible(node.plain, limit=200)}{said}."


def core_step_line(state: DebugState, step: StepNo) -> str:
    """Describe a step of a core, with its call."""
    index = state.run.index_of.get(step)
    view = state.run.steps[index] if index is not None else None
    called = "" if view is None or view.call is None else f": {_called(view)}"
    return terms.sentence(step_name(step) + called)


def _called(view: StepView) -> str:
    assert view.call is not None
    tool = visible(view.call.tool, limit=80)
    return f"{tool}, {arguments(view.call.arguments)}" if view.call.arguments else tool


def timeline_lines(state: DebugState, record: RunRecord | None, cause: int | None = None) -> Iterator[str]:
    """Say every step. ``cause``: the index of the step that is most likely to blame."""
    for index, view in enumerate(state.run.steps):
        call = f": {_called(view)}" if view.call is not None else ""
        notes = _notes(view, record)
        said = phrases.step_word(_replay(state), view)
        more = [terms.LOST_HERE.lower()] if index in state.run.doomed else []
        more += ["most likely the cause"] if index == cause else []
        more += [terms.FINDINGS[finding.type] for finding in state.run.findings[index]]
        more += ["you are here"] if index == state.index else []
        yield terms.sentence(
            f"{', '.join([step_name(view.step) + call, *notes])}: {', '.join([said, *more])}"
        )


def _notes(view: StepView, record: RunRecord | None) -> list[str]:
    """Yield what else is known of a call: kept from another run, refused, edited."""
    if view.call is None or record is None:
        return []
    call = record.calls[view.index - 1]
    edited = call.asked is not None or call.said is not None
    notes = [
        ("kept from another run", call.kept),
        ("not answered, may not have been done", record.unanswered == view.index),
        ("refused", bool(call.refused_by)),
        ("edited by hand", edited),
    ]
    return [note for note, true in notes if true]


def repair_lines(replay: Replay, repair: Repair) -> Iterator[str]:
    """Describe the nearest correct plan, call by call."""
    if repair.order is None:
        yield f"There is no correct plan: {repair.reason}."
        return
    if repair.changes:
        yield f"{terms.CHANGE_TITLE}:"
        yield from phrases.changes(repair)
        return
    yield f"{terms.PLAN_TITLE}:"
    for number, step in enumerate(phrases.plan(repair), 1):
        hour = f", at {phrases.clock(step.start)}" if step.start is not None else ""
        yield f"{number}, {visible(name(replay.problem, step.action), limit=200)}{hour}."


def _replay(state: DebugState) -> Replay:
    return state.run.judged
