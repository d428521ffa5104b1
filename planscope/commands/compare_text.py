"""Writes a comparison as lines of text: two columns of calls; words and constraints as a diff.

Apart from ``compare.py``, because it needs the comparison's engine, which ``--help`` should not import.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planscope.compare import wording
from planscope.compare.result import CallRow, Comparison, Side, StepSide, TreeRow
from planscope.safe import cell_width, clip
from planscope.show.text import sentence, table
from planscope.wording.terms import CHANGE_SIGNS, CHANGES, STATE_GLYPHS

AROUND = 60
"""Code points of unchanged text shown on each side of a changed word."""

LINES = 40
"""The limit for the lines of the tree that are shown."""

LABEL = 13
"""Columns of the label in front of a call."""


def comparison_lines(c: Comparison, width: int, everything: bool = False) -> Iterator[str]:
    """Return a comparison as lines of text. ``everything`` also lists calls that are the same."""
    for side, name in ((c.a, "a"), (c.b, "b")):
        yield from _side(side, name, width)
    if c.calls is not None:
        yield from _part("First difference", sentence(wording.parting(c), width, "  "))
        yield from _part(f"Calls: {wording.counted(c.calls.rows)}", _calls(c, width, everything))
    yield from _part(
        f"Words: {'the same' if c.text.same else 'changed'}", _words(c, width) if not c.text.same else ()
    )
    changed = [
        f"{CHANGE_SIGNS[row.change]} {wording.renamed(row)}" for row in c.actions if row.change != "same"
    ]
    actions = (line for one in changed for line in sentence(one, width, "  "))
    yield from _part(f"Actions: {wording.counted(c.actions)}", actions)
    if c.constraints is not None:
        yield from _part(f"Constraints: {wording.counted(c.constraints.rows)}", _constraints(c, width))
    if c.tree is not None:
        yield from _part(f"Tree: {'the same' if c.tree.same else 'changed'}", _tree(c, width))
    rows = [("", "a", "b")]
    rows += [
        (wording.label(f), clip(wording.value(c, f, "a"), 36), clip(wording.value(c, f, "b"), 36))
        for f in c.differing
    ]
    yield from _part("Other differences", table(rows) if rows[1:] else ["  none"])
    missing = [line for one in wording.unknowns(c) for line in sentence(one, width, "  ")]
    yield from _part("Not known", missing) if missing else ()


def _part(title: str, lines: Sequence[str] | Iterator[str]) -> Iterator[str]:
    yield ""
    yield title
    yield from lines


def _side(side: Side, name: str, width: int) -> Iterator[str]:
    yield from sentence(
        f"{name}: {wording.named(side)} of session {clip(side.session, 40)}: {wording.judged(side)}", width
    )
    if side.verdict is not None:
        yield from sentence(side.explanation, width, "   ")


def _calls(c: Comparison, width: int, everything: bool) -> Iterator[str]:
    """Yield each call beside its partner. Long stretches of equal calls are shortened."""
    assert c.calls is not None
    column = max((width - LABEL - 4) // 2, 16)
    attempts = dict.fromkeys("ab", 1)
    for row in wording.shortened(c.calls.rows, everything):
        if isinstance(row, int):
            yield f"  ... {row} the same"
            continue
        one = c.a.steps[row.a] if row.a is not None else None
        other = c.b.steps[row.b] if row.b is not None else None
        for side, step in (("a", one), ("b", other)):
            if step is not None and step.attempt != attempts[side]:
                attempts[side] = step.attempt
                yield f"  {side}: attempt {step.attempt}"
        left = _step(one, column)
        yield (
            f"  {_label(row):<{LABEL}}{left}{' ' * (column + 1 - cell_width(left))}{_step(other, column)}"
        ).rstrip()


def _label(row: CallRow) -> str:
    if row.change != "moved":
        return CHANGES[row.change].replace("the same", "")
    return f"moved to {row.partner}" if row.b is None else f"from {row.partner}"


def _step(step: StepSide | None, cells: int) -> str:
    if step is None:
        return ""
    glyph = STATE_GLYPHS[step.state] if step.state is not None else " "
    return clip(f"{glyph}{step.index:>4} {wording.called(step)}", cells)


def _words(c: Comparison, width: int) -> Iterator[str]:
    """Return the text of b with the changes marked as in a word diff: ``[-gone-]{+added+}``."""
    shown = []
    for part, cut_off in wording.elided(c.text.parts, AROUND):
        here, there = c.a.text[slice(*part.a)], c.b.text[slice(*part.b)]
        gone, added = f"[-{here}-]" if here else "", f"{{+{there}+}}" if there else ""
        shown.append((" ... " if cut_off else "") + (here if part.change == "same" else gone + added))
    yield from sentence("".join(shown).strip(), width, "  ")


def _constraints(c: Comparison, width: int) -> Iterator[str]:
    assert c.constraints is not None
    rows = []
    for row in c.constraints.rows:
        found = row.a or row.b
        if row.change != "same" and found is not None:
            words = clip(row.words_a or row.words_b or "", 120)
            rows.append((CHANGE_SIGNS[row.change], found.id, words, wording.follows(row)))
    yield from table(rows) if rows else ()
    yield from sentence(wording.equivalence(c), width, "  ") if wording.equivalence(c) else ()


def _tree(c: Comparison, width: int) -> Iterator[str]:
    """Return the lines of the tree that differ; of an added or removed branch only the first line."""
    assert c.tree is not None
    lines = list(_tree_lines(c, c.tree.rows))
    yield from (clip(line, width) for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"  and {len(lines) - LINES} more"


def _tree_lines(c: Comparison, rows: Sequence[TreeRow]) -> Iterator[str]:
    where = ""
    under: tuple[str, int] | None = None
    for row in rows:
        one = c.a.outline[row.a] if row.a is not None else None
        other = c.b.outline[row.b] if row.b is not None else None
        node = one or other
        assert node is not None
        if under is not None and row.change == under[0] and node.depth > under[1]:
            continue
        under = None
        if node.depth == 1:
            where = node.plain
        if row.change == "changed" and one is not None and other is not None:
            yield f"  ~ {where}: {one.plain} -> {other.plain}"
        elif row.change != "same":
            under = (row.change, node.depth)
            yield f"  {CHANGE_SIGNS[row.change]} {where}" + (f": {node.plain}" if node.depth > 1 else "")
