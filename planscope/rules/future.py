"""Decides whether a trace can still be continued so that every rule is kept.

The continuations are searched in the product of the automata, but only of those that matter. The search begins with the
rules that are owed a call. If it finds a continuation that another rule does not keep, that rule joins the product
(counterexample-guided refinement). So a lost trace is proved lost with few rules, and a continuation that is found
keeps all of them. Both answers are exact; beyond ``MOST_STATES`` states there is no answer.

A continuation calls tools that the trace defines or calls or that a rule names, or one other tool. Its calls have every
combination of conditions that some call can have (``satisfiable.py``), the values that rules have been judged by so
far, or none. A new value would only add to what must be kept, so it is needed only if a condition requires it; then the
search does not decide. Deadlines in seconds are met, since calls may follow at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from typing import Any

from planscope.rules.judge import Judge, Rulebook
from planscope.rules.machine import FIRST, MET, THEN, USER, Machine
from planscope.rules.rule import Calls, Path, Rule, compares
from planscope.rules.satisfiable import ABSENT, Formula, TooMany, combinations, completed
from planscope.rules.values import MISSING, Key, among, at
from planscope.rules.values import key_part as part_of
from planscope.traces.shape import ToolCall

MOST_STATES = 20_000
"""Limit of states of a product. Beyond it, the search does not decide."""

FEW_STATES = 1_000
"""States that are looked at with all rules at once that matter, before they are taken one by one."""

MOST_WEIGHT = 10**6
MOST_LETTERS = 20_000

OTHER_TOOL = "any other tool"
"""Stands for every tool that is not known. No tool's name has a blank, so no rule names it."""

Place = tuple[int, Key | None]
"""The index of a rule, and the value that it is judged for, if it is judged by values."""


@dataclass(frozen=True, slots=True)
class Letter:
    """One possible call: a tool, the truth of conditions, and values (canonical, see ``values.key_part``) by path.

    ``fresh``: the call begins a message. ``tool`` is "" for a user message.
    """

    tool: str
    truths: tuple[tuple[Formula, bool], ...] = ()
    values: tuple[tuple[Path, Any], ...] = ()
    fresh: bool = True

    def effect(self, book: Rulebook, place: Place) -> int | None:
        """Return what the call is to a rule (a letter of its automaton), or None if the rule does not see it."""
        return effect(book.rules[place[0]], place[1], self.tool, dict(self.truths), dict(self.values))


def effect(
    rule: Rule, key: Key | None, tool: str, truths: Mapping[Formula, bool], values: Mapping[Path, Any]
) -> int | None:
    def belongs(calls: Calls) -> bool:
        named = calls.is_user if tool == "" else calls.names(tool)
        return named and (calls.plain or truths.get(Formula.of(calls), False))

    if tool == "":
        if not rule.hears_users:
            return None
        bits = USER
    else:
        named_first = any(calls.names(tool) for calls in rule.first)
        named_then = any(calls.names(tool) for calls in rule.then)
        if not (named_first or named_then or rule.every_call):
            return None
        if rule.per:
            paths = rule.per_then if rule.per_then and named_then and not named_first else rule.per
            found = tuple(values.get(path, ABSENT) for path in paths)
            if found != key and not (named_first or named_then) and rule.per_then:
                found = tuple(values.get(path, ABSENT) for path in rule.per_then)
            if found != key:
                return None
        bits = 0
    if any(belongs(calls) for calls in rule.first):
        bits |= FIRST
        if rule.kind == "latest" and truths.get(Formula(rule.condition), False):
            bits |= MET
    if any(belongs(calls) for calls in rule.then):
        bits |= THEN
    return bits


@dataclass(slots=True)
class Found:
    """The answer. ``possible`` is None if the search did not decide. ``plan``: calls after which all rules are kept."""

    possible: bool | None
    plan: tuple[Letter, ...] = ()
    rules: frozenset[int] = frozenset()
    """If the trace is lost, rules that no continuation keeps together."""


class Undecided(Exception):
    """A limit was reached, or a condition requires a value that is not searched."""


