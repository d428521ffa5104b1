"""Everything about two runs or variants, compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planscope.compare.actions import Matching, match_actions
from planscope.compare.calls import align, keys
from planscope.compare.constraints import compare_constraints
from planscope.compare.divergence import divergence, kept
from planscope.compare.result import Comparison, ConstraintDiff, Field, Side, Unknown, Value
from planscope.compare.sides import Known, know
from planscope.compare.trees import compare_trees
from planscope.compare.words import compare_texts
from planscope.session.costs import cost_of
from planscope.session.model import Run, Session, Variant

if TYPE_CHECKING:
    from planscope.oracle.replay import Replay


def compare(
    session_a: Session,
    a: Run | Variant,
    session_b: Session,
    b: Run | Variant,
    *,
    replay_a: Replay | None = None,
    replay_b: Replay | None = None,
) -> Comparison:
    """Compare two runs or variants, of one session or two. A run brings its variant along.

    ``replay_a`` and ``replay_b`` spare judging what the caller has judged already. What cannot be read or judged is
    compared as far as it can be, and ``Comparison.unknown`` says what is missing; nothing is raised.
    """
    one = know("a", session_a, a, replay_a)
    other = know("b", session_b, b, replay_b, one)
    side_a, side_b = one.side, other.side
    if one.run is None and other.run is None:  # then nobody asked for calls
        one, other = one.without("calls"), other.without("calls")
    matching = match_actions(session_a, one.variant, session_b, other.variant)
    keys_a, keys_b = keys(side_a.steps, matching.keys_a), keys(side_b.steps, matching.keys_b)
    tree = calls = begun = None
    if one.reading is not None and other.reading is not None:
        tree = compare_trees(side_a, one.reading.tree, side_b, other.reading.tree, matching)
    constraints = compare_constraints(side_a, side_b, matching)
    if one.run is not None and other.run is not None:
        begun = kept(session_a, one.run, side_a, keys_a, session_b, other.run, side_b, keys_b)
        calls = align(side_a.steps, side_b.steps, keys_a, keys_b, begun.steps if begun is not None else 0)
    return Comparison(
        a=side_a,
        b=side_b,
        fields=_fields(one, other),
        matched=matching.matched,
        text=compare_texts(side_a.text, side_b.text),
        actions=matching.rows,
        tree=tree,
        constraints=constraints,
        calls=calls,
        kept=begun,
        divergence=divergence(side_a, side_b, keys_a, keys_b, matching),
        unknown=(*one.unknown, *other.unknown, *_together(one, other, matching, constraints)),
    )


def _together(
    one: Known, other: Known, matching: Matching, constraints: ConstraintDiff | None
) -> Iterator[Unknown]:
    """What is not known of the two together, though each can be read."""
    a, b = one.side, other.side
    if a.steps and b.steps and (a.verdict is None) != (b.verdict is None):
        yield Unknown(None, "states", "one run is not judged, so only calls and answers say where they part")
    if constraints is None or constraints.equivalent is not None:
        return
    if a.timed != b.timed:
        why = "one request is timed and the other is not"
    elif a.contradiction or b.contradiction:
        why = "a contradiction asks for nothing that could be done"
    elif not matching.same_durations:
        why = "durations differ"
    else:
        why = "no proof was found, neither that they ask for the same nor that they do not"
    yield Unknown(None, "equivalence", why)


def _fields(a: Known, b: Known) -> tuple[Field, ...]:
    """Every field once, in a fixed order; those of runs only where at least one side has a run."""
    of_a, of_b = dict(_values(a)), dict(_values(b))
    names = dict.fromkeys([*of_a, *of_b])
    return tuple(Field(name, of_a.get(name), of_b.get(name)) for name in names)


def _values(known: Known) -> Iterator[tuple[str, Value]]:
    yield "session", known.session.id
    yield from _of_variant(known.variant)
    if known.run is not None:
        yield from _of_run(known.run, known.side)


def _of_variant(variant: Variant) -> Iterator[tuple[str, Value]]:
    origin = variant.origin
    how = " ".join(str(part) for part in (origin.kind, origin.mutation, origin.number) if part is not None)
    yield "variant", variant.id
    yield "origin", how
    yield "topic", variant.query.topic
    yield "language", "timed" if variant.query.timed else "base"
    yield "limit_seconds", variant.limits.seconds
    yield "limit_model_calls", variant.limits.model_calls


def _of_run(run: Run, side: Side) -> Iterator[tuple[str, Value]]:
    cost = cost_of(run)
    verdict = side.verdict
    violation = verdict.first_violation if verdict is not None else None
    yield "run", run.id
    yield "agent", run.agent
    yield "model", run.model
    yield "seed", run.seed
    yield "verdict", verdict.verdict if verdict is not None else None
    yield "error_type", verdict.error_type if verdict is not None else None
    yield "helped", side.help.text or None
    yield "first_violation", violation.step if violation is not None else None
    yield "ending", side.ending
    yield "calls", sum(step.call is not None for step in side.steps)
    yield "model_calls", cost.model_calls
    yield "input_tokens", cost.input_tokens
    yield "output_tokens", cost.output_tokens
    yield "seconds", cost.seconds
    yield "model_seconds", cost.model_seconds
