"""A query as a document: what ``new`` and ``parse`` print."""

from __future__ import annotations

import hashlib
from typing import Any

from planscope.language.problem import Action, Constraint, Problem
from planscope.language.prompts import prompt_for


def action_document(action: Action) -> dict[str, Any]:
    return {"id": action.id, "name": action.name, "tool": action.tool, "duration": action.duration}


def constraint_document(c: Constraint) -> dict[str, Any]:
    """A constraint; a rule has no sentence and no spans."""
    document: dict[str, Any] = {"id": c.id, "kind": c.kind}
    if c.kind == "order":
        document |= {"before": c.before, "after": c.after}
    elif not c.is_rule:
        document |= {"action": c.action, "hour": c.hour}
    return document | {
        "sentence": c.sentence,
        "spans": [list(span) for span in c.spans],
        "text": c.text,
        "source": c.source,
    }


def query_id(problem: Problem) -> str:
    """The same for the same text and actions, everywhere."""
    names = "\n".join(f"{a.name} {a.duration}" for a in problem.actions)
    digest = hashlib.sha256(f"{problem.text}\n\n{names}".encode("utf-8", "surrogatepass"))
    return f"q{digest.hexdigest()[:12]}"


def query_document(
    problem: Problem,
    *,
    topic: str | None = None,
    seed: int | None = None,
    valid_orders: int | None = None,
) -> dict[str, Any]:
    """``valid_orders`` is null where more than 20 actions make it too many to count."""
    return {
        "id": query_id(problem),
        "seed": seed,
        "topic": topic,
        "timed": problem.timed,
        "text": problem.text,
        "prompt": prompt_for(problem.text, timed=problem.timed),
        "actions": [action_document(a) for a in problem.actions],
        "constraints": [constraint_document(c) for c in problem.constraints],
        "valid_orders": valid_orders,
    }


def parsed_document(problem: Problem) -> dict[str, Any]:
    """As above for a text that was read, with the contradiction in it, if there is one."""
    from planscope.oracle.replay import replay
    from planscope.oracle.trace import Trace

    blank = replay(problem, Trace((), "running"))
    document = query_document(problem, valid_orders=blank.valid_completions(0))
    core = blank.steps[0].core
    document["contradiction"] = list(core.constraints) if core is not None else []
    return document


def error_documents(errors: Any) -> dict[str, Any]:
    """What could not be read: ``errors`` as the parser gives them."""
    return {
        "errors": [
            {
                "line": e.line,
                "column": e.column,
                "found": e.found,
                "expected": list(e.expected),
                "message": e.message,
            }
            for e in errors
        ]
    }