@dataclass
class Future:
    """Decides for the traces of one rulebook, with one set of known tools."""

    book: Rulebook
    tools: Sequence[str]
    _plans: dict[tuple[Any, ...], tuple[Letter, ...] | None] = field(default_factory=dict)
    _alphabets: dict[tuple[Any, ...], tuple[tuple[Letter, ...], bool]] = field(default_factory=dict)
    _whole: dict[Letter, Letter] = field(default_factory=dict)
    _effects: dict[Letter, dict[Place, int | None]] = field(default_factory=dict)
    _sure: dict[Place, int] = field(default_factory=dict)
    """States from which ``last_plan`` keeps a rule."""
    last_plan: tuple[Letter, ...] = ()

    def of(
        self, judge: Judge, first: ToolCall | str | None = None, only: Collection[int] | None = None
    ) -> Found:
        """Return whether the trace can be continued. ``first``: the next call, made but not answered yet, or the
        name of its tool.

        ``only``: the rules, by index, that must be kept (by default all).
        """
        rules = range(len(self.book.rules)) if only is None else only
        states = self._states(judge, rules)
        broken = [i for (i, _), s in states.items() if self.book.machines[i].status[s] == "broken"]
        if broken:
            return Found(False, rules=frozenset(broken[:1]))
        if first is None:
            if not self._unkept(judge, rules, states, self.last_plan, self._sure):
                return Found(True, self.last_plan)
            if not self._unkept(judge, rules, states, ()):
                return Found(True)
        owed = [p for p, state in states.items() if not self.book.machines[p[0]].accepting[state]]
        quick = self._refined(judge, rules, states, owed, first, FEW_STATES, 1_000)
        if quick.possible is not None or (len(owed) < 2 and first is None):
            found = quick
        else:
            found = self._refined(judge, rules, states, owed[:1], first, MOST_STATES, 1)
        if found.possible and first is None:
            self.last_plan = found.plan
            self._sure.clear()
        return found

    def _refined(
        self,
        judge: Judge,
        rules: Collection[int],
        states: Mapping[Place, int],
        begin: Sequence[Place],
        first: ToolCall | str | None,
        most: int,
        more: int,
    ) -> Found:
        """Search with the rules in ``begin``, and add those that a plan does not keep, at most ``more`` at once."""
        chosen = {place: states[place] for place in begin}
        while True:
            try:
                wanted = self._plan(judge, chosen, first, most)
            except (Undecided, TooMany):
                return Found(None)
            if wanted is None:
                unsure = any(len(self.book.machines[i].members[s]) > 1 for (i, _), s in chosen.items())
                return Found(None if unsure else False, rules=frozenset(i for i, _ in chosen))
            plan = tuple(self.completed(letter) for letter in wanted)
            unkept = self._unkept(judge, rules, states, plan)
            if not unkept:
                return Found(True, plan)
            for place in unkept[:more]:
                assert place not in chosen
                chosen[place] = self._state(judge, states, place)

    def _effect(self, letter: Letter, place: Place) -> int | None:
        """As ``Letter.effect``, remembered."""
        known = self._effects.get(letter)
        if known is None:
            if len(self._effects) > 20_000:
                self._effects.clear()
            known = self._effects[letter] = {}
        if place not in known:
            known[place] = letter.effect(self.book, place)
        return known[place]

    def _states(self, judge: Judge, rules: Iterable[int]) -> dict[Place, int]:
        """Return the state of every rule, for every value so far, as it is in the current message."""
        found: dict[Place, int] = {}
        for i in rules:
            for k in judge.instances(i):
                found[i, judge.key[k]] = self._now(judge, self.book.rules[i], k)
        return found

    def _now(self, judge: Judge, rule: Rule, instance: int) -> int:
        state = judge.state[instance]
        if rule.late and judge.last_message.get(instance, -1) != judge.message:
            return self.book.machines[judge.owner[instance]].flush(state)
        return state

    def _state(self, judge: Judge, states: Mapping[Place, int], place: Place) -> int:
        found = states.get(place)
        return self._now(judge, self.book.rules[place[0]], place[0]) if found is None else found

    def _unkept(
        self,
        judge: Judge,
        rules: Iterable[int],
        states: Mapping[Place, int],
        plan: Sequence[Letter],
        sure: dict[Place, int] | None = None,
    ) -> list[Place]:
        """Return the rules and values that a continuation does not keep, in order."""
        places: dict[Place, int] = dict(states)
        for letter in plan:
            values = dict(letter.values)
            for i in rules if values else ():
                rule = self.book.rules[i]
                for paths in {rule.per, rule.per_then} if rule.per else ():
                    key = tuple(values.get(path, ABSENT) for path in paths)
                    if not key or ABSENT in key or (i, key) in places:
                        continue
                    if self._effect(letter, (i, key)) is not None:
                        places[i, key] = self._state(judge, states, (i, key))
        found = []
        for place, begun in places.items():
            machine, state = self.book.machines[place[0]], begun
            if machine.status[state] == "kept" or (sure is not None and sure.get(place) == state):
                continue
            for letter in plan:
                state = self._after(place, state, letter)
            if not machine.accepting[state]:
                found.append(place)
            elif sure is not None:
                sure[place] = begun
        return sorted(found, key=repr) if len(found) > 1 else found

    def _after(self, place: Place, state: int, letter: Letter) -> int:
        machine = self.book.machines[place[0]]
        if letter.fresh and self.book.rules[place[0]].late:
            state = machine.flush(state)
        bits = self._effect(letter, place)
        return state if bits is None else machine.fill(state, bits)

    def _plan(
        self, judge: Judge, chosen: Mapping[Place, int], first: ToolCall | str | None, most: int
    ) -> tuple[Letter, ...] | None:
        """Return calls that keep all chosen rules, or None. Raises Undecided."""
        places = sorted(chosen, key=repr)
        letters, complete = self.alphabet(places)
        if first is not None:
            begin = list(self._beginnings(judge, places, first))
            plan = self._search(places, [chosen[p] for p in places], letters, begin, most)
            if plan is None and not complete:
                raise Undecided
            return plan
        late = any(self.book.rules[i].late for i, _ in places)
        groups = [places] if late else self._groups(places, letters)
        whole: list[Letter] = []
        for group in groups:
            key = tuple((place, chosen[place]) for place in group)
            if key not in self._plans:
                if len(self._plans) > 10_000:
                    self._plans.clear()
                self._plans[key] = self._search(group, [chosen[p] for p in group], letters, None, most)
            plan = self._plans[key]
            if plan is None:
                if not complete:
                    raise Undecided
                return None
            whole += plan
        return tuple(whole)

    def _groups(self, places: Sequence[Place], letters: Sequence[Letter]) -> list[list[Place]]:
        """Group the rules so that no call touches rules of two groups."""
        group = list(range(len(places)))

        def root(k: int) -> int:
            while group[k] != k:
                group[k] = group[group[k]]
                k = group[k]
            return k

        for letter in letters:
            touched = [k for k, place in enumerate(places) if self._effect(letter, place) is not None]
            for k in touched[1:]:
                group[root(k)] = root(touched[0])
        parts: dict[int, list[Place]] = {}
        for k, place in enumerate(places):
            parts.setdefault(root(k), []).append(place)
        return list(parts.values())

    def _search(
        self,
        places: Sequence[Place],
        start: Sequence[int],
        letters: Sequence[Letter],
        begin: Sequence[Letter] | None,
        most: int,
    ) -> tuple[Letter, ...] | None:
        """Search the product best-first. ``begin``: what the first call may be."""
        machines = [self.book.machines[i] for i, _ in places]
        late = [self.book.rules[i].late for i, _ in places]

        flushing = [k for k, is_late in enumerate(late) if is_late]

        def moves(of: Iterable[Letter]) -> list[tuple[Letter, list[tuple[int, int]]]]:
            """Letters that differ to these rules, each with the rules that see it."""
            found: dict[tuple[bool, tuple[int | None, ...]], Letter] = {}
            for letter in of:
                found.setdefault((letter.fresh, tuple([self._effect(letter, p) for p in places])), letter)
            return [
                (letter, [(k, bits) for k, bits in enumerate(effects) if bits is not None])
                for (fresh, effects), letter in found.items()
                if any(e is not None for e in effects) or (fresh and flushing) or begin is not None
            ]

        def owed(states: tuple[int, ...]) -> int:
            return sum(
                weight for weight, m, s in zip(weights, machines, states, strict=True) if not m.accepting[s]
            )

        def step(
            states: tuple[int, ...], left: int, letter: Letter, effects: list[tuple[int, int]]
        ) -> tuple[tuple[int, ...], int] | None:
            """The states after a letter, and the weight of what is owed then."""
            after = list(states)
            if flushing and letter.fresh:
                for k in flushing:
                    after[k] = machines[k].flush(after[k])
            for k, bits in effects:
                machine = machines[k]
                state = machine.rows[after[k]][bits]
                if state < 0:
                    state = machine.fill(after[k], bits)
                if machine.status[state] == "broken":
                    return None
                left += weights[k] * (machine.accepting[after[k]] - machine.accepting[state])
                after[k] = state
            found = tuple(after)
            return found, owed(found) if flushing else left

        usual = moves(letters)
        weights = _weights(machines, start, [effects for _, effects in usual])
        numbers = count()
        origin = tuple(start)
        Node = tuple[int, int, int, tuple[int, ...], tuple[Letter, ...]]
        queue: list[Node] = []
        seen: set[tuple[int, ...]] = set()

        def reach(states: tuple[int, ...], left: int, plan: tuple[Letter, ...]) -> None:
            if states not in seen:
                seen.add(states)
                heapq.heappush(queue, (left, -len(plan), next(numbers), states, plan))

        if begin is None:
            reach(origin, owed(origin), ())
        else:
            for letter, effects in moves(begin):
                after = step(origin, owed(origin), letter, effects)
                if after is not None:
                    reach(*after, (letter,))
        while queue:
            left, _, _, states, plan = heapq.heappop(queue)
            if left == 0:
                return plan
            if len(seen) > most:
                raise Undecided
            for letter, effects in usual:
                after = step(states, left, letter, effects)
                if after is not None:
                    reach(*after, (*plan, letter))
        return None

    def alphabet(self, places: Sequence[Place]) -> tuple[tuple[Letter, ...], bool]:
        """Return every call that some of these rules can tell from the others, and whether there are no more.

        Raises Undecided for more than ``MOST_LETTERS``.
        """
        key = tuple(places)
        found = self._alphabets.get(key)
        if found is None:
            if len(self._alphabets) > 1_000:
                self._alphabets.clear()
            found = self._alphabets[key] = self._alphabet(places)
        return found

    def _alphabet(self, places: Sequence[Place]) -> tuple[tuple[Letter, ...], bool]:
        rules = {i: self.book.rules[i] for i, _ in places}
        late = any(rule.late for rule in rules.values())
        complete = True
        found: dict[tuple[Any, ...], Letter] = {}
        for tool in [*self.tools, OTHER_TOOL, ""]:
            if tool == "" and not any(rule.hears_users for rule in rules.values()):
                continue
            for letter in self._of_tool(tool, places, None):
                if letter is None:
                    complete = False
                    continue
                for fresh in (True, False) if late else (True,):
                    one = Letter(letter.tool, letter.truths, letter.values, fresh)
                    effects = tuple([self._effect(one, place) for place in places])
                    if any(e is not None for e in effects) or late:
                        found.setdefault((fresh, effects), one)
                if len(found) > MOST_LETTERS:
                    raise Undecided
        return tuple(found.values()), complete

    def letters_of_tool(self, tool: str, places: Sequence[Place]) -> Iterator[Letter]:
        """Return the calls of one tool that rules can tell apart."""
        return (letter for letter in self._of_tool(tool, places, None) if letter is not None)

    def _of_tool(self, tool: str, places: Sequence[Place], call: ToolCall | None) -> Iterator[Letter | None]:
        """Return letters of one tool, or None if there may be others. ``call``: only those that agree with this
        unanswered call."""
        formulas: dict[Formula, None] = {}
        paths: dict[Path, set[Any]] = {}
        for i, key in places:
            rule = self.book.rules[i]
            named = [c for c in rule.sets if (c.is_user if tool == "" else c.names(tool))]
            if not named and not rule.every_call:
                continue
            for calls in named:
                if not calls.plain:
                    formulas[Formula.of(calls)] = None
            if rule.kind == "latest" and any(c in rule.first for c in named):
                formulas[Formula(rule.condition)] = None
            if key is not None and tool != "":
                for names in (rule.per, rule.per_then):
                    for path, value in zip(names, key, strict=False):
                        paths.setdefault(path, {ABSENT}).add(value)
        asked = self._asked(formulas)
        for path in asked:
            paths.setdefault(path, {ABSENT})
        if asked and call is None:
            yield None
        fixed_values: list[list[Any]] = []
        for path, values in paths.items():
            if call is None:
                fixed_values.append(sorted(values, key=lambda v: (v is ABSENT, repr(v))))
            else:
                value = at(call.arguments or {}, path)
                fixed_values.append([ABSENT if value is MISSING else part_of(value)])
        known = {f: _known(f, call) for f in formulas} if call is not None else {}
        for chosen in product(*fixed_values):
            assigned = dict(zip(paths, chosen, strict=True))
            fixed = {path: assigned[path] for path in asked} if call is None else {}
            for truths in combinations(list(formulas), fixed):
                paired = tuple(zip(formulas, truths, strict=True))
                if all(known.get(f) in (None, truth) for f, truth in paired):
                    yield Letter(tool, paired, tuple((p, v) for p, v in assigned.items() if v is not ABSENT))

    def _asked(self, formulas: Iterable[Formula]) -> list[Path]:
        """Return the arguments that rules are judged by and that conditions test."""
        used = {c.path for f in formulas for c in compares(f.condition) if c.source == "argument"}
        by = {path for rule in self.book.rules for path in (*rule.per, *rule.per_then)} if used else set()
        return sorted((path for path in by if any(_same_root(path, other) for other in used)), key=repr)

    def completed(self, letter: Letter) -> Letter:
        """Complete the letter with a truth value for every condition that a rule has on its tool."""
        found = self._whole.get(letter)
        if found is None:
            known = dict(letter.truths)
            others: dict[Formula, None] = {}
            for rule in self.book.rules:
                named = [c for c in rule.sets if (c.is_user if letter.tool == "" else c.names(letter.tool))]
                others.update((Formula.of(c), None) for c in named if not c.plain)
                if rule.kind == "latest" and any(c in rule.first for c in named):
                    others[Formula(rule.condition)] = None
            rest = [formula for formula in others if formula not in known]
            values = dict(letter.values)
            fixed = {path: values.get(path, ABSENT) for path in self._asked([*known, *rest])}
            truths = completed(known, rest, fixed) if rest else ()
            found = Letter(
                letter.tool,
                (*letter.truths, *zip(rest, truths, strict=True)),
                letter.values,
                letter.fresh,
            )
            self._whole[letter] = found
        return found

    def _beginnings(self, judge: Judge, places: Sequence[Place], first: ToolCall | str) -> Iterator[Letter]:
        call = first if isinstance(first, ToolCall) else None
        tool = call.tool if call is not None else str(first)
        fresh = call is None or call.message != judge.message
        late = any(self.book.rules[i].late for i, _ in places)
        for letter in self._of_tool(tool, places, call):
            if letter is not None:
                yield Letter(letter.tool, letter.truths, letter.values, fresh)
                if call is None and late:
                    yield Letter(letter.tool, letter.truths, letter.values, False)


