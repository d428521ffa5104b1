"""Writes a comparison as Markdown, for an issue or a pull request.

Text from a run or a query is always in code spans or fenced blocks, so it never becomes markup, a link, a mention or
HTML. There is no table, because a pipe ends a cell even inside a code span.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planscope.compare import wording
from planscope.compare.result import CallRow, Comparison, Side
from planscope.safe import clip
from planscope.sharing.markdown import block, code
from planscope.wording.terms import CHANGE_SIGNS

SIGNS = {**CHANGE_SIGNS, "changed": "!"}
"""The signs in a fenced block of the language ``diff``, which marks changed lines with ``!``."""

AROUND = 200
LONGEST = 300
LINES = 200
"""Limits: code points kept beside a change, cells of a line in a block, lines of a block."""


def comparison_markdown(c: Comparison) -> str:
    """Return the whole Markdown text."""
    lines = ["## Comparison", "", *_side("a", c.a), *_side("b", c.b)]
    if c.calls is not None:
        lines += ["", "### First difference", "", _block([wording.parting(c)], "text")]
        lines += ["", f"### Calls: {wording.counted(c.calls.rows)}", "", _block(_calls(c), "diff")]
    lines += ["", f"### Words: {'the same' if c.text.same else 'changed'}"]
    if not c.text.same:
        lines += ["", " ".join(_words(c))]
    changed = [row for row in c.actions if row.change != "same"]
    if changed:
        lines += ["", f"### Actions: {wording.counted(c.actions)}", ""]
        lines.append(_block((f"{SIGNS[row.change]} {wording.renamed(row)}" for row in changed), "diff"))
    if c.constraints is not None:
        lines += ["", f"### Constraints: {wording.counted(c.constraints.rows)}", *_constraints(c)]
    differing = [
        f"- {wording.label(f)}: {_code(wording.value(c, f, 'a'))} → {_code(wording.value(c, f, 'b'))}"
        for f in c.differing
    ]
    lines += ["", "### Other differences", "", *(differing or ["Nothing."])]
    missing = wording.unknowns(c)
    if missing:
        lines += ["", "### Not known", "", _block(missing, "text")]
    return "\n".join(lines) + "\n"


def _block(lines: Iterable[str], language: str) -> str:
    return block(lines, language, most=LINES, widest=LONGEST)


def _code(text: str, limit: int = LONGEST) -> str:
    return code(text, limit)


def _side(name: str, side: Side) -> Iterator[str]:
    yield f"- **{name}**: {_code(wording.named(side))} of session {_code(side.session)}: {_code(wording.judged(side))}"
    if side.verdict is not None:
        yield f"  {_code(side.explanation, 2 * LONGEST)}"


def _calls(c: Comparison) -> Iterator[str]:
    """Write the calls as a diff: a changed call is one line for each side."""
    assert c.calls is not None
    for row in wording.shortened(c.calls.rows):
        if isinstance(row, int):
            yield f"  ... {row} the same"
        elif row.change == "same":
            yield f"  {_step(c.a, row.a)}"
        else:
            yield from _changed(c, row)


def _changed(c: Comparison, row: CallRow) -> Iterator[str]:
    moved = f"  (in b step {row.partner})" if row.b is None else f"  (in a step {row.partner})"
    note = moved if row.change == "moved" else ""
    if row.a is not None:
        yield f"- {_step(c.a, row.a)}{note}"
    if row.b is not None:
        yield f"+ {_step(c.b, row.b)}{note}"


def _step(side: Side, index: int | None) -> str:
    step = side.steps[index or 0]
    state = f"  {wording.state(side, step)}" if step.state is not None else ""
    return f"{step.index:>3} {wording.called(step)}{state}"


def _words(c: Comparison) -> Iterator[str]:
    for part, cut_off in wording.elided(c.text.parts, AROUND):
        here, there = (text[slice(*span)].strip() for text, span in ((c.a.text, part.a), (c.b.text, part.b)))
        if cut_off:
            yield "…"
        if part.change == "same":
            if here:
                yield _code(here, 2 * AROUND)
            continue
        if part.a[0] < part.a[1]:
            yield f"~~{_code(here, 2 * AROUND)}~~"
        if part.b[0] < part.b[1]:
            yield f"**{_code(there, 2 * AROUND)}**"


def _constraints(c: Comparison) -> Iterator[str]:
    assert c.constraints is not None
    rows = [row for row in c.constraints.rows if row.change != "same"]
    lines: Sequence[str] = [
        f"{SIGNS[row.change]} {clip(row.words_a or row.words_b or '', LONGEST - 40)}"
        f"{'  (' + wording.follows(row) + ')' if wording.follows(row) else ''}"
        for row in rows
    ]
    if lines:
        yield from ["", _block(lines, "diff")]
    if wording.equivalence(c):
        yield from ["", wording.equivalence(c)]
