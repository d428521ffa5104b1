"""Running and forking agents, and what the screen says while one runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from planscope.errors import UserError
from planscope.session.oracle_input import has_own_tools
from planscope.tui import shell
from planscope.tui.app_screen import Asker, flow, in_play
from planscope.tui.controllers.live_run import ForkChoice, RunChoice, RunRequest
from planscope.tui.keys import key_for
from planscope.tui.messages import LiveChanged
from planscope.tui.screens.debug.marking import breakpoints_of
from planscope.tui.screens.debug.stage import NO_SESSION, Stage, amounts_to, here
from planscope.tui.style.lines import shown

if TYPE_CHECKING:
    from planscope.agents.gate import Question
    from planscope.session.model import Variant

_STOPPING = "stopping…"


def starting() -> str:
    return f"starting the run… {key_for('stop-run')} stops it"


def no_run_in_progress(stage: Stage) -> str:
    """Say that no agent runs: the attached one waits, or a key runs the query."""
    return waiting(stage) or f"no run is in progress: {key_for('rerun')} runs the query"


@flow
async def rerun(stage: Stage, variant_id: str = "", offered: RunChoice | None = None) -> None:
    """Ask for the options of a run, and run the query, by default the displayed one.

    ``offered``: the options to offer.
    """
    variant_id = variant_id or stage.view.key[0]
    variant = stage.work.document.variant(variant_id) if variant_id else None
    if variant is None:
        stage.tell("there is no query to run")
    elif (choice := await ask_choice(stage, stage, variant, offered)) is not None:
        start_run(stage, variant_id, choice)


async def ask_choice(
    stage: Stage, asker: Asker, variant: Variant, offered: RunChoice | None = None
) -> RunChoice | None:
    """Ask for the options of a run, on a screen over the stage or on the stage; None if no run is to begin."""
    from planscope.tui.dialogs.forms import models_of, own_form, run_form

    if why := _busy(stage):
        asker.tell(why)
        return None
    offered = offered or default_choice(stage)
    if offered.own is not None:
        return await asker.answer(own_form(offered, offered.own))
    if _only_with_own_tools(asker, variant):
        return None
    used = models_of(stage.work.document.runs)
    return await asker.answer(run_form(stage.view.breakpoints, offered, variant, used))


def _only_with_own_tools(asker: Asker, variant: Variant) -> bool:
    """Tell how to run an agent that has its own tools and no query: mock tools cannot stand in for them."""

    if not has_own_tools(variant) or variant.query.text.strip():
        return False
    asker.tell(
        "an agent with its own tools: planscope debug package.module:agent runs it; rerun and fork take --agent"
    )
    return True


@flow
async def fork(stage: Stage) -> None:
    from planscope.tui.dialogs.forms import fork_form, models_of

    view, document = stage.view, stage.work.document
    run = document.run(view.run.id) if view.run is not None else None
    if why := _busy(stage):
        stage.tell(why)
        return
    if view.play is not None:
        stage.tell(in_play(keeps=True))
        return
    if run is None or view.run is None:
        stage.tell(f"no run to fork: {key_for('rerun')} runs the query")
        return
    step, choice = min(view.debug.index, len(view.run.calls)), default_choice(stage)
    mine = document.variant(run.variant)
    if choice.own is None and mine is not None and _only_with_own_tools(stage, mine):
        return
    try:
        used = models_of(document.runs)
        form = fork_form(run, step, view.call_at(step), choice, document.variants, used)
    except UserError as error:
        stage.tell(str(error))
        return
    if (forked := await stage.answer(form)) is not None:
        start_run(stage, forked.variant, forked.choice, ForkChoice(run, step, forked.answer))


def default_choice(stage: Stage) -> RunChoice:
    """Return the options to offer for a run."""
    view = stage.view
    run = stage.work.document.run(view.run.id) if view.run is not None else None
    return stage.work.live.default_choice(run)


def _busy(stage: Stage) -> str:
    """Say why no run can begin now; "" if one can."""
    live = stage.work.live
    if live.attached is not None:
        return "the attached agent begins its runs itself; planscope debug runs an agent from here"
    if live.at_work:
        return f"a run is in progress: {key_for('stop-run')} stops it"
    return NO_SESSION if stage.work.document.session is None else ""


def start_run(stage: Stage, variant_id: str, choice: RunChoice, fork: ForkChoice | None = None) -> None:
    """Run a query in the background; the run is displayed as soon as it begins."""
    variant = stage.work.document.variant(variant_id)
    if variant is None or (why := _busy(stage)):
        stage.tell(why if variant is not None else "there is no query to run")
        return
    of = replace(here(stage), variant=variant_id)
    if fork is None:
        amounts_to(stage, shell.run_command(of, choice))
    else:
        amounts_to(stage, shell.fork_command(of, choice, fork.run.id, fork.step, fork.answer))
    if stage.work.live.start(variant, choice, breakpoints_of(stage, variant), fork):
        stage.tell(starting())


def begin_asked(stage: Stage, asked: RunRequest) -> None:
    """Begin the run that the command line asked for (``Start.live``)."""
    choice = asked.choice
    if choice.attached is not None:
        amounts_to(stage, shell.run_command(here(stage), choice))
        stage.work.live.attach(choice, lambda variant: breakpoints_of(stage, variant))
    elif choice.own is not None and not choice.own.message:
        rerun(stage, asked.variant, choice)
    else:
        start_run(stage, asked.variant, choice)


def pause_run(stage: Stage) -> None:
    live = stage.work.live
    if not live.at_work:
        stage.tell(no_run_in_progress(stage))
    elif live.only_watched:
        stage.tell(live.only_watched)
    elif live.question is not None:
        stage.tell(f"the agent asks you something: {key_for('go-end')} goes there")
    elif live.paused is not None:
        stage.tell(f"already paused: {key_for('next-call')} runs the call, {key_for('continue')} continues")
    else:
        live.pause_before(next_call=True)
        stage.tell("pausing before the next call")


def stop_run(stage: Stage) -> None:
    live = stage.work.live
    if not live.at_work:
        stage.tell(waiting(stage) or "no run is in progress")
    elif live.only_watched:
        stage.tell(live.only_watched)
    else:
        live.stop()
        stage.tell(_STOPPING)


# What is heard of the live run


def live_changed(stage: Stage, message: LiveChanged) -> None:
    """Display what became of the live run."""
    _NEWS[message.what](stage, message)


def _mine(stage: Stage, message: LiveChanged) -> bool:
    """Whether the news is about the displayed run."""
    return stage.view.run is not None and stage.view.run.id == message.run_id


def _began(stage: Stage, message: LiveChanged) -> None:
    live = stage.work.live
    stage.change(seconds=live.seconds)
    if live.attached is not None:
        stage.work.judge.forget_all()  # its tools and rules may be new
    _follow(stage, message.run_id)
    stage.change(only_watched=live.only_watched)
    if live.only_watched:
        stage.tell(live.only_watched)


def _tools(stage: Stage, message: LiveChanged) -> None:
    stage.work.judge.forget_all()
    if _mine(stage, message) and stage.view.variant is not None:
        stage.look_at(stage.view.variant.id, message.run_id)


def _paused(stage: Stage, message: LiveChanged) -> None:
    paused = stage.work.live.paused
    if _mine(stage, message):
        stage.change(why_paused=why_paused(stage, message.run_id))
    elif paused is not None:
        opens = f"{key_for('choose-run')} opens it"
        stage.tell(f"the running agent is paused before step {paused.step}: {opens}")


def _asks(stage: Stage, message: LiveChanged) -> None:
    if _mine(stage, message):
        stage.change(question=question_of(stage, message.run_id))
    else:
        stage.tell(f"the running agent asks you something: {key_for('choose-run')} opens it")


def _resumed(stage: Stage, message: LiveChanged) -> None:
    stage.change(why_paused=(), question=None)


def _ended(stage: Stage, message: LiveChanged) -> None:
    stage.change(why_paused=(), question=None, seconds=None, only_watched="", unfollowed=0)
    if message.what == "failed":
        stage.tell(f"not run: {shown(message.trouble, 300)}")
    elif stage.view.notice in (starting(), _STOPPING):
        stage.tell("")


def _waits(stage: Stage, message: LiveChanged) -> None:
    stage.tell(waiting(stage))


def _gone(stage: Stage, message: LiveChanged) -> None:
    trouble = shown(message.trouble, 200)
    stage.tell(f"no longer attached: {trouble or 'the process of the agent has ended'}")


_NEWS: Mapping[str, Callable[[Stage, LiveChanged], None]] = {
    "began": _began,
    "tools": _tools,
    "paused": _paused,
    "asks": _asks,
    "resumed": _resumed,
    "ended": _ended,
    "failed": _ended,
    "waiting": _waits,
    "gone": _gone,
}


def _follow(stage: Stage, run_id: str) -> None:
    """Display a run that began, unless the user is playing calls, which would be lost."""
    play, run = stage.view.play, stage.work.document.run(run_id)
    if play is not None and play.played.calls:
        keeps = f"{key_for('keep-play')} keeps what you play"
        stage.tell(f"run {shown(run_id, 20)} started: {key_for('choose-run')} opens it; {keeps}")
    elif run is not None:
        stage.change(followed=run_id)
        stage.look_at(run.variant, run_id)


def count_seconds(stage: Stage) -> None:
    """Display how long the run takes, and how many other runs the attached agent has."""
    live, view = stage.work.live, stage.view
    if live.unfollowed != view.unfollowed:
        stage.change(unfollowed=live.unfollowed)
    if view.seconds is not None and not (live.paused or live.question):
        stage.change(seconds=live.seconds)


def waiting(stage: Stage) -> str:
    """Say that the attached agent has no run that could be displayed."""
    agent = stage.work.live.attached
    if agent is None:
        return ""
    return f"attached to {shown(agent.welcome.title, 60)} ({agent.id}), which waits for its next run"


def why_paused(stage: Stage, run_id: str) -> tuple[str, ...]:
    live = stage.work.live
    return live.paused.why if live.paused is not None and run_id and run_id == live.run_id else ()


def question_of(stage: Stage, run_id: str) -> Question | None:
    """Return what the interrupted agent asks the user, if that is the run."""
    live = stage.work.live
    return live.question if run_id and run_id == live.run_id else None
