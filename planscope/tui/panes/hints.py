"""Chooses the keys in the footer for each phase of the debug screen, the most useful first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from planscope.tui.actions import ACTIONS, BY_ID, KeyAction
from planscope.tui.style.lines import Line, Run, justify, shown, width_of
from planscope.tui.view import DebugView


class Hint(NamedTuple):
    """A key and its title; ``id`` names the action."""

    id: str
    key: str
    title: str


_DECISIONS = 6
"""How many keys decide about a paused call."""
ALWAYS = ("help", "palette", "quit")
"""The actions that every footer names, at its end."""
TAKE = "open_selected"
"""The action of Enter, which is not in the key table because users cannot rebind it."""

_PHASES = """
over         | edit, rerun, dissect, compare, choose-run, look, zoom, toggle-breakpoint, fork, play, search
             | next-check, copy, library
nothing      | library
no trace     | choose-run, edit: rules, library
no run       | rerun: run it, play, edit, dissect, next-pane, choose-run
unreadable   | edit: edit it, rerun: run it, choose-run
running      | pause-run: pause, stop-run: stop, previous-call, list-breakpoints, zoom, watch
watched      | previous-call, zoom, watch
waits        | next-call: run, continue: continue, edit-arguments: arguments, edit-answer: answer, refuse-call
             | stop-run: stop, previous-call, explain, list-breakpoints
strange call | next-call: continue, continue: to the next breakpoint, stop-run: stop, previous-call
asks         | answer-call: answer, stop-run: stop, previous-call, look
approves     | next-call: approve, edit-arguments: arguments, refuse-call: reject, stop-run: stop, previous-call
back         | go-end: paused call, next-call, previous-call, stop-run: stop, explain
not judged   | next-call, previous-call, first-violation, edit: write rules, look, choose-run, explain
             | compare, fold-calls: fold turns, search, library
imported     | next-call, previous-call, first-violation, explain, edit: rules, look, choose-run, compare
             | play, search, library
play         | open_selected, take-back, keep-play, deselect: leave, later-hour, earlier-hour, previous-call
play base    | open_selected, take-back, keep-play, deselect: leave, previous-call
play rules   | open_selected, take-back, keep-play, deselect: leave, edit-arguments: arguments, later-hour: next
             | previous-call
"""
"""For each phase its keys, by the ids of actions, each with its words if they are not the action's title. Before those
of ``over`` come the keys that the table of actions names for the footer.

``nothing``: no session is open. ``no trace``: traces without a query, none of which is shown. ``waits``: at the paused
call; ``back``: at a step before it. ``watched``: nothing can be decided about the running agent. ``strange call``: the
paused call cannot be read, so no tool is called. ``asks``, ``approves``: the interrupted agent asks the user a
question, or to approve a call. ``play base``: what-if play without hours; ``play rules``: with arguments. ``not
judged``: a run without a query and rules. ``imported``: a run of another program, which has rules.
"""


def phase(state: DebugView) -> str:
    """Return the phase of the debug screen."""
    run = state.run
    if state.play is not None:
        timed, option = state.play.played.problem.timed, state.play.chosen
        return "play" if timed else "play base" if option is None or option.way is None else "play rules"
    if run is None and not state.has_queries:
        return "nothing"
    if run is None and state.only_recorded:
        return "no trace"
    if run is None:
        return "unreadable" if state.progress == "unreadable" else "no run"
    if not run.under_way:
        if state.progress == "judged" and state.debug.run.problem.unjudged:
            return "not judged"
        return "imported" if run.cost.imported and not state.text.strip() else "over"
    if state.question is not None and state.at_question:
        return "approves" if state.question.tool is not None else "asks"
    if not run.pending:
        return "watched" if state.only_watched else "running"
    if not state.at_pending:
        return "back"
    return "strange call" if run.calls[-1].error else "waits"


def debug_hints(key: Callable[[KeyAction], str]) -> Mapping[str, Sequence[Hint]]:
    """Make the hints of each phase; ``key`` gives the user's own key of an action."""
    footer = [a for a in ACTIONS if a.footer and a.where == "debug"]
    made: dict[str, list[Hint]] = {"over": hints(footer, key)}
    name = ""
    for line in _PHASES.strip().splitlines():
        phase, _, told = line.partition("|")
        name = phase.strip() or name
        for one in filter(None, map(str.strip, told.split(","))):
            id, _, title = one.partition(": ")
            hint = (
                Hint(id, "Enter", "play it")
                if id == TAKE
                else Hint(id, key(BY_ID[id]), title or BY_ID[id].title.lower())
            )
            made.setdefault(name, []).append(hint)
    for told_in in made.values():
        told_in += hints((BY_ID[id] for id in ALWAYS), key)
    return made


