"""Decides whether a trace can still be continued so that every rule is kept.

The continuations are searched in the product of the automata, but only of those that matter. The search begins with no
rule. The calls that it finds are extended by more calls for one rule after another that is still owed one (``extend``).
If that fails for a rule, the rule joins the product, and the search begins again (counterexample-guided refinement). So
a lost trace is proved lost with few rules, and a continuation that is found keeps all of them. What is known of a
product's states is remembered. Both answers are exact; beyond ``MOST_STATES`` states there is no answer.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from planscope.oracle.trace import ToolCall
from planscope.rules.judge import Judge, Rulebook
from planscope.rules.letters import Alphabet, Effects, Letter, Undecided, numbered
from planscope.rules.machine import THEN
from planscope.rules.satisfiable import TooMany
from planscope.rules.values import Place

MOST_STATES = 20_000
"""Limit of states of a product. Beyond it, the search does not decide."""

FEW_STATES = 500
"""The limit when calls are sought that extend others."""

MOST_WASTED = 100_000
"""States that one future looks at in searches that do not decide. After that, all its limits are ``LAST_STATES``."""
LAST_STATES = 100

MOST_REMEMBERED = 200_000
MOST_LOST = 50
"""Sets of lost states that are remembered for a tool."""
MOST_ROUNDS = 30
"""Limit of rules that calls which extend others must keep in view."""

MOST_HINTS = 4
"""Limit of conditions on a tool of which its next call tries to meet all."""


@dataclass(slots=True)
class Found:
    """The answer. ``possible`` is None if the search did not decide. ``plan``: calls after which all rules are kept; if
    that is not decided, provided that calls can agree with the answers that they are compared with."""

    possible: bool | None
    plan: tuple[Letter, ...] = ()
    rules: frozenset[int] = frozenset()
    """If the trace is lost, rules that no continuation keeps together."""


@dataclass(slots=True)
class States:
    """The state of every rule, for every value so far. ``begin``: by rule, the state in which a new value begins.

    ``rules``: the rules that must be kept, by index.
    """

    book: Rulebook
    rules: Collection[int]
    known: MutableMapping[Place, int]
    begin: list[int]

    def of(self, place: Place) -> int:
        found = self.known.get(place)
        return self.begin[place[0]] if found is None else found

    def entry(self, place: Place) -> int:
        """Return the state as a product has it: below 0 (-1 for state 0) for a value that no call has yet."""
        return self.of(place) if place in self.known else ~self.of(place)

    def accepts(self, place: Place) -> bool:
        return self.book.machines[place[0]].accepting[self.of(place)]

    def broken(self, place: Place) -> bool:
        return self.book.machines[place[0]].status[self.of(place)] == "broken"

    def move(self, plan: Plan) -> list[Place]:
        """Go to the states after a plan. Return the rules and values that it touches."""
        touched = plan.touched(self)
        after = [(place, plan.run(place, self.of(place))) for place in touched]
        for i in plan.everyone:
            self.begin[i] = plan.run((i, None), self.begin[i])
        self.known.update(after)
        return touched

    def after(self, plan: Plan) -> States:
        """Return the states after a plan."""
        found = States(self.book, self.rules, dict(self.known), self.begin.copy())
        found.move(plan)
        return found


class Plan:
    """Calls after which rules are kept, prepared to be run for one rule and value at a time."""

    def __init__(self, letters: Iterable[Letter], alphabet: Alphabet) -> None:
        self.letters: list[Letter] = []
        self.alphabet = alphabet
        self.steps: dict[Place, list[tuple[int, int]]] = {}
        """For each rule and value the calls that touch it, by number, each with its letter."""
        self.everyone: dict[int, list[tuple[int, int]]] = {}
        """For each rule the user messages, which touch it for every value."""
        self.fresh = [0]
        """How many messages began before each call."""
        self.add(letters)

    @property
    def unsure(self) -> bool:
        """Whether a call must agree with an answer that it is compared with. Rules together may not allow that."""
        rules, every = self.alphabet.book.rules, self.steps.items()
        some = (bits for place, steps in every if rules[place[0]].against is not None for _, bits in steps)
        return any(bits & THEN for bits in some)

    def add(self, letters: Iterable[Letter]) -> None:
        """Add calls at the end."""
        for letter in letters:
            number = len(self.letters)
            self.letters.append(letter)
            touched, every = self.alphabet.row(letter)
            for place, bits in touched:
                self.steps.setdefault(place, []).append((number, bits))
            for i, bits in every:
                self.everyone.setdefault(i, []).append((number, bits))
            self.fresh.append(self.fresh[-1] + letter.fresh)

    def run(self, place: Place, state: int) -> int:
        """Return a rule's state after the plan."""
        steps: Sequence[tuple[int, int]] = self.steps.get(place, ())
        if self.everyone and place[0] in self.everyone:
            steps = sorted([*steps, *self.everyone[place[0]]])
        machine = self.alphabet.book.machines[place[0]]
        rows = machine.rows
        if not self.alphabet.book.late[place[0]]:
            for _, bits in steps:
                after = rows[state][bits]
                state = after if after >= 0 else machine.fill(state, bits)
            return state
        fresh, done = self.fresh, 0
        for number, bits in steps:
            if fresh[number + 1] > fresh[done]:
                state = machine.flush(state)
            done = number + 1
            state = machine.fill(state, bits)
        return machine.flush(state) if fresh[-1] > fresh[done] else state

    def touched(self, states: States) -> list[Place]:
        """Return the rules and values that the plan touches, of those that must be kept."""
        found = [place for place in self.steps if place[0] in states.rules]
        if self.everyone:
            found += [p for p in states.known if p[0] in self.everyone and p not in self.steps]
        return found


