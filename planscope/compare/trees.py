"""The syntax trees of two requests, line by line of their outlines, under the renaming of actions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from planscope.compare.actions import Matching
from planscope.compare.forests import Branch, Forests
from planscope.compare.result import Change, Side, TreeDiff, TreeRow
from planscope.language.outline import OutlineNode
from planscope.language.tree import NP, ActionRef, Clause, Node, Query, Relative, Time, Word, walk


def compare_trees(a: Side, tree_a: Query, b: Side, tree_b: Query, matching: Matching) -> TreeDiff:
    """Every line of both outlines once. A line is the same where it says the same about matched actions."""
    if a.text == b.text and a.timed == b.timed and a.actions == b.actions:
        return TreeDiff(tuple(TreeRow("same", k, k) for k in range(len(a.outline))))
    forests = Forests()
    root_a = _branches(forests, a.outline, tree_a, matching.keys_a)
    root_b = _branches(forests, b.outline, tree_b, matching.keys_b)
    if b.text < a.text:  # with one order for both, swapping the sides mirrors what comes out
        rows = tuple(_mirrored(row) for row in _rows(forests, root_b, root_a, turned=True))
    else:
        rows = tuple(_rows(forests, root_a, root_b, turned=False))
    return TreeDiff(rows, forests.minimal)


def _mirrored(row: TreeRow) -> TreeRow:
    turned: dict[Change, Change] = {"added": "gone", "gone": "added"}
    return TreeRow(turned.get(row.change, row.change), row.b, row.a)


def _branches(
    forests: Forests, outline: tuple[OutlineNode, ...], tree: Query, keys: dict[str, str]
) -> Branch:
    """The outline's first line with all that is below it."""
    nodes = dict(walk(tree))
    open_branches: list[Branch] = []
    made: list[Branch] = []
    for index, line in enumerate(outline):
        kind, value = _meaning(line, nodes[line.path], keys)
        branch = Branch(index, kind, value, worded=kind == "word")
        del open_branches[line.depth :]
        if open_branches:
            open_branches[-1].below.append(branch)
        open_branches.append(branch)
        made.append(branch)
    for branch in reversed(made):
        forests.number(branch)
    return made[0]


def _meaning(line: OutlineNode, node: Node, keys: dict[str, str]) -> tuple[Hashable, Hashable]:
    """What a line is, and what it says."""
    match node:
        case Clause(form=form, relation=relation):
            return "clause", (form, relation)
        case Relative(form=form, relation=relation):
            return "relative", (form, relation)
        case NP(actions=actions, relative=relative):
            alone = len(actions) == 1 and relative is None
            return line.path[-1], keys[actions[0].action] if alone else None
        case ActionRef(action=action):
            return "action", keys[action]
        case Time(hour=hour):
            return (line.path[-1], "time"), hour
        case Word(terminal=terminal, entry=entry, modal=modal):
            return "word", (terminal, entry, modal)
        case _:
            return type(node).__name__, None


def _rows(forests: Forests, a: Branch, b: Branch, turned: bool) -> Iterator[TreeRow]:
    """``turned``: what was added stands before what is gone in its place, for a caller who turns them round."""
    if a.whole == b.whole:
        yield from (TreeRow("same", i, j) for i, j in zip(_lines(a), _lines(b), strict=True))
        return
    yield TreeRow("same" if a.value == b.value else "changed", a.index, b.index)
    at_a = at_b = 0
    for i, j in [*forests.matched(a.below, b.below), (len(a.below), len(b.below))]:
        gone = [TreeRow("gone", k, None) for branch in a.below[at_a:i] for k in _lines(branch)]
        added = [TreeRow("added", None, k) for branch in b.below[at_b:j] for k in _lines(branch)]
        yield from added + gone if turned else gone + added
        if i < len(a.below):
            yield from _rows(forests, a.below[i], b.below[j], turned)
        at_a, at_b = i + 1, j + 1


def _lines(branch: Branch) -> range:
    """Where the branch's lines stand in the outline: it lists what is below a line right behind it."""
    return range(branch.index, branch.index + branch.size)
