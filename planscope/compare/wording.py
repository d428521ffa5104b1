"""Describes a comparison in plain words. Texts of runs and queries are quoted unchanged: escape them before display."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from planscope.compare.result import (
    ActionRow,
    CallRow,
    Comparison,
    ConstraintRow,
    Field,
    Side,
    StepSide,
    TextPart,
)
from planscope.safe import clip
from planscope.wording import phrases, terms

QUOTED = 80
"""The width of an answer, an argument or an id that is quoted, in cells."""

CONTEXT = 2
"""How many equal rows are shown beside one that differs."""


def label(field: Field) -> str:
    return terms.label(field.name)


def value(c: Comparison, field: Field, which: str) -> str:
    """Return a field's value in words, or a dash if there is none."""
    found = field.a if which == "a" else field.b
    side = c.a if which == "a" else c.b
    if found is None:
        return "-"
    if field.name == "verdict" and side.verdict is not None:
        return terms.VERDICTS[side.verdict.told]
    if field.name == "ending":
        return ended(side)
    if field.name == "first_violation":
        return phrases.step_name("end" if found == "end" else int(found))
    if field.name == "origin":
        how = str(found).removeprefix("mutated ").split(" ")
        return " ".join(terms.ORIGINS.get(word, word) for word in how)
    if not isinstance(found, str):
        return f"{round(found, 2):,}".removesuffix(".0")
    return terms.LANGUAGES.get(found, terms.said(found))


def named(side: Side) -> str:
    """Name a side: ``run r1 of variant v1``."""
    variant = f"variant {clip(side.variant, QUOTED)}"
    return variant if side.run is None else f"run {clip(side.run, QUOTED)} of {variant}"


def judged(side: Side) -> str:
    """Return the verdict of a run, as ``WRONG: order error``. Without a run, return whether the query can be met."""
    if side.verdict is not None:
        return phrases.verdict_line(side.verdict, side.help.note)
    if side.problem is None:
        return "the query cannot be read"
    if side.contradiction is None:
        return "not decided whether it can be met"
    return f"{terms.CONFLICT}: {', '.join(side.contradiction)}" if side.contradiction else "can be met"


def called(step: StepSide) -> str:
    """Return ``tool(8)``, ``tool(x=1)``, or what is known of a call that could not be read."""
    if step.call is None:
        return "the end" if step.step == "end" else "the start"
    return phrases.call(step.call.tool, step.call.arguments)


def counted(rows: Iterable[CallRow | ConstraintRow | ActionRow]) -> str:
    """Count rows by change: ``3 the same, 1 moved, 2 only in b``."""
    counts = Counter[str](row.change for row in rows if not (row.change == "moved" and row.a is None))
    return (
        ", ".join(f"{counts[kind]} {terms.CHANGES[kind]}" for kind in terms.CHANGES if counts[kind]) or "none"
    )


def shortened(rows: Sequence[CallRow], everything: bool = False) -> Iterator[CallRow | int]:
    """Return the rows near one that differs, and for the others their number. ``everything``: all rows."""
    different = [k for k, row in enumerate(rows) if row.change != "same"]
    if everything or not different or len(rows) <= 4 * CONTEXT:
        yield from rows
        return
    near = {k for d in different for k in range(d - CONTEXT, d + CONTEXT + 1)}
    for shown, some in groupby(enumerate(rows), lambda place: place[0] in near):
        found = [row for _, row in some]
        yield from found if shown else [len(found)]


def parting(c: Comparison) -> str:
    """Say in a sentence or two where the runs differ first; "" if no two runs are compared."""
    if c.calls is None:
        return ""
    kept = ""
    if c.kept is not None:
        many = "call" if c.kept.steps == 1 else f"{c.kept.steps} calls"
        kept = f"Both keep the first {many} of run {clip(c.kept.run, QUOTED)}. "
    if c.divergence is None:
        judged_both = c.a.verdict is not None and c.b.verdict is not None
        what = "Nothing" if judged_both else "No call and no answer"
        return f"{kept}{what} differs from the beginning to the end."
    one, other = c.a.steps[c.divergence.a], c.b.steps[c.divergence.b]
    place = phrases.step_name(one.step if one.step == other.step else one.index)
    reasons = [_reason(reason, one, other, c) for reason in c.divergence.reasons]
    return f"{kept}First difference: {place}. {terms.sentence('; '.join(reasons))}"


