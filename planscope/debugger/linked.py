"""Links between panes: computes what every pane highlights for a selection in one of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from planscope.debugger.run_index import RunIndex
from planscope.debugger.selection import (
    SelectedAction,
    SelectedConstraint,
    SelectedNode,
    SelectedStep,
    SelectedWords,
    Selection,
)
from planscope.frozen import frozen
from planscope.language.problem import Constraint, NodePath, Problem, Span, slug

if TYPE_CHECKING:
    from planscope.language.outline import OutlineNode

T = TypeVar("T")


class SpanMap(Generic[T]):
    """Values for half-open ranges of a text, found by place in the order in which they were given.

    A lookup costs the logarithm of the number of ranges, plus what it finds. Empty ranges are left out.
    """

    def __init__(self, laid: Iterable[tuple[Span, T]]) -> None:
        begins: defaultdict[int, list[int]] = defaultdict(list)
        ends: defaultdict[int, list[int]] = defaultdict(list)
        self._values: list[T] = []
        for (start, end), value in laid:
            if start < end:
                begins[start].append(len(self._values))
                ends[end].append(len(self._values))
                self._values.append(value)
        self._edges = sorted({*begins, *ends})
        self._over: list[tuple[int, ...]] = []  # for each edge, the ranges between it and the next one
        active: dict[int, None] = {}
        for edge in self._edges:
            for number in ends[edge]:
                del active[number]
            active.update(dict.fromkeys(begins[edge]))
            self._over.append(tuple(active))

    def over(self, start: int, end: int) -> list[T]:
        """Return the values of all ranges that share a code point with ``[start, end)``, each value once."""
        if start >= end:
            return []
        at = max(bisect_right(self._edges, start) - 1, 0)
        seen: set[int] = set()
        while at < len(self._edges) and self._edges[at] < end:
            if at + 1 == len(self._edges) or self._edges[at + 1] > start:
                seen.update(self._over[at])
            at += 1
        return list(dict.fromkeys(self._values[number] for number in sorted(seen)))


@frozen
class Lit:
    """What is highlighted: ranges of the text (sorted), paths of tree nodes, ids of constraints, indexes of steps."""

    spans: tuple[Span, ...] = ()
    nodes: frozenset[NodePath] = frozenset()
    constraints: frozenset[str] = frozenset()
    steps: frozenset[int] = frozenset()


class Links:
    """The links between a text, its outline and its constraints, made once for a query.

    ``outline`` may be empty (an imported run has no tree), and constraints may have no spans.
    """

    def __init__(self, text: str, problem: Problem, outline: Sequence[OutlineNode] = ()) -> None:
        self.problem = problem
        self._node_span: dict[NodePath, Span] = {node.path: node.span for node in outline}
        deepest = sorted(self._node_span.items(), key=lambda item: len(item[0]))
        self._nodes_at = SpanMap((span, path) for path, span in deepest)
        self._paths_of: defaultdict[Span, list[NodePath]] = defaultdict(list)
        for path, span in deepest:
            self._paths_of[span].append(path)
        self._constraints_at = SpanMap((span, c.id) for c in problem.constraints for span in c.spans)
        self._at_node: defaultdict[NodePath, list[str]] = defaultdict(list)
        self._below_node: defaultdict[NodePath, list[str]] = defaultdict(list)
        self._of_action: defaultdict[str, list[str]] = defaultdict(list)
        self._mentions: defaultdict[str, dict[Span, None]] = defaultdict(dict)
        for constraint in problem.said:
            self._at_node[constraint.node].append(constraint.id)
            for depth in range(len(constraint.node) + 1):
                self._below_node[constraint.node[:depth]].append(constraint.id)
            for action in constraint.actions:
                self._of_action[action].append(constraint.id)
            for action, span in _mentions(text, constraint, problem):
                self._mentions[action][span] = None
        self._mentioned_at = SpanMap((s, a) for a, spans in self._mentions.items() for s in spans)

    def mentions(self, action: str) -> tuple[Span, ...]:
        """Return the ranges of the text that name an action."""
        return tuple(sorted(self._mentions.get(action, ())))

    def node_at(self, span: Span) -> NodePath | None:
        """Return the smallest node of the outline that covers a range."""
        start, end = _not_empty(span)
        for path in reversed(self._nodes_at.over(start, start + 1)):
            if self._node_span[path][1] >= end:
                return path
        return None

    def lit(self, selection: Selection, run: RunIndex | None = None) -> Lit:
        """Return what is highlighted, including the selection. Steps are highlighted only if there is a run."""
        match selection:
            case SelectedWords(span):
                return self._words(_not_empty(span), run)
            case SelectedNode(path):
                return self._node(path, run)
            case SelectedConstraint(id):
                return self._constraint(id, run)
            case SelectedAction(id):
                return self._action(id, run)
            case SelectedStep(index):
                return self._step(index, run) if run is not None else Lit()

    def _words(self, span: Span, run: RunIndex | None) -> Lit:
        node = self.node_at(span)
        ids = self._constraints_at.over(*span) or self._said_around(node)
        nodes = set() if node is None else {node}
        return self._together(ids, span, run, nodes, self._spans(ids) if ids else {span})

    def _node(self, path: NodePath, run: RunIndex | None) -> Lit:
        span = self._node_span.get(path, (0, 0))
        ids = dict.fromkeys([*self._below_node.get(path, ()), *self._constraints_at.over(*span)])
        found = list(ids) or self._said_around(path)
        spans = {span} if span[0] < span[1] else set()
        return self._together(found, span, run, {path}, spans)

    def _together(
        self, ids: list[str], span: Span, run: RunIndex | None, nodes: set[NodePath], spans: set[Span]
    ) -> Lit:
        """Highlight constraints, their nodes, and the steps of the actions that the span names (or else of the
        constraints')."""
        actions = self._mentioned_at.over(*span) or self._actions(ids)
        for constraint in ids:
            nodes |= self._nodes(self.problem.by_id[constraint])
        steps = () if run is None else _steps(run, actions)
        return Lit(tuple(sorted(spans)), frozenset(nodes), frozenset(ids), frozenset(steps))

    def _constraint(self, id: str, run: RunIndex | None) -> Lit:
        constraint = self.problem.by_id.get(id)
        if constraint is None:
            return Lit()
        steps: set[int] = set()
        if run is not None:
            steps = {*_steps(run, constraint.actions), *run.breaks.get(id, ()), *_clashing(run, id)}
        nodes = self._nodes(constraint)
        return Lit(tuple(sorted(self._spans([id]))), frozenset(nodes), frozenset({id}), frozenset(steps))

    def _action(self, id: str, run: RunIndex | None) -> Lit:
        """Highlight the words that name an action, everything stated about it, and the steps that called it."""
        mentions = self.mentions(id)
        nodes = {path for span in mentions for path in self._paths(span)}
        steps = () if run is None else _steps(run, [id])
        return Lit(mentions, frozenset(nodes), frozenset(self._of_action.get(id, ())), frozenset(steps))

    def _step(self, index: int, run: RunIndex) -> Lit:
        """Highlight the step's action, everything stated about it, and the words of the constraints violated there."""
        view = run.steps[index]
        action = view.action
        if action is None and view.call is not None and view.call.tool in self.problem.action_by_tool:
            action = self.problem.action_by_tool[view.call.tool].id
        wrong = dict.fromkeys(c for finding in run.findings[index] for c in finding.constraints)
        if index in run.doomed and view.core is not None:
            wrong.update(dict.fromkeys(view.core.constraints))
        wrong.update(dict.fromkeys(c for c in run.checks[index] if index in run.breaks.get(c, ())))
        ids = {*wrong, *run.checks[index]}
        spans = self._spans(c for c in wrong if c in self.problem.by_id)
        nodes = {
            path for c in wrong if c in self.problem.by_id for path in self._nodes(self.problem.by_id[c])
        }
        if action is not None:
            ids.update(self._of_action.get(action, ()))
            mentions = self.mentions(action)
            spans.update(mentions)
            nodes.update(path for span in mentions for path in self._paths(span))
        return Lit(tuple(sorted(spans)), frozenset(nodes), frozenset(ids), frozenset({index}))

    def _said_around(self, path: NodePath | None) -> list[str]:
        """Return the constraints of the nearest node above, for words of a clause that are not its relation."""
        while path:
            if path in self._at_node:
                return list(self._at_node[path])
            path = path[:-1]
        return []

    def _nodes(self, constraint: Constraint) -> set[NodePath]:
        """Return the clause that states a constraint (or its line in the outline), and the nodes of the exact words."""
        path = constraint.node
        while path and path not in self._node_span:
            path = path[:-1]
        nodes = {path} if path else set()
        return nodes.union(*(self._paths(span) for span in constraint.spans))

    def _paths(self, span: Span) -> Sequence[NodePath]:
        """Return the nodes of a range of words, or the smallest nodes around them if none has exactly these words."""
        exact = self._paths_of.get(span)
        if exact is not None:
            return exact
        around = self.node_at(span) if span[0] < span[1] else None
        return () if around is None else (around,)

    def _spans(self, ids: Iterable[str]) -> set[Span]:
        return {span for c in ids for span in self.problem.by_id[c].spans if span[0] < span[1]}

    def _actions(self, ids: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(a for c in ids for a in self.problem.by_id[c].actions))


def _not_empty(span: Span) -> Span:
    return (span[0], max(span[1], span[0] + 1))


def _steps(run: RunIndex, actions: Iterable[str]) -> set[int]:
    """Return the steps at which actions were executed, or called without effect."""
    tools = (
        run.problem.action_by_id[action].tool for action in actions if action in run.problem.action_by_id
    )
    return {i for tool in tools for i in run.called.get(tool, ())}


def _clashing(run: RunIndex, constraint: str) -> set[int]:
    """Return the steps that a core names together with a constraint, over all attempts."""
    cores = (run.steps[i].core for i in run.doomed)
    named = {step for core in cores if core and constraint in core.constraints for step in core.steps}
    return {run.index_of[step] for step in named if step in run.index_of}


def _mentions(text: str, constraint: Constraint, problem: Problem) -> Iterable[tuple[str, Span]]:
    """Return which of a constraint's spans name which of its actions. Subject and object come in either order."""
    if len(constraint.spans) < 3:
        return
    if constraint.action is not None:
        yield constraint.action, constraint.spans[0]
        return
    if constraint.before is None or constraint.after is None:
        return
    subject, target = constraint.spans[0], constraint.spans[2]
    if _names(text, subject, constraint.after, problem) or _names(text, target, constraint.before, problem):
        subject, target = target, subject
    yield constraint.before, subject
    yield constraint.after, target


def _names(text: str, span: Span, action: str, problem: Problem) -> bool:
    written = slug(text[span[0] : span[1]])
    known = problem.action_by_id.get(action)
    return known is not None and (written in (known.tool, slug(known.name)))
