"""Sets of prompts that mean the same: the checks, what differs and by which words, calls and outputs side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from planscope.documents.fuzz import MatrixRowDocument, SetDocument
from planscope.session.model import FuzzPrompt
from planscope.show.blocks import Beside, Block, Code, Heading, Marked, Para, Table, Words
from planscope.toolfuzz.correctness.checks import PASSES, Bucket, Difference, PromptSet
from planscope.wording.phrases import json_text, plural

Set = PromptSet | SetDocument
NO_CALL = "no call"
NO_OUTPUT = "no output"
LONGEST = 300
"""Characters of an output that a text shows. A page cuts nothing."""


class Piece(NamedTuple):
    """A part of a prompt. ``placeholder``: whose filling it is, or None."""

    text: str
    placeholder: str | None = None


def checks(one: Set) -> tuple[str, str, str]:
    """Say how the three checks came out."""
    scores = [run.score for run in one.runs if run.answered]
    low = sum(score is not None and score < PASSES for score in scores)
    oracle = f"oracle {one.oracle} ({low} of {plural(len(scores), 'answer')} below {PASSES})"
    if one.oracle == "unjudged":
        oracle = f"oracle: unjudged ({scores.count(None)} of {len(scores)} scores could not be read)"
    return (
        _agreement("inputs", one.inputs_agree, len(one.inputs)),
        _agreement("outputs", one.outputs_agree, len(one.outputs)),
        "oracle: no data" if one.oracle == "no data" else oracle,
    )


def _agreement(what: str, agree: bool | None, count: int) -> str:
    if agree is None:
        return f"{what}: no data"
    return f"{what} agree" if agree else f"{what} differ ({plural(count, 'bucket')})"


def verdict(one: Set) -> str:
    """Say in one or two words what the set shows."""
    if one.faulty or one.agrees_wrongly:
        return "faulty" if one.faulty else "agreed, and wrong"
    found = [one.inputs_agree, one.outputs_agree, {"passes": True, "fails": False}.get(one.oracle)]
    return "no verdict" if None in found else "sound" if all(found) else "not faulty"


def pieces(run: FuzzPrompt) -> list[Piece]:
    """Cut a prompt into the fillings of its placeholders and what is between. A filling that a natural wording lost is
    not found."""
    found: list[tuple[int, int, str]] = []
    for name, word in sorted(run.words.items(), key=lambda item: -len(item[1])):
        whole = rf"(?<!\w){re.escape(word)}(?!\w)"
        for match in re.finditer(whole, run.prompt, re.IGNORECASE) if word else ():
            if all(match.end() <= a or match.start() >= b for a, b, _ in found):
                found.append((match.start(), match.end(), name))
    made, at = [], 0
    for start, end, name in sorted(found):
        made += [Piece(run.prompt[at:start])] * (start > at) + [Piece(run.prompt[start:end], name)]
        at = end
    return [*made, *[Piece(run.prompt[at:])] * (at < len(run.prompt))]


def prompts_of(numbers: Sequence[int]) -> str:
    """Write the numbers of prompts: ``prompt 2``, ``prompts 1, 3``."""
    return f"prompt{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def input_lines(bucket: Bucket) -> list[str]:
    return [json_text(one) for one in bucket.calls] or [NO_CALL]


def output_lines(bucket: Bucket) -> list[str]:
    return [NO_OUTPUT if one is None else one for one in bucket.outputs] or [NO_OUTPUT]


def number_of(buckets: Sequence[Bucket], prompt: int) -> int | None:
    """Return the number, from 1, of the bucket that a prompt is in, or None."""
    return next((k for k, one in enumerate(buckets, 1) if prompt in one.prompts), None)


def difference_title(one: Difference) -> str:
    what = "the number of calls differs" if one.argument is None else f"argument {one.argument} differs"
    named = " and ".join(f"[{name}]" for name in one.words)
    return f"{what}; the words for {named} decide it" if named else what


def output_title(one: Set) -> str:
    """Say which words decide what the tool gives back; empty if none do."""
    named = " and ".join(f"[{name}]" for name in one.output_words)
    return f"the words for {named} decide the output" if named else ""


def difference_rows(one: Difference, made: Set) -> list[tuple[str, str, str]]:
    """Return for each value the words that led to it, the value, and its prompts."""
    rows = []
    for shown in one.values:
        words: dict[str, None] = {}
        for k in shown.prompts:
            run = made.runs[k - 1]
            words.setdefault(" ".join(json_text(run.words[name]) for name in one.words if name in run.words))
        rows.append((", ".join(filter(None, words)), json_text(shown.value), prompts_of(shown.prompts)))
    return rows


# --- blocks ---


def sets_blocks(sets: Sequence[Set], matrix: Sequence[MatrixRowDocument], *, whole: bool) -> Iterator[Block]:
    """Yield all sets; in a text a faulty one whole, another with its checks and what differs."""
    if not sets:
        return
    faulty = sum(one.faulty for one in sets)
    yield Heading(f"prompts that mean the same: {plural(len(sets), 'set')}, {faulty:,} faulty")
    wrong = [str(k) for k, one in enumerate(sets, 1) if one.agrees_wrongly]
    if wrong:
        each = plural(len(wrong), "set")
        yield Para(f"{each} agreed, and wrong: {', '.join(wrong)}; the documentation may mislead always")
    for number, one in enumerate(sets, 1):
        yield from set_blocks(one, number, whole=whole, brief=not (whole or one.faulty))
    if len(matrix) > 1:
        tools = list(dict.fromkeys(name for row in matrix for name in row.called))
        rows = [
            (row.tool, row.prompts, *(row.called.get(one, 0) for one in tools), row.none) for row in matrix
        ]
        yield Heading("prompts that led to a call of each tool", 3)
        head, widest = ("prompts for", "prompts", *tools, NO_CALL), [24] * (len(tools) + 3)
        yield Table([tuple(map(str, row)) for row in rows], head, widest=widest)


def set_blocks(one: Set, number: int, *, whole: bool = False, brief: bool = False) -> Iterator[Block]:
    """Yield one set. ``whole``: nothing is cut, as on a page."""
    yield Heading(f"{number}. {one.tool}, {verdict(one)}: {one.template}", 3, f"set{number}")
    yield Para(", ".join(checks(one)), "   ")
    if one.expectation and not brief:
        yield Para(f"expected: {one.expectation}", "   ")
    for difference in one.differences:
        yield Para(difference_title(difference), "   ")
        rows = [] if brief else difference_rows(difference, one)
        if whole:
            yield Table(rows)
        else:
            for words, value, numbers in rows:
                yield Para(f"{words + ' -> ' if words else ''}{cut(value)} ({numbers})", "     ")
    if brief:
        return
    if told := output_title(one):
        yield Para(told, "   ")
    yield Beside(
        [*_buckets("call", one.inputs, input_lines, whole)],
        [*_buckets("output", one.outputs, output_lines, whole)],
    )
    if whole:
        head = ("", "prompt", "answer", "call", "output", "score")
        yield Table([_row(one, k, run) for k, run in enumerate(one.runs, 1)], head)
    else:
        yield from (Para(f"{k:>2}  {_told(one, k, run)}", "   ") for k, run in enumerate(one.runs, 1))


def _buckets(
    name: str, buckets: Sequence[Bucket], lines: Callable[[Bucket], list[str]], whole: bool
) -> Iterator[Block]:
    for k, bucket in enumerate(buckets, 1):
        yield Para(f"{name} {k}: {prompts_of(bucket.prompts)}", "   ")
        if whole:
            yield Code(lines(bucket))
        else:
            yield from (Para(cut(text), "     ") for text in lines(bucket))


def cut(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def _score(run: FuzzPrompt) -> str:
    if run.error is not None:
        return "no data"
    return "no answer" if not run.answered else "unjudged" if run.score is None else f"score {run.score}"


def _row(one: Set, k: int, run: FuzzPrompt) -> tuple[Words, ...]:
    text = tuple(Marked(piece.text) if piece.placeholder else piece.text for piece in pieces(run))
    said = f"no data: {run.error}" if run.error is not None else run.answer or ""
    numbers = (str(number_of(buckets, k) or "") for buckets in (one.inputs, one.outputs))
    return str(k), text, "\n".join(filter(None, (said, run.reason))), *numbers, _score(run)


def _told(one: Set, k: int, run: FuzzPrompt) -> str:
    text = "".join(f"«{piece.text}»" if piece.placeholder else piece.text for piece in pieces(run))
    if run.error is not None:
        return f"{text} (no data: {run.error})"
    return f"call {number_of(one.inputs, k)}, output {number_of(one.outputs, k)}, {_score(run)}: {text}"
