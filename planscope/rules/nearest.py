"""The search for the nearest change of a trace, for rules that share calls.

It walks along the trace once for each number of changes that may be enough. A node is a place of the trace with the
state of every rule there; of several ways to a node only the best is followed. Calls that the rules cannot tell apart
are one class, so a call that is moved is remembered by its class until it is placed, or until its old place is passed.
Each rule alone says how many changes it needs at least from a state on (``_View``), which keeps the search near the
broken rules; the needs of rules that share no call are added up.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from planscope.oracle.trace import ToolCall
from planscope.rules.budget import Budget, Spent
from planscope.rules.judge import Event, Rulebook, counts
from planscope.rules.kinds import KINDS
from planscope.rules.letters import Letter
from planscope.rules.machine import ANY_FIRST, THEN
from planscope.rules.values import Place

MOST_STATES = 3_000
MOST_LEVELS = 500
MANY = 5
"""If so many changes are needed, one moved call is followed at a time, else ``MOST_MOVING``."""
MOST_MOVING = 3
NEVER = 10**6
"""The need of a rule that no change can repair."""

Letters = tuple[int, ...]
Code = tuple[Letters | None, bool, bool]
"""What an event is to one rule: its letters (several if the trace does not tell; None: nothing), and whether a message
begins before it and after it."""
Seen = tuple[Place, Letters]
"""A rule, or a rule for one value, and what an event is to it."""
Touch = tuple[tuple[int, int], ...]
"""The rules of a search that see an event, by their numbers there, and the number of its code for each of them."""
Effects = Mapping[Place, Collection[int | None]]
"""What an insertion can be to rules; None, and for all others: nothing."""
Edit = tuple[str, int, Letter | None, int]
"""("move" | "insert" | "remove", index of the event or -1, letter or None, index before which it is placed)."""
Cost = tuple[int, int, int, int, tuple[int, ...], tuple[tuple[str, int], ...]]
"""Changes; insertions and removals; removals; places moved; places, later ones first; names with steps."""
Pending = tuple[int, ...]
"""Calls that are on their way: ``n`` for a call of class ``n`` that was taken out and comes later, ``~n`` for one that
came before its place. For a rule, ``n`` is the code of that call."""


def start(book: Rulebook, i: int) -> int:
    return ~0 if book.rules[i].per else 0


def accepts(book: Rulebook, i: int, state: int) -> bool:
    """Return whether a trace that ends in this state may keep the rule."""
    machine = book.machines[i]
    return state < 0 or any(machine.accepting[m] for m in machine.members[state])


class Trail:
    """A trace as rules see it, and all that was changed in it so far.

    ``happened``: its events, an inserted call as one without a step. ``sees``: who sees each of them, as what; a
    message of the user is seen by a rule for all its values. ``reads``: whether a tool is marked as only reading.
    ``tools``: those that are called or can be. ``effects``: who sees an inserted call, as what.
    ``origin``: the places of the events in the trace as it was, or the letters of inserted calls. ``moved``: events of
    that trace that have another place now.
    """

    def __init__(
        self,
        book: Rulebook,
        happened: Sequence[Event],
        sees: Sequence[Sequence[Seen]],
        reads: Callable[[str], bool],
        tools: Collection[str],
        effects: Callable[[Letter], list[Seen]],
        origin: Sequence[int | Letter] = (),
        moved: Collection[int | Letter] = (),
    ) -> None:
        self.book, self.happened, self.sees, self.reads = book, happened, sees, reads
        self.tools, self.effects = tools, effects
        self.origin = origin or range(len(happened))
        self.moved = moved
        self.solved: dict[frozenset[Place], tuple[list[Edit], bool]] = {}
        """What was found for rules: changes, and whether fewer cannot do."""
        self.automata: dict[tuple[int, frozenset[Code]], _Automaton] = {}
        self._named: dict[int, frozenset[str]] = {}
        self._seen: dict[Place, list[tuple[int, Letters]]] = {}
        for k, ones in enumerate(sees):
            for place, letters in ones:
                self._seen.setdefault(place, []).append((k, letters))
        self.writing = [isinstance(e, ToolCall) and not e.refused and not reads(e.tool) for e in happened]
        self.reading = [not isinstance(e, ToolCall) or (not e.refused and reads(e.tool)) for e in happened]

    def of(self, place: Place) -> list[tuple[int, Letters]]:
        """Return the events that a rule sees, for one value if it has any, with their letters."""
        seen = self._seen.get(place, [])
        said = self._seen.get((place[0], None)) if place[1] is not None else None
        return sorted([*seen, *said]) if said else seen

    def keeps(self, place: Place, effects: Mapping[int, Effects] = {}) -> bool:
        """Return whether the trace may keep a rule. ``effects``: what inserted calls can be, by their indexes, if they
        are not what their letters say."""
        i = place[0]
        machine, seen = self.book.machines[i], dict(self.of(place))
        states, message = {start(self.book, i)}, None
        for k in sorted({*seen, *effects}):
            ways = [seen.get(k)]
            if k in effects:
                ways = [None if bits is None else (bits,) for bits in effects[k].get(place, (None,))]
            begins = self.book.late[i] and self.happened[k].message != message
            message = self.happened[k].message
            states = {machine.step(state, own, begins) for state in states for own in ways}
        return all(accepts(self.book, i, state) for state in states)

    def changed(self, edits: Sequence[Edit]) -> Trail:
        """Return the trail after more changes. A placed call is a message of its own, so it may split one."""
        gone = {k for kind, k, _, _ in edits if kind != "insert"}
        happened: list[Event] = []
        origin: list[int | Letter] = []
        seen: list[Sequence[Seen]] = []
        new = min([0, *(event.message for event in self.happened)]) - 1
        last, number, split = None, new, False
        for k in range(len(self.happened) + 1):
            for kind, moved, letter, place in edits:
                if place == k and kind != "remove":
                    event = self.happened[moved] if letter is None else ToolCall(letter.tool)
                    happened.append(replace(event, message=new))
                    origin.append(self.origin[moved] if letter is None else letter)
                    seen.append(self.sees[moved] if letter is None else self.effects(letter))
                    new, split = new - 1, True
            if k < len(self.happened) and k not in gone:
                event = self.happened[k]
                if event.message != last:
                    last = number = event.message
                elif split:
                    new, number = new - 1, new
                split = False
                happened.append(event if event.message == number else replace(event, message=number))
                origin.append(self.origin[k])
                seen.append(self.sees[k])
        moves = {*self.moved, *(self.origin[k] for kind, k, _, _ in edits if kind == "move")}
        return Trail(self.book, happened, seen, self.reads, self.tools, self.effects, origin, moves)

    def edits(self, size: int) -> list[Edit]:
        """Return all changes so far of a trace that had ``size`` events."""
        left = {one for one in self.origin if isinstance(one, int)}
        found: list[Edit] = []
        place = size
        for one in reversed(self.origin):
            if isinstance(one, Letter):
                found.append(("insert", -1, one, place))
            elif one in self.moved:
                found.append(("move", one, None, place))
            else:
                place = one
        found.reverse()
        return [*found, *(("remove", k, None, k) for k in range(size) if k not in left)]

    def splits(self, places: Iterable[Place]) -> bool:
        """Return whether a call that a rule does not see can matter to it: if it goes by messages, and one message has
        several calls."""
        late = (self.of(place) for place in places if self.book.late[place[0]])
        messages = ([self.happened[k].message for k, _ in seen] for seen in late)
        return any(a == b for ones in messages for a, b in pairwise(ones))

    def asked(self, k: int) -> bool:
        """Return whether the event is a read whose answer a rule goes by."""
        event = self.happened[k]
        if not isinstance(event, ToolCall) or not self.reading[k]:
            return False
        return any(c.names(event.tool) for rule in self.book.rules for c in rule.first if rule.later(c))

    def may_move(self, k: int, place: int) -> bool:
        """Return whether a call may be moved to before the event ``place``: a write not to before a read that it stood
        after, and a read whose answer a rule goes by not to after a write."""
        if place <= k:
            return self.reading[k] or not any(self.reading[place:k])
        return not self.asked(k) or not any(self.writing[k + 1 : place])

    def share(self, one: Place, other: Place) -> bool:
        """Return whether one change may matter to both rules, of which one may be the other for another value."""
        rules, (i, key), (j, other_key) = self.book.rules, one, other
        if i == j:
            return bool(rules[i].every_call and rules[i].per_then)
        if rules[i].per and rules[i].per == rules[j].per and not (rules[i].per_then or rules[j].per_then):
            return key == other_key and bool(self._tools_of(i) & self._tools_of(j))
        return bool(self._tools_of(i) & self._tools_of(j))

    def _tools_of(self, i: int) -> frozenset[str]:
        """Return the tools of which a rule sees calls."""
        if i not in self._named:
            self._named[i] = frozenset(tool for tool in self.tools if self.book.touch(i, tool) is not None)
        return self._named[i]


class _Automaton:
    """The states of a rule that these codes lead to, numbered from 0, which is the first. Sets of them are bits."""

    def __init__(self, book: Rulebook, i: int, codes: Iterable[Code]) -> None:
        states = [start(book, i)]
        number = {states[0]: 0}
        self.codes = {code: n for n, code in enumerate(sorted(codes, key=repr))}
        self.after: list[list[int]] = [[] for _ in self.codes]
        for state in states:
            for code, row in zip(self.codes, self.after, strict=True):
                to = book.machines[i].step(state, *code)
                if to not in number:
                    number[to] = len(states)
                    states.append(to)
                row.append(number[to])
            if len(states) > MOST_STATES:
                raise Spent
        self.accepting = sum(1 << k for k, state in enumerate(states) if accepts(book, i, state))
        self._before: list[dict[int, int]] = [{} for _ in self.codes]

    def before(self, code: int, wanted: int) -> int:
        """Return the states from which the event leads to a wanted one."""
        known = self._before[code]
        found = known.get(wanted)
        if found is None:
            row = self.after[code]
            found = known[wanted] = sum(1 << k for k, to in enumerate(row) if wanted >> to & 1)
        return found


class _View:
    """One rule, or a rule for one value, along the trace.

    ``codes``: what the events are to it that it sees. ``skips``: what is left of each if it is taken away (-1: it
    is no call). ``places``: what calls can be that are placed.

    ``need`` is a lower bound. A move takes a call away and places it. So for each letter one of the two is free here,
    and the other costs one: then no change costs more than one. ``dear`` has the letters that it costs to place:
    ``wanted``, those of which more calls may be needed, and no others.
    """

    def __init__(
        self,
        automaton: _Automaton,
        codes: list[Code],
        skips: list[Code | None],
        places: Iterable[Code],
        wanted: int,
        budget: Budget,
    ) -> None:
        self.number = number = automaton.codes
        self._automaton, self._budget, self.after = automaton, budget, automaton.after
        self.codes = [number[code] for code in codes]
        self.skips = [-1 if code is None else number[code] for code in skips]
        self.places = list(dict.fromkeys(number[code] for code in places))
        both = ANY_FIRST | THEN
        bits = (0 if letters is None else letters[-1] & both for letters, _, _ in number)
        self.dear = [bool(own) and not own & ~wanted for own in bits]
        self._cheap = [put for put in self.places if not self.dear[put]]
        self._costly = [put for put in self.places if self.dear[put]]
        self._levels: list[list[int]] = []
        self._grown: dict[int, int] = {}
        self._closed = False
        self._free = self._table(None, exact=True)

    def _level(self, most: int) -> list[int]:
        """Return the states, by place, from which so many changes may do."""
        while len(self._levels) <= most and not self._closed:
            self._levels.append(self._table(self._levels[-1] if self._levels else None, exact=False))
            self._closed = self._levels[-2:-1] == self._levels[-1:]
        return self._levels[min(most, len(self._levels) - 1)]

    def _table(self, less: list[int] | None, *, exact: bool) -> list[int]:
        """Return the states, by place, from which the end is reached. ``less``: those from which one change less may
        do. ``exact``: nothing is free."""
        before, size = self._automaton.before, len(self.codes)
        self._budget.spend(size // 8 + 1)
        found = [0] * (size + 1)
        states = self._automaton.accepting
        for j in range(size, -1, -1):
            if j < size:
                after, skip = states, self.skips[j]
                states = before(self.codes[j], after)
                if skip >= 0 and not exact:
                    if self.dear[self.codes[j]]:
                        states |= before(skip, after)
                    elif less is not None:
                        states |= before(skip, less[j + 1])
            if less is not None:
                states |= less[j]
                for put in self._costly:
                    states |= before(put, less[j])
            found[j] = states = states if exact else self._with_cheap(states)
        return found

    def _with_cheap(self, states: int) -> int:
        """Return the states from which calls that cost nothing lead to these."""
        found = self._grown.get(states)
        if found is None:
            found, more = states, -1
            while more != found:
                more = found
                for put in self._cheap:
                    found |= self._automaton.before(put, found)
            self._grown[states] = found
        return found

    def need(self, j: int, state: int, paid: int, left: int, *, alone: bool) -> int:
        """Return how many changes are needed at least from the event ``j`` on, of which ``paid`` are paid for; more
        than ``left`` need not be counted. ``alone``: no call is on its way."""
        if alone and self._free[j] >> state & 1:
            return 0
        for number in range(MOST_LEVELS):
            if number > left + paid or self._level(number)[j] >> state & 1:
                return max(number - paid, 1 if alone else 0)
            if self._closed and number >= len(self._levels):
                return NEVER
        return NEVER

    def accepts(self, state: int) -> bool:
        return bool(self._automaton.accepting >> state & 1)


class Insertion(NamedTuple):
    """A call that can be inserted. ``answers``: the indexes of the calls that the trace answered, and whether these
    answers meet its conditions."""

    letter: Letter
    sees: list[Seen]
    answers: tuple[tuple[int, bool], ...] = ()

    def allowed(self, place: int) -> bool:
        """Return whether the trace's own answer, the last one before the place or else the next, allows it there."""
        if not self.answers:
            return True
        return self.answers[max(bisect_left(self.answers, (place, False)) - 1, 0)][1]


