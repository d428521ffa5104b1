"""Finds the cheapest change after which a trace keeps every rule: calls moved, inserted and removed, each at a cost
of one.

Of equally cheap changes the one with more moves wins, then with more insertions, then with the earliest places, then
with names that come first in the alphabet. The search walks along the trace and keeps, for each state of the rules, the
best way to it. Like ``future.py``, it begins with the broken rules and adds those that a change breaks. It is exact for
up to ``MOST_NODES`` places. Beyond, only the ``WIDTH`` best ways are followed, and the repair says that it is not
exact.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from planscope.rules.judge import Event, Judge, Rulebook, StepNo, events, letters_of
from planscope.rules.letters import Alphabet, Letter, Place
from planscope.rules.machine import FIRST, THEN, USER
from planscope.rules.satisfiable import ABSENT, TooMany
from planscope.rules.values import key_of, said_among
from planscope.traces.shape import ToolCall, Trace

MOST_NODES = 5_000
WIDTH = 25
MOST_ROUNDS = 12
MOST_EDITS = 8
"""Limit of changes that are tried at one place, if the search is not exact."""


@dataclass(frozen=True, slots=True)
class Moved:
    step: int
    tool: str
    before: StepNo


@dataclass(frozen=True, slots=True)
class Inserted:
    """A call to insert. ``letter`` has the conditions that it must meet."""

    tool: str
    before: StepNo
    letter: Letter


@dataclass(frozen=True, slots=True)
class Removed:
    step: int
    tool: str


@dataclass(frozen=True, slots=True)
class RulesRepair:
    """The changes of a repair. ``exact``: no cheaper repair exists. Moved calls keep their answers.

    ``placed``: the moved and inserted calls in their order, which tells those before the same step apart.
    """

    moved: tuple[Moved, ...]
    inserted: tuple[Inserted, ...]
    removed: tuple[Removed, ...]
    exact: bool
    placed: tuple[Moved | Inserted, ...] = ()

    @property
    def cost(self) -> int:
        return len(self.moved) + len(self.inserted) + len(self.removed)


Cost = tuple[int, int, int, tuple[float, ...], tuple[tuple[str, int], ...]]
"""Changes; insertions and removals; removals; places; names with steps. Compared in this order."""

Edit = tuple[str, int, Any, int]
"""("move" | "insert" | "remove", index of the event or -1, letter or None, index before which it is placed)."""


class _Node(NamedTuple):
    """A place of the search. ``at``: the next event. ``states``: see ``_Walk``. ``taken``: events that are taken out
    and must come later; ``early``: events that came before their place. ``message``: that of the call before, None
    after a change."""

    at: int
    states: tuple[int, ...]
    taken: tuple[int, ...]
    early: tuple[int, ...]
    message: int | None


def repair(book: Rulebook, tools: Sequence[str], trace: Trace) -> RulesRepair | None:
    """Return the cheapest change, or None if there is none or a rule in seconds is broken: times cannot be changed."""
    happened = list(events(trace.items))
    judge = Judge(book)
    for event, step in happened:
        if isinstance(event, ToolCall):
            judge.call(event)
        else:
            judge.said(event, step)
    every = [(i, judge.key[k]) for i in range(len(book.rules)) for k in judge.instances(i)]
    walk = _Walk(book, happened)
    chosen = [place for place in every if not walk.accepts(place, walk.run(place, walk.unchanged()))]
    exact = True
    for _ in range(MOST_ROUNDS):
        if any(book.seconds[i] for i, _ in chosen):
            return None
        try:
            edits, sure = _Search(walk, chosen, tools).best()
        except TooMany:
            return None
        exact = exact and sure
        if edits is None:
            return None
        order = walk.changed(edits)
        more = [
            place for place in walk.places_of(every, edits) if not walk.accepts(place, walk.run(place, order))
        ]
        if not more:
            return walk.said(edits, exact)
        chosen = [*chosen, *(place for place in more if place not in chosen)]
    return None


class _Walk:
    """Runs rules over changed traces. A state below 0 is that of a value without a call so far."""

    def __init__(self, book: Rulebook, happened: Sequence[tuple[Event, int]]) -> None:
        self.book, self.happened = book, happened
        self._letters: dict[tuple[int, Place], tuple[int, ...] | None] = {}

    def start(self, place: Place) -> int:
        return -1 if self.book.rules[place[0]].per else 0

    def accepts(self, place: Place, state: int) -> bool:
        machine = self.book.machines[place[0]]
        return state < 0 or any(machine.accepting[m] for m in machine.members[state])

    def broken(self, place: Place, state: int) -> bool:
        return state >= 0 and self.book.machines[place[0]].status[state] == "broken"

    def letters(self, k: int, place: Place) -> tuple[int, ...] | None:
        """Return the letters of event ``k`` for a rule, or None if the rule does not see it."""
        key = (k, place)
        if key not in self._letters:
            self._letters[key] = self._find_letters(self.happened[k][0], place)
        return self._letters[key]

    def _find_letters(self, event: Event, place: Place) -> tuple[int, ...] | None:
        rule = self.book.rules[place[0]]
        if not isinstance(event, ToolCall):
            if not rule.hears_users:
                return None
            first, then = said_among(rule.first, event), said_among(rule.then, event)
            return (USER | (FIRST if first else 0) | (THEN if then else 0),)
        if event.refused or (self.book.succeeded_only and event.failed):
            return None
        touch = self.book.touch(place[0], event.tool)
        if touch is None:
            return None
        if rule.per:
            if event.arguments is None:
                return None
            key = key_of(rule, event, bool(touch.then) and not touch.first)
            if key is None and not touch.letter and rule.per_then:
                key = key_of(rule, event, True)
            if key != place[1]:
                return None
        return letters_of(rule, touch, event)

    def step(self, place: Place, state: int, letters: tuple[int, ...] | None, fresh: bool) -> int:
        machine = self.book.machines[place[0]]
        real = state if state >= 0 else -state - 1
        if fresh and self.book.late[place[0]]:
            real = machine.flush(real)
        if letters is None:
            return real if state >= 0 else -real - 1
        after = [machine.fill(real, letter) for letter in letters]
        real = after[0] if len(after) == 1 else machine.joined(after)
        return -real - 1 if state < 0 and letters[0] & USER else real

    def unchanged(self) -> list[tuple[int, Letter | None, bool]]:
        return self.changed(())

    def changed(self, edits: Sequence[Edit]) -> list[tuple[int, Letter | None, bool]]:
        """Return the events after the changes: an index or a letter, and whether a message begins there."""
        gone = {k for kind, k, _, _ in edits if kind in ("move", "remove")}
        order: list[tuple[int, Letter | None, bool]] = []
        message: int | None = None
        for k in range(len(self.happened) + 1):
            for kind, which, letter, place in edits:
                if place == k and kind != "remove":
                    order.append((which, letter, True))
                    message = None
            if k < len(self.happened) and k not in gone:
                event = self.happened[k][0]
                order.append((k, None, event.message != message))
                message = event.message
        return order

    def run(self, place: Place, order: Sequence[tuple[int, Letter | None, bool]]) -> int:
        state = self.start(place)
        for k, letter, fresh in order:
            if letter is None:
                state = self.step(place, state, self.letters(k, place), fresh)
            else:
                bits = letter.effect(self.book, place)
                state = self.step(place, state, None if bits is None else (bits,), fresh)
        return state

    def places_of(self, every: Sequence[Place], edits: Sequence[Edit]) -> list[Place]:
        """Return the rules and values, with those that inserted calls bring."""
        found = dict.fromkeys(every)
        for _, _, letter, _ in edits:
            if letter is not None:
                values = dict(letter.values)
                for i, rule in enumerate(self.book.rules):
                    for paths in {rule.per, rule.per_then} if rule.per else ():
                        key = tuple(values.get(path, ABSENT) for path in paths)
                        if key and ABSENT not in key:
                            found.setdefault((i, key))
        return list(found)

    def before(self, k: int) -> StepNo:
        """Return the step of the first call at or after event ``k``."""
        for event, step in self.happened[k:]:
            if isinstance(event, ToolCall):
                return step
        return "end"

    def said(self, edits: Sequence[Edit], exact: bool) -> RulesRepair:
        removed: list[Removed] = []
        placed: list[Moved | Inserted] = []
        for kind, k, letter, place in edits:
            event = self.happened[k][0] if k >= 0 else None
            if kind == "insert":
                assert letter is not None
                placed.append(Inserted(letter.tool, self.before(place), letter))
            else:
                assert isinstance(event, ToolCall)
                if kind == "move":
                    placed.append(Moved(event.step, event.tool, self.before(place)))
                else:
                    removed.append(Removed(event.step, event.tool))
        return RulesRepair(
            tuple(one for one in placed if isinstance(one, Moved)),
            tuple(one for one in placed if isinstance(one, Inserted)),
            tuple(removed),
            exact,
            tuple(placed),
        )


class _Search:
    def __init__(self, walk: _Walk, places: Sequence[Place], tools: Sequence[str]) -> None:
        self.walk, self.places = walk, list(places)
        self.size = len(walk.happened)
        self._after: dict[tuple[tuple[int, ...], int, bool], tuple[int, ...] | None] = {}
        self._effects: dict[int, list[tuple[int, ...] | None]] = {}
        """What events and insertable calls are to each of the places."""
        self.insertable = self._insertable(tools)
        self.late = any(walk.book.late[i] for i, _ in places)
        self.movable = [
            k
            for k, (event, _) in enumerate(walk.happened)
            if isinstance(event, ToolCall) and any(walk.letters(k, p) is not None for p in self.places)
        ]
        self.can_move = frozenset(self.movable)

    def _insertable(self, tools: Sequence[str]) -> list[Letter]:
        """Return calls that can be inserted, one for each effect, the first in the alphabet."""
        alphabet = Alphabet(self.walk.book, tools)
        found: dict[tuple[int | None, ...], Letter] = {}
        for tool in sorted(tools):
            for letter in filter(None, alphabet.of_tool(tool, self.places)):
                whole = alphabet.completed(letter)
                effects = tuple(whole.effect(self.walk.book, p) for p in self.places)
                if any(e is not None for e in effects):
                    found.setdefault(effects, whole)
        for number, effects in enumerate(found, 1):
            self._effects[-number] = [None if effect is None else (effect,) for effect in effects]
        return list(found.values())

    def _next(self, states: tuple[int, ...], what: int, fresh: bool) -> tuple[int, ...] | None:
        """Return the states after a call, or None if it breaks a rule. ``what``: the index of an event, or of an
        insertable call below 0."""
        key = (states, what, fresh)
        if key not in self._after:
            self._after[key] = self._find_next(states, what, fresh)
        return self._after[key]

    def _find_next(self, states: tuple[int, ...], what: int, fresh: bool) -> tuple[int, ...] | None:
        effects = self._effects.get(what)
        if effects is None:
            effects = self._effects[what] = [self.walk.letters(what, place) for place in self.places]
        after = []
        for place, state, bits in zip(self.places, states, effects, strict=True):
            if bits is not None or fresh:
                state = self.walk.step(place, state, bits, fresh)
                if self.walk.broken(place, state):
                    return None
            after.append(state)
        return tuple(after)

    def _start(self) -> _Node:
        return _Node(0, tuple(self.walk.start(p) for p in self.places), (), (), None)

    def _done(self, node: _Node) -> bool:
        if node.at < self.size or node.taken or node.early:
            return False
        return all(self.walk.accepts(p, s) for p, s in zip(self.places, node.states, strict=True))

    def _free(self, node: _Node, cost: Cost) -> Iterator[tuple[_Node, Cost, Edit | None]]:
        """Yield what can come next without another change: the event itself, or one that was taken out before."""
        at = node.at
        if at < self.size:
            event = self.walk.happened[at][0]
            if at in node.early:
                rest = tuple(k for k in node.early if k != at)
                yield _Node(at + 1, node.states, node.taken, rest, node.message), cost, None
            else:
                states = self._next(node.states, at, event.message != node.message)
                if states is not None:
                    message = event.message if self.late else None
                    yield _Node(at + 1, states, node.taken, node.early, message), cost, None
        for k in node.taken:
            states = self._next(node.states, k, True)
            if states is not None:
                rest = tuple(t for t in node.taken if t != k)
                yield (
                    _Node(at, states, rest, node.early, None),
                    self._moved(cost, k, at, 0),
                    ("move", k, None, at),
                )

    def _changes(self, node: _Node, cost: Cost) -> Iterator[tuple[_Node, Cost, Edit | None]]:
        """Yield the changes that can come next. Each costs one."""
        at = node.at
        number, new, removals, places, names = cost
        if at in self.can_move and at not in node.early:
            event = self.walk.happened[at][0]
            assert isinstance(event, ToolCall)
            yield (
                _Node(at + 1, node.states, (*node.taken, at), node.early, node.message),
                (number + 1, new, removals, places, names),
                None,
            )
            yield (
                _Node(at + 1, node.states, node.taken, node.early, node.message),
                (number + 1, new + 1, removals + 1, (*places, float(at)), (*names, (event.tool, event.step))),
                ("remove", at, None, at),
            )
        for k in self.movable:
            if k <= at or k in node.early:
                continue
            states = self._next(node.states, k, True)
            if states is not None:
                early = tuple(sorted((*node.early, k)))
                yield (
                    _Node(at, states, node.taken, early, None),
                    self._moved(cost, k, at, 1),
                    ("move", k, None, at),
                )
        for k, letter in enumerate(self.insertable, 1):
            states = self._next(node.states, -k, True)
            if states is not None and states != node.states:
                more = (number + 1, new + 1, removals, (*places, float(at)), (*names, (letter.tool, 0)))
                yield _Node(at, states, node.taken, node.early, None), more, ("insert", -1, letter, at)

    def _moved(self, cost: Cost, k: int, at: int, changes: int) -> Cost:
        """Return the cost with a call that is placed elsewhere."""
        event = self.walk.happened[k][0]
        assert isinstance(event, ToolCall)
        number, new, removals, places, names = cost
        return number + changes, new, removals, (*places, float(at)), (*names, (event.tool, event.step))

    def best(self) -> tuple[tuple[Edit, ...] | None, bool]:
        """Return the changes, or None, and whether the search was exact.

        One change more is looked for only when nothing else is left, since each costs more than all that is free.
        """
        zero: Cost = (0, 0, 0, (), ())
        start = self._start()
        queue: list[tuple[Cost, int, _Node, tuple[Edit, ...]]] = [(zero, 0, start, ())]
        closed: set[_Node] = set()
        reached: dict[_Node, Cost] = {start: zero}
        changed: list[tuple[Cost, _Node, tuple[Edit, ...]]] = []
        """Nodes whose changes were not looked at yet."""
        count = 0

        def push(moves: Iterator[tuple[_Node, Cost, Edit | None]], edits: tuple[Edit, ...]) -> None:
            nonlocal count
            for after, more, edit in moves:
                if after not in closed and (after not in reached or more < reached[after]):
                    reached[after] = more
                    count += 1
                    heapq.heappush(queue, (more, count, after, edits if edit is None else (*edits, edit)))

        while queue:
            cost, _, node, edits = heapq.heappop(queue)
            if node not in closed:
                closed.add(node)
                if self._done(node):
                    return edits, True
                changed.append((cost, node, edits))
                push(self._free(node, cost), edits)
            if not queue:
                for cost, node, edits in changed:
                    push(self._changes(node, cost), edits)
                    if len(reached) > MOST_NODES:
                        return self._beam(), False
                changed.clear()
        return None, True

    def _beam(self) -> tuple[Edit, ...] | None:
        """Return a good change, by the best ways to each place of the trace."""
        Way = tuple[Cost, _Node, tuple[Edit, ...]]
        layer: Mapping[tuple[Any, ...], Way] = {(): ((0, 0, 0, (), ()), self._start(), ())}
        best: Way | None = None
        for at in range(self.size + 1):
            here: dict[tuple[Any, ...], Way] = dict(layer)
            following: dict[tuple[Any, ...], Way] = {}
            fringe = list(here.values())
            for _ in range(MOST_EDITS):
                found: list[Way] = []
                for cost, node, edits in fringe:
                    if self._done(node) and (best is None or cost < best[0]):
                        best = (cost, node, edits)
                    for after, more, edit in chain(self._free(node, cost), self._changes(node, cost)):
                        way = (more, after, edits if edit is None else (*edits, edit))
                        level = here if after.at == at else following
                        known = level.get(after)
                        if known is None or more < known[0]:
                            level[after] = way
                            if after.at == at:
                                found.append(way)
                fringe = sorted(found, key=lambda way: way[0])[:WIDTH]
                if not fringe:
                    break
            kept = sorted(following.values(), key=lambda way: (way[0], len(way[1].taken) + len(way[1].early)))
            layer = {way[1]: way for way in kept[:WIDTH]}
        return None if best is None else best[2]
