"""Two runs or queries beside each other: columns of calls; words, constraints and tree as a diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planscope.compare import wording
from planscope.compare.result import CallRow, Comparison, StepSide
from planscope.safe import clip
from planscope.show.blocks import Block, Code, Heading, Para, Table
from planscope.wording.terms import CHANGE_SIGNS, CHANGES, STATE_GLYPHS

AROUND = 60
"""Code points of unchanged text shown on each side of a changed word."""

LINES = 40
"""The limit for the lines of the tree that are shown."""

LABEL = 13
"""Columns of the label in front of a call."""


def comparison_blocks(c: Comparison, width: int, everything: bool = False) -> Iterator[Block]:
    """Return a comparison. ``width``: of a line, in cells. ``everything`` also lists calls that are the same."""
    for side, name in ((c.a, "a"), (c.b, "b")):
        yield Para(
            f"{name}: {wording.named(side)} of session {clip(side.session, 40)}: {wording.judged(side)}"
        )
        if side.verdict is not None:
            yield Para(side.explanation, "   ")
    if c.calls is not None:
        yield from (Heading("First difference"), Para(wording.parting(c), "  "))
        yield Heading(f"Calls: {wording.counted(c.calls.rows)}")
        column = max((width - LABEL - 6) // 2, 16)
        yield Table([*_calls(c, c.calls.rows, everything)], widest=(LABEL, column, column))
    yield Heading(f"Words: {'the same' if c.text.same else 'changed'}")
    if not c.text.same:
        yield Para(_words(c), "  ")
    yield Heading(f"Actions: {wording.counted(c.actions)}")
    for action in c.actions:
        if action.change != "same":
            yield Para(f"{CHANGE_SIGNS[action.change]} {wording.renamed(action)}", "  ")
    if c.constraints is not None:
        yield Heading(f"Constraints: {wording.counted(c.constraints.rows)}")
        yield Table([*_constraints(c)], widest=(0, 0, 120))
        if said := wording.equivalence(c):
            yield Para(said, "  ")
    if c.tree is not None:
        yield Heading(f"Tree: {'the same' if c.tree.same else 'changed'}")
        lines = list(_tree(c))
        more = [f"and {len(lines) - LINES} more"] if len(lines) > LINES else []
        yield Code([clip(line, width - 2) for line in lines[:LINES]] + more, indent="  ")
    yield Heading("Other differences")
    rows = [(wording.label(f), wording.value(c, f, "a"), wording.value(c, f, "b")) for f in c.differing]
    yield Table(rows, ("", "a", "b"), widest=(0, 36, 36)) if rows else Para("none", "  ")
    if missing := wording.unknowns(c):
        yield Heading("Not known")
        yield from (Para(one, "  ") for one in missing)


def _calls(c: Comparison, rows: Iterable[CallRow], everything: bool) -> Iterator[tuple[str, ...]]:
    """Yield each call beside its partner. Long stretches of equal calls are shortened."""
    attempts = [1, 1]
    for row in wording.shortened(list(rows), everything):
        if isinstance(row, int):
            yield "", f"... {row} the same", ""
            continue
        pair = [side.steps[k] if k is not None else None for side, k in ((c.a, row.a), (c.b, row.b))]
        begun = [
            f"attempt {one.attempt}" if one and one.attempt != at else ""
            for one, at in zip(pair, attempts, strict=True)
        ]
        if any(begun):
            yield "", *begun
        attempts = [one.attempt if one else at for one, at in zip(pair, attempts, strict=True)]
        yield _label(row), *map(_step, pair)


def _label(row: CallRow) -> str:
    if row.change != "moved":
        return CHANGES[row.change].replace("the same", "")
    return f"moved to {row.partner}" if row.b is None else f"from {row.partner}"


def _step(step: StepSide | None) -> str:
    if step is None:
        return ""
    glyph = STATE_GLYPHS[step.state] if step.state is not None else " "
    return f"{glyph}{step.index:>4} {wording.called(step)}"


def _words(c: Comparison) -> str:
    """Return the text of b with the changes marked as in a word diff: ``[-gone-]{+added+}``."""
    shown = []
    for part, cut_off in wording.elided(c.text.parts, AROUND):
        here, there = c.a.text[slice(*part.a)], c.b.text[slice(*part.b)]
        gone, added = f"[-{here}-]" if here else "", f"{{+{there}+}}" if there else ""
        shown.append((" ... " if cut_off else "") + (here if part.change == "same" else gone + added))
    return "".join(shown).strip()


def _constraints(c: Comparison) -> Iterator[tuple[str, ...]]:
    for row in c.constraints.rows if c.constraints is not None else ():
        found = row.a or row.b
        if row.change != "same" and found is not None:
            words = row.words_a or row.words_b or ""
            yield CHANGE_SIGNS[row.change], found.id, words, wording.follows(row)


def _tree(c: Comparison) -> Iterator[str]:
    """Yield the lines of the tree that differ; of an added or removed branch only the first line."""
    where = ""
    under: tuple[str, int] | None = None
    for row in c.tree.rows if c.tree is not None else ():
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
            yield f"~ {where}: {one.plain} -> {other.plain}"
        elif row.change != "same":
            under = (row.change, node.depth)
            yield f"{CHANGE_SIGNS[row.change]} {where}" + (f": {node.plain}" if node.depth > 1 else "")
