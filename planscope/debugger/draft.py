"""A draft of a query: its text, actions, tools and limits, and how it becomes a variant.

A draft is immutable: every change returns a new one, so that one undo history covers edits of the text and of the
actions. An impossible change raises ``DraftError`` with a message of one line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from planscope.debugger.errors import DebuggerError, shown
from planscope.frozen import frozen
from planscope.language.problem import Action, Problem, free_tool
from planscope.language.reading import Reading
from planscope.language.scan import phrase_key
from planscope.language.tree_json import dump
from planscope.oracle.trace import RESTART_TOOL
from planscope.safe import visible
from planscope.session.json_bytes import plain_text
from planscope.session.model import Limits, Origin, Variant, make_variant
from planscope.session.oracle_input import actions_of, has_own_tools
from planscope.session.validation import LONGEST_QUERY, LONGEST_TIMED

LONGEST_NAME = 200
"""The limit for an action's name, in code points."""

LONGEST_RUN = 86_400
"""The longest time limit of a run, in seconds. A longer one is taken for a typing error."""


class DraftError(DebuggerError):
    """The draft does not allow a change. The message is one line, safe to show."""


@frozen
class Draft:
    """A variant that is being written. ``seconds`` and ``model_calls`` limit a run. Durations are in hours (timed)."""

    text: str
    actions: tuple[Action, ...]
    timed: bool = False
    seconds: float = 180.0
    model_calls: int = 50

    @property
    def longest(self) -> int:
        """The limit for its text, in code points, so that a session can hold it."""
        return LONGEST_TIMED if self.timed else LONGEST_QUERY

    def action(self, id: str) -> Action:
        """Return the action with an id. Raises :class:`DraftError` if there is none."""
        for action in self.actions:
            if action.id == id:
                return action
        raise DraftError(f"there is no action {shown(id)}")


def draft_of(variant: Variant) -> Draft:
    """Make a draft of a variant's text, actions and limits."""
    limits = variant.limits
    return Draft(
        variant.query.text, actions_of(variant), variant.query.timed, limits.seconds, limits.model_calls
    )


def variant_of_draft(
    draft: Draft,
    id: str,
    parent: Variant | None,
    reading: Reading | None = None,
    constraints: list[dict[str, Any]] | None = None,
) -> Variant:
    """Return the draft as a variant below ``parent``. ``reading``: that of this very text, if it could be read."""
    assert reading is None or reading.text == draft.text
    made = make_variant(
        Problem(draft.actions, (), draft.timed, draft.text),
        Origin(kind="edited"),
        id=id,
        parent=None if parent is None else parent.id,
        topic=None if parent is None else parent.query.topic,
        tree=None if reading is None else dump(reading.tree),
        constraints=constraints,
        limits=Limits(seconds=draft.seconds, model_calls=draft.model_calls),
    )
    if parent is not None and has_own_tools(parent):
        told = {a.tool: a for a in parent.actions}
        made.own = True
        for action in made.actions:
            if (known := told.get(action.tool)) is not None:
                action.description, action.parameters = known.description, known.parameters
    return made


# Actions and limits


def checked_name(draft: Draft, name: str, besides: str = "") -> str:
    """Return a new name for an action, without extra blanks. Raises :class:`DraftError` if it is not allowed.

    ``besides``: the id of the action that has this name or will have it.
    """
    name = " ".join(plain_text(name).split())
    key = phrase_key(name)
    if not key:
        raise DraftError("an action needs a name")
    if len(name) > LONGEST_NAME:
        raise DraftError(f"a name has at most {LONGEST_NAME} characters")
    if visible(name) != name:
        raise DraftError("the name has invisible characters; remove them")
    for action in draft.actions:
        if action.id != besides and phrase_key(action.name) == key:
            raise DraftError(f"{shown(action.name)} is the name of {action.id}; choose another name")
    return name


def tool_for(draft: Draft, name: str, besides: str = "") -> str:
    """Return a tool's name for an action, different from the tools of all actions except ``besides``."""
    taken = {action.tool for action in draft.actions if action.id != besides}
    return free_tool(name, {*taken, RESTART_TOOL})


def add_action(draft: Draft, name: str, hours: int | None = None, known: Iterable[str] = ()) -> Draft:
    """Add an action at the end. ``known``: ids in use now or before, which are not used again."""
    name = checked_name(draft, name)
    numbers = [int(id[1:]) for id in (*known, *(a.id for a in draft.actions)) if id[1:].isdecimal()]
    duration = checked_hours(1 if hours is None else hours) if draft.timed else None
    made = Action(f"a{max(numbers, default=0) + 1}", name, tool_for(draft, name), duration)
    return replace(draft, actions=(*draft.actions, made))


def drop_action(draft: Draft, id: str) -> Draft:
    """Remove an action. Sentences that name it can no longer be read."""
    draft.action(id)
    if len(draft.actions) == 1:
        raise DraftError("a query needs at least one action")
    return replace(draft, actions=tuple(a for a in draft.actions if a.id != id))


def restore_action(draft: Draft, action: Action) -> Draft:
    """Restore a removed action."""
    name = checked_name(draft, action.name)
    tool = action.tool if action.tool not in {a.tool for a in draft.actions} else tool_for(draft, name)
    hours = (action.duration or 1) if draft.timed else None
    return replace(draft, actions=(*draft.actions, replace(action, tool=tool, duration=hours)))


def set_hours(draft: Draft, id: str, hours: int) -> Draft:
    """Change the duration of an action, in hours."""
    draft.action(id)
    if not draft.timed:
        raise DraftError("only actions of a timed query have durations")
    return with_action(draft, id, duration=checked_hours(hours))


def checked_hours(hours: int) -> int:
    if not 1 <= hours <= 24:
        raise DraftError("an action takes from 1 to 24 hours")
    return hours


def set_limits(draft: Draft, seconds: float, model_calls: int) -> Draft:
    """Change the limits: seconds and model calls."""
    if not 0 < seconds <= LONGEST_RUN:
        raise DraftError(f"a run takes more than 0 and at most {LONGEST_RUN:,} seconds")
    if not 1 <= model_calls <= 1_000_000:
        raise DraftError("a run makes from 1 to 1,000,000 model calls")
    return replace(draft, seconds=seconds, model_calls=model_calls)


def set_timed(draft: Draft, timed: bool) -> Draft:
    """Add clock times and durations of 1 hour each, or remove them. Raises DraftError if the text is too long."""
    actions = tuple(replace(a, duration=1 if timed else None) for a in draft.actions)
    changed = draft if timed == draft.timed else replace(draft, timed=timed, actions=actions)
    if len(changed.text) > changed.longest:
        raise DraftError(f"a timed query has at most {changed.longest:,} characters")
    return changed


def with_action(draft: Draft, id: str, **changes: Any) -> Draft:
    """Replace some fields of one action."""
    return replace(draft, actions=tuple(replace(a, **changes) if a.id == id else a for a in draft.actions))
