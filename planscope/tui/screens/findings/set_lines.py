"""Lays out a set of prompts: the three checks, what differs and by which words, calls and outputs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from planscope.session.model import FuzzPrompt
from planscope.toolfuzz.correctness.checks import Bucket, PromptSet
from planscope.tui.controllers.finding_list import Row
from planscope.tui.keys import key_for
from planscope.tui.style.lines import Line, Page, Run, labelled, line, paragraph, ranges, shown, width_of
from planscope.views.prompt_sets import (
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

_LONGEST = 2000
_LEAST_SIDE = 38
_GAP = 2
_ROLES = {"✓": "holds", "✗": "broken", "·": "unknown"}


def tell_set(page: Page, row: Row, one: PromptSet, hidden: bool = False) -> None:
    """Describe a set of prompts. Nothing of it is left out; texts of more than 2,000 characters are cut.

    ``hidden``: without checks, scores and what the judge said.
    """
    page.text(one.template, "strong")
    if not hidden:
        _checks(page, row, one)
    for difference in one.differences:
        page.add()
        page.text(difference_title(difference), "caution")
        for words, value, numbers in difference_rows(difference, one):
            told = f"{words} → {value}" if words else value
            page.say("", f"{shown(told, 400)}  ({numbers})")
    page.add()
    page.text(output_title(one), "caution")
    page.lines.extend(_buckets(one, page.width))
    page.add()
    for number, run in enumerate(one.runs, 1):
        page.lines.extend(_prompt(one, number, run, page.width, hidden))


def _checks(page: Page, row: Row, one: PromptSet) -> None:
    page.say("set", verdict(one), "broken" if one.faulty else "")
    for label, told, mark in zip(("checks", "", ""), checks(one), marks(one), strict=True):
        page.say(label, f"{mark} {told}", _ROLES[mark])
    if one.expectation:
        page.say("expected", one.expectation)
    if row.steps:
        first = row.steps[0]
        page.say(
            "in runs", f"{key_for('open-step')} opens run {first.run}, of prompt {first.prompt}", "caution"
        )


def marks(one: PromptSet) -> list[str]:
    """Return a mark for each of the three checks: it passes, it fails, or there is no verdict."""
    said = (one.inputs_agree, one.outputs_agree, {"passes": True, "fails": False}.get(one.oracle))
    return [{True: "✓", False: "✗", None: "·"}[good] for good in said]


def _buckets(one: PromptSet, width: int) -> Iterator[Line]:
    """Lay the calls beside the outputs, or above them if the width is too small."""
    side = (width - _GAP) // 2
    wide = side if side >= _LEAST_SIDE else width
    left, right = (
        [runs for k, bucket in enumerate(some, 1) for runs in _bucket(name, k, bucket, texts(bucket), wide)]
        for name, some, texts in (("call", one.inputs, input_lines), ("output", one.outputs, output_lines))
    )
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


def _prompt(one: PromptSet, number: int, run: FuzzPrompt, width: int, hidden: bool) -> Iterator[Line]:
    """Lay out a prompt, its fillings marked, and what it led to."""
    told = f"call {number_of(one.inputs, number)}, output {number_of(one.outputs, number)}"
    role = "dim"
    if run.error is not None:
        told, role = f"no data: {run.error}", "unknown"
    elif not hidden:
        score = "no answer" if not run.answered else "unjudged" if run.score is None else f"score {run.score}"
        told, role = f"{told}, {score}", "broken" if run.score is not None and run.score < 5 else "dim"
    more = [(told, role)]
    more += [(f"answer: {run.answer}", "dim")] if run.answer else []
    more += [(f"judge: {run.reason}", "dim")] if run.reason and not hidden else []
    wide = max(width - 4, 10)
    body = [
        *_marked(run, wide),
        *(runs for text, role in more for runs in paragraph(text, wide, role, _LONGEST)),
    ]
    yield from map(Line, labelled(f"{number:>2}  ", body, indent=4))


def _marked(run: FuzzPrompt, width: int) -> list[tuple[Run, ...]]:
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
