"""What a set of prompts shows, in words: for the terminal, the web page and the screen."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from planscope.safe import cell_width, clip, visible, wrap
from planscope.toolfuzz.correctness.checks import PASSES, Bucket, Difference, PromptRun, PromptSet
from planscope.wording.phrases import plural

NO_CALL = "no call"
NO_OUTPUT = "no output"

_MOST_LINES = 6
_GAP = 2
_LEAST_SIDE = 36
"""Cells that a column needs, so that two fit side by side."""


class Piece(NamedTuple):
    """A part of a prompt. ``placeholder``: whose filling it is, or None."""

    text: str
    placeholder: str | None = None


def checks(one: PromptSet) -> tuple[str, str, str]:
    """Say how the three checks came out."""
    return (
        _agreement("inputs", one.inputs_agree, len(one.inputs)),
        _agreement("outputs", one.outputs_agree, len(one.outputs)),
        _oracle(one),
    )


def _agreement(what: str, agree: bool | None, count: int) -> str:
    if agree is None:
        return f"{what}: no data"
    return f"{what} agree" if agree else f"{what} differ ({plural(count, 'bucket')})"


def _oracle(one: PromptSet) -> str:
    scores = [run.score for run in one.runs if run.answered]
    low = sum(score is not None and score < PASSES for score in scores)
    match one.oracle:
        case "no data":
            return "oracle: no data"
        case "unjudged":
            return f"oracle: unjudged ({scores.count(None)} of {len(scores)} scores could not be read)"
        case _:
            return f"oracle {one.oracle} ({low} of {plural(len(scores), 'answer')} below {PASSES})"


def verdict(one: PromptSet) -> str:
    """Say in one or two words what the set shows."""
    if one.faulty:
        return "faulty"
    if one.agrees_wrongly:
        return "agreed, and wrong"
    found = [one.inputs_agree, one.outputs_agree, {"passes": True, "fails": False}.get(one.oracle)]
    if None in found:
        return "no verdict"
    return "sound" if all(found) else "not faulty"


def agreed_and_wrong(sets: Sequence[PromptSet]) -> str:
    """Say which sets agree and are wrong, which no finding tells; empty if none do."""
    numbers = [str(k) for k, one in enumerate(sets, 1) if one.agrees_wrongly]
    each = plural(len(numbers), "set")
    return (
        f"{each} agreed, and wrong: {', '.join(numbers)}; the documentation may mislead always"
        if numbers
        else ""
    )


def message(one: PromptSet) -> str:
    """Say what a faulty set found, in one sentence."""
    ways = plural(len(one.inputs), "way")
    named = [f"argument {d.argument}" for d in one.differences if d.argument is not None]
    differs = f": {', '.join(named)}" if named else ""
    return f'{plural(len(one.runs), "prompt")} like "{one.template}" led to {ways} of calling it{differs}'


def pieces(run: PromptRun) -> list[Piece]:
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
    return [_json(one) for one in bucket.calls] or [NO_CALL]


def output_lines(bucket: Bucket) -> list[str]:
    return [NO_OUTPUT if one is None else one for one in bucket.outputs] or [NO_OUTPUT]


def number_of(buckets: Sequence[Bucket], prompt: int) -> int | None:
    """Return the number, from 1, of the bucket that a prompt is in, or None."""
    return next((k for k, one in enumerate(buckets, 1) if prompt in one.prompts), None)


def difference_title(one: Difference) -> str:
    what = "the number of calls differs" if one.argument is None else f"argument {one.argument} differs"
    if not one.words:
        return what
    named = " and ".join(f"[{name}]" for name in one.words)
    return f"{what}; the words for {named} decide it"


def output_title(one: PromptSet) -> str:
    """Say which words decide what the tool gives back; empty if none do."""
    named = " and ".join(f"[{name}]" for name in one.output_words)
    return f"the words for {named} decide the output" if named else ""


def difference_rows(one: Difference, made: PromptSet) -> list[tuple[str, str, str]]:
    """Return for each value the words that led to it, the value, and its prompts."""
    rows = []
    for shown in one.values:
        words: dict[str, None] = {}
        for k in shown.prompts:
            run = made.runs[k - 1]
            words.setdefault(" ".join(_json(run.words[name]) for name in one.words if name in run.words))
        rows.append((", ".join(filter(None, words)), _json(shown.value), prompts_of(shown.prompts)))
    return rows


def matrix_rows(matrix: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the matrix as a table: prompts made for a tool down, called tools across."""
    tools = list(dict.fromkeys(name for row in matrix for name in row["called"]))
    head = ["prompts for", "prompts", *tools, NO_CALL]
    return [
        head,
        *(
            [
                row["tool"],
                str(row["prompts"]),
                *(str(row["called"].get(t, 0)) for t in tools),
                str(row["none"]),
            ]
            for row in matrix
        ),
    ]


# --- terminal ---


