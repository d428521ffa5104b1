"""What is known of a value: a tree of the steps that a tool takes on an argument, with what it compares there.

``query.split(": ")[1] == "map"`` becomes the child ``("split", ": ")`` of the argument's node, its child
``("item", 1)``, and there the fact ``eq "map"``. Taint (``taint.py``) and what a tool looks
arguments up in (``lookups.py``) write this tree, and the generator (``values.py``) walks it backwards: from a value at
a leaf to an argument that leads there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Step = tuple[object, ...]
"""A name and constants: ``("split", ",")``, ``("item", 0)``, ``("key", "id")``, ``("json",)``, ``("len",)``, ..."""

MOST_FACTS = 40
MOST_CHILDREN = 40
DEEPEST = 12
PLAIN = (str, int, float, bool, type(None))


class Node:
    """One value. ``facts``: constants by operation. ``children``: values derived from it, by step."""

    __slots__ = ("_heard", "children", "depth", "facts", "path", "root")

    def __init__(
        self, root: str, path: tuple[Step, ...] = (), heard: Callable[..., None] | None = None
    ) -> None:
        self.root, self.path, self._heard = root, path, heard
        self.depth = len(path)
        self.facts: dict[str, list[object]] = {}
        self.children: dict[Step, Node] = {}

    def child(self, step: Step) -> Node:
        """Return the node of what the step makes of this value. A tree that is too large grows no further."""
        found = self.children.get(step)
        if found is None:
            if self.depth >= DEEPEST or len(self.children) >= MOST_CHILDREN:
                return self
            found = self.children[step] = Node(self.root, (*self.path, step), self._heard)
            if self._heard is not None:
                self._heard(found, None, None)
        return found

    def under(self, kind: str) -> list[tuple[Step, Node]]:
        """Return the steps of a kind, with what they lead to."""
        return [(step, child) for step, child in self.children.items() if step[0] == kind]

    def walk(self) -> Iterator[Node]:
        """Yield this node and all that are derived from it."""
        yield self
        for child in self.children.values():
            yield from child.walk()

    def learn(self, operation: str, constant: object = None) -> None:
        """Keep a constant that the value is compared with. One that was learned before costs a look-up."""
        known = self.facts.get(operation)
        if known is None:
            known = self.facts[operation] = []
        elif len(known) >= MOST_FACTS:
            return
        if isinstance(constant, str):
            if len(constant) > 2000:
                return
            constant = str.__str__(constant)
        elif not isinstance(constant, PLAIN):
            return
        for one in known:
            if one == constant and type(one) is type(constant):
                return
        known.append(constant)
        if self._heard is not None:
            self._heard(self, operation, constant)


class Knowledge:
    """The nodes of all arguments of a tool. ``news`` holds facts that were not sent yet."""

    def __init__(self) -> None:
        self.roots: dict[str, Node] = {}
        self.news: list[tuple[str, tuple[Step, ...], str | None, object]] = []

    def node(self, root: str) -> Node:
        found = self.roots.get(root)
        if found is None:
            found = self.roots[root] = Node(root, (), self._heard)
        return found

    def _heard(self, node: Node, operation: str | None, constant: object) -> None:
        self.news.append((node.root, node.path, operation, constant))

    def merge(self, news: list[Any]) -> None:
        """Add facts that another process has learned; JSON has made lists of their tuples."""
        for root, path, operation, constant in news:
            node = self.node(str(root))
            for step in path:
                node = node.child(tuple(step))
            if operation is not None:
                node.learn(operation, constant)
        self.news.clear()