_Kind = tuple[tuple[tuple[int, Code], ...], bool, bool]
"""What a placed call is to the rules of a search, by their numbers; whether it reads, and whether a rule asks it."""


class _Class:
    """Calls that the rules of a search cannot tell apart, or (``number`` is -1) insertions with one effect."""

    def __init__(
        self, number: int, put: tuple[tuple[int, Code], ...], reads: bool, asked: bool, views: list[_View]
    ) -> None:
        self.number, self.reads, self.asked = number, reads, asked
        self.touch: Touch = tuple((p, views[p].number[code]) for p, code in put)
        self.codes = dict(self.touch)
        self.calls: list[int] = []
        self.insertions: list[Insertion] = []

    def at(self, place: int) -> Letter | None:
        """Return the call to insert at a place."""
        return next((one.letter for one in self.insertions if one.allowed(place)), None)


class _Step(NamedTuple):
    """An event, or several (``event`` is -1) that the rules do not see."""

    event: int
    size: int
    keep: Touch
    skip: Touch
    kind: _Class | None
    reads: bool
    writes: bool


_Path = tuple["_Path", str, int, Letter | None, int] | None


class _Way(NamedTuple):
    """A way to a node. ``needs``: of each rule; ``sums``: of each group of rules. ``path``: the path before and the
    last change, as ``Edit``; of a call that comes early, only the class is known. ``ids``: the pending events."""

    cost: Cost
    needs: tuple[int, ...]
    sums: tuple[int, ...]
    path: _Path
    ids: tuple[int, ...]


