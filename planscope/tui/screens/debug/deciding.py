"""Deciding about the paused call of a live run, or about what an interrupted agent asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from planscope.debugger.errors import DebuggerError
from planscope.debugger.typed_call import arguments_of, json_of, line_of, text_of
from planscope.tui.keys import key_for
from planscope.tui.screens.debug import playing
from planscope.tui.screens.debug.navigate import wrong
from planscope.tui.screens.debug.running import no_run_in_progress
from planscope.tui.screens.debug.stage import Stage
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.agents.gate import PendingCall, Question, Verb

_NOT_CALLED = "The tool is not called, and the agent gets this answer."
_THINK_AGAIN = "Think again about what has to be done before it."
_GONE = "that call is no longer paused"
MOST_JUDGED = 400
"""In longer runs (steps), typed arguments are not judged, because the run is judged again for it."""

Judge = Callable[[str], Sequence[tuple[str, str]]]


def decide(stage: Stage, verb: Verb, *, stepping: bool) -> None:
    """Send the user's decision about the paused call, or about what the interrupted agent asks."""
    stage.tell("" if stage.work.live.decide(verb, stepping=stepping) else _GONE)


def run_call(stage: Stage) -> None:
    """Run the paused call, and pause before the next one."""
    if not _go_on(stage, stepping=True):
        stage.tell(f"the agent is working: {key_for('pause-run')} pauses before its next call")


def go_on(stage: Stage) -> None:
    """Let the paused run go on to the next breakpoint."""
    if not _go_on(stage, stepping=False):
        stage.work.live.pause_before(next_call=False)
        stage.tell(f"running to the next breakpoint; {key_for('pause-run')} pauses before the next call")


def _go_on(stage: Stage, *, stepping: bool) -> bool:
    """Approve the call that waits, or ask for the answer that is needed first, or say why this run can only be watched.
    Return False if nothing waits."""
    from planscope.agents.gate import GoOn

    live = stage.work.live
    question = live.question
    if question is not None and question.tool is None:
        stage.tell(f"the agent asks you something: {key_for('answer-call')} answers")
    elif question is not None and (refused := question.refuses(GoOn())):
        stage.tell(refused)
    elif question is None and _dry(stage):
        answer_call(stage)
    elif question is not None or (live.paused is not None and not live.only_watched):
        decide(stage, GoOn(), stepping=stepping)
    elif live.only_watched:
        stage.tell(live.only_watched)
    else:
        return False
    return True


def _dry(stage: Stage) -> bool:
    """Whether a call is paused whose tool must not be called: the user answers in its place."""
    live = stage.work.live
    return live.paused is not None and live.own is not None and live.own.dry


def edit_arguments(stage: Stage) -> None:
    from planscope.agents.gate import EditArguments, GoOn

    if stage.view.play is not None:
        playing.edit(stage, "arguments")
        return
    question = _asked_here(stage)
    call = _paused_call(stage) if question is None else None
    waits = question or call
    if waits is None:
        return
    was = json_of(waits.arguments or {})

    def read(text: str) -> Verb:
        return GoOn() if text == was else EditArguments(arguments_of(text))

    if question is not None:
        hint = "JSON. The agent calls the tool with these."
        _reply(stage, EditArguments({}), "Arguments", hint, was, read)
    elif call is not None:
        hint = "JSON. The tool is called with these; the record also keeps what the agent asked for."
        _ask_about(stage, call, "Arguments of step {step}", hint, was, read, _judge_of(stage, call))


def _nothing(text: str) -> Sequence[tuple[str, str]]:
    return ()


def _judge_of(stage: Stage, call: PendingCall) -> Judge:
    """Return the judge of the typed arguments of a paused call."""
    from planscope.debugger.paused_call import PausedCall, judge_by_schema

    view = stage.view
    run, schema = view.debug.run, call.schema or _schema_of(stage, call.tool)
    if view.progress != "judged" or len(run.steps) > MOST_JUDGED:
        return partial(judge_by_schema, schema) if schema else _nothing
    return PausedCall(run.replay, call.step, call.tool, schema).judge


def _schema_of(stage: Stage, tool: str) -> Mapping[str, Any] | None:
    """Return the schema of a tool of the user's agent, {} if it is not known; None if the tools are mock tools."""
    variant = stage.view.variant
    if variant is None or not variant.own:
        return None
    return next((a.parameters for a in variant.actions if a.tool == tool), None) or {}


