"""Writes the walker's sentences, made to be heard: no glyphs, no columns, the most important word first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planscope.debugger.cursor import DebugState
from planscope.language.outline import OutlineNode
from planscope.oracle.judged import JudgedRun, same_message
from planscope.oracle.verdict_types import Repair, StepNo, StepView
from planscope.report import MOVES
from planscope.safe import visible
from planscope.session.record import MODEL, RecordedCall, RunRecord, by_speaker
from planscope.session.seen import said_at
from planscope.wording import phrases, terms
from planscope.wording.constraints import name, plain
from planscope.wording.explain import explain_core, explain_finding

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
    call = _call_at(record, view)
    turns, thought = by_speaker(call.messages, call.thought) if call is not None else ([], "")
    if view.step == "end" and record is not None:
        turns, thought = by_speaker(record.last_messages, record.last_words)
    for speaker, turn in turns:
        who = "It" if speaker == MODEL else f"The {speaker}"
        yield f"{who} said: {visible(turn, limit=SHOWN)}"
    if thought:
        yield f"It thought: {visible(thought, limit=SHOWN)}"
    if view.call is not None:
        yield from _call_lines(view, call, record)
    if same_message(replay, view):
        yield terms.sentence(f"it was made {terms.SAME_MESSAGE}")
    if view.step == "end":
        yield terms.sentence(
            phrases.ending(record) if record else terms.ended(replay.trace.ending, replay.trace.cause)
        )
    yield from _plan_lines(state, replay)


def _call_at(record: RunRecord | None, view: StepView) -> RecordedCall | None:
    return record.calls[view.index - 1] if record is not None and view.call is not None else None


def _call_lines(view: StepView, call: RecordedCall | None, record: RunRecord | None) -> Iterator[str]:
    assert view.call is not None
    yield f"It called {visible(view.call.tool, limit=80)} with {arguments(view.call.arguments)}."
    if call is not None and call.asked is not None:
        yield f"It had asked for {arguments(call.asked)}; you edited the arguments."
    if view.call.error:
        yield f"The call failed: {visible(view.call.error, limit=SHOWN)}"
    if record is not None and record.unanswered == view.index:
        yield "The run was cut short before the answer, so the call may or may not have been done."
    if call is not None and call.answer is not None:
        if call.refused_by:
            yield f"The call was refused by {'you' if call.refused_by == 'user' else 'the guard'}."
        if phrases.failed(view):
            yield f"The call failed: {terms.ANSWERED_ERROR}."
        yield f"The answer: {visible(call.answer, limit=SHOWN)}"
        if call.said is not None:
            yield f"Before you edited it, the answer was: {visible(call.said, limit=SHOWN)}"
    if view.start is not None and view.end is not None:
        yield f"It took from {phrases.clock(view.start)} to {phrases.clock(view.end)}."


def _plan_lines(state: DebugState, replay: JudgedRun) -> Iterator[str]:
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
    for finding in run.findings[view.index]:
        what = "Warning" if finding.severity == "warning" else "Error"
        yield f"{what}, {terms.FINDINGS[finding.type]}: {explain_finding(replay, finding)}"
    if lost == view.index and view.core is not None:
        yield f"Why: {explain_core(replay, view.core)}"
    if view.state == "completable" and view.step != "end":
        moves = replay.safe_moves(view.index)
        if moves:
            yield f"Safe next: {phrases.moves(replay.problem, moves, MOVES)}."
        count = run.valid_completions(view.index)
        if count is not None:
            yield terms.sentence(phrases.orders(count))


def seen_lines(record: RunRecord, index: int) -> Iterator[str]:
    """Say what the model was given at the start, or at a step its message, what it cost, and the values of the call."""
    for part in said_at(record, index):
        if part.name == "tools" and part.known:
            yield f"{len(part.value)} tools." if len(part.value) != 1 else "1 tool."
            for tool in part.value:
                yield from _whole(f"Tool {tool.get('name')}", tool.get("description") or "no description")
                yield from _whole("Its arguments", tool.get("parameters"))
        elif part.name == "messages" and part.known:
            for message in part.value:
                yield from _whole(f"Message of {message['role']}", message["text"])
                if message.get("calls"):
                    yield from _whole("Its calls", message["calls"])
        else:
            yield from _whole(part.name.capitalize(), part.value)


def _whole(name: str, value: Any) -> Iterator[str]:
    """Return a value line by line, with its name before it."""
    text = value if isinstance(value, str) else phrases.json_text(value)
    shown = visible(text, limit=WHOLE, keep_newlines=True).splitlines() or ["empty"]
    yield f"{visible(name, limit=120)}: {shown[0]}"
    yield from shown[1:]


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


def timeline_lines(state: DebugState, record: RunRecord | None) -> Iterator[str]:
    for index, view in enumerate(state.run.steps):
        call = f": {_called(view)}" if view.call is not None else ""
        notes = _notes(view, record)
        said = phrases.step_word(_replay(state), view)
        more = [terms.LOST_HERE.lower()] if index in state.run.doomed else []
        more += [terms.FINDINGS[finding.type] for finding in state.run.findings[index]]
        more += ["you are here"] if index == state.index else []
        yield terms.sentence(
            f"{', '.join([step_name(view.step) + call, *notes])}: {', '.join([said, *more])}"
        )


def _notes(view: StepView, record: RunRecord | None) -> list[str]:
    """Yield what else is known of a call: kept from another run, refused, edited."""
    call = _call_at(record, view)
    if call is None or record is None:
        return []
    edited = call.asked is not None or call.said is not None
    notes = [
        ("kept from another run", call.kept),
        ("not answered, may not have been done", record.unanswered == view.index),
        ("refused", bool(call.refused_by)),
        ("edited by hand", edited),
    ]
    return [note for note, true in notes if true]


def repair_lines(replay: JudgedRun, repair: Repair) -> Iterator[str]:
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


def _replay(state: DebugState) -> JudgedRun:
    return state.run.judged