_Node = tuple[tuple[int, ...], Pending]
_Layer = dict[_Node, _Way]
_Moving = tuple[Pending, tuple[int, ...]]
"""What is on its way, and the events, -1 for a call that comes later."""


class Search:
    """The search for rules that share calls. ``insertions``: calls that can be inserted."""

    def __init__(
        self, trail: Trail, places: Sequence[Place], insertions: Iterable[Insertion], budget: Budget
    ) -> None:
        self.trail, self.places, self.budget, self.book = trail, list(places), budget, trail.book
        self._spread = trail.splits(places)
        self._events = [dict(trail.of(place)) for place in places]
        classes = self._found_classes()
        inserted = self._grouped(insertions)
        self._views = [self._view(p, [*classes, *inserted]) for p in range(len(places))]
        self._classes = [_Class(n, *key, self._views) for n, key in enumerate(classes)]
        for kind, calls in zip(self._classes, classes.values(), strict=True):
            kind.calls = calls
        self._insertable = [_Class(-1, *key, self._views) for key in inserted]
        for kind, ones in zip(self._insertable, inserted.values(), strict=True):
            kind.insertions = ones
        self._kinds = {k: kind for kind in self._classes for k in kind.calls}
        self._reads = [k for k, reads in enumerate(trail.reading) if reads]
        self._steps = list(self._made_steps())
        self._groups = self._grouped_rules()
        self._placeable = [*self._insertable, *self._classes]
        self._cut = self._capped = False
        self._most_moving = MOST_MOVING
        self._tried = 0

    # What there is to change

    def _put(self, letters: Sequence[Letters | None]) -> tuple[tuple[int, Code], ...]:
        """Return what a placed call is to the rules: a message of its own."""
        found = []
        for p, own in enumerate(letters):
            late = self.book.late[self.places[p][0]]
            if own is not None or (late and self._spread):
                found.append((p, (own, late, late)))
        return tuple(found)

    def _found_classes(self) -> dict[_Kind, list[int]]:
        """Return the classes of calls that can be moved or removed."""
        every = range(len(self.trail.happened)) if self._spread else sorted(set().union(*self._events))
        found: dict[_Kind, list[int]] = {}
        for k in every:
            if not counts(self.book, self.trail.happened[k]):
                continue
            key = (
                self._put([seen.get(k) for seen in self._events]),
                self.trail.reading[k],
                self.trail.asked(k),
            )
            found.setdefault(key, []).append(k)
        return found

    def _grouped(self, insertions: Iterable[Insertion]) -> dict[_Kind, list[Insertion]]:
        found: dict[_Kind, list[Insertion]] = {}
        for one in insertions:
            seen = dict(one.sees)
            put = self._put([seen.get(place) for place in self.places])
            if put:
                found.setdefault((put, False, False), []).append(one)
        return found

    def _view(self, p: int, kinds: Iterable[_Kind]) -> _View:
        i = self.places[p][0]
        late, happened = self.book.late[i], self.trail.happened
        codes: list[Code] = []
        skips: list[Code | None] = []
        seen = self._events[p]
        for (k, letters), after in zip(seen.items(), [*list(seen)[1:], -1], strict=False):
            ends = late and (after < 0 or happened[k].message != happened[after].message)
            codes.append((letters, False, ends))
            counted = counts(self.book, happened[k])
            skips.append((None, False, ends) if counted else None)
        places = dict.fromkeys(code for put, _, _ in kinds for q, code in put if q == p)
        every = frozenset(filter(None, (*codes, *skips, *places)))
        if (i, every) not in self.trail.automata:
            self.trail.automata[i, every] = _Automaton(self.book, i, every)
        wanted = ANY_FIRST if KINDS[self.book.rules[i].kind].tested in ("then", "always") else THEN
        return _View(self.trail.automata[i, every], codes, skips, places, wanted, self.budget)

    def _made_steps(self) -> Iterator[_Step]:
        touched: dict[int, list[tuple[int, int]]] = {k: [] for k in self._kinds}
        for p, seen in enumerate(self._events):
            for j, k in enumerate(seen):
                touched.setdefault(k, []).append((p, j))
        reached, size = 0, len(self.trail.happened)
        for k in (*sorted(touched), size):
            if reached < k:
                yield self._step(-1, reached, k, (), ())
            reached = k + 1
            if k < size:
                views = [(p, j, self._views[p]) for p, j in touched[k]]
                keep = tuple((p, view.codes[j]) for p, j, view in views)
                skip = tuple((p, view.skips[j]) for p, j, view in views)
                yield self._step(k, k, k + 1, keep, skip)

    def _step(self, event: int, first: int, last: int, keep: Touch, skip: Touch) -> _Step:
        reads, writes = any(self.trail.reading[first:last]), any(self.trail.writing[first:last])
        return _Step(event, last - first, keep, skip, self._kinds.get(event), reads, writes)

    def _grouped_rules(self) -> list[int]:
        """Return the group of each place. No change can matter to two of a group, so their needs add up."""
        groups: list[list[Place]] = []
        found = []
        for place in self.places:
            fits = (not self._spread and not any(self.trail.share(place, q) for q in ones) for ones in groups)
            found.append(next((g for g, fit in enumerate(fits) if fit), len(groups)))
            if found[-1] == len(groups):
                groups.append([])
            groups[found[-1]].append(place)
        return found

    # The search

    def best(self) -> tuple[list[Edit], bool] | None:
        """Return the changes, and whether fewer cannot do; None if none can do. Raises Spent."""
        least = most = max(self._begin().sums)
        sure = True
        while most < NEVER:
            if len(self._steps) * (most + 1) * (1 + len(self.places) // 8) > self.budget.nodes:
                raise Spent
            self._cut = self._capped = False
            self._most_moving = MOST_MOVING if most < MANY else 1
            found = self._pass(most)
            if found is not None:
                return self._edits(found), sure
            sure = sure and not self._capped
            if not (self._cut or self._capped) or (most == least and not self._reachable()):
                break
            most += 1
        return None

    def _begin(self) -> _Way:
        needs = tuple(view.need(0, 0, 0, MOST_LEVELS, alone=True) for view in self._views)
        sums = [0] * (max(self._groups) + 1)
        for p, need in enumerate(needs):
            sums[self._groups[p]] += need
        return _Way((0, 0, 0, 0, (), ()), needs, tuple(sums), None, ())

    def _pass(self, most: int) -> _Way | None:
        """Return the best way with at most ``most`` changes."""
        best: _Way | None = None
        layer: _Layer = {((0,) * len(self.places), ()): self._begin()}
        at = [0] * len(self.places)
        gap = 0
        for step in (*self._steps, None):
            following: _Layer = {}
            then = at.copy()
            for p, _ in step.keep if step is not None else ():
                then[p] += 1
            queue = [(way.cost, k, node) for k, (node, way) in enumerate(layer.items())]
            heapq.heapify(queue)
            while queue:
                cost, _, node = heapq.heappop(queue)
                way = layer[node]
                if way.cost is not cost or (best is not None and cost >= best.cost):
                    continue
                pending = node[1]
                if not pending and not max(way.sums):
                    best = way
                    continue
                if step is None or step.event >= 0 or any(one >= 0 for one in pending):
                    for placed, made in self._placed(node, way, at, gap, most):
                        if _offer(layer, placed, made):
                            heapq.heappush(queue, (made.cost, len(layer) + len(queue), placed))
                if step is not None:
                    for passed, made in self._passed(step, node, way, then, gap, most):
                        _offer(following, passed, made)
            if step is not None:
                at, gap, layer = then, gap + step.size, following
        return best

    def _placed(
        self, node: _Node, way: _Way, at: list[int], gap: int, most: int
    ) -> Iterator[tuple[_Node, _Way]]:
        """Yield the ways on if a call is placed here: one taken out before, one from later on, or a new one."""
        states, pending = node
        go, here = partial(self._on, states, way, at, most), (pending, way.ids)
        for k, one in enumerate(pending):
            if one >= 0 and (not k or pending[k - 1] != one):
                event = way.ids[k]
                plus = (0, 0, 0, 0, (-gap,), (self._name(event),))
                yield from go(self._classes[one].touch, plus, ("move", event, None, gap), _without(here, k))
        left = most - way.cost[0]
        for kind in self._placeable if left else ():
            letter = kind.at(gap)
            if letter is not None:
                plus = (1, 1, 0, 0, (-gap,), ((letter.tool, 0),))
                made = go(kind.touch, plus, ("insert", -1, letter, gap), here)
                yield from (one for one in made if one[0][0] != states)
            elif kind.number >= 0 and self._comes(kind, gap) and self._has_room(pending):
                early = ("early", kind.number, None, gap)
                yield from go(kind.touch, (1, 0, 0, 0, (-gap,), ()), early, _with(here, ~kind.number, -1))

    def _passed(
        self, step: _Step, node: _Node, way: _Way, at: list[int], gap: int, most: int
    ) -> Iterator[tuple[_Node, _Way]]:
        """Yield the ways past an event: it stays, or it is taken away."""
        states, pending = node
        if any(self._blocks(step, one) for one in pending):
            return
        go, here = partial(self._on, states, way, at, most), (pending, way.ids)
        far, kind, event = step.size * len(pending), step.kind, step.event
        yield from go(step.keep, (0, 0, 0, far, (), ()), None, here)
        if kind is None:
            return
        name = (self._name(event),)
        k = bisect_left(pending, ~kind.number)
        if k < len(pending) and pending[k] == ~kind.number:
            taken = ("taken", event, None, kind.number)
            yield from go(step.skip, (0, 0, 0, far - 1, (), name), taken, _without(here, k))
        left = most - way.cost[0]
        if not left or (left == max(way.sums) and not any(way.needs[p] for p, _ in step.skip)):
            return
        yield from go(step.skip, (1, 1, 1, far, (-gap,), name), ("remove", event, None, event), here)
        if self._has_room(pending):
            yield from go(step.skip, (1, 0, 0, far, (), ()), None, _with(here, kind.number, event))

    def _on(
        self,
        states: tuple[int, ...],
        way: _Way,
        at: list[int],
        most: int,
        touch: Touch,
        plus: Cost,
        edit: Edit | None,
        moving: _Moving,
    ) -> Iterator[tuple[_Node, _Way]]:
        """Yield the way on, unless more changes are needed than ``most``. ``touch``: what the rules see; ``plus``: what
        it costs more; ``edit``: the change, if it is one; ``moving``: what is on its way then."""
        self._tried += 1
        if self._tried % 4 == 0:  # most are given up at once
            self.budget.spend(1)
        a, b, c, d, e, f = way.cost
        cost = (a + plus[0], b + plus[1], c + plus[2], d + plus[3], (*e, *plus[4]), (*f, *plus[5]))
        left, pending = most - cost[0], moving[0]
        needs, sums, changed = list(way.needs), list(way.sums), list(states)
        for p, code in touch:
            view = self._views[p]
            changed[p] = state = view.after[code][states[p]]
            need = view.need(at[p], state, self._paid(p, pending), left, alone=not pending)
            sums[self._groups[p]] += need - needs[p]
            needs[p] = need
        if (least := max(sums)) > left:
            self._cut = self._cut or least < NEVER
            return
        self.budget.spend(1 + len(states) // 8)
        path = way.path if edit is None else (way.path, *edit)
        yield (tuple(changed), pending), _Way(cost, tuple(needs), tuple(sums), path, moving[1])

    def _paid(self, p: int, pending: Pending) -> int:
        """Return what the pending calls cost a rule in its own count of changes."""
        dear, classes = self._views[p].dear, self._classes
        put = sum(dear[classes[one].codes[p]] for one in pending if one >= 0 and p in classes[one].codes)
        took = sum(
            not dear[classes[~one].codes[p]] for one in pending if one < 0 and p in classes[~one].codes
        )
        return put + took

    def _comes(self, kind: _Class, gap: int) -> bool:
        """Return whether a call of the class comes later that may be moved here."""
        k = bisect_left(kind.calls, gap)
        if k == len(kind.calls):
            return False
        read = bisect_left(self._reads, gap)
        return kind.reads or read == len(self._reads) or kind.calls[k] <= self._reads[read]

    def _blocks(self, step: _Step, one: int) -> bool:
        """Return whether a call that is on its way must not pass these events (see ``Trail.may_move``)."""
        if one >= 0:
            return step.writes and self._classes[one].asked
        return step.reads and not self._classes[~one].reads

    def _has_room(self, pending: Pending) -> bool:
        """Return whether one more call may be on its way."""
        room = len(pending) < self._most_moving
        self._capped = self._capped or not room
        return room

    def _name(self, k: int) -> tuple[str, int]:
        event = self.trail.happened[k]
        assert isinstance(event, ToolCall)
        return event.tool, event.step

    def _reachable(self) -> bool:
        """Return whether any number of changes can keep all rules, if calls could be moved more than once; True if that
        takes too long."""
        budget = self.budget.part(1 / 8)
        views = self._views

        def moved(states: tuple[int, ...], touch: Touch) -> tuple[int, ...]:
            budget.spend(1 + len(states) // 8)
            after = list(states)
            for p, code in touch:
                after[p] = views[p].after[code][states[p]]
            return tuple(after)

        layer = {(0,) * len(views)}
        gap = 0
        try:
            for step in (*self._steps, None):
                puts = [kind for kind in self._placeable if kind.number >= 0 or kind.at(gap) is not None]
                todo = list(layer)
                while todo:
                    states = todo.pop()
                    for after in {moved(states, kind.touch) for kind in puts} - layer:
                        layer.add(after)
                        todo.append(after)
                if step is not None:
                    gap += step.size
                    ways = [step.keep, step.skip] if step.kind is not None else [step.keep]
                    layer = {moved(states, touch) for states in layer for touch in ways}
        except Spent:
            return True
        return any(all(v.accepts(s) for v, s in zip(views, states, strict=True)) for states in layer)

    def _edits(self, way: _Way) -> list[Edit]:
        """Return the changes of a way in their order. Of calls of one class that came early, the first is the one whose
        place is passed first."""
        found: list[Edit] = []
        path = way.path
        while path is not None:
            path, kind, which, letter, place = path
            found.append((kind, which, letter, place))
        early: dict[int, list[int]] = {}
        edits: list[Edit] = []
        for kind, which, letter, place in reversed(found):
            if kind == "early":
                early.setdefault(which, []).append(len(edits))
                edits.append(("move", -1, None, place))
            elif kind == "taken":
                k = early[place].pop(0)
                edits[k] = ("move", which, None, edits[k][3])
            else:
                edits.append((kind, which, letter, place))
        return edits


def _without(moving: _Moving, k: int) -> _Moving:
    pending, ids = moving
    return pending[:k] + pending[k + 1 :], ids[:k] + ids[k + 1 :]


def _with(moving: _Moving, one: int, event: int) -> _Moving:
    pending, ids = moving
    k = bisect_right(pending, one)
    return (*pending[:k], one, *pending[k:]), (*ids[:k], event, *ids[k:])


def _offer(layer: _Layer, node: _Node, way: _Way) -> bool:
    known = layer.get(node)
    if known is not None and known.cost <= way.cost:
        return False
    layer[node] = way
    return True