def section_lines(
    sets: Sequence[PromptSet], matrix: Sequence[Mapping[str, object]], width: int
) -> Iterator[str]:
    """Yield all sets: a faulty one whole, another with its checks and what differs."""
    if not sets:
        return
    yield f"prompts that mean the same: {plural(len(sets), 'set')}, {sum(one.faulty for one in sets):,} faulty"
    if told := agreed_and_wrong(sets):
        yield told
    for number, one in enumerate(sets, 1):
        yield ""
        yield from set_lines(one, number, width, whole=one.faulty)
    if len(matrix) > 1:
        yield from ("", "  prompts that led to a call of each tool:")
        yield from matrix_lines(matrix, width)
    yield ""


def set_lines(one: PromptSet, number: int, width: int, *, whole: bool = True) -> Iterator[str]:
    """Yield a set as text of at most ``width`` cells a line. Long outputs are cut."""
    yield from _wrapped(f"  {number}. {one.tool}, {verdict(one)}: {one.template}", width, 5)
    yield from _wrapped(f"     {', '.join(checks(one))}", width, 5)
    if not whole:
        for difference in one.differences:
            yield from _wrapped(f"     {difference_title(difference)}", width, 7)
        return
    if one.expectation:
        yield from _wrapped(f"     expected: {one.expectation}", width, 7)
    for difference in one.differences:
        yield from _wrapped(f"     {difference_title(difference)}", width, 7)
        for words, value, numbers in difference_rows(difference, one):
            yield from _wrapped(f"       {words + ' -> ' if words else ''}{value} ({numbers})", width, 9)
    if told := output_title(one):
        yield from _wrapped(f"     {told}", width, 7)
    left = [
        (f"call {k}: {prompts_of(bucket.prompts)}", input_lines(bucket))
        for k, bucket in enumerate(one.inputs, 1)
    ]
    right = [
        (f"output {k}: {prompts_of(bucket.prompts)}", output_lines(bucket))
        for k, bucket in enumerate(one.outputs, 1)
    ]
    yield from _side_by_side(left, right, width - 5)
    for k, run in enumerate(one.runs, 1):
        yield from _wrapped(f"     {k:>2}  {_told(one, k, run)}", width, 9)


def matrix_lines(matrix: Sequence[Mapping[str, object]], width: int) -> Iterator[str]:
    """Yield which tools the prompts for each tool led to."""
    rows = [[clip(visible(cell), 24) for cell in row] for row in matrix_rows(matrix)]
    wide = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    if sum(wide) + 2 * len(wide) > width:
        for row in rows[1:]:
            told = [
                f"{name} {count}" for name, count in zip(rows[0][2:], row[2:], strict=True) if count != "0"
            ]
            yield from _wrapped(f"  {row[0]}, {row[1]} prompts: {', '.join(told)}", width, 4)
        return
    for row in rows:
        cells = [row[0].ljust(wide[0]), *(cell.rjust(wide[k]) for k, cell in enumerate(row[1:], 1))]
        yield ("  " + "  ".join(cells)).rstrip()


def _told(one: PromptSet, k: int, run: PromptRun) -> str:
    text = "".join(f"«{piece.text}»" if piece.placeholder else piece.text for piece in pieces(run))
    if run.error is not None:
        return f"{text} (no data: {run.error})"
    score = "unjudged" if run.score is None else f"score {run.score}"
    if not run.answered:
        score = "no answer"
    return f"call {number_of(one.inputs, k)}, output {number_of(one.outputs, k)}, {score}: {text}"


def _side_by_side(
    left: Sequence[tuple[str, list[str]]], right: Sequence[tuple[str, list[str]]], width: int
) -> Iterator[str]:
    side = (width - _GAP) // 2
    if side < _LEAST_SIDE:
        for title, texts in (*left, *right):
            yield from (f"     {line}" for line in _block(title, texts, width))
        return
    columns = [
        [line for title, texts in some for line in _block(title, texts, side)] for some in (left, right)
    ]
    for k in range(max(map(len, columns))):
        a, b = (column[k] if k < len(column) else "" for column in columns)
        yield f"     {a}{' ' * (side + _GAP - cell_width(a))}{b}".rstrip()


def _block(title: str, texts: Sequence[str], width: int) -> list[str]:
    lines = [part for text in texts for part in _cells(visible(text), max(width - 2, 10))]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"... ({plural(sum(map(len, texts)), 'character')})"]
    return [*textwrap.wrap(title, width), *(f"  {line}" for line in lines)]


def _cells(text: str, width: int) -> list[str]:
    return [text[a:b] for a, b in wrap(text, width)]


def _wrapped(text: str, width: int, indent: int) -> list[str]:
    return textwrap.wrap(
        visible(text), max(width, 20), subsequent_indent=" " * indent, max_lines=8, placeholder=" ..."
    )


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return repr(value)[:10_000]