def named_hints(state: DebugView, told: Mapping[str, Sequence[Hint]]) -> list[Hint]:
    """Return the keys that the footer names in the phase: those that find something in this run and this session."""
    idle, run = {"compare"} if state.alone else set(), state.run
    if state.nothing_to_explain:
        idle.add("explain")
    named = {}
    if run is not None and state.progress == "judged" and state.debug.run.first_violation is None:
        failed = any(call.failed for call in run.calls)
        named["first-violation"] = "failed call" if failed else "likely cause"
        if not failed and state.cause_at is None:
            idle.add("first-violation")
    return [
        hint._replace(title=named.get(hint.id, hint.title))
        for hint in told[phase(state)]
        if hint.id not in idle
    ]


def footer_line(state: DebugView, told: Mapping[str, Sequence[Hint]], width: int) -> Line:
    """Lay out the keys of the phase, or a short notice."""
    decides = phase(state) in ("waits", "approves")
    keys = key_line(named_hints(state, told), width, _DECISIONS if decides else 0)
    return footer_notice(state, told, width) or keys


def footer_notice(state: DebugView, told: Mapping[str, Sequence[Hint]], width: int) -> Line | None:
    """Return the footer with the notice; None if it does not fit, or the keys of a live run or of play are needed."""
    needed = state.play is not None or (state.run is not None and state.run.under_way)
    return None if needed else told_in_footer(state.notice, told["nothing"], width)


def told_in_footer(notice: str, told: Iterable[Hint], width: int) -> Line | None:
    """Put a notice beside the keys that stop work and those that every footer names; None if it does not fit.

    So it neither covers nor moves anything.
    """
    kept = (hint for hint in told if hint.id in ALWAYS or BY_ID[hint.id].during == "busy")
    keys = key_line(kept, width).runs
    text = Run(f" {shown(notice, width)}", "strong")
    fits = notice and width_of((text, *keys)) < width
    return Line(justify([text], keys, width), "bar") if fits else None


def hints(actions: Iterable[KeyAction], key: Callable[[KeyAction], str]) -> list[Hint]:
    """Make hints with the titles of the actions."""
    return [Hint(action.id, key(action), action.title.lower()) for action in actions]


def key_line(told: Iterable[Hint], width: int, needed: int = 0) -> Line:
    """Lay out the hints that fit; those of ``ALWAYS`` always do. For the first ones that are ``needed`` they leave out
    their words."""
    named = [hint for hint in told if hint.key]
    always = [hint for hint in named if hint.id in ALWAYS]
    if sum(_size(hint) + 2 for hint in (*named[:needed], *always)) >= width:
        named = [hint._replace(title="") if hint in always and needed else hint for hint in named]
    kept = {hint.id for hint in named if hint.id in ALWAYS}
    free = width - 1 - sum(_size(hint) + 2 for hint in named if hint.id in kept)
    for hint in named:
        if hint.id not in kept and _size(hint) + 2 <= free:
            free -= _size(hint) + 2
            kept.add(hint.id)
    made = [Run(" ")]
    for hint in sorted((hint for hint in named if hint.id in kept), key=lambda hint: hint.id in ALWAYS):
        made += [Run(hint.key, "key", hint.id), Run(_words(hint), "dim", hint.id), Run("  ")]
    return Line(tuple(made), "bar")


def _size(hint: Hint) -> int:
    return width_of((Run(hint.key), Run(_words(hint))))


def _words(hint: Hint) -> str:
    return f" {hint.title}" if hint.title else ""