def edit_answer(stage: Stage) -> None:
    from planscope.agents.gate import EditAnswer, GoOn

    if stage.view.play is not None:
        playing.edit(stage, "answer")
    elif _asked_here(stage) is not None:
        answer_call(stage)
    elif (call := _paused_call(stage)) is not None:
        if _dry(stage):
            answer_call(stage)
            return
        was = line_of(call.answer) if call.answer is not None else ""

        def read(text: str) -> Verb:
            return GoOn() if was and text == was else EditAnswer(_text(text))

        hint = "The tool is called and the agent gets this answer; the record also keeps the tool's own."
        _ask_about(stage, call, "Answer to step {step}", hint, was, read)


def answer_call(stage: Stage) -> None:
    from planscope.agents.gate import Answer

    if (question := _asked_here(stage)) is not None:
        about_call = question.tool is not None
        hint = _NOT_CALLED if about_call else "A JSON value, or else a text."
        _reply(
            stage, Answer(""), "Answer", hint, "", lambda text: Answer(_text(text) if about_call else text)
        )
    elif (call := _paused_call(stage)) is not None:
        if stage.work.live.own is None and stage.work.live.attached is None:
            stage.tell(f"a mock tool does nothing: {key_for('edit-answer')} changes its answer")
            return
        _ask_about(stage, call, "Answer to step {step}", _NOT_CALLED, "", lambda text: Answer(_text(text)))


def refuse_call(stage: Stage) -> None:
    from planscope.agents.gate import Refuse

    def read(text: str) -> Verb:
        return Refuse(_text(text))

    if _asked_here(stage) is not None:
        _reply(stage, Refuse(""), "Reject the call", _NOT_CALLED, _THINK_AGAIN, read)
    elif (call := _paused_call(stage)) is not None:
        _ask_about(stage, call, "Refuse step {step}", _NOT_CALLED, _THINK_AGAIN, read)


def _text(line: str) -> str:
    """Turn a typed line into a text for the agent. Raises ``DebuggerError`` if it is empty or invalid."""
    if not line.strip():
        raise DebuggerError("enter a text")
    return text_of(line)


def _asked_here(stage: Stage) -> Question | None:
    """Return what the interrupted agent asks, if the cursor is there."""
    return stage.view.question if stage.view.at_question else None


def _paused_call(stage: Stage) -> PendingCall | None:
    """Return the paused call if the cursor is at it and it can be edited. Otherwise a notice says why not."""
    live, view = stage.work.live, stage.view
    call = live.paused
    mine = view.at_pending and view.run is not None and view.run.id == live.run_id
    if not live.at_work:
        stage.tell(no_run_in_progress(stage))
    elif call is None and live.only_watched:
        stage.tell(live.only_watched)
    elif call is None:
        stage.tell(f"no call is paused: {key_for('pause-run')} pauses before the next one")
    elif not mine:
        stage.tell(f"the paused call is step {call.step}: {key_for('go-end')} goes to it")
    elif call.error is not None:
        stage.tell(
            f"this call cannot be read, so no tool is called: {key_for('next-call')} tells the agent so"
        )
    else:
        return call
    return None


def _ask_about(
    stage: Stage,
    call: PendingCall,
    title: str,
    hint: str,
    value: str,
    read: Callable[[str], Verb],
    judge: Judge = _nothing,
) -> None:
    """Ask for a line of text about the paused call, and decide by what ``read`` makes of it."""
    before = f"{phrases.call(call.tool, call.arguments, named=True)} is paused."
    title = title.format(step=call.step)
    stage.start_flow(_ask(stage, call, before, title, hint, value, read, judge))


def _reply(stage: Stage, kind: Verb, title: str, hint: str, value: str, read: Callable[[str], Verb]) -> None:
    """Answer what the interrupted agent asks with a line of text, if it takes an answer of this kind."""
    question = stage.work.live.question
    if question is None:
        stage.tell("the agent no longer asks")
    elif refused := question.refuses(kind):
        stage.tell(refused)
    else:
        before = f"The agent asks: {question.text}"
        stage.start_flow(_ask(stage, question, before, title, hint, value, read))


async def _ask(
    stage: Stage,
    waits: PendingCall | Question,
    before: str,
    title: str,
    hint: str,
    value: str,
    read: Callable[[str], Verb],
    judge: Judge = _nothing,
) -> None:
    """Ask for a line of text, then decide if call or question still wait."""
    from planscope.tui.dialogs.form import ask_dialog

    question = stage.work.live.question is waits
    text = await stage.answer(
        ask_dialog(
            title,
            f"{hint} Enter: OK, Esc: cancel",
            partial(wrong, read),
            value=value,
            before=(before,),
            judge=judge,
        )
    )
    if text is None:
        return
    live = stage.work.live
    if live.paused is not waits and live.question is not waits:
        stage.tell("the agent no longer asks" if question else _GONE)
    else:
        decide(stage, read(text), stepping=True)
