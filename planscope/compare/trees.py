"""Compares the syntax trees of two queries by the lines of their outlines, with matched actions renamed.

Branches are added or gone, and lines changed (Selkow 1977). Below every line, equal branches come first: as many lines
as possible stay in equal branches, and only then the changes in the others count. Otherwise a removed sentence would
look as if it and every later one had been rewritten.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from planscope.compare.matching import Matching
from planscope.compare.result import Side, TreeDiff, TreeRow
from planscope.compare.sequences import Pair, filled, mirrored, paired
from planscope.language.outline import OutlineNode
from planscope.language.tree import (
    NP,
    ActionRef,
    Clause,
    Cue,
    Natural,
    Node,
    Query,
    Relative,
    Time,
    Word,
    walk,
)

FEW_PAIRS = 64
MOST_PAIRS = 2_500
"""Limit for the pairs of branches that are compared: all pairs below two lines if they are ``FEW_PAIRS`` at most, and
``MOST_PAIRS`` more in all. Beyond it, equal branches are paired first, then those of the same shape, then the others
in order."""

_EQUAL = 1 << 40
"""The weight of a line in an equal branch; any other saved line weighs 1."""


@dataclass(slots=True)
class Branch:
    """A line with the lines below it. Lines of one ``kind`` may be matched; with one ``value`` they are the same.

    ``size`` counts the lines, including its own. ``whole`` is equal for equal branches, ``shape`` for branches that
    differ only in their words.
    """

    index: int
    kind: Hashable
    value: Hashable
    worded: bool
    below: list[Branch] = field(default_factory=list)
    size: int = 1
    whole: int = -1
    shape: int = -1

    @property
    def lines(self) -> range:
        """The branch's range in the outline, which lists a line's children directly after it."""
        return range(self.index, self.index + self.size)


class Forests:
    """Compares branches that the same object has numbered. A line that is added, gone or changed costs 1."""

    def __init__(self) -> None:
        self.minimal = True
        self._left = MOST_PAIRS
        self._numbers: dict[tuple[object, ...], int] = {}
        self._distances: dict[Pair, int] = {}

    def number(self, branch: Branch) -> None:
        """Set ``size``, ``whole`` and ``shape`` of a branch whose children have them."""
        branch.size = 1 + sum(one.size for one in branch.below)
        named = (branch.kind, branch.value)
        branch.whole = self._number(("whole", *named, *(one.whole for one in branch.below)))
        known = (branch.kind, None) if branch.worded else named
        branch.shape = self._number(("shape", *known, *(one.shape for one in branch.below)))

    def _number(self, key: tuple[object, ...]) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def distance(self, a: Branch, b: Branch) -> int:
        """Return the cost of changing one into the other by ``matched``. Their kinds must be the same."""
        if a.whole == b.whole:
            return 0
        key = (a.whole, b.whole)
        if key not in self._distances:
            found = int(a.value != b.value) + a.size - 1 + b.size - 1
            found -= sum(self._saved(a.below[i], b.below[j]) for i, j in self.matched(a.below, b.below))
            self._distances[key] = found
        return self._distances[key]

    def _saved(self, a: Branch, b: Branch) -> int:
        """Return the cost saved by matching two instead of removing one and adding the other."""
        return a.size + b.size - self.distance(a, b)

    def matched(self, a: Sequence[Branch], b: Sequence[Branch]) -> list[Pair]:
        """Return the matched branches by their indexes. Ties go to the earliest pairs."""
        anchors = (attrgetter("whole"), attrgetter("shape"))
        return paired(a, b, attrgetter("kind"), self._weight, anchors, self._fits)

    def _weight(self, a: Branch, b: Branch) -> int:
        return _EQUAL * a.size if a.whole == b.whole else self._saved(a, b)

    def _fits(self, pairs: int) -> bool:
        if pairs <= FEW_PAIRS:
            return True
        if pairs > self._left:
            self.minimal = False
            return False
        self._left -= pairs
        return True


def compare_trees(a: Side, tree_a: Query, b: Side, tree_b: Query, matching: Matching) -> TreeDiff:
    """Return every line of both outlines once. Lines are the same if they say the same about matched actions."""
    if a.text == b.text and a.timed == b.timed and a.actions == b.actions:
        return TreeDiff(tuple(TreeRow("same", k, k) for k in range(len(a.outline))))
    forests = Forests()
    root_a = _branches(forests, a.outline, tree_a, matching.keys_a)
    root_b = _branches(forests, b.outline, tree_b, matching.keys_b)
    return TreeDiff(tuple(_rows(forests, root_a, root_b, b.text < a.text)), forests.minimal)


def _branches(
    forests: Forests, outline: tuple[OutlineNode, ...], tree: Query, keys: dict[str, str]
) -> Branch:
    """Build the tree of an outline, and return the branch of its first line, with all others below it."""
    nodes = dict(walk(tree))
    made: list[Branch] = []
    above: list[Branch] = []
    for index, line in enumerate(outline):
        kind, value = _meaning(line, nodes[line.path], keys)
        made.append(Branch(index, kind, value, worded=kind == "word"))
        del above[line.depth :]
        if above:
            above[-1].below.append(made[-1])
        above.append(made[-1])
    for branch in reversed(made):
        forests.number(branch)
    return made[0]


def _meaning(line: OutlineNode, node: Node, keys: dict[str, str]) -> tuple[Hashable, Hashable]:
    """Return a line's kind and value."""
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
        case Natural(kind=natural, links=links):
            return "clause", (natural, tuple((one, relation, other) for one, relation, _, other in links))
        case Cue(words=words):
            return "word", words
        case Word(terminal=terminal, entry=entry, modal=modal):
            return "word", (terminal, entry, modal)
        case _:
            return type(node).__name__, None


def _rows(forests: Forests, a: Branch, b: Branch, turned: bool) -> Iterator[TreeRow]:
    if a.whole == b.whole:
        yield from (TreeRow("same", i, j) for i, j in zip(a.lines, b.lines, strict=True))
        return
    yield TreeRow("same" if a.value == b.value else "changed", a.index, b.index)
    pairs = mirrored(turned, forests.matched, a.below, b.below)
    for i, j in filled(pairs, len(a.below), len(b.below)):
        if j is None:
            yield from (TreeRow("gone", k, None) for k in a.below[i or 0].lines)
        elif i is None:
            yield from (TreeRow("added", None, k) for k in b.below[j].lines)
        else:
            yield from _rows(forests, a.below[i], b.below[j], turned)
