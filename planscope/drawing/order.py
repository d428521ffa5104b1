"""The order constraints of a query as a layered graph: layers of actions, and the edges that are not transitive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field

from planscope.frozen import frozen
from planscope.language.problem import Problem

_SWEEPS = 4
_MOST_SWEPT = 400
"""In larger graphs, actions keep the order of the text inside their layers."""


@frozen
class Edge:
    """An edge: by these constraints ``before`` comes before ``after``. ``back``: a contradiction made it point
    upwards."""

    before: str
    after: str
    constraints: tuple[str, ...]
    back: bool = False


@frozen
class OrderGraph:
    """The layout. ``layers`` has the ids of actions that some constraint orders, ``free`` those of the others.

    ``edges`` are drawn. ``left_out`` are transitive: a path of drawn edges states the same.
    """

    layers: tuple[tuple[str, ...], ...]
    free: tuple[str, ...]
    edges: tuple[Edge, ...]
    left_out: tuple[Edge, ...] = ()
    edge_of: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """The index in ``edges`` of each constraint that is drawn."""

    def __post_init__(self) -> None:
        numbers = {c: i for i, edge in enumerate(self.edges) for c in edge.constraints}
        object.__setattr__(self, "edge_of", numbers)

    @property
    def rows(self) -> tuple[str, ...]:
        """All actions, layer by layer; then those that may come at any place."""
        return (*(action for layer in self.layers for action in layer), *self.free)


def order_graph(problem: Problem, keep: Collection[str] = ()) -> OrderGraph:
    """Lay out the order constraints. Those in ``keep`` (the conflict's) are drawn even if they are transitive."""
    said: dict[tuple[str, str], list[str]] = {}
    for c in problem.constraints:
        if c.kind == "order" and c.before is not None and c.after is not None:
            said.setdefault((c.before, c.after), []).append(c.id)
    actions = [action.id for action in problem.actions]
    pairs = [pair for pair in said if pair[0] in problem.place and pair[1] in problem.place]
    following: dict[str, list[str]] = defaultdict(list)
    for before, after in pairs:
        following[before].append(after)
    group = _groups(actions, following)
    reach = _reach(actions, following, group)
    members: dict[int, list[str]] = defaultdict(list)
    for action, number in group.items():
        members[number].append(action)
    kept: list[tuple[str, str]] = []
    left_out: list[tuple[str, str]] = []
    for before, after in pairs:
        here, there = group[before], group[after]
        around = (other for member in members[here] for other in following.get(member, ()))
        implied = here != there and any(
            group[other] not in (here, there) and reach[group[other]] >> there & 1 for other in around
        )
        wanted = not implied or not set(keep).isdisjoint(said[before, after])
        (kept if wanted else left_out).append((before, after))
    rank = _ranks(actions, kept, group)
    concerned = {action for pair in pairs for action in pair}
    layers: dict[int, list[str]] = defaultdict(list)
    for action in actions:
        if action in concerned:
            layers[rank[action]].append(action)
    ordered = _untangled([layers[k] for k in sorted(layers)], kept)
    place = {action: i for i, action in enumerate(a for layer in ordered for a in layer)}
    return OrderGraph(
        tuple(map(tuple, ordered)),
        tuple(action for action in actions if action not in concerned),
        tuple(Edge(b, a, tuple(said[b, a]), place[b] >= place[a]) for b, a in kept),
        tuple(Edge(b, a, tuple(said[b, a])) for b, a in left_out),
    )


def _groups(actions: Sequence[str], following: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Number the strongly connected components, in a topological order from the last to the first (Tarjan)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    group: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found = 0
    for root in actions:
        if root in number:
            continue
        work = [(root, iter(following.get(root, ())))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            action, rest = work[-1]
            for other in rest:
                if other not in number:
                    number[other] = low[other] = len(number)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(following.get(other, ()))))
                    break
                if other in on_stack:
                    low[action] = min(low[action], number[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[action])
                if low[action] == number[action]:
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group[member] = found
                        if member == action:
                            break
                    found += 1
    return group


def _reach(
    actions: Sequence[str], following: Mapping[str, Sequence[str]], group: Mapping[str, int]
) -> list[int]:
    """For each group, return the groups that can be reached from it, itself included, as bits."""
    after: dict[int, set[int]] = defaultdict(set)
    for action in actions:
        after[group[action]].update(group[other] for other in following.get(action, ()))
    reach: list[int] = []
    for number in range(max(group.values(), default=-1) + 1):  # what a group reaches has lower numbers
        bits = 1 << number
        for other in after[number]:
            if other != number:
                bits |= reach[other]
        reach.append(bits)
    return reach


def _ranks(
    actions: Sequence[str], edges: Iterable[tuple[str, str]], group: Mapping[str, int]
) -> dict[str, int]:
    """Return the layer of each action: one below the lowest of those before it. In a contradiction the text's order
    counts."""
    place = {action: i for i, action in enumerate(actions)}
    into: dict[str, list[str]] = defaultdict(list)
    for before, after in edges:
        if group[before] != group[after] or place[before] < place[after]:
            into[after].append(before)
    rank: dict[str, int] = {}
    for action in sorted(actions, key=lambda a: (-group[a], place[a])):
        rank[action] = max((rank[before] + 1 for before in into[action]), default=0)
    return rank


def _untangled(layers: list[list[str]], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Order the actions inside their layers so that neighbours in the graph are near each other (barycentres)."""
    if sum(map(len, layers)) > _MOST_SWEPT:
        return layers
    beside: dict[str, list[str]] = defaultdict(list)
    for before, after in edges:
        beside[before].append(after)
        beside[after].append(before)
    for sweep in range(_SWEEPS):
        turn = layers if sweep % 2 == 0 else layers[::-1]
        place = {action: i / max(len(layer), 1) for layer in layers for i, action in enumerate(layer)}
        for layer in turn:
            centre = {
                action: sum(place[other] for other in beside[action]) / len(beside[action])
                if beside[action]
                else place[action]
                for action in layer
            }
            layer.sort(key=centre.__getitem__)
            place |= {action: i / max(len(layer), 1) for i, action in enumerate(layer)}
    return layers
