"""Commands that try a session differently: fork, edit."""

from __future__ import annotations

from argparse import Namespace
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from planscope.case import need_run, read_variant, variant_shown
from planscope.commands import Command
from planscope.commands.common import (
    BASE_URL,
    OUTPUT,
    RUN,
    SESSION,
    columns,
    is_text,
    leave_out,
    more_names_help,
    names_of,
    read_text,
    say,
    say_all,
    tell,
    whole,
)
from planscope.commands.recording import (
    LIMITS,
    Addition,
    chosen_variant,
    limits_of,
    options_of,
)
from planscope.errors import UserError

if TYPE_CHECKING:
    from planscope.agents.own_live import OwnRun
    from planscope.agents.runner import LiveRun
    from planscope.debugger.draft import Draft
    from planscope.session.model import Run, Session, Variant

FORK_ABOUT = (
    "Keep a run up to a step and let an agent go on from there: with another answer of that step's tool, another model "
    "or another query. The new run is recorded; the old one stays. Exit status as for planscope run."
)


_FORK = (
    SESSION,
    RUN,
    ("--step K!", "the last step to keep; 0: only the prompt", whole(0)),
    ("--answer TEXT", "what the tool of step K answers instead"),
    ("--model M", "the model that goes on (default: the run's own)"),
    (
        "--agent A",
        "tools, react or responses (default: the run's own); or your own: package.module:agent",
    ),
    ("--variant ID", "go on with this query (default: the run's own)"),
    ("--seed N", "seed of a simulated model (default 0)", whole(0)),
    ("--guard", "block calls that make the plan impossible; tells the agent why"),
    BASE_URL,
    *LIMITS,
    OUTPUT,
    ("--json", "print the new run as JSON"),
)


def _fork(args: Namespace) -> int:
    from planscope.commands.run import run_one
    from planscope.session.model import MessageEvent, variant_of
    from planscope.session.oracle_input import has_own_tools
    from planscope.show.blocks import Para

    if args.answer is not None and not is_text(args.answer):
        raise UserError("--answer is not UTF-8 text")
    place = Addition(args)
    session = place.session
    run = need_run(session, args.run)
    variant = variant_of(session, run)
    own = has_own_tools(variant) and args.variant in (None, variant.id)
    if not own:
        variant = chosen_variant(session, args.variant or run.variant)
        read_variant(variant)
    forked: list[LiveRun | OwnRun] = []

    def fork() -> LiveRun | OwnRun:
        forked.append(_forked(args, session, run, variant))
        return forked[0]

    status = run_one(args, place, fork)
    notes = [e.text for e in forked[0].run.events if isinstance(e, MessageEvent) and e.by == "system"]
    if own and not args.json and notes:
        with suppress(BrokenPipeError):
            tell([Para(notes[0])])
    return status


def _forked(args: Namespace, session: Session, run: Run, variant: Variant) -> LiveRun | OwnRun:
    from planscope.agents.forks import fork, fork_own
    from planscope.session.model import next_run_id
    from planscope.session.oracle_input import has_own_tools

    if has_own_tools(variant):
        leave_out(
            args,
            ("model", "guard", "seed", "base_url", "max_seconds", "max_calls"),
            "is for agents with mock tools; leave it out",
        )
        return fork_own(
            run, variant, step=args.step, answer=args.answer, agent=args.agent, run_id=next_run_id(session)
        )
    options = options_of(args, limits_of(args, variant), session.rules)
    options = replace(options, agent=args.agent or "", model=args.model or run.model)
    return fork(run, variant, options, step=args.step, answer=args.answer, run_id=next_run_id(session))


EDIT_ABOUT = (
    "Add a query with another text to a session, as a new variant below the old one. The actions stay; --new-actions "
    "adds those that only the new text names. planscope run SESSION runs it."
)


_EDIT = (
    SESSION,
    ("--text FILE!", "the new text; - : standard input"),
    ("--variant ID", "the query to edit (default: the newest)"),
    ("--actions NAMES", 'names of all actions, as in "a, b" (default: those of the old query)'),
    ("--new-actions", "add actions that the text names besides"),
    ("--timed", "make the query timed; each action takes one hour"),
    OUTPUT,
    ("--json", "print the new query as JSON"),
)


def _edit(args: Namespace) -> None:
    from planscope.commands.parse import tell_query
    from planscope.debugger.draft import draft_of, variant_of_draft
    from planscope.documents.query import constraint_documents
    from planscope.session.model import next_variant_id
    from planscope.session.oracle_input import reading_of

    place = Addition(args)
    session = place.session
    parent = variant_shown(session) if args.variant is None else chosen_variant(session, args.variant)
    text = read_text(args.text).rstrip()
    draft = _changed(args, draft_of(parent), text)
    if draft == draft_of(parent):
        raise UserError(f"the text of variant {parent.id} is this already; nothing was changed")
    made = variant_of_draft(draft, "v0", parent)
    try:
        read_variant(made)
    except UserError as error:
        given = [action.name for action in draft.actions]
        hint = "" if args.new_actions else more_names_help(text, given, timed=draft.timed)
        raise UserError(f"{str(error).replace('query of variant v0', 'text')}{hint}") from None
    reading = reading_of(made)
    constraints = constraint_documents(reading.problem)
    with place.adding(parent.id) as now:
        made = variant_of_draft(draft, next_variant_id(now), parent, reading, constraints)
        now.variants.append(made)
    tell_query(
        args, reading, kind="EditDocument", session=place.name, variant=made.id, parent=parent.id
    )  # whatever happens to the output, the query is recorded
    if not args.json:
        with suppress(BrokenPipeError):
            say()
            say_all((f"variant {made.id}, an edit of {parent.id}, in {place.name}"[: columns() * 4],))


def _changed(args: Namespace, draft: Draft, text: str) -> Draft:
    """Return the draft with the new text and the actions that the options ask for."""

    from planscope.debugger.draft import add_action, set_timed
    from planscope.language.find_actions import new_names

    draft = replace(draft, text=text)
    if args.timed:
        draft = set_timed(draft, True)
    if args.actions is not None:
        names = names_of(args.actions)
        kept = {action.name: action for action in draft.actions if action.name in names}
        known = [action.id for action in draft.actions]
        draft = replace(draft, actions=tuple(kept.values()))
        for name in names:
            if name not in kept:
                draft = add_action(draft, name, known=known)
    if args.new_actions:
        for name in new_names(text, draft.actions):
            draft = add_action(draft, name)
    if len(text) > draft.longest:
        raise UserError(f"the text has more than {draft.longest:,} characters")
    return draft


COMMANDS = {
    "fork": Command(
        FORK_ABOUT,
        "planscope fork figure-7 --run 1 --step 1 --model sim:careful -o f.json",
        _FORK,
        _fork,
    ),
    "edit": Command(
        EDIT_ABOUT,
        "echo Do network diagnosis last. | planscope edit figure-5 --text - -o e.json",
        _EDIT,
        _edit,
    ),
}