class Course:
    """The states of rules, and a plan for them. ``at``: the states after the plan; ``left``: those that are not kept
    then. ``planned``: of how many calls the plan was when it was made; then it was extended."""

    def __init__(
        self, states: States, alphabet: Alphabet, letters: Iterable[Letter] = (), planned: int | None = None
    ) -> None:
        self.states, self.alphabet = states, alphabet
        self.replan(letters, planned)

    def replan(self, letters: Iterable[Letter], planned: int | None = None) -> None:
        """Go on with other calls."""
        self.plan = Plan(letters, self.alphabet)
        self.planned = len(self.plan.letters) if planned is None else planned
        self.at = self.states.after(self.plan)
        left = [place for place in self.at.known if not self.at.accepts(place)]
        self.left = dict.fromkeys(sorted(left, key=repr) if len(left) > 1 else left)

    def begin(self, rule: int, state: int) -> None:
        """Change the state in which a new value of a rule begins."""
        self.states.begin[rule] = state
        self.at.begin[rule] = self.plan.run((rule, None), state)
        for place in self.plan.steps:
            if place[0] == rule and place not in self.states.known:
                self._moved(place, state)

    def put(self, place: Place, state: int) -> None:
        """Change a state."""
        self.states.known[place] = state
        self._moved(place, state)

    def _moved(self, place: Place, state: int) -> None:
        self.at.known[place] = self.plan.run(place, state)
        if self.at.accepts(place):
            self.left.pop(place, None)
        else:
            self.left[place] = None

    def copy(self) -> Course:
        """Return an independent one."""
        return Course(
            self.states.after(Plan((), self.alphabet)), self.alphabet, self.plan.letters, self.planned
        )