def _reason(reason: str, one: StepSide, other: StepSide, c: Comparison) -> str:
    what, here, there = {
        "call": ("the calls differ", called(one), called(other)),
        "arguments": ("the arguments differ", called(one), called(other)),
        "answer": ("the answers differ", _answer(one), _answer(other)),
        "state": ("the states differ", state(c.a, one), state(c.b, other)),
        "ending": ("the runs end differently", ended(c.a), ended(c.b)),
    }[reason]
    return f"{what}: {here} and {there}"


def _answer(step: StepSide) -> str:
    refused = f" (refused by the {step.refused_by})" if step.refused_by else ""
    return "none" if step.answer is None else f"“{clip(step.answer, QUOTED)}”{refused}"


def state(side: Side, step: StepSide) -> str:
    """Return a step's state. At the end of a right run it is complete."""
    unjudged = side.problem.unjudged if side.problem is not None else ""
    return terms.state(step.state or "unknown", step.step == "end" and side.ending != "aborted", unjudged)


def ended(side: Side) -> str:
    """Say how the run of a side ended."""
    cause = side.verdict.reason if side.verdict is not None else None
    return terms.ended(side.ending, cause) if side.ending is not None else terms.NO_RUN


def renamed(row: ActionRow) -> str:
    """Describe on one line an action that differs or is in one query only."""
    if row.a is None or row.b is None:
        alone = row.a or row.b
        assert alone is not None
        return clip(alone.name, QUOTED) + (f", {alone.duration} h" if alone.duration else "")
    parts = [clip(row.a.name, QUOTED)]
    if "name" in row.differs:
        parts[0] += f" is called {clip(row.b.name, QUOTED)} in b"
    if "tool" in row.differs:
        parts.append(f"its tool {row.a.tool} is {row.b.tool}")
    if "duration" in row.differs:
        parts.append(f"takes {row.a.duration} h in a and {row.b.duration} h in b")
    return ", ".join(parts)


def equivalence(c: Comparison) -> str:
    """Say whether the two queries are equivalent; empty if their constraints are equal."""
    if c.constraints is None or c.constraints.same:
        return ""
    if c.constraints.equivalent is None:
        why = next((u.why for u in c.unknown if u.what == "equivalence"), "")
        return f"It is not decided whether both mean the same: {why}." if why else ""
    return "Both mean the same." if c.constraints.equivalent else "They do not mean the same."


def follows(row: ConstraintRow) -> str:
    """Say whether the other query implies a constraint that it does not state."""
    return terms.IMPLIED if row.follows else ""


def unknowns(c: Comparison) -> list[str]:
    """Say what is not known, one line for each."""
    return [
        f"{f'{u.side}, ' if u.side else ''}{u.what}: {u.why}" for u in c.unknown if u.what != "equivalence"
    ]


def elided(parts: Iterable[TextPart], most: int) -> Iterator[tuple[TextPart, bool]]:
    """Shorten long parts that are the same to the text next to a change. True means that text was left out before a
    part.

    ``most``: code points that stay on each side of such a part.
    """
    every = list(parts)
    for k, part in enumerate(every):
        start, end = part.a
        if part.change != "same" or end - start <= 2 * most:
            yield part, False
            continue
        shift = part.b[0] - start
        if k > 0:
            yield TextPart("same", (start, start + most), (start + shift, start + most + shift)), False
        last = end if k == len(every) - 1 else end - most
        yield TextPart("same", (last, end), (last + shift, end + shift)), True
