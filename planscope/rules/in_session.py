"""The rules of a session: they are kept as text, and every run is judged by them, together with its query if it has
one.

To change them, use :func:`add_rules` (append) or :func:`set_rules` (replace)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from planscope.errors import UserError
from planscope.language.errors import ParseFailure, in_a_line
from planscope.language.outline import OutlineNode
from planscope.language.problem import Action, Problem
from planscope.language.reading import Reading
from planscope.oracle.trace import Trace
from planscope.rules.beside import ruled, rules_outline
from planscope.rules.names import tools_of_session
from planscope.rules.reading import read_rules
from planscope.rules.rule import RuleFile
from planscope.session.json_bytes import plain_text
from planscope.session.model import Session, Variant, own_variants
from planscope.session.oracle_input import actions_of, reading_of

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay

MOST_BEFORE = 50
"""So many earlier texts of the rules are kept."""


@lru_cache(maxsize=64)
def read_text(text: str, tools: frozenset[str] = frozenset()) -> RuleFile:
    """Read the text of rules about these tools, once for each text. Raises ParseFailure."""
    return read_rules(text, tools).among(tools)


def given_text(rules: str | Path | Sequence[str]) -> str:
    """Return the text of rules that a program gives: a file, or a list of sentences. Raises OSError, and ValueError
    with one line if they cannot be read."""
    if isinstance(rules, str | Path):
        text = plain_text(Path(rules).read_text(encoding="utf-8"))
    else:
        text = "\n".join(plain_text(str(rule)) for rule in rules)
    try:
        read_text(text)
    except ParseFailure as failure:
        raise ValueError(f"the rules cannot be read: {in_a_line(failure.errors)}") from None
    return text


def rules_of(session: Session) -> RuleFile | None:
    """Return the rules of a session, or None if it has none. Raises UserError if they cannot be read."""
    if session.rules is None or not session.rules.strip():
        return None
    try:
        found = read_text(session.rules, tools_of_session(session))
    except ParseFailure as failure:
        raise UserError(f"the session's rules cannot be read: {in_a_line(failure.errors)}") from None
    return found if found.rules or found.reads or found.writes else None


def with_rules(session: Session, text: str) -> Session:
    """Return the session with this text as its rules; "" removes them. The text before is kept.

    Raises ParseFailure for a text that cannot be read, with places in ``text``.
    """
    read_text(text, tools_of_session(session))
    made = text if text.strip() else None
    if made == session.rules:
        return session
    before = [*(session.rules_before or []), session.rules or ""]
    return session.model_copy(update={"rules": made, "rules_before": before[-MOST_BEFORE:]})


def set_rules(session: Session, text: str) -> None:
    """Replace the rules of a session, as :func:`with_rules` does."""
    made = with_rules(session, text)
    session.rules, session.rules_before = made.rules, made.rules_before


def add_rules(session: Session, text: str) -> RuleFile:
    """Append rules to those of a session, each on a line of its own, and return all of them.

    Raises ParseFailure for a text that cannot be read, with places in ``text`` alone; then nothing changes.
    """
    known = tools_of_session(session)
    read_text(text, known)
    before = session.rules or ""
    joint = "" if not before or before.endswith("\n") else "\n"
    made = f"{before}{joint}{text}" if text.strip() else before
    set_rules(session, made)
    return read_text(made, known)


def without_change(session: Session) -> Session:
    """Return the session with the rules that were replaced last, or itself if there are none."""
    if not session.rules_before:
        return session
    *rest, last = session.rules_before
    return session.model_copy(update={"rules": last or None, "rules_before": rest or None})


def reading_in(session: Session, variant: Variant, file: RuleFile | None = None) -> Reading:
    """Read a variant's text, and add the session's rules to its problem. ``file``: rules in place of these.

    Raises ParseFailure for the text, UserError for the rules.
    """
    reading = reading_of(variant)
    rules = file if file is not None else rules_of(session)
    if rules is None or not rules.rules:
        return reading
    return dataclasses.replace(
        reading, problem=ruled(reading.problem, rules, _tools(variant, reading.problem))
    )


def outline_in(reading: Reading) -> tuple[OutlineNode, ...]:
    """Return the tree of a query, and below it the rules."""
    tree = reading.outline if reading.text.strip() else ()
    return (*tree, *rules_outline(reading.problem))


def problem_in(session: Session, variant: Variant) -> Problem:
    """Return the problem of a variant, with the session's rules. Raises as :func:`reading_in`."""
    return reading_in(session, variant).problem


def clashes(session: Session, file: RuleFile | None = None) -> list[tuple[Variant, Replay]]:
    """Return the session's own queries that no calls can meet together with its rules, though each could be met
    alone. ``file``: rules in place of the session's. A query that cannot be read is left out."""
    from planscope.oracle.replay import replay  # imported late because it imports Z3

    found = []
    for variant in own_variants(session):
        try:
            problem = reading_in(session, variant, file).problem
        except ParseFailure:
            continue
        run = replay(problem, Trace(ending="running"))
        core = run.steps[0].core
        if core is not None and {problem.by_id[id].kind == "of_calls" for id in core.constraints} == {
            True,
            False,
        }:
            found.append((variant, run))
    return found


def guarded_problem(variant: Variant, rules: str | None) -> Problem:
    """Return the problem that a guard keeps possible: that of the query, with the session's rules (their text)."""
    return problem_in(Session(id="", title="", rules=rules), variant)


def _tools(variant: Variant, problem: Problem) -> tuple[Action, ...]:
    """Return the variant's tools as actions. Without a query, they are named by their tools."""
    actions = actions_of(variant)
    return tuple(dataclasses.replace(a, name=a.tool) for a in actions) if problem.unjudged else actions