@dataclass
class Future:
    """Decides for the traces of one rulebook, with one set of known tools."""

    book: Rulebook
    tools: Sequence[str]
    alphabet: Alphabet = field(init=False)
    wasted: int = 0
    """States that searches looked at which did not decide."""
    _last: tuple[tuple[Letter, ...], int] = ((), 0)
    """The calls that kept all rules last time, and how many of them were planned at once."""
    _lost: dict[str | None, list[dict[Place, int]]] = field(default_factory=dict)
    """States that are known to be lost once a tool is called (None: lost already)."""
    _products: dict[tuple[Place, ...], _Product] = field(default_factory=dict)
    _remembered: int = 0

    def __post_init__(self) -> None:
        self.alphabet = Alphabet(self.book, self.tools)

    def of(
        self, judge: Judge, first: ToolCall | str | None = None, only: Collection[int] | None = None
    ) -> Found:
        """Return whether the trace can be continued. ``first``: the next call, made but not answered yet, or the
        name of its tool. It is a message of its own: the model chooses what follows by its answer.

        ``only``: the rules, by index, that must be kept (by default all).
        """
        if first is not None:
            return self.each(judge, (first,), only)[0]
        return self._told(self._any(self.states(judge, only))[0])

    def _told(self, found: Found) -> Found:
        compared = any(rule.against is not None for rule in self.book.rules)
        unsure = compared and found.possible and Plan(found.plan, self.alphabet).unsure
        return replace(found, possible=None) if unsure else found

    def each(
        self, judge: Judge, firsts: Sequence[ToolCall | str], only: Collection[int] | None = None
    ) -> list[Found]:
        """Return the same for several next calls. What they share is worked out once: a continuation without any of
        them is tried behind each of them."""
        found, course = self._any(self.states(judge, only, begun=True))
        if found.possible is False or self.book.gaps:
            return [found] * len(firsts)
        behind = course if found.possible else None
        return [
            self._told(self._decided(course.states, one, self._hints(judge, one), behind)) for one in firsts
        ]

    def _any(self, states: States) -> tuple[Found, Course]:
        """Return whether the trace can be continued, with the calls that kept all rules last time, and more."""
        course = Course(states, self.alphabet, *self._last)
        found = self.along(course)
        if found.possible:
            self._last = found.plan, course.planned
        return found, course

    def along(self, course: Course) -> Found:
        """Return whether all rules can be kept. If they can, they are kept by the calls of the course then. These are
        extended, or found anew if they became many."""
        if self.book.gaps:
            return self._decided(course.states)
        plan = course.plan
        if len(plan.letters) <= 2 * course.planned + 16 and self._extend(course.at, plan, course.left):
            return Found(True, tuple(plan.letters))
        found = self._decided(course.states)
        if found.possible:
            course.replan(found.plan)
        return found

    def _behind(
        self, course: Course, first: ToolCall | str, hints: Sequence[Place]
    ) -> tuple[Letter, ...] | None:
        """Return calls that keep all rules, of which the first is given, if few more are needed than without it.

        ``course``: how all rules are kept without it. Behind the call it does so for those that the call does not
        touch; a new message changes nothing for it, since it begins with one.
        """
        states, plan = course.states, course.plan
        for letter in self.alphabet.beginnings(hints, first):
            moved: dict[Place, int] = {}
            for place, bits in self.alphabet.row(letter)[0]:
                machine = self.book.machines[place[0]]
                if place[0] in states.rules:
                    state = machine.fill(states.of(place), bits)
                    if machine.status[state] == "broken":
                        break
                    moved[place] = plan.run(place, state)
            else:
                more = Plan((), self.alphabet)
                at = States(self.book, states.rules, {**course.at.known, **moved}, course.at.begin.copy())
                if self._extend(at, more, {place: None for place in moved if not at.accepts(place)}):
                    return (letter, *plan.letters, *more.letters)
        return None

    def _hints(self, judge: Judge, first: ToolCall | str) -> tuple[Place, ...]:
        """Return the rules that a call of this tool touches, each with its last value: a call that meets their
        conditions and has their values is tried first, since it says more than one that just does not matter."""
        if isinstance(first, ToolCall) or len(self.alphabet.formulas(first)) > MOST_HINTS:
            return ()
        touched = self.book.seeing(first)
        return tuple((i, judge.key[k]) for i in touched for k in (judge.instances(i)[-1:] or [i]))

    def states(self, judge: Judge, only: Collection[int] | None = None, *, begun: bool = False) -> States:
        """Return the state of every rule, for every value so far: as it is in the current message, or (``begun``) once
        a new one has begun."""
        rules = range(len(self.book.rules)) if only is None else frozenset(only)
        at = _next_message if begun else now
        known = {(i, judge.key[k]): at(judge, k) for i in rules for k in judge.instances(i)}
        return States(self.book, rules, known, [at(judge, i) for i in range(len(self.book.rules))])

    def _extend(self, at: States, plan: Plan, left: dict[Place, None]) -> bool:
        """Add calls to the plan until it keeps all rules. Return whether that went well.

        ``at``: the states after the plan; ``left``: those that are not kept. Both move along. If it fails, the first of
        ``left`` is the rule for which no calls were found.
        """
        while left:
            tail = self._tail(at, next(iter(left)), left)
            if tail is None:
                return False
            for place in at.move(tail):
                if at.accepts(place):
                    left.pop(place, None)
                else:
                    left[place] = None
            plan.add(tail.letters)
        return True

    def _tail(self, at: States, wanted: Place, left: Collection[Place]) -> Plan | None:
        """Return calls that keep one more rule and no rule less, if a short search finds some. ``left``: rules that
        need not be kept."""
        chosen = {wanted: at.entry(wanted)}
        for _ in range(MOST_ROUNDS):
            try:
                letters = self._calls(chosen, FEW_STATES)
            except (Undecided, TooMany):
                return None
            if not letters:
                return None
            tail = self._whole(letters)
            failed = []
            for place in dict.fromkeys((wanted, *tail.touched(at))):
                machine = self.book.machines[place[0]]
                state = tail.run(place, at.of(place))
                spared = place in left and place != wanted and machine.status[state] != "broken"
                if not (machine.accepting[state] or spared):
                    failed.append(place)
            if not failed:
                return tail
            if any(place in chosen for place in failed):
                return None
            chosen.update((place, at.entry(place)) for place in failed)
        return None

    def _whole(self, letters: Sequence[Letter]) -> Plan:
        """Return calls as a plan that begins with a new message."""
        return Plan(
            (
                self.alphabet.completed(letter if k or letter.fresh else replace(letter, fresh=True))
                for k, letter in enumerate(letters)
            ),
            self.alphabet,
        )

    def _decided(
        self,
        states: States,
        first: ToolCall | str | None = None,
        hints: Sequence[Place] = (),
        course: Course | None = None,
    ) -> Found:
        """Search a continuation. ``first``: what the next call is, see ``of``. ``hints``: rules that this call tries to
        meet. ``course``: see ``_behind``, which is tried first."""
        if (
            course is None
            and (broken := next((p for p in states.known if states.broken(p)), None)) is not None
        ):
            return Found(False, rules=frozenset(broken[:1]))
        if self.book.gaps:
            return Found(None)  # what the trace lacks can keep or break the rules
        lost = self._lost.setdefault(first, []) if not isinstance(first, ToolCall) else []
        for known in lost:
            if all(states.known.get(place) == state for place, state in known.items()):
                return Found(False, rules=frozenset(i for i, _ in known))
        if first is not None and course is not None:
            with suppress(Undecided, TooMany):  # what is decided below, without a course, may still be found
                if (behind := self._behind(course, first, hints)) is not None:
                    return Found(True, behind)
        chosen: dict[Place, int] = {}
        while True:
            try:
                letters = self._calls(chosen, MOST_STATES, first, hints)
            except (Undecided, TooMany):
                return Found(None)
            if letters is None:
                return self._refuted(states, chosen, lost)
            tried = Course(states, self.alphabet, map(self.alphabet.completed, letters))
            wrong = self._wrong(tried, chosen)
            if wrong is None:
                return Found(True, tuple(tried.plan.letters))
            if wrong in chosen:
                return Found(None)
            chosen[wrong] = states.entry(wrong)

    def _refuted(self, states: States, chosen: dict[Place, int], lost: list[dict[Place, int]]) -> Found:
        """Return that no calls keep the chosen rules, and remember it, unless it is not known in which states they
        are."""
        machines = self.book.machines
        if any(len(machines[i].members[state]) > 1 for (i, _), state in chosen.items() if state >= 0):
            return Found(None)
        if len(lost) < MOST_LOST and all(place in states.known for place in chosen):
            lost.append(chosen)
        return Found(False, rules=frozenset(i for i, _ in chosen))

    def _wrong(self, tried: Course, chosen: Collection[Place]) -> Place | None:
        """Extend a plan so that it keeps all rules. Return None if that went well, else a rule that it does not keep:
        if possible one that was not chosen."""
        left = tried.left
        for place in left:
            if tried.at.broken(place):
                return place
        if self._extend(tried.at, tried.plan, left):
            return None
        return next((place for place in left if place not in chosen), next(iter(left)))

    def _calls(
        self,
        chosen: Mapping[Place, int],
        most: int,
        first: ToolCall | str | None = None,
        hints: Sequence[Place] = (),
    ) -> tuple[Letter, ...] | None:
        """Return calls that keep all chosen rules, or None. Raises Undecided."""
        places = tuple(sorted(chosen, key=repr))
        letters, complete = self.alphabet.of(places)
        begin = None if first is None else self.alphabet.beginnings([*places, *hints], first)
        most = most if self.wasted < MOST_WASTED else LAST_STATES
        product = self._product(places, letters)
        remembered = product.size
        try:
            calls = product.search([chosen[p] for p in places], most, begin)
        except Undecided:
            self.wasted += most
            raise
        self._remembered += product.size - remembered
        if calls is None and not complete:
            raise Undecided
        if calls is not None and begin is not None and len(calls) > 1:
            return (calls[0], replace(calls[1], fresh=True), *calls[2:])
        return calls

    def _product(self, places: tuple[Place, ...], letters: Sequence[Letter]) -> _Product:
        if places not in self._products:
            if len(self._products) > 2_000 or self._remembered > MOST_REMEMBERED:
                self._products.clear()
                self._remembered = 0
            self._products[places] = _Product(self.alphabet, places, letters)
        return self._products[places]


