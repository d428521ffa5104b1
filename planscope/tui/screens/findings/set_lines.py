"""Lays out a set of prompts: the three checks, what differs and by which words, calls and outputs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from planscope.toolfuzz.correctness.checks import Bucket, PromptRun, PromptSet
from planscope.toolfuzz.correctness.said import (
    checks,
    difference_rows,
    difference_title,
    input_lines,
    number_of,
    output_lines,
    output_title,
    pieces,
    prompts_of,
    verdict,
)
from planscope.tui.controllers.finding_list import Row
from planscope.tui.keys import key_for
from planscope.tui.style.lines import (
    BLANK,
    Line,
    Run,
    labelled,
    labelled_lines,
    line,
    paragraph,
    ranges,
    shown,
    width_of,
    wrapped,
)

_MARGIN = 10
_LONGEST = 2000
_LEAST_SIDE = 38
_GAP = 2
_ROLES = {"✓": "holds", "✗": "broken", "·": "unknown"}


def set_lines(row: Row, width: int, hidden: bool = False) -> list[Line]:
    """Describe the set of a row. Nothing of it is left out; texts of more than 2,000 characters are cut.

    ``hidden``: without checks, scores and what the judge said.
    """
    one = row.set
    if one is None:
        return []
    lines = wrapped(one.template, width, "strong", _LONGEST)
    if not hidden:
        lines += _checks(one, width)
        if one.expectation:
            lines += part("expected", one.expectation, width)
        lines += _runs(row, width)
    for difference in one.differences:
        lines.append(BLANK)
        lines += wrapped(difference_title(difference), width, "caution")
        for words, value, numbers in difference_rows(difference, one):
            told = f"{words} → {value}" if words else value
            lines += part("", f"{shown(told, 400)}  ({numbers})", width)
    lines.append(BLANK)
    if told := output_title(one):
        lines += wrapped(told, width, "caution")
    lines += _buckets(one, width)
    lines.append(BLANK)
    for number, run in enumerate(one.runs, 1):
        lines += _prompt(one, number, run, width, hidden)
    return lines


def part(label: str, text: str, width: int, role: str = "") -> list[Line]:
    """Wrap a text beside its label."""
    return labelled_lines(label, text, width, indent=_MARGIN, role=role, limit=_LONGEST)


def _checks(one: PromptSet, width: int) -> Iterator[Line]:
    yield from part("set", verdict(one), width, "broken" if one.faulty else "")
    for label, told, mark in zip(("checks", "", ""), checks(one), marks(one), strict=True):
        yield from part(label, f"{mark} {told}", width, _ROLES[mark])


def marks(one: PromptSet) -> list[str]:
    """Return a mark for each of the three checks: it passes, it fails, or there is no verdict."""
    said = (one.inputs_agree, one.outputs_agree, {"passes": True, "fails": False}.get(one.oracle))
    return [{True: "✓", False: "✗", None: "·"}[good] for good in said]


def _runs(row: Row, width: int) -> Iterator[Line]:
    if row.steps:
        first = row.steps[0]
        text = f"{key_for('open-step')} opens run {first.run}, of prompt {first.prompt}"
        yield from part("in runs", text, width, "caution")


def _buckets(one: PromptSet, width: int) -> Iterator[Line]:
    """Lay the calls beside the outputs, or above them if the width is too small."""
    side = (width - _GAP) // 2
    wide = side if side >= _LEAST_SIDE else width
    left = [
        run
        for k, bucket in enumerate(one.inputs, 1)
        for run in _bucket("call", k, bucket, input_lines(bucket), wide)
    ]
    right = [
        run
        for k, bucket in enumerate(one.outputs, 1)
        for run in _bucket("output", k, bucket, output_lines(bucket), wide)
    ]
    if side < _LEAST_SIDE:
        yield from (Line(runs) for runs in (*left, *right))
        return
    for a, b in zip_longest(left, right, fillvalue=()):
        pad = Run(" " * (side + _GAP - width_of(a))) if b else Run("")
        yield line(*a, pad, *b)


def _bucket(
    name: str, number: int, bucket: Bucket, texts: Sequence[str], width: int
) -> Iterator[tuple[Run, ...]]:
    yield from paragraph(f"{name} {number}: {prompts_of(bucket.prompts)}", width, "label")
    for text in texts:
        for runs in paragraph(text, width - 2, "quote", _LONGEST):
            yield (Run("  "), *runs)


def _prompt(one: PromptSet, number: int, run: PromptRun, width: int, hidden: bool) -> Iterator[Line]:
    """Lay out a prompt, its fillings marked, and what it led to."""
    if run.error is not None:
        told, role = f"no data: {run.error}", "unknown"
    else:
        score = "no answer" if not run.answered else "unjudged" if run.score is None else f"score {run.score}"
        role = "broken" if run.score is not None and run.score < 5 else "dim"
        told = f"call {number_of(one.inputs, number)}, output {number_of(one.outputs, number)}"
        role, told = ("dim", told) if hidden else (role, f"{told}, {score}")
    body = [
        *_marked(run, max(width - 4, 10)),
        *paragraph(told, max(width - 4, 10), role, _LONGEST),
        *(paragraph(f"answer: {run.answer}", max(width - 4, 10), "dim", _LONGEST) if run.answer else ()),
        *(
            paragraph(f"judge: {run.reason}", max(width - 4, 10), "dim", _LONGEST)
            if run.reason and not hidden
            else ()
        ),
    ]
    yield from (Line(runs) for runs in labelled(f"{number:>2}  ", body, indent=4))


def _marked(run: PromptRun, width: int) -> list[tuple[Run, ...]]:
    """Wrap a prompt, its fillings marked."""
    parts = [(shown(piece.text, _LONGEST), "hit" if piece.placeholder else "") for piece in pieces(run)]
    text = "".join(part for part, _ in parts)
    lines = []
    for start, end in ranges(text, width):
        runs, at = [], 0
        for part, role in parts:
            a, b = max(start, at), min(end, at + len(part))
            if a < b:
                runs.append(Run(text[a:b], role))
            at += len(part)
        lines.append(tuple(runs))
    return lines
