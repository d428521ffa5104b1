"""A synthesized request as a new session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planscope.session.model import Session
    from planscope.synthesis.generate import Synthesized


def title_of(made: Synthesized) -> str:
    """What it is called unless something else is said: ``school: 5 timed actions, seed 7``."""
    kind = "timed actions" if made.problem.timed else "actions"
    return f"{made.topic or 'query'}: {len(made.problem.actions)} {kind}, seed {made.seed}"


def session_of(made: Synthesized) -> Session:
    """A session with the request as its one variant, and no run."""
    from planscope.documents.query import constraint_document, query_id
    from planscope.language.tree_json import dump
    from planscope.session.model import Origin, Session
    from planscope.session.new_parts import make_variant

    variant = make_variant(
        made.problem,
        Origin(kind="synthesized"),
        topic=made.topic or None,
        seed=made.seed,
        tree=dump(made.tree),
        constraints=[constraint_document(c) for c in made.problem.constraints],
    )
    return Session(id=query_id(made.problem), title=title_of(made), variants=[variant])