def now(judge: Judge, instance: int) -> int:
    """Return an instance's state, as it is in the current message."""
    state = judge.state[instance]
    owner = judge.owner[instance]
    if judge.book.late[owner] and judge.last_message.get(instance, -1) != judge.message:
        return judge.book.machines[owner].flush(state)
    return state


def _next_message(judge: Judge, instance: int) -> int:
    """Return an instance's state once a new message has begun."""
    owner, state = judge.owner[instance], judge.state[instance]
    return judge.book.machines[owner].flush(state) if judge.book.late[owner] else state


Node = tuple[int, ...]
"""A state of each rule of a product (``States.entry``)."""

_Move = tuple[Letter, Effects]


class _Product:
    """The product of some rules' automata. It remembers which states are lost, and ways out of others."""

    def __init__(self, alphabet: Alphabet, places: tuple[Place, ...], letters: Sequence[Letter]) -> None:
        self.alphabet = alphabet
        self.places = places
        self.machines = [alphabet.book.machines[i] for i, _ in places]
        self.flushing = [k for k, (i, _) in enumerate(places) if alphabet.book.late[i]]
        self.numbers, self.heard = numbered(places)
        self.usual = self._moves(letters, keep_all=False)
        self.lost: set[Node] = set()
        self.ways: dict[Node, tuple[Letter, ...]] = {}

    def _moves(self, of: Iterable[Letter], *, keep_all: bool) -> list[_Move]:
        """Return letters that differ to these rules, each with the rules that see it."""
        found: dict[tuple[bool, Effects], Letter] = {}
        for letter in of:
            found.setdefault((letter.fresh, self.alphabet.effects(letter, self.numbers, self.heard)), letter)
        return [
            (letter, effects)
            for (fresh, effects), letter in found.items()
            if effects or (fresh and self.flushing) or keep_all
        ]

    def _after(self, states: Node, move: _Move) -> Node | None:
        """Return the states after a call, or None if it breaks a rule."""
        letter, effects = move
        after = list(self._flushed(states) if letter.fresh else states)
        for k, bits in effects:
            machine = self.machines[k]
            after[k] = state = machine.step(after[k], (bits,))
            if state >= 0 and machine.status[state] == "broken":
                return None
        return tuple(after)

    def _flushed(self, states: Node) -> Node:
        """Return the states once a new message has begun."""
        if not self.flushing:
            return states
        after = list(states)
        for k in self.flushing:
            after[k] = self.machines[k].step(after[k], None, True)
        return tuple(after)

    def search(
        self, start: Sequence[int], most: int, begin: Sequence[Letter] | None = None
    ) -> tuple[Letter, ...] | None:
        """Return calls after which all these rules are kept, or None. ``begin``: what the first call may be, which is
        then a message of its own.

        The search is best-first. Raises Undecided beyond ``most`` states.
        """
        origin = tuple(start)
        if begin is None and (origin in self.lost or origin in self.ways):
            return self.ways.get(origin)
        queue: list[tuple[int, int, int, Node]] = []
        came: dict[Node, tuple[int, Node | None, Letter | None]] = {}

        def reach(states: Node, depth: int, before: Node | None, letter: Letter | None) -> None:
            if states not in came and states not in self.lost:
                came[states] = depth, before, letter
                heapq.heappush(queue, (self._left(states), -depth, len(came), states))

        if begin is None:
            reach(origin, 0, None, None)
        else:
            for move in self._moves(begin, keep_all=True):
                if (after := self._after(origin, move)) is not None:
                    reach(self._flushed(after), 0, None, move[0])
        while queue:
            left, depth, _, states = heapq.heappop(queue)
            if left == 0:
                return self._way(states, came)
            if len(came) > most:
                raise Undecided
            for move in self.usual:
                if (after := self._after(states, move)) is not None:
                    reach(after, 1 - depth, states, move[0])
        self.lost.update(came)
        return None

    def _left(self, states: Node) -> int:
        """Return how many rules are not kept; 0 if a way is known."""
        if states in self.ways:
            return 0
        return sum(s >= 0 and not m.accepting[s] for m, s in zip(self.machines, states, strict=True))

    @property
    def size(self) -> int:
        """How many states are remembered."""
        return len(self.lost) + len(self.ways)

    def _way(
        self, states: Node, came: Mapping[Node, tuple[int, Node | None, Letter | None]]
    ) -> tuple[Letter, ...]:
        """Return the calls on the way to these states and from there on."""
        plan = self.ways.setdefault(states, ())
        _, before, letter = came[states]
        while letter is not None:
            plan = (letter, *plan)
            if before is None:
                break
            self.ways[before] = plan
            _, before, letter = came[before]
        return plan
