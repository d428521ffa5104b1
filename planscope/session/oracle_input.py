"""Reads a variant's text as the problem that the oracle judges.

The text is read again each time, since nothing that can be derived is trusted from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from planscope.language.derive import problem_of_tree
from planscope.language.problem import Action, Problem
from planscope.language.reading import Reading, read_query
from planscope.language.tree import ActionRef, Query, walk
from planscope.session.model import Session, Variant

UNJUDGED = (
    "Not judged: there is no query and no rule that the calls have to meet. Rules are checked with planscope check "
    'SESSION --rules FILE; a query is given when you record: record(PATH, query="...")'
)
"""The explanation for a run of the user's agent without a query."""


ProblemIn = Callable[[Session, Variant], Problem]
"""Reads the problem of a variant in its session, with the session's rules."""


def plain_name(tool: str) -> str:
    """Return the noun phrase in a tool's name, with blanks for ``_`` and ``-``."""
    return " ".join(tool.replace("_", " ").replace("-", " ").split()) or tool


def actions_of(variant: Variant) -> tuple[Action, ...]:
    """Return the variant's actions. A timed action without a duration takes one hour."""
    return tuple(
        Action(a.id, a.name, a.tool, (a.duration or 1) if variant.query.timed else None)
        for a in variant.actions
    )


def reading_of(variant: Variant) -> Reading:
    """Read the variant's text. Raises ``ParseFailure``.

    Of the tools of a user's agent, those that the text names must be called once each; the others may be called freely.
    Without a text nothing can be judged, and the problem says so.
    """
    text, timed = variant.query.text, variant.query.timed
    if not has_own_tools(variant):
        return read_query(text, actions_of(variant), timed=timed, kept=True)
    schemas = {a.tool: a.parameters for a in variant.actions}
    return own_reading(text, actions_of(variant), schemas, timed=timed, kept=True)


def own_reading(
    text: str,
    actions: Iterable[Action],
    schemas: Mapping[str, Mapping[str, Any] | None],
    *,
    timed: bool = False,
    kept: bool = False,
) -> Reading:
    """Read a text over the tools of a user's agent: the text requires those that it names, and no others.

    ``schemas`` are the JSON schemas of the tools' arguments by tool name; ``kept`` is passed to ``read_query``. With an
    empty text nothing is judged. Raises ``ParseFailure``.
    """
    if not text.strip():
        return Reading(text, Query((), (0, 0)), Problem((), (), timed, text, schemas, UNJUDGED))
    reading = read_query(text, actions, timed=timed, kept=kept)
    named = {node.action for _, node in walk(reading.tree) if isinstance(node, ActionRef)}
    required = tuple(a for a in reading.problem.actions if a.id in named)
    # "A comes first" is about the tools that the text names, not about all that the agent has.
    said = problem_of_tree(reading.tree, required, timed=timed).constraints
    problem = replace(reading.problem, actions=required, constraints=said, own=schemas)
    return replace(reading, problem=problem)


def has_own_tools(variant: Variant) -> bool:
    """Return whether the tools belong to a user's agent and are no mock tools. Only recorders make imported
    variants."""
    return bool(variant.own) or variant.origin.kind == "imported"


def problem_of(variant: Variant) -> Problem:
    """Return the problem that the variant's text states. Raises ``ParseFailure``."""
    return reading_of(variant).problem
