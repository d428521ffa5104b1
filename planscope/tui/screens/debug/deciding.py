"""Deciding about the paused call of a live run, or about what an interrupted agent asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from planscope.debugger.errors import DebuggerError
from planscope.debugger.typed_call import arguments_of, json_of, line_of, text_of
from planscope.tui.app_screen import flow
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
    elif (waits := _waits_here(stage)) is not None:
        was = json_of(waits.arguments or {})

        def read(text: str) -> Verb:
            return GoOn() if text == was else EditArguments(arguments_of(text))

        hint = "JSON. The tool is called with these; the record also keeps what the agent asked for."
        _ask(stage, waits, EditArguments({}), "Arguments of", hint, was, read)


def edit_answer(stage: Stage) -> None:
    from planscope.agents.gate import EditAnswer, GoOn

    if stage.view.play is not None:
        playing.edit(stage, "answer")
    elif (waits := _waits_here(stage)) is None:
        return
    elif waits is stage.work.live.question or _dry(stage):
        answer_call(stage)
    else:
        answer = stage.work.live.paused.answer if stage.work.live.paused is not None else None
        was = line_of(answer) if answer is not None else ""

        def read(text: str) -> Verb:
            return GoOn() if was and text == was else EditAnswer(_text(text))

        hint = "The tool is called and the agent gets this answer; the record also keeps the tool's own."
        _ask(stage, waits, EditAnswer(""), "Answer to", hint, was, read)


def answer_call(stage: Stage) -> None:
    from planscope.agents.gate import Answer

    live, waits = stage.work.live, _waits_here(stage)
    if waits is None:
        return
    if waits is live.paused and live.own is None and live.attached is None:
        stage.tell(f"a mock tool does nothing: {key_for('edit-answer')} changes its answer")
        return
    plain = waits.tool is None  # a question, which any text answers
    hint = "A JSON value, or else a text." if plain else _NOT_CALLED
    _ask(stage, waits, Answer(""), "Answer to", hint, "", lambda text: Answer(text if plain else _text(text)))


def refuse_call(stage: Stage) -> None:
    from planscope.agents.gate import Refuse

    if (waits := _waits_here(stage)) is not None:
        _ask(stage, waits, Refuse(""), "Refuse", _NOT_CALLED, _THINK_AGAIN, lambda text: Refuse(_text(text)))


def _text(line: str) -> str:
    """Turn a typed line into a text for the agent. Raises ``DebuggerError`` if it is empty or invalid."""
    if not line.strip():
        raise DebuggerError("enter a text")
    return text_of(line)


def _waits_here(stage: Stage) -> Question | PendingCall | None:
    """Return what the interrupted agent asks, or the paused call, if the cursor is there and it can be edited.
    Otherwise a notice says why not."""
    live, view = stage.work.live, stage.view
    call = live.paused
    mine = view.at_pending and view.run is not None and view.run.id == live.run_id
    if view.question is not None and view.at_question:
        return view.question
    if not live.at_work:
        stage.tell(no_run_in_progress(stage))
    elif call is None:
        nothing = f"no call is paused: {key_for('pause-run')} pauses before the next one"
        stage.tell(live.only_watched or nothing)
    elif not mine:
        stage.tell(f"the paused call is step {call.step}: {key_for('go-end')} goes to it")
    elif call.error is not None:
        tells = f"{key_for('next-call')} tells the agent so"
        stage.tell(f"this call cannot be read, so no tool is called: {tells}")
    else:
        return call
    return None


@flow
async def _ask(
    stage: Stage,
    waits: PendingCall | Question,
    kind: Verb,
    title: str,
    hint: str,
    value: str,
    read: Callable[[str], Verb],
) -> None:
    """Ask for a line of text about what waits, and decide by what ``read`` makes of it, if it still waits then.

    ``kind``: a decision of the kind that is asked for; a question may not allow it.
    """
    from planscope.agents.gate import EditArguments, PendingCall
    from planscope.tui.dialogs.form import ask_dialog

    more: dict[str, Any] = {}
    if isinstance(waits, PendingCall):
        about, gone = f"step {waits.step}", _GONE
        before = f"{phrases.call(waits.tool, waits.arguments, named=True)} is paused."
        more = {"judge": _judge_of(stage, waits)} if isinstance(kind, EditArguments) else {}
    elif refused := waits.refuses(kind):
        stage.tell(refused)
        return
    else:
        about, gone = "the call" if waits.tool else "the agent", "the agent no longer asks"
        before = f"The agent asks: {waits.text}"
    check = partial(wrong, read)
    dialog = ask_dialog(f"{title} {about}", hint, check, value=value, before=(before,), **more)
    if (text := await stage.answer(dialog)) is None:
        return
    if waits in (stage.work.live.paused, stage.work.live.question):
        decide(stage, read(text), stepping=True)
    else:
        stage.tell(gone)


def _judge_of(stage: Stage, call: PendingCall) -> Judge:
    """Return the judge of the typed arguments of a paused call."""
    from planscope.debugger.paused_call import PausedCall, judge_by_schema

    view, schema = stage.view, call.schema
    if schema is None and view.variant is not None and view.variant.own:
        schema = next((a.parameters for a in view.variant.actions if a.tool == call.tool), None) or {}
    run = view.debug.run
    if view.progress == "judged" and len(run.steps) <= MOST_JUDGED:
        return PausedCall(run.replay, call.step, call.tool, schema).judge
    return partial(judge_by_schema, schema or {})