def _weights(
    machines: Sequence[Machine], start: Sequence[int], moves: Sequence[list[tuple[int, int]]]
) -> list[int]:
    """For each rule, how many calls may be needed if it owes something: its own, and those that this call makes owed.

    It only decides which states are looked at first.
    """
    pays: list[list[int]] = [[] for _ in machines]
    owes: list[list[int]] = []
    for number, effects in enumerate(moves):
        owing = []
        for k, bits in effects:
            machine = machines[k]
            states = {0, start[k], *(s for s in machine.rows[start[k]] if s >= 0)}
            after = [(machine.accepting[s], machine.accepting[machine.fill(s, bits)]) for s in states]
            if (False, True) in after:
                pays[k].append(number)
            if (True, False) in after:
                owing.append(k)
        owes.append(owing)
    weights = [1] * len(machines)
    for _ in range(12):
        weights = [
            min(MOST_WEIGHT, 1 + min((sum(weights[j] for j in owes[n] if j != k) for n in ones), default=0))
            for k, ones in enumerate(pays)
        ]
    return weights


def _same_root(one: Path, other: Path) -> bool:
    size = min(len(one), len(other))
    return one[:size] == other[:size]


def _known(formula: Formula, call: ToolCall) -> bool | None:
    """Return whether a call that is not answered yet meets a formula; None if that depends on its answer."""
    from dataclasses import replace

    open_call = replace(call, answered=True, answer=None, failed=None)
    return among([Calls("*", formula.condition, formula.outcome, formula.agent)], open_call)
