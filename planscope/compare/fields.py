"""What else is told of two runs: who ran them, what they took, how they ended."""

from __future__ import annotations

from collections.abc import Iterator

from planscope.compare.result import Field, FieldName, Side
from planscope.compare.sides import Known
from planscope.session.costs import cost_of
from planscope.session.model import Run, Variant

Value = str | int | float | None


def compare_fields(a: Known, b: Known) -> tuple[Field, ...]:
    """Every field once, in a fixed order; those of runs only where at least one side has a run."""
    of_a, of_b = dict(_values(a)), dict(_values(b))
    names = dict.fromkeys([*of_a, *of_b])
    return tuple(Field(name, of_a.get(name), of_b.get(name)) for name in names)


def _values(known: Known) -> Iterator[tuple[FieldName, Value]]:
    yield "session", known.session.id
    yield from _of_variant(known.variant)
    if known.run is not None:
        yield from _of_run(known.run, known.side)


def _of_variant(variant: Variant) -> Iterator[tuple[FieldName, Value]]:
    origin = variant.origin
    how = " ".join(str(part) for part in (origin.kind, origin.mutation, origin.number) if part is not None)
    yield "variant", variant.id
    yield "origin", how
    yield "topic", variant.query.topic
    yield "language", "timed" if variant.query.timed else "base"
    yield "limit_seconds", variant.limits.seconds
    yield "limit_model_calls", variant.limits.model_calls


def _of_run(run: Run, side: Side) -> Iterator[tuple[FieldName, Value]]:
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
