"""Writing the rules of the session, and undoing their last change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planscope.session.traces import trace_of
from planscope.tui.app_screen import flow, in_play
from planscope.tui.keys import key_for
from planscope.tui.screens.debug.running import default_choice
from planscope.tui.screens.debug.stage import NO_SESSION, Stage
from planscope.wording import phrases

if TYPE_CHECKING:
    from planscope.session.model import Run
    from planscope.tui.dialogs.rules import Finder


@flow
async def write_rules(stage: Stage) -> None:
    """Write the rules of the session."""
    from planscope.tui.dialogs.rules import RulesDialog

    document, drafts, session = stage.work.document, stage.work.drafts, stage.work.document.session
    if session is None or stage.view.play is not None:
        stage.tell(NO_SESSION if session is None else in_play())
        return
    run = document.run(stage.view.run.id) if stage.view.run is not None else None
    text = drafts.rules.get(session.id, session.rules or "")
    trace = trace_of(run, stage.view.run) if run is not None else None
    before = session.rules or ""

    def keep(left: str) -> None:
        drafts.keep_rules(session.id, left if left != before else None)

    written = await stage.answer(RulesDialog(text, trace, _finders(stage, run), keep))
    if written is None:
        if session.id in drafts.rules:
            stage.tell(f"your rules are not saved: {key_for('write-rules')} continues them")
        return
    drafts.keep_rules(session.id, None)
    if document.put_rules(written):
        undo = key_for("take-back")
        _judge_anew(stage, f"all runs of the session are judged by these rules now; {undo} undoes it")


def _finders(stage: Stage, run: Run | None) -> dict[str, Finder]:
    """Return the ways to find rules: in examples, or in a policy."""
    from planscope.tui.screens.flows.find_rules import Place, draft_rules, mine_rules

    document, choice = stage.work.document, default_choice(stage)
    outcomes = document.outcomes.items()
    wrong = frozenset(key[1] for key, outcome in outcomes if outcome.verdict == "wrong")
    model = "" if choice.model.startswith("sim:") or ":" not in choice.model else choice.model
    place = Place(stage.work.jobs, document.kept_runs(), run, wrong, model, choice.base_url or "")
    return {
        "mine": lambda screen, known, pasted: mine_rules(screen, place, known),
        "draft": lambda screen, known, pasted: draft_rules(screen, place, known, pasted),
    }


def _judge_anew(stage: Stage, notice: str) -> None:
    """Judge the displayed run by the changed rules of the session."""
    stage.work.judge.forget_all()
    if stage.view.variant is not None:
        stage.look_at(*stage.view.key)
    stage.tell(notice)


def undo_rules(stage: Stage) -> None:
    """Restore the rules before their last change, and say which."""
    from planscope.rules.in_session import rules_of

    document = stage.work.document
    if document.removed_last:
        stage.tell(f"restored: {document.take_back()}")
        return
    if document.session is None or not document.undo_rules():
        stage.tell(f"nothing to undo: no call was played ({key_for('play')}), and no rule was changed")
        return
    file = rules_of(document.open_session)
    count = len(file.rules) if file is not None else 0
    left = phrases.plural(count, "rule") if count else "no rules"
    _judge_anew(stage, f"the last change of the rules is undone; the session has {left}")
