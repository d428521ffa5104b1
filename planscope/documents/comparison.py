"""A comparison as a document: what ``compare --json`` prints."""

from __future__ import annotations

from typing import Any

from planscope.compare.result import ArgumentChange, CallRow, Comparison, Side, StepSide
from planscope.documents.judgement import CallDocument, CheckDocument, FindingDocument
from planscope.documents.query import ActionDocument, ParseErrorDocument, constraint_document


def comparison_document(c: Comparison) -> dict[str, Any]:
    """Rows point into the two sides: calls into ``steps``, lines of the tree into ``outline``, spans into ``text``."""
    return {
        "a": _side(c.a),
        "b": _side(c.b),
        "fields": [{"name": f.name, "a": f.a, "b": f.b, "same": f.same} for f in c.fields],
        "matched": c.matched,
        "text": {
            "same": c.text.same,
            "minimal": c.text.minimal,
            "parts": [{"change": p.change, "a": list(p.a), "b": list(p.b)} for p in c.text.parts],
        },
        "actions": [
            {
                "change": row.change,
                "a": row.a.id if row.a is not None else None,
                "b": row.b.id if row.b is not None else None,
                "differs": list(row.differs),
            }
            for row in c.actions
        ],
        "tree": _tree(c),
        "constraints": _constraints(c),
        "calls": _calls(c),
        "kept": None if c.kept is None else {"run": c.kept.run, "steps": c.kept.steps},
        "divergence": None
        if c.divergence is None
        else {"a": c.divergence.a, "b": c.divergence.b, "reasons": list(c.divergence.reasons)},
        "unknown": [{"side": u.side, "what": u.what, "why": u.why} for u in c.unknown],
    }


def _side(side: Side) -> dict[str, Any]:
    problem = side.problem
    return {
        "session": side.session,
        "title": side.title,
        "variant": side.variant,
        "run": side.run,
        "text": side.text,
        "timed": side.timed,
        "actions": [ActionDocument.of(action).as_data() for action in side.actions],
        "constraints": None if problem is None else [constraint_document(x) for x in problem.constraints],
        "errors": [ParseErrorDocument.of(e).as_data() for e in side.errors],
        "outline": [
            {"label": n.label, "depth": n.depth, "span": list(n.span), "constraints": list(n.constraints)}
            for n in side.outline
        ],
        "contradiction": None if side.contradiction is None else list(side.contradiction),
        "steps": [_step(step) for step in side.steps],
        "ending": side.ending,
        "check": None if side.verdict is None else CheckDocument.of(side.verdict, helped=side.help).as_data(),
    }


def _step(step: StepSide) -> dict[str, Any]:
    return {
        "step": step.step,
        "attempt": step.attempt,
        "call": None if step.call is None else CallDocument.of(step.call).as_data(),
        "action": step.action,
        "answer": step.answer,
        "answered": step.answered,
        "refused_by": step.refused_by,
        "state": step.state,
        "start": step.start,
        "end": step.end,
        "findings": [FindingDocument.of(f).as_data() for f in step.findings],
    }


def _tree(c: Comparison) -> dict[str, Any] | None:
    if c.tree is None:
        return None
    rows = [{"change": row.change, "a": row.a, "b": row.b} for row in c.tree.rows]
    return {"same": c.tree.same, "minimal": c.tree.minimal, "rows": rows}


def _constraints(c: Comparison) -> dict[str, Any] | None:
    if c.constraints is None:
        return None
    return {
        "same": c.constraints.same,
        "equivalent": c.constraints.equivalent,
        "rows": [
            {
                "change": row.change,
                "a": row.a.id if row.a is not None else None,
                "b": row.b.id if row.b is not None else None,
                "words_a": row.words_a,
                "words_b": row.words_b,
                "follows": row.follows,
            }
            for row in c.constraints.rows
        ],
    }


def _calls(c: Comparison) -> dict[str, Any] | None:
    if c.calls is None:
        return None
    return {
        "same": c.calls.same,
        "cost": c.calls.cost,
        "minimal": c.calls.minimal,
        "attempts": [list(pair) for pair in c.calls.attempts],
        "rows": [_row(row) for row in c.calls.rows],
    }


def _row(row: CallRow) -> dict[str, Any]:
    return {
        "change": row.change,
        "a": row.a,
        "b": row.b,
        "partner": row.partner,
        "arguments": [_argument(argument) for argument in row.arguments],
    }


def _argument(argument: ArgumentChange) -> dict[str, Any]:
    return {"name": argument.name, "change": argument.change, "a": argument.a, "b": argument.b}
